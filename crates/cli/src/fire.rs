//! `hookwright fire`: the only command that runs hooks.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use hookwright_app::dto::PathRequest;
use hookwright_app::{App, Consent, Fault, Firing, Recording};
use hookwright_model::{Origin, Trace};
use hookwright_serve::{Signal, Signals};
use tokio_util::sync::CancellationToken;

use crate::args::Fire;
use crate::page::{Page, io_fault};
use crate::progress::progress;
use crate::{FAILED, Outcome, explain, living, show};

/// The agent was held.
const HELD: u8 = 2;

/// Runs the chain, prints the trace, records it, tells a running engine.
pub async fn run(app: &App, page: &Page, project: &Path, what: Fire) -> Outcome {
    let desk = app.desk(project)?;
    let payload = explain::payload(app, what.event.payload.as_deref())?;
    let cancel = CancellationToken::new();
    let stopping = Stopping::listen(cancel.clone())?;
    let running = cancel.clone();
    let firing = Firing {
        dialect: what.event.dialect,
        event: what.event.event,
        payload,
        project: desk.project.clone(),
        session: what.session,
        origin: Origin::Cli,
        consent: if what.trust {
            Consent::Granted
        } else {
            Consent::Approvals
        },
        recording: Recording::On,
        cancel,
    };
    let what_runs = format!("running the hooks of {}", firing.event);
    let snapshot = desk.snapshot();
    let mut fired = progress(&what_runs, app.fire_in(&snapshot, firing)).await?;
    print(page, if what.raw { fired.raw() } else { &fired.recorded });
    if let Some(why) = &fired.unrecorded {
        page.remark(format!("not recorded: {why}"));
    }
    if let Some(detached) = fired.detached.take() {
        // The reply is settled and printed; `show` has what becomes of these.
        let finished = progress(
            "waiting for asynchronous hooks",
            app.finish_detached(detached, &running),
        );
        if let Some(why) = finished.await?.unrecorded {
            page.remark(format!("how asynchronous hooks ended is not recorded: {why}"));
        }
    }
    let stopped_by = stopping.end();
    let kept = bookkeeping(app, page, &desk.project, std::slice::from_ref(&fired.recorded.trace));
    progress("writing the history", kept).await;
    let held = fired.recorded.verdict.kind.holds();
    Ok(match (stopped_by, held) {
        (Some(signal), _) => ExitCode::from(128 + signal),
        (None, true) => ExitCode::from(HELD),
        (None, false) => ExitCode::SUCCESS,
    })
}

fn print(page: &Page, trace: &Trace) {
    if page.json {
        page.document(trace);
        return;
    }
    show::text(page, trace);
    if trace
        .steps
        .iter()
        .any(|step| step.reason.as_deref() == Some("untrusted"))
    {
        page.remark("`hookwright trust` reviews what nobody approved yet; --trust trusts it for this one call");
    }
}

/// What must not change the exit status: the database, the project list, an open window.
pub async fn bookkeeping(app: &App, page: &Page, project: &Path, traces: &[String]) {
    // A project on the list is what the window's switcher offers. Our own settings being broken was said already.
    drop(
        app.add_project(PathRequest {
            path: project.display().to_string(),
        })
        .await,
    );
    let mut told = false;
    for trace in traces {
        told = living::announce(app, trace).await;
        if !told {
            break;
        }
    }
    if !told && let Err(why) = app.history.import().await {
        page.remark(why.to_string());
    }
}

/// SIGINT and SIGTERM stop the chain; the trace is printed and recorded all the same.
pub struct Stopping {
    task: tokio::task::JoinHandle<()>,
    caught: Arc<AtomicU8>,
}

impl Stopping {
    /// Listens from now on, before the first hook starts: a signal that comes early must not end this program unheard.
    pub fn listen(cancel: CancellationToken) -> Result<Self, Fault> {
        let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
        let caught = Arc::new(AtomicU8::new(0));
        let seen = caught.clone();
        let task = tokio::spawn(async move {
            let number = match signals.next().await {
                Signal::Interrupt => 2,
                Signal::Terminate => 15,
            };
            seen.store(number, Ordering::SeqCst);
            cancel.cancel();
        });
        Ok(Self { task, caught })
    }

    /// The signal's number, when one came.
    pub fn end(self) -> Option<u8> {
        self.task.abort();
        let signal = self.caught.load(Ordering::SeqCst);
        (signal != 0).then_some(signal)
    }
}

const _: () = assert!(FAILED != HELD, "a script must tell `could not fire` from `held`");
