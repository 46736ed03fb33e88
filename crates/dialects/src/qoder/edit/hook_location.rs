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
    pub event: String,
    pub group: usize,
    pub index: usize,
}

impl<'d> HookLocation<'d> {
    /// The location of an entry of a settings file.
    pub fn from_hook(tree: &'d SourceTree, hook: &Hook) -> Option<Self> {
        let [section, list, PathStep::Item(group), _, PathStep::Item(index)] = hook.at.as_slice() else {
            return None;
        };
        Some(Self {
            tree,
            event_path: vec![section.clone(), list.clone()],
            event: hook.event.clone(),
            group: *group,
            index: *index,
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
        let group = PathStep::Item(group);
        (
            self.file_path(),
            [self.event_path.as_slice(), &[group, key("hooks")]].concat(),
        )
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
