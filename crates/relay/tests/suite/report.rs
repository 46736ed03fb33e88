//! The report of `hookwright-relay run`.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use crate::common::{Engine, Sandbox, id, result, run, start, text};

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
fn the_report_has_the_form_of_a_step_with_one_attempt() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let script = "cat >/dev/null; echo '{\"a\":1}'; echo \"it's\" >&2; exit 3";
    let mut relay = start(wrapped(&sandbox, &["sh", "-c", script]).env("HOOKWRIGHT_DEPTH", "1"));
    let pretty = "{\n  \"event\": \"pre_tool_execution\",\n  \"session_id\": \"s\"\n}\n";
    relay.stdin.take().unwrap().write_all(pretty.as_bytes()).unwrap();
    assert_eq!(relay.wait_with_output().unwrap().status.code(), Some(3));
    let open = engine.next();
    for part in [
        r#""dialect":"jcli""#,
        r#""native":false"#,
        r#""reports_only":true"#,
        r#""session_id":"s""#,
        r#""keep_ms":600000"#,
        r#""depth":1"#,
        &format!(r#""pid":{}"#, std::process::id()),
    ] {
        assert!(open.contains(part), "{open}");
    }
    let report = engine.next();
    let begin = concat!(
        r#"{"jsonrpc":"2.0","id":2,"method":"run.report","params":{"event":"pre_tool_execution","#,
        r#""payload":{  "event": "pre_tool_execution",  "session_id": "s"},"steps":[{"hook":"jcli:user:x:0","#,
        r#""label":"cat >/dev/null; echo '{\"a\":1}'; echo \"it","#,
        r#""command":"cat >/dev/null; echo '{\"a\":1}'; echo \"it's\" >&2; exit 3","#,
        r#""attempts":[{"end":"exit","code":3,"signal":null,"#,
        r#""stdin":"{\n  \"event\": \"pre_tool_execution\",\n  \"session_id\": \"s\"\n}\n","#,
        r#""stdout":"{\"a\":1}\n","stderr":"it's\n","started_ms":0.0,"took_ms":"#
    );
    assert!(report.starts_with(begin), "{report}");
    let end = format!(
        concat!(
            r#""truncated":false,"command":["sh","-c","cat >/dev/null; echo '{{\"a\":1}}'; echo \"it's\" >&2; exit 3"],"#,
            r#""cwd":"{}","env":[]}}]}}]}}}}"#
        ),
        sandbox.path("project").display()
    );
    assert!(report.ends_with(&end), "{report}");
    assert!(engine.is_quiet());
}

#[test]
fn a_report_has_what_ended_the_command_and_which_words_it_had() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let output = run_wrapped(&sandbox, &["/bin/sh", "-c", "kill -9 $$", "it's", ""]);
    assert_eq!(output.status.signal(), Some(9));
    engine.next();
    let report = engine.next();
    assert!(report.contains(r#""end":"signal","code":null,"signal":9"#), "{report}");
    assert!(
        report.contains(r#""command":"/bin/sh -c 'kill -9 $$' 'it'\\''s' ''""#),
        "{report}"
    );
}

#[test]
fn the_payload_of_a_report_is_null_if_it_is_not_json_and_an_object_if_there_is_none() {
    for (stdin, payload, recorded) in [
        (&b""[..], "{}", ""),
        (b"nonsense", "null", "nonsense"),
        (b"\xff", "null", "\u{fffd}"),
        (b"[1]", "[1]", "[1]"),
        (b"\xef\xbb\xbf{}", "{}", "\u{feff}{}"),
    ] {
        let sandbox = Sandbox::new();
        let engine = engine(&sandbox);
        let output = run(&mut wrapped(&sandbox, &["cat"]), stdin);
        assert_eq!(output.stdout, stdin);
        engine.next();
        let report = engine.next();
        assert!(report.contains(&format!(r#""payload":{payload},"steps""#)), "{report}");
        assert!(report.contains(&format!(r#""stdin":"{recorded}""#)), "{report}");
    }
}

#[test]
fn large_streams_pass_whole_and_1_mib_of_each_is_reported() {
    let sandbox = Sandbox::new();
    let engine = engine(&sandbox);
    let payload = format!("{{\"a\":\"{}\"}}", "x".repeat((1 << 20) + 9));
    let script = "tee /dev/stderr; printf end";
    let output = run(&mut wrapped(&sandbox, &["sh", "-c", script]), &payload);
    assert_eq!(output.stdout.len(), payload.len() + 3);
    assert_eq!(text(&output.stderr), payload);
    engine.next();
    let report = engine.next();
    assert!(report.contains(r#""truncated":true"#));
    assert!(report.contains(&format!(r#""payload":{payload},"#)));
    let mib = 1 << 20;
    // The payload whole, and a part of each of the three streams.
    assert!(
        (payload.len() + 3 * mib..payload.len() + 3 * mib + 4000).contains(&report.len()),
        "{}",
        report.len()
    );
}

#[test]
fn whatever_happens_to_the_report_the_agent_does_not_see_it() {
    let scripts: [fn(crate::common::Peer); 6] = [
        |mut peer| peer.wait_for_end(),
        |_| {},
        |mut peer| {
            peer.open();
            peer.wait_for_end();
        },
        |mut peer| {
            peer.open();
            // The connection stays open, and the report is not read.
            std::mem::forget(peer);
        },
        |mut peer| {
            peer.open();
            let line = peer.read().unwrap();
            peer.send(&crate::common::error(
                id(&line).unwrap(),
                r#"{"code":-32004,"message":"no"}"#,
            ));
        },
        |mut peer| {
            peer.open();
            peer.send_raw(&[b'x'; 100_000]);
            peer.wait_for_end();
        },
    ];
    for script in scripts {
        let sandbox = Sandbox::new();
        let _engine = Engine::start(&sandbox.socket(), script);
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(4 << 20));
        let output = run(
            &mut wrapped(&sandbox, &["sh", "-c", "cat >/dev/null; echo out; exit 2"]),
            &large,
        );
        assert_eq!(
            (text(&output.stdout), text(&output.stderr)),
            ("out\n".to_owned(), String::new())
        );
        assert_eq!(output.status.code(), Some(2));
    }
}
