//! Reviews, approvals and mutes.

use hookwright_model::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A covered file that has more bytes is not shown in a review.
pub const MAX_SHOWN_BYTES: u64 = 1 << 20;

dto! {
    /// `trust --list --json`
    struct TrustDoc {
        /// What waits for a person.
        pending: Vec<TrustItem>,
        /// What was approved.
        approved: Vec<TrustItem>,
    }
    /// Something that needs or has an approval.
    struct TrustItem {
        /// `hook`, `test`, `session_hook` or `agent_program`.
        kind: String,
        /// Hook id.
        hook: String,
        /// Canonical project.
        project: String,
        /// The definition's normalised text.
        definition: String,
        /// What it inherits from its file and an approval covers too, as JSON; empty where there is nothing.
        inherited: String,
        /// Covered files.
        files: Vec<FileHash>,
        /// Files that the command names and an approval does not cover.
        data: Vec<String>,
        /// Those of them that are not what they were when it was approved.
        data_changed: Vec<String>,
        /// What else is not covered, sentence by sentence.
        not_covered: Vec<Sentence>,
        /// What was approved before under this id.
        old: Option<OldContent>,
    }
    /// A covered file.
    struct FileHash {
        /// Absolute path, with `#scripts` behind a `package.json` of which only that is covered.
        path: String,
        /// Hash of its bytes, hexadecimal BLAKE3.
        hash: String,
    }
    /// What was approved before.
    struct OldContent {
        /// The definition's normalised text.
        definition: String,
        /// What it inherited from its file.
        inherited: String,
        /// Covered files.
        files: Vec<OldFile>,
        /// `changed`, or `rules_changed` where an earlier version approved less than is covered now.
        reason: String,
        /// When, RFC 3339.
        at: String,
    }
    /// A file as it was approved.
    struct OldFile {
        /// Absolute path.
        path: String,
        /// Hash of its bytes, hexadecimal BLAKE3.
        hash: String,
        /// Its text; `null` where it was not kept.
        text: Option<String>,
    }
    /// A hook of a project.
    struct HookRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
    }
    /// Everything a person must see before approving.
    struct ReviewDoc {
        /// Hook id.
        hook: String,
        /// Event.
        event: String,
        /// What people call it.
        label: String,
        /// The configuration file and line.
        path: String,
        /// Line from 1.
        line: u32,
        /// The definition's normalised text.
        definition: String,
        /// What to know before anything else, sentence by sentence: whose hook an approval replaces.
        first: Vec<Sentence>,
        /// What it inherits from its file and an approval covers too, as JSON; empty where there is nothing.
        inherited: String,
        /// What an approval of exactly this would be for.
        fingerprint: String,
        /// Covered files in full.
        files: Vec<ReviewFile>,
        /// Files that the command names and an approval does not cover.
        data: Vec<String>,
        /// Those of them that are not what they were when it was approved.
        data_changed: Vec<String>,
        /// What is not covered, sentence by sentence.
        not_covered: Vec<Sentence>,
        /// Whether it is approved as it stands.
        trusted: bool,
        /// What was approved before under this id.
        old: Option<OldContent>,
    }
    /// A covered file in full.
    struct ReviewFile {
        /// Absolute path.
        path: String,
        /// Hash of its bytes.
        hash: String,
        /// Its text; `null` when it is not UTF-8 or over 1 MiB.
        text: Option<String>,
        /// Size in bytes.
        #[ts(type = "number")]
        size: u64,
    }
    /// A sentence of ours.
    struct Sentence {
        /// English.
        why: String,
        /// Its code.
        code: String,
        /// What fills it in another language.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
    /// `trust.approve`
    struct ApproveRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// The fingerprint that the review showed.
        fingerprint: String,
    }
    /// How many wait for a review now.
    struct Pending {
        /// Their number in this project.
        pending: u32,
    }
    /// `mute`
    struct MuteRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// For how long, in milliseconds; for good when absent.
        #[serde(default)] #[ts(optional)]
        for_ms: Option<f64>,
    }
}
