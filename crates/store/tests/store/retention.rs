//! What goes with age.

use hookwright_model::Outcome;
use hookwright_store::{Filter, Policy, Removed};
use jiff::Timestamp;

use crate::desk::{Desk, NOON, id, ids, step, trace};

const DAY: i64 = 86_400;

#[tokio::test]
async fn bodies_go_after_seven_days_and_traces_after_thirty() {
    let desk = Desk::new();
    let store = desk.store().await;
    let with = |n: u64, days: i64| trace(n, -days * DAY, vec![step(&format!("h{n}"), Outcome::Denied, &[1.0])]);
    desk.record(&store, &[with(1, 1), with(2, 8), with(3, 31)]).await;
    let removed = store.retain(Policy::default()).await.unwrap();
    assert_eq!(removed, Removed { traces: 1, bodies: 1 });
    assert_eq!(ids(&store, &Filter::default(), 10).await, [id(1), id(2)]);
    assert_eq!(store.show(&id(1)).await.unwrap().unwrap(), with(1, 1));
    let bare = store.show(&id(2)).await.unwrap().unwrap();
    assert_eq!(bare, hookwright_store::without_body(&with(2, 8), 8 - 1));
    assert_eq!(
        (bare.steps[0].outcome, bare.bodies_removed_days),
        (Outcome::Denied, Some(7))
    );
    let hook = |n: u64| Filter {
        hook: Some(format!("h{n}")),
        ..Filter::default()
    };
    assert_eq!(ids(&store, &hook(2), 10).await, [id(2)]);
    assert!(ids(&store, &hook(3), 10).await.is_empty());
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.traces, counts.by["hook"].len()), (2, 2));
    let stats = store
        .stats(Timestamp::from_second(NOON - 60 * DAY).unwrap(), None)
        .await
        .unwrap();
    assert_eq!(
        stats.iter().map(|row| row.hook.as_str()).collect::<Vec<_>>(),
        ["h1", "h2"],
        "metrics go with their traces"
    );
    assert_eq!(
        store.retain(Policy::default()).await.unwrap(),
        Removed::default(),
        "nothing is removed twice"
    );
}

#[tokio::test]
async fn processes_that_live_no_longer_than_a_command_tidy_up_once_a_day() {
    let desk = Desk::new();
    let store = desk.store().await;
    desk.record(&store, &[trace(1, -31 * DAY, vec![])]).await;
    let once = Some(Removed { traces: 1, bodies: 0 });
    assert_eq!(store.retain_daily(Policy::default()).await.unwrap(), once);
    desk.record(&store, &[trace(2, -31 * DAY, vec![])]).await;
    let next = desk.store().await;
    desk.set_clock(NOON + DAY - 1);
    assert_eq!(next.retain_daily(Policy::default()).await.unwrap(), None);
    desk.set_clock(NOON + DAY);
    assert_eq!(next.retain_daily(Policy::default()).await.unwrap(), once);
    desk.set_clock(NOON - DAY);
    assert_eq!(
        next.retain_daily(Policy::default()).await.unwrap(),
        Some(Removed::default()),
        "a clock that was wrong once does not end it"
    );
}

#[tokio::test]
async fn time_alone_takes_them_all() {
    let desk = Desk::new();
    let store = desk.store().await;
    desk.record(&store, &(1..=1500).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    desk.set_clock(NOON + 31 * DAY);
    assert_eq!(
        store.retain(Policy::default()).await.unwrap(),
        Removed {
            traces: 1500,
            bodies: 0
        }
    );
    assert_eq!(
        store.counts().await.unwrap(),
        hookwright_store::Counts {
            traces: 0,
            by: std::collections::BTreeMap::new()
        }
    );
}
