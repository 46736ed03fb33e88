//! Checks a hook's command and the scripts that it names. All checks read literal text only, and nothing is run.
//!
//! They find out whether the hook can start, which variables nothing sets, and with which codes the hook exits. They
//! also find paths that exist only on one machine or in one directory.

mod absent_script;
mod argument_signs;
mod definitions_only;
mod dropped;
pub mod exits;
pub mod flow;
pub mod interpreter_line;
pub mod messages;
mod misread;
mod paths;
pub mod prints;
mod problem_merge;
mod program_names;
mod program_starts;
mod program_ways;
mod script_programs;
pub mod script_text;
mod start;
mod start_failure;
mod stderr_words;
mod variables;
pub mod ways;

use std::borrow::Cow;
use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Card, Hook, Layer, LintContext, Message, MessageTemplate, Problem};

use crate::script_scan;
use crate::shell::{self, Script, Target, Word, is_shell_program, plain_name};

pub use argument_signs::check_argument_signs;
pub use definitions_only::{defines_only, only_defines_functions};
pub use dropped::{concerns_decision, mark_dropped};
pub use exits::exit_code;
pub use interpreter_line::{LineFault, has_interpreter, interpreter, line_fault};
pub use misread::{MisreadWord, Misreading};
pub use paths::{check_portability, check_shell_syntax, is_drive};
pub use problem_merge::{MergeRule, join_few, merge_by_rule, merge_problems};
pub use program_names::program_names;
pub use script_programs::check_script_programs;
pub use start::find_start_failure;
pub use start_failure::{StartFailure, StartReason, fix_first_line};
pub use stderr_words::may_write_stderr;
pub use variables::check_unset_variables;

/// Facts about an agent that the checks need.
#[derive(Debug, Clone, Copy)]
pub struct AgentProfile {
    /// The tables of the agent's dialect.
    pub card: &'static Card,
    /// Names of the variables that every hook gets from the agent or from Hookwright.
    pub env_vars: &'static [&'static str],
    /// Example of a command that reads a payload field from stdin (`jq -r .tool_name`), for hints.
    pub stdin_example: &'static str,
    /// Rewrites the relative path of a file of a layer so that a hook finds it from any directory.
    pub portable_path: fn(&str, Layer) -> String,
    /// Whether the user's login shell reads the commands, so that it is not the system's `sh`.
    pub uses_login_shell: bool,
    /// Where project hooks with relative paths find their files.
    pub relative_paths: RelativePaths,
}

/// Where the relative paths of project hooks lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelativePaths {
    /// To the files of the project, wherever the agent works.
    Work,
    /// To the directory in which the agent works at the moment.
    FollowAgent,
    /// To the directory in which the session began.
    FollowSession,
}

/// The language of a text, which decides what reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// The system's `sh`.
    Sh,
    /// bash, or a shell with the features of bash.
    Bash,
    /// Anything else: Python, JavaScript.
    Other,
}

/// A text that a hook runs: its command, a text that the command gives to an interpreter, or a script that it names.
#[derive(Debug)]
pub struct CodePiece<'a> {
    /// The language of the text.
    pub language: ScriptLanguage,
    /// The text itself.
    pub text: Cow<'a, str>,
    /// The text without comments, docstrings and redirected output, to look for answers in it.
    pub output: String,
    /// The file that contains the text; `None` for a text in the definition itself.
    pub file: Option<&'a Path>,
    /// What the shell scanner found in the text; empty for other languages.
    pub script: Script,
}

/// A hook with the texts of its command and scripts, ready for the checks.
#[derive(Debug)]
pub struct LintSubject<'a> {
    /// The hook that the texts belong to.
    pub hook: &'a Hook,
    /// The texts that the hook runs, the command first.
    pub pieces: Vec<CodePiece<'a>>,
    /// The program and its arguments, if the hook starts without a shell; else empty.
    pub argv: Vec<Word>,
}

/// How many texts are searched for further texts inside them: `sh -c "sh -c …"`.
const MAX_NESTED: usize = 16;

impl<'a> LintSubject<'a> {
    /// Creates the subject for a command that a shell reads.
    #[must_use]
    pub fn for_command(
        hook: &'a Hook,
        command: &'a str,
        language: ScriptLanguage,
        context: &'a LintContext<'_>,
    ) -> Self {
        let mut subject = Self {
            hook,
            pieces: vec![CodePiece::new(language, Cow::Borrowed(command), None)],
            argv: Vec::new(),
        };
        subject.add_nested_pieces(context);
        subject
    }

    /// Creates the subject for a program that starts without a shell.
    #[must_use]
    pub fn for_argv(hook: &'a Hook, argv: &[&str], context: &'a LintContext<'_>) -> Self {
        let argv: Vec<Word> = argv.iter().map(|text| Word::literal(text)).collect();
        let mut subject = Self {
            hook,
            pieces: inline_piece(&argv).into_iter().collect(),
            argv,
        };
        subject.add_nested_pieces(context);
        subject
    }

    /// Creates the subject for a script that is executed directly.
    #[must_use]
    pub fn for_script(hook: &'a Hook, path: &'a Path, text: &'a str) -> Self {
        Self {
            hook,
            pieces: vec![CodePiece::from_script(path, text)],
            argv: Vec::new(),
        }
    }

    /// Adds the texts inside the texts, and the files that the command names.
    fn add_nested_pieces(&mut self, context: &'a LintContext<'_>) {
        let mut at = 0;
        while at < self.pieces.len().min(MAX_NESTED) {
            let inside: Vec<CodePiece<'a>> = self.pieces[at].script.programs().filter_map(inline_piece).collect();
            let documents: Vec<CodePiece<'a>> = self.pieces[at].here_documents().collect();
            self.pieces.extend(inside.into_iter().chain(documents));
            at += 1;
        }
        for (path, text) in context.named_file_texts.get(&self.hook.id).into_iter().flatten() {
            let language = self.language_of(path, text);
            self.pieces
                .push(CodePiece::new(language, Cow::Borrowed(text), Some(path)));
        }
    }

    /// Finds the language of a script: that of the shell to which the command gives it, else that of its first line or
    /// its name.
    fn language_of(&self, path: &Path, text: &str) -> ScriptLanguage {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let vectors = self.pieces.iter().flat_map(|piece| piece.script.programs());
        let given = vectors
            .chain(std::iter::once(&*self.argv))
            .find_map(|words| match shell::target(words) {
                Target::Script(file) if shell::base_name(&file.text) == name => words.first(),
                Target::Script(_) | Target::Text(_) | Target::Module(_) | Target::Program => None,
            });
        given
            .and_then(|program| shell_language(&program.text))
            .unwrap_or_else(|| script_language(path, text))
    }

    /// Returns the texts of the definition itself, without the files that it names.
    pub fn inline_pieces(&self) -> impl Iterator<Item = &CodePiece<'a>> {
        self.pieces.iter().filter(|piece| piece.file.is_none())
    }

    /// Creates a problem at a field of the definition.
    #[must_use]
    pub fn problem_at(&self, message: Message, field: &str) -> Problem {
        problem_at_field(self.hook, message, field)
    }

    /// Returns the parts of the command and of the files that can become output, joined.
    #[must_use]
    pub fn output_text(&self) -> String {
        let written = self.pieces.iter().enumerate();
        let written = written.filter(|(at, piece)| *at == 0 || piece.file.is_some());
        let texts: Vec<&str> = written.map(|(_, piece)| piece.output.as_str()).collect();
        texts.join("\n")
    }

    /// Creates a problem at the first line that `find` returns for what one of the texts puts out, or at `command` if it
    /// finds none.
    #[must_use]
    pub fn problem_at_match(&self, find: impl Fn(&str) -> Option<u32>, message: Message) -> Problem {
        let mut pieces = self.pieces.iter();
        match pieces.find_map(|piece| Some((piece, find(&piece.output)?))) {
            Some((piece, line)) => {
                let lines = std::iter::once(line).chain(further_lines(&piece.output, line, &find));
                self.problem_in_lines(piece, lines, message)
            }
            None => self.problem_at(message, "command"),
        }
    }

    /// The first line of a shell's text that leaves something running with stdout open, with its text.
    #[must_use]
    pub fn left_running(&self) -> Option<(&CodePiece<'_>, u32)> {
        let is_shell = |piece: &&CodePiece<'_>| matches!(piece.language, ScriptLanguage::Sh | ScriptLanguage::Bash);
        let mut shells = self.pieces.iter().filter(is_shell);
        shells.find_map(|piece| Some((piece, script_scan::line_left_running(&piece.text)?)))
    }

    /// Creates a problem at lines of one of the texts, of which there is at least one. Equal faults of a script are one
    /// problem that names all their lines.
    #[must_use]
    pub fn problem_in_lines(
        &self,
        piece: &CodePiece<'_>,
        lines: impl IntoIterator<Item = u32>,
        message: Message,
    ) -> Problem {
        let problem = self.problem_at(message, "command");
        let mut lines: Vec<u32> = lines.into_iter().collect();
        lines.sort_unstable();
        lines.dedup();
        match (piece.file, lines.split_first()) {
            (Some(file), Some((first, rest))) => problem.within_lines(file, *first, rest.to_vec()),
            (None, _) | (_, None) => problem,
        }
    }

    /// Creates a problem at a line of one of the texts.
    #[must_use]
    pub fn problem_in_piece(&self, piece: &CodePiece<'_>, line: u32, message: Message) -> Problem {
        let problem = self.problem_at(message, "command");
        match piece.file {
            Some(file) => problem.within(file, line),
            None => problem,
        }
    }
}

impl<'a> CodePiece<'a> {
    fn new(language: ScriptLanguage, text: Cow<'a, str>, file: Option<&'a Path>) -> Self {
        let script = match language {
            ScriptLanguage::Sh | ScriptLanguage::Bash => shell::scan(&text),
            ScriptLanguage::Other => Script::default(),
        };
        Self {
            language,
            output: script_text::output_text(&text, language),
            text,
            file,
            script,
        }
    }

    /// Creates the text of a script that is executed directly.
    #[must_use]
    pub fn from_script(path: &'a Path, text: &'a str) -> Self {
        Self::new(script_language(path, text), Cow::Borrowed(text), Some(path))
    }

    /// Returns the here-documents of the text. Their language is [`ScriptLanguage::Other`].
    fn here_documents(&self) -> impl Iterator<Item = Self> {
        let bodies = self.script.here_documents.iter();
        bodies.map(|body| Self::new(ScriptLanguage::Other, Cow::Owned(body.text.clone()), self.file))
    }
}

/// Groups what was found in a text: each message once, with all its lines.
pub fn lines_by_message(found: impl IntoIterator<Item = (u32, Message)>) -> Vec<(Message, Vec<u32>)> {
    let mut out: Vec<(Message, Vec<u32>)> = Vec::new();
    for (line, message) in found {
        match out.iter_mut().find(|(known, _)| *known == message) {
            Some((_, lines)) => lines.push(line),
            None => out.push((message, vec![line])),
        }
    }
    out
}

/// At most this many lines with the same fault are looked for.
const MAX_EQUAL_FAULTS: usize = 100;

/// Returns the lines of a text behind `line` that `find` returns for it.
fn further_lines<'f>(
    text: &'f str,
    line: u32,
    find: &'f impl Fn(&str) -> Option<u32>,
) -> impl Iterator<Item = u32> + 'f {
    let next = move |line: &u32| {
        let passed = usize::try_from(*line).ok()?;
        let (at, _) = text.match_indices('\n').nth(passed.checked_sub(1)?)?;
        find(&text[at + 1..])?.checked_add(*line)
    };
    std::iter::successors(next(&line), next).take(MAX_EQUAL_FAULTS)
}

/// Returns the code that a program gets as an argument, such as the text after `sh -c`.
fn inline_piece<'a>(words: &[Word]) -> Option<CodePiece<'a>> {
    let Target::Text(text) = shell::target(words) else {
        return None;
    };
    let language = shell_language(&words.first()?.text).unwrap_or(ScriptLanguage::Other);
    Some(CodePiece::new(language, Cow::Owned(text.text.clone()), None))
}

/// Returns the language of a shell, by its name; `None` for any other program.
fn shell_language(program: &str) -> Option<ScriptLanguage> {
    match plain_name(program) {
        "sh" | "dash" | "ash" => Some(ScriptLanguage::Sh),
        _ if is_shell_program(program) => Some(ScriptLanguage::Bash),
        _ => None,
    }
}

/// Finds the language of a script by its `#!` line, else by the extension of its file name.
#[must_use]
pub fn script_language(path: &Path, text: &str) -> ScriptLanguage {
    let first = text.lines().next().unwrap_or_default();
    if let Some(line) = first.strip_prefix("#!") {
        let named = line.split_whitespace().find_map(shell_language);
        return named.unwrap_or(ScriptLanguage::Other);
    }
    match path.extension().and_then(|end| end.to_str()) {
        Some("sh") => ScriptLanguage::Sh,
        Some("bash" | "zsh") => ScriptLanguage::Bash,
        _ => ScriptLanguage::Other,
    }
}

/// Creates a problem at a field of a definition. If the field is not written, the problem is at the whole definition.
#[must_use]
pub fn problem_at_field(hook: &Hook, message: Message, field: &str) -> Problem {
    let whole = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let position = hook.field_positions.get(field).unwrap_or(whole);
    Problem::new(message, &hook.source.path, Some(position)).for_hook(&hook.id)
}

/// Returns the lines that contain code, trimmed: not empty and not a comment.
pub fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let all = text.lines().map(str::trim);
    all.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
}

/// Removes the `general` problem, that a guard may fail, of each guard that cannot start. It fails each time, so the
/// general one adds nothing.
pub fn drop_general_fails_open(problems: &mut Vec<Problem>, general: MessageTemplate) {
    let cannot_start = problems.iter().filter(|problem| problem.stops_start());
    let broken: std::collections::HashSet<String> = cannot_start.filter_map(|problem| problem.hook.clone()).collect();
    let is_broken = |problem: &Problem| problem.hook.as_ref().is_some_and(|hook| broken.contains(hook));
    problems.retain(|problem| !(problem.says(&general) && is_broken(problem)));
}

/// Merges the problems of a script that several hooks run. The problem of the first hook stays and names the others.
pub fn drop_repeated_script_problems(problems: &mut Vec<Problem>) {
    let mut kept: Vec<Problem> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    for problem in problems.drain(..) {
        if let Some(inside) = &problem.inside {
            let key = (inside.path.clone(), inside.line, problem.code, problem.message.clone());
            if let Some(&first) = seen.get(&key) {
                let first: &mut Problem = &mut kept[first];
                let is_new = problem.hook != first.hook;
                first.also.extend(problem.hook.filter(|_| is_new));
                continue;
            }
            seen.insert(key, kept.len());
        }
        kept.push(problem);
    }
    *problems = kept;
}
