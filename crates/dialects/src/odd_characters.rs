//! Finds characters that look like those of JSON or YAML and are others: curly quotes, full-width signs, special spaces,
//! dashes, raw control characters, and what an unfinished merge leaves behind.
//!
//! What it deliberately does not do: it parses nothing. The readers of JSON and YAML ask it why a text cannot be read, and
//! whether a key or a value is spelled with such a character. Inside quotes and comments these characters are ordinary.

use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, MessageTemplate, args};

use crate::node::{Entry, Node, SyntaxError, ValueKind};

hookwright_model::messages! {
    /// A string that is not closed.
    OPEN_STRING = "syntax" / "json_quote" { "the string that begins here is not closed", "此处开始的字符串没有闭合" } hint { "end it with a double quote on the same line", "在同一行以双引号结束" };
    /// A quotation mark of text where JSON or YAML needs a straight one.
    QUOTE = "syntax" / "odd_quote" { "`{sign}` ({code}) is not a straight quote", "`{sign}`（{code}）不是直引号" } hint { "write `\"` on both sides", "两侧都写 `\"`" };
    /// A sign of an East Asian keyboard.
    FULL_WIDTH = "syntax" / "full_width" { "`{sign}` ({code}) is a full-width character, not `{plain}`", "`{sign}`（{code}）是全角字符，不是 `{plain}`" } hint { "write `{plain}` with the keyboard set to English", "切换到英文输入法，写 `{plain}`" };
    /// A space that is not U+0020.
    BLANK = "syntax" / "odd_blank" { "this is a no-break or other special space ({code}), not an ordinary one", "此处是不换行空格等特殊空格（{code}），不是普通空格" } hint { "replace it with an ordinary space", "换成普通空格" };
    /// A character without width.
    INVISIBLE = "syntax" / "invisible" { "this is an invisible character ({code})", "此处是不可见字符（{code}）" } hint { "remove it, or write the word again", "删除它，或重新输入这个词" };
    /// A dash of texts where a list item, a number or front matter needs a hyphen.
    DASH = "syntax" / "odd_dash" { "`{sign}` ({code}) is a dash, not a hyphen", "`{sign}`（{code}）是破折号，不是连字符" } hint { "write `-` in its place", "换成 `-`" };
    /// A line that git writes into a file whose merge has conflicts.
    MERGE = "syntax" / "merge" { "this is a conflict marker: a merge of this file is not finished", "此处是冲突标记：此文件的合并尚未完成" } hint { "keep one of the two versions, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`", "保留两个版本之一，并删除以 `<<<<<<<`、`=======` 和 `>>>>>>>` 开头的行" };
    /// A tab in a string of JSON.
    TAB = "syntax" / "json_tab" { "a string cannot contain a tab in JSON", "JSON 的字符串不能含有制表符" } hint { "write `\\t`, or a space", "写 `\\t` 或空格" };
    /// A line break in a string of JSON.
    LINE_BREAK = "syntax" / "json_break" { "a string cannot contain a line break in JSON", "JSON 的字符串不能换行" } hint { "write `\\n`, and the string in one line", "写 `\\n`，并把字符串写在一行内" };
    /// Another control character in a string of JSON.
    CONTROL = "syntax" / "json_control" { "a string cannot contain the control character {code} in JSON", "JSON 的字符串不能含有控制字符 {code}" } hint { "remove it, or write it as an escape", "删除它，或写成转义序列" };
    /// A number that JSON does not have.
    NOT_A_NUMBER = "syntax" / "json_not_a_number" { "JSON has no `{word}`", "JSON 没有 `{word}`" } hint { "write a number, or remove the field", "写一个数字，或删除此字段" };
    /// A literal of another language.
    OTHER_LITERAL = "syntax" / "json_literal" { "JSON has no `{word}`", "JSON 没有 `{word}`" } hint { "write `{plain}`", "写 `{plain}`" };
}

/// Literals of Python, JavaScript and others, with those of JSON.
const OTHER_LITERALS: [(&str, &str); 9] = [
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("None", "null"),
    ("NULL", "null"),
    ("Null", "null"),
    ("nil", "null"),
    ("undefined", "null"),
];
const NOT_NUMBERS: [&str; 6] = ["NaN", "nan", "Infinity", "infinity", "Inf", "inf"];
/// What lines of an unfinished merge begin with.
const MERGE_MARKERS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
/// How many lines above a syntax error of YAML its cause may be.
const LINES_ABOVE: usize = 2;

/// What a character stands for that is not of ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookalike {
    Quote,
    Plain(char),
    Blank,
    Invisible,
    Dash,
}

fn lookalike(sign: char) -> Option<Lookalike> {
    Some(match sign {
        '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '‛' | '«' | '»' | '「' | '」' | '『' | '』' | '＂' | '＇' | '″'
        | '′' => Lookalike::Quote,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '－' => Lookalike::Dash,
        '、' => Lookalike::Plain(','),
        '【' | '〔' => Lookalike::Plain('['),
        '】' | '〕' => Lookalike::Plain(']'),
        // The full-width forms of ASCII are in its order.
        '\u{ff01}'..='\u{ff5e}' => Lookalike::Plain(char::from_u32(u32::from(sign) - 0xfee0)?),
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => Lookalike::Invisible,
        '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => Lookalike::Invisible,
        _ if !sign.is_ascii() && sign.is_whitespace() => Lookalike::Blank,
        _ => return None,
    })
}

fn is_odd_blank(sign: char) -> bool {
    matches!(lookalike(sign), Some(Lookalike::Blank | Lookalike::Invisible))
}

fn code_point(sign: char) -> String {
    format!("U+{:04X}", u32::from(sign))
}

fn about(template: &MessageTemplate, sign: char) -> Message {
    let mut given = args! { "code" => code_point(sign) };
    if template.en.contains("{sign}") {
        given.insert("sign".to_owned(), sign.to_string().into());
    }
    template.render(given)
}

/// The message about a character outside of strings; `None` for an ordinary one.
fn message(sign: char) -> Option<Message> {
    Some(match lookalike(sign)? {
        Lookalike::Quote => about(&QUOTE, sign),
        Lookalike::Blank => about(&BLANK, sign),
        Lookalike::Invisible => about(&INVISIBLE, sign),
        Lookalike::Dash => about(&DASH, sign),
        Lookalike::Plain(plain) => FULL_WIDTH.render(args! {
            "sign" => sign.to_string(),
            "code" => code_point(sign),
            "plain" => plain.to_string(),
        }),
    })
}

fn is_merge_marker(line: &str) -> bool {
    let mut markers = MERGE_MARKERS.iter();
    markers.any(|marker| {
        line.strip_prefix(marker)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
    })
}

/// Why a text is not JSON: the first such character outside of strings and comments, or raw in a string, and its byte.
#[must_use]
pub fn explain_json(text: &str) -> Option<(Message, usize)> {
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if is_line_start && is_merge_marker(rest) {
            return Some((MERGE.render_plain(), at));
        }
        at += match sign {
            '"' => match json_string(rest) {
                JsonString::Ends(length) => length,
                JsonString::Open => return None,
                JsonString::Odd(message, inside) => return Some((message, at + inside)),
            },
            // A string in single quotes has a message of its own.
            '\'' => return None,
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if sign.is_ascii_alphabetic() => {
                let word = rest.split(|sign: char| !sign.is_ascii_alphanumeric()).next()?;
                if let Some((_, plain)) = OTHER_LITERALS.iter().find(|(other, _)| *other == word) {
                    return Some((OTHER_LITERAL.render(args! { "word" => word, "plain" => *plain }), at));
                }
                if NOT_NUMBERS.contains(&word) {
                    return Some((NOT_A_NUMBER.render(args! { "word" => word }), at));
                }
                word.len()
            }
            _ => match message(sign) {
                Some(message) => return Some((message, at)),
                None => sign.len_utf8(),
            },
        };
    }
    None
}

/// Why a text is not TOML: the first such character outside of strings and comments, and its byte.
#[must_use]
pub fn explain_toml(text: &str) -> Option<(Message, usize)> {
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
        if is_line_start && is_merge_marker(rest) {
            return Some((MERGE.render_plain(), at));
        }
        at += match sign {
            '"' | '\'' => toml_string(rest, sign)?,
            '#' => rest.find('\n').unwrap_or(rest.len()),
            _ => match message(sign) {
                Some(message) => return Some((message, at)),
                None => sign.len_utf8(),
            },
        };
    }
    None
}

/// The length in bytes of the string of TOML that a text begins with; `None` if it does not end.
fn toml_string(text: &str, quote: char) -> Option<usize> {
    let three = quote.to_string().repeat(3);
    let is_block = text.starts_with(&three);
    let marks = if is_block { three } else { quote.to_string() };
    let mut at = marks.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(&marks) {
            return Some(at + marks.len());
        }
        let sign = rest.chars().next().filter(|sign| is_block || *sign != '\n')?;
        let escaped = rest.chars().nth(1).filter(|_| sign == '\\' && quote == '"');
        at += sign.len_utf8() + escaped.map_or(0, char::len_utf8);
    }
}

/// How a string of JSON goes on behind its first quote.
enum JsonString {
    /// Its length in bytes, with both quotes.
    Ends(usize),
    /// It has no end, and no odd character says why.
    Open,
    Odd(Message, usize),
}

fn json_string(text: &str) -> JsonString {
    let mut odd_quote = None;
    let mut signs = text.char_indices().skip(1);
    let closed_by = |odd: Option<(usize, char)>| match odd {
        Some((at, sign)) => JsonString::Odd(about(&QUOTE, sign), at),
        None => JsonString::Open,
    };
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => {
                signs.next();
            }
            // A quote that only the next string begins with does not end this one.
            '"' if odd_quote.is_some() && !is_followed(&text[at + 1..]) => return closed_by(odd_quote),
            '"' => return JsonString::Ends(at + 1),
            '\n' | '\r' => {
                let ends = end_of_string(&text[at..]);
                return match odd_quote {
                    Some(_) => closed_by(odd_quote),
                    None if ends.is_some_and(|end| is_followed(&text[at + end..])) => {
                        JsonString::Odd(LINE_BREAK.render_plain(), at)
                    }
                    None => JsonString::Odd(OPEN_STRING.render_plain(), 0),
                };
            }
            '\t' => return JsonString::Odd(TAB.render_plain(), at),
            _ if sign < ' ' => return JsonString::Odd(about(&CONTROL, sign), at),
            _ if lookalike(sign) == Some(Lookalike::Quote) && is_followed(&text[at + sign.len_utf8()..]) => {
                odd_quote = odd_quote.or(Some((at, sign)));
            }
            _ => {}
        }
    }
    closed_by(odd_quote)
}

/// Whether what may stand behind a string comes next.
fn is_followed(text: &str) -> bool {
    let next = text.trim_start();
    next.is_empty() || next.starts_with([',', ':', ']', '}'])
}

/// The byte behind the next quote that ends a string.
fn end_of_string(text: &str) -> Option<usize> {
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => {
                signs.next();
            }
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Why a text is not YAML: such a character at the place of the error, in its line, or shortly above it.
#[must_use]
pub fn explain_yaml(text: &str, error: TextPosition) -> Option<SyntaxError> {
    let lines: Vec<&str> = text.lines().collect();
    let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let line = index(error.line);
    let place = |line: usize, column: usize| TextPosition {
        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
        column: u32::try_from(column + 1).unwrap_or(u32::MAX),
    };
    if let Some(marked) = lines.iter().position(|line| is_merge_marker(line)) {
        return Some(SyntaxError {
            message: MERGE.render_plain(),
            position: place(marked, 0),
        });
    }
    let sign_there = lines.get(line).and_then(|line| line.chars().nth(index(error.column)));
    if let Some(message) = sign_there.and_then(message) {
        let position = error;
        return Some(SyntaxError { message, position });
    }
    let structure = structure_lines(&lines);
    let last = line.min(lines.len().saturating_sub(1));
    let near = structure.iter().rev().filter(|index| **index <= last);
    near.take(LINES_ABOVE + 1).find_map(|index| {
        let (message, column) = in_line(lines[*index], *index == last)?;
        let position = place(*index, column);
        Some(SyntaxError { message, position })
    })
}

/// The lines with keys and items: without blank lines, comments and the text of blocks.
fn structure_lines(lines: &[&str]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut block = None;
    for (index, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() || block.is_some_and(|block| indent > block) {
            continue;
        }
        block = None;
        if line.trim_start().starts_with('#') {
            continue;
        }
        out.push(index);
        let head = line
            .trim_end()
            .trim_end_matches(|sign: char| sign.is_ascii_digit() || "+-".contains(sign));
        if head.ends_with(": |") || head.ends_with(": >") || head.ends_with("- |") || head.ends_with("- >") {
            block = Some(indent);
        }
    }
    out
}

/// The odd character of a line with a key or an item, and its column from 0. `has_error` says whether the error is in it.
fn in_line(line: &str, has_error: bool) -> Option<(Message, usize)> {
    let column = |rest: &str| line.chars().count() - rest.chars().count();
    let indent_end = line.trim_start_matches(|sign: char| sign.is_whitespace() || is_odd_blank(sign));
    let indent = &line[..line.len() - indent_end.len()];
    if let Some(odd) = indent.chars().position(is_odd_blank) {
        return Some((message(indent.chars().nth(odd)?)?, odd));
    }
    let mut body = indent_end;
    loop {
        if let Some(found) = structural_start(body) {
            return Some((found.0, column(body) + found.1));
        }
        match body.strip_prefix("- ") {
            Some(rest) => body = rest.trim_start(),
            None => break,
        }
    }
    let (_, value) = body.split_once(": ")?;
    let first = value.trim_start().chars().next()?;
    let opens = matches!(lookalike(first), Some(Lookalike::Quote | Lookalike::Plain('[' | '{')));
    (has_error && opens).then(|| Some((message(first)?, column(value.trim_start()))))?
}

/// The odd character that makes a key or an item of YAML something else: a dash for the hyphen of an item, a full-width
/// colon, a special space behind the hyphen or the colon. With it, its column in the text from 0.
#[must_use]
pub fn structural_start(text: &str) -> Option<(Message, usize)> {
    let mut signs = text.chars();
    let (first, second) = (signs.next()?, signs.next());
    let is_blank = |sign: char| sign.is_whitespace() || is_odd_blank(sign);
    if lookalike(first) == Some(Lookalike::Blank) {
        return Some((message(first)?, 0));
    }
    if lookalike(first) == Some(Lookalike::Dash) && second.is_none_or(is_blank) {
        return Some((about(&DASH, first), 0));
    }
    if let Some(second) = second.filter(|second| first == '-' && is_odd_blank(*second)) {
        return Some((message(second)?, 1));
    }
    let word = text
        .chars()
        .take_while(|sign| sign.is_ascii_alphanumeric() || "_-".contains(*sign))
        .count();
    let behind = &text[word..];
    let spaces = behind.len() - behind.trim_start_matches(' ').len();
    let mut signs = behind[spaces..].chars();
    let (colon, next) = (signs.next()?, signs.next());
    if word == 0 {
        return None;
    }
    match colon {
        '：' | '﹕' => Some((
            FULL_WIDTH.render(args! { "sign" => colon.to_string(), "code" => code_point(colon), "plain" => ":" }),
            word + spaces,
        )),
        ':' => Some((message(next.filter(|next| is_odd_blank(*next))?)?, word + spaces + 1)),
        _ => None,
    }
}

/// The message about a first line of dashes, where front matter begins with hyphens.
#[must_use]
pub fn explain_front_matter(text: &str) -> Option<Message> {
    let line = text.lines().next()?.trim_end();
    let is_dash = |sign: char| sign == '-' || lookalike(sign) == Some(Lookalike::Dash);
    let odd = line.chars().find(|sign| lookalike(*sign).is_some())?;
    (line.chars().all(|sign| is_dash(sign) || is_odd_blank(sign))).then(|| message(odd))?
}

/// Whether a text stands between quotes of texts, which do not quote it.
#[must_use]
pub fn is_in_odd_quotes(text: &str) -> bool {
    let is_quote = |sign: Option<char>| sign.is_some_and(|sign| lookalike(sign) == Some(Lookalike::Quote));
    is_quote(text.chars().next()) && is_quote(text.chars().next_back())
}

/// The full-width bracket that a list or mapping in brackets begins with.
#[must_use]
pub fn odd_bracket(text: &str) -> Option<Message> {
    let first = text.chars().next().filter(|sign| "［｛".contains(*sign))?;
    text.ends_with(['］', '｝']).then(|| message(first))?
}

/// The odd character in a key, which then is another key than the one that it looks like, and its index in the key.
fn in_key(key: &str) -> Option<(Message, usize)> {
    let odd = |(_, sign): &(usize, char)| matches!(lookalike(*sign), Some(Lookalike::Blank | Lookalike::Invisible));
    let quoted = |(at, sign): &(usize, char)| *at == 0 && lookalike(*sign) == Some(Lookalike::Quote);
    let (at, sign) = key.chars().enumerate().find(|place| odd(place) || quoted(place))?;
    Some((message(sign)?, at))
}

/// Keys whose values people read, where every character may be meant.
pub const TEXT_KEYS: [&str; 2] = ["description", "prompt"];

/// The warning about a value with such a character where it is not meant: at an end of it, or between the words of a
/// command.
fn in_value(entry: &Entry) -> Option<SyntaxError> {
    let ValueKind::Scalar { text, .. } = &entry.value.kind else {
        return None;
    };
    if TEXT_KEYS.contains(&entry.key.as_str()) {
        return None;
    }
    let ends = [text.chars().next(), text.chars().next_back()];
    let at_end = ends.into_iter().flatten().find(|sign| is_odd_blank(*sign));
    let sign = at_end.or_else(|| {
        outside_quotes(text)
            .find(|sign| is_odd_blank(*sign))
            .filter(|_| entry.key == "command")
    })?;
    let position = entry.value.position;
    message(sign).map(|message| SyntaxError { message, position })
}

/// The characters of a shell's text that are in no quotes and no comment.
fn outside_quotes(text: &str) -> impl Iterator<Item = char> + '_ {
    let (mut quote, mut before, mut in_comment) = (None, ' ', false);
    text.chars().filter(move |sign| {
        in_comment = *sign != '\n' && (in_comment || quote.is_none() && *sign == '#' && before.is_whitespace());
        let was = quote;
        if !in_comment && before != '\\' {
            match quote {
                Some(open) if open == *sign => quote = None,
                None if ['"', '\''].contains(sign) => quote = Some(*sign),
                _ => {}
            }
        }
        before = *sign;
        was.is_none() && quote.is_none() && !in_comment
    })
}

/// The keys of a tree that contain such a character, and the values where it is not meant, each as a warning. `quote` is the number of characters before the
/// text of a key: 1 where keys are in quotes.
#[must_use]
pub fn warn_about_keys(root: &Node, quote: u32) -> Vec<SyntaxError> {
    let mut out = Vec::new();
    let mut rest = vec![root];
    while let Some(node) = rest.pop() {
        match &node.kind {
            ValueKind::Scalar { .. } => {}
            ValueKind::List(items) => rest.extend(items.iter().map(|item| &**item)),
            ValueKind::Mapping { entries, .. } => {
                for entry in entries {
                    rest.push(&entry.value);
                    out.extend(in_value(entry));
                    let Some((message, at)) = in_key(&entry.key) else {
                        continue;
                    };
                    let column = entry.key_position.column + quote + u32::try_from(at).unwrap_or_default();
                    let position = TextPosition {
                        column,
                        ..entry.key_position
                    };
                    out.push(SyntaxError { message, position });
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn json(text: &str) -> Option<(String, usize)> {
        let (message, at) = explain_json(text)?;
        Some((message.args["case"].as_str().unwrap().to_owned(), at))
    }

    #[test]
    fn what_only_looks_like_toml_is_named_with_its_place() {
        for (text, case, before) in [
            ("a = 1\nb = “x”\n", "odd_quote", "a = 1\nb = "),
            ("a ＝ 1", "full_width", "a "),
            ("a = \"“\" # “\n[［x]]", "full_width", "a = \"“\" # “\n["),
            ("a = '''\n“'\n'''\n\u{a0}b = 1", "odd_blank", "a = '''\n“'\n'''\n"),
            ("a = \"\\\"“\"\n<<<<<<< HEAD\n", "merge", "a = \"\\\"“\"\n"),
        ] {
            let (message, at) = explain_toml(text).unwrap();
            assert_eq!((message.args["case"].as_str().unwrap(), &text[..at]), (case, before));
        }
        for text in ["a = 1", "a = \"“", "a = \"x\n“\""] {
            assert_eq!(explain_toml(text), None, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_json_is_named_with_its_place() {
        for (text, case, at) in [
            ("{“hooks”: 1}", "odd_quote", 1),
            ("{\"hooks”: 1, \"a\": 2}", "odd_quote", 7),
            ("{\"hooks”: 1}", "odd_quote", 7),
            ("{\"a\": ‘x’}", "odd_quote", 6),
            ("{\"a\"： 1}", "full_width", 4),
            ("{\"a\": 1，\"b\": 2}", "full_width", 7),
            ("｛\"a\": 1}", "full_width", 0),
            ("{\"a\":\u{a0}1}", "odd_blank", 5),
            ("{\u{3000}\"a\": 1}", "odd_blank", 1),
            ("{\u{200b}\"a\": 1}", "invisible", 1),
            ("{}\u{feff}", "invisible", 2),
            ("{\"a\": −1}", "odd_dash", 6),
            ("{\n<<<<<<< HEAD\n}", "merge", 2),
            ("{\n>>>>>>> b\n}", "merge", 2),
            ("{\"a\": \"x\ty\"}", "json_tab", 8),
            ("{\"a\": \"x\ny\"}", "json_break", 8),
            ("{\"a\": \"x,\n \"b\": 1}", "json_quote", 6),
            ("{\"a\": \"x\u{1b}\"}", "json_control", 8),
            ("{\"a\": NaN}", "json_not_a_number", 6),
            ("{\"a\": -Infinity}", "json_not_a_number", 7),
            ("{\"a\": True}", "json_literal", 6),
            ("{\"a\": None}", "json_literal", 6),
        ] {
            assert_eq!(json(text), Some((case.to_owned(), at)), "{text}");
        }
    }

    #[test]
    fn in_strings_and_comments_of_json_every_character_is_ordinary() {
        for text in [
            "{\"a\": \"“x”，\u{a0}－\"}",
            "{\"a\": \"\\\"“\"}",
            "{} // “x”\n",
            "{} /* ： */",
            "{\"a\": \"x}",
            "{'a”': 1}",
            "{\"a\": \"<<<<<<< x\"}",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[track_caller]
    fn yaml(text: &str, line: usize) -> Option<(String, u32, u32)> {
        let column = text.lines().nth(line)?.find('，').map_or(1, |_| 11);
        let line = u32::try_from(line + 1).unwrap();
        let error = explain_yaml(text, TextPosition { line, column })?;
        let case = error.message.args["case"].as_str().unwrap().to_owned();
        Some((case, error.position.line, error.position.column))
    }

    #[test]
    fn what_only_looks_like_yaml_is_named_with_its_place() {
        for (text, line, case, at) in [
            ("stop：\n  - command: x\n", 1, "full_width", (1, 5)),
            ("stop:\n  - command：x\n    timeout: 5\n", 2, "full_width", (2, 12)),
            ("stop:\n  - command: x\n  – command: y\n", 2, "odd_dash", (3, 3)),
            ("stop:\n  - command:\u{a0}x\n    timeout: 1\n", 2, "odd_blank", (2, 13)),
            ("stop:\n\u{a0}\u{a0}- command: x\n", 1, "odd_blank", (2, 1)),
            ("stop:\n\u{3000}- command: x\n", 1, "odd_blank", (2, 1)),
            ("<<<<<<< HEAD\nstop:\n", 0, "merge", (1, 1)),
            ("stop: []\n=======\n>>>>>>> b\n", 1, "merge", (2, 1)),
            ("a: {b: 'x'，c: 1}\n", 0, "full_width", (1, 11)),
            ("stop:\n  - command: “a: b”\n", 1, "odd_quote", (2, 14)),
        ] {
            assert_eq!(yaml(text, line), Some((case.to_owned(), at.0, at.1)), "{text}");
        }
    }

    #[test]
    fn texts_and_comments_of_yaml_may_contain_every_character() {
        for (text, line) in [
            ("stop:\n  - prompt: |\n      note：x\n    command: [\n", 3),
            ("# note：x\nstop: [\n", 1),
            ("description: “x”\nstop: [\n", 1),
            ("a: 1\nb: note：x\nc: [\n", 2),
            ("note：x\na: 1\nb: 2\nc: 3\nd: [\n", 4),
        ] {
            assert_eq!(yaml(text, line), None, "{text}");
        }
    }

    #[test]
    fn a_key_with_an_invisible_character_is_another_key() {
        for (key, case, at) in [
            ("command\u{a0}", "odd_blank", 7),
            ("\u{200b}stop", "invisible", 0),
            ("“command”", "odd_quote", 0),
        ] {
            let (message, index) = in_key(key).unwrap();
            assert_eq!((message.args["case"].as_str(), index), (Some(case), at), "{key}");
        }
        assert!(in_key("don’t").is_none() && in_key("说明：x").is_none());
    }
}
