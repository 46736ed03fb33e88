//! Fires a test event at a connected agent (`CONTRACTS.md` §3, `agent.fire`).

use std::sync::Arc;
use std::time::Duration;

use hookwright_dialects::lookup::{find_dialect, find_event};
use hookwright_model::{Origin, Payload, Reply, Trace, args, exact_json, render};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{WantedSession, find_session};
use crate::agent_sessions::engine_calls::{TestEventParams, TestEventResult, warning};
use crate::agent_sessions::{LinkError, Member};
use crate::app::App;
use crate::dto::GivenPayload;
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::fire::{Caller, FireJob, fire_once};
use crate::named_runs::NamedRun;
use crate::output_doctor::with_output_problems;
use crate::running_chains::AgentCallInfo;
use crate::sessions::SessionRequest;

/// How long an agent may take to run its own hooks on a test event.
const TIME_LIMIT: Duration = Duration::from_secs(120);

hookwright_model::messages! {
    /// The agent speaks another dialect.
    OTHER_DIALECT = "other_dialect" { "{agent} is an agent of {dialect}", "{agent} 是 {dialect} 的 Agent" } hint { "use `--dialect {dialect}`", "使用 `--dialect {dialect}`" };
    /// The agent cannot be asked to run an event.
    NO_TEST_EVENTS = "no_test_events" { "{agent} does not accept test events", "{agent} 不接受测试事件" } hint { "fire the event without `--agent`", "不带 `--agent` 触发该事件" };
    /// The agent did not answer.
    AGENT_FAILED = "agent_failed" { "{agent} did not process the event: {why}", "{agent} 未处理该事件：{why}" };
    /// The agent may give up a test event.
    TEST_EVENT_STOPPED = "test_event_stopped" { "the test event {event} was stopped, and its result is ignored", "测试事件 {event} 已停止，其结果会被忽略" };
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
    /// The project of the session, or a folder in it, absolute; absent if only one project has a session of this id.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// The payload, as an object or as its JSON text.
    #[ts(type = "Record<string, unknown> | string")]
    pub payload: GivenPayload,
    /// A name for this run. `fire.stop` needs it.
    #[serde(default)]
    #[ts(optional)]
    pub run: Option<String>,
    /// Who fires the event; the window if it is absent.
    #[serde(default)]
    #[ts(optional)]
    pub client: Option<ClientKind>,
}

/// A client of the control socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClientKind {
    /// The window or the browser page.
    Window,
    /// The command line.
    Cli,
}

impl ClientKind {
    fn origin(self) -> Origin {
        match self {
            Self::Window => Origin::Window,
            Self::Cli => Origin::Cli,
        }
    }
}

/// What an agent answered to a test event, and what the engine says for the same event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentFireDoc {
    /// The session id.
    pub session: String,
    /// The agent's name.
    pub agent: String,
    /// What the agent's own pipeline replied; `null` if the run was stopped before.
    pub reply: Option<Reply>,
    /// The steps that the agent reported; `null` if it reported none.
    #[serde(deserialize_with = "exact_json::optional_value")]
    #[ts(type = "unknown")]
    pub steps: Option<Value>,
    /// The trace of the engine for the same event, in a session of its own.
    pub engine: Trace,
    /// Whether both replies are the same.
    pub same: bool,
    /// Whether the run was stopped before the agent replied. The agent gets a `session.notice` with the code
    /// `test_event_stopped`, and its late result is ignored.
    pub stopped: bool,
}

/// `agents.fire`: fires an event in the engine, then at an agent. `fire.stop` with the name of the run stops it.
///
/// # Errors
/// The agent or the event is unknown, the agent takes no test events or does not answer, or the payload is refused.
pub async fn agents_fire(app: &App, request: AgentFireRequest) -> Result<AgentFireDoc, Fault> {
    let payload = request.payload.read()?;
    let wanted = WantedSession {
        session: &request.agent,
        dialect: Some(&request.dialect),
        project: request.project.as_deref(),
    };
    let session = find_session(app, wanted)?;
    let dialect = session.dialect.card().id;
    if find_dialect(&request.dialect)?.card().id != dialect {
        let args = args! { "agent" => request.agent.as_str(), "dialect" => dialect };
        return Err(OTHER_DIALECT.render(args).into());
    }
    let event = find_event(dialect, &request.event)?.1.name;
    // A session has connections of several programs. Who names one of them means no other.
    let has_name = |member: &Arc<Member>| member.agent.name == request.agent;
    let (connected, _) = session.connections();
    let name = connected.iter().any(has_name).then_some(&*request.agent);
    let name = name.filter(|_| session.id != request.agent);
    let member = session
        .for_test_events(name)
        .ok_or_else(|| Fault::from(render!(NO_TEST_EVENTS, "agent" => request.agent.as_str())))?;
    let open_project = app.workspace.open_project(&session.project)?;
    let own_session = SessionRequest {
        dialect: dialect.to_owned(),
        id: Some(session.id.clone()),
        project: session.project.clone(),
    };
    // An agent that leaves stops the run, too.
    let run = app
        .runs
        .begin_with(request.run.clone().unwrap_or_default(), member.left.child_token());
    let job = FireJob {
        event: event.to_owned(),
        payload: payload.clone(),
        origin: request.client.unwrap_or(ClientKind::Window).origin(),
        caller: Caller::ThisProcess,
        consent: Consent::Approvals,
        recording: Recording::On,
        cancel: run.cancel().clone(),
        run: request.run.clone(),
    };
    let engine = fire_once(app, &open_project.snapshot(), own_session, job)
        .await?
        .recorded;
    let call = AgentCallInfo {
        run: request.run.as_deref().unwrap_or_default(),
        agent: &member.agent.name,
        session: &session.id,
        dialect,
        event,
    };
    let answer = ask_agent(app, &member, &call, &run, payload.fields, &engine.trace).await?;
    // The recorded reply of the engine is masked, too.
    let same = answer.as_ref().is_some_and(|answer| answer.reply == engine.reply);
    let stopped = answer.is_none();
    let (reply, steps) = answer.map(|answer| (answer.reply, answer.steps)).unzip();
    Ok(AgentFireDoc {
        session: session.id.clone(),
        agent: member.agent.name.clone(),
        reply,
        steps: steps.flatten(),
        same,
        stopped,
        engine: with_output_problems(engine),
    })
}

/// Asks an agent to run the event. Its answer is masked. `None` if the run was stopped before it answered.
async fn ask_agent(
    app: &App,
    member: &Member,
    call: &AgentCallInfo<'_>,
    run: &NamedRun,
    payload: Payload,
    trace: &str,
) -> Result<Option<TestEventResult>, Fault> {
    let failed = |why: String| Fault::from(render!(AGENT_FAILED, "agent" => member.agent.name.as_str(), "why" => why));
    let is_stopped = || run.cancel().is_cancelled() && !member.left.is_cancelled();
    if is_stopped() {
        return Ok(None);
    }
    let _running = app.chains.begin_at_agent(call);
    let params = exact_json::to_value(&TestEventParams {
        event: call.event,
        payload: &payload,
        trace,
    });
    let answer = tokio::select! {
        biased;
        answer = member.link.call("agent.fire", params, TIME_LIMIT) => answer,
        () = run.cancel().cancelled() => {
            if !is_stopped() {
                return Err(failed("it has left".to_owned()));
            }
            // The call is forgotten by now. The protocol has no other way to tell the agent.
            let message = render!(TEST_EVENT_STOPPED, "event" => call.event, "trace" => trace);
            member.link.notify("session.notice", warning(&message)).await;
            return Ok(None);
        }
    };
    let answer = answer.map_err(|error| {
        failed(match error {
            LinkError::TimedOut => format!("no response within {} s", TIME_LIMIT.as_secs()),
            LinkError::Gone => "it has left".to_owned(),
            LinkError::Refused(why) => why,
        })
    })?;
    let mut answer: TestEventResult = serde_json::from_value(answer).map_err(|error| failed(error.to_string()))?;
    mask(app, &mut answer.reply, &mut answer.steps);
    Ok(Some(answer))
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
