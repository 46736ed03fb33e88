//! Goals 13 and 22: pages of a large history, and the bytes of one large event.

use std::path::Path;
use std::time::{Duration, Instant};

use hookwright_model::{Catalog, Clock, CompactTrace, Outcome, Trace};
use hookwright_store::{AccessMode, Cursor, MetricsFilter, Spool, Store, TraceFilter};
use hookwright_workspace::wall_clock;
use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

use crate::Finding;
use crate::stats::{Ratio, Shuffle};

/// The traces of the large history.
pub const TRACES: u64 = 1_000_000;
/// Traces that are imported together while it is filled.
const CHUNK: u64 = 5_000;
/// Rows of a page.
const ROWS: u32 = 100;
/// Rounds of the page benchmark. The floor takes long.
pub const MAX_ROUNDS: usize = 60;
/// 2026-01-01, in seconds since 1970.
pub const BEGIN: i64 = 1_767_225_600;

/// The words of generated texts.
const WORDS: [&str; 32] = [
    "please",
    "tidy",
    "the",
    "build",
    "folder",
    "and",
    "run",
    "tests",
    "again",
    "because",
    "a",
    "hook",
    "changed",
    "file",
    "src/main.rs",
    "error:",
    "expected",
    "found",
    "line",
    "return",
    "value",
    "config",
    "user",
    "project",
    "agent",
    "session",
    "commit",
    "branch",
    "merge",
    "server",
    "request",
    "response",
];

/// A text of about so many bytes: words in a random order.
pub fn text(bytes: usize, seed: u64) -> String {
    let mut shuffle = Shuffle::new(seed);
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        for at in shuffle.order(WORDS.len()) {
            text.push_str(WORDS[at]);
            text.push(' ');
        }
        text.push_str(&format!("{:x} ", shuffle.order(1000)[0]));
    }
    text.truncate(bytes);
    text
}

pub fn fail(error: impl std::fmt::Display) -> ! {
    panic!("{error}")
}

/// One of the traces: 20 events, 50 projects, 40 hooks; one in a thousand is denied, one in 4,000 allowed, and one in
/// 4,000 is of another dialect.
pub fn trace(n: u64) -> Trace {
    let denied = n.is_multiple_of(1000);
    let dialect = if n % 4000 == 7 { "qoder" } else { "jcli" };
    let at = Timestamp::from_second(BEGIN + n as i64).unwrap_or_else(|error| fail(error));
    let outcome = match n % 4000 {
        _ if denied => "denied",
        3 => "allowed",
        _ => "no_opinion",
    };
    let kind = if denied { "deny" } else { "proceed" };
    let attempt = json!({
        "end": "exit", "code": 0, "signal": null, "stdin": "{}", "stdout": "{}", "stderr": "", "started_ms": 0.1,
        "took_ms": 3.0, "truncated": false, "command": [], "cwd": null, "env": []
    });
    let step = json!({
        "hook": format!("jcli:user:event:{}", n % 40), "label": "guard.sh", "position": 1, "order": 1,
        "source": {"layer": "user", "path": "/home/me/.jdata/agent/hooks.yaml", "line": 2}, "handler": "shell",
        "outcome": outcome, "reason": null, "code": null, "args": {}, "gates": [], "edits": [], "ignored": [],
        "attempts": [attempt]
    });
    let payload = json!({"user_input": "please tidy the build folder", "n": n});
    let verdict = json!({"kind": kind, "reason": null, "feedback": null, "by": null, "code": null, "args": {}});
    let mut document = json!({
        "trace": ulid::Ulid::from_parts((BEGIN as u64 + n) * 1000, u128::from(n)).to_string(),
        "dialect": dialect, "event": format!("event_{}", n % 20), "origin": "agent", "session": null, "agent": "j",
        "project": format!("/home/me/project_{}", n % 50), "at": at.to_string(), "took_ms": 3.5, "verdict": verdict
    });
    document["payload_before"] = payload.clone();
    document["payload_after"] = payload;
    document["reply"] = json!({"json": {}, "exit_code": 0, "stderr": ""});
    document["notices"] = json!([]);
    document["redacted"] = json!(false);
    document["steps"] = json!([step]);
    serde_json::from_value(document).unwrap_or_else(|error| fail(error))
}

async fn fill(data: &Path) -> Store {
    fill_with(data, wall_clock(), trace).await
}

/// Records [`TRACES`] traces.
pub async fn fill_with(data: &Path, clock: Clock, trace: impl Fn(u64) -> Trace) -> Store {
    let catalog = Catalog::default();
    let store = Store::open(data, AccessMode::Write, clock, catalog.clone()).await;
    let store = store.unwrap_or_else(|error| fail(error));
    for begin in (0..TRACES).step_by(CHUNK as usize) {
        let spool = Spool::open(data, catalog.clone()).unwrap_or_else(|error| fail(error));
        for n in begin..begin + CHUNK {
            let compact = CompactTrace::new(&trace(n));
            spool.append(&compact).unwrap_or_else(|error| fail(error));
        }
        drop(spool);
        store.import().await.unwrap_or_else(|error| fail(error));
    }
    store
}

/// The filters whose pages are read, and the slowest of which counts.
fn filters() -> Vec<(&'static str, TraceFilter)> {
    let filter = TraceFilter::default;
    let some = |text: &str| Some(text.to_owned());
    vec![
        ("no filter", filter()),
        (
            "project",
            TraceFilter {
                project: some("/home/me/project_7"),
                ..filter()
            },
        ),
        (
            "event",
            TraceFilter {
                event: some("event_3"),
                ..filter()
            },
        ),
        (
            "hook",
            TraceFilter {
                hook: some("jcli:user:event:9"),
                ..filter()
            },
        ),
        (
            "rare outcome",
            TraceFilter {
                outcome: Some(Outcome::Denied),
                ..filter()
            },
        ),
        (
            "rare dialect",
            TraceFilter {
                dialect: some("qoder"),
                ..filter()
            },
        ),
        (
            "outcome that is rare here",
            TraceFilter {
                outcome: Some(Outcome::Allowed),
                ..filter()
            },
        ),
        (
            "frequent outcome",
            TraceFilter {
                outcome: Some(Outcome::NoOpinion),
                ..filter()
            },
        ),
        (
            "project, event and dialect",
            TraceFilter {
                project: some("/home/me/project_7"),
                event: some("event_7"),
                dialect: some("jcli"),
                ..filter()
            },
        ),
    ]
}

/// A cursor before the trace `n`: the time in nanoseconds, its sign turned over, and the id.
fn cursor(n: u64) -> Cursor {
    let at = (BEGIN + n as i64) as u64 * 1_000_000_000;
    let id = ulid::Ulid::from_parts((BEGIN as u64 + n) * 1000, u128::from(n));
    let text = format!("{:016x}{:032x}", at ^ (1 << 63), id.0);
    text.parse().unwrap_or_else(|error| fail(error))
}

/// Goal 13: a page of 100 rows in the middle of 1,000,000 traces, against the same page by `OFFSET`.
pub fn page(rounds: usize) -> Finding {
    let dir = tempfile::tempdir().unwrap_or_else(|error| fail(error));
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(error));
    runtime.block_on(async {
        let store = fill(dir.path()).await;
        let database = dir.path().join("history.db");
        let mut other = SqliteConnection::connect(&database.to_string_lossy())
            .await
            .unwrap_or_else(|error| fail(error));
        let filters = filters();
        let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); filters.len()];
        let mut shuffle = Shuffle::new(0x9a6e);
        for _ in 0..rounds.clamp(1, MAX_ROUNDS) {
            let floor = offset_page(&mut other).await.as_secs_f64();
            for which in shuffle.order(filters.len()) {
                let start = Instant::now();
                let page = store.page(&filters[which].1, Some(cursor(TRACES / 2)), ROWS).await;
                let took = start.elapsed();
                let page = page.unwrap_or_else(|error| fail(error));
                assert_eq!(page.rows.len(), ROWS as usize, "{}", filters[which].0);
                ratios[which].push(took.as_secs_f64() / floor);
            }
        }
        let found = filters
            .iter()
            .zip(ratios)
            .map(|((name, _), values)| (*name, Ratio::from_values(values)));
        let mut found: Vec<_> = found.collect();
        found.sort_by(|one, other| other.1.high.total_cmp(&one.1.high));
        Finding {
            ratios: found,
            control: None,
            goal: 0.01,
            unit: "×",
        }
    })
}

/// What each screen asks of a history of 1,000,000 traces, in milliseconds, the slowest first.
pub fn screens(rounds: usize) -> Finding {
    let dir = tempfile::tempdir().unwrap_or_else(|error| fail(error));
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(error));
    runtime.block_on(async {
        let store = fill(dir.path()).await;
        let all = Timestamp::from_second(BEGIN).unwrap_or_else(|error| fail(error));
        let project = "/home/me/project_7";
        let of_project = MetricsFilter {
            project: Some(project.to_owned()),
            ..MetricsFilter::since(all)
        };
        let id = ulid::Ulid::from_parts((BEGIN as u64 + TRACES / 2) * 1000, u128::from(TRACES / 2)).to_string();
        let mut took: [(&str, Vec<f64>); 7] = [
            "history: the first page",
            "history: its histogram",
            "history: one trace",
            "hooks: metrics of every hook",
            "hooks: metrics of a project",
            "map: activity of every event",
            "status: what is not imported",
        ]
        .map(|name| (name, Vec::new()));
        let events: Vec<String> = (0..20).map(|number| format!("event_{number}")).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        for _ in 0..rounds.clamp(1, MAX_ROUNDS) {
            for (index, (_, values)) in took.iter_mut().enumerate() {
                let start = Instant::now();
                let asked = match index {
                    0 => store.page(&TraceFilter::default(), None, ROWS).await.map(drop),
                    1 => store.bars(None, all, 60).await.map(drop),
                    2 => store.show(&id).await.map(drop),
                    3 => store.metrics(&MetricsFilter::since(all)).await.map(drop),
                    4 => store.metrics(&of_project).await.map(drop),
                    5 => store.event_activity(project, "jcli", &events, all).await.map(drop),
                    _ => store.waiting().await.map(drop),
                };
                asked.unwrap_or_else(|error| fail(error));
                values.push(start.elapsed().as_secs_f64() * 1000.0);
            }
        }
        let mut found: Vec<_> = took.map(|(name, values)| (name, Ratio::from_values(values))).into();
        found.sort_by(|one, other| other.1.high.total_cmp(&one.1.high));
        Finding {
            ratios: found,
            control: None,
            goal: 100.0,
            unit: "ms",
        }
    })
}

async fn offset_page(connection: &mut SqliteConnection) -> Duration {
    let start = Instant::now();
    let rows = sqlx::query("SELECT * FROM traces ORDER BY at_ns DESC, id DESC LIMIT 100 OFFSET 500000")
        .fetch_all(connection)
        .await
        .unwrap_or_else(|error| fail(error));
    assert_eq!(rows.len(), 100);
    start.elapsed()
}

/// The bytes of all files of the history: spool, log and database.
pub fn history_bytes(data: &Path) -> u64 {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let spool = std::fs::read_dir(data.join("spool")).into_iter().flatten().flatten();
    let files = ["history.db", "history.db-wal"].map(|name| size(&data.join(name)));
    files.iter().sum::<u64>() + spool.map(|entry| size(&entry.path())).sum::<u64>()
}

/// The payload of goal 22: about 1 MB of text.
pub fn large_payload(seed: u64) -> Value {
    json!({ "user_input": text(1_000_000, seed) })
}
