//! Long-lived processes of every kind, the well-behaved one first (`engine.md` §7, "Peers").

#![cfg(target_os = "linux")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::*;
use futures::FutureExt;
use hookwright_exec::Exec;
use hookwright_model::{
    Call, End, Heard, PeerCall, PeerMessage, PeerRules, Program, Run, RunOrder, Runner, Saying, Welcome, Wire, Words,
};

/// A language that `sh` speaks: `hello`, then `ask 2 text` and `ans 2 text`, `no 2 text`, `drop 2`.
#[derive(Debug)]
struct Plain;

const NOISE: Saying = Saying {
    code: "noise",
    case: "",
    en: "that is noise",
    zh: "噪声",
    hint_en: "",
    hint_zh: "",
};

impl Wire for Plain {
    fn greeting(&self, _call: &PeerCall) -> Option<String> {
        Some("hello".to_owned())
    }

    fn hear(&self, line: &str) -> Heard {
        let mut words = line.split(' ');
        let word = words.next().unwrap_or_default();
        let id = words.next().and_then(|id| id.parse().ok());
        match (word, id) {
            ("hi", _) => Heard::Hello,
            ("ans", Some(id)) => Heard::Answer(id),
            ("no", Some(id)) => Heard::Refusal(id),
            ("psst", _) => Heard::Dropped,
            _ => Heard::Noise(NOISE.plain()),
        }
    }

    fn welcome(&self, line: &str) -> Result<Welcome, Words> {
        if line == "hi bad" {
            return Err(NOISE.plain());
        }
        let notes = if line == "hi odd" {
            vec![NOISE.plain()]
        } else {
            Vec::new()
        };
        Ok(Welcome {
            told: line.into(),
            notes,
        })
    }

    fn request(&self, id: u64, message: &serde_json::Value) -> String {
        format!("ask {id} {}", message.as_str().unwrap_or_default())
    }

    fn cancel(&self, id: u64) -> Option<String> {
        Some(format!("drop {id}"))
    }
}

/// The same, and the process speaks first.
#[derive(Debug)]
struct Introducing;

impl Wire for Introducing {
    fn greeting(&self, _call: &PeerCall) -> Option<String> {
        None
    }

    fn hear(&self, line: &str) -> Heard {
        Plain.hear(line)
    }

    fn welcome(&self, line: &str) -> Result<Welcome, Words> {
        Plain.welcome(line)
    }

    fn request(&self, id: u64, message: &serde_json::Value) -> String {
        Plain.request(id, message)
    }

    fn cancel(&self, _id: u64) -> Option<String> {
        None
    }
}

const RULES: PeerRules = PeerRules {
    greeting: Duration::from_secs(60),
    after_cancel: None,
    back_off: false,
    long_line: Some(100),
    queue: 4,
};

/// Greets and answers each question with its own words; `$body` comes first for each line read.
const POLITE: &str = "read -r hello; echo hi there; while read -r word id text; do echo \"ans $id $text\"; done";

fn peer(script: &str) -> PeerCall {
    PeerCall {
        key: "K".to_owned(),
        version: "1".to_owned(),
        program: Program::Shell(script.to_owned()),
        cwd: "/".into(),
        fallback_cwd: "/".into(),
        env: Vec::new(),
        greeting: serde_json::Value::Null,
        message: PeerMessage::Hello,
        wire: &Plain,
        rules: RULES,
    }
}

fn asking(script: &str, text: &str) -> PeerCall {
    PeerCall {
        message: PeerMessage::Request(text.into()),
        ..peer(script)
    }
}

fn telling(script: &str, text: &str) -> PeerCall {
    PeerCall {
        message: PeerMessage::Notify(vec![text.to_owned()]),
        ..peer(script)
    }
}

fn in_session(session: &str) -> RunOrder {
    RunOrder {
        session: session.to_owned(),
        ..order()
    }
}

async fn ask(exec: &Exec, call: PeerCall) -> Run {
    exec.run(Call::Peer(call), order()).await
}

fn codes(run: &Run) -> Vec<String> {
    let case = |words: &Words| words.args.get("case").and_then(|case| case.as_str()).map(str::to_owned);
    run.notes
        .iter()
        .map(|words| case(words).map_or(words.code.to_owned(), |case| format!("{}.{case}", words.code)))
        .collect()
}

fn said(run: &Run) -> (End, String) {
    (run.end, text(&run.stdout.bytes))
}

fn replied(text: &str) -> (End, String) {
    (End::Replied, text.to_owned())
}

#[tokio::test]
async fn one_process_answers_all_questions_of_its_session_and_ids_go_on() {
    let exec = exec();
    let first = ask(&exec, asking(POLITE, "one")).await;
    let second = ask(&exec, asking(POLITE, "two")).await;
    assert_eq!(
        (said(&first), said(&second)),
        (replied("ans 2 one"), replied("ans 3 two"))
    );
    assert_eq!(text(&first.stdin.bytes), "ask 2 one");
    assert_eq!(first.command[..2], ["/bin/sh", "-c"]);
    assert_eq!(first.env, ["HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"]);
    assert!(first.notes.is_empty());
    exec.close().await;
}

#[tokio::test]
async fn sessions_and_keys_have_processes_of_their_own() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r word id text; do echo \"ans $id $$\"; done";
    let pid = async |session: &str, key: &str| {
        let call = PeerCall {
            key: key.to_owned(),
            ..asking(script, "")
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
        assert!(!alive(pid.parse().unwrap()));
    }
}

#[tokio::test]
async fn questions_at_the_same_time_get_their_own_answers_in_any_order() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w a x; read -r w b y; echo \"ans $b $y\"; echo \"no $a $x\"; cat";
    let (one, two) = tokio::join!(ask(&exec, asking(script, "one")), ask(&exec, asking(script, "two")));
    let mut both = [said(&one), said(&two)];
    both.sort_by_key(|(_, line)| line.clone());
    let words = |run: &Run, word: &str| text(&run.stdout.bytes).ends_with(word);
    assert!(words(&one, "one") && words(&two, "two"));
    assert_eq!(both.map(|(end, _)| end), [End::Replied, End::Refused]);
    exec.close().await;
}

#[tokio::test]
async fn wrong_ids_second_answers_and_noise_hold_nothing_up() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r w id text; do \
                  echo 'ans 99 who'; echo psst; echo; echo 'print debugging'; echo more; echo \"ans $id $text\"; echo \"ans $id again\"; done";
    let first = ask(&exec, asking(script, "one")).await;
    assert_eq!(said(&first), replied("ans 2 one"));
    assert_eq!(codes(&first), ["noise", "peer_noise"]);
    let second = ask(&exec, asking(script, "two")).await;
    assert_eq!(said(&second), replied("ans 3 two"));
    exec.close().await;
}

#[tokio::test]
async fn what_it_says_beside_belongs_to_the_attempt_in_flight() {
    let exec = exec();
    let script = "echo early >&2; read -r hello; echo hi; while read -r w id text; do \
                  echo \"about $text\" >&2; echo \"ans $id\"; done";
    let first = ask(&exec, asking(script, "one")).await;
    let second = ask(&exec, asking(script, "two")).await;
    assert_eq!(text(&first.stderr.bytes), "early\nabout one\n");
    assert_eq!(text(&second.stderr.bytes), "about two\n");
    exec.close().await;
}

#[tokio::test]
async fn the_greeting_does_not_use_up_the_time_of_the_question() {
    let exec = exec();
    let script = "read -r hello; sleep 0.4; echo hi; while read -r w id text; do echo \"ans $id\"; done";
    // Shorter than the greeting takes, and long enough for an answer at once on a busy machine.
    let run = exec
        .run(Call::Peer(asking(script, "")), limited(Duration::from_millis(399)))
        .await;
    assert_eq!(run.end, End::Replied);
    assert!(run.took >= Duration::from_millis(400));
    exec.close().await;
}

#[tokio::test]
async fn what_a_process_tells_of_itself_is_the_answer_to_a_hello() {
    let exec = exec();
    let call = PeerCall {
        wire: &Introducing,
        ..peer("echo 'hi all 7'; while read -r w id text; do echo \"ans $id $text\"; done")
    };
    assert_eq!(said(&ask(&exec, call.clone()).await), replied("hi all 7"));
    assert_eq!(said(&ask(&exec, call.clone()).await), replied("hi all 7"));
    let question = PeerCall {
        message: PeerMessage::Request("x".into()),
        ..call
    };
    assert_eq!(said(&ask(&exec, question).await), replied("ans 1 x"));
    exec.close().await;
}

#[tokio::test]
async fn what_the_greeting_had_to_say_is_told_once() {
    let exec = exec();
    let script = "read -r hello; echo hi odd; while read -r w id t; do echo \"ans $id\"; done";
    assert_eq!(codes(&ask(&exec, asking(script, "")).await), ["noise"]);
    assert!(ask(&exec, asking(script, "")).await.notes.is_empty());
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_does_not_greet_is_ended_and_says_why() {
    let quick = PeerRules {
        greeting: Duration::from_millis(50),
        ..RULES
    };
    for (script, case, code) in [
        ("echo oops >&2; exit 3", "exited", Some(3)),
        ("echo oops >&2; kill -9 $$", "signal", Some(9)),
        ("echo oops >&2; read -r hello; echo hi bad; cat", "refused", None),
        ("echo oops >&2; exec >&-; sleep 1000", "closed", None),
    ] {
        let exec = exec();
        let run = ask(&exec, asking(script, "")).await;
        assert_eq!((run.end, run.code), (End::PeerGone, code), "{script}");
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
        ..asking("trap '' TERM; while :; do read -r line || sleep 1000; done", "")
    };
    let run = exec.run(Call::Peer(silent), order).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["handshake_failed.silent".to_owned()])
    );
    exec.close().await;
    assert!(carriers(&name).is_empty());
}

#[tokio::test]
async fn a_program_that_is_not_there_did_not_start() {
    let exec = exec();
    let call = PeerCall {
        program: Program::Argv(vec!["no-such-program-here".to_owned()]),
        ..asking("", "")
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
        ..asking(script, text)
    };
    let first = exec
        .run(Call::Peer(call("one")), limited(Duration::from_millis(20)))
        .await;
    assert_eq!(first.end, End::TimedOut);
    std::fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(said(&ask(&exec, call("two")).await), replied("ans 3 two"));
    exec.close().await;
}

#[tokio::test]
async fn a_cancelled_question_ends_so_and_one_that_is_not_let_go_costs_the_process() {
    let exec = exec();
    let folder = tempfile::tempdir().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let call = PeerCall {
        cwd: folder.path().to_owned(),
        rules: PeerRules {
            after_cancel: Some(Duration::from_millis(50)),
            ..RULES
        },
        ..asking("read -r hello; echo hi; read -r w id t; echo > asked; sleep 1000", "x")
    };
    let order = RunOrder {
        cancelled: stopped.map(drop).boxed().shared(),
        ..order()
    };
    let name = order.run.clone();
    let (run, ()) = tokio::join!(exec.run(Call::Peer(call), order), async {
        eventually("it was asked", || folder.path().join("asked").exists()).await;
        drop(stop);
    });
    assert_eq!(run.end, End::Cancelled);
    eventually("it was ended", || carriers(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_hears_the_cancel_goes_on() {
    let exec = exec();
    let script = "read -r hello; echo hi $$; while read -r w id t; do \
                  case $w in drop) echo psst;; ask) [ \"$t\" = wait ] || echo \"ans $id $$\";; esac; done";
    let call = |text: &str| PeerCall {
        rules: PeerRules {
            after_cancel: Some(Duration::from_secs(20)),
            ..RULES
        },
        ..asking(script, text)
    };
    let run = exec
        .run(Call::Peer(call("wait")), limited(Duration::from_millis(20)))
        .await;
    assert_eq!(run.end, End::TimedOut);
    assert_eq!(ask(&exec, call("go")).await.end, End::Replied);
    exec.close().await;
}

#[tokio::test]
async fn a_death_in_the_middle_ends_the_questions_under_way_with_all_that_was_said() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w id t; echo last >&2; exit 7";
    let run = ask(&exec, asking(script, "one")).await;
    assert_eq!((run.end, run.code), (End::PeerGone, Some(7)));
    assert_eq!(
        (codes(&run), text(&run.stderr.bytes)),
        (vec!["peer_gone.exited".to_owned()], "last\n".to_owned())
    );
    // The next question starts it anew, with ids from the beginning.
    let again = ask(&exec, asking(script, "two")).await;
    assert_eq!(text(&again.stdin.bytes), "ask 2 two");
    exec.close().await;
}

#[tokio::test]
async fn an_answer_given_with_the_last_breath_counts() {
    let exec = exec();
    let run = ask(
        &exec,
        asking("read -r hello; echo hi; read -r w id t; printf \"ans $id bye\"", ""),
    )
    .await;
    assert_eq!(said(&run), replied("ans 2 bye"));
    exec.close().await;
}

#[tokio::test]
async fn closing_the_output_is_death_too() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "read -r hello; echo hi; read -r w id t; exec >&-; sleep 1000";
    let run = exec.run(Call::Peer(asking(script, "")), order).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["peer_gone.closed".to_owned()])
    );
    eventually("it was ended", || carriers(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn a_process_that_died_rests_before_it_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let exec = exec();
    let script = "echo x >> starts; read -r hello; echo hi; read -r w id t; exit 1";
    let call = || PeerCall {
        cwd: folder.path().to_owned(),
        rules: PeerRules {
            back_off: true,
            ..RULES
        },
        ..asking(script, "")
    };
    let starts = || {
        std::fs::read_to_string(folder.path().join("starts"))
            .unwrap()
            .lines()
            .count()
    };
    assert_eq!(codes(&ask(&exec, call()).await), ["peer_gone.exited"]);
    let resting = ask(&exec, call()).await;
    assert_eq!(
        (resting.end, codes(&resting)),
        (End::PeerGone, vec!["peer_gone.resting".to_owned()])
    );
    assert_eq!((text(&resting.stdin.bytes), starts()), (String::new(), 1));
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
async fn a_process_that_did_not_greet_says_so_again_while_it_rests() {
    let exec = exec();
    let call = || PeerCall {
        rules: PeerRules {
            back_off: true,
            ..RULES
        },
        ..asking("echo broken >&2; exit 2", "")
    };
    for _ in 0..2 {
        let run = ask(&exec, call()).await;
        assert_eq!(
            (run.end, codes(&run)),
            (End::PeerGone, vec!["handshake_failed.exited".to_owned()])
        );
        assert_eq!(text(&run.stderr.bytes), "broken\n");
    }
    exec.close().await;
}

#[tokio::test]
async fn another_version_replaces_the_process_and_cancels_what_it_still_owed() {
    let exec = Arc::new(exec());
    let script = "read -r hello; echo hi; echo >&2 up; cat > /dev/null";
    let order = order();
    let name = order.run.clone();
    let old = tokio::spawn({
        let exec = exec.clone();
        async move { exec.run(Call::Peer(asking(script, "one")), order).await }
    });
    eventually("the old one runs", || !carriers(&name).is_empty()).await;
    let new = PeerCall {
        version: "2".to_owned(),
        ..asking(POLITE, "two")
    };
    assert_eq!(said(&ask(&exec, new).await), replied("ans 2 two"));
    assert_eq!(old.await.unwrap().end, End::Cancelled);
    eventually("the old one is gone", || carriers(&name).is_empty()).await;
    exec.close().await;
}

#[tokio::test]
async fn several_start_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    // Each waits for the other before it greets: one after the other, neither ever would.
    let script = |own: &str, other: &str| {
        format!(
            "echo > {own}; until [ -e {other} ]; do sleep 0.01; done; read -r hello; echo hi; read -r w id t; echo \"ans $id\"; cat"
        )
    };
    let call = |key: &str, script: String| PeerCall {
        key: key.to_owned(),
        cwd: folder.path().to_owned(),
        ..asking(&script, "")
    };
    let exec = exec();
    let (one, two) = (call("1", script("a", "b")), call("2", script("b", "a")));
    exec.expect(vec![
        (Call::Peer(one.clone()), order()),
        (Call::Peer(two.clone()), order()),
    ]);
    assert_eq!(ask(&exec, one).await.end, End::Replied);
    assert_eq!(ask(&exec, two).await.end, End::Replied);
    exec.close().await;
}

#[tokio::test]
async fn a_long_line_is_noted_and_a_line_of_forty_megabytes_is_the_end() {
    let exec = exec();
    let script = "read -r hello; echo hi; read -r w id t; printf 'ans %s ' $id; head -c 2000000 /dev/zero | tr '\\0' x; echo; \
                  read -r w id t; printf 'ans %s ' $id; head -c 41943040 /dev/zero | tr '\\0' x; echo; cat";
    let long = ask(&exec, asking(script, "")).await;
    assert_eq!((long.end, long.stdout.bytes.len()), (End::Replied, 2_000_006));
    assert_eq!(codes(&long), ["long_line"]);
    let endless = ask(&exec, asking(script, "")).await;
    assert_eq!(
        (endless.end, codes(&endless)),
        (End::PeerGone, vec!["peer_gone.long_line".to_owned()])
    );
    exec.close().await;
}

#[tokio::test]
async fn a_notification_is_done_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let exec = exec();
    let call = PeerCall {
        cwd: folder.path().to_owned(),
        message: PeerMessage::Notify(vec!["tell one".to_owned(), "tell two".to_owned()]),
        ..peer("read -r hello; echo hi; cat > heard")
    };
    let run = ask(&exec, call).await;
    assert_eq!(
        (said(&run), text(&run.stdin.bytes)),
        ((End::Done, String::new()), "tell one\ntell two".to_owned())
    );
    exec.close().await;
    let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    assert_eq!(heard, "tell one\ntell two\n");
}

#[tokio::test]
async fn notifications_that_nobody_reads_wait_and_then_are_dropped_and_counted() {
    let exec = exec();
    let script = "read -r hello; echo hi; sleep 1000";
    let large = "x".repeat(1 << 20);
    let run = async || {
        let limit = limited(Duration::from_millis(10));
        exec.run(Call::Peer(telling(script, &large)), limit).await
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
        assert_eq!(dropped.notes[0].args["count"], count);
    }
    exec.close().await;
}

#[tokio::test]
async fn a_broken_pipe_is_death() {
    let exec = exec();
    let script = "read -r hello; exec <&-; echo hi; sleep 1000";
    assert_eq!(ask(&exec, peer(script)).await.end, End::Replied);
    let run = ask(&exec, telling(script, "x")).await;
    assert_eq!(
        (run.end, codes(&run)),
        (End::PeerGone, vec!["peer_gone.closed".to_owned()])
    );
    exec.close().await;
}

#[tokio::test]
async fn closing_takes_along_what_ignores_signals_and_what_left_the_group() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "trap '' TERM INT HUP; read -r hello; sleep 1000 & setsid sleep 1000 & echo hi; \
                  while read -r w id t; do echo \"ans $id\"; done; while :; do sleep 1; done";
    assert_eq!(exec.run(Call::Peer(asking(script, "")), order).await.end, End::Replied);
    assert!(carriers(&name).len() >= 3);
    exec.close().await;
    assert!(carriers(&name).is_empty());
}

#[tokio::test]
async fn a_process_that_ends_with_its_input_is_not_waited_for_longer_and_leaves_nobody() {
    let exec = exec();
    let order = order();
    let name = order.run.clone();
    let script = "read -r hello; (sleep 1000 &); echo hi; while read -r w id t; do echo \"ans $id\"; done";
    assert_eq!(exec.run(Call::Peer(asking(script, "")), order).await.end, End::Replied);
    exec.close().await;
    assert!(carriers(&name).is_empty());
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
            let run = exec().run(Call::Peer(asking(POLITE, "")), order).await;
            assert_eq!(run.end, End::Replied);
        });
    });
    runtime.join().unwrap();
    eventually("it is gone", || carriers(&name).is_empty()).await;
}

#[tokio::test]
async fn it_runs_in_its_directory_or_says_where_it_ran_instead() {
    let exec = exec();
    let script = "read -r hello; echo hi; while read -r w id t; do echo \"ans $id $(pwd) $NAME\"; done";
    let call = PeerCall {
        cwd: Path::new("/no/such/folder").to_owned(),
        fallback_cwd: "/tmp".into(),
        env: vec![("NAME".to_owned(), "value".to_owned())],
        ..asking(script, "")
    };
    let run = ask(&exec, call).await;
    assert_eq!(said(&run), replied("ans 2 /tmp value"));
    assert_eq!(
        (codes(&run), run.cwd.unwrap()),
        (vec!["cwd_missing".to_owned()], "/tmp".into())
    );
    exec.close().await;
}
