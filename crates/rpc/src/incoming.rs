//! The requests of the other side.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::coop::consume_budget;
use tokio_util::sync::CancellationToken;

use crate::codec::{Incoming, Request, ServiceCodec};
use crate::line_budget::LineBudget;
use crate::lines::{LineRead, Lines};
use crate::outgoing::Item;
use crate::peer::{Peer, Shared};
use crate::pending::Ended;

/// Receives what the other side asks for.
pub trait Service<C: ServiceCodec>: Send + Sync {
    /// Begins a request. The next line is read when this has finished, so requests begin in their order. What takes
    /// time, or calls the other side, belongs into a task of its own, which owns the responder.
    fn begin(&self, request: Request, responder: Responder<C>) -> impl Future<Output = ()> + Send;

    /// Receives any other line. Returns the line to send back, if any.
    fn other(&self, line: C::Other) -> Option<Vec<u8>>;

    /// The other side sent a line that ends the connection. Returns the line to send before, if any.
    fn line_refused(&self, why: LineRefusal) -> Option<Vec<u8>>;
}

/// Why a line ends the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRefusal {
    /// It is over the limit.
    TooLong,
    /// It is the longest of the unfinished lines of all connections, which are too long together.
    OverBudget,
}

/// Answers one request. Until it is dropped, the request counts as running.
#[derive(Debug)]
pub struct Responder<C: ServiceCodec> {
    shared: Arc<Shared<C>>,
    id: Option<Box<RawValue>>,
    cancelled: CancellationToken,
    /// Given back when the request has been answered.
    _slot: OwnedSemaphorePermit,
}

/// The answer is longer than a line may be. The request still waits for another answer.
#[derive(Debug)]
pub struct AnswerTooLong<C: ServiceCodec> {
    /// To answer with something else.
    pub responder: Responder<C>,
    /// The length of the line, in bytes.
    pub bytes: usize,
    /// How long it may be.
    pub limit: usize,
}

impl<C: ServiceCodec> Responder<C> {
    /// Answers the request, after waiting for room. A notification gets no answer, and neither does a side that has
    /// closed the connection.
    ///
    /// # Errors
    /// The line would be longer than the limit.
    pub async fn answer<T: Serialize + ?Sized>(self, result: Result<&T, &C::Error>) -> Result<(), AnswerTooLong<C>> {
        self.begin_answer(result)?.send().await;
        Ok(())
    }

    /// Writes the answer as a line, so that the result is no longer needed while the line waits for room.
    ///
    /// # Errors
    /// The line would be longer than the limit.
    pub fn begin_answer<T: Serialize + ?Sized>(
        self,
        result: Result<&T, &C::Error>,
    ) -> Result<AnswerLine<C>, AnswerTooLong<C>> {
        let line = self.id.as_ref().map(|id| self.shared.codec.answer(id, result));
        let (bytes, limit) = (line.as_ref().map_or(0, Vec::len), self.shared.limits.line_bytes);
        if bytes > limit {
            let responder = self;
            return Err(AnswerTooLong {
                responder,
                bytes,
                limit,
            });
        }
        Ok(AnswerLine { responder: self, line })
    }

    /// Resolves when nobody waits for the answer any more: the other side cancelled its call, or the connection was
    /// closed.
    pub async fn cancelled(&self) {
        tokio::select! {
            () = self.cancelled.cancelled() => {}
            () = self.shared.closed.cancelled() => {}
        }
    }
}

/// The answer to a request, as a line.
#[derive(Debug)]
pub struct AnswerLine<C: ServiceCodec> {
    responder: Responder<C>,
    line: Option<Vec<u8>>,
}

impl<C: ServiceCodec> AnswerLine<C> {
    /// The length of the line.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.line.as_ref().map_or(0, Vec::len)
    }

    /// Queues the line, after waiting for room.
    pub async fn send(self) {
        if let Some(line) = self.line {
            let shared = &self.responder.shared;
            shared.outgoing.push(Item::of_answer(line, &shared.unread)).await;
        }
    }
}

impl<C: ServiceCodec> Drop for Responder<C> {
    fn drop(&mut self) {
        if C::HAS_CANCEL
            && let Some(id) = &self.id
        {
            self.shared.running.forget(id.get(), &self.cancelled);
        }
    }
}

/// The requests that run, by their ids as they were written. Empty where the codec has no cancel.
#[derive(Debug, Default)]
pub(crate) struct RunningRequests(Mutex<HashMap<String, CancellationToken>>);

impl RunningRequests {
    fn tokens(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        // No code panics while it changes the map.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, id: &str) -> CancellationToken {
        let token = CancellationToken::new();
        self.tokens().insert(id.to_owned(), token.clone());
        token
    }

    fn cancel(&self, id: &str) {
        if let Some(token) = self.tokens().get(id) {
            token.cancel();
        }
    }

    /// A later request of the same id is left alone.
    fn forget(&self, id: &str, token: &CancellationToken) {
        let mut tokens = self.tokens();
        // Tokens are equal when they are clones of each other.
        if tokens.get(id).is_some_and(|known| known == token) {
            tokens.remove(id);
        }
    }
}

impl<C: ServiceCodec> Peer<C> {
    /// Reads and writes until the connection ends, and returns why. Blank lines are ignored.
    ///
    /// When the other side closes its half, or `stop` resolves, calls of this side end, requests that run are still
    /// answered, and then this side closes. What had arrived when `stop` resolved is still begun, at most
    /// [`Limits::concurrent`](crate::Limits::concurrent) lines. [`Peer::close`] ends it at once.
    pub async fn run(
        &self,
        reader: impl AsyncRead + Unpin,
        writer: impl AsyncWrite + Unpin,
        service: &impl Service<C>,
        stop: impl Future<Output = ()>,
    ) -> Ended {
        let shared = &self.shared;
        let reading = async {
            let ended = self.read_from(reader, service, stop).await;
            // No answer can come any more.
            shared.pending.end(ended);
            shared.read_ended.cancel();
            let all = u32::try_from(shared.limits.concurrent).unwrap_or(u32::MAX);
            drop(shared.slots.acquire_many(all).await);
            shared.outgoing.finish();
        };
        let writing = async {
            self.write_to(writer).await;
            // What was sent is read to its end, although nothing can be answered any more.
            shared.outgoing.close();
            shared.pending.end(Ended::There);
        };
        tokio::select! {
            _ = futures::future::join(reading, writing) => {}
            () = shared.closed.cancelled() => {}
        }
        self.close(Ended::Here);
        self.ended().unwrap_or(Ended::Here)
    }

    async fn read_from(
        &self,
        reader: impl AsyncRead + Unpin,
        service: &impl Service<C>,
        stop: impl Future<Output = ()>,
    ) -> Ended {
        let share = self.shared.lines.as_ref().map(LineBudget::share);
        let mut lines = Lines::new(Some(reader), self.shared.limits.line_bytes).with_share(share);
        tokio::pin!(stop);
        // How many lines are still read once it has stopped. A side that never pauses must end too.
        let mut left_after_stop = None;
        loop {
            let line = match &mut left_after_stop {
                None => tokio::select! {
                    biased;
                    () = &mut stop => {
                        left_after_stop = Some(self.shared.limits.concurrent);
                        continue;
                    }
                    line = lines.next() => line,
                },
                Some(0) => return Ended::Here,
                Some(left) => {
                    *left -= 1;
                    // What has arrived is there at once, unless the task's budget is used up.
                    let arrived = tokio::task::unconstrained(lines.next()).now_or_never();
                    match arrived {
                        Some(line) => line,
                        None => return Ended::Here,
                    }
                }
            };
            let line = match line {
                LineRead::Line(line) => line,
                LineRead::End => return Ended::There,
                LineRead::TooLong => return self.refuse(service, LineRefusal::TooLong, &mut lines).await,
                LineRead::OverBudget => return self.refuse(service, LineRefusal::OverBudget, &mut lines).await,
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match self.shared.codec.read(line) {
                Incoming::Answer { id, answer } => drop(self.deliver(id, || answer)),
                Incoming::Request(request) => self.begin_request(request, service).await,
                Incoming::Cancel(id) => self.shared.running.cancel(id.get()),
                Incoming::Other(other) => self.send_back(service.other(other)).await,
            }
            // Lines that are already buffered do not wait. This gives other tasks their turn.
            consume_budget().await;
        }
    }

    async fn begin_request(&self, request: Request, service: &impl Service<C>) {
        let Ok(slot) = self.shared.slots.clone().acquire_owned().await else {
            return;
        };
        let cancelled = match &request.id {
            Some(id) if C::HAS_CANCEL => self.shared.running.remember(id.get()),
            Some(_) | None => self.shared.closed.clone(),
        };
        let responder = Responder {
            shared: self.shared.clone(),
            id: request.id.clone(),
            cancelled,
            _slot: slot,
        };
        service.begin(request, responder).await;
    }

    async fn refuse<R: AsyncRead + Unpin>(
        &self,
        service: &impl Service<C>,
        why: LineRefusal,
        lines: &mut Lines<R>,
    ) -> Ended {
        self.send_back(service.line_refused(why)).await;
        lines.discard().await;
        Ended::LineTooLong
    }

    async fn send_back(&self, line: Option<Vec<u8>>) {
        if let Some(line) = line {
            self.send(line).await;
        }
    }
}
