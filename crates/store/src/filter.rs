//! Which traces a page is about.

use hookwright_model::trace::Trace;
use hookwright_model::{Outcome, VerdictKind};
use jiff::Timestamp;

use crate::projection::{Tag, TagKind, tags_of};

/// All conditions that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// Fired in this project.
    pub project: Option<String>,
    /// This event.
    pub event: Option<String>,
    /// This dialect.
    pub dialect: Option<String>,
    /// With a step of this outcome.
    pub outcome: Option<Outcome>,
    /// With a step of this hook, run or not.
    pub hook: Option<String>,
    /// With this verdict.
    pub verdict: Option<VerdictKind>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
}

impl TraceFilter {
    /// The marks a trace must carry.
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

    /// The earliest time in nanoseconds.
    pub(crate) fn since_ns(&self) -> i64 {
        self.since
            .map_or(i64::MIN, |at| i64::try_from(at.as_nanosecond()).unwrap_or(i64::MIN))
    }

    /// The time that ends it, in nanoseconds.
    pub(crate) fn until_ns(&self) -> i64 {
        self.until
            .map_or(i64::MAX, |at| i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX))
    }

    /// Whether it lets a trace through.
    #[must_use]
    pub fn matches(&self, trace: &Trace) -> bool {
        let tags = tags_of(trace);
        self.required_tags().iter().all(|tag| tags.contains(tag))
            && self.since.is_none_or(|since| trace.at >= since)
            && self.until.is_none_or(|until| trace.at < until)
    }
}
