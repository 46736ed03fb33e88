//! Checks configuration: the files of a project and of the user, or given paths (`CONTRACTS.md` §2).

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Code, Dialect, Locations, Problem, Root, RootKind, render};
use hookwright_workspace::disk_probe::DiskProbe;
use hookwright_workspace::files::Opener;
use hookwright_workspace::snapshot::{LintCache, LoadedSource, Snapshot};
use hookwright_workspace::{discovery, project};

use crate::app::App;
use crate::dto::CheckDoc;
use crate::fault::Fault;
use crate::modules;

hookwright_model::messages! {
    /// A given path does not exist.
    NO_SUCH_PATH = "no_such_path" { "{path} does not exist", "{path} 不存在" } hint { "give a configuration file or a folder that contains one", "给出配置文件，或包含它的文件夹" };
    /// No dialect has a file of this path or name.
    UNKNOWN_KIND = "unknown_kind" { "{path} has neither the location nor the name of a hook configuration", "{path} 的位置和名称均不符合任何 Hook 配置" } hint { "use `--dialect` to name the hook system, one of {known}", "用 `--dialect` 指明 Hook 体系，可用的值：{known}" };
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

/// Checks the files of a project and of the user. If `dialect` is given, checks only the hook files of that
/// dialect.
#[must_use]
pub fn check_project(app: &App, snapshot: &Snapshot, dialect: Option<&str>) -> CheckDoc {
    project::compile_patterns(snapshot, &app.workspace.trust);
    let mut problems = snapshot.problems(&app.workspace.env, dialect);
    problems.extend(app.workspace.app_file_problems());
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
pub fn check_paths(app: &App, paths: &[PathBuf], dialect: Option<&str>) -> Result<CheckDoc, Fault> {
    let wanted = dialect.map(find_dialect).transpose()?;
    let mut found = Vec::new();
    let mut others = Vec::new();
    for path in paths {
        let path = app.workspace.env.absolute(path);
        if path.is_dir() {
            let mut scan = ConfigScan {
                start: &path,
                wanted,
                found: &mut found,
                others: &mut others,
            };
            scan_folder(app, &path, &mut scan, 0);
        } else if !path.exists() {
            return Err(render!(NO_SUCH_PATH, "path" => path.display().to_string()).into());
        } else {
            found.push(identify_file(app, &path, wanted)?);
        }
    }
    leave_out_parts(&mut found, &mut others);
    let mut doc = check_found_files(app, found);
    others.dedup();
    // A file that is reported here is no other agent's.
    others.retain(|path| doc.problems.iter().all(|problem| problem.path != Path::new(path)));
    doc.others = others;
    doc.problems.extend(app.workspace.app_file_problems());
    Ok(doc)
}

/// Leaves out files that another found file names: the hooks of a plugin are read with its manifest.
fn leave_out_parts(found: &mut Vec<FoundFile>, others: &mut Vec<String>) {
    let mut parts = BTreeSet::new();
    for file in found.iter().filter(|file| file.root.reads == RootKind::File) {
        let tree = discovery::read_root(file.dialect, &file.root).tree;
        parts.extend(tree.files.into_keys().filter(|path| *path != file.root.path));
    }
    found.retain(|file| !parts.contains(&file.path));
    others.retain(|path| !parts.contains(Path::new(path)));
}

/// Starts the bridges of the approved modules among these files and folders, so that the next check knows their
/// hooks.
///
/// # Errors
/// A path does not exist, a file belongs to no dialect, or the dialect is unknown.
pub async fn import_paths(app: &App, paths: &[PathBuf], dialect: Option<&str>) -> Result<(), Fault> {
    let wanted = dialect.map(find_dialect).transpose()?;
    for path in check_paths(app, paths, dialect)?.checked {
        if let Ok(FoundFile { dialect, root, .. }) = identify_file(app, Path::new(&path), wanted) {
            let project = root.project.clone().unwrap_or_else(|| app.workspace.env.home.clone());
            let snapshot = Snapshot {
                sources: vec![discovery::load_file(dialect, root)],
                ..Snapshot::default()
            };
            modules::import_modules(app, &snapshot, &project).await;
        }
    }
    Ok(())
}

/// The dialect and the root of a file: from `--dialect` if it is given, else from its path or name.
fn identify_file(app: &App, path: &Path, wanted: Option<&'static dyn Dialect>) -> Result<FoundFile, Fault> {
    let places = app.workspace.env.locations(path.parent().unwrap_or(path));
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
        let known: Vec<&str> = hookwright_dialects::all()
            .iter()
            .map(|dialect| dialect.card().id)
            .collect();
        render!(UNKNOWN_KIND, "path" => path.display().to_string(), "known" => known.join(", ")).into()
    })
}

/// Checks the found files, all roots of one layout together, because the meaning of a file may depend on another
/// one.
fn check_found_files(app: &App, found: Vec<FoundFile>) -> CheckDoc {
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
            if (file.is_whole_root || !whole_roots.contains(&file.root.path)) && !doc.checked.contains(&checked_path) {
                doc.checked.push(checked_path);
            }
        }
        doc.problems.extend(layout_problems(app, &layout));
    }
    doc
}

/// The problems of one layout. If no whole root was requested, only problems in the folders of the found files are
/// returned.
fn layout_problems(app: &App, layout: &[FoundFile]) -> Vec<Problem> {
    let Some(first) = layout.first() else { return Vec::new() };
    let mut snapshot = Snapshot::default();
    for file in layout {
        if !snapshot.sources.iter().any(|source| source.root.path == file.root.path) {
            snapshot
                .sources
                .push(discovery::load_file(file.dialect, file.root.clone()));
        }
    }
    let places = app.workspace.env.locations(&first.project());
    let order = first.dialect.roots(&places, &DiskProbe);
    // A scan finds files in the order of their names. Which file replaces another depends on the load order.
    let load_position = |path: &Path| order.iter().position(|root| root.path == path).unwrap_or(usize::MAX);
    snapshot.sources.sort_by_key(|source| load_position(&source.root.path));
    snapshot.cross_file_results = discovery::resolve_conflicts(&app.workspace.env, &mut snapshot);
    snapshot.lints = LintCache::new(places);
    project::compile_patterns(&snapshot, &app.workspace.trust);
    let mut problems = snapshot.problems(&app.workspace.env, None);
    // A file above the layout is no part of it: it is not known that an agent starts here.
    let project = first.project();
    let is_above = |problem: &Problem| {
        let is_other = problem.args.get("case").is_some_and(|case| case == "other_folder");
        problem.code == Code::FileNotRead && is_other && !problem.path.starts_with(&project)
    };
    problems.retain(|problem| !is_above(problem));
    if !layout.iter().any(|file| file.is_whole_root) {
        let folders: Vec<&Path> = layout.iter().filter_map(|file| file.path.parent()).collect();
        problems.retain(|problem| folders.iter().any(|folder| problem.path.starts_with(folder)));
    }
    problems
}

/// A source that was found at a path, and the folder or file in it that was named.
pub(crate) struct FoundSource {
    pub(crate) source: LoadedSource,
    pub(crate) folder: PathBuf,
}

/// Finds and reads the hook files of one dialect at a path: the file itself, or every one below a folder.
///
/// # Errors
/// The path does not exist.
pub(crate) fn find_sources(app: &App, path: &Path, dialect: &'static dyn Dialect) -> Result<Vec<FoundSource>, Fault> {
    let mut found = Vec::new();
    if path.is_dir() {
        let mut scan = ConfigScan {
            start: path,
            wanted: Some(dialect),
            found: &mut found,
            others: &mut Vec::new(),
        };
        scan_folder(app, path, &mut scan, 0);
    } else if path.exists() {
        found.push(identify_file(app, path, Some(dialect))?);
    } else {
        return Err(render!(NO_SUCH_PATH, "path" => path.display().to_string()).into());
    }
    leave_out_parts(&mut found, &mut Vec::new());
    let mut sources: Vec<FoundSource> = Vec::new();
    for file in found {
        let folder = match file.root.reads {
            RootKind::Folders(_) => hook_folder(&file.path),
            RootKind::File | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => file.root.path.clone(),
        };
        if sources.iter().any(|known| known.folder == folder) {
            continue;
        }
        sources.push(FoundSource {
            source: discovery::load_file(file.dialect, file.root),
            folder,
        });
    }
    Ok(sources)
}

/// The folder of a hook whose definition is this file.
fn hook_folder(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

/// Scans one folder and the folders in it.
fn scan_folder(app: &App, folder: &Path, scan: &mut ConfigScan<'_>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<std::fs::DirEntry> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let places = app.workspace.env.locations(folder);
    for entry in entries {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        let name = entry.file_name();
        if kind.is_dir() {
            if depth < MAX_DEPTH && !SKIPPED_FOLDERS.iter().any(|skip| name == *skip) {
                scan_folder(app, &path, scan, depth + 1);
            }
            continue;
        }
        scan.add_file(&path, &places);
    }
}

/// The scan of a folder for hook files.
struct ConfigScan<'a> {
    /// The folder where the scan began.
    start: &'a Path,
    wanted: Option<&'static dyn Dialect>,
    found: &'a mut Vec<FoundFile>,
    /// The paths of files that other agents or programs read.
    others: &'a mut Vec<String>,
}

impl ConfigScan<'_> {
    /// Adds a file for every dialect that has a root for it.
    fn add_file(&mut self, path: &Path, places: &Locations) {
        let before = self.found.len();
        let text = OnceCell::new();
        let read = || text.get_or_init(|| read_text(path)).clone();
        let mut looks_like_hooks = is_of_other_agent(path);
        let dialects = hookwright_dialects::all().iter();
        let dialects_asked_for =
            dialects.filter(|dialect| self.wanted.is_none_or(|wanted| wanted.card().id == dialect.card().id));
        for dialect in dialects_asked_for {
            let Some(root) = dialect.detect_root(path, places) else {
                continue;
            };
            if !dialect.found_by_scan(path, &read) {
                // A module of Python with this name is mostly something else, and a text for an agent mostly has no hooks.
                let is_named_hook = path.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("hook"));
                looks_like_hooks |= match path.extension().and_then(|ending| ending.to_str()) {
                    Some("py") => false,
                    Some("md") => is_named_hook,
                    Some(_) | None => true,
                };
                continue;
            }
            // If the root is above the requested folder, the other files of the root were not requested.
            let above = self.start.starts_with(&root.path) && root.path != self.start;
            let whole = !above && (path.starts_with(&root.path));
            self.found.push(FoundFile {
                is_whole_root: whole,
                ..FoundFile::new(*dialect, root, path)
            });
        }
        if looks_like_hooks && self.found.len() == before {
            self.others.push(path.display().to_string());
        }
    }
}

/// The text of a file; empty if it is not text, is too large, or leads out of its folder.
fn read_text(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    Opener::beneath(folder)
        .read_text(path, discovery::MAX_SOURCE_BYTES)
        .unwrap_or_default()
}

/// Files with hooks of agents whose hooks Hookwright does not run, and the manifests of their plugins: the end of the
/// folder's path, empty for any folder, and the name, where `*` stands for any beginning.
const OTHER_AGENTS: &[(&str, &str)] = &[
    (".cursor", "hooks.json"),
    (".cursor-plugin", "plugin.json"),
    (".gemini", "settings.json"),
    ("", "gemini-extension.json"),
    (".agents", "hooks.json"),
    (".github/hooks", "*.json"),
    (".github/copilot", "*.json"),
    (".kiro/hooks", "*.hook"),
    (".kiro/hooks", "*.json"),
    (".kiro/agents", "*.json"),
    (".windsurf", "hooks.json"),
    (".factory", "hooks.json"),
    (".augment", "settings.json"),
    (".opencode", "*.json"),
    ("hooks", "hooks.json"),
    (".agents/hooks", "hooks.yaml"),
];

/// Whether a file has hooks of another agent, by its place and name.
fn is_of_other_agent(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    OTHER_AGENTS.iter().any(|(place, known)| {
        let is_named = known
            .strip_prefix('*')
            .map_or(name == *known, |ending| name.ends_with(ending));
        is_named && (place.is_empty() || folder.ends_with(place))
    })
}

/// The number of different files.
fn count_distinct(files: impl Iterator<Item = PathBuf>) -> u32 {
    let files: BTreeSet<PathBuf> = files.collect();
    u32::try_from(files.len()).unwrap_or(u32::MAX)
}

/// The files that a source was read from: its root, or the files in its folders that have hooks or problems.
fn source_files(source: &LoadedSource) -> Vec<PathBuf> {
    match source.root.reads {
        RootKind::File => vec![source.root.path.clone()],
        RootKind::Folders(_) | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => {
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
