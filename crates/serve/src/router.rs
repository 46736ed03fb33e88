//! From a request to the list of commands: what the control socket, the window and the browser page have in common.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookwright_app::fault::{SHUTTING_DOWN, WINDOW_ONLY};
use hookwright_app::{App, Fault, Push, commands};
use hookwright_model::args;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long requests that are still open may take once the engine ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// What only the program of the window can do.
pub(crate) const WINDOW_COMMANDS: [&str; 3] = ["login.get", "login.set", "engine.start"];

/// Whose process an engine lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMode {
    /// `hookwright serve`.
    Serve,
    /// The desktop's own.
    Embedded,
    /// Another process's, seen from a window.
    Attached,
}

impl HostMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Embedded => "embedded",
            Self::Attached => "attached",
        }
    }
}

/// Calls the commands of one engine. Clones share it.
#[derive(Clone)]
pub struct Router {
    pub(crate) app: Arc<App>,
    mode: HostMode,
    control_socket: Option<PathBuf>,
    /// Cancelled when the engine ends.
    pub(crate) closing: CancellationToken,
    /// Everything that still works for somebody.
    pub(crate) tasks: TaskTracker,
}

impl Router {
    /// For an engine that listens at `control`, or nowhere.
    #[must_use]
    pub fn new(app: Arc<App>, mode: HostMode, control_socket: Option<PathBuf>) -> Self {
        Self {
            app,
            mode,
            control_socket,
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Calls a command. Dropping the future does not stop what it began.
    ///
    /// # Errors
    /// The command's own fault, that the engine ends, or that only a window can do it.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, Fault> {
        if self.closing.is_cancelled() {
            return Err(SHUTTING_DOWN.render_plain().into());
        }
        if WINDOW_COMMANDS.contains(&method) {
            return Err(WINDOW_ONLY.render(args! { "method" => method }).into());
        }
        let (app, name) = (self.app.clone(), method.to_owned());
        let called = self
            .tasks
            .spawn(async move { commands::call(&app, &name, params).await });
        let mut result = called
            .await
            .unwrap_or_else(|_| Err(SHUTTING_DOWN.render_plain().into()));
        for detached_run in self.app.take_detached_runs() {
            let app = self.app.clone();
            self.tasks
                .spawn(async move { app.finish_detached_run(detached_run).await });
        }
        if let (Ok(state), "state") = (&mut result, method) {
            add_host_info(
                state,
                self.mode,
                self.control_socket.as_ref().map(|path| path.display().to_string()),
            );
        }
        result
    }

    /// Hears every push from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.app.subscribe()
    }

    /// Runs something beside the engine, which waits for it a little when it ends.
    pub fn spawn_tracked(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Waits until the engine begins to end.
    pub async fn wait_until_closing(&self) {
        self.closing.cancelled().await;
    }

    /// Ends the engine: hooks that run are stopped, what is open is answered, the journal is written.
    pub async fn end(&self) {
        self.closing.cancel();
        self.tasks.close();
        self.app.stop_runs();
        if timeout(SHUTDOWN_TIMEOUT, self.tasks.wait()).await.is_err() {
            tracing::warn!("some requests were still open when the engine ended");
        }
        self.app.shutdown().await;
    }
}

/// Puts into a `state` what only the host of the engine knows.
pub(crate) fn add_host_info(state: &mut Value, mode: HostMode, control: Option<String>) {
    let Some(engine) = state.get_mut("engine").and_then(Value::as_object_mut) else {
        return;
    };
    engine.insert("mode".to_owned(), json!(mode.as_str()));
    // The socket of an attached engine is its own business, and it told us already.
    if mode != HostMode::Attached {
        engine.insert("listening".to_owned(), json!(control.is_some()));
        engine.insert("socket".to_owned(), json!(control));
    }
}
