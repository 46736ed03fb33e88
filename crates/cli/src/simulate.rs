//! `hookwright simulate`: a scripted conversation, played.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::{App, Consent, Fault, SimulateJob, parse_scenario};
use hookwright_model::{MessageOrigin, NoticeKind, SeenMessage, SimulateDoc, Trace};
use tokio_util::sync::CancellationToken;

use crate::Outcome;
use crate::args::Simulate;
use crate::fire::{Stopping, bookkeeping};
use crate::ink::Tint;
use crate::line;
use crate::page::{Cell, Page, chain, counted, io_fault, verdict_tint};
use crate::progress::progress;

/// Plays the scenario, prints what came of it, records every event, tells a running engine.
pub async fn run(app: &App, page: &Page, project: &Path, what: Simulate) -> Outcome {
    let desk = app.open_project(project)?;
    let scenario = parse_scenario(&what.file, &text(app, &what.file)?)?;
    let cancel = CancellationToken::new();
    let stopping = Stopping::listen(cancel.clone())?;
    let simulating = SimulateJob {
        scenario,
        project: desk.project.clone(),
        consent: if what.trust {
            Consent::Granted
        } else {
            Consent::Approvals
        },
        cancel,
    };
    let snapshot = desk.snapshot();
    let simulated = progress("playing the scenario", app.simulate_in(&snapshot, simulating)).await?;
    if page.json {
        page.document(&simulated.doc);
    } else {
        print(page, &simulated.doc);
    }
    if let Some(words) = &simulated.unrecorded {
        page.remark(&words.text);
    }
    let traces: Vec<String> = simulated.doc.traces.iter().map(|trace| trace.trace.clone()).collect();
    let kept = bookkeeping(app, page, &desk.project, &traces);
    let stopped_by = stopping.or_until_stopped(progress("writing the history", kept)).await;
    Ok(stopped_by.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal)))
}

fn text(app: &App, file: &Path) -> Result<String, Fault> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_string(&mut text)
    } else {
        std::fs::File::open(app.env.absolute(file)).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|error| io_fault(&file.display().to_string(), &error))?;
    Ok(text)
}

/// The events, what each request showed the model, and what stays.
fn print(page: &Page, doc: &SimulateDoc) {
    page.line(Tint::Strong.of(counted(doc.traces.len(), "event")));
    let width = doc.traces.iter().map(|trace| trace.event.len()).max().unwrap_or(0);
    for trace in &doc.traces {
        event(page, trace, width);
    }
    for call in &doc.llm_calls {
        page.line("");
        let title = format!("turn {}, {}", call.turn, call.label);
        let count = counted(call.messages.len(), "message");
        page.line(line![Tint::Strong.of(title), "  ", Tint::Quiet.of(count)]);
        messages(page, &call.messages);
    }
    page.line("");
    page.line(Tint::Strong.of("at the end"));
    messages(page, &doc.final_messages);
    if !doc.persisted.is_empty() {
        page.line("");
        page.line(Tint::Strong.of("kept by the front end"));
        for text in &doc.persisted {
            page.line(format!("  {}  {}: {}", text.name, text.role, one_line(&text.content)));
        }
    }
    for notice in &doc.notices {
        page.line(line![Tint::Fail.of("warning"), " ", &notice.text]);
    }
}

/// One event: what it came to, which hooks were part of it, and by whom and why it was held.
fn event(page: &Page, trace: &Trace, width: usize) {
    let kind = trace.verdict.kind;
    let outcomes: Vec<_> = trace.steps.iter().map(|step| step.outcome).collect();
    let verdict = verdict_tint(kind).of(format!("{:<WIDEST_VERDICT$}", kind.as_str()));
    let decided = trace
        .steps
        .iter()
        .find(|step| Some(&step.hook) == trace.verdict.by.as_ref());
    let by = decided.map(|step| one_line(&step.label));
    let why = trace.verdict.reason.as_deref().map(one_line);
    let told: Vec<String> = by.into_iter().chain(why).collect();
    let event = format!(" {:<width$}  ", trace.event);
    page.line(line![
        "  ",
        verdict,
        event,
        chain(&outcomes),
        "  ",
        Tint::Quiet.of(told.join(": "))
    ]);
    for notice in trace.notices.iter().filter(|notice| notice.kind == NoticeKind::Warning) {
        page.line(line!["    ", Tint::Fail.of("warning"), " ", &notice.text]);
    }
}

/// `end_session` is the longest word of a verdict.
const WIDEST_VERDICT: usize = 11;

fn messages(page: &Page, messages: &[SeenMessage]) {
    let rows: Vec<Vec<Cell>> = messages
        .iter()
        .map(|message| {
            let tint = if message.hook.is_some() {
                Tint::Change
            } else {
                Tint::Quiet
            };
            let from = match &message.hook {
                Some(hook) if message.origin == MessageOrigin::Hook => hook.clone(),
                Some(hook) => format!("{}, {hook}", origin(message.origin)),
                None => origin(message.origin).to_owned(),
            };
            vec![
                Cell::of("  "),
                Cell::of(message.role.clone()),
                Cell::of(from).tint(tint),
                Cell::of(content(message)),
            ]
        })
        .collect();
    page.table(&rows);
}

const fn origin(origin: MessageOrigin) -> &'static str {
    match origin {
        MessageOrigin::History => "history",
        MessageOrigin::User => "user",
        MessageOrigin::Prompt => "prompt",
        MessageOrigin::Hook => "hook",
        MessageOrigin::Tool => "tool",
        MessageOrigin::Assistant => "assistant",
    }
}

/// The words, and the names of the tools that are called.
fn content(message: &SeenMessage) -> String {
    let words = message
        .content
        .as_str()
        .map_or_else(|| message.content.to_string(), one_line);
    let calls = message.tool_calls.as_ref().and_then(|calls| calls.as_array());
    let names = calls.into_iter().flatten().filter_map(|call| call["name"].as_str());
    let called: Vec<String> = names.map(|name| format!("[{name}]")).collect();
    [words, called.join(" ")].join(" ").trim().to_owned()
}

/// As much as fits beside the rest.
fn one_line(text: &str) -> String {
    const SHOWN: usize = 100;
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > SHOWN {
        line = line.chars().take(SHOWN).chain(['…']).collect();
    }
    line
}
