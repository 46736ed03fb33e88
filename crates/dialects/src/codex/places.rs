//! The files in which Codex's hooks may be (`codex.md` §1), in registration order.

use std::path::{Path, PathBuf};

use hookwright_model::{
    AgentTrustChange, AgentTrustContext, AgentTrustEdit, AgentTrustFact, ConflictReport, DirProbe, EditContext,
    EditPlan, EditRequest, FileText, Files, Hook, InnerFolder, Layer, LintContext, Locations, Message, Parsed, Problem,
    Root, SessionRegistration, SourceTree,
};
use serde_json::{Map, Value};

use super::events::CARD;
use super::{Codex, plugins};
use crate::{event_list, relay};

/// The variable that names the user's folder.
pub const HOME_VAR: &str = "CODEX_HOME";
/// The folder of a project with its hook files, and of the user.
pub const FOLDER: &str = ".codex";
/// The file with hooks.
pub const HOOKS: &str = "hooks.json";
/// The file of an administrator.
pub const REQUIREMENTS: &str = "/etc/codex/requirements.toml";
/// The file with settings, which may have hooks too. The one of the user has the agent's own trust.
pub const CONFIG: &str = "config.toml";

/// The time limit of the relay's hooks, in seconds: above the limit of every hook, and the longest at the two events that
/// wait only for moments (`codex.md` §15).
const RELAY_TIMEOUT_S: u32 = 3660;
const SHORT_TIMEOUT_S: u32 = 3;
const SHORT_EVENTS: [&str; 2] = ["SessionEnd", "Interrupt"];
/// Events without a hook of the relay: two more processes for each request, and nothing can be said.
const NOT_RELAYED: [&str; 2] = ["PreModelRequest", "PostModelRequest"];

impl Files for Codex {
    /// The administrator's file, the user's, then those of each folder from the root of the repository down to the project.
    fn roots(&self, places: &Locations, dirs: &dyn DirProbe) -> Vec<Root> {
        let user = user_folder(places);
        let repository = repository(&places.project, dirs);
        let mut folders: Vec<(usize, &Path)> = places.project.ancestors().enumerate().collect();
        folders.retain(|(_, folder)| folder.starts_with(repository) && folder.join(FOLDER) != user);
        let project = folders.into_iter().rev().flat_map(|(above, folder)| {
            [HOOKS, CONFIG].map(|name| Root {
                above,
                ..Root::file(
                    Layer::Project,
                    folder.join(FOLDER).join(name),
                    Some(repository.to_owned()),
                )
            })
        });
        let managed = Root::managed_file(PathBuf::from(REQUIREMENTS));
        let own = [HOOKS, CONFIG].map(|name| Root::file(Layer::User, user.join(name), None));
        let plugins = plugins::roots(&user, dirs);
        std::iter::once(managed)
            .chain(own)
            .chain(project)
            .chain(plugins)
            .collect()
    }

    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        let path = &tree.root.path;
        let plugin = plugins::plugin_of(path).or_else(|| plugins::source_of(path));
        plugin.map_or_else(Vec::new, |plugin| plugins::referenced_files(&plugin, tree))
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        super::settings::parse(tree)
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _: &[InnerFolder], files: &[FileText<'_>]) -> ConflictReport {
        super::settings::resolve_conflicts(hooks, files)
    }

    fn agent_trust(&self, hooks: &[&Hook], context: &AgentTrustContext<'_>) -> Vec<Option<AgentTrustFact>> {
        super::trust::facts(hooks, context)
    }

    fn change_agent_trust(
        &self,
        hooks: &[&Hook],
        change: AgentTrustChange,
        context: &AgentTrustContext<'_>,
    ) -> Option<Result<AgentTrustEdit, Message>> {
        Some(super::trust::change(hooks, change, context))
    }

    fn definitions_to_add(&self, tree: &SourceTree, hooks: &[&Hook]) -> Vec<Option<Map<String, Value>>> {
        super::edit::LISTS.definitions_to_add(tree, hooks)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(super::edit::edit(context, request))
    }

    /// The root of a file, or `None` if Codex has no such file. A file in a `.codex` folder belongs to a project, unless
    /// it is the user's. The manifest of a plugin stands for the plugin.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        if path == Path::new(REQUIREMENTS) {
            return Some(Root::managed_file(path.to_owned()));
        }
        if let Some(plugin) = plugins::source_of(path) {
            return Some(Root::file(Layer::Project, path.to_owned(), Some(plugin.folder)));
        }
        let folder = path
            .parent()
            .filter(|_| path.ends_with(HOOKS) || path.ends_with(CONFIG))?;
        if folder == user_folder(places) {
            return Some(Root::file(Layer::User, path.to_owned(), None));
        }
        let project = folder.parent().filter(|_| folder.ends_with(FOLDER))?;
        Some(Root::file(Layer::Project, path.to_owned(), Some(project.to_owned())))
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
        for (_, definition) in hooks.iter_mut().filter(|(event, _)| SHORT_EVENTS.contains(event)) {
            definition.insert("timeout".to_owned(), SHORT_TIMEOUT_S.into());
        }
        hooks
    }

    /// Another command is another hash, and Codex would skip every hook until the user has reviewed it again.
    fn can_wrap(&self) -> bool {
        false
    }

    fn relay_notice(&self, _places: &Locations, _dirs: &dyn DirProbe) -> Option<Message> {
        Some(super::messages::answers::REVIEW.render_plain())
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let (list, group) = event_list::group_of(hook)?;
        let file = hook.source.path.display();
        Some(format!("{file}:{list}.{group}"))
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

/// The user's folder.
#[must_use]
pub fn user_folder(places: &Locations) -> PathBuf {
    let named = places.vars.get(HOME_VAR).map(PathBuf::from);
    named
        .filter(|folder| folder.is_absolute())
        .unwrap_or_else(|| places.home.join(FOLDER))
}

/// The nearest folder, from the project upwards, that is a repository; without one the project itself.
fn repository<'p>(project: &'p Path, dirs: &dyn DirProbe) -> &'p Path {
    let is_repository = |folder: &&Path| {
        let git = folder.join(".git");
        dirs.is_file(&git) || dirs.is_file(&git.join("HEAD"))
    };
    project.ancestors().find(is_repository).unwrap_or(project)
}
