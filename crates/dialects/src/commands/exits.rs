//! The codes that a hook exits with, and the signs that it is meant to block.

use super::{Piece, Reader, Subject};

/// One exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Its code; `None` where it is computed.
    pub code: Option<i32>,
    /// Line of the text, from 1.
    pub line: u32,
}

/// The exits of a text.
#[must_use]
pub fn exits(piece: &Piece<'_>) -> Vec<Exit> {
    match piece.reader {
        Reader::Sh | Reader::Bash => {
            let programs = piece.script.programs().filter(|words| words[0].text == "exit");
            let exit = |words: &[crate::shell::Word]| Exit {
                code: words.get(1).and_then(|word| word.text.parse().ok()),
                line: words[0].line,
            };
            programs.map(exit).collect()
        }
        Reader::Other => (1..)
            .zip(piece.text.lines())
            .filter_map(|(line, text)| call(text).map(|code| Exit { code, line }))
            .collect(),
    }
}

/// All exits of a hook with the texts they are in.
pub fn all<'s, 'a>(subject: &'s Subject<'a>) -> impl Iterator<Item = (&'s Piece<'a>, Exit)> {
    subject
        .pieces
        .iter()
        .flat_map(|piece| exits(piece).into_iter().map(move |exit| (piece, exit)))
}

/// The code of the exit in this line of a script, when it is written as a number.
#[must_use]
pub fn exit_code(line: &str) -> Option<i32> {
    call(line).flatten()
}

/// `exit 2`, `sys.exit(2)`, `process.exit(code)`: the code, `None` inside for one that is computed. Quoted text and
/// comments are no code.
fn call(line: &str) -> Option<Option<i32>> {
    let code = without_texts(line);
    code.match_indices("exit").find_map(|(at, word)| {
        let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        if before.ends_with(is_word) {
            return None;
        }
        let bracket = after.strip_prefix('(');
        let begins = before.trim_end();
        let is_statement = begins.is_empty()
            || begins.ends_with([';', '{', '&', '|'])
            || begins.ends_with("then")
            || begins.ends_with("do");
        let value = match (bracket, after.strip_prefix(' ')) {
            (Some(value), _) => value,
            (None, Some(value)) if is_statement => value,
            (None, _) => return None,
        };
        let value = value.trim_start().trim_start_matches('(').trim_start();
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        let rest = value[digits.len()..].trim_start();
        let ends = rest.is_empty() || rest.starts_with([')', ';', '}', '&', '|']);
        match digits.parse() {
            Ok(number) if ends => Some(Some(number)),
            // `process.exit()` and `exit` alone end with what was before.
            _ if bracket.is_none() && !value.starts_with(['$', '"']) => None,
            _ => Some(None),
        }
    })
}

/// The line with the inside of its quotes and its comment taken out.
fn without_texts(line: &str) -> String {
    let mut out = String::new();
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        let comment = sign == '#' && out.chars().last().is_none_or(char::is_whitespace);
        if comment || (sign == '/' && signs.peek() == Some(&'/') && !out.ends_with(':')) {
            break;
        }
        out.push(sign);
        if !['"', '\'', '`'].contains(&sign) {
            continue;
        }
        while let Some(inside) = signs.next() {
            if inside == '\\' {
                _ = signs.next();
            } else if inside == sign {
                out.push(sign);
                break;
            }
        }
    }
    out
}

/// Words by which people say that a hook is to block, and parts of names that guards have.
const SIGNS: [&str; 15] = [
    "block",
    "deny",
    "denied",
    "refus",
    "forbid",
    "reject",
    "prevent",
    "disallow",
    "prohibit",
    "not allowed",
    "拦截",
    "禁止",
    "拒绝",
    "阻止",
    "不允许",
];

/// Whether anything in the hook's texts says that it wants to block.
#[must_use]
pub fn wants_to_block(subject: &Subject<'_>) -> bool {
    subject.pieces.iter().any(|piece| says_block(&piece.text))
}

fn says_block(text: &str) -> bool {
    let text = text.to_lowercase();
    SIGNS.iter().any(|sign| {
        text.match_indices(sign)
            .any(|(at, _)| !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric()))
    })
}

/// The end of a command that hides every failure.
#[must_use]
pub fn always_succeeds(command: &str) -> Option<&'static str> {
    let end = command.trim_end().trim_end_matches(';').trim_end();
    [
        "|| true",
        "||true",
        "|| :",
        "|| exit 0",
        "; exit 0",
        ";exit 0",
        "; true",
    ]
    .into_iter()
    .find(|tail| end.ends_with(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_read_and_a_sentence_about_one_is_not() {
        for (line, code) in [
            ("sys.exit(2)", Some(Some(2))),
            ("    process.exit(1);", Some(Some(1))),
            ("process.exit(status)", Some(None)),
            ("process.exit(err ? 1 : 0)", Some(None)),
            ("sys.exit(main())", Some(None)),
            ("exit 2", Some(Some(2))),
            ("echo 'BLOCK: \"x\"'; exit 1", Some(Some(1))),
            ("print('then exit 2')", None),
            ("# exit 2", None),
            ("x()  // process.exit(2)", None),
            ("the exit 2 of it", None),
            ("my_exit(2)", None),
            ("exit 20", Some(Some(20))),
        ] {
            assert_eq!(call(line), code, "{line}");
        }
    }

    #[test]
    fn a_hook_that_blocks_says_so_in_some_word() {
        assert!(says_block("echo 'BLOCKED: rm'") && says_block("# refuse it") && says_block("禁止"));
        assert!(!says_block("echo hello; codeblock"));
    }
}
