//! `hookwright undo`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::EditRow;
use hookwright_app::edit::EditKind;
use hookwright_serve::Signals;

use crate::edit::{or_signal, tinted};
use crate::ink::Tint;
use crate::list::short;
use crate::page::{Cell, Page, moment};
use crate::{Outcome, living};

/// Takes an edit back. A signal waits until the files are whole, as for the edit itself.
pub async fn run(app: &App, page: &Page, project: &Path, edit: Option<&str>) -> Outcome {
    let mut signals = Signals::listen().ok();
    let done = app.undo(project, edit);
    let told = async {
        let doc = done?;
        living::nudge(app).await;
        if page.json {
            page.document(&doc);
            return Ok(ExitCode::SUCCESS);
        }
        for line in doc.diff.lines() {
            page.line(tinted(line));
        }
        for notice in &doc.notices {
            page.remark(&notice.text);
        }
        let again = doc
            .edit
            .iter()
            .map(|edit| format!("; run `hookwright undo {edit}` to redo it"));
        let again: String = again.collect();
        page.remark(format!("undone ({}): {}{again}", word(doc.what), doc.files.join(", ")));
        Ok(ExitCode::SUCCESS)
    };
    or_signal(&mut signals, told).await
}

/// Shows the kept edits.
pub fn list(app: &App, page: &Page) -> Outcome {
    let doc = app.edits();
    if page.json {
        page.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    page.own_problems(&doc.problems);
    if doc.edits.is_empty() {
        page.line("No edits are kept. Hookwright keeps the edits that `hookwright add`, `edit`, `remove` and the window make.");
        return Ok(ExitCode::SUCCESS);
    }
    let row = |row: &EditRow| {
        let about = match (&row.undoes, &row.hook) {
            (Some(undoes), _) => undoes.clone(),
            (None, hook) => hook.clone().unwrap_or_default(),
        };
        vec![
            Cell::of(row.edit.clone()).tint(Tint::Quiet),
            Cell::of(moment(row.at)),
            Cell::of(word(row.what)),
            Cell::of(about),
            Cell::of(short(&row.path, &app.env.home)),
            Cell::of(if row.undone_by.is_some() { "undone" } else { "" }).tint(Tint::Quiet),
        ]
    };
    page.table(&doc.edits.iter().map(row).collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

const fn word(what: EditKind) -> &'static str {
    match what {
        EditKind::Add => "add",
        EditKind::Edit => "edit",
        EditKind::Remove => "remove",
        EditKind::Undo => "undo",
    }
}
