//! Tests of peers that behave as they should (`engine.md` §7, "Peers").

#![cfg(target_os = "linux")]

mod common;
#[path = "common/peer.rs"]
mod peer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::*;
use hookwright_model::{Call, End, PeerCall, PeerMessage, Run, Runner};
use peer::*;
use serde_json::value::RawValue;

#[tokio::test]
async fn one_process_answers_all_questions_of_its_session_and_ids_go_on() {
    let exec = exec();
    let first = ask(&exec, request_call(ANSWERING_SCRIPT, "one")).await;
    let second = ask(&exec, request_call(ANSWERING_SCRIPT, "two")).await;
    assert_eq!(
        (end_and_stdout(&first), end_and_stdout(&second)),
        (replied("ans 2 one"), replied("ans 3 two"))
    );
    assert_eq!(text(&first.stdin.bytes), "ask 2 one");
    assert_eq!(first.command[..2], ["/bin/sh", "-c"]);
    assert_eq!(first.env, ["HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"]);
    assert!(first.warnings.is_empty());
    exec.close().await;
}

#[tokio::test]
async fn sessions_and_keys_have_processes_of_their_own() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r word id text; do echo \"ans $id $$\"; done";
    let pid = async |session: &str, key: &str| {
        let call = PeerCall {
            key: key.to_owned(),
            ..request_call(script, "")
        };
        let run = exec.run(Call::Peer(call), in_session(session)).await;
        text(&run.stdout.bytes).rsplit(' ').next().unwrap().to_owned()
    };
    let (a, b, c, again) = (
        pid("A", "1").await,
        pid("A", "2").await,
        pid("B", "1").await,
        pid("A", "1").await,
    );
    assert!(a != b && b != c && a != c);
    assert_eq!(a, again);
    exec.close_session("A");
    let (new, other) = (pid("A", "1").await, pid("B", "1").await);
    assert!(new != a && other == c);
    exec.close().await;
    for pid in [a, b, c, new] {
        assert!(!is_alive(pid.parse().unwrap()));
    }
}

#[tokio::test]
async fn questions_at_the_same_time_get_their_own_answers_in_any_order() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w a x; read -r w b y; echo \"ans $b $y\"; echo \"no $a $x\"; cat";
    let (one, two) = tokio::join!(
        ask(&exec, request_call(script, "one")),
        ask(&exec, request_call(script, "two"))
    );
    let mut both = [end_and_stdout(&one), end_and_stdout(&two)];
    both.sort_by_key(|(_, line)| line.clone());
    let words = |run: &Run, word: &str| text(&run.stdout.bytes).ends_with(word);
    assert!(words(&one, "one") && words(&two, "two"));
    assert_eq!(both.map(|(end, _)| end), [End::Replied, End::Refused]);
    exec.close().await;
}

#[tokio::test]
async fn stderr_belongs_to_the_attempt_in_flight() {
    let exec = exec();
    let script = "echo early >&2; read -r hello; echo hi; while read -r w id text; do \
                  echo \"about $text\" >&2; echo \"ans $id\"; done";
    let first = ask(&exec, request_call(script, "one")).await;
    let second = ask(&exec, request_call(script, "two")).await;
    assert_eq!(text(&first.stderr.bytes), "early\nabout one\n");
    assert_eq!(text(&second.stderr.bytes), "about two\n");
    exec.close().await;
}

#[tokio::test]
async fn stderr_is_kept_to_a_limit_and_counted_beyond_it() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w id text; head -c 3000000 /dev/zero >&2; echo \"ans $id\"; cat";
    let run = ask(&exec, request_call(script, "one")).await;
    assert_eq!((run.end, run.stderr.bytes.len()), (End::Replied, 1 << 20));
    assert!(run.stderr.is_cut());
    exec.close().await;
}

#[tokio::test]
async fn the_handshake_does_not_use_up_the_time_of_the_request() {
    let exec = exec();
    let script = "read -r hello; sleep 0.4; echo hi; while read -r w id text; do echo \"ans $id\"; done";
    // The limit is shorter than the handshake, and long enough for a response on a busy machine.
    let run = exec
        .run(
            Call::Peer(request_call(script, "")),
            limited(Duration::from_millis(399)),
        )
        .await;
    assert_eq!(run.end, End::Replied);
    assert!(run.took >= Duration::from_millis(400));
    exec.close().await;
}

#[tokio::test]
async fn the_introduction_of_a_process_answers_a_hello() {
    let exec = exec();
    let call = PeerCall {
        protocol: &IntroducingProtocol,
        ..peer("echo 'hi all 7'; while read -r w id text; do echo \"ans $id $text\"; done")
    };
    assert_eq!(end_and_stdout(&ask(&exec, call.clone()).await), replied("hi all 7"));
    assert_eq!(end_and_stdout(&ask(&exec, call.clone()).await), replied("hi all 7"));
    let question = PeerCall {
        message: request("x"),
        ..call
    };
    assert_eq!(end_and_stdout(&ask(&exec, question).await), replied("ans 1 x"));
    exec.close().await;
}

#[tokio::test]
async fn the_introduction_counts_when_the_process_ends_at_once() {
    let exec = exec();
    for round in 0..25 {
        let call = PeerCall {
            key: format!("round {round}"),
            protocol: &IntroducingProtocol,
            ..peer("echo 'hi all 7'")
        };
        assert_eq!(
            end_and_stdout(&ask(&exec, call).await),
            replied("hi all 7"),
            "round {round}"
        );
    }
    exec.close().await;
}

#[tokio::test]
async fn warnings_of_the_handshake_are_reported_once() {
    let exec = exec();
    let script = "read -r hello; echo hi odd; while read -r w id t; do echo \"ans $id\"; done";
    assert_eq!(codes(&ask(&exec, request_call(script, "")).await), ["noise"]);
    assert!(ask(&exec, request_call(script, "")).await.warnings.is_empty());
    exec.close().await;
}

#[tokio::test]
async fn a_new_version_replaces_the_process_and_fails_its_pending_calls() {
    let exec = Arc::new(exec());
    let script = "read -r hello; echo hi; echo >&2 up; cat > /dev/null";
    let order = order();
    let name = order.run.clone();
    let old = tokio::spawn({
        let exec = exec.clone();
        async move { exec.run(Call::Peer(request_call(script, "one")), order).await }
    });
    eventually("the old one runs", || !processes_of_run(&name).is_empty()).await;
    let new = PeerCall {
        version: "2".to_owned(),
        ..request_call(ANSWERING_SCRIPT, "two")
    };
    assert_eq!(end_and_stdout(&ask(&exec, new).await), replied("ans 2 two"));
    // The user did not stop it. So a guard with a pending request has failed; it was not skipped.
    let old = old.await.unwrap();
    assert_eq!((old.end, old.warnings[0].code), (End::PeerGone, "peer_gone"));
    eventually("the old one is gone", || processes_of_run(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn several_start_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    // Each waits for the other before its handshake. If one started after the other, neither would complete it.
    let script = |own: &str, other: &str| {
        format!(
            "echo > {own}; until [ -e {other} ]; do sleep 0.01; done; read -r hello; echo hi; read -r w id t; echo \"ans $id\"; cat"
        )
    };
    let call = |key: &str, script: String| PeerCall {
        key: key.to_owned(),
        cwd: folder.path().to_owned(),
        ..request_call(&script, "")
    };
    let exec = exec();
    let (one, two) = (call("1", script("a", "b")), call("2", script("b", "a")));
    exec.prestart(vec![
        (Call::Peer(one.clone()), order()),
        (Call::Peer(two.clone()), order()),
    ]);
    assert_eq!(ask(&exec, one).await.end, End::Replied);
    assert_eq!(ask(&exec, two).await.end, End::Replied);
    exec.close().await;
}

#[tokio::test]
async fn a_notification_is_done_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let exec = exec();
    let call = PeerCall {
        cwd: folder.path().to_owned(),
        message: PeerMessage::Notify {
            methods: vec!["one", "two"],
            params: RawValue::NULL.to_owned(),
        },
        ..peer("read -r hello; echo hi; cat > heard")
    };
    let run = ask(&exec, call).await;
    assert_eq!(
        (end_and_stdout(&run), text(&run.stdin.bytes)),
        ((End::Done, String::new()), "tell one\ntell two".to_owned())
    );
    exec.close().await;
    let received = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    assert_eq!(received, "tell one\ntell two\n");
}

#[tokio::test]
async fn a_process_that_ends_with_its_input_leaves_no_child() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "read -r hello; (sleep 1000 &); echo hi; while read -r w id t; do echo \"ans $id\"; done";
    assert_eq!(
        exec.run(Call::Peer(request_call(script, "")), order).await.end,
        End::Replied
    );
    exec.close().await;
    assert!(processes_of_run(&name).is_empty());
}

#[tokio::test]
async fn an_engine_that_is_dropped_leaves_no_process() {
    let order = order();
    let name = order.run.clone();
    let runtime = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let run = exec().run(Call::Peer(request_call(ANSWERING_SCRIPT, "")), order).await;
            assert_eq!(run.end, End::Replied);
        });
    });
    runtime.join().unwrap();
    eventually("it is gone", || processes_of_run(&name).is_empty()).await;
}

#[tokio::test]
async fn a_missing_directory_of_a_peer_is_reported() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r w id t; do echo \"ans $id $(pwd) $NAME\"; done";
    let call = PeerCall {
        cwd: Path::new("/no/such/folder").to_owned(),
        fallback_cwd: "/tmp".into(),
        env: vec![("NAME".to_owned(), "value".to_owned())],
        ..request_call(script, "")
    };
    let run = ask(&exec, call).await;
    assert_eq!(end_and_stdout(&run), replied("ans 2 /tmp value"));
    assert_eq!(
        (codes(&run), run.cwd.unwrap()),
        (vec!["cwd_missing".to_owned()], "/tmp".into())
    );
    exec.close().await;
}
