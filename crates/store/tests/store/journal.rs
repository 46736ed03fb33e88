//! What the writer takes from the journal, and what it reads from the spool.

use std::io::{Seek, Write};
use std::sync::Arc;

use hookwright_model::{Catalog, JournalEntry, JournalHub, Trace};
use hookwright_store::{AccessMode, RetentionPolicy, Store, TraceFilter, Writer};
use tokio::sync::watch;

use crate::test_store::{TestSpool, TestStore, id, ids, trace};

/// An engine's spool, journal and writer.
struct Engine {
    store: Arc<Store>,
    spool: TestSpool,
    hub: JournalHub,
    writer: Writer,
    _policy: watch::Sender<RetentionPolicy>,
}

impl Engine {
    fn start(fixture: &TestStore) -> Self {
        let store = Store::unopened(fixture.data(), AccessMode::Write, fixture.clock(), Catalog::default());
        let (store, spool, hub) = (Arc::new(store), fixture.spool(), JournalHub::default());
        let (sender, policy) = watch::channel(RetentionPolicy::default());
        let writer = Writer::start(Arc::clone(&store), Arc::clone(&spool.0), &hub, policy);
        Self {
            store,
            spool,
            hub,
            writer,
            _policy: sender,
        }
    }

    /// The entry of a trace that is in the spool.
    fn append(&self, trace: &Trace) -> JournalEntry {
        self.spool.append_entry(trace)
    }

    async fn ids(&self) -> Vec<String> {
        self.writer.flush().await.unwrap();
        ids(&self.store, &TraceFilter::default(), 1000).await
    }
}

/// Overwrites the only spool file without changing its length.
fn overwrite_spool(fixture: &TestStore) {
    let path = std::fs::read_dir(fixture.file("spool"))
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let length = std::fs::metadata(&path).unwrap().len();
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(std::io::SeekFrom::Start(0)).unwrap();
    file.write_all(&vec![b'\n'; usize::try_from(length).unwrap()]).unwrap();
}

#[tokio::test]
async fn what_the_journal_hands_over_is_not_read_from_the_spool() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    engine.hub.publish(&engine.append(&trace(1, 1, vec![])));
    assert_eq!(engine.ids().await, [id(1)]);
    for n in 2..=5 {
        engine.hub.publish(&engine.append(&trace(n, n as i64, vec![])));
    }
    overwrite_spool(&fixture);
    assert_eq!(engine.ids().await, [id(5), id(4), id(3), id(2), id(1)]);
    for n in 1..=5 {
        assert_eq!(
            engine.store.show(&id(n)).await.unwrap().unwrap(),
            trace(n, n as i64, vec![])
        );
    }
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn what_did_not_fit_into_the_queue_is_read_from_the_spool() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    engine.writer.flush().await.unwrap();
    // The writer cannot run before the first await.
    for n in 1..=5000 {
        engine.hub.publish(&engine.append(&trace(n, n as i64, vec![])));
    }
    let expected: Vec<String> = (1..=5000).rev().map(id).collect();
    assert_eq!(engine.ids().await, expected);
    engine.hub.publish(&engine.append(&trace(6000, 6000, vec![])));
    assert_eq!(engine.ids().await[0], id(6000));
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn entries_that_are_published_late_or_in_another_order_are_imported_once() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    let entries: Vec<_> = (1..=4).map(|n| engine.append(&trace(n, n as i64, vec![]))).collect();
    engine.hub.publish(&entries[1]);
    assert_eq!(
        engine.ids().await.len(),
        4,
        "those that were not published yet are read"
    );
    for late in [3, 0, 2] {
        engine.hub.publish(&entries[late]);
    }
    assert_eq!(engine.writer.flush().await.unwrap().traces, 0);
    let swapped = [5, 6].map(|n| engine.append(&trace(n, n as i64, vec![])));
    swapped.iter().rev().for_each(|entry| engine.hub.publish(entry));
    overwrite_spool(&fixture);
    assert_eq!(engine.ids().await.len(), 6);
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn another_follower_costs_the_writer_nothing_and_sees_the_same_traces() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    let limits = hookwright_model::QueueLimits {
        entries: 2,
        bytes: 1 << 20,
        wake_at: 2,
    };
    let slow = hookwright_model::Journal::follow(&engine.hub, limits);
    for n in 1..=5 {
        engine.hub.publish(&engine.append(&trace(n, n as i64, vec![])));
    }
    assert_eq!(engine.ids().await.len(), 5);
    let batch = slow.take();
    assert_eq!((batch.entries.len(), batch.missed), (2, 3));
    assert_eq!(batch.entries[0].trace.render(&Catalog::default()), trace(1, 1, vec![]));
    engine.writer.close().await.unwrap();
}
