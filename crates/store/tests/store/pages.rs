//! Pages are newest first, and stable while traces arrive.

use hookwright_model::{Outcome, Trace, VerdictKind};
use hookwright_store::{Cursor, KnownHook, StoreError, TraceFilter, WantedHook, trace_row};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::test_store::{NOW_SECONDS, TestStore, id, ids, step, trace};

#[tokio::test]
async fn a_cursor_goes_on_where_it_was_while_newer_traces_come_in() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=7).map(|n| trace(n, n as i64, vec![])).collect::<Vec<_>>())
        .await;
    let first = store.page(&TraceFilter::default(), None, 3).await.unwrap();
    fixture
        .record(
            &store,
            &(8..=10).map(|n| trace(n, n as i64, vec![])).collect::<Vec<_>>(),
        )
        .await;
    fixture.record(&store, &[trace(11, 11, vec![])]).await;
    let next: Cursor = first.next.unwrap().to_string().parse().unwrap();
    let second = store.page(&TraceFilter::default(), Some(next), 3).await.unwrap();
    let traces: Vec<String> = second.rows.into_iter().map(|row| row.trace).collect();
    assert_eq!(traces, [id(4), id(3), id(2)]);
    let last = store.page(&TraceFilter::default(), second.next, 3).await.unwrap();
    assert_eq!((last.rows.len(), last.next), (1, None));
}

#[tokio::test]
async fn traces_of_the_same_time_are_each_listed_once() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(&store, &(1..=9).map(|n| trace(n, 0, vec![])).collect::<Vec<_>>())
        .await;
    let expected: Vec<String> = (1..=9).rev().map(id).collect();
    assert_eq!(ids(&store, &TraceFilter::default(), 2).await, expected);
}

#[tokio::test]
async fn a_row_of_a_page_is_the_row_of_its_trace_to_the_last_bit_and_character() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut odd = trace(
        1,
        0,
        vec![
            step("h", Outcome::NoOpinion, &[1.0]),
            step("i", Outcome::Denied, &[2.0]),
        ],
    );
    odd.took_ms = 0.1 + 0.2;
    odd.agent = Some("quote \" back \\ line \n nul \0 \u{2028} \u{1F600}".to_owned());
    odd.event = "事件".to_owned();
    odd.project = Some("/a\nb".to_owned());
    odd.session = Some(String::new());
    fixture.record(&store, std::slice::from_ref(&odd)).await;
    let row = store
        .page(&TraceFilter::default(), None, 1)
        .await
        .unwrap()
        .rows
        .remove(0);
    assert_eq!(row, trace_row(&odd));
}

#[tokio::test]
async fn a_rare_dialect_and_a_rare_outcome_are_found_among_others() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let traces: Vec<Trace> = (1..=60)
        .map(|n| {
            let outcome = if n % 20 == 7 {
                Outcome::Allowed
            } else {
                Outcome::NoOpinion
            };
            let mut trace = trace(n, n as i64, vec![step("h", outcome, &[1.0])]);
            if n % 20 == 7 || n % 20 == 9 {
                "qoder".clone_into(&mut trace.dialect);
            }
            trace
        })
        .collect();
    fixture.record(&store, &traces).await;
    let dialect = TraceFilter {
        dialect: Some("qoder".to_owned()),
        ..TraceFilter::default()
    };
    let allowed = TraceFilter {
        outcome: Some(Outcome::Allowed),
        ..TraceFilter::default()
    };
    let both = TraceFilter {
        outcome: Some(Outcome::Allowed),
        ..dialect.clone()
    };
    assert_eq!(ids(&store, &dialect, 4).await, [49, 47, 29, 27, 9, 7].map(id));
    assert_eq!(ids(&store, &allowed, 2).await, [47, 27, 7].map(id));
    assert_eq!(ids(&store, &both, 2).await, [47, 27, 7].map(id));
}

#[tokio::test]
async fn the_outcome_of_a_hook_is_not_that_of_another_hook_in_the_chain() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let traces = [
        trace(
            1,
            1,
            vec![
                step("a", Outcome::FailedOpen, &[1.0]),
                step("b", Outcome::NoOpinion, &[1.0]),
            ],
        ),
        trace(
            2,
            2,
            vec![
                step("a", Outcome::NoOpinion, &[1.0]),
                step("b", Outcome::FailedOpen, &[1.0]),
            ],
        ),
        trace(3, 3, vec![step("a", Outcome::NoOpinion, &[1.0])]),
    ];
    fixture.record(&store, &traces).await;
    let any_step = TraceFilter {
        hook: Some("a".to_owned()),
        outcome: Some(Outcome::FailedOpen),
        ..TraceFilter::default()
    };
    let same_step = TraceFilter {
        same_step: true,
        ..any_step.clone()
    };
    let only_hook = TraceFilter {
        outcome: None,
        ..same_step.clone()
    };
    assert_eq!(ids(&store, &any_step, 1).await, [2, 1].map(id));
    assert_eq!(ids(&store, &same_step, 1).await, [1].map(id));
    assert_eq!(ids(&store, &only_hook, 2).await, [3, 2, 1].map(id));
}

#[tokio::test]
async fn a_page_follows_a_hook_through_moves_and_edits() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let ran = |n: u64, hook: &str, version: &str| {
        let mut ran = step(hook, Outcome::NoOpinion, &[1.0]);
        version.clone_into(&mut ran.version);
        trace(n, i64::try_from(n).unwrap(), vec![ran])
    };
    let traces = [
        ran(1, "first", "mine"),
        ran(2, "second", "mine"),
        ran(3, "first", "other"),
        ran(4, "second", "edited"),
        ran(5, "second", "another"),
    ];
    fixture.record(&store, &traces).await;
    let known = |uid: &str, hook: &str, versions: &[&str]| KnownHook {
        uid: uid.to_owned(),
        dialect: "jcli".to_owned(),
        path: "/home/hooks.yaml".to_owned(),
        hook: hook.to_owned(),
        events: vec!["pre_send_message".to_owned()],
        versions: versions.iter().map(|version| (*version).to_owned()).collect(),
    };
    let all = [
        known("A", "second", &["mine", "edited"]),
        known("B", "first", &["other"]),
    ];
    let of = |uid: &str| TraceFilter {
        identity: Some(WantedHook {
            uid: uid.to_owned(),
            known: all.to_vec(),
        }),
        ..TraceFilter::default()
    };
    assert_eq!(ids(&store, &of("A"), 2).await, [4, 2, 1].map(id));
    assert_eq!(ids(&store, &of("B"), 2).await, [3].map(id));
    assert_eq!(ids(&store, &of("C"), 2).await, [""; 0]);
}

#[tokio::test]
async fn traces_that_were_imported_one_after_the_other_are_in_the_order_of_their_times() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture
        .record(
            &store,
            &(1..=9)
                .step_by(2)
                .map(|n| trace(n, n as i64, vec![]))
                .collect::<Vec<_>>(),
        )
        .await;
    let spool = fixture.spool();
    for n in (2..=8).step_by(2) {
        spool.append(&trace(n, n as i64, vec![])).unwrap();
    }
    store.import().await.unwrap();
    let expected: Vec<String> = (1..=9).rev().map(id).collect();
    for limit in [1, 2, 3, 4, 9, 20] {
        assert_eq!(
            ids(&store, &TraceFilter::default(), limit).await,
            expected,
            "{limit} a page"
        );
    }
}

#[tokio::test]
async fn a_text_that_is_no_cursor_is_refused() {
    assert!(matches!("yesterday".parse::<Cursor>(), Err(StoreError::InvalidCursor(text)) if text == "yesterday"));
}

#[tokio::test]
async fn the_beginning_of_an_id_is_enough_when_only_one_begins_so() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &[trace(1, 0, vec![])]).await;
    fixture.record(&store, &[trace(40_000_000, 0, vec![])]).await;
    let (one, other) = (id(1), id(40_000_000));
    let shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    assert_eq!(store.show(&one[..=shared]).await.unwrap().unwrap().trace, one);
    assert_eq!(
        store
            .show(&other[..=shared].to_lowercase())
            .await
            .unwrap()
            .unwrap()
            .trace,
        other
    );
    let both = store.show(&one[..shared]).await;
    assert!(matches!(both, Err(StoreError::Ambiguous { some, .. }) if some == [one, other]));
    for nothing in ["", "0", "Z", "8ZZZ", "uuuu", "日", "01ARZ3NDEKTSV4RRFFQ69G5FAVX"] {
        assert_eq!(store.show(nothing).await.unwrap_or(None), None, "{nothing}");
    }
}

#[tokio::test]
async fn event_activity_counts_since_a_time_and_has_the_newest_trace_of_all() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let at = |n: u64, after: i64, event: &str, kind: VerdictKind| {
        let mut trace = trace(n, after, vec![]);
        trace.event = event.to_owned();
        trace.verdict.kind = kind;
        trace
    };
    let mut elsewhere = at(9, 90, "stop", VerdictKind::Retry);
    elsewhere.project = Some("/work/other".to_owned());
    let mut another = at(8, 80, "stop", VerdictKind::Retry);
    another.dialect = "qoder".to_owned();
    let old = at(1, -5000, "session_start", VerdictKind::Proceed);
    let stop = [
        at(2, 10, "stop", VerdictKind::Stop),
        at(3, 20, "stop", VerdictKind::Proceed),
    ];
    fixture
        .record(&store, &[&[old, elsewhere, another], &stop[..]].concat())
        .await;
    fixture.record(&store, &[at(4, 30, "stop", VerdictKind::Retry)]).await;
    let since = Timestamp::from_second(NOW_SECONDS).unwrap();
    let activities = store
        .event_activity("/work/项目", "jcli", &["session_start", "stop", "session_end"], since)
        .await
        .unwrap();
    let seen = |event: &str| {
        let activity = &activities[event];
        (
            activity.traces,
            activity.blocked,
            activity.last.as_ref().map(|row| row.trace.clone()),
        )
    };
    assert_eq!(seen("session_start"), (0, 0, Some(id(1))));
    assert_eq!(seen("stop"), (3, 2, Some(id(4))));
    assert_eq!(seen("session_end"), (0, 0, None));

    let within_the_hour = Timestamp::from_second(NOW_SECONDS + 15).unwrap();
    let next_hour = Timestamp::from_second(NOW_SECONDS + 3600).unwrap();
    for (since, counts) in [(within_the_hour, (2, 1)), (next_hour, (0, 0))] {
        let activities = store.event_activity("/work/项目", "jcli", &["stop"], since).await;
        let stop = &activities.unwrap()["stop"];
        assert_eq!((stop.traces, stop.blocked), counts, "since {since}");
        assert_eq!(stop.last.as_ref().map(|row| row.trace.clone()), Some(id(4)));
    }
}

#[tokio::test]
async fn events_of_an_earlier_database_are_counted_when_it_is_opened() {
    let fixture = TestStore::new();
    let database = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/data-0.1.0/data/history.db"
    );
    std::fs::create_dir_all(fixture.data()).unwrap();
    std::fs::copy(database, fixture.data().join("history.db")).unwrap();
    let store = fixture.store().await;
    let rows = store.page(&TraceFilter::default(), None, 100).await.unwrap().rows;
    assert!(!rows.is_empty());
    for row in &rows {
        let (project, dialect, event) = (row.project.as_deref().unwrap_or_default(), &row.dialect, &row.event);
        let same: Vec<_> = rows
            .iter()
            .filter(|it| (&it.project, &it.dialect, &it.event) == (&row.project, dialect, event))
            .collect();
        let activities = store
            .event_activity(project, dialect, &[event], Timestamp::UNIX_EPOCH)
            .await;
        let activity = &activities.unwrap()[event];
        let blocked = same.iter().filter(|it| it.verdict.kind.blocks()).count();
        assert_eq!((activity.traces, activity.blocked), (same.len() as u64, blocked as u64));
        assert_eq!(activity.last.as_ref(), same.first().copied());
    }
}

#[tokio::test]
async fn an_event_that_is_recorded_again_counts_once() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let recorded = |outcome: Outcome, kind: VerdictKind| {
        let mut trace = trace(1, 10, vec![step("a", outcome, &[])]);
        trace.verdict.kind = kind;
        trace
    };
    let (event, since) = (
        recorded(Outcome::Detached, VerdictKind::Deny).event,
        Timestamp::UNIX_EPOCH,
    );
    for (outcome, kind, counts) in [
        (Outcome::Detached, VerdictKind::Deny, (1, 1)),
        (Outcome::NoOpinion, VerdictKind::Proceed, (1, 0)),
    ] {
        fixture.record(&store, &[recorded(outcome, kind)]).await;
        let activities = store
            .event_activity("/work/项目", "jcli", &[&event], since)
            .await
            .unwrap();
        assert_eq!((activities[&event].traces, activities[&event].blocked), counts);
    }
}

#[derive(Debug, Clone)]
struct RandomTrace {
    event: usize,
    project: usize,
    after: i64,
    verdict: VerdictKind,
    steps: Vec<(usize, Outcome)>,
    later: bool,
}

fn random_trace() -> impl Strategy<Value = RandomTrace> {
    let verdict = prop_oneof![Just(VerdictKind::Proceed), Just(VerdictKind::Deny)];
    let steps = proptest::collection::vec((0..3_usize, proptest::sample::select(Outcome::ALL.to_vec())), 0..3);
    (0..2_usize, 0..2_usize, 0..20_i64, verdict, steps, any::<bool>()).prop_map(
        |(event, project, after, verdict, steps, later)| RandomTrace {
            event,
            project,
            after,
            verdict,
            steps,
            later,
        },
    )
}

fn filter() -> impl Strategy<Value = TraceFilter> {
    let of = proptest::option::of::<BoxedStrategy<usize>>;
    let outcome = proptest::option::of(proptest::sample::select(Outcome::ALL.to_vec()));
    let verdict = proptest::option::of(prop_oneof![Just(VerdictKind::Deny), Just(VerdictKind::Proceed)]);
    (
        of((0..3_usize).boxed()),
        of((0..2_usize).boxed()),
        of((0..3_usize).boxed()),
        outcome,
        verdict,
        of((0..20_usize).boxed()),
        of((0..20_usize).boxed()),
        any::<bool>(),
    )
        .prop_map(
            |(event, project, hook, outcome, verdict, since, until, same_step)| TraceFilter {
                event: event.map(|n| format!("event{n}")),
                project: project.map(|n| format!("/p{n}")),
                hook: hook.map(|n| format!("h{n}")),
                identity: None,
                outcome,
                same_step,
                verdict,
                dialect: None,
                since: since.map(|n| Timestamp::from_second(NOW_SECONDS + n as i64).unwrap()),
                until: until.map(|n| Timestamp::from_second(NOW_SECONDS + n as i64).unwrap()),
            },
        )
}

/// Whether a trace meets all conditions of a filter.
fn matches(filter: &TraceFilter, trace: &Trace) -> bool {
    let is =
        |wanted: &Option<String>, value: Option<&str>| wanted.as_deref().is_none_or(|wanted| value == Some(wanted));
    is(&filter.project, trace.project.as_deref())
        && is(&filter.event, Some(&trace.event))
        && is(&filter.dialect, Some(&trace.dialect))
        && filter
            .outcome
            .is_none_or(|outcome| trace.steps.iter().any(|step| step.outcome == outcome))
        && filter
            .hook
            .as_ref()
            .is_none_or(|hook| trace.steps.iter().any(|step| step.hook == *hook))
        && (!filter.same_step
            || trace.steps.iter().any(|step| {
                filter.hook.as_ref().is_none_or(|hook| step.hook == *hook)
                    && filter.outcome.is_none_or(|outcome| step.outcome == outcome)
            })
            || filter.hook.is_none()
            || filter.outcome.is_none())
        && filter.verdict.is_none_or(|verdict| trace.verdict.kind == verdict)
        && filter.since.is_none_or(|since| trace.at >= since)
        && filter.until.is_none_or(|until| trace.at < until)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_filter_lists_exactly_what_it_matches(all in proptest::collection::vec(random_trace(), 0..25), filter in filter(), limit in 1_u32..7) {
        let traces: Vec<_> = all.iter().zip(1_u64..).map(|(fired, n)| {
            let steps = fired.steps.iter().map(|(hook, outcome)| step(&format!("h{hook}"), *outcome, &[])).collect();
            let mut trace = trace(n, fired.after, steps);
            trace.event = format!("event{}", fired.event);
            trace.project = Some(format!("/p{}", fired.project));
            trace.verdict.kind = fired.verdict;
            (trace, fired.later)
        }).collect();
        let mut expected: Vec<_> = traces.iter().filter(|(trace, _)| matches(&filter, trace)).map(|(trace, _)| (trace.at, trace.trace.clone())).collect();
        expected.sort_by(|a, b| b.cmp(a));
        let expected: Vec<String> = expected.into_iter().map(|(_, id)| id).collect();
        let listed = tokio::runtime::Runtime::new().unwrap().block_on(async {
            let fixture = TestStore::new();
            let store = fixture.store().await;
            let of = |later: bool| traces.iter().filter(move |it| it.1 == later).map(|it| it.0.clone()).collect::<Vec<_>>();
            fixture.record(&store, &of(false)).await;
            fixture.record(&store, &of(true)).await;
            ids(&store, &filter, limit).await
        });
        prop_assert_eq!(listed, expected);
    }
}
