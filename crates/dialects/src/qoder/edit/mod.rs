//! Edits settings files (`CONTRACTS.md` §2.7): entries, and the groups that contain them.

mod hook_location;

use std::cmp::Ordering;
use std::path::PathBuf;

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, Hook, Layer, Message, SourceTree, TargetLayer, args,
};
use serde_json::{Map, Value, json};

use self::hook_location::{HookLocation, TargetGroup, group_fields, matches_everything, reject_python};
use super::events::{CARD, START_FIELDS};
use super::schema::DEFINITION;
use super::settings::id_part;
use crate::editing::{self, ChangeSet, EditSubject, HOOK_GONE, HookEntry, HookList, TextEdits};
use crate::relay;
use crate::splice::{self, Destination, Format, Fragment, Op, Path, PathStep, key};

hookwright_model::messages! {
    /// Qoder's settings have no field that switches one hook off.
    NO_SWITCH = "edit_no_switch" / "qoder" { "the settings of Qoder cannot switch a single hook off", "Qoder 的设置无法关闭单个 Hook" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
    /// A hook that is written in Python.
    MODULE = "edit_module" { "{hook} is written in Python, at {path}:{line}", "{hook} 由 Python 编写，位于 {path}:{line}" } hint { "open the file there and change the code", "打开该文件，直接修改代码" };
}

const TARGET_LAYERS: [TargetLayer; 3] = [TargetLayer::User, TargetLayer::Project, TargetLayer::Local];

/// Plans the changes to the files.
///
/// # Errors
/// The reason why the edit cannot be done.
pub(super) fn edit(context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        context,
        draft: TextEdits::default(),
        hook_list: HookList::from_context(context),
    };
    match request {
        EditRequest::Add {
            event,
            layer: shelf,
            definition,
        } => editor.add(event, *shelf, definition),
        EditRequest::Change { hook, changes } => editor.change(hook, &ChangeSet::new(changes)),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

/// The fields with which an entry of this file would be added: its own, and those of its group.
pub(super) fn definition_to_add(tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
    let here = HookLocation::from_hook(tree, hook)?;
    let text = tree.files.get(&tree.root.path)?.text.as_ref().ok()?;
    let whole = splice::parse_value(Format::Json, text).ok()?;
    let group = splice::find(&whole, &here.group_path())?.clone();
    let mut fields = group_fields(group);
    fields.extend(hook.definition.as_object()?.clone());
    Some(fields)
}

/// The value of a matcher. It may be `null`, which matches everything (`qoder.md` §2).
fn matcher_value(given: &FieldValue) -> Result<Value, Message> {
    match given {
        FieldValue::Written {
            text,
            read: Some(Value::Null),
        } if !text.trim().is_empty() => Ok(Value::Null),
        FieldValue::Written { .. } | FieldValue::Value(_) => editing::value_of("matcher", given, &DEFINITION),
    }
}

struct Editor<'d> {
    context: &'d EditContext<'d>,
    draft: TextEdits,
    hook_list: HookList,
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let (layer, local) = match shelf {
            TargetLayer::User => (Layer::User, "settings"),
            TargetLayer::Project => (Layer::Project, "settings"),
            TargetLayer::Local => (Layer::Project, "local"),
            TargetLayer::Skill => return Err(editing::no_layer("qoder", shelf, &TARGET_LAYERS)),
        };
        let fits = |tree: &&SourceTree| {
            tree.root.layer == layer
                && tree.root.path.extension().is_some_and(|end| end == "json")
                && id_part(&tree.root.path) == local
        };
        let tree = self.context.trees.iter().find(fits);
        tree.ok_or_else(|| editing::no_layer("qoder", shelf, &TARGET_LAYERS))
    }

    fn find(&self, id: &str) -> Result<HookLocation<'d>, Message> {
        let not_found = || HOOK_GONE.render(args! { "hook" => id });
        let hook = self.context.target.ok_or_else(not_found)?;
        reject_python(hook, id)?;
        let mut trees = self.context.trees.iter();
        let tree = trees
            .find(|tree| tree.root.path == hook.source.path)
            .ok_or_else(not_found)?;
        HookLocation::from_hook(tree, hook).ok_or_else(not_found)
    }

    /// The value at a path of a file, with all edits so far.
    fn value_at(&mut self, tree: &SourceTree, path: &[PathStep]) -> Result<Value, Message> {
        let file = &tree.root.path;
        let text = self.draft.text(tree, file)?.clone();
        let whole = splice::parse_value(Format::Json, &text).map_err(|broken| editing::with_file(broken, file))?;
        Ok(splice::find(&whole, path).cloned().unwrap_or(Value::Null))
    }

    fn groups(&mut self, tree: &SourceTree, event_path: &Path) -> Result<Vec<Value>, Message> {
        Ok(match self.value_at(tree, event_path)? {
            Value::Array(groups) => groups,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => Vec::new(),
        })
    }

    /// The location of a new group after all groups of an event in a file.
    fn new_group_at_end(&mut self, tree: &'d SourceTree, event: &str) -> Result<HookLocation<'d>, Message> {
        let event_path = vec![key("hooks"), key(event)];
        Ok(HookLocation {
            tree,
            group: self.groups(tree, &event_path)?.len(),
            event_path,
            event: event.to_owned(),
            index: 0,
        })
    }

    /// The location after all entries of an event in a file.
    ///
    /// It is in the last group if this one matches everything and `shared` is empty. Else it is in a new group.
    fn end_of_event(
        &mut self,
        tree: &'d SourceTree,
        event: &str,
        shared: &Map<String, Value>,
    ) -> Result<(HookLocation<'d>, TargetGroup), Message> {
        let mut here = self.new_group_at_end(tree, event)?;
        let groups = self.groups(tree, &here.event_path.clone())?;
        let last = groups.len().checked_sub(1);
        if let Some((last, group)) = last.and_then(|last| Some((last, groups.get(last)?)))
            && shared.is_empty()
            && matches_everything(group)
        {
            here.group = last;
            here.index = self.hook_list.count(&here.list_name(last));
            return Ok((here, TargetGroup::Existing));
        }
        Ok((here, TargetGroup::New))
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut entry = definition.clone();
        let mut shared = Map::new();
        if let Some(matcher) = entry.shift_remove("matcher") {
            shared.insert("matcher".to_owned(), matcher);
        }
        let tree = self.tree(shelf)?;
        let (here, group) = self.end_of_event(tree, event, &shared)?;
        let row = HookEntry {
            old: None,
            event: event.to_owned(),
            definition: Value::Object(entry.clone()),
        };
        self.insert(&here, group, shared, row, Value::Object(entry), None)?;
        Ok(self.plan(Some(&here), here.file_path()))
    }

    /// Inserts an entry into an existing group, or into a new group with the fields `shared`.
    fn insert(
        &mut self,
        here: &HookLocation<'_>,
        group: TargetGroup,
        mut shared: Map<String, Value>,
        row: HookEntry,
        written: Value,
        cut: Option<Fragment>,
    ) -> Result<(), Message> {
        match group {
            TargetGroup::Existing => {
                let content = editing::new_value(written, cut);
                let op = Op::Insert {
                    at: here.entry_path(),
                    content,
                };
                self.draft.splice(here.tree, Format::Json, op)?;
            }
            TargetGroup::New => {
                let inside = if cut.is_some() { json!([]) } else { json!([written]) };
                shared.insert("hooks".to_owned(), inside);
                let content = editing::new_value(Value::Object(shared), None);
                let op = Op::Insert {
                    at: here.group_path(),
                    content,
                };
                self.draft.splice(here.tree, Format::Json, op)?;
                if cut.is_some() {
                    let op = Op::Insert {
                        at: here.entry_path(),
                        content: editing::new_value(written, cut),
                    };
                    self.draft.splice(here.tree, Format::Json, op)?;
                }
                let new = here.group;
                let renumbered = |group: usize| Some(group + usize::from(group >= new));
                self.hook_list.renumber(&here.file_path(), &here.event_path, renumbered);
            }
        }
        self.hook_list.insert(&here.slot(), row);
        Ok(())
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        self.remove_entry(&here)?;
        self.draft.restore(self.context.former);
        Ok(self.plan(None, here.file_path()))
    }

    /// Removes an entry. If it is the only one, its group is removed too.
    fn remove_entry(&mut self, here: &HookLocation<'_>) -> Result<(), Message> {
        let alone = self.entry_count(here)? == 1;
        let at = if alone { here.group_path() } else { here.entry_path() };
        self.draft.remove(here.tree, &here.file_path(), Format::Json, at)?;
        self.hook_list.remove(&here.slot());
        if alone {
            let removed_group = here.group;
            self.hook_list.renumber(&here.file_path(), &here.event_path, |group| {
                match group.cmp(&removed_group) {
                    Ordering::Less => Some(group),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(group - 1),
                }
            });
        }
        Ok(())
    }

    fn entry_count(&mut self, here: &HookLocation<'_>) -> Result<usize, Message> {
        Ok(self
            .value_at(here.tree, &here.entries_path())?
            .as_array()
            .map_or(0, Vec::len))
    }

    fn change(mut self, id: &str, change_set: &ChangeSet<'_>) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        if change_set.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => id }));
        }
        let mut here = self.relocate(here, change_set)?;
        for (field, given) in &change_set.fields {
            match (*field, given) {
                ("matcher", given) => {
                    let value = given.map(matcher_value).transpose()?;
                    here = self.set_matcher(here, value)?;
                }
                (field, Some(given)) => self.set_field(&here, field, given)?,
                (field, None) => {
                    let at = [here.entry_path(), editing::parse_field(field)?].concat();
                    self.apply_to_field(&here, field, Op::Unset { at })?;
                }
            }
        }
        if change_set.fields.iter().any(|(field, _)| START_FIELDS.contains(field)) {
            self.restart_wrapped(&here)?;
        }
        if let Some(place) = change_set.position {
            self.reorder(&mut here, place)?;
        }
        Ok(self.plan(Some(&here), here.file_path()))
    }

    fn relocate(&mut self, here: HookLocation<'d>, change_set: &ChangeSet<'_>) -> Result<HookLocation<'d>, Message> {
        let tree = change_set.layer.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let copy = change_set.subject == EditSubject::Copy;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let row = self.hook_list.entry(&here.slot()).cloned();
        let row = row.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.event }))?;
        let text = self.draft.text(here.tree, &here.file_path())?.clone();
        let fragment = splice::copy_fragment(Format::Json, &text, &here.entry_path(), Destination::OtherText);
        let written = self.value_at(here.tree, &here.entry_path())?;
        if !elsewhere {
            let there = HookLocation {
                index: here.index + 1,
                ..here
            };
            self.insert(&there, TargetGroup::Existing, Map::new(), row, written, fragment)?;
            return Ok(there);
        }
        // The group's other fields apply to its entries, so they are copied too. For the only entry of a group the
        // whole text of the group is copied, comments included.
        let whole = self.value_at(here.tree, &here.group_path())?;
        let there = if self.entry_count(&here)? == 1 {
            let there = self.new_group_at_end(tree, &here.event)?;
            let fragment = splice::copy_fragment(Format::Json, &text, &here.group_path(), Destination::OtherText);
            let op = Op::Insert {
                at: there.group_path(),
                content: editing::new_value(whole, fragment),
            };
            self.draft.splice(there.tree, Format::Json, op)?;
            self.hook_list.insert(&there.slot(), row);
            there
        } else {
            let fields = group_fields(whole);
            let (there, group) = self.end_of_event(tree, &here.event, &fields)?;
            self.insert(&there, group, fields, row, written, fragment)?;
            there
        };
        if !copy {
            self.remove_entry(&here)?;
        }
        Ok(there)
    }

    fn set_field(&mut self, here: &HookLocation<'_>, field: &str, given: &FieldValue) -> Result<(), Message> {
        let value = editing::value_of(field, given, &DEFINITION)?;
        let steps = editing::parse_field(field)?;
        let at = [here.entry_path(), steps.clone()].concat();
        let before = self.value_at(here.tree, &at)?;
        let wrapped = match (&before, &value) {
            (Value::String(command), Value::String(inner)) if field == "command" => {
                relay::rewrap_command(&CARD, command, inner)
            }
            (_, _) => None,
        };
        let Some(whole) = wrapped else {
            return self.apply_to_field(here, field, Op::Set { at, value });
        };
        let op = Op::Set {
            at,
            value: Value::String(whole),
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        if let Some(row) = self.hook_list.entry(&here.slot()) {
            splice::apply_to_value(&mut row.definition, &Op::Set { at: steps, value });
        }
        Ok(())
    }

    /// Starts a wrapped command in the way that the other fields say now.
    fn restart_wrapped(&mut self, here: &HookLocation<'_>) -> Result<(), Message> {
        let definition = self.value_at(here.tree, &here.entry_path())?;
        let command = definition.get("command").and_then(Value::as_str).unwrap_or_default();
        match relay::restart_wrapped(&CARD, &definition, command) {
            Some(changed) => self.write_command(here, changed),
            None => Ok(()),
        }
    }

    /// Changes how the command is written in the file. The hook's definition stays the same.
    fn write_command(&mut self, here: &HookLocation<'_>, command: String) -> Result<(), Message> {
        let at = [here.entry_path(), vec![key("command")]].concat();
        let value = Value::String(command);
        self.draft.splice(here.tree, Format::Json, Op::Set { at, value })
    }

    /// Applies the change of a field to the text and to the list of hooks.
    fn apply_to_field(&mut self, here: &HookLocation<'_>, field: &str, op: Op) -> Result<(), Message> {
        let slot = here.slot();
        let Some(row) = self.hook_list.entry(&slot) else {
            return Err(HOOK_GONE.render(args! { "hook" => here.event }));
        };
        if editing::apply_field_op(&mut row.definition, field, &op)? {
            self.draft.splice(here.tree, Format::Json, op)?;
        }
        Ok(())
    }

    /// Sets the matcher, which belongs to the group. An entry that shares its group moves to a new group after it.
    fn set_matcher(&mut self, here: HookLocation<'d>, value: Option<Value>) -> Result<HookLocation<'d>, Message> {
        let at = [here.group_path(), vec![key("matcher")]].concat();
        let before = self.value_at(here.tree, &here.group_path())?;
        if before.get("matcher") == value.as_ref() {
            return Ok(here);
        }
        if self.entry_count(&here)? == 1 {
            let op = match value {
                Some(value) => Op::Set { at, value },
                None => Op::Unset { at },
            };
            self.draft.splice(here.tree, Format::Json, op)?;
            return Ok(here);
        }
        let row = self.hook_list.entry(&here.slot()).cloned();
        let row = row.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.event }))?;
        let text = self.draft.text(here.tree, &here.file_path())?.clone();
        let fragment = splice::copy_fragment(Format::Json, &text, &here.entry_path(), Destination::SameText);
        let written = self.value_at(here.tree, &here.entry_path())?;
        let mut fields = group_fields(before);
        match value {
            Some(value) => fields.insert("matcher".to_owned(), value),
            None => fields.shift_remove("matcher"),
        };
        let there = HookLocation {
            group: here.group + 1,
            index: 0,
            ..here.clone()
        };
        self.insert(&there, TargetGroup::New, fields, row, written, fragment)?;
        self.remove_entry(&here)?;
        Ok(there)
    }

    /// Moves an entry within its group. The only entry of a group moves with the group, within the event's list.
    fn reorder(&mut self, here: &mut HookLocation<'_>, place: u32) -> Result<(), Message> {
        let entries = self.entry_count(here)?;
        if entries > 1 {
            let to = editing::index_of(place, entries)?;
            let op = Op::Move {
                list: here.entries_path(),
                from: here.index,
                to,
            };
            self.draft.splice(here.tree, Format::Json, op)?;
            if let Some(row) = self.hook_list.remove(&here.slot()) {
                here.index = to;
                self.hook_list.insert(&here.slot(), row);
            }
            return Ok(());
        }
        let groups = self.groups(here.tree, &here.event_path.clone())?.len();
        let to = editing::index_of(place, groups)?;
        let op = Op::Move {
            list: here.event_path.clone(),
            from: here.group,
            to,
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        let from = here.group;
        self.hook_list.renumber(&here.file_path(), &here.event_path, |group| {
            Some(match group {
                _ if group == from => to,
                _ if from < group && group <= to => group - 1,
                _ if to <= group && group < from => group + 1,
                _ => group,
            })
        });
        here.group = to;
        Ok(())
    }

    fn plan(self, here: Option<&HookLocation<'_>>, path: PathBuf) -> EditPlan {
        EditPlan {
            files: self.draft.files(),
            hook: here.map(|here| here.slot().key()),
            path,
        }
    }
}
