//! From the document's value along a path, as far as it is written there.

use hookwright_model::{Message, args};

use super::tree::{Doc, Group, Node, Shape};
use super::{FORM, NOT_THERE, SHARED, Step};

/// How far a path could be followed.
pub(super) struct Walk<'d> {
    /// The values on the way, the document's own first.
    pub nodes: Vec<&'d Node>,
    /// The list or mapping that each further value stands in, and its place there.
    pub slots: Vec<(&'d Group, usize)>,
    /// Why it ended.
    pub end: End,
}

/// Why a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The path is followed to its end.
    Here,
    /// The last value is an alias and the path goes on in what it stands for.
    Alias,
    /// The next key or item is not there.
    Missing,
    /// The next key comes from somewhere else, by `<<`.
    Merged,
    /// The last value is of another kind than the next step needs.
    Other,
}

impl<'d> Walk<'d> {
    /// Follows a path in a document that has a value.
    pub fn along(root: &'d Node, path: &[Step]) -> Self {
        let mut walk = Self {
            nodes: vec![root],
            slots: Vec::new(),
            end: End::Here,
        };
        let mut node = root;
        for step in path {
            let (group, found) = match (&node.shape, step) {
                (Shape::Map(group), Step::Key(name, nth)) => (group, named(group, name, *nth)),
                (Shape::List(group), Step::Item(index)) => {
                    (group, Some(*index).filter(|index| *index < group.slots.len()))
                }
                (Shape::Alias(_), _) => {
                    walk.end = End::Alias;
                    break;
                }
                (Shape::Absent, _) => {
                    walk.end = End::Missing;
                    break;
                }
                (Shape::Scalar(_) | Shape::Block(_) | Shape::List(_) | Shape::Map(_), _) => {
                    walk.end = End::Other;
                    break;
                }
            };
            let Some(index) = found else {
                let merges = named(group, "<<", 0).is_some();
                walk.end = if merges { End::Merged } else { End::Missing };
                break;
            };
            walk.slots.push((group, index));
            node = &group.slots[index].node;
            walk.nodes.push(node);
        }
        walk
    }

    /// The last value that was reached.
    pub fn last(&self) -> &'d Node {
        // A walk begins with the document's value.
        self.nodes[self.nodes.len() - 1]
    }

    /// How many steps were made.
    pub fn depth(&self) -> usize {
        self.slots.len()
    }

    /// Whether a value at that depth stands between brackets.
    pub fn in_flow(&self, depth: usize) -> bool {
        self.nodes[..depth]
            .iter()
            .any(|node| node.group().is_some_and(|group| group.flow))
    }

    /// Nothing on the way may be shared with other places, nor written in a way that cannot be changed.
    pub fn may_change(&self, doc: &Doc<'_>) -> Result<(), Message> {
        for node in &self.nodes {
            if doc.uses.contains_key(&node.anchor) {
                return Err(shared(doc, node));
            }
            if node.group().is_some_and(|group| group.odd) {
                return Err(form(doc, node.range.start));
            }
        }
        for (group, index) in &self.slots {
            let slot = &group.slots[*index];
            if slot.odd {
                return Err(form(doc, slot.start));
            }
        }
        Ok(())
    }
}

fn named(group: &Group, name: &str, nth: usize) -> Option<usize> {
    let mut same = group
        .slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| slot.key.as_deref() == Some(name));
    same.nth(nth).map(|(index, _)| index)
}

/// What is taken away or replaced may hold no anchor that is used elsewhere.
pub(super) fn may_go(doc: &Doc<'_>, node: &Node) -> Result<(), Message> {
    let mut inside = std::collections::HashMap::new();
    let mut anchors = Vec::new();
    node.each(&mut |node| {
        if let Shape::Alias(id) = node.shape {
            *inside.entry(id).or_insert(0_usize) += 1;
        }
        if node.anchor != 0 {
            anchors.push(node);
        }
    });
    let used_outside = |owner: &&&Node| {
        let uses = doc.uses.get(&owner.anchor).copied().unwrap_or(0);
        uses > inside.get(&owner.anchor).copied().unwrap_or(0)
    };
    match anchors.iter().find(used_outside) {
        Some(owner) => Err(shared(doc, owner)),
        None => Ok(()),
    }
}

/// That other places refer to a value.
pub(super) fn shared(doc: &Doc<'_>, node: &Node) -> Message {
    SHARED.render(args! { "line" => doc.line(node.start()) })
}

/// That a place cannot be changed piece by piece.
pub(super) fn form(doc: &Doc<'_>, at: usize) -> Message {
    FORM.render(args! { "line" => doc.line(at) })
}

/// That there is nothing of the kind that is to be changed.
pub(super) fn not_there(doc: &Doc<'_>, at: usize) -> Message {
    NOT_THERE.render(args! { "line" => doc.line(at) })
}
