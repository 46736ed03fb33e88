//! `hookwright undo`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_model::{EditKind, EditRow, TurnedTo};
use hookwright_serve::Signals;
use hookwright_workspace::edit::{WriteMode, undo};

use crate::edit::{or_signal, style_diff_line};
use crate::list::with_tilde;
use crate::output::{Cell, Output, local_time};
use crate::style::TextStyle;
use crate::{CommandResult, running_engine};

/// Undoes an edit. A signal waits until the files are complete, as for the edit itself.
pub async fn run(app: &App, output: &Output, project: &Path, edit: Option<&str>, dry_run: bool) -> CommandResult {
    let mut signals = Signals::listen().ok();
    let write_mode = if dry_run { WriteMode::DryRun } else { WriteMode::Now };
    let result = undo::undo(&app.workspace, project, edit, write_mode);
    let report = async {
        let doc = result?;
        if !dry_run {
            running_engine::notify_files_changed(app).await;
        }
        if output.json {
            output.document(&doc);
            return Ok(ExitCode::SUCCESS);
        }
        for line in doc.diff.lines() {
            output.line(style_diff_line(line));
        }
        for notice in &doc.notices {
            output.print_note(&notice.text);
        }
        if dry_run {
            output.print_note("dry run: nothing was written");
            return Ok(ExitCode::SUCCESS);
        }
        let redo_hint = doc
            .edit
            .iter()
            .map(|edit| format!("; run `hookwright undo {edit}` to redo it"));
        let redo_hint: String = redo_hint.collect();
        output.print_note(format!(
            "undone ({}): {}{redo_hint}",
            edit_kind_label(doc.what),
            doc.files.join(", ")
        ));
        Ok(ExitCode::SUCCESS)
    };
    or_signal(&mut signals, report).await
}

/// Lists the stored edits.
pub fn list(app: &App, output: &Output) -> CommandResult {
    let doc = undo::list(&app.workspace);
    if output.json {
        output.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    output.app_file_problems(&doc.problems);
    if doc.edits.is_empty() {
        output.line("No edits to undo. Hookwright stores edits by `hookwright add`, `edit`, `remove`, `turn-off`, `turn-on`, `convert`, `connect` and the window.");
        return Ok(ExitCode::SUCCESS);
    }
    let row = |row: &EditRow| {
        let subject = match (&row.undoes, &row.hook) {
            (Some(undoes), _) => undoes.clone(),
            (None, hook) => hook.clone().unwrap_or_default(),
        };
        vec![
            Cell::new(row.edit.clone()).style(TextStyle::Dim),
            Cell::new(local_time(row.at)),
            Cell::new(match row.turned {
                Some(TurnedTo::Off) => "turn-off",
                Some(TurnedTo::On) => "turn-on",
                None => edit_kind_label(row.what),
            }),
            Cell::new(subject),
            Cell::new(with_tilde(&row.path, &app.workspace.env.home)),
            Cell::new(if row.undone_by.is_some() { "undone" } else { "" }).style(TextStyle::Dim),
        ]
    };
    output.table(&doc.edits.iter().map(row).collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

const fn edit_kind_label(what: EditKind) -> &'static str {
    match what {
        EditKind::Add => "add",
        EditKind::Edit => "edit",
        EditKind::Remove => "remove",
        EditKind::Save => "save",
        EditKind::Undo => "undo",
    }
}
