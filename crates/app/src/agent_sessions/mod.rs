//! The sessions of connected agents (`CONTRACTS.md` §3), without what agents ask for in them.
//!
//! How it works: [`AgentSessions`] has the sessions that live, by dialect and session id. An [`AgentSession`] has the
//! connections that share it, and an `engine::Session` that is replaced when the conversation ends. A connection that
//! leaves stops its events; the last one ends the session, unless it asked for the session to be kept.

mod agent_info;
mod calls;
pub(crate) mod engine_calls;
mod event_rate;
pub(crate) mod protocol_log;
mod session;
mod sessions;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

pub use agent_info::AgentInfo;
pub(crate) use agent_info::Offer;
pub use protocol_log::{KEPT_LINE_BYTES, Sender};
pub(crate) use session::{AgentSession, Member};
pub use sessions::AgentSessions;
pub(crate) use sessions::Opening;

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
}
