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

const TARGETS: [&str; 6] = ["jcli", "qoder", "claude-code", "codex", "agent-hooks", "picoclaw"];
const JCLI_FILE: &str = "home/.jdata/agent/hooks.yaml";
const QODER_FILE: &str = "home/.qoder/settings.json";
const CLAUDE_CODE_FILE: &str = "home/.claude/settings.json";
const PICOCLAW_FILE: &str = "home/.picoclaw/config.json";
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
fn a_file_with_two_lists_of_hooks_is_not_connected_because_the_agent_uses_one_of_them() {
    for (target, file, text) in [
        ("qoder", QODER_FILE, r#"{"hooks": {}, "hooks": {"PreToolUse": []}}"#),
        (
            "claude-code",
            CLAUDE_CODE_FILE,
            r#"{"hooks": {"Stop": [], "Stop": []}}"#,
        ),
        ("jcli", JCLI_FILE, "stop: []\nstop: []\n"),
        (
            "picoclaw",
            PICOCLAW_FILE,
            r#"{"hooks": {}, "hooks": {"processes": {}}}"#,
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(file, text);
        let refused = hookwright(&sandbox, &["connect", target, "--yes"]).assert_exit(1);
        assert!(
            refused.stderr.contains("correct it first"),
            "{target}: {}",
            refused.stderr
        );
        assert_eq!(read(&sandbox, file), text);
    }
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
            // At four of its events the relay would do harm.
            "claude-code" => 30,
            // At two of its events the relay could say nothing.
            "codex" => 12,
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
            PICOCLAW_FILE,
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
    let written: Value = yaml_serde::from_str(&read(&sandbox, JCLI_FILE)).expect("it is YAML");
    let relay = relay().display().to_string();
    let form = format!(
        r#"set -- 'sh '\''my guard.sh'\'''; [ -x {relay} ] && exec {relay} run --dialect jcli --event pre_send_message --hook jcli:user:pre_send_message:0 -- sh -c "$1" "$0"; exec sh -c "$1" "$0""#
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
    assert_eq!(replaced, 5 + 11, "five files and eleven scripts");
    for target in TARGETS {
        connect(&sandbox, &[target]);
    }
    assert_eq!(file_tree(&sandbox), wanted);
}

#[test]
fn what_starts_the_relay_is_the_relays_whatever_options_the_user_added() {
    let relay = relay().display().to_string();
    for own in [
        format!("stop:\n  - command: {relay} --dialect jcli --native --fail-closed\n    timeout: 9\n"),
        "stop:\n  - command: '[ -x /a/hookwright-relay ] || exit 0; hookwright-relay --dialect jcli'\n".to_owned(),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(JCLI_FILE, &own);
        connect(&sandbox, &["jcli"]);
        let file: Value = yaml_serde::from_str(&read(&sandbox, JCLI_FILE)).expect("it is YAML");
        assert_eq!(file["stop"].as_array().map(Vec::len), Some(1), "no second one: {file}");
        assert!(read(&sandbox, JCLI_FILE).contains(&own), "it stays as it is");
        disconnect(&sandbox, "jcli");
        assert!(!read(&sandbox, JCLI_FILE).contains("hookwright-relay"));
        hookwright(&sandbox, &["undo"]).assert_exit(0);
        assert!(read(&sandbox, JCLI_FILE).contains(&own));
    }
}

#[test]
fn a_relay_that_was_moved_is_replaced_and_keeps_the_options_of_the_user() {
    let relay = relay().display().to_string();
    let options = |relay: &str, dialect: &str| format!("{relay} --dialect {dialect} --native --fail-closed");
    let sandbox = Sandbox::new();
    for target in TARGETS {
        connect(&sandbox, &[target]);
    }
    let script = "home/.config/agents/hooks/hookwright-relay-before_tool/scripts/run";
    let words = |relay: &str| format!("\"{relay}\", \"--dialect\", \"picoclaw\", \"--native\", \"--fail-closed\"");
    let compact = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pico: Value = serde_json::from_str(&read(&sandbox, PICOCLAW_FILE)).expect("it is JSON");
    let pico = pico
        .to_string()
        .replace("\"--native\"", "\"--native\",\"--fail-closed\"");
    sandbox.write(PICOCLAW_FILE, pico.replace(&relay, "/old/hookwright-relay"));
    let files = [
        (JCLI_FILE, "jcli"),
        (QODER_FILE, "qoder"),
        (CLAUDE_CODE_FILE, "claude-code"),
        (script, "agent-hooks"),
    ];
    for (file, dialect) in files {
        let plain = format!("{relay} --dialect {dialect} --native");
        let text = read(&sandbox, file).replace(&plain, &options("/old/hookwright-relay", dialect));
        std::fs::write(sandbox.path(file), text).expect("it is ours");
    }
    for target in TARGETS {
        connect(&sandbox, &[target]);
    }
    for (file, dialect) in files {
        let text = read(&sandbox, file);
        assert!(
            text.contains(&options(&relay, dialect)) && !text.contains("/old/"),
            "{text}"
        );
    }
    let pico = compact(&read(&sandbox, PICOCLAW_FILE))
        .replace("[ ", "[")
        .replace("\",\"", "\", \"");
    assert!(pico.contains(&words(&relay)) && !pico.contains("/old/"), "{pico}");
    for target in TARGETS {
        disconnect(&sandbox, target);
    }
    for file in [JCLI_FILE, QODER_FILE, CLAUDE_CODE_FILE, PICOCLAW_FILE, script] {
        assert!(!sandbox.path(file).exists(), "{file}");
    }
}

#[test]
fn no_relay_is_left_by_a_disconnection_whatever_happened_between_two_connections() {
    let edits: [(&str, &str, fn(&str) -> String); 3] = [
        ("jcli", JCLI_FILE, |text| format!("{text}# a note of mine\n")),
        ("qoder", QODER_FILE, |text| text.replace("\"x\"", "\"y\"")),
        ("picoclaw", PICOCLAW_FILE, |text| text.replace("\"x\"", "\"y\"")),
    ];
    for (target, file, edit) in edits {
        let former = match target {
            "jcli" => JCLI,
            "qoder" => QODER,
            _ => "{\"model\": \"x\", \"hooks\": {\"processes\": {}}}\n",
        };
        for way in ["wrapped", "moved"] {
            let sandbox = Sandbox::new();
            sandbox.write(file, former);
            connect(&sandbox, &[target]);
            let mut changed = edit(&read(&sandbox, file));
            if way == "moved" {
                changed = changed.replace(&relay().display().to_string(), "/old/hookwright-relay");
            }
            sandbox.write(file, changed);
            if way == "wrapped" && target != "picoclaw" {
                connect(&sandbox, &[target, "--wrap"]);
            } else {
                connect(&sandbox, &[target]);
            }
            disconnect(&sandbox, target);
            assert_eq!(read(&sandbox, file), edit(former), "{target}, {way}");
        }
    }
}

/// The messages of the notices with this code.
fn said(doc: &Value, code: &str) -> Vec<String> {
    let notices = doc["notices"].as_array().into_iter().flatten();
    notices
        .filter(|notice| notice["code"] == code)
        .map(|notice| notice["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_relay_that_is_gone_is_reported_in_its_own_entries_and_around_commands() {
    let sandbox = Sandbox::new();
    sandbox.write(JCLI_FILE, "stop:\n  - command: 'true'\n");
    connect(&sandbox, &["jcli", "--wrap"]);
    let here = relay();
    let before = hookwright(&sandbox, &["check", "--json"]).assert_exit(0).stdout;
    assert!(!before.contains("entry_missing"), "{before}");
    let gone = sandbox.path("gone/hookwright-relay");
    let text = read(&sandbox, JCLI_FILE).replace(here.to_str().unwrap(), gone.to_str().unwrap());
    sandbox.write(JCLI_FILE, text);
    let doc = hookwright(&sandbox, &["check", "--json"]).assert_exit(0).json();
    let problems = doc["problems"].as_array().unwrap().iter();
    let mut cases: Vec<&str> = problems
        .filter(|problem| problem["code"] == "entry_missing")
        .map(|problem| problem["args"]["case"].as_str().unwrap())
        .collect();
    cases.sort_unstable();
    assert_eq!(cases, ["relay", "relay_around"]);
    let hooks = listed(&sandbox, "jcli");
    let cannot_start = hooks.iter().filter(|hook| hook["health"]["state"] == "cannot_start");
    assert_eq!(
        cannot_start.count(),
        0,
        "wrapped commands run without a relay, and the entries are the agent's"
    );
}

#[test]
fn connect_says_that_a_switch_keeps_the_agent_from_starting_any_hook() {
    let sandbox = Sandbox::new();
    sandbox.write(PICOCLAW_FILE, r#"{"hooks": {"enabled": false}}"#);
    for _ in 0..2 {
        let off = connect(&sandbox, &["picoclaw", "--json"]).json();
        assert_eq!(said(&off, "connect_off").len(), 1, "{off:#}");
    }
    let sandbox = Sandbox::new();
    sandbox.write(PICOCLAW_FILE, r#"{"hooks": {"enabled": true}}"#);
    let on = connect(&sandbox, &["picoclaw", "--json"]).json();
    assert_eq!(said(&on, "connect_off"), [""; 0]);
}

#[test]
fn a_command_that_a_shell_takes_for_an_option_is_not_wrapped() {
    let sandbox = Sandbox::new();
    let text = "stop:\n  - command: '-x'\n  - command: ' -x'\n";
    sandbox.write(JCLI_FILE, text);
    let doc = connect(&sandbox, &["jcli", "--wrap", "--json"]).json();
    let left_out = said(&doc, "connect_left_out");
    assert!(
        left_out.len() == 1 && left_out[0].contains("begins with `-`"),
        "{doc:#}"
    );
    let wrapped: Vec<Value> = listed(&sandbox, "jcli")
        .iter()
        .map(|hook| hook["wrapped"].clone())
        .collect();
    assert_eq!(wrapped.iter().filter(|wrapped| **wrapped == true).count(), 1);
}

#[test]
fn a_wrapped_hook_that_was_moved_to_the_project_is_named_by_the_disconnection() {
    let sandbox = Sandbox::new();
    sandbox.write(JCLI_FILE, "stop:\n  - command: 'true'\n");
    connect(&sandbox, &["jcli", "--wrap"]);
    let own = listed(&sandbox, "jcli");
    let own = own.iter().find(|hook| hook["wrapped"] == true).unwrap();
    let id = own["hook"].as_str().unwrap();
    hookwright(&sandbox, &["edit", id, "--to-layer", "project"]).assert_exit(0);
    let doc = hookwright(&sandbox, &["disconnect", "jcli", "--yes", "--json"])
        .assert_exit(0)
        .json();
    let stays = said(&doc, "connect_relay_stays");
    assert!(stays.len() == 1 && stays[0].contains("stays wrapped"), "{doc:#}");
}

#[test]
fn a_hook_that_also_starts_the_relay_stays_and_is_named() {
    let sandbox = Sandbox::new();
    let own = "stop:\n  - command: python3 guard.py && hookwright-relay --dialect jcli\n";
    sandbox.write(JCLI_FILE, own);
    connect(&sandbox, &["jcli"]);
    for last in ["--dry-run", "--yes"] {
        let done = hookwright(&sandbox, &["disconnect", "jcli", last]).assert_exit(0);
        assert!(
            done.stderr.contains("jcli:user:stop:0 also does other work"),
            "{}",
            done.stderr
        );
    }
    assert_eq!(read(&sandbox, JCLI_FILE), own);
    let doc = hookwright(&sandbox, &["disconnect", "jcli", "--yes", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(doc["notices"][0]["code"], json!("connect_relay_stays"), "{doc}");
}

#[test]
fn a_command_is_wrapped_in_its_own_shell_and_what_cannot_be_wrapped_is_named() {
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "shell": "bash", "command": "[[ a == a ]] && exit 2"},
        {"type": "command", "command": "/bin/echo", "args": ["a b"]},
        {"type": "command", "command": "a.sh", "env": {"PATH": "/opt/x"}},
        {"type": "command", "command": "b.sh", "if": "Bash(*)"},
        {"type": "command", "command": "c.sh", "env": {"OWN": "1"}},
        {"type": "command", "command": format!(": {}", "x".repeat((128 << 10) - 100))},
    ]}]}});
    let left_out = |doc: &Value| -> Vec<Value> {
        let notices = doc["notices"].as_array().cloned().unwrap_or_default();
        let own = notices
            .into_iter()
            .filter(|notice| notice["code"] == "connect_left_out");
        own.map(|notice| notice["hook"].clone()).collect()
    };
    let sandbox = Sandbox::new();
    sandbox.write(QODER_FILE, text.to_string());
    let named = [1, 2, 3, 5].map(|n| format!("qoder:user:PreToolUse:settings.0.{n}"));
    for args in [
        &["connect", "qoder", "--wrap", "--dry-run"] as &[&str],
        &["connect", "qoder", "--wrap"],
        &["connect", "qoder", "--wrap", "--yes"],
    ] {
        let shown = hookwright(&sandbox, args);
        for hook in &named {
            assert!(
                shown.stderr.contains(&format!("{hook} is not wrapped")),
                "{args:?}: {}",
                shown.stderr
            );
        }
    }
    let doc = hookwright(&sandbox, &["connect", "qoder", "--wrap", "--yes", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(
        (left_out(&doc), &doc["written"]),
        (named.map(Value::from).to_vec(), &json!(false))
    );
    let file: Value = serde_json::from_str(&read(&sandbox, QODER_FILE)).expect("it is JSON");
    let commands = &file["hooks"]["PreToolUse"][0]["hooks"];
    let command = |at: usize| commands[at]["command"].as_str().expect("a command");
    assert!(command(0).ends_with(r#"exec bash -c "$1" "$0""#), "{}", command(0));
    assert_eq!([command(1), command(2), command(3)], ["/bin/echo", "a.sh", "b.sh"]);
    assert!(command(4).ends_with(r#"exec sh -c "$1" "$0""#), "{}", command(4));

    // A change of how it is started changes the wrapper too.
    let edit = |option: &str, value: &str| {
        let hook = "qoder:user:PreToolUse:settings.0.0";
        hookwright(&sandbox, &["edit", hook, option, value]).assert_exit(0);
    };
    edit("--unset", "shell");
    assert!(read(&sandbox, QODER_FILE).contains(r#"[[ a == a ]] && exit 2'"#));
    assert!(!read(&sandbox, QODER_FILE).contains("bash"));
    edit("--set", "shell=bash");
    assert!(read(&sandbox, QODER_FILE).contains("exec bash -c"));
    disconnect(&sandbox, "qoder");
    let after: Value = serde_json::from_str(&read(&sandbox, QODER_FILE)).expect("it is JSON");
    assert_eq!(after, text);
}

#[test]
fn what_earlier_versions_wrapped_is_recognised_and_wrapped_anew() {
    let sandbox = Sandbox::new();
    let old = r#"HW='[[ a == a ]] \u0026\u0026 exit 2'; [ -x /opt/hookwright-relay ] \u0026\u0026 exec /opt/hookwright-relay run --dialect qoder --event PreToolUse --hook x -- sh -c \"$HW\"; exec sh -c \"$HW\""#;
    let file = format!(
        r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "shell": "bash", "command": "{old}"}}]}}]}}}}"#
    );
    sandbox.write(QODER_FILE, &file);
    let hooks = listed(&sandbox, "qoder");
    assert_eq!(hooks[0]["definition"]["command"], json!("[[ a == a ]] && exit 2"));
    connect(&sandbox, &["qoder", "--wrap"]);
    assert!(
        read(&sandbox, QODER_FILE).contains("exec bash -c"),
        "{}",
        read(&sandbox, QODER_FILE)
    );
    sandbox.write(QODER_FILE, &file);
    disconnect(&sandbox, "qoder");
    let after: Value = serde_json::from_str(&read(&sandbox, QODER_FILE)).expect("it is JSON");
    assert_eq!(
        after["hooks"]["PreToolUse"][0]["hooks"][0]["command"],
        json!("[[ a == a ]] && exit 2")
    );
}

/// Makes the last stored edit an interrupted one.
fn interrupt_last_edit(sandbox: &Sandbox) {
    let folder = sandbox.data().join("edits");
    let edits = std::fs::read_dir(&folder).expect("edits are stored");
    let last = edits
        .map(|entry| entry.expect("it can be read").path())
        .max()
        .expect("there is one");
    std::fs::rename(&last, last.with_extension("pending")).expect("it is ours");
}

#[test]
fn an_interrupted_connection_or_disconnection_leaves_nothing_for_ever() {
    let folder = "home/.config/agents/hooks";
    let before = file_tree(&Sandbox::new()).len();
    for (command, remains) in [
        ("connect", "scripts/run"),
        ("disconnect", "scripts/run"),
        ("disconnect", ""),
    ] {
        let sandbox = Sandbox::new();
        connect(&sandbox, &["agent-hooks"]);
        let hook = sandbox.path(folder).join("hookwright-relay-before_tool");
        let script = std::fs::read(hook.join("scripts/run")).expect("the relay's script");
        if command == "disconnect" {
            disconnect(&sandbox, "agent-hooks");
            std::fs::create_dir_all(hook.join("scripts")).expect("a folder");
        }
        interrupt_last_edit(&sandbox);
        // The process ended between two files of one hook, or before the last folders were removed.
        if remains.is_empty() {
            assert!(hook.join("scripts").is_dir());
        } else if command == "connect" {
            std::fs::remove_file(hook.join("HOOK.md")).expect("it was written");
        } else {
            std::fs::write(hook.join("scripts/run"), &script).expect("a file");
        }
        hookwright(&sandbox, &["disconnect", "agent-hooks", "--dry-run"]).assert_exit(0);
        assert!(hook.exists(), "a dry run removes nothing");
        let done = disconnect(&sandbox, "agent-hooks");
        assert_eq!(
            done.stderr.contains("was interrupted"),
            !remains.is_empty(),
            "{command}: {}",
            done.stderr
        );
        assert_eq!(
            file_tree(&sandbox).len(),
            before,
            "{command} {remains}: {:?}",
            file_tree(&sandbox).keys()
        );
    }
}

#[test]
fn what_cannot_be_connected_is_refused_and_stays() {
    let sandbox = Sandbox::new();
    for target in ["skill", "no-such-agent"] {
        let refused = hookwright(&sandbox, &["connect", target, "--yes"]).assert_exit(1);
        assert!(
            refused
                .stderr
                .contains("jcli, qoder, claude-code, codex, agent-hooks, picoclaw"),
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
    let file: Value = yaml_serde::from_str(&read(sandbox, JCLI_FILE)).expect("it is YAML");
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
