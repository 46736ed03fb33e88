//! Reads the hooks of a sample as its dialect would, without a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_dialects::convert::NewFile;
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Bilingual, Dialect, Handler, Hook, Locations, RootKind, SourceTree, TargetLayer};
use hookwright_workspace::discovery::{self, PendingFile, PendingFiles};
use hookwright_workspace::edit::added_hooks::NewHook;

use crate::app::App;
use crate::dto::SampleHook;
use crate::hook_files;

/// A sample as the build script embeds it.
#[derive(Debug)]
pub(super) struct EmbeddedSample {
    pub dialect: &'static str,
    pub name: &'static str,
    /// What it shows.
    pub en: &'static str,
    pub zh: &'static str,
    /// Path in the project, text, Unix mode.
    pub files: &'static [(&'static str, &'static str, u32)],
}

/// Every sample, in the order of the README's tables.
pub(super) const ALL: &[EmbeddedSample] = include!(concat!(env!("OUT_DIR"), "/samples.rs"));

/// A sample with its hooks.
pub(super) struct LoadedSample {
    pub dialect: &'static dyn Dialect,
    pub name: &'static str,
    pub about: Bilingual,
    /// The files that come along, the ones that define hooks first.
    pub files: Vec<NewFile>,
    /// The hooks that are entries of a file with several.
    pub entries: Vec<SampleEntry>,
    pub hooks: Vec<SampleHook>,
}

/// A hook that is an entry of a file, and can be added to another one.
pub(super) struct SampleEntry {
    /// The file, with its path in the project.
    pub path: PathBuf,
    pub hook: NewHook,
}

impl LoadedSample {
    /// Reads a sample; `None` if the program does not know its dialect.
    pub fn load(app: &App, sample: &EmbeddedSample) -> Option<Self> {
        let dialect = find_dialect(sample.dialect).ok()?;
        let project = app.workspace.env.data_dir.join("embedded").join(sample.name);
        let trees = read(dialect, &project, sample.files);
        let mut loaded = Self {
            dialect,
            name: sample.name,
            about: Bilingual {
                en: sample.en,
                zh: sample.zh,
            },
            files: Vec::new(),
            entries: Vec::new(),
            hooks: Vec::new(),
        };
        for tree in &trees {
            loaded.add_hooks(tree, &project);
        }
        let defining: Vec<PathBuf> = trees
            .iter()
            .flat_map(|tree| tree.files.keys())
            .filter_map(|path| path.strip_prefix(&project).ok())
            .map(Path::to_owned)
            .collect();
        loaded.add_files(sample.files, &defining);
        Some(loaded)
    }

    fn add_hooks(&mut self, tree: &SourceTree, project: &Path) {
        let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
        for hook in self.dialect.parse(tree).hooks {
            if let Some(index) = by_id.get(&hook.id) {
                self.hooks[*index].events.push(hook.event.clone());
                continue;
            }
            by_id.insert(hook.id.clone(), self.hooks.len());
            let definition = self
                .dialect
                .definitions_to_add(tree, &[&hook])
                .pop()
                .flatten()
                .filter(|_| tree.root.reads == RootKind::File && !is_module(&hook));
            self.hooks.push(SampleHook {
                label: hook.label.clone(),
                events: if is_module(&hook) {
                    Vec::new()
                } else {
                    vec![hook.event.clone()]
                },
                definition: match &definition {
                    Some(fields) => fields.clone().into(),
                    None => hook.definition.clone(),
                },
            });
            let path = hook.source.path.strip_prefix(project).ok().map(Path::to_owned);
            if let (Some(definition), Some(path)) = (definition, path) {
                let event = hook.event.clone();
                self.entries.push(SampleEntry {
                    path,
                    hook: NewHook { event, definition },
                });
            }
        }
    }

    /// Adds the files in folders, and the others that a definition names.
    fn add_files(&mut self, files: &[(&str, &str, u32)], defining: &[PathBuf]) {
        let named = |path: &str| {
            let mut definitions = self.hooks.iter().map(|hook| hook.definition.to_string());
            definitions.any(|definition| definition.contains(path))
        };
        let comes_along = |path: &&(&str, &str, u32)| path.0.contains('/') || named(path.0);
        let mut files: Vec<NewFile> = files
            .iter()
            .filter(comes_along)
            .map(|(path, text, mode)| NewFile {
                path: PathBuf::from(path),
                bytes: text.as_bytes().to_vec(),
                mode: *mode,
            })
            .collect();
        files.sort_by_key(|file| !defining.contains(&file.path));
        self.files = files;
    }

    /// The layer that it is usually added to.
    pub fn usual_layer(&self) -> TargetLayer {
        let layers = self.dialect.card().edit_support.target_layers;
        let usual = layers.iter().find(|layer| **layer == TargetLayer::Project);
        usual.or(layers.first()).copied().unwrap_or(TargetLayer::Project)
    }

    /// The layers to which all its files can be added.
    pub fn layers(&self) -> Vec<TargetLayer> {
        let has_entries = !self.entries.is_empty();
        let fits = |layer: &&TargetLayer| match layer {
            TargetLayer::User => hook_files::can_leave_project(&self.files),
            TargetLayer::Local => has_entries,
            TargetLayer::Project | TargetLayer::Skill => true,
        };
        let layers = self.dialect.card().edit_support.target_layers;
        layers.iter().filter(fits).copied().collect()
    }

    /// The events of its hooks, each once.
    pub fn events(&self) -> Vec<String> {
        let mut events: Vec<String> = Vec::new();
        for event in self.hooks.iter().flat_map(|hook| &hook.events) {
            if !events.contains(event) {
                events.push(event.clone());
            }
        }
        events
    }
}

fn is_module(hook: &Hook) -> bool {
    matches!(hook.handler, Handler::Module { .. })
}

/// The roots of a project with only these files.
fn read(dialect: &dyn Dialect, project: &Path, files: &[(&str, &str, u32)]) -> Vec<SourceTree> {
    let pending = files.iter().map(|(path, text, mode)| {
        let file = PendingFile {
            bytes: text.as_bytes().to_vec(),
            executable: mode & 0o111 != 0,
        };
        (project.join(path), Some(file))
    });
    let pending = PendingFiles(pending.collect());
    let locations = Locations {
        home: project.join("home"),
        project: project.to_owned(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let roots = dialect.roots(&locations, &hook_files::NoDirs);
    let trees = roots
        .iter()
        .map(|root| discovery::read_tree_with(dialect, root, &pending));
    trees.filter(|tree| !tree.files.is_empty()).collect()
}
