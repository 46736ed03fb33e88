//! Aliases in an item that moves to a place before their anchors. Such aliases are written out (`CONTRACTS.md` §2.7).

use std::collections::HashMap;

use hookwright_model::Message;
use serde_json::Value;

use super::ranges::owned_range;
use super::tree::{Collection, Doc, NodeShape, SpanNode};
use super::walk::{PathWalk, WalkEnd, form_message, shared_message};
use super::{Op, Path, PathStep, key, semantics};

/// Returns the operations that an item needs before it can move within its list, or `None` if it needs none.
///
/// # Errors
/// An alias outside the item would no longer find its anchor. Or a `<<` that must be written out has a comment, which
/// would be lost.
pub(super) fn prepare_move(
    doc: &Doc<'_>,
    value: &Value,
    walk: &PathWalk<'_>,
    list: &Path,
    from: usize,
    to: usize,
) -> Result<Option<Vec<Op>>, Message> {
    let NodeShape::List(group) = &walk.last().shape else {
        return Ok(None);
    };
    if doc.alias_counts.is_empty() || walk.end != WalkEnd::Reached || from.max(to) >= group.elements.len() {
        return Ok(None);
    }
    let moved = &group.elements[from].node;
    let broken = broken_aliases(doc, group, from, to);
    let mut own_aliases = Vec::new();
    moved.for_each(&mut |node| own_aliases.extend(alias_id(node)));
    // An alias outside the item would break, so the item keeps its place.
    let other = broken.iter().find(|id| !own_aliases.contains(id));
    if let Some(id) = other {
        return Err(node_with_anchor(doc, *id)
            .map_or_else(|| form_message(doc, moved.start()), |owner| shared_message(doc, owner)));
    }
    if broken.is_empty() {
        return Ok(None);
    }
    let mut ops = Vec::new();
    let mut value = value.clone();
    let mut at = list.clone();
    at.push(PathStep::Item(from));
    expand_aliases(doc, &mut value, moved, &broken, &at, &mut ops)?;
    Ok((!ops.is_empty()).then_some(ops))
}

/// The anchors whose aliases break if the item moves: an alias finds no anchor of its name, or another one.
fn broken_aliases(doc: &Doc<'_>, group: &Collection, from: usize, to: usize) -> Vec<usize> {
    let (low, high) = (from.min(to), from.max(to));
    let (begin, end) = (group.elements[low].start, group.elements[high].end());
    let mut order: Vec<usize> = (low..=high).collect();
    let moved = order.remove(from - low);
    order.insert(to - low, moved);

    let mut whole = Vec::new();
    if let Some(root) = &doc.root {
        root.for_each(&mut |node| whole.push(node));
    }
    let mut nodes: Vec<&SpanNode> = whole.iter().copied().filter(|node| node.start() < begin).collect();
    for index in order {
        group.elements[index].node.for_each(&mut |node| nodes.push(node));
    }
    nodes.extend(whole.iter().copied().filter(|node| node.start() >= end));

    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut broken = Vec::new();
    for node in nodes {
        if let Some(name) = anchor_name(doc, node) {
            known.insert(name, node.anchor);
        }
        if let Some(id) = alias_id(node) {
            let name = doc.text.get(node.range.clone()).and_then(|text| text.strip_prefix('*'));
            if name.and_then(|name| known.get(name.trim_end())) != Some(&id) {
                broken.push(id);
            }
        }
    }
    broken
}

fn anchor_name<'t>(doc: &Doc<'t>, node: &SpanNode) -> Option<&'t str> {
    let props = doc.text.get(node.props.clone()?)?;
    let name = props.split_whitespace().find_map(|word| word.strip_prefix('&'));
    name.filter(|_| node.anchor != 0)
}

fn alias_id(node: &SpanNode) -> Option<usize> {
    match node.shape {
        NodeShape::Alias(id) => Some(id),
        NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) | NodeShape::List(_) | NodeShape::Map(_) => None,
    }
}

/// The node that has this anchor.
fn node_with_anchor<'d>(doc: &'d Doc<'_>, anchor: usize) -> Option<&'d SpanNode> {
    let mut found = None;
    doc.root.as_ref()?.for_each(&mut |node| {
        if node.anchor == anchor {
            found = Some(node);
        }
    });
    found
}

/// Checks that a `<<` can be removed. A comment at it would have no place once the merged keys are written out.
///
/// # Errors
/// A `<<` of the mapping has a comment.
pub(super) fn check_merge_removable(doc: &Doc<'_>, group: &Collection) -> Result<(), Message> {
    for (index, slot) in group.elements.iter().enumerate() {
        let range = owned_range(doc, group, index);
        if slot.key.as_deref() == Some("<<") && doc.has_comment(range.lead..range.close) {
            return Err(form_message(doc, slot.start));
        }
    }
    Ok(())
}

/// Whether the node, or a node in it, is an alias of one of these anchors.
fn refers_to_any(node: &SpanNode, anchors: &[usize]) -> bool {
    let mut found = false;
    node.for_each(&mut |node| found |= matches!(node.shape, NodeShape::Alias(id) if anchors.contains(&id)));
    found
}

fn expand_aliases(
    doc: &Doc<'_>,
    value: &mut Value,
    node: &SpanNode,
    anchors: &[usize],
    at: &Path,
    ops: &mut Vec<Op>,
) -> Result<(), Message> {
    let inside = |step: PathStep| [at.as_slice(), &[step]].concat();
    match &node.shape {
        NodeShape::Alias(id) if anchors.contains(id) => {
            let expected_value = semantics::value_at(value, at).cloned();
            ops.extend(expected_value.map(|value| Op::Set { at: at.clone(), value }));
        }
        NodeShape::List(group) => {
            for (index, slot) in group.elements.iter().enumerate() {
                expand_aliases(doc, value, &slot.node, anchors, &inside(PathStep::Item(index)), ops)?;
            }
        }
        NodeShape::Map(group) => {
            let named = |name: &str| group.elements.iter().any(|slot| slot.key.as_deref() == Some(name));
            for slot in &group.elements {
                let Some(name) = &slot.key else { continue };
                if name != "<<" {
                    expand_aliases(doc, value, &slot.node, anchors, &inside(key(name)), ops)?;
                } else if refers_to_any(&slot.node, anchors) {
                    check_merge_removable(doc, group)?;
                    let merged = semantics::value_at(value, at).and_then(|value| value.as_object().cloned());
                    let brought = merged.into_iter().flatten().filter(|(name, _)| !named(name));
                    ops.extend(brought.map(|(name, value)| Op::Set {
                        at: inside(key(name)),
                        value,
                    }));
                    ops.push(Op::Unset { at: inside(key("<<")) });
                }
            }
        }
        NodeShape::Alias(_) | NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) => {}
    }
    Ok(())
}
