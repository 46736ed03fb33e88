//! One session of a picoclaw agent: its thread, and its connection to the engine, which is opened anew when it is lost.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::calls::Calls;
use super::{Relay, Waiting, Work, lock, send};
use crate::engine::{self, EngineConnection, EngineMessage, LineBuffer, MAX_SENT_BYTES, OpenSession};
use crate::json;
use crate::problem::NoReply;
use crate::stream::{self, Stream};

/// A session without events for this long gives its thread and its connection back. The engine forgets it then too.
const IDLE_LIMIT: Duration = Duration::from_secs(600);
/// After an engine did not respond in time, events are not delayed again for this long.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// How long replies are awaited after the agent has closed stdin: as long as an approval may take.
const END_LIMIT: Duration = Duration::from_secs(60);
/// `session.open` has the id 1.
const FIRST_ID: u64 = 2;

/// Serves one session until the agent ends or the session is idle for long.
pub(super) fn run(relay: &Arc<Relay>, key: &str, inbox: &Receiver<Work>) {
    let mut session = Connector {
        relay,
        key,
        link: None,
        retry_after: None,
    };
    loop {
        match inbox.recv_timeout(IDLE_LIMIT) {
            Ok(work) => session.forward(work),
            Err(RecvTimeoutError::Timeout) if session.is_busy() => {}
            Err(RecvTimeoutError::Timeout) => match relay.retire(key, inbox) {
                Some(work) => session.forward(work),
                None => break,
            },
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if let Some(link) = session.link {
        link.calls.wait_until_idle(END_LIMIT);
        stream::shut_down(&lock(&link.writer));
    }
}

struct Connector<'a> {
    relay: &'a Arc<Relay>,
    key: &'a str,
    link: Option<Link>,
    retry_after: Option<Instant>,
}

/// An open connection. A thread of its own reads it.
struct Link {
    writer: Arc<Mutex<Stream>>,
    calls: Arc<Calls>,
    next_id: u64,
}

impl Connector<'_> {
    fn is_busy(&self) -> bool {
        self.link.as_ref().is_some_and(|link| !link.calls.is_idle())
    }

    /// Sends one event, over a new connection if there is none or if it has just ended.
    fn forward(&mut self, mut work: Work) {
        let (Work::Request(_, params) | Work::Note { params, .. }) = &work;
        if params.len() > MAX_SENT_BYTES {
            return self.relay.without_reply(work, &NoReply::TooLarge);
        }
        for _ in 0..2 {
            let mut link = match self.link.take().filter(|link| !link.calls.is_closed()) {
                Some(link) => link,
                None => match self.connect() {
                    Ok(link) => link,
                    Err(problem) => return self.relay.without_reply(work, &problem),
                },
            };
            match link.send(self.relay, work) {
                Sent::Written => {
                    self.link = Some(link);
                    return;
                }
                // Its other requests are answered by the thread that reads it.
                Sent::Broken => return stream::shut_down(&lock(&link.writer)),
                Sent::Closed(unsent) => work = unsent,
            }
        }
        self.relay.without_reply(work, &NoReply::ConnectionLost);
    }

    fn connect(&mut self) -> Result<Link, NoReply> {
        if self.retry_after.is_some_and(|time| Instant::now() < time) {
            return Err(NoReply::NotAnswering);
        }
        let id = Some(self.key).filter(|key| !key.is_empty());
        let session = OpenSession {
            dialect: self.relay.dialect,
            id,
            native: self.relay.native,
            reports_only: false,
        };
        let opened = EngineConnection::open(&self.relay.environment, session, None);
        self.retry_after =
            (opened.as_ref().err() == Some(&NoReply::NotAnswering)).then(|| Instant::now() + RETRY_DELAY);
        let EngineConnection { stream, lines } = opened?;
        let reader = stream.try_clone().map_err(|error| NoReply::Socket(error.to_string()))?;
        self.relay.outage_reported.store(false, Ordering::Relaxed);
        let link = Link {
            writer: Arc::new(Mutex::new(stream)),
            calls: Arc::default(),
            next_id: FIRST_ID,
        };
        let (relay, calls, writer) = (self.relay.clone(), link.calls.clone(), link.writer.clone());
        let read = move || read_replies(&relay, reader, lines, &calls, &writer);
        match thread::Builder::new().spawn(read) {
            Ok(_) => Ok(link),
            Err(error) => Err(NoReply::Socket(error.to_string())),
        }
    }
}

/// What became of an event.
enum Sent {
    Written,
    /// The connection cannot be used any more. The event was answered.
    Broken,
    /// The connection had ended before, so nothing was sent.
    Closed(Work),
}

impl Link {
    fn send(&mut self, relay: &Relay, work: Work) -> Sent {
        match work {
            Work::Note { event, params } => {
                let event = json::quote(&event);
                let line = engine::notification("event.note", &["\"event\":", &event, ",\"payload\":", &params]);
                if self.write(&line) { Sent::Written } else { Sent::Broken }
            }
            Work::Request(waiting, params) => self.fire(relay, waiting, params),
        }
    }

    fn fire(&mut self, relay: &Relay, waiting: Waiting, params: String) -> Sent {
        let id = self.next_id;
        self.next_id += 1;
        let event = json::quote(&waiting.event);
        let line = engine::request(id, "event.fire", &["\"event\":", &event, ",\"payload\":", &params]);
        if let Err(waiting) = self.calls.add(id, waiting) {
            return Sent::Closed(Work::Request(waiting, params));
        }
        if self.write(&line) {
            return Sent::Written;
        }
        // The reader may have answered it already.
        if let Some(taken) = self.calls.take(id) {
            relay.answer_without_reply(&taken.request, &NoReply::ConnectionLost);
        }
        Sent::Broken
    }

    fn write(&self, line: &str) -> bool {
        lock(&self.writer).write_all(line.as_bytes()).is_ok()
    }
}

/// Passes the engine's replies on to the agent until the connection ends.
fn read_replies(relay: &Relay, mut stream: Stream, mut lines: LineBuffer, calls: &Calls, writer: &Mutex<Stream>) {
    let problem = loop {
        let line = match lines.next(&mut stream, None) {
            Ok(line) => line,
            Err(problem) => break problem,
        };
        match EngineMessage::read(line) {
            EngineMessage::Answer { id, result } => {
                // Without its session a connection is of no use. The next event opens another one.
                if result.as_ref().is_err_and(NoReply::ends_session) {
                    calls.refuse_more();
                }
                if let Some(taken) = calls.take(id) {
                    answer(relay, &taken.request, result);
                }
                if calls.is_closed() && calls.is_idle() {
                    break NoReply::ConnectionLost;
                }
            }
            EngineMessage::Request { id } => {
                // A thread that is writing must not be waited for: the engine may first want its answer to be read.
                if let Ok(mut writer) = writer.try_lock() {
                    drop(writer.write_all(engine::refusal(id).as_bytes()));
                }
            }
            EngineMessage::Other => {}
        }
    };
    stream::shut_down(&stream);
    for taken in calls.close() {
        relay.answer_without_reply(&taken.request, &problem);
    }
}

fn answer(relay: &Relay, waiting: &Waiting, result: Result<&str, NoReply>) {
    let reply = result.and_then(|result| {
        let [reply] = json::fields(result, ["reply"]);
        let [json] = reply.map_or([None], |reply| json::fields(reply, ["json"]));
        json.ok_or(NoReply::NotUnderstood)
    });
    match reply {
        Ok("null") => send(&waiting.id, "result", "{}"),
        Ok(json) => send(&waiting.id, "result", json),
        Err(problem) => relay.answer_without_reply(waiting, &problem),
    }
}
