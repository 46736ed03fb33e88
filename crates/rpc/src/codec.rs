//! What the lines of a connection look like.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

/// Maps calls, notifications and cancels to lines, and lines to their meaning. Pure: it only reads and writes texts.
///
/// A line has no line end. It must not contain a line feed.
pub trait Codec: fmt::Debug + Send + Sync + 'static {
    /// What a call receives: the answer of the other side, or its error.
    type Answer: fmt::Debug + Send + 'static;
    /// A line that is neither an answer nor a request.
    type Other: Send;
    /// What the owner of a peer stores with a call until the call ends; `()` for most.
    type Context: fmt::Debug + Send + 'static;

    /// The line of a call. Ids count from 1.
    fn call(&self, id: u64, method: &str, params: &RawValue) -> Vec<u8>;

    /// The line of a notification: a call that has no id and gets no answer.
    fn notification(&self, method: &str, params: &RawValue) -> Vec<u8>;

    /// The line that cancels a call; `None` if the protocol has no such message.
    fn cancel(&self, id: u64) -> Option<Vec<u8>>;

    /// Reads a line of the other side. It is not blank.
    fn read(&self, line: &[u8]) -> Incoming<Self::Answer, Self::Other>;
}

/// A codec that can also answer the calls of the other side.
pub trait ServiceCodec: Codec {
    /// Why a request fails.
    type Error: fmt::Debug + Send + Sync;

    /// Whether [`Codec::read`] ever returns [`Incoming::Cancel`]. If not, nobody has to remember which requests run.
    const HAS_CANCEL: bool;

    /// The line that answers a request. A result that cannot be written as JSON is answered with an error.
    fn answer<T: Serialize + ?Sized>(&self, id: &RawValue, result: Result<&T, &Self::Error>) -> Vec<u8>;
}

/// The meaning of a line.
#[derive(Debug)]
pub enum Incoming<A, O> {
    /// The answer to a call of this side.
    Answer {
        /// The id of the call; 0 when the line names none that this side could have used.
        id: u64,
        /// The answer.
        answer: A,
    },
    /// A call or a notification of the other side.
    Request(Request),
    /// The other side no longer waits for the answer to its call of this id.
    Cancel(Box<RawValue>),
    /// Anything else: garbage, or a message that only the owner of the peer knows.
    Other(O),
}

/// A call or a notification of the other side.
#[derive(Debug, Clone)]
pub struct Request {
    /// The id that the answer repeats unchanged; `None` for a notification, which gets no answer.
    pub id: Option<Box<RawValue>>,
    /// What is asked for.
    pub method: String,
    /// The parameters as they were written; `None` when there are none.
    pub params: Option<Box<RawValue>>,
}
