//! `settings.json` and `settings.local.json`, from text to hooks (`qoder.md` §1, §2). Total: whatever is wrong becomes a
//! Problem and costs only itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Code, Hook, MAX_FILE_HOOKS, Message, Parsed, Problem, Root, Severity, SourceTree, args};

use super::group::{self, Place};
use super::{events, messages, module};
use crate::jsonc;
use crate::node::{Broken, Entry, Kind, Node};

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
        Err(Broken { words, spot }) => return broken(Problem::new(words, path, Some(spot))),
    };
    let Some(node) = read.root else {
        return Parsed::default();
    };
    if node.entries().is_none() {
        let words = messages::FILE_TYPE.render(args! { "found" => node.json_word() });
        return broken(Problem::new(words, path, Some(node.spot)));
    }
    let mut reader = Reader {
        root: &tree.root,
        part: part(path),
        hooks: Vec::new(),
        problems: Vec::new(),
    };
    reader.file(&node);
    if let Some(lax) = read
        .lax
        .filter(|_| !reader.hooks.is_empty() || !reader.problems.is_empty())
    {
        let problem = Problem::new(lax.words, path, Some(lax.spot));
        reader.problems.push(problem.with_severity(Severity::Warning));
    }
    Parsed {
        hooks: reader.hooks,
        problems: reader.problems,
        broken: Vec::new(),
    }
}

/// What stands for the file in ids.
pub(super) fn part(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == "settings.local.json") {
        "local"
    } else {
        "settings"
    }
}

struct Reader<'a> {
    root: &'a Root,
    part: &'static str,
    hooks: Vec<Hook>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn file(&mut self, node: &Node) {
        let mut section = node.entries().unwrap_or_default().iter();
        let Some(first) = section.find(|entry| entry.key == "hooks") else {
            return;
        };
        let mut seen = BTreeSet::new();
        self.section(first, None, &mut seen);
        for again in node.again().iter().filter(|entry| entry.key == "hooks") {
            let words = messages::DUPLICATE_EVENT.render(args! { "key" => again.key, "line" => first.key_spot.line });
            self.say(words.clone(), again.key_spot);
            self.section(again, Some(&words), &mut seen);
        }
    }

    /// The section `hooks`; `verdict` says why nothing in it holds.
    fn section(&mut self, section: &Entry, verdict: Option<&Message>, seen: &mut BTreeSet<String>) {
        if section.value.is_null() {
            return;
        }
        let Some(entries) = section.value.entries() else {
            let words = messages::SECTION_TYPE.render(args! { "found" => section.value.json_word() });
            return self.say(words, section.value.spot);
        };
        for entry in entries {
            self.event(entry, verdict.cloned(), seen);
        }
        for entry in section.value.again() {
            let first = entries.iter().find(|first| first.key == entry.key);
            let line = first.map_or(1, |first| first.key_spot.line);
            let words = messages::DUPLICATE_EVENT.render(args! { "key" => entry.key, "line" => line });
            self.say(words.clone(), entry.key_spot);
            self.event(entry, Some(words), seen);
        }
    }

    /// One event's groups.
    fn event(&mut self, entry: &Entry, verdict: Option<Message>, seen: &mut BTreeSet<String>) {
        if is_label(&entry.key) {
            return;
        }
        // A second list of an event has ids of its own.
        let mut key = entry.key.clone();
        for nth in 2_u32.. {
            if seen.insert(key.clone()) {
                break;
            }
            key = format!("{}.{nth}", entry.key);
        }
        let verdict = verdict.or_else(|| self.event_name(entry));
        let groups: &[Arc<Node>] = match &entry.value.kind {
            Kind::List(groups) => groups,
            // What is wrong with the event is said once.
            Kind::Scalar { .. } | Kind::Mapping { .. } if entry.value.is_null() || verdict.is_some() => &[],
            Kind::Scalar { .. } | Kind::Mapping { .. } => {
                let words =
                    messages::EVENT_TYPE.render(args! { "event" => entry.key, "found" => entry.value.json_word() });
                self.say(words, entry.value.spot);
                &[]
            }
        };
        for (index, node) in groups.iter().enumerate() {
            if self.hooks.len() > MAX_FILE_HOOKS {
                return;
            }
            let place = Place {
                root: self.root,
                key: format!("{key}:{}.{index}", self.part),
                event: &entry.key,
            };
            let mut parsed = group::read(&place, node);
            if let Some(words) = &verdict {
                // What is wrong with the event is said once.
                for hook in &mut parsed.hooks {
                    hook.invalid = Some(words.clone());
                }
                parsed.problems.retain(|problem| problem.code == Code::DuplicateKey);
            }
            self.hooks.append(&mut parsed.hooks);
            self.problems.append(&mut parsed.problems);
        }
    }

    /// Why an event's groups never fire: nobody knows it, or Hookwright does not.
    fn event_name(&mut self, entry: &Entry) -> Option<Message> {
        let event = entry.key.as_str();
        if events::CARD.event(event).is_some() {
            return None;
        }
        let words = module::unknown_event(event);
        self.say(words.clone(), entry.key_spot);
        Some(words)
    }

    fn say(&mut self, words: Message, spot: TextPosition) {
        self.problems.push(Problem::new(words, &self.root.path, Some(spot)));
    }
}

/// Keys that are words for people.
pub(super) fn is_label(key: &str) -> bool {
    key.starts_with(['_', '$']) || key.starts_with("//")
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
