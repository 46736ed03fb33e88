//! `hookwright agents`, and `fire --agent`: what only the running engine knows.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use hookwright_app::App;
use hookwright_app::agent_commands::{AgentFireDoc, AgentRow, AgentsDoc};
use hookwright_app::payload::parse_payload;
use hookwright_model::{Trace, exact_json};
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::ExplainArgs;
use crate::fire::{EXIT_BLOCKED, SignalCancel};
use crate::line;
use crate::output::{Cell, Output};
use crate::progress::with_progress;
use crate::style::TextStyle;
use crate::{CommandResult, explain, running_engine, show};

/// The name of the one run of this process. The engine keeps the names of connections apart.
const RUN: &str = "fire";
/// The pause before a run that has not begun yet is stopped again.
const STOP_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Lists the sessions of agents.
pub async fn list(app: &App, output: &Output) -> CommandResult {
    let doc: AgentsDoc = running_engine::ask(app, "agents.list", json!({})).await?;
    if output.json {
        output.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    if doc.agents.is_empty() {
        output.print_note("no agent is connected");
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Vec<Cell>> = doc.agents.iter().map(cells).collect();
    output.table(&rows);
    Ok(ExitCode::SUCCESS)
}

fn cells(row: &AgentRow) -> Vec<Cell> {
    let name = if row.agent.version.is_empty() {
        row.agent.name.clone()
    } else {
        format!("{} {}", row.agent.name, row.agent.version)
    };
    let state = if row.connected { "connected" } else { "kept" };
    let native = if row.native { "native" } else { "" };
    [
        name,
        row.dialect.clone(),
        row.session.clone(),
        format!("events {}", row.events),
        state.to_owned(),
        native.to_owned(),
        row.cwd.clone(),
    ]
    .into_iter()
    .map(Cell::new)
    .collect()
}

/// The trace of the engine, and what the agent answered to the same event.
#[derive(Serialize)]
struct Compared<'t> {
    #[serde(flatten)]
    engine: &'t Trace,
    agent_answer: Value,
}

/// Fires an event at a connected agent, and shows its answer beside that of the engine.
pub async fn fire_at(app: &App, output: &Output, project: &Path, agent: &str, event: &ExplainArgs) -> CommandResult {
    let text = explain::payload_text(app, event.payload.as_deref())?;
    parse_payload(&text)?;
    // The engine reads the text itself, and says what is in it twice.
    let payload = String::from_utf8_lossy(&text);
    let cancel = CancellationToken::new();
    let signal_cancel = SignalCancel::listen(cancel.clone())?;
    let params = json!({
        "agent": agent, "project": project, "dialect": event.dialect, "event": event.event, "payload": payload, "run": RUN, "client": "cli",
    });
    let what_runs = format!("{agent} runs its hooks of {}", event.event);
    let doc: AgentFireDoc = with_progress(&what_runs, ask_until_stopped(app, params, &cancel)).await?;
    print_answer(output, &doc);
    let stopped_by = signal_cancel.run_until_signal(async {}).await;
    Ok(match (stopped_by, doc.engine.verdict.kind.blocks()) {
        (Some(signal), _) => ExitCode::from(128 + signal),
        (None, true) => ExitCode::from(EXIT_BLOCKED),
        (None, false) => ExitCode::SUCCESS,
    })
}

/// Calls `agents.fire`. A signal stops the run, which is then answered.
async fn ask_until_stopped(
    app: &App,
    params: Value,
    cancel: &CancellationToken,
) -> Result<AgentFireDoc, hookwright_app::Fault> {
    let client = running_engine::connect(app).await?;
    let stop = async {
        cancel.cancelled().await;
        // The engine may not have begun the run yet.
        loop {
            let stopped = client.call("fire.stop", json!({ "run": RUN })).await;
            if stopped.is_ok_and(|stopped| stopped["stopped"] == true) {
                return std::future::pending().await;
            }
            tokio::time::sleep(STOP_RETRY_INTERVAL).await;
        }
    };
    tokio::select! {
        answer = client.call("agents.fire", params) => running_engine::read_reply(answer?),
        never = stop => never,
    }
}

fn print_answer(output: &Output, doc: &AgentFireDoc) {
    if output.json {
        let mut agent_answer = exact_json::to_value(doc);
        if let Value::Object(fields) = &mut agent_answer {
            fields.shift_remove("engine");
        }
        output.document(&Compared {
            engine: &doc.engine,
            agent_answer,
        });
    } else {
        show::print_text(output, &doc.engine);
        let compared = match (&doc.reply, doc.same) {
            (None, _) => "stopped before it replied; it may still run its hooks",
            (Some(_), true) => "the same reply",
            (Some(_), false) => "another reply",
        };
        output.line(line![TextStyle::Strong.apply_to(&doc.agent), format!(": {compared}")]);
        let Some(reply) = doc.reply.as_ref().filter(|_| !doc.same) else {
            return;
        };
        for (who, reply) in [("engine", &doc.engine.reply), (doc.agent.as_str(), reply)] {
            output.line(line![
                "  ",
                TextStyle::Dim.apply_to(who),
                format!(" exit {} {}", reply.exit_code, reply.json)
            ]);
        }
    }
}
