//! Reading configuration: limits, links, encodings (`engine.md` §9). What cannot be read becomes a Problem.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use hookwright_model::{Dialect, HEAD_BYTES, Problem, Root, RootKind, SourceFile, SourceTree, args};
use indexmap::IndexMap;

use crate::regular_file;

/// A configuration file may have this many bytes.
pub const MAX_SOURCE_BYTES: u64 = 1 << 20;

hookwright_model::messages! {
    /// The system's words.
    UNREADABLE = "unreadable" { "the file cannot be read: {why}", "文件无法读取：{why}" } hint { "check its permissions, and that it is a file", "检查权限，并确认它是文件" };
    /// Not UTF-8.
    NOT_UTF8 = "unreadable" / "encoding" { "the file is not UTF-8 at byte {offset}", "文件在第 {offset} 字节处不是 UTF-8" } hint { "save it as UTF-8", "请存为 UTF-8" };
    /// Over the limit.
    TOO_LARGE = "too_large" { "the file has more than {limit} bytes", "文件超过 {limit} 字节" } hint { "a configuration file may have 1 MiB", "配置文件最多 1 MiB" };
    /// A project's link that leads out.
    OUTSIDE = "file_outside" { "the link leads out of the project, to {target}", "该链接指向项目之外：{target}" } hint { "put the file itself into the project", "请把文件本身放进项目" };
}

/// What was read at a place.
#[derive(Debug)]
pub struct RootContents {
    /// The files, as the dialect gets them.
    pub tree: SourceTree,
    /// Covers everything that was read, so that equal content is known without parsing.
    pub hash: blake3::Hash,
    /// Every file and folder that decides what is read here, also those that are not there.
    pub input_paths: Vec<PathBuf>,
}

/// Files as they would be after a change that is not made yet, by absolute path; `None` for one that would be gone.
#[derive(Debug, Clone, Default)]
pub struct PendingFiles(pub BTreeMap<PathBuf, Option<PendingFile>>);

/// A file that would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it could be executed.
    pub executable: bool,
}

/// Reads a place, and the further files that `dialect` finds named in it.
#[must_use]
pub fn read_root(dialect: &dyn Dialect, root: &Root) -> RootContents {
    read_root_with(dialect, root, &PendingFiles::default())
}

/// Reads a place as it would be after a change.
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

/// The folders right inside a folder, by name.
fn list_folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

impl PendingFiles {
    /// The folders right inside a folder, those included that a new file of this name would make.
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
        // A file that stands there keeps what is not its text.
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

/// `None` when there is no such file.
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
    // What nobody may look at may still be there.
    file.exists = !meta.is_err_and(|error| error.kind() != std::io::ErrorKind::PermissionDenied);
    file.real = canonical(path);
    file.folder = path.parent().map(canonical).unwrap_or_default();
    Some(file)
}

/// A path with its links resolved.
fn canonical(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The real place of a file, when that is outside its project.
fn outside_project(path: &Path, project: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(path).ok()?;
    let project = dunce::canonicalize(project).ok()?;
    (!real.starts_with(project)).then_some(real)
}

/// The bytes, and whether somebody may execute the file.
fn read_limited(path: &Path) -> Result<(Vec<u8>, bool), Problem> {
    let (file, meta) = regular_file::open(path).map_err(|error| unreadable(path, &error))?;
    // The head of what is too large is wanted, too: a program may be.
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    Ok((bytes, is_executable(&meta)))
}

/// Whether somebody may execute this file.
pub fn is_executable_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && is_executable(&meta))
}

/// What lies right inside a folder, by name.
pub fn list_dir(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(unix)]
fn is_executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

/// There is no such bit: what can be started is decided by its name.
#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
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
