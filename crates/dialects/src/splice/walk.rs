//! From the document's value along a path, as far as it is written there.

use hookwright_model::{Message, args};

use super::tree::{Collection, Doc, NodeShape, SpanNode};
use super::{FORM, NOT_THERE, PathStep, SHARED};

/// How far a path could be followed.
pub(super) struct PathWalk<'d> {
    /// The values on the way, the document's own first.
    pub nodes: Vec<&'d SpanNode>,
    /// The list or mapping that each further value stands in, and its place there.
    pub elements: Vec<(&'d Collection, usize)>,
    /// Why it ended.
    pub end: WalkEnd,
}

/// Why a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The path is followed to its end.
    Reached,
    /// The last value is an alias and the path goes on in what it stands for.
    Alias,
    /// The next key or item is not there.
    Missing,
    /// The next key comes from somewhere else, by `<<`.
    Merged,
    /// The last value is of another kind than the next step needs.
    WrongKind,
}

impl<'d> PathWalk<'d> {
    /// Follows a path in a document that has a value.
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
        // A walk begins with the document's value.
        self.nodes[self.nodes.len() - 1]
    }

    /// How many steps were made.
    pub fn depth(&self) -> usize {
        self.elements.len()
    }

    /// Whether a value at that depth stands between brackets.
    pub fn in_flow(&self, depth: usize) -> bool {
        self.nodes[..depth]
            .iter()
            .any(|node| node.collection().is_some_and(|group| group.flow))
    }

    /// Nothing on the way may be shared with other places, nor written in a way that cannot be changed.
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

/// What is taken away or replaced may hold no anchor that is used elsewhere.
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

/// That other places refer to a value.
pub(super) fn shared_message(doc: &Doc<'_>, node: &SpanNode) -> Message {
    SHARED.render(args! { "line" => doc.line(node.start()) })
}

/// That a place cannot be changed piece by piece.
pub(super) fn form_message(doc: &Doc<'_>, at: usize) -> Message {
    FORM.render(args! { "line" => doc.line(at) })
}

/// That there is nothing of the kind that is to be changed.
pub(super) fn not_there_message(doc: &Doc<'_>, at: usize) -> Message {
    NOT_THERE.render(args! { "line" => doc.line(at) })
}
