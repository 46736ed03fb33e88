//! Plugins in the folders of skills, and the front matter of skills (`claude-code.md` §1, rows 3, 4, 7 and 8).
//!
//! A plugin is a folder with a manifest. Its hooks are in a file of its own, and wherever its manifest says. The hooks of
//! front matter are only listed: the agent alone knows when a skill is used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{
    Handler, Message, Parsed, Problem, Root, RootKind, Severity, SourceTree, problem::TextPosition, render,
};

use super::settings::{self, GROUPS};
use super::{messages, places};
use crate::front_matter::{self, FrontMatter};
use crate::node::{Node, ValueKind};
use crate::{definition, event_list, jsonc, yaml};

/// The manifest in the folder of a plugin.
pub const MANIFEST: &str = ".claude-plugin/plugin.json";
/// The file of a skill.
pub const SKILL: &str = "SKILL.md";
/// The file of a plugin with its hooks.
pub const HOOKS: &str = "hooks/hooks.json";
/// The field of a manifest and of front matter.
const FIELD: &str = "hooks";

/// The hook files of the plugins of a tree: their own, and those that their manifests name.
#[must_use]
pub fn hook_files(tree: &SourceTree) -> Vec<PathBuf> {
    manifests(tree)
        .flat_map(|manifest| {
            let folder = plugin_folder(&manifest);
            let named = read_json(tree, &manifest).map(|node| named_files(&node));
            let named = named.unwrap_or_default().into_iter();
            let inside = named.filter_map(|(path, _)| Some(folder.join(path.strip_prefix("./")?)));
            std::iter::once(folder.join(HOOKS)).chain(inside).collect::<Vec<_>>()
        })
        .collect()
}

/// The manifests of a tree.
fn manifests(tree: &SourceTree) -> impl Iterator<Item = PathBuf> {
    let is_read = tree.root.reads == RootKind::Folders(MANIFEST);
    let paths = tree
        .files
        .keys()
        .filter(move |path| is_read && path.ends_with(MANIFEST));
    paths.cloned()
}

/// The folder of a plugin.
fn plugin_folder(manifest: &Path) -> PathBuf {
    manifest
        .parent()
        .and_then(Path::parent)
        .map(Path::to_owned)
        .unwrap_or_default()
}

/// The folder of the plugin that a hook file belongs to: the one directly in a folder of skills.
#[must_use]
pub fn folder_of_hook(file: &Path) -> Option<&Path> {
    let is_skill = |folder: &&Path| {
        folder
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|name| name == "skills")
    };
    let above = file.ancestors().skip(1).find(is_skill);
    above.filter(|_| !places::is_settings(file))
}

fn read_json(tree: &SourceTree, path: &Path) -> Option<Arc<Node>> {
    let text = tree.files.get(path)?.text.as_ref().ok()?;
    jsonc::read(text).ok()?.root
}

/// The paths that a manifest names, each with its position.
fn named_files(manifest: &Node) -> Vec<(String, TextPosition)> {
    let Some(field) = manifest.get(FIELD) else {
        return Vec::new();
    };
    let one = |node: &Node| node.string().map(|text| (text.to_owned(), node.position));
    match &field.kind {
        ValueKind::List(items) => items.iter().filter_map(|item| one(item)).collect(),
        ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => one(field).into_iter().collect(),
    }
}

/// Reads the plugins of a tree. A defect of one file costs its whole plugin.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let mut all = Parsed::default();
    for manifest in manifests(tree) {
        let mut parsed = read_plugin(tree, &manifest);
        settings::drop_file(&mut parsed, &manifest, &[]);
        all.extend(parsed);
    }
    all
}

fn read_plugin(tree: &SourceTree, manifest: &Path) -> Parsed {
    let folder = plugin_folder(manifest);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut parsed = Parsed::default();
    let mut files = vec![folder.join(HOOKS)];
    match tree.files.get(manifest).map(|file| file.text.as_ref()) {
        Some(Ok(text)) => match jsonc::read(text) {
            Ok(read) => {
                if let Some(node) = read.root {
                    files.extend(manifest_files(manifest, &folder, &node, &mut parsed));
                    read_inline(tree, manifest, &name, &node, &mut parsed);
                }
            }
            Err(error) => parsed
                .problems
                .push(Problem::new(error.message, manifest, Some(error.position)).rejecting_file()),
        },
        Some(Err(problem)) => parsed.problems.push(problem.clone()),
        None => {}
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    let mut number = 0;
    for file in files {
        let is_there = tree.files.get(&file).is_some_and(|source| source.exists);
        if !is_there {
            if file != folder.join(HOOKS) {
                let message = render!(messages::PLUGIN_FILE, "file" => file.display().to_string());
                parsed.problems.push(Problem::new(message, manifest, None));
            }
            continue;
        }
        number += 1;
        let part = match number {
            1 => format!("plugin-{name}"),
            number => format!("plugin-{name}-{number}"),
        };
        let inner = Root {
            path: file.clone(),
            reads: RootKind::File,
            ..tree.root.clone()
        };
        parsed.extend(settings::read_source(&inner, &part, tree.files.get(&file)));
    }
    parsed
}

/// The files that a manifest names. One that does not begin with `./` makes the agent refuse the plugin.
fn manifest_files(manifest: &Path, folder: &Path, node: &Node, parsed: &mut Parsed) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (path, position) in named_files(node) {
        match path.strip_prefix("./") {
            Some(rest) => files.push(folder.join(rest)),
            None => {
                let message = render!(messages::PLUGIN_PATH, "written" => path);
                parsed
                    .problems
                    .push(Problem::new(message, manifest, Some(position)).rejecting_file());
            }
        }
    }
    files
}

/// Reads the hooks in a manifest itself. There they are bare, without `hooks` around them.
fn read_inline(tree: &SourceTree, manifest: &Path, name: &str, node: &Node, parsed: &mut Parsed) {
    let Some(field) = node.get(FIELD).filter(|field| field.entries().is_some()) else {
        return;
    };
    if let Some(inner) = field.get(FIELD) {
        let message: Message = messages::PLUGIN_WRAPPED.render_plain();
        parsed
            .problems
            .push(Problem::new(message, manifest, Some(inner.position)).rejecting_file());
        return;
    }
    let root = Root {
        path: manifest.to_owned(),
        reads: RootKind::File,
        ..tree.root.clone()
    };
    parsed.extend(event_list::read_file(&GROUPS, &root, &format!("plugin-{name}"), node));
}

/// The front matter of a subagent with the event at which a subagent stops in the place of `Stop`.
fn with_subagent_stop(node: &Node) -> Node {
    let mut node = node.clone();
    let ValueKind::Mapping { entries, .. } = &mut node.kind else {
        return node;
    };
    for field in entries.iter_mut().filter(|field| field.key == FIELD) {
        if let ValueKind::Mapping { entries, .. } = &mut Arc::make_mut(&mut field.value).kind {
            let stops = entries.iter_mut().filter(|event| event.key == "Stop");
            stops.for_each(|event| event.key = "SubagentStop".to_owned());
        }
    }
    node
}

/// Reads the front matter of the skills or the subagents of a tree.
#[must_use]
pub fn parse_front_matter(tree: &SourceTree) -> Parsed {
    let mut all = Parsed::default();
    for (path, file) in &tree.files {
        let Ok(text) = &file.text else { continue };
        let FrontMatter::Found { yaml, .. } = front_matter::split(text) else {
            continue;
        };
        // What else is wrong with the file is the agent's own matter.
        let Ok((Some(node), odd)) = yaml::read_with_warnings(yaml) else {
            continue;
        };
        if node.get(FIELD).is_none() {
            continue;
        }
        let root = Root {
            path: path.clone(),
            reads: RootKind::File,
            ..tree.root.clone()
        };
        let of_agents = tree.root.reads != RootKind::Folders(SKILL);
        let part = if of_agents {
            format!("agent-{}", path.file_stem().unwrap_or_default().to_string_lossy())
        } else {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            format!("skill-{}", folder.to_string_lossy())
        };
        let node = if of_agents {
            Arc::new(with_subagent_stop(&node))
        } else {
            node
        };
        let mut read = event_list::read_file(&GROUPS, &root, &part, &node);
        for hook in &mut read.hooks {
            let hook = Arc::make_mut(hook);
            let message = if of_agents {
                messages::AGENT_FRONT_MATTER.render_plain()
            } else {
                messages::FRONT_MATTER.render_plain()
            };
            hook.handler = Handler::Builtin;
            hook.disabled_reason = Some(hookwright_model::DisabledReason::AgentOnly(message.clone()));
            let position = TextPosition {
                line: hook.source.line,
                column: hook.source.column,
            };
            read.problems
                .push(Problem::new(message, path, Some(position)).for_hook(&hook.id));
        }
        // A bad entry costs itself here (`claude-code.md` §16, doubt 4), and only the agent runs the others anyway.
        for problem in &mut read.problems {
            problem.rejects_file = false;
        }
        read.problems
            .retain(|problem| problem.severity != Severity::Hint || problem.code == hookwright_model::Code::AgentOnly);
        all.extend(read);
        all.problems
            .extend(odd.into_iter().map(|found| definition::warning(found, path)));
    }
    all
}
