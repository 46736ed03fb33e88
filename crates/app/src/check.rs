//! Checking configuration: this project's and the person's files, or given paths (`CONTRACTS.md` §2).

use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, Problem, Root, args};

use crate::App;
use crate::dto::CheckDoc;
use crate::fault::Fault;
use crate::hooks::find_dialect;
use crate::library::{self, Snapshot};
use crate::surroundings::Disk;

hookwright_model::sayings! {
    /// A path that is not there.
    NO_SUCH_PATH = "no_such_path" { "{path} does not exist", "{path} 不存在" } hint { "give a configuration file, or a folder that holds one", "请给出配置文件，或包含它的文件夹" };
    /// A file of no known kind.
    UNKNOWN_KIND = "unknown_kind" { "{path} is no hook configuration by its place or name", "按位置和名字看，{path} 不是 hook 配置" } hint { "say which with --dialect: {known}", "请用 --dialect 指明：{known}" };
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
        let mut problems = snapshot.problems(&self.around, dialect);
        problems.extend(self.own_problems());
        let looked = snapshot
            .sources
            .iter()
            .filter(|source| source.exists && dialect.is_none_or(|wanted| wanted == source.dialect));
        CheckDoc {
            problems,
            checked: looked.map(|source| source.root.path.display().to_string()).collect(),
        }
    }

    /// Checks given files and folders; each known layout inside a folder is its own project.
    ///
    /// # Errors
    /// A path that is not there, or a file of no known kind.
    pub fn check_paths(&self, paths: &[PathBuf], dialect: Option<&str>) -> Result<CheckDoc, Fault> {
        let wanted = dialect.map(find_dialect).transpose()?;
        let mut met = Vec::new();
        for path in paths {
            let path = self.around.absolute(path);
            if path.is_dir() {
                self.walk((&path, &path), wanted, &mut met, 0);
            } else if path.exists() {
                met.push(self.claim(&path, wanted)?);
            } else {
                return Err(NO_SUCH_PATH.say(args! { "path" => path.display().to_string() }).into());
            }
        }
        let mut doc = self.look(met);
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
            return Ok(match dialect.claims(path, &places) {
                Some(root) => Met::new(dialect, root, path),
                None => Met::named(dialect, path),
            });
        }
        let mut claims = hookwright_dialects::all()
            .iter()
            .filter_map(|dialect| Some(Met::new(*dialect, dialect.claims(path, &places)?, path)));
        claims.next().ok_or_else(|| {
            let known: Vec<&str> = hookwright_dialects::all()
                .iter()
                .map(|dialect| dialect.card().id)
                .collect();
            UNKNOWN_KIND
                .say(args! { "path" => path.display().to_string(), "known" => known.join(", ") })
                .into()
        })
    }

    /// Looks at what was met, all places of one layout together: what one file says may depend on its neighbour.
    fn look(&self, met: Vec<Met>) -> CheckDoc {
        let mut doc = CheckDoc {
            problems: Vec::new(),
            checked: Vec::new(),
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
        let mut problems = snapshot.problems(&self.around, None);
        if !layout.iter().any(|met| met.whole) {
            let folders: Vec<&Path> = layout.iter().filter_map(|met| met.path.parent()).collect();
            problems.retain(|problem| folders.iter().any(|folder| problem.path.starts_with(folder)));
        }
        problems
    }

    /// A folder on a walk that began at `top`.
    fn walk(
        &self,
        (top, folder): (&Path, &Path),
        wanted: Option<&'static dyn Dialect>,
        met: &mut Vec<Met>,
        depth: usize,
    ) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut entries: Vec<std::fs::DirEntry> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        let places = self.around.places(folder);
        let dialects = hookwright_dialects::all().iter();
        let dialects: Vec<_> = dialects
            .filter(|dialect| wanted.is_none_or(|wanted| wanted.card().id == dialect.card().id))
            .collect();
        for entry in entries {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() {
                if depth < MAX_DEPTH && !NOT_WALKED.iter().any(|skip| name == *skip) {
                    self.walk((top, &path), wanted, met, depth + 1);
                }
                continue;
            }
            for dialect in dialects.iter().filter(|dialect| dialect.met_on_walks(&path)) {
                let Some(root) = dialect.claims(&path, &places) else {
                    continue;
                };
                // Its place lies above what was asked for: what stands beside it there was not.
                let above = top.starts_with(&root.path) && root.path != top;
                let whole = !above && (path.starts_with(&root.path));
                met.push(Met {
                    whole,
                    ..Met::new(**dialect, root, &path)
                });
            }
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
