//! `hookwright show`, and a trace as text.

use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::TraceRequest;
use hookwright_model::trace::{Attempt, Step, Trace};
use hookwright_model::{End, NoticeKind, Outcome as StepOutcome};

use serde_json::Value;

use crate::explain::near_miss;
use crate::ink::{Tint, one_line};
use crate::line;
use crate::page::{Cell, Page, chain, counted, duration, glyph, outcome_tint, verdict_tint, word};
use crate::progress::{READING, progress};
use crate::{Outcome, living};

/// One recorded trace, complete.
pub async fn run(app: &App, page: &Page, trace: String) -> Outcome {
    let found = progress(READING, app.history_show(TraceRequest { trace })).await;
    living::not_all(app, page, 0).await;
    let trace = found?;
    if page.json {
        page.document(&trace);
    } else {
        text(page, &trace);
        body(page, &trace);
    }
    Ok(ExitCode::SUCCESS)
}

/// What the event brought, what each hook was given and said, and what the agent got.
fn body(page: &Page, trace: &Trace) {
    value(page, "payload", &Value::Object(trace.payload_before.clone()));
    for step in &trace.steps {
        for (number, attempt) in (1..).zip(&step.attempts) {
            page.line("");
            let again = if number > 1 {
                format!(", attempt {number}")
            } else {
                String::new()
            };
            let ended = ended(attempt);
            page.line(line![
                Tint::Strong.of(format!("{}{again}", one_line(&step.label))),
                "  ",
                Tint::Quiet.of(ended)
            ]);
            if !attempt.command.is_empty() {
                let words = attempt.command.iter().map(|word| one_line(word)).collect::<Vec<_>>();
                page.line(line!["  ", Tint::Quiet.of("ran"), " ", words.join(" ")]);
            }
            for (name, stream) in [
                ("stdin", &attempt.stdin),
                ("stdout", &attempt.stdout),
                ("stderr", &attempt.stderr),
            ] {
                block(page, name, stream);
            }
            if attempt.truncated {
                page.line(Tint::Quiet.of("  there was more; 1 MiB of each stream is kept"));
            }
        }
        for edit in &step.edits {
            page.line("");
            if edit.code.is_some() {
                page.line(Tint::Quiet.of(shown(&edit.after)));
                continue;
            }
            let title = format!("{} changed {}", one_line(&step.label), one_line(&edit.field));
            page.line(Tint::Strong.of(title));
            if !edit.before.is_null() {
                page.line(line!["  ", Tint::Deny.of("-"), " ", one_line(&shown(&edit.before))]);
            }
            page.line(line!["  ", Tint::Allow.of("+"), " ", one_line(&shown(&edit.after))]);
        }
    }
    if trace.payload_after != trace.payload_before {
        value(page, "payload, after it", &Value::Object(trace.payload_after.clone()));
    }
    value(page, "reply", &trace.reply.json);
    if trace.reply.exit_code != 0 || !trace.reply.stderr.is_empty() {
        page.line(format!("  exit status {}", trace.reply.exit_code));
        block(page, "stderr", &trace.reply.stderr);
    }
}

fn ended(attempt: &Attempt) -> String {
    let how = match (attempt.code, &attempt.signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => end(attempt.end).to_owned(),
    };
    format!("{how}, {}", duration(attempt.took_ms))
}

const fn end(end: End) -> &'static str {
    match end {
        End::Exit => "exited",
        End::Signal => "ended by a signal",
        End::TimedOut => "timed out",
        End::NotStarted => "not started",
        End::Replied => "replied",
        End::Refused => "refused",
        End::PeerGone => "its process went away",
        End::Done => "done",
        End::Cancelled => "stopped",
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn value(page: &Page, title: &str, value: &Value) {
    page.line("");
    page.line(Tint::Strong.of(title));
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    for line in text.lines() {
        page.line(format!("  {line}"));
    }
}

fn block(page: &Page, name: &str, text: &str) {
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return };
    page.line(line!["  ", Tint::Quiet.of(format!("{name:<6}")), " ", first]);
    for line in lines {
        page.line(format!("         {line}"));
    }
}

/// Verdict first, then the chain step by step.
pub fn text(page: &Page, trace: &Trace) {
    let kind = trace.verdict.kind;
    let outcomes: Vec<StepOutcome> = trace.steps.iter().map(|step| step.outcome).collect();
    page.line(line![
        verdict_tint(kind).of(kind.as_str()),
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
                Cell::of(format!("{} · {}", step.source.layer.as_str(), step.handler)).tint(Tint::Quiet),
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
                "  ",
                Tint::Fail.of("ignored"),
                format!(" {}: {} ", one_line(&step.label), one_line(&ignored.what)),
                Tint::Quiet.of(&ignored.why)
            ]);
        }
        if let Some(said) = stderr_of_success(step) {
            page.line(line![
                "  ",
                Tint::Quiet.of("stderr"),
                format!(" {}: ", one_line(&step.label)),
                one_line(&said)
            ]);
        }
    }
}

/// What a hook that did not fail wrote to stderr: a part of it may have failed all the same.
fn stderr_of_success(step: &Step) -> Option<String> {
    let attempt = step.attempts.last().filter(|attempt| attempt.code == Some(0))?;
    let mut lines = attempt.stderr.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    Some(match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (and {})", counted(more, "more line")),
    })
}

/// Why it ended so: the failed gate, the failure, or what was changed.
fn detail(step: &Step) -> String {
    if let Some(gate) = step.gates.iter().find(|gate| !gate.pass) {
        let near = gate.near_miss.map(near_miss).unwrap_or_default();
        return format!("{}{near}", gate.why.as_deref().unwrap_or_default());
    }
    if let Some(reason) = &step.reason {
        return reason.clone();
    }
    step.edits
        .iter()
        .filter(|edit| edit.code.is_none())
        .map(|edit| edit.field.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}
