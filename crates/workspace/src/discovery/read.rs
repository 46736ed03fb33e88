//! Reads hook files with the rules for limits, links and encodings (`engine.md` §9). A file that cannot be read becomes
//! a problem.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookwright_model::{Dialect, HEAD_BYTES, Layer, Problem, Root, RootKind, SourceFile, SourceTree, render};
use indexmap::IndexMap;

use crate::disk_probe::is_executable;
use crate::files::{self, MAX_SOURCE_BYTES, Opener};

/// How deep the folders below a root are that is read as [`RootKind::FilesBelow`].
const MAX_DEPTH: usize = 8;
/// Most files that are read below one root.
const MAX_FILES: usize = 1000;

hookwright_model::messages! {
    /// The system cannot read the file.
    UNREADABLE = "unreadable" { "the file cannot be read: {why}", "文件无法读取：{why}" } hint { "check its permissions, and that it is a file", "检查权限，并确认它是文件" };
    /// The file is not UTF-8.
    NOT_UTF8 = "unreadable" / "encoding" { "the file is not UTF-8 at byte {offset}", "文件在第 {offset} 字节处不是 UTF-8" } hint { "save it as UTF-8", "保存为 UTF-8" };
    /// The file is larger than [`MAX_SOURCE_BYTES`].
    TOO_LARGE = "too_large" { "the file has more than {limit} bytes", "文件超过 {limit} 字节" } hint { "shorten it: a configuration file can have at most 1 MiB", "缩短文件：配置文件最多 1 MiB" };
    /// A link in the project points to a file outside the project.
    OUTSIDE = "file_outside" { "the link leads out of the project, to {target}", "该链接指向项目之外：{target}" } hint { "put the file itself into the project", "把文件本身放进项目" };
}

/// The files of a root, as they were read.
#[derive(Debug)]
pub struct RootContents {
    /// The root with its files, as the dialect receives them.
    pub tree: SourceTree,
    /// The time of the last change of these files, and of the folders of absent ones.
    pub modified: Option<SystemTime>,
    /// The hash of everything that was read. Equal hashes mean equal content, so nothing has to be parsed again.
    pub hash: blake3::Hash,
    /// Every file and folder that decides what is read here, including those that do not exist.
    pub input_paths: Vec<PathBuf>,
}

/// Files as they would be after a planned change, by absolute path. `None` means that the file would be removed.
#[derive(Debug, Clone, Default)]
pub struct PendingFiles(pub BTreeMap<PathBuf, Option<PendingFile>>);

/// A file that a planned change would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFile {
    /// The content that would be written.
    pub bytes: Vec<u8>,
    /// Whether a new file would get an executable bit. An existing file keeps its mode.
    pub executable: bool,
}

/// Reads the files of a root, and the further files to which `dialect` finds references in them.
#[must_use]
pub fn read_root(dialect: &dyn Dialect, root: &Root) -> RootContents {
    read_root_with(dialect, root, &PendingFiles::default())
}

/// Reads a root as it would be after the `pending` changes.
#[must_use]
pub fn read_root_with(dialect: &dyn Dialect, root: &Root, pending: &PendingFiles) -> RootContents {
    read_root_within(dialect, root, root.project.as_deref(), pending)
}

/// Like [`read_root_with`], for a root whose files must not lead out of the folder `boundary`.
pub(super) fn read_root_within(
    dialect: &dyn Dialect,
    root: &Root,
    boundary: Option<&Path>,
    pending: &PendingFiles,
) -> RootContents {
    let mut reader = SourceReader {
        root,
        pending,
        opener: Opener::of_project(boundary),
        inner: None,
        modified: None,
    };
    let mut contents = RootContents {
        tree: SourceTree {
            root: root.clone(),
            exists: false,
            files: IndexMap::new(),
        },
        modified: None,
        hash: blake3::hash(&[]),
        input_paths: vec![root.path.clone()],
    };
    let mut hasher = blake3::Hasher::new();
    match root.reads {
        RootKind::File => {
            contents.read(root.path.clone(), &mut reader, &mut hasher);
            contents.tree.exists = !contents.tree.files.is_empty();
        }
        RootKind::Folders(name) => {
            contents.tree.exists = root.path.is_dir();
            reader.record_change(root.path.metadata());
            for folder in pending.folders(&root.path, name) {
                hasher.update(folder.as_os_str().as_encoded_bytes()).update(&[0]);
                contents.input_paths.push(folder.clone());
                contents.read(folder.join(name), &mut reader, &mut hasher);
            }
        }
        RootKind::FilesIn(ending) | RootKind::FilesBelow(ending) => {
            contents.tree.exists = root.path.is_dir();
            reader.record_change(root.path.metadata());
            let depth = match root.reads {
                RootKind::FilesBelow(_) => MAX_DEPTH,
                RootKind::File | RootKind::Folders(_) | RootKind::FilesIn(_) => 0,
            };
            let found = pending.files(&root.path, ending, depth);
            contents.input_paths.extend(found.folders);
            for file in found.files {
                contents.read(file, &mut reader, &mut hasher);
            }
        }
    }
    loop {
        let known: BTreeSet<PathBuf> = contents.input_paths.iter().cloned().collect();
        let mut further = dialect.referenced_files(&contents.tree);
        further.retain(|path| !known.contains(path));
        if further.is_empty() {
            break;
        }
        for path in further {
            contents.read(path, &mut reader, &mut hasher);
        }
    }
    contents.modified = reader.modified;
    contents.hash = hasher.finalize();
    contents
}

/// Whether the name of a file ends so.
pub(crate) fn has_ending(path: &Path, ending: &str) -> bool {
    path.file_name()
        .and_then(std::ffi::OsStr::to_str)
        .is_some_and(|name| name.ends_with(ending))
}

/// The files below a folder, and its subfolders.
#[derive(Default)]
struct FoundFiles {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl FoundFiles {
    fn add(&mut self, folder: &Path, ending: &str, depth: usize) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if self.files.len() >= MAX_FILES {
                return;
            }
            // A link to a folder may lead back to one above it.
            let is_real_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            if is_real_folder && depth > 0 {
                self.folders.push(path.clone());
                self.add(&path, ending, depth - 1);
            } else if !path.is_dir() && has_ending(&path, ending) {
                self.files.push(path);
            }
        }
    }
}

/// The direct subfolders of a folder, sorted by name.
fn list_folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

impl PendingFiles {
    /// The files that would be written, and whether each would get an executable bit.
    #[must_use]
    pub fn executable_bits(&self) -> BTreeMap<PathBuf, bool> {
        let written = |(path, file): (&PathBuf, &Option<PendingFile>)| Some((path.clone(), file.as_ref()?.executable));
        self.0.iter().filter_map(written).collect()
    }

    /// The files below a folder whose names end so, including pending ones.
    fn files(&self, folder: &Path, ending: &str, depth: usize) -> FoundFiles {
        let mut found = FoundFiles::default();
        found.add(folder, ending, depth);
        let created = self.0.iter().filter(|(_, pending_file)| pending_file.is_some());
        let is_inside = |path: &&PathBuf| {
            let levels = path.strip_prefix(folder).map(|inside| inside.components().count());
            levels.is_ok_and(|levels| (1..=depth + 1).contains(&levels)) && has_ending(path, ending)
        };
        found
            .files
            .extend(created.map(|(path, _)| path).filter(is_inside).cloned());
        found.files.sort();
        found.files.dedup();
        found
    }

    /// The direct subfolders of a folder, including those that a pending file of this name would create.
    fn folders(&self, path: &Path, name: &str) -> Vec<PathBuf> {
        let mut folders = list_folders(path);
        let depth = Path::new(name).components().count();
        let created = self.0.iter().filter(|(_, pending_file)| pending_file.is_some());
        let created = created
            .filter_map(|(file, _)| file.ancestors().nth(depth).filter(|_| file.ends_with(name)))
            .map(Path::to_owned);
        folders.extend(created.filter(|folder| folder.parent() == Some(path)));
        folders.sort();
        folders.dedup();
        folders
    }
}

impl RootContents {
    fn read(&mut self, path: PathBuf, reader: &mut SourceReader<'_>, hasher: &mut blake3::Hasher) {
        if let Some(file) = reader.read(&path) {
            hasher.update(path.as_os_str().as_encoded_bytes());
            match &file.text {
                Ok(text) => hasher.update(b"text").update(text.as_bytes()),
                Err(problem) => hasher.update(b"problem").update(problem.message.as_bytes()),
            };
            hasher
                .update(&[u8::from(file.executable), u8::from(file.exists)])
                .update(&file.head);
            self.tree.files.insert(path.clone(), file);
        }
        self.input_paths.push(path);
    }
}

/// Reads the files of one root.
struct SourceReader<'a> {
    root: &'a Root,
    pending: &'a PendingFiles,
    opener: Opener,
    /// The `hooks` folder of the skill that was read last, and the opener of the texts in it.
    inner: Option<(PathBuf, Opener)>,
    /// [`RootContents::modified`] so far.
    modified: Option<SystemTime>,
}

impl SourceReader<'_> {
    fn read(&mut self, path: &Path) -> Option<SourceFile> {
        let Some(pending_file) = self.pending.0.get(path) else {
            return self.read_disk(path);
        };
        let pending_file = pending_file.as_ref()?;
        // An existing file keeps everything but its text: its resolved path and its executable bit.
        let mut file = self.read_disk(path).unwrap_or_else(|| SourceFile {
            executable: pending_file.executable,
            ..SourceFile::with_text(path.to_owned(), Ok(String::new()))
        });
        file.exists = true;
        file.head = pending_file.bytes.iter().take(HEAD_BYTES).copied().collect();
        file.text = decode_text(path, pending_file.bytes.clone());
        Some(file)
    }

    /// Reads one file. `None` means that it does not exist.
    fn read_disk(&mut self, path: &Path) -> Option<SourceFile> {
        let opened = self.opener_of(path).and_then(|opener| opener.open(path));
        let is_absent =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        let mut file = match opened {
            // A link without a target is listed. A folder that leads out of the project may have no such file.
            Err(_) if std::fs::symlink_metadata(path).is_err_and(|error| is_absent(&error)) => {
                self.record_change(path.parent().unwrap_or(path).metadata());
                return None;
            }
            Err(error) => SourceFile::with_text(path.to_owned(), Err(problem(path, &error))),
            Ok((file, meta)) => match read_limited(&file) {
                Ok(bytes) => {
                    // Asked after the read: what was emptied before it has its new time by now.
                    self.record_change(file.metadata());
                    let head = bytes.iter().take(HEAD_BYTES).copied().collect();
                    SourceFile {
                        head,
                        executable: is_executable(&meta),
                        ..SourceFile::with_text(path.to_owned(), decode_text(path, bytes))
                    }
                }
                Err(error) => SourceFile::with_text(path.to_owned(), Err(problem(path, &error))),
            },
        };
        // A file without read permission may still exist.
        file.exists = file.text.is_ok()
            || !std::fs::metadata(path).is_err_and(|error| error.kind() != io::ErrorKind::PermissionDenied);
        file.real = canonical(path);
        file.folder = path.parent().map(canonical).unwrap_or_default();
        Some(file)
    }

    fn record_change(&mut self, meta: io::Result<Metadata>) {
        self.modified = self.modified.max(meta.and_then(|meta| meta.modified()).ok());
    }

    /// The opener of a file. The texts of a skill must not lead out of its `hooks` folder (`skill.md` §2).
    fn opener_of(&mut self, path: &Path) -> io::Result<&Opener> {
        let Some(folder) = text_folder(self.root, path) else {
            return Ok(&self.opener);
        };
        if self.inner.as_ref().is_none_or(|(known, _)| *known != folder) {
            self.inner = Some((folder.clone(), self.opener.inner(&folder)?));
        }
        Ok(self.inner.as_ref().map_or(&self.opener, |(_, opener)| opener))
    }
}

/// The folder that a file of a skill must not leave. `None` for the file that defines the hooks, which may itself be a
/// link, and for files of other roots.
pub(crate) fn text_folder(root: &Root, path: &Path) -> Option<PathBuf> {
    let (Layer::Skill, RootKind::Folders(name)) = (root.layer, root.reads) else {
        return None;
    };
    let skill = path.strip_prefix(&root.path).ok()?.components().next()?;
    let definition = root.path.join(skill).join(name);
    let folder = definition.parent()?.to_owned();
    (path != definition && path != folder && !folder.starts_with(path)).then_some(folder)
}

/// The path with its links resolved, or the path itself if it cannot be resolved.
fn canonical(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The content of a file. The first bytes of one that is too large are needed too, because it may be a program. One byte
/// over the limit is read, so that the caller notices the size.
fn read_limited(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode_text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(Problem::new(
            render!(TOO_LARGE, "limit" => MAX_SOURCE_BYTES),
            path,
            None,
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Problem::new(render!(NOT_UTF8, "offset" => offset), path, None)
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map_or_else(|| text.clone(), str::to_owned))
}

fn problem(path: &Path, error: &io::Error) -> Problem {
    let message = if files::is_outside(error) {
        render!(OUTSIDE, "target" => link_target(path).display().to_string())
    } else {
        render!(UNREADABLE, "why" => error.to_string())
    };
    Problem::new(message, path, None)
}

/// Where a path leads that leads out, for the message. If nothing is there, it is what the link names.
fn link_target(path: &Path) -> PathBuf {
    dunce::canonicalize(path)
        .or_else(|_| std::fs::read_link(path))
        .unwrap_or_else(|_| path.to_owned())
}
