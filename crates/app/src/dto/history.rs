//! The requests and replies about recorded traces and metrics.

use std::collections::BTreeMap;

use hookwright_model::trace::TraceRow;
use hookwright_model::{EditKind, OnFailure, Outcome, VerdictKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use ts_rs::TS;

use super::millis::Millis;

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
        since_ms: Millis,
        /// How long ago the period ended, in milliseconds; absent for now.
        #[serde(default)] #[ts(optional)]
        until_ms: Option<Millis>,
        /// Only hooks of this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
        /// Only the hook of this id, or the hooks of this label.
        #[serde(default)] #[ts(optional)]
        hook: Option<String>,
        /// Only what this agent fired.
        #[serde(default)] #[ts(optional)]
        agent: Option<String>,
        /// Only what was fired in this session.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
        /// Whether the metrics are given over time, too.
        #[serde(default)] #[ts(optional)]
        series: Option<bool>,
        /// Whether each hook is compared with the period before, of the same length.
        #[serde(default)] #[ts(optional)]
        compare: Option<bool>,
    }
    /// The document of `stats --json`.
    struct StatsDoc {
        /// The start of the counted time, RFC 3339. Steps are counted from the beginning of its minute, or of its hour if
        /// it is about two days ago or more.
        since: String,
        /// The end of the counted time, RFC 3339, rounded up in the same way; left out for now.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        until: Option<String>,
        /// With an agent or a session: older events of the counted time are not in these figures, RFC 3339. There are
        /// more than 50,000, or they were removed. Left out if the whole time is counted.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        counted_from: Option<String>,
        /// One row per project, hook and definition.
        hooks: Vec<StatsRow>,
        /// One row per tool and project, for dialects whose agent counts tool calls.
        tools: Vec<ToolRow>,
        /// How many further rows of hooks and tools there are: those that ran least; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        left_out: u32,
        /// The same hooks over time; left out if it was not asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        series: Option<StatsSeries>,
        /// The number of recorded events that are not in this reply yet; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// Metrics over time.
    struct StatsSeries {
        /// The length of a bucket, in milliseconds.
        width_ms: f64,
        /// The buckets, oldest first. The first and the last one may lie partly outside of the counted time.
        buckets: Vec<StatsBucket>,
        /// The edits of hook files in the counted time, oldest first.
        edits: Vec<StatsEdit>,
        /// The agents of the newest events of the counted time, the most recent first.
        agents: Vec<String>,
        /// The sessions of the newest events of the counted time, the most recent first.
        sessions: Vec<StatsSession>,
    }
    /// The steps of one span of time.
    struct StatsBucket {
        /// When it begins, RFC 3339.
        at: String,
        /// How many times a hook ran.
        runs: u32,
        /// How often each outcome occurred. Outcomes that did not occur are absent.
        outcomes: BTreeMap<Outcome, u32>,
        /// The median run time, in milliseconds; `null` if nothing was measured.
        p50_ms: Option<f64>,
        /// The 95th percentile of the run times, in milliseconds; `null` if nothing was measured.
        p95_ms: Option<f64>,
        /// The 99th percentile of the run times, in milliseconds; `null` if nothing was measured.
        p99_ms: Option<f64>,
    }
    /// An edit of a hook file, as a mark in a chart.
    struct StatsEdit {
        /// When it was made, RFC 3339.
        at: String,
        /// The id of the edit, as in `edit.list`.
        edit: String,
        /// What was done.
        what: EditKind,
        /// The hook's id: of a new hook after the edit, otherwise before it; `null` for an edit of a whole text.
        hook: Option<String>,
        /// The hook's name for the user; `null` if it is not known.
        label: Option<String>,
        /// The file that defines the hook.
        path: String,
    }
    /// A session that fired events.
    struct StatsSession {
        /// Session id.
        session: String,
        /// The agent's name; `null` if it is not known.
        agent: Option<String>,
    }
    /// The tokens of a hook's model, as its provider counted them.
    struct TokenCounts {
        /// Tokens of the prompts.
        #[ts(type = "number")]
        input: u64,
        /// Tokens of the responses.
        #[ts(type = "number")]
        output: u64,
    }
    /// Counters of the calls of one tool.
    struct ToolRow {
        /// The tool's name, as in the payloads.
        tool: String,
        /// Dialect id.
        dialect: String,
        /// The project directory; `null` for calls outside of any project.
        project: Option<String>,
        /// Calls of the tool for which a hook ran.
        #[ts(type = "number")]
        calls: u64,
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
        /// Identifies the hook with all its versions, as in `list`; `null` if none is known.
        #[serde(default)]
        uid: Option<String>,
        /// The definitions that the hook had, oldest first; left out if none is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<HookVersion>>", optional)]
        versions: Vec<HookVersion>,
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
        /// The last 24 hours, oldest first; empty if not all events of these hours could be counted.
        bars: Vec<Bar>,
        /// Steps that failed: the outcomes `failed_open`, `failed_closed`, `timed_out_open` and `timed_out_closed`.
        failed: u32,
        /// The share of failed steps (0 to 1) among those in which the hook ran or failed before it ran.
        failure_rate: f64,
        /// Steps that blocked the agent: the outcomes `asked`, `denied`, `failed_closed` and `timed_out_closed`.
        blocked: u32,
        /// The share of blocking steps (0 to 1) among those in which the hook ran or failed before it ran.
        block_rate: f64,
        /// The time limit of one attempt, in milliseconds; `null` if this definition no longer exists or nothing was
        /// measured.
        #[ts(type = "number | null")]
        timeout_ms: Option<u64>,
        /// The share of the time limit that the 95th percentile uses; `null` without a time limit.
        budget: Option<f64>,
        /// What a failure does; `null` if this definition no longer exists.
        on_failure: Option<OnFailure>,
        /// The tokens of its model; `null` if no provider reported any.
        tokens: Option<TokenCounts>,
        /// The 95th percentile in each bucket of the series, in milliseconds; `null` where nothing was measured. Left out
        /// without a series.
        #[serde(default, skip_serializing_if = "Vec::is_empty")] #[ts(as = "Option<Vec<Option<f64>>>", optional)]
        p95_series: Vec<Option<f64>>,
        /// The same hook in the period before; `null` if it did not run then, or if it was not asked for.
        #[serde(default)]
        before: Option<StatsBefore>,
        /// What is different since, as far as there are enough runs to say so.
        #[serde(default)]
        change: Option<StatsChange>,
        /// With a change: the last edit of the hook in both periods; `null` if none is stored.
        #[serde(default)]
        edit: Option<StatsEdit>,
    }
    /// A hook in the period before.
    struct StatsBefore {
        /// How many times it ran.
        runs: u32,
        /// How many of these runs failed or timed out.
        failed: u32,
        /// The median run time, in milliseconds.
        p50_ms: f64,
        /// The 95th percentile of the run times, in milliseconds.
        p95_ms: f64,
    }
    /// A definition that a hook had.
    struct HookVersion {
        /// Identifies the definition, as `version`.
        definition: String,
        /// Since when, as far as Hookwright saw it, RFC 3339.
        since: String,
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
        /// Only traces with a step of the hook with this `uid`, also with an id or a definition that it had earlier.
        #[serde(default)] #[ts(optional)]
        uid: Option<String>,
        /// With a hook and an outcome: only traces in which a step of this hook has this outcome.
        #[serde(default)] #[ts(optional)]
        same_step: Option<bool>,
        /// Only traces from this time on, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        since: Option<Timestamp>,
        /// Only traces before this time, RFC 3339.
        #[serde(default)] #[schemars(with = "Option<String>")] #[ts(optional, type = "string")]
        until: Option<Timestamp>,
        /// Only traces that also match this query, as in `history --query`. A query that takes long is answered with the
        /// rows found so far, possibly none; `next` then goes on behind the last event that was looked at.
        #[serde(default)] #[ts(optional)]
        query: Option<String>,
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
        /// How many events were looked at for the query; left out without one.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        searched: u32,
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
        since_ms: Millis,
        /// The number of bars, from 1 to 1,000. Other values are moved into this range.
        buckets: u32,
    }
    /// The events and outcomes in one span of time.
    struct EventBar {
        /// The start of the span, RFC 3339.
        at: String,
        /// How many events fired.
        events: u32,
        /// How many of them were blocked.
        blocked: u32,
        /// How often each outcome occurred.
        outcomes: BTreeMap<Outcome, u32>,
    }
    /// The reply of `history.bars`: events and outcomes over time.
    struct BarsDoc {
        /// The bars, oldest first.
        buckets: Vec<EventBar>,
        /// The number of recorded events that are not in this reply yet; left out if 0.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
}

/// What is different between two periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum StatsChange {
    /// Its runs take longer.
    Slower,
    /// Its runs take less time.
    Faster,
    /// More of its runs fail.
    Failing,
    /// Fewer of its runs fail.
    Healed,
}
