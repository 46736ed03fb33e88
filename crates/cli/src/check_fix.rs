//! `hookwright check --fix`: corrects scripts that cannot start.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::App;
use hookwright_model::{FileFix, Problem};
use hookwright_workspace::edit::{WriteMode, file_fix};

use crate::edit::{print_refusal, style_diff_line};
use crate::output::{Output, confirmed};
use crate::{CommandResult, EXIT_FAILED, running_engine};

/// Whether the user is asked before files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixConsent {
    /// The user is asked on the terminal.
    Ask,
    /// `--yes` was given.
    Given,
}

/// Shows what the fixes of these problems would change, and makes the changes if the user wants them.
pub async fn run(
    app: &App,
    output: &Output,
    project: &Path,
    problems: &[Problem],
    consent: FixConsent,
) -> CommandResult {
    let fixes = fixes_of(problems);
    if fixes.is_empty() {
        output.print_note("nothing to fix");
        return Ok(ExitCode::SUCCESS);
    }
    let apply =
        |(hook, fix): &(Option<&str>, &FileFix), mode| file_fix::apply(&app.workspace, project, *hook, fix, mode);
    for fix in &fixes {
        match apply(fix, WriteMode::DryRun) {
            Ok(doc) if !output.json => doc.diff.lines().for_each(|line| output.line(style_diff_line(line))),
            Ok(_) => {}
            Err(refusal) => return print_refusal(output, refusal),
        }
    }
    if consent == FixConsent::Ask {
        if output.json || !std::io::stdin().is_terminal() {
            output.print_note(
                "nothing was written, because without a terminal you cannot be asked; add `--yes` to write this change",
            );
            return Ok(ExitCode::from(EXIT_FAILED));
        }
        if !confirmed("Write this change?")? {
            output.print_note("nothing was written");
            return Ok(ExitCode::from(EXIT_FAILED));
        }
    }
    for fix in &fixes {
        match apply(fix, WriteMode::Now) {
            Ok(doc) => {
                let undo = doc
                    .undo
                    .map(|edit| format!("; run `hookwright undo {edit}` to undo it"));
                output.print_note(format!("{} was changed{}", doc.path, undo.unwrap_or_default()));
            }
            Err(refusal) => return print_refusal(output, refusal),
        }
    }
    running_engine::notify_files_changed(app).await;
    Ok(ExitCode::SUCCESS)
}

/// Each fix once, with the hook that its problem is about.
fn fixes_of(problems: &[Problem]) -> Vec<(Option<&str>, &FileFix)> {
    let mut out: Vec<(Option<&str>, &FileFix)> = Vec::new();
    for problem in problems {
        for fix in &problem.fixes {
            if !out.iter().any(|(_, known)| *known == fix) {
                out.push((problem.hook.as_deref(), fix));
            }
        }
    }
    out
}
