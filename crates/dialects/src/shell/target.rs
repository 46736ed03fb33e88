//! Finds what a program gets to run: a script, a text or a module.

use super::programs::{Interpreter, NextWord, WordMeaning, find_wrapper, interpreter, program_name};
use super::{Word, base_name};

/// What an argument vector runs in addition to its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'w> {
    /// A script file that an interpreter reads.
    Script(&'w Word),
    /// A text that a shell or interpreter reads as code, such as that after `sh -c`.
    Text(&'w Word),
    /// A module, by its name, such as that after `python3 -m`.
    Module(&'w Word),
    /// Nothing else: only the program itself.
    Program,
}

/// Returns the name of a program without its folder and `.exe`: `python3.12` for `/usr/bin/python3.12`, `powershell`
/// for `powershell.exe`.
#[must_use]
pub fn plain_name(program: &str) -> &str {
    let name = base_name(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether the program is a shell that reads POSIX syntax.
#[must_use]
pub fn is_shell_program(program: &str) -> bool {
    interpreter(plain_name(program)).is_some_and(Interpreter::is_posix_shell)
}

/// Finds what a program runs. The first word is the program, the others are its arguments.
#[must_use]
pub fn target(words: &[Word]) -> Target<'_> {
    let Some((first, rest)) = words.split_first() else {
        return Target::Program;
    };
    let name = program_name(plain_name(&first.text));
    if let Some(inner) = find_wrapper(name).and_then(|known| known.fetched(rest)) {
        let file = &inner[0];
        return match target(inner) {
            Target::Program if is_file(&file.text) => Target::Script(file),
            found @ (Target::Script(_) | Target::Text(_) | Target::Module(_) | Target::Program) => found,
        };
    }
    match interpreter(name).filter(|known| !known.runs_others) {
        Some(known) => interpreter_target(name, known, rest),
        None => Target::Program,
    }
}

/// Whether the name of what a wrapper fetches and starts is that of a file, not of a package such as `@scope/name`.
fn is_file(name: &str) -> bool {
    is_code_name(name) || name.contains('/') && !name.starts_with('@')
}

fn interpreter_target<'w>(name: &str, known: &Interpreter, arguments: &'w [Word]) -> Target<'w> {
    let mut before = NextWord::Ordinary;
    let mut takes_text = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        before = match known.meaning(text, before) {
            WordMeaning::Option(after) => after,
            WordMeaning::Value => NextWord::Ordinary,
            // A shell reads all its options before the text: `sh -c -e TEXT`, `bash -co pipefail TEXT`.
            WordMeaning::Text if known.is_shell() => {
                takes_text = true;
                let takes_value = text.contains(['o', 'O']);
                if takes_value {
                    NextWord::Value
                } else {
                    NextWord::Ordinary
                }
            }
            WordMeaning::Text => return rest.next().map_or(Target::Program, Target::Text),
            WordMeaning::Module => return rest.next().map_or(Target::Program, Target::Module),
            WordMeaning::Nothing | WordMeaning::Stdin => return Target::Program,
            // Without an option, `powershell` reads a command, unless it is the name of a script.
            WordMeaning::Operand if takes_text || (name == "powershell" && is_command(text, before)) => {
                return Target::Text(word);
            }
            WordMeaning::Operand => return Target::Script(word),
        };
    }
    Target::Program
}

fn is_command(text: &str, before: NextWord) -> bool {
    before != NextWord::Script && !text.to_ascii_lowercase().ends_with(".ps1")
}

/// Whether a name has the extension of a script.
#[must_use]
pub fn is_code_name(name: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        ".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".lua", ".ps1",
    ];
    let short = ENDINGS.iter().find(|ending| name.ends_with(**ending));
    short.is_some_and(|ending| name.len() > ending.len())
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;

    fn found(command: &str) -> (char, String) {
        let script = scan(command);
        let words = script.programs().next().unwrap();
        match target(words) {
            Target::Script(word) => ('s', word.text.clone()),
            Target::Text(word) => ('t', word.text.clone()),
            Target::Module(word) => ('m', word.text.clone()),
            Target::Program => ('p', words[0].text.clone()),
        }
    }

    #[test]
    fn the_script_of_an_interpreter_is_distinguished_from_its_other_words() {
        for (command, kind, name) in [
            ("python3 -u a.py b.py", 's', "a.py"),
            ("node --require x.js hook.js", 's', "hook.js"),
            ("node -e 'code' a.js b.js", 't', "code"),
            ("bash -eo pipefail -c 'x y.sh'", 't', "x y.sh"),
            ("bash ./a.sh -c x", 's', "./a.sh"),
            ("python3 -m hooks.guard", 'm', "hooks.guard"),
            ("python3 - a.py", 'p', "python3"),
            (
                "powershell -NoProfile -ExecutionPolicy Bypass -File a.ps1 x.ps1",
                's',
                "a.ps1",
            ),
            ("powershell.exe -Command '& ./a.ps1'", 't', "& ./a.ps1"),
            ("pwsh a.ps1", 's', "a.ps1"),
            ("uv run --with x hooks/a.py", 's', "hooks/a.py"),
            ("npx tsx hooks/a.ts", 's', "hooks/a.ts"),
            ("npx prettier --write a.ts", 'p', "npx"),
            ("npx -y @acme/fmt@latest run", 'p', "npx"),
            ("bunx @acme/fmt", 'p', "bunx"),
            ("uv run hooks/guard", 's', "hooks/guard"),
            ("deno run -A a.ts", 's', "a.ts"),
            (". ./env.sh", 's', "./env.sh"),
            ("timeout -k 5 10 sh a.sh", 's', "a.sh"),
            ("grep -q x.py", 'p', "grep"),
            ("[ -f a.py ]", 'p', "["),
        ] {
            assert_eq!(found(command), (kind, name.to_owned()), "{command}");
        }
    }
}
