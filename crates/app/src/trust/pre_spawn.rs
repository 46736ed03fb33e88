//! The last look before a hook is started.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Hook, Message, PreSpawnCheck, SpawnApproval};

use super::disk_cache::DiskCache;
use super::{HookContent, Trust, directory};

/// The last look before every spawn of one chain: against the content as it was when the chain began.
#[derive(Debug)]
pub struct ApprovalCheck<'a> {
    trust: &'a Trust,
    passed: PassedContents,
    /// The project of which a user's hook starts nothing without an approval; `None` where a person's `--trust` stands in.
    guarded_project: Option<&'a Path>,
}

/// The contents that passed the gate, by hook id.
pub type PassedContents = HashMap<String, Arc<HookContent>>;

impl<'a> ApprovalCheck<'a> {
    /// Against what passed the gate, of other hooks against the approvals, for events in this project.
    #[must_use]
    pub fn approved(trust: &'a Trust, project: &'a Path, passed: PassedContents) -> Self {
        Self {
            trust,
            passed,
            guarded_project: Some(project),
        }
    }

    /// Against the content as it is now, for `--trust`.
    #[must_use]
    pub fn granted<'h>(trust: &'a Trust, hooks: impl Iterator<Item = &'h Hook>) -> Self {
        let needed = hooks.filter(|hook| Trust::needs_approval(hook));
        let passed = needed.map(|hook| (hook.id.clone(), trust.content(hook))).collect();
        Self {
            trust,
            passed,
            guarded_project: None,
        }
    }
}

impl ApprovalCheck<'_> {
    /// A hook of the user's needs an approval for what of the project it starts.
    fn check_user_hook(&self, hook: &Hook, cwd: &Path) -> Result<(), Message> {
        let project_hook = self
            .guarded_project
            .and_then(|project| self.trust.bind(hook, project, cwd));
        project_hook.map_or(Ok(()), |bound| self.check_current(&bound).map(drop))
    }

    /// Against the approvals as they are now.
    fn check_current(&self, hook: &Hook) -> Result<Arc<HookContent>, Message> {
        self.trust.check_gate(hook)?;
        let content = self.trust.content(hook);
        self.trust.check_before_spawn(hook, &content)
    }
}

impl PreSpawnCheck for ApprovalCheck<'_> {
    fn check(&self, hook: &Hook, cwd: &Path) -> Result<SpawnApproval, Message> {
        if !Trust::needs_approval(hook) {
            return self.check_user_hook(hook, cwd).map(|()| SpawnApproval::default());
        }
        let content = match self.passed.get(&hook.id) {
            Some(content) => self.trust.check_before_spawn(hook, content)?,
            None => self.check_current(hook)?,
        };
        let other_dir = directory::other_dir(hook, &content, self.trust.machine(&DiskCache::default()), cwd);
        Ok(SpawnApproval { instead: other_dir })
    }
}
