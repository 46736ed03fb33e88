//! Writes one key to the text of a settings file. Only the bytes of its value change.
//!
//! The parser reports the positions of keys and values, and the text is edited there. The result is parsed again and
//! compared with the intended settings before it is written.

use std::ops::Range;
use std::path::Path;

use hookwright_model::render;
use serde_json::{Map, Value as Json};
use similar::{DiffOp, DiffTag};
use toml_edit::{Array, Document, Item, Table, TableLike, Value};

use super::keys::SettingKey;
use super::{SettingsError, UNUSUAL, syntax_error};

/// Returns the text with this key set, or removed if `value` is `None`.
pub fn set(path: &Path, text: &str, key: SettingKey, value: Option<&Value>) -> Result<String, SettingsError> {
    let document = Document::parse(text).map_err(|error| syntax_error(path, text, &error))?;
    let next = match value {
        Some(value) => insert_or_replace(&document, text, key, value),
        None => remove_key(&document, text, key),
    };
    let unusual = || {
        let full = format!("{}.{}", key.section, key.name);
        SettingsError::Refused(render!(UNUSUAL, "key" => full, "path" => path.display().to_string()))
    };
    let next = next.ok_or_else(unusual)?;
    if is_as_intended(text, &next, key, value) {
        Ok(next)
    } else {
        Err(unusual())
    }
}

/// Whether the new text has the same settings as the old one, except for this key.
fn is_as_intended(before: &str, after: &str, key: SettingKey, value: Option<&Value>) -> bool {
    let tree = |text: &str| toml_edit::de::from_str::<Map<String, Json>>(text).ok();
    let (Some(mut wanted), Some(mut got)) = (tree(before), tree(after)) else {
        return false;
    };
    if let Json::Object(section) = wanted.entry(key.section).or_insert_with(|| Json::Object(Map::new())) {
        match value {
            Some(value) => {
                section.insert(key.name.to_owned(), as_json(value));
            }
            None => {
                section.remove(key.name);
            }
        }
    }
    let drop_empty = |tree: &mut Map<String, Json>| {
        tree.retain(|_, section| section.as_object().is_none_or(|section| !section.is_empty()));
    };
    drop_empty(&mut wanted);
    drop_empty(&mut got);
    wanted == got
}

fn as_json(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(time) => time.value().to_string().into(),
        Value::Array(items) => items.iter().map(as_json).collect(),
        Value::InlineTable(table) => table
            .iter()
            .map(|(key, value)| (key.to_owned(), as_json(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn insert_or_replace(document: &Document<&str>, text: &str, key: SettingKey, value: &Value) -> Option<String> {
    let line = |prefix: &str| format!("{prefix}{} = {}", key.name, to_text(value));
    let Some(section) = document.get(key.section) else {
        return Some(new_section(text, key, &line("")));
    };
    if let Some(old) = section.as_table_like()?.get(key.name) {
        return replace(text, old.as_value()?, value);
    }
    match section {
        Item::Value(Value::InlineTable(table)) => {
            let span = table.span()?;
            match table
                .iter()
                .filter_map(|(_, value)| value.span())
                .map(|span| span.end)
                .max()
            {
                Some(end) => Some(splice(text, end..end, &format!(", {}", line("")))),
                None => Some(splice(text, span, &format!("{{ {} }}", line("")))),
            }
        }
        Item::Table(table) if table.is_implicit() && !table.is_dotted() => Some(new_section(text, key, &line(""))),
        Item::Table(table) => {
            let (last, prefix) = if table.is_dotted() {
                (end_of_values(table)?, format!("{}.", key.section))
            } else {
                (end_of_values(table).or_else(|| Some(table.span()?.end))?, String::new())
            };
            let indent = indent_of(text, last);
            Some(line_after(text, last, &format!("{indent}{}", line(&prefix))))
        }
        Item::None | Item::Value(_) | Item::ArrayOfTables(_) => None,
    }
}

fn replace(text: &str, old: &Value, value: &Value) -> Option<String> {
    if let (Value::Array(old), Value::Array(wanted)) = (old, value)
        && let (Some(before), Some(after)) = (list_texts(old), list_texts(wanted))
        && !after.is_empty()
    {
        return edit_list(text, old, &before, &after);
    }
    Some(splice(text, old.span()?, &to_text(value)))
}

/// Removes a key. Comments above it stay, and so does a comment after it on the same line.
fn remove_key(document: &Document<&str>, text: &str, key: SettingKey) -> Option<String> {
    let Some(section) = document.get(key.section) else {
        return Some(text.to_owned());
    };
    let table = section.as_table_like()?;
    let Some((name, old)) = table.get_key_value(key.name) else {
        return Some(text.to_owned());
    };
    let (name, value) = (name.span()?, old.as_value()?.span()?);
    let Item::Value(Value::InlineTable(table)) = section else {
        return Some(without_line(text, name.start, value.end));
    };
    let mut spans: Vec<Range<usize>> = table
        .iter()
        .filter_map(|(name, value)| Some(table.key(name)?.span()?.start..value.span()?.end))
        .collect();
    spans.sort_by_key(|span| span.start);
    let at = spans.iter().position(|span| span.start == name.start)?;
    let cut = match (
        spans.get(at + 1),
        at.checked_sub(1).and_then(|before| spans.get(before)),
    ) {
        (Some(next), _) => name.start..next.start,
        (None, Some(before)) => before.end..value.end,
        (None, None) => return Some(splice(text, table.span()?, "{}")),
    };
    Some(splice(text, cut, ""))
}

/// Edits a list element by element, so that comments between the elements stay.
fn edit_list(text: &str, list: &Array, before: &[String], after: &[String]) -> Option<String> {
    let start = list.span()?.start;
    let changes = similar::capture_diff_slices(similar::Algorithm::Lcs, before, after);
    let mut text = text.to_owned();
    for index in changes
        .iter()
        .rev()
        .filter(|change| change.tag() != DiffTag::Equal)
        .flat_map(|change| change.old_range().rev())
    {
        text = remove_item(&text, &list_at(&text, start)?, index)?;
    }
    for index in changes
        .iter()
        .filter(|change| change.tag() != DiffTag::Equal)
        .flat_map(DiffOp::new_range)
    {
        let item = to_text(&Value::from(after[index].as_str()));
        text = insert_item(&text, &list_at(&text, start)?, index, &item)?;
    }
    Some(text)
}

fn remove_item(text: &str, list: &Array, index: usize) -> Option<String> {
    let close = list.span()?.end - 1;
    let item = list.get(index)?.span()?;
    let after_comma = find_comma(text, item.end..close).map_or(item.end, |comma| comma + 1);
    let line_start = text[..item.start].rfind('\n').map_or(0, |newline| newline + 1);
    let own_line = text[line_start..item.start].trim().is_empty();
    let rest = line_rest(text, after_comma);
    if own_line && rest.end < close && rest_is_blank_or_comment(&text[rest]) {
        return Some(without_line(text, item.start, after_comma));
    }
    let range = |from: usize, to: usize| from..to;
    let cut = match (list.get(index + 1).and_then(Value::span), index.checked_sub(1)) {
        (Some(next), _) if !text[item.start..next.start].contains(['#', '\n']) => range(item.start, next.start),
        (None, Some(before)) => {
            let before = list.get(before)?.span()?;
            if text[before.end..item.start].contains(['#', '\n']) {
                range(item.start, after_comma)
            } else {
                range(before.end, item.end)
            }
        }
        (Some(_) | None, _) => range(item.start, after_comma),
    };
    Some(splice(text, cut, ""))
}

fn insert_item(text: &str, list: &Array, index: usize, item: &str) -> Option<String> {
    match index.checked_sub(1) {
        Some(before) => insert_after(text, list, before, item),
        None => insert_first(text, list, item),
    }
}

fn insert_first(text: &str, list: &Array, item: &str) -> Option<String> {
    let whole = list.span()?;
    let (inner, close) = (whole.start + 1, whole.end - 1);
    let (eol, rest) = (line_ending(text), line_rest(text, inner));
    let Some(first) = list.get(0).and_then(Value::span) else {
        if rest.end >= close {
            return Some(splice(text, whole, &format!("[{item}]")));
        }
        let line_start = text[..close].rfind('\n').map_or(inner, |newline| newline + 1);
        return Some(splice(text, line_start..line_start, &format!("  {item},{eol}")));
    };
    if rest.end >= first.start {
        return Some(splice(text, first.start..first.start, &format!("{item}, ")));
    }
    let indent = indent_of(text, first.start);
    Some(splice(text, rest.end..rest.end, &format!("{eol}{indent}{item},")))
}

fn insert_after(text: &str, list: &Array, before: usize, item: &str) -> Option<String> {
    let whole = list.span()?;
    let (inner, close) = (whole.start + 1, whole.end - 1);
    let before = list.get(before)?.span()?;
    let comma = find_comma(text, before.end..close);
    let line_start = text[..before.start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line_start..before.start];
    let rest = line_rest(text, comma.map_or(before.end, |comma| comma + 1));
    let own_line = line_start > inner && indent.trim().is_empty();
    if !own_line || rest.end >= close || !rest_is_blank_or_comment(&text[rest.clone()]) {
        let lead = if own_line {
            format!("{}{indent}", line_ending(text))
        } else {
            " ".to_owned()
        };
        return Some(match comma {
            Some(comma) => splice(text, comma + 1..comma + 1, &format!("{lead}{item},")),
            None => splice(text, before.end..before.end, &format!(",{lead}{item}")),
        });
    }
    let tail = if comma.is_some() { "," } else { "" };
    let mut next = splice(
        text,
        rest.end..rest.end,
        &format!("{}{indent}{item}{tail}", line_ending(text)),
    );
    if comma.is_none() {
        next.insert(before.end, ',');
    }
    Some(next)
}

/// The position of the comma after an element. Commas in comments do not count.
fn find_comma(text: &str, range: Range<usize>) -> Option<usize> {
    let mut in_comment = false;
    for (at, byte) in text.bytes().enumerate().take(range.end).skip(range.start) {
        match byte {
            b'\n' => in_comment = false,
            b'#' => in_comment = true,
            b',' if !in_comment => return Some(at),
            _ => {}
        }
    }
    None
}

fn list_at(text: &str, start: usize) -> Option<Array> {
    fn search(item: &Item, start: usize) -> Option<Array> {
        if let Some(list) = item.as_array() {
            return (list.span()?.start == start).then(|| list.clone());
        }
        item.as_table_like()?.iter().find_map(|(_, item)| search(item, start))
    }
    let document = Document::parse(text).ok()?;
    search(document.as_item(), start)
}

fn list_texts(list: &Array) -> Option<Vec<String>> {
    list.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The value as TOML text, without surrounding blanks.
fn to_text(value: &Value) -> String {
    value.to_string().trim().to_owned()
}

fn end_of_values(table: &Table) -> Option<usize> {
    TableLike::get_values(table)
        .into_iter()
        .filter_map(|(_, value)| value.span())
        .map(|span| span.end)
        .max()
}

fn new_section(text: &str, key: SettingKey, line: &str) -> String {
    let eol = line_ending(text);
    let mut next = text.to_owned();
    if !next.is_empty() {
        if !next.ends_with('\n') {
            next.push_str(eol);
        }
        next.push_str(eol);
    }
    next + &format!("[{}]{eol}{line}{eol}", key.section)
}

fn line_after(text: &str, at: usize, line: &str) -> String {
    let end = line_rest(text, at).end;
    let eol = line_ending(text);
    let tail = if end == text.len() { eol } else { "" };
    splice(text, end..end, &format!("{eol}{line}{tail}"))
}

/// Removes the statement of a line. The whole line is removed, unless a comment follows the statement.
fn without_line(text: &str, start: usize, end: usize) -> String {
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = line_rest(text, end);
    if let Some(hash) = text[rest.clone()].find('#') {
        let indent: &str = &text[line_start..start];
        let indent_end = line_start + (indent.len() - indent.trim_start().len());
        return splice(text, indent_end..rest.start + hash, "");
    }
    let newline = text[rest.end..]
        .find('\n')
        .map_or(text.len(), |newline| rest.end + newline + 1);
    splice(text, line_start..newline, "")
}

/// The rest of the line from `at`, without the line ending.
fn line_rest(text: &str, at: usize) -> Range<usize> {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let end = if end < text.len() && text[at..end].ends_with('\r') {
        end - 1
    } else {
        end
    };
    at..end
}

fn rest_is_blank_or_comment(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('#')
}

fn indent_of(text: &str, at: usize) -> &str {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..at];
    &line[..line.len() - line.trim_start().len()]
}

fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let mut next = String::with_capacity(text.len() + with.len());
    next.push_str(&text[..range.start]);
    next.push_str(with);
    next.push_str(&text[range.end..]);
    next
}
