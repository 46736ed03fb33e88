//! The report of a command: one `run.report`. It says nothing about who runs the hooks of the agent's files.

use std::fmt::Write;
use std::time::Instant;

use super::streams::{CapturedStream, MAX_OUTPUT_BYTES};
use super::{End, Record};
use crate::args::RunOptions;
use crate::engine::{self, EngineConnection, MAX_PAYLOAD_BYTES, OPEN_LIMIT, OpenSession};
use crate::environment::Environment;
use crate::json;

const REPORT_ID: u64 = 2;
/// The shells that a wrapper starts.
const SHELLS: [&str; 2] = ["sh", "bash"];
/// Characters of a label.
const MAX_LABEL: usize = 40;

/// Reports to the engine, if there is one and it is fast enough. The agent must not notice a report that failed.
pub fn send(options: &RunOptions, record: &Record) {
    let deadline = Instant::now() + OPEN_LIMIT;
    let payload = payload(&record.stdin);
    let dialect = options.dialect;
    let [session] = dialect
        .session_field
        .map_or([None], |field| json::fields(&payload, [field]));
    let session = OpenSession {
        dialect,
        id: engine::session_id(session),
        native: false,
        reports_only: true,
    };
    let environment = Environment::of_process();
    let Ok(mut engine) = EngineConnection::open(&environment, session, Some(deadline)) else {
        return;
    };
    drop(engine.call(&request(options, record, &payload), REPORT_ID, Some(deadline)));
}

fn request(options: &RunOptions, record: &Record, payload: &str) -> String {
    let event = json::quote(&options.event);
    let step = step(options, record);
    let params = [
        "\"event\":",
        &event,
        ",\"payload\":",
        payload,
        ",\"steps\":[",
        &step,
        "]",
    ];
    engine::request(REPORT_ID, "run.report", &params)
}

/// The payload as one line. Empty stdin is an empty object; what is not JSON is `null`, which the engine notes.
fn payload(stdin: &CapturedStream) -> String {
    let text = str::from_utf8(&stdin.bytes).unwrap_or("\0");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return "{}".to_owned();
    }
    let line = match json::document(text, []) {
        Ok(document) if !stdin.truncated => json::one_line(text, document.has_line_ends),
        _ => return "null".to_owned(),
    };
    if line.len() > MAX_PAYLOAD_BYTES {
        "null".to_owned()
    } else {
        line
    }
}

/// The step with its one attempt, in the form of `CONTRACTS.md` §2.1.
fn step(options: &RunOptions, record: &Record) -> String {
    let command = command_text(options);
    let label: String = command.lines().next().unwrap_or("").chars().take(MAX_LABEL).collect();
    let mut out = String::with_capacity(record.stdout.bytes.len() + record.stderr.bytes.len() + 1024);
    let mut field = |name: &str, value: &str| {
        out.push_str(name);
        json::quote_into(&mut out, value);
    };
    field("{\"hook\":", &options.hook);
    field(",\"label\":", &label);
    field(",\"command\":", &command);
    out.push_str(",\"attempts\":[");
    attempt(&mut out, options, record);
    out.push_str("]}");
    out
}

fn attempt(out: &mut String, options: &RunOptions, record: &Record) {
    let (end, code, signal) = match record.end {
        End::Exit(code) => ("exit", code.to_string(), "null".to_owned()),
        End::Signal(number) => ("signal", "null".to_owned(), number.to_string()),
        End::NotStarted(_) => ("not_started", "null".to_owned(), "null".to_owned()),
    };
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{{\"end\":\"{end}\",\"code\":{code},\"signal\":{signal}");
    let mut truncated = false;
    for (name, stream) in [
        ("stdin", &record.stdin),
        ("stdout", &record.stdout),
        ("stderr", &record.stderr),
    ] {
        let (text, cut) = text(stream);
        truncated |= cut;
        let _ = write!(out, ",\"{name}\":");
        json::quote_into(out, &text);
    }
    let took = record.took_ms;
    let _ = write!(
        out,
        ",\"started_ms\":0.0,\"took_ms\":{took:.3},\"truncated\":{truncated},\"command\":["
    );
    for (index, word) in options.command.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        json::quote_into(out, &word.to_string_lossy());
    }
    out.push_str("],\"cwd\":");
    match std::env::current_dir() {
        Ok(cwd) => json::quote_into(out, &cwd.to_string_lossy()),
        Err(_) => out.push_str("null"),
    }
    out.push_str(",\"env\":[]}");
}

/// The recorded part of a stream as text, and whether it is not all of it.
fn text(stream: &CapturedStream) -> (String, bool) {
    let cut = stream.bytes.len() > MAX_OUTPUT_BYTES;
    let mut bytes = &stream.bytes[..stream.bytes.len().min(MAX_OUTPUT_BYTES)];
    if (cut || stream.truncated)
        && let Err(error) = str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        // The cut went through a character.
        bytes = &bytes[..error.valid_up_to()];
    }
    (String::from_utf8_lossy(bytes).into_owned(), cut || stream.truncated)
}

/// The command as the agent's configuration has it: the text that a shell reads, else the words as a shell would read
/// them. A wrapper names the shell again after the text, as its `$0`.
fn command_text(options: &RunOptions) -> String {
    let words: Vec<_> = options.command.iter().map(|word| word.to_string_lossy()).collect();
    if let [shell, flag, text] | [shell, flag, text, _] = words.as_slice()
        && SHELLS.contains(&&**shell)
        && flag == "-c"
    {
        return text.clone().into_owned();
    }
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(
            ["a.py", "", "x y", "it's"].map(shell_word),
            ["a.py", "''", "'x y'", r"'it'\''s'"]
        );
    }

    #[test]
    fn the_text_that_a_shell_reads_is_the_command() {
        let text = |command: &[&str]| {
            command_text(&RunOptions {
                dialect: &crate::dialects::DIALECTS[0],
                event: "stop".to_owned(),
                hook: "h".to_owned(),
                command: command.iter().map(Into::into).collect(),
            })
        };
        for command in [
            &["sh", "-c", "a; b"] as &[&str],
            &["sh", "-c", "a; b", "/bin/sh"],
            &["bash", "-c", "a; b", "bash"],
        ] {
            assert_eq!(text(command), "a; b", "{command:?}");
        }
        assert_eq!(text(&["sh", "-c", "a $1", "sh", "b"]), "sh -c 'a $1' sh b");
        assert_eq!(text(&["python3", "-c", "a; b"]), "python3 -c 'a; b'");
    }

    #[test]
    fn a_stream_is_cut_at_a_character_and_says_so() {
        let whole = CapturedStream {
            bytes: "é".into(),
            truncated: false,
        };
        assert_eq!(text(&whole), ("é".to_owned(), false));
        let cut = CapturedStream {
            bytes: vec![b'a', 0xc3],
            truncated: true,
        };
        assert_eq!(text(&cut), ("a".to_owned(), true));
        let long = CapturedStream {
            bytes: vec![b'x'; MAX_OUTPUT_BYTES + 1],
            truncated: false,
        };
        assert_eq!(text(&long), ("x".repeat(MAX_OUTPUT_BYTES), true));
    }

    #[test]
    fn stdin_that_is_no_document_is_null_and_empty_stdin_an_object() {
        let of = |bytes: &[u8], truncated| {
            payload(&CapturedStream {
                bytes: bytes.to_vec(),
                truncated,
            })
        };
        assert_eq!(of(b"{\n\"a\": 1\n}\n", false), "{\"a\": 1}");
        assert_eq!((of(b"", false), of(b" \n", false)), ("{}".to_owned(), "{}".to_owned()));
        assert_eq!(
            (of(b"nope", false), of(b"\xff", false), of(b"{}", true)),
            ("null".into(), "null".into(), "null".into())
        );
        assert_eq!(of(b"[1]", false), "[1]");
    }

    #[test]
    fn the_largest_report_fits_into_a_line() {
        let options = RunOptions {
            dialect: &crate::dialects::DIALECTS[0],
            event: "stop".to_owned(),
            hook: "h".to_owned(),
            command: vec!["x".into()],
        };
        let stream = |byte: u8, length| CapturedStream {
            bytes: vec![byte; length],
            truncated: true,
        };
        let payload = format!("\"{}\"", "\\n".repeat((MAX_PAYLOAD_BYTES - 2) / 2));
        assert_eq!((json::check(&payload), payload.len()), (Ok(()), MAX_PAYLOAD_BYTES));
        let mut record = Record {
            end: End::Exit(0),
            stdin: CapturedStream {
                bytes: payload.clone().into_bytes(),
                truncated: false,
            },
            // Each of these bytes has six characters in JSON.
            stdout: stream(1, MAX_OUTPUT_BYTES),
            stderr: stream(1, MAX_OUTPUT_BYTES),
            took_ms: 1.0,
        };
        let length = request(&options, &record, &payload).len();
        assert!((29 << 20..engine::MAX_LINE_BYTES).contains(&length), "{length}");
        record.stdin = stream(1, 2 * MAX_OUTPUT_BYTES);
        assert!(request(&options, &record, "null").len() < engine::MAX_LINE_BYTES);
    }
}
