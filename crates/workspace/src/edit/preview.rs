//! The hook that an edit would make, without making it.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::{EditRequest, Former, Hook, Message};

use super::commit::CheckedEdit;
use super::hook_edit::{dialect_of, dialect_of_new};
use crate::workspace::Workspace;

/// The hook as its file would define it after the edit, once for each event that it serves. `dialect` is the dialect of
/// a new hook. The hook may be invalid.
///
/// # Errors
/// The edit is not possible, for the same reasons as when it is made.
pub fn planned_hooks(
    workspace: &Workspace,
    project: &Path,
    dialect: Option<&str>,
    request: &EditRequest,
) -> Result<Vec<Arc<Hook>>, Message> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    let dialect = match request {
        EditRequest::Add { event, .. } => dialect_of_new(dialect.unwrap_or_default(), event)?,
        EditRequest::Change { hook, .. } | EditRequest::Remove { hook } => dialect_of(&before, hook)?,
    };
    let planned = CheckedEdit::of_request(workspace, &before, dialect, request, &Former::new())?;
    Ok(planned.hooks().cloned().collect())
}
