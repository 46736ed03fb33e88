//! One connection: its requests run concurrently, and each response is sent when its request has finished.

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

use crate::lines::{LineCodec, MAX_LINE_BYTES, RpcLine};
use crate::messages::{LINE_TOO_LONG, NOT_UTF8};
use crate::push_batcher::all_stale;
use crate::router::Router;
use crate::rpc_message::{self, INVALID_REQUEST, PARSE_ERROR, PingReply, Request};

/// How many requests of one connection may run at once. Further ones are not read until one has finished.
const MAX_CONCURRENT: usize = 256;
/// Lines in the outgoing queue. When it is full, the sender waits.
const OUTGOING_CAPACITY: usize = 256;

/// Serves a connection of the same user until either side closes it.
pub(crate) async fn serve(stream: Stream, router: Router) {
    let (receive, send) = tokio::io::split(stream);
    let (out, lines_out) = mpsc::channel(OUTGOING_CAPACITY);
    let writer = router.tasks.spawn(write(send, lines_out));
    let mut connection = Connection {
        router,
        out,
        slots: Arc::new(Semaphore::new(MAX_CONCURRENT)),
        subscribed: false,
        closed: CancellationToken::new(),
    };
    let mut lines = FramedRead::new(receive, LineCodec::default());
    loop {
        let Ok(permit) = connection.slots.clone().acquire_owned().await else {
            break;
        };
        let line = tokio::select! {
            biased;
            () = connection.router.closing.cancelled() => break,
            line = lines.next() => line,
        };
        let Some(Ok(line)) = line else { break };
        match line {
            RpcLine::Text(text) if text.trim().is_empty() => {}
            RpcLine::Text(text) => match rpc_message::read_request(&text) {
                Ok(request) => connection.handle(request, permit).await,
                Err(error) => {
                    connection
                        .send(rpc_message::error(&error.id, error.number, &error.fault))
                        .await
                }
            },
            RpcLine::NotUtf8 => connection.send_error(PARSE_ERROR, NOT_UTF8.render_plain().into()).await,
            RpcLine::TooLong => {
                connection
                    .send_error(
                        INVALID_REQUEST,
                        LINE_TOO_LONG.render(args! { "limit" => MAX_LINE_BYTES }).into(),
                    )
                    .await;
                break;
            }
        }
    }
    connection.closed.cancel();
    // The writer ends after the response of the last request that still runs.
    drop(connection);
    drop(writer.await);
}

struct Connection {
    router: Router,
    out: mpsc::Sender<String>,
    slots: Arc<Semaphore>,
    subscribed: bool,
    closed: CancellationToken,
}

impl Connection {
    async fn handle(&mut self, request: Request, permit: OwnedSemaphorePermit) {
        let Request { id, method, params } = request;
        match method.as_str() {
            "ping" => {
                self.answer(id, serde_json::to_value(PingReply::this_process()).unwrap_or_default())
                    .await
            }
            "subscribe" => {
                if !self.subscribed {
                    self.subscribed = true;
                    let pushes = self.router.app.subscribe();
                    let ends = [self.router.closing.clone(), self.closed.clone()];
                    self.router.tasks.spawn(forward(pushes, self.out.clone(), ends));
                }
                self.answer(id, json!({})).await;
            }
            _ => {
                let (router, out) = (self.router.clone(), self.out.clone());
                self.router.tasks.spawn(async move {
                    let result = router.call(&method, params).await;
                    if let Some(id) = id {
                        // A client that closed the connection does not need the response. The effects of the request
                        // are recorded anyway.
                        drop(out.send(rpc_message::answer(&id, result)).await);
                    }
                    drop(permit);
                });
            }
        }
    }

    async fn answer(&self, id: Option<Value>, result: Value) {
        if let Some(id) = id {
            self.send(rpc_message::answer(&id, Ok(result))).await;
        }
    }

    async fn send_error(&self, number: i32, fault: Fault) {
        self.send(rpc_message::error(&Value::Null, number, &fault)).await;
    }

    async fn send(&self, line: String) {
        // The writer has ended when the client closed the connection. The next read then reports the same.
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
    // Both sides have finished, so a failure here has no effect.
    drop(send.shutdown().await);
}

/// Forwards every push until the connection or the engine ends.
async fn forward(mut pushes: broadcast::Receiver<Push>, out: mpsc::Sender<String>, ends: [CancellationToken; 2]) {
    let [closing, closed] = ends;
    loop {
        let push = tokio::select! {
            push = pushes.recv() => push,
            () = closed.cancelled() => return,
            () = closing.cancelled() => return,
        };
        let push = match push {
            Ok(push) => push,
            Err(RecvError::Lagged(_)) => all_stale(),
            Err(RecvError::Closed) => return,
        };
        if out.send(rpc_message::push(&push)).await.is_err() {
            return;
        }
    }
}
