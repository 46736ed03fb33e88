//! Contents that were found out once, valid while nothing that decides them changes: an event asks the disk whether that
//! is so, and neither looks names up nor reads a file again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookwright_model::{ApprovalScope, Hook};

use super::HookContent;
use super::digest_cache::is_stable;
use super::disk_cache::{DiskCache, PathState};

/// Of one id, in so many projects or versions at once.
const MAX_PER_ID: usize = 8;
/// What depends on more files and folders is found out each time.
const MAX_DEPENDENCIES: usize = 1_000;

/// Contents by hook id.
#[derive(Debug, Default)]
pub(super) struct ContentCache(Mutex<HashMap<String, Vec<Arc<CachedContent>>>>);

#[derive(Debug)]
struct CachedContent {
    project: Option<PathBuf>,
    event: String,
    definition: String,
    inherited: String,
    cover: ApprovalScope,
    /// What decides the content.
    dependencies: Vec<Arc<PathState>>,
    /// The same, of files whose bytes are compared before each start.
    compared: Vec<Arc<PathState>>,
    content: Arc<HookContent>,
}

impl ContentCache {
    /// The hook's content, when it was found out before and still is so.
    pub(super) fn get(&self, hook: &Hook, disk: &DiskCache) -> Option<Arc<HookContent>> {
        let entry = self.entry(hook)?;
        let mut seen = entry.dependencies.iter().chain(&entry.compared);
        let same = seen.all(|then| disk.path_state(&then.path).is_some_and(|now| now.stat == then.stat));
        same.then(|| entry.content.clone())
    }

    /// Whether this is the hook's content and nothing that decides it changed, but for bytes that the caller compares.
    pub(super) fn is_unchanged_except_bytes(&self, hook: &Hook, content: &Arc<HookContent>) -> bool {
        let entry = self.entry(hook).filter(|entry| Arc::ptr_eq(&entry.content, content));
        entry.is_some_and(|entry| entry.dependencies.iter().all(|seen| seen.is_unchanged()))
    }

    fn entry(&self, hook: &Hook) -> Option<Arc<CachedContent>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(&hook.id)?
            .iter()
            .find(|entry| entry.is_for_hook(hook))
            .cloned()
    }

    /// Keeps a content, with the state of what decides it: none of that changed while the content was found out.
    pub(super) fn store(&self, hook: &Hook, content: &Arc<HookContent>, seen: Vec<Arc<PathState>>) {
        let compared: HashSet<&Path> = content.compared_files().iter().map(|(part, _)| &*part.file).collect();
        let (compared, seen) = seen.into_iter().partition(|seen| compared.contains(&*seen.path));
        let entry = Arc::new(CachedContent {
            project: hook.source.project.clone(),
            event: hook.approved_event().to_owned(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            cover: hook.cover.clone(),
            dependencies: seen,
            compared,
            content: content.clone(),
        });
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = known.entry(hook.id.clone()).or_default();
        entries.retain(|entry| !entry.is_for_hook(hook));
        if entries.len() >= MAX_PER_ID {
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

impl CachedContent {
    fn is_for_hook(&self, hook: &Hook) -> bool {
        self.project == hook.source.project
            && self.definition == hook.definition_text
            && self.inherited == hook.inherited_text
            && self.event == hook.approved_event()
            && self.cover == hook.cover
    }
}

/// These files and folders as they are; `None` where a change could hide.
pub(super) fn stable_states(paths: &BTreeSet<PathBuf>, disk: &DiskCache) -> Option<Vec<Arc<PathState>>> {
    if paths.len() > MAX_DEPENDENCIES {
        return None;
    }
    let seen = |path: &PathBuf| disk.path_state(path).filter(|seen| is_stable(&seen.stat));
    paths.iter().map(seen).collect()
}
