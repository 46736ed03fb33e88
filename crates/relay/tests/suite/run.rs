//! `hookwright-relay run`: the command behaves as it does without the relay, and the engine gets a report.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::common::{Engine, PATIENCE, Sandbox, id, result, run, start, text};

const OPTIONS: &[&str] = &[
    "run",
    "--dialect",
    "jcli",
    "--event",
    "pre_tool_execution",
    "--hook",
    "jcli:user:x:0",
    "--",
];
const PAYLOAD: &str = r#"{"event":"pre_tool_execution","session_id":"s","tool_name":"Bash"}"#;

fn wrapped(sandbox: &Sandbox, command: &[&str]) -> Command {
    let mut relay = sandbox.relay(OPTIONS);
    relay.args(command);
    relay
}

/// Runs a command behind the relay, with the payload on stdin.
fn run_wrapped(sandbox: &Sandbox, command: &[&str]) -> Output {
    run(&mut wrapped(sandbox, command), PAYLOAD)
}

/// The engine of a sandbox, which accepts reports.
fn engine(sandbox: &Sandbox) -> Engine {
    Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        while let Some(line) = peer.read() {
            peer.send(&result(id(&line).unwrap(), r#"{"trace":"01J"}"#));
        }
    })
}

#[test]
fn the_command_ends_as_without_the_relay() {
    for with_engine in [true, false] {
        let sandbox = Sandbox::new();
        let _engine = with_engine.then(|| engine(&sandbox));
        for script in [
            "echo out; echo err >&2; exit 0",
            "exit 1",
            "exit 2",
            "cat; exit 255",
            "kill -TERM $$",
            "kill -KILL $$",
            "kill -SEGV $$",
            "printf 'no line end'",
        ] {
            let bare = run(
                Command::new("sh")
                    .args(["-c", script])
                    .env_clear()
                    .env("PATH", std::env::var_os("PATH").unwrap()),
                PAYLOAD,
            );
            let output = run_wrapped(&sandbox, &["sh", "-c", script]);
            assert_eq!(
                (text(&output.stdout), text(&output.stderr)),
                (text(&bare.stdout), text(&bare.stderr)),
                "{script}"
            );
            let ends = |output: &Output| (output.status.code(), output.status.signal());
            assert_eq!(ends(&output), ends(&bare), "{script}");
        }
    }
}

#[test]
fn a_command_that_cannot_be_started_has_the_exit_code_of_a_shell() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let plain = sandbox.path("project/plain.sh");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o644)).unwrap();
    let no_interpreter = sandbox.path("project/orphan");
    fs::write(&no_interpreter, "#!/does/not/exist\n").unwrap();
    fs::set_permissions(&no_interpreter, fs::Permissions::from_mode(0o755)).unwrap();
    for command in [
        "hookwright-no-such-program",
        "./none",
        "./plain.sh/x",
        "./plain.sh",
        "/",
        "./orphan",
    ] {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(sandbox.path("project"));
        let bare = run(&mut shell, PAYLOAD);
        let output = run_wrapped(&sandbox, &[command]);
        assert_eq!(
            output.status.code(),
            bare.status.code(),
            "{command}: {}",
            text(&bare.stderr)
        );
        let stderr = text(&output.stderr);
        assert!(
            stderr.starts_with(&format!("hookwright-relay: {command}: ")) && output.stdout.is_empty(),
            "{stderr}"
        );
        engine.next();
        let report = engine.next();
        assert!(
            report.contains(r#""end":"not_started","code":null,"signal":null"#),
            "{report}"
        );
        assert!(report.contains(&format!(r#""payload":{PAYLOAD}"#)), "{report}");
    }
}

#[test]
fn a_command_need_not_read_its_stdin() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let output = run_wrapped(&sandbox, &["sh", "-c", "exit 2"]);
    assert_eq!(output.status.code(), Some(2));
    engine.next();
    assert!(
        engine.next().contains(&format!(r#""payload":{PAYLOAD}"#)),
        "the payload is reported all the same"
    );
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(4 << 20));
    let output = run(&mut wrapped(&sandbox, &["true"]), &large);
    assert!(output.status.success());
}

#[test]
fn an_agent_that_leaves_stdin_open_does_not_stop_the_end() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    for written in ["", PAYLOAD, "{\"half\":"] {
        let mut relay = start(&mut wrapped(&sandbox, &["sh", "-c", "echo done"]));
        let mut stdin = relay.stdin.take().unwrap();
        stdin.write_all(written.as_bytes()).unwrap();
        let output = relay.wait_with_output().unwrap();
        assert_eq!(
            (text(&output.stdout), output.status.code()),
            ("done\n".to_owned(), Some(0))
        );
        drop(stdin);
        engine.next();
        assert!(engine.next().contains("run.report"));
    }
}

#[test]
fn streams_are_copied_as_they_come() {
    let sandbox = Sandbox::new();
    let mut relay = start(&mut wrapped(
        &sandbox,
        &["sh", "-c", "while read -r line; do printf '<%s>\\n' \"$line\"; done"],
    ));
    let mut stdin = relay.stdin.take().unwrap();
    let mut stdout = BufReader::new(relay.stdout.take().unwrap());
    for word in ["one", "two", "three"] {
        // The next word is only written when the answer to this one is there.
        stdin.write_all(format!("{word}\n").as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("<{word}>\n"));
    }
    drop(stdin);
    assert!(relay.wait().unwrap().success());
}

#[test]
fn a_process_left_behind_does_not_keep_the_relay() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    // The process left behind has both outputs of the command. One of them is also written without end.
    for noise in ["", "yes & ", "head -c 60000 /dev/zero; "] {
        let script = format!("sleep 60 & echo $! >pid; {noise}echo; echo left; echo there >&2; exit 5");
        let output = run_wrapped(&sandbox, &["sh", "-c", &script]);
        let pid = fs::read_to_string(sandbox.path("project/pid")).unwrap();
        let was_alive = Command::new("kill").arg(pid.trim()).status().unwrap().success();
        assert!(was_alive, "the relay ends before the process that was left behind");
        assert!(text(&output.stdout).contains("\nleft\n") && text(&output.stderr).contains("there\n"));
        assert_eq!(output.status.code(), Some(5));
        if noise.starts_with("head") {
            assert!(output.stdout.len() > 60_000, "what is in the pipe is copied");
        }
        engine.next();
        assert!(engine.next().contains("run.report"));
    }
}

#[test]
fn what_a_process_left_behind_writes_soon_after_the_end_is_copied_and_reported() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    // It writes as soon as the command's end was read, and starts no program for it: on a busy machine that could take
    // longer than the relay waits.
    let script = "(while kill -0 $$ 2>/dev/null; do :; done; echo late; echo there >&2) & exit 2";
    let output = run_wrapped(&sandbox, &["sh", "-c", script]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("late\n".into(), "there\n".into())
    );
    assert_eq!(output.status.code(), Some(2));
    engine.next();
    assert!(engine.next().contains(r#""stdout":"late\n""#));
}

#[test]
fn an_agent_that_reads_late_gets_everything() {
    let sandbox = Sandbox::new();
    let script = "head -c 120000 /dev/zero; : >done";
    let mut relay = start(&mut wrapped(&sandbox, &["sh", "-c", script]));
    drop(relay.stdin.take());
    while !sandbox.path("project/done").exists() {
        thread::yield_now();
    }
    // The subject of the test is an agent that is this slow.
    thread::sleep(Duration::from_millis(400));
    let output = relay.wait_with_output().unwrap();
    assert_eq!((output.stdout.len(), output.status.code()), (120_000, Some(0)));
}

#[test]
fn an_agent_that_closes_stdout_ends_the_command_as_without_the_relay() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let mut relay = start(&mut wrapped(&sandbox, &["yes"]));
    drop(relay.stdin.take());
    let mut stdout = relay.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 4]).unwrap();
    drop(stdout);
    let sigpipe = 13;
    assert_eq!(relay.wait().unwrap().signal(), Some(sigpipe));
    engine.next();
    assert!(engine.next().contains(r#""end":"signal","code":null,"signal":13"#));
}

#[test]
fn signals_reach_the_command() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let script = format!("trap 'echo caught; exit 9' {name}; echo ready; while :; do sleep 0.05; done");
        let mut relay = start(&mut wrapped(&sandbox, &["sh", "-c", &script]));
        drop(relay.stdin.take());
        let mut stdout = BufReader::new(relay.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let killed = Command::new("kill")
            .args([format!("-{number}"), relay.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), relay.wait().unwrap().code()), ("caught\n", Some(9)));
        engine.next();
        assert!(engine.next().contains(r#""end":"exit","code":9"#));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_command_does_not_outlive_a_kill_of_the_relay() {
    let sandbox = Sandbox::new();
    let mut relay = start(&mut wrapped(&sandbox, &["sh", "-c", "echo $$; exec sleep 1000"]));
    let mut stdout = BufReader::new(relay.stdout.take().unwrap());
    let mut pid = String::new();
    stdout.read_line(&mut pid).unwrap();
    relay.kill().unwrap();
    relay.wait().unwrap();
    let (sender, ended) = mpsc::channel();
    let process = format!("/proc/{}/cmdline", pid.trim());
    thread::spawn(move || {
        // A process that was killed has no command line any more, and then no folder.
        while fs::read(&process).is_ok_and(|line| !line.is_empty()) {
            thread::yield_now();
        }
        let _ = sender.send(());
    });
    ended.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn the_command_has_the_same_environment_directory_and_arguments() {
    let sandbox = Sandbox::new();
    let mut bare = Command::new("sh");
    bare.args(["-c", "env | sort; pwd"])
        .current_dir(sandbox.path("project"))
        .env_clear();
    let mut relay = wrapped(&sandbox, &["sh", "-c", "env | sort; pwd"]);
    for (name, value) in [
        ("A", "1"),
        ("HOOKWRIGHT_DEPTH", "1"),
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/nowhere"),
    ] {
        bare.env(name, value);
        relay.env(name, value);
    }
    relay.env_remove("XDG_RUNTIME_DIR");
    assert_eq!(text(&run(&mut relay, "").stdout), text(&run(&mut bare, "").stdout));

    let mut relay = wrapped(&sandbox, &["printf", "%s|", "--help", "a b", "", "--"]);
    relay.arg(OsStr::from_bytes(b"\xff"));
    assert_eq!(run(&mut relay, "").stdout, b"--help|a b||--|\xff|");
}

#[test]
fn without_an_engine_it_only_runs_the_command() {
    let sandbox = Sandbox::new();
    let output = run_wrapped(&sandbox, &["sh", "-c", "cat; exit 2"]);
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (PAYLOAD.to_owned(), String::new())
    );
    assert_eq!(output.status.code(), Some(2));
}
