//! Changing people's files: one value in a text is changed and no byte beside it (`CONTRACTS.md` §2.7).
//!
//! What it is: operations on lists and mappings, told in values ([`Op`]), done on texts. Comments, blank lines, key
//! order, indentation, quotes of untouched values, line breaks and unknown fields stay as they are.
//!
//! What it deliberately does not do: it knows no dialect, and writes no file. It never guesses either: what came out is
//! read again and compared with what was meant, and anything else is refused.
//!
//! How it works: [`tree`] is the text with the bytes of every value and sign; [`block`] and [`flow`] make patches from it;
//! [`style`] and [`write`] give new values the looks of their neighbours; [`semantics`] is what an operation means for the
//! value, known without any text.

mod aliases;
mod block;
mod empty_collections;
mod flow;
mod fragment;
mod plan;
mod ranges;
mod read_json;
mod read_yaml;
mod scalar;
mod semantics;
mod style;
mod tree;
mod walk;
mod write;

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::{Message, args};
use serde_json::Value;

use crate::node::{Node, SyntaxError};

pub use empty_collections::{means_same, without_empty};
pub use fragment::{Destination, Fragment, copy_fragment};

hookwright_model::messages! {
    /// The file does not parse as it is.
    BROKEN = "edit_broken_file" { "line {line} does not parse: {why}", "第 {line} 行无法解析：{why}" } hint { "correct it first; nothing was changed", "请先更正；未作任何更改" };
    /// A value that others refer to.
    SHARED = "edit_shared_anchor" { "line {line} is shared: other places of the file refer to it by its anchor", "第 {line} 行被共享：文件的其他位置通过锚点引用它" } hint { "edit the file by hand, or write the value out where it should differ", "请手工编辑文件，或在需要不同的位置直接写出该值" };
    /// A place that is read and cannot be changed piece by piece.
    FORM = "edit_form" { "line {line} is written in a way that cannot be changed piece by piece", "第 {line} 行的写法无法逐项修改" } hint { "edit the file by hand; nothing was changed", "请手工编辑文件；未作任何更改" };
    /// What came out is not what was meant.
    DIFFERS = "edit_differs" { "the changed text would not say what was meant", "修改后的文本与意图不符" } hint { "edit the file by hand; nothing was changed", "请手工编辑文件；未作任何更改" };
    /// Something else stands there than what is to be changed.
    NOT_THERE = "edit_not_there" { "there is nothing of that kind at line {line}", "第 {line} 行没有这样的内容" } hint { "look at the file; nothing was changed", "请查看文件；未作任何更改" };
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML.
    Yaml,
    /// JSON, with comments or without.
    Json,
}

/// One step from a value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// The value of a key; the number tells keys apart that stand there twice, from 0.
    Key(String, usize),
    /// An item of a list, from 0.
    Item(usize),
}

/// The way from the document's value to one inside it.
pub type Path = Vec<PathStep>;

/// The step to a key's first value.
#[must_use]
pub fn key(name: impl Into<String>) -> PathStep {
    PathStep::Key(name.into(), 0)
}

/// One change.
#[derive(Debug, Clone)]
pub enum Op {
    /// Makes it this value; mappings on the way are made when they are missing.
    Set {
        /// Where.
        at: Path,
        /// The value.
        value: Value,
    },
    /// Takes a key out of its mapping. Comments above it stay.
    Unset {
        /// The key.
        at: Path,
    },
    /// Puts an item into a list before that place, or a new key at the end of a mapping; list or mapping are made when
    /// they are missing.
    Insert {
        /// The place that it will have.
        at: Path,
        /// What.
        content: NewValue,
    },
    /// Takes out an item or key with the comments that belong to it.
    Remove {
        /// Which.
        at: Path,
    },
    /// Gives a key another name.
    Rename {
        /// The key.
        at: Path,
        /// Its name afterwards.
        to: String,
    },
    /// Puts an item of a list to another place there.
    Move {
        /// The list.
        list: Path,
        /// Its place now.
        from: usize,
        /// Its place afterwards.
        to: usize,
    },
}

/// Something new.
#[derive(Debug, Clone)]
pub struct NewValue {
    /// Its value.
    pub value: Value,
    /// How it was written where it comes from, with its comments.
    pub fragment: Option<Fragment>,
}

impl From<Value> for NewValue {
    fn from(value: Value) -> Self {
        Self { value, fragment: None }
    }
}

/// Does the changes one after the other.
///
/// # Errors
/// Why it cannot be done; then nothing of it is.
pub fn apply(format: Format, text: &str, ops: &[Op]) -> Result<String, Message> {
    let mut text = text.to_owned();
    for op in ops {
        text = apply_one(format, &text, op)?;
    }
    Ok(text)
}

fn apply_one(format: Format, text: &str, op: &Op) -> Result<String, Message> {
    let mut value = parse_value(format, text)?;
    let mut next = plan::run(format, text, &value, op, 0)?;
    if let Some(open) = unterminated_block_start(format, &next)
        && !text.ends_with(&next[open..])
    {
        next.push_str(if next.contains("\r\n") { "\r\n" } else { "\n" });
    }
    if !semantics::apply(&mut value, op) || self::parse_value(format, &next).ok() != Some(value) {
        return Err(DIFFERS.render_plain());
    }
    Ok(next)
}

/// Where a text behind `|` or `>` begins that ends the file without a line break. Parsers do not agree on whether its last
/// line has one.
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

/// What a text says.
///
/// # Errors
/// It does not parse.
pub fn parse_value(format: Format, text: &str) -> Result<Value, Message> {
    let root = parse_nodes(format, text).map_err(|broken| syntax_message(&broken))?;
    Ok(root.map_or(Value::Null, |root| root.to_value()))
}

fn parse_nodes(format: Format, text: &str) -> Result<Option<Arc<Node>>, SyntaxError> {
    match format {
        Format::Yaml => crate::yaml::read(text),
        Format::Json => crate::jsonc::read(text).map(|read| read.root),
    }
}

/// Does on a value what an operation means. Returns false when there is nothing to do it to.
pub fn apply_to_value(value: &mut Value, op: &Op) -> bool {
    semantics::apply(value, op)
}

/// The value at a path.
#[must_use]
pub fn find<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathStep::Key(name, _) => value.get(name),
        PathStep::Item(index) => value.get(index),
    })
}

/// That a text does not parse.
#[must_use]
pub fn syntax_message(broken: &SyntaxError) -> Message {
    BROKEN.render(
        args! { "line" => broken.position.line, "why" => broken.message.text, "why_message" => broken.message.to_args() },
    )
}

/// Bytes of a text, and what stands there instead.
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

/// The text with its patches; `None` where two of them overlap.
fn apply_patches(text: &str, mut patches: Vec<TextPatch>) -> Option<String> {
    // Stable: what is put to one place stands in the order in which it was planned.
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
    }
}
