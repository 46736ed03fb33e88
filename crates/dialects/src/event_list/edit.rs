//! Edits of the lists of a mapping from events: entries, and the groups that contain them.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::{
    Card, FieldValue, Handler, Hook, HookChange, Message, MessageTemplate, SourceTree, TargetLayer, args, render,
};
use serde_json::{Map, Value, json};

use super::has_event;
use crate::editing::{Editor, HookPlace, Shape, value_of};
use crate::node::Node;
use crate::splice::{self, Fragment, Op, PathStep, key};

hookwright_model::messages! {
    /// A hook that is written in Python.
    MODULE = "edit_module" { "{hook} is written in Python, at {path}:{line}", "{hook} 由 Python 编写，位于 {path}:{line}" } hint { "open the file there and change the code", "打开该文件，直接修改代码" };
}

/// The key of the entries in their group.
const ENTRIES: &str = "hooks";
/// The key of a group that says for which subjects its entries run.
const MATCHER: &str = "matcher";

/// The shape of files with lists of events.
pub struct EventLists {
    /// The card of the dialect.
    pub card: &'static Card,
    /// The key of the mapping from events; `None` if it is the whole file.
    pub section: Option<&'static str>,
    /// What the items of a list are.
    pub items: ListItems,
    /// Whether the hooks of a layer are added to the files of this tree.
    pub takes: fn(&SourceTree, TargetLayer) -> bool,
    /// Why no hook can be switched off. The placeholder is `hook`.
    pub no_switch: MessageTemplate,
    /// Why the hooks of a file cannot be edited. The placeholders are `hook`, `path` and `line`.
    pub locked: fn(&Path) -> Option<MessageTemplate>,
}

/// What the items of an event's list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListItems {
    /// Hooks.
    Hooks,
    /// Groups with a matcher, each with a list of hooks.
    Groups,
    /// The same, and a new hook always gets a group of its own.
    GroupsOfOne,
}

impl Shape for EventLists {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn no_switch(&self) -> Option<MessageTemplate> {
        Some(self.no_switch)
    }

    fn check_editable(&self, hook: &Hook, id: &str) -> Result<(), Message> {
        if let Some(template) = (self.locked)(&hook.source.path) {
            let path = hook.source.path.display().to_string();
            return Err(template.render(args! { "hook" => id, "path" => path, "line" => hook.source.line }));
        }
        let Handler::Module { path, .. } = &hook.handler else {
            return Ok(());
        };
        let shown = path.display().to_string();
        Err(render!(MODULE, "hook" => id, "path" => shown, "line" => hook.source.line))
    }

    fn takes(&self, tree: &SourceTree, layer: TargetLayer) -> bool {
        (self.takes)(tree, layer)
    }

    /// Of several files, the first one that has events.
    fn target<'d>(&self, trees: &'d [SourceTree], layer: TargetLayer) -> Option<&'d SourceTree> {
        let mut taking = trees.iter().filter(|tree| self.takes(tree, layer));
        let with_events = taking.clone().find(|tree| self.has_events(tree));
        with_events.or_else(|| taking.next())
    }

    fn add<'d>(
        &self,
        editor: &mut Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
        mut definition: Map<String, Value>,
    ) -> Result<HookPlace<'d>, Message> {
        let mut shared = Map::new();
        if self.items != ListItems::Hooks
            && let Some(matcher) = definition.shift_remove(MATCHER)
        {
            shared.insert(MATCHER.to_owned(), matcher);
        }
        let (here, group) = self.end_of_event(editor, tree, event, shared)?;
        insert(editor, &here, group, Value::Object(definition), None)?;
        Ok(here)
    }

    fn relocate<'d>(
        &self,
        editor: &mut Editor<'d>,
        hook: &'d Hook,
        here: HookPlace<'d>,
        tree: &'d SourceTree,
        _changes: &[HookChange],
    ) -> Result<HookPlace<'d>, Message> {
        let elsewhere = tree.root.path != here.tree.root.path;
        if !editor.is_copy && !elsewhere {
            return Ok(here);
        }
        let there = if !elsewhere {
            let there = here.next();
            copy(editor, &here, &there, None)?;
            there
        } else if self.is_alone_in_group(editor, &here)? {
            // The only entry of a group moves with the whole text of the group, comments included.
            let (mut there, _) = self.end_of_list(editor, tree, &hook.event)?;
            there.at.extend([key(ENTRIES), PathStep::Item(0)]);
            let (from, to) = (here.above(2), there.above(2));
            let (whole, fragment) = (editor.value(&here, from)?, editor.fragment(&here, from, &there.file)?);
            editor.insert(&there, to, whole, fragment)?;
            there
        } else {
            let shared = self.group_fields(editor, &here)?;
            let (there, group) = self.end_of_event(editor, tree, &hook.event, shared)?;
            copy(editor, &here, &there, group)?;
            there
        };
        // The new text is written before the old one is removed.
        if !editor.is_copy {
            self.remove(editor, hook, &here)?;
        }
        Ok(there)
    }

    /// Sets the matcher, which belongs to the group. An entry that shares its group moves to a new group after it.
    fn set_outside(
        &self,
        editor: &mut Editor<'_>,
        here: &mut HookPlace<'_>,
        field: &str,
        value: Option<&FieldValue>,
    ) -> Result<bool, Message> {
        if self.items == ListItems::Hooks || field != MATCHER {
            return Ok(false);
        }
        let value = value.map(|given| self.matcher_value(given)).transpose()?;
        let mut shared = self.group_fields(editor, here)?;
        if shared.get(MATCHER) == value.as_ref() {
            return Ok(true);
        }
        if self.is_alone_in_group(editor, here)? {
            let at = [here.above(2), &[key(MATCHER)]].concat();
            let op = match value {
                Some(value) => Op::Set { at, value },
                None => Op::Unset { at },
            };
            editor.splice(here, op)?;
            return Ok(true);
        }
        match value {
            Some(value) => shared.insert(MATCHER.to_owned(), value),
            None => shared.shift_remove(MATCHER),
        };
        let mut there = here.clone();
        if let [.., PathStep::Item(group), _, PathStep::Item(entry)] = there.at.as_mut_slice() {
            *group += 1;
            *entry = 0;
        }
        copy(editor, here, &there, Some(shared))?;
        editor.texts.remove(here.tree, &here.file, here.at.clone())?;
        *here = there;
        Ok(true)
    }

    /// Moves an entry within its group. The only entry of a group moves with the group, within the event's list.
    fn reorder(&self, editor: &mut Editor<'_>, here: &mut HookPlace<'_>, position: u32) -> Result<(), Message> {
        let levels = if self.is_alone_in_group(editor, here)? { 3 } else { 1 };
        editor.move_item(here, here.at.len().saturating_sub(levels), position)
    }

    /// Removes an entry. If it is the only one, its group is removed too.
    fn remove(&self, editor: &mut Editor<'_>, _hook: &Hook, here: &HookPlace<'_>) -> Result<(), Message> {
        let levels = if self.is_alone_in_group(editor, here)? { 2 } else { 0 };
        editor.texts.remove(here.tree, &here.file, here.above(levels).to_vec())
    }
}

impl EventLists {
    /// The fields with which entries of this file would be added: their own, and those of their groups.
    #[must_use]
    pub fn definitions_to_add(&self, tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        let root = (self.items != ListItems::Hooks).then(|| root_of(tree));
        let to_add = |hook: &&Hook| {
            let mut fields = match (&root, hook.at.as_slice()) {
                (Some(root), [group @ .., _, _]) => without_entries(root.as_ref()?.find(group)),
                _ => Map::new(),
            };
            fields.extend(hook.definition.as_object()?.clone());
            Some(fields)
        };
        hooks.iter().map(to_add).collect()
    }

    /// Whether the file of a tree has the name of an event in the place of events.
    fn has_events(&self, tree: &SourceTree) -> bool {
        let section: splice::Path = self.section.into_iter().map(key).collect();
        let root = root_of(tree);
        let found = root.as_ref().and_then(|root| root.find(&section));
        found.is_some_and(|section| has_event(self.card, section))
    }

    /// The value of a matcher. It may be `null`, which matches everything (`qoder.md` §2).
    fn matcher_value(&self, given: &FieldValue) -> Result<Value, Message> {
        match given {
            FieldValue::Written {
                text,
                read: Some(Value::Null),
                ..
            } if !text.trim().is_empty() => Ok(Value::Null),
            FieldValue::Written { .. } | FieldValue::Value(_) => value_of(MATCHER, given, self.card.definition),
        }
    }

    /// Whether the list contains groups, and this hook is the only one of its group.
    fn is_alone_in_group(&self, editor: &Editor<'_>, here: &HookPlace<'_>) -> Result<bool, Message> {
        Ok(self.items != ListItems::Hooks && editor.items(here, here.above(1))?.len() == 1)
    }

    /// The fields of a group that its entries share.
    fn group_fields(&self, editor: &Editor<'_>, here: &HookPlace<'_>) -> Result<Map<String, Value>, Message> {
        Ok(match self.items {
            ListItems::Hooks => Map::new(),
            ListItems::Groups | ListItems::GroupsOfOne => without_entries(editor.node(here, here.above(2))?.as_ref()),
        })
    }

    /// The place after the last item of an event's list.
    fn end_of_list<'d>(
        &self,
        editor: &Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
    ) -> Result<(HookPlace<'d>, Vec<Arc<Node>>), Message> {
        let mut here = HookPlace {
            tree,
            file: tree.root.path.clone(),
            at: self.section.into_iter().chain([event]).map(key).collect(),
        };
        let items = editor.items(&here, &here.at)?;
        here.at.push(PathStep::Item(items.len()));
        Ok((here, items))
    }

    /// The place after all hooks of an event in a file, and the fields of its group if that is new.
    ///
    /// It is in the last group if this one matches everything and `shared` is empty. Else it is in a new group.
    fn end_of_event<'d>(
        &self,
        editor: &Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
        shared: Map<String, Value>,
    ) -> Result<(HookPlace<'d>, Option<Map<String, Value>>), Message> {
        let (mut here, groups) = self.end_of_list(editor, tree, event)?;
        if self.items == ListItems::Hooks {
            return Ok((here, None));
        }
        let last = groups.len().checked_sub(1);
        let in_last = last.filter(|last| {
            self.items == ListItems::Groups && shared.is_empty() && matches_everything(&groups[*last].to_value())
        });
        let Some(last) = in_last else {
            here.at.extend([key(ENTRIES), PathStep::Item(0)]);
            return Ok((here, Some(shared)));
        };
        here.at
            .splice(here.at.len() - 1.., [PathStep::Item(last), key(ENTRIES)]);
        let count = editor.items(&here, &here.at)?.len();
        here.at.push(PathStep::Item(count));
        Ok((here, None))
    }
}

/// The value of a file that is JSON or TOML.
fn root_of(tree: &SourceTree) -> Option<Arc<Node>> {
    let path = &tree.root.path;
    let text = tree.files.get(path)?.text.as_ref().ok()?;
    splice::parse_nodes(splice::Format::of_file(path), text).ok()?
}

/// Whether a group has only entries, with no matcher or one that matches everything.
fn matches_everything(group: &Value) -> bool {
    let Some(fields) = group.as_object() else { return false };
    let matcher = fields
        .get(MATCHER)
        .is_none_or(|value| value.is_null() || value == "" || value == "*");
    let others = fields.keys().all(|name| name == MATCHER || name == ENTRIES);
    matcher && others && fields.get(ENTRIES).is_some_and(Value::is_array)
}

fn without_entries(group: Option<&Arc<Node>>) -> Map<String, Value> {
    let fields = group.and_then(|group| group.entries()).unwrap_or_default();
    let shared = fields.iter().filter(|field| field.key != ENTRIES);
    shared
        .map(|field| (field.key.clone(), field.value.to_value()))
        .collect()
}

/// Copies a hook as it is written, into an existing list or into a new group with these fields.
fn copy(
    editor: &mut Editor<'_>,
    here: &HookPlace<'_>,
    there: &HookPlace<'_>,
    group: Option<Map<String, Value>>,
) -> Result<(), Message> {
    let fragment = editor.fragment(here, &here.at, &there.file)?;
    insert(editor, there, group, editor.value(here, &here.at)?, fragment)
}

/// Inserts an entry into an existing list, or into a new group with these fields.
fn insert(
    editor: &mut Editor<'_>,
    here: &HookPlace<'_>,
    group: Option<Map<String, Value>>,
    entry: Value,
    fragment: Option<Fragment>,
) -> Result<(), Message> {
    let Some(mut group) = group else {
        return editor.insert(here, &here.at, entry, fragment);
    };
    let has_text = fragment.is_some();
    let entries = if has_text { json!([]) } else { json!([entry]) };
    group.insert(ENTRIES.to_owned(), entries);
    editor.insert(here, here.above(2), Value::Object(group), None)?;
    if has_text {
        editor.insert(here, &here.at, entry, fragment)?;
    }
    Ok(())
}
