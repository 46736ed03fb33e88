//! Connections to the page. A client that has not shown both secrets of a window gets only a few connections, for a
//! short time. So no other user of this machine can use up the file descriptors that hooks need to start
//! (`CONTRACTS.md` §3.1).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookwright_serve::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// How many connections of strangers may be open at once. One more closes the oldest of them. So a browser that
/// just connected gets access even if another program opens many idle connections.
const MAX_STRANGERS: usize = 64;
/// How long the headers of a connection's first request may take.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a stranger's connection stays open after its last request.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause before the next try, when no connection can be accepted.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Accepts connections until the engine ends.
pub async fn serve(listener: TcpListener, page: axum::Router, router: Router) {
    let strangers = Arc::new(StrangerConnections::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = router.wait_until_closing() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = strangers.add();
                router.spawn_tracked(serve_one(
                    stream,
                    page.clone(),
                    connection,
                    strangers.clone(),
                    router.clone(),
                ));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection to the page");
                sleep(ACCEPT_RETRY).await;
            }
        }
    }
}

async fn serve_one(
    stream: TcpStream,
    page: axum::Router,
    connection: Arc<Connection>,
    strangers: Arc<StrangerConnections>,
    router: Router,
) {
    let page = TowerToHyperService::new(page);
    let handle = ConnectionHandle {
        connection: connection.clone(),
        strangers: strangers.clone(),
    };
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        handle.connection.extend_deadline();
        request.extensions_mut().insert(handle.clone());
        let answered = page.call(request);
        async move { Ok::<_, Infallible>(answered.await.unwrap_or_else(|never| match never {})) }
    });
    let mut served = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    let mut ending = false;
    loop {
        tokio::select! {
            // A connection that breaks concerns its client alone.
            _ = served.as_mut() => break,
            () = connection.closed.cancelled() => break,
            () = connection.wait_until_overdue() => break,
            () = router.wait_until_closing(), if !ending => {
                served.as_mut().graceful_shutdown();
                ending = true;
            }
        }
    }
    strangers.remove(&connection);
}

/// Lets a request reach its connection.
#[derive(Debug, Clone)]
pub struct ConnectionHandle {
    connection: Arc<Connection>,
    strangers: Arc<StrangerConnections>,
}

impl ConnectionHandle {
    /// The request has both secrets of a window, so this connection no longer has limits.
    pub fn lift_limits(&self) {
        if self.connection.remove_limits() {
            self.strangers.remove(&self.connection);
        }
    }
}

#[derive(Debug)]
struct Connection {
    /// When the connection is closed unless a request arrives; `None` after it showed both secrets.
    deadline: Mutex<Option<Instant>>,
    /// Cancelled when newer connections need its slot.
    closed: CancellationToken,
}

impl Connection {
    fn deadline(&self) -> MutexGuard<'_, Option<Instant>> {
        self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn extend_deadline(&self) {
        if let Some(deadline) = &mut *self.deadline() {
            *deadline = Instant::now() + IDLE_TIMEOUT;
        }
    }

    /// Removes the limits, and returns whether there were any.
    fn remove_limits(&self) -> bool {
        self.deadline().take().is_some()
    }

    /// Waits until the deadline has passed without a request. Without a deadline it never returns.
    async fn wait_until_overdue(&self) {
        loop {
            let Some(deadline) = *self.deadline() else {
                return std::future::pending().await;
            };
            sleep_until(deadline).await;
            if *self.deadline() == Some(deadline) {
                return;
            }
        }
    }
}

/// The open connections that have not shown both secrets of a window, oldest first.
#[derive(Debug, Default)]
struct StrangerConnections(Mutex<VecDeque<Arc<Connection>>>);

impl StrangerConnections {
    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            deadline: Mutex::new(Some(Instant::now() + HEADER_TIMEOUT)),
            closed: CancellationToken::new(),
        });
        let mut all = self.all();
        all.push_back(connection.clone());
        if all.len() > MAX_STRANGERS
            && let Some(oldest) = all.pop_front()
        {
            oldest.closed.cancel();
        }
        connection
    }

    fn remove(&self, connection: &Arc<Connection>) {
        self.all().retain(|other| !Arc::ptr_eq(other, connection));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_strangers_connection_is_closed_after_its_time() {
        let strangers = StrangerConnections::default();
        let (silent, asks, knows) = (strangers.add(), strangers.add(), strangers.add());
        let began = Instant::now();
        silent.wait_until_overdue().await;
        assert_eq!(began.elapsed().as_secs(), 10);
        asks.extend_deadline();
        asks.wait_until_overdue().await;
        assert_eq!(began.elapsed().as_secs(), 40);
        assert!(knows.remove_limits());
        knows.extend_deadline();
        let never = tokio::time::timeout(Duration::from_secs(3600), knows.wait_until_overdue()).await;
        assert!(never.is_err());
    }

    #[test]
    fn one_more_than_the_limit_closes_the_oldest() {
        let strangers = StrangerConnections::default();
        let all: Vec<_> = (0..=MAX_STRANGERS).map(|_| strangers.add()).collect();
        let closed: Vec<bool> = all.iter().map(|connection| connection.closed.is_cancelled()).collect();
        assert!(closed[0] && !closed[1..].contains(&true));
        assert_eq!(strangers.all().len(), MAX_STRANGERS);
    }
}
