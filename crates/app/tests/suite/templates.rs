//! Templates of new hooks: what they add draws no message at any event, and their guards block.

use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_model::{EventSpec, HookTemplate, TemplateField, TemplateKind, VerdictKind};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::TestHome;

async fn call(app: &App, method: &str, params: Value) -> Value {
    let answer = commands::call(app, method, params).await;
    answer.unwrap_or_else(|fault| panic!("{method}: {}: {}", fault.code, fault.message))
}

fn events() -> impl Iterator<Item = (&'static str, &'static EventSpec, Value)> {
    let all = hookwright_dialects::all().iter();
    all.flat_map(|dialect| {
        let card = dialect.card();
        let row = |event| (card.id, event, Value::Object(dialect.fixture(event)));
        card.events.iter().map(row)
    })
}

async fn templates(app: &App, dialect: &str, event: &str) -> Vec<HookTemplate> {
    let doc = call(app, "templates.list", json!({"dialect": dialect, "event": event})).await;
    serde_json::from_value(doc["templates"].clone()).expect("templates")
}

/// The definition with what stands in the form first, as the window fills it.
fn definition(template: &HookTemplate) -> Value {
    let value = |field: TemplateField| template.fields.iter().find(|first| first.field == field);
    let text = |field| value(field).map_or_else(String::new, |first| first.value.clone());
    let script = text(TemplateField::Script).replace("@name@", &text(TemplateField::Name));
    let fill = |written: &str| {
        [
            ("@skill@", text(TemplateField::Skill)),
            ("@name@", text(TemplateField::Name)),
            ("@description@", text(TemplateField::Description)),
            ("@tool@", text(TemplateField::Tool)),
            ("@command@", text(TemplateField::Command)),
            ("@prompt@", text(TemplateField::Prompt)),
            ("@script@", script.clone()),
            ("@text@", text(TemplateField::Text)),
        ]
        .into_iter()
        .find(|(name, _)| *name == written)
        .map_or_else(|| written.to_owned(), |(_, value)| value)
    };
    filled(&Value::Object(template.definition.clone()), &fill).expect("something is left")
}

fn filled(value: &Value, fill: &impl Fn(&str) -> String) -> Option<Value> {
    match value {
        Value::String(written) => Some(fill(written)).filter(|text| !text.is_empty()).map(Value::String),
        Value::Array(items) => Some(items.iter().filter_map(|item| filled(item, fill)).collect()),
        Value::Object(fields) => {
            let entry = |(key, value): (&String, &Value)| Some((key.clone(), filled(value, fill)?));
            let fields: serde_json::Map<_, _> = fields.iter().filter_map(entry).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        other => Some(other.clone()),
    }
}

fn sandbox() -> (TestHome, Arc<App>) {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    (test_home, app)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_said_about_a_hook_from_a_template() {
    let (test_home, app) = sandbox();
    let mut said = Vec::new();
    let mut added = 0;
    for (dialect, event, _) in events() {
        let layer = if dialect == "skill" { "skill" } else { "project" };
        for (number, template) in templates(&app, dialect, event.name).await.iter().enumerate() {
            let kind = format!("{dialect} {} {:?} {number}", event.name, template.kind);
            let text = serde_json::to_string(&definition(template)).unwrap();
            let is_open = |word: &&str| text.contains(&format!("@{word}@"));
            let open: Vec<_> = ["event", "output", "verdict", "payload", "tool", "name", "script"]
                .into_iter()
                .filter(is_open)
                .collect();
            assert_eq!(open, [""; 0], "{kind}: {text}");
            let project = test_home.root().join(format!("{dialect}-{}-{number}", event.name));
            std::fs::create_dir(&project).unwrap();
            let request = json!({
                "project": project, "dialect": dialect, "event": event.name, "layer": layer,
                "definition": definition(template),
            });
            let done = match commands::call(&app, "edit.add", request).await {
                Ok(done) => done,
                Err(fault) => {
                    said.push(format!("{kind}: {}: {}", fault.code, fault.message));
                    continue;
                }
            };
            assert_eq!(done["written"], true, "{kind}");
            let list = call(&app, "hooks.list", json!({"project": project})).await;
            let problems = list["problems"].as_array().unwrap().iter();
            // `picoclaw.md` §11 says one of the two of every process that sees calls of tools.
            let of_every = |code: &Value| code == "fails_closed" || code == "fails_open";
            let is_common = |problem: &&Value| dialect == "picoclaw" && of_every(&problem["code"]);
            for problem in problems.filter(|problem| !is_common(problem)) {
                said.push(format!("{kind}: {} {}", problem["code"], problem["message"]));
            }
            added += 1;
        }
    }
    assert!(said.is_empty(), "{}", said.join("\n"));
    assert!(added > 150, "{added}");
}

/// The payload with `rm -rf` in each of its own texts, and in a command for a shell.
fn with_rm(dialect: &str, event: &EventSpec, payload: &Value) -> Value {
    let mut payload = payload.clone();
    let shell = if dialect == "agent-hooks" { "Shell" } else { "Bash" };
    let own = event.fields.iter().map(|field| field.name);
    for name in own.filter(|name| *name != "tool_use_id") {
        let command = json!({"command": "rm -rf /"});
        match &mut payload[name] {
            text @ Value::String(_) if name == "tool_name" => *text = shell.into(),
            text @ Value::String(_) if name == "tool_arguments" => *text = command.to_string().into(),
            text @ Value::String(_) => *text = "rm -rf /".into(),
            object @ Value::Object(_) if ["tool_input", "arguments"].contains(&name) => *object = command,
            _ => {}
        }
    }
    payload
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guard_of_each_template_blocks_what_it_says_and_lets_the_rest_pass() {
    let (_test_home, app) = sandbox();
    let mut tried = 0;
    for (dialect, event, fixture) in events() {
        let good: Value = serde_json::from_str(&fixture.to_string().replace("rm -rf", "ls -l")).unwrap();
        let bad = with_rm(dialect, event, &good);
        let guards = templates(&app, dialect, event.name).await;
        for template in guards.iter().filter(|template| template.kind == TemplateKind::Guard) {
            let what = format!("{dialect} {}", event.name);
            let text = serde_json::to_string(&template.fields).unwrap();
            if !text.contains("rm -rf") {
                // It asks for a clean working tree, which an empty folder is not.
                continue;
            }
            for (payload, blocks) in [(&bad, true), (&good, false)] {
                let run = json!({
                    "run": "t", "dialect": dialect, "event": event.name, "payload": payload,
                    "definition": definition(template), "files": [],
                });
                let trace = call(&app, "hooks.try", run).await;
                let kind: VerdictKind = serde_json::from_value(trace["verdict"]["kind"].clone()).unwrap();
                assert_eq!(kind >= VerdictKind::Ask, blocks, "{what} {payload}: {trace:#}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 20, "{tried}");
}
