//! How many hook processes of one engine run at the same time (`CONTRACTS.md` §3, "Bounds").

mod common;

use common::{call, exec, never};
use futures::FutureExt;
use futures::channel::oneshot;
use hookwright_model::{Call, CallbackCall, Program, PromptCall, RunPlace, Runner};

fn process() -> Call {
    Call::Process(call(Program::Shell("true".into())))
}

#[tokio::test]
async fn the_hundred_and_twenty_ninth_process_waits_until_another_one_ends() {
    let exec = exec();
    let mut places: Vec<RunPlace> = Vec::new();
    for _ in 0..128 {
        let place = exec.reserve(&process(), never()).now_or_never().flatten();
        places.push(place.expect("there is a place"));
    }
    let mut waiting = exec.reserve(&process(), never());
    assert!((&mut waiting).now_or_never().is_none());
    places.pop();
    assert!(waiting.await.is_some());
    assert!(
        exec.reserve(&process(), never()).now_or_never().flatten().is_some(),
        "that place was given back"
    );
}

#[tokio::test]
async fn a_process_that_waits_for_a_place_can_be_stopped() {
    let exec = exec();
    let reserve = || exec.reserve(&process(), never()).now_or_never().flatten();
    let _places: Vec<RunPlace> = (0..128).filter_map(|_| reserve()).collect();
    let (stop, stopped) = oneshot::channel::<()>();
    let waiting = exec.reserve(&process(), stopped.map(drop).boxed().shared());
    drop(stop);
    assert!(waiting.await.is_none());
}

#[tokio::test]
async fn what_starts_no_process_of_its_own_never_waits() {
    let exec = exec();
    let reserve = || exec.reserve(&process(), never()).now_or_never().flatten();
    let _places: Vec<RunPlace> = (0..128).filter_map(|_| reserve()).collect();
    let callback = Call::Callback(CallbackCall {
        callback: "cb".into(),
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
        assert!(exec.reserve(&call, never()).now_or_never().flatten().is_some());
    }
}
