//! Aliases of an item that comes to stand before what they refer to: they are written out (`CONTRACTS.md` §2.7).

use std::collections::HashMap;

use hookwright_model::Message;
use serde_json::Value;

use super::slots::extent;
use super::tree::{Doc, Group, Node, Shape};
use super::walk::{End, Walk, form, shared};
use super::{Op, Path, Step, key, meant};

/// What has to be done to an item before it can move in its list; `None` when it can move as it stands.
///
/// # Errors
/// Others refer to an anchor that they would not find then, or what would be written out has comments that would be lost.
pub(super) fn before_move(
    doc: &Doc<'_>,
    value: &Value,
    walk: &Walk<'_>,
    list: &Path,
    from: usize,
    to: usize,
) -> Result<Option<Vec<Op>>, Message> {
    let Shape::List(group) = &walk.last().shape else {
        return Ok(None);
    };
    if doc.uses.is_empty() || walk.end != End::Here || from.max(to) >= group.slots.len() {
        return Ok(None);
    }
    let moved = &group.slots[from].node;
    let strayed = strayed(doc, group, from, to);
    let mut own = Vec::new();
    moved.each(&mut |node| own.extend(alias(node)));
    // What others refer to keeps its place.
    let theirs = strayed.iter().find(|id| !own.contains(id));
    if let Some(id) = theirs {
        return Err(doc_node(doc, *id).map_or_else(|| form(doc, moved.start()), |owner| shared(doc, owner)));
    }
    if strayed.is_empty() {
        return Ok(None);
    }
    let mut ops = Vec::new();
    let mut value = value.clone();
    let mut at = list.clone();
    at.push(Step::Item(from));
    write_out(doc, &mut value, moved, &strayed, &at, &mut ops)?;
    Ok((!ops.is_empty()).then_some(ops))
}

/// The anchors whose aliases would not find them any more, or another one of that name, if an item moved.
fn strayed(doc: &Doc<'_>, group: &Group, from: usize, to: usize) -> Vec<usize> {
    let (low, high) = (from.min(to), from.max(to));
    let (begin, end) = (group.slots[low].start, group.slots[high].end());
    let mut order: Vec<usize> = (low..=high).collect();
    let moved = order.remove(from - low);
    order.insert(to - low, moved);

    let mut whole = Vec::new();
    if let Some(root) = &doc.root {
        root.each(&mut |node| whole.push(node));
    }
    let mut nodes: Vec<&Node> = whole.iter().copied().filter(|node| node.start() < begin).collect();
    for index in order {
        group.slots[index].node.each(&mut |node| nodes.push(node));
    }
    nodes.extend(whole.iter().copied().filter(|node| node.start() >= end));

    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut strayed = Vec::new();
    for node in nodes {
        if let Some(name) = anchor_name(doc, node) {
            known.insert(name, node.anchor);
        }
        if let Some(id) = alias(node) {
            let name = doc.text.get(node.range.clone()).and_then(|text| text.strip_prefix('*'));
            if name.and_then(|name| known.get(name.trim_end())) != Some(&id) {
                strayed.push(id);
            }
        }
    }
    strayed
}

fn anchor_name<'t>(doc: &Doc<'t>, node: &Node) -> Option<&'t str> {
    let props = doc.text.get(node.props.clone()?)?;
    let name = props.split_whitespace().find_map(|word| word.strip_prefix('&'));
    name.filter(|_| node.anchor != 0)
}

fn alias(node: &Node) -> Option<usize> {
    match node.shape {
        Shape::Alias(id) => Some(id),
        Shape::Absent | Shape::Scalar(_) | Shape::Block(_) | Shape::List(_) | Shape::Map(_) => None,
    }
}

/// The value of that anchor.
fn doc_node<'d>(doc: &'d Doc<'_>, anchor: usize) -> Option<&'d Node> {
    let mut found = None;
    doc.root.as_ref()?.each(&mut |node| {
        if node.anchor == anchor {
            found = Some(node);
        }
    });
    found
}

/// What stands about a `<<` has no place any more once what it brings is written out.
///
/// # Errors
/// A comment does.
pub(super) fn merge_may_go(doc: &Doc<'_>, group: &Group) -> Result<(), Message> {
    for (index, slot) in group.slots.iter().enumerate() {
        let place = extent(doc, group, index);
        if slot.key.as_deref() == Some("<<") && doc.has_comment(place.lead..place.close) {
            return Err(form(doc, slot.start));
        }
    }
    Ok(())
}

/// Whether a value has an alias of one of these anchors.
fn refers(node: &Node, anchors: &[usize]) -> bool {
    let mut found = false;
    node.each(&mut |node| found |= matches!(node.shape, Shape::Alias(id) if anchors.contains(&id)));
    found
}

fn write_out(
    doc: &Doc<'_>,
    value: &mut Value,
    node: &Node,
    anchors: &[usize],
    at: &Path,
    ops: &mut Vec<Op>,
) -> Result<(), Message> {
    let inside = |step: Step| [at.as_slice(), &[step]].concat();
    match &node.shape {
        Shape::Alias(id) if anchors.contains(id) => {
            let meant = meant::at_path(value, at).cloned();
            ops.extend(meant.map(|value| Op::Set { at: at.clone(), value }));
        }
        Shape::List(group) => {
            for (index, slot) in group.slots.iter().enumerate() {
                write_out(doc, value, &slot.node, anchors, &inside(Step::Item(index)), ops)?;
            }
        }
        Shape::Map(group) => {
            let named = |name: &str| group.slots.iter().any(|slot| slot.key.as_deref() == Some(name));
            for slot in &group.slots {
                let Some(name) = &slot.key else { continue };
                if name != "<<" {
                    write_out(doc, value, &slot.node, anchors, &inside(key(name)), ops)?;
                } else if refers(&slot.node, anchors) {
                    merge_may_go(doc, group)?;
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
    Ok(())
}
