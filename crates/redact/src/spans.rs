//! The parts of a text that are masked.

use std::ops::Range;

use super::REPLACEMENT;

/// One masked part of a text. The positions are in bytes and on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedSpan {
    pub start: usize,
    pub end: usize,
    pub mask: MaskText,
}

/// What replaces a masked part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskText {
    /// [`REPLACEMENT`] as it is.
    Plain,
    /// [`REPLACEMENT`] as a JSON string, in place of a number. The value is how many times its quotes are escaped.
    Quoted(u32),
}

impl MaskedSpan {
    /// A part that is replaced by [`MaskText::Plain`].
    pub fn plain(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            mask: MaskText::Plain,
        }
    }
}

/// Sorts the spans and joins those that overlap. A joined span stays [`MaskText::Quoted`] only if both spans are, and
/// the second ends within the first.
pub fn merge_overlapping(mut spans: Vec<MaskedSpan>) -> Vec<MaskedSpan> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out: Vec<MaskedSpan> = Vec::with_capacity(spans.len());
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start < last.end => {
                if span.end > last.end || span.mask == MaskText::Plain {
                    last.mask = MaskText::Plain;
                }
                last.end = last.end.max(span.end);
            }
            Some(_) | None => out.push(span),
        }
    }
    out
}

/// Returns the text with these parts masked. The spans must be sorted and must not overlap.
pub fn apply(text: &str, spans: &[MaskedSpan]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        out.push_str(&text[at..span.start]);
        match span.mask {
            MaskText::Plain => out.push_str(REPLACEMENT),
            MaskText::Quoted(level) => {
                let quote = format!("{}\"", "\\".repeat((1 << level.min(16)) - 1));
                out.push_str(&quote);
                out.push_str(REPLACEMENT);
                out.push_str(&quote);
            }
        }
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}
