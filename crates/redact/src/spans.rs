//! Parts of a text that are masked.

use std::ops::Range;

use super::REPLACEMENT;

/// One part, in bytes, on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedSpan {
    pub start: usize,
    pub end: usize,
    pub mask: MaskText,
}

/// What is put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskText {
    /// The replacement.
    Plain,
    /// The replacement as a JSON string, for a number; its quotes escaped this often.
    Quoted(u32),
}

impl MaskedSpan {
    /// A part of a text.
    pub fn plain(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            mask: MaskText::Plain,
        }
    }
}

/// Sorts, and joins what overlaps.
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

/// The text with these parts masked; they are sorted and apart.
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
