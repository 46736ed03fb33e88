//! Makes a guard from a recorded event: a hook that blocks this event when it comes again, and its script.
//!
//! What it deliberately does not do: it reads and writes no file and runs nothing. It makes no guess what else is as bad
//! as the recorded value; the user edits the script for that.
//!
//! How it works: [`subject`] chooses the field that identifies the event, such as the command of a tool call. The script
//! contains the field's value as a constant, compares, and blocks with the dialect's own output. The definition gets the
//! dialect's condition for the tool, from [`Card::filters`]. What differs between dialects is in their
//! [`GuardForm`].

mod python_text;
mod subject;

use std::path::PathBuf;

use hookwright_model::filter_key::FilterTest;
use hookwright_model::{Card, EventSpec, Payload, VerdictKind};
use serde_json::{Map, Value, json};

use crate::convert::NewFile;
use crate::definition::{NAME_SIGNS, REGEX_NAME_SIGNS, names_of};
use subject::Subject;

const COMMAND: &str = include_str!("command.py");
const PROCESS: &str = include_str!("process.py");
/// A function of both, copied into each script so that it needs no other file.
const VALUE_AT: &str = include_str!("value_at.py");
const SCRIPT_MODE: u32 = 0o700;

/// A guard that is not written yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// The fields of the hook's definition, for the project's files.
    pub definition: Map<String, Value>,
    /// The script, with its path in the project.
    pub script: NewFile,
    /// The payload field whose value is compared, with dots between its names (`tool_input.command`).
    pub field: String,
    /// The value that is blocked.
    pub value: Value,
}

/// What a guard looks like in one dialect.
#[derive(Debug)]
pub(crate) struct GuardForm {
    pub card: &'static Card,
    /// The payload field with the input of a tool, an object or its JSON text.
    pub input: &'static str,
    /// The path of the script in the project.
    pub script: fn(&GuardName) -> String,
    /// The definition, without its condition.
    pub definition: fn(&GuardName, &EventSpec, &str) -> Value,
    /// How the script blocks; `None` if the event would be blocked too when the script says nothing.
    pub answer: fn(&EventSpec) -> Option<Answer>,
}

/// How a script blocks an event.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Exit code 2, with the reason on stderr.
    ExitCode,
    /// JSON on stdout: a Python expression.
    Output(String),
    /// The replies of a process: Python expressions that block and allow.
    Replies(String, &'static str),
}

/// The name of a guard: of the tool or the event, and of the value.
#[derive(Debug)]
pub(crate) struct GuardName {
    words: String,
    digest: String,
}

impl GuardName {
    pub fn joined(&self, separator: &str) -> String {
        ["guard", &self.words.replace('-', separator), &self.digest].join(separator)
    }
}

/// Whether hooks of this event can block it, and let it pass, so that it can be guarded.
#[must_use]
pub fn can_guard(card: &Card, event: &EventSpec) -> bool {
    let is_blocked = !event.notify_only && event.verdicts.iter().any(|kind| *kind >= VerdictKind::Ask);
    is_blocked && form_of(card).is_some_and(|form| (form.answer)(event).is_some())
}

/// The guard against this event; `None` if hooks cannot block it, or if its payload has no value to compare.
#[must_use]
pub fn guard(card: &Card, event: &EventSpec, payload: &Payload) -> Option<Guard> {
    if !can_guard(card, event) {
        return None;
    }
    let form = form_of(card)?;
    let answer = (form.answer)(event)?;
    let subject = Subject::find(form.card, form.input, event, payload)?;
    let tool = payload.get(card.tool_field).and_then(Value::as_str);
    let name = GuardName {
        words: words_of(tool.filter(|_| has_tool(card, event)).unwrap_or(event.name)),
        digest: digest(&format!("{} {:?} {}", event.name, subject.path, subject.value)),
    };
    let path = (form.script)(&name);
    let mut definition = match (form.definition)(&name, event, &path) {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    if let Some((field, condition)) = tool.and_then(|tool| condition(card, event, tool)) {
        set(&mut definition, &field, condition);
    }
    let text = script_text(&answer, event, &subject, &name);
    Some(Guard {
        definition,
        script: NewFile {
            path: PathBuf::from(path),
            bytes: text.into_bytes(),
            mode: SCRIPT_MODE,
        },
        field: subject.path.join("."),
        value: subject.value,
    })
}

/// What a guard looks like in this dialect; `None` if its hooks block nothing.
fn form_of(card: &Card) -> Option<&'static GuardForm> {
    crate::guard_forms().find(|form| form.card.id == card.id)
}

fn has_tool(card: &Card, event: &EventSpec) -> bool {
    event.fields.iter().any(|field| field.name == card.tool_field)
}

/// The dialect's condition that exactly this tool fulfils, and the field of the definition that contains it.
fn condition(card: &Card, event: &EventSpec, tool: &str) -> Option<(String, String)> {
    card.definition.filters().into_iter().find_map(|filter| {
        if filter.spec.field_at(event) != Some(card.tool_field) {
            return None;
        }
        let condition = match filter.spec.test {
            FilterTest::Equals => tool.to_owned(),
            FilterTest::NamesOrSearch if names_of(tool, NAME_SIGNS).is_some() => tool.to_owned(),
            FilterTest::NamesOrRegex if names_of(tool, REGEX_NAME_SIGNS).is_some() => tool.to_owned(),
            FilterTest::NamesOrSearch | FilterTest::NamesOrRegex => format!("^{}$", escaped(tool)),
            FilterTest::Whole => escaped(tool),
            FilterTest::Search => format!("^{}$", escaped(tool)),
            FilterTest::Names | FilterTest::List | FilterTest::Prefix | FilterTest::Within => return None,
        };
        Some((filter.field, condition))
    })
}

/// A regular expression that matches only this text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\^$.|?*+()[]{}".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Sets a field; dots separate the keys of nested objects.
fn set(definition: &mut Map<String, Value>, field: &str, condition: String) {
    match field.split_once('.') {
        None => {
            definition.insert(field.to_owned(), Value::String(condition));
        }
        Some((outer, inner)) => {
            definition.insert(outer.to_owned(), json!({ inner: condition }));
        }
    }
}

/// A name as lower case words with `-` between them, usable as a file name everywhere.
fn words_of(name: &str) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() {
            character
        } else {
            ' '
        }
    };
    let plain: String = name.chars().map(plain).take(40).collect();
    let words: Vec<String> = plain.split_whitespace().map(str::to_ascii_lowercase).collect();
    if words.is_empty() {
        "event".to_owned()
    } else {
        words.join("-")
    }
}

/// Eight hexadecimal digits of a text (FNV-1a), so that guards of different values get different names.
fn digest(text: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    format!("{:08x}", text.bytes().fold(0x811c_9dc5, mix))
}

fn script_text(answer: &Answer, event: &EventSpec, subject: &Subject, name: &GuardName) -> String {
    let reason = format!(
        "blocked by a guard: `{}` has a value that is blocked here",
        subject.path.join(".")
    );
    let (template, block, allow) = match answer {
        Answer::ExitCode => {
            let block = "    print(REASON, file=sys.stderr)\n    return 2";
            (COMMAND, block.to_owned(), "")
        }
        Answer::Output(output) => {
            let block = format!("    print(json.dumps({output}))\n    return 0");
            (COMMAND, block, "")
        }
        Answer::Replies(block, allow) => (PROCESS, block.clone(), *allow),
    };
    let holes = [
        ("event", event.name.to_owned()),
        ("where", format!("`{}` is the value below", subject.path.join("."))),
        ("name", python_text::string(&name.joined("_"))),
        ("value_at", VALUE_AT.trim_end().to_owned()),
        ("field", python_text::tuple(&subject.path)),
        ("value", python_text::expression(&subject.value)),
        ("reason", python_text::string(&reason)),
        ("block", block),
        ("allow", allow.to_owned()),
    ];
    fill(template, &holes)
}

/// Replaces each `@name@` of a template once. What is filled in is not searched again.
fn fill(template: &str, holes: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        let hole = after.split_once('@').and_then(|(name, behind)| {
            let (_, value) = holes.iter().find(|(known, _)| *known == name)?;
            Some((value, behind))
        });
        match hole {
            Some((value, behind)) => {
                out.push_str(value);
                rest = behind;
            }
            None => {
                out.push('@');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_either_form_is_whole_and_has_each_function_once() {
        let card = &crate::jcli::events::CARD;
        let event = card.event("pre_tool_execution").unwrap();
        let subject = Subject {
            path: vec!["tool_name".to_owned()],
            value: json!("Bash"),
        };
        let name = GuardName {
            words: "bash".to_owned(),
            digest: digest("x"),
        };
        let forms = [
            Answer::ExitCode,
            Answer::Output("{}".to_owned()),
            Answer::Replies("{}".to_owned(), "{}"),
        ];
        for answer in forms {
            let text = script_text(&answer, event, &subject, &name);
            assert_eq!(text.matches("def value_at(").count(), 1, "{text}");
            assert!(!text.contains('@'), "{text}");
            assert!(text.contains("\n\n\ndef value_at(value, path):\n    \"\"\""), "{text}");
        }
    }
}
