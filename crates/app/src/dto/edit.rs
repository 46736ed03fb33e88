//! The requests and replies of the commands that change user files.

use std::collections::BTreeMap;

use hookwright_model::Notice;
use hookwright_model::problem::Problem;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::edit::EditKind;

/// One change of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum EditStep {
    /// Gives a field a value. Dots in the name separate nested fields.
    Set {
        /// The field's name in the definition.
        field: String,
        /// The new value, as JSON.
        #[ts(type = "unknown")]
        value: Value,
    },
    /// Removes a field.
    Unset {
        /// The field's name in the definition.
        field: String,
    },
    /// Enables the hook in its file.
    Enable,
    /// Disables the hook in its file.
    Disable,
    /// Moves the hook to another position in its list.
    MoveTo {
        /// The new position, from 1.
        place: u32,
    },
    /// Moves the hook to the file of another layer.
    ToLayer {
        /// `user`, `project`, `local` or `skill`.
        layer: String,
    },
    /// Adds a copy directly after the hook. The other steps of the request apply to the copy.
    Duplicate,
}

dto! {
    /// The request of `edit.add`.
    struct AddHookRequest {
        /// The project directory.
        project: String,
        /// Dialect id.
        dialect: String,
        /// The event of the new hook.
        event: String,
        /// Where the hook is added: `user`, `project`, `local` or `skill`.
        layer: String,
        /// The fields of the definition, with the dialect's names.
        #[ts(type = "Record<string, unknown>")]
        definition: Map<String, Value>,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `edit.change`.
    struct EditHookRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// The hook's `version` as it was shown. If the hook has another one now, it is not changed.
        #[serde(default)] #[ts(optional)]
        version: Option<String>,
        /// The changes. They are applied together.
        steps: Vec<EditStep>,
        /// If true, nothing is written. The reply shows what would change, and the problems that it would cause.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `edit.remove`.
    struct RemoveHookRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// The hook's `version` as it was shown. If the hook has another one now, it is not removed.
        #[serde(default)] #[ts(optional)]
        version: Option<String>,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `edit.undo`.
    struct UndoRequest {
        /// The project directory.
        project: String,
        /// The edit to undo: the `undo` of its reply.
        undo: String,
    }
    /// What an edit changed, or would change.
    struct EditDoc {
        /// The hook's id after the edit; `null` if the hook is removed.
        hook: Option<String>,
        /// Every hook id that changes, from old to new.
        moved: BTreeMap<String, String>,
        /// The file that defines the hook.
        path: String,
        /// The unified diff of all files.
        diff: String,
        /// Whether the files were written.
        written: bool,
        /// Problems of the hook after the edit.
        problems: Vec<Problem>,
        /// The edit's id, for `edit.undo`. It is `null` if nothing was written, or if the edit could not be stored.
        edit: Option<String>,
        /// The same value as `edit`.
        undo: Option<String>,
        /// The folder that now contains the removed files; `null` if there are none.
        trashed: Option<String>,
        /// Notices for the user about the edit itself; left out if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Notice>>", optional)]
        notices: Vec<Notice>,
    }
    /// The document of `undo --json`: what an undo changed.
    struct UndoDoc {
        /// The undo's own id, because it is an edit and can be undone too. It is `null` if it could not be stored.
        edit: Option<String>,
        /// The id of the edit that was undone.
        undone: String,
        /// What that edit did.
        what: EditKind,
        /// The hook of that edit.
        hook: Option<String>,
        /// The file that defines the hook.
        path: String,
        /// Every file that changed.
        files: Vec<String>,
        /// The unified diff of all files.
        diff: String,
        /// The folder that now contains the removed files; `null` if there are none.
        trashed: Option<String>,
        /// Notices for the user about the undo; left out if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Notice>>", optional)]
        notices: Vec<Notice>,
    }
    /// The document of `undo --list --json`.
    struct EditsDoc {
        /// The stored edits, the latest first.
        edits: Vec<EditRow>,
        /// Stored edits that are damaged; left out if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Problem>>", optional)]
        problems: Vec<Problem>,
    }
    /// A stored edit.
    struct EditRow {
        /// The edit's id.
        edit: String,
        /// When the edit was made, RFC 3339.
        #[schemars(with = "String")] #[ts(type = "string")]
        at: Timestamp,
        /// What the edit did.
        what: EditKind,
        /// Dialect id.
        dialect: String,
        /// The project in which the edit was made.
        project: String,
        /// The hook's id: after the edit if it added the hook, otherwise before it.
        hook: Option<String>,
        /// The file that defines the hook.
        path: String,
        /// Every file that the edit changed.
        files: Vec<String>,
        /// The id of the edit that this one undid.
        undoes: Option<String>,
        /// The id of the edit that undid this one.
        undone_by: Option<String>,
    }
}
