//! Finds the first place of a text at which an object stops being JSON, and what was written there.

use std::ops::Range;

/// The first mistake of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What it is.
    pub kind: MistakeKind,
    /// The bytes of the text that it consists of.
    pub range: Range<usize>,
}

/// What JSON does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MistakeKind {
    /// `//`, `/*` or `#` outside of a string.
    Comment,
    /// A comma before `}` or `]`.
    TrailingComma,
    /// A line break inside a string.
    LineBreak,
    /// A tab or another control character inside a string.
    Control,
    /// A quote inside a string without a backslash before it.
    QuoteInside,
    /// A string that does not end.
    QuoteMissing,
    /// A key without quotes.
    Key(String),
    /// A value without quotes that is no number, and not `true`, `false` or `null`.
    Word(String),
    /// `True`, `False` or `None`.
    PythonWord(String),
    /// `'` around a key or a value.
    SingleQuotes,
    /// A typographic quote around a key or a value.
    CurlyQuotes,
    /// No comma between two values.
    CommaMissing,
    /// No colon behind a key.
    ColonMissing,
    /// A backslash before a character that needs none.
    Escape,
    /// Anything else.
    Sign,
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    KeyOrEnd,
    Key,
    Colon,
    ValueOrEnd,
    Value,
    CommaOrEnd,
}

/// Finds the first mistake of the object that begins at `start`. `None` if it is complete, or if the text only ends too
/// early.
#[must_use]
pub fn first_mistake(text: &str, start: usize) -> Option<Mistake> {
    let mut reader = ObjectReader {
        text,
        at: start,
        open: Vec::new(),
        expected: Expected::Value,
        comma: start..start,
        string_end: None,
    };
    loop {
        match reader.step() {
            Step::Continue => {}
            Step::End => return None,
            Step::Mistake(mistake) => return Some(mistake),
        }
    }
}

enum Step {
    Continue,
    End,
    Mistake(Mistake),
}

struct ObjectReader<'t> {
    text: &'t str,
    at: usize,
    /// The closing brackets of what is open.
    open: Vec<char>,
    expected: Expected,
    /// The last comma.
    comma: Range<usize>,
    /// Where the string ends that is directly before `at`, blanks aside.
    string_end: Option<usize>,
}

impl ObjectReader<'_> {
    fn step(&mut self) -> Step {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let rest = &self.text[self.at..];
        let Some(sign) = rest.chars().next() else {
            return Step::End;
        };
        if let Some(length) = comment_length(rest) {
            return self.mistake(MistakeKind::Comment, length);
        }
        let string_end = self.string_end.take();
        match (self.expected, sign) {
            (Expected::Value | Expected::ValueOrEnd, '{') => self.enter('}', Expected::KeyOrEnd),
            (Expected::Value | Expected::ValueOrEnd, '[') => self.enter(']', Expected::ValueOrEnd),
            (Expected::KeyOrEnd | Expected::ValueOrEnd | Expected::CommaOrEnd, '}' | ']')
                if self.open.last() == Some(&sign) =>
            {
                self.leave()
            }
            (Expected::Key | Expected::Value, '}' | ']')
                if self.open.last() == Some(&sign) && self.text[self.comma.end..self.at].trim().is_empty() =>
            {
                Step::Mistake(Mistake {
                    kind: MistakeKind::TrailingComma,
                    range: self.comma.clone(),
                })
            }
            (Expected::Key | Expected::KeyOrEnd | Expected::Value | Expected::ValueOrEnd, '"') => self.string(),
            (Expected::Key | Expected::KeyOrEnd | Expected::Value | Expected::ValueOrEnd, '\'') => {
                self.mistake(MistakeKind::SingleQuotes, 1)
            }
            (_, '“' | '”' | '„' | '‘' | '’') => self.mistake(MistakeKind::CurlyQuotes, sign.len_utf8()),
            (Expected::Key | Expected::KeyOrEnd, _) => match word(rest) {
                "" => self.mistake(MistakeKind::Sign, sign.len_utf8()),
                name => self.mistake(MistakeKind::Key(name.to_owned()), name.len()),
            },
            (Expected::Value | Expected::ValueOrEnd, _) => self.bare_value(rest),
            (Expected::Colon, ':') => self.pass(Expected::Value),
            (Expected::Colon, _) => self.behind_string(string_end, sign, MistakeKind::ColonMissing),
            (Expected::CommaOrEnd, ',') => {
                self.comma = self.at..self.at + 1;
                let in_object = self.open.last() == Some(&'}');
                self.pass(if in_object { Expected::Key } else { Expected::Value })
            }
            (Expected::CommaOrEnd, _) => self.behind_string(string_end, sign, MistakeKind::CommaMissing),
        }
    }

    fn pass(&mut self, then: Expected) -> Step {
        self.at += 1;
        self.expected = then;
        Step::Continue
    }

    fn enter(&mut self, closing: char, then: Expected) -> Step {
        self.open.push(closing);
        self.pass(then)
    }

    fn leave(&mut self) -> Step {
        self.open.pop();
        if self.open.is_empty() {
            return Step::End;
        }
        self.pass(Expected::CommaOrEnd)
    }

    fn mistake(&self, kind: MistakeKind, length: usize) -> Step {
        Step::Mistake(Mistake {
            kind,
            range: self.at..self.at + length,
        })
    }

    /// What comes behind a value although nothing may. Directly behind a string, the quote that seemed to end it stands
    /// inside of it.
    fn behind_string(&self, string_end: Option<usize>, sign: char, otherwise: MistakeKind) -> Step {
        let is_inside = |end: usize| sign.is_alphanumeric() || (end == self.at && sign == '"');
        if let Some(end) = string_end.filter(|end| is_inside(*end)) {
            return Step::Mistake(Mistake {
                kind: MistakeKind::QuoteInside,
                range: end - 1..end,
            });
        }
        let is_missing = sign == '"' || otherwise == MistakeKind::ColonMissing;
        self.mistake(if is_missing { otherwise } else { MistakeKind::Sign }, sign.len_utf8())
    }

    /// A value without quotes: a number, `true`, `false`, `null`, or a mistake.
    fn bare_value(&mut self, rest: &str) -> Step {
        let written = word(rest);
        let is_value = ["true", "false", "null"].contains(&written) || written.parse::<f64>().is_ok_and(f64::is_finite);
        if is_value && !written.is_empty() {
            self.at += written.len() - 1;
            return self.pass(Expected::CommaOrEnd);
        }
        match written {
            "" => self.mistake(MistakeKind::Sign, rest.chars().next().map_or(0, char::len_utf8)),
            "True" | "False" | "None" => self.mistake(MistakeKind::PythonWord(written.to_owned()), written.len()),
            _ => self.mistake(MistakeKind::Word(written.to_owned()), written.len()),
        }
    }

    /// Reads the string that begins here.
    fn string(&mut self) -> Step {
        let start = self.at;
        let mut signs = self.text[start + 1..]
            .char_indices()
            .map(|(at, sign)| (start + 1 + at, sign));
        while let Some((at, sign)) = signs.next() {
            let found = |kind, length| {
                Step::Mistake(Mistake {
                    kind,
                    range: at..at + length,
                })
            };
            match sign {
                '"' => {
                    let is_key = matches!(self.expected, Expected::Key | Expected::KeyOrEnd);
                    self.at = at;
                    self.string_end = Some(at + 1);
                    return self.pass(if is_key { Expected::Colon } else { Expected::CommaOrEnd });
                }
                '\\' => match signs.next() {
                    Some((_, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {}
                    Some((from, 'u')) if is_hex(&self.text[from + 1..]) => {}
                    Some((_, escaped)) => return found(MistakeKind::Escape, 1 + escaped.len_utf8()),
                    None => return Step::End,
                },
                '\n' | '\r' if ends_unclosed(&self.text[at..]) => return self.mistake(MistakeKind::QuoteMissing, 1),
                '\n' | '\r' => return found(MistakeKind::LineBreak, 1),
                '\0'..='\u{1f}' => return found(MistakeKind::Control, 1),
                _ => {}
            }
        }
        // Behind a whole object the quote was forgotten. Otherwise the text ends too early.
        if self.text.trim_end().ends_with(['}', ']']) {
            return self.mistake(MistakeKind::QuoteMissing, 1);
        }
        Step::End
    }
}

/// Whether the object goes on behind this line break, so that the string before it was meant to end.
fn ends_unclosed(rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_key = |rest: &str| {
        let name = rest.split_once('"');
        name.is_some_and(|(_, behind)| behind.trim_start().starts_with(':'))
    };
    rest.starts_with('}') || rest.strip_prefix('"').is_some_and(is_key)
}

fn is_hex(text: &str) -> bool {
    let digits = text.as_bytes().get(..4);
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// The letters, digits and signs of a bare word with which a text begins.
fn word(text: &str) -> &str {
    let is_part = |sign: char| sign.is_alphanumeric() || "_$+-.".contains(sign);
    let end = text.find(|sign| !is_part(sign)).unwrap_or(text.len());
    &text[..end]
}

/// The length of the comment with which a text begins; `None` if it begins with none.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |end| end + 2));
    }
    let is_line = text.starts_with("//") || text.starts_with('#');
    is_line.then(|| text.find('\n').unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(MistakeKind, &str)> {
        first_mistake(text, 0).map(|mistake| (mistake.kind, &text[mistake.range]))
    }

    #[test]
    fn each_mistake_is_found_at_its_place() {
        use MistakeKind::{
            ColonMissing, CommaMissing, Comment, Control, CurlyQuotes, Escape, Key, LineBreak, PythonWord, QuoteInside,
            QuoteMissing, Sign, SingleQuotes, TrailingComma, Word,
        };
        let named = str::to_owned;
        for (text, kind, marked) in [
            ("{\"a\":\"b\", // stop\n \"c\":1}", Comment, "// stop"),
            ("{ /* x */ \"a\":1}", Comment, "/* x */"),
            ("{\n# x\n\"a\":1}", Comment, "# x"),
            (r#"{"a":"b",}"#, TrailingComma, ","),
            (r#"{"a":[1, 2, ] }"#, TrailingComma, ","),
            ("{\"a\":\"first\nsecond\"}", LineBreak, "\n"),
            ("{\"a\":\"first\tsecond\"}", Control, "\t"),
            (r#"{"a":"not "this""}"#, QuoteInside, "\""),
            (r#"{"a":"not "this" one"}"#, QuoteInside, "\""),
            (r#"{"a":""this""}"#, QuoteInside, "\""),
            (r#"{"a":"b}"#, QuoteMissing, "\""),
            ("{\"a\":\"b\n}", QuoteMissing, "\""),
            ("{\"a\":\"b,\n\"c\": 1}", QuoteMissing, "\""),
            ("{decision: block}", Key(named("decision")), "decision"),
            (r#"{"a": block}"#, Word(named("block")), "block"),
            (r#"{"a": True}"#, PythonWord(named("True")), "True"),
            (r#"{"a": 'b'}"#, SingleQuotes, "'"),
            ("{“a”: 1}", CurlyQuotes, "“"),
            (r#"{"a":"b" "c":1}"#, CommaMissing, "\""),
            (r#"{"a":1 "c":1}"#, CommaMissing, "\""),
            (r#"{"a"="b"}"#, ColonMissing, "="),
            (r#"{"a" "b"}"#, ColonMissing, "\""),
            (r#"{"a":"don\'t"}"#, Escape, r"\'"),
            (r#"{"a":"\u12"}"#, Escape, r"\u"),
            (r#"{"a":;}"#, Sign, ";"),
            (r#"{"a":[}"#, Sign, "}"),
        ] {
            assert_eq!(found(text), Some((kind, marked)), "{text}");
        }
    }

    #[test]
    fn what_is_json_or_only_cut_off_has_no_mistake() {
        for text in [
            "{}",
            r#"{"a":{"b":[1,-2.5e3,true,null,{}],"c":"\"\\\u00e9 // #"}} and more"#,
            "{",
            "{\"a\":\"b",
            "{\"a\":\"b\\",
            "{\"a\": [1, ",
            "{\n\"a\"",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
