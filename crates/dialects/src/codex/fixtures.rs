//! A fixture for each event. The common fields are added when the event is fired.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// The event's own fields, filled as in a conversation about one failing test.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    let fields = event.fields.iter().map(|field| field.name);
    fields.map(|name| (name.to_owned(), value(name))).collect()
}

fn value(field: &str) -> Value {
    match field {
        "tool_name" => json!("Bash"),
        "tool_input" => json!({"command": "ls"}),
        "tool_use_id" => json!("call_01"),
        "tool_response" => json!("README.md\n"),
        "prompt" => json!("The login test fails since this morning. Please find out why and fix it."),
        "source" => json!("startup"),
        "stop_hook_active" => json!(false),
        "last_assistant_message" => {
            json!("Fixed: both times are compared in UTC now, and the three login tests pass.")
        }
        "agent_id" => json!("agent_01"),
        "agent_type" => json!("reviewer"),
        "agent_transcript_path" => json!("/home/me/.codex/sessions/agent_01.jsonl"),
        "reason" => json!("other"),
        "trigger" => json!("auto"),
        "kind" => json!("sampling"),
        "request_id" => json!("request_01"),
        "attempt_number" => json!(1),
        "thread_id" => json!("thread_01"),
        "status" => json!("completed"),
        "error" => Value::Null,
        "token_usage" => json!({"input_tokens": 900, "output_tokens": 40}),
        "response_id" => json!("resp_01"),
        // Every field of the table has a line above. A new field becomes an empty text instead of a panic.
        _ => json!(""),
    }
}
