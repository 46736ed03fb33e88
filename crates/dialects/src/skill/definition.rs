//! Reads one entry of `hooks.json` (`skill.md` §2): every field, its default, its validation.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Clause, Code, Condition, Handler, Hook, Message, OnFailure, PathStep, PlacedBy, Predicate, Problem,
    RunMode, Severity, Source, SourceTree, args,
};
use serde_json::Value;

use super::events::{AFTER_TOOL_CALL, CARD};
use super::{messages, schema};
use crate::node::{Entry, Node, ValueKind, sort_keys};
use crate::suggest::{nearest, nearest_event};

/// The known fields of an entry.
pub const FIELDS: [&str; 6] = field_names(&schema::FIELDS);
const MAX_TEXT_BYTES: usize = 256 << 10;

/// The position of an entry.
pub struct EntrySite<'a> {
    /// The files of the skills root that was read.
    pub tree: &'a SourceTree,
    /// The entry's `hooks.json`.
    pub file: &'a Path,
    /// The folder of that file, after links are followed.
    pub folder: &'a Path,
    pub id: &'a str,
    /// The part of the id after the layer: the skill and the name.
    pub name_in_id: &'a str,
    /// The path to the entry in its file.
    pub at: Vec<PathStep>,
}

/// Reads one entry and collects its problems.
pub struct EntryReader<'a> {
    site: EntrySite<'a>,
    entries: &'a [Entry],
    position: TextPosition,
    /// All problems found so far.
    pub problems: Vec<Problem>,
}

/// The name of an entry, if it is a string and not blank.
#[must_use]
pub fn entry_name(node: &Node) -> Option<&str> {
    text(node.get("name")?).filter(|name| !name.trim().is_empty())
}

/// The path of an entry's text, if the path as written stays inside the folder.
#[must_use]
pub fn text_path(folder: &Path, node: &Node) -> Option<PathBuf> {
    let file = text(node.get("file")?).filter(|file| is_inside_folder(file))?;
    Some(folder.join(file))
}

/// Whether a path, as written, names something below its folder.
pub(super) fn is_inside_folder(file: &str) -> bool {
    // Paths that leave the folder on another operating system are refused too: a leading backslash, a drive letter.
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
        ValueKind::Scalar {
            value: Value::String(text),
            ..
        } => Some(text),
        ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => None,
    }
}

impl<'a> EntryReader<'a> {
    #[must_use]
    pub fn new(site: EntrySite<'a>, node: &'a Node) -> Self {
        Self {
            site,
            entries: node.entries().unwrap_or_default(),
            position: node.position,
            problems: Vec::new(),
        }
    }

    /// Reads the entry into a hook. With an `invalid_reason` the hook is invalid, whatever the entry contains.
    #[must_use]
    pub fn read(&mut self, node: &Node, invalid_reason: Option<&Message>) -> Hook {
        if node.entries().is_none() {
            self.report(
                messages::ENTRY_TYPE.render(args! { "found" => node.json_type() }),
                node.position,
            );
        } else {
            node.for_each_duplicate_key(&mut |entry| {
                self.report(
                    messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
                    entry.key_position,
                )
            });
            self.report_unknown_fields();
            self.check_persistent();
            self.check_role();
        }
        let name = self.read_name(node);
        let (event, file) = (self.read_timing(node), self.read_text(node));
        let condition = self.read_filter(&event);
        let definition = node.to_value();
        let placed_by = PlacedBy::of_definition(self.site.name_in_id, &[&event]);
        let path = text_path(self.site.file.parent().unwrap_or(Path::new("")), node);
        Hook {
            id: self.site.id.to_owned(),
            dialect: CARD.id,
            event,
            label: name.unwrap_or_else(|| self.site.id.to_owned()),
            handler: Handler::Insert {
                text: file.unwrap_or_default(),
            },
            filter: condition
                .as_ref()
                .map(|names| names.iter().map(String::as_str).collect()),
            when: condition.map(tool_condition).unwrap_or_default(),
            timeout: Duration::ZERO,
            attempts: 1,
            on_failure: OnFailure::Open,
            mode: RunMode::Await,
            rank: None,
            source: self.source(),
            at: self.site.at.clone(),
            definition_text: sort_keys(&definition).to_string(),
            inherited_text: String::new(),
            definition,
            field_positions: self.field_positions(),
            invalid: invalid_reason.cloned().or_else(|| self.first_error()),
            blocks_when_invalid: None,
            placed_by,
            disabled_reason: None,
            wrapped: false,
            registered_by: None,
            approval_scope: path.map_or(ApprovalScope::Nothing, |path| ApprovalScope::Files(vec![path])),
        }
    }

    fn source(&self) -> Source {
        let root = &self.site.tree.root;
        Source {
            layer: root.layer,
            path: self.site.file.to_owned(),
            line: self.position.line,
            column: self.position.column,
            project: root.project.clone(),
        }
    }

    fn field_positions(&self) -> BTreeMap<String, TextPosition> {
        let position_of = |entry: &Entry| (entry.key.clone(), entry.value.position);
        self.entries.iter().map(position_of).collect()
    }

    fn get(&self, field: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == field)?;
        Some(&entry.value)
    }

    /// The value of a required field. A missing field is reported.
    fn required_field(&mut self, field: &str, example: &str) -> Option<&'a Node> {
        let found = self.get(field);
        if found.is_none() {
            self.report(
                messages::MISSING.render(args! { "field" => field, "example" => example }),
                self.position,
            );
        }
        found
    }

    fn report_unknown_fields(&mut self) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !FIELDS.contains(&entry.key.as_str()))
        {
            let message = match nearest(&entry.key, FIELDS.into_iter()) {
                Some(nearest) => {
                    messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => entry.key, "nearest" => nearest })
                }
                None => messages::UNKNOWN_FIELD.render(args! { "field" => entry.key, "known" => FIELDS.join(", ") }),
            };
            self.report(message, entry.key_position);
        }
    }

    fn read_name(&mut self, node: &Node) -> Option<String> {
        node.entries()?;
        let given = self.required_field("name", "\"…\"")?;
        let Some(name) = text(given) else {
            self.report_string_type("name", given);
            return None;
        };
        if name.trim().is_empty() {
            self.report(messages::BLANK_NAME.render_plain(), given.position);
            return None;
        }
        Some(name.to_owned())
    }

    fn check_persistent(&mut self) {
        let Some(given) = self.required_field("persistent", "false") else {
            return;
        };
        if !matches!(
            &given.kind,
            ValueKind::Scalar {
                value: Value::Bool(_),
                ..
            }
        ) {
            let args = args! { "field" => "persistent", "found" => given.json_type() };
            self.report(messages::FLAG_TYPE.render(args), given.position);
        }
    }

    fn check_role(&mut self) {
        let Some(given) = self.required_field("role", "\"system\"") else {
            return;
        };
        if !text(given).is_some_and(|role| ["system", "user"].contains(&role)) {
            self.report(
                messages::UNKNOWN_ROLE.render(args! { "written" => written(given) }),
                given.position,
            );
        }
    }

    /// The event. An unknown timing is returned as written; a missing one, or one that is not a string, is returned
    /// empty.
    fn read_timing(&mut self, node: &Node) -> String {
        if node.entries().is_none() {
            return String::new();
        }
        let Some(given) = self.required_field("timing", "\"after_user_input\"") else {
            return String::new();
        };
        let named = text(given).unwrap_or_default();
        if CARD.event(named).is_none() {
            let names = || CARD.events.iter().map(|event| event.name);
            let message = match nearest_event(named, names()) {
                Some(nearest) => {
                    messages::UNKNOWN_TIMING_NEAR.render(args! { "written" => written(given), "nearest" => nearest })
                }
                None => {
                    let known: Vec<&str> = names().collect();
                    messages::UNKNOWN_TIMING.render(args! { "written" => written(given), "known" => known.join(", ") })
                }
            };
            self.report(message, given.position);
        }
        named.to_owned()
    }

    /// The content of the text file. `None` after a problem was reported.
    fn read_text(&mut self, node: &Node) -> Option<String> {
        node.entries()?;
        let given = self.required_field("file", "\"….md\"")?;
        let Some(file) = text(given) else {
            self.report_string_type("file", given);
            return None;
        };
        let args = || args! { "file" => file };
        if !is_inside_folder(file) {
            self.report(messages::OUTSIDE.render(args()), given.position);
            return None;
        }
        if !file.ends_with(".md") && !file.is_empty() {
            let problem = Problem::new(messages::NOT_MD.render(args()), self.site.file, Some(given.position));
            self.push_problem(problem.with_severity(Severity::Warning));
        }
        let path = self.site.file.parent()?.join(file);
        let Some(read) = self.site.tree.files.get(&path).filter(|_| !file.is_empty()) else {
            self.report(messages::FILE_MISSING.render(args()), given.position);
            return None;
        };
        if !read.real.starts_with(self.site.folder) {
            let args = args! { "file" => file, "target" => read.real.display().to_string() };
            self.report(messages::LINKED_OUT.render(args), given.position);
            return None;
        }
        match &read.text {
            Ok(text) if text.len() > MAX_TEXT_BYTES => {
                self.report(messages::TEXT_TOO_LARGE.render(args()), given.position);
                None
            }
            Ok(text) => {
                if text.is_empty() {
                    let problem = Problem::new(
                        messages::EMPTY_TEXT.render(args()),
                        self.site.file,
                        Some(given.position),
                    );
                    self.push_problem(problem.with_severity(Severity::Warning));
                }
                Some(text.clone())
            }
            Err(problem) => {
                self.report(unread_message(file, problem), given.position);
                None
            }
        }
    }

    /// The tool names of `tool_filter`, if the filter is effective.
    fn read_filter(&mut self, event: &str) -> Option<Vec<String>> {
        let given = self.get("tool_filter")?;
        let ValueKind::List(items) = &given.kind else {
            self.report(
                messages::FILTER_TYPE.render(args! { "found" => given.json_type() }),
                given.position,
            );
            return None;
        };
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            match text(item) {
                Some(name) => names.push(name.to_owned()),
                None => self.report(
                    messages::FILTER_ITEM.render(args! { "found" => item.json_type() }),
                    item.position,
                ),
            }
        }
        if event != AFTER_TOOL_CALL {
            if CARD.event(event).is_some() {
                self.report(
                    messages::FILTER_ELSEWHERE.render(args! { "timing" => event }),
                    given.position,
                );
            }
            return None;
        }
        if names.is_empty() && items.is_empty() {
            self.report(messages::FILTER_EMPTY.render_plain(), given.position);
        }
        (!names.is_empty()).then_some(names)
    }

    fn report_string_type(&mut self, field: &str, given: &Node) {
        let args = args! { "field" => field, "found" => given.json_type() };
        self.report(messages::STRING_TYPE.render(args), given.position);
    }

    fn report(&mut self, message: Message, position: TextPosition) {
        self.push_problem(Problem::new(message, self.site.file, Some(position)));
    }

    fn push_problem(&mut self, problem: Problem) {
        self.problems.push(problem.for_hook(self.site.id));
    }

    fn first_error(&self) -> Option<Message> {
        let mut errors = self
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        errors.next().map(message_of)
    }
}

/// The message of a problem.
fn message_of(problem: &Problem) -> Message {
    Message {
        code: problem.code.as_str(),
        text: problem.message.clone(),
        hint: problem.hint.clone(),
        args: problem.args.clone(),
    }
}

/// Why a text was not read, as a message about the hook that names it.
fn unread_message(file: &str, problem: &Problem) -> Message {
    let arg = |key: &str| problem.args.get(key).cloned().unwrap_or_default();
    if problem.code == Code::TooLarge {
        messages::TEXT_TOO_LARGE.render(args! { "file" => file })
    } else if problem.code == Code::FileOutside {
        messages::LINKED_OUT.render(args! { "file" => file, "target" => arg("target") })
    } else if problem.args.contains_key("offset") {
        messages::TEXT_NOT_UTF8.render(args! { "file" => file, "offset" => arg("offset") })
    } else {
        messages::TEXT_UNREADABLE.render(args! { "file" => file, "why" => arg("why") })
    }
}

/// A value as JSON text.
fn written(node: &Node) -> String {
    node.to_value().to_string()
}

fn tool_condition(names: Vec<String>) -> Condition {
    Condition {
        clauses: vec![Clause {
            key: "tool_filter",
            field: "tool_name",
            predicate: Predicate::OneOf(names),
        }],
    }
}
