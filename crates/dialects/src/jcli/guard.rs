//! Guards from recorded events.

use hookwright_model::VerdictKind;
use serde_json::json;

use super::events::CARD;
use crate::guard::{Answer, GuardForm};

/// What a guard looks like.
pub(crate) static GUARD: GuardForm = GuardForm {
    card: &CARD,
    input: "tool_arguments",
    script: |name| format!(".jcli/hooks/{}.py", name.joined("_")),
    definition: |_, _, script| json!({ "command": format!("python3 {script}"), "timeout": 5, "on_error": "abort" }),
    answer: |event| {
        let action = if event.verdicts.contains(&VerdictKind::Skip) {
            "skip"
        } else {
            "stop"
        };
        Some(Answer::Output(format!(
            r#"{{"action": "{action}", "system_message": REASON}}"#
        )))
    },
};
