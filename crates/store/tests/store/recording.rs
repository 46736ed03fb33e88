//! From the spool into the database and back.

use std::sync::Arc;

use hookwright_model::Outcome;
use hookwright_store::{Filter, Kept, Losses, Mode, Policy, Standing, StoreError, Writer, read_all, row, without_body};
use sqlx::Connection;
use tokio::sync::watch;

use crate::desk::{Desk, id, ids, step, trace};

#[tokio::test]
async fn what_was_spooled_is_shown_to_the_last_digit_before_and_after_the_import() {
    let desk = Desk::new();
    let store = desk.store().await;
    let wrote = trace(
        1,
        0,
        vec![
            step("a", Outcome::Changed, &[0.1 + 0.2, 38.123_456_789]),
            step("b", Outcome::NotMatched, &[]),
        ],
    );
    let spool = desk.spool();
    assert_eq!(spool.append(&wrote).unwrap(), Kept::Whole);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), wrote, "from the spool");
    assert_eq!(
        store.page(&Filter::default(), None, 5).await.unwrap().rows,
        [row(&wrote)]
    );
    store.import().await.unwrap();
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), wrote, "from the database");
    assert_eq!(
        store.page(&Filter::default(), None, 5).await.unwrap().rows,
        [row(&wrote)]
    );
}

#[tokio::test]
async fn a_row_says_what_happened_in_one_line() {
    let wrote = trace(
        1,
        0,
        vec![step("a", Outcome::Denied, &[1.0]), step("b", Outcome::Skipped, &[])],
    );
    let row = row(&wrote);
    assert_eq!(row.about, "hi 1");
    assert_eq!(row.outcomes, [Outcome::Denied, Outcome::Skipped]);
    assert_eq!(row.reasons, [None, Some("muted".to_owned())]);
}

#[tokio::test]
async fn importing_twice_changes_nothing() {
    let desk = Desk::new();
    let store = desk.store().await;
    let wrote = trace(1, 0, vec![step("a", Outcome::Allowed, &[2.0])]);
    assert_eq!(desk.record(&store, std::slice::from_ref(&wrote)).await.traces, 1);
    assert_eq!(desk.record(&store, &[wrote.clone(), wrote]).await.traces, 0);
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1)]);
    let since = jiff::Timestamp::UNIX_EPOCH;
    assert_eq!(store.stats(since, None).await.unwrap()[0].runs, 1);
    assert_eq!(store.counts().await.unwrap().traces, 1);
}

#[tokio::test]
async fn a_detached_run_that_ends_later_replaces_its_outcome_and_its_metrics() {
    let desk = Desk::new();
    let store = desk.store().await;
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
    desk.record(&store, std::slice::from_ref(&early)).await;
    let spool = desk.spool();
    spool.append(&late).unwrap();
    let check = async || {
        assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), late);
        let stats = store.stats(since, None).await.unwrap();
        let of = |hook: &str| stats.iter().find(|row| row.hook == hook).unwrap().clone();
        assert_eq!(of("slow").outcomes, [(Outcome::NoOpinion, 1)].into());
        assert_eq!((of("slow").runs, of("slow").attempts, of("slow").max_ms), (1, 1, 900.0));
        assert_eq!((of("b").runs, of("b").chars_added), (1, 3));
        let outcome = |outcome| Filter {
            outcome: Some(outcome),
            ..Filter::default()
        };
        assert_eq!(ids(&store, &outcome(Outcome::NoOpinion), 1).await, [id(1)]);
        assert!(ids(&store, &outcome(Outcome::Detached), 1).await.is_empty());
    };
    check().await;
    store.import().await.unwrap();
    check().await;
    desk.record(&store, &[early]).await;
    check().await;
}

#[tokio::test]
async fn what_was_taken_out_later_replaces_the_account_that_did_not_know_of_it() {
    let desk = Desk::new();
    let store = desk.store().await;
    let early = trace(1, 0, vec![step("plan", Outcome::Changed, &[])]);
    let mut late = early.clone();
    late.steps[0].removed.push(hookwright_model::Removal {
        reference: "r.1".to_owned(),
        at: late.at,
        by: "remove(before_planning)".to_owned(),
        ..hookwright_model::Removal::default()
    });
    desk.record(&store, std::slice::from_ref(&early)).await;
    desk.spool().append(&late).unwrap();
    store.import().await.unwrap();
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), late);
    let runs = store.stats(jiff::Timestamp::UNIX_EPOCH, None).await.unwrap()[0].runs;
    assert_eq!(
        (store.counts().await.unwrap().traces, runs),
        (1, 1),
        "it is one event all the same"
    );
    desk.record(&store, &[early]).await;
    assert_eq!(
        store.show(&id(1)).await.unwrap().unwrap(),
        late,
        "and what is known is not forgotten"
    );
}

#[tokio::test]
async fn the_file_of_a_living_writer_stays_and_goes_when_it_is_gone() {
    let desk = Desk::new();
    let store = desk.store().await;
    let spool = desk.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 0));
    spool.append(&trace(2, 1, vec![])).unwrap();
    drop(spool);
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 1));
    assert_eq!(std::fs::read_dir(desk.file("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_torn_last_line_is_skipped_and_reported() {
    let desk = Desk::new();
    let store = desk.store().await;
    let line = serde_json::to_string(&trace(1, 0, vec![])).unwrap();
    std::fs::create_dir_all(desk.file("spool")).unwrap();
    let file = desk.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    std::fs::write(&file, format!("{line}\n{{\"trace\":\"01")).unwrap();
    assert_eq!(read_all(desk.data()).unwrap().traces.len(), 1);
    let imported = store.import().await.unwrap();
    assert_eq!((imported.traces, imported.files_removed), (1, 1));
    assert_eq!(imported.torn, [(file, 12)]);
}

#[tokio::test]
async fn lines_that_are_no_trace_are_kept_beside_and_cost_only_themselves() {
    let desk = Desk::new();
    let store = desk.store().await;
    let line = serde_json::to_string(&trace(1, 0, vec![])).unwrap();
    std::fs::create_dir_all(desk.file("spool")).unwrap();
    let file = desk.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    std::fs::write(&file, format!("not json\n{line}\n{{}}\n")).unwrap();
    let imported = store.import().await.unwrap();
    assert_eq!(imported.traces, 1);
    assert_eq!(
        imported.put_beside,
        [desk.file("spool/01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl.unread")]
    );
    assert!(imported.put_beside[0].exists() && !file.exists());
    assert_eq!(store.import().await.unwrap(), hookwright_store::Imported::default());
}

#[tokio::test]
async fn an_empty_file_becomes_a_database_of_our_schema() {
    let desk = Desk::new();
    std::fs::write(desk.file("history.db"), "").unwrap();
    let store = desk.store().await;
    assert_eq!(store.standing().await, Standing::Ready);
    desk.record(&store, &[trace(1, 0, vec![])]).await;
    let mut sql = desk.sql().await;
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
#[cfg(unix)]
async fn nobody_else_can_read_what_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let mode = |name: &str| std::fs::metadata(desk.file(name)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(desk.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let store = desk.store().await;
    let spool = desk.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    store.import().await.unwrap();
    for name in ["history.db", "history.db-wal", "history.db-shm", "history.lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!((mode("."), mode("spool")), (0o700, 0o700));
    for file in std::fs::read_dir(desk.file("spool")).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
#[cfg(unix)]
async fn a_folder_with_other_things_in_it_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    std::fs::write(desk.file("letter.txt"), "dear").unwrap();
    std::fs::set_permissions(desk.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    desk.spool();
    assert_eq!(
        std::fs::metadata(desk.data()).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

#[tokio::test]
async fn a_reader_makes_nothing_and_sees_the_spool() {
    let desk = Desk::new();
    let store = desk.open(Mode::Read).await.unwrap();
    assert_eq!(store.standing().await, Standing::Absent);
    assert!(desk.names("history").is_empty());
    desk.spool()
        .append(&trace(1, 0, vec![step("a", Outcome::Allowed, &[2.0])]))
        .unwrap();
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1)]);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap().trace, id(1));
    assert_eq!(store.stats(jiff::Timestamp::UNIX_EPOCH, None).await.unwrap()[0].runs, 1);
    assert!(store.state(Losses::default()).await.unwrap().ok);
}

#[tokio::test]
async fn a_process_that_cannot_get_the_lock_only_spools_and_the_next_imports() {
    let desk = Desk::new();
    let lock = std::fs::File::create(desk.file("history.lock")).unwrap();
    lock.lock().unwrap();
    let store = desk.store().await;
    let Standing::SpoolOnly { why } = store.standing().await else {
        panic!("the lock is held")
    };
    assert!(why.contains("history.lock"), "{why}");
    desk.spool().append(&trace(1, 0, vec![])).unwrap();
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1)], "from the spool");
    assert!(matches!(store.import().await, Err(StoreError::SpoolOnly { .. })));
    assert!(!desk.file("history.db").exists());
    drop(lock);
    assert_eq!(store.import().await.unwrap().traces, 1, "it tries again by itself");
    assert_eq!(desk.store().await.counts().await.unwrap().traces, 1);
}

#[tokio::test]
async fn a_lock_of_another_sqlite_program_is_waited_for_like_our_own() {
    let desk = Desk::new();
    desk.store().await.close().await;
    let mut other = desk.sql().await;
    for sql in ["PRAGMA locking_mode = EXCLUSIVE", "CREATE TABLE theirs (a)"] {
        sqlx::query(sql).execute(&mut other).await.unwrap();
    }
    let store = desk.store().await;
    let Standing::SpoolOnly { why } = store.standing().await else {
        panic!("the database is locked")
    };
    assert!(why.contains("locked"), "{why}");
    desk.spool().append(&trace(1, 0, vec![])).unwrap();
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1)], "from the spool");
    other.close().await.unwrap();
    assert_eq!(store.import().await.unwrap().traces, 1, "it tries again by itself");
}

#[tokio::test]
async fn a_writer_imports_what_it_is_told_of_and_everything_when_it_closes() {
    let desk = Desk::new();
    let (store, spool) = (Arc::new(desk.store().await), Arc::new(desk.spool()));
    let (_policy, policy) = watch::channel(Policy::default());
    let writer = Writer::start(Arc::clone(&store), Arc::clone(&spool), policy);
    spool.append(&trace(1, 0, vec![])).unwrap();
    writer.news();
    writer.flush().await.unwrap();
    assert_eq!(store.state(spool.losses()).await.unwrap().traces, 1);
    spool.append(&trace(2, 1, vec![])).unwrap();
    writer.close().await.unwrap();
    assert_eq!(store.state(spool.losses()).await.unwrap().traces, 2);
    assert_eq!(std::fs::read_dir(desk.file("spool")).unwrap().count(), 0);
}

#[tokio::test]
async fn processes_that_take_turns_import_each_trace_once() {
    let desk = Desk::new();
    let stores = [desk.store().await, desk.store().await];
    let spool = desk.spool();
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
    assert_eq!(stores[0].state(Losses::default()).await.unwrap().traces, 6);
}

#[tokio::test]
#[cfg(unix)]
async fn what_is_no_file_in_the_spool_is_left_alone_and_holds_nobody_up() {
    let desk = Desk::new();
    let store = desk.store().await;
    let spool = desk.spool();
    spool.append(&trace(1, 0, vec![])).unwrap();
    for name in ["a pipe.jsonl", "a pipe.new"] {
        let made = std::process::Command::new("mkfifo")
            .arg(desk.file("spool").join(name))
            .status();
        assert!(made.unwrap().success());
    }
    std::fs::create_dir(desk.file("spool/a folder.jsonl")).unwrap();
    assert_eq!(read_all(desk.data()).unwrap().traces.len(), 1);
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1)]);
    assert_eq!(store.import().await.unwrap().traces, 1);
    drop(spool);
    assert_eq!(store.import().await.unwrap().files_removed, 1);
    assert_eq!(std::fs::read_dir(desk.file("spool")).unwrap().count(), 3);
}

#[tokio::test]
async fn a_trace_without_its_body_still_tells_its_steps() {
    let desk = Desk::new();
    let store = desk.store().await;
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
    desk.record(&store, &[without_body(&wrote, 0)]).await;
    let shown = store.show(&id(1)).await.unwrap().unwrap();
    assert_eq!(shown, without_body(&wrote, 0));
    assert_eq!(shown.steps[0].edits[0].field, "user_input");
    assert_eq!(
        (shown.steps[1].attempts[1].took_ms, shown.steps[1].reason.as_deref()),
        (2.0, Some("took too long"))
    );
    assert!(!serde_json::to_string(&shown.steps).unwrap().contains("你好"));
    assert_eq!(store.state(Losses::default()).await.unwrap().dropped_bodies, 1);
}
