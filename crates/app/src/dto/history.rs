//! What was recorded, and what was counted.

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
    /// `stats`
    struct StatsRequest {
        /// Only this project's and the person's hooks.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
    }
    /// `stats --json`
    struct StatsDoc {
        /// From when, RFC 3339.
        since: String,
        /// One row a project, hook and definition.
        hooks: Vec<StatsRow>,
        /// One row a tool and project, of dialects whose agent counts the calls of tools.
        tools: Vec<ToolRow>,
        /// Recorded events that are not in this answer yet; left out when there are none.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// Counters of one tool's calls.
    struct ToolRow {
        /// The tool.
        tool: String,
        /// Dialect id.
        dialect: String,
        /// `null` for calls outside of any project.
        project: Option<String>,
        /// The dialect's own counters.
        #[ts(type = "Record<string, number>")]
        native: BTreeMap<String, Number>,
    }
    /// Metrics of one hook's definition.
    struct StatsRow {
        /// Hook id.
        hook: String,
        /// `null` for the person's own files.
        project: Option<String>,
        /// What people call it.
        label: String,
        /// Tells the definition from an earlier or later one, as in `list` and in traces; empty where it is not known.
        version: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Times it ran.
        runs: u32,
        /// How often each outcome was seen.
        outcomes: BTreeMap<Outcome, u32>,
        /// Attempts.
        attempts: u32,
        /// Sum of run times.
        total_ms: f64,
        /// Median run time.
        p50_ms: f64,
        /// 95th percentile.
        p95_ms: f64,
        /// 99th percentile.
        p99_ms: f64,
        /// Slowest.
        max_ms: f64,
        /// Runs that were cut by their limit.
        timeouts: u32,
        /// Characters its edits and additions added.
        #[ts(type = "number")]
        chars_added: u64,
        /// The dialect's own counters.
        #[ts(type = "Record<string, number>")]
        native: BTreeMap<String, Number>,
        /// The last 16 hours, oldest first.
        bars: Vec<Bar>,
    }
    /// What happened in one span of time.
    struct Bar {
        /// Its begin, RFC 3339.
        at: String,
        /// How often each outcome was seen.
        outcomes: BTreeMap<Outcome, u32>,
    }
    /// `history.page`
    #[derive(Default)]
    struct HistoryRequest {
        /// Only of this project.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// At most this many.
        limit: u32,
        /// The `next` of the page before.
        #[serde(default)] #[ts(optional)]
        after: Option<String>,
        /// Only this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
        /// Only this event.
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
        /// Not before, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        since: Option<Timestamp>,
        /// Before, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        until: Option<Timestamp>,
    }
    /// `history --json`
    struct HistoryDoc {
        /// Newest first.
        traces: Vec<TraceRow>,
        /// For the next page; `null` at the end.
        next: Option<String>,
        /// Recorded events that are not in this answer yet; left out when there are none.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// `history.show`
    struct TraceRequest {
        /// A trace id.
        trace: String,
    }
    /// `history.bars`
    struct BarsRequest {
        /// Only of this project.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
        /// How many spans.
        buckets: u32,
    }
    /// A histogram.
    struct BarsDoc {
        /// Oldest first.
        buckets: Vec<Bar>,
        /// Recorded events that are not in this answer yet; left out when there are none.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
}
