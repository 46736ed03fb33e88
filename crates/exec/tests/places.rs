//! How many hook processes of one engine run at the same time (`CONTRACTS.md` §3, "Bounds").

mod common;

use common::{call, exec, never};
use futures::FutureExt;
use futures::channel::oneshot;
use hookwright_model::{Call, CallbackCall, Program, PromptCall, RunMode, RunPlace, Runner};
use tokio::task::unconstrained;

/// The depth of a hook that can hold any place: the agent that it starts fires no more events.
const INNERMOST: u32 = 4;

fn process() -> Call {
    Call::Process(call(Program::Shell("true".into())))
}

#[tokio::test]
async fn the_hundred_and_twenty_ninth_process_waits_until_another_one_ends() {
    let exec = exec();
    let mut places: Vec<RunPlace> = Vec::new();
    for _ in 0..128 {
        let place = exec
            .reserve(&process(), RunMode::Await, INNERMOST, never())
            .now_or_never()
            .flatten();
        places.push(place.expect("there is a place"));
    }
    let mut waiting = exec.reserve(&process(), RunMode::Await, INNERMOST, never());
    assert!((&mut waiting).now_or_never().is_none());
    places.pop();
    assert!(waiting.await.is_some());
    assert!(
        exec.reserve(&process(), RunMode::Await, INNERMOST, never())
            .now_or_never()
            .flatten()
            .is_some(),
        "that place was given back"
    );
}

#[tokio::test]
async fn a_process_that_waits_for_a_place_can_be_stopped() {
    let exec = exec();
    let reserve = || {
        exec.reserve(&process(), RunMode::Await, INNERMOST, never())
            .now_or_never()
            .flatten()
    };
    let _places: Vec<RunPlace> = (0..128).filter_map(|_| reserve()).collect();
    let (stop, stopped) = oneshot::channel::<()>();
    let waiting = exec.reserve(
        &process(),
        RunMode::Await,
        INNERMOST,
        stopped.map(drop).boxed().shared(),
    );
    drop(stop);
    assert!(waiting.await.is_none());
}

#[tokio::test]
async fn what_starts_no_process_of_its_own_never_waits() {
    let exec = exec();
    let reserve = || {
        exec.reserve(&process(), RunMode::Await, INNERMOST, never())
            .now_or_never()
            .flatten()
    };
    let _places: Vec<RunPlace> = (0..128).filter_map(|_| reserve()).collect();
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
        assert!(
            exec.reserve(&call, RunMode::Await, INNERMOST, never())
                .now_or_never()
                .flatten()
                .is_some()
        );
    }
}

#[tokio::test]
async fn detached_hooks_leave_places_for_those_that_an_event_waits_for() {
    let exec = exec();
    // Outside of the budget that a task has between two of its waits.
    let reserve = |mode: RunMode| {
        unconstrained(exec.reserve(&process(), mode, INNERMOST, never()))
            .now_or_never()
            .flatten()
    };
    let detached: Vec<RunPlace> = (0..128).filter_map(|_| reserve(RunMode::Detach)).collect();
    assert_eq!(detached.len(), 64);
    let awaited: Vec<RunPlace> = (0..128).filter_map(|_| reserve(RunMode::Await)).collect();
    assert_eq!(awaited.len(), 64);
    drop(detached);
    assert!(reserve(RunMode::Detach).is_some());
}

#[tokio::test]
async fn hooks_of_enclosed_agents_find_places_when_outer_hooks_hold_all_of_theirs() {
    let exec = exec();
    let reserve = |depth| {
        unconstrained(exec.reserve(&process(), RunMode::Await, depth, never()))
            .now_or_never()
            .flatten()
    };
    let mut held: Vec<Vec<RunPlace>> = Vec::new();
    for depth in 1..=INNERMOST {
        held.push((0..128).filter_map(|_| reserve(depth)).collect());
    }
    let counts: Vec<usize> = held.iter().map(Vec::len).collect();
    assert_eq!(counts, [112, 8, 4, 4]);
    held.clear();
    assert!(reserve(1).is_some(), "a refused request keeps no part of a place");
}
