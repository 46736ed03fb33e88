//! Edits of user files: one value in a text changes, and no other byte (`CONTRACTS.md` §2.7).
//!
//! What it is: operations on lists and mappings. They are described as values ([`Op`]) and applied to texts. Comments,
//! blank lines, key order, indentation, quotes of untouched values, line breaks and unknown fields stay as they are.
//!
//! What it deliberately does not do: it knows no dialect and writes no file. It does not guess: the new text is parsed
//! and compared with the expected value, and any difference is refused.
//!
//! How it works: [`tree`] is the text with the byte range of every value, key and comment. [`block`], [`flow`] and
//! [`tables`] make patches from it. [`style`] and [`write`] write new values in the style of their neighbours. [`semantics`] applies an
//! operation to the value alone, without any text.

mod aliases;
mod block;
mod element_lines;
mod empty_collections;
mod flow;
mod fragment;
mod plan;
mod ranges;
mod read_json;
mod read_toml;
mod read_yaml;
mod scalar;
mod semantics;
mod style;
mod tables;
mod tree;
mod walk;
mod write;

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::{Message, render};
use serde_json::Value;

use crate::node::{Node, SyntaxError};

pub use element_lines::ElementLines;
pub use empty_collections::{means_same, without_empty, without_empty_root};
pub use fragment::{Destination, Fragment, copy_fragment};

hookwright_model::messages! {
    /// The file does not parse before the edit.
    BROKEN = "edit_broken_file" { "line {line} does not parse: {why}", "第 {line} 行无法解析：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The value is shared: an alias elsewhere refers to it.
    SHARED = "edit_shared_anchor" { "line {line} is shared: other parts of the file refer to its anchor", "第 {line} 行被共享：文件的其他部分引用它的锚点" } hint { "edit the file by hand, or repeat the value where it should differ; nothing was changed", "手工编辑文件，或在需要不同的位置直接写出该值；未作任何更改" };
    /// The syntax of this line is read, but cannot be edited piece by piece.
    FORM = "edit_form" { "line {line} uses syntax that cannot be edited in place", "第 {line} 行的语法无法就地修改" } hint { "edit the file by hand; nothing was changed", "手工编辑文件；未作任何更改" };
    /// The edited text does not have the expected value.
    DIFFERS = "edit_differs" { "the edited text would not have the requested content", "修改后的文本与请求的内容不符" } hint { "edit the file by hand; nothing was changed", "手工编辑文件；未作任何更改" };
    /// The line has another kind of content than the operation needs.
    NOT_THERE = "edit_not_there" { "the content of line {line} cannot be changed in this way", "第 {line} 行的内容无法这样修改" } hint { "check the file; nothing was changed", "检查文件；未作任何更改" };
}

/// The syntax of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML, as [`crate::yaml`] reads it.
    Yaml,
    /// JSON, with or without comments, as [`crate::jsonc`] reads it.
    Json,
    /// TOML, as [`crate::toml`] reads it.
    Toml,
}

impl Format {
    /// The syntax of a file, by its name.
    #[must_use]
    pub fn of_file(path: &std::path::Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            Some(_) | None => Self::Yaml,
        }
    }
}

pub use hookwright_model::PathStep;

/// The path from the root value of the document to a value inside it.
pub type Path = Vec<PathStep>;

/// The step to the value of a key. If the key is duplicated, it leads to the first one.
#[must_use]
pub fn key(name: impl Into<String>) -> PathStep {
    PathStep::Key(name.into(), 0)
}

/// One edit operation.
#[derive(Debug, Clone)]
pub enum Op {
    /// Sets a value. Missing mappings on the path are created.
    Set {
        /// Path of the value.
        at: Path,
        /// The new value.
        value: Value,
    },
    /// Removes a key from its mapping. The comments above it stay.
    Unset {
        /// Path of the key.
        at: Path,
    },
    /// Inserts an item into a list, or a new key at the end of a mapping. A missing list or mapping is created.
    Insert {
        /// Path that the item or key has afterwards.
        at: Path,
        /// The new value, with its text if it is a copy.
        content: NewValue,
    },
    /// Removes an item or key with the comments that belong to it.
    Remove {
        /// Path of the item or key.
        at: Path,
    },
    /// Renames a key.
    Rename {
        /// Path of the key.
        at: Path,
        /// The new name.
        to: String,
    },
    /// Moves an item within its list.
    Move {
        /// Path of the list.
        list: Path,
        /// Index before the move, from 0.
        from: usize,
        /// Index after the move, from 0.
        to: usize,
    },
}

/// A value to insert.
#[derive(Debug, Clone)]
pub struct NewValue {
    /// The value without any formatting.
    pub value: Value,
    /// The text of the original with its comments, if the value is a copy.
    pub fragment: Option<Fragment>,
}

impl From<Value> for NewValue {
    fn from(value: Value) -> Self {
        Self { value, fragment: None }
    }
}

/// Applies the operations one after the other and returns the new text.
///
/// # Errors
/// An operation cannot be done, or its result is not the expected value. Then none of the operations is applied.
pub fn apply(format: Format, text: &str, ops: &[Op]) -> Result<String, Message> {
    if ops.len() > 1
        && let Some(next) = replace_values(format, text, ops)
    {
        return Ok(next);
    }
    let mut text = text.to_owned();
    for op in ops {
        text = apply_one(format, &text, op)?;
    }
    Ok(text)
}

/// Applies operations that each replace a value in its place, with one reading of the text for all. `None` if one of
/// them is another operation, or cannot be done in this way.
fn replace_values(format: Format, text: &str, ops: &[Op]) -> Option<String> {
    let mut value = parse_value(format, text).ok()?;
    let doc = parse_doc(format, text)?;
    let mut patches = Vec::new();
    for op in ops {
        patches.extend(plan::replacement(&doc, &value, op)?);
    }
    let next = apply_patches(text, patches)?;
    let is_done = ops.iter().all(|op| semantics::apply(&mut value, op));
    (is_done && unterminated_block_start(format, &next).is_none() && parse_value(format, &next).ok()? == value)
        .then_some(next)
}

fn apply_one(format: Format, text: &str, op: &Op) -> Result<String, Message> {
    let op = &without_nulls(format, op);
    let mut value = parse_value(format, text)?;
    let mut next = plan::run(format, text, &value, op, 0)?;
    if let Some(open) = unterminated_block_start(format, &next)
        && !text.ends_with(&next[open..])
    {
        next.push_str(if next.contains("\r\n") { "\r\n" } else { "\n" });
    }
    let is_done = semantics::apply(&mut value, op);
    let found = parse_value(format, &next).map_err(|_| DIFFERS.render_plain())?;
    let is_same = match (format, op) {
        // A list of tables ends with its last table.
        (Format::Toml, Op::Remove { at } | Op::Unset { at }) => {
            let above = at.split_last().map_or(&[][..], |(_, above)| above);
            empty_collections::without_empty_at(value, above) == empty_collections::without_empty_at(found, above)
        }
        (Format::Toml | Format::Yaml | Format::Json, _) => found == value,
    };
    if is_done && is_same {
        Ok(next)
    } else {
        Err(DIFFERS.render_plain())
    }
}

/// The operation without `null` in its value, if the format has none. There a key that is `null` is a missing key.
fn without_nulls(format: Format, op: &Op) -> Op {
    let mut op = op.clone();
    if format == Format::Toml
        && let Op::Set { value, .. }
        | Op::Insert {
            content: NewValue { value, .. },
            ..
        } = &mut op
    {
        remove_nulls(value);
    }
    op
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Where a block string (`|` or `>`) begins that ends the file without a line break. Parsers disagree on whether its
/// last line has a line break.
fn unterminated_block_start(format: Format, text: &str) -> Option<usize> {
    if text.ends_with('\n') {
        return None;
    }
    let doc = parse_doc(format, text)?;
    let mut node = doc.root.as_ref()?;
    while let Some(slot) = node
        .collection()
        .filter(|group| !group.flow)
        .and_then(|group| group.elements.last())
    {
        node = &slot.node;
    }
    let tree::NodeShape::Block(header) = &node.shape else {
        return None;
    };
    let is_unterminated = !text[header.clone()].contains('-') && text[node.range.end..].trim().is_empty();
    is_unterminated.then_some(header.start)
}

/// Parses a text. A text without a value is null.
///
/// # Errors
/// The text does not parse.
pub fn parse_value(format: Format, text: &str) -> Result<Value, Message> {
    let root = parse_nodes(format, text).map_err(|broken| syntax_message(&broken))?;
    Ok(root.map_or(Value::Null, |root| root.to_value()))
}

/// Parses a text as a tree with positions.
///
/// # Errors
/// The text does not parse.
pub(crate) fn parse_nodes(format: Format, text: &str) -> Result<Option<Arc<Node>>, SyntaxError> {
    match format {
        Format::Yaml => crate::yaml::read(text),
        Format::Json => crate::jsonc::read(text).map(|read| read.root),
        Format::Toml => crate::toml::read(text).map(Some),
    }
}

/// Applies an operation to a value. Returns false if the value has nothing that the operation could change.
pub fn apply_to_value(value: &mut Value, op: &Op) -> bool {
    semantics::apply(value, op)
}

/// The value at a path, if there is one.
#[must_use]
pub fn find<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(name, _) => value.get(name),
        PathStep::Item(index) => value.get(index),
    })
}

/// The message that a text does not parse.
#[must_use]
pub fn syntax_message(broken: &SyntaxError) -> Message {
    render!(
        BROKEN,
        "line" => broken.position.line, "why" => broken.message.text, "why_message" => broken.message.to_args()
    )
}

/// A byte range of a text, and its replacement.
#[derive(Debug)]
struct TextPatch {
    range: Range<usize>,
    text: String,
}

impl TextPatch {
    fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }

    fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }
}

/// Applies patches to a text. Returns `None` if two of them overlap.
fn apply_patches(text: &str, mut patches: Vec<TextPatch>) -> Option<String> {
    // The sort is stable: insertions at the same byte keep the order in which they were planned.
    patches.sort_by_key(|patch| (patch.range.start, patch.range.end));
    let mut out = String::with_capacity(text.len() + patches.iter().map(|patch| patch.text.len()).sum::<usize>());
    let mut at = 0;
    for patch in patches {
        out.push_str(text.get(at..patch.range.start)?);
        out.push_str(&patch.text);
        at = patch.range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

fn parse_doc(format: Format, text: &str) -> Option<tree::Doc<'_>> {
    match format {
        Format::Yaml => read_yaml::read(text),
        Format::Json => read_json::read(text),
        Format::Toml => read_toml::read(text),
    }
}
