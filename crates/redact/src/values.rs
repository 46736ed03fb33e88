//! What is assigned to a name in a text, and what is no secret though it is.

use std::ops::Range;

use super::REPLACEMENT;
use super::names::ValueSite;
use super::patterns::run_length;

/// Words that stand for no value, or for its kind.
const NO_VALUES: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "yes",
    "no",
    "string",
    "str",
    "bytes",
    "number",
    "boolean",
    "bool",
    "int",
    "any",
];
/// Names of schemes before a credential.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "digest", "negotiate", "apikey"];
/// Endings of file names.
const FILE_ENDINGS: &[&str] = &[
    "json",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "env",
    "properties",
    "xml",
    "pem",
    "key",
    "crt",
    "cer",
    "pub",
    "p12",
    "pfx",
    "jks",
    "gpg",
    "asc",
    "enc",
    "txt",
    "md",
    "log",
    "csv",
    "db",
    "sqlite",
    "sql",
    "lock",
    "html",
    "css",
    "js",
    "mjs",
    "ts",
    "tsx",
    "jsx",
    "py",
    "rs",
    "go",
    "rb",
    "java",
    "kt",
    "c",
    "h",
    "cpp",
    "cs",
    "php",
    "sh",
    "zip",
    "gz",
    "tar",
];
/// A scheme of a URL and `://` have at most this many bytes.
const MAX_SCHEME_BYTES: usize = 32;
/// Beginnings of members in source code.
const MEMBER_PREFIXES: &[&[u8]] = &[
    b"self.",
    b"this.",
    b"process.env.",
    b"os.environ",
    b"import.meta.",
    b"config.",
    b"settings.",
    b"req.",
    b"request.",
];
/// Letters and digits in a row that are no word of a file's name, from this length on.
const MIN_RANDOM_CHARS: usize = 12;

/// What is assigned.
#[derive(Debug, PartialEq, Eq)]
pub enum AssignedValue {
    /// It is written out.
    Written { value: Range<usize>, quoted: bool },
    /// It comes from elsewhere, and nothing up to here is a value.
    Elsewhere(usize),
    /// Nothing that is a secret.
    Nothing,
}

/// What is assigned at this place.
pub fn assigned_value(text: &str, site: ValueSite) -> AssignedValue {
    let bytes = text.as_bytes();
    if site.is_tag {
        let end = site.at + run_length(bytes, site.at, |byte| !matches!(byte, b'<' | b'\n'));
        return written(bytes, site.at..end, true);
    }
    // Before it is measured: a long one may hold many names.
    if is_url(&bytes[site.at..bytes.len().min(site.at + MAX_SCHEME_BYTES)]) {
        return AssignedValue::Nothing;
    }
    if let Some(value) = quoted(bytes, site) {
        let start = behind_scheme(bytes, value.clone()).unwrap_or(value.start);
        let value = start..value.end;
        return written(bytes, value, true);
    }
    if let Some(start) = behind_scheme(bytes, site.at..bytes.len()) {
        let all = bytes[site.at..]
            .get(..6)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"digest"));
        let end = start
            + if all {
                run_length(bytes, start, |byte| !matches!(byte, b'\n' | b'\r' | b'\''))
            } else {
                word_length(text, start)
            };
        return written(bytes, start..end, false);
    }
    let mut end = site.at + word_length(text, site.at);
    if is_code(bytes, site.at..end, site) {
        return AssignedValue::Elsewhere(end);
    }
    if site.is_assignment_line {
        end = site.at + line_word_length(bytes, site.at);
    }
    while end > site.at && matches!(bytes[end - 1], b'.' | b':' | b',') {
        end -= 1;
    }
    let value = written(bytes, site.at..end, false);
    if value == AssignedValue::Nothing {
        AssignedValue::Elsewhere(end)
    } else {
        value
    }
}

fn written(bytes: &[u8], value: Range<usize>, quoted: bool) -> AssignedValue {
    if is_written(&bytes[value.clone()]) {
        AssignedValue::Written { value, quoted }
    } else {
        AssignedValue::Nothing
    }
}

/// Whether a value of a name is written out: no number, variable, file name or URL, and no word for there being none.
pub fn is_written(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let sign = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    value.iter().any(sign)
        && value != REPLACEMENT.as_bytes()
        && !is_number(value)
        && !NO_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        && !is_url(value)
        && !is_variable(value)
        && !is_file(value)
}

/// What stands between the quotes that open here, escaped or not. In a line of shell a backquote begins a command.
fn quoted(bytes: &[u8], site: ValueSite) -> Option<Range<usize>> {
    /// As Python has it: `b'…'`.
    const PREFIX: usize = 2;
    let at = site.at;
    let letters = run_length(bytes, at, |byte| matches!(byte | 0x20, b'b' | b'r' | b'u' | b'f'));
    let opens = |at: usize| {
        let slashes = run_length(bytes, at, |byte| byte == b'\\').min(16);
        let quote = *bytes.get(at + slashes)?;
        let opens = matches!(quote, b'"' | b'\'') || quote == b'`' && !site.is_assignment_line;
        opens.then_some((slashes, quote))
    };
    let prefix = if letters <= PREFIX { letters } else { 0 };
    let (slashes, quote) = opens(at + prefix)?;
    let start = at + prefix + slashes + 1;
    let mut end = start;
    loop {
        end += memchr::memchr3(quote, b'\n', b'\r', bytes.get(end..)?).unwrap_or(bytes.len() - end);
        if bytes.get(end) != Some(&quote) {
            return Some(start..end);
        }
        let before = bytes[start..end]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        if before == slashes || slashes == 0 && before % 2 == 0 {
            return Some(start..end - before.min(slashes));
        }
        end += 1;
    }
}

/// Where the credential begins behind the name of a scheme.
fn behind_scheme(bytes: &[u8], value: Range<usize>) -> Option<usize> {
    let value = &bytes[value.start..value.end.min(value.start + 64)];
    let name = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let blanks = value[name..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let known = SCHEMES
        .iter()
        .any(|scheme| value[..name].eq_ignore_ascii_case(scheme.as_bytes()));
    let more = value.get(name + blanks).is_some_and(|byte| !byte.is_ascii_whitespace());
    (known && blanks > 0 && more).then(|| value.as_ptr() as usize - bytes.as_ptr() as usize + name + blanks)
}

/// How long the value without quotes is that stands here, in a text of any kind.
fn word_length(text: &str, at: usize) -> usize {
    let stops = |char: char| {
        char.is_whitespace()
            || char.is_control()
            || matches!(
                char,
                '"' | '\'' | '`' | ';' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '\\' | ',' | '#'
            )
            || matches!(
                char,
                '，' | '。'
                    | '；'
                    | '！'
                    | '？'
                    | '、'
                    | '）'
                    | '（'
                    | '】'
                    | '【'
                    | '」'
                    | '「'
                    | '》'
                    | '《'
                    | '：'
                    | '”'
                    | '’'
            )
    };
    // `$(` and `${` begin a variable.
    let rest = &text[at..];
    let opened = if rest.starts_with("${") || rest.starts_with("$(") {
        2
    } else {
        0
    };
    let end = rest[opened..].find(stops).map_or(rest.len(), |end| opened + end);
    end + usize::from(opened > 0 && rest[end..].starts_with('}'))
}

/// How long it is where the line is an assignment: to the next blank, or to the next assignment.
fn line_word_length(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'"' | b'\'' | b'`' | b'\\' => break,
            b'&' | b';' => {
                let name = run_length(bytes, end + 1, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
                });
                let next = bytes.get(end + 1 + name);
                if name > 0 && next == Some(&b'=')
                    || name == 0 && next.is_none_or(|next| next == byte || next.is_ascii_whitespace())
                {
                    break;
                }
            }
            byte if byte.is_ascii_whitespace() => break,
            _ => {}
        }
        end += 1;
    }
    end - at
}

/// Whether this is an expression of source code: a call, a place in a list, a type with parameters, or a member.
fn is_code(bytes: &[u8], value: Range<usize>, site: ValueSite) -> bool {
    let next = bytes.get(value.end);
    let text = &bytes[value];
    // A macro's name, where it is called.
    let text = text.strip_suffix(b"!").filter(|_| next == Some(&b'(')).unwrap_or(text);
    if MEMBER_PREFIXES.iter().any(|of| text.starts_with(of)) {
        return true;
    }
    let path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
    let identifier = text
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && text.iter().all(path);
    identifier
        && !is_random(text)
        && match next {
            Some(b'(') => true,
            Some(b'[' | b'{' | b'<' | b'`') => !site.is_assignment_line && !text.iter().any(u8::is_ascii_digit),
            Some(_) | None => false,
        }
}

/// Whether a value is a number.
pub fn is_number(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'_' | b'+' | b'-' | b'e' | b'E'))
}

/// Whether a value is a URL; a password in it is found by itself.
fn is_url(value: &[u8]) -> bool {
    let scheme = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        .count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}

/// Whether a value is a mere variable, or several of them: `$X`, `${X}`, `$(…)`, `%X%`, `{{ x }}`, `{x}`.
pub fn is_variable(value: &[u8]) -> bool {
    let mut rest = value.trim_ascii();
    if rest.starts_with(b"$(") || rest.starts_with(b"`") {
        return true;
    }
    let name = |bytes: &[u8]| match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => bytes
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count(),
        _ => 0,
    };
    let (mut any, mut bare) = (false, false);
    while let Some(first) = rest.first() {
        let enclosed = |from: usize, close: &[u8]| {
            let end = memchr::memmem::find(&rest[from..], close)?;
            Some(from + end + close.len())
        };
        let length = match first {
            b'$' if rest.starts_with(b"${") => enclosed(2, b"}"),
            b'$' if rest.starts_with(b"$env:") => Some(5 + name(&rest[5..])),
            b'$' if name(&rest[1..]) > 0 && !bare => Some(1 + name(&rest[1..])),
            b'{' if rest.starts_with(b"{{") => enclosed(2, b"}}"),
            b'{' => enclosed(1, b"}"),
            b'%' if name(&rest[1..]) > 0 && rest.get(1 + name(&rest[1..])) == Some(&b'%') => Some(2 + name(&rest[1..])),
            byte if byte.is_ascii_alphanumeric() || !byte.is_ascii() => None,
            b'$' => None,
            _ => {
                (rest, bare) = (&rest[1..], false);
                continue;
            }
        };
        let Some(length) = length else { return false };
        bare = *first == b'$' && !rest.starts_with(b"${");
        (rest, any) = (&rest[length..], true);
    }
    any
}

/// Whether a value is the name of a file or folder.
fn is_file(value: &[u8]) -> bool {
    let part = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'/' | b'\\' | b'.' | b'_' | b'-' | b'~' | b'@' | b' ' | b':')
            || !byte.is_ascii()
    };
    if !value.iter().all(part) || value.split(|byte| !byte.is_ascii_alphanumeric()).any(is_random) {
        return false;
    }
    let rooted = [&b"/"[..], b"./", b"../", b"~/", b"~\\", b".\\"]
        .iter()
        .any(|root| value.starts_with(root));
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let hidden = matches!(value, [b'.', letter, ..] if letter.is_ascii_lowercase());
    let plain = value.contains(&b'/')
        && value
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'/' | b'.' | b'_' | b'-'));
    let ending = value
        .iter()
        .rposition(|byte| *byte == b'.')
        .filter(|dot| *dot > 0)
        .map(|dot| &value[dot + 1..]);
    let ends = ending.is_some_and(|ending| FILE_ENDINGS.iter().any(|known| ending == known.as_bytes()));
    rooted || drive || hidden || plain || ends && !value.contains(&b' ')
}

/// Letters of both cases and digits in a row, as in keys.
fn is_random(run: &[u8]) -> bool {
    run.len() >= MIN_RANDOM_CHARS
        && run.iter().any(u8::is_ascii_digit)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_uppercase)
}
