//! One engine a data folder: the lock that makes it so, and taking over from one that does not answer.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::client::{Client, ConnectError};
use crate::rpc_message::PingReply;
use crate::runtime_dir::RuntimeDir;

/// How long a living engine has to answer before it is taken over.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an engine that holds the lock has to open its socket, or to let go of the lock.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The right to be the engine of a data folder, as long as it lives.
#[derive(Debug)]
pub struct InstanceLock {
    path: PathBuf,
    file: File,
}

/// What came of trying.
enum LockAttempt {
    /// It is ours.
    Acquired(InstanceLock),
    /// Somebody has the lock of this file.
    Busy(File),
}

/// Why the data folder cannot be claimed.
#[derive(Debug)]
pub enum InstanceLockError {
    /// Another engine has it, and answers.
    AlreadyRunning(PingReply),
    /// The lock file cannot be used.
    Io(io::Error),
}

impl From<io::Error> for InstanceLockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl InstanceLock {
    /// Claims the place: at once when nobody has it, else when whoever has it does not answer.
    pub async fn acquire(runtime_dir: &RuntimeDir) -> Result<Self, InstanceLockError> {
        let path = runtime_dir.lock();
        let begin = Instant::now();
        loop {
            let busy_file = match Self::try_acquire(&path)? {
                LockAttempt::Acquired(lock) => return Ok(lock),
                LockAttempt::Busy(file) => file,
            };
            match Client::connect_within(runtime_dir, CONNECT_TIMEOUT).await {
                Ok(client) => return Err(InstanceLockError::AlreadyRunning(client.ping_reply().clone())),
                // It begins or ends just now; or it is us who cannot ask just now.
                Err(ConnectError::NoEngine | ConnectError::Io(_)) if begin.elapsed() < STARTUP_TIMEOUT => {
                    sleep(RETRY_INTERVAL).await
                }
                Err(ConnectError::NoEngine | ConnectError::NoReply) => break_lock(&path, &busy_file)?,
                // Whoever has it may be well: that we cannot ask, or do not understand the answer, proves nothing.
                Err(ConnectError::Io(error)) => return Err(error.into()),
            }
        }
    }

    fn try_acquire(path: &Path) -> io::Result<LockAttempt> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(LockAttempt::Busy(file)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        crate::runtime_dir::restrict_permissions(path, 0o600)?;
        let mut lock = Self {
            path: path.to_owned(),
            file,
        };
        // Between opening and locking, somebody may have put another file there.
        if !lock.is_current() {
            return Ok(LockAttempt::Busy(lock.file));
        }
        lock.file.set_len(0)?;
        writeln!(lock.file, "{}", std::process::id())?;
        Ok(LockAttempt::Acquired(lock))
    }

    /// Lets go, so that the next engine may begin.
    pub fn release(&self) {
        // What cannot be unlocked is unlocked with the process.
        drop(self.file.unlock());
    }

    /// Whether nobody took over.
    #[must_use]
    pub fn is_current(&self) -> bool {
        same_file(&self.file, &self.path)
    }
}

/// Takes the lock file away from an engine that hangs. When it wakes up, it finds that it does not hold any more.
fn break_lock(path: &Path, busy_file: &File) -> io::Result<()> {
    if !same_file(busy_file, path) {
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

    fn acquire(path: &Path) -> Option<InstanceLock> {
        match InstanceLock::try_acquire(path).unwrap() {
            LockAttempt::Acquired(lock) => Some(lock),
            LockAttempt::Busy(_) => None,
        }
    }

    #[test]
    fn only_one_engine_has_the_lock_and_the_next_gets_it_after_its_release() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.lock");
        let first = acquire(&path).unwrap();
        assert!(acquire(&path).is_none());
        drop(first);
        assert!(acquire(&path).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_whose_lock_was_broken_detects_it_and_the_next_lock_is_not_broken_with_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.lock");
        let hanging = acquire(&path).unwrap();
        break_lock(&path, &hanging.file).unwrap();
        assert!(!hanging.is_current());
        let next = acquire(&path).unwrap();
        break_lock(&path, &hanging.file).unwrap();
        assert!(next.is_current() && !hanging.is_current());
    }
}
