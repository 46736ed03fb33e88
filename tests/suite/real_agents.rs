//! Tests with real agents: each is an agent's own program, as its package registry offers it, with a scripted model on
//! loopback (`tests/real-agents`). One tool call is allowed and one is denied, or the scenarios in that folder are played
//! by the agent and by Hookwright. `docs/real-agents.md` says how to install the agents. A test whose variable is not set is skipped, and stderr and `./dev test` say so.

mod jcli;

use std::io::Write;
use std::path::{Path, PathBuf};

use hookwright_testkit::program::{hookwright, relay, workspace};
use hookwright_testkit::{Running, Sandbox};
use serde_json::{Value, json};

use crate::sample_agents::engine;

/// The reason of the guard's denial.
const REASON: &str = "not today";

/// The relay's events of `agent-hooks` for Kimi's two agents, which name theirs as Claude Code does.
const KIMI_EVENTS: [(&str, &str); 7] = [
    ("SessionStart", "session_start"),
    ("SessionEnd", "session_end"),
    ("UserPromptSubmit", "before_agent"),
    ("PreToolUse", "before_tool"),
    ("PostToolUse", "after_tool"),
    ("PostToolUseFailure", "after_tool_failure"),
    ("Stop", "before_stop"),
];

/// The same for Gemini CLI.
const GEMINI_EVENTS: [(&str, &str); 7] = [
    ("SessionStart", "session_start"),
    ("SessionEnd", "session_end"),
    ("BeforeAgent", "before_agent"),
    ("BeforeTool", "before_tool"),
    ("AfterTool", "after_tool"),
    ("AfterAgent", "before_stop"),
    ("PreCompress", "pre_compact"),
];

/// The events around the calls of one run.
const AROUND: [&str; 4] = ["session_start", "before_agent", "before_stop", "session_end"];

/// An agent's program: the value of the variable. `None` if the variable is not set; stderr then says why the test is
/// skipped, past the capture of the test runner.
pub fn installed(agent: &str, variable: &str) -> Option<PathBuf> {
    let Some(program) = std::env::var_os(variable).filter(|path| !path.is_empty()) else {
        let line = format!("skipped: {agent} is not installed; set {variable} to its program (docs/real-agents.md)\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return None;
    };
    let program = PathBuf::from(program);
    assert!(program.is_file(), "{variable} is not a file: {}", program.display());
    Some(program)
}

/// A scripted model that calls one tool and then says `done`.
pub struct Model {
    server: Running,
    log: PathBuf,
}

impl Model {
    pub fn calling(sandbox: &Sandbox, tool: &str, arguments: &Value) -> Self {
        let script = workspace().join("tests/real-agents/model_server.py");
        let says = json!({"tool": tool, "arguments": arguments, "text": "done"}).to_string();
        let log = sandbox.path("requests.jsonl");
        let args = [script.to_str().unwrap(), &says, "--log", log.to_str().unwrap()];
        let server = sandbox.start_program(Path::new("python3"), args);
        server.wait_for("the address of the model", || server.stdout().ends_with('\n'));
        Self { server, log }
    }

    /// Its address, without a slash at the end.
    pub fn url(&self) -> String {
        self.server.stdout().trim().to_owned()
    }

    /// What it was asked so far, one line of JSON for each request.
    pub fn requests(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// The verdicts of an event in the history, oldest first, with their reasons.
#[track_caller]
pub fn verdicts(sandbox: &Sandbox, event: &str) -> Vec<(String, Option<String>)> {
    let query = format!("event:{event} origin:agent");
    let history = sandbox.run(["history", "--query", &query, "--json"]).assert_exit(0);
    let doc = history.json();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let verdict = |row: &Value| (text(&row["verdict"]["kind"]).unwrap(), text(&row["verdict"]["reason"]));
    doc["traces"].as_array().unwrap().iter().rev().map(verdict).collect()
}

/// Runs a command with variables in addition to those of the sandbox.
fn start_with(sandbox: &Sandbox, vars: &[(&str, String)], program: &Path, args: &[&str]) -> Running {
    let mut words: Vec<String> = vars.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.push(program.to_str().unwrap().to_owned());
    words.extend(args.iter().map(|arg| (*arg).to_owned()));
    sandbox.start_program(Path::new("env"), words)
}

/// The command of the relay's hook for an event of `agent-hooks`.
fn relay_command(event: &str) -> String {
    format!("'{}' --dialect agent-hooks --event {event}", relay().display())
}

/// A hook of the user that denies each call with `denied` in its arguments.
fn write_guard(sandbox: &Sandbox) {
    let folder = "home/.config/agents/hooks/guard";
    let definition = "---\nname: guard\ndescription: Denies.\ntrigger: before_tool\nmatcher:\n  pattern: denied\n---\n";
    sandbox.write(&format!("{folder}/HOOK.md"), definition);
    let script = format!("#!/bin/sh\necho '{REASON}' >&2\nexit 2\n");
    sandbox.script(&format!("{folder}/scripts/run.sh"), &script);
}

/// Lets the model call `touch allowed` and `touch denied`, each in a run of the agent. `start` gets the address of the
/// model. `around` are the events around the calls, which each run fires once.
#[track_caller]
fn a_denied_call_is_not_run(tool: &str, around: &[&str], start: impl Fn(&Sandbox, &str) -> Running) {
    let sandbox = Sandbox::new();
    write_guard(&sandbox);
    let _engine = engine(&sandbox);
    for name in ["allowed", "denied"] {
        let call = json!({"command": format!("touch {name}"), "description": "a file"});
        let model = Model::calling(&sandbox, tool, &call);
        let said = start(&sandbox, &model.url()).finish().assert_exit(0);
        let was_run = sandbox.project().join(name).exists();
        assert_eq!(was_run, name == "allowed", "{name}\n{said}");
        let requests = model.requests();
        let knows_why = requests.contains(REASON);
        assert_eq!(
            knows_why,
            name == "denied",
            "{name}: what the model was told\n{requests}"
        );
    }
    let proceed = || ("proceed".to_owned(), None);
    let denied = ("deny".to_owned(), Some(REASON.to_owned()));
    assert_eq!(verdicts(&sandbox, "before_tool"), [proceed(), denied]);
    assert_eq!(verdicts(&sandbox, "after_tool"), [proceed()]);
    for event in around {
        assert_eq!(verdicts(&sandbox, event), [proceed(), proceed()], "{event}");
    }
}

/// Writes the configuration of one of Kimi's agents: the model, and the relay at its events.
fn configure_kimi(sandbox: &Sandbox, folder: &str, api: &str, url: &str) {
    let mut config = format!(
        "default_model = \"scripted\"\ntelemetry = false\n\
         [models.scripted]\nprovider = \"scripted\"\nmodel = \"scripted\"\nmax_context_size = 100000\n\
         [providers.scripted]\ntype = \"{api}\"\nbase_url = \"{url}/v1\"\napi_key = \"none\"\n"
    );
    for (event, name) in KIMI_EVENTS {
        config += &format!(
            "[[hooks]]\nevent = \"{event}\"\ncommand = \"{}\"\n",
            relay_command(name)
        );
    }
    sandbox.write(&format!("home/{folder}/config.toml"), config);
}

/// Plays the scenarios of an agent by the agent and by Hookwright. The agents find their programs by variables.
#[track_caller]
fn scenarios_agree(agent: &str, dialect: &str, variable: &str) {
    let Some(agent_program) = installed(agent, variable) else {
        return;
    };
    let output = std::process::Command::new("python3")
        .arg(workspace().join("tests/real-agents/compare.py"))
        .arg(dialect)
        .env(variable, agent_program)
        .env("HOOKWRIGHT_BIN", hookwright())
        .env("HOOKWRIGHT_RELAY", relay())
        .output()
        .unwrap();
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{table}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn hookwright_agrees_with_claude_code() {
    scenarios_agree("Claude Code", "claude-code", "HOOKWRIGHT_CLAUDE");
}

/// The agent runs the guard in its own file, and the relay's hooks report the events beside it.
#[test]
fn a_connected_claude_code_is_recorded_once_and_still_denies() {
    let Some(program) = installed("Claude Code", "HOOKWRIGHT_CLAUDE") else {
        return;
    };
    let sandbox = Sandbox::new();
    let command = format!("grep -q 'touch denied' && {{ echo '{REASON}' >&2; exit 2; }}; true");
    let guard = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]});
    let settings = json!({"hooks": {"PreToolUse": [guard]}});
    sandbox.write("home/.claude/settings.json", settings.to_string());
    sandbox.run(["connect", "claude-code", "--yes"]).assert_exit(0);
    let _engine = engine(&sandbox);
    for name in ["allowed", "denied"] {
        let call = json!({"command": format!("touch {name}"), "description": "a file"});
        let model = Model::calling(&sandbox, "Bash", &call);
        let vars = [
            ("ANTHROPIC_BASE_URL", model.url()),
            ("ANTHROPIC_API_KEY", "none".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ];
        let args = ["-p", "make a file", "--allowedTools", "Bash"];
        let said = start_with(&sandbox, &vars, &program, &args).finish().assert_exit(0);
        let was_run = sandbox.project().join(name).exists();
        assert_eq!(was_run, name == "allowed", "{name}\n{said}");
        assert_eq!(model.requests().contains(REASON), name == "denied", "{name}");
    }
    assert_eq!(verdicts(&sandbox, "PreToolUse").len(), 2);
    assert_eq!(verdicts(&sandbox, "PostToolUse").len(), 1);
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
        assert_eq!(verdicts(&sandbox, event).len(), 2, "{event}");
    }
}

#[test]
fn kimi_cli_does_not_run_a_denied_tool() {
    let Some(program) = installed("kimi-cli", "HOOKWRIGHT_KIMI") else {
        return;
    };
    a_denied_call_is_not_run("Shell", &AROUND, |sandbox, url| {
        configure_kimi(sandbox, ".kimi", "openai_legacy", url);
        sandbox.start_program(&program, ["--quiet", "--yolo", "-p", "make a file"])
    });
}

#[test]
fn kimi_code_does_not_run_a_denied_tool() {
    let Some(program) = installed("Kimi Code", "HOOKWRIGHT_KIMI_CODE") else {
        return;
    };
    // It ends without `SessionEnd` after a prompt on the command line.
    a_denied_call_is_not_run("Bash", &AROUND[..3], |sandbox, url| {
        configure_kimi(sandbox, ".kimi-code", "openai", url);
        // Otherwise it asks for a newer version of itself.
        let vars = [("KIMI_CODE_NO_AUTO_UPDATE", "1".to_owned())];
        start_with(sandbox, &vars, &program, &["-p", "make a file"])
    });
}

#[test]
fn gemini_cli_does_not_run_a_denied_tool() {
    let Some(program) = installed("gemini-cli", "HOOKWRIGHT_GEMINI") else {
        return;
    };
    let hooks = GEMINI_EVENTS.map(|(event, name)| {
        let hook = json!({"type": "command", "command": relay_command(name)});
        (event.to_owned(), json!([{"hooks": [hook]}]))
    });
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"enableAutoUpdate": false},
        "hooks": Value::Object(hooks.into_iter().collect()),
    });
    a_denied_call_is_not_run("run_shell_command", &AROUND, |sandbox, url| {
        sandbox.write("home/.gemini/settings.json", settings.to_string());
        let vars = [
            ("GEMINI_API_KEY", "none".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
        ];
        let args = ["--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", "make a file"];
        start_with(sandbox, &vars, &program, &args)
    });
}
