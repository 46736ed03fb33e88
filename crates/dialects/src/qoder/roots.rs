//! The files in which Qoder's hooks may be (`qoder.md` §1), in load order.

use std::path::{Path, PathBuf};

use hookwright_model::{Layer, Locations, Root};

/// The file name of a module of callbacks.
const MODULE_FILE: &str = "hooks.py";
/// The files of a project, in load order.
const PROJECT_FILES: [&str; 3] = ["settings.json", "settings.local.json", MODULE_FILE];

fn qoder_folder(base: &Path) -> PathBuf {
    base.join(".qoder")
}

/// The user's files, then the project's. If the project is the home directory, a file of both is the user's.
#[must_use]
pub fn roots(places: &Locations) -> Vec<Root> {
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

/// The root of a file, or `None` if Qoder has no such file. A file in a `.qoder` folder belongs to a project, unless it
/// is the user's.
#[must_use]
pub fn detect_root(path: &Path, places: &Locations) -> Option<Root> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?;
    let settings =
        is_in_qoder_folder(path) && name.starts_with("settings") && path.extension().is_some_and(|end| end == "json");
    if is_ignored_location(path) {
        // Qoder does not read this file, which the lint reports. Its root is the settings file that it should be in.
        let folder = path.ancestors().find(|above| above.ends_with(".qoder"))?;
        return detect_root(&folder.join("settings.json"), places);
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

/// Whether a file looks like hooks and is where Qoder does not read: `.qoder/hooks.json` and `.qoder/hooks/*.json`.
fn is_ignored_location(path: &Path) -> bool {
    let inside = |name: &str| path.parent().is_some_and(|parent| parent.ends_with(name));
    let json = path.extension().is_some_and(|end| end == "json");
    is_in_qoder_folder(path) && path.ends_with("hooks.json") || json && inside(".qoder/hooks")
}

/// Whether a scan of folders treats this file as one of Qoder's.
#[must_use]
pub fn found_by_scan(path: &Path) -> bool {
    is_in_qoder_folder(path) || is_ignored_location(path)
}

/// Whether a file is directly in a `.qoder` folder.
fn is_in_qoder_folder(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == ".qoder")
}
