//! Peers: long-lived hook processes that are asked over their streams (`engine.md` §7, "Peers").
//!
//! There is one process per session and key. Each has its own task, the [`supervisor`]. It starts the process, makes
//! the handshake, writes the messages, and gives each line to the attempt that it answers. An attempt waits for the
//! handshake within the handshake's time limit, and for its response within its own. A process that has exited is
//! started again by the next attempt, after a pause where the rules require one.

mod back_off;
mod lines;
mod queue;
mod state;
mod supervisor;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{Captured, End, Message, PeerCall, PeerMessage, Run, RunContext, args};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::environment::Environment;
use crate::guardian::Guardian;
use crate::messages::{PEER_BACKING_OFF, QUEUE_FULL};
use crate::process::ExitInfo;
use state::{CallResult, Peer, PeerExit, PeerPhase, StopRequest};
use supervisor::SpawnRequest;

/// All peers of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    entries: Mutex<BTreeMap<PeerKey, PeerEntry>>,
    /// The supervisors of peers that are being closed.
    shutting_down: Mutex<Vec<JoinHandle<()>>>,
}

/// The session and [`PeerCall::key`].
type PeerKey = (String, String);

/// One peer of a session.
#[derive(Debug)]
struct PeerEntry {
    peer: Arc<Peer>,
    supervisor: JoinHandle<()>,
    /// The pause before the present process was started.
    pause: Option<Duration>,
}

/// What an attempt finds for its key.
enum Lookup {
    /// A process, which may still be starting.
    Peer(Arc<Peer>),
    /// The process ended, and is not started again before this pause is over.
    BackingOff(Arc<Peer>, Duration),
}

/// What a start needs in addition to the call.
pub(crate) struct SpawnContext {
    pub(crate) environment: Arc<Environment>,
    pub(crate) guardian: Arc<Guardian>,
}

impl Peers {
    /// Runs one attempt to its end.
    pub(crate) async fn run(&self, call: PeerCall, order: RunContext, spawn_context: SpawnContext) -> Run {
        let start = Instant::now();
        if order.cancelled.clone().now_or_never().is_some() {
            return PeerRunBuilder::new(start, None).finish(End::Cancelled);
        }
        let message = call.message.clone();
        let greeting = call.protocol.handshake_line(&call);
        let (peer, backoff) = match self.find(call, &order, spawn_context) {
            Lookup::Peer(peer) => (peer, None),
            Lookup::BackingOff(peer, pause) => (peer, Some(pause)),
        };
        let phase = tokio::select! {
            biased;
            phase = peer.wait_handshake() => phase,
            () = order.cancelled.clone() => return PeerRunBuilder::new(start, Some(&peer)).finish(End::Cancelled),
        };
        let builder = PeerRunBuilder::new(start, Some(&peer));
        let hello = match phase {
            PeerPhase::Ready(hello) => hello,
            PeerPhase::Exited(exit) => match (&message, &exit.handshake) {
                // The process completed the handshake and exited at once. For an attempt that asked for nothing
                // else, the handshake is the output.
                (PeerMessage::Hello, Some(hello)) if backoff.is_none() => {
                    return builder
                        .sent(greeting)
                        .received(hello.to_vec(), exit.stderr.clone(), peer.pending_warnings())
                        .finish(End::Replied);
                }
                (PeerMessage::Hello | PeerMessage::Request(_) | PeerMessage::Notify(_), _) => {
                    return builder.peer_exited(&peer, &exit, greeting, backoff);
                }
            },
            PeerPhase::Handshaking => return builder.finish(End::PeerGone),
        };
        match message {
            PeerMessage::Hello => {
                let stderr = peer.startup_stderr();
                builder
                    .sent(greeting)
                    .received(hello.to_vec(), stderr, peer.pending_warnings())
                    .finish(End::Replied)
            }
            PeerMessage::Request(message) => send_request(&peer, &message, order, builder).await,
            PeerMessage::Notify(lines) => send_notification(&peer, lines, order, builder).await,
        }
    }

    /// Starts the process if it does not run yet. Does not wait for it.
    pub(crate) fn prestart(&self, call: PeerCall, order: &RunContext, spawn_context: SpawnContext) {
        drop(self.find(call, order, spawn_context));
    }

    /// Closes all processes of a session at the same time. Does not wait.
    pub(crate) fn close_session(&self, session: &str) {
        self.close(|key| key.0 == session);
    }

    /// Closes every process, and waits until all have exited.
    pub(crate) async fn close_all(&self) {
        self.close(|_| true);
        let shutting_down = std::mem::take(&mut *self.shutting_down());
        futures::future::join_all(shutting_down).await;
    }

    fn close(&self, which: impl Fn(&PeerKey) -> bool) {
        let mut entries = self.entries();
        let keys: Vec<PeerKey> = entries.keys().filter(|key| which(key)).cloned().collect();
        for entry in keys.iter().filter_map(|key| entries.remove(key)) {
            self.stop_peer(entry, StopRequest::Close);
        }
    }

    fn stop_peer(&self, entry: PeerEntry, request: StopRequest) {
        entry.peer.request_stop(request);
        let mut shutting_down = self.shutting_down();
        shutting_down.retain(|supervisor| !supervisor.is_finished());
        shutting_down.push(entry.supervisor);
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<PeerKey, PeerEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shutting_down(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.shutting_down.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process for this key. It is started if there is none, or only one of another version.
    fn find(&self, call: PeerCall, order: &RunContext, spawn_context: SpawnContext) -> Lookup {
        let key = (order.session.clone(), call.key.clone());
        let mut entries = self.entries();
        let pause = match entries.get(&key) {
            Some(entry) if entry.peer.version == call.version => match entry.peer.phase() {
                PeerPhase::Handshaking | PeerPhase::Ready(_) => return Lookup::Peer(entry.peer.clone()),
                PeerPhase::Exited(exit) => match entry.remaining_backoff(&exit, &call) {
                    Some((pause, left)) if !left.is_zero() => return Lookup::BackingOff(entry.peer.clone(), pause),
                    Some((pause, _)) => Some(pause),
                    None => entry.pause,
                },
            },
            Some(_) | None => None,
        };
        let is_restart = entries.get(&key).is_some();
        let entry = start_peer(call, order, spawn_context, pause);
        let peer = entry.peer.clone();
        peer.count("starts", 1);
        if is_restart {
            peer.count("restarts", 1);
        }
        if let Some(old) = entries.insert(key, entry) {
            self.stop_peer(old, StopRequest::Replace);
        }
        Lookup::Peer(peer)
    }
}

impl PeerEntry {
    /// The pause after this exit, and what is left of it. `None` for a process that could not be started, or
    /// without a back-off rule.
    fn remaining_backoff(&self, exit: &PeerExit, call: &PeerCall) -> Option<(Duration, Duration)> {
        if !call.rules.back_off || exit.end == End::NotStarted {
            return None;
        }
        let pause = back_off::pause(self.pause, exit.uptime);
        Some((pause, pause.saturating_sub(exit.exited_at.elapsed())))
    }
}

fn start_peer(call: PeerCall, order: &RunContext, spawn_context: SpawnContext, pause: Option<Duration>) -> PeerEntry {
    let peer = Arc::new(Peer::new(call.version.clone(), call.protocol, call.rules));
    let request = SpawnRequest {
        call,
        order: order.clone(),
        environment: spawn_context.environment,
        guardian: spawn_context.guardian,
    };
    let supervisor = tokio::spawn(supervisor::supervise(peer.clone(), request));
    PeerEntry {
        peer,
        supervisor,
        pause,
    }
}

/// Sends a request and waits for its response. The time limit counts from this call.
async fn send_request(peer: &Arc<Peer>, message: &Value, order: RunContext, builder: PeerRunBuilder<'_>) -> Run {
    let Some((id, answer)) = peer.register() else {
        return builder.peer_lost(peer).await;
    };
    let pending_request = PendingRequest { peer, id };
    let line = peer.wire.request(id, message);
    let builder = builder.sent(Some(line.clone()));
    peer.send_line(line, Some(id), None);
    let end = tokio::select! {
        biased;
        answer = answer => match answer {
            Ok(CallResult { end, status, line, stderr, notes }) => {
                return builder.received(line, stderr, notes).with_exit(status).finish(end);
            }
            // The supervisor ended without a result: the runtime is shutting down.
            Err(_) => End::Cancelled,
        },
        () = tokio::time::sleep(order.limit) => End::TimedOut,
        () = order.cancelled => End::Cancelled,
    };
    let stderr = peer.forget_call(id);
    cancel_request(&pending_request);
    builder
        .received(Vec::new(), stderr, peer.pending_warnings())
        .finish(end)
}

/// A request that was sent. When its attempt is dropped, the request is forgotten.
struct PendingRequest<'a> {
    peer: &'a Arc<Peer>,
    id: u64,
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.peer.outgoing.remove(self.id);
        self.peer.forget_call(self.id);
    }
}

/// Sends a cancel message if the protocol has one. Kills a process that writes no line within
/// [`PeerRules::after_cancel`](hookwright_model::PeerRules::after_cancel).
fn cancel_request(pending_request: &PendingRequest<'_>) {
    let peer = pending_request.peer.clone();
    // A request that was never written needs no cancel message.
    let asked = !peer.outgoing.remove(pending_request.id);
    if let Some(line) = peer.wire.cancel(pending_request.id).filter(|_| asked) {
        peer.send_line(line, None, None);
    }
    if let Some(timeout) = peer.rules.after_cancel {
        let received = peer.received_lines();
        tokio::spawn(async move {
            tokio::time::sleep(timeout).await;
            if peer.received_lines() == received {
                peer.request_stop(StopRequest::Kill);
            }
        });
    }
}

/// Sends a notification. It is done when it is written.
async fn send_notification(peer: &Peer, lines: Vec<String>, order: RunContext, builder: PeerRunBuilder<'_>) -> Run {
    let text = lines.join("\n");
    let builder = builder.sent(Some(text.clone()));
    let waiting = peer.unwritten_notifications.fetch_add(1, Ordering::Relaxed);
    if waiting >= peer.rules.queue {
        peer.unwritten_notifications.fetch_sub(1, Ordering::Relaxed);
        let count = peer.count_dropped_notification();
        let message = QUEUE_FULL.render(args! { "program" => peer.program(), "waiting" => waiting, "count" => count });
        return builder
            .received(Vec::new(), Captured::default(), vec![message])
            .finish(End::Refused);
    }
    let (written, delivered) = oneshot::channel();
    peer.send_line(text, None, Some(written));
    let end = tokio::select! {
        biased;
        delivered = delivered => match delivered {
            Ok(()) => End::Done,
            Err(_) => return builder.peer_lost(peer).await,
        },
        () = tokio::time::sleep(order.limit) => End::TimedOut,
        () = order.cancelled => End::Cancelled,
    };
    builder
        .received(Vec::new(), peer.startup_stderr(), peer.pending_warnings())
        .finish(end)
}

/// Builds the [`Run`] of an attempt.
struct PeerRunBuilder<'p> {
    start: Instant,
    peer: Option<&'p Peer>,
    run: Run,
}

impl<'p> PeerRunBuilder<'p> {
    fn new(start: Instant, peer: Option<&'p Peer>) -> Self {
        let record = peer
            .and_then(|peer| peer.spawn_record.get())
            .cloned()
            .unwrap_or_default();
        let run = Run {
            command: record.command,
            cwd: record.cwd,
            env: record.env,
            ..crate::empty_run()
        };
        Self { start, peer, run }
    }

    fn sent(mut self, line: Option<String>) -> Self {
        self.run.stdin = Captured::new(line.unwrap_or_default());
        self
    }

    fn received(mut self, line: Vec<u8>, stderr: Captured, notes: Vec<Message>) -> Self {
        self.run.stdout = Captured::new(line);
        self.run.stderr = stderr;
        self.run.warnings.extend(notes);
        self
    }

    fn with_exit(mut self, status: ExitInfo) -> Self {
        self.run.code = status.code;
        self.run.signal = status.signal;
        self
    }

    /// The process exited before its handshake, or before this attempt.
    fn peer_exited(self, peer: &Peer, exit: &PeerExit, greeting: Option<String>, backoff: Option<Duration>) -> Run {
        let mut notes = peer.pending_warnings();
        let mut builder = self;
        builder.run.no_handshake = exit.no_handshake();
        if let Some(pause) = backoff {
            // A handshake that never happened is still reported to the user. The output and the exit status belong
            // to the earlier attempt (`engine.md` §7).
            notes.extend(match &exit.handshake {
                Some(_) => {
                    Some(PEER_BACKING_OFF.render(args! { "program" => peer.program(), "pause" => pause.as_millis() }))
                }
                None => exit.why.clone(),
            });
            return builder
                .received(Vec::new(), Captured::default(), notes)
                .finish(exit.end);
        }
        notes.extend(exit.why.clone());
        let greeting = greeting.filter(|_| exit.end != End::NotStarted && exit.handshake.is_none());
        builder
            .sent(greeting)
            .received(Vec::new(), exit.stderr.clone(), notes)
            .with_exit(exit.status)
            .finish(exit.end)
    }

    /// The process exited before it received the message.
    async fn peer_lost(self, peer: &Peer) -> Run {
        match peer.wait_exited().await {
            Some(exit) => self
                .with_exit(exit.status)
                .received(Vec::new(), Captured::default(), exit.why.iter().cloned().collect())
                .finish(exit.end),
            None => self.finish(End::PeerGone),
        }
    }

    fn finish(mut self, end: End) -> Run {
        self.run.counters = self.peer.map(Peer::take_counters).unwrap_or_default();
        self.run.end = end;
        self.run.took = self.start.elapsed();
        self.run
    }
}
