//! Compares metrics with a count by hand.

use std::collections::BTreeMap;

use hookwright_model::trace::Trace;
use hookwright_model::{End, Outcome, VerdictKind};
use hookwright_store::{EventBar, HookStats, MetricsFilter};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::test_store::{NOW_SECONDS, TestStore, step, trace};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

#[tokio::test]
async fn a_first_attempt_that_fails_and_a_second_that_succeeds_are_two_one_one() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let steps = vec![
        step("a", Outcome::Allowed, &[3.0, 4.0]),
        step("b", Outcome::NotMatched, &[]),
        step("c", Outcome::Skipped, &[]),
        step("d", Outcome::FailedOpen, &[]),
        step("e", Outcome::Changed, &[]),
    ];
    fixture.record(&store, &[trace(1, -60, steps)]).await;
    let stats = store
        .metrics(&MetricsFilter::since(at(NOW_SECONDS - 3600)))
        .await
        .unwrap()
        .hooks;
    let counters = |n: usize| {
        (
            stats[n].attempts,
            stats[n].successes,
            stats[n].failures,
            stats[n].total_ms,
        )
    };
    assert_eq!(counters(0), (2, 1, 1, 7.0));
    assert_eq!(counters(1), (0, 0, 0, 0.0));
    assert_eq!(counters(2), (0, 0, 0, 0.0), "muted is not skipped");
    assert_eq!(stats[1].outcomes, [(Outcome::NotMatched, 1)].into());
    assert_eq!((stats[0].runs, stats[0].max_ms, stats[0].p99_ms), (1, 7.0, 7.0));
    assert_eq!(stats[2].outcomes, [(Outcome::Skipped, 1)].into());
    assert_eq!(
        (stats[3].runs, stats[3].outcomes.clone()),
        (0, [(Outcome::FailedOpen, 1)].into()),
        "its filter gave up: nothing ran"
    );
    assert_eq!(stats[4].runs, 1, "a text that was inserted has no attempts");
}

#[tokio::test]
async fn a_cancelled_attempt_is_not_counted_and_those_before_it_are() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut alone = step("a", Outcome::Skipped, &[9.0]);
    let mut again = step("b", Outcome::Skipped, &[3.0, 9.0]);
    for stopped in [&mut alone, &mut again] {
        stopped.attempts.last_mut().unwrap().end = End::Cancelled;
    }
    fixture.record(&store, &[trace(1, -60, vec![alone, again])]).await;
    let stats = store
        .metrics(&MetricsFilter::since(at(NOW_SECONDS - 3600)))
        .await
        .unwrap()
        .hooks;
    let counters = |n: usize| {
        let row = &stats[n];
        (row.runs, row.attempts, row.failures, row.total_ms)
    };
    assert_eq!(counters(0), (0, 0, 0, 0.0));
    assert_eq!(counters(1), (0, 1, 1, 3.0));
    assert_eq!(stats[0].outcomes, [(Outcome::Skipped, 1)].into());
}

#[tokio::test]
async fn a_project_hook_has_a_row_for_each_project_and_definition_and_a_user_hook_one_in_all() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut all = Vec::new();
    for (n, project, label) in [(1, "/p", "old.sh"), (2, "/p", "new.sh"), (3, "/q", "new.sh")] {
        let mut project_step = step("jcli:project:e:0", Outcome::Allowed, &[1.0]);
        project_step.source.layer = hookwright_model::Layer::Project;
        label.clone_into(&mut project_step.label);
        let mut trace = trace(
            n,
            -10,
            vec![project_step, step("jcli:user:e:0", Outcome::Allowed, &[1.0])],
        );
        trace.project = Some(project.to_owned());
        all.push(trace);
    }
    fixture.record(&store, &all).await;
    let rows = async |project: Option<&str>| {
        let stats = store
            .metrics(&MetricsFilter {
                project: project.map(str::to_owned),
                ..MetricsFilter::since(at(NOW_SECONDS - 600))
            })
            .await
            .unwrap()
            .hooks;
        stats
            .into_iter()
            .map(|row| (row.project, row.label, row.runs))
            .collect::<Vec<_>>()
    };
    let row = |project: Option<&str>, label: &str, runs| (project.map(str::to_owned), label.to_owned(), runs);
    let user_row = row(None, "jcli:user:e:0.sh", 3);
    assert_eq!(
        rows(None).await,
        [
            user_row.clone(),
            row(Some("/p"), "new.sh", 1),
            row(Some("/p"), "old.sh", 1),
            row(Some("/q"), "new.sh", 1)
        ]
    );
    assert_eq!(rows(Some("/q")).await, [user_row, row(Some("/q"), "new.sh", 1)]);
}

#[tokio::test]
async fn a_new_version_of_a_hook_begins_another_row() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let [old, new] = ["00000000000000aa", "00000000000000bb"];
    let with = |n: u64, version: &str| {
        let mut versioned = step("a", Outcome::Allowed, &[1.0]);
        version.clone_into(&mut versioned.version);
        trace(n, -10, vec![versioned])
    };
    let spool = fixture.spool();
    let rows = async || {
        let stats = store
            .metrics(&MetricsFilter::since(at(NOW_SECONDS - 600)))
            .await
            .unwrap()
            .hooks;
        stats
            .into_iter()
            .map(|row| (row.version, row.label, row.runs))
            .collect::<Vec<_>>()
    };
    let row = |version: &str, runs| (version.to_owned(), "a.sh".to_owned(), runs);
    for (n, version) in [(1, ""), (2, old), (3, old), (4, new)] {
        spool.append(&with(n, version)).unwrap();
    }
    let wanted = [row(old, 2), row(new, 1), row("", 1)];
    store.import().await.unwrap();
    assert_eq!(rows().await, wanted);
}

#[tokio::test]
async fn bars_fill_the_span_they_are_asked_for() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut all: Vec<Trace> = (0..8)
        .map(|n| trace(n + 1, -(n as i64) * 1800, vec![step("a", Outcome::Denied, &[1.0])]))
        .collect();
    all[3].verdict.kind = VerdictKind::Deny;
    fixture.record(&store, &all[1..]).await;
    fixture.record(&store, &all[..1]).await;
    let sum = |bars: &[EventBar]| bars.iter().flat_map(|bar| bar.outcomes.values()).sum::<u64>();
    for (back, buckets) in [(4 * 3600, 8), (4 * 3600, 48), (30 * 86_400, 60), (4 * 3600, 1000)] {
        let bars = store
            .bars(Some("/work/项目"), at(NOW_SECONDS - back), buckets)
            .await
            .unwrap();
        assert_eq!((bars.len(), sum(&bars)), (buckets as usize, 8), "{back} s in {buckets}");
        assert_eq!(bars[0].at, at(NOW_SECONDS - back));
        let (events, blocked) = bars.iter().fold((0, 0), |(events, blocked), bar| {
            (events + bar.events, blocked + bar.blocked)
        });
        assert_eq!((events, blocked), (8, 1), "{back} s in {buckets}");
    }
    assert_eq!(
        sum(&store
            .bars(Some("/elsewhere"), at(NOW_SECONDS - 14_400), 8)
            .await
            .unwrap()),
        0
    );
    let stats = store
        .metrics(&MetricsFilter::since(at(NOW_SECONDS - 60)))
        .await
        .unwrap()
        .hooks;
    assert_eq!(stats[0].runs, 1, "a minute back");
    assert_eq!(
        (
            stats[0].bars.len(),
            stats[0].bars.iter().flat_map(|bar| bar.outcomes.values()).sum::<u64>()
        ),
        (24, 8),
        "a day, whatever was asked for"
    );
}

/// Counts over the traces themselves.
fn count_by_hand(traces: &[Trace], since: i64) -> BTreeMap<String, HookStats> {
    let mut rows: BTreeMap<String, (HookStats, Vec<u64>)> = BTreeMap::new();
    for trace in traces.iter().filter(|trace| trace.at.as_second() >= since) {
        for step in &trace.steps {
            let empty = || {
                (
                    HookStats {
                        hook: step.hook.clone(),
                        ..empty_stats(step.label.clone())
                    },
                    Vec::new(),
                )
            };
            let (row, times) = rows.entry(step.hook.clone()).or_insert_with(empty);
            *row.outcomes.entry(step.outcome).or_default() += 1;
            row.attempts += step.attempts.len() as u64;
            let word = step.outcome.as_str();
            let failed = word.starts_with("failed") || word.starts_with("timed");
            let never = failed && step.attempts.is_empty();
            row.runs += u64::from(step.outcome.ran() && !never);
            if never {
                *row.counted.entry("never_ran".to_owned()).or_default() += 1;
            }
            let broke = failed || !step.outcome.ran();
            row.successes += u64::from(!step.attempts.is_empty() && !broke);
            row.timeouts += step
                .attempts
                .iter()
                .filter(|attempt| attempt.end == End::TimedOut)
                .count() as u64;
            row.chars_added += 3 * step.edits.len() as u64;
            if !step.attempts.is_empty() {
                times.push(
                    step.attempts
                        .iter()
                        .map(|attempt| (attempt.took_ms * 1000.0).round() as u64)
                        .sum(),
                );
            }
        }
    }
    let finish = |(hook, (mut row, mut times)): (String, (HookStats, Vec<u64>))| {
        times.sort_unstable();
        let nth = |share: f64| {
            times
                .get(((share * times.len() as f64).ceil() as usize).saturating_sub(1))
                .copied()
                .unwrap_or(0) as f64
                / 1000.0
        };
        row.failures = row.attempts - row.successes;
        row.total_ms = times.iter().sum::<u64>() as f64 / 1000.0;
        (row.p50_ms, row.p95_ms, row.p99_ms, row.max_ms) = (nth(0.5), nth(0.95), nth(0.99), nth(1.0));
        (hook, row)
    };
    rows.into_iter().map(finish).collect()
}

fn empty_stats(label: String) -> HookStats {
    HookStats {
        uid: None,
        hook: String::new(),
        project: None,
        label,
        version: String::new(),
        dialect: "jcli".to_owned(),
        event: "pre_send_message".to_owned(),
        runs: 0,
        outcomes: BTreeMap::new(),
        attempts: 0,
        successes: 0,
        failures: 0,
        timeouts: 0,
        total_ms: 0.0,
        p50_ms: 0.0,
        p95_ms: 0.0,
        p99_ms: 0.0,
        max_ms: 0.0,
        chars_added: 0,
        counted: BTreeMap::new(),
        bars: Vec::new(),
        p95_series: Vec::new(),
    }
}

/// Age in seconds, steps, and whether the trace is imported later than the others.
type Random = (i64, Vec<(usize, Outcome, Vec<f64>)>, bool);

fn random_trace() -> impl Strategy<Value = Random> {
    let took = proptest::collection::vec(0.0..60_000.0_f64, 0..3);
    let step = (0..3_usize, proptest::sample::select(Outcome::ALL.to_vec()), took);
    (0_i64..40 * 86_400, proptest::collection::vec(step, 0..4), any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rollups_equal_a_count_by_hand(all in proptest::collection::vec(random_trace(), 0..40), back in 0_i64..40 * 86_400) {
        let make = |(n, (age, steps, _)): (u64, &Random)| {
            // A hook is at most once in a trace.
            let unique: BTreeMap<usize, _> = steps.iter().map(|it| (it.0, it)).collect();
            trace(n, -age, unique.values().map(|(hook, outcome, took)| step(&format!("h{hook}"), *outcome, took)).collect())
        };
        let traces: Vec<Trace> = (1..).zip(&all).map(make).collect();
        // Rounded as in the store: to the minute within two days, to the hour before.
        let since = NOW_SECONDS - back;
        let grain = if since < NOW_SECONDS - 2 * 86_400 + 3600 { 3600 } else { 60 };
        let expected = count_by_hand(&traces, since.div_euclid(grain) * grain);
        let found = tokio::runtime::Runtime::new().unwrap().block_on(async {
            let fixture = TestStore::new();
            let store = fixture.store().await;
            let of = |later: bool| traces.iter().zip(&all).filter(|it| it.1.2 == later).map(|it| it.0.clone()).collect::<Vec<_>>();
            fixture.record(&store, &of(false)).await;
            fixture.record(&store, &of(true)).await;
            store.metrics(&MetricsFilter::since(at(since))).await.unwrap().hooks
        });
        prop_assert_eq!(found.len(), expected.len());
        for row in found {
            let counted = &expected[&row.hook];
            for (found, exact) in [(row.p50_ms, counted.p50_ms), (row.p95_ms, counted.p95_ms), (row.p99_ms, counted.p99_ms)] {
                prop_assert!(found >= exact - 0.001 && found <= exact * 1.0325 + 0.001, "{found} for {exact}");
            }
            prop_assert!((row.total_ms - counted.total_ms).abs() < 0.002);
            let same = HookStats {
                p50_ms: counted.p50_ms, p95_ms: counted.p95_ms, p99_ms: counted.p99_ms,
                total_ms: counted.total_ms, bars: Vec::new(), ..row
            };
            let max = same.max_ms;
            prop_assert!(max >= counted.max_ms - 0.001, "{max} for {}", counted.max_ms);
            prop_assert_eq!(HookStats { max_ms: counted.max_ms, ..same }, counted.clone());
        }
    }
}
