//! The state of one process: its handshake, its exit, and what attempts report about it. [`hookwright_rpc`] has its
//! lines and its pending calls.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hookwright_model::{Captured, End, Message, NoHandshake, PeerLine, PeerProtocol, PeerRules, render};
use hookwright_rpc::{Codec, Ended, Incoming, Peer};
use tokio::sync::watch;

use crate::messages::{LONG_LINE, MORE_INVALID_LINES, OUTPUT_AND_STDERR, OUTPUT_NOTHING, OUTPUT_OTHER};
use crate::process::ExitInfo;

use super::codec::{LIMITS, ProcessAnswer, ProcessCodec, append};

/// Limits of the output before the handshake. A process that writes more bytes or lines does not speak the
/// protocol.
const MAX_HANDSHAKE_BYTES: usize = 1 << 20;
const MAX_HANDSHAKE_LINES: u64 = 10_000;
/// How many bytes of that output are kept to say what was read.
const MAX_KEPT_OUTPUT: usize = 8 << 10;
/// How many characters of a line, and of the end of stderr, a message shows.
const MAX_SHOWN_LINE: usize = 120;
const MAX_SHOWN_STDERR: usize = 400;

/// One process, from the request to start it until it is forgotten.
#[derive(Debug)]
pub(super) struct PeerProcess {
    /// [`PeerCall::version`](hookwright_model::PeerCall::version) of the call that started it.
    pub(super) version: String,
    pub(super) rules: PeerRules,
    /// Its lines and pending calls.
    pub(super) rpc: Peer<ProcessCodec>,
    /// How it was started; set after the start.
    pub(super) spawn_record: OnceLock<SpawnRecord>,
    requested_at: Instant,
    phase: watch::Sender<PeerPhase>,
    stop_request: watch::Sender<StopRequest>,
    reports: Mutex<Reports>,
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
    /// Warnings for the attempts that were pending.
    pub(super) warnings: Vec<Message>,
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

/// What attempts report about the process.
#[derive(Debug, Default)]
struct Reports {
    /// Stderr from before the first request.
    startup_stderr: Captured,
    /// Warnings that the next attempt reports.
    pending_warnings: Vec<Message>,
    invalid_lines: Option<(Message, u64)>,
    /// Number of notifications that were dropped because the queue was full.
    dropped_notifications: u64,
    /// Number of all received lines.
    received_lines: u64,
    /// Number of bytes received before the handshake was complete.
    handshake_bytes: usize,
    /// The first of these bytes.
    handshake_output: Vec<u8>,
    /// Number of invalid lines that no attempt reports, because none was pending.
    unreported_invalid_lines: u64,
    /// Counters that the next attempt reports.
    counters: BTreeMap<&'static str, u64>,
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

impl PeerProcess {
    /// A process that is about to be started.
    pub(super) fn new(version: String, protocol: &'static dyn PeerProtocol, rules: PeerRules) -> Self {
        Self {
            version,
            rules,
            rpc: Peer::new(ProcessCodec(protocol), LIMITS),
            spawn_record: OnceLock::new(),
            requested_at: Instant::now(),
            phase: watch::Sender::new(PeerPhase::Handshaking),
            stop_request: watch::Sender::new(StopRequest::Continue),
            reports: Mutex::default(),
        }
    }

    fn reports(&self) -> MutexGuard<'_, Reports> {
        // No code panics while it changes the reports.
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The protocol of its dialect.
    pub(super) fn protocol(&self) -> &'static dyn PeerProtocol {
        self.rpc.codec().0
    }

    /// Returns the stored warnings, once.
    pub(super) fn pending_warnings(&self) -> Vec<Message> {
        let program = self.program();
        self.reports().take_warnings(&program)
    }

    /// Stores warnings for the next attempt.
    pub(super) fn add_warning(&self, warnings: impl IntoIterator<Item = Message>) {
        self.reports().pending_warnings.extend(warnings);
    }

    /// Returns the stderr from before the first request, once.
    pub(super) fn startup_stderr(&self) -> Captured {
        std::mem::take(&mut self.reports().startup_stderr)
    }

    /// Counts a dropped notification. Returns how many were dropped so far.
    pub(super) fn count_dropped_notification(&self) -> u64 {
        let mut reports = self.reports();
        reports.dropped_notifications += 1;
        reports.count("dropped_notifications", 1);
        reports.dropped_notifications
    }

    /// Adds to a counter for the metrics (`picoclaw.md` §10).
    pub(super) fn count(&self, word: &'static str, more: u64) {
        self.reports().count(word, more);
    }

    /// Returns the counters since the last attempt that reported them.
    pub(super) fn take_counters(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.reports().counters)
    }

    /// Number of all received lines.
    pub(super) fn received_lines(&self) -> u64 {
        self.reports().received_lines
    }

    /// Receives a piece of stderr. It belongs to all pending attempts. During the handshake, if none is pending, it
    /// belongs to the first attempt.
    pub(super) fn receive_stderr(&self, piece: &[u8]) {
        if self.rpc.for_each_call(|stderr| stderr.push(piece)) > 0 {
            return;
        }
        if matches!(*self.phase.borrow(), PeerPhase::Handshaking) {
            append(&mut self.reports().startup_stderr, piece);
        } else {
            // Only the size is logged. The text may contain a secret, and a log contains none (`engine.md` §10).
            tracing::info!(program = %self.program(), bytes = piece.len(), "stderr outside any attempt");
        }
    }

    /// Receives a line of stdout.
    pub(super) fn receive_line(&self, line: &[u8]) -> LineEffect {
        let handshaking = matches!(*self.phase.borrow(), PeerPhase::Handshaking);
        let effect = self.reports().count_line(line, handshaking);
        if line.iter().all(u8::is_ascii_whitespace) {
            return effect;
        }
        if self.rules.long_line.is_some_and(|limit| line.len() > limit) {
            let message = render!(LONG_LINE, "program" => self.program(), "bytes" => line.len());
            self.add_warning([message]);
        }
        match self.rpc.codec().read(line) {
            Incoming::Answer { id, answer } => self.deliver(id, answer),
            Incoming::Other(PeerLine::Hello) if handshaking => return self.finish_handshake(line),
            Incoming::Other(PeerLine::Invalid(message)) => self.receive_invalid(message, line.len(), handshaking),
            Incoming::Other(PeerLine::Hello | PeerLine::Dropped | PeerLine::Answer(_) | PeerLine::Refusal(_))
            | Incoming::Request(_)
            | Incoming::Cancel(_) => self.count("dropped_lines", 1),
        }
        effect
    }

    fn deliver(&self, id: u64, answer: ProcessAnswer) {
        let delivered = self.rpc.deliver(id, || ProcessAnswer {
            warnings: self.pending_warnings(),
            ..answer
        });
        if !delivered {
            self.count("dropped_lines", 1);
            let dropped = self.rpc.dropped_answers();
            tracing::debug!(program = %self.program(), id, ?dropped, "a response without a request");
        }
    }

    fn receive_invalid(&self, message: Message, bytes: usize, handshaking: bool) {
        let program = self.program();
        // The message quotes the line. It is written to a trace, which is redacted, and never to a log
        // (`engine.md` §10).
        tracing::debug!(%program, bytes, "a line that is not a response");
        let is_reported = handshaking || self.rpc.for_each_call(|_| {}) > 0;
        let mut reports = self.reports();
        reports.count("dropped_lines", 1);
        match &mut reports.invalid_lines {
            Some((_, more)) => *more += 1,
            None if is_reported => reports.invalid_lines = Some((message, 0)),
            None => reports.log_first_invalid_line(&program),
        }
    }

    fn finish_handshake(&self, line: &[u8]) -> LineEffect {
        match self.protocol().parse_handshake(&String::from_utf8_lossy(line)) {
            Ok(handshake) => {
                let took = self.requested_at.elapsed().as_micros();
                let mut reports = self.reports();
                reports.pending_warnings.extend(handshake.warnings);
                reports.count("handshakes", 1);
                reports.count("handshake_us", u64::try_from(took).unwrap_or(u64::MAX));
                drop(reports);
                self.phase.send_replace(PeerPhase::Ready(line.into()));
                LineEffect::Done
            }
            Err(message) => LineEffect::BadHandshake(message),
        }
    }

    /// What a process wrote instead of its handshake, with the end of its stderr. `unfinished` is a line without its end.
    pub(super) fn output_instead_of_handshake(&self, unfinished: &[u8]) -> Message {
        let reports = self.reports();
        let mut output = reports.handshake_output.clone();
        let room = MAX_KEPT_OUTPUT.saturating_sub(output.len());
        output.extend(unfinished.iter().take(room));
        drop(reports);
        let output = String::from_utf8_lossy(&output);
        let line = output.lines().find(|line| !line.trim().is_empty());
        let why = match line {
            None => OUTPUT_NOTHING.render_plain(),
            Some(line) => self.protocol().explain_output(&output).unwrap_or_else(|| {
                let line: String = line.trim().chars().take(MAX_SHOWN_LINE).collect();
                render!(OUTPUT_OTHER, "line" => line)
            }),
        };
        self.with_stderr(why)
    }

    /// Adds the end of what the process wrote to stderr until now.
    pub(super) fn with_stderr(&self, why: Message) -> Message {
        let stderr = String::from_utf8_lossy(&self.reports().startup_stderr.bytes).into_owned();
        let stderr = last_lines(stderr.trim());
        if stderr.is_empty() {
            return why;
        }
        render!(OUTPUT_AND_STDERR, "why" => why.text, "why_message" => why.to_args(), "stderr" => stderr)
    }

    /// Ends all pending calls with this exit. No new call can begin.
    pub(super) fn fail_pending(&self, mut exit: PeerExit) {
        let program = self.program();
        let mut reports = self.reports();
        let last = std::mem::replace(&mut exit.stderr, std::mem::take(&mut reports.startup_stderr));
        append(&mut exit.stderr, &last.bytes);
        exit.warnings = reports.take_warnings(&program);
        drop(reports);
        // An attempt whose call ends finds the exit.
        self.phase.send_replace(PeerPhase::Exited(Arc::new(exit)));
        self.rpc.close(Ended::There);
    }
}

/// The last lines of a text, whole ones where they fit.
fn last_lines(text: &str) -> &str {
    let Some((cut, _)) = text.char_indices().rev().nth(MAX_SHOWN_STDERR) else {
        return text;
    };
    let rest = &text[cut..];
    rest.split_once('\n').map_or(rest, |(_, lines)| lines)
}

impl Reports {
    fn count(&mut self, word: &'static str, more: u64) {
        *self.counters.entry(word).or_default() += more;
    }

    /// Counts a received line.
    fn count_line(&mut self, line: &[u8], handshaking: bool) -> LineEffect {
        self.received_lines += 1;
        if !handshaking {
            return LineEffect::Done;
        }
        self.handshake_bytes = self.handshake_bytes.saturating_add(line.len() + 1);
        let room = MAX_KEPT_OUTPUT.saturating_sub(self.handshake_output.len());
        self.handshake_output.extend(line.iter().chain(b"\n").take(room));
        if self.handshake_bytes > MAX_HANDSHAKE_BYTES || self.received_lines > MAX_HANDSHAKE_LINES {
            LineEffect::TooMuchOutput
        } else {
            LineEffect::Done
        }
    }

    /// Counts an invalid line that no attempt reports. Only the first one is logged, however many there are.
    fn log_first_invalid_line(&mut self, program: &str) {
        self.unreported_invalid_lines += 1;
        if self.unreported_invalid_lines == 1 {
            tracing::warn!(%program, "it writes lines that are not responses while no request is pending");
        }
    }

    fn take_warnings(&mut self, program: &str) -> Vec<Message> {
        let mut warnings = std::mem::take(&mut self.pending_warnings);
        if let Some((first, more)) = self.invalid_lines.take() {
            warnings.push(first);
            if more > 0 {
                warnings.push(render!(MORE_INVALID_LINES, "program" => program, "count" => more));
            }
        }
        warnings
    }
}
