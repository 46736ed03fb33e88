//! The editor of hook files. What a dialect adds is its [`Shape`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{
    Card, EditContext, EditPlan, EditRequest, FieldValue, FileChange, FileKind, Hook, HookChange, Message,
    MessageTemplate, SourceTree, TargetLayer, args, render,
};
use serde_json::{Map, Value};

use super::{COMMENTS, HOOK_GONE, ORDERED, TextEdits, index_of, no_layer, parse_field, value_of};
use crate::node::{Node, ValueKind};
use crate::relay;
use crate::splice::{self, Destination, Fragment, NewValue, Op, PathStep};

/// What is particular about the hook files of a dialect. Without the other methods, each hook is an entry of a list.
pub trait Shape {
    /// The card of the dialect.
    fn card(&self) -> &'static Card;

    /// The field by which hooks are ordered; `None` if their position does it.
    fn order_field(&self) -> Option<&'static str> {
        None
    }

    /// Why no hook can be switched off; `None` if the card names a field for it. The placeholder is `hook`.
    fn no_switch(&self) -> Option<MessageTemplate> {
        None
    }

    /// Checks that a hook is an entry that can be edited. `id` is the requested id.
    ///
    /// # Errors
    /// It is not, because it is defined in another way.
    fn check_editable(&self, _hook: &Hook, _id: &str) -> Result<(), Message> {
        Ok(())
    }

    /// Whether the hooks of a layer are added to the files of this tree.
    fn takes(&self, tree: &SourceTree, layer: TargetLayer) -> bool {
        tree.root.layer == layer.as_layer()
    }

    /// The tree to whose files the hooks of a layer are added.
    fn target<'d>(&self, trees: &'d [SourceTree], layer: TargetLayer) -> Option<&'d SourceTree> {
        trees.iter().find(|tree| self.takes(tree, layer))
    }

    /// Adds a hook behind the others.
    ///
    /// # Errors
    /// The reason why it cannot be added.
    fn add<'d>(
        &self,
        editor: &mut Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
        definition: Map<String, Value>,
    ) -> Result<HookPlace<'d>, Message>;

    /// Copies a hook to the files of this tree, or moves it there. `changes` are all changes of the edit.
    ///
    /// # Errors
    /// The reason why it cannot be copied or moved.
    fn relocate<'d>(
        &self,
        editor: &mut Editor<'d>,
        hook: &'d Hook,
        here: HookPlace<'d>,
        tree: &'d SourceTree,
        changes: &[HookChange],
    ) -> Result<HookPlace<'d>, Message>;

    /// Changes a field that is not in the hook's own mapping. Returns false if the field is in it.
    ///
    /// # Errors
    /// The reason why it cannot be changed.
    fn set_outside(
        &self,
        _editor: &mut Editor<'_>,
        _here: &mut HookPlace<'_>,
        _field: &str,
        _value: Option<&FieldValue>,
    ) -> Result<bool, Message> {
        Ok(false)
    }

    /// Moves a hook to a position in its list, from 1.
    ///
    /// # Errors
    /// The list does not have this position.
    fn reorder(&self, editor: &mut Editor<'_>, here: &mut HookPlace<'_>, position: u32) -> Result<(), Message> {
        let last = here.at.len().saturating_sub(1);
        editor.move_item(here, last, position)
    }

    /// Removes a hook.
    ///
    /// # Errors
    /// The reason why it cannot be removed.
    fn remove(&self, editor: &mut Editor<'_>, _hook: &Hook, here: &HookPlace<'_>) -> Result<(), Message> {
        editor.texts.remove(here.tree, &here.file, here.at.clone())
    }
}

/// The place of a hook: its file, and the path to its definition there.
#[derive(Debug, Clone)]
pub struct HookPlace<'d> {
    /// The root of the file.
    pub tree: &'d SourceTree,
    /// The file.
    pub file: PathBuf,
    /// The path in the file. It is empty if the file is the definition.
    pub at: splice::Path,
}

impl HookPlace<'_> {
    /// The path to the value that is this many levels above the definition.
    #[must_use]
    pub fn above(&self, levels: usize) -> &[PathStep] {
        &self.at[..self.at.len().saturating_sub(levels)]
    }

    /// The path to a value inside the definition.
    #[must_use]
    pub fn inside(&self, steps: &[PathStep]) -> splice::Path {
        [&self.at, steps].concat()
    }

    /// The place behind this one, in the same list.
    #[must_use]
    pub fn next(&self) -> Self {
        let mut next = self.clone();
        if let Some(PathStep::Item(index)) = next.at.last_mut() {
            *index += 1;
        }
        next
    }

    /// The folder of the file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(&self.file)
    }
}

/// An edit that is being made.
pub struct Editor<'d> {
    /// The files and hooks before the edit.
    pub context: &'d EditContext<'d>,
    /// The changed texts.
    pub texts: TextEdits,
    /// Changes of other files, made before those of the texts.
    pub first: Vec<FileChange>,
    /// Changes of other files, made after those of the texts.
    pub last: Vec<FileChange>,
    /// Whether a copy of the hook is edited.
    pub is_copy: bool,
    card: &'static Card,
}

/// Makes the file changes of a request.
///
/// # Errors
/// The reason why the edit cannot be made.
pub fn edit(shape: &dyn Shape, context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let card = shape.card();
    let mut editor = Editor {
        context,
        texts: TextEdits::new(card.definition.format),
        first: Vec::new(),
        last: Vec::new(),
        is_copy: false,
        card,
    };
    match request {
        EditRequest::Add {
            event,
            layer,
            definition,
        } => {
            let tree = editor.tree(shape, *layer)?;
            let here = shape.add(&mut editor, tree, event, definition.clone())?;
            Ok(editor.plan(&here.file, Some(here.at)))
        }
        EditRequest::Change { hook, changes } => {
            if let Some(field) = shape.order_field()
                && changes.iter().any(|change| matches!(change, HookChange::MoveTo(_)))
            {
                return Err(render!(ORDERED, "dialect" => card.name, "field" => field));
            }
            let (known, here) = editor.find(shape, hook)?;
            if let Some(template) = shape.no_switch()
                && changes
                    .iter()
                    .any(|it| matches!(it, HookChange::Enable | HookChange::Disable))
            {
                return Err(template.render(args! { "hook" => hook }));
            }
            let here = editor.change(shape, known, here, changes)?;
            Ok(editor.plan(&here.file, Some(here.at)))
        }
        EditRequest::Remove { hook } => {
            let (known, here) = editor.find(shape, hook)?;
            shape.remove(&mut editor, known, &here)?;
            editor.texts.restore(context.former);
            Ok(editor.plan(&here.file, None))
        }
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shape: &dyn Shape, layer: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layers = self.card.edit_support.target_layers;
        let tree = Some(layer).filter(|layer| layers.contains(layer));
        tree.and_then(|layer| shape.target(self.context.trees, layer))
            .ok_or_else(|| no_layer(self.card.id, layer, layers))
    }

    fn find(&self, shape: &dyn Shape, id: &str) -> Result<(&'d Hook, HookPlace<'d>), Message> {
        let not_found = || render!(HOOK_GONE, "hook" => id);
        let hook = self.context.target.ok_or_else(not_found)?;
        shape.check_editable(hook, id)?;
        let file = &hook.source.path;
        let tree = self.context.trees.iter().find(|tree| tree.files.contains_key(file));
        let place = HookPlace {
            tree: tree.ok_or_else(not_found)?,
            file: file.clone(),
            at: hook.at.clone(),
        };
        Ok((hook, place))
    }

    /// Makes all changes of a hook. First the hook is moved or copied to its target, then its fields change there, then it
    /// gets its position in the list.
    fn change(
        &mut self,
        shape: &dyn Shape,
        hook: &'d Hook,
        here: HookPlace<'d>,
        changes: &[HookChange],
    ) -> Result<HookPlace<'d>, Message> {
        let (mut tree, mut position, mut switch) = (here.tree, None, None);
        for change in changes {
            match change {
                HookChange::Enable => switch = Some(true),
                HookChange::Disable => switch = Some(false),
                HookChange::MoveTo(to) => position = Some(*to),
                HookChange::ToLayer(layer) if shape.takes(here.tree, *layer) => tree = here.tree,
                HookChange::ToLayer(layer) => tree = self.tree(shape, *layer)?,
                HookChange::Duplicate => self.is_copy = true,
                HookChange::Set { .. } | HookChange::Unset { .. } => {}
            }
        }
        let mut here = shape.relocate(self, hook, here, tree, changes)?;
        let mut is_started_differently = false;
        for change in changes {
            let (field, value) = match change {
                HookChange::Set { field, value } => (field, Some(value)),
                HookChange::Unset { field } => (field, None),
                HookChange::Enable
                | HookChange::Disable
                | HookChange::MoveTo(_)
                | HookChange::ToLayer(_)
                | HookChange::Duplicate => continue,
            };
            if !shape.set_outside(self, &mut here, field, value)? {
                self.set_field(&here, field, value)?;
            }
            is_started_differently |= self.card.command.is_some_and(|row| row.is_decided_by(field));
        }
        if is_started_differently {
            self.restart_wrapped(&here)?;
        }
        if let (Some(field), Some(is_on)) = (self.card.edit_support.switch, switch) {
            self.set_value(&here, field, is_on.into())?;
        }
        if let Some(position) = position {
            shape.reorder(self, &mut here, position)?;
        }
        Ok(here)
    }

    /// Changes a field of a hook's own mapping; without a value it is removed.
    ///
    /// # Errors
    /// The field name or the value is invalid.
    pub fn set_field(&mut self, here: &HookPlace<'_>, field: &str, value: Option<&FieldValue>) -> Result<(), Message> {
        if let Some(given) = value {
            return self.set_value(here, field, value_of(field, given, self.card.definition)?);
        }
        let at = here.inside(&parse_field(field)?);
        let mapping = self.node(here, at.split_last().map_or(&[], |(_, mapping)| mapping))?;
        // Without such a mapping there is no such field in it.
        if mapping.is_some_and(|mapping| mapping.entries().is_some()) {
            self.splice(here, Op::Unset { at })?;
        }
        Ok(())
    }

    /// Sets a field of a hook's own mapping. The relay around a command stays.
    ///
    /// # Errors
    /// The field name is invalid.
    pub fn set_value(&mut self, here: &HookPlace<'_>, field: &str, value: Value) -> Result<(), Message> {
        let at = here.inside(&parse_field(field)?);
        let written = if let (Value::String(inner), "command") = (&value, field) {
            let before = self.node(here, &at)?;
            let before = before.as_ref().and_then(|node| node.string());
            before.and_then(|wrapped| relay::rewrap_command(self.card, wrapped, inner))
        } else {
            None
        };
        let value = written.map_or(value, Value::String);
        self.splice(here, Op::Set { at, value })
    }

    /// Starts a wrapped command in the way that the other fields say now.
    fn restart_wrapped(&mut self, here: &HookPlace<'_>) -> Result<(), Message> {
        let definition = self.value(here, &here.at)?;
        let command = definition.get("command").and_then(Value::as_str).unwrap_or_default();
        let Some(changed) = relay::restart_wrapped(self.card, &definition, command) else {
            return Ok(());
        };
        let at = here.inside(&[splice::key("command")]);
        self.splice(
            here,
            Op::Set {
                at,
                value: changed.into(),
            },
        )
    }

    /// Applies an operation to the file of a place.
    ///
    /// # Errors
    /// The operation cannot be done.
    pub fn splice(&mut self, here: &HookPlace<'_>, op: Op) -> Result<(), Message> {
        self.texts.splice(here.tree, &here.file, &[op])
    }

    /// The value at a path of a file, with all edits so far.
    ///
    /// # Errors
    /// The file cannot be read or does not parse.
    pub fn node(&self, here: &HookPlace<'_>, at: &[PathStep]) -> Result<Option<Arc<Node>>, Message> {
        self.texts.node(here.tree, &here.file, at)
    }

    /// The same as JSON; null if there is no value.
    ///
    /// # Errors
    /// The file cannot be read or does not parse.
    pub fn value(&self, here: &HookPlace<'_>, at: &[PathStep]) -> Result<Value, Message> {
        Ok(self.node(here, at)?.map_or(Value::Null, |node| node.to_value()))
    }

    /// The items of a list; none if there is no list.
    ///
    /// # Errors
    /// The file cannot be read or does not parse.
    pub fn items(&self, here: &HookPlace<'_>, list: &[PathStep]) -> Result<Vec<Arc<Node>>, Message> {
        let node = self.node(here, list)?;
        Ok(match node.as_ref().map(|node| &node.kind) {
            Some(ValueKind::List(items)) => items.clone(),
            Some(ValueKind::Scalar { .. } | ValueKind::Mapping { .. }) | None => Vec::new(),
        })
    }

    /// Inserts a value, with its original text if that could be copied.
    ///
    /// # Errors
    /// The value cannot be inserted there.
    pub fn insert(
        &mut self,
        here: &HookPlace<'_>,
        at: &[PathStep],
        value: Value,
        fragment: Option<Fragment>,
    ) -> Result<(), Message> {
        let content = NewValue { value, fragment };
        self.splice(
            here,
            Op::Insert {
                at: at.to_vec(),
                content,
            },
        )
    }

    /// The text of a value as it is written, with its comments; `None` if its syntax cannot be copied, or if the other
    /// file has another one.
    ///
    /// # Errors
    /// The file cannot be read, or the value has comments that the other file cannot have.
    pub fn fragment(&self, here: &HookPlace<'_>, at: &[PathStep], to: &Path) -> Result<Option<Fragment>, Message> {
        let text = self.texts.text(here.tree, &here.file)?;
        let destination = if to == here.file {
            Destination::SameText
        } else {
            Destination::OtherText
        };
        let syntax = self.texts.syntax(&here.file);
        let fragment = splice::copy_fragment(syntax, &text, &at.to_vec(), destination);
        if syntax == self.texts.syntax(to) {
            return Ok(fragment);
        }
        if fragment.is_some_and(|fragment| fragment.has_comments()) {
            let line = self.node(here, at)?.map_or(1, |node| node.position.line);
            let (path, to) = (here.file.display().to_string(), to.display().to_string());
            return Err(render!(COMMENTS, "path" => path, "line" => line, "to" => to));
        }
        Ok(None)
    }

    /// Writes a file that is not one of hooks, before the texts.
    pub fn write_first(&mut self, path: PathBuf, text: String, kind: FileKind) {
        let is_same = |change: &FileChange| matches!(change, FileChange::Write { path: known, .. } if *known == path);
        self.first.retain(|change| !is_same(change));
        self.first.push(FileChange::Write { path, text, kind });
    }

    /// Moves the item that this step of a place leads to, within its list.
    ///
    /// # Errors
    /// The list does not have this position.
    pub fn move_item(&mut self, here: &mut HookPlace<'_>, step: usize, position: u32) -> Result<(), Message> {
        let list = here.at[..step].to_vec();
        let to = index_of(position, self.items(here, &list)?.len())?;
        if let Some(PathStep::Item(index)) = here.at.get_mut(step) {
            let from = std::mem::replace(index, to);
            self.splice(here, Op::Move { list, from, to })?;
        }
        Ok(())
    }

    /// The plan of all changes so far. If another file changes and no text does, that file is the edited one.
    fn plan(self, file: &Path, at: Option<splice::Path>) -> EditPlan {
        let texts = self.texts.files();
        let path = match self.first.as_slice() {
            [FileChange::Write { path, .. }] if texts.is_empty() && self.last.is_empty() => path.clone(),
            _ => file.to_owned(),
        };
        EditPlan {
            files: [self.first, texts, self.last].concat(),
            hook: at.map(|at| (file.to_owned(), at)),
            path,
        }
    }
}
