//! The requests and replies about reviews, approvals and mutes.

pub use hookwright_model::listing::Sentence;
use hookwright_model::{AgentTrust, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::millis::Millis;

/// The largest covered file whose text a review shows, in bytes.
pub const MAX_SHOWN_BYTES: u64 = 1 << 20;

/// Why a text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MissingText {
    /// The approved text was not stored.
    NotKept,
    /// The file is larger than 1 MiB, or the texts of the reply together are larger than 8 MiB.
    TooLarge,
    /// The file is not UTF-8.
    NotText,
}

/// What a word in a hook often means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum FoundKind {
    /// An access to the network.
    Network,
    /// The start of another program.
    Program,
    /// A change of files, or a place of secrets.
    File,
}

dto! {
    /// The document of `trust --list --json`.
    struct TrustDoc {
        /// Hooks that wait for the user's approval.
        pending: Vec<TrustItem>,
        /// Hooks that the user approved.
        approved: Vec<TrustItem>,
        /// Hooks whose content the user denied. They do not run, and wait again when what they run changes.
        #[serde(default)]
        denied: Vec<TrustItem>,
        /// Why the lists are not complete: the folder of the project no longer exists.
        #[serde(default)] #[ts(as = "Option<Vec<Problem>>", optional)]
        problems: Vec<Problem>,
    }
    /// A hook that needs or has an approval.
    struct TrustItem {
        /// `hook`, `test`, `session_hook`, `agent_program` or `settings`: what a file of the project says about all hooks.
        kind: String,
        /// Hook id.
        hook: String,
        /// The hook's name for the user.
        #[serde(default)]
        label: String,
        /// The event in the dialect's spelling; empty for a program and for settings.
        #[serde(default)]
        event: String,
        /// The project directory, with links resolved.
        project: String,
        /// The normalised text of the definition.
        definition: String,
        /// What the definition inherits from its file, as JSON; empty if nothing. An approval covers it too.
        inherited: String,
        /// The covered files.
        files: Vec<FileHash>,
        /// Files that the command names and that an approval does not cover.
        data: Vec<String>,
        /// Files of `data` that changed since the approval.
        data_changed: Vec<String>,
        /// What else an approval does not cover, one message each.
        not_covered: Vec<Sentence>,
        /// The content that was approved before for this hook id; `null` if there is none.
        old: Option<OldContent>,
        /// What the agent's own trust says about the hook, which this approval does not change; absent if the agent has
        /// none.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        agent_trust: Option<AgentTrust>,
        /// Why it counts as denied; absent if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")] #[ts(optional)]
        denied: Option<Sentence>,
    }
    /// A covered file.
    struct FileHash {
        /// The absolute path. `#scripts` follows the path of a `package.json` of which only the scripts are covered.
        path: String,
        /// The hash of the file's bytes, hexadecimal BLAKE3.
        hash: String,
    }
    /// The content of an earlier approval.
    struct OldContent {
        /// The normalised text of the definition.
        definition: String,
        /// What the definition inherited from its file, as JSON; empty if nothing.
        inherited: String,
        /// The covered files.
        files: Vec<OldFile>,
        /// `changed`, or `rules_changed` if an earlier version of Hookwright approved less than is covered now.
        reason: String,
        /// When it was approved, RFC 3339.
        at: String,
    }
    /// A file as it was approved.
    struct OldFile {
        /// The absolute path.
        path: String,
        /// The hash of the file's bytes, hexadecimal BLAKE3.
        hash: String,
        /// The text of the file; `null` if it was not stored.
        text: Option<String>,
    }
    /// A request about one hook.
    struct HookRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
    }
    /// Everything that the user must see before approving a hook.
    struct ReviewDoc {
        /// Hook id.
        hook: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The hook's name for the user.
        label: String,
        /// The hook file that defines the hook.
        path: String,
        /// The line of the definition in the file, from 1.
        line: u32,
        /// The normalised text of the definition.
        definition: String,
        /// Warnings to show first, one message each, such as which hook an approval replaces.
        first: Vec<Sentence>,
        /// What the definition inherits from its file, as JSON; empty if nothing. An approval covers it too.
        inherited: String,
        /// The fingerprint that an approval of this content is bound to.
        fingerprint: String,
        /// The covered files, with their texts.
        files: Vec<ReviewFile>,
        /// Files that the command names and that an approval does not cover.
        data: Vec<String>,
        /// Files of `data` that changed since the approval.
        data_changed: Vec<String>,
        /// What an approval does not cover, one message each.
        not_covered: Vec<Sentence>,
        /// Whether exactly this content is approved.
        trusted: bool,
        /// Whether this content, or a script that it runs, was denied. `first` says which.
        #[serde(default)]
        denied: bool,
        /// Words in the definition and the covered files that often mean an access to the network, to other
        /// programs or to files. A hook can do such things without these words.
        #[serde(default)]
        found: Vec<FoundWord>,
        /// The content that was approved before for this hook id; `null` if there is none.
        old: Option<OldContent>,
        /// The program that registered the hook for its session; `null` for hooks of files, or if it is not known.
        agent: Option<AgentProgramRow>,
    }
    /// A word that a review points at.
    struct FoundWord {
        /// What it often means.
        kind: FoundKind,
        /// The word, or the host of an address.
        word: String,
        /// The file that contains it, absolute; `null` for the definition.
        path: Option<String>,
        /// The first line with it, from 1.
        line: u32,
        /// Whether the content that was approved before does not contain it; `false` if there is none.
        new: bool,
    }
    /// A program of an agent. An approval of its id allows every command that it registers.
    struct AgentProgramRow {
        /// The id for `trust.review`, `trust.approve` and `trust.revoke`: `<dialect>:agent:<name>`.
        id: String,
        /// The name that it gave.
        name: String,
        /// The file that it runs, absolute.
        program: String,
        /// The fingerprint for `trust.approve` of this id. It is bound to the dialect, the name and the file.
        fingerprint: String,
        /// What an approval means, to show before it.
        first: Vec<Sentence>,
        /// Why the program cannot be approved, because of its name; `null` if it can.
        refused: Option<Sentence>,
    }
    /// A covered file with its text.
    struct ReviewFile {
        /// The absolute path.
        path: String,
        /// The hash of the file's bytes, hexadecimal BLAKE3.
        hash: String,
        /// The text of the file; `null` if it is not UTF-8 or larger than 1 MiB.
        text: Option<String>,
        /// The size of the file, in bytes.
        #[ts(type = "number")]
        size: u64,
    }
    /// The reply of `trust.texts`: what was approved, beside what is there now.
    struct TrustTextsDoc {
        /// Hook id.
        hook: String,
        /// The hook's name for the user.
        label: String,
        /// Whether exactly the present content is approved.
        trusted: bool,
        /// When the approved content was approved, RFC 3339; `null` if nothing was approved for this hook id.
        at: Option<String>,
        /// The normalised text of the definition.
        definition: TextPair,
        /// What the definition inherits from its file, as JSON; empty texts if nothing.
        inherited: TextPair,
        /// The covered files of both contents, sorted by path.
        files: Vec<FilePair>,
    }
    /// A text as it was approved and as it is now.
    struct TextPair {
        /// The approved text; `null` if nothing was approved for this hook id.
        approved: Option<String>,
        /// The present text.
        present: String,
        /// Whether the present text is not the approved one.
        changed: bool,
    }
    /// A covered file as it was approved and as it is now.
    struct FilePair {
        /// The absolute path. `#scripts` follows the path of a `package.json` of which only the scripts are covered.
        path: String,
        /// The approved file; `null` if the approved content did not cover it.
        approved: Option<ShownText>,
        /// The present file; `null` if the present content does not cover it.
        present: Option<ShownText>,
        /// Whether the present file is not the approved one.
        changed: bool,
    }
    /// The text of one version of a file.
    struct ShownText {
        /// The hash of the file's bytes, hexadecimal BLAKE3.
        hash: String,
        /// The text; `null` if it cannot be shown.
        text: Option<String>,
        /// Why the text cannot be shown; `null` if it is shown.
        missing: Option<MissingText>,
    }
    /// The request of `trust.approve` and `trust.deny`.
    struct ApproveRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// The fingerprint of the review. If the hook has another one now, nothing is decided.
        fingerprint: String,
    }
    /// The reply of `trust.approve`, `trust.deny` and `trust.revoke`.
    struct Pending {
        /// The number of hooks in this project that wait for a review.
        pending: u32,
    }
    /// The request of `mute`.
    struct MuteRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// How long the hook is muted, in milliseconds, at least 1; absent for no end.
        #[serde(default, deserialize_with = "super::millis::read_positive")] #[ts(optional)]
        for_ms: Option<Millis>,
    }
}
