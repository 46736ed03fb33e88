//! What a dialect reads out of a run, how its chains are run, and what a chain came to.

use indexmap::IndexMap;
use serde_json::Value;
use std::time::Duration;

use crate::event::Payload;
use crate::outcome::VerdictKind;
use crate::saying::Words;
use crate::trace::{Ignored, Verdict};

/// How the hooks of an event are run (`engine.md` §5): one constant per dialect or event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainPolicy {
    /// In which order.
    pub order: Order,
    /// What each one sees.
    pub flow: Flow,
    /// Time for the whole chain.
    pub budget: Option<Duration>,
}

/// Run order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Layers builtin, user, project, session; in each as declared.
    LayersThenDeclared,
}

/// What each hook of a chain sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The payload as edited so far.
    Pipe,
}

/// What a run meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// Nothing was asked for.
    Nothing,
    /// Something was.
    Answer(Answer),
    /// The hook broke; the words say how.
    Failure(Words),
}

/// What a hook asked for, before the event's table has its say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Fields, in the order given.
    pub fields: Vec<(String, Value)>,
    /// The decision, when there is one.
    pub ask: Option<Ask>,
    /// Whether the chain ends here.
    pub halt: bool,
    /// What the dialect could not use at all.
    pub ignored: Vec<Ignored>,
}

/// A decision a hook asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The field that said so, for `ignored`.
    pub what: &'static str,
    /// The verdict.
    pub kind: VerdictKind,
    /// The hook's own words.
    pub reason: Option<String>,
    /// Text to try again with.
    pub feedback: Option<String>,
}

/// Outputs that stand beside the payload, by name, merged.
pub type Additions = IndexMap<String, Value>;

/// What a whole chain came to; the dialect writes its reply from this.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The verdict.
    pub verdict: Verdict,
    /// The payload after all edits that hold.
    pub payload: Payload,
    /// The replacing fields that hooks set, by name, with their last value.
    pub replaced: IndexMap<String, Value>,
    /// The additions, merged; not yet folded into `payload`.
    pub additions: Additions,
    /// A hook ended the chain before its last one.
    pub halted: bool,
}
