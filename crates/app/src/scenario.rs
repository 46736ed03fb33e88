//! A scenario from its text (`CONTRACTS.md` §2.4).
//!
//! JSON is read as payloads are, YAML as hook files are (`engine.md` §9): the same numbers, anchors and `<<`. What is
//! wrong is told with its line and field.

use std::path::Path;

use hookwright_dialects::node::{Node, ValueKind};
use hookwright_dialects::{jsonc, yaml};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Scenario, args};
use serde_path_to_error::{Path as Way, Segment};

use crate::fault::Fault;

hookwright_model::messages! {
    /// A scenario that cannot be read.
    BAD_SCENARIO = "bad_scenario" { "{path}:{line}: {field}: {why}", "{path}:{line}：{field}：{why}" } hint { "a scenario has `dialect`, `turns`, and in each turn `user` and `steps`", "剧本包含 `dialect`、`turns`，每轮包含 `user` 与 `steps`" };
}

/// A scenario from text: JSON when the name says so or it is JSON, else YAML.
///
/// # Errors
/// What is wrong, with file, line and field.
pub fn parse_scenario(path: &Path, text: &str) -> Result<Scenario, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |wrong: Wrong| {
        let args = args! { "path" => path.display().to_string(), "line" => wrong.line, "field" => wrong.field, "why" => wrong.why };
        Fault::from(BAD_SCENARIO.render(args))
    };
    if path.extension().is_some_and(|kind| kind == "json") {
        return from_json(text).map_err(wrong);
    }
    if text.trim_start().starts_with('{') {
        // A flow mapping of YAML begins like JSON.
        match from_json(text) {
            Err(wrong) if !wrong.is_json => {}
            read => return read.map_err(wrong),
        }
    }
    from_yaml(text).map_err(wrong)
}

struct Wrong {
    line: u64,
    field: String,
    why: String,
    /// The text itself is JSON.
    is_json: bool,
}

fn from_json(text: &str) -> Result<Scenario, Wrong> {
    let wrong = |field: String, error: &serde_json::Error| Wrong {
        line: error.line() as u64,
        field,
        why: without_place(&error.to_string()),
        is_json: error.is_data(),
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let scenario: Scenario =
        serde_path_to_error::deserialize(&mut reader).map_err(|error| wrong(field(error.path()), error.inner()))?;
    reader.end().map_err(|error| wrong(whole(), &error))?;
    let tree = jsonc::read(text).ok().and_then(|read| read.root);
    match tree.and_then(|root| list_for_object(&root)) {
        Some((spot, field)) => Err(Wrong {
            line: spot.line.into(),
            field,
            why: LIST_FOR_OBJECT.to_owned(),
            is_json: true,
        }),
        None => Ok(scenario),
    }
}

fn from_yaml(text: &str) -> Result<Scenario, Wrong> {
    let at = |spot: TextPosition, field: String, why: String| Wrong {
        line: spot.line.into(),
        field,
        why,
        is_json: false,
    };
    let start = TextPosition { line: 1, column: 1 };
    let root = yaml::read(text).map_err(|broken| at(broken.position, whole(), Fault::from(broken.message).message))?;
    let root = root.ok_or_else(|| at(start, whole(), "the file is empty".to_owned()))?;
    let mut again = None;
    root.for_each_duplicate_key(&mut |entry| {
        again.get_or_insert_with(|| {
            at(
                entry.key_position,
                entry.key.clone(),
                "the key stands here twice".to_owned(),
            )
        });
    });
    if let Some(again) = again {
        return Err(again);
    }
    if let Some((spot, field)) = list_for_object(&root) {
        return Err(at(spot, field, LIST_FOR_OBJECT.to_owned()));
    }
    serde_path_to_error::deserialize(root.to_value()).map_err(|error| {
        at(
            spot_of(&root, error.path()),
            field(error.path()),
            error.inner().to_string(),
        )
    })
}

const LIST_FOR_OBJECT: &str = "invalid type: sequence, expected named fields";

/// The first list that stands where named fields are wanted. The reader would take its items for the fields, in order.
fn list_for_object(root: &Node) -> Option<(TextPosition, String)> {
    let is_list = |node: &Node| matches!(node.kind, ValueKind::List(_));
    if is_list(root) {
        return Some((root.position, whole()));
    }
    if let Some(prompts) = root.get("prompts").filter(|prompts| is_list(prompts)) {
        return Some((prompts.position, "prompts".to_owned()));
    }
    let mut level = vec![(String::new(), root)];
    for (dot, key) in [("", "turns"), (".", "steps"), (".", "calls")] {
        let lists = level.iter().filter_map(|(way, node)| Some((way, node.get(key)?)));
        let items = lists.flat_map(|(way, list)| {
            let items = match &list.kind {
                ValueKind::List(items) => items.as_slice(),
                ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => &[],
            };
            let name = move |at: usize| format!("{way}{dot}{key}[{at}]");
            items.iter().enumerate().map(move |(at, item)| (name(at), &**item))
        });
        level = items.collect();
        if let Some((way, list)) = level.iter().find(|(_, item)| is_list(item)) {
            return Some((list.position, way.clone()));
        }
    }
    None
}

/// Where a way through the values ends: at its key, else where the value begins.
fn spot_of(root: &Node, way: &Way) -> TextPosition {
    let mut node = root;
    let mut spot = node.position;
    for segment in way {
        let next = match (segment, &node.kind) {
            (Segment::Map { key }, ValueKind::Mapping { entries, .. }) => entries
                .iter()
                .find(|entry| entry.key == *key)
                .map(|entry| (entry.key_position, &entry.value)),
            (Segment::Seq { index }, ValueKind::List(items)) => items.get(*index).map(|item| (item.position, item)),
            (Segment::Map { .. } | Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown, _) => None,
        };
        let Some((place, value)) = next else { break };
        (spot, node) = (place, value);
    }
    spot
}

fn field(way: &Way) -> String {
    match way.to_string() {
        way if way == "." => whole(),
        way => way,
    }
}

fn whole() -> String {
    "scenario".to_owned()
}

/// The reader's words without the place, which is told beside them.
fn without_place(told: &str) -> String {
    told.split_once(" at line ").map_or(told, |(why, _)| why).to_owned()
}

#[cfg(test)]
#[path = "scenario_tests.rs"]
mod tests;
