//! Composes the parser's events into a tree of [`Node`]s.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use serde_json::Value;
use serde_saphyr::granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, Tag};

use super::changed_values::{self, ReadScalar};
use super::syntax_messages::{self, ALIAS_BOMB, INSIDE_ITSELF, SEVERAL_DOCUMENTS, TOO_DEEP};
use super::{Entry, MAX_DEPTH, MAX_WEIGHT, Node, SyntaxError, ValueKind, scalar};
use crate::odd_characters;

/// The tree of a text, and the warnings about its values.
pub(super) fn compose(text: &str) -> Result<(Option<Arc<Node>>, Vec<SyntaxError>), SyntaxError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    // One level more than allowed, so that Hookwright's own message is reported instead of the parser's.
    options.flow_nesting_limit = MAX_DEPTH + 1;
    options.block_nesting_limit = MAX_DEPTH + 1;
    let mut composer = Composer {
        text,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        documents: 0,
        aliased: 0,
        warnings: Vec::new(),
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| syntax_error(text, &error))?;
        composer.add_event(event, span)?;
    }
    Ok((composer.root.filter(|root| !root.is_null()), composer.warnings))
}

fn syntax_error(text: &str, error: &ScanError) -> SyntaxError {
    syntax_messages::explain(text, error.kind(), position(error.marker()))
}

fn position(marker: &Marker) -> TextPosition {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    TextPosition {
        line: number(marker.line()),
        column: number(marker.col().saturating_add(1)),
    }
}

struct Composer<'a> {
    text: &'a str,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Arc<Node>>,
    root: Option<Arc<Node>>,
    documents: u32,
    /// The number of values that its aliases stand for so far.
    aliased: u32,
    warnings: Vec<SyntaxError>,
}

/// A list or mapping whose end is not read yet.
struct OpenNode {
    position: TextPosition,
    start: usize,
    anchor: usize,
    weight: u32,
    content: Partial,
}

enum Partial {
    List(Vec<Arc<Node>>),
    Mapping { pairs: Vec<Pair>, key: Option<PendingKey> },
}

struct PendingKey {
    name: String,
    position: TextPosition,
    /// Whether it is a plain `<<`.
    merge: bool,
}

struct Pair {
    key: PendingKey,
    value: Arc<Node>,
}

impl Composer<'_> {
    fn add_event(&mut self, event: Event<'_>, span: Span) -> Result<(), SyntaxError> {
        let position = position(&span.start);
        let bytes = span.byte_range().unwrap_or_default();
        // Events without a node (stream, document end, comments) add nothing to the tree.
        if let Event::DocumentStart(..) = event {
            self.documents += 1;
            if self.documents > 1 {
                return Err(SyntaxError {
                    message: SEVERAL_DOCUMENTS.render_plain(),
                    position,
                });
            }
        } else if let Event::Scalar(text, style, anchor, tag) = event {
            self.check_scalar(&text, style, tag.as_deref(), position, &bytes)?;
            let value = scalar_value(&text, style, tag.as_deref());
            // The parser reports a missing value as `~`.
            let text = if bytes.is_empty() && style == ScalarStyle::Plain {
                String::new()
            } else {
                text.into_owned()
            };
            let merge = style == ScalarStyle::Plain && text == "<<";
            let node = Node {
                kind: ValueKind::Scalar { value, text },
                position,
                span: bytes,
                weight: 1,
            };
            self.add(Arc::new(node), anchor, merge);
        } else if let Event::SequenceStart(_, anchor, _) = event {
            return self.begin(position, bytes.start, anchor, Partial::List(Vec::new()));
        } else if let Event::MappingStart(_, anchor, _) = event {
            return self.begin(
                position,
                bytes.start,
                anchor,
                Partial::Mapping {
                    pairs: Vec::new(),
                    key: None,
                },
            );
        } else if matches!(event, Event::SequenceEnd | Event::MappingEnd) {
            self.end(bytes.end);
        } else if let Event::Alias(id) = event {
            let Some(node) = self.anchors.get(&id).cloned() else {
                return Err(SyntaxError {
                    message: INSIDE_ITSELF.render_plain(),
                    position,
                });
            };
            self.aliased = self.aliased.saturating_add(node.weight);
            if self.aliased > MAX_WEIGHT {
                return Err(SyntaxError {
                    message: ALIAS_BOMB.render_plain(),
                    position,
                });
            }
            self.add(node, 0, false);
        }
        Ok(())
    }

    /// Checks whether a scalar is what it looks like.
    ///
    /// # Errors
    /// It begins with a character that makes it something else than the key or item that it was meant to be.
    fn check_scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        position: TextPosition,
        bytes: &Range<usize>,
    ) -> Result<(), SyntaxError> {
        let key = match self.open.last().map(|open| &open.content) {
            Some(Partial::Mapping { key, .. }) => key.as_ref(),
            Some(Partial::List(_)) | None => None,
        };
        let is_in_line_of_key = key.is_some_and(|key| key.position.line == position.line);
        if style == ScalarStyle::Plain
            && !is_in_line_of_key
            && let Some((message, at)) = odd_characters::structural_start(text)
        {
            let column = position.column + u32::try_from(at).unwrap_or_default();
            let position = TextPosition { column, ..position };
            return Err(SyntaxError { message, position });
        }
        let is_text = key.is_some_and(|key| odd_characters::TEXT_KEYS.contains(&key.name.as_str()));
        if style == ScalarStyle::Plain
            && !is_text
            && let Some(message) = odd_characters::odd_bracket(text)
        {
            return Err(SyntaxError { message, position });
        }
        let found = changed_values::find(&ReadScalar {
            value: text,
            style,
            tag,
            rest: self.text.get(bytes.start..).unwrap_or_default(),
            length: bytes.len(),
            position,
            is_command: key.is_some_and(|key| key.name == "command"),
            is_text,
        });
        self.warnings.extend(found);
        Ok(())
    }

    fn begin(
        &mut self,
        position: TextPosition,
        start: usize,
        anchor: usize,
        content: Partial,
    ) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(SyntaxError {
                message: TOO_DEEP.render_plain(),
                position,
            });
        }
        self.open.push(OpenNode {
            position,
            start,
            anchor,
            weight: 1,
            content,
        });
        Ok(())
    }

    fn end(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let kind = match open.content {
            Partial::List(items) => ValueKind::List(items),
            Partial::Mapping { pairs, .. } => build_mapping(pairs),
        };
        let span = open.start..end.max(open.start);
        let node = Arc::new(Node {
            kind,
            position: open.position,
            span,
            weight: open.weight,
        });
        self.add(node, open.anchor, false);
    }

    /// Adds a finished node to the open list, or as key or value to the open mapping, or makes it the root.
    fn add(&mut self, node: Arc<Node>, anchor: usize, merge: bool) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        open.weight = open.weight.saturating_add(node.weight);
        match &mut open.content {
            Partial::List(items) => items.push(node),
            Partial::Mapping { pairs, key } => match key.take() {
                Some(key) => pairs.push(Pair { key, value: node }),
                None => {
                    *key = Some(PendingKey {
                        name: key_name(self.text, &node),
                        position: node.position,
                        merge,
                    })
                }
            },
        }
    }
}

fn key_name(text: &str, node: &Node) -> String {
    match &node.kind {
        ValueKind::Scalar { text, .. } => text.clone(),
        ValueKind::List(_) | ValueKind::Mapping { .. } => text.get(node.span.clone()).unwrap_or_default().to_owned(),
    }
}

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let string = || Value::String(text.to_owned());
    match tag {
        None if style == ScalarStyle::Plain => scalar::resolve(text),
        Some(tag)
            if ["int", "float", "bool", "null"]
                .iter()
                .any(|kind| tag.is_yaml_core_schema_tag(kind)) =>
        {
            scalar::resolve(text)
        }
        None | Some(_) => string(),
    }
}

/// Builds a mapping: first its own keys, each once, then the keys that `<<` merges and the mapping does not have.
fn build_mapping(pairs: Vec<Pair>) -> ValueKind {
    let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
    let mut duplicate_keys = Vec::new();
    let mut seen: HashMap<String, ()> = HashMap::with_capacity(pairs.len());
    let mut merges = Vec::new();
    for Pair { key, value } in pairs {
        let entry = Entry {
            key: key.name,
            key_position: key.position,
            value,
        };
        if seen.insert(entry.key.clone(), ()).is_some() {
            duplicate_keys.push(entry);
        } else if key.merge && is_mergeable(&entry.value) {
            merges.push(entry.value);
        } else {
            entries.push(entry);
        }
    }
    for merge in merges {
        let sources: Vec<&Arc<Node>> = match &merge.kind {
            ValueKind::List(items) => items.iter().collect(),
            ValueKind::Mapping { .. } | ValueKind::Scalar { .. } => vec![&merge],
        };
        for entry in sources.iter().filter_map(|source| source.entries()).flatten() {
            if seen.insert(entry.key.clone(), ()).is_none() {
                entries.push(entry.clone());
            }
        }
    }
    ValueKind::Mapping {
        entries,
        duplicate_keys,
    }
}

/// Whether `<<` merges this value: a mapping or a list of mappings. With any other value it is an ordinary key.
fn is_mergeable(node: &Node) -> bool {
    match &node.kind {
        ValueKind::Mapping { .. } => true,
        ValueKind::List(items) => items.iter().all(|item| item.entries().is_some()),
        ValueKind::Scalar { .. } => false,
    }
}
