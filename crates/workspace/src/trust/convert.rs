//! Converts approvals of an earlier version (`CONTRACTS.md` §5). An approval stays valid if it covered all that is
//! covered now. Otherwise the hook waits for a new review.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{ApprovalScope, Hook};

use super::content::fingerprint;
use super::covered_files::CoveredPart;
use super::{Approval, CoveredFile, HookContent, Trust};
use crate::data_files::locked_file::LockedFileError;
use crate::files::Opener;

/// The result for an approval of an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Conversion {
    /// It covers all that is covered now.
    Approved,
    /// It was valid, and covers less than is covered now.
    NeedsReview,
    /// It was no longer valid by its own rules.
    Void,
}

impl Trust {
    /// Converts the approvals of an earlier version in these projects to the rules of this version. Each one becomes
    /// the approval of the hook for which it was given, even if the id of that hook changed. Returns how many hooks
    /// wait for a new review.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn convert(
        &self,
        projects: &BTreeSet<PathBuf>,
        hooks: &[(Arc<Hook>, Arc<HookContent>)],
    ) -> Result<usize, LockedFileError> {
        let mut to_review = 0;
        self.change(|file| {
            let is_unconverted = |approval: &&mut Approval| approval.unseen && projects.contains(&approval.project);
            for approval in file.hooks.iter_mut().filter(is_unconverted) {
                approval.unseen = false;
                let of_project = hooks.iter().filter(|(_, content)| content.project == approval.project);
                let conversions =
                    of_project.map(|(hook, content)| (self.conversion_of(approval, hook, content), hook, content));
                match conversions.min_by_key(|(becomes, ..)| *becomes) {
                    Some((Conversion::Approved, hook, content)) => {
                        approval.hook = hook.approval_key().0;
                        approval.fingerprint.clone_from(&content.fingerprint);
                        approval.files.clone_from(&content.files);
                        approval.data = self.data_hashes(content);
                        approval.rules = None;
                        self.approved_texts.store(&content.bytes);
                    }
                    Some((Conversion::NeedsReview, hook, _)) => {
                        approval.hook = hook.approval_key().0;
                        to_review += 1;
                    }
                    Some((Conversion::Void, ..)) | None => {}
                }
            }
        })?;
        Ok(to_review)
    }

    fn conversion_of(&self, approval: &Approval, hook: &Hook, content: &HookContent) -> Conversion {
        if self.former_fingerprint(approval, hook, content) != approval.fingerprint {
            return Conversion::Void;
        }
        let has_new_files = content.files.iter().any(|file| !approval.files.contains(file));
        if has_new_files || !hook.inherited_text.is_empty() || content.covered.refusal.is_some() {
            Conversion::NeedsReview
        } else {
            Conversion::Approved
        }
    }

    /// Whether an approval of an earlier version was valid by its own rules until now.
    #[must_use]
    pub fn was_valid(&self, approval: &Approval, hook: &Hook, content: &HookContent) -> bool {
        self.conversion_of(approval, hook, content) != Conversion::Void
    }

    /// The fingerprint by the rules of version 1. It uses the approval's own list of files, with their present hashes.
    fn former_fingerprint(&self, approval: &Approval, hook: &Hook, content: &HookContent) -> String {
        let others = &content.covered.others;
        let opener = Opener::of_project(hook.source.project.as_deref());
        let now = |file: &CoveredFile| {
            if others.iter().any(|(path, _)| *path == file.path) {
                return file.clone();
            }
            let part = CoveredPart {
                file: file.path.clone(),
                scripts: false,
            };
            CoveredFile {
                path: file.path.clone(),
                hash: self.digest_cache.hash(&part, &opener.for_path(&part.file)),
            }
        };
        let mut files: Vec<CoveredFile> = approval.files.iter().map(now).collect();
        if !matches!(hook.approval_scope, ApprovalScope::Command(_)) {
            // If a whole folder is covered, a new file in it is a change.
            files.clone_from(&content.files);
        }
        fingerprint(hook, &approval.project, &files, others, None)
    }
}
