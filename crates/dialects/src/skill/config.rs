//! Finds skills and reads `hooks.json` into hooks (`skill.md` §1, §2). It never fails: every error becomes a Problem
//! and affects only its own part of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ConflictReport, DirProbe, DisabledReason, EditContext, EditPlan, EditRequest, FileText, Files, Hook, HookId,
    InnerFolder, Layer, LintContext, Locations, Message, Parsed, PathStep, Problem, ReplacementRule, Root, RootKind,
    SourceTree, args, render,
};
use serde_json::{Map, Value};

use super::definition::{self, EntrySite};
use super::schema::DEFINITION;
use super::{Skill, messages};
use crate::definition::{HookFile, open};
use crate::node::{Node, ValueKind};
use crate::suggest::nearest;
use crate::{editing, jsonc};

/// A skill's hook file, relative to the skill's folder.
pub(super) const HOOKS_FILE: &str = "hooks/hooks.json";

impl Files for Skill {
    /// The skill roots: `skills/` in the project, then the folders that the settings list.
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        let own = places.project.join("skills");
        let mut roots = vec![root(own, Some(places.project.clone()))];
        for path in &places.skills_roots {
            // A folder that is listed twice is read once.
            if roots.iter().all(|known| known.path != *path) {
                roots.push(root(path.clone(), None));
            }
        }
        roots
    }

    /// The text files that the entries name.
    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for (path, file) in tree.files.iter().filter(|(path, _)| path.ends_with(HOOKS_FILE)) {
            let (Some(folder), Ok(text)) = (path.parent(), &file.text) else {
                continue;
            };
            let Ok(read) = jsonc::read(text) else { continue };
            let lists = read.root.iter().flat_map(|root| lists(root)).map(|(_, list)| list);
            for entry in lists.filter_map(|list| items(list)).flatten() {
                paths.extend(definition::text_path(folder, entry));
            }
        }
        paths
    }

    /// Reads every skill of a root.
    fn parse(&self, tree: &SourceTree) -> Parsed {
        let mut parsed = Parsed::default();
        for (path, file) in tree.files.iter().filter(|(path, _)| path.ends_with(HOOKS_FILE)) {
            let mut reader = SkillFileReader {
                tree,
                path,
                folder: &file.folder,
                names: HashMap::new(),
                ids: HookIds::new(path),
                hooks: Vec::new(),
                problems: Vec::new(),
            };
            let presence = match open(&DEFINITION, path, file) {
                Ok(file) => file.map_or(FilePresence::Broken, |file| reader.read_file(file)),
                Err(problem) => {
                    reader.problems.push(problem);
                    FilePresence::Broken
                }
            };
            parsed.hooks.append(&mut reader.hooks);
            parsed.problems.append(&mut reader.problems);
            if let FilePresence::Broken = presence {
                parsed.broken.push(path.clone());
            }
        }
        parsed
    }

    /// Resolves a skill that is found in two roots. The first root wins, even if its skill has no hooks. A project's skill
    /// wins over the user's only after its hooks are approved (`skill.md` §1). `folders` are those of all skills, in the
    /// order of their roots.
    ///
    /// Hooks of different skills can have one id (skill `a:b` with hook `c`, skill `a` with hook `b:c`). The later one gets
    /// a number.
    fn resolve_conflicts(&self, hooks: &[&Hook], folders: &[InnerFolder], _: &[FileText<'_>]) -> ConflictReport {
        let found = SkillIndex::new(hooks, folders);
        let mut report = ConflictReport {
            renamed: rename_duplicates(hooks, &found),
            ..ConflictReport::default()
        };
        let mut reported: Vec<&Path> = Vec::new();
        for (index, hook) in hooks.iter().enumerate() {
            let (Some(root), skill) = (skills_root(&hook.source.path), skill_name(hook)) else {
                continue;
            };
            let of_user = found.user_roots.get(&skill).copied();
            if is_of_project(hook) {
                if of_user.is_some() {
                    report.replacements.always_need_approval.insert(index);
                }
                continue;
            }
            let (first, template) = match of_user.filter(|first| *first != root) {
                Some(first) => {
                    let by = replacement(hooks, hook, first).map(|other| other.id.clone());
                    let by =
                        by.unwrap_or_else(|| format!("{}:{}:{skill}", super::events::CARD.id, Layer::Skill.as_str()));
                    report.disabled.push((index, DisabledReason::Shadowed(by)));
                    (first, messages::SHADOWED)
                }
                None => {
                    let rivals = found.project_hooks.get(&skill).map(Vec::as_slice).unwrap_or_default();
                    let same = rivals.iter().find(|other| hooks[**other].label == hook.label);
                    let Some(&by) = same.or_else(|| rivals.first()) else {
                        continue;
                    };
                    let id = |index: usize| report.renamed.get(&index).unwrap_or(&hooks[index].id).clone();
                    let rival = ReplacementRule {
                        hook: index,
                        by: id(by),
                        once: rivals.iter().map(|other| id(*other)).collect(),
                    };
                    report.replacements.rules.push(rival);
                    let Some(first) = skills_root(&hooks[by].source.path) else {
                        continue;
                    };
                    (first, messages::SHADOWED_ONCE_APPROVED)
                }
            };
            if !reported.contains(&hook.source.path.as_path()) {
                reported.push(&hook.source.path);
                let message = template.render(args! { "skill" => skill, "first" => first.display().to_string() });
                report.problems.push(Problem::new(message, &hook.source.path, None));
            }
        }
        report
    }

    fn definitions_to_add(&self, tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        super::edit::definitions_to_add(tree, hooks)
    }

    /// The root of a file, if it is a skill's `hooks/hooks.json`: below `skills/<name>/`, or in a root that the settings
    /// list. Anywhere else such a file belongs to another agent (`CONTRACTS.md` §2).
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        let hooks = path.parent().filter(|_| path.ends_with(HOOKS_FILE))?;
        let skills = hooks.parent()?.parent()?;
        let listed = places.skills_roots.iter().any(|listed| listed == skills);
        let is_named = skills.file_name().is_some_and(|name| name == "skills");
        if !listed && !is_named {
            return None;
        }
        let project = skills.parent().filter(|_| !listed).map(Path::to_owned);
        Some(root(skills.to_owned(), project))
    }

    /// A plugin of another agent in a folder of skills has a file of the same name, with a mapping of events in it.
    fn found_by_scan(&self, _path: &Path, text: &dyn Fn() -> String) -> bool {
        let text = text();
        let root = jsonc::read(&text).ok().and_then(|read| read.root);
        !root.is_some_and(|root| root.get("hooks").is_some_and(|hooks| is_of_plugin(hooks)))
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&super::edit::Skills, context, request))
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        Some(format!("skill:{}", hook.source.path.display()))
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

fn root(path: PathBuf, project: Option<PathBuf>) -> Root {
    Root {
        layer: Layer::Skill,
        path,
        project,
        reads: RootKind::Folders(HOOKS_FILE),
        managed: false,
        above: 0,
        home: None,
    }
}

/// The name of the hook's skill: the folder above its `hooks` folder.
#[must_use]
pub fn skill_name(hook: &Hook) -> String {
    skill_name_of_file(&hook.source.path)
}

fn skill_name_of_file(file: &Path) -> String {
    let folder = file.parent().and_then(Path::parent).and_then(Path::file_name);
    folder
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn skills_root(file: &Path) -> Option<&Path> {
    file.parent()?.parent()?.parent()
}

/// The values of `hooks` with the position of each key. Usually there is one.
fn lists(root: &Node) -> impl Iterator<Item = (TextPosition, &Arc<Node>)> {
    let entries = root.entries().unwrap_or_default().iter().chain(root.duplicate_keys());
    entries
        .filter(|entry| entry.key == "hooks")
        .map(|entry| (entry.key_position, &entry.value))
}

fn items(list: &Node) -> Option<&[Arc<Node>]> {
    match &list.kind {
        ValueKind::List(items) => Some(items),
        ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => None,
    }
}

/// Whether the value of `hooks` maps events to lists, as in the file of a plugin.
fn is_of_plugin(hooks: &Node) -> bool {
    let events = hooks.entries().unwrap_or_default();
    !events.is_empty() && events.iter().all(|event| items(&event.value).is_some())
}

/// Assigns the ids of a file's hooks, in their order.
pub(super) struct HookIds {
    skill: String,
    taken: HashSet<String>,
}

impl HookIds {
    pub fn new(file: &Path) -> Self {
        Self {
            skill: skill_name_of_file(file),
            taken: HashSet::new(),
        }
    }

    /// The part of the id after the layer: `<skill>:<name>`. A repeated name gets the first of `#2`, `#3`… that is free.
    /// An entry without a name gets its index in the list.
    pub fn next_name(&mut self, name: Option<&str>, index: usize) -> String {
        let key = name.map_or_else(|| format!("[{index}]"), str::to_owned);
        let first = format!("{}:{key}", self.skill);
        let numbered = (2_u32..).map(|nth| format!("{first}#{nth}"));
        let free = std::iter::once(first.clone())
            .chain(numbered)
            .find(|name| self.taken.insert(name.clone()));
        free.unwrap_or(first)
    }
}

/// Whether a file contains a readable list of hooks.
enum FilePresence {
    Read,
    Broken,
}

struct SkillFileReader<'a> {
    tree: &'a SourceTree,
    path: &'a Path,
    folder: &'a Path,
    /// The names so far, with the line of the first entry that has the name.
    names: HashMap<String, u32>,
    ids: HookIds,
    hooks: Vec<Arc<Hook>>,
    problems: Vec<Problem>,
}

impl SkillFileReader<'_> {
    fn read_file(&mut self, mut file: HookFile) -> FilePresence {
        let root = Arc::clone(&file.root);
        self.problems.extend(file.odd_warnings(self.path));
        let entries = root.entries().unwrap_or_default();
        for entry in entries
            .iter()
            .chain(root.duplicate_keys())
            .filter(|entry| entry.key != "hooks")
        {
            let message = match nearest(&entry.key, std::iter::once("hooks")) {
                Some(nearest) => {
                    render!(messages::UNKNOWN_FIELD_NEAR, "field" => entry.key, "nearest" => nearest)
                }
                None => render!(messages::UNKNOWN_FIELD, "field" => entry.key, "known" => "hooks"),
            };
            self.report(message, entry.key_position);
        }
        let mut lists = lists(&root);
        let Some((first, list)) = lists.next() else {
            self.report(messages::NO_HOOKS.render_plain(), root.position);
            return FilePresence::Broken;
        };
        let presence = self.read_list(list, 0, None);
        for (nth, (position, list)) in (1..).zip(lists) {
            let message = render!(messages::DUPLICATE_HOOKS, "line" => first.line);
            self.report(message.clone(), position);
            self.read_list(list, nth, Some(&message));
        }
        let lax = file.lax_warning(self.path).filter(|_| !self.hooks.is_empty());
        self.problems.extend(lax);
        presence
    }

    /// Reads a list; `nth` counts the lists of the file, from 0.
    fn read_list(&mut self, list: &Node, nth: usize, invalid_reason: Option<&Message>) -> FilePresence {
        if is_of_plugin(list) {
            self.report(messages::PLUGIN.render_plain(), list.position);
            return FilePresence::Read;
        }
        let Some(items) = items(list) else {
            self.report(
                render!(messages::HOOKS_TYPE, "found" => list.json_type()),
                list.position,
            );
            return FilePresence::Broken;
        };
        for (index, node) in items.iter().enumerate() {
            self.read_entry((nth, index), node, invalid_reason);
        }
        FilePresence::Read
    }

    fn read_entry(&mut self, (nth, index): (usize, usize), node: &Node, invalid_reason: Option<&Message>) {
        let name = definition::entry_name(node);
        let name_in_id = self.ids.next_name(name, index);
        let id = format!("{}{name_in_id}", Layer::Skill.id_prefix(super::events::CARD.id));
        let site = EntrySite {
            tree: self.tree,
            file: self.path,
            folder: self.folder,
            id: &id,
            name_in_id: &name_in_id,
            at: vec![PathStep::Key("hooks".to_owned(), nth), PathStep::Item(index)],
        };
        let (hook, mut problems) = definition::read(&site, node, invalid_reason);
        self.problems.append(&mut problems);
        if let Some(name) = name {
            match self.names.get(name) {
                Some(line) => {
                    let message = render!(messages::DUPLICATE_NAME, "name" => name, "line" => line);
                    let position = hook.field_positions.get("name");
                    self.problems
                        .push(Problem::new(message, self.path, position).for_hook(&id));
                }
                None => {
                    self.names.insert(name.to_owned(), hook.source.line);
                }
            }
        }
        self.hooks.push(Arc::new(hook));
    }

    fn report(&mut self, message: Message, position: TextPosition) {
        self.problems.push(Problem::new(message, self.path, Some(position)));
    }
}

/// The skills that exist, by name.
struct SkillIndex<'a> {
    /// The first user root that has a skill of this name.
    user_roots: BTreeMap<String, &'a Path>,
    /// The project's hooks that can be approved, as indexes into the list of hooks.
    project_hooks: BTreeMap<String, Vec<usize>>,
}

impl<'a> SkillIndex<'a> {
    fn new(hooks: &[&'a Hook], folders: &'a [InnerFolder]) -> Self {
        let mut found = Self {
            user_roots: BTreeMap::new(),
            project_hooks: BTreeMap::new(),
        };
        for folder in folders.iter().filter(|folder| !folder.of_project) {
            if let (Some(root), Some(name)) = (folder.path.parent(), folder.path.file_name()) {
                found
                    .user_roots
                    .entry(name.to_string_lossy().into_owned())
                    .or_insert(root);
            }
        }
        for (index, hook) in hooks.iter().enumerate() {
            if !is_of_project(hook) {
                if let Some(root) = skills_root(&hook.source.path) {
                    found.user_roots.entry(skill_name(hook)).or_insert(root);
                }
            } else if hook.invalid.is_none() {
                found.project_hooks.entry(skill_name(hook)).or_default().push(index);
            }
        }
        found
    }
}

fn is_of_project(hook: &Hook) -> bool {
    hook.source.project.is_some()
}

/// Gives a number to a repeated id, as within one skill. The project's hook keeps its id, then the one of the first
/// root.
fn rename_duplicates(hooks: &[&Hook], found: &SkillIndex<'_>) -> BTreeMap<usize, HookId> {
    let mut ids: BTreeSet<HookId> = hooks.iter().map(|hook| hook.id.clone()).collect();
    let mut given: BTreeSet<&str> = BTreeSet::new();
    let mut out = BTreeMap::new();
    let is_first = |hook: &Hook| {
        is_of_project(hook) || found.user_roots.get(&skill_name(hook)).copied() == skills_root(&hook.source.path)
    };
    let (first, later): (Vec<usize>, Vec<usize>) = (0..hooks.len()).partition(|index| is_first(hooks[*index]));
    for index in first.into_iter().chain(later) {
        let id = &hooks[index].id;
        if !given.insert(id) {
            let mut numbered = (2_u32..).map(|nth| format!("{id}#{nth}"));
            out.extend(numbered.find(|id| ids.insert(id.clone())).map(|id| (index, id)));
        }
    }
    out
}

/// The hook that replaces a hook in the skill of the same name in this root: one of the same name, otherwise any.
fn replacement<'h>(hooks: &[&'h Hook], hook: &Hook, root: &Path) -> Option<&'h Hook> {
    let theirs = || {
        let is_theirs =
            |other: &&Hook| skills_root(&other.source.path) == Some(root) && skill_name(other) == skill_name(hook);
        hooks.iter().copied().filter(is_theirs)
    };
    let same = theirs().find(|other| other.label == hook.label && other.invalid.is_none());
    same.or_else(|| theirs().next())
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
