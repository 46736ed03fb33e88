//! Trust by content: nothing of a project runs before a person approved exactly this definition and exactly these files.
//!
//! An approval is for a fingerprint (`engine.md` §3). It is looked at again before every spawn, by inode, size and
//! change time first and by content when one of them moved.

pub mod named;
pub mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use arc_swap::ArcSwap;
use hookwright_model::{Clearance, Hook, Layer, Words, args};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::owned::{self, OwnedError};
use named::Names;

hookwright_model::sayings! {
    /// Nobody ever looked at it.
    NEVER_APPROVED = "never_approved" { "nobody approved this content yet", "此内容尚未获批准" } hint { "review it: hookwright trust", "请审阅：hookwright trust" };
    /// It was approved with other content.
    CHANGED_SINCE = "changed_since_approval" { "its content changed since it was approved", "内容在批准之后发生了变化" } hint { "review it: hookwright trust", "请审阅：hookwright trust" };
    /// A covered file is not what it was when the approval was checked.
    FILE_CHANGED = "file_changed" { "{path} is not what was approved", "{path} 不是已批准的内容" };
}

/// `trust.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrustFile {
    /// Format of the file.
    #[serde(default)]
    pub version: u32,
    /// What was approved.
    #[serde(default)]
    pub hooks: Vec<Approval>,
}

/// One approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Canonical project.
    pub project: PathBuf,
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// The id it had when it was approved; ids move, fingerprints do not.
    pub hook: String,
    /// Hash over everything the approval is for.
    pub fingerprint: String,
    /// The definition's normalised text.
    pub definition: String,
    /// Covered files.
    pub files: Vec<CoveredFile>,
    /// When.
    pub at: Timestamp,
}

/// A file an approval covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredFile {
    /// Real path.
    pub path: PathBuf,
    /// Hash of its bytes, hexadecimal.
    pub hash: String,
}

/// A hook's content as it is now.
#[derive(Debug, Clone)]
pub struct Content {
    /// Its fingerprint.
    pub fingerprint: String,
    /// Covered files with their hashes.
    pub files: Vec<CoveredFile>,
    /// The words of its command.
    pub names: Names,
    /// Canonical project.
    pub project: PathBuf,
}

/// What a person approved, and quick answers about the disk.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    home: PathBuf,
    file: ArcSwap<TrustFile>,
    /// Content hashes by path, valid while inode, size and change time stay.
    looks: Mutex<HashMap<PathBuf, (Look, String)>>,
}

/// What tells a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    inode: u64,
    size: u64,
    changed: Option<SystemTime>,
    /// Seconds and nanoseconds of the inode's own change time, which no tool can set back.
    status_changed: (i64, i64),
}

impl Trust {
    /// Reads `trust.json`. A broken file trusts nothing and is reported.
    #[must_use]
    pub fn open(data_dir: &Path, home: &Path) -> (Self, Option<OwnedError>) {
        let path = data_dir.join("trust.json");
        let (file, error) = match owned::read_json::<TrustFile>(&path) {
            Ok(file) => (file, None),
            Err(error) => (TrustFile::default(), Some(error)),
        };
        (
            Self {
                path,
                home: home.to_owned(),
                file: ArcSwap::from_pointee(file),
                looks: Mutex::default(),
            },
            error,
        )
    }

    /// Reads the file again, after somebody else may have changed it. A broken file trusts nothing.
    ///
    /// # Errors
    /// The file does not parse.
    pub fn reload(&self) -> Result<(), OwnedError> {
        match owned::read_json::<TrustFile>(&self.path) {
            Ok(file) => {
                self.file.store(Arc::new(file));
                Ok(())
            }
            Err(error) => {
                self.file.store(Arc::default());
                Err(error)
            }
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was approved.
    #[must_use]
    pub fn approvals(&self) -> Arc<TrustFile> {
        self.file.load_full()
    }

    /// Whether anything of this hook needs an approval at all.
    #[must_use]
    pub fn needed(hook: &Hook) -> bool {
        hook.source.layer == Layer::Project
    }

    /// Gate `trusted`.
    ///
    /// # Errors
    /// Why it is not.
    pub fn judge(&self, hook: &Hook) -> Result<(), Words> {
        if !Self::needed(hook) {
            return Ok(());
        }
        let content = self.content(hook);
        let file = self.file.load();
        if file
            .hooks
            .iter()
            .any(|approval| approval.fingerprint == content.fingerprint && approval.project == content.project)
        {
            return Ok(());
        }
        let known = file
            .hooks
            .iter()
            .any(|approval| approval.hook == hook.id && approval.project == content.project);
        Err(if known {
            CHANGED_SINCE.plain()
        } else {
            NEVER_APPROVED.plain()
        })
    }

    /// What an approval of this hook would be for, now.
    #[must_use]
    pub fn content(&self, hook: &Hook) -> Content {
        let project = self.project_of(hook);
        let names = self.names(hook, &project);
        let files: Vec<CoveredFile> = names
            .files()
            .into_iter()
            .map(|path| CoveredFile {
                hash: self.hash(&path).unwrap_or_default(),
                path,
            })
            .collect();
        let mut hasher = blake3::Hasher::new();
        let mut feed = |bytes: &[u8]| {
            // Length first, so that no two lists of parts hash alike.
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        };
        feed(project.as_os_str().as_encoded_bytes());
        feed(hook.dialect.as_bytes());
        feed(hook.event.as_bytes());
        feed(hook.definition_text.as_bytes());
        for file in &files {
            feed(file.path.as_os_str().as_encoded_bytes());
            feed(file.hash.as_bytes());
        }
        Content {
            fingerprint: hasher.finalize().to_hex().to_string(),
            files,
            names,
            project,
        }
    }

    /// Approves this content.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn approve(&self, hooks: &[(&Hook, Content)], now: Timestamp) -> Result<(), OwnedError> {
        self.change(|file| {
            for (hook, content) in hooks {
                let same = |approval: &Approval| approval.project == content.project && approval.hook == hook.id;
                file.hooks
                    .retain(|approval| !same(approval) && approval.fingerprint != content.fingerprint);
                file.hooks.push(Approval {
                    project: content.project.clone(),
                    dialect: hook.dialect.to_owned(),
                    event: hook.event.clone(),
                    hook: hook.id.clone(),
                    fingerprint: content.fingerprint.clone(),
                    definition: hook.definition_text.clone(),
                    files: content.files.clone(),
                    at: now,
                });
            }
        })
    }

    /// Takes approvals back. Returns how many there were.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn revoke(&self, fits: impl Fn(&Approval) -> bool) -> Result<usize, OwnedError> {
        let mut gone = 0;
        self.change(|file| {
            let before = file.hooks.len();
            file.hooks.retain(|approval| !fits(approval));
            gone = before - file.hooks.len();
        })?;
        Ok(gone)
    }

    fn change(&self, change: impl FnOnce(&mut TrustFile)) -> Result<(), OwnedError> {
        let next = owned::change_json(&self.path, |file: &mut TrustFile| {
            file.version = 1;
            change(file);
        })?;
        self.file.store(Arc::new(next));
        Ok(())
    }

    fn project_of(&self, hook: &Hook) -> PathBuf {
        let project = hook.source.project.clone().unwrap_or_else(|| self.home.clone());
        dunce::canonicalize(&project).unwrap_or(project)
    }

    fn names(&self, hook: &Hook, project: &Path) -> Names {
        hookwright_dialects::find(hook.dialect)
            .map(|dialect| named::names(hook, dialect.card(), &self.home, project))
            .unwrap_or_default()
    }

    /// Hash of a file's bytes; read only when inode, size or times moved.
    fn hash(&self, path: &Path) -> Option<String> {
        let look = look_at(path)?;
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, hash)) = looks.get(path)
            && *known == look
        {
            return Some(hash.clone());
        }
        let hash = blake3::hash(&std::fs::read(path).ok()?).to_hex().to_string();
        looks.insert(path.to_owned(), (look, hash.clone()));
        Some(hash)
    }

    /// The last look before a spawn, against what was judged trusted.
    fn look_again(&self, hook: &Hook, cwd: &Path, approved: Option<&Content>) -> Result<(), Words> {
        let content = self.content(hook);
        if let Some(approved) = approved {
            if let Some(changed) = differing(&approved.files, &content.files) {
                return Err(FILE_CHANGED.say(args! { "path" => changed.display().to_string() }));
            }
        } else {
            self.judge(hook)?;
        }
        let Some(dialect) = hookwright_dialects::find(hook.dialect) else {
            return Ok(());
        };
        named::same_from(&content.names, dialect.card(), &self.home, &content.project, cwd)
    }
}

fn differing(approved: &[CoveredFile], now: &[CoveredFile]) -> Option<PathBuf> {
    let odd = |one: &[CoveredFile], other: &[CoveredFile]| {
        one.iter()
            .find(|file| !other.contains(file))
            .map(|file| file.path.clone())
    };
    odd(approved, now).or_else(|| odd(now, approved))
}

#[cfg(unix)]
fn look_at(path: &Path) -> Option<Look> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).ok()?;
    Some(Look {
        inode: meta.ino(),
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (meta.ctime(), meta.ctime_nsec()),
    })
}

#[cfg(not(unix))]
fn look_at(path: &Path) -> Option<Look> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Look {
        inode: 0,
        size: meta.len(),
        changed: meta.modified().ok(),
        status_changed: (0, 0),
    })
}

/// The last look before every spawn of one chain.
#[derive(Debug)]
pub struct LastLook<'a> {
    trust: &'a Trust,
    /// Content as it was when a person's `--trust` covered it, by hook id; otherwise the approvals decide.
    granted: HashMap<String, Content>,
}

impl<'a> LastLook<'a> {
    /// Against the approvals.
    #[must_use]
    pub fn approved(trust: &'a Trust) -> Self {
        Self {
            trust,
            granted: HashMap::new(),
        }
    }

    /// Against the content as it is now, for `--trust`.
    #[must_use]
    pub fn granted<'h>(trust: &'a Trust, hooks: impl Iterator<Item = &'h Hook>) -> Self {
        let granted = hooks
            .filter(|hook| Trust::needed(hook))
            .map(|hook| (hook.id.clone(), trust.content(hook)))
            .collect();
        Self { trust, granted }
    }
}

impl Clearance for LastLook<'_> {
    fn clear(&self, hook: &Hook, cwd: &Path) -> Result<(), Words> {
        if !Trust::needed(hook) {
            return Ok(());
        }
        self.trust.look_again(hook, cwd, self.granted.get(&hook.id))
    }
}
