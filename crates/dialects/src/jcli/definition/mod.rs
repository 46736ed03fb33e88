//! Reads one definition (`jcli.md` §2): every field, its default, its validation.

mod body;
mod rules;

use std::collections::BTreeMap;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Command, DisabledReason, Handler, Hook, Message, PathStep, PlacedBy, Problem, Root, RunMode,
    SessionRegistration, Severity, Source, args,
};
use serde_json::Value;

use super::events::CARD;
use super::{messages, nearest, schema};
use crate::node::{FieldReader, sort_keys};
use crate::yaml::{Entry, Node, ValueKind};
use crate::{relay, session_hooks, shell};

/// The fields of a definition.
pub const FIELDS: [&str; 8] = field_names(&schema::FIELDS);
/// The fields of `filter`.
pub const FILTER_FIELDS: [&str; 3] = field_names(&schema::FILTER_FIELDS);
/// Length limit for the label of an llm hook, in bytes.
const MAX_LABEL_BYTES: usize = 80;

/// Where a definition is, and what is known about it before it is read.
#[derive(Clone, Copy)]
pub struct DefinitionSite<'a> {
    /// The root whose file contains it.
    pub root: &'a Root,
    /// The file's text, without byte-order mark.
    pub text: &'a str,
    pub id: &'a str,
    /// The path to the definition in its file.
    pub at: &'a [PathStep],
    pub event: &'a str,
}

/// Reads one definition and collects its problems.
pub struct DefinitionReader<'a> {
    site: DefinitionSite<'a>,
    /// The errors and warnings so far.
    pub problems: Vec<Problem>,
    field_positions: BTreeMap<String, TextPosition>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HookType {
    Bash,
    Llm,
}

impl HookType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Llm => "llm",
        }
    }
}

/// Reads one item of an event's list.
#[must_use]
pub fn read(reader: &mut DefinitionReader<'_>, node: &Node) -> Hook {
    let entries = node.entries();
    if entries.is_none() {
        reader.report_rejected(
            messages::HOOK_TYPE.render(args! { "found" => node.yaml_type() }),
            node.position,
        );
    }
    let entries = entries.unwrap_or_default();
    node.for_each_duplicate_key(&mut |entry| {
        reader.report(
            messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
            entry.key_position,
        )
    });
    reader.report_unknown_keys(entries, "", &FIELDS);
    let fields = FieldReader { entries };
    let known = reader.read_type(fields);
    let kind = known.unwrap_or_else(|| guess_type(fields));
    let problem_count = reader.problems.len();
    let (handler, inner) = match kind {
        HookType::Bash => reader.read_command(fields, node.position),
        HookType::Llm => (reader.read_prompt(fields, node.position), None),
    };
    if known.is_none() || node.entries().is_none() {
        // Problems about fields that an unknown type would need are dropped: only the unknown type matters.
        reader.problems.truncate(problem_count);
    }
    let (timeout, attempts) = reader.read_limits(fields, kind);
    let on_failure = reader.read_on_error(fields);
    let (when, filter) = reader.read_filter(fields);
    let mut definition = node.to_value();
    if let (Some(inner), Value::Object(map)) = (&inner, &mut definition) {
        map.insert("command".to_owned(), Value::String(inner.clone()));
    }
    let off = relay_message(&handler);
    if let Some(message) = &off {
        let spot = reader.field_positions.get("command").copied().unwrap_or(node.position);
        reader.report(message.clone(), spot);
    }
    let site = reader.site;
    Hook {
        id: site.id.to_owned(),
        dialect: "jcli",
        event: site.event.to_owned(),
        label: label(&handler, site.id),
        approval_scope: approval_scope(&handler),
        handler,
        when,
        filter,
        timeout,
        attempts,
        on_failure,
        mode: RunMode::Await,
        rank: None,
        source: source(site.root, node.position),
        at: site.at.to_vec(),
        definition_text: sort_keys(&definition).to_string(),
        definition,
        field_positions: std::mem::take(&mut reader.field_positions),
        inherited_text: String::new(),
        invalid: reader.first_error(),
        blocks_when_invalid: None,
        placed_by: PlacedBy::Event,
        disabled_reason: off.map(DisabledReason::Relay),
        wrapped: inner.is_some(),
        registered_by: None,
    }
}

/// Reads a definition that an agent registers for its session. It is the whole form of a file's definition.
///
/// # Errors
/// The event is unknown, or the definition is invalid.
pub fn read_registration(registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let event = session_hooks::event(&CARD, registration)?;
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let (id, at) = session_hooks::next_id(&CARD, registration, event);
    let mut reader = DefinitionReader::new(DefinitionSite {
        root: &root,
        text: "",
        id: &id,
        at: &at,
        event,
    });
    session_hooks::finish(read(&mut reader, &node)).map(|hook| vec![hook])
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

fn approval_scope(handler: &Handler) -> ApprovalScope {
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

/// The label of a hook: the command's script or program, or the first line of the prompt, else the id.
fn label(handler: &Handler, id: &str) -> String {
    let label = match handler {
        Handler::Shell { command } => shell::label(command),
        Handler::Prompt { template, .. } => shell::first_line(template, MAX_LABEL_BYTES),
        Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => String::new(),
    };
    // A definition without a command still needs a label.
    if label.is_empty() { id.to_owned() } else { label }
}

fn relay_message(handler: &Handler) -> Option<Message> {
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

/// The probable type of a definition whose `type` is unknown.
fn guess_type(fields: FieldReader<'_>) -> HookType {
    if fields.get("command").is_none() && fields.get("prompt").is_some() {
        HookType::Llm
    } else {
        HookType::Bash
    }
}

impl<'a> DefinitionReader<'a> {
    /// Starts with the definition at `site`; nothing is read yet.
    #[must_use]
    pub fn new(site: DefinitionSite<'a>) -> Self {
        Self {
            site,
            problems: Vec::new(),
            field_positions: BTreeMap::new(),
        }
    }

    fn report(&mut self, message: Message, spot: TextPosition) {
        self.problems
            .push(Problem::new(message, &self.site.root.path, Some(spot)).for_hook(self.site.id));
    }

    /// Reports a value because of which j-cli rejects the whole file.
    fn report_rejected(&mut self, message: Message, spot: TextPosition) {
        self.problems.push(
            Problem::new(message, &self.site.root.path, Some(spot))
                .for_hook(self.site.id)
                .rejecting_file(),
        );
    }

    fn warn(&mut self, message: Message, spot: TextPosition) {
        self.problems.push(
            Problem::new(message, &self.site.root.path, Some(spot))
                .for_hook(self.site.id)
                .with_severity(Severity::Warning),
        );
    }

    /// Why the definition is invalid: its first error.
    fn first_error(&self) -> Option<Message> {
        let problem = self
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)?;
        let code = problem.code.as_str();
        Some(Message {
            code,
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    /// Records the position of every key and reports the unknown keys.
    ///
    /// `within` is the path of the mapping that contains the keys, with a dot at the end.
    fn report_unknown_keys(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries {
            self.field_positions
                .insert(format!("{within}{}", entry.key), entry.value.position);
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let field = format!("{within}{}", entry.key);
            let message =
                if within.is_empty() && ["enabled", "disabled", "enable", "disable"].contains(&entry.key.as_str()) {
                    messages::UNKNOWN_FIELD_SWITCH.render(args! { "field" => field })
                } else if let Some(nearest) = nearest(&entry.key, known.iter().copied()) {
                    messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
                } else {
                    messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
                };
            self.report(message, entry.key_position);
        }
    }

    /// Returns a string value; any other value is reported.
    fn read_text<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n str> {
        match &node.kind {
            ValueKind::Scalar {
                value: Value::String(text),
                ..
            } => Some(text),
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                let message = if self.is_flow_template(node) {
                    messages::TEMPLATE_TYPE.render(args! { "field" => field })
                } else {
                    messages::STRING_TYPE.render(args! { "field" => field, "found" => node.yaml_type() })
                };
                self.report_rejected(message, node.position);
                None
            }
        }
    }

    fn is_flow_template(&self, node: &Node) -> bool {
        matches!(node.kind, ValueKind::Mapping { .. })
            && self
                .site
                .text
                .get(node.span.clone())
                .is_some_and(|text| text.starts_with("{{"))
    }
}
