//! Which hook of an edited file is which hook of the file before. A whole text does not say what changed, so hooks are
//! compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hookwright_model::Hook;
use serde_json::Value;

/// The hooks of a file before and after its text changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HookPairs {
    /// Hooks with the same definition and events: the id before and the id after.
    pub same: Vec<(String, String)>,
    /// Hooks that keep their id and have another definition or other events.
    pub changed: Vec<String>,
    /// Hooks that are gone.
    pub removed: Vec<String>,
    /// Hooks that are new.
    pub added: Vec<String>,
}

/// A definition with all events that it serves.
#[derive(Debug)]
struct Definition<'h> {
    id: &'h str,
    content: &'h Value,
    events: BTreeSet<&'h str>,
}

impl HookPairs {
    /// Compares the hooks of a file. A hook that serves several events may be passed once for each.
    pub fn new<'h>(before: impl Iterator<Item = &'h Hook>, after: impl Iterator<Item = &'h Hook>) -> Self {
        let (before, after) = (definitions(before), definitions(after));
        let mut left: HashMap<String, Vec<&str>> = HashMap::new();
        for is in &after {
            left.entry(is.key()).or_default().push(is.id);
        }
        let mut pairs = Self::default();
        // An equal definition with the same id comes first, because several definitions may be equal.
        let (kept, rest): (Vec<_>, Vec<_>) = before.iter().partition(|was| {
            let equal = left.get_mut(&was.key());
            let index = equal.as_ref().and_then(|ids| ids.iter().position(|id| *id == was.id));
            equal.zip(index).map(|(ids, index)| ids.remove(index)).is_some()
        });
        pairs
            .same
            .extend(kept.iter().map(|was| (was.id.to_owned(), was.id.to_owned())));
        let mut unmatched = BTreeSet::new();
        for was in rest {
            match left.get_mut(&was.key()).filter(|ids| !ids.is_empty()) {
                Some(ids) => pairs.same.push((was.id.to_owned(), ids.remove(0).to_owned())),
                None => drop(unmatched.insert(was.id.to_owned())),
            }
        }
        let left: BTreeSet<&str> = left.into_values().flatten().collect();
        for is in after.iter().filter(|is| left.contains(is.id)) {
            if unmatched.remove(is.id) {
                pairs.changed.push(is.id.to_owned());
            } else {
                pairs.added.push(is.id.to_owned());
            }
        }
        pairs.removed = unmatched.into_iter().collect();
        pairs
    }

    /// The id after the change of a hook that existed before.
    pub fn id_after(&self, before: &str) -> Option<&str> {
        let same = self.same.iter().find(|(was, _)| was == before);
        let kept = || self.changed.iter().find(|id| *id == before);
        same.map(|(_, is)| is).or_else(kept).map(String::as_str)
    }

    /// Every id that changed, from old to new.
    pub fn moved(&self) -> BTreeMap<String, String> {
        self.same.iter().filter(|(was, is)| was != is).cloned().collect()
    }
}

impl Definition<'_> {
    /// Equal for equal definitions with equal events.
    fn key(&self) -> String {
        format!("{:?} {}", self.events, self.content)
    }
}

fn definitions<'h>(hooks: impl Iterator<Item = &'h Hook>) -> Vec<Definition<'h>> {
    let mut all: Vec<Definition<'h>> = Vec::new();
    let mut index_of: BTreeMap<&str, usize> = BTreeMap::new();
    for hook in hooks {
        match index_of.get(hook.id.as_str()) {
            Some(index) => {
                all[*index].events.insert(&hook.event);
            }
            None => {
                index_of.insert(&hook.id, all.len());
                all.push(Definition {
                    id: &hook.id,
                    content: &hook.definition,
                    events: BTreeSet::from([hook.event.as_str()]),
                });
            }
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
            discovery::load_file(find_dialect("jcli").unwrap(), root).file_hooks
        };
        let (before, after) = (load(before), load(after));
        HookPairs::new(before.iter().map(|hook| &**hook), after.iter().map(|hook| &**hook))
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
    fn the_same_definition_at_another_event_is_another_hook() {
        let pairs = compare("stop:\n  - command: a\n", "user_prompt_submit:\n  - command: a\n");
        assert_eq!((pairs.same.len(), pairs.removed.as_slice()), (0, &[id(0)][..]));
    }
}
