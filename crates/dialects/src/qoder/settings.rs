//! Reads `settings.json` and `settings.local.json`, from text to hooks (`qoder.md` §1, §2).
//!
//! Reading never fails as a whole: each error becomes a Problem and affects only the part that contains it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Hook, MAX_FILE_HOOKS, Parsed, PathStep, Problem, Root, SourceTree, render};
use serde_json::{Map, Value, json};

use super::events::CARD;
use super::schema::{DEFINITION, GROUP};
use super::{entry, messages, module};
use crate::definition::{self, Fields, Problems};
use crate::event_list::{self, EventList, ListMessages};
use crate::node::{Node, ValueKind};

const LIST_MESSAGES: ListMessages = ListMessages {
    list_type: messages::EVENT_TYPE,
    rejects_file: false,
    duplicate: messages::DUPLICATE_EVENT,
    unknown_event: |entry| module::unknown_event_message(&entry.key),
};

/// Reads the file of a root: settings, or a module.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    if tree.root.path.extension().is_some_and(|end| end == "py") {
        return module::parse(tree);
    }
    definition::parse_root(&DEFINITION, tree, |node| read_file(&tree.root, node))
}

/// The part of the ids that names the file.
pub(super) fn id_part(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == "settings.local.json") {
        "local"
    } else {
        "settings"
    }
}

fn read_file(root: &Root, node: &Node) -> Parsed {
    let mut parsed = Parsed::default();
    let mut problems = Problems::new(&root.path, None, node.position);
    let mut seen = BTreeSet::new();
    let firsts = node.entries().unwrap_or_default().iter().map(|entry| (0, entry));
    let sections = firsts.chain(node.numbered_duplicates());
    let mut first_line = None;
    for (nth, section) in sections.filter(|(_, entry)| entry.key == "hooks") {
        let invalid = first_line.map(|line| render!(messages::DUPLICATE_EVENT, "key" => "hooks", "line" => line));
        if let Some(message) = &invalid {
            problems.report(message.clone(), section.key_position);
        }
        first_line.get_or_insert(section.key_position.line);
        if section.value.entries().is_none() && !section.value.is_null() {
            let message = render!(messages::SECTION_TYPE, "found" => section.value.json_type());
            problems.report(message, section.value.position);
        }
        let read_list = |list: &EventList<'_>, problems: &mut Problems<'_>| {
            for (index, group) in list.items().iter().enumerate() {
                if parsed.hooks.len() > MAX_FILE_HOOKS {
                    return;
                }
                let key = format!("{}:{}.{index}", list.key, id_part(&root.path));
                let at = vec![
                    PathStep::Key("hooks".to_owned(), nth),
                    list.step.clone(),
                    PathStep::Item(index),
                ];
                let (mut hooks, mut found) = read_group(root, &list.entry.key, &key, at, group);
                list.invalidate(&mut hooks, &mut found);
                parsed.hooks.append(&mut hooks);
                problems.extend(found);
            }
        };
        event_list::read(
            &CARD,
            &LIST_MESSAGES,
            &section.value,
            invalid.as_ref(),
            &mut seen,
            &mut problems,
            read_list,
        );
    }
    parsed.problems = problems.into_list();
    parsed
}

/// Reads a group and its entries. `key` is its part of the ids, and `at` the path to it in its file.
fn read_group(root: &Root, event: &str, key: &str, at: Vec<PathStep>, node: &Node) -> (Vec<Arc<Hook>>, Vec<Problem>) {
    let mut problems = Problems::new(&root.path, None, node.position);
    let fields = definition::read(&DEFINITION, &GROUP, "", node, &mut problems);
    let when = fields.condition(CARD.event(event), &mut problems);
    entry::check_matcher(event, &fields, &mut problems);
    let group = entry::Group {
        root,
        event,
        at,
        when,
        detached: fields.flag("async"),
        inherited: inherited_text(&fields),
        matcher: fields.given("matcher"),
        invalid: problems.invalid.take(),
    };
    let mut hooks = Vec::new();
    let entries: &[Arc<Node>] = match fields.get("hooks").map(|list| &list.kind) {
        Some(ValueKind::List(entries)) => entries,
        Some(ValueKind::Scalar { .. } | ValueKind::Mapping { .. }) | None => &[],
    };
    for (index, node) in entries.iter().enumerate().take(MAX_FILE_HOOKS + 1) {
        let id = format!("{}{key}.{index}", root.layer.id_prefix(CARD.id));
        let (hook, found) = entry::read(&group, &id, index, node);
        hooks.push(Arc::new(hook));
        problems.extend(found);
    }
    (hooks, problems.into_list())
}

/// The fields of a group that apply to its entries, as JSON: `async`, and a matcher that excludes something.
fn inherited_text(fields: &Fields<'_>) -> String {
    let matcher = fields.given("matcher").map(Node::to_value);
    let narrow = matcher.filter(|matcher| !matches!(matcher.as_str(), Some("" | "*")));
    let mut inherited = Map::new();
    inherited.extend(narrow.map(|matcher| ("matcher".to_owned(), matcher)));
    inherited.extend(fields.flag("async").then(|| ("async".to_owned(), Value::Bool(true))));
    if inherited.is_empty() {
        String::new()
    } else {
        json!(inherited).to_string()
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
