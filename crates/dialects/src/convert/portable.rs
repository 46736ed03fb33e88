//! A hook that belongs to no dialect.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::args;
use serde_json::{Map, Value};

use super::adapter::{self, Adapter};
use super::command::{self, ActionBlock, BlockForm, DecisionWords, Failure};
use super::form::{ConvertForm, HookNames, Insertion};
use super::tools::ToolMatch;
use super::{LossReport, NewFile, ScriptFile, messages};
use crate::splice::{self, Format, Op, key};

/// Mode of a new configuration file.
const PLAIN_MODE: u32 = 0o600;
/// Mode of a new script.
const SCRIPT_MODE: u32 = 0o700;
const MAX_NAME_CHARS: usize = 64;

/// What a hook does.
#[derive(Debug, Clone, PartialEq)]
pub enum HookAction {
    /// It runs a command of a shell.
    Command(String),
    /// It runs the script at this path of its folder.
    Script(PathBuf),
    /// It inserts a text.
    Text { text: String, role: String },
}

/// A translation around a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// Exit code 2 becomes an action that blocks.
    Action(ActionBlock),
    /// An action that blocks becomes exit code 2.
    ExitCode(Failure),
    /// The words of decisions become those of the other dialect.
    Decisions(DecisionWords),
}

/// Where the files of a hook come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrigin {
    /// The hook's own folder.
    HookFolder,
    /// The project, because the command names them.
    Project,
}

/// A hook between two dialects.
#[derive(Debug, Clone)]
pub struct PortableHook {
    /// The id of the original.
    pub id: String,
    /// The name for files, unique in the result.
    pub name: String,
    /// The name that the author gave, if the dialect has names.
    pub given_name: Option<String>,
    pub description: Option<String>,
    /// The event: of the original dialect, after [`super::adapt`] of the other one.
    pub event: String,
    pub action: HookAction,
    /// Whether something around the command lets its output count that came with another exit code.
    pub keeps_failed_output: bool,
    /// What is put around the command.
    pub wrap: Option<Wrap>,
    /// The program between the script and the agent.
    pub adapter: Option<Adapter>,
    /// Whether its command was written for the dialect that it is converted to.
    pub speaks_target: bool,
    /// What its command speaks.
    pub speaks: BlockForm,
    /// Whether the command or its scripts seem to block.
    pub seems_to_block: bool,
    pub tools: ToolMatch,
    /// Whether some condition beside the tools is not converted.
    pub loses_condition: bool,
    pub timeout: Duration,
    /// Whether the author wrote the timeout.
    pub wrote_timeout: bool,
    pub failure: Failure,
    /// Whether the agent does not wait.
    pub detached: bool,
    /// The priority, in the direction of the original.
    pub rank: Option<i64>,
    /// The priority in the other dialect; `None` for its default.
    pub priority: Option<i64>,
    pub env: Vec<(String, String)>,
    pub dir: Option<String>,
    pub files: Vec<ScriptFile>,
    pub origin: FileOrigin,
}

impl PortableHook {
    /// The files that keep their place in the project, or lie in the folder for scripts of the other dialect.
    pub fn project_files(&self, to: &ConvertForm) -> Vec<NewFile> {
        let file = |file: &ScriptFile| NewFile {
            path: self.carried_path(to, &file.path),
            bytes: file.bytes.clone(),
            mode: file.mode,
        };
        let mut files: Vec<NewFile> = self.files.iter().map(file).collect();
        files.extend(
            self.adapter
                .as_ref()
                .map(|adapter| adapter.file(self.adapter_path(adapter, to), to)),
        );
        files
    }

    /// Where a file of the hook is in the converted project.
    pub fn carried_path(&self, to: &ConvertForm, path: &Path) -> PathBuf {
        match (self.origin, path.file_name()) {
            (FileOrigin::HookFolder, _) => self.script_folder(to).join(path),
            // An approval of a hook with a folder of its own covers the files of this folder only.
            (FileOrigin::Project, Some(name)) if to.has_folders && self.adapter.is_some() => {
                self.script_folder(to).join("scripts").join(name)
            }
            (FileOrigin::Project, _) => path.to_owned(),
        }
    }

    pub fn script_folder(&self, to: &ConvertForm) -> PathBuf {
        Path::new(to.script_folder).join(&self.name)
    }

    /// The command for the other dialect. A dialect without fields for folder and variables has them in the command.
    pub fn shell_command(&self, to: &ConvertForm) -> String {
        let dir = self.dir.as_deref().filter(|_| !to.fields.contains(&"dir"));
        let has_field = to.card.env_field.is_some();
        let env: &[(String, String)] = if has_field { &[] } else { &self.env };
        if let Some(words) = self.adapted_words(to) {
            let variable = to.card.dir_vars.first().map(|var| var.name);
            return command::with_environment(&adapter::shell_command(&words, variable), dir, env);
        }
        let command = command::with_environment(&self.own_command(to), dir, env);
        let command = if self.keeps_failed_output {
            command::keeping_output(&command)
        } else {
            command
        };
        match self.wrap {
            None => command,
            Some(Wrap::Action(block)) => command::exit_code_as_action(&command, block),
            Some(Wrap::ExitCode(failure)) => command::action_as_exit_code(&command, failure),
            Some(Wrap::Decisions(words)) => command::with_decisions(&command, words, &self.event),
        }
    }

    /// The words that start the adapter with the command inside it; `None` if the hook needs no adapter.
    pub fn adapted_words(&self, to: &ConvertForm) -> Option<Vec<String>> {
        let adapter = self.adapter.as_ref()?;
        let path = self.adapter_path(adapter, to);
        let path = path.to_string_lossy().replace('\\', "/");
        Some(adapter.words(path, &self.event, self.own_command(to)))
    }

    /// The path of a script in the project.
    pub fn script_path(&self, to: &ConvertForm, entry: &Path) -> String {
        let path = self.script_folder(to).join(entry);
        path.to_string_lossy().replace('\\', "/")
    }

    fn own_command(&self, to: &ConvertForm) -> String {
        match &self.action {
            HookAction::Command(text) => self.files.iter().fold(text.clone(), |text, file| {
                let place = self.carried_path(to, &file.path);
                text.replace(
                    &*file.path.to_string_lossy(),
                    &place.to_string_lossy().replace('\\', "/"),
                )
            }),
            HookAction::Script(entry) => {
                let path = self.script_path(to, entry);
                match to.card.dir_vars.first() {
                    Some(var) => format!("\"${}\"/{}", var.name, command::from_arguments(&[path])),
                    None => command::from_arguments(&[format!("./{path}")]),
                }
            }
            HookAction::Text { text, role } => command::print_command(&inserted(to, &self.event, text, role)),
        }
    }
}

/// The document that inserts a text into the conversation.
fn inserted(to: &ConvertForm, event: &str, text: &str, role: &str) -> String {
    let document = match to.insertion {
        Insertion::Output { write, .. } => write(event, text, role),
        Insertion::Never | Insertion::Texts => Value::Null,
    };
    document.to_string()
}

/// The text that a document inserts, and its role.
pub fn inserted_text(from: &ConvertForm, document: &str) -> Option<(String, String)> {
    match from.insertion {
        Insertion::Output { read, .. } => read(&serde_json::from_str(document).ok()?),
        Insertion::Never | Insertion::Texts => None,
    }
}

/// A new text file.
pub fn plain_file(path: impl Into<PathBuf>, text: String) -> NewFile {
    NewFile {
        path: path.into(),
        bytes: text.into_bytes(),
        mode: PLAIN_MODE,
    }
}

/// A new script.
pub fn script_file(path: impl Into<PathBuf>, text: String) -> NewFile {
    NewFile {
        mode: SCRIPT_MODE,
        ..plain_file(path, text)
    }
}

/// A mapping as YAML, in the form of every other edit.
pub fn yaml(fields: Map<String, Value>) -> String {
    let set = |(name, value): (String, Value)| Op::Set {
        at: vec![key(name)],
        value,
    };
    let ops: Vec<Op> = fields.clone().into_iter().map(set).collect();
    // YAML contains JSON, so a value that cannot be written in blocks is written as JSON.
    splice::apply(Format::Yaml, "", &ops).unwrap_or_else(|_| Value::Object(fields).to_string() + "\n")
}

/// A JSON file.
pub fn json_file(path: &str, value: &Value) -> NewFile {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    plain_file(path, text + "\n")
}

/// Gives each hook a name that is unique and fits a folder.
pub fn name_all(hooks: &mut [PortableHook], report: &mut LossReport) {
    let mut used: Vec<String> = Vec::new();
    let mut ids: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for hook in hooks.iter() {
        *ids.entry(hook.id.clone()).or_default() += 1;
    }
    for hook in hooks.iter_mut() {
        let wanted = hook.given_name.clone().unwrap_or_else(|| hook.name.clone());
        let mut base = if report.to.names == HookNames::Key && hook.given_name.is_some() {
            wanted.clone()
        } else {
            folder_name(&wanted)
        };
        // One entry for several events becomes several hooks.
        if ids.get(&hook.id).is_some_and(|count| *count > 1) {
            base = format!("{base}-{}", folder_name(&hook.event));
        }
        let mut name = base.clone();
        let mut number = 2;
        while used.contains(&name) {
            name = format!("{base}-{number}");
            number += 1;
        }
        used.push(name.clone());
        let has_names = matches!(report.to.names, HookNames::Folder | HookNames::Key);
        if has_names && hook.given_name.as_ref().is_some_and(|given| *given != name) {
            report.lose(&hook.id, &messages::RENAMED, args! { "other" => name });
        }
        hook.name = name;
    }
}

/// A text as the name of a folder: lower-case letters, digits and single hyphens.
fn folder_name(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() {
            out.extend(character.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.chars().count() >= MAX_NAME_CHARS - 24 {
            break;
        }
    }
    let name = out.trim_end_matches('-');
    if name.is_empty() {
        "hook".to_owned()
    } else {
        name.to_owned()
    }
}
