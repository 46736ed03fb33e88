//! One definition (`jcli.md` §2): every field, its default, its validation.

mod body;
mod rules;

use std::collections::BTreeMap;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Command, DisabledReason, Handler, Hook, Message, Problem, Root, RunMode, Severity, Source, args,
};
use serde_json::Value;

use super::{messages, nearest};
use crate::node::sorted;
use crate::yaml::{Entry, Kind, Node};
use crate::{relay, shell};

/// The fields of a definition.
pub const FIELDS: [&str; 8] = [
    "type", "command", "prompt", "model", "timeout", "retry", "on_error", "filter",
];
/// The parts of a filter.
pub const FILTER_FIELDS: [&str; 3] = ["tool_name", "tool_matcher", "model_prefix"];
/// Bytes of an llm hook's label.
pub const LABEL_BYTES: usize = 80;

/// Where a definition stands, and what is known of it before it is read.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Its file.
    pub root: &'a Root,
    /// The file's text, without byte-order mark.
    pub text: &'a str,
    /// Its id.
    pub id: &'a str,
    /// Its event.
    pub event: &'a str,
}

/// A definition being read.
pub struct Desk<'a> {
    place: Place<'a>,
    /// What is wrong or noteworthy with it.
    pub problems: Vec<Problem>,
    spots: BTreeMap<String, TextPosition>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Bash,
    Llm,
}

impl Type {
    const fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Llm => "llm",
        }
    }
}

/// Reads one item of an event's list.
#[must_use]
pub fn read(desk: &mut Desk<'_>, node: &Node) -> Hook {
    let entries = node.entries();
    if entries.is_none() {
        desk.say(
            messages::HOOK_TYPE.render(args! { "found" => node.kind_word() }),
            node.spot,
        );
    }
    let entries = entries.unwrap_or_default();
    node.each_again(&mut |entry| {
        desk.say(
            messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
            entry.key_spot,
        )
    });
    desk.unknown(entries, "", &FIELDS);
    let fields = Fields { entries };
    let known = desk.kind(fields);
    let kind = known.unwrap_or_else(|| fields.likely_kind());
    let said = desk.problems.len();
    let (handler, inner) = match kind {
        Type::Bash => desk.command(fields, node.spot),
        Type::Llm => (desk.prompt(fields, node.spot), None),
    };
    if known.is_none() || node.entries().is_none() {
        // What a hook of a type that does not exist would need is nobody's business.
        desk.problems.truncate(said);
    }
    let (timeout, attempts) = desk.limits(fields, kind);
    let on_failure = desk.on_error(fields);
    let (when, filter) = desk.filter(fields);
    let mut definition = node.to_value();
    if let (Some(inner), Value::Object(map)) = (&inner, &mut definition) {
        map.insert("command".to_owned(), Value::String(inner.clone()));
    }
    let off = relay_off(&handler);
    if let Some(words) = &off {
        let spot = desk.spots.get("command").copied().unwrap_or(node.spot);
        desk.say(words.clone(), spot);
    }
    let place = desk.place;
    Hook {
        id: place.id.to_owned(),
        dialect: "jcli",
        event: place.event.to_owned(),
        label: label(&handler, place.id),
        cover: cover(&handler),
        handler,
        when,
        filter,
        timeout,
        attempts,
        on_failure,
        mode: RunMode::Await,
        rank: None,
        source: source(place.root, node.spot),
        definition_text: sorted(&definition).to_string(),
        definition,
        field_positions: std::mem::take(&mut desk.spots),
        inherited_text: String::new(),
        invalid: desk.first_error(),
        blocks_when_invalid: None,
        off: off.map(DisabledReason::Disabled),
        wrapped: inner.is_some(),
    }
}

fn source(root: &Root, spot: TextPosition) -> Source {
    Source {
        layer: root.layer,
        path: root.path.clone(),
        line: spot.line,
        column: spot.column,
        project: root.project.clone(),
    }
}

fn cover(handler: &Handler) -> ApprovalScope {
    match handler {
        Handler::Shell { command } => ApprovalScope::Command(Command::shell(command)),
        Handler::Prompt { .. }
        | Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => ApprovalScope::Nothing,
    }
}

/// What people call a hook: the command's script or program, or the first line of the prompt.
fn label(handler: &Handler, id: &str) -> String {
    let label = match handler {
        Handler::Shell { command } => shell::label(command),
        Handler::Prompt { template, .. } => shell::first_line(template, LABEL_BYTES),
        Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => String::new(),
    };
    // A definition without a command still needs a name to be talked about.
    if label.is_empty() { id.to_owned() } else { label }
}

fn relay_off(handler: &Handler) -> Option<Message> {
    match handler {
        Handler::Shell { command } if relay::starts_relay(command) => Some(messages::RELAY.render_plain()),
        Handler::Shell { .. }
        | Handler::Prompt { .. }
        | Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => None,
    }
}

#[derive(Clone, Copy)]
struct Fields<'a> {
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The value of a field; `null` is as good as absent.
    fn get(&self, name: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        (!entry.value.is_null()).then_some(&*entry.value)
    }

    /// What a definition with an unknown `type` was probably meant to be.
    fn likely_kind(&self) -> Type {
        if self.get("command").is_none() && self.get("prompt").is_some() {
            Type::Llm
        } else {
            Type::Bash
        }
    }

    fn key_spot(&self, name: &str) -> Option<TextPosition> {
        self.entries
            .iter()
            .find(|entry| entry.key == name)
            .map(|entry| entry.key_spot)
    }
}

impl<'a> Desk<'a> {
    /// An empty desk for the definition of that place.
    #[must_use]
    pub fn new(place: Place<'a>) -> Self {
        Self {
            place,
            problems: Vec::new(),
            spots: BTreeMap::new(),
        }
    }

    fn say(&mut self, words: Message, spot: TextPosition) {
        self.problems
            .push(Problem::new(words, &self.place.root.path, Some(spot)).for_hook(self.place.id));
    }

    fn warn(&mut self, words: Message, spot: TextPosition) {
        self.problems.push(
            Problem::new(words, &self.place.root.path, Some(spot))
                .for_hook(self.place.id)
                .with_severity(Severity::Warning),
        );
    }

    /// Why the definition is invalid: its first error.
    fn first_error(&self) -> Option<Message> {
        let problem = self
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)?;
        let code = problem.code.word();
        Some(Message {
            code,
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    /// Keys that nobody reads. `within` is the mapping they stand in, with its dot.
    fn unknown(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries {
            self.spots.insert(format!("{within}{}", entry.key), entry.value.spot);
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let field = format!("{within}{}", entry.key);
            let words =
                if within.is_empty() && ["enabled", "disabled", "enable", "disable"].contains(&entry.key.as_str()) {
                    messages::UNKNOWN_FIELD_SWITCH.render(args! { "field" => field })
                } else if let Some(nearest) = nearest(&entry.key, known.iter().copied()) {
                    messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
                } else {
                    messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
                };
            self.say(words, entry.key_spot);
        }
    }

    /// A string, or a Problem.
    fn text<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n str> {
        match &node.kind {
            Kind::Scalar {
                value: Value::String(text),
                ..
            } => Some(text),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => {
                let words = if self.flow_template(node) {
                    messages::TEMPLATE_TYPE.render(args! { "field" => field })
                } else {
                    messages::STRING_TYPE.render(args! { "field" => field, "found" => node.kind_word() })
                };
                self.say(words, node.spot);
                None
            }
        }
    }

    fn flow_template(&self, node: &Node) -> bool {
        matches!(node.kind, Kind::Mapping { .. })
            && self
                .place
                .text
                .get(node.span.clone())
                .is_some_and(|text| text.starts_with("{{"))
    }
}
