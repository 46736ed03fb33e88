//! Approvals of an earlier version (`CONTRACTS.md` §5): what they covered is what is covered now, or they wait.

use std::sync::Arc;

use hookwright_model::{Cover, Hook};

use super::approval::is_of;
use super::content::fingerprint;
use super::covered::Part;
use super::look::Print;
use super::{Approval, Content, CoveredFile, Trust};
use crate::owned::OwnedError;

/// What becomes of an approval of an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Becomes {
    /// It covers all that is covered now.
    Approved,
    /// It held, and covers less than is covered now.
    Waiting,
    /// It did not hold any more.
    Gone,
}

impl Trust {
    /// Writes the approvals of an earlier version as this one does. Returns how many hooks wait for a new review.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn convert(&self, hooks: &[(Arc<Hook>, Arc<Content>)]) -> Result<usize, OwnedError> {
        let mut waiting = 0;
        self.change(|file| {
            for approval in file.hooks.iter_mut().filter(|approval| !approval.holds()) {
                let Some((hook, content)) = hooks.iter().find(|(hook, content)| is_of(approval, hook, content)) else {
                    continue;
                };
                match self.becomes(approval, hook, content) {
                    Becomes::Approved => {
                        approval.fingerprint.clone_from(&content.fingerprint);
                        approval.files.clone_from(&content.files);
                        approval.rules = None;
                        self.texts.keep(&content.bytes);
                    }
                    Becomes::Waiting => waiting += 1,
                    Becomes::Gone => {}
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
            let hash = match self.looks.print(&part) {
                Print::Bytes(hash, _) | Print::Look(hash, _) => hash,
                Print::Nothing(_) => String::new(),
            };
            CoveredFile {
                path: file.path.clone(),
                hash,
            }
        };
        let mut files: Vec<CoveredFile> = approval.files.iter().map(now).collect();
        if !matches!(hook.cover, Cover::Command(_)) {
            // Where a whole folder counts, a file that came is a change.
            files.clone_from(&content.files);
        }
        fingerprint(hook, &approval.project, &files, others, None)
    }
}
