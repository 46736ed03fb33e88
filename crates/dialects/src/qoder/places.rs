//! Where Qoder's hooks may live (`qoder.md` §1), in load order.

use std::path::{Path, PathBuf};

use hookwright_model::{Layer, Places, Root};

/// The names of settings files in a project, in load order.
const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

fn folder(base: &Path) -> PathBuf {
    base.join(".qoder")
}

/// The user's file, then the project's. A project that is the home directory has no files of its own.
#[must_use]
pub fn roots(places: &Places) -> Vec<Root> {
    let user = folder(&places.home);
    let project = folder(&places.project);
    let mut roots = vec![Root::file(Layer::User, user.join("settings.json"), None)];
    for name in SETTINGS {
        let path = project.join(name);
        if roots.iter().all(|root| root.path != path) {
            roots.push(Root::file(Layer::Project, path, Some(places.project.clone())));
        }
    }
    roots
}

/// Whether a file is one of Qoder's, and then as which root: one in a `.qoder` folder is a project's, unless it is the user's.
#[must_use]
pub fn claims(path: &Path, places: &Places) -> Option<Root> {
    let name = path.file_name()?.to_str()?;
    let holder = path.parent()?;
    let in_folder = holder.file_name().is_some_and(|name| name == ".qoder");
    let settings = in_folder && name.starts_with("settings") && path.extension().is_some_and(|end| end == "json");
    if !settings {
        return None;
    }
    if holder == folder(&places.home) && name != "settings.local.json" {
        return Some(Root::file(Layer::User, path.to_owned(), None));
    }
    let project = holder.parent()?;
    Some(Root::file(Layer::Project, path.to_owned(), Some(project.to_owned())))
}
