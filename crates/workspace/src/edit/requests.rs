//! Requests of edits: their check, and the parsers for command line text.

use std::path::Path;

use hookwright_dialects::yaml::{Node, ValueKind};
use hookwright_model::{EditRequest, FieldValue, HookChange, Message, TargetLayer, render};

use super::messages::{BAD_DEFINITION, BAD_SET, IS_ANOTHER_HOOK, NOTHING_ASKED, UNKNOWN_LAYER};
use crate::workspace::Workspace;

/// A text to save.
#[derive(Debug, Clone)]
pub struct TextEdit<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// The dialect of the file; needed only if several dialects read it.
    pub dialect: Option<&'a str>,
    /// The hash of the bytes that the text was made from; `None` if the file did not exist.
    pub base: Option<&'a str>,
    /// The whole new text, without byte-order mark.
    pub text: &'a str,
    /// The hook that the user edited, if there is one.
    pub hook: Option<&'a str>,
}

/// Checks that the id still belongs to the hook that the user saw. An id contains a position in a list, so it may
/// now belong to the hook next to it.
///
/// # Errors
/// The project is not a directory, or the id belongs to another hook.
pub fn check_same_hook(
    workspace: &Workspace,
    project: &Path,
    request: &EditRequest,
    version: Option<&str>,
) -> Result<(), Message> {
    let (EditRequest::Change { hook, .. } | EditRequest::Remove { hook }, Some(version)) = (request, version) else {
        return Ok(());
    };
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    match open_project.snapshot().hook(hook) {
        Some(known) if known.version() != version => Err(render!(IS_ANOTHER_HOOK, "hook" => hook)),
        Some(_) | None => Ok(()),
    }
}

/// The request for these changes of a hook.
///
/// # Errors
/// `changes` is empty.
pub fn change_request(hook: String, changes: Vec<HookChange>) -> Result<EditRequest, Message> {
    let changes = check_some(changes)?;
    Ok(EditRequest::Change { hook, changes })
}

/// The changes, if there are any.
///
/// # Errors
/// `changes` is empty.
pub fn check_some(changes: Vec<HookChange>) -> Result<Vec<HookChange>, Message> {
    if changes.is_empty() {
        return Err(NOTHING_ASKED.render_plain());
    }
    Ok(changes)
}

/// The layer of this name, such as `user`.
///
/// # Errors
/// No layer has this name. The error lists the known ones.
pub fn target_layer(word: &str) -> Result<TargetLayer, Message> {
    TargetLayer::from_name(word).ok_or_else(|| {
        let known: Vec<&str> = TargetLayer::ALL.iter().map(|layer| layer.as_str()).collect();
        render!(UNKNOWN_LAYER, "layer" => word, "known" => known.join(", "))
    })
}

/// Parses `FIELD=VALUE`. The value is read as YAML, and its text is passed on too.
///
/// # Errors
/// The text has no `=`, or no field before it.
pub fn parse_set(assignment: &str) -> Result<HookChange, Message> {
    let bad = || render!(BAD_SET, "text" => assignment);
    let (field, text) = assignment.split_once('=').ok_or_else(bad)?;
    if field.trim().is_empty() {
        return Err(bad());
    }
    let node = hookwright_dialects::yaml::read(text).ok();
    let string = node.iter().flatten().find_map(|node| string_of(text, node));
    let read = node.map(|node| node.map_or(serde_json::Value::Null, |node| node.to_value()));
    Ok(HookChange::Set {
        field: field.trim().to_owned(),
        value: FieldValue::Written {
            text: text.to_owned(),
            read,
            string,
        },
    })
}

/// The string that a text is, if the text is this string, plain or quoted on one line, and nothing else. In a command
/// `!`, `&` and `#` belong to the shell. YAML would read them as a tag, an anchor and a comment.
fn string_of(text: &str, node: &Node) -> Option<String> {
    let written = text.trim_matches([' ', '\t']);
    let begin = text.len() - text.trim_start_matches([' ', '\t']).len();
    let ValueKind::Scalar {
        value: serde_json::Value::String(string),
        ..
    } = &node.kind
    else {
        return None;
    };
    let is_whole = match written.starts_with(['"', '\'']) {
        true => node.span == (begin..begin + written.len()),
        false => string == written,
    };
    (is_whole && !text.contains(['\n', '\r'])).then(|| string.clone())
}

/// Parses the fields of a new hook from JSON.
///
/// # Errors
/// The text is not a JSON object, or an object in it contains a key twice.
pub fn parse_definition(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, Message> {
    hookwright_dialects::json::check_keys(text)?;
    let why = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut value) => {
            hookwright_dialects::json::normalize_numbers(&mut value);
            if let serde_json::Value::Object(map) = value {
                return Ok(map);
            }
            "it is another value".to_owned()
        }
        Err(error) => error.to_string(),
    };
    Err(render!(BAD_DEFINITION, "why" => why))
}
