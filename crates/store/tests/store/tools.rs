//! What is counted about the calls of tools.

use hookwright_model::trace::{Step, Trace};
use hookwright_model::{Outcome, ToolCalls, ToolCounts, VerdictKind};
use hookwright_store::{MetricsFilter, Store, ToolStats};
use jiff::Timestamp;
use serde_json::json;

use crate::test_store::{NOW_SECONDS, TestStore, step, trace};

/// The counted calls, in the names of the sample traces.
const CALLS: ToolCalls = ToolCalls {
    event: "pre_send_message",
    input: "user_input",
    blocks: VerdictKind::Deny,
};

fn call(n: u64, tool: &str, verdict: VerdictKind, steps: Vec<Step>) -> Trace {
    let mut call = trace(n, -60, steps);
    std::sync::Arc::make_mut(&mut call.payload_before).insert("tool_name".to_owned(), json!(tool));
    call.verdict.kind = verdict;
    call.took_ms = 2.5;
    call
}

fn calls() -> [Trace; 6] {
    let ran = || step("a", Outcome::NoOpinion, &[1.0]);
    let edits = || step("b", Outcome::Changed, &[1.0]);
    let mut elsewhere = call(5, "Shell", VerdictKind::Proceed, vec![ran()]);
    elsewhere.project = None;
    [
        call(1, "Shell", VerdictKind::Proceed, vec![ran(), edits()]),
        call(
            2,
            "Shell",
            VerdictKind::Deny,
            vec![edits(), step("c", Outcome::Denied, &[1.0])],
        ),
        call(
            3,
            "Shell",
            VerdictKind::Proceed,
            vec![step("a", Outcome::NotMatched, &[])],
        ),
        call(4, "Read", VerdictKind::Proceed, vec![ran()]),
        elsewhere,
        trace(6, -60, vec![ran()]),
    ]
}

fn row(tool: &str, project: Option<&str>, [calls, blocked, modified]: [u64; 3]) -> ToolStats {
    ToolStats {
        tool: tool.to_owned(),
        project: project.map(str::to_owned),
        counts: ToolCounts {
            calls,
            blocked,
            modified,
            total_ms: 2.5 * calls as f64,
        },
    }
}

fn expected() -> [ToolStats; 3] {
    [
        row("Shell", None, [1, 0, 0]),
        row("Read", Some("/work/项目"), [1, 0, 0]),
        row("Shell", Some("/work/项目"), [2, 1, 1]),
    ]
}

async fn tool_stats(store: &Store, project: Option<&str>) -> Vec<ToolStats> {
    let since = Timestamp::from_second(NOW_SECONDS - 3600).unwrap();
    let filter = MetricsFilter {
        project: project.map(str::to_owned),
        ..MetricsFilter::since(since)
    };
    store.tools("jcli", &CALLS, &filter).await.unwrap()
}

#[tokio::test]
async fn a_call_counts_when_a_hook_ran_for_it() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    fixture.record(&store, &calls()).await;
    assert_eq!(tool_stats(&store, None).await, expected());
    assert_eq!(tool_stats(&store, Some("/work/项目")).await, expected()[1..]);
    let since = Timestamp::from_second(NOW_SECONDS - 3600).unwrap();
    assert_eq!(
        store
            .tools("qoder", &CALLS, &MetricsFilter::since(since))
            .await
            .unwrap(),
        []
    );
}

#[tokio::test]
async fn a_call_that_is_recorded_again_counts_once() {
    let fixture = TestStore::new();
    let store = fixture.store().await;
    let mut early = call(
        1,
        "Shell",
        VerdictKind::Proceed,
        vec![step("a", Outcome::Detached, &[1.0])],
    );
    early.took_ms = 9.0;
    fixture.record(&store, &[early]).await;
    fixture.record(&store, &calls()).await;
    assert_eq!(tool_stats(&store, None).await, expected());
}
