//! Finds the exit codes of a hook, and hints in its text that it is a guard.

use hookwright_model::BLOCK_EXIT_CODE;

use super::definitions_only::loads_other_code;
use super::flow::{self, Codes};
use super::program_ways::{is_in_uncalled_function, is_never_entered, is_overridden};
use super::script_text::output_text;
use super::{CodePiece, LintSubject, ScriptLanguage, code_lines};
use crate::shell::{self, Word};

/// An exit statement in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code; `None` if it is computed.
    pub code: Option<i32>,
    /// Line of the text, from 1.
    pub line: u32,
    /// Whether it is in an error handler of the hook itself: `except`, `catch`.
    pub in_handler: bool,
}

/// Returns the exit statements of a text.
#[must_use]
pub fn exits(piece: &CodePiece<'_>) -> Vec<Exit> {
    match piece.language {
        ScriptLanguage::Sh | ScriptLanguage::Bash => shell_exits(piece),
        ScriptLanguage::Other => program_exits(&piece.output),
    }
}

fn shell_exits(piece: &CodePiece<'_>) -> Vec<Exit> {
    let commands = &piece.script.commands;
    let gets = |name: &str, value: &str| {
        let written = [format!("{name}={value}"), format!("{name}={value};")];
        let mut words = commands.iter().flat_map(|command| &command.words);
        words.any(|word| written.contains(&word.text))
    };
    let exit = |code, words: &[Word]| Exit {
        code,
        line: words[0].line,
        in_handler: false,
    };
    let block = BLOCK_EXIT_CODE.to_string();
    let found = piece.script.programs().filter_map(|words| {
        let argument = words.get(1).map(|word| word.text.as_str());
        match words[0].text.as_str() {
            "exit" => {
                let name = argument.and_then(|text| text.strip_prefix('$')).unwrap_or_default();
                let name = name.trim_start_matches('{').trim_end_matches('}');
                // `${2:-2}`: the code that blocks, unless another one is given.
                let usual = argument
                    .and_then(|text| text.strip_suffix('}')?.rsplit_once('-'))
                    .map(|(_, code)| code);
                let code = argument.and_then(|text| text.parse().ok());
                let code = code.or_else(|| usual?.parse().ok());
                Some(exit(
                    code.or_else(|| gets(name, &block).then_some(BLOCK_EXIT_CODE)),
                    words,
                ))
            }
            // A text that the shell itself reads later.
            "eval" | "trap" => {
                let text = argument.filter(|text| text.contains("exit"))?;
                let inner = shell::scan(text);
                let mut exits = inner.programs().filter(|words| words[0].text == "exit");
                exits
                    .find_map(|inner| inner.get(1)?.text.parse().ok())
                    .map(|code| exit(Some(code), words))
            }
            _ => None,
        }
    });
    let mut out: Vec<Exit> = found.collect();
    if piece.file.is_some() {
        out.extend(piece.script.commands.iter().filter_map(|command| {
            let words = command.program();
            let documents: Vec<String> = command
                .documents
                .iter()
                .filter_map(|at| Some(piece.script.here_documents.get(*at)?.text.clone()))
                .collect();
            let first = words.first()?;
            let blocks = match flow::shell_text(words, &documents) {
                Some(text) => shell::scan(text)
                    .programs()
                    .any(|words| words[0].text == "exit" && words.get(1).is_some_and(|word| word.text == block)),
                None => flow::other_text(first, words, &documents).is_some_and(|(_, codes)| codes.has_two()),
            };
            blocks.then(|| exit(Some(BLOCK_EXIT_CODE), words))
        }));
    }
    out
}

/// The exit statements of a text in another language than that of a shell.
pub(super) fn program_exits(text: &str) -> Vec<Exit> {
    let lines: Vec<&str> = text.lines().collect();
    let exit = |(at, line): (usize, u32)| {
        let code = parse_exit_call(lines[at])?;
        if code.is_none() && gives_named_text(text, lines[at]) {
            return None;
        }
        Some(Exit {
            code: code.or_else(|| computed_code(text, lines[at])),
            line,
            in_handler: is_in_handler(&lines[..=at]),
        })
    };
    (0..lines.len()).zip(1..).filter_map(exit).collect()
}

/// Whether a Python statement ends the program with a variable that holds a text, which is exit code 1.
pub(super) fn gives_named_text(text: &str, line: &str) -> bool {
    let code = without_quoted_text(line);
    let name = ["sys.exit(", "SystemExit("].iter().find_map(|call| {
        let name = code.split_once(call)?.1.split(')').next()?.trim();
        shell::is_name(name).then_some(name)
    });
    let is_text = |value: &str| {
        let value = value.trim_start().trim_start_matches(['f', 'r', 'b']);
        value.starts_with(['"', '\''])
    };
    name.is_some_and(|name| {
        let assigned = text.lines().filter_map(|line| line.split_once('='));
        let mut values = assigned.filter(|(left, _)| left.trim() == name).peekable();
        values.peek().is_some() && values.all(|(_, value)| is_text(value))
    })
}

/// The code that blocks, if an exit statement can get it by way of a variable, a function or a condition:
/// `sys.exit(code)`, `sys.exit(main())`, `process.exit(bad ? 2 : 0)`.
fn computed_code(text: &str, line: &str) -> Option<i32> {
    let code = without_quoted_text(line);
    let (_, argument) = code.split_once("xit(").or_else(|| code.split_once("xitCode"))?;
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let block = BLOCK_EXIT_CODE.to_string();
    let is_condition = argument.contains('?') || argument.contains(" if ") || argument.contains(" or ");
    if is_condition && words(argument).contains(&block) {
        return Some(BLOCK_EXIT_CODE);
    }
    let calls = argument.contains('(');
    let name = words(argument)
        .into_iter()
        .find(|word| !["await", "int", "asyncio", "run"].contains(&word.as_str()))?;
    let gives = |line: &str| {
        let line = without_quoted_text(line);
        let assigned = line.split_once('=').is_some_and(|(before, after)| {
            words(before).last() == Some(&name) && words(after).first() == Some(&block) && !after.starts_with('=')
        });
        let returned = calls
            && line
                .split_once("return ")
                .is_some_and(|(_, value)| words(value).contains(&block));
        assigned || returned
    };
    code_lines(text).any(gives).then_some(BLOCK_EXIT_CODE)
}

/// The codes with which the statements of a program end it.
#[must_use]
pub fn program_codes(text: &str) -> Codes {
    let text = &*output_text(text, ScriptLanguage::Other);
    let code = |exit: Exit| match exit.code {
        Some(BLOCK_EXIT_CODE) => Codes::TWO,
        Some(0) => Codes::OK,
        Some(1) => Codes::ONE,
        Some(_) => Codes::OTHER,
        None => Codes::UNKNOWN,
    };
    let reached = program_exits(text).into_iter().filter(|exit| !is_dead(text, exit.line));
    // A module that it loads may end it too.
    let loaded = if loads_other_code(text) {
        Codes::UNKNOWN
    } else {
        Codes::NONE
    };
    reached.map(code).fold(loaded, |all, one| all | one)
}

/// Whether an exit statement of a program surely never decides its code: the program has ended before, nothing leads to it,
/// or the program catches the exception that the exit is.
fn is_dead(text: &str, line: u32) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    ends_before(&lines, at)
        || is_caught(&lines, at)
        || is_overridden(&lines, at)
        || is_never_entered(&lines, at)
        || is_in_uncalled_function(&lines, at)
}

/// Whether a statement at the beginning of a line before this one ends the program each time. Functions, which may be called
/// before that, are not looked into.
fn ends_before(lines: &[&str], at: usize) -> bool {
    let has_function = |line: &&str| {
        ["function", "=>", "def ", "lambda"]
            .iter()
            .any(|word| line.contains(word))
    };
    if lines.iter().any(has_function) {
        return false;
    }
    let before = lines
        .iter()
        .take(at)
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let mut open = 0_usize;
    let mut previous = "";
    for (_, line) in before {
        let code = without_quoted_text(line);
        let begins = ["process.exit(", "sys.exit(", "exit(", "os._exit(", "raise SystemExit"];
        let is_statement = begins.iter().any(|begin| code.starts_with(begin));
        let continues =
            previous.ends_with([')', ',', '\\', '(', ':']) && !previous.ends_with("()") || previous.ends_with("else");
        if open == 0 && is_statement && !continues {
            return true;
        }
        let count = |signs: [char; 2]| code.matches(signs).count();
        open = (open + count(['{', '('])).saturating_sub(count(['}', ')']));
        previous = line.trim_end();
    }
    false
}

/// Whether a Python statement is in a `try` whose handler takes every exception, and neither raises it again nor blocks.
fn is_caught(lines: &[&str], at: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(line) = lines.get(at).filter(|line| !line.contains("_exit")) else {
        return false;
    };
    let mut inside = indent(line);
    for above in (0..at).rev().filter(|above| !lines[*above].trim().is_empty()) {
        if indent(lines[above]) >= inside {
            continue;
        }
        inside = indent(lines[above]);
        let head = lines[above].trim();
        if head.starts_with("def ") {
            return false;
        }
        if head != "try:" {
            continue;
        }
        let below = lines.iter().skip(at + 1);
        let mut handlers = below.skip_while(|line| line.trim().is_empty() || indent(line) > inside);
        let takes_all = |head: &str| {
            head == "except:" || head.starts_with("except BaseException") || head.starts_with("except SystemExit")
        };
        let Some(first) = handlers
            .next()
            .filter(|line| indent(line) == inside && takes_all(line.trim()))
        else {
            continue;
        };
        let body: Vec<&str> = handlers
            .take_while(|line| line.trim().is_empty() || indent(line) > inside)
            .copied()
            .chain([first.split_once(':').map_or("", |(_, rest)| rest)])
            .collect();
        let goes_on = body.iter().all(|line| {
            let code = parse_exit_call(line);
            !line.contains("raise")
                && (code.is_none() || matches!(code, Some(Some(number)) if number != BLOCK_EXIT_CODE))
        });
        if goes_on {
            return true;
        }
    }
    false
}

/// Words that begin an error handler.
const HANDLERS: [&str; 3] = ["except", "catch", "rescue"];

/// Whether the last of these lines is in an error handler: on the line that begins one, or indented below it.
fn is_in_handler(lines: &[&str]) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins = |line: &str| {
        let code = without_quoted_text(line);
        let mut words = code.split(|character: char| !character.is_alphanumeric());
        words.any(|word| HANDLERS.contains(&word))
    };
    let mut inside = usize::MAX;
    for line in lines.iter().rev().filter(|line| !line.trim().is_empty()) {
        if indent(line) < inside {
            inside = indent(line);
            if begins(line) || inside == 0 {
                return begins(line);
            }
        }
    }
    false
}

/// Returns all exit statements of a hook, each with the text that contains it.
pub fn all_exits<'s, 'a>(subject: &'s LintSubject<'a>) -> impl Iterator<Item = (&'s CodePiece<'a>, Exit)> {
    subject
        .pieces
        .iter()
        .flat_map(|piece| exits(piece).into_iter().map(move |exit| (piece, exit)))
}

/// Returns the lines of a text with an exit statement like this one, its own among them.
#[must_use]
pub fn lines_like(piece: &CodePiece<'_>, one: &Exit) -> Vec<u32> {
    let is_like = |exit: &Exit| (exit.code, exit.in_handler) == (one.code, one.in_handler);
    let alike = exits(piece).into_iter().filter(is_like);
    alike.map(|exit| exit.line).collect()
}

/// Returns the code of the exit statement in a line of a script, if it is written as a number.
#[must_use]
pub fn exit_code(line: &str) -> Option<i32> {
    parse_exit_call(line).flatten()
}

/// Reads the exit statement in a line: `exit 2`, `sys.exit(2)`, `process.exit(code)`. Quoted text and comments are
/// ignored.
///
/// Returns `Some(None)` for a computed code, and `None` if the line has no such statement.
fn parse_exit_call(line: &str) -> Option<Option<i32>> {
    /// What ends a program, or sets the code with which it ends.
    const ENDS: [&str; 5] = ["exit", "_exit", "quit", "SystemExit", "exitCode"];
    let code = without_quoted_text(line);
    let places = ENDS.iter().flat_map(|word| code.match_indices(*word));
    places.into_iter().find_map(|(at, word)| {
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        if before.ends_with(is_word) || (word == "quit" && before.ends_with('.')) {
            return None;
        }
        if word == "exitCode" {
            let value = after
                .trim_start()
                .strip_prefix('=')
                .filter(|value| !value.starts_with('='))?;
            return Some(number_before(value.trim_start(), &[';', '}', ')', ',']));
        }
        let bracket = after.strip_prefix('(');
        let begins = before.trim_end();
        let is_statement = begins.is_empty()
            || begins.ends_with([';', '{', '&', '|'])
            || begins.ends_with("then")
            || begins.ends_with("do");
        let value = match (bracket, after.strip_prefix(' ')) {
            (Some(value), _) => value,
            (None, Some(value)) if is_statement && word == "exit" => value,
            (None, _) => return None,
        };
        let value = value.trim_start().trim_start_matches('(').trim_start();
        // Python ends with 1 if it gets a text: that is no code of the script's own.
        let gets_text = value.trim_start_matches(['f', 'r', 'b']).starts_with(['"', '\'']);
        if bracket.is_some() && gets_text && !before.ends_with("process.") {
            return None;
        }
        match number_before(value, &[')', ';', '}', '&', '|']) {
            Some(number) => Some(Some(number)),
            // `exit` alone has no code of its own: it ends with the status of the command before it.
            _ if bracket.is_none() && !value.starts_with(['$', '"']) => None,
            _ => Some(None),
        }
    })
}

/// The number with which a text begins, if one of these signs, a condition behind it or nothing follows.
fn number_before(text: &str, ends: &[char]) -> Option<i32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let rest = text[digits.len()..].trim_start();
    let is_end = rest.is_empty() || rest.starts_with(ends) || rest.starts_with("if ") && !rest.contains(" else ");
    let is_end = is_end || rest.starts_with("unless ");
    digits.parse().ok().filter(|_| is_end)
}

/// Returns the line without quoted text and without its comment. The quotes stay.
pub(super) fn without_quoted_text(line: &str) -> String {
    let (mut out, mut quote) = (String::new(), None);
    let mut characters = without_comment(line, ScriptLanguage::Other).chars();
    while let Some(character) = characters.next() {
        if character == '\\' && quote.is_some() {
            _ = characters.next();
        } else if quote.is_none() || quote == Some(character) {
            quote = quote
                .is_none()
                .then_some(character)
                .filter(|character| QUOTES.contains(character));
            out.push(character);
        }
    }
    out
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Returns the line up to its comment.
fn without_comment(line: &str, language: ScriptLanguage) -> &str {
    let mut quote = None;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        let before = &line[..at];
        let hash = character == '#' && !before.ends_with(|character: char| !character.is_whitespace());
        let slashes = language == ScriptLanguage::Other && line[at..].starts_with("//") && !before.ends_with(':');
        if quote.is_none() && (hash || slashes) {
            return before;
        }
        if character == '\\' && quote.is_some() {
            _ = characters.next();
        } else if quote.is_none() {
            quote = Some(character).filter(|character| QUOTES.contains(character));
        } else if quote == Some(character) {
            quote = None;
        }
    }
    line
}

/// Words in messages and code that show that a hook is meant to block.
const BLOCK_WORDS: [&str; 15] = [
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

/// Beginnings of words in the name of a hook or script that show that it is a guard.
const GUARD_NAMES: [&str; 3] = ["guard", "safeguard", "protect"];

/// Words that reverse the meaning of one of the [`BLOCK_WORDS`] after them.
const NEGATIONS: [&str; 10] = [
    "not ", "n't ", "never ", "without ", "non-", "不", "不会", "不能", "未", "无法",
];

/// Whether the hook's texts or its name show that it is meant to block. Comments are ignored: they are for readers of
/// the code, and are no output.
#[must_use]
pub fn wants_to_block(subject: &LintSubject<'_>) -> bool {
    is_named_as_guard(subject) || mentions_blocking(subject)
}

pub(super) fn is_named_as_guard(subject: &LintSubject<'_>) -> bool {
    let files = subject
        .pieces
        .iter()
        .filter_map(|piece| piece.file?.file_name()?.to_str());
    let mut names = files.chain([subject.hook.label.as_str()]).map(str::to_lowercase);
    names.any(|name| {
        let mut words = name.split(|character: char| !character.is_alphanumeric());
        words.any(|word| GUARD_NAMES.iter().any(|begin| word.starts_with(begin)))
    })
}

fn mentions_blocking(subject: &LintSubject<'_>) -> bool {
    let mut lines = subject.pieces.iter().flat_map(|piece| {
        let lines = piece.text.lines();
        lines.map(|line| (line, piece.language))
    });
    lines.any(|(line, language)| line_mentions_blocking(line, language))
}

pub(super) fn line_mentions_blocking(line: &str, language: ScriptLanguage) -> bool {
    let inside_comment = language == ScriptLanguage::Other && line.trim_start().starts_with(['*', '/']);
    let text = without_comment(line, language).to_lowercase();
    let says = |at: usize| {
        let before = &text[..at];
        let is_part = before.ends_with(|before: char| before.is_ascii_alphanumeric());
        !is_part && !NEGATIONS.iter().any(|negation| before.ends_with(negation))
    };
    !inside_comment
        && BLOCK_WORDS
            .iter()
            .any(|character| text.match_indices(character).any(|(at, _)| says(at)))
}

/// Finds an end of a command that hides every failure, such as `|| true`. Returns its text.
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
            ("raise SystemExit(2)", Some(Some(2))),
            ("os._exit(2)", Some(Some(2))),
            ("quit(2)", Some(Some(2))),
            ("app.quit(2)", None),
            ("process.exitCode = 2;", Some(Some(2))),
            ("if (process.exitCode === 2) x()", None),
            ("exit 2 if /rm/", Some(Some(2))),
            ("except SystemExit:", None),
        ] {
            assert_eq!(parse_exit_call(line), code, "{line}");
        }
    }

    #[test]
    fn a_code_that_is_computed_is_found_where_it_is_written() {
        for (text, has_two) in [
            ("RC = 2\nsys.exit(RC)", true),
            ("def main():\n    return 2\nsys.exit(main())", true),
            (
                "raise SystemExit(main())\n\ndef main():\n    return 2 if bad else 0",
                true,
            ),
            ("process.exit(bad ? 2 : 0)", true),
            ("sys.exit(2 if bad else 0)", true),
            ("sys.exit(code)", false),
            ("RC = 20\nsys.exit(RC)", false),
            ("def main():\n    return 1\nsys.exit(main())", false),
        ] {
            assert_eq!(program_codes(text).has_two(), has_two, "{text}");
        }
        for text in [
            "process.exit(0);\nif (bad) {\n  process.exit(2);\n}",
            "import sys\nsys.exit(0)\nsys.exit(2)",
            "try:\n    sys.exit(2)\nexcept:\n    sys.exit(0)",
            "try:\n    if bad:\n        sys.exit(2)\nexcept BaseException:\n    pass",
            "try:\n    sys.exit(2)\nfinally:\n    sys.exit(0)",
            "try:\n    x()\nexcept ValueError:\n    sys.exit(2)\nfinally:\n    log()\n    os._exit(0)",
            "if False:\n    if bad:\n        sys.exit(2)",
            "if 0: sys.exit(2)",
            "if (false) {\n  process.exit(2);\n}",
            "const deny = () => process.exit(2);\nread();",
            "const deny = async (why) => {\n  console.error(why);\n  process.exit(2);\n};\nread();",
            "function deny() { process.exit(2); }\nread();",
            "def deny():\n    sys.exit(2)\nsys.stdin.read()",
            "# sys.exit(2)\n/* process.exit(2) */\nread()",
        ] {
            assert!(!program_codes(text).has_two(), "{text}");
        }
        for text in [
            "if (ok)\n  process.exit(0);\nprocess.exit(2);",
            "if (ok) process.exit(0);\nprocess.exit(2);",
            "if (ok) {\nprocess.exit(0);\n}\nprocess.exit(2);",
            "process.stdin.on('end', () => { process.exit(2); });",
            "try:\n    sys.exit(2)\nexcept Exception:\n    sys.exit(0)",
            "try:\n    sys.exit(2)\nexcept SystemExit:\n    raise",
            "try:\n    os._exit(2)\nexcept:\n    sys.exit(0)",
            "try:\n    x()\nexcept:\n    sys.exit(2)",
            "try:\n    x()\nexcept:\n    pass\nsys.exit(2)",
            "try:\n    sys.exit(2)\nfinally:\n    log()",
            "try:\n    sys.exit(2)\nfinally:\n    if x:\n        sys.exit(0)",
            "try:\n    os._exit(2)\nfinally:\n    sys.exit(0)",
            "try:\n    x()\nfinally:\n    y()\nsys.exit(2)",
            "if False:\n    x()\nelse:\n    sys.exit(2)",
            "if (false) {\n  x();\n}\nprocess.exit(2);",
            "const deny = () => process.exit(2);\nread().then(deny);",
            "const deny = () => {\n  process.exit(2);\n};\nprocess.stdin.on('end', deny);",
            "const main = (() => { process.exit(2); })();",
            "module.exports = { run() { process.exit(2); } }",
            "process.stdin.on('end', () => {\n  process.exit(2);\n});",
            "def deny():\n    sys.exit(2)\ntable = {'x': deny}",
            "@register\ndef deny():\n    sys.exit(2)",
            "def deny():\n    sys.exit(2)\nglobals()[name]()",
            "class G:\n    def run(self):\n        sys.exit(2)\nG().run()",
        ] {
            assert!(program_codes(text).has_two(), "{text}");
        }
        assert!(program_codes("import impl\ndef helper():\n    sys.exit(2)").may_be_two());
        for (text, has_two) in [
            ("RC=0; grep -q x && RC=2\nexit $RC", true),
            ("trap 'exit 2' ERR", true),
            ("fail() { exit \"${1:-2}\"; }; fail", true),
            ("eval 'exit 2'", true),
            ("exec sh -c 'exit 2'", true),
            ("awk '/rm/{exit 2}'", true),
            ("python3 - <<'EOF'\nimport sys\nsys.exit(2)\nEOF", true),
            ("exit $RC", false),
            ("trap 'rm -f x' EXIT", false),
            ("awk '{print 2}'", false),
        ] {
            let found = exits(&CodePiece::from_script(std::path::Path::new("a.sh"), text));
            assert_eq!(found.iter().any(|exit| exit.code == Some(2)), has_two, "{text}");
        }
    }

    #[test]
    fn words_for_blocking_are_found_in_code_but_not_in_comments() {
        for (line, language) in [
            ("echo 'BLOCKED: rm'", ScriptLanguage::Sh),
            ("echo '# refused' # why", ScriptLanguage::Sh),
            ("print('see https://x.y: forbidden')", ScriptLanguage::Other),
            ("echo 禁止", ScriptLanguage::Bash),
        ] {
            assert!(line_mentions_blocking(line, language), "{line}");
        }
        for (line, language) in [
            ("echo hello; codeblock", ScriptLanguage::Sh),
            ("x  # refuse it", ScriptLanguage::Sh),
            ("x(); // deny it", ScriptLanguage::Other),
            (" * Blocks dangerous commands.", ScriptLanguage::Other),
            ("print('always exit with 0 to not block')", ScriptLanguage::Other),
            ("echo 不会拦截", ScriptLanguage::Sh),
        ] {
            assert!(!line_mentions_blocking(line, language), "{line}");
        }
    }

    #[test]
    fn an_exit_in_an_error_handler_is_recognized() {
        for (text, handled) in [
            (
                "try:\n    x()\nexcept ValueError as e:\n    print(e)\n    sys.exit(1)",
                true,
            ),
            ("main().catch((err) => {\n  log(err);\n  process.exit(1);\n});", true),
            ("try { x() } catch (e) { process.exit(1) }", true),
            (
                "try:\n    x()\nexcept ValueError:\n    pass\nif bad:\n    sys.exit(1)",
                false,
            ),
            ("try:\n    sys.exit(1)\nexcept ValueError:\n    pass", false),
            ("catches = 'catch'\nsys.exit(1)", false),
        ] {
            let found = exits(&CodePiece::from_script(std::path::Path::new("a.py"), text));
            assert_eq!(
                found.iter().map(|one| one.in_handler).collect::<Vec<_>>(),
                [handled],
                "{text}"
            );
        }
    }
}
