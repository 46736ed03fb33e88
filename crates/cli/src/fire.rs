//! `hookwright fire`: the only command that runs hooks.

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::{App, Consent, Fault, FireJob, Recording};
use hookwright_model::{Origin, Trace};
use hookwright_serve::{Signal, Signals};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::args::Fire;
use crate::page::{Page, io_fault};
use crate::progress::progress;
use crate::{FAILED, Outcome, explain, living, show};

/// The agent was held.
const HELD: u8 = 2;

/// Runs the chain, prints the trace, records it, tells a running engine.
pub async fn run(app: &App, page: &Page, project: &Path, what: Fire) -> Outcome {
    hookwright_app::programs::raise_descriptor_limit();
    app.kill_orphans();
    let desk = app.read_dialect(project, &what.event.dialect)?;
    let payload = explain::payload(app, what.event.payload.as_deref())?;
    let cancel = CancellationToken::new();
    let stopping = Stopping::listen(cancel.clone())?;
    let running = cancel.clone();
    let firing = FireJob {
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
    let mut fired = progress(&what_runs, app.fire_once(&snapshot, firing)).await?;
    print(page, if what.raw { fired.raw() } else { &fired.recorded });
    if let Some(words) = &fired.unrecorded {
        page.remark(&words.text);
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
    let kept = bookkeeping(app, page, &desk.project, std::slice::from_ref(&fired.recorded.trace));
    let stopped_by = stopping.or_until_stopped(progress("writing the history", kept)).await;
    let held = fired.recorded.verdict.kind.blocks();
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
    drop(app.note_project(project));
    let mut told = false;
    for trace in traces {
        told = living::announce(app, trace).await;
        if !told {
            break;
        }
    }
    if told {
        return;
    }
    match app.history.import().await {
        Ok(told) => told.iter().for_each(|words| page.remark(&words.text)),
        Err(why) => page.remark(why.to_string()),
    }
}

/// SIGINT and SIGTERM stop the chain; the trace is printed and recorded all the same. A signal while only the history is
/// written ends that, too: the trace is in the spool by then.
pub struct Stopping {
    task: tokio::task::JoinHandle<()>,
    caught: watch::Receiver<Vec<u8>>,
}

impl Stopping {
    /// Listens from now on, before the first hook starts: a signal that comes early must not end this program unheard.
    pub fn listen(cancel: CancellationToken) -> Result<Self, Fault> {
        let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
        let (seen, caught) = watch::channel(Vec::new());
        let task = tokio::spawn(async move {
            loop {
                let number = match signals.next().await {
                    Signal::Interrupt => 2,
                    Signal::Terminate => 15,
                };
                seen.send_modify(|numbers| numbers.push(number));
                cancel.cancel();
            }
        });
        Ok(Self { task, caught })
    }

    /// Does what comes after the answer, until it is done or the next signal comes. The number of the first signal, when one
    /// came.
    pub async fn or_until_stopped(mut self, last: impl Future<Output = ()>) -> Option<u8> {
        let before = self.caught.borrow_and_update().len();
        let another = self.caught.wait_for(|numbers| numbers.len() > before);
        tokio::select! {
            () = last => {}
            _ = another => {}
        }
        self.task.abort();
        self.caught.borrow().first().copied()
    }
}

const _: () = assert!(FAILED != HELD, "a script must tell `could not fire` from `held`");

#[cfg(all(test, unix))]
mod tests {
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// Every listener of a process hears its signals.
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    #[tokio::test]
    async fn a_signal_while_the_history_is_written_ends_the_wait_for_it() {
        let _alone = ALONE.lock().await;
        let stopping = Stopping::listen(CancellationToken::new()).unwrap();
        let never_done = async {
            kill_process(getpid(), Signal::INT).unwrap();
            std::future::pending().await
        };
        assert_eq!(stopping.or_until_stopped(never_done).await, Some(2));
    }

    #[tokio::test]
    async fn the_first_signal_decides_the_status_and_the_second_one_ends_the_wait() {
        let _alone = ALONE.lock().await;
        let cancel = CancellationToken::new();
        let stopping = Stopping::listen(cancel.clone()).unwrap();
        kill_process(getpid(), Signal::TERM).unwrap();
        cancel.cancelled().await;
        let never_done = async {
            kill_process(getpid(), Signal::INT).unwrap();
            std::future::pending().await
        };
        assert_eq!(stopping.or_until_stopped(never_done).await, Some(15));
    }

    #[tokio::test]
    async fn without_a_signal_it_is_done_when_it_is_done() {
        let _alone = ALONE.lock().await;
        let stopping = Stopping::listen(CancellationToken::new()).unwrap();
        assert_eq!(stopping.or_until_stopped(async {}).await, None);
    }
}
