//! The hooks of an event that start after its reply.

use std::sync::Arc;

use hookwright_engine::ReportedDirs;
use hookwright_model::{Dialect, Event, EventSpec, Hook, Trace};

use crate::event_options::{Consent, Recording};
use crate::named_runs::NamedRun;

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
