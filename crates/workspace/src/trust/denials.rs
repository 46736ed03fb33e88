//! Contents that the user denied: the hook does not run, and no longer waits for a review.

use std::path::PathBuf;

use hookwright_model::Hook;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{HookContent, Trust};
use crate::data_files::locked_file::LockedFileError;

/// The denial of one content. As soon as the hook has another content, it waits for a review again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Denial {
    /// The canonical path of the project.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub project: PathBuf,
    /// The id that the hook had when it was denied.
    pub hook: String,
    /// The fingerprint of the denied content, hexadecimal.
    pub fingerprint: String,
    /// The definition's normalised text with secrets masked.
    pub definition: String,
    /// When it was denied.
    pub at: Timestamp,
}

impl Trust {
    /// Whether exactly this content was denied.
    #[must_use]
    pub fn is_denied(&self, content: &HookContent) -> bool {
        self.active.load().denied.contains(&content.fingerprint)
    }

    /// Whether the hook waits for a review: its content is neither approved nor denied.
    #[must_use]
    pub fn is_waiting(&self, hook: &Hook, content: &HookContent) -> bool {
        !self.is_denied(content) && !self.is_approved(hook, content)
    }

    /// Denies this content. An approval of it is removed. `redact` masks the definition before it is stored.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn deny(
        &self,
        hook: &Hook,
        content: &HookContent,
        redact: &dyn Fn(&str) -> String,
        now: Timestamp,
    ) -> Result<(), LockedFileError> {
        self.change(|file| {
            file.hooks
                .retain(|approval| approval.fingerprint != content.fingerprint);
            file.denied.retain(|denial| denial.fingerprint != content.fingerprint);
            file.denied.push(Denial {
                project: content.project.clone(),
                hook: hook.approval_key().0,
                fingerprint: content.fingerprint.clone(),
                definition: redact(&hook.definition_text),
                at: now,
            });
        })
    }

    /// Withdraws the denials that `fits` selects, and returns them. Those hooks wait for a review again.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn withdraw_denials(&self, fits: impl Fn(&Denial) -> bool) -> Result<Vec<Denial>, LockedFileError> {
        if !self.approvals().denied.iter().any(&fits) {
            return Ok(Vec::new());
        }
        let mut withdrawn = Vec::new();
        self.change(|file| {
            let (fitting, kept) = std::mem::take(&mut file.denied).into_iter().partition(&fits);
            file.denied = kept;
            withdrawn = fitting;
        })?;
        Ok(withdrawn)
    }
}
