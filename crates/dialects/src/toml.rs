//! Reads TOML as a tree with positions.

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use serde_json::Value;
use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike};

use crate::jsonc::LineStarts;
use crate::node::{Entry, Node, SyntaxError, ValueKind};
use crate::odd_characters;

hookwright_model::messages! {
    /// The text is no TOML.
    TOML = "syntax" / "toml" { "from here on this is not valid TOML", "从此处起不是有效的 TOML" } hint { "correct this line", "更正此行" };
}

/// Reads a text. A table begins at its `[…]` or `[[…]]`, an inline one at its `{`.
///
/// # Errors
/// The text is no TOML.
pub fn read(text: &str) -> Result<Arc<Node>, SyntaxError> {
    let lines = LineStarts::new(text);
    let document = Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let (message, at) = odd_characters::explain_toml(text).unwrap_or_else(|| (TOML.render_plain(), start));
        SyntaxError {
            message,
            position: lines.position(at),
        }
    })?;
    let reader = Reader { text, lines };
    Ok(Arc::new(reader.table(document.as_table(), 0..0)))
}

struct Reader<'t> {
    text: &'t str,
    lines: LineStarts<'t>,
}

impl Reader<'_> {
    fn table(&self, table: &dyn TableLike, span: Range<usize>) -> Node {
        let entries = table.iter().map(|(name, item)| {
            let key = table.key(name).and_then(Key::span).unwrap_or_else(|| span.clone());
            Entry {
                key: name.to_owned(),
                key_position: self.lines.position(key.start),
                value: Arc::new(self.item(item, key)),
            }
        });
        let kind = ValueKind::Mapping {
            entries: entries.collect(),
            duplicate_keys: Vec::new(),
        };
        self.node(kind, span)
    }

    /// A value. `key` is where its key is, for tables that are only named as a part of others.
    fn item(&self, item: &Item, key: Range<usize>) -> Node {
        match item {
            Item::None => self.node(scalar(Value::Null, ""), key),
            Item::Value(value) => self.value(value, key),
            Item::Table(table) => self.table(table, Table::span(table).unwrap_or(key)),
            Item::ArrayOfTables(tables) => {
                let items = tables.iter().map(|table| {
                    let span = Table::span(table).unwrap_or_else(|| key.clone());
                    Arc::new(self.table(table, span))
                });
                let items = items.collect();
                self.node(ValueKind::List(items), tables.span().unwrap_or(key))
            }
        }
    }

    fn value(&self, value: &toml_edit::Value, key: Range<usize>) -> Node {
        let span = value.span().unwrap_or(key);
        let written = self.text.get(span.clone()).unwrap_or_default();
        let kind = match value {
            toml_edit::Value::String(text) => scalar(text.value().as_str().into(), text.value()),
            toml_edit::Value::Integer(number) => scalar((*number.value()).into(), written),
            // JSON has no such number, and no field takes one.
            toml_edit::Value::Float(number) if !number.value().is_finite() => scalar(written.into(), written),
            toml_edit::Value::Float(number) => scalar((*number.value()).into(), written),
            toml_edit::Value::Boolean(flag) => scalar((*flag.value()).into(), written),
            toml_edit::Value::Datetime(_) => scalar(written.into(), written),
            toml_edit::Value::Array(items) => {
                let items = items.iter().map(|item| Arc::new(self.value(item, span.clone())));
                ValueKind::List(items.collect())
            }
            toml_edit::Value::InlineTable(table) => {
                return self.table(table, InlineTable::span(table).unwrap_or(span));
            }
        };
        self.node(kind, span)
    }

    fn node(&self, kind: ValueKind, span: Range<usize>) -> Node {
        let inside: u32 = match &kind {
            ValueKind::Scalar { .. } => 0,
            ValueKind::List(items) => items.iter().map(|item| item.weight).sum(),
            ValueKind::Mapping { entries, .. } => entries.iter().map(|entry| entry.value.weight).sum(),
        };
        let position: TextPosition = self.lines.position(span.start);
        Node {
            kind,
            position,
            span,
            weight: inside + 1,
        }
    }
}

fn scalar(value: Value, text: &str) -> ValueKind {
    ValueKind::Scalar {
        value,
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = r#"# mine
model = "o5"

[[hooks.PreToolUse]]
matcher = "^Bash$"
[[hooks.PreToolUse.hooks]]
type = "command"
timeout = 5.0

[hooks]
Stop = [{ hooks = [{ type = "command", command = 'x', timeout = 30 }] }]
"#;

    #[test]
    fn tables_and_inline_tables_are_the_same_tree_with_their_positions() {
        let text = TEXT.replace("[hooks]\n", "[hooks.state]\n[other]\n");
        let root = read(&text).unwrap();
        let groups = root.get("hooks").unwrap().get("PreToolUse").unwrap();
        assert_eq!(
            groups.to_value(),
            json!([{ "matcher": "^Bash$", "hooks": [{ "type": "command", "timeout": 5.0 }] }])
        );
        let ValueKind::List(items) = &groups.kind else {
            panic!("it is a list")
        };
        assert_eq!(items[0].position.line, 4);
        let inline = root.get("other").unwrap().get("Stop").unwrap();
        let ValueKind::List(items) = &inline.kind else {
            panic!("it is a list")
        };
        let position = items[0].position;
        assert_eq!((position.line, position.column), (12, 9));
        let hooks = items[0].get("hooks").unwrap();
        let ValueKind::List(hooks) = &hooks.kind else {
            panic!("it is a list")
        };
        assert_eq!(hooks[0].get("timeout").unwrap().whole_number(), Some(30));
    }

    #[test]
    fn what_is_no_toml_is_said_with_its_place() {
        let error = read("a = 1\nb = \n").unwrap_err();
        assert_eq!(error.message.code, "syntax");
        assert_eq!(error.position.line, 2);
        assert_eq!(read("a = 1\na = 2\n").unwrap_err().position.line, 2);
    }
}
