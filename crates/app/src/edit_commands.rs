//! The commands that edit hook files, with values instead of command line text.

use std::path::Path;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditDoc, EditRequest, FieldValue, HookChange, UndoDoc};
use hookwright_workspace::edit::added_hooks::{self, AddedHooks, NewHook};
use hookwright_workspace::edit::file_fix;
use hookwright_workspace::edit::relay_hooks::{self, TrustMode, WrapMode};
use hookwright_workspace::edit::requests::{change_request, check_same_hook, target_layer};
use hookwright_workspace::edit::turned_off;
use hookwright_workspace::edit::undo::{self, EditsPageRequest, PageEntry};
use hookwright_workspace::edit::{self, EditRefusal, WriteMode};

use crate::app::App;
use crate::dto::{
    AddHookRequest, AgentConnectRequest, EditHookRequest, EditListDoc, EditListRequest, EditStep, FixRequest,
    RemoveHookRequest, Sentence, StoredEditRow, TurnOffRequest, TurnOnRequest, UndoRequest,
};
use crate::fault::Fault;
use crate::hook_files;

/// The command `edit.add`: adds a hook, with files that come along.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub async fn edit_add(app: &App, request: AddHookRequest) -> Result<EditDoc, Fault> {
    if !request.files.is_empty() {
        return add_with_files(app, request);
    }
    let intention = EditRequest::Add {
        event: request.event,
        layer: target_layer(&request.layer)?,
        definition: request.definition,
    };
    let writing = write_mode(request.dry_run);
    let project = Path::new(&request.project);
    let done = edit::perform(&app.workspace, project, Some(&request.dialect), &intention, writing);
    to_answer(done, writing)
}

/// Adds a hook with files that come along, as one edit.
fn add_with_files(app: &App, request: AddHookRequest) -> Result<EditDoc, Fault> {
    let (writing, layer) = (write_mode(request.dry_run), target_layer(&request.layer)?);
    let (dialect, project) = (find_dialect(&request.dialect)?, Path::new(&request.project));
    let hook = NewHook {
        event: request.event,
        definition: request.definition,
    };
    let files: Vec<_> = request.files.into_iter().map(hook_files::from_dto).collect();
    let placed = hook_files::place(app, dialect, (project, layer), &[hook], &files)?;
    let added = AddedHooks {
        dialect: dialect.card().id,
        layer,
        hooks: &placed.hooks,
        files: &placed.files,
        label: dialect.card().name,
    };
    to_answer(
        added_hooks::add(&app.workspace, &placed.project, &added, writing),
        writing,
    )
}

/// The command `edit.change`: changes, moves or duplicates a hook.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub async fn edit_change(app: &App, request: EditHookRequest) -> Result<EditDoc, Fault> {
    let changes = request
        .steps
        .into_iter()
        .map(parse_change)
        .collect::<Result<Vec<_>, _>>()?;
    let intention = change_request(request.hook, changes)?;
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    check_same_hook(&app.workspace, project, &intention, request.version.as_deref())?;
    to_answer(
        edit::perform(&app.workspace, project, None, &intention, writing),
        writing,
    )
}

/// The command `edit.remove`: removes a hook.
///
/// # Errors
/// The reason why the edit is refused. No file was changed then.
pub async fn edit_remove(app: &App, request: RemoveHookRequest) -> Result<EditDoc, Fault> {
    let intention = EditRequest::Remove { hook: request.hook };
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    check_same_hook(&app.workspace, project, &intention, request.version.as_deref())?;
    to_answer(
        edit::perform(&app.workspace, project, None, &intention, writing),
        writing,
    )
}

/// The command `hook.turn_off`: sets the field that turns a hook off, or takes its definition out of its file and keeps it.
///
/// # Errors
/// The reason why the hook cannot be turned off. No file was changed then.
pub async fn hook_turn_off(app: &App, request: TurnOffRequest) -> Result<EditDoc, Fault> {
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    let removal = EditRequest::Remove {
        hook: request.hook.clone(),
    };
    check_same_hook(&app.workspace, project, &removal, request.version.as_deref())?;
    let done = turned_off::turn_off(&app.workspace, project, &request.hook, writing);
    to_answer(done, writing)
}

/// The command `agents.connect`: adds the relay to the user's files of an agent.
///
/// # Errors
/// The reason why it is refused, such as an agent that no file connects. No file was changed then.
pub async fn agents_connect(app: &App, request: AgentConnectRequest) -> Result<EditDoc, Fault> {
    let wrap = if request.wrap == Some(true) {
        WrapMode::WrapOwnHooks
    } else {
        WrapMode::OwnHooksStay
    };
    let trust = TrustMode::UserReviews;
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    let done = relay_hooks::connect(&app.workspace, project, &request.dialect, wrap, trust, writing);
    to_answer(done, writing)
}

/// The command `hook.turn_on`: puts a turned-off hook back into its file, or sets the field that turns it on.
///
/// # Errors
/// The reason why the hook cannot be turned on. No file was changed then.
pub async fn hook_turn_on(app: &App, request: TurnOnRequest) -> Result<EditDoc, Fault> {
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    let done = turned_off::turn_on(&app.workspace, project, &request.id, writing);
    to_answer(done, writing)
}

/// The command `edit.fix`: makes a fix that a problem offers.
///
/// # Errors
/// The reason why the fix is refused. No file was changed then.
pub async fn edit_fix(app: &App, request: FixRequest) -> Result<EditDoc, Fault> {
    let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
    let done = file_fix::apply(&app.workspace, project, request.hook.as_deref(), &request.fix, writing);
    to_answer(done, writing)
}

/// A page of `edit.list` has this many edits if the request does not say how many, and at most [`MAX_PAGE_EDITS`].
const PAGE_EDITS: u32 = 50;
const MAX_PAGE_EDITS: u32 = 200;

/// The command `edit.list`: the stored edits, the latest first.
///
/// # Errors
/// Never. A damaged edit is one of the problems.
pub async fn edit_list(app: &App, request: EditListRequest) -> Result<EditListDoc, Fault> {
    let project = request
        .project
        .map(|project| app.workspace.env.absolute(Path::new(&project)));
    let limit = request.limit.unwrap_or(PAGE_EDITS).clamp(1, MAX_PAGE_EDITS);
    let request = EditsPageRequest {
        project,
        after: request.after,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    let page = undo::page(&app.workspace, &request);
    let edit = |entry: PageEntry| StoredEditRow {
        edit: entry.row,
        undone: entry.undone,
        can_undo: entry.refusal.is_none(),
        why: entry.refusal.map(Sentence::from),
    };
    Ok(EditListDoc {
        edits: page.edits.into_iter().map(edit).collect(),
        next: page.next,
        problems: page.problems,
    })
}

/// The command `edit.undo`: restores the former text if no file was changed since the edit.
///
/// # Errors
/// There is nothing to undo, or a file was changed since the edit.
pub async fn edit_undo(app: &App, request: UndoRequest) -> Result<UndoDoc, Fault> {
    Ok(undo::undo(
        &app.workspace,
        Path::new(&request.project),
        Some(&request.undo),
        write_mode(request.dry_run),
    )?)
}

/// The answer to the window. A form shows Problems next to its fields, so in a dry run they are an answer and not a
/// fault.
pub(crate) fn to_answer(done: Result<EditDoc, EditRefusal>, writing: WriteMode) -> Result<EditDoc, Fault> {
    match (done, writing) {
        (Ok(doc), _) => Ok(doc),
        (Err(EditRefusal::Problems(doc, _)), WriteMode::DryRun) => Ok(*doc),
        (Err(refused), _) => Err(refused.message().into()),
    }
}

pub(crate) fn write_mode(dry_run: Option<bool>) -> WriteMode {
    match dry_run {
        Some(true) => WriteMode::DryRun,
        Some(false) | None => WriteMode::Now,
    }
}

pub(crate) fn parse_change(step: EditStep) -> Result<HookChange, Fault> {
    Ok(match step {
        EditStep::Set { field, value } => HookChange::Set {
            field,
            value: FieldValue::Value(value),
        },
        EditStep::Unset { field } => HookChange::Unset { field },
        EditStep::Enable => HookChange::Enable,
        EditStep::Disable => HookChange::Disable,
        EditStep::MoveTo { place } => HookChange::MoveTo(place),
        EditStep::ToLayer { layer } => HookChange::ToLayer(target_layer(&layer)?),
        EditStep::Duplicate => HookChange::Duplicate,
    })
}
