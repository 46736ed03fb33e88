//! Caches the contents of hooks while nothing changes that decides them. For an event, only the state of these files
//! and folders is read from the disk. Names are not resolved and files are not read again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookwright_model::{ApprovalScope, Hook};

use super::HookContent;
use super::digest_cache::is_stable;
use super::disk_cache::{DiskCache, PathState};
use crate::lock::lock;

/// Limit for the contents of one hook id: in several projects, or of several versions of the definition.
const MAX_PER_ID: usize = 8;
/// A content that depends on more files and folders than this is not cached.
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
    /// The files and folders that decide the content, except those in `compared`.
    dependencies: Vec<Arc<PathState>>,
    /// The files that decide the content and whose bytes are compared before each start.
    compared: Vec<Arc<PathState>>,
    content: Arc<HookContent>,
}

impl ContentCache {
    /// The hook's cached content, if nothing that decides it has changed.
    pub(super) fn get(&self, hook: &Hook, disk: &DiskCache) -> Option<Arc<HookContent>> {
        let entry = self.entry(hook)?;
        let mut seen = entry.dependencies.iter().chain(&entry.compared);
        let same = seen.all(|then| disk.path_state(&then.path).is_some_and(|now| now.stat == then.stat));
        same.then(|| entry.content.clone())
    }

    /// Whether `content` is the hook's cached content and nothing that decides it has changed. Files whose bytes are
    /// compared before each start are left out: the caller compares them.
    pub(super) fn is_unchanged_except_bytes(&self, hook: &Hook, content: &Arc<HookContent>) -> bool {
        let entry = self.entry(hook).filter(|entry| Arc::ptr_eq(&entry.content, content));
        entry.is_some_and(|entry| entry.dependencies.iter().all(|seen| seen.is_unchanged()))
    }

    fn entry(&self, hook: &Hook) -> Option<Arc<CachedContent>> {
        let known = lock(&self.0);
        known
            .get(&hook.id)?
            .iter()
            .find(|entry| entry.is_for_hook(hook))
            .cloned()
    }

    /// Caches a content with the states of what decides it. None of these may have changed while the content was
    /// computed.
    pub(super) fn store(&self, hook: &Hook, content: &Arc<HookContent>, seen: Vec<Arc<PathState>>) {
        let compared: HashSet<&Path> = content.compared_files().iter().map(|(part, _)| &*part.file).collect();
        let (compared, seen) = seen.into_iter().partition(|seen| compared.contains(&*seen.path));
        let entry = Arc::new(CachedContent {
            project: hook.source.project.clone(),
            event: hook.approved_event().to_owned(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            cover: hook.approval_scope.clone(),
            dependencies: seen,
            compared,
            content: content.clone(),
        });
        let mut known = lock(&self.0);
        let entries = known.entry(hook.id.clone()).or_default();
        entries.retain(|entry| !entry.is_for_hook(hook));
        if entries.len() >= MAX_PER_ID {
            entries.remove(0);
        }
        entries.push(entry);
    }

    /// Removes the hook's contents from the cache.
    pub(super) fn forget(&self, hook: &Hook) {
        let mut known = lock(&self.0);
        known.remove(&hook.id);
    }
}

impl CachedContent {
    fn is_for_hook(&self, hook: &Hook) -> bool {
        self.project == hook.source.project
            && self.definition == hook.definition_text
            && self.inherited == hook.inherited_text
            && self.event == hook.approved_event()
            && self.cover == hook.approval_scope
    }
}

/// The states of these files and folders. `None` if there are too many of them, one is missing, or a later change could
/// leave the times as they are.
pub(super) fn stable_states(paths: &BTreeSet<PathBuf>, disk: &DiskCache) -> Option<Vec<Arc<PathState>>> {
    if paths.len() > MAX_DEPENDENCIES {
        return None;
    }
    let seen = |path: &PathBuf| disk.path_state(path).filter(|seen| is_stable(&seen.stat));
    paths.iter().map(seen).collect()
}
