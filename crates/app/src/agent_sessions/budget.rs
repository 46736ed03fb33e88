//! How much all agents together may keep in an engine (`CONTRACTS.md` §3, "Bounds").

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookwright_model::{Message, render};

/// The bytes that agents may keep in an engine: hooks, message lists, events that run, unread answers, and
/// lines without an end.
pub const MAX_KEPT_BYTES: usize = 256 << 20;
/// So much more is left for what is small, so that large texts of one agent refuse no ordinary event of another one.
const FOR_SMALL_BYTES: usize = 16 << 20;
/// What stays after its request, such as a hook, has at most so much of it. The rest is for events, so that kept sessions
/// of one agent cannot take them from the others.
const MAX_STAYING_BYTES: usize = 192 << 20;
/// What is small, in bytes.
const SMALL_BYTES: usize = 64 << 10;
/// What the smallest thing costs.
const LEAST_BYTES: usize = 1 << 10;
/// What a JSON value costs in addition to its text, in bytes: a payload is kept in several forms.
const VALUE_BYTES: usize = 100;

hookwright_model::messages! {
    /// Agents keep so much in the engine that it takes no further work.
    TOO_MUCH_KEPT = "too_much_kept" { "connected agents keep more than {limit} bytes in the engine", "已连接的 Agent 在引擎中占用超过 {limit} 字节" } hint { "try again when other events have ended, or send less at once", "等其他事件结束后重试，或减少一次发送的数据量" };
}

/// Counts what agents keep. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct KeptBytes {
    all: Arc<AtomicUsize>,
    staying: Arc<AtomicUsize>,
}

/// A part of what is counted, until it is dropped.
#[derive(Debug)]
pub struct Kept {
    bytes: usize,
    /// The counters that it is part of.
    counters: Vec<Arc<AtomicUsize>>,
}

/// What a JSON text costs, as the length of a text without values. Each value has a place of its own when it is read.
pub(crate) fn json_bytes(text: &str) -> usize {
    let mut in_string = false;
    let mut is_escaped = false;
    let values = text.bytes().filter(|byte| {
        let begins_value = !in_string && matches!(byte, b'[' | b'{' | b',' | b':');
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ => {}
        }
        begins_value
    });
    let values = values.count();
    text.len().saturating_add(values.saturating_mul(VALUE_BYTES))
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
        count(&self.all, bytes, limit)
    }

    /// Counts a text that stays after its request, like [`Self::take`].
    ///
    /// # Errors
    /// Agents keep too much already.
    pub(crate) fn take_staying(&self, text_bytes: usize) -> Result<Kept, Message> {
        let mut kept = self.take(text_bytes)?;
        let mut staying = count(&self.staying, kept.bytes, MAX_STAYING_BYTES)?;
        kept.counters.append(&mut staying.counters);
        Ok(kept)
    }

    /// Counts bytes that are kept in any case, such as an answer.
    #[must_use]
    pub fn add(&self, bytes: usize) -> Kept {
        self.all.fetch_add(bytes, Ordering::Relaxed);
        let counters = vec![self.all.clone()];
        Kept { bytes, counters }
    }

    /// The counter, for a host that counts what it keeps itself.
    #[must_use]
    pub fn counter(&self) -> Arc<AtomicUsize> {
        self.all.clone()
    }
}

fn count(counter: &Arc<AtomicUsize>, bytes: usize, limit: usize) -> Result<Kept, Message> {
    let fits = |kept: usize| kept.checked_add(bytes).filter(|sum| *sum <= limit);
    match counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
        Ok(_) => Ok(Kept {
            bytes,
            counters: vec![counter.clone()],
        }),
        Err(_) => Err(render!(TOO_MUCH_KEPT, "limit" => MAX_KEPT_BYTES)),
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for counter in &self.counters {
            counter.fetch_sub(self.bytes, Ordering::Relaxed);
        }
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
    fn many_small_values_cost_more_than_one_long_text() {
        let text = r#"["a,[{:\", ,",1]"#;
        assert_eq!(json_bytes(text), text.len() + 2 * VALUE_BYTES);
        let numbers = format!("[{}0]", "0,".repeat(7 << 20));
        assert_eq!(
            KeptBytes::default().take(json_bytes(&numbers)).unwrap_err().code,
            "too_much_kept"
        );
        let long = format!("[\"{}\"]", "x".repeat(15 << 20));
        assert!(KeptBytes::default().take(json_bytes(&long)).is_ok());
    }

    #[test]
    fn small_things_have_a_limit_too() {
        let all = KeptBytes::default();
        let _answers = all.add(MAX_KEPT_BYTES + FOR_SMALL_BYTES);
        assert!(all.take(1).is_err());
    }

    #[test]
    fn what_stays_leaves_room_for_events() {
        let all = KeptBytes::default();
        let hooks: Vec<_> = std::iter::from_fn(|| all.take_staying(1 << 20).ok()).collect();
        assert_eq!(hooks.len(), 96, "each text counts twice");
        assert!(all.take_staying(1).is_err(), "nothing small stays either");
        let events: Vec<_> = std::iter::from_fn(|| all.take(1 << 20).ok()).collect();
        assert_eq!(events.len(), 32);
        drop((hooks, events));
        assert_eq!(all.counter().load(Ordering::Relaxed), 0);
        assert!(all.take_staying(1 << 20).is_ok(), "what was refused is not counted");
    }
}
