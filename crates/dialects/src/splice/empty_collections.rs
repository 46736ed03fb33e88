//! Lists and mappings that become empty when an element is removed.

use serde_json::Value;

use super::ranges::owned_range;
use super::walk::{PathWalk, WalkEnd};
use super::{Format, Op, PathStep, apply, apply_to_value, find, parse_doc, parse_nodes, parse_value};
use crate::node::{Node, ValueKind};

/// The text without the empty list or mapping at a path, and without each parent that becomes empty. A list or mapping
/// with a comment inside or behind it stays, and so does one whose key is duplicated.
#[must_use]
pub fn without_empty(format: Format, text: &str, path: &[PathStep]) -> String {
    let mut text = text.to_owned();
    for depth in (1..=path.len()).rev() {
        let at = &path[..depth];
        // In TOML a list of tables has ended with its last table.
        if format == Format::Toml && parse_value(format, &text).is_ok_and(|value| find(&value, at).is_none()) {
            continue;
        }
        if !is_empty_entry(format, &text, at) {
            break;
        }
        // If the text would have another meaning without the empty list, the list stays.
        let Ok(next) = apply(format, &text, &[Op::Unset { at: at.to_vec() }]) else {
            break;
        };
        text = next;
    }
    text
}

/// A YAML text without the `{}` that a removal left of its root; `None` if the text has other content, or if the user
/// wrote it so. A line that is added below `{}` would make the file invalid.
#[must_use]
pub fn without_empty_root(before: &str, text: &str) -> Option<String> {
    let is_empty_root = |line: &str| line.trim_end() == "{}";
    if before.lines().any(is_empty_root) {
        return None;
    }
    let lines = text.split_inclusive('\n');
    let blank: String = lines.filter(|line| !is_empty_root(line)).collect();
    let root = parse_nodes(Format::Yaml, &blank).ok()?;
    root.is_none_or(|root| root.is_null()).then_some(blank)
}

/// Whether a key can be removed: it occurs once, its value is an empty list or mapping, and no comment belongs to it.
fn is_empty_entry(format: Format, text: &str, path: &[PathStep]) -> bool {
    let (Some(doc), Some(PathStep::Key(name, _))) = (parse_doc(format, text), path.last()) else {
        return false;
    };
    let Some(root) = &doc.root else { return false };
    let walk = PathWalk::along(root, path);
    let Some((group, index)) = walk.elements.last() else {
        return false;
    };
    let is_empty = walk
        .last()
        .collection()
        .is_some_and(|inside| inside.elements.is_empty());
    let named = |wanted: &str| {
        let keys = group.elements.iter().filter_map(|slot| slot.key.as_deref());
        keys.filter(|key| *key == wanted).count()
    };
    if walk.end != WalkEnd::Reached
        || !is_empty
        || named(name) != 1
        || named("<<") > 0
        || walk.check_changeable(&doc).is_err()
    {
        return false;
    }
    let slot = &group.elements[*index];
    let range = owned_range(&doc, group, *index);
    let end = slot.end().max(range.tail).max(range.close);
    walk.last().anchor == 0 && !doc.has_comment(slot.start..end)
}

/// Whether two texts have the same value. A list or mapping on the path `parent` may be empty in one and missing in the
/// other. A missing text (`None`) has no value. A text with a duplicate key equals no other text.
#[must_use]
pub fn means_same(format: Format, one: Option<&str>, other: &str, parent: &[PathStep]) -> bool {
    let parsed = |text: &str| {
        let root = parse_nodes(format, text).ok()?;
        let value = match root {
            Some(root) if has_duplicate_keys(&root) => return None,
            Some(root) => root.to_value(),
            None => Value::Null,
        };
        Some(without_empty_at(value, parent))
    };
    let one = one.map_or(Some(Value::Null), parsed);
    one.is_some() && one == parsed(other)
}

/// A value without the empty list or mapping at a path, and without each parent that becomes empty.
pub(super) fn without_empty_at(mut value: Value, parent: &[PathStep]) -> Value {
    for depth in (1..=parent.len()).rev() {
        let at = parent[..depth].to_vec();
        if find(&value, &at).is_some_and(is_empty_value) {
            apply_to_value(&mut value, &Op::Unset { at });
        }
    }
    if is_empty_value(&value) { Value::Null } else { value }
}

fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn has_duplicate_keys(node: &Node) -> bool {
    match &node.kind {
        ValueKind::Scalar { .. } => false,
        ValueKind::List(items) => items.iter().any(|item| has_duplicate_keys(item)),
        ValueKind::Mapping {
            entries,
            duplicate_keys,
        } => !duplicate_keys.is_empty() || entries.iter().any(|entry| has_duplicate_keys(&entry.value)),
    }
}
