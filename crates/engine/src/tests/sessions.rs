//! Sessions: events side by side, what is remembered, hooks of the session, agents that run their own hooks, bounds, and
//! the end (`CONTRACTS.md` §3).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either, join, join_all, select};
use hookwright_model::{
    AgentCalls, Call, CallbackCall, Cancelled, Captured, End, Event, EventConnection, Hook, Layer, Payload,
    PlaceRequest, PromptCall, Run, RunContext, RunMode, RunPlace, Runner, Wire,
};
use serde_json::{Value, json};

use super::fake_dialect::FakeDialect;
use super::fake_runner::FakeRunner;
use super::{candidate, closed, event_of, hook, in_layer, options, outcomes};
use crate::{
    Candidate, ChainRecord, EventStart, FileHooks, Session, SessionEvent, SessionOptions, SessionRefusal, SessionRunner,
};

fn open(script: &Arc<FakeRunner>) -> Arc<Session> {
    Session::open(&FakeDialect, options(script))
}

fn begin(session: &Arc<Session>) -> SessionEvent {
    session
        .begin_event(EventStart::at_depth(0))
        .expect("the session accepts it")
}

/// Fires event `guard` with these hooks and those of the session.
async fn fire(session: &Arc<Session>, script: &FakeRunner, trace: &str, hooks: Vec<Hook>) -> ChainRecord {
    fire_from(0, session, script, trace, hooks).await
}

/// Fires the event from a connection of this group.
async fn fire_from(
    group: u64,
    session: &Arc<Session>,
    script: &FakeRunner,
    trace: &str,
    hooks: Vec<Hook>,
) -> ChainRecord {
    let connection = EventConnection {
        number: group,
        group,
        program: String::new(),
    };
    let spec = FakeDialect.spec("guard");
    let own = session.hooks();
    let own = own.iter().map(|hook| crate::Candidate::new(hook.clone(), Ok(()), None));
    let candidates = hooks.into_iter().map(candidate).chain(own).collect();
    let event = Event {
        connection: Some(connection),
        ..event_of(spec, trace)
    };
    begin(session).fire(spec, event, candidates, &script.context()).await
}

#[test]
fn programs_that_have_nothing_to_do_with_each_other_do_not_share_the_state_of_the_conversation() {
    let script = Arc::new(FakeRunner::new());
    let session = open(&script);
    for (group, trace) in [(0, "first"), (1, "other"), (0, "second")] {
        script.run_to_end(fire_from(group, &session, &script, trace, Vec::new()));
    }
    assert_eq!(session.conversation_json(0), json!(["first read 0", "second read 1"]));
    assert_eq!(session.conversation_json(1), json!(["other read 0"]));
}

#[test]
fn events_of_a_session_run_side_by_side_and_are_remembered_in_the_order_of_their_ends() {
    let script = Arc::new(FakeRunner::new().prints_after("slow", 5000, json!({})).prints_after(
        "quick",
        1000,
        json!({}),
    ));
    let session = open(&script);
    script.run_to_end(join(
        fire(&session, &script, "slow-event", vec![hook("slow")]),
        fire(&session, &script, "quick-event", vec![hook("quick")]),
    ));
    let starts: Vec<Duration> = script.spans().iter().map(|span| span.start).collect();
    assert_eq!(starts, [Duration::ZERO; 2], "neither waited for the other");
    assert_eq!(
        session.conversation_json(0),
        json!(["quick-event read 0", "slow-event read 0"]),
        "each chain keeps what it read when it began"
    );
}

#[test]
fn an_event_inside_four_hooks_is_refused() {
    let script = Arc::new(FakeRunner::new());
    let at_depth = |depth| open(&script).begin_event(EventStart::at_depth(depth)).err();
    assert_eq!(at_depth(3), None);
    assert_eq!(at_depth(4), Some(SessionRefusal::TooDeep { depth: 4 }));
}

#[test]
fn closing_stops_running_hooks_and_later_events_are_refused() {
    let script = Arc::new(FakeRunner::new().hangs("a"));
    let session = open(&script);
    session
        .add_hooks(&[Arc::new(in_layer(Layer::Session, hook("own")))])
        .expect("the session is open");
    let record = script.run_to_end(async {
        let event = fire(&session, &script, "t", vec![closed("a"), hook("b")]);
        let close = async {
            script.pass(Duration::from_secs(1)).await;
            session.close();
        };
        join(event, close).await.0
    });
    assert_eq!(
        outcomes(&record.trace),
        ["a skipped:cancelled", "b skipped:cancelled", "own skipped:cancelled"]
    );
    assert_eq!(
        session.begin_event(EventStart::at_depth(0)).err(),
        Some(SessionRefusal::Closed)
    );
    assert_eq!(
        session.add_hooks(&[Arc::new(hook("late"))]),
        Err(SessionRefusal::Closed)
    );
    assert!(session.hooks().is_empty());
    session.close();
    assert_eq!(
        script.closed_sessions(),
        ["one", "one"],
        "once more for peers that the stopped run may have started"
    );
}

#[test]
fn a_session_that_ends_when_idle_stops_no_event_that_it_has_accepted() {
    let script = Arc::new(FakeRunner::new().prints_after("a", 2000, json!({})));
    let session = open(&script);
    let record = script.run_to_end(async {
        let event = fire(&session, &script, "t", vec![hook("a")]);
        let end = async {
            script.pass(Duration::from_secs(1)).await;
            session.close_when_idle();
            assert_eq!(
                session.begin_event(EventStart::at_depth(0)).err(),
                Some(SessionRefusal::Closed)
            );
            assert_eq!(
                session.add_hooks(&[Arc::new(hook("late"))]),
                Err(SessionRefusal::Closed)
            );
            assert!(script.closed_sessions().is_empty());
        };
        join(event, end).await.0
    });
    assert_eq!(outcomes(&record.trace), ["a no_opinion"]);
    assert_eq!(script.closed_sessions(), ["one"]);
    let idle = open(&script);
    idle.close_when_idle();
    assert_eq!(script.closed_sessions().len(), 2);
}

#[test]
fn a_peer_that_starts_while_its_session_is_closed_is_closed_too() {
    let script = Arc::new(FakeRunner::new().hangs("a"));
    let session = open(&script);
    let mut event = Box::pin(fire(&session, &script, "t", vec![hook("a")]));
    assert!((&mut event).now_or_never().is_none(), "the hook runs");
    session.close();
    // The host gives the event up: its run never returns.
    drop(event);
    drop(session);
    assert_eq!(script.closed_sessions(), ["one", "one"]);
}

#[test]
fn a_session_ends_when_its_last_user_lets_go_of_it() {
    let script = Arc::new(FakeRunner::new());
    let session = open(&script);
    let event = begin(&session);
    drop(session);
    assert!(script.closed_sessions().is_empty(), "its event is still running");
    drop(event);
    assert_eq!(script.closed_sessions(), ["one"]);
}

#[test]
fn detached_hooks_end_with_their_session() {
    let script = Arc::new(FakeRunner::new().hangs("a"));
    let session = open(&script);
    let spec = FakeDialect.spec("guard");
    let trace = script.run_to_end(async {
        let hook = Hook {
            mode: RunMode::Detach,
            ..hook("a")
        };
        let record = fire(&session, &script, "t", vec![hook]).await;
        let mut trace = record.trace;
        assert_eq!(outcomes(&trace), ["a detached"]);
        let event = event_of(spec, "t");
        let context = script.context();
        let detached = session.run_detached(spec, &event, record.detached, &mut trace, &context);
        let close = async {
            script.pass(Duration::from_secs(1)).await;
            session.close();
        };
        join(detached, close).await;
        trace
    });
    assert_eq!(outcomes(&trace), ["a skipped:cancelled"]);
    assert_eq!(trace.steps[0].attempts.len(), 1);
}

#[test]
fn hooks_of_a_session_run_after_those_of_the_files_until_they_are_removed() {
    let script = FakeRunner::new()
        .prints("file", json!({}))
        .prints("own", json!({}))
        .prints("file", json!({}));
    let script = Arc::new(script);
    let session = open(&script);
    let own = Arc::new(in_layer(Layer::Session, hook("own")));
    session
        .add_hooks(std::slice::from_ref(&own))
        .expect("the session is open");
    let with_own = script.run_to_end(fire(&session, &script, "1", vec![hook("file")]));
    assert_eq!(outcomes(&with_own.trace), ["file no_opinion", "own no_opinion"]);
    assert!(session.remove_hook(&own.id) && !session.remove_hook(&own.id));
    let without = script.run_to_end(fire(&session, &script, "2", vec![hook("file")]));
    assert_eq!(outcomes(&without.trace), ["file no_opinion"]);
}

#[test]
fn at_an_event_of_a_native_agent_only_hooks_of_the_session_run() {
    let script = Arc::new(FakeRunner::new().prints("own", json!({})));
    let session = open(&script);
    session
        .add_hooks(&[Arc::new(in_layer(Layer::Session, hook("own")))])
        .expect("the session is open");
    let broken = Hook {
        invalid: Some(super::message("no command")),
        blocks_when_invalid: Some(super::message("invalid guard")),
        ..closed("broken")
    };
    let start = EventStart {
        file_hooks: FileHooks::Agent,
        ..EventStart::at_depth(0)
    };
    let begun = session.begin_event(start).expect("the session accepts it");
    let own = begun.session_hooks().to_vec();
    let own = own.iter().map(|hook| Candidate::new(hook.clone(), Ok(()), None));
    let candidates = [hook("file"), broken].map(candidate).into_iter().chain(own).collect();
    let (spec, context) = (FakeDialect.spec("guard"), script.context());
    let record = script.run_to_end(begun.fire(spec, event_of(spec, "t"), candidates, &context));
    assert_eq!(
        outcomes(&record.trace),
        [
            "own no_opinion",
            "file skipped:agent_runs_it",
            "broken skipped:agent_runs_it"
        ],
        "an invalid guard blocks nothing here"
    );
    let file = record.trace.steps.iter().find(|step| step.label == "file").unwrap();
    let gates: Vec<(Value, bool)> = file.gates.iter().map(|gate| (json!(gate.gate), gate.pass)).collect();
    assert_eq!(gates, [(json!("enabled"), false)], "such a step says nothing else");
    assert!(record.trace.notices.is_empty());
    assert_eq!(script.received().len(), 1);
}

#[test]
fn an_event_gets_only_the_hooks_of_its_session_that_serve_it() {
    let script = Arc::new(FakeRunner::new());
    let session = open(&script);
    let hooks = ["mine", "theirs"].map(|name| Arc::new(in_layer(Layer::Session, hook(name))));
    session.add_hooks(&hooks).expect("the session is open");
    let start = EventStart {
        takes_part: &|hook| hook.label == "mine",
        ..EventStart::at_depth(0)
    };
    let begun = session.begin_event(start).expect("the session accepts it");
    let labels: Vec<&str> = begun.session_hooks().iter().map(|hook| hook.label.as_str()).collect();
    assert_eq!(labels, ["mine"]);
}

#[test]
fn all_hooks_of_an_event_know_how_deep_they_are_nested() {
    struct DepthRunner;
    impl Runner for DepthRunner {
        fn run<'a>(&'a self, _: Call, context: RunContext) -> BoxFuture<'a, Run> {
            let run = run_of("agent", context.depth.to_string());
            futures::future::ready(run).boxed()
        }
    }
    let script = Arc::new(FakeRunner::new());
    let options = SessionOptions {
        runner: Arc::new(DepthRunner),
        ..options(&script)
    };
    let session = Session::open(&FakeDialect, options);
    let spec = FakeDialect.spec("guard");
    let event = Event {
        depth: 2,
        ..event_of(spec, "t")
    };
    let begun = session
        .begin_event(EventStart::at_depth(2))
        .expect("the session accepts it");
    let context = script.context();
    let fired = begun.fire(
        spec,
        event,
        vec![Candidate::new(Arc::new(hook("a")), Ok(()), None)],
        &context,
    );
    let record = script.run_to_end(fired);
    assert_eq!(record.trace.steps[0].attempts[0].stdout, "3");
}

/// A run that was answered with this text.
fn run_of(command: &str, stdout: impl Into<Vec<u8>>) -> Run {
    Run {
        end: End::Replied,
        code: None,
        signal: None,
        stdin: Captured::default(),
        stdout: Captured::new(stdout),
        stderr: Captured::default(),
        took: Duration::ZERO,
        command: vec![command.to_owned()],
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

/// An agent that answers callbacks, and prompts if it offers its model.
struct FakeAgent {
    offers_model: bool,
}

impl AgentCalls for FakeAgent {
    fn offers_model(&self, _: &RunContext) -> bool {
        self.offers_model
    }

    fn call_back<'a>(&'a self, call: CallbackCall, _: RunContext) -> BoxFuture<'a, Run> {
        futures::future::ready(run_of("agent", call.callback)).boxed()
    }

    fn complete<'a>(&'a self, call: PromptCall, _: RunContext) -> BoxFuture<'a, Run> {
        futures::future::ready(run_of("agent", call.prompt)).boxed()
    }
}

/// The engine's own runner, which reports that it was asked.
struct OwnRunner;

impl Runner for OwnRunner {
    fn run<'a>(&'a self, _: Call, _: RunContext) -> BoxFuture<'a, Run> {
        futures::future::ready(run_of("engine", "")).boxed()
    }
}

#[test]
fn callbacks_go_to_the_agent_and_prompts_to_the_one_that_has_a_model() {
    let callback = Call::Callback(CallbackCall {
        callback: "cb".into(),
        event: "stop",
        input: json!({}),
        tool_use_id: None,
    });
    let prompt = Call::Prompt(PromptCall {
        system: String::new(),
        prompt: "p".into(),
        model: None,
        max_tokens: 1,
        temperature: 0.0,
    });
    let process = FakeDialect.encode(
        &hook("a"),
        FakeDialect.spec("guard"),
        &Payload::new(),
        Path::new("/project"),
    );
    for (offers_model, wanted) in [
        (true, ["agent", "agent", "engine"]),
        (false, ["agent", "engine", "engine"]),
    ] {
        let runner = SessionRunner::new(Arc::new(OwnRunner), Arc::new(FakeAgent { offers_model }));
        let calls = [callback.clone(), prompt.clone(), process.clone()];
        let context = || RunContext {
            hook: "toy:user:a".into(),
            session: "one".into(),
            trace: "t".into(),
            run: "r".into(),
            depth: 1,
            connection: None,
            limit: Duration::from_secs(1),
            cancelled: futures::future::pending().boxed().shared(),
            progress: None,
        };
        let runs = calls.map(|call| runner.run(call, context()));
        let runs = futures::executor::block_on(join_all(runs));
        let answered: Vec<&str> = runs.iter().map(|run| run.command[0].as_str()).collect();
        assert_eq!(answered, wanted);
    }
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let script = Arc::new(FakeRunner::new());
    let (first, second) = (open(&script), open(&script));
    first.add_hooks(&[Arc::new(hook("own"))]).expect("the session is open");
    assert!(second.hooks().is_empty());
    first.close();
    assert!(second.begin_event(EventStart::at_depth(0)).is_ok());
}

/// A runner with one place, which another run holds for this long.
struct BusyRunner {
    script: Arc<FakeRunner>,
    until: Duration,
}

impl Runner for BusyRunner {
    fn run<'a>(&'a self, call: Call, context: RunContext) -> BoxFuture<'a, Run> {
        self.script.run(call, context)
    }

    fn reserve<'a>(&'a self, _: &Call, _: PlaceRequest<'_>, cancelled: Cancelled) -> BoxFuture<'a, Option<RunPlace>> {
        async move {
            match select(self.script.pass(self.until).boxed(), cancelled).await {
                Either::Left(_) => Some(RunPlace::default()),
                Either::Right(_) => None,
            }
        }
        .boxed()
    }
}

fn busy(script: &Arc<FakeRunner>, until_secs: u64) -> Arc<Session> {
    let runner = BusyRunner {
        script: script.clone(),
        until: Duration::from_secs(until_secs),
    };
    let options = SessionOptions {
        runner: Arc::new(runner),
        ..options(script)
    };
    Session::open(&FakeDialect, options)
}

#[test]
fn the_deadline_of_a_hook_begins_when_it_has_a_place() {
    let script = Arc::new(FakeRunner::new().prints_after("a", 9000, json!({})));
    let session = busy(&script, 8);
    let record = script.run_to_end(fire(&session, &script, "t", vec![hook("a")]));
    assert_eq!(outcomes(&record.trace), ["a no_opinion"], "it has ten seconds");
    let attempt = &record.trace.steps[0].attempts[0];
    assert_eq!((attempt.started_ms, attempt.took_ms), (8000.0, 9000.0));
}

#[test]
fn the_wait_for_a_place_takes_nothing_from_the_budget_of_the_chain() {
    let script = FakeRunner::new().prints_after("a", 10, json!({}));
    let script = Arc::new(script.prints_after("b", 10, json!({})));
    let session = busy(&script, 40);
    let record = script.run_to_end(fire(&session, &script, "t", vec![hook("a"), hook("b")]));
    assert_eq!(outcomes(&record.trace), ["a no_opinion", "b no_opinion"]);
}

#[test]
fn a_hook_that_is_stopped_while_it_waits_for_a_place_was_never_started() {
    let script = Arc::new(FakeRunner::new());
    let session = busy(&script, 8);
    let record = script.run_to_end(async {
        let event = fire(&session, &script, "t", vec![hook("a")]);
        let close = async {
            script.pass(Duration::from_secs(1)).await;
            session.close();
        };
        join(event, close).await.0
    });
    assert_eq!(outcomes(&record.trace), ["a skipped:cancelled"]);
    assert!(record.trace.steps[0].attempts.is_empty());
}
