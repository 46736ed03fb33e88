//! `connect` and `disconnect`: the relay's hooks in an agent's own configuration (`CONTRACTS.md` §4).
//!
//! What it deliberately does not do: it knows no format, no event and no command. The dialect says which hooks the
//! relay needs, and edits its files for each of them.

use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::relay::{RELAY_PROGRAM, starts_relay};
use hookwright_model::{
    Dialect, EditDoc, EditKind, EditRequest, Handler, Hook, HookChange, Layer, Message, Notice, RootKind, Severity,
    TargetLayer, args,
};
use serde_json::{Map, Value};

use super::approval_transfer::TransferUndo;
use super::edit_sequence::EditSequence;
use super::relay_restore::RoundTrip;
use super::store::{EditRecord, EditStore};
use super::{EditRefusal, WriteMode, apply, attributes, diff, new_error_message};
use crate::discovery::MAX_SOURCE_BYTES;
use crate::disk_probe::DiskProbe;
use crate::files::Opener;
use crate::project::OpenProject;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// No agent of this name can be connected by its files.
    UNKNOWN_TARGET = "connect_unknown_target" { "unknown target {target}", "未知的目标 {target}" } hint { "known targets: {known}", "可用的目标：{known}" };
    /// The relay's program is not installed.
    NO_RELAY = "connect_no_relay" { "the program {program} is neither next to Hookwright nor in PATH", "在 Hookwright 所在文件夹和 PATH 中都找不到程序 {program}" } hint { "install it next to Hookwright; nothing was changed", "把它安装到 Hookwright 所在文件夹；未作任何更改" };
    /// The file in which the relay's hooks would be does not parse.
    BROKEN_FILE = "connect_broken_file" { "{path}:{line} has an error: {why}", "{path}:{line} 有错误：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The dialect's hooks are not shell commands.
    NOT_WRAPPABLE = "connect_no_wrap" { "the hooks of {target} are programs and not shell commands, so they cannot be wrapped", "{target} 的 Hook 是程序而非 shell 命令，无法包装" } hint { "run the command without `--wrap`; nothing was changed", "去掉 `--wrap` 再执行；未作任何更改" };
}

/// What `connect` does in addition to the relay's own hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapMode {
    /// The agent's own hooks stay as they are.
    OwnHooksStay,
    /// The relay is also put around each command of the agent's own hooks.
    WrapOwnHooks,
}

/// Adds the relay to the user's files of an agent, at every event. Relay hooks that are there already stay, and those
/// that start another relay are replaced.
///
/// # Errors
/// The reason why it is refused. No file was changed then.
pub fn connect(
    workspace: &Workspace,
    project: &Path,
    target: &str,
    wrap: WrapMode,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = connectable(target)?;
    if wrap == WrapMode::WrapOwnHooks && !dialect.card().edit_support.wraps_commands {
        return Err(NOT_WRAPPABLE.render(args! { "target" => target }).into());
    }
    let no_relay = || NO_RELAY.render(args! { "program" => RELAY_PROGRAM });
    let relay = workspace.env.program_beside(RELAY_PROGRAM).ok_or_else(no_relay)?;
    let relay = relay.to_str().ok_or_else(no_relay)?;
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    check_readable(&before, dialect)?;
    let mut edits = EditSequence::new(workspace, &before, dialect)?;
    if wrap == WrapMode::WrapOwnHooks {
        for hook in own_commands(&before, dialect) {
            edits.apply(&change(&hook.id, HookChange::Wrap(relay.to_owned())))?;
        }
    }
    let wanted = dialect.relay_hooks(relay);
    for hook in relay_hooks(&before, dialect).iter().rev() {
        if !wanted
            .iter()
            .any(|(event, definition)| is_wanted_at(hook, event, definition))
        {
            edits.apply(&EditRequest::Remove { hook: hook.id.clone() })?;
        }
    }
    for (event, definition) in &wanted {
        let present = relay_hooks(edits.snapshot(), dialect);
        if present
            .iter()
            .any(|hook| hook.event == *event || is_wanted_at(hook, event, definition))
        {
            continue;
        }
        edits.apply(&EditRequest::Add {
            event: (*event).to_owned(),
            layer: TargetLayer::User,
            definition: definition.clone(),
        })?;
    }
    let mut doc = finish(workspace, &open_project, edits, EditKind::Add, mode)?;
    let notice = dialect.relay_notice(&workspace.env.locations(project), &DiskProbe);
    doc.notices.extend(notice.map(|message| Notice::warning(message, None)));
    Ok(doc)
}

/// Removes the relay from the user's files of an agent: its hooks, and the relay around the agent's own commands. A file
/// that only `connect` changed since gets the bytes that it had before, or is removed if it did not exist. In a file that
/// the user changed, lists that were empty before `connect` are empty again.
///
/// # Errors
/// The reason why it is refused. No file was changed then.
pub fn disconnect(
    workspace: &Workspace,
    project: &Path,
    target: &str,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = connectable(target)?;
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let before = open_project.snapshot();
    check_readable(&before, dialect)?;
    let mut edits = EditSequence::new(workspace, &before, dialect)?;
    for hook in own_commands(&before, dialect).iter().filter(|hook| hook.wrapped) {
        edits.apply(&change(&hook.id, HookChange::Unwrap))?;
    }
    // Ids contain positions, so the last hook of a list is removed first.
    for hook in relay_hooks(&before, dialect).iter().rev() {
        edits.apply(&EditRequest::Remove { hook: hook.id.clone() })?;
    }
    let edit_store = EditStore::new(&workspace.env.data_dir);
    for path in edits.changed_files() {
        let connected = edit_store.before_connect(&path);
        match connected.unchanged_since {
            Some(former) => edits.restore(&path, former),
            None => {
                let former = connected.former.filter(|_| edits.text(&path).is_some());
                if let Some(restored) = former.and_then(|former| restored(workspace, &edits, &before, &path, &former)) {
                    edits.restore(&path, Some(restored));
                }
                if connected.created && edits.is_empty(&path) {
                    edits.restore(&path, None);
                }
            }
        }
    }
    finish(workspace, &open_project, edits, EditKind::Remove, mode)
}

/// The text of a file that the user changed since `connect`, with what the removal took away beyond the relay's hooks.
fn restored(
    workspace: &Workspace,
    edits: &EditSequence<'_>,
    before: &Snapshot,
    path: &Path,
    former: &str,
) -> Option<String> {
    // Nothing starts it: these edits are made in memory only.
    let relay = format!("/{RELAY_PROGRAM}");
    let round_trip = RoundTrip {
        workspace,
        before,
        dialect: edits.dialect(),
        wanted: &edits.dialect().relay_hooks(&relay),
    };
    round_trip.restore_losses(path, former, edits.text(path)?)
}

/// The dialect of an agent that can be connected by its files.
fn connectable(target: &str) -> Result<&'static dyn Dialect, Message> {
    let can_connect = |dialect: &&dyn Dialect| !dialect.relay_hooks("").is_empty();
    let known = || hookwright_dialects::all().iter().copied().filter(can_connect);
    let unknown = || {
        let names: Vec<&str> = known().map(|dialect| dialect.card().id).collect();
        UNKNOWN_TARGET.render(args! { "target" => target, "known" => names.join(", ") })
    };
    known().find(|dialect| dialect.card().id == target).ok_or_else(unknown)
}

/// Refuses if a user file with several hooks does not parse: what it contains is not known then.
fn check_readable(before: &Snapshot, dialect: &dyn Dialect) -> Result<(), Message> {
    let is_mine = |source: &&LoadedSource| {
        source.dialect == dialect.card().id
            && source.root.layer == Layer::User
            && source.root.reads == RootKind::File
            && !source.broken.is_empty()
    };
    let mut problems = before
        .sources
        .iter()
        .filter(is_mine)
        .flat_map(|source| source.problems.iter());
    match problems.find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(BROKEN_FILE.render(args! {
            "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1), "why" => problem.message
        })),
    }
}

fn change(hook: &str, change: HookChange) -> EditRequest {
    EditRequest::Change {
        hook: hook.to_owned(),
        changes: vec![change],
    }
}

fn user_hooks<'s>(snapshot: &'s Snapshot, dialect: &dyn Dialect) -> impl Iterator<Item = &'s Arc<Hook>> {
    snapshot
        .hooks(dialect.card().id)
        .filter(|hook| hook.source.layer == Layer::User)
}

/// The relay's hooks in the user's files. A hook that serves several events is returned once.
pub(super) fn relay_hooks(snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Arc<Hook>> {
    let mut found: Vec<Arc<Hook>> = Vec::new();
    for hook in user_hooks(snapshot, dialect).filter(|hook| dialect.is_relay_hook(hook)) {
        if !found.iter().any(|known| known.id == hook.id) {
            found.push(hook.clone());
        }
    }
    found
}

/// The agent's own hooks in the user's files that are shell commands.
fn own_commands(snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Arc<Hook>> {
    let is_own = |hook: &&Arc<Hook>| {
        matches!(&hook.handler, Handler::Shell { command } if !starts_relay(command)) && hook.invalid.is_none()
    };
    user_hooks(snapshot, dialect).filter(is_own).cloned().collect()
}

/// Whether a hook is the relay's hook of this event. A definition that names its events itself has the first of them.
fn is_wanted_at(hook: &Hook, event: &str, definition: &Map<String, Value>) -> bool {
    (hook.event == event || !hook.is_placed_by_event()) && is_definition(hook, definition)
}

/// Whether a hook has this definition. A hook's definition does not contain its name and its script.
fn is_definition(hook: &Hook, wanted: &Map<String, Value>) -> bool {
    let is_same = |(name, value): (&String, &Value)| match (hook.definition.get(name), &hook.handler) {
        (Some(found), _) => found == value,
        (None, Handler::Script { entry: Some(path) }) => {
            name != "script" || {
                let text = Opener::user().read_text(path, MAX_SOURCE_BYTES);
                text.is_some_and(|text| value.as_str() == Some(&text))
            }
        }
        (None, _) => name == "name",
    };
    wanted.iter().all(is_same)
}

/// Compares the result with the present files, and writes it.
fn finish(
    workspace: &Workspace,
    open_project: &OpenProject,
    edits: EditSequence<'_>,
    what: EditKind,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = edits.dialect();
    let planned = edits.finish()?;
    let mut work = planned.transaction;
    // The user did not write the relay's hooks, and cannot change them.
    let is_own = |id: &String| planned.after.hook(id).is_some_and(|hook| dialect.is_relay_hook(hook));
    let problems = planned.problems.into_iter();
    let problems = problems
        .filter(|problem| !problem.hook.as_ref().is_some_and(is_own))
        .collect();
    let edit_store = EditStore::new(&workspace.env.data_dir);
    if what == EditKind::Remove {
        work.removed_folders.extend(edit_store.created_folders_near(&work));
    }
    let mut doc = EditDoc {
        moved: planned.moved,
        problems,
        notices: attributes::hard_link_notices(&work),
        ..EditDoc::unwritten(&planned.path, diff::for_transaction(&work))
    };
    if let Some(problem) = planned.error {
        return Err(EditRefusal::Problems(Box::new(doc), new_error_message(&problem)));
    }
    if mode == WriteMode::DryRun || work.is_empty() {
        return Ok(doc);
    }
    let record = EditRecord {
        version: 1,
        edit: String::new(),
        at: workspace.now(),
        what,
        undoes: None,
        dialect: dialect.card().id.to_owned(),
        project: open_project.project.clone(),
        in_project: false,
        // It is about several hooks. With the id of one of them, its removal alone would restore the whole file.
        hook: None,
        label: Some(RELAY_PROGRAM.to_owned()),
        path: planned.path,
        made: Vec::new(),
        gone: Vec::new(),
        files: Vec::new(),
        connects: what == EditKind::Add,
        script: false,
        turning: None,
    };
    let done = apply::apply(workspace, open_project, &mut work, record, |_, _| {
        Ok(TransferUndo::default())
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo, doc.trashed) = (done.edit.clone(), done.edit, done.trashed);
    Ok(doc)
}
