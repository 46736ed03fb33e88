//! The files in which Qoder's hooks may be (`qoder.md` §1), in load order.

use std::path::{Path, PathBuf};

use hookwright_model::{
    DirProbe, EditContext, EditPlan, EditRequest, Files, Hook, Layer, LintContext, Locations, Message, Parsed, Problem,
    Root, SessionRegistration, SourceTree,
};
use serde_json::{Map, Value};

use super::Qoder;
use crate::{editing, event_list, relay};

/// The time limit of the relay's hooks, in seconds. A chain has no limit of its own, and this is far above the limit of
/// most hooks.
const RELAY_TIMEOUT_S: u32 = 600;

/// The file name of a module of callbacks.
const MODULE_FILE: &str = "hooks.py";
/// The files of a project, in load order.
const PROJECT_FILES: [&str; 3] = ["settings.json", "settings.local.json", MODULE_FILE];

impl Files for Qoder {
    /// The user's files, then the project's. If the project is the home directory, a file of both is the user's.
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        let user = qoder_folder(&places.home);
        let project = qoder_folder(&places.project);
        let mut roots: Vec<Root> = ["settings.json", MODULE_FILE]
            .map(|name| Root::file(Layer::User, user.join(name), None))
            .to_vec();
        for name in PROJECT_FILES {
            let path = project.join(name);
            if roots.iter().all(|root| root.path != path) {
                roots.push(Root::file(Layer::Project, path, Some(places.project.clone())));
            }
        }
        roots
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

    fn expand_module(&self, module: &Hook, reported: &Value) -> Parsed {
        super::module::expand_module(module, reported)
    }

    /// The root of a file, or `None` if Qoder has no such file. A file in a `.qoder` folder belongs to a project, unless it
    /// is the user's.
    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        let name = path.file_name()?.to_str()?;
        let parent = path.parent()?;
        let settings = is_in_qoder_folder(path)
            && name.starts_with("settings")
            && path.extension().is_some_and(|end| end == "json");
        if is_ignored_location(path) {
            // Qoder does not read this file, which the lint reports. Its root is the settings file that it should be in.
            let folder = path.ancestors().find(|above| above.ends_with(".qoder"))?;
            return self.detect_root(&folder.join("settings.json"), places);
        }
        if !settings && name != MODULE_FILE {
            return None;
        }
        if !is_in_qoder_folder(path) {
            // A module at any other place belongs to its folder and needs an approval there.
            return Some(Root::file(Layer::Project, path.to_owned(), Some(parent.to_owned())));
        }
        if parent == qoder_folder(&places.home) && name != "settings.local.json" {
            return Some(Root::file(Layer::User, path.to_owned(), None));
        }
        let project = parent.parent()?;
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
        relay::command_hooks(&super::events::CARD, relay, &fields)
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let (list, group) = event_list::group_of(hook)?;
        let layer = hook.source.layer.id_prefix("qoder");
        let file = super::settings::id_part(&hook.source.path);
        Some(format!("{layer}{list}:{file}.{group}"))
    }

    /// Whether a scan of folders treats this file as one of Qoder's.
    fn found_by_scan(&self, path: &Path, _text: &dyn Fn() -> String) -> bool {
        is_in_qoder_folder(path) || is_ignored_location(path)
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        super::lint::lint(context)
    }
}

fn qoder_folder(base: &Path) -> PathBuf {
    base.join(".qoder")
}

/// Whether a file looks like hooks and is where Qoder does not read: `.qoder/hooks.json` and `.qoder/hooks/*.json`.
fn is_ignored_location(path: &Path) -> bool {
    let inside = |name: &str| path.parent().is_some_and(|parent| parent.ends_with(name));
    let json = path.extension().is_some_and(|end| end == "json");
    is_in_qoder_folder(path) && path.ends_with("hooks.json") || json && inside(".qoder/hooks")
}

/// Whether a file is directly in a `.qoder` folder.
fn is_in_qoder_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == ".qoder")
}
