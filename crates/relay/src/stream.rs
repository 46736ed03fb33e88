//! A connection to the engine: a Unix socket, or a named pipe on Windows.
//!
//! The Windows half compiles and has never been run. A pipe is opened as a file there, which cannot be read with a time
//! limit, so an engine that does not respond is not left after 2 s. Reads and writes of one such file wait for each other,
//! so a thread that reads it keeps another one from writing to it.

use std::io;
use std::path::Path;
use std::time::Duration;

/// A connection.
#[cfg(unix)]
pub type Stream = std::os::unix::net::UnixStream;
/// A connection.
#[cfg(not(unix))]
pub type Stream = std::fs::File;

/// Connects within `limit`.
#[cfg(unix)]
pub fn connect(path: &Path, limit: Duration) -> io::Result<Stream> {
    let stream = crate::sys::connect(path, limit)?;
    if crate::sys::is_ours(&stream) {
        Ok(stream)
    } else {
        Err(io::Error::other("it belongs to another user"))
    }
}

/// Opens the pipe. All of its instances are in use for a moment while the engine makes the next one.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "the pipe of the engine is opened as a file")]
pub fn connect(path: &Path, limit: Duration) -> io::Result<Stream> {
    /// `ERROR_PIPE_BUSY`.
    const BUSY: i32 = 231;
    const RETRY_INTERVAL: Duration = Duration::from_millis(10);
    let begin = std::time::Instant::now();
    loop {
        match std::fs::OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.raw_os_error() == Some(BUSY) && begin.elapsed() < limit => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            Err(error) if error.raw_os_error() == Some(BUSY) => return Err(io::ErrorKind::TimedOut.into()),
            opened => return opened,
        }
    }
}

/// Limits the next read.
#[cfg(unix)]
pub fn limit_read(stream: &Stream, limit: Duration) -> io::Result<()> {
    stream.set_read_timeout(Some(limit))
}

/// Limits the next write.
#[cfg(unix)]
pub fn limit_write(stream: &Stream, limit: Duration) -> io::Result<()> {
    stream.set_write_timeout(Some(limit))
}

/// Writes to a pipe have no limit.
#[cfg(not(unix))]
pub fn limit_write(_: &Stream, _: Duration) -> io::Result<()> {
    Ok(())
}

/// Reads of a pipe have no limit.
#[cfg(not(unix))]
pub fn limit_read(_: &Stream, _: Duration) -> io::Result<()> {
    Ok(())
}

/// Lets reads and writes take as long as they need.
#[cfg(unix)]
pub fn lift_limits(stream: &Stream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)
}

/// A pipe has no limits.
#[cfg(not(unix))]
pub fn lift_limits(_: &Stream) -> io::Result<()> {
    Ok(())
}

/// Ends both directions, so that a thread that reads this connection ends too.
#[cfg(unix)]
pub fn shut_down(stream: &Stream) {
    drop(stream.shutdown(std::net::Shutdown::Both));
}

/// A pipe ends with its last handle.
#[cfg(not(unix))]
pub fn shut_down(_: &Stream) {}
