//! `hookwright list`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::lookup::{check_event_name, find_dialect, find_event};
use hookwright_app::{App, hooks};
use hookwright_model::listing::{HookRow, ListDoc};
use hookwright_model::problem::{Problem, Severity};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::args::ListArgs;
use crate::output::{Cell, Output, local_time, pluralize};
use crate::style::TextStyle;
use crate::{CommandResult, line};

/// Lists every hook of every source.
pub fn run(app: &App, output: &Output, project: &Path, what: &ListArgs) -> CommandResult {
    match (&what.dialect, &what.event) {
        // An event that the agent fires and Hookwright does not is listed as well.
        (Some(dialect), Some(event)) if find_dialect(dialect)?.card().unfired.contains(&event.as_str()) => {}
        (Some(dialect), Some(event)) => drop(find_event(dialect, event)?),
        (Some(dialect), None) => drop(find_dialect(dialect)?),
        (None, Some(event)) => check_event_name(event)?,
        (None, None) => {}
    }
    let open_project = match &what.dialect {
        Some(dialect) => app.workspace.read_dialect(project, dialect)?,
        None => app.workspace.open_project(project)?,
    };
    let (dialect, event) = (what.dialect.as_deref(), what.event.as_deref());
    let snapshot = open_project.snapshot();
    if output.json {
        let written_one_by_one = |rows| WrittenRows(std::cell::Cell::new(Some(rows)));
        output.document(&hooks::list_as(app, &snapshot, dialect, event, written_one_by_one));
    } else {
        let doc = hooks::list(app, &snapshot, dialect, event);
        print_text(output, &doc, event, &open_project.project, &app.workspace.env.home);
    }
    Ok(ExitCode::SUCCESS)
}

/// Rows that are made while they are written, so that the rows of a large project are never in memory together. They
/// can be written once.
struct WrittenRows<I>(std::cell::Cell<Option<I>>);

impl<I: Iterator<Item = HookRow>> Serialize for WrittenRows<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

fn print_text(output: &Output, doc: &ListDoc, event: Option<&str>, project: &Path, home: &Path) {
    for notice in &doc.notices {
        output.print_note(&notice.text);
    }
    if doc.hooks.is_empty() {
        let for_event = event.map(|event| format!(" for {event}")).unwrap_or_default();
        output.line(format!("No hooks{for_event} here. Locations that were checked:"));
        for source in &doc.sources {
            let is_of_source = |problem: &&Problem| problem.path.starts_with(&source.path);
            let errors = doc
                .problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error);
            let state = match source.hooks {
                0 if source.exists => match errors.filter(is_of_source).count() {
                    0 => "empty".to_owned(),
                    errors => pluralize(errors, "error"),
                },
                0 => "does not exist".to_owned(),
                others => format!("{others} for other events"),
            };
            output.line(line![
                "  ",
                with_tilde(&source.path, home),
                "  ",
                TextStyle::Dim.apply_to(state)
            ]);
        }
        print_turned_off(output, doc, project, home);
        print_problems(output, doc);
        output.print_note("run `hookwright add --help` for an example of a first hook");
        return;
    }
    let mut rows = vec![
        ["", "hook", "", "event", "runs when", "source", "state"]
            .map(|head| Cell::new(head).style(TextStyle::Dim))
            .to_vec(),
    ];
    rows.extend(doc.hooks.iter().map(|row| hook_row(row, project, home)));
    output.table(&rows);
    print_turned_off(output, doc, project, home);
    print_problems(output, doc);
}

/// Prints the hooks that are turned off, with the ids that `turn-on` takes.
fn print_turned_off(output: &Output, doc: &ListDoc, project: &Path, home: &Path) {
    if doc.turned_off.is_empty() {
        return;
    }
    output.line("");
    output.line("Turned off for the agent; run `hookwright turn-on ID` to restore one:");
    let head = ["id", "hook", "", "event", "source", "since"];
    let mut rows = vec![head.map(|head| Cell::new(head).style(TextStyle::Dim)).to_vec()];
    rows.extend(doc.turned_off.iter().map(|row| {
        let events = if row.serves.is_empty() {
            row.event.clone()
        } else {
            row.serves.join(", ")
        };
        vec![
            Cell::new(row.id.clone()).style(TextStyle::Strong),
            Cell::new(row.hook.clone()),
            Cell::new(row.label.clone()),
            Cell::new(events),
            Cell::new(format!("{}:{}", short_path(&row.path, project, home), row.line)).style(TextStyle::Dim),
            Cell::new(local_time(row.at)).style(TextStyle::Dim),
        ]
    }));
    output.table(&rows);
}

/// Prints errors and warnings. Hints are left out, because `check` prints them.
fn print_problems(output: &Output, doc: &ListDoc) {
    let shown = || doc.problems.iter().filter(|problem| problem.severity != Severity::Hint);
    if shown().next().is_some() {
        output.line("");
    }
    shown().for_each(|problem| output.problem(problem));
}

fn hook_row(row: &HookRow, project: &Path, home: &Path) -> Vec<Cell> {
    let (state, style) = state(row);
    vec![
        Cell::new(row.position.map_or_else(|| "–".to_owned(), |place| place.to_string())).right(),
        Cell::new(row.hook.clone()).style(TextStyle::Strong),
        Cell::new(row.label.clone()),
        Cell::new(row.event.clone()),
        Cell::new(filter_text(row).unwrap_or_else(|| "always".to_owned())),
        Cell::new(format!("{}:{}", short_path(&row.path, project, home), row.line)).style(TextStyle::Dim),
        Cell::new(state).style(style),
    ]
}

/// The condition of the definition: `key=value` for each pair, or the listed names; `None` if there is none.
pub fn filter_text(row: &HookRow) -> Option<String> {
    let to_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts: Vec<String> = match &row.filter {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(key, value)| format!("{key}={}", to_text(value)))
            .collect(),
        Some(Value::Array(items)) => items.iter().map(to_text).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => vec![to_text(other)],
    };
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn state(row: &HookRow) -> (String, TextStyle) {
    if row.health.state.is_fault() {
        (row.health.state.as_str().replace('_', " "), TextStyle::Deny)
    } else if let Some(by) = &row.shadowed_by {
        (format!("shadowed by {by}"), TextStyle::Dim)
    } else if let Some(denied) = &row.denied {
        (denied.why.clone(), TextStyle::Deny)
    } else if !row.trusted {
        ("needs review".to_owned(), TextStyle::Fail)
    } else if !row.enabled {
        ("off".to_owned(), TextStyle::Dim)
    } else if row.muted {
        (
            row.muted_until.as_ref().map_or_else(
                || "muted".to_owned(),
                |until| format!("muted until {}", local_time_or_text(until)),
            ),
            TextStyle::Dim,
        )
    } else {
        ("on".to_owned(), TextStyle::Allow)
    }
}

/// A time of a document in the user's local time.
fn local_time_or_text(time: &str) -> String {
    time.parse().map_or_else(|_| time.to_owned(), local_time)
}

/// A path of the project relative to it; any other path with `~` for the home directory.
fn short_path(path: &str, project: &Path, home: &Path) -> String {
    Path::new(path)
        .strip_prefix(project)
        .map_or_else(|_| with_tilde(path, home), |rest| rest.display().to_string())
}

/// A path with `~` for the home directory.
#[must_use]
pub fn with_tilde(path: &str, home: &Path) -> String {
    Path::new(path)
        .strip_prefix(home)
        .map_or_else(|_| path.to_owned(), |rest| format!("~/{}", rest.display()))
}
