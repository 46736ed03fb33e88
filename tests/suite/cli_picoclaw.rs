//! Tests of PicoClaw's long-lived processes that a case page cannot contain: they need several events or another
//! program.

mod sessions;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

/// A hook process that responds to each request by its method and writes every received line to `heard`. It reports its
/// process id as the reason of an approval.
const HOOK: &str = r#"
import json, os, sys
for line in sys.stdin:
    open("heard", "a").write(line)
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message["params"]
    if method == "hook.hello":
        result = {"ok": True}
    elif method == "hook.approve_tool":
        result = {"approved": params["tool"] != "rm", "reason": str(os.getpid())}
    elif method == "hook.before_tool" and params["tool"] == "plugin":
        result = {"action": "respond", "result": {"for_llm": "from the plugin"}}
    elif method == "hook.before_tool" and params["tool"] == "bad":
        result = {"action": "deny_tool", "reason": "no"}
    elif method == "hook.after_tool":
        inner = dict(params["result"], for_llm=params["result"]["for_llm"].upper())
        result = {"action": "modify", "result": {"result": inner}}
    else:
        result = {"action": "continue"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
open("closed", "w").write(str(os.getpid()))
"#;

fn with_hook(place: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("project/hook.py", HOOK);
    let entry = json!({
        "enabled": true, "command": ["python3", "hook.py"], "observe": ["*"],
        "intercept": ["before_llm", "after_llm", "before_tool", "after_tool", "approve_tool"],
    });
    let config = json!({ "hooks": { "processes": { "all": entry } } });
    sandbox.write(&format!("{place}/.picoclaw/config.json"), config.to_string());
    if place == "home" {
        // The script is a project file, so it needs an approval, even for a hook of the user.
        sandbox.run(["trust", "--all"]).assert_exit(0);
    }
    sandbox
}

const SCENARIO: &str = "dialect: picoclaw\nsession: s1\nmodel: m\nsystem_prompt: Be brief.\nturns:\n  - user: hi\n    steps:\n      \
    - calls: [{tool: ls, arguments: {a: 1}, result: one}, {tool: rm}, {tool: bad}, {tool: plugin}, {tool: cat, error: gone}]\n      \
    - reply: done\n";

fn events(doc: &Value) -> Vec<&str> {
    let traces = doc["traces"].as_array().unwrap();
    traces.iter().filter_map(|trace| trace["event"].as_str()).collect()
}

#[test]
fn a_process_that_is_named_like_one_of_its_events_is_approved_for_all_of_them() {
    let sandbox = Sandbox::new();
    sandbox.write("project/hook.py", HOOK);
    let entry = |points: Value| json!({"enabled": true, "command": ["python3", "hook.py"], "intercept": points});
    let processes = json!({
        "approve_tool": entry(json!(["before_tool", "approve_tool"])),
        "after_tool": entry(json!(["after_tool"])),
    });
    let config = json!({ "hooks": { "enabled": true, "processes": processes } });
    sandbox.write("project/.picoclaw/config.json", config.to_string());
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let hooks = list["hooks"].as_array().unwrap();
    assert!(hooks.len() >= 3);
    assert!(hooks.iter().all(|hook| hook["trusted"] == true), "{hooks:#?}");
    let args = [
        "fire",
        "--dialect",
        "picoclaw",
        "--event",
        "approve_tool",
        "--payload",
        "-",
        "--json",
    ];
    let trace = sandbox.run_with(r#"{"tool": "rm"}"#, args).assert_exit(2).json();
    assert_eq!(trace["steps"][0]["outcome"], "denied");
}

#[test]
fn a_process_without_a_valid_line_fails_open_and_signals_still_work() {
    let sandbox = Sandbox::new();
    let entry = |command: &[&str]| json!({"enabled": true, "command": command, "intercept": ["before_tool"]});
    let write = |command: &[&str]| {
        let config = json!({ "hooks": { "processes": { "babbler": entry(command) } } });
        sandbox.write("home/.picoclaw/config.json", config.to_string());
    };
    let fire = ["fire", "--dialect", "picoclaw", "--event", "before_tool", "--json"];
    write(&["yes"]);
    let trace = sandbox.run(fire).assert_exit(0).json();
    assert_eq!(trace["steps"][0]["outcome"], "failed_open");
    assert_eq!(trace["steps"][0]["code"], "handshake_failed", "{:#}", trace["steps"][0]);
    // This process completes the handshake. Then it writes invalid lines without end.
    let greeted = r#"read -r hello; echo '{"id": 1, "result": {}}'; touch greeted; exec yes"#;
    write(&["sh", "-c", greeted]);
    let running = sandbox.start(fire);
    running.wait_for("it greeted", || sandbox.project().join("greeted").exists());
    running.signal(rustix::process::Signal::TERM);
    let done = running.finish().assert_exit(143);
    assert_eq!(done.json()["steps"][0]["attempts"][0]["end"], "cancelled");
}

#[test]
fn a_turn_fires_every_event_of_the_picoclaw_lifecycle() {
    let sandbox = with_hook("home");
    sandbox.write("project/play.yaml", SCENARIO);
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let request = ["before_llm", "llm_request", "llm_response", "after_llm"];
    let run = [
        "before_tool",
        "approve_tool",
        "tool_exec_start",
        "tool_exec_end",
        "after_tool",
    ];
    let expected: Vec<&str> = ["turn_start"]
        .iter()
        .chain(&request)
        .chain(&run)
        .chain(&["before_tool", "approve_tool", "tool_exec_skipped"])
        .chain(&["before_tool", "tool_exec_skipped"])
        .chain(&["before_tool", "tool_exec_start", "tool_exec_end"])
        .chain(&run)
        .chain(&request)
        .chain(&["turn_end"])
        .copied()
        .collect();
    assert_eq!(events(&doc), expected);
    let said = |message: &Value| {
        [
            &message["role"],
            &message["origin"],
            &message["content"],
            &message["hook"],
        ]
        .map(|value| value.as_str().unwrap_or("").to_owned())
        .join("|")
    };
    let last: Vec<String> = doc["final_messages"].as_array().unwrap().iter().map(said).collect();
    let pid = std::fs::read_to_string(sandbox.path("project/closed")).unwrap();
    let denied = format!("tool|tool|Tool execution denied by approval hook: {pid}|picoclaw:user:all");
    assert_eq!(
        last,
        [
            "system|prompt|Be brief.|",
            "user|user|hi|",
            "assistant|assistant||",
            "tool|tool|ONE|picoclaw:user:all",
            denied.as_str(),
            "tool|tool|Tool execution denied by hook: no|picoclaw:user:all",
            "tool|hook|from the plugin|picoclaw:user:all",
            "tool|tool|GONE|picoclaw:user:all",
            "assistant|assistant|done|",
        ]
    );
}

#[test]
fn notifications_have_the_method_name_of_the_settings() {
    for (setting, names) in [
        ("hook.event", &["hook.event"][..]),
        ("hook.runtime_event", &["hook.runtime_event"]),
        ("both", &["hook.event", "hook.runtime_event"]),
    ] {
        let sandbox = with_hook("home");
        sandbox.write(
            "data/settings.toml",
            format!("[picoclaw]\nevent_method = \"{setting}\"\n"),
        );
        sandbox
            .run_with(
                "{}",
                [
                    "fire",
                    "--dialect",
                    "picoclaw",
                    "--event",
                    "error",
                    "--payload",
                    "-",
                    "--json",
                ],
            )
            .assert_exit(0);
        let received = std::fs::read_to_string(sandbox.path("project/heard")).unwrap();
        let methods: Vec<String> = received
            .lines()
            .skip(1)
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["method"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(methods, names, "{setting}");
    }
}

#[test]
fn a_projects_process_runs_once_approved_and_not_after_its_script_changed() {
    let sandbox = with_hook("project");
    let fire = || {
        let args = [
            "fire",
            "--dialect",
            "picoclaw",
            "--event",
            "approve_tool",
            "--payload",
            "-",
            "--json",
        ];
        sandbox.run_with("{\"tool\":\"ls\"}", args).assert_exit(0).json()
    };
    let outcome = |trace: &Value| (trace["steps"][0]["outcome"].clone(), trace["verdict"]["kind"].clone());
    // A guard without approval blocks no call. It is recorded as not run.
    assert_eq!(outcome(&fire()), (json!("skipped"), json!("proceed")));
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(pending["pending"], json!([]));
    assert_eq!(outcome(&fire()), (json!("allowed"), json!("approve")));
    sandbox.write("project/hook.py", format!("{HOOK}\n# another word\n"));
    assert_eq!(outcome(&fire()), (json!("skipped"), json!("proceed")));
}

#[test]
fn a_project_process_is_covered_in_its_own_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("project/tools/hook.py", HOOK);
    let entry = json!({
        "enabled": true, "command": ["python3", "hook.py"], "dir": "tools", "intercept": ["approve_tool"],
    });
    let config = json!({ "hooks": { "processes": { "all": entry } } });
    sandbox.write("project/.picoclaw/config.json", config.to_string());
    let outcome = || {
        let args = [
            "fire",
            "--dialect",
            "picoclaw",
            "--event",
            "approve_tool",
            "--payload",
            "-",
            "--json",
        ];
        let trace = sandbox.run_with("{\"tool\":\"ls\"}", args).assert_exit(0).json();
        trace["steps"][0]["outcome"].clone()
    };
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let approved = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let file = sandbox.path("project/tools/hook.py");
    assert_eq!(approved["approved"][0]["files"][0]["path"], json!(file));
    assert_eq!(outcome(), "allowed");
    sandbox.write("project/tools/hook.py", format!("{HOOK}\n# another word\n"));
    assert_eq!(outcome(), "skipped");
}

#[test]
fn the_documents_show_every_field_of_an_entry() {
    let sandbox = with_hook("home");
    let list = sandbox
        .run(["list", "--json", "--dialect", "picoclaw"])
        .assert_exit(0)
        .json();
    let rows: Vec<(&str, &Value, &Value, &Value)> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["event"].as_str().unwrap(),
                &row["position"],
                &row["timeout_ms"],
                &row["on_failure"],
            )
        })
        .collect();
    let (one, open, closed) = (&json!(1), &json!("open"), &json!("closed"));
    assert_eq!(
        rows,
        [
            ("before_llm", one, &json!(5000), open),
            ("after_llm", one, &json!(5000), open),
            ("before_tool", one, &json!(5000), open),
            ("after_tool", one, &json!(5000), open),
            ("approve_tool", one, &json!(60000), closed),
            ("*", one, &json!(500), open),
        ]
    );
    let args = ["explain", "--dialect", "picoclaw", "--event", "turn_end", "--json"];
    let steps = sandbox.run(args).assert_exit(0).json()["steps"]
        .as_array()
        .unwrap()
        .clone();
    let runs: Vec<&Value> = steps.iter().filter(|step| step["would_run"] == true).collect();
    assert_eq!((runs.len(), &runs[0]["hook"]), (1, &json!("picoclaw:user:all")));
}

/// Simulates the scenario `play.yaml` of a sample in a copy of the sample.
fn simulate_sample(name: &str) -> (Sandbox, Value) {
    let sandbox = Sandbox::new();
    let sample = hookwright_testkit::program::workspace()
        .join("hooks-samples/picoclaw")
        .join(name);
    let copied = std::process::Command::new("cp")
        .arg("-R")
        .arg(sample.join("."))
        .arg(sandbox.project())
        .status();
    assert!(copied.unwrap().success());
    let doc = sandbox
        .run(["simulate", "play.yaml", "--trust", "--json"])
        .assert_exit(0)
        .json();
    (sandbox, doc)
}

#[test]
fn the_plugin_tool_sample_answers_in_place_of_the_tool() {
    let (_sandbox, doc) = simulate_sample("plugin-tool");
    let answered = doc["final_messages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|message| message["role"] == "tool")
        .unwrap();
    assert_eq!(answered["content"], "插件工具执行成功,输入: today");
    assert_eq!(answered["hook"], "picoclaw:project:plugin");
    assert!(!events(&doc).contains(&"approve_tool"));
}

#[test]
fn the_journal_sample_receives_every_kind_of_event() {
    let (sandbox, doc) = simulate_sample("session-journal");
    let journal = std::fs::read_to_string(sandbox.path("project/journal.log")).unwrap();
    let received: Vec<&str> = journal.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    let asked = ["before_llm", "after_llm", "before_tool", "approve_tool", "after_tool"];
    let fired: Vec<&str> = events(&doc)
        .into_iter()
        .filter(|event| !asked.contains(event))
        .collect();
    assert_eq!(received, fired);
}

/// Creates a sandbox in which the user has these entries. Each one runs [`HOOK`] and first creates the file
/// `started-<name>`.
fn with_entries(entries: &[(&str, Value)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/hook.py",
        format!("import os\nopen('started-' + os.environ['NAME'], 'w')\n{HOOK}"),
    );
    let entry = |(name, modes): &(&str, Value)| {
        let mut entry = json!({ "enabled": true, "command": ["python3", "hook.py"], "env": { "NAME": name } });
        entry
            .as_object_mut()
            .unwrap()
            .extend(modes.as_object().unwrap().clone());
        ((*name).to_owned(), entry)
    };
    let processes: serde_json::Map<String, Value> = entries.iter().map(entry).collect();
    let config = json!({ "hooks": { "processes": processes } });
    sandbox.write("home/.picoclaw/config.json", config.to_string());
    sandbox
}

#[test]
fn a_row_for_every_kind_is_listed_at_each_of_them() {
    let sandbox = with_entries(&[("observer", json!({ "observe": ["*"] }))]);
    let at = |event: &str| {
        let doc = sandbox.run(["list", "--dialect", "picoclaw", "--event", event, "--json"]);
        doc.assert_exit(0).json()["hooks"].as_array().unwrap().len()
    };
    assert_eq!([at("turn_start"), at("before_tool")], [1, 0]);
    let output = sandbox.run(["list", "--dialect", "picoclaw", "--event", "before_tool"]);
    let output = &output.assert_exit(0).stdout;
    assert!(
        output.contains("No hooks for before_tool here") && output.contains("1 for other events"),
        "{output}"
    );
}

#[test]
fn a_builtin_entry_belongs_to_the_agent_in_every_file() {
    let sandbox = Sandbox::new();
    let config = json!({ "hooks": { "builtins": { "b": {} } } }).to_string();
    sandbox.write("home/.picoclaw/config.json", &config);
    sandbox.write("project/.picoclaw/config.json", &config);
    let trace = sandbox
        .run(["fire", "--dialect", "picoclaw", "--event", "before_tool", "--json"])
        .assert_exit(0)
        .json();
    let steps: Vec<String> = trace["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            format!(
                "{} {}",
                step["hook"].as_str().unwrap(),
                step["reason"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        steps,
        ["picoclaw:builtin:b agent_runs_it", "picoclaw:builtin:b.2 agent_runs_it"]
    );
}
