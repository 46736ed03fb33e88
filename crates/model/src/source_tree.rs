//! The files and folders in which a dialect looks for hooks, as they were read.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::hook::Layer;
use crate::problem::Problem;

/// A file or folder in which a dialect looks for hooks. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// The layer of the hooks in it.
    pub layer: Layer,
    /// The path of the file or folder, absolute.
    pub path: PathBuf,
    /// The project that its approvals belong to; `None` outside layer project.
    pub project: Option<PathBuf>,
    /// Which files are read.
    pub reads: RootKind,
    /// Whether an administrator wrote it: nobody else changes it, and its hooks run before the others.
    pub managed: bool,
    /// How many folders above the directory of the session its folder is, for an agent that also reads the folders above.
    pub above: usize,
    /// The user's home directory, if what its files say can be about paths below it.
    pub home: Option<PathBuf>,
}

/// Which files are read at a root, before [`crate::Files::referenced_files`] is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootKind {
    /// The file at the root's path.
    File,
    /// The file of this name in every direct subfolder that has it, in the order of the subfolders' names.
    Folders(&'static str),
    /// Every file directly in the root whose name ends so, in the order of the names.
    FilesIn(&'static str),
    /// Every file at any depth of the root whose name ends so, in the order of the paths.
    FilesBelow(&'static str),
}

/// A root with the files that were read.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The root that was read.
    pub root: Root,
    /// Whether the root's path exists.
    pub exists: bool,
    /// The files by absolute path. It is empty if the root does not exist.
    pub files: IndexMap<PathBuf, SourceFile>,
}

/// A file that was read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Whether the file exists. A link without a target is listed here, but does not exist.
    pub exists: bool,
    /// The text without byte-order mark, or the problem that prevents reading it (`unreadable`, `too_large`,
    /// `file_outside`).
    pub text: Result<String, Problem>,
    /// The file's path with links resolved.
    pub real: PathBuf,
    /// The path of the folder that contains the file, with links resolved.
    pub folder: PathBuf,
    /// Whether the file has an executable bit for any user.
    pub executable: bool,
    /// The first bytes, at most [`HEAD_BYTES`]. A file that is not text has them too.
    pub head: Vec<u8>,
}

impl Root {
    /// A root that is a single file.
    #[must_use]
    pub fn file(layer: Layer, path: PathBuf, project: Option<PathBuf>) -> Self {
        Self {
            layer,
            path,
            project,
            reads: RootKind::File,
            managed: false,
            above: 0,
            home: None,
        }
    }

    /// The file of an administrator. Its hooks are of layer user.
    #[must_use]
    pub fn managed_file(path: PathBuf) -> Self {
        Self {
            managed: true,
            ..Self::file(Layer::User, path, None)
        }
    }
}

impl SourceTree {
    /// An existing root with one file of this text at its path.
    #[must_use]
    pub fn with_text(root: Root, text: Result<String, Problem>) -> Self {
        let path = root.path.clone();
        let file = SourceFile::with_text(path.clone(), text);
        Self {
            root,
            exists: true,
            files: IndexMap::from([(path, file)]),
        }
    }
}

impl SourceFile {
    /// An existing file with this text, not executable, at a path without links.
    #[must_use]
    pub fn with_text(real: PathBuf, text: Result<String, Problem>) -> Self {
        let head = text.as_deref().unwrap_or_default().bytes().take(HEAD_BYTES).collect();
        Self {
            exists: true,
            text,
            folder: real.parent().map(Path::to_owned).unwrap_or_default(),
            real,
            executable: false,
            head,
        }
    }
}

/// The largest number of hooks that a file may define (`engine.md` §9). A reader may stop after one more than that.
pub const MAX_FILE_HOOKS: usize = 20_000;
/// The largest number of problems that are reported for a file. One more entry contains the number of the others.
pub const MAX_FILE_PROBLEMS: usize = 1_000;

/// How many bytes from the beginning of a file are stored, in addition to its text.
pub const HEAD_BYTES: usize = 256;
