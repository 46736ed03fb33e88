//! Checking configuration: this project's and the person's files, or given paths (`CONTRACTS.md` §2).

use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, Locations, Problem, Root, RootKind, args};

use crate::App;
use crate::dto::CheckDoc;
use crate::fault::Fault;
use crate::hooks::find_dialect;
use crate::library::{self, Snapshot, Source};
use crate::surroundings::Disk;

hookwright_model::messages! {
    /// A path that is not there.
    NO_SUCH_PATH = "no_such_path" { "{path} does not exist", "{path} 不存在" } hint { "give a configuration file, or a folder that holds one", "请给出配置文件，或包含它的文件夹" };
    /// A file of no known kind.
    UNKNOWN_KIND = "unknown_kind" { "{path} is not a hook configuration by its place or name", "按位置和名称，{path} 不是 Hook 配置" } hint { "name its dialect with --dialect: {known}", "请用 --dialect 指明方言：{known}" };
    /// The settings of Claude Code.
    CLAUDE_SETTINGS = "unknown_kind" / "claude" { "{path} is a file of Claude Code, which Hookwright does not check", "{path} 是 Claude Code 的文件，Hookwright 不检查" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
    /// The hooks of a Claude Code plugin.
    CLAUDE_PLUGIN = "file_not_read" / "claude_plugin" { "this is the file of a Claude Code plugin: Hookwright does not read it", "这是 Claude Code 插件的文件：Hookwright 不读取它" } hint { "use `--dialect qoder` to read it as a file of Qoder", "用 `--dialect qoder` 可按 Qoder 的文件读取" };
}

/// Folders that hold other people's code, never somebody's configuration.
const NOT_WALKED: &[&str] = &[
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
/// Deeper folders are not walked.
const MAX_DEPTH: usize = 12;

impl App {
    /// Checks what a project and its person have.
    #[must_use]
    pub fn check_project(&self, snapshot: &Snapshot, dialect: Option<&str>) -> CheckDoc {
        crate::desk::compile(snapshot, &self.trust);
        let mut problems = snapshot.problems(&self.around, dialect);
        problems.extend(self.own_problems());
        let looked = snapshot
            .sources
            .iter()
            .filter(|source| source.exists && dialect.is_none_or(|wanted| wanted == source.dialect));
        let looked: Vec<&Source> = looked.collect();
        CheckDoc {
            problems,
            checked: looked
                .iter()
                .map(|source| source.root.path.display().to_string())
                .collect(),
            files: count(looked.iter().flat_map(|source| files_of(source))),
            others: Vec::new(),
        }
    }

    /// Checks given files and folders; each known layout inside a folder is its own project.
    ///
    /// # Errors
    /// A path that is not there, or a file of no known kind.
    pub fn check_paths(&self, paths: &[PathBuf], dialect: Option<&str>) -> Result<CheckDoc, Fault> {
        let wanted = dialect.map(find_dialect).transpose()?;
        let mut met = Vec::new();
        let mut others = Vec::new();
        for path in paths {
            let path = self.around.absolute(path);
            if path.is_dir() {
                let mut walk = Walk {
                    top: &path,
                    wanted,
                    met: &mut met,
                    others: &mut others,
                };
                self.walk(&path, &mut walk, 0);
            } else if !path.exists() {
                return Err(NO_SUCH_PATH
                    .render(args! { "path" => path.display().to_string() })
                    .into());
            } else if wanted.is_none() && self.is_claude_plugin(&path) {
                others.push(path);
            } else {
                met.push(self.claim(&path, wanted)?);
            }
        }
        let mut doc = self.look(met);
        doc.problems.extend(
            others
                .iter()
                .map(|path| Problem::new(CLAUDE_PLUGIN.render_plain(), path, None)),
        );
        doc.others = others.iter().map(|path| path.display().to_string()).collect();
        doc.problems.extend(self.own_problems());
        Ok(doc)
    }

    /// Starts the bridges of the modules among these files and folders that were approved, for the check that follows.
    ///
    /// # Errors
    /// A path that is not there, or a file of no known kind.
    pub async fn import_paths(&self, paths: &[PathBuf], dialect: Option<&str>) -> Result<(), Fault> {
        let wanted = dialect.map(find_dialect).transpose()?;
        for path in self.check_paths(paths, dialect)?.checked {
            if let Ok(Met { dialect, root, .. }) = self.claim(Path::new(&path), wanted) {
                let project = root.project.clone().unwrap_or_else(|| self.around.home.clone());
                let snapshot = Snapshot {
                    sources: vec![library::load_file(dialect, root)],
                    ..Snapshot::default()
                };
                self.import_modules(&snapshot, &project).await;
            }
        }
        Ok(())
    }

    /// Whose file this is: by its place or name, else as `--dialect` says.
    fn claim(&self, path: &Path, wanted: Option<&'static dyn Dialect>) -> Result<Met, Fault> {
        let places = self.around.places(path.parent().unwrap_or(path));
        if let Some(dialect) = wanted {
            return Ok(match dialect.detect_root(path, &places) {
                Some(root) => Met::new(dialect, root, path),
                None => Met::named(dialect, path),
            });
        }
        let mut claims = hookwright_dialects::all()
            .iter()
            .filter_map(|dialect| Some(Met::new(*dialect, dialect.detect_root(path, &places)?, path)));
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

    /// Looks at what was met, all places of one layout together: what one file says may depend on its neighbour.
    fn look(&self, met: Vec<Met>) -> CheckDoc {
        let mut doc = CheckDoc {
            problems: Vec::new(),
            checked: Vec::new(),
            files: count(met.iter().map(|met| met.path.clone())),
            others: Vec::new(),
        };
        let mut layouts: Vec<Vec<Met>> = Vec::new();
        for met in met {
            match layouts
                .iter_mut()
                .find(|layout| layout.iter().any(|other| other.beside(&met)))
            {
                Some(layout) => layout.push(met),
                None => layouts.push(vec![met]),
            }
        }
        for layout in layouts {
            // Named twice, by itself and by a folder above it, a place is looked at once.
            let whole: Vec<PathBuf> = layout
                .iter()
                .filter(|met| met.whole)
                .map(|met| met.root.path.clone())
                .collect();
            for met in &layout {
                let shown = met.shown().display().to_string();
                if (met.whole || !whole.contains(&met.root.path)) && !doc.checked.contains(&shown) {
                    doc.checked.push(shown);
                }
            }
            doc.problems.extend(self.problems_of(&layout));
        }
        doc
    }

    /// Of a place of which only one file was met, what is said of that file's own folder.
    fn problems_of(&self, layout: &[Met]) -> Vec<Problem> {
        let Some(first) = layout.first() else { return Vec::new() };
        let mut snapshot = Snapshot::default();
        for met in layout {
            if !snapshot.sources.iter().any(|source| source.root.path == met.root.path) {
                snapshot.sources.push(library::load_file(met.dialect, met.root.clone()));
            }
        }
        let places = self.around.places(&first.project());
        let order = first.dialect.roots(&places, &Disk);
        // A walk meets files by their names; what a later file replaces hangs on the order in which they are read.
        let place = |path: &Path| order.iter().position(|root| root.path == path).unwrap_or(usize::MAX);
        snapshot.sources.sort_by_key(|source| place(&source.root.path));
        snapshot.settled = library::settle(&self.around, &mut snapshot);
        snapshot.advisor = library::Advisor::of(places);
        crate::desk::compile(&snapshot, &self.trust);
        let mut problems = snapshot.problems(&self.around, None);
        if !layout.iter().any(|met| met.whole) {
            let folders: Vec<&Path> = layout.iter().filter_map(|met| met.path.parent()).collect();
            problems.retain(|problem| folders.iter().any(|folder| problem.path.starts_with(folder)));
        }
        problems
    }

    /// Whether a file is the `hooks/hooks.json` of a Claude Code plugin: no skill's, and with an object under `hooks` or
    /// with the plugin's own folder next to it.
    fn is_claude_plugin(&self, path: &Path) -> bool {
        let Some(plugin) = path
            .parent()
            .and_then(Path::parent)
            .filter(|_| path.ends_with("hooks/hooks.json"))
        else {
            return false;
        };
        let places = self.around.places(plugin);
        let is_ours = hookwright_dialects::all()
            .iter()
            .any(|dialect| dialect.detect_root(path, &places).is_some());
        let holds_object = || {
            let text = crate::door::read_text(path, MAX_OTHER).unwrap_or_default();
            let read: Result<serde_json::Value, _> = serde_json::from_str(&text);
            read.is_ok_and(|file| file.get("hooks").is_some_and(serde_json::Value::is_object))
        };
        !is_ours && (plugin.join(".claude-plugin").is_dir() || holds_object())
    }

    /// A folder on a walk.
    fn walk(&self, folder: &Path, walk: &mut Walk<'_>, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut entries: Vec<std::fs::DirEntry> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        let places = self.around.places(folder);
        for entry in entries {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() {
                if depth < MAX_DEPTH && !NOT_WALKED.iter().any(|skip| name == *skip) {
                    self.walk(&path, walk, depth + 1);
                }
                continue;
            }
            let before = walk.met.len();
            walk.meet(&path, &places);
            if walk.met.len() == before && walk.wanted.is_none() && self.is_claude_plugin(&path) {
                walk.others.push(path);
            }
        }
    }
}

/// A larger file of another agent is not looked into, in bytes.
const MAX_OTHER: u64 = 1 << 20;

/// A walk through a folder.
struct Walk<'a> {
    /// Where it began.
    top: &'a Path,
    wanted: Option<&'static dyn Dialect>,
    met: &'a mut Vec<Met>,
    /// Files of other agents that look like hooks.
    others: &'a mut Vec<PathBuf>,
}

impl Walk<'_> {
    /// Takes a file for every dialect that has a place for it.
    fn meet(&mut self, path: &Path, places: &Locations) {
        let dialects = hookwright_dialects::all().iter();
        let mine = dialects.filter(|dialect| self.wanted.is_none_or(|wanted| wanted.card().id == dialect.card().id));
        for dialect in mine.filter(|dialect| dialect.found_by_scan(path)) {
            let Some(root) = dialect.detect_root(path, places) else {
                continue;
            };
            // Its place lies above what was asked for: what stands beside it there was not.
            let above = self.top.starts_with(&root.path) && root.path != self.top;
            let whole = !above && (path.starts_with(&root.path));
            self.met.push(Met {
                whole,
                ..Met::new(*dialect, root, path)
            });
        }
    }
}

/// How many different files these are.
fn count(files: impl Iterator<Item = PathBuf>) -> u32 {
    let files: std::collections::BTreeSet<PathBuf> = files.collect();
    u32::try_from(files.len()).unwrap_or(u32::MAX)
}

/// The files that a place was read from: itself, or those in its folders that have hooks or faults.
fn files_of(source: &Source) -> Vec<PathBuf> {
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

/// A file that was met, and the place it belongs to.
struct Met {
    dialect: &'static dyn Dialect,
    root: Root,
    path: PathBuf,
    /// Everything of its place was asked for.
    whole: bool,
    /// It lies where the dialect has no places: nothing stands beside it.
    stray: bool,
}

impl Met {
    fn new(dialect: &'static dyn Dialect, root: Root, path: &Path) -> Self {
        Self {
            dialect,
            whole: root.path == path,
            root,
            path: path.to_owned(),
            stray: false,
        }
    }

    /// A file that `--dialect` says is one of these.
    fn named(dialect: &'static dyn Dialect, path: &Path) -> Self {
        let root = Root::file(hookwright_model::Layer::User, path.to_owned(), None);
        Self {
            stray: true,
            ..Self::new(dialect, root, path)
        }
    }

    fn shown(&self) -> &Path {
        if self.whole { &self.root.path } else { &self.path }
    }

    fn project(&self) -> PathBuf {
        let project = self.root.project.as_deref();
        project
            .or_else(|| self.root.path.parent())
            .unwrap_or(Path::new(""))
            .to_owned()
    }

    /// Whether they belong to one layout.
    fn beside(&self, other: &Self) -> bool {
        let same = self.dialect.card().id == other.dialect.card().id
            && self.root.layer == other.root.layer
            && self.project() == other.project();
        same && (self.root.path == other.root.path || !(self.stray || other.stray))
    }
}
