//! The sessions of connected agents (`CONTRACTS.md` §3), without what agents ask for in them.
//!
//! How it works: [`AgentSessions`] has the sessions that live, by dialect, session id and project. An [`AgentSession`]
//! has the connections that share it, and an `engine::Session` that is replaced when the conversation ends. A connection
//! that leaves stops its events; the last one ends the session, unless it asked for the session to be kept.
//!
//! A session id is a name that every program of the user can say. So a connection that joins can only add: what it
//! registers and offers serves its own events and those of processes that descend from its own ([`Lineage`]).

mod agent_info;
mod budget;
mod calls;
pub(crate) mod engine_calls;
mod event_rate;
mod lineage;
mod member;
pub(crate) mod protocol_log;
mod session;
mod sessions;
#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

pub use agent_info::AgentInfo;
pub(crate) use agent_info::Offer;
pub(crate) use budget::json_bytes;
pub use budget::{Kept, KeptBytes, MAX_KEPT_BYTES};
pub use lineage::{Lineage, ProcessId};
pub(crate) use member::{Member, Peer};
pub use protocol_log::{KEPT_LINE_BYTES, Sender};
pub(crate) use session::{AgentSession, HookRefusal, Join, MAX_HOOK_TEXT_BYTES, MAX_HOOKS, NewHooks, Opening};
pub use sessions::AgentSessions;
pub(crate) use sessions::ProjectOf;

/// Why an agent gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkError {
    /// It did not answer in time.
    TimedOut,
    /// It has left.
    Gone,
    /// It answered with an error, whose message this is.
    Refused(String),
}

/// One connection to an agent.
pub trait AgentLink: Send + Sync {
    /// Calls a method of the agent, and waits for its result at most this long. Dropping the future gives the call up.
    fn call<'a>(
        &'a self,
        method: &'static str,
        params: Value,
        time_limit: Duration,
    ) -> BoxFuture<'a, Result<Value, LinkError>>;

    /// Sends a notification.
    fn notify<'a>(&'a self, method: &'static str, params: Value) -> BoxFuture<'a, ()>;

    /// Sends a notification, unless too much waits to be read by the agent.
    fn try_notify(&self, method: &'static str, params: Value);

    /// How many bytes of answers the agent has not read yet.
    fn unread_bytes(&self) -> usize;
}
