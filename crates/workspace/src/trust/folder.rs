//! Everything in a folder that an approval covers as a whole (`engine.md` §3): its files, its other entries, and why it
//! cannot be covered. Nothing is left out without a message, because content that the user did not see must not run.

use std::fs::{FileType, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hookwright_model::{Message, args, render};

use crate::files::temp_files;

hookwright_model::messages! {
    /// More entries than the user can review, or links that form circles through ever new paths.
    TOO_MANY = "too_large" / "too_many_files" { "{folder} contains more than {limit} files and folders, which is too many to approve", "{folder} 中的文件和文件夹超过 {limit} 个，数量过多，无法批准" } hint { "keep only what the hook needs in its folder", "只在 Hook 的文件夹中保留所需的文件" };
    /// A folder that is nested too deeply to be reviewed.
    TOO_DEEP = "too_large" / "too_deep" { "{path} is more than {limit} folders deep, which is too deep to approve", "{path} 嵌套超过 {limit} 层，层级过深，无法批准" } hint { "move it to a higher folder", "移到更浅的位置" };
    /// A folder or entry that cannot be read, so the user cannot see its content.
    FOLDER_UNREADABLE = "unreadable" / "unseen" { "{path} cannot be read, so its content cannot be approved: {why}", "{path} 无法读取，其内容无法批准：{why}" } hint { "check its permissions", "检查权限" };
    /// A file of the project that is a link to a file outside.
    FILE_OUTSIDE_PROJECT = "file_outside" / "covered" { "{path} leads out of the project, to {target}", "{path} 指向项目之外：{target}" } hint { "put the file itself into the project", "把文件本身放进项目" };
    /// A folder of the project that is a link to a folder outside.
    LINK_OUTSIDE_PROJECT = "file_outside" / "folder" { "{path} leads out of the project, to {target}", "{path} 指向项目之外：{target}" } hint { "put the folder itself into the project", "把该文件夹本身放进项目" };
}

/// Limit for the number of files and folders together.
const MAX_ENTRIES: usize = 10_000;
/// Limit for the nesting of folders.
const MAX_DEPTH: usize = 64;

/// The kind of an entry that is a pipe, a socket or a device.
pub(super) const DEVICE: &str = "device";

/// Which files of a folder are selected.
#[derive(Debug, Clone, Copy)]
pub(super) enum FileSelection {
    /// All entries except those whose name has this suffix. Entries that are not regular files are selected too.
    WithoutSuffix(&'static str),
    /// Only files whose name has this suffix.
    WithSuffix(&'static str),
}

/// The contents of a folder.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FolderFiles {
    /// The files, sorted by path.
    pub files: Vec<PathBuf>,
    /// Other entries that decide which file is found: empty folders, links to nothing, devices. Sorted by path, each
    /// with the name of its kind.
    pub others: Vec<(PathBuf, &'static str)>,
    /// Why nothing of the folder can be approved.
    pub refusal: Option<Message>,
    /// The folders whose entries decide all this, links followed.
    pub folders: Vec<PathBuf>,
}

/// Reads everything below a folder. A link to something inside `project` is followed, because what runs from there is
/// the target of the link. What is outside cannot be approved with the project.
pub(super) fn folder_files(folder: &Path, project: &Path, selection: FileSelection) -> FolderFiles {
    let mut walk = FolderWalk {
        project: dunce::canonicalize(project).unwrap_or_else(|_| project.to_owned()),
        top: folder,
        selection,
        open_folders: Vec::new(),
        entries: 0,
        out: FolderFiles::default(),
    };
    walk.begin(folder);
    walk.out.files.sort();
    walk.out.others.sort();
    walk.out
}

struct FolderWalk<'a> {
    /// The real path of the project.
    project: PathBuf,
    top: &'a Path,
    selection: FileSelection,
    /// The folders that are open in the walk, as real paths. A link back to one of them leads to nothing new.
    open_folders: Vec<PathBuf>,
    entries: usize,
    out: FolderFiles,
}

impl FolderWalk<'_> {
    fn begin(&mut self, folder: &Path) {
        match dunce::canonicalize(folder) {
            Ok(real) => {
                self.walk_folder(folder, real);
            }
            Err(error) => {
                self.refuse_unreadable(folder, &error);
            }
        }
        if self.entries > MAX_ENTRIES {
            // There are too many entries to review, so nothing of the folder can be approved.
            self.out.files.clear();
            self.out.others.clear();
        }
    }

    /// Reads one folder. Returns whether it contains a selected entry; also `true` if it is refused or already open.
    /// `real` is its canonical path, by which it is read.
    fn walk_folder(&mut self, folder: &Path, real: PathBuf) -> bool {
        if self.open_folders.contains(&real) {
            return true;
        }
        if self.open_folders.len() > MAX_DEPTH {
            return self.refuse(render!(TOO_DEEP, "path" => folder.display().to_string(), "limit" => MAX_DEPTH));
        }
        let entries = match std::fs::read_dir(&real) {
            Ok(entries) => entries,
            Err(error) => return self.refuse_unreadable(folder, &error),
        };
        self.out.folders.push(real.clone());
        self.open_folders.push(real);
        let mut found = false;
        for entry in entries {
            let entry = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
            found |= match entry {
                Ok((path, kind)) => self.add_entry(folder, &path, kind),
                Err(error) => self.refuse_unreadable(folder, &error),
            };
            if self.entries > MAX_ENTRIES {
                break;
            }
        }
        self.open_folders.pop();
        found
    }

    /// Adds one entry of `folder`. Returns whether it is selected. `real` is the path by which it is read; it is shown
    /// below `folder`.
    fn add_entry(&mut self, folder: &Path, real: &Path, kind: FileType) -> bool {
        // A temporary file that Hookwright did not rename to its final name. It is not part of an approval.
        if kind.is_file() && real.file_name().is_some_and(temp_files::is_temp_file) {
            return false;
        }
        let path = folder.join(real.file_name().unwrap_or_default());
        let meta = match std::fs::metadata(real) {
            Ok(meta) => Some(meta),
            Err(_) if kind.is_symlink() => None,
            // The entry was removed during the walk.
            Err(error) if error.kind() == ErrorKind::NotFound => return false,
            Err(error) => return self.refuse_unreadable(&path, &error),
        };
        let is_folder = meta.as_ref().is_some_and(Metadata::is_dir);
        let is_file = meta.as_ref().is_some_and(Metadata::is_file);
        if !is_folder && !self.is_selected(&path) {
            return false;
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            let args = args! { "folder" => self.top.display().to_string(), "limit" => MAX_ENTRIES };
            return self.refuse(TOO_MANY.render(args));
        }
        let target = if kind.is_symlink() {
            dunce::canonicalize(real).unwrap_or_else(|_| real.to_owned())
        } else {
            real.to_owned()
        };
        let leads_out = kind.is_symlink() && !target.starts_with(&self.project);
        let outside = || args! { "path" => path.display().to_string(), "target" => target.display().to_string() };
        if is_folder {
            if leads_out {
                return self.refuse(LINK_OUTSIDE_PROJECT.render(outside()));
            }
            if !self.walk_folder(&path, target) {
                self.add_other(path, "folder");
            }
        } else if is_file {
            if leads_out {
                self.refuse(FILE_OUTSIDE_PROJECT.render(outside()));
            }
            self.out.files.push(path);
        } else {
            self.add_other(path, if meta.is_none() { "link" } else { DEVICE });
        }
        true
    }

    fn refuse_unreadable(&mut self, path: &Path, error: &std::io::Error) -> bool {
        self.refuse(render!(FOLDER_UNREADABLE, "path" => path.display().to_string(), "why" => error.to_string()))
    }

    /// Records a reason why the folder cannot be approved. Only the first one is reported. The walk continues, so that
    /// the rest can be shown.
    fn refuse(&mut self, message: Message) -> bool {
        self.out.refusal.get_or_insert(message);
        true
    }

    fn is_selected(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match self.selection {
            FileSelection::WithoutSuffix(ending) => !name.ends_with(ending),
            FileSelection::WithSuffix(ending) => name.ends_with(ending),
        }
    }

    fn add_other(&mut self, path: PathBuf, kind: &'static str) {
        match self.selection {
            FileSelection::WithoutSuffix(_) => self.out.others.push((path, kind)),
            FileSelection::WithSuffix(_) => {}
        }
    }
}
