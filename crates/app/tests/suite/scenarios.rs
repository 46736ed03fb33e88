//! The scenarios of a project: listing, changing their text, saving, and where an event stands in the result
//! (`CONTRACTS.md` §2.4).

use std::os::unix::fs::symlink;
use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

const TEXT: &str = "# A greeting.
dialect: jcli
turns:
  - user: hello # the user
    steps:
      - reply: hi
";

struct ScenarioSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl ScenarioSandbox {
    fn new() -> Self {
        let test_home = TestHome::with_config_folder();
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    async fn ask(&self, method: &str, mut params: Value) -> Result<Value, String> {
        if method != "scenarios.read" {
            params["project"] = json!(self.test_home.project);
        }
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| fault.code)
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        self.ask(method, params).await.expect(method)
    }

    async fn files(&self) -> Vec<Value> {
        let doc = self.call("scenarios", json!({})).await;
        let rows = doc["scenarios"].as_array().unwrap().clone();
        rows.into_iter().filter(|row| !row["path"].is_null()).collect()
    }
}

#[tokio::test]
async fn every_sample_is_a_scenario_of_its_dialect() {
    let sandbox = ScenarioSandbox::new();
    let doc = sandbox.call("scenarios", json!({})).await;
    let samples = doc["scenarios"].as_array().unwrap();
    assert!(samples.len() >= 12);
    for sample in samples {
        let read = sandbox.call("scenarios.read", json!({"text": sample["text"]})).await;
        assert_eq!(read["scenario"]["dialect"], sample["dialect"], "{}", sample["name"]);
    }
}

#[tokio::test]
async fn a_change_keeps_every_other_byte_of_the_text() {
    let sandbox = ScenarioSandbox::new();
    let changes = json!([
        {"do": "set", "at": ["turns", 0, "user"], "value": "good morning"},
        {"do": "insert", "at": ["turns", 0, "steps", 1], "value": {"reply": "bye"}},
        {"do": "move", "list": ["turns", 0, "steps"], "from": 1, "to": 0},
    ]);
    let read = sandbox
        .call("scenarios.read", json!({"text": TEXT, "changes": changes}))
        .await;
    let text = read["text"].as_str().unwrap();
    assert_eq!(
        text,
        "# A greeting.
dialect: jcli
turns:
  - user: good morning # the user
    steps:
      - reply: bye
      - reply: hi
"
    );
    assert_eq!(read["scenario"]["turns"][0]["steps"][0]["reply"], "bye");
}

#[tokio::test]
async fn a_text_that_is_no_scenario_is_answered_with_its_line_and_field() {
    let sandbox = ScenarioSandbox::new();
    let text = TEXT.replace("reply: hi", "replay: hi");
    let read = sandbox.call("scenarios.read", json!({"text": text})).await;
    assert_eq!(read["scenario"], Value::Null);
    assert_eq!(read["problem"]["line"], 6);
    assert_eq!(read["problem"]["field"], "turns[0].steps[0].replay");
}

#[tokio::test]
async fn a_scenario_is_saved_listed_changed_and_undone() {
    let sandbox = ScenarioSandbox::new();
    let path = "tests/hooks/hello.scenario.yaml";
    let saved = sandbox
        .call("scenarios.save", json!({"path": path, "text": TEXT}))
        .await;
    assert_eq!(saved["written"], true);
    let files = sandbox.files().await;
    assert_eq!((files.len(), &files[0]["name"]), (1, &json!(path)));
    assert_eq!(
        (&files[0]["dialect"], &files[0]["text"]),
        (&json!("jcli"), &json!(TEXT))
    );

    let again = sandbox.ask("scenarios.save", json!({"path": path, "text": TEXT})).await;
    assert_eq!(again.unwrap_err(), "edit_file_changed");
    let text = TEXT.replace("hello", "hey");
    let base = files[0]["hash"].clone();
    let changed = sandbox
        .call("scenarios.save", json!({"path": path, "text": text, "base": base}))
        .await;
    assert_eq!(sandbox.files().await[0]["text"], json!(text));
    sandbox.call("edit.undo", json!({"undo": changed["undo"]})).await;
    assert_eq!(sandbox.files().await[0]["text"], json!(TEXT));
    sandbox.call("edit.undo", json!({"undo": saved["undo"]})).await;
    assert!(sandbox.files().await.is_empty());
}

#[tokio::test]
async fn a_scenario_is_saved_nowhere_else_and_through_no_link() {
    let sandbox = ScenarioSandbox::new();
    for path in [
        ".jcli/hooks.yaml",
        "hooks.yaml",
        "../a.scenario.yaml",
        "src/a.scenario.yaml",
        "/tmp/a.scenario.yaml",
    ] {
        let refused = sandbox.ask("scenarios.save", json!({"path": path, "text": TEXT})).await;
        assert_eq!(refused.unwrap_err(), "edit_outside", "{path}");
    }
    let outside = sandbox.test_home.project.parent().unwrap().join("outside.yaml");
    write(&outside, "kept");
    symlink(&outside, sandbox.test_home.project.join("link.scenario.yaml")).unwrap();
    let params = json!({"path": "link.scenario.yaml", "text": TEXT, "base": null});
    assert_eq!(sandbox.ask("scenarios.save", params).await.unwrap_err(), "edit_outside");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "kept");
    let wrong = sandbox
        .ask(
            "scenarios.save",
            json!({"path": "a.scenario.yaml", "text": "dialect: jcli"}),
        )
        .await;
    assert_eq!(wrong.unwrap_err(), "bad_scenario");
}

#[tokio::test]
async fn the_result_tells_which_events_were_fired_before_a_turn_and_before_a_call() {
    let sandbox = ScenarioSandbox::new();
    let text = format!("{TEXT}  - user: bye\n    steps: [{{reply: bye}}]\n");
    let doc = sandbox.call("simulate", json!({"run": "r", "text": text})).await;
    let events: Vec<&str> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trace| trace["event"].as_str().unwrap())
        .collect();
    let first = |index: &Value| events[usize::try_from(index.as_u64().unwrap()).unwrap()];
    let turns = doc["turns"].as_array().unwrap();
    assert_eq!(
        turns.iter().map(first).collect::<Vec<_>>(),
        ["pre_send_message", "pre_send_message"]
    );
    for call in doc["llm_calls"].as_array().unwrap() {
        assert_eq!(first(&call["events"]), "post_llm_response");
    }
}

#[tokio::test]
async fn the_result_tells_where_each_inserted_text_comes_from_and_how_long_it_stays() {
    let sandbox = ScenarioSandbox::new();
    let hooks = sandbox.test_home.project.join("skills/own/hooks");
    let entry = |name: &str, timing: &str, persistent: bool| {
        write(&hooks.join(format!("{name}.md")), name);
        json!({"name": name, "file": format!("{name}.md"), "timing": timing, "role": "system", "persistent": persistent})
    };
    let entries = [
        entry("house", "after_user_input", false),
        entry("tone", "after_user_input", true),
        entry("plan", "before_planning", false),
        entry("hint", "after_tool_call", false),
    ];
    write(&hooks.join("hooks.json"), json!({"hooks": entries}).to_string());
    for name in ["house", "tone", "plan", "hint"] {
        let hook = format!("skill:skill:own:{name}");
        let review = sandbox.call("trust.review", json!({"hook": hook})).await;
        let request = json!({"hook": hook, "fingerprint": review["fingerprint"]});
        sandbox.call("trust.approve", request).await;
    }
    let text = "dialect: skill
enabled_skills: [own]
messages: [{role: system, content: Be kind., _hook: tone}]
turns:
  - user: compare
    steps:
      - calls: [{tool: read, arguments: {}, result: a}, {tool: read, arguments: {}, result: b}]
      - reply: done
  - user: bye
    enable_tools: false
    steps: [{reply: bye}]
";
    let doc = sandbox.call("simulate", json!({"run": "r", "text": text})).await;
    let insertions = doc["insertions"].as_array().unwrap();
    let shown: Vec<Value> = insertions
        .iter()
        .map(|one| {
            json!([
                one["label"],
                one["turn"],
                one["lifetime"],
                one["persistent"],
                one["removed_by"]
            ])
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!(["house", 1, "request", false, null]),
            json!(["tone", 1, "request", true, null]),
            json!(["plan", 1, "planning_call", false, "remove(before_planning)"]),
            json!(["hint", 1, "next_call", false, "remove(after_tool_call)"]),
            json!(["hint", 1, "next_call", false, "remove(after_tool_call)"]),
            json!(["house", 2, "request", false, null]),
            json!(["tone", 2, "request", true, null]),
        ]
    );
    for one in insertions {
        let event = usize::try_from(one["event"].as_u64().unwrap()).unwrap();
        let steps = doc["traces"][event]["steps"].as_array().unwrap();
        assert!(steps.iter().any(|step| step["hook"] == one["hook"]));
    }
    let inserted = |messages: &Value| -> Vec<Value> {
        let with_hook = messages
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| !message["hook"].is_null());
        with_hook
            .map(|message| {
                json!([
                    message["origin"],
                    message["label"],
                    message["lifetime"],
                    message["insertion"]
                ])
            })
            .collect()
    };
    let brought = json!(["history", "tone", "request", null]);
    let calls = doc["llm_calls"].as_array().unwrap();
    assert_eq!(
        inserted(&calls[0]["messages"]),
        [
            brought.clone(),
            json!(["hook", "house", "request", 0]),
            json!(["hook", "tone", "request", 1]),
            json!(["hook", "plan", "planning_call", 2]),
        ]
    );
    assert_eq!(
        inserted(&calls[2]["messages"]),
        [
            brought.clone(),
            json!(["hook", "house", "request", 0]),
            json!(["hook", "tone", "request", 1]),
            json!(["hook", "hint", "next_call", 3]),
            json!(["hook", "hint", "next_call", 4]),
        ]
    );
    assert_eq!(
        inserted(&doc["final_messages"]),
        [
            brought,
            json!(["history", "tone", "request", 1]),
            json!(["hook", "house", "request", 5]),
            json!(["hook", "tone", "request", 6]),
        ]
    );
}
