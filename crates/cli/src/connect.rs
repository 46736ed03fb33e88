//! `hookwright connect` and `disconnect`

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_model::EditDoc;
use hookwright_serve::Signals;
use hookwright_workspace::edit::relay_hooks::{self, TrustMode, WrapMode};
use hookwright_workspace::edit::{EditRefusal, WriteMode};

use crate::args::{ConnectArgs, ConnectionArgs};
use crate::edit::{or_signal, print_refusal, style_diff_line};
use crate::output::{Output, confirmed, styled_problem};
use crate::{CommandResult, EXIT_FAILED, running_engine};

/// What is done with the agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Connect(WrapMode, TrustMode),
    Disconnect,
}

/// Puts the relay into the agent's own configuration.
pub async fn connect(app: &App, output: &Output, project: &Path, what: &ConnectArgs) -> CommandResult {
    let wrap = if what.wrap {
        WrapMode::WrapOwnHooks
    } else {
        WrapMode::OwnHooksStay
    };
    let trust = if what.trust {
        TrustMode::ApproveRelay
    } else {
        TrustMode::UserReviews
    };
    run(app, output, project, Task::Connect(wrap, trust), &what.connection).await
}

/// Removes the relay from the agent's own configuration.
pub async fn disconnect(app: &App, output: &Output, project: &Path, what: &ConnectionArgs) -> CommandResult {
    run(app, output, project, Task::Disconnect, what).await
}

/// Shows the change, and writes it if the user wants it. A signal waits until the files are complete.
async fn run(app: &App, output: &Output, project: &Path, task: Task, what: &ConnectionArgs) -> CommandResult {
    let perform = |mode: WriteMode| match task {
        Task::Connect(wrap, trust) => relay_hooks::connect(&app.workspace, project, &what.target, wrap, trust, mode),
        Task::Disconnect => relay_hooks::disconnect(&app.workspace, project, &what.target, mode),
    };
    let mut signals = Signals::listen().ok();
    if what.yes {
        let result = perform(WriteMode::Now);
        return or_signal(&mut signals, report(app, output, result, task, what)).await;
    }
    let shown = match perform(WriteMode::DryRun) {
        Ok(shown) => shown,
        Err(refusal) => return print_refusal(output, refusal),
    };
    let is_done = shown.diff.is_empty();
    let asks = !what.dry_run && !is_done && !output.json && std::io::stdin().is_terminal();
    if !asks {
        print_change(output, &shown, task, what);
        let waits = !what.dry_run && !is_done;
        if waits {
            output.print_note(
                "nothing was written, because without a terminal you cannot be asked; add `--yes` to write this change",
            );
        }
        return Ok(ExitCode::from(if waits { EXIT_FAILED } else { 0 }));
    }
    print_diff(output, &shown);
    if !confirmed("Write this change?")? {
        output.print_note("nothing was written");
        return Ok(ExitCode::from(EXIT_FAILED));
    }
    let now = perform(WriteMode::DryRun);
    if !now.is_ok_and(|now| now.diff == shown.diff) {
        output.print_note("the files changed before you confirmed, so nothing was written; run the command again");
        return Ok(ExitCode::from(EXIT_FAILED));
    }
    let doc = match perform(WriteMode::Now) {
        Ok(doc) => doc,
        Err(refusal) => return print_refusal(output, refusal),
    };
    running_engine::notify_files_changed(app).await;
    for notice in doc.notices.iter().filter(|notice| !shown.notices.contains(notice)) {
        output.print_note(&notice.text);
    }
    print_result(output, &doc, task, what);
    Ok(ExitCode::SUCCESS)
}

async fn report(
    app: &App,
    output: &Output,
    result: Result<EditDoc, EditRefusal>,
    task: Task,
    what: &ConnectionArgs,
) -> CommandResult {
    match result {
        Ok(doc) => {
            if doc.written {
                running_engine::notify_files_changed(app).await;
            }
            print_change(output, &doc, task, what);
            Ok(ExitCode::SUCCESS)
        }
        Err(refusal) => print_refusal(output, refusal),
    }
}

fn print_change(output: &Output, doc: &EditDoc, task: Task, what: &ConnectionArgs) {
    if output.json {
        output.document(doc);
        return;
    }
    print_diff(output, doc);
    print_result(output, doc, task, what);
}

fn print_diff(output: &Output, doc: &EditDoc) {
    for line in doc.diff.lines() {
        output.line(style_diff_line(line));
    }
    for problem in &doc.problems {
        output.print_note(styled_problem(problem));
    }
    for notice in &doc.notices {
        output.print_note(&notice.text);
    }
}

fn print_result(output: &Output, doc: &EditDoc, task: Task, what: &ConnectionArgs) {
    let target = &what.target;
    output.print_note(match (task, doc.written, doc.diff.is_empty()) {
        (Task::Connect(..), true, _) => {
            format!("{target} is connected; run `hookwright disconnect {target}` to remove the relay again")
        }
        (Task::Disconnect, true, _) => format!("{target} is no longer connected"),
        (Task::Connect(..), false, true) => format!("nothing to change: {target} is connected"),
        (Task::Disconnect, false, true) => format!("nothing to change: {target} is not connected"),
        (Task::Connect(..) | Task::Disconnect, false, false) if what.dry_run => {
            "dry run: nothing was written".to_owned()
        }
        (Task::Connect(..) | Task::Disconnect, false, false) => return,
    });
}
