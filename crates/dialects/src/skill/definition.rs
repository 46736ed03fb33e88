//! One entry of `hooks.json` (`skill.md` §2): every field, its default, its validation.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Clause, Code, Condition, Handler, Hook, Message, OnFailure, Predicate, Problem, RunMode, Severity,
    Source, SourceTree, args,
};
use serde_json::Value;

use super::events::{AFTER_TOOL_CALL, CARD};
use super::messages;
use crate::near::{nearest, nearest_event};
use crate::node::{Entry, Kind, Node, sorted};

/// The fields of an entry.
pub const FIELDS: [&str; 6] = ["name", "file", "timing", "role", "persistent", "tool_filter"];
/// Bytes of a text.
const MAX_TEXT: usize = 256 << 10;

/// Where an entry stands.
pub struct Place<'a> {
    /// What was read.
    pub tree: &'a SourceTree,
    /// Its `hooks.json`.
    pub file: &'a Path,
    /// Where the folder of that file really is.
    pub folder: &'a Path,
    /// Its id.
    pub id: &'a str,
}

/// An entry being read.
pub struct Reader<'a> {
    place: Place<'a>,
    entries: &'a [Entry],
    spot: TextPosition,
    /// What is wrong or noteworthy with it.
    pub problems: Vec<Problem>,
}

/// The name of an entry, when it has one that can be used.
#[must_use]
pub fn name(node: &Node) -> Option<&str> {
    text(node.get("name")?).filter(|name| !name.trim().is_empty())
}

/// Where the text of an entry is, when its path stays inside the folder as written.
#[must_use]
pub fn text_path(folder: &Path, node: &Node) -> Option<PathBuf> {
    let file = text(node.get("file")?).filter(|file| inside(file))?;
    Some(folder.join(file))
}

/// Whether a path, as written, names something below its folder.
pub(super) fn inside(file: &str) -> bool {
    // What leads out on another machine is no name here either: a backslash, the letter of a drive.
    let drive = file.as_bytes().get(1) == Some(&b':');
    let escapes = file.split(['/', '\\']).any(|part| part == "..") || file.starts_with('\\') || drive;
    let parts = Path::new(file).components();
    !escapes
        && parts
            .into_iter()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn text(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Scalar {
            value: Value::String(text),
            ..
        } => Some(text),
        Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => None,
    }
}

impl<'a> Reader<'a> {
    /// Begins with an entry.
    #[must_use]
    pub fn new(place: Place<'a>, node: &'a Node) -> Self {
        Self {
            place,
            entries: node.entries().unwrap_or_default(),
            spot: node.spot,
            problems: Vec::new(),
        }
    }

    /// Reads it. `verdict` is why it is invalid whatever it says itself.
    #[must_use]
    pub fn read(&mut self, node: &Node, verdict: Option<&Message>) -> Hook {
        if node.entries().is_none() {
            self.say(
                messages::ENTRY_TYPE.render(args! { "found" => node.json_word() }),
                node.spot,
            );
        } else {
            node.each_again(&mut |entry| {
                self.say(messages::KEY_TWICE.render(args! { "key" => entry.key }), entry.key_spot)
            });
            self.unknown();
            self.flag();
            self.role();
        }
        let name = self.name(node);
        let (event, file) = (self.timing(node), self.file(node));
        let condition = self.filter(&event);
        let definition = node.to_value();
        let path = text_path(self.place.file.parent().unwrap_or(Path::new("")), node);
        Hook {
            id: self.place.id.to_owned(),
            dialect: CARD.id,
            event,
            label: name.unwrap_or_else(|| self.place.id.to_owned()),
            handler: Handler::Insert {
                text: file.unwrap_or_default(),
            },
            filter: condition
                .as_ref()
                .map(|names| names.iter().map(String::as_str).collect()),
            when: condition.map(condition_of).unwrap_or_default(),
            timeout: Duration::ZERO,
            attempts: 1,
            on_failure: OnFailure::Open,
            mode: RunMode::Await,
            rank: None,
            source: self.source(),
            definition_text: sorted(&definition).to_string(),
            inherited_text: String::new(),
            definition,
            field_positions: self.spots(),
            invalid: verdict.cloned().or_else(|| self.first_error()),
            blocks_when_invalid: None,
            off: None,
            wrapped: false,
            cover: path.map_or(ApprovalScope::Nothing, |path| ApprovalScope::Files(vec![path])),
        }
    }

    fn source(&self) -> Source {
        let root = &self.place.tree.root;
        Source {
            layer: root.layer,
            path: self.place.file.to_owned(),
            line: self.spot.line,
            column: self.spot.column,
            project: root.project.clone(),
        }
    }

    fn spots(&self) -> BTreeMap<String, TextPosition> {
        let spot = |entry: &Entry| (entry.key.clone(), entry.value.spot);
        self.entries.iter().map(spot).collect()
    }

    fn get(&self, field: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == field)?;
        Some(&entry.value)
    }

    /// A required field; said to be missing where it is.
    fn required(&mut self, field: &str, example: &str) -> Option<&'a Node> {
        let found = self.get(field);
        if found.is_none() {
            self.say(
                messages::MISSING.render(args! { "field" => field, "example" => example }),
                self.spot,
            );
        }
        found
    }

    fn unknown(&mut self) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !FIELDS.contains(&entry.key.as_str()))
        {
            let words = match nearest(&entry.key, FIELDS.into_iter()) {
                Some(nearest) => {
                    messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => entry.key, "nearest" => nearest })
                }
                None => messages::UNKNOWN_FIELD.render(args! { "field" => entry.key, "known" => FIELDS.join(", ") }),
            };
            self.say(words, entry.key_spot);
        }
    }

    fn name(&mut self, node: &Node) -> Option<String> {
        node.entries()?;
        let given = self.required("name", "\"…\"")?;
        let Some(name) = text(given) else {
            self.string("name", given);
            return None;
        };
        if name.trim().is_empty() {
            self.say(messages::BLANK_NAME.render_plain(), given.spot);
            return None;
        }
        Some(name.to_owned())
    }

    fn flag(&mut self) {
        let Some(given) = self.required("persistent", "false") else {
            return;
        };
        if !matches!(
            &given.kind,
            Kind::Scalar {
                value: Value::Bool(_),
                ..
            }
        ) {
            let args = args! { "field" => "persistent", "found" => given.json_word() };
            self.say(messages::FLAG_TYPE.render(args), given.spot);
        }
    }

    fn role(&mut self) {
        let Some(given) = self.required("role", "\"system\"") else {
            return;
        };
        if !text(given).is_some_and(|role| ["system", "user"].contains(&role)) {
            self.say(
                messages::UNKNOWN_ROLE.render(args! { "written" => written(given) }),
                given.spot,
            );
        }
    }

    /// The event, or what stands in its place.
    fn timing(&mut self, node: &Node) -> String {
        if node.entries().is_none() {
            return String::new();
        }
        let Some(given) = self.required("timing", "\"after_user_input\"") else {
            return String::new();
        };
        let named = text(given).unwrap_or_default();
        if CARD.event(named).is_none() {
            let names = || CARD.events.iter().map(|event| event.name);
            let words = match nearest_event(named, names()) {
                Some(nearest) => {
                    messages::UNKNOWN_TIMING_NEAR.render(args! { "written" => written(given), "nearest" => nearest })
                }
                None => {
                    let known: Vec<&str> = names().collect();
                    messages::UNKNOWN_TIMING.render(args! { "written" => written(given), "known" => known.join(", ") })
                }
            };
            self.say(words, given.spot);
        }
        named.to_owned()
    }

    /// The text.
    fn file(&mut self, node: &Node) -> Option<String> {
        node.entries()?;
        let given = self.required("file", "\"….md\"")?;
        let Some(file) = text(given) else {
            self.string("file", given);
            return None;
        };
        let args = || args! { "file" => file };
        if !inside(file) {
            self.say(messages::OUTSIDE.render(args()), given.spot);
            return None;
        }
        if !file.ends_with(".md") && !file.is_empty() {
            let problem = Problem::new(messages::NOT_MD.render(args()), self.place.file, Some(given.spot));
            self.note(problem.with_severity(Severity::Warning));
        }
        let path = self.place.file.parent()?.join(file);
        let Some(read) = self.place.tree.files.get(&path).filter(|_| !file.is_empty()) else {
            self.say(messages::FILE_MISSING.render(args()), given.spot);
            return None;
        };
        if !read.real.starts_with(self.place.folder) {
            let args = args! { "file" => file, "target" => read.real.display().to_string() };
            self.say(messages::LINKED_OUT.render(args), given.spot);
            return None;
        }
        match &read.text {
            Ok(text) if text.len() > MAX_TEXT => {
                self.say(messages::TEXT_TOO_LARGE.render(args()), given.spot);
                None
            }
            Ok(text) => {
                if text.is_empty() {
                    let problem = Problem::new(messages::EMPTY_TEXT.render(args()), self.place.file, Some(given.spot));
                    self.note(problem.with_severity(Severity::Warning));
                }
                Some(text.clone())
            }
            Err(problem) => {
                self.say(unread(file, problem), given.spot);
                None
            }
        }
    }

    /// The names of tools that it waits for.
    fn filter(&mut self, event: &str) -> Option<Vec<String>> {
        let given = self.get("tool_filter")?;
        let Kind::List(items) = &given.kind else {
            self.say(
                messages::FILTER_TYPE.render(args! { "found" => given.json_word() }),
                given.spot,
            );
            return None;
        };
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            match text(item) {
                Some(name) => names.push(name.to_owned()),
                None => self.say(
                    messages::FILTER_ITEM.render(args! { "found" => item.json_word() }),
                    item.spot,
                ),
            }
        }
        if event != AFTER_TOOL_CALL {
            if CARD.event(event).is_some() {
                self.say(
                    messages::FILTER_ELSEWHERE.render(args! { "timing" => event }),
                    given.spot,
                );
            }
            return None;
        }
        if names.is_empty() && items.is_empty() {
            self.say(messages::FILTER_EMPTY.render_plain(), given.spot);
        }
        (!names.is_empty()).then_some(names)
    }

    fn string(&mut self, field: &str, given: &Node) {
        let args = args! { "field" => field, "found" => given.json_word() };
        self.say(messages::STRING_TYPE.render(args), given.spot);
    }

    fn say(&mut self, words: Message, spot: TextPosition) {
        self.note(Problem::new(words, self.place.file, Some(spot)));
    }

    fn note(&mut self, problem: Problem) {
        self.problems.push(problem.for_hook(self.place.id));
    }

    fn first_error(&self) -> Option<Message> {
        let mut errors = self
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        errors.next().map(words_of)
    }
}

/// The sentence of a problem.
fn words_of(problem: &Problem) -> Message {
    Message {
        code: problem.code.word(),
        text: problem.message.clone(),
        hint: problem.hint.clone(),
        args: problem.args.clone(),
    }
}

/// Why a text was not read, said of the hook that names it.
fn unread(file: &str, problem: &Problem) -> Message {
    let beside = |key: &str| problem.args.get(key).cloned().unwrap_or_default();
    if problem.code == Code::TooLarge {
        messages::TEXT_TOO_LARGE.render(args! { "file" => file })
    } else if problem.code == Code::FileOutside {
        messages::LINKED_OUT.render(args! { "file" => file, "target" => beside("target") })
    } else if problem.args.contains_key("offset") {
        messages::TEXT_NOT_UTF8.render(args! { "file" => file, "offset" => beside("offset") })
    } else {
        messages::TEXT_UNREADABLE.render(args! { "file" => file, "why" => beside("why") })
    }
}

/// A value as it is written.
fn written(node: &Node) -> String {
    node.to_value().to_string()
}

fn condition_of(names: Vec<String>) -> Condition {
    Condition {
        clauses: vec![Clause {
            key: "tool_filter",
            field: "tool_name",
            test: Predicate::OneOf(names),
        }],
    }
}
