//! Drives the attempts of one event: starts peers, checks each start, runs the calls, and decodes the runs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::{FutureExt, StreamExt};
use hookwright_model::{
    Call, Cancelled, ChainTimer, Decoded, Dialect, DialectSettings, End, Event, EventSpec, Handler, Hook, Message,
    Payload, PeerCall, PlaceRequest, PreSpawnCheck, Run, RunContext, RunMode, RunProgress, render,
};

use crate::chain::AttemptRequest;
use crate::directory::{spawn_dir, start_in};
use crate::plan::PlannedStep;
use crate::progress::ChainProgress;
use crate::record::is_active;
use crate::{Candidate, Session, messages};

/// What the host gives for the attempts of one event.
pub struct ChainContext<'a> {
    /// The pre-spawn check (`engine.md` §3).
    pub pre_spawn_check: &'a dyn PreSpawnCheck,
    /// Resolves when the chain must stop.
    pub cancelled: Cancelled,
    /// Generates a new `HOOKWRIGHT_RUN` for each attempt.
    pub run_id: &'a (dyn Fn() -> String + Send + Sync),
    /// The user's settings of the dialect.
    pub dialect_settings: &'a DialectSettings,
    /// Measures the chain's budget and `took_ms`.
    pub timer: &'a dyn ChainTimer,
    /// Follows the chain while it runs; `None` if nobody can look at it. Detached hooks are not followed.
    pub progress: Option<&'a dyn ChainProgress>,
}

/// The timer of every chain outside tests. It starts when it is created.
#[derive(Debug, Clone, Copy)]
pub struct SystemTimer(Instant);

impl SystemTimer {
    /// A timer that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl ChainTimer for SystemTimer {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Whether an event is the first one of its session. Then all peers of the session start with it, whatever their events
/// are (`picoclaw.md` §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsFirst {
    Yes,
    No,
}

/// The context of every attempt of one event.
pub(crate) struct ChainDriver<'a> {
    pub(crate) session: &'a Session,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: &'a Event,
    pub(crate) context: &'a ChainContext<'a>,
    /// Resolves when the chain must stop or the session is closed.
    pub(crate) cancelled: Cancelled,
    /// Whether the event waits for these hooks.
    pub(crate) mode: RunMode,
    /// How long attempts waited for their places, in microseconds.
    waited_us: AtomicU64,
}

/// The result of an [`AttemptRequest`].
pub(crate) enum AttemptResult {
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

impl<'a> ChainDriver<'a> {
    /// The driver of an event's awaited or detached hooks.
    pub(crate) fn new(
        session: &'a Session,
        spec: &'static EventSpec,
        event: &'a Event,
        context: &'a ChainContext<'a>,
        mode: RunMode,
    ) -> Self {
        Self {
            session,
            spec,
            event,
            context,
            cancelled: session.cancelled_with(context.cancelled.clone()),
            mode,
            waited_us: AtomicU64::new(0),
        }
    }

    fn dialect(&self) -> &'static dyn Dialect {
        self.session.dialect()
    }

    /// Whether the chain must stop now.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.clone().now_or_never().is_some()
    }

    /// Starts peers in parallel, so that one does not wait for another's response. These are the peers of this chain.
    /// At the session's first event they are the peers of the whole session.
    pub(crate) fn prestart(&self, plan: &[PlannedStep], candidates: &[Candidate], is_first: IsFirst) {
        let planned = plan
            .iter()
            .filter(|planned| planned.skip.is_none() && planned.block_message.is_none())
            .map(|planned| &*planned.hook)
            .filter(|hook| matches!(hook.handler, Handler::Peer { .. } | Handler::Module { .. }));
        let others = candidates
            .iter()
            .filter(|candidate| is_first == IsFirst::Yes && is_active(candidate))
            .map(|candidate| &*candidate.hook)
            .filter(|hook| hook.invalid.is_none() && matches!(hook.handler, Handler::Peer { .. }));
        let peers = self.peer_calls(planned.chain(others));
        // A single peer is started by its first request instead, if there is one.
        if peers.len() > 1 || is_first == IsFirst::Yes {
            self.session.prestart(peers);
        }
    }

    /// Starts every peer that the session may need, before its first event.
    pub(crate) fn start_peers(&self, candidates: &[Candidate]) {
        let active = candidates.iter().filter(|candidate| is_active(candidate));
        let hooks = active.map(|candidate| &*candidate.hook).filter(|hook| {
            hook.invalid.is_none() && matches!(hook.handler, Handler::Peer { .. } | Handler::Module { .. })
        });
        self.session.prestart(self.peer_calls(hooks));
    }

    /// The calls that start the peers of these hooks, each peer once.
    fn peer_calls<'h>(&self, hooks: impl Iterator<Item = &'h Hook>) -> Vec<(Call, RunContext)> {
        let mut known = BTreeSet::new();
        hooks
            .filter_map(|hook| {
                let mut call = self
                    .dialect()
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
                    start_in(&mut call, self.dialect().card(), &instead.cwd);
                }
                Some((call, self.run_context(hook, hook.timeout, None)))
            })
            .collect()
    }

    /// Runs the requests in parallel, at most `together` at once. When any of them ends, the next one starts. The
    /// results are in the order of the requests.
    pub(crate) async fn run_all(
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

    /// The time of the chain. The wait for places does not count: a hook that waits has not begun (`CONTRACTS.md` §3,
    /// "Bounds"), so the hooks after it keep their share of the budget.
    pub(crate) fn chain_time(&self) -> Duration {
        let waited = Duration::from_micros(self.waited_us.load(Ordering::Relaxed));
        self.context.timer.elapsed().saturating_sub(waited)
    }

    async fn run(&self, request: &AttemptRequest, payload: &Payload) -> AttemptResult {
        if self.is_cancelled() {
            return AttemptResult::NotBegun;
        }
        let call = self
            .dialect()
            .encode(&request.hook, self.spec, payload, &self.event.project);
        let mut call = match self.dialect().apply_settings(call, self.context.dialect_settings) {
            Call::Immediate(decoded) => return AttemptResult::Settled(decoded),
            call @ (Call::Process(_) | Call::Prompt(_) | Call::Http(_) | Call::Peer(_) | Call::Callback(_)) => call,
        };
        let asked = self.context.timer.elapsed();
        let connection = self.event.connection.as_ref();
        let wanted = PlaceRequest {
            program: connection.map_or("", |connection| &connection.program),
            session: self.session.key(),
            mode: self.mode,
            depth: self.event.depth + 1,
            can_block: self.mode == RunMode::Await && !self.spec.notify_only,
        };
        let place = self.session.reserve(&call, wanted, self.cancelled.clone());
        let Some(_place) = place.await else {
            return AttemptResult::NotBegun;
        };
        let waited = self.context.timer.elapsed().saturating_sub(asked);
        let waited_us = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        self.waited_us.fetch_add(waited_us, Ordering::Relaxed);
        let mut note = None;
        if let Some(cwd) = spawn_dir(&call) {
            let cleared = match self.context.pre_spawn_check.check(&request.hook, &cwd) {
                Ok(cleared) => cleared,
                Err(why) => return AttemptResult::Refused(why),
            };
            if let Some(instead) = cleared.other_dir {
                start_in(&mut call, self.dialect().card(), &instead.cwd);
                note = Some(instead.why).filter(|_| self.session.reported_dirs().is_first(&request.hook.id, &cwd));
            }
        }
        let started = self.context.timer.elapsed();
        let progress = self.context.progress.and_then(|it| it.attempt_began(request.index()));
        let run_context = self.run_context(&request.hook, request.limit, progress);
        let mut run = self.session.run(call, run_context).await;
        if let Some(progress) = self.context.progress {
            progress.attempt_ended(request.index());
        }
        run.warnings.extend(note);
        if run.end == End::Cancelled {
            return AttemptResult::Stopped(Box::new(run), started);
        }
        let decoded = decode(self.dialect(), self.spec, request, payload, &run);
        AttemptResult::Ended(decoded, Box::new(run), started)
    }

    fn run_context(&self, hook: &Hook, limit: Duration, progress: Option<Arc<dyn RunProgress>>) -> RunContext {
        RunContext {
            hook: hook.id_at(self.spec),
            session: self.session.key().to_owned(),
            trace: self.event.trace.clone(),
            run: (self.context.run_id)(),
            depth: self.event.depth + 1,
            connection: self.event.connection.as_ref().map(|connection| connection.number),
            limit,
            cancelled: self.cancelled.clone(),
            progress,
        }
    }
}

/// What the hook's run means. If the chain's budget ended it, the failure is the engine's own message.
fn decode(dialect: &dyn Dialect, spec: &EventSpec, request: &AttemptRequest, payload: &Payload, run: &Run) -> Decoded {
    if run.end == End::TimedOut && request.cut_by_budget {
        return Decoded::Failure(render!(messages::BUDGET_ENDED, "seconds" => messages::seconds(request.budget)));
    }
    dialect.decode(&request.hook, spec, payload, run)
}
