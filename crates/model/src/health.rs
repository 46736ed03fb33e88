//! Health: whether a hook does what its author wants of it, as one fact (`engine.md` §13).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::message::Args;

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
    pub args: Args,
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
    pub fn because(state: HealthState, code: Option<String>, args: Args) -> Self {
        Self {
            state,
            code,
            args,
            at: None,
        }
    }
}

/// What a failure of a hook does to the call of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnFailureEffect {
    /// The call goes on without the hook.
    Continues,
    /// The call is blocked.
    Blocks,
    /// The user is asked.
    Asks,
    /// Nothing: the event only tells, so there is no call to block.
    Nothing,
}

impl OnFailureEffect {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continues => "continues",
            Self::Blocks => "blocks",
            Self::Asks => "asks",
            Self::Nothing => "nothing",
        }
    }
}
