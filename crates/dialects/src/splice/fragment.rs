//! An element of a list or mapping as it is written, with its comments, for insertion elsewhere.

use std::ops::Range;

use serde_json::{Map, Value};

use super::ranges::owned_range;
use super::style::Style;
use super::tree::{Collection, Doc, Element, NodeShape, SpanNode};
use super::walk::{PathWalk, WalkEnd};
use super::{Format, Path, PathStep, TextPatch, apply_patches, parse_doc, semantics, write};

/// An element as it is written, without the indentation of its original place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The comment lines above the element.
    comments: Vec<String>,
    /// The lines of the element. A block element includes its dash or key, and the comments behind and below it.
    body: Vec<String>,
    /// The comments behind the element, with the spaces before them. Empty for a block element.
    trailing: String,
    /// Whether `body` contains comments.
    has_inner_comments: bool,
    is_block: bool,
    format: Format,
    /// Length in bytes of the key at the start of the first line; 0 for an item of a list.
    key_bytes: usize,
}

/// Where a fragment is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// In the same text, behind its original. There its aliases mean the same.
    SameText,
    /// In another text, which does not have its anchors. Aliases are written out.
    OtherText,
}

/// Copies the element at a path, without its anchors. Returns `None` if there is no such element, or if its syntax
/// cannot be edited piece by piece.
#[must_use]
pub fn copy_fragment(format: Format, text: &str, path: &Path, destination: Destination) -> Option<Fragment> {
    let doc = parse_doc(format, text)?;
    let walk = PathWalk::along(doc.root.as_ref()?, path);
    let (group, index) = *walk.elements.last().filter(|_| walk.end == WalkEnd::Reached)?;
    let slot = &group.elements[index];
    let range = owned_range(&doc, group, index);
    if group.read_only || slot.read_only {
        return None;
    }
    let from = slot.start;
    let to = if group.flow { slot.end() } else { range.close };
    let column = if group.flow {
        doc.indent(from).len()
    } else {
        doc.column(from)
    };
    let mut lines = without_anchors(&doc, slot, destination, from..to)?;
    if lines.ends_with('\n') {
        lines.truncate(lines.trim_end_matches('\n').trim_end_matches('\r').len());
    }
    let comments = if range.own_above {
        let above = doc.text.get(range.lead..doc.line_start(from))?;
        above.lines().map(|line| line.trim_start().to_owned()).collect()
    } else {
        Vec::new()
    };
    let mut trailing = String::new();
    if group.flow {
        trailing.push_str(doc.text.get(slot.end()..range.tail)?);
        if range.own_lines {
            trailing.push_str(doc.text.get(range.after_comma()..range.close)?.trim_end());
        }
    }
    Some(Fragment {
        comments,
        body: lines
            .split('\n')
            .enumerate()
            .map(|(number, line)| {
                let line = line.strip_suffix('\r').unwrap_or(line);
                let shallow = line.len() - line.trim_start_matches([' ', '\t']).len();
                line[if number == 0 { 0 } else { shallow.min(column) }..].to_owned()
            })
            .collect(),
        trailing,
        has_inner_comments: doc.has_comment(from..to),
        is_block: !group.flow,
        format,
        key_bytes: slot.key_end - slot.start,
    })
}

/// The bytes of an element without its anchors. For another text, every alias is written out.
fn without_anchors(doc: &Doc<'_>, slot: &Element, destination: Destination, bytes: Range<usize>) -> Option<String> {
    let mut patches = Vec::new();
    // A tag next to an anchor would be removed with it, so such an element is not copied.
    let mut possible = true;
    slot.node.for_each(&mut |node| {
        if let (Some(props), true) = (&node.props, node.anchor != 0) {
            possible &= !node.tagged;
            let end = props.end + usize::from(doc.text[props.end..].starts_with(' '));
            patches.push(TextPatch::new(props.start..end, ""));
        }
    });
    if destination == Destination::OtherText {
        let mut expander = AliasExpander {
            doc,
            style: doc.style(),
            value: super::parse_value(doc.format, doc.text).ok()?,
            patches: &mut patches,
        };
        possible &= expander.expand_aliases(slot).is_some();
    }
    for patch in &mut patches {
        patch.range = patch.range.start - bytes.start..patch.range.end - bytes.start;
    }
    possible.then(|| apply_patches(doc.text.get(bytes)?, patches))?
}

struct AliasExpander<'d, 't> {
    doc: &'d Doc<'t>,
    style: Style,
    value: Value,
    patches: &'d mut Vec<TextPatch>,
}

impl AliasExpander<'_, '_> {
    fn expand_aliases(&mut self, slot: &Element) -> Option<()> {
        match &slot.node.shape {
            NodeShape::Alias(id) => {
                let value = self.anchored_value(*id)?;
                self.patches.push(TextPatch::new(
                    slot.node.range.clone(),
                    write::inline(&self.style, &value),
                ));
            }
            NodeShape::List(group) | NodeShape::Map(group) => {
                for inner in &group.elements {
                    if inner.key.as_deref() == Some("<<") {
                        self.expand_merge(group, inner)?;
                    } else {
                        self.expand_aliases(inner)?;
                    }
                }
            }
            NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) => {}
        }
        Some(())
    }

    /// Writes out the keys that `<<` merges and the mapping does not have itself.
    fn expand_merge(&mut self, group: &Collection, slot: &Element) -> Option<()> {
        let sources: Vec<&SpanNode> = match &slot.node.shape {
            NodeShape::List(group) => group.elements.iter().map(|slot| &slot.node).collect(),
            NodeShape::Absent
            | NodeShape::Scalar(_)
            | NodeShape::Block(_)
            | NodeShape::Alias(_)
            | NodeShape::Map(_) => vec![&slot.node],
        };
        let mut brought = Map::new();
        for source in sources {
            let NodeShape::Alias(id) = source.shape else {
                return None;
            };
            for (name, value) in self.anchored_value(id)?.as_object()? {
                let is_own = group.elements.iter().any(|slot| slot.key.as_ref() == Some(name));
                if !is_own && !brought.contains_key(name) {
                    brought.insert(name.clone(), value.clone());
                }
            }
        }
        if brought.is_empty() {
            return None;
        }
        let column = self.doc.column(slot.start);
        let entry = |(name, value): (&String, &Value)| {
            if group.flow {
                format!(
                    "{}: {}",
                    write::key_text(&self.style, name),
                    write::inline(&self.style, value)
                )
            } else {
                write::entry_text(&self.style, name, value, column)
            }
        };
        let entries: Vec<String> = brought.iter().map(entry).collect();
        let between = if group.flow {
            ", ".to_owned()
        } else {
            format!("{}{}", self.style.eol, " ".repeat(column))
        };
        self.patches
            .push(TextPatch::new(slot.start..slot.end(), entries.join(&between)));
        Some(())
    }

    fn anchored_value(&mut self, anchor: usize) -> Option<Value> {
        let mut path = Path::new();
        let found = path_to(self.doc.root.as_ref()?, anchor, &mut path);
        found.then(|| semantics::value_at(&mut self.value, &path).cloned())?
    }
}

/// Finds the value that has this anchor, and extends `path` to it. Returns false if there is none.
fn path_to(node: &SpanNode, anchor: usize, path: &mut Path) -> bool {
    if node.anchor == anchor {
        return true;
    }
    for (index, slot) in node
        .collection()
        .iter()
        .flat_map(|group| group.elements.iter().enumerate())
    {
        path.push(slot.key.clone().map_or(PathStep::Item(index), super::key));
        if path_to(&slot.node, anchor, path) {
            return true;
        }
        path.pop();
    }
    false
}

impl Fragment {
    /// The same fragment with another key. An item of a list has no key and stays as it is.
    #[must_use]
    pub fn with_key(mut self, name: &str) -> Self {
        if let (Some(first), true) = (self.body.first_mut(), self.key_bytes > 0) {
            let style = Style::default_for(self.format);
            first.replace_range(..self.key_bytes, &write::key_text(&style, name));
        }
        self
    }

    /// Whether it is in block style and fits between lines. A fragment in flow style fits between brackets.
    pub(super) fn is_block(&self) -> bool {
        self.is_block
    }

    /// The comment lines above the element, each with its line break.
    pub(super) fn comment_lines(&self, indent: &str, eol: &str) -> String {
        self.comments
            .iter()
            .map(|line| format!("{indent}{line}{eol}"))
            .collect()
    }

    /// The comments behind the element.
    pub(super) fn trailing(&self, eol: &str) -> String {
        self.trailing.replace("\r\n", "\n").replace('\n', eol)
    }

    /// Whether there are comments inside the element, in its brackets or on its lines.
    pub(super) fn has_inner_comments(&self) -> bool {
        self.has_inner_comments
    }

    /// Whether the fragment contains any comment.
    #[must_use]
    pub fn has_comments(&self) -> bool {
        self.has_inner_comments || !self.comments.is_empty() || !self.trailing.is_empty()
    }

    /// All lines of the fragment, without the last line break.
    pub(super) fn block_lines(&self, indent: &str, eol: &str) -> String {
        let mut out = self.comment_lines(indent, eol);
        out.push_str(indent);
        out.push_str(&self.flow_text(indent, eol));
        out
    }

    /// The element without the comments around it. Its first line has no indentation.
    pub(super) fn flow_text(&self, indent: &str, eol: &str) -> String {
        let mut out = String::new();
        for (number, line) in self.body.iter().enumerate() {
            if number > 0 {
                out.push_str(eol);
                if !line.is_empty() {
                    out.push_str(indent);
                }
            }
            out.push_str(line);
        }
        out
    }
}
