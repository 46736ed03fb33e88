//! Turning a hook off.

use std::path::Path;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditDoc, EditRequest, Hook, HookChange, Severity};
use serde_json::{Map, Value};
use ulid::Ulid;

use super::super::user_files::FileTransaction;
use super::super::{EditRefusal, Purpose, WriteMode, dialect_of, perform, perform_for};
use super::is_equal;
use super::store::{KeptFile, StoredHook, TurnedOffStore};
use crate::discovery;
use crate::mutes::Mute;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::workspace::Workspace;

/// Turns a hook off for the agent: sets the dialect's field, or takes the definition out of its file and keeps it.
///
/// # Errors
/// The reason why the hook cannot be turned off. No file was changed then.
pub fn turn_off(workspace: &Workspace, project: &Path, hook: &str, mode: WriteMode) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let dialect = find_dialect(dialect_of(&open_project.snapshot(), hook)?)?;
    if dialect.card().edit_support.switch.is_some() {
        let request = EditRequest::Change {
            hook: hook.to_owned(),
            changes: vec![HookChange::Disable],
        };
        return perform(workspace, project, None, &request, mode);
    }
    let request = EditRequest::Remove { hook: hook.to_owned() };
    perform_for(workspace, project, None, &request, mode, Purpose::TurnOff)
}

/// What is stored of a hook that a planned edit takes out of its file.
pub(in super::super) fn new_hook(
    workspace: &Workspace,
    before: &Snapshot,
    hook: &Hook,
    work: &FileTransaction,
    mutes: Vec<Mute>,
) -> StoredHook {
    let mut files: Vec<KeptFile> = work.files.iter().map(KeptFile::from_planned).collect();
    files.retain(|file| file.before != file.after);
    let mut stored = StoredHook {
        version: 1,
        id: Ulid::generate().to_string(),
        at: workspace.now(),
        dialect: hook.dialect.to_owned(),
        project: hook.source.project.clone(),
        layer: hook.source.layer,
        events: Vec::new(),
        label: hook.label.clone(),
        hook: hook.id.clone(),
        path: hook.source.path.clone(),
        line: hook.source.line,
        handler: hook.handler.as_str().to_owned(),
        runs: hook.handler.runs(),
        filter: hook.filter.clone(),
        definition: hook.definition.clone(),
        addition: addition(before, hook),
        equal: 0,
        errors: errors_of(workspace, before, &hook.id),
        mutes,
        files,
        folders: work.removed_folders.iter().rev().cloned().collect(),
    };
    let same = before.all().filter(|it| it.id == hook.id);
    stored.events = same.map(|hook| hook.event.clone()).collect();
    stored.events.dedup();
    stored.equal = count_equal(workspace, before, &stored);
    stored
}

/// How many equal definitions the file has, together with those that are turned off already.
fn count_equal(workspace: &Workspace, before: &Snapshot, stored: &StoredHook) -> usize {
    let mut ids: Vec<&str> = before
        .all()
        .filter(|it| is_equal(stored, it))
        .map(|it| it.id.as_str())
        .collect();
    ids.dedup();
    let (kept, _) = TurnedOffStore::new(&workspace.env.data_dir).all();
    let is_same = |other: &&StoredHook| {
        (&other.path, &other.definition, &other.events) == (&stored.path, &stored.definition, &stored.events)
    };
    ids.len() + kept.iter().filter(is_same).count()
}

/// The errors of a hook. A hook that was wrong may be turned on again as it was.
fn errors_of(workspace: &Workspace, before: &Snapshot, id: &str) -> Vec<(hookwright_model::Code, String)> {
    let problems = before.problems(&workspace.env, None);
    let own = problems
        .into_iter()
        .filter(|problem| problem.severity == Severity::Error && problem.hook.as_deref() == Some(id));
    own.map(|problem| (problem.code, problem.message)).collect()
}

/// The definition as `add` takes it (`CONTRACTS.md` §2.7); `None` if the hook is a whole folder.
fn addition(before: &Snapshot, hook: &Hook) -> Option<Map<String, Value>> {
    let dialect = find_dialect(hook.dialect).ok()?;
    let defines = |source: &&LoadedSource| source.file_hooks.iter().any(|other| other.id == hook.id);
    let source = before.sources.iter().find(defines)?;
    dialect.definition_to_add(&discovery::read_tree(dialect, &source.root), hook)
}
