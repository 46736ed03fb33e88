//! Edits of the texts of a skill's hooks, which are separate files next to `hooks.json`.

use std::path::{Path, PathBuf};

use hookwright_model::{
    ApprovalScope, EditContext, FieldValue, FileChange, FileKind, Hook, Message, SourceFile, render,
};

use super::super::definition;
use super::{NO_TEXT_FILE, SHARED_TEXT};
use crate::editing::{self, Editor, HookPlace, NAME_TAKEN};
use crate::splice::PathStep;

/// Adds a text file. A file that already exists is an error.
pub(super) fn add(editor: &mut Editor<'_>, here: &HookPlace<'_>, file: &str, text: String) -> Result<(), Message> {
    let path = text_file(here, file)?;
    if here.tree.files.contains_key(&path) {
        let shown = here.folder().display().to_string();
        return Err(render!(NAME_TAKEN, "name" => file, "path" => shown));
    }
    editor.write_first(path, text, FileKind::Plain);
    Ok(())
}

fn read<'d>(context: &EditContext<'d>, path: &Path) -> Option<&'d SourceFile> {
    context.trees.iter().find_map(|tree| tree.files.get(path))
}

/// The text file of a hook, if it is inside its skill's `hooks` folder and no other hook names it. A text that is reached
/// through a link is not returned, because the link's target is not the skill's file.
pub(super) fn own_text(context: &EditContext<'_>, hook: &Hook) -> Option<PathBuf> {
    let path = text_path(hook)?;
    let text = read(context, &path)?;
    let inside = path.strip_prefix(hook.source.path.parent()?).ok()?;
    if text.real != read(context, &hook.source.path)?.folder.join(inside) {
        return None;
    }
    let others = context.hooks.iter().filter(|other| other.key() != hook.key());
    let mut theirs = others.filter_map(text_path).filter_map(|path| read(context, &path));
    (!theirs.any(|other| other.real == text.real)).then_some(path)
}

/// Copies the text of a hook to the folder of its copy.
pub(super) fn copy(editor: &mut Editor<'_>, hook: &Hook, there: &HookPlace<'_>) -> Result<(), Message> {
    let Some(path) = text_path(hook) else { return Ok(()) };
    let list = read(editor.context, &hook.source.path);
    let is_text = |file: &SourceFile| {
        file.text.is_ok() && list.is_some_and(|list| file.real.starts_with(&list.folder) && file.real != list.real)
    };
    // A file that is not allowed as a text here is not copied, because its copy would be allowed there.
    if !read(editor.context, &path).is_some_and(is_text) {
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
    let to = there.folder().join(&file);
    editor.first.push(FileChange::CopyFile { from: path, to });
    if file == inside {
        return Ok(());
    }
    editor.set_value(there, "file", file.into())
}

/// Replaces the text of a hook.
pub(super) fn set(editor: &mut Editor<'_>, here: &HookPlace<'_>, given: &FieldValue) -> Result<(), Message> {
    let text = editing::content_of(given);
    let entry = editor.node(here, &here.at)?;
    let file = entry.as_ref().and_then(|entry| entry.get("file")?.string());
    let file = file.ok_or_else(|| render!(editing::NO_FIELD, "field" => "text"))?;
    let path = text_file(here, file)?;
    if let Some(other) = other_hook_with_text(editor, here, &path)? {
        return Err(render!(SHARED_TEXT, "file" => file, "hook" => other));
    }
    editor.write_first(path, text, FileKind::Plain);
    Ok(())
}

/// The path of a text, existing or new: a file below `hooks/`, also after links are followed, and not `hooks.json`
/// (`skill.md` §2 `file`).
fn text_file(here: &HookPlace<'_>, file: &str) -> Result<PathBuf, Message> {
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
        return Err(render!(NO_TEXT_FILE, "file" => file));
    }
    Ok(path)
}

/// The name or id of another hook whose text is in the same file.
fn other_hook_with_text(editor: &Editor<'_>, here: &HookPlace<'_>, path: &Path) -> Result<Option<String>, Message> {
    for (index, other) in editor.items(here, here.above(1))?.iter().enumerate() {
        let text = |field: &str| other.get(field).and_then(|value| value.string());
        let is_it = here.at.last() == Some(&PathStep::Item(index));
        if !is_it && text("file").is_some_and(|file| here.folder().join(file) == path) {
            return Ok(Some(
                text("name").map_or_else(|| format!("hook {}", index + 1), str::to_owned),
            ));
        }
    }
    let context = editor.context;
    let own = context.target.filter(|_| !editor.is_copy).map(Hook::key);
    let is_same = |hook: &&Hook| {
        let file = text_path(hook).and_then(|path| read(context, &path));
        let real = read(context, path).map(|file| &file.real);
        own.as_ref() != Some(&hook.key()) && real.is_some() && file.map(|file| &file.real) == real
    };
    Ok(context.hooks.iter().find(is_same).map(|hook| hook.id.clone()))
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
    let odd =
        |character: char| character.is_whitespace() || character.is_control() || "/\\:*?\"<>|".contains(character);
    let plain: String = name
        .chars()
        .map(|character| if odd(character) { '-' } else { character })
        .collect();
    format!("{}.md", plain.trim_start_matches('.'))
}
