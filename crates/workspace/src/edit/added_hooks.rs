//! New hooks together with the files that they need, as one edit that can be undone.
//!
//! The dialect adds each hook to its file as `add` does, so everything else in that file stays. Files that come along
//! are new: nothing is ever overwritten. A hook that is defined already with the same fields is not added twice.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::convert::NewFile;
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Card, EditDoc, EditKind, EditRequest, Hook, Message, SourceTree, TargetLayer};
use serde_json::{Map, Value};

use super::approval_transfer::TransferUndo;
use super::commit::CheckedEdit;
use super::edit_openers::EditOpeners;
use super::edit_sequence::EditSequence;
use super::hook_edit::dialect_of_new;
use super::refusal::{EditRefusal, WriteMode};
use super::script_edit::ScriptPlace;
use super::store::EditRecord;
use super::user_files::PlannedFile;
use super::{containment, new_files, notices};
use crate::discovery::{self, PendingFiles};
use crate::project::OpenProject;
use crate::snapshot::Snapshot;
use crate::trust::Trust;
use crate::workspace::Workspace;

/// The event of a hook that observes all events.
const EVERY_EVENT: &str = "*";

/// A hook to add to a file that contains several.
#[derive(Debug, Clone, PartialEq)]
pub struct NewHook {
    /// The event, in the dialect's spelling.
    pub event: String,
    /// The fields of the definition.
    pub definition: Map<String, Value>,
}

/// Hooks to add, and the files that come along.
#[derive(Debug, Clone, Copy)]
pub struct AddedHooks<'a> {
    /// Dialect id.
    pub dialect: &'a str,
    /// The layer that the hooks are added to.
    pub layer: TargetLayer,
    /// The hooks. A file that comes along may define further ones.
    pub hooks: &'a [NewHook],
    /// The files, with absolute paths.
    pub files: &'a [NewFile],
    /// What the list of edits shows if there are several hooks.
    pub label: &'a str,
}

/// Adds the hooks and writes the files. [`super::undo`] can undo it.
///
/// # Errors
/// The reason why it is refused. No file was changed then.
pub fn add(
    workspace: &Workspace,
    project: &Path,
    request: &AddedHooks<'_>,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    let (mut edit, trees) = plan(workspace, &before, request)?;
    let elsewhere = |path: &Path| ScriptPlace::new(workspace, &open_project, path).check();
    containment::check_with_scripts(&trees, &edit.transaction, &elsewhere)?;
    let new = new_hooks(&edit);
    edit.doc.hook = new.first().map(|hook| hook.id.clone());
    edit.set_path(&main_path(&edit, &new, request));
    let record = record(&edit, workspace, &open_project, request, &new);
    let mut doc = edit.write(workspace, &open_project, mode, record, None, |_, _| {
        Ok(TransferUndo::default())
    })?;
    let after = open_project.snapshot();
    let waits = |hook: &&Arc<Hook>| match after.hook(&hook.id) {
        Some(written) if doc.written => workspace.trust.check_gate(written).is_err(),
        Some(_) | None => !doc.written && Trust::needs_approval(hook),
    };
    let waiting: Vec<_> = new
        .iter()
        .filter(waits)
        .map(|hook| notices::unapproved_hook(&hook.id))
        .collect();
    doc.notices.extend(waiting);
    Ok(doc)
}

/// What the files of a folder would be with the hooks, as if the folder were a project. Nothing is written.
///
/// # Errors
/// The reason why the hooks cannot be added.
pub fn planned_files(
    workspace: &Workspace,
    folder: &Path,
    request: &AddedHooks<'_>,
) -> Result<Vec<NewFile>, EditRefusal> {
    let before = discovery::load_with(&workspace.env, folder, None, &PendingFiles::default(), workspace.now());
    let (edit, _) = plan(workspace, &before, request)?;
    edit.refuse_error()?;
    let written = |file: PlannedFile| {
        let content = file.after?;
        Some(NewFile {
            path: file.path,
            bytes: content.bytes,
            mode: content.mode,
        })
    };
    Ok(edit.transaction.files.into_iter().filter_map(written).collect())
}

fn plan(
    workspace: &Workspace,
    before: &Snapshot,
    request: &AddedHooks<'_>,
) -> Result<(CheckedEdit, Vec<SourceTree>), Message> {
    let dialect = find_dialect(request.dialect)?;
    let mut edits = EditSequence::new(workspace, before, dialect)?;
    let mut files = Vec::new();
    let openers = EditOpeners::of_snapshot(before);
    for file in request.files {
        files.extend(new_files::plan_file(&openers, file.path.clone(), file)?);
    }
    edits.add_files(files);
    for hook in request.hooks {
        if edits.defines(request.layer, &hook.event, &hook.definition) {
            continue;
        }
        let event = named_event(dialect.card(), &hook.event);
        dialect_of_new(request.dialect, &event)?;
        edits.apply(&EditRequest::Add {
            event,
            layer: request.layer,
            definition: hook.definition.clone(),
        })?;
    }
    edits.finish(BTreeSet::new())
}

/// The event with which a hook is added. A hook of every event that the agent only reports has one of them.
fn named_event(card: &Card, event: &str) -> String {
    let reported = || card.events.iter().find(|spec| spec.notify_only);
    let every = reported().filter(|_| event == EVERY_EVENT);
    every.map_or_else(|| event.to_owned(), |spec| spec.name.to_owned())
}

/// The hooks that are not defined before the edit, each once.
fn new_hooks(edit: &CheckedEdit) -> Vec<Arc<Hook>> {
    let mut new: BTreeSet<&str> = edit.pairs.added.iter().map(String::as_str).collect();
    let hooks = edit.after.all().filter(|hook| new.remove(hook.id.as_str()));
    hooks.cloned().collect()
}

/// The file that names the edit: the one that defines the first hook.
fn main_path(edit: &CheckedEdit, new: &[Arc<Hook>], request: &AddedHooks<'_>) -> PathBuf {
    let defining = new.first().map(|hook| hook.source.path.clone());
    let written = || edit.transaction.files.first().map(|file| file.path.clone());
    let named = || request.files.first().map(|file| file.path.clone());
    defining.or_else(written).or_else(named).unwrap_or_default()
}

fn record(
    edit: &CheckedEdit,
    workspace: &Workspace,
    open_project: &OpenProject,
    request: &AddedHooks<'_>,
    new: &[Arc<Hook>],
) -> EditRecord {
    // The removal of one hook alone must not restore the file as it was before several were added.
    let (hook, label) = match new {
        [only] if request.hooks.len() == 1 => (Some(only.id.clone()), only.label.clone()),
        _ => (None, request.label.to_owned()),
    };
    EditRecord {
        in_project: request.layer != TargetLayer::User,
        hook,
        label: Some(label),
        script: true,
        ..edit.record(workspace, open_project, EditKind::Add, request.dialect)
    }
}
