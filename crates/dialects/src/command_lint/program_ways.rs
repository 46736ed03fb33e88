//! Finds exit statements of a Python or JavaScript program to which no way leads, or whose code another one replaces
//! (`engine.md` §14, ways to block).
//!
//! What it deliberately does not do: it is no parser. It goes by the indentation of the lines, and where a name is written
//! anywhere else, a function counts as called.

use super::exits::{exit_code, without_quoted_text};
use hookwright_model::BLOCK_EXIT_CODE;

/// Ways to call a function without its name.
const CALLS_BY_TEXT: [&str; 8] = [
    "globals(",
    "locals(",
    "getattr(",
    "eval(",
    "exec(",
    "__dict__",
    "globalThis[",
    "vars(",
];

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines that contain this one, by their indentation, from the inside out.
fn heads<'l>(lines: &'l [&'l str], at: usize) -> impl Iterator<Item = usize> + 'l {
    let mut inside = lines.get(at).map_or(0, |line| indentation(line));
    (0..at).rev().filter(move |above| {
        let line = lines[*above];
        let is_head = !line.trim().is_empty() && indentation(line) < inside;
        if is_head {
            inside = indentation(line);
        }
        is_head
    })
}

/// Whether a `finally` of Python ends the program with another code than this exit statement.
pub(super) fn is_overridden(lines: &[&str], at: usize) -> bool {
    let is_exception = lines.get(at).is_some_and(|line| !line.contains("_exit("));
    let is_try = |head: &usize| {
        let code = lines[*head].trim();
        code == "try:" || code == "else:" || code.starts_with("except") && code.ends_with(':')
    };
    let overrides = |head: usize| {
        let level = indentation(lines[head]);
        let mut below = lines.iter().skip(head + 1).filter(|line| !line.trim().is_empty());
        let last = below.find(|line| {
            let is_part =
                indentation(line) > level || ["except", "else:"].iter().any(|word| line.trim().starts_with(word));
            !is_part
        });
        let is_finally = last.is_some_and(|line| indentation(line) == level && line.trim() == "finally:");
        let body: Vec<&&str> = below.take_while(|line| indentation(line) > level).collect();
        let inner = body.first().map_or(0, |line| indentation(line));
        let ends = |line: &&&str| {
            indentation(line) == inner
                && line.trim_start().contains("exit(")
                && exit_code(line).is_some_and(|code| code != BLOCK_EXIT_CODE)
                && !line.contains(" if ")
                && !line.trim_start().starts_with("if ")
        };
        is_finally && body.iter().any(ends)
    };
    is_exception && heads(lines, at).filter(is_try).any(overrides)
}

/// Whether the line is in a branch that is never taken: `if False:`, `if (false) {`.
pub(super) fn is_never_entered(lines: &[&str], at: usize) -> bool {
    const NEVER: [&str; 9] = [
        "if False:",
        "if 0:",
        "if (0)",
        "if(0)",
        "while False:",
        "while 0:",
        "if (false)",
        "if(false)",
        "while (false)",
    ];
    let is_never = |line: &str| NEVER.iter().any(|head| line.trim_start().starts_with(head));
    let is_alone = |line: &str| is_never(line) && !line.contains("else");
    lines.get(at).is_some_and(|line| is_alone(line)) || heads(lines, at).any(|head| is_alone(lines[head]))
}

/// Whether the line is in the body of a class, outside its functions, so that it runs while the class is defined.
pub(super) fn is_in_class_body(lines: &[&str], at: usize) -> bool {
    let mut around = heads(lines, at).map(|head| lines[head].trim_start());
    let definition = around.find(|head| {
        ["class ", "def ", "async def "]
            .iter()
            .any(|word| head.starts_with(word))
    });
    definition.is_some_and(|head| head.starts_with("class "))
}

/// Whether the line is in a function at the outermost level whose name is written nowhere else.
pub(super) fn is_in_uncalled_function(lines: &[&str], at: usize) -> bool {
    let outermost = heads(lines, at).last().unwrap_or(at);
    let Some(name) = lines
        .get(outermost)
        .and_then(|head| defined_name(head, outermost == at))
    else {
        return false;
    };
    let is_decorated = lines[..outermost]
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.starts_with('@'));
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '$';
    let is_written = |(number, line): (usize, &&str)| {
        let places = line
            .match_indices(name)
            .filter(|(from, _)| !line[..*from].ends_with(is_word) && !line[from + name.len()..].starts_with(is_word));
        // The definition itself is no call.
        places.count() > usize::from(number == outermost)
    };
    let calls_by_text = |line: &&str| CALLS_BY_TEXT.iter().any(|call| line.contains(call));
    !is_decorated && !lines.iter().any(calls_by_text) && !lines.iter().enumerate().any(is_written)
}

/// The name of the function that a line without indentation defines. `in_line`: all of it is on this line.
fn defined_name(head: &str, in_line: bool) -> Option<&str> {
    let code = head.trim_end();
    let name_of = |rest: &'_ str| -> usize {
        rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_' || sign == '$'))
            .unwrap_or(rest.len())
    };
    let begins = ["async def ", "def ", "async function ", "function "];
    if let Some(rest) = begins.iter().find_map(|begin| code.strip_prefix(begin)) {
        let name = &rest[..name_of(rest)];
        let is_whole = if code.contains("def ") {
            code.ends_with(':') || in_line && code.contains("): ")
        } else {
            is_one_function(code, in_line)
        };
        return Some(name).filter(|name| is_whole && !name.is_empty());
    }
    let rest = ["const ", "let ", "var "]
        .iter()
        .find_map(|begin| code.strip_prefix(begin))?;
    let name = &rest[..name_of(rest)];
    let value = rest[name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let value = value.strip_prefix("async ").map_or(value, str::trim_start);
    let is_function = value.starts_with("function") || {
        let parameters = match value.strip_prefix('(') {
            Some(rest) => rest.split_once(')').filter(|(inside, _)| !inside.contains('(')),
            None => Some(value.split_at(name_of(value))),
        };
        parameters.is_some_and(|(_, rest)| rest.trim_start().starts_with("=>"))
    };
    (is_function && !name.is_empty() && is_one_function(code, in_line)).then_some(name)
}

/// Whether a line of JavaScript is one function and nothing else, or the beginning of one.
fn is_one_function(code: &str, in_line: bool) -> bool {
    let code = without_quoted_text(code);
    if !in_line {
        return code.ends_with(['{', '(']) || code.ends_with("=>");
    }
    // Behind the last exit only the ends of the function follow.
    let Some((before, after)) = code.rsplit_once("exit") else {
        return false;
    };
    let opened = before.matches('{').count() > before.matches('}').count();
    let behind = after.split_once(')').map_or("", |(_, behind)| behind);
    let is_body = opened || before.matches("=>").count() == 1 && !before.contains(';');
    is_body && behind.chars().all(|sign| ";} )".contains(sign)) && !behind.contains(")(")
}
