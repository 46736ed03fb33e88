//! A group of an event's list: a matcher and its entries (`qoder.md` §2).

use std::sync::Arc;

use hookwright_model::matcher::{Anchor, Clause, Predicate};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Condition, MAX_FILE_HOOKS, Message, Parsed, Problem, Root, RunMode, args, term};
use serde_json::{Value, json};

use super::entry;
use super::settings::is_label;
use super::{events, messages};
use crate::node::{Entry, Node, ValueKind};
use crate::pattern;
use crate::suggest::nearest;

/// The fields of a group.
const FIELDS: [&str; 3] = ["matcher", "hooks", "async"];
/// Fields that are words for people, in groups and entries.
pub const LABEL_FIELDS: [&str; 3] = ["statusMessage", "description", "id"];
/// Fields that change what a hook means.
pub const UNSUPPORTED_FIELDS: [&str; 3] = ["if", "once", "asyncRewake"];

/// Where a group stands.
#[derive(Debug, Clone)]
pub struct GroupSite<'a> {
    /// Its file.
    pub root: &'a Root,
    /// Its part of the ids: `PreToolUse:settings.0`.
    pub key: String,
    /// Its event.
    pub event: &'a str,
}

/// What a group's entries share.
#[derive(Debug, Clone, Default)]
pub struct GroupFields {
    /// When they run.
    pub when: Condition,
    /// The matcher, for people.
    pub filter: Option<Value>,
    /// Where the matcher stands.
    pub matcher_position: Option<TextPosition>,
    /// Whether the chain waits for them.
    pub detached: bool,
    /// Why none of them holds.
    pub invalid: Option<Message>,
}

/// Reads a group.
#[must_use]
pub fn read(site: &GroupSite<'_>, node: &Node) -> Parsed {
    let mut reader = EntryReader::new(site.root, None);
    let Some(fields) = node.entries() else {
        reader.report(
            messages::GROUP_TYPE.render(args! { "found" => node.json_type() }),
            node.position,
        );
        return Parsed {
            problems: reader.problems,
            ..Parsed::default()
        };
    };
    for duplicate in node.duplicate_keys() {
        reader.report(
            messages::DUPLICATE_KEY.render(args! { "key" => duplicate.key }),
            duplicate.key_position,
        );
    }
    let entries = read_entries(&mut reader, node);
    if entries.is_some() {
        reader.report_unknown_fields(fields, &FIELDS);
    }
    let mut shared = GroupFields {
        detached: reader.read_flag(node, "async"),
        ..GroupFields::default()
    };
    read_matcher(&mut reader, site.event, node, &mut shared);
    shared.invalid = reader.invalid.take();
    let mut parsed = Parsed {
        problems: reader.problems,
        ..Parsed::default()
    };
    for (index, node) in entries.unwrap_or_default().iter().enumerate().take(MAX_FILE_HOOKS + 1) {
        let (hook, mut problems) = entry::read(site, index, node, &shared);
        parsed.hooks.push(hook);
        parsed.problems.append(&mut problems);
    }
    parsed
}

/// The entries; `None` where there is no list of them, and then it has been said.
fn read_entries<'n>(reader: &mut EntryReader<'_>, node: &'n Node) -> Option<&'n [Arc<Node>]> {
    let Some(list) = node.get("hooks").filter(|list| !list.is_null()) else {
        let looks_like_entry = node.get("command").is_some() || node.get("type").is_some();
        let template = if looks_like_entry {
            messages::MISSING_GROUP
        } else {
            messages::MISSING_HOOKS
        };
        reader.report(template.render_plain(), node.position);
        return None;
    };
    match &list.kind {
        ValueKind::List(entries) => Some(entries),
        ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => {
            reader.report_wrong_type("hooks", term!("an array"), list);
            None
        }
    }
}

/// The matcher becomes the condition (`qoder.md` §4).
fn read_matcher(reader: &mut EntryReader<'_>, event: &str, node: &Node, shared: &mut GroupFields) {
    let Some(value) = node.get("matcher").filter(|value| !value.is_null()) else {
        return;
    };
    shared.filter = Some(json!({ "matcher": value.to_value() }));
    shared.matcher_position = Some(value.position);
    let Some(source) = reader.read_text("matcher", value) else {
        return;
    };
    match condition(event, source) {
        Ok(when) => shared.when = when,
        Err(message) => reader.report(message, value.position),
    }
    let known = events::CARD.event(event).is_some();
    if known && events::subject(event).is_none() && !["", "*", ".*"].contains(&source) {
        reader.report(idle_matcher_message(event), value.position);
    }
}

/// What is said of a matcher that this event does not use.
pub(super) fn idle_matcher_message(event: &str) -> Message {
    let template = if event == "FileChanged" {
        messages::MATCHER_IDLE_FILE
    } else {
        messages::MATCHER_IDLE
    };
    template.render(args! { "event" => event })
}

/// The condition that a matcher stands for.
///
/// # Errors
/// It is no pattern, or one that two engines would read differently.
pub fn condition(event: &str, source: &str) -> Result<Condition, Message> {
    let Some(field) = events::subject(event).filter(|_| !["", "*"].contains(&source)) else {
        return Ok(Condition::default());
    };
    let pattern = pattern::from_python(source, Anchor::Whole)?;
    Ok(Condition {
        clauses: vec![Clause {
            key: "matcher",
            field,
            test: Predicate::Pattern(pattern),
        }],
    })
}

impl GroupFields {
    /// What of the group holds for an entry, as JSON: a matcher that leaves something out, and `async`.
    #[must_use]
    pub fn inherited_text(&self) -> String {
        let matcher = self.filter.as_ref().and_then(|filter| filter.get("matcher"));
        let narrow = |matcher: &&Value| !matches!(matcher.as_str(), Some("" | "*"));
        let mut fields = serde_json::Map::new();
        fields.extend(
            matcher
                .filter(narrow)
                .map(|matcher| ("matcher".to_owned(), matcher.clone())),
        );
        fields.extend(self.detached.then(|| ("async".to_owned(), Value::Bool(true))));
        if fields.is_empty() {
            String::new()
        } else {
            Value::Object(fields).to_string()
        }
    }

    /// Whether the chain waits.
    #[must_use]
    pub fn mode(&self) -> RunMode {
        if self.detached { RunMode::Detach } else { RunMode::Await }
    }
}

/// A group or entry being read.
pub struct EntryReader<'a> {
    root: &'a Root,
    id: Option<&'a str>,
    /// What is wrong or noteworthy.
    pub problems: Vec<Problem>,
    /// Why it does not hold: its first error, or what Hookwright does not run.
    pub invalid: Option<Message>,
}

impl<'a> EntryReader<'a> {
    /// An empty desk for the hook of that id, or for a group.
    #[must_use]
    pub fn new(root: &'a Root, id: Option<&'a str>) -> Self {
        Self {
            root,
            id,
            problems: Vec::new(),
            invalid: None,
        }
    }

    /// Says it with the table's severity; an error, or what is unsupported, costs the definition.
    pub fn report(&mut self, message: Message, spot: TextPosition) {
        let problem = self.problem(message.clone(), spot);
        let invalidates = problem.severity == hookwright_model::Severity::Error
            || problem.code == hookwright_model::Code::Unsupported;
        if invalidates && self.invalid.is_none() {
            self.invalid = Some(message);
        }
        self.problems.push(problem);
    }

    /// Says it as a warning: it costs nothing.
    pub fn warn(&mut self, message: Message, spot: TextPosition) {
        let problem = self.problem(message, spot);
        self.problems
            .push(problem.with_severity(hookwright_model::Severity::Warning));
    }

    fn problem(&self, message: Message, spot: TextPosition) -> Problem {
        let problem = Problem::new(message, &self.root.path, Some(spot));
        match self.id {
            Some(id) => problem.for_hook(id),
            None => problem,
        }
    }

    /// A field of another type.
    pub fn report_wrong_type(&mut self, field: &str, wanted: &str, node: &Node) {
        let message =
            messages::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted, "found" => node.json_type() });
        self.report(message, node.position);
    }

    /// A string; anything else has been said.
    pub fn read_text<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n str> {
        if let ValueKind::Scalar {
            value: Value::String(text),
            ..
        } = &node.kind
        {
            return Some(text);
        }
        self.report_wrong_type(field, term!("a string"), node);
        None
    }

    /// Whether a switch is on; anything but a boolean has been said.
    pub fn read_flag(&mut self, node: &Node, field: &str) -> bool {
        let Some(value) = node.get(field).filter(|value| !value.is_null()) else {
            return false;
        };
        if let ValueKind::Scalar {
            value: Value::Bool(on), ..
        } = value.kind
        {
            return on;
        }
        self.report_wrong_type(field, term!("true or false"), value);
        false
    }

    /// Fields that nobody reads, that do nothing, or that change what the hook means. Of a hook that is not run for one of
    /// the last kind nothing else is said.
    pub fn report_unknown_fields(&mut self, fields: &[Entry], known: &[&'static str]) {
        let changes = |entry: &&Entry| UNSUPPORTED_FIELDS.contains(&entry.key.as_str()) && !is_empty(&entry.value);
        if let Some(entry) = fields.iter().find(changes) {
            return self.report(
                messages::UNSUPPORTED_FIELD.render(args! { "field" => entry.key }),
                entry.key_position,
            );
        }
        for entry in fields {
            let field = entry.key.as_str();
            let is_known =
                known.contains(&field) || LABEL_FIELDS.contains(&field) || UNSUPPORTED_FIELDS.contains(&field);
            if is_known || is_label(field) {
                continue;
            }
            let message = if field == "sequential" {
                messages::SEQUENTIAL.render_plain()
            } else if let Some(nearest) = nearest(field, known.iter().copied()) {
                messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
            } else {
                messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
            };
            self.report(message, entry.key_position);
        }
    }
}

/// `false`, `""`, `[]`, `{}` and `null` say nothing.
fn is_empty(node: &Node) -> bool {
    match &node.kind {
        ValueKind::List(items) => items.is_empty(),
        ValueKind::Mapping { entries, .. } => entries.is_empty(),
        ValueKind::Scalar { value, .. } => match value {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty(),
            Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        },
    }
}
