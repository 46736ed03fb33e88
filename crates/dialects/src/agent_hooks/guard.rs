//! Guards from recorded events.

use serde_json::json;

use super::events::CARD;
use crate::guard::{Answer, GuardForm};

/// What a guard looks like.
pub(crate) static GUARD: GuardForm = GuardForm {
    card: &CARD,
    input: "tool_input",
    script: |name| format!(".agents/hooks/{}/scripts/run.py", name.joined("-")),
    definition: |name, event, _| {
        json!({
            "name": name.joined("-"),
            "description": format!("Blocks one recorded value at {}", event.name),
            "timeout": 5000,
        })
    },
    answer: |_| Some(Answer::ExitCode),
};
