//! Which files a hook's command names, inside its project: what an approval covers (`engine.md` §3).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookwright_model::{Card, Cover, DirOf, Hook, Places, Words, args};

use super::words::{Word, split};

hookwright_model::sayings! {
    /// A word with a variable or substitution whose value nobody can know beforehand.
    NOT_COVERED = "not_covered" { "not covered: {word}, because {piece} is only known when it runs", "未覆盖：{word}，因为 {piece} 运行时才知道" };
    /// What an approved command starts in turn.
    STARTS_OTHERS = "not_covered" / "starts_others" { "what these files start or read in turn (imported modules, programs, package scripts) is not covered", "这些文件再启动或读取的内容（导入的模块、程序、包脚本）未覆盖" };
    /// The run's directory leads a relative name to another file.
    SWAPPED = "swapped" { "{word} would be {found} in {cwd}, and that is not what was approved", "在 {cwd} 中 {word} 会是 {found}，这不是已批准的文件" };
}

/// A word of a command that may name a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    word: Word,
    /// As written, for sentences.
    pub written: String,
    /// What it means seen from the project: an existing file inside it.
    pub file: Option<PathBuf>,
    /// Whether the run's directory decides what it means.
    follows_cwd: bool,
}

/// The words of a hook's command that may name files, and what cannot be covered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    /// Words that name, or from another directory could name, a file.
    pub names: Vec<Name>,
    /// What the review says is not covered.
    pub not_covered: Vec<Words>,
}

impl Names {
    /// The covered files, each once, in path order.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.names
            .iter()
            .filter_map(|name| name.file.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

/// Looks at the words of a hook's command, seen from `project`.
#[must_use]
pub fn names(hook: &Hook, card: &Card, home: &Path, project: &Path) -> Names {
    let Cover::Command(command) = &hook.cover else {
        return Names::default();
    };
    let mut out = Names::default();
    let real_project = real(project);
    for word in split(command) {
        let (text, follows_var) = match expand(&word, card, home, project, project) {
            Ok(expanded) => expanded,
            Err(piece) => {
                out.not_covered
                    .push(NOT_COVERED.say(args! { "word" => word.written(), "piece" => piece }));
                continue;
            }
        };
        if text.is_empty() {
            continue;
        }
        let file = file_at(&project.join(&text)).filter(|file| file.starts_with(&real_project));
        let follows_cwd = follows_var || Path::new(&text).is_relative();
        if file.is_some() || follows_cwd {
            out.names.push(Name {
                written: word.written(),
                word,
                file,
                follows_cwd,
            });
        }
    }
    if !out.files().is_empty() || !out.not_covered.is_empty() {
        out.not_covered.push(STARTS_OTHERS.plain());
    }
    out
}

/// Whether a run in `cwd` would meet, by a relative name, another file than was approved.
///
/// # Errors
/// Names the word and the file it would meet.
pub fn same_from(names: &Names, card: &Card, home: &Path, project: &Path, cwd: &Path) -> Result<(), Words> {
    let real_cwd = real(cwd);
    if real_cwd == real(project) {
        return Ok(());
    }
    for name in names.names.iter().filter(|name| name.follows_cwd) {
        let Ok((text, _)) = expand(&name.word, card, home, project, cwd) else {
            continue;
        };
        let Some(found) = file_at(&cwd.join(&text)) else {
            continue;
        };
        let same = name.file.as_ref() == Some(&found);
        // A bare word that names nothing in the project (`grep`, `status`) is rarely a file name.
        let looks_like_a_file = name.file.is_some() || text.contains(['/', '.']);
        if !same && looks_like_a_file {
            let args = args! { "word" => name.written, "found" => found.display().to_string(), "cwd" => cwd.display().to_string() };
            return Err(SWAPPED.say(args));
        }
    }
    Ok(())
}

/// Names and text of the files a command names, the person's own files included, for lint; large and binary ones are left out.
#[must_use]
pub fn named_texts(hook: &Hook, card: &Card, places: &Places) -> Vec<(PathBuf, String)> {
    const MAX_SCRIPT: u64 = 256 << 10;
    let Cover::Command(command) = &hook.cover else {
        return Vec::new();
    };
    let base = hook.source.project.as_deref().unwrap_or(&places.project);
    let mut out: Vec<(PathBuf, String)> = Vec::new();
    for word in split(command) {
        let Ok((text, _)) = expand(&word, card, &places.home, base, base) else {
            continue;
        };
        let Some(file) = file_at(&base.join(&text)).filter(|_| !text.is_empty()) else {
            continue;
        };
        let inside = file.starts_with(real(base)) || file.starts_with(real(&places.home));
        let small = std::fs::metadata(&file).is_ok_and(|meta| meta.len() <= MAX_SCRIPT);
        if inside
            && small
            && !out.iter().any(|(known, _)| *known == file)
            && let Ok(text) = std::fs::read_to_string(&file)
        {
            out.push((file, text));
        }
    }
    out
}

/// The word's text with home and the dialect's directory variables filled in; whether the payload's directory is among them.
fn expand(word: &Word, card: &Card, home: &Path, project: &Path, payload_dir: &Path) -> Result<(String, bool), String> {
    let follows = std::cell::Cell::new(false);
    let home = home.display().to_string();
    let value = |name: &str| {
        if name == "HOME" {
            return Some(home.clone());
        }
        let var = card.dir_vars.iter().find(|var| var.name == name)?;
        Some(match var.of {
            DirOf::Project => project.display().to_string(),
            DirOf::Payload => {
                follows.set(true);
                payload_dir.display().to_string()
            }
        })
    };
    word.expand(&home, &value).map(|text| (text, follows.get()))
}

/// The real path of a regular file, when there is one.
fn file_at(path: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(path).ok()?;
    real.is_file().then_some(real)
}

fn real(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
