//! One connection: requests run side by side and are answered as they finish.

use std::sync::Arc;

use futures::StreamExt as _;
use hookwright_app::{Fault, Push};
use hookwright_model::args;
use interprocess::local_socket::tokio::Stream;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, WriteHalf};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, mpsc};
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use crate::gather::all_stale;
use crate::lines::{Line, Lines, MAX_LINE_BYTES};
use crate::message::{self, About, INVALID_REQUEST, PARSE_ERROR, Request};
use crate::messages::{LINE_TOO_LONG, NOT_UTF8};
use crate::router::Router;

/// Requests of one connection that may run at once; further ones stay unread.
const SIDE_BY_SIDE: usize = 256;
/// Lines on their way out before whoever makes them waits.
const OUTGOING: usize = 256;

/// Serves a connection of our own user until either side ends it.
pub(crate) async fn serve(stream: Stream, router: Router) {
    let (receive, send) = tokio::io::split(stream);
    let (out, lines_out) = mpsc::channel(OUTGOING);
    let writer = router.tasks.spawn(write(send, lines_out));
    let mut connection = Connection {
        router,
        out,
        room: Arc::new(Semaphore::new(SIDE_BY_SIDE)),
        subscribed: false,
        over: CancellationToken::new(),
    };
    let mut lines = FramedRead::new(receive, Lines::default());
    loop {
        let Ok(room) = connection.room.clone().acquire_owned().await else {
            break;
        };
        let line = tokio::select! {
            biased;
            () = connection.router.closing.cancelled() => break,
            line = lines.next() => line,
        };
        let Some(Ok(line)) = line else { break };
        match line {
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) => match message::read_request(&text) {
                Ok(request) => connection.take(request, room).await,
                Err(refusal) => {
                    connection
                        .say(message::refusal(&refusal.id, refusal.number, &refusal.fault))
                        .await
                }
            },
            Line::NotUtf8 => connection.refuse(PARSE_ERROR, NOT_UTF8.render_plain().into()).await,
            Line::TooLong => {
                connection
                    .refuse(
                        INVALID_REQUEST,
                        LINE_TOO_LONG.render(args! { "limit" => MAX_LINE_BYTES }).into(),
                    )
                    .await;
                break;
            }
        }
    }
    connection.over.cancel();
    // The writer ends with the last answer that is still being worked for.
    drop(connection);
    drop(writer.await);
}

struct Connection {
    router: Router,
    out: mpsc::Sender<String>,
    room: Arc<Semaphore>,
    subscribed: bool,
    over: CancellationToken,
}

impl Connection {
    async fn take(&mut self, request: Request, room: OwnedSemaphorePermit) {
        let Request { id, method, params } = request;
        match method.as_str() {
            "ping" => {
                self.answer(id, serde_json::to_value(About::this_process()).unwrap_or_default())
                    .await
            }
            "subscribe" => {
                if !self.subscribed {
                    self.subscribed = true;
                    let pushes = self.router.app.subscribe();
                    let ends = [self.router.closing.clone(), self.over.clone()];
                    self.router.tasks.spawn(forward(pushes, self.out.clone(), ends));
                }
                self.answer(id, json!({})).await;
            }
            _ => {
                let (router, out) = (self.router.clone(), self.out.clone());
                self.router.tasks.spawn(async move {
                    let result = router.call(&method, params).await;
                    if let Some(id) = id {
                        // Whoever left does not want the answer; what it did is recorded all the same.
                        drop(out.send(message::answer(&id, result)).await);
                    }
                    drop(room);
                });
            }
        }
    }

    async fn answer(&self, id: Option<Value>, result: Value) {
        if let Some(id) = id {
            self.say(message::answer(&id, Ok(result))).await;
        }
    }

    async fn refuse(&self, number: i32, fault: Fault) {
        self.say(message::refusal(&Value::Null, number, &fault)).await;
    }

    async fn say(&self, line: String) {
        // The writer is gone when the other side is; the next read says so too.
        drop(self.out.send(line).await);
    }
}

async fn write(mut send: WriteHalf<Stream>, mut lines: mpsc::Receiver<String>) {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        if send.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
    // Both sides are done; there is nobody to tell when this fails.
    drop(send.shutdown().await);
}

/// Hands every push on, until the connection or the engine is over.
async fn forward(mut pushes: broadcast::Receiver<Push>, out: mpsc::Sender<String>, ends: [CancellationToken; 2]) {
    let [closing, over] = ends;
    loop {
        let push = tokio::select! {
            push = pushes.recv() => push,
            () = over.cancelled() => return,
            () = closing.cancelled() => return,
        };
        let push = match push {
            Ok(push) => push,
            Err(RecvError::Lagged(_)) => all_stale(),
            Err(RecvError::Closed) => return,
        };
        if out.send(message::push(&push)).await.is_err() {
            return;
        }
    }
}
