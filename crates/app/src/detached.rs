//! Hooks that nobody waits for: they run once the reply is settled, and how they ended is recorded under its trace.

use std::sync::Arc;

use hookwright_engine::{Candidate, ChainContext, ReportedDirs};
use hookwright_model::{Dialect, Event, EventSpec, Hook, RunMode, Trace};
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::fault::Fault;
use crate::fire::{Fired, Recording, cancelled, lock, log_steps};
use crate::hooks::Consent;
use crate::runs::NamedRun;
use crate::trust::Passed;

/// Hooks that run after the reply.
#[derive(Debug)]
pub struct Detached {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: Event,
    pub(crate) hooks: Vec<Arc<Hook>>,
    pub(crate) trace: Trace,
    /// Whose long-lived processes are asked, when they outlive this event.
    pub(crate) peers: Option<String>,
    /// What was said in its session.
    pub(crate) told: Arc<ReportedDirs>,
    pub(crate) consent: Consent,
    pub(crate) recording: Recording,
}

/// Hooks of a window's event that run after its reply.
#[derive(Debug)]
pub struct Afterwards {
    pub(crate) detached: Detached,
    /// By which it can be stopped.
    pub(crate) run: NamedRun,
}

impl App {
    /// Starts the hooks that nobody waits for, and records how they ended under the same trace.
    ///
    /// # Errors
    /// So deep inside hooks that it is most likely a loop.
    pub async fn finish_detached(&self, detached: Detached, cancel: &CancellationToken) -> Result<Fired, Fault> {
        let mut trace = detached.trace;
        let candidates: Vec<Candidate> = detached
            .hooks
            .iter()
            .map(|hook| Candidate::new(hook.clone(), Ok(()), None))
            .collect();
        let clearance = self.last_look_of(detached.consent, &detached.event.project, &candidates, Passed::new());
        let world = ChainContext {
            runner: &self.own.exec,
            clearance: &clearance,
            cancelled: cancelled(cancel),
            run_id: &|| self.run_id(),
            depth: self.depth()? + 1,
            session: detached.peers.as_deref().unwrap_or(&detached.event.trace),
            session_begins: false,
            bar: None,
            manners: self.manners(),
            told: &detached.told,
        };
        let (dialect, spec) = (detached.dialect, detached.spec);
        hookwright_engine::run_detached(dialect, spec, &detached.event, detached.hooks, &mut trace, &world).await;
        if detached.peers.is_none() {
            self.own.exec.close_session(&detached.event.trace);
        }
        let fired = self.record(trace, detached.recording);
        log_steps(dialect, &fired.recorded, |step| step.mode == RunMode::Detach);
        Ok(fired)
    }

    /// What is to run now that replies are settled. Whoever answers requests calls this after each and runs what it gets
    /// with [`App::run_afterwards`].
    #[must_use]
    pub fn take_afterwards(&self) -> Vec<Afterwards> {
        std::mem::take(&mut *lock(&self.afterwards))
    }

    /// Runs the hooks that nobody waits for; how they ended is recorded under their trace and told to everybody.
    pub async fn run_afterwards(&self, afterwards: Afterwards) {
        let Afterwards { detached, run } = afterwards;
        match self.finish_detached(detached, run.cancel()).await {
            Ok(fired) => {
                if let Some(why) = fired.unrecorded {
                    tracing::warn!(%why, "how asynchronous hooks ended is not recorded");
                }
            }
            Err(fault) => tracing::warn!(%fault, "asynchronous hooks did not start"),
        }
    }
}
