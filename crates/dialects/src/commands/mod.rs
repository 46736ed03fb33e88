//! What advice reads off a hook's command and the scripts it names, by literal words only: whether it can start, the
//! variables that nothing sets, the paths that one machine or directory has, the codes it exits with.

mod absent_script;
pub mod exits;
mod gather;
pub mod messages;
mod paths;
pub mod prints;
mod start;
mod trouble;
mod variables;

use std::borrow::Cow;
use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Card, Code, Hook, Layer, LintContext, Message, Problem};

use crate::shell::{self, Script, Target, Word, is_shell_program, plain_name};

pub use absent_script::code_without;
pub use exits::exit_code;
pub use gather::{Alike, few, gather, gather_alike};
pub use paths::{is_drive, not_portable};
pub use start::{has, interpreter, missing_program, trouble};
pub use trouble::{Effect, Trouble};
pub use variables::unset_variable;

/// What advice knows of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its tables.
    pub card: &'static Card,
    /// Variables that every hook gets.
    pub ours: &'static [&'static str],
    /// A way to read a part of the event.
    pub stdin: &'static str,
    /// A file beside the hooks of a layer, written so that a hook finds it from any directory.
    pub portable: fn(&str, Layer) -> String,
    /// Whether a relative path of a project's hook is found wherever the agent works.
    pub relative_holds: bool,
}

/// What reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The system's `sh`.
    Sh,
    /// bash, or a shell that knows what bash knows.
    Bash,
    /// Anything else: Python, JavaScript.
    Other,
}

/// A text that a hook runs: its command, a text that the command gives to an interpreter, or a script that it names.
#[derive(Debug)]
pub struct Piece<'a> {
    /// What reads it.
    pub reader: Reader,
    /// It.
    pub text: Cow<'a, str>,
    /// The file it is; `None` for what is in the definition itself.
    pub file: Option<&'a Path>,
    /// What a shell finds in it; empty for other readers.
    pub script: Script,
}

/// A hook's command with everything that can be read of it.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The hook.
    pub hook: &'a Hook,
    /// Its texts, the command first.
    pub pieces: Vec<Piece<'a>>,
    /// Its words, when it is started without a shell.
    pub argv: Vec<Word>,
}

/// Texts in texts that are followed: `sh -c "sh -c …"`.
const MAX_NESTED: usize = 16;

impl<'a> Subject<'a> {
    /// A command that a shell reads.
    #[must_use]
    pub fn command(hook: &'a Hook, command: &'a str, reader: Reader, desk: &'a LintContext<'_>) -> Self {
        let mut subject = Self {
            hook,
            pieces: vec![Piece::new(reader, Cow::Borrowed(command), None)],
            argv: Vec::new(),
        };
        subject.complete(desk);
        subject
    }

    /// A program that is started without a shell.
    #[must_use]
    pub fn argv(hook: &'a Hook, argv: &[&str], desk: &'a LintContext<'_>) -> Self {
        let argv: Vec<Word> = argv.iter().map(|text| Word::literal(text)).collect();
        let mut subject = Self {
            hook,
            pieces: inline(&argv).into_iter().collect(),
            argv,
        };
        subject.complete(desk);
        subject
    }

    /// A script that is executed itself.
    #[must_use]
    pub fn script(hook: &'a Hook, path: &'a Path, text: &'a str) -> Self {
        Self {
            hook,
            pieces: vec![Piece::script(path, text)],
            argv: Vec::new(),
        }
    }

    /// Adds the texts inside the texts, and the files that are named.
    fn complete(&mut self, desk: &'a LintContext<'_>) {
        let mut at = 0;
        while at < self.pieces.len().min(MAX_NESTED) {
            let inside: Vec<Piece<'a>> = self.pieces[at].script.programs().filter_map(inline).collect();
            let here: Vec<Piece<'a>> = self.pieces[at].here().collect();
            self.pieces.extend(inside.into_iter().chain(here));
            at += 1;
        }
        for (path, text) in desk.named.get(&self.hook.id).into_iter().flatten() {
            let reader = self.reader_of(path, text);
            self.pieces.push(Piece::new(reader, Cow::Borrowed(text), Some(path)));
        }
    }

    /// What reads a script: the shell that the command gives it to, else what its first line or its name says.
    fn reader_of(&self, path: &Path, text: &str) -> Reader {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let vectors = self.pieces.iter().flat_map(|piece| piece.script.programs());
        let given = vectors
            .chain(std::iter::once(&*self.argv))
            .find_map(|words| match shell::target(words) {
                Target::Script(file) if shell::base_name(&file.text) == name => words.first(),
                Target::Script(_) | Target::Text(_) | Target::Module(_) | Target::Program => None,
            });
        given
            .and_then(|program| shell_reader(&program.text))
            .unwrap_or_else(|| script_reader(path, text))
    }

    /// What the definition itself says, without the files it names.
    pub fn own(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.pieces.iter().filter(|piece| piece.file.is_none())
    }

    /// Says something at a field of the definition.
    #[must_use]
    pub fn say(&self, words: Message, field: &str) -> Problem {
        say(self.hook, words, field)
    }

    /// Says something about the line of its texts where this finds it first.
    #[must_use]
    pub fn say_where(&self, find: impl Fn(&str) -> Option<u32>, words: Message) -> Problem {
        let mut pieces = self.pieces.iter();
        match pieces.find_map(|piece| Some((piece, find(&piece.text)?))) {
            Some((piece, line)) => self.say_in(piece, line, words),
            None => self.say(words, "command"),
        }
    }

    /// Says something about a line of one of its texts.
    #[must_use]
    pub fn say_in(&self, piece: &Piece<'_>, line: u32, words: Message) -> Problem {
        let problem = self.say(words, "command");
        match piece.file {
            Some(file) => problem.within(file, line),
            None => problem,
        }
    }
}

impl<'a> Piece<'a> {
    fn new(reader: Reader, text: Cow<'a, str>, file: Option<&'a Path>) -> Self {
        let script = match reader {
            Reader::Sh | Reader::Bash => shell::scan(&text),
            Reader::Other => Script::default(),
        };
        Self {
            reader,
            text,
            file,
            script,
        }
    }

    /// A script that is executed itself.
    #[must_use]
    pub fn script(path: &'a Path, text: &'a str) -> Self {
        Self::new(script_reader(path, text), Cow::Borrowed(text), Some(path))
    }

    /// Its here-documents, as texts of another language.
    fn here(&self) -> impl Iterator<Item = Self> {
        let bodies = self.script.here.iter();
        bodies.map(|body| Self::new(Reader::Other, Cow::Owned(body.text.clone()), self.file))
    }
}

/// The text that a program is given to read.
fn inline<'a>(words: &[Word]) -> Option<Piece<'a>> {
    let Target::Text(text) = shell::target(words) else {
        return None;
    };
    let reader = shell_reader(&words.first()?.text).unwrap_or(Reader::Other);
    Some(Piece::new(reader, Cow::Owned(text.text.clone()), None))
}

/// What a shell of that name knows; `None` for any other program.
fn shell_reader(program: &str) -> Option<Reader> {
    match plain_name(program) {
        "sh" | "dash" | "ash" => Some(Reader::Sh),
        _ if is_shell_program(program) => Some(Reader::Bash),
        _ => None,
    }
}

/// What reads a script by its first line, else by its name.
#[must_use]
pub fn script_reader(path: &Path, text: &str) -> Reader {
    let first = text.lines().next().unwrap_or_default();
    if let Some(line) = first.strip_prefix("#!") {
        let named = line.split_whitespace().find_map(shell_reader);
        return named.unwrap_or(Reader::Other);
    }
    match path.extension().and_then(|end| end.to_str()) {
        Some("sh") => Reader::Sh,
        Some("bash" | "zsh") => Reader::Bash,
        _ => Reader::Other,
    }
}

/// Says something at a field of the definition, at the whole where the field is not written.
#[must_use]
pub fn say(hook: &Hook, words: Message, field: &str) -> Problem {
    let whole = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let spot = hook.field_positions.get(field).copied().unwrap_or(whole);
    Problem::new(words, &hook.source.path, Some(spot)).for_hook(&hook.id)
}

/// Lines that do something.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let all = text.lines().map(str::trim);
    all.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
}

/// What is told of a guard that fails open in general: when it fails, when it is slow.
const IN_GENERAL: [&str; 3] = ["", "pico", "qoder_short"];
/// What is told of a guard that cannot start, and so fails each time.
const EACH_TIME: [&str; 6] = [
    "missing",
    "missing_exit_2",
    "not_executable",
    "carriage_return",
    "no_interpreter",
    "not_installed",
];

/// A guard that cannot start fails open each time: that it would when it fails is not told beside it.
pub fn fails_open_once(problems: &mut Vec<Problem>) {
    let is_told = |problem: &Problem, cases: &[&str]| {
        let case = problem.args.get("case").and_then(|case| case.as_str());
        problem.code == Code::FailsOpen && cases.contains(&case.unwrap_or_default())
    };
    let told = problems.iter().filter(|problem| is_told(problem, &EACH_TIME));
    let broken: std::collections::HashSet<String> = told.filter_map(|problem| problem.hook.clone()).collect();
    let is_broken = |problem: &Problem| problem.hook.as_ref().is_some_and(|hook| broken.contains(hook));
    problems.retain(|problem| !(is_told(problem, &IN_GENERAL) && is_broken(problem)));
}

/// One script that several hooks run has each of its faults once: said at the first of them.
pub fn once_a_script(problems: &mut Vec<Problem>) {
    let mut said = std::collections::HashSet::new();
    problems.retain(|problem| match &problem.inside {
        Some(inside) => said.insert((inside.path.clone(), inside.line, problem.code, problem.message.clone())),
        None => true,
    });
}
