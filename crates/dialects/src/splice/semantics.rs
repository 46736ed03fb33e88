//! The effect of an operation on the value, without any text. The result of each text edit is compared with it.

use serde_json::{Map, Value};

use super::{Op, Path, PathStep};

/// Applies the operation to the value. Returns false if the value has nothing that the operation could change.
pub(super) fn apply(root: &mut Value, op: &Op) -> bool {
    let path = match op {
        Op::Set { at, .. } | Op::Unset { at } | Op::Insert { at, .. } | Op::Remove { at } | Op::Rename { at, .. } => at,
        Op::Move { list, .. } => list,
    };
    // Of equal keys only the first one is read, so a change of another one does not change the value.
    if path
        .iter()
        .any(|step| matches!(step, PathStep::Key(_, nth) if *nth > 0))
    {
        return true;
    }
    match op {
        Op::Set { at, value } => set(root, at, value),
        Op::Unset { at } => {
            let Some((PathStep::Key(name, _), above)) = at.split_last() else {
                return false;
            };
            match value_at(root, above) {
                Some(Value::Object(map)) => {
                    map.shift_remove(name);
                    true
                }
                Some(_) | None => false,
            }
        }
        Op::Insert { at, content } => insert(root, at, &content.value),
        Op::Remove { at } => remove(root, at),
        Op::Rename { at, to } => rename(root, at, to),
        Op::Move { list, from, to } => match value_at(root, list) {
            Some(Value::Array(items)) if *from < items.len() && *to < items.len() => {
                let item = items.remove(*from);
                items.insert(*to, item);
                true
            }
            Some(_) | None => false,
        },
    }
}

/// The value at a path, if there is one.
pub(super) fn value_at<'v>(mut value: &'v mut Value, path: &[PathStep]) -> Option<&'v mut Value> {
    for step in path {
        value = match (step, value) {
            (PathStep::Key(name, _), Value::Object(map)) => map.get_mut(name)?,
            (PathStep::Item(index), Value::Array(items)) => items.get_mut(*index)?,
            (PathStep::Key(..) | PathStep::Item(_), _) => return None,
        };
    }
    Some(value)
}

fn set(root: &mut Value, at: &Path, value: &Value) -> bool {
    let mut here = root;
    for step in at {
        if here.is_null() && matches!(step, PathStep::Key(..)) {
            *here = Value::Object(Map::new());
        }
        here = match (step, here) {
            (PathStep::Key(name, _), Value::Object(map)) => map.entry(name.clone()).or_insert(Value::Null),
            (PathStep::Item(index), Value::Array(items)) => match items.get_mut(*index) {
                Some(item) => item,
                None => return false,
            },
            (PathStep::Key(..) | PathStep::Item(_), _) => return false,
        };
    }
    *here = value.clone();
    true
}

fn insert(root: &mut Value, at: &Path, value: &Value) -> bool {
    let Some((last, above)) = at.split_last() else {
        return false;
    };
    if value_at(root, above).is_none_or(|found| found.is_null()) {
        let empty = match last {
            PathStep::Key(..) => Value::Object(Map::new()),
            PathStep::Item(_) => Value::Array(Vec::new()),
        };
        if !set(root, &above.to_vec(), &empty) {
            return false;
        }
    }
    match (last, value_at(root, above)) {
        (PathStep::Key(name, _), Some(Value::Object(map))) => map.insert(name.clone(), value.clone()).is_none(),
        (PathStep::Item(index), Some(Value::Array(items))) if *index <= items.len() => {
            items.insert(*index, value.clone());
            true
        }
        (PathStep::Key(..) | PathStep::Item(_), _) => false,
    }
}

fn remove(root: &mut Value, at: &Path) -> bool {
    let Some((last, above)) = at.split_last() else {
        return false;
    };
    match (last, value_at(root, above)) {
        (PathStep::Key(name, _), Some(Value::Object(map))) => map.shift_remove(name).is_some(),
        (PathStep::Item(index), Some(Value::Array(items))) if *index < items.len() => {
            items.remove(*index);
            true
        }
        (PathStep::Key(..) | PathStep::Item(_), _) => false,
    }
}

fn rename(root: &mut Value, at: &Path, to: &str) -> bool {
    let Some((PathStep::Key(name, _), above)) = at.split_last() else {
        return false;
    };
    let Some(Value::Object(map)) = value_at(root, above) else {
        return false;
    };
    if !map.contains_key(name) || (to != name && map.contains_key(to)) {
        return false;
    }
    let entries = std::mem::take(map).into_iter();
    map.extend(entries.map(|(key, value)| (if key == *name { to.to_owned() } else { key }, value)));
    true
}
