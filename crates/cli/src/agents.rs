//! `hookwright agents`, and `fire --agent`: what only the running engine knows.

use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::agent_commands::{AgentFireDoc, AgentRow, AgentsDoc};
use hookwright_model::Trace;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::ExplainArgs;
use crate::fire::EXIT_BLOCKED;
use crate::line;
use crate::output::{Cell, Output};
use crate::progress::with_progress;
use crate::style::TextStyle;
use crate::{CommandResult, explain, running_engine, show};

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
pub async fn fire_at(app: &App, output: &Output, agent: &str, event: &ExplainArgs) -> CommandResult {
    let payload = explain::payload(app, event.payload.as_deref())?;
    let params = json!({"agent": agent, "dialect": event.dialect, "event": event.event, "payload": payload});
    let what_runs = format!("{agent} runs its hooks of {}", event.event);
    let answered = with_progress(
        &what_runs,
        running_engine::ask::<AgentFireDoc>(app, "agents.fire", params),
    );
    let doc = answered.await?;
    if output.json {
        let agent_answer = json!({
            "session": doc.session, "agent": doc.agent, "reply": doc.reply, "steps": doc.steps, "same": doc.same,
        });
        output.document(&Compared {
            engine: &doc.engine,
            agent_answer,
        });
    } else {
        show::print_text(output, &doc.engine);
        let compared = if doc.same { "the same reply" } else { "another reply" };
        output.line(line![TextStyle::Strong.apply_to(&doc.agent), format!(": {compared}")]);
        if !doc.same {
            for (who, reply) in [("engine", &doc.engine.reply), (doc.agent.as_str(), &doc.reply)] {
                output.line(line![
                    "  ",
                    TextStyle::Dim.apply_to(who),
                    format!(" exit {} {}", reply.exit_code, reply.json)
                ]);
            }
        }
    }
    Ok(if doc.engine.verdict.kind.blocks() {
        ExitCode::from(EXIT_BLOCKED)
    } else {
        ExitCode::SUCCESS
    })
}
