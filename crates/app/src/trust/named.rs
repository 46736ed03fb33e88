//! Which files a hook's command names, inside its project: what an approval covers (`engine.md` §3).

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use hookwright_model::{Card, Cover, DirOf, Handler, Hook, Places, Words, args};

use crate::door;

use super::folder::{Below, Take, below};
use super::given::Given;
use super::words::{Place, Role, Word, split};

hookwright_model::sayings! {
    /// A word with a variable or substitution whose value nobody can know beforehand.
    NOT_COVERED = "not_covered" { "not covered: {word}, because {piece} is only known when it runs", "未覆盖：{word}，因为 {piece} 运行时才知道" };
    /// A variable we know is given another value by the command itself.
    RESET = "not_covered" / "reset" { "not covered: {word}, because the command itself changes {piece}", "未覆盖：{word}，因为命令自身改变了 {piece}" };
    /// Programs are looked for elsewhere than where we would look.
    PATH_RESET = "not_covered" / "path" { "not covered: programs that are found by their names, because the command itself changes $PATH", "未覆盖：按名称查找的程序，因为命令自身改变了 $PATH" };
    /// What nobody approves with a project.
    OUTSIDE = "not_covered" / "outside" { "not covered: {word}, because {path} is outside the project", "未覆盖：{word}，因为 {path} 在项目之外" };
    /// A pipe or a device in a file's place.
    NO_FILE = "not_covered" / "no_file" { "not covered: {word}, because {path} is no regular file", "未覆盖：{word}，因为 {path} 不是普通文件" };
    /// A file that is not read to its end.
    TOO_LARGE = "not_covered" / "too_large" { "not covered: the bytes of {path}, because it is larger than {limit}; only its size and times are", "未覆盖：{path} 的内容，因为它大于 {limit}；只检查其大小和时间" };
    /// A file that cannot be read.
    UNREADABLE = "not_covered" / "unreadable" { "not covered: {path}, because it cannot be read: {why}", "未覆盖：{path}，因为无法读取：{why}" };
    /// What an approved command starts in turn.
    STARTS_OTHERS = "not_covered" / "starts_others" { "what these files start or read in turn (imported modules, programs, package scripts) is not covered", "这些文件再启动或读取的内容（导入的模块、程序、包脚本）未覆盖" };
}

/// A word of a command that may name a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    word: Word,
    /// The folder that the command goes to first, for a relative name.
    from: Place,
    /// As written, for sentences.
    pub written: String,
    /// What it means seen from the project: an existing file inside it.
    pub file: Option<PathBuf>,
    /// Where such a file would be, while there is none.
    absent: Option<PathBuf>,
    /// Whether the run's directory decides what it means.
    follows_cwd: bool,
}

/// The words of a hook's command that may name files, and what cannot be covered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    /// Words that name, or from another directory could name, a file.
    pub names: Vec<Name>,
    /// Files that are covered whatever the words say.
    pub whole: Vec<PathBuf>,
    /// What the review says is not covered.
    pub not_covered: Vec<Words>,
    /// What stands in a covered folder and is no file, with a word for its kind: it decides which file is met.
    pub others: Vec<(PathBuf, &'static str)>,
    /// Why nobody can approve it, whatever was approved.
    pub refused: Option<Words>,
    /// Where a run begins unless its event says otherwise.
    begun: PathBuf,
}

/// Hook tests never belong to a fingerprint.
const HOOK_TEST: &str = ".hooktest.yaml";
impl Names {
    /// The covered files, each once, in path order.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let named = self.names.iter().filter_map(|name| name.file.clone());
        named
            .chain(self.whole.iter().cloned())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Places inside the project that words name and where nothing is yet.
    #[must_use]
    pub fn absent(&self) -> Vec<PathBuf> {
        self.names.iter().filter_map(|name| name.absent.clone()).collect()
    }
}

/// Looks at the words of a hook's command, seen from `project`.
#[must_use]
pub fn names(hook: &Hook, card: &Card, home: &Path, project: &Path) -> Names {
    let (command, begun) = match &hook.cover {
        Cover::Command(command) => (command, project.to_owned()),
        Cover::CommandIn { command, dir } => (command, begun_in(dir, project)),
        Cover::Nothing => return Names::default(),
        Cover::Files(files) if matches!(hook.handler, Handler::Insert { .. }) => {
            // A text starts nothing.
            return Names {
                whole: files.clone(),
                ..Names::default()
            };
        }
        Cover::Files(files) => return Names::whole(files.clone()),
        Cover::Folder(folder) => return Names::folder(below(folder, project, Take::AllBut(HOOK_TEST))),
        Cover::Sources { folder, ending } => return Names::folder(below(folder, project, Take::Ending(ending))),
    };
    let mut split = split(command);
    let given = Given::of(hook, card);
    given.put_in(&mut split);
    let desk = Desk {
        card,
        home,
        project,
        real_project: real(project),
        begun: &begun,
    };
    let mut out = Names::default();
    let is_ours = |name: &String| name == "HOME" || card.dir_vars.iter().any(|var| var.name == name);
    let mut reset: BTreeSet<String> = split.sets.iter().filter(|name| is_ours(name)).cloned().collect();
    if split.sets_any {
        reset.extend(card.dir_vars.iter().map(|var| var.name.to_owned()));
        reset.insert("HOME".to_owned());
    }
    for name in given.functions() {
        out.cannot_cover(NOT_COVERED.say(args! { "word" => name, "piece" => name }));
    }
    for word in split.words.iter().chain(&given.read_first()) {
        if let Some(piece) = word.uses(&reset) {
            out.cannot_cover(RESET.say(args! { "word" => word.written(), "piece" => piece }));
        }
        if let Err(piece) = desk.read(word, &mut out) {
            out.cannot_cover(NOT_COVERED.say(args! { "word" => word.written(), "piece" => piece }));
        }
        let led = given.leads_cd() && word.from.iter().any(|place| !place.is_empty());
        if led && may_name(word.role, &word.written()) {
            out.cannot_cover(NOT_COVERED.say(args! { "word" => word.written(), "piece" => "$CDPATH" }));
        }
        desk.look_on_path(word, &given, &mut out);
    }
    if split.sets.contains("PATH") {
        out.cannot_cover(PATH_RESET.plain());
    }
    out.not_covered.push(STARTS_OTHERS.plain());
    out.begun = begun;
    out
}

/// The folder that a run begins in: the one it names, while it is there.
fn begun_in(dir: &Path, project: &Path) -> PathBuf {
    let wanted = project.join(dir);
    if wanted.is_dir() { wanted } else { project.to_owned() }
}

impl Names {
    fn whole(files: Vec<PathBuf>) -> Self {
        Self {
            whole: files,
            not_covered: vec![STARTS_OTHERS.plain()],
            ..Self::default()
        }
    }

    fn folder(below: Below) -> Self {
        let refused = below.refused.iter().cloned();
        Self {
            not_covered: refused.chain([STARTS_OTHERS.plain()]).collect(),
            whole: below.files,
            others: below.others,
            refused: below.refused,
            ..Self::default()
        }
    }

    pub(super) fn too_large(&mut self, path: &Path, limit: u64) {
        let limit = format!("{} MiB", limit >> 20);
        self.cannot_cover(TOO_LARGE.say(args! { "path" => path.display().to_string(), "limit" => limit }));
    }

    pub(super) fn unreadable(&mut self, path: &Path, why: &str) {
        self.cannot_cover(UNREADABLE.say(args! { "path" => path.display().to_string(), "why" => why }));
    }

    fn cannot_cover(&mut self, words: Words) {
        if !self.not_covered.contains(&words) {
            self.not_covered.push(words);
        }
    }
}

struct Desk<'a> {
    card: &'a Card,
    home: &'a Path,
    project: &'a Path,
    real_project: PathBuf,
    begun: &'a Path,
}

impl Desk<'_> {
    fn expand(&self, word: &Word, payload_dir: &Path) -> Result<(String, bool), String> {
        expand(word, self.card, self.home, self.project, payload_dir)
    }

    /// Notes what a bare program name would be in the project, where the definition makes it be looked for there.
    fn look_on_path(&self, word: &Word, given: &Given<'_>, out: &mut Names) {
        let Ok((text, _)) = self.expand(word, self.project) else {
            return;
        };
        for (folder, named) in given.on_path(word, &text) {
            let here = folder.is_relative() || self.inside(&folder) || real(&folder).starts_with(&self.real_project);
            if !here {
                continue;
            }
            if let Err(piece) = self.read(&named, out) {
                out.cannot_cover(NOT_COVERED.say(args! { "word" => named.written(), "piece" => piece }));
            }
        }
    }

    /// Notes what a word names from each of the folders that the command may be in.
    ///
    /// # Errors
    /// What only the run knows.
    fn read(&self, word: &Word, out: &mut Names) -> Result<(), String> {
        let (text, follows_var) = self.expand(word, self.project)?;
        if text.is_empty() {
            return Ok(());
        }
        let mut unknown = word.pattern.filter(|_| !is_test(&text)).map(String::from);
        let absolute = Path::new(&text).is_absolute();
        let nowhere = [Place::new()];
        for from in if absolute { &nowhere[..] } else { &word.from[..] } {
            match self.folder(from, self.begun, self.project) {
                Ok(base) => {
                    out.names.extend(self.name(word, from, &base, &text, follows_var));
                    let place = base.join(&text);
                    let outside = self.outside(word, &text, &base).map(|path| (path, &OUTSIDE));
                    let odd = || (self.inside(&place) && is_odd(&place)).then(|| (place.clone(), &NO_FILE));
                    if let Some((path, saying)) = outside.or_else(odd) {
                        let args = args! { "word" => word.written(), "path" => path.display().to_string() };
                        out.cannot_cover(saying.say(args));
                    }
                }
                Err(piece) if may_name(word.role, &text) => unknown = Some(piece),
                Err(_) => {}
            }
        }
        unknown.map_or(Ok(()), Err)
    }

    /// The folder that a shell is in after these `cd`, begun in `cwd`.
    fn folder(&self, place: &Place, cwd: &Path, payload_dir: &Path) -> Result<PathBuf, String> {
        place.iter().try_fold(cwd.to_owned(), |base, folder| {
            self.expand(folder, payload_dir).map(|(text, _)| base.join(text))
        })
    }

    fn inside(&self, place: &Path) -> bool {
        let climbs = place.components().any(|part| part == Component::ParentDir);
        !climbs && (place.starts_with(self.project) || place.starts_with(&self.real_project))
    }

    /// What a word names at a place.
    fn name(&self, word: &Word, from: &Place, base: &Path, text: &str, follows_var: bool) -> Option<Name> {
        let place = base.join(text);
        let follows_cwd = follows_var || Path::new(text).is_relative();
        // A link of the project counts even where it leads out: whoever changes it changes what runs.
        let inside = self.inside(&place);
        let file = file_at(&place).filter(|file| inside || file.starts_with(&self.real_project));
        let named = may_name(Role::Argument, text);
        (file.is_some() || follows_cwd).then(|| Name {
            word: word.clone(),
            from: from.clone(),
            written: word.written(),
            absent: (file.is_none() && inside && named && !place.exists()).then_some(place),
            file,
            follows_cwd,
        })
    }

    /// The place outside the project that a word names, where it may be what runs or a file is there.
    fn outside(&self, word: &Word, text: &str, base: &Path) -> Option<PathBuf> {
        let place = plain(&base.join(text));
        let there = real(&place);
        let of_project = self.inside(&place) || there.starts_with(&self.real_project);
        // The system's own programs are nobody's to review.
        let system = word.role == Role::Program && SYSTEM.iter().any(|folder| place.starts_with(folder));
        let runs = may_name(word.role, text) && matches!(word.role, Role::Run | Role::Program) && text.contains('/');
        (!of_project && !system && (there.is_file() || (runs && !there.is_dir()))).then_some(place)
    }
}

/// A pipe, a socket or a device, or a link to one.
fn is_odd(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// Where a system keeps its programs.
const SYSTEM: [&str; 8] = [
    "/bin",
    "/sbin",
    "/usr",
    "/lib",
    "/opt/homebrew",
    "/nix/store",
    "/run/current-system",
    "/snap/bin",
];

/// Whether a word that names nothing that is known may be a file all the same.
fn may_name(role: Role, text: &str) -> bool {
    let path = text.contains('/');
    !text.starts_with('-')
        && match role {
            Role::Program => path,
            Role::Run => true,
            Role::Argument | Role::Value => path || text.contains('.'),
            Role::Folder => false,
        }
}

/// `[` is a program and no pattern.
fn is_test(text: &str) -> bool {
    matches!(text, "[" | "[[" | "]]")
}

/// A path without `.` and `..`, for sentences.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// A file that a run would meet in the place of another one.
#[derive(Debug)]
pub struct Other {
    /// The file.
    pub found: PathBuf,
    /// The approved one, or the name where nothing was approved.
    pub approved: String,
}

/// The file that a run in `cwd` would meet, by a relative name, instead of the approved one.
#[must_use]
pub fn other_from(names: &Names, card: &Card, home: &Path, project: &Path, cwd: &Path) -> Option<Other> {
    if real(cwd) == real(&names.begun) {
        return None;
    }
    let desk = Desk {
        card,
        home,
        project,
        real_project: real(project),
        begun: cwd,
    };
    for name in names.names.iter().filter(|name| name.follows_cwd) {
        let base = desk.folder(&name.from, cwd, cwd);
        let text = desk.expand(&name.word, cwd).map(|(text, _)| text);
        let (Ok(base), Ok(text)) = (base, text) else {
            continue;
        };
        let Some(found) = file_at(&base.join(&text)) else {
            continue;
        };
        let same = name.file.as_ref() == Some(&found);
        if !same && (name.file.is_some() || would_run(name.word.role, &text)) {
            let approved = name.file.as_ref().map(|file| file.display().to_string());
            return Some(Other {
                found,
                approved: approved.unwrap_or_else(|| name.written.clone()),
            });
        }
    }
    None
}

/// Whether a word that names nothing in the project would run what it names elsewhere. Where nothing was approved
/// nothing can be swapped, but a file that nobody saw must not run in the name of one that was never there.
fn would_run(role: Role, text: &str) -> bool {
    match role {
        // A program's bare name comes from `PATH`, and a bare value (`LANG=C`) is rarely a file.
        Role::Program | Role::Value => text.contains(['/', '.']),
        Role::Run => true,
        Role::Argument | Role::Folder => false,
    }
}

/// Names and text of the files a command names, the person's own files included, for lint; large and binary ones are left out.
#[must_use]
pub fn named_texts(hook: &Hook, card: &Card, places: &Places) -> Vec<(PathBuf, String)> {
    const MAX_SCRIPT: u64 = 256 << 10;
    let project = hook.source.project.as_deref().unwrap_or(&places.project);
    let (command, base) = match &hook.cover {
        Cover::Command(command) => (command, project.to_owned()),
        Cover::CommandIn { command, dir } => (command, begun_in(dir, project)),
        Cover::Nothing => return Vec::new(),
        Cover::Folder(_) | Cover::Sources { .. } | Cover::Files(_) => {
            let files = names(hook, card, &places.home, &places.project).files();
            let read = |path: PathBuf| door::read_text(&path, MAX_SCRIPT).map(|text| (path, text));
            return files.into_iter().filter_map(read).collect();
        }
    };
    let mut out: Vec<(PathBuf, String)> = Vec::new();
    let mut split = split(command);
    Given::of(hook, card).put_in(&mut split);
    for word in split.words {
        let Ok((text, _)) = expand(&word, card, &places.home, project, project) else {
            continue;
        };
        let Some(file) = file_at(&base.join(&text)).filter(|_| !text.is_empty()) else {
            continue;
        };
        let inside = file.starts_with(real(project)) || file.starts_with(real(&places.home));
        if inside
            && !out.iter().any(|(known, _)| *known == file)
            && let Some(text) = door::read_text(&file, MAX_SCRIPT)
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

/// A path without links, as far as it leads anywhere.
fn real(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
