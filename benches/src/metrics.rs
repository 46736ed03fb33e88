//! Goal 14: the metrics of every hook, against a `GROUP BY` over the raw tables.

use std::path::Path;
use std::time::Instant;

use hookwright_model::{Clock, Trace};
use hookwright_store::{MetricsFilter, Store};
use jiff::{SignedDuration, Timestamp};
use sqlx::{Connection, SqliteConnection};

use crate::Finding;
use crate::history::{BEGIN, MAX_ROUNDS, TRACES, fail, fill_with, trace};
use crate::stats::{Ratio, Shuffle};

const DAY: i64 = 86_400;
/// The traces are spread over so many days, and the clock stands at their end.
const DAYS: i64 = 30;

fn now() -> Timestamp {
    Timestamp::from_second(BEGIN + DAYS * DAY).unwrap_or_else(|error| fail(error))
}

/// A trace of the large history, at its part of the 30 days.
fn spread_trace(n: u64) -> Trace {
    let mut spread = trace(n);
    let after = SignedDuration::from_millis(n as i64 * (DAYS * DAY * 1000 / TRACES as i64));
    spread.at = Timestamp::from_second(BEGIN).unwrap_or_else(|error| fail(error)) + after;
    spread
}

/// What is asked; the first one is the goal's.
fn questions() -> Vec<(&'static str, MetricsFilter)> {
    let last = |days: i64| MetricsFilter::since(now() - SignedDuration::from_hours(24 * days));
    let over_time = |days: i64| MetricsFilter {
        series: true,
        ..last(days)
    };
    let of_agent = MetricsFilter {
        agent: Some("j".to_owned()),
        ..over_time(1)
    };
    vec![
        ("30 days", last(30)),
        ("30 days over time", over_time(30)),
        ("90 days over time", over_time(90)),
        ("7 days over time", over_time(7)),
        ("24 hours over time", over_time(1)),
        ("24 hours of an agent", of_agent),
    ]
}

/// Goal 14: the metrics of every hook over 30 days and 1,000,000 traces, against a `GROUP BY` over the raw tables.
pub fn group_by(rounds: usize) -> Finding {
    let dir = tempfile::tempdir().unwrap_or_else(|error| fail(error));
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(error));
    runtime.block_on(async {
        let store = fill_with(dir.path(), Clock::new(now), spread_trace).await;
        compare(&store, dir.path(), rounds).await
    })
}

async fn compare(store: &Store, data: &Path, rounds: usize) -> Finding {
    let database = data.join("history.db");
    let mut other = SqliteConnection::connect(&database.to_string_lossy())
        .await
        .unwrap_or_else(|error| fail(error));
    let questions = questions();
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); questions.len()];
    let mut shuffle = Shuffle::new(0x3e7a);
    for _ in 0..rounds.clamp(1, MAX_ROUNDS) {
        let floor = read_raw(&mut other).await;
        for which in shuffle.order(questions.len()) {
            let start = Instant::now();
            let metrics = store.metrics(&questions[which].1).await;
            let took = start.elapsed().as_secs_f64();
            assert!(metrics.unwrap_or_else(|error| fail(error)).hooks.len() >= 40);
            ratios[which].push(took / floor);
        }
    }
    let names = questions.iter().map(|(name, _)| *name);
    Finding {
        ratios: names
            .zip(ratios)
            .map(|(name, values)| (name, Ratio::from_values(values)))
            .collect(),
        control: None,
        goal: 0.01,
        unit: "×",
    }
}

/// The seconds of the same counts without rollups.
async fn read_raw(connection: &mut SqliteConnection) -> f64 {
    let start = Instant::now();
    let rows = sqlx::query(
        "SELECT s.hook, s.outcome, count(*), sum(s.took_us), max(s.took_us) \
         FROM traces t JOIN steps s ON s.seq = t.seq WHERE t.at_ns >= ? GROUP BY s.hook, s.outcome",
    )
    .bind(BEGIN * 1_000_000_000)
    .fetch_all(connection)
    .await
    .unwrap_or_else(|error| fail(error));
    assert!(!rows.is_empty());
    start.elapsed().as_secs_f64()
}
