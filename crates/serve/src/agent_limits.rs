//! What all connections of agents together may use (`CONTRACTS.md` §3, "Bounds"): lines without an end, and connections
//! without a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookwright_app::agent_sessions::{KeptBytes, ProcessId};
use hookwright_rpc::LineBudget;
use hookwright_workspace::lock::lock;
use tokio_util::sync::CancellationToken;

/// The longest that the unfinished lines of all connections may be together, in bytes.
pub(crate) const MAX_UNFINISHED_BYTES: usize = 128 << 20;
/// How many connections may have no session yet.
pub(crate) const MAX_WITHOUT_SESSION: usize = 64;
/// How many connections one process may have, with or without a session: the engine has a limited number of descriptors,
/// and other agents need theirs.
pub(crate) const MAX_OF_PROCESS: usize = 512;
/// How long a connection may have no session.
pub(crate) const SESSION_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits of one agent socket. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct AgentLimits {
    pub(crate) lines: Arc<LineBudget>,
    without_session: Arc<Mutex<Waiting>>,
    by_process: Arc<Mutex<HashMap<Option<ProcessId>, usize>>>,
}

/// A connection that counts for its process, until this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    by_process: Arc<Mutex<HashMap<Option<ProcessId>, usize>>>,
    process: Option<ProcessId>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    /// The oldest is the first.
    connections: Vec<WaitingConnection>,
}

#[derive(Debug)]
struct WaitingConnection {
    id: u64,
    process: Option<ProcessId>,
    ended: CancellationToken,
}

/// A connection that has no session yet, until this is dropped.
#[derive(Debug)]
pub(crate) struct WithoutSession {
    all: Arc<Mutex<Waiting>>,
    id: u64,
    ended: CancellationToken,
}

impl AgentLimits {
    /// `kept` also counts the lines.
    pub(crate) fn new(kept: &KeptBytes) -> Self {
        Self {
            lines: LineBudget::new(MAX_UNFINISHED_BYTES, kept.counter()),
            without_session: Arc::default(),
            by_process: Arc::default(),
        }
    }

    /// Counts a connection. `None` if its process has as many as it may.
    pub(crate) fn admit(&self, process: Option<ProcessId>) -> Option<Admitted> {
        let mut counts = lock(&self.by_process);
        let count = counts.entry(process).or_default();
        if *count == MAX_OF_PROCESS {
            return None;
        }
        *count += 1;
        Some(Admitted {
            by_process: self.by_process.clone(),
            process,
        })
    }

    /// Adds a connection. One that is too many ends: the oldest of the process that has the most, so that a program that
    /// opens many ends none of another program.
    pub(crate) fn begin(&self, process: Option<ProcessId>) -> WithoutSession {
        let mut waiting = lock(&self.without_session);
        waiting.next += 1;
        let (id, ended) = (waiting.next, CancellationToken::new());
        let connection = WaitingConnection {
            id,
            process,
            ended: ended.clone(),
        };
        waiting.connections.push(connection);
        if waiting.connections.len() > MAX_WITHOUT_SESSION {
            let count = |wanted| waiting.connections.iter().filter(|it| it.process == wanted).count();
            let most = waiting.connections.iter().map(|it| count(it.process)).max();
            let oldest = waiting
                .connections
                .iter()
                .position(|it| Some(count(it.process)) == most);
            if let Some(oldest) = oldest {
                waiting.connections.remove(oldest).ended.cancel();
            }
        }
        WithoutSession {
            all: self.without_session.clone(),
            id,
            ended,
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut counts = lock(&self.by_process);
        if let Some(count) = counts.get_mut(&self.process) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.process);
            }
        }
    }
}

impl WithoutSession {
    /// Resolves when the connection must end, because it has no session.
    pub(crate) async fn timed_out(&self) {
        tokio::select! {
            () = tokio::time::sleep(SESSION_TIMEOUT) => {}
            () = self.ended.cancelled() => {}
        }
    }
}

impl Drop for WithoutSession {
    fn drop(&mut self) {
        lock(&self.all).connections.retain(|it| it.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Option<ProcessId> {
        Some(ProcessId { pid, started: 1 })
    }

    #[test]
    fn the_oldest_connection_of_the_busiest_process_ends_when_there_are_too_many() {
        let limits = AgentLimits::new(&KeptBytes::default());
        let relay = limits.begin(process(1));
        let many: Vec<WithoutSession> = (0..MAX_WITHOUT_SESSION).map(|_| limits.begin(process(2))).collect();
        assert!(!relay.ended.is_cancelled());
        let ended: Vec<bool> = many.iter().map(|it| it.ended.is_cancelled()).collect();
        assert!(ended[0] && !ended[1..].contains(&true));
        drop(many);
        assert_eq!(lock(&limits.without_session).connections.len(), 1);
    }

    #[test]
    fn a_process_has_a_limit_of_connections_and_takes_none_from_another() {
        let limits = AgentLimits::new(&KeptBytes::default());
        let mut many: Vec<Admitted> = (0..MAX_OF_PROCESS).filter_map(|_| limits.admit(process(1))).collect();
        assert_eq!(many.len(), MAX_OF_PROCESS);
        assert!(limits.admit(process(1)).is_none());
        assert!(limits.admit(process(2)).is_some());
        many.pop();
        assert!(limits.admit(process(1)).is_some());
        drop(many);
        assert!(lock(&limits.by_process).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_has_ten_seconds_for_its_session() {
        let limits = AgentLimits::new(&KeptBytes::default());
        let begin = tokio::time::Instant::now();
        limits.begin(None).timed_out().await;
        assert_eq!(begin.elapsed().as_secs(), 10);
    }
}
