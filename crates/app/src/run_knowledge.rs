//! What the recorded runs say of hooks now: which ones fail, which ones blocked, and what passed unguarded. Health and
//! status need it.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{Message, render};
use hookwright_store::{PassedEvent, RecordedHook, RunFacts};
use hookwright_workspace::health::{FailedRuns, KnownRuns, RunKey};
use tokio::time::timeout;

use crate::history_store::History;
use crate::recording::{FAILING_UNKNOWN, TOO_SLOW};

/// How long the answer of the database is waited for. A build without optimisation needs several times as long.
const READ_TIMEOUT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 50 });

/// What was read last.
#[derive(Debug, Default)]
pub(crate) struct RecordedRuns {
    /// What the health of hooks depends on.
    pub known: Arc<KnownRuns>,
    /// The events of the last 24 hours that passed although a hook failed, the newest first.
    pub passed: Vec<PassedEvent>,
    /// Why it is not known; `None` if it is.
    pub unknown: Option<Message>,
    /// Whether that is a fault, and not only slow.
    pub is_fault: bool,
}

impl RecordedRuns {
    /// Reads what the runs say that are in the database already.
    pub(crate) async fn read(history: &History) -> Self {
        let read = async { history.open_as_it_is().await?.run_facts().await };
        let mut is_fault = false;
        let (facts, unknown) = match timeout(READ_TIMEOUT, read).await {
            Ok(Ok(facts)) => (facts, None),
            Ok(Err(error)) => {
                let message = render!(FAILING_UNKNOWN, "why" => error.to_string());
                is_fault = true;
                (RunFacts::default(), Some(message))
            }
            Err(_) => {
                let ms = u64::try_from(READ_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
                (RunFacts::default(), Some(render!(TOO_SLOW, "ms" => ms)))
            }
        };
        let failing = facts.failing.into_iter().map(|failing| {
            let runs = FailedRuns {
                runs: failing.runs,
                failed: failing.failed,
            };
            (run_key(failing.hook), runs)
        });
        let known = KnownRuns {
            failing: failing.collect(),
            blockers: facts.blockers.into_iter().map(run_key).collect(),
        };
        Self {
            known: Arc::new(known),
            passed: facts.passed,
            unknown,
            is_fault,
        }
    }
}

fn run_key(hook: RecordedHook) -> RunKey {
    RunKey {
        path: hook.path,
        event: hook.event,
        version: hook.version,
    }
}
