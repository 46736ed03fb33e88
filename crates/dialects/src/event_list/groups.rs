//! Reads lists of groups: `{"PreToolUse": [{"matcher": "Bash", "hooks": [ … ]}]}`.
//!
//! What it deliberately does not do: it makes no hook. The dialect does that for each entry.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookwright_model::definition::DefinitionKind;
use hookwright_model::{
    Card, Condition, Hook, MAX_FILE_HOOKS, Message, MessageTemplate, Parsed, PathStep, Problem, Root, args,
};
use serde_json::{Map, Value, json};

use super::{EventList, ListMessages};
use crate::definition::{self, Fields, Problems};
use crate::node::{Node, ValueKind};
use crate::splice::key;

/// What a dialect says about its groups.
#[derive(Debug)]
pub struct Groups {
    /// The card of the dialect.
    pub card: &'static Card,
    /// The fields of a group.
    pub group: &'static DefinitionKind,
    /// The messages about its lists.
    pub lists: ListMessages,
    /// The value of the section is no mapping: `found`.
    pub section_type: MessageTemplate,
    /// Whether the agent rejects the whole file because of that.
    pub section_rejects: bool,
    /// The flags of a group that its entries inherit.
    pub inherited_flags: &'static [&'static str],
    /// Checks what no row can say about a group.
    pub check: fn(event: &str, group: &Fields<'_>, problems: &mut Problems<'_>),
    /// Reads an entry: its hook, and its problems.
    pub read_entry: ReadEntry,
}

/// Reads an entry of a group into a hook with this id, and its problems.
pub type ReadEntry = fn(&Group<'_>, id: &str, index: usize, entry: &Node) -> (Hook, Vec<Problem>);

/// What the entries of a group share.
#[derive(Debug)]
pub struct Group<'a> {
    /// The root whose file contains it.
    pub root: &'a Root,
    /// The event of its list, as it is written.
    pub event: &'a str,
    /// The path to it in its file.
    pub at: Vec<PathStep>,
    /// The condition under which its entries run.
    pub when: Condition,
    /// Its own fields.
    pub fields: &'a Fields<'a>,
    /// The fields that apply to its entries, as JSON: flags that are on, and a matcher that excludes something.
    pub inherited: String,
    /// The error that makes all of its entries invalid.
    pub invalid: Option<Message>,
}

impl Group<'_> {
    /// The path to an entry in its file.
    #[must_use]
    pub fn entry_path(&self, index: usize) -> Vec<PathStep> {
        [self.at.as_slice(), &[key("hooks"), PathStep::Item(index)]].concat()
    }

    /// Its matcher as it is written.
    #[must_use]
    pub fn matcher(&self) -> Option<&Node> {
        self.fields.given("matcher")
    }

    /// The matcher as JSON, to be shown.
    #[must_use]
    pub fn matcher_as_shown(&self) -> Option<Value> {
        matcher_as_shown(self.matcher())
    }
}

/// A matcher as JSON, to be shown.
#[must_use]
pub fn matcher_as_shown(matcher: Option<&Node>) -> Option<Value> {
    matcher.map(|matcher| json!({ "matcher": matcher.to_value() }))
}

/// Reads the section `hooks` of a file. `part` is the part of the ids that names the file.
#[must_use]
pub fn read_file(says: &Groups, root: &Root, part: &str, node: &Node) -> Parsed {
    let mut parsed = Parsed::default();
    let mut problems = Problems::new(&root.path, None, node.position);
    let mut seen = BTreeSet::new();
    let firsts = node.entries().unwrap_or_default().iter().map(|entry| (0, entry));
    let sections = firsts.chain(node.numbered_duplicates());
    let (counted, line) = super::counted(says.lists.last_counts, node, "hooks");
    for (nth, section) in sections.filter(|(_, entry)| entry.key == "hooks") {
        let message = || says.lists.duplicate.render(args! { "key" => "hooks", "line" => line });
        let invalid = (nth != counted).then(message);
        if let Some(message) = &invalid {
            problems.report(message.clone(), section.key_position);
        }
        let is_absent = section.value.is_null() && says.card.definition.null_is_absent;
        if section.value.entries().is_none() && !is_absent {
            let message = says.section_type.render(args! { "found" => section.value.json_type() });
            if says.section_rejects {
                problems.report_rejected(message, section.value.position);
            } else {
                problems.report(message, section.value.position);
            }
        }
        let at = [PathStep::Key("hooks".to_owned(), nth)];
        read_section(
            says,
            root,
            part,
            &section.value,
            &at,
            invalid.as_ref(),
            &mut seen,
            &mut problems,
            &mut parsed,
        );
    }
    parsed.problems = problems.into_list();
    parsed
}

/// Reads a mapping from events, which is at this path of its file.
#[expect(
    clippy::too_many_arguments,
    reason = "what a section needs beside its text comes from its file"
)]
fn read_section(
    says: &Groups,
    root: &Root,
    part: &str,
    section: &Node,
    at: &[PathStep],
    invalid: Option<&Message>,
    seen: &mut BTreeSet<String>,
    problems: &mut Problems<'_>,
    parsed: &mut Parsed,
) {
    let read_list = |list: &EventList<'_>, problems: &mut Problems<'_>| {
        for (index, group) in list.items().iter().enumerate() {
            if parsed.hooks.len() > MAX_FILE_HOOKS {
                return;
            }
            let key = format!("{}:{part}.{index}", list.key);
            let at = [at, &[list.step.clone(), PathStep::Item(index)]].concat();
            let (mut hooks, mut found) = read_group(says, root, &list.entry.key, &key, at, group);
            list.invalidate(&mut hooks, &mut found);
            parsed.hooks.append(&mut hooks);
            problems.extend(found);
        }
    };
    super::read(says.card, &says.lists, section, invalid, seen, problems, read_list);
}

/// Reads a group and its entries. `key` is its part of the ids, and `at` the path to it in its file.
fn read_group(
    says: &Groups,
    root: &Root,
    event: &str,
    key: &str,
    at: Vec<PathStep>,
    node: &Node,
) -> (Vec<Arc<Hook>>, Vec<Problem>) {
    let mut problems = Problems::new(&root.path, None, node.position);
    let fields = definition::read(says.card.definition, says.group, "", node, &mut problems);
    let when = fields.condition(says.card.event(event), &mut problems);
    (says.check)(event, &fields, &mut problems);
    let group = Group {
        root,
        event,
        at,
        when,
        inherited: inherited_text(says, &fields),
        fields: &fields,
        invalid: problems.invalid.take(),
    };
    let mut hooks = Vec::new();
    let entries: &[Arc<Node>] = match fields.get("hooks").map(|list| &list.kind) {
        Some(ValueKind::List(entries)) => entries,
        Some(ValueKind::Scalar { .. } | ValueKind::Mapping { .. }) | None => &[],
    };
    for (index, node) in entries.iter().enumerate().take(MAX_FILE_HOOKS + 1) {
        let id = format!("{}{key}.{index}", root.layer.id_prefix(says.card.id));
        let (hook, found) = (says.read_entry)(&group, &id, index, node);
        hooks.push(Arc::new(hook));
        problems.extend(found);
    }
    (hooks, problems.into_list())
}

/// The fields of a group that apply to its entries, as JSON.
fn inherited_text(says: &Groups, fields: &Fields<'_>) -> String {
    let matcher = fields.given("matcher").map(Node::to_value);
    let narrow = matcher.filter(|matcher| !matches!(matcher.as_str(), Some("" | "*")));
    let mut inherited = Map::new();
    inherited.extend(narrow.map(|matcher| ("matcher".to_owned(), matcher)));
    let flags = says.inherited_flags.iter().filter(|flag| fields.flag(flag));
    inherited.extend(flags.map(|flag| ((*flag).to_owned(), Value::Bool(true))));
    if inherited.is_empty() {
        String::new()
    } else {
        json!(inherited).to_string()
    }
}
