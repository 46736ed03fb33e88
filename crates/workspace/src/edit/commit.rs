//! The one commit of every edit: it reads the files as they would be, compares the hooks before and after, and writes.
//!
//! How it works: an entry point makes the new files and says in [`Expect`] which hooks they may change. [`CheckedEdit`]
//! reads these files as an agent would, pairs the hooks of before and after ([`HookPairs`]), and refuses what was not
//! expected. [`CheckedEdit::write`] compares each file with the disk again, writes, and stores what [`super::undo`]
//! needs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    Code, Dialect, EditContext, EditDoc, EditKind, EditPlan, EditRequest, Former, Hook, HookChange, HookKey, Message,
    Problem, Severity, SourceTree, TargetLayer, render,
};

use super::approval_transfer::TransferUndo;
use super::hook_pairs::{EditedHook, HookPairs};
use super::messages::{DIFFERS_FROM_PLAN, NO_EDITOR};
use super::refusal::{EditRefusal, WriteMode, new_error_message};
use super::store::EditRecord;
use super::turned_off_store::StoredHook;
use super::user_files::{CHANGED, FileTransaction};
use super::{apply, containment, diff, folders, notices};
use crate::discovery::{self, PendingFile, PendingFiles};
use crate::project::OpenProject;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::workspace::Workspace;

/// Which hooks of its dialect an edit may change. Hooks are named as in the snapshot before it.
#[derive(Debug)]
pub(super) enum Expect {
    /// Only this hook changes. It may move.
    OnlyTarget(HookKey),
    /// So many hooks are new, and nothing else changes.
    Added(usize),
    /// This hook is gone, and nothing else changes.
    Removed(HookKey),
    /// Any hooks are new. Of those that were there, only the ones with these ids change or go.
    Sequence(BTreeSet<String>),
    /// Everything may change: the user wrote the text.
    Anything,
}

impl Expect {
    /// What a request may change. `target` is the hook that it is about.
    pub fn of_request(request: &EditRequest, target: Option<&Hook>) -> Self {
        let is_copy = |change: &HookChange| matches!(change, HookChange::Duplicate);
        match (request, target) {
            (EditRequest::Remove { .. }, Some(target)) => Self::Removed(target.key()),
            (EditRequest::Change { changes, .. }, Some(target)) if !changes.iter().any(is_copy) => {
                Self::OnlyTarget(target.key())
            }
            (EditRequest::Add { .. } | EditRequest::Change { .. } | EditRequest::Remove { .. }, _) => Self::Added(1),
        }
    }

    /// The hook before the edit that is paired with the one after it.
    pub fn target(&self) -> Option<&HookKey> {
        match self {
            Self::OnlyTarget(key) | Self::Removed(key) => Some(key),
            Self::Added(_) | Self::Sequence(_) | Self::Anything => None,
        }
    }

    /// Whether nothing else than what is expected is different.
    pub fn fits(&self, pairs: &HookPairs) -> bool {
        let (changed, removed, added) = (&pairs.changed, &pairs.removed, &pairs.added);
        match self {
            Self::OnlyTarget(_) => {
                changed.is_empty() && removed.is_empty() && added.is_empty() && pairs.edited.is_some()
            }
            Self::Added(count) => changed.is_empty() && removed.is_empty() && added.len() == *count,
            Self::Removed(_) => changed.is_empty() && removed.len() == 1 && added.is_empty(),
            Self::Sequence(ids) => changed.iter().chain(removed).all(|id| ids.contains(id)),
            Self::Anything => true,
        }
    }
}

/// Which Problems the answer of an edit shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShownProblems<'a> {
    /// Those of the hook, and those about no hook that the edit causes.
    OfHook,
    /// Those of this file. An error in it is shown as caused by the edit if the file cannot be read because of it.
    OfFile(&'a Path),
    /// Those of the changed files that were not there before, hints left out.
    New,
}

/// The files of an edit, and what it may change.
pub(super) struct Change<'a> {
    pub dialect: &'static dyn Dialect,
    /// The snapshot from which the files were made.
    pub before: &'a Snapshot,
    /// The files of the dialect's roots, from which the files were made.
    pub trees: &'a [SourceTree],
    pub transaction: FileTransaction,
    pub expect: Expect,
    /// The hook after the edit.
    pub hook: Option<HookKey>,
    /// The file that the answer and the list of edits name.
    pub path: PathBuf,
    pub shown: ShownProblems<'a>,
    /// Errors that the edit may cause: the hook had them before it was turned off.
    pub known_errors: &'a [(Code, String)],
}

/// An edit that changes what it may change, and is not written yet.
pub(super) struct CheckedEdit {
    pub transaction: FileTransaction,
    /// The answer so far.
    pub doc: EditDoc,
    pub pairs: HookPairs,
    /// The files of the dialect as they would be; empty if the changed files define no hook.
    pub after: Snapshot,
    /// Whether files of the project change, and not only user files.
    pub in_project: bool,
    path: PathBuf,
    /// The first error that the edit would cause.
    error: Option<Problem>,
}

impl CheckedEdit {
    /// Reads the files as they would be, and checks which hooks are different.
    ///
    /// # Errors
    /// More changes than expected, or another program wrote one of the files.
    pub fn new(workspace: &Workspace, change: Change<'_>) -> Result<Self, Message> {
        let (env, dialect, before) = (&workspace.env, change.dialect.card().id, change.before);
        let pending = pending_files(&change.transaction);
        let edited = EditedHook {
            before: change.expect.target(),
            after: change.hook.as_ref(),
        };
        let (after, pairs) = planned(workspace, before, dialect, &pending, edited);
        let trust_lost = notices::agent_trust_lost(before, &after, change.dialect.card(), &pairs);
        let hook = change.hook.as_ref().map(|key| ids_of(&after, dialect, key));
        let is_free = matches!(change.expect, Expect::Anything);
        if hook == Some(None) || !change.expect.fits(&pairs) || !is_free && breaks_file(&after, dialect, &pending) {
            // If another program wrote the files since, that is the reason.
            read_trees(change.dialect, before)?;
            return Err(DIFFERS_FROM_PLAN.render_plain());
        }
        let (mut id, id_in_file) = hook.flatten().unzip();
        if let (Expect::Added(1), [only]) = (&change.expect, pairs.added.as_slice()) {
            id = Some(only.clone());
        }
        let (was, is) = (before.problems(env, Some(dialect)), after.problems(env, Some(dialect)));
        let mut error = new_error(&was, &is, change.known_errors);
        let mut problems: Vec<Problem> = match change.shown {
            ShownProblems::OfHook => {
                let reported: BTreeSet<_> = was.iter().map(|it| (it.code, &it.message, &it.path)).collect();
                // A Problem of an event's key or of the whole file names no hook. It is shown if the edit causes it.
                let about = |problem: &&Problem| match &problem.hook {
                    Some(of) => id.as_ref() == Some(of) || id_in_file.as_ref() == Some(of),
                    None => !reported.contains(&(problem.code, &problem.message, &problem.path)),
                };
                let mut shown: Vec<Problem> = is.iter().filter(about).cloned().collect();
                shown.extend(error.clone().filter(|error| !shown.contains(error)));
                shown
            }
            ShownProblems::OfFile(path) => {
                let shown: Vec<Problem> = is.iter().filter(|problem| problem.path == path).cloned().collect();
                let is_error = |problem: &&Problem| problem.severity == Severity::Error;
                if breaks_file(&after, dialect, &pending) {
                    error = error.or_else(|| shown.iter().find(is_error).cloned());
                }
                shown
            }
            ShownProblems::New => {
                let reported: BTreeSet<_> = was.iter().map(|it| (it.code, &it.path)).collect();
                let is_new = |problem: &&Problem| {
                    problem.severity != Severity::Hint
                        && pending.0.contains_key(&problem.path)
                        && !reported.contains(&(problem.code, &problem.path))
                };
                is.iter().filter(is_new).cloned().collect()
            }
        };
        if !matches!(change.shown, ShownProblems::New) {
            problems.sort_by_key(|problem| problem.severity);
        }
        Ok(Self {
            doc: EditDoc {
                hook: id,
                moved: pairs.moved(),
                problems,
                notices: trust_lost.into_iter().collect(),
                ..unwritten(&change.path, &change.transaction)
            },
            in_project: containment::touches_project(change.trees, &change.transaction),
            transaction: change.transaction,
            pairs,
            after,
            path: change.path,
            error,
        })
    }

    /// An edit of files that define no hook.
    pub fn of_files(path: &Path, transaction: FileTransaction) -> Self {
        Self {
            doc: unwritten(path, &transaction),
            transaction,
            pairs: HookPairs::default(),
            after: Snapshot::default(),
            in_project: false,
            path: path.to_owned(),
            error: None,
        }
    }

    /// What a dialect makes of a request.
    ///
    /// # Errors
    /// The reason why the edit cannot be made.
    pub fn of_request(
        workspace: &Workspace,
        before: &Snapshot,
        dialect: &str,
        request: &EditRequest,
        former: &Former,
    ) -> Result<Self, Message> {
        let dialect = find_dialect(dialect)?;
        let trees = read_trees(dialect, before)?;
        let target = target_hook(before, dialect.card().id, request);
        let plan = plan_request(workspace, before, dialect, &trees, request, target.as_ref(), former)?;
        Self::new(
            workspace,
            Change {
                dialect,
                before,
                trees: &trees,
                transaction: folders::plan_transaction(&trees, &plan.files)?,
                expect: Expect::of_request(request, target.as_ref()),
                hook: plan.hook,
                path: plan.path,
                shown: ShownProblems::OfHook,
                known_errors: &[],
            },
        )
    }

    /// The hook after the edit, once for each event that it serves.
    pub fn hooks(&self) -> impl Iterator<Item = &Arc<Hook>> {
        let is_it = |hook: &&Arc<Hook>| self.doc.hook.as_ref() == Some(&hook.id);
        self.after.all().filter(is_it)
    }

    /// Names another file in the answer and in the list of edits.
    pub fn set_path(&mut self, path: &Path) {
        self.doc.path = path.display().to_string();
        self.path = path.to_owned();
    }

    /// Refuses an edit that would cause an error.
    ///
    /// # Errors
    /// The error, with the answer so far.
    pub fn refuse_error(&self) -> Result<(), EditRefusal> {
        match &self.error {
            Some(problem) => Err(EditRefusal::Problems(
                Box::new(self.doc.clone()),
                new_error_message(problem),
            )),
            None => Ok(()),
        }
    }

    /// A record of this edit, about no hook.
    pub fn record(&self, workspace: &Workspace, project: &OpenProject, what: EditKind, dialect: &str) -> EditRecord {
        EditRecord {
            in_project: self.in_project,
            ..EditRecord::new(workspace.now(), what, dialect, &project.project, &self.path)
        }
    }

    /// Writes the files, unless it is a dry run or nothing changes. `transfer` moves approvals and mutes. `kept` is
    /// stored before a hook is turned off.
    ///
    /// # Errors
    /// The edit would cause an error, or a file cannot be written. No file was changed then.
    pub fn write(
        &mut self,
        workspace: &Workspace,
        open_project: &OpenProject,
        mode: WriteMode,
        record: EditRecord,
        kept: Option<&StoredHook>,
        transfer: impl FnOnce(&Snapshot, &FileTransaction) -> Result<TransferUndo, Message>,
    ) -> Result<EditDoc, EditRefusal> {
        self.refuse_error()?;
        let mut doc = self.doc.clone();
        doc.notices.extend(notices::hard_link_notices(&self.transaction));
        if mode == WriteMode::DryRun || self.transaction.is_empty() {
            return Ok(doc);
        }
        let work = (&mut self.transaction, &self.after);
        let done = apply::apply(workspace, open_project, work, (record, kept), transfer)?;
        doc.written = true;
        doc.notices.extend(done.notices);
        (doc.edit, doc.undo, doc.trashed) = (done.edit.clone(), done.edit, done.trashed);
        Ok(doc)
    }
}

/// The changes that a dialect makes for a request.
///
/// # Errors
/// The reason why the edit cannot be made.
pub(super) fn plan_request(
    workspace: &Workspace,
    before: &Snapshot,
    dialect: &'static dyn Dialect,
    trees: &[SourceTree],
    request: &EditRequest,
    target: Option<&Hook>,
    former: &Former,
) -> Result<EditPlan, Message> {
    let id = dialect.card().id;
    if is_for_user(request)
        && let Some(message) = before.misplaced_messages(id).next()
    {
        return Err(message);
    }
    let mine = before.sources.iter().filter(|source| source.dialect == id);
    let hooks: Vec<Hook> = mine
        .flat_map(|source| source.file_hooks.iter())
        .map(|hook| (**hook).clone())
        .collect();
    let context = EditContext {
        trees,
        hooks: &hooks,
        target,
        locations: &workspace.env.locations(&before.project),
        real: &discovery::real_path,
        former,
    };
    let none = || render!(NO_EDITOR, "dialect" => id);
    dialect.edit(&context, request).ok_or_else(none)?
}

/// Whether a request adds a hook to the user's files, or moves one there.
fn is_for_user(request: &EditRequest) -> bool {
    match request {
        EditRequest::Add { layer, .. } => *layer == TargetLayer::User,
        EditRequest::Change { changes, .. } => changes.contains(&HookChange::ToLayer(TargetLayer::User)),
        EditRequest::Remove { .. } => false,
    }
}

/// The files of a dialect as they will be with these files, and which hook is which. Hooks keep their identities.
pub(super) fn planned(
    workspace: &Workspace,
    before: &Snapshot,
    dialect: &'static str,
    pending: &PendingFiles,
    edited: EditedHook<'_>,
) -> (Snapshot, HookPairs) {
    let mut after = discovery::load_dialect_with(&workspace.env, before, dialect, pending, workspace.now());
    let pairs = HookPairs::new(before, &after, dialect, edited);
    pairs.keep_identities(before, &mut after, dialect);
    (after, pairs)
}

/// Reads the files of a dialect's roots. They must still be those from which the hooks of the snapshot were loaded.
///
/// # Errors
/// Another program changed one of the files.
pub(super) fn read_trees(dialect: &dyn Dialect, before: &Snapshot) -> Result<Vec<SourceTree>, Message> {
    let mine = before
        .sources
        .iter()
        .filter(|source| source.dialect == dialect.card().id);
    let read = |source: &LoadedSource| {
        let place = discovery::read_root(dialect, &source.root);
        if place.hash == source.hash {
            return Ok(place.tree);
        }
        let path = source.root.path.display().to_string();
        Err(render!(CHANGED, "path" => path))
    };
    mine.map(read).collect()
}

/// The hook that a request is about, as its file defines it. In the snapshot it may have another id. A hook inside a
/// module cannot be edited; it is returned as the snapshot has it.
pub(super) fn target_hook(before: &Snapshot, dialect: &str, request: &EditRequest) -> Option<Hook> {
    let id = match request {
        EditRequest::Add { .. } => return None,
        EditRequest::Change { hook, .. } | EditRequest::Remove { hook } => hook,
    };
    let is_it = |hook: &&Arc<Hook>| hook.id == *id;
    let mine = || before.sources.iter().filter(|source| source.dialect == dialect);
    let as_read = mine()
        .flat_map(LoadedSource::read_and_present_hooks)
        .find(|(_, hook)| is_it(hook))
        .map(|(read, _)| read);
    let any = || mine().flat_map(|source| source.hooks.iter().chain(source.file_hooks.iter()));
    as_read.or_else(|| any().find(is_it)).map(|hook| (**hook).clone())
}

/// The id of a hook, and its id before conflicts between files are resolved.
pub(super) fn ids_of(snapshot: &Snapshot, dialect: &str, key: &HookKey) -> Option<(String, String)> {
    let mine = snapshot.sources.iter().filter(|source| source.dialect == dialect);
    let mut hooks = mine.flat_map(LoadedSource::read_and_present_hooks);
    let found = hooks.find(|(read, _)| read.source.path == key.0 && read.at == key.1);
    found.map(|(read, hook)| (hook.id.clone(), read.id.clone()))
}

/// The files of a transaction as they would be.
pub(super) fn pending_files(work: &FileTransaction) -> PendingFiles {
    let written = |content: &super::user_files::FileContent| PendingFile {
        bytes: content.bytes.clone(),
        executable: content.mode & 0o111 != 0,
    };
    let files = work.files.iter();
    PendingFiles(
        files
            .map(|file| (file.path.clone(), file.after.as_ref().map(written)))
            .collect(),
    )
}

/// Whether a changed file cannot be read. A file next to them that is not written may be as broken as before.
pub(super) fn breaks_file(after: &Snapshot, dialect: &str, pending: &PendingFiles) -> bool {
    let mine = after.sources.iter().filter(|source| source.dialect == dialect);
    let mut broken = mine.flat_map(|source| source.broken.iter());
    broken.any(|path| pending.0.contains_key(path))
}

/// The first error that was not there before, and is not one of the known ones. Positions and ids change, so an error is
/// identified by its code and message.
fn new_error(was: &[Problem], is: &[Problem], known_errors: &[(Code, String)]) -> Option<Problem> {
    let errors = was.iter().filter(|problem| problem.severity == Severity::Error);
    let errors = errors.map(|problem| (problem.code, problem.message.as_str()));
    let mut known: BTreeMap<(Code, &str), usize> = BTreeMap::new();
    for error in errors.chain(known_errors.iter().map(|(code, message)| (*code, message.as_str()))) {
        *known.entry(error).or_default() += 1;
    }
    let errors = is.iter().filter(|problem| problem.severity == Severity::Error);
    let mut new = errors.filter(
        |problem| match known.get_mut(&(problem.code, problem.message.as_str())) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            Some(_) | None => true,
        },
    );
    new.next().cloned()
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;

/// The document of an edit that is not written, with what it would change.
fn unwritten(path: &Path, work: &FileTransaction) -> EditDoc {
    EditDoc::unwritten(path, diff::for_transaction(work), diff::file_diffs(work))
}
