//! Where hooks live, whose name counts, and which files belong to them (`agent-hooks.md` §1).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ConflictReport, DisabledReason, Hook, HookId, Layer, Locations, Message, MessageTemplate, Problem, ReplacementRule,
    Root, RootKind, SourceTree, args,
};

use super::{entry, messages};

/// The file that makes a folder a hook.
pub const HOOK_FILE: &str = "HOOK.md";

/// The user's places, the one of `XDG_CONFIG_HOME` first, and the project's.
#[must_use]
pub fn roots(places: &Locations) -> Vec<Root> {
    let mut user: Vec<PathBuf> = Vec::new();
    // A relative path in this variable counts as unset, by the rules of the variable.
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

fn folder_root(layer: Layer, path: PathBuf, project: Option<PathBuf>) -> Root {
    Root {
        layer,
        path,
        project,
        reads: RootKind::Folders(HOOK_FILE),
    }
}

/// A `HOOK.md` in a folder of `.agents/hooks` belongs to that project, one in a user's place to the user; with them the
/// place is read whole, since names given twice are of the place. Any other is read by itself, as the user's.
#[must_use]
pub fn detect_root(path: &Path, places: &Locations) -> Option<Root> {
    if path.file_name()? != HOOK_FILE {
        return None;
    }
    let place = path.parent()?.parent();
    if let Some(place) = place.filter(|place| place.ends_with(".agents/hooks")) {
        let project = place.parent()?.parent()?;
        return Some(folder_root(Layer::Project, place.to_owned(), Some(project.to_owned())));
    }
    let of_user = roots(places).into_iter().find(|root| Some(&*root.path) == place);
    Some(of_user.unwrap_or_else(|| Root::file(Layer::User, path.to_owned(), None)))
}

/// The scripts that may stand beside what was read.
#[must_use]
pub fn referenced_files(tree: &SourceTree) -> Vec<PathBuf> {
    let hooks = tree.files.keys().filter(|path| path.ends_with(HOOK_FILE));
    let folders = hooks.filter_map(|path| path.parent());
    folders
        .flat_map(|folder| entry::CANDIDATES.iter().map(|candidate| folder.join(candidate)))
        .collect()
}

/// Names given twice: in one place the last folder wins, between the user's places the first, and a project's hook
/// replaces the user's once it is approved. An invalid hook costs itself only: it replaces nobody.
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

/// Hooks of one name.
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
            // The last of this place, which may itself be replaced by another place's.
            let last = here.copied().max().unwrap_or(index);
            let (by, template) = if last == index {
                (winner, messages::SHADOWED)
            } else {
                (last, messages::DUPLICATE_NAME)
            };
            self.report(index, by, template);
            let by = self.id(by);
            self.out.off.push((index, DisabledReason::Shadowed(by)));
        }
    }

    /// In a project each folder needs an approval to replace those before it.
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

    /// The last folder is the strongest.
    fn add_replacement_rules(&mut self, hook: usize, by: &[usize]) {
        for &other in by.iter().rev() {
            let by = self.id(other);
            self.out.rivalry.rivals.push(ReplacementRule {
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

/// Among hooks of one name: the project's, else that of the first place; there the last folder.
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

/// The folder of hooks' folders that a hook was found in.
fn hooks_root(hook: &Hook) -> Option<&Path> {
    hook.source.path.parent()?.parent()
}

fn problem_at_name(hook: &Hook, id: &str, message: Message) -> Problem {
    let hook_position = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let position = hook.field_positions.get("name").copied().unwrap_or(hook_position);
    Problem::new(message, &hook.source.path, Some(position)).for_hook(id)
}

/// Of several hooks with one id, one that is in force keeps it; the others get a number behind it, so that each can be
/// asked for, muted and approved by itself.
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
