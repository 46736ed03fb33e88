//! Lists and mappings that a removal leaves empty.

use serde_json::Value;

use super::slots::extent;
use super::walk::{End, Walk};
use super::{Format, Op, Step, apply, find, meant, nodes, read};
use crate::node::{Kind, Node};

/// The text without the empty list or mapping at a path, and without those around it that this empties in turn. One with
/// a comment inside or behind it stays as it is, and so does one whose key is there twice.
#[must_use]
pub fn without_empty(format: Format, text: &str, path: &[Step]) -> String {
    let mut text = text.to_owned();
    for depth in (1..=path.len()).rev() {
        let at = &path[..depth];
        if !is_bare(format, &text, at) {
            break;
        }
        // A text that would say something else then keeps its empty list.
        let Ok(next) = apply(format, &text, &[Op::Unset { at: at.to_vec() }]) else {
            break;
        };
        text = next;
    }
    text
}

/// Whether nothing but an empty list or mapping is written at a key.
fn is_bare(format: Format, text: &str, path: &[Step]) -> bool {
    let (Some(doc), Some(Step::Key(name, _))) = (read(format, text), path.last()) else {
        return false;
    };
    let Some(root) = &doc.root else { return false };
    let walk = Walk::along(root, path);
    let Some((group, index)) = walk.slots.last() else {
        return false;
    };
    let is_empty = walk.last().group().is_some_and(|inside| inside.slots.is_empty());
    let named = |wanted: &str| {
        let keys = group.slots.iter().filter_map(|slot| slot.key.as_deref());
        keys.filter(|key| *key == wanted).count()
    };
    if walk.end != End::Here || !is_empty || named(name) != 1 || named("<<") > 0 || walk.may_change(&doc).is_err() {
        return false;
    }
    let slot = &group.slots[*index];
    let place = extent(&doc, group, *index);
    let end = slot.end().max(place.tail).max(place.close);
    walk.last().anchor == 0 && !doc.has_comment(slot.start..end)
}

/// Whether two texts say the same, where a list or mapping on a path may be empty in one and missing in the other. A text
/// that is not there says nothing, and one with a key that is there twice is like no other.
#[must_use]
pub fn says_same(format: Format, one: Option<&str>, other: &str, around: &[Step]) -> bool {
    let bare = |text: &str| {
        let root = nodes(format, text).ok()?;
        let value = match root {
            Some(root) if has_keys_twice(&root) => return None,
            Some(root) => root.to_value(),
            None => Value::Null,
        };
        Some(without_empty_in(value, around))
    };
    let one = one.map_or(Some(Value::Null), bare);
    one.is_some() && one == bare(other)
}

fn without_empty_in(mut value: Value, around: &[Step]) -> Value {
    for depth in (1..=around.len()).rev() {
        let at = around[..depth].to_vec();
        if find(&value, &at).is_some_and(says_nothing) {
            meant(&mut value, &Op::Unset { at });
        }
    }
    if says_nothing(&value) { Value::Null } else { value }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn has_keys_twice(node: &Node) -> bool {
    match &node.kind {
        Kind::Scalar { .. } => false,
        Kind::List(items) => items.iter().any(|item| has_keys_twice(item)),
        Kind::Mapping { entries, again } => {
            !again.is_empty() || entries.iter().any(|entry| has_keys_twice(&entry.value))
        }
    }
}
