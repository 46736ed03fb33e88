//! Edits of hook folders (`CONTRACTS.md` §2.7): the front matter of a HOOK.md, the script next to it, and the folder.

use std::path::{Path, PathBuf};

use hookwright_model::{
    Card, FieldValue, FileChange, FileKind, Hook, HookChange, Message, MessageTemplate, SourceTree, render,
};
use serde_json::{Map, Value};

use super::entry;
use super::events::CARD;
use super::roots::HOOK_FILE;
use crate::editing::{self, Editor, HookPlace, NAME_TAKEN, NO_NAME, OTHER_EVENT, Shape};
use crate::splice::{Op, key};

hookwright_model::messages! {
    /// The request sets a switch, but a HOOK.md has none.
    NO_SWITCH = "edit_no_switch" / "agent-hooks" { "HOOK.md cannot switch a hook off: every folder that contains one is a hook", "HOOK.md 无法关闭 Hook：含有该文件的文件夹就是一个 Hook" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
    /// The request removes a hook's script, without which nothing runs.
    SCRIPT_REQUIRED = "edit_script_stays" { "the script of a hook cannot be removed: without it nothing runs", "Hook 的脚本无法删除：没有脚本就没有可执行的内容" } hint { "use `--set script=…` for another script; `hookwright remove` removes the hook with its script", "用 `--set script=…` 更换脚本；`hookwright remove` 会删除 Hook 及其脚本" };
}

const NEW_SCRIPT: &str = "scripts/run";

/// The shape of hook folders: a HOOK.md with front matter in each, and a script next to it.
pub(super) struct HookFolders;

impl Shape for HookFolders {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn order_field(&self) -> Option<&'static str> {
        Some("priority")
    }

    fn no_switch(&self) -> Option<MessageTemplate> {
        Some(NO_SWITCH)
    }

    fn add<'d>(
        &self,
        editor: &mut Editor<'d>,
        tree: &'d SourceTree,
        event: &str,
        mut fields: Map<String, Value>,
    ) -> Result<HookPlace<'d>, Message> {
        let name = match fields.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            Some(_) | None => return Err(render!(NO_NAME, "dialect" => CARD.id)),
        };
        let trigger = fields.entry("trigger").or_insert_with(|| event.into()).clone();
        let means = trigger
            .as_str()
            .map(|written| CARD.resolve_alias(written).unwrap_or(written));
        if means.is_some_and(|means| means != event) {
            let found = trigger.as_str().unwrap_or_default();
            return Err(render!(OTHER_EVENT, "field" => "trigger", "found" => found, "event" => event));
        }
        let here = new_folder(tree, &name)?;
        // An agent reads a folder with a HOOK.md, so a new hook gets its script first.
        if let Some(script) = fields.shift_remove("script") {
            let text = script.as_str().map(str::to_owned).unwrap_or_else(|| script.to_string());
            editor.write_first(here.folder().join(NEW_SCRIPT), text, FileKind::Script);
        }
        // The usual order: name, description and trigger come first, then the rest.
        let first = ["name", "description", "trigger"];
        let order = |name: &str| first.iter().position(|first| *first == name).unwrap_or(first.len());
        let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
        fields.sort_by_key(|(name, _)| order(name));
        editor.texts.set_text(tree, &here.file, "---\n---\n".to_owned())?;
        for (name, value) in fields {
            editor.splice(
                &here,
                Op::Set {
                    at: vec![key(name)],
                    value,
                },
            )?;
        }
        Ok(here)
    }

    /// Copies or moves the folder. A folder that has the name of its hook is renamed with it.
    fn relocate<'d>(
        &self,
        editor: &mut Editor<'d>,
        hook: &'d Hook,
        here: HookPlace<'d>,
        tree: &'d SourceTree,
        changes: &[HookChange],
    ) -> Result<HookPlace<'d>, Message> {
        let elsewhere = tree.root.path != here.tree.root.path;
        let old = here
            .folder()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_new_copy = editor.is_copy && !elsewhere;
        let mut name = old.clone();
        if is_new_copy {
            name = editing::free_name(&old, |name| new_folder(tree, name).is_err());
        }
        if is_new_copy || hook.definition.get("name").and_then(Value::as_str) == Some(&old) {
            for change in changes {
                if let HookChange::Set { field, value } = change
                    && field == "name"
                {
                    let value = editing::value_of("name", value, CARD.definition)?;
                    name = value.as_str().unwrap_or_default().to_owned();
                }
            }
        }
        if !editor.is_copy && !elsewhere && name == old {
            return Ok(here);
        }
        let there = new_folder(tree, &name)?;
        editor.first.push(FileChange::CopyFolder {
            from: here.folder().to_owned(),
            to: there.folder().to_owned(),
        });
        if !editor.is_copy {
            let path = here.folder().to_owned();
            editor.last.push(FileChange::RemoveFolder { path });
        }
        let text = editor.texts.text(here.tree, &here.file)?;
        editor.texts.set_text(tree, &there.file, text)?;
        if is_new_copy {
            editor.set_value(&there, "name", name.into())?;
        }
        Ok(there)
    }

    /// Replaces the text of the script that is used. Removing the script is an error.
    fn set_outside(
        &self,
        editor: &mut Editor<'_>,
        here: &mut HookPlace<'_>,
        field: &str,
        value: Option<&FieldValue>,
    ) -> Result<bool, Message> {
        if field != "script" {
            return Ok(false);
        }
        let given = value.ok_or_else(|| SCRIPT_REQUIRED.render_plain())?;
        let hook = editor.context.target.map(|hook| hook.source.path.as_path());
        let origin = hook.and_then(Path::parent).unwrap_or(here.folder());
        let source = editor.context.trees.iter().find_map(|tree| entry::find(tree, origin));
        let inside = source.map_or_else(
            || PathBuf::from(NEW_SCRIPT),
            |(path, _)| path.strip_prefix(origin).map(Path::to_owned).unwrap_or(path),
        );
        editor.write_first(here.folder().join(inside), editing::content_of(given), FileKind::Script);
        Ok(true)
    }

    fn remove(&self, editor: &mut Editor<'_>, _hook: &Hook, here: &HookPlace<'_>) -> Result<(), Message> {
        let (folder, script) = (here.folder(), own_script(here));
        let script_folder = script.as_deref().and_then(Path::parent);
        let empty = script_folder.into_iter().chain([folder]).map(Path::to_owned);
        let empty = empty.map(|path| FileChange::RemoveEmpty { path });
        let removed = std::iter::once(here.file.clone()).chain(script.clone());
        let removed = removed.map(|path| FileChange::Remove { path });
        editor.last.extend(removed.chain(empty));
        Ok(())
    }
}

/// The HOOK.md of a new folder. A folder that already exists is an error.
fn new_folder<'d>(tree: &'d SourceTree, name: &str) -> Result<HookPlace<'d>, Message> {
    editing::check_file_name(name)?;
    let path = tree.root.path.join(name);
    if tree.files.keys().any(|file| file.starts_with(&path)) {
        let shown = tree.root.path.display().to_string();
        return Err(render!(NAME_TAKEN, "name" => name, "path" => shown));
    }
    Ok(HookPlace {
        tree,
        file: path.join(HOOK_FILE),
        at: Vec::new(),
    })
}

/// The script of a hook, if it is really in the hook's folder. A script that is reached through a link is not returned,
/// because the link's target is not the hook's file.
fn own_script(here: &HookPlace<'_>) -> Option<PathBuf> {
    let (path, script) = entry::find(here.tree, here.folder())?;
    let inside = path.strip_prefix(here.folder()).ok()?;
    let real = here.tree.files.get(&here.file)?.folder.join(inside);
    (script.real == real).then_some(path)
}
