//! What a dialect decodes from a run, how the hooks of an event are run, and what a whole chain decides.

use indexmap::IndexMap;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use crate::event::{Bilingual, Payload};
use crate::message::Message;
use crate::outcome::VerdictKind;
use crate::trace::{Ignored, Verdict};

/// How the hooks of an event are run (`engine.md` §5). It is one constant per dialect or event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPolicy {
    /// The run order of the hooks.
    pub order: Order,
    /// Which payload each hook sees.
    pub flow: Flow,
    /// Which decision becomes the verdict.
    pub verdict_rule: VerdictRule,
    /// Time for the whole chain; `None` means no limit.
    pub budget: Option<Duration>,
    /// Whether in the agent the time at which hooks end decides what the run order decides here. A warning says so where
    /// two hooks differ.
    pub races: bool,
}

/// Run order. Every order is stable: load order decides between hooks that it ranks equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By layer (builtin, user, project, session), then in declared order.
    LayersThenDeclared,
    /// In load order.
    Loaded,
    /// Awaited hooks before detached ones, then higher rank first, then by layer, then by label.
    RankDown,
    /// The agent's built-in hooks and callbacks first, then lower rank first, then by label.
    RankUp,
    /// By [`Placement::position`].
    ByPlacement,
}

impl Order {
    /// The rule as a text for the user.
    #[must_use]
    pub const fn rule(self) -> Bilingual {
        let (en, zh) = match self {
            Self::LayersThenDeclared => (
                "Layer by layer, and in the order of the file.",
                "按层级先后，同一文件内按书写顺序。",
            ),
            Self::Loaded => (
                "File by file, and in the order of the file.",
                "按文件先后，同一文件内按书写顺序。",
            ),
            Self::RankDown => (
                "By priority, higher first, detached hooks last; if equal, user hooks before project hooks, then by name.",
                "按优先级，数值高的在前，响应后执行的 Hook 在最后；相同时个人的先于项目的，再按名称。",
            ),
            Self::RankUp => (
                "By priority, lower first, the agent's own before all; if equal, by name.",
                "按优先级，数值低的在前，Agent 自带的最先；相同时按名称。",
            ),
            Self::ByPlacement => (
                "Skill by skill in the order they are enabled, and in the order of the file.",
                "按 Skill 的启用顺序，同一文件内按书写顺序。",
            ),
        };
        Bilingual { en, zh }
    }
}

/// Which payload each hook of a chain sees, and whether hooks run one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// One after another, each on the payload as edited so far.
    Pipe,
    /// All at once, each on the original payload; at most [`FAN_WIDTH`] run together.
    Fan,
    /// One after another, each on the original payload.
    Sequence,
}

/// How many hooks of a fan run at the same time, at most (`engine.md` §5).
pub const FAN_WIDTH: usize = 32;

/// Which decision becomes the verdict of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictRule {
    /// The last one given. A halt discards earlier ones.
    Last,
    /// The strictest one; among equals the first in run order.
    Strictest,
    /// The strictest one, with the reasons of all hooks that gave it. The strictest one below it is kept, too.
    StrictestKept(Reasons),
}

/// Which reasons count if several hooks gave the same verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasons {
    /// All, joined by newlines.
    Lines,
    /// All, with a blank line between them.
    Paragraphs,
    /// The first one in run order. The others are `ignored` in their steps.
    First,
    /// Of retries all, with a blank line between them, of all others the first one.
    Retries,
    /// Of denials the last one in run order, of all others the first one. The others are `ignored` in their steps.
    LastDenial,
}

/// What the payload decides about a hook's position, in addition to the hook's definition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Position in run order, for [`Order::ByPlacement`].
    pub position: usize,
    /// Decides between equal positions, by code point.
    pub then: String,
    /// Why the hook is not enabled for this payload; `None` if it is enabled.
    pub disabled_message: Option<Message>,
    /// Whether the payload itself is the approval (a skill named in `enabled_skills`, `engine.md` §3).
    pub trusted: bool,
}

/// What the dialect decoded from a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// The hook asked for nothing.
    Nothing,
    /// The hook asked for something.
    Answer(HookOutput),
    /// The hook broke. The message contains the cause.
    Failure(Message),
    /// The hook broke in a way that blocks, whatever its definition says about failures.
    Closed(Message),
}

/// What a hook asked for, before it is checked against the event's row (`engine.md` §1, step 4).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutput {
    /// The returned fields, in the order given.
    pub fields: Vec<(String, Value)>,
    /// The decision, if the hook made one.
    pub decision: Option<Decision>,
    /// Further, weaker decisions of the same output. They have an effect only if the dialect's reply shows more than
    /// one.
    pub other_decisions: Vec<Decision>,
    /// Fields that are added to the reply together with the decision. They do not depend on `fields`. If the decision
    /// is ignored, they are ignored too.
    pub reply_fields: Vec<(String, Value)>,
    /// Whether the chain ends here. It also ends when the event does not accept the decision (`jcli.md` §7.4).
    pub halt: bool,
    /// Messages for the user, recorded as `warning` notices.
    pub warnings: Vec<Message>,
    /// Parts of the output that the dialect cannot use.
    pub ignored: Vec<Ignored>,
}

/// A decision that a hook asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The output field that contains the decision; it names the decision in `ignored`.
    pub what: &'static str,
    /// The verdict that the hook asks for.
    pub kind: VerdictKind,
    /// The reason that the hook gave.
    pub reason: Option<String>,
    /// Text for the agent to try again with.
    pub feedback: Option<String>,
    /// Hookwright's message, for a hook that gave no reason.
    pub default_message: Option<Message>,
}

/// Outputs in addition to the payload, by name, merged.
pub type Additions = IndexMap<String, Value>;

/// The result of a whole chain. The dialect builds its reply from it.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The event's trace id. Replies use it to build references that are unique to this event.
    pub trace: String,
    /// What the chain decided.
    pub verdict: Verdict,
    /// The strictest decision below the verdict, if weaker ones are kept ([`VerdictRule::StrictestKept`]).
    pub weaker_verdict: Option<Verdict>,
    /// The payload after all edits that were not dropped.
    pub payload: Arc<Payload>,
    /// The replacing outputs that were not dropped, by the output's name, with their last value.
    pub replaced: IndexMap<String, Value>,
    /// The merged additions. They are not yet applied to `payload`.
    pub additions: Additions,
    /// Whether a hook ended the chain early.
    pub halted: bool,
}
