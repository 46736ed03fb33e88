//! Fires an event of a session: plans the chain, drives it, updates the session's state, and builds the record.

use std::sync::Arc;

use hookwright_model::{Event, EventSpec, FAN_WIDTH, Hook, Notice, Outcome, RunMode, Trace, Verdict};

use crate::call_input;
use crate::chain::{self, AttemptRequest, Chain, Next};
use crate::driver::{AttemptResult, ChainDriver};
use crate::record::{add_untrusted_notice, build_record, warnings_after, warnings_before};
use crate::session::{FileHooks, SessionEvent};
use crate::{Candidate, ChainContext, ChainRecord, Session, plan, replacements};

impl SessionEvent {
    /// The session of the event.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The session's own hooks that take part. Those that are added or removed later change nothing.
    #[must_use]
    pub fn session_hooks(&self) -> &[Arc<Hook>] {
        &self.hooks
    }

    /// Who runs the hooks of the dialect's own files.
    #[must_use]
    pub fn file_hooks(&self) -> FileHooks {
        self.file_hooks
    }

    /// Runs the chain of the event and returns its record. `candidates` are all hooks of the dialect, in load order,
    /// with those of the session at the end. Never fails because a hook did (`engine.md` §1).
    pub async fn fire(
        self,
        spec: &'static EventSpec,
        event: Event,
        mut candidates: Vec<Candidate>,
        context: &ChainContext<'_>,
    ) -> ChainRecord {
        let (session, dialect) = (&*self.session, self.session.dialect());
        self.file_hooks.mark(&mut candidates);
        let group = event.connection.as_ref().map_or(0, |connection| connection.group);
        let read = session.read_state(group, spec, &event.payload);
        let plan = plan::select(dialect, spec, &candidates, &event.payload);
        let driver = ChainDriver::new(session, spec, &event, context, RunMode::Await);
        driver.prestart(&plan, &candidates, self.is_first);
        let planned: Vec<&Hook> = plan.iter().map(|step| &*step.hook).collect();
        let budget = dialect.budget(spec, &planned, &|name| session.variable(name));
        let mut chain =
            Chain::new(dialect, spec, plan, event.payload.clone(), read.no_block_reason.clone()).with_budget(budget);
        if let Some(progress) = context.progress {
            progress.chain_began(&mut chain.awaited());
        }
        driver.drive(&mut chain).await;
        let mut finished = chain.finish();
        candidates.retain(|candidate| !candidate.agent_runs_it);
        let before = warnings_before(dialect, spec, &event.payload, &candidates)
            .chain(plan::warn_inactive_replacements(spec, &candidates, &event.payload))
            .chain(replacements::warn_would_shadow(spec, &candidates, &event.payload))
            .chain(replacements::warn_would_disable(spec, &candidates, &event.payload));
        finished.notices.splice(0..0, before);
        let verdict = &finished.resolution.verdict;
        let after = warnings_after(dialect, spec, &event.payload, verdict, &candidates);
        finished.notices.extend(after);
        finished.notices.extend(warn_overridden(verdict, &candidates));
        let dropped = call_input::warn_dropped_fields(dialect.card(), spec, &event.payload, &finished);
        finished.notices.extend(dropped);
        let mut record = build_record(dialect, spec, event, finished, context.timer);
        session.remember(group, spec, &read, &mut record.trace);
        record
    }
}

/// The warning that something inside the agent may undo a block.
fn warn_overridden(verdict: &Verdict, candidates: &[Candidate]) -> Option<Notice> {
    let by = verdict.by.as_deref().filter(|_| verdict.kind.blocks())?;
    let candidate = candidates.iter().find(|candidate| candidate.hook.id == by)?;
    let message = candidate.hook.overridden_by.clone()?;
    Some(Notice::warning(message, Some(by)))
}

impl ChainDriver<'_> {
    /// Runs the attempts of a chain until it is over.
    async fn drive(&self, chain: &mut Chain<'_>) {
        loop {
            if self.is_cancelled() {
                chain.cancel();
            }
            let requests = match chain.next(self.chain_time()) {
                Next::Run(requests) => requests,
                Next::Done => return,
            };
            for (request, ran) in self.run_all(requests, chain.payload(), FAN_WIDTH).await {
                match ran {
                    AttemptResult::Refused(why) => chain.mark_untrusted(&request, why),
                    AttemptResult::Settled(decoded) => chain.apply_decoded(&request, decoded),
                    // The chain was stopped before this attempt could start. The step is recorded with those whose
                    // turn never came.
                    AttemptResult::NotBegun => {}
                    AttemptResult::Stopped(run, started) => chain.record_stop(&request, *run, started),
                    AttemptResult::Ended(decoded, run, started) => chain.apply_run(&request, decoded, *run, started),
                }
                if let (Some(progress), Some(outcome)) = (self.context.progress, chain.outcome_after(&request)) {
                    progress.step_ended(request.index(), outcome);
                }
            }
        }
    }
}

impl Session {
    /// Starts the peers that its events may need, without waiting for them. `event` is one that has not happened; its
    /// directory and depth are those of the agent. Not for an agent that runs the hooks of its files itself.
    pub fn start_peers(
        &self,
        spec: &'static EventSpec,
        event: &Event,
        candidates: &[Candidate],
        context: &ChainContext<'_>,
    ) {
        ChainDriver::new(self, spec, event, context, RunMode::Await).start_peers(candidates);
    }

    /// Runs the detached hooks of an event, all at once, and records in the trace how each of them ended. They are
    /// stopped when the session is closed.
    pub async fn run_detached(
        &self,
        spec: &'static EventSpec,
        event: &Event,
        detached: Vec<Arc<Hook>>,
        trace: &mut Trace,
        context: &ChainContext<'_>,
    ) {
        let driver = ChainDriver::new(self, spec, event, context, RunMode::Detach);
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
                AttemptResult::Settled(_) => step.outcome = Outcome::NoOpinion,
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
}
