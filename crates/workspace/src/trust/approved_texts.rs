//! Texts of covered files as they were approved (`<data dir>/approved/<blake3>`), so that a review can show what
//! changed. They are stored without redaction, and only the user can read them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::TrustFile;
use super::covered_files::CoveredPart;
use super::digest_cache::MAX_CACHED_BYTES;
use crate::data_files::locked_file::{self, PRIVATE_FILE_MODE};
use crate::files::Opener;

/// Limit for the size of all texts together.
const MAX_BYTES: u64 = 32 << 20;

/// The folder of the texts.
#[derive(Debug)]
pub(super) struct ApprovedTexts(PathBuf);

impl ApprovedTexts {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self(data_dir.join("approved"))
    }

    /// The text with this hash, if it was stored.
    pub(super) fn read(&self, hash: &str) -> Option<String> {
        let text = Opener::user().read_text(&self.path_of(hash)?, MAX_CACHED_BYTES)?;
        (blake3::hash(text.as_bytes()).to_hex().as_str() == hash).then_some(text)
    }

    /// Stores the bytes of these files, if they are valid UTF-8.
    pub(super) fn store(&self, files: &[(CoveredPart, Arc<[u8]>)]) {
        for (_, bytes) in files.iter().filter(|(_, bytes)| std::str::from_utf8(bytes).is_ok()) {
            let hash = blake3::hash(bytes).to_hex();
            if let Some(place) = self.path_of(&hash).filter(|place| !place.exists())
                && let Err(error) = locked_file::atomic_write(&place, bytes, PRIVATE_FILE_MODE)
            {
                // The approval is valid without the text. The review then shows no difference.
                tracing::warn!(why = %error, "the text of an approved file was not kept");
            }
        }
    }

    /// Removes the texts that no approval names. If the rest is larger than [`MAX_BYTES`], removes those that were
    /// approved longest ago.
    pub(super) fn sweep(&self, file: &TrustFile) {
        let mut named: HashMap<&str, Timestamp> = HashMap::new();
        for approval in &file.hooks {
            for covered in &approval.files {
                let at = named.entry(&covered.hash).or_insert(approval.at);
                *at = approval.at.max(*at);
            }
        }
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut stored: Vec<(Timestamp, PathBuf, u64)> = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            let size = entry.metadata().map_or(0, |meta| meta.len());
            match name.to_str().and_then(|name| named.get(name)) {
                Some(at) => stored.push((*at, entry.path(), size)),
                None => remove(&entry.path()),
            }
        }
        stored.sort();
        let mut bytes: u64 = stored.iter().map(|(_, _, size)| size).sum();
        for (_, path, size) in &stored {
            if bytes <= MAX_BYTES {
                break;
            }
            remove(path);
            bytes -= size;
        }
    }

    /// The path for the text of a hash; `None` if `hash` is not a hash.
    fn path_of(&self, hash: &str) -> Option<PathBuf> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| self.0.join(hash))
    }
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::debug!(path = %path.display(), why = %error, "an approved text was not removed");
    }
}
