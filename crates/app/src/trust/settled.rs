//! Contents that were found out once, valid while nothing that decides them changes: an event asks the disk whether that
//! is so, and neither looks names up nor reads a file again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::{ApprovalScope, Hook};

use super::Content;
use super::disk::{DiskCache, Seen};
use super::look::is_settled;

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
    cover: ApprovalScope,
    /// What decides the content.
    seen: Vec<Arc<Seen>>,
    /// The same, of files whose bytes are compared before each start.
    compared: Vec<Arc<Seen>>,
    content: Arc<Content>,
}

impl Settled {
    /// The hook's content, when it was found out before and still is so.
    pub(super) fn get(&self, hook: &Hook, disk: &DiskCache) -> Option<Arc<Content>> {
        let entry = self.entry(hook)?;
        let mut seen = entry.seen.iter().chain(&entry.compared);
        let same = seen.all(|then| disk.seen(&then.path).is_some_and(|now| now.look == then.look));
        same.then(|| entry.content.clone())
    }

    /// Whether this is the hook's content and nothing that decides it changed, but for bytes that the caller compares.
    pub(super) fn holds_but_for_bytes(&self, hook: &Hook, content: &Arc<Content>) -> bool {
        let entry = self.entry(hook).filter(|entry| Arc::ptr_eq(&entry.content, content));
        entry.is_some_and(|entry| entry.seen.iter().all(|seen| seen.holds()))
    }

    fn entry(&self, hook: &Hook) -> Option<Arc<Entry>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&hook.id)?.iter().find(|entry| entry.is_of(hook)).cloned()
    }

    /// Keeps a content, with the state of what decides it: none of that changed while the content was found out.
    pub(super) fn keep(&self, hook: &Hook, content: &Arc<Content>, seen: Vec<Arc<Seen>>) {
        let compared: HashSet<&Path> = content.compared().iter().map(|(part, _)| &*part.file).collect();
        let (compared, seen) = seen.into_iter().partition(|seen| compared.contains(&*seen.path));
        let entry = Arc::new(Entry {
            project: hook.source.project.clone(),
            event: hook.approved_event().to_owned(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            cover: hook.cover.clone(),
            seen,
            compared,
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

/// These files and folders as they are; `None` where a change could hide.
pub(super) fn settled(paths: &BTreeSet<PathBuf>, disk: &DiskCache) -> Option<Vec<Arc<Seen>>> {
    if paths.len() > MAX_LOOKS {
        return None;
    }
    let seen = |path: &PathBuf| disk.seen(path).filter(|seen| is_settled(&seen.look));
    paths.iter().map(seen).collect()
}
