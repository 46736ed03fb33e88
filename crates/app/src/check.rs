//! Checks configuration: the files of a project and of the user, or given paths (`CONTRACTS.md` §2).

use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, Locations, Problem, Root, RootKind, args};

use crate::App;
use crate::dto::CheckDoc;
use crate::fault::Fault;
use crate::hooks::find_dialect;
use crate::host_env::DiskProbe;
use crate::library::{self, LoadedSource, Snapshot};

hookwright_model::messages! {
    /// A given path does not exist.
    NO_SUCH_PATH = "no_such_path" { "{path} does not exist", "{path} 不存在" } hint { "give a configuration file, or a folder that holds one", "请给出配置文件，或包含它的文件夹" };
    /// No dialect has a file of this path or name.
    UNKNOWN_KIND = "unknown_kind" { "{path} is not a hook configuration by its place or name", "按位置和名称，{path} 不是 Hook 配置" } hint { "name its dialect with --dialect: {known}", "请用 --dialect 指明方言：{known}" };
    /// The file contains settings of Claude Code.
    CLAUDE_SETTINGS = "unknown_kind" / "claude" { "{path} is a file of Claude Code, which Hookwright does not check", "{path} 是 Claude Code 的文件，Hookwright 不检查" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
    /// The file contains the hooks of a Claude Code plugin.
    CLAUDE_PLUGIN = "file_not_read" / "claude_plugin" { "this is the file of a Claude Code plugin: Hookwright does not read it", "这是 Claude Code 插件的文件：Hookwright 不读取它" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
}

/// Folders that contain dependencies, build results or version control data, never the user's configuration.
const SKIPPED_FOLDERS: &[&str] = &[
    "node_modules",
    "target",
    ".git",
    ".hg",
    ".svn",
    "dist",
    "build",
    "__pycache__",
    ".venv",
    "venv",
];
/// Maximum depth of the folders that a scan reads.
const MAX_DEPTH: usize = 12;

impl App {
    /// Checks the files of a project and of the user. If `dialect` is given, checks only the hook files of that
    /// dialect.
    #[must_use]
    pub fn check_project(&self, snapshot: &Snapshot, dialect: Option<&str>) -> CheckDoc {
        crate::open_project::compile_patterns(snapshot, &self.trust);
        let mut problems = snapshot.problems(&self.env, dialect);
        problems.extend(self.app_file_problems());
        let existing_sources = snapshot
            .sources
            .iter()
            .filter(|source| source.exists && dialect.is_none_or(|wanted| wanted == source.dialect));
        let existing_sources: Vec<&LoadedSource> = existing_sources.collect();
        CheckDoc {
            problems,
            checked: existing_sources
                .iter()
                .map(|source| source.root.path.display().to_string())
                .collect(),
            files: count_distinct(existing_sources.iter().flat_map(|source| source_files(source))),
            others: Vec::new(),
        }
    }

    /// Checks given files and folders. Each known layout inside a folder is a project of its own.
    ///
    /// # Errors
    /// A path does not exist, a file belongs to no dialect, or the dialect is unknown.
    pub fn check_paths(&self, paths: &[PathBuf], dialect: Option<&str>) -> Result<CheckDoc, Fault> {
        let wanted = dialect.map(find_dialect).transpose()?;
        let mut found = Vec::new();
        let mut others = Vec::new();
        for path in paths {
            let path = self.env.absolute(path);
            if path.is_dir() {
                let mut scan = ConfigScan {
                    start: &path,
                    wanted,
                    found: &mut found,
                    others: &mut others,
                };
                self.scan_folder(&path, &mut scan, 0);
            } else if !path.exists() {
                return Err(NO_SUCH_PATH
                    .render(args! { "path" => path.display().to_string() })
                    .into());
            } else if wanted.is_none() && self.is_claude_plugin(&path) {
                others.push(path);
            } else {
                found.push(self.identify_file(&path, wanted)?);
            }
        }
        let mut doc = self.check_found_files(found);
        doc.problems.extend(
            others
                .iter()
                .map(|path| Problem::new(CLAUDE_PLUGIN.render_plain(), path, None)),
        );
        doc.others = others.iter().map(|path| path.display().to_string()).collect();
        doc.problems.extend(self.app_file_problems());
        Ok(doc)
    }

    /// Starts the bridges of the approved modules among these files and folders, so that the next check knows their
    /// hooks.
    ///
    /// # Errors
    /// A path does not exist, a file belongs to no dialect, or the dialect is unknown.
    pub async fn import_paths(&self, paths: &[PathBuf], dialect: Option<&str>) -> Result<(), Fault> {
        let wanted = dialect.map(find_dialect).transpose()?;
        for path in self.check_paths(paths, dialect)?.checked {
            if let Ok(FoundFile { dialect, root, .. }) = self.identify_file(Path::new(&path), wanted) {
                let project = root.project.clone().unwrap_or_else(|| self.env.home.clone());
                let snapshot = Snapshot {
                    sources: vec![library::load_file(dialect, root)],
                    ..Snapshot::default()
                };
                self.import_modules(&snapshot, &project).await;
            }
        }
        Ok(())
    }

    /// The dialect and the root of a file: from `--dialect` if it is given, else from its path or name.
    fn identify_file(&self, path: &Path, wanted: Option<&'static dyn Dialect>) -> Result<FoundFile, Fault> {
        let places = self.env.locations(path.parent().unwrap_or(path));
        if let Some(dialect) = wanted {
            return Ok(match dialect.detect_root(path, &places) {
                Some(root) => FoundFile::new(dialect, root, path),
                None => FoundFile::for_dialect(dialect, path),
            });
        }
        let mut claims = hookwright_dialects::all()
            .iter()
            .filter_map(|dialect| Some(FoundFile::new(*dialect, dialect.detect_root(path, &places)?, path)));
        claims.next().ok_or_else(|| {
            let folder = path.parent().and_then(Path::file_name);
            let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
            if folder.is_some_and(|folder| folder == ".claude") && name.starts_with("settings") {
                return CLAUDE_SETTINGS
                    .render(args! { "path" => path.display().to_string() })
                    .into();
            }
            let known: Vec<&str> = hookwright_dialects::all()
                .iter()
                .map(|dialect| dialect.card().id)
                .collect();
            UNKNOWN_KIND
                .render(args! { "path" => path.display().to_string(), "known" => known.join(", ") })
                .into()
        })
    }

    /// Checks the found files, all roots of one layout together, because the meaning of a file may depend on another
    /// one.
    fn check_found_files(&self, found: Vec<FoundFile>) -> CheckDoc {
        let mut doc = CheckDoc {
            problems: Vec::new(),
            checked: Vec::new(),
            files: count_distinct(found.iter().map(|file| file.path.clone())),
            others: Vec::new(),
        };
        let mut layouts: Vec<Vec<FoundFile>> = Vec::new();
        for file in found {
            match layouts
                .iter_mut()
                .find(|layout| layout.iter().any(|other| other.same_layout(&file)))
            {
                Some(layout) => layout.push(file),
                None => layouts.push(vec![file]),
            }
        }
        for layout in layouts {
            // A root may be named twice, by itself and by a folder above it. It is listed only once.
            let whole_roots: Vec<PathBuf> = layout
                .iter()
                .filter(|file| file.is_whole_root)
                .map(|file| file.root.path.clone())
                .collect();
            for file in &layout {
                let checked_path = file.checked_path().display().to_string();
                if (file.is_whole_root || !whole_roots.contains(&file.root.path))
                    && !doc.checked.contains(&checked_path)
                {
                    doc.checked.push(checked_path);
                }
            }
            doc.problems.extend(self.layout_problems(&layout));
        }
        doc
    }

    /// The problems of one layout. If no whole root was requested, only problems in the folders of the found files are
    /// returned.
    fn layout_problems(&self, layout: &[FoundFile]) -> Vec<Problem> {
        let Some(first) = layout.first() else { return Vec::new() };
        let mut snapshot = Snapshot::default();
        for file in layout {
            if !snapshot.sources.iter().any(|source| source.root.path == file.root.path) {
                snapshot
                    .sources
                    .push(library::load_file(file.dialect, file.root.clone()));
            }
        }
        let places = self.env.locations(&first.project());
        let order = first.dialect.roots(&places, &DiskProbe);
        // A scan finds files in the order of their names. Which file replaces another depends on the load order.
        let load_position = |path: &Path| order.iter().position(|root| root.path == path).unwrap_or(usize::MAX);
        snapshot.sources.sort_by_key(|source| load_position(&source.root.path));
        snapshot.cross_file_results = library::resolve_conflicts(&self.env, &mut snapshot);
        snapshot.lints = library::LintCache::new(places);
        crate::open_project::compile_patterns(&snapshot, &self.trust);
        let mut problems = snapshot.problems(&self.env, None);
        if !layout.iter().any(|file| file.is_whole_root) {
            let folders: Vec<&Path> = layout.iter().filter_map(|file| file.path.parent()).collect();
            problems.retain(|problem| folders.iter().any(|folder| problem.path.starts_with(folder)));
        }
        problems
    }

    /// Whether a file is the `hooks/hooks.json` of a Claude Code plugin. It is not the file of a skill or of another
    /// dialect. It has an object under `hooks`, or the plugin has a folder `.claude-plugin`.
    fn is_claude_plugin(&self, path: &Path) -> bool {
        let Some(plugin) = path
            .parent()
            .and_then(Path::parent)
            .filter(|_| path.ends_with("hooks/hooks.json"))
        else {
            return false;
        };
        let places = self.env.locations(plugin);
        let is_dialect_file = hookwright_dialects::all()
            .iter()
            .any(|dialect| dialect.detect_root(path, &places).is_some());
        let has_hooks_object = || {
            let text = crate::regular_file::read_text(path, MAX_PLUGIN_BYTES).unwrap_or_default();
            let read: Result<serde_json::Value, _> = serde_json::from_str(&text);
            read.is_ok_and(|file| file.get("hooks").is_some_and(serde_json::Value::is_object))
        };
        !is_dialect_file && (plugin.join(".claude-plugin").is_dir() || has_hooks_object())
    }

    /// Scans one folder and the folders in it.
    fn scan_folder(&self, folder: &Path, scan: &mut ConfigScan<'_>, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut entries: Vec<std::fs::DirEntry> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        let places = self.env.locations(folder);
        for entry in entries {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() {
                if depth < MAX_DEPTH && !SKIPPED_FOLDERS.iter().any(|skip| name == *skip) {
                    self.scan_folder(&path, scan, depth + 1);
                }
                continue;
            }
            let before = scan.found.len();
            scan.add_file(&path, &places);
            if scan.found.len() == before && scan.wanted.is_none() && self.is_claude_plugin(&path) {
                scan.others.push(path);
            }
        }
    }
}

/// Maximum size of another agent's file in bytes. A larger file is not read.
const MAX_PLUGIN_BYTES: u64 = 1 << 20;

/// The scan of a folder for hook files.
struct ConfigScan<'a> {
    /// The folder where the scan began.
    start: &'a Path,
    wanted: Option<&'static dyn Dialect>,
    found: &'a mut Vec<FoundFile>,
    /// Files of other agents that have the form of hook files.
    others: &'a mut Vec<PathBuf>,
}

impl ConfigScan<'_> {
    /// Adds a file for every dialect that has a root for it.
    fn add_file(&mut self, path: &Path, places: &Locations) {
        let dialects = hookwright_dialects::all().iter();
        let dialects_asked_for =
            dialects.filter(|dialect| self.wanted.is_none_or(|wanted| wanted.card().id == dialect.card().id));
        for dialect in dialects_asked_for.filter(|dialect| dialect.found_by_scan(path)) {
            let Some(root) = dialect.detect_root(path, places) else {
                continue;
            };
            // If the root is above the requested folder, the other files of the root were not requested.
            let above = self.start.starts_with(&root.path) && root.path != self.start;
            let whole = !above && (path.starts_with(&root.path));
            self.found.push(FoundFile {
                is_whole_root: whole,
                ..FoundFile::new(*dialect, root, path)
            });
        }
    }
}

/// The number of different files.
fn count_distinct(files: impl Iterator<Item = PathBuf>) -> u32 {
    let files: std::collections::BTreeSet<PathBuf> = files.collect();
    u32::try_from(files.len()).unwrap_or(u32::MAX)
}

/// The files that a source was read from: its root, or the files in its folders that have hooks or problems.
fn source_files(source: &LoadedSource) -> Vec<PathBuf> {
    match source.root.reads {
        RootKind::File => vec![source.root.path.clone()],
        RootKind::Folders(_) => {
            let hooks = source.hooks.iter().map(|hook| hook.source.path.clone());
            hooks
                .chain(source.problems.iter().map(|problem| problem.path.clone()))
                .collect()
        }
    }
}

/// A file that was found, and the root it belongs to.
struct FoundFile {
    dialect: &'static dyn Dialect,
    root: Root,
    path: PathBuf,
    /// Whether the whole root was requested.
    is_whole_root: bool,
    /// Whether the file is outside the dialect's roots. If so, no other file belongs to its layout.
    is_outside_roots: bool,
}

impl FoundFile {
    fn new(dialect: &'static dyn Dialect, root: Root, path: &Path) -> Self {
        Self {
            dialect,
            is_whole_root: root.path == path,
            root,
            path: path.to_owned(),
            is_outside_roots: false,
        }
    }

    /// A file that belongs to the dialect only because of `--dialect`.
    fn for_dialect(dialect: &'static dyn Dialect, path: &Path) -> Self {
        let root = Root::file(hookwright_model::Layer::User, path.to_owned(), None);
        Self {
            is_outside_roots: true,
            ..Self::new(dialect, root, path)
        }
    }

    fn checked_path(&self) -> &Path {
        if self.is_whole_root {
            &self.root.path
        } else {
            &self.path
        }
    }

    fn project(&self) -> PathBuf {
        let project = self.root.project.as_deref();
        project
            .or_else(|| self.root.path.parent())
            .unwrap_or(Path::new(""))
            .to_owned()
    }

    /// Whether both files belong to one layout.
    fn same_layout(&self, other: &Self) -> bool {
        let same = self.dialect.card().id == other.dialect.card().id
            && self.root.layer == other.root.layer
            && self.project() == other.project();
        same && (self.root.path == other.root.path || !(self.is_outside_roots || other.is_outside_roots))
    }
}
