//! Translates escapes and classes: the parts of a pattern that match one character. The result has the meaning that
//! Python gives them.

use hookwright_model::matcher::{Anchor, Pattern};
use hookwright_model::term;

use super::width::Width;
use super::{DIALECT, DIALECT_CLASS, DOTTED_I, Group, LastItem, TranslateError, TranslateResult, Translator};

/// White space in Python in addition to that of every engine.
const SEPARATORS: &str = r"\x1C-\x1F";
/// What `\w` matches in Python: letters, all characters with a numeric value, and `_`.
const WORD_CHARS: &str = r"\p{L}\p{N}_";
/// Whether the content of a class matches one of the letters [`DOTTED_I`] when letter case is ignored.
fn contains_dotted_i(inside: &str) -> bool {
    let class = Pattern::translated(inside, &format!("(?i)[{inside}]"), Anchor::Whole);
    class.is_ok_and(|class| {
        DOTTED_I
            .chars()
            .any(|character| class.is_match(&character.to_string()) == Some(true))
    })
}

/// Whether the content of a class ends with a `-` that needs another character to complete a range.
fn ends_with_open_range(inside: &str) -> bool {
    inside.ends_with('-') && Pattern::translated(inside, &format!("[{inside}\\d]"), Anchor::Whole).is_err()
}

/// Facts about a class that are needed when its end is reached.
#[derive(Debug, Default)]
struct ClassContents {
    /// The expansion of `\w` and `\W` in a class where letter case is ignored.
    word_classes: String,
    /// Whether the rest of the class can contain letters.
    has_letters: bool,
}

impl ClassContents {
    /// Returns the class with `\w` and `\W` added.
    ///
    /// When letter case is ignored, the regex engine treats U+0345 as a form of iota, and so as a letter. Python does
    /// not. So `\w` and `\W` are matched with letter case, which changes nothing else. If the rest of the class has
    /// letters, it becomes a separate alternative.
    fn complete_class(&self, class: &str) -> String {
        let (negated, rest) = match class.strip_prefix("[^") {
            Some(rest) => (true, rest),
            None => (false, class.strip_prefix('[').unwrap_or(class)),
        };
        let rest = rest.strip_suffix(']').unwrap_or(rest);
        let letters = &self.word_classes;
        match (self.has_letters, negated) {
            (false, true) => format!("(?-i:[^{rest}{letters}])"),
            (false, false) => format!("(?-i:[{rest}{letters}])"),
            (true, true) => format!("(?:(?!(?-i:[{letters}])|[{rest}])(?s:.))"),
            (true, false) => format!("(?:(?-i:[{letters}])|[{rest}])"),
        }
    }
}

/// Where in the pattern an escape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeContext {
    Outside,
    /// Inside a class.
    Class,
}

impl Translator {
    pub(super) fn escape(&mut self) -> TranslateResult {
        let Some(character) = self.peek(1) else {
            return Err(TranslateError::Bad(term!("a backslash at the end")));
        };
        match character {
            'A' | 'b' | 'B' => {
                if self.peek(2) == Some('{') {
                    return self.reject(&DIALECT, 3);
                }
                self.write_assertion(character);
            }
            '0' => return self.reject(&DIALECT, 2),
            '1'..='9' => {
                let octal = (1..4).all(|ahead| self.peek(ahead).is_some_and(|digit| ('0'..='7').contains(&digit)));
                if octal {
                    return self.reject(&DIALECT, 4);
                }
                let second = self.peek(2).and_then(|character| character.to_digit(10));
                let first = character.to_digit(10).unwrap_or_default();
                let number = second.map_or(first, |second| first * 10 + second);
                return self.copy_reference(number as usize, second.map_or(2, |_| 3));
            }
            _ => return self.write_escape(character, EscapeContext::Outside),
        }
        Ok(())
    }

    /// Writes `\A`, `\b` or `\B`. A word boundary is where the characters of Python's `\w` begin and end.
    fn write_assertion(&mut self, character: char) {
        let letter = self.word_class();
        let text = match character {
            'b' => format!("(?:(?<={letter})(?!{letter})|(?<!{letter})(?={letter}))"),
            // In Python `\B` does not match in an empty subject.
            'B' => format!("(?!\\A\\z)(?:(?<={letter})(?={letter})|(?<!{letter})(?!{letter}))"),
            _ => "\\A".to_owned(),
        };
        self.write(&text, 2, LastItem::Nothing);
    }

    /// Returns the translation of `\w`, always matched with letter case.
    fn word_class(&self) -> String {
        if self.group().ignores_case {
            format!("(?-i:[{WORD_CHARS}])")
        } else {
            format!("[{WORD_CHARS}]")
        }
    }

    /// Writes an escape that is also allowed inside a class.
    fn write_escape(&mut self, character: char, context: EscapeContext) -> TranslateResult {
        let hex = match character {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if hex > 0 {
            if self.peek(2) == Some('{') {
                return self.reject(&DIALECT, 3);
            }
            if !(0..hex).all(|digit| {
                self.peek(2 + digit)
                    .is_some_and(|character| character.is_ascii_hexdigit())
            }) {
                return Err(TranslateError::Bad(term!("an escape with too few digits")));
            }
            let number = u32::from_str_radix(&self.source_text(2 + hex)[2..], 16);
            match number.ok().and_then(char::from_u32) {
                Some(character) if context == EscapeContext::Outside && self.is_dotted_i(character) => {
                    self.write_dotted_i(2 + hex)
                }
                Some(_) | None => self.copy_escape(context, 2 + hex),
            }
            return Ok(());
        }
        if character.is_ascii_alphabetic() && !"dDsSwWafnrtv".contains(character) {
            return if "zZhHKGRNpPXOQEe".contains(character) {
                self.reject(&DIALECT, 2)
            } else {
                Err(TranslateError::Bad(term!(
                    "a backslash before a letter that has no such meaning"
                )))
            };
        }
        if context == EscapeContext::Outside && self.is_dotted_i(character) {
            self.write_dotted_i(2);
            return Ok(());
        }
        if "<>".contains(character) || !character.is_ascii() {
            // Python reads these as literal. Other engines read `\<` as a word boundary, and skip more white space in
            // verbose mode.
            self.write(&format!("\\x{{{:X}}}", u32::from(character)), 2, LastItem::Item);
            if context == EscapeContext::Outside {
                self.add_width(Width::ONE);
            }
            return Ok(());
        }
        let spelled = match (character, context) {
            ('s', EscapeContext::Outside) => format!("[\\s{SEPARATORS}]"),
            ('s', EscapeContext::Class) => format!("\\s{SEPARATORS}"),
            ('S', EscapeContext::Outside | EscapeContext::Class) => format!("[^\\s{SEPARATORS}]"),
            ('w', EscapeContext::Outside) => self.word_class(),
            ('w', EscapeContext::Class) => WORD_CHARS.to_owned(),
            ('W', EscapeContext::Outside) if self.group().ignores_case => format!("(?-i:[^{WORD_CHARS}])"),
            ('W', EscapeContext::Outside | EscapeContext::Class) => format!("[^{WORD_CHARS}]"),
            _ => {
                self.copy_escape(context, 2);
                return Ok(());
            }
        };
        self.write(&spelled, 2, LastItem::Item);
        if context == EscapeContext::Outside {
            self.add_width(Width::ONE);
        }
        Ok(())
    }

    /// Copies an escape of `count` characters unchanged.
    fn copy_escape(&mut self, context: EscapeContext, count: usize) {
        match context {
            EscapeContext::Outside => self.copy_item(count),
            EscapeContext::Class => self.copy_chars(count, LastItem::Item),
        }
    }

    pub(super) fn class(&mut self) -> TranslateResult {
        let Group {
            verbose,
            ignores_case: loose,
            ..
        } = self.group();
        let start = self.out.len();
        let mut contents = ClassContents::default();
        self.copy_chars(1, LastItem::Item);
        if self.peek(0) == Some('^') {
            self.copy_chars(1, LastItem::Item);
        }
        let inside = self.out.len();
        if self.peek(0) == Some(']') {
            // A `]` at the start of a class is literal.
            self.out.push('\\');
            self.copy_chars(1, LastItem::Item);
        }
        while let Some(character) = self.peek(0) {
            match character {
                ']' => {
                    if loose && contents.has_letters && contains_dotted_i(&self.out[inside..]) {
                        self.out.push_str(DOTTED_I);
                    }
                    self.copy_item(1);
                    if !contents.word_classes.is_empty() {
                        let class = self.out.split_off(start);
                        self.out.push_str(&contents.complete_class(&class));
                    }
                    return Ok(());
                }
                '[' => return self.reject(&DIALECT_CLASS, 1),
                '&' | '~' if self.peek(1) == Some(character) => return self.reject(&DIALECT_CLASS, 2),
                '-' if self.starts_with("--") => return self.reject(&DIALECT_CLASS, 2),
                '-' if self.out.len() == inside || self.peek(1) == Some(']') => {
                    // This `-` is literal. The backslash keeps it so, whatever is written next to it.
                    self.out.push('\\');
                    self.copy_chars(1, LastItem::Item);
                }
                '\\' => match self.peek(1) {
                    Some('b' | '0'..='9') => return self.reject(&DIALECT_CLASS, 2),
                    Some('A' | 'B') => {
                        return Err(TranslateError::Bad(term!(
                            "an escape that has no meaning inside brackets"
                        )));
                    }
                    Some(escaped) => self.class_escape(escaped, inside, &mut contents)?,
                    None => return Err(TranslateError::Bad(term!("a backslash at the end"))),
                },
                '#' if verbose => return self.reject(&DIALECT_CLASS, 1),
                blank if verbose && blank.is_whitespace() => return self.reject(&DIALECT_CLASS, 1),
                '^' | '&' | '~' => {
                    // These are literal. The backslash keeps them so when the `\w` next to them is removed.
                    self.out.push('\\');
                    self.copy_chars(1, LastItem::Item);
                }
                character => {
                    // A range can contain letters too.
                    contents.has_letters |= character.is_alphabetic() || !character.is_ascii() || character == '-';
                    self.copy_chars(1, LastItem::Item);
                }
            }
        }
        Err(TranslateError::Bad(term!("a class `[` that is not closed")))
    }
    /// Reads an escape inside a class. `inside` is the index in the output at which the content of the class begins.
    fn class_escape(&mut self, escaped: char, inside: usize, contents: &mut ClassContents) -> TranslateResult {
        if self.group().ignores_case && "wW".contains(escaped) && !ends_with_open_range(&self.out[inside..]) {
            match escaped {
                'w' => contents.word_classes.push_str(WORD_CHARS),
                _ => contents.word_classes.push_str(&format!("[^{WORD_CHARS}]")),
            }
            self.write("", 2, LastItem::Item);
        } else {
            contents.has_letters |= "xuU".contains(escaped) || !escaped.is_ascii();
            self.write_escape(escaped, EscapeContext::Class)?;
        }
        let range = self.peek(0) == Some('-') && self.peek(1).is_some_and(|next| next != ']');
        if range && "dDsSwW".contains(escaped) {
            return Err(TranslateError::Bad(term!("a range that begins with a character class")));
        }
        Ok(())
    }
}
