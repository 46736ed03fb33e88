//! The types of the settings, section by section, with their defaults.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use hookwright_model::{DialectSetting, DialectSettings, Provider};
use serde::{Deserialize, Serialize};

/// A string that is never shown or serialized.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Makes a secret of this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that uses it.
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

/// Section `[model]`: the model for prompt hooks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// The API of the endpoint. Without it no model is configured.
    pub provider: Option<Provider>,
    /// The URL of the endpoint. The default is the provider's own.
    pub base_url: Option<String>,
    /// The model's name, as the endpoint knows it. Without it no model is configured.
    pub model: Option<String>,
    /// The name of the environment variable that contains the API key.
    pub api_key_env: Option<String>,
    /// The API key itself, used only if `base_url` is a loopback address. It is left out of every document.
    #[serde(skip_serializing)]
    pub api_key: Option<Secret>,
}

/// Section `[agents]`: what connected agents may do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentsSettings {
    /// Whether the user reviews a hook that an agent registers and that starts a process.
    pub commands: CommandPolicy,
}

/// What happens if an agent registers a hook that starts a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandPolicy {
    /// The user approves the hook before it runs.
    #[default]
    Ask,
    /// The hook runs without a review.
    Allow,
}

/// Section `[history]`: how long traces are kept, and how large the database may get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistorySettings {
    /// How many days traces are kept, from 1 to 36,500. The default is 30.
    pub max_days: u32,
    /// The largest size of the database in MiB, from 1 to 1,048,576. The default is 2,048.
    pub max_mb: u32,
    /// How many days payloads and streams are kept, from 0 to 36,500. The default is 7.
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

/// Section `[watch]`: which projects and folders of skills are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchSettings {
    /// The projects in the window's list, most recent first. The paths are absolute.
    pub projects: Vec<PathBuf>,
    /// Folders that contain skills. The paths are absolute.
    pub skills_roots: Vec<PathBuf>,
    /// How long a changed file must stay unchanged before it is read, in milliseconds, at most 60,000. The default is
    /// 100.
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

/// The sections of dialects, by dialect id, with a default for every missing key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DialectSections(BTreeMap<String, DialectSettings>);

impl Default for DialectSections {
    fn default() -> Self {
        let mut sections = Self(BTreeMap::new());
        sections.fill_defaults();
        sections
    }
}

impl DialectSections {
    /// Adds the default of every missing setting.
    pub(super) fn fill_defaults(&mut self) {
        for (dialect, setting) in dialect_settings() {
            let section = self.0.entry(dialect.to_owned()).or_default();
            let default = setting.words.first().copied().unwrap_or_default();
            section.entry(setting.name.to_owned()).or_insert(default.to_owned());
        }
    }

    /// The section of a dialect; empty if the dialect has no settings.
    pub(super) fn section(&self, dialect: &str) -> DialectSettings {
        self.0.get(dialect).cloned().unwrap_or_default()
    }
}

/// The settings of all dialects, each with the id of its dialect.
pub(super) fn dialect_settings() -> impl Iterator<Item = (&'static str, &'static DialectSetting)> {
    let cards = hookwright_dialects::all().iter().map(|dialect| dialect.card());
    cards.flat_map(|card| card.settings.iter().map(|setting| (card.id, setting)))
}

/// Section `[ui]`: language and theme of the window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UiSettings {
    /// The language of the window.
    pub language: Language,
    /// The colours of the window.
    pub theme: Theme,
}

/// The language of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// The language of the system.
    #[default]
    #[serde(rename = "system")]
    System,
    /// English, `en` in the file.
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese, `zh-CN` in the file.
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    /// The value in `settings.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }
}

/// The colours of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Dark or light, as the system is set.
    #[default]
    System,
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

impl Theme {
    /// The value in `settings.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

/// Section `[notifications]`: what the window, the browser page and the desktop notify the user of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotificationSettings {
    /// Whether a guard that failed open is notified. The default is true.
    pub failed_open: bool,
    /// Whether a hook that exceeded its time limit, or the time budget of its chain, is notified. The default is true.
    pub over_budget: bool,
    /// Whether a new hook that waits for approval is notified. The default is true.
    pub waits_for_approval: bool,
}

impl Default for NotificationSettings {
    fn default() -> Self {
        Self {
            failed_open: true,
            over_budget: true,
            waits_for_approval: true,
        }
    }
}

/// Section `[otlp]`: export to a collector. It has no effect in this version.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OtlpSettings {
    /// The URL of the collector. Without it nothing is exported.
    pub endpoint: Option<String>,
    /// The name of the environment variable that contains the headers for the collector.
    pub headers_env: Option<String>,
}
