//! Metrics over time, of a period that has ended, and of one agent or session.

use hookwright_model::Outcome;
use hookwright_model::trace::Trace;
use hookwright_store::{HookStats, MAX_COUNTED_TRACES, Metrics, MetricsFilter, Store};
use jiff::Timestamp;

use crate::test_store::{NOW_SECONDS, TestStore, step, trace};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

/// The steps of the last `back` seconds, over time.
fn last(back: i64) -> MetricsFilter {
    MetricsFilter {
        series: true,
        ..MetricsFilter::since(at(NOW_SECONDS - back))
    }
}

/// A trace in which hook `a` ran for 3 ms.
fn ran(n: u64, after: i64, outcome: Outcome) -> Trace {
    trace(
        n,
        after,
        vec![step("a", outcome, &[3.0]), step("b", Outcome::NotMatched, &[])],
    )
}

fn total(stats: &[HookStats], outcome: Outcome) -> u64 {
    stats.iter().filter_map(|row| row.outcomes.get(&outcome)).sum()
}

fn series_total(metrics: &Metrics, outcome: Outcome) -> u64 {
    let buckets = &metrics.series.as_ref().unwrap().buckets;
    buckets.iter().filter_map(|bucket| bucket.outcomes.get(&outcome)).sum()
}

async fn metrics(store: &Store, filter: &MetricsFilter) -> Metrics {
    store.metrics(filter).await.unwrap()
}

#[tokio::test]
async fn the_series_of_every_range_adds_up_to_the_rows() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let outcomes = [Outcome::Allowed, Outcome::Denied, Outcome::FailedOpen];
    let traces: Vec<Trace> = (0..120)
        .map(|n| ran(n + 1, -(n as i64).pow(3) * 5, outcomes[n as usize % 3]))
        .collect();
    fixture.record(&store, &traces).await;
    for back in [15 * 60, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY, 90 * DAY] {
        let found = metrics(&store, &last(back)).await;
        for outcome in outcomes {
            assert!(total(&found.hooks, outcome) > 0, "{back}: {found:?}");
            assert_eq!(total(&found.hooks, outcome), series_total(&found, outcome), "{back}");
        }
        let series = found.series.unwrap();
        assert!(
            (15..=64).contains(&series.buckets.len()),
            "{back}: {}",
            series.buckets.len()
        );
        let first = series.buckets[0].at.as_second();
        assert!(first <= NOW_SECONDS - back && NOW_SECONDS - back - first < series.width.max(HOUR));
        let plain = metrics(
            &store,
            &MetricsFilter {
                series: false,
                ..last(back)
            },
        )
        .await;
        let p95 = found.hooks[0].p95_series.iter().flatten().count();
        assert!(
            p95 > 0 && found.hooks[1].p95_series.iter().all(Option::is_none),
            "b never ran"
        );
        let without = |row: HookStats| HookStats {
            p95_series: Vec::new(),
            ..row
        };
        assert_eq!(found.hooks.into_iter().map(without).collect::<Vec<_>>(), plain.hooks);
    }
}

#[tokio::test]
async fn a_period_that_has_ended_leaves_out_what_came_later() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let traces: Vec<Trace> = (0..10)
        .map(|n| ran(n + 1, -(n as i64) * 600 - 30, Outcome::Allowed))
        .collect();
    fixture.record(&store, &traces).await;
    let runs = async |since: i64, until: i64| {
        let filter = MetricsFilter {
            until: Some(at(NOW_SECONDS - until)),
            ..last(since)
        };
        let found = metrics(&store, &filter).await;
        assert_eq!(
            total(&found.hooks, Outcome::Allowed),
            series_total(&found, Outcome::Allowed)
        );
        total(&found.hooks, Outcome::Allowed)
    };
    assert_eq!(runs(HOUR, 0).await, 6);
    assert_eq!(runs(HOUR, 1800).await, 3);
    assert_eq!(runs(2 * HOUR, 1800).await, 7);
    assert_eq!(runs(2 * HOUR, -HOUR).await, 10, "an end in the future is none");
}

#[tokio::test]
async fn the_traces_of_an_agent_give_the_same_figures_as_the_rollups() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut traces: Vec<Trace> = (0..40)
        .map(|n| ran(n + 1, -(n as i64) * 1000, Outcome::Denied))
        .collect();
    fixture.record(&store, &traces).await;
    let filter = last(DAY);
    let all = metrics(&store, &filter).await;
    let one = MetricsFilter {
        agent: Some("j".to_owned()),
        ..filter
    };
    assert_eq!(metrics(&store, &one).await, all);

    traces = (0..5)
        .map(|n| ran(n + 100, -(n as i64) * 1000, Outcome::Allowed))
        .collect();
    for trace in &mut traces {
        trace.agent = Some("q".to_owned());
        trace.session = Some("s1".to_owned());
    }
    fixture.record(&store, &traces).await;
    assert_eq!(metrics(&store, &one).await, all);
    let session = MetricsFilter {
        session: Some("s1".to_owned()),
        ..last(DAY)
    };
    let found = metrics(&store, &session).await;
    assert_eq!(
        (found.hooks[0].runs, found.hooks[1].runs, found.counted_from),
        (5, 0, None)
    );
    let nobody = MetricsFilter {
        session: Some("s2".to_owned()),
        ..last(DAY)
    };
    assert_eq!(metrics(&store, &nobody).await.hooks, []);
}

#[tokio::test]
async fn only_the_hooks_of_a_dialect_or_of_a_name_are_counted() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut other = ran(2, -20, Outcome::Allowed);
    other.dialect = "qoder".to_owned();
    fixture.record(&store, &[ran(1, -10, Outcome::Denied), other]).await;
    let names = async |filter: MetricsFilter| {
        let found = metrics(&store, &filter).await;
        let outcomes = [Outcome::Denied, Outcome::Allowed].map(|outcome| series_total(&found, outcome));
        let row = |row: HookStats| format!("{} {}", row.dialect, row.hook);
        (found.hooks.into_iter().map(row).collect::<Vec<_>>(), outcomes)
    };
    let some = |text: &str| Some(text.to_owned());
    let of_dialect = MetricsFilter {
        dialect: some("qoder"),
        ..last(HOUR)
    };
    assert_eq!(
        names(of_dialect).await,
        (vec!["qoder a".to_owned(), "qoder b".to_owned()], [0, 1])
    );
    for name in ["a", "a.sh"] {
        let of_hook = MetricsFilter {
            hook: some(name),
            ..last(HOUR)
        };
        assert_eq!(
            names(of_hook).await,
            (vec!["jcli a".to_owned(), "qoder a".to_owned()], [1, 1])
        );
    }
}

#[tokio::test]
async fn traces_that_were_removed_are_said_to_be_not_counted() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let old: Vec<Trace> = (0..5)
        .map(|n| ran(n + 1, -(n as i64) * 60 - 5 * HOUR, Outcome::Denied))
        .collect();
    fixture.record(&store, &old).await;
    fixture.record(&store, &[ran(9, -10, Outcome::Denied)]).await;
    let filter = MetricsFilter {
        agent: Some("j".to_owned()),
        ..last(DAY)
    };
    assert_eq!(metrics(&store, &filter).await.counted_from, None);
    // Metrics stay when traces are removed to free space.
    let mut other = fixture.connect().await;
    sqlx::query("DELETE FROM traces WHERE at_ns < ?")
        .bind((NOW_SECONDS - HOUR) * 1_000_000_000)
        .execute(&mut other)
        .await
        .unwrap();
    let found = metrics(&store, &filter).await;
    assert_eq!(
        (
            found.hooks[0].runs,
            total(&metrics(&store, &last(DAY)).await.hooks, Outcome::Denied)
        ),
        (1, 6)
    );
    assert_eq!(found.counted_from.map(Timestamp::as_second), Some(NOW_SECONDS - 10));
}

#[tokio::test]
async fn only_the_newest_traces_are_counted_and_the_reply_says_from_when() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[ran(1, -10, Outcome::Denied)]).await;
    let mut other = fixture.connect().await;
    // Copies of the trace, each a millisecond older than the one before.
    let copies = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO";
    for copy in [
        "traces (seq, id, at_ns, took_ms, dialect, event, project, origin, agent, about, outcomes, reply_code, redacted) \
         SELECT seq + i, randomblob(16), at_ns - i * 1000000, took_ms, dialect, event, project, origin, agent, about, outcomes, \
                reply_code, redacted FROM traces, n WHERE seq = 1",
        "steps (seq, n, hook, outcome, took_us, gates, rest) \
         SELECT seq + i, steps.n, hook, outcome, took_us, gates, rest FROM steps, n WHERE seq = 1",
    ] {
        let sql = format!("{copies} {copy}");
        let copied = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(MAX_COUNTED_TRACES)
            .execute(&mut other)
            .await;
        copied.unwrap();
    }
    let filter = MetricsFilter {
        agent: Some("j".to_owned()),
        ..last(HOUR)
    };
    let found = metrics(&store, &filter).await;
    assert_eq!(total(&found.hooks, Outcome::Denied), u64::from(MAX_COUNTED_TRACES));
    assert_eq!(
        found.counted_from.map(Timestamp::as_second),
        Some(NOW_SECONDS - 10 - i64::from(MAX_COUNTED_TRACES) / 1000)
    );
    assert_eq!(found.hooks[0].bars, [], "the last hours have more traces, too");
}
