//! A runner and a clock that follow a page: nothing is started, and time passes only as the page says.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    Additions, Call, Captured, Card, ChainPolicy, Clearance, Clock, Decoded, Dialect, End, EventSpec, Facts, Ground,
    Hook, HookId, LintDesk, Parsed, Payload, Places, Problem, Program, Reply, Resolution, Root, Run, RunOrder, Runner,
    SourceTree, VerdictKind, Words,
};

use crate::case::{Ending, ScriptedRun};

/// The scripted world of one event: dialect (so that it knows whose attempt is run), runner, clearance and clock.
pub struct Stage<'a> {
    dialect: &'a dyn Dialect,
    runs: &'a [ScriptedRun],
    seen: Mutex<Seen>,
    elapsed_us: AtomicU64,
}

#[derive(Default)]
struct Seen {
    /// The hook that was last asked to run.
    turn: Option<HookId>,
    /// Attempts so far, in order.
    attempts: Vec<HookId>,
    /// Attempts that the page does not script.
    unscripted: Vec<String>,
}

impl<'a> Stage<'a> {
    /// A world in which attempts end as these runs say.
    #[must_use]
    pub fn new(dialect: &'a dyn Dialect, runs: &'a [ScriptedRun]) -> Self {
        Self {
            dialect,
            runs,
            seen: Mutex::default(),
            elapsed_us: AtomicU64::new(0),
        }
    }

    /// What differs from the script: attempts that it does not have, and those that never came.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let seen = self.seen();
        let mut out = seen.unscripted.clone();
        for run in self.runs {
            let came = seen.attempts.iter().filter(|hook| **hook == run.hook).count();
            if came < run.attempt {
                out.push(format!(
                    "line {}: attempt {} of {} never came",
                    run.line, run.attempt, run.hook
                ));
            }
        }
        out
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the attempt whose turn it is ends.
    fn ending(&self) -> Ending {
        let mut seen = self.seen();
        let hook = seen.turn.clone().unwrap_or_default();
        seen.attempts.push(hook.clone());
        let attempt = seen.attempts.iter().filter(|other| **other == hook).count();
        if let Some(run) = self.runs.iter().find(|run| run.hook == hook && run.attempt == attempt) {
            return run.ending.clone();
        }
        seen.unscripted
            .push(format!("attempt {attempt} of {hook} is not scripted"));
        Ending {
            end: End::Exit,
            code: Some(0),
            stdout: String::new(),
            stdout_hex: None,
            stderr: String::new(),
            took_ms: None,
        }
    }
}

impl Clock for Stage<'_> {
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.elapsed_us.load(Ordering::Relaxed))
    }
}

impl Clearance for Stage<'_> {
    fn clear(&self, _: &Hook, _: &Path) -> Result<(), Words> {
        Ok(())
    }
}

impl Runner for Stage<'_> {
    fn run<'a>(&'a self, call: Call, order: RunOrder) -> BoxFuture<'a, Run> {
        let ending = self.ending();
        let natural = ending.took().unwrap_or(if ending.end == End::TimedOut {
            order.limit
        } else {
            Duration::from_millis(1)
        });
        let in_time = ending.end == End::TimedOut || natural <= order.limit;
        let took = natural.min(order.limit);
        self.elapsed_us
            .fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let end = if in_time { ending.end } else { End::TimedOut };
        let code = match end {
            End::Exit => Some(ending.code.unwrap_or(0)),
            End::Signal => Some(ending.code.unwrap_or(9)),
            End::TimedOut
            | End::Cancelled
            | End::NotStarted
            | End::Replied
            | End::Refused
            | End::PeerGone
            | End::Done => None,
        };
        let (stdin, command, cwd, env) = asked(call);
        let run = Run {
            end,
            code,
            stdin: Captured::of(stdin),
            stdout: Captured::of(ending.stdout_bytes()),
            stderr: Captured::of(ending.stderr),
            took,
            command,
            cwd,
            env,
            notes: Vec::new(),
        };
        futures::future::ready(run).boxed()
    }
}

type Asked = (Vec<u8>, Vec<String>, Option<std::path::PathBuf>, Vec<String>);

/// What an attempt records of its call.
fn asked(call: Call) -> Asked {
    match call {
        Call::Process(process) => {
            let command = match process.program {
                Program::Shell(text) => vec!["/bin/sh".to_owned(), "-c".to_owned(), text],
                Program::Argv(words) => words,
            };
            let env = process.env.into_iter().map(|(name, _)| name).collect();
            (process.stdin, command, Some(process.cwd), env)
        }
        Call::Prompt(prompt) => (
            format!("{}\n\n{}", prompt.system, prompt.prompt).into_bytes(),
            Vec::new(),
            None,
            Vec::new(),
        ),
    }
}

impl Dialect for Stage<'_> {
    fn card(&self) -> &'static Card {
        self.dialect.card()
    }

    fn chain(&self, event: &EventSpec) -> ChainPolicy {
        self.dialect.chain(event)
    }

    fn roots(&self, places: &Places, ground: &dyn Ground) -> Vec<Root> {
        self.dialect.roots(places, ground)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        self.dialect.parse(tree)
    }

    fn claims(&self, path: &Path, places: &Places) -> Option<Root> {
        self.dialect.claims(path, places)
    }

    fn lint(&self, desk: &LintDesk<'_>) -> Vec<Problem> {
        self.dialect.lint(desk)
    }

    fn accept(&self, event: &EventSpec, payload: &mut Payload, facts: &Facts) -> Result<(), Words> {
        self.dialect.accept(event, payload, facts)
    }

    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        self.seen().turn = Some(hook.id.clone());
        self.dialect.encode(hook, event, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
        self.dialect.decode(hook, event, run)
    }

    fn fold(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions) {
        self.dialect.fold(event, payload, additions);
    }

    fn closed_verdict(&self, event: &EventSpec) -> VerdictKind {
        self.dialect.closed_verdict(event)
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        self.dialect.reply(event, resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        self.dialect.fixture(event)
    }
}
