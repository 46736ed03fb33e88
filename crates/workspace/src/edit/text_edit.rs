//! A whole edited text of a hook file: what it would define, and saving it.
//!
//! A saved text is an edit like any other. It has the same checks, the same record for [`super::undo`], and approvals
//! move with the hooks that it changes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    ApprovalScope, Dialect, EditDoc, EditKind, FileChange, FileKind, Hook, Message, Notice, RootKind, render,
};

use super::approval_transfer::{self, HookMove};
use super::commit::{self, Change, CheckedEdit, Expect, ShownProblems};
use super::containment::NOT_A_HOOK_PLACE;
use super::edit_openers::EditOpeners;
use super::hook_pairs::HookPairs;
use super::messages::NO_EDITOR;
use super::refusal::{EditRefusal, WriteMode};
pub use super::requests::TextEdit;
use super::store::EditRecord;
use super::user_files::{self, CHANGED};
use super::{folders, notices, script_edit};
use crate::discovery::{self, PendingFile, PendingFiles, has_ending};
use crate::snapshot::{LoadedSource, Snapshot};
use crate::trust::Trust;
use crate::workspace::Workspace;

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
        RootKind::FilesIn(ending) => path.parent() == Some(source.root.path.as_path()) && has_ending(path, ending),
        RootKind::FilesBelow(ending) => path.starts_with(&source.root.path) && has_ending(path, ending),
    };
    let mine = || {
        let sources = snapshot.sources.iter();
        sources.filter(|source| dialect.is_none_or(|wanted| wanted == source.dialect))
    };
    let found = mine().find(is_read).or_else(|| mine().find(is_place));
    found.ok_or_else(|| render!(NOT_A_HOOK_PLACE, "path" => path.display().to_string()))
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
    discovery::load_dialect_with(&workspace.env, before, dialect, &pending, workspace.now())
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
    let dialect = find_dialect(source_of(&before, request.path, request.dialect)?.dialect)?;
    let mut edit = check(workspace, &before, dialect, request)?;
    let moves = moves(workspace, &before, &edit, request.path);
    let hook = request
        .hook
        .and_then(|id| before.hook(id).or_else(|| edit.after.hook(id)));
    let record = EditRecord {
        hook: hook.map(|hook| hook.id.clone()),
        label: hook.map(|hook| hook.label.clone()),
        ..edit.record(workspace, &open_project, EditKind::Save, dialect.card().id)
    };
    let mut doc = edit.write(workspace, &open_project, mode, record, None, |after, work| {
        approval_transfer::transfer_all(workspace, &moves, work, after)
    })?;
    if !doc.written {
        doc.notices.extend(review_notices(&edit, &moves));
        return Ok(doc);
    }
    let after = open_project.snapshot();
    let waits = |id: &&String| {
        let hook = after.hook(id);
        hook.is_some_and(|hook| workspace.trust.check_gate(hook).is_err())
    };
    let waiting = edit.pairs.changed.iter().chain(&edit.pairs.added).filter(waits);
    doc.notices.extend(waiting.map(|id| notices::unapproved_hook(id)));
    Ok(doc)
}

/// What the text would define.
fn check(
    workspace: &Workspace,
    before: &Snapshot,
    dialect: &'static dyn Dialect,
    request: &TextEdit<'_>,
) -> Result<CheckedEdit, EditRefusal> {
    if dialect.card().edit_support.target_layers.is_empty() {
        return Err(render!(NO_EDITOR, "dialect" => dialect.card().id).into());
    }
    if file_hash(before, request.path)?.as_deref() != request.base {
        return Err(render!(CHANGED, "path" => request.path.display().to_string()).into());
    }
    let trees = commit::read_trees(dialect, before)?;
    let write = FileChange::Write {
        path: request.path.to_owned(),
        text: request.text.to_owned(),
        kind: FileKind::Plain,
    };
    let change = Change {
        dialect,
        before,
        trees: &trees,
        transaction: folders::plan_transaction(&trees, &[write])?,
        expect: Expect::Anything,
        hook: None,
        path: request.path.to_owned(),
        shown: ShownProblems::OfFile(request.path),
        known_errors: &[],
    };
    let mut edit = CheckedEdit::new(workspace, change)?;
    let hook = request.hook.and_then(|hook| edit.pairs.id_after(hook));
    edit.doc.hook = hook.map(str::to_owned);
    edit.refuse_error()?;
    Ok(edit)
}

/// What approvals and mutes move from. An approval moves to a changed definition only if every definition that the text
/// changes or removes was approved. Otherwise a definition that the user did not review could take the place of an
/// approved one.
fn moves(workspace: &Workspace, before: &Snapshot, edit: &CheckedEdit, path: &Path) -> Vec<HookMove> {
    let prior = |id: &String| approval_transfer::prior_of_hook(workspace, before, id);
    let replaced = edit.pairs.changed.iter().chain(&edit.pairs.removed);
    let all_approved = replaced.filter_map(prior).all(|prior| prior.is_approved());
    let changed = edit.pairs.changed.iter().filter_map(|id| {
        let prior = prior(id)?;
        let prior = if all_approved { prior } else { prior.without_approval() };
        Some(HookMove { prior, to: id.clone() })
    });
    // The definition of these is the same.
    let same = covering_pairs(&edit.pairs, before, &edit.after, path);
    let same = same.into_iter().filter_map(|(was, to)| {
        let prior = prior(&was)?.without_mutes();
        Some(HookMove { prior, to })
    });
    changed.chain(same).collect()
}

/// Notices about the hooks that would wait for an approval.
fn review_notices(edit: &CheckedEdit, moves: &[HookMove]) -> Vec<Notice> {
    let unreviewed = |id: &&String| moves.iter().any(|it| it.to == **id && it.prior.is_unreviewed());
    let changed = edit.pairs.changed.iter().filter(unreviewed);
    let needs_approval = |id: &&String| edit.after.hook(id).is_some_and(|hook| Trust::needs_approval(hook));
    let waiting = changed.chain(&edit.pairs.added).filter(needs_approval);
    waiting.map(|id| notices::unapproved_hook(id)).collect()
}

/// The unchanged definitions whose approval may not hold for the new text: those that inherit something else from their
/// file, and those whose folder contains the file.
fn covering_pairs(pairs: &HookPairs, before: &Snapshot, after: &Snapshot, path: &Path) -> Vec<(String, String)> {
    fn by_id(snapshot: &Snapshot) -> BTreeMap<&str, &Arc<Hook>> {
        snapshot.all().map(|hook| (hook.id.as_str(), hook)).collect()
    }
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
