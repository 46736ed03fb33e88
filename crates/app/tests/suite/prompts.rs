//! Prompt templates: filled with recorded events, and asked several times.

use std::sync::Arc;
use std::time::Duration;

use hookwright_app::pushes::Push;
use hookwright_app::{App, commands};
use hookwright_testkit::FakeModelServer;
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

const EVENT: &str = "pre_tool_execution";
const HOOK: &str = "jcli:user:pre_tool_execution:0";
const REVIEW: &str = "pre_tool_execution:\n  - type: llm\n    prompt: Review {{tool_name}}\n";
const SKIP: &str = r#"{"action": "skip", "system_message": "no"}"#;

struct Sandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl Sandbox {
    fn new(url: &str) -> Self {
        let test_home = TestHome::new();
        write(
            &test_home.home.join("data/settings.toml"),
            format!("[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nmodel = \"small\"\n"),
        );
        write(&test_home.user_file(), REVIEW);
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| {
            serde_json::to_value(fault).unwrap()["code"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    }

    async fn run(&self, more: Value) -> Value {
        let mut request = json!({"project": self.test_home.project, "dialect": "jcli", "event": EVENT, "hook": HOOK,
            "run": "r", "times": 3});
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        self.ask("prompt.run", request).await.expect("prompt.run")
    }
}

/// The fake model has a runtime of its own, so that of the test is separate.
fn with_model(model: &FakeModelServer, test: impl AsyncFnOnce(Sandbox)) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(test(Sandbox::new(&model.url())));
}

#[test]
fn a_template_is_filled_with_a_recorded_event_and_asks_nobody() {
    let model = FakeModelServer::answering("{}");
    with_model(&model, async |sandbox| {
        write(
            &sandbox.test_home.user_file(),
            "pre_tool_execution:\n  - command: 'exit 0'\n",
        );
        let secret = "sk-proj-4fT9xQ2mLbV7cR1nZ8wKpYdE3uJhGsAo";
        let payload = json!({"tool_name": "Bash", "tool_arguments": format!("use {secret}")});
        let project = json!(sandbox.test_home.project);
        let fire = json!({"project": project, "dialect": "jcli", "event": EVENT, "payload": payload, "run": "f"});
        let trace = sandbox.ask("fire", fire).await.unwrap()["trace"].clone();
        let template = "{{tool_name}}: {{tool_arguments}} {{user_input}} {{tool_args}}";
        let request =
            json!({"project": project, "dialect": "jcli", "event": EVENT, "template": template, "trace": trace});
        let doc = sandbox.ask("prompt.render", request).await.unwrap();
        let kinds: Vec<&str> = doc["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["value", "text", "value", "text", "empty", "text", "unknown"]);
        assert_eq!(
            (&doc["recorded"], &doc["parts"][0]["text"]),
            (&json!(true), &json!("Bash"))
        );
        assert_eq!(doc["parts"][6]["nearest"], json!("tool_arguments"));
        assert!(!doc.to_string().contains("4fT9xQ2m"), "{doc}");
        assert!(doc["instructions"].as_str().unwrap().starts_with("---\n"));
        assert!(doc["total_tokens"].as_u64() > doc["rendered_tokens"].as_u64());
        let user_input = doc["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == "user_input");
        assert_eq!(user_input.unwrap()["is_set"], json!(false));
        let sample = json!({"dialect": "jcli", "event": EVENT, "template": "{{tool_name}}"});
        let sample = sandbox.ask("prompt.render", sample).await.unwrap();
        assert_eq!(sample["recorded"], json!(false));
        let other = json!({"dialect": "qoder", "event": "PreToolUse", "template": ""});
        assert_eq!(sandbox.ask("prompt.render", other).await, Err("no_prompts".into()));
    });
    assert!(model.request_bodies().is_empty());
}

#[test]
fn the_model_is_asked_several_times_and_each_answer_is_pushed_and_counted() {
    let model = FakeModelServer::answering_in_turn([SKIP, "not json", "{\"action\": \"skip\"}", "{}"]);
    with_model(&model, async |sandbox| {
        let mut pushes = sandbox.app.subscribe();
        let doc = sandbox.run(json!({"times": 4})).await;
        assert_eq!(
            (&doc["replied"], &doc["valid"], &doc["agreed"], &doc["times"]),
            (&json!(4), &json!(3), &json!(2), &json!(4)),
            "{doc}"
        );
        let outcomes: Vec<&str> = doc["answers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["outcome"].as_str().unwrap())
            .collect();
        assert_eq!(outcomes, ["denied", "failed_open", "denied", "no_opinion"]);
        assert_eq!(doc["answers"][0]["verdict"], json!("skip"));
        let mut pushed = Vec::new();
        while let Ok(push) = pushes.try_recv() {
            if let Push::PromptAnswer { run, of, answer } = push {
                pushed.push((run, of, answer.index));
            }
        }
        assert_eq!(
            pushed,
            (0..4).map(|index| ("r".to_owned(), 4, index)).collect::<Vec<_>>()
        );
    });
    let asked = model.request_bodies();
    assert!(asked[0].to_string().contains("Review "), "{}", asked[0]);
}

#[test]
fn an_equal_input_is_not_asked_again_unless_that_is_wanted() {
    let model = FakeModelServer::answering("{}");
    with_model(&model, async |sandbox| {
        let cached = |doc: &Value| -> Vec<bool> {
            doc["answers"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["cached"].as_bool().unwrap())
                .collect()
        };
        assert_eq!(cached(&sandbox.run(json!({"times": 2})).await), [false, false]);
        assert_eq!(cached(&sandbox.run(json!({"times": 3})).await), [true, true, false]);
        assert_eq!(
            cached(&sandbox.run(json!({"times": 2, "fresh": true})).await),
            [false, false]
        );
        let step = json!({"do": "set", "field": "prompt", "value": "Other {{tool_name}}"});
        assert_eq!(
            cached(&sandbox.run(json!({"times": 1, "steps": [step]})).await),
            [false]
        );
    });
    let asked = model.request_bodies();
    assert_eq!(asked.len(), 6);
    assert!(asked[5].to_string().contains("Other "), "the unsaved template is asked");
}

#[test]
fn a_run_can_be_stopped() {
    let model = FakeModelServer::answering_after(Duration::from_secs(30), "{}");
    with_model(&model, async |sandbox| {
        let stop = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            sandbox.ask("fire.stop", json!({"run": "r"})).await.unwrap()
        };
        let (doc, stopped) = tokio::join!(sandbox.run(json!({"times": 5})), stop);
        assert_eq!(stopped["stopped"], json!(true));
        let answers = doc["answers"].as_array().unwrap();
        assert_eq!(
            (answers.len(), &answers[0]["end"], &doc["replied"]),
            (1, &json!("stopped"), &json!(0))
        );
    });
}

#[test]
fn a_refusal_ends_the_run_without_secrets() {
    let model = FakeModelServer::refusing(401, "the key sk-proj-4fT9xQ2mLbV7cR1nZ8wKpYdE3uJhGsAo is wrong");
    with_model(&model, async |sandbox| {
        let doc = sandbox.run(json!({})).await;
        assert_eq!(
            (doc["answers"].as_array().unwrap().len(), &doc["answers"][0]["end"]),
            (1, &json!("refused"))
        );
        assert!(!doc.to_string().contains("4fT9xQ2m"), "{doc}");
    });
    assert_eq!(model.request_bodies().len(), 1);
}

#[test]
fn a_hook_that_is_not_approved_asks_no_model() {
    let model = FakeModelServer::answering("{}");
    with_model(&model, async |sandbox| {
        write(&sandbox.test_home.hooks_file(), REVIEW);
        let request = json!({"project": sandbox.test_home.project, "dialect": "jcli", "event": EVENT,
            "hook": "jcli:project:pre_tool_execution:0", "run": "r", "times": 1});
        assert_eq!(sandbox.ask("prompt.run", request).await, Err("never_approved".into()));
        let command =
            json!({"dialect": "jcli", "event": EVENT, "definition": {"command": "x"}, "run": "r", "times": 1});
        assert_eq!(sandbox.ask("prompt.run", command).await, Err("not_a_prompt".into()));
    });
    assert!(model.request_bodies().is_empty());
}
