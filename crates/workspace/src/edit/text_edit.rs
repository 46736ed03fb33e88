//! A whole edited text of a hook file: what it would define, and saving it.
//!
//! A saved text is an edit like any other. It has the same checks, the same record for [`super::undo`], and approvals
//! move with the hooks that it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    ApprovalScope, Dialect, EditDoc, EditKind, FileChange, FileKind, Hook, Message, Notice, Problem, RootKind,
    Severity, SourceTree, args,
};

use super::approval_transfer::{self, HookMove};
use super::containment::{self, NOT_A_HOOK_PLACE};
use super::edit_openers::EditOpeners;
use super::hook_pairs::HookPairs;
use super::planned_edit::{FinalIds, new_error, pending_files, read_unchanged};
use super::store::EditRecord;
use super::user_files::{self, CHANGED, FileTransaction};
use super::{
    EditRefusal, NO_EDITOR, WriteMode, apply, attributes, diff, folders, new_error_message, notices, script_edit,
};
use crate::discovery::{self, PendingFile, PendingFiles};
use crate::project::OpenProject;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::trust::Trust;
use crate::workspace::Workspace;

/// A text to save.
#[derive(Debug, Clone)]
pub struct TextEdit<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// The dialect of the file; needed only if several dialects read it.
    pub dialect: Option<&'a str>,
    /// The hash of the bytes that the text was made from; `None` if the file did not exist.
    pub base: Option<&'a str>,
    /// The whole new text, without byte-order mark.
    pub text: &'a str,
    /// The hook that the user edited, if there is one.
    pub hook: Option<&'a str>,
}

/// The root that this file belongs to. The file need not exist.
///
/// # Errors
/// No root of the project or the user contains such a file.
pub fn source_of<'s>(snapshot: &'s Snapshot, path: &Path, dialect: Option<&str>) -> Result<&'s LoadedSource, Message> {
    let is_read = |source: &&LoadedSource| source.input_paths.iter().any(|input| input == path) && !path.is_dir();
    let is_place = |source: &&LoadedSource| match source.root.reads {
        RootKind::File => source.root.path == path,
        RootKind::Folders(name) => {
            let depth = Path::new(name).components().count();
            path.ends_with(name)
                && path.ancestors().nth(depth).and_then(Path::parent) == Some(source.root.path.as_path())
        }
    };
    let mine = || {
        let sources = snapshot.sources.iter();
        sources.filter(|source| dialect.is_none_or(|wanted| wanted == source.dialect))
    };
    let found = mine().find(is_read).or_else(|| mine().find(is_place));
    found.ok_or_else(|| NOT_A_HOOK_PLACE.render(args! { "path" => path.display().to_string() }))
}

/// The hash of the bytes of a file of the user or of the project of the snapshot; `None` if the file does not exist.
///
/// # Errors
/// The file cannot be read.
pub fn file_hash(snapshot: &Snapshot, path: &Path) -> Result<Option<String>, Message> {
    let opener = EditOpeners::of_snapshot(snapshot).of(path);
    Ok(user_files::read_content(&opener, path)?.map(|content| content.hash()))
}

/// The text of a file without its byte-order mark, and the hash of its bytes. `None` if the file does not exist or is not
/// UTF-8.
///
/// # Errors
/// The file cannot be read.
pub fn read_with_hash(snapshot: &Snapshot, path: &Path) -> Result<Option<(String, String)>, Message> {
    let read = |content: user_files::FileContent| {
        let hash = content.hash();
        let text = String::from_utf8(content.bytes).ok()?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Some((text, hash))
    };
    let opener = EditOpeners::of_snapshot(snapshot).of(path);
    Ok(user_files::read_content(&opener, path)?.and_then(read))
}

/// The snapshot of a dialect as it would be if the file had this text. Nothing is written.
#[must_use]
pub fn snapshot_with_text(
    workspace: &Workspace,
    before: &Snapshot,
    dialect: &'static str,
    path: &Path,
    text: &str,
) -> Snapshot {
    let file = PendingFile {
        bytes: text.as_bytes().to_vec(),
        executable: false,
    };
    let pending = PendingFiles(BTreeMap::from([(path.to_owned(), Some(file))]));
    discovery::load_dialect_with(&workspace.env, before, dialect, &pending)
}

/// Saves the whole text of a hook file, or of a script that the edited hook names.
///
/// # Errors
/// The reason why the text is refused. No file was changed then.
pub fn save(
    workspace: &Workspace,
    project: &Path,
    request: &TextEdit<'_>,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    if source_of(&before, request.path, request.dialect).is_err()
        && let Some(hook) = script_edit::find_script(workspace, &before, request.hook, request.path)
    {
        return script_edit::save(workspace, &open_project, hook, request, mode);
    }
    let mut plan = PlannedText::new(workspace, &before, request)?;
    let mut doc = plan.to_doc(request);
    if let Some(problem) = &plan.error {
        return Err(EditRefusal::Problems(Box::new(doc), new_error_message(problem)));
    }
    let moves = plan.moves(workspace, &before);
    doc.notices = attributes::hard_link_notices(&plan.transaction);
    if mode == WriteMode::DryRun || plan.transaction.is_empty() {
        doc.notices.extend(plan.review_notices(&moves));
        return Ok(doc);
    }
    let mut work = std::mem::take(&mut plan.transaction);
    let record = plan.record(workspace, &open_project, &before, request);
    let done = apply::apply(workspace, &open_project, &mut work, record, |after, work| {
        approval_transfer::transfer_all(workspace, &moves, work, after)
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo) = (done.edit.clone(), done.edit);
    let after = open_project.snapshot();
    let waits = |id: &&String| {
        let hook = after.hook(id);
        hook.is_some_and(|hook| workspace.trust.check_gate(hook).is_err())
    };
    let waiting = plan.pairs.changed.iter().chain(&plan.pairs.added).filter(waits);
    doc.notices.extend(waiting.map(|id| notices::unapproved_hook(id)));
    Ok(doc)
}

/// A text that is not written yet.
struct PlannedText {
    dialect: &'static dyn Dialect,
    transaction: FileTransaction,
    in_project: bool,
    pairs: HookPairs,
    /// The pairs of [`HookPairs::same`] of which something else that an approval covers may have changed.
    covering: Vec<(String, String)>,
    after: Snapshot,
    /// Ids that change although their hooks are in other files.
    moved_elsewhere: BTreeMap<String, String>,
    problems: Vec<Problem>,
    /// The first error that the text would cause, or that keeps it from being read.
    error: Option<Problem>,
}

impl PlannedText {
    fn new(workspace: &Workspace, before: &Snapshot, request: &TextEdit<'_>) -> Result<Self, Message> {
        let source = source_of(before, request.path, request.dialect)?;
        let dialect = find_dialect(source.dialect)?;
        let id = dialect.card().id;
        if dialect.card().edit_support.target_layers.is_empty() {
            return Err(NO_EDITOR.render(args! { "dialect" => id }));
        }
        if file_hash(before, request.path)?.as_deref() != request.base {
            return Err(CHANGED.render(args! { "path" => request.path.display().to_string() }));
        }
        let mine = || before.sources.iter().filter(|source| source.dialect == id);
        let trees: Vec<SourceTree> = mine()
            .map(|source| read_unchanged(dialect, source))
            .collect::<Result<_, _>>()?;
        let write = FileChange::Write {
            path: request.path.to_owned(),
            text: request.text.to_owned(),
            kind: FileKind::Plain,
        };
        let transaction = folders::plan_transaction(&trees, &[write])?;
        let after = discovery::load_dialect_with(&workspace.env, before, id, &pending_files(&transaction));
        let changed = same_source(&after, source).unwrap_or(source);
        let pairs = HookPairs::new(hooks_in(source), hooks_in(changed));
        let (was, is) = (
            before.problems(&workspace.env, Some(id)),
            after.problems(&workspace.env, Some(id)),
        );
        let mut problems: Vec<Problem> = is
            .iter()
            .filter(|problem| problem.path == request.path)
            .cloned()
            .collect();
        problems.sort_by_key(|problem| problem.severity);
        let is_error = |problem: &&Problem| problem.severity == Severity::Error;
        let is_broken = changed.broken.iter().any(|broken| broken == request.path);
        let unreadable = || problems.iter().find(is_error).filter(|_| is_broken).cloned();
        Ok(Self {
            dialect,
            in_project: containment::touches_project(&trees, &transaction),
            moved_elsewhere: moved_elsewhere(before, &after, id, source),
            error: new_error(&was, &is).or_else(unreadable),
            covering: covering_pairs(&pairs, source, changed, request.path),
            transaction,
            pairs,
            after,
            problems,
        })
    }

    fn to_doc(&self, request: &TextEdit<'_>) -> EditDoc {
        let mut moved = self.pairs.moved();
        moved.extend(self.moved_elsewhere.clone());
        EditDoc {
            hook: request
                .hook
                .and_then(|hook| self.pairs.id_after(hook))
                .map(str::to_owned),
            moved,
            problems: self.problems.clone(),
            ..EditDoc::unwritten(request.path, diff::for_transaction(&self.transaction))
        }
    }

    /// What approvals and mutes move from. An approval moves to a changed definition only if every definition that the
    /// text changes or removes was approved. Otherwise a definition that the user did not review could take the place
    /// of an approved one.
    fn moves(&self, workspace: &Workspace, before: &Snapshot) -> Vec<HookMove> {
        let prior = |id: &String| approval_transfer::prior_of_hook(workspace, before, id);
        let replaced = self.pairs.changed.iter().chain(&self.pairs.removed);
        let all_approved = replaced.filter_map(prior).all(|prior| prior.is_approved());
        let changed = self.pairs.changed.iter().filter_map(|id| {
            let prior = prior(id)?;
            let prior = if all_approved { prior } else { prior.without_approval() };
            Some(HookMove { prior, to: id.clone() })
        });
        // The definition of these is the same.
        let same = self.covering.iter().filter_map(|(was, is)| {
            let prior = prior(was)?.without_mutes();
            Some(HookMove { prior, to: is.clone() })
        });
        changed.chain(same).collect()
    }

    /// Notices about the hooks that would wait for an approval.
    fn review_notices(&self, moves: &[HookMove]) -> Vec<Notice> {
        let unreviewed = |id: &&String| moves.iter().any(|it| it.to == **id && it.prior.is_unreviewed());
        let changed = self.pairs.changed.iter().filter(unreviewed);
        let needs_approval = |id: &&String| self.after.hook(id).is_some_and(|hook| Trust::needs_approval(hook));
        let waiting = changed.chain(&self.pairs.added).filter(needs_approval);
        waiting.map(|id| notices::unapproved_hook(id)).collect()
    }

    fn record(
        &self,
        workspace: &Workspace,
        open_project: &OpenProject,
        before: &Snapshot,
        request: &TextEdit<'_>,
    ) -> EditRecord {
        let hook = request
            .hook
            .and_then(|id| before.hook(id).or_else(|| self.after.hook(id)));
        EditRecord {
            version: 1,
            edit: String::new(),
            at: workspace.now(),
            what: EditKind::Save,
            undoes: None,
            dialect: self.dialect.card().id.to_owned(),
            project: open_project.project.clone(),
            in_project: self.in_project,
            hook: hook.map(|hook| hook.id.clone()),
            label: hook.map(|hook| hook.label.clone()),
            path: request.path.to_owned(),
            made: Vec::new(),
            gone: Vec::new(),
            files: Vec::new(),
            connects: false,
            script: false,
            turning: None,
        }
    }
}

/// The hooks of a root, as its files define them, with their final ids if these are known.
fn hooks_in(source: &LoadedSource) -> impl Iterator<Item = &Hook> {
    let aligned = source.file_hooks.len() == source.hooks.len();
    let hooks = if aligned { &source.hooks } else { &source.file_hooks };
    hooks.iter().map(|hook: &Arc<Hook>| &**hook)
}

/// The unchanged definitions whose approval may not hold for the new text: those that inherit something else from their
/// file, and those whose folder contains the file.
fn covering_pairs(
    pairs: &HookPairs,
    before: &LoadedSource,
    after: &LoadedSource,
    path: &Path,
) -> Vec<(String, String)> {
    let by_id = |source| {
        hooks_in(source)
            .map(|hook| (hook.id.as_str(), hook))
            .collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (by_id(before), by_id(after));
    let is_covering = |(was, is): &&(String, String)| {
        let (Some(was), Some(is)) = (before.get(was.as_str()), after.get(is.as_str())) else {
            return false;
        };
        let covers_path = match &is.approval_scope {
            ApprovalScope::Folder(folder) | ApprovalScope::Sources { folder, .. } => path.starts_with(folder),
            ApprovalScope::Files(files) => files.iter().any(|file| file == path),
            ApprovalScope::Command(_) | ApprovalScope::Nothing => false,
        };
        was.inherited_text != is.inherited_text || covers_path
    };
    pairs.same.iter().filter(is_covering).cloned().collect()
}

fn same_source<'s>(snapshot: &'s Snapshot, source: &LoadedSource) -> Option<&'s LoadedSource> {
    let is_it = |it: &&LoadedSource| it.dialect == source.dialect && it.root == source.root;
    snapshot.sources.iter().find(is_it)
}

/// The ids of hooks in other roots that change, because an id or a name is used twice or no longer.
fn moved_elsewhere(
    before: &Snapshot,
    after: &Snapshot,
    dialect: &str,
    source: &LoadedSource,
) -> BTreeMap<String, String> {
    let paths: BTreeSet<&PathBuf> = source.file_hooks.iter().map(|hook| &hook.source.path).collect();
    let ids = (
        FinalIds::from_snapshot(before, dialect),
        FinalIds::from_snapshot(after, dialect),
    );
    let elsewhere = ids.0.pairs().filter(|(key, _)| !paths.contains(&key.0));
    let pairs = elsewhere.filter_map(|(key, old)| Some((old.clone(), ids.1.get(key)?.to_owned())));
    pairs.filter(|(old, new)| old != new).collect()
}
