//! What is known of one long-lived process: whether it greeted, what it was asked, what it still owes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hookwright_model::{Captured, End, Message, NoHandshake, PeerLine, PeerProtocol, PeerRules, args};
use tokio::sync::{oneshot, watch};

use crate::capture::STDERR_KEPT;
use crate::messages::{LONG_LINE, MORE_NOISE};
use crate::process::Status;

use super::queue::Queue;

/// A process that wrote so many bytes, or lines, and no greeting writes something else.
const BYTES_BEFORE_GREETING: usize = 1 << 20;
const LINES_BEFORE_GREETING: u64 = 10_000;

/// One process, from the moment it was wanted until it is forgotten.
#[derive(Debug)]
pub(super) struct Peer {
    /// What it was started from.
    pub(super) version: String,
    pub(super) wire: &'static dyn PeerProtocol,
    pub(super) rules: PeerRules,
    /// How it was started, once that is known.
    pub(super) card: OnceLock<Card>,
    /// What is written to it, in order.
    pub(super) outgoing: Queue,
    /// So many notifications are not written yet.
    pub(super) waiting: AtomicUsize,
    wanted: Instant,
    stage: watch::Sender<Stage>,
    wish: watch::Sender<Wish>,
    book: Mutex<Book>,
}

/// How a process was started, for the record.
#[derive(Debug, Clone, Default)]
pub(super) struct Card {
    pub(super) command: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) env: Vec<String>,
}

/// How far it has come.
#[derive(Debug, Clone)]
pub(super) enum Stage {
    /// It is starting, or was greeted and has not answered.
    Greeting,
    /// It answered the greeting with this line.
    Ready(Arc<[u8]>),
    /// It is gone, or as good as gone.
    Gone(Arc<Gone>),
}

/// How it went.
#[derive(Debug)]
pub(super) struct Gone {
    /// What calls that were under way ended with.
    pub(super) end: End,
    /// Its exit status or signal, where it had one.
    pub(super) status: Status,
    /// What a person should know.
    pub(super) why: Option<Message>,
    /// It let the time for its greeting pass without one.
    pub(super) silent: bool,
    /// What it said of it on stderr before anybody asked anything, or the system's words.
    pub(super) aside: Captured,
    /// What it greeted with, if it ever did.
    pub(super) hello: Option<Arc<[u8]>>,
    /// When.
    pub(super) at: Instant,
    /// After how long a life.
    pub(super) lived: Duration,
}

impl Gone {
    /// Why it never greeted, when it did not.
    pub(super) fn ungreeted(&self) -> Option<NoHandshake> {
        let why = self.why.clone().filter(|_| self.hello.is_none())?;
        Some(NoHandshake {
            why,
            silent: self.silent,
        })
    }
}

/// What its keeper is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Go on.
    Stay,
    /// See it off: stdin closed, a grace, SIGKILL.
    Close,
    /// The same, because another version of it takes its place: calls under way have lost it.
    Replace,
    /// It did not let go of a call: end it at once.
    Kill,
}

/// What came of a request.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) end: End,
    pub(super) status: Status,
    /// The line as received.
    pub(super) line: Vec<u8>,
    pub(super) aside: Captured,
    pub(super) notes: Vec<Message>,
}

#[derive(Debug, Default)]
struct Book {
    next: u64,
    calls: BTreeMap<u64, Pending>,
    over: bool,
    /// What it said on stderr before anybody asked anything.
    early: Captured,
    /// For the next attempt to tell.
    news: Vec<Message>,
    noise: Option<(Message, u64)>,
    /// Lines that nobody waited for.
    dropped: u64,
    /// Notifications that were not taken.
    unsent: u64,
    /// Lines heard in all.
    heard: u64,
    /// Bytes heard before the greeting was answered.
    before: usize,
    /// Lines that were no answers while nobody asked.
    unheard: u64,
    /// For the next attempt to report.
    counted: BTreeMap<&'static str, u64>,
}

#[derive(Debug)]
struct Pending {
    answer: oneshot::Sender<Outcome>,
    aside: Captured,
}

/// What a line meant for the process's keeper.
#[derive(Debug)]
pub(super) enum Meant {
    /// Nothing more to do.
    Done,
    /// The greeting was answered, and the answer is no good.
    BadGreeting(Message),
    /// It writes and writes, and no greeting.
    Babble,
}

impl Peer {
    /// One that is wanted.
    pub(super) fn new(version: String, wire: &'static dyn PeerProtocol, rules: PeerRules) -> Self {
        Self {
            version,
            wire,
            rules,
            card: OnceLock::new(),
            outgoing: Queue::default(),
            waiting: AtomicUsize::new(0),
            wanted: Instant::now(),
            stage: watch::Sender::new(Stage::Greeting),
            wish: watch::Sender::new(Wish::Stay),
            book: Mutex::default(),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing between two changes of the book panics.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it is called in sentences.
    pub(super) fn program(&self) -> String {
        let command = self.card.get().and_then(|card| card.command.first().cloned());
        command.unwrap_or_default()
    }

    /// The stage it is in.
    pub(super) fn stage(&self) -> Stage {
        self.stage.borrow().clone()
    }

    /// The stage after the greeting.
    pub(super) async fn settled(&self) -> Stage {
        let mut stage = self.stage.subscribe();
        let settled = stage.wait_for(|stage| !matches!(stage, Stage::Greeting)).await;
        // The sender is `self`, so waiting cannot fail.
        settled.map_or(Stage::Greeting, |stage| stage.clone())
    }

    /// How it went, once it has.
    pub(super) async fn gone(&self) -> Option<Arc<Gone>> {
        let mut stage = self.stage.subscribe();
        let gone = stage.wait_for(|stage| matches!(stage, Stage::Gone(_))).await;
        match gone.ok().map(|stage| stage.clone()) {
            Some(Stage::Gone(gone)) => Some(gone),
            Some(Stage::Greeting | Stage::Ready(_)) | None => None,
        }
    }

    /// Asks the keeper for something; a wish to end is never taken back.
    pub(super) fn wish(&self, wish: Wish) {
        self.wish.send_replace(wish);
    }

    /// Resolves with the first wish to end.
    pub(super) async fn wished(&self) -> Wish {
        let mut wishes = self.wish.subscribe();
        let wish = wishes.wait_for(|wish| *wish != Wish::Stay).await;
        wish.map_or(Wish::Close, |wish| *wish)
    }

    /// A new request with its id; `None` when the process is gone.
    pub(super) fn enter(&self) -> Option<(u64, oneshot::Receiver<Outcome>)> {
        let mut book = self.book();
        if book.over {
            return None;
        }
        book.next += 1;
        let id = book.next;
        let (answer, waiting) = oneshot::channel();
        let aside = std::mem::take(&mut book.early);
        book.calls.insert(id, Pending { answer, aside });
        Some((id, waiting))
    }

    /// Nobody waits for this answer any more. What was said on stderr meanwhile.
    pub(super) fn retract(&self, id: u64) -> Captured {
        self.book().calls.remove(&id).map(|call| call.aside).unwrap_or_default()
    }

    /// The greeting has the first id.
    pub(super) fn count_greeting(&self) {
        self.book().next += 1;
    }

    /// What is to be told, once.
    pub(super) fn news(&self) -> Vec<Message> {
        let program = self.program();
        self.book().take_news(&program)
    }

    /// Something to tell with the next attempt.
    pub(super) fn add_news(&self, words: impl IntoIterator<Item = Message>) {
        self.book().news.extend(words);
    }

    /// What it said on stderr before anybody asked, once.
    pub(super) fn early(&self) -> Captured {
        std::mem::take(&mut self.book().early)
    }

    /// One more notification was not taken; how many so far.
    pub(super) fn count_unsent(&self) -> u64 {
        let mut book = self.book();
        book.unsent += 1;
        book.count("dropped_notifications", 1);
        book.unsent
    }

    /// Something for the metrics (`picoclaw.md` §10).
    pub(super) fn count(&self, word: &'static str, more: u64) {
        self.book().count(word, more);
    }

    /// What was counted since the last attempt that reported.
    pub(super) fn counted(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.book().counted)
    }

    /// How many lines were heard.
    pub(super) fn heard(&self) -> u64 {
        self.book().heard
    }

    /// A piece of stderr: it belongs to the attempts in flight, and to the first one when there was none yet.
    pub(super) fn absorb_aside(&self, piece: &[u8]) {
        let mut book = self.book();
        if !book.calls.is_empty() {
            for call in book.calls.values_mut() {
                append(&mut call.aside, piece);
            }
        } else if matches!(*self.stage.borrow(), Stage::Greeting) {
            append(&mut book.early, piece);
        } else {
            // What it was may hold a secret; a log holds none (`engine.md` §10).
            tracing::info!(program = %self.program(), bytes = piece.len(), "stderr outside any attempt");
        }
    }

    /// A line of its stdout.
    pub(super) fn absorb(&self, line: Vec<u8>) -> Meant {
        let program = self.program();
        let mut book = self.book();
        book.heard += 1;
        let greeting = matches!(*self.stage.borrow(), Stage::Greeting);
        if greeting {
            book.before = book.before.saturating_add(line.len() + 1);
        }
        let babble = book.before > BYTES_BEFORE_GREETING || book.heard > LINES_BEFORE_GREETING;
        let meant = if greeting && babble { Meant::Babble } else { Meant::Done };
        if line.iter().all(u8::is_ascii_whitespace) {
            return meant;
        }
        if self.rules.long_line.is_some_and(|limit| line.len() > limit) {
            book.news
                .push(LONG_LINE.render(args! { "program" => program, "bytes" => line.len() }));
        }
        // What is no UTF-8 is still somebody's answer; the dialect refuses it there.
        match self.wire.parse_line(&String::from_utf8_lossy(&line)) {
            PeerLine::Hello => return self.greeted(book, line),
            PeerLine::Answer(id) => book.answer(id, End::Replied, line, &program),
            PeerLine::Refusal(id) => book.answer(id, End::Refused, line, &program),
            PeerLine::Dropped => book.drop_line(),
            PeerLine::Invalid(words) => {
                // The words quote it: they go into a trace, which is redacted, and never into a log (`engine.md` §10).
                tracing::debug!(%program, bytes = line.len(), "a line that is no answer");
                book.count("dropped_lines", 1);
                let told = greeting || !book.calls.is_empty();
                match &mut book.noise {
                    Some((_, more)) => *more += 1,
                    None if told => book.noise = Some((words, 0)),
                    None => book.quiet(&program),
                }
            }
        }
        meant
    }

    fn greeted(&self, mut book: MutexGuard<'_, Book>, line: Vec<u8>) -> Meant {
        if !matches!(*self.stage.borrow(), Stage::Greeting) {
            book.drop_line();
            return Meant::Done;
        }
        match self.wire.parse_handshake(&String::from_utf8_lossy(&line)) {
            Ok(welcome) => {
                book.news.extend(welcome.notes);
                let took = self.wanted.elapsed().as_micros();
                book.count("handshakes", 1);
                book.count("handshake_us", u64::try_from(took).unwrap_or(u64::MAX));
                drop(book);
                self.stage.send_replace(Stage::Ready(line.into()));
                Meant::Done
            }
            Err(words) => Meant::BadGreeting(words),
        }
    }

    /// It is gone: what is under way ends so, and nothing more begins.
    pub(super) fn leave(&self, mut gone: Gone) {
        let program = self.program();
        let mut book = self.book();
        book.over = true;
        let last = std::mem::replace(&mut gone.aside, std::mem::take(&mut book.early));
        append(&mut gone.aside, &last.bytes);
        let notes: Vec<Message> = book.take_news(&program).into_iter().chain(gone.why.clone()).collect();
        for call in std::mem::take(&mut book.calls).into_values() {
            // Whoever went away does not hear of it.
            drop(call.answer.send(Outcome {
                end: gone.end,
                status: gone.status,
                line: Vec::new(),
                aside: call.aside,
                notes: notes.clone(),
            }));
        }
        drop(book);
        self.outgoing.close();
        self.stage.send_replace(Stage::Gone(Arc::new(gone)));
    }
}

impl Book {
    fn count(&mut self, word: &'static str, more: u64) {
        *self.counted.entry(word).or_default() += more;
    }

    /// A line that nobody waited for.
    fn drop_line(&mut self) {
        self.dropped += 1;
        self.count("dropped_lines", 1);
    }

    fn answer(&mut self, id: u64, end: End, line: Vec<u8>, program: &str) {
        let Some(call) = self.calls.remove(&id) else {
            self.drop_line();
            tracing::debug!(%program, id, dropped = self.dropped, "an answer that nobody waits for");
            return;
        };
        let outcome = Outcome {
            end,
            status: Status::default(),
            line,
            aside: call.aside,
            notes: self.take_news(program),
        };
        drop(call.answer.send(outcome));
    }

    /// Noise that no attempt will tell of: once in the log, however much of it there is.
    fn quiet(&mut self, program: &str) {
        self.unheard += 1;
        if self.unheard == 1 {
            tracing::warn!(%program, "it writes lines that are no answers while nobody asks");
        }
    }

    fn take_news(&mut self, program: &str) -> Vec<Message> {
        let mut news = std::mem::take(&mut self.news);
        if let Some((first, more)) = self.noise.take() {
            news.push(first);
            if more > 0 {
                news.push(MORE_NOISE.render(args! { "program" => program, "count" => more }));
            }
        }
        news
    }
}

/// Up to what is kept of a stderr; the rest is counted.
fn append(to: &mut Captured, piece: &[u8]) {
    let room = STDERR_KEPT.saturating_sub(to.bytes.len());
    to.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    to.total += piece.len() as u64;
}
