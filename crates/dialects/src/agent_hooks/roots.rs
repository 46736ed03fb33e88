//! The roots of hooks, repeated names, and the files that belong to a hook (`agent-hooks.md` §1).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_model::event::EventSpec;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ConflictReport, DirProbe, DisabledReason, EditContext, EditPlan, EditRequest, FileText, Files, Hook, HookId,
    InnerFolder, Layer, LintContext, Locations, Message, MessageTemplate, Parsed, Problem, ReplacementRule, Root,
    RootKind, SourceTree, args, render,
};
use serde_json::{Map, Value};

use super::{AgentHooks, entry, messages};
use crate::{editing, relay};

/// The time limit of the relay's hooks, in milliseconds: the longest one that is not reported (`agent-hooks.md` §2). A
/// chain has no limit of its own.
const RELAY_TIMEOUT_MS: u32 = 600_000;

/// The beginning of the names of the relay's hooks; the event follows (`CONTRACTS.md` §4).
const RELAY_NAME: &str = "hookwright-relay-";

/// The file that makes a folder a hook.
pub const HOOK_FILE: &str = "HOOK.md";

impl Files for AgentHooks {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        roots(places)
    }

    /// The paths at which a script can be next to a HOOK.md that was read.
    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        let hooks = tree.files.keys().filter(|path| path.ends_with(HOOK_FILE));
        let folders = hooks.filter_map(|path| path.parent());
        folders
            .flat_map(|folder| entry::CANDIDATES.iter().map(|candidate| folder.join(candidate)))
            .collect()
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        super::definition::parse(tree)
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _: &[InnerFolder], _: &[FileText<'_>]) -> ConflictReport {
        resolve_conflicts(hooks)
    }

    /// The root to which a `HOOK.md` belongs. In a folder of `.agents/hooks` it is that project's root. In one of the
    /// user's roots it is that root. Then the whole root is read, because names can be repeated in it. Any other `HOOK.md`
    /// is read alone, as the user's.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        if path.file_name()? != HOOK_FILE {
            return None;
        }
        let place = path.parent()?.parent();
        // One that is too high or too deep in it is not read, and the root says so.
        if let Some(place) = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.ends_with(".agents/hooks"))
        {
            let project = place.parent()?.parent()?;
            return Some(folder_root(Layer::Project, place.to_owned(), Some(project.to_owned())));
        }
        let of_user = roots(places).into_iter().find(|root| Some(&*root.path) == place);
        Some(of_user.unwrap_or_else(|| Root::file(Layer::User, path.to_owned(), None)))
    }

    /// Other agents have a `HOOK.md` too. One outside of the folders of Agent Hooks has a line `trigger:`.
    fn found_by_scan(&self, path: &Path, text: &dyn Fn() -> String) -> bool {
        let place = path.parent().and_then(Path::parent);
        let is_own = place.is_some_and(|place| place.ends_with("agents/hooks") || place.ends_with(".agents/hooks"));
        is_own || text().lines().any(|line| line.starts_with("trigger:"))
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&super::edit::HookFolders, context, request))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let script = format!(
            "#!/bin/sh\nexec {}\n",
            relay::hook_command(super::events::CARD.id, relay)
        );
        let hook = |event: &EventSpec| {
            let fields = [
                ("name", Value::from(format!("{RELAY_NAME}{}", event.name))),
                (
                    "description",
                    Value::from(format!("Sends {} to Hookwright", event.name)),
                ),
                ("trigger", Value::from(event.name)),
                ("timeout", Value::from(RELAY_TIMEOUT_MS)),
                ("script", Value::from(script.as_str())),
            ];
            (event.name, relay::fields_of(&fields))
        };
        super::events::CARD.events.iter().map(hook).collect()
    }

    /// The message for a user who has a released agent of Kimi.
    fn relay_notice(&self, places: &Locations, dirs: &dyn DirProbe) -> Option<Message> {
        let mut folders = RELEASED_AGENTS.iter().map(|name| places.home.join(name));
        let file = folders.find(|folder| dirs.is_dir(folder))?.join("config.toml");
        Some(render!(messages::connecting::RELEASED_AGENT, "file" => file.display().to_string()))
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

/// The user's roots, that of `XDG_CONFIG_HOME` first, then the project's root.
#[must_use]
pub fn roots(places: &Locations) -> Vec<Root> {
    let mut user: Vec<PathBuf> = Vec::new();
    // By the rules of this variable, a relative path counts as unset.
    let set = places.vars.get("XDG_CONFIG_HOME").map(Path::new);
    user.extend(
        set.filter(|path| path.is_absolute())
            .map(|path| path.join("agents/hooks")),
    );
    user.push(places.home.join(".config/agents/hooks"));
    user.dedup();
    let user = user.into_iter().map(|path| folder_root(Layer::User, path, None));
    let project = places.project.clone();
    user.chain([folder_root(
        Layer::Project,
        project.join(".agents").join("hooks"),
        Some(project),
    )])
    .collect()
}

/// The folders of Kimi's released agents in the home directory. kimi-cli 1.50.0 and Kimi Code 2.1.0 read hooks from
/// `config.toml` in it, and no folder of Agent Hooks.
const RELEASED_AGENTS: [&str; 2] = [".kimi", ".kimi-code"];

fn folder_root(layer: Layer, path: PathBuf, project: Option<PathBuf>) -> Root {
    Root {
        layer,
        path,
        project,
        reads: RootKind::Folders(HOOK_FILE),
        managed: false,
        above: 0,
    }
}

/// Resolves repeated names. In one root the last folder wins, between the user's roots the first root. A project's hook
/// replaces the user's after it is approved. An invalid hook replaces no other hook.
#[must_use]
pub fn resolve_conflicts(hooks: &[&Hook]) -> ConflictReport {
    let mut out = ConflictReport {
        renamed: rename_duplicates(hooks),
        ..ConflictReport::default()
    };
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, hook) in hooks.iter().enumerate() {
        if hook.invalid.is_none() {
            by_name.entry(&hook.label).or_default().push(index);
        }
    }
    for (name, mine) in by_name.into_iter().filter(|(_, mine)| mine.len() > 1) {
        let (project, user): (Vec<usize>, Vec<usize>) = mine
            .into_iter()
            .partition(|index| hooks[*index].source.layer == Layer::Project);
        let mut group = SameNameHooks {
            hooks,
            name,
            out: &mut out,
        };
        group.resolve_user_hooks(&user);
        group.resolve_project_hooks(&project);
        if !user.is_empty() && !project.is_empty() {
            group.replace_once_approved(winner(hooks, &user), &project);
        }
    }
    out
}

/// Hooks that have the same name.
struct SameNameHooks<'a> {
    hooks: &'a [&'a Hook],
    name: &'a str,
    out: &'a mut ConflictReport,
}

impl SameNameHooks<'_> {
    fn resolve_user_hooks(&mut self, mine: &[usize]) {
        let winner = winner(self.hooks, mine);
        for &index in mine.iter().filter(|index| **index != winner) {
            let here = mine
                .iter()
                .filter(|other| hooks_root(self.hooks[**other]) == hooks_root(self.hooks[index]));
            // The last folder of this root. A hook of another root may replace it in turn.
            let last = here.copied().max().unwrap_or(index);
            let (by, template) = if last == index {
                (winner, messages::SHADOWED)
            } else {
                (last, messages::DUPLICATE_NAME)
            };
            self.report(index, by, template);
            let by = self.id(by);
            self.out.disabled.push((index, DisabledReason::Shadowed(by)));
        }
    }

    /// Each project folder replaces the folders before it only after its own approval.
    fn resolve_project_hooks(&mut self, mine: &[usize]) {
        for (nth, &index) in mine.iter().enumerate() {
            let later = &mine[nth + 1..];
            if let Some(&last) = later.last() {
                self.report(index, last, messages::DUPLICATE_NAME);
            }
            self.add_replacement_rules(index, later);
        }
    }

    fn replace_once_approved(&mut self, index: usize, project: &[usize]) {
        if let Some(&last) = project.last() {
            self.report(index, last, messages::SHADOWED_ONCE_APPROVED);
        }
        self.add_replacement_rules(index, project);
    }

    /// Adds one rule per hook of `by`. The last folder has precedence, so its rule comes first.
    fn add_replacement_rules(&mut self, hook: usize, by: &[usize]) {
        for &other in by.iter().rev() {
            let by = self.id(other);
            self.out.replacements.rules.push(ReplacementRule {
                hook,
                once: vec![by.clone()],
                by,
            });
        }
    }

    fn id(&self, index: usize) -> HookId {
        let renamed = self.out.renamed.get(&index);
        renamed.unwrap_or(&self.hooks[index].id).clone()
    }

    fn report(&mut self, index: usize, other: usize, template: MessageTemplate) {
        let other = self.hooks[other].source.path.display().to_string();
        let message = template.render(args! { "name" => self.name, "other" => other });
        let id = self.id(index);
        self.out.problems.push(problem_at_name(self.hooks[index], &id, message));
    }
}

/// The hook that wins among hooks of one name. In the project's root, otherwise in the first root, it is the last
/// folder.
fn winner(hooks: &[&Hook], mine: &[usize]) -> usize {
    let first_of = |layer| mine.iter().copied().find(|index| hooks[*index].source.layer == layer);
    let first = first_of(Layer::Project)
        .or_else(|| mine.first().copied())
        .unwrap_or_default();
    let same_root = mine
        .iter()
        .copied()
        .filter(|index| hooks_root(hooks[*index]) == hooks_root(hooks[first]));
    same_root.max().unwrap_or(first)
}

/// The root in which a hook was found: the folder that contains the hook's folder.
fn hooks_root(hook: &Hook) -> Option<&Path> {
    hook.source.path.parent()?.parent()
}

fn problem_at_name(hook: &Hook, id: &str, message: Message) -> Problem {
    let hook_position = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let position = hook.field_positions.get("name").unwrap_or(hook_position);
    Problem::new(message, &hook.source.path, Some(position)).for_hook(id)
}

/// Gives a number to all but one of the hooks that have the same id, so that each can be addressed, muted and approved
/// separately. The valid hook that wins keeps the id; without a valid hook it is the first one.
fn rename_duplicates(hooks: &[&Hook]) -> BTreeMap<usize, String> {
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, hook) in hooks.iter().enumerate() {
        by_id.entry(&hook.id).or_default().push(index);
    }
    let mut taken: BTreeSet<String> = by_id.keys().map(|id| (*id).to_owned()).collect();
    let mut out = BTreeMap::new();
    for (id, mine) in by_id.into_iter().filter(|(_, mine)| mine.len() > 1) {
        let valid: Vec<usize> = mine
            .iter()
            .copied()
            .filter(|index| hooks[*index].invalid.is_none())
            .collect();
        let keeps = if valid.is_empty() {
            mine[0]
        } else {
            winner(hooks, &valid)
        };
        for &index in mine.iter().filter(|index| **index != keeps) {
            let spare = (2_u32..)
                .map(|nth| format!("{id}.{nth}"))
                .find(|name| taken.insert(name.clone()));
            out.insert(index, spare.unwrap_or_default());
        }
    }
    out
}

#[cfg(test)]
#[path = "roots_tests.rs"]
mod tests;
