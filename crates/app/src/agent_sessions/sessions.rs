//! The sessions of connected agents.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hookwright_model::{Hook, Runner};
use hookwright_workspace::lock::lock;
use jiff::Timestamp;

use super::budget::KeptBytes;
use super::member::Member;
use super::protocol_log::{LogBytes, ProtocolLog};
use super::session::{AfterLeave, AgentSession, Join, Opening};

/// How many sessions without a connection are kept (`CONTRACTS.md` §3, "Bounds").
const MAX_KEPT_SESSIONS: usize = 256;
/// The user gets one notice per program and session within this time.
const QUIET: Duration = Duration::from_secs(600);
/// How many of these programs are remembered.
const MAX_REMEMBERED: usize = 1000;
/// When no more can be remembered, the user gets a notice so often.
const FLOOD_INTERVAL: Duration = Duration::from_secs(5);

/// The sessions of agents that live. The user is the one whose data folder the engine serves.
pub struct AgentSessions {
    /// Runs what no agent is asked for.
    runner: Arc<dyn Runner>,
    /// The sessions of one dialect and id have different projects.
    sessions: Mutex<HashMap<SessionKey, Vec<Arc<AgentSession>>>>,
    next_member: AtomicU64,
    /// What agents keep in this engine.
    pub kept: KeptBytes,
    /// What the logs of their connections keep.
    pub(crate) logs: LogBytes,
    /// Of which programs in which sessions the user was told, and when.
    told: Mutex<HashMap<String, Instant>>,
    /// Where this process listens for agents, if it does.
    socket: OnceLock<PathBuf>,
}

/// Dialect and session id.
type SessionKey = (&'static str, String);

impl AgentSessions {
    /// No sessions yet.
    #[must_use]
    pub fn new(runner: Arc<dyn Runner>) -> Self {
        Self {
            runner,
            sessions: Mutex::default(),
            next_member: AtomicU64::new(0),
            kept: KeptBytes::default(),
            logs: LogBytes::default(),
            told: Mutex::default(),
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

    /// Joins the session of this dialect and id in which the project lies, or begins one. Without an id it begins one with
    /// a new id. Also returns how the connection joined.
    pub(crate) fn open(
        &self,
        now: Timestamp,
        opening: &Opening,
        member: &Arc<Member>,
        projects: &dyn ProjectOf,
    ) -> (Arc<AgentSession>, Join) {
        let id = opening.id.clone().unwrap_or_else(|| ulid::Ulid::generate().to_string());
        let key = (opening.dialect.card().id, id.clone());
        let known = lock(&self.sessions).get(&key).cloned().unwrap_or_default();
        // It may read files, so it is not done under the lock.
        let chosen = choose(&known, &opening.project, member, projects);
        let project = chosen.map_or_else(|| opening.project.clone(), |session| session.project.clone());
        let mut sessions = lock(&self.sessions);
        let of_id = sessions.entry(key).or_default();
        for project in [&project, &opening.project] {
            let Some(session) = of_id.iter().find(|session| session.project == *project) else {
                continue;
            };
            let joined = session.join(member.clone(), opening.keep);
            if joined != Join::Ended {
                return (session.clone(), joined);
            }
        }
        let log = ProtocolLog::new(&self.logs);
        let new = Arc::new(AgentSession::new(self.runner.clone(), log, now, id, opening, member));
        // No other connection knows this session, so it is open.
        let joined = new.join(member.clone(), opening.keep);
        of_id.retain(|session| session.project != new.project);
        of_id.push(new.clone());
        (new, joined)
    }

    /// Whether the user must be told that this program joined: not again within 10 minutes.
    pub(crate) fn is_news(&self, session: &AgentSession, member: &Member, now: Instant) -> bool {
        let place = session.project.display();
        let program = member.program.as_deref().unwrap_or(Path::new("")).display();
        let mut told = lock(&self.told);
        told.retain(|_, at| now.duration_since(*at) < QUIET);
        // A program that joins under many names must not hide the join of another one: beyond the first limit there is one
        // notice for each session, and beyond the second one now and then.
        let key = if told.len() < MAX_REMEMBERED {
            format!("{}\n{place}\n{program}\n{}", session.id, member.agent.name)
        } else {
            format!("{}\n{place}", session.id)
        };
        let is_flood = told.len() >= 2 * MAX_REMEMBERED;
        let key = if is_flood { String::new() } else { key };
        let quiet = if is_flood { FLOOD_INTERVAL } else { QUIET };
        if told.get(&key).is_some_and(|at| now.duration_since(*at) < quiet) {
            return false;
        }
        told.insert(key, now);
        true
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
                self.end_longest_idle();
                let (all, session) = (Arc::downgrade(self), Arc::downgrade(session));
                tokio::spawn(async move {
                    // A session that ends sooner is not kept in memory for this.
                    let still_there = loop {
                        tokio::time::sleep(keep).await;
                        let Some(session) = session.upgrade() else { return };
                        // The time counts while the session is idle (`CONTRACTS.md` §3).
                        if !session.wait_detached().await {
                            break session;
                        }
                    };
                    let Some(all) = all.upgrade() else { return };
                    if still_there.end_if_idle(changes) {
                        all.end(&still_there);
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
        if let Some(of_id) = sessions.get_mut(&key) {
            of_id.retain(|known| !Arc::ptr_eq(known, session));
            if of_id.is_empty() {
                sessions.remove(&key);
            }
        }
    }

    /// Ends the kept sessions that are one too many, the one first whose agent left first.
    fn end_longest_idle(&self) {
        let mut kept: Vec<_> = self
            .all()
            .into_iter()
            .filter_map(|session| Some((session.left_at()?, session)))
            .collect();
        kept.sort_by_key(|(left_at, _)| *left_at);
        let too_many = kept.len().saturating_sub(MAX_KEPT_SESSIONS);
        for (_, session) in kept.into_iter().take(too_many) {
            if session.end_if_kept() {
                self.end(&session);
            }
        }
    }

    /// Ends every session, because the engine ends.
    pub fn end_all(&self) {
        let all: Vec<_> = lock(&self.sessions).drain().flat_map(|(_, of_id)| of_id).collect();
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
        let mut all: Vec<_> = lock(&self.sessions).values().flatten().cloned().collect();
        all.sort_by(|a, b| (a.since, &a.id, &a.project).cmp(&(b.since, &b.id, &b.project)));
        all
    }
}

/// What is known of a folder that a session may have as its project.
pub(crate) trait ProjectOf {
    /// Whether hooks of its own, approved ones, are in force there.
    fn has_own_hooks(&self, project: &Path) -> bool;
}

/// The session that a connection from this folder joins (`CONTRACTS.md` §3, "Joining only adds"): the one of an ancestor
/// process, else the outermost that the folder lies in. A folder with approved hooks of its own would lose them to it, so
/// it joins only a session in which the same agent is already: whoever opens a folder above takes no guards away.
fn choose<'s>(
    known: &'s [Arc<AgentSession>],
    folder: &Path,
    member: &Member,
    projects: &dyn ProjectOf,
) -> Option<&'s Arc<AgentSession>> {
    let mut around: Vec<_> = known.iter().filter(|it| folder.starts_with(&it.project)).collect();
    around.sort_by_key(|session| session.project.components().count());
    let of_ancestor = around.iter().find(|session| session.has_ancestor_of(member));
    if let Some(session) = of_ancestor {
        return Some(session);
    }
    let outermost = around.first()?;
    if outermost.project == folder || !projects.has_own_hooks(folder) {
        return Some(outermost);
    }
    let is_its_own = |session: &&&Arc<AgentSession>| session.project == folder || session.has_relative_of(member);
    around.iter().find(is_its_own).copied()
}
