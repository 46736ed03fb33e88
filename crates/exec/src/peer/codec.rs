//! The codec of a process: what its dialect says about lines, for [`hookwright_rpc`].

use std::sync::Arc;

use hookwright_model::{Captured, End, Message, PeerLine, PeerProtocol, RunProgress};
use hookwright_rpc::{Codec, Incoming, Limits};
use serde_json::value::RawValue;

use crate::capture::MAX_STDERR_BYTES;

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

/// What a process wrote to stderr during an attempt.
#[derive(Debug, Default)]
pub(super) struct AttemptStderr {
    captured: Captured,
    /// Receives each piece when it was read; `None` if nobody follows the attempt.
    progress: Option<Arc<dyn RunProgress>>,
}

impl AttemptStderr {
    /// An attempt whose stderr begins with `startup`, from before the request.
    pub(super) fn new(startup: Captured, progress: Option<Arc<dyn RunProgress>>) -> Self {
        if let Some(progress) = progress.as_ref().filter(|_| !startup.bytes.is_empty()) {
            progress.stderr(&startup.bytes);
        }
        Self {
            captured: startup,
            progress,
        }
    }

    /// Adds the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        append(&mut self.captured, piece);
        if let Some(progress) = &self.progress {
            progress.stderr(piece);
        }
    }

    /// All that the record of the attempt contains.
    pub(super) fn into_captured(self) -> Captured {
        self.captured
    }
}

/// Appends up to the stored limit of stderr; the remaining bytes are only counted.
pub(super) fn append(to: &mut Captured, piece: &[u8]) {
    let room = MAX_STDERR_BYTES.saturating_sub(to.bytes.len());
    to.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    to.total += piece.len() as u64;
}

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
    type Context = AttemptStderr;

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
