//! Finds hooks where no agent reads them (`engine.md` §14, row "nobody reads it"): under another name, one folder too
//! deep, in a folder above or below the project, or outside the section `hooks` of their file.
//!
//! What it deliberately does not do: it opens no file itself. A dialect says which names and folders are near to its own.

use std::path::{Path, PathBuf};

use hookwright_model::{Card, FileFix, FixChange, Handler, LintContext, Problem, render};

use crate::node::{Entry, Node, ValueKind};
use crate::{jsonc, wrapper_fix};

hookwright_model::messages! {
    /// A section that is spelled nearly as `hooks`.
    WRAPPER = "unknown_field" / "wrapper" { "`{field}` is ignored: {agent} reads hooks only under `hooks`", "`{field}` 会被忽略：{agent} 只读取 `hooks` 之下的 Hook" } hint { "rename it to `hooks`, in small letters", "改名为小写的 `hooks`" };
    /// Hooks that are not under `hooks`.
    OUTSIDE = "unknown_field" / "outside_hooks" { "`{field}` is ignored here: {agent} reads hooks only under `{section}`", "此处的 `{field}` 会被忽略：{agent} 只读取 `{section}` 之下的 Hook" } hint { "move it into `{section}`", "移到 `{section}` 之下" };
    /// A file with another name or in another folder than the one that is read.
    ELSEWHERE = "file_not_read" / "elsewhere" { "{agent} ignores this file; nothing in it runs", "{agent} 会忽略此文件，其中的内容不会执行" } hint { "move it to {place}", "移到 {place}" };
    /// A copy of the file that is read, under another name in its folder.
    COPY = "file_not_read" / "copy" { "{agent} ignores this file; nothing in it runs", "{agent} 会忽略此文件，其中的内容不会执行" } hint { "move what is needed to {place}, or remove the file", "把需要的内容移到 {place}，或删除此文件" };
    /// The file of another folder, above or below the project.
    OTHER_FOLDER = "file_not_read" / "other_folder" { "this is read by {agent} only when the agent is started in {folder}", "Agent 只有在 {folder} 中启动时，{agent} 才会读取此处" } hint { "start the agent there, or move it to {place}", "在该处启动 Agent，或移到 {place}" };
}

/// JSON files of package managers and compilers, which are often in the folder of the scripts.
const OTHER_JSON: [&str; 5] = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "jsconfig.json",
    "deno.json",
];
/// Parts of the names of files that no agent is meant to read.
const NOT_MEANT: [&str; 6] = ["example", "sample", "template", "bak", "backup", "schema"];
/// Folders with dependencies or build results.
const SKIPPED: [&str; 6] = ["node_modules", "target", "dist", "build", "vendor", "venv"];
/// In how many folders below a project files are looked for.
const MAX_FOLDERS: usize = 100;

/// The message about an entry of a file that is nearly `hooks`, if `contains_hooks` says that hooks are in it.
#[must_use]
pub fn wrong_wrapper(card: &Card, path: &Path, root: &Node, contains_hooks: impl Fn(&Node) -> bool) -> Vec<Problem> {
    let is_near = |entry: &&Entry| {
        let name = letters(&entry.key);
        entry.key != "hooks" && ["hooks", "hook"].contains(&name.as_str()) && !card.definition.is_note(&entry.key)
    };
    let near = root.entries().unwrap_or_default().iter().filter(is_near);
    let near: Vec<&Entry> = near.filter(|entry| contains_hooks(&entry.value)).collect();
    let is_certain = near.len() == 1 && root.get(wrapper_fix::WRAPPER).is_none();
    let problem = |entry: &Entry| {
        let message = render!(WRAPPER, "field" => entry.key, "agent" => card.name);
        let fix = is_certain.then(|| {
            let (from, to) = (entry.key.clone(), wrapper_fix::WRAPPER.to_owned());
            FileFix::new(path, FixChange::RenameKey { from, to })
        });
        Problem::new(message, path, Some(entry.key_position)).with_fix(fix)
    };
    near.into_iter().map(problem).collect()
}

/// The letters and digits of a name, in small letters.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|sign| sign.to_ascii_lowercase()).collect()
}

/// The message about an entry of a file that belongs into a section of it.
#[must_use]
pub fn outside(card: &Card, path: &Path, entry: &Entry, section: &str) -> Problem {
    let message = render!(OUTSIDE, "field" => entry.key, "agent" => card.name, "section" => section);
    Problem::new(message, path, Some(entry.key_position))
}

/// The fix that moves a file; `None` if its form is not the one that is read there, or if a part of the place is unknown.
#[must_use]
pub fn move_fix(path: &Path, right: &Path) -> Option<FileFix> {
    let form = |path: &Path| {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(if ending == "yml" { "yaml".to_owned() } else { ending })
    };
    let is_known = !right.to_string_lossy().contains('<');
    let to = right.to_owned();
    (is_known && form(path) == form(right)).then(|| FileFix::new(path, FixChange::MoveFile { to }))
}

/// Looks for the files of one dialect around the places that it reads.
pub struct Search<'a, 'c> {
    pub card: &'static Card,
    pub context: &'a LintContext<'c>,
    pub found: &'a mut Vec<Problem>,
}

impl Search<'_, '_> {
    /// Reports a file that has to be moved, together with other files.
    pub fn elsewhere(&mut self, path: &Path, right: &Path) {
        let problem = self.misplaced(path, right);
        self.report(problem);
    }

    /// Reports a file that has to be moved alone.
    fn movable(&mut self, path: &Path, right: &Path) {
        let problem = self.misplaced(path, right).with_fix(move_fix(path, right));
        self.report(problem);
    }

    fn misplaced(&self, path: &Path, right: &Path) -> Problem {
        let message = render!(ELSEWHERE, "agent" => self.card.name, "place" => self.shown(right));
        Problem::new(message, path, None)
    }

    /// Reports the files of a folder whose names are nearly the one that is read: in other letter case, or one of
    /// `others`. Returns whether there is one.
    pub fn misnamed(&mut self, folder: &Path, right: &str, others: &[&str]) -> bool {
        let right_path = folder.join(right);
        // On some systems the letter case of a name does not count, and on others both files may exist.
        let has_right = (self.context.path_exists)(&right_path);
        let is_wrong = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| {
                let in_other_case = !has_right && name != right && name.eq_ignore_ascii_case(right);
                in_other_case || others.iter().any(|other| name.eq_ignore_ascii_case(other))
            })
        };
        let mut wrong = (self.context.list_dir)(folder);
        wrong.retain(is_wrong);
        match &wrong[..] {
            [single] if !has_right => self.movable(single, &right_path),
            // It is not certain which of them is meant.
            several => several.iter().for_each(|path| self.elsewhere(path, &right_path)),
        }
        !wrong.is_empty()
    }

    /// Reports the copies of a file in its folder, but for those that are named as examples.
    pub fn copies(&mut self, folder: &Path, right: &Path, is_copy: impl Fn(&Path) -> bool) {
        for path in (self.context.list_dir)(folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let name = name.to_lowercase();
            if is_copy(&path) && !NOT_MEANT.iter().any(|word| name.contains(word)) {
                let message = render!(COPY, "agent" => self.card.name, "place" => self.shown(right));
                self.report(Problem::new(message, &path, None));
            }
        }
    }

    /// Reports a file that exists in place of another one.
    pub fn in_place_of(&mut self, wrong: &Path, right: &Path) {
        if (self.context.path_exists)(wrong) && !(self.context.path_exists)(right) {
            self.movable(wrong, right);
        }
    }

    /// Reports the files of a folder that have hooks in JSON, but for those that a hook's command or script names: they are
    /// its data.
    pub fn json_files(&mut self, folder: &Path, right: &Path) {
        let context = self.context;
        let commands = context.hooks.iter().filter_map(|hook| {
            let Handler::Shell { command } = &hook.handler else {
                return None;
            };
            Some(command.as_str())
        });
        let scripts = context
            .named_file_texts
            .values()
            .flatten()
            .map(|(_, text)| text.as_str());
        let texts: Vec<&str> = commands.chain(scripts).collect();
        for path in (context.list_dir)(folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let may_be_hooks = name.ends_with(".json") && !OTHER_JSON.contains(&name);
            if may_be_hooks && !texts.iter().any(|text| text.contains(name)) && self.has_hooks(&path) {
                self.elsewhere(&path, right);
            }
        }
    }

    /// Whether a JSON file has hooks, under `hooks` or under the names of events. One that cannot be parsed has none.
    fn has_hooks(&self, path: &Path) -> bool {
        let text = (self.context.read_text)(path);
        let root = text.and_then(|text| jsonc::read(&text).ok()?.root);
        let entries = root.as_deref().and_then(Node::entries).unwrap_or_default();
        let is_part = |entry: &Entry| entry.key == wrapper_fix::WRAPPER || self.card.event(&entry.key).is_some();
        entries
            .iter()
            .any(|entry| is_part(entry) && !matches!(entry.value.kind, ValueKind::Scalar { .. }))
    }

    /// Reports this file of the folders above and below the project, unless the project has one itself. `above` says
    /// whether folders above it are not read either.
    pub fn other_folders(&mut self, file: &str, above: bool) {
        let locations = self.context.locations;
        let project = &locations.project;
        let own = project.join(file);
        if (self.context.path_exists)(&own) || locations.home.starts_with(project) {
            return;
        }
        // An agent does not start in the folder of a plugin to use its project's files.
        let holds_manifest = |folder: &PathBuf| {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_of_plugin = name.starts_with('.') && name.ends_with("-plugin");
            is_of_plugin && (self.context.path_exists)(&folder.join("plugin.json"))
        };
        let is_plugin = (self.context.list_dir)(project).iter().any(holds_manifest);
        let mut folders = if above && !is_plugin {
            self.folders_above()
        } else {
            Vec::new()
        };
        folders.extend(self.folders_below());
        for folder in folders {
            let path = folder.join(file);
            if (self.context.path_exists)(&path) {
                let (shown, place) = (self.shown(&folder), self.shown(&own));
                let message = render!(OTHER_FOLDER, "agent" => self.card.name, "folder" => shown, "place" => place);
                self.report(Problem::new(message, path, None));
            }
        }
    }

    /// The folders above the project, up to the top of its repository, below the home directory.
    fn folders_above(&self) -> Vec<PathBuf> {
        let locations = self.context.locations;
        let mut out = Vec::new();
        let mut below: &Path = &locations.project;
        while let Some(folder) = below.parent() {
            if (self.context.path_exists)(&below.join(".git")) || folder == locations.home || folder.parent().is_none()
            {
                break;
            }
            out.push(folder.to_owned());
            below = folder;
        }
        out
    }

    /// The folders in the project, and those in them.
    fn folders_below(&self) -> Vec<PathBuf> {
        let inside = |folder: &Path| {
            let mut entries = (self.context.list_dir)(folder);
            entries.retain(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                // A file name mostly has an ending; nothing is in it anyway.
                !name.contains('.') && !SKIPPED.contains(&name)
            });
            entries
        };
        let first = inside(&self.context.locations.project);
        let second: Vec<PathBuf> = first
            .iter()
            .take(MAX_FOLDERS)
            .flat_map(|folder| inside(folder))
            .collect();
        first.into_iter().chain(second).take(MAX_FOLDERS).collect()
    }

    fn report(&mut self, problem: Problem) {
        // If the project is the home directory, a place is looked at twice.
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    /// A path as a user writes it in the project.
    fn shown(&self, path: &Path) -> String {
        let locations = self.context.locations;
        if let Ok(inside) = path.strip_prefix(&locations.project) {
            return inside.display().to_string();
        }
        match path.strip_prefix(&locations.home) {
            Ok(inside) => format!("~/{}", inside.display()),
            Err(_) => path.display().to_string(),
        }
    }
}
