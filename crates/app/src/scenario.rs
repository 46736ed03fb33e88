//! Reads a scenario from its text (`CONTRACTS.md` §2.4).
//!
//! JSON is read like payloads, YAML like hook files (`engine.md` §9): the same numbers, anchors and `<<`. Errors name
//! the line and the field.

use std::path::Path;

use hookwright_dialects::node::{Node, ValueKind};
use hookwright_dialects::{jsonc, yaml};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Scenario, args};
use serde_path_to_error::{Path as Way, Segment};

use crate::fault::Fault;

hookwright_model::messages! {
    /// A scenario that cannot be read.
    BAD_SCENARIO = "bad_scenario" { "{path}:{line}: {field}: {why}", "{path}:{line}：{field}：{why}" } hint { "write `dialect` and `turns`, and in each turn `user` and `steps`", "场景包含 `dialect` 和 `turns`，每一轮包含 `user` 和 `steps`" };
}

/// Reads a scenario from text: as JSON if the file name ends in `.json` or the text is JSON, else as YAML.
///
/// # Errors
/// The text is not a scenario. The message names file, line and field.
pub fn parse_scenario(path: &Path, text: &str) -> Result<Scenario, Fault> {
    let read = match path.extension() {
        Some(kind) if kind == "json" => from_json(without_mark(text)),
        Some(_) | None => read_text(text),
    };
    read.map_err(|wrong| {
        let args = args! { "path" => path.display().to_string(), "line" => wrong.line, "field" => wrong.field, "why" => wrong.why };
        BAD_SCENARIO.render(args).into()
    })
}

/// Reads a scenario from a text without a file name: as JSON if the text is JSON, else as YAML.
pub(crate) fn read_text(text: &str) -> Result<Scenario, ScenarioError> {
    let text = without_mark(text);
    if text.trim_start().starts_with('{') {
        // A flow mapping of YAML also begins with `{`.
        match from_json(text) {
            Err(wrong) if !wrong.is_json => {}
            read => return read,
        }
    }
    from_yaml(text)
}

/// Whether [`read_text`] reads this text as JSON.
pub(crate) fn is_json(text: &str) -> bool {
    let text = without_mark(text);
    text.trim_start().starts_with('{') && from_json(text).map_or_else(|wrong| wrong.is_json, |_| true)
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Why a text is not a scenario.
pub(crate) struct ScenarioError {
    /// The line, from 1.
    pub(crate) line: u64,
    /// The field, such as `turns[0].user`.
    pub(crate) field: String,
    /// The English reason.
    pub(crate) why: String,
    /// Whether the text is valid JSON, although it is not a scenario.
    is_json: bool,
}

fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
    let wrong = |field: String, error: &serde_json::Error| ScenarioError {
        line: error.line() as u64,
        field,
        why: without_position(&error.to_string()),
        is_json: error.is_data(),
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let scenario: Scenario = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| wrong(field_name(error.path()), error.inner()))?;
    reader.end().map_err(|error| wrong(root_name(), &error))?;
    let tree = jsonc::read(text).ok().and_then(|read| read.root);
    match tree.and_then(|root| find_list_for_object(&root)) {
        Some((position, field)) => Err(ScenarioError {
            line: position.line.into(),
            field,
            why: LIST_FOR_OBJECT.to_owned(),
            is_json: true,
        }),
        None => Ok(scenario),
    }
}

fn from_yaml(text: &str) -> Result<Scenario, ScenarioError> {
    let at = |position: TextPosition, field: String, why: String| ScenarioError {
        line: position.line.into(),
        field,
        why,
        is_json: false,
    };
    let start = TextPosition { line: 1, column: 1 };
    let root =
        yaml::read(text).map_err(|broken| at(broken.position, root_name(), Fault::from(broken.message).message))?;
    let root = root.ok_or_else(|| at(start, root_name(), "the file is empty".to_owned()))?;
    let mut repeated_key = None;
    root.for_each_duplicate_key(&mut |entry| {
        repeated_key.get_or_insert_with(|| at(entry.key_position, entry.key.clone(), "duplicate key".to_owned()));
    });
    if let Some(repeated_key) = repeated_key {
        return Err(repeated_key);
    }
    if let Some((position, field)) = find_list_for_object(&root) {
        return Err(at(position, field, LIST_FOR_OBJECT.to_owned()));
    }
    serde_path_to_error::deserialize(root.to_payload()).map_err(|error| {
        at(
            position_of(&root, error.path()),
            field_name(error.path()),
            error.inner().to_string(),
        )
    })
}

const LIST_FOR_OBJECT: &str = "invalid type: sequence, expected named fields";

/// The first list in a position that needs an object. The deserializer would read its items as the fields, in order.
fn find_list_for_object(root: &Node) -> Option<(TextPosition, String)> {
    let is_list = |node: &Node| matches!(node.kind, ValueKind::List(_));
    if is_list(root) {
        return Some((root.position, root_name()));
    }
    if let Some(prompts) = root.get("prompts").filter(|prompts| is_list(prompts)) {
        return Some((prompts.position, "prompts".to_owned()));
    }
    let mut level = vec![(String::new(), root)];
    for (dot, key) in [("", "turns"), (".", "steps"), (".", "calls")] {
        let lists = level.iter().filter_map(|(path, node)| Some((path, node.get(key)?)));
        let items = lists.flat_map(|(path, list)| {
            let items = match &list.kind {
                ValueKind::List(items) => items.as_slice(),
                ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => &[],
            };
            let name = move |at: usize| format!("{path}{dot}{key}[{at}]");
            items.iter().enumerate().map(move |(at, item)| (name(at), &**item))
        });
        level = items.collect();
        if let Some((path, list)) = level.iter().find(|(_, item)| is_list(item)) {
            return Some((list.position, path.clone()));
        }
    }
    None
}

/// The position at the end of a path: the position of the key, or of the value if it has no key.
fn position_of(root: &Node, path: &Way) -> TextPosition {
    let mut node = root;
    let mut position = node.position;
    for segment in path {
        let next = match (segment, &node.kind) {
            (Segment::Map { key }, ValueKind::Mapping { entries, .. }) => entries
                .iter()
                .find(|entry| entry.key == *key)
                .map(|entry| (entry.key_position, &entry.value)),
            (Segment::Seq { index }, ValueKind::List(items)) => items.get(*index).map(|item| (item.position, item)),
            (Segment::Map { .. } | Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown, _) => None,
        };
        let Some((place, value)) = next else { break };
        (position, node) = (place, value);
    }
    position
}

fn field_name(path: &Way) -> String {
    match path.to_string() {
        way if way == "." => root_name(),
        way => way,
    }
}

fn root_name() -> String {
    "scenario".to_owned()
}

/// The deserializer's message without the position, because Hookwright's message names the line itself.
fn without_position(message: &str) -> String {
    message
        .split_once(" at line ")
        .map_or(message, |(why, _)| why)
        .to_owned()
}

#[cfg(test)]
#[path = "scenario_tests.rs"]
mod tests;
