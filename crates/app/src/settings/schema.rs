//! What the settings hold, section by section, with the defaults.

use std::fmt;
use std::path::PathBuf;

use hookwright_model::{EventMethod, Provider};
use serde::{Deserialize, Serialize};

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A secret of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one who needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// `[model]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Which wire it speaks.
    pub provider: Option<Provider>,
    /// Its address; the provider's own when absent.
    pub base_url: Option<String>,
    /// Its name.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The key itself; only with a loopback `base_url`. Left out of every document.
    #[serde(skip_serializing)]
    pub api_key: Option<Secret>,
}

/// `[agents]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentsSettings {
    /// Whether agents may register hooks that spawn without a review.
    pub commands: CommandPolicy,
}

/// What happens when an agent registers a hook that spawns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandPolicy {
    /// A person approves it first.
    #[default]
    Ask,
    /// It runs.
    Allow,
}

/// `[history]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistorySettings {
    /// Traces are kept this many days.
    pub max_days: u32,
    /// The database is kept under this many MiB.
    pub max_mb: u32,
    /// Payloads and streams are kept this many days.
    pub bodies_days: u32,
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self {
            max_days: 30,
            max_mb: 2048,
            bodies_days: 7,
        }
    }
}

/// `[redaction]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RedactionSettings {
    /// Whether anything is masked.
    pub enabled: bool,
    /// Key names whose values are masked too.
    pub keys: Vec<String>,
    /// Regular expressions whose matches are masked too.
    pub patterns: Vec<String>,
}

impl Default for RedactionSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            keys: Vec::new(),
            patterns: Vec::new(),
        }
    }
}

/// `[watch]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchSettings {
    /// Projects in the window's list, most recent first; absolute.
    pub projects: Vec<PathBuf>,
    /// Folders that hold skills; absolute.
    pub skills_roots: Vec<PathBuf>,
    /// A changed file is read when it has been still this long, in milliseconds.
    pub settle_ms: u32,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            projects: Vec::new(),
            skills_roots: Vec::new(),
            settle_ms: 100,
        }
    }
}

/// `[picoclaw]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PicoclawSettings {
    /// Which notification its processes get.
    pub event_method: EventMethod,
}

/// `[ui]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UiSettings {
    /// The window's language.
    pub language: Language,
    /// The window's colours.
    pub theme: Theme,
}

/// The window's language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// As the system.
    #[default]
    #[serde(rename = "system")]
    System,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    /// As in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }
}

/// The window's colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl Theme {
    /// As in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

/// `[otlp]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OtlpSettings {
    /// The collector's address; nothing is exported without one.
    pub endpoint: Option<String>,
    /// The environment variable that holds the collector's headers.
    pub headers_env: Option<String>,
}
