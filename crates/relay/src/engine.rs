//! The client of the agent socket (`CONTRACTS.md` §3): JSON-RPC 2.0, one object a line.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::dialects::RelayDialect;
use crate::environment::Environment;
use crate::json;
use crate::problem::NoReply;
use crate::stream::{self, Stream};

/// How long an engine that accepted the connection may take to open the session.
pub const OPEN_LIMIT: Duration = Duration::from_secs(2);
/// The longest line that is read.
pub const MAX_LINE_BYTES: usize = 32 << 20;
/// The longest payload, as it is in the line.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;
/// The longest payload that is sent to be fired. The engine refuses one that is longer than [`MAX_PAYLOAD_BYTES`], and
/// records that the event passed without its hooks.
pub const MAX_SENT_BYTES: usize = MAX_LINE_BYTES - (1 << 20);
/// How long a session outlives its last connection, in milliseconds.
const KEEP_MS: u32 = 600_000;
/// The same for a session without an id: no later event can join it, so only its asynchronous hooks need it.
const KEEP_MS_WITHOUT_ID: u32 = 1;
/// The id of `session.open`. Further requests count up from it.
const OPEN_ID: u64 = 1;
/// The relay offers nothing, so an engine asks it nothing. More requests than this are not refused one by one, because a
/// write waits if the other side does not read.
const MAX_REFUSALS: usize = 16;
/// Bytes of the first read. Most lines are shorter.
const READ_BYTES: usize = 2 << 10;

/// What `session.open` says about the agent.
#[derive(Debug, Clone, Copy)]
pub struct OpenSession<'a> {
    pub dialect: &'static RelayDialect,
    /// The id as it is in the payload, in quotes.
    pub id: Option<&'a str>,
    pub native: bool,
    /// Whether it only reports what the agent ran.
    pub reports_only: bool,
}

/// A connection with an open session.
#[derive(Debug)]
pub struct EngineConnection {
    pub stream: Stream,
    pub lines: LineBuffer,
}

impl EngineConnection {
    /// Finds the engine and opens the session. Each place has 2 s, and none has more than is left until `deadline`.
    pub fn open(
        environment: &Environment,
        session: OpenSession<'_>,
        deadline: Option<Instant>,
    ) -> Result<Self, NoReply> {
        let request = open_request(environment, session);
        let mut worst = NoReply::NoEngine;
        let found = environment.first_socket(|path| {
            let limit = Instant::now() + OPEN_LIMIT;
            let limit = deadline.map_or(limit, |deadline| limit.min(deadline));
            match Self::open_at(path, &request, limit) {
                Err(problem @ (NoReply::NotAnswering | NoReply::ConnectionLost | NoReply::Socket(_))) => {
                    worst = problem;
                    None
                }
                Err(NoReply::NoEngine) => None,
                // An engine has answered, so no other place is tried.
                answer => Some(answer),
            }
        })?;
        found.unwrap_or(Err(worst))
    }

    fn open_at(path: &Path, request: &str, deadline: Instant) -> Result<Self, NoReply> {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(NoReply::NotAnswering);
        }
        let stream = stream::connect(path, remaining).map_err(connect_problem)?;
        let mut engine = Self {
            stream,
            lines: LineBuffer::default(),
        };
        engine.call(request, OPEN_ID, Some(deadline))?;
        stream::lift_limits(&engine.stream).map_err(|error| NoReply::Socket(error.to_string()))?;
        Ok(engine)
    }

    /// Sends a request and waits for its result, which is JSON. Without a deadline it waits as long as the connection
    /// is open.
    pub fn call(&mut self, request: &str, id: u64, deadline: Option<Instant>) -> Result<String, NoReply> {
        self.send(request, deadline)?;
        let mut refusals = 0;
        loop {
            let line = self.lines.next(&mut self.stream, deadline)?;
            let message = EngineMessage::read(line);
            match message {
                EngineMessage::Answer { id: answered, result } if answered == id => {
                    return result.map(str::to_owned);
                }
                EngineMessage::Request { id } if refusals < MAX_REFUSALS => {
                    refusals += 1;
                    let refusal = refusal(id);
                    self.send(&refusal, deadline)?;
                }
                // Answers to other requests, notifications, and lines that are not understood.
                EngineMessage::Request { .. } | EngineMessage::Answer { .. } | EngineMessage::Other => {}
            }
        }
    }

    fn send(&mut self, line: &str, deadline: Option<Instant>) -> Result<(), NoReply> {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            if let Some(deadline) = deadline {
                let remaining = deadline.saturating_duration_since(Instant::now());
                if remaining.is_zero() || stream::limit_write(&self.stream, remaining).is_err() {
                    return Err(NoReply::NotAnswering);
                }
            }
            match self.stream.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_time_limit(&error) => return Err(NoReply::NotAnswering),
                Err(_) => return Err(NoReply::ConnectionLost),
            }
        }
        Ok(())
    }
}

/// A line from the engine.
#[derive(Debug, PartialEq, Eq)]
pub enum EngineMessage<'a> {
    /// The answer to a request of the relay.
    Answer { id: u64, result: Result<&'a str, NoReply> },
    /// A request to the relay, with the id as it is in the line.
    Request { id: &'a str },
    /// A notification, or no message at all.
    Other,
}

impl<'a> EngineMessage<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> Self {
        let Ok(document) = json::document(line, ["id", "method", "result", "error"]) else {
            return Self::Other;
        };
        let [id, method, result, error] = document.fields;
        match (id, method) {
            (Some(id), Some(_)) if id != "null" => Self::Request { id },
            (Some(id), None) => match json::integer(id).and_then(|id| u64::try_from(id).ok()) {
                Some(id) => Self::Answer {
                    id,
                    result: answer(result, error),
                },
                None => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

fn answer<'a>(result: Option<&'a str>, error: Option<&'a str>) -> Result<&'a str, NoReply> {
    let Some(error) = error.filter(|error| *error != "null") else {
        return result.ok_or(NoReply::NotUnderstood);
    };
    let [code, message, data] = json::fields(error, ["code", "message", "data"]);
    let [hint] = data.map_or([None], |data| json::fields(data, ["hint"]));
    Err(NoReply::Refused {
        code: code.and_then(json::integer).unwrap_or(0),
        message: message
            .and_then(json::string)
            .unwrap_or_else(|| "the Hookwright engine refused the event".to_owned()),
        hint: hint.and_then(json::string).filter(|hint| !hint.is_empty()),
    })
}

/// The answer to a request of the engine: the relay offers nothing.
pub fn refusal(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32601,\"message\":\"the relay has no methods\"}}}}\n"
    )
}

/// A request line. `params` are the inner parts of an object.
pub fn request(id: u64, method: &str, params: &[&str]) -> String {
    let length = params.iter().map(|part| part.len()).sum::<usize>();
    let mut line = String::with_capacity(length + 96);
    line.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    line.push_str(&id.to_string());
    finish_message(&mut line, method, params);
    line
}

/// A notification line.
pub fn notification(method: &str, params: &[&str]) -> String {
    let mut line = "{\"jsonrpc\":\"2.0\"".to_owned();
    finish_message(&mut line, method, params);
    line
}

fn finish_message(line: &mut String, method: &str, params: &[&str]) {
    line.push_str(",\"method\":\"");
    line.push_str(method);
    line.push_str("\",\"params\":{");
    for part in params {
        line.push_str(part);
    }
    line.push_str("}}\n");
}

fn open_request(environment: &Environment, session: OpenSession<'_>) -> String {
    let dialect = session.dialect;
    let mut params = format!(
        "\"dialect\":\"{}\",\"agent\":{{\"name\":\"{}\",\"version\":\"\"",
        dialect.id, dialect.agent
    );
    #[cfg(unix)]
    params.push_str(&format!(",\"pid\":{}", std::os::unix::process::parent_id()));
    if let Some(depth) = environment.depth() {
        params.push_str(&format!(",\"depth\":{depth}"));
    }
    if let Some(path) = environment.search_path() {
        params.push_str(",\"path\":");
        json::quote_into(&mut params, &path);
    }
    params.push('}');
    if let Some(id) = session.id {
        params.push_str(",\"session_id\":");
        params.push_str(id);
    }
    params.push_str(",\"cwd\":");
    json::quote_into(&mut params, &environment.project_dir(dialect).to_string_lossy());
    let native = session.native;
    let keep_ms = session.id.map_or(KEEP_MS_WITHOUT_ID, |_| KEEP_MS);
    params.push_str(&format!(
        ",\"offers\":[],\"native\":{native},\"keep_ms\":{keep_ms},\"protocol\":1"
    ));
    if session.reports_only {
        params.push_str(",\"reports_only\":true");
    }
    request(OPEN_ID, "session.open", &[&params])
}

/// A session id that counts: a string that is not empty. It is kept as it is in the payload.
pub fn session_id(value: Option<&str>) -> Option<&str> {
    value.filter(|value| value.starts_with('"') && value.len() > 2)
}

fn connect_problem(error: io::Error) -> NoReply {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) {
        NoReply::NoEngine
    } else if is_time_limit(&error) {
        NoReply::NotAnswering
    } else {
        NoReply::Socket(error.to_string())
    }
}

fn is_time_limit(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The lines of a connection. What was read behind a line is kept for the next one.
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the current line began, and how far the search for its end has come.
    start: usize,
    searched: usize,
}

impl LineBuffer {
    /// The next line that is UTF-8, without its line end.
    pub fn next(&mut self, stream: &mut Stream, deadline: Option<Instant>) -> Result<&str, NoReply> {
        loop {
            if let Some(end) = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.start..self.searched + end;
                self.start = line.end + 1;
                self.searched = self.start;
                if str::from_utf8(&self.bytes[line.clone()]).is_ok() {
                    // The borrow checker needs the second look.
                    return str::from_utf8(&self.bytes[line]).map_err(|_| NoReply::NotUnderstood);
                }
                continue;
            }
            self.bytes.drain(..self.start);
            self.start = 0;
            self.searched = self.bytes.len();
            if self.bytes.len() > MAX_LINE_BYTES {
                return Err(NoReply::NotUnderstood);
            }
            self.fill(stream, deadline)?;
        }
    }

    fn fill(&mut self, stream: &mut Stream, deadline: Option<Instant>) -> Result<(), NoReply> {
        if let Some(deadline) = deadline {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() || stream::limit_read(stream, remaining).is_err() {
                return Err(NoReply::NotAnswering);
            }
        }
        let length = self.bytes.len();
        // A long line is read in larger and larger parts.
        self.bytes.resize(length + READ_BYTES.max(length / 2), 0);
        let read = stream.read(&mut self.bytes[length..]);
        self.bytes.truncate(length + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => Err(NoReply::ConnectionLost),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if is_time_limit(&error) => Err(NoReply::NotAnswering),
            Err(_) => Err(NoReply::ConnectionLost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer_a_request_or_nothing() {
        let answer = |line| match EngineMessage::read(line) {
            EngineMessage::Answer { id, result } => Some((id, result)),
            EngineMessage::Request { .. } | EngineMessage::Other => None,
        };
        assert_eq!(
            answer(r#"{"jsonrpc":"2.0","id":2,"result":{"a":1}}"#),
            Some((2, Ok("{\"a\":1}")))
        );
        let refused = NoReply::Refused {
            code: -32002,
            message: "no".to_owned(),
            hint: Some("do".to_owned()),
        };
        let line = r#"{"id":2,"error":{"code":-32002,"message":"no","data":{"hint":"do"}}}"#;
        assert_eq!(answer(line), Some((2, Err(refused))));
        assert_eq!(answer(r#"{"id":2}"#), Some((2, Err(NoReply::NotUnderstood))));
        assert_eq!(
            EngineMessage::read(r#"{"id":"x","method":"agent.fire"}"#),
            EngineMessage::Request { id: "\"x\"" }
        );
        for other in [
            "",
            "x",
            "{",
            "[]",
            "{}",
            r#"{"method":"session.notice"}"#,
            r#"{"id":null,"error":{}}"#,
            r#"{"id":"2","result":1}"#,
        ] {
            assert_eq!(EngineMessage::read(other), EngineMessage::Other, "{other}");
        }
    }

    #[test]
    fn only_a_string_with_text_is_a_session_id() {
        assert_eq!(session_id(Some("\"s\"")), Some("\"s\""));
        for other in [None, Some("\"\""), Some("1"), Some("null"), Some("{}")] {
            assert_eq!(session_id(other), None);
        }
    }
}
