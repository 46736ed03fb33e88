//! The replies of the model to prompts that were tried, by input. They are in memory only, and bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use hookwright_workspace::lock::lock;

/// Replies that are kept at most.
const MAX_REPLIES: usize = 200;
/// A longer reply is not kept. Bytes.
const MAX_BYTES: usize = 64 << 10;

/// A reply of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptReply {
    pub text: Vec<u8>,
    pub took: Duration,
    pub counters: std::collections::BTreeMap<&'static str, u64>,
}

/// The hash of everything that the reply depends on.
pub type ReplyKey = blake3::Hash;

/// The kept replies; the oldest goes first.
#[derive(Debug, Default)]
pub struct ReplyCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<ReplyKey, KeptReply>,
    order: VecDeque<ReplyKey>,
}

impl ReplyCache {
    /// The reply for this key.
    pub fn get(&self, key: &ReplyKey) -> Option<KeptReply> {
        lock(&self.0).by_key.get(key).cloned()
    }

    /// Keeps a reply.
    pub fn put(&self, key: ReplyKey, reply: KeptReply) {
        if reply.text.len() > MAX_BYTES {
            return;
        }
        let mut kept = lock(&self.0);
        if kept.by_key.insert(key, reply).is_none() {
            kept.order.push_back(key);
        }
        if kept.order.len() > MAX_REPLIES
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.by_key.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_reply_goes_first_and_a_long_one_is_not_kept() {
        let cache = ReplyCache::default();
        let key = |name: usize| blake3::hash(&name.to_le_bytes());
        let reply = |bytes: usize| KeptReply {
            text: vec![b'x'; bytes],
            took: Duration::ZERO,
            counters: std::collections::BTreeMap::new(),
        };
        for name in 0..=MAX_REPLIES {
            cache.put(key(name), reply(1));
        }
        assert_eq!(cache.get(&key(0)), None);
        assert!(cache.get(&key(1)).is_some());
        cache.put(key(1000), reply(MAX_BYTES + 1));
        assert_eq!(cache.get(&key(1000)), None);
    }
}
