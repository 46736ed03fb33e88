//! Files that are broken, written by another program, or not accessible (`CONTRACTS.md` §2.6).

use std::io::{Seek, Write};
use std::path::Path;

use hookwright_model::{Catalog, Outcome};
use hookwright_store::{AccessMode, Availability, DiskFullLosses, StoreError, TraceFilter};

use crate::test_store::{TestStore, id, ids, step, trace};

/// Writes into a file without creating it again.
fn overwrite(path: &Path, from: u64, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(std::io::SeekFrom::Start(from)).unwrap();
    file.write_all(bytes).unwrap();
}

async fn recorded_store() -> TestStore {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let traces: Vec<_> = (1..=200)
        .map(|n| trace(n, n as i64, vec![step("a", Outcome::Allowed, &[1.0])]))
        .collect();
    fixture.record(&store, &traces).await;
    store.close().await;
    fixture
}

#[tokio::test]
async fn a_garbage_database_is_quarantined_with_its_log_and_the_next_begins_empty() {
    let fixture = TestStore::new();
    for suffix in ["", "-wal", "-shm"] {
        std::fs::write(
            fixture.file(&format!("history.db{suffix}")),
            format!("garbage{suffix}").repeat(1000),
        )
        .unwrap();
    }
    fixture.spool().append(&trace(1, 0, vec![])).unwrap();
    let error = fixture.open(AccessMode::Write).await.unwrap_err();
    let StoreError::Damaged { path, quarantined, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(*path, fixture.file("history.db"));
    assert_eq!(*quarantined, fixture.file("history.db.damaged-2026-01-15T10-30-00Z"));
    assert!(error.to_string().contains("history.db") && error.to_string().contains("moved to"));
    assert!(
        fixture.file("history.db.damaged-2026-01-15T10-30-00Z-shm").exists(),
        "only an index of the log, which SQLite makes anew"
    );
    for suffix in ["", "-wal"] {
        let name = fixture.file(&format!("history.db.damaged-2026-01-15T10-30-00Z{suffix}"));
        assert_eq!(
            std::fs::read_to_string(name).unwrap(),
            format!("garbage{suffix}").repeat(1000),
            "{suffix}"
        );
    }
    let store = fixture.store().await;
    assert_eq!(store.import().await.unwrap().traces, 1, "what was spooled is not lost");
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(1)]);
}

#[tokio::test]
async fn two_damages_in_one_second_are_both_kept() {
    let fixture = TestStore::new();
    for _ in 0..2 {
        std::fs::write(fixture.file("history.db"), "garbage".repeat(1000)).unwrap();
        assert!(matches!(
            fixture.open(AccessMode::Read).await,
            Err(StoreError::Damaged { .. })
        ));
    }
    assert_eq!(fixture.file_names("history.db").len(), 2);
    std::fs::write(fixture.file("history.db.damaged-2026-01-15T10-30-00Z-wal"), "").unwrap();
    std::fs::write(fixture.file("history.db.damaged-yesterday"), "").unwrap();
    let noon = jiff::Timestamp::from_second(crate::test_store::NOW_SECONDS).unwrap();
    assert_eq!(
        hookwright_store::quarantined_databases(fixture.data()),
        [
            (noon, fixture.file("history.db.damaged-2026-01-15T10-30-00Z")),
            (noon, fixture.file("history.db.damaged-2026-01-15T10-30-00Z-2")),
        ]
    );
}

#[tokio::test]
async fn a_database_cut_in_half_is_noticed_at_opening() {
    let fixture = recorded_store().await;
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(fixture.file("history.db"))
        .unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    assert!(matches!(
        fixture.open(AccessMode::Read).await,
        Err(StoreError::Damaged { .. })
    ));
    assert_eq!(fixture.store().await.counts().await.unwrap().traces, 0);
}

#[tokio::test]
async fn a_database_that_lacks_a_table_is_damage() {
    let fixture = recorded_store().await;
    let mut sql = fixture.connect().await;
    sqlx::query("DROP TABLE bodies").execute(&mut sql).await.unwrap();
    sqlx::Connection::close(sql).await.unwrap();
    assert!(matches!(
        fixture.open(AccessMode::Read).await,
        Err(StoreError::Damaged { .. })
    ));
    assert_eq!(fixture.store().await.counts().await.unwrap().traces, 0);
}

#[tokio::test]
async fn damage_found_in_use_is_quarantined_too() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let traces: Vec<_> = (1..=2000)
        .map(|n| trace(n, n as i64, vec![step(&format!("hook {n}"), Outcome::Allowed, &[1.0])]))
        .collect();
    fixture.record(&store, &traces).await;
    store.close().await;
    let length = std::fs::metadata(fixture.file("history.db")).unwrap().len();
    // The schema is at the beginning and, since it grows, at the end of the file. This overwrites neither.
    let third = length / 3 / 4096 * 4096;
    overwrite(
        &fixture.file("history.db"),
        third,
        &vec![0x5a; usize::try_from(third).unwrap()],
    );
    let store = fixture.store().await;
    let mut found = None;
    for n in 1..=2000 {
        found = found.or(store.show(&id(n)).await.err());
    }
    let error = found.unwrap();
    let StoreError::Damaged { quarantined, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(std::fs::metadata(quarantined).unwrap().len(), length);
    assert!(matches!(store.availability().await, Availability::SpoolOnly { .. }));
    assert!(!store.state(DiskFullLosses::default()).await.unwrap().ok);
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    assert_eq!(
        ids(&store, &TraceFilter::default(), 10).await,
        [id(1)],
        "a living engine goes on with an empty one"
    );
}

#[tokio::test]
async fn a_damaged_database_stays_while_another_process_uses_it() {
    let fixture = recorded_store().await;
    let other = fixture.store().await;
    overwrite(&fixture.file("history.db"), 0, &[0x5a; 4096]);
    let error = fixture.open(AccessMode::Write).await.unwrap_err();
    assert!(matches!(error, StoreError::DamagedInUse { .. }), "{error:?}");
    assert!(fixture.file_names("history.db.damaged").is_empty());
    other.close().await;
    assert!(matches!(
        fixture.open(AccessMode::Write).await,
        Err(StoreError::Damaged { .. })
    ));
}

#[tokio::test]
async fn a_database_from_the_future_is_named_and_left_as_it_is() {
    for sql in [
        "PRAGMA user_version = 9999",
        "INSERT INTO _sqlx_migrations VALUES (9999, 'later', '', true, x'00', 0)",
    ] {
        let fixture = recorded_store().await;
        let mut connection = fixture.connect().await;
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        sqlx::Connection::close(connection).await.unwrap();
        let before = std::fs::read(fixture.file("history.db")).unwrap();
        for mode in [AccessMode::Read, AccessMode::Write] {
            let error = fixture.open(mode).await.unwrap_err();
            assert!(matches!(&error, StoreError::Newer { found: 9999, .. }), "{error}");
            assert!(error.to_string().contains("history.db"), "{error}");
        }
        assert_eq!(std::fs::read(fixture.file("history.db")).unwrap(), before);
        fixture.spool().append(&trace(300, 0, vec![])).unwrap();
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_created_is_a_clear_error() {
    let fixture = TestStore::new();
    std::fs::write(fixture.file("data"), "a file").unwrap();
    let data = fixture.file("data/hookwright");
    let error = hookwright_store::Store::open(&data, AccessMode::Write, fixture.clock(), Catalog::default())
        .await
        .unwrap_err();
    assert!(matches!(&error, StoreError::NotWritable { .. }), "{error:?}");
    assert!(error.to_string().contains("hookwright"), "{error}");
    assert!(hookwright_store::Spool::open(&data, Catalog::default()).is_err());
}

#[tokio::test]
async fn a_folder_at_the_database_path_is_a_clear_error() {
    let fixture = TestStore::new();
    std::fs::create_dir(fixture.file("history.db")).unwrap();
    let error = fixture.open(AccessMode::Write).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotWritable { .. }), "{error:?}");
}

#[tokio::test]
#[cfg(unix)]
async fn a_read_only_folder_is_a_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = TestStore::new();
    std::fs::set_permissions(fixture.data(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::File::create(fixture.file("probe")).is_ok() {
        // The superuser may write anywhere. The tests in `error` cover this case without a disk.
        return;
    }
    let error = fixture.open(AccessMode::Write).await.unwrap_err();
    assert!(matches!(&error, StoreError::NotWritable { .. }), "{error:?}");
    assert!(hookwright_store::Spool::open(fixture.data(), Catalog::default()).is_err());
}

#[tokio::test]
async fn a_database_removed_under_a_living_engine_is_begun_again() {
    let fixture = recorded_store().await;
    let store = fixture.store().await;
    std::fs::remove_file(fixture.file("history.db")).unwrap();
    fixture.record(&store, &[trace(300, 0, vec![])]).await;
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(300)]);
    store.close().await;
    assert_eq!(fixture.store().await.counts().await.unwrap().traces, 1);
}

/// The files of a process that was killed while it created the database: they contain the journal of an unfinished
/// change.
async fn unfinished() -> TestStore {
    use sqlx::Connection;
    let (fixture, scratch) = (TestStore::new(), tempfile::tempdir().unwrap());
    let source = scratch.path().join("history.db");
    let url = format!("sqlite://{}?mode=rwc", source.display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    for sql in [
        "PRAGMA journal_mode = DELETE",
        "CREATE TABLE begun (x)",
        "PRAGMA cache_size = 1",
        "PRAGMA cache_spill = 1",
        "BEGIN IMMEDIATE",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO begun SELECT randomblob(500) FROM n",
    ] {
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    }
    for name in ["history.db", "history.db-journal"] {
        std::fs::copy(scratch.path().join(name), fixture.file(name)).unwrap();
    }
    fixture
}

#[tokio::test]
async fn an_unfinished_change_of_a_killed_process_is_rolled_back() {
    for mode in [AccessMode::Write, AccessMode::Read] {
        let fixture = unfinished().await;
        let store = fixture
            .open(mode)
            .await
            .unwrap_or_else(|error| panic!("{mode:?}: {error}"));
        assert!(ids(&store, &TraceFilter::default(), 10).await.is_empty());
    }
}
