//! The template of an llm hook, and the instructions that follow it in the request (`jcli.md` §5).

use hookwright_model::event::{EventSpec, FieldKind, Payload};
use hookwright_model::{PromptPart, PromptPartKind, PromptRendering, PromptSupport, PromptVariable, VerdictKind};
use serde_json::Value;

use super::events::CARD;
use crate::suggest::nearest;

/// The known placeholders.
pub const PLACEHOLDERS: [&str; 8] = [
    "event",
    "user_input",
    "assistant_output",
    "tool_name",
    "tool_arguments",
    "tool_result",
    "model",
    "cwd",
];

/// The templates, for the window.
pub static PROMPTS: PromptSupport = PromptSupport {
    field: "prompt",
    variables,
    render,
};

/// The shorter name of two that begin alike may be an abbreviation (`tool_args`), if this many of its characters are
/// equal, of three.
const ALIKE_OF_3: usize = 2;

/// One part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplatePart<'a> {
    /// Text that stays as it is.
    Text(&'a str),
    /// A known placeholder, by name.
    Known(&'static str),
    /// A text that looks like a placeholder and stays as it is: the text as written, and the name inside.
    Unknown(&'a str, &'a str),
}

/// Splits a template into its parts.
#[must_use]
pub fn split_template(template: &str) -> Vec<TemplatePart<'_>> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(ahead) = template[at..].find("{{") {
        let open = at + ahead;
        let rest = &template[open + 2..];
        let piece = known_placeholder(rest)
            .map(|name| (TemplatePart::Known(name), name.len() + 4))
            .or_else(|| {
                let (inside, name) = near_placeholder(rest)?;
                let width = inside.len() + 4;
                Some((TemplatePart::Unknown(&template[open..open + width], name), width))
            });
        let Some((piece, width)) = piece else {
            // The placeholder in `{{{name}}}` begins one character later.
            at = open + 1;
            continue;
        };
        if open > from {
            out.push(TemplatePart::Text(&template[from..open]));
        }
        out.push(piece);
        at = open + width;
        from = at;
    }
    if from < template.len() {
        out.push(TemplatePart::Text(&template[from..]));
    }
    out
}

/// The placeholders, and whether the event can have a value for each.
fn variables(event: &EventSpec) -> Vec<PromptVariable> {
    let fields = || CARD.common.iter().chain(event.fields);
    let variable = |name| PromptVariable {
        name,
        is_set: fields().any(|field| field.name == name),
    };
    PLACEHOLDERS.into_iter().map(variable).collect()
}

/// The template as [`user_message`] fills it, part by part.
fn render(template: &str, event: &EventSpec, payload: &Payload) -> PromptRendering {
    let part = |part: TemplatePart<'_>| match part {
        TemplatePart::Text(text) => PromptPart {
            written: text.to_owned(),
            kind: PromptPartKind::Text,
        },
        TemplatePart::Known(name) => PromptPart {
            written: format!("{{{{{name}}}}}"),
            kind: PromptPartKind::Variable {
                name,
                value: value_text(payload.get(name)),
            },
        },
        TemplatePart::Unknown(written, name) => PromptPart {
            written: written.to_owned(),
            kind: PromptPartKind::Unknown {
                name: name.to_owned(),
                nearest: nearest_placeholder(name),
            },
        },
    };
    PromptRendering {
        parts: split_template(template).into_iter().map(part).collect(),
        instructions: instructions(event),
        system: system_message().to_owned(),
    }
}

fn nearest_placeholder(name: &str) -> Option<&'static str> {
    let alike = |known: &&'static str| {
        let equal = known
            .bytes()
            .zip(name.bytes())
            .take_while(|(one, other)| one == other)
            .count();
        (3 * equal > ALIKE_OF_3 * name.len()).then_some((equal, *known))
    };
    let begins = || PLACEHOLDERS.iter().filter_map(alike).max_by_key(|(equal, _)| *equal);
    nearest(name, PLACEHOLDERS.into_iter()).or_else(|| Some(begins()?.1))
}

fn known_placeholder(rest: &str) -> Option<&'static str> {
    PLACEHOLDERS
        .into_iter()
        .find(|name| rest.strip_prefix(name).is_some_and(|tail| tail.starts_with("}}")))
}

/// The text up to `}}` and the name in it, if it is probably a placeholder: a name, with or without spaces around it.
pub(crate) fn near_placeholder(rest: &str) -> Option<(&str, &str)> {
    let inside = &rest[..rest.find("}}")?];
    let name = inside.trim();
    let is_name = name.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character));
    (is_name && !inside.contains('\n')).then_some((inside, name))
}

/// Fills a template in one pass, so a placeholder inside a value is never expanded.
#[must_use]
pub fn expand(template: &str, payload: &Payload) -> String {
    let mut out = String::with_capacity(template.len());
    for piece in split_template(template) {
        match piece {
            TemplatePart::Text(text) | TemplatePart::Unknown(text, _) => out.push_str(text),
            TemplatePart::Known(name) => out.push_str(&value_text(payload.get(name))),
        }
    }
    out
}

/// A value as the text of a message.
fn value_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => other.to_string(),
    }
}

/// The whole user message: the filled template, and after it the instructions for this event.
#[must_use]
pub fn user_message(template: &str, event: &EventSpec, payload: &Payload) -> String {
    format!(
        "{}\n\n{}",
        expand(template, payload).trim_end_matches('\n'),
        instructions(event)
    )
}

/// The system message, the same for every llm hook.
#[must_use]
pub fn system_message() -> &'static str {
    "You are a hook in an agent's pipeline. Answer with one JSON object and nothing else: no explanation, no Markdown, no code fence."
}

/// The instructions: what the model may return at this event, one line per field.
fn instructions(event: &EventSpec) -> String {
    let mut out = String::from("---\nAnswer with exactly one JSON object and nothing else.\n");
    if event.notify_only {
        out.push_str("Nothing that you answer has an effect at this event: answer {}.\n");
        return out;
    }
    out.push_str(&format!("Fields that {} accepts, each of them optional:\n", event.name));
    for output in event.outputs {
        let kind = match output.kind {
            FieldKind::Messages => "array of messages",
            FieldKind::Flag => "boolean",
            FieldKind::Number => "number",
            FieldKind::List => "array",
            FieldKind::Object => "object",
            FieldKind::Text | FieldKind::Any => "string",
        };
        out.push_str(&format!("- \"{}\" ({kind}): {}\n", output.name, output.about.en));
    }
    let stops = event.verdicts.contains(&VerdictKind::Stop);
    let skips = event.verdicts.contains(&VerdictKind::Skip);
    if stops || skips {
        let stop = stops.then_some("\"stop\" ends the current step and all that belongs to it");
        let skip = skips.then_some("\"skip\" leaves this call out, its siblings go on");
        let both: Vec<&str> = [stop, skip].into_iter().flatten().collect();
        out.push_str(&format!("- \"action\" (string): {}\n", both.join("; ")));
    }
    out.push_str("{} means that nothing is to be changed.\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn payload(pairs: &[(&str, Value)]) -> Payload {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    #[test]
    fn known_placeholders_are_filled_in_one_pass() {
        let seen = payload(&[
            ("tool_name", json!("Bash {{cwd}}")),
            ("cwd", json!("/w")),
            ("model", Value::Null),
            ("event", json!("stop")),
        ]);
        let table = [
            ("{{tool_name}} in {{cwd}}", "Bash {{cwd}} in /w"),
            ("[{{model}}|{{user_input}}]", "[|]"),
            (
                "{{ cwd }} {{CWD}} {{tool-name}} {{}} {{x",
                "{{ cwd }} {{CWD}} {{tool-name}} {{}} {{x",
            ),
            ("{{{cwd}}}", "{/w}"),
            ("{\"action\":\"skip\"}{}", "{\"action\":\"skip\"}{}"),
            ("{{event}}{{event}}", "stopstop"),
            ("{{messages}}{{session_id}}", "{{messages}}{{session_id}}"),
            ("工具={{tool_name}}", "工具=Bash {{cwd}}"),
        ];
        for (template, want) in table {
            assert_eq!(expand(template, &seen), want, "{template}");
        }
    }

    #[test]
    fn a_near_placeholder_is_recognized_by_its_spelling() {
        let found = split_template("a {{ user_input }} {{toolname}} {{\"a\": 1}} {{.ID}}");
        let unknown: Vec<(&str, &str)> = found
            .iter()
            .filter_map(|piece| match piece {
                TemplatePart::Unknown(written, name) => Some((*written, *name)),
                TemplatePart::Text(_) | TemplatePart::Known(_) => None,
            })
            .collect();
        assert_eq!(
            unknown,
            [("{{ user_input }}", "user_input"), ("{{toolname}}", "toolname")]
        );
    }

    #[test]
    fn a_rendering_has_the_template_and_the_message_in_its_parts() {
        let event = CARD.event("pre_tool_execution").unwrap();
        let seen = payload(&[("tool_name", json!("Bash")), ("cwd", json!(""))]);
        let template = "{{tool_name}} in {{cwd}}: {{tool_args}} {{ user_input }} {{\"a\": 1}}";
        let rendering = render(template, event, &seen);
        let written: String = rendering.parts.iter().map(|part| part.written.as_str()).collect();
        assert_eq!(written, template);
        let read: String = rendering
            .parts
            .iter()
            .map(|part| match &part.kind {
                PromptPartKind::Variable { value, .. } => value.as_str(),
                PromptPartKind::Text | PromptPartKind::Unknown { .. } => part.written.as_str(),
            })
            .collect();
        assert_eq!(read, expand(template, &seen));
        let unknown: Vec<(&str, Option<&str>)> = rendering
            .parts
            .iter()
            .filter_map(|part| match &part.kind {
                PromptPartKind::Unknown { name, nearest } => Some((name.as_str(), *nearest)),
                PromptPartKind::Text | PromptPartKind::Variable { .. } => None,
            })
            .collect();
        assert_eq!(
            unknown,
            [
                ("tool_args", Some("tool_arguments")),
                ("user_input", Some("user_input"))
            ]
        );
        let set: Vec<&str> = variables(event)
            .into_iter()
            .filter(|variable| variable.is_set)
            .map(|variable| variable.name)
            .collect();
        assert_eq!(set, ["event", "tool_name", "tool_arguments", "cwd"]);
    }

    #[test]
    fn the_instructions_name_exactly_what_the_event_accepts() {
        for event in CARD.events {
            let message = user_message("judge\n", event, &Payload::new());
            assert!(message.starts_with("judge\n\n---\n"), "{}", event.name);
            for name in crate::jcli::events::REPLY_ORDER {
                let accepted = event.output(name).is_some() || (name == "action" && !event.verdicts.is_empty());
                assert_eq!(
                    message.contains(&format!("- \"{name}\"")),
                    accepted,
                    "{} {name}",
                    event.name
                );
            }
            assert_eq!(
                message.contains("\"skip\""),
                event.name == "pre_tool_execution",
                "{}",
                event.name
            );
            assert!(message.contains("{}"), "{}", event.name);
        }
    }
}
