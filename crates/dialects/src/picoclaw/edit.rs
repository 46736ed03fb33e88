//! Edits of `config.json` (`CONTRACTS.md` §2.7): entries of `hooks.processes`, identified by their names.

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, Handler, Hook, HookKey, Layer, Message, SourceTree, TargetLayer,
    args,
};
use serde_json::{Map, Value, json};

use super::entry::POINTS;
use super::events::CARD;
use super::schema::{DEFINITION, EVERY_KIND};
use crate::editing::{
    self, ChangeSet, EditSubject, HOOK_GONE, HookNames, NAME_TAKEN, NO_NAME, ORDERED, OTHER_EVENT, SwitchState,
    TextEdits,
};
use crate::splice::{self, Destination, Format, Fragment, Op, Path, key};

hookwright_model::messages! {
    /// The request changes a hook that is compiled into the agent.
    BUILTIN = "edit_builtin" { "{hook} is compiled into the agent; its file only configures it", "{hook} 编译在 Agent 内部；文件中只有它的配置" } hint { "edit `hooks.builtins` in {path} by hand", "手工编辑 {path} 中的 `hooks.builtins`" };
}

const TARGET_LAYERS: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];

/// Plans the file changes of an edit.
///
/// # Errors
/// Why the edit is not possible.
pub(super) fn edit(context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        context,
        draft: TextEdits::default(),
        names: HookNames::from_context(context),
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

/// The fields with which an entry of `hooks.processes` would be added: its own, and its name.
pub(super) fn definition_to_add(hook: &Hook) -> Option<Map<String, Value>> {
    if hook.handler == Handler::Builtin {
        return None;
    }
    let mut fields = Map::from_iter([("name".to_owned(), Value::from(hook.label.clone()))]);
    fields.extend(hook.definition.as_object()?.clone());
    Some(fields)
}

/// Finds out whether an entry serves other events only. One point of a pair includes the other. Returns the field that
/// names the other events, and its values. An entry without events, or with an unreadable field, returns `None`; an
/// unreadable field is reported elsewhere.
fn find_other_event(entry: &Map<String, Value>, event: &str) -> Option<(&'static str, String)> {
    let strings = |field: &str| match entry.get(field) {
        None => Some(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(Value::as_str).collect::<Option<Vec<&str>>>(),
        Some(_) => None,
    };
    let (points, kinds) = (strings("intercept")?, strings("observe")?);
    let (at_points, at_kinds) = (("intercept", &points), ("observe", &kinds));
    let pair = |point: &str| match point {
        "before_llm" | "after_llm" => "llm",
        "before_tool" | "after_tool" => "tool",
        _ => "",
    };
    let point = |word: &&str| *word == event || !pair(word).is_empty() && pair(word) == pair(event);
    let kind = |word: &&str| *word == event || EVERY_KIND.contains(word);
    let (served, sides) = if POINTS.contains(&event) {
        (points.iter().any(point), [at_points, at_kinds])
    } else {
        (kinds.iter().any(kind), [at_kinds, at_points])
    };
    // The field in which the event would be comes first.
    let (field, found) = sides.into_iter().find(|(_, strings)| !strings.is_empty())?;
    (!served).then(|| (field, found.join(", ")))
}

struct Editor<'d> {
    context: &'d EditContext<'d>,
    draft: TextEdits,
    names: HookNames,
}

/// The position of an entry.
#[derive(Clone)]
struct HookLocation<'d> {
    tree: &'d SourceTree,
    name: String,
    path: Path,
}

impl HookLocation<'_> {
    fn entry_path(&self) -> Path {
        self.path.clone()
    }

    fn hook_key(&self) -> HookKey {
        (self.tree.root.path.clone(), self.path.clone())
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(editing::no_layer(CARD.id, shelf, &TARGET_LAYERS)),
        };
        let tree = self.context.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| editing::no_layer(CARD.id, shelf, &TARGET_LAYERS))
    }

    fn find(&self, id: &str) -> Result<HookLocation<'d>, Message> {
        let not_found = || HOOK_GONE.render(args! { "hook" => id });
        let hook = self.context.target.ok_or_else(not_found)?;
        let path = &hook.source.path;
        if hook.handler == Handler::Builtin {
            return Err(BUILTIN.render(args! { "hook" => id, "path" => path.display().to_string() }));
        }
        let tree = self
            .context
            .trees
            .iter()
            .find(|tree| tree.root.path == *path)
            .ok_or_else(not_found)?;
        Ok(HookLocation {
            tree,
            name: hook.label.clone(),
            path: hook.at.clone(),
        })
    }

    /// The position of a new entry. A name that is already used is an error.
    fn new_location(&self, tree: &'d SourceTree, name: &str) -> Result<HookLocation<'d>, Message> {
        let here = HookLocation {
            tree,
            name: name.to_owned(),
            path: vec![key("hooks"), key("processes"), key(name)],
        };
        if self.names.contains(&here.hook_key()) {
            let shown = tree.root.path.display().to_string();
            return Err(NAME_TAKEN.render(args! { "name" => name, "path" => shown }));
        }
        Ok(here)
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut entry = definition.clone();
        let name = match entry.shift_remove("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(_) | None => return Err(NO_NAME.render(args! { "dialect" => CARD.id })),
        };
        if let Some((field, found)) = find_other_event(&entry, event) {
            return Err(OTHER_EVENT.render(args! { "field" => field, "found" => found, "event" => event }));
        }
        // An entry without events serves the event of the request.
        if !entry.contains_key("intercept") && !entry.contains_key("observe") {
            let field = if POINTS.contains(&event) {
                "intercept"
            } else {
                "observe"
            };
            entry.insert(field.to_owned(), json!([event]));
        }
        let here = self.new_location(self.tree(shelf)?, &name)?;
        self.insert(&here, Value::Object(entry), None)?;
        Ok(self.plan(Some(&here), &here))
    }

    fn insert(
        &mut self,
        here: &HookLocation<'_>,
        definition: Value,
        fragment: Option<Fragment>,
    ) -> Result<(), Message> {
        let op = Op::Insert {
            at: here.entry_path(),
            content: editing::new_value(definition.clone(), fragment),
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        self.names.insert(here.hook_key(), definition);
        Ok(())
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        self.draft
            .remove(here.tree, &here.tree.root.path, Format::Json, here.entry_path())?;
        self.names.remove(&here.hook_key());
        self.draft.restore(self.context.former);
        Ok(self.plan(None, &here))
    }

    fn change(mut self, id: &str, change_set: &ChangeSet<'_>) -> Result<EditPlan, Message> {
        if change_set.position.is_some() {
            return Err(ORDERED.render(args! { "dialect" => "PicoClaw", "field" => "priority" }));
        }
        let here = self.find(id)?;
        let mut here = self.relocate(here, change_set)?;
        for (field, given) in &change_set.fields {
            match (*field, given) {
                ("name", Some(given)) => here = self.rename(here, given)?,
                (field, Some(given)) => {
                    let value = editing::value_of(field, given, &DEFINITION)?;
                    let at = [here.entry_path(), editing::parse_field(field)?].concat();
                    self.apply_to_field(&here, field, Op::Set { at, value })?;
                }
                (field, None) => {
                    let at = [here.entry_path(), editing::parse_field(field)?].concat();
                    self.apply_to_field(&here, field, Op::Unset { at })?;
                }
            }
        }
        if let Some(switch) = change_set.switch {
            let at = [here.entry_path(), vec![key("enabled")]].concat();
            let value = Value::Bool(switch == SwitchState::On);
            self.apply_to_field(&here, "enabled", Op::Set { at, value })?;
        }
        Ok(self.plan(Some(&here), &here))
    }

    fn relocate(&mut self, here: HookLocation<'d>, change_set: &ChangeSet<'_>) -> Result<HookLocation<'d>, Message> {
        let tree = change_set.layer.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let copy = change_set.subject == EditSubject::Copy;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let definition = self.names.definition(&here.hook_key()).cloned();
        let definition = definition.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.name }))?;
        let there = if elsewhere {
            self.new_location(tree, &here.name)?
        } else {
            let taken = |name: &str| self.new_location(tree, name).is_err();
            self.new_location(tree, &editing::free_name(&here.name, taken))?
        };
        let text = self.draft.text(here.tree, &here.tree.root.path)?.clone();
        let fragment = splice::copy_fragment(Format::Json, &text, &here.entry_path(), Destination::OtherText);
        self.insert(&there, definition, fragment.map(|cut| cut.with_key(&there.name)))?;
        if !copy {
            self.draft
                .remove(here.tree, &here.tree.root.path, Format::Json, here.entry_path())?;
            self.names.remove(&here.hook_key());
        }
        Ok(there)
    }

    fn rename(&mut self, here: HookLocation<'d>, given: &FieldValue) -> Result<HookLocation<'d>, Message> {
        let value = editing::value_of("name", given, &DEFINITION)?;
        let name = value.as_str().filter(|name| !name.trim().is_empty());
        let name = name
            .ok_or_else(|| NO_NAME.render(args! { "dialect" => CARD.id }))?
            .to_owned();
        if name == here.name {
            return Ok(here);
        }
        let there = self.new_location(here.tree, &name)?;
        let op = Op::Rename {
            at: here.entry_path(),
            to: name,
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        if let Some(definition) = self.names.remove(&here.hook_key()) {
            self.names.insert(there.hook_key(), definition);
        }
        Ok(there)
    }

    fn apply_to_field(&mut self, here: &HookLocation<'_>, field: &str, op: Op) -> Result<(), Message> {
        let Some(definition) = self.names.definition(&here.hook_key()) else {
            return Err(HOOK_GONE.render(args! { "hook" => here.name }));
        };
        if editing::apply_field_op(definition, field, &op)? {
            self.draft.splice(here.tree, Format::Json, op)?;
        }
        Ok(())
    }

    fn plan(self, here: Option<&HookLocation<'_>>, at: &HookLocation<'_>) -> EditPlan {
        EditPlan {
            files: self.draft.files(),
            hook: here.map(HookLocation::hook_key),
            path: at.tree.root.path.clone(),
        }
    }
}
