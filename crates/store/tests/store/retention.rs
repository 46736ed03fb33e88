//! What retention removes by age.

use std::time::Duration;

use hookwright_model::{Ages, Catalog, Outcome};
use hookwright_store::{AccessMode, MetricsFilter, RetentionPolicy, RetentionResult, Store, TraceFilter};
use jiff::Timestamp;

use crate::test_store::{NOW_SECONDS, TestStore, id, ids, step, trace};

const DAY: i64 = 86_400;

#[tokio::test]
async fn bodies_go_after_seven_days_and_traces_after_thirty() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let with = |n: u64, days: i64| trace(n, -days * DAY, vec![step(&format!("h{n}"), Outcome::Denied, &[1.0])]);
    fixture.record(&store, &[with(1, 1), with(2, 8), with(3, 31)]).await;
    let removed = store.retain(RetentionPolicy::default()).await.unwrap();
    assert_eq!(removed, RetentionResult { traces: 1, bodies: 1 });
    assert_eq!(ids(&store, &TraceFilter::default(), 10).await, [id(1), id(2)]);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), with(1, 1));
    let bare = store.show(&id(2)).await.unwrap().unwrap();
    assert_eq!(bare, hookwright_store::without_body(&with(2, 8), 8 - 1));
    assert_eq!(
        (bare.steps[0].outcome, bare.bodies_removed_days),
        (Outcome::Denied, Some(7))
    );
    let hook = |n: u64| TraceFilter {
        hook: Some(format!("h{n}")),
        ..TraceFilter::default()
    };
    assert_eq!(ids(&store, &hook(2), 10).await, [id(2)]);
    assert!(ids(&store, &hook(3), 10).await.is_empty());
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.traces, counts.by["hook"].len()), (2, 2));
    let stats = store
        .metrics(&MetricsFilter::since(
            Timestamp::from_second(NOW_SECONDS - 60 * DAY).unwrap(),
        ))
        .await
        .unwrap()
        .hooks;
    assert_eq!(
        stats.iter().map(|row| row.hook.as_str()).collect::<Vec<_>>(),
        ["h1", "h2"],
        "metrics go with their traces"
    );
    let event = with(1, 1).event;
    let since = Timestamp::UNIX_EPOCH;
    let activities = store
        .event_activity("/work/项目", "jcli", &[&event], since)
        .await
        .unwrap();
    assert_eq!(activities[&event].traces, 2, "and so do the counts of events");
    assert_eq!(
        store.retain(RetentionPolicy::default()).await.unwrap(),
        RetentionResult::default(),
        "nothing is removed twice"
    );
}

#[tokio::test]
async fn short_lived_processes_run_retention_once_a_day() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[trace(1, -31 * DAY, vec![])]).await;
    let once = Some(RetentionResult { traces: 1, bodies: 0 });
    assert_eq!(
        store
            .retain_daily(RetentionPolicy::default(), Duration::MAX)
            .await
            .unwrap(),
        once
    );
    fixture.record(&store, &[trace(2, -31 * DAY, vec![])]).await;
    let next = fixture.store().await;
    fixture.set_clock(NOW_SECONDS + DAY - 1);
    assert_eq!(
        next.retain_daily(RetentionPolicy::default(), Duration::MAX)
            .await
            .unwrap(),
        None
    );
    fixture.set_clock(NOW_SECONDS + DAY);
    assert_eq!(
        next.retain_daily(RetentionPolicy::default(), Duration::MAX)
            .await
            .unwrap(),
        once
    );
    fixture.set_clock(NOW_SECONDS - DAY);
    assert_eq!(
        next.retain_daily(RetentionPolicy::default(), Duration::MAX)
            .await
            .unwrap(),
        Some(RetentionResult::default()),
        "a clock that was wrong once does not end it"
    );
}

#[tokio::test]
async fn age_alone_removes_all_traces() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=1500).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    fixture.set_clock(NOW_SECONDS + 31 * DAY);
    assert_eq!(
        store.retain(RetentionPolicy::default()).await.unwrap(),
        RetentionResult {
            traces: 1500,
            bodies: 0
        }
    );
    assert_eq!(
        store.counts().await.unwrap(),
        hookwright_store::TraceCounts {
            traces: 0,
            by: std::collections::BTreeMap::new()
        }
    );
}

#[tokio::test]
async fn each_step_of_retention_is_short() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=1100).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    fixture.set_clock(NOW_SECONDS + 31 * DAY);
    let mut retention = store.begin_retention(RetentionPolicy::default());
    let mut after_step = Vec::new();
    while store.continue_retention(&mut retention).await.unwrap() {
        after_step.push(retention.removed.traces);
    }
    assert_eq!(after_step[..3], [500, 1000, 1100]);
}

#[tokio::test]
async fn a_command_that_has_no_time_left_leaves_the_rest_to_the_next_one() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=1100).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    fixture.set_clock(NOW_SECONDS + 31 * DAY);
    let removed = |traces| Some(RetentionResult { traces, bodies: 0 });
    let policy = RetentionPolicy::default();
    assert_eq!(store.retain_daily(policy, Duration::ZERO).await.unwrap(), removed(500));
    assert_eq!(store.retain_daily(policy, Duration::MAX).await.unwrap(), removed(600));
    assert_eq!(store.retain_daily(policy, Duration::MAX).await.unwrap(), None);
}

#[tokio::test]
async fn while_the_clock_cannot_be_believed_nothing_is_removed_because_of_its_age() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[trace(1, -31 * DAY, vec![])]).await;
    let clock = fixture.clock().with_ages(|now| Ages::Wait {
        until: now.wall,
        jump: None,
    });
    let waits = Store::open(fixture.data(), AccessMode::Write, clock, Catalog::default())
        .await
        .unwrap();
    let policy = RetentionPolicy::default();
    assert_eq!(waits.retain(policy).await.unwrap(), RetentionResult::default());
    let by_size = RetentionPolicy { max_mb: 0, ..policy };
    assert!(
        waits.retain(by_size).await.unwrap().traces > 0,
        "the size limit holds all the same"
    );
}
