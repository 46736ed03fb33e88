//! The document of `status --json`: what needs the user (`engine.md` §13, `CONTRACTS.md` §2).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::health::HealthState;
use crate::message::Args;

/// The document of `status --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct StatusDoc {
    /// The whole in one sentence.
    pub verdict: StatusVerdict,
    /// What needs the user, the worst first.
    pub needs: Vec<Need>,
    /// How many hooks have each state of health. States that no hook has are left out.
    #[ts(type = "Partial<Record<HealthState, number>>")]
    pub counts: BTreeMap<HealthState, u32>,
}

/// The whole in one sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct StatusVerdict {
    /// What holds.
    pub code: VerdictCode,
    /// The values of the sentence.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

/// What holds for a project as a whole. The first one that holds counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerdictCode {
    /// A guard, or a source of hooks, cannot do its work.
    GuardsFail,
    /// Events passed although a guard of them failed.
    PassedUnguarded,
    /// Hooks wait for a review.
    Review,
    /// There is no hook.
    NoHooks,
    /// Every guard is proven by a test.
    AllProven,
    /// Nothing needs the user.
    Calm,
}

impl VerdictCode {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GuardsFail => "guards_fail",
            Self::PassedUnguarded => "passed_unguarded",
            Self::Review => "review",
            Self::NoHooks => "no_hooks",
            Self::AllProven => "all_proven",
            Self::Calm => "calm",
        }
    }
}

/// Something that needs the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Need {
    /// What it is about.
    pub kind: NeedKind,
    /// What is wrong: a state of health, or a problem code.
    pub code: String,
    /// The values of the sentence. Needs about a hook have its `label`, its `state`, whether it is a `guard`, and the
    /// `reason` with its `code` and `args`.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// The hook's id; `null` if it is about no hook.
    pub hook: Option<String>,
    /// The file, absolute; `null` if it is about none.
    pub path: Option<String>,
    /// Line, from 1; `null` for a whole file.
    pub line: Option<u32>,
    /// Since when, RFC 3339; `null` if it is not known.
    pub since: Option<String>,
}

/// The kinds of [`Need`], the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// A source whose hooks are not known, because it cannot be read.
    Source,
    /// A hook that cannot do its work.
    Health,
    /// A guard that was in a source and is there no more.
    Gone,
    /// Events passed although a guard of them failed.
    Unguarded,
    /// A hook waits for a review.
    Review,
    /// Equal failures that are not resolved.
    Issue,
    /// A file of Hookwright's own has an error.
    Settings,
    /// The engine cannot do part of its work.
    Engine,
}
