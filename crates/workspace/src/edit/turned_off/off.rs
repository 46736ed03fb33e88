//! Turning a hook off.

use std::path::Path;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditDoc, EditRequest, HookChange};

use super::super::hook_edit::{Purpose, dialect_of, perform, perform_for};
use super::super::refusal::{EditRefusal, WriteMode};
use crate::workspace::Workspace;

/// Turns a hook off for the agent: sets the dialect's field, or takes the definition out of its file and keeps it.
///
/// # Errors
/// The reason why the hook cannot be turned off. No file was changed then.
pub fn turn_off(workspace: &Workspace, project: &Path, hook: &str, mode: WriteMode) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let dialect = find_dialect(dialect_of(&open_project.snapshot(), hook)?)?;
    if dialect.card().edit_support.switch.is_some() {
        let request = EditRequest::Change {
            hook: hook.to_owned(),
            changes: vec![HookChange::Disable],
        };
        return perform(workspace, project, None, &request, mode);
    }
    let request = EditRequest::Remove { hook: hook.to_owned() };
    perform_for(workspace, project, None, &request, mode, Purpose::TurnOff)
}
