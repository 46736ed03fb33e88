//! A HOOK.md, from text to hook (`agent-hooks.md` §2). Total: whatever is wrong becomes a Problem and costs only itself.

mod rules;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, DisabledReason, Handler, Hook, Message, OnFailure, Parsed, Problem, Root, Severity, Source,
    SourceFile, SourceTree, args,
};

use super::entry::{self, Role};
use super::events::{self, BEFORE_STOP, CARD};
use super::places::HOOK_FILE;
use super::{messages, name};
use crate::commands::{Alike, few, gather_alike};
use crate::front::{self, Front};
use crate::near::{nearest, nearest_event};
use crate::node::{Entry, Kind, Node, sorted};
use crate::yaml;

/// The fields of the front matter.
pub const FIELDS: [&str; 9] = [
    "name",
    "description",
    "trigger",
    "matcher",
    "timeout",
    "async",
    "async_",
    "priority",
    "metadata",
];
/// The parts of a matcher.
pub const MATCHER_FIELDS: [&str; 2] = ["tool", "pattern"];
/// Characters of a description.
const LONGEST_DESCRIPTION: usize = 1024;
const START: TextPosition = TextPosition { line: 1, column: 1 };

/// Reads every HOOK.md of a root.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let mut parsed = Parsed::default();
    for (path, file) in tree.files.iter().filter(|(path, _)| path.ends_with(HOOK_FILE)) {
        let node = match front_matter(file) {
            Ok(node) => node,
            Err(broken) => {
                parsed.broken.push(path.clone());
                parsed.problems.push(match broken {
                    Unread::Problem(problem) => *problem,
                    Unread::Words(words, spot) => Problem::new(words, path, Some(spot)),
                });
                continue;
            }
        };
        let mut desk = Desk::new(tree, path, &node);
        parsed.hooks.push(desk.hook(&node));
        parsed.problems.append(&mut desk.problems);
    }
    gather_alike(&mut parsed.problems, &RENAMED);
    parsed
}

/// Later spellings are one choice of whoever wrote the hooks.
const RENAMED: Alike = Alike {
    of: &[(messages::RENAMED, messages::RENAMED_ALL)],
    across: true,
    shared: |_| String::new(),
    lists: &[
        ("written", "names", few),
        ("event", "events", |events| events.join(", ")),
    ],
};

/// Why a file has no definition at all.
enum Unread {
    Problem(Box<Problem>),
    Words(Message, TextPosition),
}

fn front_matter(file: &SourceFile) -> Result<Arc<Node>, Unread> {
    let text = file
        .text
        .as_ref()
        .map_err(|problem| Unread::Problem(Box::new(problem.clone())))?;
    let yaml = match front::split(text) {
        Front::Found { yaml, .. } => yaml,
        Front::Missing => return Err(Unread::Words(messages::NO_FRONT.render_plain(), START)),
        Front::Open => return Err(Unread::Words(messages::OPEN_FRONT.render_plain(), START)),
    };
    let no_mapping = |found: &str, spot| Unread::Words(messages::FRONT_TYPE.render(args! { "found" => found }), spot);
    match yaml::read(yaml) {
        Ok(Some(node)) if node.entries().is_some() => Ok(node),
        Ok(Some(node)) => Err(no_mapping(node.kind_word(), node.spot)),
        Ok(None) => Err(no_mapping("null", START)),
        Err(broken) => Err(Unread::Words(broken.words, broken.spot)),
    }
}

/// A HOOK.md being read.
struct Desk<'a> {
    root: &'a Root,
    tree: &'a SourceTree,
    path: &'a Path,
    /// The hook's folder, and its name.
    folder: &'a Path,
    folder_name: String,
    id: String,
    problems: Vec<Problem>,
    spots: BTreeMap<String, TextPosition>,
}

impl<'a> Desk<'a> {
    fn new(tree: &'a SourceTree, path: &'a Path, node: &Node) -> Self {
        let folder = path.parent().unwrap_or(path);
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let given = node.get("name").filter(|name| !name.is_null());
        let named = match given.map(|name| &name.kind) {
            Some(Kind::Scalar { text, .. }) if !text.trim().is_empty() => text.clone(),
            Some(_) | None => folder_name.clone(),
        };
        Self {
            root: &tree.root,
            tree,
            path,
            folder,
            folder_name,
            id: format!("{}:{}:{named}", CARD.id, tree.root.layer.as_str()),
            problems: Vec::new(),
            spots: BTreeMap::new(),
        }
    }

    fn hook(&mut self, node: &Node) -> Hook {
        let fields = Fields {
            entries: node.entries().unwrap_or_default(),
        };
        node.each_again(&mut |entry| {
            self.say(
                messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
                entry.key_spot,
            );
        });
        self.unknown(fields.entries, "", &FIELDS);
        let label = self.name(fields, node.spot);
        self.description(fields, node.spot);
        let event = self.trigger(fields, node.spot);
        let (when, filter) = self.matcher(fields);
        let timeout = self.timeout(fields);
        let mode = self.mode(fields);
        let rank = self.priority(fields);
        let (handler, off) = self.entry(&event, node.spot);
        let definition = node.to_value();
        Hook {
            id: self.id.clone(),
            dialect: CARD.id,
            event,
            label,
            handler,
            when,
            filter,
            timeout,
            attempts: 1,
            on_failure: OnFailure::Open,
            mode,
            rank: Some(rank),
            source: Source {
                layer: self.root.layer,
                path: self.path.to_owned(),
                line: node.spot.line,
                column: node.spot.column,
                project: self.root.project.clone(),
            },
            definition_text: sorted(&definition).to_string(),
            inherited_text: String::new(),
            definition,
            field_positions: std::mem::take(&mut self.spots),
            invalid: self.first_error(),
            blocks_when_invalid: None,
            off,
            wrapped: false,
            cover: ApprovalScope::Folder(self.folder.to_owned()),
        }
    }

    fn name(&mut self, fields: Fields<'_>, whole: TextPosition) -> String {
        let example = args! { "field" => "name", "example" => self.folder_name };
        let Some(node) = fields.get("name") else {
            self.say(messages::MISSING.render(example), whole);
            return self.folder_name.clone();
        };
        let Some(text) = self.text("name", node, Severity::Error) else {
            return self.folder_name.clone();
        };
        let long = text.chars().count();
        if text.trim().is_empty() {
            self.say(messages::EMPTY.render(example), node.spot);
            return self.folder_name.clone();
        }
        if long > name::LONGEST {
            let args = args! { "field" => "name", "found" => long, "most" => name::LONGEST };
            self.say(messages::TOO_LONG.render(args), node.spot);
        } else if let Some(words) = name::form(text, &self.folder_name) {
            self.say(words, node.spot);
        }
        text.to_owned()
    }

    /// A hook runs without a good description, so all of this is a warning.
    fn description(&mut self, fields: Fields<'_>, whole: TextPosition) {
        let example =
            args! { "field" => "description", "example" => hookwright_model::term!("what it does, in one sentence") };
        let Some(node) = fields.get("description") else {
            return self.warn(messages::MISSING.render(example), whole);
        };
        let Some(text) = self.text("description", node, Severity::Warning) else {
            return;
        };
        let long = text.chars().count();
        if text.trim().is_empty() {
            self.warn(messages::EMPTY.render(example), node.spot);
        } else if long > LONGEST_DESCRIPTION {
            let args = args! { "field" => "description", "found" => long, "most" => LONGEST_DESCRIPTION };
            self.warn(messages::TOO_LONG.render(args), node.spot);
        }
    }

    /// The event in the seed's spelling; an unknown one is kept as it is written.
    fn trigger(&mut self, fields: Fields<'_>, whole: TextPosition) -> String {
        let Some(node) = fields.get("trigger") else {
            let args = args! { "field" => "trigger", "example" => CARD.first };
            self.say(messages::MISSING.render(args), whole);
            return String::new();
        };
        let Some(written) = self.text("trigger", node, Severity::Error) else {
            return String::new();
        };
        if CARD.event(written).is_some() {
            return written.to_owned();
        }
        if let Some(event) = events::renamed(written) {
            self.say(
                messages::RENAMED.render(args! { "written" => written, "event" => event }),
                node.spot,
            );
            return event.to_owned();
        }
        let names = || CARD.events.iter().map(|event| event.name);
        let all = names().collect::<Vec<_>>().join(", ");
        let later = events::ALIASES.iter().any(|(alias, _)| *alias == written);
        let words = match nearest_event(written, names()) {
            _ if later => messages::UNKNOWN_EVENT_LATER.render(args! { "event" => written, "events" => all }),
            Some(nearest) => messages::UNKNOWN_EVENT_NEAR.render(args! { "event" => written, "nearest" => nearest }),
            None => messages::UNKNOWN_EVENT.render(args! { "event" => written, "events" => all }),
        };
        self.say(words, node.spot);
        written.to_owned()
    }

    /// The script, and whether it is our own relay.
    fn entry(&mut self, event: &str, whole: TextPosition) -> (Handler, Option<DisabledReason>) {
        let found = entry::find(self.tree, self.folder);
        let handler = Handler::Script {
            entry: found.as_ref().map(|(path, _)| path.clone()),
        };
        if let Some((_, SourceFile { text: Err(problem), .. })) = &found
            && problem.code == hookwright_model::Code::FileOutside
        {
            // What lies outside the project is nobody's to approve with it.
            self.problems.push(problem.clone().for_hook(&self.id));
            return (handler, None);
        }
        let role = if ["before_tool", BEFORE_STOP].contains(&event) {
            Role::Guard
        } else {
            Role::Other
        };
        if let Some(words) = entry::trouble(found.as_ref(), role) {
            self.say(words, whole);
        }
        let relay = found.is_some_and(|(_, file)| entry::is_relay(file));
        let off = relay.then(|| {
            let words = messages::RELAY.render_plain();
            self.say(words.clone(), whole);
            DisabledReason::Disabled(words)
        });
        (handler, off)
    }

    fn say(&mut self, words: Message, spot: TextPosition) {
        self.problems
            .push(Problem::new(words, self.path, Some(spot)).for_hook(&self.id));
    }

    fn warn(&mut self, words: Message, spot: TextPosition) {
        let problem = Problem::new(words, self.path, Some(spot)).for_hook(&self.id);
        self.problems.push(problem.with_severity(Severity::Warning));
    }

    /// Why the definition is invalid: its first error.
    fn first_error(&self) -> Option<Message> {
        let problem = self
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)?;
        Some(Message {
            code: problem.code.word(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    /// Keys that nobody reads. `within` is the mapping they stand in, with its dot.
    fn unknown(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries {
            let field = format!("{within}{}", entry.key);
            self.spots.insert(field.clone(), entry.value.spot);
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let switch = ["enabled", "disabled", "enable", "disable"].contains(&entry.key.as_str());
            let words = if within.is_empty() && switch {
                messages::UNKNOWN_FIELD_SWITCH.render(args! { "field" => field })
            } else if let Some(nearest) = nearest(&entry.key, known.iter().copied()) {
                messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
            } else {
                messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
            };
            self.say(words, entry.key_spot);
        }
    }
}

#[derive(Clone, Copy)]
struct Fields<'a> {
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The value of a field; `null` is as good as absent.
    fn get(&self, name: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        (!entry.value.is_null()).then_some(&*entry.value)
    }
}

#[cfg(test)]
#[path = "../definition_tests.rs"]
mod tests;
