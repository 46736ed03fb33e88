//! Bodies in blocks, and the words of a search.

use hookwright_model::Outcome;
use hookwright_store::{RetentionPolicy, TraceFilter};

use crate::test_store::{NOW_SECONDS, TestStore, id, step, trace};

async fn number(fixture: &TestStore, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql)
        .fetch_one(&mut fixture.connect().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn traces_of_one_import_share_a_block_of_limited_size() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=600).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    assert_eq!(
        number(&fixture, "SELECT count(*) FROM blocks").await,
        3,
        "256, 256 and the rest"
    );
    let mut large = trace(601, 0, vec![]);
    std::sync::Arc::make_mut(&mut large.payload_before).insert("text".to_owned(), "危险".repeat(200_000).into());
    fixture
        .record(&store, &[trace(602, 0, vec![]), large.clone(), trace(603, 0, vec![])])
        .await;
    for n in [1, 256, 257, 600, 602, 603] {
        assert_eq!(store.show(&id(n)).await.unwrap().unwrap(), trace(n, 0, vec![]));
    }
    assert_eq!(store.show(&id(601)).await.unwrap().unwrap(), large);
    let bytes = number(&fixture, "SELECT sum(length(data)) FROM blocks").await;
    assert!(bytes < 40_000, "{bytes} bytes");
}

#[tokio::test]
async fn a_later_version_of_a_trace_is_in_a_new_block() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let with = |outcome| trace(1, 0, vec![step("slow", outcome, &[])]);
    fixture
        .record(&store, &[with(Outcome::Detached), trace(2, 0, vec![])])
        .await;
    fixture.record(&store, &[with(Outcome::Allowed)]).await;
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), with(Outcome::Allowed));
    assert_eq!(store.show(&id(2)).await.unwrap().unwrap(), trace(2, 0, vec![]));
    assert_eq!(number(&fixture, "SELECT count(*) FROM blocks").await, 2);
    fixture.set_clock(NOW_SECONDS + 8 * 86_400);
    let removed = store.retain(RetentionPolicy::default()).await.unwrap();
    assert_eq!((removed.traces, removed.bodies), (0, 2));
    assert_eq!(number(&fixture, "SELECT count(*) FROM blocks").await, 0);
}

#[tokio::test]
async fn a_block_goes_with_its_last_trace() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(
            &store,
            &(1..=700).map(|n| trace(n, n as i64, vec![])).collect::<Vec<_>>(),
        )
        .await;
    fixture.set_clock(NOW_SECONDS + 30 * 86_400 + 600);
    let policy = RetentionPolicy {
        bodies_days: 365,
        ..RetentionPolicy::default()
    };
    assert_eq!(store.retain(policy).await.unwrap().traces, 599);
    assert_eq!(number(&fixture, "SELECT count(*) FROM blocks").await, 1);
    assert_eq!(store.show(&id(650)).await.unwrap().unwrap(), trace(650, 650, vec![]));
}

/// The numbers of the traces that an expression of the search finds.
async fn found(fixture: &TestStore, query: &str) -> Vec<i64> {
    let sql = "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid";
    sqlx::query_scalar(sql)
        .bind(query.to_owned())
        .fetch_all(&mut fixture.connect().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_match_finds_words_and_single_characters() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut call = trace(1, 0, vec![step("guard", Outcome::Denied, &[1.0])]);
    call.payload_before = serde_json::from_value(serde_json::json!({
        "tool_name": "Bash", "tool_input": {"command": "rm -rf /tmp/Build_Folder"}
    }))
    .unwrap();
    call.verdict.reason = Some("deleting is forbidden".to_owned());
    "Traceback: KeyError".clone_into(&mut call.steps[0].attempts[0].stderr);
    let mut chinese = trace(2, 1, vec![]);
    std::sync::Arc::make_mut(&mut chinese.payload_before).insert("user_input".to_owned(), "请删除旧文件".into());
    fixture.record(&store, &[call, chinese]).await;
    assert_eq!(store.searchable_until().await.unwrap(), None);
    assert_eq!(store.index_words(1).await.unwrap(), 1);
    assert_eq!(store.searchable_until().await.unwrap(), Some(trace(1, 0, vec![]).at));
    assert_eq!(store.index_words(10).await.unwrap(), 1);
    assert_eq!(store.index_words(10).await.unwrap(), 0);
    assert_eq!(store.searchable_until().await.unwrap(), Some(trace(2, 1, vec![]).at));
    for (query, numbers) in [
        ("bash", &[1][..]),
        ("folder", &[1]),
        ("forbidden", &[1]),
        ("keyerror", &[1]),
        ("out", &[1]),
        ("件", &[2]),
        ("\"删 除\"", &[2]),
        ("\"除 删\"", &[]),
        ("absent", &[]),
    ] {
        assert_eq!(found(&fixture, query).await, numbers, "{query}");
    }
    fixture.set_clock(NOW_SECONDS + 8 * 86_400);
    store.retain(RetentionPolicy::default()).await.unwrap();
    assert!(found(&fixture, "bash").await.is_empty(), "the words go with the body");
}

#[tokio::test]
async fn words_of_a_later_version_replace_those_of_the_earlier() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let with = |outcome, reason: &str| {
        let mut trace = trace(1, 0, vec![step("slow", outcome, &[])]);
        trace.steps[0].reason = Some(reason.to_owned());
        trace
    };
    fixture.record(&store, &[with(Outcome::Detached, "early")]).await;
    store.index_words(10).await.unwrap();
    fixture.record(&store, &[with(Outcome::FailedOpen, "late")]).await;
    assert_eq!(found(&fixture, "early").await, [0_i64; 0]);
    store.index_words(10).await.unwrap();
    assert_eq!(found(&fixture, "late").await.len(), 1);
}

#[tokio::test]
async fn a_block_that_cannot_be_read_is_missing_and_stops_nothing_else() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    fixture.record(&store, &[trace(2, 10, vec![])]).await;
    sqlx::query("UPDATE blocks SET data = zeroblob(64) WHERE id = 1")
        .execute(&mut fixture.connect().await)
        .await
        .unwrap();
    assert_eq!(store.index_words(10).await.unwrap(), 2, "the other one is searched");
    let shown = store.show(&id(1)).await.unwrap().unwrap();
    assert_eq!(
        shown.bodies_removed_days,
        Some(0),
        "it says that the payload is missing"
    );
    assert_eq!(store.show(&id(2)).await.unwrap().unwrap(), trace(2, 10, vec![]));
    let mut visited = 0;
    let mut count = |_| {
        visited += 1;
        std::ops::ControlFlow::Continue(())
    };
    store
        .visit_newest(&TraceFilter::default(), 10, &mut count)
        .await
        .unwrap();
    assert_eq!(visited, 2);
}
