//! The codec of a process: what its dialect says about lines, for [`hookwright_rpc`].

use hookwright_model::{Captured, End, Message, PeerLine, PeerProtocol};
use hookwright_rpc::{Codec, Incoming, Limits};
use serde_json::value::RawValue;

/// The limits of the lines of a process. A longer line ends its process (`engine.md` §7). The queue is for requests;
/// [`PeerRules::queue`](hookwright_model::PeerRules::queue) limits the notifications.
pub(super) const LIMITS: Limits = Limits {
    line_bytes: 32 << 20,
    // Nothing that a process asks for is served.
    concurrent: 0,
    calls: 1 << 10,
    queue_lines: 1 << 10,
    queue_bytes: 64 << 20,
};

/// Adapts the protocol of a dialect.
#[derive(Debug)]
pub(super) struct ProcessCodec(pub(super) &'static dyn PeerProtocol);

/// The answer of a process.
#[derive(Debug)]
pub(super) struct ProcessAnswer {
    /// [`End::Replied`] or [`End::Refused`].
    pub(super) end: End,
    /// The line as received.
    pub(super) line: Vec<u8>,
    /// What the attempt reports in addition.
    pub(super) warnings: Vec<Message>,
}

impl ProcessAnswer {
    fn new(end: End, line: &[u8]) -> Self {
        Self {
            end,
            line: line.to_vec(),
            warnings: Vec::new(),
        }
    }
}

impl Codec for ProcessCodec {
    type Answer = ProcessAnswer;
    type Other = PeerLine;
    /// What the process wrote to stderr during the attempt.
    type Context = Captured;

    fn call(&self, id: u64, method: &str, params: &RawValue) -> Vec<u8> {
        self.0.request(id, method, params).into_bytes()
    }

    fn notification(&self, method: &str, params: &RawValue) -> Vec<u8> {
        self.0.notification(method, params).into_bytes()
    }

    fn cancel(&self, id: u64) -> Option<Vec<u8>> {
        self.0.cancel(id).map(String::into_bytes)
    }

    fn read(&self, line: &[u8]) -> Incoming<ProcessAnswer, PeerLine> {
        // A line that is not UTF-8 can still be a response to a request; the dialect refuses it.
        match self.0.parse_line(&String::from_utf8_lossy(line)) {
            PeerLine::Answer(id) => Incoming::Answer {
                id,
                answer: ProcessAnswer::new(End::Replied, line),
            },
            PeerLine::Refusal(id) => Incoming::Answer {
                id,
                answer: ProcessAnswer::new(End::Refused, line),
            },
            other @ (PeerLine::Hello | PeerLine::Dropped | PeerLine::Invalid(_)) => Incoming::Other(other),
        }
    }
}
