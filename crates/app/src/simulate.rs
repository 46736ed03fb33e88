//! Playing a scripted conversation through a dialect's lifecycle (`CONTRACTS.md` §2.4).
//!
//! The dialect decides what happens next; here is the stage it plays on. One session lasts from the first event to the
//! last: what the dialect remembers, long-lived processes, and asynchronous hooks, which run on while later events are
//! fired and are waited for before the session ends.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{BoxFuture, Either};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hookwright_model::{
    Dialect, Hook, Message, Origin, Payload, Removal, Scenario, SimulateDoc, SimulationHost, SimulationResult, Step,
    Trace, args,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::dto::SimulateRequest;
use crate::fault::Fault;
use crate::fire::{Conversation, Fired, Firing, Recording};
use crate::hooks::{Consent, find_dialect};
use crate::library::Snapshot;
use crate::scenario::parse_scenario;

hookwright_model::messages! {
    /// A play that was stopped.
    PLAY_STOPPED = "play_stopped" { "the play was stopped", "推演已停止" };
    /// A play that cannot go on.
    NOT_FIRED = "not_fired" { "{event} cannot be fired: {why}", "无法触发 {event}：{why}" };
}

/// A scenario to play.
#[derive(Debug)]
pub struct Simulating {
    /// The script.
    pub scenario: Scenario,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Whether a person's `--trust` stands in for approvals.
    pub consent: Consent,
    /// Stops the play.
    pub cancel: CancellationToken,
}

/// A scenario that was played.
#[derive(Debug)]
pub struct Simulated {
    /// What came of it, as it was recorded: redacted.
    pub doc: SimulateDoc,
    /// Why something could not be recorded.
    pub unrecorded: Option<Message>,
}

impl App {
    /// Plays a scenario over a snapshot. One that is stopped shows how far it came.
    ///
    /// # Errors
    /// An unknown dialect, or an event that could not be fired.
    pub async fn simulate_in(&self, snapshot: &Snapshot, simulating: Simulating) -> Result<Simulated, Fault> {
        let dialect = find_dialect(&simulating.scenario.dialect)?;
        let candidates = self.candidates(snapshot, dialect.card().id, simulating.consent);
        let mut theatre = Theatre {
            app: self,
            snapshot,
            hooks: candidates.into_iter().map(|candidate| candidate.hook).collect(),
            dialect,
            session: simulating
                .scenario
                .session
                .clone()
                .unwrap_or_else(|| ulid::Ulid::generate().to_string()),
            project: &simulating.project,
            consent: simulating.consent,
            cancel: &simulating.cancel,
            conversation: Conversation::begin(),
            running: FuturesUnordered::new(),
            traces: Vec::new(),
            unrecorded: None,
        };
        let mut played = SimulationResult::default();
        let ended = dialect.simulate(&simulating.scenario, &mut theatre, &mut played).await;
        let waited = theatre.wait().await;
        theatre.record_removals();
        let Theatre {
            traces,
            unrecorded,
            conversation,
            ..
        } = theatre;
        self.end(conversation);
        if let Err(words) = ended
            && !simulating.cancel.is_cancelled()
        {
            return Err(words.into());
        }
        waited?;
        let traces = traces.into_iter().map(|shown| shown.fired.recorded).collect();
        Ok(Simulated {
            doc: self.simulated(played, traces),
            unrecorded,
        })
    }

    /// The document, with the secrets of what the model saw masked like those of traces.
    fn simulated(&self, played: SimulationResult, traces: Vec<Trace>) -> SimulateDoc {
        let mut said = json!([played.llm_calls, played.persisted, played.final_messages]);
        self.redactor().value(&mut said);
        let part = |at: usize| said.get(at).cloned().unwrap_or_default();
        SimulateDoc {
            llm_calls: read_back(part(0)),
            traces,
            persisted: read_back(part(1)),
            final_messages: read_back(part(2)),
            notices: played.notices,
        }
    }

    /// `simulate`: from the window, to be stopped by name.
    ///
    /// # Errors
    /// A scenario that cannot be read, a project that is no directory, an unknown dialect, or an event that could not be
    /// fired.
    pub async fn simulate_window(&self, request: SimulateRequest) -> Result<SimulateDoc, Fault> {
        let scenario = parse_scenario(Path::new("scenario"), &request.text)?;
        let desk = self.desk(Path::new(&request.project))?;
        let run = self.runs.begin(request.run);
        let simulating = Simulating {
            scenario,
            project: desk.project.clone(),
            consent: Consent::Approvals,
            cancel: run.cancel().clone(),
        };
        Ok(self.simulate_in(&desk.snapshot(), simulating).await?.doc)
    }
}

/// Masking changes texts only, so that what was written can be read.
fn read_back<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}

/// An event that was fired.
struct Shown {
    fired: Fired,
    /// What was taken out since of messages that it had inserted, by hook.
    removed: Vec<(String, Removal)>,
}

/// The stage of one play.
struct Theatre<'a> {
    app: &'a App,
    snapshot: &'a Snapshot,
    /// The dialect's hooks, as approvals at the beginning say who replaces whom.
    hooks: Vec<Arc<Hook>>,
    dialect: &'static dyn Dialect,
    session: String,
    project: &'a Path,
    consent: Consent,
    cancel: &'a CancellationToken,
    conversation: Conversation,
    /// Asynchronous hooks of events that were fired.
    running: FuturesUnordered<BoxFuture<'a, Result<Fired, Fault>>>,
    traces: Vec<Shown>,
    unrecorded: Option<Message>,
}

impl SimulationHost for Theatre<'_> {
    fn fire<'a>(&'a mut self, event: &'a str, payload: Payload) -> BoxFuture<'a, Result<Trace, Message>> {
        async move {
            if self.cancel.is_cancelled() {
                return Err(PLAY_STOPPED.render_plain());
            }
            let fired = self.fire_one(event, payload).await;
            let mut fired =
                fired.map_err(|fault| NOT_FIRED.render(args! { "event" => event, "why" => fault.message }))?;
            if let Some(detached) = fired.detached.take() {
                let (app, cancel) = (self.app, self.cancel);
                self.running
                    .push(async move { app.finish_detached(detached, cancel).await }.boxed());
            }
            let trace = fired.raw().clone();
            self.note(fired);
            Ok(trace)
        }
        .boxed()
    }

    fn hooks(&self) -> Vec<&Hook> {
        self.hooks.iter().map(|hook| &**hook).collect()
    }

    fn removed(&mut self, trace: &str, hook: &str, reference: &str, by: &str) {
        let removal = Removal {
            reference: reference.to_owned(),
            at: self.app.now(),
            by: by.to_owned(),
            ..Removal::default()
        };
        let fired = |shown: &&mut Shown| shown.fired.recorded.trace == trace;
        if let Some(shown) = self.traces.iter_mut().find(fired) {
            shown.removed.push((hook.to_owned(), removal));
        }
    }
}

impl Theatre<'_> {
    /// Fires one event; asynchronous hooks of earlier ones run on meanwhile.
    async fn fire_one(&mut self, event: &str, payload: Payload) -> Result<Fired, Fault> {
        let firing = Firing {
            dialect: self.dialect.card().id.to_owned(),
            event: event.to_owned(),
            payload,
            project: self.project.to_owned(),
            session: Some(self.session.clone()),
            origin: Origin::Simulated,
            consent: self.consent,
            recording: Recording::On,
            cancel: self.cancel.clone(),
        };
        if self.dialect.card().last == Some(event) {
            // A conversation takes longer than its play: asynchronous hooks would be over, not cut off with their session.
            self.wait().await?;
        }
        let mut ended = Vec::new();
        let fired = {
            let mut firing = Box::pin(self.app.fire_within(self.snapshot, firing, &mut self.conversation));
            loop {
                if self.running.is_empty() {
                    break firing.await;
                }
                match futures::future::select(&mut firing, self.running.next()).await {
                    Either::Left((fired, _)) => break fired,
                    Either::Right((run, _)) => ended.extend(run),
                }
            }
        };
        for run in ended {
            self.note(run?);
        }
        fired
    }

    /// Waits for the asynchronous hooks.
    async fn wait(&mut self) -> Result<(), Fault> {
        while let Some(run) = self.running.next().await {
            self.note(run?);
        }
        Ok(())
    }

    /// Keeps a trace; one that was kept before is replaced.
    fn note(&mut self, mut fired: Fired) {
        self.unrecorded = self.unrecorded.take().or(fired.unrecorded.take());
        let same = |shown: &&mut Shown| shown.fired.recorded.trace == fired.recorded.trace;
        match self.traces.iter_mut().find(same) {
            Some(shown) => shown.fired = fired,
            None => self.traces.push(Shown {
                fired,
                removed: Vec::new(),
            }),
        }
    }

    /// Records again what became of steps after their event.
    fn record_removals(&mut self) {
        for shown in self.traces.iter_mut().filter(|shown| !shown.removed.is_empty()) {
            let mut trace = shown.fired.raw().clone();
            for (hook, removal) in shown.removed.drain(..) {
                let mine = |step: &&mut Step| step.hook == hook && step.position.is_some();
                if let Some(step) = trace.steps.iter_mut().find(mine) {
                    step.removed.push(removal);
                }
            }
            // What is told of the first account does not hold of this one.
            trace.recorded = true;
            shown.fired = self.app.record(trace, Recording::On);
            self.unrecorded = self.unrecorded.take().or(shown.fired.unrecorded.take());
        }
    }
}
