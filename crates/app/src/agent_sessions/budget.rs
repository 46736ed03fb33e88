//! How much all agents together may keep in an engine (`CONTRACTS.md` §3, "Bounds").

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookwright_model::{Message, render};

/// The bytes that agents may keep in an engine: hooks, message lists, events that run, unread answers, and
/// lines without an end.
pub const MAX_KEPT_BYTES: usize = 256 << 20;
/// So much more is left for what is small, so that large texts of one agent refuse no ordinary event of another one.
const FOR_SMALL_BYTES: usize = 16 << 20;
/// What is small, in bytes.
const SMALL_BYTES: usize = 64 << 10;
/// What the smallest thing costs.
const LEAST_BYTES: usize = 1 << 10;

hookwright_model::messages! {
    /// Agents keep so much in the engine that it takes no further work.
    TOO_MUCH_KEPT = "too_much_kept" { "connected agents keep more than {limit} bytes in the engine", "已连接的 Agent 在引擎中占用超过 {limit} 字节" } hint { "try again when other events have ended, or send less at once", "等其他事件结束后重试，或减少一次发送的数据量" };
}

/// Counts what agents keep. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct KeptBytes(Arc<AtomicUsize>);

/// A part of what is counted, until it is dropped.
#[derive(Debug)]
pub struct Kept {
    all: KeptBytes,
    bytes: usize,
}

impl KeptBytes {
    /// Counts a text of this length. It counts twice, because it is kept as it was written and as it was read.
    ///
    /// # Errors
    /// Agents keep too much already.
    pub(crate) fn take(&self, text_bytes: usize) -> Result<Kept, Message> {
        let bytes = text_bytes.saturating_mul(2).max(LEAST_BYTES);
        let limit = if bytes <= SMALL_BYTES {
            MAX_KEPT_BYTES + FOR_SMALL_BYTES
        } else {
            MAX_KEPT_BYTES
        };
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |kept| {
            kept.checked_add(bytes).filter(|sum| *sum <= limit)
        });
        match taken {
            Ok(_) => Ok(Kept {
                all: self.clone(),
                bytes,
            }),
            Err(_) => Err(render!(TOO_MUCH_KEPT, "limit" => MAX_KEPT_BYTES)),
        }
    }

    /// Counts bytes that are kept in any case, such as an answer.
    #[must_use]
    pub fn add(&self, bytes: usize) -> Kept {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        Kept {
            all: self.clone(),
            bytes,
        }
    }

    /// The counter, for a host that counts what it keeps itself.
    #[must_use]
    pub fn counter(&self) -> Arc<AtomicUsize> {
        self.0.clone()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_until_something_is_gone() {
        let all = KeptBytes::default();
        let large = all.take(MAX_KEPT_BYTES / 2).unwrap();
        assert_eq!(all.take(SMALL_BYTES).unwrap_err().code, "too_much_kept");
        assert!(all.take(100).is_ok(), "an ordinary event still fits");
        drop(large);
        assert!(all.take(SMALL_BYTES).is_ok());
    }

    #[test]
    fn small_things_have_a_limit_too() {
        let all = KeptBytes::default();
        let _answers = all.add(MAX_KEPT_BYTES + FOR_SMALL_BYTES);
        assert!(all.take(1).is_err());
    }
}
