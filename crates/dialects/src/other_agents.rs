//! Hook files of agents that have no dialect here: how to recognize them, and what to say about them.

use std::ffi::OsStr;
use std::path::Path;

use hookwright_model::{Message, render};
use serde_json::Value;

hookwright_model::messages! {
    /// The file contains settings of Claude Code.
    SETTINGS = "unknown_kind" / "claude" { "{path} is a file of Claude Code, which Hookwright does not check", "{path} 是 Claude Code 的文件，Hookwright 不检查" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
    /// The file contains the hooks of a Claude Code plugin.
    PLUGIN = "file_not_read" / "claude_plugin" { "this is the file of a Claude Code plugin: Hookwright ignores it", "这是 Claude Code 插件的文件：Hookwright 会忽略它" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
}

/// The folder that marks a plugin of Claude Code.
pub const PLUGIN_MARKER: &str = ".claude-plugin";

/// What to say about a settings file of Claude Code; `None` for any other file.
#[must_use]
pub fn settings_message(path: &Path) -> Option<Message> {
    let folder = path.parent().and_then(Path::file_name);
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_settings = folder.is_some_and(|folder| folder == ".claude") && name.starts_with("settings");
    is_settings.then(|| render!(SETTINGS, "path" => path.display().to_string()))
}

/// The folder of the plugin whose hook file this would be, by the path alone.
#[must_use]
pub fn plugin_folder(path: &Path) -> Option<&Path> {
    let plugin = path.parent().and_then(Path::parent);
    plugin.filter(|_| path.ends_with("hooks/hooks.json"))
}

/// Whether the text is that of a plugin's hook file: an object with an object under `hooks`.
#[must_use]
pub fn is_plugin_text(text: &str) -> bool {
    let read: Result<Value, _> = serde_json::from_str(text);
    read.is_ok_and(|file| file.get("hooks").is_some_and(Value::is_object))
}
