//! The programs that start other programs or run files, and the meaning of their words. All of it is data: a new program
//! is a new row. Lint, labels, the trust review and what an approval covers read these rows.

use super::{Word, assignment_name};

/// A program that starts another one, which follows its own options and operands.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The name of the program, without versions.
    pub name: &'static str,
    /// What follows its own words.
    pub(super) follows: Follows,
    /// Letters of its options that take the next word as value.
    value_letters: &'static str,
    /// Long options that take the next word as value.
    value_options: &'static [&'static str],
    /// The number of its own operands before the program.
    operands: usize,
    /// The options with the folder in which the program starts. The long one is last.
    folder_options: &'static [&'static str],
}

/// What follows the words of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// A program with its arguments.
    Program,
    /// A program with its arguments, or one text that a shell reads.
    ProgramOrText,
    /// After this subcommand, a program that it fetches first, or a script. Without a subcommand the text is empty.
    Fetched(&'static str),
    /// A program somewhere among its words.
    Somewhere,
}

const fn wrapper(name: &'static str, follows: Follows, value_letters: &'static str, operands: usize) -> Wrapper {
    Wrapper {
        name,
        follows,
        value_letters,
        value_options: &[],
        operands,
        folder_options: &[],
    }
}

const WRAPPERS: [Wrapper; 36] = [
    Wrapper {
        value_options: &["--unset", "--chdir"],
        folder_options: &["-C", "--chdir"],
        ..wrapper("env", Follows::Program, "uC", 0)
    },
    Wrapper {
        value_options: &["--user", "--group", "--host", "--chdir", "--chroot"],
        folder_options: &["-D", "--chdir"],
        ..wrapper("sudo", Follows::Program, "CDghpRrTtUu", 0)
    },
    wrapper("exec", Follows::Program, "a", 0),
    wrapper("command", Follows::Program, "", 0),
    wrapper("builtin", Follows::Program, "", 0),
    wrapper("coproc", Follows::Program, "", 0),
    wrapper("doas", Follows::Program, "uC", 0),
    wrapper("nohup", Follows::Program, "", 0),
    wrapper("setsid", Follows::Program, "", 0),
    wrapper("time", Follows::Program, "fo", 0),
    wrapper("nice", Follows::Program, "n", 0),
    wrapper("ionice", Follows::Program, "cn", 0),
    wrapper("chrt", Follows::Program, "", 1),
    wrapper("taskset", Follows::Program, "", 1),
    wrapper("stdbuf", Follows::Program, "ioe", 0),
    wrapper("timeout", Follows::Program, "ks", 1),
    wrapper("xargs", Follows::Program, "adEILnPs", 0),
    wrapper("entr", Follows::ProgramOrText, "", 0),
    wrapper("flock", Follows::ProgramOrText, "wE", 1),
    wrapper("watch", Follows::ProgramOrText, "n", 0),
    wrapper("parallel", Follows::ProgramOrText, "jnNIS", 0),
    wrapper("chronic", Follows::Program, "", 0),
    wrapper("unbuffer", Follows::Program, "", 0),
    wrapper("strace", Follows::Program, "abeEIoOpPSuX", 0),
    wrapper("ltrace", Follows::Program, "aeFlnopsSuwx", 0),
    Wrapper {
        value_options: &["--with", "--python", "--project", "--directory", "--extra"],
        ..wrapper("uv", Follows::Fetched("run"), "p", 0)
    },
    Wrapper {
        value_options: &["--from", "--with", "--python"],
        ..wrapper("uvx", Follows::Fetched(""), "p", 0)
    },
    Wrapper {
        value_options: &["--spec"],
        ..wrapper("pipx", Follows::Fetched("run"), "", 0)
    },
    Wrapper {
        value_options: &["--package"],
        ..wrapper("npx", Follows::Fetched(""), "p", 0)
    },
    Wrapper {
        value_options: &["--package"],
        ..wrapper("bunx", Follows::Fetched(""), "p", 0)
    },
    Wrapper {
        value_options: &["--package"],
        ..wrapper("pnpx", Follows::Fetched(""), "p", 0)
    },
    wrapper("poetry", Follows::Somewhere, "", 0),
    wrapper("pipenv", Follows::Somewhere, "", 0),
    wrapper("direnv", Follows::Somewhere, "", 0),
    wrapper("dotenv", Follows::Somewhere, "", 0),
    wrapper("script", Follows::Somewhere, "", 0),
];

/// A program that runs the file it is given.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The names of the program, without versions.
    names: &'static [&'static str],
    /// What the program adds to a name that is not a file.
    pub suffixes: &'static [&'static str],
    /// What replaces `/` in the names of modules.
    pub module_separator: Option<&'static str>,
    /// The language of its scripts.
    pub(super) language: Language,
    /// Letters of the options after which a program is given as text, and words with the same meaning.
    text_options: &'static str,
    text_words: &'static [&'static str],
    /// Letters of the options after which a module is given by its name.
    module_options: &'static str,
    /// Subcommands and options that run no file.
    other_words: &'static [&'static str],
    /// Letters of the options that take the next word as value.
    value_options: &'static str,
    /// Long options that take the next word as value.
    long_value_options: &'static [&'static str],
    /// Whether no other option takes the next word as value.
    lists_all_options: bool,
    /// Words that may come before the file, and options before it.
    subcommands: &'static [&'static str],
    /// Whether it runs a program from the standard input if no file is given.
    pub reads_stdin: bool,
    /// Whether the operand may also be something else than a file, such as a class.
    pub(super) runs_others: bool,
}

/// What reads the scripts of an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// A shell with POSIX syntax.
    PosixShell,
    /// A program that takes its options as a shell does.
    OtherShell,
    /// PowerShell. The case of its options does not matter.
    PowerShell,
    Other,
}

/// What the word after an option may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NextWord {
    /// A word that does not belong to the option.
    #[default]
    Ordinary,
    /// Perhaps the value of the option: the table does not list it.
    MaybeValue,
    /// The value of the option.
    Value,
    /// A script, whatever its name is.
    Script,
}

/// What a word means to an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordMeaning {
    /// An option, or a word before the file.
    Option(NextWord),
    /// The value of the option before it.
    Value,
    /// The program is given as text, which follows. A shell first reads its other options.
    Text,
    /// The program is a module, whose name follows.
    Module,
    /// No file runs: the text is in this word, or the word asks for something else.
    Nothing,
    /// The program comes from the standard input.
    Stdin,
    /// The file to run. It can also be the value of an option that the table does not list.
    Operand,
}

const DEFAULTS: Interpreter = Interpreter {
    names: &[],
    suffixes: &[],
    module_separator: None,
    language: Language::Other,
    text_options: "",
    text_words: &[],
    module_options: "",
    other_words: &[],
    value_options: "",
    long_value_options: &[],
    lists_all_options: false,
    subcommands: &[],
    reads_stdin: true,
    runs_others: false,
};

const JAVASCRIPT: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

const SHELL: Interpreter = Interpreter {
    names: &["sh", "bash", "dash", "zsh", "ksh", "ash"],
    language: Language::PosixShell,
    text_options: "c",
    value_options: "oO",
    long_value_options: &["--rcfile", "--init-file"],
    lists_all_options: true,
    ..DEFAULTS
};

const INTERPRETERS: [Interpreter; 15] = [
    SHELL,
    Interpreter {
        names: &["fish", "busybox"],
        language: Language::OtherShell,
        subcommands: &["sh", "ash"],
        ..SHELL
    },
    Interpreter {
        names: &["python", "pythonw", "pypy", "py"],
        suffixes: &[".py", "/__main__.py", "/__init__.py"],
        module_separator: Some("."),
        text_options: "c",
        module_options: "m",
        value_options: "WX",
        long_value_options: &["--check-hash-based-pycs"],
        lists_all_options: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["node", "nodejs"],
        suffixes: JAVASCRIPT,
        text_options: "ep",
        text_words: &["--eval", "--print"],
        other_words: &["--run"],
        value_options: "rC",
        long_value_options: &[
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "--conditions",
            "--title",
            "--env-file",
            "--env-file-if-exists",
            "--input-type",
            "--icu-data-dir",
            "--openssl-config",
            "--redirect-warnings",
            "--test-name-pattern",
            "--test-reporter",
            "--test-reporter-destination",
            "--trace-event-categories",
            "--max-http-header-size",
            "--unhandled-rejections",
            "--disable-warning",
        ],
        ..DEFAULTS
    },
    Interpreter {
        names: &["deno", "bun", "tsx", "ts-node"],
        suffixes: JAVASCRIPT,
        text_options: "ep",
        text_words: &["--eval", "--print", "eval"],
        other_words: &["test", "fmt", "lint", "check", "install", "add", "build", "task", "x"],
        value_options: "crP",
        long_value_options: &[
            "--config",
            "--preload",
            "--require",
            "--import",
            "--import-map",
            "--cwd",
        ],
        subcommands: &["run", "watch"],
        ..DEFAULTS
    },
    Interpreter {
        names: &["ruby", "jruby"],
        suffixes: &[".rb"],
        text_options: "e",
        value_options: "rICEKF",
        long_value_options: &["--encoding", "--external-encoding", "--internal-encoding"],
        ..DEFAULTS
    },
    Interpreter {
        names: &["perl"],
        suffixes: &[".pm", ".pl"],
        module_separator: Some("::"),
        text_options: "eE",
        value_options: "IMm",
        lists_all_options: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["php"],
        suffixes: &[".php"],
        text_options: "rRBE",
        text_words: &["--run"],
        value_options: "dczSt",
        lists_all_options: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["lua", "luajit"],
        suffixes: &[".lua"],
        module_separator: Some("."),
        text_options: "e",
        value_options: "l",
        lists_all_options: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["Rscript", "osascript"],
        text_options: "e",
        value_options: "l",
        ..DEFAULTS
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        language: Language::PowerShell,
        suffixes: &[".ps1"],
        text_words: &["-c", "-command", "--command", "-encodedcommand", "-ec"],
        long_value_options: &[
            "-executionpolicy",
            "-ep",
            "-ex",
            "-windowstyle",
            "-w",
            "-version",
            "-workingdirectory",
            "-wd",
        ],
        subcommands: &["-file", "-f"],
        ..DEFAULTS
    },
    Interpreter {
        names: &["cmd"],
        text_words: &["/c", "/C"],
        reads_stdin: false,
        ..DEFAULTS
    },
    Interpreter {
        names: &["java", "dotnet", "wasmtime", "elixir", "escript", "groovy", "swift"],
        text_words: &["-e", "--eval"],
        long_value_options: &["-cp", "-classpath", "--class-path", "--module-path"],
        subcommands: &["run", "exec"],
        reads_stdin: false,
        runs_others: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["tclsh", "expect", "guile"],
        text_words: &["-c"],
        ..DEFAULTS
    },
    Interpreter {
        names: &[".", "source"],
        lists_all_options: true,
        reads_stdin: false,
        ..DEFAULTS
    },
];

/// The interpreter with this name.
#[must_use]
pub fn interpreter(name: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|known| known.names.contains(&name))
}

/// The wrapper with this name.
#[must_use]
pub fn find_wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|known| known.name == name)
}

/// A program's name, without folders, `.exe` and version.
#[must_use]
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let bare =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.' || character == '-');
    if bare.is_empty() { name } else { bare }
}

impl Wrapper {
    /// The number of its options and operands at the beginning of these words, which follow its name. Variables that it
    /// sets count too.
    pub(super) fn own_words(&self, words: &[Word]) -> usize {
        let at = self.options(words, 0);
        match self.operands {
            0 => at,
            operands => self.options(words, at + operands).min(words.len()),
        }
    }

    fn options(&self, words: &[Word], mut at: usize) -> usize {
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if text.starts_with('-') {
                at += 1 + usize::from(self.takes_next(text));
            } else if assignment_name(text).is_some() {
                at += 1;
            } else {
                break;
            }
        }
        at.min(words.len())
    }

    /// Whether the value of an option is the next word: `-n 5`, not `-n5` and not `--name=value`.
    fn takes_next(&self, option: &str) -> bool {
        let letters = option.strip_prefix('-').unwrap_or_default();
        let is_value = |letter: char| self.value_letters.contains(letter);
        self.value_options.contains(&option)
            || (!letters.starts_with('-') && letters.find(is_value) == letters.len().checked_sub(1))
    }

    /// The program with its arguments that it fetches and starts; `None` if it does not.
    pub(super) fn fetched<'w>(&self, words: &'w [Word]) -> Option<&'w [Word]> {
        let Follows::Fetched(verb) = self.follows else {
            return None;
        };
        let verb_at = words.iter().position(|word| word.text == verb);
        let behind = if verb.is_empty() { words } else { &words[verb_at? + 1..] };
        behind.get(self.options(behind, 0)..).filter(|rest| !rest.is_empty())
    }

    /// The folder in which its options say that the program starts.
    pub(super) fn folder<'w>(&self, words: &'w [Word]) -> Option<&'w str> {
        for (at, word) in words.iter().enumerate() {
            for option in self.folder_options {
                match word.text.strip_prefix(option) {
                    Some("") => return words.get(at + 1).map(|next| next.text.as_str()),
                    Some(rest) if !option.starts_with("--") => return Some(rest),
                    Some(rest) => return rest.strip_prefix('='),
                    None => {}
                }
            }
        }
        None
    }
}

impl Interpreter {
    /// Whether it is a shell, or takes its options as a shell does.
    #[must_use]
    pub fn is_shell(&self) -> bool {
        matches!(self.language, Language::PosixShell | Language::OtherShell)
    }

    /// Whether it reads POSIX syntax.
    #[must_use]
    pub fn is_posix_shell(&self) -> bool {
        self.language == Language::PosixShell
    }

    /// Whether its script can be a folder.
    #[must_use]
    pub fn runs_folders(&self) -> bool {
        self.suffixes.iter().any(|add| add.starts_with('/'))
    }

    /// The meaning of a word. `before` is what the previous word allows it to be.
    #[must_use]
    pub fn meaning(&self, text: &str, before: NextWord) -> WordMeaning {
        let lower = (self.language == Language::PowerShell).then(|| text.to_ascii_lowercase());
        let text = lower.as_deref().unwrap_or(text);
        let dashed = text
            .strip_prefix('-')
            .or_else(|| text.strip_prefix('+').filter(|_| self.is_shell()));
        match dashed {
            _ if before == NextWord::Value => WordMeaning::Value,
            _ if text == "/dev/stdin" || text.starts_with("/dev/fd/") => WordMeaning::Stdin,
            _ if self.long_value_options.contains(&text) => WordMeaning::Option(NextWord::Value),
            _ if before == NextWord::Script && dashed.is_none() => WordMeaning::Operand,
            _ if self.subcommands.contains(&text) => WordMeaning::Option(NextWord::Script),
            _ if self.text_words.contains(&text) => WordMeaning::Text,
            _ if self
                .text_words
                .iter()
                .chain(self.other_words)
                .any(|word| text.split('=').next() == Some(*word)) =>
            {
                WordMeaning::Nothing
            }
            // For a shell, `-` ends the options. For other interpreters it is the standard input.
            Some("") if !self.is_shell() => WordMeaning::Stdin,
            Some("" | "-") => WordMeaning::Option(NextWord::Ordinary),
            Some(letters) if letters.starts_with('-') => self.unlisted_option(letters),
            Some(letters) => self.letters(letters),
            None => WordMeaning::Operand,
        }
    }

    fn letters(&self, letters: &str) -> WordMeaning {
        if self.is_shell() {
            // A shell takes the values of its options after all letters.
            return match letters {
                _ if letters.contains('c') => WordMeaning::Text,
                _ if letters.contains('s') => WordMeaning::Stdin,
                _ if letters.contains(['o', 'O']) => WordMeaning::Option(NextWord::Value),
                _ => WordMeaning::Option(NextWord::Ordinary),
            };
        }
        for (at, letter) in letters.char_indices() {
            let last = at + letter.len_utf8() == letters.len();
            if self.text_options.contains(letter) {
                // `node -pe` has two of them. The rest of `python3 -cprint` is the text.
                let follows = letters[at..].chars().all(|letter| self.text_options.contains(letter));
                return if follows {
                    WordMeaning::Text
                } else {
                    WordMeaning::Nothing
                };
            }
            if self.module_options.contains(letter) {
                return if last {
                    WordMeaning::Module
                } else {
                    WordMeaning::Nothing
                };
            }
            if self.value_options.contains(letter) {
                return WordMeaning::Option(if last { NextWord::Value } else { NextWord::Ordinary });
            }
        }
        self.unlisted_option(letters)
    }

    /// The meaning of an option that the table does not list.
    fn unlisted_option(&self, option: &str) -> WordMeaning {
        let free = self.lists_all_options || option.contains('=') || option.starts_with("-no-");
        WordMeaning::Option(if free { NextWord::Ordinary } else { NextWord::MaybeValue })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script<'a>(program: &str, words: &'a str) -> Vec<&'a str> {
        let known = interpreter(program).expect("a known interpreter");
        let mut before = NextWord::Ordinary;
        let mut found = Vec::new();
        for word in words.split(' ') {
            match known.meaning(word, before) {
                WordMeaning::Option(after) => before = after,
                WordMeaning::Value => before = NextWord::Ordinary,
                WordMeaning::Text | WordMeaning::Module | WordMeaning::Nothing | WordMeaning::Stdin => break,
                WordMeaning::Operand => {
                    found.push(word);
                    if before != NextWord::MaybeValue {
                        break;
                    }
                    before = NextWord::Ordinary;
                }
            }
        }
        found
    }

    #[test]
    fn values_of_options_are_no_scripts() {
        for (program, words) in [
            ("bash", "-euo pipefail x y"),
            ("sh", "-o errexit x"),
            ("sh", "+e x"),
            ("sh", "- x"),
            ("bash", "--rcfile rc -O extglob x"),
            ("python", "-u -W ignore -X dev x y"),
            ("node", "--no-warnings x y"),
            ("node", "-r ./other --require other --title foo x"),
            ("perl", "-I lib -MEvil x"),
            ("java", "-cp lib x y"),
            ("bun", "run x"),
        ] {
            assert_eq!(script(program, words), ["x"], "{program} {words}");
        }
        assert_eq!(script("java", "-Dx -ea foo x y"), ["foo", "x"], "it may be a value");
    }

    #[test]
    fn text_and_the_standard_input_end_the_search() {
        for (program, words) in [
            ("sh", "-ec x"),
            ("sh", "-s x"),
            ("bash", "-co pipefail x"),
            ("python", "-um x"),
            ("python", "- x"),
            ("node", "--eval=1 x"),
            ("perl", "-ne x"),
            ("sh", "/dev/fd/0 x"),
            ("bun", "test src"),
        ] {
            assert!(script(program, words).is_empty(), "{program} {words}");
        }
    }
}
