//! The relay as an agent's hook: one event on stdin, one reply in the agent's own way.

use std::io::{self, Read, Write};
use std::process;

use crate::args::ForwardOptions;
use crate::dialects::{Answer, RelayDialect};
use crate::engine::{self, EngineConnection, MAX_PAYLOAD_BYTES, MAX_SENT_BYTES, OpenSession};
use crate::environment::Environment;
use crate::json;
use crate::problem::{Consequence, NoReply};

/// The id of `event.fire`.
const FIRE_ID: u64 = 2;
/// Bytes of stdin that are read. A document that is printed over many lines is longer than its payload.
const MAX_STDIN_BYTES: usize = 2 * MAX_PAYLOAD_BYTES;

/// Forwards the event on stdin, answers the agent and ends the process.
pub fn run(options: &ForwardOptions) -> ! {
    let mut event = options.event.clone();
    let answer = fire(options, &mut event).unwrap_or_else(|problem| without_reply(options, event.as_deref(), &problem));
    finish(answer)
}

/// Asks the engine. `event` is the event's name as soon as it is known.
fn fire(options: &ForwardOptions, event: &mut Option<String>) -> Result<Answer, NoReply> {
    let text = read_event(&mut io::stdin().lock())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_ascii().is_empty() {
        return Err(NoReply::EmptyEvent);
    }
    let dialect = options.dialect;
    let names = [dialect.event_field.unwrap_or(""), dialect.session_field.unwrap_or("")];
    let document = json::document(text, names).map_err(|invalid| NoReply::NotJson { byte: invalid.at + 1 })?;
    let [name, session] = document.fields;
    let session = session.filter(|_| dialect.session_field.is_some());
    if event.is_none() {
        *event = name
            .filter(|_| dialect.event_field.is_some())
            .and_then(json::string)
            .filter(|name| !name.is_empty());
    }
    let name = event.as_deref().ok_or(NoReply::NoEventName {
        field: dialect.event_field,
    })?;
    let payload = json::one_line(text, document.has_line_ends);
    if payload.len() > MAX_SENT_BYTES {
        return Err(NoReply::TooLarge);
    }
    let environment = Environment::of_process();
    let session = OpenSession {
        dialect,
        id: engine::session_id(session),
        native: options.native,
        reports_only: false,
    };
    let mut engine = EngineConnection::open(&environment, session, None)?;
    let params = ["\"event\":", &json::quote(name), ",\"payload\":", &payload];
    let request = engine::request(FIRE_ID, "event.fire", &params);
    drop(payload);
    let result = engine.call(&request, FIRE_ID, None)?;
    let [reply] = json::fields(&result, ["reply"]);
    let answer = read_reply(reply.ok_or(NoReply::NotUnderstood)?)?;
    Ok(bare_output(dialect, name, answer))
}

/// Reads stdin to its end.
fn read_event(stdin: &mut impl Read) -> Result<String, NoReply> {
    let mut bytes = Vec::with_capacity(8 << 10);
    let failed = |error: io::Error| NoReply::Stdin(error.to_string());
    stdin
        .take(MAX_STDIN_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > MAX_STDIN_BYTES {
        // The agent is still writing, and may not expect that its hook stops reading.
        io::copy(stdin, &mut io::sink()).map_err(failed)?;
        return Err(NoReply::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| NoReply::NotUtf8)
}

/// Reads `{json, exit_code, stderr}`. An object without a field beside another exit code than 0 is not printed: the reply
/// is the exit code and stderr then, and an agent that reads stdout first (Gemini CLI) would take it for "no decision".
fn read_reply(reply: &str) -> Result<Answer, NoReply> {
    if !reply.starts_with('{') {
        return Err(NoReply::NotUnderstood);
    }
    let [json, exit_code, stderr] = json::fields(reply, ["json", "exit_code", "stderr"]);
    let exit_code = match exit_code {
        None | Some("null") => 0,
        Some(code) => json::integer(code)
            .and_then(|code| u8::try_from(code).ok())
            .ok_or(NoReply::NotUnderstood)?,
    };
    // At some events an agent takes everything on stdout as text for the model, `{}` too.
    let is_empty = |json: &str| json == "null" || is_empty_object(json);
    Ok(Answer {
        stdout: json.filter(|json| !is_empty(json)).map(str::to_owned),
        stderr: stderr.and_then(json::string).unwrap_or_default(),
        exit_code,
    })
}

/// Whether the text is `{}`, with any space in it.
fn is_empty_object(json: &str) -> bool {
    let inner = json.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

/// Some replies are printed as the text of one field instead of the object.
fn bare_output(dialect: &RelayDialect, event: &str, answer: Answer) -> Answer {
    let Some(field) = dialect.bare_output(event).filter(|_| answer.exit_code == 0) else {
        return answer;
    };
    let object = answer.stdout.as_deref().unwrap_or("");
    let [output] = json::fields(object, ["hookSpecificOutput"]);
    let [value] = output.map_or([None], |output| json::fields(output, [field]));
    match value.and_then(json::string) {
        Some(text) => Answer {
            stdout: Some(text),
            ..answer
        },
        None => answer,
    }
}

/// What the agent gets instead of a reply.
fn without_reply(options: &ForwardOptions, event: Option<&str>, problem: &NoReply) -> Answer {
    let blocked = problem.sentence(Consequence::Blocked);
    if let Some(answer) = options.dialect.block(event, &blocked).filter(|_| options.fail_closed) {
        return answer;
    }
    let consequence = match event {
        Some(event) if options.fail_closed => Consequence::NotBlocked { event },
        _ => Consequence::Continues,
    };
    Answer {
        stderr: problem.sentence(consequence),
        ..Answer::default()
    }
}

/// Writes the answer and ends the process. An agent that no longer reads has still the exit code.
fn finish(answer: Answer) -> ! {
    let Answer {
        stdout,
        mut stderr,
        mut exit_code,
    } = answer;
    if !stderr.is_empty() {
        if !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        drop(io::stderr().write_all(stderr.as_bytes()));
    }
    if let Some(mut line) = stdout {
        line.push('\n');
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
        if written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) && exit_code == 0 {
            // A full disk, for example: the agent has a part of the reply and must not take it for the whole.
            exit_code = 1;
        }
    }
    process::exit(exit_code.into())
}
