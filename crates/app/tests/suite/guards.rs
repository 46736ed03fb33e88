//! Guards against recorded events: for every event that can be blocked, the guard really blocks it, and nothing else.

use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_model::{EventSpec, VerdictKind};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

struct GuardSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl GuardSandbox {
    fn new() -> Self {
        let test_home = TestHome::new();
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let answer = commands::call(&self.app, method, params).await;
        answer.unwrap_or_else(|fault| panic!("{method}: {}: {}", fault.code, fault.message))
    }

    async fn draft(&self, dialect: &str, event: &str, payload: &Value) -> Value {
        let params = json!({"dialect": dialect, "event": event, "payload": payload});
        self.call("guards.draft", params).await
    }

    /// Fires a payload at the guard alone, without saving it. Returns whether it is blocked, and the trace.
    async fn is_blocked(&self, dialect: &str, event: &str, guard: &Value, payload: &Value) -> (bool, Value) {
        let params = json!({
            "run": "test", "dialect": dialect, "event": event, "payload": payload,
            "definition": guard["definition"], "files": [guard["script"]],
        });
        let trace = self.call("hooks.try", params).await;
        let kind: VerdictKind = serde_json::from_value(trace["verdict"]["kind"].clone()).unwrap();
        (kind >= VerdictKind::Ask, trace)
    }
}

fn events() -> Vec<(&'static str, &'static EventSpec, Value)> {
    let mut out = Vec::new();
    for dialect in hookwright_dialects::all() {
        for event in dialect.card().events {
            out.push((dialect.card().id, event, Value::Object(dialect.fixture(event))));
        }
    }
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_that_can_be_blocked_is_blocked_by_its_guard_and_only_that() {
    let sandbox = GuardSandbox::new();
    let mut guarded = 0;
    for (dialect, event, payload) in events() {
        let what = format!("{dialect} {}", event.name);
        let draft = sandbox.draft(dialect, event.name, &payload).await;
        let has_block = !event.notify_only && event.verdicts.iter().any(|kind| *kind >= VerdictKind::Ask);
        // A hook that makes no folder there fails, and every failure blocks.
        let can_block = has_block && event.name != "WorktreeCreate";
        assert_eq!(draft["can_block"], can_block, "{what}");
        let guard = &draft["guard"];
        if guard.is_null() {
            assert!(!can_block || event.fields.is_empty(), "{what} has no guard");
            continue;
        }
        guarded += 1;
        let (blocked, trace) = sandbox.is_blocked(dialect, event.name, guard, &payload).await;
        assert!(blocked, "{what}: {trace:#}");
        assert_eq!(trace["steps"].as_array().unwrap().len(), 1, "{what}");
        let mut other = payload.clone();
        change(&mut other, guard["field"].as_str().unwrap());
        let (blocked, trace) = sandbox.is_blocked(dialect, event.name, guard, &other).await;
        assert!(!blocked, "{what} with another value: {trace:#}");
    }
    assert!(guarded >= 30, "{guarded}");
}

/// Changes the value that a guard compares.
fn change(payload: &mut Value, field: &str) {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let value = &mut payload[first];
    let is_text = value.is_string();
    let mut inner: Value = match value.as_str().map(serde_json::from_str) {
        Some(Ok(read)) if !rest.is_empty() => read,
        Some(Ok(_) | Err(_)) | None => value.clone(),
    };
    let target = if rest.is_empty() { &mut inner } else { &mut inner[rest] };
    *target = match &*target {
        Value::String(text) => json!(format!("{text} and more")),
        Value::Array(items) => json!([items, "more"]),
        Value::Bool(flag) => json!(!flag),
        Value::Number(_) => json!(987_654_321),
        Value::Object(_) | Value::Null => json!({"another": "object"}),
    };
    *value = if is_text && !rest.is_empty() {
        json!(inner.to_string())
    } else {
        inner
    };
}

/// The payload of the dialect's tool event with this command.
fn with_command(dialect: &str, command: &str) -> (&'static str, Value) {
    match dialect {
        "jcli" => {
            let arguments = json!({"command": command}).to_string();
            (
                "pre_tool_execution",
                json!({"tool_name": "Bash", "tool_arguments": arguments}),
            )
        }
        "qoder" | "claude-code" | "codex" => (
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": command}}),
        ),
        "agent-hooks" => (
            "before_tool",
            json!({"tool_name": "Shell", "tool_input": {"command": command}}),
        ),
        _ => (
            "approve_tool",
            json!({"tool": "exec", "arguments": {"command": command}}),
        ),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_compares_any_value_as_data() {
    let sandbox = GuardSandbox::new();
    let marker = sandbox.test_home.root().join("ran");
    let marker = marker.display();
    let values = [
        "rm -rf /tmp/x".to_owned(),
        format!("\"); open('{marker}', 'w'); (\""),
        format!("'''\"\"\"\n$(touch {marker})`touch {marker}`; touch {marker}\n\\"),
        "@value@ @block@ {field} %s \\n \\\\ \\u0041 \\xff".to_owned(),
        "line\r\nline\u{2028}next\u{85}\u{202e}gnp\u{0}\u{1b}[31m\u{7f}".to_owned(),
        "删除 /数据库 😀 é \u{fffd}".to_owned(),
    ];
    for dialect in ["jcli", "qoder", "claude-code", "codex", "agent-hooks", "picoclaw"] {
        for value in &values {
            let (event, payload) = with_command(dialect, value);
            let draft = sandbox.draft(dialect, event, &payload).await;
            let guard = &draft["guard"];
            assert_eq!(guard["value"], json!(value), "{dialect}");
            let (blocked, trace) = sandbox.is_blocked(dialect, event, guard, &payload).await;
            assert!(blocked, "{dialect} {value:?}: {trace:#}");
            let (_, other) = with_command(dialect, &format!("{value} "));
            let (blocked, trace) = sandbox.is_blocked(dialect, event, guard, &other).await;
            assert!(!blocked, "{dialect} {value:?} and a space: {trace:#}");
        }
    }
    assert!(!sandbox.test_home.root().join("ran").exists(), "a value was run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_a_million_bytes_is_a_constant_too() {
    let sandbox = GuardSandbox::new();
    let value = "\"\\\n'x".repeat(200_000);
    for dialect in ["jcli", "qoder", "claude-code", "codex", "agent-hooks", "picoclaw"] {
        let (event, payload) = with_command(dialect, &value);
        let draft = sandbox.draft(dialect, event, &payload).await;
        let (blocked, trace) = sandbox.is_blocked(dialect, event, &draft["guard"], &payload).await;
        assert!(blocked, "{dialect}: {}", trace["steps"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_condition_of_a_guard_matches_only_its_tool() {
    let sandbox = GuardSandbox::new();
    let conditions = [
        ("jcli", "/filter/tool_name", "mcp.a|b", "mcp.a|b"),
        ("qoder", "/matcher", "mcp.a|b", r"mcp\.a\|b"),
        ("claude-code", "/matcher", "mcp.a|b", r"^mcp\.a\|b$"),
        ("codex", "/matcher", "mcp.a|b", r"^mcp\.a\|b$"),
        ("agent-hooks", "/matcher/tool", "mcp.a|b", r"^mcp\.a\|b$"),
    ];
    for (dialect, at, tool, condition) in conditions {
        let (event, mut payload) = with_command(dialect, "ls");
        payload["tool_name"] = json!(tool);
        let draft = sandbox.draft(dialect, event, &payload).await;
        let guard = &draft["guard"];
        assert_eq!(guard["definition"].pointer(at), Some(&json!(condition)), "{dialect}");
        assert!(sandbox.is_blocked(dialect, event, guard, &payload).await.0, "{dialect}");
        payload["tool_name"] = json!("mcpXa");
        let (blocked, trace) = sandbox.is_blocked(dialect, event, guard, &payload).await;
        assert!(
            !blocked && trace["steps"][0]["outcome"] == "not_matched",
            "{dialect}: {trace:#}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_guard_comes_with_its_script_as_one_edit() {
    let sandbox = GuardSandbox::new();
    let project = &sandbox.test_home.project;
    write(&project.join(".jcli/hooks.yaml"), "# mine\nstop: []\n");
    for dialect in ["jcli", "qoder", "claude-code", "codex", "agent-hooks", "picoclaw"] {
        for layer in ["project", "user"] {
            let (event, payload) = with_command(dialect, "rm -rf /tmp/x");
            let draft = sandbox.draft(dialect, event, &payload).await;
            let request = json!({
                "project": project, "dialect": dialect, "event": event, "layer": layer,
                "definition": draft["guard"]["definition"], "files": [draft["guard"]["script"]],
            });
            let done = sandbox.call("edit.add", request).await;
            assert_eq!(done["written"], true, "{dialect} {layer}");
            let run = json!({"run": "r", "project": project, "dialect": dialect, "event": event, "payload": payload});
            if layer == "user" {
                let trace = sandbox.call("fire", run).await;
                let kind: VerdictKind = serde_json::from_value(trace["verdict"]["kind"].clone()).unwrap();
                assert!(kind >= VerdictKind::Ask, "{dialect} {layer}: {trace:#}");
            }
            let undo = json!({"project": project, "undo": done["undo"]});
            let undone = sandbox.call("edit.undo", undo).await;
            assert_eq!(undone["files"].as_array().unwrap().len(), 2, "{dialect} {layer}");
        }
    }
    let text = std::fs::read_to_string(project.join(".jcli/hooks.yaml")).unwrap();
    assert_eq!(text, "# mine\nstop: []\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn trying_a_hook_leaves_nothing_and_starts_no_other_hook() {
    let sandbox = GuardSandbox::new();
    let ran = sandbox.test_home.root().join("ran");
    let user = format!("pre_tool_execution:\n  - command: touch {}\n", ran.display());
    write(&sandbox.test_home.user_file(), &user);
    std::fs::create_dir_all(sandbox.test_home.home.join(".jcli")).unwrap();
    let (event, payload) = with_command("jcli", "ls");
    let guard = json!({"definition": {"command": "echo '{\"action\": \"stop\"}'"}, "script": {"path": "a/b.sh", "text": "", "executable": true}});
    let (blocked, trace) = sandbox.is_blocked("jcli", event, &guard, &payload).await;
    assert!(blocked, "{trace:#}");
    assert!(!ran.exists());
    let scratch = sandbox.test_home.home.join("data/scratch");
    assert_eq!(std::fs::read_dir(scratch).unwrap().count(), 0);
    let page = sandbox.call("history.page", json!({"limit": 10})).await;
    assert_eq!(page["traces"].as_array().map(Vec::len), Some(0), "{page}");
    assert!(!sandbox.test_home.home.join(".jcli/hooks.yaml").exists());
}
