//! Trust by content: nothing of a project runs before the user approved exactly this definition and exactly these
//! files.
//!
//! An approval is bound to a fingerprint (`engine.md` §3). What decides the fingerprint is checked again before every
//! spawn. Small files are compared byte by byte. Others are first compared by inode, size and times.

mod agents;
mod approval;
mod approved_texts;
mod content;
mod content_cache;
mod convert;
pub mod covered_files;
mod denials;
mod digest_cache;
pub mod directory;
pub mod disk_cache;
pub mod folder;
pub mod names;
mod pre_spawn;
mod starts;

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use hookwright_model::{DisabledReason, Hook, Layer, Message, render};
use jiff::Timestamp;

use crate::data_files::locked_file::{self, LockedFileError};
use crate::files::Opener;
use crate::lock::lock;
use approval::{find_superseded, first_difference};
use approved_texts::ApprovedTexts;
use content_cache::ContentCache;
use covered_files::{CoveredPart, Machine};
use digest_cache::{DigestCache, FileStat, read_stat};
use disk_cache::DiskCache;

pub use agents::AllowedAgent;
pub use approval::{Approval, CoveredFile, CurrentFingerprints, HookContent, TrustFile};
pub use denials::Denial;
pub use pre_spawn::{ApprovalCheck, PassedContents};

hookwright_model::messages! {
    /// The hook was never approved.
    NOT_APPROVED = "never_approved" { "not approved yet", "尚未批准" } hint { "run `hookwright trust` to review it", "执行 `hookwright trust` 审阅" };
    /// The user denied exactly this content.
    DENIED = "denied_in_review" / "hook" { "denied in the review", "审阅时已拒绝" } hint { "run `hookwright trust --revoke {hook}` to review it again", "执行 `hookwright trust --revoke {hook}` 以重新审阅" };
    /// The user denied a script that this content runs, in another definition.
    DENIED_SCRIPT = "denied_in_review" / "script" { "what it runs was denied in the review of {other} on {at}", "它执行的内容在 {at} 审阅 {other} 时已被拒绝" } hint { "run `hookwright trust --revoke {hook}` to review it again", "执行 `hookwright trust --revoke {hook}` 以重新审阅" };
    /// The hook was approved, but with other content.
    CHANGED_SINCE = "changed_since_approval" { "its content changed after it was approved", "内容在批准之后发生了变化" } hint { "run `hookwright trust` to review it", "执行 `hookwright trust` 审阅" };
    /// The hook was approved by the rules of an earlier version, which covered less.
    RULES_CHANGED = "rules_changed" { "it was approved in an earlier version of Hookwright, which covered less", "由旧版本的 Hookwright 批准，当时的覆盖范围较小" } hint { "run `hookwright trust` to review it", "执行 `hookwright trust` 审阅" };
    /// How many approvals of an earlier version are not valid now.
    RULES_CHANGED_COUNT = "rules_changed" / "count" { "approvals now cover more than before; hooks to review again: {count}", "批准的覆盖范围已扩大；需重新审阅的 Hook：{count} 个" } hint { "run `hookwright trust` in each project", "在各项目中执行 `hookwright trust`" };
    /// A covered file differs from the content that passed the gate. The pre-spawn check reports it.
    FILE_CHANGED = "file_changed" { "{path} differs from what was approved", "{path} 与已批准的内容不一致" };
}

/// The approvals of the user, with caches of file contents and digests.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    home: PathBuf,
    /// The folders of the engine's PATH. Every hook has them on its PATH too.
    programs: Vec<PathBuf>,
    active: ArcSwap<ActiveApprovals>,
    /// The state of `trust.json` when it was last read; `None` if it did not exist.
    file_stat: Mutex<Option<FileStat>>,
    digest_cache: DigestCache,
    content_cache: ContentCache,
    approved_texts: ApprovedTexts,
}

/// The approvals and denials, and the fingerprints of the valid approvals.
#[derive(Debug, Default)]
struct ActiveApprovals {
    file: Arc<TrustFile>,
    fingerprints: HashSet<String>,
}

impl ActiveApprovals {
    fn from_file(file: TrustFile) -> Self {
        let file = file.upgrade();
        let valid = file.hooks.iter().filter(|approval| approval.is_valid());
        Self {
            fingerprints: valid.map(|approval| approval.fingerprint.clone()).collect(),
            file: Arc::new(file),
        }
    }
}

impl Trust {
    /// Opens `trust.json` of this data folder. With a broken file nothing is trusted, and the error is returned. `path`
    /// is the value of the engine's PATH.
    #[must_use]
    pub fn open(data_dir: &Path, home: &Path, path: &OsStr) -> (Self, Option<LockedFileError>) {
        let trust = Self {
            path: data_dir.join("trust.json"),
            home: home.to_owned(),
            programs: std::env::split_paths(path).collect(),
            active: ArcSwap::default(),
            file_stat: Mutex::default(),
            digest_cache: DigestCache::default(),
            content_cache: ContentCache::default(),
            approved_texts: ApprovedTexts::new(data_dir),
        };
        let error = trust.reload().err();
        (trust, error)
    }

    /// The properties of the machine that decide which files a name may refer to.
    fn machine<'a>(&'a self, disk: &'a DiskCache) -> Machine<'a> {
        Machine {
            home: &self.home,
            path: &self.programs,
            disk,
        }
    }

    /// Reads `trust.json` again, because another program may have changed it. With a broken file nothing is trusted.
    ///
    /// # Errors
    /// The file cannot be read, does not parse, or other users may write it.
    pub fn reload(&self) -> Result<(), LockedFileError> {
        *lock(&self.file_stat) = read_stat(&self.path);
        let read =
            locked_file::check_private(&self.path).and_then(|()| locked_file::read_json::<TrustFile>(&self.path));
        let (file, outcome) = match read {
            Ok(file) => (file, Ok(())),
            Err(error) => (TrustFile::default(), Err(error)),
        };
        self.active.store(Arc::new(ActiveApprovals::from_file(file)));
        outcome
    }

    /// Reads `trust.json` again if it changed on disk. So an approval that another program revoked ends at once.
    pub fn reload_if_changed(&self) {
        let known = *lock(&self.file_stat);
        if known != read_stat(&self.path) {
            // With a broken file nothing is trusted. The error is dropped: commands that ask for the file report it.
            drop(self.reload());
        }
    }

    /// The projects whose approvals are of an earlier version and can be converted now, because their folder exists.
    #[must_use]
    pub fn outdated_projects(&self) -> BTreeSet<PathBuf> {
        let file = &self.active.load().file;
        let unseen = file
            .hooks
            .iter()
            .filter(|known| known.unseen)
            .map(|known| &known.project);
        let projects: BTreeSet<PathBuf> = unseen.cloned().collect();
        projects.into_iter().filter(|project| project.is_dir()).collect()
    }

    /// The path of `trust.json`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of `trust.json`, including approvals of an earlier version that are not valid.
    #[must_use]
    pub fn approvals(&self) -> Arc<TrustFile> {
        self.active.load().file.clone()
    }

    /// Whether this hook runs only with an approval: it belongs to a project, in layer `user`, `project` or `skill`, or
    /// an agent registered it and it starts a process (`CONTRACTS.md` §3, "Session hooks that spawn"). One that runs
    /// inside the agent only needs none.
    #[must_use]
    pub fn needs_approval(hook: &Hook) -> bool {
        let is_guarded = match hook.source.layer {
            Layer::User | Layer::Project | Layer::Skill => true,
            Layer::Session => hook.handler.spawns(),
            Layer::Builtin => false,
        };
        let is_run = !matches!(hook.disabled_reason, Some(DisabledReason::AgentOnly(_)));
        is_guarded && is_run && hook.source.project.is_some()
    }

    /// Checks gate `trusted` for one hook.
    ///
    /// # Errors
    /// The message is the reason why the hook is not trusted.
    pub fn check_gate(&self, hook: &Hook) -> Result<(), Message> {
        self.reload_if_changed();
        if !Self::needs_approval(hook) || self.is_approved(hook, &self.content(hook)) {
            return Ok(());
        }
        Err(self.refusal_message(hook, &self.content(hook), &CurrentFingerprints::default()))
    }

    /// Checks gate `trusted` for those hooks that `asked` selects; all others fail. Also returns the contents that
    /// passed.
    ///
    /// The other hooks are read only if one of the selected hooks fails. They show whether another hook has taken its
    /// id, or its own content changed.
    #[must_use]
    pub fn check_gates<'h, I: Iterator<Item = &'h Hook>>(
        &self,
        hooks: impl Fn() -> I,
        asked: impl Fn(&Hook) -> bool,
    ) -> (Vec<Result<(), Message>>, PassedContents) {
        self.reload_if_changed();
        let disk = DiskCache::default();
        let mut passed = PassedContents::new();
        let mut current = None;
        let mut check_hook = |hook: &Hook| {
            if !Self::needs_approval(hook) {
                return Ok(());
            }
            if !asked(hook) {
                return Err(NOT_APPROVED.render_plain());
            }
            let content = self.content_with(hook, &disk);
            if self.is_approved(hook, &content) {
                passed.insert(hook.id.clone(), content);
                return Ok(());
            }
            let current = current.get_or_insert_with(|| self.current_fingerprints_with(hooks(), &disk));
            Err(self.refusal_message(hook, &content, current))
        };
        let verdicts = hooks().map(&mut check_hook).collect();
        (verdicts, passed)
    }

    /// Whether exactly this content was approved. For a user hook each file counts separately: one approval may be for
    /// more files than the hook starts from one directory.
    #[must_use]
    pub fn is_approved(&self, hook: &Hook, content: &HookContent) -> bool {
        let active = self.active.load();
        let is_known = active.fingerprints.contains(&content.fingerprint);
        let among = || {
            let approvals = active.file.hooks.iter().filter(|known| known.is_valid());
            hook.source.layer == Layer::User && self::content::is_each_file_approved(hook, content, approvals)
        };
        content.covered.refusal.is_none() && (is_known || among())
    }

    fn refusal_message(&self, hook: &Hook, content: &HookContent, current: &CurrentFingerprints) -> Message {
        if let Some(message) = &content.covered.refusal {
            return message.clone();
        }
        if let Some(message) = self.denial_message(hook, content) {
            return message;
        }
        match find_superseded(&self.active.load().file, hook, content, current) {
            Some(former) if !former.is_valid() => RULES_CHANGED.render_plain(),
            Some(_) => CHANGED_SINCE.render_plain(),
            None => NOT_APPROVED.render_plain(),
        }
    }

    /// The approval that was given under this hook's id and is not in force now. Its content belongs to no present
    /// hook, or it is of an earlier version.
    #[must_use]
    pub fn superseded_approval(
        &self,
        hook: &Hook,
        content: &HookContent,
        current: &CurrentFingerprints,
    ) -> Option<Approval> {
        find_superseded(&self.active.load().file, hook, content, current).cloned()
    }

    /// The approval of exactly this content.
    #[must_use]
    pub fn approval_of(&self, content: &HookContent) -> Option<Approval> {
        let approvals = &self.active.load().file.hooks;
        let is_for = |known: &&Approval| known.is_valid() && known.fingerprint == content.fingerprint;
        approvals.iter().find(is_for).cloned()
    }

    /// The current hashes of the files that the command names and the approval does not cover. They are files of the
    /// project.
    fn data_hashes(&self, content: &HookContent) -> Vec<CoveredFile> {
        let opener = Opener::beneath(&content.project);
        let part = |path: &PathBuf| CoveredPart {
            file: path.clone(),
            scripts: false,
        };
        let hash = |path: &PathBuf| CoveredFile {
            path: path.clone(),
            hash: self.digest_cache.hash(&part(path), &opener.for_path(path)),
        };
        content.covered.data.iter().map(hash).collect()
    }

    /// The files that are named, not covered, and changed since this content was approved. Without such an approval
    /// they are compared with the superseded approval under this hook's id.
    #[must_use]
    pub fn changed_data(&self, hook: &Hook, content: &HookContent, current: &CurrentFingerprints) -> Vec<PathBuf> {
        let file = &self.active.load().file;
        let same = file.hooks.iter().find(|known| known.fingerprint == content.fingerprint);
        let Some(approval) = same.or_else(|| find_superseded(file, hook, content, current)) else {
            return Vec::new();
        };
        let other = |now: &CoveredFile| {
            approval
                .data
                .iter()
                .any(|known| known.path == now.path && known.hash != now.hash)
        };
        let changed = self.data_hashes(content).into_iter().filter(other);
        changed.map(|file| file.path).collect()
    }

    /// The approved text of a covered file, by its hash; `None` if the text was not stored.
    #[must_use]
    pub fn approved_text(&self, hash: &str) -> Option<String> {
        self.approved_texts.read(hash)
    }

    /// The fingerprints of those hooks that need an approval.
    #[must_use]
    pub fn current_fingerprints<'h>(&self, hooks: impl Iterator<Item = &'h Hook>) -> CurrentFingerprints {
        self.current_fingerprints_with(hooks, &DiskCache::default())
    }

    fn current_fingerprints_with<'h>(
        &self,
        hooks: impl Iterator<Item = &'h Hook>,
        disk: &DiskCache,
    ) -> CurrentFingerprints {
        let contents: Vec<Arc<HookContent>> = hooks
            .filter(|hook| Self::needs_approval(hook))
            .map(|hook| self.content_with(hook, disk))
            .collect();
        CurrentFingerprints::from_contents(contents.iter().map(|content| &**content))
    }

    /// What an approval of this hook would be for now.
    #[must_use]
    pub fn content(&self, hook: &Hook) -> Arc<HookContent> {
        self.content_with(hook, &DiskCache::default())
    }

    /// Like [`Trust::content`], for one of many hooks. `disk` contains what was already read from the disk for the
    /// others.
    #[must_use]
    pub fn content_with(&self, hook: &Hook, disk: &DiskCache) -> Arc<HookContent> {
        disk.discard_if_old();
        if let Some(content) = self.content_cache.get(hook, disk) {
            return content;
        }
        let mut content = self.compute_content(hook, disk);
        let dependencies = content.covered.dependencies.take();
        let content = Arc::new(content);
        let states = dependencies.and_then(|paths| content_cache::stable_states(&paths, disk));
        if let Some(seen) = states.filter(|_| disk.is_recent()) {
            self.content_cache.store(hook, &content, seen);
        }
        content
    }

    /// Approves these contents. An older approval under the same id is removed, unless a current hook still has its
    /// content: ids move, fingerprints do not. A content with a refusal stays unapproved. `redact` masks the definition
    /// before it is stored.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn approve(
        &self,
        hooks: &[(&Hook, Arc<HookContent>)],
        current: &CurrentFingerprints,
        redact: &dyn Fn(&str) -> String,
        now: Timestamp,
    ) -> Result<(), LockedFileError> {
        self.change(|file| {
            for (hook, content) in hooks.iter().filter(|(_, content)| content.covered.refusal.is_none()) {
                file.hooks.retain(|approval| {
                    !current.is_superseded(approval, hook, content) && approval.fingerprint != content.fingerprint
                });
                Self::end_denials(file, content);
                file.hooks.push(Approval {
                    project: content.project.clone(),
                    dialect: hook.dialect.to_owned(),
                    event: hook.event.clone(),
                    hook: hook.approval_key().0,
                    fingerprint: content.fingerprint.clone(),
                    definition: redact(&hook.definition_text),
                    inherited: redact(&hook.inherited_text),
                    files: content.files.clone(),
                    data: self.data_hashes(content),
                    at: now,
                    rules: None,
                    unseen: false,
                });
                self.approved_texts.store(&content.bytes);
            }
        })
    }

    /// Revokes the approvals that `fits` selects, and returns them.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn revoke(&self, fits: impl Fn(&Approval) -> bool) -> Result<Vec<Approval>, LockedFileError> {
        let mut revoked = Vec::new();
        self.change(|file| {
            let (fitting, kept) = std::mem::take(&mut file.hooks)
                .into_iter()
                .partition(|approval| fits(approval));
            file.hooks = kept;
            revoked = fitting;
        })?;
        Ok(revoked)
    }

    fn change(&self, change: impl FnOnce(&mut TrustFile)) -> Result<(), LockedFileError> {
        locked_file::check_private(&self.path)?;
        let next = locked_file::change_json(&self.path, |file: &mut TrustFile| {
            *file = std::mem::take(file).upgrade();
            change(file);
            // The lock is still held, so no text is removed that another program is about to need.
            self.approved_texts.sweep(file);
        })?;
        self.active.store(Arc::new(ActiveApprovals::from_file(next)));
        Ok(())
    }

    /// The pre-spawn check of one hook, against the content that passed the gate.
    fn check_before_spawn(&self, hook: &Hook, approved: &Arc<HookContent>) -> Result<Arc<HookContent>, Message> {
        let content = if self.content_cache.is_unchanged_except_bytes(hook, approved) {
            approved.clone()
        } else {
            self.content(hook)
        };
        if let Some(message) = &content.covered.refusal {
            return Err(message.clone());
        }
        if approved.fingerprint != content.fingerprint {
            let changed = first_difference(&approved.files, &content.files);
            let changed = changed.unwrap_or_else(|| hook.source.path.clone());
            return Err(render!(FILE_CHANGED, "path" => changed.display().to_string()));
        }
        self.compare_bytes(hook, approved)?;
        Ok(content)
    }

    /// Compares small files byte by byte, in the order of the review. A write through a memory mapping does not change
    /// the times of a file.
    fn compare_bytes(&self, hook: &Hook, approved: &HookContent) -> Result<(), Message> {
        let opener = Opener::of_project(hook.source.project.as_deref());
        let mut buffer = Vec::new();
        let on_disk = |(part, _): &(CoveredPart, Arc<[u8]>)| content::older_text(hook, part).is_none();
        for (part, bytes) in approved.compared_files().iter().filter(|it| on_disk(it)) {
            let opener = opener.for_path(&part.file);
            let same = if part.scripts {
                let now = opener.read(&part.file, u64::MAX);
                now.is_ok_and(|now| part.covered_bytes(now)[..] == bytes[..])
            } else {
                opener.contains(&part.file, bytes, &mut buffer)
            };
            if !same {
                self.digest_cache.forget(part);
                self.content_cache.forget(hook);
                return Err(render!(FILE_CHANGED, "path" => part.file.display().to_string()));
            }
        }
        Ok(())
    }
}
