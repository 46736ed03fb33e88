//! Opening files where the system has no descriptors of folders. A path is resolved before and after it was opened, and
//! both must lead to one place in the folder.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{leads_out, not_regular};

/// A folder that no path may leave.
#[derive(Debug)]
pub(super) struct Boundary {
    path: PathBuf,
    real: OnceLock<PathBuf>,
}

impl Boundary {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            real: OnceLock::new(),
        }
    }

    /// A folder to which a path leads that `outer` allows.
    pub fn within(outer: Option<&Self>, path: &Path) -> io::Result<Self> {
        let real = resolve(outer, path)?;
        let inner = Self::new(path);
        inner.real.get_or_init(|| real);
        Ok(inner)
    }

    /// Windows has no user of a file that could be compared so.
    #[expect(clippy::unnecessary_wraps, reason = "on Unix the owner of the folder has to be read")]
    pub fn is_of_user(&self, _: &Metadata) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether a path begins with this folder, as it is named or with its links resolved.
    pub fn is_above(&self, path: &Path) -> bool {
        path.starts_with(&self.path) || path.starts_with(self.real())
    }

    fn real(&self) -> &Path {
        let resolve = || dunce::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        self.real.get_or_init(resolve)
    }
}

/// The path with links resolved, if it leads to something in the folder.
pub(super) fn resolve(boundary: Option<&Boundary>, path: &Path) -> io::Result<PathBuf> {
    let real = dunce::canonicalize(path)?;
    match boundary {
        Some(boundary) if !real.starts_with(boundary.real()) => Err(leads_out()),
        Some(_) | None => Ok(real),
    }
}

/// Opens a file for reading.
#[expect(clippy::disallowed_methods, reason = "this is the one door to files of people")]
pub(super) fn open_file(boundary: Option<&Boundary>, path: &Path) -> io::Result<File> {
    let real = resolve(boundary, path)?;
    if !real.is_file() {
        return Err(not_regular());
    }
    let file = File::open(&real)?;
    if boundary.is_some() && resolve(boundary, &real)? != real {
        return Err(leads_out());
    }
    Ok(file)
}
