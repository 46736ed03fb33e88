//! Edits of user files (`CONTRACTS.md` §2.7). This is the only place that writes them.
//!
//! What it deliberately does not do: it knows no format and no dialect. A dialect plans what to write. This module
//! loads the planned files as an agent would, and writes only if nothing but the requested hook is different and the
//! files did not change meanwhile.
//!
//! How it works: every entry point, such as [`perform`] or [`text_edit::save`], makes the new files. `commit` compares the
//! hooks before and after, which is all that a dry run does, and writes. `approval_transfer` moves approval and mute to
//! the edited hook. `store` stores the former content for [`undo`], which any process can run.

pub mod added_hooks;
mod apply;
mod approval_transfer;
mod attributes;
mod commit;
mod containment;
mod diff;
pub mod draft_edit;
mod edit_openers;
mod edit_sequence;
pub mod file_fix;
mod folders;
pub(crate) mod hook_pairs;
mod interrupted;
pub mod new_files;
mod notices;
mod plain_files;
pub mod preview;
pub mod relay_hooks;
mod relay_restore;
pub mod requests;
pub mod scenario_edit;
pub mod script_edit;
mod store;
pub mod text_edit;
mod trash;
pub mod turned_off;
pub mod undo;
pub mod user_files;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::{find_dialect, find_event};
use hookwright_dialects::session_hooks;
use hookwright_model::{
    EditDoc, EditKind, EditRequest, Former, Hook, Message, MessageTemplate, Notice, Problem, Severity, TurnedTo, args,
};

use crate::files::Opener;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::trust::Trust;
use crate::workspace::Workspace;
use approval_transfer::PriorState;
use commit::CheckedEdit;

pub use diff::difference;
pub use requests::check_same_hook;
use store::{EditRecord, EditStore, Turning};
use user_files::FileTransaction;

/// Every message template of this module.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        ALL,
        attributes::ALL,
        containment::ALL,
        draft_edit::ALL,
        folders::ALL,
        notices::ALL,
        user_files::ALL,
        apply::ALL,
        file_fix::ALL,
        undo::ALL,
        interrupted::ALL,
        relay_hooks::ALL,
        scenario_edit::ALL,
        new_files::ALL,
        turned_off::ALL,
    ]
    .concat()
}

hookwright_model::messages! {
    /// The hook is not defined in a file.
    NO_FILE = "edit_no_file" { "{hook} is not in a file: it was registered for one session", "{hook} 不在任何文件中：它只为一次会话注册" } hint { "let the agent that registered it remove it, or run `hookwright mute {hook}` to leave it out", "由注册它的 Agent 移除，或执行 `hookwright mute {hook}` 跳过它" };
    /// Hookwright does not edit the files of this dialect.
    NO_EDITOR = "edit_not_for_dialect" { "Hookwright cannot edit {dialect} files", "Hookwright 无法编辑 {dialect} 的文件" } hint { "edit the file by hand", "手工编辑文件" };
    /// The planned files do not define the hooks that the plan expects.
    DIFFERS_FROM_PLAN = "edit_differs" / "hooks" { "the edited file would not define the requested hooks", "修改后的文件所定义的 Hook 与请求不符" } hint { "edit the file by hand; nothing was changed", "手工编辑文件；未作任何更改" };
    /// The change would cause an error.
    WOULD_BE_INVALID = "edit_would_be_wrong" { "this edit would cause an error: {message}", "此编辑会导致错误：{message}" } hint { "{hint}", "{hint}" };
    /// The hook is unknown, and a file that may define it does not parse.
    IN_BROKEN = "edit_in_broken_file" { "unknown hook {hook}: {path}:{line} has an error: {why}", "未知的 Hook {hook}：{path}:{line} 有错误：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The request contains no change.
    NOTHING_ASKED = "edit_nothing_asked" { "no change was requested", "没有请求任何更改" } hint { "use `--set FIELD=VALUE`, `--unset FIELD`, `--move-to N`, `--to-layer L` or `--duplicate`", "使用 `--set FIELD=VALUE`、`--unset FIELD`、`--move-to N`、`--to-layer L` 或 `--duplicate`" };
    /// No dialect has this layer.
    UNKNOWN_LAYER = "edit_unknown_layer" { "unknown layer {layer}", "未知的层级 {layer}" } hint { "known layers: {known}", "可用的层级：{known}" };
    /// The definition is not a JSON object.
    BAD_DEFINITION = "edit_bad_definition" { "the definition must be one JSON object: {why}", "定义必须是一个 JSON 对象：{why}" } hint { "write it as `{\"command\": \"…\"}`", "写成 `{\"command\": \"…\"}`" };
    /// A project hook that is not approved would become a user hook, which needs no approval.
    UNREVIEWED = "edit_unreviewed" { "{hook} is not approved; in the user layer it would run without a review", "{hook} 未获批准；移到用户层后会不经审阅直接执行" } hint { "run `hookwright trust {hook}` to review it first; nothing was changed", "先执行 `hookwright trust {hook}` 审阅；未作任何更改" };
    /// The id now belongs to another hook.
    IS_ANOTHER_HOOK = "edit_another" { "{hook} now refers to another hook; reload the list", "{hook} 现在指向另一个 Hook；重新加载列表" } hint { "check the list and try again; nothing was changed", "查看列表后重试；未作任何更改" };
    /// The text does not name a field and a value.
    BAD_SET = "edit_bad_set" { "`{text}` does not set a field", "`{text}` 没有设置任何字段" } hint { "write it as `FIELD=VALUE`", "写成 `FIELD=VALUE`" };
}

/// Whether an edit writes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The files are written.
    Now,
    /// The files stay unchanged. The answer contains what would change.
    DryRun,
}

/// Why an edit is refused. If the new definition would be an error, the refusal contains its Problems.
#[derive(Debug)]
pub enum EditRefusal {
    /// The new definition would be an error. The document contains the Problems.
    Problems(Box<EditDoc>, Message),
    /// Another reason.
    Other(Message),
}

impl<F: Into<Message>> From<F> for EditRefusal {
    fn from(reason: F) -> Self {
        Self::Other(reason.into())
    }
}

impl EditRefusal {
    /// The reason, without the document.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::Problems(_, message) | Self::Other(message) => message,
        }
    }
}

/// What a removal is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// What the request says.
    Edit,
    /// The hook is turned off: its definition is kept.
    TurnOff,
}

/// Performs an edit of a hook's file that the user requested. `dialect` is the dialect of a new hook.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub fn perform(
    workspace: &Workspace,
    project: &Path,
    dialect: Option<&str>,
    intention: &EditRequest,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    perform_for(workspace, project, dialect, intention, mode, Purpose::Edit)
}

fn perform_for(
    workspace: &Workspace,
    project: &Path,
    dialect: Option<&str>,
    intention: &EditRequest,
    mode: WriteMode,
    purpose: Purpose,
) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    let dialect = match intention {
        EditRequest::Add { event, .. } => dialect_of_new(dialect.unwrap_or_default(), event)?,
        EditRequest::Change { hook, .. } | EditRequest::Remove { hook } => dialect_of(&before, hook)?,
    };
    let edit_store = EditStore::new(&workspace.env.data_dir);
    let former = former_states(&edit_store, &before, intention);
    let mut edit = CheckedEdit::of_request(workspace, &before, dialect, intention, &former)?;
    let removed = &mut edit.transaction.removed_folders;
    let folders: Vec<PathBuf> = removed.iter().map(|folder| folder.path.clone()).collect();
    if let EditRequest::Remove { .. } = intention {
        let created = edit_store.created_folders_near(&edit.transaction);
        edit.transaction.removed_folders.extend(created);
    }
    edit.refuse_error()?;
    let prior = approval_transfer::prior_state(workspace, &before, intention);
    let runs_unreviewed = edit.hooks().next().is_some_and(|hook| !Trust::needs_approval(hook));
    if runs_unreviewed {
        check_reviewed(&before, &prior, intention)?;
    }
    let (what, hook, label) = match intention {
        EditRequest::Add { .. } => (EditKind::Add, edit.doc.hook.clone(), None),
        EditRequest::Change { hook, .. } => (EditKind::Edit, Some(hook.clone()), before.hook(hook)),
        EditRequest::Remove { hook } => (EditKind::Remove, Some(hook.clone()), before.hook(hook)),
    };
    let label = label.or_else(|| edit.hooks().next()).map(|hook| hook.label.clone());
    let kept = match intention {
        EditRequest::Remove { hook } if purpose == Purpose::TurnOff && mode == WriteMode::Now => {
            let mutes = approval_transfer::mutes_of_hook(workspace, &before, hook);
            let keep = |hook: &Arc<Hook>| turned_off::new_hook(workspace, &before, hook, &edit.transaction, mutes);
            before.hook(hook).map(keep)
        }
        EditRequest::Remove { .. } | EditRequest::Add { .. } | EditRequest::Change { .. } => None,
    };
    let record = EditRecord {
        hook,
        label,
        turning: kept.as_ref().map(|kept| Turning {
            id: kept.id.clone(),
            to: TurnedTo::Off,
        }),
        ..edit.record(workspace, &open_project, what, dialect)
    };
    let to = edit.doc.hook.clone();
    let transfer = |after: &Snapshot, work: &FileTransaction| match &kept {
        Some(kept) => approval_transfer::end_mutes(workspace, &kept.mutes),
        None => approval_transfer::transfer(workspace, &prior, to.as_deref(), work, after),
    };
    let mut doc = edit.write(workspace, &open_project, mode, record, kept.as_ref(), transfer)?;
    if !doc.written {
        if what == EditKind::Remove && purpose == Purpose::Edit {
            doc.notices
                .extend(notices::trashed(&edit.transaction, &folders, &edit_store.trash("")));
        }
        if prior.is_none() && !runs_unreviewed {
            doc.notices.extend(notices::unapproved(&doc));
        }
        return Ok(doc);
    }
    match kept {
        Some(kept) => {
            doc.notices.push(notices::kept(&kept.id));
            doc.turned_off = Some(kept.id);
        }
        None => {
            let trash = doc.trashed.as_ref().map(Path::new);
            doc.notices.extend(
                trash
                    .into_iter()
                    .flat_map(|trash| notices::trashed(&edit.transaction, &folders, trash)),
            );
        }
    }
    doc.notices
        .extend(lost_approval_notice(workspace, &open_project.snapshot(), &prior, &doc));
    Ok(doc)
}

/// What was in the place of a hook that is removed, as far as the edit store knows.
fn former_states(edit_store: &EditStore, before: &Snapshot, intention: &EditRequest) -> Former {
    match intention {
        EditRequest::Remove { hook } => before
            .hook(hook)
            .map(|found| {
                let opener = Opener::of_project(found.source.project.as_deref());
                edit_store.past_states(hook, &found.source.path, &opener)
            })
            .unwrap_or_default(),
        EditRequest::Add { .. } | EditRequest::Change { .. } => Former::new(),
    }
}

/// Checks that a hook which runs without an approval after the edit is none that needed one and had none.
fn check_reviewed(before: &Snapshot, prior: &Option<PriorState>, intention: &EditRequest) -> Result<(), Message> {
    match intention {
        EditRequest::Change { hook, .. }
            if before.hook(hook).is_some_and(|hook| Trust::needs_approval(hook))
                && prior.as_ref().is_some_and(PriorState::is_unreviewed) =>
        {
            Err(UNREVIEWED.render(args! { "hook" => hook }))
        }
        EditRequest::Add { .. } | EditRequest::Change { .. } | EditRequest::Remove { .. } => Ok(()),
    }
}

/// A notice if the edited hook is no longer approved.
fn lost_approval_notice(
    workspace: &Workspace,
    after: &Snapshot,
    prior: &Option<PriorState>,
    doc: &EditDoc,
) -> Option<Notice> {
    let after_edit = after.hook(doc.hook.as_ref()?)?;
    let dropped = workspace.trust.check_gate(after_edit).is_err() && prior.as_ref().is_none_or(PriorState::is_approved);
    dropped.then(|| notices::unapproved(doc)).flatten()
}

fn dialect_of(before: &Snapshot, hook: &str) -> Result<&'static str, Message> {
    if let Some(found) = before.hook(hook) {
        return Ok(found.dialect);
    }
    if session_hooks::is_session_id(hook) {
        return Err(NO_FILE.render(args! { "hook" => hook }));
    }
    Err(in_broken_file(before, hook).unwrap_or_else(|| before.unknown_hook(hook)))
}

/// The dialect of a new hook. The event may also be one that only the agent fires: then the file contains the hook for
/// the agent.
fn dialect_of_new(dialect: &str, event: &str) -> Result<&'static str, Message> {
    let card = find_dialect(dialect)?.card();
    if card.unfired.contains(&event) {
        return Ok(card.id);
    }
    Ok(find_event(dialect, event)?.0.card().id)
}

fn new_error_message(problem: &Problem) -> Message {
    let hint = problem.hint.clone().unwrap_or_default();
    let message = WOULD_BE_INVALID.render(args! { "message" => problem.message, "hint" => hint });
    Message {
        hint: message.hint.clone().filter(|hint| !hint.is_empty()),
        ..message
    }
}

/// Why a hook may be unknown: a file of its dialect and layer does not parse.
fn in_broken_file(before: &Snapshot, hook: &str) -> Option<Message> {
    let mine = |source: &&LoadedSource| hook.starts_with(&source.root.layer.id_prefix(source.dialect));
    let mut problems = before.sources.iter().filter(mine).flat_map(|source| {
        source
            .problems
            .iter()
            .filter(|problem| source.broken.contains(&problem.path))
    });
    let problem = problems.find(|problem| problem.severity == Severity::Error)?;
    let message = IN_BROKEN.render(args! {
        "hook" => hook, "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1), "why" => problem.message
    });
    Some(message)
}
