//! Mutes: hooks that Hookwright's engine leaves out although their files stay as they are (`CONTRACTS.md` §5).
//!
//! A mute belongs to a definition in one list (file and event), not to a position. So it stays on the right hook when
//! others are added above it. It ends at its time, when the user unmutes the hook, or when the definition no longer
//! exists.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use hookwright_model::{Ages, Clock, ClockReading, EVERY_EVENT, Handler, Hook, Layer, Message, Root, render};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::data_files::locked_file::{self, LockedFileError};

hookwright_model::messages! {
    /// Why a hook is left out: it is muted until a time.
    MUTED_UNTIL = "muted" / "until" { "muted until {until}", "静音至 {until}" } hint { "run `hookwright unmute {hook}` to let it run again", "执行 `hookwright unmute {hook}` 可恢复执行" };
    /// Why a hook is left out: it is muted without an end.
    MUTED = "muted" / "for_good" { "muted", "已静音" } hint { "run `hookwright unmute {hook}` to let it run again", "执行 `hookwright unmute {hook}` 可恢复执行" };
    /// A mute ended because its definition no longer exists.
    MUTE_ENDED = "mute_lifted" { "the mute of {hook} ended: its definition was removed from {path}", "{hook} 的静音已解除：它的定义已从 {path} 中删除" };
    /// A mute ended because no session of an agent has its hook any more.
    SESSION_MUTE_ENDED = "mute_lifted" / "session" { "the mute of {hook} ended: no session has this hook now", "{hook} 的静音已解除：现在没有会话包含此 Hook" };
}

/// One muted definition, as `mutes.json` stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mute {
    /// Canonical path of the project; `null` for user files.
    #[serde(with = "crate::data_files::path_serde::optional")]
    pub project: Option<PathBuf>,
    /// Id of the dialect, such as `jcli`.
    pub dialect: String,
    /// Layer of the file.
    pub layer: Layer,
    /// File that contains the definition.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// Event of the hook; `*` for a module whose hooks were not known yet.
    pub event: String,
    /// Identifies the definition: a hash of its normalised text. The text itself is not stored, because it may contain
    /// secrets.
    pub definition: String,
    /// Id that the hook had when it was muted. It only distinguishes equal definitions of one list.
    pub hook: String,
    /// When the mute ends.
    #[serde(flatten)]
    pub time: MuteTime,
}

/// How long a mute holds.
///
/// A mute that was set while the clock was wrong must not hold as long as that error. So the reading of the clock is
/// stored with it, and as long as the machine is not restarted the time that really passed counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MuteTime {
    /// When the mute ends, by the clock that set it; `null` for no end.
    pub until: Option<Timestamp>,
    /// The clock when the mute was set. Mutes of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<ClockReading>,
}

impl MuteTime {
    /// The time of a mute that is set now.
    #[must_use]
    pub fn set(until: Option<Timestamp>, now: &ClockReading) -> Self {
        Self {
            set: until.map(|_| now.clone()),
            until,
        }
    }

    /// Whether the mute holds now. It ends too if the clock is set back by a day or more: then nobody knows how long it
    /// was meant to hold, and a hook that runs is safer.
    #[must_use]
    pub fn is_active(&self, now: &ClockReading) -> bool {
        let is_set_back = self.set.as_ref().is_some_and(|set| now.is_set_back_since(set));
        !is_set_back && self.ends_at(now).is_none_or(|end| now.wall < end)
    }

    /// When the mute ends, by the present clock; `None` for no end.
    #[must_use]
    pub fn ends_at(&self, now: &ClockReading) -> Option<Timestamp> {
        let until = self.until?;
        let passed = self.set.as_ref().and_then(|set| Some((set, now.measured_since(set)?)));
        let left = passed.map(|(set, passed)| until.duration_since(set.wall).saturating_sub(passed));
        Some(left.map_or(until, |left| now.wall.saturating_add(left).unwrap_or(until)))
    }
}

/// Mutes that an edit moved from the old definition to the new one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedMutes {
    from: Vec<Mute>,
    to: Vec<Mute>,
}

impl MovedMutes {
    /// The mutes of a definition that the user changed are removed, and `hooks` are muted until the same time.
    #[must_use]
    pub fn to_hooks(before: &[Mute], hooks: &[&Hook]) -> Self {
        let time = before.first().map(|mute| mute.time.clone());
        Self {
            to: time.map_or_else(Vec::new, |time| {
                hooks.iter().map(|hook| Mute::for_hook(hook, &time)).collect()
            }),
            from: before.to_vec(),
        }
    }

    /// Hooks that were muted before they were turned off are muted until the same time.
    #[must_use]
    pub fn to_restored_hooks(before: &[Mute], hooks: &[&Hook], now: &ClockReading) -> Self {
        let active: Vec<Mute> = before.iter().filter(|mute| mute.is_active(now)).cloned().collect();
        Self {
            from: Vec::new(),
            ..Self::to_hooks(&active, hooks)
        }
    }

    /// Adds what keeps the mutes of other hooks with them when an edit moves them or removes an equal one. `muted` are
    /// the hooks before the edit with their mutes; `after` are all hooks after it. Also returns what the undo of the
    /// edit needs: it finds the moved hooks by itself, but not the mutes of removed ones.
    #[must_use]
    pub fn with_others<'h>(
        self,
        muted: &[(&Hook, Mute)],
        after: impl Iterator<Item = &'h Hook> + Clone,
    ) -> (Self, Self) {
        let (mut all, mut undo) = (self.clone(), self);
        for (hook, mute) in muted {
            if mute.event == EVERY_EVENT || undo.from.contains(mute) {
                continue;
            }
            let equals: Vec<&Hook> = after.clone().filter(|other| mute.matches_definition(other)).collect();
            match equals.iter().find(|other| other.uid == hook.uid) {
                Some(same) if same.id == mute.hook => {}
                Some(same) => {
                    all.from.push(mute.clone());
                    all.to.push(Mute {
                        hook: same.id.clone(),
                        ..mute.clone()
                    });
                }
                // A mute without any such definition ends with a notice.
                None if equals.is_empty() => {}
                None => {
                    all.from.push(mute.clone());
                    undo.from.push(mute.clone());
                }
            }
        }
        (all, undo)
    }

    /// Adds the moves of another hook.
    pub fn extend(&mut self, other: Self) {
        self.from.extend(other.from);
        self.to.extend(other.to);
    }

    /// The opposite move, from the new definition to the old one.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            from: self.to.clone(),
            to: self.from.clone(),
        }
    }
}

impl Mute {
    fn for_hook(hook: &Hook, time: &MuteTime) -> Self {
        Self {
            project: hook.source.project.as_deref().map(canonical),
            dialect: hook.dialect.to_owned(),
            layer: hook.source.layer,
            path: hook.source.path.clone(),
            event: hook.event.clone(),
            definition: definition_hash(&hook.definition_text),
            hook: hook.id.clone(),
            time: time.clone(),
        }
    }

    /// Why the hook of this mute is left out.
    #[must_use]
    pub fn message(&self, now: &ClockReading) -> Message {
        match self.time.ends_at(now) {
            Some(until) => {
                render!(MUTED_UNTIL, "until" => until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), "hook" => self.hook)
            }
            None => render!(MUTED, "hook" => self.hook),
        }
    }

    /// The notice that the mute ended because its definition no longer exists. It is recorded with the next event.
    #[must_use]
    pub fn mute_ended(&self) -> Message {
        if self.layer == Layer::Session {
            return render!(SESSION_MUTE_ENDED, "hook" => self.hook);
        }
        render!(MUTE_ENDED, "hook" => self.hook, "path" => self.path.display().to_string())
    }

    fn is_active(&self, now: &ClockReading) -> bool {
        self.time.is_active(now)
    }

    /// Whether this mute is for a definition equal to the hook's, in the hook's list.
    fn matches_definition(&self, hook: &Hook) -> bool {
        self.event == hook.event
            && self.is_in_same_file(hook)
            // Files of earlier versions contain the text instead of its hash.
            && (self.definition == definition_hash(&hook.definition_text) || self.definition == hook.definition_text)
    }

    /// Whether this mute is for a module that was muted before its hooks were known. It then applies to every hook of
    /// the module.
    fn covers_module(&self, hook: &Hook) -> bool {
        self.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. }) && self.is_in_same_file(hook)
    }

    fn is_in_same_file(&self, hook: &Hook) -> bool {
        self.dialect == hook.dialect
            && self.layer == hook.source.layer
            && is_same_path(&self.path, &hook.source.path)
            && is_same_project(self.project.as_deref(), hook.source.project.as_deref())
    }
}

fn definition_hash(definition: &str) -> String {
    format!("blake3:{}", blake3::hash(definition.as_bytes()).to_hex())
}

/// The content of `mutes.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MutesFile {
    /// Version of the file format, now 1.
    #[serde(default, deserialize_with = "locked_file::version_up_to::<1, _>")]
    pub version: u32,
    /// All mutes, expired ones included.
    #[serde(default)]
    pub mutes: Vec<Mute>,
}

/// Which version of its file the hooks of a source come from. This decides whether a definition that is not among them
/// ends its mute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceVersion {
    /// The present content of the file.
    Current,
    /// An older version, used because the file does not parse now.
    LastGood,
}

/// The mutes of one data folder.
#[derive(Debug)]
pub struct Mutes {
    path: PathBuf,
    file: ArcSwap<MutesFile>,
}

impl Mutes {
    /// Reads `mutes.json` of a data folder. A broken file mutes nothing, and its error is returned.
    #[must_use]
    pub fn open(data_dir: &Path) -> (Self, Option<LockedFileError>) {
        let mutes = Self {
            path: data_dir.join("mutes.json"),
            file: ArcSwap::default(),
        };
        let error = mutes.reload().err();
        (mutes, error)
    }

    /// Reads the file again, because another program may have changed it. A broken file mutes nothing.
    ///
    /// # Errors
    /// The file exists but cannot be read, or does not parse.
    pub fn reload(&self) -> Result<(), LockedFileError> {
        let read = locked_file::read_json::<MutesFile>(&self.path);
        let (file, result) = match read {
            Ok(file) => (file, Ok(())),
            Err(error) => (MutesFile::default(), Err(error)),
        };
        self.file.store(Arc::new(file));
        result
    }

    /// Path of `mutes.json`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All mutes as last read or written, expired ones included.
    #[must_use]
    pub fn all(&self) -> Arc<MutesFile> {
        self.file.load_full()
    }

    /// The mute that applies to a hook now. `among` are all known hooks, including this one. They decide which of
    /// several equal definitions a mute is for.
    #[must_use]
    pub fn muted<'h>(
        &self,
        hook: &Hook,
        among: impl IntoIterator<Item = &'h Hook>,
        now: &ClockReading,
    ) -> Option<Mute> {
        let file = self.file.load();
        if file.mutes.is_empty() {
            return None;
        }
        let found = find_mute(&file.mutes, hook, among, now)?;
        file.mutes.get(found).cloned()
    }

    /// Mutes hooks until a time, or without an end if `until` is `None`. A hook that is already muted gets the new
    /// time. A hook that serves several events is passed once for each.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub fn mute<'h>(
        &self,
        hooks: &[&Hook],
        among: impl IntoIterator<Item = &'h Hook> + Clone,
        until: Option<Timestamp>,
        clock: &Clock,
    ) -> Result<(), LockedFileError> {
        let now = &clock.read();
        let time = MuteTime::set(until, now);
        self.change(|mutes| {
            remove_ended(mutes, clock);
            for hook in hooks {
                remove_mute(mutes, hook, among.clone(), now);
                mutes.push(Mute::for_hook(hook, &time));
            }
        })
    }

    /// Moves mutes with the hooks that an edit changes or moves.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub fn apply_moves(&self, moved: &MovedMutes) -> Result<(), LockedFileError> {
        let MovedMutes { from, to } = moved;
        if from.is_empty() && to.is_empty() {
            return Ok(());
        }
        self.change(|mutes| {
            mutes.retain(|mute| !from.contains(mute) && !to.contains(mute));
            mutes.extend(to.iter().cloned());
        })
    }

    /// Removes the mutes of hooks. Returns how many of these hooks were muted.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub fn unmute<'h>(
        &self,
        hooks: &[&Hook],
        among: impl IntoIterator<Item = &'h Hook> + Clone,
        clock: &Clock,
    ) -> Result<usize, LockedFileError> {
        let now = &clock.read();
        let mut count = 0;
        self.change(|mutes| {
            remove_ended(mutes, clock);
            for hook in hooks {
                count += usize::from(remove_mute(mutes, hook, among.clone(), now));
            }
        })?;
        Ok(count)
    }

    /// The mutes in a root whose definition no longer exists. There are none while an older version of the file is
    /// used.
    #[must_use]
    pub fn orphaned<'h>(
        &self,
        dialect: &str,
        root: &Root,
        hooks: impl IntoIterator<Item = &'h Hook>,
        version: SourceVersion,
        now: &ClockReading,
    ) -> Vec<Mute> {
        let file = self.file.load();
        if version == SourceVersion::LastGood || file.mutes.is_empty() {
            return Vec::new();
        }
        let is_here = |mute: &&Mute| {
            mute.dialect == dialect
                && mute.layer == root.layer
                && (mute.path.starts_with(&root.path) || is_same_path(&mute.path, &root.path))
                && is_same_project(mute.project.as_deref(), root.project.as_deref())
                && mute.is_active(now)
        };
        let here: Vec<&Mute> = file.mutes.iter().filter(is_here).collect();
        if here.is_empty() {
            return Vec::new();
        }
        let mut left: Vec<&Hook> = hooks.into_iter().collect();
        let (_, here): (Vec<&Mute>, Vec<&Mute>) = here
            .into_iter()
            .partition(|mute| left.iter().any(|hook| mute.covers_module(hook)));
        // Each mute needs one definition. If fewer equal definitions are left than mutes, the other mutes are orphaned.
        let (matched_by_id, others): (Vec<&Mute>, Vec<&Mute>) = here.into_iter().partition(|mute| {
            left.iter()
                .any(|hook| mute.hook == hook.id && mute.matches_definition(hook))
        });
        left.retain(|hook| {
            !matched_by_id
                .iter()
                .any(|mute| mute.hook == hook.id && mute.matches_definition(hook))
        });
        let mut orphaned = Vec::new();
        for mute in others {
            match left.iter().position(|hook| mute.matches_definition(hook)) {
                Some(index) => {
                    left.remove(index);
                }
                None => orphaned.push(mute.clone()),
            }
        }
        orphaned
    }

    /// Removes mutes whose definition no longer exists. Returns those that were still in the file, so that only one of
    /// several programs gives the notice.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub fn remove_orphaned(&self, orphaned: &[Mute]) -> Result<Vec<Mute>, LockedFileError> {
        if orphaned.is_empty() {
            return Ok(Vec::new());
        }
        let mut removed = Vec::new();
        self.change(|mutes| {
            for mute in orphaned {
                if let Some(index) = mutes.iter().position(|known| known == mute) {
                    removed.push(mutes.remove(index));
                }
            }
        })?;
        Ok(removed)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Mute>)) -> Result<(), LockedFileError> {
        let next = locked_file::change_json(&self.path, |file: &mut MutesFile| {
            file.version = 1;
            change(&mut file.mutes);
        })?;
        self.file.store(Arc::new(next));
        Ok(())
    }
}

/// Removes the mutes that ended, unless the clock cannot be believed now.
fn remove_ended(mutes: &mut Vec<Mute>, clock: &Clock) {
    if let Ages::Until(_) = clock.ages() {
        let now = clock.read();
        mutes.retain(|mute| mute.is_active(&now));
    }
}

/// Removes a hook's mute. Returns false if the hook has none. If the mute was for a whole module, each other hook of
/// the module gets its own mute.
fn remove_mute<'h>(
    mutes: &mut Vec<Mute>,
    hook: &Hook,
    among: impl IntoIterator<Item = &'h Hook> + Clone,
    now: &ClockReading,
) -> bool {
    let Some(known) = find_mute(mutes, hook, among.clone(), now) else {
        return false;
    };
    let mute = mutes.remove(known);
    if mute.covers_module(hook) && hook.event != EVERY_EVENT {
        let others = among
            .into_iter()
            .filter(|other| mute.covers_module(other) && other.id != hook.id);
        mutes.extend(others.map(|other| Mute::for_hook(other, &mute.time)));
    }
    true
}

/// The index of the hook's mute. A mute with the id of one of the equal definitions belongs to that one. The other
/// mutes are assigned in order to the equal definitions that are left.
fn find_mute<'h>(
    mutes: &[Mute],
    hook: &Hook,
    among: impl IntoIterator<Item = &'h Hook>,
    now: &ClockReading,
) -> Option<usize> {
    if let Some(whole) = mutes
        .iter()
        .position(|mute| mute.is_active(now) && mute.covers_module(hook))
    {
        return Some(whole);
    }
    let is_for_hook = |index: &usize| {
        mutes
            .get(*index)
            .is_some_and(|mute| mute.is_active(now) && mute.matches_definition(hook))
    };
    let mine: Vec<usize> = (0..mutes.len()).filter(is_for_hook).collect();
    let first = *mine.first()?;
    let mut equals: Vec<&str> = among
        .into_iter()
        .filter(|other| mutes.get(first).is_some_and(|mute| mute.matches_definition(other)))
        .map(|other| other.id.as_str())
        .collect();
    if equals.is_empty() {
        equals.push(&hook.id);
    }
    let named_hook = |index: &usize| mutes.get(*index).map(|mute| mute.hook.as_str());
    if let Some(exact) = mine.iter().copied().find(|index| named_hook(index) == Some(&hook.id)) {
        return Some(exact);
    }
    let moved = mine
        .iter()
        .copied()
        .filter(|index| named_hook(index).is_none_or(|name| !equals.contains(&name)));
    let unclaimed = equals
        .iter()
        .filter(|id| !mine.iter().any(|index| named_hook(index) == Some(**id)));
    moved
        .zip(unclaimed)
        .find(|(_, id)| **id == hook.id)
        .map(|(index, _)| index)
}

fn canonical(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_same_path(one: &Path, other: &Path) -> bool {
    one == other || one.file_name() == other.file_name() && canonical(one) == canonical(other)
}

fn is_same_project(one: Option<&Path>, other: Option<&Path>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one == other || canonical(one) == canonical(other),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests;
