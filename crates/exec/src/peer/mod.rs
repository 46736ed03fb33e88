//! Peers: long-lived hook processes that are asked over their streams (`engine.md` §7, "Peers").
//!
//! There is one process per session and key. Each has its own task, the [`supervisor`]. It starts the process, makes
//! the handshake, and reads and writes for [`hookwright_rpc`], which gives each answer to its attempt. An attempt waits for the
//! handshake within the handshake's time limit, and for its response within its own. A process that has exited is
//! started again by the next attempt, after a pause where the rules require one.

mod back_off;
mod codec;
mod state;
mod supervisor;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{Captured, End, Message, PeerCall, PeerMessage, Run, RunContext, render};
use hookwright_rpc::SendError;
use serde_json::value::RawValue;
use tokio::task::JoinHandle;

use crate::environment::Environment;
use crate::guardian::Guardian;
use crate::messages::{PEER_BACKING_OFF, QUEUE_FULL};
use crate::process::ExitInfo;
use codec::{AttemptStderr, ProcessAnswer};
use state::{PeerExit, PeerPhase, PeerProcess, StopRequest};
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
    peer: Arc<PeerProcess>,
    supervisor: JoinHandle<()>,
    /// The pause before the present process was started.
    pause: Option<Duration>,
}

/// What an attempt finds for its key.
enum Lookup {
    /// A process, which may still be starting.
    Peer(Arc<PeerProcess>),
    /// The process ended, and is not started again before this pause is over.
    BackingOff(Arc<PeerProcess>, Duration),
}

/// What a start needs in addition to the call.
pub(crate) struct SpawnContext {
    pub(crate) environment: Arc<Environment>,
    pub(crate) guardian: Arc<Guardian>,
}

impl Peers {
    /// Runs one attempt to its end.
    pub(crate) async fn run(&self, mut call: PeerCall, order: RunContext, spawn_context: SpawnContext) -> Run {
        let start = Instant::now();
        if order.cancelled.clone().now_or_never().is_some() {
            return PeerRunBuilder::new(start, None).finish(End::Cancelled);
        }
        // The process does not need the message to be started.
        let message = std::mem::replace(&mut call.message, PeerMessage::Hello);
        let greeting = call.protocol.handshake_line(&call).unwrap_or_default();
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
                (PeerMessage::Hello | PeerMessage::Request { .. } | PeerMessage::Notify { .. }, _) => {
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
            PeerMessage::Request { method, params } => send_request(&peer, &method, &params, order, builder).await,
            PeerMessage::Notify { methods, params } => {
                let lines = peer.protocol().notifications(&methods, &params);
                send_notification(&peer, lines, order, builder).await
            }
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
    let peer = Arc::new(PeerProcess::new(call.version.clone(), call.protocol, call.rules));
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

/// Resolves when an attempt ends before its response.
async fn wait_stopped(order: RunContext) -> End {
    tokio::select! {
        biased;
        () = tokio::time::sleep(order.limit) => End::TimedOut,
        () = order.cancelled => End::Cancelled,
    }
}

/// Sends a request and waits for its response. The time limit counts from this call.
async fn send_request(
    peer: &Arc<PeerProcess>,
    method: &str,
    params: &RawValue,
    order: RunContext,
    builder: PeerRunBuilder<'_>,
) -> Run {
    let stderr = AttemptStderr::new(peer.startup_stderr(), order.progress.clone());
    let stopped = wait_stopped(order);
    tokio::pin!(stopped);
    let begun = tokio::select! {
        biased;
        begun = peer.rpc.begin(stderr, method, params) => begun,
        end = &mut stopped => return builder.stopped(peer, Captured::default(), end),
    };
    let Ok(mut call) = begun else {
        return builder.peer_lost(peer).await;
    };
    let builder = builder.sent(call.take_line());
    let end = tokio::select! {
        biased;
        end = call.end() => return match end {
            Ok((stderr, Ok(ProcessAnswer { end, line, warnings }))) => {
                builder.received(line, stderr.into_captured(), warnings).finish(end)
            }
            Ok((stderr, Err(_))) => builder.pending_at_exit(peer, stderr.into_captured()).await,
            // The supervisor ended without a result: the runtime is shutting down.
            Err(_) => builder.finish(End::Cancelled),
        },
        end = &mut stopped => end,
    };
    let stderr = call.cancel().unwrap_or_default().into_captured();
    kill_if_silent(peer);
    builder.stopped(peer, stderr, end)
}

/// Kills a process that writes no line within [`PeerRules::after_cancel`](hookwright_model::PeerRules::after_cancel).
fn kill_if_silent(peer: &Arc<PeerProcess>) {
    let Some(timeout) = peer.rules.after_cancel else { return };
    let peer = peer.clone();
    let received = peer.received_lines();
    tokio::spawn(async move {
        tokio::time::sleep(timeout).await;
        if peer.received_lines() == received {
            peer.request_stop(StopRequest::Kill);
        }
    });
}

/// Sends notifications. They are done when they are written.
async fn send_notification(peer: &PeerProcess, lines: String, order: RunContext, builder: PeerRunBuilder<'_>) -> Run {
    let builder = builder.sent(lines.as_str());
    let written = match peer.rpc.try_send(lines.into_bytes(), peer.rules.queue) {
        Ok(written) => written,
        Err(SendError::Ended(_)) => return builder.peer_lost(peer).await,
        Err(SendError::Full { waiting }) => {
            let count = peer.count_dropped_notification();
            let message = render!(QUEUE_FULL, "program" => peer.program(), "waiting" => waiting, "count" => count);
            return builder
                .received(Vec::new(), Captured::default(), vec![message])
                .finish(End::Refused);
        }
    };
    let end = tokio::select! {
        biased;
        written = written => match written {
            Ok(()) => End::Done,
            Err(_) => return builder.peer_lost(peer).await,
        },
        end = wait_stopped(order) => end,
    };
    builder.stopped(peer, peer.startup_stderr(), end)
}

/// Builds the [`Run`] of an attempt.
struct PeerRunBuilder<'p> {
    start: Instant,
    peer: Option<&'p PeerProcess>,
    run: Run,
}

impl<'p> PeerRunBuilder<'p> {
    fn new(start: Instant, peer: Option<&'p PeerProcess>) -> Self {
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

    fn sent(mut self, lines: impl Into<Vec<u8>>) -> Self {
        self.run.stdin = Captured::new(lines);
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
    fn peer_exited(self, peer: &PeerProcess, exit: &PeerExit, greeting: String, backoff: Option<Duration>) -> Run {
        let mut notes = peer.pending_warnings();
        let mut builder = self;
        builder.run.no_handshake = exit.no_handshake();
        if let Some(pause) = backoff {
            // A handshake that never happened is still reported to the user. The output and the exit status belong
            // to the earlier attempt (`engine.md` §7).
            notes.extend(match &exit.handshake {
                Some(_) => Some(render!(PEER_BACKING_OFF, "program" => peer.program(), "pause" => pause.as_millis())),
                None => exit.why.clone(),
            });
            return builder
                .received(Vec::new(), Captured::default(), notes)
                .finish(exit.end);
        }
        notes.extend(exit.why.clone());
        let was_sent = exit.end != End::NotStarted && exit.handshake.is_none();
        builder
            .sent(if was_sent { greeting } else { String::new() })
            .received(Vec::new(), exit.stderr.clone(), notes)
            .with_exit(exit.status)
            .finish(exit.end)
    }

    /// The attempt ended without a response.
    fn stopped(self, peer: &PeerProcess, stderr: Captured, end: End) -> Run {
        let warnings = peer.pending_warnings();
        self.received(Vec::new(), stderr, warnings).finish(end)
    }

    /// The process exited while the request was pending.
    async fn pending_at_exit(self, peer: &PeerProcess, stderr: Captured) -> Run {
        match peer.wait_exited().await {
            Some(exit) => {
                let warnings = exit.warnings.iter().chain(&exit.why).cloned().collect();
                self.with_exit(exit.status)
                    .received(Vec::new(), stderr, warnings)
                    .finish(exit.end)
            }
            None => self.finish(End::PeerGone),
        }
    }

    /// The process exited before it received the message.
    async fn peer_lost(self, peer: &PeerProcess) -> Run {
        match peer.wait_exited().await {
            Some(exit) => self
                .with_exit(exit.status)
                .received(Vec::new(), Captured::default(), exit.why.iter().cloned().collect())
                .finish(exit.end),
            None => self.finish(End::PeerGone),
        }
    }

    fn finish(mut self, end: End) -> Run {
        self.run.counters = self.peer.map(PeerProcess::take_counters).unwrap_or_default();
        self.run.end = end;
        self.run.took = self.start.elapsed();
        self.run
    }
}
