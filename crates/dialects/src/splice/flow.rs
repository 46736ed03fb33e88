//! Edits in flow style: JSON, and lists and mappings of YAML and TOML that are written in brackets.

use serde_json::Value;

use super::fragment::Fragment;
use super::plan::{CollectionSite, CommentHandling};
use super::ranges::{OwnedRange, owned_range};
use super::style::Style;
use super::tree::{Collection, Doc, Element, NodeShape, Quote};
use super::{Format, NewValue, PathStep, TextPatch, scalar, write};

/// Inserts an element into a list or mapping that is not empty. Returns `None` if comments of the element would be
/// lost.
pub(super) fn insert(
    doc: &Doc<'_>,
    style: &Style,
    holder: &CollectionSite<'_>,
    step: &PathStep,
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    let group = holder.group()?;
    if loses_comments(content) {
        return None;
    }
    let index = match step {
        PathStep::Item(index) => *index,
        PathStep::Key(..) => group.elements.len(),
    };
    let by_lines = group.elements.iter().any(|slot| doc.begins_line(slot.start)) || brings_comments(content);
    let eol = style.eol;
    if let Some(next) = group.elements.get(index) {
        let range = owned_range(doc, group, index);
        let indent = doc.indent(next.start).to_owned();
        if !range.own_lines && !brings_comments(content) {
            let text = element_text(style, step, content, None);
            return Some(vec![TextPatch::insert(next.start, format!("{text}{}", style.comma))]);
        }
        let text = element_text(style, step, content, Some(&indent));
        let (above, trail) = surrounding_comments(content, &indent, eol);
        let line = format!("{above}{indent}{text},{trail}{eol}");
        return Some(vec![if range.own_lines {
            TextPatch::insert(range.lead, line)
        } else {
            TextPatch::insert(next.start, format!("{eol}{line}{indent}"))
        }]);
    }
    let last = group.elements.last()?;
    let range = owned_range(doc, group, group.elements.len() - 1);
    let ends_open = doc.needs_break(range.tail);
    if !by_lines && !ends_open {
        let text = element_text(style, step, content, None);
        return Some(vec![TextPatch::insert(range.tail, format!("{}{text}", style.comma))]);
    }
    let outer = doc.indent(last.start).to_owned();
    let indent = if doc.begins_line(last.start) {
        outer.clone()
    } else {
        format!("{outer}{}", style.unit)
    };
    let text = element_text(style, step, content, Some(&indent));
    let (above, trail) = surrounding_comments(content, &indent, eol);
    let spare = if range.comma.is_some() { "," } else { "" };
    let mut patches = Vec::new();
    if range.comma.is_none() {
        patches.push(TextPatch::insert(last.end(), ","));
    }
    // What follows the last element on its line, such as the closing bracket, stays behind the new element.
    let more = !doc.text[range.close..doc.line_end(range.close)].trim().is_empty();
    let open = if more && !trail.trim().is_empty() {
        format!("{eol}{outer}")
    } else {
        String::new()
    };
    patches.push(TextPatch::insert(
        range.close,
        format!("{eol}{above}{indent}{text}{spare}{trail}{open}"),
    ));
    Some(patches)
}

/// Whether an element brings comments, which need lines of their own.
fn brings_comments(content: &NewValue) -> bool {
    content.fragment.as_ref().is_some_and(Fragment::has_comments)
}

/// Whether an element brings comments that cannot be placed in brackets.
fn loses_comments(content: &NewValue) -> bool {
    content
        .fragment
        .as_ref()
        .is_some_and(|fragment| fragment.is_block() && fragment.has_comments())
}

/// Inserts the first element of an empty list or mapping. Returns `None` if comments of the element would be lost.
pub(super) fn insert_first(
    doc: &Doc<'_>,
    style: &Style,
    holder: &CollectionSite<'_>,
    step: &PathStep,
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    if loses_comments(content) {
        return None;
    }
    let node = holder.node;
    let (open, close) = match step {
        PathStep::Item(_) => ('[', ']'),
        PathStep::Key(..) => ('{', '}'),
    };
    let from = node.range.start;
    let inside = (from + 1).min(node.range.end)..node.range.end.saturating_sub(1).max((from + 1).min(node.range.end));
    let has_comments = doc.has_comment(inside);
    let several_lines =
        doc.format == Format::Json && doc.text.trim_end().contains('\n') || has_comments || brings_comments(content);
    if !several_lines && (doc.format != Format::Json || !doc.text.trim().is_empty() && holder.character.is_some()) {
        let text = element_text(style, step, content, None);
        let space = if node.range.is_empty() { " " } else { "" };
        return Some(vec![TextPatch::new(
            node.range.clone(),
            format!("{space}{open}{text}{close}"),
        )]);
    }
    let outer = doc.indent(from).to_owned();
    let indent = format!("{outer}{}", style.unit);
    let text = element_text(style, step, content, Some(&indent));
    let eol = style.eol;
    let (above, trail) = surrounding_comments(content, &indent, eol);
    if has_comments {
        let at = doc.text[..node.range.end - 1].trim_end().len();
        let tail = if doc.begins_line(node.range.end - 1) { "" } else { eol };
        return Some(vec![TextPatch::insert(
            at,
            format!("{eol}{above}{indent}{text}{trail}{tail}"),
        )]);
    }
    let space = if node.range.is_empty() { " " } else { "" };
    Some(vec![TextPatch::new(
        node.range.clone(),
        format!("{space}{open}{eol}{above}{indent}{text}{trail}{eol}{outer}{close}"),
    )])
}

/// The text of an element without comma and comments. `indent` is the indentation of its line, if it has its own line.
fn element_text(style: &Style, step: &PathStep, content: &NewValue, indent: Option<&str>) -> String {
    if let (Some(fragment), Some(indent)) = (content.fragment.as_ref().filter(|cut| !cut.is_block()), indent) {
        return fragment.flow_text(indent, style.eol);
    }
    let value = |indent: Option<&str>| match (style.format, indent) {
        (Format::Json, Some(indent)) => write::json(style, &content.value, indent),
        (Format::Json | Format::Yaml | Format::Toml, _) => write::inline(style, &content.value),
    };
    match step {
        PathStep::Item(_) => value(indent),
        PathStep::Key(name, _) => format!("{}{}{}", write::key_text(style, name), style.colon, value(indent)),
    }
}

/// The comment lines above a copied element, and the comments behind it.
fn surrounding_comments(content: &NewValue, indent: &str, eol: &str) -> (String, String) {
    match content.fragment.as_ref().filter(|cut| !cut.is_block()) {
        Some(fragment) => (fragment.comment_lines(indent, eol), fragment.trailing(eol)),
        None => (String::new(), String::new()),
    }
}

/// Removes an element with its comma.
pub(super) fn remove(
    doc: &Doc<'_>,
    holder: &CollectionSite<'_>,
    index: usize,
    comments: CommentHandling,
) -> Vec<TextPatch> {
    let Some(group) = holder.group() else { return Vec::new() };
    let slot = &group.elements[index];
    let range = owned_range(doc, group, index);
    let mut patches = Vec::new();
    let before = index.checked_sub(1).map(|before| owned_range(doc, group, before));
    let lead = match comments {
        CommentHandling::Remove if range.own_above => range.lead,
        CommentHandling::Remove | CommentHandling::Keep => doc.line_start(slot.start),
    };
    if range.own_lines {
        if let (None, Some(comma)) = (range.comma, before.and_then(|before| before.comma)) {
            // The element before is the last one now, so its comma is removed.
            patches.push(TextPatch::new(comma_range(doc, comma), ""));
        }
        let lines = doc.whole_lines(lead, range.close);
        let (open, close) = (holder.node.range.start + 1, holder.node.range.end - 1);
        let rest = [open..lines.start.max(open), lines.end.min(close)..close];
        let alone = group.elements.len() == 1 && rest.iter().all(|rest| doc.text[rest.clone()].trim().is_empty());
        if alone && doc.begins_line(close) {
            return vec![TextPatch::new(open..close, "")];
        }
        patches.push(TextPatch::new(lines, ""));
        return patches;
    }
    // If the element begins its line, the comments above it are removed too.
    let start = if lead < doc.line_start(slot.start) {
        lead
    } else {
        slot.start
    };
    match (before, group.elements.get(index + 1)) {
        (_, Some(next)) => {
            let end = range.comma.map_or(next.start, |comma| comma + 1);
            let rest = &doc.text[end..next.start];
            // Comments between the two elements stay.
            let end = if rest.trim().is_empty() && !rest.contains('\n') {
                next.start
            } else {
                end
            };
            patches.push(TextPatch::new(slot.start..end, ""));
        }
        (Some(before), None) => {
            let from = match before.comma {
                Some(comma) if doc.text[comma + 1..slot.start].trim().is_empty() => {
                    // The comments of the element before stay, and so does the line break that ends the last of them.
                    if doc.needs_break(before.tail) {
                        comma
                    } else {
                        before.tail
                    }
                }
                Some(comma) => {
                    patches.push(TextPatch::new(comma..comma + 1, ""));
                    start
                }
                None => start,
            };
            patches.push(TextPatch::new(from..range.tail, ""));
        }
        (None, None) => patches.push(TextPatch::new(start..range.after_comma(), "")),
    }
    patches
}

/// The bytes of a comma, or of its whole line if the comma is alone on it.
fn comma_range(doc: &Doc<'_>, comma: usize) -> std::ops::Range<usize> {
    let line = doc.line_start(comma)..doc.next_line(comma);
    if doc.text[line.clone()].trim() == "," {
        line
    } else {
        comma..comma + 1
    }
}

/// Moves an item within its list. Returns `None` if it is not clear to which items the comments belong.
pub(super) fn move_item(
    doc: &Doc<'_>,
    style: &Style,
    group: &Collection,
    from: usize,
    to: usize,
) -> Option<Vec<TextPatch>> {
    let (low, high) = (from.min(to), from.max(to));
    let mut order: Vec<usize> = (low..=high).collect();
    let moved = order.remove(from - low);
    order.insert(to - low, moved);
    let places: Vec<OwnedRange> = (low..=high).map(|index| owned_range(doc, group, index)).collect();
    let slot = |index: usize| &group.elements[index];
    if places.iter().any(|place| !place.own_lines) {
        if has_unassigned_comments(doc, group, low, &places) {
            return None;
        }
        // Items that share a line change places with the comments before their commas. Everything else stays.
        let swap = |(here, &which): (usize, &usize)| {
            let (place, taken) = (&places[here], &places[which - low]);
            let mut text = doc.text.get(slot(which).start..taken.tail)?.to_owned();
            let goes_on = !doc.text[place.tail..doc.line_end(place.tail)].trim().is_empty();
            if doc.needs_break(taken.tail) && goes_on {
                text += style.eol;
                text += doc.indent(slot(low + here).start);
            }
            Some(TextPatch::new(slot(low + here).start..place.tail, text))
        };
        return order.iter().enumerate().map(swap).collect();
    }
    let mut text = String::new();
    for (place, &which) in order.iter().enumerate() {
        let (here, taken) = (&places[place], &places[which - low]);
        let end = slot(which).end();
        text.push_str(doc.text.get(taken.lead..end)?);
        match (here.comma, taken.comma) {
            (Some(_), Some(comma)) => text.push_str(doc.text.get(end..=comma)?),
            (Some(_), None) => {
                text.push(',');
                text.push_str(doc.text.get(end..taken.tail)?);
            }
            // The last place has no comma: the item keeps its comments and loses the comma between them.
            (None, _) => text.push_str(doc.text.get(end..taken.tail)?),
        }
        text.push_str(doc.text.get(taken.after_comma()..taken.close)?.trim_end());
        if let Some(next) = places.get(place + 1) {
            text.push_str(doc.text.get(here.close..next.lead)?);
        }
    }
    let (first, last) = (places.first()?, places.last()?);
    Some(vec![TextPatch::new(first.lead..last.close, text)])
}

/// Whether a comment between the items, or on the line of the last one, belongs to none of them. Only where each item
/// has its own lines is it clear which item a comment is about.
fn has_unassigned_comments(doc: &Doc<'_>, group: &Collection, low: usize, places: &[OwnedRange]) -> bool {
    let mut from = match places.first() {
        Some(first) if first.own_lines => first.lead,
        Some(_) | None => group.elements[low].start,
    };
    let mut found = false;
    for (slot, place) in group.elements[low..].iter().zip(places) {
        found |= doc.has_comment(from..slot.start.max(from));
        from = place.tail;
    }
    let end = places.last().map_or(from, |last| last.close.max(from));
    found || doc.has_comment(from..end)
}

/// Replaces the value of an element.
pub(super) fn replace(doc: &Doc<'_>, style: &Style, slot: &Element, new: &Value) -> Vec<TextPatch> {
    let node = &slot.node;
    let text = match new {
        Value::String(text) if style.format == Format::Yaml => {
            let quotes = match node.shape {
                NodeShape::Scalar(quote) => (quote, style.quotes.1),
                NodeShape::Absent
                | NodeShape::Block(_)
                | NodeShape::Alias(_)
                | NodeShape::List(_)
                | NodeShape::Map(_) => style.quotes,
            };
            let quotes = if quotes.0 == Quote::Plain && quotes.1 == Quote::Plain {
                (Quote::Plain, Quote::Single)
            } else {
                quotes
            };
            scalar::quoted(text, quotes, scalar::QuoteContext::Brackets)
        }
        Value::Object(_) | Value::Array(_) if style.format == Format::Json && doc.begins_line(slot.start) => {
            write::json(style, new, doc.indent(slot.start))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            write::inline(style, new)
        }
    };
    let (range, space) = match &node.props {
        Some(props) if node.tagged => (props.start..node.range.end.max(props.end), ""),
        Some(_) | None if node.range.is_empty() => (node.range.clone(), " "),
        Some(_) | None => (node.range.clone(), ""),
    };
    vec![TextPatch::new(range, format!("{space}{text}"))]
}
