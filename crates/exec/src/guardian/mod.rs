//! The guardian: a process of our own that outlives the engine by a moment and takes its running hooks along
//! (`engine.md` §7).
//!
//! It is told over a pipe, in lines: `? RUN` before a hook is started, `+ GROUP RUN` once it has a process group,
//! `- RUN` when it has ended. Because the name of the run is told *before* the spawn, there is no moment in which a
//! hook runs and nobody knows: on Linux whatever carries that `HOOKWRIGHT_RUN` is found. When the pipe closes, because
//! the engine ended in whatever way, the guardian kills what still runs.
//!
//! It is not woken by what it is told: that would cost every event two changes of process. It waits for the end of the
//! pipe only (Linux), and reads when a second pipe, the bell, says that the first one fills up.

mod link;
#[cfg(unix)]
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookwright_model::{Words, args};

use crate::sayings::NO_GUARDIAN;
use link::Link;

/// The hidden argument that makes one of our programs a guardian.
const ARGUMENT: &str = "__guardian";

/// A guardian that goes away is started again this often.
const STARTS: u32 = 4;

/// Whether this process was started to be a guardian. Programs ask this first of all.
#[must_use]
pub fn is_guardian() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// Is a guardian until its engine is gone and nothing of its hooks is left.
#[must_use]
pub fn guardian_main() -> ExitCode {
    #[cfg(unix)]
    watch::until_the_end();
    ExitCode::SUCCESS
}

/// How a guardian is started.
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "without process groups there is no guardian to start")
)]
#[derive(Debug, Clone)]
pub struct GuardianProgram {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
}

impl GuardianProgram {
    /// A program of ours, by its absolute path, that calls [`guardian_main`] when [`is_guardian`].
    #[must_use]
    pub fn of(program: PathBuf) -> Self {
        Self {
            program,
            args: vec![ARGUMENT.into()],
        }
    }
}

/// The runs that go on: their names, and their process groups as far as they have one.
#[derive(Debug, Default)]
struct Book(BTreeMap<String, Option<i32>>);

impl Book {
    /// Takes in one line. What is no line of ours is passed over.
    fn absorb(&mut self, line: &str) {
        let Some((kind, rest)) = line.split_once(' ') else {
            return;
        };
        match (kind, rest.split_once(' ')) {
            ("?", _) => drop(self.0.insert(rest.to_owned(), None)),
            ("-", _) => drop(self.0.remove(rest)),
            ("+", Some((group, run))) => drop(self.0.insert(run.to_owned(), group.parse().ok())),
            _ => {}
        }
    }

    /// The lines that tell a new guardian all of it.
    fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(run, group)| match group {
            Some(group) => format!("+ {group} {run}\n"),
            None => format!("? {run}\n"),
        })
    }
}

/// The engine's side: starts the guardian before the first hook, and tells it.
#[derive(Debug)]
pub(crate) struct Guardian {
    /// None where tests want no second process.
    program: Option<GuardianProgram>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    book: Book,
    link: Option<Link>,
    starts: u32,
    missing: Missing,
}

/// What became of the news that there is no guardian.
#[derive(Debug, Default)]
enum Missing {
    #[default]
    No,
    Unsaid(Words),
    Said,
}

impl Missing {
    fn because(&mut self, why: &io::Error) {
        match self {
            Self::No => {
                tracing::warn!("no guardian: {why}");
                *self = Self::Unsaid(NO_GUARDIAN.say(args! { "why" => why.to_string() }));
            }
            Self::Unsaid(_) | Self::Said => {}
        }
    }

    /// The news, the first time.
    fn news(&mut self) -> Option<Words> {
        match std::mem::take(self) {
            Self::No => None,
            Self::Unsaid(words) => {
                *self = Self::Said;
                Some(words)
            }
            Self::Said => {
                *self = Self::Said;
                None
            }
        }
    }
}

impl Guardian {
    pub(crate) fn new(program: Option<GuardianProgram>) -> Self {
        Self {
            program,
            state: Mutex::default(),
        }
    }

    /// A run is about to start. Returns what a person should know, once.
    pub(crate) fn expect(&self, run: &str) -> Option<Words> {
        self.tell(&format!("? {run}\n"));
        self.state().missing.news()
    }

    /// The run has this process group.
    pub(crate) fn started(&self, run: &str, group: u32) {
        self.tell(&format!("+ {group} {run}\n"));
    }

    /// The run is over.
    pub(crate) fn ended(&self, run: &str) {
        self.tell(&format!("- {run}\n"));
    }

    /// Starts the guardian now instead of at the first hook. Returns what a person should know, once.
    pub(crate) fn stand(&self) -> Option<Words> {
        self.tell("");
        self.state().missing.news()
    }

    fn tell(&self, line: &str) {
        let Some(program) = &self.program else { return };
        let mut state = self.state();
        let State {
            book,
            link,
            starts,
            missing,
        } = &mut *state;
        book.absorb(line.trim_end_matches('\n'));
        let told = match link {
            Some(link) => link.say(line),
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        let Err(mut why) = told else { return };
        *link = None;
        while *starts < STARTS {
            *starts += 1;
            match Link::open(program, book.lines()) {
                Ok(opened) => {
                    *link = Some(opened);
                    return;
                }
                Err(error) => why = error,
            }
        }
        missing.because(&why);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A book that a panic left half-written does not exist: nothing in `tell` panics between two lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(lines: &[&str]) -> Vec<String> {
        let mut book = Book::default();
        lines.iter().for_each(|line| book.absorb(line));
        book.lines().collect()
    }

    #[test]
    fn a_run_is_known_before_it_has_a_group() {
        assert_eq!(book(&["? A"]), ["? A\n"]);
        assert_eq!(book(&["? A", "+ 7 A"]), ["+ 7 A\n"]);
    }

    #[test]
    fn a_run_that_ended_is_forgotten() {
        assert_eq!(book(&["? A", "+ 7 A", "? B", "- A"]), ["? B\n"]);
    }

    #[test]
    fn what_is_no_line_of_ours_changes_nothing() {
        assert_eq!(book(&["", "hello", "+ 7", "? A", "! A"]), ["? A\n"]);
    }

    #[test]
    fn without_a_program_there_is_nobody_to_tell_and_nothing_to_complain_about() {
        assert_eq!(Guardian::new(None).expect("A"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_guardian_that_cannot_stay_is_missed_once() {
        // It ends at once, so that sooner or later a line does not reach it; starting it again has a limit.
        let guardian = Guardian::new(Some(GuardianProgram {
            program: "/bin/true".into(),
            args: Vec::new(),
        }));
        let said = std::iter::repeat_with(|| {
            std::thread::yield_now();
            guardian.expect("A")
        });
        let words = said.flatten().next().unwrap();
        assert_eq!(words.code, "no_guardian");
        assert_eq!(guardian.expect("B"), None);
    }
}
