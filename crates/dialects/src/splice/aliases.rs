//! Aliases of an item that comes to stand before what they refer to: they are written out (`CONTRACTS.md` §2.7).

use hookwright_model::Words;
use serde_json::Value;

use super::tree::{Doc, Node, Shape};
use super::walk::{End, Walk, shared};
use super::{Op, Path, Step, key, meant};

/// What has to be done to an item before it can move in its list; `None` when it can move as it stands.
///
/// # Errors
/// It holds an anchor, and would come to stand behind what refers to that.
pub(super) fn before_move(
    doc: &Doc<'_>,
    value: &Value,
    walk: &Walk<'_>,
    list: &Path,
    from: usize,
    to: usize,
) -> Result<Option<Vec<Op>>, Words> {
    let Shape::List(group) = &walk.last().shape else {
        return Ok(None);
    };
    if doc.uses.is_empty() || walk.end != End::Here || from.max(to) >= group.slots.len() {
        return Ok(None);
    }
    let moved = &group.slots[from].node;
    if to > from {
        let mut anchors = Vec::new();
        moved.each(&mut |node| anchors.extend((node.anchor != 0).then_some(node)));
        let passed = &group.slots[from + 1..=to];
        for owner in anchors {
            if passed.iter().any(|slot| refers(&slot.node, &[owner.anchor])) {
                return Err(shared(doc, owner));
            }
        }
        return Ok(None);
    }
    let mut anchors = Vec::new();
    for slot in &group.slots[to..from] {
        slot.node
            .each(&mut |node| anchors.extend((node.anchor != 0).then_some(node.anchor)));
    }
    if !refers(moved, &anchors) {
        return Ok(None);
    }
    let mut ops = Vec::new();
    let mut value = value.clone();
    let mut at = list.clone();
    at.push(Step::Item(from));
    write_out(&mut value, moved, &anchors, &at, &mut ops);
    Ok((!ops.is_empty()).then_some(ops))
}

/// Whether a value has an alias of one of these anchors.
fn refers(node: &Node, anchors: &[usize]) -> bool {
    let mut found = false;
    node.each(&mut |node| found |= matches!(node.shape, Shape::Alias(id) if anchors.contains(&id)));
    found
}

fn write_out(value: &mut Value, node: &Node, anchors: &[usize], at: &Path, ops: &mut Vec<Op>) {
    let inside = |step: Step| [at.as_slice(), &[step]].concat();
    match &node.shape {
        Shape::Alias(id) if anchors.contains(id) => {
            let meant = meant::at_path(value, at).cloned();
            ops.extend(meant.map(|value| Op::Set { at: at.clone(), value }));
        }
        Shape::List(group) => {
            for (index, slot) in group.slots.iter().enumerate() {
                write_out(value, &slot.node, anchors, &inside(Step::Item(index)), ops);
            }
        }
        Shape::Map(group) => {
            let named = |name: &str| group.slots.iter().any(|slot| slot.key.as_deref() == Some(name));
            for slot in &group.slots {
                let Some(name) = &slot.key else { continue };
                if name != "<<" {
                    write_out(value, &slot.node, anchors, &inside(key(name)), ops);
                } else if refers(&slot.node, anchors) {
                    let merged = meant::at_path(value, at).and_then(|value| value.as_object().cloned());
                    let brought = merged.into_iter().flatten().filter(|(name, _)| !named(name));
                    ops.extend(brought.map(|(name, value)| Op::Set {
                        at: inside(key(name)),
                        value,
                    }));
                    ops.push(Op::Unset { at: inside(key("<<")) });
                }
            }
        }
        Shape::Alias(_) | Shape::Absent | Shape::Scalar(_) | Shape::Block(_) => {}
    }
}
