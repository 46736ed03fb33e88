//! What a line is made of: pieces of text, each with its meaning. Colour is never a part of the text, and everything
//! that is invisible in a text is written out when the line is rendered; so nothing that a hook, a file or an agent says
//! can colour, hide or begin a line of ours.

/// A meaning that has a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// Headlines.
    Strong,
    /// Beside the point.
    Quiet,
    /// Allowed.
    Allow,
    /// Changed.
    Change,
    /// Denied, errors.
    Deny,
    /// Failed; filled where the agent went ahead.
    Fail,
    /// Failed open: the loudest thing on any screen.
    Loud,
}

impl Tint {
    const fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Quiet => "2",
            Self::Allow => "32",
            Self::Change => "35",
            Self::Deny => "31",
            Self::Fail => "33",
            Self::Loud => "1;30;43",
        }
    }

    /// Text with this meaning.
    #[must_use]
    pub fn of(self, text: impl Into<String>) -> Line {
        Line(vec![Piece {
            text: text.into(),
            tint: Some(self),
        }])
    }
}

/// Whether a stream shows colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A terminal that does.
    Colour,
    /// Anything else, or a person who wants none.
    Plain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    text: String,
    tint: Option<Tint>,
}

/// A line in the making.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line(Vec<Piece>);

/// What stands before a line that a text has beyond its first.
const GUTTER: &str = "  │ ";

impl Line {
    /// Adds text, or another line's pieces.
    pub fn push(&mut self, more: impl Into<Self>) {
        self.0.extend(more.into().0);
    }

    /// The same as one line: line feeds are written out.
    #[must_use]
    pub fn flat(mut self) -> Self {
        for piece in &mut self.0 {
            piece.text = one_line(&piece.text);
        }
        self
    }

    /// The same with one meaning for all of it.
    #[must_use]
    pub fn tinted(mut self, tint: Tint) -> Self {
        for piece in &mut self.0 {
            piece.tint = Some(tint);
        }
        self
    }

    /// Columns it takes on a terminal.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.iter().map(|piece| wide(&visible(&piece.text))).sum()
    }

    /// What is written. A text of several lines goes on behind a gutter.
    #[must_use]
    pub fn render(&self, ink: Ink) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            for (index, text) in piece.text.split('\n').enumerate() {
                if index > 0 {
                    out += "\n";
                    out += GUTTER;
                }
                let text = visible(text);
                match piece.tint.filter(|_| ink == Ink::Colour && !text.is_empty()) {
                    Some(tint) => out += &format!("\u{1b}[{}m{text}\u{1b}[0m", tint.code()),
                    None => out += &text,
                }
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Line {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self(vec![Piece { text, tint: None }])
    }
}

/// A line from texts and tinted texts.
#[macro_export]
macro_rules! line {
    ($($piece:expr),* $(,)?) => {{
        let mut line = $crate::ink::Line::default();
        $(line.push($piece);)*
        line
    }};
}

/// A text of several lines as a block: every one of them behind a gutter.
#[must_use]
pub fn block(text: &str) -> Line {
    line![GUTTER, text]
}

/// A row and a problem are one line each, whatever a hook or a file name has in it.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.replace("\r\n", "\\n").replace('\n', "\\n")
}

/// A text of others with everything invisible written out. Line feeds and tabs stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for char in text.chars() {
        if char == '\r' {
            out.push_str("\\r");
        } else if hidden(char) || is_selector(char) && !draws_emoji(before, char) {
            out.extend(char.escape_unicode());
        } else {
            out.push(char);
        }
        before = char;
    }
    out
}

/// Characters that show nothing of themselves, move others about, or look different on every machine.
const fn hidden(char: char) -> bool {
    if char.is_ascii() {
        return char.is_ascii_control() && !matches!(char, '\n' | '\t');
    }
    matches!(char,
        // Control characters, soft hyphen, joiners and fillers.
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}'
        // Zero-width and bidirectional characters, line and paragraph separators.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        // Annotations, invisible notation, tags.
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        // Private use, and what is no character at all.
        | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}'..='\u{ffff}' | '\u{f0000}'..='\u{10ffff}')
}

const fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}')
}

/// `⚠` and what makes it an emoji: the one selector that people write.
const fn draws_emoji(before: char, selector: char) -> bool {
    selector == '\u{fe0f}' && !before.is_ascii() && !hidden(before) && !is_selector(before)
}

/// Columns a text takes on a terminal: wide East Asian characters take two.
fn wide(text: &str) -> usize {
    text.chars()
        .map(|char| match u32::from(char) {
            0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe4f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6 => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invisible_is_written_out() {
        for (text, shown) in [
            (
                "a\u{1b}]0;x\u{7}b\u{202e}c\nd\te",
                "a\\u{1b}]0;x\\u{7}b\\u{202e}c\nd\te",
            ),
            ("a\rb\u{8}c\u{7f}", "a\\rb\\u{8}c\\u{7f}"),
            (
                "\u{200b}\u{2066}\u{ad}\u{feff}\u{2028}",
                "\\u{200b}\\u{2066}\\u{ad}\\u{feff}\\u{2028}",
            ),
            ("\u{f5a0}31\u{f5a1}", "\\u{f5a0}31\\u{f5a1}"),
            ("\u{e0041}\u{100000}\u{9b}", "\\u{e0041}\\u{100000}\\u{9b}"),
            (
                "⚠\u{fe0f} a\u{fe0f} ⚠\u{fe0f}\u{fe0f} 中文é",
                "⚠\u{fe0f} a\\u{fe0f} ⚠\u{fe0f}\\u{fe0f} 中文é",
            ),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    /// Everything in `text` that is printed is there when it is rendered; nothing of it becomes an escape sequence.
    #[test]
    fn a_text_keeps_every_character_whatever_it_holds() {
        let every: String = (1..0x11_0000).filter_map(char::from_u32).collect();
        let words: Vec<String> = every.chars().map(|char| format!("<{char}>")).collect();
        for ink in [Ink::Plain, Ink::Colour] {
            let shown = line![Tint::Strong.of("head"), words.concat()].render(ink);
            assert_eq!(shown.matches('\u{1b}').count(), if ink == Ink::Colour { 2 } else { 0 });
            assert_eq!(
                shown.matches('>').count(),
                words.len() + 1,
                "nothing between two characters is swallowed"
            );
        }
    }

    #[test]
    fn a_text_begins_no_line_of_ours() {
        let shown = line!["says ", "yes\napproved  x", Tint::Allow.of("a\nb")].render(Ink::Colour);
        assert_eq!(
            shown,
            "says yes\n  │ approved  x\u{1b}[32ma\u{1b}[0m\n  │ \u{1b}[32mb\u{1b}[0m"
        );
        assert_eq!(line!["a\r\nb\nc"].flat().render(Ink::Plain), "a\\nb\\nc");
        assert_eq!(block("a\nb").render(Ink::Plain), "  │ a\n  │ b");
    }

    #[test]
    fn a_width_is_what_is_shown() {
        assert_eq!(line!["中\u{200b}"].width(), 2 + "\\u{200b}".len());
    }
}
