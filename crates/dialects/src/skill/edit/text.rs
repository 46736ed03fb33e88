//! Edits of the texts of a skill's hooks, which are separate files next to `hooks.json`.

use std::path::{Path, PathBuf};

use hookwright_model::{ApprovalScope, FieldValue, Hook, Message, SourceFile, args};
use serde_json::Value;

use super::super::definition;
use super::{Editor, HookLocation, NO_TEXT_FILE, SHARED_TEXT};
use crate::editing::{self, HookEntry, NAME_TAKEN};
use crate::splice::Op;

impl Editor<'_> {
    /// Plans a new text file. A file that already exists is an error.
    pub(super) fn new_text(&mut self, here: &HookLocation<'_>, file: &str, text: String) -> Result<(), Message> {
        let path = self.text_file(here, file)?;
        if here.tree.files.contains_key(&path) {
            let shown = here.folder().display().to_string();
            return Err(NAME_TAKEN.render(args! { "name" => file, "path" => shown }));
        }
        self.texts.push((path, text));
        Ok(())
    }

    /// The text file of a hook, if it is inside its skill's `hooks` folder and no other hook names it. A text that is
    /// reached through a link is not returned, because the link's target is not the skill's file.
    pub(super) fn own_text(&self, hook: &Hook) -> Option<PathBuf> {
        let read = |path: &Path| self.context.trees.iter().find_map(|tree| tree.files.get(path));
        let path = text_path(hook)?;
        let text = read(&path)?;
        let inside = path.strip_prefix(hook.source.path.parent()?).ok()?;
        if text.real != read(&hook.source.path)?.folder.join(inside) {
            return None;
        }
        let others = self.context.hooks.iter().filter(|other| other.key() != hook.key());
        let mut theirs = others.filter_map(text_path).filter_map(|path| read(&path));
        (!theirs.any(|other| other.real == text.real)).then_some(path)
    }

    pub(super) fn copy_text_to(&mut self, hook: &Hook, there: &HookLocation<'_>) -> Result<(), Message> {
        let Some(path) = text_path(hook) else { return Ok(()) };
        let read = self.context.trees.iter().find_map(|tree| tree.files.get(&path));
        let list = self
            .context
            .trees
            .iter()
            .find_map(|tree| tree.files.get(&hook.source.path));
        let is_text = |file: &SourceFile| {
            file.text.is_ok() && list.is_some_and(|list| file.real.starts_with(&list.folder) && file.real != list.real)
        };
        // A file that is not allowed as a text here is not copied, because its copy would be allowed there.
        if !read.is_some_and(is_text) {
            return Ok(());
        }
        let from = hook.source.path.parent().unwrap_or(&path);
        let inside = path.strip_prefix(from).unwrap_or(&path).to_string_lossy().into_owned();
        let taken = |file: &str| there.tree.files.contains_key(&there.folder().join(file));
        let (stem, end) = inside
            .rsplit_once('.')
            .map_or((inside.as_str(), ""), |(stem, end)| (stem, end));
        let with_end = |stem: &str| {
            if end.is_empty() {
                stem.to_owned()
            } else {
                format!("{stem}.{end}")
            }
        };
        let file = if taken(&inside) {
            with_end(&editing::free_name(stem, |stem| taken(&with_end(stem))))
        } else {
            inside.clone()
        };
        self.copies.push((path, there.folder().join(&file)));
        if file == inside {
            return Ok(());
        }
        self.apply_to_field(there, "file", |at| Op::Set { at, value: file.into() })
    }

    pub(super) fn set_text(&mut self, here: &HookLocation<'_>, given: &FieldValue) -> Result<(), Message> {
        let text = editing::content_of(given);
        let row = self.files.get(&here.file).and_then(|rows| rows.get(here.index));
        let file = row.and_then(|row| row.definition.get("file")?.as_str());
        let file = file.ok_or_else(|| editing::NO_FIELD.render(args! { "field" => "text" }))?;
        let path = self.text_file(here, file)?;
        if let Some(other) = self.other_hook_with_text(here, &path) {
            return Err(SHARED_TEXT.render(args! { "file" => file, "hook" => other }));
        }
        self.texts.retain(|(known, _)| *known != path);
        self.texts.push((path, text));
        Ok(())
    }

    /// The path of a text, existing or new: a file below `hooks/`, also after links are followed, and not `hooks.json`
    /// (`skill.md` §2 `file`).
    pub(super) fn text_file(&self, here: &HookLocation<'_>, file: &str) -> Result<PathBuf, Message> {
        let path = here.folder().join(file);
        let there = |path: &Path| here.tree.files.get(path);
        let (text, list) = (there(&path).map(|file| &file.real), there(&here.file));
        let leads_out = || {
            let (text, list) = (text?, list?);
            Some(!text.starts_with(&list.folder) || *text == list.real)
        };
        // A path that ends in `/` or `.`, like `sub/`, names a folder.
        let is_folder = matches!(file.rsplit('/').next(), Some("" | "."));
        if !definition::is_inside_folder(file) || is_folder || path == here.file || leads_out() == Some(true) {
            return Err(NO_TEXT_FILE.render(args! { "file" => file }));
        }
        Ok(path)
    }

    /// The name or id of another hook whose text is in the same file.
    pub(super) fn other_hook_with_text(&self, here: &HookLocation<'_>, path: &Path) -> Option<String> {
        let rows = self.files.get(&here.file)?;
        let named = |row: &HookEntry| {
            row.definition
                .get("file")?
                .as_str()
                .map(|file| here.folder().join(file))
        };
        let other_rows = rows.iter().enumerate().filter(|(index, _)| *index != here.index);
        for (index, row) in other_rows {
            if named(row).as_deref() == Some(path) {
                let name = row.definition.get("name").and_then(Value::as_str);
                return Some(name.map_or_else(|| format!("hook {}", index + 1), str::to_owned));
            }
        }
        let read = |path: &Path| self.context.trees.iter().find_map(|tree| tree.files.get(path));
        let real = &read(path)?.real;
        let own = rows.get(here.index).and_then(|row| row.old.clone());
        let others = self
            .context
            .hooks
            .iter()
            .filter(|hook| own.as_ref() != Some(&hook.key()));
        let mut theirs = others
            .filter(|hook| text_path(hook).is_some_and(|path| read(&path).is_some_and(|file| file.real == *real)));
        theirs.next().map(|hook| hook.id.clone())
    }
}

/// The path of a hook's text.
fn text_path(hook: &Hook) -> Option<PathBuf> {
    let ApprovalScope::Files(files) = &hook.approval_scope else {
        return None;
    };
    files.first().cloned()
}

/// A file name for a text, made from the name of its hook.
pub(super) fn text_file_name(name: &str) -> String {
    let odd = |sign: char| sign.is_whitespace() || sign.is_control() || "/\\:*?\"<>|".contains(sign);
    let plain: String = name.chars().map(|sign| if odd(sign) { '-' } else { sign }).collect();
    format!("{}.md", plain.trim_start_matches('.'))
}
