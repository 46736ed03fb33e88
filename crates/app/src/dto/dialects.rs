//! What a dialect's tables say of it.

use hookwright_model::{Bilingual, VerdictKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::lifecycle::MapInfo;

/// What an output does to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputEffect {
    /// It replaces something of the payload.
    Replaces,
    /// It adds something beside it.
    Adds,
    /// It tells the person something.
    Tells,
    /// It is written down, nothing else.
    Records,
    /// It decides, or goes with a decision.
    Steers,
}

dto! {
    /// `dialects`
    struct DialectsDoc {
        /// All of them.
        dialects: Vec<DialectInfo>,
    }
    /// A dialect's tables, for labels, completion and legality.
    struct DialectInfo {
        /// Id.
        id: String,
        /// The agent's name.
        name: String,
        /// Two letters.
        tag: String,
        /// What kind of hooks these are.
        about: Bilingual<String>,
        /// The event that people try first.
        first: String,
        /// Names of the payload fields that every event has.
        common: Vec<String>,
        /// The payload field that names the tool an event is about.
        tool_field: String,
        /// The field that switches a hook on and off in its file; `null` where there is none.
        switch: Option<String>,
        /// Where hooks can be put: `user`, `project`, `local`, `skill`; empty where no file is changed.
        shelves: Vec<String>,
        /// Events in the order of an agent's life.
        events: Vec<EventInfo>,
        /// The picture of the agent's life.
        map: MapInfo,
    }
    /// A row of a dialect's event table.
    struct EventInfo {
        /// Event.
        name: String,
        /// Part of the agent's life.
        group: Bilingual<String>,
        /// What the moment is.
        about: Bilingual<String>,
        /// Everything hooks return is ignored.
        notify_only: bool,
        /// Payload fields, common ones first.
        fields: Vec<FieldInfo>,
        /// Outputs.
        accepts: Vec<OutputInfo>,
        /// Verdicts.
        verdicts: Vec<VerdictKind>,
        /// In which order its hooks run.
        order: Bilingual<String>,
        /// Time for the whole chain, in milliseconds; `null` where there is no limit.
        #[ts(type = "number | null")]
        budget_ms: Option<u64>,
    }
    /// A field of a payload.
    struct FieldInfo {
        /// Its name.
        name: String,
        /// Its shape.
        kind: String,
        /// What it means.
        about: Bilingual<String>,
    }
    /// A field that an event accepts in a hook's answer.
    struct OutputInfo {
        /// Its name.
        name: String,
        /// Its shape.
        kind: String,
        /// What it does.
        does: OutputEffect,
        /// What it means.
        about: Bilingual<String>,
    }
}
