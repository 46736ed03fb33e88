//! Detached hooks. They start after the reply is final, and their outcomes are recorded in the trace of their event.

use hookwright_engine::{Candidate, ChainContext, SystemTimer};
use hookwright_model::RunMode;
use hookwright_workspace::trust::PassedContents;
use tokio_util::sync::CancellationToken;

use super::{FireResult, cancelled, log_steps, record};
use crate::app::App;
use crate::candidates::pre_spawn_check_for;
use crate::detached_hooks::{DetachedHooks, DetachedRun};

/// Runs the detached hooks of an event and records their outcomes in the same trace.
pub async fn finish_detached(app: &App, detached: DetachedHooks, cancel: &CancellationToken) -> FireResult {
    let DetachedHooks {
        session,
        spec,
        event,
        hooks,
        mut trace,
        consent,
        recording,
    } = detached;
    let candidates: Vec<Candidate> = hooks
        .iter()
        .map(|hook| Candidate::new(hook.clone(), Ok(()), None))
        .collect();
    let pre_spawn_check = pre_spawn_check_for(app, consent, &event.project, &candidates, PassedContents::new());
    let settings = app.workspace.settings();
    let context = ChainContext {
        pre_spawn_check: &pre_spawn_check,
        cancelled: cancelled(cancel),
        run_id: &|| app.run_id(),
        dialect_settings: &settings.of_dialect(session.dialect().card().id),
        timer: &SystemTimer::start(),
        progress: None,
    };
    session.run_detached(spec, &event, hooks, &mut trace, &context).await;
    let fired = record(app, trace, recording);
    log_steps(session.dialect(), &fired.recorded, |step| step.mode == RunMode::Detach);
    fired
}

/// Runs detached hooks. Their outcomes are recorded in their trace and sent to every push receiver.
pub async fn finish_detached_run(app: &App, detached_run: DetachedRun) {
    let DetachedRun { detached, run } = detached_run;
    if let Some(why) = finish_detached(app, detached, run.cancel()).await.unrecorded {
        tracing::warn!(%why, "how asynchronous hooks ended is not recorded");
    }
}
