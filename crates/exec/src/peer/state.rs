//! What is known of one long-lived process: whether it greeted, what it was asked, what it still owes.

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

/// A process that wrote so many bytes, or lines, and no greeting writes something else.
const MAX_HANDSHAKE_BYTES: usize = 1 << 20;
const MAX_HANDSHAKE_LINES: u64 = 10_000;

/// One process, from the moment it was wanted until it is forgotten.
#[derive(Debug)]
pub(super) struct Peer {
    /// What it was started from.
    pub(super) version: String,
    pub(super) wire: &'static dyn PeerProtocol,
    pub(super) rules: PeerRules,
    /// How it was started, once that is known.
    pub(super) spawn_record: OnceLock<SpawnRecord>,
    /// What is written to it, in order.
    pub(super) outgoing: Queue,
    /// So many notifications are not written yet.
    pub(super) unwritten_notifications: AtomicUsize,
    requested_at: Instant,
    phase: watch::Sender<PeerPhase>,
    stop_request: watch::Sender<StopRequest>,
    pending_calls: Mutex<PendingCalls>,
}

/// How a process was started, for the record.
#[derive(Debug, Clone, Default)]
pub(super) struct SpawnRecord {
    pub(super) command: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<String>,
}

/// How far it has come.
#[derive(Debug, Clone)]
pub(super) enum PeerPhase {
    /// It is starting, or was greeted and has not answered.
    Handshaking,
    /// It answered the greeting with this line.
    Ready(Arc<[u8]>),
    /// It is gone, or as good as gone.
    Exited(Arc<PeerExit>),
}

/// How it went.
#[derive(Debug)]
pub(super) struct PeerExit {
    /// What calls that were under way ended with.
    pub(super) end: End,
    /// Its exit status or signal, where it had one.
    pub(super) status: ExitInfo,
    /// What a person should know.
    pub(super) why: Option<Message>,
    /// It let the time for its greeting pass without one.
    pub(super) handshake_timed_out: bool,
    /// What it said of it on stderr before anybody asked anything, or the system's words.
    pub(super) stderr: Captured,
    /// What it greeted with, if it ever did.
    pub(super) handshake: Option<Arc<[u8]>>,
    /// When.
    pub(super) exited_at: Instant,
    /// After how long a life.
    pub(super) uptime: Duration,
}

impl PeerExit {
    /// Why it never greeted, when it did not.
    pub(super) fn no_handshake(&self) -> Option<NoHandshake> {
        let why = self.why.clone().filter(|_| self.handshake.is_none())?;
        Some(NoHandshake {
            why,
            silent: self.handshake_timed_out,
        })
    }
}

/// What its keeper is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopRequest {
    /// Go on.
    Continue,
    /// See it off: stdin closed, a grace, SIGKILL.
    Close,
    /// The same, because another version of it takes its place: calls under way have lost it.
    Replace,
    /// It did not let go of a call: end it at once.
    Kill,
}

/// What came of a request.
#[derive(Debug)]
pub(super) struct CallResult {
    pub(super) end: End,
    pub(super) status: ExitInfo,
    /// The line as received.
    pub(super) line: Vec<u8>,
    pub(super) stderr: Captured,
    pub(super) notes: Vec<Message>,
}

#[derive(Debug, Default)]
struct PendingCalls {
    last_id: u64,
    calls: BTreeMap<u64, PendingCall>,
    is_closed: bool,
    /// What it said on stderr before anybody asked anything.
    startup_stderr: Captured,
    /// For the next attempt to tell.
    pending_warnings: Vec<Message>,
    invalid_lines: Option<(Message, u64)>,
    /// Lines that nobody waited for.
    dropped_lines: u64,
    /// Notifications that were not taken.
    dropped_notifications: u64,
    /// Lines heard in all.
    received_lines: u64,
    /// Bytes heard before the greeting was answered.
    handshake_bytes: usize,
    /// Lines that were no answers while nobody asked.
    unreported_invalid_lines: u64,
    /// For the next attempt to report.
    counters: BTreeMap<&'static str, u64>,
}

#[derive(Debug)]
struct PendingCall {
    answer: oneshot::Sender<CallResult>,
    stderr: Captured,
}

/// What a line meant for the process's keeper.
#[derive(Debug)]
pub(super) enum LineEffect {
    /// Nothing more to do.
    Done,
    /// The greeting was answered, and the answer is no good.
    BadHandshake(Message),
    /// It writes and writes, and no greeting.
    TooMuchOutput,
}

impl Peer {
    /// One that is wanted.
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
        // Nothing between two changes of the book panics.
        self.pending_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it is called in sentences.
    pub(super) fn program(&self) -> String {
        let command = self
            .spawn_record
            .get()
            .and_then(|record| record.command.first().cloned());
        command.unwrap_or_default()
    }

    /// The stage it is in.
    pub(super) fn phase(&self) -> PeerPhase {
        self.phase.borrow().clone()
    }

    /// The stage after the greeting.
    pub(super) async fn wait_handshake(&self) -> PeerPhase {
        let mut phase = self.phase.subscribe();
        let finished = phase.wait_for(|phase| !matches!(phase, PeerPhase::Handshaking)).await;
        // The sender is `self`, so waiting cannot fail.
        finished.map_or(PeerPhase::Handshaking, |phase| phase.clone())
    }

    /// How it went, once it has.
    pub(super) async fn wait_exited(&self) -> Option<Arc<PeerExit>> {
        let mut phase = self.phase.subscribe();
        let exited = phase.wait_for(|phase| matches!(phase, PeerPhase::Exited(_))).await;
        match exited.ok().map(|phase| phase.clone()) {
            Some(PeerPhase::Exited(exit)) => Some(exit),
            Some(PeerPhase::Handshaking | PeerPhase::Ready(_)) | None => None,
        }
    }

    /// Asks the keeper for something; a wish to end is never taken back.
    pub(super) fn request_stop(&self, request: StopRequest) {
        self.stop_request.send_replace(request);
    }

    /// Resolves with the first wish to end.
    pub(super) async fn stop_requested(&self) -> StopRequest {
        let mut requests = self.stop_request.subscribe();
        let request = requests.wait_for(|request| *request != StopRequest::Continue).await;
        request.map_or(StopRequest::Close, |request| *request)
    }

    /// A new request with its id; `None` when the process is gone.
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

    /// Nobody waits for this answer any more. What was said on stderr meanwhile.
    pub(super) fn forget_call(&self, id: u64) -> Captured {
        self.pending_calls()
            .calls
            .remove(&id)
            .map(|call| call.stderr)
            .unwrap_or_default()
    }

    /// The greeting has the first id.
    pub(super) fn count_handshake(&self) {
        self.pending_calls().last_id += 1;
    }

    /// What is to be told, once.
    pub(super) fn pending_warnings(&self) -> Vec<Message> {
        let program = self.program();
        self.pending_calls().take_warnings(&program)
    }

    /// Something to tell with the next attempt.
    pub(super) fn add_warning(&self, warnings: impl IntoIterator<Item = Message>) {
        self.pending_calls().pending_warnings.extend(warnings);
    }

    /// What it said on stderr before anybody asked, once.
    pub(super) fn startup_stderr(&self) -> Captured {
        std::mem::take(&mut self.pending_calls().startup_stderr)
    }

    /// One more notification was not taken; how many so far.
    pub(super) fn count_dropped_notification(&self) -> u64 {
        let mut pending = self.pending_calls();
        pending.dropped_notifications += 1;
        pending.count("dropped_notifications", 1);
        pending.dropped_notifications
    }

    /// Something for the metrics (`picoclaw.md` §10).
    pub(super) fn count(&self, word: &'static str, more: u64) {
        self.pending_calls().count(word, more);
    }

    /// What was counted since the last attempt that reported.
    pub(super) fn take_counters(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.pending_calls().counters)
    }

    /// How many lines were heard.
    pub(super) fn received_lines(&self) -> u64 {
        self.pending_calls().received_lines
    }

    /// A piece of stderr: it belongs to the attempts in flight, and to the first one when there was none yet.
    pub(super) fn receive_stderr(&self, piece: &[u8]) {
        let mut pending = self.pending_calls();
        if !pending.calls.is_empty() {
            for call in pending.calls.values_mut() {
                append(&mut call.stderr, piece);
            }
        } else if matches!(*self.phase.borrow(), PeerPhase::Handshaking) {
            append(&mut pending.startup_stderr, piece);
        } else {
            // What it was may hold a secret; a log holds none (`engine.md` §10).
            tracing::info!(program = %self.program(), bytes = piece.len(), "stderr outside any attempt");
        }
    }

    /// A line of its stdout.
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
        // What is no UTF-8 is still somebody's answer; the dialect refuses it there.
        match self.wire.parse_line(&String::from_utf8_lossy(&line)) {
            PeerLine::Hello => return self.finish_handshake(pending, line),
            PeerLine::Answer(id) => pending.deliver_answer(id, End::Replied, line, &program),
            PeerLine::Refusal(id) => pending.deliver_answer(id, End::Refused, line, &program),
            PeerLine::Dropped => pending.count_dropped_line(),
            PeerLine::Invalid(message) => {
                // The words quote it: they go into a trace, which is redacted, and never into a log (`engine.md` §10).
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
                pending.pending_warnings.extend(handshake.notes);
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

    /// It is gone: what is under way ends so, and nothing more begins.
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
            // Whoever went away does not hear of it.
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

    /// A line that nobody waited for.
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

    /// Noise that no attempt will tell of: once in the log, however much of it there is.
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

/// Up to what is kept of a stderr; the rest is counted.
fn append(to: &mut Captured, piece: &[u8]) {
    let room = MAX_STDERR_BYTES.saturating_sub(to.bytes.len());
    to.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    to.total += piece.len() as u64;
}
