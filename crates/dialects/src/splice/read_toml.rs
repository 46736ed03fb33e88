//! Reads TOML into a [`Doc`]. A table, and a list of tables, is a collection that is not in brackets: its own values come
//! first, in file order, then its inner tables. An element of it that has a header begins there.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use toml_edit::{Array, Document, InlineTable, Item, Table, Value};

use super::Format;
use super::tree::{Collection, Doc, Element, NodeShape, Quote, SpanNode};

/// Reads a text that [`crate::toml::read`] accepts. Returns `None` if it cannot be read.
pub(super) fn read(text: &str) -> Option<Doc<'_>> {
    let document = Document::parse(text).ok()?;
    let root = table(text, document.as_table(), None)?;
    Some(Doc {
        text,
        format: Format::Toml,
        root: Some(root),
        comments: comments(text),
        alias_counts: HashMap::new(),
        begin: 0,
        style: OnceCell::new(),
    })
}

/// The byte range of every comment of a text that is TOML.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(ahead) = text[at..].find(['#', '"', '\'']) {
        let start = at + ahead;
        let rest = &text[start..];
        at = if rest.starts_with('#') {
            let line = rest.split('\n').next().unwrap_or(rest);
            let end = start + line.trim_end_matches('\r').len();
            found.push(start..end);
            end
        } else {
            start + string_bytes(rest)
        };
    }
    found
}

/// The length of the string with which a text begins, quotes included.
fn string_bytes(text: &str) -> usize {
    let quote = &text[..1];
    let triple = quote.repeat(3);
    let quotes = if text.starts_with(&triple) {
        triple.as_str()
    } else {
        quote
    };
    let mut at = quotes.len();
    while !text[at..].starts_with(quotes) {
        match text[at..].chars().next() {
            Some('\\') if quote == "\"" => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            Some(character) => at += character.len_utf8(),
            None => return text.len(),
        }
    }
    at += quotes.len();
    // Up to two quotes before the closing ones belong to the string.
    let more = text[at..].len() - text[at..].trim_start_matches(quote).len();
    at + if quotes.len() == 3 { more.min(2) } else { 0 }
}

/// A table that is not in brackets. It has no header if only its inner tables have one, or if its keys are dotted.
fn table(text: &str, table: &Table, header: Option<Range<usize>>) -> Option<SpanNode> {
    let (mut values, mut tables) = (Vec::new(), Vec::new());
    for (name, item) in table {
        match item {
            Item::None => {}
            Item::Value(value) => {
                let key = table.key(name)?.span()?;
                // A dotted key begins with the keys of the tables around it.
                let line = text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
                let start = key.start - text[line..key.start].trim_start().len();
                values.push(entry(text, name, start, key.end, node(text, value)?)?);
            }
            Item::Table(inner) => {
                let has_header = !inner.is_implicit() && !inner.is_dotted();
                let node = self::table(text, inner, Table::span(inner).filter(|_| has_header))?;
                tables.push(element(Some(name), node));
            }
            Item::ArrayOfTables(items) => {
                let inner = items.iter().map(|item| {
                    let node = self::table(text, item, Some(Table::span(item)?))?;
                    Some(element(None, node))
                });
                let list = section(NodeShape::List, inner.collect::<Option<_>>()?, None);
                tables.push(element(Some(name), list));
            }
        }
    }
    let by_start = |element: &Element| element.start;
    values.sort_by_key(by_start);
    tables.sort_by_key(by_start);
    values.append(&mut tables);
    Some(section(NodeShape::Map, values, header))
}

/// A table, or a list of tables. It reaches to the end of its last element.
fn section(shape: fn(Collection) -> NodeShape, elements: Vec<Element>, header: Option<Range<usize>>) -> SpanNode {
    let starts = elements.iter().map(|element| element.start);
    let ends = elements.iter().map(Element::end);
    let start = starts.chain(header.iter().map(|header| header.start)).min();
    let end = ends.chain(header.iter().map(|header| header.end)).max();
    SpanNode {
        range: start.unwrap_or(0)..end.unwrap_or(0),
        props: header,
        anchor: 0,
        tagged: false,
        shape: shape(Collection {
            flow: false,
            read_only: false,
            elements,
        }),
    }
}

/// An element that begins with its value.
fn element(key: Option<&str>, node: SpanNode) -> Element {
    let start = node.range.start;
    Element {
        key: key.map(str::to_owned),
        start,
        key_end: start,
        sign_end: start,
        read_only: false,
        node,
    }
}

/// A key with its value.
fn entry(text: &str, name: &str, start: usize, key_end: usize, node: SpanNode) -> Option<Element> {
    let equals = key_end + text.get(key_end..node.range.start)?.find('=')?;
    Some(Element {
        key: Some(name.to_owned()),
        start,
        key_end,
        sign_end: equals + 1,
        read_only: false,
        node,
    })
}

fn node(text: &str, value: &Value) -> Option<SpanNode> {
    let shape = match value {
        Value::String(_) => NodeShape::Scalar(Quote::Double),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => NodeShape::Scalar(Quote::Plain),
        Value::Array(items) => NodeShape::List(array(text, items)?),
        Value::InlineTable(table) => NodeShape::Map(inline_table(text, table)?),
    };
    Some(SpanNode {
        range: value.span()?,
        props: None,
        anchor: 0,
        tagged: false,
        shape,
    })
}

fn array(text: &str, items: &Array) -> Option<Collection> {
    let elements = items.iter().map(|item| Some(element(None, node(text, item)?)));
    Some(Collection {
        flow: true,
        read_only: false,
        elements: elements.collect::<Option<_>>()?,
    })
}

/// An inline table. One with dotted keys is read, but not edited.
fn inline_table(text: &str, table: &InlineTable) -> Option<Collection> {
    let is_dotted = |value: &Value| value.as_inline_table().is_some_and(InlineTable::is_dotted);
    let read_only = table.iter().any(|(_, value)| is_dotted(value));
    let mut elements = Vec::new();
    for (name, value) in table.iter().filter(|(_, value)| !is_dotted(value)) {
        let key = table.key(name)?.span()?;
        elements.push(entry(text, name, key.start, key.end, node(text, value)?)?);
    }
    Some(Collection {
        flow: true,
        read_only,
        elements,
    })
}
