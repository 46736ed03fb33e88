//! `hookwright simulate`: simulates a scripted conversation.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::event_options::Consent;
use hookwright_app::payload::MAX_PAYLOAD_BYTES;
use hookwright_app::scenario::parse_scenario;
use hookwright_app::simulate::SimulateJob;
use hookwright_app::{App, Fault, simulate};
use hookwright_model::{MessageOrigin, NoticeKind, SeenMessage, SimulateDoc, Trace};
use tokio_util::sync::CancellationToken;

use crate::args::SimulateArgs;
use crate::fire::{SignalCancel, record_and_notify};
use crate::output::{Cell, Output, io_fault, mini_chain, pluralize, verdict_style};
use crate::progress::with_progress;
use crate::style::TextStyle;
use crate::{CommandResult, line};

/// Simulates the scenario, prints the result, records every event and notifies a running engine.
pub async fn run(app: &App, output: &Output, project: &Path, what: SimulateArgs) -> CommandResult {
    let open_project = app.workspace.open_project(project)?;
    let scenario = parse_scenario(&what.file, &read_scenario(app, &what.file)?)?;
    let cancel = CancellationToken::new();
    let signal_cancel = SignalCancel::listen(cancel.clone())?;
    let job = SimulateJob {
        scenario,
        project: open_project.project.clone(),
        consent: if what.trust {
            Consent::Granted
        } else {
            Consent::Approvals
        },
        cancel,
    };
    let snapshot = open_project.snapshot();
    let simulated = with_progress("simulating the scenario", simulate::simulate_in(app, &snapshot, job)).await?;
    if output.json {
        output.document(&simulated.doc);
    } else {
        print(output, &simulated.doc);
    }
    if let Some(message) = &simulated.unrecorded {
        output.print_note(&message.text);
    }
    let traces: Vec<String> = simulated.doc.traces.iter().map(|trace| trace.trace.clone()).collect();
    let recording = record_and_notify(app, output, &open_project.project, &traces);
    let stopped_by = signal_cancel
        .run_until_signal(with_progress("writing the history", recording))
        .await;
    Ok(stopped_by.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the user named this file for this call, and it may be a pipe"
)]
fn read_scenario(app: &App, file: &Path) -> Result<String, Fault> {
    let mut text = String::new();
    // One byte more than the limit is enough to detect a scenario that is too large.
    let max_bytes = MAX_PAYLOAD_BYTES as u64 + 1;
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(max_bytes).read_to_string(&mut text)
    } else {
        std::fs::File::open(app.workspace.env.absolute(file))
            .and_then(|file| file.take(max_bytes).read_to_string(&mut text))
    };
    read.map_err(|error| io_fault(&file.display().to_string(), &error))?;
    if text.len() > MAX_PAYLOAD_BYTES {
        let error = std::io::Error::other(format!("a scenario has at most {MAX_PAYLOAD_BYTES} bytes"));
        return Err(io_fault(&file.display().to_string(), &error));
    }
    Ok(text)
}

/// Prints the events, the messages of each model request, and the messages that remain at the end.
fn print(output: &Output, doc: &SimulateDoc) {
    output.line(TextStyle::Strong.apply_to(pluralize(doc.traces.len(), "event")));
    let width = doc.traces.iter().map(|trace| trace.event.len()).max().unwrap_or(0);
    for trace in &doc.traces {
        print_event(output, trace, width);
    }
    for call in &doc.llm_calls {
        output.line("");
        let title = format!("turn {}, {}", call.turn, call.label);
        let count = pluralize(call.messages.len(), "message");
        output.line(line![
            TextStyle::Strong.apply_to(title),
            "  ",
            TextStyle::Dim.apply_to(count)
        ]);
        print_messages(output, &call.messages);
    }
    output.line("");
    output.line(TextStyle::Strong.apply_to("at the end"));
    print_messages(output, &doc.final_messages);
    if !doc.persisted.is_empty() {
        output.line("");
        output.line(TextStyle::Strong.apply_to("kept by the front end"));
        for text in &doc.persisted {
            output.line(format!("  {}  {}: {}", text.name, text.role, excerpt(&text.content)));
        }
    }
    for notice in &doc.notices {
        output.line(line![TextStyle::Fail.apply_to("warning"), " ", &notice.text]);
    }
}

/// Prints one event: its verdict, the outcome of each step, and which hook decided it and why.
fn print_event(output: &Output, trace: &Trace, width: usize) {
    let kind = trace.verdict.kind;
    let outcomes: Vec<_> = trace.steps.iter().map(|step| step.outcome).collect();
    let verdict = verdict_style(kind).apply_to(format!("{:<VERDICT_WIDTH$}", kind.as_str()));
    let decided = trace
        .steps
        .iter()
        .find(|step| Some(&step.hook) == trace.verdict.by.as_ref());
    let by = decided.map(|step| excerpt(&step.label));
    let why = trace.verdict.reason.as_deref().map(excerpt);
    let details: Vec<String> = by.into_iter().chain(why).collect();
    let event = format!(" {:<width$}  ", trace.event);
    output.line(line![
        "  ",
        verdict,
        event,
        mini_chain(&outcomes),
        "  ",
        TextStyle::Dim.apply_to(details.join(": "))
    ]);
    for notice in trace.notices.iter().filter(|notice| notice.kind == NoticeKind::Warning) {
        output.line(line!["    ", TextStyle::Fail.apply_to("warning"), " ", &notice.text]);
    }
}

/// `end_session` is the longest name of a verdict.
const VERDICT_WIDTH: usize = 11;

fn print_messages(output: &Output, messages: &[SeenMessage]) {
    let rows: Vec<Vec<Cell>> = messages
        .iter()
        .map(|message| {
            let style = if message.hook.is_some() {
                TextStyle::Change
            } else {
                TextStyle::Dim
            };
            let from = match &message.hook {
                Some(hook) if message.origin == MessageOrigin::Hook => hook.clone(),
                Some(hook) => format!("{}, {hook}", origin_label(message.origin)),
                None => origin_label(message.origin).to_owned(),
            };
            vec![
                Cell::new("  "),
                Cell::new(message.role.clone()),
                Cell::new(from).style(style),
                Cell::new(content_text(message)),
            ]
        })
        .collect();
    output.table(&rows);
}

const fn origin_label(origin: MessageOrigin) -> &'static str {
    match origin {
        MessageOrigin::History => "history",
        MessageOrigin::User => "user",
        MessageOrigin::Prompt => "prompt",
        MessageOrigin::Hook => "hook",
        MessageOrigin::Tool => "tool",
        MessageOrigin::Assistant => "assistant",
    }
}

/// The text of a message, and the names of the tools that it calls.
fn content_text(message: &SeenMessage) -> String {
    let text = message
        .content
        .as_str()
        .map_or_else(|| message.content.to_string(), excerpt);
    let calls = message.tool_calls.as_ref().and_then(|calls| calls.as_array());
    let names = calls.into_iter().flatten().filter_map(|call| call["name"].as_str());
    let called_tools: Vec<String> = names.map(|name| format!("[{name}]")).collect();
    [text, called_tools.join(" ")].join(" ").trim().to_owned()
}

/// A text on one line, at most 100 characters long, so that it fits next to the other columns.
fn excerpt(text: &str) -> String {
    const MAX_SHOWN: usize = 100;
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > MAX_SHOWN {
        line = line.chars().take(MAX_SHOWN).chain(['…']).collect();
    }
    line
}
