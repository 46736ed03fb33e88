//! Trust by content: nothing of a project runs before a person approved exactly this definition and exactly these files.
//!
//! An approval is for a fingerprint (`engine.md` §3). What decides it is looked at again before every spawn: small files
//! byte for byte, others by inode, size and times first.

mod approval;
mod approved_texts;
mod content;
mod content_cache;
mod convert;
pub mod covered_files;
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
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use hookwright_model::{Hook, Layer, Message, args};
use jiff::Timestamp;

use crate::locked_file::{self, LockedFileError};
use crate::regular_file;
use approval::{find_superseded, first_difference};
use approved_texts::ApprovedTexts;
use content_cache::ContentCache;
use covered_files::{CoveredPart, Machine};
use digest_cache::{DigestCache, FileStat, read_stat};
use disk_cache::DiskCache;

pub use approval::{Approval, CoveredFile, CurrentFingerprints, HookContent, TrustFile};
pub use pre_spawn::{ApprovalCheck, PassedContents};

hookwright_model::messages! {
    /// Nobody ever looked at it.
    NOT_APPROVED = "never_approved" { "not approved yet", "尚未获批准" } hint { "run `hookwright trust` to review it", "请执行 `hookwright trust` 审阅" };
    /// It was approved with other content.
    CHANGED_SINCE = "changed_since_approval" { "its content changed since it was approved", "内容在批准之后发生了变化" } hint { "run `hookwright trust` to review it", "请执行 `hookwright trust` 审阅" };
    /// It was approved by the rules of an earlier version, which covered less.
    RULES_CHANGED = "rules_changed" { "it was approved by an earlier version, which covered less", "由旧版本批准，其覆盖范围较小" } hint { "run `hookwright trust` to review it", "请执行 `hookwright trust` 审阅" };
    /// How many approvals of an earlier version do not hold.
    RULES_CHANGED_COUNT = "rules_changed" / "count" { "approvals now cover more than before; hooks to review again: {count}", "批准的覆盖范围已扩大；需重新审阅的 Hook：{count} 个" } hint { "run `hookwright trust` in each project", "请在各项目中执行 `hookwright trust`" };
    /// A covered file is not what it was when the approval was checked.
    FILE_CHANGED = "file_changed" { "{path} is not what was approved", "{path} 不是已批准的内容" };
}

/// What a person approved, and quick answers about the disk.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    home: PathBuf,
    /// The folders of our own PATH: they are every hook's, too.
    programs: Vec<PathBuf>,
    active: ArcSwap<ActiveApprovals>,
    /// The file as it was when it was read.
    file_stat: Mutex<Option<FileStat>>,
    digest_cache: DigestCache,
    content_cache: ContentCache,
    approved_texts: ApprovedTexts,
}

/// The approvals, and the fingerprints among them that hold.
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
    /// Reads `trust.json`. A broken file trusts nothing and is reported.
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

    /// What of the machine decides which files a name may mean.
    fn machine<'a>(&'a self, disk: &'a DiskCache) -> Machine<'a> {
        Machine {
            home: &self.home,
            path: &self.programs,
            disk,
        }
    }

    /// Reads the file again, after somebody else may have changed it. A broken file trusts nothing.
    ///
    /// # Errors
    /// The file does not parse, or others may write it.
    pub fn reload(&self) -> Result<(), LockedFileError> {
        *self.file_stat.lock().unwrap_or_else(PoisonError::into_inner) = read_stat(&self.path);
        let read =
            locked_file::check_private(&self.path).and_then(|()| locked_file::read_json::<TrustFile>(&self.path));
        let (file, outcome) = match read {
            Ok(file) => (file, Ok(())),
            Err(error) => (TrustFile::default(), Err(error)),
        };
        self.active.store(Arc::new(ActiveApprovals::from_file(file)));
        outcome
    }

    /// Reads the file again when it is another than was read: what another program took back counts at once.
    pub fn reload_if_changed(&self) {
        let known = *self.file_stat.lock().unwrap_or_else(PoisonError::into_inner);
        if known != read_stat(&self.path) {
            // A broken file trusts nothing; who asks for it is told.
            drop(self.reload());
        }
    }

    /// The projects whose approvals are of an earlier version and can be converted now.
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

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was approved.
    #[must_use]
    pub fn approvals(&self) -> Arc<TrustFile> {
        self.active.load().file.clone()
    }

    /// Whether anything of this hook needs an approval at all.
    #[must_use]
    pub fn needs_approval(hook: &Hook) -> bool {
        matches!(hook.source.layer, Layer::User | Layer::Project | Layer::Skill) && hook.source.project.is_some()
    }

    /// Gate `trusted`.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check_gate(&self, hook: &Hook) -> Result<(), Message> {
        self.reload_if_changed();
        if !Self::needs_approval(hook) || self.is_approved(hook, &self.content(hook)) {
            return Ok(());
        }
        Err(self.refusal_message(hook, &self.content(hook), &CurrentFingerprints::default()))
    }

    /// Gate `trusted` of those hooks that `asked` names; all others fail. Beside it the contents that passed. Only where
    /// one of them fails are the others looked at: a hook that took another one's place is told from one whose content
    /// changed.
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

    /// Whether exactly this content was approved. Of a hook of the user's an approval may be for more files than it starts
    /// from one directory: each counts by itself.
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
        match find_superseded(&self.active.load().file, hook, content, current) {
            Some(former) if !former.is_valid() => RULES_CHANGED.render_plain(),
            Some(_) => CHANGED_SINCE.render_plain(),
            None => NOT_APPROVED.render_plain(),
        }
    }

    /// What was approved under this hook's id and is not in force any more.
    #[must_use]
    pub fn superseded_approval(
        &self,
        hook: &Hook,
        content: &HookContent,
        current: &CurrentFingerprints,
    ) -> Option<Approval> {
        find_superseded(&self.active.load().file, hook, content, current).cloned()
    }

    /// What is named beside the covered files, as it is now.
    fn data_hashes(&self, content: &HookContent) -> Vec<CoveredFile> {
        let hash = |path: &PathBuf| CoveredFile {
            path: path.clone(),
            hash: self.digest_cache.hash(&CoveredPart {
                file: path.clone(),
                scripts: false,
            }),
        };
        content.covered.data.iter().map(hash).collect()
    }

    /// What of that is not what it was when the content was approved, or last approved under this hook's id.
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

    /// The text of a covered file as it was approved, where it was kept.
    #[must_use]
    pub fn approved_text(&self, hash: &str) -> Option<String> {
        self.approved_texts.read(hash)
    }

    /// The fingerprints of all these hooks.
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

    /// What an approval of this hook would be for, now.
    #[must_use]
    pub fn content(&self, hook: &Hook) -> Arc<HookContent> {
        self.content_with(hook, &DiskCache::default())
    }

    /// The same for one of many hooks, as far as the disk was looked at for those before.
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

    /// Approves this content. An older approval under the same id goes, unless its content still stands: ids move,
    /// fingerprints do not. What nobody can approve stays unapproved. Of the definition the file keeps what `masked`
    /// leaves of it.
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

    /// Takes approvals back, and returns them.
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
            // Under the same lock: no text goes that another program is about to need.
            self.approved_texts.sweep(file);
        })?;
        self.active.store(Arc::new(ActiveApprovals::from_file(next)));
        Ok(())
    }

    /// The last look before a spawn, against what passed the gate.
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
            return Err(FILE_CHANGED.render(args! { "path" => changed.display().to_string() }));
        }
        self.compare_bytes(hook, approved)?;
        Ok(content)
    }

    /// Small files byte for byte, in the order of the review: what is written through a mapping moves no time.
    fn compare_bytes(&self, hook: &Hook, approved: &HookContent) -> Result<(), Message> {
        let mut buffer = Vec::new();
        for (part, bytes) in approved.compared_files() {
            let same = if part.scripts {
                regular_file::read(&part.file, u64::MAX).is_ok_and(|now| part.covered_bytes(now)[..] == bytes[..])
            } else {
                regular_file::contains(&part.file, bytes, &mut buffer)
            };
            if !same {
                self.digest_cache.forget(part);
                self.content_cache.forget(hook);
                return Err(FILE_CHANGED.render(args! { "path" => part.file.display().to_string() }));
            }
        }
        Ok(())
    }
}
