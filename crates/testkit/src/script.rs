//! A runner and a clock that follow a page: nothing is started, and time passes only as the page says.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    Call, Captured, ChainTimer, End, Hook, HookId, Message, PeerMessage, PreSpawnCheck, Program, Run, RunContext,
    Runner, SpawnApproval,
};

use crate::case::{Ending, ScriptedRun};

/// The scripted world of one event: runner, clearance and clock.
pub struct Stage<'a> {
    runs: &'a [ScriptedRun],
    seen: Mutex<Seen>,
    elapsed_us: AtomicU64,
}

#[derive(Default)]
struct Seen {
    /// Attempts so far, in order.
    attempts: Vec<HookId>,
    /// Attempts that the page does not script.
    unscripted: Vec<String>,
}

impl<'a> Stage<'a> {
    /// A world in which attempts end as these runs say.
    #[must_use]
    pub fn new(runs: &'a [ScriptedRun]) -> Self {
        Self {
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

    /// How the next attempt of this hook ends.
    fn ending(&self, hook: HookId) -> Ending {
        let mut seen = self.seen();
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

impl ChainTimer for Stage<'_> {
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.elapsed_us.load(Ordering::Relaxed))
    }
}

impl PreSpawnCheck for Stage<'_> {
    fn check(&self, _: &Hook, _: &Path) -> Result<SpawnApproval, Message> {
        Ok(SpawnApproval::default())
    }
}

impl Runner for Stage<'_> {
    fn run<'a>(&'a self, call: Call, order: RunContext) -> BoxFuture<'a, Run> {
        let ending = self.ending(order.hook.clone());
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
            End::PeerGone => ending.code,
            End::Signal
            | End::TimedOut
            | End::Cancelled
            | End::NotStarted
            | End::Replied
            | End::Refused
            | End::Done => None,
        };
        let (stdin, command, cwd, env) = asked(call);
        let run = Run {
            end,
            code,
            signal: (end == End::Signal).then(|| ending.code.unwrap_or(9)),
            stdin: Captured::new(stdin),
            stdout: Captured::new(ending.stdout_bytes()),
            stderr: Captured::new(ending.stderr),
            took,
            command,
            cwd,
            env,
            notes: Vec::new(),
            counters: std::collections::BTreeMap::new(),
            no_handshake: None,
        };
        futures::future::ready(run).boxed()
    }
}

type Asked = (Vec<u8>, Vec<String>, Option<std::path::PathBuf>, Vec<String>);

/// What an attempt records of its call.
fn asked(call: Call) -> Asked {
    match call {
        Call::Process(process) => {
            let env = process.env.into_iter().map(|(name, _)| name).collect();
            (process.stdin, words(process.program), Some(process.cwd), env)
        }
        Call::Peer(peer) => {
            let said = match &peer.message {
                PeerMessage::Request(message) => peer.wire.request(2, message),
                PeerMessage::Notify(lines) => lines.join("\n"),
                PeerMessage::Hello => peer.wire.handshake_line(&peer).unwrap_or_default(),
            };
            let env = peer.env.into_iter().map(|(name, _)| name).collect();
            (said.into_bytes(), words(peer.program), Some(peer.cwd), env)
        }
        Call::Immediate(_) => Asked::default(),
        Call::Prompt(prompt) => (
            format!("{}\n\n{}", prompt.system, prompt.prompt).into_bytes(),
            Vec::new(),
            None,
            Vec::new(),
        ),
    }
}

fn words(program: Program) -> Vec<String> {
    match program {
        Program::Shell(text) => vec!["/bin/sh".to_owned(), "-c".to_owned(), text],
        Program::Argv(words) => words,
    }
}
