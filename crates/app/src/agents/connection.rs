//! One connection to an agent: its requests, in order, and what happens when it leaves.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_engine::SessionRefusal;
use hookwright_model::{Hook, Origin, exact_json, json_depth, render};
use hookwright_workspace::blocking::blocking;
use hookwright_workspace::lock::lock;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::agent_event::{fire, record_refusal};
use super::joined::{Joined, open_project};
use super::requests::{EventParams, ReportParams, Reported, bad_params};
use super::skills::{Messages, RemovePromptParams, RemoveTextsParams, SkillRequest};
use super::{
    MAX_UNREAD_BYTES, NO_REQUEST, NO_SESSION, NOT_FOR_AGENTS, NOTE_NOT_FIRED, TOO_MUCH_UNREAD, UNKNOWN_AGENT_METHOD,
};
use crate::agent_sessions::engine_calls::warning;
use crate::agent_sessions::protocol_log::ConnectionLog;
use crate::agent_sessions::{AgentLink, Lineage, Sender, json_bytes};
use crate::app::App;
use crate::commands;
use crate::event_options::{Consent, Recording};
use crate::fault::{Fault, REFUSED};
use crate::fire::{AcceptedEvent, Caller, FireJob, accept_event_in, new_event, record};
use crate::payload::parse_payload;
use crate::pushes::Topic;
use crate::reported_runs::trace_of_report;

/// One connection to an agent. It belongs to one session, once it has opened one.
pub struct AgentConnection {
    pub(super) app: Arc<App>,
    pub(super) link: Arc<dyn AgentLink>,
    pub(super) peer: PeerProcess,
    /// Cancelled when the connection has opened its first session.
    pub(super) opened: CancellationToken,
    /// Cancelled when the connection leaves.
    pub(super) left: CancellationToken,
    /// Cancelled when the agent closed its session: the host closes the connection after its last answers.
    pub(super) closed: CancellationToken,
    pub(super) joined: Mutex<Option<Joined>>,
    /// Its number among all connections.
    pub(super) number: u64,
    pub(super) log: ConnectionLog,
    /// The request whose message list the agent has kept here. Its methods come one after the other.
    request: tokio::sync::Mutex<Option<SkillRequest>>,
}

/// The process at the other end of a connection, as the system says.
#[derive(Debug, Clone, Default)]
pub struct PeerProcess {
    /// The file that it runs, absolute; `None` if that is not known.
    pub program: Option<PathBuf>,
    /// The process and its ancestors.
    pub lineage: Lineage,
}

/// How far a request has come when the next one may begin.
pub enum Begun {
    /// It is answered.
    Done(Result<Value, Fault>),
    /// It goes on. Dropping the future gives it up.
    Running(BoxFuture<'static, Result<Value, Fault>>),
}

impl AgentConnection {
    /// A connection that has not opened a session yet.
    #[must_use]
    pub fn new(app: Arc<App>, link: Arc<dyn AgentLink>, peer: PeerProcess) -> Self {
        let number = app.agents.next_member();
        let log = ConnectionLog::new(number, &app.agents.logs);
        Self {
            app,
            link,
            peer,
            opened: CancellationToken::new(),
            left: CancellationToken::new(),
            closed: CancellationToken::new(),
            joined: Mutex::new(None),
            number,
            log,
            request: tokio::sync::Mutex::new(None),
        }
    }

    /// Keeps a line for the protocol log. `kept` is the beginning of the line, `bytes` the length of all of it.
    pub fn log_line(&self, sender: Sender, kept: &[u8], bytes: usize) {
        self.log.push(self.app.workspace.now(), sender, kept, bytes);
    }

    /// Begins a request. Requests begin in their order, and those that change the session end here too.
    pub async fn begin(&self, method: &str, params: Option<&RawValue>) -> Begun {
        // Parameters that are left out are none of those that could be given.
        let none = match params {
            Some(params) if params.get() != "null" => None,
            Some(_) | None => RawValue::from_string("{}".to_owned()).ok(),
        };
        let params = none.as_deref().or(params).unwrap_or(RawValue::NULL);
        match method {
            "event.fire" => match self.accept(method, params) {
                Ok((joined, accepted)) => {
                    let app = self.app.clone();
                    Begun::Running(async move { Ok(fire(app, joined, accepted).await) }.boxed())
                }
                Err(fault) => Begun::Done(Err(fault)),
            },
            "event.note" => Begun::Running(self.note(params).await),
            _ => Begun::Done(self.answer(method, params).await),
        }
    }

    /// Answers a request that keeps its order.
    async fn answer(&self, method: &str, params: &RawValue) -> Result<Value, Fault> {
        match method {
            "session.open" => {
                let opened = self.open(read(method, params)?)?;
                *self.request.lock().await = None;
                Ok(opened)
            }
            "session.close" => self.close(),
            "hook.register" => self.register(&read_borrowed(method, params)?),
            "hook.list" => self.list(read(method, params)?),
            "hook.remove" => self.remove(read(method, params)?),
            "run.report" => self.report(params),
            "skill.begin" => {
                let joined = self.joined(method)?;
                // The list before is gone first, so that it does not count beside the new one.
                *self.request.lock().await = None;
                let bytes = json_bytes(params.get());
                let kept = self.app.agents.kept.take_staying(bytes)?;
                let begin = || {
                    let params = read_borrowed(method, params)?;
                    SkillRequest::begin(&self.app, &joined.session, &params, bytes, kept)
                };
                let request = blocking(begin)?;
                let messages = request.messages();
                *self.request.lock().await = Some(request);
                Ok(exact_json::to_value(&Messages { messages }))
            }
            "skill.inject" | "skill.remove" | "skill.inject_prompt" | "skill.remove_prompt" => {
                self.change_messages(method, params).await
            }
            _ if commands::LIST.iter().any(|command| command.method == method) => {
                Err(render!(NOT_FOR_AGENTS, "method" => method).into())
            }
            _ => Err(render!(UNKNOWN_AGENT_METHOD, "method" => method).into()),
        }
    }

    /// Records what the agent ran itself.
    fn report(&self, params: &RawValue) -> Result<Value, Fault> {
        let joined = self.joined("run.report")?;
        self.check_unread()?;
        blocking(|| {
            let _line = self.app.agents.kept.take(json_bytes(params.get()))?;
            let params: ReportParams<'_> = read_borrowed("run.report", params)?;
            let session = &joined.session;
            let spec = joined.find_event(&params.event)?;
            let mut report = params.report()?;
            let _records = self.app.agents.kept.take(report.record_bytes())?;
            let redactor = self.app.workspace.redactor();
            for step in &mut report.steps {
                // An unknown hook is recorded under the id that the agent gives it.
                step.hook = redactor.text(&step.hook).0;
            }
            let conversation = session.conversation().map_err(closed)?;
            let snapshot = open_project(&self.app, session).snapshot();
            let known = snapshot.hooks(session.dialect.card().id).cloned();
            let own = session.hooks_for(&joined.member).map_err(closed)?;
            let hooks: Vec<Arc<Hook>> = known.chain(own).collect();
            let agent = &joined.member.agent;
            let event = new_event(
                &self.app,
                &conversation,
                spec,
                Origin::Reported,
                Some(agent.name.clone()),
                agent.depth,
            );
            let mut trace = trace_of_report(session.dialect, spec, event, &hooks, report)?;
            self.app.reported.bound(&mut trace, spec, &session.project, &hooks);
            session.count_event();
            let recorded = record(&self.app, trace, Recording::On).recorded;
            Ok(json!(Reported { trace: recorded.trace }))
        })
    }

    /// The skill methods that need a request.
    async fn change_messages(&self, method: &str, params: &RawValue) -> Result<Value, Fault> {
        let joined = self.joined(method)?;
        let mut request = self.request.lock().await;
        let request = request
            .as_mut()
            .ok_or_else(|| Fault::from(render!(NO_REQUEST, "method" => method)))?;
        match method {
            "skill.inject" => {
                request
                    .inject(&self.app, &joined.session, &joined.member, read(method, params)?)
                    .await
            }
            "skill.remove" => {
                let RemoveTextsParams { timing } = read(method, params)?;
                joined.find_event(&timing)?;
                Ok(request.remove(&self.app, &timing))
            }
            "skill.inject_prompt" => request.inject_prompt(&self.app.agents.kept, &read(method, params)?),
            _ => {
                let RemovePromptParams { reference } = read(method, params)?;
                let (result, message) = request.remove_prompt(&reference);
                if let Some(message) = message {
                    self.link.notify("session.notice", warning(&message)).await;
                }
                Ok(result)
            }
        }
    }

    /// Ends the session, if it is this connection's to end, and the connection in any case.
    fn close(&self) -> Result<Value, Fault> {
        let Joined { session, member } = self.joined("session.close")?;
        if session.begin_close(&member) {
            self.app.agents.end(&session);
        } else {
            self.app.push_stale(&[Topic::Agents, Topic::Trust]);
        }
        self.closed.cancel();
        Ok(json!({}))
    }

    pub(super) fn joined(&self, method: &str) -> Result<Joined, Fault> {
        if self.closed.is_cancelled() {
            return Err(closed(SessionRefusal::Closed));
        }
        let joined = lock(&self.joined).clone();
        joined.ok_or_else(|| render!(NO_SESSION, "method" => method).into())
    }

    /// Takes no further event of an agent that does not read its answers.
    fn check_unread(&self) -> Result<(), Fault> {
        if self.link.unread_bytes() > MAX_UNREAD_BYTES {
            return Err(render!(TOO_MUCH_UNREAD, "limit" => MAX_UNREAD_BYTES).into());
        }
        Ok(())
    }

    /// Accepts an event in the order of the requests: its payload is complete, and it counts as running. One that is
    /// refused for what it is, or for what the agent uses already, is recorded.
    fn accept(&self, method: &str, params: &RawValue) -> Result<(Joined, AcceptedEvent), Fault> {
        let joined = self.joined(method)?;
        match self.accept_in(&joined, method, params) {
            Ok(accepted) => Ok((joined, accepted)),
            Err(fault) => {
                if fault.rpc_code() == REFUSED
                    && let Ok(EventParams { event, .. }) = read_borrowed(method, params)
                    && let Ok(spec) = joined.find_event(&event)
                {
                    blocking(|| record_refusal(&self.app, &joined, spec, &fault));
                }
                Err(fault)
            }
        }
    }

    fn accept_in(&self, joined: &Joined, method: &str, params: &RawValue) -> Result<AcceptedEvent, Fault> {
        const LARGE_BYTES: usize = 256 << 10;
        self.check_unread()?;
        let kept = self.app.agents.kept.take(json_bytes(params.get()))?;
        let accept = || {
            let EventParams { event, payload } = read_borrowed(method, params)?;
            let job = FireJob {
                event: joined.find_event(&event)?.name.to_owned(),
                payload: parse_payload(payload.get().as_bytes())?,
                origin: Origin::Agent,
                caller: Caller::of(&joined.session, &joined.member),
                consent: Consent::Approvals,
                recording: Recording::On,
                cancel: joined.member.left.child_token(),
                run: None,
            };
            let conversation = joined.session.conversation().map_err(closed)?;
            // Another event may end this conversation first. The event then belongs to the next one.
            accept_event_in(&self.app, &conversation, job, |_| {
                joined.session.begin_event(&joined.member, kept)
            })
        };
        if params.get().len() > LARGE_BYTES {
            blocking(accept)
        } else {
            accept()
        }
    }

    /// Fires an event that gets no answer. The agent is told when it cannot be fired.
    async fn note(&self, params: &RawValue) -> BoxFuture<'static, Result<Value, Fault>> {
        match self.accept("event.note", params) {
            Ok((joined, accepted)) => {
                let app = self.app.clone();
                async move {
                    fire(app, joined, accepted).await;
                    Ok(json!({}))
                }
                .boxed()
            }
            Err(fault) => {
                let event = read_borrowed::<EventParams<'_>>("event.note", params).map(|params| params.event);
                let event = event.unwrap_or_else(|_| "event.note".to_owned());
                let message = render!(NOTE_NOT_FIRED, "event" => event, "why" => fault.message.as_str());
                self.link.notify("session.notice", warning(&message)).await;
                futures::future::ready(Err(fault)).boxed()
            }
        }
    }

    /// Resolves when the agent has opened its first session.
    pub async fn wait_until_opened(&self) {
        self.opened.cancelled().await;
    }

    /// Resolves when the agent has closed its session. Then no request is read any more.
    pub async fn wait_until_closed(&self) {
        self.closed.cancelled().await;
    }

    /// Stops the events of this connection, because the agent is gone. The connection may still write answers.
    pub fn stop_events(&self) {
        self.left.cancel();
    }

    /// Called once, when the connection has ended.
    pub fn leave(&self) {
        self.stop_events();
        self.leave_session();
    }

    pub(super) fn leave_session(&self) {
        if let Some(Joined { session, member }) = lock(&self.joined).take() {
            let app = Arc::downgrade(&self.app);
            let ended_later = move || {
                if let Some(app) = app.upgrade() {
                    app.push_stale(&[Topic::Agents]);
                }
            };
            self.app
                .agents
                .leave(&session, &member, self.app.workspace.now(), ended_later);
            self.app.push_stale(&[Topic::Agents, Topic::Trust]);
        }
    }
}

pub(super) fn closed(refusal: SessionRefusal) -> Fault {
    refusal.message().into()
}

/// Reads parameters.
fn read<T: serde::de::DeserializeOwned>(method: &str, params: &RawValue) -> Result<T, Fault> {
    json_depth::read(params.get()).map_err(|error| bad_params(method, &with_field::<T>(params, &error)))
}

/// Reads parameters that borrow from the line.
fn read_borrowed<'p, T: Deserialize<'p>>(method: &str, params: &'p RawValue) -> Result<T, Fault> {
    serde_json::from_str(params.get()).map_err(|error| bad_params(method, &with_field::<T>(params, &error)))
}

/// What is wrong with parameters, with the name of the field. They are read again for it, because most are right.
fn with_field<'p, T: Deserialize<'p>>(params: &'p RawValue, error: &serde_json::Error) -> String {
    let mut deserializer = serde_json::Deserializer::from_str(params.get());
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        Ok(_) => error.to_string(),
        Err(named) => named.to_string(),
    }
}
