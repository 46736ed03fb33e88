//! Hooks as they would be after changes that are not saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_event;
use hookwright_model::{EditRequest, EventSpec, Hook, Message, render};
use hookwright_workspace::Snapshot;
use hookwright_workspace::edit::preview;
use hookwright_workspace::edit::requests::change_request;
use serde_json::{Map, Value};

use crate::app::App;
use crate::dto::{EditStep, UnsavedText};
use crate::edit_commands::parse_change;
use crate::explain::with_unsaved;
use crate::fault::{BAD_PARAMS, Fault};

/// What a request says about a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DraftHook<'a> {
    /// The command, for its errors.
    pub method: &'static str,
    pub project: Option<&'a str>,
    pub dialect: &'a str,
    /// Hook id.
    pub hook: Option<&'a str>,
    /// Changes of that hook.
    pub steps: &'a [EditStep],
    /// An unsaved text that defines that hook.
    pub unsaved: Option<&'a UnsavedText>,
    /// The definition of a new hook, used only without `hook`.
    pub definition: Option<&'a Map<String, Value>>,
}

/// The hook that a request means: a present one, a changed one, or a new one.
///
/// # Errors
/// The request names no hook, or its changes or its definition cannot be read.
pub(crate) fn draft_hook(app: &App, request: &DraftHook<'_>, spec: &EventSpec) -> Result<Arc<Hook>, Fault> {
    let workspace = &app.workspace;
    let project = request
        .project
        .map_or_else(|| workspace.env.home.clone(), PathBuf::from);
    let found = match (request.hook, request.definition) {
        (Some(id), _) if !request.steps.is_empty() => {
            let changes = request
                .steps
                .iter()
                .cloned()
                .map(parse_change)
                .collect::<Result<Vec<_>, _>>()?;
            let intention = change_request(id.to_owned(), changes)?;
            preview::planned_hooks(workspace, &project, None, &intention)?
        }
        (Some(id), _) => {
            let open_project = match request.project {
                Some(project) => workspace.open_project(Path::new(project))?,
                None => workspace.user_hooks(),
            };
            let snapshot = open_project.snapshot();
            let Some(unsaved) = request.unsaved else {
                return Ok(hook_of(&snapshot, id, spec)?);
            };
            let after = with_unsaved(app, &snapshot, request.dialect, unsaved)?;
            return Ok(hook_of(&after, id, spec)?);
        }
        (None, Some(definition)) => {
            let layers = find_event(request.dialect, spec.name)?
                .0
                .card()
                .edit_support
                .target_layers;
            let layer = *layers
                .first()
                .ok_or_else(|| missing_hook(request.method, "no layer takes new hooks"))?;
            let intention = EditRequest::Add {
                event: spec.name.to_owned(),
                layer,
                definition: definition.clone(),
            };
            preview::planned_hooks(workspace, &project, Some(request.dialect), &intention)?
        }
        (None, None) => return Err(missing_hook(request.method, "`hook` or `definition` is missing")),
    };
    let serving = found.iter().find(|hook| hook.matches_event(spec));
    let hook = serving.or_else(|| found.first()).cloned();
    hook.ok_or_else(|| missing_hook(request.method, "the definition defines no hook"))
}

fn missing_hook(method: &str, why: &str) -> Fault {
    render!(BAD_PARAMS, "method" => method, "why" => why).into()
}

/// The hook of this id. One that serves several events is returned for this event, if it serves it.
fn hook_of(snapshot: &Snapshot, id: &str, spec: &EventSpec) -> Result<Arc<Hook>, Message> {
    let serving = snapshot.all().find(|hook| hook.id == id && hook.matches_event(spec));
    let any = serving.or_else(|| snapshot.hook(id));
    any.cloned().ok_or_else(|| snapshot.unknown_hook(id))
}
