//! A runner and a clock that follow a case page. No process is started, and time advances only by the page's values.

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

use crate::case::{RunEnding, ScriptedRun};

/// Runner, pre-spawn check and clock for the events of one case page.
pub struct ScriptedWorld {
    runs: Vec<ScriptedRun>,
    log: Mutex<AttemptLog>,
    elapsed_us: AtomicU64,
}

#[derive(Default)]
struct AttemptLog {
    /// Hooks of all attempts so far, in order.
    attempts: Vec<HookId>,
    /// Messages about attempts that the page does not script.
    unscripted: Vec<String>,
}

impl ScriptedWorld {
    /// Creates a world in which each attempt ends as `runs` defines.
    #[must_use]
    pub fn new(runs: &[ScriptedRun]) -> Self {
        Self {
            runs: runs.to_vec(),
            log: Mutex::default(),
            elapsed_us: AtomicU64::new(0),
        }
    }

    /// Lists differences from the script: attempts without a scripted run, and scripted runs that never happened.
    #[must_use]
    pub fn mismatches(&self) -> Vec<String> {
        let log = self.log();
        let mut out = log.unscripted.clone();
        for run in &self.runs {
            let count = log.attempts.iter().filter(|hook| **hook == run.hook).count();
            if count < run.attempt {
                out.push(format!(
                    "line {}: attempt {} of {} never came",
                    run.line, run.attempt, run.hook
                ));
            }
        }
        out
    }

    fn log(&self) -> MutexGuard<'_, AttemptLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the next attempt of this hook and returns its scripted end. The default is exit status 0.
    fn ending_of(&self, hook: HookId) -> RunEnding {
        let mut log = self.log();
        log.attempts.push(hook.clone());
        let attempt = log.attempts.iter().filter(|other| **other == hook).count();
        if let Some(run) = self.runs.iter().find(|run| run.hook == hook && run.attempt == attempt) {
            return run.ending.clone();
        }
        log.unscripted
            .push(format!("attempt {attempt} of {hook} is not scripted"));
        RunEnding {
            end: End::Exit,
            code: Some(0),
            stdout: String::new(),
            stdout_hex: None,
            pipe_held: false,
            stderr: String::new(),
            took_ms: None,
        }
    }
}

impl ChainTimer for ScriptedWorld {
    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.elapsed_us.load(Ordering::Relaxed))
    }
}

impl PreSpawnCheck for ScriptedWorld {
    fn check(&self, _: &Hook, _: &Path) -> Result<SpawnApproval, Message> {
        Ok(SpawnApproval::default())
    }
}

impl Runner for ScriptedWorld {
    fn run<'a>(&'a self, call: Call, context: RunContext) -> BoxFuture<'a, Run> {
        let ending = self.ending_of(context.hook.clone());
        let natural = ending.took().unwrap_or(if ending.end == End::TimedOut {
            context.limit
        } else {
            Duration::from_millis(1)
        });
        let in_time = ending.end == End::TimedOut || natural <= context.limit;
        let took = natural.min(context.limit);
        self.elapsed_us
            .fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let end = if in_time { ending.end } else { End::TimedOut };
        let code = match end {
            End::Exit => Some(ending.code.unwrap_or(0)),
            End::PeerGone | End::Replied => ending.code,
            End::Signal | End::TimedOut | End::Cancelled | End::NotStarted | End::Refused | End::Done => None,
        };
        let (stdin, command, cwd, env) = recorded_call(call);
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
            warnings: Vec::new(),
            counters: std::collections::BTreeMap::new(),
            no_handshake: None,
            pipe_held: ending.pipe_held,
            env_file: Vec::new(),
        };
        futures::future::ready(run).boxed()
    }
}

type RecordedCall = (Vec<u8>, Vec<String>, Option<std::path::PathBuf>, Vec<String>);

/// Returns what an attempt records of its call: stdin, command, working directory and names of variables.
fn recorded_call(call: Call) -> RecordedCall {
    match call {
        Call::Process(process) => {
            let env = process.env.into_iter().map(|(name, _)| name).collect();
            (process.stdin, argv(process.program), Some(process.cwd), env)
        }
        Call::Peer(peer) => {
            let line = match &peer.message {
                PeerMessage::Request { method, params } => peer.protocol.request(2, method, params),
                PeerMessage::Notify { methods, params } => peer.protocol.notifications(methods, params),
                PeerMessage::Hello => peer.protocol.handshake_line(&peer).unwrap_or_default(),
            };
            let env = peer.env.into_iter().map(|(name, _)| name).collect();
            (line.into_bytes(), argv(peer.program), Some(peer.cwd), env)
        }
        Call::Immediate(_) => RecordedCall::default(),
        Call::Callback(call) => (call.input.to_string().into_bytes(), Vec::new(), None, Vec::new()),
        Call::Http(call) => (call.body, vec![call.target.url], None, Vec::new()),
        Call::Prompt(prompt) => (
            format!("{}\n\n{}", prompt.system, prompt.prompt).into_bytes(),
            Vec::new(),
            None,
            Vec::new(),
        ),
    }
}

fn argv(program: Program) -> Vec<String> {
    match program {
        Program::Shell(text) | Program::LoginShell(text) => vec!["/bin/sh".to_owned(), "-c".to_owned(), text],
        Program::Argv(words) => words,
    }
}
