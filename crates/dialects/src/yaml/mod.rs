//! YAML of configuration files: 1.2 core schema, one document, anchors and `<<` applied (`engine.md` §9).
//!
//! What it is: a tree of values in which every key and every value has its position. So a problem in a definition can
//! name the character that is wrong.
//!
//! What it deliberately does not do: it writes nothing, and it checks nothing but syntax. A duplicate key is kept in
//! addition to the first one, because the dialect decides what follows from it.
//!
//! How it works: the parser's events are composed into [`Node`]s. An alias shares its anchor's node, so that a small
//! file cannot use much memory. The weight of a node is its number of values with aliases written out. A file whose
//! aliases stand for too many values is refused.

mod changed_values;
mod compose;
mod scalar;
mod syntax_messages;

use std::sync::Arc;

use crate::odd_characters;

pub use crate::node::{Entry, Node, SyntaxError, ValueKind};
pub(crate) use changed_values::{ALL as CHANGED_VALUES, misread_escape, shown};
pub(crate) use scalar::resolve;
pub use syntax_messages::ALL;

/// Limit for the values that all aliases of one file stand for. Written values are limited by the size of the file.
const MAX_WEIGHT: u32 = 200_000;
/// Limit for lists and mappings inside each other.
const MAX_DEPTH: usize = 100;

/// Parses a text. Returns `None` for a text without a value: empty, only comments, or null.
///
/// # Errors
/// The text is not YAML, has several documents, is nested too deeply, or its aliases stand for too many values.
pub fn read(text: &str) -> Result<Option<Arc<Node>>, SyntaxError> {
    read_with_warnings(text).map(|(root, _)| root)
}

/// Parses a text like [`read`]. Also returns the warnings about keys and values that are not what they look like.
///
/// # Errors
/// As for [`read`].
pub fn read_with_warnings(text: &str) -> Result<(Option<Arc<Node>>, Vec<SyntaxError>), SyntaxError> {
    let (root, mut warnings) = compose::compose(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    warnings.extend(root.iter().flat_map(|root| odd_characters::warn_about_keys(root, 0)));
    Ok((root, warnings))
}

#[cfg(test)]
mod tests;
