//! Runs a command for a request. The control socket, the window and the browser page all use it.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use hookwright_app::fault::{INTERNAL_ERROR, SHUTTING_DOWN, WINDOW_ONLY};
use hookwright_app::{App, Fault, Push, commands, fire};
use hookwright_model::render;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::messages::NO_PAGE;

/// How long open requests may take after the engine starts to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The commands that only the desktop program can run.
pub(crate) const WINDOW_COMMANDS: [&str; 3] = ["login.get", "login.set", "engine.start"];

/// Which program hosts the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMode {
    /// `hookwright serve`.
    Serve,
    /// The desktop program.
    Embedded,
    /// Another process, seen from a window.
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

/// Makes a link that admits one window, once, to the page of this engine.
pub type NewPageLink = Box<dyn Fn() -> Result<String, Fault> + Send + Sync>;

/// Calls the commands of one engine. Clones share the engine.
#[derive(Clone)]
pub struct Router {
    pub(crate) app: Arc<App>,
    mode: HostMode,
    control_socket: Option<PathBuf>,
    /// Cancelled when the engine starts to end.
    pub(crate) closing: CancellationToken,
    /// All tasks that the engine waits for when it ends.
    pub(crate) tasks: TaskTracker,
    /// Tells the connections apart, because names of runs belong to their connection.
    connection: u64,
    next_connection: Arc<AtomicU64>,
    /// Set while the engine serves a page for browsers.
    page: Arc<OnceLock<NewPageLink>>,
}

impl Router {
    /// A router for an engine that listens at `control_socket`, or for one without a control socket.
    #[must_use]
    pub fn new(app: Arc<App>, mode: HostMode, control_socket: Option<PathBuf>) -> Self {
        Self {
            app,
            mode,
            control_socket,
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            connection: 0,
            next_connection: Arc::new(AtomicU64::new(1)),
            page: Arc::default(),
        }
    }

    /// Says how to make another link to the page that the engine serves. It is called once.
    pub fn set_page(&self, new_link: NewPageLink) {
        drop(self.page.set(new_link));
    }

    /// A new link to the page. The control socket offers it; the page itself does not.
    ///
    /// # Errors
    /// The engine serves no page, or the link cannot be made.
    pub fn new_page_link(&self) -> Result<String, Fault> {
        match self.page.get() {
            Some(new_link) => new_link(),
            None => Err(NO_PAGE.render_plain().into()),
        }
    }

    /// The same engine for another connection, whose names of runs are its own.
    #[must_use]
    pub(crate) fn for_connection(&self) -> Self {
        Self {
            connection: self.next_connection.fetch_add(1, Ordering::Relaxed),
            ..self.clone()
        }
    }

    fn make_run_name_own(&self, params: &mut Value) {
        if let Some(Value::String(run)) = params.get_mut("run") {
            *run = format!("{}/{run}", self.connection);
        }
    }

    /// Calls a command. Dropping the future does not stop the command.
    ///
    /// # Errors
    /// The command's own fault, `internal_error` if it panics, `shutting_down` when the engine ends, or `window_only` for
    /// a command of the desktop program.
    pub async fn call(&self, method: &str, mut params: Value) -> Result<Value, Fault> {
        if self.closing.is_cancelled() {
            return Err(SHUTTING_DOWN.render_plain().into());
        }
        if WINDOW_COMMANDS.contains(&method) {
            return Err(render!(WINDOW_ONLY, "method" => method).into());
        }
        self.make_run_name_own(&mut params);
        let (app, name) = (self.app.clone(), method.to_owned());
        let work = async move { commands::call(&app, &name, params).await };
        let mut result = self.run(method, work).await;
        for detached_run in self.app.take_detached_runs() {
            let app = self.app.clone();
            self.tasks
                .spawn(async move { fire::finish_detached_run(&app, detached_run).await });
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

    /// Runs a command in a task of its own, so that it is not stopped with its caller.
    async fn run(
        &self,
        method: &str,
        work: impl Future<Output = Result<Value, Fault>> + Send + 'static,
    ) -> Result<Value, Fault> {
        let name = method.to_owned();
        let called = self.tasks.spawn(async move { catch_panic(&name, work).await? });
        // A task that does not panic is cut short only when the engine ends.
        called
            .await
            .unwrap_or_else(|_| Err(SHUTTING_DOWN.render_plain().into()))
    }

    /// Subscribes to every push from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.app.subscribe()
    }

    /// Runs a task next to the engine. When the engine ends, it waits up to 3 s for such tasks.
    pub fn spawn_tracked(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Waits until the engine starts to end.
    pub async fn wait_until_closing(&self) {
        self.closing.cancelled().await;
    }

    /// Ends the engine: stops running hooks, responds to open requests, imports the rest of the spool.
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

/// Runs a request, and logs a panic of it. Its caller then gets a fault, and not silence or a wrong reason.
///
/// # Errors
/// The request panicked.
pub(crate) async fn catch_panic<T>(method: &str, work: impl Future<Output = T>) -> Result<T, Fault> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| {
        tracing::error!(method, why = panic_text(&*panic), "a request panicked");
        render!(INTERNAL_ERROR, "method" => method).into()
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}

/// Adds to a `state` result what only the host of the engine knows: the mode and the control socket.
pub(crate) fn add_host_info(state: &mut Value, mode: HostMode, control: Option<String>) {
    let Some(engine) = state.get_mut("engine").and_then(Value::as_object_mut) else {
        return;
    };
    engine.insert("mode".to_owned(), json!(mode.as_str()));
    // An attached engine already reported its own socket.
    if mode != HostMode::Attached {
        engine.insert("listening".to_owned(), json!(control.is_some()));
        engine.insert("socket".to_owned(), json!(control));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::tests::Home;

    #[tokio::test]
    async fn a_command_that_panics_is_answered_as_a_fault_of_hookwright() {
        let home = Home::new();
        let router = Router::new(home.app(), HostMode::Serve, None);
        let panics = async { panic!("no {}", "secret") };
        let fault = router.run("hooks.list", panics).await.unwrap_err();
        assert_eq!((fault.code.as_str(), fault.rpc_code()), ("internal_error", -32603));
        assert!(fault.message.contains("hooks.list") && fault.message.contains("a fault of Hookwright"));
        assert!(!fault.message.contains("secret"), "{}", fault.message);
    }

    #[tokio::test]
    async fn the_text_of_a_panic_is_logged_whatever_its_form() {
        for panics in [|| panic!("plain"), || panic!("made of {}", "parts")] {
            let panic = AssertUnwindSafe(async { panics() }).catch_unwind().await.unwrap_err();
            assert!(["plain", "made of parts"].contains(&panic_text(&*panic)));
        }
        assert_eq!(panic_text(&7_u8), "unknown");
    }
}
