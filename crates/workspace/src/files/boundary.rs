//! Opening files and folders on Unix: beneath the descriptor of a folder, or anywhere for the user's own files.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use hookwright_exec::with_reserve;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::{MAX_LINKS, leads_out, not_regular};

/// Opening a pipe must not wait for its writer, and a terminal must not become the one of this process.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);
/// A folder on the way to a file. Only Linux can open one without the permission to list it.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A folder whose entries are changed. It can be synced.
const CHANGE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A folder that no path may leave.
#[derive(Debug)]
pub(super) struct Boundary {
    /// The folder as its user names it.
    path: PathBuf,
    /// The folder with links resolved.
    real: OnceLock<PathBuf>,
    folder: OnceLock<Result<OwnedFd, Errno>>,
}

impl Boundary {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            real: OnceLock::new(),
            folder: OnceLock::new(),
        }
    }

    /// A folder to which a path leads that `outer` allows.
    pub fn within(outer: Option<&Self>, path: &Path) -> io::Result<Self> {
        let inner = Self::new(path);
        let folder = open(outer, path, PASS)?;
        inner.folder.get_or_init(|| Ok(folder));
        Ok(inner)
    }

    /// Whether a file in this folder is one of the user. Those of the owner of the folder are too, because the user
    /// chose the folder: in a container it often has another owner. Root may change every file anyway.
    pub fn is_of_user(&self, meta: &Metadata) -> io::Result<bool> {
        let owner = meta.uid();
        Ok(owner == rustix::process::geteuid().as_raw()
            || owner == 0
            || owner == rustix::fs::fstat(self.folder()?)?.st_uid)
    }

    fn folder(&self) -> io::Result<BorrowedFd<'_>> {
        let open = || with_reserve(|| Ok(rustix::fs::open(&self.path, PASS, Mode::empty())?));
        let opened = self.folder.get_or_init(|| open().map_err(|error| errno_of(&error)));
        opened
            .as_ref()
            .map(AsFd::as_fd)
            .map_err(|error| io::Error::from(*error))
    }

    fn real(&self) -> &Path {
        let resolve = || dunce::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        self.real.get_or_init(resolve)
    }

    /// Whether a path begins with this folder, as it is named or with its links resolved.
    pub fn is_above(&self, path: &Path) -> bool {
        self.below(path).is_ok()
    }

    /// The part of a path below this folder.
    fn below<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        let below = path
            .strip_prefix(&self.path)
            .or_else(|_| path.strip_prefix(self.real()));
        below.map_err(|_| leads_out())
    }

    fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let folder = self.folder()?;
        let below = self.below(path)?;
        match with_reserve(|| Ok(open_below(folder, below, flags)?)) {
            Err(error) if errno_of(&error) == Errno::XDEV => {
                // An absolute link may lead back into the folder. Where it leads is opened beneath the folder as well.
                let real = dunce::canonicalize(path).map_err(|_| leads_out())?;
                let below = real.strip_prefix(self.real()).map_err(|_| leads_out())?;
                with_reserve(|| Ok(open_below(folder, below, flags)?)).map_err(|error| match errno_of(&error) {
                    Errno::XDEV => leads_out(),
                    _ => error,
                })
            }
            result => result,
        }
    }
}

/// Opens a file for reading. It may be anything that can be opened.
pub(super) fn open_file(boundary: Option<&Boundary>, path: &Path) -> io::Result<File> {
    match open(boundary, path, READ) {
        Ok(file) => Ok(file.into()),
        // A socket.
        Err(error) if errno_of(&error) == Errno::NXIO => Err(not_regular()),
        Err(error) => Err(error),
    }
}

/// Opens an entry of an opened folder for reading, if it is no link.
pub(super) fn open_entry(folder: BorrowedFd<'_>, name: &Path) -> io::Result<File> {
    let flags = READ.union(OFlags::NOFOLLOW);
    let opened = with_reserve(|| Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?));
    match opened {
        Ok(file) => Ok(file.into()),
        // A socket, or a link.
        Err(error) if matches!(errno_of(&error), Errno::NXIO | Errno::LOOP) => Err(not_regular()),
        Err(error) => Err(error),
    }
}

/// Opens a folder to change its entries.
pub(super) fn open_folder(boundary: Option<&Boundary>, path: &Path) -> io::Result<OwnedFd> {
    match open(boundary, path, CHANGE) {
        // It may be written and not listed. Then it is not synced.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open(boundary, path, PASS),
        result => result,
    }
}

fn open(boundary: Option<&Boundary>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    match boundary {
        Some(boundary) => boundary.open(path, flags),
        None => with_reserve(|| Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?)),
    }
}

fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// Opens what is at a relative path beneath a folder. `XDEV` if the path leads out of it.
#[cfg(target_os = "linux")]
fn open_below(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    // The kernel gives up when something was renamed while it followed a `..`.
    const TRIES: usize = 128;
    let rules = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
    let path = or_itself(path);
    for _ in 0..TRIES {
        match rustix::fs::openat2(folder, path, flags, Mode::empty(), rules) {
            Err(Errno::AGAIN) => {}
            // An old kernel, or a sandbox that does not know this call.
            Err(Errno::NOSYS | Errno::PERM) => return walk_below(folder, path, flags),
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn open_below(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    walk_below(folder, or_itself(path), flags)
}

fn or_itself(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

/// Like [`open_below`], part by part. No call follows a link: each link is read and walked from here.
fn walk_below(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut way: Vec<OwnedFd> = Vec::new();
    let mut ahead: Vec<OsString> = parts(path)?;
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        let at = way.last().map_or(root, AsFd::as_fd);
        if part == ".." {
            way.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        match rustix::fs::readlinkat(at, &part, Vec::new()) {
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP);
                }
                ahead.extend(parts(Path::new(&OsString::from_vec(target.into_bytes())))?);
            }
            // It is no link.
            Err(Errno::INVAL) if ahead.is_empty() => {
                return rustix::fs::openat(at, &part, flags.union(OFlags::NOFOLLOW), Mode::empty());
            }
            Err(Errno::INVAL) => {
                let next = rustix::fs::openat(at, &part, PASS.union(OFlags::NOFOLLOW), Mode::empty())?;
                way.push(next);
            }
            Err(error) => return Err(error),
        }
    }
    rustix::fs::openat(way.last().map_or(root, AsFd::as_fd), ".", flags, Mode::empty())
}

/// The parts of a relative path, last first. An absolute path leads out.
fn parts(path: &Path) -> Result<Vec<OsString>, Errno> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(_) | Component::ParentDir => parts.push(part.as_os_str().to_owned()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    parts.reverse();
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of opening beneath a folder, so that the slow one is tested where the fast one is there.
    type Way = fn(BorrowedFd<'_>, &Path, OFlags) -> Result<OwnedFd, Errno>;
    const WAYS: [Way; 2] = [open_below, walk_below];

    #[test]
    fn both_ways_of_opening_follow_links_only_while_they_stay_beneath_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("a/deep")).unwrap();
        std::fs::write(root.join("a/file"), "inside").unwrap();
        std::fs::write(dir.path().join("secret"), "outside").unwrap();
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        link("a/file", "to_file");
        link("../to_file", "a/up");
        link("a/deep", "to_deep");
        link("../secret", "out");
        link("..", "above");
        link("/", "absolute");
        link("ring", "ring");
        link("missing", "dead");
        let folder = rustix::fs::open(&root, PASS, Mode::empty()).unwrap();
        let cases: [(&str, Result<&str, Errno>); 12] = [
            ("a/file", Ok("inside")),
            ("./a/../a/file", Ok("inside")),
            ("to_file", Ok("inside")),
            ("a/up", Ok("inside")),
            ("to_deep/../file", Ok("inside")),
            ("out", Err(Errno::XDEV)),
            ("above/secret", Err(Errno::XDEV)),
            ("../secret", Err(Errno::XDEV)),
            ("absolute/etc/passwd", Err(Errno::XDEV)),
            ("ring", Err(Errno::LOOP)),
            ("dead", Err(Errno::NOENT)),
            ("a/file/x", Err(Errno::NOTDIR)),
        ];
        for way in WAYS {
            for (path, expected) in cases {
                let read = way(folder.as_fd(), Path::new(path), READ).map(|file| {
                    let mut text = String::new();
                    std::io::Read::read_to_string(&mut File::from(file), &mut text).unwrap();
                    text
                });
                assert_eq!(read.as_deref(), expected.as_ref().copied(), "{path}");
            }
        }
    }
}
