//! Programs that run the file they are given, and the meaning of their words. All of it is data: a new program is a new
//! row.

/// A program that runs the file it is given.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The names of the program, without versions.
    names: &'static [&'static str],
    /// What the program adds to a name that is not a file.
    pub suffixes: &'static [&'static str],
    /// What replaces `/` in the names of modules.
    pub module_separator: Option<&'static str>,
    /// Letters of the options after which a program is given as text, or a module by its name.
    text_options: &'static str,
    /// Words with the same meaning, and subcommands that run no script.
    text_words: &'static [&'static str],
    /// Letters of the options that take the next word as value.
    value_options: &'static str,
    /// Long options that take the next word as value.
    long_value_options: &'static [&'static str],
    /// Whether no other option takes the next word as value.
    lists_all_options: bool,
    /// Words that may come before the file.
    subcommands: &'static [&'static str],
    /// Whether it runs a program from the standard input if no file is given.
    pub reads_stdin: bool,
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
    /// The program is given as text or by a module's name, or no program runs.
    Text,
    /// The program comes from the standard input.
    Stdin,
    /// The file to run. It can also be the value of an option that the table does not list.
    Operand,
}

const DEFAULTS: Interpreter = Interpreter {
    names: &[],
    suffixes: &[],
    module_separator: None,
    text_options: "",
    text_words: &[],
    value_options: "",
    long_value_options: &[],
    lists_all_options: false,
    subcommands: &[],
    reads_stdin: true,
};

const JAVASCRIPT: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

/// Shells come first.
const INTERPRETERS: [Interpreter; 13] = [
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"],
        text_options: "c",
        value_options: "oO",
        long_value_options: &["--rcfile", "--init-file"],
        lists_all_options: true,
        subcommands: &["sh", "ash"],
        ..DEFAULTS
    },
    Interpreter {
        names: &["python", "pythonw", "pypy", "py"],
        suffixes: &[".py", "/__main__.py", "/__init__.py"],
        module_separator: Some("."),
        text_options: "cm",
        value_options: "WX",
        long_value_options: &["--check-hash-based-pycs"],
        lists_all_options: true,
        ..DEFAULTS
    },
    Interpreter {
        names: &["node", "nodejs"],
        suffixes: JAVASCRIPT,
        text_options: "ep",
        text_words: &["--eval", "--print", "--run"],
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
        text_words: &[
            "--eval", "--print", "eval", "test", "fmt", "lint", "check", "install", "add", "build", "task", "x",
        ],
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
        suffixes: &[".ps1"],
        text_words: &["-c", "-C", "-Command", "-command", "--command"],
        ..DEFAULTS
    },
    Interpreter {
        names: &["java", "dotnet", "wasmtime", "elixir", "escript", "groovy", "swift"],
        text_words: &["-e", "--eval"],
        long_value_options: &["-cp", "-classpath", "--class-path", "--module-path"],
        subcommands: &["run", "exec"],
        reads_stdin: false,
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

impl Interpreter {
    /// Whether it is a shell.
    #[must_use]
    pub fn is_shell(&self) -> bool {
        self.names.contains(&"sh")
    }

    /// Whether its script can be a folder.
    #[must_use]
    pub fn runs_folders(&self) -> bool {
        self.suffixes.iter().any(|add| add.starts_with('/'))
    }

    /// The meaning of a word. `before` is what the previous word allows it to be.
    #[must_use]
    pub fn meaning(&self, text: &str, before: NextWord) -> WordMeaning {
        let dashed = text
            .strip_prefix('-')
            .or_else(|| text.strip_prefix('+').filter(|_| self.is_shell()));
        match dashed {
            _ if before == NextWord::Value => WordMeaning::Value,
            _ if text == "/dev/stdin" || text.starts_with("/dev/fd/") => WordMeaning::Stdin,
            _ if self.long_value_options.contains(&text) => WordMeaning::Option(NextWord::Value),
            _ if before != NextWord::Script && self.text_words.contains(&text.split('=').next().unwrap_or(text)) => {
                WordMeaning::Text
            }
            // For a shell, `-` ends the options. For other interpreters it is the standard input.
            Some("") if !self.is_shell() => WordMeaning::Stdin,
            Some("" | "-") => WordMeaning::Option(NextWord::Ordinary),
            Some(letters) if letters.starts_with('-') => self.unlisted_option(letters),
            Some(letters) => self.letters(letters),
            None if before != NextWord::Script && self.subcommands.contains(&text) => {
                WordMeaning::Option(NextWord::Script)
            }
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
            if self.text_options.contains(letter) {
                return WordMeaning::Text;
            }
            if self.value_options.contains(letter) {
                let last = at + letter.len_utf8() == letters.len();
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
        let known = interpreter(program).expect("it is one");
        let mut before = NextWord::Ordinary;
        let mut found = Vec::new();
        for word in words.split(' ') {
            match known.meaning(word, before) {
                WordMeaning::Option(after) => before = after,
                WordMeaning::Value => before = NextWord::Ordinary,
                WordMeaning::Text | WordMeaning::Stdin => break,
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
