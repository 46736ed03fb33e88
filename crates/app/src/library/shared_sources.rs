//! What projects have in common: the user's files are parsed once for all of them, and the patterns of each owner have
//! one pool.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hookwright_model::matcher::PatternPool;
use hookwright_model::{Hook, Problem, Root};

use super::{LoadedSource, PendingFiles, Snapshot};
use crate::host_env::HostEnv;

/// The user's files as they were parsed last, while some project has them, and the pool of their patterns.
#[derive(Debug, Default)]
pub struct SharedSources {
    patterns: Arc<PatternPool>,
    sources: Mutex<HashMap<(&'static str, Root), ParsedSource>>,
}

#[derive(Debug)]
struct ParsedSource {
    hash: blake3::Hash,
    hooks: Weak<Vec<Arc<Hook>>>,
    problems: Weak<Vec<Problem>>,
}

/// What was parsed: the hooks and what is wrong with the text.
pub(super) type ParsedFiles = (Arc<Vec<Arc<Hook>>>, Arc<Vec<Problem>>);

impl SharedSources {
    /// What was parsed of the same bytes at this place, when it is a place of the user.
    pub(super) fn find(&self, dialect: &'static str, root: &Root, hash: blake3::Hash) -> Option<ParsedFiles> {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sources
            .get(&(dialect, root.clone()))
            .filter(|known| known.hash == hash)?;
        Some((known.hooks.upgrade()?, known.problems.upgrade()?))
    }

    /// Keeps what was parsed of a place of the user. What stays in force of an older version is a project's own matter.
    pub(super) fn cache(&self, source: &LoadedSource) {
        if source.root.project.is_some() || !source.broken.is_empty() {
            return;
        }
        let known = ParsedSource {
            hash: source.hash,
            hooks: Arc::downgrade(&source.file_hooks),
            problems: Arc::downgrade(&source.file_problems),
        };
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.insert((source.dialect, source.root.clone()), known);
    }
}

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'a> {
    /// Where this program runs.
    pub env: &'a HostEnv,
    /// The project.
    pub project: &'a Path,
    /// What it has in common with others.
    pub shared: &'a SharedSources,
    /// The pool of the project's own patterns.
    pub patterns: &'a Arc<PatternPool>,
    /// Only the places of this dialect.
    pub dialect: Option<&'a str>,
}

impl LoadRequest<'_> {
    /// Reads everything anew. Places whose content did not change keep what was parsed of them before.
    #[must_use]
    pub fn load(self, before: Option<&Snapshot>) -> Snapshot {
        super::load_project(self, before, &PendingFiles::default())
    }

    /// The pool that the patterns of a place belong to.
    pub(super) fn pool(&self, root: &Root) -> &Arc<PatternPool> {
        match root.project {
            Some(_) => self.patterns,
            None => &self.shared.patterns,
        }
    }
}
