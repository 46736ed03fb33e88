//! The engine with its control socket: one running engine per data folder, and any number of attached clients.
//!
//! What it deliberately does not do: it decides nothing about hooks. Every request runs a command of the one command
//! list ([`hookwright_app::commands`]). Agents use the agent socket, which is a different socket.
//!
//! How it works: [`ControlServer`] locks the data folder, listens on the control socket and serves every connection of
//! the same user. [`Client`] finds a running engine and calls it. [`Host`] is one interface to either of the two, for a
//! window. Lines are JSON-RPC 2.0 (`CONTRACTS.md` §3 and §3.1).

mod agent_connection;
mod agent_limits;
#[cfg(all(test, unix))]
mod agent_log_tests;
#[cfg(all(test, unix))]
mod agent_order_tests;
mod agent_socket;
#[cfg(all(test, unix))]
mod agent_tests;
mod client;
mod connection;
mod control_server;
mod host;
mod instance_lock;
mod line_tap;
pub mod messages;
#[cfg(all(test, unix))]
mod notice_tests;
mod push_batcher;
mod router;
mod rpc_message;
#[cfg(all(test, unix))]
mod running_chain_tests;
mod runtime_dir;
mod same_as;
mod signals;
mod socket;
mod socket_file;
#[cfg(all(test, unix))]
mod tests;

pub use agent_connection::MAX_AGENT_LINE_BYTES;
pub use client::{Client, ConnectError};
pub use control_server::{ControlServer, EndReason, ListenError};
pub use host::{EngineLocation, Host};
pub use push_batcher::PushBatcher;
pub use router::{HostMode, NewPageLink, Router};
pub use rpc_message::{MAX_LINE_BYTES, PingReply};
pub use signals::{Signal, Signals, handle_file_size_limit};

/// All message templates of this crate.
#[must_use]
pub fn messages() -> Vec<&'static hookwright_model::MessageTemplate> {
    messages::ALL.to_vec()
}
