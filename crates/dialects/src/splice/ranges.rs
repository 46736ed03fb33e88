//! What belongs to an item or entry in addition to its value: its comments, its comma, its lines.

use std::ops::Range;

use super::tree::{Collection, Doc, Element};

/// The bytes that are removed or moved with an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedRange {
    /// Start of the line of its first own comment, or of its own line.
    pub lead: usize,
    /// End of the comments between the element and its comma, which belong to it. Without a comma, end of the comments
    /// on its line.
    pub tail: usize,
    /// Position of its comma, if it has one.
    pub comma: Option<usize>,
    /// End of its last line with the comment there, and of the deeper comments below it; before the line break.
    pub close: usize,
    /// Whether its lines contain nothing else.
    pub own_lines: bool,
    /// Whether the comments above it belong to it. On its last line there may be nothing else, except for closing
    /// brackets.
    pub own_above: bool,
}

impl OwnedRange {
    /// The byte behind its comma, or behind its own comments if it has no comma.
    pub fn after_comma(&self) -> usize {
        self.comma.map_or(self.tail, |comma| comma + 1)
    }
}

/// Finds what belongs to an element of a list or mapping.
pub(super) fn owned_range(doc: &Doc<'_>, group: &Collection, index: usize) -> OwnedRange {
    let slot = &group.elements[index];
    let floor = match index.checked_sub(1) {
        Some(before) => group.elements[before].end(),
        None => 0,
    };
    if group.flow {
        return flow_range(doc, group, index, floor);
    }
    let column = doc.column(slot.start);
    let is_own = |comment: &Range<usize>| index == 0 || doc.column(comment.start) <= column;
    let begins = doc.begins_line(slot.start);
    OwnedRange {
        lead: if begins {
            doc.comments_above(slot.start, floor, is_own)
        } else {
            doc.line_start(slot.start)
        },
        tail: slot.end(),
        comma: None,
        close: end_with_comments(doc, slot, column, group.elements.get(index + 1)),
        own_lines: begins,
        own_above: begins,
    }
}

fn flow_range(doc: &Doc<'_>, group: &Collection, index: usize, floor: usize) -> OwnedRange {
    let slot = &group.elements[index];
    let last = index + 1 == group.elements.len();
    let end = slot.end();
    let next = doc.skip_blanks(end);
    let comma = doc.text[next..].starts_with(',').then_some(next);
    let tail = match comma {
        Some(comma) => end + doc.text[end..comma].trim_end().len(),
        None => doc.comments_end(end),
    };
    let close = doc.comments_end(comma.map_or(end, |comma| comma + 1));
    let begins = doc.begins_line(slot.start);
    let ends = close == doc.line_end(close) || doc.text[close..doc.line_end(close)].trim().is_empty();
    OwnedRange {
        lead: if begins {
            doc.comments_above(slot.start, floor, |_| true)
        } else {
            doc.line_start(slot.start)
        },
        tail,
        comma,
        close: if ends { doc.line_end(close) } else { close },
        own_lines: begins && ends,
        own_above: begins && (ends || last),
    }
}

/// The end of an element's lines. Comments below it that are indented deeper belong to it.
fn end_with_comments(doc: &Doc<'_>, slot: &Element, column: usize, next: Option<&Element>) -> usize {
    let mut close = doc.line_end(slot.end());
    let mut index = doc.comments.partition_point(|comment| comment.start < close);
    while let Some(comment) = doc.comments.get(index) {
        let before_next = next.is_none_or(|next| comment.start < next.start);
        let only_blanks = doc.text[close..comment.start].trim().is_empty();
        if !before_next || !only_blanks || doc.column(comment.start) <= column {
            break;
        }
        close = doc.line_end(comment.end);
        index += 1;
    }
    close
}

impl Doc<'_> {
    /// Whole lines from the start of one to the end of another, with the line break that must be removed with them.
    pub fn whole_lines(&self, lead: usize, close: usize) -> Range<usize> {
        if close < self.text.len() || lead == 0 {
            return lead..self.next_line(close);
        }
        // The last line has no line break of its own, so the one before it is included.
        let before = self.text[..lead].strip_suffix('\n').unwrap_or(&self.text[..lead]);
        before.strip_suffix('\r').unwrap_or(before).len()..close
    }

    /// Whether there is a blank line between two line ends.
    pub fn has_blank_line_between(&self, from: usize, to: usize) -> bool {
        let between = self.text.get(from..to).unwrap_or_default();
        let lines: Vec<&str> = between.split('\n').collect();
        let whole = lines.len().saturating_sub(1);
        lines.iter().take(whole).skip(1).any(|line| line.trim().is_empty())
    }
}
