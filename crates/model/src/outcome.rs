//! How a step ended, and what a chain decided (`CONTRACTS.md` §1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::hook::RunMode;

/// How one hook's step in a chain ended (`engine.md` §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The hook's filter did not accept the payload.
    NotMatched,
    /// The hook did not run. The reason is a [`SkipReason`].
    Skipped,
    /// The hook ran and asked for nothing that had an effect.
    NoOpinion,
    /// The hook ran and approved the call.
    Allowed,
    /// The hook ran and changed something.
    Changed,
    /// The hook asked the user to decide.
    Asked,
    /// The hook blocked the agent.
    Denied,
    /// The hook broke, and the call is allowed.
    FailedOpen,
    /// The hook broke, and the call is blocked.
    FailedClosed,
    /// The hook's time ran out, and the call is allowed.
    TimedOutOpen,
    /// The hook's time ran out, and the call is blocked.
    TimedOutClosed,
    /// The hook runs after the reply. The final outcome replaces this one.
    Detached,
}

impl Outcome {
    /// Every outcome, in the order of `CONTRACTS.md` §1.
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

    /// The name in JSON.
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

    /// Whether the hook ran.
    #[must_use]
    pub const fn ran(self) -> bool {
        !matches!(self, Self::NotMatched | Self::Skipped)
    }

    /// Whether the step failed or ran into its time limit.
    #[must_use]
    pub const fn failed(self) -> bool {
        matches!(
            self,
            Self::FailedOpen | Self::FailedClosed | Self::TimedOutOpen | Self::TimedOutClosed
        )
    }

    /// Whether the step blocked the agent, or asked the user.
    #[must_use]
    pub const fn blocked(self) -> bool {
        matches!(
            self,
            Self::Asked | Self::Denied | Self::FailedClosed | Self::TimedOutClosed
        )
    }
}

/// Why a step was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The content is not approved.
    Untrusted,
    /// The hook is switched off in its file, or shadowed.
    Disabled,
    /// Hookwright leaves the hook out. Its file is unchanged.
    Muted,
    /// An earlier hook ended the chain.
    ChainEnded,
    /// The chain's time was used up.
    BudgetSpent,
    /// The definition has an error.
    Invalid,
    /// The agent runs this hook itself.
    AgentRunsIt,
    /// The user or the engine stopped the chain.
    Cancelled,
}

impl SkipReason {
    /// The name in JSON.
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

/// What the whole chain decided. The order is the strictness, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// The agent continues.
    Proceed,
    /// A hook approved the call.
    Approve,
    /// A hook returned a result in place of the tool.
    Respond,
    /// The user must decide.
    Ask,
    /// This call is skipped. Its sibling calls continue.
    Skip,
    /// This call is denied.
    Deny,
    /// The agent tries again with the feedback.
    Retry,
    /// The current step and its sub-pipeline end.
    Stop,
    /// The turn ends.
    EndTurn,
    /// The session ends.
    EndSession,
}

impl VerdictKind {
    /// Every kind, in the order of `CONTRACTS.md` §1.
    pub const ALL: [Self; 10] = [
        Self::Proceed,
        Self::Approve,
        Self::Respond,
        Self::Ask,
        Self::Skip,
        Self::Deny,
        Self::Retry,
        Self::Stop,
        Self::EndTurn,
        Self::EndSession,
    ];

    /// Whether the agent is blocked. Then `fire` exits with code 2 (`CONTRACTS.md` §2).
    #[must_use]
    pub const fn blocks(self) -> bool {
        !matches!(self, Self::Proceed | Self::Approve | Self::Respond)
    }

    /// The name in JSON.
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

/// What a hook did in a period of time. The dialect makes counters with its own names from it
/// ([`crate::Dialect::native_hook_counters`]).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookCounts {
    /// How often each outcome occurred; outcomes that did not occur are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Steps in which the hook ran.
    pub runs: u64,
    /// All attempts, whether they succeeded or not.
    pub attempts: u64,
    /// Attempts that succeeded.
    pub successes: u64,
    /// Attempts that failed, timeouts included.
    pub failures: u64,
    /// Duration of all attempts, in milliseconds.
    pub total_ms: f64,
    /// Characters that its edits added.
    pub chars_added: u64,
    /// Other counters of its attempts, by name. `removals` counts the inserted messages that were removed later.
    pub counted: BTreeMap<String, u64>,
    /// Whether the chain waits for the hook; `None` if its definition no longer exists.
    pub mode: Option<RunMode>,
    /// The hook's definition; `None` if it no longer exists.
    pub definition: Option<serde_json::Value>,
}

/// How an agent counts tool calls ([`crate::Dialect::native_tool_counters`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCalls {
    /// The event that fires before a call.
    pub event: &'static str,
    /// The payload field that contains the call's input.
    pub input: &'static str,
    /// The verdict that prevents a call.
    pub blocks: VerdictKind,
}

/// What happened to the calls of one tool in a period of time. Calls for which no hook ran are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ToolCounts {
    /// All counted calls.
    pub calls: u64,
    /// Calls that were prevented.
    pub blocked: u64,
    /// Calls that were made with a changed input.
    pub modified: u64,
    /// Duration of the calls' chains, in milliseconds.
    pub total_ms: f64,
}

impl HookCounts {
    /// The counter of steps that failed before anything was run: a filter that gave up, or an invalid definition that
    /// blocks. They have an outcome but do not count as runs.
    pub const NEVER_RAN: &'static str = "never_ran";
    /// The counter of tokens in the prompts of a model, as its provider counted them.
    pub const INPUT_TOKENS: &'static str = "input_tokens";
    /// The counter of tokens in the responses of a model.
    pub const OUTPUT_TOKENS: &'static str = "output_tokens";

    /// The counter of this name; 0 if it is absent.
    #[must_use]
    pub fn counter(&self, word: &str) -> u64 {
        self.counted.get(word).copied().unwrap_or(0)
    }

    /// How often one of these outcomes occurred.
    #[must_use]
    pub fn sum_of(&self, outcomes: &[Outcome]) -> u64 {
        outcomes.iter().filter_map(|outcome| self.outcomes.get(outcome)).sum()
    }
}
