//! What the manifests of plugins name: files by paths that begin with `./`. Several agents have the same form.
//!
//! What it deliberately does not do: it reads no file, and does not say what an error costs. The dialect does.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookwright_model::SourceTree;
use hookwright_model::problem::TextPosition;

use crate::jsonc;
use crate::node::{Node, ValueKind};

/// The file with the hooks of a plugin.
pub const HOOKS: &str = "hooks/hooks.json";
/// The field of a manifest with hooks, or with paths of files that have them.
pub const FIELD: &str = "hooks";

/// What a path in a plugin means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginPath {
    /// This file of the plugin.
    Inside(PathBuf),
    /// A file outside the plugin.
    Outside,
    /// The path does not begin with `./`.
    WithoutDot,
}

/// The paths in a field, which is one path or a list of them, each with its position.
#[must_use]
pub fn named(field: &Node) -> Vec<(String, TextPosition)> {
    let one = |node: &Node| Some((node.string()?.to_owned(), node.position));
    match &field.kind {
        ValueKind::List(items) => items.iter().filter_map(|item| one(item)).collect(),
        ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => one(field).into_iter().collect(),
    }
}

/// Where a path in a plugin leads. `folder` is the folder of the plugin.
#[must_use]
pub fn lead(folder: &Path, written: &str) -> PluginPath {
    let Some(rest) = written.strip_prefix("./") else {
        return PluginPath::WithoutDot;
    };
    let mut parts = Path::new(rest).components();
    if parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        PluginPath::Inside(folder.join(rest))
    } else {
        PluginPath::Outside
    }
}

/// The files of the plugin that a field names.
pub fn inside(folder: &Path, field: Option<&Node>) -> Vec<PathBuf> {
    let named = field.map(named).unwrap_or_default().into_iter();
    named
        .filter_map(|(written, _)| match lead(folder, &written) {
            PluginPath::Inside(file) => Some(file),
            PluginPath::Outside | PluginPath::WithoutDot => None,
        })
        .collect()
}

/// A file of a tree as JSON; `None` if it cannot be read.
#[must_use]
pub fn read(tree: &SourceTree, path: &Path) -> Option<Arc<Node>> {
    let text = tree.files.get(path)?.text.as_ref().ok()?;
    jsonc::read(text).ok()?.root
}

/// Whether a tree has a file.
#[must_use]
pub fn exists(tree: &SourceTree, file: &Path) -> bool {
    tree.files.get(file).is_some_and(|file| file.exists)
}

/// The folder of the plugin with this manifest, which is in a folder of its own there.
#[must_use]
pub fn folder_of(manifest: &Path) -> PathBuf {
    let folder = manifest.parent().and_then(Path::parent);
    folder.map(Path::to_owned).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_inside_the_plugin_or_it_is_none() {
        let folder = Path::new("/p");
        assert_eq!(lead(folder, "./a/b.json"), PluginPath::Inside("/p/a/b.json".into()));
        assert_eq!(lead(folder, "./../b.json"), PluginPath::Outside);
        assert_eq!(lead(folder, "/etc/b.json"), PluginPath::WithoutDot);
        assert_eq!(lead(folder, "a.json"), PluginPath::WithoutDot);
    }
}
