//! The location of an entry in its file, and the fields of its group.

use std::path::PathBuf;

use hookwright_model::{Handler, Hook, Message, SourceTree, args};
use serde_json::{Map, Value};

use super::MODULE;
use crate::editing::{ListName, ListSlot};
use crate::splice::{Path, PathStep, key};

/// The location of a hook in its file.
#[derive(Clone)]
pub(super) struct HookLocation<'d> {
    pub tree: &'d SourceTree,
    /// The path of the event's list.
    pub event_path: Path,
    /// The event's name. `prefix` is the part of the ids before the group's number.
    pub event: String,
    pub prefix: String,
    pub group: usize,
    pub index: usize,
}

impl<'d> HookLocation<'d> {
    /// Finds a hook by its id, which contains the group and the entry. `Event.2` there is the second list of an event.
    pub fn from_hook(tree: &'d SourceTree, hook: &Hook) -> Option<Self> {
        let slot = ListSlot::from_hook(hook, '.')?;
        let (prefix, group) = slot.list.1.strip_suffix('.')?.rsplit_once('.')?;
        let event = &hook.event;
        let list = prefix.splitn(3, ':').nth(2)?.strip_prefix(event.as_str())?;
        let nth = list.strip_prefix('.').and_then(|rest| rest.split(':').next());
        let nth = nth
            .and_then(|nth| nth.parse::<usize>().ok())
            .map_or(0, |nth| nth.saturating_sub(1));
        Some(Self {
            tree,
            event_path: vec![key("hooks"), PathStep::Key(event.clone(), nth)],
            event: event.clone(),
            prefix: format!("{prefix}."),
            group: group.parse().ok()?,
            index: slot.index,
        })
    }

    pub fn file_path(&self) -> PathBuf {
        self.tree.root.path.clone()
    }

    pub fn group_path(&self) -> Path {
        [self.event_path.as_slice(), &[PathStep::Item(self.group)]].concat()
    }

    pub fn entries_path(&self) -> Path {
        [self.group_path(), vec![key("hooks")]].concat()
    }

    pub fn entry_path(&self) -> Path {
        [self.entries_path(), vec![PathStep::Item(self.index)]].concat()
    }

    pub fn list_name(&self, group: usize) -> ListName {
        (self.file_path(), format!("{}{group}.", self.prefix))
    }

    pub fn slot(&self) -> ListSlot {
        ListSlot {
            list: self.list_name(self.group),
            index: self.index,
        }
    }
}

/// Whether the group exists or is to be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetGroup {
    Existing,
    New,
}

/// Whether a group has only entries, with no matcher or one that matches everything.
pub(super) fn matches_everything(group: &Value) -> bool {
    let Some(fields) = group.as_object() else { return false };
    let matcher = fields
        .get("matcher")
        .is_none_or(|value| value.is_null() || value == "" || value == "*");
    let others = fields.keys().all(|name| name == "matcher" || name == "hooks");
    matcher && others && fields.get("hooks").is_some_and(Value::is_array)
}

/// The fields of a group that its entries share.
pub(super) fn group_fields(group: Value) -> Map<String, Value> {
    match group {
        Value::Object(mut fields) => {
            fields.shift_remove("hooks");
            fields
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

pub(super) fn reject_python(hook: &Hook, id: &str) -> Result<(), Message> {
    match &hook.handler {
        Handler::Module { path, .. } => {
            let shown = path.display().to_string();
            Err(MODULE.render(args! { "hook" => id, "path" => shown, "line" => hook.source.line }))
        }
        Handler::Shell { .. }
        | Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Builtin => Ok(()),
    }
}
