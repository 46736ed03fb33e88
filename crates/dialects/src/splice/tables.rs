//! Edits of the tables of TOML: `[name]`, `[[name]]`, and the lines below them.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::Key;

use super::fragment::Fragment;
use super::plan::CommentHandling;
use super::ranges::owned_range;
use super::style::Style;
use super::tree::{Collection, Doc, Element, SpanNode};
use super::walk::PathWalk;
use super::{Format, NewValue, PathStep, TextPatch, write};

/// Whether a value is a table, or a list of tables, that is not written in brackets.
pub(super) fn is_table(doc: &Doc<'_>, node: &SpanNode) -> bool {
    doc.format == Format::Toml && node.collection().is_some_and(|group| !group.flow)
}

/// Whether these elements consist of nothing but their own tables. Tables may be written in any order.
pub(super) fn are_whole(doc: &Doc<'_>, group: &Collection, elements: Range<usize>) -> bool {
    group.elements[elements].iter().all(|element| {
        let within = element.start..element.end();
        let mut headers = 0_usize;
        let mut count =
            |node: &SpanNode| headers += usize::from(header_start(node).is_some_and(|at| within.contains(&at)));
        if let Some(root) = &doc.root {
            root.for_each(&mut count);
        }
        let all = std::mem::take(&mut headers);
        let mut count = |node: &SpanNode| headers += usize::from(header_start(node).is_some());
        element.node.for_each(&mut count);
        all == headers
    })
}

fn header_start(node: &SpanNode) -> Option<usize> {
    node.props.as_ref().map(|header| header.start)
}

/// Inserts an element into the table or list of tables at the end of the walk. Returns `None` if comments of the
/// element would be lost.
pub(super) fn insert(
    doc: &Doc<'_>,
    style: &Style,
    walk: &PathWalk<'_>,
    step: &PathStep,
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    let node = walk.last();
    let group = node.collection()?;
    let names = names(walk);
    let name = match step {
        PathStep::Item(index) => {
            let text = list_text(style, &names, content)?;
            return Some(vec![match group.elements.get(*index) {
                Some(_) => {
                    let lead = owned_range(doc, group, *index).lead;
                    let blank_line = if follows_blank_line(doc, lead) { style.eol } else { "" };
                    TextPatch::insert(lead, format!("{text}{}{blank_line}", style.eol))
                }
                None => append(doc, style, node.end(), is_parted(doc, group)?, &text),
            }]);
        }
        PathStep::Key(name, _) => name,
    };
    let is_inside_list = is_inside_list(walk);
    if has_header(&content.value, is_inside_list) {
        let mut names = names;
        names.push(name.clone());
        let mut lines = Vec::new();
        value_lines(style, &mut names, &content.value, is_inside_list, &mut lines);
        let parted = !is_inside_list;
        return Some(vec![append(doc, style, node.end(), parted, &lines.join(style.eol))]);
    }
    let line = format!(
        "{}{}{}",
        write::key_text(style, name),
        style.colon,
        write::inline(style, &content.value)
    );
    let last = group.elements.iter().rposition(|element| !is_table(doc, &element.node));
    Some(vec![match (last, &node.props) {
        (Some(last), _) => {
            let element = &group.elements[last];
            let close = owned_range(doc, group, last).close;
            let indent = doc.indent(element.start);
            let prefix = dotted_prefix(doc, element)?;
            TextPatch::insert(close, format!("{}{indent}{prefix}{line}", style.eol))
        }
        (None, Some(header)) => TextPatch::insert(doc.line_end(header.end), format!("{}{line}", style.eol)),
        // The first line of the file, above all tables.
        (None, None) if names.is_empty() => {
            let first = group.elements.iter().map(|element| element.start).min();
            let lead = first.map_or(doc.text.len(), |first| doc.comments_above(first, 0, |_| true));
            let blank_line = if first.is_some() { style.eol } else { "" };
            TextPatch::insert(lead, format!("{line}{}{blank_line}", style.eol))
        }
        (None, None) => {
            let text = format!("[{}]{}{line}", header_text(style, &names), style.eol);
            append(doc, style, node.end(), true, &text)
        }
    }])
}

/// Inserts the first table of a list. `missing` are the keys to the list that the walk did not find.
pub(super) fn insert_list(
    doc: &Doc<'_>,
    style: &Style,
    walk: &PathWalk<'_>,
    missing: &[PathStep],
    content: &NewValue,
) -> Option<Vec<TextPatch>> {
    let mut names = names(walk);
    for step in missing {
        match step {
            PathStep::Key(name, _) => names.push(name.clone()),
            PathStep::Item(_) => return None,
        }
    }
    let text = list_text(style, &names, content)?;
    let parted = !is_inside_list(walk);
    Some(vec![append(doc, style, walk.last().end(), parted, &text)])
}

/// Whether a list that is written as `[]` becomes a list of tables: its first item is a table, and no other line of its
/// own table is below it.
pub(super) fn begins_list(doc: &Doc<'_>, walk: &PathWalk<'_>, step: &PathStep, content: &NewValue) -> bool {
    let Some((group, index)) = walk.elements.last() else {
        return false;
    };
    let mut others = group.elements.iter().filter(|other| !is_table(doc, &other.node));
    let element = &group.elements[*index];
    matches!(step, PathStep::Item(_))
        && doc.format == Format::Toml
        && !group.flow
        && content.value.is_object()
        && !doc.has_comment(element.start..doc.line_end(element.end()))
        && others.next_back().is_some_and(|last| last.start == element.start)
}

/// Writes the first item of such a list.
pub(super) fn first_item(style: &Style, walk: &PathWalk<'_>, content: &NewValue) -> Option<Vec<TextPatch>> {
    let (group, index) = walk.elements.last()?;
    let element = &group.elements[*index];
    let text = list_text(style, &names(walk), content)?;
    Some(vec![TextPatch::new(element.start..element.end(), text)])
}

/// Removes an element. Returns `None` if other tables are between its own.
pub(super) fn remove(
    doc: &Doc<'_>,
    group: &Collection,
    index: usize,
    comments: CommentHandling,
) -> Option<Vec<TextPatch>> {
    let element = &group.elements[index];
    let range = owned_range(doc, group, index);
    if !range.own_lines || !are_whole(doc, group, index..index + 1) {
        return None;
    }
    let mut lead = match comments {
        CommentHandling::Remove => range.lead,
        CommentHandling::Keep => doc.line_start(element.start),
    };
    let below = doc.next_line(range.close);
    let after_blank_line = doc.next_line(below);
    let is_before_blank_line = doc.text[below..after_blank_line].trim().is_empty();
    // Of the blank lines above and below a table, one remains.
    let drops_blank_line = is_table(doc, &element.node) && is_before_blank_line;
    if drops_blank_line && lead > 0 && follows_blank_line(doc, lead) {
        lead = doc.line_start(lead - 1);
    }
    let mut lines = doc.whole_lines(lead, range.close);
    if drops_blank_line && lead == 0 {
        lines.end = after_blank_line;
    }
    Some(vec![TextPatch::new(lines, "")])
}

/// The keys of a walk.
fn names(walk: &PathWalk<'_>) -> Vec<String> {
    let elements = walk.elements.iter().map(|(group, index)| &group.elements[*index]);
    elements.filter_map(|element| element.key.clone()).collect()
}

/// Whether the end of a walk is inside an item of a list.
fn is_inside_list(walk: &PathWalk<'_>) -> bool {
    walk.elements
        .iter()
        .any(|(group, index)| group.elements[*index].key.is_none())
}

/// Appends tables behind the table that contains this byte.
fn append(doc: &Doc<'_>, style: &Style, at: usize, is_parted: bool, text: &str) -> TextPatch {
    let mut next = doc.text.len();
    if let Some(root) = &doc.root {
        root.for_each(&mut |node| {
            next = header_start(node)
                .filter(|start| *start >= at)
                .unwrap_or(next)
                .min(next)
        });
    }
    let limit = if next < doc.text.len() {
        doc.comments_above(next, at, |_| true)
    } else {
        next
    };
    let close = doc.text[..limit].trim_end().len().max(at);
    if close == 0 {
        return TextPatch::insert(0, format!("{text}{}", style.eol));
    }
    let blank_line = if is_parted { style.eol } else { "" };
    TextPatch::insert(doc.line_end(close), format!("{}{blank_line}{text}", style.eol))
}

/// Whether a blank line is above the last element.
fn is_parted(doc: &Doc<'_>, group: &Collection) -> Option<bool> {
    let last = group.elements.len().checked_sub(1)?;
    Some(follows_blank_line(doc, owned_range(doc, group, last).lead))
}

fn follows_blank_line(doc: &Doc<'_>, line_start: usize) -> bool {
    match doc.text[..line_start].strip_suffix('\n') {
        Some(above) => above.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()),
        None => true,
    }
}

/// What is written before the last part of a dotted key.
fn dotted_prefix(doc: &Doc<'_>, element: &Element) -> Option<String> {
    let keys = Key::parse(&doc.text[element.start..element.key_end]).ok()?;
    let (_, above) = keys.split_last()?;
    Some(above.iter().map(|key| format!("{}.", key.display_repr())).collect())
}

/// The text of a table of a list. A copied one is written as it was, if its header is the same.
fn list_text(style: &Style, names: &[String], content: &NewValue) -> Option<String> {
    let copied = content.fragment.as_ref();
    if let Some(fragment) = copied.filter(|fragment| fragment.is_block() && has_names(fragment, names)) {
        return Some(fragment.block_lines("", style.eol));
    }
    if copied.is_some_and(|fragment| fragment.has_inner_comments() || fragment.is_block() && fragment.has_comments()) {
        return None;
    }
    let mut lines = Vec::new();
    item_lines(style, &mut names.to_vec(), content.value.as_object()?, &mut lines);
    let comments = copied
        .map(|fragment| fragment.comment_lines("", style.eol))
        .unwrap_or_default();
    let trailing = copied.map(|fragment| fragment.trailing(style.eol)).unwrap_or_default();
    lines[0] += &trailing;
    Some(comments + &lines.join(style.eol))
}

/// Whether a copied table is one of this list.
fn has_names(fragment: &Fragment, names: &[String]) -> bool {
    let text = fragment.flow_text("", "\n");
    let header = text.strip_prefix("[[").and_then(|rest| rest.split("]]").next());
    let keys = header.and_then(|header| Key::parse(header).ok()).unwrap_or_default();
    keys.iter().map(Key::get).eq(names)
}

/// Whether a value gets a header of its own. A table inside an item of a list is written in brackets.
fn has_header(value: &Value, is_inside_list: bool) -> bool {
    match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        Value::Object(_) => !is_inside_list,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn header_text(style: &Style, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| write::key_text(style, name)).collect();
    names.join(".")
}

/// The lines of a value that has a header.
fn value_lines(style: &Style, names: &mut Vec<String>, value: &Value, is_inside_list: bool, lines: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().filter_map(Value::as_object).enumerate() {
                if index > 0 && !is_inside_list {
                    lines.push(String::new());
                }
                item_lines(style, names, item, lines);
            }
        }
        Value::Object(map) => {
            let is_written = map.is_empty() || map.values().any(|value| !has_header(value, false));
            if is_written {
                lines.push(format!("[{}]", header_text(style, names)));
            }
            table_lines(style, names, map, false, lines);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The lines of a table of a list.
fn item_lines(style: &Style, names: &mut Vec<String>, map: &Map<String, Value>, lines: &mut Vec<String>) {
    lines.push(format!("[[{}]]", header_text(style, names)));
    table_lines(style, names, map, true, lines);
}

/// The lines below the header of a table: its own values, and its inner tables.
fn table_lines(
    style: &Style,
    names: &mut Vec<String>,
    map: &Map<String, Value>,
    is_inside_list: bool,
    lines: &mut Vec<String>,
) {
    let (tables, values): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| has_header(value, is_inside_list));
    for (name, value) in values {
        lines.push(format!(
            "{}{}{}",
            write::key_text(style, name),
            style.colon,
            write::inline(style, value)
        ));
    }
    for (name, value) in tables {
        if !is_inside_list && !lines.is_empty() {
            lines.push(String::new());
        }
        names.push(name.clone());
        value_lines(style, names, value, is_inside_list, lines);
        names.pop();
    }
}
