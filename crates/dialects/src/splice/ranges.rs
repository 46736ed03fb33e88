//! What belongs to an item or entry beside itself: its comments, its comma, its lines.

use std::ops::Range;

use super::tree::{Collection, Doc, Element};

/// The bytes that go where an item or entry goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedRange {
    /// Begin of the line of its first own comment, or of its own line.
    pub lead: usize,
    /// Behind the comments between it and its comma, which are its own; of the last part those in its line.
    pub tail: usize,
    /// Its comma, when it has one.
    pub comma: Option<usize>,
    /// Behind its last line's comment, and the deeper comments below it; before the line break.
    pub close: usize,
    /// Whether its lines are its own: nothing else stands in them.
    pub own_lines: bool,
    /// Whether the comments above it go with it: only brackets may stand in its last line beside it.
    pub own_above: bool,
}

impl OwnedRange {
    /// Behind its comma; behind its own comments when it has none.
    pub fn after_comma(&self) -> usize {
        self.comma.map_or(self.tail, |comma| comma + 1)
    }
}

/// What belongs to a part of a list or mapping.
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

/// The end of a part's lines: comments below it that stand deeper than it are its own.
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
    /// Whole lines from the begin of one to the end of another, with the line break that goes with them.
    pub fn whole_lines(&self, lead: usize, close: usize) -> Range<usize> {
        if close < self.text.len() || lead == 0 {
            return lead..self.next_line(close);
        }
        // The last line has no break of its own: the one before it goes.
        let before = self.text[..lead].strip_suffix('\n').unwrap_or(&self.text[..lead]);
        before.strip_suffix('\r').unwrap_or(before).len()..close
    }

    /// Whether an empty line stands somewhere between two line ends.
    pub fn has_blank_line_between(&self, from: usize, to: usize) -> bool {
        let between = self.text.get(from..to).unwrap_or_default();
        let lines: Vec<&str> = between.split('\n').collect();
        let whole = lines.len().saturating_sub(1);
        lines.iter().take(whole).skip(1).any(|line| line.trim().is_empty())
    }
}
