//! A text without its byte-order mark, terminal codes and the zeros of UTF-16, whose positions lead back to the original
//! bytes.

use std::ops::Range;

const BYTE_ORDER_MARK: &str = "\u{feff}";
const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// A text with some of its ranges removed.
#[derive(Debug)]
pub struct CleanText {
    /// What is left.
    pub text: String,
    /// The byte-order mark at the beginning, if there is one.
    pub byte_order_mark: Option<Range<usize>>,
    /// The terminal codes.
    pub codes: Vec<Range<usize>>,
    /// What UTF-16 adds to each character: zeros, and a mark at the beginning. Empty for UTF-8.
    pub utf_16: Vec<Range<usize>>,
}

impl CleanText {
    /// Removes a byte-order mark at the beginning, all terminal codes, and what belongs to UTF-16.
    #[must_use]
    pub fn new(original: &str) -> Self {
        let byte_order_mark = original
            .starts_with(BYTE_ORDER_MARK)
            .then_some(0..BYTE_ORDER_MARK.len());
        let utf_16 = utf_16_parts(original);
        let codes = if utf_16.is_empty() {
            terminal_codes(original)
        } else {
            Vec::new()
        };
        let mut text = String::with_capacity(original.len());
        let mut at = byte_order_mark.as_ref().map_or(0, |mark| mark.end);
        for removed in codes.iter().chain(&utf_16) {
            text.push_str(&original[at..removed.start]);
            at = removed.end;
        }
        text.push_str(&original[at..]);
        Self {
            text,
            byte_order_mark,
            codes,
            utf_16,
        }
    }

    /// The range of the original that a range of the text comes from.
    #[must_use]
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        self.position(range.start, 0)..self.position(range.end, 1)
    }

    /// The original position of a byte. A code directly at the position belongs to what follows it, so with `behind` 1
    /// the position after the byte before is meant.
    fn position(&self, at: usize, behind: usize) -> usize {
        let mut position = at;
        for removed in self.byte_order_mark.iter().chain(&self.codes).chain(&self.utf_16) {
            if removed.start + behind <= position {
                position += removed.len();
            }
        }
        position
    }
}

/// How many characters decide whether a text is UTF-16.
const UTF_16_SAMPLE: usize = 8;

/// The zeros of a text whose every second character is one, and the characters that stand for its mark. Its letters are
/// those of ASCII.
fn utf_16_parts(text: &str) -> Vec<Range<usize>> {
    const MARK: char = char::REPLACEMENT_CHARACTER;
    let letters = text.trim_start_matches(MARK);
    let sample: Vec<bool> = letters.chars().take(UTF_16_SAMPLE).map(|sign| sign == '\0').collect();
    let alternates = sample.windows(2).all(|pair| pair[0] != pair[1]);
    if sample.len() < 4 || !alternates {
        return Vec::new();
    }
    text.char_indices()
        .filter(|(_, sign)| [MARK, '\0'].contains(sign))
        .map(|(at, sign)| at..at + sign.len_utf8())
        .collect()
}

/// The ranges of the terminal codes of a text.
fn terminal_codes(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut codes = Vec::new();
    let mut at = 0;
    while let Some(begin) = bytes[at..].iter().position(|byte| *byte == ESCAPE) {
        let start = at + begin;
        let end = code_end(bytes, start);
        codes.push(start..end);
        at = end;
    }
    codes
}

/// Where the code that begins with the escape character at `start` ends. It is always a character boundary.
fn code_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 1..];
    let length = match rest.first() {
        // `ESC [ 1 ; 31 m`: parameters, then one final byte.
        Some(b'[') => rest[1..]
            .iter()
            .position(|byte| !(0x20..0x40).contains(byte))
            .map(|at| at + 1 + usize::from((0x40..0x7f).contains(&rest[at + 1]))),
        // `ESC ] 0 ; title BEL`
        Some(b']') => rest.iter().position(|byte| *byte == BELL).map(|at| at + 1),
        Some(byte) if byte.is_ascii_graphic() => Some(1),
        Some(_) | None => Some(0),
    };
    start + 1 + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_leads_back_to_the_original_bytes() {
        let original = "\u{feff}\u{1b}[1;31mred\u{1b}[0m {\"a\":\u{1b}]0;t\u{7} 1}";
        let clean = CleanText::new(original);
        assert_eq!(clean.text, "red {\"a\": 1}");
        assert_eq!(clean.codes.len(), 3);
        assert_eq!(&original[clean.original(0..3)], "red");
        assert_eq!(&original[clean.original(4..5)], "{");
        assert_eq!(clean.original(0..clean.text.len()).end, original.len());
    }

    #[test]
    fn the_letters_of_utf_16_are_read() {
        let little: String = "{\"a\": 1}".chars().flat_map(|sign| [sign, '\0']).collect();
        let big: String = "{\"a\": 1}".chars().flat_map(|sign| ['\0', sign]).collect();
        for original in [little.clone(), big, format!("\u{fffd}\u{fffd}{little}")] {
            let clean = CleanText::new(&original);
            assert_eq!((clean.text.as_str(), clean.utf_16.is_empty()), ("{\"a\": 1}", false));
            assert_eq!(&original[clean.original(1..2)], "\"");
        }
        for text in ["", "{\0", "\0\0\0\0\0", "abc\0def\0"] {
            assert!(CleanText::new(text).utf_16.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_code_without_an_end_is_no_reason_to_fail() {
        for text in ["\u{1b}", "\u{1b}[", "\u{1b}[12", "\u{1b}]x", "\u{1b}é", "\u{1b}[é"] {
            let clean = CleanText::new(text);
            assert_eq!(clean.codes.len(), 1, "{text:?}");
            assert!(clean.original(0..clean.text.len()).end <= text.len());
        }
    }
}
