//! Which hook of the files after an edit is which hook of the files before it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Hook, HookKey};
use serde_json::Value;

use super::user_files::FileTransaction;
use crate::pairing::{Listed, Sameness, pair};
use crate::snapshot::{LoadedSource, Snapshot};

/// The hooks of a dialect before and after its files changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HookPairs {
    /// Hooks with the same definition and events in the same file: the id before and the id after.
    pub same: Vec<(String, String)>,
    /// Hooks that keep their id and have another definition or other events.
    pub changed: Vec<String>,
    /// Hooks that are gone.
    pub removed: Vec<String>,
    /// Hooks that are new.
    pub added: Vec<String>,
    /// The hook that the edit is about, as far as it exists before and after.
    pub edited: Option<(String, String)>,
}

/// The hook that an edit is about: where it is before and after. It is paired with no other hook.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EditedHook<'k> {
    /// `None` if the edit adds it, or edits a copy.
    pub before: Option<&'k HookKey>,
    /// `None` if the edit removes it.
    pub after: Option<&'k HookKey>,
}

/// A definition with all events that it serves.
#[derive(Debug)]
struct Definition<'h> {
    key: HookKey,
    id: &'h str,
    uid: &'h str,
    definition: &'h Value,
    events: BTreeSet<&'h str>,
}

impl HookPairs {
    /// Compares the hooks of a dialect.
    pub fn new(before: &Snapshot, after: &Snapshot, dialect: &str, edited: EditedHook<'_>) -> Self {
        let mine = |source: &&LoadedSource| source.dialect == dialect;
        let (before, after) = (before.sources.iter(), after.sources.iter());
        Self::of_sources(before.filter(mine), after.filter(mine), edited)
    }

    /// Compares the hooks of the sources of a dialect.
    fn of_sources<'s>(
        before: impl Iterator<Item = &'s LoadedSource>,
        after: impl Iterator<Item = &'s LoadedSource>,
        edited: EditedHook<'_>,
    ) -> Self {
        let (mut before, mut after) = (definitions(before), definitions(after));
        let was = edited.before.and_then(|key| take(&mut before, key));
        let is = edited.after.and_then(|key| take(&mut after, key));
        let mut pairs = Self::default();
        let (mut gone, new) = pair_equal(&before, &after, &mut pairs.same);
        for new in new {
            if gone.remove(new) {
                pairs.changed.push(new.to_owned());
            } else {
                pairs.added.push(new.to_owned());
            }
        }
        pairs.removed = gone.into_iter().map(str::to_owned).collect();
        match (was, is) {
            (Some(was), Some(is)) => pairs.edited = Some((was.id.to_owned(), is.id.to_owned())),
            (Some(was), None) => pairs.removed.push(was.id.to_owned()),
            (None, Some(is)) => pairs.added.push(is.id.to_owned()),
            (None, None) => {}
        }
        pairs
    }

    /// The id after the change of a hook that existed before.
    pub fn id_after(&self, before: &str) -> Option<&str> {
        let mut pairs = self.same.iter().chain(&self.edited);
        let same = pairs.find(|(was, _)| was == before);
        let kept = || self.changed.iter().find(|id| *id == before);
        same.map(|(_, is)| is).or_else(kept).map(String::as_str)
    }

    /// Gives hooks the identities that they had before: the edited one and those that are the same, and those that keep
    /// their id with another definition unless the pairing of the lists found them elsewhere.
    pub fn keep_identities(&self, before: &Snapshot, after: &mut Snapshot, dialect: &str) {
        let before: HashMap<&str, &str> = before.hooks(dialect).map(|hook| (&*hook.id, &*hook.uid)).collect();
        let kept = |was: &str, is: &str| Some((is.to_owned(), (*before.get(was)?).to_owned()));
        let same = self.edited.iter().chain(&self.same);
        let mut uids: Vec<(String, String)> = same.filter_map(|(was, is)| kept(was, is)).collect();
        set_uids(after, dialect, &uids);
        uids = self.changed.iter().filter_map(|id| kept(id, id)).collect();
        uids.retain(|(_, uid)| !after.all().any(|hook| hook.uid == *uid));
        set_uids(after, dialect, &uids);
    }

    /// Every id that changed, from old to new.
    pub fn moved(&self) -> BTreeMap<String, String> {
        let pairs = self.same.iter().chain(&self.edited);
        pairs.filter(|(was, is)| was != is).cloned().collect()
    }
}

/// The ids and identities of the hooks that have an equal one in their file, for the files that an edit writes.
pub(super) fn uids_of_equals(snapshot: &Snapshot, work: &FileTransaction) -> Vec<(String, String)> {
    let sources = snapshot.sources.iter();
    let all = definitions(sources).into_iter().filter(|hook| {
        let is_written = |path: &Path| work.files.iter().any(|file| file.path == path);
        !hook.uid.is_empty() && is_written(&hook.key.0)
    });
    let mut equals: BTreeMap<String, Vec<Definition<'_>>> = BTreeMap::new();
    for hook in all {
        equals.entry(hook.content()).or_default().push(hook);
    }
    let ambiguous = equals.into_values().filter(|equal| equal.len() > 1).flatten();
    ambiguous
        .map(|hook| (hook.id.to_owned(), hook.uid.to_owned()))
        .collect()
}

/// Gives the hooks of a dialect these identities, by their ids. Another hook that had been given one of them gets one
/// that is free now. An identity of a hook in another source stays there.
pub(super) fn set_uids(snapshot: &mut Snapshot, dialect: &str, wanted: &[(String, String)]) {
    let mine = snapshot.sources.iter_mut().filter(|source| source.dialect == dialect);
    let mut sources: Vec<&mut LoadedSource> = mine.collect();
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (index, source) in sources.iter().enumerate() {
        owners.extend(source.file_hooks.iter().map(|hook| (hook.uid.clone(), index)));
    }
    for (index, source) in sources.iter_mut().enumerate() {
        let wanted: HashMap<&str, &str> = wanted
            .iter()
            .filter(|(_, uid)| !uid.is_empty() && owners.get(uid).is_none_or(|owner| *owner == index))
            .map(|(id, uid)| (&**id, &**uid))
            .collect();
        set_uids_in(source, &wanted);
    }
}

fn set_uids_in(source: &mut LoadedSource, wanted: &HashMap<&str, &str>) {
    let mut uids: Vec<(HookKey, String)> = Vec::new();
    let mut given: BTreeSet<String> = BTreeSet::new();
    let mut others: Vec<(HookKey, String)> = Vec::new();
    let mut seen: BTreeSet<HookKey> = BTreeSet::new();
    for (read, hook) in source.read_and_present_hooks() {
        if !seen.insert(read.key()) {
            continue;
        }
        match wanted.get(&*hook.id) {
            Some(uid) if given.insert((*uid).to_owned()) => uids.push((read.key(), (*uid).to_owned())),
            Some(_) | None => others.push((read.key(), hook.uid.clone())),
        }
    }
    let had: BTreeSet<String> = source.file_hooks.iter().map(|hook| hook.uid.clone()).collect();
    let used = others.iter().map(|(_, uid)| uid);
    let mut free: BTreeSet<String> = had.into_iter().filter(|uid| !given.contains(uid)).collect();
    for uid in used {
        free.remove(uid);
    }
    for (key, uid) in others {
        let uid = match given.contains(&uid) {
            true => free.pop_first().unwrap_or(uid),
            false => uid,
        };
        uids.push((key, uid));
    }
    let uids: BTreeMap<HookKey, String> = uids.into_iter().collect();
    for hooks in [&mut source.file_hooks, &mut source.hooks] {
        let differs = |hook: &Arc<Hook>| uids.get(&hook.key()).is_some_and(|uid| *uid != hook.uid);
        if hooks.iter().any(differs) {
            for hook in Arc::make_mut(hooks).iter_mut().filter(|hook| differs(hook)) {
                let key = hook.key();
                if let Some(uid) = uids.get(&key) {
                    Arc::make_mut(hook).uid.clone_from(uid);
                }
            }
        }
    }
}

/// Takes the definition at this place out of a list.
fn take<'h>(all: &mut Vec<Definition<'h>>, key: &HookKey) -> Option<Definition<'h>> {
    let index = all.iter().position(|hook| hook.key == *key)?;
    Some(all.remove(index))
}

impl Definition<'_> {
    /// What is equal in equal definitions of one file.
    fn content(&self) -> String {
        format!("{:?} {:?} {}", self.key.0, self.events, self.definition)
    }

    /// `content` is [`Self::content`].
    fn listed<'l>(&'l self, content: &'l str, place: usize) -> Listed<'l> {
        Listed {
            definition: content,
            command: "",
            label: self.id,
            event: "",
            place,
            is_gone: false,
        }
    }
}

/// Pairs equal definitions of the same file. Returns the ids without a partner, before and after.
fn pair_equal<'h>(
    before: &'h [Definition<'h>],
    after: &'h [Definition<'h>],
    same: &mut Vec<(String, String)>,
) -> (BTreeSet<&'h str>, Vec<&'h str>) {
    let [was, is] = [before, after].map(|hooks| hooks.iter().map(Definition::content).collect::<Vec<_>>());
    let [was, is] = [(before, &was), (after, &is)].map(|(hooks, contents)| {
        let all = hooks.iter().zip(contents).enumerate();
        all.map(|(place, (hook, content))| hook.listed(content, place))
            .collect::<Vec<_>>()
    });
    let partners = pair(&was, &is, &[(Sameness::Definition, false)]);
    let pairs = after
        .iter()
        .zip(partners)
        .filter_map(|(is, was)| Some((before[was?].id, is.id)));
    let partner: HashMap<&str, &str> = pairs.collect();
    let taken: BTreeSet<&str> = partner.values().copied().collect();
    let mut unmatched = BTreeSet::new();
    for was in before {
        match partner.get(was.id) {
            Some(is) => same.push((was.id.to_owned(), (*is).to_owned())),
            None => drop(unmatched.insert(was.id)),
        }
    }
    let new = after.iter().map(|is| is.id).filter(|id| !taken.contains(id));
    (unmatched, new.collect())
}

/// The definitions of a dialect. A hook that serves several events is read once for each.
fn definitions<'s>(sources: impl Iterator<Item = &'s LoadedSource>) -> Vec<Definition<'s>> {
    let mut all: Vec<Definition<'_>> = Vec::new();
    for source in sources {
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (read, hook) in source.read_and_present_hooks() {
            let index = *first.entry(&hook.id).or_insert(all.len());
            if index == all.len() {
                all.push(Definition {
                    key: read.key(),
                    id: &hook.id,
                    uid: &hook.uid,
                    definition: &hook.definition,
                    events: BTreeSet::new(),
                });
            }
            all[index].events.insert(&hook.event);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery;
    use hookwright_dialects::lookup::find_dialect;
    use hookwright_model::{Layer, Root};

    /// Compares two texts of a `hooks.yaml`.
    fn compare(before: &str, after: &str) -> HookPairs {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hooks.yaml");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let root = Root::file(Layer::User, path.clone(), None);
            discovery::load_file(find_dialect("jcli").unwrap(), root)
        };
        let (before, after) = (load(before), load(after));
        HookPairs::of_sources([&before].into_iter(), [&after].into_iter(), EditedHook::default())
    }

    fn id(index: usize) -> String {
        format!("jcli:user:stop:{index}")
    }

    #[test]
    fn a_hook_is_found_again_when_others_are_inserted_or_removed_above_it() {
        let two = "stop:\n  - command: a\n  - command: b\n";
        let pairs = compare(two, "stop:\n  - command: n\n  - command: a\n  - command: b\n");
        assert_eq!(pairs.moved(), BTreeMap::from([(id(0), id(1)), (id(1), id(2))]));
        assert_eq!((pairs.added.as_slice(), pairs.changed.len()), (&[id(0)][..], 0));
        let pairs = compare(two, "stop:\n  - command: b\n");
        assert_eq!(pairs.moved(), BTreeMap::from([(id(1), id(0))]));
        assert_eq!(pairs.removed, [id(0)]);
        assert_eq!(
            (pairs.id_after(&id(0)), pairs.id_after(&id(1))),
            (None, Some(id(0).as_str()))
        );
    }

    #[test]
    fn a_hook_that_keeps_its_id_with_another_definition_is_changed() {
        let pairs = compare(
            "stop:\n  - command: a\n  - command: a\n",
            "stop:\n  - command: a\n  - command: c\n",
        );
        assert_eq!(pairs.same, [(id(0), id(0))]);
        assert_eq!(pairs.changed, [id(1)]);
    }

    #[test]
    fn equal_hooks_keep_their_order_when_another_is_inserted_above_them() {
        let pairs = compare(
            "stop:\n  - command: a\n  - command: a\n",
            "stop:\n  - command: n\n  - command: a\n  - command: a\n",
        );
        assert_eq!(pairs.moved(), BTreeMap::from([(id(0), id(1)), (id(1), id(2))]));
        assert_eq!(pairs.added, [id(0)]);
    }

    #[test]
    fn the_same_definition_at_another_event_is_another_hook() {
        let pairs = compare("stop:\n  - command: a\n", "user_prompt_submit:\n  - command: a\n");
        assert_eq!((pairs.same.len(), pairs.removed.as_slice()), (0, &[id(0)][..]));
    }
}
