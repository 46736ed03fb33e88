//! What an approval is: `trust.json`, the content it is for, and which of two goes when ids move.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::Hook;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::covered_files::{CoveredFiles, CoveredPart};

/// What `trust.json` is written as.
const VERSION: u32 = 2;
/// Bytes of a hook's covered files that are compared before each start.
const MAX_COMPARED_BYTES: usize = 256 << 10;

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
    #[serde(with = "crate::path_serde::path")]
    pub project: PathBuf,
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// The id it had when it was approved; ids move, fingerprints do not.
    pub hook: String,
    /// Hash over everything the approval is for.
    pub fingerprint: String,
    /// The definition's normalised text, secrets masked: what a review shows of it once it changed.
    pub definition: String,
    /// What it inherited from its file, secrets masked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inherited: String,
    /// Covered files.
    pub files: Vec<CoveredFile>,
    /// What the command named beside them, as it was: a review shows what of it changed. No part of the fingerprint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<CoveredFile>,
    /// When.
    pub at: Timestamp,
    /// The version by whose rules it was given, when that is an earlier one: it approves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<u32>,
    /// Its project was not there yet to be looked at by the rules of this version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
}

impl TrustFile {
    /// The file as this version reads it: approvals of an earlier one are marked.
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
    /// Whether it approves what its fingerprint stands for.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.rules.is_none()
    }
}

/// A file an approval covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredFile {
    /// Real path.
    #[serde(with = "crate::path_serde::path")]
    pub path: PathBuf,
    /// Hash of its bytes, hexadecimal.
    pub hash: String,
}

/// A hook's content as it is now.
#[derive(Debug, Clone)]
pub struct HookContent {
    /// Its fingerprint.
    pub fingerprint: String,
    /// Covered files with their hashes.
    pub files: Vec<CoveredFile>,
    /// What its command names.
    pub covered: CoveredFiles,
    /// The covered bytes of small files, in the order of the review.
    pub bytes: Vec<(CoveredPart, Arc<[u8]>)>,
    /// Canonical project.
    pub project: PathBuf,
}

impl HookContent {
    /// What is compared byte for byte before each start: as many as fit, in the order of the review.
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

/// The fingerprints of all project hooks that are there now.
#[derive(Debug, Clone, Default)]
pub struct CurrentFingerprints(HashSet<String>);

impl CurrentFingerprints {
    pub(super) fn from_contents<'c>(contents: impl Iterator<Item = &'c HookContent>) -> Self {
        Self(contents.map(|content| content.fingerprint.clone()).collect())
    }

    fn contains(&self, approval: &Approval) -> bool {
        approval.is_valid() && self.0.contains(&approval.fingerprint)
    }

    /// Whether an approval was given under this hook's id, for content that does not stand any more.
    #[must_use]
    pub fn is_superseded(&self, approval: &Approval, hook: &Hook, content: &HookContent) -> bool {
        is_for_hook(approval, hook, content) && !self.contains(approval)
    }
}

/// Whether an approval was given under this hook's id.
pub(super) fn is_for_hook(approval: &Approval, hook: &Hook, content: &HookContent) -> bool {
    approval.hook == hook.approval_key().0 && approval.project == content.project
}

/// What was approved under a hook's id and is not in force any more.
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

/// A file that one of them has and the other has not, or not so.
pub(super) fn first_difference(approved: &[CoveredFile], now: &[CoveredFile]) -> Option<PathBuf> {
    let missing = |one: &[CoveredFile], other: &[CoveredFile]| {
        one.iter()
            .find(|file| !other.contains(file))
            .map(|file| file.path.clone())
    };
    missing(approved, now).or_else(|| missing(now, approved))
}
