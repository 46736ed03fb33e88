//! How many recorded events a hook's filter would match. It runs no hook.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_dialects::lookup::find_event;
use hookwright_model::trace::Trace;
use hookwright_model::{EditRequest, EventSpec, Hook, HookId, Match, Message, args};
use hookwright_store::TraceFilter;
use hookwright_workspace::Snapshot;
use hookwright_workspace::edit::preview;
use hookwright_workspace::edit::requests::change_request;

use crate::app::App;
use crate::dto::{HistoryMatchDoc, HistoryMatchRequest, HookEvent, NearTrace};
use crate::edit_commands::parse_change;
use crate::explain::with_unsaved;
use crate::fault::{BAD_PARAMS, Fault};

/// How many events are read if the request does not say how many, and how many at most.
const LAST: u32 = 200;
const MAX_LAST: u32 = 1000;
/// At most this many examples of each kind are named.
const MAX_EXAMPLES: usize = 5;
/// After this time no further event is read. Payloads may be large, and patterns slow.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The command `history.match`: how many of the last recorded events of one kind a filter would match.
///
/// # Errors
/// A name is unknown, the request names no hook, the definition is invalid, or the history cannot be read.
pub async fn history_match(app: &App, request: HistoryMatchRequest) -> Result<HistoryMatchDoc, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let hook = wanted_hook(app, &request, spec)?;
    if let Some(why) = &hook.invalid {
        return Err(why.clone().into());
    }
    let project = request
        .project
        .as_deref()
        .map(|project| app.workspace.env.absolute(Path::new(project)));
    let filter = TraceFilter {
        project: project.map(|project| project.display().to_string()),
        dialect: Some(dialect.card().id.to_owned()),
        event: Some(spec.name.to_owned()),
        ..TraceFilter::default()
    };
    let store = app.history.open_for_reading().await?;
    let mut count = MatchCount {
        hook: &hook,
        serves: hook.matches_event(spec),
        listed: (request.hook.is_some() && request.events == Some(true)).then(|| hook.id_at(spec)),
        doc: HistoryMatchDoc::default(),
        broken: None,
        started: Instant::now(),
    };
    let last = request.last.unwrap_or(LAST).clamp(1, MAX_LAST);
    store
        .visit_newest(&filter, last, &mut |trace| count.add(&trace))
        .await?;
    match count.broken {
        Some(why) => Err(why.into()),
        None => Ok(count.doc),
    }
}

struct MatchCount<'a> {
    hook: &'a Hook,
    /// Whether the hook listens to the event (gate `event`).
    serves: bool,
    /// The hook's id in the traces of the event, if its steps are wanted.
    listed: Option<HookId>,
    doc: HistoryMatchDoc,
    /// Why the filter cannot be used.
    broken: Option<Message>,
    started: Instant,
}

impl MatchCount<'_> {
    fn add(&mut self, trace: &Trace) -> ControlFlow<()> {
        self.list(trace);
        if trace.payload_before.is_empty() {
            self.doc.without_payload += 1;
            return ControlFlow::Continue(());
        }
        self.doc.looked_at += 1;
        match self.hook.when.explain(&trace.payload_before) {
            _ if !self.serves => {}
            Match::Yes => {
                self.doc.matches += 1;
                if self.doc.matched.len() < MAX_EXAMPLES {
                    self.doc.matched.push(trace.trace.clone());
                }
            }
            Match::No {
                near: Some(near_miss), ..
            } if self.doc.near.len() < MAX_EXAMPLES => {
                let trace = trace.trace.clone();
                self.doc.near.push(NearTrace { trace, near_miss });
            }
            Match::No { .. } => {}
            Match::Broken(why) => {
                self.broken = Some(why);
                return ControlFlow::Break(());
            }
        }
        if self.started.elapsed() < TIME_LIMIT {
            return ControlFlow::Continue(());
        }
        self.doc.incomplete = true;
        ControlFlow::Break(())
    }

    /// Adds what the hook did at an event, if that is wanted.
    fn list(&mut self, trace: &Trace) {
        let Some(hook) = &self.listed else { return };
        let step = trace.steps.iter().find(|step| step.hook == *hook);
        let failed = step.and_then(|step| step.gates.iter().find(|gate| !gate.pass));
        let reasons = &mut self.doc.reasons;
        let reason = failed.map(|gate| {
            reasons.iter().position(|known| known == gate).unwrap_or_else(|| {
                reasons.push(gate.clone());
                reasons.len() - 1
            })
        });
        self.doc.events.push(HookEvent {
            trace: trace.trace.clone(),
            at: trace.at,
            outcome: step.map(|step| step.outcome),
            reason: reason.map(|index| u32::try_from(index).unwrap_or(u32::MAX)),
        });
    }
}

/// The hook whose filter is evaluated: a present one, a changed one, or a new one.
fn wanted_hook(app: &App, request: &HistoryMatchRequest, spec: &EventSpec) -> Result<Arc<Hook>, Fault> {
    let workspace = &app.workspace;
    let project = request
        .project
        .as_deref()
        .map_or_else(|| workspace.env.home.clone(), PathBuf::from);
    let found = match (&request.hook, &request.definition) {
        (Some(id), _) if !request.steps.is_empty() => {
            let changes = request
                .steps
                .iter()
                .cloned()
                .map(parse_change)
                .collect::<Result<Vec<_>, _>>()?;
            let intention = change_request(id.clone(), changes)?;
            preview::planned_hooks(workspace, &project, None, &intention)?
        }
        (Some(id), _) => {
            let open_project = match &request.project {
                Some(project) => workspace.open_project(Path::new(project))?,
                None => workspace.user_hooks(),
            };
            let snapshot = open_project.snapshot();
            let Some(unsaved) = &request.unsaved else {
                return Ok(hook_of(&snapshot, id, spec)?);
            };
            let after = with_unsaved(app, &snapshot, &request.dialect, unsaved)?;
            return Ok(hook_of(&after, id, spec)?);
        }
        (None, Some(definition)) => {
            let layers = find_event(&request.dialect, spec.name)?
                .0
                .card()
                .edit_support
                .target_layers;
            let layer = *layers.first().ok_or_else(|| missing_hook("no layer takes new hooks"))?;
            let intention = EditRequest::Add {
                event: spec.name.to_owned(),
                layer,
                definition: definition.clone(),
            };
            preview::planned_hooks(workspace, &project, Some(&request.dialect), &intention)?
        }
        (None, None) => return Err(missing_hook("`hook` or `definition` is missing")),
    };
    let serving = found.iter().find(|hook| hook.matches_event(spec));
    let hook = serving.or_else(|| found.first()).cloned();
    hook.ok_or_else(|| missing_hook("the definition defines no hook"))
}

fn missing_hook(why: &str) -> Fault {
    BAD_PARAMS
        .render(args! { "method" => "history.match", "why" => why })
        .into()
}

/// The hook of this id. One that serves several events is returned for this event, if it serves it.
fn hook_of(snapshot: &Snapshot, id: &str, spec: &EventSpec) -> Result<Arc<Hook>, Message> {
    let serving = snapshot.all().find(|hook| hook.id == id && hook.matches_event(spec));
    let any = serving.or_else(|| snapshot.hook(id));
    any.cloned().ok_or_else(|| snapshot.unknown_hook(id))
}
