//! From the spool into the database and back.

use std::sync::Arc;

use hookwright_model::{Catalog, JournalHub, Outcome};
use hookwright_store::{
    AccessMode, AppendResult, Availability, DiskFullLosses, MetricsFilter, RetentionPolicy, Store, StoreError,
    TraceFilter, Writer, trace_row, without_body,
};
use sqlx::Connection;
use tokio::sync::watch;

use crate::test_store::{TestStore, id, ids, read_all, step, trace};

#[tokio::test]
async fn what_was_spooled_is_shown_to_the_last_digit_before_and_after_the_import() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let wrote = trace(
        1,
        0,
        vec![
            step("a", Outcome::Changed, &[0.1 + 0.2, 38.123_456_789]),
            step("b", Outcome::NotMatched, &[]),
        ],
    );
    let spool = fixture.spool();
    assert_eq!(spool.append(&wrote).unwrap().result, AppendResult::Whole);
    let memory = Store::unopened(fixture.data(), AccessMode::Read, fixture.clock(), Catalog::default());
    assert_eq!(memory.show(&id(1)).await.unwrap().unwrap(), wrote, "from the spool");
    assert_eq!(
        memory.page(&TraceFilter::default(), None, 5).await.unwrap().rows,
        [trace_row(&wrote)]
    );
    assert_eq!(store.waiting().await.unwrap(), 1);
    let shown = store.show(&id(1).to_ascii_lowercase()).await.unwrap();
    assert_eq!(shown.as_ref(), Some(&wrote), "beside the database");
    assert_eq!(store.show(&id(2)).await.unwrap(), None);
    store.import().await.unwrap();
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), wrote, "from the database");
    assert_eq!(
        store.page(&TraceFilter::default(), None, 5).await.unwrap().rows,
        [trace_row(&wrote)]
    );
}

#[tokio::test]
async fn a_row_has_a_one_line_summary() {
    let wrote = trace(
        1,
        0,
        vec![step("a", Outcome::Denied, &[1.0]), step("b", Outcome::Skipped, &[])],
    );
    let row = trace_row(&wrote);
    assert_eq!(row.about, "hi 1");
    assert_eq!(row.outcomes, [Outcome::Denied, Outcome::Skipped]);
    assert_eq!(row.reasons, [None, Some("muted".to_owned())]);
}

#[tokio::test]
async fn a_row_has_the_run_order_where_the_steps_are_not_listed_in_it() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let with_orders = |n, orders: [u32; 3]| {
        let steps = ["a", "b", "c"].map(|hook| step(hook, Outcome::Allowed, &[1.0]));
        let mut wrote = trace(n, 0, steps.to_vec());
        for (step, order) in wrote.steps.iter_mut().zip(orders) {
            step.order = order;
        }
        wrote
    };
    // The steps of the last one are from a version without run order.
    let wrote = [[1, 2, 3], [2, 3, 1], [0, 0, 0]];
    let wrote: Vec<_> = (1..).zip(wrote).map(|(n, orders)| with_orders(n, orders)).collect();
    fixture.record(&store, &wrote).await;
    let rows = store.page(&TraceFilter::default(), None, 5).await.unwrap().rows;
    let orders: Vec<&[u32]> = rows.iter().rev().map(|row| row.order.as_slice()).collect();
    assert_eq!(orders, [&[][..], &[2, 3, 1], &[]]);
    assert_eq!(
        rows.iter().rev().cloned().collect::<Vec<_>>(),
        wrote.iter().map(trace_row).collect::<Vec<_>>()
    );
    let row = serde_json::to_value(trace_row(&wrote[0])).unwrap();
    assert_eq!(row.get("order"), None);
}

#[tokio::test]
async fn importing_twice_changes_nothing() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let wrote = trace(1, 0, vec![step("a", Outcome::Allowed, &[2.0])]);
    assert_eq!(fixture.record(&store, std::slice::from_ref(&wrote)).await.traces, 1);
    assert_eq!(fixture.record(&store, &[wrote.clone(), wrote]).await.traces, 0);
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(1)]);
    let since = jiff::Timestamp::UNIX_EPOCH;
    assert_eq!(
        store.metrics(&MetricsFilter::since(since)).await.unwrap().hooks[0].runs,
        1
    );
    assert_eq!(store.counts().await.unwrap().traces, 1);
}

#[tokio::test]
async fn a_detached_run_that_ends_later_replaces_its_outcome_and_its_metrics() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let since = jiff::Timestamp::UNIX_EPOCH;
    let early = trace(
        1,
        0,
        vec![
            step("slow", Outcome::Detached, &[]),
            step("b", Outcome::Changed, &[1.0]),
        ],
    );
    let late = trace(
        1,
        0,
        vec![
            step("slow", Outcome::NoOpinion, &[900.0]),
            step("b", Outcome::Changed, &[1.0]),
        ],
    );
    fixture.record(&store, std::slice::from_ref(&early)).await;
    let spool = fixture.spool();
    spool.append(&late).unwrap();
    let check = async |store: &Store| {
        assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), late);
        let stats = store.metrics(&MetricsFilter::since(since)).await.unwrap().hooks;
        let of = |hook: &str| stats.iter().find(|row| row.hook == hook).unwrap().clone();
        assert_eq!(of("slow").outcomes, [(Outcome::NoOpinion, 1)].into());
        assert_eq!((of("slow").runs, of("slow").attempts, of("slow").max_ms), (1, 1, 900.0));
        assert_eq!((of("b").runs, of("b").chars_added), (1, 3));
        let outcome = |outcome| TraceFilter {
            outcome: Some(outcome),
            ..TraceFilter::default()
        };
        assert_eq!(ids(store, &outcome(Outcome::NoOpinion), 1).await, [id(1)]);
        assert!(ids(store, &outcome(Outcome::Detached), 1).await.is_empty());
    };
    let memory = Store::unopened(fixture.data(), AccessMode::Read, fixture.clock(), Catalog::default());
    check(&memory).await;
    store.import().await.unwrap();
    check(&store).await;
    fixture.record(&store, &[early]).await;
    check(&store).await;
}

#[tokio::test]
async fn a_later_removal_replaces_the_stored_trace() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let early = trace(1, 0, vec![step("plan", Outcome::Changed, &[])]);
    let mut late = early.clone();
    late.steps[0].removed.push(hookwright_model::Removal {
        reference: "r.1".to_owned(),
        at: late.at,
        by: "remove(before_planning)".to_owned(),
        ..hookwright_model::Removal::default()
    });
    fixture.record(&store, std::slice::from_ref(&early)).await;
    fixture.spool().append(&late).unwrap();
    store.import().await.unwrap();
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), late);
    let runs = store
        .metrics(&MetricsFilter::since(jiff::Timestamp::UNIX_EPOCH))
        .await
        .unwrap()
        .hooks[0]
        .runs;
    assert_eq!(
        (store.counts().await.unwrap().traces, runs),
        (1, 1),
        "it is one event all the same"
    );
    fixture.record(&store, &[early]).await;
    assert_eq!(
        store.show(&id(1)).await.unwrap().unwrap(),
        late,
        "and what is known is not forgotten"
    );
}

#[tokio::test]
async fn the_file_of_a_running_writer_is_kept_until_the_writer_ends() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let spool = fixture.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 0));
    spool.append(&trace(2, 1, vec![])).unwrap();
    drop(spool);
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 1));
    assert_eq!(std::fs::read_dir(fixture.file("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_torn_last_line_is_skipped_and_reported() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let line = serde_json::to_string(&trace(1, 0, vec![])).unwrap();
    std::fs::create_dir_all(fixture.file("spool")).unwrap();
    let file = fixture.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    std::fs::write(&file, format!("{line}\n{{\"trace\":\"01")).unwrap();
    assert_eq!(read_all(fixture.data()).unwrap().traces.len(), 1);
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 1));
    assert_eq!(imported.torn_files, [(file, 12)]);
}

#[tokio::test]
async fn lines_that_are_no_trace_are_quarantined_and_the_others_imported() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let line = serde_json::to_string(&trace(1, 0, vec![])).unwrap();
    std::fs::create_dir_all(fixture.file("spool")).unwrap();
    let file = fixture.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    std::fs::write(&file, format!("not json\n{line}\n{{}}\n")).unwrap();
    let imported = store.import().await.unwrap();
    assert_eq!(imported.traces, 1);
    assert_eq!(
        imported.quarantined_files,
        [fixture.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl.unread")]
    );
    assert!(imported.quarantined_files[0].exists() && !file.exists());
    assert_eq!(store.import().await.unwrap(), hookwright_store::ImportResult::default());
}

#[tokio::test]
async fn an_empty_file_becomes_a_database_of_the_current_schema() {
    let fixture = TestStore::new();
    std::fs::write(fixture.file("history.db"), "").unwrap();
    let store = fixture.store().await;
    assert_eq!(store.availability().await, Availability::Ready);
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    let mut sql = fixture.connect().await;
    let vacuum: i64 = sqlx::query_scalar("PRAGMA auto_vacuum")
        .fetch_one(&mut sql)
        .await
        .unwrap();
    let version: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut sql)
        .await
        .unwrap();
    let last: i64 = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut sql)
        .await
        .unwrap();
    let journal: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut sql)
        .await
        .unwrap();
    assert_eq!((vacuum, journal.as_str()), (2, "wal"));
    assert_eq!(version, last, "each migration sets the version it is");
}

#[tokio::test]
async fn who_waits_for_the_database_learns_when_it_is_open() {
    let fixture = TestStore::new();
    let store = Store::unopened(fixture.data(), AccessMode::Write, fixture.clock(), Catalog::default());
    assert_eq!(store.availability().await, Availability::Opening);
    let mut changes = store.availability_changes();
    let spool = fixture.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    store.import().await.unwrap();
    assert_eq!(*changes.borrow_and_update(), Availability::Ready);
    store.import().await.unwrap();
    assert!(!changes.has_changed().unwrap(), "nothing changed by the second import");
}

#[tokio::test]
#[cfg(unix)]
async fn other_users_cannot_read_the_history() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = TestStore::new();
    let mode = |name: &str| std::fs::metadata(fixture.file(name)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(fixture.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let store = fixture.store().await;
    let spool = fixture.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    store.import().await.unwrap();
    for name in ["history.db", "history.db-wal", "history.db-shm", "history.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!((mode("."), mode("spool")), (0o700, 0o700));
    for file in std::fs::read_dir(fixture.file("spool")).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
#[cfg(unix)]
async fn a_folder_with_other_things_in_it_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = TestStore::new();
    std::fs::write(fixture.file("letter.txt"), "dear").unwrap();
    std::fs::set_permissions(fixture.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    fixture.spool();
    assert_eq!(
        std::fs::metadata(fixture.data()).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

#[tokio::test]
async fn a_reader_makes_nothing_and_sees_the_spool() {
    let fixture = TestStore::new();
    let store = fixture.open(AccessMode::Read).await.unwrap();
    assert_eq!(store.availability().await, Availability::Absent);
    assert!(fixture.file_names("history").is_empty());
    fixture
        .spool()
        .append(&trace(1, 0, vec![step("a", Outcome::Allowed, &[2.0])]))
        .unwrap();
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(1)]);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap().trace, id(1));
    assert_eq!(
        store
            .metrics(&MetricsFilter::since(jiff::Timestamp::UNIX_EPOCH))
            .await
            .unwrap()
            .hooks[0]
            .runs,
        1
    );
    assert!(store.state(DiskFullLosses::default()).await.unwrap().ok);
}

#[tokio::test]
async fn a_process_that_cannot_get_the_lock_only_spools_and_the_next_imports() {
    let fixture = TestStore::new();
    let lock = std::fs::File::create(fixture.file("history.lock")).unwrap();
    lock.lock().unwrap();
    let store = fixture.store().await;
    let Availability::SpoolOnly { why } = store.availability().await else {
        panic!("the lock is held")
    };
    assert!(why.contains("history.lock"), "{why}");
    fixture.spool().append(&trace(1, 0, vec![])).unwrap();
    assert_eq!(
        ids(&store, &TraceFilter::default(), 10).await,
        [id(1)],
        "from the spool"
    );
    assert!(matches!(store.import().await, Err(StoreError::SpoolOnly { .. })));
    assert!(!fixture.file("history.db").exists());
    drop(lock);
    assert_eq!(store.import().await.unwrap().traces, 1, "it tries again by itself");
    assert_eq!(fixture.store().await.counts().await.unwrap().traces, 1);
}

#[tokio::test]
async fn a_lock_of_another_sqlite_program_is_waited_for() {
    let fixture = TestStore::new();
    fixture.store().await.close().await;
    let mut other = fixture.connect().await;
    for sql in ["PRAGMA locking_mode = EXCLUSIVE", "CREATE TABLE theirs (a)"] {
        sqlx::query(sql).execute(&mut other).await.unwrap();
    }
    let store = fixture.store().await;
    let Availability::SpoolOnly { why } = store.availability().await else {
        panic!("the database is locked")
    };
    assert!(why.contains("locked"), "{why}");
    fixture.spool().append(&trace(1, 0, vec![])).unwrap();
    assert_eq!(
        ids(&store, &TraceFilter::default(), 10).await,
        [id(1)],
        "from the spool"
    );
    other.close().await.unwrap();
    assert_eq!(store.import().await.unwrap().traces, 1, "it tries again by itself");
}

#[tokio::test]
async fn a_writer_imports_after_a_notification_and_everything_when_it_closes() {
    let fixture = TestStore::new();
    let (store, spool) = (Arc::new(fixture.store().await), fixture.spool());
    let (_policy, policy) = watch::channel(RetentionPolicy::default());
    let writer = Writer::start(Arc::clone(&store), Arc::clone(&spool.0), &JournalHub::default(), policy);
    spool.append(&trace(1, 0, vec![])).unwrap();
    writer.notify();
    writer.flush().await.unwrap();
    assert_eq!(store.state(spool.losses()).await.unwrap().traces, 1);
    spool.append(&trace(2, 1, vec![])).unwrap();
    writer.close().await.unwrap();
    assert_eq!(store.state(spool.losses()).await.unwrap().traces, 2);
    assert_eq!(std::fs::read_dir(fixture.file("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn processes_that_take_turns_import_each_trace_once() {
    let fixture = TestStore::new();
    let stores = [fixture.store().await, fixture.store().await];
    let spool = fixture.spool();
    for number in 0..6 {
        spool
            .append(&trace(number, 0, vec![step("a", Outcome::Allowed, &[1.0])]))
            .unwrap();
        let store = &stores[number as usize % 2];
        assert_eq!(
            store.import().await.unwrap().traces,
            1,
            "what the other imported is no news"
        );
    }
    drop(spool);
    assert_eq!(stores[1].import().await.unwrap().files_removed, 1);
    assert_eq!(stores[0].import().await.unwrap().traces, 0);
    assert_eq!(stores[0].state(DiskFullLosses::default()).await.unwrap().traces, 6);
}

#[tokio::test]
#[cfg(unix)]
async fn a_spool_entry_that_is_no_file_is_ignored_and_delays_nothing() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let spool = fixture.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    for name in ["a pipe.jsonl", "a pipe.new"] {
        let made = std::process::Command::new("mkfifo")
            .arg(fixture.file("spool").join(name))
            .status();
        assert!(made.unwrap().success());
    }
    std::fs::create_dir(fixture.file("spool/a folder.jsonl")).unwrap();
    assert_eq!(read_all(fixture.data()).unwrap().traces.len(), 1);
    let memory = Store::unopened(fixture.data(), AccessMode::Read, fixture.clock(), Catalog::default());
    assert_eq!(ids(&memory, &TraceFilter::default(), 10).await, [id(1)]);
    assert_eq!(store.import().await.unwrap().traces, 1);
    drop(spool);
    assert_eq!(store.import().await.unwrap().files_removed, 1);
    assert_eq!(std::fs::read_dir(fixture.file("spool")).unwrap().count(), 3);
}

#[tokio::test]
async fn a_trace_without_its_body_still_has_its_steps() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let wrote = trace(
        1,
        0,
        vec![
            step("a", Outcome::Changed, &[2.5]),
            step("b", Outcome::TimedOutOpen, &[1.0, 2.0]),
        ],
    );
    let mut wrote = wrote;
    "0123456789abcdef".clone_into(&mut wrote.steps[0].version);
    fixture.record(&store, &[without_body(&wrote, 0)]).await;
    let shown = store.show(&id(1)).await.unwrap().unwrap();
    assert_eq!(shown, without_body(&wrote, 0));
    assert_eq!(shown.steps[0].edits[0].field, "user_input");
    assert_eq!(
        (shown.steps[1].attempts[1].took_ms, shown.steps[1].reason.as_deref()),
        (2.0, Some("took too long"))
    );
    assert!(!serde_json::to_string(&shown.steps).unwrap().contains("你好"));
    let state = store.state(DiskFullLosses::default()).await.unwrap();
    assert!(
        state.ok && state.dropped_bodies == 0,
        "it was recorded like this on purpose"
    );
}

#[tokio::test]
async fn odd_numbers_of_a_line_do_not_end_an_import() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let odd = |n: u64| {
        let mut trace = trace(n, 0, vec![step("a", Outcome::NoOpinion, &[1e300, 1e300])]);
        trace.steps[0].attempts[0].counted.insert("tokens".to_owned(), u64::MAX);
        trace
    };
    fixture.record(&store, &[odd(1), odd(2)]).await;
    fixture.record(&store, &[odd(3)]).await;
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await.len(), 3);
    let stats = store
        .metrics(&MetricsFilter::since(jiff::Timestamp::UNIX_EPOCH))
        .await
        .unwrap()
        .hooks;
    assert_eq!(stats[0].runs, 3);
}

#[tokio::test]
async fn a_line_without_an_end_is_not_read_and_keeps_no_other_line_back() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let torn = fixture.data().join("spool/01JHGDZZZZ0000000000000000.jsonl");
    std::fs::create_dir_all(torn.parent().unwrap()).unwrap();
    std::fs::File::create(&torn).unwrap().set_len(5 << 20).unwrap();
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(1)]);
}

#[tokio::test]
async fn numbers_of_removed_traces_are_not_used_again() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let old = |n: u64| trace(n, -40 * 86_400, vec![]);
    fixture.record(&store, &[old(1), old(2), old(3)]).await;
    assert_eq!(store.index_words(10).await.unwrap(), 3);
    store.retain(RetentionPolicy::default()).await.unwrap();
    assert!(ids(&store, &TraceFilter::default(), 10).await.is_empty());
    fixture
        .record(&store, &[trace(4, 0, vec![]), trace(5, 10, vec![])])
        .await;
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(5), id(4)]);
    assert_eq!(store.index_words(10).await.unwrap(), 2, "the new ones are searched too");
}
