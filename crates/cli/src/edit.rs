//! `hookwright add`, `edit`, `remove`, `turn-off` and `turn-on`

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::payload::MAX_PAYLOAD_BYTES;
use hookwright_app::{App, samples};
use hookwright_model::{EditDoc, EditRequest, HookChange};
use hookwright_serve::{Signal, Signals};
use hookwright_workspace::edit;
use hookwright_workspace::edit::requests::{change_request, parse_definition, parse_set, target_layer};
use hookwright_workspace::edit::{EditRefusal, WriteMode, turned_off};

use crate::args::{AddArgs, EditArgs, FieldChange};
use crate::output::{Output, io_fault};
use crate::style::{StyledLine, TextStyle};
use crate::{CommandResult, EXIT_FAILED, running_engine};

/// Adds a new hook to a file, or the hooks of a sample.
pub async fn add(app: &App, output: &Output, project: &Path, what: AddArgs) -> CommandResult {
    if let Some(sample) = &what.sample {
        let layer = what.layer.as_deref().map(target_layer).transpose()?;
        let mut signals = Signals::listen().ok();
        let result = samples::add(app, project, sample, layer, write_mode(what.dry_run));
        return or_signal(&mut signals, report(app, output, result)).await;
    }
    // Without a sample all of these are required.
    let definition = what.definition.unwrap_or_default();
    let text = if definition == "-" {
        let mut text = String::new();
        let read = std::io::stdin()
            .lock()
            .take(MAX_PAYLOAD_BYTES as u64)
            .read_to_string(&mut text);
        read.map_err(|error| io_fault("stdin", &error))?;
        text
    } else {
        definition
    };
    let request = EditRequest::Add {
        event: what.event.unwrap_or_default(),
        layer: target_layer(&what.layer.unwrap_or_default())?,
        definition: parse_definition(&text)?,
    };
    apply_and_report(app, output, project, what.dialect.as_deref(), &request, what.dry_run).await
}

/// Changes a hook: its fields, whether it is enabled, its position, its file, or a copy of it.
pub async fn edit(app: &App, output: &Output, project: &Path, what: EditArgs) -> CommandResult {
    let mut changes = Vec::new();
    for field in what.fields.0 {
        changes.push(match field {
            FieldChange::Set(assignment) => parse_set(&assignment)?,
            FieldChange::Unset(field) => HookChange::Unset { field },
        });
    }
    if what.enable {
        changes.push(HookChange::Enable);
    }
    if what.disable {
        changes.push(HookChange::Disable);
    }
    if what.duplicate {
        changes.push(HookChange::Duplicate);
    }
    if let Some(layer) = &what.to_layer {
        changes.push(HookChange::ToLayer(target_layer(layer)?));
    }
    changes.extend(what.move_to.map(HookChange::MoveTo));
    let request = change_request(what.hook, changes)?;
    apply_and_report(app, output, project, None, &request, what.dry_run).await
}

/// Removes a hook from its file.
pub async fn remove(app: &App, output: &Output, project: &Path, hook: String, dry_run: bool) -> CommandResult {
    let request = EditRequest::Remove { hook };
    apply_and_report(app, output, project, None, &request, dry_run).await
}

/// Turns a hook off for the agent.
pub async fn turn_off(app: &App, output: &Output, project: &Path, hook: &str, dry_run: bool) -> CommandResult {
    let mut signals = Signals::listen().ok();
    let result = turned_off::turn_off(&app.workspace, project, hook, write_mode(dry_run));
    or_signal(&mut signals, report(app, output, result)).await
}

/// Turns a hook on for the agent.
pub async fn turn_on(app: &App, output: &Output, project: &Path, id: &str, dry_run: bool) -> CommandResult {
    let mut signals = Signals::listen().ok();
    let result = turned_off::turn_on(&app.workspace, project, id, write_mode(dry_run));
    or_signal(&mut signals, report(app, output, result)).await
}

/// Applies an edit and reports it. A signal that would end the program waits until the files are complete. Otherwise a
/// new text that was not yet moved to its path would remain as a temporary file next to it.
async fn apply_and_report(
    app: &App,
    output: &Output,
    project: &Path,
    dialect: Option<&str>,
    request: &EditRequest,
    dry_run: bool,
) -> CommandResult {
    let mut signals = Signals::listen().ok();
    let result = edit::perform(&app.workspace, project, dialect, request, write_mode(dry_run));
    or_signal(&mut signals, report(app, output, result)).await
}

fn write_mode(dry_run: bool) -> WriteMode {
    if dry_run { WriteMode::DryRun } else { WriteMode::Now }
}

/// Waits for the report, unless a signal ends the program first.
pub async fn or_signal(signals: &mut Option<Signals>, report: impl Future<Output = CommandResult>) -> CommandResult {
    let Some(signals) = signals else {
        return report.await;
    };
    tokio::select! {
        outcome = report => outcome,
        signal = signals.next() => Ok(ExitCode::from(match signal {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        })),
    }
}

async fn report(app: &App, output: &Output, result: Result<EditDoc, EditRefusal>) -> CommandResult {
    let doc = match result {
        Ok(doc) => doc,
        Err(refusal) => return print_refusal(output, refusal),
    };
    if doc.written {
        running_engine::notify_files_changed(app).await;
    }
    if output.json {
        output.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    for line in doc.diff.lines() {
        output.line(style_diff_line(line));
    }
    if let Some((old, new)) = doc.moved.first_key_value() {
        let more = match doc.moved.len() - 1 {
            0 => String::new(),
            1 => "; another hook has a new id, see `--json`".to_owned(),
            more => format!("; {more} more hooks have new ids, see `--json`"),
        };
        output.print_note(format!("{old} is {new} now{more}"));
    }
    for notice in &doc.notices {
        output.print_note(&notice.text);
    }
    for problem in &doc.problems {
        output.print_note(crate::output::styled_problem(problem));
    }
    let gone = match doc.turned_off {
        Some(_) => "the hook is turned off",
        None => "the hook no longer exists",
    };
    let hook = doc.hook.as_deref().unwrap_or(gone);
    output.print_note(match (doc.written, doc.diff.is_empty()) {
        (true, _) if Path::new(&doc.path).exists() => format!("{hook}: {} is written", doc.path),
        (true, _) => format!("{hook}: {} is deleted", doc.path),
        (false, true) => "nothing to change".to_owned(),
        (false, false) => "dry run: nothing was written".to_owned(),
    });
    Ok(ExitCode::SUCCESS)
}

/// Prints why an edit is refused, in JSON with the Problems that it would cause.
pub fn print_refusal(output: &Output, refusal: EditRefusal) -> CommandResult {
    match refusal {
        EditRefusal::Other(reason) => Err(reason.into()),
        EditRefusal::Problems(doc, reason) => {
            if output.json {
                output.document(&*doc);
            }
            output.fault(&reason.into());
            Ok(ExitCode::from(EXIT_FAILED))
        }
    }
}

/// Colours a line of a unified diff.
pub fn style_diff_line(line: &str) -> StyledLine {
    match line.as_bytes().first() {
        Some(b'+') => TextStyle::Allow.apply_to(line),
        Some(b'-') => TextStyle::Deny.apply_to(line),
        Some(b'@') => TextStyle::Dim.apply_to(line),
        Some(_) | None => line.into(),
    }
}
