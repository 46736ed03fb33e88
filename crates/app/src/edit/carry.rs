//! What goes along with an edited hook: its approval, since a person made the change, and its mute.

use std::sync::Arc;

use hookwright_model::{Change, Hook, Intention, Layer};

use super::draft::Draft;
use super::people::{Planned, Work};
use crate::App;
use crate::fault::Fault;
use crate::library::Snapshot;
use crate::mutes::Mute;
use crate::trust::{Approval, CoveredFile, Trust};

/// What a hook had before an edit.
#[derive(Debug)]
pub(super) struct Held {
    /// What was approved of it: the files that it covered. `None` when it was not approved and needed to be.
    files: Option<Vec<CoveredFile>>,
    mute: Option<Mute>,
}

/// What has to come back when an edit is taken back.
#[derive(Debug, Default)]
pub(super) struct Carried {
    approvals: Vec<Approval>,
}

impl App {
    /// What the hook of an edit has now.
    pub(super) fn holds(&self, before: &Snapshot, intention: &Intention) -> Option<Held> {
        let (id, copy) = match intention {
            Intention::Add { .. } | Intention::Remove { .. } => return None,
            Intention::Change { hook, changes } => {
                (hook, changes.iter().any(|change| matches!(change, Change::Duplicate)))
            }
        };
        let hook = before.hook(id)?;
        let approved = match hook.source.layer {
            // Nobody approves a person's own hooks: they are the person's.
            Layer::User | Layer::Builtin | Layer::Session | Layer::Skill => Some(Vec::new()),
            Layer::Project => self.trust.judge(hook).is_ok().then(|| self.trust.content(hook).files),
        };
        Some(Held {
            files: approved,
            mute: self.muted(before, hook).filter(|_| !copy),
        })
    }

    /// Approves the edited hook where the former was approved and it names no other files than those, and mutes it where
    /// the former was muted.
    pub(super) fn carry(&self, held: &Option<Held>, draft: &Draft, after: &Snapshot) -> Result<Carried, Fault> {
        let (Some(held), Some(id)) = (held, &draft.hook) else {
            return Ok(Carried::default());
        };
        let hooks: Vec<&Arc<Hook>> = after.all().filter(|hook| hook.id == *id).collect();
        if let Some(mute) = &held.mute {
            let hooks: Vec<&Hook> = hooks.iter().map(|hook| &***hook).collect();
            self.mute_again(&hooks, after, mute)?;
        }
        let Some(approved) = &held.files else {
            return Ok(Carried::default());
        };
        let mut contents = Vec::new();
        for hook in hooks.into_iter().filter(|hook| Trust::needed(hook)) {
            let content = self.trust.content(hook);
            if content
                .files
                .iter()
                .all(|file| is_approved(file, approved, &draft.work))
            {
                contents.push((&**hook, content));
            }
        }
        if contents.is_empty() {
            return Ok(Carried::default());
        }
        let former = self.trust.approvals();
        self.approve(after, &contents)?;
        let now = self.trust.approvals();
        let gone = former.hooks.iter().filter(|approval| !now.hooks.contains(approval));
        Ok(Carried {
            approvals: gone.cloned().collect(),
        })
    }

    /// Approves again what was approved before an edit that was taken back, where it is exactly that again.
    pub(super) fn carry_back(&self, carried: &Carried, after: &Snapshot) -> Result<(), Fault> {
        let mut contents = Vec::new();
        for hook in after.all().filter(|hook| Trust::needed(hook)) {
            let of_it = |approval: &&Approval| approval.dialect == hook.dialect && approval.event == hook.event;
            if carried.approvals.iter().any(|approval| of_it(&approval)) {
                let content = self.trust.content(hook);
                if carried
                    .approvals
                    .iter()
                    .any(|approval| approval.fingerprint == content.fingerprint)
                {
                    contents.push((&**hook, content));
                }
            }
        }
        if contents.is_empty() {
            return Ok(());
        }
        self.approve(after, &contents)
    }
}

/// A file that was approved as it is, or that this very edit wrote.
fn is_approved(file: &CoveredFile, approved: &[CoveredFile], work: &Work) -> bool {
    let wrote = |planned: &Planned| {
        let content = planned.after.as_ref();
        let hash = content.map(|content| blake3::hash(&content.bytes).to_hex().to_string());
        let same = dunce::canonicalize(&planned.path).is_ok_and(|real| real == file.path);
        same && hash.as_deref() == Some(&file.hash)
    };
    approved.contains(file) || work.files.iter().any(wrote)
}
