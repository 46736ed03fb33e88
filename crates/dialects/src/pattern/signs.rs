//! Escapes and classes: the single signs of a pattern, spelled so that they mean what they mean to Python.

use hookwright_model::matcher::{Anchor, Pattern};
use hookwright_model::term;

use super::width::Width;
use super::{DIALECT, DIALECT_CLASS, EYES, Group, Last, Step, Stop, Walk};

/// Blanks to Python beside those of every engine.
const SEPARATORS: &str = r"\x1C-\x1F";
/// What `\w` means to Python: letters, everything with a value as a number, and `_`.
const LETTERS: &str = r"\p{L}\p{N}_";
/// Whether what stands in brackets is for one of those letters.
fn has_an_eye(inside: &str) -> bool {
    let class = Pattern::translated(inside, &format!("(?i)[{inside}]"), Anchor::Whole);
    class.is_ok_and(|class| EYES.chars().any(|sign| class.is_match(&sign.to_string()) == Some(true)))
}

/// Whether the `-` at the end of what stands in brackets wants another sign.
fn ends_in_half_a_range(inside: &str) -> bool {
    inside.ends_with('-') && Pattern::translated(inside, &format!("[{inside}\\d]"), Anchor::Whole).is_err()
}

/// What a class holds beside what is spelled between its brackets.
#[derive(Debug, Default)]
struct Found {
    /// `\w` and `\W` where letter case does not count.
    letters: String,
    /// The rest can hold letters.
    cased: bool,
}

impl Found {
    /// The class with `\w` and `\W` put into it. Without letter case an engine takes U+0345 for the iota it is a form of,
    /// and so for a letter; to Python it is none. So they are asked for with letter case, which changes nothing else, and
    /// beside the rest where that has letters of its own.
    fn beside(&self, class: &str) -> String {
        let (negated, rest) = match class.strip_prefix("[^") {
            Some(rest) => (true, rest),
            None => (false, class.strip_prefix('[').unwrap_or(class)),
        };
        let rest = rest.strip_suffix(']').unwrap_or(rest);
        let letters = &self.letters;
        match (self.cased, negated) {
            (false, true) => format!("(?-i:[^{rest}{letters}])"),
            (false, false) => format!("(?-i:[{rest}{letters}])"),
            (true, true) => format!("(?:(?!(?-i:[{letters}])|[{rest}])(?s:.))"),
            (true, false) => format!("(?:(?-i:[{letters}])|[{rest}])"),
        }
    }
}

/// Where an escape stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// Inside a class in brackets.
    Class,
}

impl Walk {
    pub(super) fn escape(&mut self) -> Step {
        let Some(sign) = self.peek(1) else {
            return Err(Stop::Bad(term!("a backslash at the end")));
        };
        match sign {
            'A' | 'b' | 'B' => {
                if self.peek(2) == Some('{') {
                    return self.differs(&DIALECT, 3);
                }
                self.edge(sign);
            }
            '0' => return self.differs(&DIALECT, 2),
            '1'..='9' => {
                let octal = (1..4).all(|ahead| self.peek(ahead).is_some_and(|digit| ('0'..='7').contains(&digit)));
                if octal {
                    return self.differs(&DIALECT, 4);
                }
                let second = self.peek(2).and_then(|sign| sign.to_digit(10));
                let first = sign.to_digit(10).unwrap_or_default();
                let number = second.map_or(first, |second| first * 10 + second);
                return self.refer(number as usize, second.map_or(2, |_| 3));
            }
            _ => return self.escaped_sign(sign, Place::Outside),
        }
        Ok(())
    }

    /// `\A`, `\b` or `\B`. The edge of a word lies where Python's letters begin and end.
    fn edge(&mut self, sign: char) {
        let letter = self.letter();
        let text = match sign {
            'b' => format!("(?:(?<={letter})(?!{letter})|(?<!{letter})(?={letter}))"),
            // An empty subject has no such place.
            'B' => format!("(?!\\A\\z)(?:(?<={letter})(?={letter})|(?<!{letter})(?!{letter}))"),
            _ => "\\A".to_owned(),
        };
        self.put(&text, 2, Last::Nothing);
    }

    /// `\w`; letter case says nothing here.
    fn letter(&self) -> String {
        if self.group().loose {
            format!("(?-i:[{LETTERS}])")
        } else {
            format!("[{LETTERS}]")
        }
    }

    /// An escape that may stand inside a class too.
    fn escaped_sign(&mut self, sign: char, place: Place) -> Step {
        let hex = match sign {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if hex > 0 {
            if self.peek(2) == Some('{') {
                return self.differs(&DIALECT, 3);
            }
            if !(0..hex).all(|digit| self.peek(2 + digit).is_some_and(|sign| sign.is_ascii_hexdigit())) {
                return Err(Stop::Bad(term!("an escape with too few digits")));
            }
            let number = u32::from_str_radix(&self.written(2 + hex)[2..], 16);
            match number.ok().and_then(char::from_u32) {
                Some(sign) if place == Place::Outside && self.is_eye(sign) => self.eye(2 + hex),
                Some(_) | None => self.one(place, 2 + hex),
            }
            return Ok(());
        }
        if sign.is_ascii_alphabetic() && !"dDsSwWafnrtv".contains(sign) {
            return if "zZhHKGRNpPXOQEe".contains(sign) {
                self.differs(&DIALECT, 2)
            } else {
                Err(Stop::Bad(term!("a backslash before a letter that has no such meaning")))
            };
        }
        if place == Place::Outside && self.is_eye(sign) {
            self.eye(2);
            return Ok(());
        }
        if "<>".contains(sign) || !sign.is_ascii() {
            // These need no backslash: other engines take `\<` for the edge of a word, and pass over blanks.
            self.put(&format!("\\x{{{:X}}}", u32::from(sign)), 2, Last::Item);
            if place == Place::Outside {
                self.grow(Width::ONE);
            }
            return Ok(());
        }
        let spelled = match (sign, place) {
            ('s', Place::Outside) => format!("[\\s{SEPARATORS}]"),
            ('s', Place::Class) => format!("\\s{SEPARATORS}"),
            ('S', Place::Outside | Place::Class) => format!("[^\\s{SEPARATORS}]"),
            ('w', Place::Outside) => self.letter(),
            ('w', Place::Class) => LETTERS.to_owned(),
            ('W', Place::Outside) if self.group().loose => format!("(?-i:[^{LETTERS}])"),
            ('W', Place::Outside | Place::Class) => format!("[^{LETTERS}]"),
            _ => {
                self.one(place, 2);
                return Ok(());
            }
        };
        self.put(&spelled, 2, Last::Item);
        if place == Place::Outside {
            self.grow(Width::ONE);
        }
        Ok(())
    }

    /// Takes an escape over as it is.
    fn one(&mut self, place: Place, count: usize) {
        match place {
            Place::Outside => self.item(count),
            Place::Class => self.take(count, Last::Item),
        }
    }

    pub(super) fn class(&mut self) -> Step {
        let Group { verbose, loose, .. } = self.group();
        let start = self.out.len();
        let mut found = Found::default();
        self.take(1, Last::Item);
        if self.peek(0) == Some('^') {
            self.take(1, Last::Item);
        }
        let inside = self.out.len();
        if self.peek(0) == Some(']') {
            // The first one stands for itself.
            self.out.push('\\');
            self.take(1, Last::Item);
        }
        while let Some(sign) = self.peek(0) {
            match sign {
                ']' => {
                    if loose && found.cased && has_an_eye(&self.out[inside..]) {
                        self.out.push_str(EYES);
                    }
                    self.item(1);
                    if !found.letters.is_empty() {
                        let class = self.out.split_off(start);
                        self.out.push_str(&found.beside(&class));
                    }
                    return Ok(());
                }
                '[' => return self.differs(&DIALECT_CLASS, 1),
                '&' | '~' if self.peek(1) == Some(sign) => return self.differs(&DIALECT_CLASS, 2),
                '-' if self.begins("--") => return self.differs(&DIALECT_CLASS, 2),
                '-' if self.out.len() == inside || self.peek(1) == Some(']') => {
                    // It stands for itself, whatever is put beside it.
                    self.out.push('\\');
                    self.take(1, Last::Item);
                }
                '\\' => match self.peek(1) {
                    Some('b' | '0'..='9') => return self.differs(&DIALECT_CLASS, 2),
                    Some('A' | 'B') => return Err(Stop::Bad(term!("an escape that has no meaning inside brackets"))),
                    Some(escaped) => self.class_escape(escaped, inside, &mut found)?,
                    None => return Err(Stop::Bad(term!("a backslash at the end"))),
                },
                '#' if verbose => return self.differs(&DIALECT_CLASS, 1),
                blank if verbose && blank.is_whitespace() => return self.differs(&DIALECT_CLASS, 1),
                '^' | '&' | '~' => {
                    // So they do where something beside them is taken out.
                    self.out.push('\\');
                    self.take(1, Last::Item);
                }
                sign => {
                    // A range can hold letters too.
                    found.cased |= sign.is_alphabetic() || !sign.is_ascii() || sign == '-';
                    self.take(1, Last::Item);
                }
            }
        }
        Err(Stop::Bad(term!("a class [ that is not closed")))
    }
    /// An escape inside a class that begins there.
    fn class_escape(&mut self, escaped: char, inside: usize, found: &mut Found) -> Step {
        if self.group().loose && "wW".contains(escaped) && !ends_in_half_a_range(&self.out[inside..]) {
            match escaped {
                'w' => found.letters.push_str(LETTERS),
                _ => found.letters.push_str(&format!("[^{LETTERS}]")),
            }
            self.put("", 2, Last::Item);
        } else {
            found.cased |= "xuU".contains(escaped) || !escaped.is_ascii();
            self.escaped_sign(escaped, Place::Class)?;
        }
        let range = self.peek(0) == Some('-') && self.peek(1).is_some_and(|next| next != ']');
        if range && "dDsSwW".contains(escaped) {
            return Err(Stop::Bad(term!("a range that begins with many signs")));
        }
        Ok(())
    }
}
