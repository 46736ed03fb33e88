//! What an approval of a hook covers, and what the review reports as not covered (`engine.md` §3).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookwright_dialects::command_lint::{ScriptLanguage, script_language};
use hookwright_dialects::shell;
use hookwright_model::{ApprovalScope, Card, Handler, Hook, Locations, Message, render};
use serde_json::Value;

use super::disk_cache::DiskCache;
use super::folder::{DEVICE, FileSelection, FolderFiles, folder_files};
use super::names::{self, FileCandidate, FileCandidates, FileRole, LimitExceeded, LookupContext};

hookwright_model::messages! {
    /// The command builds file names while it runs.
    COMPUTES_NAMES = "computes_names" { "the command computes file names ({pieces}); files found that way are not covered", "命令会在执行时计算文件名（{pieces}）；由此找到的文件未覆盖" };
    /// Files outside the project. The approval of a project does not cover them.
    OUTSIDE = "outside_project" { "not covered, outside the project: {paths}", "未覆盖（在项目之外）：{paths}" };
    /// Files that the command only writes.
    OUTPUT = "output_file" { "not covered, only written to: {paths}", "未覆盖（仅写入）：{paths}" };
    /// A folder with more code than the user can review, or with dependencies.
    LARGE_FOLDER = "folder_too_large" { "the folder {path} is not covered: it is too large or contains dependencies", "文件夹 {path} 未覆盖：过大，或包含依赖" };
    /// A `cargo` build and what it runs.
    CARGO = "cargo_build" { "what `cargo` builds and runs is not covered", "`cargo` 构建和执行的内容未覆盖" };
    /// Tests of hooks in a covered folder.
    HOOK_TESTS = "hook_tests" { "not covered, tests of hooks: {paths}", "未覆盖（Hook 测试）：{paths}" };
    /// A file that is too large to be hashed.
    TOO_LARGE = "file_too_large" { "only size and times of {path} are covered: it is larger than {limit}", "{path} 大于 {limit}，仅覆盖其大小和时间" };
    /// A file that cannot be read.
    UNREADABLE = "file_unreadable" { "{path} cannot be read and is not covered: {why}", "{path} 无法读取，未覆盖：{why}" };
    /// A pipe, a socket or a device.
    NO_FILE = "file_unreadable" / "no_file" { "{path} is not a regular file and is not covered", "{path} 不是普通文件，未覆盖" };
    /// What an approved command starts or reads in turn.
    STARTS_OTHERS = "starts_others" { "not covered: anything else the hook starts or reads (programs, package scripts, modules, compiled files)", "除已覆盖的文件外，Hook 启动或读取的其他内容（程序、包脚本、模块、编译文件）均未覆盖" };
    /// The command names more folders than are searched.
    MORE_FOLDERS = "computes_names" / "folders" { "the command names too many folders; files found in the last ones are not covered", "命令列出的文件夹过多；排在后面的文件夹中的文件未覆盖" };
    /// More names than the user can review.
    TOO_MANY_NAMES = "too_many_names" { "the command has more than {limit} possible file names and cannot be approved", "命令中可能的文件名超过 {limit} 个，无法批准" } hint { "move the program into a script file", "将程序移到脚本文件中" };
    /// More text than the user can review.
    TOO_LONG = "too_many_names" / "bytes" { "the command is larger than {limit} KiB and cannot be approved", "命令大于 {limit} KiB，无法批准" } hint { "move the program into a script file", "将程序移到脚本文件中" };
}

/// Limits for the number of items in one message, and for the characters of each item.
const MAX_SHOWN: usize = 5;
const MAX_SHOWN_CHARS: usize = 60;
/// The part of a `package.json` that is covered if a package manager runs its scripts.
const SCRIPTS: &str = "scripts";
/// The suffix of hook tests. They never belong to a fingerprint.
const HOOK_TEST: &str = ".hooktest.yaml";

/// A covered file, or the covered part of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredPart {
    /// The path of the file.
    pub file: PathBuf,
    /// Whether only the `scripts` of a `package.json` are covered, as canonical JSON.
    pub scripts: bool,
}

/// The properties of the machine that decide which files a name may refer to.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The folders of the engine's own PATH.
    pub path: &'a [PathBuf],
    /// What was already read from the disk.
    pub disk: &'a DiskCache,
}

impl<'a> Machine<'a> {
    fn lookup_context(self, project: &'a Path, start: &'a Path) -> LookupContext<'a> {
        LookupContext {
            home: self.home,
            project,
            start,
            path: self.path,
            disk: self.disk,
        }
    }
}

/// The files that a hook names, and what its approval covers of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoveredFiles {
    /// The covered files and parts, sorted by path.
    pub parts: Vec<CoveredPart>,
    /// The files of the project that are named and not covered, sorted by path.
    pub data: Vec<PathBuf>,
    /// The review's messages about what is not covered.
    pub not_covered: Vec<Message>,
    /// Entries of a covered folder that are not regular files, each with the name of its kind. They are part of the
    /// fingerprint, because they decide which file is found.
    pub others: Vec<(PathBuf, &'static str)>,
    /// The reason why the hook cannot be approved. It applies even if this content was approved before.
    pub refusal: Option<Message>,
    /// Paths inside the project where a name leads to a file as soon as one is created.
    pub absent: Vec<PathBuf>,
    /// The files and folders whose state decides all this; `None` if they are not known.
    pub dependencies: Option<BTreeSet<PathBuf>>,
}

impl CoveredPart {
    fn whole_file(file: PathBuf) -> Self {
        Self { file, scripts: false }
    }

    /// The path as it is shown and stored: `…/package.json#scripts` for a part of a file.
    #[must_use]
    pub fn display_path(&self) -> PathBuf {
        if !self.scripts {
            return self.file.clone();
        }
        let mut shown = self.file.clone().into_os_string();
        shown.push("#");
        shown.push(SCRIPTS);
        shown.into()
    }

    /// The covered part of a file's bytes.
    #[must_use]
    pub fn covered_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        if !self.scripts {
            return bytes;
        }
        // A file that does not parse is covered as a whole.
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(package) => canonical(package.get(SCRIPTS).unwrap_or(&Value::Null)).into_bytes(),
            Err(_) => bytes,
        }
    }
}

/// Formats JSON with sorted keys, so that the text changes only if the value does.
fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut pairs: Vec<_> = map.iter().collect();
                pairs.sort_by_key(|(key, _)| *key);
                pairs
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }
    serde_json::to_string_pretty(&sorted(value)).unwrap_or_default()
}

impl CoveredFiles {
    /// The files that the covered parts are read from, each once, sorted by path.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let files: BTreeSet<PathBuf> = self.parts.iter().map(|part| part.file.clone()).collect();
        files.into_iter().collect()
    }

    fn from_files(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut parts: Vec<CoveredPart> = files.into_iter().map(CoveredPart::whole_file).collect();
        parts.sort();
        parts.dedup();
        Self {
            dependencies: Some(parts.iter().map(|part| part.file.clone()).collect()),
            parts,
            ..Self::default()
        }
    }

    fn from_folder(contents: FolderFiles, tests: Vec<PathBuf>) -> Self {
        let refused = contents.refusal.iter().cloned();
        let devices = contents.others.iter().filter(|(_, kind)| *kind == DEVICE);
        let devices: Vec<Message> = devices.map(|(path, _)| no_file(path)).collect();
        let dependencies = contents.files.iter().chain(&contents.folders).cloned();
        let dependencies = contents.others.is_empty().then(|| dependencies.collect());
        let tests_message = (!tests.is_empty()).then(|| render!(HOOK_TESTS, "paths" => shown(paths(&tests))));
        Self {
            not_covered: refused
                .chain(devices)
                .chain(tests_message)
                .chain([STARTS_OTHERS.render_plain()])
                .collect(),
            data: tests,
            dependencies,
            others: contents.others,
            refusal: contents.refusal,
            ..Self::from_files(contents.files)
        }
    }

    fn from_candidates(found: FileCandidates, project: &Path) -> Self {
        if let Some(too_many) = found.exceeded {
            let message = match too_many {
                LimitExceeded::Names => render!(TOO_MANY_NAMES, "limit" => names::MAX_NAMES),
                LimitExceeded::Bytes => render!(TOO_LONG, "limit" => names::MAX_TEXT_BYTES >> 10),
            };
            return Self {
                not_covered: vec![message.clone()],
                refusal: Some(message),
                ..Self::default()
            };
        }
        let inside = || found.found.iter().filter(|known| known.in_project);
        let part = |known: &FileCandidate| CoveredPart {
            file: known.path.clone(),
            scripts: known.role == FileRole::Scripts,
        };
        let mut parts: Vec<CoveredPart> = inside()
            .filter(|known| known.role >= FileRole::Scripts)
            .map(part)
            .collect();
        parts.sort();
        let data = inside().filter(|known| known.role == FileRole::Data);
        let mut out = Self {
            data: data.map(|known| known.path.clone()).collect(),
            not_covered: not_covered_messages(&found, project),
            parts,
            absent: found.absent,
            dependencies: Some(found.dependencies),
            ..Self::default()
        };
        out.data.sort();
        out
    }

    pub(super) fn too_large(&mut self, path: &Path, limit: u64) {
        let limit = format!("{} MiB", limit >> 20);
        self.not_covered
            .push(render!(TOO_LARGE, "path" => path.display().to_string(), "limit" => limit));
    }

    pub(super) fn unreadable(&mut self, path: &Path, why: &str) {
        self.not_covered
            .push(render!(UNREADABLE, "path" => path.display().to_string(), "why" => why));
    }
}

/// The files that a hook names, resolved from its project.
#[must_use]
pub fn find_covered_files(hook: &Hook, card: &Card, machine: Machine<'_>, project: &Path) -> CoveredFiles {
    match &hook.approval_scope {
        ApprovalScope::Nothing => CoveredFiles::from_files([]),
        ApprovalScope::Command(_) => {
            let start = names::start_dir(hook, project);
            CoveredFiles::from_candidates(
                names::candidates(hook, card, machine.lookup_context(project, &start)),
                project,
            )
        }
        // An inserted text starts nothing.
        ApprovalScope::Files(files) if matches!(hook.handler, Handler::Insert { .. }) => {
            CoveredFiles::from_files(files.clone())
        }
        ApprovalScope::Files(files) => CoveredFiles {
            not_covered: vec![STARTS_OTHERS.render_plain()],
            ..CoveredFiles::from_files(files.clone())
        },
        ApprovalScope::Folder(folder) => {
            let tests = folder_files(folder, project, FileSelection::WithSuffix(HOOK_TEST)).files;
            CoveredFiles::from_folder(
                folder_files(folder, project, FileSelection::WithoutSuffix(HOOK_TEST)),
                tests,
            )
        }
        ApprovalScope::Sources { folder, ending } => CoveredFiles::from_folder(
            folder_files(folder, project, FileSelection::WithSuffix(ending)),
            Vec::new(),
        ),
    }
}

/// The review's messages about what is not covered, one for each kind.
fn not_covered_messages(found: &FileCandidates, project: &Path) -> Vec<Message> {
    let mut out = Vec::new();
    if !found.computed.is_empty() {
        out.push(render!(COMPUTES_NAMES, "pieces" => shown(found.computed.iter().map(|piece| format!("`{piece}`")))));
    }
    let outside = found
        .found
        .iter()
        .filter(|known| !known.in_project && !names::is_of_system(&known.path));
    let outside = found.outside_start.iter().chain(outside.map(|known| &known.path));
    let outside: Vec<PathBuf> = outside.cloned().collect();
    if !outside.is_empty() {
        out.push(render!(OUTSIDE, "paths" => shown(paths(&outside))));
    }
    if !found.outputs.is_empty() {
        out.push(render!(OUTPUT, "paths" => shown(found.outputs.iter().cloned())));
    }
    for folder in &found.large_folders {
        let below = folder.strip_prefix(project).unwrap_or(folder);
        let below = if below == Path::new("") { Path::new(".") } else { below };
        let shown = below.display().to_string();
        out.push(render!(LARGE_FOLDER, "path" => shown));
    }
    for place in &found.others {
        out.push(no_file(place));
    }
    if found.cargo {
        out.push(CARGO.render_plain());
    }
    if found.more_folders {
        out.push(MORE_FOLDERS.render_plain());
    }
    out.push(STARTS_OTHERS.render_plain());
    // Most hooks have this one alone, and thousands of hooks are kept.
    out.shrink_to_fit();
    out
}

fn no_file(place: &Path) -> Message {
    render!(NO_FILE, "path" => place.display().to_string())
}

fn paths(paths: &[PathBuf]) -> impl Iterator<Item = String> {
    paths.iter().map(|path| path.display().to_string())
}

/// Joins the first few items for a message. Long items are cut, and the number of omitted items is added.
fn shown(items: impl Iterator<Item = String>) -> String {
    let cut = |item: String| match item.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &item[..end]),
        None => item,
    };
    let items: Vec<String> = items.collect();
    let more = items.len().saturating_sub(MAX_SHOWN);
    let mut shown: Vec<String> = items.into_iter().take(MAX_SHOWN).map(cut).collect();
    if more > 0 {
        shown.push(format!("+{more}"));
    }
    shown.join(", ")
}

/// A file that a run would use in place of another one.
#[derive(Debug)]
pub struct SwappedFile {
    /// The file that the run would use.
    pub found: PathBuf,
    /// The path of the approved file, or the name as written if no file was approved under it.
    pub approved: String,
}

/// The file that a run in `cwd` would use in place of an approved one. A relative name leads to it from `cwd`, and to
/// another file from the project. It can also be code that only a run in `cwd` would find.
#[must_use]
pub fn find_swapped_file(
    hook: &Hook,
    card: &Card,
    machine: Machine<'_>,
    project: &Path,
    cwd: &Path,
) -> Option<SwappedFile> {
    let from_cwd = names::candidates(hook, card, machine.lookup_context(project, cwd));
    let start = names::start_dir(hook, project);
    let approved = names::candidates(hook, card, machine.lookup_context(project, &start));
    let swapped = from_cwd.targets.iter().find_map(|(name, leads)| {
        let known = approved.targets.get(name)?;
        let direct = leads.direct.as_ref().zip(known.direct.as_ref());
        let direct = direct.filter(|(found, approved)| found != approved);
        let other = leads
            .all
            .iter()
            .find(|path| !known.all.contains(*path))
            .zip(known.all.first());
        direct.or(other)
    });
    if let Some((found, approved)) = swapped {
        return Some(SwappedFile {
            found: found.clone(),
            approved: approved.display().to_string(),
        });
    }
    let known = |candidate: &&FileCandidate| approved.found.iter().any(|known| known.path == candidate.path);
    let other = from_cwd
        .found
        .iter()
        .find(|candidate| candidate.role >= FileRole::Scripts && !known(candidate))?;
    let same_name = approved.found.iter().find(|known| known.written == other.written);
    Some(SwappedFile {
        found: other.path.clone(),
        approved: same_name.map_or_else(|| other.written.clone(), |known| known.path.display().to_string()),
    })
}

/// The scripts that a command names, or the files of a hook's folder. The user's own files are included.
#[must_use]
pub fn named_files(hook: &Hook, card: &Card, places: &Locations, disk: &DiskCache) -> Vec<PathBuf> {
    let project = hook.source.project.as_deref().unwrap_or(&places.project);
    let machine = Machine {
        home: &places.home,
        path: &[],
        disk,
    };
    match &hook.approval_scope {
        ApprovalScope::Command(_) => {
            let start = names::start_dir(hook, project);
            let view = machine.lookup_context(project, &start);
            let home = disk.real(&places.home);
            let is_user_file = |known: &FileCandidate| {
                known.role >= FileRole::Convention && (known.in_project || known.path.starts_with(&home))
            };
            let found = names::candidates(hook, card, view).found;
            found.into_iter().filter(is_user_file).map(|known| known.path).collect()
        }
        ApprovalScope::Nothing => Vec::new(),
        ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) => {
            find_covered_files(hook, card, machine, &places.project).files()
        }
    }
}

/// The paths and texts of [`named_files`], for lint. Large and binary files are left out.
#[must_use]
pub fn named_texts(
    hook: &Hook,
    card: &Card,
    places: &Locations,
    disk: &DiskCache,
    before_read: &dyn Fn(&Path),
) -> Vec<(PathBuf, String)> {
    const MAX_SCRIPT_BYTES: u64 = 256 << 10;
    // A hook of the user may name files of the project too.
    let project = hook.source.project.as_deref().unwrap_or(&places.project);
    let opener = disk.opener(Some(project));
    let read = |path: PathBuf| {
        before_read(&path);
        let text = opener.for_path(&path).read_text(&path, MAX_SCRIPT_BYTES)?;
        Some((path, text))
    };
    let mut texts: Vec<(PathBuf, String)> = named_files(hook, card, places, disk)
        .into_iter()
        .filter_map(read)
        .collect();
    let sourced: Vec<PathBuf> = texts
        .iter()
        .flat_map(|(path, text)| sourced_files(path, text, card, project))
        .filter(|path| path.starts_with(project) && !texts.iter().any(|(known, _)| known == path))
        .collect();
    texts.extend(sourced.into_iter().filter_map(read));
    texts
}

/// The files that a shell script loads with `.` or `source`, as far as their names show it.
fn sourced_files(script: &Path, text: &str, card: &Card, project: &Path) -> Vec<PathBuf> {
    if script_language(script, text) == ScriptLanguage::Other {
        return Vec::new();
    }
    let here = [
        "$(dirname \"$0\")/",
        "$(dirname $0)/",
        "${0%/*}/",
        "${BASH_SOURCE%/*}/",
        "$(dirname \"${BASH_SOURCE[0]}\")/",
    ];
    let resolve = |word: &str| {
        let variables = card
            .dir_vars
            .iter()
            .flat_map(|dir| [format!("${}/", dir.name), format!("${{{}}}/", dir.name)]);
        let in_project = variables
            .into_iter()
            .find_map(|begin| Some(project.join(word.strip_prefix(&begin)?)));
        let beside = || {
            here.iter()
                .find_map(|begin| Some(script.parent()?.join(word.strip_prefix(begin)?)))
        };
        let is_literal = !word.contains(|sign: char| "$`*?[{~".contains(sign));
        in_project
            .or_else(beside)
            .or_else(|| is_literal.then(|| project.join(word)))
    };
    let scanned = shell::scan(text);
    let loads = scanned
        .programs()
        .filter(|words| [".", "source"].contains(&words[0].text.as_str()));
    loads.filter_map(|words| resolve(&words.get(1)?.text)).collect()
}
