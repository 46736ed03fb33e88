//! What is said of the findings, and when. It knows no clock: the time is an argument.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hookwright_model::args;
use hookwright_redact::Redactor;

use super::finding::Finding;
use super::{RULES, Rule, text};
use crate::pushes::{NoticeReason, Push};

/// The same hook is not named again for the same reason within this time.
const QUIET: Duration = Duration::from_secs(600);
/// What comes together within this time is said together.
const GATHER: Duration = Duration::from_millis(500);
/// The time between two notifications. What comes in between is said together.
const PAUSE: Duration = Duration::from_secs(10);
/// How many hooks are remembered. What does not fit may be said again.
const MAX_REMEMBERED: usize = 1000;
/// How many hooks of one reason wait to be said. The rest is left out: nobody counts that far.
const MAX_WAITING: usize = 1000;

/// The same hook for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    reason: NoticeReason,
    project: Option<String>,
    subject: String,
}

/// The findings that wait to be said, and those that were said.
#[derive(Debug, Default)]
pub(super) struct NoticeBoard {
    waiting: Vec<Finding>,
    said: HashMap<Key, Instant>,
    due: Option<Instant>,
    last: Option<Instant>,
}

impl NoticeBoard {
    /// Adds a finding, unless the same was said or added within the last 10 minutes.
    pub fn add(&mut self, finding: Finding, now: Instant) {
        let key = Key {
            reason: finding.reason,
            project: finding.project.clone(),
            subject: finding.subject.clone(),
        };
        if self.said.get(&key).is_some_and(|at| now.duration_since(*at) < QUIET) || self.waiting.len() >= MAX_WAITING {
            return;
        }
        if self.said.len() >= MAX_REMEMBERED {
            self.said.retain(|_, at| now.duration_since(*at) < QUIET);
        }
        if self.said.len() < MAX_REMEMBERED {
            self.said.insert(key, now);
        }
        self.waiting.push(finding);
        let earliest = self.last.map_or(now, |last| last + PAUSE);
        self.due.get_or_insert(earliest.max(now + GATHER));
    }

    /// When [`Self::take`] has something to say; `None` while nothing waits.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The notifications that are due: one for each reason and project, since each leads to a page of one project.
    pub fn take(&mut self, now: Instant, redactor: &Redactor) -> Vec<Push> {
        if self.due.is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.due = None;
        self.last = Some(now);
        let waiting = std::mem::take(&mut self.waiting);
        let mut said = Vec::new();
        for rule in &RULES {
            let mut of_reason: Vec<&Finding> = waiting.iter().filter(|it| it.reason == rule.reason).collect();
            of_reason.sort_by(|one, other| one.project.cmp(&other.project));
            let of_projects = of_reason.chunk_by(|one, other| one.project == other.project);
            said.extend(of_projects.filter_map(|findings| notice(rule, findings, redactor)));
        }
        said
    }
}

/// One notification for all findings of a reason in one project; `None` if there are none.
fn notice(rule: &Rule, findings: &[&Finding], redactor: &Redactor) -> Option<Push> {
    let last = findings.last()?;
    let (message, to) = match findings {
        [one] => (text::sentence(one, redactor), one.at.clone()),
        _ => (
            rule.many.render(args! { "count" => findings.len() }),
            rule.many_at.to_owned(),
        ),
    };
    Some(Push::Notice {
        code: message.code.to_owned(),
        text: message.text,
        args: message.args,
        reason: Some(rule.reason),
        to: Some(to),
        project: last.project.clone(),
    })
}

#[cfg(test)]
mod tests {
    use hookwright_redact::RedactionSettings;

    use super::super::{FAILED_OPEN, WAITS};
    use super::*;

    fn finding(reason: NoticeReason, hook: &str) -> Finding {
        Finding {
            reason,
            message: if reason == NoticeReason::FailedOpen {
                &FAILED_OPEN
            } else {
                &WAITS
            },
            hook: hook.to_owned(),
            subject: hook.to_owned(),
            label: hook.to_owned(),
            event: "e".to_owned(),
            project: Some("/p".to_owned()),
            at: format!("/hooks?hook={hook}"),
        }
    }

    /// The texts and places of what is due at this time.
    fn take(board: &mut NoticeBoard, now: Instant) -> Vec<(String, String)> {
        let redactor = Redactor::new(std::iter::empty::<(&str, &str)>(), &RedactionSettings::default());
        let pushes = board.take(now, &redactor);
        let said = pushes.into_iter().filter_map(|push| match push {
            Push::Notice { text, to, .. } => Some((text, to.unwrap_or_default())),
            Push::Stale { .. }
            | Push::Traces { .. }
            | Push::Engine { .. }
            | Push::Navigate { .. }
            | Push::PromptAnswer { .. } => None,
        });
        said.collect()
    }

    fn open(hook: &str) -> Finding {
        finding(NoticeReason::FailedOpen, hook)
    }

    #[test]
    fn one_finding_names_its_hook_and_leads_to_it() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        assert_eq!(board.due(), None);
        board.add(open("a"), start);
        assert_eq!(board.due(), Some(start + GATHER));
        assert!(take(&mut board, start).is_empty());
        let said = take(&mut board, start + GATHER);
        assert_eq!(
            said,
            [(
                "guard a failed at e; the agent continued".to_owned(),
                "/hooks?hook=a".to_owned()
            )]
        );
        assert_eq!(board.due(), None);
    }

    #[test]
    fn the_same_hook_and_reason_is_not_said_again_within_ten_minutes() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        board.add(open("a"), start);
        assert_eq!(take(&mut board, start + GATHER).len(), 1);
        board.add(open("a"), start + QUIET - Duration::from_secs(1));
        assert_eq!(board.due(), None);
        board.add(
            finding(NoticeReason::WaitsForApproval, "a"),
            start + QUIET - Duration::from_secs(1),
        );
        assert_eq!(take(&mut board, start + QUIET).len(), 1);
        board.add(open("a"), start + QUIET);
        assert_eq!(take(&mut board, start + QUIET + PAUSE).len(), 1);
    }

    #[test]
    fn what_comes_together_is_said_together_for_each_reason() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        for hook in ["a", "b", "b", "c"] {
            board.add(finding(NoticeReason::WaitsForApproval, hook), start);
        }
        board.add(open("a"), start);
        let said: Vec<_> = take(&mut board, start + GATHER);
        assert_eq!(
            said,
            [
                (
                    "guard a failed at e; the agent continued".to_owned(),
                    "/hooks?hook=a".to_owned()
                ),
                ("3 hooks wait for approval".to_owned(), "/trust".to_owned())
            ]
        );
    }

    #[test]
    fn another_definition_under_the_id_of_an_earlier_one_is_another_hook() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        board.add(open("a"), start);
        let moved = Finding {
            subject: "another".to_owned(),
            ..open("a")
        };
        board.add(moved, start);
        assert_eq!(
            take(&mut board, start + GATHER)[0].0,
            "2 guards failed open; the agent continued"
        );
    }

    #[test]
    fn each_project_is_told_of_its_own_hooks() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        let waits = |hook, project: &str| Finding {
            project: Some(project.to_owned()),
            ..finding(NoticeReason::WaitsForApproval, hook)
        };
        for (hook, project) in [("a", "/one"), ("a", "/two"), ("b", "/one")] {
            board.add(waits(hook, project), start);
        }
        let texts: Vec<String> = take(&mut board, start + GATHER)
            .into_iter()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, ["2 hooks wait for approval", "hook a at e waits for approval"]);
    }

    #[test]
    fn two_notifications_are_ten_seconds_apart() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        board.add(open("a"), start);
        let first = start + GATHER;
        assert_eq!(take(&mut board, first).len(), 1);
        board.add(open("b"), first);
        board.add(open("c"), first + Duration::from_secs(9));
        assert_eq!(board.due(), Some(first + PAUSE));
        assert_eq!(
            take(&mut board, first + PAUSE)[0].0,
            "2 guards failed open; the agent continued"
        );
    }

    #[test]
    fn a_flood_of_hooks_is_bounded() {
        let (mut board, start) = (NoticeBoard::default(), Instant::now());
        for n in 0..3 * MAX_WAITING {
            board.add(open(&n.to_string()), start);
        }
        assert_eq!((board.waiting.len(), board.said.len()), (MAX_WAITING, MAX_REMEMBERED));
        let said = take(&mut board, start + GATHER);
        assert_eq!(said[0].0, "1000 guards failed open; the agent continued");
        board.add(open("another"), start + QUIET);
        assert_eq!(board.said.len(), 1);
    }
}
