//! The sessions of connected agents.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use hookwright_model::{Dialect, Hook, Runner};
use hookwright_workspace::lock::lock;
use jiff::Timestamp;

use super::session::{AfterLeave, AgentSession, Member};

/// The sessions of agents that live. The user is the one whose data folder the engine serves.
pub struct AgentSessions {
    /// Runs what no agent is asked for.
    runner: Arc<dyn Runner>,
    sessions: Mutex<HashMap<SessionKey, Arc<AgentSession>>>,
    next_member: AtomicU64,
    /// Where this process listens for agents, if it does.
    socket: OnceLock<PathBuf>,
}

/// Dialect and session id.
type SessionKey = (&'static str, String);

/// What a connection asks for when it opens a session.
pub(crate) struct Opening {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) id: Option<String>,
    pub(crate) project: PathBuf,
    pub(crate) native: bool,
    pub(crate) keep: Option<Duration>,
}

impl AgentSessions {
    /// No sessions yet.
    #[must_use]
    pub fn new(runner: Arc<dyn Runner>) -> Self {
        Self {
            runner,
            sessions: Mutex::default(),
            next_member: AtomicU64::new(0),
            socket: OnceLock::new(),
        }
    }

    /// Says where this process listens for agents. The first path stays.
    pub fn set_socket(&self, path: &Path) {
        self.socket.get_or_init(|| path.to_owned());
    }

    /// Where this process listens for agents.
    pub(crate) fn socket(&self) -> Option<&Path> {
        self.socket.get().map(PathBuf::as_path)
    }

    /// A number for a new connection.
    pub(crate) fn next_member(&self) -> u64 {
        self.next_member.fetch_add(1, Ordering::Relaxed)
    }

    /// Joins the session of this dialect and id, or begins it. Without an id it begins one with a new id.
    pub(crate) fn open(&self, now: Timestamp, opening: &Opening, member: &Arc<Member>) -> Arc<AgentSession> {
        let id = opening.id.clone().unwrap_or_else(|| ulid::Ulid::generate().to_string());
        let key = (opening.dialect.card().id, id.clone());
        let mut sessions = lock(&self.sessions);
        let known = sessions.get(&key).cloned();
        let joined = known.filter(|known| known.join(member.clone(), opening.native, opening.keep));
        joined.unwrap_or_else(|| {
            let new = Arc::new(AgentSession::new(self.runner.clone(), now, id, opening));
            // Nobody else knows it, so it is open.
            new.join(member.clone(), opening.native, opening.keep);
            sessions.insert(key, new.clone());
            new
        })
    }

    /// Removes a connection from its session. The last one ends it, now or later; `ended_later` is called then.
    pub(crate) fn leave(
        self: &Arc<Self>,
        session: &Arc<AgentSession>,
        member: &Arc<Member>,
        now: Timestamp,
        ended_later: impl FnOnce() + Send + 'static,
    ) {
        match session.leave(member, now) {
            AfterLeave::Nothing => {}
            AfterLeave::End => self.end(session),
            AfterLeave::Keep(keep, changes) => {
                let (all, session) = (Arc::downgrade(self), session.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(keep).await;
                    // The time counts while the session is idle (`CONTRACTS.md` §3).
                    while session.wait_detached().await {
                        tokio::time::sleep(keep).await;
                    }
                    let Some(all) = all.upgrade() else { return };
                    if session.end_if_idle(changes) {
                        all.end(&session);
                        ended_later();
                    }
                });
            }
        }
    }

    /// Ends a session: its hooks, peers and running hooks end, and its id is free again.
    pub(crate) fn end(&self, session: &Arc<AgentSession>) {
        session.close();
        let key = (session.dialect.card().id, session.id.clone());
        let mut sessions = lock(&self.sessions);
        if sessions.get(&key).is_some_and(|known| Arc::ptr_eq(known, session)) {
            sessions.remove(&key);
        }
    }

    /// Ends every session, because the engine ends.
    pub fn end_all(&self) {
        let all: Vec<_> = lock(&self.sessions).drain().map(|(_, session)| session).collect();
        all.iter().for_each(|session| session.close());
    }

    /// The hooks that agents registered in this project.
    pub(crate) fn hooks_in(&self, project: &Path) -> Vec<Arc<Hook>> {
        let mine = self.all().into_iter().filter(|session| session.project == project);
        let conversations = mine.filter_map(|session| session.conversation().ok());
        conversations.flat_map(|conversation| conversation.hooks()).collect()
    }

    /// The hooks that agents registered in all sessions, oldest session first.
    pub(crate) fn all_hooks(&self) -> Vec<Arc<Hook>> {
        let conversations = self.all().into_iter().filter_map(|session| session.conversation().ok());
        conversations.flat_map(|conversation| conversation.hooks()).collect()
    }

    /// Every session, oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<AgentSession>> {
        let mut all: Vec<_> = lock(&self.sessions).values().cloned().collect();
        all.sort_by(|a, b| (a.since, &a.id).cmp(&(b.since, &b.id)));
        all
    }
}
