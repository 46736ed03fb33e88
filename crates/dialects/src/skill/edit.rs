//! Edits of a skill's `hooks.json` and of the texts next to it (`CONTRACTS.md` §2.7).

mod text;

use std::sync::Arc;

use hookwright_model::{
    Card, FieldValue, FileChange, Files, Hook, HookChange, Message, MessageTemplate, SourceTree, TargetLayer, render,
};
use serde_json::{Map, Value};

use super::config::HOOKS_FILE;
use super::events::CARD;
use crate::editing::{self, Editor, HookPlace, NO_NAME, OTHER_EVENT, Shape};
use crate::splice::{PathStep, key};

hookwright_model::messages! {
    /// The request sets a switch, but `hooks.json` has none.
    NO_SWITCH = "edit_no_switch" / "skill" { "hooks.json cannot switch a hook off: the texts of every enabled skill are inserted", "hooks.json 无法关闭 Hook：每个已启用 Skill 的文本都会插入" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
    /// The definition of a new hook does not name its skill.
    NO_SKILL = "edit_no_skill" { "a new hook needs the name of its `skill`", "新的 Hook 需要指明所属的 `skill`" } hint { "add it to the definition: `{\"skill\": \"…\"}`", "添加到定义中：`{\"skill\": \"…\"}`" };
    /// The request removes a hook's text, which is all that the hook inserts.
    TEXT_REQUIRED = "edit_text_stays" { "the text of a hook cannot be removed: it is all that the hook inserts", "Hook 的文本无法删除：它是该 Hook 插入的全部内容" } hint { "use `--set text=…` for another text; `hookwright remove` removes the hook with its text", "用 `--set text=…` 更换文本；`hookwright remove` 会删除 Hook 及其文本" };
    /// The path cannot be the file of a text.
    NO_TEXT_FILE = "edit_text_file" { "`{file}` cannot be the text file of a hook", "`{file}` 不能作为 Hook 的文本文件" } hint { "name a separate file inside the skill's `hooks/`: `--set file=….md`", "使用该 Skill 的 `hooks/` 中单独的文件：`--set file=….md`" };
    /// Another hook inserts the same text.
    SHARED_TEXT = "edit_text_shared" { "`{file}` is also the text of {hook}", "`{file}` 也是 {hook} 的文本" } hint { "give this hook a separate file: `--set file=….md --set text=…`", "为此 Hook 指定单独的文件：`--set file=….md --set text=…`" };
}

/// The shape of skills: a `hooks.json` with a list in each, and the texts next to it.
pub(super) struct Skills;

impl Shape for Skills {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn no_switch(&self) -> Option<MessageTemplate> {
        Some(NO_SWITCH)
    }

    fn add<'d>(
        &self,
        editor: &mut Editor<'d>,
        _tree: &'d SourceTree,
        event: &str,
        mut given: Map<String, Value>,
    ) -> Result<HookPlace<'d>, Message> {
        let skill = given.shift_remove("skill");
        let skill = skill
            .as_ref()
            .and_then(Value::as_str)
            .ok_or_else(|| NO_SKILL.render_plain())?;
        let here = end_of_list(editor, skill)?;
        let timing = given.get("timing").and_then(Value::as_str).unwrap_or(event);
        if timing != event {
            return Err(render!(OTHER_EVENT, "field" => "timing", "found" => timing, "event" => event));
        }
        let name = given
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| render!(NO_NAME, "dialect" => CARD.id))?.to_owned();
        let text = given.shift_remove("text");
        let file = match given.get("file").and_then(Value::as_str) {
            Some(file) => file.to_owned(),
            None => text::text_file_name(&name),
        };
        // These fields come first, in the order of the format's own example.
        let mut entry = Map::new();
        for (field, value) in [
            ("name", name.into()),
            ("file", file.clone().into()),
            ("timing", event.into()),
        ] {
            entry.insert(field.to_owned(), given.shift_remove(field).unwrap_or(value));
        }
        entry.extend(given);
        if let Some(text) = text {
            let text = text.as_str().map(str::to_owned).unwrap_or_else(|| text.to_string());
            text::add(editor, &here, &file, text)?;
        }
        editor.insert(&here, &here.at, Value::Object(entry), None)?;
        Ok(here)
    }

    /// Copies a hook, or moves it to another skill. Its text is copied or moved with it.
    fn relocate<'d>(
        &self,
        editor: &mut Editor<'d>,
        hook: &'d Hook,
        here: HookPlace<'d>,
        _tree: &'d SourceTree,
        changes: &[HookChange],
    ) -> Result<HookPlace<'d>, Message> {
        let mut other_skill = None;
        for change in changes {
            match change {
                HookChange::Set { field, value } if field == "skill" => other_skill = Some(Some(value)),
                HookChange::Unset { field } if field == "skill" => other_skill = Some(None),
                HookChange::Set { .. }
                | HookChange::Unset { .. }
                | HookChange::Enable
                | HookChange::Disable
                | HookChange::MoveTo(_)
                | HookChange::ToLayer(_)
                | HookChange::Duplicate => {}
            }
        }
        let mut there = here.next();
        if let Some(skill) = other_skill {
            let skill = skill.ok_or_else(|| NO_SKILL.render_plain())?;
            let skill = editing::value_of("skill", skill, CARD.definition)?;
            let end = end_of_list(editor, skill.as_str().unwrap_or_default())?;
            if end.file != here.file {
                there = end;
            }
        }
        let elsewhere = there.file != here.file;
        if !editor.is_copy && !elsewhere {
            return Ok(here);
        }
        let fragment = editor.fragment(&here, &here.at, &there.file)?;
        let entry = editor.value(&here, &here.at)?;
        editor.insert(&there, &there.at, entry, fragment)?;
        if !elsewhere {
            // Two hooks of one name cannot be told apart.
            let others = editor.items(&there, there.above(1))?;
            let names: Vec<&str> = others.iter().filter_map(|other| other.get("name")?.string()).collect();
            let name = editing::free_name(&hook.label, |name| names.contains(&name));
            editor.set_value(&there, "name", name.into())?;
        }
        text::copy(editor, hook, &there)?;
        if !editor.is_copy {
            self.remove(editor, hook, &here)?;
        }
        Ok(there)
    }

    fn set_outside(
        &self,
        editor: &mut Editor<'_>,
        here: &mut HookPlace<'_>,
        field: &str,
        value: Option<&FieldValue>,
    ) -> Result<bool, Message> {
        match (field, value) {
            ("text", Some(given)) => text::set(editor, here, given)?,
            ("text", None) => return Err(TEXT_REQUIRED.render_plain()),
            (field, _) => return Ok(field == "skill"),
        }
        Ok(true)
    }

    /// Removes a hook and its text. The format requires the list, so an empty list stays.
    fn remove(&self, editor: &mut Editor<'_>, hook: &Hook, here: &HookPlace<'_>) -> Result<(), Message> {
        editor.texts.remove_part(here.tree, &here.file, here.at.clone())?;
        let text = text::own_text(editor.context, hook);
        editor.last.extend(text.map(|path| FileChange::Remove { path }));
        Ok(())
    }
}

/// The definitions with their skill, and with the text if no other hook inserts the same one.
pub(super) fn definitions_to_add(tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
    let all = super::Skill.parse(tree).hooks;
    hooks.iter().map(|hook| definition_to_add(tree, &all, hook)).collect()
}

fn definition_to_add(tree: &SourceTree, all: &[Arc<Hook>], hook: &Hook) -> Option<Map<String, Value>> {
    let mut fields = hook.definition.as_object()?.clone();
    let folder = hook.source.path.parent()?;
    let skill = folder.parent()?.file_name()?.to_string_lossy().into_owned();
    fields.insert("skill".to_owned(), skill.into());
    let has_same_text = |other: &&Arc<Hook>| {
        other.source.path == hook.source.path && other.definition.get("file") == hook.definition.get("file")
    };
    if all.iter().filter(has_same_text).count() == 1
        && let Some(file) = fields.get("file").and_then(Value::as_str)
        && let Some(text) = tree
            .files
            .get(&folder.join(file))
            .and_then(|file| file.text.clone().ok())
    {
        fields.insert("text".to_owned(), text.into());
    }
    Some(fields)
}

/// The place after the last entry of a skill's list. The root that has this skill comes first, then the first root.
fn end_of_list<'d>(editor: &Editor<'d>, skill: &str) -> Result<HookPlace<'d>, Message> {
    editing::check_file_name(skill)?;
    let file_in = |tree: &SourceTree| tree.root.path.join(skill).join(HOOKS_FILE);
    let mut trees = editor.context.trees.iter();
    let known = trees.find(|tree| tree.files.contains_key(&file_in(tree)));
    let tree = known.or_else(|| editor.context.trees.first());
    let tree = tree.ok_or_else(|| editing::no_layer(CARD.id, TargetLayer::Skill, CARD.edit_support.target_layers))?;
    let mut here = HookPlace {
        tree,
        file: file_in(tree),
        at: vec![key("hooks")],
    };
    let count = editor.items(&here, &here.at)?.len();
    here.at.push(PathStep::Item(count));
    Ok(here)
}
