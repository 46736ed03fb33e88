//! Reads JSON, with or without comments, into a [`Doc`].

use std::cell::OnceCell;
use std::collections::HashMap;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Format;
use super::tree::{Collection, Doc, Element, NodeShape, Quote, SpanNode};

/// Reads a text that [`crate::jsonc::read`] accepts. Returns `None` if it cannot be read.
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
        alias_counts: HashMap::new(),
        begin: 0,
        style: OnceCell::new(),
    };
    for token in &tokens {
        if matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_)) {
            let end = token.range.end;
            // The line break is not part of the comment.
            let trimmed = text.get(token.range.start..end)?.trim_end_matches(['\r', '\n']);
            doc.comments.push(token.range.start..token.range.start + trimmed.len());
        }
    }
    doc.comments.sort_by_key(|comment| comment.start);
    doc.root = match &parsed.value {
        Some(value) => Some(node(&doc, value)?),
        None => None,
    };
    Some(doc)
}

fn node(doc: &Doc<'_>, value: &ast::Value<'_>) -> Option<SpanNode> {
    let range = value.range();
    let shape = match value {
        ast::Value::StringLit(_) => NodeShape::Scalar(Quote::Double),
        ast::Value::NumberLit(_) | ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) => {
            NodeShape::Scalar(Quote::Plain)
        }
        ast::Value::Array(array) => NodeShape::List(flow_collection(array.elements.iter().map(|item| {
            let node = node(doc, item)?;
            Some(Element {
                key: None,
                start: node.range.start,
                key_end: node.range.start,
                sign_end: node.range.start,
                read_only: false,
                node,
            })
        }))?),
        ast::Value::Object(object) => NodeShape::Map(flow_collection(object.properties.iter().map(|property| {
            let colon = doc.skip_blanks(property.name.range().end);
            Some(Element {
                key: Some(property.name.as_str().to_owned()),
                start: property.name.range().start,
                key_end: property.name.range().end,
                sign_end: colon + 1,
                read_only: !doc.text.get(colon..)?.starts_with(':'),
                node: node(doc, &property.value)?,
            })
        }))?),
    };
    Some(SpanNode {
        range: range.start..range.end,
        props: None,
        anchor: 0,
        tagged: false,
        shape,
    })
}

fn flow_collection(slots: impl Iterator<Item = Option<Element>>) -> Option<Collection> {
    Some(Collection {
        flow: true,
        read_only: false,
        elements: slots.collect::<Option<_>>()?,
    })
}
