//! A group of an event's list: a matcher and its entries (`qoder.md` §2).

use std::sync::Arc;

use hookwright_model::matcher::{Anchor, Clause, Predicate};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Condition, MAX_FILE_HOOKS, Message, Parsed, Problem, Root, RunMode, args, term};
use serde_json::{Value, json};

use super::entry;
use super::settings::is_label;
use super::{events, messages};
use crate::near::nearest;
use crate::node::{Entry, Kind, Node};
use crate::pattern;

/// The fields of a group.
const FIELDS: [&str; 3] = ["matcher", "hooks", "async"];
/// Fields that are words for people, in groups and entries.
pub const LABELS: [&str; 3] = ["statusMessage", "description", "id"];
/// Fields that change what a hook means.
pub const CHANGE_MEANING: [&str; 3] = ["if", "once", "asyncRewake"];

/// Where a group stands.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// Its file.
    pub root: &'a Root,
    /// Its part of the ids: `PreToolUse:settings.0`.
    pub key: String,
    /// Its event.
    pub event: &'a str,
}

/// What a group's entries share.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// When they run.
    pub when: Condition,
    /// The matcher, for people.
    pub filter: Option<Value>,
    /// Where the matcher stands.
    pub matcher_spot: Option<TextPosition>,
    /// Whether the chain waits for them.
    pub detached: bool,
    /// Why none of them holds.
    pub verdict: Option<Message>,
}

/// Reads a group.
#[must_use]
pub fn read(place: &Place<'_>, node: &Node) -> Parsed {
    let mut desk = Desk::new(place.root, None);
    let Some(fields) = node.entries() else {
        desk.say(
            messages::GROUP_TYPE.render(args! { "found" => node.json_word() }),
            node.spot,
        );
        return Parsed {
            problems: desk.problems,
            ..Parsed::default()
        };
    };
    for again in node.again() {
        desk.say(
            messages::DUPLICATE_KEY.render(args! { "key" => again.key }),
            again.key_spot,
        );
    }
    let entries = entries_of(&mut desk, node);
    if entries.is_some() {
        desk.unknown(fields, &FIELDS);
    }
    let mut shared = Shared {
        detached: desk.flag(node, "async"),
        ..Shared::default()
    };
    matcher(&mut desk, place.event, node, &mut shared);
    shared.verdict = desk.invalid.take();
    let mut parsed = Parsed {
        problems: desk.problems,
        ..Parsed::default()
    };
    for (index, node) in entries.unwrap_or_default().iter().enumerate().take(MAX_FILE_HOOKS + 1) {
        let (hook, mut problems) = entry::read(place, index, node, &shared);
        parsed.hooks.push(hook);
        parsed.problems.append(&mut problems);
    }
    parsed
}

/// The entries; `None` where there is no list of them, and then it has been said.
fn entries_of<'n>(desk: &mut Desk<'_>, node: &'n Node) -> Option<&'n [Arc<Node>]> {
    let Some(list) = node.get("hooks").filter(|list| !list.is_null()) else {
        let looks_like_entry = node.get("command").is_some() || node.get("type").is_some();
        let saying = if looks_like_entry {
            messages::MISSING_GROUP
        } else {
            messages::MISSING_HOOKS
        };
        desk.say(saying.render_plain(), node.spot);
        return None;
    };
    match &list.kind {
        Kind::List(entries) => Some(entries),
        Kind::Scalar { .. } | Kind::Mapping { .. } => {
            desk.wrong_type("hooks", term!("an array"), list);
            None
        }
    }
}

/// The matcher becomes the condition (`qoder.md` §4).
fn matcher(desk: &mut Desk<'_>, event: &str, node: &Node, shared: &mut Shared) {
    let Some(value) = node.get("matcher").filter(|value| !value.is_null()) else {
        return;
    };
    shared.filter = Some(json!({ "matcher": value.to_value() }));
    shared.matcher_spot = Some(value.spot);
    let Some(source) = desk.text("matcher", value) else {
        return;
    };
    match condition(event, source) {
        Ok(when) => shared.when = when,
        Err(words) => desk.say(words, value.spot),
    }
    let known = events::CARD.event(event).is_some();
    if known && events::subject(event).is_none() && !["", "*", ".*"].contains(&source) {
        desk.say(idle(event), value.spot);
    }
}

/// What is said of a matcher that this event does not use.
pub(super) fn idle(event: &str) -> Message {
    let saying = if event == "FileChanged" {
        messages::MATCHER_IDLE_FILE
    } else {
        messages::MATCHER_IDLE
    };
    saying.render(args! { "event" => event })
}

/// The condition that a matcher stands for.
///
/// # Errors
/// It is no pattern, or one that two engines would read differently.
pub fn condition(event: &str, source: &str) -> Result<Condition, Message> {
    let Some(field) = events::subject(event).filter(|_| !["", "*"].contains(&source)) else {
        return Ok(Condition::default());
    };
    let pattern = pattern::python(source, Anchor::Whole)?;
    Ok(Condition {
        clauses: vec![Clause {
            key: "matcher",
            field,
            test: Predicate::Pattern(pattern),
        }],
    })
}

impl Shared {
    /// What of the group holds for an entry, as JSON: a matcher that leaves something out, and `async`.
    #[must_use]
    pub fn inherited(&self) -> String {
        let matcher = self.filter.as_ref().and_then(|filter| filter.get("matcher"));
        let narrow = |matcher: &&Value| !matches!(matcher.as_str(), Some("" | "*"));
        let mut own = serde_json::Map::new();
        own.extend(
            matcher
                .filter(narrow)
                .map(|matcher| ("matcher".to_owned(), matcher.clone())),
        );
        own.extend(self.detached.then(|| ("async".to_owned(), Value::Bool(true))));
        if own.is_empty() {
            String::new()
        } else {
            Value::Object(own).to_string()
        }
    }

    /// Whether the chain waits.
    #[must_use]
    pub fn mode(&self) -> RunMode {
        if self.detached { RunMode::Detach } else { RunMode::Await }
    }
}

/// A group or entry being read.
pub struct Desk<'a> {
    root: &'a Root,
    id: Option<&'a str>,
    /// What is wrong or noteworthy.
    pub problems: Vec<Problem>,
    /// Why it does not hold: its first error, or what Hookwright does not run.
    pub invalid: Option<Message>,
}

impl<'a> Desk<'a> {
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
    pub fn say(&mut self, words: Message, spot: TextPosition) {
        let problem = self.problem(words.clone(), spot);
        let costs = problem.severity == hookwright_model::Severity::Error
            || problem.code == hookwright_model::Code::Unsupported;
        if costs && self.invalid.is_none() {
            self.invalid = Some(words);
        }
        self.problems.push(problem);
    }

    /// Says it as a warning: it costs nothing.
    pub fn warn(&mut self, words: Message, spot: TextPosition) {
        let problem = self.problem(words, spot);
        self.problems
            .push(problem.with_severity(hookwright_model::Severity::Warning));
    }

    fn problem(&self, words: Message, spot: TextPosition) -> Problem {
        let problem = Problem::new(words, &self.root.path, Some(spot));
        match self.id {
            Some(id) => problem.for_hook(id),
            None => problem,
        }
    }

    /// A field of another type.
    pub fn wrong_type(&mut self, field: &str, wanted: &str, node: &Node) {
        let words =
            messages::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted, "found" => node.json_word() });
        self.say(words, node.spot);
    }

    /// A string; anything else has been said.
    pub fn text<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n str> {
        if let Kind::Scalar {
            value: Value::String(text),
            ..
        } = &node.kind
        {
            return Some(text);
        }
        self.wrong_type(field, term!("a string"), node);
        None
    }

    /// Whether a switch is on; anything but a boolean has been said.
    pub fn flag(&mut self, node: &Node, field: &str) -> bool {
        let Some(value) = node.get(field).filter(|value| !value.is_null()) else {
            return false;
        };
        if let Kind::Scalar {
            value: Value::Bool(on), ..
        } = value.kind
        {
            return on;
        }
        self.wrong_type(field, term!("true or false"), value);
        false
    }

    /// Fields that nobody reads, that do nothing, or that change what the hook means. Of a hook that is not run for one of
    /// the last kind nothing else is said.
    pub fn unknown(&mut self, fields: &[Entry], known: &[&'static str]) {
        let changes = |entry: &&Entry| CHANGE_MEANING.contains(&entry.key.as_str()) && !is_empty(&entry.value);
        if let Some(entry) = fields.iter().find(changes) {
            return self.say(
                messages::UNSUPPORTED_FIELD.render(args! { "field" => entry.key }),
                entry.key_spot,
            );
        }
        for entry in fields {
            let field = entry.key.as_str();
            let is_known = known.contains(&field) || LABELS.contains(&field) || CHANGE_MEANING.contains(&field);
            if is_known || is_label(field) {
                continue;
            }
            let words = if field == "sequential" {
                messages::SEQUENTIAL.render_plain()
            } else if let Some(nearest) = nearest(field, known.iter().copied()) {
                messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
            } else {
                messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
            };
            self.say(words, entry.key_spot);
        }
    }
}

/// `false`, `""`, `[]`, `{}` and `null` say nothing.
fn is_empty(node: &Node) -> bool {
    match &node.kind {
        Kind::List(items) => items.is_empty(),
        Kind::Mapping { entries, .. } => entries.is_empty(),
        Kind::Scalar { value, .. } => match value {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty(),
            Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        },
    }
}
