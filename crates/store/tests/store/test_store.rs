//! A temporary data folder, a clock that stays still, and sample traces.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hookwright_model::trace::{Step, Trace};
use hookwright_model::{Catalog, Clock, CompactTrace, JournalEntry, Outcome};
use hookwright_store::{AccessMode, AppendError, Appended, ImportResult, Spool, Store, StoreError, TraceFilter};
use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};
use ulid::Ulid;

/// 2026-01-15 10:30:00 UTC.
pub const NOW_SECONDS: i64 = 1_768_473_000;

pub struct TestStore {
    dir: tempfile::TempDir,
    seconds: Arc<AtomicI64>,
}

impl TestStore {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            seconds: Arc::new(AtomicI64::new(NOW_SECONDS)),
        }
    }

    pub fn data(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.data().join(name)
    }

    pub fn set_clock(&self, seconds: i64) {
        self.seconds.store(seconds, Ordering::SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let seconds = Arc::clone(&self.seconds);
        hookwright_model::Clock::new(move || Timestamp::from_second(seconds.load(Ordering::SeqCst)).unwrap())
    }

    pub async fn open(&self, mode: AccessMode) -> Result<Store, StoreError> {
        Store::open(self.data(), mode, self.clock(), Catalog::default()).await
    }

    pub async fn store(&self) -> Store {
        self.open(AccessMode::Write).await.unwrap()
    }

    pub fn spool(&self) -> TestSpool {
        TestSpool::open(self.data())
    }

    /// Spools traces like a process that has exited, and imports them.
    pub async fn record(&self, store: &Store, traces: &[Trace]) -> ImportResult {
        let spool = self.spool();
        for trace in traces {
            spool.append(trace).unwrap();
        }
        drop(spool);
        store.import().await.unwrap()
    }

    /// The names in the folder that begin with `prefix`, sorted.
    pub fn file_names(&self, prefix: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.data()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix)).collect();
        names.sort();
        names
    }

    /// Connects to the database as another program would.
    pub async fn connect(&self) -> SqliteConnection {
        SqliteConnection::connect(self.file("history.db").to_str().unwrap())
            .await
            .unwrap()
    }
}

/// A spool that takes whole traces.
#[derive(Clone)]
pub struct TestSpool(pub Arc<Spool>);

impl TestSpool {
    pub fn open(data_dir: &Path) -> Self {
        Self(Arc::new(Spool::open(data_dir, Catalog::default()).unwrap()))
    }

    pub fn append(&self, trace: &Trace) -> Result<Appended, AppendError> {
        self.0.append(&CompactTrace::new(trace))
    }

    /// Appends a trace, and returns its entry for the journal.
    pub fn append_entry(&self, trace: &Trace) -> JournalEntry {
        JournalEntry {
            line: Some(self.append(trace).unwrap().line),
            trace: Arc::new(CompactTrace::new(trace)),
        }
    }
}

impl std::ops::Deref for TestSpool {
    type Target = Spool;

    fn deref(&self) -> &Spool {
        &self.0
    }
}

/// Every whole line of the spool.
pub fn read_all(data_dir: &Path) -> std::io::Result<hookwright_store::SpoolContents> {
    hookwright_store::read_all(data_dir, &Catalog::default())
}

/// The ids on all pages of a filter, newest first, with `limit` rows per page.
pub async fn ids(store: &Store, filter: &TraceFilter, limit: u32) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after = None;
    loop {
        let page = store.page(filter, after, limit).await.unwrap();
        ids.extend(page.rows.into_iter().map(|row| row.trace));
        match page.next {
            Some(next) => after = Some(next),
            None => return ids,
        }
    }
}

/// A trace id. Ids sort by `n`.
pub fn id(n: u64) -> String {
    Ulid::from_parts(1_700_000_000_000 + n, 7 * u128::from(n)).to_string()
}

/// A trace at `after` seconds after [`NOW_SECONDS`].
pub fn trace(n: u64, after: i64, steps: Vec<Step>) -> Trace {
    let at = Timestamp::from_nanosecond(i128::from(NOW_SECONDS + after) * 1_000_000_000 + 123_456_789).unwrap();
    serde_json::from_value(json!({
        "trace": id(n), "dialect": "jcli", "event": "pre_send_message", "origin": "cli",
        "session": null, "agent": "j", "project": "/work/项目", "at": at.to_string(), "took_ms": 41.808_812_345,
        "verdict": {"kind": "proceed", "reason": null, "feedback": null, "by": null, "code": null, "args": {}},
        "payload_before": {"user_input": format!("hi {n}"), "z": 1, "a": [1.5, null]},
        "payload_after": {"user_input": "hi, it is noon"}, "reply": {"json": {"user_input": "x"}, "exit_code": 0, "stderr": "?"},
        "notices": [{"kind": "user_message", "text": "told", "hook": "h", "code": null, "args": {}}],
        "steps": steps, "redacted": false
    }))
    .unwrap()
}

/// A step of a hook in user files. Each attempt took the given milliseconds.
pub fn step(hook: &str, outcome: Outcome, took_ms: &[f64]) -> Step {
    let (end, reason) = match outcome {
        Outcome::TimedOutOpen | Outcome::TimedOutClosed => ("timed_out", Value::from("took too long")),
        Outcome::Skipped => ("exit", Value::from("muted")),
        Outcome::NotMatched
        | Outcome::NoOpinion
        | Outcome::Allowed
        | Outcome::Changed
        | Outcome::Asked
        | Outcome::Denied
        | Outcome::FailedOpen
        | Outcome::FailedClosed
        | Outcome::Detached => ("exit", Value::Null),
    };
    let attempts: Vec<Value> = took_ms
        .iter()
        .map(|took| {
            json!({"end": end, "code": 0, "signal": null, "stdin": "in", "stdout": "out", "stderr": "", "started_ms": 0.25,
                   "took_ms": took, "truncated": false, "command": ["sh", "-c", "true"], "cwd": "/", "env": ["JCLI_CWD"]})
        })
        .collect();
    let edits = if outcome == Outcome::Changed {
        json!([{"field": "user_input", "before": "hi", "after": "hi 你好"}])
    } else {
        json!([])
    };
    serde_json::from_value(json!({
        "hook": hook, "label": format!("{hook}.sh"), "position": if outcome.ran() { json!(1) } else { Value::Null },
        "source": {"layer": "user", "path": "/home/hooks.yaml", "line": 2}, "handler": "shell", "outcome": outcome,
        "reason": reason, "code": null, "args": {},
        "gates": [{"gate": "valid", "pass": true, "why": null, "near_miss": null, "code": null, "args": {}},
                  {"gate": "trusted", "pass": outcome.ran(), "why": null, "near_miss": null, "code": null, "args": {}}],
        "edits": edits, "ignored": [], "attempts": attempts
    }))
    .unwrap()
}
