//! The requests of the commands that change user files.

use hookwright_model::problem::Problem;
use hookwright_model::{EditRow, FileFix, HookRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::{SampleFile, Sentence};

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
        /// Files that come along, with paths in the project. Nothing is overwritten. In layer `user` they are written next
        /// to the user's file, and the definition names them there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(optional, as = "Option<Vec<SampleFile>>")]
        files: Vec<SampleFile>,
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
    /// The request of `hook.turn_off`.
    struct TurnOffRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// The hook's `version` as it was shown. If the hook has another one now, it is not turned off.
        #[serde(default)] #[ts(optional)]
        version: Option<String>,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `hook.turn_on`.
    struct TurnOnRequest {
        /// The project directory.
        project: String,
        /// The `id` of a turned-off hook, or the id of a hook whose dialect has a field for it.
        id: String,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `agents.connect`.
    struct AgentConnectRequest {
        /// The project directory.
        project: String,
        /// The dialect of the agent; `dialects` says which ones can be connected by their files.
        dialect: String,
        /// If true, the relay is also put around each command of the agent's own hooks.
        #[serde(default)] #[ts(optional)]
        wrap: Option<bool>,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `gone.accept`.
    struct GoneRequest {
        /// The project directory; left out for the user's own hooks.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// The `uid` of the guard that is gone, as `overview` says it.
        uid: String,
    }
    /// The request of `gone.restore`.
    struct RestoreGoneRequest {
        /// The project directory; left out for the user's own hooks.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// The `uid` of the guard that is gone, as `overview` says it.
        uid: String,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `edit.fix`.
    struct FixRequest {
        /// The project directory.
        project: String,
        /// The id of the hook that the problem is about.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
        /// One of the `fixes` of a problem.
        fix: FileFix,
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
        /// If true, nothing is written. The reply shows what the undo would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `edit.list`.
    struct EditListRequest {
        /// Only edits of this project's files and of user files; absent or `null` for all edits.
        #[serde(default)] #[ts(optional = nullable)]
        project: Option<String>,
        /// The `next` of the page before; absent or `null` for the first page.
        #[serde(default)] #[ts(optional = nullable)]
        after: Option<String>,
        /// At most this many edits, from 1 to 200; 50 if absent.
        #[serde(default)] #[ts(optional)]
        limit: Option<u32>,
    }
    /// The reply of `edit.list`.
    struct EditListDoc {
        /// The stored edits, the latest first.
        edits: Vec<StoredEditRow>,
        /// Where the next page begins; `null` on the last page.
        next: Option<String>,
        /// Stored edits that are damaged.
        problems: Vec<Problem>,
    }
    /// A stored edit, and whether it can be undone now.
    struct StoredEditRow {
        /// The edit.
        #[serde(flatten)]
        edit: EditRow,
        /// Whether the edit is undone, and not redone since.
        undone: bool,
        /// Whether `edit.undo` with this id would be accepted now.
        can_undo: bool,
        /// Why the edit cannot be undone now; `null` if it can.
        why: Option<Sentence>,
    }
    /// The lines of one hook in the text of its file.
    struct HookLines {
        /// Hook id.
        hook: String,
        /// The first line of the definition, from 1.
        line: u32,
        /// The last line of the definition.
        end_line: u32,
        /// Where the value of each field begins.
        fields: Vec<FieldPlace>,
    }
    /// Where the value of a field begins.
    struct FieldPlace {
        /// The field's dotted name.
        field: String,
        /// Line from 1.
        line: u32,
        /// Column from 1, in Unicode characters.
        column: u32,
    }
    /// The request of `edit.fields`.
    struct ChangeTextRequest {
        /// The project directory.
        project: String,
        /// The absolute path of a hook file: one that a source of `hooks.list` is read from, or a new one there.
        path: String,
        /// Dialect id. It is needed only if several dialects read the file.
        #[serde(default)] #[ts(optional = nullable)]
        dialect: Option<String>,
        /// The whole text, which need not be saved.
        text: String,
        /// The hook, by its id in this text.
        hook: String,
        /// The changes. They are applied together.
        steps: Vec<EditStep>,
    }
    /// The reply of `edit.fields`: the text with the changes. Nothing was written.
    struct ChangeTextDoc {
        /// The whole new text.
        text: String,
        /// The hook's id in the new text; `null` if it is not in the text any longer.
        hook: Option<String>,
    }
    /// The request of `edit.check`.
    struct CheckTextRequest {
        /// The project directory.
        project: String,
        /// The absolute path of a hook file: one that a source of `hooks.list` is read from, or a new one there. Or a
        /// path of `hooks.files`.
        path: String,
        /// Dialect id. It is needed only if several dialects read the file.
        #[serde(default)] #[ts(optional = nullable)]
        dialect: Option<String>,
        /// The hook that the file belongs to. It is needed for a script that its command names.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
        /// The whole text.
        text: String,
        /// The `hash` of the `hooks.text` that the editor began with; absent or `null` for a new file.
        #[serde(default)] #[ts(optional = nullable)]
        base: Option<String>,
    }
    /// The reply of `edit.check`: what the text would mean if it were saved.
    struct CheckTextDoc {
        /// The absolute path of the file.
        path: String,
        /// Dialect id.
        dialect: String,
        /// Whether the text parses as a whole. If not, there are no hooks.
        parses: bool,
        /// The problems of the text.
        problems: Vec<Problem>,
        /// The hooks that the text would define, as in `hooks.list`.
        hooks: Vec<HookRow>,
        /// The lines of each of these hooks.
        lines: Vec<HookLines>,
        /// Whether the file on disk still is the one that the editor began with.
        same_base: bool,
        /// The hash of the file on disk, hexadecimal BLAKE3; `null` if it does not exist.
        hash: Option<String>,
    }
    /// The request of `edit.save`.
    struct SaveTextRequest {
        /// The project directory.
        project: String,
        /// The absolute path of a hook file: one that a source of `hooks.list` is read from, or a new one there. Or a
        /// path of `hooks.files`.
        path: String,
        /// Dialect id. It is needed only if several dialects read the file.
        #[serde(default)] #[ts(optional = nullable)]
        dialect: Option<String>,
        /// The `hash` of the `hooks.text` that the editor began with; absent or `null` for a new file. If the file has
        /// another hash now, nothing is written.
        #[serde(default)] #[ts(optional = nullable)]
        base: Option<String>,
        /// The whole text. It is written exactly as it is; a byte-order mark of the file stays.
        text: String,
        /// The hook that the user edited; needed for a script that its command names. The `hook` of the reply is its id
        /// after the edit.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
        /// If true, nothing is written. The reply shows what would change, and the problems that it would cause.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
}
