//! The last version that parsed of each hook file that does not parse now, or that an edit left: `last_good/` of the data
//! folder (`CONTRACTS.md` §5, `engine.md` §9). With it every program answers alike, also one that starts later.
//!
//! An entry has a first line of JSON that says which file it stands for, and then the text as it was. It is private to
//! the user. No entry is removed because of its age.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::Layer;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::MAX_SOURCE_BYTES;
use crate::data_files::{locked_file, path_serde};
use crate::files::Opener;
use crate::snapshot::{LoadedSource, Snapshot};

/// Limit for the size of all entries together.
const MAX_BYTES: u64 = 16 << 20;
/// Limit for the first line of an entry, in bytes.
const MAX_HEAD_BYTES: u64 = 64 << 10;

/// A version of a file that parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoodVersion {
    /// The text, without byte-order mark.
    pub text: Arc<str>,
    /// Since when the file does not parse.
    pub since: Timestamp,
}

/// The first line of an entry: which file it stands for.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    dialect: String,
    layer: Layer,
    #[serde(with = "path_serde::path")]
    path: PathBuf,
    /// Since when the file does not parse; `null` if it did when an edit kept this.
    since: Option<Timestamp>,
}

/// The folder, with the names that were in it when it was opened.
#[derive(Debug)]
pub(super) struct LastGoodFolder {
    folder: PathBuf,
    names: BTreeSet<String>,
}

impl LastGoodFolder {
    /// Lists the folder of this data folder.
    pub fn open(data_dir: &Path) -> Self {
        let folder = folder_in(data_dir);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        Self {
            names: names.collect(),
            folder,
        }
    }

    /// The version that was kept of a file. `now` is the present time.
    pub fn find(&self, dialect: &str, layer: Layer, path: &Path, now: Timestamp) -> Option<GoodVersion> {
        let (since, text) = self.entry(dialect, layer, path)?;
        Some(GoodVersion {
            text: text.into(),
            since: since.unwrap_or(now),
        })
    }

    /// The entry of a file: since when it does not parse, and the text.
    fn entry(&self, dialect: &str, layer: Layer, path: &Path) -> Option<(Option<Timestamp>, String)> {
        let name = entry_name(dialect, layer, path);
        let entry = self.folder.join(self.names.get(&name)?);
        // What another user can write would run as if this user had written it.
        if let Err(error) = locked_file::check_private(&entry) {
            tracing::warn!(%error, "a kept version of a hook file is not used");
            return None;
        }
        let (head, text) = read_entry(&entry)?;
        let is_it = head.dialect == dialect && head.layer == layer && head.path == path;
        is_it.then_some((head.since, text))
    }

    /// Keeps the versions that these sources have in force, and removes those of their files that need none any more.
    pub fn update(&self, sources: &[LoadedSource]) {
        // A file that is being saved is judged when that is over.
        for source in sources.iter().filter(|source| source.held.is_none()) {
            for older in &source.last_good {
                if let Some(text) = source.texts.get(&older.path) {
                    self.keep(source, &older.path, text, Some(older.since));
                }
            }
            if self.names.is_empty() {
                continue;
            }
            for path in source.input_paths.iter() {
                let name = entry_name(source.dialect, source.root.layer, path);
                if self.names.contains(&name) && source.older_version(path).is_none() && !self.is_of_edit(source, path)
                {
                    remove(&self.folder.join(name));
                }
            }
        }
    }

    /// Whether an edit kept the text that the file still has.
    fn is_of_edit(&self, source: &LoadedSource, path: &Path) -> bool {
        let Some((None, kept)) = self.entry(source.dialect, source.root.layer, path) else {
            return false;
        };
        source.texts.get(path).is_some_and(|text| **text == *kept)
    }

    fn keep(&self, source: &LoadedSource, path: &Path, text: &Arc<str>, since: Option<Timestamp>) {
        let (dialect, layer) = (source.dialect, source.root.layer);
        let is_known = || {
            self.entry(dialect, layer, path)
                .is_some_and(|(known, kept)| known == since && *kept == **text)
        };
        if text.len() as u64 > MAX_SOURCE_BYTES || is_known() {
            return;
        }
        let head = Head {
            dialect: dialect.to_owned(),
            layer,
            path: path.to_owned(),
            since,
        };
        let Ok(mut bytes) = serde_json::to_vec(&head) else {
            return;
        };
        bytes.push(b'\n');
        bytes.extend_from_slice(text.as_bytes());
        let name = entry_name(dialect, layer, path);
        let stored = locked_file::atomic_write(&self.folder.join(&name), &bytes, locked_file::PRIVATE_FILE_MODE);
        match stored {
            Ok(()) => self.limit_size(),
            // This engine goes on with the version that it has in memory.
            Err(error) => tracing::warn!(%error, "the last valid version of a hook file was not kept"),
        }
    }

    /// Removes entries until the rest is small enough. Those of projects go first, so that a repository cannot take
    /// away what is kept of the user's files; then those that were kept first.
    fn limit_size(&self) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut sizes: Vec<(bool, Option<Timestamp>, PathBuf, u64)> = Vec::new();
        for entry in entries {
            let size = entry.metadata().map_or(0, |meta| meta.len());
            sizes.push((false, None, entry.path(), size));
        }
        let mut bytes: u64 = sizes.iter().map(|(.., size)| size).sum();
        if bytes <= MAX_BYTES {
            return;
        }
        for (is_users, since, path, _) in &mut sizes {
            let head = read_entry(path).map(|(head, _)| head);
            *is_users = head.as_ref().is_some_and(|head| head.layer == Layer::User);
            *since = head.and_then(|head| head.since);
        }
        sizes.sort();
        for (_, _, path, size) in sizes {
            if bytes <= MAX_BYTES {
                break;
            }
            remove(&path);
            bytes = bytes.saturating_sub(size);
        }
    }
}

/// Keeps the text of the hook files that an edit wrote: no engine may run that has it when the file is broken later
/// (`engine.md` §9).
pub(crate) fn keep_written(data_dir: &Path, snapshot: &Snapshot, is_written: impl Fn(&Path) -> bool) {
    let folder = LastGoodFolder::open(data_dir);
    for source in &snapshot.sources {
        let is_valid = |path: &Path| source.older_version(path).is_none();
        let written = source
            .texts
            .iter()
            .filter(|(path, _)| is_written(path) && is_valid(path));
        for (path, text) in written {
            folder.keep(source, path, text, None);
        }
    }
}

/// The folder of the kept versions. When it changes, a file that does not parse may have another version in force.
pub(crate) fn folder_in(data_dir: &Path) -> PathBuf {
    data_dir.join("last_good")
}

/// The name of an entry: a hash of dialect, layer and path.
fn entry_name(dialect: &str, layer: Layer, path: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [
        dialect.as_bytes(),
        layer.as_str().as_bytes(),
        path.as_os_str().as_encoded_bytes(),
    ] {
        // The length comes first, so that no two lists of parts have the same hash.
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex().to_string()
}

fn read_entry(path: &Path) -> Option<(Head, String)> {
    let whole = Opener::user().read_text(path, MAX_SOURCE_BYTES + MAX_HEAD_BYTES)?;
    let (head, text) = whole.split_once('\n')?;
    Some((serde_json::from_str(head).ok()?, text.to_owned()))
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::debug!(path = %path.display(), why = %error, "a kept version of a hook file was not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_projects_goes_before_what_is_kept_of_the_user() {
        let data = tempfile::tempdir().unwrap();
        let folder = LastGoodFolder::open(data.path());
        let keep = |layer: Layer, number: i64| {
            let head = Head {
                dialect: "jcli".to_owned(),
                layer,
                path: PathBuf::from(format!("/{number}")),
                since: Some(Timestamp::from_second(number).unwrap()),
            };
            let mut bytes = serde_json::to_vec(&head).unwrap();
            bytes.push(b'\n');
            bytes.resize(1 << 20, b'x');
            let name = entry_name(&head.dialect, layer, &head.path);
            locked_file::atomic_write(&folder.folder.join(name), &bytes, locked_file::PRIVATE_FILE_MODE).unwrap();
        };
        (0..4).for_each(|number| keep(Layer::User, number));
        (10..26).for_each(|number| keep(Layer::Project, number));
        folder.limit_size();
        let mut left: Vec<String> = crate::disk_probe::list_dir(&folder.folder)
            .iter()
            .filter_map(|path| {
                let whole = std::fs::read_to_string(path).unwrap();
                let head: Head = serde_json::from_str(whole.lines().next()?).unwrap();
                Some(format!("{} {}", head.layer.as_str(), head.path.display()))
            })
            .collect();
        left.sort();
        let users = (0..4).map(|number| format!("user /{number}"));
        let projects = (14..26).map(|number| format!("project /{number}"));
        assert_eq!(left, projects.chain(users).collect::<Vec<_>>());
    }
}
