//! Reviewing and approving what a project brings.

use std::path::Path;

use hookwright_model::{Hook, args};

use crate::App;
use crate::dto::{
    ApproveRequest, FileHash, HookRequest, OldContent, Pending, ProjectRequest, ReviewDoc, ReviewFile, Sentence,
    TrustDoc, TrustItem,
};
use crate::fault::{Fault, NO_APPROVAL_NEEDED, REVIEW_IS_OLD, UNKNOWN_HOOK};
use crate::library::Snapshot;
use crate::trust::{Approval, Content, CoveredFile, Trust};

impl App {
    /// `trust.list`
    ///
    /// # Errors
    /// The project is no directory.
    pub async fn trust_list(&self, request: ProjectRequest) -> Result<TrustDoc, Fault> {
        let desk = self.desk(Path::new(&request.project))?;
        Ok(self.trust_doc(&desk.snapshot()))
    }

    /// What of a snapshot waits for approval, and what has it.
    #[must_use]
    pub fn trust_doc(&self, snapshot: &Snapshot) -> TrustDoc {
        let mut doc = TrustDoc {
            pending: Vec::new(),
            approved: Vec::new(),
        };
        for hook in snapshot
            .all()
            .filter(|hook| Trust::needed(hook) && hook.invalid.is_none())
        {
            let content = self.trust.content(hook);
            let trusted = self.trust.judge(hook).is_ok();
            let item = TrustItem {
                kind: "hook".to_owned(),
                hook: hook.id.clone(),
                project: content.project.display().to_string(),
                definition: hook.definition_text.clone(),
                files: hashes(&content.files),
                old: if trusted { None } else { self.old(hook, &content) },
            };
            if trusted {
                doc.approved.push(item)
            } else {
                doc.pending.push(item)
            }
        }
        doc
    }

    /// `trust.review`
    ///
    /// # Errors
    /// No such hook here, or one that needs no approval.
    pub async fn trust_review(&self, request: HookRequest) -> Result<ReviewDoc, Fault> {
        let desk = self.desk(Path::new(&request.project))?;
        let snapshot = desk.snapshot();
        Ok(self.review(project_hook(&snapshot, &request.hook)?))
    }

    /// Everything a person must see before approving this hook.
    #[must_use]
    pub fn review(&self, hook: &Hook) -> ReviewDoc {
        let content = self.trust.content(hook);
        let not_covered = content.names.not_covered.iter();
        ReviewDoc {
            hook: hook.id.clone(),
            event: hook.event.clone(),
            label: hook.label.clone(),
            path: hook.source.path.display().to_string(),
            line: hook.source.line,
            definition: hook.definition_text.clone(),
            fingerprint: content.fingerprint.clone(),
            files: content.files.iter().map(review_file).collect(),
            not_covered: not_covered
                .map(|words| Sentence {
                    why: words.text.clone(),
                    code: words.code.to_owned(),
                    args: words.args.clone(),
                })
                .collect(),
            trusted: self.trust.judge(hook).is_ok(),
            old: self.old(hook, &content),
        }
    }

    /// `trust.approve`: exactly what the review showed.
    ///
    /// # Errors
    /// No such hook, its content moved on since the review, or the trust file cannot be written.
    pub async fn trust_approve(&self, request: ApproveRequest) -> Result<Pending, Fault> {
        let desk = self.desk(Path::new(&request.project))?;
        desk.refresh();
        let snapshot = desk.snapshot();
        let hook = project_hook(&snapshot, &request.hook)?;
        let content = self.trust.content(hook);
        if content.fingerprint != request.fingerprint {
            return Err(REVIEW_IS_OLD.say(args! { "hook" => request.hook }).into());
        }
        self.trust.approve(&[(&**hook, content)], self.now())?;
        Ok(Pending {
            pending: self.pending(&snapshot),
        })
    }

    /// `trust.revoke`
    ///
    /// # Errors
    /// No such hook, or the trust file cannot be written.
    pub async fn trust_revoke(&self, request: HookRequest) -> Result<Pending, Fault> {
        let desk = self.desk(Path::new(&request.project))?;
        let snapshot = desk.snapshot();
        let hook = project_hook(&snapshot, &request.hook)?;
        self.revoke(hook)?;
        Ok(Pending {
            pending: self.pending(&snapshot),
        })
    }

    /// Takes back what was approved for this hook, by its content and by its id.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn revoke(&self, hook: &Hook) -> Result<usize, Fault> {
        let content = self.trust.content(hook);
        let fits = |approval: &Approval| {
            approval.project == content.project
                && (approval.fingerprint == content.fingerprint || approval.hook == hook.id)
        };
        Ok(self.trust.revoke(fits)?)
    }

    /// How many hooks of a snapshot wait for a review.
    #[must_use]
    pub fn pending(&self, snapshot: &Snapshot) -> u32 {
        let waiting = snapshot
            .all()
            .filter(|hook| hook.invalid.is_none() && self.trust.judge(hook).is_err())
            .count();
        u32::try_from(waiting).unwrap_or(u32::MAX)
    }

    fn old(&self, hook: &Hook, content: &Content) -> Option<OldContent> {
        let approvals = self.trust.approvals();
        let known = approvals
            .hooks
            .iter()
            .find(|approval| approval.project == content.project && approval.hook == hook.id)?;
        (known.fingerprint != content.fingerprint).then(|| OldContent {
            definition: known.definition.clone(),
            files: hashes(&known.files),
            at: known.at.to_string(),
        })
    }
}

/// The hook of that id, which must be one that needs approval.
///
/// # Errors
/// No such hook here, or one that needs none.
pub fn project_hook<'a>(snapshot: &'a Snapshot, id: &str) -> Result<&'a std::sync::Arc<Hook>, Fault> {
    let hook = snapshot
        .hook(id)
        .ok_or_else(|| Fault::from(UNKNOWN_HOOK.say(args! { "hook" => id })))?;
    if Trust::needed(hook) {
        Ok(hook)
    } else {
        Err(NO_APPROVAL_NEEDED.say(args! { "hook" => id }).into())
    }
}

fn hashes(files: &[CoveredFile]) -> Vec<FileHash> {
    files
        .iter()
        .map(|file| FileHash {
            path: file.path.display().to_string(),
            hash: file.hash.clone(),
        })
        .collect()
}

fn review_file(file: &CoveredFile) -> ReviewFile {
    const SHOWN: usize = 1 << 20;
    let bytes = std::fs::read(&file.path).unwrap_or_default();
    let size = bytes.len() as f64;
    // The hash beside the text must be the text's own: what is shown is what would be approved.
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let text = if bytes.len() > SHOWN {
        None
    } else {
        String::from_utf8(bytes).ok()
    };
    ReviewFile {
        path: file.path.display().to_string(),
        hash,
        text,
        size,
    }
}
