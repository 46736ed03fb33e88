//! `hookwright fire`: runs the hooks of one event.

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::event_options::{Consent, Recording};
use hookwright_app::fire::{Caller, FireJob};
use hookwright_app::output_doctor::with_output_problems;
use hookwright_app::sessions::SessionRequest;
use hookwright_app::{App, Fault, fire, programs, projects};
use hookwright_model::{Origin, Trace};
use hookwright_serve::{Signal, Signals};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::args::FireArgs;
use crate::output::{Output, io_fault};
use crate::progress::with_progress;
use crate::{CommandResult, EXIT_FAILED, agents, explain, running_engine, show};

/// Exit code 2: the call was blocked.
pub const EXIT_BLOCKED: u8 = 2;

/// Runs the chain, prints the trace, records it and notifies a running engine.
pub async fn run(app: &App, output: &Output, project: &Path, what: FireArgs) -> CommandResult {
    if let Some(agent) = &what.agent {
        return agents::fire_at(app, output, project, agent, &what.event).await;
    }
    programs::raise_descriptor_limit();
    app.kill_orphans();
    let open_project = app.workspace.read_dialect(project, &what.event.dialect)?;
    let payload = explain::payload(app, what.event.payload.as_deref())?;
    let cancel = CancellationToken::new();
    let signal_cancel = SignalCancel::listen(cancel.clone())?;
    let running = cancel.clone();
    let session = SessionRequest {
        dialect: what.event.dialect,
        id: what.session,
        project: open_project.project.clone(),
    };
    let job = FireJob {
        event: what.event.event,
        payload,
        origin: Origin::Cli,
        caller: Caller::ThisProcess,
        consent: if what.trust {
            Consent::Granted
        } else {
            Consent::Approvals
        },
        recording: Recording::On,
        cancel,
        run: None,
    };
    let what_runs = format!("running the hooks of {}", job.event);
    let snapshot = open_project.snapshot();
    let mut fired = with_progress(&what_runs, fire::fire_once(app, &snapshot, session, job)).await?;
    let shown = if what.raw { fired.raw() } else { &fired.recorded };
    print(output, &with_output_problems(shown.clone()));
    if let Some(message) = &fired.unrecorded {
        output.print_note(&message.text);
    }
    if let Some(detached) = fired.detached.take() {
        // The reply is final and printed. `hookwright show` reports how the detached hooks ended.
        let finished = with_progress(
            "waiting for asynchronous hooks",
            fire::finish_detached(app, detached, &running),
        );
        // A window shows the reply at once, and how the detached hooks ended when they have.
        let announced = running_engine::notify_recorded(app, &fired.recorded.trace);
        if let (_, Some(why)) = tokio::join!(announced, async { finished.await.unrecorded }) {
            output.print_note(format!("the results of asynchronous hooks are not recorded: {why}"));
        }
    }
    let recording = record_and_notify(
        app,
        output,
        &open_project.project,
        std::slice::from_ref(&fired.recorded.trace),
    );
    let stopped_by = signal_cancel
        .run_until_signal(with_progress("writing the history", recording))
        .await;
    let blocked = fired.recorded.verdict.kind.blocks();
    Ok(match (stopped_by, blocked) {
        (Some(signal), _) => ExitCode::from(128 + signal),
        (None, true) => ExitCode::from(EXIT_BLOCKED),
        (None, false) => ExitCode::SUCCESS,
    })
}

fn print(output: &Output, trace: &Trace) {
    if output.json {
        output.document(trace);
        return;
    }
    show::print_text(output, trace);
    if trace
        .steps
        .iter()
        .any(|step| step.reason.as_deref() == Some("untrusted"))
    {
        output.print_note(
            "run `hookwright trust` to review hooks that are not approved; `--trust` trusts them for this call only",
        );
    }
}

/// The steps that must not change the exit code: importing into the database, noting the project, notifying a window.
pub async fn record_and_notify(app: &App, output: &Output, project: &Path, traces: &[String]) {
    // The window offers the projects of this list. A broken settings file was already reported.
    drop(projects::note_project(app, project));
    let mut notified = false;
    for trace in traces {
        notified = running_engine::notify_recorded(app, trace).await;
        if !notified {
            break;
        }
    }
    if notified {
        return;
    }
    match app.history.import().await {
        Ok(messages) => messages.iter().for_each(|message| output.print_note(&message.text)),
        Err(why) => output.print_note(why.to_string()),
    }
}

/// Cancels the chain on SIGINT and SIGTERM; the trace is printed and recorded anyway. A signal while the history is
/// written ends that work too, because the trace is already in the spool.
pub struct SignalCancel {
    task: tokio::task::JoinHandle<()>,
    received: watch::Receiver<Vec<u8>>,
}

impl SignalCancel {
    /// Listens from now on. The caller does this before the first hook starts, so that an early signal does not end the
    /// program before the trace is recorded.
    pub fn listen(cancel: CancellationToken) -> Result<Self, Fault> {
        let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
        let (sender, received) = watch::channel(Vec::new());
        let task = tokio::spawn(async move {
            loop {
                let number = match signals.next().await {
                    Signal::Interrupt => 2,
                    Signal::Terminate => 15,
                };
                sender.send_modify(|numbers| numbers.push(number));
                cancel.cancel();
            }
        });
        Ok(Self { task, received })
    }

    /// Does the work that follows the output, until it is done or the next signal arrives. Returns the number of the
    /// first signal, if there was one.
    pub async fn run_until_signal(mut self, work: impl Future<Output = ()>) -> Option<u8> {
        let before = self.received.borrow_and_update().len();
        let next_signal = self.received.wait_for(|numbers| numbers.len() > before);
        tokio::select! {
            () = work => {}
            _ = next_signal => {}
        }
        self.task.abort();
        self.received.borrow().first().copied()
    }
}

const _: () = assert!(
    EXIT_FAILED != EXIT_BLOCKED,
    "a script must tell `could not fire` from `held`"
);

#[cfg(all(test, unix))]
mod tests {
    use rustix::process::{Signal, getpid, kill_process};

    use super::*;

    /// Every listener of a process receives its signals, so these tests run one after the other.
    static SIGNAL_LOCK: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    #[tokio::test]
    async fn a_signal_while_the_history_is_written_ends_the_wait_for_it() {
        let _lock = SIGNAL_LOCK.lock().await;
        let signal_cancel = SignalCancel::listen(CancellationToken::new()).unwrap();
        let never_done = async {
            kill_process(getpid(), Signal::INT).unwrap();
            std::future::pending().await
        };
        assert_eq!(signal_cancel.run_until_signal(never_done).await, Some(2));
    }

    #[tokio::test]
    async fn the_first_signal_decides_the_status_and_the_second_one_ends_the_wait() {
        let _lock = SIGNAL_LOCK.lock().await;
        let cancel = CancellationToken::new();
        let signal_cancel = SignalCancel::listen(cancel.clone()).unwrap();
        kill_process(getpid(), Signal::TERM).unwrap();
        cancel.cancelled().await;
        let never_done = async {
            kill_process(getpid(), Signal::INT).unwrap();
            std::future::pending().await
        };
        assert_eq!(signal_cancel.run_until_signal(never_done).await, Some(15));
    }

    #[tokio::test]
    async fn without_a_signal_the_work_is_finished() {
        let _lock = SIGNAL_LOCK.lock().await;
        let signal_cancel = SignalCancel::listen(CancellationToken::new()).unwrap();
        assert_eq!(signal_cancel.run_until_signal(async {}).await, None);
    }
}
