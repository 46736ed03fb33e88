//! The settings: reads `settings.toml` into types, and writes single keys back with all comments kept (`CONTRACTS.md`
//! §2.6).
//!
//! An invalid key affects only itself: its default is used, and a problem reports it. A file that does not parse is one
//! problem, and every setting has its default.

mod endpoint;
mod keys;
mod schema;
mod write;

use std::path::{Path, PathBuf};

use hookwright_model::{DialectSettings, Message, Problem, render};
use hookwright_redact::RedactionSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml_edit::{Array, Document};

pub use endpoint::ModelEndpointConfig;
use schema::DialectSections;
pub use schema::{
    AgentsSettings, CommandPolicy, HistorySettings, Language, ModelSettings, NotificationSettings, OtlpSettings,
    Secret, Theme, UiSettings, WatchSettings,
};

use crate::data_files::locked_file::{self, LockedFileError};

hookwright_model::messages! {
    /// The file contains a key or section that Hookwright does not know.
    UNKNOWN_KEY = "unknown_field" / "setting" { "unknown setting {key}", "未知的设置项 {key}" } hint { "did you mean {nearest}?", "是否想写 {nearest}？" };
    /// The value has the wrong type.
    WRONG_TYPE = "wrong_type" / "setting" { "{key} must be {wanted}, not {got}", "{key} 必须是 {wanted}，而不是 {got}" } hint { "correct it; until then the default is used", "更正它；在此之前使用默认值" };
    /// The string is not one of the allowed ones.
    UNKNOWN_WORD = "unknown_value" / "setting" { "{key} cannot be \"{got}\"", "{key} 不能是 \"{got}\"" } hint { "write one of: {known}", "写成以下之一：{known}" };
    /// The number is outside its range.
    OUT_OF_RANGE = "out_of_range" / "setting" { "{key} must be from {min} to {max}, not {got}", "{key} 必须在 {min} 到 {max} 之间，而不是 {got}" } hint { "correct it; until then the default is used", "更正它；在此之前使用默认值" };
    /// A redaction pattern does not compile.
    BAD_PATTERN = "bad_pattern" / "setting" { "a pattern of {key} does not compile: {why}", "{key} 中的一个正则表达式无法编译：{why}" } hint { "correct it; until then payloads, edits and streams are not recorded", "更正它；在此之前不记录载荷、修改和输出流" };
    /// `api_key` is set, but the host of `base_url` is not this machine.
    API_KEY_UNUSED = "no_effect" / "api_key" { "`api_key` is ignored: {host} is not a loopback host", "`api_key` 会被忽略：{host} 不是回环主机" } hint { "put the key into an environment variable and name it in `api_key_env`", "将密钥放入环境变量，并在 `api_key_env` 中写出变量名" };
    /// The setting has no effect in this version.
    NOT_USED = "no_effect" / "setting" { "{key} has no effect in this version", "{key} 在此版本中不起作用" } hint { "keep it or remove it; a later version will use it", "保留或删除均可；后续版本会使用它" };
    /// The setting `[model] provider` is missing.
    NO_PROVIDER = "model_not_configured" / "provider" { "no provider is set", "未设置提供方" } hint { "set `provider`, `base_url` and `model` under `[model]` in settings.toml", "在 settings.toml 的 `[model]` 中设置 `provider`、`base_url` 和 `model`" };
    /// The setting `[model] model` is missing.
    NO_MODEL_NAME = "model_not_configured" / "model" { "no model name is set", "未设置模型名称" } hint { "set `model` under `[model]` in settings.toml", "在 settings.toml 的 `[model]` 中设置 `model`" };
    /// The setting `[model] base_url` is not a valid address.
    BAD_BASE_URL = "model_not_configured" / "base_url" { "`base_url` is not the address of a model: {why}", "`base_url` 不是模型的地址：{why}" } hint { "write it as `http://127.0.0.1:11434/v1` or `https://host/path`", "写成 `http://127.0.0.1:11434/v1` 或 `https://host/path`" };
    /// `api_key` is set for a host that is not this machine, so the model is not configured.
    API_KEY_HOST = "model_not_configured" / "api_key" { "`api_key` works only with a loopback `base_url`; {host} is not a loopback host", "`api_key` 仅用于回环地址的 `base_url`，而 {host} 不是回环主机" } hint { "remove `api_key`, put the key into an environment variable and name it in `api_key_env`", "删除 `api_key`，将密钥放入环境变量，并在 `api_key_env` 中写出变量名" };
    /// The variable of `api_key_env` is not set, and there is no `api_key`.
    KEY_UNSET = "model_not_configured" / "api_key_env" { "the variable {name}, which `api_key_env` names, is not set", "`api_key_env` 指定的变量 {name} 未设置" } hint { "set it where Hookwright is started", "在启动 Hookwright 的环境中设置它" };
    /// The key to set does not exist.
    NOT_SETTABLE = "bad_setting" / "unknown" { "unknown setting {key}", "未知的设置项 {key}" } hint { "did you mean {nearest}?", "是否想写 {nearest}？" };
    /// The value to set is invalid.
    BAD_VALUE = "bad_setting" / "value" { "{why}", "{why}" };
    /// The layout of the file does not allow changing this key alone.
    UNUSUAL = "bad_setting" / "layout" { "{key} cannot be changed in {path} without changing the rest of the file", "无法在不影响其余内容的情况下更改 {path} 中的 {key}" } hint { "change it by hand", "手动更改" };
    /// The path of a project is not UTF-8, so TOML cannot contain it.
    PATH_NOT_UTF8 = "bad_setting" / "path" { "{path} is not UTF-8 and cannot be stored in the settings", "{path} 不是 UTF-8，无法保存在设置中" };
}

/// The content of `settings.toml`, with a default for every missing key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Section `[model]`: the model for prompt hooks.
    pub model: ModelSettings,
    /// Section `[agents]`: what connected agents may do.
    pub agents: AgentsSettings,
    /// Section `[history]`: how long traces are kept, and how large the database may get.
    pub history: HistorySettings,
    /// Section `[redaction]`: which values are masked.
    pub redaction: RedactionSettings,
    /// Section `[watch]`: which projects and folders of skills are read.
    pub watch: WatchSettings,
    /// The sections of dialects: each has the dialect's id.
    #[serde(flatten)]
    dialects: DialectSections,
    /// Section `[ui]`: language and theme of the window.
    pub ui: UiSettings,
    /// Section `[notifications]`: what the user is notified of.
    pub notifications: NotificationSettings,
    /// Section `[otlp]`: export to a collector.
    pub otlp: OtlpSettings,
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    home: PathBuf,
    #[serde(skip)]
    problems: Vec<Problem>,
}

/// The reason why a setting was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file does not parse, or cannot be read or written.
    #[error(transparent)]
    File(#[from] LockedFileError),
    /// The key or the value is invalid.
    #[error("{}", .0.text)]
    Refused(Message),
}

impl SettingsError {
    /// The message for the user, with what is wrong and what to do next.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::File(error) => error.message(),
            Self::Refused(message) => message.clone(),
        }
    }
}

impl Settings {
    /// Reads the file. Invalid settings get their defaults. A path that begins with `~/` or is relative is resolved
    /// from `home`.
    #[must_use]
    pub fn read(path: &Path, home: &Path) -> Self {
        match locked_file::read_text(path) {
            Ok(text) => Self::parse(&text.unwrap_or_default(), path, home),
            Err(error) => Self::defaults(path, home, error.problem()),
        }
    }

    /// Reads the settings from the `text` of the file.
    #[must_use]
    pub fn parse(text: &str, path: &Path, home: &Path) -> Self {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => return Self::defaults(path, home, syntax_error(path, text, &error).problem()),
        };
        let (values, mut problems) = keys::read(&document, text, path);
        // Every value was checked against the table of keys, so this cannot fail. A test does this for every key.
        let mut settings: Self = serde_json::from_value(Value::Object(values)).unwrap_or_default();
        settings.dialects.fill_defaults();
        problems.extend(settings.unused_api_key(&document, text, path));
        problems.sort_by_key(|problem| (problem.line, problem.column));
        for path in settings
            .watch
            .projects
            .iter_mut()
            .chain(&mut settings.watch.skills_roots)
        {
            *path = resolve_from_home(path, home);
        }
        Self {
            path: path.to_owned(),
            home: home.to_owned(),
            problems,
            ..settings
        }
    }

    fn defaults(path: &Path, home: &Path, problem: Option<Problem>) -> Self {
        let problems = problem.into_iter().collect();
        Self {
            path: path.to_owned(),
            home: home.to_owned(),
            problems,
            ..Self::default()
        }
    }

    /// The errors and warnings about the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The path of `settings.toml`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of a dialect; empty if it has none.
    #[must_use]
    pub fn of_dialect(&self, dialect: &str) -> DialectSettings {
        self.dialects.section(dialect)
    }

    /// The settings as JSON for the user, with defaults and without secrets.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Writes one key (`ui.theme`) to the file; `null` removes it. Nothing else in the file changes. Returns the
    /// settings that the file contains now.
    ///
    /// # Errors
    /// The key is unknown, or the value has the wrong type. The file does not parse, or cannot be written.
    pub fn set(&self, key: &str, value: &Value) -> Result<Self, SettingsError> {
        let known = keys::find_key(key).ok_or_else(|| {
            SettingsError::Refused(render!(NOT_SETTABLE, "key" => key, "nearest" => keys::nearest_key(key)))
        })?;
        let wanted = keys::checked_value(known, value).map_err(SettingsError::Refused)?;
        self.change(|text| {
            let next = write::set(&self.path, text, known, wanted.as_ref())?;
            if known.is("model", "api_key") && wanted.is_some() {
                self.reparse(&next)
                    .check_api_key_host()
                    .map_err(SettingsError::Refused)?;
            }
            Ok(next)
        })
    }

    /// Puts a project first in `[watch] projects`, which lists the most recent project first.
    ///
    /// # Errors
    /// The path is not UTF-8. The file does not parse, or cannot be written.
    pub fn add_project(&self, project: &Path) -> Result<Self, SettingsError> {
        let name = project
            .to_str()
            .ok_or_else(|| SettingsError::Refused(render!(PATH_NOT_UTF8, "path" => project.display().to_string())))?;
        self.change_projects(|projects| {
            let known = projects
                .iter()
                .position(|known| resolve_from_home(Path::new(known), &self.home) == project);
            let first = known.map_or_else(|| name.to_owned(), |known| projects.remove(known));
            projects.insert(0, first);
        })
    }

    /// Removes a project from `[watch] projects`. The files of the project are not changed.
    ///
    /// # Errors
    /// The file does not parse, or cannot be written.
    pub fn remove_project(&self, project: &Path) -> Result<Self, SettingsError> {
        self.change_projects(|projects| {
            projects.retain(|known| resolve_from_home(Path::new(known), &self.home) != project);
        })
    }

    fn change_projects(&self, change: impl FnOnce(&mut Vec<String>)) -> Result<Self, SettingsError> {
        self.change(|text| {
            let document = Document::parse(text).map_err(|error| syntax_error(&self.path, text, &error))?;
            let before = keys::written_texts(&document, keys::PROJECTS);
            let mut after = before.clone();
            change(&mut after);
            if before == after {
                return Ok(text.to_owned());
            }
            let wanted = toml_edit::Value::from(after.into_iter().collect::<Array>());
            write::set(&self.path, text, keys::PROJECTS, Some(&wanted))
        })
    }

    fn change(&self, change: impl FnOnce(&str) -> Result<String, SettingsError>) -> Result<Self, SettingsError> {
        let text = locked_file::change_text(&self.path, |current| change(current.unwrap_or_default()))?;
        Ok(self.reparse(&text))
    }

    fn reparse(&self, text: &str) -> Self {
        Self::parse(text, &self.path, &self.home)
    }
}

/// Resolves a path of the settings. Relative paths and `~/` begin at the home directory.
fn resolve_from_home(path: &Path, home: &Path) -> PathBuf {
    home.join(path.strip_prefix("~").unwrap_or(path))
}

fn syntax_error(path: &Path, text: &str, error: &toml_edit::TomlError) -> LockedFileError {
    LockedFileError::Broken {
        path: path.to_owned(),
        position: error.span().map(|span| locked_file::position_at(text, span.start)),
        what: error.message().to_owned(),
    }
}

#[cfg(test)]
mod tests;
