//! Trust by content: nothing of a project runs before a person approved exactly this definition and exactly these files.
//!
//! An approval is for a fingerprint (`engine.md` §3). What decides it is looked at again before every spawn: small files
//! byte for byte, others by inode, size and times first.

mod approval;
mod content;
mod convert;
pub mod covered;
pub mod directory;
pub mod disk;
pub mod folder;
mod last;
mod look;
pub mod names;
mod settled;
mod starts;
mod texts;

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use hookwright_model::{Hook, Layer, Message, args};
use jiff::Timestamp;

use crate::door;
use crate::owned::{self, OwnedError};
use approval::{differing, superseded};
use covered::{Machine, Part};
use disk::DiskCache;
use look::{Look, Looks, look_at};
use settled::Settled;
use texts::Texts;

pub use approval::{Approval, Content, CoveredFile, Standing, TrustFile};
pub use last::{LastLook, Passed};

hookwright_model::messages! {
    /// Nobody ever looked at it.
    NEVER_APPROVED = "never_approved" { "not approved yet", "尚未获批准" } hint { "run `hookwright trust` to review it", "请执行 `hookwright trust` 审阅" };
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
    in_force: ArcSwap<InForce>,
    /// The file as it was when it was read.
    seen: Mutex<Option<Look>>,
    looks: Looks,
    settled: Settled,
    texts: Texts,
}

/// The approvals, and the fingerprints among them that hold.
#[derive(Debug, Default)]
struct InForce {
    file: Arc<TrustFile>,
    fingerprints: HashSet<String>,
}

impl InForce {
    fn of(file: TrustFile) -> Self {
        let file = file.read();
        let hold = file.hooks.iter().filter(|approval| approval.holds());
        Self {
            fingerprints: hold.map(|approval| approval.fingerprint.clone()).collect(),
            file: Arc::new(file),
        }
    }
}

impl Trust {
    /// Reads `trust.json`. A broken file trusts nothing and is reported.
    #[must_use]
    pub fn open(data_dir: &Path, home: &Path, path: &OsStr) -> (Self, Option<OwnedError>) {
        let trust = Self {
            path: data_dir.join("trust.json"),
            home: home.to_owned(),
            programs: std::env::split_paths(path).collect(),
            in_force: ArcSwap::default(),
            seen: Mutex::default(),
            looks: Looks::default(),
            settled: Settled::default(),
            texts: Texts::of(data_dir),
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
    pub fn reload(&self) -> Result<(), OwnedError> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = look_at(&self.path);
        let read = owned::only_ours(&self.path).and_then(|()| owned::read_json::<TrustFile>(&self.path));
        let (file, outcome) = match read {
            Ok(file) => (file, Ok(())),
            Err(error) => (TrustFile::default(), Err(error)),
        };
        self.in_force.store(Arc::new(InForce::of(file)));
        outcome
    }

    /// Reads the file again when it is another than was read: what another program took back counts at once.
    pub fn catch_up(&self) {
        let known = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if known != look_at(&self.path) {
            // A broken file trusts nothing; who asks for it is told.
            drop(self.reload());
        }
    }

    /// The projects whose approvals are of an earlier version and can be converted now.
    #[must_use]
    pub fn outdated(&self) -> BTreeSet<PathBuf> {
        let file = &self.in_force.load().file;
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
        self.in_force.load().file.clone()
    }

    /// Whether anything of this hook needs an approval at all.
    #[must_use]
    pub fn needed(hook: &Hook) -> bool {
        matches!(hook.source.layer, Layer::User | Layer::Project | Layer::Skill) && hook.source.project.is_some()
    }

    /// Gate `trusted`.
    ///
    /// # Errors
    /// Why it is not.
    pub fn judge(&self, hook: &Hook) -> Result<(), Message> {
        self.catch_up();
        if !Self::needed(hook) || self.holds(hook, &self.content(hook)) {
            return Ok(());
        }
        Err(self.why_not(hook, &self.content(hook), &Standing::default()))
    }

    /// Gate `trusted` of those hooks that `asked` names; all others fail. Beside it the contents that passed. Only where
    /// one of them fails are the others looked at: a hook that took another one's place is told from one whose content
    /// changed.
    #[must_use]
    pub fn judge_all<'h, I: Iterator<Item = &'h Hook>>(
        &self,
        hooks: impl Fn() -> I,
        asked: impl Fn(&Hook) -> bool,
    ) -> (Vec<Result<(), Message>>, Passed) {
        self.catch_up();
        let disk = DiskCache::default();
        let mut passed = Passed::new();
        let mut standing = None;
        let mut judge = |hook: &Hook| {
            if !Self::needed(hook) {
                return Ok(());
            }
            if !asked(hook) {
                return Err(NEVER_APPROVED.render_plain());
            }
            let content = self.content_by(hook, &disk);
            if self.holds(hook, &content) {
                passed.insert(hook.id.clone(), content);
                return Ok(());
            }
            let standing = standing.get_or_insert_with(|| self.standing_by(hooks(), &disk));
            Err(self.why_not(hook, &content, standing))
        };
        let verdicts = hooks().map(&mut judge).collect();
        (verdicts, passed)
    }

    /// Whether exactly this content was approved. Of a hook of the user's an approval may be for more files than it starts
    /// from one directory: each counts by itself.
    #[must_use]
    pub fn holds(&self, hook: &Hook, content: &Content) -> bool {
        let in_force = self.in_force.load();
        let known = in_force.fingerprints.contains(&content.fingerprint);
        let among = || {
            let approvals = in_force.file.hooks.iter().filter(|known| known.holds());
            hook.source.layer == Layer::User && self::content::each_approved(hook, content, approvals)
        };
        content.names.refused.is_none() && (known || among())
    }

    fn why_not(&self, hook: &Hook, content: &Content, standing: &Standing) -> Message {
        if let Some(words) = &content.names.refused {
            return words.clone();
        }
        match superseded(&self.in_force.load().file, hook, content, standing) {
            Some(former) if !former.holds() => RULES_CHANGED.render_plain(),
            Some(_) => CHANGED_SINCE.render_plain(),
            None => NEVER_APPROVED.render_plain(),
        }
    }

    /// What was approved under this hook's id and is not in force any more.
    #[must_use]
    pub fn before(&self, hook: &Hook, content: &Content, standing: &Standing) -> Option<Approval> {
        superseded(&self.in_force.load().file, hook, content, standing).cloned()
    }

    /// What is named beside the covered files, as it is now.
    fn data(&self, content: &Content) -> Vec<CoveredFile> {
        let hash = |path: &PathBuf| CoveredFile {
            path: path.clone(),
            hash: self.looks.hash(&Part {
                file: path.clone(),
                scripts: false,
            }),
        };
        content.names.data.iter().map(hash).collect()
    }

    /// What of that is not what it was when the content was approved, or last approved under this hook's id.
    #[must_use]
    pub fn changed_data(&self, hook: &Hook, content: &Content, standing: &Standing) -> Vec<PathBuf> {
        let file = &self.in_force.load().file;
        let same = file.hooks.iter().find(|known| known.fingerprint == content.fingerprint);
        let Some(approval) = same.or_else(|| superseded(file, hook, content, standing)) else {
            return Vec::new();
        };
        let other = |now: &CoveredFile| {
            approval
                .data
                .iter()
                .any(|known| known.path == now.path && known.hash != now.hash)
        };
        let changed = self.data(content).into_iter().filter(other);
        changed.map(|file| file.path).collect()
    }

    /// The text of a covered file as it was approved, where it was kept.
    #[must_use]
    pub fn approved_text(&self, hash: &str) -> Option<String> {
        self.texts.read(hash)
    }

    /// The fingerprints of all these hooks.
    #[must_use]
    pub fn standing<'h>(&self, hooks: impl Iterator<Item = &'h Hook>) -> Standing {
        self.standing_by(hooks, &DiskCache::default())
    }

    fn standing_by<'h>(&self, hooks: impl Iterator<Item = &'h Hook>, disk: &DiskCache) -> Standing {
        let contents: Vec<Arc<Content>> = hooks
            .filter(|hook| Self::needed(hook))
            .map(|hook| self.content_by(hook, disk))
            .collect();
        Standing::of(contents.iter().map(|content| &**content))
    }

    /// What an approval of this hook would be for, now.
    #[must_use]
    pub fn content(&self, hook: &Hook) -> Arc<Content> {
        self.content_by(hook, &DiskCache::default())
    }

    /// The same for one of many hooks, as far as the disk was looked at for those before.
    #[must_use]
    pub fn content_by(&self, hook: &Hook, disk: &DiskCache) -> Arc<Content> {
        disk.renew();
        if let Some(content) = self.settled.get(hook, disk) {
            return content;
        }
        let mut content = self.find_out(hook, disk);
        let looked = content.names.looked.take();
        let content = Arc::new(content);
        let seen = looked.and_then(|paths| settled::settled(&paths, disk));
        if let Some(seen) = seen.filter(|_| disk.is_recent()) {
            self.settled.keep(hook, &content, seen);
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
        hooks: &[(&Hook, Arc<Content>)],
        standing: &Standing,
        masked: &dyn Fn(&str) -> String,
        now: Timestamp,
    ) -> Result<(), OwnedError> {
        self.change(|file| {
            for (hook, content) in hooks.iter().filter(|(_, content)| content.names.refused.is_none()) {
                file.hooks.retain(|approval| {
                    !standing.gave_way(approval, hook, content) && approval.fingerprint != content.fingerprint
                });
                file.hooks.push(Approval {
                    project: content.project.clone(),
                    dialect: hook.dialect.to_owned(),
                    event: hook.event.clone(),
                    hook: hook.approval_key().0,
                    fingerprint: content.fingerprint.clone(),
                    definition: masked(&hook.definition_text),
                    inherited: masked(&hook.inherited_text),
                    files: content.files.clone(),
                    data: self.data(content),
                    at: now,
                    rules: None,
                    unseen: false,
                });
                self.texts.keep(&content.bytes);
            }
        })
    }

    /// Takes approvals back, and returns them.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn revoke(&self, fits: impl Fn(&Approval) -> bool) -> Result<Vec<Approval>, OwnedError> {
        let mut gone = Vec::new();
        self.change(|file| {
            let (fitting, kept) = std::mem::take(&mut file.hooks)
                .into_iter()
                .partition(|approval| fits(approval));
            file.hooks = kept;
            gone = fitting;
        })?;
        Ok(gone)
    }

    fn change(&self, change: impl FnOnce(&mut TrustFile)) -> Result<(), OwnedError> {
        owned::only_ours(&self.path)?;
        let next = owned::change_json(&self.path, |file: &mut TrustFile| {
            *file = std::mem::take(file).read();
            change(file);
            // Under the same lock: no text goes that another program is about to need.
            self.texts.sweep(file);
        })?;
        self.in_force.store(Arc::new(InForce::of(next)));
        Ok(())
    }

    /// The last look before a spawn, against what passed the gate.
    fn look_again(&self, hook: &Hook, approved: &Arc<Content>) -> Result<Arc<Content>, Message> {
        let content = if self.settled.holds_but_for_bytes(hook, approved) {
            approved.clone()
        } else {
            self.content(hook)
        };
        if let Some(words) = &content.names.refused {
            return Err(words.clone());
        }
        if approved.fingerprint != content.fingerprint {
            let changed = differing(&approved.files, &content.files);
            let changed = changed.unwrap_or_else(|| hook.source.path.clone());
            return Err(FILE_CHANGED.render(args! { "path" => changed.display().to_string() }));
        }
        self.compare(hook, approved)?;
        Ok(content)
    }

    /// Small files byte for byte, in the order of the review: what is written through a mapping moves no time.
    fn compare(&self, hook: &Hook, approved: &Content) -> Result<(), Message> {
        let mut buffer = Vec::new();
        for (part, bytes) in approved.compared() {
            let same = if part.scripts {
                door::read(&part.file, u64::MAX).is_ok_and(|now| part.of(now)[..] == bytes[..])
            } else {
                door::holds(&part.file, bytes, &mut buffer)
            };
            if !same {
                self.looks.forget(part);
                self.settled.forget(hook);
                return Err(FILE_CHANGED.render(args! { "path" => part.file.display().to_string() }));
            }
        }
        Ok(())
    }
}
