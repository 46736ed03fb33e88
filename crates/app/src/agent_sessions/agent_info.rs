//! What an agent says about itself when it opens a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an agent says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// The version of its program; may be empty.
    #[serde(default)]
    pub version: String,
    /// Its process id.
    #[serde(default)]
    pub pid: Option<u32>,
    /// The `PATH` with which it starts programs, if it says so.
    #[serde(default, deserialize_with = "search_path")]
    #[schemars(with = "Option<String>")]
    pub path: Option<String>,
    /// How many hooks enclose it.
    #[serde(default, deserialize_with = "or_default")]
    #[schemars(with = "Option<u32>")]
    pub depth: u32,
}

impl AgentInfo {
    /// The `PATH` with which it starts programs.
    #[must_use]
    pub fn search_path(&self) -> Option<&str> {
        self.path.as_deref().filter(|path| !path.is_empty())
    }
}

/// A longer `PATH` is neither used nor kept.
const MAX_PATH_BYTES: usize = 32 << 10;

fn search_path<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let path: Option<String> = Option::deserialize(deserializer)?;
    Ok(path.filter(|path| path.len() <= MAX_PATH_BYTES))
}

/// A value that may be absent or `null`.
fn or_default<'de, T: Default + Deserialize<'de>, D: serde::Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// What an agent can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Offer {
    /// Running its own hooks on a test event (`agent.fire`).
    Fire,
    /// Completing prompts with its model (`model.complete`).
    Model,
    /// Calling its functions (`callback.call`).
    Callbacks,
    /// Something that a later version knows.
    #[serde(other)]
    Unknown,
}

impl Offer {
    /// The name in JSON; `None` for an offer that this version does not know.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Fire => Some("fire"),
            Self::Model => Some("model"),
            Self::Callbacks => Some("callbacks"),
            Self::Unknown => None,
        }
    }
}
