//! One side of a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::calls::{CallError, OpenCall};
use crate::codec::Codec;
use crate::incoming::RunningRequests;
use crate::limits::Limits;
use crate::line_budget::LineBudget;
use crate::outgoing::{Item, Outgoing, SendError, Written};
use crate::pending::{DroppedAnswers, Ended, PendingCalls};

/// One side of a connection. Clones share it. It does not end when the last clone is dropped, but with [`Peer::close`]
/// or with the connection.
#[derive(Debug)]
pub struct Peer<C: Codec> {
    pub(crate) shared: Arc<Shared<C>>,
}

impl<C: Codec> Clone for Peer<C> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Shared<C: Codec> {
    pub(crate) codec: C,
    pub(crate) limits: Limits,
    pub(crate) pending: PendingCalls<C::Answer, C::Context>,
    pub(crate) outgoing: Outgoing,
    /// One permit for each call of this side that may wait.
    pub(crate) places: Arc<Semaphore>,
    /// One permit for each request of the other side that may run.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) running: RunningRequests,
    /// What limits the unfinished lines of this connection and others together.
    pub(crate) lines: Option<Arc<LineBudget>>,
    /// The bytes of answers that were not written yet.
    pub(crate) unread: Arc<AtomicUsize>,
    /// Cancelled when nothing more is read.
    pub(crate) read_ended: CancellationToken,
    pub(crate) closed: CancellationToken,
}

impl<C: Codec> Peer<C> {
    /// A side that is not connected yet. Calls are queued until [`Peer::write_to`] or [`Peer::run`] writes them.
    #[must_use]
    pub fn new(codec: C, limits: Limits) -> Self {
        Self::sharing(codec, limits, None)
    }

    /// Like [`Peer::new`]; the unfinished lines of the other side count in this budget.
    #[must_use]
    pub fn sharing(codec: C, limits: Limits, lines: Option<Arc<LineBudget>>) -> Self {
        Self {
            shared: Arc::new(Shared {
                codec,
                limits,
                pending: PendingCalls::new(),
                outgoing: Outgoing::new(limits),
                places: Arc::new(Semaphore::new(limits.calls)),
                slots: Arc::new(Semaphore::new(limits.concurrent)),
                running: RunningRequests::default(),
                lines,
                unread: Arc::default(),
                read_ended: CancellationToken::new(),
                closed: CancellationToken::new(),
            }),
        }
    }

    /// The codec of the connection.
    #[must_use]
    pub fn codec(&self) -> &C {
        &self.shared.codec
    }

    /// The limits of the connection.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// How many bytes of answers wait for room or to be written.
    #[must_use]
    pub fn unread_bytes(&self) -> usize {
        self.shared.unread.load(Ordering::Relaxed)
    }

    /// Uses up one id, for a call that the owner of the peer writes itself.
    pub fn skip_id(&self) {
        self.shared.pending.skip_id();
    }

    /// Calls the other side and waits for its answer, at most `time_limit`. Dropping the future cancels the call.
    ///
    /// # Errors
    /// There was no answer in time, or the connection ended.
    pub async fn call(
        &self,
        method: &str,
        params: &RawValue,
        time_limit: Option<Duration>,
    ) -> Result<C::Answer, CallError>
    where
        C::Context: Default,
    {
        let answer = async {
            let mut call = self.begin(C::Context::default(), method, params).await?;
            // Nobody else needs the line once it was written.
            drop(call.take_line());
            call.end().await?.1
        };
        let answered = match time_limit {
            Some(limit) => tokio::time::timeout(limit, answer)
                .await
                .map_err(|_| CallError::TimedOut(limit))?,
            None => answer.await,
        };
        answered.map_err(CallError::Ended)
    }

    /// Queues a call, after waiting for its place and for room. `context` is stored until the call ends, and returned then.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn begin(&self, context: C::Context, method: &str, params: &RawValue) -> Result<OpenCall<C>, Ended> {
        OpenCall::begin(self.shared.clone(), context, |codec, id| codec.call(id, method, params)).await
    }

    /// Queues a notification, after waiting for room.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn notify(&self, method: &str, params: &RawValue) -> Result<(), Ended> {
        let item = Item::new(self.shared.codec.notification(method, params));
        self.shared.outgoing.push(item).await;
        self.shared.pending.ended().map_or(Ok(()), Err)
    }

    /// Queues a line of the owner, after waiting for room. A connection that has ended drops it.
    pub async fn send(&self, line: Vec<u8>) {
        self.shared.outgoing.push(Item::new(line)).await;
    }

    /// Queues a line of the owner, if there is room and fewer than `most` such lines wait. It may contain line feeds,
    /// and is then several lines.
    ///
    /// # Errors
    /// There is no room, or the connection has ended.
    pub fn try_send(&self, line: Vec<u8>, most: usize) -> Result<Written, SendError> {
        match self.shared.pending.ended() {
            Some(ended) => Err(SendError::Ended(ended)),
            None => self.shared.outgoing.try_push(line, most),
        }
    }

    /// Ends the call with this id. `answer` is made only if the call waits. Returns whether it did; if not, the answer
    /// is counted in [`Peer::dropped_answers`].
    pub fn deliver(&self, id: u64, answer: impl FnOnce() -> C::Answer) -> bool {
        self.shared.pending.deliver(id, answer)
    }

    /// Changes what is stored for each call that waits. Returns how many wait.
    pub fn for_each_call(&self, change: impl FnMut(&mut C::Context)) -> usize {
        self.shared.pending.for_each(change)
    }

    /// The answers for which no call waited.
    #[must_use]
    pub fn dropped_answers(&self) -> DroppedAnswers {
        self.shared.pending.dropped()
    }

    /// Writes what is queued. Returns when the connection has ended on this side, or when the stream cannot be
    /// written. Dropping the future leaves a line that is being written incomplete.
    pub async fn write_to(&self, mut writer: impl AsyncWrite + Unpin) {
        let outgoing = &self.shared.outgoing;
        while let Some(item) = outgoing.next().await {
            if writer.write_all(&item.bytes()).await.is_err() {
                return;
            }
            outgoing.written(item);
            if outgoing.is_empty() && writer.flush().await.is_err() {
                return;
            }
        }
        // Both sides have finished, so a failure here has no effect.
        drop(writer.shutdown().await);
    }

    /// Ends the connection at once: calls that wait end with this reason, queued lines are dropped, and
    /// [`Peer::run`] returns. The first reason stays.
    pub fn close(&self, why: Ended) {
        self.shared.pending.end(why);
        self.shared.outgoing.close();
        self.shared.places.close();
        self.shared.closed.cancel();
    }

    /// Why the connection ended; `None` while it has not.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.shared.pending.ended()
    }

    /// Waits until [`Peer::run`] reads nothing more. Requests may still run, and their answers may still be sent.
    pub async fn reading_ended(&self) {
        self.shared.read_ended.cancelled().await;
    }

    /// Waits until the connection has ended.
    pub async fn closed(&self) {
        self.shared.closed.cancelled().await;
    }
}
