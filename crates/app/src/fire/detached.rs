//! Detached hooks. They start after the reply is final, and their outcomes are recorded in the trace of their event.

use hookwright_engine::{Candidate, ChainContext};
use hookwright_model::RunMode;
use hookwright_workspace::trust::PassedContents;
use tokio_util::sync::CancellationToken;

use super::{FireResult, cancelled, depth, log_steps, record};
use crate::app::App;
use crate::candidates::pre_spawn_check_for;
use crate::detached_hooks::{DetachedHooks, DetachedRun};
use crate::fault::Fault;

/// Runs the detached hooks of an event and records their outcomes in the same trace.
///
/// # Errors
/// This process runs so deep inside hooks that it is most likely a loop.
pub async fn finish_detached(
    app: &App,
    detached: DetachedHooks,
    cancel: &CancellationToken,
) -> Result<FireResult, Fault> {
    let mut trace = detached.trace;
    let candidates: Vec<Candidate> = detached
        .hooks
        .iter()
        .map(|hook| Candidate::new(hook.clone(), Ok(()), None))
        .collect();
    let pre_spawn_check = pre_spawn_check_for(
        app,
        detached.consent,
        &detached.event.project,
        &candidates,
        PassedContents::new(),
    );
    let settings = app.workspace.settings();
    let context = ChainContext {
        runner: &*app.exec,
        pre_spawn_check: &pre_spawn_check,
        cancelled: cancelled(cancel),
        run_id: &|| app.run_id(),
        depth: depth(app)? + 1,
        session: detached.peers.as_deref().unwrap_or(&detached.event.trace),
        session_begins: false,
        no_block_reason: None,
        dialect_settings: &settings.of_dialect(detached.dialect.card().id),
        reported_dirs: &detached.reported_dirs,
    };
    let (dialect, spec) = (detached.dialect, detached.spec);
    hookwright_engine::run_detached(dialect, spec, &detached.event, detached.hooks, &mut trace, &context).await;
    if detached.peers.is_none() {
        app.exec.close_session(&detached.event.trace);
    }
    let fired = record(app, trace, detached.recording);
    log_steps(dialect, &fired.recorded, |step| step.mode == RunMode::Detach);
    Ok(fired)
}

/// Runs detached hooks. Their outcomes are recorded in their trace and sent to every push receiver.
pub async fn finish_detached_run(app: &App, detached_run: DetachedRun) {
    let DetachedRun { detached, run } = detached_run;
    match finish_detached(app, detached, run.cancel()).await {
        Ok(fired) => {
            if let Some(why) = fired.unrecorded {
                tracing::warn!(%why, "how asynchronous hooks ended is not recorded");
            }
        }
        Err(fault) => tracing::warn!(%fault, "asynchronous hooks did not start"),
    }
}
