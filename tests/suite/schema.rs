//! Checks that every JSON document that the program prints is valid by its schema in `docs/schema`.

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::cli_serve::{ControlClient, serve};
use crate::jcli::{fire, project, user};
use crate::sample_agents::{NODE, PYTHON, RUST, engine, start};

fn schema(name: &str) -> Validator {
    let path = workspace().join("docs/schema").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; ./dev bindings writes it", path.display()));
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn assert_valid(name: &str, document: &Value) {
    let wrong: Vec<String> = schema(name)
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{name}\n  {}\n{document:#}", wrong.join("\n  "));
}

/// Creates a sandbox with user and project hooks of every kind, valid and invalid.
fn sandbox_with_all_kinds() -> Sandbox {
    let sandbox = Sandbox::new();
    user(
        &sandbox,
        "pre_tool_execution:\n  - {command: 'echo ''{\"tool_arguments\": \"{}\", \"user_input\": 1}''', filter: {tool_matcher: 'Bash|Write'}}\n  \
         - {command: 'exit 3', retry: 1}\n  - {type: llm, prompt: 'ok?', retry: 0}\n  - {command: 'kill -9 $$', timeout: 7}\n  \
         - {command: x, timeout: soon}\n  - {command: 'echo ''{\"action\": \"skip\", \"system_message\": \"no\"}'''}\n  - command: 'exit 0'\n\
         stop:\n  - command: 'exit 0'\nstop: []\nnobody: []\n",
    );
    project(&sandbox, "pre_tool_execution:\n  - command: 'exit 0'\n");
    sandbox
}

#[test]
fn every_document_fits_its_schema() {
    let sandbox = sandbox_with_all_kinds();
    let payload = json!({"tool_name": "Bash", "tool_arguments": "{}"});
    let printed = fire(&sandbox, "pre_tool_execution", &payload, &[]).json();
    assert_valid("Trace", &printed);
    let id = printed["trace"].as_str().unwrap();
    sandbox
        .run(["mute", "jcli:user:pre_tool_execution:6", "--for", "30m"])
        .assert_exit(0);
    let document = |args: &[&str]| sandbox.run(args).json();
    assert_valid("Trace", &document(&["show", id, "--json"]));
    assert_valid("ListDoc", &document(&["list", "--json"]));
    assert_valid("CheckDoc", &document(&["check", "--json"]));
    assert_valid("StatusDoc", &document(&["status", "--json"]));
    assert_valid(
        "ExplainDoc",
        &document(&["explain", "--dialect", "jcli", "--event", "stop", "--json"]),
    );
    sandbox.write(
        "project/play.yaml",
        "dialect: jcli\nturns:\n  - {user: hi, steps: [{calls: [{tool: Bash}]}, {reply: ok}]}\n",
    );
    assert_valid("SimulateDoc", &document(&["simulate", "play.yaml", "--json"]));
    let converted = [
        "convert",
        "--from",
        "jcli",
        "--to",
        "qoder",
        ".jcli/hooks.yaml",
        "--out",
        "converted",
        "--json",
    ];
    assert_valid("ConvertDoc", &document(&converted));
    assert_valid("HistoryDoc", &document(&["history", "--json"]));
    assert_valid("StatsDoc", &document(&["stats", "--json"]));
    assert_valid("TrustDoc", &document(&["trust", "--list", "--json"]));
    assert_valid(
        "EditDoc",
        &document(&["remove", "jcli:project:pre_tool_execution:0", "--dry-run", "--json"]),
    );
    assert_valid(
        "EditDoc",
        &document(&["remove", "jcli:project:pre_tool_execution:0", "--json"]),
    );
    assert_valid("UndoDoc", &document(&["undo", "--json"]));
    assert_valid("EditsDoc", &document(&["undo", "--list", "--json"]));
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_valid("TrustDoc", &document(&["trust", "--list", "--json"]));
    assert_valid(
        "Trace",
        &fire(&sandbox, "pre_tool_execution", &payload, &["--raw"]).json(),
    );
}

#[test]
fn a_document_that_lacks_something_does_not_fit() {
    let sandbox = sandbox_with_all_kinds();
    let mut list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    list["hooks"][0].as_object_mut().unwrap().remove("event");
    assert!(!schema("ListDoc").is_valid(&list));
}

#[test]
fn every_reply_of_the_text_editor_and_the_review_fits_its_schema() {
    let sandbox = sandbox_with_all_kinds();
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let mut call = |method: &str, reply: &str, params: Value| {
        let mut params = params;
        params["project"] = json!(sandbox.project());
        let answer = control.call(method, &params);
        assert_valid(reply, &answer);
        answer
    };
    let path = sandbox.project().join(".jcli/hooks.yaml");
    let text = call("hooks.text", "TextDoc", json!({"path": path}));
    let edited = "pre_tool_execution:\n  - command: 'exit 0'\n    timeout: 3\n";
    let request = json!({"path": path, "text": edited, "base": text["hash"]});
    let checked = call("edit.check", "CheckTextDoc", request.clone());
    assert_eq!(
        (&checked["same_base"], &checked["lines"][0]["end_line"]),
        (&json!(true), &json!(3))
    );
    let hook = "jcli:project:pre_tool_execution:0";
    call("trust.texts", "TrustTextsDoc", json!({"hook": hook}));
    let saved = call("edit.save", "EditDoc", request);
    let listed = call("edit.list", "EditListDoc", json!({}));
    assert_eq!(
        (&listed["edits"][0]["edit"], &listed["edits"][0]["can_undo"]),
        (&saved["edit"], &json!(true))
    );
    call("edit.undo", "UndoDoc", json!({"undo": saved["edit"]}));
    let event = json!({"dialect": "jcli", "event": "pre_tool_execution", "payload": {"tool_name": "Bash"}, "run": "r"});
    call("fire", "Trace", event);
    let request = json!({"dialect": "jcli", "event": "pre_tool_execution", "hook": "jcli:user:pre_tool_execution:0"});
    let matches = call("history.match", "HistoryMatchDoc", request);
    assert_eq!((&matches["looked_at"], &matches["matches"]), (&json!(1), &json!(1)));
    let template = json!({"dialect": "jcli", "event": "stop", "template": "{{cwd}} {{tool_name}} {{x}}"});
    call("prompt.render", "PromptRenderDoc", template);
    let definition = json!({"type": "llm", "prompt": "ok?"});
    let tried = json!({"dialect": "jcli", "event": "stop", "definition": definition, "run": "p", "times": 1});
    let tried = call("prompt.run", "PromptRunDoc", tried);
    assert_eq!(tried["answers"][0]["end"], json!("refused"), "no model is configured");
    assert_valid("HookListDoc", &control.call("hooks.list", &json!({"project": null})));
}

/// Checks the messages of a session against the schemas of their methods, and returns how many there were.
fn checked_messages(lines: &[Value]) -> usize {
    let mut checked = 0;
    for line in lines.iter().filter(|line| line["cut"] == false) {
        let message: Value = serde_json::from_str(line["text"].as_str().unwrap()).unwrap();
        let Some(method) = line["method"].as_str() else {
            continue;
        };
        let (part, ending) = match line["kind"].as_str().unwrap() {
            "request" | "notification" => ("params", "params"),
            "result" => ("result", "result"),
            _ => continue,
        };
        let document = message.get(part).cloned().unwrap_or_else(|| json!({}));
        assert_valid(&format!("agent/{method}.{ending}"), &document);
        checked += 1;
    }
    checked
}

#[test]
fn every_message_of_the_sample_agents_fits_the_schema_of_its_method() {
    let common = ["jcli", "qoder", "agent-hooks"];
    for (agent, dialects) in [(PYTHON, &common[..]), (NODE, &common), (RUST, &["picoclaw", "skill"])] {
        for dialect in dialects {
            let sandbox = Sandbox::new();
            let _engine = engine(&sandbox);
            let running = start(&sandbox, agent, &["--dialect", dialect, "--session", "s1"]);
            running.wait_for("the end of the conversation", || {
                running.stdout().contains("stays connected")
            });
            let log = ControlClient::connect(&sandbox).call("agents.log", &json!({"session": "s1"}));
            let checked = checked_messages(log["lines"].as_array().unwrap());
            assert!(checked > 10, "{dialect}: {log:#}");
        }
    }
}
