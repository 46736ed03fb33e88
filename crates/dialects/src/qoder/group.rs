//! Reads a group of an event's list: a matcher and its entries (`qoder.md` §2).

use std::sync::Arc;

use hookwright_model::definition::field_names;
use hookwright_model::matcher::{Anchor, Clause, Predicate};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Condition, MAX_FILE_HOOKS, Message, Parsed, PathStep, Problem, Root, RunMode, args, term};
use serde_json::{Value, json};

use super::events::CARD;
use super::settings::is_label;
use super::{entry, messages, schema};
use crate::node::{Entry, Node, ValueKind};
use crate::pattern;
use crate::suggest::nearest;

/// The fields of a group.
const FIELDS: [&str; 3] = field_names(&schema::GROUP);
/// Fields with notes for the user, in groups and entries. They have no effect.
pub const LABEL_FIELDS: [&str; 3] = field_names(&schema::LABELS);
/// Fields that change the meaning of a hook. Hookwright does not support them.
pub const UNSUPPORTED_FIELDS: [&str; 3] = ["if", "once", "asyncRewake"];

/// Where a group is.
#[derive(Debug, Clone)]
pub struct GroupSite<'a> {
    /// The root whose file contains it.
    pub root: &'a Root,
    /// The group's part of the ids, such as `PreToolUse:settings.0`.
    pub key: String,
    /// The path to the group in its file.
    pub at: Vec<PathStep>,
    pub event: &'a str,
}

/// What a group's entries share.
#[derive(Debug, Clone, Default)]
pub struct GroupFields {
    /// The condition under which they run.
    pub when: Condition,
    /// The matcher as JSON, to be shown.
    pub filter: Option<Value>,
    /// The position of the matcher.
    pub matcher_position: Option<TextPosition>,
    /// Whether they are detached: the chain does not wait for them.
    pub detached: bool,
    /// The error that makes all of them invalid.
    pub invalid: Option<Message>,
}

/// Reads a group and its entries.
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

/// The entries. Returns `None` if there is no list of them, after this is reported.
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

/// Turns the matcher into the condition (`qoder.md` §4).
pub fn read_matcher(reader: &mut EntryReader<'_>, event: &str, node: &Node, shared: &mut GroupFields) {
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
    let ignores_matcher = CARD.event(event).is_some_and(|spec| spec.subject.is_none());
    if ignores_matcher && !["", "*", ".*"].contains(&source) {
        reader.report(idle_matcher_message(event), value.position);
    }
}

/// The message about a matcher that the event ignores.
pub(super) fn idle_matcher_message(event: &str) -> Message {
    let template = if event == "FileChanged" {
        messages::MATCHER_IDLE_FILE
    } else {
        messages::MATCHER_IDLE
    };
    template.render(args! { "event" => event })
}

/// The condition for a matcher.
///
/// # Errors
/// The matcher is not a valid pattern, or two regular expression engines would read it differently.
pub fn condition(event: &str, source: &str) -> Result<Condition, Message> {
    let Some(field) = CARD
        .event(event)
        .and_then(|spec| spec.subject)
        .filter(|_| !["", "*"].contains(&source))
    else {
        return Ok(Condition::default());
    };
    let pattern = pattern::from_python(source, Anchor::Whole)?;
    Ok(Condition {
        clauses: vec![Clause {
            key: "matcher",
            field,
            predicate: Predicate::Pattern(pattern),
        }],
    })
}

impl GroupFields {
    /// The fields of the group that apply to an entry, as JSON: `async`, and a matcher that excludes something.
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

    /// The run mode of the entries.
    #[must_use]
    pub fn mode(&self) -> RunMode {
        if self.detached { RunMode::Detach } else { RunMode::Await }
    }
}

/// Reads a group or an entry and collects its problems.
pub struct EntryReader<'a> {
    root: &'a Root,
    id: Option<&'a str>,
    /// The errors and warnings so far.
    pub problems: Vec<Problem>,
    /// Why the definition is invalid: the first error, or the first part that Hookwright does not run.
    pub invalid: Option<Message>,
}

impl<'a> EntryReader<'a> {
    /// Starts with the hook of this id, or with a group; nothing is read yet.
    #[must_use]
    pub fn new(root: &'a Root, id: Option<&'a str>) -> Self {
        Self {
            root,
            id,
            problems: Vec::new(),
            invalid: None,
        }
    }

    /// Reports a problem with the severity of its code. An error or an unsupported part makes the definition invalid.
    pub fn report(&mut self, message: Message, spot: TextPosition) {
        let problem = self.problem(message.clone(), spot);
        let invalidates = problem.severity == hookwright_model::Severity::Error
            || problem.code == hookwright_model::Code::Unsupported;
        if invalidates && self.invalid.is_none() {
            self.invalid = Some(message);
        }
        self.problems.push(problem);
    }

    /// Reports a warning. The definition stays valid.
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

    /// Reports a field of the wrong type.
    pub fn report_wrong_type(&mut self, field: &str, wanted: &str, node: &Node) {
        let message =
            messages::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted, "found" => node.json_type() });
        self.report(message, node.position);
    }

    /// Returns a string value; any other value is reported.
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

    /// Whether a flag is on. Any value but a boolean is reported.
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

    /// Reports fields that are unknown, have no effect, or change the meaning of the hook.
    ///
    /// A field of the last kind is reported alone, because the hook is not run.
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

/// Whether a value is `false`, `""`, `[]`, `{}` or `null`. Such a value changes nothing.
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
