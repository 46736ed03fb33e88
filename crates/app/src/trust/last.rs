//! The last look before a hook is started.

use std::collections::HashMap;
use std::path::Path;

use hookwright_model::{Clearance, Cleared, Hook, Words};

use super::{Content, Trust, directory};

/// The last look before every spawn of one chain.
#[derive(Debug)]
pub struct LastLook<'a> {
    trust: &'a Trust,
    /// Content as it was when a person's `--trust` covered it, by hook id; otherwise the approvals decide.
    granted: HashMap<String, Content>,
    /// The project of which a user's hook starts nothing without an approval; `None` where a person's `--trust` stands in.
    guarded: Option<&'a Path>,
}

impl<'a> LastLook<'a> {
    /// Against the approvals, for events in this project.
    #[must_use]
    pub fn approved(trust: &'a Trust, project: &'a Path) -> Self {
        Self {
            trust,
            granted: HashMap::new(),
            guarded: Some(project),
        }
    }

    /// Against the content as it is now, for `--trust`.
    #[must_use]
    pub fn granted<'h>(trust: &'a Trust, hooks: impl Iterator<Item = &'h Hook>) -> Self {
        let granted = hooks
            .filter(|hook| Trust::needed(hook))
            .map(|hook| (hook.id.clone(), trust.content(hook)))
            .collect();
        Self {
            trust,
            granted,
            guarded: None,
        }
    }
}

impl LastLook<'_> {
    /// A hook of the user's needs an approval for what of the project it starts.
    fn clear_of_user(&self, hook: &Hook, cwd: &Path) -> Result<(), Words> {
        let bound = self.guarded.and_then(|project| self.trust.bound(hook, project, cwd));
        bound.map_or(Ok(()), |bound| self.trust.look_again(&bound, None).map(drop))
    }
}

impl Clearance for LastLook<'_> {
    fn clear(&self, hook: &Hook, cwd: &Path) -> Result<Cleared, Words> {
        if !Trust::needed(hook) {
            return self.clear_of_user(hook, cwd).map(|()| Cleared::default());
        }
        let content = self.trust.look_again(hook, self.granted.get(&hook.id))?;
        let instead = directory::instead(hook, &content, &self.trust.home, cwd);
        Ok(Cleared { instead })
    }
}
