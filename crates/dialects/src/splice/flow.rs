//! Changes in what stands between brackets: JSON, and the flow lists and mappings of YAML.

use serde_json::Value;

use super::cut::Cut;
use super::plan::{Comments, Holder};
use super::slots::{Extent, extent};
use super::style::Style;
use super::tree::{Doc, Group, Quote, Shape, Slot};
use super::{Content, Format, Patch, Step, scalar, write};

/// Puts something into a list or mapping that has parts.
pub(super) fn insert(
    doc: &Doc<'_>,
    style: &Style,
    holder: &Holder<'_>,
    step: &Step,
    content: &Content,
) -> Option<Vec<Patch>> {
    let group = holder.group()?;
    if lost(content) {
        return None;
    }
    let index = match step {
        Step::Item(index) => *index,
        Step::Key(..) => group.slots.len(),
    };
    let by_lines = group.slots.iter().any(|slot| doc.begins_line(slot.start)) || commented(content);
    let eol = style.eol;
    if let Some(next) = group.slots.get(index) {
        let place = extent(doc, group, index);
        let indent = doc.indent(next.start).to_owned();
        if !place.own_lines && !commented(content) {
            let text = part(style, step, content, None);
            return Some(vec![Patch::insert(next.start, format!("{text}{}", style.comma))]);
        }
        let text = part(style, step, content, Some(&indent));
        let (above, trail) = around(content, &indent, eol);
        let line = format!("{above}{indent}{text},{trail}{eol}");
        return Some(vec![if place.own_lines {
            Patch::insert(place.lead, line)
        } else {
            Patch::insert(next.start, format!("{eol}{line}{indent}"))
        }]);
    }
    let last = group.slots.last()?;
    let place = extent(doc, group, group.slots.len() - 1);
    let ends_open = doc.needs_break(place.tail);
    if !by_lines && !ends_open {
        let text = part(style, step, content, None);
        return Some(vec![Patch::insert(place.tail, format!("{}{text}", style.comma))]);
    }
    let outer = doc.indent(last.start).to_owned();
    let indent = if doc.begins_line(last.start) {
        outer.clone()
    } else {
        format!("{outer}{}", style.unit)
    };
    let text = part(style, step, content, Some(&indent));
    let (above, trail) = around(content, &indent, eol);
    let spare = if place.comma.is_some() { "," } else { "" };
    let mut patches = Vec::new();
    if place.comma.is_none() {
        patches.push(Patch::insert(last.end(), ","));
    }
    // What follows in the last part's line stays behind the new one: the closing bracket, say.
    let more = !doc.text[place.close..doc.line_end(place.close)].trim().is_empty();
    let open = if more && !trail.trim().is_empty() {
        format!("{eol}{outer}")
    } else {
        String::new()
    };
    patches.push(Patch::insert(
        place.close,
        format!("{eol}{above}{indent}{text}{spare}{trail}{open}"),
    ));
    Some(patches)
}

/// Whether a part brings comments that want lines of their own.
fn commented(content: &Content) -> bool {
    content.cut.as_ref().is_some_and(Cut::has_comments)
}

/// Whether a part brings comments that have no place between brackets.
fn lost(content: &Content) -> bool {
    content
        .cut
        .as_ref()
        .is_some_and(|cut| cut.fits_block() && cut.has_comments())
}

/// The first part of a list or mapping that has none.
pub(super) fn first(
    doc: &Doc<'_>,
    style: &Style,
    holder: &Holder<'_>,
    step: &Step,
    content: &Content,
) -> Option<Vec<Patch>> {
    if lost(content) {
        return None;
    }
    let node = holder.node;
    let (open, close) = match step {
        Step::Item(_) => ('[', ']'),
        Step::Key(..) => ('{', '}'),
    };
    let from = node.range.start;
    let inside = (from + 1).min(node.range.end)..node.range.end.saturating_sub(1).max((from + 1).min(node.range.end));
    let has_comments = doc.has_comment(inside);
    let several_lines =
        doc.format == Format::Json && doc.text.trim_end().contains('\n') || has_comments || commented(content);
    if !several_lines && (doc.format == Format::Yaml || !doc.text.trim().is_empty() && holder.sign.is_some()) {
        let text = part(style, step, content, None);
        let space = if node.range.is_empty() { " " } else { "" };
        return Some(vec![Patch::new(
            node.range.clone(),
            format!("{space}{open}{text}{close}"),
        )]);
    }
    let outer = doc.indent(from).to_owned();
    let indent = format!("{outer}{}", style.unit);
    let text = part(style, step, content, Some(&indent));
    let eol = style.eol;
    let (above, trail) = around(content, &indent, eol);
    if has_comments {
        let at = doc.text[..node.range.end - 1].trim_end().len();
        let tail = if doc.begins_line(node.range.end - 1) { "" } else { eol };
        return Some(vec![Patch::insert(
            at,
            format!("{eol}{above}{indent}{text}{trail}{tail}"),
        )]);
    }
    let space = if node.range.is_empty() { " " } else { "" };
    Some(vec![Patch::new(
        node.range.clone(),
        format!("{space}{open}{eol}{above}{indent}{text}{trail}{eol}{outer}{close}"),
    )])
}

/// A part without comma and comments; `indent` is that of its line, when it has its own.
fn part(style: &Style, step: &Step, content: &Content, indent: Option<&str>) -> String {
    if let (Some(cut), Some(indent)) = (content.cut.as_ref().filter(|cut| !cut.fits_block()), indent) {
        return cut.flow_text(indent, style.eol);
    }
    let value = |indent: Option<&str>| match (style.format, indent) {
        (Format::Json, Some(indent)) => write::json(style, &content.value, indent),
        (Format::Json | Format::Yaml, _) => write::inline(style, &content.value),
    };
    match step {
        Step::Item(_) => value(indent),
        Step::Key(name, _) => format!("{}{}{}", write::key(style, name), style.colon, value(indent)),
    }
}

/// The comment lines above a part that comes from elsewhere, and the comments behind it.
fn around(content: &Content, indent: &str, eol: &str) -> (String, String) {
    match content.cut.as_ref().filter(|cut| !cut.fits_block()) {
        Some(cut) => (cut.comment_lines(indent, eol), cut.trailing(eol)),
        None => (String::new(), String::new()),
    }
}

/// Takes out a part with its comma.
pub(super) fn remove(doc: &Doc<'_>, holder: &Holder<'_>, index: usize, comments: Comments) -> Vec<Patch> {
    let Some(group) = holder.group() else { return Vec::new() };
    let slot = &group.slots[index];
    let place = extent(doc, group, index);
    let mut patches = Vec::new();
    let before = index.checked_sub(1).map(|before| extent(doc, group, before));
    let lead = match comments {
        Comments::Go if place.own_above => place.lead,
        Comments::Go | Comments::Stay => doc.line_start(slot.start),
    };
    if place.own_lines {
        if let (None, Some(comma)) = (place.comma, before.and_then(|before| before.comma)) {
            // The part before is the last one now.
            patches.push(Patch::new(lone(doc, comma), ""));
        }
        let lines = doc.whole_lines(lead, place.close);
        let (open, close) = (holder.node.range.start + 1, holder.node.range.end - 1);
        let rest = [open..lines.start.max(open), lines.end.min(close)..close];
        let alone = group.slots.len() == 1 && rest.iter().all(|rest| doc.text[rest.clone()].trim().is_empty());
        if alone && doc.begins_line(close) {
            return vec![Patch::new(open..close, "")];
        }
        patches.push(Patch::new(lines, ""));
        return patches;
    }
    // The comments above it that go, when it begins its line.
    let start = if lead < doc.line_start(slot.start) {
        lead
    } else {
        slot.start
    };
    match (before, group.slots.get(index + 1)) {
        (_, Some(next)) => {
            let end = place.comma.map_or(next.start, |comma| comma + 1);
            let rest = &doc.text[end..next.start];
            // Comments between the two stay.
            let end = if rest.trim().is_empty() && !rest.contains('\n') {
                next.start
            } else {
                end
            };
            patches.push(Patch::new(slot.start..end, ""));
        }
        (Some(before), None) => {
            let from = match before.comma {
                Some(comma) if doc.text[comma + 1..slot.start].trim().is_empty() => {
                    // The comments of the part before stay, and so does the line break that ends the last of them.
                    if doc.needs_break(before.tail) {
                        comma
                    } else {
                        before.tail
                    }
                }
                Some(comma) => {
                    patches.push(Patch::new(comma..comma + 1, ""));
                    start
                }
                None => start,
            };
            patches.push(Patch::new(from..place.tail, ""));
        }
        (None, None) => patches.push(Patch::new(start..place.behind(), "")),
    }
    patches
}

/// The bytes of a comma; of one alone in its line the whole line.
fn lone(doc: &Doc<'_>, comma: usize) -> std::ops::Range<usize> {
    let line = doc.line_start(comma)..doc.next_line(comma);
    if doc.text[line.clone()].trim() == "," {
        line
    } else {
        comma..comma + 1
    }
}

/// Puts an item to another place.
pub(super) fn shift(doc: &Doc<'_>, style: &Style, group: &Group, from: usize, to: usize) -> Option<Vec<Patch>> {
    let (low, high) = (from.min(to), from.max(to));
    let mut order: Vec<usize> = (low..=high).collect();
    let moved = order.remove(from - low);
    order.insert(to - low, moved);
    let places: Vec<Extent> = (low..=high).map(|index| extent(doc, group, index)).collect();
    let slot = |index: usize| &group.slots[index];
    if places.iter().any(|place| !place.own_lines) {
        if between(doc, group, low, &places) {
            return None;
        }
        // In one line the items change places with the comments that stand before their commas; all else stays.
        let swap = |(here, &which): (usize, &usize)| {
            let (place, taken) = (&places[here], &places[which - low]);
            let mut text = doc.text.get(slot(which).start..taken.tail)?.to_owned();
            let goes_on = !doc.text[place.tail..doc.line_end(place.tail)].trim().is_empty();
            if doc.needs_break(taken.tail) && goes_on {
                text += style.eol;
                text += doc.indent(slot(low + here).start);
            }
            Some(Patch::new(slot(low + here).start..place.tail, text))
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
            // Its comments, without the comma that stood between them.
            (None, _) => text.push_str(doc.text.get(end..taken.tail)?),
        }
        text.push_str(doc.text.get(taken.behind()..taken.close)?.trim_end());
        if let Some(next) = places.get(place + 1) {
            text.push_str(doc.text.get(here.close..next.lead)?);
        }
    }
    let (first, last) = (places.first()?, places.last()?);
    Some(vec![Patch::new(first.lead..last.close, text)])
}

/// Whether a comment stands between parts, or in the last one's line, that is none of theirs. Which part it is about can
/// only be told where each has lines of its own.
fn between(doc: &Doc<'_>, group: &Group, low: usize, places: &[Extent]) -> bool {
    let mut from = match places.first() {
        Some(first) if first.own_lines => first.lead,
        Some(_) | None => group.slots[low].start,
    };
    let mut found = false;
    for (slot, place) in group.slots[low..].iter().zip(places) {
        found |= doc.has_comment(from..slot.start.max(from));
        from = place.tail;
    }
    let end = places.last().map_or(from, |last| last.close.max(from));
    found || doc.has_comment(from..end)
}

/// Gives a part another value.
pub(super) fn replace(doc: &Doc<'_>, style: &Style, slot: &Slot, new: &Value) -> Vec<Patch> {
    let node = &slot.node;
    let text = match new {
        Value::String(text) if style.format == Format::Yaml => {
            let quotes = match node.shape {
                Shape::Scalar(quote) => (quote, style.quotes.1),
                Shape::Absent | Shape::Block(_) | Shape::Alias(_) | Shape::List(_) | Shape::Map(_) => style.quotes,
            };
            let quotes = if quotes.0 == Quote::Plain && quotes.1 == Quote::Plain {
                (Quote::Plain, Quote::Single)
            } else {
                quotes
            };
            scalar::quoted(text, quotes, scalar::Where::Brackets)
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
    vec![Patch::new(range, format!("{space}{text}"))]
}
