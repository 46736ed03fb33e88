//! The lists of a mapping from events: `{"PreToolUse": [ … ], "Stop": [ … ]}`.
//!
//! What it deliberately does not do: it reads no hook. The dialect does. [`read_file`] reads the groups of a file,
//! [`read_callback`] what an agent registers, and [`EventLists`] edits lists.

mod callback;
mod edit;
mod groups;

use std::collections::BTreeSet;
use std::sync::Arc;

use hookwright_model::{Card, Code, Hook, Message, MessageTemplate, PathStep, Problem, args};

pub use callback::{Callbacks, read_callback};
pub use edit::{ALL, EventLists, ListItems};
pub use groups::{Group, Groups, matcher_as_shown, read_file};

use crate::definition::{self, Problems};
use crate::editing::numbered_key;
use crate::node::{Entry, Node, ValueKind};

/// What a dialect says about its lists.
#[derive(Debug, Clone, Copy)]
pub struct ListMessages {
    /// The value of an event is no list: `event`, `found`.
    pub list_type: MessageTemplate,
    /// Whether the agent rejects the whole file because of that, by event.
    pub rejects_file: fn(&str) -> bool,
    /// Another list of the same event, whose hooks do not run: `key`, and the `line` of the list that counts.
    pub duplicate: MessageTemplate,
    /// Whether the last of several lists of an event counts. Otherwise the first one does.
    pub last_counts: bool,
    /// The message about an unknown event.
    pub unknown_event: fn(&Entry) -> Message,
}

/// The list of one event.
#[derive(Debug)]
pub struct EventList<'n> {
    /// The event's key in the file, with its value.
    pub entry: &'n Entry,
    /// Its part of the ids. The second list of an event has `.2` behind the event.
    pub key: String,
    /// The step to it in its mapping.
    pub step: PathStep,
    /// Why no hook of the list is valid.
    pub invalid: Option<Message>,
}

impl<'n> EventList<'n> {
    /// The items; none for any other value than a list.
    #[must_use]
    pub fn items(&self) -> &'n [Arc<Node>] {
        match &self.entry.value.kind {
            ValueKind::List(items) => items,
            ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => &[],
        }
    }

    /// Makes the hooks of an invalid list invalid. The error of the list is reported once: of the problems of its hooks,
    /// only duplicate keys stay.
    pub fn invalidate(&self, hooks: &mut [Arc<Hook>], problems: &mut Vec<Problem>) {
        if let Some(message) = &self.invalid {
            for hook in hooks {
                Arc::make_mut(hook).invalid = Some(message.clone());
            }
            problems.retain(|problem| problem.code == Code::DuplicateKey);
        }
    }
}

/// The list of an event and the group in it that contain a hook: the part of the ids that names the list, and the index of
/// the group.
#[must_use]
pub fn group_of(hook: &Hook) -> Option<(String, usize)> {
    match hook.at.as_slice() {
        [
            _,
            PathStep::Key(event, nth),
            PathStep::Item(group),
            _,
            PathStep::Item(_),
        ] => Some((numbered_key(event, *nth), *group)),
        _ => None,
    }
}

/// Whether a mapping has the name of an event as a key.
#[must_use]
pub fn has_event(card: &Card, section: &Node) -> bool {
    let mut entries = section.entries().unwrap_or_default().iter();
    entries.any(|entry| card.event(&entry.key).is_some())
}

/// Whether a text in JSON has the name of an event as a key, whatever else is wrong with it.
#[must_use]
pub fn names_event(card: &Card, text: &str) -> bool {
    let parts: Vec<&str> = text.split('"').collect();
    let mut keys = parts.windows(2).filter(|pair| pair[1].trim_start().starts_with(':'));
    keys.any(|pair| card.event(pair[0]).is_some())
}

/// Which of several entries of a key counts, as its number among them, and its line.
fn counted(last_counts: bool, mapping: &Node, key: &str) -> (usize, u32) {
    let again = mapping.duplicate_keys().iter().filter(|entry| entry.key == key);
    if let Some(last) = again.clone().next_back().filter(|_| last_counts) {
        return (again.count(), last.key_position.line);
    }
    let mut firsts = mapping.entries().unwrap_or_default().iter();
    let first = firsts.find(|entry| entry.key == key);
    (0, first.map_or(1, |entry| entry.key_position.line))
}

/// Reads a mapping from events, which may be the second one of its file: then `seen` are the keys of the first, and
/// `invalid` says why no hook in it is valid. Calls `read_list` for each list, duplicate ones last.
pub fn read(
    card: &Card,
    says: &ListMessages,
    section: &Node,
    invalid: Option<&Message>,
    seen: &mut BTreeSet<String>,
    problems: &mut Problems<'_>,
    mut read_list: impl FnMut(&EventList<'_>, &mut Problems<'_>),
) {
    let entries = section.entries().unwrap_or_default();
    let firsts = entries.iter().map(|entry| (0, entry));
    for (nth, entry) in firsts.chain(section.numbered_duplicates()) {
        if card.definition.is_note(&entry.key) {
            continue;
        }
        problems.event = Some(entry.key.clone());
        let mut invalid = invalid.cloned();
        let counts = if nth == 0 && section.duplicate_keys().is_empty() {
            None
        } else {
            Some(counted(says.last_counts, section, &entry.key))
        };
        if let Some((_, line)) = counts.filter(|(counted, _)| nth != *counted) {
            let message = says.duplicate.render(args! { "key" => entry.key, "line" => line });
            problems.report(message.clone(), entry.key_position);
            invalid = Some(message);
        } else if invalid.is_none() && card.event(&entry.key).is_none() {
            let message = (says.unknown_event)(entry);
            problems.report(message.clone(), entry.key_position);
            invalid = Some(message);
        }
        let value = &entry.value;
        if invalid.is_none()
            && !(value.is_null() && card.definition.null_is_absent)
            && !matches!(value.kind, ValueKind::List(_))
        {
            let found = value.type_in(card.definition.format);
            let message = says.list_type.render(args! { "event" => entry.key, "found" => found });
            if (says.rejects_file)(&entry.key) {
                problems.report_rejected(message.clone(), value.position);
            } else {
                problems.report(message.clone(), value.position);
            }
            invalid = Some(message);
        }
        let key = definition::free_key(&entry.key, seen);
        let step = PathStep::Key(entry.key.clone(), nth);
        let list = EventList {
            entry,
            key,
            step,
            invalid,
        };
        read_list(&list, problems);
    }
    problems.event = None;
}
