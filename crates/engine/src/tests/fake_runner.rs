//! A fake runner: scripted attempts and the time that they take. Hooks that run in parallel really do so. The fake time
//! advances only when nothing else can happen.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either};
use hookwright_model::{
    Call, Captured, ChainTimer, End, Hook, Message, PreSpawnCheck, ProcessCall, Program, Run, RunContext, Runner,
    SpawnApproval,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::fake_time::FakeTime;
use super::message;
use crate::ChainContext;

/// The scripted end of one attempt.
#[derive(Debug, Clone)]
struct FakeRun {
    end: End,
    code: Option<i32>,
    stdout: Value,
    took: Duration,
    stops_chain: bool,
    note: Option<Message>,
}

/// The start and end of an attempt.
#[derive(Debug, Clone)]
pub struct Span {
    pub name: String,
    pub start: Duration,
    pub end: Duration,
}

/// The scripted attempts of each hook, by hook name and in order. It also provides the [`ChainContext`] and the timer
/// of one event.
#[derive(Default)]
pub struct FakeRunner {
    parts: Mutex<HashMap<String, VecDeque<FakeRun>>>,
    given: Mutex<Vec<(String, Value)>>,
    time: FakeTime,
    stop: CancellationToken,
    spans: Mutex<Vec<Span>>,
    swapped: Mutex<Vec<(String, usize)>>,
    closed: Mutex<Vec<String>>,
    dialect_settings: hookwright_model::DialectSettings,
}

impl FakeRunner {
    pub fn new() -> Self {
        Self::default()
    }

    fn part(self, name: &str, part: FakeRun) -> Self {
        lock(&self.parts).entry(name.to_owned()).or_default().push_back(part);
        self
    }

    /// The hook prints this object.
    pub fn prints(self, name: &str, stdout: Value) -> Self {
        self.prints_after(name, 0, stdout)
    }

    /// The hook prints this object after this many milliseconds.
    pub fn prints_after(self, name: &str, took_ms: u64, stdout: Value) -> Self {
        let took = Duration::from_millis(took_ms);
        self.part(
            name,
            FakeRun {
                end: End::Exit,
                code: Some(0),
                stdout,
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The hook prints `{}`, and its run has a note for the user.
    pub fn prints_with_note(self, name: &str, note: &str) -> Self {
        let part = FakeRun {
            end: End::Exit,
            code: Some(0),
            stdout: json!({}),
            took: Duration::ZERO,
            stops_chain: false,
            note: Some(message(note)),
        };
        self.part(name, part)
    }

    /// The hook exits with status 1 after this many milliseconds.
    pub fn breaks(self, name: &str, took_ms: u64) -> Self {
        let took = Duration::from_millis(took_ms);
        self.part(
            name,
            FakeRun {
                end: End::Exit,
                code: Some(1),
                stdout: Value::Null,
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The hook never ends by itself.
    pub fn hangs(self, name: &str) -> Self {
        let took = Duration::from_secs(1_000_000);
        self.part(
            name,
            FakeRun {
                end: End::Exit,
                code: Some(0),
                stdout: json!({}),
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// A signal ends the hook.
    pub fn gets_killed(self, name: &str) -> Self {
        self.part(
            name,
            FakeRun {
                end: End::Signal,
                code: Some(9),
                stdout: Value::Null,
                took: Duration::ZERO,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The user stops the chain while this hook runs.
    pub fn gets_stopped_during(self, name: &str) -> Self {
        let part = FakeRun {
            end: End::Cancelled,
            code: None,
            stdout: Value::Null,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// The user stops the chain just after this hook has printed this object.
    pub fn gets_stopped_after(self, name: &str, stdout: Value) -> Self {
        let part = FakeRun {
            end: End::Exit,
            code: Some(0),
            stdout,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// The hook breaks, and the user stops the chain at the same time.
    pub fn breaks_and_gets_stopped(self, name: &str) -> Self {
        let part = FakeRun {
            end: End::Exit,
            code: Some(1),
            stdout: Value::Null,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// Sets the duration of this hook's last scripted attempt, in milliseconds.
    pub fn within(self, name: &str, took_ms: u64) -> Self {
        let mut parts = lock(&self.parts);
        let part = parts.get_mut(name).and_then(VecDeque::back_mut).expect("an attempt");
        part.took = Duration::from_millis(took_ms);
        drop(parts);
        self
    }

    /// Before this attempt (from 1), the pre-spawn check finds other content than was approved.
    pub fn gets_swapped_before(self, name: &str, attempt: usize) -> Self {
        lock(&self.swapped).push((name.to_owned(), attempt));
        self
    }

    /// The start and end of each attempt, in the order of the ends.
    pub fn spans(&self) -> Vec<Span> {
        lock(&self.spans).clone()
    }

    /// Drives an event to its end. The fake time advances when nothing else can happen.
    pub fn run_to_end<T>(&self, event: impl Future<Output = T>) -> T {
        self.time.drive(event)
    }

    /// The keys of the closed sessions, in order.
    pub fn closed_sessions(&self) -> Vec<String> {
        lock(&self.closed).clone()
    }

    /// Resolves after this much fake time.
    pub async fn pass(&self, time: Duration) {
        self.time.pass(time).await;
    }

    pub fn received(&self) -> Vec<(String, Value)> {
        lock(&self.given).clone()
    }

    pub fn context(&self) -> ChainContext<'_> {
        let cancelled = self.stop.clone().cancelled_owned().boxed().shared();
        ChainContext {
            pre_spawn_check: self,
            cancelled,
            run_id: &|| "run".to_owned(),
            dialect_settings: &self.dialect_settings,
            timer: self,
            progress: None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ChainTimer for FakeRunner {
    fn elapsed(&self) -> Duration {
        self.time.now()
    }
}

impl PreSpawnCheck for FakeRunner {
    fn check(&self, hook: &Hook, _: &Path) -> Result<SpawnApproval, Message> {
        let done = lock(&self.given).iter().filter(|(name, _)| *name == hook.label).count();
        let swapped = lock(&self.swapped).contains(&(hook.label.clone(), done + 1));
        if swapped {
            Err(message("another file"))
        } else {
            Ok(SpawnApproval::default())
        }
    }
}

impl Runner for FakeRunner {
    fn run<'a>(&'a self, call: Call, run_context: RunContext) -> BoxFuture<'a, Run> {
        let Call::Process(ProcessCall {
            program: Program::Shell(name),
            stdin,
            ..
        }) = call
        else {
            panic!("toy hooks are shell")
        };
        lock(&self.given).push((name.clone(), serde_json::from_slice(&stdin).unwrap_or_default()));
        let part = lock(&self.parts)
            .get_mut(&name)
            .and_then(VecDeque::pop_front)
            .unwrap_or_else(|| panic!("{name} was not expected to run"));
        let start = self.time.now();
        async move {
            let due = part.took.min(run_context.limit);
            let stopped = futures::future::select(self.time.pass(due).boxed(), run_context.cancelled).await;
            let stopped = matches!(stopped, Either::Right(_)) && part.end != End::Cancelled;
            let end = match (stopped, part.took <= run_context.limit) {
                (true, _) => End::Cancelled,
                (false, true) => part.end,
                (false, false) => End::TimedOut,
            };
            let took = self.time.now().saturating_sub(start);
            let span = Span {
                name: name.clone(),
                start,
                end: start + took,
            };
            lock(&self.spans).push(span);
            if part.stops_chain {
                self.stop.cancel();
            }
            ended(part, end, took, name, stdin)
        }
        .boxed()
    }

    fn close_session(&self, session: &str) {
        lock(&self.closed).push(session.to_owned());
    }
}

fn ended(part: FakeRun, end: End, took: Duration, name: String, stdin: Vec<u8>) -> Run {
    let stdout = if part.stdout.is_null() {
        String::new()
    } else {
        part.stdout.to_string()
    };
    Run {
        end,
        code: part.code.filter(|_| end == End::Exit),
        signal: part.code.filter(|_| end == End::Signal),
        stdin: Captured::new(stdin),
        stdout: Captured::new(stdout),
        stderr: Captured::default(),
        took,
        command: vec![name],
        cwd: None,
        env: Vec::new(),
        warnings: part.note.into_iter().collect(),
        counters: BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}
