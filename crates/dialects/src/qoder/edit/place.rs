//! Where an entry stands, and what its group says.

use std::path::PathBuf;

use hookwright_model::{Handler, Hook, Message, SourceTree, args};
use serde_json::{Map, Value};

use super::MODULE;
use crate::edited::{Name, Spot};
use crate::splice::{Path, Step, key};

/// A hook's place in its file.
#[derive(Clone)]
pub(super) struct Here<'d> {
    pub tree: &'d SourceTree,
    /// The event's list.
    pub event_at: Path,
    /// Its part of the ids, and what stands before the group's number there.
    pub event: String,
    pub prefix: String,
    pub group: usize,
    pub index: usize,
}

impl<'d> Here<'d> {
    /// Where a hook stands: its id tells group and entry, `Event.2` there the second list of an event.
    pub fn of(tree: &'d SourceTree, hook: &Hook) -> Option<Self> {
        let spot = Spot::of(hook, '.')?;
        let (prefix, group) = spot.list.1.strip_suffix('.')?.rsplit_once('.')?;
        let event = &hook.event;
        let list = prefix.splitn(3, ':').nth(2)?.strip_prefix(event.as_str())?;
        let nth = list.strip_prefix('.').and_then(|rest| rest.split(':').next());
        let nth = nth
            .and_then(|nth| nth.parse::<usize>().ok())
            .map_or(0, |nth| nth.saturating_sub(1));
        Some(Self {
            tree,
            event_at: vec![key("hooks"), Step::Key(event.clone(), nth)],
            event: event.clone(),
            prefix: format!("{prefix}."),
            group: group.parse().ok()?,
            index: spot.index,
        })
    }

    pub fn path(&self) -> PathBuf {
        self.tree.root.path.clone()
    }

    pub fn group_at(&self) -> Path {
        [self.event_at.as_slice(), &[Step::Item(self.group)]].concat()
    }

    pub fn entries_at(&self) -> Path {
        [self.group_at(), vec![key("hooks")]].concat()
    }

    pub fn at(&self) -> Path {
        [self.entries_at(), vec![Step::Item(self.index)]].concat()
    }

    pub fn list(&self, group: usize) -> Name {
        (self.path(), format!("{}{group}.", self.prefix))
    }

    pub fn spot(&self) -> Spot {
        Spot {
            list: self.list(self.group),
            index: self.index,
        }
    }
}

/// Whether a group is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Known,
    New,
}

/// A group that has nothing but entries.
pub(super) fn takes_everything(group: &Value) -> bool {
    let Some(fields) = group.as_object() else { return false };
    let matcher = fields
        .get("matcher")
        .is_none_or(|value| value.is_null() || value == "" || value == "*");
    let others = fields.keys().all(|name| name == "matcher" || name == "hooks");
    matcher && others && fields.get("hooks").is_some_and(Value::is_array)
}

/// What the entries of a group share.
pub(super) fn shared(group: Value) -> Map<String, Value> {
    match group {
        Value::Object(mut fields) => {
            fields.shift_remove("hooks");
            fields
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

pub(super) fn not_python(hook: &Hook, id: &str) -> Result<(), Message> {
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
