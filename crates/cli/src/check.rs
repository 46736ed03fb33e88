//! `hookwright check`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::CheckDoc;
use hookwright_app::hooks::find_dialect;
use hookwright_model::problem::{Problem, Severity};

use crate::args::Check;
use crate::page::{Page, counted};
use crate::progress::progress;
use crate::{FAILED, Outcome};

/// One line a problem; exit 1 only when there is an error.
pub async fn run(app: &App, page: &Page, project: &Path, what: &Check) -> Outcome {
    if let Some(dialect) = &what.dialect {
        find_dialect(dialect)?;
    }
    let doc = if what.paths.is_empty() {
        let desk = app.open_project(project)?;
        if what.import {
            let snapshot = desk.snapshot();
            let imports = app.import_modules(&snapshot, &desk.project);
            progress("importing modules", imports).await;
            desk.refresh();
        }
        app.check_project(&desk.snapshot(), what.dialect.as_deref())
    } else {
        if what.import {
            let imports = app.import_paths(&what.paths, what.dialect.as_deref());
            progress("importing modules", imports).await?;
        }
        app.check_paths(&what.paths, what.dialect.as_deref())?
    };
    let errors = doc
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    if page.json {
        page.document(&doc);
    } else {
        for gathered in gather(&doc.problems) {
            page.problem_at(gathered.problem, &gathered.also);
        }
        page.remark(summary(&doc));
        if doc.checked.is_empty() && doc.others.is_empty() {
            page.remark("run `hookwright list` to see where configuration is read from");
        }
    }
    Ok(if errors > 0 {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// A problem, and the lines at which the same is wrong again.
struct Gathered<'a> {
    problem: &'a Problem,
    also: Vec<u32>,
}

/// One fault that several hooks of a file have is one line.
fn gather(problems: &[Problem]) -> Vec<Gathered<'_>> {
    let mut out: Vec<Gathered<'_>> = Vec::new();
    for problem in problems {
        let same = |one: &&mut Gathered<'_>| {
            let first = one.problem;
            first.path == problem.path
                && first.line.is_some()
                && problem.line.is_some()
                && (first.severity, first.code) == (problem.severity, problem.code)
                && (&first.message, &first.hint) == (&problem.message, &problem.hint)
        };
        match (out.iter_mut().find(same), problem.line) {
            (Some(known), Some(line)) => known.also.push(line),
            (_, _) => out.push(Gathered {
                problem,
                also: Vec::new(),
            }),
        }
    }
    out
}

fn summary(doc: &CheckDoc) -> String {
    let count = |severity| {
        doc.problems
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    };
    let files = usize::try_from(doc.files).unwrap_or(usize::MAX);
    let mut text = format!(
        "{} checked, {}",
        counted(files, "file"),
        counted(count(Severity::Error), "error")
    );
    for (count, one) in [(count(Severity::Warning), "warning"), (count(Severity::Hint), "hint")] {
        if count > 0 {
            text += &format!(", {}", counted(count, one));
        }
    }
    if !doc.others.is_empty() {
        text += &format!("; {} of another agent not checked", counted(doc.others.len(), "file"));
    }
    text
}
