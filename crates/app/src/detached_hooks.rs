//! Detached hooks. They start after the reply is final, and their outcomes are recorded in the trace of their event.

use std::sync::Arc;

use hookwright_engine::{Candidate, ChainContext, ReportedDirs};
use hookwright_model::{Dialect, Event, EventSpec, Hook, RunMode, Trace};
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::fault::Fault;
use crate::fire::{FireResult, Recording, cancelled, lock, log_steps};
use crate::hooks::Consent;
use crate::named_runs::NamedRun;
use crate::trust::PassedContents;

/// The detached hooks of one event, ready to start after its reply.
#[derive(Debug)]
pub struct DetachedHooks {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: Event,
    pub(crate) hooks: Vec<Arc<Hook>>,
    pub(crate) trace: Trace,
    /// The key of the session whose peers are used. `None` if the peers belong to this event alone.
    pub(crate) peers: Option<String>,
    /// The notices about directories that the session has given already.
    pub(crate) reported_dirs: Arc<ReportedDirs>,
    pub(crate) consent: Consent,
    pub(crate) recording: Recording,
}

/// The detached hooks of an event that a window fired.
#[derive(Debug)]
pub struct DetachedRun {
    pub(crate) detached: DetachedHooks,
    /// The named run by which these hooks can be stopped.
    pub(crate) run: NamedRun,
}

impl App {
    /// Runs the detached hooks of an event and records their outcomes in the same trace.
    ///
    /// # Errors
    /// This process runs so deep inside hooks that it is most likely a loop.
    pub async fn finish_detached(
        &self,
        detached: DetachedHooks,
        cancel: &CancellationToken,
    ) -> Result<FireResult, Fault> {
        let mut trace = detached.trace;
        let candidates: Vec<Candidate> = detached
            .hooks
            .iter()
            .map(|hook| Candidate::new(hook.clone(), Ok(()), None))
            .collect();
        let pre_spawn_check = self.pre_spawn_check_for(
            detached.consent,
            &detached.event.project,
            &candidates,
            PassedContents::new(),
        );
        let context = ChainContext {
            runner: &self.app_files.exec,
            clearance: &pre_spawn_check,
            cancelled: cancelled(cancel),
            run_id: &|| self.run_id(),
            depth: self.depth()? + 1,
            session: detached.peers.as_deref().unwrap_or(&detached.event.trace),
            session_begins: false,
            bar: None,
            manners: self.protocol_options(),
            told: &detached.reported_dirs,
        };
        let (dialect, spec) = (detached.dialect, detached.spec);
        hookwright_engine::run_detached(dialect, spec, &detached.event, detached.hooks, &mut trace, &context).await;
        if detached.peers.is_none() {
            self.app_files.exec.close_session(&detached.event.trace);
        }
        let fired = self.record(trace, detached.recording);
        log_steps(dialect, &fired.recorded, |step| step.mode == RunMode::Detach);
        Ok(fired)
    }

    /// Removes and returns the detached hooks whose replies are final. A host calls this after each reply and runs each
    /// item with [`App::finish_detached_run`].
    #[must_use]
    pub fn take_detached_runs(&self) -> Vec<DetachedRun> {
        std::mem::take(&mut *lock(&self.detached_runs))
    }

    /// Runs detached hooks. Their outcomes are recorded in their trace and sent to every push receiver.
    pub async fn finish_detached_run(&self, detached_run: DetachedRun) {
        let DetachedRun { detached, run } = detached_run;
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
