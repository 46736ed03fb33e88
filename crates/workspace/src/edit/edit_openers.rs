//! How the files of an edit are opened: those of a project beneath its folder, and the user's own ones anywhere
//! (`CONTRACTS.md` §7).

use std::path::{Path, PathBuf};

use hookwright_model::{Root, SourceTree};

use crate::files::Opener;
use crate::project::OpenProject;
use crate::snapshot::Snapshot;

/// The openers of the files below some folders. A file in none of them is the user's own.
#[derive(Debug, Clone, Default)]
pub(super) struct EditOpeners(Vec<(PathBuf, Opener)>);

impl EditOpeners {
    /// Those of the files of one project; without a project, of the user's own files.
    pub fn of_project(project: Option<&Path>) -> Self {
        let mut openers = Self::default();
        if let Some(project) = project {
            openers.add_project(project);
        }
        openers
    }

    /// Those of the files in these roots, and of other files in the projects of the roots.
    pub fn of_roots<'r>(roots: impl IntoIterator<Item = &'r Root>) -> Self {
        let mut openers = Self::default();
        for root in roots {
            let opener = root
                .project
                .as_deref()
                .map_or_else(Opener::user, |project| openers.add_project(project));
            openers.0.push((root.path.clone(), opener));
        }
        openers
    }

    /// Those of the files in the roots of these trees.
    pub fn of_trees(trees: &[SourceTree]) -> Self {
        Self::of_roots(trees.iter().map(|tree| &tree.root))
    }

    /// Those of the files in the roots of a snapshot, and of the other files of its project.
    pub fn of_snapshot(snapshot: &Snapshot) -> Self {
        let mut openers = Self::of_roots(snapshot.sources.iter().map(|source| &source.root));
        openers.add_project(&snapshot.project);
        openers
    }

    /// Those of the files of an open project.
    pub fn of_open_project(open_project: &OpenProject) -> Self {
        Self::of_snapshot(&open_project.snapshot())
    }

    /// The opener of a file: that of the innermost of the known folders that contains it.
    pub fn of(&self, path: &Path) -> Opener {
        let above = self.0.iter().filter(|(folder, _)| path.starts_with(folder));
        let innermost = above.max_by_key(|(folder, _)| folder.as_os_str().len());
        innermost.map_or_else(Opener::user, |(_, opener)| opener.clone())
    }

    fn add_project(&mut self, project: &Path) -> Opener {
        if let Some((_, opener)) = self.0.iter().find(|(folder, _)| folder == project) {
            return opener.clone();
        }
        let opener = Opener::beneath(project);
        self.0.push((project.to_owned(), opener.clone()));
        // Scripts are named by their real paths.
        self.0
            .extend(dunce::canonicalize(project).ok().map(|real| (real, opener.clone())));
        opener
    }
}
