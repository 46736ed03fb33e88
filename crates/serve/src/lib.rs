//! The engine behind a socket: one living engine a data folder, and everybody who attaches to it.
//!
//! What it deliberately does not do: it decides nothing. Every request goes to the one list of commands
//! ([`hookwright_app::commands`]); agents have a socket of their own, which is not this one.
//!
//! How it works: [`Listening`] claims the data folder with a lock, listens on the control socket and serves every
//! connection of the same user; [`Client`] finds such an engine and calls it; [`Host`] is either of the two behind one
//! interface, for a window. Lines are JSON-RPC 2.0 (`CONTRACTS.md` §3 and §3.1).

mod client;
mod connection;
mod control_server;
mod host;
mod instance_lock;
mod lines;
pub mod messages;
mod push_batcher;
mod router;
mod rpc_message;
mod runtime_dir;
mod same_as;
mod signals;
mod socket;
#[cfg(all(test, unix))]
mod tests;

pub use client::{Client, ConnectError};
pub use control_server::{ControlServer, EndReason, ListenError};
pub use host::{EngineLocation, Host};
pub use lines::MAX_LINE_BYTES;
pub use push_batcher::PushBatcher;
pub use router::{HostMode, Router};
pub use rpc_message::PingReply;
pub use signals::{Signal, Signals};

/// Every sentence of this crate.
#[must_use]
pub fn messages() -> Vec<&'static hookwright_model::MessageTemplate> {
    messages::ALL.to_vec()
}
