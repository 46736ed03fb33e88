//! Edits `hooks.yaml` (`CONTRACTS.md` §2.7).

use std::path::PathBuf;

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, HookChange, Layer, Message, SourceTree, TargetLayer, args,
};
use serde_json::{Map, Value};

use super::events::CARD;
use super::schema::DEFINITION;
use crate::editing::{self, ChangeSet, EditSubject, HOOK_GONE, HookEntry, HookList, ListSlot, TextEdits};
use crate::relay;
use crate::splice::{self, Destination, Format, Op, Path, key};

hookwright_model::messages! {
    /// j-cli's file has no field that switches a hook off.
    NO_SWITCH = "edit_no_switch" { "the file of j-cli cannot switch a hook off: every hook in it runs", "j-cli 的文件无法关闭 Hook：其中的 Hook 都会执行" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
}

const TARGET_LAYERS: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];

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
        EditRequest::Change { hook, changes } => editor.change(hook, changes),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

struct Editor<'d> {
    context: &'d EditContext<'d>,
    draft: TextEdits,
    hook_list: HookList,
}

/// The location of a hook in its file.
struct HookLocation<'d> {
    tree: &'d SourceTree,
    slot: ListSlot,
    event: String,
}

impl HookLocation<'_> {
    fn entry_path(&self) -> Path {
        self.slot.path()
    }

    fn file_path(&self) -> PathBuf {
        self.tree.root.path.clone()
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(editing::no_layer("jcli", shelf, &TARGET_LAYERS)),
        };
        let tree = self.context.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| editing::no_layer("jcli", shelf, &TARGET_LAYERS))
    }

    fn find(&self, id: &str) -> Result<HookLocation<'d>, Message> {
        let not_found = || HOOK_GONE.render(args! { "hook" => id });
        let hook = self.context.target.ok_or_else(not_found)?;
        let path = &hook.source.path;
        let tree = self
            .context
            .trees
            .iter()
            .find(|tree| tree.root.path == *path)
            .ok_or_else(not_found)?;
        let slot = ListSlot::from_hook(hook).ok_or_else(not_found)?;
        Ok(HookLocation {
            tree,
            slot,
            event: hook.event.clone(),
        })
    }

    /// The location after the last hook of an event's list.
    fn end_of_list(&self, tree: &'d SourceTree, event: &str) -> HookLocation<'d> {
        let list = (tree.root.path.clone(), vec![key(event)]);
        let index = self.hook_list.count(&list);
        HookLocation {
            tree,
            slot: ListSlot { list, index },
            event: event.to_owned(),
        }
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let here = self.end_of_list(self.tree(shelf)?, event);
        let row = HookEntry {
            old: None,
            event: event.to_owned(),
            definition: Value::Object(definition.clone()),
        };
        self.insert(&here, row, None)?;
        Ok(self.plan(Some(&here), here.file_path()))
    }

    fn insert(
        &mut self,
        here: &HookLocation<'_>,
        row: HookEntry,
        fragment: Option<splice::Fragment>,
    ) -> Result<(), Message> {
        let op = Op::Insert {
            at: here.entry_path(),
            content: editing::new_value(row.definition.clone(), fragment),
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        self.hook_list.insert(&here.slot, row);
        Ok(())
    }

    fn remove(mut self, hook: &str) -> Result<EditPlan, Message> {
        let here = self.find(hook)?;
        self.draft
            .remove(here.tree, &here.file_path(), Format::Yaml, here.entry_path())?;
        self.hook_list.remove(&here.slot);
        self.draft.restore(self.context.former);
        Ok(self.plan(None, here.file_path()))
    }

    fn change(mut self, hook: &str, changes: &[HookChange]) -> Result<EditPlan, Message> {
        let change_set = ChangeSet::new(changes);
        if change_set.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => hook }));
        }
        let here = self.find(hook)?;
        let mut here = self.relocate(here, &change_set)?;
        for (field, given) in &change_set.fields {
            match given {
                Some(given) => self.set_field(&here, field, given)?,
                None => {
                    let at = [here.entry_path(), editing::parse_field(field)?].concat();
                    self.apply_to_field(&here, field, Op::Unset { at })?;
                }
            }
        }
        if let Some(place) = change_set.position {
            self.reorder(&mut here, place)?;
        }
        Ok(self.plan(Some(&here), here.file_path()))
    }

    fn relocate(&mut self, here: HookLocation<'d>, change_set: &ChangeSet<'_>) -> Result<HookLocation<'d>, Message> {
        let copy = change_set.subject == EditSubject::Copy;
        let shelf = change_set.layer;
        let tree = shelf.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let there = if elsewhere {
            self.end_of_list(tree, &here.event)
        } else {
            HookLocation {
                tree,
                slot: ListSlot {
                    list: here.slot.list.clone(),
                    index: here.slot.index + 1,
                },
                event: here.event.clone(),
            }
        };
        let row = self.hook_list.entry(&here.slot).cloned();
        let row = row.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.event }))?;
        let bound = if elsewhere {
            Destination::OtherText
        } else {
            Destination::SameText
        };
        let text = self.draft.text(here.tree, &here.file_path())?.clone();
        let written = self.written_definition(&text, &here)?;
        let fragment = splice::copy_fragment(Format::Yaml, &text, &here.entry_path(), bound);
        let op = Op::Insert {
            at: there.entry_path(),
            content: editing::new_value(written, fragment),
        };
        // The new text is written before the old one is removed.
        self.draft.splice(there.tree, Format::Yaml, op)?;
        self.hook_list.insert(&there.slot, row);
        if !copy {
            self.draft
                .remove(here.tree, &here.file_path(), Format::Yaml, here.entry_path())?;
            self.hook_list.remove(&here.slot);
        }
        Ok(there)
    }

    /// The definition as it is written in the file: a wrapped command includes its relay.
    fn written_definition(&self, text: &str, here: &HookLocation<'_>) -> Result<Value, Message> {
        let whole = splice::parse_value(Format::Yaml, text)?;
        Ok(splice::find(&whole, &here.entry_path()).cloned().unwrap_or(Value::Null))
    }

    fn set_field(&mut self, here: &HookLocation<'_>, field: &str, given: &FieldValue) -> Result<(), Message> {
        let value = editing::value_of(field, given, &DEFINITION)?;
        let steps = editing::parse_field(field)?;
        let at = [here.entry_path(), steps.clone()].concat();
        let text = self.draft.text(here.tree, &here.file_path())?.clone();
        let before = self.written_definition(&text, here)?;
        let wrapped = match (before.get("command"), &value) {
            (Some(Value::String(command)), Value::String(inner)) if field == "command" => {
                relay::rewrap_command(&CARD, command, inner)
            }
            (Some(_) | None, _) => None,
        };
        let Some(whole) = wrapped else {
            return self.apply_to_field(here, field, Op::Set { at, value });
        };
        // In the file the relay stays around the command. The hook's definition has only the inner command.
        let op = Op::Set {
            at,
            value: Value::String(whole),
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        if let Some(row) = self.hook_list.entry(&here.slot) {
            splice::apply_to_value(&mut row.definition, &Op::Set { at: steps, value });
        }
        Ok(())
    }

    /// Applies the change of a field to the text and to the list of hooks.
    fn apply_to_field(&mut self, here: &HookLocation<'_>, field: &str, op: Op) -> Result<(), Message> {
        let Some(row) = self.hook_list.entry(&here.slot) else {
            return Err(HOOK_GONE.render(args! { "hook" => here.event }));
        };
        if !editing::apply_field_op(&mut row.definition, field, &op)? {
            return Ok(());
        }
        self.draft.splice(here.tree, Format::Yaml, op)
    }

    fn reorder(&mut self, here: &mut HookLocation<'_>, place: u32) -> Result<(), Message> {
        let to = editing::index_of(place, self.hook_list.count(&here.slot.list))?;
        let op = Op::Move {
            list: here.slot.list.1.clone(),
            from: here.slot.index,
            to,
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        if let Some(row) = self.hook_list.remove(&here.slot) {
            here.slot.index = to;
            self.hook_list.insert(&here.slot, row);
        }
        Ok(())
    }

    fn plan(self, here: Option<&HookLocation<'_>>, path: PathBuf) -> EditPlan {
        EditPlan {
            files: self.draft.files(),
            hook: here.map(|here| here.slot.key()),
            path,
        }
    }
}
