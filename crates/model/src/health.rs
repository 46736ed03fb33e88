//! Health: whether a hook does what its author wants of it, as one fact (`engine.md` §13).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use ts_rs::TS;

use crate::event::EventSpec;
use crate::hook::{Hook, OnFailure};
use crate::message::{Args, Message};
use crate::outcome::VerdictKind;
use crate::problem::FileFix;

/// The health of a hook or of a source. The order is that of `engine.md` §13: of several states that hold, the first
/// one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// The definition has an error, or its dialect fires no such event.
    Lost,
    /// Switched off, turned off, shadowed, the agent's own, or a relay entry.
    Off,
    /// Something that is known stops Hookwright from starting it.
    CannotStart,
    /// It starts, and it cannot do what it is for.
    Broken,
    /// Its last runs failed or timed out.
    Failing,
    /// Its content is not approved.
    NeedsReview,
    /// Muted by the user.
    Muted,
    /// A test of it passed with its present content.
    Proven,
    /// A guard without a test.
    Unproven,
    /// Nothing is wrong.
    Ready,
}

impl HealthState {
    /// Every state, in order.
    pub const ALL: &'static [Self] = &[
        Self::Lost,
        Self::Off,
        Self::CannotStart,
        Self::Broken,
        Self::Failing,
        Self::NeedsReview,
        Self::Muted,
        Self::Proven,
        Self::Unproven,
        Self::Ready,
    ];

    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Off => "off",
            Self::CannotStart => "cannot_start",
            Self::Broken => "broken",
            Self::Failing => "failing",
            Self::NeedsReview => "needs_review",
            Self::Muted => "muted",
            Self::Proven => "proven",
            Self::Unproven => "unproven",
            Self::Ready => "ready",
        }
    }

    /// Whether a guard in this state does not hold what it is for.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        match self {
            Self::Lost | Self::CannotStart | Self::Broken | Self::Failing => true,
            Self::Off | Self::NeedsReview | Self::Muted | Self::Proven | Self::Unproven | Self::Ready => false,
        }
    }
}

/// The health of a hook or of a source, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Health {
    /// The state.
    pub state: HealthState,
    /// What is wrong: a problem code, or a word of `engine.md` §13 such as `never_matches`. `null` if the state says
    /// everything.
    pub code: Option<String>,
    /// The values of that sentence.
    #[ts(type = "Record<string, unknown>")]
    pub args: Arc<Args>,
    /// Since when, or when a test proved it, RFC 3339; `null` if it is not known.
    pub at: Option<String>,
}

impl Health {
    /// A state that needs no further words.
    #[must_use]
    pub fn of(state: HealthState) -> Self {
        Self::because(state, None, Args::new())
    }

    /// A state with what is wrong.
    #[must_use]
    pub fn because(state: HealthState, code: Option<String>, args: impl Into<Arc<Args>>) -> Self {
        Self {
            state,
            code,
            args: args.into(),
            at: None,
        }
    }
}

/// What is known of a hook without running it.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Its health.
    pub health: Health,
    /// Whether it is a guard: a hook that can block, or is meant to (`engine.md` §13).
    pub guard: bool,
    /// Why it cannot be started; `None` if nothing is known that stops it.
    pub start_fault: Option<StartFault>,
}

/// Why a hook cannot be started.
#[derive(Debug, Clone, PartialEq)]
pub struct StartFault {
    /// The reason.
    pub why: Message,
    /// What the agent does then.
    pub effect: OnFailureEffect,
    /// Changes of scripts with which it starts.
    pub fixes: Vec<FileFix>,
}

/// What a failure of a hook does to the call of the agent, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnFailureEffect {
    /// Nothing: nobody waits for the hook, or the event only tells.
    Nothing,
    /// The call goes on without the hook.
    Continues,
    /// The user is asked.
    Asks,
    /// The call is blocked.
    Blocks,
}

impl OnFailureEffect {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Continues => "continues",
            Self::Asks => "asks",
            Self::Blocks => "blocks",
        }
    }

    /// What the agent as shipped does when the hook breaks at this event.
    #[must_use]
    pub fn of_failure(hook: &Hook, event: &EventSpec) -> Self {
        match hook.on_failure {
            _ if event.notify_only || !hook.mode.awaits() => Self::Nothing,
            OnFailure::Closed if event.stop_holds => Self::Blocks,
            OnFailure::Closed | OnFailure::Open => Self::Continues,
        }
    }

    /// What the agent as shipped does when the hook ends with this code and prints nothing. `None` stands for a code
    /// that is not known, or for a hook that does not start at all.
    #[must_use]
    pub fn of_exit(hook: &Hook, event: &EventSpec, code: Option<i32>) -> Self {
        let failure = Self::of_failure(hook, event);
        match (code, event.exit_2) {
            _ if failure == Self::Nothing => failure,
            (Some(0), _) => Self::Continues,
            (Some(BLOCK_EXIT_CODE), Some(VerdictKind::Ask)) => Self::Asks,
            (Some(BLOCK_EXIT_CODE), Some(_)) => Self::Blocks,
            (Some(_) | None, _) => failure,
        }
    }
}

/// The exit code that blocks, in every dialect that has such a code.
pub const BLOCK_EXIT_CODE: i32 = 2;
