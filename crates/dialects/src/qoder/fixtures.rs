//! A fixture for each event. The common fields are added when the event is fired.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// The event's own fields, filled as in a conversation about one failing test. Fields that only a sub-agent has are
/// left out.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    let subagent = event.name.starts_with("Subagent");
    let fields = event.fields.iter().map(|field| field.name);
    let fields = fields.filter(|name| subagent || !["agent_id", "agent_type"].contains(name));
    fields
        .filter(|name| *name != "is_interrupt" && *name != "parent_file_path")
        .map(|name| (name.to_owned(), value(event.name, name)))
        .collect()
}

fn value(event: &str, field: &str) -> Value {
    match field {
        "tool_name" => json!("Bash"),
        "tool_input" => {
            json!({"command": "cargo test login -- --nocapture", "description": "Run the login tests", "timeout": 120_000})
        }
        "tool_use_id" => json!("toolu_01"),
        "tool_response" => json!(
            "running 3 tests\ntest login::accepts ... ok\ntest login::refuses ... ok\ntest login::expires ... FAILED\n"
        ),
        "duration_ms" => json!(1840),
        "error" => json!("exit status 101: test login::expires failed"),
        "prompt" => json!("The login test fails since this morning. Please find out why and fix it."),
        "source" => json!("startup"),
        "stop_hook_active" => json!(false),
        "last_assistant_message" => {
            json!("Fixed: both times are compared in UTC now, and the three login tests pass.")
        }
        "agent_id" => json!("agent_01"),
        "agent_type" => json!("code-reviewer"),
        "permission_suggestions" => {
            json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "cargo test:*"}], "behavior": "allow"}])
        }
        "reason" => json!("prompt_input_exit"),
        "trigger" => json!("auto"),
        "custom_instructions" => Value::Null,
        "compact_summary" => json!("The login test failed because of a time zone; it is fixed."),
        "old_cwd" => json!("/home/me/shop"),
        "new_cwd" => json!("/home/me/shop/server"),
        "file_path" if event == "InstructionsLoaded" => json!("/home/me/shop/AGENTS.md"),
        "file_path" => json!("/home/me/shop/server/src/login.rs"),
        "memory_type" => json!("project"),
        "load_reason" => json!("session_start"),
        "globs" => json!(["src/**/*.rs"]),
        "event" => json!("change"),
        // Every field of the table has a line above. A new field becomes an empty text instead of a panic.
        _ => json!(""),
    }
}
