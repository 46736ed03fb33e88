//! What a dialect reads out of a run, how its chains are run, and what a chain came to.

use indexmap::IndexMap;
use serde_json::Value;
use std::time::Duration;

use crate::event::{Bilingual, Payload};
use crate::message::Message;
use crate::outcome::VerdictKind;
use crate::trace::{Ignored, Verdict};

/// How the hooks of an event are run (`engine.md` §5): one constant per dialect or event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPolicy {
    /// In which order.
    pub order: Order,
    /// What each one sees.
    pub flow: Flow,
    /// Whose verdict holds.
    pub decides: VerdictRule,
    /// Time for the whole chain.
    pub budget: Option<Duration>,
}

/// Run order. Every order is stable: what it leaves open is decided by load order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Layers builtin, user, project, session; in each as declared.
    LayersThenDeclared,
    /// As loaded.
    Loaded,
    /// Awaited hooks before detached ones; higher rank first; then layer, then label.
    RankDown,
    /// The agent's own and callbacks first; then lower rank first; then label.
    RankUp,
    /// By [`Placement::place`].
    ByPlacement,
}

impl Order {
    /// The rule, for people.
    #[must_use]
    pub const fn rule(self) -> Bilingual {
        let (en, zh) = match self {
            Self::LayersThenDeclared => (
                "Layer after layer, then as they stand in the file.",
                "按层级先后，同一文件内按书写顺序。",
            ),
            Self::Loaded => (
                "File after file, then as they stand in the file.",
                "按文件先后，同一文件内按书写顺序。",
            ),
            Self::RankDown => (
                "By priority, higher first, those that nobody waits for last; among equals the person's own before the \
                 project's, then by name.",
                "按优先级，数值高的在前，无需等待的排在最后；相同时个人的先于项目的，再按名称。",
            ),
            Self::RankUp => (
                "By priority, lower first, the agent's own before all; among equals by name.",
                "按优先级，数值低的在前，Agent 自带的最先；相同时按名称。",
            ),
            Self::ByPlacement => (
                "Skill after skill as they are enabled, then as they stand in the file.",
                "按 skill 的启用顺序，同一文件内按书写顺序。",
            ),
        };
        Bilingual { en, zh }
    }
}

/// What each hook of a chain sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// One after another, each on the payload as edited so far.
    Pipe,
    /// All at once on the original payload, at most [`FAN_WIDTH`] together.
    Fan,
    /// One after another, each on the original payload.
    Sequence,
}

/// So many hooks of a fan run at the same time.
pub const FAN_WIDTH: usize = 32;

/// Whose verdict holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictRule {
    /// The last one given; a halt throws earlier ones away.
    Last,
    /// The strictest; among equals the first in run order.
    Strictest,
    /// The strictest, with the reasons of all that gave it, joined by newlines.
    StrictestJoined,
}

/// What the moment says of a hook's place, beside its definition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Place in run order, for [`Order::ByPlacement`].
    pub place: usize,
    /// What decides among equal places, by code point.
    pub then: String,
    /// Why it is not enabled now.
    pub off: Option<Message>,
    /// The moment itself is the approval.
    pub trusted: bool,
}

/// What a run meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// Nothing was asked for.
    Nothing,
    /// Something was.
    Answer(HookOutput),
    /// The hook broke; the words say how.
    Failure(Message),
}

/// What a hook asked for, before the event's table has its say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutput {
    /// Fields, in the order given.
    pub fields: Vec<(String, Value)>,
    /// The decision, when there is one.
    pub decision: Option<Decision>,
    /// Further, weaker decisions of the same answer; they count where a dialect's reply shows more than one.
    pub other_decisions: Vec<Decision>,
    /// What goes with the decision into the reply, whatever becomes of the fields; dropped with it.
    pub reply_fields: Vec<(String, Value)>,
    /// Whether the chain ends here, also when the event does not accept the decision (`jcli.md` §7.4).
    pub halt: bool,
    /// What a person should know, as `warning` notices.
    pub warnings: Vec<Message>,
    /// What the dialect could not use at all.
    pub ignored: Vec<Ignored>,
}

/// A decision a hook asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The field that said so, for `ignored`.
    pub what: &'static str,
    /// The verdict.
    pub kind: VerdictKind,
    /// The hook's own words.
    pub reason: Option<String>,
    /// Text to try again with.
    pub feedback: Option<String>,
    /// Our words, for a hook that gave none of its own.
    pub ours: Option<Message>,
}

/// Outputs that stand beside the payload, by name, merged.
pub type Additions = IndexMap<String, Value>;

/// What a whole chain came to; the dialect writes its reply from this.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The event's trace id, for references that no other event gives.
    pub trace: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The strictest decision below the verdict, where weaker ones are kept ([`VerdictRule::StrictestJoined`]).
    pub below: Option<Verdict>,
    /// The payload after all edits that hold.
    pub payload: Payload,
    /// The replacing outputs that hooks set and that hold, by the output's name, with their last value.
    pub replaced: IndexMap<String, Value>,
    /// The additions, merged; not yet folded into `payload`.
    pub additions: Additions,
    /// A hook ended the chain before its last one.
    pub halted: bool,
}
