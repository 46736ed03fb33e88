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

use crate::claim::{Claim, ClaimError};
use crate::connection;
use crate::message::About;
use crate::messages::{CANNOT_LISTEN, ENGINE_LIVES, IN_THE_WAY, REPLACED, UNREACHABLE};
use crate::place::Place;
use crate::router::{Mode, Router};
use crate::signals::Signals;
use crate::socket;

/// How often an engine looks whether another took over while it hung.
const LOOK: Duration = Duration::from_secs(1);
/// A pause after the system refused a connection, such as for want of file descriptors.
const BREATH: Duration = Duration::from_millis(100);

/// Why an engine cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// A living engine serves this data folder.
    #[error("an engine (process {}) already serves {}", .about.pid, .data_dir.display())]
    Lives {
        /// That engine.
        about: About,
        /// The data folder.
        data_dir: PathBuf,
    },
    /// Something that is no socket is where the socket belongs.
    #[error("something that is no socket is at {}", .path.display())]
    InTheWay {
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
        let words = match error {
            ListenError::Lives { about, data_dir } => {
                ENGINE_LIVES.render(args! { "pid" => about.pid, "data_dir" => data_dir.display().to_string() })
            }
            ListenError::InTheWay { path } => IN_THE_WAY.render(args! { "path" => path.display().to_string() }),
            ListenError::Io { path, error } => {
                CANNOT_LISTEN.render(args! { "path" => path.display().to_string(), "why" => error.to_string() })
            }
        };
        words.into()
    }
}

/// Why an engine's time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A signal asked for it.
    Signal(crate::signals::Signal),
    /// Another engine took over, because this one did not answer for too long, or the file that made it the only one was
    /// removed: nobody finds it any more.
    Replaced,
}

/// An engine that listens on its control socket.
pub struct Listening {
    router: Router,
    place: Place,
    control: PathBuf,
    claim: Arc<Claim>,
    replaced: CancellationToken,
    withdrawn: AtomicBool,
}

impl Listening {
    /// Claims the data folder and listens. An engine that lives is left alone; one that does not answer is taken over.
    ///
    /// # Errors
    /// A living engine has the data folder, or the socket cannot be made.
    pub async fn start(app: Arc<App>, mode: Mode) -> Result<Self, ListenError> {
        let place = Place::new(app.env.run_dir());
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ListenError::Io { path, error }
        };
        place.prepare().map_err(failed(&place.folder))?;
        let claim = match Claim::take(&place).await {
            Ok(claim) => Arc::new(claim),
            Err(ClaimError::Lives(about)) => {
                return Err(ListenError::Lives {
                    about,
                    data_dir: app.env.data_dir.clone(),
                });
            }
            Err(ClaimError::Io(error)) => return Err(failed(&place.lock())(error)),
        };
        place.sweep();
        let control = place.choose().map_err(failed(&place.folder))?;
        if cfg!(unix) && std::fs::symlink_metadata(&control).is_ok() {
            // The socket of an engine that was killed has just been swept away.
            return Err(ListenError::InTheWay { path: control });
        }
        let listener = socket::listen(&control).map_err(failed(&control))?;
        place.announce(&control).map_err(failed(&place.endpoint()))?;
        let router = Router::new(app, mode, Some(control.clone()));
        let replaced = CancellationToken::new();
        tokio::spawn(accept(listener, router.clone()));
        tokio::spawn(watch(claim.clone(), replaced.clone(), router.closing.clone()));
        Ok(Self {
            router,
            place,
            control,
            claim,
            replaced,
            withdrawn: AtomicBool::new(false),
        })
    }

    /// The control socket.
    #[must_use]
    pub fn control(&self) -> &Path {
        &self.control
    }

    /// What answers the requests of every connection.
    #[must_use]
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// Waits until another engine takes over, which happens only when this one hung, or until the folder of the sockets is
    /// removed.
    pub async fn replaced(&self) {
        self.replaced.cancelled().await;
    }

    /// Why, once it is so.
    #[must_use]
    pub fn why_replaced(&self) -> Message {
        let lock = self.place.lock();
        if lock.exists() {
            let data_dir = lock.ancestors().nth(2).unwrap_or(&lock);
            REPLACED.render(args! { "data_dir" => data_dir.display().to_string() })
        } else {
            UNREACHABLE.render(args! { "path" => lock.display().to_string() })
        }
    }

    /// Waits until a signal or another engine ends this one's time.
    pub async fn over(&self, signals: &mut Signals) -> Ended {
        tokio::select! {
            signal = signals.next() => Ended::Signal(signal),
            () = self.replaced() => Ended::Replaced,
        }
    }

    /// Ends: takes no more requests, stops the hooks that run, answers what is still open, writes the journal, and takes
    /// the socket away.
    pub async fn stop(&self) {
        self.withdraw();
        self.router.end().await;
        self.claim.release();
    }
}

impl Listening {
    /// Takes the socket away, once, and only while it is ours.
    fn withdraw(&self) {
        self.router.closing.cancel();
        if self.withdrawn.swap(true, Ordering::Relaxed) || !self.claim.holds() {
            return;
        }
        self.place.remove_socket(&self.control);
        // What is not there any more cannot be removed, and what cannot be removed is swept by the next engine.
        drop(std::fs::remove_file(self.place.endpoint()));
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.withdraw();
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
                sleep(BREATH).await;
            }
        }
    }
}

/// Looks whether the claim still holds.
async fn watch(claim: Arc<Claim>, replaced: CancellationToken, closing: CancellationToken) {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = closing.cancelled() => return,
        }
        if !claim.holds() {
            replaced.cancel();
            return;
        }
    }
}
