//! The chain: which hooks run for an event, in which order, and what they decide together.
//!
//! What it deliberately does not do: it starts no process, reads no file, knows no dialect by name. It asks a
//! [`Dialect`] for translations, a [`Runner`] for runs, and a [`Clearance`] for the last look before a spawn.
//!
//! How it works: [`plan`] puts every candidate through the gates; [`chain::Chain`] is asked "what next?" and told how
//! each run ended, without an await of its own; [`fire`] drives it and writes the trace. Firing never fails because a
//! hook did (`engine.md` §1).

pub mod chain;
mod permit;
pub mod plan;
pub mod sayings;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{
    Call, Cancelled, Clearance, Clock, Decoded, Dialect, End, Event, EventSpec, Hook, Notice, ProcessCall, Resolution,
    Run, RunOrder, Runner, Trace, Words,
};

use chain::{Chain, Next, Turn};

/// A hook with what only the host knows of it: approval and mute.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The hook.
    pub hook: Arc<Hook>,
    /// Gate `trusted`.
    pub trusted: Result<(), Words>,
    /// Set when Hookwright leaves the hook out.
    pub muted: Option<Words>,
}

/// The world a chain runs in.
pub struct World<'a> {
    /// Makes calls end.
    pub runner: &'a dyn Runner,
    /// The last look before a spawn.
    pub clearance: &'a dyn Clearance,
    /// Resolves when the chain is to be stopped.
    pub cancelled: Cancelled,
    /// A fresh `HOOKWRIGHT_RUN` for each attempt.
    pub run_id: &'a (dyn Fn() -> String + Send + Sync),
    /// `HOOKWRIGHT_DEPTH` for the hooks.
    pub depth: u32,
}

/// The clock of every chain outside tests.
#[derive(Debug, Clone, Copy)]
struct Stopwatch(Instant);

impl Clock for Stopwatch {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Runs an event through its chain. `candidates` are all hooks of the dialect, in load order.
pub async fn fire(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    candidates: &[Candidate],
    world: &World<'_>,
) -> Trace {
    fire_timed(dialect, spec, event, candidates, world, &Stopwatch(Instant::now())).await
}

/// The same under a given clock: budget and `took_ms` go by it.
pub async fn fire_timed(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    candidates: &[Candidate],
    world: &World<'_>,
    start: &dyn Clock,
) -> Trace {
    let plan = plan::select(dialect.chain(spec), spec, candidates, &event.payload);
    let mut chain = Chain::new(
        dialect.chain(spec),
        spec,
        plan,
        event.payload.clone(),
        dialect.closed_verdict(spec),
    );
    loop {
        if world.cancelled.clone().now_or_never().is_some() {
            chain.cancel();
        }
        let turn = match chain.next(start.elapsed()) {
            Next::Run(turn) => turn,
            Next::Done => break,
        };
        let call = dialect.encode(&turn.hook, spec, chain.payload(), &event.project);
        if let Some(cwd) = spawn_dir(&call)
            && let Err(why) = world.clearance.clear(&turn.hook, &cwd)
        {
            chain.refuse(&turn, why);
            continue;
        }
        let started = start.elapsed();
        let run = world.runner.run(call, order(&event, &turn, world)).await;
        let decoded = decode(dialect, spec, &turn, &run);
        chain.absorb(&turn, decoded, run, started);
    }
    let (mut resolution, steps, notices) = chain.finish();
    let additions = std::mem::take(&mut resolution.additions);
    let reply = {
        let resolution = Resolution {
            additions: additions.clone(),
            ..resolution.clone()
        };
        dialect.reply(spec, &resolution)
    };
    dialect.fold(spec, &mut resolution.payload, &additions);
    Trace {
        trace: event.trace,
        dialect: event.dialect.to_owned(),
        event: event.name.to_owned(),
        origin: event.origin,
        session: event.session,
        agent: event.agent,
        project: Some(event.project.display().to_string()),
        at: event.at,
        took_ms: chain::millis(start.elapsed()),
        verdict: resolution.verdict,
        payload_before: event.payload,
        payload_after: resolution.payload,
        reply,
        notices: with_untrusted(&steps, notices),
        steps,
        redacted: false,
        bodies_removed_days: None,
    }
}

fn spawn_dir(call: &Call) -> Option<PathBuf> {
    match call {
        Call::Process(ProcessCall { cwd, fallback_cwd, .. }) => Some(if cwd.is_dir() {
            cwd.clone()
        } else {
            fallback_cwd.clone()
        }),
        Call::Prompt(_) => None,
    }
}

fn order(event: &Event, turn: &Turn, world: &World<'_>) -> RunOrder {
    RunOrder {
        trace: event.trace.clone(),
        run: (world.run_id)(),
        depth: world.depth,
        limit: turn.limit,
        cancelled: world.cancelled.clone(),
    }
}

/// What the run meant; where the engine itself ended it, in the engine's words.
fn decode(dialect: &dyn Dialect, spec: &EventSpec, turn: &Turn, run: &Run) -> Decoded {
    match run.end {
        End::Cancelled => Decoded::Failure(sayings::CANCELLED_RUN.plain()),
        End::TimedOut if turn.cut_by_budget => {
            Decoded::Failure(sayings::BUDGET_ENDED.say(hookwright_model::args! { "seconds" => turn.budget_secs }))
        }
        End::Exit
        | End::Signal
        | End::TimedOut
        | End::NotStarted
        | End::Replied
        | End::Refused
        | End::PeerGone
        | End::Done => dialect.decode(&turn.hook, spec, run),
    }
}

/// One warning that counts and names the hooks nobody approved (`engine.md` §3).
fn with_untrusted(steps: &[hookwright_model::Step], mut notices: Vec<Notice>) -> Vec<Notice> {
    let names: Vec<&str> = steps
        .iter()
        .filter(|step| step.reason.as_deref() == Some(hookwright_model::SkipReason::Untrusted.word()))
        .map(|step| step.hook.as_str())
        .collect();
    if !names.is_empty() {
        let words = sayings::UNTRUSTED_SKIPPED
            .say(hookwright_model::args! { "count" => names.len(), "names" => names.join(", ") });
        notices.push(Notice::warning(words, None));
    }
    notices
}

#[cfg(test)]
mod tests;
