//! Fires a test event at a connected agent (`CONTRACTS.md` §3, `agent.fire`).

use std::time::Duration;

use hookwright_dialects::lookup::{find_dialect, find_event};
use hookwright_model::{Origin, Payload, Reply, Trace, args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

use super::find_session;
use crate::agent_sessions::{LinkError, Offer};
use crate::app::App;
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::fire::{Caller, FireJob, fire_once};
use crate::payload::check_payload_limits;
use crate::sessions::SessionRequest;

/// How long an agent may take to run its own hooks on a test event.
const TIME_LIMIT: Duration = Duration::from_secs(120);

hookwright_model::messages! {
    /// The agent speaks another dialect.
    OTHER_DIALECT = "other_dialect" { "{agent} is an agent of {dialect}", "{agent} 是 {dialect} 的 Agent" } hint { "use `--dialect {dialect}`", "使用 `--dialect {dialect}`" };
    /// The agent cannot be asked to run an event.
    NO_TEST_EVENTS = "no_test_events" { "{agent} does not take test events", "{agent} 不接受测试事件" } hint { "fire the event without `--agent`", "不带 `--agent` 触发该事件" };
    /// The agent did not answer.
    AGENT_FAILED = "agent_failed" { "{agent} did not run the event: {why}", "{agent} 未处理该事件：{why}" };
}

/// The parameters of `agents.fire`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema, TS)]
pub struct AgentFireRequest {
    /// A session id, or the agent's name when only one session has it.
    pub agent: String,
    /// The dialect of the agent.
    pub dialect: String,
    /// The event, as the dialect spells it.
    pub event: String,
    /// The payload.
    #[ts(type = "Record<string, unknown>")]
    pub payload: Payload,
}

/// What an agent answered to a test event, and what the engine says for the same event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentFireDoc {
    /// The session id.
    pub session: String,
    /// The agent's name.
    pub agent: String,
    /// What the agent's own pipeline replied.
    pub reply: Reply,
    /// The steps that the agent reported; `null` if it reported none.
    #[ts(type = "unknown")]
    pub steps: Option<Value>,
    /// The trace of the engine for the same event, in a session of its own.
    pub engine: Trace,
    /// Whether both replies are the same.
    pub same: bool,
}

/// `agents.fire`: fires an event at an agent, then in the engine.
///
/// # Errors
/// The agent or the event is unknown, the agent takes no test events or does not answer, or the payload is refused.
pub async fn agents_fire(app: &App, request: AgentFireRequest) -> Result<AgentFireDoc, Fault> {
    check_payload_limits(&request.payload)?;
    let session = find_session(app, &request.agent, Some(&request.dialect))?;
    let dialect = session.dialect.card().id;
    if find_dialect(&request.dialect)?.card().id != dialect {
        let args = args! { "agent" => request.agent.as_str(), "dialect" => dialect };
        return Err(OTHER_DIALECT.render(args).into());
    }
    let event = find_event(dialect, &request.event)?.1.name;
    let newest = session
        .newest(Offer::Fire)
        .ok_or_else(|| Fault::from(NO_TEST_EVENTS.render(args! { "agent" => request.agent.as_str() })))?;
    let open_project = app.workspace.open_project(&session.project)?;
    let own_session = SessionRequest {
        dialect: dialect.to_owned(),
        id: Some(session.id.clone()),
        project: session.project.clone(),
    };
    let job = FireJob {
        event: event.to_owned(),
        payload: request.payload.clone(),
        origin: Origin::Window,
        caller: Caller::ThisProcess,
        consent: Consent::Approvals,
        recording: Recording::On,
        cancel: newest.left.child_token(),
    };
    let fired = fire_once(app, &open_project.snapshot(), own_session, job).await?;
    let engine = fired.recorded;
    let params = json!({"event": event, "payload": request.payload, "trace": engine.trace});
    let failed =
        |why: String| Fault::from(AGENT_FAILED.render(args! { "agent" => newest.agent.name.as_str(), "why" => why }));
    let answer = newest
        .link
        .call("agent.fire", params, TIME_LIMIT)
        .await
        .map_err(|error| {
            failed(match error {
                LinkError::TimedOut => format!("no answer within {} s", TIME_LIMIT.as_secs()),
                LinkError::Gone => "it has left".to_owned(),
                LinkError::Refused(why) => why,
            })
        })?;
    let reply = answer.get("reply").cloned().unwrap_or_default();
    let mut reply: Reply = serde_json::from_value(reply).map_err(|error| failed(error.to_string()))?;
    let mut steps = answer.get("steps").cloned();
    mask(app, &mut reply, &mut steps);
    // The recorded reply of the engine is masked, too.
    let same = reply == engine.reply;
    Ok(AgentFireDoc {
        session: session.id.clone(),
        agent: newest.agent.name.clone(),
        reply,
        steps,
        same,
        engine,
    })
}

/// Masks secrets in what the agent answered: it is shown on the screen.
fn mask(app: &App, reply: &mut Reply, steps: &mut Option<Value>) {
    let redactor = app.workspace.redactor();
    redactor.value(&mut reply.json);
    let mut stderr = Value::String(std::mem::take(&mut reply.stderr));
    redactor.value(&mut stderr);
    if let Value::String(text) = stderr {
        reply.stderr = text;
    }
    if let Some(steps) = steps {
        redactor.value(steps);
    }
}
