//! j-cli, in a version that reads `hooks/<name>/HOOK.yaml` (12.10.44). Without a terminal it fires no
//! `pre_tool_execution`, so the denied call is made in a terminal.

use std::path::Path;
use std::time::Duration;

use hookwright_testkit::Sandbox;
use hookwright_testkit::processes::wait_until;
use hookwright_testkit::program::relay;
use serde_json::json;

use super::{Model, installed, verdicts};
use crate::sample_agents::engine;

/// Every event of j-cli.
const EVENTS: &str = "session_start, session_end, pre_send_message, post_send_message, pre_llm_request, \
    post_llm_response, pre_tool_execution, post_tool_execution, post_tool_execution_failure, stop, pre_micro_compact, \
    post_micro_compact, pre_auto_compact, post_auto_compact";
/// A hook in the file that this j-cli no longer reads, and the engine does.
const GUARD: &str =
    "pre_tool_execution:\n  - command: 'grep -q \"touch denied\" && echo ''{\"action\": \"skip\"}'' || echo {}'\n";
/// Gives a program a terminal with a size, and passes on what is typed and what it shows.
const IN_TERMINAL: &str =
    "import pty, sys\npty.spawn(['sh', '-c', 'stty rows 40 cols 120; exec \"$@\"', 'sh', *sys.argv[1:]])";

/// A sandbox with the guard, and j-cli connected as `docs/real-agents.md` says.
fn connected() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("home/.jdata/agent/hooks.yaml", GUARD);
    let hook = format!(
        "events: [{EVENTS}]\ncommand: {} --dialect jcli\ntimeout: 35\n",
        relay().display()
    );
    sandbox.write("home/.jdata/agent/hooks/hookwright/HOOK.yaml", hook);
    sandbox
}

/// A model that makes a file with j-cli's tool, and j-cli's configuration with its address.
fn model(sandbox: &Sandbox, name: &str) -> Model {
    let call = json!({"command": format!("touch {name}"), "description": "a file"});
    let model = Model::calling(sandbox, "Bash", &call);
    let provider = json!({
        "name": "scripted", "api_base": format!("{}/v1", model.url()), "api_key": "none", "model": "scripted"
    });
    let config = json!({"providers": [provider], "active_index": 0, "tools_enabled": true});
    sandbox.write("home/.jdata/agent/data/agent_config.json", config.to_string());
    model
}

fn was_recorded(sandbox: &Sandbox, event: &str) -> bool {
    !verdicts(sandbox, event).is_empty()
}

#[test]
fn j_cli_reports_an_allowed_call() {
    let Some(program) = installed("j-cli", "HOOKWRIGHT_JCLI") else {
        return;
    };
    let sandbox = connected();
    let _engine = engine(&sandbox);
    let model = model(&sandbox, "allowed");
    let args = ["chat", "--bypass", "--no-render", "make a file"];
    let said = sandbox.start_program(&program, args).finish().assert_exit(0);
    assert!(sandbox.project().join("allowed").exists(), "{said}");
    assert_eq!(model.requests().lines().count(), 2, "{}", model.requests());
    for event in [
        "session_start",
        "pre_llm_request",
        "post_tool_execution",
        "stop",
        "session_end",
    ] {
        let recorded = verdicts(&sandbox, event);
        assert!(!recorded.is_empty(), "{event}\n{said}");
        assert!(
            recorded.iter().all(|(kind, _)| kind == "proceed"),
            "{event}: {recorded:?}"
        );
    }
}

#[test]
fn j_cli_does_not_run_a_denied_tool() {
    let Some(program) = installed("j-cli", "HOOKWRIGHT_JCLI") else {
        return;
    };
    let sandbox = connected().with_var("TERM", "xterm-256color");
    let _engine = engine(&sandbox);
    let model = model(&sandbox, "denied");
    let args = ["-c", IN_TERMINAL, program.to_str().unwrap(), "chat"];
    let mut terminal = sandbox.start_program(Path::new("python3"), args);
    terminal.wait_for("the start of the session", || was_recorded(&sandbox, "session_start"));
    terminal.write(b"make a file");
    // The end of the line may arrive together with the text and count as pasted. Further ones send nothing.
    let was_sent = wait_until(Duration::from_secs(60), || {
        terminal.write(b"\r");
        was_recorded(&sandbox, "pre_send_message")
    });
    assert!(was_sent, "{}", terminal.stdout());
    terminal.wait_for("the request with the result", || model.requests().lines().count() > 1);
    assert!(!sandbox.project().join("denied").exists());
    assert_eq!(verdicts(&sandbox, "pre_tool_execution"), [("skip".to_owned(), None)]);
    assert!(was_recorded(&sandbox, "post_tool_execution_failure"));
}
