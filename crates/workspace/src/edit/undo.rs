//! Undoing an edit: restores the files as they were before it, if they are still as the edit left them.
//!
//! An undo is an edit itself. It is stored, and `undo` with its id redoes what it undid. Without an id the last active
//! edit is undone, so repeated `undo` steps back edit by edit.

use std::io;
use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditKind, EditRow, EditsDoc, Message, Notice, Problem, UndoDoc, args, render};
use jiff::Timestamp;

use super::hook_pairs::{self, EditedHook};
use super::refusal::WriteMode;
use super::script_edit::ScriptPlace;
use super::store::{EditRecord, EditState, EditStore, StoredEdit, Turning, UndoIndex};
use super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use super::{apply, approval_transfer, commit, containment, diff};
use crate::discovery;
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// There is no edit that can be undone.
    NOTHING_TO_UNDO = "edit_no_undo" { "no edit to undo", "没有可撤销的编辑" } hint { "run `hookwright undo --list` to see the edits of the last 30 days", "执行 `hookwright undo --list` 可查看最近 30 天的编辑" };
    /// No edit has this id.
    UNKNOWN_EDIT = "edit_no_undo" / "unknown" { "unknown edit {edit}: no id begins with it", "未知的编辑 {edit}：没有 id 以此开头" } hint { "run `hookwright undo --list` to see the edits of the last 30 days", "执行 `hookwright undo --list` 可查看最近 30 天的编辑" };
    /// Several ids begin with the given text.
    AMBIGUOUS_ID = "edit_no_undo" / "ambiguous" { "{count} edits begin with {edit}: {edits}", "有 {count} 个编辑以 {edit} 开头：{edits}" } hint { "write the whole id; `hookwright undo --list` shows what each edit did", "写完整的 id；`hookwright undo --list` 会显示每个编辑的内容" };
    /// The edit is already undone.
    ALREADY_UNDONE = "edit_undone" { "{edit} is already undone", "{edit} 已撤销" } hint { "run `hookwright undo {by}` to redo this edit", "执行 `hookwright undo {by}` 可重做" };
    /// The file of a stored edit cannot be read.
    DAMAGED = "edit_damaged" { "the saved edit {path} is damaged and cannot be undone: {why}", "编辑的存档 {path} 已损坏，无法撤销：{why}" } hint { "delete it if you do not need it; the edited files are not affected", "不需要时可删除；已编辑的文件不受影响" };
    /// [`DAMAGED`] as a Problem.
    DAMAGED_PROBLEM = "unreadable" / "kept_edit" { "this saved edit is damaged and cannot be undone: {why}", "此编辑的存档已损坏，无法撤销：{why}" } hint { "delete it if you do not need it; the edited files are not affected", "不需要时可删除；已编辑的文件不受影响" };
    /// A file was changed after the edit.
    CHANGED_SINCE = "edit_changed_since" { "{path} changed after this edit", "{path} 在此编辑之后已更改" } hint { "change the file by hand; nothing was changed", "手工修改该文件；未作任何更改" };
    /// The stored copy of a file is missing or damaged.
    COPY_LOST = "edit_copy_lost" { "the saved copy of {path} is missing or damaged", "{path} 的副本缺失或已损坏" } hint { "restore the file from your own backup; nothing was changed", "从自己的备份恢复该文件；未作任何更改" };
}

/// If several ids begin with the given text, at most this many are shown.
const MAX_LISTED: usize = 10;

/// The edits of the last 30 days, latest first, and the Problems of damaged ones.
#[must_use]
pub fn list(workspace: &Workspace) -> EditsDoc {
    let edit_store = EditStore::new(&workspace.env.data_dir);
    let index = UndoIndex(edit_store.all());
    EditsDoc {
        edits: index.0.iter().map(|kept| row(&index, kept)).collect(),
        problems: edit_store.damaged().iter().map(damaged_problem).collect(),
    }
}

fn row(index: &UndoIndex, kept: &StoredEdit) -> EditRow {
    let EditRecord {
        edit,
        at,
        what,
        undoes,
        dialect,
        project,
        in_project,
        hook,
        label,
        path,
        files,
        turning,
        ..
    } = &kept.record;
    EditRow {
        edit: edit.clone(),
        at: *at,
        what: *what,
        turned: turning
            .as_ref()
            .map(|turning| turning.to)
            .filter(|_| *what != EditKind::Undo),
        dialect: dialect.clone(),
        project: project.display().to_string(),
        in_project: *in_project,
        hook: hook.clone(),
        label: label.clone(),
        path: path.display().to_string(),
        files: files.iter().map(|file| file.path.display().to_string()).collect(),
        undoes: undoes.clone(),
        undone_by: index.undone_by(edit).map(|by| by.record.edit.clone()),
    }
}

/// The edits of some times, latest first: with a project, those of its files and of user files.
#[must_use]
pub fn between(workspace: &Workspace, project: Option<&Path>, is_wanted: impl Fn(Timestamp) -> bool) -> Vec<EditRow> {
    let index = UndoIndex(EditStore::new(&workspace.env.data_dir).all());
    let kept = index.0.iter().filter(|kept| {
        let record = &kept.record;
        is_wanted(record.at) && project.is_none_or(|project| !record.in_project || record.project == project)
    });
    kept.map(|kept| row(&index, kept)).collect()
}

/// Which part of the stored edits a page shows.
#[derive(Debug, Clone)]
pub struct EditsPageRequest {
    /// Only edits of this project's files and of user files; `None` for all.
    pub project: Option<PathBuf>,
    /// The page begins with the edit that is older than the one with this id.
    pub after: Option<String>,
    /// At most this many edits.
    pub limit: usize,
}

/// One page of the stored edits.
#[derive(Debug, Clone)]
pub struct EditsPage {
    /// The edits, latest first.
    pub edits: Vec<PageEntry>,
    /// The id after which the next page begins; `None` on the last page.
    pub next: Option<String>,
    /// Stored edits that are damaged.
    pub problems: Vec<Problem>,
}

/// A stored edit, and whether it can be undone now.
#[derive(Debug, Clone)]
pub struct PageEntry {
    /// The edit.
    pub row: EditRow,
    /// Whether the edit is undone, and not redone since.
    pub undone: bool,
    /// Why the edit cannot be undone now; `None` if it can.
    pub refusal: Option<Message>,
}

/// One page of the edits of the last 30 days, latest first. For each one, its files are compared with what it left.
#[must_use]
pub fn page(workspace: &Workspace, request: &EditsPageRequest) -> EditsPage {
    let edit_store = EditStore::new(&workspace.env.data_dir);
    let index = UndoIndex(edit_store.all());
    let is_wanted = |kept: &&StoredEdit| {
        let record = &kept.record;
        let mine = |project: &PathBuf| !record.in_project || record.project == *project;
        request.project.as_ref().is_none_or(mine) && request.after.as_ref().is_none_or(|after| record.edit < *after)
    };
    let mut found: Vec<&StoredEdit> = index.0.iter().filter(is_wanted).take(request.limit + 1).collect();
    let has_more = found.len() > request.limit;
    found.truncate(request.limit);
    let entry = |kept: &&StoredEdit| PageEntry {
        row: row(&index, kept),
        undone: !index.last_link(kept).1,
        refusal: check_undoable(workspace, &edit_store, &index, kept).err(),
    };
    EditsPage {
        next: found.last().map(|kept| kept.record.edit.clone()).filter(|_| has_more),
        edits: found.iter().map(entry).collect(),
        problems: edit_store.damaged().iter().map(damaged_problem).collect(),
    }
}

/// Checks what [`undo`] checks before it writes, except where the links on the way to a file lead.
fn check_undoable(
    workspace: &Workspace,
    edit_store: &EditStore,
    index: &UndoIndex,
    kept: &StoredEdit,
) -> Result<(), Message> {
    let target = last_active_link(index, kept)?;
    if target.record.in_project {
        workspace.require_directory(&target.record.project)?;
    }
    plan_undo(edit_store, target).map(drop)
}

/// Undoes the last active edit, or the one with this id. `project` decides which edit is the last: edits of other
/// projects' files are left out. A dry run makes the same checks, and writes nothing.
///
/// # Errors
/// The reason why the undo is refused. No file was changed then.
pub fn undo(workspace: &Workspace, project: &Path, edit: Option<&str>, mode: WriteMode) -> Result<UndoDoc, Message> {
    let project = workspace.open_project(project)?.project.clone();
    let edit_store = EditStore::new(&workspace.env.data_dir);
    if mode == WriteMode::Now {
        let lock = user_files::lock(&workspace.env.data_dir)?;
        if lock.is_held() {
            edit_store.resolve_pending();
        }
    }
    let index = UndoIndex(edit_store.all());
    let damaged = edit_store.damaged();
    let target = choose_edit(&index, &damaged, edit, &project)?;
    let record = &target.record;
    // User files are the same for every project.
    let open_project = workspace.open_project(if record.in_project { &record.project } else { &project })?;
    open_project.refresh();
    let mut work = plan_undo(&edit_store, target)?;
    let dialect = find_dialect(&record.dialect)?;
    let before = open_project.snapshot();
    let mine = before
        .sources
        .iter()
        .filter(|source| source.dialect == dialect.card().id);
    let trees: Vec<_> = mine
        .map(|source| discovery::read_root(dialect, &source.root).tree)
        .collect();
    if record.script {
        let elsewhere = |path: &Path| ScriptPlace::new(workspace, &open_project, path).check();
        containment::check_with_scripts(&trees, &work, &elsewhere)?;
    } else {
        containment::check_containment(&trees, &work)?;
    }
    let mut doc = to_doc(record, &work);
    if edit.is_none() {
        // A damaged edit may have been the last one.
        doc.notices
            .extend(damaged.iter().map(|it| Notice::warning(damaged_message(it), None)));
    }
    let pending = commit::pending_files(&work);
    let id = dialect.card().id;
    let (mut after, pairs) = commit::planned(workspace, &before, id, &pending, EditedHook::default());
    let transfer_undo = target.transfer_undo();
    hook_pairs::set_uids(&mut after, id, &transfer_undo.uids);
    doc.notices.extend(super::notices::agent_trust_lost(
        &before,
        &after,
        dialect.card(),
        &pairs,
    ));
    if mode == WriteMode::DryRun {
        return Ok(doc);
    }
    let undo = EditRecord {
        what: EditKind::Undo,
        undoes: Some(record.edit.clone()),
        at: workspace.now(),
        turning: record.turning.as_ref().map(Turning::reversed),
        ..record.clone()
    };
    let files = (&mut work, &after);
    let done = apply::apply(workspace, &open_project, files, (undo, None), |after, _| {
        approval_transfer::restore(workspace, &transfer_undo, after)
    })?;
    edit_store.empty_trash(&record.edit);
    (doc.edit, doc.trashed) = (done.edit, done.trashed);
    doc.notices.extend(done.notices);
    Ok(doc)
}

/// What the undo of an edit changes, before it is written.
fn to_doc(record: &EditRecord, work: &FileTransaction) -> UndoDoc {
    UndoDoc {
        edit: None,
        undone: record.edit.clone(),
        what: record.what,
        hook: record.hook.clone(),
        path: record.path.display().to_string(),
        files: work.files.iter().map(|file| file.path.display().to_string()).collect(),
        diff: diff::for_transaction(work),
        changes: diff::file_diffs(work),
        trashed: None,
        notices: super::notices::hard_link_notices(work),
    }
}

/// The edit to undo. If an edit was undone and redone, this is the last redo.
fn choose_edit<'b>(
    index: &'b UndoIndex,
    damaged: &[DamagedEdit],
    edit: Option<&str>,
    project: &Path,
) -> Result<&'b StoredEdit, Message> {
    let Some(id) = edit else {
        let none = || {
            damaged
                .first()
                .map_or_else(|| NOTHING_TO_UNDO.render_plain(), damaged_message)
        };
        return index.last_active(project).ok_or_else(none);
    };
    let found = match *index.find(id) {
        [kept] => kept,
        [] => {
            let named = damaged.iter().find(|(path, _)| begins_with(path, id));
            return Err(named.map_or_else(|| render!(UNKNOWN_EDIT, "edit" => id), damaged_message));
        }
        ref several => {
            let ids: Vec<&str> = several.iter().map(|kept| kept.record.edit.as_str()).collect();
            let args = args! { "edit" => id, "count" => ids.len(), "edits" => list_ids(&ids) };
            return Err(AMBIGUOUS_ID.render(args));
        }
    };
    last_active_link(index, found)
}

/// The edit itself, or the last redo of it.
fn last_active_link<'b>(index: &'b UndoIndex, edit: &'b StoredEdit) -> Result<&'b StoredEdit, Message> {
    match index.last_link(edit) {
        (end, true) => Ok(end),
        (end, false) => {
            let args = args! { "edit" => edit.record.edit, "by" => end.record.edit };
            Err(ALREADY_UNDONE.render(args))
        }
    }
}

/// The latest of these ids, and how many more there are.
fn list_ids(ids: &[&str]) -> String {
    let shown = ids.iter().take(MAX_LISTED).copied().collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

/// The file of a stored edit that cannot be read, and why.
type DamagedEdit = (PathBuf, io::Error);

fn begins_with(path: &Path, id: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(&id.to_ascii_uppercase())
}

fn damaged_message((path, why): &DamagedEdit) -> Message {
    render!(DAMAGED, "path" => path.display().to_string(), "why" => why.to_string())
}

fn damaged_problem((path, why): &DamagedEdit) -> Problem {
    Problem::new(render!(DAMAGED_PROBLEM, "why" => why.to_string()), path, None)
}

/// The file operations that restore the files. If the edit was interrupted, some files may never have changed.
fn plan_undo(edit_store: &EditStore, target: &StoredEdit) -> Result<FileTransaction, Message> {
    let record = &target.record;
    let mut work = FileTransaction {
        new_folders: record.gone.iter().rev().cloned().collect(),
        removed_folders: record.made.clone(),
        ..FileTransaction::default()
    };
    let openers = record.openers();
    for (index, row) in record.files.iter().enumerate().rev() {
        let shown = row.path.display().to_string();
        let now = user_files::read_content(&openers.of(&row.path), &row.path)?;
        let hash = now.as_ref().map(FileContent::hash);
        let has_mode = |mode: u32| now.as_ref().is_some_and(|content| content.mode == mode);
        let was_same_mode = row.new_mode.is_none() || row.before.as_ref().is_some_and(|was| has_mode(was.mode));
        if target.state == EditState::Pending
            && was_same_mode
            && hash == row.before.as_ref().map(|was| was.hash.clone())
        {
            continue;
        }
        if hash != row.after || row.new_mode.is_some_and(|mode| !has_mode(mode)) {
            return Err(render!(CHANGED_SINCE, "path" => shown));
        }
        let after = match &row.before {
            None => None,
            Some(_) => Some(
                edit_store
                    .content(target, index)
                    .ok_or_else(|| render!(COPY_LOST, "path" => shown))?,
            ),
        };
        // The mode goes back only where the edit changed it: the user may have changed it since.
        let after = after.map(|former| FileContent {
            mode: match (&now, row.new_mode) {
                (Some(now), None) => now.mode,
                (Some(_) | None, _) => former.mode,
            },
            ..former
        });
        work.files.push(PlannedFile {
            path: row.path.clone(),
            before: now,
            after,
        });
    }
    Ok(work)
}
