//! Writes values as text, in the style of the text that they are inserted into.

use serde_json::{Map, Value};

use super::Format;
use super::scalar;
use super::style::Style;

/// A value on one line, in brackets or quotes, so that it is valid at any place.
pub(super) fn inline(style: &Style, value: &Value) -> String {
    let pad = if style.padded { " " } else { "" };
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(style, item)).collect();
            format!("[{}]", items.join(style.comma))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{}{}{}", key_text(style, name), style.colon, inline(style, value)))
                .collect();
            format!("{{{pad}{}{pad}}}", entries.join(style.comma))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => match style.format {
            Format::Json => value.to_string(),
            Format::Yaml => scalar::quoted(text, style.quotes, scalar::QuoteContext::Brackets),
            // With the line breaks of Windows, a string of several lines would have other line breaks.
            Format::Toml if style.eol == "\r\n" => value.to_string().replace('\u{7f}', "\\u007f"),
            Format::Toml => toml_edit::Value::from(text.as_str()).to_string(),
        },
    }
}

/// The text of a key, in quotes if it needs them.
pub(super) fn key_text(style: &Style, name: &str) -> String {
    match style.format {
        Format::Json => Value::from(name).to_string(),
        Format::Yaml => {
            let quotes = (super::tree::Quote::Plain, style.quotes.1);
            scalar::quoted(name, quotes, scalar::QuoteContext::Brackets)
        }
        Format::Toml => toml_edit::Key::new(name).display_repr().into_owned(),
    }
}

/// A whole YAML document, without its last line break.
pub(super) fn document(style: &Style, value: &Value) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => entries(style, map, 0).join(style.eol),
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(|item| item_text(style, item, 0)).collect();
            items.join(style.eol)
        }
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            inline(style, value)
        }
    }
}

/// A JSON value on several lines. `indent` is the indentation of the line on which it begins.
pub(super) fn json(style: &Style, value: &Value, indent: &str) -> String {
    let deeper = format!("{indent}{}", style.unit);
    let simple = |item: &Value| !item.is_array() && !item.is_object();
    let lines: Vec<String> = match value {
        Value::Array(items) if !(style.short_lists && items.iter().all(simple)) => {
            items.iter().map(|item| json(style, item, &deeper)).collect()
        }
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| {
                format!(
                    "{}{}{}",
                    key_text(style, name),
                    style.colon,
                    json(style, value, &deeper)
                )
            })
            .collect(),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    if lines.is_empty() {
        return inline(style, value);
    }
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    let eol = style.eol;
    let joined = lines.join(&format!(",{eol}{deeper}"));
    format!("{open}{eol}{deeper}{joined}{eol}{indent}{close}")
}

/// The text behind the colon of a key in block YAML, with its leading space. `column` is the column of the key.
pub(super) fn value_text(style: &Style, value: &Value, column: usize) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let inner = column + style.unit.len();
            let indent = format!("{}{}", style.eol, " ".repeat(inner));
            indent.clone() + &entries(style, map, inner).join(&indent)
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let inner = column + style.dash;
            let indent = format!("{}{}", style.eol, " ".repeat(inner));
            let items: Vec<String> = items.iter().map(|item| item_text(style, item, inner)).collect();
            indent.clone() + &items.join(&indent)
        }
        Value::String(text) => format!(" {}", scalar::block_or_quoted(style, text, column + style.unit.len())),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            format!(" {}", inline(style, value))
        }
    }
}

/// An item of a block list, from its dash on. `column` is the column of the dash. The lines after the first include
/// their indentation.
pub(super) fn item_text(style: &Style, value: &Value, column: usize) -> String {
    let inner = column + style.gap;
    let gap = " ".repeat(style.gap.saturating_sub(1));
    match value {
        Value::Object(map) if !map.is_empty() => {
            let indent = format!("{}{}", style.eol, " ".repeat(inner));
            format!("-{gap}{}", entries(style, map, inner).join(&indent))
        }
        Value::String(text) => format!("-{gap}{}", scalar::block_or_quoted(style, text, inner)),
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
            format!("-{gap}{}", inline(style, value))
        }
    }
}

/// An entry of a block mapping, from its key on. `column` is the column of the key.
pub(super) fn entry_text(style: &Style, name: &str, value: &Value, column: usize) -> String {
    format!("{}:{}", key_text(style, name), value_text(style, value, column))
}

fn entries(style: &Style, map: &Map<String, Value>, column: usize) -> Vec<String> {
    map.iter()
        .map(|(name, value)| entry_text(style, name, value, column))
        .collect()
}
