//! The commands about the chains that run now.

use crate::app::App;
use crate::dto::{ChainStopRequest, ChainsDoc, Empty, Stopped};
use crate::fault::Fault;

/// `chains.list`: what runs now.
///
/// # Errors
/// Never.
pub async fn chains_list(app: &App, _: Empty) -> Result<ChainsDoc, Fault> {
    let redactor = app.workspace.redactor();
    Ok(app.chains.list(&redactor, app.workspace.is_redaction_unknown()))
}

/// `chains.stop`: stops the chain of a trace, and returns whether it was running.
///
/// # Errors
/// Never.
pub async fn chains_stop(app: &App, request: ChainStopRequest) -> Result<Stopped, Fault> {
    Ok(Stopped {
        stopped: app.chains.stop(&request.trace),
    })
}
