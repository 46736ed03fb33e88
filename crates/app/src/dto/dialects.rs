//! The tables of the dialects, as documents.

use std::collections::BTreeMap;

use hookwright_model::{Bilingual, Lifetime, VerdictKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lifecycle::MapInfo;

/// The effect of an output on the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputEffect {
    /// The output replaces a part of the payload.
    Replaces,
    /// The output adds a value in addition to the payload.
    Adds,
    /// The output is a message for the user.
    Tells,
    /// The output is only recorded.
    Records,
    /// The output is a decision, or a part of one.
    Steers,
}

dto! {
    /// The reply of `dialects`.
    struct DialectsDoc {
        /// All dialects that Hookwright knows.
        dialects: Vec<DialectInfo>,
    }
    /// The tables of one dialect, for labels, completion and checks.
    struct DialectInfo {
        /// The dialect id: `jcli`, `qoder`, …
        id: String,
        /// The agent's name for the user.
        name: String,
        /// Two letters for narrow columns.
        tag: String,
        /// A short description of the dialect's hooks.
        about: Bilingual<String>,
        /// The event that is suggested for a first try.
        first: String,
        /// Names of the payload fields that every event has.
        common: Vec<String>,
        /// The payload field that contains the name of the tool.
        tool_field: String,
        /// The field that enables or disables a hook in its file; `null` if the dialect has none.
        switch: Option<String>,
        /// Where hooks can be added: `user`, `project`, `local`, `skill`. It is empty if Hookwright does not edit these
        /// files.
        shelves: Vec<String>,
        /// The conditions that a definition can contain, in the order in which they are shown.
        filters: Vec<FilterInfo>,
        /// The field of a definition that contains the template of a prompt; `null` if hooks cannot ask a model.
        prompt_field: Option<String>,
        /// Whether `hookwright connect` can connect its agents.
        connects: bool,
        /// The events, in the order of the lifecycle.
        events: Vec<EventInfo>,
        /// The lifecycle map.
        map: MapInfo,
    }
    /// One condition that a definition can contain.
    struct FilterInfo {
        /// The name of the condition.
        key: String,
        /// The field of the definition that contains it, as an edit names it.
        field: String,
        /// How the value is written and compared: `equals`, `names` (with `|` between them), `list` (an array), `prefix`,
        /// or a regular expression for the `whole` text, a part of it (`search`), or a part of any text `within`.
        test: String,
        /// What the condition does at an event without the compared field: `never_matches` or `ignored`.
        without_subject: String,
        /// Whether the events themselves are named, and no payload field is compared.
        names_events: bool,
        /// The condition that has priority over this one; `null` if there is none.
        overruled_by: Option<String>,
        /// The values that are possible; empty if any text is.
        choices: Vec<String>,
        /// What the condition means.
        about: Bilingual<String>,
    }
    /// One row of a dialect's event table.
    struct EventInfo {
        /// The event in the dialect's spelling.
        name: String,
        /// The part of the lifecycle that the event belongs to.
        group: Bilingual<String>,
        /// When the event fires.
        about: Bilingual<String>,
        /// Whether everything that hooks return is ignored.
        notify_only: bool,
        /// The payload field that each condition of `filters` is compared with, by key. Conditions without such a field
        /// here are missing.
        #[ts(type = "Record<string, string>")]
        compares: BTreeMap<String, String>,
        /// The payload fields, common ones first.
        fields: Vec<FieldInfo>,
        /// The outputs that the event accepts.
        accepts: Vec<OutputInfo>,
        /// The verdicts that the event accepts.
        verdicts: Vec<VerdictKind>,
        /// The rule for the order in which its hooks run.
        order: Bilingual<String>,
        /// The time limit of the whole chain, in milliseconds; `null` if there is none.
        #[ts(type = "number | null")]
        budget_ms: Option<u64>,
        /// How long texts stay in the message list that hooks insert at this event; `null` if there is no rule for that.
        lifetime: Option<Lifetime>,
    }
    /// A field of a payload.
    struct FieldInfo {
        /// The field's name in the payload.
        name: String,
        /// The type of its value: `text`, `messages`, `object`, `list`, `flag`, `number` or `any`.
        kind: String,
        /// What the field means.
        about: Bilingual<String>,
    }
    /// A field that an event accepts in a hook's output.
    struct OutputInfo {
        /// The field's name in the hook's output.
        name: String,
        /// The type of its value: `text`, `messages`, `object`, `list`, `flag`, `number` or `any`.
        kind: String,
        /// The effect of the output.
        does: OutputEffect,
        /// One line of help for authors of hooks.
        about: Bilingual<String>,
    }
}
