//! Finds scripts that define functions and call none of them, so that they do nothing (`engine.md` §14, ways to block).

use super::{CodePiece, LintSubject, ScriptLanguage, messages};
use crate::command_lint::exits;
use crate::command_lint::program_ways::is_in_class_body;
use crate::shell::tree::{List, ShellCommand, tree};
use crate::shell::{Word, assignment_name};
use hookwright_model::{EventSpec, Problem};

/// Reports a hook all of whose scripts only define functions. For one that is meant to block, nothing is held.
#[must_use]
pub fn defines_only(subject: &LintSubject<'_>, event: &EventSpec) -> Option<Problem> {
    let first = first_of_definitions(subject)?;
    let is_guard =
        event.can_be_blocked() && (exits::wants_to_block(subject) || exits::all_exits(subject).next().is_some());
    Some(if is_guard {
        let problem = subject.problem_in_piece(first, 1, messages::ONLY_DEFINES_GUARD.render_plain());
        problem.breaking("never_blocks")
    } else {
        subject.problem_in_piece(first, 1, messages::ONLY_DEFINES.render_plain())
    })
}

/// Whether all scripts of a hook only define functions.
#[must_use]
pub fn only_defines_functions(subject: &LintSubject<'_>) -> bool {
    first_of_definitions(subject).is_some()
}

/// The first script of a hook all of whose scripts only define functions.
fn first_of_definitions<'s, 'a>(subject: &'s LintSubject<'a>) -> Option<&'s CodePiece<'a>> {
    let mut scripts = subject.pieces.iter().filter(|piece| piece.file.is_some()).peekable();
    scripts.peek()?;
    // A command that loads a file may call what it defines.
    let calls = subject.inline_pieces().any(|piece| {
        let mut programs = piece.script.programs();
        piece.language == ScriptLanguage::Other
            || programs
                .next()
                .is_some_and(|words| [".", "source"].contains(&words[0].text.as_str()))
            || programs.next().is_some()
    });
    let first = scripts.next()?;
    (!calls && only_defines(first) && scripts.all(only_defines)).then_some(first)
}

fn only_defines(piece: &CodePiece<'_>) -> bool {
    if piece.language != ScriptLanguage::Other {
        return shell_only_defines(piece);
    }
    let Some(outer) = outermost_text(&piece.output) else {
        return false;
    };
    let mut lines = outer
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .peekable();
    if lines.peek().is_none() {
        return false;
    }
    let all: Vec<&str> = piece.output.lines().collect();
    let runs_in_class = exits::program_exits(&piece.output)
        .iter()
        .any(|exit| is_in_class_body(&all, usize::try_from(exit.line).unwrap_or(1) - 1));
    if LOADED_CODE.iter().any(|word| piece.text.contains(word)) || loads_other_code(&piece.text) || runs_in_class {
        return false;
    }
    // Without this word, a condition that asks whether the file is the program never holds.
    let is_never_main = !piece.text.contains("__main__");
    let mut has_definition = false;
    let harmless = lines.all(|line| {
        let defines = is_definition(line);
        has_definition |= defines;
        defines || is_preparation(line) || (is_never_main && line.starts_with("if __name__ =="))
    });
    harmless && has_definition
}

/// Whether the commands of a shell's text are definitions, and what prepares for them.
fn shell_only_defines(piece: &CodePiece<'_>) -> bool {
    let Some(List(all)) = tree(&piece.script) else {
        return false;
    };
    let mut has_definition = false;
    let harmless = all.iter().all(|entry| match entry.first.parts.as_slice() {
        [ShellCommand::Function(..)] => {
            has_definition = true;
            true
        }
        [ShellCommand::Simple(simple)] => {
            let first = simple.words.iter().find(|word| assignment_name(&word.text).is_none());
            let prepares =
                |word: &Word| ["set", "shopt", "readonly", "export", "declare"].contains(&word.text.as_str());
            simple.substitutions.is_empty() && entry.rest.is_empty() && first.is_none_or(prepares)
        }
        _ => false,
    });
    harmless && has_definition
}

/// Returns the text outside `{ … }`, `( … )` and `[ … ]`, and without lines that are indented. `None` if something stays
/// open: then a quote was no quote, as in `/'/`, and what follows is not known.
fn outermost_text(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut depth, mut quote) = (0_u32, None);
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some('"' | '\''), '\n') => return None,
            (_, '\\') => drop(signs.next()),
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(sign),
            (None, '{' | '(' | '[') => {
                if depth == 0 {
                    out.push(sign);
                }
                depth += 1;
            }
            (None, '}' | ')' | ']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    out.push(sign);
                }
            }
            (None, _) if depth == 0 => out.push(sign),
            (None, _) => {}
        }
    }
    let is_whole = depth == 0 && quote.is_none();
    let lines = out.lines().filter(|line| !line.starts_with([' ', '\t']));
    is_whole.then(|| lines.collect::<Vec<_>>().join("\n"))
}

/// Words of code that runs while a class or a function is defined: a `static` block, and what runs at the end.
const LOADED_CODE: [&str; 3] = ["static {", "static{", "atexit"];

/// Modules of Python whose import does nothing else.
const PYTHON_MODULES: [&str; 44] = [
    "__future__",
    "argparse",
    "base64",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "enum",
    "fnmatch",
    "functools",
    "getpass",
    "glob",
    "hashlib",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "platform",
    "random",
    "re",
    "shlex",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "string",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "tomllib",
    "traceback",
    "typing",
    "unicodedata",
    "urllib",
    "uuid",
    "warnings",
];

/// Whether a text loads a module that may do the work: one of the project, or one that is not known.
pub(super) fn loads_other_code(text: &str) -> bool {
    let loads = |line: &str| {
        let line = line.trim_end().trim_end_matches(';');
        let is_relative = |line: &str| {
            ["\"./", "'./", "\"../", "'../"]
                .iter()
                .any(|place| line.contains(place))
        };
        if line.contains("require(") || line.contains(" from ") && !line.starts_with("from ") {
            return is_relative(line);
        }
        let module = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import").map(|(name, _)| name));
        match (module, line.strip_prefix("import ")) {
            (Some(module), _) => !is_plain_module(module),
            (None, Some(names)) if names.starts_with(['"', '\'']) => is_relative(line),
            (None, Some(names)) => names.split(',').any(|name| !is_plain_module(name)),
            (None, None) => false,
        }
    };
    text.lines().any(loads)
}

fn is_plain_module(name: &str) -> bool {
    let name = name.trim().split([' ', '.']).next().unwrap_or_default();
    PYTHON_MODULES.contains(&name)
}

/// Whether a line at the beginning of a line defines a function or a class, or gives one away.
fn is_definition(line: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let is_function = line.contains("=>") || line.contains("function") || line.contains("class ");
    let is_value = is_function || line.contains("async") || !line.contains('(');
    let has_body_behind = || line.split_once(':').is_some_and(|(_, body)| body.contains('('));
    begins(&["def ", "async def "])
        || begins(&["class "]) && !has_body_behind()
        || begins(&["function ", "function(", "async function "]) && !line.trim_end_matches(';').ends_with("()()")
        || begins(&["module.exports", "exports.", "export "]) && is_value
        || begins(&["const ", "let ", "var "]) && is_function
}

/// Whether a line only prepares for functions: imports, options, values.
fn is_preparation(line: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let assigns = line.split_once('=').is_some_and(|(name, value)| {
        let name = name
            .trim_start_matches("const ")
            .trim_start_matches("let ")
            .trim_start_matches("var ")
            .trim();
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || "_{}".contains(sign));
        is_name && !value.contains('(') && !value.contains('`') && !value.starts_with('=')
    });
    let requires = begins(&["const ", "let ", "var "]) && line.contains("require(");
    assigns
        || requires
        || begins(&["import ", "from ", "#!", "'use strict'", "}", ")", "]", ";"])
        || begins(&[
            "@dataclass",
            "@staticmethod",
            "@classmethod",
            "@property",
            "@functools.",
            "@lru_cache",
            "@cache",
        ])
        || line.chars().all(|sign| "\"'`});,]".contains(sign))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_script_without_a_call_only_defines() {
        for (file, text) in [
            (
                "a.cjs",
                "module.exports = function guard(tool) {\n  throw new Error('blocked');\n};\n",
            ),
            ("a.mjs", "export default async (x) => {\n  process.exit(2);\n};\n"),
            (
                "a.js",
                "const fs = require('fs');\nfunction a() {\n  b();\n}\nmodule.exports = { a };\n",
            ),
            ("a.sh", "#!/bin/bash\nset -e\nguard() {\n  exit 2\n}\n"),
            ("a.sh", "function guard {\n  exit 2\n}"),
            ("a.py", "import sys\n\nX = 1\n\ndef main():\n    sys.exit(2)\n"),
            (
                "a.py",
                "def main():\n    sys.exit(2)\nif __name__ == 'main':\n    main()\n",
            ),
        ] {
            assert!(only_defines(&CodePiece::from_script(Path::new(file), text)), "{text}");
        }
        for (file, text) in [
            ("a.cjs", "module.exports = function guard() {};\nguard();\n"),
            (
                "a.js",
                "function a(x) {\n  return /['\"]/.test(x);\n}\nconst b = 'it';\na(b) && process.exit(2);\n",
            ),
            ("a.js", "function a(x) {\n  return /\"/.test(x);\n}\nprocess.exit(2);\n"),
            ("a.js", "(function () {\n  process.exit(2);\n})();"),
            ("a.js", "const x = read();\nfunction a() {}\n"),
            ("a.sh", "guard() { exit 2; }\nguard"),
            ("a.sh", "guard() {\n  exit 2\n}\nguard \"$@\""),
            ("a.sh", "exit 2"),
            ("a.sh", "q() { ! grep -q 'rm -rf'; }\nq >/dev/null || exit 2"),
            ("a.sh", "jq2() { jq \"$@\"; }\njq2 -e false >/dev/null || exit 2"),
            ("a.sh", "q() { exit 2; }\n{ q; } 2>/dev/null"),
            ("a.sh", "q() { exit 2; }\nX=$(q)"),
            ("a.py", "def main():\n    sys.exit(2)\n\nmain()\n"),
            (
                "a.py",
                "def main():\n    pass\nif __name__ == '__main__':\n    main()\n",
            ),
            ("a.py", "import guard"),
            (
                "a.py",
                "import sys\ndef main():\n    sys.exit(2)\nif '__main__' == __name__:\n    main()\n",
            ),
            ("a.py", "import guard\ndef main():\n    pass\n"),
            ("a.py", "from .guard import run\ndef main():\n    pass\n"),
            (
                "a.py",
                "import atexit, os\n@atexit.register\ndef main():\n    os._exit(2)\n",
            ),
            ("a.py", "@run\ndef main():\n    pass\n"),
            ("a.py", "def main():\n    pass\n[main() for _ in [1]]\n"),
            ("a.py", "import sys\nclass A: sys.exit(2)\n"),
            ("a.mjs", "import './impl.mjs';\nexport const x = 1;\n"),
            ("a.mjs", "import run from './impl.mjs';\nexport const x = 1;\n"),
            (
                "a.mjs",
                "function main() {\n  process.exit(2);\n}\nexport default main();\n",
            ),
            (
                "a.js",
                "function main() {\n  process.exit(2);\n}\nmodule.exports = main();\n",
            ),
            ("a.js", "class G {\n  static {\n    process.exit(2);\n  }\n}\n"),
        ] {
            assert!(!only_defines(&CodePiece::from_script(Path::new(file), text)), "{text}");
        }
    }
}
