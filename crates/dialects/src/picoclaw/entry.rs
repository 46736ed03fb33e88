//! Makes the hooks of one entry of `hooks.processes` (`picoclaw.md` §2).

use std::time::Duration;

use hookwright_model::{Handler, Hook, Message, OnFailure, PathStep, PlacedBy, Problem, Root, render};
use serde_json::{Value, json};

use super::events::CARD;
use super::parsed_entry::ParsedEntry;
use super::schema::{DEFINITION, PROCESS};
use super::{messages, schema};
use crate::definition::{self, Problems};
use crate::node::{Entry, Node, sort_keys};
use crate::splice::key;

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

/// Reads an entry, the one with this number among those of its name, into its hooks. `name` is its part of the ids. With an `invalid_reason` the hooks are invalid,
/// whatever the entry contains. `hooks_enabled` is the file's switch.
pub(super) fn read(
    root: &Root,
    (entry, nth): (&Entry, usize),
    name: &str,
    invalid_reason: Option<Message>,
    hooks_enabled: bool,
    limits: ProcessLimits,
) -> (Vec<Hook>, Vec<Problem>) {
    let id = format!("{}{name}", root.layer.id_prefix(CARD.id));
    let mut problems = Problems::new(&root.path, Some(&id), entry.key_position);
    if let Some(message) = invalid_reason {
        problems.report(message, entry.key_position);
    }
    let no_fields = Node::from_value(&json!({}));
    let node = if entry.value.is_null() {
        &no_fields
    } else {
        &*entry.value
    };
    let is_mapping = node.entries().is_some();
    if !is_mapping {
        let field = format!("hooks.processes.{}", entry.key);
        let message = render!(messages::OBJECT_TYPE, "field" => field, "found" => node.json_type());
        problems.report_rejected(message, node.position);
    }
    let fields = definition::read(&DEFINITION, &PROCESS, "", node, &mut problems);
    let parsed = if is_mapping {
        ParsedEntry::read(&fields, &mut problems)
    } else {
        ParsedEntry::UNREADABLE
    };
    if let Some(dir) = parsed.dir_outside_project(root) {
        problems.warn(render!(messages::DIR_OUTSIDE, "dir" => dir), fields.position("dir"));
    }
    let off = parsed.disabled_reason(hooks_enabled);
    for message in parsed.entry_warnings() {
        problems.report(message, entry.key_position);
    }
    let invalid = problems.invalid.is_some();
    let events: Vec<&str> = parsed.events(invalid);
    let definition = entry.value.to_value();
    let inherited_text = limits.inherited_json(&events);
    let placed_by = PlacedBy::of_definition(name, &events);
    let at = [key("hooks"), key("processes"), PathStep::Key(entry.key.clone(), nth)];
    let hook = |event: &&str| {
        let (timeout, on_failure) = limits.for_event(event);
        let blocks = invalid && *event == "approve_tool" && parsed.approves_if_broken();
        Hook {
            label: entry.key.clone(),
            handler: Handler::Peer {
                argv: parsed.command.clone(),
            },
            timeout,
            on_failure,
            rank: Some(parsed.priority),
            definition_text: sort_keys(&json!({ (&*entry.key): &definition })).to_string(),
            field_positions: fields.positions().into_iter().collect(),
            inherited_text: inherited_text.clone(),
            blocks_when_invalid: blocks.then(|| messages::answers::INVALID_APPROVER.render_plain()),
            placed_by,
            disabled_reason: off.clone(),
            approval_scope: parsed.approval_scope(),
            ..definition::hook(CARD.id, root, &problems, event, at.to_vec(), definition.clone())
        }
    };
    (events.iter().map(hook).collect(), problems.into_list())
}
