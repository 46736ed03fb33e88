//! One connection: its requests run concurrently, and each response is sent when its request has finished.

use std::sync::atomic::{AtomicBool, Ordering};

use hookwright_app::Push;
use hookwright_rpc::{BadLine, JsonRpc, LineRefusal, Peer, Request, Responder, Service};
use interprocess::local_socket::tokio::Stream;
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::push_batcher::all_stale;
use crate::router::Router;
use crate::rpc_message::{self, Empty, LIMITS, PUSH, PingReply};

/// Serves a connection of the same user until either side closes it.
pub(crate) async fn serve(stream: Stream, router: Router) {
    let (receive, send) = tokio::io::split(stream);
    let peer = Peer::new(JsonRpc, LIMITS);
    let closing = router.closing.clone();
    let connection = Connection {
        router,
        peer: peer.clone(),
        is_subscribed: AtomicBool::new(false),
    };
    peer.run(receive, send, &connection, closing.cancelled()).await;
}

struct Connection {
    router: Router,
    peer: Peer<JsonRpc>,
    is_subscribed: AtomicBool,
}

impl Service<JsonRpc> for Connection {
    async fn begin(&self, request: Request, responder: Responder<JsonRpc>) {
        match request.method.as_str() {
            "ping" => rpc_message::send(responder, &PingReply::this_process()).await,
            "subscribe" => {
                if !self.is_subscribed.swap(true, Ordering::Relaxed) {
                    let pushes = self.router.app.subscribe();
                    let (peer, router) = (self.peer.clone(), self.router.clone());
                    self.router.tasks.spawn(forward(pushes, peer, router));
                }
                rpc_message::send(responder, &Empty {}).await;
            }
            "web.link" => {
                let link = self.router.new_page_link();
                rpc_message::answer(responder, link.map(|link| json!({ "link": link }))).await;
            }
            _ => {
                let router = self.router.clone();
                self.router.tasks.spawn(async move {
                    // The effects of a request are recorded, whether or not its client still waits.
                    match rpc_message::read_params(request.params.as_deref()) {
                        Ok(params) => {
                            let result = router.call(&request.method, params).await;
                            rpc_message::answer(responder, result).await;
                        }
                        Err(error) => rpc_message::refuse(responder, &error).await,
                    }
                });
            }
        }
    }

    fn other(&self, line: BadLine) -> Option<Vec<u8>> {
        let error = rpc_message::bad_line(&line.reason);
        Some(JsonRpc::error(line.id.as_deref(), &error))
    }

    fn line_refused(&self, why: LineRefusal) -> Option<Vec<u8>> {
        Some(JsonRpc::error(
            None,
            &rpc_message::line_refused(why, rpc_message::MAX_LINE_BYTES),
        ))
    }
}

/// Forwards every push until the connection or the engine ends.
async fn forward(mut pushes: broadcast::Receiver<Push>, peer: Peer<JsonRpc>, router: Router) {
    loop {
        let push = tokio::select! {
            push = pushes.recv() => push,
            () = peer.closed() => return,
            () = router.closing.cancelled() => return,
        };
        let push = match push {
            Ok(push) => push,
            Err(RecvError::Lagged(_)) => all_stale(),
            Err(RecvError::Closed) => return,
        };
        let Ok(params) = to_raw_value(&push) else { continue };
        if peer.notify(PUSH, &params).await.is_err() {
            return;
        }
    }
}
