//! The template of a prompt hook (`claude-code.md` §5), and what its answer means (§6).

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Decision, Decoded, HookOutput, Ignored, PromptPart, PromptPartKind, PromptRendering, PromptSupport, PromptVariable,
    VerdictKind, render,
};
use serde_json::Value;

use super::messages::answers;
use crate::json;

/// The placeholder for the event.
const ARGUMENTS: &str = "$ARGUMENTS";

/// The system message of a request.
pub const SYSTEM: &str = "Judge the condition that the user describes. Answer with one JSON object and nothing else: \
    {\"ok\": true} if it holds, {\"ok\": false, \"reason\": \"…\"} if it does not. \
    Add \"impossible\": true if it can never hold.";

/// The templates, for the window.
pub static PROMPTS: PromptSupport = PromptSupport {
    field: "prompt",
    variables: |_| {
        vec![PromptVariable {
            name: "ARGUMENTS",
            is_set: true,
        }]
    },
    render,
};

/// The template with the payload as JSON. Without a placeholder it is appended after a blank line.
#[must_use]
pub fn fill(template: &str, payload: &Payload) -> String {
    let event = Value::Object(payload.clone()).to_string();
    let filled = if has_placeholder(template) {
        let parts = parts(template).into_iter().map(|part| part.unwrap_or(&event));
        parts.collect()
    } else {
        format!("{template}\n\n{event}")
    };
    filled.replace("\\$", "$")
}

/// The text between placeholders; `None` for each placeholder.
fn parts(template: &str) -> Vec<Option<&str>> {
    let mut parts = Vec::new();
    let mut rest = template;
    let mut from = 0;
    while let Some(at) = rest[from..].find(ARGUMENTS).map(|at| at + from) {
        if rest[..at].ends_with('\\') {
            from = at + 1;
            continue;
        }
        parts.extend([Some(&rest[..at]), None]);
        rest = &rest[at + ARGUMENTS.len()..];
        from = 0;
    }
    parts.push(Some(rest));
    parts
}

fn has_placeholder(template: &str) -> bool {
    parts(template).contains(&None)
}

fn render(template: &str, _event: &EventSpec, payload: &Payload) -> PromptRendering {
    let event = Value::Object(payload.clone()).to_string();
    let texts = parts(template).into_iter().filter(|part| *part != Some(""));
    let parts = texts.map(|part| match part {
        Some(text) => PromptPart {
            written: text.to_owned(),
            kind: PromptPartKind::Text,
        },
        None => PromptPart {
            written: ARGUMENTS.to_owned(),
            kind: PromptPartKind::Variable {
                name: "ARGUMENTS",
                value: event.clone(),
            },
        },
    });
    PromptRendering {
        parts: parts.collect(),
        instructions: if has_placeholder(template) {
            String::new()
        } else {
            format!("\n\n{event}")
        },
        system: SYSTEM.to_owned(),
    }
}

/// What `ok: false` becomes at an event: the verdicts, and with `continueOnBlock`. An event that is not listed does not
/// heed it.
const VERDICTS: &[(&str, &[VerdictKind], &[VerdictKind])] = {
    use VerdictKind::{Deny, EndTurn, Retry};
    &[
        ("Stop", &[Retry], &[Retry]),
        ("SubagentStop", &[Retry], &[Retry]),
        ("PreToolUse", &[EndTurn, Deny], &[Deny]),
        ("PostToolUse", &[EndTurn], &[Deny]),
        ("TeammateIdle", &[Retry], &[Retry]),
        ("PostToolBatch", &[EndTurn], &[EndTurn]),
        ("UserPromptSubmit", &[EndTurn], &[EndTurn]),
        ("UserPromptExpansion", &[EndTurn], &[EndTurn]),
        ("PostToolUseFailure", &[Deny], &[Deny]),
        ("TaskCreated", &[Deny], &[Deny]),
        ("TaskCompleted", &[Deny], &[Deny]),
    ]
};

/// Reads the answer of the model.
#[must_use]
pub fn decode(event: &EventSpec, continues: bool, text: &str) -> Decoded {
    let failure = || Decoded::Failure(answers::PROMPT_ANSWER.render_plain());
    let Ok(Value::Object(answer)) = json::read(without_fence(text)) else {
        return failure();
    };
    let Some(ok) = answer.get("ok").and_then(Value::as_bool) else {
        return failure();
    };
    if ok {
        return Decoded::Nothing;
    }
    let can_stop = ["Stop", "SubagentStop"].contains(&event.name);
    if can_stop && answer.get("impossible") == Some(&Value::Bool(true)) {
        return Decoded::Nothing;
    }
    let reason = answer.get("reason").and_then(Value::as_str).map(str::to_owned);
    let Some((_, ends, stays)) = VERDICTS.iter().find(|(name, ..)| *name == event.name) else {
        let why = render!(answers::PROMPT_IDLE, "event" => event.name);
        return Decoded::Answer(HookOutput {
            ignored: vec![Ignored::new("ok", why)],
            ..HookOutput::default()
        });
    };
    let kinds = if continues { stays } else { ends };
    let mut decisions = kinds.iter().map(|kind| Decision {
        what: "ok",
        kind: *kind,
        reason: reason.clone(),
        feedback: reason.clone().filter(|_| *kind == VerdictKind::Retry),
        default_message: None,
    });
    Decoded::Answer(HookOutput {
        decision: decisions.next(),
        other_decisions: decisions.collect(),
        ..HookOutput::default()
    })
}

/// The text inside a code fence, if the whole is one.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.and_then(|inner| inner.split_once('\n'));
    inner.map_or(text, |(_, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::events::CARD;
    use serde_json::json;

    fn payload() -> Payload {
        Payload::from_iter([("a".to_owned(), json!(1))])
    }

    #[test]
    fn the_placeholder_is_the_event_and_without_one_it_follows() {
        assert_eq!(fill("x $ARGUMENTS y \\$A", &payload()), "x {\"a\":1} y $A");
        assert_eq!(fill("x ${ARGUMENTS}", &payload()), "x ${ARGUMENTS}\n\n{\"a\":1}");
        assert_eq!(fill("\\$ARGUMENTS", &payload()), "$ARGUMENTS\n\n{\"a\":1}");
    }

    #[test]
    fn only_a_code_fence_around_the_answer_is_taken_off() {
        let stop = CARD.event("Stop").unwrap();
        let is_retry = |text: &str| matches!(decode(stop, false, text), Decoded::Answer(answer) if answer.decision.as_ref().is_some_and(|decision| decision.kind == VerdictKind::Retry));
        assert!(is_retry("```json\n{\"ok\": false, \"reason\": \"tests\"}\n```"));
        assert!(is_retry("{\"ok\": false}"));
        for text in ["Sure: {\"ok\": false}", "{\"ok\": 1}", ""] {
            assert!(matches!(decode(stop, false, text), Decoded::Failure(_)), "{text}");
        }
        assert_eq!(
            decode(stop, false, "{\"ok\": false, \"impossible\": true}"),
            Decoded::Nothing
        );
        assert_eq!(decode(stop, false, "{\"ok\": true}"), Decoded::Nothing);
    }

    #[test]
    fn before_a_tool_a_refusal_denies_and_ends_the_turn() {
        let event = CARD.event("PreToolUse").unwrap();
        let kinds = |continues| match decode(event, continues, "{\"ok\": false}") {
            Decoded::Answer(answer) => answer
                .decision
                .iter()
                .chain(&answer.other_decisions)
                .map(|decision| decision.kind)
                .collect(),
            _ => Vec::new(),
        };
        assert_eq!(kinds(false), [VerdictKind::EndTurn, VerdictKind::Deny]);
        assert_eq!(kinds(true), [VerdictKind::Deny]);
    }
}
