//! What a dialect remembers about one conversation between its events.

use std::fmt::Debug;

use serde_json::Value;

use crate::event::{EventSpec, Payload};
use crate::message::Message;
use crate::trace::Trace;

/// The state of one conversation. Each dialect has a type of its own. The session locks it only to read it when a chain
/// begins and to update it when the chain ends, so chains of one session can run at the same time.
pub trait Conversation: Send + Debug {
    /// What a chain of this event needs to know when it begins.
    fn read(&self, event: &EventSpec, payload: &Payload) -> ConversationRead;

    /// Updates the state after a chain has ended. `read` is what this chain read when it began; chains that ended in
    /// the meantime may have changed the state since. Removes from the trace what is reported only once per
    /// conversation.
    fn remember(&mut self, event: &EventSpec, read: &ConversationRead, trace: &mut Trace);

    /// The state as JSON, for tests and bug reports.
    fn to_json(&self) -> Value;
}

/// What a chain read from its conversation when it began. It stays valid for this chain, even if the state changes
/// before the chain ends (`CONTRACTS.md` §3, "Bounds").
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConversationRead {
    /// Why hooks can no longer block the agent at this event; `None` if they can.
    pub no_block_reason: Option<Message>,
    /// The number of the turn in which the chain began, from 0, if the dialect counts turns.
    pub turn: u64,
}

/// The conversation of a dialect that remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMemory;

impl Conversation for NoMemory {
    fn read(&self, _event: &EventSpec, _payload: &Payload) -> ConversationRead {
        ConversationRead::default()
    }

    fn remember(&mut self, _event: &EventSpec, _read: &ConversationRead, _trace: &mut Trace) {}

    fn to_json(&self) -> Value {
        Value::Null
    }
}
