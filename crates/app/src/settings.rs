//! The settings: `settings.toml` as types, and the way back into the file with every comment kept (`CONTRACTS.md` §2.6).
//!
//! What is wrong with a key costs that key only: its default stands in and a Problem says so. A file that does not
//! parse is one Problem, and everything is at its default.

mod keys;
mod write;

use std::fmt;
use std::path::{Path, PathBuf};

use hookwright_model::{Problem, Words, args};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml_edit::Document;
use url::{Host, Url};

use crate::owned::{self, OwnedError};

hookwright_model::sayings! {
    /// A key or section that is not ours.
    UNKNOWN_KEY = "unknown_field" / "setting" { "there is no setting {key}", "没有设置项 {key}" } hint { "did you mean {nearest}?", "是否想写 {nearest}？" };
    /// A value of another type.
    WRONG_TYPE = "wrong_type" / "setting" { "{key} must be {wanted}, not {got}", "{key} 必须是 {wanted}，而不是 {got}" } hint { "until it is corrected the default holds", "更正之前使用默认值" };
    /// A word that is not of the list.
    UNKNOWN_WORD = "unknown_value" / "setting" { "{key} cannot be \"{got}\"", "{key} 不能是 \"{got}\"" } hint { "write one of: {known}", "请写成以下之一：{known}" };
    /// A number outside its range.
    OUT_OF_RANGE = "out_of_range" / "setting" { "{key} must be from {min} to {max}, not {got}", "{key} 必须在 {min} 到 {max} 之间，而不是 {got}" } hint { "until it is corrected the default holds", "更正之前使用默认值" };
    /// A redaction pattern that does not compile.
    BAD_PATTERN = "bad_pattern" / "setting" { "a pattern of {key} does not compile: {why}", "{key} 中的一个模式无法编译：{why}" } hint { "correct it; what it was to mask is not masked", "请更正；它应遮盖的内容目前未被遮盖" };
    /// A key in plain text for a host that is not this machine.
    API_KEY_UNUSED = "no_effect" / "api_key" { "api_key is not used: {host} is not a loopback host", "未使用 api_key：{host} 不是回环主机" } hint { "put the key into an environment variable and name that in api_key_env", "请将密钥放入环境变量，并在 api_key_env 中写出变量名" };
    /// No provider.
    NO_PROVIDER = "model_not_configured" / "provider" { "no model is configured", "未配置模型" } hint { "set [model] provider, base_url and model in settings.toml", "请在 settings.toml 中设置 [model] provider、base_url 和 model" };
    /// No model name.
    NO_MODEL_NAME = "model_not_configured" / "model" { "no model is named", "未指定模型名称" } hint { "set [model] model in settings.toml", "请在 settings.toml 中设置 [model] model" };
    /// An address that is none.
    BAD_BASE_URL = "model_not_configured" / "base_url" { "base_url is no address of a model: {why}", "base_url 不是模型的地址：{why}" } hint { "write it as http://127.0.0.1:11434/v1 or https://host/path", "请写成 http://127.0.0.1:11434/v1 或 https://host/path" };
    /// A key in plain text for a host that is not this machine.
    API_KEY_HOST = "model_not_configured" / "api_key" { "api_key is only for a loopback base_url, and {host} is none", "api_key 仅用于回环地址的 base_url，而 {host} 不是" } hint { "take api_key out, put the key into an environment variable and name that in api_key_env", "请删除 api_key，将密钥放入环境变量，并在 api_key_env 中写出变量名" };
    /// The named variable is not set.
    KEY_UNSET = "model_not_configured" / "api_key_env" { "the variable {name}, which api_key_env names, is not set", "api_key_env 指定的变量 {name} 未设置" } hint { "set it where Hookwright is started", "请在启动 Hookwright 的环境中设置它" };
    /// A key that cannot be set.
    NOT_SETTABLE = "bad_setting" / "unknown" { "there is no setting {key}", "没有设置项 {key}" } hint { "did you mean {nearest}?", "是否想写 {nearest}？" };
    /// A value that cannot be set.
    BAD_VALUE = "bad_setting" / "value" { "{why}", "{why}" };
    /// A file that is laid out in a way that one key cannot be changed in.
    UNUSUAL = "bad_setting" / "layout" { "{key} cannot be changed in {path} without touching the rest of the file", "无法在不影响其余内容的情况下更改 {path} 中的 {key}" } hint { "change it by hand", "请手动更改" };
    /// A project whose path TOML cannot hold.
    PATH_NOT_UTF8 = "bad_setting" / "path" { "{path} is not UTF-8 and cannot be kept in the settings", "{path} 不是 UTF-8，无法保存在设置中" };
}

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

/// `settings.toml`, defaults filled in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The model for prompt hooks.
    pub model: Model,
    /// What connected agents may do.
    pub agents: Agents,
    /// What is kept, and how long.
    pub history: History,
    /// What is masked.
    pub redaction: Redaction,
    /// What is watched.
    pub watch: Watch,
    /// The picoclaw dialect.
    pub picoclaw: Picoclaw,
    /// The window.
    pub ui: Ui,
    /// Export to a collector.
    pub otlp: Otlp,
}

/// `[model]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
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

/// A wire that models speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// `POST {base_url}/chat/completions`.
    Openai,
    /// `POST {base_url}/v1/messages`.
    Anthropic,
}

/// `[agents]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agents {
    /// Whether agents may register hooks that spawn without a review.
    pub commands: Commands,
}

/// What happens when an agent registers a hook that spawns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Commands {
    /// A person approves it first.
    #[default]
    Ask,
    /// It runs.
    Allow,
}

/// `[history]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    /// Traces are kept this many days.
    pub max_days: u32,
    /// The database is kept under this many MiB.
    pub max_mb: u32,
    /// Payloads and streams are kept this many days.
    pub bodies_days: u32,
}

impl Default for History {
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
pub struct Redaction {
    /// Whether anything is masked.
    pub enabled: bool,
    /// Key names whose values are masked too.
    pub keys: Vec<String>,
    /// Regular expressions whose matches are masked too.
    pub patterns: Vec<String>,
}

impl Default for Redaction {
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
pub struct Watch {
    /// Projects in the window's list, as written; see [`under_home`].
    pub projects: Vec<PathBuf>,
    /// Folders that hold skills, as written; see [`under_home`].
    pub skills_roots: Vec<PathBuf>,
    /// A changed file is read when it has been still this long, in milliseconds.
    pub settle_ms: u32,
}

impl Default for Watch {
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
pub struct Picoclaw {
    /// Which notification its processes get.
    pub event_method: EventMethod,
}

/// The method name of picoclaw's notifications.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventMethod {
    /// `hook.event`
    #[default]
    #[serde(rename = "hook.event")]
    Event,
    /// `hook.runtime_event`, for newer processes.
    #[serde(rename = "hook.runtime_event")]
    RuntimeEvent,
    /// Each notification under both names.
    #[serde(rename = "both")]
    Both,
}

/// `[ui]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ui {
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

/// `[otlp]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Otlp {
    /// The collector's address; nothing is exported without one.
    pub endpoint: Option<String>,
    /// The environment variable that holds the collector's headers.
    pub headers_env: Option<String>,
}

/// A model that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpointConfig {
    /// Which wire it speaks.
    pub provider: Provider,
    /// Its address, without a slash at the end.
    pub base_url: String,
    /// Its name.
    pub model: String,
    /// Its key, where there is one.
    pub api_key: Option<Secret>,
}

/// Why a setting could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file.
    #[error(transparent)]
    File(#[from] OwnedError),
    /// The key or the value.
    #[error("{}", .0.text)]
    Refused(Words),
}

impl SettingsError {
    /// What, why and what to do next.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            Self::File(error) => error.words(),
            Self::Refused(words) => words.clone(),
        }
    }
}

impl Settings {
    /// Reads the file. What is wrong with it comes beside; the defaults stand in for that.
    #[must_use]
    pub fn read(path: &Path) -> (Self, Vec<Problem>) {
        match owned::read_text(path) {
            Ok(text) => Self::parse(&text.unwrap_or_default(), path),
            Err(error) => (Self::default(), error.problem().into_iter().collect()),
        }
    }

    /// The same from a text.
    #[must_use]
    pub fn parse(text: &str, path: &Path) -> (Self, Vec<Problem>) {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                return (
                    Self::default(),
                    broken(path, text, &error).problem().into_iter().collect(),
                );
            }
        };
        let (values, mut problems) = keys::read(&document, text, path);
        // Every value was checked against the table of keys; a test puts each of them through here.
        let settings: Self = serde_json::from_value(Value::Object(values)).unwrap_or_default();
        problems.extend(settings.unused_api_key(&document, text, path));
        problems.sort_by_key(|problem| (problem.line, problem.column));
        (settings, problems)
    }

    /// The tree for people: defaults filled in, secrets left out.
    #[must_use]
    pub fn document(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Writes one key back (`ui.theme`); `null` takes it out. Nothing else in the file changes.
    ///
    /// # Errors
    /// No such key, a value that is not of its kind, or the file: does not parse, cannot be written.
    pub fn set(path: &Path, key: &str, value: &Value) -> Result<(Self, Vec<Problem>), SettingsError> {
        let known = keys::find(key).ok_or_else(|| {
            SettingsError::Refused(NOT_SETTABLE.say(args! { "key" => key, "nearest" => keys::nearest(key) }))
        })?;
        let wanted = keys::wanted(known, value).map_err(SettingsError::Refused)?;
        let text = owned::change_text(path, |current| {
            let text = current.unwrap_or_default();
            let next = write::set(path, text, known, wanted.as_ref())?;
            let (settings, _) = Self::parse(&next, path);
            if known.is("model", "api_key") && wanted.is_some() {
                settings.key_may_stand_here().map_err(SettingsError::Refused)?;
            }
            Ok::<_, SettingsError>(next)
        })?;
        Ok(Self::parse(&text, path))
    }

    /// Adds a project to `[watch] projects`, unless it is there.
    ///
    /// # Errors
    /// The path is no UTF-8, or the file: does not parse, cannot be written.
    pub fn add_project(path: &Path, project: &Path, home: &Path) -> Result<Self, SettingsError> {
        let name = project.to_str().ok_or_else(|| {
            SettingsError::Refused(PATH_NOT_UTF8.say(args! { "path" => project.display().to_string() }))
        })?;
        Self::change_projects(path, |projects| {
            if !projects
                .iter()
                .any(|known| under_home(Path::new(known), home) == project)
            {
                projects.push(name.to_owned());
            }
        })
    }

    /// Takes a project off `[watch] projects`; its files stay as they are.
    ///
    /// # Errors
    /// The file: does not parse, cannot be written.
    pub fn remove_project(path: &Path, project: &Path, home: &Path) -> Result<Self, SettingsError> {
        Self::change_projects(path, |projects| {
            projects.retain(|known| under_home(Path::new(known), home) != project);
        })
    }

    fn change_projects(path: &Path, change: impl FnOnce(&mut Vec<String>)) -> Result<Self, SettingsError> {
        let text = owned::change_text(path, |current| {
            let text = current.unwrap_or_default();
            let (settings, _) = Self::parse(text, path);
            let before: Vec<String> = settings
                .watch
                .projects
                .iter()
                .filter_map(|path| path.to_str().map(str::to_owned))
                .collect();
            let mut after = before.clone();
            change(&mut after);
            if before == after {
                return Ok(text.to_owned());
            }
            let wanted = toml_edit::Value::from(after.into_iter().collect::<toml_edit::Array>());
            write::set(path, text, keys::PROJECTS, Some(&wanted))
        })?;
        Ok(Self::parse(&text, path).0)
    }

    /// The model that prompt hooks ask; `env` looks variables up.
    ///
    /// # Errors
    /// Why it is not configured.
    pub fn model(&self, env: impl Fn(&str) -> Option<String>) -> Result<ModelEndpointConfig, Words> {
        let model = &self.model;
        let provider = model.provider.ok_or_else(|| NO_PROVIDER.plain())?;
        let address = self.address()?;
        self.key_may_stand_here()?;
        let name = model.model.clone().ok_or_else(|| NO_MODEL_NAME.plain())?;
        let named = match &model.api_key_env {
            Some(name) => {
                let value = env(name).filter(|value| !value.trim().is_empty());
                if value.is_none() && model.api_key.is_none() {
                    return Err(KEY_UNSET.say(args! { "name" => name }));
                }
                value.map(|value| Secret::new(value.trim()))
            }
            None => None,
        };
        let base_url = address.as_str().trim_end_matches('/').to_owned();
        Ok(ModelEndpointConfig {
            provider,
            base_url,
            model: name,
            api_key: named.or_else(|| model.api_key.clone()),
        })
    }

    /// Secrets that the settings hold themselves, as names and values for the redactor.
    pub fn secrets(&self) -> impl Iterator<Item = (String, String)> {
        self.model
            .api_key
            .iter()
            .map(|key| ("api_key".to_owned(), key.reveal().to_owned()))
    }

    /// Where the model is asked.
    fn address(&self) -> Result<Url, Words> {
        let given = self.model.base_url.as_deref().unwrap_or(match self.model.provider {
            Some(Provider::Openai) | None => "https://api.openai.com/v1",
            Some(Provider::Anthropic) => "https://api.anthropic.com",
        });
        let bad = |why: &str| BAD_BASE_URL.say(args! { "why" => why });
        let address = Url::parse(given.trim()).map_err(|error| bad(&error.to_string()))?;
        if !matches!(address.scheme(), "http" | "https") {
            return Err(bad("it begins with neither http:// nor https://"));
        }
        if !address.username().is_empty() || address.password().is_some() {
            return Err(bad("it holds a user or a password"));
        }
        if address.query().is_some() || address.fragment().is_some() {
            return Err(bad("it has a query or a fragment"));
        }
        Ok(address)
    }

    /// A key in plain text is for this machine only.
    fn key_may_stand_here(&self) -> Result<(), Words> {
        if self.model.api_key.is_none() {
            return Ok(());
        }
        let address = self.address()?;
        if is_loopback(&address) {
            return Ok(());
        }
        Err(API_KEY_HOST.say(args! { "host" => address.host_str().unwrap_or_default() }))
    }

    fn unused_api_key(&self, document: &Document<&str>, text: &str, path: &Path) -> Option<Problem> {
        self.model.api_key.as_ref()?;
        let address = self.address().ok().filter(|address| !is_loopback(address))?;
        let spot = keys::spot(document, text, "model", "api_key");
        let host = address.host_str().unwrap_or_default();
        Some(Problem::new(API_KEY_UNUSED.say(args! { "host" => host }), path, spot))
    }
}

/// A path of the settings with `~/` as the home folder.
#[must_use]
pub fn under_home(path: &Path, home: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) => home.join(rest),
        Err(_) => path.to_owned(),
    }
}

fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn broken(path: &Path, text: &str, error: &toml_edit::TomlError) -> OwnedError {
    OwnedError::Broken {
        path: path.to_owned(),
        spot: error.span().map(|span| owned::spot_at(text, span.start)),
        what: error.message().to_owned(),
    }
}

#[cfg(test)]
mod tests;
