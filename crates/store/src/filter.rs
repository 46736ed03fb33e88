//! Which traces a page is about.

use hookwright_model::trace::Trace;
use hookwright_model::{Outcome, VerdictKind};
use jiff::Timestamp;

use crate::digest::{Mark, MarkKind, marks};

/// All conditions that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
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

impl Filter {
    /// The marks a trace must carry.
    pub(crate) fn marks(&self) -> Vec<Mark<'_>> {
        let marks = [
            (MarkKind::Project, self.project.as_deref()),
            (MarkKind::Event, self.event.as_deref()),
            (MarkKind::Dialect, self.dialect.as_deref()),
            (MarkKind::Outcome, self.outcome.map(|outcome| outcome.as_str())),
            (MarkKind::Hook, self.hook.as_deref()),
            (MarkKind::Verdict, self.verdict.map(|kind| kind.as_str())),
        ];
        marks
            .into_iter()
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
        let carried = marks(trace);
        self.marks().iter().all(|mark| carried.contains(mark))
            && self.since.is_none_or(|since| trace.at >= since)
            && self.until.is_none_or(|until| trace.at < until)
    }
}
