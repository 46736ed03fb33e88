//! The engine: which hooks run for an event, in which order, and what they decide together.
//!
//! It starts no process, reads no file, and knows no dialect by name. It uses a [`Dialect`] for translations, a
//! [`Runner`] for runs, and a [`PreSpawnCheck`] directly before each start.
//!
//! How it works: a host opens a [`Session`] and begins an event. [`plan`] checks the gates of every candidate.
//! [`chain::Chain`] returns the next attempts and gets the result of each run; it contains no await.
//! [`SessionEvent::fire`] drives the chain, updates the session's state and builds the trace. Firing never fails because
//! a hook did (`engine.md` §1). [`record_report`] answers a chain from what an agent ran itself, and [`record_refused`]
//! is the trace of an event whose chain could not begin.

// Every host uses these functions.
#![warn(missing_docs)]

mod call_input;
pub mod chain;
mod directory;
mod driver;
mod fire;
pub mod messages;
mod permit;
pub mod plan;
mod progress;
mod record;
mod refused;
mod replacements;
mod reported;
mod runner;
mod session;

use std::sync::Arc;

use hookwright_model::{Hook, HookId, Message};

pub use driver::{ChainContext, SystemTimer};
pub use progress::ChainProgress;
pub use record::ChainRecord;
pub use refused::record_refused;
pub use replacements::apply_replacements;
pub use reported::{ReportedRun, ReportedStep, record_report};
pub use runner::SessionRunner;
pub use session::{EventStart, FileHooks, MAX_EVENTS_AT_ONCE, Session, SessionEvent, SessionOptions, SessionRefusal};

/// A hook with the data that only the host has: approval and mute.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The hook of this candidate.
    pub hook: Arc<Hook>,
    /// The result of gate `trusted`; the error is the message of the gate.
    pub trusted: Result<(), Message>,
    /// The message of the mute, if Hookwright leaves the hook out.
    pub muted: Option<Message>,
    /// Whether the hook always needs an approval of its own
    /// ([`Replacements::always_need_approval`](hookwright_model::Replacements::always_need_approval)).
    pub contested: bool,
    /// The id of a hook that is not approved and would replace this one.
    pub would_be_replaced_by: Option<HookId>,
    /// The id of settings that are not approved and would switch this hook off, or change how it is run.
    pub would_be_changed_by: Option<HookId>,
    /// Whether the agent runs this hook itself ([`FileHooks::Agent`]). The engine sets it.
    pub(crate) agent_runs_it: bool,
}

impl Candidate {
    /// A candidate without any replacement by another hook.
    #[must_use]
    pub fn new(hook: Arc<Hook>, trusted: Result<(), Message>, muted: Option<Message>) -> Self {
        Self {
            hook,
            trusted,
            muted,
            contested: false,
            would_be_replaced_by: None,
            would_be_changed_by: None,
            agent_runs_it: false,
        }
    }
}

#[cfg(test)]
mod tests;
