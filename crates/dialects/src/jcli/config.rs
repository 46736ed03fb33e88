//! Reads `hooks.yaml`, from text to hooks (`jcli.md` §1, §2).
//!
//! Reading never fails as a whole: each error becomes a Problem and affects only the part that contains it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    DirProbe, Hook, Layer, Locations, MAX_FILE_HOOKS, Message, Parsed, PathStep, Problem, Root, SourceTree, args,
};

use super::definition::{DefinitionReader, DefinitionSite};
use super::{definition, events, messages};
use crate::yaml::{self, Entry, Node, ValueKind};

/// The roots of j-cli: the user's file and the project's file (`jcli.md` §1).
///
/// A relative `J_DATA_PATH` gives no user root (`relative_place`). Otherwise the choice of the working directory would
/// decide which file is the user's.
#[must_use]
pub fn roots(places: &Locations, dirs: &dyn DirProbe) -> Vec<Root> {
    let owner = places
        .project
        .ancestors()
        .find(|dir| dirs.is_dir(&dir.join(".jcli")))
        .unwrap_or(&places.project);
    let user = user_file(places).map(|path| Root::file(Layer::User, path, None));
    let project = Root::file(Layer::Project, project_file(owner), Some(owner.to_owned()));
    user.into_iter().chain([project]).collect()
}

/// The environment variable that moves the user's files.
const DATA_PATH_VAR: &str = "J_DATA_PATH";

fn user_file(places: &Locations) -> Option<PathBuf> {
    let data = places.vars.get(DATA_PATH_VAR).filter(|path| !path.is_empty());
    let base = data.map_or_else(|| places.home.join(".jdata"), PathBuf::from);
    base.is_absolute().then(|| base.join("agent").join("hooks.yaml"))
}

/// The message for a user file that is not loaded because `J_DATA_PATH` is relative, and the path that it would have.
#[must_use]
pub fn relative_data_path(places: &Locations) -> Option<(Message, PathBuf)> {
    let data = places.vars.get(DATA_PATH_VAR)?;
    if user_file(places).is_some() {
        return None;
    }
    let message = messages::RELATIVE_DATA_PATH.render(args! { "name" => DATA_PATH_VAR, "path" => data });
    let path = places.project.join(data).join("agent").join("hooks.yaml");
    Some((message, path))
}

/// The message for a user whose j-cli has made its folder for hooks. Since some version after 12.9.8 (12.10.44 at the
/// latest) j-cli reads `hooks/<name>/HOOK.yaml` there and no `hooks.yaml`.
#[must_use]
pub fn hook_folder_notice(places: &Locations, dirs: &dyn DirProbe) -> Option<Message> {
    let file = user_file(places)?;
    let folder = file.with_file_name("hooks");
    dirs.is_dir(&folder).then(|| {
        let (folder, file) = (folder.display().to_string(), file.display().to_string());
        messages::connecting::HOOK_FOLDER.render(args! { "folder" => folder, "file" => file })
    })
}

fn project_file(project: &Path) -> PathBuf {
    project.join(".jcli").join("hooks.yaml")
}

/// The root of a file, or `None` if j-cli has no such file.
///
/// A `hooks.yaml` in a `.jcli` folder belongs to a project, unless it is the user's file. Any other one is the user's.
#[must_use]
pub fn detect_root(path: &Path, places: &Locations) -> Option<Root> {
    if path.file_name()? != "hooks.yaml" {
        return None;
    }
    let folder = path.parent()?;
    let project = (folder.file_name().is_some_and(|name| name == ".jcli")
        && Some(path) != user_file(places).as_deref())
    .then(|| folder.parent())
    .flatten();
    Some(match project {
        Some(project) => Root::file(Layer::Project, path.to_owned(), Some(project.to_owned())),
        None => Root::file(Layer::User, path.to_owned(), None),
    })
}

/// Reads the file of a root.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let Some(file) = tree.files.get(&tree.root.path) else {
        return Parsed::default();
    };
    let text = match &file.text {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(problem) => {
            return Parsed {
                hooks: Vec::new(),
                problems: vec![problem.clone()],
                broken: vec![tree.root.path.clone()],
            };
        }
    };
    let mut reader = ConfigReader {
        root: &tree.root,
        text,
        hooks: Vec::new(),
        problems: Vec::new(),
    };
    let broken = match yaml::read(text) {
        Ok(None) => false,
        Ok(Some(node)) => !reader.read_file(&node),
        Err(broken) => {
            reader.report(broken.message, broken.position);
            true
        }
    };
    Parsed {
        hooks: reader.hooks,
        problems: reader.problems,
        broken: if broken {
            vec![tree.root.path.clone()]
        } else {
            Vec::new()
        },
    }
}

struct ConfigReader<'a> {
    root: &'a Root,
    text: &'a str,
    hooks: Vec<Hook>,
    problems: Vec<Problem>,
}

/// The error that makes all hooks of a list invalid, whatever they contain themselves.
type ListError = Option<Message>;

impl ConfigReader<'_> {
    /// Reads the whole file. Returns whether it is a mapping.
    fn read_file(&mut self, node: &Node) -> bool {
        let Some(entries) = node.entries() else {
            self.report(
                messages::FILE_TYPE.render(args! { "found" => node.yaml_type() }),
                node.position,
            );
            return false;
        };
        for entry in entries {
            self.read_event_list(entry, 0, entry.key.clone(), None);
        }
        let mut keys: BTreeSet<String> = entries.iter().map(|entry| entry.key.clone()).collect();
        for (nth, entry) in node.numbered_duplicates() {
            let first = entries.iter().find(|first| first.key == entry.key);
            let line = first.map_or(1, |first| first.key_position.line);
            let message = messages::DUPLICATE_EVENT.render(args! { "key" => entry.key, "line" => line });
            self.report(message.clone(), entry.key_position);
            let free_key = (2_u32..)
                .map(|nth| format!("{}.{nth}", entry.key))
                .find(|key| keys.insert(key.clone()));
            self.read_event_list(entry, nth, free_key.unwrap_or_default(), Some(message));
        }
        true
    }

    /// Reads one event's list.
    ///
    /// `nth` counts the lists of the same event, from 0. `key` is the event's part of the hook ids; each list has its own.
    fn read_event_list(&mut self, entry: &Entry, nth: usize, key: String, list_error: ListError) {
        let known = events::CARD.event(&entry.key).is_some();
        let list_error = match list_error {
            Some(message) => Some(message),
            None if known => None,
            None => {
                let message = unknown_event_message(entry);
                self.report(message.clone(), entry.key_position);
                Some(message)
            }
        };
        let is_list = matches!(entry.value.kind, ValueKind::List(_));
        let list_error = if is_list || entry.value.is_null() || list_error.is_some() {
            list_error
        } else {
            let message =
                messages::LIST_TYPE.render(args! { "event" => entry.key, "found" => entry.value.yaml_type() });
            self.report_rejected(message.clone(), entry.value.position);
            Some(message)
        };
        let listed: &[Arc<Node>] = match &entry.value.kind {
            ValueKind::List(items) => items,
            // A definition without its dash is still listed, so that the user sees why it does not run.
            ValueKind::Mapping { entries, .. } if entries.iter().any(|entry| is_handler_key(&entry.key)) => {
                std::slice::from_ref(&entry.value)
            }
            ValueKind::Mapping { .. } | ValueKind::Scalar { .. } => &[],
        };
        for (index, node) in listed.iter().enumerate() {
            let id = format!("jcli:{}:{key}:{index}", self.root.layer.as_str());
            let at = [PathStep::Key(entry.key.clone(), nth), PathStep::Item(index)];
            self.read_hook(entry, (&id, &at), node, list_error.as_ref());
        }
    }

    fn read_hook(
        &mut self,
        entry: &Entry,
        (id, at): (&str, &[PathStep]),
        node: &Arc<Node>,
        list_error: Option<&Message>,
    ) {
        if self.hooks.len() > MAX_FILE_HOOKS {
            return;
        }
        let event = if events::CARD.event(&entry.key).is_some() {
            entry.key.clone()
        } else {
            event_of_older_form(entry, node)
        };
        let mut reader = DefinitionReader::new(DefinitionSite {
            root: self.root,
            text: self.text,
            id,
            at,
            event: &event,
        });
        let mut hook = definition::read(&mut reader, node);
        if let Some(message) = list_error {
            // The error of the list is reported once. Of the hooks' own problems, only duplicate keys are kept.
            hook.invalid = Some(message.clone());
            reader
                .problems
                .retain(|problem| problem.code == hookwright_model::Code::DuplicateKey);
        }
        self.problems.append(&mut reader.problems);
        self.hooks.push(hook);
    }

    fn report(&mut self, message: Message, spot: TextPosition) {
        self.problems.push(Problem::new(message, &self.root.path, Some(spot)));
    }

    /// Reports a value because of which j-cli rejects the whole file.
    fn report_rejected(&mut self, message: Message, spot: TextPosition) {
        let problem = Problem::new(message, &self.root.path, Some(spot));
        self.problems.push(problem.rejecting_file());
    }
}

/// Whether a key defines what a hook runs: its type, its command or its prompt.
fn is_handler_key(key: &str) -> bool {
    ["type", "command", "prompt"].contains(&key)
}

fn unknown_event_message(entry: &Entry) -> Message {
    let args = args! { "event" => entry.key };
    let is_list = matches!(entry.value.kind, ValueKind::List(_));
    if entry.key == "hooks" && (is_list || entry.value.entries().is_some()) {
        return messages::UNKNOWN_EVENT_OLDER.render(args);
    }
    if definition::FIELDS.contains(&entry.key.as_str()) || definition::FILTER_FIELDS.contains(&entry.key.as_str()) {
        return messages::UNKNOWN_EVENT_FIELD.render(args);
    }
    match events::nearest(&entry.key) {
        Some(nearest) => messages::UNKNOWN_EVENT_NEAR.render(args! { "event" => entry.key, "nearest" => nearest }),
        None => {
            let names: Vec<&str> = events::CARD.events.iter().map(|event| event.name).collect();
            messages::UNKNOWN_EVENT.render(args! { "event" => entry.key, "events" => names.join(", ") })
        }
    }
}

/// The event that an entry of the older form names. The hook is listed there, where its author expects it.
fn event_of_older_form(list: &Entry, node: &Node) -> String {
    let named = node
        .entries()
        .unwrap_or_default()
        .iter()
        .find(|entry| entry.key == "event");
    match named.map(|entry| &entry.value.kind) {
        Some(ValueKind::Scalar { text, .. }) if list.key == "hooks" => text.clone(),
        Some(_) | None => list.key.clone(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
pub(super) mod tests;

#[cfg(test)]
#[path = "config_location_tests.rs"]
mod place_tests;
