//! The files in which Claude Code's hooks may be (`claude-code.md` §1), in registration order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{
    ConflictReport, DirProbe, EditContext, EditPlan, EditRequest, FileText, Files, Hook, InnerFolder, Layer,
    LintContext, Locations, Message, Parsed, Problem, Root, RootKind, SessionRegistration, SourceTree,
};
use serde_json::{Map, Value};

use super::ClaudeCode;
use super::events::CARD;
use super::plugins::{self, HOOKS, MANIFEST, SKILL};
use crate::editing;
use crate::node::{Entry, Node};
use crate::{event_list, jsonc, plugin_files, relay};

/// The variable that names the user's folder.
pub const CONFIG_VAR: &str = "CLAUDE_CONFIG_DIR";

/// The folder of a project with its settings, and of the user.
pub const FOLDER: &str = ".claude";
/// The file with the settings of the user or the project.
pub const SETTINGS: &str = "settings.json";
/// The file of one person in a project.
pub const LOCAL_SETTINGS: &str = "settings.local.json";
/// The file of an administrator.
const MANAGED_SETTINGS: &str = "managed-settings.json";
/// The folder with further files of an administrator.
const MORE_MANAGED_SETTINGS: &str = "managed-settings.d";

/// The time limit of the relay's hooks, in seconds. A chain has no limit of its own, and this is far above the limit of
/// most hooks.
const RELAY_TIMEOUT_S: u32 = 3600;
/// Events without a hook of the relay: it would replace git's work, hold a removal, run every few words, or block the
/// switch of a model if the engine is slow (`claude-code.md` §14).
const NOT_RELAYED: [&str; 4] = ["WorktreeCreate", "WorktreeRemove", "MessageDisplay", "PreModelSwitch"];

impl Files for ClaudeCode {
    /// The administrator's file, the user's, then the project's. If the project is the home directory, a file of both is
    /// the user's.
    fn roots(&self, places: &Locations, dirs: &dyn DirProbe) -> Vec<Root> {
        let project = places.project.join(FOLDER);
        let user = user_folder(places);
        let mut roots = vec![
            Root::managed_file(managed_folder().join(MANAGED_SETTINGS)),
            Root {
                reads: RootKind::FilesIn(".json"),
                ..Root::managed_file(managed_folder().join(MORE_MANAGED_SETTINGS))
            },
            Root::file(Layer::User, user.join(SETTINGS), None),
        ];
        roots.extend(skill_roots(Layer::User, &user, None));
        for path in [SETTINGS, LOCAL_SETTINGS].map(|name| project.join(name)) {
            if roots.iter().all(|root| root.path != path) {
                roots.push(Root::file(Layer::Project, path, Some(places.project.clone())));
            }
        }
        if project != user {
            roots.extend(skill_roots(Layer::Project, &project, Some(&places.project)));
        }
        // The project as a plugin, which is only listed.
        let manifest = places.project.join(MANIFEST);
        if dirs.is_file(&manifest) {
            roots.push(Root::file(Layer::Project, manifest, Some(places.project.clone())));
        }
        roots.into_iter().map(|root| with_home(root, places)).collect()
    }

    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        plugins::files(tree)
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _: &[InnerFolder], files: &[FileText<'_>]) -> ConflictReport {
        super::switches::resolve_conflicts(hooks, files)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        super::settings::parse(tree)
    }

    fn definitions_to_add(&self, tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        super::edit::LISTS.definitions_to_add(tree, hooks)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&super::edit::LISTS, context, request))
    }

    /// The root of a file, or `None` if Claude Code has no such file. A file in a `.claude` folder belongs to a project,
    /// unless it is the user's. The manifest of a plugin stands for the plugin.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        root_of_file(path, places).map(|root| with_home(root, places))
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(event_list::read_callback(&super::settings::CALLBACKS, registration))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let fields = [
            ("type", Value::from("command")),
            ("timeout", Value::from(RELAY_TIMEOUT_S)),
        ];
        let mut hooks = relay::command_hooks(&CARD, relay, &fields);
        hooks.retain(|(event, _)| !NOT_RELAYED.contains(event));
        hooks
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let (list, group) = event_list::group_of(hook)?;
        let layer = hook.source.layer.id_prefix(CARD.id);
        // The files of plugins, of agents, and further ones of an administrator have any name.
        let path = &hook.source.path;
        let file = if is_settings(path) {
            id_part(path).to_owned()
        } else {
            path.display().to_string()
        };
        Some(format!("{layer}{list}:{file}.{group}"))
    }

    /// Whether a scan of folders treats this file as one of Claude Code's. Plugins of other agents have a
    /// `hooks/hooks.json` too, and so have skills.
    fn found_by_scan(&self, path: &Path, text: &dyn Fn() -> String) -> bool {
        is_in_folder(path)
            || path.extension().is_some_and(|ending| ending == "md") && plugins::has_hooks_in_front(&text())
            || path.ends_with(MANIFEST)
            || path.file_name().is_some_and(|name| name == MANAGED_SETTINGS)
            || plugin_of(path).is_some() && is_hook_file(&text())
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

/// The root of a file, by its name and folder.
fn root_of_file(path: &Path, places: &Locations) -> Option<Root> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?;
    if name == MANAGED_SETTINGS {
        return Some(Root::managed_file(path.to_owned()));
    }
    if parent == user_folder(places) && name == SETTINGS {
        return Some(Root::file(Layer::User, path.to_owned(), None));
    }
    if path.ends_with(MANIFEST) {
        let plugin = plugin_files::folder_of(path);
        return Some(Root::file(Layer::Project, path.to_owned(), Some(plugin)));
    }
    if let Some(root) = front_matter_root(path, places) {
        return Some(root);
    }
    if let Some(plugin) = plugin_of(path).filter(|_| !is_of_skill(path, places)) {
        return Some(Root::file(Layer::Project, path.to_owned(), Some(plugin.to_owned())));
    }
    let is_read = [SETTINGS, LOCAL_SETTINGS].contains(&name) && is_in_folder(path);
    (is_read || is_copy_of_settings(path)).then(|| {
        let project = parent.parent().map(Path::to_owned);
        Root::file(Layer::Project, path.to_owned(), project)
    })
}

/// The root of a skill's or subagent's file with front matter; `None` for any other file.
fn front_matter_root(path: &Path, places: &Locations) -> Option<Root> {
    let user = user_folder(places);
    let is_own = |folder: &Path| folder == user || folder.ends_with(FOLDER);
    let below = |name: &str| {
        let named = path.ancestors().skip(1).filter(|folder| folder.ends_with(name));
        named.filter_map(Path::parent).find(|folder| is_own(folder))
    };
    let is_skill = path.ends_with(SKILL);
    let folder = if is_skill {
        below("skills").filter(|folder| path.ancestors().nth(3) == Some(*folder))?
    } else {
        below("agents").filter(|_| path.extension().is_some_and(|ending| ending == "md"))?
    };
    let (layer, project) = if folder == user {
        (Layer::User, None)
    } else {
        (Layer::Project, folder.parent())
    };
    let [_, skills, agents] = skill_roots(layer, folder, project);
    Some(if is_skill { skills } else { agents })
}

/// The root with the home directory, which rules about paths can name.
fn with_home(root: Root, places: &Locations) -> Root {
    Root {
        home: Some(places.home.clone()),
        ..root
    }
}

/// Whether a text is the hook file of a plugin: it names an event, or it is an object without hooks.
fn is_hook_file(text: &str) -> bool {
    let root = || jsonc::read(text).ok()?.root;
    let is_empty = |hooks: &Node| hooks.entries().is_some_and(<[Entry]>::is_empty);
    let has_none = |root: Arc<Node>| {
        let mut entries = root.entries()?.iter();
        Some(entries.all(|entry| entry.key == "hooks" && is_empty(&entry.value)))
    };
    event_list::names_event(&CARD, text) || root().and_then(has_none) == Some(true)
}

/// Whether a file is directly in a `.claude` folder.
fn is_in_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == FOLDER)
}

/// The folder of the administrator's files.
fn managed_folder() -> &'static Path {
    Path::new(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        "C:\\Program Files\\ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}

/// The user's folder.
#[must_use]
pub fn user_folder(places: &Locations) -> PathBuf {
    let named = places.vars.get(CONFIG_VAR).map(PathBuf::from);
    named
        .filter(|folder| folder.is_absolute())
        .unwrap_or_else(|| places.home.join(FOLDER))
}

/// The plugins among the skills of a folder, the front matter of skills, and the one of subagents.
fn skill_roots(layer: Layer, folder: &Path, project: Option<&Path>) -> [Root; 3] {
    let roots = [
        ("skills", RootKind::Folders(MANIFEST)),
        ("skills", RootKind::Folders(SKILL)),
        ("agents", RootKind::FilesBelow(".md")),
    ];
    roots.map(|(name, reads)| Root {
        layer,
        path: folder.join(name),
        project: project.map(Path::to_owned),
        reads,
        managed: false,
        above: 0,
        home: None,
    })
}

/// The folder of the plugin that this would be the hook file of. The folder of a manifest is no plugin itself.
#[must_use]
pub fn plugin_of(path: &Path) -> Option<&Path> {
    let plugin = path.parent().and_then(Path::parent).filter(|_| path.ends_with(HOOKS))?;
    let name = plugin.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (!name.starts_with('.') || !name.ends_with("-plugin")).then_some(plugin)
}

/// Whether a hook file is in a folder of skills, where skill hooks have files of the same name.
fn is_of_skill(path: &Path, places: &Locations) -> bool {
    let skills = path.ancestors().nth(3);
    skills.is_some_and(|skills| {
        skills.file_name().is_some_and(|name| name == "skills") || places.skills_roots.iter().any(|root| root == skills)
    })
}

/// Whether a file has the name of a settings file.
#[must_use]
pub fn is_settings(path: &Path) -> bool {
    let names = [SETTINGS, LOCAL_SETTINGS, MANAGED_SETTINGS];
    path.file_name()
        .is_some_and(|name| names.iter().any(|known| name == *known))
}

/// Whether a file of a `.claude` folder is named nearly like the settings, so that the agent does not read it.
#[must_use]
pub fn is_copy_of_settings(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    is_in_folder(path) && name.starts_with("settings") && name.ends_with(".json") && !is_settings(path)
}

/// Whether a file is an administrator's.
#[must_use]
pub fn is_managed(path: &Path) -> bool {
    path.ends_with(MANAGED_SETTINGS)
        || path
            .parent()
            .is_some_and(|folder| folder.ends_with(MORE_MANAGED_SETTINGS))
}

/// The part of the ids that names the file.
#[must_use]
pub fn id_part(path: &Path) -> &'static str {
    match path.file_name().and_then(|name| name.to_str()) {
        Some(LOCAL_SETTINGS) => "local",
        Some(MANAGED_SETTINGS) => "managed",
        Some(_) | None => "settings",
    }
}
