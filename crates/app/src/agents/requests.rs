//! The parameters of an agent's requests, and their results (`CONTRACTS.md` §3).

use std::path::PathBuf;

use hookwright_dialects::json::{check_keys, normalize_numbers};
use hookwright_model::listing::HookRow;
use hookwright_model::{Message, Payload, Reply, Trace, Verdict, exact_json, json_depth, render};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{BAD_AGENT_PARAMS, EMPTY_SESSION_ID, HOOK_REFUSED, MAX_NAME_BYTES, NAME_TOO_LONG, NAMELESS_STEP};
use crate::agent_sessions::{AgentInfo, Offer, json_bytes};
use crate::dto::Millis;
use crate::fault::Fault;
use crate::payload::reported_payload;
use crate::reported_runs::{RunReport, StepReport};

/// The parameters of `session.open`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OpenParams {
    /// The dialect of the agent.
    pub(crate) dialect: String,
    /// The agent's name, version and process.
    pub(crate) agent: AgentInfo,
    /// The id of the conversation; absent for a session with a new id.
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    /// The project directory, absolute.
    pub(crate) cwd: PathBuf,
    /// What the engine may ask of the agent: `fire`, `model`, `callbacks`. Other words are ignored.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) offers: Vec<Offer>,
    /// Whether the agent runs the hooks of the dialect's files itself.
    #[serde(default)]
    pub(crate) native: Option<bool>,
    /// Whether the connection only reports what the agent ran (`run.report`): nothing is started for it.
    #[serde(default)]
    pub(crate) reports_only: Option<bool>,
    /// How long the session outlives its last connection, in milliseconds.
    #[serde(default)]
    pub(crate) keep_ms: Option<Millis>,
    /// The version of the protocol, 1.
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
            Some((field, name)) => {
                Err(render!(NAME_TOO_LONG, "field" => field, "bytes" => name.len(), "limit" => MAX_NAME_BYTES).into())
            }
            None => Ok(()),
        }
    }
}

fn newest_protocol() -> u32 {
    super::PROTOCOL
}

/// The result of `session.open`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Opened {
    /// The session id.
    pub(crate) session: String,
    /// The version of the protocol.
    pub(crate) protocol: u32,
    /// The names of the dialect's events.
    pub(crate) events: Vec<&'static str>,
    /// How many hooks the project and the user have.
    pub(crate) hooks: usize,
    /// How many of them wait for an approval.
    pub(crate) untrusted: usize,
}

/// The parameters of `event.fire` and `event.note`. The payload is measured as it was written.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EventParams<'p> {
    /// The event in the dialect's spelling.
    pub(crate) event: String,
    /// The payload. Missing common fields are filled in.
    #[serde(borrow)]
    #[schemars(with = "Payload")]
    pub(crate) payload: &'p RawValue,
}

/// The parameters of `run.report`. The payload is measured as it was written.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReportParams<'p> {
    /// The event in the dialect's spelling.
    pub(crate) event: String,
    /// The payload that the hooks got. One that is not an object is recorded as `{}`.
    #[serde(borrow, default, deserialize_with = "given")]
    #[schemars(with = "Value")]
    payload: Option<&'p RawValue>,
    /// The hooks that the agent ran, in run order.
    #[serde(borrow, default, deserialize_with = "given")]
    #[schemars(with = "Vec<StepReport>")]
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
    /// The payload is too large or nested too deep, or a step has the wrong form or names nothing.
    pub(crate) fn report(&self) -> Result<RunReport, Fault> {
        let bad = |error: serde_json::Error| bad_params("run.report", &error.to_string());
        let steps = self.steps.map(|steps| json_depth::read(steps.get())).transpose();
        let steps: Vec<StepReport> = steps.map_err(bad)?.unwrap_or_default();
        if let Some(nameless) = steps.iter().position(StepReport::is_nameless) {
            return Err(render!(NAMELESS_STEP, "number" => nameless + 1).into());
        }
        let payload = self.payload.map(|payload| reported_payload(payload.get()));
        let (payload, notices) = payload.transpose()?.unzip();
        Ok(RunReport {
            steps,
            payload,
            notices: notices.unwrap_or_default(),
        })
    }
}

/// The parameters of `hook.register`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RegisterParams<'p> {
    /// The event; left out where the definition names the events.
    #[serde(default)]
    pub(crate) event: Option<String>,
    /// The definition in the dialect's own form.
    #[serde(borrow)]
    #[schemars(with = "Value")]
    definition: &'p RawValue,
}

impl RegisterParams<'_> {
    /// The length of the definition as it was written.
    pub(crate) fn text_bytes(&self) -> usize {
        self.definition.get().len()
    }

    /// What the definition costs, as the length of a text.
    pub(crate) fn cost(&self) -> usize {
        json_bytes(self.definition.get())
    }

    /// Reads the definition, as strictly as one in a file.
    ///
    /// # Errors
    /// It contains a key twice, or is nested too deep.
    pub(crate) fn definition(&self) -> Result<Value, Fault> {
        let text = self.definition.get();
        check_keys(text).map_err(hook_refused)?;
        let mut definition = json_depth::read(text).map_err(|error| bad_params("hook.register", &error.to_string()))?;
        normalize_numbers(&mut definition);
        Ok(definition)
    }
}

/// The result of `hook.register`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Registered {
    /// The id of the hook.
    pub(crate) hook: Option<String>,
    /// Whether it may run. A hook that starts a process needs an approval.
    pub(crate) trusted: bool,
}

/// The parameters of `hook.list`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ListParams {
    /// The only event to list; absent for all.
    #[serde(default)]
    pub(crate) event: Option<String>,
}

/// The result of `hook.list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The hooks of the session.
    pub(crate) hooks: Vec<HookRow>,
}

/// The parameters of `hook.remove`: the id, or the event and the place in its list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RemoveParams {
    /// The id of the hook.
    #[serde(default)]
    pub(crate) hook: Option<String>,
    /// The event of the hook.
    #[serde(default)]
    pub(crate) event: Option<String>,
    /// Its place in the list of this event, from 0.
    #[serde(default)]
    pub(crate) index: Option<usize>,
}

/// The result of `event.fire`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Fired<'t> {
    /// What the agent must do.
    reply: &'t Reply,
    /// What the chain decided.
    verdict: &'t Verdict,
    /// The id of the trace.
    trace: &'t str,
    /// Whether the event is in the history.
    recorded: bool,
}

/// The result of `run.report`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reported {
    /// The id of the trace.
    pub(crate) trace: String,
}

/// The error for a definition that is refused.
pub(super) fn hook_refused(why: Message) -> Fault {
    let refused = render!(HOOK_REFUSED, "why" => why.text.as_str());
    Fault {
        hint: why.hint,
        ..refused.into()
    }
}

/// A fault of the parameters.
pub(crate) fn bad_params(method: &str, why: &str) -> Fault {
    render!(BAD_AGENT_PARAMS, "method" => method, "why" => why).into()
}

/// The result of `event.fire`, from the trace before redaction.
pub(crate) fn fired(trace: &Trace) -> Value {
    exact_json::to_value(&Fired {
        reply: &trace.reply,
        verdict: &trace.verdict,
        trace: &trace.trace,
        recorded: trace.recorded,
    })
}
