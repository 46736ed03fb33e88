//! Tests of every row of `engine.md` §7 and §8, with real processes.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::*;
use futures::FutureExt;
use hookwright_exec::Exec;
use hookwright_model::{Call, End, HeldPipe, Run, RunContext, Runner};

const MIB: usize = 1 << 20;

/// A hook that never ends. One child is in its group; another one left the group and keeps both streams open.
const STUBBORN: &str =
    "trap '' TERM INT HUP; echo half; setsid sleep 1000 & sleep 1000 & echo > ready; while :; do sleep 1; done";

fn assert_exit(run: &Run, code: i32) {
    assert_eq!(
        (run.end, run.code),
        (End::Exit, Some(code)),
        "{}",
        text(&run.stderr.bytes)
    );
}

#[tokio::test]
async fn a_command_is_given_stdin_and_answers_on_both_streams() {
    let run = run(sh("cat; echo aside >&2; exit 3")).await;
    assert_exit(&run, 3);
    assert_eq!(
        (text(&run.stdout.bytes), text(&run.stderr.bytes)),
        ("{}".to_owned(), "aside\n".to_owned())
    );
    assert_eq!(run.stdin.bytes, b"{}");
    assert_eq!(run.command, ["/bin/sh", "-c", "cat; echo aside >&2; exit 3"]);
    assert!(run.warnings.is_empty());
}

#[tokio::test]
async fn unread_stdin_of_five_megabytes_does_not_block() {
    let run = run(hookwright_model::ProcessCall {
        stdin: vec![b'x'; 5 * MIB],
        ..sh("echo '{}'")
    })
    .await;
    assert_exit(&run, 0);
    assert_eq!(text(&run.stdout.bytes), "{}\n");
    assert_eq!(run.stdin.total, 5 * MIB as u64);
}

#[tokio::test]
async fn five_megabytes_that_come_back_at_once_do_not_block_either_side() {
    let run = run(hookwright_model::ProcessCall {
        stdin: vec![b'x'; 5 * MIB],
        ..sh("tee /dev/stderr")
    })
    .await;
    assert_exit(&run, 0);
    assert_eq!((run.stdout.total, run.stdout.is_cut()), (5 * MIB as u64, false));
    assert_eq!((run.stderr.total, run.stderr.bytes.len()), (5 * MIB as u64, MIB));
}

#[tokio::test]
async fn of_fifty_megabytes_thirty_two_are_kept_and_all_are_drained() {
    let run = run(sh("head -c 52428800 /dev/zero")).await;
    assert_exit(&run, 0);
    assert_eq!((run.stdout.bytes.len(), run.stdout.total), (32 * MIB, 50 * MIB as u64));
    assert!(run.stdout.is_cut());
}

/// A call whose left processes are waited for as long as stdout is not silent.
fn waiting(text: &str) -> hookwright_model::ProcessCall {
    hookwright_model::ProcessCall {
        held_pipe: Some(HeldPipe::UntilSilent {
            silence: Duration::from_secs(2),
            most: Duration::from_secs(10),
        }),
        ..sh(text)
    }
}

#[tokio::test]
async fn what_a_left_process_still_writes_is_read_until_stdout_is_silent() {
    let run = run(waiting("(sleep 0.1; echo b; sleep 0.1; echo c) & echo a")).await;
    assert_exit(&run, 0);
    assert_eq!(text(&run.stdout.bytes), "a\nb\nc\n");
    assert!(!run.pipe_held);
}

#[tokio::test]
async fn a_left_process_that_keeps_stdout_open_is_reported() {
    let held = run(waiting("sleep 20 & echo a")).await;
    assert_exit(&held, 0);
    assert!(held.pipe_held);
    assert_eq!(text(&held.stdout.bytes), "a\n");
    assert_eq!(held.warnings[0].code, "holds_pipe");
    assert!(held.took < Duration::from_secs(8), "{:?}", held.took);
    assert!(!run(waiting("sleep 20 >/dev/null 2>&1 & echo a")).await.pipe_held);
    // Where it does not matter to the agent it is recorded, without a warning.
    let unwarned = run(sh("sleep 20 & echo a")).await;
    assert!(unwarned.pipe_held && unwarned.warnings.is_empty());
}

#[tokio::test]
async fn a_call_can_last_until_its_streams_are_closed() {
    let call = |text: &str| hookwright_model::ProcessCall {
        held_pipe: Some(HeldPipe::UntilClosed),
        ..sh(text)
    };
    let closed = run(call("(sleep 0.5; echo b) & echo a; exit 3")).await;
    assert_exit(&closed, 3);
    assert_eq!(text(&closed.stdout.bytes), "a\nb\n");
    let order = limited(Duration::from_millis(500));
    let held = exec().run(Call::Process(call("sleep 1000 & echo a")), order).await;
    assert_eq!(held.end, End::TimedOut);
    assert!(
        held.warnings.is_empty(),
        "what was left behind is ended: {:?}",
        held.warnings
    );
}

#[tokio::test]
async fn a_folder_of_its_own_is_empty_and_deleted_with_its_content() {
    let names: &'static [&'static str] = &["DATA", "OTHER_DATA"];
    let shell = run(hookwright_model::ProcessCall {
        folder_vars: names,
        ..sh("ls -A \"$DATA\"; [ \"$DATA\" = \"$OTHER_DATA\" ] && echo same; echo x > \"$DATA/x\"; echo \"$DATA\"; ls -ld \"$DATA\" | cut -c1-10")
    })
    .await;
    assert_exit(&shell, 0);
    let said = text(&shell.stdout.bytes);
    let [same, path, mode] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("{said}")
    };
    assert_eq!((same, mode), ("same", "drwx------"));
    assert!(!std::path::Path::new(path).exists());
    let words = ["echo", "${DATA}/x", "$DATA"].map(str::to_owned).to_vec();
    let plain = run(hookwright_model::ProcessCall {
        folder_vars: names,
        program: hookwright_model::Program::Argv(words),
        ..sh("")
    })
    .await;
    let said = text(&plain.stdout.bytes);
    assert!(said.starts_with('/') && said.ends_with("/x $DATA\n"), "{said}");
}

#[tokio::test]
async fn what_a_hook_writes_for_later_commands_is_read_and_deleted() {
    let run = run(hookwright_model::ProcessCall {
        env_file: Some("LATER"),
        ..sh("echo \"$LATER\"; ls -l \"$LATER\" | cut -c1-10; echo A=1 >> \"$LATER\"")
    })
    .await;
    assert_exit(&run, 0);
    let said = text(&run.stdout.bytes);
    let (path, mode) = said.trim().split_once('\n').unwrap();
    assert_eq!(mode, "-rw-------");
    assert_eq!(text(&run.env_file), "A=1\n");
    assert!(!std::path::Path::new(path).exists());
}

#[tokio::test]
async fn variables_that_begin_so_are_taken_out_unless_the_call_sets_them() {
    let path = ("PATH".into(), "/usr/bin:/bin".into());
    let outer = ["GONE_A", "GONE_B", "KEPT"].map(|name| (name.into(), "outer".into()));
    let engine = Exec::new(outer.into_iter().chain([path]), None);
    let call = hookwright_model::ProcessCall {
        env: vec![("GONE_B".to_owned(), "own".to_owned())],
        env_without: &["GONE_"],
        ..sh("echo \"$GONE_A,$GONE_B,$KEPT\"")
    };
    let run = engine.run(Call::Process(call), order()).await;
    assert_eq!(text(&run.stdout.bytes), ",own,outer\n");
}

#[tokio::test]
async fn a_hook_that_closes_its_streams_is_waited_for() {
    assert_exit(&run(sh("exec >&- 2>&- <&-; sleep 0.1; exit 4")).await, 4);
}

#[tokio::test]
async fn grandchildren_that_hold_the_streams_are_left_alone_after_a_normal_exit() {
    for command in ["(sleep 1000 &); echo done", "setsid sleep 1000 & echo done"] {
        let order = order();
        let name = order.run.clone();
        let run = exec().run(Call::Process(sh(command)), order).await;
        assert_exit(&run, 0);
        assert_eq!(text(&run.stdout.bytes), "done\n");
        let left = processes_of_run(&name);
        assert_eq!(left.len(), 1, "{command}");
        kill_pids(&left);
    }
}

#[tokio::test]
async fn a_signal_is_never_an_exit_code() {
    let killed = run(sh("kill -9 $$")).await;
    assert_eq!((killed.end, killed.code, killed.signal), (End::Signal, None, Some(9)));
    assert_exit(&run(sh("exit 137")).await, 137);
}

#[tokio::test]
async fn a_hook_leads_its_own_process_group() {
    let run = run(sh("echo $$; cut -d' ' -f5 /proc/$$/stat")).await;
    let said = text(&run.stdout.bytes);
    let (pid, group) = said.trim().split_once('\n').unwrap();
    assert_eq!(pid, group);
}

#[tokio::test]
async fn the_environment_is_what_was_handed_in_and_what_the_run_adds() {
    let exec = Exec::new(
        [("PATH".into(), "/usr/bin:/bin".into()), ("KEPT".into(), "a=b".into())],
        None,
    );
    let order = RunContext {
        hook: String::new(),
        session: String::new(),
        trace: "TRACE".to_owned(),
        depth: 3,
        ..order()
    };
    let name = order.run.clone();
    let call = hookwright_model::ProcessCall {
        env: vec![("JCLI_CWD".to_owned(), "/x".to_owned())],
        ..argv(&["env"])
    };
    let run = exec.run(Call::Process(call), order).await;
    let said = text(&run.stdout.bytes);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    let mark = format!("HOOKWRIGHT_RUN={name}");
    assert_eq!(
        lines,
        [
            "HOOKWRIGHT_DEPTH=3",
            &mark,
            "HOOKWRIGHT_TRACE=TRACE",
            "JCLI_CWD=/x",
            "KEPT=a=b",
            "PATH=/usr/bin:/bin"
        ]
    );
    assert_eq!(
        run.env,
        ["JCLI_CWD", "HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"]
    );
    assert!(run.command[0].starts_with('/'), "{:?}", run.command);
}

#[tokio::test]
async fn a_replaced_environment_applies_to_the_next_run() {
    let exec = exec();
    exec.use_environment([("NEW".into(), "yes".into())]);
    let run = exec.run(Call::Process(sh("echo $NEW")), order()).await;
    assert_eq!(text(&run.stdout.bytes), "yes\n");
}

#[tokio::test]
async fn a_variable_that_cannot_be_handed_over_is_left_out_and_the_hook_runs() {
    let long = "x".repeat(200_000);
    let call = |value: &str| hookwright_model::ProcessCall {
        env: vec![
            ("VALUE".to_owned(), value.to_owned()),
            ("OTHER".to_owned(), "o".to_owned()),
        ],
        ..sh("printf '%s|%s' \"${VALUE-unset}\" \"$OTHER\"")
    };
    for value in ["a\0b", &long] {
        let run = run(call(value)).await;
        assert_eq!((run.end, text(&run.stdout.bytes)), (End::Exit, "unset|o".to_owned()));
        assert_eq!(run.warnings[0].code, "variable_left_out");
        assert!(!run.env.contains(&"VALUE".to_owned()), "{:?}", run.env);
    }
}

#[tokio::test]
async fn a_missing_directory_falls_back_to_the_project_with_a_note() {
    let project = tempfile::tempdir().unwrap();
    let missing = project.path().join("gone");
    let call = hookwright_model::ProcessCall {
        cwd: missing.clone(),
        fallback_cwd: project.path().to_owned(),
        ..sh("pwd -P")
    };
    let run = run(call).await;
    assert_exit(&run, 0);
    assert_eq!(
        text(&run.stdout.bytes).trim_end(),
        project.path().canonicalize().unwrap().to_str().unwrap()
    );
    assert_eq!(run.cwd.as_deref(), Some(project.path()));
    assert_eq!(run.warnings[0].code, "cwd_missing");
    assert_eq!(run.warnings[0].args["cwd"], missing.to_str().unwrap());
}

#[tokio::test]
async fn a_hook_whose_project_was_removed_runs_in_the_nearest_folder_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let call = hookwright_model::ProcessCall {
        cwd: folder.path().join("project/inside"),
        fallback_cwd: folder.path().join("project"),
        ..sh("echo hi")
    };
    let run = run(call).await;
    assert_exit(&run, 0);
    assert_eq!(run.cwd.as_deref(), Some(folder.path()));
    assert_eq!(run.warnings[0].args["fallback"], folder.path().to_str().unwrap());
}

#[tokio::test]
async fn a_failed_start_is_reported_with_the_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let plain = script(folder.path(), "plain", "#!/bin/sh\n", 0o644);
    let cases = [
        (plain.to_str().unwrap(), "Permission denied"),
        ("/no/such/program", "No such file or directory"),
        ("no-such-program", "No such file or directory"),
        ("", "Permission denied"),
        ("./with\0nul", "nul byte"),
    ];
    for (program, words) in cases {
        let run = run(argv(&[program])).await;
        assert_eq!((run.end, run.code), (End::NotStarted, None), "{program}");
        assert!(
            text(&run.stderr.bytes).contains(words),
            "{program}: {}",
            text(&run.stderr.bytes)
        );
    }
}

#[tokio::test]
async fn a_script_that_is_there_and_cannot_start_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("#!/bin/sh\r\necho hi\r\n", "No such file", "crlf_shebang"),
        ("#!/no/such/interpreter -x\n", "No such file", "interpreter_missing"),
        ("echo hi\n", "Exec format error", "no_shebang"),
    ];
    for (body, words, code) in cases {
        let path = script(folder.path(), code, body, 0o755);
        let run = run(argv(&[path.to_str().unwrap()])).await;
        assert_eq!(run.end, End::NotStarted, "{body:?}");
        assert!(text(&run.stderr.bytes).contains(words), "{}", text(&run.stderr.bytes));
        assert_eq!(run.warnings[0].code, code);
    }
}

#[tokio::test]
async fn a_script_in_the_directory_of_the_run_is_found_by_its_relative_path() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "hook", "#!/bin/sh\necho \"$1\"\n", 0o755);
    let run = run(hookwright_model::ProcessCall {
        cwd: folder.path().to_owned(),
        ..argv(&["./hook", "a b"])
    })
    .await;
    assert_exit(&run, 0);
    assert_eq!(text(&run.stdout.bytes), "a b\n");
}

#[tokio::test]
async fn a_program_that_stays_open_for_writing_is_given_up_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = script(folder.path(), "busy", "#!/bin/sh\n", 0o755);
    let _writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    let run = run(argv(&[path.to_str().unwrap()])).await;
    assert_eq!(run.end, End::NotStarted);
    assert!(text(&run.stderr.bytes).contains("Text file busy"));
}

#[tokio::test]
async fn the_deadline_kills_the_group_and_what_left_it() {
    let folder = tempfile::tempdir().unwrap();
    let order = limited(Duration::from_millis(400));
    let name = order.run.clone();
    let run = exec()
        .run(
            Call::Process(hookwright_model::ProcessCall {
                cwd: folder.path().to_owned(),
                ..sh(STUBBORN)
            }),
            order,
        )
        .await;
    assert_eq!((run.end, run.code), (End::TimedOut, None));
    assert_eq!(text(&run.stdout.bytes), "half\n", "what it said before counts");
    assert_eq!(
        processes_of_run(&name),
        Vec::<i32>::new(),
        "nothing is left when the run has ended"
    );
}

#[tokio::test]
async fn a_process_outside_the_group_without_its_run_variable_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let pids_file = folder.path().join("pids");
    let call = hookwright_model::ProcessCall {
        cwd: folder.path().to_owned(),
        ..sh("env -i setsid sh -c 'echo $$ > pids; exec sleep 1000' & while :; do sleep 1; done")
    };
    let (stop, stopped) = futures::channel::oneshot::channel::<()>();
    let order = RunContext {
        cancelled: stopped.map(drop).boxed().shared(),
        ..order()
    };
    let running = tokio::spawn(async move { exec().run(Call::Process(call), order).await });
    eventually("it left", || !pids(&pids_file).is_empty()).await;
    drop(stop);
    let run = running.await.unwrap();
    assert_eq!((run.end, run.warnings[0].code), (End::Cancelled, "left_behind"));
    kill_pids(&pids(&pids_file));
}

#[tokio::test]
async fn a_missing_guardian_is_a_note_once() {
    let folder = tempfile::tempdir().unwrap();
    let exec = Exec::new(
        [],
        Some(hookwright_exec::GuardianProgram::new(
            "/no/such/program".into(),
            folder.path().to_owned(),
        )),
    );
    let mut notes = Vec::new();
    // The system reports only some time after a start that the guardian has exited. It is started again a few times.
    while notes.is_empty() {
        notes = exec.run(Call::Process(sh(":")), order()).await.warnings;
    }
    assert_eq!(notes[0].code, "no_guardian");
    assert!(exec.run(Call::Process(sh(":")), order()).await.warnings.is_empty());
}

#[tokio::test]
async fn the_deadline_applies_while_stdin_is_written() {
    let call = hookwright_model::ProcessCall {
        stdin: vec![b'x'; 5 * MIB],
        ..sh("exec sleep 1000")
    };
    assert_eq!(
        exec()
            .run(Call::Process(call), limited(Duration::from_millis(100)))
            .await
            .end,
        End::TimedOut
    );
}

/// Starts a hook that ignores signals. Returns its task, its run name, and a sender that cancels the run when dropped.
async fn start_stubborn(
    exec: &Arc<Exec>,
) -> (
    tokio::task::JoinHandle<Run>,
    String,
    futures::channel::oneshot::Sender<()>,
) {
    let folder = tempfile::tempdir().unwrap();
    let (stop, stopped) = futures::channel::oneshot::channel::<()>();
    let order = RunContext {
        cancelled: stopped.map(drop).boxed().shared(),
        ..order()
    };
    let name = order.run.clone();
    let call = hookwright_model::ProcessCall {
        cwd: folder.path().to_owned(),
        ..sh(STUBBORN)
    };
    let task = tokio::spawn({
        let exec = exec.clone();
        async move { exec.run(Call::Process(call), order).await }
    });
    let ready = folder.path().join("ready");
    eventually("the hook runs", || ready.exists() && processes_of_run(&name).len() >= 3).await;
    (task, name, stop)
}

#[tokio::test]
async fn a_cancelled_run_ends_with_everything_it_started() {
    let (task, name, stop) = start_stubborn(&Arc::new(exec())).await;
    drop(stop);
    let run = task.await.unwrap();
    assert_eq!((run.end, run.code), (End::Cancelled, None));
    assert_eq!(text(&run.stdout.bytes), "half\n");
    assert_eq!(processes_of_run(&name), Vec::<i32>::new());
}

#[tokio::test]
async fn a_dropped_run_is_stopped_and_collected() {
    let (task, name, _stop) = start_stubborn(&Arc::new(exec())).await;
    let pids = processes_of_run(&name);
    task.abort();
    eventually("nothing carries the run", || processes_of_run(&name).is_empty()).await;
    let own = std::process::id().to_string();
    let uncollected = |pid: &i32| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.split(' ').nth(3) == Some(own.as_str()))
    };
    eventually("the child is collected", || !pids.iter().any(uncollected)).await;
}

#[tokio::test]
async fn what_is_cancelled_before_it_starts_never_starts() {
    let folder = tempfile::tempdir().unwrap();
    let cancelled = futures::future::ready(()).boxed().shared();
    cancelled.clone().await;
    let call = hookwright_model::ProcessCall {
        cwd: folder.path().to_owned(),
        ..sh("echo > ran")
    };
    let run = exec()
        .run(Call::Process(call), RunContext { cancelled, ..order() })
        .await;
    assert_eq!(run.end, End::Cancelled);
    assert!(!folder.path().join("ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_parallel_runs_do_not_mix() {
    let exec = Arc::new(exec());
    let runs = (0..64).map(|number| {
        let exec = exec.clone();
        tokio::spawn(async move {
            exec.run(
                Call::Process(sh(&format!("cat >/dev/null; echo {number}; exit {number}"))),
                order(),
            )
            .await
        })
    });
    for (number, run) in futures::future::join_all(runs).await.into_iter().enumerate() {
        let run = run.unwrap();
        assert_exit(&run, i32::try_from(number).unwrap());
        assert_eq!(text(&run.stdout.bytes), format!("{number}\n"));
    }
}

/// Forwards each piece of stderr.
#[derive(Debug)]
struct Pieces(tokio::sync::mpsc::UnboundedSender<Vec<u8>>);

impl hookwright_model::RunProgress for Pieces {
    fn stderr(&self, piece: &[u8]) {
        self.0.send(piece.to_vec()).unwrap();
    }
}

#[tokio::test]
async fn stderr_is_reported_while_the_process_runs() {
    let (sender, mut pieces) = tokio::sync::mpsc::unbounded_channel();
    let order = RunContext {
        progress: Some(std::sync::Arc::new(Pieces(sender))),
        ..order()
    };
    let exec = Exec::new([("PATH".into(), "/usr/bin:/bin".into())], None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("go");
    let script = format!(
        "echo begun >&2; while [ ! -e {} ]; do sleep 0.02; done; echo over >&2",
        file.display()
    );
    let running = exec.run(Call::Process(sh(&script)), order);
    let follow = async {
        assert_eq!(pieces.recv().await.unwrap(), b"begun\n");
        // The process waits for this.
        std::fs::write(&file, "").unwrap();
        pieces.recv().await.unwrap()
    };
    let (run, last) = tokio::join!(running, follow);
    assert_eq!(
        (text(&run.stderr.bytes), last),
        ("begun\nover\n".to_owned(), b"over\n".to_vec())
    );
}
