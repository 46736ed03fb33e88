//! `hookwright check`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::dto::CheckDoc;
use hookwright_app::lookup::find_dialect;
use hookwright_app::{App, Fault, check, modules};
use hookwright_model::problem::{Problem, Severity};

use crate::args::CheckArgs;
use crate::check_fix::{FixConsent, Fixer};
use crate::output::{Output, pluralize};
use crate::progress::with_progress;
use crate::{CommandResult, EXIT_FAILED};

/// Prints one line per problem. Exits with 1 only when there is an error, or a fix that was not made.
pub async fn run(app: &App, output: &Output, project: &Path, what: &CheckArgs) -> CommandResult {
    if let Some(dialect) = &what.dialect {
        find_dialect(dialect)?;
    }
    let doc = check_files(app, project, what).await?;
    if what.fix {
        return fix(app, output, project, what, doc).await;
    }
    print_found(output, &doc);
    if doc.problems.iter().any(|problem| !problem.fixes.is_empty()) && !output.json {
        output.print_note("run `hookwright check --fix` to correct what is certain");
    }
    Ok(exit_code(&doc, ExitCode::SUCCESS))
}

/// Checks the given files, or those of the project and of the user.
async fn check_files(app: &App, project: &Path, what: &CheckArgs) -> Result<CheckDoc, Fault> {
    if what.paths.is_empty() {
        let open_project = app.workspace.open_project(project)?;
        if what.import {
            let snapshot = open_project.snapshot();
            let imports = modules::import_modules(app, &snapshot, &open_project.project);
            with_progress("importing modules", imports).await;
            open_project.refresh();
        }
        return Ok(check::check_project(
            app,
            &open_project.snapshot(),
            what.dialect.as_deref(),
        ));
    }
    if what.import {
        let imports = check::import_paths(app, &what.paths, what.dialect.as_deref());
        with_progress("importing modules", imports).await?;
    }
    check::check_paths(app, &what.paths, what.dialect.as_deref())
}

/// Corrects what can be corrected. The JSON document and the exit code are about what is left then.
async fn fix(app: &App, output: &Output, project: &Path, what: &CheckArgs, found: CheckDoc) -> CommandResult {
    if !output.json {
        print_found(output, &found);
    }
    let fixer = Fixer {
        app,
        output,
        project,
        consent: if what.yes { FixConsent::Given } else { FixConsent::Ask },
    };
    let known = found.problems.clone();
    let fixed = fixer.run(found, async || check_files(app, project, what).await).await?;
    if output.json {
        output.document(&fixed.left);
    } else if fixed.written > 0 {
        let new = fixed.left.problems.iter().filter(|problem| !known.contains(problem));
        new.for_each(|problem| output.problem(problem));
        output.print_note(format!("after the fixes: {}", summary(&fixed.left)));
    }
    Ok(exit_code(&fixed.left, fixed.code))
}

fn print_found(output: &Output, doc: &CheckDoc) {
    if output.json {
        output.document(doc);
        return;
    }
    for repeated in group_repeated(&doc.problems) {
        output.problem_at(repeated.problem, &repeated.other_lines);
    }
    output.print_note(summary(doc));
    if !doc.others.is_empty() {
        let count = pluralize(doc.others.len(), "file");
        output.print_note(format!(
            "{count} of other agents or programs not checked: {}",
            doc.others.join(", ")
        ));
    }
    if doc.checked.is_empty() {
        output.print_note("run `hookwright list` to see where configuration is read from");
    }
}

/// 1 if there is an error, else `otherwise`.
fn exit_code(doc: &CheckDoc, otherwise: ExitCode) -> ExitCode {
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    if doc.problems.iter().any(is_error) {
        ExitCode::from(EXIT_FAILED)
    } else {
        otherwise
    }
}

/// A problem, and the other lines of the file with the same problem.
struct RepeatedProblem<'a> {
    problem: &'a Problem,
    other_lines: Vec<u32>,
}

/// Groups problems that several hooks of a file have in common, so that each is printed once.
fn group_repeated(problems: &[Problem]) -> Vec<RepeatedProblem<'_>> {
    let mut out: Vec<RepeatedProblem<'_>> = Vec::new();
    for problem in problems {
        let same = |one: &&mut RepeatedProblem<'_>| {
            let first = one.problem;
            first.path == problem.path
                && first.line.is_some()
                && problem.line.is_some()
                && (first.severity, first.code) == (problem.severity, problem.code)
                && (&first.message, &first.hint) == (&problem.message, &problem.hint)
        };
        match (out.iter_mut().find(same), problem.line) {
            (Some(known), Some(line)) => known.other_lines.push(line),
            (_, _) => out.push(RepeatedProblem {
                problem,
                other_lines: Vec::new(),
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
        pluralize(files, "file"),
        pluralize(count(Severity::Error), "error")
    );
    for (count, one) in [(count(Severity::Warning), "warning"), (count(Severity::Hint), "hint")] {
        if count > 0 {
            text += &format!(", {}", pluralize(count, one));
        }
    }
    text
}
