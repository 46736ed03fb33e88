//! Opens the sessions of this process.

use std::path::PathBuf;
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_engine::{Session, SessionOptions};

use crate::app::App;
use crate::fault::Fault;

/// The session that an event belongs to.
#[derive(Debug)]
pub struct SessionRequest {
    /// The id of the dialect, such as `jcli`.
    pub dialect: String,
    /// The session id for payloads and traces.
    pub id: Option<String>,
    /// The project directory, absolute.
    pub project: PathBuf,
}

/// Opens a session that begins now. It ends when it is closed, or when its last user lets go of it.
///
/// # Errors
/// The dialect is unknown.
pub fn open_session(app: &App, request: SessionRequest) -> Result<Arc<Session>, Fault> {
    let dialect = find_dialect(&request.dialect)?;
    let options = SessionOptions {
        id: request.id,
        key: ulid::Ulid::generate().to_string(),
        project: request.project,
        runner: app.exec.clone(),
    };
    Ok(Session::open(dialect, options))
}

/// How many hooks enclose this process, according to `HOOKWRIGHT_DEPTH`.
pub(crate) fn enclosing_hooks(app: &App) -> u32 {
    let named = app.workspace.env.var("HOOKWRIGHT_DEPTH");
    named.and_then(|depth| depth.parse().ok()).unwrap_or(0)
}
