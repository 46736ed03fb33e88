//! The state of one peer: its handshake, its pending calls, and its exit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hookwright_model::{Captured, End, Message, NoHandshake, PeerLine, PeerProtocol, PeerRules, args};
use tokio::sync::{oneshot, watch};

use crate::capture::MAX_STDERR_BYTES;
use crate::messages::{LONG_LINE, MORE_INVALID_LINES};
use crate::process::ExitInfo;

use super::queue::Queue;

/// Limits of the output before the handshake. A process that writes more bytes or lines does not speak the
/// protocol.
const MAX_HANDSHAKE_BYTES: usize = 1 << 20;
const MAX_HANDSHAKE_LINES: u64 = 10_000;

/// One process, from the request to start it until it is forgotten.
#[derive(Debug)]
pub(super) struct Peer {
    /// [`PeerCall::version`](hookwright_model::PeerCall::version) of the call that started it.
    pub(super) version: String,
    pub(super) wire: &'static dyn PeerProtocol,
    pub(super) rules: PeerRules,
    /// How it was started; set after the start.
    pub(super) spawn_record: OnceLock<SpawnRecord>,
    /// What is still to be written to it, in order.
    pub(super) outgoing: Queue,
    /// Number of notifications that are not written yet.
    pub(super) unwritten_notifications: AtomicUsize,
    requested_at: Instant,
    phase: watch::Sender<PeerPhase>,
    stop_request: watch::Sender<StopRequest>,
    pending_calls: Mutex<PendingCalls>,
}

/// How a process was started, for the trace.
#[derive(Debug, Clone, Default)]
pub(super) struct SpawnRecord {
    pub(super) command: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<String>,
}

/// The phase that a peer is in.
#[derive(Debug, Clone)]
pub(super) enum PeerPhase {
    /// The process is starting, or has not completed the handshake yet.
    Handshaking,
    /// The process completed the handshake with this line.
    Ready(Arc<[u8]>),
    /// The process has exited, or is being closed.
    Exited(Arc<PeerExit>),
}

/// How a peer ended.
#[derive(Debug)]
pub(super) struct PeerExit {
    /// The [`End`] of the calls that were pending.
    pub(super) end: End,
    /// The exit code or signal, if there is one.
    pub(super) status: ExitInfo,
    /// The message for the user.
    pub(super) why: Option<Message>,
    /// Whether the time limit of the handshake passed.
    pub(super) handshake_timed_out: bool,
    /// What the process wrote to stderr before the first request, or the system's error.
    pub(super) stderr: Captured,
    /// The handshake line, if there was one.
    pub(super) handshake: Option<Arc<[u8]>>,
    pub(super) exited_at: Instant,
    /// How long the process ran.
    pub(super) uptime: Duration,
}

impl PeerExit {
    /// Why there was no handshake; `None` if there was one.
    pub(super) fn no_handshake(&self) -> Option<NoHandshake> {
        let why = self.why.clone().filter(|_| self.handshake.is_none())?;
        Some(NoHandshake {
            why,
            silent: self.handshake_timed_out,
        })
    }
}

/// A request to the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopRequest {
    /// Keep the process running.
    Continue,
    /// Close the process: stdin is closed, a grace period, SIGKILL.
    Close,
    /// Close the process because another version replaces it. Pending calls fail.
    Replace,
    /// Kill the process at once, because it ignored a cancel.
    Kill,
}

/// The result of a request.
#[derive(Debug)]
pub(super) struct CallResult {
    pub(super) end: End,
    pub(super) status: ExitInfo,
    /// The response line as received.
    pub(super) line: Vec<u8>,
    pub(super) stderr: Captured,
    pub(super) notes: Vec<Message>,
}

#[derive(Debug, Default)]
struct PendingCalls {
    last_id: u64,
    calls: BTreeMap<u64, PendingCall>,
    is_closed: bool,
    /// Stderr from before the first request.
    startup_stderr: Captured,
    /// Warnings that the next attempt reports.
    pending_warnings: Vec<Message>,
    invalid_lines: Option<(Message, u64)>,
    /// Number of lines for which no attempt waited.
    dropped_lines: u64,
    /// Number of notifications that were dropped because the queue was full.
    dropped_notifications: u64,
    /// Number of all received lines.
    received_lines: u64,
    /// Number of bytes received before the handshake was complete.
    handshake_bytes: usize,
    /// Number of invalid lines that no attempt reports, because none was pending.
    unreported_invalid_lines: u64,
    /// Counters that the next attempt reports.
    counters: BTreeMap<&'static str, u64>,
}

#[derive(Debug)]
struct PendingCall {
    answer: oneshot::Sender<CallResult>,
    stderr: Captured,
}

/// What the supervisor must do after a line.
#[derive(Debug)]
pub(super) enum LineEffect {
    /// Nothing more to do.
    Done,
    /// The handshake response is invalid.
    BadHandshake(Message),
    /// The process wrote too much output before the handshake.
    TooMuchOutput,
}

impl Peer {
    /// A process that is about to be started.
    pub(super) fn new(version: String, wire: &'static dyn PeerProtocol, rules: PeerRules) -> Self {
        Self {
            version,
            wire,
            rules,
            spawn_record: OnceLock::new(),
            outgoing: Queue::default(),
            unwritten_notifications: AtomicUsize::new(0),
            requested_at: Instant::now(),
            phase: watch::Sender::new(PeerPhase::Handshaking),
            stop_request: watch::Sender::new(StopRequest::Continue),
            pending_calls: Mutex::default(),
        }
    }

    fn pending_calls(&self) -> MutexGuard<'_, PendingCalls> {
        // No code panics while it changes the pending calls.
        self.pending_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of the program, for messages.
    pub(super) fn program(&self) -> String {
        let command = self
            .spawn_record
            .get()
            .and_then(|record| record.command.first().cloned());
        command.unwrap_or_default()
    }

    /// The present phase.
    pub(super) fn phase(&self) -> PeerPhase {
        self.phase.borrow().clone()
    }

    /// Waits for the end of the handshake and returns the phase after it.
    pub(super) async fn wait_handshake(&self) -> PeerPhase {
        let mut phase = self.phase.subscribe();
        let finished = phase.wait_for(|phase| !matches!(phase, PeerPhase::Handshaking)).await;
        // The sender is `self`, so waiting cannot fail.
        finished.map_or(PeerPhase::Handshaking, |phase| phase.clone())
    }

    /// Waits until the process has exited and returns how it ended.
    pub(super) async fn wait_exited(&self) -> Option<Arc<PeerExit>> {
        let mut phase = self.phase.subscribe();
        let exited = phase.wait_for(|phase| matches!(phase, PeerPhase::Exited(_))).await;
        match exited.ok().map(|phase| phase.clone()) {
            Some(PeerPhase::Exited(exit)) => Some(exit),
            Some(PeerPhase::Handshaking | PeerPhase::Ready(_)) | None => None,
        }
    }

    /// Sends a request to the supervisor. A request to stop is never cancelled.
    pub(super) fn request_stop(&self, request: StopRequest) {
        self.stop_request.send_replace(request);
    }

    /// Resolves with the first request to stop.
    pub(super) async fn stop_requested(&self) -> StopRequest {
        let mut requests = self.stop_request.subscribe();
        let request = requests.wait_for(|request| *request != StopRequest::Continue).await;
        request.map_or(StopRequest::Close, |request| *request)
    }

    /// Registers a new request and returns its id; `None` when the process has exited.
    pub(super) fn register(&self) -> Option<(u64, oneshot::Receiver<CallResult>)> {
        let mut pending = self.pending_calls();
        if pending.is_closed {
            return None;
        }
        pending.last_id += 1;
        let id = pending.last_id;
        let (answer, waiting) = oneshot::channel();
        let stderr = std::mem::take(&mut pending.startup_stderr);
        pending.calls.insert(id, PendingCall { answer, stderr });
        Some((id, waiting))
    }

    /// Forgets a request, because no attempt waits for its response any more. Returns the stderr received for it.
    pub(super) fn forget_call(&self, id: u64) -> Captured {
        self.pending_calls()
            .calls
            .remove(&id)
            .map(|call| call.stderr)
            .unwrap_or_default()
    }

    /// Counts the handshake: it has the first id.
    pub(super) fn count_handshake(&self) {
        self.pending_calls().last_id += 1;
    }

    /// Returns the stored warnings, once.
    pub(super) fn pending_warnings(&self) -> Vec<Message> {
        let program = self.program();
        self.pending_calls().take_warnings(&program)
    }

    /// Stores warnings for the next attempt.
    pub(super) fn add_warning(&self, warnings: impl IntoIterator<Item = Message>) {
        self.pending_calls().pending_warnings.extend(warnings);
    }

    /// Returns the stderr from before the first request, once.
    pub(super) fn startup_stderr(&self) -> Captured {
        std::mem::take(&mut self.pending_calls().startup_stderr)
    }

    /// Counts a dropped notification. Returns how many were dropped so far.
    pub(super) fn count_dropped_notification(&self) -> u64 {
        let mut pending = self.pending_calls();
        pending.dropped_notifications += 1;
        pending.count("dropped_notifications", 1);
        pending.dropped_notifications
    }

    /// Adds to a counter for the metrics (`picoclaw.md` §10).
    pub(super) fn count(&self, word: &'static str, more: u64) {
        self.pending_calls().count(word, more);
    }

    /// Returns the counters since the last attempt that reported them.
    pub(super) fn take_counters(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.pending_calls().counters)
    }

    /// Number of all received lines.
    pub(super) fn received_lines(&self) -> u64 {
        self.pending_calls().received_lines
    }

    /// Receives a piece of stderr. It belongs to all pending attempts. During the handshake, if none is pending, it
    /// belongs to the first attempt.
    pub(super) fn receive_stderr(&self, piece: &[u8]) {
        let mut pending = self.pending_calls();
        if !pending.calls.is_empty() {
            for call in pending.calls.values_mut() {
                append(&mut call.stderr, piece);
            }
        } else if matches!(*self.phase.borrow(), PeerPhase::Handshaking) {
            append(&mut pending.startup_stderr, piece);
        } else {
            // Only the size is logged. The text may contain a secret, and a log contains none (`engine.md` §10).
            tracing::info!(program = %self.program(), bytes = piece.len(), "stderr outside any attempt");
        }
    }

    /// Receives a line of stdout.
    pub(super) fn receive_line(&self, line: Vec<u8>) -> LineEffect {
        let program = self.program();
        let mut pending = self.pending_calls();
        pending.received_lines += 1;
        let handshaking = matches!(*self.phase.borrow(), PeerPhase::Handshaking);
        if handshaking {
            pending.handshake_bytes = pending.handshake_bytes.saturating_add(line.len() + 1);
        }
        let too_much_output =
            pending.handshake_bytes > MAX_HANDSHAKE_BYTES || pending.received_lines > MAX_HANDSHAKE_LINES;
        let effect = if handshaking && too_much_output {
            LineEffect::TooMuchOutput
        } else {
            LineEffect::Done
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            return effect;
        }
        if self.rules.long_line.is_some_and(|limit| line.len() > limit) {
            pending
                .pending_warnings
                .push(LONG_LINE.render(args! { "program" => program, "bytes" => line.len() }));
        }
        // A line that is not UTF-8 can still be a response to a request; the dialect refuses it.
        match self.wire.parse_line(&String::from_utf8_lossy(&line)) {
            PeerLine::Hello => return self.finish_handshake(pending, line),
            PeerLine::Answer(id) => pending.deliver_answer(id, End::Replied, line, &program),
            PeerLine::Refusal(id) => pending.deliver_answer(id, End::Refused, line, &program),
            PeerLine::Dropped => pending.count_dropped_line(),
            PeerLine::Invalid(message) => {
                // The message quotes the line. It is written to a trace, which is redacted, and never to a log
                // (`engine.md` §10).
                tracing::debug!(%program, bytes = line.len(), "a line that is no answer");
                pending.count("dropped_lines", 1);
                let reported = handshaking || !pending.calls.is_empty();
                match &mut pending.invalid_lines {
                    Some((_, more)) => *more += 1,
                    None if reported => pending.invalid_lines = Some((message, 0)),
                    None => pending.log_first_invalid_line(&program),
                }
            }
        }
        effect
    }

    fn finish_handshake(&self, mut pending: MutexGuard<'_, PendingCalls>, line: Vec<u8>) -> LineEffect {
        if !matches!(*self.phase.borrow(), PeerPhase::Handshaking) {
            pending.count_dropped_line();
            return LineEffect::Done;
        }
        match self.wire.parse_handshake(&String::from_utf8_lossy(&line)) {
            Ok(handshake) => {
                pending.pending_warnings.extend(handshake.warnings);
                let took = self.requested_at.elapsed().as_micros();
                pending.count("handshakes", 1);
                pending.count("handshake_us", u64::try_from(took).unwrap_or(u64::MAX));
                drop(pending);
                self.phase.send_replace(PeerPhase::Ready(line.into()));
                LineEffect::Done
            }
            Err(message) => LineEffect::BadHandshake(message),
        }
    }

    /// Ends all pending calls with this exit. No new call can begin.
    pub(super) fn fail_pending(&self, mut exit: PeerExit) {
        let program = self.program();
        let mut pending = self.pending_calls();
        pending.is_closed = true;
        let last = std::mem::replace(&mut exit.stderr, std::mem::take(&mut pending.startup_stderr));
        append(&mut exit.stderr, &last.bytes);
        let notes: Vec<Message> = pending
            .take_warnings(&program)
            .into_iter()
            .chain(exit.why.clone())
            .collect();
        for call in std::mem::take(&mut pending.calls).into_values() {
            // An attempt that no longer waits does not receive it.
            drop(call.answer.send(CallResult {
                end: exit.end,
                status: exit.status,
                line: Vec::new(),
                stderr: call.stderr,
                notes: notes.clone(),
            }));
        }
        drop(pending);
        self.outgoing.close();
        self.phase.send_replace(PeerPhase::Exited(Arc::new(exit)));
    }
}

impl PendingCalls {
    fn count(&mut self, word: &'static str, more: u64) {
        *self.counters.entry(word).or_default() += more;
    }

    /// Counts a line for which no attempt waits.
    fn count_dropped_line(&mut self) {
        self.dropped_lines += 1;
        self.count("dropped_lines", 1);
    }

    fn deliver_answer(&mut self, id: u64, end: End, line: Vec<u8>, program: &str) {
        let Some(call) = self.calls.remove(&id) else {
            self.count_dropped_line();
            tracing::debug!(%program, id, dropped = self.dropped_lines, "an answer that nobody waits for");
            return;
        };
        let outcome = CallResult {
            end,
            status: ExitInfo::default(),
            line,
            stderr: call.stderr,
            notes: self.take_warnings(program),
        };
        drop(call.answer.send(outcome));
    }

    /// Counts an invalid line that no attempt reports. Only the first one is logged, however many there are.
    fn log_first_invalid_line(&mut self, program: &str) {
        self.unreported_invalid_lines += 1;
        if self.unreported_invalid_lines == 1 {
            tracing::warn!(%program, "it writes lines that are no answers while nobody asks");
        }
    }

    fn take_warnings(&mut self, program: &str) -> Vec<Message> {
        let mut warnings = std::mem::take(&mut self.pending_warnings);
        if let Some((first, more)) = self.invalid_lines.take() {
            warnings.push(first);
            if more > 0 {
                warnings.push(MORE_INVALID_LINES.render(args! { "program" => program, "count" => more }));
            }
        }
        warnings
    }
}

/// Appends up to the stored limit of stderr; the remaining bytes are only counted.
fn append(to: &mut Captured, piece: &[u8]) {
    let room = MAX_STDERR_BYTES.saturating_sub(to.bytes.len());
    to.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    to.total += piece.len() as u64;
}
