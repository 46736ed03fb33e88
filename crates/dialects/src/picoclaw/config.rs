//! Reads `config.json` into hooks (`picoclaw.md` §1, §2). It never fails: every error becomes a Problem and affects
//! only its own part of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Condition, ConflictReport, DisabledReason, EVERY_EVENT, Handler, Hook, HookId, Layer, Locations,
    Message, OnFailure, Parsed, PlacedBy, Problem, ReplacementRule, Root, RunMode, Severity, Source, SourceTree, args,
};
use serde_json::Value;

use super::entry::{self, ProcessLimits};
use super::schema::MAX_TIMEOUT_MS;
use super::{messages, schema};
use crate::jsonc;
use crate::node::{Entry, Node, ValueKind, sort_keys};
use crate::splice::key;
use crate::suggest::nearest;

/// The known keys of `hooks`.
const HOOKS_FIELDS: [&str; 4] = field_names(&schema::HOOKS_FIELDS);
/// The known keys of `hooks.defaults`, in the order of [`ProcessLimits`].
const DEFAULTS_FIELDS: [&str; 3] = field_names(&schema::DEFAULTS_FIELDS);
/// A shorter limit for a response was probably written in seconds.
const SHORT_TIMEOUT_MS: i64 = 100;

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

/// The root of a file, if it is PicoClaw's: `config.json` in a `.picoclaw` folder. The file in the home directory is
/// the user's.
#[must_use]
pub fn detect_root(path: &Path, places: &Locations) -> Option<Root> {
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

/// Reads the file of a root.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let Some(file) = tree.files.get(&tree.root.path) else {
        return Parsed::default();
    };
    let broken = |problem| Parsed {
        hooks: Vec::new(),
        problems: vec![problem],
        broken: vec![tree.root.path.clone()],
    };
    let text = match &file.text {
        Ok(text) => text,
        Err(problem) => return broken(problem.clone()),
    };
    let read = match jsonc::read(text) {
        Ok(read) => read,
        Err(wrong) => return broken(Problem::new(wrong.message, &tree.root.path, Some(wrong.position))),
    };
    let Some(root) = read.root else {
        let begin = TextPosition { line: 1, column: 1 };
        return broken(Problem::new(
            messages::EMPTY_FILE.render_plain(),
            &tree.root.path,
            Some(begin),
        ));
    };
    let mut reader = ConfigReader::new(&tree.root);
    if root.entries().is_none() {
        let message = messages::FILE_TYPE.render(args! { "found" => root.json_type() });
        return broken(Problem::new(message, &tree.root.path, Some(root.position)));
    }
    reader.check_duplicate_keys(&root, "hooks");
    if let Some(hooks) = root.get("hooks").filter(|node| !node.is_null()) {
        reader.read_hooks(hooks);
    }
    if let (Some(lax), false) = (read.non_strict, reader.hooks.is_empty()) {
        let problem = Problem::new(lax.message, &tree.root.path, Some(lax.position));
        reader.problems.push(problem.with_severity(Severity::Warning));
    }
    Parsed {
        hooks: reader.hooks,
        problems: reader.problems,
        broken: Vec::new(),
    }
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
            let message = messages::SHADOWED.render(args! { "by" => rival.id });
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

/// Reads one file and collects its hooks and problems.
pub(super) struct ConfigReader<'a> {
    pub(super) root: &'a Root,
    pub(super) hooks: Vec<Hook>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> ConfigReader<'a> {
    pub(super) fn new(root: &'a Root) -> Self {
        Self {
            root,
            hooks: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn report(&mut self, message: Message, position: TextPosition) {
        self.problems
            .push(Problem::new(message, &self.root.path, Some(position)));
    }

    /// Reports a value because of which PicoClaw rejects the whole file.
    fn report_rejected(&mut self, message: Message, position: TextPosition) {
        let problem = Problem::new(message, &self.root.path, Some(position));
        self.problems.push(problem.rejecting_file());
    }

    /// Reports keys that are repeated at the top of the file or in `hooks`, because it is unclear which value is
    /// intended.
    fn check_duplicate_keys(&mut self, node: &Node, only: &str) {
        for entry in node.duplicate_keys() {
            if only.is_empty() || entry.key == only {
                self.report(
                    messages::DUPLICATE_KEY.render(args! { "key" => entry.key }),
                    entry.key_position,
                );
            }
        }
    }

    fn read_hooks(&mut self, node: &Node) {
        let Some(entries) = self.object_entries("hooks", node) else {
            return;
        };
        self.check_duplicate_keys(node, "");
        self.report_unknown_fields(entries, "hooks.", &HOOKS_FIELDS);
        let enabled = node
            .get("enabled")
            .is_none_or(|node| self.read_flag("hooks.enabled", node));
        let limits = node
            .get("defaults")
            .map_or_else(ProcessLimits::default, |node| self.read_defaults(node));
        if let Some(builtins) = node.get("builtins").filter(|node| !node.is_null()) {
            let entries = self.object_entries("hooks.builtins", builtins).unwrap_or_default();
            builtins.for_each_duplicate_key(&mut |again| {
                self.report(
                    messages::DUPLICATE_KEY.render(args! { "key" => again.key }),
                    again.key_position,
                );
            });
            for entry in entries {
                self.read_builtin(entry);
            }
        }
        if let Some(processes) = node.get("processes").filter(|node| !node.is_null()) {
            self.read_processes(processes, enabled, limits);
        }
    }

    fn read_processes(&mut self, node: &Node, enabled: bool, limits: ProcessLimits) {
        let Some(entries) = self.object_entries("hooks.processes", node) else {
            return;
        };
        for entry in entries {
            entry::read(self, (entry, 0), &entry.key, None, enabled, limits);
        }
        let mut keys: BTreeSet<String> = entries.iter().map(|entry| entry.key.clone()).collect();
        for (nth, entry) in node.numbered_duplicates() {
            let first = entries.iter().find(|first| first.key == entry.key);
            let line = first.map_or(1, |first| first.key_position.line);
            let message = messages::DUPLICATE_ENTRY.render(args! { "key" => entry.key, "line" => line });
            let spare = (2_u32..)
                .map(|nth| format!("{}.{nth}", entry.key))
                .find(|key| keys.insert(key.clone()));
            entry::read(
                self,
                (entry, nth),
                &spare.unwrap_or_default(),
                Some(message),
                enabled,
                limits,
            );
        }
    }

    /// The time limits of the file's processes. A limit that is missing or not positive has its default.
    fn read_defaults(&mut self, node: &Node) -> ProcessLimits {
        let mut limits = ProcessLimits::default();
        if node.is_null() {
            return limits;
        }
        let Some(entries) = self.object_entries("hooks.defaults", node) else {
            return limits;
        };
        self.check_duplicate_keys(node, "");
        self.report_unknown_fields(entries, "hooks.defaults.", &DEFAULTS_FIELDS);
        let places = [&mut limits.observer, &mut limits.interceptor, &mut limits.approval];
        for (name, place) in DEFAULTS_FIELDS.into_iter().zip(places) {
            let Some(node) = node.get(name).filter(|node| !node.is_null()) else {
                continue;
            };
            let field = format!("hooks.defaults.{name}");
            let written = match self.read_whole_number(&field, node).map(i64::try_from) {
                Some(Ok(written @ 1..)) => written,
                Some(Err(_)) if node.whole_number() > Some(0) => i64::MAX,
                Some(_) | None => continue,
            };
            if written > MAX_TIMEOUT_MS {
                let args = args! { "field" => field, "written" => node.exact_number(), "most" => MAX_TIMEOUT_MS };
                let message = messages::TOO_LONG.render(args);
                self.problems
                    .push(Problem::new(message, &self.root.path, Some(node.position)).with_severity(Severity::Warning));
            } else if written < SHORT_TIMEOUT_MS && name != DEFAULTS_FIELDS[0] {
                let args = args! { "field" => field, "written" => written, "millis" => written * 1000 };
                self.report(messages::UNIT_SUSPECT.render(args), node.position);
            }
            *place = Duration::from_millis(written.min(MAX_TIMEOUT_MS).unsigned_abs());
        }
        limits
    }

    /// Reads a hook that is compiled into the agent. It is shown, but never run.
    fn read_builtin(&mut self, entry: &Entry) {
        let id = format!("{}:{}:{}", super::events::CARD.id, Layer::Builtin.as_str(), entry.key);
        let definition = entry.value.to_value();
        let message = messages::BUILTIN.render_plain();
        self.problems
            .push(Problem::new(message.clone(), &self.root.path, Some(entry.key_position)).for_hook(&id));
        self.hooks.push(Hook {
            id,
            dialect: super::events::CARD.id,
            event: EVERY_EVENT.to_owned(),
            label: entry.key.clone(),
            handler: Handler::Builtin,
            when: Condition::default(),
            filter: None,
            timeout: ProcessLimits::default().interceptor,
            attempts: 1,
            on_failure: OnFailure::Open,
            mode: RunMode::Await,
            rank: definition.get("priority").and_then(Value::as_i64),
            source: Source {
                layer: Layer::Builtin,
                path: self.root.path.clone(),
                line: entry.key_position.line,
                column: entry.key_position.column,
                project: None,
            },
            at: ["hooks", "builtins", &entry.key].map(key).to_vec(),
            definition_text: sort_keys(&definition).to_string(),
            definition,
            field_positions: std::collections::BTreeMap::new(),
            inherited_text: String::new(),
            invalid: None,
            blocks_when_invalid: None,
            placed_by: PlacedBy::Definition,
            disabled_reason: Some(DisabledReason::AgentOnly(message)),
            wrapped: false,
            registered_by: None,
            approval_scope: ApprovalScope::Nothing,
        });
    }

    /// The entries of an object. Any other value is reported.
    fn object_entries<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n [Entry]> {
        let entries = node.entries();
        if entries.is_none() {
            let message = messages::OBJECT_TYPE.render(args! { "field" => field, "found" => node.json_type() });
            self.report_rejected(message, node.position);
        }
        entries
    }

    /// A boolean that is true if it is missing or wrong. A wrong value is reported.
    fn read_flag(&mut self, field: &str, node: &Node) -> bool {
        match &node.kind {
            ValueKind::Scalar {
                value: Value::Bool(value),
                ..
            } => *value,
            ValueKind::Scalar { value: Value::Null, .. } => true,
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                let message = messages::FLAG_TYPE.render(args! { "field" => field, "found" => node.json_type() });
                self.report_rejected(message, node.position);
                true
            }
        }
    }

    fn read_whole_number(&mut self, field: &str, node: &Node) -> Option<i128> {
        let found = node.whole_number();
        if found.is_none() {
            self.report_rejected(
                messages::INTEGER_TYPE.render(args! { "field" => field, "written" => written(node) }),
                node.position,
            );
        }
        found
    }

    /// Reports unknown keys. Keys that begin with `_` are notes of the author.
    fn report_unknown_fields(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries.iter().filter(|entry| !entry.key.starts_with('_')) {
            if let Some(message) = unknown_field_message(&entry.key, within, known) {
                self.report(message, entry.key_position);
            }
        }
    }
}

/// A whole number. One that is too large for `i64` becomes `i64::MAX`.
pub(super) fn whole_number(node: &Node) -> Option<i64> {
    match &node.kind {
        ValueKind::Scalar {
            value: Value::Number(number),
            ..
        } => number.as_i64().or_else(|| number.as_u64().map(|_| i64::MAX)),
        ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => None,
    }
}

/// A value as its author wrote it, for messages.
pub(super) fn written(node: &Node) -> String {
    match &node.kind {
        ValueKind::Scalar {
            value: Value::String(text),
            ..
        } => format!("\"{text}\""),
        ValueKind::Scalar { text, .. } => text.clone(),
        ValueKind::List(_) | ValueKind::Mapping { .. } => node.json_type().to_owned(),
    }
}

/// The message about an unknown key. `None` for a known key.
pub(super) fn unknown_field_message(key: &str, within: &str, known: &[&'static str]) -> Option<Message> {
    if known.contains(&key) {
        return None;
    }
    let field = format!("{within}{key}");
    Some(match nearest(key, known.iter().copied()) {
        Some(nearest) => messages::UNKNOWN_FIELD_NEAR.render(args! { "field" => field, "nearest" => nearest }),
        None => messages::UNKNOWN_FIELD.render(args! { "field" => field, "known" => known.join(", ") }),
    })
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
