//! The pre-spawn check: it runs directly before each start of a hook.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Hook, Message, PreSpawnCheck, SpawnApproval};

use super::disk_cache::DiskCache;
use super::{HookContent, Trust, directory};

/// The pre-spawn check of one chain. It compares each hook with its content from the start of the chain.
#[derive(Debug)]
pub struct ApprovalCheck<'a> {
    trust: &'a Trust,
    passed: PassedContents,
    /// The project whose files a user hook starts only with an approval. `None` if the user gave `--trust` instead.
    guarded_project: Option<&'a Path>,
}

/// The contents that passed gate `trusted`, by hook id.
pub type PassedContents = HashMap<String, Arc<HookContent>>;

impl<'a> ApprovalCheck<'a> {
    /// Creates the check for events in this project. Hooks in `passed` are compared with that content, other hooks with
    /// the approvals.
    #[must_use]
    pub fn approved(trust: &'a Trust, project: &'a Path, passed: PassedContents) -> Self {
        Self {
            trust,
            passed,
            guarded_project: Some(project),
        }
    }

    /// Creates the check for `--trust`. Hooks are compared with their content as it is now.
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
    /// Checks a user hook, which needs an approval for the files of the project that it starts.
    fn check_user_hook(&self, hook: &Hook, cwd: &Path) -> Result<(), Message> {
        let project_hook = self
            .guarded_project
            .and_then(|project| self.trust.bind(hook, project, cwd));
        project_hook.map_or(Ok(()), |bound| self.check_current(&bound).map(drop))
    }

    /// Checks a hook against the approvals as they are now.
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
        Ok(SpawnApproval { other_dir })
    }
}
