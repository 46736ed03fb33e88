//! Simulates a scripted conversation in a dialect's lifecycle (`CONTRACTS.md` §2.4).
//!
//! The dialect decides what happens next; this is the host that fires the events. One session lasts from the first
//! event to the last: the dialect's state, the peers and the asynchronous hooks. Asynchronous hooks continue while
//! later events are fired. The session ends only after they have ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{BoxFuture, Either};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hookwright_dialects::lookup::find_dialect;
use hookwright_engine::Session;
use hookwright_model::{
    Card, Hook, Message, Origin, Payload, Removal, Scenario, SeenMessage, SimulateDoc, SimulationHost,
    SimulationResult, Step, Trace, exact_json, render,
};
use hookwright_workspace::Snapshot;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::candidates::candidates;
use crate::dto::SimulateRequest;
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::fire::{Caller, FireJob, FireResult, finish_detached, fire_in_session, record};
use crate::output_doctor::with_output_problems;
use crate::scenario::parse_scenario;
use crate::sessions::{SessionRequest, open_session};

hookwright_model::messages! {
    /// The simulation was stopped.
    SIMULATION_STOPPED = "play_stopped" { "the simulation was stopped", "模拟已停止" };
    /// The simulation cannot continue, because an event cannot be fired.
    NOT_FIRED = "not_fired" { "{event} cannot be fired: {why}", "无法触发 {event}：{why}" };
}

/// A scenario to simulate.
#[derive(Debug)]
pub struct SimulateJob {
    /// The script.
    pub scenario: Scenario,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Whether approvals decide, or the user's `--trust` replaces them.
    pub consent: Consent,
    /// Stops the simulation.
    pub cancel: CancellationToken,
}

/// The result of a simulation.
#[derive(Debug)]
pub struct SimulateResult {
    /// The document of the simulation, redacted like the recorded traces.
    pub doc: SimulateDoc,
    /// Why a trace could not be recorded, or not completely.
    pub unrecorded: Option<Message>,
}

/// Simulates a scenario with the hooks of a snapshot. If it is stopped, the result contains what happened until
/// then.
///
/// # Errors
/// The dialect is unknown, or an event could not be fired.
pub async fn simulate_in(app: &App, snapshot: &Snapshot, job: SimulateJob) -> Result<SimulateResult, Fault> {
    let dialect = find_dialect(&job.scenario.dialect)?;
    let session_id = job.scenario.session.clone();
    let request = SessionRequest {
        dialect: dialect.card().id.to_owned(),
        id: Some(session_id.unwrap_or_else(|| ulid::Ulid::generate().to_string())),
        project: job.project,
    };
    let session = open_session(app, request)?;
    let candidates = candidates(app, snapshot, dialect.card().id, job.consent);
    let mut host = EngineSimulationHost {
        app,
        snapshot,
        hooks: candidates.into_iter().map(|candidate| candidate.hook).collect(),
        consent: job.consent,
        cancel: &job.cancel,
        session,
        running: FuturesUnordered::new(),
        traces: Vec::new(),
        unrecorded: None,
    };
    let mut result = SimulationResult::default();
    let ended = dialect.simulate(&job.scenario, &mut host, &mut result).await;
    host.wait_for_detached().await;
    host.record_removals();
    let EngineSimulationHost {
        hooks,
        traces,
        unrecorded,
        session,
        ..
    } = host;
    session.close();
    if let Err(message) = ended
        && !job.cancel.is_cancelled()
    {
        return Err(message.into());
    }
    let recorded = traces.into_iter().map(|event| event.fired.recorded);
    let traces: Vec<Trace> = recorded.map(with_output_problems).collect();
    let calls = result.llm_calls.iter_mut().flat_map(|call| &mut call.messages);
    for message in calls.chain(&mut result.final_messages) {
        name_hook(message, dialect.card(), &hooks, &traces);
    }
    Ok(SimulateResult {
        doc: to_doc(app, result, traces),
        unrecorded,
    })
}

/// Adds the name of the hook that wrote a message, and how long its texts stay.
fn name_hook(message: &mut SeenMessage, card: &Card, hooks: &[Arc<Hook>], traces: &[Trace]) {
    let Some(id) = &message.hook else { return };
    let hook = hooks.iter().find(|hook| hook.id == *id);
    let step = || {
        traces
            .iter()
            .flat_map(|trace| &trace.steps)
            .find(|step| step.hook == *id)
    };
    message.label = hook
        .map(|hook| hook.label.clone())
        .or_else(|| step().map(|step| step.label.clone()));
    message.lifetime = hook.and_then(|hook| card.event(&hook.event)?.lifetime);
}

/// The document of a simulation. Secrets in the model's messages are masked as in traces.
fn to_doc(app: &App, result: SimulationResult, traces: Vec<Trace>) -> SimulateDoc {
    let mut documents = exact_json::to_value(&(
        result.llm_calls,
        result.persisted,
        result.final_messages,
        result.insertions,
    ));
    app.workspace.redactor().value(&mut documents);
    let part = |at: usize| documents.get(at).cloned().unwrap_or_default();
    SimulateDoc {
        turns: result.turns,
        llm_calls: read_back(part(0)),
        traces,
        persisted: read_back(part(1)),
        final_messages: read_back(part(2)),
        insertions: read_back(part(3)),
        notices: result.notices,
    }
}

/// `simulate`: simulates a scenario for the window. `fire.stop` with the name of the run stops it.
///
/// # Errors
/// The scenario cannot be read, the project is not a directory, the dialect is unknown, or an event could not be
/// fired.
pub async fn simulate_window(app: &App, request: SimulateRequest) -> Result<SimulateDoc, Fault> {
    let scenario = parse_scenario(Path::new("scenario"), &request.text)?;
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let run = app.runs.begin(request.run);
    let job = SimulateJob {
        scenario,
        project: open_project.project.clone(),
        consent: Consent::Approvals,
        cancel: run.cancel().clone(),
    };
    Ok(simulate_in(app, &open_project.snapshot(), job).await?.doc)
}

/// Reads a redacted value back into its type. Redaction changes only texts, so the value still fits the type.
fn read_back<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}

/// One fired event of the simulation.
struct ShownEvent {
    fired: FireResult,
    /// The removals of messages that the event had inserted, each with the id of the hook.
    removed: Vec<(String, Removal)>,
}

/// The host of one simulation.
struct EngineSimulationHost<'a> {
    app: &'a App,
    snapshot: &'a Snapshot,
    /// The dialect's hooks. Which hook replaces another depends on the approvals at the start of the simulation.
    hooks: Vec<Arc<Hook>>,
    consent: Consent,
    cancel: &'a CancellationToken,
    session: Arc<Session>,
    /// The asynchronous hooks of fired events that have not ended yet.
    running: FuturesUnordered<BoxFuture<'a, FireResult>>,
    traces: Vec<ShownEvent>,
    unrecorded: Option<Message>,
}

impl SimulationHost for EngineSimulationHost<'_> {
    fn fire<'a>(&'a mut self, event: &'a str, payload: Payload) -> BoxFuture<'a, Result<Trace, Message>> {
        async move {
            if self.cancel.is_cancelled() {
                return Err(SIMULATION_STOPPED.render_plain());
            }
            let fired = self.fire_one(event, payload).await;
            let mut fired = fired.map_err(|fault| render!(NOT_FIRED, "event" => event, "why" => fault.message))?;
            if let Some(detached) = fired.detached.take() {
                let (app, cancel) = (self.app, self.cancel);
                self.running
                    .push(async move { finish_detached(app, detached, cancel).await }.boxed());
            }
            let trace = fired.raw().clone();
            self.store_result(fired);
            Ok(trace)
        }
        .boxed()
    }

    fn fired_events(&self) -> u32 {
        u32::try_from(self.traces.len()).unwrap_or(u32::MAX)
    }

    fn hooks(&self) -> Vec<&Hook> {
        self.hooks.iter().map(|hook| &**hook).collect()
    }

    fn removed(&mut self, trace: &str, hook: &str, reference: &str, by: &str) {
        let removal = Removal {
            reference: reference.to_owned(),
            at: self.app.workspace.now(),
            by: by.to_owned(),
            ..Removal::default()
        };
        let fired = |event: &&mut ShownEvent| event.fired.recorded.trace == trace;
        if let Some(event) = self.traces.iter_mut().find(fired) {
            event.removed.push((hook.to_owned(), removal));
        }
    }
}

impl EngineSimulationHost<'_> {
    /// Fires one event. Asynchronous hooks of earlier events continue in the meantime.
    async fn fire_one(&mut self, event: &str, payload: Payload) -> Result<FireResult, Fault> {
        let job = FireJob {
            event: event.to_owned(),
            payload: payload.into(),
            origin: Origin::Simulated,
            caller: Caller::ThisProcess,
            consent: self.consent,
            recording: Recording::On,
            cancel: self.cancel.clone(),
            run: None,
        };
        if self.session.dialect().card().last == Some(event) {
            // A real conversation takes longer than its simulation. There, asynchronous hooks would end by themselves,
            // not be cut off with their session.
            self.wait_for_detached().await;
        }
        let mut ended = Vec::new();
        let fired = {
            let mut fire_future = Box::pin(fire_in_session(self.app, self.snapshot, &self.session, job));
            loop {
                if self.running.is_empty() {
                    break fire_future.await;
                }
                match futures::future::select(&mut fire_future, self.running.next()).await {
                    Either::Left((fired, _)) => break fired,
                    Either::Right((run, _)) => ended.extend(run),
                }
            }
        };
        for run in ended {
            self.store_result(run);
        }
        fired
    }

    /// Waits until all asynchronous hooks have ended, and stores their results.
    async fn wait_for_detached(&mut self) {
        while let Some(run) = self.running.next().await {
            self.store_result(run);
        }
    }

    /// Stores a result. It replaces an earlier result of the same trace.
    fn store_result(&mut self, mut fired: FireResult) {
        self.unrecorded = self.unrecorded.take().or(fired.unrecorded.take());
        let same = |event: &&mut ShownEvent| event.fired.recorded.trace == fired.recorded.trace;
        match self.traces.iter_mut().find(same) {
            Some(event) => event.fired = fired,
            None => self.traces.push(ShownEvent {
                fired,
                removed: Vec::new(),
            }),
        }
    }

    /// Records a trace again if messages of its steps were removed after the event.
    fn record_removals(&mut self) {
        for event in self.traces.iter_mut().filter(|shown| !shown.removed.is_empty()) {
            let mut trace = event.fired.raw().clone();
            for (hook, removal) in event.removed.drain(..) {
                let mine = |step: &&mut Step| step.hook == hook && step.position.is_some();
                if let Some(step) = trace.steps.iter_mut().find(mine) {
                    step.removed.push(removal);
                }
            }
            // Whether the first record was complete does not matter for the new one.
            trace.recorded = true;
            event.fired = record(self.app, trace, Recording::On);
            self.unrecorded = self.unrecorded.take().or(event.fired.unrecorded.take());
        }
    }
}
