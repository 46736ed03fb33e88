//! The identity of hooks: a `uid` that stays while a hook is the same one for a person (`engine.md` §13).
//!
//! How it works: `identities.json` has the list that was last seen of each source (`CONTRACTS.md` §5). A new list is
//! paired with it: equal definition first, then equal command or text, then equal label and event at the nearest place.
//! A hook without a partner gets a uid that is computed from its source, its definition and the number of equal ones
//! before it, so that programs agree that cannot write the file.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookwright_model::{Ages, Clock, Hook, Layer, Root};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::data_files::locked_file::{self, LockedFileError};
use crate::data_files::path_serde;
use crate::pairing::{Listed, SEEN_BEFORE, pair};
use crate::snapshot::LoadedSource;

/// Limit for the size of the file.
const MAX_BYTES: usize = 4 << 20;
/// How long a hook that is in no file any more keeps its entry.
const GONE_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The length of a uid and of the hashes in the file, in hexadecimal digits.
const UID_CHARS: usize = 32;
/// Limit for the versions of one hook; the oldest is removed first.
const MAX_VERSIONS: usize = 50;

/// `identities.json` as it was read.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identities {
    #[serde(default)]
    sources: Vec<SourceList>,
}

/// The list of hooks that was last seen in a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SourceList {
    dialect: String,
    layer: Layer,
    #[serde(with = "path_serde::path")]
    path: PathBuf,
    hooks: Vec<Identity>,
}

/// A hook of a source. Texts are stored as hashes, apart from the definitions of guards, which can be restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The identity.
    pub uid: String,
    /// Identifies the definition, as [`Hook::version`].
    pub definition: String,
    /// Hash of the command, script or text; empty if it has none.
    command: String,
    /// The hook's name for the user.
    pub label: String,
    /// The events, separated by commas.
    pub event: String,
    /// Its position among the definitions of its source, from 0.
    place: usize,
    /// Earlier and present definitions, the latest last.
    #[serde(default)]
    pub versions: Vec<DefinitionVersion>,
    /// Whether it is a guard, as its text showed when the list was stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
    /// Of a guard: its definition as `add` takes it, so that it can be restored; `None` if it is a whole folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    addition: Option<Map<String, Value>>,
    /// Since when it is in the source no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<Timestamp>,
    /// Whether the user took it out of its file through Hookwright, or knows that it is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

/// A guard that was in a source and is there no more, without an edit through Hookwright.
#[derive(Debug, Clone, PartialEq)]
pub struct GoneGuard {
    /// The id of the dialect.
    pub dialect: String,
    /// The layer of the source.
    pub layer: Layer,
    /// The file or folder, absolute.
    pub path: PathBuf,
    /// The project of the source; `None` for the user's own.
    pub project: Option<PathBuf>,
    /// The identity.
    pub uid: String,
    /// The hook's name for the user. It is not masked.
    pub label: String,
    /// The events, separated by commas.
    pub event: String,
    /// Its definition as `add` takes it; `None` if it cannot be restored.
    pub addition: Option<Map<String, Value>>,
    /// Since when it is gone.
    pub since: Timestamp,
}

/// A definition that a hook had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionVersion {
    /// Identifies the definition, as [`Hook::version`].
    pub definition: String,
    /// Since when, as far as a program saw it.
    pub since: Timestamp,
}

/// The identities of a data folder, read when they are first needed.
#[derive(Debug)]
pub struct IdentityFile {
    path: PathBuf,
    read: OnceCell<Identities>,
}

/// A definition that was found in a source now.
#[derive(Debug)]
struct Found<'h> {
    hook: &'h Hook,
    definition: String,
    command: String,
    event: String,
    place: usize,
}

impl Identities {
    /// Reads the file of a data folder. One that cannot be read counts as empty: then every uid is computed.
    #[must_use]
    pub fn read(data_dir: &Path) -> Self {
        read(&path_in(data_dir))
    }

    /// The hook with this uid in a source, if it is known.
    #[must_use]
    pub fn find(&self, source: &LoadedSource, uid: &str) -> Option<&Identity> {
        let mut hooks = self.hooks_of(source.dialect, &source.root).iter();
        hooks.find(|hook| hook.uid == uid)
    }

    /// The guards that were in these sources and are there no more, and whose loss nobody has accepted.
    pub fn gone<'i>(&'i self, sources: &'i [LoadedSource]) -> impl Iterator<Item = GoneGuard> + 'i {
        sources.iter().flat_map(|source| {
            let hooks = self.hooks_of(source.dialect, &source.root).iter();
            let gone = hooks.filter(|hook| hook.guard && !hook.accepted);
            gone.filter_map(|hook| {
                Some(GoneGuard {
                    dialect: source.dialect.to_owned(),
                    layer: source.root.layer,
                    path: source.root.path.clone(),
                    project: source.root.project.clone(),
                    uid: hook.uid.clone(),
                    label: hook.label.clone(),
                    event: hook.event.clone(),
                    addition: hook.addition.clone(),
                    since: hook.gone?,
                })
            })
        })
    }

    fn hooks_of(&self, dialect: &str, root: &Root) -> &[Identity] {
        let list = self.sources.iter().find(|list| list.is_of(dialect, root));
        list.map_or(&[], |list| &list.hooks)
    }
}

impl SourceList {
    fn is_of(&self, dialect: &str, root: &Root) -> bool {
        self.dialect == dialect && self.layer == root.layer && self.path == root.path
    }
}

impl IdentityFile {
    /// The identities of this data folder.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            path: path_in(data_dir),
            read: OnceCell::new(),
        }
    }

    fn known(&self) -> &Identities {
        self.read.get_or_init(|| read(&self.path))
    }

    /// Gives the hooks of a root their uids.
    pub(crate) fn assign(&self, dialect: &str, root: &Root, hooks: &mut [Arc<Hook>]) {
        if hooks.is_empty() {
            return;
        }
        let known = self.known().hooks_of(dialect, root);
        let found = find_definitions(hooks);
        let is: Vec<Listed<'_>> = found.iter().map(Found::listed).collect();
        let was: Vec<Listed<'_>> = known.iter().map(Identity::listed).collect();
        let partners = pair(&was, &is, SEEN_BEFORE);
        let mut taken: HashSet<String> = known.iter().map(|known| known.uid.clone()).collect();
        let mut uids: HashMap<(PathBuf, String), String> = HashMap::new();
        // Thousands of equal definitions do not try each other's numbers again.
        let mut next: HashMap<(&Path, &str), usize> = HashMap::new();
        for (found, partner) in found.iter().zip(partners) {
            let uid = match partner {
                Some(index) => known[index].uid.clone(),
                None => {
                    let equal = (&*found.hook.source.path, &*found.hook.definition_text);
                    let nth = next.entry(equal).or_default();
                    loop {
                        let uid = computed_uid(found.hook, *nth);
                        *nth += 1;
                        if !taken.contains(&uid) {
                            break uid;
                        }
                    }
                }
            };
            taken.insert(uid.clone());
            uids.insert((found.hook.source.path.clone(), found.hook.id.clone()), uid);
        }
        for hook in hooks {
            if let Some(uid) = uids.get(&(hook.source.path.clone(), hook.id.clone())) {
                Arc::make_mut(hook).uid.clone_from(uid);
            }
        }
    }

    /// Stores the lists of these sources where they differ from what was seen last. Hooks that are in no file any more
    /// keep their entries for a while. `guards` gives the guards of a source, by uid, with what can be added again.
    pub(crate) fn update<'s>(
        &self,
        sources: impl Iterator<Item = &'s LoadedSource>,
        guards: impl Fn(&LoadedSource) -> HashMap<String, Option<Map<String, Value>>>,
        clock: &Clock,
    ) {
        let is_known = |source: &&LoadedSource| {
            source.held.is_none() && source.broken.iter().all(|path| source.older_version(path).is_some())
        };
        let now = clock.now();
        let lists = sources.filter(is_known).filter_map(|source| {
            let known = self.known().hooks_of(source.dialect, &source.root);
            let mut hooks = present_list(known, source, now);
            let live: Vec<&Identity> = known.iter().filter(|known| known.gone.is_none()).collect();
            if live.len() == hooks.len() && live.iter().zip(&hooks).all(|(was, is)| *was == is) {
                return None;
            }
            let mut guards = guards(source);
            for hook in &mut hooks {
                let addition = guards.remove(&hook.uid);
                hook.guard = addition.is_some();
                hook.addition = addition.flatten();
            }
            Some((source, hooks))
        });
        let lists: Vec<(&LoadedSource, Vec<Identity>)> = lists.collect();
        if lists.is_empty() {
            return;
        }
        let stored = self.change(clock, |file| {
            for (source, hooks) in lists {
                // If another program has stored a list meanwhile, the next read pairs with that.
                if file.hooks_of(source.dialect, &source.root) == self.known().hooks_of(source.dialect, &source.root) {
                    file.store(source, hooks, now);
                }
            }
            file.drop_moved();
        });
        if let Err(error) = stored {
            tracing::debug!(%error, "the identities of hooks were not stored");
        }
    }

    /// Accepts that these hooks are gone. Should one come back, it is the same hook.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn accept(&self, uids: &[String], clock: &Clock) -> Result<(), LockedFileError> {
        self.change(clock, |file| {
            let hooks = file.sources.iter_mut().flat_map(|list| &mut list.hooks);
            for hook in hooks.filter(|hook| hook.gone.is_some() && uids.contains(&hook.uid)) {
                hook.accepted = true;
            }
        })
    }

    fn change(&self, clock: &Clock, change: impl FnOnce(&mut Identities)) -> Result<(), LockedFileError> {
        locked_file::change_text(&self.path, |text| {
            let mut file = match text {
                Some(text) => parse(text).ok_or_else(|| broken(&self.path))?,
                None => Identities::default(),
            };
            change(&mut file);
            file.drop_old(clock);
            Ok::<_, LockedFileError>(file.limited_text())
        })
        .map(drop)
    }
}

impl Identities {
    /// Puts the list of a source in the place of the one that was seen last.
    fn store(&mut self, source: &LoadedSource, mut hooks: Vec<Identity>, now: Timestamp) {
        let before = self
            .sources
            .iter()
            .position(|list| list.is_of(source.dialect, &source.root));
        let before = before.map(|index| self.sources.remove(index).hooks);
        let is_live: HashSet<String> = hooks.iter().map(|hook| hook.uid.clone()).collect();
        let gone = before.into_iter().flatten().filter(|hook| !is_live.contains(&hook.uid));
        hooks.extend(gone.map(|hook| Identity {
            gone: hook.gone.or(Some(now)),
            ..hook
        }));
        if !hooks.is_empty() {
            self.sources.push(SourceList {
                dialect: source.dialect.to_owned(),
                layer: source.root.layer,
                path: source.root.path.clone(),
                hooks,
            });
        }
    }

    /// A hook that moved to another source is not gone.
    fn drop_moved(&mut self) {
        let all = self.sources.iter().flat_map(|list| &list.hooks);
        let live: HashSet<String> = all
            .filter(|hook| hook.gone.is_none())
            .map(|hook| hook.uid.clone())
            .collect();
        for list in &mut self.sources {
            list.hooks
                .retain(|hook| hook.gone.is_none() || !live.contains(&hook.uid));
        }
    }

    fn drop_old(&mut self, clock: &Clock) {
        if self
            .sources
            .iter()
            .all(|list| list.hooks.iter().all(|hook| hook.gone.is_none()))
        {
            return;
        }
        let Ages::Until(now) = clock.ages() else { return };
        let is_old = |gone: Timestamp| now.duration_since(gone) > GONE_FOR;
        for list in &mut self.sources {
            list.hooks.retain(|hook| !hook.gone.is_some_and(is_old));
        }
    }

    /// The file as text. If it is too large, hooks that are gone are left out, and then the lists of projects that were
    /// stored longest ago.
    fn limited_text(mut self) -> String {
        self.sources.retain(|list| !list.hooks.is_empty());
        let mut text = self.text();
        if text.len() > MAX_BYTES {
            for list in &mut self.sources {
                list.hooks.retain(|hook| hook.gone.is_none());
            }
            text = self.text();
        }
        while text.len() > MAX_BYTES {
            let mut sources = self.sources.iter();
            let first = sources.position(|list| list.layer != Layer::User).unwrap_or(0);
            if self.sources.is_empty() {
                break;
            }
            self.sources.remove(first);
            text = self.text();
        }
        text
    }

    /// One line for each source.
    fn text(&self) -> String {
        let lines = self.sources.iter().filter_map(|list| serde_json::to_string(list).ok());
        let lines: Vec<String> = lines.collect();
        format!("{{\"version\":1,\"sources\":[\n{}\n]}}\n", lines.join(",\n"))
    }
}

fn path_in(data_dir: &Path) -> PathBuf {
    data_dir.join("identities.json")
}

fn read(path: &Path) -> Identities {
    /// The file is read at each load of a project, and it is said once.
    static TOLD: AtomicBool = AtomicBool::new(false);
    locked_file::read_json(path).unwrap_or_else(|error| {
        if !TOLD.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "the identities of hooks are computed, because their file cannot be read");
        }
        Identities::default()
    })
}

fn parse(text: &str) -> Option<Identities> {
    serde_json::from_str(text).ok()
}

fn broken(path: &Path) -> LockedFileError {
    LockedFileError::Broken {
        path: path.to_owned(),
        position: None,
        what: "it is not a list of sources".to_owned(),
    }
}

/// The uid of a hook that is in no list yet: the `nth` one of equal definitions of its file, from 0.
#[must_use]
pub fn computed_uid(hook: &Hook, nth: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [
        hook.dialect.as_bytes(),
        hook.source.layer.as_str().as_bytes(),
        hook.source.path.as_os_str().as_encoded_bytes(),
        hook.definition_text.as_bytes(),
        &nth.to_le_bytes(),
    ] {
        // The length comes first, so that no two lists of parts have the same hash.
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex()[..UID_CHARS].to_owned()
}

/// The definitions of these hooks, in their order. A definition that serves several events is one.
fn find_definitions(hooks: &[Arc<Hook>]) -> Vec<Found<'_>> {
    let mut all: Vec<Found<'_>> = Vec::new();
    let mut first: HashMap<(&Path, &str), usize> = HashMap::new();
    for hook in hooks {
        let index = *first.entry((&hook.source.path, &hook.id)).or_insert(all.len());
        if index < all.len() {
            let events = &mut all[index].event;
            events.push(',');
            events.push_str(&hook.event);
            continue;
        }
        let command = hook.handler.runs();
        let command = command.map(|command| blake3::hash(command.as_bytes()).to_hex()[..UID_CHARS].to_owned());
        all.push(Found {
            hook,
            definition: hook.version(),
            command: command.unwrap_or_default(),
            event: hook.event.clone(),
            place: index,
        });
    }
    all
}

/// The list of a source as it is stored.
fn present_list(known: &[Identity], source: &LoadedSource, now: Timestamp) -> Vec<Identity> {
    let by_uid: HashMap<&str, &Identity> = known.iter().map(|known| (known.uid.as_str(), known)).collect();
    let found = find_definitions(&source.file_hooks);
    let entries = found.into_iter().map(|found| {
        let before = by_uid.get(found.hook.uid.as_str());
        let mut versions = before.map(|before| before.versions.clone()).unwrap_or_default();
        if versions.last().map(|last| &last.definition) != Some(&found.definition) {
            versions.push(DefinitionVersion {
                definition: found.definition.clone(),
                since: now,
            });
        }
        versions.drain(..versions.len().saturating_sub(MAX_VERSIONS));
        Identity {
            uid: found.hook.uid.clone(),
            definition: found.definition,
            command: found.command,
            label: found.hook.label.clone(),
            event: found.event,
            place: found.place,
            versions,
            guard: before.is_some_and(|before| before.guard),
            addition: before.and_then(|before| before.addition.clone()),
            gone: None,
            accepted: false,
        }
    });
    entries.collect()
}

impl Identity {
    fn listed(&self) -> Listed<'_> {
        Listed {
            definition: &self.definition,
            command: &self.command,
            label: &self.label,
            event: &self.event,
            place: self.place,
            is_gone: self.gone.is_some(),
        }
    }
}

impl Found<'_> {
    fn listed(&self) -> Listed<'_> {
        Listed {
            definition: &self.definition,
            command: &self.command,
            label: &self.hook.label,
            event: &self.event,
            place: self.place,
            is_gone: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery;
    use crate::host_env::wall_clock;
    use hookwright_dialects::lookup::find_dialect;

    /// A `hooks.yaml` of j-cli, and the data folder in which its hooks are known.
    struct Sandbox {
        data: tempfile::TempDir,
        folder: tempfile::TempDir,
        clock: Clock,
    }

    impl Sandbox {
        fn new() -> Self {
            Self {
                data: tempfile::tempdir().unwrap(),
                folder: tempfile::tempdir().unwrap(),
                clock: wall_clock(),
            }
        }

        /// What a program sees that reads this text: command and uid of each hook. Nothing is stored.
        fn see(&self, text: &str) -> LoadedSource {
            let path = self.folder.path().join("hooks.yaml");
            std::fs::write(&path, text).unwrap();
            let root = Root::file(Layer::User, path, None);
            let mut source = discovery::load_file(find_dialect("jcli").unwrap(), root);
            let hooks = Arc::make_mut(&mut source.file_hooks);
            IdentityFile::new(self.data.path()).assign("jcli", &source.root, hooks);
            source
        }

        fn store(&self, source: &LoadedSource) {
            update(self.data.path(), source, &self.clock);
        }

        /// Reads a text and stores the list.
        fn read(&self, text: &str) -> Vec<(String, String)> {
            let source = self.see(text);
            self.store(&source);
            commands(&source)
        }
    }

    /// Stores the list of a source. Every hook counts as a guard.
    fn update(data_dir: &Path, source: &LoadedSource, clock: &Clock) {
        let guards = |source: &LoadedSource| source.file_hooks.iter().map(|hook| (hook.uid.clone(), None)).collect();
        IdentityFile::new(data_dir).update([source].into_iter(), guards, clock);
    }

    fn commands(source: &LoadedSource) -> Vec<(String, String)> {
        let hooks = source.file_hooks.iter();
        hooks
            .map(|hook| (hook.handler.runs().unwrap_or_default(), hook.uid.clone()))
            .collect()
    }

    fn uid_of(list: &[(String, String)], command: &str) -> String {
        list.iter().find(|(it, _)| it == command).unwrap().1.clone()
    }

    #[test]
    fn a_hook_keeps_its_identity_when_others_come_go_and_move() {
        let sandbox = Sandbox::new();
        let before = sandbox.read("stop:\n  - command: a\n  - command: b\n");
        let after = sandbox.read("stop:\n  - command: n\n  - command: b\n  - command: a\n");
        for command in ["a", "b"] {
            assert_eq!(uid_of(&before, command), uid_of(&after, command));
        }
        assert!(before.iter().all(|(_, uid)| *uid != uid_of(&after, "n")));
    }

    #[test]
    fn a_hook_is_the_same_by_its_command_and_then_by_its_name_at_the_nearest_place() {
        let sandbox = Sandbox::new();
        let guard = |timeout: u32| format!("stop:\n  - {{command: ./guard.sh, timeout: {timeout}}}\n");
        let uid = uid_of(&sandbox.read(&guard(5)), "./guard.sh");
        assert_eq!(uid_of(&sandbox.read(&guard(9)), "./guard.sh"), uid);
        let moved = "pre_send_message:\n  - {command: ./guard.sh, timeout: 9}\n";
        assert_eq!(uid_of(&sandbox.read(moved), "./guard.sh"), uid, "at another event");
        let other = "pre_send_message:\n  - {command: ./guard.sh --strict, timeout: 7}\n";
        assert_eq!(
            uid_of(&sandbox.read(other), "./guard.sh --strict"),
            uid,
            "the label is equal"
        );
        let new = "pre_send_message:\n  - {command: ./else.sh, timeout: 1}\n";
        assert_ne!(uid_of(&sandbox.read(new), "./else.sh"), uid);
    }

    #[test]
    fn equal_hooks_have_different_identities_and_keep_their_order() {
        let sandbox = Sandbox::new();
        let two = sandbox.read("stop:\n  - command: a\n  - command: a\n");
        assert_ne!(two[0].1, two[1].1);
        let three = sandbox.read("stop:\n  - command: n\n  - command: a\n  - command: a\n");
        assert_eq!([&three[1], &three[2]], [&two[0], &two[1]]);
    }

    #[test]
    fn programs_that_cannot_write_the_file_agree() {
        let sandbox = Sandbox::new();
        let text = "stop:\n  - command: a\n  - command: a\n  - command: b\n";
        let seen = commands(&sandbox.see(text));
        assert_eq!(seen, commands(&sandbox.see(text)));
        assert_eq!(seen, sandbox.read(text), "and with the one that stores them");
    }

    #[test]
    fn the_definitions_that_a_hook_had_are_remembered() {
        let sandbox = Sandbox::new();
        sandbox.read("stop:\n  - {command: a, timeout: 1}\n");
        sandbox.read("stop:\n  - {command: a, timeout: 2}\n");
        let source = sandbox.see("stop:\n  - {command: a, timeout: 2}\n");
        let known = Identities::read(sandbox.data.path());
        let versions = &known.find(&source, &source.file_hooks[0].uid).unwrap().versions;
        assert_eq!(versions.len(), 2);
        assert_eq!(versions[1].definition, source.file_hooks[0].version());
    }

    #[test]
    fn a_hook_that_is_gone_is_listed_until_it_is_back_or_accepted() {
        let sandbox = Sandbox::new();
        let two = sandbox.read("stop:\n  - command: a\n  - command: b\n");
        let gone = |text: &str| {
            let source = sandbox.see(text);
            sandbox.store(&source);
            let known = Identities::read(sandbox.data.path());
            known.gone(&[source]).map(|gone| gone.uid).collect::<Vec<_>>()
        };
        assert_eq!(gone("stop:\n  - command: b\n"), [uid_of(&two, "a")]);
        assert_eq!(gone("stop:\n  - command: b\n  - command: a\n"), [""; 0]);
        assert_eq!(
            uid_of(&sandbox.read("stop:\n  - command: b\n  - command: a\n"), "a"),
            uid_of(&two, "a")
        );
        assert_eq!(gone("stop:\n  - command: b\n"), [uid_of(&two, "a")]);
        let file = IdentityFile::new(sandbox.data.path());
        file.accept(&[uid_of(&two, "a")], &sandbox.clock).unwrap();
        assert_eq!(gone("stop:\n  - command: b\n"), [""; 0]);
        // A file that cannot be read takes no hook away.
        assert_eq!(gone("stop: [\n"), [""; 0]);
        assert_eq!(gone("stop:\n  - command: b\n"), [""; 0]);
    }

    #[test]
    fn entries_of_hooks_that_are_gone_leave_after_thirty_days() {
        let sandbox = Sandbox::new();
        let day = |number: i64| Clock::new(move || Timestamp::from_second(1_700_000_000 + number * 86_400).unwrap());
        let read = |text: &str, number: i64| {
            let source = sandbox.see(text);
            update(sandbox.data.path(), &source, &day(number));
            Identities::read(sandbox.data.path()).gone(&[source]).count()
        };
        read("stop:\n  - command: a\n", 0);
        assert_eq!(read("stop:\n  - command: b\n", 1), 1);
        assert_eq!(read("stop:\n  - command: b\n  - command: c\n", 30), 1);
        assert_eq!(
            read("stop:\n  - command: b\n", 32),
            1,
            "only the one that is gone since today"
        );
    }
}
