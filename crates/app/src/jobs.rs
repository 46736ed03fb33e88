//! What a host asks for with an event, and what remains to do after its reply.

use std::sync::Arc;

use hookwright_engine::ReportedDirs;
use hookwright_model::{Dialect, Event, EventSpec, Hook, Trace};

use crate::named_runs::NamedRun;

/// Whether approvals decide which hooks may run, or the user's `--trust` replaces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// A hook that needs an approval runs only with one.
    Approvals,
    /// `--trust` was given: every hook counts as trusted for this one call.
    Granted,
}

/// Whether the trace is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// The trace is spooled before the reply leaves, and imported later.
    On,
    /// Nothing is written. Only tests and benchmarks use it.
    Off,
}

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
