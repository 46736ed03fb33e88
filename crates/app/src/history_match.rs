//! How many recorded events a hook's filter would match. It runs no hook.

mod count;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_event;
use hookwright_model::{EditRequest, EventSpec, Hook, Message, args};
use hookwright_store::TraceFilter;
use hookwright_workspace::Snapshot;
use hookwright_workspace::edit::requests::change_request;
use hookwright_workspace::edit::{preview, text_edit};

use crate::app::App;
use crate::dto::{HistoryMatchDoc, HistoryMatchRequest};
use crate::edit_commands::parse_change;
use crate::fault::{BAD_PARAMS, Fault};
use count::MatchCount;

/// How many events are read if the request does not say how many, and how many at most.
const LAST: u32 = 200;
const MAX_LAST: u32 = 1000;

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
    let mut count = MatchCount::begin(&hook, dialect.card(), spec, &request);
    let last = request.last.unwrap_or(LAST).clamp(1, MAX_LAST);
    store
        .visit_newest(&filter, last, &mut |trace| count.add(&trace))
        .await?;
    Ok(count.end()?)
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
            let path = workspace.env.absolute(Path::new(&unsaved.path));
            let source = text_edit::source_of(&snapshot, &path, Some(&request.dialect))?;
            let after = text_edit::snapshot_with_text(workspace, &snapshot, source.dialect, &path, &unsaved.text);
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
