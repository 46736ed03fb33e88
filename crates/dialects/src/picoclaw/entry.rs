//! Reads one entry of `hooks.processes` (`picoclaw.md` §2): every field, its default, its validation, and the resulting
//! hooks.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    Condition, Handler, Hook, Message, OnFailure, PathStep, PlacedBy, Problem, RunMode, Severity, Source, args,
};
use serde_json::{Value, json};

use super::config::{ConfigReader, unknown_field_message, whole_number, written};
use super::events::{self, CARD};
use super::parsed_entry::{EnabledField, ParsedEntry};
use super::schema::EVERY_KIND;
use super::{messages, schema};
use crate::node::{Entry, Node, ValueKind, sort_keys};
use crate::nul_checks;
use crate::splice::key;
use crate::suggest::nearest;

/// The known fields of an entry.
pub const FIELDS: [&str; 8] = field_names(&schema::FIELDS);
/// The allowed values of `intercept`.
pub const POINTS: [&str; 5] = ["before_llm", "after_llm", "before_tool", "after_tool", "approve_tool"];

/// The points that an entry must name to be called at this one: a pair of calls belongs together.
#[must_use]
pub fn with_its_pair(point: &str) -> Vec<&str> {
    let pairs = [["before_llm", "after_llm"], ["before_tool", "after_tool"]];
    let pair = pairs.into_iter().find(|pair| pair.contains(&point));
    pair.map_or_else(|| vec![point], |pair| pair.to_vec())
}

/// The time limits of a file's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// The limit for writing a notification.
    pub observer: Duration,
    /// The limit for a response at the LLM and tool points.
    pub interceptor: Duration,
    /// The limit for an approval.
    pub approval: Duration,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            observer: Duration::from_millis(schema::OBSERVER_MS.unsigned_abs()),
            interceptor: Duration::from_millis(schema::INTERCEPTOR_MS.unsigned_abs()),
            approval: Duration::from_millis(schema::APPROVAL_MS.unsigned_abs()),
        }
    }
}

impl ProcessLimits {
    /// The file's own limits that apply to one of these events, as JSON. Empty if all have their defaults.
    fn inherited_json(self, events: &[&str]) -> String {
        let usual = Self::default();
        let each = [
            ("observer_timeout_ms", self.observer, usual.observer),
            ("interceptor_timeout_ms", self.interceptor, usual.interceptor),
            ("approval_timeout_ms", self.approval, usual.approval),
        ];
        let applies = |limit: Duration| events.iter().any(|event| self.for_event(event).0 == limit);
        let own = each
            .into_iter()
            .filter(|(_, limit, usual)| limit != usual && applies(*limit));
        let millis = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let own: serde_json::Map<String, Value> = own
            .map(|(name, limit, _)| (name.to_owned(), json!(millis(limit))))
            .collect();
        if own.is_empty() {
            String::new()
        } else {
            json!({ "defaults": own }).to_string()
        }
    }

    /// The time limit at this event, and whether a failure there allows or blocks.
    pub(super) fn for_event(self, event: &str) -> (Duration, OnFailure) {
        match event {
            "approve_tool" => (self.approval, OnFailure::Closed),
            point if POINTS.contains(&point) => (self.interceptor, OnFailure::Open),
            _ => (self.observer, OnFailure::Open),
        }
    }
}

fn source(reader: &ConfigReader<'_>, position: TextPosition) -> Source {
    Source {
        layer: reader.root.layer,
        path: reader.root.path.clone(),
        line: position.line,
        column: position.column,
        project: reader.root.project.clone(),
    }
}

/// Reads an entry into its hooks. It comes with its number among the entries of its name, from 0. `key` is its part of the ids. With an `invalid_reason` the hooks are invalid,
/// whatever the entry contains. `hooks_enabled` is the file's switch.
pub(super) fn read(
    reader: &mut ConfigReader<'_>,
    (entry, nth): (&Entry, usize),
    name_in_id: &str,
    invalid_reason: Option<Message>,
    hooks_enabled: bool,
    limits: ProcessLimits,
) {
    let id = format!("{}{name_in_id}", reader.root.layer.id_prefix(CARD.id));
    let mut entry_reader = EntryReader::new(&id, entry.key_position, &reader.root.path);
    if let Some(message) = invalid_reason {
        entry_reader.report(message, entry.key_position);
    }
    let parsed = entry_reader.parse(entry);
    if let Some(dir) = parsed.dir_outside_project(reader.root) {
        let problem = Problem::new(
            messages::DIR_OUTSIDE.render(args! { "dir" => dir }),
            entry_reader.path,
            entry_reader.field_positions.get("dir").copied(),
        );
        entry_reader
            .problems
            .push(problem.with_severity(Severity::Warning).for_hook(&id));
    }
    let off = parsed.disabled_reason(hooks_enabled);
    for message in parsed.entry_warnings() {
        entry_reader.report(message, entry.key_position);
    }
    let invalid = entry_reader.first_reason();
    let event_names: Vec<&str> = parsed.events(invalid.is_some());
    let definition = entry.value.to_value();
    let inherited = limits.inherited_json(&event_names);
    let (mut problems, spots) = (entry_reader.problems, entry_reader.field_positions);
    problems.append(&mut entry_reader.warnings);
    let placed_by = PlacedBy::of_definition(name_in_id, &event_names);
    let at = vec![key("hooks"), key("processes"), PathStep::Key(entry.key.clone(), nth)];
    for event in event_names {
        let (timeout, on_failure) = limits.for_event(event);
        let blocks = invalid.is_some() && event == "approve_tool" && parsed.approves_if_broken();
        reader.hooks.push(Hook {
            id: id.clone(),
            dialect: CARD.id,
            event: event.to_owned(),
            label: entry.key.clone(),
            handler: Handler::Peer {
                argv: parsed.command.clone(),
            },
            when: Condition::default(),
            filter: None,
            timeout,
            attempts: 1,
            on_failure,
            mode: RunMode::Await,
            rank: Some(parsed.priority),
            source: source(reader, entry.key_position),
            at: at.clone(),
            definition_text: sort_keys(&json!({ (&*entry.key): &definition })).to_string(),
            definition: definition.clone(),
            field_positions: spots.clone(),
            inherited_text: inherited.clone(),
            invalid: invalid.clone(),
            blocks_when_invalid: blocks.then(|| messages::answers::INVALID_APPROVER.render_plain()),
            placed_by,
            disabled_reason: off.clone(),
            wrapped: false,
            registered_by: None,
            approval_scope: parsed.approval_scope(),
        });
    }
    reader.problems.extend(problems);
}

/// Reads one entry and collects its problems.
pub(super) struct EntryReader<'a> {
    id: &'a str,
    key_position: TextPosition,
    path: &'a std::path::Path,
    problems: Vec<Problem>,
    /// Problems that do not make the entry invalid.
    warnings: Vec<Problem>,
    field_positions: BTreeMap<String, TextPosition>,
}

impl<'a> EntryReader<'a> {
    /// Starts with the entry of this id; nothing is read yet.
    pub(super) fn new(id: &'a str, key_position: TextPosition, path: &'a std::path::Path) -> Self {
        Self {
            id,
            key_position,
            path,
            problems: Vec::new(),
            warnings: Vec::new(),
            field_positions: BTreeMap::new(),
        }
    }

    fn report(&mut self, message: Message, position: TextPosition) {
        self.problems
            .push(Problem::new(message, self.path, Some(position)).for_hook(self.id));
    }

    /// Reports a value because of which PicoClaw rejects the whole file.
    fn report_rejected(&mut self, message: Message, position: TextPosition) {
        let problem = Problem::new(message, self.path, Some(position)).for_hook(self.id);
        self.problems.push(problem.rejecting_file());
    }

    fn warn(&mut self, message: Message, position: TextPosition) {
        self.warnings
            .push(Problem::new(message, self.path, Some(position)).for_hook(self.id));
    }

    /// Why the entry is invalid: its first error, or that Hookwright does not support it.
    pub(super) fn first_reason(&self) -> Option<Message> {
        let counts = |problem: &&Problem| {
            problem.severity == Severity::Error || problem.code == hookwright_model::Code::Unsupported
        };
        let problem = self.problems.iter().find(counts)?;
        Some(Message {
            code: problem.code.as_str(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    fn parse(&mut self, entry: &Entry) -> ParsedEntry {
        let mut parsed = ParsedEntry::default();
        let node = &entry.value;
        let entries = match node.entries() {
            Some(entries) => entries,
            None if node.is_null() => &[],
            None => {
                let field = format!("hooks.processes.{}", entry.key);
                let message = messages::OBJECT_TYPE.render(args! { "field" => field, "found" => node.json_type() });
                self.report_rejected(message, node.position);
                parsed.enabled = EnabledField::Unreadable;
                parsed.intercept_unreadable = true;
                parsed.modes_unreadable = true;
                return parsed;
            }
        };
        node.for_each_duplicate_key(&mut |again| {
            self.report(
                messages::DUPLICATE_KEY.render(args! { "key" => again.key }),
                again.key_position,
            );
        });
        self.report_unknown_fields(entries, &FIELDS);
        let get = |name: &str| node.get(name).filter(|node| !node.is_null());
        parsed.enabled = get("enabled").map_or(EnabledField::Absent, |node| self.read_enabled(node));
        parsed.priority = get("priority").map_or(0, |node| self.read_priority(node));
        if let Some(node) = get("transport") {
            self.check_transport(node);
        }
        parsed.command = self.read_command(get("command"));
        parsed.dir = get("dir").and_then(|node| self.text("dir", node));
        if let Some((message, position)) = get("dir").and_then(|node| nul_checks::check_text("dir", node)) {
            self.report(message, position);
        }
        if let Some(node) = get("env") {
            self.check_env(node);
        }
        self.read_modes(&mut parsed, get("observe"), get("intercept"));
        parsed
    }

    /// Records the position of every key and reports the unknown keys. Keys that begin with `_` are notes of the author.
    pub(super) fn report_unknown_fields(&mut self, entries: &[Entry], known: &[&'static str]) {
        for entry in entries {
            self.field_positions.insert(entry.key.clone(), entry.value.position);
            if !entry.key.starts_with('_')
                && let Some(message) = unknown_entry_field_message(&entry.key, known)
            {
                self.report(message, entry.key_position);
            }
        }
    }

    fn read_enabled(&mut self, node: &Node) -> EnabledField {
        match &node.kind {
            ValueKind::Scalar {
                value: Value::Bool(on), ..
            } => {
                if *on {
                    EnabledField::On
                } else {
                    EnabledField::Off
                }
            }
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                let message = messages::FLAG_TYPE.render(args! { "field" => "enabled", "found" => node.json_type() });
                self.report_rejected(message, node.position);
                EnabledField::Unreadable
            }
        }
    }

    pub(super) fn read_priority(&mut self, node: &Node) -> i64 {
        whole_number(node).unwrap_or_else(|| {
            let message = messages::INTEGER_TYPE.render(args! { "field" => "priority", "written" => written(node) });
            self.report_rejected(message, node.position);
            0
        })
    }

    fn check_transport(&mut self, node: &Node) {
        if let Some(written) = self.text("transport", node)
            && !["", "stdio"].contains(&written.as_str())
        {
            self.report(
                messages::TRANSPORT.render(args! { "written" => written }),
                node.position,
            );
        }
    }

    fn read_command(&mut self, node: Option<&std::sync::Arc<Node>>) -> Vec<String> {
        let Some(node) = node else {
            self.report(messages::MISSING.render_plain(), self.key_position);
            return Vec::new();
        };
        let ValueKind::List(items) = &node.kind else {
            self.report_rejected(
                messages::COMMAND_TYPE.render(args! { "found" => node.json_type() }),
                node.position,
            );
            return Vec::new();
        };
        let words: Vec<Option<String>> = items.iter().map(|item| self.text("command", item)).collect();
        for (message, position) in items.iter().filter_map(|item| nul_checks::check_text("command", item)) {
            self.report(message, position);
        }
        if words
            .first()
            .is_none_or(|first| first.as_ref().is_some_and(|word| word.trim().is_empty()))
        {
            let position = items.first().map_or(node.position, |first| first.position);
            self.report(messages::EMPTY.render_plain(), position);
        }
        words.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn check_env(&mut self, node: &Node) {
        let Some(entries) = node.entries() else {
            let message = messages::OBJECT_TYPE.render(args! { "field" => "env", "found" => node.json_type() });
            return self.report_rejected(message, node.position);
        };
        for entry in entries {
            self.text(&format!("env.{}", entry.key), &entry.value);
        }
        for (message, position) in nul_checks::check_variables("env", node) {
            self.report(message, position);
        }
    }

    pub(super) fn read_modes(
        &mut self,
        parsed: &mut ParsedEntry,
        observe: Option<&std::sync::Arc<Node>>,
        intercept: Option<&std::sync::Arc<Node>>,
    ) {
        let kinds_read = self.read_kinds(parsed, observe);
        let (points, points_read) = self.string_list("intercept", intercept);
        parsed.modes_unreadable |= !kinds_read || !points_read;
        parsed.intercept_unreadable = !points_read;
        for (word, position) in points.into_iter().filter(|(word, _)| !word.is_empty()) {
            if POINTS.contains(&word.as_str()) {
                parsed.intercept.push(word);
            } else {
                self.report(unknown_point(&word), position);
                parsed.intercept_unreadable = true;
                parsed.modes_unreadable = true;
            }
        }
        self.report_other_kinds(parsed);
    }

    /// Reads the kinds of `observe`, in either spelling. Returns whether the whole list could be read.
    fn read_kinds(&mut self, parsed: &mut ParsedEntry, observe: Option<&std::sync::Arc<Node>>) -> bool {
        let (kinds, kinds_read) = self.string_list("observe", observe);
        let mut renamed: Vec<(String, TextPosition)> = Vec::new();
        for (word, position) in kinds {
            if EVERY_KIND.contains(&word.as_str()) || events::kinds().any(|kind| kind == word) {
                parsed.observe.push(word);
            } else if let Some(kind) = CARD.resolve_alias(&word) {
                parsed.observe.push(kind.to_owned());
                renamed.push((word, position));
            } else if word.contains('.') {
                parsed.other_kinds.push((word, position));
            } else {
                self.report(unknown_kind(&word), position);
                parsed.modes_unreadable = true;
            }
        }
        if let Some((_, position)) = renamed.first() {
            let names = renamed.iter().filter_map(|(word, _)| CARD.resolve_alias(word));
            let args = args! { "kinds" => backticked_words(&renamed), "names" => backticked(names) };
            let message = messages::RENAMED_KIND.render(args);
            self.warn(message, *position);
        }
        kinds_read
    }

    /// Reports the kinds that Hookwright does not fire. They make an entry invalid only if it serves nothing else.
    fn report_other_kinds(&mut self, parsed: &ParsedEntry) {
        let Some((_, position)) = parsed.other_kinds.first() else {
            return;
        };
        let message = messages::OTHER_KINDS.render(args! { "kinds" => backticked_words(&parsed.other_kinds) });
        if parsed.observe.is_empty() && parsed.intercept.is_empty() {
            self.report(message, *position);
        } else {
            self.warn(message, *position);
        }
    }

    /// The strings of a list, and whether the whole list could be read.
    fn string_list(&mut self, field: &str, node: Option<&std::sync::Arc<Node>>) -> (Vec<(String, TextPosition)>, bool) {
        let Some(node) = node else {
            return (Vec::new(), true);
        };
        let ValueKind::List(items) = &node.kind else {
            let message = messages::LIST_TYPE.render(args! { "field" => field, "found" => node.json_type() });
            self.report_rejected(message, node.position);
            return (Vec::new(), false);
        };
        let read: Vec<Option<(String, TextPosition)>> = items
            .iter()
            .map(|item| self.text(field, item).map(|word| (word, item.position)))
            .collect();
        let whole = read.iter().all(Option::is_some);
        (read.into_iter().flatten().collect(), whole)
    }

    pub(super) fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        match &node.kind {
            ValueKind::Scalar {
                value: Value::String(text),
                ..
            } => Some(text.clone()),
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                let message = messages::STRING_TYPE.render(args! { "field" => field, "found" => node.json_type() });
                self.report_rejected(message, node.position);
                None
            }
        }
    }
}

/// The words, each between backticks.
fn backticked_words(words: &[(String, TextPosition)]) -> String {
    backticked(words.iter().map(|(word, _)| word.as_str()))
}

fn backticked<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The message about an unknown key of an entry. `None` for a known key.
fn unknown_entry_field_message(key: &str, known: &[&'static str]) -> Option<Message> {
    let limit = key.to_lowercase().contains("timeout");
    if limit {
        return Some(messages::UNKNOWN_FIELD_TIMEOUT.render(args! { "field" => key }));
    }
    unknown_field_message(key, "", known)
}

fn unknown_kind(word: &str) -> Message {
    match nearest(word, events::kinds()) {
        Some(nearest) => messages::UNKNOWN_KIND_NEAR.render(args! { "written" => word, "nearest" => nearest }),
        None => {
            let known: Vec<&str> = events::kinds().collect();
            messages::UNKNOWN_KIND.render(args! { "written" => word, "known" => known.join(", ") })
        }
    }
}

fn unknown_point(word: &str) -> Message {
    match nearest(word, POINTS.into_iter()) {
        Some(nearest) => messages::UNKNOWN_POINT_NEAR.render(args! { "written" => word, "nearest" => nearest }),
        None => messages::UNKNOWN_POINT.render(args! { "written" => word, "known" => POINTS.join(", ") }),
    }
}
