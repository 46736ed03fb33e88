//! The parameters of an agent's requests, and their results (`CONTRACTS.md` §3).

use std::path::PathBuf;

use hookwright_model::{Message, Notice, NoticeKind, Trace, args, json_depth};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{BAD_AGENT_PARAMS, EMPTY_SESSION_ID, MAX_NAME_BYTES, NAME_TOO_LONG};
use crate::agent_sessions::{AgentInfo, Offer};
use crate::fault::Fault;
use crate::payload::reported_payload;
use crate::reported_runs::RunReport;

/// The methods of an agent connection.
pub const METHODS: [&str; 13] = [
    "session.open",
    "event.fire",
    "event.note",
    "hook.register",
    "hook.list",
    "hook.remove",
    "run.report",
    "skill.begin",
    "skill.inject",
    "skill.remove",
    "skill.inject_prompt",
    "skill.remove_prompt",
    "session.close",
];

/// `session.open`.
#[derive(Debug, Deserialize)]
pub(crate) struct OpenParams {
    pub(crate) dialect: String,
    pub(crate) agent: AgentInfo,
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    pub(crate) cwd: PathBuf,
    #[serde(default)]
    pub(crate) offers: Vec<Offer>,
    #[serde(default)]
    pub(crate) native: Option<bool>,
    #[serde(default)]
    pub(crate) keep_ms: Option<u64>,
    #[serde(default = "newest_protocol")]
    pub(crate) protocol: u32,
}

impl OpenParams {
    /// Checks the texts that are kept as long as the session, and in each of its traces.
    ///
    /// # Errors
    /// One of them is longer than [`MAX_NAME_BYTES`], or the session id is empty.
    pub(crate) fn check_names(&self) -> Result<(), Fault> {
        if self.session_id.as_deref() == Some("") {
            return Err(EMPTY_SESSION_ID.render_plain().into());
        }
        let id = self.session_id.as_deref().unwrap_or_default();
        let names = [
            ("session_id", id),
            ("agent.name", &self.agent.name),
            ("agent.version", &self.agent.version),
        ];
        match names.into_iter().find(|(_, name)| name.len() > MAX_NAME_BYTES) {
            Some((field, name)) => Err(NAME_TOO_LONG
                .render(args! { "field" => field, "bytes" => name.len(), "limit" => MAX_NAME_BYTES })
                .into()),
            None => Ok(()),
        }
    }
}

fn newest_protocol() -> u32 {
    super::PROTOCOL
}

/// The result of `session.open`.
#[derive(Debug, Serialize)]
pub(crate) struct Opened {
    pub(crate) session: String,
    pub(crate) protocol: u32,
    pub(crate) events: Vec<&'static str>,
    pub(crate) hooks: usize,
    pub(crate) untrusted: usize,
}

/// `event.fire` and `event.note`. The payload is measured as it was written.
#[derive(Debug, Deserialize)]
pub(crate) struct EventParams<'p> {
    pub(crate) event: String,
    #[serde(borrow)]
    pub(crate) payload: &'p RawValue,
}

/// `run.report`. The payload is measured as it was written.
#[derive(Debug, Deserialize)]
pub(crate) struct ReportParams<'p> {
    pub(crate) event: String,
    #[serde(borrow, default, deserialize_with = "given")]
    payload: Option<&'p RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    steps: Option<&'p RawValue>,
}

/// A value that is given, `null` included.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl ReportParams<'_> {
    /// Reads the payload and the steps.
    ///
    /// # Errors
    /// The payload is too large or nested too deep, or a step has the wrong form.
    pub(crate) fn report(&self) -> Result<RunReport, Fault> {
        let bad = |error: serde_json::Error| bad_params("run.report", &error.to_string());
        let steps = self.steps.map(|steps| json_depth::read(steps.get()));
        Ok(RunReport {
            payload: self
                .payload
                .map(|payload| reported_payload(payload.get()))
                .transpose()?,
            steps: steps.transpose().map_err(bad)?.unwrap_or_default(),
        })
    }
}

/// `hook.register`.
#[derive(Debug, Deserialize)]
pub(crate) struct RegisterParams {
    #[serde(default)]
    pub(crate) event: Option<String>,
    pub(crate) definition: Value,
}

/// `hook.list`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListParams {
    #[serde(default)]
    pub(crate) event: Option<String>,
}

/// `hook.remove`: the id, or the event and the place in its list.
#[derive(Debug, Deserialize)]
pub(crate) struct RemoveParams {
    #[serde(default)]
    pub(crate) hook: Option<String>,
    #[serde(default)]
    pub(crate) event: Option<String>,
    #[serde(default)]
    pub(crate) index: Option<usize>,
}

/// A fault of the parameters.
pub(crate) fn bad_params(method: &str, why: &str) -> Fault {
    BAD_AGENT_PARAMS
        .render(args! { "method" => method, "why" => why })
        .into()
}

/// The result of `event.fire`, from the trace before redaction.
pub(crate) fn fired(trace: &Trace) -> Value {
    json!({
        "reply": trace.reply,
        "verdict": trace.verdict,
        "trace": trace.trace,
        "recorded": trace.recorded,
    })
}

/// The parameters of `session.notice` for a notice of a trace.
pub(crate) fn notice(notice: &Notice) -> Value {
    json!({"kind": notice.kind, "text": notice.text, "code": notice.code, "args": notice.args})
}

/// The parameters of `session.notice` for a message of the engine.
pub(crate) fn warning(message: &Message) -> Value {
    json!({"kind": NoticeKind::Warning, "text": message.text, "code": message.code, "args": message.args})
}
