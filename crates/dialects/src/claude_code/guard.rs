//! Guards from recorded events.

use serde_json::json;

use super::events::{CARD, rules};
use crate::guard::{Answer, GuardForm};

/// What a guard looks like.
pub(crate) static GUARD: GuardForm = GuardForm {
    card: &CARD,
    input: "tool_input",
    script: |name| format!(".claude/hooks/{}.py", name.joined("_")),
    definition: |_, _, script| json!({ "type": "command", "command": format!("python3 \"$CLAUDE_PROJECT_DIR\"/{script}"), "timeout": 10 }),
    answer: |event| {
        // A hook that says nothing fails there, and every failure blocks.
        if rules(event.name).always_closed && event.plain_stdout.is_some() {
            return None;
        }
        Some(match event.exit_2 {
            Some(_) => Answer::ExitCode,
            None => Answer::Output(format!(
                r#"{{"hookSpecificOutput": {{"hookEventName": "{}", "decision": {{"behavior": "deny", "message": REASON}}}}}}"#,
                event.name
            )),
        })
    },
};
