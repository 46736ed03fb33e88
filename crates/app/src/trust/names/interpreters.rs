//! Programs that run the file they are given, and what their words mean: data, so that a new program is a new row.

/// A program that runs the file it is given.
#[derive(Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its names, without versions.
    names: &'static [&'static str],
    /// What it adds to a name that is not a file.
    pub adds: &'static [&'static str],
    /// What stands for `/` in the names of modules.
    pub separator: Option<&'static str>,
    /// Letters of options behind which a program stands as text, or a module by its name.
    text: &'static str,
    /// Words that do the same, and commands of its own that run no script.
    text_words: &'static [&'static str],
    /// Letters of options that take the next word.
    takes: &'static str,
    /// Long options that take the next word.
    takes_long: &'static [&'static str],
    /// No other option takes a word.
    listed: bool,
    /// Words before the file.
    subcommands: &'static [&'static str],
    /// Without a file it runs what it reads.
    pub reads: bool,
}

/// What the word behind an option may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum After {
    /// Nothing of the option's.
    #[default]
    Free,
    /// The option's value, or not: the table does not say.
    Maybe,
    /// The option's value.
    Value,
    /// A script, whatever it is called.
    Script,
}

/// What a word is to an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// An option, or a word that stands before the file.
    Option(After),
    /// The value of the option before it.
    Value,
    /// The program is given as text or by a module's name, or none is run.
    Text,
    /// The program comes from the standard input.
    Stdin,
    /// The file to run, unless it is the value of an option that the table does not know.
    Operand,
}

const PLAIN: Interpreter = Interpreter {
    names: &[],
    adds: &[],
    separator: None,
    text: "",
    text_words: &[],
    takes: "",
    takes_long: &[],
    listed: false,
    subcommands: &[],
    reads: true,
};

const JAVASCRIPT: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

/// Shells stand first.
const INTERPRETERS: [Interpreter; 13] = [
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"],
        text: "c",
        takes: "oO",
        takes_long: &["--rcfile", "--init-file"],
        listed: true,
        subcommands: &["sh", "ash"],
        ..PLAIN
    },
    Interpreter {
        names: &["python", "pythonw", "pypy", "py"],
        adds: &[".py", "/__main__.py", "/__init__.py"],
        separator: Some("."),
        text: "cm",
        takes: "WX",
        takes_long: &["--check-hash-based-pycs"],
        listed: true,
        ..PLAIN
    },
    Interpreter {
        names: &["node", "nodejs"],
        adds: JAVASCRIPT,
        text: "ep",
        text_words: &["--eval", "--print", "--run"],
        takes: "rC",
        takes_long: &[
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
        ..PLAIN
    },
    Interpreter {
        names: &["deno", "bun", "tsx", "ts-node"],
        adds: JAVASCRIPT,
        text: "ep",
        text_words: &[
            "--eval", "--print", "eval", "test", "fmt", "lint", "check", "install", "add", "build", "task", "x",
        ],
        takes: "crP",
        takes_long: &[
            "--config",
            "--preload",
            "--require",
            "--import",
            "--import-map",
            "--cwd",
        ],
        subcommands: &["run", "watch"],
        ..PLAIN
    },
    Interpreter {
        names: &["ruby", "jruby"],
        adds: &[".rb"],
        text: "e",
        takes: "rICEKF",
        takes_long: &["--encoding", "--external-encoding", "--internal-encoding"],
        ..PLAIN
    },
    Interpreter {
        names: &["perl"],
        adds: &[".pm", ".pl"],
        separator: Some("::"),
        text: "eE",
        takes: "IMm",
        listed: true,
        ..PLAIN
    },
    Interpreter {
        names: &["php"],
        adds: &[".php"],
        text: "rRBE",
        text_words: &["--run"],
        takes: "dczSt",
        listed: true,
        ..PLAIN
    },
    Interpreter {
        names: &["lua", "luajit"],
        adds: &[".lua"],
        separator: Some("."),
        text: "e",
        takes: "l",
        listed: true,
        ..PLAIN
    },
    Interpreter {
        names: &["Rscript", "osascript"],
        text: "e",
        takes: "l",
        ..PLAIN
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        adds: &[".ps1"],
        text_words: &["-c", "-C", "-Command", "-command", "--command"],
        ..PLAIN
    },
    Interpreter {
        names: &["java", "dotnet", "wasmtime", "elixir", "escript", "groovy", "swift"],
        text_words: &["-e", "--eval"],
        takes_long: &["-cp", "-classpath", "--class-path", "--module-path"],
        subcommands: &["run", "exec"],
        reads: false,
        ..PLAIN
    },
    Interpreter {
        names: &["tclsh", "expect", "guile"],
        text_words: &["-c"],
        ..PLAIN
    },
    Interpreter {
        names: &[".", "source"],
        listed: true,
        reads: false,
        ..PLAIN
    },
];

/// The interpreter of that name.
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

    /// Whether a folder can be its script.
    #[must_use]
    pub fn runs_folders(&self) -> bool {
        self.adds.iter().any(|add| add.starts_with('/'))
    }

    /// What a word is, with what the one before it says of it.
    #[must_use]
    pub fn meaning(&self, text: &str, before: After) -> Meaning {
        let dashed = text
            .strip_prefix('-')
            .or_else(|| text.strip_prefix('+').filter(|_| self.is_shell()));
        match dashed {
            _ if before == After::Value => Meaning::Value,
            _ if text == "/dev/stdin" || text.starts_with("/dev/fd/") => Meaning::Stdin,
            _ if self.takes_long.contains(&text) => Meaning::Option(After::Value),
            _ if before != After::Script && self.text_words.contains(&text.split('=').next().unwrap_or(text)) => {
                Meaning::Text
            }
            // A shell's options end there.
            Some("") if !self.is_shell() => Meaning::Stdin,
            Some("" | "-") => Meaning::Option(After::Free),
            Some(letters) if letters.starts_with('-') => self.other(letters),
            Some(letters) => self.letters(letters),
            None if before != After::Script && self.subcommands.contains(&text) => Meaning::Option(After::Script),
            None => Meaning::Operand,
        }
    }

    fn letters(&self, letters: &str) -> Meaning {
        if self.is_shell() {
            // Its options take their values behind all letters.
            return match letters {
                _ if letters.contains('c') => Meaning::Text,
                _ if letters.contains('s') => Meaning::Stdin,
                _ if letters.contains(['o', 'O']) => Meaning::Option(After::Value),
                _ => Meaning::Option(After::Free),
            };
        }
        for (at, letter) in letters.char_indices() {
            if self.text.contains(letter) {
                return Meaning::Text;
            }
            if self.takes.contains(letter) {
                let last = at + letter.len_utf8() == letters.len();
                return Meaning::Option(if last { After::Value } else { After::Free });
            }
        }
        self.other(letters)
    }

    /// An option that the table does not name.
    fn other(&self, option: &str) -> Meaning {
        let free = self.listed || option.contains('=') || option.starts_with("-no-");
        Meaning::Option(if free { After::Free } else { After::Maybe })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script<'a>(program: &str, words: &'a str) -> Vec<&'a str> {
        let known = interpreter(program).expect("it is one");
        let mut before = After::Free;
        let mut found = Vec::new();
        for word in words.split(' ') {
            match known.meaning(word, before) {
                Meaning::Option(after) => before = after,
                Meaning::Value => before = After::Free,
                Meaning::Text | Meaning::Stdin => break,
                Meaning::Operand => {
                    found.push(word);
                    if before != After::Maybe {
                        break;
                    }
                    before = After::Free;
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
