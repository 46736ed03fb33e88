//! How many recorded events a hook's filter would match. It runs no hook.

mod count;

use std::path::Path;

use hookwright_dialects::lookup::find_event;
use hookwright_store::TraceFilter;

use crate::app::App;
use crate::draft_hook::{DraftHook, draft_hook};
use crate::dto::{HistoryMatchDoc, HistoryMatchRequest};
use crate::fault::Fault;
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
    let draft = DraftHook {
        method: "history.match",
        project: request.project.as_deref(),
        dialect: &request.dialect,
        hook: request.hook.as_deref(),
        steps: &request.steps,
        unsaved: request.unsaved.as_ref(),
        definition: request.definition.as_ref(),
    };
    let hook = draft_hook(app, &draft, spec)?;
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
