//! Hooks that nobody waits for: they run once the reply is settled, and how they ended is recorded under its trace.

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

/// Hooks that run after the reply.
#[derive(Debug)]
pub struct DetachedHooks {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: Event,
    pub(crate) hooks: Vec<Arc<Hook>>,
    pub(crate) trace: Trace,
    /// Whose long-lived processes are asked, when they outlive this event.
    pub(crate) peers: Option<String>,
    /// What was said in its session.
    pub(crate) reported_dirs: Arc<ReportedDirs>,
    pub(crate) consent: Consent,
    pub(crate) recording: Recording,
}

/// Hooks of a window's event that run after its reply.
#[derive(Debug)]
pub struct DetachedRun {
    pub(crate) detached: DetachedHooks,
    /// By which it can be stopped.
    pub(crate) run: NamedRun,
}

impl App {
    /// Starts the hooks that nobody waits for, and records how they ended under the same trace.
    ///
    /// # Errors
    /// So deep inside hooks that it is most likely a loop.
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

    /// What is to run now that replies are settled. Whoever answers requests calls this after each and runs what it gets
    /// with [`App::finish_detached_run`].
    #[must_use]
    pub fn take_detached_runs(&self) -> Vec<DetachedRun> {
        std::mem::take(&mut *lock(&self.detached_runs))
    }

    /// Runs the hooks that nobody waits for; how they ended is recorded under their trace and told to everybody.
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
