//! One connection of an agent: its requests, and what the engine asks of it (`CONTRACTS.md` §3).

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_app::Fault;
use hookwright_app::agent_sessions::{AgentLink, KEPT_LINE_BYTES, LinkError, Sender};
use hookwright_app::agents::{AgentConnection, Begun};
use hookwright_app::fault::SHUTTING_DOWN;
use hookwright_model::json_depth;
use hookwright_rpc::{BadLine, CallError, JsonRpc, Limits, Peer, Request, Responder, Service};
use interprocess::local_socket::tokio::Stream;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::line_tap::LineTap;
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
    queue_bytes: MAX_AGENT_LINE_BYTES,
};

/// How often a connection whose agent sends nothing any more is checked.
const HANG_UP_INTERVAL: Duration = Duration::from_millis(100);

/// Serves a connection of the same user until either side closes it.
pub(crate) async fn serve(stream: Stream, router: Router) {
    let hang_up = HangUp::of(&stream);
    let program = socket::program_of(&stream);
    let (receive, send) = tokio::io::split(stream);
    let peer = Peer::new(JsonRpc, LIMITS);
    let connection = Arc::new(AgentConnection::new(
        router.app.clone(),
        Arc::new(PeerLink(peer.clone())),
        program,
    ));
    let service = AgentService {
        router: router.clone(),
        connection: connection.clone(),
    };
    let log_as = |sender| {
        let connection = connection.clone();
        move |kept: &[u8], bytes| connection.log_line(sender, kept, bytes)
    };
    let receive = LineTap::new(receive, KEPT_LINE_BYTES, log_as(Sender::Agent));
    let send = LineTap::new(send, KEPT_LINE_BYTES, log_as(Sender::Engine));
    let stop = async {
        tokio::select! {
            () = connection.wait_until_closed() => {}
            () = router.closing.cancelled() => {}
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
    }
    connection.leave();
}

struct AgentService {
    router: Router,
    connection: Arc<AgentConnection>,
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
            Ok(Begun::Done(result)) => rpc_message::answer(responder, result).await,
            Ok(Begun::Running(result)) => {
                self.router.tasks.spawn(async move {
                    let result = catch_panic(&method, result).await;
                    rpc_message::answer(responder, result.flatten()).await;
                });
            }
            Err(fault) => rpc_message::answer(responder, Err(fault)).await,
        }
    }

    fn other(&self, line: BadLine) -> Option<Vec<u8>> {
        let error = rpc_message::bad_line(&line.reason);
        Some(JsonRpc::error(line.id.as_deref(), &error))
    }

    fn line_too_long(&self) -> Option<Vec<u8>> {
        Some(JsonRpc::error(None, &rpc_message::line_too_long(MAX_AGENT_LINE_BYTES)))
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
                Ok(Ok(result)) => json_depth::read(result.get()).map_err(|error| LinkError::Refused(error.to_string())),
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
}
