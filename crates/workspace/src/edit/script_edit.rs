//! The files that a hook consists of beside its definition, and saving the text of one that is in no root: a script
//! that a command names.
//!
//! No root decides where such a text may be written. It may be written to a file that the hook names now, which is
//! really (links followed) in the project, or for a hook of the user also in the home directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditDoc, EditKind, Hook, Message, Notice, render};

use super::approval_transfer::{self, HookMove};
use super::commit::CheckedEdit;
use super::edit_openers::EditOpeners;
use super::folders::{self, BYTE_ORDER_MARK};
use super::refusal::{EditRefusal, WriteMode};
use super::requests::TextEdit;
use super::store::EditRecord;
use super::user_files::{self, CHANGED, FileContent, FileTransaction, PlannedFile};
use super::{containment, notices};
use crate::project::OpenProject;
use crate::snapshot::Snapshot;
use crate::trust::Trust;
use crate::trust::covered_files::named_files;
use crate::trust::disk_cache::DiskCache;
use crate::workspace::Workspace;

/// At most this many files of a hook are listed.
const MAX_FILES: usize = 100;

/// The files beside its definition that a hook consists of: the code that its command names, the files of its folder,
/// or the text that it inserts. Absolute paths, sorted, at most 100. A project's hook has only files of the project.
#[must_use]
pub fn files_of(workspace: &Workspace, snapshot: &Snapshot, hook: &Hook) -> Vec<PathBuf> {
    let Ok(dialect) = find_dialect(hook.dialect) else {
        return Vec::new();
    };
    let disk = DiskCache::default();
    let places = workspace.env.locations(&snapshot.project);
    let own = disk.real(&hook.source.path);
    let home = disk.real(&workspace.env.home);
    let project = disk.real(hook.source.project.as_deref().unwrap_or(&snapshot.project));
    let is_allowed = |path: &PathBuf| {
        *path != own && (path.starts_with(&project) || hook.source.project.is_none() && path.starts_with(&home))
    };
    let named = named_files(hook, dialect.card(), &places, &disk);
    let mut files: Vec<PathBuf> = named
        .iter()
        .map(|path| disk.real(path))
        .filter(is_allowed)
        .map(|path| as_read(snapshot, hook, &disk, path))
        .collect();
    files.sort();
    files.dedup();
    files.truncate(MAX_FILES);
    files
}

/// A file of a root has the path by which the root reads it.
fn as_read(snapshot: &Snapshot, hook: &Hook, disk: &DiskCache, real: PathBuf) -> PathBuf {
    let mine = snapshot.sources.iter().filter(|source| source.dialect == hook.dialect);
    let mut inputs = mine.flat_map(|source| source.input_paths.iter());
    let same = |input: &&PathBuf| input.file_name() == real.file_name() && disk.real(input) == real;
    inputs.find(same).cloned().unwrap_or(real)
}

/// The hook with this id, if this file is one of [`files_of`] it.
#[must_use]
pub fn find_script<'s>(
    workspace: &Workspace,
    snapshot: &'s Snapshot,
    hook: Option<&str>,
    path: &Path,
) -> Option<&'s Arc<Hook>> {
    let hook = snapshot.hook(hook?)?;
    files_of(workspace, snapshot, hook)
        .iter()
        .any(|file| file == path)
        .then_some(hook)
}

/// Saves the whole text of a script. The approvals that covered its former bytes then cover the new ones, as after any
/// edit of the user.
///
/// # Errors
/// The reason why the text is refused. No file was changed then.
pub(super) fn save(
    workspace: &Workspace,
    open_project: &OpenProject,
    hook: &Hook,
    request: &TextEdit<'_>,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    ScriptPlace::new(workspace, open_project, request.path).check()?;
    let work = plan_transaction(&EditOpeners::of_open_project(open_project), request)?;
    perform(workspace, open_project, hook, request.path, work, mode)
}

/// Writes the one changed script of a transaction. The approvals that covered it then cover it as it is now.
///
/// # Errors
/// The reason why the change is refused. No file was changed then.
pub(super) fn perform(
    workspace: &Workspace,
    open_project: &OpenProject,
    hook: &Hook,
    path: &Path,
    work: FileTransaction,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let before = open_project.snapshot();
    let place = ScriptPlace::new(workspace, open_project, path);
    place.check()?;
    let moves = moves(workspace, &before, path);
    let mut edit = CheckedEdit::of_files(path, work);
    edit.doc.hook = Some(hook.id.clone());
    let record = EditRecord {
        in_project: place.is_in_project(),
        hook: Some(hook.id.clone()),
        label: Some(hook.label.clone()),
        script: true,
        ..edit.record(workspace, open_project, EditKind::Save, hook.dialect)
    };
    let mut doc = edit.write(workspace, open_project, mode, record, None, |after, work| {
        approval_transfer::transfer_all(workspace, &moves, work, after)
    })?;
    doc.notices.extend(if doc.written {
        waiting_notices(workspace, &open_project.snapshot(), &moves)
    } else {
        let waiting = moves.iter().filter(|it| it.prior.is_unreviewed());
        waiting.map(|it| notices::unapproved_hook(&it.to)).collect()
    });
    Ok(doc)
}

/// Where a script is.
pub(super) struct ScriptPlace<'a> {
    path: &'a Path,
    /// The project and the home directory, links followed.
    project: PathBuf,
    home: PathBuf,
}

impl<'a> ScriptPlace<'a> {
    pub(super) fn new(workspace: &Workspace, open_project: &OpenProject, path: &'a Path) -> Self {
        let disk = DiskCache::default();
        Self {
            path,
            project: disk.real(&open_project.project),
            home: disk.real(&workspace.env.home),
        }
    }

    pub(super) fn is_in_project(&self) -> bool {
        self.path.starts_with(&self.project)
    }

    /// Checks that the path leads through no link, and is in the project or the home directory.
    ///
    /// # Errors
    /// It is not; the file or a folder above it may have been replaced since it was listed.
    pub(super) fn check(&self) -> Result<(), Message> {
        let inside = self.is_in_project() || self.path.starts_with(&self.home);
        if inside && containment::leads_to_itself(self.path)? {
            return Ok(());
        }
        Err(render!(user_files::OUTSIDE, "path" => self.path.display().to_string()))
    }
}

/// Replaces the text. The mode of the file and its byte-order mark stay.
fn plan_transaction(openers: &EditOpeners, request: &TextEdit<'_>) -> Result<FileTransaction, Message> {
    let changed = || render!(CHANGED, "path" => request.path.display().to_string());
    let before = user_files::read_content(&openers.of(request.path), request.path)?.ok_or_else(changed)?;
    if Some(before.hash().as_str()) != request.base {
        return Err(changed());
    }
    let has_mark = before.bytes.starts_with(BYTE_ORDER_MARK.as_bytes());
    let mark = if has_mark { BYTE_ORDER_MARK } else { "" };
    let after = FileContent {
        bytes: folders::checked_bytes(request.path, mark, request.text)?,
        mode: before.mode,
        owner: None,
        attributes: Vec::new(),
    };
    let file = PlannedFile {
        path: request.path.to_owned(),
        before: Some(before),
        after: Some(after),
    };
    Ok(FileTransaction {
        files: vec![file],
        ..FileTransaction::default()
    })
}

/// The hooks of all dialects whose approval covers this file. Nothing else of them changes.
fn moves(workspace: &Workspace, before: &Snapshot, path: &Path) -> Vec<HookMove> {
    let covering = before
        .all()
        .filter(|hook| approval_transfer::covers(workspace, before, hook, path));
    let mut ids: Vec<&String> = covering.map(|hook| &hook.id).collect();
    ids.dedup();
    let moved = |id: &String| {
        let prior = approval_transfer::prior_of_hook(workspace, before, id)?;
        Some(HookMove {
            prior: prior.without_mutes(),
            to: id.clone(),
        })
    };
    ids.into_iter().filter_map(moved).collect()
}

fn waiting_notices(workspace: &Workspace, after: &Snapshot, moves: &[HookMove]) -> Vec<Notice> {
    let waits = |hook: &&Arc<Hook>| Trust::needs_approval(hook) && workspace.trust.check_gate(hook).is_err();
    let ids = moves.iter().map(|it| &it.to);
    ids.filter(|id| after.hook(id).filter(waits).is_some())
        .map(|id| notices::unapproved_hook(id))
        .collect()
}
