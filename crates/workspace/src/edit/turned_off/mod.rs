//! Hooks that are turned off for the agent although their dialect has no field for it.
//!
//! Turning a hook off removes its definition from its file, as `remove` does, and keeps it. Turning it on puts it back in
//! its place. A dialect with a field is not concerned: the field is set.
//!
//! How it works: before the file is changed, [`store`] stores what the edit changes, with the bytes before and after it.
//! [`on`] puts the bytes back if the files are as they were left; otherwise it merges the lines, or adds the definition
//! after the others of its list. All of this is written by [`super::apply`], so it is in the list of edits, and an undo
//! works in both directions.

mod at_end;
mod merge;
mod off;
mod on;
mod store;

use std::collections::BTreeSet;
use std::path::Path;

use hookwright_model::{Hook, Problem, TurnedOffHook};

use crate::data_files::locked_file::LockedFileError;
use crate::snapshot::{ReadScope, Snapshot};
use crate::workspace::Workspace;

pub(super) use off::new_hook;
pub use off::turn_off;
pub use on::turn_on;
pub(super) use store::{StoredHook, TurnedOffStore};

hookwright_model::messages! {
    /// No turned-off hook has this id.
    UNKNOWN = "turned_off_unknown" { "no hook with the id {id} is turned off", "没有 id 为 {id} 的已关闭 Hook" } hint { "run `hookwright list` to see the hooks that are turned off, with their ids", "执行 `hookwright list` 查看已关闭的 Hook 及其 id" };
    /// Several ids begin with the given text.
    AMBIGUOUS = "turned_off_unknown" / "ambiguous" { "{count} hooks that are turned off have an id that begins with {id}", "有 {count} 个已关闭 Hook 的 id 以 {id} 开头" } hint { "write the whole id; `hookwright list` shows it", "写完整的 id；`hookwright list` 会显示" };
    /// The hook's files are larger than what is kept.
    TOO_MUCH = "turned_off_too_large" { "{hook} cannot be turned off: its files have more than {mib} MiB", "无法关闭 {hook}：其文件超过 {mib} MiB" } hint { "run `hookwright mute {hook}` to leave it out of Hookwright's engine; nothing was changed", "执行 `hookwright mute {hook}`，让 Hookwright 的引擎跳过它；未作任何更改" };
    /// What turning a hook off did.
    KEPT = "turned_off_kept" { "the definition is kept; run `hookwright turn-on {id}` to restore it", "定义已保留；执行 `hookwright turn-on {id}` 可恢复到文件" };
    /// A file of the hook exists again, with another content.
    PLACE_TAKEN = "turned_off_place" { "{hook} cannot be restored: {path} exists again, with other content", "无法恢复 {hook}：{path} 又已存在，且内容不同" } hint { "move that file to another folder and try again; nothing was changed", "移走该文件后重试；未作任何更改" };
    /// A copy of a file is damaged.
    COPY_DAMAGED = "turned_off_damaged" { "the stored copy of {path} is damaged, so {hook} cannot be restored", "{path} 的副本已损坏，因此无法恢复 {hook}" } hint { "restore the file from your own backup; nothing was changed", "从自己的备份恢复该文件；未作任何更改" };
    /// The file was changed where the hook was.
    AT_END = "turned_off_at_end" { "{path} changed where the hook was, so it is now after the other hooks of its list", "{path} 在该 Hook 原来的位置已更改，因此它现在位于列表中其他 Hook 之后" };
    /// The comments of a definition could not be put back.
    WITHOUT_COMMENTS = "turned_off_at_end" / "comments" { "these comments of the hook could not be restored: {comments}", "该 Hook 的以下注释未能恢复：{comments}" };
    /// A stored hook cannot be read.
    UNREADABLE = "unreadable" / "turned_off" { "this hook that is turned off cannot be read, so it is not listed: {why}", "无法读取此已关闭的 Hook，因此未列出：{why}" } hint { "copy the definition in it into the hook file by hand", "手工将其中的定义复制到 Hook 文件中" };
}

/// The turned-off hooks of a project and of the user, and the Problems of those that cannot be read.
#[derive(Debug, Default)]
pub struct TurnedOffHooks {
    /// The hooks, in the order in which they were turned off.
    pub hooks: Vec<TurnedOffHook>,
    /// Stored hooks that cannot be read.
    pub problems: Vec<Problem>,
}

/// The hooks that are turned off: the user's, and those of the snapshot's project. `dialect` selects some of them.
#[must_use]
pub fn list(workspace: &Workspace, snapshot: &Snapshot, dialect: Option<&str>) -> TurnedOffHooks {
    let (all, unreadable) = TurnedOffStore::new(&workspace.env.data_dir).all();
    let back = ids_back_in_files(&all, snapshot);
    let is_shown = |hook: &&StoredHook| {
        let mine = match &hook.project {
            Some(project) => snapshot.scope != ReadScope::UserFiles && is_same_folder(project, &snapshot.project),
            None => true,
        };
        mine && dialect.is_none_or(|dialect| hook.dialect == dialect) && !back.contains(&hook.id)
    };
    TurnedOffHooks {
        hooks: all.iter().filter(is_shown).map(row).collect(),
        problems: unreadable.iter().map(unreadable_problem).collect(),
    }
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
fn ids_back_in_files(all: &[StoredHook], snapshot: &Snapshot) -> BTreeSet<String> {
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
fn is_equal(stored: &StoredHook, hook: &Hook) -> bool {
    hook.source.path == stored.path && hook.definition == stored.definition && stored.events.contains(&hook.event)
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn row(stored: &StoredHook) -> TurnedOffHook {
    TurnedOffHook {
        id: stored.id.clone(),
        at: stored.at,
        hook: stored.hook.clone(),
        dialect: stored.dialect.clone(),
        event: stored.events.first().cloned().unwrap_or_default(),
        serves: if stored.events.len() > 1 {
            stored.events.clone()
        } else {
            Vec::new()
        },
        label: stored.label.clone(),
        layer: stored.layer,
        project: stored.project.as_ref().map(|project| project.display().to_string()),
        path: stored.path.display().to_string(),
        line: stored.line,
        handler: stored.handler.clone(),
        runs: stored.runs.clone(),
        filter: stored.filter.clone(),
        definition: stored.definition.clone(),
        text: text_taken_out(stored),
        files: stored
            .files
            .iter()
            .map(|file| file.path.display().to_string())
            .collect(),
    }
}

/// The lines that were taken out of the file that defined the hook.
fn text_taken_out(stored: &StoredHook) -> String {
    let Some(file) = stored.own_file() else {
        return String::new();
    };
    let text = |content: &Option<store::KeptContent>| {
        let text = content.as_ref().and_then(|content| content.text()).unwrap_or_default();
        text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()
    };
    merge::lines_taken_out(&text(&file.before), &text(&file.after))
}

fn unreadable_problem(error: &LockedFileError) -> Problem {
    let message = hookwright_model::render!(UNREADABLE, "why" => error.to_string());
    Problem::new(message, error.path(), None)
}
