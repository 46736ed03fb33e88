//! A fixture for each event. The common fields are added when the event is fired.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// The event's own fields, filled as in a conversation about one failing test.
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
        "messages" => messages(event),
        "system_prompt" => json!("You are a careful coding agent. Answer in the user's language."),
        "model" => json!("gpt-4o"),
        "user_input" => json!("The login test fails since this morning. Please find out why and fix it."),
        "assistant_output" => json!(
            "The token expires one hour too early: `expires_at` is compared in local time. I will look at the code."
        ),
        "tool_name" => json!("Bash"),
        "tool_arguments" => json!(r#"{"command":"cargo test login -- --nocapture","timeout":120}"#),
        "tool_result" => json!(
            "running 3 tests\ntest login::accepts ... ok\ntest login::refuses ... ok\ntest login::expires ... FAILED\n"
        ),
        "tool_error" => json!("exit status 101: test login::expires failed"),
        // Every field of the table has a line above. A new field becomes an empty text instead of a panic.
        _ => json!(""),
    }
}

fn messages(event: &str) -> Value {
    let user =
        json!({"role": "user", "content": "The login test fails since this morning. Please find out why and fix it."});
    let call = json!({
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_1", "name": "Bash", "arguments": r#"{"command":"cargo test login"}"#}]
    });
    let result = json!({"role": "tool", "tool_call_id": "call_1", "content": "test login::expires ... FAILED"});
    let done = json!({"role": "assistant", "content": "Fixed: both times are compared in UTC now, and the three login tests pass."});
    match event {
        "session_start" => json!([]),
        "pre_send_message" => json!([{"role": "assistant", "content": "Hello, what shall we do today?"}]),
        "post_send_message" => json!([user]),
        "pre_llm_request" | "post_llm_response" => json!([user, call, result]),
        "post_micro_compact" => {
            json!([user, {"role": "tool", "tool_call_id": "call_1", "content": "[compacted]"}, done])
        }
        "post_auto_compact" => {
            json!([{"role": "user", "content": "Summary: the login test failed because of a time zone; it is fixed."}])
        }
        _ => json!([user, call, result, done]),
    }
}
