//! Edits in block style: YAML lists and mappings that are written by lines and indentation.

use serde_json::Value;

use super::plan::{CollectionSite, CommentHandling};
use super::ranges::owned_range;
use super::style::Style;
use super::tree::{Collection, Doc, Element, NodeShape, Quote, SpanNode, is_blank};
use super::{NewValue, PathStep, TextPatch, scalar, write};

/// Inserts an element into a list or mapping that is not empty. Returns `None` if the next element does not begin its
/// own line.
pub(super) fn insert(
    doc: &Doc<'_>,
    style: &Style,
    group: &Collection,
    step: &PathStep,
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    let first = group.elements.first()?;
    let column = doc.column(first.start);
    let text = element_text(doc, style, step, content, column, group.elements.last());
    let index = match step {
        PathStep::Item(index) => *index,
        PathStep::Key(..) => group.elements.len(),
    };
    // If a blank line separates the last two elements, one separates the new element too.
    let last = group.elements.len() - 1;
    let before_last = last.checked_sub(1).map(|before| owned_range(doc, group, before).close);
    let parted = before_last.is_some_and(|close| doc.has_blank_line_between(close, owned_range(doc, group, last).lead));
    let blank_line = if parted { style.eol } else { "" };
    let patch = if index <= last {
        let next = owned_range(doc, group, index);
        if !next.own_lines {
            return None;
        }
        TextPatch::insert(next.lead, format!("{text}{}{blank_line}", style.eol))
    } else {
        // A block string with `+` keeps the empty lines behind it, so a blank line would become part of it.
        let blank_line = if keeps_blank_lines(doc, &group.elements[last].node) {
            ""
        } else {
            blank_line
        };
        let close = owned_range(doc, group, last).close;
        TextPatch::insert(close, format!("{}{blank_line}{text}", style.eol))
    };
    Some(vec![patch])
}

/// Whether a value ends with a block string that keeps its trailing empty lines (`+`).
fn keeps_blank_lines(doc: &Doc<'_>, node: &SpanNode) -> bool {
    match &node.shape {
        NodeShape::Block(header) => doc.text[header.clone()].contains('+'),
        NodeShape::List(group) | NodeShape::Map(group) => group
            .elements
            .last()
            .is_some_and(|slot| keeps_blank_lines(doc, &slot.node)),
        NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Alias(_) => false,
    }
}

/// The text of an element with its indentation, without its last line break. `like` is an element whose style is
/// copied.
fn element_text(
    doc: &Doc<'_>,
    style: &Style,
    step: &PathStep,
    content: &NewValue,
    column: usize,
    like: Option<&Element>,
) -> String {
    let indent = " ".repeat(column);
    if let Some(fragment) = content.fragment.as_ref().filter(|cut| cut.is_block()) {
        return fragment.block_lines(&indent, style.eol);
    }
    let from_brackets = content.fragment.as_ref();
    let comments = from_brackets.map(|fragment| fragment.comment_lines(&indent, style.eol));
    let trailing = from_brackets
        .map(|fragment| fragment.trailing(style.eol))
        .unwrap_or_default();
    if let (Some(fragment), PathStep::Item(_)) = (from_brackets.filter(|cut| cut.has_inner_comments()), step) {
        // A flow fragment with comments inside keeps its brackets.
        let inner = " ".repeat(column + style.gap);
        let text = fragment.flow_text(&inner, style.eol);
        let gap = " ".repeat(style.gap.saturating_sub(1));
        return format!("{}{indent}-{gap}{text}{trailing}", comments.unwrap_or_default());
    }
    let between_brackets = like.is_some_and(|slot| {
        matches!(&slot.node.shape, NodeShape::Map(group) if group.flow && !group.elements.is_empty())
            && doc.line_start(slot.node.range.start) == doc.line_start(slot.node.range.end)
    });
    let text = match step {
        PathStep::Item(_) if between_brackets => {
            format!(
                "-{}{}",
                " ".repeat(style.gap.saturating_sub(1)),
                write::inline(style, &content.value)
            )
        }
        PathStep::Item(_) => write::item_text(style, &content.value, column),
        PathStep::Key(name, _) => write::entry_text(style, name, &content.value, column),
    };
    // The comments go behind the first line. Behind the last line they would become part of a block string.
    let (head, rest) = text.split_at(text.find(['\r', '\n']).unwrap_or(text.len()));
    format!("{}{indent}{head}{trailing}{rest}", comments.unwrap_or_default())
}

/// Inserts the first element of a list or mapping that is empty, or that is not written at all.
pub(super) fn insert_first(
    doc: &Doc<'_>,
    style: &Style,
    holder: &CollectionSite<'_>,
    step: &PathStep,
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    let node = holder.node;
    let inside = node.range.start + 1..node.range.end.max(node.range.start + 1);
    if doc.comments.iter().any(|comment| inside.contains(&comment.start)) {
        return None;
    }
    let Some((start, sign_end)) = holder.character else {
        let text = element_text(doc, style, step, content, 0, None);
        return Some(vec![TextPatch::new(node.range.clone(), text)]);
    };
    let column = doc.column(start) + child_indent(doc, style, step, start);
    let text = element_text(doc, style, step, content, column, None);
    let from = node.props.as_ref().map_or(sign_end, |props| props.end);
    let mut patches = Vec::new();
    if node.range.end > from {
        patches.push(TextPatch::new(from..node.range.end, ""));
    }
    let close = doc.line_end(node.end().max(from));
    patches.push(TextPatch::insert(close, format!("{}{text}", style.eol)));
    Some(patches)
}

/// Columns from a key or dash to the elements below it.
fn child_indent(doc: &Doc<'_>, style: &Style, step: &PathStep, start: usize) -> usize {
    let dash = doc.text[start..].starts_with("- ") || doc.text[start..].starts_with("-\n");
    match step {
        _ if dash => style.gap,
        PathStep::Item(_) => style.dash,
        PathStep::Key(..) => style.unit.len(),
    }
}

/// Removes an element. A list or mapping that loses its only element is written as `[]` or `{}`.
pub(super) fn remove(
    doc: &Doc<'_>,
    holder: &CollectionSite<'_>,
    index: usize,
    comments: CommentHandling,
) -> Option<Vec<TextPatch>> {
    let group = holder.group()?;
    let slot = &group.elements[index];
    let range = owned_range(doc, group, index);
    let lead = match comments {
        CommentHandling::Remove => range.lead,
        CommentHandling::Keep => doc.line_start(slot.start),
    };
    let empty = match holder.node.shape {
        NodeShape::Map(_) => "{}",
        NodeShape::List(_) | NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) | NodeShape::Alias(_) => {
            "[]"
        }
    };
    if group.elements.len() == 1 {
        if !range.own_lines {
            return Some(vec![TextPatch::new(slot.start..slot.end(), empty)]);
        }
        let lines = doc.whole_lines(lead, range.close);
        let Some((_, sign_end)) = holder.character else {
            let eol = &doc.text[lines.end.min(range.close)..lines.end];
            return Some(vec![TextPatch::new(lines, format!("{empty}{eol}"))]);
        };
        let from = holder.node.props.as_ref().map_or(sign_end, |props| props.end);
        return Some(vec![
            TextPatch::insert(from, format!(" {empty}")),
            TextPatch::new(lines, ""),
        ]);
    }
    if range.own_lines {
        return Some(vec![TextPatch::new(doc.whole_lines(lead, range.close), "")]);
    }
    // The element begins on the line of its parent's dash. The next one moves up to that line, unless something is
    // between them.
    let next = group.elements.get(index + 1)?;
    let between = doc.text.get(range.close..next.start)?;
    if between.trim().is_empty() && between.matches('\n').count() == 1 {
        return Some(vec![TextPatch::new(slot.start..next.start, "")]);
    }
    let before = doc.text[..slot.start].trim_end_matches(' ').len();
    Some(vec![TextPatch::new(before..range.close, "")])
}

/// Moves an item within its list. The items are reordered; the text between them stays in place.
pub(super) fn move_item(doc: &Doc<'_>, group: &Collection, from: usize, to: usize) -> Option<Vec<TextPatch>> {
    let (low, high) = (from.min(to), from.max(to));
    let places: Vec<_> = (low..=high).map(|index| owned_range(doc, group, index)).collect();
    if places.iter().any(|place| !place.own_lines) {
        return None;
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    let moved = order.remove(from - low);
    order.insert(to - low, moved);
    let mut text = String::new();
    for (place, &which) in places
        .iter()
        .zip(&order)
        .enumerate()
        .map(|(index, (_, which))| (index, which))
    {
        let taken = &places[which];
        text.push_str(doc.text.get(taken.lead..taken.close)?);
        if let (Some(this), Some(next)) = (places.get(place), places.get(place + 1)) {
            text.push_str(doc.text.get(this.close..next.lead)?);
        }
    }
    let (first, last) = (places.first()?, places.last()?);
    Some(vec![TextPatch::new(first.lead..last.close, text)])
}

/// Replaces the value of an element.
pub(super) fn replace(doc: &Doc<'_>, style: &Style, slot: &Element, new: &Value) -> Vec<TextPatch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let dash = slot.key.is_none();
    match &node.shape {
        NodeShape::Block(header) => replace_block(doc, style, slot, header.clone(), new),
        NodeShape::List(group) | NodeShape::Map(group) if !group.flow => replace_lines(doc, style, slot, new, group),
        NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Alias(_) | NodeShape::List(_) | NodeShape::Map(_) => {
            let was_flow = node.collection().is_some();
            let text = match new {
                Value::String(text) => requoted_text(style, node, text, column + value_indent(style, dash)),
                Value::Object(_) | Value::Array(_) if was_flow => write::inline(style, new),
                Value::Object(map) if !map.is_empty() && dash => write::item_text(style, new, column)
                    .trim_start_matches(['-', ' '])
                    .to_owned(),
                Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
                    write::value_text(style, new, column).trim_start_matches(' ').to_owned()
                }
            };
            replace_in_place(doc, slot, &text)
        }
    }
}

fn value_indent(style: &Style, dash: bool) -> usize {
    if dash { style.gap } else { style.unit.len() }
}

/// A string in the quotes of the value that it replaces.
fn requoted_text(style: &Style, node: &SpanNode, text: &str, column: usize) -> String {
    let quotes = match node.shape {
        NodeShape::Scalar(quote @ (Quote::Single | Quote::Double)) => (quote, style.quotes.1),
        NodeShape::Scalar(Quote::Plain) => (Quote::Plain, style.quotes.1),
        NodeShape::Absent | NodeShape::Block(_) | NodeShape::Alias(_) | NodeShape::List(_) | NodeShape::Map(_) => {
            style.quotes
        }
    };
    scalar::block(style.eol, text, column, style.unit.len())
        .unwrap_or_else(|| scalar::quoted(text, quotes, scalar::QuoteContext::Line))
}

/// Writes a text in place of a value. The lines after its first one go below the comment on that line.
fn replace_in_place(doc: &Doc<'_>, slot: &Element, text: &str) -> Vec<TextPatch> {
    let node = &slot.node;
    let (head, rest) = match text.find(['\r', '\n']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let from = match &node.props {
        Some(props) if !node.tagged => props.end,
        Some(_) | None => slot.sign_end,
    };
    let same_line = doc.line_start(slot.sign_end) == doc.line_start(node.range.start);
    let exact = node.range.end > from && !node.tagged && (rest.is_empty() || same_line) && !head.is_empty();
    let mut patches = Vec::new();
    if exact {
        patches.push(TextPatch::new(node.range.clone(), head));
    } else {
        let space = if head.is_empty() { "" } else { " " };
        patches.push(TextPatch::new(from..node.range.end.max(from), format!("{space}{head}")));
    }
    if !rest.is_empty() {
        patches.push(TextPatch::insert(doc.line_end(node.end().max(from)), rest));
    }
    patches
}

/// Replaces a block string (`|` or `>`) by another string, or by a value that begins where the indicator was.
fn replace_block(
    doc: &Doc<'_>,
    style: &Style,
    slot: &Element,
    header: std::ops::Range<usize>,
    new: &Value,
) -> Vec<TextPatch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let body = doc.line_end(header.end);
    let end = node.range.end.max(body);
    let first_line = doc.text[body..end].lines().find(|line| !is_blank(line));
    let depth = first_line.map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
    let lines_at = if depth > column {
        depth
    } else {
        column + value_indent(style, slot.key.is_none())
    };
    let text = match new {
        Value::String(text) => scalar::block(style.eol, text, lines_at, lines_at - column)
            .unwrap_or_else(|| scalar::quoted(text, style.quotes, scalar::QuoteContext::Line)),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            write::value_text(style, new, column).trim_start_matches(' ').to_owned()
        }
    };
    let (head, rest) = match text.find(['\r', '\n']) {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    vec![TextPatch::new(header, head), TextPatch::new(body..end, rest)]
}

/// Replaces a block list or mapping by a value of another kind, or by an empty one.
fn replace_lines(doc: &Doc<'_>, style: &Style, slot: &Element, new: &Value, group: &Collection) -> Vec<TextPatch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let text = match new {
        Value::String(text) => scalar::block_or_quoted(style, text, column + value_indent(style, slot.key.is_none())),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            write::value_text(style, new, column)
        }
    };
    let text = text.trim_start_matches(' ');
    let close = group
        .elements
        .len()
        .checked_sub(1)
        .map_or(node.end(), |last| owned_range(doc, group, last).close);
    let from = match &node.props {
        Some(props) if !node.tagged => props.end,
        Some(_) | None => slot.sign_end,
    };
    if doc.line_start(node.range.start) == doc.line_start(from) {
        return vec![TextPatch::new(node.range.clone(), text)];
    }
    let (head, rest) = match text.find(['\r', '\n']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let space = if head.is_empty() { "" } else { " " };
    vec![
        TextPatch::new(from..from, format!("{space}{head}")),
        TextPatch::new(doc.line_end(from)..close, rest),
    ]
}
