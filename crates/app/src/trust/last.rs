//! The last look before a hook is started.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Hook, Message, PreSpawnCheck, SpawnApproval};

use super::disk::DiskCache;
use super::{Content, Trust, directory};

/// The last look before every spawn of one chain: against the content as it was when the chain began.
#[derive(Debug)]
pub struct LastLook<'a> {
    trust: &'a Trust,
    passed: Passed,
    /// The project of which a user's hook starts nothing without an approval; `None` where a person's `--trust` stands in.
    guarded: Option<&'a Path>,
}

/// The contents that passed the gate, by hook id.
pub type Passed = HashMap<String, Arc<Content>>;

impl<'a> LastLook<'a> {
    /// Against what passed the gate, of other hooks against the approvals, for events in this project.
    #[must_use]
    pub fn approved(trust: &'a Trust, project: &'a Path, passed: Passed) -> Self {
        Self {
            trust,
            passed,
            guarded: Some(project),
        }
    }

    /// Against the content as it is now, for `--trust`.
    #[must_use]
    pub fn granted<'h>(trust: &'a Trust, hooks: impl Iterator<Item = &'h Hook>) -> Self {
        let needed = hooks.filter(|hook| Trust::needed(hook));
        let passed = needed.map(|hook| (hook.id.clone(), trust.content(hook))).collect();
        Self {
            trust,
            passed,
            guarded: None,
        }
    }
}

impl LastLook<'_> {
    /// A hook of the user's needs an approval for what of the project it starts.
    fn clear_of_user(&self, hook: &Hook, cwd: &Path) -> Result<(), Message> {
        let bound = self.guarded.and_then(|project| self.trust.bound(hook, project, cwd));
        bound.map_or(Ok(()), |bound| self.clear_now(&bound).map(drop))
    }

    /// Against the approvals as they are now.
    fn clear_now(&self, hook: &Hook) -> Result<Arc<Content>, Message> {
        self.trust.judge(hook)?;
        let content = self.trust.content(hook);
        self.trust.look_again(hook, &content)
    }
}

impl PreSpawnCheck for LastLook<'_> {
    fn check(&self, hook: &Hook, cwd: &Path) -> Result<SpawnApproval, Message> {
        if !Trust::needed(hook) {
            return self.clear_of_user(hook, cwd).map(|()| SpawnApproval::default());
        }
        let content = match self.passed.get(&hook.id) {
            Some(content) => self.trust.look_again(hook, content)?,
            None => self.clear_now(hook)?,
        };
        let instead = directory::instead(hook, &content, self.trust.machine(&DiskCache::default()), cwd);
        Ok(SpawnApproval { instead })
    }
}
