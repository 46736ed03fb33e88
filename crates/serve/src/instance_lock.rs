//! One engine per data folder: the lock that ensures it, and taking over from an engine that does not respond.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::client::{Client, ConnectError};
use crate::rpc_message::PingReply;
use crate::runtime_dir::RuntimeDir;

/// How long a running engine may take to respond before another engine takes over.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an engine that has the lock may take to open its socket, or to release the lock.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The lock that makes a process the only engine of a data folder.
#[derive(Debug)]
pub struct InstanceLock {
    path: PathBuf,
    file: File,
}

/// The result of one try.
enum LockAttempt {
    /// This process has the lock.
    Acquired(InstanceLock),
    /// Another process has the lock of this file.
    Busy(File),
}

/// Why the data folder cannot be locked.
#[derive(Debug)]
pub enum InstanceLockError {
    /// Another engine has the lock, and responds.
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
    /// Acquires the lock: immediately when it is free, otherwise only when the engine that has it does not respond.
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
                // The other engine is just starting or ending, or this process cannot connect just now.
                Err(ConnectError::NoEngine | ConnectError::Io(_)) if begin.elapsed() < STARTUP_TIMEOUT => {
                    sleep(RETRY_INTERVAL).await
                }
                Err(ConnectError::NoEngine | ConnectError::NoReply) => break_lock(&path, &busy_file)?,
                // The other engine may be fine. A failed connection or a response that is not understood proves
                // nothing.
                Err(ConnectError::Io(error)) => return Err(error.into()),
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the lock is a file of this program")]
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
        // Between opening and locking, another process may have replaced the file.
        if !lock.is_current() {
            return Ok(LockAttempt::Busy(lock.file));
        }
        lock.file.set_len(0)?;
        writeln!(lock.file, "{}", std::process::id())?;
        Ok(LockAttempt::Acquired(lock))
    }

    /// Releases the lock, so that the next engine can start.
    pub fn release(&self) {
        // A lock that cannot be released here is released when the process exits.
        drop(self.file.unlock());
    }

    /// Whether no other engine took over: the locked file is still the one at this path.
    #[must_use]
    pub fn is_current(&self) -> bool {
        same_file(&self.file, &self.path)
    }
}

/// Removes the lock file of an engine that hangs. When that engine continues, it finds that it lost the lock.
fn break_lock(path: &Path, busy_file: &File) -> io::Result<()> {
    if !same_file(busy_file, path) {
        // Another process already removed it.
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

/// An open file cannot be removed on this platform.
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
