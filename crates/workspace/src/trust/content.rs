//! Reads from the disk what an approval of a hook would be for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{ApprovalScope, Hook};

use super::covered_files::{self, CoveredFiles, CoveredPart};
use super::denials::script_hashes;
use super::digest_cache::{Digest, MAX_CACHED_BYTES, is_executable};
use super::disk_cache::DiskCache;
use super::{Approval, CoveredFile, HookContent, Trust};

impl Trust {
    pub(super) fn compute_content(&self, hook: &Hook, disk: &DiskCache) -> HookContent {
        let project = self.real_project(hook, disk);
        let mut covered = self.covered_files(hook, &project, disk);
        let opener = disk.opener(hook.source.project.as_deref());
        let mut files = Vec::new();
        let mut bytes = Vec::new();
        for part in std::mem::take(&mut covered.parts) {
            let digest = match older_text(hook, &part) {
                Some(text) => {
                    let bytes = (text.len() as u64 <= MAX_CACHED_BYTES).then(|| Arc::from(text.as_bytes()));
                    Digest::Bytes(blake3::hash(text.as_bytes()).to_hex().to_string(), bytes)
                }
                None => disk.digest(&part, &opener.for_path(&part.file), &self.digest_cache),
            };
            let hash = match digest {
                Digest::Bytes(hash, known) => {
                    bytes.extend(known.map(|known| (part.clone(), known)));
                    hash
                }
                Digest::Stat(hash, limit) => {
                    covered.too_large(&part.file, limit);
                    hash
                }
                Digest::Unreadable(why) => {
                    covered.unreadable(&part.file, &why);
                    String::new()
                }
            };
            files.push(CoveredFile {
                path: part.display_path(),
                hash,
            });
            covered.parts.push(part);
        }
        // An entry that is not a regular file has no bytes. It is shown and compared by its path.
        files.extend(covered.others.iter().map(|(path, _)| CoveredFile {
            hash: String::new(),
            path: path.clone(),
        }));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        HookContent {
            fingerprint: fingerprint(hook, &project, &files, &covered.others, Some(&hook.inherited_text)),
            scripts: script_hashes(hook, &files),
            files,
            covered,
            bytes,
            project,
        }
    }

    fn real_project(&self, hook: &Hook, disk: &DiskCache) -> PathBuf {
        disk.real(hook.source.project.as_deref().unwrap_or(&self.home))
    }

    fn covered_files(&self, hook: &Hook, project: &Path, disk: &DiskCache) -> CoveredFiles {
        hookwright_dialects::find(hook.dialect)
            .map(|dialect| covered_files::find_covered_files(hook, dialect.card(), self.machine(disk), project))
            .unwrap_or_default()
    }
}

/// The text that counts instead of this covered file: the older version of the file in which the hook is defined, while
/// that does not parse. Only where the file is covered as a part of its folder: a command that names it would start the
/// bytes on the disk.
pub(super) fn older_text<'h>(hook: &'h Hook, part: &CoveredPart) -> Option<&'h Arc<str>> {
    let in_folder = matches!(hook.approval_scope, ApprovalScope::Folder(_));
    hook.older_text
        .as_ref()
        .filter(|_| in_folder && part.file == hook.source.path)
}

/// Whether each file of a content is in some approval that was given for this very hook.
pub(super) fn is_each_file_approved<'a>(
    hook: &Hook,
    content: &HookContent,
    approvals: impl Iterator<Item = &'a Approval>,
) -> bool {
    let of_hook = |known: &&Approval| {
        known.project == content.project
            && known.fingerprint == fingerprint(hook, &content.project, &known.files, &[], Some(&hook.inherited_text))
    };
    let known: Vec<&CoveredFile> = approvals.filter(of_hook).flat_map(|known| &known.files).collect();
    // A file without a hash could not be read, so the user did not see it.
    let approved = |file: &CoveredFile| !file.hash.is_empty() && known.contains(&file);
    !content.files.is_empty() && content.files.iter().all(approved)
}

/// The fingerprint: the digest of everything that an approval is for. By the rules of version 1 `inherited` is `None`.
pub(super) fn fingerprint(
    hook: &Hook,
    project: &Path,
    files: &[CoveredFile],
    others: &[(PathBuf, &'static str)],
    inherited: Option<&str>,
) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut update = |bytes: &[u8]| {
        // The length comes first, so that no two lists of parts have the same hash.
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    if let Some(inherited) = inherited {
        update(b"2");
        update(inherited.as_bytes());
    }
    update(project.as_os_str().as_encoded_bytes());
    update(hook.dialect.as_bytes());
    // If the definition itself names its events, one approval is for all of them.
    update(hook.approved_event().as_bytes());
    update(hook.definition_text.as_bytes());
    for file in files {
        update(file.path.as_os_str().as_encoded_bytes());
        update(file.hash.as_bytes());
        if matches!(hook.approval_scope, ApprovalScope::Folder(_)) {
            update(&[u8::from(is_executable(&file.path))]);
        }
    }
    for (path, kind) in others {
        update(path.as_os_str().as_encoded_bytes());
        update(kind.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
