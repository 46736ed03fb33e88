//! The commands `mute` and `unmute`, and the removal of mutes whose definition no longer exists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use hookwright_dialects::session_hooks::is_session_id;
use hookwright_engine::Candidate;
use hookwright_model::{Hook, Layer, Message, Root};
use hookwright_workspace::module_tables::is_unexpanded_module;
use hookwright_workspace::mutes::{Mute, SourceVersion};
use hookwright_workspace::project::OpenProject;
use hookwright_workspace::snapshot::{LoadedSource, Snapshot};

use crate::app::App;
use crate::dto::{Empty, HookRequest, Millis, MuteRequest};
use crate::fault::Fault;

/// What unmuting a hook did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MuteState {
    /// The mute was removed.
    Unmuted,
    /// The mute was removed, but the hook does not run before the user approves it.
    UnmutedUntrusted,
    /// The hook was not muted.
    NotMuted,
}

/// Removes the mutes in a snapshot's roots whose definition no longer exists. The returned messages are recorded
/// with the next event.
///
/// `candidates` are those of an event of this dialect. For a module, its hooks among them count. A module whose
/// hooks are not known yet ends no mute, because it does not show what was removed from it.
///
/// `agents_project` is the project of an agent's event. Only the process that has the agents' sessions knows which of
/// their hooks exist, so other events end no mute of a session hook.
pub(crate) fn remove_orphaned_mutes(
    app: &App,
    snapshot: &Snapshot,
    dialect: &str,
    candidates: &[Candidate],
    agents_project: Option<&Path>,
) -> Vec<Message> {
    let now = &app.workspace.clock().read();
    let mut orphaned: Vec<Mute> = snapshot
        .sources
        .iter()
        .flat_map(|source| {
            let event_candidates = (source.dialect == dialect).then_some(candidates);
            let hooks = current_hooks(source, event_candidates);
            // A file of which no older version is known must not end a mute either.
            let version = if source.has_older_hooks()
                || !source.broken.is_empty()
                || hooks.iter().any(|hook| is_unexpanded_module(hook))
            {
                SourceVersion::LastGood
            } else {
                SourceVersion::Current
            };
            app.workspace
                .mutes()
                .orphaned(source.dialect, &source.root, hooks, version, now)
        })
        .collect();
    if let Some(project) = agents_project {
        orphaned.extend(orphaned_session_mutes(app, dialect, project));
    }
    // If `mutes.json` cannot be changed now, the mute stays in it until it can. Meanwhile it mutes nothing.
    let removed = app.workspace.mutes().remove_orphaned(&orphaned).unwrap_or_default();
    let mut messages: Vec<Message> = Vec::new();
    for message in removed.iter().map(Mute::mute_ended) {
        // A hook that serves several events has a mute for each, but is reported once.
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

/// The mutes of hooks that agents registered in a project, and that no session has any more.
fn orphaned_session_mutes(app: &App, dialect: &str, project: &Path) -> Vec<Mute> {
    let mutes = app.workspace.mutes();
    if mutes.all().mutes.iter().all(|mute| mute.layer != Layer::Session) {
        return Vec::new();
    }
    let root = Root::file(Layer::Session, PathBuf::new(), Some(project.to_owned()));
    let hooks = app.agents.hooks_in(project);
    let hooks = hooks.iter().map(|hook| &**hook).filter(|hook| hook.dialect == dialect);
    mutes.orphaned(
        dialect,
        &root,
        hooks,
        SourceVersion::Current,
        &app.workspace.clock().read(),
    )
}

/// The command `mute`: leaves a hook out for a time or without an end.
///
/// # Errors
/// The project has no such hook, or `mutes.json` cannot be changed.
pub async fn mute(app: &App, request: MuteRequest) -> Result<Empty, Fault> {
    mute_in(app, Path::new(&request.project), &request.hook, request.for_ms)?;
    Ok(Empty {})
}

/// Mutes a project's hook for a time, or without an end if `time` is `None`.
///
/// # Errors
/// The project has no such hook, or `mutes.json` cannot be changed.
pub fn mute_in(app: &App, project: &Path, hook: &str, time: Option<Millis>) -> Result<(), Fault> {
    let open_project = app.workspace.open_project(project)?;
    let snapshot = open_project.snapshot();
    let known = known_hooks(app, &open_project, &snapshot);
    let hooks = hooks_with_id(&snapshot, &known, hook)?;
    let until = time.map(|time| time.after(app.workspace.now()));
    Ok(app
        .workspace
        .mutes()
        .mute(&hooks, known.iter().map(|hook| &**hook), until, app.workspace.clock())?)
}

/// The command `unmute`: removes the mute of a hook.
///
/// # Errors
/// The project has no such hook, or `mutes.json` cannot be changed.
pub async fn unmute(app: &App, request: HookRequest) -> Result<Empty, Fault> {
    unmute_in(app, Path::new(&request.project), &request.hook)?;
    Ok(Empty {})
}

/// Removes the mute of a project's hook.
///
/// # Errors
/// The project has no such hook, or `mutes.json` cannot be changed.
pub fn unmute_in(app: &App, project: &Path, hook: &str) -> Result<MuteState, Fault> {
    let open_project = app.workspace.open_project(project)?;
    let snapshot = open_project.snapshot();
    let known = known_hooks(app, &open_project, &snapshot);
    let hooks = hooks_with_id(&snapshot, &known, hook)?;
    let ended = app
        .workspace
        .mutes()
        .unmute(&hooks, known.iter().map(|hook| &**hook), app.workspace.clock())?;
    let is_untrusted = |hook: &&Hook| match hook.source.layer {
        Layer::Session => app.check_session_hook(hook).is_err(),
        Layer::Builtin | Layer::User | Layer::Project | Layer::Skill => app.workspace.trust.check_gate(hook).is_err(),
    };
    Ok(if ended == 0 {
        MuteState::NotMuted
    } else if hooks.iter().any(is_untrusted) {
        MuteState::UnmutedUntrusted
    } else {
        MuteState::Unmuted
    })
}

/// The hooks that a source has now. For a module these are its hooks among the candidates of this event.
fn current_hooks<'a>(source: &'a LoadedSource, candidates: Option<&'a [Candidate]>) -> Vec<&'a Hook> {
    let modules: Vec<&Path> = source
        .file_hooks
        .iter()
        .filter(|hook| is_unexpanded_module(hook))
        .map(|hook| hook.source.path.as_path())
        .collect();
    let of_module = |hook: &&Hook| candidates.is_some() && modules.contains(&hook.source.path.as_path());
    let known = source.hooks.iter().map(|hook| &**hook).filter(|hook| !of_module(hook));
    let now = candidates
        .into_iter()
        .flatten()
        .map(|candidate| &*candidate.hook)
        .filter(of_module);
    known.chain(now).collect()
}

/// The hooks of the project's files, and those that agents have registered in it.
fn known_hooks(app: &App, open_project: &OpenProject, snapshot: &Snapshot) -> Vec<Arc<Hook>> {
    let of_agents = app.agents.hooks_in(&open_project.project);
    snapshot.all().cloned().chain(of_agents).collect()
}

/// The hook with this id, once for each event that it serves.
fn hooks_with_id<'a>(snapshot: &Snapshot, known: &'a [Arc<Hook>], id: &str) -> Result<Vec<&'a Hook>, Fault> {
    let hooks: Vec<&Hook> = known.iter().map(|hook| &**hook).filter(|hook| hook.id == id).collect();
    if hooks.is_empty() {
        Err(snapshot.unknown_hook(id).into())
    } else {
        Ok(hooks)
    }
}
