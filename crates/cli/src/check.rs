//! `hookwright check`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::CheckDoc;
use hookwright_app::hooks::find_dialect;
use hookwright_model::problem::Severity;

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
        let desk = app.desk(project)?;
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
        for problem in &doc.problems {
            page.problem(problem);
        }
        page.remark(summary(&doc));
        if doc.checked.is_empty() {
            page.remark("`hookwright list` shows where configuration is looked for");
        }
    }
    Ok(if errors > 0 {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

fn summary(doc: &CheckDoc) -> String {
    let count = |severity| {
        doc.problems
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    };
    let (files, errors) = (doc.checked.len(), count(Severity::Error));
    let mut text = format!("{} checked, {}", counted(files, "file"), counted(errors, "error"));
    for (count, one) in [(count(Severity::Warning), "warning"), (count(Severity::Hint), "hint")] {
        if count > 0 {
            text += &format!(", {}", counted(count, one));
        }
    }
    text
}
