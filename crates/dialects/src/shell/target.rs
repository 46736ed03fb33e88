//! Finds what a program gets to run: a script, a text or a module.

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

/// An interpreter: its options before code, before the name of a module, and before a word with another purpose.
struct Interpreter {
    names: &'static [&'static str],
    text_options: &'static [&'static str],
    module_options: &'static [&'static str],
    value_options: &'static [&'static str],
}

const INTERPRETERS: [Interpreter; 8] = [
    Interpreter {
        names: &["python", "python2", "python3", "py"],
        text_options: &["-c"],
        module_options: &["-m"],
        value_options: &["-W", "-X"],
    },
    Interpreter {
        names: &["node", "tsx", "ts-node", "bun"],
        text_options: &["-e", "--eval", "-p", "--print", "-pe"],
        module_options: &[],
        value_options: &["-r", "--require", "--import", "--loader", "-C", "--env-file"],
    },
    Interpreter {
        names: &["ruby", "lua"],
        text_options: &["-e"],
        module_options: &[],
        value_options: &["-r", "-I", "-l"],
    },
    Interpreter {
        names: &["perl"],
        text_options: &["-e", "-E", "-ne", "-pe", "-lne", "-lpe", "-i -pe"],
        module_options: &[],
        value_options: &[],
    },
    Interpreter {
        names: &["php"],
        text_options: &["-r"],
        module_options: &[],
        value_options: &["-d", "-c"],
    },
    Interpreter {
        names: &["deno"],
        text_options: &["eval"],
        module_options: &[],
        value_options: &["--config", "--import-map"],
    },
    Interpreter {
        names: &["cmd"],
        text_options: &["/c", "/C"],
        module_options: &[],
        value_options: &[],
    },
    Interpreter {
        names: &["source", "."],
        text_options: &[],
        module_options: &[],
        value_options: &[],
    },
];
/// Shells that read POSIX syntax.
pub(crate) const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Programs that fetch and start the program in their arguments. Each has its subcommand, if it needs one, and its
/// options that take the next word.
const RUNNERS: [(&str, &str, &[&str]); 5] = [
    (
        "uv",
        "run",
        &["--with", "-p", "--python", "--project", "--directory", "--extra"],
    ),
    ("npx", "", &["-p", "--package"]),
    ("bunx", "", &["-p", "--package"]),
    ("uvx", "", &["--from", "--with", "-p", "--python"]),
    ("pipx", "run", &["--spec"]),
];

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
    SHELLS.contains(&plain_name(program))
}

/// Returns the program, with its arguments, that another one fetches and starts (`uv run`, `npx`).
#[must_use]
pub fn fetched_program(words: &[Word]) -> Option<&[Word]> {
    let (first, mut rest) = words.split_first()?;
    let (_, verb, takes) = RUNNERS.iter().find(|(name, ..)| *name == plain_name(&first.text))?;
    if !verb.is_empty() {
        let at = rest.iter().position(|word| word.text == *verb)?;
        rest = &rest[at + 1..];
    }
    while let Some(option) = rest.first().filter(|word| word.text.starts_with('-')) {
        rest = rest.get(1 + usize::from(takes.contains(&option.text.as_str()))..)?;
    }
    (!rest.is_empty()).then_some(rest)
}

/// Finds what a program runs. The first word is the program, the others are its arguments.
#[must_use]
pub fn target(words: &[Word]) -> Target<'_> {
    let Some((first, rest)) = words.split_first() else {
        return Target::Program;
    };
    let name = plain_name(&first.text);
    if SHELLS.contains(&name) {
        return shell_target(rest);
    }
    if ["powershell", "pwsh"].contains(&name) {
        return powershell_target(name, rest);
    }
    if let Some(inner) = fetched_program(words) {
        let file = &inner[0];
        return match target(inner) {
            Target::Program if file.text.contains('/') || is_code_name(&file.text) => Target::Script(file),
            found @ (Target::Script(_) | Target::Text(_) | Target::Module(_) | Target::Program) => found,
        };
    }
    let is_python = |known: &Interpreter| known.names.contains(&"python3") && name.starts_with("python3.");
    match INTERPRETERS
        .iter()
        .find(|known| known.names.contains(&name) || is_python(known))
    {
        Some(known) => interpreter_target(name, known, rest),
        None => Target::Program,
    }
}

fn interpreter_target<'w>(name: &str, known: &Interpreter, arguments: &'w [Word]) -> Target<'w> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if known.text_options.contains(&text) {
            return rest.next().map_or(Target::Program, Target::Text);
        } else if known.module_options.contains(&text) {
            return rest.next().map_or(Target::Program, Target::Module);
        } else if known.value_options.contains(&text) {
            _ = rest.next();
        } else if text == "-" {
            return Target::Program;
        } else if (text == "run" && ["deno", "bun"].contains(&name)) || text.starts_with('-') {
        } else {
            return Target::Script(word);
        }
    }
    Target::Program
}

/// Finds the text or the script that a shell runs. The option `-c`, which announces a text, may be combined with
/// others: `-lc`, `-e -c`, `-eo pipefail -c`.
fn shell_target(arguments: &[Word]) -> Target<'_> {
    let mut takes_text = false;
    let mut rest = arguments.iter();
    let found = |word, asked: bool| {
        if asked {
            Target::Text(word)
        } else {
            Target::Script(word)
        }
    };
    while let Some(word) = rest.next() {
        let letters = word.text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty());
        match letters {
            Some("-") => return rest.next().map_or(Target::Program, |word| found(word, takes_text)),
            Some("-rcfile" | "-init-file") => _ = rest.next(),
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                takes_text |= letters.contains('c');
                // `-o pipefail` and `-O extglob` take the next word.
                if letters.contains(['o', 'O']) {
                    _ = rest.next();
                }
            }
            None if word.text == "-" => return Target::Program,
            None => return found(word, takes_text),
        }
    }
    Target::Program
}

/// Finds the script or the text that PowerShell runs. A first word without an option is a command for `powershell`,
/// unless it ends with `.ps1`, and a file for `pwsh`.
fn powershell_target<'w>(name: &str, arguments: &'w [Word]) -> Target<'w> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let option = word.text.to_ascii_lowercase();
        match option.as_str() {
            "-file" | "-f" => return rest.next().map_or(Target::Program, Target::Script),
            "-command" | "-c" | "-encodedcommand" | "-ec" => return rest.next().map_or(Target::Program, Target::Text),
            "-executionpolicy" | "-ep" | "-ex" | "-windowstyle" | "-w" | "-version" | "-workingdirectory" | "-wd" => {
                _ = rest.next();
            }
            other if other.starts_with('-') => {}
            other if name == "pwsh" || other.ends_with(".ps1") => return Target::Script(word),
            _ => return Target::Text(word),
        }
    }
    Target::Program
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
