//! Plugins in the folders of skills, and the front matter of skills (`claude-code.md` §1, rows 3, 4, 7 and 8).
//!
//! A plugin is a folder with a manifest. Its hooks are in a file of its own, and wherever its manifest says. The hooks of
//! front matter are only listed: the agent alone knows when a skill is used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    DisabledReason, Handler, Hook, Layer, Message, Parsed, Problem, Root, RootKind, Severity, SourceTree, render,
};

use super::settings::{self, GROUPS};
use super::{messages, mods, places};
use crate::command_lint::{MergeRule, join_few, merge_by_rule};
use crate::front_matter::{self, FrontMatter};
use crate::node::{Node, ValueKind};
pub use crate::plugin_files::HOOKS;
use crate::plugin_files::{self, FIELD, PluginPath};
use crate::{definition, event_list, jsonc, yaml};

/// The manifest in the folder of a plugin.
pub const MANIFEST: &str = ".claude-plugin/plugin.json";
/// The file of a skill.
pub const SKILL: &str = "SKILL.md";

/// Unknown events in the front matter of a file are one problem: it was written for another program.
const SAME_EVENTS: MergeRule = MergeRule {
    templates: &[
        (messages::UNKNOWN_EVENT_NEAR, messages::UNKNOWN_EVENTS),
        (messages::UNKNOWN_EVENT, messages::UNKNOWN_EVENTS),
    ],
    across_files: false,
    shared_key: |_| String::new(),
    lists: &[("event", "written", join_few)],
};

/// The files of the plugins of a tree: their hooks, those that their manifests name, and their modules.
#[must_use]
pub fn files(tree: &SourceTree) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for manifest in manifests(tree) {
        let folder = plugin_files::folder_of(&manifest);
        let named = plugin_files::read(tree, &manifest);
        let named = named.as_deref().and_then(|manifest| manifest.get(FIELD)).cloned();
        let mut hooks = vec![folder.join(HOOKS)];
        hooks.extend(plugin_files::inside(&folder, named.as_deref()));
        let modules = hooks.iter().filter_map(|file| plugin_files::read(tree, file));
        let modules: Vec<_> = modules
            .flat_map(|file| plugin_files::inside(&folder, file.get(mods::FIELD).map(|field| &**field)))
            .collect();
        out.extend(hooks.into_iter().chain(modules));
    }
    out
}

/// The manifests of a tree.
fn manifests(tree: &SourceTree) -> Vec<PathBuf> {
    let is_read = matches!(tree.root.reads, RootKind::Folders(MANIFEST) | RootKind::File);
    let paths = tree.files.keys().filter(|path| is_read && path.ends_with(MANIFEST));
    paths.cloned().collect()
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

/// Whether a hook is in the source of a plugin, which the agent does not read where it is.
#[must_use]
pub fn is_of_source(hook: &Hook) -> bool {
    let path = &hook.source.path;
    let is_other = places::is_settings(path) || places::is_copy_of_settings(path);
    let is_file = path.extension().is_some_and(|ending| ending == "json") && !is_other;
    hook.source.layer == Layer::Project && is_file && folder_of_hook(path).is_none()
}

/// Reads the plugins of a tree. A defect of one file costs its whole plugin. One that is the project itself is only listed.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let mut all = Parsed::default();
    for manifest in manifests(tree) {
        let mut parsed = read_plugin(tree, &manifest);
        settings::drop_file(&mut parsed, &manifest, &[]);
        if tree.root.reads == RootKind::File {
            for hook in &mut parsed.hooks {
                let off = DisabledReason::Disabled(messages::answers::NOT_INSTALLED.render_plain());
                Arc::make_mut(hook).disabled_reason.get_or_insert(off);
            }
        }
        all.extend(parsed);
    }
    all
}

fn read_plugin(tree: &SourceTree, manifest: &Path) -> Parsed {
    let folder = plugin_files::folder_of(manifest);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let id = if folder_of_hook(manifest).is_some() {
        format!("plugin-{name}")
    } else {
        "plugin".to_owned()
    };
    let mut parsed = Parsed::default();
    let (mut files, mut inline) = (vec![folder.join(HOOKS)], None);
    match tree.files.get(manifest).map(|file| file.text.as_ref()) {
        Some(Ok(text)) => match jsonc::read(text) {
            Ok(read) => {
                if let Some(node) = read.root {
                    files.extend(named_files(tree, manifest, manifest, node.get(FIELD), &mut parsed));
                    inline = Some(node);
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
    files.retain(|file| plugin_files::exists(tree, file) && seen.insert(file.clone()));
    let part = |number: usize| match number {
        0 => id.clone(),
        number => format!("{id}-{}", number + 1),
    };
    let mut modules = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let root = root_of(tree, file);
        parsed.extend(settings::read_source(&root, &part(number), tree.files.get(file)));
        if let Some(node) = plugin_files::read(tree, file) {
            let named = node.get(mods::FIELD).cloned();
            modules.extend(named_files(tree, manifest, file, named.as_ref(), &mut parsed));
        }
    }
    if let Some(node) = inline {
        read_inline(tree, manifest, &part(files.len()), &node, &mut parsed);
    }
    for (number, module) in modules.iter().enumerate() {
        let text = tree.files.get(module).and_then(|file| file.text.as_ref().ok());
        parsed.extend(mods::read(
            &root_of(tree, module),
            &format!("{id}.{number}"),
            text.map_or("", String::as_str),
        ));
    }
    parsed
}

fn root_of(tree: &SourceTree, file: &Path) -> Root {
    Root {
        path: file.to_owned(),
        reads: RootKind::File,
        ..tree.root.clone()
    }
}

/// The files that a field of this file names. A path without `./` makes the agent refuse the plugin, and one of a file that
/// is not there costs itself.
fn named_files(
    tree: &SourceTree,
    manifest: &Path,
    in_file: &Path,
    field: Option<&Arc<Node>>,
    parsed: &mut Parsed,
) -> Vec<PathBuf> {
    let folder = plugin_files::folder_of(manifest);
    let mut files = Vec::new();
    for (written, position) in field.map(|field| plugin_files::named(field)).unwrap_or_default() {
        let told = |message: Message| Problem::new(message, in_file, Some(position));
        parsed.problems.push(match plugin_files::lead(&folder, &written) {
            PluginPath::Inside(file) if plugin_files::exists(tree, &file) => {
                files.push(file);
                continue;
            }
            PluginPath::Inside(_) => told(render!(messages::PLUGIN_FILE, "file" => written)),
            PluginPath::Outside => told(render!(messages::PLUGIN_OUTSIDE, "file" => written)),
            PluginPath::WithoutDot => told(render!(messages::PLUGIN_PATH, "written" => written)).rejecting_file(),
        });
    }
    files
}

/// Reads the hooks in a manifest itself. There they are bare, without `hooks` around them.
fn read_inline(tree: &SourceTree, manifest: &Path, part: &str, node: &Node, parsed: &mut Parsed) {
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
    parsed.extend(event_list::read_file(&GROUPS, &root_of(tree, manifest), part, node));
}

/// Whether a text has hooks in its front matter.
#[must_use]
pub fn has_hooks_in_front(text: &str) -> bool {
    let FrontMatter::Found { yaml, .. } = front_matter::split(text) else {
        return false;
    };
    yaml.lines().any(|line| line.starts_with("hooks:"))
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
        let (node, odd) = match yaml::read_with_warnings(yaml) {
            Ok((Some(node), odd)) => (node, odd),
            Ok((None, _)) => continue,
            Err(error) => {
                // What else is wrong with the file is the agent's own matter.
                if yaml.lines().any(|line| line.starts_with("hooks:")) {
                    all.problems
                        .push(Problem::new(error.message, path, Some(error.position)));
                }
                continue;
            }
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
            hook.handler = Handler::BUILTIN;
            hook.disabled_reason = Some(DisabledReason::AgentOnly(message.clone()));
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
        merge_by_rule(&mut read.problems, &SAME_EVENTS);
        all.extend(read);
        all.problems
            .extend(odd.into_iter().map(|found| definition::warning(found, path)));
    }
    all
}
