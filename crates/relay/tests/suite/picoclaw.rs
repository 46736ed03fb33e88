//! The relay as a hook process of picoclaw: an agent's lines to a scripted engine and back.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::mpsc;

use crate::common::{Engine, Sandbox, error, fired, id, result, start, text};

const PICOCLAW: &[&str] = &["--dialect", "picoclaw"];

/// The agent's side of a relay.
struct Agent {
    relay: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    fn start(command: &mut Command) -> Self {
        let mut relay = start(command);
        let stdin = relay.stdin.take().unwrap();
        let stdout = BufReader::new(relay.stdout.take().unwrap());
        Self { relay, stdin, stdout }
    }

    fn send(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn read(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.read()
    }

    /// Closes stdin, and returns what else the relay wrote to stdout and stderr.
    fn end(self) -> (String, String) {
        let Self {
            relay,
            stdin,
            mut stdout,
        } = self;
        drop(stdin);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
        let output = relay.wait_with_output().unwrap();
        assert!(output.status.success());
        (rest, text(&output.stderr))
    }
}

fn before_tool(id: &str, session: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"hook.before_tool","params":{{"meta":{{"SessionKey":"{session}"}},"tool":"bash","arguments":{{"a":1.0}}}}}}"#
    )
}

fn answered(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

#[test]
fn a_request_becomes_an_event_and_its_reply_the_result() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(
        &sandbox.socket(),
        r#"{"json":{"action":"deny_tool","reason":"no"},"exit_code":0}"#,
    );
    let mut agent = Agent::start(&mut sandbox.relay(&["--dialect", "picoclaw", "--native"]));
    let hello = agent
        .ask(r#"{"jsonrpc":"2.0","id":1,"method":"hook.hello","params":{"name":"hw","version":1,"modes":["tool"]}}"#);
    assert_eq!(hello, answered("1", r#"{"ok":true,"name":"hookwright-relay"}"#));
    assert!(engine.is_quiet(), "the handshake needs no engine");
    assert_eq!(
        agent.ask(&before_tool("2", "k")),
        answered("2", r#"{"action":"deny_tool","reason":"no"}"#)
    );
    let open = engine.next();
    for part in [
        r#""dialect":"picoclaw""#,
        r#""name":"PicoClaw""#,
        r#""session_id":"k""#,
        r#""native":true"#,
        r#""keep_ms":600000"#,
    ] {
        assert!(open.contains(part), "{open}");
    }
    let params = r#"{"meta":{"SessionKey":"k"},"tool":"bash","arguments":{"a":1.0}}"#;
    let fire = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"event.fire","params":{{"event":"before_tool","payload":{params}}}}}"#
    );
    assert_eq!(engine.next(), fire);
    // The id of the agent comes back as it stands, and the session is opened once.
    assert!(
        agent
            .ask(&before_tool("\"x\\u0041\"", "k"))
            .starts_with(r#"{"jsonrpc":"2.0","id":"x\u0041","result""#)
    );
    assert!(engine.next().contains(r#""id":3,"method":"event.fire""#));
    assert_eq!(agent.end(), (String::new(), String::new()));
}

#[test]
fn requests_run_side_by_side() {
    let sandbox = Sandbox::new();
    let engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        let (first, second) = (peer.read().unwrap(), peer.read().unwrap());
        for line in [second, first] {
            let id = id(&line).unwrap();
            peer.send(&result(id, &fired(&format!(r#"{{"json":{{"n":{id}}}}}"#))));
        }
        peer.wait_for_end();
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    agent.send(&before_tool("10", "k"));
    agent.send(&before_tool("11", "k"));
    assert_eq!(agent.read(), answered("11", r#"{"n":3}"#));
    assert_eq!(agent.read(), answered("10", r#"{"n":2}"#));
    drop(engine);
    agent.end();
}

#[test]
fn notifications_become_notes_in_their_order() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), r#"{"json":{"action":"continue"}}"#);
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    for kind in ["\"turn_start\"", "8", "\"made_up\""] {
        agent.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"hook.event","params":{{"Kind":{kind},"Meta":{{"SessionKey":"k"}},"Payload":{{}}}}}}"#
        ));
    }
    agent.send(r#"{"jsonrpc":"2.0","method":"hook.runtime_event","params":{"kind":"agent.turn.end","Meta":{"SessionKey":"k"}}}"#);
    // Neither a kind nor a notification of an event.
    agent.send(r#"{"jsonrpc":"2.0","method":"hook.event","params":{}}"#);
    agent.send(r#"{"jsonrpc":"2.0","method":"other","params":{}}"#);
    assert_eq!(agent.end(), (String::new(), String::new()));
    assert!(engine.next().contains(r#""session_id":"k""#));
    for event in ["turn_start", "tool_exec_start", "made_up", "agent.turn.end"] {
        let note = engine.next();
        let begin = format!(r#"{{"jsonrpc":"2.0","method":"event.note","params":{{"event":"{event}","payload":{{"#);
        assert!(note.starts_with(&begin), "{note}");
    }
    assert!(engine.is_quiet());
}

#[test]
fn each_session_key_has_a_session_of_its_own() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), r#"{"json":{"action":"continue"}}"#);
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    for (request, session) in [("1", "a"), ("2", "b"), ("3", "a")] {
        agent.ask(&before_tool(request, session));
    }
    agent.ask(r#"{"jsonrpc":"2.0","id":4,"method":"hook.before_llm","params":{"model":"m"}}"#);
    agent.end();
    let lines: Vec<String> = (0..7).map(|_| engine.next()).collect();
    let opened: Vec<&String> = lines.iter().filter(|line| line.contains("session.open")).collect();
    assert_eq!(opened.len(), 3);
    let named: HashSet<bool> = opened.iter().map(|line| line.contains("session_id")).collect();
    assert_eq!(named.len(), 2, "the last one has no id");
}

#[test]
fn without_an_engine_the_agent_continues_and_stderr_says_so_once() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    for event in ["before_llm", "after_llm", "before_tool", "after_tool", "before_compact"] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"hook.{event}","params":{{}}}}"#);
        assert_eq!(
            agent.ask(&request),
            answered("5", r#"{"action":"continue"}"#),
            "{event}"
        );
    }
    let approval = agent.ask(r#"{"jsonrpc":"2.0","id":6,"method":"hook.approve_tool","params":{}}"#);
    assert_eq!(approval, answered("6", r#"{"approved":true}"#));
    let (rest, stderr) = agent.end();
    assert_eq!(rest, "");
    assert_eq!(
        stderr,
        "hookwright-relay: no Hookwright engine is running; the agent continues (start it with `hookwright serve`)\n"
    );
}

#[test]
fn fail_closed_blocks_each_request_in_its_own_way() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&mut sandbox.relay(&["--dialect", "picoclaw", "--fail-closed"]));
    let reason =
        "hookwright-relay: no Hookwright engine is running; the agent is blocked (start it with `hookwright serve`)";
    for (event, blocked) in [
        ("before_tool", r#"{"action":"deny_tool","reason":"WHY"}"#),
        ("approve_tool", r#"{"approved":false,"reason":"WHY"}"#),
        ("before_llm", r#"{"action":"abort_turn","reason":"WHY"}"#),
        ("after_tool", r#"{"action":"abort_turn","reason":"WHY"}"#),
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"hook.{event}","params":{{}}}}"#);
        assert_eq!(agent.ask(&request), answered("5", &blocked.replace("WHY", reason)));
    }
    assert_eq!(agent.end().1, format!("{reason}\n"));
}

#[test]
fn a_later_request_finds_an_engine_that_was_started_meanwhile() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    assert_eq!(
        agent.ask(&before_tool("1", "k")),
        answered("1", r#"{"action":"continue"}"#)
    );
    let engine = Engine::replying(&sandbox.socket(), r#"{"json":{"action":"hard_abort"}}"#);
    assert_eq!(
        agent.ask(&before_tool("2", "k")),
        answered("2", r#"{"action":"hard_abort"}"#)
    );
    drop(engine);
    agent.end();
}

#[test]
fn an_engine_that_ends_answers_what_waits_and_the_next_request_opens_the_session_again() {
    let sandbox = Sandbox::new();
    let engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        // The connection closes with two requests in it.
        peer.read();
        peer.read();
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    agent.send(&before_tool("1", "k"));
    agent.send(&before_tool("2", "k"));
    let both = HashSet::from([agent.read(), agent.read()]);
    assert_eq!(
        both,
        HashSet::from(["1", "2"].map(|id| answered(id, r#"{"action":"continue"}"#)))
    );
    drop(engine);
    let engine = Engine::replying(&sandbox.socket(), r#"{"json":{"again":1}}"#);
    assert_eq!(agent.ask(&before_tool("3", "k")), answered("3", r#"{"again":1}"#));
    assert!(engine.next().contains("session.open"));
    let (_, stderr) = agent.end();
    assert_eq!(
        stderr,
        "hookwright-relay: the Hookwright engine closed the connection before it replied; the agent continues\n"
    );
}

#[test]
fn a_session_that_the_engine_has_ended_is_opened_again() {
    let sandbox = Sandbox::new();
    let engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        let line = peer.read().unwrap();
        peer.send(&error(id(&line).unwrap(), r#"{"code":-32001,"message":"no session"}"#));
        peer.wait_for_end();
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    for request in ["1", "2"] {
        assert_eq!(
            agent.ask(&before_tool(request, "k")),
            answered(request, r#"{"action":"continue"}"#)
        );
    }
    let (_, stderr) = agent.end();
    assert_eq!(
        stderr
            .matches("hookwright-relay: no session; the agent continues\n")
            .count(),
        2,
        "{stderr}"
    );
    let opened = (0..4)
        .map(|_| engine.next())
        .filter(|line| line.contains("session.open"))
        .count();
    assert_eq!(opened, 2);
}

#[test]
fn an_error_of_the_engine_is_named_and_the_agent_continues() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        peer.open();
        while let Some(line) = peer.read() {
            peer.send("garbage");
            peer.send(r#"{"jsonrpc":"2.0","id":1,"method":"callback.call","params":{}}"#);
            peer.send(&error(
                id(&line).unwrap(),
                r#"{"code":-32004,"message":"payload refused","data":{"hint":"send an object"}}"#,
            ));
            peer.read();
        }
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    assert_eq!(
        agent.ask(&before_tool("1", "k")),
        answered("1", r#"{"action":"continue"}"#)
    );
    let (_, stderr) = agent.end();
    assert_eq!(
        stderr,
        "hookwright-relay: payload refused; the agent continues (send an object)\n"
    );
}

#[test]
fn requests_that_wait_are_answered_after_the_agent_closed_stdin() {
    let sandbox = Sandbox::new();
    let (go, gate) = mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let _engine = Engine::start(&sandbox.socket(), move |mut peer| {
        peer.open();
        let line = peer.read().unwrap();
        let _ = gate.lock().unwrap().recv();
        peer.send(&result(id(&line).unwrap(), &fired(r#"{"json":{"last":1}}"#)));
        peer.wait_for_end();
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    agent.send(&before_tool("1", "k"));
    let Agent {
        relay,
        stdin,
        mut stdout,
    } = agent;
    drop(stdin);
    go.send(()).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line.trim_end(), answered("1", r#"{"last":1}"#));
    assert!(relay.wait_with_output().unwrap().status.success());
}

#[test]
fn lines_that_are_no_request_are_passed_over() {
    let sandbox = Sandbox::new();
    let _engine = Engine::replying(&sandbox.socket(), r#"{"json":{"ok":1}}"#);
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    for line in [
        "",
        "nonsense",
        "[1]",
        "{}",
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"id":null,"method":"hook.before_tool"}"#,
    ] {
        agent.send(line);
    }
    agent.stdin.write_all(b"\xff\n").unwrap();
    let unknown = agent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"other"}"#);
    assert_eq!(
        unknown,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method"}}"#
    );
    // A request without params fires an empty payload.
    assert_eq!(
        agent.ask(r#"{"jsonrpc":"2.0","id":2,"method":"hook.after_llm"}"#),
        answered("2", r#"{"ok":1}"#)
    );
    let (_, stderr) = agent.end();
    assert_eq!(
        stderr
            .matches("a line from the agent is not valid JSON and is ignored")
            .count(),
        2,
        "{stderr}"
    );
}

#[test]
fn an_engine_that_does_not_answer_delays_one_request_and_no_other_session() {
    let sandbox = Sandbox::new();
    let _engine = Engine::start(&sandbox.socket(), |mut peer| {
        let open = peer.read().unwrap();
        if open.contains(r#""session_id":"slow""#) {
            return peer.wait_for_end();
        }
        peer.send(&result(id(&open).unwrap(), crate::common::OPENED));
        while let Some(line) = peer.read() {
            peer.send(&result(id(&line).unwrap(), &fired(r#"{"json":{"fast":1}}"#)));
        }
    });
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    agent.send(&before_tool("1", "slow"));
    agent.send(&before_tool("2", "slow"));
    agent.send(&before_tool("3", "fast"));
    assert_eq!(agent.read(), answered("3", r#"{"fast":1}"#));
    assert_eq!(agent.read(), answered("1", r#"{"action":"continue"}"#));
    assert_eq!(agent.read(), answered("2", r#"{"action":"continue"}"#));
    agent.end();
}

#[test]
fn a_payload_that_no_line_can_hold_is_not_sent() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), r#"{"json":{}}"#);
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    let large = "x".repeat(31 << 20);
    let answer = agent.ask(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"hook.before_tool","params":{{"a":"{large}"}}}}"#
    ));
    assert_eq!(answer, answered("1", r#"{"action":"continue"}"#));
    assert!(
        agent
            .end()
            .1
            .contains("the event is larger than 16 MiB; the agent continues")
    );
    assert!(engine.is_quiet());
}

#[test]
fn an_agent_that_no_longer_reads_ends_the_relay() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&mut sandbox.relay(PICOCLAW));
    assert!(!agent.ask(&before_tool("1", "k")).is_empty());
    let Agent {
        mut relay,
        mut stdin,
        stdout,
    } = agent;
    drop(stdout);
    // A process that another test is just starting may have the read end for a moment, and a write then succeeds.
    let request = format!("{}\n", before_tool("2", "k"));
    while stdin.write_all(request.as_bytes()).is_ok() {}
    assert!(relay.wait().unwrap().success());
}
