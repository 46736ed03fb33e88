//! Finds the line of a hook's files that wrote what is wrong with an output, and the changes that certainly correct it.
//!
//! How it works: what an output contains often stands in a script as it is. The marked bytes are searched there with as
//! much of the output around them as possible. A line is named only if it is the only one.

use std::path::{Path, PathBuf};

use hookwright_model::{FileFix, FixChange, OutputMark, OutputProblem};

use super::messages::{CARRIAGE_RETURNS, MISTAKE_SIGN, TEXT_AFTER, TEXT_BEFORE};
use crate::command_lint::{ScriptLanguage, script_language};
use crate::shell::{Join, Script, scan};

/// A shorter text may stand on a line by chance.
const MIN_CHARACTERS: usize = 4;
/// How many bytes of the output around the marked ones are searched with them, the longest first.
const AROUND: [usize; 4] = [40, 20, 10, 5];
/// At most this many lines of printed text get a fix.
const MAX_LINES: usize = 20;

/// A text that a hook consists of.
#[derive(Debug, Clone, Copy)]
pub struct HookText<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// Whether it is a script, and not the file with the definition.
    pub is_script: bool,
}

/// Where a problem of an output comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputOrigin {
    /// The file that writes it.
    pub path: PathBuf,
    /// The line, from 1; `None` if only the file is known.
    pub line: Option<u32>,
    /// Changes that are certain to correct it.
    pub fixes: Vec<FileFix>,
}

/// Finds where a problem comes from. `stream` is the stream with the marked bytes. `None` if no single file can be named.
#[must_use]
pub fn origin(problem: &OutputProblem, stream: &str, texts: &[HookText<'_>]) -> Option<OutputOrigin> {
    let found = problem.marks.first().and_then(|mark| find(stream, mark, texts));
    let Some(found) = found else {
        let mut scripts = texts.iter().filter(|text| text.is_script);
        let (script, None) = (scripts.next()?, scripts.next()) else {
            return None;
        };
        return Some(OutputOrigin {
            path: script.path.to_owned(),
            line: None,
            fixes: line_endings(problem, script).into_iter().collect(),
        });
    };
    let fix = line_endings(problem, found.text)
        .or_else(|| corrected(problem, stream, &found))
        .or_else(|| to_stderr(problem, stream, found.text));
    Some(OutputOrigin {
        path: found.text.path.to_owned(),
        line: Some(found.line),
        fixes: fix.into_iter().collect(),
    })
}

/// A part of an output, and the place of the marked bytes in it.
struct Piece<'a> {
    text: &'a str,
    /// Where the marked bytes begin; `None` if they are not in it.
    mark: Option<usize>,
}

struct FoundLine<'a> {
    text: &'a HookText<'a>,
    line: u32,
    piece: Piece<'a>,
}

fn find<'a>(stream: &'a str, mark: &OutputMark, texts: &'a [HookText<'a>]) -> Option<FoundLine<'a>> {
    for piece in pieces(stream, mark) {
        let lines = |text: &'a HookText<'a>| lines_with(text.text, piece.text).map(move |line| (text, line));
        let mut found = texts.iter().flat_map(lines);
        match (found.next(), found.next()) {
            (Some((text, line)), None) => return Some(FoundLine { text, line, piece }),
            // A shorter text stands on all of these lines, too.
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

/// The parts of an output to search for, the best first: the whole line, the marked bytes with what is around them, and
/// what the line begins with.
fn pieces<'a>(stream: &'a str, mark: &OutputMark) -> Vec<Piece<'a>> {
    let (start, end) = (mark.start as usize, mark.end as usize);
    let Some(before) = stream.get(..start) else {
        return Vec::new();
    };
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let last = stream[start..].find('\n').map_or(stream.len(), |at| start + at);
    let end = end.clamp(start, last.max(start));
    let mut ranges = vec![first..last];
    ranges.extend(AROUND.map(|around| start.saturating_sub(around).max(first)..(end + around).min(last)));
    // A variable may follow any of these.
    let cuts = stream[first..start]
        .rmatch_indices(['"', '\'', ' ', ':'])
        .map(|(at, sign)| first + at + sign.len());
    ranges.extend(
        cuts.filter(|cut| cut - first >= 2 * MIN_CHARACTERS)
            .take(16)
            .map(|cut| first..cut),
    );
    let piece = |range: std::ops::Range<usize>| {
        let from = (range.start..=start).find(|&at| stream.is_char_boundary(at))?;
        let to = (0..=range.end).rev().find(|&at| stream.is_char_boundary(at))?;
        let whole = stream.get(from..to)?;
        let text = whole.trim();
        let from = from + (whole.len() - whole.trim_start().len());
        let has_words = text.chars().filter(|sign| sign.is_alphanumeric()).count() >= 2;
        (has_words && text.chars().count() >= MIN_CHARACTERS).then(|| Piece {
            text,
            mark: start.checked_sub(from).filter(|at| at + (end - start) <= text.len()),
        })
    };
    ranges.into_iter().filter_map(piece).collect()
}

/// The lines of a text that contain a part of an output, from 1. Quotes in a string of a program have backslashes there.
fn lines_with<'a>(text: &'a str, piece: &'a str) -> impl Iterator<Item = u32> + 'a {
    let contains = move |line: &str| line.contains(piece) || line.replace("\\\"", "\"").contains(piece);
    let is_comment = |line: &str| line.trim_start().starts_with(['#']) || line.trim_start().starts_with("//");
    (1..)
        .zip(text.lines())
        .filter(move |(_, line)| !is_comment(line) && contains(line))
        .map(|(number, _)| number)
}

/// The line endings of a script that prints its own carriage returns.
fn line_endings(problem: &OutputProblem, text: &HookText<'_>) -> Option<FileFix> {
    let has_them = text.is_script && problem.code == CARRIAGE_RETURNS.code && text.text.contains("\r\n");
    has_them.then(|| FileFix::new(text.path, FixChange::LineEndings))
}

/// The correction of a mistake that is the same in every kind of quotes: a comma with nothing after it, and a word of
/// Python that a shell script prints.
fn corrected(problem: &OutputProblem, stream: &str, found: &FoundLine<'_>) -> Option<FileFix> {
    let [mark] = problem.marks[..] else { return None };
    if problem.code != MISTAKE_SIGN.code || !found.text.is_script {
        return None;
    }
    let (start, end) = (mark.start as usize, mark.end as usize);
    let is_last = || stream[end..].trim_start().starts_with(['}', ']']);
    let instead = match stream.get(start..end)? {
        "," if is_last() => "",
        word => {
            let word = match word {
                "True" => "true",
                "False" => "false",
                "None" => "null",
                _ => return None,
            };
            is_shell(found.text).then_some(word)?
        }
    };
    let piece = found.piece.text;
    let at = found.piece.mark?;
    let to = format!("{}{instead}{}", &piece[..at], &piece[at + (end - start)..]);
    let line = found.text.text.lines().nth(found.line as usize - 1)?;
    let written = [(piece.to_owned(), to.clone()), (escaped(piece), escaped(&to))];
    let (from, to) = written
        .into_iter()
        .find(|(from, _)| line.matches(from.as_str()).count() == 1)?;
    let line = found.line;
    Some(FileFix::new(found.text.path, FixChange::LineText { line, from, to }))
}

fn escaped(text: &str) -> String {
    text.replace('"', "\\\"")
}

/// Moves text around the object to stderr, if each line of it is one `echo` or `printf` of the shell script.
fn to_stderr(problem: &OutputProblem, stream: &str, text: &HookText<'_>) -> Option<FileFix> {
    let is_around = problem.code == TEXT_BEFORE.code || problem.code == TEXT_AFTER.code;
    // What a shell profile prints is not in the script.
    if !is_around || problem.args.contains_key("flag") || !text.is_script || !is_shell(text) {
        return None;
    }
    let script = scan(text.text);
    let mut lines: Vec<u32> = Vec::new();
    for mark in &problem.marks {
        let printed = stream.get(mark.start as usize..mark.end as usize)?;
        for line in printed.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut found = lines_with(text.text, line);
            let (Some(number), None) = (found.next(), found.next()) else {
                return None;
            };
            let written = text.text.lines().nth(number as usize - 1)?;
            if !is_print(&script, number, written) {
                return None;
            }
            if !lines.contains(&number) {
                lines.push(number);
            }
        }
    }
    (!lines.is_empty() && lines.len() <= MAX_LINES).then(|| FileFix::new(text.path, FixChange::ToStderr { lines }))
}

fn is_shell(text: &HookText<'_>) -> bool {
    match script_language(text.path, text.text) {
        ScriptLanguage::Sh | ScriptLanguage::Bash => true,
        ScriptLanguage::Other => false,
    }
}

/// Whether a line is nothing but an `echo` or a `printf` that writes to stdout.
fn is_print(script: &Script, number: u32, line: &str) -> bool {
    let mut commands = script
        .commands
        .iter()
        .filter(|command| command.words.iter().any(|word| word.line == number));
    let (Some(command), None) = (commands.next(), commands.next()) else {
        return false;
    };
    let is_print = ["echo ", "printf "]
        .iter()
        .any(|name| line.trim_start().starts_with(name));
    let is_plain = command
        .words
        .iter()
        .all(|word| word.line == number && !word.text.contains('\n'));
    let is_plain = is_plain && !is_redirected(line);
    is_print && is_plain && command.join == Join::Next && command.subshells.is_empty() && command.documents.is_empty()
}

/// Whether a line of shell has a redirection: `<` or `>` outside quotes and comments.
fn is_redirected(line: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (None | Some('"'), '\\') => drop(signs.next()),
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            (None, '#') if before.is_whitespace() => return false,
            (None, '<' | '>') => return true,
            _ => {}
        }
        before = sign;
    }
    false
}
