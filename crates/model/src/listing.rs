//! The documents of `list` and `explain` (`CONTRACTS.md` §2.2, §2.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::event::Payload;
use crate::hook::{Layer, OnFailure, RunMode};
use crate::outcome::VerdictKind;
use crate::problem::Problem;
use crate::trace::{Gate, SourceRef};

/// `list --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ListDoc {
    /// Every hook of every source; several rows where one serves several events.
    pub hooks: Vec<HookRow>,
    /// What is wrong or noteworthy.
    pub problems: Vec<Problem>,
    /// The places that were looked at.
    pub sources: Vec<SourceRow>,
}

/// One hook for one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookRow {
    /// Hook id.
    pub hook: String,
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// What people call it.
    pub label: String,
    /// The layer.
    pub layer: Layer,
    /// The file, absolute.
    pub path: String,
    /// Line from 1.
    pub line: u32,
    /// How it runs.
    pub handler: String,
    /// The definition's own condition.
    #[ts(type = "Record<string, unknown> | null")]
    pub filter: Option<Value>,
    /// Time limit of an attempt.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// Open or closed.
    pub on_failure: OnFailure,
    /// The definition's own priority.
    #[ts(type = "number | null")]
    pub rank: Option<i64>,
    /// Place in run order for its event, from 1; `null` when gate valid, trusted or enabled fails.
    pub position: Option<u32>,
    /// Whether the chain waits.
    pub mode: RunMode,
    /// Not switched off in its file, not shadowed.
    pub enabled: bool,
    /// Its content needs no approval, or has it.
    pub trusted: bool,
    /// Hookwright leaves it out.
    pub muted: bool,
    /// Until when, RFC 3339; `null` while `muted` means for good.
    pub muted_until: Option<String>,
    /// The hook that stands in its place.
    pub shadowed_by: Option<String>,
    /// A command behind `hookwright-relay run`.
    pub wrapped: bool,
    /// The definition has no error.
    pub valid: bool,
    /// Attempts at most.
    pub attempts: u32,
    /// Tells the definition from an earlier or later one, as in traces and metrics.
    pub version: String,
    /// The definition as JSON.
    #[ts(type = "unknown")]
    pub definition: Value,
    /// What it runs, as its author wrote it: command, program, template or text; `null` for the agent's own.
    pub runs: Option<String>,
    /// Outputs its event accepts.
    pub accepts: Vec<String>,
    /// Verdicts its event accepts.
    pub verdicts: Vec<VerdictKind>,
    /// Its place in its file, where it can be given another one.
    pub in_list: Option<ListPosition>,
    /// The events that a row of event `*` stands for; left out on all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub serves: Vec<String>,
}

/// A place in a list of a file whose order is the run order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ListPosition {
    /// Names the list; hooks of one list can change places.
    pub list: String,
    /// Its place there, from 1.
    pub place: u32,
    /// How many stand there.
    pub count: u32,
}

/// One place where hooks may live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SourceRow {
    /// Dialect id.
    pub dialect: String,
    /// The layer.
    pub layer: Layer,
    /// The file, absolute.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// How many hooks it has.
    pub hooks: u32,
    /// An older version stays in force.
    pub last_good: bool,
}

/// `explain --json`: nothing was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ExplainDoc {
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// The payload with common fields filled in.
    #[ts(type = "Record<string, unknown>")]
    pub payload: Payload,
    /// Every hook of the dialect.
    pub steps: Vec<ExplainStep>,
}

/// One hook and every gate it passed or failed, `chain` aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ExplainStep {
    /// Hook id.
    pub hook: String,
    /// What people call it.
    pub label: String,
    /// Where it stands.
    pub source: SourceRef,
    /// How it runs.
    pub handler: String,
    /// The event it is for.
    pub event: String,
    /// Whether it would run, if its turn comes.
    pub would_run: bool,
    /// Place in run order.
    pub position: Option<u32>,
    /// All gates but `chain`.
    pub gates: Vec<Gate>,
}
