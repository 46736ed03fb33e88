//! Which traces a page lists.

use hookwright_model::{Outcome, VerdictKind};
use jiff::Timestamp;

use crate::metrics::KnownHook;
use crate::projection::{Tag, TagKind};
use crate::spool_reader::nanos;

/// Conditions on traces. A trace matches if it meets all conditions that are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// The event was fired in this project.
    pub project: Option<String>,
    /// The event has this name.
    pub event: Option<String>,
    /// The event is of this dialect.
    pub dialect: Option<String>,
    /// At least one step has this outcome.
    pub outcome: Option<Outcome>,
    /// This hook has a step, run or not.
    pub hook: Option<String>,
    /// This hook has a step, run or not, also with an id or a definition that it had earlier.
    pub identity: Option<WantedHook>,
    /// With both a hook and an outcome: a step of this hook has this outcome.
    pub same_step: bool,
    /// The chain has this verdict.
    pub verdict: Option<VerdictKind>,
    /// The event was fired at this time or later.
    pub since: Option<Timestamp>,
    /// The event was fired before this time.
    pub until: Option<Timestamp>,
}

/// A hook by its identity (`engine.md` §13).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedHook {
    /// The identity.
    pub uid: String,
    /// It and the hooks from which it must be told apart.
    pub known: Vec<KnownHook>,
}

impl TraceFilter {
    /// The tags that a matching trace must have.
    pub(crate) fn required_tags(&self) -> Vec<Tag<'_>> {
        let tags = [
            (TagKind::Project, self.project.as_deref()),
            (TagKind::Event, self.event.as_deref()),
            (TagKind::Dialect, self.dialect.as_deref()),
            (TagKind::Outcome, self.outcome.map(|outcome| outcome.as_str())),
            (TagKind::Hook, self.hook.as_deref()),
            (TagKind::Verdict, self.verdict.map(|kind| kind.as_str())),
        ];
        tags.into_iter()
            .filter_map(|(kind, value)| Some((kind, value?)))
            .collect()
    }

    /// The earliest time, in nanoseconds since 1970.
    pub(crate) fn since_ns(&self) -> i64 {
        self.since.map_or(i64::MIN, nanos)
    }

    /// The time at which the period ends, in nanoseconds since 1970. It is not part of the period.
    pub(crate) fn until_ns(&self) -> i64 {
        self.until.map_or(i64::MAX, nanos)
    }
}
