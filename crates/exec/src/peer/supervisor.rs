//! The task of one peer: it starts the process, writes, reads, and closes it.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{Captured, End, Message, PeerCall, RunContext, args, render};
use hookwright_rpc::{LineRead, Lines};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::task::coop::consume_budget;

use super::codec::LIMITS;
use super::state::{LineEffect, PeerExit, PeerPhase, PeerProcess, SpawnRecord, StopRequest};
use crate::child_guard::ChildGuard;
use crate::environment::{Environment, invalid_var_warning};
use crate::guardian::Guardian;
use crate::messages::{
    HANDSHAKE_CLOSED, HANDSHAKE_EXITED, HANDSHAKE_REFUSED, HANDSHAKE_SIGNAL, HANDSHAKE_SILENT,
    HANDSHAKE_TOO_MUCH_OUTPUT, PEER_CLOSED, PEER_EXITED, PEER_LONG_LINE, PEER_REPLACED, PEER_SIGNAL, PEER_STUCK,
};
use crate::process::{ExitInfo, added_var_names, build_command, choose_cwd, spawn};
use crate::shell;

/// After its stdin was closed, the process has this long to exit by itself (`engine.md` §7).
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// After the process has ended, its streams are read for this long.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// What a start needs in addition to the call.
pub(super) struct SpawnRequest {
    pub(super) call: PeerCall,
    pub(super) order: RunContext,
    pub(super) environment: Arc<Environment>,
    pub(super) guardian: Arc<Guardian>,
}

/// A running process with its streams.
struct RunningPeer {
    peer: Arc<PeerProcess>,
    started_at: Instant,
    child_guard: ChildGuard,
    stdout: Lines<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// When this is dropped, stdin is closed.
    writer: Option<BoxFuture<'static, ()>>,
}

/// Why the supervision ended.
enum ExitCause {
    Exited(std::io::Result<ExitStatus>),
    /// The process closed its output, or does not read its input.
    Closed,
    TooLong,
    HandshakeTimeout,
    BadHandshake(Message),
    TooMuchOutput,
    StopRequested(StopRequest),
}

/// Starts the process and supervises it to its end.
pub(super) async fn supervise(peer: Arc<PeerProcess>, request: SpawnRequest) {
    let started_at = Instant::now();
    let handshake_line = peer.protocol().handshake_line(&request.call);
    let Some((child, run, guardian)) = spawn_peer(&peer, request, started_at).await else {
        return;
    };
    let mut running = RunningPeer::new(peer, child, run, guardian, started_at);
    if let Some(line) = handshake_line {
        // It has the first id.
        running.peer.rpc.skip_id();
        running.peer.rpc.send(line.into_bytes()).await;
    }
    let cause = running.serve().await;
    running.end(cause).await;
}

type SpawnedChild = (Child, Arc<str>, Arc<Guardian>);

async fn spawn_peer(peer: &PeerProcess, request: SpawnRequest, started_at: Instant) -> Option<SpawnedChild> {
    let SpawnRequest {
        call,
        order,
        environment,
        guardian,
    } = request;
    let (cwd, note) = choose_cwd(call.cwd, &call.fallback_cwd);
    peer.add_warning(note);
    peer.add_warning(call.env.iter().filter_map(invalid_var_warning));
    let mut record = SpawnRecord {
        command: Vec::new(),
        cwd: Some(cwd.clone()),
        env: added_var_names(&call.env),
    };
    let path = environment.program_path(&call.env, &call.code_path_vars);
    let argv = match shell::resolve(call.program, &path, &cwd) {
        Ok(argv) => argv,
        Err((words, error)) => {
            record.command = words;
            report_not_started(peer, record, Path::new(""), &error, started_at);
            return None;
        }
    };
    record.command = argv.command_line();
    let run: Arc<str> = order.run.as_str().into();
    let mut command = build_command(&argv, &cwd, &environment, &call.env, &order);
    environment.restrict_code_paths(&mut command, &call.code_path_vars);
    peer.add_warning(guardian.register(&run));
    match spawn(&mut command).await {
        Ok(child) => {
            // Nothing else sets it, so this cannot fail.
            drop(peer.spawn_record.set(record));
            Some((child, run, guardian))
        }
        Err(error) => {
            guardian.unregister(&run);
            report_not_started(peer, record, &argv.program, &error, started_at);
            None
        }
    }
}

/// Ends a peer that could not be started: stderr contains the system's error.
fn report_not_started(
    peer: &PeerProcess,
    record: SpawnRecord,
    program: &Path,
    error: &std::io::Error,
    started_at: Instant,
) {
    peer.add_warning(shell::explain(program, error));
    let named = record.command.first().map_or("", String::as_str);
    let stderr = Captured::new(format!("{named}: {error}"));
    drop(peer.spawn_record.set(record));
    peer.fail_pending(PeerExit {
        end: End::NotStarted,
        status: ExitInfo::default(),
        why: None,
        warnings: Vec::new(),
        handshake_timed_out: false,
        stderr,
        handshake: None,
        exited_at: Instant::now(),
        uptime: started_at.elapsed(),
    });
}

impl RunningPeer {
    fn new(
        peer: Arc<PeerProcess>,
        mut child: Child,
        run: Arc<str>,
        guardian: Arc<Guardian>,
        started_at: Instant,
    ) -> Self {
        let stdout = Lines::new(child.stdout.take(), LIMITS.line_bytes);
        let stderr = child.stderr.take();
        let (rpc, stdin) = (peer.rpc.clone(), child.stdin.take());
        let writer = stdin.map(|stdin| async move { rpc.write_to(stdin).await }.boxed());
        Self {
            child_guard: ChildGuard::new(child, run, guardian),
            peer,
            started_at,
            stdout,
            stderr,
            writer,
        }
    }

    /// Serves the process until something ends it.
    async fn serve(&mut self) -> ExitCause {
        let patience = tokio::time::sleep(self.peer.rules.handshake_timeout);
        tokio::pin!(patience);
        let peer = self.peer.clone();
        let wished = peer.stop_requested();
        tokio::pin!(wished);
        loop {
            let greeting = matches!(self.peer.phase(), PeerPhase::Handshaking);
            tokio::select! {
                wish = &mut wished => return ExitCause::StopRequested(wish),
                () = &mut patience, if greeting => return ExitCause::HandshakeTimeout,
                status = self.child_guard.wait() => return ExitCause::Exited(status),
                () = wait_input_closed(&mut self.writer) => return ExitCause::Closed,
                () = read_stderr(&self.peer, &mut self.stderr) => {}
                next = self.stdout.next() => match next {
                    LineRead::Line(line) => {
                        drain_ready_stderr(&self.peer, &mut self.stderr);
                        match self.peer.receive_line(line) {
                            LineEffect::Done => {}
                            LineEffect::BadHandshake(message) => return ExitCause::BadHandshake(message),
                            LineEffect::TooMuchOutput => return ExitCause::TooMuchOutput,
                        }
                        // Lines that are already buffered do not wait. This gives other tasks their turn.
                        consume_budget().await;
                    }
                    LineRead::End => return ExitCause::Closed,
                    LineRead::TooLong | LineRead::OverBudget => return ExitCause::TooLong,
                },
            }
        }
    }

    async fn end(mut self, cause: ExitCause) {
        match cause {
            ExitCause::StopRequested(StopRequest::Close | StopRequest::Continue) => {
                self.fail_pending(End::Cancelled, ExitInfo::default(), None);
                self.shutdown().await;
            }
            ExitCause::StopRequested(StopRequest::Replace) => {
                let message = render!(PEER_REPLACED, "program" => self.peer.program());
                self.fail_pending(End::PeerGone, ExitInfo::default(), Some(message));
                self.shutdown().await;
            }
            ExitCause::StopRequested(StopRequest::Kill) => {
                let program = self.peer.program();
                self.fail_pending(
                    End::PeerGone,
                    ExitInfo::default(),
                    Some(render!(PEER_STUCK, "program" => program)),
                );
                self.child_guard.kill().await;
            }
            ExitCause::TooLong => {
                let message =
                    render!(PEER_LONG_LINE, "program" => self.peer.program(), "mebibytes" => LIMITS.line_bytes >> 20);
                self.fail_pending(End::PeerGone, ExitInfo::default(), Some(message));
                self.child_guard.kill().await;
            }
            ExitCause::HandshakeTimeout => {
                let seconds = self.peer.rules.handshake_timeout.as_secs();
                let why = self.peer.output_instead_of_handshake(self.stdout.unfinished());
                let message = render!(
                    HANDSHAKE_SILENT,
                    "program" => self.peer.program(), "seconds" => seconds,
                    "why" => why.text, "why_message" => why.to_args()
                );
                self.fail_pending_with(End::PeerGone, ExitInfo::default(), Some(message), true);
                self.shutdown().await;
            }
            ExitCause::TooMuchOutput => {
                let message = render!(HANDSHAKE_TOO_MUCH_OUTPUT, "program" => self.peer.program());
                self.fail_pending(End::PeerGone, ExitInfo::default(), Some(message));
                self.shutdown().await;
            }
            ExitCause::BadHandshake(why) => {
                let why = self.peer.with_stderr(why);
                let message = render!(
                    HANDSHAKE_REFUSED,
                    "program" => self.peer.program(), "why" => why.text, "why_message" => why.to_args()
                );
                self.fail_pending(End::PeerGone, ExitInfo::default(), Some(message));
                self.shutdown().await;
            }
            ExitCause::Exited(status) => {
                self.drain_after_exit().await;
                self.report_exit(status.ok());
            }
            ExitCause::Closed => {
                let status = tokio::join!(tokio::time::timeout(DRAIN_TIMEOUT, self.child_guard.wait()), async {
                    tokio::time::timeout(
                        DRAIN_TIMEOUT,
                        drain_streams(&self.peer, &mut self.stdout, &mut self.stderr),
                    )
                    .await
                });
                self.report_exit(status.0.ok().and_then(Result::ok));
                self.child_guard.kill().await;
            }
        }
    }

    /// Reads what the process wrote before it ended.
    async fn drain_after_exit(&mut self) {
        let rest = drain_streams(&self.peer, &mut self.stdout, &mut self.stderr);
        // A stream that stays open longer belongs to a background process.
        drop(tokio::time::timeout(DRAIN_TIMEOUT, rest).await);
    }

    fn report_exit(&self, status: Option<ExitStatus>) {
        let was_ready = matches!(self.peer.phase(), PeerPhase::Ready(_));
        let exit = status.map(ExitInfo::from);
        let signal = exit.and_then(|exit| exit.signal);
        let code = exit.map(|exit| exit.code);
        let mut args = args! { "program" => self.peer.program() };
        let template = match (signal, code, was_ready) {
            (Some(_), _, true) => PEER_SIGNAL,
            (Some(_), _, false) => HANDSHAKE_SIGNAL,
            (None, Some(_), true) => PEER_EXITED,
            (None, Some(_), false) => HANDSHAKE_EXITED,
            (None, None, true) => PEER_CLOSED,
            (None, None, false) => HANDSHAKE_CLOSED,
        };
        match (signal, code) {
            (Some(signal), _) => args.insert("signal".to_owned(), signal.into()),
            (None, Some(code)) => args.insert("code".to_owned(), code.into()),
            (None, None) => None,
        };
        if !was_ready {
            let why = self.peer.output_instead_of_handshake(self.stdout.unfinished());
            args.insert("why".to_owned(), why.text.as_str().into());
            args.insert("why_message".to_owned(), why.to_args());
        }
        let message = template.render(args);
        self.fail_pending(End::PeerGone, exit.unwrap_or_default(), Some(message));
    }

    fn fail_pending(&self, end: End, status: ExitInfo, why: Option<Message>) {
        self.fail_pending_with(end, status, why, false);
    }

    fn fail_pending_with(&self, end: End, status: ExitInfo, why: Option<Message>, handshake_timed_out: bool) {
        self.peer.fail_pending(PeerExit {
            end,
            status,
            why,
            warnings: Vec::new(),
            handshake_timed_out,
            stderr: Captured::default(),
            handshake: match self.peer.phase() {
                PeerPhase::Ready(hello) => Some(hello),
                PeerPhase::Handshaking | PeerPhase::Exited(_) => None,
            },
            exited_at: Instant::now(),
            uptime: self.started_at.elapsed(),
        });
    }

    /// Closes stdin, drains the streams during a grace period, and kills what is left of the group with SIGKILL.
    async fn shutdown(&mut self) {
        self.writer = None;
        let (child_guard, stdout, stderr, peer) =
            (&mut self.child_guard, &mut self.stdout, &mut self.stderr, &self.peer);
        tokio::select! {
            () = child_guard.shutdown(SHUTDOWN_TIMEOUT) => {}
            never = async { drain_streams(peer, stdout, stderr).await; std::future::pending().await } => never,
        }
    }
}

/// Reads both streams to their ends.
async fn drain_streams(peer: &PeerProcess, stdout: &mut Lines<ChildStdout>, stderr: &mut Option<ChildStderr>) {
    let lines = async {
        while let LineRead::Line(line) = stdout.next().await {
            // A handshake that comes now is too late.
            let _ = peer.receive_line(line);
            consume_budget().await;
        }
    };
    let drain_stderr = async {
        while stderr.is_some() {
            read_stderr(peer, stderr).await;
        }
    };
    tokio::join!(drain_stderr, lines);
}

/// Reads the next piece of stderr. A closed stream never resolves.
async fn read_stderr(peer: &PeerProcess, stderr: &mut Option<ChildStderr>) {
    let Some(pipe) = stderr else {
        return std::future::pending().await;
    };
    let mut piece = [0; 4096];
    match pipe.read(&mut piece).await {
        Ok(read @ 1..) => peer.receive_stderr(&piece[..read]),
        Ok(0) | Err(_) => *stderr = None,
    }
}

/// Reads what the process wrote to stderr before the line that was just read. It is already in the pipe.
#[cfg(unix)]
fn drain_ready_stderr(peer: &PeerProcess, stderr: &mut Option<ChildStderr>) {
    let Some(pipe) = stderr else { return };
    let mut piece = [0; 4096];
    // At most the content of one pipe. If the process writes faster than this reads, the rest was written after the
    // line.
    for _ in 0..16 {
        // The read does not block: the runtime set the pipe to non-blocking.
        let Ok(read @ 1..) = rustix::io::read(&*pipe, &mut piece) else {
            return;
        };
        peer.receive_stderr(&piece[..read]);
        if read < piece.len() {
            return;
        }
    }
}

#[cfg(not(unix))]
fn drain_ready_stderr(_peer: &PeerProcess, _stderr: &mut Option<ChildStderr>) {}

/// Resolves when the process does not read its input any more.
async fn wait_input_closed(writer: &mut Option<BoxFuture<'static, ()>>) {
    match writer {
        Some(writing) => writing.await,
        None => std::future::pending().await,
    }
}
