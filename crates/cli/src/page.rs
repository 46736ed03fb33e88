//! Writing for people and for programs: alignment, the mini chain, one JSON document.

use std::io::{IsTerminal, Write};

use hookwright_app::Fault;
use hookwright_model::problem::{Problem, Severity};
use hookwright_model::{Outcome, VerdictKind, args};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::ink::{Ink, Line, Tint, one_line};
use crate::line;

/// Where a command writes.
#[derive(Debug)]
pub struct Page {
    /// One JSON document instead of text.
    pub json: bool,
    ink: Ink,
    ink_err: Ink,
    /// Something that was to be written to stdout is lost.
    lost: std::cell::Cell<bool>,
}

impl Page {
    /// A page on this process's streams.
    #[must_use]
    pub fn new(json: bool, no_color: bool) -> Self {
        let ink = |terminal: bool| {
            if terminal && !no_color { Ink::Colour } else { Ink::Plain }
        };
        Self {
            json,
            ink: ink(std::io::stdout().is_terminal()),
            ink_err: ink(std::io::stderr().is_terminal()),
            lost: std::cell::Cell::new(false),
        }
    }

    /// Writes a line to stdout. A reader who went away is no error.
    pub fn line(&self, line: impl Into<Line>) {
        self.print(&line.into().render(self.ink));
    }

    /// Writes one JSON document to stdout.
    pub fn document(&self, document: &impl Serialize) {
        match serde_json::to_string_pretty(document) {
            Ok(text) => self.print(&text),
            Err(error) => self.remark(format!("the document cannot be written: {error}")),
        }
    }

    fn print(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                // Said once: what follows would fail in the same way.
                if !self.lost.replace(true) {
                    self.remark(format!("stdout took no more: {error}"));
                }
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Tells on stderr why a command could not do what it was asked.
    pub fn fault(&self, fault: &Fault) {
        self.complain(line![Tint::Deny.of("error:"), " ", &fault.message]);
        if let Some(hint) = &fault.hint {
            self.complain(line!["  ", hint]);
        }
    }

    /// Tells on stderr what is wrong with our own files.
    pub fn own_problems(&self, problems: &[Problem]) {
        for problem in problems {
            self.complain(problem_line(problem));
        }
    }

    /// A remark on stderr.
    pub fn remark(&self, text: impl Into<Line>) {
        self.complain(line!["hookwright: ", text]);
    }

    /// A problem in its line.
    pub fn problem(&self, problem: &Problem) {
        self.line(problem_line(problem));
    }

    /// A problem in its line, with the other lines at which the same is wrong.
    pub fn problem_at(&self, problem: &Problem, also: &[u32]) {
        let mut line = problem_line(problem);
        if !also.is_empty() {
            line.push(Tint::Quiet.of(also_at(also)));
        }
        self.line(line);
    }

    fn complain(&self, line: Line) {
        complain(&line.render(self.ink_err));
    }

    /// Columns, padded to their widest cell; the last one is left as it is.
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
            let mut line = Line::default();
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

/// Writes a line to stderr. Nobody who reads it is no reason to fail.
pub fn complain(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

/// One cell of a table.
#[derive(Debug, Clone)]
pub struct Cell {
    line: Line,
    right: bool,
}

impl Cell {
    /// Text, on one line.
    #[must_use]
    pub fn of(text: impl Into<Line>) -> Self {
        Self {
            line: text.into().flat(),
            right: false,
        }
    }

    /// In a colour.
    #[must_use]
    pub fn tint(mut self, tint: Tint) -> Self {
        self.line = self.line.tinted(tint);
        self
    }

    /// Aligned right, for numbers.
    #[must_use]
    pub fn right(mut self) -> Self {
        self.right = true;
        self
    }
}

/// ` (also at lines 4, 9, and 3 more)`
fn also_at(lines: &[u32]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = match lines.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(" (also at {word} {}{more})", named.join(", "))
}

/// `path:line:column: severity[code]: message → hint`, as people read it (`CONTRACTS.md` §2).
#[must_use]
pub fn problem_line(problem: &Problem) -> Line {
    let tint = match problem.severity {
        Severity::Error => Tint::Deny,
        Severity::Warning => Tint::Fail,
        Severity::Hint => Tint::Quiet,
    };
    let mut place = problem.path.display().to_string();
    for number in [problem.line, problem.column].into_iter().flatten() {
        place += &format!(":{number}");
    }
    let what = format!("[{}]: {}", problem.code.word(), problem.message);
    let mut line = line![
        one_line(&place),
        ": ",
        tint.of(problem.severity.as_str()),
        one_line(what.trim_end())
    ];
    if let Some(hint) = &problem.hint {
        line.push(Tint::Quiet.of(one_line(&format!(" → {hint}"))));
    }
    line
}

/// The mini chain: one glyph a step.
#[must_use]
pub fn chain(outcomes: &[Outcome]) -> Line {
    let mut line = Line::default();
    for (index, outcome) in outcomes.iter().enumerate() {
        if index > 0 {
            line.push(Tint::Quiet.of("─"));
        }
        line.push(outcome_tint(*outcome).of(glyph(*outcome)));
    }
    line
}

/// The shape of an outcome: hollow had no effect, solid took effect.
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

/// The word of an outcome for people.
#[must_use]
pub const fn word(outcome: Outcome) -> &'static str {
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

/// The colour of an outcome.
#[must_use]
pub const fn outcome_tint(outcome: Outcome) -> Tint {
    match outcome {
        Outcome::NotMatched | Outcome::Skipped | Outcome::NoOpinion | Outcome::Detached => Tint::Quiet,
        Outcome::Asked => Tint::Strong,
        Outcome::Allowed => Tint::Allow,
        Outcome::Changed => Tint::Change,
        Outcome::Denied => Tint::Deny,
        Outcome::FailedClosed | Outcome::TimedOutClosed => Tint::Fail,
        Outcome::FailedOpen | Outcome::TimedOutOpen => Tint::Loud,
    }
}

/// The colour of a verdict.
#[must_use]
pub const fn verdict_tint(kind: VerdictKind) -> Tint {
    match kind {
        VerdictKind::Proceed => Tint::Strong,
        VerdictKind::Approve | VerdictKind::Respond => Tint::Allow,
        VerdictKind::Ask => Tint::Fail,
        VerdictKind::Skip
        | VerdictKind::Deny
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => Tint::Deny,
    }
}

/// A moment as the person's own clock shows it, to the second.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// A duration as people read it: `48 ms`, `1.84 s`.
#[must_use]
pub fn duration(ms: f64) -> String {
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

/// `90s`, `30m`, `24h`, `7d` as milliseconds.
///
/// # Errors
/// The text is no such duration, or is too long.
pub fn parse_duration(text: &str) -> Result<f64, Fault> {
    let bad = || Fault::from(hookwright_app::fault::BAD_DURATION.render(args! { "text" => text }));
    let split = text.find(|char: char| !char.is_ascii_digit()).ok_or_else(bad)?;
    let number: u32 = text[..split].parse().map_err(|_| bad())?;
    let unit = match &text[split..] {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        "h" => 3600e3,
        "d" => 86400e3,
        _ => return Err(bad()),
    };
    let ms = f64::from(number) * unit;
    // A century is further than any history and nearer than any clock's end.
    if number == 0 || ms > 100.0 * 366.0 * 86400e3 {
        Err(bad())
    } else {
        Ok(ms)
    }
}

/// A fault from the system's words.
#[must_use]
pub fn io_fault(what: &str, error: &std::io::Error) -> Fault {
    hookwright_app::fault::OWN_FILE
        .render(args! { "message" => format!("{what}: {error}") })
        .into()
}

/// So many of a thing whose name takes an `s`.
#[must_use]
pub fn counted(count: usize, one: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {one}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_write_them() {
        assert_eq!(parse_duration("30m").ok(), Some(1_800_000.0));
        assert_eq!(parse_duration("24h").ok(), Some(86_400_000.0));
        for bad in ["", "30", "m", "-1h", "0s", "1y", "99999999999d", "１h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_problem_is_one_line_whatever_is_in_it() {
        use hookwright_model::problem::TextPosition;
        let words = hookwright_app::locked_file::SYNTAX.render(args! { "what" => "two\nlines\n" });
        let problem = Problem::new(words, "/a\nb", Some(TextPosition { line: 1, column: 2 }));
        let line = problem_line(&problem).render(Ink::Plain);
        assert!(
            line.starts_with("/a\\nb:1:2: ")
                && line.contains(": does not parse: two\\nlines → ")
                && !line.contains('\n'),
            "{line}"
        );
    }
}
