//! Translates Python's regular expressions for Hookwright's regex engine, as far as both read them alike
//! (`engine.md` §9).
//!
//! How it works: the pattern is read once from start to end. Syntax that the two engines read differently is rejected,
//! or written in the syntax of the regex engine if it has an equivalent. Examples of the latter are `$` before a last
//! line break and a literal bracket. If the regex engine does not parse the result, the pattern is invalid. Nothing is
//! compiled here.

mod chars;
mod groups;
mod width;

use hookwright_model::matcher::{Anchor, MAX_PATTERN_BYTES, Pattern};
use hookwright_model::{Message, MessageTemplate, args, render, term};

use width::Width;

hookwright_model::messages! {
    /// The pattern is not a valid regular expression.
    BAD = "bad_pattern" { "`{pattern}` is not a valid regular expression: {detail}", "`{pattern}` 不是有效的正则表达式：{detail}" } hint { "put a backslash before literal characters such as `( [ * +`", "在 `( [ * +` 等字面字符前加反斜杠" };
    /// Text that is written as a file pattern, which is no regular expression.
    BAD_GLOB = "bad_pattern" / "file_pattern" { "`{pattern}` is not a valid regular expression: {detail}", "`{pattern}` 不是有效的正则表达式：{detail}" } hint { "write `.*` for any text: this is a regular expression, not a file pattern", "任意文本写成 `.*`：此处是正则表达式，不是文件通配符" };
    /// A permission rule of an agent, which is no regular expression.
    BAD_RULE = "bad_pattern" / "permission_rule" { "`{pattern}` is not a valid regular expression: {detail}", "`{pattern}` 不是有效的正则表达式：{detail}" } hint { "write `{tool}`: brackets with arguments belong to permission rules", "写成 `{tool}`：带参数的括号只用于权限规则" };
    /// Flags of the whole pattern, where only a group can have flags.
    BAD_FLAGS = "bad_pattern" / "inline_flags" { "`{pattern}` is not a valid regular expression: {detail}", "`{pattern}` 不是有效的正则表达式：{detail}" } hint { "write `{fixed}`", "写成 `{fixed}`" };
    /// Python and other engines read this syntax differently, for example an escape.
    DIALECT = "pattern_dialect" { "{written} means something else in Python than in other engines", "{written} 在 Python 与其他引擎中含义不同" } hint { "avoid it, or write the intended text in full", "避免使用，或明确写出要匹配的内容" };
    /// A repetition count has no lower bound.
    DIALECT_COUNT = "pattern_dialect" / "count" { "{written} means something else in Python than in other engines", "{written} 在 Python 与其他引擎中含义不同" } hint { "write the lower bound: `{fixed}`", "写出下限：`{fixed}`" };
    /// Flags for the whole pattern are not at its start.
    DIALECT_FLAGS = "pattern_dialect" / "flags" { "the flags {written} are not at the start", "标志 {written} 不在开头" } hint { "move them to the very start of the pattern", "移到正则表达式的最前面" };
    /// A class contains a bracket, an operator or an escape that engines read differently.
    DIALECT_CLASS = "pattern_dialect" / "class" { "{written} in square brackets means something else in Python than in other engines", "方括号中的 {written} 在 Python 与其他引擎中含义不同" } hint { "put a backslash before it to match it literally", "若按原样匹配，在它前面加反斜杠" };
    /// A back-reference refers to letters while letter case is ignored.
    DIALECT_CASE = "pattern_dialect" / "case" { "without letter case, {written} means something else in Python than in other engines", "不区分大小写时，{written} 在 Python 与其他引擎中含义不同" } hint { "write `(?-i:{written})` to match exactly this text", "若要求文本完全相同，写成 `(?-i:{written})`" };
    /// A look-behind has no fixed length.
    DIALECT_BEHIND = "pattern_dialect" / "behind" { "{written} in a look-behind has no fixed length, and Python rejects it", "后行断言中的 {written} 长度不固定，Python 会拒绝" } hint { "write the preceding text with a fixed length", "按固定长度写出前面的内容" };
}

/// Reads a Python pattern. A pattern of more than [`MAX_PATTERN_BYTES`] is not read; the result only says that it is
/// too long.
///
/// # Errors
/// `pattern_dialect` if Python and other engines read it differently; `bad_pattern` if its syntax is wrong.
pub fn from_python(source: &str, anchor: Anchor) -> Result<Pattern, Message> {
    if source.len() > MAX_PATTERN_BYTES {
        return Ok(Pattern::too_long(source, anchor));
    }
    let mut translator = Translator {
        chars: source.chars().collect(),
        at: 0,
        out: String::with_capacity(source.len()),
        groups: vec![Group::default()],
        numbers: Vec::new(),
        names: Vec::new(),
        last: LastItem::Nothing,
        last_width: Default::default(),
    };
    translator.translate().map_err(|stop| match stop {
        TranslateError::Dialect(message) => message,
        TranslateError::Bad(detail) => bad_pattern(source, detail),
    })?;
    Pattern::translated(source, &translator.out, anchor).map_err(|detail| bad_pattern(source, &detail))
}

/// Reads a pattern of JavaScript without flags, as far as Python and JavaScript read it alike. Named groups are written
/// as in JavaScript.
///
/// # Errors
/// `pattern_dialect` if engines read it differently; `bad_pattern` if its syntax is wrong.
pub fn from_javascript(source: &str, anchor: Anchor) -> Result<Pattern, Message> {
    for (written, detail) in [
        (
            "(?P",
            term!("a group name that begins with `P`, as only Python writes it"),
        ),
        ("(?i)", term!("flags for the whole pattern")),
        ("(?s)", term!("flags for the whole pattern")),
        ("(?m)", term!("flags for the whole pattern")),
        ("(?x)", term!("flags for the whole pattern")),
    ] {
        if source.contains(written) {
            return Err(bad_pattern(source, detail));
        }
    }
    let named = source.replace("(?<", "(?P<");
    let python = named.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!");
    let mut pattern = from_python(&python, anchor)?;
    source.clone_into(&mut pattern.source);
    Ok(pattern)
}

/// Reads a pattern of Rust's `regex`, which has neither look-around nor back-references.
///
/// # Errors
/// `bad_pattern` if its syntax is wrong.
pub fn from_rust(source: &str, anchor: Anchor) -> Result<Pattern, Message> {
    if source.len() > MAX_PATTERN_BYTES {
        return Ok(Pattern::too_long(source, anchor));
    }
    Pattern::of_rust(source, anchor).map_err(|detail| bad_pattern(source, &detail))
}

/// Whether a text that is no valid pattern is written as a file pattern or as permission rules.
pub(crate) fn looks_like_glob(written: &str) -> bool {
    written.starts_with('*') || written.contains("**") || written.contains("|*") || written.contains(":*")
}

fn bad_pattern(source: &str, detail: &str) -> Message {
    // The message of the regex engine may end with a full stop or a list of hints. Its first line names the error.
    let detail = detail.lines().find(|line| !line.trim().is_empty()).unwrap_or(detail);
    // The position is one in the translated pattern, which the user did not write.
    let without_position = detail.strip_prefix("Parsing error at position ");
    let detail = without_position
        .and_then(|rest| rest.split_once(": "))
        .map_or(detail, |(_, rest)| rest);
    let detail = detail.trim_end_matches('.');
    if let Some(tool) = tool_of_rule(source) {
        return BAD_RULE.render(args! { "pattern" => source, "detail" => detail, "tool" => tool });
    }
    if let Some(fixed) = with_flags_in_group(source) {
        return BAD_FLAGS.render(args! { "pattern" => source, "detail" => detail, "fixed" => fixed });
    }
    let template = if looks_like_glob(source) { BAD_GLOB } else { BAD };
    template.render(args! { "pattern" => source, "detail" => detail })
}

/// The tool of a permission rule such as `Bash(*)`, which no engine reads because of its star.
fn tool_of_rule(source: &str) -> Option<&str> {
    let (tool, rule) = source.strip_suffix(')')?.split_once('(')?;
    let is_name = !tool.is_empty() && tool.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    (is_name && rule.starts_with('*') && !rule.contains(['(', ')'])).then_some(tool)
}

/// The pattern with the flags at its beginning in a group: `(?i:bash)` for `(?i)bash`.
fn with_flags_in_group(source: &str) -> Option<String> {
    let (flags, rest) = source.strip_prefix("(?")?.split_once(')')?;
    let is_known = !flags.is_empty() && flags.chars().all(|flag| "ims".contains(flag));
    (is_known && !rest.is_empty()).then(|| format!("(?{flags}:{rest})"))
}

enum TranslateError {
    Dialect(Message),
    Bad(&'static str),
}

type TranslateResult = Result<(), TranslateError>;

/// The state of an open group.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    verbose: bool,
    multiline: bool,
    /// Letter case is ignored.
    ignores_case: bool,
    in_look_behind: bool,
    /// This group is a look-ahead or a look-behind, which consumes no characters.
    is_look_around: bool,
    /// Index of its opening bracket in the pattern, if this group is a look-behind.
    look_behind_start: Option<usize>,
    /// Number of numbered groups that begin before the outermost look-behind that contains this group.
    groups_before_look_behind: Option<usize>,
    /// The number of the group, if it has one, and the index in the pattern at which its content begins.
    number: Option<(usize, usize)>,
    /// Width of the alternative that is being read.
    width: Width,
    /// Combined width of the alternatives before it.
    other_widths: Option<Width>,
}

/// What is known of a closed numbered group.
#[derive(Debug, Clone, Copy)]
struct GroupInfo {
    width: Width,
    /// Whether the group can match letters.
    has_letters: bool,
}

/// White space that Python skips in verbose mode.
const BLANKS: &str = " \t\n\r\u{b}\u{c}";
/// Four characters that are one letter in Python when letter case is ignored.
const DOTTED_I: &str = "iIİı";

/// What a repetition at this point would repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastItem {
    /// Nothing, or a position between characters.
    Nothing,
    Item,
    /// A look-ahead or look-behind, which consumes no characters.
    LookAround,
    Repeat,
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    /// The open groups from the outside in. The first one is the pattern itself.
    groups: Vec<Group>,
    /// The numbered groups in order; `None` while a group is open.
    numbers: Vec<Option<GroupInfo>>,
    /// The named groups: name and number.
    names: Vec<(String, usize)>,
    last: LastItem,
    /// Width of the last item, and width of its alternative before that item.
    last_width: (Width, Width),
}

impl Translator {
    fn translate(&mut self) -> TranslateResult {
        self.flags_at_start();
        while let Some(character) = self.peek(0) {
            match character {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.open()?,
                ')' => self.close()?,
                '*' => self.repeat(1, (0, usize::MAX))?,
                '+' => self.repeat(1, (1, usize::MAX))?,
                '?' => self.repeat(1, (0, 1))?,
                '{' => self.brace()?,
                // Both characters are literal outside a class.
                ']' | '}' => {
                    self.out.push('\\');
                    self.copy_item(1);
                }
                '|' => self.begin_alternative(),
                '^' => self.copy_chars(1, LastItem::Nothing),
                '$' => self.dollar(),
                '#' if self.group().verbose => {
                    let end = self.chars[self.at..].iter().position(|character| *character == '\n');
                    self.copy_chars(end.map_or(self.chars.len() - self.at, |end| end + 1), self.last);
                }
                blank if self.group().verbose && BLANKS.contains(blank) => self.write(" ", 1, self.last),
                blank if self.group().verbose && blank.is_whitespace() => {
                    // In verbose mode Python skips only ASCII white space. Other white space is literal.
                    self.write(&format!("\\x{{{:X}}}", u32::from(blank)), 1, LastItem::Item);
                    self.add_width(Width::ONE);
                }
                character if self.is_dotted_i(character) => self.write_dotted_i(1),
                _ => self.copy_item(1),
            }
        }
        Ok(())
    }

    /// Copies an item of `count` characters that matches one character of the subject.
    fn copy_item(&mut self, count: usize) {
        self.copy_chars(count, LastItem::Item);
        self.add_width(Width::ONE);
    }

    /// Whether the character is one of [`DOTTED_I`] and letter case is ignored here. Only Python treats these as one
    /// letter.
    fn is_dotted_i(&self, character: char) -> bool {
        self.group().ignores_case && DOTTED_I.contains(character)
    }

    fn write_dotted_i(&mut self, count: usize) {
        self.write(&format!("[{DOTTED_I}]"), count, LastItem::Item);
        self.add_width(Width::ONE);
    }

    /// Adds the width of an item to the alternative that is being read.
    fn add_width(&mut self, width: Width) {
        if let Some(group) = self.groups.last_mut() {
            self.last_width = (width, group.width);
            group.width = group.width.then(width);
        }
    }

    fn begin_alternative(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            let width = std::mem::take(&mut group.width);
            group.other_widths = Some(group.other_widths.map_or(width, |others| others.either(width)));
        }
        self.copy_chars(1, LastItem::Nothing);
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(ahead, character)| self.peek(ahead) == Some(character))
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or_default()
    }

    /// Copies `count` characters unchanged.
    fn copy_chars(&mut self, count: usize, last: LastItem) {
        let end = (self.at + count).min(self.chars.len());
        self.out.extend(&self.chars[self.at..end]);
        self.at = end;
        self.last = last;
    }

    /// Writes `text` for the next `count` characters, which have this meaning in the regex engine.
    fn write(&mut self, text: &str, count: usize, last: LastItem) {
        self.out.push_str(text);
        self.at += count;
        self.last = last;
    }

    fn source_text(&self, count: usize) -> String {
        self.chars[self.at..].iter().take(count).collect()
    }

    fn reject(&self, template: &MessageTemplate, count: usize) -> TranslateResult {
        Err(TranslateError::Dialect(
            template.render(args! { "written" => self.source_text(count) }),
        ))
    }

    /// Reads `(?ims)`, once or more at the start of the pattern, and writes the flags as one group.
    fn flags_at_start(&mut self) {
        let mut all = String::new();
        while let Some((flags, length)) = self.flags() {
            if !flags.chars().all(|flag| "imsx".contains(flag)) {
                break;
            }
            all.extend(flags.chars().filter(|flag| !all.contains(*flag)).collect::<Vec<_>>());
            self.at += length;
        }
        if let Some(group) = self.groups.last_mut() {
            group.verbose = all.contains('x');
            group.ignores_case = all.contains('i');
            group.multiline = all.contains('m');
        }
        if !all.is_empty() {
            self.out.push_str(&format!("(?{all})"));
        }
    }

    /// Returns the letters of `(?letters)` at this point, and the length of the whole in characters.
    fn flags(&self) -> Option<(String, usize)> {
        if !self.starts_with("(?") {
            return None;
        }
        let letters: String = self.chars[self.at + 2..]
            .iter()
            .take_while(|character| character.is_ascii_alphabetic() || **character == '-')
            .collect();
        let length = letters.chars().count() + 3;
        (!letters.is_empty() && self.peek(length - 1) == Some(')')).then_some((letters, length))
    }

    fn dollar(&mut self) {
        if self.group().multiline {
            return self.copy_chars(1, LastItem::Nothing);
        }
        // In Python `$` also matches before a last line break.
        self.out.push_str("(?=\\n?\\z)");
        self.at += 1;
        self.last = LastItem::Nothing;
    }

    /// Reads a repetition (`*`, `+`, `?` or `{m,n}`) of this length, and the `?` or `+` after it. `times` are the
    /// lowest and highest number of repetitions.
    fn repeat(&mut self, length: usize, times: (usize, usize)) -> TranslateResult {
        match self.last {
            LastItem::Nothing => return Err(TranslateError::Bad(term!("no expression before the repetition"))),
            LastItem::Repeat => return Err(TranslateError::Bad(term!("a repetition of a repetition"))),
            LastItem::LookAround => return self.reject(&DIALECT, length),
            LastItem::Item => {}
        }
        if self.group().in_look_behind && length == 1 {
            return self.reject(&DIALECT_BEHIND, 1);
        }
        match self.peek(length) {
            Some('+') => return self.reject(&DIALECT, length + 1),
            Some('?') => self.copy_chars(length + 1, LastItem::Repeat),
            Some(_) | None => self.copy_chars(length, LastItem::Repeat),
        }
        let (one, before) = self.last_width;
        if let Some(group) = self.groups.last_mut() {
            group.width = before.then(one.repeated(times));
        }
        Ok(())
    }

    fn brace(&mut self) -> TranslateResult {
        let inside: String = self.chars[self.at + 1..]
            .iter()
            .take_while(|character| character.is_ascii_digit() || **character == ',')
            .collect();
        let length = inside.len() + 2;
        let (low, high) = inside.split_once(',').unwrap_or((&inside, &inside));
        let is_count = self.peek(length - 1) == Some('}') && !inside.is_empty() && !high.contains(',');
        if !is_count {
            // This is not a count, so the bracket is literal.
            self.out.push('\\');
            self.copy_item(1);
            return Ok(());
        }
        if low.is_empty() {
            let written = self.source_text(length);
            let fixed = format!("{{0,{high}}}");
            return Err(TranslateError::Dialect(
                render!(DIALECT_COUNT, "written" => written, "fixed" => fixed),
            ));
        }
        if self.group().in_look_behind && low != high {
            return self.reject(&DIALECT_BEHIND, length);
        }
        let count = |digits: &str| digits.parse::<u32>().map(|count| count as usize);
        let (low, high) = match (count(low), count(high)) {
            (Ok(low), Ok(high)) if low > high => {
                return Err(TranslateError::Bad(term!(
                    "a repetition whose lower bound is above its upper one"
                )));
            }
            (Ok(low), Ok(high)) => (low, high),
            (Ok(low), Err(_)) if high.is_empty() => (low, usize::MAX),
            (Ok(_) | Err(_), Ok(_) | Err(_)) => {
                return Err(TranslateError::Bad(term!("a repetition count that is too large")));
            }
        };
        self.repeat(length, (low, high))
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
