//! The documents of edits and their undo (`CONTRACTS.md` §2.7).

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::problem::Problem;
use crate::trace::Notice;

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// Added a new hook to a file.
    Add,
    /// Changed a hook.
    Edit,
    /// Removed a hook from its file.
    Remove,
    /// Saved the whole text of a hook file.
    Save,
    /// Undid another edit.
    Undo,
}

/// Where a hook is after it was turned off or on for the agent in a dialect that has no field for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum TurnedTo {
    /// On: in its file.
    On,
    /// Off: not in its file. Hookwright keeps its definition.
    Off,
}

/// How one file differs before and after an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FileDiff {
    /// The file, absolute.
    pub path: String,
    /// Whether the edit creates or removes the file; `null` if it exists before and after.
    pub change: Option<WholeFileChange>,
    /// The permissions, if they change; otherwise `null`.
    pub mode: Option<ModeChange>,
    /// Whether the content before or after is not UTF-8 text. There are no hunks then.
    pub binary: bool,
    /// The places that differ, each with up to three equal lines around it.
    pub hunks: Vec<DiffHunk>,
}

/// What an edit does with a file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum WholeFileChange {
    /// The file is new.
    Created,
    /// The file is removed.
    Removed,
}

/// The permissions of a file before and after an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ModeChange {
    /// The permissions before, octal: `0644`.
    pub from: String,
    /// The permissions after.
    pub to: String,
}

/// A place at which a file differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DiffHunk {
    /// The number of the first line before the edit, from 1.
    pub old_start: u32,
    /// The number of the first line after the edit, from 1.
    pub new_start: u32,
    /// The lines before the edit, each with its line break, if it has one.
    pub before: String,
    /// The lines after the edit.
    pub after: String,
}

/// What an edit changed, or would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct EditDoc {
    /// The hook's id after the edit; `null` if the hook is removed.
    pub hook: Option<String>,
    /// Every hook id that changes, from old to new.
    pub moved: BTreeMap<String, String>,
    /// The file that defines the hook.
    pub path: String,
    /// The unified diff of all files.
    pub diff: String,
    /// The same, file by file.
    #[serde(default)]
    pub changes: Vec<FileDiff>,
    /// Whether the files were written.
    pub written: bool,
    /// Problems of the hook after the edit.
    pub problems: Vec<Problem>,
    /// The edit's id, for `edit.undo`. It is `null` if nothing was written, or if the edit could not be stored.
    pub edit: Option<String>,
    /// The same value as `edit`.
    pub undo: Option<String>,
    /// The folder that now contains the removed files; `null` if there are none.
    pub trashed: Option<String>,
    /// The id with which the hook is turned on again, if this edit turned it off and wrote it; otherwise left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turned_off: Option<String>,
    /// Notices for the user about the edit itself; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Notice>>", optional)]
    pub notices: Vec<Notice>,
    /// What `connect` did with the agent's own trust; left out if the agent has none, and by other edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent_trust: Option<RelayTrust>,
}

/// The agent's own trust in the hooks of the relay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct RelayTrust {
    /// Whether the agent's file gets entries for them.
    pub written: bool,
    /// The keys, in the agent's file, of those that the user still has to review there.
    pub waiting: Vec<String>,
}

impl EditDoc {
    /// The document of an edit that is not written, with this diff and these changes. It is about no hook yet, and has no
    /// problems.
    #[must_use]
    pub fn unwritten(path: &Path, diff: String, changes: Vec<FileDiff>) -> Self {
        Self {
            hook: None,
            moved: BTreeMap::new(),
            path: path.display().to_string(),
            diff,
            changes,
            written: false,
            problems: Vec::new(),
            edit: None,
            undo: None,
            trashed: None,
            turned_off: None,
            notices: Vec::new(),
            agent_trust: None,
        }
    }
}

/// The document of `undo --json`: what an undo changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct UndoDoc {
    /// The undo's own id, because it is an edit and can be undone too. It is `null` in a dry run, and
    /// if it could not be stored.
    pub edit: Option<String>,
    /// The id of the edit that was undone.
    pub undone: String,
    /// What that edit did.
    pub what: EditKind,
    /// The hook of that edit.
    pub hook: Option<String>,
    /// The file that defines the hook.
    pub path: String,
    /// Every file that changed.
    pub files: Vec<String>,
    /// The unified diff of all files.
    pub diff: String,
    /// The same, file by file.
    #[serde(default)]
    pub changes: Vec<FileDiff>,
    /// The folder that now contains the removed files; `null` if there are none.
    pub trashed: Option<String>,
    /// Notices for the user about the undo; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Notice>>", optional)]
    pub notices: Vec<Notice>,
}

/// The document of `undo --list --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct EditsDoc {
    /// The stored edits, the latest first.
    pub edits: Vec<EditRow>,
    /// Stored edits that are damaged; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Problem>>", optional)]
    pub problems: Vec<Problem>,
}

/// A stored edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct EditRow {
    /// The edit's id.
    pub edit: String,
    /// When the edit was made, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// What the edit did.
    pub what: EditKind,
    /// Whether the edit turned the hook off (`what` is `remove`) or on (`add`); left out if it did neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turned: Option<TurnedTo>,
    /// Dialect id.
    pub dialect: String,
    /// The project in which the edit was made.
    pub project: String,
    /// Whether files of that project changed, and not only user files.
    pub in_project: bool,
    /// The hook's id: after the edit if it added the hook, otherwise before it.
    pub hook: Option<String>,
    /// The hook's name for the user; `null` if it was not recorded.
    pub label: Option<String>,
    /// The file that defines the hook.
    pub path: String,
    /// Every file that the edit changed.
    pub files: Vec<String>,
    /// The id of the edit that this one undid.
    pub undoes: Option<String>,
    /// The id of the edit that undid this one.
    pub undone_by: Option<String>,
}
