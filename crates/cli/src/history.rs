//! `hookwright history`

use hookwright_app::{App, history};

use crate::args::HistoryArgs;
use crate::list::with_tilde;
use crate::output::{Cell, Output, duration_text, local_time, mini_chain, verdict_style};
use crate::progress::{READING_HISTORY, with_progress};
use crate::style::TextStyle;
use crate::{CommandResult, running_engine};

/// Lists the recorded traces, newest first.
pub async fn run(app: &App, output: &Output, what: HistoryArgs) -> CommandResult {
    let query = what.query.as_deref().unwrap_or_default();
    let read = history::history_query(app, query, what.after.as_deref(), what.limit);
    let doc = with_progress(READING_HISTORY, read).await?;
    let status = running_engine::warn_incomplete(app, output, doc.waiting).await;
    if output.json {
        output.document(&doc);
        return Ok(status);
    }
    if doc.traces.is_empty() {
        output.line(if query.trim().is_empty() {
            "No events recorded yet. Run `hookwright fire` to fire one."
        } else {
            "No recorded event matches the query."
        });
        return Ok(status);
    }
    let several = doc.traces.iter().any(|row| row.project != doc.traces[0].project);
    let rows: Vec<Vec<Cell>> = doc
        .traces
        .iter()
        .map(|row| {
            vec![
                Cell::new(row.trace.clone()).style(TextStyle::Dim),
                Cell::new(local_time(row.at)),
                Cell::new(row.dialect.clone()).style(TextStyle::Dim),
                Cell::new(row.event.clone()),
                Cell::new(row.verdict.kind.as_str()).style(verdict_style(row.verdict.kind)),
                Cell::new(duration_text(row.took_ms)).right(),
                Cell::new(mini_chain(&row.outcomes)),
                Cell::new(match &row.project {
                    Some(project) if several => with_tilde(project, &app.workspace.env.home),
                    Some(_) | None => String::new(),
                })
                .style(TextStyle::Dim),
            ]
        })
        .collect();
    output.table(&rows);
    if let Some(next) = doc.next {
        output.print_note(format!("for older events, add `--after {next}`"));
    }
    Ok(status)
}
