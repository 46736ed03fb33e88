//! An engine that listens: claims its data folder, serves everybody of the same user, and ends cleanly.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hookwright_app::{App, Fault};
use hookwright_model::{Message, args};
use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::tokio::prelude::*;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::connection;
use crate::instance_lock::{InstanceLock, InstanceLockError};
use crate::messages::{CANNOT_LISTEN, ENGINE_LIVES, IN_THE_WAY, REPLACED, UNREACHABLE};
use crate::router::{HostMode, Router};
use crate::rpc_message::PingReply;
use crate::runtime_dir::RuntimeDir;
use crate::signals::Signals;
use crate::socket;

/// How often an engine looks whether another took over while it hung.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// A pause after the system refused a connection, such as for want of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Why an engine cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// A living engine serves this data folder.
    #[error("an engine (process {}) already serves {}", .ping_reply.pid, .data_dir.display())]
    AlreadyRunning {
        /// That engine.
        ping_reply: PingReply,
        /// The data folder.
        data_dir: PathBuf,
    },
    /// Something that is no socket is where the socket belongs.
    #[error("something that is no socket is at {}", .path.display())]
    NotASocket {
        /// Where.
        path: PathBuf,
    },
    /// The socket or a file beside it cannot be made.
    #[error("cannot listen on {}: {error}", .path.display())]
    Io {
        /// What could not be made.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl From<ListenError> for Fault {
    fn from(error: ListenError) -> Self {
        let message = match error {
            ListenError::AlreadyRunning { ping_reply, data_dir } => {
                ENGINE_LIVES.render(args! { "pid" => ping_reply.pid, "data_dir" => data_dir.display().to_string() })
            }
            ListenError::NotASocket { path } => IN_THE_WAY.render(args! { "path" => path.display().to_string() }),
            ListenError::Io { path, error } => {
                CANNOT_LISTEN.render(args! { "path" => path.display().to_string(), "why" => error.to_string() })
            }
        };
        message.into()
    }
}

/// Why an engine's time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// A signal asked for it.
    Signal(crate::signals::Signal),
    /// Another engine took over, because this one did not answer for too long, or the file that made it the only one was
    /// removed: nobody finds it any more.
    Replaced,
}

/// An engine that listens on its control socket.
pub struct ControlServer {
    router: Router,
    runtime_dir: RuntimeDir,
    control_socket: PathBuf,
    lock: Arc<InstanceLock>,
    replaced: CancellationToken,
    is_socket_removed: AtomicBool,
}

impl ControlServer {
    /// Claims the data folder and listens. An engine that lives is left alone; one that does not answer is taken over.
    ///
    /// # Errors
    /// A living engine has the data folder, or the socket cannot be made.
    pub async fn start(app: Arc<App>, mode: HostMode) -> Result<Self, ListenError> {
        let runtime_dir = RuntimeDir::new(app.env.run_dir());
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
                    data_dir: app.env.data_dir.clone(),
                });
            }
            Err(InstanceLockError::Io(error)) => return Err(failed(&runtime_dir.lock())(error)),
        };
        runtime_dir.remove_leftovers();
        let control_socket = runtime_dir.choose_socket().map_err(failed(&runtime_dir.folder))?;
        if cfg!(unix) && std::fs::symlink_metadata(&control_socket).is_ok() {
            // The socket of an engine that was killed has just been swept away.
            return Err(ListenError::NotASocket { path: control_socket });
        }
        let listener = socket::listen(&control_socket).map_err(failed(&control_socket))?;
        runtime_dir
            .write_endpoint(&control_socket)
            .map_err(failed(&runtime_dir.endpoint()))?;
        let router = Router::new(app, mode, Some(control_socket.clone()));
        let replaced = CancellationToken::new();
        tokio::spawn(accept(listener, router.clone()));
        tokio::spawn(watch_lock(lock.clone(), replaced.clone(), router.closing.clone()));
        Ok(Self {
            router,
            runtime_dir,
            control_socket,
            lock,
            replaced,
            is_socket_removed: AtomicBool::new(false),
        })
    }

    /// The control socket.
    #[must_use]
    pub fn control_socket(&self) -> &Path {
        &self.control_socket
    }

    /// What answers the requests of every connection.
    #[must_use]
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// Waits until another engine takes over, which happens only when this one hung, or until the folder of the sockets is
    /// removed.
    pub async fn wait_until_replaced(&self) {
        self.replaced.cancelled().await;
    }

    /// Why, once it is so.
    #[must_use]
    pub fn replaced_message(&self) -> Message {
        let lock = self.runtime_dir.lock();
        if lock.exists() {
            let data_dir = lock.ancestors().nth(2).unwrap_or(&lock);
            REPLACED.render(args! { "data_dir" => data_dir.display().to_string() })
        } else {
            UNREACHABLE.render(args! { "path" => lock.display().to_string() })
        }
    }

    /// Waits until a signal or another engine ends this one's time.
    pub async fn wait_until_ended(&self, signals: &mut Signals) -> EndReason {
        tokio::select! {
            signal = signals.next() => EndReason::Signal(signal),
            () = self.wait_until_replaced() => EndReason::Replaced,
        }
    }

    /// Ends: takes no more requests, stops the hooks that run, answers what is still open, writes the journal, and takes
    /// the socket away.
    pub async fn stop(&self) {
        self.remove_socket();
        self.router.end().await;
        self.lock.release();
    }
}

impl ControlServer {
    /// Takes the socket away, once, and only while it is ours.
    fn remove_socket(&self) {
        self.router.closing.cancel();
        if self.is_socket_removed.swap(true, Ordering::Relaxed) || !self.lock.is_current() {
            return;
        }
        self.runtime_dir.remove_socket(&self.control_socket);
        // What is not there any more cannot be removed, and what cannot be removed is swept by the next engine.
        drop(std::fs::remove_file(self.runtime_dir.endpoint()));
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.remove_socket();
    }
}

async fn accept(listener: Listener, router: Router) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = router.closing.cancelled() => return,
        };
        match accepted {
            // Another user's connection is closed without a byte.
            Ok(stream) if socket::is_ours(&stream) => {
                router.tasks.spawn(connection::serve(stream, router.clone()));
            }
            Ok(_) => tracing::warn!("refused a connection of another user to the control socket"),
            Err(error) => {
                tracing::warn!(%error, "the control socket could not take a connection");
                sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

/// Looks whether the claim still holds.
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
