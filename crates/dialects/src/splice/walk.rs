//! Follows a path from the root value, as far as the path is written in the text.

use hookwright_model::{Message, render};

use super::tree::{Collection, Doc, NodeShape, SpanNode};
use super::{FORM, NOT_THERE, PathStep, SHARED};

/// How far a path could be followed.
pub(super) struct PathWalk<'d> {
    /// The values on the path, the root value first.
    pub nodes: Vec<&'d SpanNode>,
    /// For each further value, the list or mapping that contains it, and its index there.
    pub elements: Vec<(&'d Collection, usize)>,
    pub end: WalkEnd,
}

/// Why a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The path was followed to its end.
    Reached,
    /// The last value is an alias, and the path continues in the value that it refers to.
    Alias,
    /// The next key or item does not exist.
    Missing,
    /// The next key is not written in the mapping, but a `<<` may merge it.
    Merged,
    /// The last value has another kind than the next step needs.
    WrongKind,
}

impl<'d> PathWalk<'d> {
    /// Follows a path from the root value of a document.
    pub fn along(root: &'d SpanNode, path: &[PathStep]) -> Self {
        let mut walk = Self {
            nodes: vec![root],
            elements: Vec::new(),
            end: WalkEnd::Reached,
        };
        let mut node = root;
        for step in path {
            let (group, found) = match (&node.shape, step) {
                (NodeShape::Map(group), PathStep::Key(name, nth)) => (group, find_key(group, name, *nth)),
                (NodeShape::List(group), PathStep::Item(index)) => {
                    (group, Some(*index).filter(|index| *index < group.elements.len()))
                }
                (NodeShape::Alias(_), _) => {
                    walk.end = WalkEnd::Alias;
                    break;
                }
                (NodeShape::Absent, _) => {
                    walk.end = WalkEnd::Missing;
                    break;
                }
                (NodeShape::Scalar(_) | NodeShape::Block(_) | NodeShape::List(_) | NodeShape::Map(_), _) => {
                    walk.end = WalkEnd::WrongKind;
                    break;
                }
            };
            let Some(index) = found else {
                let merges = find_key(group, "<<", 0).is_some();
                walk.end = if merges { WalkEnd::Merged } else { WalkEnd::Missing };
                break;
            };
            walk.elements.push((group, index));
            node = &group.elements[index].node;
            walk.nodes.push(node);
        }
        walk
    }

    /// The last value that was reached.
    pub fn last(&self) -> &'d SpanNode {
        // A walk always contains the root value.
        self.nodes[self.nodes.len() - 1]
    }

    /// The number of steps that were followed.
    pub fn depth(&self) -> usize {
        self.elements.len()
    }

    /// Whether a value at this depth is inside brackets.
    pub fn in_flow(&self, depth: usize) -> bool {
        self.nodes[..depth]
            .iter()
            .any(|node| node.collection().is_some_and(|group| group.flow))
    }

    /// Checks that no value on the path has an alias elsewhere or is written in a syntax that cannot be edited.
    pub fn check_changeable(&self, doc: &Doc<'_>) -> Result<(), Message> {
        for node in &self.nodes {
            if doc.alias_counts.contains_key(&node.anchor) {
                return Err(shared_message(doc, node));
            }
            if node.collection().is_some_and(|group| group.read_only) {
                return Err(form_message(doc, node.range.start));
            }
        }
        for (group, index) in &self.elements {
            let slot = &group.elements[*index];
            if slot.read_only {
                return Err(form_message(doc, slot.start));
            }
        }
        Ok(())
    }
}

fn find_key(group: &Collection, name: &str, nth: usize) -> Option<usize> {
    let mut same = group
        .elements
        .iter()
        .enumerate()
        .filter(|(_, slot)| slot.key.as_deref() == Some(name));
    same.nth(nth).map(|(index, _)| index)
}

/// Checks that a value to be removed or replaced contains no anchor that is used outside it.
pub(super) fn check_removable(doc: &Doc<'_>, node: &SpanNode) -> Result<(), Message> {
    let mut inside = std::collections::HashMap::new();
    let mut anchors = Vec::new();
    node.for_each(&mut |node| {
        if let NodeShape::Alias(id) = node.shape {
            *inside.entry(id).or_insert(0_usize) += 1;
        }
        if node.anchor != 0 {
            anchors.push(node);
        }
    });
    let used_outside = |owner: &&&SpanNode| {
        let uses = doc.alias_counts.get(&owner.anchor).copied().unwrap_or(0);
        uses > inside.get(&owner.anchor).copied().unwrap_or(0)
    };
    match anchors.iter().find(used_outside) {
        Some(owner) => Err(shared_message(doc, owner)),
        None => Ok(()),
    }
}

/// The message that an alias elsewhere refers to a value.
pub(super) fn shared_message(doc: &Doc<'_>, node: &SpanNode) -> Message {
    render!(SHARED, "line" => doc.line(node.start()))
}

/// The message that a line cannot be edited piece by piece.
pub(super) fn form_message(doc: &Doc<'_>, at: usize) -> Message {
    render!(FORM, "line" => doc.line(at))
}

/// The message that a line has another kind of content than the operation needs.
pub(super) fn not_there_message(doc: &Doc<'_>, at: usize) -> Message {
    render!(NOT_THERE, "line" => doc.line(at))
}
