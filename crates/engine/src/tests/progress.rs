//! What a host sees of a chain while it runs.

use std::sync::{Arc, Mutex};

use hookwright_model::{Hook, Outcome, RunProgress};
use serde_json::json;

use super::*;
use crate::{ChainContext, ChainProgress};

/// Writes down what it is told.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }
}

impl ChainProgress for Notes {
    fn chain_began(&self, hooks: &mut dyn Iterator<Item = (usize, &Arc<Hook>)>) {
        let labels: Vec<String> = hooks.map(|(step, hook)| format!("{step} {}", hook.label)).collect();
        self.add(format!("chain: {}", labels.join(", ")));
    }

    fn attempt_began(&self, step: usize) -> Option<Arc<dyn RunProgress>> {
        self.add(format!("{step} began"));
        None
    }

    fn attempt_ended(&self, step: usize) {
        self.add(format!("{step} ended"));
    }

    fn step_ended(&self, step: usize, outcome: Outcome) {
        self.add(format!("{step} {}", json!(outcome).as_str().unwrap_or_default()));
    }
}

/// What is noted of an event of `guard` with these hooks.
fn notes_of(hooks: Vec<Hook>, script: FakeRunner) -> Vec<String> {
    let script = Arc::new(script);
    let notes = Notes::default();
    let session = Session::open(&FakeDialect, options(&script));
    let spec = FakeDialect.spec("guard");
    let context = ChainContext {
        progress: Some(&notes),
        ..script.context()
    };
    let candidates = hooks.into_iter().map(candidate).collect();
    let fired =
        session
            .begin_event(EventStart::at_depth(0))
            .unwrap()
            .fire(spec, event_of(spec, "t"), candidates, &context);
    script.run_to_end(fired);
    notes.0.into_inner().unwrap()
}

#[test]
fn each_step_is_reported_when_it_begins_and_when_it_ends() {
    let script = FakeRunner::new()
        .prints("a", json!({}))
        .prints("b", json!({"text": "one"}))
        .prints("c", json!({}));
    let disabled = Hook {
        disabled_reason: Some(hookwright_model::DisabledReason::Disabled(message("off"))),
        ..hook("off")
    };
    let notes = notes_of(vec![hook("a"), disabled, hook("b"), hook("c")], script);
    assert_eq!(
        notes[..4],
        ["chain: 0 a, 2 b, 3 c", "0 began", "0 ended", "0 no_opinion"]
    );
    assert_eq!(notes[4..7], ["2 began", "2 ended", "2 changed"]);
    assert_eq!(notes[7..], ["3 began", "3 ended", "3 no_opinion"]);
}

#[test]
fn a_step_that_is_tried_again_has_no_outcome_before_its_last_attempt() {
    let script = FakeRunner::new().breaks("a", 1).breaks("a", 1);
    let notes = notes_of(vec![with_attempts(2, hook("a"))], script);
    assert_eq!(
        notes,
        [
            "chain: 0 a",
            "0 began",
            "0 ended",
            "0 began",
            "0 ended",
            "0 failed_open"
        ]
    );
}
