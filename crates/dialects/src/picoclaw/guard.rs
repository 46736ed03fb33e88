//! Guards from recorded events.

use hookwright_model::VerdictKind;
use serde_json::json;

use super::events::CARD;
use crate::guard::{Answer, GuardForm};

/// What a guard looks like.
pub(crate) static GUARD: GuardForm = GuardForm {
    card: &CARD,
    input: "arguments",
    script: |name| format!(".picoclaw/hooks/{}.py", name.joined("_")),
    definition: |name, event, script| {
        json!({
            "name": name.joined("_"),
            "enabled": true,
            "command": ["python3", "-u", script],
            "intercept": super::with_its_pair(event.name),
        })
    },
    answer: |event| {
        if event.output("approved").is_some() {
            let block = r#"{"approved": False, "reason": REASON}"#.to_owned();
            return Some(Answer::Replies(block, r#"{"approved": True}"#));
        }
        let action = if event.verdicts.contains(&VerdictKind::Deny) {
            "deny_tool"
        } else {
            "abort_turn"
        };
        let block = format!(r#"{{"action": "{action}", "reason": REASON}}"#);
        Some(Answer::Replies(block, r#"{"action": "continue"}"#))
    },
};
