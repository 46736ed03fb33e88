//! A call of this side, from its line to its answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::codec::Codec;
use crate::outgoing::Item;
use crate::peer::Shared;
use crate::pending::{CallEnd, Ended};

/// Why a call has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The other side did not answer in time. The call was cancelled.
    #[error("no response within {0:?}")]
    TimedOut(Duration),
    /// The connection ended before the answer came.
    #[error("the connection ended: {0}")]
    Ended(#[from] Ended),
}

/// A call that was queued. Dropping it cancels the call: a line that was not written yet is removed, for another one
/// the codec's cancel is sent. The id is forgotten, so a late answer is dropped.
#[derive(Debug)]
pub struct OpenCall<C: Codec> {
    shared: Arc<Shared<C>>,
    id: u64,
    line: Bytes,
    /// Whether the line was queued. Until then it waits for room.
    queued: bool,
    _place: OwnedSemaphorePermit,
    ending: oneshot::Receiver<CallEnd<C::Answer, C::Context>>,
}

impl<C: Codec> OpenCall<C> {
    pub(crate) async fn begin(
        shared: Arc<Shared<C>>,
        context: C::Context,
        line: impl FnOnce(&C, u64) -> Vec<u8>,
    ) -> Result<Self, Ended> {
        let place = shared.places.clone().acquire_owned().await;
        let place = place.map_err(|_| shared.pending.ended().unwrap_or(Ended::Here))?;
        let (id, ending) = shared.pending.register(context)?;
        let item = Item::of_call(line(&shared.codec, id), id);
        let mut call = Self {
            line: item.bytes(),
            queued: false,
            _place: place,
            shared,
            id,
            ending,
        };
        // When this waits for room and is dropped, the drop of `call` forgets the id.
        call.shared.outgoing.push(item).await;
        call.queued = true;
        Ok(call)
    }

    /// Takes the line of the call, without its line feed, for a record. It is empty the second time.
    pub fn take_line(&mut self) -> Bytes {
        let mut line = std::mem::take(&mut self.line);
        line.truncate(line.len().saturating_sub(1));
        line
    }

    /// Waits for the end of the call, and returns it with what was stored for the call. Not to be called again after
    /// it returned.
    pub async fn end(&mut self) -> Result<CallEnd<C::Answer, C::Context>, Ended> {
        // A call is forgotten without an end only by its own drop.
        (&mut self.ending).await.map_err(|_| Ended::Here)
    }

    /// Cancels the call as a drop does, and returns what was stored for it; `None` if it has ended.
    #[must_use]
    pub fn cancel(self) -> Option<C::Context> {
        self.forget()
    }

    /// Forgets a call that has not ended, and tells the other side if it knows of the call.
    fn forget(&self) -> Option<C::Context> {
        let Shared {
            pending,
            outgoing,
            codec,
            ..
        } = &*self.shared;
        let context = pending.forget(self.id)?;
        if self.queued
            && !outgoing.remove(self.id)
            && let Some(line) = codec.cancel(self.id)
        {
            // At most one for each line that was written, so this needs no room of its own.
            outgoing.push_now(Item::new(line));
        }
        Some(context)
    }
}

impl<C: Codec> Drop for OpenCall<C> {
    fn drop(&mut self) {
        drop(self.forget());
    }
}
