//! Finds the lines that wrote what is wrong with the outputs of a recorded event, in the files of its hooks as they are
//! now.

use std::path::{Path, PathBuf};

use hookwright_dialects::output_doctor::{HookText, origin};
use hookwright_model::{Hook, OutputStream, Step, Trace};
use hookwright_workspace::Snapshot;
use hookwright_workspace::edit::{script_edit, text_edit};

use crate::app::App;
use crate::dto::{OutputOriginsDoc, OutputOriginsRequest, ProblemOrigin, TraceRequest};
use crate::fault::Fault;
use crate::history::history_show;

/// The command `output.origins`: the lines that wrote what is wrong with the outputs of a trace, and fixes for them.
///
/// # Errors
/// The project is not a directory, the history cannot be read, or there is no such trace.
pub async fn output_origins(app: &App, request: OutputOriginsRequest) -> Result<OutputOriginsDoc, Fault> {
    let trace = history_show(app, TraceRequest { trace: request.trace }).await?;
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let origins = (0..)
        .zip(&trace.steps)
        .filter(|(_, step)| step.attempts.iter().any(|attempt| !attempt.output_problems.is_empty()))
        .flat_map(|(index, step)| origins_of(app, &snapshot, &trace, (index, step)))
        .collect();
    Ok(OutputOriginsDoc { origins })
}

fn origins_of(app: &App, snapshot: &Snapshot, trace: &Trace, (index, step): (u32, &Step)) -> Vec<ProblemOrigin> {
    let Some(hook) = present_hook(snapshot, trace, step) else {
        return Vec::new();
    };
    let definition = hook.source.path.clone();
    let scripts = script_edit::files_of(&app.workspace, snapshot, hook);
    // A file that cannot be read has no line to show.
    let read = |path: PathBuf| Some((text_edit::read_with_hash(snapshot, &path).ok()??.0, path));
    let files: Vec<(String, PathBuf)> = std::iter::once(definition.clone())
        .chain(scripts)
        .filter_map(read)
        .collect();
    let texts: Vec<HookText<'_>> = files
        .iter()
        .map(|(text, path)| HookText {
            path,
            text,
            is_script: *path != definition,
        })
        .collect();
    let mut out = Vec::new();
    for (at, attempt) in (0..).zip(&step.attempts) {
        for (number, problem) in (0..).zip(&attempt.output_problems) {
            let stream = match problem.stream {
                OutputStream::Stdout => &attempt.stdout,
                OutputStream::Stderr => &attempt.stderr,
            };
            out.extend(origin(problem, stream, &texts).map(|origin| ProblemOrigin {
                step: index,
                attempt: at,
                problem: number,
                hook: hook.id.clone(),
                path: origin.path.display().to_string(),
                script: origin.path != definition,
                line: origin.line,
                fixes: origin.fixes,
            }));
        }
    }
    out
}

/// The hook of a step as it is defined now: by its `uid`, which it keeps when it moves or changes, else by its id.
fn present_hook<'s>(snapshot: &'s Snapshot, trace: &Trace, step: &Step) -> Option<&'s Hook> {
    let mut mine = snapshot.hooks(&trace.dialect).map(|hook| &**hook);
    if step.uid.is_empty() {
        return mine.find(|hook| hook.id == step.hook);
    }
    mine.find(|hook| hook.uid == step.uid)
}
