//! Reads `config.json` into hooks (`picoclaw.md` §1, §2). It never fails: every error becomes a Problem and affects
//! only its own part of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookwright_model::definition::DefinitionField;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ConflictReport, DirProbe, DisabledReason, EVERY_EVENT, EditContext, EditPlan, EditRequest, FileText, Files, Hook,
    HookId, InnerFolder, Layer, LintContext, Locations, Message, Parsed, PlacedBy, Problem, ReplacementRule, Root,
    SessionRegistration, SourceTree, args, render,
};
use serde_json::{Map, Value};

use super::entry::{self, ProcessLimits};
use super::events::CARD;
use super::schema::{DEFAULTS_FIELDS, DEFINITION, HOOKS};
use super::{Picoclaw, messages};
use crate::definition::{self, Fields, Problems};
use crate::node::{Entry, Node};
use crate::splice::key;
use crate::wrapper_fix::add_wrapper_fix;
use crate::{editing, misplaced, relay};

/// A shorter limit for a response was probably written in seconds.
const SHORT_TIMEOUT_MS: i64 = 100;

impl Files for Picoclaw {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        roots(places)
    }

    /// Reads the file of a root.
    fn parse(&self, tree: &SourceTree) -> Parsed {
        definition::parse_root(&DEFINITION, tree, |node| read_file(&tree.root, node))
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(super::registration::read(registration))
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _: &[InnerFolder], _: &[FileText<'_>]) -> ConflictReport {
        resolve_conflicts(hooks)
    }

    /// The root of a file, if it is PicoClaw's: `config.json` in a `.picoclaw` folder. The file in the home directory is
    /// the user's.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        let folder = path.parent()?;
        if path.file_name()? != "config.json" || folder.file_name()? != ".picoclaw" {
            return None;
        }
        if path == config_path(&places.home) {
            return Some(Root::file(Layer::User, path.to_owned(), None));
        }
        let project = folder.parent()?.to_owned();
        Some(Root::file(Layer::Project, path.to_owned(), Some(project)))
    }

    fn definitions_to_add(&self, _tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        hooks.iter().map(|hook| super::edit::definition_to_add(hook)).collect()
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&super::edit::Processes, context, request))
    }

    /// One entry that serves all events. Only `hooks.defaults` has timeouts, and they hold for all entries of the file,
    /// so they stay as they are.
    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let arguments = relay::hook_arguments(CARD.id);
        let command: Vec<&str> = std::iter::once(relay).chain(arguments).collect();
        let fields = relay::fields_of(&[
            ("name", Value::from(relay::RELAY_PROGRAM)),
            ("enabled", Value::from(true)),
            ("command", Value::from(command)),
            ("observe", Value::from(vec!["*"])),
            ("intercept", Value::from(entry::POINTS.to_vec())),
        ]);
        vec![(CARD.first, fields)]
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

/// The user's file and the project's file (`picoclaw.md` §1). If the project is the home directory, there is only the
/// user's file.
#[must_use]
pub fn roots(places: &Locations) -> Vec<Root> {
    let project = places.project.clone();
    let user = Root::file(Layer::User, config_path(&places.home), None);
    let own = Root::file(Layer::Project, config_path(&project), Some(project));
    let own = (own.path != user.path).then_some(own);
    std::iter::once(user).chain(own).collect()
}

fn config_path(folder: &Path) -> PathBuf {
    folder.join(".picoclaw").join("config.json")
}

/// Processes that are not under `hooks`: all of them, or single ones.
fn outside_hooks(path: &Path, node: &Node) -> Vec<Problem> {
    let is_process = |value: &Node| {
        let has = |field| value.get(field).is_some();
        has("command") && (has("intercept") || has("observe") || has("enabled"))
    };
    let has_process = |value: &Node| {
        let mut entries = value.entries().unwrap_or_default().iter();
        entries.any(|entry| is_process(&entry.value))
    };
    let mut out = misplaced::wrong_wrapper(&CARD, path, node, |value| {
        value.get("processes").is_some() || value.get("builtins").is_some() || has_process(value)
    });
    for entry in node.entries().unwrap_or_default() {
        if entry.key == "processes" && has_process(&entry.value) {
            let fix = add_wrapper_fix(path, node, |other| other.key == entry.key);
            out.push(misplaced::outside(&CARD, path, entry, "hooks").with_fix(fix));
        } else if is_process(&entry.value) {
            out.push(misplaced::outside(&CARD, path, entry, "hooks.processes"));
        }
    }
    out
}

fn read_file(root: &Root, node: &Node) -> Parsed {
    let mut problems = Problems::new(&root.path, None, node.position);
    // It is unclear which value of a repeated key is intended.
    for again in node.duplicate_keys().iter().filter(|again| again.key == "hooks") {
        problems.report(render!(messages::DUPLICATE_KEY, "key" => again.key), again.key_position);
    }
    problems.extend(outside_hooks(&root.path, node));
    let mut hooks = Vec::new();
    if let Some(section) = node.get("hooks").filter(|section| !section.is_null()) {
        let fields = definition::read(&DEFINITION, &HOOKS, "hooks.", section, &mut problems);
        let limits = read_limits(&fields, &mut problems);
        if let Some(builtins) = fields.get("builtins") {
            builtins.for_each_duplicate_key(&mut |again| {
                problems.report(render!(messages::DUPLICATE_KEY, "key" => again.key), again.key_position);
            });
            let entries = builtins.entries().unwrap_or_default().iter();
            hooks.extend(entries.map(|entry| Arc::new(read_builtin(root, entry, &mut problems))));
        }
        let processes = fields.get("processes");
        let entries = processes.and_then(Node::entries).unwrap_or_default();
        let repeated = processes.into_iter().flat_map(Node::numbered_duplicates);
        let mut keys = BTreeSet::new();
        for (nth, entry) in entries.iter().map(|entry| (0, entry)).chain(repeated) {
            let first = entries.iter().find(|first| first.key == entry.key && nth > 0);
            let invalid = first.map(|first| {
                let line = first.key_position.line;
                render!(messages::DUPLICATE_ENTRY, "key" => entry.key, "line" => line)
            });
            let name = definition::free_key(&entry.key, &mut keys);
            let is_on = fields.flag("enabled");
            let (own, found) = entry::read(root, (entry, nth), &name, invalid, is_on, limits);
            hooks.extend(own.into_iter().map(Arc::new));
            problems.extend(found);
        }
    }
    Parsed {
        hooks,
        problems: problems.into_list(),
        broken: Vec::new(),
    }
}

/// The time limits of the file's processes. A limit that is missing or not positive has its default.
fn read_limits(fields: &Fields<'_>, problems: &mut Problems<'_>) -> ProcessLimits {
    let usual = ProcessLimits::default();
    let mut limit = |row: &DefinitionField, usual: Duration| {
        let name = format!("defaults.{}", row.name);
        let millis = fields.number(&name);
        if fields.get(&name).is_none() || millis < 1 {
            return usual;
        }
        // Nothing waits for an observer, so a short limit is common there.
        if millis < SHORT_TIMEOUT_MS && row.name != DEFAULTS_FIELDS[0].name {
            let field = format!("hooks.{name}");
            let args = args! { "field" => field, "written" => millis, "millis" => millis * 1000 };
            problems.report(messages::UNIT_SUSPECT.render(args), fields.position(&name));
        }
        Duration::from_millis(millis.unsigned_abs())
    };
    ProcessLimits {
        observer: limit(&DEFAULTS_FIELDS[0], usual.observer),
        interceptor: limit(&DEFAULTS_FIELDS[1], usual.interceptor),
        approval: limit(&DEFAULTS_FIELDS[2], usual.approval),
    }
}

/// Reads a hook that is compiled into the agent. It is shown, but never run.
fn read_builtin(root: &Root, entry: &Entry, problems: &mut Problems<'_>) -> Hook {
    let id = format!("{}{}", Layer::Builtin.id_prefix(CARD.id), entry.key);
    let root = Root::file(Layer::Builtin, root.path.clone(), None);
    let message = messages::BUILTIN.render_plain();
    let mut own = Problems::new(&root.path, Some(&id), entry.key_position);
    own.report(message.clone(), entry.key_position);
    let at = ["hooks", "builtins", &entry.key].map(key).to_vec();
    let definition = entry.value.to_value();
    let hook = Hook {
        label: entry.key.clone(),
        timeout: ProcessLimits::default().interceptor,
        rank: definition.get("priority").and_then(Value::as_i64),
        placed_by: PlacedBy::Definition,
        disabled_reason: Some(DisabledReason::AgentOnly(message)),
        ..definition::hook(CARD.id, &root, &own, EVERY_EVENT, at, definition)
    };
    problems.extend(own.into_list());
    hook
}

/// Resolves repeated names. A project's entry replaces the user's entry of the same name after it is approved. A hook
/// that is compiled into the agent exists only once, even if two files configure it. Its second row gets its own id.
#[must_use]
pub fn resolve_conflicts(hooks: &[&Hook]) -> ConflictReport {
    let mut report = ConflictReport::default();
    let mut reported = BTreeSet::new();
    let mut builtins: BTreeSet<HookId> = BTreeSet::new();
    let mut repeated = Vec::new();
    let invalid: BTreeSet<&str> = hooks
        .iter()
        .filter(|hook| hook.invalid.is_some())
        .map(|hook| hook.id.as_str())
        .collect();
    let of_project: BTreeMap<&str, &Hook> = hooks
        .iter()
        .filter(|hook| hook.source.layer == Layer::Project && !invalid.contains(hook.id.as_str()))
        .map(|hook| (hook.label.as_str(), *hook))
        .collect();
    for (index, hook) in hooks.iter().enumerate() {
        if hook.source.layer == Layer::Builtin {
            if !builtins.insert(hook.id.clone()) {
                repeated.push((index, hook));
            }
            continue;
        }
        let rival = of_project.get(hook.label.as_str());
        let Some(rival) = rival.filter(|_| hook.source.layer == Layer::User) else {
            continue;
        };
        report.replacements.rules.push(ReplacementRule {
            hook: index,
            by: rival.id.clone(),
            once: vec![rival.id.clone()],
        });
        if reported.insert(&hook.id) {
            let position = TextPosition {
                line: hook.source.line,
                column: hook.source.column,
            };
            let message = render!(messages::SHADOWED, "by" => rival.id);
            report
                .problems
                .push(Problem::new(message, &hook.source.path, Some(position)).for_hook(&hook.id));
        }
    }
    for (index, hook) in repeated {
        let mut numbered = (2_u32..).map(|nth| format!("{}.{nth}", hook.id));
        let free = numbered.find(|id| builtins.insert(id.clone()));
        report.renamed.extend(free.map(|id| (index, id)));
    }
    report
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
