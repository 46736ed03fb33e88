//! Changes in what stands by lines and indentation: the lists and mappings of YAML.

use serde_json::Value;

use super::plan::{Comments, Holder};
use super::slots::extent;
use super::style::Style;
use super::tree::{Doc, Group, Node, Quote, Shape, Slot, blank};
use super::{Content, Patch, Step, scalar, write};

/// Puts something into a list or mapping that has parts.
pub(super) fn insert(
    doc: &Doc<'_>,
    style: &Style,
    group: &Group,
    step: &Step,
    content: &Content,
) -> Option<Vec<Patch>> {
    let first = group.slots.first()?;
    let column = doc.column(first.start);
    let text = part(doc, style, step, content, column, group.slots.last());
    let index = match step {
        Step::Item(index) => *index,
        Step::Key(..) => group.slots.len(),
    };
    // As the others are parted, so is this one.
    let last = group.slots.len() - 1;
    let before_last = last.checked_sub(1).map(|before| extent(doc, group, before).close);
    let parted = before_last.is_some_and(|close| doc.parted(close, extent(doc, group, last).lead));
    let blank_line = if parted { style.eol } else { "" };
    let patch = if index <= last {
        let next = extent(doc, group, index);
        if !next.own_lines {
            return None;
        }
        Patch::insert(next.lead, format!("{text}{}{blank_line}", style.eol))
    } else {
        // An empty line behind a text that keeps its empty lines would be one of them.
        let blank_line = if keeps(doc, &group.slots[last].node) {
            ""
        } else {
            blank_line
        };
        let close = extent(doc, group, last).close;
        Patch::insert(close, format!("{}{blank_line}{text}", style.eol))
    };
    Some(vec![patch])
}

/// Whether a value ends with a text that keeps its empty lines.
fn keeps(doc: &Doc<'_>, node: &Node) -> bool {
    match &node.shape {
        Shape::Block(header) => doc.text[header.clone()].contains('+'),
        Shape::List(group) | Shape::Map(group) => group.slots.last().is_some_and(|slot| keeps(doc, &slot.node)),
        Shape::Absent | Shape::Scalar(_) | Shape::Alias(_) => false,
    }
}

/// A part with its indentation, without its last line break.
fn part(doc: &Doc<'_>, style: &Style, step: &Step, content: &Content, column: usize, like: Option<&Slot>) -> String {
    let indent = " ".repeat(column);
    if let Some(cut) = content.cut.as_ref().filter(|cut| cut.fits_block()) {
        return cut.block_lines(&indent, style.eol);
    }
    let from_brackets = content.cut.as_ref();
    let comments = from_brackets.map(|cut| cut.comment_lines(&indent, style.eol));
    let trailing = from_brackets.map(|cut| cut.trailing(style.eol)).unwrap_or_default();
    if let (Some(cut), Step::Item(_)) = (from_brackets.filter(|cut| cut.commented()), step) {
        // With comments inside it stays between its brackets.
        let inner = " ".repeat(column + style.gap);
        let text = cut.flow_text(&inner, style.eol);
        let gap = " ".repeat(style.gap.saturating_sub(1));
        return format!("{}{indent}-{gap}{text}{trailing}", comments.unwrap_or_default());
    }
    let between_brackets = like.is_some_and(|slot| {
        matches!(&slot.node.shape, Shape::Map(group) if group.flow && !group.slots.is_empty())
            && doc.line_start(slot.node.range.start) == doc.line_start(slot.node.range.end)
    });
    let text = match step {
        Step::Item(_) if between_brackets => {
            format!(
                "-{}{}",
                " ".repeat(style.gap.saturating_sub(1)),
                write::inline(style, &content.value)
            )
        }
        Step::Item(_) => write::item_text(style, &content.value, column),
        Step::Key(name, _) => write::entry_text(style, name, &content.value, column),
    };
    // Behind its first line: a text of several lines would take it for its own.
    let (head, rest) = text.split_at(text.find(['\r', '\n']).unwrap_or(text.len()));
    format!("{}{indent}{head}{trailing}{rest}", comments.unwrap_or_default())
}

/// The first part of a list or mapping that has none, or that is not written at all.
pub(super) fn first(
    doc: &Doc<'_>,
    style: &Style,
    holder: &Holder<'_>,
    step: &Step,
    content: &Content,
) -> Option<Vec<Patch>> {
    let node = holder.node;
    let inside = node.range.start + 1..node.range.end.max(node.range.start + 1);
    if doc.comments.iter().any(|comment| inside.contains(&comment.start)) {
        return None;
    }
    let Some((start, sign_end)) = holder.sign else {
        let text = part(doc, style, step, content, 0, None);
        return Some(vec![Patch::new(node.range.clone(), text)]);
    };
    let column = doc.column(start) + deeper(doc, style, step, start);
    let text = part(doc, style, step, content, column, None);
    let from = node.props.as_ref().map_or(sign_end, |props| props.end);
    let mut patches = Vec::new();
    if node.range.end > from {
        patches.push(Patch::new(from..node.range.end, ""));
    }
    let close = doc.line_end(node.end().max(from));
    patches.push(Patch::insert(close, format!("{}{text}", style.eol)));
    Some(patches)
}

/// Columns from a key or dash to what stands below it.
fn deeper(doc: &Doc<'_>, style: &Style, step: &Step, start: usize) -> usize {
    let dash = doc.text[start..].starts_with("- ") || doc.text[start..].starts_with("-\n");
    match step {
        _ if dash => style.gap,
        Step::Item(_) => style.dash,
        Step::Key(..) => style.unit.len(),
    }
}

/// Takes out a part. What has no other is empty afterwards, and says so.
pub(super) fn remove(doc: &Doc<'_>, holder: &Holder<'_>, index: usize, comments: Comments) -> Option<Vec<Patch>> {
    let group = holder.group()?;
    let slot = &group.slots[index];
    let place = extent(doc, group, index);
    let lead = match comments {
        Comments::Go => place.lead,
        Comments::Stay => doc.line_start(slot.start),
    };
    let empty = match holder.node.shape {
        Shape::Map(_) => "{}",
        Shape::List(_) | Shape::Absent | Shape::Scalar(_) | Shape::Block(_) | Shape::Alias(_) => "[]",
    };
    if group.slots.len() == 1 {
        if !place.own_lines {
            return Some(vec![Patch::new(slot.start..slot.end(), empty)]);
        }
        let lines = doc.whole_lines(lead, place.close);
        let Some((_, sign_end)) = holder.sign else {
            let eol = &doc.text[lines.end.min(place.close)..lines.end];
            return Some(vec![Patch::new(lines, format!("{empty}{eol}"))]);
        };
        let from = holder.node.props.as_ref().map_or(sign_end, |props| props.end);
        return Some(vec![Patch::insert(from, format!(" {empty}")), Patch::new(lines, "")]);
    }
    if place.own_lines {
        return Some(vec![Patch::new(doc.whole_lines(lead, place.close), "")]);
    }
    // The first key in the line of its dash: the next one comes up, unless there is something between them.
    let next = group.slots.get(index + 1)?;
    let between = doc.text.get(place.close..next.start)?;
    if between.trim().is_empty() && between.matches('\n').count() == 1 {
        return Some(vec![Patch::new(slot.start..next.start, "")]);
    }
    let before = doc.text[..slot.start].trim_end_matches(' ').len();
    Some(vec![Patch::new(before..place.close, "")])
}

/// Puts an item to another place: the items change places, what parts them stays.
pub(super) fn shift(doc: &Doc<'_>, group: &Group, from: usize, to: usize) -> Option<Vec<Patch>> {
    let (low, high) = (from.min(to), from.max(to));
    let places: Vec<_> = (low..=high).map(|index| extent(doc, group, index)).collect();
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
    Some(vec![Patch::new(first.lead..last.close, text)])
}

/// Gives a part another value.
pub(super) fn replace(doc: &Doc<'_>, style: &Style, slot: &Slot, new: &Value) -> Vec<Patch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let dash = slot.key.is_none();
    match &node.shape {
        Shape::Block(header) => replace_block(doc, style, slot, header.clone(), new),
        Shape::List(group) | Shape::Map(group) if !group.flow => replace_lines(doc, style, slot, new, group),
        Shape::Absent | Shape::Scalar(_) | Shape::Alias(_) | Shape::List(_) | Shape::Map(_) => {
            let was_flow = node.group().is_some();
            let text = match new {
                Value::String(text) => string(style, node, text, column + inner(style, dash)),
                Value::Object(_) | Value::Array(_) if was_flow => write::inline(style, new),
                Value::Object(map) if !map.is_empty() && dash => write::item_text(style, new, column)
                    .trim_start_matches(['-', ' '])
                    .to_owned(),
                Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
                    write::behind_key(style, new, column).trim_start_matches(' ').to_owned()
                }
            };
            in_place(doc, slot, &text)
        }
    }
}

fn inner(style: &Style, dash: bool) -> usize {
    if dash { style.gap } else { style.unit.len() }
}

/// A text in the quotes of the one it replaces.
fn string(style: &Style, node: &Node, text: &str, column: usize) -> String {
    let quotes = match node.shape {
        Shape::Scalar(quote @ (Quote::Single | Quote::Double)) => (quote, style.quotes.1),
        Shape::Scalar(Quote::Plain) => (Quote::Plain, style.quotes.1),
        Shape::Absent | Shape::Block(_) | Shape::Alias(_) | Shape::List(_) | Shape::Map(_) => style.quotes,
    };
    scalar::block(style.eol, text, column, style.unit.len())
        .unwrap_or_else(|| scalar::quoted(text, quotes, scalar::Where::Line))
}

/// Puts a text to where a value stood. Lines after its first come below the line's comment.
fn in_place(doc: &Doc<'_>, slot: &Slot, text: &str) -> Vec<Patch> {
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
        patches.push(Patch::new(node.range.clone(), head));
    } else {
        let space = if head.is_empty() { "" } else { " " };
        patches.push(Patch::new(from..node.range.end.max(from), format!("{space}{head}")));
    }
    if !rest.is_empty() {
        patches.push(Patch::insert(doc.line_end(node.end().max(from)), rest));
    }
    patches
}

/// A text behind `|` or `>` gives way to another one, or to a value on its sign's line.
fn replace_block(doc: &Doc<'_>, style: &Style, slot: &Slot, header: std::ops::Range<usize>, new: &Value) -> Vec<Patch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let body = doc.line_end(header.end);
    let end = node.range.end.max(body);
    let first_line = doc.text[body..end].lines().find(|line| !blank(line));
    let depth = first_line.map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
    let lines_at = if depth > column {
        depth
    } else {
        column + inner(style, slot.key.is_none())
    };
    let text = match new {
        Value::String(text) => scalar::block(style.eol, text, lines_at, lines_at - column)
            .unwrap_or_else(|| scalar::quoted(text, style.quotes, scalar::Where::Line)),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            write::behind_key(style, new, column).trim_start_matches(' ').to_owned()
        }
    };
    let (head, rest) = match text.find(['\r', '\n']) {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    vec![Patch::new(header, head), Patch::new(body..end, rest)]
}

/// A block list or mapping gives way to a value of another kind.
fn replace_lines(doc: &Doc<'_>, style: &Style, slot: &Slot, new: &Value, group: &Group) -> Vec<Patch> {
    let node = &slot.node;
    let column = doc.column(slot.start);
    let text = match new {
        Value::String(text) => scalar::block_or_quoted(style, text, column + inner(style, slot.key.is_none())),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            write::behind_key(style, new, column)
        }
    };
    let text = text.trim_start_matches(' ');
    let close = group
        .slots
        .len()
        .checked_sub(1)
        .map_or(node.end(), |last| extent(doc, group, last).close);
    let from = match &node.props {
        Some(props) if !node.tagged => props.end,
        Some(_) | None => slot.sign_end,
    };
    if doc.line_start(node.range.start) == doc.line_start(from) {
        return vec![Patch::new(node.range.clone(), text)];
    }
    let (head, rest) = match text.find(['\r', '\n']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let space = if head.is_empty() { "" } else { " " };
    vec![
        Patch::new(from..from, format!("{space}{head}")),
        Patch::new(doc.line_end(from)..close, rest),
    ]
}
