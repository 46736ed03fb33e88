//! Traces for tests that need only an event and its verdict.

use std::sync::Arc;

use hookwright_model::{Origin, Reply, Trace, Verdict, VerdictKind};
use serde_json::Value;

/// The trace of a chain without hooks that ended with this verdict.
pub fn trace_with_verdict(event: &str, kind: VerdictKind) -> Trace {
    Trace {
        trace: String::new(),
        dialect: String::new(),
        event: event.to_owned(),
        origin: Origin::Test,
        session: None,
        agent: None,
        project: None,
        at: jiff::Timestamp::UNIX_EPOCH,
        took_ms: 0.0,
        verdict: Verdict {
            kind,
            ..Verdict::proceed()
        },
        payload_before: Arc::default(),
        payload_after: Arc::default(),
        reply: Reply {
            json: Value::Null,
            exit_code: 0,
            stderr: String::new(),
        },
        notices: Vec::new(),
        steps: Vec::new(),
        redacted: false,
        recorded: true,
        bodies_removed_days: None,
    }
}
