//! The format of `trust.json`, the content that an approval is for, and which approval is removed when ids move.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Hook, Layer};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::agents::AllowedAgent;
use super::covered_files::{CoveredFiles, CoveredPart};
use super::denials::Denial;
use crate::data_files::locked_file::version_up_to;

/// The format version that this program writes to `trust.json`.
const VERSION: u32 = 2;
/// Limit for the bytes of a hook's covered files that are compared before each start (`engine.md` §3).
const MAX_COMPARED_BYTES: usize = 256 << 10;

/// The content of `trust.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrustFile {
    /// The format version. A file without it has version 0.
    #[serde(default, deserialize_with = "version_up_to::<VERSION, _>")]
    pub version: u32,
    /// The approvals, in the order in which they were given.
    #[serde(default)]
    pub hooks: Vec<Approval>,
    /// The agent programs that may register commands without a review, in the order in which they were allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AllowedAgent>,
    /// The contents that the user denied, in the order in which they were denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<Denial>,
}

/// One approval of one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// The canonical path of the project.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub project: PathBuf,
    /// The id of the hook's dialect.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// The id that the hook had when it was approved. Ids move, fingerprints do not.
    pub hook: String,
    /// The hash over everything that the approval is for, hexadecimal.
    pub fingerprint: String,
    /// The definition's normalised text with secrets masked. A review shows it after the definition changed.
    pub definition: String,
    /// What the definition inherited from its file, with secrets masked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inherited: String,
    /// The covered files with their hashes.
    pub files: Vec<CoveredFile>,
    /// Files that the command named and the approval does not cover, with their hashes at that time. A review shows
    /// which of them changed. They are not part of the fingerprint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<CoveredFile>,
    /// When the approval was given.
    pub at: Timestamp,
    /// The version by whose rules the approval was given, if that is an earlier one. Such an approval is not valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<u32>,
    /// Whether the approval still waits for its conversion to the rules of this version. It is converted as soon as its
    /// project exists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

impl TrustFile {
    /// Marks the approvals of an earlier version, and sets the version to the present one.
    pub(super) fn upgrade(mut self) -> Self {
        if self.version < VERSION {
            for approval in &mut self.hooks {
                approval.rules = Some(1);
                approval.unseen = true;
            }
            self.version = VERSION;
        }
        self
    }
}

impl Approval {
    /// Whether the approval is in force. One by the rules of an earlier version is not.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.rules.is_none()
    }
}

/// A file that an approval covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredFile {
    /// The real path. It ends in `#scripts` if only that part of a `package.json` is covered.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// The hash of the covered bytes, hexadecimal. It is empty for a file that cannot be read or is not a regular file.
    pub hash: String,
}

/// A hook's content as it is now.
#[derive(Debug, Clone)]
pub struct HookContent {
    /// The hash over everything that an approval would be for, hexadecimal.
    pub fingerprint: String,
    /// The covered files with their hashes.
    pub files: Vec<CoveredFile>,
    /// The hashes of what the hook runs: of its scripts, or of its command's text if it starts no covered script.
    pub scripts: Vec<String>,
    /// The files that the hook's command names.
    pub covered: CoveredFiles,
    /// The covered bytes of small files, in the order of the review.
    pub bytes: Vec<(CoveredPart, Arc<[u8]>)>,
    /// The canonical path of the project.
    pub project: PathBuf,
}

impl HookContent {
    /// The files that are compared byte by byte before each start. These are the first ones in the order of the review,
    /// up to [`MAX_COMPARED_BYTES`].
    pub(super) fn compared_files(&self) -> &[(CoveredPart, Arc<[u8]>)] {
        let mut room = MAX_COMPARED_BYTES;
        let mut fits = |(_, bytes): &(CoveredPart, Arc<[u8]>)| {
            let left = room.checked_sub(bytes.len());
            room = left.unwrap_or(0);
            left.is_some()
        };
        let fitting = self.bytes.iter().map_while(|one| fits(one).then_some(())).count();
        &self.bytes[..fitting]
    }
}

/// The fingerprints of all present hooks that need an approval.
#[derive(Debug, Clone, Default)]
pub struct CurrentFingerprints(HashSet<String>);

impl CurrentFingerprints {
    pub(super) fn from_contents<'c>(contents: impl Iterator<Item = &'c HookContent>) -> Self {
        Self(contents.map(|content| content.fingerprint.clone()).collect())
    }

    fn contains(&self, approval: &Approval) -> bool {
        approval.is_valid() && self.0.contains(&approval.fingerprint)
    }

    /// Whether an approval was given under this hook's id and is not in force now. Its content belongs to no present
    /// hook, or it is of an earlier version.
    #[must_use]
    pub fn is_superseded(&self, approval: &Approval, hook: &Hook, content: &HookContent) -> bool {
        is_for_hook(approval, hook, content) && !self.contains(approval)
    }
}

/// Whether an approval was given under this hook's id. The ids of session hooks say nothing about that: each session
/// begins with the same ones.
pub(super) fn is_for_hook(approval: &Approval, hook: &Hook, content: &HookContent) -> bool {
    hook.source.layer != Layer::Session && approval.hook == hook.approval_key().0 && approval.project == content.project
}

/// The approval that was given under this hook's id and is not in force now.
pub(super) fn find_superseded<'f>(
    file: &'f TrustFile,
    hook: &Hook,
    content: &HookContent,
    current: &CurrentFingerprints,
) -> Option<&'f Approval> {
    file.hooks
        .iter()
        .find(|approval| current.is_superseded(approval, hook, content))
}

/// The first file that only one of the lists has, or that has different hashes in both.
pub(super) fn first_difference(approved: &[CoveredFile], now: &[CoveredFile]) -> Option<PathBuf> {
    let missing = |one: &[CoveredFile], other: &[CoveredFile]| {
        one.iter()
            .find(|file| !other.contains(file))
            .map(|file| file.path.clone())
    };
    missing(approved, now).or_else(|| missing(now, approved))
}
