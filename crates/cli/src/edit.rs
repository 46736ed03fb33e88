//! `hookwright add`, `edit` and `remove`

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::EditDoc;
use hookwright_app::edit::requests::{change_request, parse_definition, parse_set, target_layer};
use hookwright_app::edit::{EditRefusal, WriteMode};
use hookwright_model::{EditRequest, HookChange};
use hookwright_serve::{Signal, Signals};

use crate::args::{Add, Edit, FieldChange};
use crate::ink::{Line, Tint};
use crate::page::{Page, io_fault};
use crate::{FAILED, Outcome, living};

/// Puts a new hook into a file.
pub async fn add(app: &App, page: &Page, project: &Path, what: Add) -> Outcome {
    let text = if what.definition == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| io_fault("stdin", &error))?;
        text
    } else {
        what.definition
    };
    let intention = EditRequest::Add {
        event: what.event,
        layer: target_layer(&what.layer)?,
        definition: parse_definition(&text)?,
    };
    done(app, page, project, Some(&what.dialect), &intention, what.dry_run).await
}

/// Changes a hook.
pub async fn edit(app: &App, page: &Page, project: &Path, what: Edit) -> Outcome {
    let mut changes = Vec::new();
    for field in what.fields.0 {
        changes.push(match field {
            FieldChange::Set(words) => parse_set(&words)?,
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
        changes.push(HookChange::ToShelf(target_layer(layer)?));
    }
    changes.extend(what.move_to.map(HookChange::MoveTo));
    let intention = change_request(what.hook, changes)?;
    done(app, page, project, None, &intention, what.dry_run).await
}

/// Takes a hook out.
pub async fn remove(app: &App, page: &Page, project: &Path, hook: String, dry_run: bool) -> Outcome {
    let intention = EditRequest::Remove { hook };
    done(app, page, project, None, &intention, dry_run).await
}

/// Does it and tells it. A signal that would end the program waits until the files are whole: a new text that never comes
/// to its place would stay beside it.
async fn done(
    app: &App,
    page: &Page,
    project: &Path,
    dialect: Option<&str>,
    intention: &EditRequest,
    dry_run: bool,
) -> Outcome {
    let mut signals = Signals::listen().ok();
    let writing = if dry_run { WriteMode::DryRun } else { WriteMode::Now };
    let done = app.edit(project, dialect, intention, writing);
    or_signal(&mut signals, told(app, page, done)).await
}

/// Tells what was done, unless a signal wants the program to end.
pub async fn or_signal(signals: &mut Option<Signals>, told: impl Future<Output = Outcome>) -> Outcome {
    let Some(signals) = signals else {
        return told.await;
    };
    tokio::select! {
        told = told => told,
        signal = signals.next() => Ok(ExitCode::from(match signal {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        })),
    }
}

async fn told(app: &App, page: &Page, done: Result<EditDoc, EditRefusal>) -> Outcome {
    let doc = match done {
        Ok(doc) => doc,
        Err(EditRefusal::Fault(fault)) => return Err(fault),
        Err(EditRefusal::Problems(doc, fault)) => {
            if page.json {
                page.document(&*doc);
            }
            page.fault(&fault);
            return Ok(ExitCode::from(FAILED));
        }
    };
    if doc.written {
        living::nudge(app).await;
    }
    if page.json {
        page.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    for line in doc.diff.lines() {
        page.line(tinted(line));
    }
    for (old, new) in &doc.moved {
        page.remark(format!("{old} is {new} now"));
    }
    for notice in &doc.notices {
        page.remark(&notice.text);
    }
    for problem in &doc.problems {
        page.remark(crate::page::problem_line(problem));
    }
    let hook = doc.hook.as_deref().unwrap_or("the hook is gone");
    page.remark(match (doc.written, doc.diff.is_empty()) {
        (true, _) if Path::new(&doc.path).exists() => format!("{hook}: {} is written", doc.path),
        (true, _) => format!("{hook}: {} is deleted", doc.path),
        (false, true) => "nothing to change".to_owned(),
        (false, false) => "nothing is written: this is a dry run".to_owned(),
    });
    Ok(ExitCode::SUCCESS)
}

/// A line of a unified diff.
pub fn tinted(line: &str) -> Line {
    match line.as_bytes().first() {
        Some(b'+') => Tint::Allow.of(line),
        Some(b'-') => Tint::Deny.of(line),
        Some(b'@') => Tint::Quiet.of(line),
        Some(_) | None => line.into(),
    }
}
