//! Writes strings as YAML: plain, in quotes, or as a block.

use super::style::Style;
use super::tree::Quote;

/// Where a string is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteContext {
    /// Alone behind a colon or dash.
    Line,
    /// In brackets, where commas and brackets end it. Keys are written like this too.
    Brackets,
}

/// Writes a string on one line. The styles in `quotes` are tried in order; double quotes can contain any string.
pub(super) fn quoted(text: &str, quotes: (Quote, Quote), context: QuoteContext) -> String {
    for quote in [quotes.0, quotes.1] {
        match quote {
            Quote::Plain if is_plain_safe(text, context) => return text.to_owned(),
            Quote::Single if fits_single_quotes(text) => return format!("'{}'", text.replace('\'', "''")),
            Quote::Double => return double_quoted(text),
            Quote::Plain | Quote::Single => {}
        }
    }
    double_quoted(text)
}

/// Writes a string of several lines as a block, if the block means exactly this string. Any other string is written on
/// one line. `column` is the indentation of the block's lines.
pub(super) fn block_or_quoted(style: &Style, text: &str, column: usize) -> String {
    match block(style.eol, text, column, style.unit.len()) {
        Some(block) => block,
        None => quoted(text, style.quotes, QuoteContext::Line),
    }
}

/// Writes a string as a block behind `|`. Returns `None` for a string of one line, or if a block cannot represent it
/// exactly. `deeper` is the number of columns from its parent to its lines.
pub(super) fn block(eol: &str, text: &str, column: usize, deeper: usize) -> Option<String> {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let odd = |character: char| {
        (character.is_control() && character != '\n' && character != '\t') || is_other_line_break(character)
    };
    if !text.contains('\n') || lines.is_empty() || lines.ends_with('\n') || text.contains(odd) {
        return None;
    }
    let chomp = if lines.len() == text.len() { "-" } else { "" };
    let first = lines.split('\n').find(|line| !line.is_empty())?;
    // A first line that begins with a space would set a wrong indentation, so it is written as a number. A last line of
    // spaces would be cut off.
    let indicator = if first.starts_with([' ', '\t']) || lines.starts_with('\n') {
        if !(1..=9).contains(&deeper) {
            return None;
        }
        deeper.to_string()
    } else {
        String::new()
    };
    if lines.split('\n').next_back().is_some_and(|line| line.trim().is_empty()) {
        return None;
    }
    let mut out = format!("|{indicator}{chomp}");
    for line in lines.split('\n') {
        out += eol;
        if !line.is_empty() {
            out += &" ".repeat(column);
            out += line;
        }
    }
    Some(out)
}

/// Characters that some readers treat as a line break, or ignore.
fn is_other_line_break(character: char) -> bool {
    matches!(
        character,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

fn is_unprintable(character: char) -> bool {
    character.is_control() || is_other_line_break(character)
}

/// Whether a string can be written without quotes, so that every reader, of YAML 1.1 too, reads this string.
fn is_plain_safe(text: &str, context: QuoteContext) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let second = text.chars().nth(1);
    let begins = match first {
        '-' | '?' | ':' => second.is_some_and(|character| character != ' ' && character != '-'),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | '=' | '<' => {
            false
        }
        '.' => second.is_some_and(|character| character.is_alphabetic() || character == '/'),
        character => !character.is_whitespace(),
    };
    let ends = !text.ends_with(|character: char| character.is_whitespace() || character == ':');
    let inside = !text.contains(": ") && !text.contains(" #") && !text.contains(is_unprintable);
    let brackets = context == QuoteContext::Line || !text.contains([',', '[', ']', '{', '}', ':', '?']);
    begins && ends && inside && brackets && !has_other_type(text)
}

fn has_other_type(text: &str) -> bool {
    const WORDS: [&str; 11] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", ".nan"];
    let lower = text.to_lowercase();
    if WORDS.contains(&lower.as_str()) || lower.trim_start_matches(['+', '-']) == ".inf" {
        return true;
    }
    // Numbers, dates and times, and the bases and underscores of older readers.
    let digits = text.trim_start_matches(['+', '-', '.']);
    digits.starts_with(|character: char| character.is_ascii_digit())
        && text
            .chars()
            .all(|character| character.is_ascii_hexdigit() || "+-._:xoTtZz ".contains(character))
}

fn fits_single_quotes(text: &str) -> bool {
    !text.contains(is_unprintable)
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            character if is_unprintable(character) && u32::from(character) <= 0xff => {
                out += &format!("\\x{:02x}", u32::from(character))
            }
            character if is_unprintable(character) => out += &format!("\\u{:04x}", u32::from(character)),
            character => out.push(character),
        }
    }
    out.push('"');
    out
}
