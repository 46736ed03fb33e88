//! Requests and replies of the commands that change people's files.

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
    /// Gives a field a value; dots lead into mappings.
    Set {
        /// The field.
        field: String,
        /// The value.
        #[ts(type = "unknown")]
        value: Value,
    },
    /// Takes a field out.
    Unset {
        /// The field.
        field: String,
    },
    /// Switches the hook on in its file.
    Enable,
    /// Switches the hook off in its file.
    Disable,
    /// Gives the hook another place in its list.
    MoveTo {
        /// From 1.
        place: u32,
    },
    /// Moves the hook to another file.
    ToLayer {
        /// `user`, `project`, `local` or `skill`.
        layer: String,
    },
    /// Puts a copy behind it; the other steps are the copy's.
    Duplicate,
}

dto! {
    /// `edit.add`
    struct AddHookRequest {
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Its event.
        event: String,
        /// `user`, `project`, `local` or `skill`.
        layer: String,
        /// Its fields, in the dialect's own names.
        #[ts(type = "Record<string, unknown>")]
        definition: Map<String, Value>,
        /// Nothing is written; the answer says what would be.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// `edit.change`
    struct EditHookRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// The hook's `version` as it was shown; another one by now is left alone.
        #[serde(default)] #[ts(optional)]
        version: Option<String>,
        /// What changes, done together.
        steps: Vec<EditStep>,
        /// Nothing is written; the answer says what would be, and what would be wrong.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// `edit.remove`
    struct RemoveHookRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// The hook's `version` as it was shown; another one by now is left alone.
        #[serde(default)] #[ts(optional)]
        version: Option<String>,
        /// Nothing is written; the answer says what would be.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// `edit.undo`
    struct UndoRequest {
        /// The project.
        project: String,
        /// The edit, as its answer named it.
        undo: String,
    }
    /// What an edit did or would do.
    struct EditDoc {
        /// The hook's id afterwards; `null` when it is gone.
        hook: Option<String>,
        /// Every id that changed, from old to new.
        moved: BTreeMap<String, String>,
        /// The file that defines the hook.
        path: String,
        /// Every change of every file, unified.
        diff: String,
        /// Whether it was written.
        written: bool,
        /// What is wrong or noteworthy with the hook afterwards.
        problems: Vec<Problem>,
        /// The edit's id, for `undo`; `null` when nothing was written, or it could not be kept.
        edit: Option<String>,
        /// The same.
        undo: Option<String>,
        /// The folder in which the files are that were taken away; `null` when there are none.
        trashed: Option<String>,
        /// What a person should know of the edit itself; left out when there is nothing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Notice>>", optional)]
        notices: Vec<Notice>,
    }
    /// What `undo` did.
    struct UndoDoc {
        /// Its own id: it is an edit itself, and can be undone; `null` when it could not be kept.
        edit: Option<String>,
        /// The edit that was taken back.
        undone: String,
        /// What that one had done.
        what: EditKind,
        /// The hook that it was about.
        hook: Option<String>,
        /// The file that defines the hook.
        path: String,
        /// Every file that changed.
        files: Vec<String>,
        /// Every change of every file, unified.
        diff: String,
        /// The folder in which the files are that were taken away; `null` when there are none.
        trashed: Option<String>,
        /// What a person should know of it; left out when there is nothing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Notice>>", optional)]
        notices: Vec<Notice>,
    }
    /// `undo --list`
    struct EditsDoc {
        /// The kept edits, the latest first.
        edits: Vec<EditRow>,
        /// Files of kept edits that are damaged; left out when there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Problem>>", optional)]
        problems: Vec<Problem>,
    }
    /// An edit that is kept.
    struct EditRow {
        /// Its id.
        edit: String,
        /// When.
        #[schemars(with = "String")] #[ts(type = "string")]
        at: Timestamp,
        /// What it did.
        what: EditKind,
        /// Dialect id.
        dialect: String,
        /// The project that it was made from.
        project: String,
        /// The hook's id: of a new one afterwards, else before.
        hook: Option<String>,
        /// The file that defines the hook.
        path: String,
        /// Every file that it changed.
        files: Vec<String>,
        /// The edit that it took back.
        undoes: Option<String>,
        /// The edit that took it back.
        undone_by: Option<String>,
    }
}
