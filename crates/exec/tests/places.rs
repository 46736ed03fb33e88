//! How many hook processes of one engine run at the same time, and who gets the next place (`CONTRACTS.md` §3, "Bounds").

mod common;

use common::{call, exec, never};
use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use hookwright_exec::Exec;
use hookwright_model::{Call, CallbackCall, PlaceRequest, Program, PromptCall, RunMode, RunPlace, Runner};
use tokio::task::unconstrained;

/// The depth of a hook that can hold any place: the agent that it starts fires no more events.
const INNERMOST: u32 = 4;

fn process() -> Call {
    Call::Process(call(Program::Shell("true".into())))
}

/// A hook of an event that cannot block.
fn observer(session: &str) -> PlaceRequest<'_> {
    PlaceRequest {
        program: "",
        session,
        mode: RunMode::Await,
        depth: INNERMOST,
        can_block: false,
    }
}

fn observer_of<'a>(program: &'a str, session: &'a str) -> PlaceRequest<'a> {
    PlaceRequest {
        program,
        ..observer(session)
    }
}

fn guard(session: &str) -> PlaceRequest<'_> {
    PlaceRequest {
        can_block: true,
        ..observer(session)
    }
}

fn wait<'e>(exec: &'e Exec, request: PlaceRequest<'_>) -> BoxFuture<'e, Option<RunPlace>> {
    exec.reserve(&process(), request, never())
}

/// A place that is free now.
fn now(exec: &Exec, request: PlaceRequest<'_>) -> Option<RunPlace> {
    // Outside of the budget that a task has between two of its waits.
    unconstrained(wait(exec, request)).now_or_never().flatten()
}

/// All places that are free now.
fn all(exec: &Exec, request: PlaceRequest<'_>) -> Vec<RunPlace> {
    (0..200).filter_map(|_| now(exec, request)).collect()
}

#[tokio::test]
async fn one_session_finds_ninety_six_places_and_the_next_hook_waits_until_another_one_ends() {
    let exec = exec();
    let mut places = all(&exec, observer("a"));
    assert_eq!(places.len(), 96);
    let mut waiting = wait(&exec, observer("a"));
    assert!((&mut waiting).now_or_never().is_none());
    places.pop();
    assert!(waiting.await.is_some());
    assert!(now(&exec, observer("a")).is_some(), "that place was given back");
}

#[tokio::test]
async fn a_guard_of_another_session_finds_a_kept_place_at_once() {
    let exec = exec();
    let _busy = all(&exec, guard("busy"));
    assert!(now(&exec, observer("other")).is_none());
    let other = all(&exec, guard("other"));
    assert_eq!(other.len(), 4, "one session does not use them up");
    let rest: Vec<Vec<RunPlace>> = (0..40).map(|name| all(&exec, guard(&name.to_string()))).collect();
    let counts: Vec<usize> = rest.iter().map(Vec::len).collect();
    assert_eq!(
        counts[..6],
        [4, 4, 4, 4, 4, 1],
        "the last ones are for programs that hold none"
    );
    assert_eq!(counts.iter().sum::<usize>(), 28, "all places are in use");
}

#[tokio::test]
async fn a_guard_finds_a_place_at_once_beside_ten_busy_sessions_of_its_own_program() {
    let exec = exec();
    let of = |session| PlaceRequest {
        program: "one",
        ..guard(session)
    };
    let names: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let _held: Vec<_> = names.iter().flat_map(|name| all(&exec, of(name))).collect();
    assert!(now(&exec, of("another")).is_some());
}

#[tokio::test]
async fn many_busy_sessions_leave_places_for_the_guard_of_one_more() {
    let exec = exec();
    let mut held = Vec::new();
    for _ in 0..64 {
        for session in 0..40 {
            held.extend(now(&exec, guard(&session.to_string())));
        }
    }
    assert!(now(&exec, guard("another")).is_some());
}

#[tokio::test]
async fn however_many_sessions_a_program_opens_the_guard_of_another_one_finds_a_place_and_has_the_next_turn() {
    let exec = exec();
    let names: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let of = |program, session| PlaceRequest {
        program,
        ..guard(session)
    };
    let mut held: Vec<_> = names.iter().filter_map(|name| now(&exec, of("many", name))).collect();
    assert_eq!(held.len(), 96 + 24, "the last kept ones are for other programs");
    assert!(now(&exec, of("other", "one")).is_some());
    let mut many: Vec<_> = names
        .iter()
        .map(|name| wait(&exec, observer_of("many", name)))
        .collect();
    let mut other = wait(&exec, observer_of("other", "one"));
    assert!((&mut other).now_or_never().is_none());
    held.swap_remove(0);
    let given = |waiting: &mut BoxFuture<'_, Option<RunPlace>>| unconstrained(waiting).now_or_never().flatten();
    let _place = given(&mut other).expect("the other program has the next turn");
    assert!(many.iter_mut().all(|waiting| given(waiting).is_none()));
}

#[tokio::test]
async fn sessions_take_turns_however_much_one_of_them_waits_for() {
    let exec = exec();
    let mut places = all(&exec, observer("first"));
    let mut greedy: Vec<_> = (0..50).map(|_| wait(&exec, observer("greedy"))).collect();
    let mut modest = wait(&exec, observer("modest"));
    assert!((&mut modest).now_or_never().is_none());
    places.truncate(places.len() - 2);
    let given = [
        modest.now_or_never().flatten(),
        (&mut greedy[0]).now_or_never().flatten(),
    ];
    assert!(
        given.iter().all(Option::is_some),
        "each has one of the first two places"
    );
    assert!((&mut greedy[1]).now_or_never().is_none());
}

#[tokio::test]
async fn a_hook_that_waits_for_a_place_can_be_stopped_and_takes_none() {
    let exec = exec();
    let mut places = all(&exec, observer("a"));
    let (stop, stopped) = oneshot::channel::<()>();
    let waiting = exec.reserve(&process(), observer("b"), stopped.map(drop).boxed().shared());
    let mut next = wait(&exec, observer("b"));
    drop(stop);
    assert!(waiting.await.is_none());
    places.pop();
    assert!((&mut next).now_or_never().flatten().is_some());
}

#[tokio::test]
async fn a_place_that_was_given_and_not_taken_goes_to_the_next_hook() {
    let exec = exec();
    let mut places = all(&exec, observer("a"));
    let (given, mut next) = (wait(&exec, observer("b")), wait(&exec, observer("c")));
    places.pop();
    drop(given);
    assert!((&mut next).now_or_never().flatten().is_some());
}

#[tokio::test]
async fn what_starts_no_process_of_its_own_never_waits() {
    let exec = exec();
    let _places = all(&exec, observer("a"));
    let callback = Call::Callback(CallbackCall {
        callback: "cb".into(),
        event: "stop",
        input: serde_json::Value::Null,
        tool_use_id: None,
    });
    let prompt = Call::Prompt(PromptCall {
        system: String::new(),
        prompt: String::new(),
        model: None,
        max_tokens: 1,
        temperature: 0.0,
    });
    for call in [callback, prompt] {
        let place = exec.reserve(&call, observer("a"), never()).now_or_never().flatten();
        assert!(place.is_some());
    }
}

#[tokio::test]
async fn detached_hooks_leave_places_for_those_that_an_event_waits_for() {
    let exec = exec();
    let detached = PlaceRequest {
        mode: RunMode::Detach,
        ..observer("a")
    };
    let held = all(&exec, detached);
    assert_eq!(held.len(), 64);
    let awaited = all(&exec, observer("a"));
    assert_eq!(awaited.len(), 32);
    drop(held);
    assert!(now(&exec, detached).is_some());
}

#[tokio::test]
async fn hooks_of_enclosed_agents_find_places_when_outer_hooks_hold_all_of_theirs() {
    let exec = exec();
    let at = |depth| PlaceRequest { depth, ..observer("a") };
    let mut held: Vec<Vec<RunPlace>> = (1..=INNERMOST).map(|depth| all(&exec, at(depth))).collect();
    let counts: Vec<usize> = held.iter().map(Vec::len).collect();
    assert_eq!(counts, [80, 8, 4, 4]);
    held.clear();
    assert!(
        now(&exec, at(1)).is_some(),
        "a refused request keeps no part of a place"
    );
}
