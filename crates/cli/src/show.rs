//! `hookwright show`, and a trace as text.

use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::TraceRequest;
use hookwright_model::trace::{Step, Trace};
use hookwright_model::{NoticeKind, Outcome as StepOutcome};

use crate::ink::{Tint, one_line};
use crate::line;
use crate::page::{Cell, Page, chain, duration, glyph, outcome_tint, verdict_tint, word};
use crate::progress::{READING, progress};
use crate::{Outcome, living};

/// One recorded trace, complete.
pub async fn run(app: &App, page: &Page, trace: String) -> Outcome {
    let found = progress(READING, app.history_show(TraceRequest { trace })).await;
    living::not_all(app, page).await;
    let trace = found?;
    if page.json {
        page.document(&trace);
    } else {
        text(page, &trace);
    }
    Ok(ExitCode::SUCCESS)
}

/// Verdict first, then the chain step by step.
pub fn text(page: &Page, trace: &Trace) {
    let kind = trace.verdict.kind;
    let outcomes: Vec<StepOutcome> = trace.steps.iter().map(|step| step.outcome).collect();
    page.line(line![
        verdict_tint(kind).of(kind.word()),
        format!("  {} {}  ", trace.dialect, trace.event),
        Tint::Quiet.of(duration(trace.took_ms)),
        "  ",
        chain(&outcomes)
    ]);
    let by = trace.verdict.by.as_deref();
    for (what, text) in [
        ("by", by),
        ("because", trace.verdict.reason.as_deref()),
        ("feedback", trace.verdict.feedback.as_deref()),
    ] {
        if let Some(text) = text {
            page.line(line!["  ", Tint::Quiet.of(what), " ", text]);
        }
    }
    steps(page, trace);
    for notice in &trace.notices {
        let (mark, tint) = match notice.kind {
            NoticeKind::UserMessage => ("says", Tint::Strong),
            NoticeKind::Warning => ("warning", Tint::Fail),
        };
        page.line(line!["  ", tint.of(mark), " ", &notice.text]);
    }
    if let Some(days) = trace.bodies_removed_days {
        page.line(Tint::Quiet.of(format!("  body removed after {days} days")));
    }
    let masked = if trace.redacted { "  redacted" } else { "" };
    page.line(Tint::Quiet.of(format!("  trace {}{masked}", trace.trace)));
}

fn steps(page: &Page, trace: &Trace) {
    if trace.steps.is_empty() {
        page.line("  no hook listens to this event here");
        return;
    }
    let rows: Vec<Vec<Cell>> = trace
        .steps
        .iter()
        .map(|step| {
            let tint = outcome_tint(step.outcome);
            let took: f64 = step.attempts.iter().map(|attempt| attempt.took_ms).sum();
            vec![
                Cell::of("  "),
                Cell::of(glyph(step.outcome)).tint(tint),
                Cell::of(step.label.clone()).tint(Tint::Strong),
                Cell::of(format!("{} · {}", step.source.layer.word(), step.handler)).tint(Tint::Quiet),
                Cell::of(word(step.outcome)).tint(tint),
                Cell::of(if step.attempts.is_empty() {
                    String::new()
                } else {
                    duration(took)
                })
                .right(),
                Cell::of(detail(step)).tint(Tint::Quiet),
            ]
        })
        .collect();
    page.table(&rows);
    for step in &trace.steps {
        for ignored in &step.ignored {
            page.line(line![
                "     ",
                Tint::Fail.of("ignored"),
                format!(" {}: {} ", one_line(&step.label), one_line(&ignored.what)),
                Tint::Quiet.of(&ignored.why)
            ]);
        }
    }
}

/// Why it ended so: the failed gate, the failure, or what was changed.
fn detail(step: &Step) -> String {
    if let Some(gate) = step.gates.iter().find(|gate| !gate.pass) {
        return gate.why.clone().unwrap_or_default();
    }
    if let Some(reason) = &step.reason {
        return reason.clone();
    }
    step.edits
        .iter()
        .map(|edit| edit.field.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}
