//! Contents that the user denied: the hook does not run, and no longer waits for a review.
//!
//! A denial is for what runs: the bytes of the scripts, or the text of a command that starts none. A definition with
//! another time limit, name or event around them is denied too. An approval of exactly one content is stronger.

use std::path::PathBuf;

use hookwright_model::{Handler, Hook, Message, render};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{ActiveApprovals, Approval, CoveredFile, DENIED, DENIED_SCRIPT, HookContent, Trust};
use crate::data_files::locked_file::LockedFileError;

/// The denial of one content. As soon as the hook runs something else, it waits for a review again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Denial {
    /// The canonical path of the project.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub project: PathBuf,
    /// The id that the hook had when it was denied.
    pub hook: String,
    /// The fingerprint of the denied content, hexadecimal.
    pub fingerprint: String,
    /// The hashes of what it runs, as in [`HookContent::scripts`]. Denials of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// The definition's normalised text with secrets masked.
    pub definition: String,
    /// When it was denied.
    pub at: Timestamp,
}

impl Denial {
    /// Whether this denial is for a content: for exactly this one, or for a script that it runs.
    #[must_use]
    pub fn covers(&self, content: &HookContent) -> bool {
        self.fingerprint == content.fingerprint
            || (self.project == content.project && content.scripts.iter().any(|script| self.scripts.contains(script)))
    }
}

/// The hashes of what a hook runs: of its scripts, or of its text if it has none.
pub(super) fn script_hashes(hook: &Hook, files: &[CoveredFile]) -> Vec<String> {
    let text = |text: &str| vec![blake3::hash(text.as_bytes()).to_hex().to_string()];
    let empty = blake3::hash(b"").to_hex();
    let covered = |wanted: &dyn Fn(&CoveredFile) -> bool| -> Vec<String> {
        let scripts = files.iter().filter(|file| wanted(file)).map(|file| file.hash.clone());
        // A file that cannot be read has no hash, and empty files are the same everywhere.
        scripts
            .filter(|hash| !hash.is_empty() && *hash != *empty.as_str())
            .collect()
    };
    let scripts_or = |own: &str| match covered(&|_| true) {
        scripts if scripts.is_empty() => text(own),
        scripts => scripts,
    };
    match &hook.handler {
        // The other files of the folder are its definition, or may be the same in several folders.
        Handler::Script { entry } => {
            let real = entry.as_deref().and_then(|path| dunce::canonicalize(path).ok());
            covered(&|file| Some(&file.path) == real.as_ref())
        }
        Handler::Shell { command } => scripts_or(command),
        Handler::Peer { argv } => scripts_or(&argv.join("\0")),
        Handler::Module { .. } => covered(&|_| true),
        Handler::Insert { text: inserted } => text(inserted),
        Handler::Prompt { template, .. } => text(template),
        Handler::Http(target) => text(&target.url),
        Handler::Callback { .. } | Handler::Builtin { .. } => Vec::new(),
    }
}

/// What a denial of a content is for. Scripts that another approval covers are left out, unless there are no others:
/// a library that approved hooks share is not what the user denied.
fn denied_scripts(content: &HookContent, approvals: &[Approval]) -> Vec<String> {
    let mut others = approvals
        .iter()
        .filter(|known| known.is_valid() && known.project == content.project);
    let is_approved = |script: &String| {
        others
            .clone()
            .any(|known| known.files.iter().any(|it| it.hash == *script))
    };
    let own: Vec<String> = content
        .scripts
        .iter()
        .filter(|script| !is_approved(script))
        .cloned()
        .collect();
    match others.next() {
        Some(_) if !own.is_empty() => own,
        Some(_) | None => content.scripts.clone(),
    }
}

impl Trust {
    /// Whether this content was denied, or a script that it runs.
    #[must_use]
    pub fn is_denied(&self, content: &HookContent) -> bool {
        self.active.load().denial_of(content).is_some()
    }

    /// Why this content counts as denied; `None` if it does not.
    #[must_use]
    pub fn denial_message(&self, hook: &Hook, content: &HookContent) -> Option<Message> {
        let active = self.active.load();
        let denial = active.denial_of(content)?;
        Some(if denial.fingerprint == content.fingerprint {
            render!(DENIED, "hook" => hook.id)
        } else {
            let at = denial.at.strftime("%Y-%m-%d").to_string();
            render!(DENIED_SCRIPT, "hook" => hook.id, "other" => denial.hook, "at" => at)
        })
    }

    /// Why a hook counts as denied; `None` if it does not. Its files are read only if something was denied.
    #[must_use]
    pub fn denial_of(&self, hook: &Hook) -> Option<Message> {
        let has_denials = !self.active.load().file.denied.is_empty();
        has_denials.then(|| self.denial_message(hook, &self.content(hook)))?
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
                scripts: denied_scripts(content, &file.hooks),
                project: content.project.clone(),
                hook: hook.approval_key().0,
                fingerprint: content.fingerprint.clone(),
                definition: redact(&hook.definition_text),
                at: now,
            });
        })
    }

    /// Ends what an approval of this content contradicts: its denial, and the denials of its scripts.
    pub(super) fn end_denials(file: &mut super::TrustFile, content: &HookContent) {
        file.denied.retain(|denial| denial.fingerprint != content.fingerprint);
        let is_of_project = |denial: &&mut Denial| denial.project == content.project;
        for denial in file.denied.iter_mut().filter(is_of_project) {
            denial.scripts.retain(|script| !content.scripts.contains(script));
        }
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

impl ActiveApprovals {
    /// The denial of this content, or of a script that it runs.
    fn denial_of(&self, content: &HookContent) -> Option<&Denial> {
        let all = &self.file.denied;
        let exact = all.iter().find(|denial| denial.fingerprint == content.fingerprint);
        exact.or_else(|| all.iter().find(|denial| denial.covers(content)))
    }
}
