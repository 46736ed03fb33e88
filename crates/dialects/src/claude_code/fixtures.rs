//! A fixture for each event. The common fields are added when the event is fired.

use hookwright_model::event::{EventSpec, Payload};
use serde_json::{Value, json};

/// Fields that an event may leave out, and that no fixture has.
const OPTIONAL: [&str; 24] = [
    "model",
    "session_title",
    "seconds_since_last_response",
    "context_tokens",
    "prompt_cache_likely_expired",
    "estimated_cache_write_usd",
    "globs",
    "trigger_file_path",
    "parent_file_path",
    "command_source",
    "mcp_server",
    "permission_suggestions",
    "duration_ms",
    "is_interrupt",
    "title",
    "background_tasks",
    "session_crons",
    "task_description",
    "teammate_name",
    "team_name",
    "error_details",
    "mode",
    "url",
    "elicitation_id",
];
/// Events at which a field of [`OPTIONAL`] is always there.
const REQUIRED: [(&str, &str); 8] = [
    ("TeammateIdle", "teammate_name"),
    ("TeammateIdle", "team_name"),
    ("PreSkillShellCommand", "command_source"),
    ("PreModelSwitch", "context_tokens"),
    ("PreModelSwitch", "estimated_cache_write_usd"),
    ("PostModelSwitch", "context_tokens"),
    ("PostModelSwitch", "estimated_cache_write_usd"),
    ("ConfigChange", "file_path"),
];

/// The event's own fields, filled as in a conversation about one failing test.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    let fields = event.fields.iter().map(|field| field.name);
    let fields = fields.filter(|name| !OPTIONAL.contains(name) || REQUIRED.contains(&(event.name, *name)));
    fields
        .filter(|name| event.name != "UserPromptSubmit" || *name != "source")
        .map(|name| (name.to_owned(), value(event.name, name)))
        .collect()
}

fn value(event: &str, field: &str) -> Value {
    match field {
        "tool_name" => json!("Bash"),
        "tool_input" => json!({"command": "ls"}),
        "tool_use_id" => json!("toolu_01"),
        "tool_response" => json!({
            "stdout": "README.md\n", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
        }),
        "tool_calls" => json!([{
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01", "tool_response": "README.md",
        }]),
        "error" if event == "StopFailure" => json!("rate_limit"),
        "error" => json!("exit status 1: no such directory"),
        "prompt" if event == "UserPromptExpansion" => json!("/fix login"),
        "prompt" => json!("The login test fails since this morning. Please find out why and fix it."),
        "source" => json!(match event {
            "ConfigChange" => "project_settings",
            "DirectoryAdded" => "slash_command",
            "PreModelSwitch" | "PostModelSwitch" => "command",
            _ => "startup",
        }),
        "stop_hook_active" | "prompt_cache_warm" => json!(false),
        "final" => json!(true),
        "last_assistant_message" => {
            json!("Fixed: both times are compared in UTC now, and the three login tests pass.")
        }
        "agent_id" => json!("agent_01"),
        "agent_type" => json!("code-reviewer"),
        "agent_transcript_path" => json!("/home/me/.claude/projects/shop/agent_01.jsonl"),
        "reason" if event == "PermissionDenied" => json!("the command leaves the project"),
        "reason" => json!("prompt_input_exit"),
        "trigger" if event == "Setup" => json!("init"),
        "trigger" => json!("auto"),
        "custom_instructions" | "requested_model" => Value::Null,
        "compact_summary" => json!("The login test failed because of a time zone; it is fixed."),
        "old_cwd" | "directory" => json!("/home/me/shop"),
        "new_cwd" => json!("/home/me/shop/server"),
        "file_path" if event == "InstructionsLoaded" => json!("/home/me/shop/CLAUDE.md"),
        "file_path" if event == "ConfigChange" => json!("/home/me/shop/.claude/settings.json"),
        "file_path" => json!("/home/me/shop/server/src/login.rs"),
        "memory_type" => json!("Project"),
        "load_reason" => json!("session_start"),
        "event" => json!("change"),
        "expansion_type" => json!("slash_command"),
        "command_name" => json!("fix"),
        "command_args" => json!("login"),
        "command_source" => json!("project"),
        "invoked_by" => json!("user"),
        "message" if event == "Elicitation" => json!("Which account?"),
        "message" => json!("Claude needs your permission to use Bash"),
        "notification_type" => json!("permission_prompt"),
        "turn_id" => json!("turn_01"),
        "message_id" => json!("msg_01"),
        "index" => json!(0),
        "delta" => json!("All three tests pass."),
        "task_id" => json!("task_01"),
        "task_subject" => json!("Fix the login test"),
        "teammate_name" => json!("tester"),
        "team_name" => json!("shop"),
        "name" => json!("login-fix"),
        "worktree_path" => json!("/home/me/shop-worktrees/login-fix"),
        "from_model" => json!("claude-sonnet-4-5"),
        "to_model" => json!("claude-opus-4-5"),
        "context_tokens" => json!(24_000),
        "cache_ttl" => json!("5m"),
        "estimated_cache_write_usd" => json!(0.15),
        "pricing" => json!({}),
        "mcp_server_name" => json!("accounts"),
        "requested_schema" => json!({"type": "object", "properties": {"account": {"type": "string"}}}),
        "action" => json!("accept"),
        "content" => json!({"account": "main"}),
        // Every field of the table has a line above. A new field becomes an empty text instead of a panic.
        _ => json!(""),
    }
}
