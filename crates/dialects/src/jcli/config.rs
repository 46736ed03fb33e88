//! Reads `hooks.yaml`, from text to hooks (`jcli.md` §1, §2).
//!
//! Reading never fails as a whole: each error becomes a Problem and affects only the part that contains it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    Code, DirProbe, EditContext, EditPlan, EditRequest, FileFix, Files, FixChange, Hook, Layer, LintContext, Locations,
    MAX_FILE_HOOKS, Message, Parsed, PathStep, Problem, Root, SessionRegistration, SourceTree, args, render,
};
use serde_json::{Map, Value};

use super::events::CARD;
use super::schema::{DEFINITION, FIELDS, FILTER_FIELDS};
use super::{Jcli, messages};
use crate::definition::{self, Problems};
use crate::editing::numbered_key;
use crate::event_list::{self, EventList, ListMessages};
use crate::node::{Entry, Node, ValueKind};
use crate::wrapper_fix::WRAPPER;
use crate::{editing, relay};

/// The time limit of the relay's hooks, in seconds: above the 30 s that the engine has for a chain (`jcli.md` §8).
const RELAY_TIMEOUT_S: u32 = 35;

/// The environment variable that moves the user's files.
const DATA_PATH_VAR: &str = "J_DATA_PATH";

impl Files for Jcli {
    /// The roots of j-cli: the user's file and the project's file (`jcli.md` §1).
    ///
    /// A relative `J_DATA_PATH` gives no user root (`relative_place`). Otherwise the choice of the working directory would
    /// decide which file is the user's.
    fn roots(&self, places: &Locations, dirs: &dyn DirProbe) -> Vec<Root> {
        let owner = places
            .project
            .ancestors()
            .find(|dir| dirs.is_dir(&dir.join(".jcli")))
            .unwrap_or(&places.project);
        let user = user_file(places).map(|path| Root::file(Layer::User, path, None));
        let project = Root::file(Layer::Project, project_file(owner), Some(owner.to_owned()));
        user.into_iter().chain([project]).collect()
    }

    /// Reads the file of a root.
    fn parse(&self, tree: &SourceTree) -> Parsed {
        let file = tree.files.get(&tree.root.path);
        let text = file.and_then(|file| file.text.as_deref().ok()).unwrap_or_default();
        definition::parse_root(&DEFINITION, tree, |node| read_file(&tree.root, text, node))
    }

    fn definitions_to_add(&self, tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        super::edit::LISTS.definitions_to_add(tree, hooks)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&super::edit::LISTS, context, request))
    }

    /// The root of a file, or `None` if j-cli has no such file.
    ///
    /// A `hooks.yaml` in a `.jcli` folder belongs to a project, unless it is the user's file. Any other one is the user's.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
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

    /// Charts and tools for commits have a `hooks.yaml` too. One outside of j-cli's folders begins a line with an event.
    fn found_by_scan(&self, path: &Path, text: &dyn Fn() -> String) -> bool {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let is_event_line = |line: &str| {
            let key = line.split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
            CARD.event(key).is_some()
        };
        folder == ".jcli" || path.ends_with(".jdata/agent/hooks.yaml") || text().lines().any(is_event_line)
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(super::definition::read_registration(registration))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let fields = [("timeout", Value::from(RELAY_TIMEOUT_S))];
        relay::command_hooks(&CARD, relay, &fields)
    }

    /// The message for a user whose j-cli has made its folder for hooks. Since some version after 12.9.8 (12.10.44 at the
    /// latest) j-cli reads `hooks/<name>/HOOK.yaml` there and no `hooks.yaml`.
    fn relay_notice(&self, places: &Locations, dirs: &dyn DirProbe) -> Option<Message> {
        let file = user_file(places)?;
        let folder = file.with_file_name("hooks");
        dirs.is_dir(&folder).then(|| {
            let (folder, file) = (folder.display().to_string(), file.display().to_string());
            render!(messages::connecting::HOOK_FOLDER, "folder" => folder, "file" => file)
        })
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let [PathStep::Key(event, nth), PathStep::Item(_)] = hook.at.as_slice() else {
            return None;
        };
        let list = || format!("{}{}", hook.source.layer.id_prefix("jcli"), numbered_key(event, *nth));
        matches!(hook.source.layer, Layer::User | Layer::Project).then(list)
    }

    fn misplaced(&self, places: &Locations) -> Option<Problem> {
        relative_data_path(places).map(|(message, path)| Problem::new(message, &path, None))
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        let place = self.misplaced(context.locations);
        place.into_iter().chain(super::lint::lint(context)).collect()
    }
}

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
    let message = render!(messages::RELATIVE_DATA_PATH, "name" => DATA_PATH_VAR, "path" => data);
    let path = places.project.join(data).join("agent").join("hooks.yaml");
    Some((message, path))
}

fn project_file(project: &Path) -> PathBuf {
    project.join(".jcli").join("hooks.yaml")
}

const LIST_MESSAGES: ListMessages = ListMessages {
    list_type: messages::LIST_TYPE,
    rejects_file: |_| true,
    duplicate: messages::DUPLICATE_EVENT,
    last_counts: false,
    unknown_event: unknown_event_message,
};

fn read_file(root: &Root, text: &str, node: &Node) -> Parsed {
    let mut parsed = Parsed::default();
    let mut problems = Problems::new(&root.path, None, node.position);
    let read_list = |list: &EventList<'_>, problems: &mut Problems<'_>| {
        let fields = list.entry.value.entries().unwrap_or_default();
        let listed = if fields.iter().any(|entry| is_handler_key(&entry.key)) {
            // A definition without its dash is still listed, so that the user sees why it does not run.
            std::slice::from_ref(&list.entry.value)
        } else {
            list.items()
        };
        for (index, node) in listed.iter().enumerate() {
            if parsed.hooks.len() > MAX_FILE_HOOKS {
                return;
            }
            let id = format!("{}{}:{index}", root.layer.id_prefix(CARD.id), list.key);
            let at = vec![list.step.clone(), PathStep::Item(index)];
            let event = event_of_older_form(list.entry, node);
            let (hook, mut found) = super::definition::read(root, text, &id, &event, at, node);
            let mut hook = Arc::new(hook);
            list.invalidate(std::slice::from_mut(&mut hook), &mut found);
            parsed.hooks.push(hook);
            problems.extend(found);
        }
    };
    event_list::read(
        &CARD,
        &LIST_MESSAGES,
        node,
        None,
        &mut BTreeSet::new(),
        &mut problems,
        read_list,
    );
    parsed.problems = problems.into_list();
    add_wrapper_fix(node, &mut parsed.problems);
    parsed
}

/// Gives the problem of a wrapper around events its fix.
fn add_wrapper_fix(node: &Node, problems: &mut [Problem]) {
    let entries = node.entries().unwrap_or_default().iter();
    let is_wrapper = |entry: &&Entry| entry.key == WRAPPER && event_list::has_event(&CARD, &entry.value);
    for TextPosition { line, column } in entries.filter(is_wrapper).map(|entry| entry.key_position) {
        let is_about_it = |problem: &&mut Problem| {
            problem.code == Code::UnknownEvent && (problem.line, problem.column) == (Some(line), Some(column))
        };
        for problem in problems.iter_mut().filter(is_about_it) {
            problem
                .fixes
                .push(FileFix::new(&problem.path, FixChange::RemoveWrapper));
        }
    }
}

/// Whether a key defines what a hook runs: its type, its command or its prompt.
fn is_handler_key(key: &str) -> bool {
    ["type", "command", "prompt"].contains(&key)
}

fn unknown_event_message(entry: &Entry) -> Message {
    let args = args! { "event" => entry.key };
    if event_list::has_event(&CARD, &entry.value) {
        return messages::UNKNOWN_EVENT_WRAPPER.render(args);
    }
    let is_list = matches!(entry.value.kind, ValueKind::List(_));
    if entry.key == "hooks" && (is_list || entry.value.entries().is_some()) {
        return messages::UNKNOWN_EVENT_OLDER.render(args);
    }
    if FIELDS.iter().chain(&FILTER_FIELDS).any(|field| field.name == entry.key) {
        return messages::UNKNOWN_EVENT_FIELD.render(args);
    }
    definition::unknown_event(&CARD, &entry.key, messages::UNKNOWN_EVENT_NEAR, messages::UNKNOWN_EVENT)
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
