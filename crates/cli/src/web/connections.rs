//! Connections to the page. Whoever has not shown the cookie of this launch gets few of them and not for long, so that
//! no other user of this machine can use up the descriptors that hooks need to start (`CONTRACTS.md` §3.1).

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

/// Connections without the cookie that may be open at once. One more closes the oldest of them: a browser that has just
/// connected gets in, whoever fills the page with idle connections.
const MAX_WITHOUT_COOKIE: usize = 64;
/// How long the headers of a connection's first request may take.
const HEADERS: Duration = Duration::from_secs(10);
/// How long a connection without the cookie stays open after its last request.
const IDLE: Duration = Duration::from_secs(30);
/// Before the next try, when no connection can be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Accepts connections until the engine ends.
pub async fn serve(listener: TcpListener, page: axum::Router, router: Router) {
    let waiting = Arc::new(WithoutCookie::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = router.closing() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = waiting.add();
                router.accompany(serve_one(
                    stream,
                    page.clone(),
                    connection,
                    waiting.clone(),
                    router.clone(),
                ));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection to the page");
                sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

async fn serve_one(
    stream: TcpStream,
    page: axum::Router,
    connection: Arc<Connection>,
    waiting: Arc<WithoutCookie>,
    router: Router,
) {
    let page = TowerToHyperService::new(page);
    let visitor = Visitor {
        connection: connection.clone(),
        waiting: waiting.clone(),
    };
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        visitor.connection.asked();
        request.extensions_mut().insert(visitor.clone());
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
            () = connection.overdue() => break,
            () = router.closing(), if !ending => {
                served.as_mut().graceful_shutdown();
                ending = true;
            }
        }
    }
    waiting.remove(&connection);
}

/// What a request knows of its connection.
#[derive(Debug, Clone)]
pub struct Visitor {
    connection: Arc<Connection>,
    waiting: Arc<WithoutCookie>,
}

impl Visitor {
    /// The cookie was shown: this connection has no limits any more.
    pub fn has_cookie(&self) {
        if self.connection.lift() {
            self.waiting.remove(&self.connection);
        }
    }
}

#[derive(Debug)]
struct Connection {
    /// When it is closed unless a request comes; `None` once it has shown the cookie.
    deadline: Mutex<Option<Instant>>,
    /// Cancelled when it has to make room.
    closed: CancellationToken,
}

impl Connection {
    fn deadline(&self) -> MutexGuard<'_, Option<Instant>> {
        self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) {
        if let Some(deadline) = &mut *self.deadline() {
            *deadline = Instant::now() + IDLE;
        }
    }

    /// Whether it had limits until now.
    fn lift(&self) -> bool {
        self.deadline().take().is_some()
    }

    /// Ends when the deadline has passed without a request.
    async fn overdue(&self) {
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

/// The open connections that have not shown the cookie, oldest first.
#[derive(Debug, Default)]
struct WithoutCookie(Mutex<VecDeque<Arc<Connection>>>);

impl WithoutCookie {
    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            deadline: Mutex::new(Some(Instant::now() + HEADERS)),
            closed: CancellationToken::new(),
        });
        let mut all = self.all();
        all.push_back(connection.clone());
        if all.len() > MAX_WITHOUT_COOKIE
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
    async fn a_connection_without_the_cookie_is_closed_after_its_time() {
        let waiting = WithoutCookie::default();
        let (silent, asks, knows) = (waiting.add(), waiting.add(), waiting.add());
        let began = Instant::now();
        silent.overdue().await;
        assert_eq!(began.elapsed().as_secs(), 10);
        asks.asked();
        asks.overdue().await;
        assert_eq!(began.elapsed().as_secs(), 40);
        assert!(knows.lift());
        knows.asked();
        let never = tokio::time::timeout(Duration::from_secs(3600), knows.overdue()).await;
        assert!(never.is_err());
    }

    #[test]
    fn one_more_than_the_limit_closes_the_oldest() {
        let waiting = WithoutCookie::default();
        let all: Vec<_> = (0..=MAX_WITHOUT_COOKIE).map(|_| waiting.add()).collect();
        let closed: Vec<bool> = all.iter().map(|connection| connection.closed.is_cancelled()).collect();
        assert!(closed[0] && !closed[1..].contains(&true));
        assert_eq!(waiting.all().len(), MAX_WITHOUT_COOKIE);
    }
}
