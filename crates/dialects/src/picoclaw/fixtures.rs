//! A payload to try each event with. `meta` is filled in when the event fires.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// The event's own fields, as in a chat in which an agent examines a failing test.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    let value = |name: &str| {
        if event.notify_only {
            kind_value(event.name, name)
        } else {
            point_value(event.name, name)
        }
    };
    let fields = event
        .fields
        .iter()
        .map(|field| (field.name.to_owned(), value(field.name)));
    fields.collect()
}

fn meta(source: &str) -> Value {
    json!({
        "AgentID": "agent-1", "TurnID": "turn-1", "ParentTurnID": "", "SessionKey": "session-1",
        "Iteration": 1, "TracePath": "runTurn", "Source": source,
    })
}

fn point_value(event: &str, field: &str) -> Value {
    match field {
        "meta" => meta(match event {
            "before_llm" => "turn.llm.request",
            "after_llm" => "turn.llm.response",
            "before_tool" => "turn.tool.before",
            "after_tool" => "turn.tool.after",
            _ => "turn.tool.approve",
        }),
        "model" => json!("claude-sonnet"),
        "messages" => json!([
            {"role": "system", "content": "You are a careful agent. Answer in the user's language."},
            {"role": "user", "content": "The login test fails since this morning. Please find out why."}
        ]),
        "tools" => json!([{"type": "function", "function": {
            "name": "bash",
            "description": "Runs a command in the workspace",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string"}},
                "required": ["command"]
            }
        }}]),
        "options" => json!({"temperature": 0.7, "max_tokens": 4096}),
        "response" => json!({
            "role": "assistant",
            "content": "I will run the login tests first.",
            "tool_calls": [{"id": "tc-1", "type": "function", "function": {
                "name": "bash", "arguments": "{\"command\":\"cargo test login\"}"
            }}]
        }),
        "tool" => json!("bash"),
        "arguments" => json!({"command": "cargo test login -- --nocapture"}),
        "result" => json!({
            "for_llm": "running 3 tests\ntest login::accepts ... ok\ntest login::expires ... FAILED\n",
            "for_user": "", "silent": false, "is_error": false, "async": false,
            "media": [], "artifact_tags": [], "response_handled": false
        }),
        "duration" => json!(15_000_000),
        "channel" => json!("cli"),
        "chat_id" => json!("chat-1"),
        "graceful_terminal" => json!(false),
        // Every field of the table has its line above. A new field becomes an empty text instead of a panic.
        _ => json!(""),
    }
}

fn kind_value(kind: &str, field: &str) -> Value {
    match field {
        "Kind" => json!(kind),
        "Meta" => meta(&format!("turn.{kind}")),
        _ => payload(kind),
    }
}

fn payload(kind: &str) -> Value {
    match kind {
        "turn_start" => {
            json!({"Channel": "cli", "ChatID": "chat-1", "UserMessage": "Why does the login test fail?", "MediaCount": 0})
        }
        "turn_end" => {
            json!({"Status": "completed", "Iterations": 2, "Duration": 4_200_000_000_i64, "FinalContentLen": 214})
        }
        "llm_request" => json!({"Model": "claude-sonnet", "MessagesCount": 2, "ToolsCount": 1, "MaxTokens": 4096}),
        "llm_response" => json!({"ContentLen": 33, "ToolCalls": 1, "HasReasoning": false}),
        "llm_delta" => json!({"ContentDeltaLen": 12, "ReasoningDeltaLen": 0}),
        "llm_retry" => json!({"Attempt": 2, "MaxRetries": 3, "Reason": "rate limit", "Backoff": 2_000_000_000_i64}),
        "tool_exec_start" => json!({"Tool": "bash", "Arguments": {"command": "cargo test login -- --nocapture"}}),
        "tool_exec_end" => {
            json!({"Tool": "bash", "Duration": 15_000_000, "ForLLMLen": 78, "ForUserLen": 0, "IsError": false, "Async": false})
        }
        "tool_exec_skipped" => {
            json!({"Tool": "bash", "Reason": "Tool execution denied by approval hook: not on the main branch"})
        }
        "steering_injected" => json!({"Count": 1, "TotalContentLen": 27}),
        "follow_up_queued" => json!({"SourceTool": "bash", "Channel": "cli", "ChatID": "chat-1", "ContentLen": 64}),
        "interrupt_received" => json!({"Kind": "graceful", "Role": "user", "ContentLen": 18, "QueueDepth": 0}),
        "context_compress" => json!({"Reason": "proactive_budget", "DroppedMessages": 12, "RemainingMessages": 8}),
        "session_summarize" => {
            json!({"SummarizedMessages": 20, "KeptMessages": 4, "SummaryLen": 600, "OmittedOversized": false})
        }
        "subturn_spawn" => json!({"AgentID": "agent-2", "Label": "look at the clock code", "ParentTurnID": "turn-1"}),
        "subturn_end" => json!({"AgentID": "agent-2", "Status": "completed"}),
        "subturn_result_delivered" => json!({"TargetChannel": "cli", "TargetChatID": "chat-1", "ContentLen": 120}),
        "subturn_orphan" => json!({"ParentTurnID": "turn-1", "ChildTurnID": "turn-2", "Reason": "parent_finished"}),
        _ => json!({"Stage": "llm", "Message": "connection reset by peer"}),
    }
}
