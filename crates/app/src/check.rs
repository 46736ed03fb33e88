//! Checking configuration: this project's and the person's files, or given paths (`CONTRACTS.md` §2).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, Problem, Root, args};

use crate::App;
use crate::dto::CheckDoc;
use crate::fault::Fault;
use crate::hooks::find_dialect;
use crate::library::{self, Snapshot};

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
        let mut problems: Vec<Problem> = match dialect {
            None => snapshot.problems(),
            Some(wanted) => {
                let paths: BTreeSet<&Path> = snapshot
                    .sources
                    .iter()
                    .filter(|source| source.dialect == wanted)
                    .flat_map(|source| source.looked.iter().map(PathBuf::as_path))
                    .collect();
                snapshot
                    .problems()
                    .into_iter()
                    .filter(|problem| paths.contains(problem.path.as_path()))
                    .collect()
            }
        };
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
        let mut doc = CheckDoc {
            problems: Vec::new(),
            checked: Vec::new(),
        };
        for path in paths {
            let path = self.around.absolute(path);
            if path.is_dir() {
                self.check_folder((&path, &path), wanted, &mut doc, 0);
            } else if path.exists() {
                let (dialect, root) = self.claim(&path, wanted)?;
                self.check_file(dialect, root, &path, &mut doc);
            } else {
                return Err(NO_SUCH_PATH.say(args! { "path" => path.display().to_string() }).into());
            }
        }
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
            let path = PathBuf::from(path);
            if let Ok((dialect, root)) = self.claim(&path, wanted) {
                let project = root.project.clone().unwrap_or_else(|| self.around.home.clone());
                let snapshot = Snapshot {
                    sources: vec![library::load_file(dialect, root)],
                    lint: Vec::new(),
                    signs: Vec::new(),
                };
                self.import_modules(&snapshot, &project).await;
            }
        }
        Ok(())
    }

    /// Whose file this is: by its place or name, else as `--dialect` says.
    fn claim(&self, path: &Path, wanted: Option<&'static dyn Dialect>) -> Result<(&'static dyn Dialect, Root), Fault> {
        let places = self.around.places(path.parent().unwrap_or(path));
        if let Some(dialect) = wanted {
            let root = dialect.claims(path, &places).unwrap_or_else(|| plain_root(path));
            return Ok((dialect, root));
        }
        let mut claims = hookwright_dialects::all()
            .iter()
            .filter_map(|dialect| Some((*dialect, dialect.claims(path, &places)?)));
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

    /// One file that was named: of a root with several, what is said of its own folder.
    fn check_file(&self, dialect: &'static dyn Dialect, root: Root, path: &Path, doc: &mut CheckDoc) {
        if root.path == path {
            self.check_root(dialect, root, doc);
            return;
        }
        let shown = path.display().to_string();
        let above = root.path.display().to_string();
        if doc.checked.contains(&shown) || doc.checked.contains(&above) {
            return;
        }
        doc.checked.push(shown);
        let mut problems = self.problems_of(dialect, root);
        problems.retain(|problem| path.parent().is_some_and(|folder| problem.path.starts_with(folder)));
        doc.problems.extend(problems);
    }

    fn check_root(&self, dialect: &'static dyn Dialect, root: Root, doc: &mut CheckDoc) {
        let shown = root.path.display().to_string();
        // Named twice, by itself and by a folder above it, it is looked at once.
        if doc.checked.contains(&shown) {
            return;
        }
        doc.checked.push(shown);
        doc.problems.extend(self.problems_of(dialect, root));
    }

    fn problems_of(&self, dialect: &'static dyn Dialect, root: Root) -> Vec<Problem> {
        let project = root
            .project
            .clone()
            .or_else(|| root.path.parent().map(Path::to_owned))
            .unwrap_or_default();
        let source = library::load_file(dialect, root);
        let mut snapshot = Snapshot {
            sources: vec![source],
            lint: Vec::new(),
            signs: Vec::new(),
        };
        snapshot.lint = library::settle(&self.around, &mut snapshot);
        let advice = library::lint(&self.around, &self.around.places(&project), &snapshot);
        snapshot.lint.extend(advice);
        snapshot.problems()
    }

    /// A folder on a walk that began at `top`.
    fn check_folder(
        &self,
        (top, folder): (&Path, &Path),
        wanted: Option<&'static dyn Dialect>,
        doc: &mut CheckDoc,
        depth: usize,
    ) {
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
                    self.check_folder((top, &path), wanted, doc, depth + 1);
                }
                continue;
            }
            for dialect in hookwright_dialects::all() {
                if wanted.is_some_and(|wanted| wanted.card().id != dialect.card().id) {
                    continue;
                }
                if !dialect.met_on_walks(&path) {
                    continue;
                }
                match dialect.claims(&path, &places) {
                    // Its place lies above what was asked for: what stands beside it there was not.
                    Some(root) if top.starts_with(&root.path) && root.path != top => {
                        self.check_file(*dialect, root, &path, doc);
                    }
                    Some(root) => self.check_root(*dialect, root, doc),
                    None => {}
                }
            }
        }
    }
}

fn plain_root(path: &Path) -> Root {
    Root::file(hookwright_model::Layer::User, path.to_owned(), None)
}
