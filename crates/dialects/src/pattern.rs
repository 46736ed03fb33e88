//! Python's patterns, as far as our engine reads them alike (`engine.md` §9).
//!
//! How it works: the pattern is walked once. What the two engines would read differently is refused, or spelled in our
//! engine's way where it has one (`$` before a last line break, a bracket that stands for itself). What the engine then
//! does not compile is no pattern at all.

use hookwright_model::matcher::{Anchor, Pattern};
use hookwright_model::{Saying, Words, args, term};

hookwright_model::sayings! {
    /// No pattern at all.
    BAD = "bad_pattern" { "`{pattern}` is no pattern: {detail}", "`{pattern}` 不是合法的模式：{detail}" } hint { "signs that stand for themselves, like ( [ * +, need a backslash before them", "要按原样匹配 ( [ * + 等符号时，在前面加反斜杠" };
    /// An escape.
    DIALECT = "pattern_dialect" { "{written} is read differently by Python and by other engines", "{written} 在 Python 与其他引擎中含义不同" } hint { "write it without, or spell out what is meant", "换一种写法，明确写出要匹配的内容" };
    /// A count without its lower bound.
    DIALECT_COUNT = "pattern_dialect" / "count" { "{written} is read differently by Python and by other engines", "{written} 在 Python 与其他引擎中含义不同" } hint { "write the lower bound: `{fixed}`", "写出下限：`{fixed}`" };
    /// Flags that are not at the start.
    DIALECT_FLAGS = "pattern_dialect" / "flags" { "the flags {written} do not stand at the start", "标志 {written} 不在开头" } hint { "put them at the very start of the pattern", "把它们放到模式的最前面" };
    /// A bracket or operator inside a class.
    DIALECT_CLASS = "pattern_dialect" / "class" { "{written} inside a class in brackets is read differently by Python and by other engines", "方括号中的 {written} 在 Python 与其他引擎中含义不同" } hint { "put a backslash before it if it stands for itself", "若按原样匹配，在它前面加反斜杠" };
    /// A look-behind whose length is not fixed.
    DIALECT_BEHIND = "pattern_dialect" / "behind" { "{written} inside a look-behind has no fixed length, and Python refuses it", "后行断言中的 {written} 长度不固定，Python 会拒绝" } hint { "write what stands before at its full length", "按固定长度写出前面的内容" };
}

/// Compiles a Python pattern.
///
/// # Errors
/// `pattern_dialect`: two engines would read it differently; `bad_pattern`: it does not compile.
pub fn python(source: &str, anchor: Anchor) -> Result<Pattern, Words> {
    let mut walk = Walk {
        signs: source.chars().collect(),
        at: 0,
        out: String::with_capacity(source.len()),
        groups: vec![Group::default()],
        names: Vec::new(),
        last: Last::Nothing,
    };
    walk.all().map_err(|stop| match stop {
        Stop::Dialect(words) => words,
        Stop::Bad(detail) => bad(source, detail),
    })?;
    Pattern::translated(source, &walk.out, anchor).map_err(|detail| bad(source, &detail))
}

fn bad(source: &str, detail: &str) -> Words {
    // The engine's words end with a full stop or a list of hints; the first line says it.
    let detail = detail.lines().find(|line| !line.trim().is_empty()).unwrap_or(detail);
    // Its position is one in its own spelling.
    let told = detail.strip_prefix("Parsing error at position ");
    let detail = told
        .and_then(|rest| rest.split_once(": "))
        .map_or(detail, |(_, rest)| rest);
    BAD.say(args! { "pattern" => source, "detail" => detail.trim_end_matches('.') })
}

enum Stop {
    Dialect(Words),
    Bad(&'static str),
}

type Step = Result<(), Stop>;

/// What holds inside a bracket pair.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    verbose: bool,
    multiline: bool,
    /// Letter case does not count.
    loose: bool,
    behind: bool,
    /// It looks ahead or behind, and takes nothing.
    look: bool,
}

/// Blanks to Python beside those of every engine.
const SEPARATORS: &str = r"\x1C-\x1F";
/// One letter to Python where letter case does not count, with a dot or without one.
const EYES: &str = "iIİı";

/// Whether what stands in brackets is for one of those letters.
fn has_an_eye(inside: &str) -> bool {
    let class = Pattern::translated(inside, &format!("(?i)[{inside}]"), Anchor::Whole);
    class.is_ok_and(|class| EYES.chars().any(|sign| class.is_match(&sign.to_string()) == Some(true)))
}

/// Where an escape stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// Inside a class in brackets.
    Class,
}

/// What a repetition would repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing at all, or a place between signs.
    Nothing,
    Item,
    /// A group that takes nothing.
    Look,
    Repeat,
}

struct Walk {
    signs: Vec<char>,
    at: usize,
    out: String,
    /// The open groups, the pattern itself first.
    groups: Vec<Group>,
    names: Vec<String>,
    last: Last,
}

impl Walk {
    fn all(&mut self) -> Step {
        self.flags_at_start();
        while let Some(sign) = self.peek(0) {
            match sign {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.open()?,
                ')' => self.close()?,
                '*' | '+' | '?' => self.repeat(1)?,
                '{' => self.brace()?,
                // Both stand for themselves outside of brackets.
                ']' | '}' => {
                    self.out.push('\\');
                    self.take(1, Last::Item);
                }
                '|' | '^' => self.take(1, Last::Nothing),
                '$' => self.dollar(),
                '#' if self.group().verbose => {
                    let end = self.signs[self.at..].iter().position(|sign| *sign == '\n');
                    self.take(end.map_or(self.signs.len() - self.at, |end| end + 1), self.last);
                }
                blank if self.group().verbose && blank.is_whitespace() => self.take(1, self.last),
                sign if self.group().loose && EYES.contains(sign) => self.put(&format!("[{EYES}]"), 1, Last::Item),
                _ => self.take(1, Last::Item),
            }
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.signs.get(self.at + ahead).copied()
    }

    fn begins(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, sign)| self.peek(ahead) == Some(sign))
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or_default()
    }

    /// Takes so many signs over as they are.
    fn take(&mut self, count: usize, last: Last) {
        let end = (self.at + count).min(self.signs.len());
        self.out.extend(&self.signs[self.at..end]);
        self.at = end;
        self.last = last;
    }

    /// Writes what so many signs mean in our engine's way.
    fn put(&mut self, text: &str, count: usize, last: Last) {
        self.out.push_str(text);
        self.at += count;
        self.last = last;
    }

    fn written(&self, count: usize) -> String {
        self.signs[self.at..].iter().take(count).collect()
    }

    fn differs(&self, saying: &Saying, count: usize) -> Step {
        Err(Stop::Dialect(saying.say(args! { "written" => self.written(count) })))
    }

    /// `(?ims)` once or more at the very start.
    fn flags_at_start(&mut self) {
        while let Some((flags, length)) = self.flags() {
            if flags.is_empty() || !flags.chars().all(|flag| "imsx".contains(flag)) {
                break;
            }
            if let Some(group) = self.groups.last_mut() {
                group.verbose |= flags.contains('x');
                group.loose |= flags.contains('i');
                group.multiline |= flags.contains('m');
            }
            self.take(length, Last::Nothing);
        }
    }

    /// The letters of `(?letters)` here, and the length of it all.
    fn flags(&self) -> Option<(String, usize)> {
        if !self.begins("(?") {
            return None;
        }
        let letters: String = self.signs[self.at + 2..]
            .iter()
            .take_while(|sign| sign.is_ascii_alphabetic() || **sign == '-')
            .collect();
        let length = letters.chars().count() + 3;
        (!letters.is_empty() && self.peek(length - 1) == Some(')')).then_some((letters, length))
    }

    fn dollar(&mut self) {
        if self.group().multiline {
            return self.take(1, Last::Nothing);
        }
        // Python's end is also the place before a last line break.
        self.out.push_str("(?=\\n?\\z)");
        self.at += 1;
        self.last = Last::Nothing;
    }

    fn open(&mut self) -> Step {
        let inherited = Group {
            look: false,
            ..self.group()
        };
        if !self.begins("(?") {
            self.groups.push(inherited);
            self.take(1, Last::Nothing);
            return Ok(());
        }
        if let Some((letters, length)) = self.flags() {
            let known = letters.chars().all(|flag| "imsx".contains(flag));
            return self.differs(if known { &DIALECT_FLAGS } else { &DIALECT }, length);
        }
        if self.begins("(?#") {
            let end = self.signs[self.at..].iter().position(|sign| *sign == ')');
            let Some(end) = end else {
                return Err(Stop::Bad(term!("a comment (?# that is not closed")));
            };
            // Left out, since what is inside means nothing.
            self.at += end + 1;
            return Ok(());
        }
        for (head, behind) in [
            ("(?:", inherited.behind),
            ("(?=", false),
            ("(?!", false),
            ("(?<=", true),
            ("(?<!", true),
        ] {
            if self.begins(head) {
                let look = head != "(?:";
                self.groups.push(Group {
                    behind,
                    look,
                    ..inherited
                });
                self.take(head.len(), Last::Nothing);
                return Ok(());
            }
        }
        self.open_named(inherited)
    }

    /// `(?P<n>`, `(?P=n)` and `(?i-s:`; anything else is not common.
    fn open_named(&mut self, inherited: Group) -> Step {
        let until = |walk: &Self, sign: char| walk.signs[walk.at..].iter().position(|found| *found == sign);
        if self.begins("(?P<") {
            let Some(end) = until(self, '>') else {
                return Err(Stop::Bad(term!("a group name that is not closed")));
            };
            let name: String = self.signs[self.at + 4..self.at + end].iter().collect();
            if self.names.contains(&name) {
                return Err(Stop::Bad(term!("two groups of one name")));
            }
            self.names.push(name);
            self.groups.push(inherited);
            self.take(end + 1, Last::Nothing);
            return Ok(());
        }
        if self.begins("(?P=") {
            let Some(end) = until(self, ')') else {
                return Err(Stop::Bad(term!("a group name that is not closed")));
            };
            self.take(end + 1, Last::Item);
            return Ok(());
        }
        let letters: String = self.signs[self.at + 2..]
            .iter()
            .take_while(|sign| "imsx-".contains(**sign))
            .collect();
        let length = letters.len() + 3;
        if !letters.is_empty() && self.peek(length - 1) == Some(':') {
            let (on, off) = letters.split_once('-').unwrap_or((letters.as_str(), ""));
            let holds = |flag: char, before: bool| (before || on.contains(flag)) && !off.contains(flag);
            self.groups.push(Group {
                verbose: holds('x', inherited.verbose),
                loose: holds('i', inherited.loose),
                multiline: holds('m', inherited.multiline),
                ..inherited
            });
            self.take(length, Last::Nothing);
            return Ok(());
        }
        self.differs(&DIALECT, 3)
    }

    fn close(&mut self) -> Step {
        if self.groups.len() < 2 {
            return Err(Stop::Bad(term!("a closing bracket without its opening one")));
        }
        let look = self.groups.pop().is_some_and(|group| group.look);
        self.take(1, if look { Last::Look } else { Last::Item });
        Ok(())
    }

    /// `*`, `+`, `?` or `{m,n}` of this length, with what follows it.
    fn repeat(&mut self, length: usize) -> Step {
        match self.last {
            Last::Nothing => return Err(Stop::Bad(term!("nothing stands before the repetition"))),
            Last::Repeat => return Err(Stop::Bad(term!("a repetition of a repetition"))),
            Last::Look => return self.differs(&DIALECT, length),
            Last::Item => {}
        }
        if self.group().behind && length == 1 {
            return self.differs(&DIALECT_BEHIND, 1);
        }
        match self.peek(length) {
            Some('+') => return self.differs(&DIALECT, length + 1),
            Some('?') => self.take(length + 1, Last::Repeat),
            Some(_) | None => self.take(length, Last::Repeat),
        }
        Ok(())
    }

    fn brace(&mut self) -> Step {
        let inside: String = self.signs[self.at + 1..]
            .iter()
            .take_while(|sign| sign.is_ascii_digit() || **sign == ',')
            .collect();
        let length = inside.len() + 2;
        let (low, high) = inside.split_once(',').unwrap_or((&inside, &inside));
        let is_count = self.peek(length - 1) == Some('}') && !inside.is_empty() && !high.contains(',');
        if !is_count {
            // No count: it stands for itself.
            self.out.push('\\');
            self.take(1, Last::Item);
            return Ok(());
        }
        if low.is_empty() {
            let written = self.written(length);
            let fixed = format!("{{0,{high}}}");
            return Err(Stop::Dialect(
                DIALECT_COUNT.say(args! { "written" => written, "fixed" => fixed }),
            ));
        }
        if self.group().behind && low != high {
            return self.differs(&DIALECT_BEHIND, length);
        }
        self.repeat(length)
    }

    fn escape(&mut self) -> Step {
        let Some(sign) = self.peek(1) else {
            return Err(Stop::Bad(term!("a backslash at the end")));
        };
        match sign {
            'A' | 'b' | 'B' => {
                if self.peek(2) == Some('{') {
                    return self.differs(&DIALECT, 3);
                }
                self.take(2, Last::Nothing);
            }
            '0' => return self.differs(&DIALECT, 2),
            '1'..='9' => {
                let octal = (1..4).all(|ahead| self.peek(ahead).is_some_and(|digit| ('0'..='7').contains(&digit)));
                if octal {
                    return self.differs(&DIALECT, 4);
                }
                let digits = self.peek(2).filter(char::is_ascii_digit).map_or(2, |_| 3);
                self.take(digits, Last::Item);
            }
            _ => return self.escaped_sign(sign, Place::Outside),
        }
        Ok(())
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
            self.take(2 + hex, Last::Item);
            return Ok(());
        }
        if sign.is_ascii_alphabetic() && !"dDsSwWafnrtv".contains(sign) {
            return if "zZhHKGRNpPXOQEe".contains(sign) {
                self.differs(&DIALECT, 2)
            } else {
                Err(Stop::Bad(term!("a backslash before a letter that has no such meaning")))
            };
        }
        if "<>".contains(sign) || !sign.is_ascii() {
            // These need no backslash, and other engines take `\<` for the edge of a word.
            self.at += 1;
            self.take(1, Last::Item);
        } else {
            match (sign, place) {
                ('s', Place::Outside) => self.put(&format!("[\\s{SEPARATORS}]"), 2, Last::Item),
                ('s', Place::Class) => self.put(&format!("\\s{SEPARATORS}"), 2, Last::Item),
                ('S', Place::Outside | Place::Class) => self.put(&format!("[^\\s{SEPARATORS}]"), 2, Last::Item),
                _ => self.take(2, Last::Item),
            }
        }
        Ok(())
    }

    fn class(&mut self) -> Step {
        let verbose = self.group().verbose;
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
                    if self.group().loose && has_an_eye(&self.out[inside..]) {
                        self.out.push_str(EYES);
                    }
                    self.take(1, Last::Item);
                    return Ok(());
                }
                '[' => return self.differs(&DIALECT_CLASS, 1),
                '&' | '~' if self.peek(1) == Some(sign) => return self.differs(&DIALECT_CLASS, 2),
                '-' if self.begins("--") => return self.differs(&DIALECT_CLASS, 2),
                '\\' => match self.peek(1) {
                    Some('b' | '0'..='9') => return self.differs(&DIALECT_CLASS, 2),
                    Some('A' | 'B') => return Err(Stop::Bad(term!("an escape that has no meaning inside brackets"))),
                    Some(escaped) => self.escaped_sign(escaped, Place::Class)?,
                    None => return Err(Stop::Bad(term!("a backslash at the end"))),
                },
                '#' if verbose => return self.differs(&DIALECT_CLASS, 1),
                blank if verbose && blank.is_whitespace() => return self.differs(&DIALECT_CLASS, 1),
                _ => self.take(1, Last::Item),
            }
        }
        Err(Stop::Bad(term!("a class [ that is not closed")))
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
