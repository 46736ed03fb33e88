//! The relay as a hook process of picoclaw (`picoclaw.md` §5): it lives as long as the agent, and speaks JSON-RPC lines
//! on stdin and stdout.
//!
//! A request `hook.<event>` becomes `event.fire`, and the reply's JSON is its result. A notification becomes
//! `event.note`. One agent process serves many conversations, so each session key has a thread and a connection of its
//! own ([`session`]). Requests of one session run side by side, and their lines keep their order.

mod calls;
mod session;

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::args::ForwardOptions;
use crate::dialects::{self, PEER_KINDS, RelayDialect};
use crate::engine::MAX_LINE_BYTES;
use crate::environment::Environment;
use crate::json;
use crate::problem::{Consequence, NoReply};

/// Lines that may wait for the connection of one session. A notification that finds no room is dropped; a request is
/// answered without the engine.
const MAX_QUEUED: usize = 256;

/// What the agent sent for one session.
#[derive(Debug)]
enum Work {
    Request(Waiting, String),
    Note { event: String, params: String },
}

/// A request of the agent that has no answer yet.
#[derive(Debug)]
struct Waiting {
    /// The id as it is in the request.
    id: String,
    event: String,
}

/// The thread of a session. It ends when the sender is dropped.
struct SessionThread {
    inbox: SyncSender<Work>,
    thread: JoinHandle<()>,
}

/// What all threads share.
struct Relay {
    dialect: &'static RelayDialect,
    native: bool,
    fail_closed: bool,
    environment: Environment,
    sessions: Mutex<HashMap<String, SessionThread>>,
    /// Whether the present outage was reported on stderr.
    outage_reported: AtomicBool,
}

/// Serves the agent until it closes stdin, and ends the process.
pub fn run(options: &ForwardOptions) -> ! {
    let relay = Arc::new(Relay {
        dialect: options.dialect,
        native: options.native,
        fail_closed: options.fail_closed,
        environment: Environment::of_process(),
        sessions: Mutex::default(),
        outage_reported: AtomicBool::new(false),
    });
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    while read_line(&mut stdin, &mut line) {
        match str::from_utf8(&line).ok().filter(|line| json::check(line).is_ok()) {
            Some(line) => relay.receive(line),
            None if line.trim_ascii().is_empty() => {}
            None => complain("a line from the agent is not valid JSON and is ignored"),
        }
    }
    let sessions: Vec<_> = lock(&relay.sessions)
        .drain()
        .map(|(_, session)| session.thread)
        .collect();
    for session in sessions {
        drop(session.join());
    }
    process::exit(0)
}

/// Reads a line without its end. Returns whether there is one. A line that is too long is read to its end and ignored.
fn read_line(stdin: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut read = || {
        line.clear();
        let limit = MAX_LINE_BYTES as u64 + 1;
        let count = stdin.by_ref().take(limit).read_until(b'\n', line).unwrap_or(0);
        (count > 0, line.ends_with(b"\n"), line.len())
    };
    let (mut more, mut ended, length) = read();
    if !more || ended || length <= MAX_LINE_BYTES {
        return more;
    }
    complain("a line from the agent is longer than 32 MiB and is ignored");
    while more && !ended {
        (more, ended, _) = read();
    }
    line.clear();
    true
}

fn complain(what: &str) {
    // Without stderr nobody can be told.
    drop(io::stderr().write_all(format!("hookwright-relay: {what}\n").as_bytes()));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Relay {
    /// Handles one message of the agent.
    fn receive(self: &Arc<Self>, line: &str) {
        let [id, method, params] = json::fields(line, ["id", "method", "params"]);
        let Some(method) = method.and_then(json::string) else {
            return;
        };
        let params = params.unwrap_or("{}");
        match (id.filter(|id| *id != "null"), method.strip_prefix("hook.")) {
            (Some(id), Some("hello")) => send(id, "result", r#"{"ok":true,"name":"hookwright-relay"}"#),
            (Some(id), Some(event)) => {
                let waiting = Waiting {
                    id: id.to_owned(),
                    event: event.to_owned(),
                };
                self.dispatch(session_key(params), Work::Request(waiting, params.to_owned()));
            }
            (Some(id), None) => send(id, "error", r#"{"code":-32601,"message":"unknown method"}"#),
            (None, Some("event" | "runtime_event")) => {
                if let Some(event) = kind(params) {
                    self.dispatch(
                        session_key(params),
                        Work::Note {
                            event,
                            params: params.to_owned(),
                        },
                    );
                }
            }
            (None, _) => {}
        }
    }

    /// Hands work to the thread of its session, and starts that if there is none.
    fn dispatch(self: &Arc<Self>, key: &str, work: Work) {
        let mut sessions = lock(&self.sessions);
        if !sessions.contains_key(key) {
            let (inbox, receiver) = mpsc::sync_channel(MAX_QUEUED);
            let (relay, own_key) = (self.clone(), key.to_owned());
            let session = move || session::run(&relay, &own_key, &receiver);
            match thread::Builder::new().spawn(session) {
                Ok(thread) => drop(sessions.insert(key.to_owned(), SessionThread { inbox, thread })),
                Err(error) => return self.without_reply(work, &NoReply::Socket(error.to_string())),
            }
        }
        let refused = sessions.get(key).and_then(|session| session.inbox.try_send(work).err());
        drop(sessions);
        if let Some(TrySendError::Full(work) | TrySendError::Disconnected(work)) = refused {
            self.without_reply(work, &NoReply::NotAnswering);
        }
    }

    /// Removes a session that was idle for long, unless something has just arrived for it.
    fn retire(&self, key: &str, inbox: &Receiver<Work>) -> Option<Work> {
        let mut sessions = lock(&self.sessions);
        let arrived = inbox.try_recv().ok();
        if arrived.is_none() {
            sessions.remove(key);
        }
        arrived
    }

    /// Answers a request without the engine, and reports why.
    fn without_reply(&self, work: Work, problem: &NoReply) {
        match work {
            Work::Request(waiting, _) => self.answer_without_reply(&waiting, problem),
            Work::Note { .. } => self.report(problem, Consequence::Continues),
        }
    }

    fn answer_without_reply(&self, waiting: &Waiting, problem: &NoReply) {
        let blocked = self.fail_closed.then(|| {
            let why = problem.sentence(Consequence::Blocked);
            self.dialect
                .block(Some(&waiting.event), &why)
                .and_then(|answer| answer.stdout)
        });
        match blocked.flatten() {
            Some(result) => {
                self.report(problem, Consequence::Blocked);
                send(&waiting.id, "result", &result);
            }
            None => {
                self.report(problem, Consequence::Continues);
                send(&waiting.id, "result", dialects::peer_continue(&waiting.event));
            }
        }
    }

    /// Writes a sentence to stderr; once for an outage, however many events it affects.
    fn report(&self, problem: &NoReply, consequence: Consequence<'_>) {
        let is_outage = !matches!(
            problem,
            NoReply::Refused { .. } | NoReply::TooLarge | NoReply::NotUnderstood
        );
        if is_outage && self.outage_reported.swap(true, Ordering::Relaxed) {
            return;
        }
        drop(io::stderr().write_all(format!("{}\n", problem.sentence(consequence)).as_bytes()));
    }
}

/// Answers a request of the agent. If the agent does not read any more, the process ends.
fn send(id: &str, member: &str, value: &str) {
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{value}}}\n");
    let mut stdout = io::stdout().lock();
    if stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        process::exit(0);
    }
}

/// The session key of a message, as it is in the text; empty if it has none.
fn session_key(params: &str) -> &str {
    let [request, notification] = json::fields(params, ["meta", "Meta"]);
    let meta = request.or(notification).unwrap_or("");
    let [key] = json::fields(meta, ["SessionKey"]);
    crate::engine::session_id(key).unwrap_or("")
}

/// The event that a notification reports. The shipped agent sends its number.
fn kind(params: &str) -> Option<String> {
    let [seed, later] = json::fields(params, ["Kind", "kind"]);
    let kind = seed.or(later)?;
    let number = json::integer(kind).and_then(|number| usize::try_from(number).ok());
    let by_number = number
        .and_then(|number| PEER_KINDS.get(number))
        .map(|name| (*name).to_owned());
    by_number.or_else(|| json::string(kind)).filter(|kind| !kind.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_a_name_or_the_number_of_one() {
        assert_eq!(
            kind(r#"{"Kind":"tool_exec_start"}"#).as_deref(),
            Some("tool_exec_start")
        );
        assert_eq!(kind(r#"{"Kind":8}"#).as_deref(), Some("tool_exec_start"));
        assert_eq!(
            kind(r#"{"kind":"agent.turn.start"}"#).as_deref(),
            Some("agent.turn.start")
        );
        for none in [
            "{}",
            r#"{"Kind":99}"#,
            r#"{"Kind":-1}"#,
            r#"{"Kind":""}"#,
            r#"{"Kind":null}"#,
        ] {
            assert_eq!(kind(none), None, "{none}");
        }
    }

    #[test]
    fn the_session_key_is_in_the_meta_of_requests_and_notifications() {
        assert_eq!(session_key(r#"{"meta":{"SessionKey":"a"}}"#), "\"a\"");
        assert_eq!(session_key(r#"{"Meta":{"SessionKey":"b"}}"#), "\"b\"");
        for none in [
            "{}",
            r#"{"meta":{}}"#,
            r#"{"meta":{"SessionKey":""}}"#,
            r#"{"meta":null}"#,
        ] {
            assert_eq!(session_key(none), "", "{none}");
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_to_its_end() {
        let mut long = vec![b'x'; 2 * MAX_LINE_BYTES + 5];
        long.extend_from_slice(b"\n{}\n");
        let (mut stdin, mut line) = (&long[..], Vec::new());
        assert!(read_line(&mut stdin, &mut line));
        assert_eq!(line, b"");
        assert!(read_line(&mut stdin, &mut line));
        assert_eq!(line, b"{}\n");
        assert!(!read_line(&mut stdin, &mut line));
    }
}
