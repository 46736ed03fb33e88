//! Edits of `config.json` (`CONTRACTS.md` §2.7): entries of `hooks.processes`, identified by their names.

use hookwright_model::{Card, FieldValue, Handler, Hook, HookChange, Message, SourceTree, render};
use serde_json::{Map, Value, json};

use super::entry::POINTS;
use super::events::CARD;
use super::schema::EVERY_KIND;
use crate::editing::{self, Editor, HookPlace, NAME_TAKEN, NO_NAME, OTHER_EVENT, Shape};
use crate::splice::{Op, key};

hookwright_model::messages! {
    /// The request changes a hook that is compiled into the agent.
    BUILTIN = "edit_builtin" { "{hook} is compiled into the agent; its file only configures it", "{hook} 编译在 Agent 内部；文件中只有它的配置" } hint { "edit `hooks.builtins` in {path} by hand", "手工编辑 {path} 中的 `hooks.builtins`" };
}

/// The shape of `config.json`: a mapping from names.
pub(super) struct Processes;

impl Shape for Processes {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn order_field(&self) -> Option<&'static str> {
        Some("priority")
    }

    fn check_editable(&self, hook: &Hook, id: &str) -> Result<(), Message> {
        if hook.handler == Handler::BUILTIN {
            let path = hook.source.path.display().to_string();
            return Err(render!(BUILTIN, "hook" => id, "path" => path));
        }
        Ok(())
    }

    fn add<'d>(
        &self,
        editor: &mut Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
        mut entry: Map<String, Value>,
    ) -> Result<HookPlace<'d>, Message> {
        let name = match entry.shift_remove("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(_) | None => return Err(render!(NO_NAME, "dialect" => CARD.id)),
        };
        if let Some((field, found)) = find_other_event(&entry, event) {
            return Err(render!(OTHER_EVENT, "field" => field, "found" => found, "event" => event));
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
        let here = new_place(editor, tree, &name)?;
        editor.insert(&here, &here.at, Value::Object(entry), None)?;
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
        let is_taken = |name: &str| new_place(editor, tree, name).is_err();
        let name = if elsewhere {
            hook.label.clone()
        } else {
            editing::free_name(&hook.label, is_taken)
        };
        let there = new_place(editor, tree, &name)?;
        let fragment = editor.fragment(&here, &here.at, &there.file)?;
        let entry = editor.value(&here, &here.at)?;
        editor.insert(
            &there,
            &there.at,
            entry,
            fragment.map(|fragment| fragment.with_key(&name)),
        )?;
        if !editor.is_copy {
            self.remove(editor, hook, &here)?;
        }
        Ok(there)
    }

    /// Renames the hook: its name is its key.
    fn set_outside(
        &self,
        editor: &mut Editor<'_>,
        here: &mut HookPlace<'_>,
        field: &str,
        value: Option<&FieldValue>,
    ) -> Result<bool, Message> {
        let (Some(given), "name") = (value, field) else {
            return Ok(false);
        };
        let value = editing::value_of("name", given, CARD.definition)?;
        let name = value.as_str().filter(|name| !name.trim().is_empty());
        let to = name.ok_or_else(|| render!(NO_NAME, "dialect" => CARD.id))?;
        if here.at.last() != Some(&key(to)) {
            let there = new_place(editor, here.tree, to)?;
            let at = std::mem::replace(&mut here.at, there.at);
            editor.splice(here, Op::Rename { at, to: to.to_owned() })?;
        }
        Ok(true)
    }
}

/// The fields with which an entry of `hooks.processes` would be added: its own, and its name.
pub(super) fn definition_to_add(hook: &Hook) -> Option<Map<String, Value>> {
    if hook.handler == Handler::BUILTIN {
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

/// The place of a new entry. A name that is already used is an error.
fn new_place<'d>(editor: &Editor<'_>, tree: &'d SourceTree, name: &str) -> Result<HookPlace<'d>, Message> {
    let here = HookPlace {
        tree,
        file: tree.root.path.clone(),
        at: vec![key("hooks"), key("processes"), key(name)],
    };
    if editor.node(&here, &here.at)?.is_some() {
        let shown = tree.root.path.display().to_string();
        return Err(render!(NAME_TAKEN, "name" => name, "path" => shown));
    }
    Ok(here)
}
