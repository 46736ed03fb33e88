//! Tests of `connect` and `disconnect` (`CONTRACTS.md` §4): the relay in the agents' own configuration.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use hookwright_dialects::lookup::find_dialect;
use hookwright_testkit::program::relay;
use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::cli_serve::serve;
use crate::cli_undo::file_tree;
use crate::editing::read;

const TARGETS: [&str; 4] = ["jcli", "qoder", "agent-hooks", "picoclaw"];
const JCLI_FILE: &str = "home/.jdata/agent/hooks.yaml";
const QODER_FILE: &str = "home/.qoder/settings.json";
const JCLI: &str = "# mine\nstop: []\npre_send_message:\n  # first\n  - command: \"sh 'my guard.sh'\"   # keep\n    timeout: 5\n  - type: llm\n    prompt: ok?\n";
const QODER: &str = "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": [{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"a.sh \\\"$X\\\"\"}]}]}\n}\n";

fn hookwright(sandbox: &Sandbox, args: &[&str]) -> Finished {
    sandbox.run(args)
}

fn connect(sandbox: &Sandbox, args: &[&str]) -> Finished {
    let all: Vec<&str> = ["connect"].iter().chain(args).chain(&["--yes"]).copied().collect();
    hookwright(sandbox, &all).assert_exit(0)
}

fn disconnect(sandbox: &Sandbox, target: &str) -> Finished {
    hookwright(sandbox, &["disconnect", target, "--yes"]).assert_exit(0)
}

fn with_own_hooks() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(JCLI_FILE, JCLI);
    sandbox.write(QODER_FILE, QODER);
    sandbox
}

/// The hooks of a dialect, as `list` shows them.
fn listed(sandbox: &Sandbox, dialect: &str) -> Vec<Value> {
    let doc = hookwright(sandbox, &["list", "--dialect", dialect, "--json"])
        .assert_exit(0)
        .json();
    doc["hooks"].as_array().expect("a list").clone()
}

#[test]
fn every_agent_is_connected_and_disconnected_without_a_trace() {
    for target in TARGETS {
        let sandbox = Sandbox::new();
        let before = file_tree(&sandbox);
        let shown = hookwright(&sandbox, &["connect", target, "--dry-run"]).assert_exit(0);
        assert!(shown.stdout.contains("hookwright-relay"), "{target}: {}", shown.stdout);
        assert!(shown.stderr.contains("dry run: nothing was written"), "{target}");
        let unasked = hookwright(&sandbox, &["connect", target]).assert_exit(1);
        assert_eq!(unasked.stdout, shown.stdout, "{target}");
        assert!(unasked.stderr.contains("add `--yes`"), "{target}: {}", unasked.stderr);
        assert_eq!(file_tree(&sandbox), before, "{target}: nothing is written yet");

        let written = connect(&sandbox, &[target]);
        assert!(!written.stderr.contains("warning["), "{target}: {}", written.stderr);
        assert_eq!(
            written.stdout, shown.stdout,
            "{target}: exactly what was shown is written"
        );
        let again = connect(&sandbox, &[target])
            .assert_stderr(&format!("hookwright: nothing to change: {target} is connected\n"));
        assert_eq!(again.stdout, "", "{target}");

        let unasked = hookwright(&sandbox, &["disconnect", target]).assert_exit(1);
        assert!(unasked.stderr.contains("add `--yes`"), "{target}: {}", unasked.stderr);
        disconnect(&sandbox, target);
        assert_eq!(file_tree(&sandbox), before, "{target}: no file, folder or byte is left");
        disconnect(&sandbox, target)
            .assert_stderr(&format!("hookwright: nothing to change: {target} is not connected\n"));
    }
}

#[test]
fn connect_says_that_a_released_agent_does_not_read_the_files() {
    for (target, folder, said) in [
        ("jcli", ".jdata/agent/hooks", "newer versions of j-cli ignore `"),
        ("agent-hooks", ".kimi", "ignore hook folders"),
    ] {
        let sandbox = Sandbox::new();
        assert!(!connect(&sandbox, &[target]).stderr.contains(said));
        std::fs::create_dir_all(sandbox.home().join(folder)).unwrap();
        for last in ["--yes", "--dry-run"] {
            hookwright(&sandbox, &["connect", target, last])
                .assert_exit(0)
                .assert_stderr(said);
        }
        assert!(!disconnect(&sandbox, target).stderr.contains(said));
        assert!(sandbox.home().join(folder).is_dir());
    }
}

#[test]
fn an_agent_that_was_never_connected_is_not_disconnected_and_nothing_changes() {
    for target in TARGETS {
        for own in [Sandbox::new, with_own_hooks] {
            let sandbox = own();
            let before = file_tree(&sandbox);
            // Without `--yes` and without a terminal too, because there is nothing to ask.
            for args in [
                &["disconnect", target] as &[&str],
                &["disconnect", target, "--yes"],
                &["disconnect", target, "--dry-run"],
            ] {
                let done = hookwright(&sandbox, args)
                    .assert_exit(0)
                    .assert_stderr(&format!("hookwright: nothing to change: {target} is not connected\n"));
                assert_eq!(done.stdout, "", "{args:?}");
            }
            let doc = hookwright(&sandbox, &["disconnect", target, "--yes", "--json"])
                .assert_exit(0)
                .json();
            assert_eq!((&doc["written"], &doc["diff"]), (&json!(false), &json!("")), "{doc}");
            assert_eq!(file_tree(&sandbox), before, "{target}");
        }
    }
    let sandbox = Sandbox::new();
    hookwright(&sandbox, &["disconnect", "nobody", "--yes"])
        .assert_exit(1)
        .assert_stderr("nobody");
}

#[test]
fn the_relay_is_at_every_event_and_the_engine_runs_none_of_its_hooks() {
    for target in TARGETS {
        // One row of PicoClaw is about all kinds.
        let events = match target {
            "picoclaw" => 6,
            _ => find_dialect(target).expect("it is known").card().events.len(),
        };
        let sandbox = Sandbox::new();
        connect(&sandbox, &[target]);
        let hooks = listed(&sandbox, target);
        assert_eq!(hooks.len(), events, "{target}");
        let mut names: Vec<&str> = hooks.iter().filter_map(|hook| hook["event"].as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), events, "{target}: each event once");
        for hook in &hooks {
            assert_eq!(hook["enabled"], json!(false), "{target}: {hook}");
        }
    }
}

#[test]
fn own_hooks_comments_and_formatting_stay() {
    for (target, file, text) in [("jcli", JCLI_FILE, JCLI), ("qoder", QODER_FILE, QODER)] {
        let sandbox = with_own_hooks();
        let own = listed(&sandbox, target);
        connect(&sandbox, &[target]);
        let connected = read(&sandbox, file);
        for part in ["mine", "5", "keep"].iter().filter(|part| text.contains(**part)) {
            assert!(connected.contains(part), "{target}: {connected}");
        }
        let ids: Vec<Value> = listed(&sandbox, target)
            .iter()
            .map(|hook| hook["hook"].clone())
            .collect();
        assert!(own.iter().all(|hook| ids.contains(&hook["hook"])), "{target}: {ids:?}");
        connect(&sandbox, &[target, "--wrap"]);
        disconnect(&sandbox, target);
        assert_eq!(read(&sandbox, file), text, "{target}: the bytes from before both edits");
        hookwright(&sandbox, &["undo"]).assert_exit(0);
        assert!(
            read(&sandbox, file).contains("hookwright-relay run"),
            "{target}: an undo connects again"
        );
    }
}

#[test]
fn an_edit_made_meanwhile_survives_the_disconnection() {
    let sandbox = with_own_hooks();
    connect(&sandbox, &["jcli", "--wrap"]);
    let mine = read(&sandbox, JCLI_FILE).replace("timeout: 5", "timeout: 7") + "# last\n";
    sandbox.write(JCLI_FILE, mine);
    disconnect(&sandbox, "jcli");
    let after = read(&sandbox, JCLI_FILE);
    assert!(!after.contains("hookwright-relay"), "{after}");
    assert!(
        after.contains("# mine") && after.contains("timeout: 7") && after.contains("# last"),
        "{after}"
    );
    assert_eq!(listed(&sandbox, "jcli").len(), 2, "{after}");

    // A file that only the relay filled goes, even if its formatting was changed.
    let sandbox = Sandbox::new();
    connect(&sandbox, &["qoder"]);
    let compact: Value = serde_json::from_str(&read(&sandbox, QODER_FILE)).expect("it is JSON");
    sandbox.write(QODER_FILE, compact.to_string());
    disconnect(&sandbox, "qoder");
    assert!(!sandbox.path(QODER_FILE).exists());
}

#[test]
fn what_was_empty_before_the_connection_is_empty_again_in_a_file_that_was_changed_since() {
    const PICOCLAW_FILE: &str = "home/.picoclaw/config.json";
    for (target, file, former, old, new) in [
        ("jcli", JCLI_FILE, JCLI, "timeout: 5", "timeout: 7"),
        ("jcli", JCLI_FILE, "stop:\n# end\n", "# end", "# the end"),
        ("jcli", JCLI_FILE, "# mine\n", "# mine", "# still mine"),
        (
            "qoder",
            QODER_FILE,
            "{\"hooks\": {\"Stop\": [], \"PreToolUse\": [{\"hooks\": []}]}, \"m\": 1}",
            "\"m\": 1",
            "\"m\": 2",
        ),
        (
            "qoder",
            QODER_FILE,
            "{\n  \"hooks\": {},\n  \"m\": 1\n}\n",
            "\"m\": 1",
            "\"m\": [1, 2]",
        ),
        ("qoder", QODER_FILE, "{\"m\": 1}", "\"m\": 1", "\"m\": 2"),
        (
            "picoclaw",
            PICOCLAW_FILE,
            "{\"hooks\": {\"processes\": {}}, \"m\": 1}",
            "\"m\": 1",
            "\"m\": 2",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(file, former);
        connect(&sandbox, &[target]);
        let connected = read(&sandbox, file);
        let at = connected.rfind(old).expect("the text of the user is still there");
        let changed = format!("{}{new}{}", &connected[..at], &connected[at + old.len()..]);
        sandbox.write(file, changed);
        disconnect(&sandbox, target);
        let at = former.rfind(old).expect("it is a part of the former text");
        let wanted = format!("{}{new}{}", &former[..at], &former[at + old.len()..]);
        assert_eq!(read(&sandbox, file), wanted, "{target} {former:?}");
    }

    // A list that the user filled stays filled, and what the user wrote into a file of `connect` stays alone.
    let sandbox = Sandbox::new();
    connect(&sandbox, &["jcli"]);
    sandbox.write(JCLI_FILE, read(&sandbox, JCLI_FILE) + "# mine\n");
    disconnect(&sandbox, "jcli");
    assert_eq!(read(&sandbox, JCLI_FILE), "# mine\n");
    sandbox.write(JCLI_FILE, "stop: []\n");
    connect(&sandbox, &["jcli"]);
    let filled = read(&sandbox, JCLI_FILE).replacen("stop:\n", "stop:\n  - command: mine.sh\n", 1);
    sandbox.write(JCLI_FILE, &filled);
    disconnect(&sandbox, "jcli");
    assert_eq!(read(&sandbox, JCLI_FILE), "stop:\n  - command: mine.sh\n");
}

#[test]
fn a_connected_agent_is_not_changed_by_another_connection() {
    for (target, file, texts) in [
        ("jcli", JCLI_FILE, ["", "stop: []\n", "# mine"]),
        (
            "qoder",
            QODER_FILE,
            ["{}", "{\"hooks\":{}}", "{\"hooks\":{\"Stop\":[]}}"],
        ),
        (
            "picoclaw",
            "home/.picoclaw/config.json",
            [
                "{}",
                "{\"hooks\":{}}",
                "{\"hooks\":{\"processes\":{\"p\":{\"command\":[\"x\"]}}}}",
            ],
        ),
    ] {
        for text in texts {
            let sandbox = Sandbox::new();
            sandbox.write(file, text);
            connect(&sandbox, &[target]);
            let connected = read(&sandbox, file);
            let again = connect(&sandbox, &[target]);
            assert_eq!(
                (again.stdout.as_str(), read(&sandbox, file)),
                ("", connected),
                "{target} {text:?}"
            );
        }
    }
}

#[test]
fn a_wrapped_command_has_exactly_the_form_and_means_the_command_inside() {
    let sandbox = with_own_hooks();
    connect(&sandbox, &["jcli", "--wrap"]);
    let written: Value = serde_yaml::from_str(&read(&sandbox, JCLI_FILE)).expect("it is YAML");
    let relay = relay().display().to_string();
    let form = format!(
        r#"HW='sh '\''my guard.sh'\'''; [ -x {relay} ] && exec {relay} run --dialect jcli --event pre_send_message --hook jcli:user:pre_send_message:0 -- sh -c "$HW"; exec sh -c "$HW""#
    );
    assert_eq!(written["pre_send_message"][0]["command"], json!(form));
    let entry = json!({"command": format!("{relay} --dialect jcli --native"), "timeout": 35});
    assert_eq!(written["pre_send_message"][2], entry);
    let hooks = listed(&sandbox, "jcli");
    let inside = hooks.iter().find(|hook| hook["hook"] == "jcli:user:pre_send_message:0");
    assert_eq!(
        inside.expect("it is listed")["definition"]["command"],
        json!("sh 'my guard.sh'")
    );
    connect(&sandbox, &["jcli", "--wrap"]).assert_stderr("hookwright: nothing to change: jcli is connected\n");
}

#[test]
fn hooks_that_start_another_relay_are_replaced() {
    let sandbox = Sandbox::new();
    for target in TARGETS {
        connect(&sandbox, &[target]);
    }
    let wanted = file_tree(&sandbox);
    let relay = relay().display().to_string();
    let mut replaced = 0;
    for path in wanted.keys().filter(|path| Path::new(path).is_file()) {
        let text = std::fs::read_to_string(path).expect("it is text");
        let old = text.replace(&relay, "/old/hookwright-relay");
        replaced += usize::from(old != text);
        std::fs::write(path, old).expect("it is ours");
    }
    assert_eq!(replaced, 3 + 11, "three files and eleven scripts");
    for target in TARGETS {
        connect(&sandbox, &[target]);
    }
    assert_eq!(file_tree(&sandbox), wanted);
}

#[test]
fn a_relay_hook_that_the_user_wrote_differently_stays() {
    let sandbox = Sandbox::new();
    let own = "stop:\n  - command: hookwright-relay --dialect jcli --fail-closed\n";
    sandbox.write(JCLI_FILE, own);
    connect(&sandbox, &["jcli"]);
    disconnect(&sandbox, "jcli");
    assert_eq!(read(&sandbox, JCLI_FILE), own);
}

#[test]
fn what_cannot_be_connected_is_refused_and_stays() {
    let sandbox = Sandbox::new();
    for target in ["skill", "claude-code", "no-such-agent"] {
        let refused = hookwright(&sandbox, &["connect", target, "--yes"]).assert_exit(1);
        assert!(
            refused.stderr.contains("jcli, qoder, agent-hooks, picoclaw"),
            "{}",
            refused.stderr
        );
    }
    for target in ["agent-hooks", "picoclaw"] {
        let refused = hookwright(&sandbox, &["connect", target, "--wrap", "--yes"]).assert_exit(1);
        assert!(refused.stderr.contains("cannot be wrapped"), "{}", refused.stderr);
    }
    for (target, file, text) in [
        ("jcli", JCLI_FILE, "stop: [\n"),
        ("qoder", QODER_FILE, "{\"hooks\": \n"),
    ] {
        sandbox.write(file, text);
        for command in ["connect", "disconnect"] {
            let refused = hookwright(&sandbox, &[command, target, "--yes"]).assert_exit(1);
            assert!(
                refused.stderr.contains("nothing was changed"),
                "{command}: {}",
                refused.stderr
            );
        }
        assert_eq!(read(&sandbox, file), text);
    }
}

/// Plays the agent: runs every command that its file has at an event, with the payload on stdin.
fn play(sandbox: &Sandbox, commands: &[String], payload: &Value) {
    for command in commands {
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir(sandbox.project())
            .env_clear()
            .envs(sandbox.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        // A command that does not read its input may have ended before.
        let _ = stdin.write_all(payload.to_string().as_bytes());
        drop(stdin);
        child.wait().expect("it ends");
    }
}

fn jcli_commands(sandbox: &Sandbox) -> Vec<String> {
    let file: Value = serde_yaml::from_str(&read(sandbox, JCLI_FILE)).expect("it is YAML");
    let hooks = file["pre_send_message"].as_array().cloned().unwrap_or_default();
    hooks
        .iter()
        .filter_map(|hook| hook["command"].as_str().map(str::to_owned))
        .collect()
}

fn qoder_commands(sandbox: &Sandbox) -> Vec<String> {
    let file: Value = serde_json::from_str(&read(sandbox, QODER_FILE)).expect("it is JSON");
    let groups = file["hooks"]["UserPromptSubmit"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let entries = groups
        .iter()
        .flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    entries
        .filter_map(|hook| hook["command"].as_str().map(str::to_owned))
        .collect()
}

/// A target, its file with one own hook, how the agent reads its commands, and a payload.
type ScriptedAgent = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Sandbox) -> Vec<String>,
    Value,
);

fn scripted_agents() -> [ScriptedAgent; 2] {
    [
        (
            "jcli",
            JCLI_FILE,
            "pre_send_message:\n  - command: echo once >> ran\n",
            jcli_commands,
            json!({"event": "pre_send_message", "session_id": "s", "user_input": "hi"}),
        ),
        (
            "qoder",
            QODER_FILE,
            "{\"hooks\": {\"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo once >> ran\"}]}]}}\n",
            qoder_commands,
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hi"}),
        ),
    ]
}

/// How often the agent's own hook ran in one event.
fn runs(sandbox: &Sandbox, commands: &[String], payload: &Value) -> usize {
    let ran = sandbox.project().join("ran");
    let _ = std::fs::remove_file(&ran);
    play(sandbox, commands, payload);
    std::fs::read_to_string(&ran).map_or(0, |text| text.lines().count())
}

#[test]
fn the_hooks_of_a_connected_agent_run_exactly_once() {
    for (target, file, text, commands, payload) in scripted_agents() {
        for with_engine in [false, true] {
            let sandbox = Sandbox::new();
            sandbox.write(file, text);
            let engine = with_engine.then(|| serve(&sandbox));
            if let Some(engine) = &engine {
                let socket = sandbox.path("run/hookwright/agent.sock");
                engine.wait_for("the agent socket", || UnixStream::connect(&socket).is_ok());
            }
            let at = |mode: &str| format!("{target}, engine {with_engine}, {mode}");
            let count = || runs(&sandbox, &commands(&sandbox), &payload);
            assert_eq!(count(), 1, "{}", at("not connected"));
            connect(&sandbox, &[target]);
            assert_eq!((commands(&sandbox).len(), count()), (2, 1), "{}", at("connected"));
            connect(&sandbox, &[target, "--wrap"]);
            assert_eq!((commands(&sandbox).len(), count()), (2, 1), "{}", at("wrapped"));
            let relay = relay().display().to_string();
            let without: Vec<String> = commands(&sandbox)
                .iter()
                .map(|command| command.replace(&relay, "/gone/hookwright-relay"))
                .collect();
            assert_eq!(runs(&sandbox, &without, &payload), 1, "{}", at("the relay is gone"));
            disconnect(&sandbox, target);
            assert_eq!((commands(&sandbox).len(), count()), (1, 1), "{}", at("disconnected"));
            if with_engine {
                assert_recorded(&sandbox, target);
            }
        }
    }
}

/// The engine has two events of the agent, and one report of what its own hook did.
fn assert_recorded(sandbox: &Sandbox, target: &str) {
    let doc = hookwright(sandbox, &["history", "--json"]).assert_exit(0).json();
    let traces = doc["traces"].as_array().expect("a list");
    let of = |origin: &str| traces.iter().filter(|trace| trace["origin"] == origin).count();
    assert_eq!((of("agent"), of("reported")), (2, 1), "{target}: {doc}");
}
