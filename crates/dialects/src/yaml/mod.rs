//! YAML as configuration files use it: 1.2 core schema, one document, anchors and `<<` applied (`engine.md` §9).
//!
//! What it is: a tree of values in which every key and every value knows its place, so that whoever reads a definition
//! out of it can point at the character that is wrong.
//!
//! What it deliberately does not do: it writes nothing, and it judges nothing but syntax. A key given twice is kept
//! beside the first one, because what that costs is the dialect's decision.
//!
//! How it works: the parser's events are composed into [`Node`]s. An alias shares its anchor's node, so that a small
//! file cannot blow up in memory; its weight counts what it would be when written out, and a file whose aliases stand
//! for too much is refused.

mod compose;
mod scalar;
mod syntax_messages;

use std::sync::Arc;

pub use crate::node::{Entry, Node, SyntaxError, ValueKind};
pub(crate) use scalar::resolve;
pub use syntax_messages::ALL;

/// Values that all aliases of one file may stand for. What is written out is bounded by the size of the file.
const MAX_WEIGHT: u32 = 200_000;
/// Levels of nesting.
const MAX_DEPTH: usize = 100;

/// Reads a text. `None` stands for a text without a value: empty, or nothing but comments.
///
/// # Errors
/// The text is no YAML, has several documents, or is nested or aliased beyond measure.
pub fn read(text: &str) -> Result<Option<Arc<Node>>, SyntaxError> {
    compose::compose(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests;
