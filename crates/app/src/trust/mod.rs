//! Trust by content: nothing of a project runs before a person approved exactly this definition and exactly these files.
//!
//! An approval is for a fingerprint (`engine.md` §3). It is looked at again before every spawn, by inode, size and
//! change time first and by content when one of them moved.

mod approval;
mod assigned;
pub mod directory;
pub mod folder;
mod given;
mod last;
mod look;
pub mod named;
mod reader;
mod splitter;
mod starts;
pub mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use hookwright_model::{Cover, Hook, Layer, Source, Words, args};
use jiff::Timestamp;

use crate::owned::{self, OwnedError};
use approval::{differing, superseded};
use look::{Look, Looks, Print, is_executable, look_at};
use named::Names;

pub use approval::{Approval, Content, CoveredFile, Standing, TrustFile};
pub use last::LastLook;

hookwright_model::sayings! {
    /// Nobody ever looked at it.
    NEVER_APPROVED = "never_approved" { "nobody approved this content yet", "此内容尚未获批准" } hint { "review it: hookwright trust", "请审阅：hookwright trust" };
    /// It was approved with other content.
    CHANGED_SINCE = "changed_since_approval" { "its content changed since it was approved", "内容在批准之后发生了变化" } hint { "review it: hookwright trust", "请审阅：hookwright trust" };
    /// A covered file is not what it was when the approval was checked.
    FILE_CHANGED = "file_changed" { "{path} is not what was approved", "{path} 不是已批准的内容" };
}

/// What a person approved, and quick answers about the disk.
#[derive(Debug)]
pub struct Trust {
    path: PathBuf,
    home: PathBuf,
    file: ArcSwap<TrustFile>,
    /// The file as it was when it was read.
    seen: Mutex<Option<Look>>,
    looks: Looks,
}

impl Trust {
    /// Reads `trust.json`. A broken file trusts nothing and is reported.
    #[must_use]
    pub fn open(data_dir: &Path, home: &Path) -> (Self, Option<OwnedError>) {
        let path = data_dir.join("trust.json");
        let seen = Mutex::new(look_at(&path));
        let (file, error) = match owned::read_json::<TrustFile>(&path) {
            Ok(file) => (file, None),
            Err(error) => (TrustFile::default(), Some(error)),
        };
        (
            Self {
                path,
                home: home.to_owned(),
                file: ArcSwap::from_pointee(file),
                seen,
                looks: Looks::default(),
            },
            error,
        )
    }

    /// Reads the file again, after somebody else may have changed it. A broken file trusts nothing.
    ///
    /// # Errors
    /// The file does not parse.
    pub fn reload(&self) -> Result<(), OwnedError> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = look_at(&self.path);
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

    /// Reads the file again when it is another than was read: what another program took back counts at once.
    fn catch_up(&self) {
        let known = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if known != look_at(&self.path) {
            // A broken file trusts nothing; who asks for it is told.
            drop(self.reload());
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
        matches!(hook.source.layer, Layer::User | Layer::Project | Layer::Skill) && hook.source.project.is_some()
    }

    /// A hook of the user's as one of the project, for the files of it that it starts from a directory; `None` for a hook
    /// that starts none (`engine.md` §3, "A user's hook that starts project content").
    #[must_use]
    pub fn bound(&self, hook: &Hook, project: &Path, start: &Path) -> Option<Hook> {
        if hook.source.layer != Layer::User || hook.invalid.is_some() {
            return None;
        }
        let real = dunce::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let from = starts::From {
            home: &self.home,
            project: &real,
            start,
        };
        let dialect = hookwright_dialects::find(hook.dialect)?;
        let files = starts::started(hook, dialect.card(), from);
        if files.is_empty() {
            return None;
        }
        Some(Hook {
            source: Source {
                project: Some(project.to_owned()),
                ..hook.source.clone()
            },
            cover: Cover::Files(files),
            ..hook.clone()
        })
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
        self.judge_content(hook, &content, &Standing::default())
    }

    /// Gate `trusted` of all these hooks. Looked at together, a hook that took another one's place is told from a hook
    /// whose content changed.
    #[must_use]
    pub fn judge_all<'h>(&self, hooks: impl Iterator<Item = &'h Hook>) -> Vec<Result<(), Words>> {
        let contents: Vec<(&Hook, Option<Content>)> = hooks
            .map(|hook| (hook, Self::needed(hook).then(|| self.content(hook))))
            .collect();
        let standing = Standing::of(contents.iter().filter_map(|(_, content)| content.as_ref()));
        contents
            .iter()
            .map(|(hook, content)| {
                content
                    .as_ref()
                    .map_or(Ok(()), |content| self.judge_content(hook, content, &standing))
            })
            .collect()
    }

    fn judge_content(&self, hook: &Hook, content: &Content, standing: &Standing) -> Result<(), Words> {
        if let Some(words) = &content.names.refused {
            return Err(words.clone());
        }
        self.catch_up();
        let file = self.file.load();
        let approved =
            |approval: &Approval| approval.fingerprint == content.fingerprint && approval.project == content.project;
        if file.hooks.iter().any(approved) {
            return Ok(());
        }
        Err(match superseded(&file, hook, content, standing) {
            Some(_) => CHANGED_SINCE.plain(),
            None => NEVER_APPROVED.plain(),
        })
    }

    /// What was approved under this hook's id and is not in force any more.
    #[must_use]
    pub fn before(&self, hook: &Hook, content: &Content, standing: &Standing) -> Option<Approval> {
        superseded(&self.file.load(), hook, content, standing).cloned()
    }

    /// The fingerprints of all these hooks.
    #[must_use]
    pub fn standing<'h>(&self, hooks: impl Iterator<Item = &'h Hook>) -> Standing {
        let contents: Vec<Content> = hooks
            .filter(|hook| Self::needed(hook))
            .map(|hook| self.content(hook))
            .collect();
        Standing::of(contents.iter())
    }

    /// What an approval of this hook would be for, now.
    #[must_use]
    pub fn content(&self, hook: &Hook) -> Content {
        let project = self.project_of(hook);
        let mut names = self.names(hook, &project);
        let mut files = Vec::new();
        for path in names.files() {
            let hash = match self.looks.print(&path) {
                Print::Bytes(hash) => hash,
                Print::Look(hash, limit) => {
                    names.too_large(&path, limit);
                    hash
                }
                Print::Nothing(why) => {
                    names.unreadable(&path, &why);
                    String::new()
                }
            };
            files.push(CoveredFile { path, hash });
        }
        // What is no file has no bytes; it is shown and compared by its place.
        files.extend(names.others.iter().map(|(path, _)| CoveredFile {
            hash: String::new(),
            path: path.clone(),
        }));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut hasher = blake3::Hasher::new();
        let mut feed = |bytes: &[u8]| {
            // Length first, so that no two lists of parts hash alike.
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        };
        feed(project.as_os_str().as_encoded_bytes());
        feed(hook.dialect.as_bytes());
        // Where the definition itself says its events, one approval is for all of them.
        feed(hook.approved_as().1.as_bytes());
        feed(hook.definition_text.as_bytes());
        for file in &files {
            feed(file.path.as_os_str().as_encoded_bytes());
            feed(file.hash.as_bytes());
            if matches!(hook.cover, Cover::Folder(_)) {
                feed(&[u8::from(is_executable(&file.path))]);
            }
        }
        for (path, kind) in &names.others {
            feed(path.as_os_str().as_encoded_bytes());
            feed(kind.as_bytes());
        }
        Content {
            fingerprint: hasher.finalize().to_hex().to_string(),
            files,
            names,
            project,
        }
    }

    /// Approves this content. An older approval under the same id goes, unless its content still stands: ids move,
    /// fingerprints do not. What nobody can approve stays unapproved. Of the definition the file keeps what `masked`
    /// leaves of it.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn approve(
        &self,
        hooks: &[(&Hook, Content)],
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
                    hook: hook.approved_as().0,
                    fingerprint: content.fingerprint.clone(),
                    definition: masked(&hook.definition_text),
                    files: content.files.clone(),
                    at: now,
                });
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

    /// The last look before a spawn, against what was judged trusted.
    fn look_again(&self, hook: &Hook, approved: Option<&Content>) -> Result<Content, Words> {
        let content = self.content(hook);
        if let Some(words) = &content.names.refused {
            return Err(words.clone());
        }
        if let Some(approved) = approved {
            if let Some(changed) = differing(&approved.files, &content.files) {
                return Err(FILE_CHANGED.say(args! { "path" => changed.display().to_string() }));
            }
            if approved.fingerprint != content.fingerprint {
                return Err(FILE_CHANGED.say(args! { "path" => hook.source.path.display().to_string() }));
            }
        } else {
            self.judge(hook)?;
        }
        Ok(content)
    }
}
