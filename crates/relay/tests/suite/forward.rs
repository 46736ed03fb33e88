//! One event through the built relay to a scripted engine, and the engine's reply back to the agent.

use std::fs;
use std::io::Write;

use crate::common::{Engine, Sandbox, error, id, run, start, text};

const EMPTY_REPLY: &str = r#"{"json":{},"exit_code":0,"stderr":""}"#;
const JCLI: &[&str] = &["--dialect", "jcli", "--event", "stop"];

#[test]
fn an_event_goes_to_the_engine_and_its_reply_comes_back() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(
        &sandbox.socket(),
        r#"{"json":{"a": [1,"ü"]},"exit_code":0,"stderr":""}"#,
    );
    let payload = r#"{"event":"pre_send_message","session_id":"s-1","user_input":"hi"}"#;
    let mut relay = start(
        sandbox
            .relay(&["--dialect", "jcli"])
            .env("HOOKWRIGHT_DEPTH", "2")
            .env("PATH", "/agent/bin"),
    );
    relay.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = relay.wait_with_output().unwrap();
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("{\"a\": [1,\"ü\"]}\n".to_owned(), String::new())
    );
    assert_eq!(output.status.code(), Some(0));
    let project = sandbox.path("project");
    let open = format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"session.open","params":{{"dialect":"jcli","#,
            r#""agent":{{"name":"j-cli","version":"","pid":{},"depth":2,"path":"/agent/bin"}},"session_id":"s-1","cwd":"{}","#,
            r#""offers":[],"native":false,"keep_ms":600000,"protocol":1}}}}"#
        ),
        std::process::id(),
        project.display()
    );
    assert_eq!(engine.next(), open);
    let fire = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"event.fire","params":{{"event":"pre_send_message","payload":{payload}}}}}"#
    );
    assert_eq!(engine.next(), fire);
}

#[test]
fn an_empty_reply_prints_nothing_in_any_dialect() {
    for dialect in ["jcli", "qoder", "agent-hooks", "claude-code", "codex", "skill"] {
        for reply in [
            r#"{"json":{},"exit_code":0,"stderr":""}"#,
            r#"{"json":{ },"exit_code":null}"#,
        ] {
            let sandbox = Sandbox::new();
            let _engine = Engine::replying(&sandbox.socket(), reply);
            let output = sandbox.run(&["--dialect", dialect, "--event", "any"], "{}");
            let printed = (text(&output.stdout), text(&output.stderr), output.status.code());
            assert_eq!(printed, (String::new(), String::new(), Some(0)), "{dialect} {reply}");
        }
    }
}

#[test]
fn the_reply_decides_stdout_stderr_and_the_exit_code() {
    for (reply, expected) in [
        (
            r#"{"json":{},"exit_code":2,"stderr":"no \"rm\"\nhere"}"#,
            ("", "no \"rm\"\nhere\n", 2),
        ),
        (r#"{"json":{ },"exit_code":2,"stderr":"no"}"#, ("", "no\n", 2)),
        (r#"{"json":{},"exit_code":0,"stderr":""}"#, ("", "", 0)),
        (r#"{"json":{ },"exit_code":0,"stderr":"said"}"#, ("", "said\n", 0)),
        (r#"{"json":null,"exit_code":0,"stderr":""}"#, ("", "", 0)),
        (r#"{"json":null}"#, ("", "", 0)),
        (
            r#"{"json":{"a":1},"exit_code":7,"stderr":"x\n"}"#,
            ("{\"a\":1}\n", "x\n", 7),
        ),
    ] {
        let sandbox = Sandbox::new();
        let _engine = Engine::replying(&sandbox.socket(), reply);
        let output = sandbox.run(JCLI, "{}");
        let actual = (
            text(&output.stdout),
            text(&output.stderr),
            output.status.code().unwrap(),
        );
        assert_eq!(
            actual,
            (expected.0.to_owned(), expected.1.to_owned(), expected.2),
            "{reply}"
        );
    }
}

#[test]
fn the_payload_of_each_dialect_names_event_and_session() {
    for (dialect, payload, event, session) in [
        ("jcli", r#"{"event":"stop","session_id":"s"}"#, "stop", Some("s")),
        (
            "qoder",
            r#"{"hook_event_name":"FileChanged","event":"add","session_id":"s"}"#,
            "FileChanged",
            Some("s"),
        ),
        (
            "claude-code",
            r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#,
            "PreToolUse",
            Some("s"),
        ),
        (
            "agent-hooks",
            r#"{"event_type":"before_tool","session_id":"\u0073"}"#,
            "before_tool",
            Some("\\u0073"),
        ),
        ("jcli", r#"{"ev\u0065nt":"st\u006fp","session_id":""}"#, "stop", None),
        ("jcli", r#"{"event":"x","event":"stop","session_id":7}"#, "stop", None),
    ] {
        let sandbox = Sandbox::new();
        let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
        let output = sandbox.run(&["--dialect", dialect], payload);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let open = engine.next();
        match session {
            Some(session) => assert!(open.contains(&format!(r#""session_id":"{session}""#)), "{open}"),
            None => assert!(!open.contains("session_id"), "{open}"),
        }
        let fire = engine.next();
        assert!(
            fire.contains(&format!(r#""params":{{"event":"{event}","payload":{payload}}}"#)),
            "{fire}"
        );
    }
}

#[test]
fn an_event_on_the_command_line_is_taken_before_the_one_in_the_payload() {
    let sandbox = Sandbox::new();
    let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
    sandbox.run(
        &["--dialect=skill", "--event=after_tool_call", "--native"],
        r#"{"messages":[],"":"x"}"#,
    );
    let open = engine.next();
    assert!(
        open.contains(r#""native":true"#) && !open.contains("session_id"),
        "{open}"
    );
    assert!(
        engine
            .next()
            .contains(r#"{"event":"after_tool_call","payload":{"messages":[],"":"x"}}"#)
    );
}

#[test]
fn a_payload_is_passed_on_as_it_stands() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let huge_number = "9".repeat(5000);
    for (sent, received) in [
        ("\u{feff}{\"a\":1}".to_owned(), "{\"a\":1}".to_owned()),
        (
            "\r\n{\r\n  \"b\" : 1.50e+300 ,\n  \"a\": \"x\\ny\\ud800\"\n}\n".to_owned(),
            "{  \"b\" : 1.50e+300 ,  \"a\": \"x\\ny\\ud800\"}".to_owned(),
        ),
        (format!("{{\"n\":{huge_number}}}"), format!("{{\"n\":{huge_number}}}")),
        (format!("{{\"d\":{deep}}}"), format!("{{\"d\":{deep}}}")),
        ("[1]".to_owned(), "[1]".to_owned()),
        (
            "{\"\u{2028}\":\"\u{7f}😀\"}".to_owned(),
            "{\"\u{2028}\":\"\u{7f}😀\"}".to_owned(),
        ),
    ] {
        let sandbox = Sandbox::new();
        let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
        let output = sandbox.run(JCLI, &sent);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
        engine.next();
        assert!(engine.next().ends_with(&format!("\"payload\":{received}}}}}")));
    }
}

#[test]
fn the_project_is_the_variable_of_the_agent_or_else_the_working_directory() {
    for (dialect, variable) in [
        ("qoder", "QODER_PROJECT_DIR"),
        ("claude-code", "CLAUDE_PROJECT_DIR"),
        ("agent-hooks", "KIMI_PROJECT_DIR"),
    ] {
        let sandbox = Sandbox::new();
        let engine = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
        let own = sandbox.path("project").display().to_string();
        for (value, cwd) in [
            ("/other \"place\"", r#"/other \"place\""#),
            ("relative", &own),
            ("", &own),
        ] {
            run(
                sandbox
                    .relay(&["--dialect", dialect, "--event", "x"])
                    .env(variable, value),
                "{}",
            );
            let open = engine.next();
            assert!(open.contains(&format!(r#""cwd":"{cwd}","offers""#)), "{open}");
            engine.next();
        }
        // The variable of another agent says nothing.
        run(sandbox.relay(JCLI).env(variable, "/other"), "{}");
        assert!(engine.next().contains(&format!(r#""cwd":"{own}""#)));
    }
}

#[test]
fn the_places_of_the_socket_are_tried_in_order_until_one_answers() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.data_run()).unwrap();
    let from_endpoint = Engine::replying(&sandbox.path("elsewhere.sock"), EMPTY_REPLY);
    let endpoint = format!("{}\n/control.sock\n", sandbox.path("elsewhere.sock").display());
    fs::write(sandbox.data_run().join("endpoint"), endpoint).unwrap();
    // What another program or a killed engine left behind is absent.
    fs::create_dir_all(sandbox.path("run/hookwright")).unwrap();
    fs::write(sandbox.socket(), "").unwrap();
    sandbox.run(JCLI, "{}");
    assert!(from_endpoint.next().contains("session.open"));
    from_endpoint.next();

    let in_data = Engine::replying(&sandbox.data_run().join("agent.sock"), EMPTY_REPLY);
    sandbox.run(JCLI, "{}");
    assert!(in_data.next().contains("session.open") && from_endpoint.is_quiet());
    in_data.next();

    fs::remove_file(sandbox.socket()).unwrap();
    let in_runtime = Engine::replying(&sandbox.socket(), EMPTY_REPLY);
    sandbox.run(JCLI, "{}");
    assert!(in_runtime.next().contains("session.open") && in_data.is_quiet());
    in_runtime.next();

    // A relative standard folder counts as unset.
    run(sandbox.relay(JCLI).env("XDG_RUNTIME_DIR", "run"), "{}");
    assert!(in_data.next().contains("session.open"));

    // The named socket is the only one.
    let output = run(
        sandbox.relay(JCLI).env("HOOKWRIGHT_SOCKET", sandbox.path("none.sock")),
        "{}",
    );
    assert!(
        text(&output.stderr).contains("no Hookwright engine is running"),
        "{}",
        text(&output.stderr)
    );
    assert!(in_runtime.is_quiet());
    let named = Engine::replying(&sandbox.path("named.sock"), EMPTY_REPLY);
    run(
        sandbox.relay(JCLI).env("HOOKWRIGHT_SOCKET", sandbox.path("named.sock")),
        "{}",
    );
    assert!(named.next().contains("session.open"));
}

#[test]
fn the_data_folder_is_that_of_the_main_program() {
    let sandbox = Sandbox::new();
    for (variable, value, run_dir) in [
        ("HOOKWRIGHT_DATA", "data", "data/run"),
        ("XDG_DATA_HOME", "share", "share/hookwright/run"),
    ] {
        let engine = Engine::replying(&sandbox.path(run_dir).join("agent.sock"), EMPTY_REPLY);
        run(
            sandbox
                .relay(JCLI)
                .env_remove("XDG_RUNTIME_DIR")
                .env(variable, sandbox.path(value)),
            "{}",
        );
        assert!(engine.next().contains("session.open"));
    }
    for variable in ["HOME", "HOOKWRIGHT_DATA"] {
        let output = run(sandbox.relay(JCLI).env(variable, "x/y"), "{}");
        let expected = format!(
            "hookwright-relay: {variable} is the relative path `x/y`; the agent continues (set it to an absolute path)\n"
        );
        assert_eq!((text(&output.stderr), output.status.code()), (expected, Some(0)));
    }
}

#[test]
fn without_an_engine_the_agent_continues_and_stderr_says_so_once() {
    for args in [
        JCLI,
        &["--dialect", "qoder", "--event", "PreToolUse"],
        &["--dialect", "agent-hooks", "--event", "before_tool", "--native"],
    ] {
        let output = Sandbox::new().run(args, "{}");
        let sentence = "hookwright-relay: no Hookwright engine is running; the agent continues (start it with `hookwright serve`)\n";
        assert_eq!(
            (text(&output.stdout), text(&output.stderr)),
            (String::new(), sentence.to_owned())
        );
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn fail_closed_blocks_in_the_way_of_the_dialect() {
    let sentence =
        "hookwright-relay: no Hookwright engine is running; the agent is blocked (start it with `hookwright serve`)";
    for (dialect, event, stdout, code) in [
        (
            "jcli",
            "pre_send_message",
            r#"{"action":"stop","system_message":"WHY"}"#,
            0,
        ),
        (
            "jcli",
            "pre_tool_execution",
            r#"{"action":"skip","system_message":"WHY"}"#,
            0,
        ),
        ("qoder", "PreToolUse", "", 2),
        ("qoder", "UserPromptSubmit", "", 2),
        ("agent-hooks", "before_tool", "", 2),
        ("agent-hooks", "session_start", "", 2),
        ("claude-code", "PreToolUse", "", 2),
        ("codex", "PermissionRequest", "", 2),
        (
            "claude-code",
            "PermissionRequest",
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"WHY"}}}"#,
            0,
        ),
    ] {
        let output = Sandbox::new().run(&["--dialect", dialect, "--event", event, "--fail-closed"], "{}");
        assert_eq!(
            text(&output.stdout).trim_end(),
            stdout.replace("WHY", sentence),
            "{dialect} {event}"
        );
        assert_eq!(text(&output.stderr), format!("{sentence}\n"), "{dialect} {event}");
        assert_eq!(output.status.code(), Some(code), "{dialect} {event}");
    }
}

#[test]
fn fail_closed_says_where_it_has_no_effect() {
    for (dialect, event) in [
        ("jcli", "session_end"),
        ("qoder", "SessionEnd"),
        ("claude-code", "Stop"),
        ("codex", "Interrupt"),
        ("agent-hooks", "before_stop"),
        ("skill", "before_planning"),
    ] {
        let output = Sandbox::new().run(&["--dialect", dialect, "--event", event, "--fail-closed"], "{}");
        let stderr = text(&output.stderr);
        assert!(
            stderr.contains(&format!(
                "the agent continues, since --fail-closed has no effect at {event}"
            )),
            "{stderr}"
        );
        assert_eq!(
            (output.stdout.len(), output.status.code()),
            (0, Some(0)),
            "{dialect} {event}"
        );
    }
}

#[test]
fn an_error_of_the_engine_is_named_with_its_hint() {
    let refusal = r#"{"code":-32002,"message":"unknown event `stop`","data":{"hint":"did you mean `Stop`?"}}"#;
    for at_open in [true, false] {
        let sandbox = Sandbox::new();
        // The place after this one is not tried: an engine has answered.
        let second = Engine::replying(&sandbox.data_run().join("agent.sock"), EMPTY_REPLY);
        let _engine = Engine::start(&sandbox.socket(), move |mut peer| {
            if !at_open {
                peer.open();
            }
            let line = peer.read().unwrap();
            peer.send(&error(id(&line).unwrap(), refusal));
            peer.wait_for_end();
        });
        let output = sandbox.run(JCLI, "{}");
        assert_eq!(
            text(&output.stderr),
            "hookwright-relay: unknown event `stop`; the agent continues (did you mean `Stop`?)\n"
        );
        assert_eq!((output.stdout.len(), output.status.code()), (0, Some(0)));
        let output = sandbox.run(&["--dialect", "qoder", "--event", "PreToolUse", "--fail-closed"], "{}");
        assert_eq!(
            text(&output.stderr),
            "hookwright-relay: unknown event `stop`; the agent is blocked (did you mean `Stop`?)\n"
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(second.is_quiet());
    }
}

#[test]
fn wrong_usage_is_one_sentence_and_exit_code_1() {
    let sandbox = Sandbox::new();
    for (args, sentence) in [
        (&[][..], "`--dialect` is missing"),
        (&["--dialect"], "`--dialect` needs a value"),
        (&["--dialect", "nope"], "unknown hook system `nope`"),
        (&["--dialect", "jcli", "--nope"], "unknown option `--nope`"),
        (&["--dialect", "jcli", "--native=1"], "unknown option `--native=1`"),
        (&["--dialect", "jcli", "stop"], "unknown option `stop`"),
        (&["--dialect", "jcli", "--event="], "`--event` needs a value"),
        (
            &["--dialect", "skill"],
            "`--event` is missing: a payload of skill does not contain it",
        ),
        (
            &["--dialect", "picoclaw", "--event", "x"],
            "`--event` is not used with picoclaw: its requests name their events",
        ),
        (
            &["run", "--dialect", "jcli", "--event", "stop", "--hook", "h"],
            "`run` needs `--` and a command",
        ),
        (
            &["run", "--dialect", "jcli", "--event", "stop", "--hook", "h", "--"],
            "the command after `--` is missing",
        ),
        (
            &["run", "--dialect", "jcli", "--event", "stop", "--", "true"],
            "`--hook` is missing",
        ),
        (
            &["run", "--dialect", "jcli", "--hook", "h", "--", "true"],
            "`--event` is missing",
        ),
        (&["run", "--native", "--", "true"], "unknown option `--native`"),
    ] {
        let output = sandbox.run(args, "{}");
        assert_eq!(
            text(&output.stderr),
            format!("hookwright-relay: {sentence}; see `hookwright-relay --help`\n")
        );
        assert_eq!((output.stdout.len(), output.status.code()), (0, Some(1)));
    }
}

#[test]
fn help_and_version_are_printed() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"], "");
    assert!(text(&help.stdout).contains("--fail-closed") && help.status.success());
    let version = sandbox.run(&["--version"], "");
    assert_eq!(
        text(&version.stdout),
        format!("hookwright-relay {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn claude_code_gets_the_bare_path_of_a_worktree() {
    let sandbox = Sandbox::new();
    let reply = r#"{"json":{"hookSpecificOutput":{"hookEventName":"WorktreeCreate","worktreePath":"/w/a\u0020b"}},"exit_code":0,"stderr":""}"#;
    let _engine = Engine::replying(&sandbox.socket(), reply);
    let output = sandbox.run(
        &["--dialect", "claude-code"],
        r#"{"hook_event_name":"WorktreeCreate","name":"a b"}"#,
    );
    assert_eq!(text(&output.stdout), "/w/a b\n");
}
