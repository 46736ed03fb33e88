//! `hookwright convert`

use std::process::ExitCode;

use hookwright_app::dto::{ConvertDoc, LossRow};
use hookwright_app::{App, convert};
use hookwright_serve::Signals;

use crate::args::ConvertArgs;
use crate::edit::or_signal;
use crate::output::{Output, pluralize};
use crate::{CommandResult, EXIT_FAILED, running_engine};

/// Prints or writes the converted files, and the loss report. Exits with 1 if a hook could not be converted at all. A
/// signal waits until the files are complete.
pub async fn run(app: &App, output: &Output, what: &ConvertArgs) -> CommandResult {
    let mut signals = Signals::listen().ok();
    let result = convert::convert_path(app, &what.from, &what.to, &what.path, what.out.as_deref());
    let report = async {
        let doc = result?;
        if doc.written {
            running_engine::notify_files_changed(app).await;
        }
        if output.json {
            output.document(&doc);
        } else {
            print(output, &doc);
        }
        Ok(if doc.unconverted > 0 {
            ExitCode::from(EXIT_FAILED)
        } else {
            ExitCode::SUCCESS
        })
    };
    or_signal(&mut signals, report).await
}

fn print(output: &Output, doc: &ConvertDoc) {
    for file in &doc.files {
        output.line(file.path.as_str());
        if doc.written {
            continue;
        }
        for line in file.text.as_deref().unwrap_or_default().lines() {
            output.line(line);
        }
        output.line("");
    }
    for loss in &doc.loss {
        output.print_note(loss_line(loss));
    }
    output.print_note(summary(doc));
}

fn loss_line(loss: &LossRow) -> String {
    let hook = loss.hook.as_ref().map(|hook| format!("{hook}: ")).unwrap_or_default();
    let hint = loss.hint.as_ref().map(|hint| format!(" → {hint}")).unwrap_or_default();
    format!("{hook}loss[{}]: {}{hint}", loss.code, loss.message)
}

fn summary(doc: &ConvertDoc) -> String {
    let verb = if doc.written { "written" } else { "converted" };
    let mut text = format!("{} {verb}", pluralize(doc.files.len(), "file"));
    if !doc.loss.is_empty() {
        text += &format!(", {}", pluralize(doc.loss.len(), "difference"));
    }
    if doc.unconverted > 0 {
        let count = usize::try_from(doc.unconverted).unwrap_or(usize::MAX);
        text += &format!("; {} not converted", pluralize(count, "definition"));
    }
    if let Some(edit) = doc.change.as_ref().and_then(|change| change.undo.as_ref()) {
        text += &format!("; run `hookwright undo {edit}` to undo it");
    }
    text
}
