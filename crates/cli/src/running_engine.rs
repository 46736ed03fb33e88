//! Telling a living engine, when there is one, so that an open window shows at once what this process did.

use std::time::Duration;

use hookwright_app::App;
use hookwright_serve::Client;
use serde_json::json;

use crate::output::Output;

/// An engine that listens and does not answer must not keep a command from its end: what it is told it finds by itself.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Tells of a recorded trace. Returns whether somebody took it over (and imports it).
pub async fn notify_recorded(app: &App, trace: &str) -> bool {
    call(app, "announce", json!({ "trace": trace })).await
}

/// Tells that our own files changed.
pub async fn notify_files_changed(app: &App) {
    call(app, "hooks.refresh", json!({})).await;
}

/// Says that what was read is not all there is: the database could not be had, an earlier one was set aside, lines of the
/// spool could not be imported, or there are more than a command reads without the database.
pub async fn warn_incomplete(app: &App, output: &Output, waiting: u32) {
    for message in app.history.recent_notices() {
        output.print_note(&message.text);
    }
    if let Some(why) = app.history.spool_only().await {
        output.print_note(format!("only what is not in the database yet could be read: {why}"));
    } else if let Some(why) = app.history.import_failure().await {
        output.print_note(format!("what could not be imported is read from the spool: {why}"));
    }
    if waiting > 0 {
        output.print_note(format!("more events in the spool, not shown: {waiting}"));
    }
}

/// Asks a living engine to show something. Returns whether there is one.
pub async fn call(app: &App, method: &str, params: serde_json::Value) -> bool {
    match Client::connect(&app.env.run_dir()).await {
        Ok(client) => {
            let answer = tokio::time::timeout(CALL_TIMEOUT, client.call(method, params));
            matches!(answer.await, Ok(Ok(_)))
        }
        // Nobody listening is the usual case.
        Err(_) => false,
    }
}
