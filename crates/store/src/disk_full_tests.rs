//! A full disk, as SQLite sees it: the database cannot grow.

use std::sync::Arc;

use hookwright_model::Catalog;
use hookwright_model::trace::Trace;
use jiff::Timestamp;
use serde_json::Value;

use crate::samples::{compact, trace};
use crate::{AccessMode, DiskFullLosses, RetentionPolicy, Spool, Store, StoreError, TraceFilter};

async fn store(dir: &std::path::Path) -> Store {
    Store::open(
        dir,
        AccessMode::Write,
        hookwright_model::Clock::new(|| Timestamp::from_second(100_000).unwrap()),
        Catalog::default(),
    )
    .await
    .unwrap()
}

async fn pragma(store: &Store, sql: &str) -> i64 {
    let db = store.db().await.unwrap();
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()))
        .fetch_one(db.writer.as_ref().unwrap())
        .await
        .unwrap()
}

/// A text that cannot be compressed to less than half.
fn noise(length: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'!' + (state >> 32) as u8 % 90)
    };
    (0..length).map(letter).collect()
}

fn large(n: u64) -> Trace {
    let mut large = trace(n, "pre_send_message");
    Arc::make_mut(&mut large.payload_before).insert("user_input".to_owned(), Value::from(noise(100_000, n)));
    large
}

#[tokio::test]
async fn what_a_full_disk_does_not_take_stays_whole_in_the_spool() {
    let dir = tempfile::tempdir().unwrap();
    let (store, spool) = (
        store(dir.path()).await,
        Spool::open(dir.path(), Catalog::default()).unwrap(),
    );
    spool.append(&compact(&trace(1, "pre_send_message"))).unwrap();
    store.import().await.unwrap();
    let pages = pragma(&store, "PRAGMA page_count").await;

    pragma(&store, &format!("PRAGMA max_page_count = {}", pages + 4)).await;
    spool.append(&compact(&large(2))).unwrap();
    for n in 3..2000 {
        spool.append(&compact(&trace(n, &format!("event {n}")))).unwrap();
    }
    assert!(matches!(store.import().await, Err(StoreError::Full { .. })));
    let state = store.state(DiskFullLosses::default()).await.unwrap();
    assert!(!state.ok && state.why.unwrap().contains("full"));
    let page = store.page(&TraceFilter::default(), None, 1).await.unwrap();
    assert_eq!(
        page.rows[0].trace,
        trace(1, "").trace,
        "what is in the database can be read"
    );
    assert_eq!(store.waiting().await.unwrap(), 1998, "and the others are counted");

    store.read_spool_over_full_disk().await.unwrap();
    let page = store.page(&TraceFilter::default(), None, 3000).await.unwrap();
    assert_eq!(page.rows.len(), 1999, "a command shows them too");
    assert_eq!(store.counts().await.unwrap().traces, 1999);
    let newest = trace(1999, "event 1999");
    assert_eq!(store.show(&newest.trace).await.unwrap(), Some(newest));
    assert_eq!(store.waiting().await.unwrap(), 0);
    let others = self::store(dir.path()).await;
    assert_eq!(others.waiting().await.unwrap(), 1998, "nothing was written");

    pragma(&store, "PRAGMA max_page_count = 1000000").await;
    assert_eq!(
        store.import().await.unwrap().traces,
        1998,
        "nothing that was spooled is lost"
    );
    assert_eq!(
        store.show(&large(2).trace).await.unwrap(),
        Some(large(2)),
        "and no body"
    );
    assert!(store.state(DiskFullLosses::default()).await.unwrap().ok);
}

#[tokio::test]
async fn the_size_limit_removes_the_oldest_bodies_then_traces_and_frees_pages() {
    let dir = tempfile::tempdir().unwrap();
    let (store, spool) = (
        store(dir.path()).await,
        Spool::open(dir.path(), Catalog::default()).unwrap(),
    );
    for n in 1..=2100 {
        let mut trace = trace(n, "pre_send_message");
        Arc::make_mut(&mut trace.payload_before).insert("user_input".to_owned(), Value::from(noise(3000, n)));
        spool.append(&compact(&trace)).unwrap();
    }
    store.import().await.unwrap();
    let before = pragma(&store, "PRAGMA page_count").await;
    let removed = store
        .retain(RetentionPolicy {
            max_mb: 4,
            ..RetentionPolicy::default()
        })
        .await
        .unwrap();
    assert_eq!(removed.traces, 0);
    let bare = removed.bodies;
    assert!((500..1500).contains(&bare), "{bare}");
    assert!(pragma(&store, "PRAGMA page_count").await < before);
    let page = store.page(&TraceFilter::default(), None, 3000).await.unwrap();
    assert_eq!(page.rows.len(), 2100);
    let body = async |n: u64| {
        store
            .show(&trace(n, "").trace)
            .await
            .unwrap()
            .unwrap()
            .bodies_removed_days
    };
    assert_eq!(
        (body(bare).await, body(bare + 1).await),
        (Some(1), None),
        "99,000 s old is a day"
    );

    let removed = store
        .retain(RetentionPolicy {
            max_mb: 0,
            ..RetentionPolicy::default()
        })
        .await
        .unwrap();
    assert_eq!((removed.traces, removed.bodies), (2100, 2100 - bare));
    assert!(
        store
            .page(&TraceFilter::default(), None, 1)
            .await
            .unwrap()
            .rows
            .is_empty()
    );
    assert_eq!(store.counts().await.unwrap().traces, 0);
    let left =
        pragma(&store, "SELECT count(*) FROM trace_tags").await + pragma(&store, "SELECT count(*) FROM blocks").await;
    assert_eq!(left, 0);
}
