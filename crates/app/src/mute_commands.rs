//! Muting from the outside: `mute`, `unmute`, and mutes that end because their definition is gone.

use std::path::Path;

use hookwright_engine::Candidate;
use hookwright_model::{Hook, Message, args};
use jiff::SignedDuration;

use crate::App;
use crate::dto::{Empty, HookRequest, MuteRequest};
use crate::fault::Fault;
use crate::library::{LoadedSource, Snapshot};
use crate::modules::is_unexpanded_module;
use crate::mutes::{Mute, SourceVersion};
use crate::review::unknown_hook;

/// Whether there was a mute to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MuteState {
    /// There was.
    Unmuted,
    /// There was, and the hook waits for review: it does not run before somebody approves it.
    UnmutedUntrusted,
    /// The hook was not muted.
    NotMuted,
}

impl App {
    /// The mute that holds for a hook now.
    pub(crate) fn muted(&self, snapshot: &Snapshot, hook: &Hook) -> Option<Mute> {
        self.app_files.mutes.muted(hook, known_hooks(snapshot), self.now())
    }

    /// The mutes of the hook of that id, one for each event that it serves.
    pub(crate) fn mutes_of(&self, snapshot: &Snapshot, id: &str) -> Vec<Mute> {
        let mine = known_hooks(snapshot).filter(|hook| hook.id == id);
        mine.filter_map(|hook| self.muted(snapshot, hook)).collect()
    }

    /// Ends the mutes of a snapshot's places whose definition is gone. What is returned is told with the next event.
    /// `candidates` are those of an event of this dialect: what modules told for it counts, and a module that told
    /// nothing yet says nothing of what is gone from it.
    pub(crate) fn remove_orphaned_mutes(
        &self,
        snapshot: &Snapshot,
        dialect: &str,
        candidates: &[Candidate],
    ) -> Vec<Message> {
        let now = self.now();
        let orphaned: Vec<Mute> = snapshot
            .sources
            .iter()
            .flat_map(|source| {
                let event_candidates = (source.dialect == dialect).then_some(candidates);
                let hooks = current_hooks(source, event_candidates);
                // A command that runs once has no older version to go on with, but a file being edited is no reason either.
                let version = if source.last_good
                    || !source.broken.is_empty()
                    || hooks.iter().any(|hook| is_unexpanded_module(hook))
                {
                    SourceVersion::LastGood
                } else {
                    SourceVersion::Current
                };
                self.app_files
                    .mutes
                    .orphaned(source.dialect, &source.root, hooks, version, now)
            })
            .collect();
        // A file that cannot be changed now keeps the mute until it can; nothing is muted by it meanwhile.
        let removed = self.app_files.mutes.remove_orphaned(&orphaned).unwrap_or_default();
        let mut messages: Vec<Message> = Vec::new();
        for message in removed.iter().map(Mute::mute_ended) {
            // A hook that serves several events has a mute for each, and is told of once.
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        messages
    }

    /// `mute`
    ///
    /// # Errors
    /// No such hook here, or the file cannot be changed.
    pub async fn mute(&self, request: MuteRequest) -> Result<Empty, Fault> {
        self.mute_in(Path::new(&request.project), &request.hook, request.for_ms)?;
        Ok(Empty {})
    }

    /// Leaves a project's hook out, for that many milliseconds or for good.
    ///
    /// # Errors
    /// No such hook here, or the file cannot be changed.
    pub fn mute_in(&self, project: &Path, hook: &str, for_ms: Option<f64>) -> Result<(), Fault> {
        let open_project = self.open_project(project)?;
        let snapshot = open_project.snapshot();
        let hooks = hooks_with_id(&snapshot, hook)?;
        let now = self.now();
        let until = for_ms.map(|ms| now.saturating_add(SignedDuration::from_millis(ms as i64)));
        let until = until
            .transpose()
            .map_err(|error| Fault::from(crate::fault::BAD_DURATION.render(args! { "text" => error.to_string() })))?;
        Ok(self.app_files.mutes.mute(&hooks, known_hooks(&snapshot), until, now)?)
    }

    /// `unmute`
    ///
    /// # Errors
    /// No such hook here, or the file cannot be changed.
    pub async fn unmute(&self, request: HookRequest) -> Result<Empty, Fault> {
        self.unmute_in(Path::new(&request.project), &request.hook)?;
        Ok(Empty {})
    }

    /// Lets a project's hook run again.
    ///
    /// # Errors
    /// No such hook here, or the file cannot be changed.
    pub fn unmute_in(&self, project: &Path, hook: &str) -> Result<MuteState, Fault> {
        let open_project = self.open_project(project)?;
        let snapshot = open_project.snapshot();
        let hooks = hooks_with_id(&snapshot, hook)?;
        let ended = self
            .app_files
            .mutes
            .unmute(&hooks, known_hooks(&snapshot), self.now())?;
        Ok(if ended == 0 {
            MuteState::NotMuted
        } else if hooks.iter().any(|hook| self.trust.check_gate(hook).is_err()) {
            MuteState::UnmutedUntrusted
        } else {
            MuteState::Unmuted
        })
    }
}

/// The hooks that a source has now: those of a module as it told them for this event.
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

fn known_hooks(snapshot: &Snapshot) -> impl Iterator<Item = &Hook> + Clone {
    snapshot
        .sources
        .iter()
        .flat_map(|source| source.hooks.iter())
        .map(|hook| &**hook)
}

/// The hook of that id, once for each event it serves.
fn hooks_with_id<'a>(snapshot: &'a Snapshot, id: &str) -> Result<Vec<&'a Hook>, Fault> {
    let hooks: Vec<&Hook> = known_hooks(snapshot).filter(|hook| hook.id == id).collect();
    if hooks.is_empty() {
        Err(unknown_hook(snapshot, id))
    } else {
        Ok(hooks)
    }
}
