//! Guards from recorded events.

use serde_json::json;

use super::events::CARD;
use crate::guard::{Answer, GuardForm};

/// What a guard looks like. The path is relative, so that an approval covers the script.
pub(crate) static GUARD: GuardForm = GuardForm {
    card: &CARD,
    input: "tool_input",
    script: |name| format!(".codex/hooks/{}.py", name.joined("_")),
    definition: |_, _, script| json!({ "type": "command", "command": format!("python3 {script}"), "timeout": 10 }),
    answer: |event| {
        Some(match event.exit_2 {
            Some(_) => Answer::ExitCode,
            None => Answer::Output(r#"{"continue": False, "stopReason": REASON}"#.to_owned()),
        })
    },
};
