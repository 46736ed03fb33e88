//! The requests and replies about recorded traces and metrics.

use std::collections::BTreeMap;

use hookwright_model::trace::TraceRow;
use hookwright_model::{Outcome, VerdictKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use ts_rs::TS;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
pub(crate) const fn is_zero(count: &u32) -> bool {
    *count == 0
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
}
