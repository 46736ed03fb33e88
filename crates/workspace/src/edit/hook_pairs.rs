//! Which hook of the files after an edit is which hook of the files before it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hookwright_model::HookKey;
use serde_json::Value;

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

    /// Gives the edited hook, and those that keep their id with another definition, the identity that they had before.
    pub fn keep_identities(&self, before: &Snapshot, after: &mut Snapshot, dialect: &str) {
        let changed = self.changed.iter().map(|id| (id, id));
        let edited = self.edited.iter().map(|(was, is)| (was, is));
        for (was, is) in edited.chain(changed) {
            let Some(uid) = uid_of(before, dialect, was) else {
                continue;
            };
            // The pairing of the lists may have found it elsewhere.
            if !after.all().any(|hook| hook.uid == uid) {
                set_uid(after, dialect, is, &uid);
            }
        }
    }

    /// Every id that changed, from old to new.
    pub fn moved(&self) -> BTreeMap<String, String> {
        let pairs = self.same.iter().chain(&self.edited);
        pairs.filter(|(was, is)| was != is).cloned().collect()
    }
}

/// The identity of the hook with this id.
fn uid_of(snapshot: &Snapshot, dialect: &str, id: &str) -> Option<String> {
    let hook = snapshot.hooks(dialect).find(|hook| hook.id == id)?;
    Some(hook.uid.clone()).filter(|uid| !uid.is_empty())
}

fn set_uid(snapshot: &mut Snapshot, dialect: &str, id: &str, uid: &str) {
    let mine = snapshot.sources.iter_mut().filter(|source| source.dialect == dialect);
    for source in mine {
        let key = source.read_and_present_hooks().find(|(_, hook)| hook.id == id);
        let Some(key) = key.map(|(read, _)| read.key()) else {
            continue;
        };
        for hooks in [&mut source.file_hooks, &mut source.hooks] {
            for hook in Arc::make_mut(hooks).iter_mut().filter(|hook| hook.key() == key) {
                Arc::make_mut(hook).uid = uid.to_owned();
            }
        }
        return;
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
