//! Hooks that are turned off for the agent although their dialect has no field for it.
//!
//! Turning a hook off removes its definition from its file, as `remove` does, and keeps it. Turning it on puts it back in
//! its place. A dialect with a field is not concerned: the field is set.
//!
//! How it works: before the file is changed, [`super::turned_off_store`] stores what the edit changes, with the bytes
//! before and after it. [`on`] puts the bytes back if the files are as they were left; otherwise it merges the lines, or
//! adds the definition after the others of its list. All of this is written by [`super::apply`], so it is in the list of
//! edits, and an undo works in both directions.

mod at_end;
mod merge;
mod off;
mod on;

use std::path::Path;

use hookwright_model::{Problem, TurnedOffHook};

use super::turned_off_store::{KeptContent, StoredHook, TurnedOffStore, ids_back_in_files};
use crate::data_files::locked_file::LockedFileError;
use crate::snapshot::{ReadScope, Snapshot};
use crate::workspace::Workspace;

pub use off::turn_off;
pub use on::turn_on;

hookwright_model::messages! {
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
        // The list of all hooks knows the groups.
        group: String::new(),
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
    let text = |content: &Option<KeptContent>| {
        let text = content.as_ref().and_then(|content| content.text()).unwrap_or_default();
        text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()
    };
    merge::lines_taken_out(&text(&file.before), &text(&file.after))
}

fn unreadable_problem(error: &LockedFileError) -> Problem {
    let message = hookwright_model::render!(UNREADABLE, "why" => error.to_string());
    Problem::new(message, error.path(), None)
}
