//! `hookwright explain`

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::payload::{MAX_PAYLOAD_BYTES, ParsedPayload, parse_payload};
use hookwright_app::{App, Fault, explain};
use hookwright_model::listing::{ExplainDoc, ExplainStep};
use hookwright_model::trace::NearMiss;
use hookwright_model::{ConditionFix, GateFix, OnFailureEffect};

use crate::args::ExplainArgs;
use crate::output::{Output, io_fault, pluralize};
use crate::style::TextStyle;
use crate::{CommandResult, line};

/// Shows every hook with every gate. It runs no hook.
pub async fn run(app: &App, output: &Output, project: &Path, what: ExplainArgs) -> CommandResult {
    let open_project = app.workspace.read_dialect(project, &what.dialect)?;
    let payload = payload(app, what.payload.as_deref())?;
    let doc = explain::explain_in(
        app,
        &open_project.snapshot(),
        &open_project.project,
        &what.dialect,
        &what.event,
        payload,
    )?;
    if output.json {
        output.document(&doc);
    } else {
        print_text(output, &doc);
    }
    Ok(ExitCode::SUCCESS)
}

/// The payload of `--payload FILE|-`, or `{}` without it.
///
/// # Errors
/// The file cannot be read, or is not a JSON object of at most 16 MiB.
pub fn payload(app: &App, from: Option<&Path>) -> Result<ParsedPayload, Fault> {
    parse_payload(&payload_text(app, from)?)
}

/// The text of the payload of `--payload FILE|-`, or `{}` without it. It may be anything, but no longer than a payload.
///
/// # Errors
/// The file cannot be read.
#[expect(
    clippy::disallowed_methods,
    reason = "the user named this file for this call, and it may be a pipe"
)]
pub fn payload_text(app: &App, from: Option<&Path>) -> Result<Vec<u8>, Fault> {
    let Some(from) = from else { return Ok(b"{}".to_vec()) };
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to detect a payload that is too large.
    let max_bytes = MAX_PAYLOAD_BYTES as u64 + 1;
    if from == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(max_bytes)
            .read_to_end(&mut bytes)
            .map_err(|error| io_fault("stdin", &error))?;
    } else {
        let path = app.workspace.env.absolute(from);
        let file = std::fs::File::open(&path).map_err(|error| io_fault(&path.display().to_string(), &error))?;
        file.take(max_bytes)
            .read_to_end(&mut bytes)
            .map_err(|error| io_fault(&path.display().to_string(), &error))?;
    }
    Ok(bytes)
}

fn print_text(output: &Output, doc: &ExplainDoc) {
    for notice in &doc.notices {
        output.print_note(&notice.text);
    }
    let (of_event, others): (Vec<_>, Vec<_>) = doc.steps.iter().partition(|step| step.event == doc.event);
    let would = of_event.iter().filter(|step| step.would_run).count();
    output.line(TextStyle::Strong.apply_to(format!("{would} of {} would run for {}", of_event.len(), doc.event)));
    for step in &of_event {
        output.line("");
        print_gates(output, step);
    }
    if !others.is_empty() {
        output.line("");
        output.line(TextStyle::Dim.apply_to(format!("{} for other events", pluralize(others.len(), "more hook"))));
    }
}

fn print_gates(output: &Output, step: &ExplainStep) {
    let position = step.position.map_or_else(|| "–".to_owned(), |place| place.to_string());
    let (hook, label) = (
        TextStyle::Strong.apply_to(&step.hook),
        TextStyle::Dim.apply_to(&step.label),
    );
    output.line(line![position, "  ", hook, "  ", label]);
    let fails = step.would_fail.map(effect_text);
    for gate in &step.gates {
        let name = serde_json::to_value(gate.gate)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default();
        if gate.pass {
            output.line(line!["   ", TextStyle::Allow.apply_to("✓"), " ", name]);
        } else {
            let near = gate.near_miss.map(near_miss_text).unwrap_or_default();
            let why = gate.why.as_deref().unwrap_or_default();
            output.line(line![
                "   ",
                TextStyle::Deny.apply_to("✗"),
                format!(" {name}: {why}{near}")
            ]);
            let fixes: BTreeSet<String> = gate.fixes.iter().map(fix_text).collect();
            for fix in fixes {
                output.line(line!["     → ", fix]);
            }
        }
    }
    if let Some(fails) = fails {
        output.line(line!["   ", TextStyle::FailOpen.apply_to(fails)]);
    }
}

/// How a fix is made on the command line.
fn fix_text(fix: &GateFix) -> String {
    match fix {
        GateFix::Condition(ConditionFix { field, value, .. }) => format!("set `{field}` to {value}"),
        GateFix::File(_) => "run `hookwright check --fix`".to_owned(),
    }
}

/// What the agent does because a hook cannot start.
const fn effect_text(effect: OnFailureEffect) -> &'static str {
    match effect {
        OnFailureEffect::Nothing => "it would start and fail",
        OnFailureEffect::Continues => "it would start and fail, and the agent continues",
        OnFailureEffect::Asks => "it would start and fail, and the user is asked",
        OnFailureEffect::Blocks => "it would start and fail, and the agent is blocked",
    }
}

/// The small change that would have made a condition true.
pub const fn near_miss_text(near: NearMiss) -> &'static str {
    match near {
        NearMiss::Case => " (differs only in letter case)",
        NearMiss::Blanks => " (differs only in spaces)",
        NearMiss::Spelling => " (differs in one letter)",
        NearMiss::MissingField => " (the payload has no such field)",
    }
}
