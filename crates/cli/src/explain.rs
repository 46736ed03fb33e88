//! `hookwright explain`

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::{App, Fault, MAX_PAYLOAD_BYTES, parse_payload};
use hookwright_model::Payload;
use hookwright_model::listing::{ExplainDoc, ExplainStep};
use hookwright_model::trace::NearMiss;

use crate::Outcome;
use crate::args::Explain;
use crate::ink::Tint;
use crate::line;
use crate::page::{Page, counted, io_fault};

/// Every hook with every gate; runs nothing.
pub async fn run(app: &App, page: &Page, project: &Path, what: Explain) -> Outcome {
    let desk = app.read_dialect(project, &what.dialect)?;
    let payload = payload(app, what.payload.as_deref())?;
    let doc = app.explain_in(&desk.snapshot(), &desk.project, &what.dialect, &what.event, payload)?;
    if page.json {
        page.document(&doc);
    } else {
        text(page, &doc);
    }
    Ok(ExitCode::SUCCESS)
}

/// The payload of `--payload FILE|-`; `{}` without it.
///
/// # Errors
/// The file cannot be read, or is no JSON object of at most 16 MiB.
pub fn payload(app: &App, from: Option<&Path>) -> Result<Payload, Fault> {
    let Some(from) = from else { return Ok(Payload::new()) };
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to know that it is over.
    let most = MAX_PAYLOAD_BYTES as u64 + 1;
    if from == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| io_fault("stdin", &error))?;
    } else {
        let path = app.env.absolute(from);
        let file = std::fs::File::open(&path).map_err(|error| io_fault(&path.display().to_string(), &error))?;
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| io_fault(&path.display().to_string(), &error))?;
    }
    parse_payload(&bytes)
}

fn text(page: &Page, doc: &ExplainDoc) {
    let (mine, others): (Vec<_>, Vec<_>) = doc.steps.iter().partition(|step| step.event == doc.event);
    let would = mine.iter().filter(|step| step.would_run).count();
    page.line(Tint::Strong.of(format!("{would} of {} would run for {}", mine.len(), doc.event)));
    for step in &mine {
        page.line("");
        gates(page, step);
    }
    if !others.is_empty() {
        page.line("");
        page.line(Tint::Quiet.of(format!("{} for other events", counted(others.len(), "more hook"))));
    }
}

fn gates(page: &Page, step: &ExplainStep) {
    let place = step.position.map_or_else(|| "–".to_owned(), |place| place.to_string());
    let (hook, label) = (Tint::Strong.of(&step.hook), Tint::Quiet.of(&step.label));
    page.line(line![place, "  ", hook, "  ", label]);
    for gate in &step.gates {
        let name = serde_json::to_value(gate.gate)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default();
        if gate.pass {
            page.line(line!["   ", Tint::Allow.of("✓"), " ", name]);
        } else {
            let near = gate.near_miss.map(near_miss).unwrap_or_default();
            let why = gate.why.as_deref().unwrap_or_default();
            page.line(line!["   ", Tint::Deny.of("✗"), format!(" {name}: {why}{near}")]);
        }
    }
}

/// What small thing would have made a filter hold.
pub const fn near_miss(near: NearMiss) -> &'static str {
    match near {
        NearMiss::Case => " (differs only in letter case)",
        NearMiss::Blanks => " (differs only in blanks)",
        NearMiss::Spelling => " (one letter differs)",
        NearMiss::MissingField => " (the payload lacks the field)",
    }
}
