//! Engines and agents that break the rules: the relay ends, says why, and never passes on a part of a reply.

use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::common::{Engine, Sandbox, fired, id, result, start, text};

const EMPTY_REPLY: &str = r#"{"json":{},"exit_code":0,"stderr":""}"#;
const JCLI: &[&str] = &["--dialect", "jcli", "--event", "stop"];

#[test]
fn an_engine_that_closes_the_connection_gives_no_reply() {
    for after in [0, 1, 2] {
        let sandbox = Sandbox::new();
        let _engine = Engine::start(&sandbox.socket(), move |mut peer| match after {
            0 => {}
            1 => drop(peer.read()),
            _ => {
                peer.open();
                let line = peer.read().unwrap();
                let whole = result(id(&line).unwrap(), &fired(EMPTY_REPLY));
                peer.send_raw(&whole.as_bytes()[..whole.len() / 2]);
            }
        });
        let output = sandbox.run(JCLI, "{}");
        let stderr = text(&output.stderr);
        assert!(
            stderr.contains("closed the connection before it replied; the agent continues"),
            "{stderr}"
        );
        assert_eq!((output.stdout.len(), output.status.code()), (0, Some(0)));
    }
}

#[test]
fn an_engine_that_accepts_and_does_not_answer_is_left_after_2_s_and_the_next_place_is_tried() {
    let sandbox = Sandbox::new();
    let silent = Engine::start(&sandbox.socket(), |mut peer| peer.wait_for_end());
    let output = sandbox.run(JCLI, "{}");
    assert_eq!(
        text(&output.stderr),
        "hookwright-relay: the Hookwright engine did not respond within 2 s; the agent continues\n"
    );
    let other = Engine::replying(&sandbox.data_run().join("agent.sock"), r#"{"json":{"other":1}}"#);
    let output = sandbox.run(JCLI, "{}");
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("{\"other\":1}\n".to_owned(), String::new())
    );
    assert!(other.next().contains("session.open"));
    drop(silent);
}

#[test]
fn an_engine_that_sends_single_bytes_has_no_more_than_2_s_for_the_session() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.read();
        for _ in 0..200 {
            peer.send_raw(b" ");
            thread::sleep(Duration::from_millis(100));
        }
    });
    let output = sandbox.run(JCLI, "{}");
    assert!(
        text(&output.stderr).contains("did not respond within 2 s"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn an_event_may_take_longer_than_the_session() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        let line = peer.read().unwrap();
        // Longer than the limit of `session.open`, which must not hold here.
        thread::sleep(Duration::from_millis(2300));
        peer.send(&result(id(&line).unwrap(), &fired(r#"{"json":{"late":true}}"#)));
    });
    assert_eq!(text(&sandbox.run(JCLI, "{}").stdout), "{\"late\":true}\n");
}

#[test]
fn an_engine_that_asks_again_and_again_and_reads_nothing_is_still_heard() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        let line = peer.read().unwrap();
        for number in 0..5000 {
            peer.send(&format!(
                r#"{{"jsonrpc":"2.0","id":"q{number}","method":"model.complete","params":{{}}}}"#
            ));
        }
        peer.send(&result(id(&line).unwrap(), &fired(r#"{"json":{"late":true}}"#)));
    });
    assert_eq!(text(&sandbox.run(JCLI, "{}").stdout), "{\"late\":true}\n");
}

#[test]
fn lines_that_are_not_the_reply_are_passed_over_and_requests_are_refused() {
    let sandbox = Sandbox::new();
    let engine = Engine::start(&sandbox.socket(), |mut peer| {
        let line = peer.read().unwrap();
        peer.send("garbage");
        peer.send("");
        peer.send("{\"id\":1");
        peer.send_raw(b"\xff\xfe\n");
        peer.send(r#"{"jsonrpc":"2.0","id":"m-1","method":"model.complete","params":{}}"#);
        peer.read();
        peer.send(&result(99, "{}"));
        peer.send(&result(id(&line).unwrap(), crate::common::OPENED));
        let line = peer.read().unwrap();
        peer.send(r#"{"jsonrpc":"2.0","method":"session.notice","params":{"kind":"warning","text":"x"}}"#);
        peer.send(&result(1, "{\"reply\":{\"json\":{\"old\":1}}}"));
        peer.send(r#"{"jsonrpc":"2.0","id":7,"method":"agent.fire","params":{"event":"x"}}"#);
        peer.read();
        peer.send(&result(id(&line).unwrap(), &fired(r#"{"json":{"new":1}}"#)));
    });
    let output = sandbox.run(JCLI, "{}");
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("{\"new\":1}\n".to_owned(), String::new())
    );
    engine.next();
    assert_eq!(
        engine.next(),
        r#"{"jsonrpc":"2.0","id":"m-1","error":{"code":-32601,"message":"the relay has no methods"}}"#
    );
    engine.next();
    assert_eq!(
        engine.next(),
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"the relay has no methods"}}"#
    );
}

#[test]
fn a_reply_that_is_not_one_is_no_reply() {
    for broken in [
        "null",
        "{}",
        r#"{"reply":null}"#,
        r#"{"reply":[]}"#,
        r#"{"reply":{"exit_code":"2"}}"#,
        r#"{"reply":{"exit_code":4711}}"#,
    ] {
        let sandbox = Sandbox::new();
        let _engine = Engine::start(&sandbox.socket(), move |mut peer| {
            peer.open();
            let line = peer.read().unwrap();
            peer.send(&result(id(&line).unwrap(), broken));
            peer.wait_for_end();
        });
        let output = sandbox.run(JCLI, "{}");
        assert_eq!(
            text(&output.stderr),
            "hookwright-relay: the Hookwright engine sent an invalid reply; the agent continues\n",
            "{broken}"
        );
        assert_eq!(output.stdout.len(), 0);
    }
}

#[test]
fn a_reply_may_be_large_and_has_an_end() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        let line = peer.read().unwrap();
        let large = "x".repeat(20 << 20);
        peer.send(&result(
            id(&line).unwrap(),
            &fired(&format!(r#"{{"json":{{"a":"{large}"}}}}"#)),
        ));
    });
    assert_eq!(
        sandbox.run(JCLI, "{}").stdout.len(),
        (20 << 20) + "{\"a\":\"\"}\n".len()
    );

    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        peer.read();
        let endless = vec![b' '; 1 << 20];
        for _ in 0..40 {
            peer.send_raw(&endless);
        }
        peer.wait_for_end();
    });
    assert!(text(&sandbox.run(JCLI, "{}").stderr).contains("sent an invalid reply"));
}

#[test]
fn stdin_that_is_no_document_is_named_and_never_sent() {
    for (stdin, problem) in [
        (&b""[..], "stdin is empty; expected the event as JSON"),
        (b" \n", "stdin is empty; expected the event as JSON"),
        (b"\xef\xbb\xbf", "stdin is empty; expected the event as JSON"),
        (b"{\"a\":1", "the event on stdin is not valid JSON (byte 7)"),
        (b"{\"a\":\"x\0y\"}", "the event on stdin is not valid JSON (byte 8)"),
        (b"{\"a\":\"x\ny\"}", "the event on stdin is not valid JSON (byte 8)"),
        (b"{}\0", "the event on stdin is not valid JSON (byte 3)"),
        (b"{} {}", "the event on stdin is not valid JSON (byte 4)"),
        (b"{\"a\":\"\xff\"}", "the event on stdin is not valid UTF-8"),
        (b"nonsense", "the event on stdin is not valid JSON (byte 1)"),
    ] {
        let sandbox = Sandbox::new();
        let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
        let output = sandbox.run(JCLI, stdin);
        assert_eq!(
            text(&output.stderr),
            format!("hookwright-relay: {problem}; the agent continues\n")
        );
        assert_eq!((output.stdout.len(), output.status.code()), (0, Some(0)));
        let output = sandbox.run(&["--dialect", "qoder", "--fail-closed"], stdin);
        assert_eq!(
            text(&output.stderr),
            format!("hookwright-relay: {problem}; the agent is blocked\n")
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(engine.is_quiet());
    }
}

#[test]
fn an_event_without_a_name_is_said() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
    let output = sandbox.run(&["--dialect", "qoder"], r#"{"event":"PreToolUse"}"#);
    assert_eq!(
        text(&output.stderr),
        "hookwright-relay: the event has no field `hook_event_name`; the agent continues (add `--event EVENT`)\n"
    );
    assert!(engine.is_quiet());
}

#[test]
fn a_payload_has_at_most_16_mib() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
    let with_length = |length: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));
    // Line ends around and between the tokens do not count.
    let output = sandbox.run(JCLI, format!("\n\n{}\n", with_length(16 << 20)));
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (String::new(), String::new())
    );
    engine.next();
    assert!(engine.next().len() > 16 << 20);
    // The engine refuses it, and records that it passed.
    sandbox.run(JCLI, with_length((16 << 20) + 1));
    engine.next();
    assert!(engine.next().len() > 16 << 20);
    // No line of the engine can be so long.
    let output = sandbox.run(JCLI, with_length(33 << 20));
    assert_eq!(
        text(&output.stderr),
        "hookwright-relay: the event is larger than 16 MiB; the agent continues\n"
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(engine.is_quiet());
}

#[test]
fn an_agent_that_closes_stdout_still_gets_the_exit_code() {
    let sandbox = Sandbox::new();
    let _engine = Engine::replying(&sandbox.socket(), r#"{"json":{},"exit_code":2,"stderr":"no"}"#);
    let mut relay = start(&mut sandbox.relay(JCLI));
    drop(relay.stdout.take());
    drop(relay.stderr.take());
    relay.stdin.take().unwrap().write_all(b"{}").unwrap();
    assert_eq!(relay.wait().unwrap().code(), Some(2));
}
