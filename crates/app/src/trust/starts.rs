//! What of a project a user's own hook starts (`engine.md` §3, "A user's hook that starts project content").
//!
//! Other than for a project's hooks nothing is over-approximated here: no file name in a repository may switch off a
//! user's hook. What counts is what a shell would start from the run's directory: a program by a path, and the script
//! that an interpreter, `.` or `source` is given.

use std::path::{Path, PathBuf};

use hookwright_dialects::shell::{self, Word};
use hookwright_model::{Card, Cover, DirOf, Hook};

/// An interpreter, and what of its words is no script.
struct Interpreter {
    names: &'static [&'static str],
    /// Letters of options that take the next word.
    takes: &'static str,
    /// Long options that take the next word.
    takes_long: &'static [&'static str],
    /// Letters of options behind which a program stands as text, or that make it read one.
    inline: &'static str,
    /// Words before the script.
    subcommands: &'static [&'static str],
    /// What it adds to a name that is no file.
    adds: &'static [&'static str],
}

const PLAIN: Interpreter = Interpreter {
    names: &[],
    takes: "",
    takes_long: &[],
    inline: "",
    subcommands: &[],
    adds: &[],
};

const INTERPRETERS: [Interpreter; 8] = [
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"],
        takes: "oO",
        takes_long: &["--rcfile", "--init-file"],
        inline: "cs",
        ..PLAIN
    },
    Interpreter {
        names: &["python", "pypy"],
        takes: "WX",
        takes_long: &["--check-hash-based-pycs"],
        inline: "cm",
        ..PLAIN
    },
    Interpreter {
        names: &["node", "nodejs"],
        takes: "rC",
        takes_long: &[
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "--conditions",
        ],
        inline: "ep",
        adds: &[".js", ".mjs", ".cjs", "/index.js"],
        ..PLAIN
    },
    Interpreter {
        names: &["deno", "bun", "tsx", "ts-node"],
        takes: "c",
        takes_long: &["--config", "--preload"],
        inline: "e",
        subcommands: &["run"],
        ..PLAIN
    },
    Interpreter {
        names: &["ruby"],
        takes: "rIC",
        inline: "e",
        ..PLAIN
    },
    Interpreter {
        names: &["perl"],
        takes: "I",
        inline: "eE",
        ..PLAIN
    },
    Interpreter {
        names: &["php"],
        takes: "cdfzSt",
        inline: "rRBE",
        ..PLAIN
    },
    Interpreter {
        names: &["lua", "luajit", "Rscript", "pwsh", "osascript"],
        takes: "l",
        inline: "ec",
        ..PLAIN
    },
];

/// Programs that start the program behind their options and so many words of their own, with the letters of options that
/// take the next word. `env` and the like are passed over by the reader of commands.
const WRAPPERS: [(&str, &str, usize); 4] = [
    ("timeout", "ks", 1),
    ("stdbuf", "ioe", 0),
    ("ionice", "cn", 0),
    ("chrt", "", 1),
];
/// So many wrappers in one another.
const MAX_WRAPPERS: usize = 8;

/// Where a command begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) home: &'a Path,
    /// Canonical.
    pub(super) project: &'a Path,
    /// The run's directory.
    pub(super) start: &'a Path,
}

/// The files of the project that a hook of the user's starts, links followed, each once and by path.
pub(super) fn started(hook: &Hook, card: &Card, from: From<'_>) -> Vec<PathBuf> {
    let Cover::Command(command) = &hook.cover else {
        return Vec::new();
    };
    let mut desk = Desk {
        card,
        from,
        at: Some(from.start.to_owned()),
        found: Vec::new(),
    };
    shell::scan(&command.text())
        .programs()
        .for_each(|words| desk.program(words));
    desk.found.sort();
    desk.found.dedup();
    desk.found
}

struct Desk<'a> {
    card: &'a Card,
    from: From<'a>,
    /// Where the command is by now; `None` where only the run knows.
    at: Option<PathBuf>,
    found: Vec<PathBuf>,
}

impl Desk<'_> {
    fn program(&mut self, words: &[Word]) {
        let words = unwrapped(words);
        let Some((program, rest)) = words.split_first() else {
            return;
        };
        match program.text.as_str() {
            "cd" | "pushd" | "popd" | "chdir" => self.go(rest),
            "." | "source" => self.operand(rest.first(), &[]),
            text => {
                let known = INTERPRETERS.iter().find(|known| known.names.contains(&bare(text)));
                if let Some(interpreter) = known {
                    self.operand(script_of(interpreter, rest), interpreter.adds);
                }
                if text.contains('/') {
                    self.note(text, &[]);
                }
            }
        }
    }

    /// Follows the command into another folder.
    fn go(&mut self, operands: &[Word]) {
        let folder = operands.iter().find(|word| !word.text.starts_with('-'));
        let folder = folder.and_then(|word| self.expand(&word.text));
        self.at = folder.zip(self.at.take()).map(|(folder, at)| at.join(folder));
    }

    fn operand(&mut self, word: Option<&Word>, adds: &[&str]) {
        if let Some(word) = word {
            self.note(&word.text, adds);
        }
    }

    fn note(&mut self, text: &str, adds: &[&str]) {
        let (Some(at), Some(name)) = (&self.at, self.expand(text)) else {
            return;
        };
        let forms = std::iter::once(name.clone()).chain(adds.iter().map(|add| format!("{name}{add}")));
        let real = |form: String| dunce::canonicalize(at.join(form)).ok().filter(|file| file.is_file());
        let file = forms.filter_map(real).next();
        self.found
            .extend(file.filter(|file| file.starts_with(self.from.project)));
    }

    /// A word with the variables filled in whose value is known; `None` where only the run knows.
    fn expand(&self, text: &str) -> Option<String> {
        let home = self.from.home.to_str()?;
        let below = text
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut out = String::new();
        let mut rest = match below {
            Some(below) => {
                out.push_str(home);
                below
            }
            None => text,
        };
        while let Some((before, behind)) = rest.split_once('$') {
            out.push_str(before);
            let (name, behind) = match behind.strip_prefix('{') {
                Some(braced) => {
                    let (inner, behind) = braced.split_once('}')?;
                    (inner.split_once(":-").map_or(inner, |(name, _)| name), behind)
                }
                None => {
                    let part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
                    behind.split_at(behind.find(|sign| !part(sign)).unwrap_or(behind.len()))
                }
            };
            out.push_str(self.value(name)?);
            rest = behind;
        }
        out.push_str(rest);
        // Patterns and substitutions are names that only the run knows.
        (!out.contains(['`', '*', '?', '['])).then_some(out)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let place = match name {
            "HOME" => self.from.home,
            "PWD" => self.at.as_deref()?,
            _ => match self.card.dir_vars.iter().find(|var| var.name == name)?.of {
                DirOf::Project => self.from.project,
                DirOf::Payload => self.from.start,
            },
        };
        place.to_str()
    }
}

/// A program's words without the wrappers before it.
fn unwrapped(words: &[Word]) -> &[Word] {
    let mut rest = words;
    for _ in 0..MAX_WRAPPERS {
        let Some((program, behind)) = rest.split_first() else {
            break;
        };
        let Some((_, takes, own)) = WRAPPERS.iter().find(|(name, ..)| *name == bare(&program.text)) else {
            break;
        };
        let mut at = 0;
        while let Some(word) = behind.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1 + usize::from(takes_next(&word.text, takes));
        }
        rest = behind.get(at + own..).unwrap_or_default();
    }
    rest
}

/// The script that an interpreter is given.
fn script_of<'w>(interpreter: &Interpreter, words: &'w [Word]) -> Option<&'w Word> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            return words.get(at + 1);
        }
        let short = text.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-'));
        match short {
            // It reads a program, or is given one as text.
            Some(letters) if letters.is_empty() || letters.contains(|letter| interpreter.inline.contains(letter)) => {
                return None;
            }
            Some(_) => at += 1 + usize::from(takes_next(text, interpreter.takes)),
            None if text.starts_with("--") => {
                if matches!(text, "--eval" | "--print") {
                    return None;
                }
                at += 1 + usize::from(interpreter.takes_long.contains(&text));
            }
            None if interpreter.subcommands.contains(&text) => at += 1,
            None => return Some(word),
        }
    }
    None
}

/// Whether the value of an option is the next word: `-W ignore`, not `-Wignore`.
fn takes_next(option: &str, letters: &str) -> bool {
    let mut signs = option.chars().skip(1).skip_while(|letter| !letters.contains(*letter));
    signs.next().is_some() && signs.next().is_none()
}

/// A program's name without folders, `.exe` and a version.
fn bare(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(command: &str) -> Option<String> {
        let found = shell::scan(command);
        let words = unwrapped(found.programs().next()?);
        let (program, rest) = words.split_first()?;
        let known = INTERPRETERS
            .iter()
            .find(|known| known.names.contains(&bare(&program.text)))?;
        script_of(known, rest).map(|word| word.text.clone())
    }

    #[test]
    fn the_script_of_an_interpreter_is_its_first_operand() {
        for command in [
            "sh x",
            "python3.12 -u -W ignore x y",
            "bash -euo pipefail x",
            "node -r ./other --require other x",
            "env A=1 timeout -k 5 10 sh x",
            "bun run x",
            "perl -I lib x",
            "sh -- x",
        ] {
            assert_eq!(script(command).as_deref(), Some("x"), "{command}");
        }
    }

    #[test]
    fn what_is_given_as_text_or_found_by_convention_is_no_script() {
        for command in [
            "sh -c x",
            "bash -lc x",
            "sh -s x",
            "python3 -c x",
            "python3 -m x",
            "node -e x",
            "node --eval x",
            "perl -ne x",
            "python3 - x",
            "make x",
            "grep x",
        ] {
            assert_eq!(script(command), None, "{command}");
        }
    }
}
