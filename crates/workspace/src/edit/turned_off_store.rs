//! Turned-off hooks on the disk: `<data dir>/turned_off/<id>`, one JSON file each, kept until the hook is on again.
//!
//! How it works: a hook that is on again, or whose turning off was undone, is *ended*: its file is renamed to
//! `<id>.ended`, so that an undo can bring it back. It is removed when no stored edit names it any more. A process that
//! writes here has the lock of the writer of user files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Code, Hook, Layer, Message, Severity, render};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ulid::Ulid;

use super::attributes::Attributes;
use super::edit_openers::EditOpeners;
use super::user_files::{self, FileContent, FileTransaction, PlannedFile, PlannedFolder, UnixOwner};
use crate::data_files::locked_file::{self, LockedFileError};
use crate::discovery;
use crate::files::temp_files;
use crate::mutes::Mute;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// No turned-off hook has this id.
    UNKNOWN = "turned_off_unknown" { "no hook with the id {id} is turned off", "没有 id 为 {id} 的已关闭 Hook" } hint { "run `hookwright list` to see the hooks that are turned off, with their ids", "执行 `hookwright list` 查看已关闭的 Hook 及其 id" };
    /// Several ids begin with the given text.
    AMBIGUOUS = "turned_off_unknown" / "ambiguous" { "{count} hooks that are turned off have an id that begins with {id}", "有 {count} 个已关闭 Hook 的 id 以 {id} 开头" } hint { "write the whole id; `hookwright list` shows it", "写完整的 id；`hookwright list` 会显示" };
    /// The hook's files are larger than what is kept.
    TOO_MUCH = "turned_off_too_large" { "{hook} cannot be turned off: its files have more than {mib} MiB", "无法关闭 {hook}：其文件超过 {mib} MiB" } hint { "run `hookwright mute {hook}` to leave it out of Hookwright's engine; nothing was changed", "执行 `hookwright mute {hook}`，让 Hookwright 的引擎跳过它；未作任何更改" };
    /// What turning a hook off did.
    KEPT = "turned_off_kept" { "the definition is kept; run `hookwright turn-on {id}` to restore it", "定义已保留；执行 `hookwright turn-on {id}` 可恢复到文件" };
}

const ENDED_SUFFIX: &str = "ended";

/// A hook that is turned off, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredHook {
    /// Version of the file format, now 1.
    pub version: u32,
    /// A ULID, the name of the file.
    pub id: String,
    /// When the hook was turned off.
    pub at: Timestamp,
    pub dialect: String,
    /// The project of its file; `None` for the user's own hooks.
    #[serde(with = "crate::data_files::path_serde::optional")]
    pub project: Option<PathBuf>,
    pub layer: Layer,
    /// Every event that it serves.
    pub events: Vec<String>,
    pub label: String,
    /// The id that it had.
    pub hook: String,
    /// The file that defined it.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    pub line: u32,
    /// How it runs, and what.
    pub handler: String,
    pub runs: Option<String>,
    /// Its condition; also `None` if an older version stored the hook.
    #[serde(default)]
    pub filter: Option<Value>,
    pub definition: Value,
    /// The definition with the fields that `add` takes besides it; `None` if the hook is a whole folder.
    pub addition: Option<Map<String, Value>>,
    /// How many equal definitions its file had then, those that were turned off included.
    pub equal: usize,
    /// Errors that only this hook caused. They do not keep it off.
    pub errors: Vec<(Code, String)>,
    pub mutes: Vec<Mute>,
    pub files: Vec<KeptFile>,
    /// Folders that were removed, outer ones first.
    pub folders: Vec<PlannedFolder>,
}

/// A file before and after a hook was turned off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// `None` if it did not exist.
    pub before: Option<KeptContent>,
    pub after: Option<KeptContent>,
}

/// A file's bytes and metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptContent {
    #[serde(flatten)]
    bytes: KeptBytes,
    mode: u32,
    owner: Option<UnixOwner>,
    attributes: Attributes,
}

/// Bytes as text, which they nearly always are, or in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptBytes {
    Text(String),
    Bytes(String),
}

impl KeptContent {
    fn from_content(content: &FileContent) -> Self {
        let bytes = match std::str::from_utf8(&content.bytes) {
            Ok(text) => KeptBytes::Text(text.to_owned()),
            Err(_) => KeptBytes::Bytes(content.bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        };
        Self {
            bytes,
            mode: content.mode,
            owner: content.owner,
            attributes: content.attributes.clone(),
        }
    }

    /// The content; `None` if the hexadecimal text is damaged.
    pub fn content(&self) -> Option<FileContent> {
        let bytes = match &self.bytes {
            KeptBytes::Text(text) => text.clone().into_bytes(),
            KeptBytes::Bytes(digits) => {
                let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
                pairs
                    .map(|pair| u8::from_str_radix(pair?, 16).ok())
                    .collect::<Option<_>>()?
            }
        };
        Some(FileContent {
            bytes,
            mode: self.mode,
            owner: self.owner,
            attributes: self.attributes.clone(),
        })
    }

    /// The text; `None` if the bytes are none.
    pub fn text(&self) -> Option<&str> {
        match &self.bytes {
            KeptBytes::Text(text) => Some(text),
            KeptBytes::Bytes(_) => None,
        }
    }
}

impl KeptFile {
    pub fn from_planned(file: &PlannedFile) -> Self {
        let keep = |content: &Option<FileContent>| content.as_ref().map(KeptContent::from_content);
        Self {
            path: file.path.clone(),
            before: keep(&file.before),
            after: keep(&file.after),
        }
    }

    /// Whether the file has the bytes of one of its two sides now.
    pub fn is_like(&self, side: &Option<KeptContent>, now: Option<&FileContent>) -> bool {
        match (side, now) {
            (None, None) => true,
            (Some(kept), Some(now)) => kept.content().is_some_and(|kept| kept.bytes == now.bytes),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl StoredHook {
    /// What is stored of a hook that a planned edit takes out of its file.
    pub fn new(
        workspace: &Workspace,
        before: &Snapshot,
        hook: &Hook,
        work: &FileTransaction,
        mutes: Vec<Mute>,
    ) -> Self {
        let mut files: Vec<KeptFile> = work.files.iter().map(KeptFile::from_planned).collect();
        files.retain(|file| file.before != file.after);
        let mut stored = Self {
            version: 1,
            id: Ulid::generate().to_string(),
            at: workspace.now(),
            dialect: hook.dialect.to_owned(),
            project: hook.source.project.clone(),
            layer: hook.source.layer,
            events: Vec::new(),
            label: hook.label.clone(),
            hook: hook.id.clone(),
            path: hook.source.path.clone(),
            line: hook.source.line,
            handler: hook.handler.as_str().to_owned(),
            runs: hook.handler.runs(),
            filter: hook.filter.clone(),
            definition: hook.definition.clone(),
            addition: addition(before, hook),
            equal: 0,
            errors: errors_of(workspace, before, &hook.id),
            mutes,
            files,
            folders: work.removed_folders.iter().rev().cloned().collect(),
        };
        let same = before.all().filter(|it| it.id == hook.id);
        stored.events = same.map(|hook| hook.event.clone()).collect();
        stored.events.dedup();
        stored.equal = count_equal(workspace, before, &stored);
        stored
    }

    /// Whether all files are as they were before the hook was turned off.
    pub fn is_as_before(&self) -> bool {
        let openers = EditOpeners::of_project(self.project.as_deref());
        self.files.iter().all(|file| {
            let now = user_files::read_content(&openers.of(&file.path), &file.path);
            now.is_ok_and(|now| file.is_like(&file.before, now.as_ref()))
        })
    }

    /// The file that defines the hook.
    pub fn own_file(&self) -> Option<&KeptFile> {
        self.files.iter().find(|file| file.path == self.path)
    }
}

/// The turned-off hooks of a data folder.
#[derive(Debug)]
pub struct TurnedOffStore {
    folder: PathBuf,
}

impl TurnedOffStore {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join("turned_off"),
        }
    }

    /// All turned-off hooks, oldest first, and the files that cannot be read.
    pub fn all(&self) -> (Vec<StoredHook>, Vec<LockedFileError>) {
        let mut found = (Vec::new(), Vec::new());
        for path in self.paths().into_values() {
            match read(&path) {
                Ok(Some(hook)) => found.0.push(hook),
                Ok(None) => {}
                Err(error) => found.1.push(error),
            }
        }
        found
    }

    /// The turned-off hook with this id, or whose id begins with it.
    pub fn find(&self, id: &str) -> Result<StoredHook, Message> {
        let wanted = id.to_ascii_uppercase();
        let paths = self.paths();
        let ids: Vec<String> = paths.keys().map(Ulid::to_string).collect();
        let fits: Vec<&String> = ids.iter().filter(|id| id.starts_with(&wanted)).collect();
        match *fits {
            [only] => match read(&self.folder.join(only))? {
                Some(hook) => Ok(hook),
                None => Err(render!(UNKNOWN, "id" => id)),
            },
            [] => Err(render!(UNKNOWN, "id" => id)),
            ref several => Err(render!(AMBIGUOUS, "id" => id, "count" => several.len())),
        }
    }

    /// Stores a hook. Nothing is taken out of a file before.
    pub fn write(&self, hook: &StoredHook) -> Result<(), Message> {
        let path = self.folder.join(&hook.id);
        let bytes = serde_json::to_vec(hook).map_err(|error| LockedFileError::Unwritable {
            path: path.clone(),
            source: error.into(),
        })?;
        if bytes.len() as u64 > locked_file::MAX_APP_FILE_BYTES {
            return Err(render!(TOO_MUCH, "hook" => hook.hook, "mib" => locked_file::MAX_APP_FILE_BYTES >> 20));
        }
        locked_file::atomic_write(&path, &bytes, locked_file::PRIVATE_FILE_MODE)?;
        Ok(())
    }

    /// Ends a turned-off hook, because it is in its file. If this fails the hook is still stored.
    #[expect(
        clippy::disallowed_methods,
        reason = "turned-off hooks are stored in Hookwright's own files"
    )]
    pub fn end(&self, id: &str) {
        let path = self.folder.join(id);
        let _ = std::fs::rename(&path, path.with_extension(ENDED_SUFFIX));
    }

    /// Brings an ended hook back, because it is about to be taken out of its file.
    #[expect(
        clippy::disallowed_methods,
        reason = "turned-off hooks are stored in Hookwright's own files"
    )]
    pub fn revive(&self, id: &str) -> Result<(), Message> {
        let path = self.folder.join(id);
        if path.is_file() || std::fs::rename(path.with_extension(ENDED_SUFFIX), &path).is_ok() {
            return Ok(());
        }
        Err(render!(UNKNOWN, "id" => id))
    }

    /// Removes the ended hooks that no stored edit names. All edits are read for `named`, so it is called only if there
    /// is an ended hook.
    pub fn prune(&self, named: impl FnOnce() -> BTreeSet<String>) {
        let is_ended = |path: &PathBuf| path.extension().is_some_and(|end| end == ENDED_SUFFIX);
        let ended: Vec<PathBuf> = self.entries().filter(is_ended).collect();
        let named = if ended.is_empty() { BTreeSet::new() } else { named() };
        for path in ended {
            let id = path.file_stem().and_then(|name| name.to_str());
            if id.is_some_and(|id| Ulid::from_string(id).is_ok() && !named.contains(id)) {
                // A file that cannot be removed is tried again at the next edit.
                let _ = std::fs::remove_file(path);
            }
        }
        temp_files::remove_all(&self.folder);
    }

    fn paths(&self) -> BTreeMap<Ulid, PathBuf> {
        let named = |path: PathBuf| Some((Ulid::from_string(path.file_name()?.to_str()?).ok()?, path));
        self.entries().filter_map(named).collect()
    }

    fn entries(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    }
}

fn read(path: &Path) -> Result<Option<StoredHook>, LockedFileError> {
    locked_file::check_private(path)?;
    let Some(text) = locked_file::read_text(path)? else {
        return Ok(None);
    };
    let broken = |error: serde_json::Error| LockedFileError::Broken {
        path: path.to_owned(),
        position: None,
        what: error.to_string(),
    };
    serde_json::from_str(&text).map(Some).map_err(broken)
}

/// Ends the hooks that are in their files again without Hookwright's doing. The caller has the lock of the writer.
pub(super) fn end_restored(store: &TurnedOffStore, snapshot: &Snapshot) {
    let (all, _) = store.all();
    for id in ids_back_in_files(&all, snapshot) {
        store.end(&id);
    }
}

/// The hooks that are in their files again: the files are as before, or they define the hook. Equal definitions of one
/// file cannot be distinguished, so those stay until they are turned on.
pub(super) fn ids_back_in_files(all: &[StoredHook], snapshot: &Snapshot) -> BTreeSet<String> {
    let is_back = |hook: &&StoredHook| hook.equal == 1 && (hook.is_as_before() || is_defined(hook, snapshot));
    all.iter().filter(is_back).map(|hook| hook.id.clone()).collect()
}

fn is_defined(stored: &StoredHook, snapshot: &Snapshot) -> bool {
    let mine = snapshot
        .sources
        .iter()
        .filter(|source| source.dialect == stored.dialect && !source.has_older_hooks());
    let mut hooks = mine.flat_map(|source| source.hooks.iter());
    hooks.any(|hook| is_equal(stored, hook))
}

/// Whether a hook has the same definition, for the same event in the same file.
pub(super) fn is_equal(stored: &StoredHook, hook: &Hook) -> bool {
    hook.source.path == stored.path && hook.definition == stored.definition && stored.events.contains(&hook.event)
}

/// How many equal definitions the file has, together with those that are turned off already.
fn count_equal(workspace: &Workspace, before: &Snapshot, stored: &StoredHook) -> usize {
    let mut ids: Vec<&str> = before
        .all()
        .filter(|it| is_equal(stored, it))
        .map(|it| it.id.as_str())
        .collect();
    ids.dedup();
    let (kept, _) = TurnedOffStore::new(&workspace.env.data_dir).all();
    let is_same = |other: &&StoredHook| {
        (&other.path, &other.definition, &other.events) == (&stored.path, &stored.definition, &stored.events)
    };
    ids.len() + kept.iter().filter(is_same).count()
}

/// The errors of a hook. A hook that was wrong may be turned on again as it was.
fn errors_of(workspace: &Workspace, before: &Snapshot, id: &str) -> Vec<(Code, String)> {
    let problems = before.problems(&workspace.env, None);
    let own = problems
        .into_iter()
        .filter(|problem| problem.severity == Severity::Error && problem.hook.as_deref() == Some(id));
    own.map(|problem| (problem.code, problem.message)).collect()
}

/// The definition as `add` takes it (`CONTRACTS.md` §2.7); `None` if the hook is a whole folder.
fn addition(before: &Snapshot, hook: &Hook) -> Option<Map<String, Value>> {
    let dialect = find_dialect(hook.dialect).ok()?;
    let defines = |source: &&LoadedSource| source.file_hooks.iter().any(|other| other.id == hook.id);
    let source = before.sources.iter().find(defines)?;
    let tree = discovery::read_tree(dialect, &source.root);
    dialect.definitions_to_add(&tree, &[hook]).pop()?
}
