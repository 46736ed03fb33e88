//! What of a recorded event the user may want to know. The table is the rule; the first row that holds is taken.

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::compact::{CompactStep, RecordedSentence};
use hookwright_model::{CompactTrace, Hook, Layer, MessageTemplate, Origin, Outcome, SkipReason};
use hookwright_workspace::settings::NotificationSettings;

use super::finding::Finding;
use super::text::path;
use super::{BUDGET_SPENT, FAILED_OPEN, OVER_LIMIT, TIMED_OUT_OPEN, WAITED, WAITS, is_on};
use crate::pushes::NoticeReason;

/// Which events a row of the table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Events {
    /// Events whose hooks can block: a hook there is a guard.
    Blocking,
    All,
}

/// Where the user sees more.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The step of the recorded event.
    Execution,
    /// The hook, with its metrics and its definition.
    Hook,
    /// The review of the hook.
    Review,
}

struct StepRule {
    outcome: Outcome,
    /// The reason of a skipped step; `None` for other outcomes.
    skipped: Option<SkipReason>,
    events: Events,
    reason: NoticeReason,
    message: &'static MessageTemplate,
    place: Place,
}

/// How a step ended, and what that means. A guard that timed out and failed open is both; the first reason that is
/// switched on is said.
const STEPS: [StepRule; 6] = [
    StepRule {
        outcome: Outcome::FailedOpen,
        skipped: None,
        events: Events::Blocking,
        reason: NoticeReason::FailedOpen,
        message: &FAILED_OPEN,
        place: Place::Execution,
    },
    StepRule {
        outcome: Outcome::TimedOutOpen,
        skipped: None,
        events: Events::Blocking,
        reason: NoticeReason::FailedOpen,
        message: &TIMED_OUT_OPEN,
        place: Place::Execution,
    },
    StepRule {
        outcome: Outcome::TimedOutOpen,
        skipped: None,
        events: Events::All,
        reason: NoticeReason::OverBudget,
        message: &OVER_LIMIT,
        place: Place::Hook,
    },
    StepRule {
        outcome: Outcome::TimedOutClosed,
        skipped: None,
        events: Events::All,
        reason: NoticeReason::OverBudget,
        message: &OVER_LIMIT,
        place: Place::Hook,
    },
    StepRule {
        outcome: Outcome::Skipped,
        skipped: Some(SkipReason::BudgetSpent),
        events: Events::All,
        reason: NoticeReason::OverBudget,
        message: &BUDGET_SPENT,
        place: Place::Execution,
    },
    StepRule {
        outcome: Outcome::Skipped,
        skipped: Some(SkipReason::Untrusted),
        events: Events::All,
        reason: NoticeReason::WaitsForApproval,
        message: &WAITED,
        place: Place::Review,
    },
];

impl StepRule {
    fn holds(&self, step: &CompactStep, events: Events) -> bool {
        let skipped = match &step.reason {
            Some(RecordedSentence::Own(reason)) => Some(reason.as_str()),
            Some(RecordedSentence::Missing(_)) | None => None,
        };
        self.outcome == step.outcome
            && (self.events == Events::All || self.events == events)
            && self.skipped.is_none_or(|reason| skipped == Some(reason.as_str()))
    }

    fn finding(&self, trace: &CompactTrace, index: usize, step: &CompactStep) -> Finding {
        // The file of a step is absent if it is that of the step before.
        let file = trace.steps[..=index].iter().rev().find_map(|step| step.file.as_ref());
        let is_of_session = file.is_some_and(|file| file.layer == Layer::Session);
        let execution = || path("/history", &[("trace", &trace.trace), ("step", &index.to_string())]);
        Finding {
            reason: self.reason,
            message: self.message,
            hook: step.hook.clone(),
            subject: match self.place {
                Place::Review => subject_of_review(&step.hook, &step.version),
                Place::Execution | Place::Hook => step.hook.clone(),
            },
            label: step.label.clone(),
            event: trace.event.clone(),
            project: trace.project.clone(),
            at: match self.place {
                Place::Execution => execution(),
                // The list of hooks has no hook of a session.
                Place::Hook if is_of_session => execution(),
                Place::Hook => path("/hooks", &[("hook", &step.hook)]),
                Place::Review => review_of(&step.hook),
            },
        }
    }
}

/// The same for a hook that began to wait and for one that did not run because it waits: it is said once.
fn subject_of_review(hook: &str, version: &str) -> String {
    format!("{hook} {version}")
}

fn review_of(hook: &str) -> String {
    path("/trust", &[("hook", hook)])
}

/// What a recorded event tells, as far as the settings ask for it. Only events of agents do: whoever fires an event by
/// hand sees what becomes of it.
pub(super) fn of_trace(trace: &CompactTrace, settings: &NotificationSettings) -> Vec<Finding> {
    let of_agent = match trace.origin {
        Origin::Agent | Origin::Reported => true,
        Origin::Cli | Origin::Window | Origin::Simulated | Origin::Replay | Origin::Test => false,
    };
    if !of_agent {
        return Vec::new();
    }
    let events = events_of(trace);
    let steps = trace.steps.iter().enumerate();
    let found = steps.filter_map(|(index, step)| {
        let rule = STEPS
            .iter()
            .find(|rule| rule.holds(step, events) && is_on(rule.reason, settings))?;
        Some(rule.finding(trace, index, step))
    });
    found.collect()
}

/// An event of an unknown dialect counts as one that can block: a failure is rather said than hidden.
fn events_of(trace: &CompactTrace) -> Events {
    let card = find_dialect(&trace.dialect).ok().map(|dialect| dialect.card());
    match card.and_then(|card| card.event(&trace.event)) {
        Some(event) if event.notify_only => Events::All,
        Some(_) | None => Events::Blocking,
    }
}

/// A new hook that waits for approval.
pub(super) fn of_pending(hook: &Hook, project: &str) -> Finding {
    Finding {
        reason: NoticeReason::WaitsForApproval,
        message: &WAITS,
        hook: hook.id.clone(),
        subject: subject_of_review(&hook.id, &hook.version()),
        label: hook.label.clone(),
        event: hook.event.clone(),
        project: Some(project.to_owned()),
        at: review_of(&hook.id),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const ALL: NotificationSettings = NotificationSettings {
        failed_open: true,
        over_budget: true,
        waits_for_approval: true,
    };

    fn trace(origin: &str, event: &str, steps: &Value) -> CompactTrace {
        serde_json::from_value(json!({
            "trace": "01K", "dialect": "jcli", "event": event, "origin": origin, "project": "/p",
            "at": "2026-01-15T10:30:00Z", "took_ms": 1.0, "steps": steps,
        }))
        .unwrap()
    }

    fn step(outcome: &str, reason: Option<&str>) -> Value {
        let mut step = json!({"hook": "jcli:project:x:0", "label": "guard.sh", "handler": "shell", "outcome": outcome,
                              "file": {"layer": "project", "path": "/p/.jcli/hooks.yaml"}});
        if let Some(reason) = reason {
            step["reason"] = json!(reason);
        }
        step
    }

    fn found(event: &str, step: Value, settings: &NotificationSettings) -> Vec<(NoticeReason, &'static str, String)> {
        let findings = of_trace(&trace("agent", event, &json!([step])), settings);
        findings
            .into_iter()
            .map(|finding| (finding.reason, finding.message.case, finding.at))
            .collect()
    }

    #[test]
    fn each_outcome_that_matters_has_its_reason_and_its_place() {
        use NoticeReason::{FailedOpen, OverBudget, WaitsForApproval};
        let execution = "/history?trace=01K&step=0";
        let hook = "/hooks?hook=jcli:project:x:0";
        for (event, outcome, skipped, expected) in [
            (
                "pre_tool_execution",
                "failed_open",
                None,
                Some((FailedOpen, "failed", execution)),
            ),
            (
                "pre_tool_execution",
                "timed_out_open",
                None,
                Some((FailedOpen, "timed_out", execution)),
            ),
            ("session_start", "failed_open", None, None),
            (
                "session_start",
                "timed_out_open",
                None,
                Some((OverBudget, "limit", hook)),
            ),
            (
                "pre_tool_execution",
                "timed_out_closed",
                None,
                Some((OverBudget, "limit", hook)),
            ),
            (
                "pre_tool_execution",
                "skipped",
                Some("budget_spent"),
                Some((OverBudget, "budget", execution)),
            ),
            (
                "pre_tool_execution",
                "skipped",
                Some("untrusted"),
                Some((WaitsForApproval, "skipped", "/trust?hook=jcli:project:x:0")),
            ),
            ("pre_tool_execution", "skipped", Some("muted"), None),
            ("pre_tool_execution", "failed_closed", None, None),
            ("pre_tool_execution", "denied", None, None),
            ("pre_tool_execution", "no_opinion", None, None),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(reason, case, at)| (reason, case, at.to_owned()))
                .collect();
            assert_eq!(
                found(event, step(outcome, skipped), &ALL),
                expected,
                "{event} {outcome} {skipped:?}"
            );
        }
    }

    #[test]
    fn a_reason_that_is_switched_off_is_not_said() {
        let without_open = NotificationSettings {
            failed_open: false,
            ..ALL
        };
        let timed_out = found("pre_tool_execution", step("timed_out_open", None), &without_open);
        assert_eq!(
            timed_out.first().map(|(reason, ..)| *reason),
            Some(NoticeReason::OverBudget)
        );
        assert!(found("pre_tool_execution", step("failed_open", None), &without_open).is_empty());
        let without_review = NotificationSettings {
            waits_for_approval: false,
            ..ALL
        };
        assert!(
            found(
                "pre_tool_execution",
                step("skipped", Some("untrusted")),
                &without_review
            )
            .is_empty()
        );
    }

    #[test]
    fn only_events_of_agents_are_said() {
        let steps = json!([step("failed_open", None)]);
        for (origin, count) in [
            ("agent", 1),
            ("reported", 1),
            ("cli", 0),
            ("window", 0),
            ("simulated", 0),
            ("replay", 0),
            ("test", 0),
        ] {
            assert_eq!(
                of_trace(&trace(origin, "pre_tool_execution", &steps), &ALL).len(),
                count,
                "{origin}"
            );
        }
    }

    #[test]
    fn a_hook_of_a_session_is_shown_in_its_execution() {
        let mut timed_out = step("timed_out_closed", None);
        timed_out["file"] = json!({"layer": "session", "path": ""});
        assert_eq!(
            found("pre_tool_execution", timed_out, &ALL)[0].2,
            "/history?trace=01K&step=0"
        );
    }
}
