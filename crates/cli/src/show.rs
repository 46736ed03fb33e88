//! `hookwright show`, and a trace as text.

use std::process::ExitCode;

use hookwright_app::dto::TraceRequest;
use hookwright_app::{App, history};
use hookwright_model::trace::{Attempt, Step, Trace};
use hookwright_model::{End, Notice, NoticeKind, Outcome as StepOutcome, OutputProblem, OutputStream};
use serde_json::Value;

use crate::explain::near_miss_text;
use crate::output::{
    Cell, Output, duration_text, glyph, mini_chain, outcome_label, outcome_style, pluralize, verdict_style,
};
use crate::progress::{READING_HISTORY, with_progress};
use crate::style::{TextStyle, escape_newlines};
use crate::{CommandResult, line, running_engine};

/// Shows one recorded trace with its payloads and streams.
pub async fn run(app: &App, output: &Output, trace: String) -> CommandResult {
    let found = with_progress(READING_HISTORY, history::history_show(app, TraceRequest { trace })).await;
    // The trace was found, or its own fault says what is missing.
    let _ = running_engine::warn_incomplete(app, output, 0).await;
    let trace = found?;
    if output.json {
        output.document(&trace);
    } else {
        print_text(output, &trace);
        print_bodies(output, &trace);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the payload of the event, the command, streams and edits of each step, and the reply to the agent.
fn print_bodies(output: &Output, trace: &Trace) {
    print_value(output, "payload", &Value::Object((*trace.payload_before).clone()));
    for step in &trace.steps {
        for (number, attempt) in (1..).zip(&step.attempts) {
            output.line("");
            let attempt_note = if number > 1 {
                format!(", attempt {number}")
            } else {
                String::new()
            };
            let ended = how_ended(attempt);
            output.line(line![
                TextStyle::Strong.apply_to(format!("{}{attempt_note}", escape_newlines(&step.label))),
                "  ",
                TextStyle::Dim.apply_to(ended)
            ]);
            if !attempt.command.is_empty() {
                let arguments = attempt
                    .command
                    .iter()
                    .map(|word| escape_newlines(word))
                    .collect::<Vec<_>>();
                output.line(line!["  ", TextStyle::Dim.apply_to("ran"), " ", arguments.join(" ")]);
            }
            for (name, stream) in [
                ("stdin", &attempt.stdin),
                ("stdout", &attempt.stdout),
                ("stderr", &attempt.stderr),
            ] {
                print_stream(output, name, stream);
            }
            if attempt.truncated {
                output.line(TextStyle::Dim.apply_to("  cut: at most 1 MiB of each stream is kept"));
            }
        }
        for edit in &step.edits {
            output.line("");
            if edit.code.is_some() {
                output.line(TextStyle::Dim.apply_to(to_text(&edit.after)));
                continue;
            }
            let title = format!(
                "{} changed {}",
                escape_newlines(&step.label),
                escape_newlines(&edit.field)
            );
            output.line(TextStyle::Strong.apply_to(title));
            if !edit.before.is_null() {
                output.line(line![
                    "  ",
                    TextStyle::Deny.apply_to("-"),
                    " ",
                    escape_newlines(&to_text(&edit.before))
                ]);
            }
            output.line(line![
                "  ",
                TextStyle::Allow.apply_to("+"),
                " ",
                escape_newlines(&to_text(&edit.after))
            ]);
        }
    }
    if trace.payload_after != trace.payload_before {
        print_value(
            output,
            "payload, after it",
            &Value::Object((*trace.payload_after).clone()),
        );
    }
    print_value(output, "reply", &trace.reply.json);
    if trace.reply.exit_code != 0 || !trace.reply.stderr.is_empty() {
        output.line(format!("  exit status {}", trace.reply.exit_code));
        print_stream(output, "stderr", &trace.reply.stderr);
    }
}

fn how_ended(attempt: &Attempt) -> String {
    let how = match (attempt.code, &attempt.signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => end_label(attempt.end).to_owned(),
    };
    format!("{how}, {}", duration_text(attempt.took_ms))
}

const fn end_label(end: End) -> &'static str {
    match end {
        End::Exit => "exited",
        End::Signal => "ended by a signal",
        End::TimedOut => "timed out",
        End::NotStarted => "not started",
        End::Replied => "replied",
        End::Refused => "refused",
        End::PeerGone => "its process ended",
        End::Done => "done",
        End::Cancelled => "stopped",
    }
}

fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn print_value(output: &Output, title: &str, value: &Value) {
    output.line("");
    output.line(TextStyle::Strong.apply_to(title));
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    for line in text.lines() {
        output.line(format!("  {line}"));
    }
}

fn print_stream(output: &Output, name: &str, text: &str) {
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return };
    output.line(line!["  ", TextStyle::Dim.apply_to(format!("{name:<6}")), " ", first]);
    for line in lines {
        output.line(format!("         {line}"));
    }
}

/// The codes of notices that say how far a verdict can be relied on. They are printed before it.
const ABOUT_FILES: [&str; 3] = ["last_good", HOOKS_LOST, NOT_READ];
/// Says that hooks are lost, so that the defined hooks are unknown.
const HOOKS_LOST: &str = "hooks_lost";
/// Says that the user's hooks are not read, because the path of their file is relative.
const NOT_READ: &str = "relative_place";

fn is_about_files(notice: &Notice) -> bool {
    notice.code.as_deref().is_some_and(|code| ABOUT_FILES.contains(&code))
}

fn print_notices<'n>(output: &Output, notices: impl Iterator<Item = &'n Notice>) {
    for notice in notices {
        let (label, style) = match notice.kind {
            NoticeKind::UserMessage => ("says", TextStyle::Strong),
            NoticeKind::Warning => ("warning", TextStyle::Fail),
        };
        output.line(line!["  ", style.apply_to(label), " ", &notice.text]);
    }
}

/// Prints a trace: what is wrong with its files, the verdict, then the chain step by step.
pub fn print_text(output: &Output, trace: &Trace) {
    print_notices(output, trace.notices.iter().filter(|notice| is_about_files(notice)));
    let kind = trace.verdict.kind;
    let outcomes: Vec<StepOutcome> = trace.steps.iter().map(|step| step.outcome).collect();
    output.line(line![
        verdict_style(kind).apply_to(kind.as_str()),
        format!("  {} {}  ", trace.dialect, trace.event),
        TextStyle::Dim.apply_to(duration_text(trace.took_ms)),
        "  ",
        mini_chain(&outcomes)
    ]);
    let by = trace.verdict.by.as_deref();
    for (what, text) in [
        ("by", by),
        ("because", trace.verdict.reason.as_deref()),
        ("feedback", trace.verdict.feedback.as_deref()),
    ] {
        if let Some(text) = text {
            output.line(line!["  ", TextStyle::Dim.apply_to(what), " ", text]);
        }
    }
    print_steps(output, trace);
    print_notices(output, trace.notices.iter().filter(|notice| !is_about_files(notice)));
    if let Some(days) = trace.bodies_removed_days {
        output.line(TextStyle::Dim.apply_to(format!("  body removed after {days} days")));
    }
    let masked = if trace.redacted { "  redacted" } else { "" };
    output.line(TextStyle::Dim.apply_to(format!("  trace {}{masked}", trace.trace)));
}

fn print_steps(output: &Output, trace: &Trace) {
    if trace.steps.is_empty() {
        let is_lost = |notice: &Notice| matches!(notice.code.as_deref(), Some(HOOKS_LOST | NOT_READ));
        // A file that could not be read may define one.
        output.line(if trace.notices.iter().any(is_lost) {
            "  no hook ran for this event here"
        } else {
            "  no hook is defined for this event here"
        });
        return;
    }
    let rows: Vec<Vec<Cell>> = trace
        .steps
        .iter()
        .map(|step| {
            let style = outcome_style(step.outcome);
            let took: f64 = step.attempts.iter().map(|attempt| attempt.took_ms).sum();
            vec![
                Cell::new("  "),
                Cell::new(glyph(step.outcome)).style(style),
                Cell::new(step.label.clone()).style(TextStyle::Strong),
                Cell::new(format!("{} · {}", step.source.layer.as_str(), step.handler)).style(TextStyle::Dim),
                Cell::new(outcome_label(step.outcome)).style(style),
                Cell::new(if step.attempts.is_empty() {
                    String::new()
                } else {
                    duration_text(took)
                })
                .right(),
                Cell::new(detail(step)).style(TextStyle::Dim),
            ]
        })
        .collect();
    output.table(&rows);
    for step in &trace.steps {
        for ignored in &step.ignored {
            output.line(line![
                "  ",
                TextStyle::Fail.apply_to("ignored"),
                format!(" {}: {} ", escape_newlines(&step.label), escape_newlines(&ignored.what)),
                TextStyle::Dim.apply_to(&ignored.why)
            ]);
        }
        for attempt in &step.attempts {
            for problem in &attempt.output_problems {
                print_output_problem(output, step, attempt, problem);
            }
        }
        if let Some(stderr) = stderr_of_success(step) {
            output.line(line![
                "  ",
                TextStyle::Dim.apply_to("stderr"),
                format!(" {}: ", escape_newlines(&step.label)),
                escape_newlines(&stderr)
            ]);
        }
    }
}

/// What keeps an output from being read, how to correct it, and the first bytes that cause it.
fn print_output_problem(output: &Output, step: &Step, attempt: &Attempt, problem: &OutputProblem) {
    let hint = problem
        .hint
        .as_ref()
        .map(|hint| format!(" → {hint}"))
        .unwrap_or_default();
    output.line(line![
        "  ",
        TextStyle::Fail.apply_to("output"),
        format!(" {}: {}{hint}", escape_newlines(&step.label), problem.message)
    ]);
    let text = match problem.stream {
        OutputStream::Stdout => &attempt.stdout,
        OutputStream::Stderr => &attempt.stderr,
    };
    for mark in problem.marks.iter().take(MAX_MARKS_SHOWN) {
        let Some([before, marked, after]) = excerpt(text, mark.start as usize, mark.end as usize) else {
            continue;
        };
        output.line(line![
            "    ",
            TextStyle::Dim.apply_to(format!("{} byte {}: {before}", problem.stream.as_str(), mark.start + 1)),
            TextStyle::Deny.apply_to(format!("»{marked}«")),
            TextStyle::Dim.apply_to(after)
        ]);
    }
}

/// How many marks of one problem are shown.
const MAX_MARKS_SHOWN: usize = 3;
/// How many characters of a mark, and of the text before and after it, are shown.
const MAX_MARKED: usize = 60;
const MAX_AROUND: usize = 20;

/// Marked bytes of a text, with a little of the text before and after them, each on one line.
fn excerpt(text: &str, start: usize, end: usize) -> Option<[String; 3]> {
    let (before, marked, after) = (text.get(..start)?, text.get(start..end)?, text.get(end..)?);
    let skipped = before.chars().count().saturating_sub(MAX_AROUND);
    let first = |text: &str, limit: usize| {
        let part: String = text.chars().take(limit).collect();
        let more = if part.len() < text.len() { "…" } else { "" };
        escape_newlines(&part) + more
    };
    let begin = if skipped > 0 { "…" } else { "" };
    let before: String = before.chars().skip(skipped).collect();
    Some([
        begin.to_owned() + &escape_newlines(&before),
        first(marked, MAX_MARKED),
        first(after, MAX_AROUND),
    ])
}

/// What a hook that did not fail wrote to stderr. A part of the hook may have failed anyway.
fn stderr_of_success(step: &Step) -> Option<String> {
    let attempt = step.attempts.last().filter(|attempt| attempt.code == Some(0))?;
    let mut lines = attempt.stderr.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    Some(match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (and {})", pluralize(more, "more line")),
    })
}

/// Why a step ended this way: the failed gate, the reason, or the changed fields.
fn detail(step: &Step) -> String {
    if let Some(gate) = step.gates.iter().find(|gate| !gate.pass) {
        let near = gate.near_miss.map(near_miss_text).unwrap_or_default();
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
