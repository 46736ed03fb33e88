//! An engine that listens: it locks its data folder, serves every connection of the same user, and ends cleanly.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_app::{App, Fault, notices};
use hookwright_model::{Message, render};
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener, Stream};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::agent_limits::AgentLimits;
use crate::instance_lock::{InstanceLock, InstanceLockError};
use crate::messages::{CANNOT_LISTEN, ENGINE_LIVES, IN_THE_WAY, REPLACED, SOCKET_IN_USE, SOCKET_TOO_LONG, UNREACHABLE};
use crate::router::{HostMode, Router};
use crate::rpc_message::PingReply;
use crate::runtime_dir::RuntimeDir;
use crate::signals::Signals;
use crate::socket_file::SocketFile;
use crate::{agent_connection, agent_socket, connection, socket};

/// How often an engine checks whether another engine took over while this one hung, and whether its sockets are there.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The pause after an accept failed, for example because no file descriptor was free.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Why an engine cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// A running engine serves this data folder.
    #[error("an engine (process {}) already serves {}", .ping_reply.pid, .data_dir.display())]
    AlreadyRunning {
        /// The process id and version of that engine.
        ping_reply: PingReply,
        /// The data folder that it serves.
        data_dir: PathBuf,
    },
    /// A file that is not a socket is at the path of the socket.
    #[error("{} exists and is not a socket", .path.display())]
    NotASocket {
        /// The path of that file.
        path: PathBuf,
    },
    /// Another engine listens on the agent socket of `$HOOKWRIGHT_SOCKET`.
    #[error("another engine listens on {}", .path.display())]
    InUse {
        /// The path of the socket.
        path: PathBuf,
    },
    /// `$HOOKWRIGHT_SOCKET` is longer than a socket's path may be.
    #[error("the path {} is too long for a socket", .path.display())]
    TooLong {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The socket, the run folder or a file in it cannot be created or used.
    #[error("cannot listen on {}: {error}", .path.display())]
    Io {
        /// The file or folder that could not be created.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl From<ListenError> for Fault {
    fn from(error: ListenError) -> Self {
        let message = match error {
            ListenError::AlreadyRunning { ping_reply, data_dir } => {
                render!(ENGINE_LIVES, "pid" => ping_reply.pid, "data_dir" => data_dir.display().to_string())
            }
            ListenError::NotASocket { path } => render!(IN_THE_WAY, "path" => path.display().to_string()),
            ListenError::InUse { path } => render!(SOCKET_IN_USE, "path" => path.display().to_string()),
            ListenError::TooLong { path } => render!(SOCKET_TOO_LONG, "path" => path.display().to_string()),
            ListenError::Io { path, error } => {
                render!(CANNOT_LISTEN, "path" => path.display().to_string(), "why" => error.to_string())
            }
        };
        message.into()
    }
}

/// Why an engine ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// A signal asked for it.
    Signal(crate::signals::Signal),
    /// Another engine took over because this one did not respond for too long, or the lock file was removed. In both
    /// cases no client can find this engine any longer.
    Replaced,
}

/// An engine that listens on its control socket and on its agent socket.
pub struct ControlServer {
    router: Router,
    runtime_dir: RuntimeDir,
    control_socket: Arc<SocketFile>,
    agent_socket: Arc<SocketFile>,
    lock: Arc<InstanceLock>,
    replaced: CancellationToken,
    is_socket_removed: AtomicBool,
}

impl ControlServer {
    /// Locks the data folder and listens. An engine that responds is left alone; one that does not respond is replaced.
    ///
    /// # Errors
    /// A running engine serves the data folder, or the socket cannot be created.
    pub async fn start(app: Arc<App>, mode: HostMode) -> Result<Self, ListenError> {
        let runtime_dir = RuntimeDir::new(app.workspace.env.run_dir());
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ListenError::Io { path, error }
        };
        runtime_dir.prepare().map_err(failed(&runtime_dir.folder))?;
        let lock = match InstanceLock::acquire(&runtime_dir).await {
            Ok(lock) => Arc::new(lock),
            Err(InstanceLockError::AlreadyRunning(ping_reply)) => {
                return Err(ListenError::AlreadyRunning {
                    ping_reply,
                    data_dir: app.workspace.env.data_dir.clone(),
                });
            }
            Err(InstanceLockError::Io(error)) => return Err(failed(&runtime_dir.lock())(error)),
        };
        runtime_dir.remove_leftovers();
        let control_socket = runtime_dir.choose_socket().map_err(failed(&runtime_dir.folder))?;
        if cfg!(unix) && std::fs::symlink_metadata(&control_socket).is_ok() {
            // The socket of a killed engine was removed just before, so this is another kind of file.
            return Err(ListenError::NotASocket { path: control_socket });
        }
        let listening = SocketFile::listen(control_socket.clone());
        let (control_socket, listener) = listening.map_err(failed(&control_socket))?;
        let (agent_socket, agent_listener) = agent_socket::listen(&app.workspace.env, &runtime_dir).await?;
        runtime_dir
            .write_endpoint(agent_socket.path(), control_socket.path())
            .map_err(failed(&runtime_dir.endpoint()))?;
        app.agents.set_socket(agent_socket.path());
        let (control_socket, agent_socket) = (Arc::new(control_socket), Arc::new(agent_socket));
        tokio::spawn(notices::watch(Arc::downgrade(&app)));
        let limits = AgentLimits::new(&app.agents.kept);
        let router = Router::new(app, mode, Some(control_socket.path().to_owned()));
        let replaced = CancellationToken::new();
        let serve_control = |stream, router| connection::serve(stream, router).boxed();
        tokio::spawn(serve_socket(
            control_socket.clone(),
            listener,
            router.clone(),
            serve_control,
        ));
        let serve_agent = move |stream, router| agent_connection::serve(stream, router, limits.clone()).boxed();
        tokio::spawn(serve_socket(
            agent_socket.clone(),
            agent_listener,
            router.clone(),
            serve_agent,
        ));
        tokio::spawn(watch_lock(lock.clone(), replaced.clone(), router.closing.clone()));
        Ok(Self {
            router,
            runtime_dir,
            control_socket,
            agent_socket,
            lock,
            replaced,
            is_socket_removed: AtomicBool::new(false),
        })
    }

    /// The path of the control socket.
    #[must_use]
    pub fn control_socket(&self) -> &Path {
        self.control_socket.path()
    }

    /// The path of the agent socket.
    #[must_use]
    pub fn agent_socket(&self) -> &Path {
        self.agent_socket.path()
    }

    /// The router that runs the requests of every connection.
    #[must_use]
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// Waits until another engine takes over, or until the run folder or its lock file is removed. Another engine takes
    /// over only when this one hung.
    pub async fn wait_until_replaced(&self) {
        self.replaced.cancelled().await;
    }

    /// The message that explains why this engine was replaced. It is only meaningful after
    /// [`Self::wait_until_replaced`].
    #[must_use]
    pub fn replaced_message(&self) -> Message {
        let lock = self.runtime_dir.lock();
        if lock.exists() {
            let data_dir = lock.ancestors().nth(2).unwrap_or(&lock);
            render!(REPLACED, "data_dir" => data_dir.display().to_string())
        } else {
            render!(UNREACHABLE, "path" => lock.display().to_string())
        }
    }

    /// Waits until a signal arrives or another engine takes over.
    pub async fn wait_until_ended(&self, signals: &mut Signals) -> EndReason {
        tokio::select! {
            signal = signals.next() => EndReason::Signal(signal),
            () = self.wait_until_replaced() => EndReason::Replaced,
        }
    }

    /// Ends the engine. It removes the socket, accepts no more requests, stops running hooks, responds to open
    /// requests, imports the rest of the spool and releases the lock.
    pub async fn stop(&self) {
        self.remove_socket();
        self.router.end().await;
        self.lock.release();
    }
}

impl ControlServer {
    /// Removes the socket once, and only while this engine still has the lock.
    fn remove_socket(&self) {
        self.router.closing.cancel();
        if self.is_socket_removed.swap(true, Ordering::Relaxed) || !self.lock.is_current() {
            return;
        }
        self.control_socket.remove(&self.runtime_dir);
        self.agent_socket.remove(&self.runtime_dir);
        // A file that does not exist needs no removal. A file that cannot be removed is removed by the next engine.
        drop(std::fs::remove_file(self.runtime_dir.endpoint()));
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.remove_socket();
    }
}

/// Serves every connection of the same user, and listens again when the socket was removed.
async fn serve_socket(
    socket: Arc<SocketFile>,
    mut listener: Listener,
    router: Router,
    serve: impl Fn(Stream, Router) -> BoxFuture<'static, ()> + Send + 'static,
) {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = router.closing.cancelled() => return,
            _ = ticks.tick() => {
                // This engine removes its sockets only after it began to close.
                if socket.is_missing() && !router.closing.is_cancelled() {
                    let path = socket.path().display();
                    match socket.listen_again() {
                        Ok(again) => {
                            tracing::warn!(%path, "the socket was removed; the engine listens there again");
                            listener = again;
                        }
                        Err(error) => tracing::warn!(%path, %error, "the socket was removed"),
                    }
                }
                continue;
            }
        };
        match accepted {
            // A connection of another user is closed without a byte.
            Ok(stream) if socket::is_ours(&stream) => {
                router.tasks.spawn(serve(stream, router.for_connection()));
            }
            Ok(_) => tracing::warn!("refused a connection of another user"),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// Checks at intervals whether this engine still has the lock.
async fn watch_lock(lock: Arc<InstanceLock>, replaced: CancellationToken, closing: CancellationToken) {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = closing.cancelled() => return,
        }
        if !lock.is_current() {
            replaced.cancel();
            return;
        }
    }
}
