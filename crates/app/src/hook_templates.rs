//! Templates of new hooks.

use hookwright_dialects::hook_templates;
use hookwright_dialects::lookup::find_event;

use crate::app::App;
use crate::dto::{TemplatesDoc, TemplatesRequest};
use crate::fault::Fault;

/// The command `templates.list`: what a new hook can begin with at an event.
///
/// # Errors
/// The dialect or the event is unknown.
pub async fn templates_list(_app: &App, request: TemplatesRequest) -> Result<TemplatesDoc, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    Ok(TemplatesDoc {
        templates: hook_templates::templates(dialect.card(), spec),
    })
}
