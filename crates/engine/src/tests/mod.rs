//! Tests of the chain with a fake dialect. The runs are scripted and take fake time.

mod budget;
mod concurrency;
mod endings;
mod failures;
mod fake_dialect;
mod fake_runner;
mod fake_time;
mod fan;
mod gates;
mod invariants;
mod merging;
mod progress;
mod sessions;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{
    Event, EventSpec, Handler, Hook, Layer, Message, OnFailure, Origin, Payload, Source, Step, Trace,
};
use serde_json::{Value, json};

use crate::{Candidate, EventStart, Session, SessionOptions};
use fake_dialect::{FakeConversation, FakeDialect};
use fake_runner::{FakeRunner, Span};

/// A hook of layer user for event `guard`: fails open, one attempt, timeout ten seconds.
fn hook(name: &str) -> Hook {
    let handler = Handler::Shell {
        command: name.to_owned(),
    };
    Hook {
        label: name.to_owned(),
        timeout: Duration::from_secs(10),
        ..Hook::new("toy", format!("toy:user:{name}"), "guard", handler)
    }
}

/// The same hook, failing closed.
fn closed(name: &str) -> Hook {
    Hook {
        on_failure: OnFailure::Closed,
        ..hook(name)
    }
}

/// The same hook with this many attempts.
fn with_attempts(attempts: u32, hook: Hook) -> Hook {
    Hook { attempts, ..hook }
}

/// The same hook for another event.
fn on(event: &str, hook: Hook) -> Hook {
    Hook {
        event: event.to_owned(),
        ..hook
    }
}

/// The same hook in another layer.
fn in_layer(layer: Layer, hook: Hook) -> Hook {
    Hook {
        source: Source {
            layer,
            ..hook.source.clone()
        },
        ..hook
    }
}

/// A trusted candidate that is not muted.
fn candidate(hook: Hook) -> Candidate {
    Candidate::new(Arc::new(hook), Ok(()), None)
}

fn message(text: &str) -> Message {
    Message {
        code: "toy",
        text: text.to_owned(),
        hint: None,
        args: hookwright_model::Args::new(),
    }
}

/// The result of a fired event, with methods for assertions.
struct FireSummary {
    trace: Trace,
    /// The outcomes when the reply was ready, before detached hooks ran.
    settled: Vec<String>,
    /// The payloads that hooks received, in run order, by label.
    given: Vec<(String, Value)>,
    /// The start and end of each attempt.
    spans: Vec<Span>,
}

/// Fires `event` with the payload `{"text": "hi"}` for these hooks.
fn fire(event: &'static str, hooks: Vec<Hook>, script: FakeRunner) -> FireSummary {
    fire_candidates(event, hooks.into_iter().map(candidate).collect(), script)
}

fn fire_candidates(event: &'static str, candidates: Vec<Candidate>, script: FakeRunner) -> FireSummary {
    let payload = Payload::from_iter([("text".to_owned(), json!("hi"))]);
    fire_payload(event, payload, candidates, script)
}

fn fire_payload(event: &'static str, payload: Payload, candidates: Vec<Candidate>, script: FakeRunner) -> FireSummary {
    fire_with(event, payload, candidates, script, None)
}

/// Fires an event at which hooks can no longer block, for this reason.
fn fire_without_block(
    event: &'static str,
    candidates: Vec<Candidate>,
    script: FakeRunner,
    no_block_reason: Option<Message>,
) -> FireSummary {
    let payload = Payload::from_iter([("text".to_owned(), json!("hi"))]);
    fire_with(event, payload, candidates, script, no_block_reason)
}

fn fire_with(
    event: &'static str,
    payload: Payload,
    candidates: Vec<Candidate>,
    script: FakeRunner,
    no_block_reason: Option<Message>,
) -> FireSummary {
    let spec = FakeDialect.spec(event);
    let event = Event {
        payload: Arc::new(payload),
        ..event_of(spec, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    };
    let script = Arc::new(script);
    let conversation = FakeConversation {
        no_block_reason,
        ..FakeConversation::default()
    };
    let session = Session::resume(&FakeDialect, Box::new(conversation), options(&script));
    let context = script.context();
    let (settled, trace) = script.run_to_end(async {
        let begun = session
            .begin_event(EventStart::at_depth(0))
            .expect("the session is open");
        let fired = begun.fire(spec, event.clone(), candidates, &context).await;
        let mut trace = fired.trace;
        let settled = outcomes(&trace);
        session
            .run_detached(spec, &event, fired.detached, &mut trace, &context)
            .await;
        (settled, trace)
    });
    FireSummary {
        trace,
        settled,
        given: script.received(),
        spans: script.spans(),
    }
}

/// The options of a session whose runs this script decides.
fn options(script: &Arc<FakeRunner>) -> SessionOptions {
    SessionOptions {
        id: None,
        key: "one".to_owned(),
        project: PathBuf::from("/project"),
        runner: script.clone(),
    }
}

/// An event with an empty payload.
fn event_of(spec: &'static EventSpec, trace: &str) -> Event {
    Event {
        trace: trace.to_owned(),
        dialect: "toy",
        name: spec.name,
        origin: Origin::Test,
        session: None,
        agent: None,
        connection: None,
        depth: 0,
        project: PathBuf::from("/project"),
        at: jiff::Timestamp::UNIX_EPOCH,
        payload: Arc::default(),
    }
}

impl FireSummary {
    #[track_caller]
    fn step(&self, name: &str) -> &Step {
        self.trace
            .steps
            .iter()
            .find(|step| step.label == name)
            .expect("the hook has a step")
    }

    /// `label outcome` or `label skipped:reason`, in the order of the trace.
    fn outcomes(&self) -> Vec<String> {
        outcomes(&self.trace)
    }

    /// `what: why` of a step's ignored outputs.
    #[track_caller]
    fn ignored(&self, name: &str) -> Vec<String> {
        self.step(name)
            .ignored
            .iter()
            .map(|ignored| format!("{}: {}", ignored.what, ignored.why))
            .collect()
    }

    /// The texts of the notices.
    fn notices(&self) -> Vec<&str> {
        self.trace.notices.iter().map(|notice| notice.text.as_str()).collect()
    }

    /// `gate:pass` or `gate:fail` for each gate of a step.
    #[track_caller]
    fn gates(&self, name: &str) -> Vec<String> {
        let word = |gate: &hookwright_model::Gate| {
            let name = json!(gate.gate);
            format!(
                "{}:{}",
                name.as_str().unwrap_or_default(),
                if gate.pass { "pass" } else { "fail" }
            )
        };
        self.step(name).gates.iter().map(word).collect()
    }

    fn after(&self) -> Value {
        json!(self.trace.payload_after)
    }
}

fn outcomes(trace: &Trace) -> Vec<String> {
    let of = |step: &Step| match (step.outcome, &step.reason) {
        (hookwright_model::Outcome::Skipped, Some(reason)) => format!("{} skipped:{reason}", step.label),
        (outcome, _) => format!("{} {}", step.label, outcome.as_str()),
    };
    trace.steps.iter().map(of).collect()
}
