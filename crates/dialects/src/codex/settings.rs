//! Reads hook files, from text to hooks (`codex.md` §1, §2), and says what an error costs.
//!
//! Reading never fails as a whole: each error becomes a Problem. Because of most of them the agent drops the whole file.
//! Its hooks stay listed, and none of them runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    BrokenFile, Code, ConflictReport, DisabledReason, FileFix, FileText, FixChange, Hook, Layer, Message,
    MessageTemplate, Parsed, Problem, Root, SettingsRule, Severity, SourceFile, SourceTree, args, render,
};
use serde_json::Value;

use super::events::CARD;
use super::schema::{CALLBACK_TIMEOUT_SECS, DEFINITION, GROUP, REGISTRATION};
use super::trust::{self, FEATURES};
use super::{entry, messages, plugins};
use crate::definition::{self, Fields, Problems};
use crate::event_list::{self, Callbacks, Groups, ListMessages};
use crate::node::{Entry, Node, ValueKind};
use crate::toml;
use crate::wrapper_fix::add_wrapper_fix;

/// How groups are read.
pub(super) static GROUPS: Groups = Groups {
    card: &CARD,
    group: &GROUP,
    lists: ListMessages {
        list_type: messages::EVENT_TYPE,
        rejects_file: |_| true,
        duplicate: messages::DUPLICATE_EVENT,
        last_counts: true,
        unknown_event: |entry| {
            definition::unknown_event(&CARD, &entry.key, messages::UNKNOWN_EVENT_NEAR, messages::UNKNOWN_EVENT)
        },
    },
    section_type: messages::SECTION_TYPE,
    section_rejects: true,
    inherited_flags: &[],
    check: check_group,
    read_entry: entry::read,
};

/// How callbacks are read.
pub(super) static CALLBACKS: Callbacks = Callbacks {
    groups: &GROUPS,
    fields: &REGISTRATION,
    check_timeout: entry::warn_timeout,
    time_limit: |event, fields| match fields.get("timeout") {
        Some(_) => entry::time_limit(event, fields),
        None => Duration::from_secs(CALLBACK_TIMEOUT_SECS),
    },
    tier: 0,
};

/// The keys of a hook file.
const ROOT_KEYS: [&str; 2] = ["hooks", "description"];
/// The settings of an administrator, next to the events, that name the folder of the scripts.
const MANAGED_FOLDERS: [&str; 2] = ["managed_dir", "windows_managed_dir"];
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const START: TextPosition = TextPosition { line: 1, column: 1 };

/// Reads the file of a root.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let path = &tree.root.path;
    if let Some(plugin) = plugins::plugin_of(path).or_else(|| plugins::source_of(path)) {
        return plugins::parse(&plugin, tree);
    }
    let Some(file) = tree.files.get(path) else {
        return Parsed::default();
    };
    if is_toml(path) {
        let mut parsed = parse_toml(tree, file);
        drop_file(&mut parsed, path);
        return parsed;
    }
    read_json(&tree.root, &id_part(&tree.root), file)
}

/// Reads a file with hooks. `part` is the part of the ids that names it.
pub(super) fn read_json(root: &Root, part: &str, file: &SourceFile) -> Parsed {
    let path = &root.path;
    let mut parsed = match definition::open(&DEFINITION, path, file) {
        Ok(None) => Parsed::default(),
        Ok(Some(opened)) => {
            let mut parsed = event_list::read_file(&GROUPS, root, part, &opened.root);
            parsed.problems.extend(root_problems(path, &opened.root));
            let lax = opened.lax_warning(path).and_then(|lax| lax.line.zip(lax.column));
            let lax = lax.map(|(line, column)| (messages::NOT_STRICT, TextPosition { line, column }));
            let problem = |(template, position): (MessageTemplate, TextPosition)| {
                Problem::new(template.render_plain(), path, Some(position))
            };
            parsed.problems.extend(lax.map(problem));
            let mark = file.head.starts_with(BYTE_ORDER_MARK).then_some((messages::BOM, START));
            let fix = || FileFix::new(path, FixChange::ByteOrderMark);
            parsed
                .problems
                .extend(mark.map(|mark| problem(mark).with_fix(Some(fix()))));
            parsed
        }
        Err(problem) => Parsed {
            problems: vec![problem],
            broken: vec![path.clone()],
            ..Parsed::default()
        },
    };
    drop_file(&mut parsed, path);
    parsed
}

/// Whether a file is one with settings, of which hooks are only a part.
pub(super) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// Reads the hooks in a file with settings. `state` beside the events is the agent's own trust.
fn parse_toml(tree: &SourceTree, file: &SourceFile) -> Parsed {
    let path = &tree.root.path;
    let broken = |problem: Problem| Parsed {
        problems: vec![problem],
        broken: vec![path.clone()],
        ..Parsed::default()
    };
    let text = match &file.text {
        Ok(text) => text,
        Err(problem) => return broken(problem.clone()),
    };
    match toml::read(text) {
        Ok(root) => {
            let mut parsed = event_list::read_file(
                &GROUPS,
                &tree.root,
                &id_part(&tree.root),
                &without_settings(&root, tree.root.managed),
            );
            parsed.problems.extend(setting_problems(&tree.root, &root));
            parsed
        }
        Err(error) => broken(Problem::new(error.message, path, Some(error.position))),
    }
}

/// What the switches of the project's files mean for all hooks, once they are approved.
pub(super) fn resolve_conflicts(hooks: &[&Hook], files: &[FileText<'_>]) -> ConflictReport {
    let mut out = ConflictReport::default();
    let is_of_project = |file: &&FileText<'_>| file.root.layer == Layer::Project && is_toml(file.path);
    let mut switches = Vec::new();
    for file in files.iter().filter(is_of_project) {
        // A file that does not parse is reported as such, and switches nothing.
        let config = toml::read(file.text).ok();
        let Some(name) = config.as_deref().and_then(trust::switched_off) else {
            continue;
        };
        let key = format!("features.{name} = false");
        let args = args! { "key" => key, "path" => file.path.display().to_string() };
        let value = [(format!("features.{name}"), Value::Bool(false))].into_iter().collect();
        let item = definition::settings_item(CARD.id, file.root, &id_part(file.root), value);
        switches.push((
            item.id.clone(),
            DisabledReason::Disabled(messages::answers::SWITCHED_OFF.render(args)),
        ));
        out.replacements.settings.push(Arc::new(item));
    }
    let rule = |hook: usize, (id, off): &(String, DisabledReason)| SettingsRule {
        hook,
        once: vec![id.clone()],
        off: hooks[hook].disabled_reason.clone().or_else(|| Some(off.clone())),
        handler: hooks[hook].handler.clone(),
    };
    for hook in 0..hooks.len() {
        let rules = switches.iter().map(|switch| rule(hook, switch));
        out.replacements.by_settings.extend(rules);
    }
    out
}

/// What the settings beside the hooks say about hooks: the switches, and the states of the agent's own trust.
fn setting_problems(root: &Root, node: &Node) -> Vec<Problem> {
    let path = &root.path;
    let is_project = root.layer == Layer::Project;
    let features = node
        .get("features")
        .and_then(|features| features.entries())
        .unwrap_or_default();
    let features = features.iter().filter(|entry| FEATURES.contains(&entry.key.as_str()));
    let mut problems = Vec::new();
    for entry in features {
        if entry.value.to_value().is_boolean() {
            continue;
        }
        let wanted = hookwright_model::term!("true or false");
        let field = format!("features.{}", entry.key);
        let args = args! { "field" => field, "wanted" => wanted, "found" => entry.value.json_type() };
        let problem = Problem::new(messages::FIELD_TYPE.render(args), path, Some(entry.value.position));
        problems.push(problem.with_severity(Severity::Error).rejecting_file());
    }
    let hooks = node.get("hooks").and_then(|hooks| hooks.entries()).unwrap_or_default();
    if let Some(state) = hooks.iter().find(|entry| entry.key == "state" && is_project) {
        problems.push(Problem::new(
            messages::PROJECT_STATE.render_plain(),
            path,
            Some(state.key_position),
        ));
    }
    problems
}

/// The file without what is beside the events and is none: the agent's own trust, and the folder of an administrator's
/// scripts.
fn without_settings(root: &Node, is_managed: bool) -> Node {
    let mut root = root.clone();
    let is_setting = |key: &str| key == "state" || is_managed && MANAGED_FOLDERS.contains(&key);
    if let ValueKind::Mapping { entries, .. } = &mut root.kind
        && let Some(hooks) = entries.iter_mut().find(|entry| entry.key == "hooks")
        && let ValueKind::Mapping { entries, .. } = &mut Arc::make_mut(&mut hooks.value).kind
    {
        entries.retain(|entry| !is_setting(&entry.key));
    }
    root
}

/// The part of the ids that names the file.
#[must_use]
pub fn id_part(root: &Root) -> String {
    if root.managed {
        return "managed".to_owned();
    }
    let name = root.path.file_stem().unwrap_or_default().to_string_lossy();
    match root.above {
        0 => name.into_owned(),
        above => format!("{name}-up{above}"),
    }
}

/// What is beside `hooks`: nothing but a description, which is a text.
fn root_problems(path: &Path, node: &Node) -> Vec<Problem> {
    let entries = node.entries().unwrap_or_default().iter().chain(node.duplicate_keys());
    let is_event = |entry: &Entry| CARD.event(&entry.key).is_some();
    let wrapper = add_wrapper_fix(path, node, is_event);
    let told = entries.filter_map(|entry| {
        let (message, position) = if !ROOT_KEYS.contains(&entry.key.as_str()) {
            (
                render!(messages::UNKNOWN_ROOT, "field" => entry.key),
                entry.key_position,
            )
        } else if entry.key == "description" && entry.value.string().is_none() {
            let wanted = hookwright_model::term!("a string");
            let args = args! { "field" => entry.key, "wanted" => wanted, "found" => entry.value.json_type() };
            (messages::FIELD_TYPE.render(args), entry.value.position)
        } else {
            return None;
        };
        Some(
            Problem::new(message, path, Some(position))
                .with_severity(Severity::Error)
                .rejecting_file()
                .with_fix(wrapper.clone().filter(|_| is_event(entry))),
        )
    });
    let again = node
        .duplicate_keys()
        .iter()
        .filter(|entry| entry.key != "hooks")
        .map(|entry| {
            let message = render!(messages::DUPLICATE_KEY, "key" => entry.key);
            Problem::new(message, path, Some(entry.key_position))
        });
    told.chain(again).collect()
}

fn check_group(event: &str, group: &Fields<'_>, problems: &mut Problems<'_>) {
    if let Some(message) = group.given("matcher").and_then(|_| idle_matcher_message(event)) {
        problems.report(message, group.position("matcher"));
    }
}

/// The message about a matcher at an event that ignores it.
pub(super) fn idle_matcher_message(event: &str) -> Option<Message> {
    let ignores_matcher = CARD.event(event).is_some_and(|spec| spec.subject.is_none());
    ignores_matcher.then(|| render!(messages::MATCHER_IDLE, "event" => event))
}

/// If an error makes the agent drop the file: none of its hooks is valid, and the file counts as one that does not parse.
pub(super) fn drop_file(parsed: &mut Parsed, path: &Path) {
    for problem in &mut parsed.problems {
        problem.rejects_file |= matches!(problem.code, Code::DuplicateKey | Code::Syntax);
    }
    let Some(defect) = parsed.problems.iter().find(|problem| problem.rejects_file) else {
        return;
    };
    let (line, code) = (defect.line.unwrap_or(1), defect.code);
    let (template, agent) = if is_toml(path) {
        (&messages::COSTS_START, BrokenFile::RefusesToStart)
    } else {
        (&messages::COSTS_FILE, CARD.broken_file)
    };
    let message = template.render(args! {
        "line" => line, "defect" => code.as_str(), "hooks" => parsed.hooks.len(), "agent" => agent.as_str(),
    });
    for hook in &mut parsed.hooks {
        Arc::make_mut(hook).invalid = Some(message.clone());
    }
    // A text that is no TOML has more consequences than those that its own message names.
    if code != Code::Syntax || is_toml(path) {
        let position = TextPosition {
            line,
            column: defect.column.unwrap_or(1),
        };
        parsed.problems.push(Problem::new(message, path, Some(position)));
    }
    parsed.broken = vec![path.to_owned()];
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
