//! Review and approval of hooks that run content of a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{Handler, Hook, Layer, Message, args};

use crate::App;
use crate::dto::{
    ApproveRequest, FileHash, HookRequest, MAX_SHOWN_BYTES, OldContent, OldFile, Pending, ProjectRequest, ReviewDoc,
    ReviewFile, Sentence, TrustDoc, TrustItem,
};
use crate::fault::{Fault, NO_APPROVAL_NEEDED, REVIEW_IS_OLD, UNKNOWN_HOOK, UNKNOWN_HOOK_CALLED};
use crate::library::Snapshot;
use crate::regular_file;
use crate::trust::disk_cache::DiskCache;
use crate::trust::{Approval, CoveredFile, CurrentFingerprints, HookContent, Trust};

hookwright_model::messages! {
    /// A user hook starts files of the project.
    STARTS_PROJECT = "starts_project_content" { "your hook starts these files of the project; what `-c`, `-m`, `make` or `npm` run there is not reviewed", "你的 Hook 会启动项目中的这些文件；`-c`、`-m`、`make`、`npm` 在项目中执行的内容不经审阅" };
    /// Approving a hook switches another hook off.
    REPLACES = "approval_replaces" { "approving this hook replaces {hook}, which then does not run", "批准此 Hook 会取代 {hook}，后者不再执行" } hint { "rename one of the two to keep both", "若要保留两者，给其中一个改名" };
}

impl From<Message> for Sentence {
    fn from(message: Message) -> Self {
        Self {
            why: message.text,
            code: message.code.to_owned(),
            args: message.args,
        }
    }
}

impl App {
    /// The command `trust.list`: which hooks of a project wait for approval, and which are approved.
    ///
    /// # Errors
    /// The project is not a directory.
    pub async fn trust_list(&self, request: ProjectRequest) -> Result<TrustDoc, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        Ok(self.trust_doc(&open_project.snapshot()))
    }

    /// Which hooks of a snapshot wait for approval, and which are approved.
    #[must_use]
    pub fn trust_doc(&self, snapshot: &Snapshot) -> TrustDoc {
        let mut doc = TrustDoc {
            pending: Vec::new(),
            approved: Vec::new(),
        };
        let standing = self.trust.current_fingerprints(snapshot.all().map(|hook| &**hook));
        for (hook, content) in self.hooks_to_review(snapshot) {
            let trusted = self.trust.is_approved(&hook, &content);
            let item = TrustItem {
                kind: "hook".to_owned(),
                hook: hook.id.clone(),
                project: content.project.display().to_string(),
                definition: hook.definition_text.clone(),
                inherited: hook.inherited_text.clone(),
                files: file_hashes(&content.files),
                data: display_paths(&content.covered.data),
                data_changed: display_paths(&self.trust.changed_data(&hook, &content, &standing)),
                not_covered: not_covered_sentences(&content),
                old: if trusted {
                    None
                } else {
                    self.old_content(&hook, &content, &standing)
                },
            };
            if trusted {
                doc.approved.push(item)
            } else {
                doc.pending.push(item)
            }
        }
        doc
    }

    /// The command `trust.review`: everything that the user must see before approving a hook.
    ///
    /// # Errors
    /// The project has no such hook, or the hook needs no approval.
    pub async fn trust_review(&self, request: HookRequest) -> Result<ReviewDoc, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        let snapshot = open_project.snapshot();
        Ok(self.review(&snapshot, &*self.project_hook(&snapshot, &request.hook)?))
    }

    /// Everything that the user must see before approving this hook.
    #[must_use]
    pub fn review(&self, snapshot: &Snapshot, hook: &Hook) -> ReviewDoc {
        let (content, files) = self.with_file_texts(hook);
        let standing = self.trust.current_fingerprints(snapshot.all().map(|hook| &**hook));
        ReviewDoc {
            hook: hook.id.clone(),
            event: hook.event.clone(),
            label: hook.label.clone(),
            path: hook.source.path.display().to_string(),
            line: hook.source.line,
            first: first_warnings(snapshot, hook).into_iter().map(Sentence::from).collect(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            fingerprint: content.fingerprint.clone(),
            files,
            data: display_paths(&content.covered.data),
            data_changed: display_paths(&self.trust.changed_data(hook, &content, &standing)),
            not_covered: not_covered_sentences(&content),
            trusted: self.trust.check_gate(hook).is_ok(),
            old: self.old_content(hook, &content, &standing),
        }
    }

    /// The command `trust.approve`: approves exactly what the review showed. Returns how many hooks still wait.
    ///
    /// # Errors
    /// There is no such hook, its content changed after the review or cannot be approved, or the trust file cannot be
    /// written.
    pub async fn trust_approve(&self, request: ApproveRequest) -> Result<Pending, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        open_project.refresh();
        let snapshot = open_project.snapshot();
        let hook = self.project_hook(&snapshot, &request.hook)?;
        let content = self.trust.content(&hook);
        if content.fingerprint != request.fingerprint {
            return Err(REVIEW_IS_OLD.render(args! { "hook" => request.hook }).into());
        }
        if let Some(message) = &content.covered.refusal {
            return Err(message.clone().into());
        }
        self.approve(&snapshot, &[(&*hook, content)])?;
        Ok(Pending {
            pending: self.pending(&snapshot),
        })
    }

    /// The command `trust.revoke`: revokes the approvals of a hook. Returns how many hooks wait now.
    ///
    /// # Errors
    /// There is no such hook, or the trust file cannot be written.
    pub async fn trust_revoke(&self, request: HookRequest) -> Result<Pending, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        let snapshot = open_project.snapshot();
        let hook = self.project_hook(&snapshot, &request.hook)?;
        self.revoke(&snapshot, &hook)?;
        Ok(Pending {
            pending: self.pending(&snapshot),
        })
    }

    /// Approves contents that the user saw. A content that cannot be approved is left out.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn approve(&self, snapshot: &Snapshot, hooks: &[(&Hook, Arc<HookContent>)]) -> Result<(), Fault> {
        let standing = self.trust.current_fingerprints(snapshot.all().map(|hook| &**hook));
        let redact = |text: &str| self.redacted_definition(text);
        Ok(self.trust.approve(hooks, &standing, &redact, self.now())?)
    }

    /// Revokes the approvals of a hook: the one of its content, and older ones under its id. Returns them.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn revoke(&self, snapshot: &Snapshot, hook: &Hook) -> Result<Vec<Approval>, Fault> {
        let content = self.trust.content(hook);
        let others = snapshot.all().filter(|other| other.id != hook.id);
        let standing = self.trust.current_fingerprints(others.map(|other| &**other));
        Ok(self.trust.revoke(|approval| {
            approval.fingerprint == content.fingerprint || standing.is_superseded(approval, hook, &content)
        })?)
    }

    /// Revokes all approvals of a snapshot's project, also those of hooks that no longer exist. Returns them.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn revoke_all(&self, snapshot: &Snapshot) -> Result<Vec<Approval>, Fault> {
        let projects: Vec<PathBuf> = snapshot
            .sources
            .iter()
            .filter_map(|source| source.root.project.as_deref())
            .map(|project| dunce::canonicalize(project).unwrap_or_else(|_| project.to_owned()))
            .collect();
        Ok(self.trust.revoke(|approval| projects.contains(&approval.project))?)
    }

    /// How many hooks of a snapshot wait for a review.
    #[must_use]
    pub fn pending(&self, snapshot: &Snapshot) -> u32 {
        let hooks = self.hooks_to_review(snapshot);
        let waiting = hooks
            .iter()
            .filter(|(hook, content)| !self.trust.is_approved(hook, content))
            .count();
        u32::try_from(waiting).unwrap_or(u32::MAX)
    }

    /// The hooks that need approval, each with the content that an approval would cover now. Each definition is
    /// included once. A module is included as a whole, whether its hooks are known or not.
    #[must_use]
    pub fn hooks_to_review(&self, snapshot: &Snapshot) -> Vec<(Arc<Hook>, Arc<HookContent>)> {
        self.trust.reload_if_changed();
        let disk = DiskCache::default();
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for hook in snapshot.all().filter(|hook| Trust::needs_approval(hook)) {
            let reviewed_as = if matches!(hook.handler, Handler::Module { .. }) {
                snapshot.hook(&hook.approval_key().0)
            } else {
                Some(hook).filter(|hook| hook.invalid.is_none())
            };
            let first = reviewed_as.filter(|hook| seen.insert(hook.id.clone()));
            out.extend(first.map(|hook| (hook.clone(), self.trust.content_with(hook, &disk))));
        }
        for hook in snapshot.all().filter_map(|hook| self.bind_for_review(snapshot, hook)) {
            if seen.insert(hook.id.clone()) {
                let content = self.trust.content_with(&hook, &disk);
                out.push((hook, content));
            }
        }
        out
    }

    /// A user hook as a hook of the project, with the project files that it starts from any folder of the project. An
    /// approval is for this form. `None` if it starts none.
    fn bind_for_review(&self, snapshot: &Snapshot, hook: &Hook) -> Option<Arc<Hook>> {
        self.trust.bind_from_any_folder(hook, &snapshot.project).map(Arc::new)
    }

    /// The hook with this id in the form in which it is reviewed.
    ///
    /// # Errors
    /// The project has no such hook, or the hook needs no approval.
    pub fn project_hook(&self, snapshot: &Snapshot, id: &str) -> Result<Arc<Hook>, Fault> {
        let hook = snapshot.hook(id).ok_or_else(|| unknown_hook(snapshot, id))?;
        if Trust::needs_approval(hook) {
            return Ok(hook.clone());
        }
        let bound = self.bind_for_review(snapshot, hook);
        bound.ok_or_else(|| NO_APPROVAL_NEEDED.render(args! { "hook" => id }).into())
    }

    /// The content of a hook, with the texts of its files. It is read again if a file changed in between, so that the
    /// fingerprint belongs to the texts that are shown.
    fn with_file_texts(&self, hook: &Hook) -> (Arc<HookContent>, Vec<ReviewFile>) {
        const TRIES: usize = 5;
        let mut tries = 0;
        loop {
            let content = self.trust.content(hook);
            let files: Vec<ReviewFile> = content.files.iter().map(|file| review_file(file, &content)).collect();
            let agree = files
                .iter()
                .zip(&content.files)
                .all(|(shown, file)| shown.hash == file.hash);
            tries += 1;
            if agree || tries == TRIES {
                return (content, files);
            }
        }
    }

    /// A definition in the form in which it is stored. Its secrets are masked, because Hookwright must not store them.
    fn redacted_definition(&self, definition: &str) -> String {
        self.redactor().text(definition).0
    }

    fn old_content(&self, hook: &Hook, content: &HookContent, standing: &CurrentFingerprints) -> Option<OldContent> {
        let text = |hash: &str| self.trust.approved_text(hash);
        self.trust
            .superseded_approval(hook, content, standing)
            .map(|former| OldContent {
                // If the stored text is the masked text of the present definition, nothing changed.
                definition: if former.definition == self.redacted_definition(&hook.definition_text) {
                    hook.definition_text.clone()
                } else {
                    former.definition.clone()
                },
                inherited: if former.inherited == self.redacted_definition(&hook.inherited_text) {
                    hook.inherited_text.clone()
                } else {
                    former.inherited.clone()
                },
                files: old_files(&former.files, text),
                reason: if !former.is_valid() && self.trust.was_valid(&former, hook, content) {
                    "rules_changed".to_owned()
                } else {
                    "changed".to_owned()
                },
                at: former.at.to_string(),
            })
    }
}

/// What the user should know first about a hook that waits for approval.
#[must_use]
pub fn first_warnings(snapshot: &Snapshot, hook: &Hook) -> Vec<Message> {
    let of_user = (hook.source.layer == Layer::User).then(|| STARTS_PROJECT.render_plain());
    let replaced = snapshot.replaced_by(&hook.id).into_iter();
    let replaces = replaced.map(|other| REPLACES.render(args! { "hook" => other }));
    of_user.into_iter().chain(replaces).collect()
}

/// The fault that there is no such hook. If exactly one hook has this name as its label, the fault names its id.
pub(crate) fn unknown_hook(snapshot: &Snapshot, name: &str) -> Fault {
    let mut ids: Vec<&str> = snapshot
        .all()
        .filter(|hook| hook.label == name)
        .map(|hook| hook.id.as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    match ids[..] {
        [id] => UNKNOWN_HOOK_CALLED.render(args! { "hook" => name, "id" => id }).into(),
        _ => UNKNOWN_HOOK.render(args! { "hook" => name }).into(),
    }
}

fn file_hashes(files: &[CoveredFile]) -> Vec<FileHash> {
    files
        .iter()
        .map(|file| FileHash {
            path: file.path.display().to_string(),
            hash: file.hash.clone(),
        })
        .collect()
}

fn old_files(files: &[CoveredFile], text: impl Fn(&str) -> Option<String>) -> Vec<OldFile> {
    let file = |file: &CoveredFile| OldFile {
        path: file.path.display().to_string(),
        hash: file.hash.clone(),
        text: text(&file.hash),
    };
    files.iter().map(file).collect()
}

fn display_paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

fn not_covered_sentences(content: &HookContent) -> Vec<Sentence> {
    content
        .covered
        .not_covered
        .iter()
        .cloned()
        .map(Sentence::from)
        .collect()
}

fn review_file(file: &CoveredFile, content: &HookContent) -> ReviewFile {
    let part = content
        .covered
        .parts
        .iter()
        .find(|part| part.display_path() == file.path);
    let read = part.and_then(|part| Some(part.covered_bytes(regular_file::read(&part.file, MAX_SHOWN_BYTES).ok()?)));
    let bytes = read.filter(|bytes| bytes.len() as u64 <= MAX_SHOWN_BYTES);
    let disk = part.map_or(&file.path, |part| &part.file);
    ReviewFile {
        path: file.path.display().to_string(),
        // The hash is computed from the text that is shown, so exactly that text is approved.
        hash: bytes
            .as_ref()
            .map_or_else(|| file.hash.clone(), |bytes| blake3::hash(bytes).to_hex().to_string()),
        size: bytes.as_ref().map_or_else(
            || std::fs::metadata(disk).map_or(0, |meta| meta.len()),
            |bytes| bytes.len() as u64,
        ),
        text: bytes.and_then(|bytes| String::from_utf8(bytes).ok()),
    }
}
