//! The requests and replies about recorded traces and metrics.

use std::collections::BTreeMap;

use hookwright_model::trace::{NearMiss, TraceRow};
use hookwright_model::{Outcome, VerdictKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use ts_rs::TS;

use super::EditStep;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
pub(crate) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

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
}

dto! {
    /// The request of `stats`.
    struct StatsRequest {
        /// The project directory. Only its hooks and the user's hooks are counted; absent for all projects.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
    }
    /// The document of `stats --json`.
    struct StatsDoc {
        /// The start of the counted time, RFC 3339.
        since: String,
        /// One row per project, hook and definition.
        hooks: Vec<StatsRow>,
        /// One row per tool and project, for dialects whose agent counts tool calls.
        tools: Vec<ToolRow>,
        /// The number of recorded events that are not in this reply yet; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// Counters of the calls of one tool.
    struct ToolRow {
        /// The tool's name, as in the payloads.
        tool: String,
        /// Dialect id.
        dialect: String,
        /// The project directory; `null` for calls outside of any project.
        project: Option<String>,
        /// The dialect's own counters, by name.
        #[ts(type = "Record<string, number>")]
        native: BTreeMap<String, Number>,
    }
    /// The metrics of one definition of a hook.
    struct StatsRow {
        /// Hook id.
        hook: String,
        /// The project directory; `null` for user files.
        project: Option<String>,
        /// The hook's name for the user.
        label: String,
        /// Identifies the version of the definition, as in `list` and in traces. It is empty if the version is not
        /// known.
        version: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// How many times the hook ran.
        runs: u32,
        /// How often each outcome occurred. Outcomes that did not occur are absent.
        outcomes: BTreeMap<Outcome, u32>,
        /// The number of attempts, without those that were cancelled.
        attempts: u32,
        /// The time of all attempts together, in milliseconds.
        total_ms: f64,
        /// The median run time, in milliseconds.
        p50_ms: f64,
        /// The 95th percentile of the run times, in milliseconds.
        p95_ms: f64,
        /// The 99th percentile of the run times, in milliseconds.
        p99_ms: f64,
        /// The longest run time, in milliseconds.
        max_ms: f64,
        /// The number of attempts that were ended by their time limit.
        timeouts: u32,
        /// The number of characters that its edits and additions added.
        #[ts(type = "number")]
        chars_added: u64,
        /// The dialect's own counters, by name.
        #[ts(type = "Record<string, number>")]
        native: BTreeMap<String, Number>,
        /// The last 16 hours, oldest first.
        bars: Vec<Bar>,
    }
    /// The outcomes in one span of time.
    struct Bar {
        /// The start of the span, RFC 3339.
        at: String,
        /// How often each outcome occurred.
        outcomes: BTreeMap<Outcome, u32>,
    }
    /// The request of `history.page`.
    #[derive(Default)]
    struct HistoryRequest {
        /// The project directory; absent for all projects.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// The largest number of rows, from 1 to 10,000. Other values are moved into this range.
        limit: u32,
        /// The `next` of the previous page; absent for the first page.
        #[serde(default)] #[ts(optional)]
        after: Option<String>,
        /// Only traces of this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
        /// Only traces of this event.
        #[serde(default)] #[ts(optional)]
        event: Option<String>,
        /// Only traces with a step of this outcome.
        #[serde(default)] #[ts(optional)]
        outcome: Option<Outcome>,
        /// Only traces with this verdict.
        #[serde(default)] #[ts(optional)]
        verdict: Option<VerdictKind>,
        /// Only traces with a step of this hook.
        #[serde(default)] #[ts(optional)]
        hook: Option<String>,
        /// Only traces from this time on, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        since: Option<Timestamp>,
        /// Only traces before this time, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        until: Option<Timestamp>,
    }
    /// The document of `history --json`.
    struct HistoryDoc {
        /// The rows, newest first.
        traces: Vec<TraceRow>,
        /// The cursor of the next page; `null` on the last page.
        next: Option<String>,
        /// The number of recorded events that are not in this reply yet; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
        /// A search by text finds every event that was recorded until this time, RFC 3339; left out if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        searchable_until: Option<String>,
    }
    /// The request of `history.show` and `announce`.
    struct TraceRequest {
        /// The trace id.
        trace: String,
    }
    /// The request of `history.bars`.
    struct BarsRequest {
        /// The project directory; absent for all projects.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
        /// The number of bars, from 1 to 1,000. Other values are moved into this range.
        buckets: u32,
    }
    /// The reply of `history.bars`: outcomes over time.
    struct BarsDoc {
        /// The bars, oldest first.
        buckets: Vec<Bar>,
        /// The number of recorded events that are not in this reply yet; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
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
    }
    /// A text of a hook file that is not saved.
    struct UnsavedText {
        /// The absolute path of the file.
        path: String,
        /// The whole text.
        text: String,
    }
    /// A trace that a filter nearly matches.
    struct NearTrace {
        /// The id of the trace.
        trace: String,
        /// The small change that is enough to make the filter match.
        near_miss: NearMiss,
    }
}
