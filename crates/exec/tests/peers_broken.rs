//! Tests of peers that exit, hang, write too much or ignore a cancel (`engine.md` §7, "Peers").

#![cfg(target_os = "linux")]

mod common;
#[path = "common/peer.rs"]
mod peer;

use std::time::Duration;

use common::*;
use futures::FutureExt;
use hookwright_model::{Call, End, PeerCall, PeerRules, Program, RunContext, Runner};
use peer::*;

#[tokio::test]
async fn wrong_ids_second_answers_and_invalid_lines_are_ignored() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r w id text; do \
                  echo 'ans 99 who'; echo psst; echo; echo 'print debugging'; echo more; echo \"ans $id $text\"; echo \"ans $id again\"; done";
    let first = ask(&exec, request_call(script, "one")).await;
    assert_eq!(end_and_stdout(&first), replied("ans 2 one"));
    assert_eq!(codes(&first), ["noise", "peer_noise"]);
    let second = ask(&exec, request_call(script, "two")).await;
    assert_eq!(end_and_stdout(&second), replied("ans 3 two"));
    exec.close().await;
}

#[tokio::test]
async fn a_process_without_a_handshake_is_ended_with_a_reason() {
    let quick = PeerRules {
        handshake_timeout: Duration::from_millis(50),
        ..RULES
    };
    for (script, case, code, signal) in [
        ("echo oops >&2; exit 3", "exited", Some(3), None),
        ("echo oops >&2; kill -9 $$", "signal", None, Some(9)),
        ("echo oops >&2; read -r hello; echo hi bad; cat", "refused", None, None),
        ("echo oops >&2; exec >&-; sleep 1000", "closed", None, None),
    ] {
        let exec = exec();
        let run = ask(&exec, request_call(script, "")).await;
        assert_eq!(
            (run.end, run.code, run.signal),
            (End::PeerGone, code, signal),
            "{script}"
        );
        assert_eq!(codes(&run), [format!("handshake_failed.{case}")]);
        assert_eq!(
            (text(&run.stdin.bytes), text(&run.stderr.bytes)),
            ("hello".to_owned(), "oops\n".to_owned())
        );
        exec.close().await;
    }
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let silent = PeerCall {
        rules: quick,
        ..request_call("trap '' TERM; while :; do read -r line || sleep 1000; done", "")
    };
    let run = exec.run(Call::Peer(silent), order).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["handshake_failed.silent".to_owned()])
    );
    exec.close().await;
    assert!(processes_of_run(&name).is_empty());
}

#[tokio::test]
async fn a_missing_program_is_not_started() {
    let exec = exec();
    let call = PeerCall {
        program: Program::Argv(vec!["no-such-program-here".to_owned()]),
        ..request_call("", "")
    };
    let run = ask(&exec, call.clone()).await;
    assert_eq!(
        (run.end, run.command.clone()),
        (End::NotStarted, vec!["no-such-program-here".to_owned()])
    );
    assert!(text(&run.stderr.bytes).starts_with("no-such-program-here: "));
    assert_eq!(ask(&exec, call).await.end, End::NotStarted);
    exec.close().await;
}

#[tokio::test]
async fn a_timed_out_question_leaves_the_process_running_and_its_late_answer_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r hello; echo hi; read -r w id t; until [ -e go ]; do sleep 0.01; done; \
                  echo \"ans $id late\"; while read -r w id t; do [ $w = ask ] && echo \"ans $id $t\"; done";
    let exec = exec();
    let call = |text: &str| PeerCall {
        cwd: folder.path().to_owned(),
        ..request_call(script, text)
    };
    let first = exec
        .run(Call::Peer(call("one")), limited(Duration::from_millis(20)))
        .await;
    assert_eq!(first.end, End::TimedOut);
    std::fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(end_and_stdout(&ask(&exec, call("two")).await), replied("ans 3 two"));
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_ignores_a_cancel_is_killed() {
    let exec = exec();
    let folder = tempfile::tempdir().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let call = PeerCall {
        cwd: folder.path().to_owned(),
        rules: PeerRules {
            after_cancel: Some(Duration::from_millis(50)),
            ..RULES
        },
        ..request_call("read -r hello; echo hi; read -r w id t; echo > asked; sleep 1000", "x")
    };
    let order = RunContext {
        cancelled: stopped.map(drop).boxed().shared(),
        ..order()
    };
    let name = order.run.clone();
    let (run, ()) = tokio::join!(exec.run(Call::Peer(call), order), async {
        eventually("it was asked", || folder.path().join("asked").exists()).await;
        drop(stop);
    });
    assert_eq!(run.end, End::Cancelled);
    eventually("it was ended", || processes_of_run(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_answers_a_cancel_keeps_running() {
    let exec = exec();
    let script = "read -r hello; echo hi $$; while read -r w id t; do \
                  case $w in drop) echo psst;; ask) [ \"$t\" = wait ] || echo \"ans $id $$\";; esac; done";
    let call = |text: &str| PeerCall {
        rules: PeerRules {
            after_cancel: Some(Duration::from_secs(20)),
            ..RULES
        },
        ..request_call(script, text)
    };
    let run = exec
        .run(Call::Peer(call("wait")), limited(Duration::from_millis(20)))
        .await;
    assert_eq!(run.end, End::TimedOut);
    assert_eq!(ask(&exec, call("go")).await.end, End::Replied);
    exec.close().await;
}

#[tokio::test]
async fn an_exit_fails_the_pending_requests_with_their_stderr() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w id t; echo last >&2; exit 7";
    let run = ask(&exec, request_call(script, "one")).await;
    assert_eq!((run.end, run.code), (End::PeerGone, Some(7)));
    assert_eq!(
        (codes(&run), text(&run.stderr.bytes)),
        (vec!["peer_gone.exited".to_owned()], "last\n".to_owned())
    );
    // A signal is not an exit code.
    let killed = ask(
        &exec,
        request_call("read -r hello; echo hi; read -r w id t; kill -9 $$", "one"),
    )
    .await;
    assert_eq!((killed.end, killed.code, killed.signal), (End::PeerGone, None, Some(9)));
    // The next request starts the process again, with ids from the beginning.
    let again = ask(&exec, request_call(script, "two")).await;
    assert_eq!(text(&again.stdin.bytes), "ask 2 two");
    exec.close().await;
}

#[tokio::test]
async fn an_answer_written_just_before_the_exit_counts() {
    let exec = exec();
    let run = ask(
        &exec,
        request_call("read -r hello; echo hi; read -r w id t; printf \"ans $id bye\"", ""),
    )
    .await;
    assert_eq!(end_and_stdout(&run), replied("ans 2 bye"));
    exec.close().await;
}

#[tokio::test]
async fn closing_the_output_ends_the_process() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "read -r hello; echo hi; read -r w id t; exec >&-; sleep 1000";
    let run = exec.run(Call::Peer(request_call(script, "")), order).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["peer_gone.closed".to_owned()])
    );
    eventually("it was ended", || processes_of_run(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_exited_is_started_again_after_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let exec = exec();
    let script = "echo x >> starts; read -r hello; echo hi; read -r w id t; exit 1";
    let call = || PeerCall {
        cwd: folder.path().to_owned(),
        rules: PeerRules {
            back_off: true,
            ..RULES
        },
        ..request_call(script, "")
    };
    let starts = || {
        std::fs::read_to_string(folder.path().join("starts"))
            .unwrap()
            .lines()
            .count()
    };
    assert_eq!(codes(&ask(&exec, call()).await), ["peer_gone.exited"]);
    let backing_off = ask(&exec, call()).await;
    assert_eq!(
        (backing_off.end, codes(&backing_off)),
        (End::PeerGone, vec!["peer_gone.resting".to_owned()])
    );
    assert_eq!((text(&backing_off.stdin.bytes), starts()), (String::new(), 1));
    loop {
        let run = ask(&exec, call()).await;
        if codes(&run) == ["peer_gone.exited"] {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(starts(), 2);
    exec.close().await;
}

#[tokio::test]
async fn a_failed_handshake_is_reported_again_during_the_pause() {
    let exec = exec();
    let call = || PeerCall {
        rules: PeerRules {
            back_off: true,
            ..RULES
        },
        ..request_call("echo broken >&2; exit 2", "")
    };
    // Its input, output and exit code belong to the attempt during which it exited.
    for (hello, words, code) in [("hello", "broken\n", Some(2)), ("", "", None)] {
        let run = ask(&exec, call()).await;
        assert_eq!(
            (run.end, codes(&run)),
            (End::PeerGone, vec!["handshake_failed.exited".to_owned()])
        );
        assert_eq!(
            (text(&run.stdin.bytes), text(&run.stderr.bytes), run.code),
            (hello.to_owned(), words.to_owned(), code)
        );
    }
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_writes_without_a_handshake_is_ended() {
    let long = format!("exec yes {}", "x".repeat(4000));
    let babbling = ["exec yes", "exec yes ''", "exec yes psst", &long].map(async |babble| {
        let exec = exec();
        let run = ask(&exec, request_call(babble, "")).await;
        assert_eq!(
            (run.end, codes(&run).last().map(String::as_str)),
            (End::PeerGone, Some("handshake_failed.babble")),
            "{babble}"
        );
        exec.close().await;
    });
    futures::future::join_all(babbling).await;
}

#[tokio::test]
async fn endless_output_does_not_block_other_tasks() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "read -r hello; echo hi; yes & yes >&2";
    assert_eq!(exec.run(Call::Peer(peer(script)), order).await.end, End::Replied);
    let run = exec
        .run(Call::Peer(request_call(script, "")), limited(Duration::from_millis(50)))
        .await;
    assert_eq!(run.end, End::TimedOut);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let cancelled = RunContext {
        cancelled: stopped.map(drop).boxed().shared(),
        ..in_session("")
    };
    let (run, ()) = tokio::join!(exec.run(Call::Peer(request_call(script, "")), cancelled), async {
        tokio::task::yield_now().await;
        drop(stop);
    });
    assert_eq!(run.end, End::Cancelled);
    exec.close().await;
    assert!(processes_of_run(&name).is_empty());
}

#[tokio::test]
async fn a_long_line_is_noted_and_a_line_of_forty_megabytes_ends_the_process() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w id t; printf 'ans %s ' $id; head -c 2000000 /dev/zero | tr '\\0' x; echo; \
                  read -r w id t; printf 'ans %s ' $id; head -c 41943040 /dev/zero | tr '\\0' x; echo; cat";
    let long = ask(&exec, request_call(script, "")).await;
    assert_eq!((long.end, long.stdout.bytes.len()), (End::Replied, 2_000_006));
    assert_eq!(codes(&long), ["long_line"]);
    let endless = ask(&exec, request_call(script, "")).await;
    assert_eq!(
        (endless.end, codes(&endless)),
        (End::PeerGone, vec!["peer_gone.long_line".to_owned()])
    );
    exec.close().await;
}

#[tokio::test]
async fn unread_notifications_are_queued_then_dropped_and_counted() {
    let exec = exec();
    let script = "read -r hello; echo hi; sleep 1000";
    // One fills the pipe.
    let large: &'static str = "x".repeat(1 << 20).leak();
    let run = async || {
        let limit = limited(Duration::from_millis(10));
        exec.run(Call::Peer(notify_call(script, &[large])), limit).await
    };
    for _ in 0..RULES.queue {
        assert_eq!(run().await.end, End::TimedOut);
    }
    for count in 1..3 {
        let dropped = run().await;
        assert_eq!(
            (dropped.end, codes(&dropped)),
            (End::Refused, vec!["queue_full".to_owned()])
        );
        assert_eq!(dropped.warnings[0].args["count"], count);
    }
    exec.close().await;
}

#[tokio::test]
async fn a_broken_pipe_ends_the_process() {
    let exec = exec();
    let script = "read -r hello; exec <&-; echo hi; sleep 1000";
    assert_eq!(ask(&exec, peer(script)).await.end, End::Replied);
    let run = ask(&exec, notify_call(script, &["x"])).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["peer_gone.closed".to_owned()])
    );
    exec.close().await;
}

#[tokio::test]
async fn closing_kills_what_ignores_signals_and_what_left_the_group() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "trap '' TERM INT HUP; read -r hello; sleep 1000 & setsid sleep 1000 & echo hi; \
                  while read -r w id t; do echo \"ans $id\"; done; while :; do sleep 1; done";
    assert_eq!(
        exec.run(Call::Peer(request_call(script, "")), order).await.end,
        End::Replied
    );
    // A process that is just becoming another program has no environment for a moment.
    until("all of them run", || processes_of_run(&name).len() >= 3);
    exec.close().await;
    assert!(processes_of_run(&name).is_empty());
}
