//! Contents that were found out once, valid while nothing that decides them changes: an event asks the disk whether that
//! is so, and neither looks names up nor reads a file again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::{Cover, Hook};

use super::Content;
use super::disk::DiskCache;
use super::look::{Look, is_settled, look_at};

/// Of one id, in so many projects or versions at once.
const KEPT_OF_ONE_ID: usize = 8;
/// What depends on more files and folders is found out each time.
const MAX_LOOKS: usize = 1_000;

/// Contents by hook id.
#[derive(Debug, Default)]
pub(super) struct Settled(Mutex<HashMap<String, Vec<Arc<Entry>>>>);

#[derive(Debug)]
struct Entry {
    project: Option<PathBuf>,
    event: String,
    definition: String,
    inherited: String,
    cover: Cover,
    looks: Vec<(PathBuf, Look)>,
    /// Those of files whose bytes are compared before each start.
    looks_of_compared: Vec<(PathBuf, Look)>,
    content: Arc<Content>,
}

impl Settled {
    /// The hook's content, when it was found out before and still is so.
    pub(super) fn get(&self, hook: &Hook, disk: &DiskCache) -> Option<Arc<Content>> {
        let entry = self.entry(hook)?;
        let mut looks = entry.looks.iter().chain(&entry.looks_of_compared);
        let same = looks.all(|(path, look)| disk.look_at(path).as_ref() == Some(look));
        same.then(|| entry.content.clone())
    }

    /// Whether this is the hook's content and still is so, as far as nobody who compares bytes would find out.
    pub(super) fn holds_but_for_bytes(&self, hook: &Hook, content: &Arc<Content>) -> bool {
        let entry = self.entry(hook).filter(|entry| Arc::ptr_eq(&entry.content, content));
        entry.is_some_and(|entry| {
            let mut looks = entry.looks.iter();
            looks.all(|(path, look)| look_at(path).as_ref() == Some(look))
        })
    }

    fn entry(&self, hook: &Hook) -> Option<Arc<Entry>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&hook.id)?.iter().find(|entry| entry.is_of(hook)).cloned()
    }

    /// Keeps a content, with the state of what decides it from before it was found out.
    pub(super) fn keep(&self, hook: &Hook, content: &Arc<Content>, looks: Vec<(PathBuf, Look)>) {
        let compared: HashSet<&Path> = content.compared().iter().map(|(part, _)| &*part.file).collect();
        let (looks_of_compared, looks) = looks.into_iter().partition(|(path, _)| compared.contains(&**path));
        let entry = Arc::new(Entry {
            project: hook.source.project.clone(),
            event: hook.approved_event().to_owned(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            cover: hook.cover.clone(),
            looks,
            looks_of_compared,
            content: content.clone(),
        });
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = known.entry(hook.id.clone()).or_default();
        entries.retain(|entry| !entry.is_of(hook));
        if entries.len() >= KEPT_OF_ONE_ID {
            entries.remove(0);
        }
        entries.push(entry);
    }

    /// Forgets what is known of a hook.
    pub(super) fn forget(&self, hook: &Hook) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&hook.id);
    }
}

impl Entry {
    fn is_of(&self, hook: &Hook) -> bool {
        self.project == hook.source.project
            && self.definition == hook.definition_text
            && self.inherited == hook.inherited_text
            && self.event == hook.approved_event()
            && self.cover == hook.cover
    }
}

/// The state of these files and folders; `None` where a change could hide.
pub(super) fn looks(paths: &BTreeSet<PathBuf>, disk: &DiskCache) -> Option<Vec<(PathBuf, Look)>> {
    if paths.len() > MAX_LOOKS {
        return None;
    }
    let look = |path: &PathBuf| disk.look_at(path).filter(is_settled).map(|look| (path.clone(), look));
    paths.iter().map(look).collect()
}
