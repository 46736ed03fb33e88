//! Reads the value that a text assigns to a name, and decides which of these values are not secrets.

use std::ops::Range;

use super::REPLACEMENT;
use super::names::ValueSite;
use super::patterns::run_length;

/// Words that are never a secret: no value, a boolean, or the name of a type.
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
/// Names of authentication schemes, which come before a credential.
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
/// The scheme of a URL and its `://` have at most this many bytes.
const MAX_SCHEME_BYTES: usize = 32;
/// Starts of expressions in source code that read a member.
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
/// From this length on, a run of letters of both cases and digits is not a word of a file name.
const MIN_RANDOM_CHARS: usize = 12;

/// The value that is assigned to a name.
#[derive(Debug, PartialEq, Eq)]
pub enum AssignedValue {
    /// It is written out.
    Written { value: Range<usize>, quoted: bool },
    /// The value is not in the text, for example a variable. No name begins before this position.
    Elsewhere(usize),
    /// The value is missing or is not a secret.
    Nothing,
}

/// Returns the value that is assigned at this position.
pub fn assigned_value(text: &str, site: ValueSite) -> AssignedValue {
    let bytes = text.as_bytes();
    if site.is_tag {
        let end = site.at + run_length(bytes, site.at, |byte| !matches!(byte, b'<' | b'\n'));
        return written(bytes, site.at..end, true);
    }
    // This check comes before the value is measured: a long URL may contain many names, and each would measure it
    // again.
    if is_url(&bytes[site.at..bytes.len().min(site.at + MAX_SCHEME_BYTES)]) {
        return AssignedValue::Nothing;
    }
    if let Some(value) = quoted(bytes, site) {
        let start = after_scheme(bytes, value.clone()).unwrap_or(value.start);
        let value = start..value.end;
        return written(bytes, value, true);
    }
    if let Some(start) = after_scheme(bytes, site.at..bytes.len()) {
        let is_digest = bytes[site.at..]
            .get(..6)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"digest"));
        let end = start
            + if is_digest {
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

/// Whether the value of a name is written out. A number, a variable, a file name, a URL, a word of [`NO_VALUES`] and
/// the replacement are not.
pub fn is_written(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let is_letter_or_digit = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    value.iter().any(is_letter_or_digit)
        && value != REPLACEMENT.as_bytes()
        && !is_number(value)
        && !NO_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        && !is_url(value)
        && !is_variable(value)
        && !is_file(value)
}

/// Returns the text between the quotes that open here; the quotes may be escaped. In an assignment line of a shell a
/// backquote begins a command, so there it is not a quote.
fn quoted(bytes: &[u8], site: ValueSite) -> Option<Range<usize>> {
    /// At most this many letters are before the quote, as in Python's `b'…'`.
    const MAX_PREFIX_LETTERS: usize = 2;
    let at = site.at;
    let letters = run_length(bytes, at, |byte| matches!(byte | 0x20, b'b' | b'r' | b'u' | b'f'));
    let opens = |at: usize| {
        let slashes = run_length(bytes, at, |byte| byte == b'\\').min(16);
        let quote = *bytes.get(at + slashes)?;
        let opens = matches!(quote, b'"' | b'\'') || quote == b'`' && !site.is_assignment_line;
        opens.then_some((slashes, quote))
    };
    let prefix = if letters <= MAX_PREFIX_LETTERS { letters } else { 0 };
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

/// Returns where the credential after the name of an authentication scheme begins.
fn after_scheme(bytes: &[u8], value: Range<usize>) -> Option<usize> {
    let value = &bytes[value.start..value.end.min(value.start + 64)];
    let name = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let spaces = value[name..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let known = SCHEMES
        .iter()
        .any(|scheme| value[..name].eq_ignore_ascii_case(scheme.as_bytes()));
    let has_credential = value.get(name + spaces).is_some_and(|byte| !byte.is_ascii_whitespace());
    (known && spaces > 0 && has_credential).then(|| value.as_ptr() as usize - bytes.as_ptr() as usize + name + spaces)
}

/// Returns the byte length of the unquoted value at this position, in any kind of text.
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
    // The bracket of `$(` or `${` does not end the value.
    let rest = &text[at..];
    let opened = if rest.starts_with("${") || rest.starts_with("$(") {
        2
    } else {
        0
    };
    let end = rest[opened..].find(stops).map_or(rest.len(), |end| opened + end);
    end + usize::from(opened > 0 && rest[end..].starts_with('}'))
}

/// Returns the byte length of the unquoted value in an assignment line. It ends at white space, at a quote or at the
/// next assignment.
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

/// Whether this is an expression of source code: a call, an index into a list, a type with parameters, or a member.
fn is_code(bytes: &[u8], value: Range<usize>, site: ValueSite) -> bool {
    let next = bytes.get(value.end);
    let text = &bytes[value];
    // In a macro call the `!` is not part of the name.
    let text = text.strip_suffix(b"!").filter(|_| next == Some(&b'(')).unwrap_or(text);
    if MEMBER_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
        return true;
    }
    let is_path_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
    let identifier = text
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && text.iter().all(is_path_byte);
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

/// Whether a value is a URL. The row "password in a URL" of the pattern table finds a password in it.
fn is_url(value: &[u8]) -> bool {
    let scheme = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        .count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}

/// Whether a value contains only variables: `$X`, `${X}`, `$(…)`, `%X%`, `{{ x }}`, `{x}`.
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
    let is_path_byte = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'/' | b'\\' | b'.' | b'_' | b'-' | b'~' | b'@' | b' ' | b':')
            || !byte.is_ascii()
    };
    if !value.iter().all(is_path_byte) || value.split(|byte| !byte.is_ascii_alphanumeric()).any(is_random) {
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

/// Whether a run of letters and digits looks random, as keys do: it is long, with letters of both cases and digits.
fn is_random(run: &[u8]) -> bool {
    run.len() >= MIN_RANDOM_CHARS
        && run.iter().any(u8::is_ascii_digit)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_uppercase)
}
