//! `hookwright stats`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::{StatsRequest, StatsRow, ToolRow};
use hookwright_model::Outcome as StepOutcome;

use crate::ink::Tint;
use crate::list::short;
use crate::page::{Cell, Page, duration, parse_duration};
use crate::progress::{READING, progress};
use crate::{Outcome, living};

/// The metrics table.
pub async fn run(app: &App, page: &Page, since: &str) -> Outcome {
    let since_ms = parse_duration(since)?;
    let request = StatsRequest {
        project: None,
        since_ms,
    };
    let doc = progress(READING, app.stats(request)).await?;
    living::not_all(app, page, doc.waiting).await;
    if page.json {
        page.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    if doc.hooks.is_empty() {
        page.line(format!("No hook was part of a chain in the last {since}."));
        return Ok(ExitCode::SUCCESS);
    }
    let heads = [
        "hook",
        "",
        "project",
        "event",
        "runs",
        "p50",
        "p95",
        "max",
        "held",
        "timed out",
        "failed open",
    ];
    let mut rows = vec![heads.map(|head| Cell::of(head).tint(Tint::Quiet)).to_vec()];
    rows.extend(doc.hooks.iter().map(|one| row(one, &doc.hooks, &app.env.home)));
    page.table(&rows);
    if !doc.tools.is_empty() {
        page.line("");
        page.table(&tools(&doc.tools, &app.env.home));
    }
    Ok(ExitCode::SUCCESS)
}

/// The counters of tools, under the agents' own words.
fn tools(all: &[ToolRow], home: &Path) -> Vec<Vec<Cell>> {
    let mut words: Vec<&String> = all.iter().flat_map(|row| row.native.keys()).collect();
    words.sort_unstable();
    words.dedup();
    let quiet = |text: &str| Cell::of(text.to_owned()).tint(Tint::Quiet);
    let heads = ["tool", "dialect", "project"].map(quiet);
    let heads = heads
        .into_iter()
        .chain(words.iter().map(|word| quiet(&word.replace('_', " "))));
    let line = |row: &ToolRow| {
        let project = row
            .project
            .as_deref()
            .map_or_else(String::new, |path| short(path, home));
        let cells = [
            Cell::of(row.tool.clone()).tint(Tint::Strong),
            quiet(&row.dialect),
            quiet(&project),
        ];
        let count = |word: &&String| match row.native.get(*word) {
            Some(time) if word.ends_with("_ms") => duration(time.as_f64().unwrap_or(0.0)),
            Some(count) => count.to_string(),
            None => "–".to_owned(),
        };
        let counts = words.iter().map(|word| Cell::of(count(word)).right());
        cells.into_iter().chain(counts).collect()
    };
    std::iter::once(heads.collect()).chain(all.iter().map(line)).collect()
}

/// What tells a definition from an earlier one of the same hook, where there are two.
fn name(row: &StatsRow, all: &[StatsRow]) -> String {
    let same = |other: &&StatsRow| (&other.hook, &other.project, &other.event) == (&row.hook, &row.project, &row.event);
    if row.version.is_empty() || all.iter().filter(same).count() == 1 {
        return brief(&row.label);
    }
    format!("{} #{}", brief(&row.label), &row.version[..row.version.len().min(6)])
}

/// A label may be a whole command.
fn brief(label: &str) -> String {
    match label.char_indices().nth(32) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label.to_owned(),
    }
}

fn row(row: &StatsRow, all: &[StatsRow], home: &Path) -> Vec<Cell> {
    let of =
        |outcomes: &[StepOutcome]| -> u32 { outcomes.iter().filter_map(|outcome| row.outcomes.get(outcome)).sum() };
    let open = of(&[StepOutcome::FailedOpen, StepOutcome::TimedOutOpen]);
    let held = of(&[
        StepOutcome::Asked,
        StepOutcome::Denied,
        StepOutcome::FailedClosed,
        StepOutcome::TimedOutClosed,
    ]);
    let mut cells = vec![
        Cell::of(row.hook.clone()).tint(Tint::Strong),
        Cell::of(name(row, all)),
        Cell::of(
            row.project
                .as_deref()
                .map_or_else(String::new, |path| short(path, home)),
        )
        .tint(Tint::Quiet),
        Cell::of(row.event.clone()).tint(Tint::Quiet),
        Cell::of(row.runs.to_string()).right(),
    ];
    let time = |ms| {
        if row.attempts == 0 {
            "–".to_owned()
        } else {
            duration(ms)
        }
    };
    cells.extend([row.p50_ms, row.p95_ms, row.max_ms].map(|ms| Cell::of(time(ms)).right()));
    cells.push(Cell::of(held.to_string()).right());
    cells.push(Cell::of(row.timeouts.to_string()).right());
    let open_cell = Cell::of(open.to_string()).right();
    cells.push(if open > 0 {
        open_cell.tint(Tint::Loud)
    } else {
        open_cell
    });
    cells
}
