//! The hooks of an event that start after its reply.

use std::sync::Arc;

use hookwright_engine::Session;
use hookwright_model::{Event, EventSpec, Hook, Trace};

use crate::event_options::{Consent, Recording};
use crate::named_runs::NamedRun;

/// The detached hooks of one event, ready to start after its reply.
#[derive(Debug)]
pub struct DetachedHooks {
    /// The session of the event. Its peers are used, and it stays open until these hooks have ended.
    pub(crate) session: Arc<Session>,
    pub(crate) spec: &'static EventSpec,
    pub(crate) event: Event,
    pub(crate) hooks: Vec<Arc<Hook>>,
    pub(crate) trace: Trace,
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
