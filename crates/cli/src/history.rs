//! `hookwright history`

use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::HistoryRequest;

use crate::args::History;
use crate::ink::Tint;
use crate::list::short;
use crate::page::{Cell, Page, chain, duration, moment, verdict_tint};
use crate::progress::{READING, progress};
use crate::{Outcome, living};

/// What was recorded, newest first.
pub async fn run(app: &App, page: &Page, what: History) -> Outcome {
    let request = HistoryRequest {
        limit: what.limit,
        after: what.after,
        ..HistoryRequest::default()
    };
    let doc = progress(READING, app.history_page(request)).await?;
    living::not_all(app, page, doc.waiting).await;
    if page.json {
        page.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    if doc.traces.is_empty() {
        page.line("Nothing was recorded yet. `hookwright fire` runs an event through its hooks.");
        return Ok(ExitCode::SUCCESS);
    }
    let several = doc.traces.iter().any(|row| row.project != doc.traces[0].project);
    let rows: Vec<Vec<Cell>> = doc
        .traces
        .iter()
        .map(|row| {
            vec![
                Cell::of(row.trace.clone()).tint(Tint::Quiet),
                Cell::of(moment(row.at)),
                Cell::of(row.dialect.clone()).tint(Tint::Quiet),
                Cell::of(row.event.clone()),
                Cell::of(row.verdict.kind.as_str()).tint(verdict_tint(row.verdict.kind)),
                Cell::of(duration(row.took_ms)).right(),
                Cell::of(chain(&row.outcomes)),
                Cell::of(match &row.project {
                    Some(project) if several => short(project, &app.env.home),
                    Some(_) | None => String::new(),
                })
                .tint(Tint::Quiet),
            ]
        })
        .collect();
    page.table(&rows);
    if let Some(next) = doc.next {
        page.remark(format!("older ones: hookwright history --after {next}"));
    }
    Ok(ExitCode::SUCCESS)
}
