//! Hooks of plugins (`codex.md` §1, row 5). A plugin is a folder with a manifest. Those in the cache of the user, by market,
//! name and version, run if the user's settings have them on. A plugin elsewhere is the source of one: it is only checked.
//!
//! What it deliberately does not do: it installs nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{DirProbe, Hook, Layer, MessageTemplate, Parsed, Problem, Root, SourceTree, args};
use serde_json::json;

use super::messages;
use super::places::{CONFIG, FOLDER};
use super::settings::{self, GROUPS};
use crate::node::{Entry, Node};
use crate::plugin_files::{self, FIELD, HOOKS, PluginPath};
use crate::{event_list, toml};

/// The folder of all plugins, in the user's.
const CACHE: &str = "plugins/cache";
/// The manifests of a plugin, of which the first one counts.
const MANIFESTS: [&str; 2] = [".codex-plugin/plugin.json", ".claude-plugin/plugin.json"];
/// The variables of a plugin's hooks that contain a private folder.
pub const FOLDER_VARIABLES: &[&str] = &["PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"];

/// The plugin to which a file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Its name and its market, as the settings have it; the name of its folder for the source of a plugin.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The user's folder, whose settings say whether it is on; `None` for the source of a plugin.
    user: Option<PathBuf>,
}

/// The roots of the plugins in the cache: their manifests, or the hook file of a plugin without one. Of several versions
/// the last one is read.
pub fn roots(user: &Path, dirs: &dyn DirProbe) -> Vec<Root> {
    let markets = dirs.list(&user.join(CACHE));
    let plugins = markets.iter().flat_map(|market| dirs.list(market));
    plugins
        .filter_map(|plugin| {
            let version = dirs
                .list(&plugin)
                .into_iter()
                .max_by_key(|folder| version_parts(folder))?;
            let mut manifests = MANIFESTS.iter().map(|name| version.join(name));
            let manifest = manifests.find(|path| dirs.is_file(path));
            Some(Root::file(
                Layer::User,
                manifest.unwrap_or_else(|| version.join(HOOKS)),
                None,
            ))
        })
        .collect()
}

/// The parts of a version's name, numbers as numbers.
fn version_parts(folder: &Path) -> Vec<(u64, String)> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.split(['.', '-', '+'])
        .map(|part| (part.parse().unwrap_or(0), part.to_owned()))
        .collect()
}

/// The plugin to which a file belongs; `None` for a file that is in no plugin.
pub fn plugin_of(file: &Path) -> Option<Plugin> {
    file.ancestors().skip(1).find_map(|folder| {
        let name = folder.parent()?;
        let market = name.parent()?;
        let cache = market.parent()?;
        let text = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
        cache.ends_with(CACHE).then(|| {
            Some(Plugin {
                id: format!("{}@{}", text(name)?, text(market)?),
                folder: folder.to_owned(),
                user: Some(cache.parent()?.parent()?.to_owned()),
            })
        })?
    })
}

/// The plugin whose source has this manifest; `None` for any other file. The other manifest is one of Claude Code.
pub fn source_of(manifest: &Path) -> Option<Plugin> {
    let folder = plugin_files::folder_of(manifest);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    manifest.ends_with(MANIFESTS[0]).then(|| Plugin {
        id: name.into_owned(),
        folder: folder.clone(),
        user: None,
    })
}

/// Whether a hook is the one of a plugin: in the cache, or in the source of a plugin.
pub fn is_of_plugin(hook: &Hook) -> bool {
    plugin_of(&hook.source.path).is_some() || is_of_source(hook)
}

/// Whether a hook is in the source of a plugin, which Codex does not read.
pub fn is_of_source(hook: &Hook) -> bool {
    let folder = hook.source.path.parent();
    hook.source.layer == Layer::Project && !folder.is_some_and(|folder| folder.ends_with(FOLDER))
}

impl Plugin {
    /// The name of a file of it in the agent's own trust. A manifest is named with the hooks in it.
    pub fn trust_name(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.folder).unwrap_or(file);
        if MANIFESTS.iter().any(|name| inside == Path::new(name)) {
            return format!("{}:plugin.json#hooks[0]", self.id);
        }
        format!("{}:{}", self.id, inside.display())
    }

    /// Whether the user's settings have it on. The source of a plugin is always read.
    fn is_on(&self, tree: &SourceTree) -> bool {
        let Some(user) = &self.user else { return true };
        let text = tree.files.get(&user.join(CONFIG));
        let text = text.and_then(|file| file.text.as_ref().ok());
        let config = text.and_then(|text| toml::read(text).ok());
        let flag = config
            .as_ref()
            .and_then(|config| config.get("plugins")?.get(&self.id)?.get("enabled"));
        flag.is_some_and(|flag| flag.to_value() == json!(true))
    }
}

/// The files that a plugin's root refers to: the user's settings, and the plugin's hook files.
pub fn referenced_files(plugin: &Plugin, tree: &SourceTree) -> Vec<PathBuf> {
    let manifest = manifest(tree);
    let field = manifest.as_deref().and_then(|manifest| manifest.get(FIELD));
    let settings = plugin.user.iter().map(|user| user.join(CONFIG));
    let own = settings.chain([plugin.folder.join(HOOKS)]);
    own.chain(plugin_files::inside(&plugin.folder, field.map(|field| &**field)))
        .collect()
}

/// Reads the hooks of a plugin that is on.
pub fn parse(plugin: &Plugin, tree: &SourceTree) -> Parsed {
    let mut parsed = Parsed::default();
    if !plugin.is_on(tree) {
        return parsed;
    }
    let path = &tree.root.path;
    let manifest = manifest(tree);
    let field = manifest.as_deref().and_then(|manifest| manifest.get(FIELD));
    let mut files = Vec::new();
    match field {
        Some(field) if field.entries().is_some() => read_inline(plugin, tree, field, &mut parsed),
        Some(field) => {
            for (written, position) in plugin_files::named(field) {
                let told = |template: &MessageTemplate| {
                    Problem::new(template.render(args! { "file" => written }), path, Some(position))
                };
                match plugin_files::lead(&plugin.folder, &written) {
                    PluginPath::Outside | PluginPath::WithoutDot => {
                        parsed.problems.push(told(&messages::PLUGIN_OUTSIDE));
                    }
                    PluginPath::Inside(file) if !plugin_files::exists(tree, &file) => {
                        parsed.problems.push(told(&messages::PLUGIN_FILE));
                    }
                    PluginPath::Inside(file) => files.push(file),
                }
            }
        }
        None => files.extend(Some(plugin.folder.join(HOOKS)).filter(|file| plugin_files::exists(tree, file))),
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    for (number, file) in files.iter().enumerate() {
        let Some(source) = tree.files.get(file) else { continue };
        let root = Root {
            path: file.clone(),
            ..tree.root.clone()
        };
        let part = match number {
            0 => format!("plugin-{}", plugin.id),
            number => format!("plugin-{}-{}", plugin.id, number + 1),
        };
        parsed.extend(settings::read_json(&root, &part, source));
    }
    parsed
}

/// Reads the hooks in a manifest itself: `{"hooks": {…}}`.
fn read_inline(plugin: &Plugin, tree: &SourceTree, field: &Node, parsed: &mut Parsed) {
    let path = &tree.root.path;
    let others = field
        .entries()
        .unwrap_or_default()
        .iter()
        .filter(|entry| entry.key != FIELD);
    let told = |entry: &Entry| {
        let message = messages::PLUGIN_FIELD.render(args! { "field" => entry.key });
        Problem::new(message, path, Some(entry.key_position))
    };
    parsed.problems.extend(others.map(told));
    let mut read = event_list::read_file(&GROUPS, &tree.root, &format!("plugin-{}", plugin.id), field);
    settings::drop_file(&mut read, path);
    parsed.extend(read);
}

/// The manifest, if the root is one.
fn manifest(tree: &SourceTree) -> Option<Arc<Node>> {
    let path = &tree.root.path;
    let is_manifest = MANIFESTS.iter().any(|name| path.ends_with(name));
    is_manifest.then(|| plugin_files::read(tree, path)).flatten()
}

/// The folder of the plugin of a hook's file, as its variables have it.
pub fn variables(file: &Path) -> Vec<(String, String)> {
    let folder = plugin_of(file).map(|plugin| plugin.folder.display().to_string());
    let names = folder
        .iter()
        .flat_map(|folder| ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"].map(|name| (name, folder)));
    names.map(|(name, folder)| (name.to_owned(), folder.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_cache_belongs_to_its_plugin() {
        let file = Path::new("/h/.codex/plugins/cache/shop/guard/1.2.0/hooks/hooks.json");
        let plugin = plugin_of(file).unwrap();
        assert_eq!(
            (plugin.id.as_str(), plugin.user.as_deref()),
            ("guard@shop", Some(Path::new("/h/.codex")))
        );
        assert_eq!(plugin.trust_name(file), "guard@shop:hooks/hooks.json");
        let manifest = plugin.folder.join(MANIFESTS[0]);
        assert_eq!(plugin.trust_name(&manifest), "guard@shop:plugin.json#hooks[0]");
        assert_eq!(plugin_of(Path::new("/h/.codex/hooks.json")), None);
    }

    #[test]
    fn numbers_in_versions_count_as_numbers() {
        let mut versions = ["1.10.0", "1.9.0", "1.2.0-beta"].map(PathBuf::from);
        versions.sort_by_key(|version| version_parts(version));
        assert_eq!(versions, ["1.2.0-beta", "1.9.0", "1.10.0"].map(PathBuf::from));
    }
}
