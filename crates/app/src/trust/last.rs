//! The last look before a hook is started.

use std::collections::HashMap;
use std::path::Path;

use hookwright_model::{Clearance, Hook, Words};

use super::{Content, Trust};

/// The last look before every spawn of one chain.
#[derive(Debug)]
pub struct LastLook<'a> {
    trust: &'a Trust,
    /// Content as it was when a person's `--trust` covered it, by hook id; otherwise the approvals decide.
    granted: HashMap<String, Content>,
}

impl<'a> LastLook<'a> {
    /// Against the approvals.
    #[must_use]
    pub fn approved(trust: &'a Trust) -> Self {
        Self {
            trust,
            granted: HashMap::new(),
        }
    }

    /// Against the content as it is now, for `--trust`.
    #[must_use]
    pub fn granted<'h>(trust: &'a Trust, hooks: impl Iterator<Item = &'h Hook>) -> Self {
        let granted = hooks
            .filter(|hook| Trust::needed(hook))
            .map(|hook| (hook.id.clone(), trust.content(hook)))
            .collect();
        Self { trust, granted }
    }
}

impl Clearance for LastLook<'_> {
    fn clear(&self, hook: &Hook, cwd: &Path) -> Result<(), Words> {
        if !Trust::needed(hook) {
            return Ok(());
        }
        self.trust.look_again(hook, cwd, self.granted.get(&hook.id))
    }
}
