//! What a step ended with, and what a chain decided (`CONTRACTS.md` §1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::hook::RunMode;

/// What one hook's part in a chain came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its filter did not accept the payload.
    NotMatched,
    /// It did not run; the reason is a [`SkipReason`].
    Skipped,
    /// It ran and asked for nothing.
    NoOpinion,
    /// It ran and approved.
    Allowed,
    /// It ran and changed something.
    Changed,
    /// It wants a person to decide.
    Asked,
    /// It held the agent.
    Denied,
    /// It broke, and the agent went ahead.
    FailedOpen,
    /// It broke, and the agent was held.
    FailedClosed,
    /// It ran out of time, and the agent went ahead.
    TimedOutOpen,
    /// It ran out of time, and the agent was held.
    TimedOutClosed,
    /// It runs on after the reply.
    Detached,
}

impl Outcome {
    /// Every outcome, in the order of the contract.
    pub const ALL: [Self; 12] = [
        Self::NotMatched,
        Self::Skipped,
        Self::NoOpinion,
        Self::Allowed,
        Self::Changed,
        Self::Asked,
        Self::Denied,
        Self::FailedOpen,
        Self::FailedClosed,
        Self::TimedOutOpen,
        Self::TimedOutClosed,
        Self::Detached,
    ];

    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotMatched => "not_matched",
            Self::Skipped => "skipped",
            Self::NoOpinion => "no_opinion",
            Self::Allowed => "allowed",
            Self::Changed => "changed",
            Self::Asked => "asked",
            Self::Denied => "denied",
            Self::FailedOpen => "failed_open",
            Self::FailedClosed => "failed_closed",
            Self::TimedOutOpen => "timed_out_open",
            Self::TimedOutClosed => "timed_out_closed",
            Self::Detached => "detached",
        }
    }

    /// Whether the hook was run at all.
    #[must_use]
    pub const fn ran(self) -> bool {
        !matches!(self, Self::NotMatched | Self::Skipped)
    }
}

/// Why a step was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Nobody approved this content.
    Untrusted,
    /// Switched off in its file, or shadowed.
    Disabled,
    /// Left out by Hookwright only.
    Muted,
    /// An earlier hook ended the chain.
    ChainEnded,
    /// The chain's time was used up.
    BudgetSpent,
    /// The definition has an error.
    Invalid,
    /// The agent runs this one itself.
    AgentRunsIt,
    /// The person or the engine stopped the chain.
    Cancelled,
}

impl SkipReason {
    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Disabled => "disabled",
            Self::Muted => "muted",
            Self::ChainEnded => "chain_ended",
            Self::BudgetSpent => "budget_spent",
            Self::Invalid => "invalid",
            Self::AgentRunsIt => "agent_runs_it",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What the whole chain decided, weakest first: the order is the strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Nothing stands in the way.
    Proceed,
    /// A hook approved.
    Approve,
    /// A hook answered in the tool's place.
    Respond,
    /// A person must decide.
    Ask,
    /// This call is left out, its siblings go on.
    Skip,
    /// This call is refused.
    Deny,
    /// Go back and try again with the feedback.
    Retry,
    /// The current step and its sub-pipeline end.
    Stop,
    /// The turn ends.
    EndTurn,
    /// The session ends.
    EndSession,
}

impl VerdictKind {
    /// Whether the agent is held: `fire` exits 2 (`CONTRACTS.md` §2).
    #[must_use]
    pub const fn blocks(self) -> bool {
        !matches!(self, Self::Proceed | Self::Approve | Self::Respond)
    }

    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Approve => "approve",
            Self::Respond => "respond",
            Self::Ask => "ask",
            Self::Skip => "skip",
            Self::Deny => "deny",
            Self::Retry => "retry",
            Self::Stop => "stop",
            Self::EndTurn => "end_turn",
            Self::EndSession => "end_session",
        }
    }
}

/// What a hook did in a span of time, for counters under the dialect's own names ([`crate::Dialect::native_hook_counters`]).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookCounts {
    /// How often each outcome was seen; those never seen are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Steps in which it ran.
    pub runs: u64,
    /// Attempts, successful ones and others.
    pub attempts: u64,
    /// Attempts that succeeded.
    pub successes: u64,
    /// Attempts that did not, timeouts included.
    pub failures: u64,
    /// Milliseconds of all attempts.
    pub total_ms: f64,
    /// Characters that its edits added.
    pub chars_added: u64,
    /// What its attempts counted beside, and how often what it inserted was taken out (`removals`).
    pub counted: BTreeMap<String, u64>,
    /// Whether the chain waits for it, while its definition is still there.
    pub mode: Option<RunMode>,
    /// Its definition, while that is still there.
    pub definition: Option<serde_json::Value>,
}

/// Where an agent asks about the calls of tools, for its counters of tools ([`crate::Dialect::native_tool_counters`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCalls {
    /// The event before a call.
    pub event: &'static str,
    /// The payload field that holds the call's input.
    pub input: &'static str,
    /// The verdict that keeps a call from being made.
    pub blocks: VerdictKind,
}

/// What was done about the calls of one tool in a span of time. Calls that no hook ran for are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ToolCounts {
    /// Calls.
    pub calls: u64,
    /// Those that were not made.
    pub blocked: u64,
    /// Those that were made with another input.
    pub modified: u64,
    /// Milliseconds of their chains.
    pub total_ms: f64,
}

impl HookCounts {
    /// The word for steps that failed before anything was run: a filter that gave up, a definition that holds although
    /// it is invalid. They are outcomes, and no runs.
    pub const NEVER_RAN: &'static str = "never_ran";

    /// What was counted under this word.
    #[must_use]
    pub fn counter(&self, word: &str) -> u64 {
        self.counted.get(word).copied().unwrap_or(0)
    }

    /// How often it came to one of these.
    #[must_use]
    pub fn sum_of(&self, outcomes: &[Outcome]) -> u64 {
        outcomes.iter().filter_map(|outcome| self.outcomes.get(outcome)).sum()
    }
}
