//! The trust of an agent itself: whether it starts a hook. It is no approval of Hookwright, and neither replaces the
//! other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::dialect::Locations;
use crate::edit::FileChange;
use crate::message::Message;
use crate::problem::Problem;

/// What an agent's own trust says about a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum AgentTrust {
    /// An administrator's hook, which the agent runs.
    Managed,
    /// The user switched it off in the agent.
    Disabled,
    /// The user did not review it in the agent, or does not trust its folder there. The agent skips it.
    Untrusted,
    /// It changed since the user reviewed it in the agent. The agent skips it.
    Modified,
    /// The agent runs it.
    Trusted,
}

impl AgentTrust {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
            Self::Modified => "modified",
            Self::Trusted => "trusted",
        }
    }

    /// Whether the agent skips the hook because nobody reviewed its present text.
    #[must_use]
    pub const fn is_skipped(self) -> bool {
        matches!(self, Self::Untrusted | Self::Modified)
    }
}

/// What is known about one hook.
#[derive(Debug, Clone)]
pub struct AgentTrustFact {
    /// What the agent's trust says; `None` if it is not known.
    pub state: Option<AgentTrust>,
    /// Why the hook is off, if the user or the administrator switched it off in the agent.
    pub off: Option<Message>,
    /// The problem that the agent skips the hook, although Hookwright runs it.
    pub problem: Option<Problem>,
}

/// A change of an agent's own trust in some hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentTrustChange {
    /// The agent runs them as they are now.
    Approve,
    /// The approval of what they are now is removed.
    Forget,
    /// The user's switch in the agent is on.
    SwitchOn,
    /// The user's switch in the agent is off.
    SwitchOff,
}

/// What a change of an agent's own trust writes.
#[derive(Debug, Clone)]
pub struct AgentTrustEdit {
    /// The keys of the hooks that it is about.
    pub keys: Vec<String>,
    /// The changed file; `None` if nothing is different.
    pub file: Option<FileChange>,
}

/// The text of a file; `None` if it does not exist. The error is the reason why it cannot be read.
pub type ReadText = Result<Option<Arc<str>>, Message>;

/// How a dialect reads the trust of its agent.
pub struct AgentTrustContext<'a> {
    /// The directories of this machine and project.
    pub locations: &'a Locations,
    /// The text of a file among those of the dialect's roots.
    pub text: &'a dyn Fn(&Path) -> ReadText,
    /// A path with its links resolved.
    pub real: &'a dyn Fn(&Path) -> PathBuf,
    /// Whether a path is a folder.
    pub is_dir: &'a dyn Fn(&Path) -> bool,
}
