//! Notifies a running engine, if there is one, so that an open window immediately shows what this process did.

use std::process::ExitCode;
use std::time::Duration;

use hookwright_app::fault::ENGINE_NOT_RUNNING;
use hookwright_app::{App, Fault};
use hookwright_model::render;
use hookwright_serve::Client;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::output::Output;

/// An engine that listens and does not respond must not delay the end of a command. It finds the change by itself.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Notifies the engine of a recorded trace. Returns whether an engine accepted it, and so imports it.
pub async fn notify_recorded(app: &App, trace: &str) -> bool {
    call(app, "announce", json!({ "trace": trace })).await
}

/// Notifies the engine that app files or hook files changed.
pub async fn notify_files_changed(app: &App) {
    call(app, "hooks.refresh", json!({})).await;
}

/// Prints why a read of the history is not complete. The database was not available or was quarantined, or spool lines
/// could not be imported. Or the spool contains more than a command reads without the database. Returns the exit status
/// of a command whose whole purpose is the history (`CONTRACTS.md` §2.6): 1 if there is a database that was not read.
pub async fn warn_incomplete(app: &App, output: &Output, waiting: u32) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for message in app.history.recent_notices() {
        output.print_note(&message.text);
    }
    if let Some(why) = app.history.spool_only().await {
        output.print_note(format!(
            "the database cannot be read, so only events outside it are shown: {why}"
        ));
        if app.history.has_database() {
            status = ExitCode::FAILURE;
        }
    } else if let Some(why) = app.history.import_failure().await {
        output.print_note(format!(
            "some events could not be imported and are read from the spool: {why}"
        ));
    }
    if waiting > 0 {
        output.print_note(format!("more events in the spool, not shown: {waiting}"));
    }
    status
}

/// Calls a command of the running engine and reads its reply.
///
/// # Errors
/// No engine runs, or the command's own fault.
pub async fn ask<T: DeserializeOwned>(app: &App, method: &str, params: serde_json::Value) -> Result<T, Fault> {
    let client = connect(app).await?;
    read_reply(client.call(method, params).await?)
}

/// Connects to the running engine.
///
/// # Errors
/// No engine runs.
pub async fn connect(app: &App) -> Result<Client, Fault> {
    let client = Client::connect(&app.workspace.env.run_dir()).await;
    client.map_err(|error| engine_gone(&error))
}

/// Reads the reply of a command.
///
/// # Errors
/// It has another form. The engine has another version then.
pub fn read_reply<T: DeserializeOwned>(reply: serde_json::Value) -> Result<T, Fault> {
    serde_json::from_value(reply).map_err(|error| engine_gone(&error))
}

fn engine_gone(why: &impl ToString) -> Fault {
    render!(ENGINE_NOT_RUNNING, "why" => why.to_string()).into()
}

/// Calls a command of a running engine. Returns whether the call succeeded.
pub async fn call(app: &App, method: &str, params: serde_json::Value) -> bool {
    match Client::connect(&app.workspace.env.run_dir()).await {
        Ok(client) => {
            let answer = tokio::time::timeout(CALL_TIMEOUT, client.call(method, params));
            matches!(answer.await, Ok(Ok(_)))
        }
        // Usually no engine runs.
        Err(_) => false,
    }
}
