//! Reads `settings.json` and `settings.local.json`, from text to hooks (`qoder.md` §1, §2).
//!
//! Reading never fails as a whole: each error becomes a Problem and affects only the part that contains it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    Code, Hook, MAX_FILE_HOOKS, Message, Parsed, PathStep, Problem, Root, Severity, SourceTree, args,
};

use super::group::{self, GroupSite};
use super::{events, messages, module};
use crate::jsonc;
use crate::node::{Entry, Node, SyntaxError, ValueKind};
use crate::splice::key;

/// Reads the file of a root: settings, or a module.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let path = &tree.root.path;
    if path.extension().is_some_and(|end| end == "py") {
        return module::parse(tree);
    }
    let Some(file) = tree.files.get(path) else {
        return Parsed::default();
    };
    let broken = |problem: Problem| Parsed {
        hooks: Vec::new(),
        problems: vec![problem],
        broken: vec![path.clone()],
    };
    let text = match &file.text {
        Ok(text) => text,
        Err(problem) => return broken(problem.clone()),
    };
    let read = match jsonc::read(text) {
        Ok(read) => read,
        Err(SyntaxError {
            message,
            position: spot,
        }) => return broken(Problem::new(message, path, Some(spot))),
    };
    let Some(node) = read.root else {
        return Parsed::default();
    };
    if node.entries().is_none() {
        let message = messages::FILE_TYPE.render(args! { "found" => node.json_type() });
        return broken(Problem::new(message, path, Some(node.position)));
    }
    let mut reader = SettingsReader {
        root: &tree.root,
        id_part: id_part(path),
        hooks: Vec::new(),
        problems: Vec::new(),
    };
    reader.read_file(&node);
    if let Some(lax) = read
        .non_strict
        .filter(|_| !reader.hooks.is_empty() || !reader.problems.is_empty())
    {
        let problem = Problem::new(lax.message, path, Some(lax.position));
        reader.problems.push(problem.with_severity(Severity::Warning));
    }
    Parsed {
        hooks: reader.hooks,
        problems: reader.problems,
        broken: Vec::new(),
    }
}

/// The part of the ids that names the file.
pub(super) fn id_part(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == "settings.local.json") {
        "local"
    } else {
        "settings"
    }
}

struct SettingsReader<'a> {
    root: &'a Root,
    id_part: &'static str,
    hooks: Vec<Hook>,
    problems: Vec<Problem>,
}

impl SettingsReader<'_> {
    fn read_file(&mut self, node: &Node) {
        let mut section = node.entries().unwrap_or_default().iter();
        let Some(first) = section.find(|entry| entry.key == "hooks") else {
            return;
        };
        let mut seen = BTreeSet::new();
        self.read_section(first, 0, None, &mut seen);
        for (nth, duplicate) in node.numbered_duplicates().filter(|(_, entry)| entry.key == "hooks") {
            let message =
                messages::DUPLICATE_EVENT.render(args! { "key" => duplicate.key, "line" => first.key_position.line });
            self.report(message.clone(), duplicate.key_position);
            self.read_section(duplicate, nth, Some(&message), &mut seen);
        }
    }

    /// Reads a section `hooks`; `nth` counts them from 0. `invalid` is the reason why no hook in it is valid.
    fn read_section(&mut self, section: &Entry, nth: usize, invalid: Option<&Message>, seen: &mut BTreeSet<String>) {
        if section.value.is_null() {
            return;
        }
        let Some(entries) = section.value.entries() else {
            let message = messages::SECTION_TYPE.render(args! { "found" => section.value.json_type() });
            return self.report(message, section.value.position);
        };
        for entry in entries {
            let list = vec![PathStep::Key("hooks".to_owned(), nth), key(&entry.key)];
            self.read_event(entry, list, invalid.cloned(), seen);
        }
        for (again, entry) in section.value.numbered_duplicates() {
            let first = entries.iter().find(|first| first.key == entry.key);
            let line = first.map_or(1, |first| first.key_position.line);
            let message = messages::DUPLICATE_EVENT.render(args! { "key" => entry.key, "line" => line });
            self.report(message.clone(), entry.key_position);
            let list = vec![
                PathStep::Key("hooks".to_owned(), nth),
                PathStep::Key(entry.key.clone(), again),
            ];
            self.read_event(entry, list, Some(message), seen);
        }
    }

    /// Reads the groups of one event. `list` is the path to them.
    fn read_event(
        &mut self,
        entry: &Entry,
        list: Vec<PathStep>,
        invalid: Option<Message>,
        seen: &mut BTreeSet<String>,
    ) {
        if is_label(&entry.key) {
            return;
        }
        // A second list of the same event has different ids.
        let mut key = entry.key.clone();
        for nth in 2_u32.. {
            if seen.insert(key.clone()) {
                break;
            }
            key = format!("{}.{nth}", entry.key);
        }
        let invalid = invalid.or_else(|| self.check_event_name(entry));
        let groups: &[Arc<Node>] = match &entry.value.kind {
            ValueKind::List(groups) => groups,
            // The error of the event is reported once.
            ValueKind::Scalar { .. } | ValueKind::Mapping { .. } if entry.value.is_null() || invalid.is_some() => &[],
            ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => {
                let message =
                    messages::EVENT_TYPE.render(args! { "event" => entry.key, "found" => entry.value.json_type() });
                self.report(message, entry.value.position);
                &[]
            }
        };
        for (index, node) in groups.iter().enumerate() {
            if self.hooks.len() > MAX_FILE_HOOKS {
                return;
            }
            let site = GroupSite {
                root: self.root,
                key: format!("{key}:{}.{index}", self.id_part),
                at: [list.as_slice(), &[PathStep::Item(index)]].concat(),
                event: &entry.key,
            };
            let mut parsed = group::read(&site, node);
            if let Some(message) = &invalid {
                // The error of the event is reported once.
                for hook in &mut parsed.hooks {
                    hook.invalid = Some(message.clone());
                }
                parsed.problems.retain(|problem| problem.code == Code::DuplicateKey);
            }
            self.hooks.append(&mut parsed.hooks);
            self.problems.append(&mut parsed.problems);
        }
    }

    /// Why the event's hooks never run: the event is unknown, or Hookwright does not fire it.
    fn check_event_name(&mut self, entry: &Entry) -> Option<Message> {
        let event = entry.key.as_str();
        if events::CARD.event(event).is_some() {
            return None;
        }
        let message = module::unknown_event_message(event);
        self.report(message.clone(), entry.key_position);
        Some(message)
    }

    fn report(&mut self, message: Message, spot: TextPosition) {
        self.problems.push(Problem::new(message, &self.root.path, Some(spot)));
    }
}

/// Whether a key is a note for the user, which has no effect.
pub(super) fn is_label(key: &str) -> bool {
    key.starts_with(['_', '$']) || key.starts_with("//")
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
