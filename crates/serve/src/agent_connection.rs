//! One connection of an agent: its requests, and what the engine asks of it (`CONTRACTS.md` §3).

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_app::Fault;
use hookwright_app::agent_sessions::{AgentLink, KEPT_LINE_BYTES, KeptBytes, LinkError, Sender};
use hookwright_app::agents::{AgentConnection, Begun, MAX_UNREAD_BYTES, PeerProcess};
use hookwright_app::fault::SHUTTING_DOWN;
use hookwright_model::exact_json::Exact;
use hookwright_model::{json_depth, render};
use hookwright_rpc::{BadLine, CallError, Codec as _, JsonRpc, Limits, LineRefusal, Peer, Request, Responder, Service};
use interprocess::local_socket::tokio::Stream;
use serde_json::Value;
use serde_json::value::to_raw_value;
use tokio::io::AsyncWriteExt as _;

use crate::agent_limits::{AgentLimits, MAX_OF_PROCESS};
use crate::line_tap::LineTap;
use crate::messages::{NOT_OPENED, TOO_MANY_CONNECTIONS};
use crate::router::{Router, catch_panic};
use crate::rpc_message;
use crate::socket::{self, HangUp};

/// The longest line of an agent connection, in bytes and without its line end (`CONTRACTS.md` §3).
pub const MAX_AGENT_LINE_BYTES: usize = 32 * 1024 * 1024;

/// The limits of an agent connection. More requests than events may run at once, so that one event too many is refused
/// and does not wait.
const LIMITS: Limits = Limits {
    line_bytes: MAX_AGENT_LINE_BYTES,
    concurrent: 256,
    calls: 256,
    queue_lines: 256,
    queue_bytes: MAX_UNREAD_BYTES,
};

/// How many notices that an agent need not get may wait for it.
const MAX_WAITING_NOTICES: usize = 16;
/// How long more than [`MAX_UNREAD_BYTES`] of answers may wait. Then the connection is closed.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(10);
const UNREAD_INTERVAL: Duration = Duration::from_secs(1);

/// How often a connection whose agent sends nothing any more is checked.
const HANG_UP_INTERVAL: Duration = Duration::from_millis(100);

/// Serves a connection of the same user until either side closes it.
pub(crate) async fn serve(stream: Stream, router: Router, limits: AgentLimits) {
    let hang_up = HangUp::of(&stream);
    let process = PeerProcess {
        program: socket::program_of(&stream),
        lineage: socket::lineage_of(&stream),
    };
    let Some(_admitted) = limits.admit(process.lineage.process()) else {
        return refuse(stream).await;
    };
    let without_session = limits.begin(process.lineage.process());
    let (receive, send) = tokio::io::split(stream);
    let peer = Peer::sharing(JsonRpc, LIMITS, Some(limits.lines));
    let connection = Arc::new(AgentConnection::new(
        router.app.clone(),
        Arc::new(PeerLink(peer.clone())),
        process,
    ));
    let service = AgentService {
        router: router.clone(),
        connection: connection.clone(),
        kept: router.app.agents.kept.clone(),
    };
    let log_as = |sender| {
        let connection = connection.clone();
        move |kept: &[u8], bytes| connection.log_line(sender, kept, bytes)
    };
    let receive = LineTap::new(receive, KEPT_LINE_BYTES, log_as(Sender::Agent));
    let send = LineTap::new(send, KEPT_LINE_BYTES, log_as(Sender::Engine));
    let opened = async {
        tokio::select! {
            () = connection.wait_until_opened() => {}
            () = without_session.timed_out() => {
                let fault: Fault = NOT_OPENED.render_plain().into();
                let error = rpc_message::error_of(fault.rpc_code(), &fault);
                return peer.send(JsonRpc::error(None, &error)).await;
            }
        }
        drop(without_session);
        std::future::pending().await
    };
    let stop = async {
        tokio::select! {
            () = connection.wait_until_closed() => {}
            () = router.closing.cancelled() => {}
            () = opened => {}
        }
    };
    let watch = async {
        peer.reading_ended().await;
        // An agent that closed only its own half still waits for its answers. One that is gone needs none.
        while !hang_up.has_happened() {
            tokio::time::sleep(HANG_UP_INTERVAL).await;
        }
        connection.stop_events();
    };
    tokio::select! {
        _ = peer.run(receive, send, &service, stop) => {}
        // What runs is stopped, and then answered to nobody.
        () = async { watch.await; peer.closed().await } => {}
        () = unread_for_long(&peer) => {
            tracing::warn!("closed the connection of an agent that does not read its responses");
        }
    }
    connection.leave();
}

/// Tells a process that has too many connections so, and closes this one. Whoever does not read does not keep it open: the
/// line fits into the buffer of a new socket.
async fn refuse(mut stream: Stream) {
    let fault: Fault = render!(TOO_MANY_CONNECTIONS, "limit" => MAX_OF_PROCESS).into();
    let error = rpc_message::error_of(fault.rpc_code(), &fault);
    drop(stream.write_all(&JsonRpc::error(None, &error)).await);
}

/// Resolves when the other side has left too much unread for too long.
async fn unread_for_long(peer: &Peer<JsonRpc>) {
    let mut since = tokio::time::Instant::now();
    while since.elapsed() < UNREAD_TIMEOUT {
        tokio::time::sleep(UNREAD_INTERVAL).await;
        if peer.unread_bytes() <= MAX_UNREAD_BYTES {
            since = tokio::time::Instant::now();
        }
    }
}

struct AgentService {
    router: Router,
    connection: Arc<AgentConnection>,
    /// Counts the answers that wait.
    kept: KeptBytes,
}

impl Service<JsonRpc> for AgentService {
    async fn begin(&self, request: Request, responder: Responder<JsonRpc>) {
        if self.router.closing.is_cancelled() {
            let fault: Fault = SHUTTING_DOWN.render_plain().into();
            return rpc_message::answer(responder, Err(fault)).await;
        }
        let method = request.method;
        let begin = self.connection.begin(&method, request.params.as_deref());
        match catch_panic(&method, begin).await {
            Ok(Begun::Done(result)) => {
                rpc_message::answer_counted(responder, result, |bytes| self.kept.add(bytes)).await;
            }
            Ok(Begun::Running(result)) => {
                let kept = self.kept.clone();
                self.router.tasks.spawn(async move {
                    let result = catch_panic(&method, result).await.flatten();
                    rpc_message::answer_counted(responder, result, |bytes| kept.add(bytes)).await;
                });
            }
            Err(fault) => rpc_message::answer(responder, Err(fault)).await,
        }
    }

    fn other(&self, line: BadLine) -> Option<Vec<u8>> {
        let error = rpc_message::bad_line(&line.reason);
        Some(JsonRpc::error(line.id.as_deref(), &error))
    }

    fn line_refused(&self, why: LineRefusal) -> Option<Vec<u8>> {
        let error = rpc_message::line_refused(why, MAX_AGENT_LINE_BYTES);
        Some(JsonRpc::error(None, &error))
    }
}

/// The other side of a connection, as the use cases call it.
struct PeerLink(Peer<JsonRpc>);

impl AgentLink for PeerLink {
    fn call<'a>(
        &'a self,
        method: &'static str,
        params: Value,
        time_limit: Duration,
    ) -> BoxFuture<'a, Result<Value, LinkError>> {
        async move {
            let params = to_raw_value(&params).map_err(|error| LinkError::Refused(error.to_string()))?;
            match self.0.call(method, &params, Some(time_limit)).await {
                Ok(Ok(result)) => {
                    let read = json_depth::read(result.get()).map(|Exact(result)| result);
                    read.map_err(|error| LinkError::Refused(error.to_string()))
                }
                Ok(Err(error)) => Err(LinkError::Refused(error.message)),
                Err(CallError::TimedOut(_)) => Err(LinkError::TimedOut),
                Err(CallError::Ended(_)) => Err(LinkError::Gone),
            }
        }
        .boxed()
    }

    fn notify<'a>(&'a self, method: &'static str, params: Value) -> BoxFuture<'a, ()> {
        async move {
            if let Ok(params) = to_raw_value(&params) {
                // An agent that has left needs no notice.
                let _ = self.0.notify(method, &params).await;
            }
        }
        .boxed()
    }

    fn try_notify(&self, method: &'static str, params: Value) {
        if let Ok(params) = to_raw_value(&params) {
            let line = JsonRpc.notification(method, &params);
            // An agent that has left, or does not read, needs no notice.
            drop(self.0.try_send(line, MAX_WAITING_NOTICES));
        }
    }

    fn unread_bytes(&self) -> usize {
        self.0.unread_bytes()
    }
}
