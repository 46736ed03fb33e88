//! `hookwright list`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::hooks::{check_event_name, find_dialect, find_event};
use hookwright_model::listing::{HookRow, ListDoc};
use hookwright_model::problem::{Problem, Severity};
use serde_json::Value;

use crate::Outcome;
use crate::args::List;
use crate::ink::Tint;
use crate::line;
use crate::page::{Cell, Page, counted, moment};

/// Every hook of every source.
pub fn run(app: &App, page: &Page, project: &Path, what: &List) -> Outcome {
    match (&what.dialect, &what.event) {
        // What the agent fires and Hookwright does not is listed all the same.
        (Some(dialect), Some(event)) if find_dialect(dialect)?.card().unfired.contains(&event.as_str()) => {}
        (Some(dialect), Some(event)) => drop(find_event(dialect, event)?),
        (Some(dialect), None) => drop(find_dialect(dialect)?),
        (None, Some(event)) => check_event_name(event)?,
        (None, None) => {}
    }
    let desk = match &what.dialect {
        Some(dialect) => app.read_dialect(project, dialect)?,
        None => app.open_project(project)?,
    };
    let doc = app.list(&desk.snapshot(), what.dialect.as_deref(), what.event.as_deref());
    if page.json {
        page.document(&doc);
    } else {
        text(page, &doc, what.event.as_deref(), &desk.project, &app.env.home);
    }
    Ok(ExitCode::SUCCESS)
}

fn text(page: &Page, doc: &ListDoc, event: Option<&str>, project: &Path, home: &Path) {
    if doc.hooks.is_empty() {
        let whom = event.map(|event| format!(" for {event}")).unwrap_or_default();
        page.line(format!("No hooks{whom} here. These places were looked at:"));
        for source in &doc.sources {
            let about = |problem: &&Problem| problem.path.starts_with(&source.path);
            let errors = doc
                .problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error);
            let state = match source.hooks {
                0 if source.exists => match errors.filter(about).count() {
                    0 => "empty".to_owned(),
                    errors => counted(errors, "error"),
                },
                0 => "not there".to_owned(),
                others => format!("{others} for other events"),
            };
            page.line(line!["  ", short(&source.path, home), "  ", Tint::Quiet.of(state)]);
        }
        problems(page, doc);
        page.remark("`hookwright add --help` shows how a first hook is written");
        return;
    }
    let mut rows = vec![
        ["", "hook", "", "event", "runs when", "source", "state"]
            .map(|head| Cell::of(head).tint(Tint::Quiet))
            .to_vec(),
    ];
    rows.extend(doc.hooks.iter().map(|row| hook_row(row, project, home)));
    page.table(&rows);
    problems(page, doc);
}

/// What is wrong, hints aside: `check` has those too.
fn problems(page: &Page, doc: &ListDoc) {
    let told = || doc.problems.iter().filter(|problem| problem.severity != Severity::Hint);
    if told().next().is_some() {
        page.line("");
    }
    told().for_each(|problem| page.problem(problem));
}

fn hook_row(row: &HookRow, project: &Path, home: &Path) -> Vec<Cell> {
    let (state, tint) = state(row);
    vec![
        Cell::of(row.position.map_or_else(|| "–".to_owned(), |place| place.to_string())).right(),
        Cell::of(row.hook.clone()).tint(Tint::Strong),
        Cell::of(row.label.clone()),
        Cell::of(row.event.clone()),
        Cell::of(filter(row).unwrap_or_else(|| "always".to_owned())),
        Cell::of(format!("{}:{}", place(&row.path, project, home), row.line)).tint(Tint::Quiet),
        Cell::of(state).tint(tint),
    ]
}

/// The definition's own condition: `key=value` of each, or what it names one by one; `None` where there is none.
pub fn filter(row: &HookRow) -> Option<String> {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts: Vec<String> = match &row.filter {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(key, value)| format!("{key}={}", word(value)))
            .collect(),
        Some(Value::Array(items)) => items.iter().map(word).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => vec![word(other)],
    };
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn state(row: &HookRow) -> (String, Tint) {
    if !row.valid {
        ("invalid".to_owned(), Tint::Deny)
    } else if let Some(by) = &row.shadowed_by {
        (format!("shadowed by {by}"), Tint::Quiet)
    } else if !row.trusted {
        ("needs review".to_owned(), Tint::Fail)
    } else if !row.enabled {
        ("off".to_owned(), Tint::Quiet)
    } else if row.muted {
        (
            row.muted_until
                .as_ref()
                .map_or_else(|| "muted".to_owned(), |until| format!("muted until {}", clock(until))),
            Tint::Quiet,
        )
    } else {
        ("on".to_owned(), Tint::Allow)
    }
}

/// A time of a document as the person's own clock shows it.
fn clock(time: &str) -> String {
    time.parse().map_or_else(|_| time.to_owned(), moment)
}

/// A path of the project as seen from there, any other with the home directory written `~`.
fn place(path: &str, project: &Path, home: &Path) -> String {
    Path::new(path)
        .strip_prefix(project)
        .map_or_else(|_| short(path, home), |rest| rest.display().to_string())
}

/// A path with the home directory written `~`.
#[must_use]
pub fn short(path: &str, home: &Path) -> String {
    Path::new(path)
        .strip_prefix(home)
        .map_or_else(|_| path.to_owned(), |rest| format!("~/{}", rest.display()))
}
