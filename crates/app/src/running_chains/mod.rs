//! The chains that run now: which step each one has reached, and what the hook writes meanwhile.
//!
//! What it deliberately does not do: it records nothing, and the journal does not know it. The history has the finished
//! chains.
//!
//! How it works: each chain has its own small state, which the engine updates ([`ChainProgress`]). A window learns at
//! most ten times a second that something has changed, and then asks for `chains.list`. Texts are masked only when
//! somebody asks.

mod signal;
mod stderr_tail;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hookwright_engine::ChainProgress;
use hookwright_model::{Event, EventSpec, Hook, Outcome, RunProgress};
use hookwright_redact::{PayloadSecrets, Redactor};
use hookwright_workspace::lock::lock;
use tokio_util::sync::CancellationToken;

use crate::dto::{AgentTestRun, ChainsDoc, RunningChain, RunningStep, StepPhase};
use crate::named_runs::client_name;
pub(crate) use signal::push_progress;
use signal::{ChangeSignal, LISTED_AFTER};
pub use stderr_tail::MAX_SHOWN_STDERR_BYTES;
use stderr_tail::{StderrTail, shown_end};

/// At most this many chains are listed, the oldest first. The others are counted.
const MAX_LISTED_CHAINS: usize = 64;
/// The stderr of all listed chains together. The others are listed without theirs.
const MAX_LISTED_STDERR_BYTES: usize = 256 << 10;

/// All chains that run in this process.
#[derive(Debug, Default)]
pub(crate) struct RunningChains {
    table: Mutex<ChainTable>,
    signal: Arc<ChangeSignal>,
}

#[derive(Debug, Default)]
struct ChainTable {
    next: u64,
    chains: BTreeMap<u64, Arc<ChainEntry>>,
    at_agents: BTreeMap<u64, AgentCallEntry>,
}

/// A running chain.
pub(crate) struct ChainEntry {
    spec: &'static EventSpec,
    event: Event,
    run: Option<String>,
    began: Instant,
    cancel: CancellationToken,
    steps: Mutex<Vec<StepProgress>>,
    /// What must be masked in its texts. Read from the payload when somebody asks first.
    secrets: OnceLock<PayloadSecrets>,
    signal: Arc<ChangeSignal>,
}

/// One step of a running chain that runs, or will run unless the chain ends before.
struct StepProgress {
    step: usize,
    hook: Arc<Hook>,
    attempts: u32,
    /// The beginning of the first attempt.
    began: Option<Instant>,
    /// The end of the last attempt; `None` before, and while another one runs.
    ended: Option<Instant>,
    outcome: Option<Outcome>,
    /// What the present attempt wrote.
    stderr: Option<Arc<StderrTail>>,
}

/// A test event that an agent runs.
#[derive(Debug)]
struct AgentCallEntry {
    run: String,
    agent: String,
    session: String,
    dialect: &'static str,
    event: String,
    began: Instant,
}

/// What identifies a test event at an agent.
pub(crate) struct AgentCallInfo<'a> {
    pub(crate) run: &'a str,
    pub(crate) agent: &'a str,
    pub(crate) session: &'a str,
    pub(crate) dialect: &'static str,
    pub(crate) event: &'a str,
}

/// Follows the chain of one event, until it is dropped. A chain that runs no hook is never listed and costs nothing.
pub(crate) struct FollowedChain<'a> {
    pub(crate) all: &'a Arc<RunningChains>,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: &'a Event,
    /// The name of the run, if a client fired the event.
    pub(crate) run: Option<String>,
    pub(crate) cancel: &'a CancellationToken,
    /// Set when the chain begins.
    pub(crate) lease: OnceLock<ChainLease>,
}

/// Removes its chain from the running ones when it is dropped.
pub(crate) struct ChainLease {
    all: Arc<RunningChains>,
    number: u64,
    entry: Arc<ChainEntry>,
}

/// Removes its test event from the running ones when it is dropped.
pub(crate) struct AgentCallLease {
    all: Arc<RunningChains>,
    number: u64,
}

impl RunningChains {
    /// Adds a chain that runs these steps.
    fn begin(self: &Arc<Self>, followed: &FollowedChain<'_>, steps: Vec<StepProgress>) -> ChainLease {
        let entry = Arc::new(ChainEntry {
            spec: followed.spec,
            event: followed.event.clone(),
            run: followed.run.clone(),
            began: Instant::now(),
            cancel: followed.cancel.clone(),
            steps: Mutex::new(steps),
            secrets: OnceLock::new(),
            signal: self.signal.clone(),
        });
        let number = {
            let mut table = lock(&self.table);
            let number = table.take_number();
            table.chains.insert(number, entry.clone());
            number
        };
        self.signal.note_change();
        ChainLease {
            all: self.clone(),
            number,
            entry,
        }
    }

    /// Adds a test event that an agent runs from now on.
    pub(crate) fn begin_at_agent(self: &Arc<Self>, call: &AgentCallInfo<'_>) -> AgentCallLease {
        let mut table = lock(&self.table);
        let number = table.take_number();
        let entry = AgentCallEntry {
            run: call.run.to_owned(),
            agent: call.agent.to_owned(),
            session: call.session.to_owned(),
            dialect: call.dialect,
            event: call.event.to_owned(),
            began: Instant::now(),
        };
        table.at_agents.insert(number, entry);
        drop(table);
        self.signal.note_change();
        AgentCallLease {
            all: self.clone(),
            number,
        }
    }

    /// Notes that a window has connected.
    pub(crate) fn watch(&self) {
        self.signal.watch();
    }

    /// Stops the chain of a trace. Returns whether it was running.
    pub(crate) fn stop(&self, trace: &str) -> bool {
        let table = lock(&self.table);
        let found = table.chains.values().find(|entry| entry.event.trace == trace);
        found.inspect(|entry| entry.cancel.cancel()).is_some()
    }

    /// Whether something runs long enough to be shown, and whether something else does not yet.
    fn visible(&self) -> (bool, bool) {
        let table = lock(&self.table);
        let began = table.chains.values().map(|entry| entry.began);
        let began = began.chain(table.at_agents.values().map(|entry| entry.began));
        began.fold((false, false), |(visible, is_new), began| {
            let is_visible = began.elapsed() >= LISTED_AFTER;
            (visible || is_visible, is_new || !is_visible)
        })
    }

    /// What runs now. While it is unknown what must be masked, no text of a hook is shown.
    pub(crate) fn list(&self, redactor: &Redactor, is_redaction_unknown: bool) -> ChainsDoc {
        let (entries, at_agents, all) = {
            let table = lock(&self.table);
            let chains = table
                .chains
                .values()
                .filter(|entry| entry.began.elapsed() >= LISTED_AFTER);
            let entries: Vec<Arc<ChainEntry>> = chains.clone().take(MAX_LISTED_CHAINS).cloned().collect();
            let calls = table
                .at_agents
                .values()
                .filter(|entry| entry.began.elapsed() >= LISTED_AFTER);
            let at_agents: Vec<AgentTestRun> = calls
                .clone()
                .take(MAX_LISTED_CHAINS)
                .map(|call| call.row(redactor))
                .collect();
            (entries, at_agents, chains.count() + calls.count())
        };
        let mut room = if is_redaction_unknown {
            0
        } else {
            MAX_LISTED_STDERR_BYTES
        };
        let listed = entries.len() + at_agents.len();
        ChainsDoc {
            chains: entries.iter().map(|entry| entry.row(redactor, &mut room)).collect(),
            at_agents,
            more: u32::try_from(all.saturating_sub(listed)).unwrap_or(u32::MAX),
        }
    }
}

impl ChainTable {
    fn take_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl ChainEntry {
    fn row(&self, redactor: &Redactor, room: &mut usize) -> RunningChain {
        let Event {
            trace,
            dialect,
            name,
            origin,
            session,
            agent,
            project,
            at,
            payload,
            ..
        } = &self.event;
        let secrets = || self.secrets.get_or_init(|| redactor.secrets_of(payload));
        let mut steps: Vec<(RunningStep, Option<Arc<StderrTail>>)> = {
            let steps = lock(&self.steps);
            let numbered = steps.iter().zip(1..);
            numbered
                .map(|(step, number)| (step.row(self.spec, number), step.stderr.clone()))
                .collect()
        };
        for (row, tail) in &mut steps {
            row.label = redactor.text_of_event(&row.label, secrets());
            let Some((lines, is_cut)) = tail.as_ref().map(|tail| tail.lines()) else {
                continue;
            };
            let masked = redactor.text_of_event(&lines, secrets());
            let (end, is_shortened) = shown_end(&masked);
            if end.len() <= *room {
                *room -= end.len();
                row.stderr = end.to_owned();
            }
            row.truncated = is_cut || is_shortened || row.stderr.len() < end.len();
        }
        RunningChain {
            trace: trace.clone(),
            dialect: (*dialect).to_owned(),
            event: (*name).to_owned(),
            origin: *origin,
            session: session.as_ref().map(|session| redactor.text(session).0),
            agent: agent.clone(),
            project: project.display().to_string(),
            run: self.run.as_deref().map(|run| client_name(run).to_owned()),
            at: *at,
            elapsed_ms: milliseconds(self.began.elapsed()),
            steps: steps.into_iter().map(|(row, _)| row).collect(),
        }
    }

    fn change(&self, step: usize, change: impl FnOnce(&mut StepProgress)) {
        if let Some(found) = lock(&self.steps).iter_mut().find(|known| known.step == step) {
            change(found);
        }
        self.signal.note_change();
    }
}

impl ChainProgress for FollowedChain<'_> {
    fn chain_began(&self, hooks: &mut dyn Iterator<Item = (usize, &Arc<Hook>)>) {
        let steps: Vec<StepProgress> = hooks.map(|(step, hook)| StepProgress::waiting(step, hook)).collect();
        if !steps.is_empty() {
            self.lease.get_or_init(|| self.all.begin(self, steps));
        }
    }

    fn attempt_began(&self, step: usize) -> Option<Arc<dyn RunProgress>> {
        let entry = &self.lease.get()?.entry;
        let tail = Arc::new(StderrTail::new(entry.signal.clone()));
        entry.change(step, |known| {
            known.attempts += 1;
            known.began.get_or_insert_with(Instant::now);
            known.ended = None;
            known.stderr = Some(tail.clone());
        });
        Some(tail)
    }

    fn attempt_ended(&self, step: usize) {
        let Some(lease) = self.lease.get() else { return };
        lease.entry.change(step, |known| {
            known.ended = Some(Instant::now());
            known.stderr = None;
        });
    }

    fn step_ended(&self, step: usize, outcome: Outcome) {
        let Some(lease) = self.lease.get() else { return };
        lease.entry.change(step, |known| known.outcome = Some(outcome));
    }
}

impl std::fmt::Debug for ChainEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainEntry")
            .field("trace", &self.event.trace)
            .finish_non_exhaustive()
    }
}

impl StepProgress {
    /// A step whose turn has not come.
    fn waiting(step: usize, hook: &Arc<Hook>) -> Self {
        Self {
            step,
            hook: hook.clone(),
            attempts: 0,
            began: None,
            ended: None,
            outcome: None,
            stderr: None,
        }
    }

    /// The step without its stderr. `number` counts the steps of the chain from 1.
    fn row(&self, spec: &EventSpec, number: u32) -> RunningStep {
        let phase = match (self.outcome, self.began, self.ended) {
            (Some(_), ..) | (None, Some(_), Some(_)) => StepPhase::Ended,
            (None, Some(_), None) => StepPhase::Running,
            (None, None, _) => StepPhase::Waiting,
        };
        let took = self.began.map(|began| self.ended.unwrap_or_else(Instant::now) - began);
        RunningStep {
            hook: self.hook.id_at(spec),
            label: self.hook.label.clone(),
            number,
            phase,
            outcome: self.outcome,
            attempts: self.attempts,
            elapsed_ms: took.map(milliseconds),
            timeout_ms: milliseconds(self.hook.timeout),
            stderr: String::new(),
            truncated: false,
        }
    }
}

impl AgentCallEntry {
    fn row(&self, redactor: &Redactor) -> AgentTestRun {
        AgentTestRun {
            run: client_name(&self.run).to_owned(),
            agent: self.agent.clone(),
            session: redactor.text(&self.session).0,
            dialect: self.dialect.to_owned(),
            event: self.event.clone(),
            elapsed_ms: milliseconds(self.began.elapsed()),
        }
    }
}

impl Drop for ChainLease {
    fn drop(&mut self) {
        lock(&self.all.table).chains.remove(&self.number);
        self.all.signal.note_change();
    }
}

impl Drop for AgentCallLease {
    fn drop(&mut self) {
        lock(&self.all.table).at_agents.remove(&self.number);
        self.all.signal.note_change();
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
