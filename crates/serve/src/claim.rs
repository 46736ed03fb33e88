//! One engine a data folder: the lock that makes it so, and taking over from one that does not answer.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::client::{Client, ConnectError};
use crate::message::About;
use crate::place::Place;

/// How long a living engine has to answer before it is taken over.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an engine that holds the lock has to open its socket, or to let go of the lock.
const SETTLING: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// The right to be the engine of a data folder, as long as it lives.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    file: File,
}

/// What came of trying.
enum Taken {
    /// It is ours.
    Claim(Claim),
    /// Somebody has the lock of this file.
    Held(File),
}

/// Why the data folder cannot be claimed.
#[derive(Debug)]
pub enum ClaimError {
    /// Another engine has it, and answers.
    Lives(About),
    /// The lock file cannot be used.
    Io(io::Error),
}

impl From<io::Error> for ClaimError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Claim {
    /// Claims the place: at once when nobody has it, else when whoever has it does not answer.
    pub async fn take(place: &Place) -> Result<Self, ClaimError> {
        let path = place.lock();
        let begin = Instant::now();
        loop {
            let held = match Self::try_take(&path)? {
                Taken::Claim(claim) => return Ok(claim),
                Taken::Held(file) => file,
            };
            match Client::connect_within(place, PATIENCE).await {
                Ok(client) => return Err(ClaimError::Lives(client.about().clone())),
                // It begins or ends just now; or it is us who cannot ask just now.
                Err(ConnectError::NoEngine | ConnectError::Io(_)) if begin.elapsed() < SETTLING => sleep(PAUSE).await,
                Err(ConnectError::NoEngine | ConnectError::Silent) => displace(&path, &held)?,
                // Whoever has it may be well: that we cannot ask, or do not understand the answer, proves nothing.
                Err(ConnectError::Io(error)) => return Err(error.into()),
            }
        }
    }

    fn try_take(path: &Path) -> io::Result<Taken> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Taken::Held(file)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        crate::place::private(path, 0o600)?;
        let mut claim = Self {
            path: path.to_owned(),
            file,
        };
        // Between opening and locking, somebody may have put another file there.
        if !claim.holds() {
            return Ok(Taken::Held(claim.file));
        }
        claim.file.set_len(0)?;
        writeln!(claim.file, "{}", std::process::id())?;
        Ok(Taken::Claim(claim))
    }

    /// Lets go, so that the next engine may begin.
    pub fn release(&self) {
        // What cannot be unlocked is unlocked with the process.
        drop(self.file.unlock());
    }

    /// Whether nobody took over.
    #[must_use]
    pub fn holds(&self) -> bool {
        same_file(&self.file, &self.path)
    }
}

/// Takes the lock file away from an engine that hangs. When it wakes up, it finds that it does not hold any more.
fn displace(path: &Path, held: &File) -> io::Result<()> {
    if !same_file(held, path) {
        // Somebody else did it already.
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let known = file.metadata().map(|meta| (meta.dev(), meta.ino()));
    let found = fs::metadata(path).map(|meta| (meta.dev(), meta.ino()));
    matches!((known, found), (Ok(known), Ok(found)) if known == found)
}

/// A file that is open cannot be taken away here.
#[cfg(not(unix))]
fn same_file(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(path: &Path) -> Option<Claim> {
        match Claim::try_take(path).unwrap() {
            Taken::Claim(claim) => Some(claim),
            Taken::Held(_) => None,
        }
    }

    #[test]
    fn only_one_at_a_time_and_the_next_when_it_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.lock");
        let first = take(&path).unwrap();
        assert!(take(&path).is_none());
        drop(first);
        assert!(take(&path).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn whoever_was_displaced_finds_out_and_the_next_is_not_displaced_by_latecomers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.lock");
        let hanging = take(&path).unwrap();
        displace(&path, &hanging.file).unwrap();
        assert!(!hanging.holds());
        let next = take(&path).unwrap();
        displace(&path, &hanging.file).unwrap();
        assert!(next.holds() && !hanging.holds());
    }
}
