//! Reads hook files with the rules for limits, links and encodings (`engine.md` §9). A file that cannot be read becomes
//! a problem.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, HEAD_BYTES, Problem, Root, RootKind, SourceFile, SourceTree, args};
use indexmap::IndexMap;

use crate::disk_probe::is_executable;
use crate::regular_file;

/// The largest size of a hook file, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 1 << 20;

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
    let mut contents = RootContents {
        tree: SourceTree {
            root: root.clone(),
            exists: false,
            files: IndexMap::new(),
        },
        hash: blake3::hash(&[]),
        input_paths: vec![root.path.clone()],
    };
    let mut hasher = blake3::Hasher::new();
    match root.reads {
        RootKind::File => {
            contents.read(root.path.clone(), pending, &mut hasher);
            contents.tree.exists = !contents.tree.files.is_empty();
        }
        RootKind::Folders(name) => {
            contents.tree.exists = root.path.is_dir();
            for folder in pending.folders(&root.path, name) {
                hasher.update(folder.as_os_str().as_encoded_bytes()).update(&[0]);
                contents.input_paths.push(folder.clone());
                contents.read(folder.join(name), pending, &mut hasher);
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
            contents.read(path, pending, &mut hasher);
        }
    }
    contents.hash = hasher.finalize();
    contents
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

    fn read(&self, root: &Root, path: &Path) -> Option<SourceFile> {
        let Some(pending_file) = self.0.get(path) else {
            return read_source(root, path);
        };
        let pending_file = pending_file.as_ref()?;
        // An existing file keeps everything but its text: its resolved path and its executable bit.
        let mut file = read_source(root, path).unwrap_or_else(|| SourceFile {
            executable: pending_file.executable,
            ..SourceFile::with_text(path.to_owned(), Ok(String::new()))
        });
        file.exists = true;
        file.head = pending_file.bytes.iter().take(HEAD_BYTES).copied().collect();
        file.text = decode_text(path, pending_file.bytes.clone());
        Some(file)
    }
}

impl RootContents {
    fn read(&mut self, path: PathBuf, pending: &PendingFiles, hasher: &mut blake3::Hasher) {
        if let Some(file) = pending.read(&self.tree.root, &path) {
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

/// Reads one file. `None` means that it does not exist.
fn read_source(root: &Root, path: &Path) -> Option<SourceFile> {
    let failed = |problem: Problem| SourceFile::with_text(path.to_owned(), Err(problem));
    if let Err(error) = std::fs::symlink_metadata(path) {
        let absent = matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        );
        return (!absent).then(|| failed(unreadable(path, &error)));
    }
    let outside_target = root.project.as_ref().and_then(|project| outside_project(path, project));
    let read = match outside_target {
        Some(target) => {
            let message = OUTSIDE.render(args! { "target" => target.display().to_string() });
            Err(Problem::new(message, path, None))
        }
        None => read_limited(path),
    };
    let mut file = match read {
        Ok((bytes, executable)) => {
            let head = bytes.iter().take(HEAD_BYTES).copied().collect();
            let mut file = SourceFile::with_text(path.to_owned(), decode_text(path, bytes));
            file.head = head;
            file.executable = executable;
            file
        }
        Err(problem) => failed(problem),
    };
    let meta = std::fs::metadata(path);
    // A file without read permission may still exist.
    file.exists = !meta.is_err_and(|error| error.kind() != std::io::ErrorKind::PermissionDenied);
    file.real = canonical(path);
    file.folder = path.parent().map(canonical).unwrap_or_default();
    Some(file)
}

/// The path with its links resolved, or the path itself if it cannot be resolved.
fn canonical(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The resolved path of a file if it is outside its project.
fn outside_project(path: &Path, project: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(path).ok()?;
    let project = dunce::canonicalize(project).ok()?;
    (!real.starts_with(project)).then_some(real)
}

/// The content, and whether the file has an executable bit for any user.
fn read_limited(path: &Path) -> Result<(Vec<u8>, bool), Problem> {
    let (file, meta) = regular_file::open(path).map_err(|error| unreadable(path, &error))?;
    // The first bytes of a file that is too large are needed too: it may be a program. One byte over the limit is read,
    // so that the caller notices the size.
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    Ok((bytes, is_executable(&meta)))
}

fn decode_text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(Problem::new(
            TOO_LARGE.render(args! { "limit" => MAX_SOURCE_BYTES }),
            path,
            None,
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Problem::new(NOT_UTF8.render(args! { "offset" => offset }), path, None)
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .map_or_else(|| text.clone(), str::to_owned))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(UNREADABLE.render(args! { "why" => error.to_string() }), path, None)
}
