//! Approvals of an earlier version (`CONTRACTS.md` §5): what they covered is what is covered now, or they wait.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{ApprovalScope, Hook};

use super::content::fingerprint;
use super::covered::Part;
use super::{Approval, Content, CoveredFile, Trust};
use crate::owned::OwnedError;

/// What becomes of an approval of an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Becomes {
    /// It covers all that is covered now.
    Approved,
    /// It held, and covers less than is covered now.
    Waiting,
    /// It did not hold any more.
    Gone,
}

impl Trust {
    /// Writes the approvals of an earlier version in these projects as this one does: each as that of the hook for which it
    /// was given, whatever its id is by now. Returns how many hooks wait for a new review.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn convert(
        &self,
        projects: &BTreeSet<PathBuf>,
        hooks: &[(Arc<Hook>, Arc<Content>)],
    ) -> Result<usize, OwnedError> {
        let mut waiting = 0;
        self.change(|file| {
            let unseen = |approval: &&mut Approval| approval.unseen && projects.contains(&approval.project);
            for approval in file.hooks.iter_mut().filter(unseen) {
                approval.unseen = false;
                let of_project = hooks.iter().filter(|(_, content)| content.project == approval.project);
                let becomes = of_project.map(|(hook, content)| (self.becomes(approval, hook, content), hook, content));
                match becomes.min_by_key(|(becomes, ..)| *becomes) {
                    Some((Becomes::Approved, hook, content)) => {
                        approval.hook = hook.approval_key().0;
                        approval.fingerprint.clone_from(&content.fingerprint);
                        approval.files.clone_from(&content.files);
                        approval.data = self.data(content);
                        approval.rules = None;
                        self.texts.keep(&content.bytes);
                    }
                    Some((Becomes::Waiting, hook, _)) => {
                        approval.hook = hook.approval_key().0;
                        waiting += 1;
                    }
                    Some((Becomes::Gone, ..)) | None => {}
                }
            }
        })?;
        Ok(waiting)
    }

    fn becomes(&self, approval: &Approval, hook: &Hook, content: &Content) -> Becomes {
        if self.former_fingerprint(approval, hook, content) != approval.fingerprint {
            return Becomes::Gone;
        }
        let further = content.files.iter().any(|file| !approval.files.contains(file));
        if further || !hook.inherited_text.is_empty() || content.names.refused.is_some() {
            Becomes::Waiting
        } else {
            Becomes::Approved
        }
    }

    /// Whether an approval of an earlier version held by its own rules until now.
    #[must_use]
    pub fn held(&self, approval: &Approval, hook: &Hook, content: &Content) -> bool {
        self.becomes(approval, hook, content) != Becomes::Gone
    }

    /// The fingerprint by the rules of version 1, over the approval's own list of files as they are now.
    fn former_fingerprint(&self, approval: &Approval, hook: &Hook, content: &Content) -> String {
        let others = &content.names.others;
        let now = |file: &CoveredFile| {
            if others.iter().any(|(path, _)| *path == file.path) {
                return file.clone();
            }
            let part = Part {
                file: file.path.clone(),
                scripts: false,
            };
            CoveredFile {
                path: file.path.clone(),
                hash: self.looks.hash(&part),
            }
        };
        let mut files: Vec<CoveredFile> = approval.files.iter().map(now).collect();
        if !matches!(hook.cover, ApprovalScope::Command(_)) {
            // Where a whole folder counts, a file that came is a change.
            files.clone_from(&content.files);
        }
        fingerprint(hook, &approval.project, &files, others, None)
    }
}
