//! Reads settings files, from text to hooks (`claude-code.md` §1, §2), and says what a bad definition costs.
//!
//! Reading never fails as a whole: each error becomes a Problem. At some events the agent drops the whole file because of
//! one. Its hooks stay listed, and none of them runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::definition::DefinitionError::WrongType;
use hookwright_model::definition::DefinitionKind::{self, Flag, OpenMapping, Text, TextMap, Words};
use hookwright_model::definition::{ValueType, rejects};
use hookwright_model::{
    Code, DisabledReason, Layer, Message, Parsed, Problem, Root, RootKind, Severity, SourceFile, SourceTree, args,
    definition_field as field, render, term,
};

use super::events::{CARD, rules};
use super::schema::{CALLBACK_TIMEOUT_SECS, DEFINITION, GROUP, REGISTRATION};
use super::{entry, messages, places, plugins};
use crate::definition::{self, Fields, Problems};
use crate::event_list::{self, Callbacks, Groups, ListMessages};
use crate::misplaced;
use crate::node::{Entry, Node, ValueKind};
use crate::wrapper_fix::add_wrapper_fix;

/// How groups are read.
pub(super) static GROUPS: Groups = Groups {
    card: &CARD,
    group: &GROUP,
    lists: ListMessages {
        list_type: messages::EVENT_TYPE,
        rejects_file: |event| rules(event).costs_file,
        duplicate: messages::DUPLICATE_EVENT,
        last_counts: true,
        unknown_event: |entry| unknown_event_message(&entry.key),
    },
    section_type: messages::SECTION_TYPE,
    section_rejects: false,
    inherited_flags: &[],
    check: check_group,
    read_entry: entry::read,
};

/// How callbacks are read.
pub(super) static CALLBACKS: Callbacks = Callbacks {
    groups: &GROUPS,
    fields: &REGISTRATION,
    check_timeout: |_, fields, problems| entry::warn_long_timeout(fields, problems),
    time_limit: |_, fields| match fields.get("timeout") {
        Some(_) => fields.duration("timeout"),
        None => Duration::from_secs(CALLBACK_TIMEOUT_SECS),
    },
    tier: 1,
};

/// The switches and lists of a file that are about hooks, and what else costs the file if its type is wrong.
#[rustfmt::skip]
static SETTINGS: DefinitionKind = OpenMapping(&[
    field!("disableAllHooks": Flag, "All hooks off" "关闭全部 Hook", "Switches all hooks off." "关闭全部 Hook。"),
    field!("allowManagedHooksOnly": Flag, "Managed hooks only" "仅受管 Hook", "Switches all other hooks off." "关闭其他 Hook。"),
    field!("allowedHttpHookUrls": Words, "URLs" "网址", "The URLs that hooks may call." "Hook 可访问的网址。"),
    field!("httpHookAllowedEnvVars": Words, "Variables" "变量", "The variables that headers may contain." "请求头中可使用的变量。"),
    field!("permissions": DefinitionKind::OpenMapping(&[]), "Permissions" "权限", "Rules about permissions." "权限规则。",
        messages(&[rejects(WrongType(ValueType::Mapping), messages::FIELD_TYPE)])),
    field!("env": TextMap, "Environment" "环境变量", "Variables of the agent." "Agent 的环境变量。",
        messages(&[rejects(WrongType(ValueType::Mapping), messages::FIELD_TYPE)])),
    field!("model": Text, "Model" "模型", "The model." "模型。"),
]);

/// How a message about an error that costs the file begins.
const DROPS: &str = "Claude Code drops this whole file";

/// The switch that leaves only the hooks of plugins and of an administrator on.
pub(super) const PLUGIN_ONLY: &str = "strictPluginOnlyCustomization";
/// Settings that go with a file that the agent drops, for the message.
const LOST_SETTINGS: [&str; 3] = ["permissions", "env", "model"];

/// Reads the files of a root: settings, plugins, or the front matter of skills.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    match tree.root.reads {
        RootKind::Folders(plugins::MANIFEST) => plugins::parse(tree),
        RootKind::Folders(_) | RootKind::FilesBelow(_) => plugins::parse_front_matter(tree),
        RootKind::FilesIn(_) => {
            let mut all = Parsed::default();
            for (path, file) in &tree.files {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let root = Root {
                    path: path.clone(),
                    reads: RootKind::File,
                    ..tree.root.clone()
                };
                all.extend(read_source(&root, &format!("managed-{stem}"), Some(file)));
            }
            all
        }
        RootKind::File if tree.root.path.ends_with(plugins::MANIFEST) => plugins::parse(tree),
        RootKind::File => {
            let path = &tree.root.path;
            let plugin = places::plugin_of(path).and_then(Path::file_name);
            let part = plugin.map(|name| format!("plugin-{}", name.to_string_lossy()));
            let part = part.as_deref().unwrap_or_else(|| places::id_part(path));
            let parsed = read_source(&tree.root, part, tree.files.get(path));
            if tree.root.layer == Layer::Project && places::is_copy_of_settings(path) {
                return only_listed(parsed);
            }
            parsed
        }
    }
}

/// The hooks of a file that the agent does not read. What is wrong in it has no effect.
fn only_listed(mut parsed: Parsed) -> Parsed {
    for hook in &mut parsed.hooks {
        let off = DisabledReason::Disabled(messages::answers::OTHER_NAME.render_plain());
        Arc::make_mut(hook).disabled_reason = Some(off);
    }
    parsed.problems.clear();
    parsed
}

/// Reads a file with hooks. `part` is the part of the ids that names it.
#[must_use]
pub fn read_source(root: &Root, part: &str, file: Option<&SourceFile>) -> Parsed {
    let path = &root.path;
    let Some(file) = file else {
        return Parsed::default();
    };
    let mut file = match definition::open(&DEFINITION, path, file) {
        Ok(None) => return Parsed::default(),
        Ok(Some(file)) => file,
        Err(problem) => {
            return Parsed {
                problems: vec![problem],
                broken: vec![path.clone()],
                ..Parsed::default()
            };
        }
    };
    let node = file.root.clone();
    let mut parsed = event_list::read_file(&GROUPS, root, part, &node);
    let mut problems = Problems::new(path, None, node.position);
    let settings = definition::read(&DEFINITION, &SETTINGS, "", &node, &mut problems);
    check_plugin_only(&settings, &mut problems);
    let is_about_hooks = !parsed.hooks.is_empty() || !parsed.problems.is_empty();
    let odd = file.odd_warnings(path).into_iter().filter(|_| is_about_hooks);
    parsed.problems.extend(odd);
    let is_counted = |problem: &Problem| problem.code != Code::DuplicateKey || problem.args["key"] != "hooks";
    parsed
        .problems
        .extend(problems.into_list().into_iter().filter(is_counted));
    parsed.problems.extend(beside_hooks(path, &node));
    let has_event = |value: &Node| event_list::has_event(&CARD, value);
    parsed
        .problems
        .extend(misplaced::wrong_wrapper(&CARD, path, &node, has_event));
    parsed
        .problems
        .extend(file.lax_warning(path).map(|problem| not_strict(&problem)));
    let lost: Vec<&str> = LOST_SETTINGS
        .into_iter()
        .filter(|name| settings.given(name).is_some())
        .collect();
    drop_file(&mut parsed, path, &lost);
    parsed
}

/// Checks the switch that is either a flag or a list.
fn check_plugin_only(settings: &Fields<'_>, problems: &mut Problems<'_>) {
    let Some(value) = settings.get(PLUGIN_ONLY) else { return };
    let written = value.to_value();
    let is_list = |items: &Vec<serde_json::Value>| items.iter().all(serde_json::Value::is_string);
    let is_right = written.is_boolean() || written.as_array().is_some_and(is_list);
    if !is_right {
        let wanted = term!("true or false");
        let args = args! { "field" => PLUGIN_ONLY, "wanted" => wanted, "found" => value.json_type() };
        problems.report_rejected(messages::FIELD_TYPE.render(args), value.position);
    }
}

/// Checks what no row can say about a group, and keeps what an error costs to what it costs at this event.
fn check_group(event: &str, group: &Fields<'_>, problems: &mut Problems<'_>) {
    if let Some(message) = group
        .text("matcher")
        .and_then(|matcher| idle_matcher_message(event, matcher))
    {
        problems.report(message, group.position("matcher"));
    }
    keep_cost(event, problems);
}

/// Takes back that an error costs the file, at an event where it costs only its own part.
pub(super) fn keep_cost(event: &str, problems: &mut Problems<'_>) {
    if !rules(event).costs_file {
        problems.spare_file();
    }
}

/// The message about a matcher that the event ignores, unless it matches everything anyway.
pub(super) fn idle_matcher_message(event: &str, matcher: &str) -> Option<Message> {
    let ignores_matcher = CARD.event(event).is_some_and(|spec| spec.subject.is_none());
    let excludes = !["", "*"].contains(&matcher);
    (ignores_matcher && excludes).then(|| render!(messages::MATCHER_IDLE, "event" => event))
}

fn unknown_event_message(event: &str) -> Message {
    definition::unknown_event(&CARD, event, messages::UNKNOWN_EVENT_NEAR, messages::UNKNOWN_EVENT)
}

/// Groups beside `hooks`. Under an event at which a bad entry costs the file, or under a name that is no event, they
/// cost it too.
fn beside_hooks(path: &Path, node: &Node) -> Vec<Problem> {
    let entries = node.entries().unwrap_or_default();
    let spares_file = |event: &str| CARD.event(event).is_some() && !rules(event).costs_file;
    let outside = entries
        .iter()
        .filter(|entry| spares_file(&entry.key) || has_groups(&entry.value));
    let reported: Vec<&Entry> = outside
        .filter(|entry| entry.key != "hooks" && !DEFINITION.is_note(&entry.key))
        .collect();
    let fix = add_wrapper_fix(path, node, |entry| reported.iter().any(|it| it.key == entry.key));
    reported
        .iter()
        .map(|entry| {
            let message = render!(messages::BESIDE_HOOKS, "field" => entry.key);
            let problem = Problem::new(message, path, Some(entry.key_position)).with_fix(fix.clone());
            if spares_file(&entry.key) {
                problem
            } else {
                problem.with_severity(Severity::Error).rejecting_file()
            }
        })
        .collect()
}

/// Whether a value is a filled list of groups.
fn has_groups(value: &Node) -> bool {
    let ValueKind::List(items) = &value.kind else {
        return false;
    };
    !items.is_empty() && items.iter().all(|item| item.get("hooks").is_some())
}

/// The error that a file is no strict JSON, which costs it.
fn not_strict(lax: &Problem) -> Problem {
    let position = lax.line.zip(lax.column);
    let position = position.map(|(line, column)| hookwright_model::problem::TextPosition { line, column });
    Problem::new(messages::NOT_STRICT.render_plain(), &lax.path, position).rejecting_file()
}

/// If an error costs the file: none of its hooks is valid, and the file counts as one that does not parse. `lost` are the
/// other settings that go with it.
pub(super) fn drop_file(parsed: &mut Parsed, path: &Path, lost: &[&str]) {
    let count = parsed.hooks.len();
    let mut first = None;
    for problem in parsed.problems.iter_mut().filter(|problem| problem.rejects_file) {
        for (name, value) in args! { "costs" => "file", "hooks" => count, "settings" => lost } {
            problem.args.insert(name, value);
        }
        // Some messages say so themselves, of the file or of the plugin.
        if !problem.message.contains("whole") {
            let hooks = format!("hooks: {count}");
            let parts: Vec<&str> = std::iter::once(hooks.as_str()).chain(lost.iter().copied()).collect();
            problem.message = format!("{DROPS} ({}): {}", parts.join(", "), problem.message);
        }
        first.get_or_insert_with(|| Message {
            code: problem.code.as_str(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        });
    }
    let Some(message) = first else { return };
    for hook in &mut parsed.hooks {
        Arc::make_mut(hook).invalid.get_or_insert_with(|| message.clone());
    }
    parsed.broken = vec![path.to_owned()];
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
