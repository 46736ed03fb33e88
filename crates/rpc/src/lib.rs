//! Calls over lines, in both directions: one side of a connection calls the other side, and answers its calls.
//!
//! What it deliberately does not do: it opens no socket and starts no process, it knows no method, and it reads no
//! parameters and no results. Those are texts ([`serde_json::value::RawValue`]) that are copied and not parsed.
//!
//! How it works: a [`Peer`] is one side of a connection. A [`Codec`] says what its lines look like; [`JsonRpc`] is the
//! one of the sockets, and processes have others. [`Peer::call`] gives the call an id, queues its line and waits for
//! the answer with that id. A [`Service`] receives what the other side asks for. [`Peer::run`] reads and writes until
//! the connection ends. An owner that must see each line first, such as the supervisor of a process, reads
//! [`Lines`] itself, hands answers to [`Peer::deliver`], and writes with [`Peer::write_to`].
//!
//! Everything that can grow has a limit ([`Limits`]). A side that does not read slows down its own calls, and nothing
//! else.

mod calls;
mod codec;
mod incoming;
mod json_rpc;
mod limits;
mod line_budget;
mod lines;
mod outgoing;
mod peer;
mod pending;
#[cfg(test)]
mod tests;

pub use calls::{CallError, OpenCall};
pub use codec::{Codec, Incoming, Request, ServiceCodec};
pub use incoming::{AnswerLine, AnswerTooLong, LineRefusal, Responder, Service};
pub use json_rpc::{BadLine, BadLineReason, ErrorObject, JsonRpc};
pub use limits::Limits;
pub use line_budget::LineBudget;
pub use lines::{LineRead, Lines};
pub use outgoing::{SendError, Written};
pub use peer::Peer;
pub use pending::{DroppedAnswers, Ended};
