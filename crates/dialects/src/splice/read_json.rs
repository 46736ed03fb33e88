//! From JSON, with comments or without, to its tree of bytes.

use std::collections::HashMap;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Format;
use super::tree::{Doc, Group, Node, Quote, Shape, Slot};

/// Reads a text that [`crate::jsonc::read`] takes; `None` for any other.
pub(super) fn read(text: &str) -> Option<Doc<'_>> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).ok()?;
    let tokens = parsed.tokens.unwrap_or_default();
    let mut doc = Doc {
        text,
        format: Format::Json,
        root: None,
        comments: Vec::new(),
        uses: HashMap::new(),
        begin: 0,
    };
    for token in &tokens {
        if matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_)) {
            let end = token.range.end;
            // A line break is none of the comment's own.
            let own = text.get(token.range.start..end)?.trim_end_matches(['\r', '\n']);
            doc.comments.push(token.range.start..token.range.start + own.len());
        }
    }
    doc.comments.sort_by_key(|comment| comment.start);
    doc.root = match &parsed.value {
        Some(value) => Some(node(&doc, value)?),
        None => None,
    };
    Some(doc)
}

fn node(doc: &Doc<'_>, value: &ast::Value<'_>) -> Option<Node> {
    let range = value.range();
    let shape = match value {
        ast::Value::StringLit(_) => Shape::Scalar(Quote::Double),
        ast::Value::NumberLit(_) | ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) => {
            Shape::Scalar(Quote::Plain)
        }
        ast::Value::Array(array) => Shape::List(group(array.elements.iter().map(|item| {
            let node = node(doc, item)?;
            Some(Slot {
                key: None,
                start: node.range.start,
                key_end: node.range.start,
                sign_end: node.range.start,
                odd: false,
                node,
            })
        }))?),
        ast::Value::Object(object) => Shape::Map(group(object.properties.iter().map(|property| {
            let colon = doc.skip(property.name.range().end);
            Some(Slot {
                key: Some(property.name.as_str().to_owned()),
                start: property.name.range().start,
                key_end: property.name.range().end,
                sign_end: colon + 1,
                odd: !doc.text.get(colon..)?.starts_with(':'),
                node: node(doc, &property.value)?,
            })
        }))?),
    };
    Some(Node {
        range: range.start..range.end,
        props: None,
        anchor: 0,
        tagged: false,
        shape,
    })
}

fn group(slots: impl Iterator<Item = Option<Slot>>) -> Option<Group> {
    Some(Group {
        flow: true,
        odd: false,
        slots: slots.collect::<Option<_>>()?,
    })
}
