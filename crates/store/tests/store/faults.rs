//! Faults while a process runs, and concurrent work: no acknowledged trace is lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_model::{Catalog, JournalHub, Outcome, Trace};
use hookwright_store::{
    AccessMode, Availability, MetricsFilter, RetentionPolicy, Store, StoreError, TraceFilter, Writer, unread_files,
};
use jiff::Timestamp;
use sqlx::Connection;
use tokio::sync::watch;

use crate::test_store::{NOW_SECONDS, TestSpool, TestStore, id, ids, read_all, step, trace};

/// The parts of an engine: a store that its writer opens, and the spool that it writes to.
struct Engine {
    store: Arc<Store>,
    spool: TestSpool,
    journal: JournalHub,
    writer: Writer,
    _policy: watch::Sender<RetentionPolicy>,
}

impl Engine {
    fn start(fixture: &TestStore) -> Self {
        let store = Arc::new(Store::unopened(
            fixture.data(),
            AccessMode::Write,
            fixture.clock(),
            Catalog::default(),
        ));
        let (spool, journal) = (fixture.spool(), JournalHub::default());
        let (sender, policy) = watch::channel(RetentionPolicy::default());
        let writer = Writer::start(Arc::clone(&store), Arc::clone(&spool.0), &journal, policy);
        Self {
            store,
            spool,
            journal,
            writer,
            _policy: sender,
        }
    }

    /// Records a trace as a process does: into the spool, then to those who follow.
    fn record(&self, trace: &Trace) {
        self.journal.publish(&self.spool.append_entry(trace));
    }

    async fn ids(&self) -> Vec<String> {
        ids(&self.store, &TraceFilter::default(), 1000).await
    }
}

/// Holds the history's lock exclusively, like a process that migrates.
fn hold_lock(fixture: &TestStore) -> std::fs::File {
    let lock = std::fs::File::create(fixture.file("history.lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[tokio::test]
async fn a_spool_that_is_removed_under_a_running_engine_is_written_again_before_it_is_imported() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    engine.writer.flush().await.unwrap();
    engine.record(&trace(1, 1, vec![]));
    std::fs::remove_dir_all(fixture.file("spool")).unwrap();
    engine.writer.flush().await.unwrap();
    engine.record(&trace(2, 2, vec![]));
    std::fs::rename(fixture.file("spool"), fixture.file("spool.old")).unwrap();
    engine.record(&trace(3, 3, vec![]));
    engine.writer.flush().await.unwrap();
    assert_eq!(engine.ids().await, [id(3), id(2), id(1)]);
    assert!(engine.spool.last_restore().unwrap().traces >= 2);
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn the_whole_data_folder_may_go_and_what_was_not_imported_is_kept() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    engine.writer.flush().await.unwrap();
    engine.record(&trace(1, 1, vec![]));
    std::fs::remove_dir_all(fixture.data()).unwrap();
    engine.record(&trace(2, 2, vec![]));
    engine.writer.flush().await.unwrap();
    assert_eq!(engine.ids().await, [id(2), id(1)]);
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn a_database_that_could_not_be_opened_at_the_start_is_tried_again() {
    let fixture = TestStore::new();
    fixture.store().await.close().await;
    let mut later = fixture.connect().await;
    sqlx::query("PRAGMA user_version = 9999")
        .execute(&mut later)
        .await
        .unwrap();
    let engine = Engine::start(&fixture);
    engine.record(&trace(1, 1, vec![]));
    let error = engine.writer.flush().await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert_eq!(engine.ids().await, [id(1)], "read from the spool");
    let state = engine.store.state(engine.spool.losses()).await.unwrap();
    assert!(state.why.unwrap().contains("newer"));
    sqlx::query("PRAGMA user_version = 3")
        .execute(&mut later)
        .await
        .unwrap();
    later.close().await.unwrap();
    engine.writer.flush().await.unwrap();
    let state = engine.store.state(engine.spool.losses()).await.unwrap();
    assert_eq!((state.ok, state.traces), (true, 1));
    engine.writer.close().await.unwrap();
}

#[tokio::test]
async fn a_lock_that_another_process_keeps_delays_no_reader() {
    let fixture = TestStore::new();
    let lock = hold_lock(&fixture);
    let engine = Engine::start(&fixture);
    engine.record(&trace(1, 1, vec![]));
    let importing = tokio::spawn({
        let store = Arc::clone(&engine.store);
        async move { store.import().await }
    });
    tokio::task::yield_now().await;
    let begin = Instant::now();
    for _ in 0..20 {
        assert_eq!(engine.ids().await, [id(1)]);
        engine.store.state(engine.spool.losses()).await.unwrap();
    }
    // The importer waits for 2 s. Twenty readers that waited for it would need as long.
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    assert!(!importing.is_finished(), "it still waited while all of them read");
    assert!(matches!(importing.await.unwrap(), Err(StoreError::SpoolOnly { .. })));
    drop(lock);
    engine.writer.close().await.unwrap();
    assert_eq!(ids(&fixture.store().await, &TraceFilter::default(), 10).await, [id(1)]);
}

#[tokio::test]
async fn without_the_database_the_newest_twenty_thousand_are_read_and_the_rest_is_counted() {
    let fixture = TestStore::new();
    let _lock = hold_lock(&fixture);
    let spool = fixture.spool();
    for n in 1..=20_500 {
        spool.append(&trace(n, n as i64, vec![])).unwrap();
    }
    let store = Store::unopened(fixture.data(), AccessMode::Write, fixture.clock(), Catalog::default());
    let page = store.page(&TraceFilter::default(), None, 30_000).await.unwrap();
    assert_eq!((page.rows.len(), store.waiting().await.unwrap()), (20_000, 500));
    assert_eq!((&page.rows[0].trace, &page.rows[19_999].trace), (&id(20_500), &id(501)));
}

#[tokio::test]
async fn a_row_that_the_database_refuses_costs_itself_only() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut sql = fixture.connect().await;
    let refuse = format!(
        "CREATE TRIGGER no BEFORE INSERT ON traces WHEN NEW.id = x'{}' BEGIN SELECT RAISE(ABORT, 'not this one'); END",
        ulid::Ulid::from_string(&id(7))
            .unwrap()
            .to_bytes()
            .map(|byte| format!("{byte:02x}"))
            .concat()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(refuse))
        .execute(&mut sql)
        .await
        .unwrap();
    let traces: Vec<_> = (1..=20)
        .map(|n| trace(n, n as i64, vec![step("a", Outcome::Allowed, &[1.0])]))
        .collect();
    let imported = fixture.record(&store, &traces).await;
    assert_eq!((imported.traces, imported.refused.len()), (19, 1));
    assert_eq!(imported.refused[0].trace, id(7));
    assert!(
        imported.refused[0].why.contains("not this one"),
        "{:?}",
        imported.refused
    );
    let [(_, kept)] = &unread_files(fixture.data())[..] else {
        panic!("the line is kept")
    };
    assert_eq!(std::slice::from_ref(kept), &imported.quarantined_files[..]);
    assert!(std::fs::read_to_string(kept).unwrap().contains(&id(7)));
    assert_eq!(
        store
            .metrics(&MetricsFilter::since(Timestamp::UNIX_EPOCH))
            .await
            .unwrap()
            .hooks[0]
            .runs,
        19
    );
    let next = fixture.record(&store, &[trace(21, 21, vec![])]).await;
    assert_eq!((next.traces, next.refused.len()), (1, 0), "imports go on");
}

#[tokio::test]
async fn a_database_that_refuses_everything_keeps_the_spool_as_it_is() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut sql = fixture.connect().await;
    let refuse = "CREATE TRIGGER no BEFORE INSERT ON traces BEGIN SELECT RAISE(ABORT, 'none'); END";
    sqlx::raw_sql(refuse).execute(&mut sql).await.unwrap();
    let spool = fixture.spool();
    for n in 1..=40 {
        spool.append(&trace(n, n as i64, vec![])).unwrap();
    }
    drop(spool);
    assert!(store.import().await.is_err());
    assert!(unread_files(fixture.data()).is_empty());
    assert_eq!(read_all(fixture.data()).unwrap().traces.len(), 40);
}

#[tokio::test]
async fn an_empty_database_or_a_garbage_log_is_damage() {
    for (name, database, log) in [
        ("empty", Some(Vec::new()), None),
        ("noise", None, Some(b"no log of anybody".repeat(300))),
        ("short noise", None, Some(b"x".to_vec())),
    ] {
        let fixture = TestStore::new();
        let store = fixture.store().await;
        fixture
            .record(&store, &(1..=5).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
            .await;
        // The files that a killed process leaves, including the log.
        let copy = TestStore::new();
        for suffix in ["", "-wal"] {
            let name = format!("history.db{suffix}");
            std::fs::copy(fixture.file(&name), copy.file(&name)).unwrap();
        }
        let mut wal = std::fs::read(copy.file("history.db-wal")).unwrap();
        assert!(wal.len() > 32);
        if let Some(database) = database {
            std::fs::write(copy.file("history.db"), database).unwrap();
        }
        if let Some(log) = log {
            wal = log;
            std::fs::write(copy.file("history.db-wal"), &wal).unwrap();
        }
        let error = copy.open(AccessMode::Read).await.unwrap_err();
        let StoreError::Damaged { quarantined, .. } = &error else {
            panic!("{name}: {error}")
        };
        let log_path = format!("{}-wal", quarantined.display());
        assert_eq!(std::fs::read(log_path).unwrap(), wal, "{name}: the log is kept");
        let next = copy.store().await;
        assert_eq!(next.counts().await.unwrap().traces, 0, "{name}: the next begins empty");
    }
}

#[tokio::test]
async fn a_log_of_zeros_was_never_written() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    store.close().await;
    std::fs::write(fixture.file("history.db-wal"), [0; 4096]).unwrap();
    assert_eq!(ids(&fixture.store().await, &TraceFilter::default(), 10).await, [id(1)]);
}

#[tokio::test]
async fn lines_say_their_form_and_a_later_one_is_kept_for_later() {
    let fixture = TestStore::new();
    fixture.spool().append(&trace(1, 1, vec![])).unwrap();
    let [file] = &std::fs::read_dir(fixture.file("spool"))
        .unwrap()
        .flatten()
        .collect::<Vec<_>>()[..]
    else {
        panic!("one file")
    };
    let line = std::fs::read_to_string(file.path()).unwrap();
    let members = line.strip_prefix("{\"v\":2,").unwrap();
    let first = serde_json::to_string(&trace(2, 2, vec![])).unwrap();
    let second = serde_json::to_string(&trace(4, 0, vec![]))
        .unwrap()
        .replacen('{', "{\"v\":1,", 1);
    let later = format!("{{\"v\":3,{members}").replace(&id(1), &id(3));
    std::fs::write(fixture.file("spool/old.jsonl"), format!("{first}\n{second}\n{later}")).unwrap();
    let store = fixture.store().await;
    let imported = store.import().await.unwrap();
    assert_eq!(imported.quarantined_files, [fixture.file("spool/old.jsonl.unread")]);
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(2), id(1), id(4)]);
    for (n, after) in [(1, 1), (2, 2), (4, 0)] {
        assert_eq!(store.show(&id(n)).await.unwrap().unwrap(), trace(n, after, vec![]));
    }
    let noon = Timestamp::from_second(NOW_SECONDS).unwrap();
    assert_eq!(
        unread_files(fixture.data()),
        [(noon, fixture.file("spool/old.jsonl.unread"))]
    );
}

#[tokio::test]
async fn an_event_of_a_clock_that_is_wrong_is_in_the_list() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let at = |n: u64, at: &str| {
        let mut trace = trace(n, 0, vec![step(&format!("h{n}"), Outcome::Denied, &[1.0])]);
        trace.at = at.parse().unwrap();
        trace
    };
    let early = at(1, "1969-07-20T20:17:40Z");
    let far = at(2, "9999-06-01T00:00:00Z");
    fixture.record(&store, &[early.clone(), far, trace(3, 0, vec![])]).await;
    store.retain(RetentionPolicy::default()).await.unwrap();
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(2), id(3), id(1)]);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), early, "body and all");
    let hook = TraceFilter {
        hook: Some("h1".to_owned()),
        ..TraceFilter::default()
    };
    assert_eq!(ids(&store, &hook, 10).await, [id(1)]);
}

#[tokio::test]
async fn an_event_before_1970_is_removed_with_those_imported_after_it() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut early = trace(1, 0, vec![step("h", Outcome::Denied, &[1.0])]);
    early.at = "1969-07-20T20:17:40Z".parse().unwrap();
    let after: Vec<_> = (2..=600).map(|n| trace(n, 0, vec![])).collect();
    fixture.record(&store, &[early]).await;
    fixture.record(&store, &after).await;
    store.retain(RetentionPolicy::default()).await.unwrap();
    assert_eq!(store.counts().await.unwrap().traces, 600);
    fixture.set_clock(NOW_SECONDS + 31 * 86_400);
    fixture.record(&store, &[trace(700, 31 * 86_400, vec![])]).await;
    assert_eq!(store.retain(RetentionPolicy::default()).await.unwrap().traces, 600);
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(700)]);
    let counts = store.counts().await.unwrap();
    assert!(!counts.by.contains_key("hook"), "nothing is left of it: {counts:?}");
}

#[tokio::test]
async fn hooks_are_removed_with_their_last_trace() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let with = |n: u64, days: i64, hook: &str| trace(n, -days * 86_400, vec![step(hook, Outcome::Allowed, &[1.0])]);
    fixture
        .record(&store, &[with(1, 40, "old"), with(2, 40, "kept"), with(3, 1, "kept")])
        .await;
    store.retain(RetentionPolicy::default()).await.unwrap();
    let mut sql = fixture.connect().await;
    let hooks: Vec<String> = sqlx::query_scalar("SELECT hook FROM hooks")
        .fetch_all(&mut sql)
        .await
        .unwrap();
    assert_eq!(hooks, ["kept"]);
    let steps: i64 = sqlx::query_scalar("SELECT count(*) FROM steps")
        .fetch_one(&mut sql)
        .await
        .unwrap();
    assert_eq!(steps, 1);
}

#[tokio::test]
async fn a_database_that_goes_while_the_spool_waits_is_begun_again_with_what_was_spooled() {
    let fixture = TestStore::new();
    let engine = Engine::start(&fixture);
    engine.writer.flush().await.unwrap();
    assert_eq!(engine.store.availability().await, Availability::Ready);
    engine.record(&trace(1, 1, vec![]));
    engine.writer.flush().await.unwrap();
    engine.record(&trace(2, 2, vec![]));
    for suffix in ["", "-wal", "-shm"] {
        std::fs::remove_file(fixture.file(&format!("history.db{suffix}"))).unwrap();
    }
    engine.writer.flush().await.unwrap();
    assert_eq!(engine.ids().await, [id(2), id(1)], "its own file still holds both");
    engine.writer.close().await.unwrap();
}
