//! Output of commands: text with aligned columns and the mini chain, or one JSON document.

use std::io::{BufRead, IsTerminal, Write};

use hookwright_app::Fault;
use hookwright_app::dto::Millis;
use hookwright_model::problem::{Problem, Severity};
use hookwright_model::{Outcome, VerdictKind, render};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::line;
use crate::style::{ColorMode, StyledLine, TextStyle, escape_newlines};

/// Size of the buffer in front of stdout, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// The output of a command, on stdout and stderr.
#[derive(Debug)]
pub struct Output {
    /// Print one JSON document instead of text.
    pub json: bool,
    stdout_color: ColorMode,
    stderr_color: ColorMode,
    /// A part of the output could not be written to stdout.
    has_lost_output: std::cell::Cell<bool>,
}

impl Output {
    /// The output on the streams of this process.
    #[must_use]
    pub fn new(json: bool, no_color: bool) -> Self {
        let color_mode = |terminal: bool| {
            if terminal && !no_color {
                ColorMode::Color
            } else {
                ColorMode::Plain
            }
        };
        Self {
            json,
            stdout_color: color_mode(std::io::stdout().is_terminal()),
            stderr_color: color_mode(std::io::stderr().is_terminal()),
            has_lost_output: std::cell::Cell::new(false),
        }
    }

    /// Writes a line to stdout. A reader that closed the pipe is not an error.
    pub fn line(&self, line: impl Into<StyledLine>) {
        self.print(&line.into().render(self.stdout_color));
    }

    /// Writes one JSON document to stdout.
    pub fn document(&self, document: &impl Serialize) {
        // It is not built in memory first: the list of a large project has many megabytes.
        self.write(|out| {
            serde_json::to_writer_pretty(&mut *out, document)?;
            writeln!(out)
        });
    }

    fn print(&self, text: &str) {
        self.write(|out| writeln!(out, "{text}"));
    }

    fn write(&self, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        // A bare stdout is flushed at each line.
        let mut out = std::io::BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout().lock());
        match content(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                // Reported once, because further writes would fail in the same way.
                if !self.has_lost_output.replace(true) {
                    self.print_note(format!("stdout cannot be written: {error}"));
                }
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Whether stdout did not take everything that was printed.
    pub fn has_lost_output(&self) -> bool {
        self.has_lost_output.get()
    }

    /// Reports on stderr why a command failed.
    pub fn fault(&self, fault: &Fault) {
        self.print_error(line![TextStyle::Deny.apply_to("error:"), " ", &fault.message]);
        if let Some(hint) = &fault.hint {
            self.print_error(line!["  ", hint]);
        }
    }

    /// Reports on stderr what is wrong with app files.
    pub fn app_file_problems(&self, problems: &[Problem]) {
        for problem in problems {
            self.print_error(styled_problem(problem));
        }
    }

    /// Writes a note to stderr.
    pub fn print_note(&self, text: impl Into<StyledLine>) {
        self.print_error(line!["hookwright: ", text]);
    }

    /// Writes a problem as one line.
    pub fn problem(&self, problem: &Problem) {
        self.line(styled_problem(problem));
    }

    /// Writes a problem as one line, with the other lines of the file that have the same problem.
    pub fn problem_at(&self, problem: &Problem, other_lines: &[u32]) {
        let mut line = styled_problem(problem);
        if !other_lines.is_empty() {
            line.push(TextStyle::Dim.apply_to(repeated_at(problem.line, other_lines)));
        }
        self.line(line);
    }

    fn print_error(&self, line: StyledLine) {
        print_error(&line.render(self.stderr_color));
    }

    /// Writes rows with their columns padded to the widest cell. The last column is not padded.
    pub fn table(&self, rows: &[Vec<Cell>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.line.width())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut line = StyledLine::default();
            for (index, cell) in row.iter().enumerate() {
                let space = " ".repeat(widths[index].saturating_sub(cell.line.width()));
                let last = index + 1 == row.len();
                match (cell.right, last) {
                    (true, _) => line.push(line![space, cell.line.clone()]),
                    (false, true) => line.push(cell.line.clone()),
                    (false, false) => line.push(line![cell.line.clone(), space]),
                }
                if !last {
                    line.push("  ");
                }
            }
            self.line(line);
        }
    }
}

/// Writes a line to stderr. If nothing reads it, that is not a failure.
pub fn print_error(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

/// One cell of a table.
#[derive(Debug, Clone)]
pub struct Cell {
    line: StyledLine,
    right: bool,
}

impl Cell {
    /// A cell. Line feeds in its text are escaped.
    #[must_use]
    pub fn new(text: impl Into<StyledLine>) -> Self {
        Self {
            line: text.into().single_line(),
            right: false,
        }
    }

    /// The cell in this style.
    #[must_use]
    pub fn style(mut self, style: TextStyle) -> Self {
        self.line = self.line.with_style(style);
        self
    }

    /// The cell aligned to the right, for numbers.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.right = true;
        self
    }
}

/// Where a problem occurs again. Several times in one line are counted: ` (3 times)`, ` (3 times, also at line 4)`.
fn repeated_at(first: Option<u32>, others: &[u32]) -> String {
    let mut lines = others.to_vec();
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|line| Some(*line) != first);
    let times = others.len() + 1;
    match (lines.is_empty(), lines.len() + 1 == times) {
        (true, _) => format!(" ({times} times)"),
        (false, true) => also_at(&lines),
        (false, false) => also_at(&lines).replacen('(', &format!("({times} times, "), 1),
    }
}

/// ` (also at lines 4, 9, and 3 more)`
fn also_at(lines: &[u32]) -> String {
    const MAX_NAMED: usize = 5;
    let named: Vec<String> = lines.iter().take(MAX_NAMED).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = match lines.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(" (also at {word} {}{more})", named.join(", "))
}

/// `path:line:column: severity[code]: message → hint`, the text form of a problem (`CONTRACTS.md` §2).
#[must_use]
pub fn styled_problem(problem: &Problem) -> StyledLine {
    let style = match problem.severity {
        Severity::Error => TextStyle::Deny,
        Severity::Warning => TextStyle::Fail,
        Severity::Hint => TextStyle::Dim,
    };
    let mut position = problem.path.display().to_string();
    for number in [problem.line, problem.column].into_iter().flatten() {
        position += &format!(":{number}");
    }
    let what = format!("[{}]: {}", problem.code.as_str(), problem.message);
    let mut line = line![
        escape_newlines(&position),
        ": ",
        style.apply_to(problem.severity.as_str()),
        escape_newlines(what.trim_end())
    ];
    if let Some(hint) = &problem.hint {
        line.push(TextStyle::Dim.apply_to(escape_newlines(&format!(" → {hint}"))));
    }
    line
}

/// The mini chain: one glyph per step.
#[must_use]
pub fn mini_chain(outcomes: &[Outcome]) -> StyledLine {
    let mut line = StyledLine::default();
    for (index, outcome) in outcomes.iter().enumerate() {
        if index > 0 {
            line.push(TextStyle::Dim.apply_to("─"));
        }
        line.push(outcome_style(*outcome).apply_to(glyph(*outcome)));
    }
    line
}

/// The shape of an outcome: a hollow shape had no effect, a solid one took effect.
#[must_use]
pub const fn glyph(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotMatched => "◌",
        Outcome::Skipped => "◠",
        Outcome::NoOpinion => "○",
        Outcome::Allowed => "●",
        Outcome::Changed => "◆",
        Outcome::Asked => "?",
        Outcome::Denied => "✖",
        Outcome::FailedOpen => "△",
        Outcome::FailedClosed => "▲",
        Outcome::TimedOutOpen => "⧖",
        Outcome::TimedOutClosed => "⧗",
        Outcome::Detached => "…",
    }
}

/// The English label of an outcome.
#[must_use]
pub const fn outcome_label(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotMatched => "not matched",
        Outcome::Skipped => "skipped",
        Outcome::NoOpinion => "no opinion",
        Outcome::Allowed => "allowed",
        Outcome::Changed => "changed",
        Outcome::Asked => "asks",
        Outcome::Denied => "denied",
        Outcome::FailedOpen => "failed · open",
        Outcome::FailedClosed => "failed · closed",
        Outcome::TimedOutOpen => "timed out · open",
        Outcome::TimedOutClosed => "timed out · closed",
        Outcome::Detached => "detached",
    }
}

/// The style of an outcome.
#[must_use]
pub const fn outcome_style(outcome: Outcome) -> TextStyle {
    match outcome {
        Outcome::NotMatched | Outcome::Skipped | Outcome::NoOpinion | Outcome::Detached => TextStyle::Dim,
        Outcome::Asked => TextStyle::Strong,
        Outcome::Allowed => TextStyle::Allow,
        Outcome::Changed => TextStyle::Change,
        Outcome::Denied => TextStyle::Deny,
        Outcome::FailedClosed | Outcome::TimedOutClosed => TextStyle::Fail,
        Outcome::FailedOpen | Outcome::TimedOutOpen => TextStyle::FailOpen,
    }
}

/// The style of a verdict.
#[must_use]
pub const fn verdict_style(kind: VerdictKind) -> TextStyle {
    match kind {
        VerdictKind::Proceed => TextStyle::Strong,
        VerdictKind::Approve | VerdictKind::Respond => TextStyle::Allow,
        VerdictKind::Ask => TextStyle::Fail,
        VerdictKind::Skip
        | VerdictKind::Deny
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => TextStyle::Deny,
    }
}

/// A time in the user's time zone, to the second.
#[must_use]
pub fn local_time(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// A duration for the user, such as `48 ms` or `1.84 s`.
#[must_use]
pub fn duration_text(ms: f64) -> String {
    if ms < 1.0 {
        "<1 ms".to_owned()
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else if ms < 10_000.0 {
        format!("{:.2} s", ms / 1000.0)
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

/// Parses `90s`, `30m`, `24h` or `7d` into milliseconds.
///
/// # Errors
/// The text is not such a duration, or the duration is too long.
pub fn parse_duration(text: &str) -> Result<Millis, Fault> {
    let bad_duration = || Fault::from(render!(hookwright_app::fault::BAD_DURATION, "text" => text));
    let split = text
        .find(|char: char| !char.is_ascii_digit())
        .ok_or_else(bad_duration)?;
    let number: u32 = text[..split].parse().map_err(|_| bad_duration())?;
    let unit = match &text[split..] {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        "h" => 3600e3,
        "d" => 86400e3,
        _ => return Err(bad_duration()),
    };
    let ms = Millis::new(f64::from(number) * unit);
    ms.filter(|_| number > 0).ok_or_else(bad_duration)
}

/// A fault from an error of the operating system.
#[must_use]
pub fn io_fault(what: &str, error: &std::io::Error) -> Fault {
    render!(hookwright_app::fault::OWN_FILE, "message" => format!("{what}: {error}")).into()
}

/// Asks the user a question on the terminal; only `y` or `yes` is a yes.
///
/// # Errors
/// The terminal cannot be read or written.
pub fn confirmed(question: &str) -> Result<bool, Fault> {
    let mut out = std::io::stdout().lock();
    write!(out, "{question} [y/N] ")
        .and_then(|()| out.flush())
        .map_err(|error| io_fault("stdout", &error))?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| io_fault("stdin", &error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// A count with its noun, such as `1 file` or `3 files`; only for nouns with a plural in `s`.
#[must_use]
pub fn pluralize(count: usize, one: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {one}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed_with_their_unit() {
        assert_eq!(parse_duration("30m").ok(), Millis::new(1_800_000.0));
        assert_eq!(parse_duration("24h").ok(), Millis::new(86_400_000.0));
        for bad in ["", "30", "m", "-1h", "0s", "1y", "99999999999d", "１h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_problem_is_always_one_line() {
        use hookwright_model::problem::TextPosition;
        let message = render!(hookwright_workspace::data_files::locked_file::SYNTAX, "what" => "two\nlines\n");
        let problem = Problem::new(message, "/a\nb", Some(TextPosition { line: 1, column: 2 }));
        let line = styled_problem(&problem).render(ColorMode::Plain);
        assert!(
            line.starts_with("/a\\nb:1:2: ")
                && line.contains(": does not parse: two\\nlines → ")
                && !line.contains('\n'),
            "{line}"
        );
    }
}
