//! The requests of the commands that change user files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

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
}
