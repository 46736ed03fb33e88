//! Texts of covered files as they were approved (`<data dir>/approved/<blake3>`), so that a review can show what changed.
//! They are kept as they are, for the user alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::TrustFile;
use super::covered_files::CoveredPart;
use super::digest_cache::MAX_CACHED_BYTES;
use crate::locked_file::{self, PRIVATE_FILE_MODE};
use crate::regular_file;

/// All texts together.
const MAX_BYTES: u64 = 32 << 20;

/// The folder of texts.
#[derive(Debug)]
pub(super) struct ApprovedTexts(PathBuf);

impl ApprovedTexts {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self(data_dir.join("approved"))
    }

    /// The text of this hash, where it was kept.
    pub(super) fn read(&self, hash: &str) -> Option<String> {
        let text = regular_file::read_text(&self.path_of(hash)?, MAX_CACHED_BYTES)?;
        (blake3::hash(text.as_bytes()).to_hex().as_str() == hash).then_some(text)
    }

    /// Keeps these, where they are texts.
    pub(super) fn store(&self, files: &[(CoveredPart, Arc<[u8]>)]) {
        for (_, bytes) in files.iter().filter(|(_, bytes)| std::str::from_utf8(bytes).is_ok()) {
            let hash = blake3::hash(bytes).to_hex();
            if let Some(place) = self.path_of(&hash).filter(|place| !place.exists())
                && let Err(error) = locked_file::atomic_write(&place, bytes, PRIVATE_FILE_MODE)
            {
                // An approval is as good without; the review then shows no difference.
                tracing::warn!(why = %error, "the text of an approved file was not kept");
            }
        }
    }

    /// Removes what no approval names, and beyond the limit what was approved longest ago.
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

    /// Where the text of a hash lies; `None` for what is no hash.
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
