//! Sample traces for tests.

use hookwright_model::CompactTrace;
use hookwright_model::trace::Trace;
use serde_json::json;
use ulid::Ulid;

/// A trace without steps; `n` is both its time in seconds since 1970 and its id.
pub(crate) fn trace(n: u64, event: &str) -> Trace {
    let at = jiff::Timestamp::from_second(n as i64).unwrap();
    serde_json::from_value(json!({
        "trace": Ulid::from_parts(n * 1000, u128::from(n)).to_string(), "dialect": "toy", "event": event, "origin": "cli",
        "session": null, "agent": null, "project": "/p", "at": at.to_string(), "took_ms": 1.5,
        "verdict": {"kind": "proceed", "reason": null, "feedback": null, "by": null, "code": null, "args": {}},
        "payload_before": {}, "payload_after": {}, "reply": {"json": {}, "exit_code": 0, "stderr": ""},
        "notices": [], "steps": [], "redacted": false
    }))
    .unwrap()
}

/// The compact form of a trace.
pub(crate) fn compact(trace: &Trace) -> CompactTrace {
    CompactTrace::new(trace)
}
