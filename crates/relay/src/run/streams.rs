//! The streams of a command: copied as they come, and kept for the report up to a limit.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::MAX_PAYLOAD_BYTES;
use crate::json;

/// Bytes of stdout and of stderr that are kept (`engine.md` §7).
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;
/// Bytes of stdin that are kept: it is the payload, and may be printed over many lines.
const MAX_STDIN_BYTES: usize = 2 * MAX_PAYLOAD_BYTES;
/// How long the end of the outputs is awaited after the command has ended (`engine.md` §7): a process that it left behind,
/// such as a `tee`, may still write its answer.
const DRAIN_LIMIT: Duration = Duration::from_millis(200);
/// Bytes that are read after that without waiting: as many as a pipe can contain.
const DRAIN_BYTES: usize = 1 << 20;
/// How long the rest of the payload is awaited when the command has ended without reading it.
const STDIN_LIMIT: Duration = Duration::from_millis(100);
const BUFFER_BYTES: usize = 64 << 10;

/// The beginning of a stream.
#[derive(Debug, Default, Clone)]
pub struct CapturedStream {
    pub bytes: Vec<u8>,
    /// Whether the stream was longer.
    pub truncated: bool,
}

impl CapturedStream {
    fn add(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.truncated |= room < bytes.len();
    }
}

/// Tells the threads that copy that the command has ended: the write end is dropped then.
struct EndSignal {
    reader: Option<Arc<PipeReader>>,
    writer: Option<PipeWriter>,
}

impl EndSignal {
    /// Without a pipe the threads copy to the end of their streams.
    fn new() -> Self {
        let (reader, writer) = io::pipe().ok().unzip();
        Self {
            reader: reader.map(Arc::new),
            writer,
        }
    }
}

/// What a read returned.
enum Next {
    Bytes(usize),
    /// The end of the stream, or of the time after the end of the command.
    End,
}

/// Reads until the end of the stream, or until [`DRAIN_LIMIT`] after the end of the command.
struct Source<R> {
    stream: R,
    #[cfg_attr(not(unix), expect(dead_code, reason = "a read can be stopped only on Unix"))]
    ended: Option<Arc<PipeReader>>,
    /// Until when the end of the stream is awaited; `None` while the command runs.
    deadline: Option<Instant>,
    /// Bytes that may be read after the end of the command when the deadline is over.
    left: usize,
}

#[cfg(unix)]
trait Stream: Read + std::os::fd::AsRawFd {}
#[cfg(unix)]
impl<R: Read + std::os::fd::AsRawFd> Stream for R {}
#[cfg(not(unix))]
trait Stream: Read {}
#[cfg(not(unix))]
impl<R: Read> Stream for R {}

impl<R: Stream> Source<R> {
    fn new(stream: R, ended: Option<Arc<PipeReader>>) -> Self {
        Self {
            stream,
            ended,
            deadline: None,
            left: DRAIN_BYTES,
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> Next {
        if !self.wait() {
            return Next::End;
        }
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return Next::End,
                Ok(count) => {
                    if self.deadline.is_some() {
                        self.left = self.left.saturating_sub(count);
                    }
                    return Next::Bytes(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Next::End,
            }
        }
    }

    /// Waits for input. False if none came in time after the end of the command.
    #[cfg(unix)]
    fn wait(&mut self) -> bool {
        use crate::sys::{Input, has_input, wait_for_input};
        const NOW: Duration = Duration::ZERO;
        let Some(ended) = &self.ended else { return true };
        if self.deadline.is_none() && wait_for_input(&self.stream, ended) == Input::Ready && !has_input(ended, NOW) {
            return true;
        }
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + DRAIN_LIMIT);
        let remaining = deadline.saturating_duration_since(Instant::now());
        (!remaining.is_zero() || self.left > 0) && has_input(&self.stream, remaining)
    }

    #[cfg(not(unix))]
    fn wait(&mut self) -> bool {
        true
    }
}

/// Stdout and stderr of the command.
pub struct Outputs {
    end: EndSignal,
    results: [Receiver<CapturedStream>; 2],
}

impl Outputs {
    pub fn start(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Self {
        let end = EndSignal::new();
        let ended = end.reader.clone();
        let results = [
            copy(stdout, ended.clone(), own_handle(&io::stdout())),
            copy(stderr, ended, own_handle(&io::stderr())),
        ];
        Self { end, results }
    }

    /// The command has ended: copies what it wrote, and returns it.
    pub fn finish(mut self) -> [CapturedStream; 2] {
        self.end.writer = None;
        self.results.map(|result| {
            if cfg!(unix) {
                result.recv().unwrap_or_default()
            } else {
                // A read cannot be stopped here, and may wait for another process.
                result.recv_timeout(DRAIN_LIMIT).unwrap_or_default()
            }
        })
    }
}

/// A handle of a standard stream that is written without a buffer.
#[cfg(unix)]
fn own_handle(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn own_handle(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

/// Copies one output in a thread. If the agent does not read any more, the command's pipe is closed too, so that the
/// command gets the same signal or error as without the relay.
fn copy(
    from: Option<impl Stream + Send + 'static>,
    ended: Option<Arc<PipeReader>>,
    to: io::Result<File>,
) -> Receiver<CapturedStream> {
    let (sender, receiver) = mpsc::channel();
    let (Some(stream), Ok(mut to)) = (from, to) else {
        return receiver;
    };
    thread::spawn(move || {
        let mut source = Source::new(stream, ended);
        let mut captured = CapturedStream::default();
        let mut buffer = vec![0; BUFFER_BYTES];
        while let Next::Bytes(count) = source.read(&mut buffer) {
            captured.add(&buffer[..count], MAX_OUTPUT_BYTES);
            if to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        drop(source);
        drop(sender.send(captured));
    });
    receiver
}

/// The stdin of the command.
pub struct StdinPump {
    end: EndSignal,
    captured: Arc<Mutex<CapturedStream>>,
    /// Has an item after a part was read, and is closed at the end of stdin.
    parts: Receiver<()>,
}

impl StdinPump {
    /// Copies stdin to the command, or only keeps it if there is no command.
    pub fn start(to: Option<ChildStdin>) -> Self {
        let end = EndSignal::new();
        let captured = Arc::<Mutex<CapturedStream>>::default();
        let (sender, parts) = mpsc::sync_channel(1);
        if let Ok(stream) = own_handle(&io::stdin()) {
            let source = Source::new(stream, end.reader.clone());
            let captured = captured.clone();
            thread::spawn(move || pump_stdin(source, to, &captured, &sender));
        }
        Self { end, captured, parts }
    }

    /// The command has ended. Returns stdin, for whose rest it waits a moment if that is not a whole document yet.
    pub fn finish(mut self) -> CapturedStream {
        let deadline = Instant::now() + STDIN_LIMIT;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.parts.recv_timeout(remaining) {
                Ok(()) if self.is_complete() => break,
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => break,
            }
        }
        self.end.writer = None;
        std::mem::take(&mut self.captured.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_complete(&self) -> bool {
        let captured = self.captured.lock().unwrap_or_else(PoisonError::into_inner);
        captured.truncated || str::from_utf8(&captured.bytes).is_ok_and(|text| json::check(text).is_ok())
    }
}

fn pump_stdin(
    mut source: Source<File>,
    mut to: Option<ChildStdin>,
    captured: &Mutex<CapturedStream>,
    parts: &SyncSender<()>,
) {
    let mut buffer = vec![0; BUFFER_BYTES];
    while let Next::Bytes(count) = source.read(&mut buffer) {
        let bytes = &buffer[..count];
        captured
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(bytes, MAX_STDIN_BYTES);
        // A full channel has the same meaning.
        let _ = parts.try_send(());
        // A command need not read its stdin.
        to.take_if(|to| to.write_all(bytes).is_err());
    }
}
