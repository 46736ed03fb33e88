//! A part of a list or mapping as it is written, with its comments, to be put elsewhere.

use std::ops::Range;

use serde_json::{Map, Value};

use super::slots::extent;
use super::style::Style;
use super::tree::{Doc, Group, Node, Shape, Slot};
use super::walk::{End, Walk};
use super::{Format, Patch, Path, Step, meant, patched, read, write};

/// A part as it is written, without the indentation of its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The comment lines above it.
    comments: Vec<String>,
    /// Its lines; of a block part with its dash or key and the comments behind and below it.
    body: Vec<String>,
    /// The comment behind it, with its blanks; empty for a block part.
    trailing: String,
    /// Whether there are comments in the body.
    commented: bool,
    block: bool,
    format: Format,
    /// Bytes of the key that the first line begins with.
    key: usize,
}

/// Where a cut is bound for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Behind its original, where its aliases mean the same.
    SameText,
    /// A text that does not have its anchors: aliases are written out.
    OtherText,
}

/// Cuts out a copy of the part at a path, without its anchors. `None` where there is no such part, or one that is
/// written in a way that cannot be taken apart.
#[must_use]
pub fn cut(format: Format, text: &str, path: &Path, bound: Bound) -> Option<Cut> {
    let doc = read(format, text)?;
    let walk = Walk::along(doc.root.as_ref()?, path);
    let (group, index) = *walk.slots.last().filter(|_| walk.end == End::Here)?;
    let slot = &group.slots[index];
    let place = extent(&doc, group, index);
    if group.odd || slot.odd {
        return None;
    }
    let from = slot.start;
    let to = if group.flow { slot.end() } else { place.close };
    let column = if group.flow {
        doc.indent(from).len()
    } else {
        doc.column(from)
    };
    let mut lines = standing_alone(&doc, slot, bound, from..to)?;
    if lines.ends_with('\n') {
        lines.truncate(lines.trim_end_matches('\n').trim_end_matches('\r').len());
    }
    let comments = if place.own_above {
        let above = doc.text.get(place.lead..doc.line_start(from))?;
        above.lines().map(|line| line.trim_start().to_owned()).collect()
    } else {
        Vec::new()
    };
    let mut trailing = String::new();
    if group.flow {
        trailing.push_str(doc.text.get(slot.end()..place.tail)?);
        if place.own_lines {
            trailing.push_str(doc.text.get(place.behind()..place.close)?.trim_end());
        }
    }
    Some(Cut {
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
        commented: doc.has_comment(from..to),
        block: !group.flow,
        format,
        key: slot.key_end - slot.start,
    })
}

/// The bytes of a part without anchors and, for another text, with every alias written out.
fn standing_alone(doc: &Doc<'_>, slot: &Slot, bound: Bound, bytes: Range<usize>) -> Option<String> {
    let mut patches = Vec::new();
    // A tag beside an anchor would be lost with it.
    let mut possible = true;
    slot.node.each(&mut |node| {
        if let (Some(props), true) = (&node.props, node.anchor != 0) {
            possible &= !node.tagged;
            let end = props.end + usize::from(doc.text[props.end..].starts_with(' '));
            patches.push(Patch::new(props.start..end, ""));
        }
    });
    if bound == Bound::OtherText {
        let mut writer = Aliases {
            doc,
            style: Style::of(doc),
            value: super::value(doc.format, doc.text).ok()?,
            patches: &mut patches,
        };
        possible &= writer.write_out(slot).is_some();
    }
    for patch in &mut patches {
        patch.range = patch.range.start - bytes.start..patch.range.end - bytes.start;
    }
    possible.then(|| patched(doc.text.get(bytes)?, patches))?
}

struct Aliases<'d, 't> {
    doc: &'d Doc<'t>,
    style: Style,
    value: Value,
    patches: &'d mut Vec<Patch>,
}

impl Aliases<'_, '_> {
    fn write_out(&mut self, slot: &Slot) -> Option<()> {
        match &slot.node.shape {
            Shape::Alias(id) => {
                let value = self.stands_for(*id)?;
                self.patches
                    .push(Patch::new(slot.node.range.clone(), write::inline(&self.style, &value)));
            }
            Shape::List(group) | Shape::Map(group) => {
                for inner in &group.slots {
                    if inner.key.as_deref() == Some("<<") {
                        self.merge(group, inner)?;
                    } else {
                        self.write_out(inner)?;
                    }
                }
            }
            Shape::Absent | Shape::Scalar(_) | Shape::Block(_) => {}
        }
        Some(())
    }

    /// The keys that `<<` brings and the mapping does not have.
    fn merge(&mut self, group: &Group, slot: &Slot) -> Option<()> {
        let sources: Vec<&Node> = match &slot.node.shape {
            Shape::List(group) => group.slots.iter().map(|slot| &slot.node).collect(),
            Shape::Absent | Shape::Scalar(_) | Shape::Block(_) | Shape::Alias(_) | Shape::Map(_) => vec![&slot.node],
        };
        let mut brought = Map::new();
        for source in sources {
            let Shape::Alias(id) = source.shape else { return None };
            for (name, value) in self.stands_for(id)?.as_object()? {
                let own = group.slots.iter().any(|slot| slot.key.as_ref() == Some(name));
                if !own && !brought.contains_key(name) {
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
                    write::key(&self.style, name),
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
            .push(Patch::new(slot.start..slot.end(), entries.join(&between)));
        Some(())
    }

    fn stands_for(&mut self, anchor: usize) -> Option<Value> {
        let mut path = Path::new();
        let found = path_to(self.doc.root.as_ref()?, anchor, &mut path);
        found.then(|| meant::at_path(&mut self.value, &path).cloned())?
    }
}

/// The way to the value that has this anchor.
fn path_to(node: &Node, anchor: usize, path: &mut Path) -> bool {
    if node.anchor == anchor {
        return true;
    }
    for (index, slot) in node.group().iter().flat_map(|group| group.slots.iter().enumerate()) {
        path.push(slot.key.clone().map_or(Step::Item(index), super::key));
        if path_to(&slot.node, anchor, path) {
            return true;
        }
        path.pop();
    }
    false
}

impl Cut {
    /// The same under another key.
    #[must_use]
    pub fn under(mut self, name: &str) -> Self {
        if let (Some(first), true) = (self.body.first_mut(), self.key > 0) {
            let style = Style::plain(self.format);
            first.replace_range(..self.key, &write::key(&style, name));
        }
        self
    }

    /// Whether it can stand among lines; otherwise it can stand between brackets.
    pub(super) fn fits_block(&self) -> bool {
        self.block
    }

    /// The comment lines above it, each with its line break.
    pub(super) fn comment_lines(&self, indent: &str, eol: &str) -> String {
        self.comments
            .iter()
            .map(|line| format!("{indent}{line}{eol}"))
            .collect()
    }

    /// The comments behind it.
    pub(super) fn trailing(&self, eol: &str) -> String {
        self.trailing.replace("\r\n", "\n").replace('\n', eol)
    }

    /// Whether there are comments in it, between its own brackets or in its own lines.
    pub(super) fn commented(&self) -> bool {
        self.commented
    }

    /// Whether any comment goes along.
    pub(super) fn has_comments(&self) -> bool {
        self.commented || !self.comments.is_empty() || !self.trailing.is_empty()
    }

    /// All its lines, without the last line break.
    pub(super) fn block_lines(&self, indent: &str, eol: &str) -> String {
        let mut out = self.comment_lines(indent, eol);
        out.push_str(indent);
        out.push_str(&self.flow_text(indent, eol));
        out
    }

    /// Itself, its first line without indentation.
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
