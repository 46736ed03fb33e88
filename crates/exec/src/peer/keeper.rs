//! One task per long-lived process: it starts it, writes, reads, and sees it off.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{Captured, End, Message, PeerCall, RunContext, args};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot;
use tokio::task::coop::consume_budget;

use super::book::{Card, Gone, Meant, Peer, Stage, Wish};
use super::lines::{LINE_LIMIT, Lines, Next};
use super::queue::Outgoing;
use crate::environment::{Environment, unheld};
use crate::guardian::Guardian;
use crate::leash::Leash;
use crate::messages::{
    HANDSHAKE_BABBLE, HANDSHAKE_CLOSED, HANDSHAKE_EXITED, HANDSHAKE_REFUSED, HANDSHAKE_SIGNAL, HANDSHAKE_SILENT,
    PEER_CLOSED, PEER_EXITED, PEER_LONG_LINE, PEER_REPLACED, PEER_SIGNAL, PEER_STUCK,
};
use crate::process::{Status, command, directory, names, spawn};
use crate::shell;

/// After its stdin was closed it has this long to end by itself (`engine.md` §7).
const GRACE: Duration = Duration::from_secs(2);

/// What is still on its way when it ends is heard out for this long.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What starting takes beside the call itself.
pub(super) struct Start {
    pub(super) call: PeerCall,
    pub(super) order: RunContext,
    pub(super) environment: Arc<Environment>,
    pub(super) guardian: Arc<Guardian>,
}

/// A started process with the ends of its streams.
struct Kept {
    peer: Arc<Peer>,
    born: Instant,
    leash: Leash,
    out: Lines<ChildStdout>,
    aside: Option<ChildStderr>,
    /// Dropped, it closes stdin.
    writing: Option<BoxFuture<'static, ()>>,
}

/// Why keeping it comes to an end.
enum Over {
    Exited(std::io::Result<ExitStatus>),
    /// It closed its output, or does not take its input.
    Closed,
    TooLong,
    NoGreeting,
    BadGreeting(Message),
    Babble,
    Wished(Wish),
}

/// Starts it and stays with it to its end.
pub(super) async fn keep(peer: Arc<Peer>, start: Start) {
    let born = Instant::now();
    let greeting = peer.wire.handshake_line(&start.call);
    let Some((child, run, guardian)) = launch(&peer, start, born).await else {
        return;
    };
    let mut kept = Kept::new(peer, child, run, guardian, born);
    if let Some(line) = greeting {
        kept.peer.count_greeting();
        kept.peer.say(line, None, None);
    }
    let over = kept.stay().await;
    kept.end(over).await;
}

type Launched = (Child, Arc<str>, Arc<Guardian>);

async fn launch(peer: &Peer, start: Start, born: Instant) -> Option<Launched> {
    let Start {
        call,
        order,
        environment,
        guardian,
    } = start;
    let (cwd, note) = directory(call.cwd, call.fallback_cwd);
    peer.add_news(note);
    peer.add_news(call.env.iter().filter_map(unheld));
    let mut card = Card {
        command: Vec::new(),
        cwd: Some(cwd.clone()),
        env: names(&call.env),
    };
    let path = environment.search(&call.env, &call.loads);
    let argv = match shell::resolve(call.program, &path, &cwd) {
        Ok(argv) => argv,
        Err((words, error)) => {
            card.command = words;
            not_started(peer, card, Path::new(""), &error, born);
            return None;
        }
    };
    card.command = argv.words();
    let run: Arc<str> = order.run.as_str().into();
    let mut command = command(&argv, &cwd, &environment, &call.env, &order);
    environment.narrow(&mut command, &call.loads);
    peer.add_news(guardian.expect(&run));
    match spawn(&mut command).await {
        Ok(child) => {
            // Nobody else sets it.
            drop(peer.card.set(card));
            Some((child, run, guardian))
        }
        Err(error) => {
            guardian.ended(&run);
            not_started(peer, card, &argv.program, &error, born);
            None
        }
    }
}

/// It could not be started: stderr holds the system's words.
fn not_started(peer: &Peer, card: Card, program: &Path, error: &std::io::Error, born: Instant) {
    peer.add_news(shell::explain(program, error));
    let named = card.command.first().map_or("", String::as_str);
    let aside = Captured::new(format!("{named}: {error}"));
    drop(peer.card.set(card));
    peer.leave(Gone {
        end: End::NotStarted,
        status: Status::default(),
        why: None,
        silent: false,
        aside,
        hello: None,
        at: Instant::now(),
        lived: born.elapsed(),
    });
}

impl Kept {
    fn new(peer: Arc<Peer>, mut child: Child, run: Arc<str>, guardian: Arc<Guardian>, born: Instant) -> Self {
        let out = Lines::new(child.stdout.take(), LINE_LIMIT);
        let aside = child.stderr.take();
        let writing = write(peer.clone(), child.stdin.take()).boxed();
        Self {
            leash: Leash::new(child, run, guardian),
            peer,
            born,
            out,
            aside,
            writing: Some(writing),
        }
    }

    /// Serves it until something ends that.
    async fn stay(&mut self) -> Over {
        let patience = tokio::time::sleep(self.peer.rules.greeting);
        tokio::pin!(patience);
        let peer = self.peer.clone();
        let wished = peer.wished();
        tokio::pin!(wished);
        loop {
            let greeting = matches!(self.peer.stage(), Stage::Greeting);
            tokio::select! {
                wish = &mut wished => return Over::Wished(wish),
                () = &mut patience, if greeting => return Over::NoGreeting,
                status = self.leash.ended() => return Over::Exited(status),
                () = written(&mut self.writing) => return Over::Closed,
                () = hear_aside(&self.peer, &mut self.aside) => {}
                next = self.out.next() => match next {
                    Next::Line(line) => {
                        overhear(&self.peer, &mut self.aside);
                        match self.peer.absorb(line) {
                            Meant::Done => {}
                            Meant::BadGreeting(words) => return Over::BadGreeting(words),
                            Meant::Babble => return Over::Babble,
                        }
                        // Lines that are here already wait for nothing; others have their turn all the same.
                        consume_budget().await;
                    }
                    Next::End => return Over::Closed,
                    Next::TooLong => return Over::TooLong,
                },
            }
        }
    }

    async fn end(mut self, over: Over) {
        match over {
            Over::Wished(Wish::Close | Wish::Stay) => {
                self.leave(End::Cancelled, Status::default(), None);
                self.see_off().await;
            }
            Over::Wished(Wish::Replace) => {
                let words = PEER_REPLACED.render(args! { "program" => self.peer.program() });
                self.leave(End::PeerGone, Status::default(), Some(words));
                self.see_off().await;
            }
            Over::Wished(Wish::Kill) => {
                let program = self.peer.program();
                self.leave(
                    End::PeerGone,
                    Status::default(),
                    Some(PEER_STUCK.render(args! { "program" => program })),
                );
                self.leash.stop().await;
            }
            Over::TooLong => {
                let words =
                    PEER_LONG_LINE.render(args! { "program" => self.peer.program(), "mebibytes" => LINE_LIMIT >> 20 });
                self.leave(End::PeerGone, Status::default(), Some(words));
                self.leash.stop().await;
            }
            Over::NoGreeting => {
                let seconds = self.peer.rules.greeting.as_secs();
                let words = HANDSHAKE_SILENT.render(args! { "program" => self.peer.program(), "seconds" => seconds });
                self.leave_as(End::PeerGone, Status::default(), Some(words), true);
                self.see_off().await;
            }
            Over::Babble => {
                let words = HANDSHAKE_BABBLE.render(args! { "program" => self.peer.program() });
                self.leave(End::PeerGone, Status::default(), Some(words));
                self.see_off().await;
            }
            Over::BadGreeting(why) => {
                let words = HANDSHAKE_REFUSED.render(
                    args! { "program" => self.peer.program(), "why" => why.text, "why_message" => why.to_args() },
                );
                self.leave(End::PeerGone, Status::default(), Some(words));
                self.see_off().await;
            }
            Over::Exited(status) => {
                self.last_words().await;
                self.died(status.ok());
            }
            Over::Closed => {
                let status = tokio::join!(tokio::time::timeout(LAST_WORDS, self.leash.ended()), async {
                    tokio::time::timeout(LAST_WORDS, hear_out(&self.peer, &mut self.out, &mut self.aside)).await
                });
                self.died(status.0.ok().and_then(Result::ok));
                self.leash.stop().await;
            }
        }
    }

    /// What it wrote before it ended still counts.
    async fn last_words(&mut self) {
        let rest = hear_out(&self.peer, &mut self.out, &mut self.aside);
        // What holds the streams longer is something in the background.
        drop(tokio::time::timeout(LAST_WORDS, rest).await);
    }

    fn died(&self, status: Option<ExitStatus>) {
        let program = self.peer.program();
        let greeted = matches!(self.peer.stage(), Stage::Ready(_));
        let ended = status.map(Status::from);
        let words = match (ended, greeted) {
            (
                Some(Status {
                    signal: Some(signal), ..
                }),
                true,
            ) => PEER_SIGNAL.render(args! { "program" => program, "signal" => signal }),
            (
                Some(Status {
                    signal: Some(signal), ..
                }),
                false,
            ) => HANDSHAKE_SIGNAL.render(args! { "program" => program, "signal" => signal }),
            (Some(Status { code, .. }), true) => PEER_EXITED.render(args! { "program" => program, "code" => code }),
            (Some(Status { code, .. }), false) => {
                HANDSHAKE_EXITED.render(args! { "program" => program, "code" => code })
            }
            (None, true) => PEER_CLOSED.render(args! { "program" => program }),
            (None, false) => HANDSHAKE_CLOSED.render(args! { "program" => program }),
        };
        self.leave(End::PeerGone, ended.unwrap_or_default(), Some(words));
    }

    fn leave(&self, end: End, status: Status, why: Option<Message>) {
        self.leave_as(end, status, why, false);
    }

    fn leave_as(&self, end: End, status: Status, why: Option<Message>, silent: bool) {
        self.peer.leave(Gone {
            end,
            status,
            why,
            silent,
            aside: Captured::default(),
            hello: match self.peer.stage() {
                Stage::Ready(hello) => Some(hello),
                Stage::Greeting | Stage::Gone(_) => None,
            },
            at: Instant::now(),
            lived: self.born.elapsed(),
        });
    }

    /// Stdin closed, a grace in which its streams are still drained, SIGKILL to what is left of its group.
    async fn see_off(&mut self) {
        self.writing = None;
        let (leash, out, aside, peer) = (&mut self.leash, &mut self.out, &mut self.aside, &self.peer);
        tokio::select! {
            () = leash.see_off(GRACE) => {}
            never = async { hear_out(peer, out, aside).await; std::future::pending().await } => never,
        }
    }
}

/// Reads both streams to their ends.
async fn hear_out(peer: &Peer, out: &mut Lines<ChildStdout>, aside: &mut Option<ChildStderr>) {
    let lines = async {
        while let Next::Line(line) = out.next().await {
            // Whatever it says of a greeting now comes too late.
            let _ = peer.absorb(line);
            consume_budget().await;
        }
    };
    let words = async {
        while aside.is_some() {
            hear_aside(peer, aside).await;
        }
    };
    tokio::join!(words, lines);
}

/// The next piece of stderr; none comes any more when it is closed.
async fn hear_aside(peer: &Peer, aside: &mut Option<ChildStderr>) {
    let Some(pipe) = aside else {
        return std::future::pending().await;
    };
    let mut piece = [0; 4096];
    match pipe.read(&mut piece).await {
        Ok(read @ 1..) => peer.absorb_aside(&piece[..read]),
        Ok(0) | Err(_) => *aside = None,
    }
}

/// What it wrote to stderr before the line that was just read: it is in the pipe already.
#[cfg(unix)]
fn overhear(peer: &Peer, aside: &mut Option<ChildStderr>) {
    let Some(pipe) = aside else { return };
    let mut piece = [0; 4096];
    // No more than a pipe holds: who writes faster than this reads did not write it before.
    for _ in 0..16 {
        // The pipe does not block: the runtime set it so.
        let Ok(read @ 1..) = rustix::io::read(&*pipe, &mut piece) else {
            return;
        };
        peer.absorb_aside(&piece[..read]);
        if read < piece.len() {
            return;
        }
    }
}

#[cfg(not(unix))]
fn overhear(_peer: &Peer, _aside: &mut Option<ChildStderr>) {}

/// Resolves when it does not take its input any more.
async fn written(writing: &mut Option<BoxFuture<'static, ()>>) {
    match writing {
        Some(writing) => writing.await,
        None => std::future::pending().await,
    }
}

/// Writes what is said, in order. Ends when it is not taken.
async fn write(peer: Arc<Peer>, stdin: Option<ChildStdin>) {
    let Some(mut stdin) = stdin else { return };
    loop {
        let item = peer.outgoing.next().await;
        if stdin.write_all(&item.bytes).await.is_err() {
            return;
        }
        if let Some(written) = item.written {
            peer.waiting.fetch_sub(1, Ordering::Relaxed);
            // Whoever waited may have gone.
            let _ = written.send(());
        }
    }
}

impl Peer {
    /// Puts a line, or several with their own ends between them, behind what was said before.
    pub(super) fn say(&self, line: String, request: Option<u64>, written: Option<oneshot::Sender<()>>) {
        let mut bytes = line.into_bytes();
        bytes.push(b'\n');
        // A process that is gone is noticed where its answer is waited for.
        self.outgoing.put(Outgoing {
            bytes,
            request,
            written,
        });
    }
}
