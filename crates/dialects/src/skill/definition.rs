//! Makes the hook of one entry of `hooks.json` (`skill.md` §2).

use std::path::{Component, Path, PathBuf};

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Code, Handler, Hook, Message, PathStep, PlacedBy, Problem, SourceTree, args, render,
};

use super::events::{AFTER_TOOL_CALL, CARD};
use super::messages;
use super::schema::{DEFINITION, HOOK};
use crate::definition::{self, Fields, Problems};
use crate::node::{Node, ValueKind};
use crate::suggest::nearest_event;

const MAX_TEXT_BYTES: usize = 256 << 10;

/// The position of an entry.
pub struct EntrySite<'a> {
    /// The files of the skills root that was read.
    pub tree: &'a SourceTree,
    /// The entry's `hooks.json`.
    pub file: &'a Path,
    /// The folder of that file, after links are followed.
    pub folder: &'a Path,
    pub id: &'a str,
    /// The part of the id after the layer: the skill and the name.
    pub name_in_id: &'a str,
    /// The path to the entry in its file.
    pub at: Vec<PathStep>,
}

/// The name of an entry, if it is a string and not blank.
#[must_use]
pub fn entry_name(node: &Node) -> Option<&str> {
    node.get("name")?.string().filter(|name| !name.trim().is_empty())
}

/// The path of an entry's text, if the path as written stays inside the folder.
#[must_use]
pub fn text_path(folder: &Path, node: &Node) -> Option<PathBuf> {
    let file = node.get("file")?.string().filter(|file| is_inside_folder(file))?;
    Some(folder.join(file))
}

/// Whether a path, as written, names something below its folder.
pub(super) fn is_inside_folder(file: &str) -> bool {
    // Paths that leave the folder on another operating system are refused too: a leading backslash, a drive letter.
    let drive = file.as_bytes().get(1) == Some(&b':');
    let escapes = file.split(['/', '\\']).any(|part| part == "..") || file.starts_with('\\') || drive;
    let parts = Path::new(file).components();
    !escapes
        && parts
            .into_iter()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Reads an entry into a hook. With an `invalid_reason` the hook is invalid, whatever the entry contains.
#[must_use]
pub fn read(site: &EntrySite<'_>, node: &Node, invalid_reason: Option<&Message>) -> (Hook, Vec<Problem>) {
    let mut problems = Problems::new(site.file, Some(site.id), node.position);
    let fields = definition::read(&DEFINITION, &HOOK, "", node, &mut problems);
    if let Some(role) = fields.given("role").filter(|_| fields.is_wrong("role")) {
        problems.report(
            render!(messages::UNKNOWN_ROLE, "written" => written(role)),
            role.position,
        );
    }
    let event = read_timing(&fields, &mut problems);
    let file = fields.text("file");
    let text = file.and_then(|file| read_text(site, file, fields.position("file"), &mut problems));
    check_filter(&fields, &event, &mut problems);
    let when = fields.condition(CARD.event(&event), &mut problems);
    let names = fields.words("tool_filter").into_iter().map(|(name, _)| name);
    let path = text_path(site.file.parent().unwrap_or(Path::new("")), node);
    let hook = Hook {
        label: entry_name(node).unwrap_or(site.id).to_owned(),
        handler: Handler::Insert {
            text: text.unwrap_or_default(),
        },
        filter: (!when.clauses.is_empty()).then(|| names.collect()),
        when,
        field_positions: fields.positions().into_iter().collect(),
        invalid: invalid_reason.or(problems.invalid.as_ref()).cloned(),
        placed_by: PlacedBy::of_definition(site.name_in_id, &[&event]),
        approval_scope: path.map_or(ApprovalScope::Nothing, |path| ApprovalScope::Files(vec![path])),
        ..definition::hook(
            CARD.id,
            &site.tree.root,
            &problems,
            &event,
            site.at.clone(),
            node.to_value(),
        )
    };
    (hook, problems.into_list())
}

/// The event. An unknown timing is returned as written; a missing one, or one that is not a string, is returned empty.
fn read_timing(fields: &Fields<'_>, problems: &mut Problems<'_>) -> String {
    let Some(given) = fields.given("timing") else {
        return String::new();
    };
    let named = fields.text("timing").unwrap_or_default();
    if CARD.event(named).is_none() {
        let names = || CARD.events.iter().map(|event| event.name);
        let written = written(given);
        let message = match nearest_event(named, names()) {
            Some(nearest) => render!(messages::UNKNOWN_TIMING_NEAR, "written" => written, "nearest" => nearest),
            None => {
                let known = names().collect::<Vec<_>>().join(", ");
                render!(messages::UNKNOWN_TIMING, "written" => written, "known" => known)
            }
        };
        problems.report(message, given.position);
    }
    named.to_owned()
}

/// The content of the text file. `None` after a problem was reported.
fn read_text(site: &EntrySite<'_>, file: &str, position: TextPosition, problems: &mut Problems<'_>) -> Option<String> {
    let args = || args! { "file" => file };
    if !is_inside_folder(file) {
        problems.report(messages::OUTSIDE.render(args()), position);
        return None;
    }
    if !file.ends_with(".md") && !file.is_empty() {
        problems.warn(messages::NOT_MD.render(args()), position);
    }
    let path = site.file.parent()?.join(file);
    let Some(read) = site.tree.files.get(&path).filter(|_| !file.is_empty()) else {
        problems.report(messages::FILE_MISSING.render(args()), position);
        return None;
    };
    if !read.real.starts_with(site.folder) {
        let args = args! { "file" => file, "target" => read.real.display().to_string() };
        problems.report(messages::LINKED_OUT.render(args), position);
        return None;
    }
    match &read.text {
        Ok(text) if text.len() > MAX_TEXT_BYTES => {
            problems.report(messages::TEXT_TOO_LARGE.render(args()), position);
            None
        }
        Ok(text) => {
            if text.is_empty() {
                problems.warn(messages::EMPTY_TEXT.render(args()), position);
            }
            Some(text.clone())
        }
        Err(problem) => {
            problems.report(unread_message(file, problem), position);
            None
        }
    }
}

/// Reports a `tool_filter` that has no effect.
fn check_filter(fields: &Fields<'_>, event: &str, problems: &mut Problems<'_>) {
    let Some(ValueKind::List(names)) = fields.given("tool_filter").map(|given| &given.kind) else {
        return;
    };
    let position = fields.position("tool_filter");
    if event != AFTER_TOOL_CALL && CARD.event(event).is_some() {
        problems.report(render!(messages::FILTER_ELSEWHERE, "timing" => event), position);
    } else if event == AFTER_TOOL_CALL && names.is_empty() {
        problems.report(messages::FILTER_EMPTY.render_plain(), position);
    }
}

/// Why a text was not read, as a message about the hook that names it.
fn unread_message(file: &str, problem: &Problem) -> Message {
    let arg = |key: &str| problem.args.get(key).cloned().unwrap_or_default();
    if problem.code == Code::TooLarge {
        render!(messages::TEXT_TOO_LARGE, "file" => file)
    } else if problem.code == Code::FileOutside {
        render!(messages::LINKED_OUT, "file" => file, "target" => arg("target"))
    } else if problem.args.contains_key("offset") {
        render!(messages::TEXT_NOT_UTF8, "file" => file, "offset" => arg("offset"))
    } else {
        render!(messages::TEXT_UNREADABLE, "file" => file, "why" => arg("why"))
    }
}

/// A value as JSON text.
fn written(node: &Node) -> String {
    node.to_value().to_string()
}
