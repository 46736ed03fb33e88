//! Long-lived processes that are asked over their streams (`engine.md` §7, "Peers").
//!
//! One process per session and key. A task of its own keeps each ([`keeper`]): it starts and greets it, writes what is
//! said, and hands each line to whom it answers. An attempt waits for the greeting on the greeting's time, and for its
//! answer on its own. A process that is gone is started again by the next attempt, after a pause where the rules say so.

mod back_off;
mod book;
mod keeper;
mod lines;
mod queue;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{Captured, End, Message, PeerCall, PeerMessage, Run, RunContext, args};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::environment::Environment;
use crate::guardian::Guardian;
use crate::messages::{PEER_RESTING, QUEUE_FULL};
use crate::process::Status;
use book::{Gone, Outcome, Peer, Stage, Wish};
use keeper::Start;

/// Every long-lived process of every session.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    seats: Mutex<BTreeMap<Key, Seat>>,
    /// Those that are on their way out.
    leaving: Mutex<Vec<JoinHandle<()>>>,
}

/// Session and [`PeerCall::key`].
type Key = (String, String);

/// The place of one process in one session.
#[derive(Debug)]
struct Seat {
    peer: Arc<Peer>,
    keeper: JoinHandle<()>,
    /// The pause before its present life.
    pause: Option<Duration>,
}

/// What an attempt finds at its seat.
enum Found {
    /// A process, perhaps still starting.
    Peer(Arc<Peer>),
    /// It died, and is not started again before this pause is over.
    Resting(Arc<Peer>, Duration),
}

/// What a start needs beside the call.
pub(crate) struct Ground {
    pub(crate) environment: Arc<Environment>,
    pub(crate) guardian: Arc<Guardian>,
}

impl Peers {
    /// Runs one attempt to its end.
    pub(crate) async fn run(&self, call: PeerCall, order: RunContext, ground: Ground) -> Run {
        let start = Instant::now();
        if order.cancelled.clone().now_or_never().is_some() {
            return Sheet::new(start, None).close(End::Cancelled);
        }
        let message = call.message.clone();
        let greeting = call.wire.handshake_line(&call);
        let (peer, resting) = match self.find(call, &order, ground) {
            Found::Peer(peer) => (peer, None),
            Found::Resting(peer, pause) => (peer, Some(pause)),
        };
        let stage = tokio::select! {
            biased;
            stage = peer.settled() => stage,
            () = order.cancelled.clone() => return Sheet::new(start, Some(&peer)).close(End::Cancelled),
        };
        let sheet = Sheet::new(start, Some(&peer));
        let hello = match stage {
            Stage::Ready(hello) => hello,
            Stage::Gone(gone) => match (&message, &gone.hello) {
                // It introduced itself and ended at once: what it said still counts for who asked for nothing else.
                (PeerMessage::Hello, Some(hello)) if resting.is_none() => {
                    return sheet
                        .said(greeting)
                        .heard(hello.to_vec(), gone.aside.clone(), peer.news())
                        .close(End::Replied);
                }
                (PeerMessage::Hello | PeerMessage::Request(_) | PeerMessage::Notify(_), _) => {
                    return sheet.gone(&peer, &gone, greeting, resting);
                }
            },
            Stage::Greeting => return sheet.close(End::PeerGone),
        };
        match message {
            PeerMessage::Hello => {
                let aside = peer.early();
                sheet
                    .said(greeting)
                    .heard(hello.to_vec(), aside, peer.news())
                    .close(End::Replied)
            }
            PeerMessage::Request(message) => ask(&peer, &message, order, sheet).await,
            PeerMessage::Notify(lines) => tell(&peer, lines, order, sheet).await,
        }
    }

    /// Starts what is not there yet, without waiting for it.
    pub(crate) fn expect(&self, call: PeerCall, order: &RunContext, ground: Ground) {
        drop(self.find(call, order, ground));
    }

    /// Closes all processes of a session together, without waiting for it.
    pub(crate) fn close_session(&self, session: &str) {
        self.close(|key| key.0 == session);
    }

    /// Closes every process, and waits until all are gone.
    pub(crate) async fn close_all(&self) {
        self.close(|_| true);
        let leaving = std::mem::take(&mut *self.leaving());
        futures::future::join_all(leaving).await;
    }

    fn close(&self, which: impl Fn(&Key) -> bool) {
        let mut seats = self.seats();
        let keys: Vec<Key> = seats.keys().filter(|key| which(key)).cloned().collect();
        for seat in keys.iter().filter_map(|key| seats.remove(key)) {
            self.see_off(seat, Wish::Close);
        }
    }

    fn see_off(&self, seat: Seat, wish: Wish) {
        seat.peer.wish(wish);
        let mut leaving = self.leaving();
        leaving.retain(|keeper| !keeper.is_finished());
        leaving.push(seat.keeper);
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<Key, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leaving(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process of this seat, started when there is none, or none of this version.
    fn find(&self, call: PeerCall, order: &RunContext, ground: Ground) -> Found {
        let key = (order.session.clone(), call.key.clone());
        let mut seats = self.seats();
        let pause = match seats.get(&key) {
            Some(seat) if seat.peer.version == call.version => match seat.peer.stage() {
                Stage::Greeting | Stage::Ready(_) => return Found::Peer(seat.peer.clone()),
                Stage::Gone(gone) => match seat.rest(&gone, &call) {
                    Some((pause, left)) if !left.is_zero() => return Found::Resting(seat.peer.clone(), pause),
                    Some((pause, _)) => Some(pause),
                    None => seat.pause,
                },
            },
            Some(_) | None => None,
        };
        let again = seats.get(&key).is_some();
        let seat = seat(call, order, ground, pause);
        let peer = seat.peer.clone();
        peer.count("starts", 1);
        if again {
            peer.count("restarts", 1);
        }
        if let Some(old) = seats.insert(key, seat) {
            self.see_off(old, Wish::Replace);
        }
        Found::Peer(peer)
    }
}

impl Seat {
    /// The pause after this death, and what is left of it; none for what never ran.
    fn rest(&self, gone: &Gone, call: &PeerCall) -> Option<(Duration, Duration)> {
        if !call.rules.back_off || gone.end == End::NotStarted {
            return None;
        }
        let pause = back_off::pause(self.pause, gone.lived);
        Some((pause, pause.saturating_sub(gone.at.elapsed())))
    }
}

fn seat(call: PeerCall, order: &RunContext, ground: Ground, pause: Option<Duration>) -> Seat {
    let peer = Arc::new(Peer::new(call.version.clone(), call.wire, call.rules));
    let start = Start {
        call,
        order: order.clone(),
        environment: ground.environment,
        guardian: ground.guardian,
    };
    let keeper = tokio::spawn(keeper::keep(peer.clone(), start));
    Seat { peer, keeper, pause }
}

/// A request, and its answer within the time limit, counted from here.
async fn ask(peer: &Arc<Peer>, message: &Value, order: RunContext, sheet: Sheet<'_>) -> Run {
    let Some((id, answer)) = peer.enter() else {
        return sheet.lost(peer).await;
    };
    let question = Question { peer, id };
    let line = peer.wire.request(id, message);
    let sheet = sheet.said(Some(line.clone()));
    peer.say(line, Some(id), None);
    let end = tokio::select! {
        biased;
        answer = answer => match answer {
            Ok(Outcome { end, status, line, aside, notes }) => {
                return sheet.heard(line, aside, notes).ended(status).close(end);
            }
            // The keeper went away without a word: the runtime is ending.
            Err(_) => End::Cancelled,
        },
        () = tokio::time::sleep(order.limit) => End::TimedOut,
        () = order.cancelled => End::Cancelled,
    };
    let aside = peer.retract(id);
    take_back(&question);
    sheet.heard(Vec::new(), aside, peer.news()).close(end)
}

/// A request under way; when its attempt is dropped, nobody waits for it any more.
struct Question<'a> {
    peer: &'a Arc<Peer>,
    id: u64,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.peer.outgoing.unsay(self.id);
        self.peer.retract(self.id);
    }
}

/// Says that nobody waits any more, where there are words for it, and ends a process that does not let go.
fn take_back(question: &Question<'_>) {
    let peer = question.peer.clone();
    // What it was never asked needs no taking back.
    let asked = !peer.outgoing.unsay(question.id);
    if let Some(line) = peer.wire.cancel(question.id).filter(|_| asked) {
        peer.say(line, None, None);
    }
    if let Some(patience) = peer.rules.after_cancel {
        let heard = peer.heard();
        tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            if peer.heard() == heard {
                peer.wish(Wish::Kill);
            }
        });
    }
}

/// A notification; delivered means done.
async fn tell(peer: &Peer, lines: Vec<String>, order: RunContext, sheet: Sheet<'_>) -> Run {
    let text = lines.join("\n");
    let sheet = sheet.said(Some(text.clone()));
    let waiting = peer.waiting.fetch_add(1, Ordering::Relaxed);
    if waiting >= peer.rules.queue {
        peer.waiting.fetch_sub(1, Ordering::Relaxed);
        let count = peer.count_unsent();
        let words = QUEUE_FULL.render(args! { "program" => peer.program(), "waiting" => waiting, "count" => count });
        return sheet
            .heard(Vec::new(), Captured::default(), vec![words])
            .close(End::Refused);
    }
    let (written, delivered) = oneshot::channel();
    peer.say(text, None, Some(written));
    let end = tokio::select! {
        biased;
        delivered = delivered => match delivered {
            Ok(()) => End::Done,
            Err(_) => return sheet.lost(peer).await,
        },
        () = tokio::time::sleep(order.limit) => End::TimedOut,
        () = order.cancelled => End::Cancelled,
    };
    sheet.heard(Vec::new(), peer.early(), peer.news()).close(end)
}

/// What an attempt says about itself.
struct Sheet<'p> {
    start: Instant,
    peer: Option<&'p Peer>,
    run: Run,
}

impl<'p> Sheet<'p> {
    fn new(start: Instant, peer: Option<&'p Peer>) -> Self {
        let card = peer.and_then(|peer| peer.card.get()).cloned().unwrap_or_default();
        let run = Run {
            command: card.command,
            cwd: card.cwd,
            env: card.env,
            ..crate::nothing()
        };
        Self { start, peer, run }
    }

    fn said(mut self, line: Option<String>) -> Self {
        self.run.stdin = Captured::new(line.unwrap_or_default());
        self
    }

    fn heard(mut self, line: Vec<u8>, aside: Captured, notes: Vec<Message>) -> Self {
        self.run.stdout = Captured::new(line);
        self.run.stderr = aside;
        self.run.notes.extend(notes);
        self
    }

    fn ended(mut self, status: Status) -> Self {
        self.run.code = status.code;
        self.run.signal = status.signal;
        self
    }

    /// The process is gone: before it greeted, or before this attempt.
    fn gone(self, peer: &Peer, gone: &Gone, greeting: Option<String>, resting: Option<Duration>) -> Run {
        let mut notes = peer.news();
        let mut sheet = self;
        sheet.run.no_handshake = gone.ungreeted();
        if let Some(pause) = resting {
            // It never greeted: that is still what a person has to know. What it said and how it ended was another
            // attempt's (`engine.md` §7).
            notes.extend(match &gone.hello {
                Some(_) => {
                    Some(PEER_RESTING.render(args! { "program" => peer.program(), "pause" => pause.as_millis() }))
                }
                None => gone.why.clone(),
            });
            return sheet.heard(Vec::new(), Captured::default(), notes).close(gone.end);
        }
        notes.extend(gone.why.clone());
        let greeting = greeting.filter(|_| gone.end != End::NotStarted && gone.hello.is_none());
        sheet
            .said(greeting)
            .heard(Vec::new(), gone.aside.clone(), notes)
            .ended(gone.status)
            .close(gone.end)
    }

    /// The process went before it could be asked.
    async fn lost(self, peer: &Peer) -> Run {
        match peer.gone().await {
            Some(gone) => self
                .ended(gone.status)
                .heard(Vec::new(), Captured::default(), gone.why.iter().cloned().collect())
                .close(gone.end),
            None => self.close(End::PeerGone),
        }
    }

    fn close(mut self, end: End) -> Run {
        self.run.counters = self.peer.map(Peer::counted).unwrap_or_default();
        self.run.end = end;
        self.run.took = self.start.elapsed();
        self.run
    }
}
