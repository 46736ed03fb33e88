//! A payload to try each event with. Common fields are filled in when the event fires.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// The event's own fields, as in a session about one failing test.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    event
        .fields
        .iter()
        .map(|field| (field.name.to_owned(), value(event.name, field.name)))
        .collect()
}

fn value(event: &str, field: &str) -> Value {
    match field {
        "model" => json!("kimi-k2-turbo"),
        "args" => json!({"yolo": false, "continue": false}),
        "duration_seconds" => json!(1284),
        "total_steps" => json!(37),
        "exit_reason" => json!("user_exit"),
        "tool_name" => json!(if event == "after_tool" { "WriteFile" } else { "Shell" }),
        "tool_input" => tool_input(event),
        "tool_use_id" => json!("tool_7f3a"),
        "tool_output" if event == "after_tool" => json!("File written: src/login.py"),
        "tool_output" => json!("test_login_expires FAILED\n1 failed, 11 passed in 2.31s\n"),
        "error" if event == "after_tool" => Value::Null,
        "error" => json!("Command failed with exit code: 1."),
        "duration_ms" => json!(2384),
        "subagent_name" => json!("test-reader"),
        "subagent_type" => json!("coder"),
        "task_description" => json!("Find out why test_login_expires fails, and report the cause in three sentences."),
        "stop_reason" => json!("no_tool_calls"),
        "step_count" => json!(6),
        "final_message" => json!({
            "role": "assistant",
            "content": "Fixed: both times are compared in UTC now, and the login tests pass."
        }),
        // Every field of the table has its line above. A new field becomes null instead of a panic.
        _ => Value::Null,
    }
}

fn tool_input(event: &str) -> Value {
    match event {
        "before_tool" => json!({"command": "rm -rf / --no-preserve-root", "timeout": 60}),
        "after_tool" => json!({"path": "src/login.py", "content": "def expires(at):\n    return at < now()\n"}),
        _ => json!({"command": "pytest tests/test_login.py -q", "timeout": 120}),
    }
}
