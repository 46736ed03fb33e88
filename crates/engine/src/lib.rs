//! The engine: which hooks run for an event, in which order, and what they decide together.
//!
//! It starts no process, reads no file, and knows no dialect by name. It uses a [`Dialect`] for translations, a
//! [`Runner`] for runs, and a [`PreSpawnCheck`] directly before each start.
//!
//! How it works: [`plan`] checks the gates of every candidate. [`chain::Chain`] returns the next attempts and gets the
//! result of each run; it contains no await. [`fire`] drives the chain and builds the trace. Firing never fails because
//! a hook did (`engine.md` §1).

// Every host uses these functions.
#![warn(missing_docs)]

pub mod chain;
mod directory;
pub mod messages;
mod permit;
pub mod plan;
mod replacements;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt};
use hookwright_model::{
    Call, Cancelled, ChainTimer, Decoded, Dialect, DialectSettings, End, Event, EventSpec, FAN_WIDTH, Handler, Hook,
    HookId, Message, Notice, Payload, PeerCall, PreSpawnCheck, Run, RunContext, Runner, Trace, Verdict,
};

use chain::{AttemptRequest, Chain, HandshakeResults, Next};
use directory::spawn_dir;

pub use directory::ReportedDirs;
pub use replacements::apply_replacements;

/// A hook with the data that only the host has: approval and mute.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The hook of this candidate.
    pub hook: Arc<Hook>,
    /// The result of gate `trusted`; the error is the message of the gate.
    pub trusted: Result<(), Message>,
    /// The message of the mute, if Hookwright leaves the hook out.
    pub muted: Option<Message>,
    /// Whether the hook always needs an approval of its own
    /// ([`Replacements::always_need_approval`](hookwright_model::Replacements::always_need_approval)).
    pub contested: bool,
    /// The id of a hook that is not approved and would replace this one.
    pub would_be_replaced_by: Option<HookId>,
}

impl Candidate {
    /// A candidate without any replacement by another hook.
    #[must_use]
    pub fn new(hook: Arc<Hook>, trusted: Result<(), Message>, muted: Option<Message>) -> Self {
        Self {
            hook,
            trusted,
            muted,
            contested: false,
            would_be_replaced_by: None,
        }
    }
}

/// The environment in which the hooks of one event run.
pub struct ChainContext<'a> {
    /// Runs the calls.
    pub runner: &'a dyn Runner,
    /// The pre-spawn check (`engine.md` §3).
    pub pre_spawn_check: &'a dyn PreSpawnCheck,
    /// Resolves when the chain must stop.
    pub cancelled: Cancelled,
    /// Generates a new `HOOKWRIGHT_RUN` for each attempt.
    pub run_id: &'a (dyn Fn() -> String + Send + Sync),
    /// `HOOKWRIGHT_DEPTH` of the hooks.
    pub depth: u32,
    /// Names the set of peers that is used ([`RunContext::session`]).
    pub session: &'a str,
    /// Whether this is the session's first event. Then all peers of the session start with it, whatever their events
    /// are (`picoclaw.md` §5).
    pub session_begins: bool,
    /// Why hooks can no longer block the agent at this event ([`Dialect::no_block_reason`]).
    pub no_block_reason: Option<Message>,
    /// The user's settings of the dialect.
    pub dialect_settings: &'a DialectSettings,
    /// The notices about directories that this session has given already.
    pub reported_dirs: &'a ReportedDirs,
}

/// The result of an event whose reply is ready.
#[derive(Debug)]
pub struct ChainRecord {
    /// The trace. Detached hooks have the outcome `detached` in it.
    pub trace: Trace,
    /// The hooks to start now. The chain does not wait for them.
    pub detached: Vec<Arc<Hook>>,
    /// Whether the peers completed their handshakes, by hook. Only hooks with an attempt are included.
    pub handshakes: HandshakeResults,
}

/// The timer of every chain outside tests.
#[derive(Debug, Clone, Copy)]
struct SystemTimer(Instant);

impl ChainTimer for SystemTimer {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Runs the chain of an event and returns its record. `candidates` are all hooks of the dialect, in load order.
pub async fn fire(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    candidates: &[Candidate],
    context: &ChainContext<'_>,
) -> ChainRecord {
    fire_timed(dialect, spec, event, candidates, context, &SystemTimer(Instant::now())).await
}

/// Like [`fire`], with a given timer. It measures the chain's budget and `took_ms`.
pub async fn fire_timed(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    candidates: &[Candidate],
    context: &ChainContext<'_>,
    start: &dyn ChainTimer,
) -> ChainRecord {
    let plan = plan::select(dialect, spec, candidates, &event.payload);
    let driver = ChainDriver {
        dialect,
        spec,
        event: &event,
        context,
        start,
    };
    driver.prestart(&plan, candidates);
    let mut chain = Chain::new(
        dialect,
        spec,
        plan,
        event.payload.clone(),
        context.no_block_reason.clone(),
    );
    loop {
        if context.cancelled.clone().now_or_never().is_some() {
            chain.cancel();
        }
        let requests = match chain.next(start.elapsed()) {
            Next::Run(requests) => requests,
            Next::Done => break,
        };
        for (request, ran) in driver.run_all(requests, chain.payload(), FAN_WIDTH).await {
            match ran {
                AttemptResult::Refused(why) => chain.mark_untrusted(&request, why),
                AttemptResult::Settled(decoded) => chain.apply_decoded(&request, decoded),
                // The chain was stopped before this attempt could start. The step is recorded with those whose turn
                // never came.
                AttemptResult::NotBegun => {}
                AttemptResult::Stopped(run, started) => chain.record_stop(&request, *run, started),
                AttemptResult::Ended(decoded, run, started) => chain.apply_run(&request, decoded, *run, started),
            }
        }
    }
    let mut finished = chain.finish();
    let remarks = warnings_before(dialect, spec, &event.payload, candidates);
    let in_vain = plan::warn_inactive_replacements(spec, candidates, &event.payload);
    let would_shadow = replacements::warn_would_shadow(spec, candidates, &event.payload);
    finished
        .notices
        .splice(0..0, remarks.chain(in_vain).chain(would_shadow));
    let hindsight = warnings_after(dialect, spec, &event.payload, &finished.resolution.verdict, candidates);
    finished.notices.extend(hindsight);
    build_record(dialect, spec, event, finished, start)
}

/// Runs the detached hooks, all at once, and records in the trace how each of them ended.
pub async fn run_detached(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: &Event,
    detached: Vec<Arc<Hook>>,
    trace: &mut Trace,
    context: &ChainContext<'_>,
) {
    let start = SystemTimer(Instant::now());
    let driver = ChainDriver {
        dialect,
        spec,
        event,
        context,
        start: &start,
    };
    let before = add_untrusted_notice(&trace.steps);
    let requests: Vec<AttemptRequest> = detached.into_iter().map(AttemptRequest::detached).collect();
    // The chain waits for none of them, so none waits for another one either (`agent-hooks.md` §7.4).
    let together = requests.len().max(1);
    for (request, ran) in driver.run_all(requests, &event.payload, together).await {
        let id = request.hook.id_at(spec);
        let Some(step) = trace.steps.iter_mut().find(|step| step.hook == id) else {
            continue;
        };
        match ran {
            AttemptResult::Refused(why) => chain::mark_untrusted(step, why),
            AttemptResult::Settled(_) => step.outcome = hookwright_model::Outcome::NoOpinion,
            AttemptResult::NotBegun => chain::cancel_detached(step),
            AttemptResult::Stopped(run, started) => chain::stop_detached(step, &mut trace.notices, *run, started),
            AttemptResult::Ended(decoded, run, started) => {
                chain::apply_detached(step, &mut trace.notices, decoded, *run, started);
            }
        }
    }
    let now = add_untrusted_notice(&trace.steps);
    if now != before {
        trace.notices.retain(|notice| Some(notice) != before.as_ref());
        trace.notices.extend(now);
    }
}

/// The context of every attempt of one event.
struct ChainDriver<'a> {
    dialect: &'a dyn Dialect,
    spec: &'static EventSpec,
    event: &'a Event,
    context: &'a ChainContext<'a>,
    start: &'a dyn ChainTimer,
}

/// The result of an [`AttemptRequest`].
enum AttemptResult {
    /// The pre-spawn check found other content than was approved.
    Refused(Message),
    /// Nothing had to run.
    Settled(Decoded),
    /// The chain was stopped before it could start.
    NotBegun,
    /// The attempt was stopped together with its chain.
    Stopped(Box<Run>, Duration),
    /// The attempt ended by itself.
    Ended(Decoded, Box<Run>, Duration),
}

impl ChainDriver<'_> {
    /// Starts peers in parallel, so that one does not wait for another's response. These are the peers of this chain.
    /// At the session's first event they are the peers of the whole session.
    fn prestart(&self, plan: &[plan::PlannedStep], candidates: &[Candidate]) {
        let planned = plan
            .iter()
            .filter(|planned| planned.skip.is_none() && planned.block_message.is_none())
            .map(|planned| &*planned.hook)
            .filter(|hook| matches!(hook.handler, Handler::Peer { .. } | Handler::Module { .. }));
        let others = candidates
            .iter()
            .filter(|candidate| self.context.session_begins && is_active(candidate))
            .map(|candidate| &*candidate.hook)
            .filter(|hook| hook.invalid.is_none() && matches!(hook.handler, Handler::Peer { .. }));
        let mut known = BTreeSet::new();
        let peers: Vec<(Call, RunContext)> = planned
            .chain(others)
            .filter_map(|hook| {
                let mut call = self
                    .dialect
                    .encode(hook, self.spec, &self.event.payload, &self.event.project);
                // One process serves many hooks, so each peer is started once.
                let Call::Peer(PeerCall { key, .. }) = &call else {
                    return None;
                };
                if !known.insert(key.clone()) {
                    return None;
                }
                let cwd = spawn_dir(&call)?;
                let cleared = self.context.pre_spawn_check.check(hook, &cwd).ok()?;
                if let Some(instead) = cleared.other_dir {
                    directory::start_in(&mut call, self.dialect.card(), &instead.cwd);
                }
                Some((call, self.run_context(hook, hook.timeout)))
            })
            .collect();
        // A single peer is started by its first request instead, if there is one.
        if peers.len() > 1 || self.context.session_begins {
            self.context.runner.prestart(peers);
        }
    }

    /// Runs the requests in parallel, at most `together` at once. When any of them ends, the next one starts. The
    /// results are in the order of the requests.
    async fn run_all(
        &self,
        requests: Vec<AttemptRequest>,
        payload: &Payload,
        together: usize,
    ) -> Vec<(AttemptRequest, AttemptResult)> {
        let runs = requests.into_iter().enumerate().map(|(place, request)| async move {
            let ran = self.run(&request, payload).await;
            (place, request, ran)
        });
        // Not `buffered`: an ended run behind a slow one would still count as running (`engine.md` §5).
        let ended = futures::stream::iter(runs).buffer_unordered(together);
        let mut ended: Vec<(usize, AttemptRequest, AttemptResult)> = ended.collect().await;
        ended.sort_unstable_by_key(|(place, ..)| *place);
        ended.into_iter().map(|(_, request, ran)| (request, ran)).collect()
    }

    async fn run(&self, request: &AttemptRequest, payload: &Payload) -> AttemptResult {
        if self.context.cancelled.clone().now_or_never().is_some() {
            return AttemptResult::NotBegun;
        }
        let call = self
            .dialect
            .encode(&request.hook, self.spec, payload, &self.event.project);
        let mut call = match self.dialect.apply_settings(call, self.context.dialect_settings) {
            Call::Immediate(decoded) => return AttemptResult::Settled(decoded),
            call @ (Call::Process(_) | Call::Prompt(_) | Call::Peer(_)) => call,
        };
        let mut note = None;
        if let Some(cwd) = spawn_dir(&call) {
            let cleared = match self.context.pre_spawn_check.check(&request.hook, &cwd) {
                Ok(cleared) => cleared,
                Err(why) => return AttemptResult::Refused(why),
            };
            if let Some(instead) = cleared.other_dir {
                directory::start_in(&mut call, self.dialect.card(), &instead.cwd);
                note = Some(instead.why).filter(|_| self.context.reported_dirs.is_first(&request.hook.id, &cwd));
            }
        }
        let started = self.start.elapsed();
        let mut run = self
            .context
            .runner
            .run(call, self.run_context(&request.hook, request.limit))
            .await;
        run.warnings.extend(note);
        if run.end == End::Cancelled {
            return AttemptResult::Stopped(Box::new(run), started);
        }
        let decoded = decode(self.dialect, self.spec, request, payload, &run);
        AttemptResult::Ended(decoded, Box::new(run), started)
    }

    fn run_context(&self, hook: &Hook, limit: Duration) -> RunContext {
        RunContext {
            hook: hook.id_at(self.spec),
            session: self.context.session.to_owned(),
            trace: self.event.trace.clone(),
            run: (self.context.run_id)(),
            depth: self.context.depth,
            limit,
            cancelled: self.context.cancelled.clone(),
        }
    }
}

/// Whether the hook is trusted, not muted and not off.
fn is_active(candidate: &Candidate) -> bool {
    candidate.trusted.is_ok() && candidate.muted.is_none() && candidate.hook.disabled_reason.is_none()
}

fn warnings_after(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    payload: &Payload,
    verdict: &Verdict,
    candidates: &[Candidate],
) -> impl Iterator<Item = Notice> {
    let hooks: Vec<&Hook> = candidates
        .iter()
        .filter(|candidate| is_active(candidate))
        .map(|candidate| &*candidate.hook)
        .collect();
    let message = dialect.warnings_after(spec, payload, verdict, &hooks);
    let by = verdict.by.clone();
    message
        .into_iter()
        .map(move |message| Notice::warning(message, by.as_deref()))
}

fn warnings_before(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    payload: &Payload,
    candidates: &[Candidate],
) -> impl Iterator<Item = Notice> {
    let hooks: Vec<&Hook> = candidates.iter().map(|candidate| &*candidate.hook).collect();
    let message = dialect.warnings_before(spec, payload, &hooks);
    message.into_iter().map(|message| Notice::warning(message, None))
}

/// Builds the reply and the trace.
fn build_record(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    finished: chain::Finished,
    start: &dyn ChainTimer,
) -> ChainRecord {
    let mut resolution = finished.resolution;
    resolution.trace.clone_from(&event.trace);
    let reply = dialect.reply(spec, &resolution);
    let messages = dialect.user_messages(spec, &resolution).into_iter();
    let by = resolution.verdict.by.as_deref();
    let mut notices = finished.notices;
    notices.extend(messages.map(|message| Notice::user_message(message, by)));
    notices.extend(add_untrusted_notice(&finished.steps));
    let additions = std::mem::take(&mut resolution.additions);
    dialect.apply_additions(spec, &mut resolution.payload, &additions);
    let trace = Trace {
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
        notices,
        steps: finished.steps,
        redacted: false,
        recorded: true,
        bodies_removed_days: None,
    };
    ChainRecord {
        trace,
        detached: finished.detached,
        handshakes: finished.handshakes,
    }
}

/// What the hook's run means. If the chain's budget ended it, the failure is the engine's own message.
fn decode(dialect: &dyn Dialect, spec: &EventSpec, request: &AttemptRequest, payload: &Payload, run: &Run) -> Decoded {
    if run.end == End::TimedOut && request.cut_by_budget {
        return Decoded::Failure(
            messages::BUDGET_ENDED.render(hookwright_model::args! { "seconds" => request.budget_secs }),
        );
    }
    dialect.decode(&request.hook, spec, payload, run)
}

/// The one warning that counts and names the hooks that are not approved (`engine.md` §3).
fn add_untrusted_notice(steps: &[hookwright_model::Step]) -> Option<Notice> {
    let names: Vec<&str> = steps
        .iter()
        .filter(|step| step.reason.as_deref() == Some(hookwright_model::SkipReason::Untrusted.as_str()))
        .map(|step| step.hook.as_str())
        .collect();
    let args = || hookwright_model::args! { "count" => names.len(), "names" => names.join(", ") };
    (!names.is_empty()).then(|| Notice::warning(messages::UNTRUSTED_SKIPPED.render(args()), None))
}

#[cfg(test)]
mod tests;
