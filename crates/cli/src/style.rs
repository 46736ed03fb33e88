//! Styled lines for the terminal: spans of text, each with its style. Colour codes are never part of the text, and
//! invisible characters are escaped when the line is rendered. So the text of a hook, a file or an agent cannot colour,
//! hide or start a line of the output.

/// A meaning that is shown as a colour or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    Strong,
    /// Less important text.
    Dim,
    Allow,
    Change,
    /// Denied, and errors.
    Deny,
    /// Failed; also what needs attention. [`Self::FailOpen`] is the case in which the agent continued.
    Fail,
    /// Failed open: the most visible style of all.
    FailOpen,
}

impl TextStyle {
    const fn ansi_code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Allow => "32",
            Self::Change => "35",
            Self::Deny => "31",
            Self::Fail => "33",
            Self::FailOpen => "1;30;43",
        }
    }

    /// A line with this text in this style.
    #[must_use]
    pub fn apply_to(self, text: impl Into<String>) -> StyledLine {
        StyledLine(vec![StyledSpan {
            text: text.into(),
            style: Some(self),
        }])
    }
}

/// Whether a stream shows colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorMode {
    /// A terminal with colours.
    Color,
    /// Any other stream, or the user turned colours off.
    Plain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct StyledSpan {
    text: String,
    style: Option<TextStyle>,
}

/// A line as a list of spans. A span may contain line feeds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledLine(Vec<StyledSpan>);

/// The prefix of every line of a text after its first.
const GUTTER: &str = "  │ ";

impl StyledLine {
    /// Adds text, or the spans of another line.
    pub fn push(&mut self, more: impl Into<Self>) {
        self.0.extend(more.into().0);
    }

    /// The same text on one line: line feeds are escaped.
    #[must_use]
    pub fn single_line(mut self) -> Self {
        for piece in &mut self.0 {
            piece.text = escape_newlines(&piece.text);
        }
        self
    }

    /// The same text in one style.
    #[must_use]
    pub fn with_style(mut self, style: TextStyle) -> Self {
        for piece in &mut self.0 {
            piece.style = Some(style);
        }
        self
    }

    /// The number of terminal columns that the line takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0
            .iter()
            .map(|piece| display_width(&escape_invisible(&piece.text)))
            .sum()
    }

    /// The text to write. Further lines of a text are written after a gutter.
    #[must_use]
    pub fn render(&self, color_mode: ColorMode) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            for (index, text) in piece.text.split('\n').enumerate() {
                if index > 0 {
                    out += "\n";
                    out += GUTTER;
                }
                let text = escape_invisible(text);
                match piece
                    .style
                    .filter(|_| color_mode == ColorMode::Color && !text.is_empty())
                {
                    Some(style) => out += &format!("\u{1b}[{}m{text}\u{1b}[0m", style.ansi_code()),
                    None => out += &text,
                }
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }
}

impl From<&str> for StyledLine {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for StyledLine {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<String> for StyledLine {
    fn from(text: String) -> Self {
        Self(vec![StyledSpan { text, style: None }])
    }
}

/// Builds a line from texts and styled texts.
#[macro_export]
macro_rules! line {
    ($($piece:expr),* $(,)?) => {{
        let mut line = $crate::style::StyledLine::default();
        $(line.push($piece);)*
        line
    }};
}

/// A text of several lines as a block, with a gutter before each line.
#[must_use]
pub fn indented_block(text: &str) -> StyledLine {
    line![GUTTER, text]
}

/// Escapes line feeds. A table row or a problem is one line, even if the name of a hook or a file contains line feeds.
#[must_use]
pub fn escape_newlines(text: &str) -> String {
    text.replace("\r\n", "\\n").replace('\n', "\\n")
}

/// Escapes the invisible characters of a text that is not Hookwright's. Line feeds and tabs are not changed.
#[must_use]
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for char in text.chars() {
        if char == '\r' {
            out.push_str("\\r");
        } else if is_invisible(char) || is_selector(char) && !draws_emoji(before, char) {
            out.extend(char.escape_unicode());
        } else {
            out.push(char);
        }
        before = char;
    }
    out
}

/// Characters that are invisible, move other characters, or differ from machine to machine.
const fn is_invisible(char: char) -> bool {
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
        // Private use, and code points that are not characters.
        | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}'..='\u{ffff}' | '\u{f0000}'..='\u{10ffff}')
}

const fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}')
}

/// Whether this selector draws the character before it as an emoji, such as `⚠` with U+FE0F. It is the only selector in
/// common use.
const fn draws_emoji(before: char, selector: char) -> bool {
    selector == '\u{fe0f}' && !before.is_ascii() && !is_invisible(before) && !is_selector(before)
}

/// The number of terminal columns that a text takes. Wide East Asian characters take two.
fn display_width(text: &str) -> usize {
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
    fn invisible_characters_are_escaped() {
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
            assert_eq!(escape_invisible(text), shown);
        }
    }

    /// Every printable character of `text` is in the rendered line, and none becomes part of an escape sequence.
    #[test]
    fn every_character_of_a_text_is_shown() {
        let every: String = (1..0x11_0000).filter_map(char::from_u32).collect();
        let marked: Vec<String> = every.chars().map(|char| format!("<{char}>")).collect();
        for color_mode in [ColorMode::Plain, ColorMode::Color] {
            let shown = line![TextStyle::Strong.apply_to("head"), marked.concat()].render(color_mode);
            assert_eq!(
                shown.matches('\u{1b}').count(),
                if color_mode == ColorMode::Color { 2 } else { 0 }
            );
            assert_eq!(
                shown.matches('>').count(),
                marked.len() + 1,
                "nothing between two characters is swallowed"
            );
        }
    }

    #[test]
    fn a_text_cannot_start_a_line_of_the_output() {
        let shown = line!["says ", "yes\napproved  x", TextStyle::Allow.apply_to("a\nb")].render(ColorMode::Color);
        assert_eq!(
            shown,
            "says yes\n  │ approved  x\u{1b}[32ma\u{1b}[0m\n  │ \u{1b}[32mb\u{1b}[0m"
        );
        assert_eq!(line!["a\r\nb\nc"].single_line().render(ColorMode::Plain), "a\\nb\\nc");
        assert_eq!(indented_block("a\nb").render(ColorMode::Plain), "  │ a\n  │ b");
    }

    #[test]
    fn the_width_is_the_width_of_the_shown_text() {
        assert_eq!(line!["中\u{200b}"].width(), 2 + "\\u{200b}".len());
    }
}
