//! New hooks together with the files that they need, as one edit that can be undone.
//!
//! The dialect adds each hook to its file as `add` does, so everything else in that file stays. Files that come along
//! are new: nothing is ever overwritten. A hook that is defined already with the same fields is not added twice.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::convert::NewFile;
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Card, EditDoc, EditKind, EditRequest, Hook, Message, TargetLayer};
use serde_json::{Map, Value};

use super::approval_transfer::TransferUndo;
use super::edit_openers::EditOpeners;
use super::edit_sequence::{EditSequence, PlannedSequence};
use super::script_edit::ScriptPlace;
use super::store::EditRecord;
use super::user_files::PlannedFile;
use super::{
    EditRefusal, WriteMode, apply, attributes, containment, dialect_of_new, diff, new_error_message, new_files, notices,
};
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
    let planned = plan(workspace, &before, request)?;
    let elsewhere = |path: &Path| ScriptPlace::new(workspace, &open_project, path).check();
    containment::check_with_scripts(&planned.trees, &planned.transaction, &elsewhere)?;
    let new = new_hooks(&before, &planned, request.dialect);
    let mut doc = EditDoc {
        hook: new.first().map(|hook| hook.id.clone()),
        moved: planned.moved.clone(),
        problems: planned.problems.clone(),
        notices: attributes::hard_link_notices(&planned.transaction),
        ..EditDoc::unwritten(
            &main_path(&planned, &new, request),
            diff::for_transaction(&planned.transaction),
        )
    };
    if let Some(problem) = &planned.error {
        return Err(EditRefusal::Problems(Box::new(doc), new_error_message(problem)));
    }
    if mode == WriteMode::DryRun || planned.transaction.is_empty() {
        let waiting = new.iter().filter(|hook| Trust::needs_approval(hook));
        doc.notices
            .extend(waiting.map(|hook| notices::unapproved_hook(&hook.id)));
        return Ok(doc);
    }
    let record = record(workspace, &open_project, request, &doc, &new);
    let mut work = planned.transaction;
    let done = apply::apply(workspace, &open_project, &mut work, record, |_, _| {
        Ok(TransferUndo::default())
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo) = (done.edit.clone(), done.edit);
    let after = open_project.snapshot();
    let waits = |hook: &&Arc<Hook>| {
        let written = after.hook(&hook.id);
        written.is_some_and(|hook| workspace.trust.check_gate(hook).is_err())
    };
    doc.notices
        .extend(new.iter().filter(waits).map(|hook| notices::unapproved_hook(&hook.id)));
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
    let before = discovery::load_with(&workspace.env, folder, None, &PendingFiles::default());
    let planned = plan(workspace, &before, request)?;
    if let Some(problem) = &planned.error {
        let doc = EditDoc::unwritten(&planned.path, diff::for_transaction(&planned.transaction));
        return Err(EditRefusal::Problems(Box::new(doc), new_error_message(problem)));
    }
    let written = |file: PlannedFile| {
        let content = file.after?;
        Some(NewFile {
            path: file.path,
            bytes: content.bytes,
            mode: content.mode,
        })
    };
    Ok(planned.transaction.files.into_iter().filter_map(written).collect())
}

fn plan(workspace: &Workspace, before: &Snapshot, request: &AddedHooks<'_>) -> Result<PlannedSequence, Message> {
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
    edits.finish()
}

/// The event with which a hook is added. A hook of every event that the agent only reports has one of them.
fn named_event(card: &Card, event: &str) -> String {
    let reported = || card.events.iter().find(|spec| spec.notify_only);
    let every = reported().filter(|_| event == EVERY_EVENT);
    every.map_or_else(|| event.to_owned(), |spec| spec.name.to_owned())
}

fn ids(snapshot: &Snapshot, dialect: &str) -> BTreeSet<String> {
    let sources = snapshot.sources.iter().filter(|source| source.dialect == dialect);
    let hooks = sources.flat_map(|source| source.hooks.iter());
    hooks.map(|hook| hook.id.clone()).collect()
}

/// The hooks that are not defined before the edit, each once.
fn new_hooks(before: &Snapshot, planned: &PlannedSequence, dialect: &str) -> Vec<Arc<Hook>> {
    let moved = |id: String| planned.moved.get(&id).cloned().unwrap_or(id);
    let mut known: BTreeSet<String> = ids(before, dialect).into_iter().map(moved).collect();
    let sources = planned.after.sources.iter();
    let mine = sources.filter(|source| source.dialect == dialect);
    let hooks = mine.flat_map(|source| source.hooks.iter());
    hooks.filter(|hook| known.insert(hook.id.clone())).cloned().collect()
}

/// The file that names the edit: the one that defines the first hook.
fn main_path(planned: &PlannedSequence, new: &[Arc<Hook>], request: &AddedHooks<'_>) -> PathBuf {
    let defining = new.first().map(|hook| hook.source.path.clone());
    let written = || planned.transaction.files.first().map(|file| file.path.clone());
    let named = || request.files.first().map(|file| file.path.clone());
    defining.or_else(written).or_else(named).unwrap_or_default()
}

fn record(
    workspace: &Workspace,
    open_project: &OpenProject,
    request: &AddedHooks<'_>,
    doc: &EditDoc,
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
        ..EditRecord::new(
            workspace.now(),
            EditKind::Add,
            request.dialect,
            &open_project.project,
            Path::new(&doc.path),
        )
    }
}
