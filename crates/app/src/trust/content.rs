//! What an approval of a hook would be for, found out from the disk.

use std::path::{Path, PathBuf};

use hookwright_model::{ApprovalScope, Hook};

use super::covered::{self, Names};
use super::disk::DiskCache;
use super::look::{Print, is_executable};
use super::{Approval, Content, CoveredFile, Trust};

impl Trust {
    pub(super) fn find_out(&self, hook: &Hook, disk: &DiskCache) -> Content {
        let project = self.project_of(hook, disk);
        let mut names = self.names(hook, &project, disk);
        let mut files = Vec::new();
        let mut bytes = Vec::new();
        for part in std::mem::take(&mut names.parts) {
            let hash = match disk.print(&part, &self.looks) {
                Print::Bytes(hash, known) => {
                    bytes.extend(known.map(|known| (part.clone(), known)));
                    hash
                }
                Print::Look(hash, limit) => {
                    names.too_large(&part.file, limit);
                    hash
                }
                Print::Nothing(why) => {
                    names.unreadable(&part.file, &why);
                    String::new()
                }
            };
            files.push(CoveredFile {
                path: part.shown(),
                hash,
            });
            names.parts.push(part);
        }
        // What is no file has no bytes; it is shown and compared by its place.
        files.extend(names.others.iter().map(|(path, _)| CoveredFile {
            hash: String::new(),
            path: path.clone(),
        }));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Content {
            fingerprint: fingerprint(hook, &project, &files, &names.others, Some(&hook.inherited_text)),
            files,
            names,
            bytes,
            project,
        }
    }

    fn project_of(&self, hook: &Hook, disk: &DiskCache) -> PathBuf {
        disk.real(hook.source.project.as_deref().unwrap_or(&self.home))
    }

    fn names(&self, hook: &Hook, project: &Path, disk: &DiskCache) -> Names {
        hookwright_dialects::find(hook.dialect)
            .map(|dialect| covered::names(hook, dialect.card(), self.machine(disk), project))
            .unwrap_or_default()
    }
}

/// Whether each file of a content is in some approval that was given for this very hook.
pub(super) fn each_approved<'a>(hook: &Hook, content: &Content, approvals: impl Iterator<Item = &'a Approval>) -> bool {
    let of_hook = |known: &&Approval| {
        known.project == content.project
            && known.fingerprint == fingerprint(hook, &content.project, &known.files, &[], Some(&hook.inherited_text))
    };
    let known: Vec<&CoveredFile> = approvals.filter(of_hook).flat_map(|known| &known.files).collect();
    // A file that cannot be read is none that anybody saw.
    let approved = |file: &CoveredFile| !file.hash.is_empty() && known.contains(&file);
    !content.files.is_empty() && content.files.iter().all(approved)
}

/// The digest of everything that an approval is for. `inherited` is `None` by the rules of version 1.
pub(super) fn fingerprint(
    hook: &Hook,
    project: &Path,
    files: &[CoveredFile],
    others: &[(PathBuf, &'static str)],
    inherited: Option<&str>,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut feed = |bytes: &[u8]| {
        // Length first, so that no two lists of parts hash alike.
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    if let Some(inherited) = inherited {
        feed(b"2");
        feed(inherited.as_bytes());
    }
    feed(project.as_os_str().as_encoded_bytes());
    feed(hook.dialect.as_bytes());
    // Where the definition itself says its events, one approval is for all of them.
    feed(hook.approved_event().as_bytes());
    feed(hook.definition_text.as_bytes());
    for file in files {
        feed(file.path.as_os_str().as_encoded_bytes());
        feed(file.hash.as_bytes());
        if matches!(hook.cover, ApprovalScope::Folder(_)) {
            feed(&[u8::from(is_executable(&file.path))]);
        }
    }
    for (path, kind) in others {
        feed(path.as_os_str().as_encoded_bytes());
        feed(kind.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
