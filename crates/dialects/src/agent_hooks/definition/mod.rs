//! Reads a HOOK.md into a hook (`agent-hooks.md` §2). It never fails: every error becomes a Problem and affects only
//! its own hook.

mod rules;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, DisabledReason, Handler, Hook, Message, OnFailure, Parsed, PlacedBy, Problem, Root, Severity,
    Source, SourceFile, SourceTree, args,
};

use super::entry::{self, GuardRole};
use super::events::{BEFORE_STOP, CARD};
use super::roots::HOOK_FILE;
use super::{messages, name, schema};
use crate::command_lint::{MergeRule, join_few, merge_by_rule};
use crate::front_matter::{self, FrontMatter};
use crate::node::{Entry, FieldReader, Node, ValueKind, sort_keys};
use crate::suggest::{nearest, nearest_event};
use crate::yaml;

/// The known fields of the front matter.
pub const FIELDS: [&str; 9] = field_names(&schema::FIELDS);
/// The known fields of a matcher.
pub const MATCHER_FIELDS: [&str; 2] = field_names(&schema::MATCHER_FIELDS);
const MAX_DESCRIPTION_CHARS: usize = 1024;
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
                    NoDefinition::Problem(problem) => *problem,
                    NoDefinition::Message(message, position) => Problem::new(message, path, Some(position)),
                });
                continue;
            }
        };
        let mut reader = HookFileReader::new(tree, path, &node);
        parsed.hooks.push(reader.read_hook(&node));
        parsed.problems.append(&mut reader.problems);
    }
    merge_by_rule(&mut parsed.problems, &RENAMED);
    parsed
}

/// Later spellings in several hooks are one choice of their author, so they are reported together.
const RENAMED: MergeRule = MergeRule {
    templates: &[(messages::RENAMED, messages::RENAMED_ALL)],
    across_files: true,
    shared_key: |_| String::new(),
    lists: &[
        ("written", "names", join_few),
        ("event", "events", |events| events.join(", ")),
    ],
};

/// Why a file has no definition.
enum NoDefinition {
    Problem(Box<Problem>),
    Message(Message, TextPosition),
}

fn front_matter(file: &SourceFile) -> Result<Arc<Node>, NoDefinition> {
    let text = file
        .text
        .as_ref()
        .map_err(|problem| NoDefinition::Problem(Box::new(problem.clone())))?;
    let yaml = match front_matter::split(text) {
        FrontMatter::Found { yaml, .. } => yaml,
        FrontMatter::Missing => return Err(NoDefinition::Message(messages::NO_FRONT.render_plain(), START)),
        FrontMatter::Unclosed => return Err(NoDefinition::Message(messages::OPEN_FRONT.render_plain(), START)),
    };
    let no_mapping = |found: &str, position| {
        NoDefinition::Message(messages::FRONT_TYPE.render(args! { "found" => found }), position)
    };
    match yaml::read(yaml) {
        Ok(Some(node)) if node.entries().is_some() => Ok(node),
        Ok(Some(node)) => Err(no_mapping(node.yaml_type(), node.position)),
        Ok(None) => Err(no_mapping("null", START)),
        Err(broken) => Err(NoDefinition::Message(broken.message, broken.position)),
    }
}

/// Reads one HOOK.md and collects its problems.
struct HookFileReader<'a> {
    root: &'a Root,
    tree: &'a SourceTree,
    path: &'a Path,
    folder: &'a Path,
    folder_name: String,
    /// The name in the id.
    named: String,
    id: String,
    problems: Vec<Problem>,
    field_positions: BTreeMap<String, TextPosition>,
}

impl<'a> HookFileReader<'a> {
    fn new(tree: &'a SourceTree, path: &'a Path, node: &Node) -> Self {
        let folder = path.parent().unwrap_or(path);
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let given = node.get("name").filter(|name| !name.is_null());
        let named = match given.map(|name| &name.kind) {
            Some(ValueKind::Scalar { text, .. }) if !text.trim().is_empty() => text.clone(),
            Some(_) | None => folder_name.clone(),
        };
        Self {
            root: &tree.root,
            tree,
            path,
            folder,
            folder_name,
            id: format!("{}{named}", tree.root.layer.id_prefix(CARD.id)),
            named,
            problems: Vec::new(),
            field_positions: BTreeMap::new(),
        }
    }

    fn read_hook(&mut self, node: &Node) -> Hook {
        let fields = FieldReader {
            entries: node.entries().unwrap_or_default(),
        };
        node.for_each_duplicate_key(&mut |entry| {
            self.report(
                messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
                entry.key_position,
            );
        });
        self.report_unknown_fields(fields.entries, "", &FIELDS);
        let label = self.read_name(fields, node.position);
        self.check_description(fields, node.position);
        let event = self.read_trigger(fields, node.position);
        let (when, filter) = self.read_matcher(fields);
        let timeout = self.read_timeout(fields);
        let mode = self.read_mode(fields);
        let rank = self.read_priority(fields);
        let (handler, off) = self.read_entry(&event, node.position);
        let definition = node.to_value();
        let placed_by = PlacedBy::of_definition(&self.named, &[&event]);
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
                line: node.position.line,
                column: node.position.column,
                project: self.root.project.clone(),
            },
            at: Vec::new(),
            definition_text: sort_keys(&definition).to_string(),
            inherited_text: String::new(),
            definition,
            field_positions: std::mem::take(&mut self.field_positions),
            invalid: self.first_error(),
            blocks_when_invalid: None,
            placed_by,
            disabled_reason: off,
            wrapped: false,
            registered_by: None,
            approval_scope: ApprovalScope::Folder(self.folder.to_owned()),
        }
    }

    fn read_name(&mut self, fields: FieldReader<'_>, mapping_position: TextPosition) -> String {
        let example = args! { "field" => "name", "example" => self.folder_name };
        let Some(node) = fields.get("name") else {
            self.report(messages::MISSING.render(example), mapping_position);
            return self.folder_name.clone();
        };
        let Some(text) = self.text("name", node, Severity::Error) else {
            return self.folder_name.clone();
        };
        let long = text.chars().count();
        if text.trim().is_empty() {
            self.report(messages::EMPTY.render(example), node.position);
            return self.folder_name.clone();
        }
        if long > name::MAX_NAME_CHARS {
            let args = args! { "field" => "name", "found" => long, "most" => name::MAX_NAME_CHARS };
            self.report(messages::TOO_LONG.render(args), node.position);
        } else if let Some(message) = name::check_name(text, &self.folder_name) {
            self.report(message, node.position);
        }
        text.to_owned()
    }

    /// Checks the description. A hook also runs without a good one, so every problem here is a warning.
    fn check_description(&mut self, fields: FieldReader<'_>, mapping_position: TextPosition) {
        let example =
            args! { "field" => "description", "example" => hookwright_model::term!("what it does, in one sentence") };
        let Some(node) = fields.get("description") else {
            return self.warn(messages::MISSING.render(example), mapping_position);
        };
        let Some(text) = self.text("description", node, Severity::Warning) else {
            return;
        };
        let long = text.chars().count();
        if text.trim().is_empty() {
            self.warn(messages::EMPTY.render(example), node.position);
        } else if long > MAX_DESCRIPTION_CHARS {
            let args = args! { "field" => "description", "found" => long, "most" => MAX_DESCRIPTION_CHARS };
            self.warn(messages::TOO_LONG.render(args), node.position);
        }
    }

    /// The event in the seed's spelling. An unknown event is returned as written.
    fn read_trigger(&mut self, fields: FieldReader<'_>, mapping_position: TextPosition) -> String {
        let Some(node) = fields.get("trigger") else {
            let args = args! { "field" => "trigger", "example" => CARD.first };
            self.report(messages::MISSING.render(args), mapping_position);
            return String::new();
        };
        let Some(written) = self.text("trigger", node, Severity::Error) else {
            return String::new();
        };
        if CARD.event(written).is_some() {
            return written.to_owned();
        }
        if let Some(event) = CARD.resolve_alias(written) {
            self.report(
                messages::RENAMED.render(args! { "written" => written, "event" => event }),
                node.position,
            );
            return event.to_owned();
        }
        let names = || CARD.events.iter().map(|event| event.name);
        let all = names().collect::<Vec<_>>().join(", ");
        let later = CARD.aliases.iter().any(|(alias, _)| *alias == written);
        let message = match nearest_event(written, names()) {
            _ if later => messages::UNKNOWN_EVENT_LATER.render(args! { "event" => written, "events" => all }),
            Some(nearest) => messages::UNKNOWN_EVENT_NEAR.render(args! { "event" => written, "nearest" => nearest }),
            None => messages::UNKNOWN_EVENT.render(args! { "event" => written, "events" => all }),
        };
        self.report(message, node.position);
        written.to_owned()
    }

    /// The script, and the reason why the hook is off if the script is Hookwright's relay.
    fn read_entry(&mut self, event: &str, mapping_position: TextPosition) -> (Handler, Option<DisabledReason>) {
        let found = entry::find(self.tree, self.folder);
        let handler = Handler::Script {
            entry: found.as_ref().map(|(path, _)| path.clone()),
        };
        if let Some((_, SourceFile { text: Err(problem), .. })) = &found
            && problem.code == hookwright_model::Code::FileOutside
        {
            // An approval of the project does not cover a file outside the project.
            self.problems.push(problem.clone().for_hook(&self.id));
            return (handler, None);
        }
        let role = if ["before_tool", BEFORE_STOP].contains(&event) {
            GuardRole::Guard
        } else {
            GuardRole::Other
        };
        if let Some((message, fix)) = entry::start_error(found.as_ref(), role) {
            self.report(message, mapping_position);
            if let Some(problem) = self.problems.last_mut() {
                problem.fixes.extend(fix);
            }
        }
        let relay = found.is_some_and(|(_, file)| entry::is_relay(file));
        let off = relay.then(|| {
            let message = messages::RELAY.render_plain();
            self.report(message.clone(), mapping_position);
            DisabledReason::Relay(message)
        });
        (handler, off)
    }

    fn report(&mut self, message: Message, position: TextPosition) {
        self.problems
            .push(Problem::new(message, self.path, Some(position)).for_hook(&self.id));
    }

    fn warn(&mut self, message: Message, position: TextPosition) {
        let problem = Problem::new(message, self.path, Some(position)).for_hook(&self.id);
        self.problems.push(problem.with_severity(Severity::Warning));
    }

    /// Why the definition is invalid: its first error.
    fn first_error(&self) -> Option<Message> {
        let problem = self
            .problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)?;
        Some(Message {
            code: problem.code.as_str(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    /// Reports unknown fields, and records the position of every field. `within` is the mapping that contains them,
    /// with its dot.
    fn report_unknown_fields(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries {
            let field = format!("{within}{}", entry.key);
            self.field_positions.insert(field.clone(), entry.value.position);
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let switch = ["enabled", "disabled", "enable", "disable"].contains(&entry.key.as_str());
            let message = if within.is_empty() && switch {
                messages::UNKNOWN_FIELD_SWITCH.render(args! { "field" => field })
            } else if let Some(nearest) = nearest(&entry.key, known.iter().copied()) {
                messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest })
            } else {
                messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") })
            };
            self.report(message, entry.key_position);
        }
    }
}

#[cfg(test)]
#[path = "../definition_tests.rs"]
mod tests;
