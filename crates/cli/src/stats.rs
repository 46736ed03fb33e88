//! `hookwright stats`

use std::path::Path;

use hookwright_app::dto::{Millis, StatsChange, StatsDoc, StatsRequest, StatsRow, ToolRow};
use hookwright_app::fault::{Fault, SHORT_PERIOD};
use hookwright_app::{App, stats};
use hookwright_model::{Outcome as StepOutcome, render};
use jiff::SignedDuration;

use crate::args::StatsArgs;
use crate::list::with_tilde;
use crate::output::{Cell, Output, duration_text, local_time, parse_duration};
use crate::progress::{READING_HISTORY, with_progress};
use crate::style::TextStyle;
use crate::{CommandResult, line, running_engine};

/// Prints the metrics of hooks and tools.
pub async fn run(app: &App, output: &Output, project: &Path, what: StatsArgs) -> CommandResult {
    let request = request_of(project, &what)?;
    let doc = with_progress(READING_HISTORY, stats::stats(app, request)).await?;
    let status = running_engine::warn_incomplete(app, output, doc.waiting).await;
    if output.json {
        output.document(&doc);
        return Ok(status);
    }
    if doc.hooks.is_empty() {
        output.line(empty_text(&what));
    } else {
        print_tables(app, output, &doc);
        print_changes(output, &doc);
    }
    if let Some(from) = doc.counted_from.as_deref().and_then(|at| at.parse().ok()) {
        let from = local_time(from);
        output.print_note(format!(
            "older events of this period are not counted; these figures begin at {from}"
        ));
    }
    Ok(status)
}

fn request_of(project: &Path, what: &StatsArgs) -> Result<StatsRequest, Fault> {
    let project = what.only_project.then(|| project.display().to_string());
    Ok(StatsRequest {
        project,
        since_ms: parse_period(&what.since)?,
        until_ms: what.until.as_deref().map(parse_duration).transpose()?,
        dialect: what.dialect.clone(),
        hook: what.hook.clone(),
        agent: what.agent.clone(),
        session: what.session.clone(),
        series: what.series.then_some(true),
        compare: what.compare.then_some(true),
    })
}

/// A period of at least a minute: a shorter one would count events from before it.
fn parse_period(text: &str) -> Result<Millis, Fault> {
    let period = parse_duration(text)?;
    if period.duration() < SignedDuration::from_mins(1) {
        return Err(render!(SHORT_PERIOD, "text" => text).into());
    }
    Ok(period)
}

fn empty_text(what: &StatsArgs) -> String {
    let since = &what.since;
    let filters = [&what.until, &what.dialect, &what.hook, &what.agent, &what.session];
    if what.only_project || filters.iter().any(|filter| filter.is_some()) {
        "No hook with these filters took part in an event in this period.".to_owned()
    } else {
        format!("No hook took part in an event in the last {since}.")
    }
}

fn print_tables(app: &App, output: &Output, doc: &StatsDoc) {
    let heads = [
        "hook",
        "",
        "project",
        "event",
        "runs",
        "p50",
        "p95",
        "p99",
        "max",
        "of limit",
        "blocked",
        "timed out",
        "failed open",
    ];
    let mut rows = vec![heads.map(|head| Cell::new(head).style(TextStyle::Dim)).to_vec()];
    rows.extend(
        doc.hooks
            .iter()
            .map(|one| hook_cells(one, &doc.hooks, &app.workspace.env.home)),
    );
    output.table(&rows);
    if !doc.tools.is_empty() {
        output.line("");
        output.table(&tool_table(&doc.tools, &app.workspace.env.home));
    }
}

/// What got worse or better than in the period before.
fn print_changes(output: &Output, doc: &StatsDoc) {
    for row in &doc.hooks {
        let (Some(change), Some(before)) = (row.change, &row.before) else {
            continue;
        };
        let (what, style) = match change {
            StatsChange::Failing => ("fails more often", TextStyle::FailOpen),
            StatsChange::Healed => ("fails less often", TextStyle::Allow),
            StatsChange::Slower => ("is slower", TextStyle::Fail),
            StatsChange::Faster => ("is faster", TextStyle::Allow),
        };
        let figures = match change {
            StatsChange::Failing | StatsChange::Healed => format!(
                "{} of {} runs failed before, {} of {} now",
                before.failed, before.runs, row.failed, row.runs
            ),
            StatsChange::Slower | StatsChange::Faster => format!(
                "p95 was {} before, {} now",
                duration_text(before.p95_ms),
                duration_text(row.p95_ms)
            ),
        };
        let edit = row.edit.as_ref().and_then(|edit| edit.at.parse().ok());
        let edit = edit.map_or_else(String::new, |at| format!("; last edited at {}", local_time(at)));
        output.line(line![
            style.apply_to(format!("{} {what}", shorten_label(&row.label))),
            ": ",
            figures,
            TextStyle::Dim.apply_to(edit),
            "  ",
            TextStyle::Dim.apply_to(&row.hook)
        ]);
    }
}

/// The counters of tools, under the names that the agents use.
fn tool_table(all: &[ToolRow], home: &Path) -> Vec<Vec<Cell>> {
    let mut counter_names: Vec<&String> = all.iter().flat_map(|row| row.native.keys()).collect();
    counter_names.sort_unstable();
    counter_names.dedup();
    let dim = |text: &str| Cell::new(text.to_owned()).style(TextStyle::Dim);
    let heads = ["tool", "dialect", "project"].map(dim);
    let heads = heads
        .into_iter()
        .chain(counter_names.iter().map(|name| dim(&name.replace('_', " "))));
    let line = |row: &ToolRow| {
        let project = row
            .project
            .as_deref()
            .map_or_else(String::new, |path| with_tilde(path, home));
        let cells = [
            Cell::new(row.tool.clone()).style(TextStyle::Strong),
            dim(&row.dialect),
            dim(&project),
        ];
        let count = |name: &&String| match row.native.get(*name) {
            Some(time) if name.ends_with("_ms") => duration_text(time.as_f64().unwrap_or(0.0)),
            Some(count) => count.to_string(),
            None => "–".to_owned(),
        };
        let counts = counter_names.iter().map(|name| Cell::new(count(name)).right());
        cells.into_iter().chain(counts).collect()
    };
    std::iter::once(heads.collect()).chain(all.iter().map(line)).collect()
}

/// The label of a definition. If the list has several definitions of one hook, the start of the version is added.
fn definition_label(row: &StatsRow, all: &[StatsRow]) -> String {
    let same = |other: &&StatsRow| (&other.hook, &other.project, &other.event) == (&row.hook, &row.project, &row.event);
    if row.version.is_empty() || all.iter().filter(same).count() == 1 {
        return shorten_label(&row.label);
    }
    format!(
        "{} #{}",
        shorten_label(&row.label),
        &row.version[..row.version.len().min(6)]
    )
}

/// A label may be a whole command, so at most 32 characters are shown.
fn shorten_label(label: &str) -> String {
    match label.char_indices().nth(32) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label.to_owned(),
    }
}

fn hook_cells(row: &StatsRow, all: &[StatsRow], home: &Path) -> Vec<Cell> {
    let count_of =
        |outcomes: &[StepOutcome]| -> u32 { outcomes.iter().filter_map(|outcome| row.outcomes.get(outcome)).sum() };
    let open = count_of(&[StepOutcome::FailedOpen, StepOutcome::TimedOutOpen]);
    let mut cells = vec![
        Cell::new(row.hook.clone()).style(TextStyle::Strong),
        Cell::new(definition_label(row, all)),
        Cell::new(
            row.project
                .as_deref()
                .map_or_else(String::new, |path| with_tilde(path, home)),
        )
        .style(TextStyle::Dim),
        Cell::new(row.event.clone()).style(TextStyle::Dim),
        Cell::new(row.runs.to_string()).right(),
    ];
    let time = |ms| {
        if row.attempts == 0 {
            "–".to_owned()
        } else {
            duration_text(ms)
        }
    };
    cells.extend([row.p50_ms, row.p95_ms, row.p99_ms, row.max_ms].map(|ms| Cell::new(time(ms)).right()));
    cells.push(budget_cell(row.budget));
    cells.push(Cell::new(row.blocked.to_string()).right());
    cells.push(Cell::new(row.timeouts.to_string()).right());
    let open_cell = Cell::new(open.to_string()).right();
    cells.push(if open > 0 {
        open_cell.style(TextStyle::FailOpen)
    } else {
        open_cell
    });
    cells
}

/// The share of the time limit that the 95th percentile uses.
fn budget_cell(budget: Option<f64>) -> Cell {
    let text = match budget {
        None => "–".to_owned(),
        Some(share) if share < 0.01 => "<1%".to_owned(),
        Some(share) => format!("{:.0}%", share * 100.0),
    };
    Cell::new(text).right()
}
