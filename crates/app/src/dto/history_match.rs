//! Recorded events compared with the filter of a hook.

use hookwright_model::Outcome;
use hookwright_model::trace::{Gate, NearMiss};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::EditStep;

/// The reply of `history.match`: how many recorded events a filter would match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HistoryMatchDoc {
    /// How many recorded events were compared.
    pub looked_at: u32,
    /// How many of them match.
    pub matches: u32,
    /// The ids of up to 5 traces that match, newest first.
    pub matched: Vec<String>,
    /// Up to 5 traces that nearly match, newest first.
    pub near: Vec<NearTrace>,
    /// How many recorded events could not be compared, because they have no payload or it was removed.
    pub without_payload: u32,
    /// Whether older events were not compared, because it took too long.
    pub incomplete: bool,
    /// The result for each of the last events, newest first; left out if it was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<MatchedEvent>>", optional)]
    pub cells: Vec<MatchedEvent>,
    /// The values that nearly match, most frequent first, at most 5; left out if `cells` were not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<NearValue>>", optional)]
    pub near_values: Vec<NearValue>,
    /// The short texts that the compared fields have in these events, most frequent first, at most 12; left out if
    /// `cells` were not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<SeenValue>>", optional)]
    pub values: Vec<SeenValue>,
    /// What the hook did at each of the last events, newest first. It is also listed for events that could not be
    /// compared. Left out if it was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<HookEvent>>", optional)]
    pub events: Vec<HookEvent>,
    /// The reasons for which the hook did not run at `events`, in the order in which they are first named there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Gate>>", optional)]
    pub reasons: Vec<Gate>,
}

dto! {
    /// The request of `history.match`. It names a hook, or has the definition of a new one.
    struct HistoryMatchRequest {
        /// The project directory; absent or `null` for the events of all projects and the user's own hooks.
        #[serde(default)] #[ts(optional = nullable)]
        project: Option<String>,
        /// Dialect id.
        dialect: String,
        /// The event whose recorded events are compared.
        event: String,
        /// Hook id.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
        /// Changes of that hook, as for `edit.change`. They are not written.
        #[serde(default)] #[ts(as = "Option<Vec<EditStep>>", optional)]
        steps: Vec<EditStep>,
        /// An unsaved text that defines that hook.
        #[serde(default)] #[ts(optional = nullable)]
        unsaved: Option<UnsavedText>,
        /// The fields of a new definition, with the dialect's names. It is used only without `hook`.
        #[serde(default)] #[ts(optional = nullable, type = "Record<string, unknown>")]
        definition: Option<Map<String, Value>>,
        /// At most this many events, from 1 to 1000; 200 if absent.
        #[serde(default)] #[ts(optional)]
        last: Option<u32>,
        /// Whether the reply says of each event what `hook` did at it.
        #[serde(default)] #[ts(optional)]
        events: Option<bool>,
        /// Whether the reply has a result for each event, and the values that occur.
        #[serde(default)] #[ts(optional)]
        cells: Option<bool>,
        /// Keys of conditions that are left out of the comparison, because they never match at this event.
        #[serde(default)] #[ts(as = "Option<Vec<String>>", optional)]
        without: Vec<String>,
    }
    /// The result of a filter for one recorded event.
    struct MatchedEvent {
        /// The id of the trace.
        trace: String,
        /// When the event was accepted, RFC 3339.
        #[schemars(with = "String")] #[ts(type = "string")]
        at: Timestamp,
        /// Whether the filter matches; `null` if the event has no payload any more.
        matches: Option<bool>,
        /// The small change that would make it match; `null` if there is none.
        near_miss: Option<NearMiss>,
        /// The tool of the event; `null` if it has none.
        tool: Option<String>,
    }
    /// A value that nearly matches a condition.
    struct NearValue {
        /// The condition.
        key: String,
        /// The value of the event.
        got: String,
        /// The difference.
        near_miss: NearMiss,
        /// In how many events.
        count: u32,
    }
    /// A short text that a compared field has in recorded events.
    struct SeenValue {
        /// The payload field.
        field: String,
        /// The text.
        value: String,
        /// In how many events.
        count: u32,
    }
    /// A text of a hook file that is not saved.
    struct UnsavedText {
        /// The absolute path of the file.
        path: String,
        /// The whole text.
        text: String,
    }
    /// What a hook did at a recorded event.
    struct HookEvent {
        /// The id of the trace.
        trace: String,
        /// When the event was accepted, RFC 3339.
        #[schemars(with = "String")] #[ts(type = "string")]
        at: Timestamp,
        /// The outcome of the hook's step; `null` if the hook did not exist then.
        outcome: Option<Outcome>,
        /// Why the hook did not run: the position of the failed gate in `reasons`, from 0; `null` if it passed all gates
        /// or did not exist.
        reason: Option<u32>,
    }
    /// A trace that a filter nearly matches.
    struct NearTrace {
        /// The id of the trace.
        trace: String,
        /// The small change that is enough to make the filter match.
        near_miss: NearMiss,
    }
}
