//! One session of an agent, shared by its connections.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use hookwright_engine::{FileHooks, Session, SessionEvent, SessionOptions, SessionRefusal, SessionRunner};
use hookwright_model::{Dialect, Hook, HookId, Runner};
use hookwright_workspace::lock::lock;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::AgentLink;
use super::agent_info::{AgentInfo, Offer};
use super::calls::MemberCalls;
use super::event_rate::EventRate;
use super::protocol_log::ProtocolLog;
use super::sessions::Opening;

/// A connection that belongs to a session.
pub(crate) struct Member {
    pub(crate) number: u64,
    pub(crate) agent: AgentInfo,
    pub(crate) offers: Vec<Offer>,
    pub(crate) link: Arc<dyn AgentLink>,
    /// Cancelled when the connection leaves: its events are stopped.
    pub(crate) left: CancellationToken,
    /// Cancelled to close the connection after its last answers.
    pub(crate) closed: CancellationToken,
}

impl Member {
    /// Whether the agent offers this.
    pub(crate) fn offers(&self, offer: Offer) -> bool {
        self.offers.contains(&offer)
    }
}

/// A session of an agent. It outlives its conversations: after the event that ends one, the next event begins another
/// one of the same id.
pub(crate) struct AgentSession {
    pub(crate) dialect: &'static dyn Dialect,
    /// The session id for payloads and traces.
    pub(crate) id: String,
    /// The project directory, absolute. The first connection decides.
    pub(crate) project: PathBuf,
    pub(crate) since: Timestamp,
    /// Runs what no agent is asked for.
    runner: Arc<dyn Runner>,
    events: AtomicU64,
    rate: Mutex<EventRate>,
    /// The last lines of its connections.
    pub(crate) log: Arc<ProtocolLog>,
    /// How many events have asynchronous hooks that still run.
    detached: watch::Sender<usize>,
    state: Mutex<State>,
}

/// The asynchronous hooks of one event. A session that is kept does not end before this is dropped.
pub(crate) struct DetachedLease(Arc<AgentSession>);

impl Drop for DetachedLease {
    fn drop(&mut self) {
        self.0.detached.send_modify(|count| *count -= 1);
    }
}

struct State {
    /// The present conversation.
    session: Arc<Session>,
    /// Conversations that have ended, whose last events still run.
    ending: Vec<Weak<Session>>,
    is_native: bool,
    /// The newest is the last one. Shared with what calls them.
    members: Arc<Members>,
    /// How long the session outlives its last connection.
    keep: Option<Duration>,
    /// The connection that left last, after all have left.
    last: Option<Arc<Member>>,
    /// When it left.
    left_at: Option<Timestamp>,
    is_closed: bool,
    /// Whether the last conversation has ended and the next one has not begun: nothing is left to be kept.
    is_between: bool,
    /// Counts connections that come and leave, so that a late timer knows that it is late.
    changes: u64,
}

/// The connections of a session, and which of them registered which hook.
#[derive(Default)]
pub(crate) struct Members(Mutex<MemberList>);

#[derive(Default)]
struct MemberList {
    members: Vec<Arc<Member>>,
    owners: HashMap<HookId, u64>,
}

impl Members {
    /// The newest connection that offers this.
    pub(crate) fn newest(&self, offer: Offer) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        list.members.iter().rev().find(|member| member.offers(offer)).cloned()
    }

    /// The connection that registered this hook, while it is connected.
    pub(crate) fn owner(&self, hook: &str) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        let number = list.owners.get(hook)?;
        list.members.iter().find(|member| member.number == *number).cloned()
    }

    fn all(&self) -> Vec<Arc<Member>> {
        lock(&self.0).members.clone()
    }
}

/// What a session does after a connection has left.
pub(crate) enum AfterLeave {
    /// Others are still connected, or it was closed.
    Nothing,
    /// It ends now.
    End,
    /// It ends after this time, if nobody comes.
    Keep(Duration, u64),
}

impl AgentSession {
    /// A session without connections.
    pub(crate) fn new(runner: Arc<dyn Runner>, now: Timestamp, id: String, opening: &Opening) -> Self {
        let (dialect, native, project) = (opening.dialect, opening.native, opening.project.clone());
        let members = Arc::new(Members::default());
        let session = begin_conversation(&runner, dialect, &id, &project, native, &members);
        Self {
            dialect,
            id,
            project,
            since: now,
            runner,
            events: AtomicU64::new(0),
            rate: Mutex::default(),
            log: Arc::default(),
            detached: watch::Sender::new(0),
            state: Mutex::new(State {
                session,
                ending: Vec::new(),
                is_native: native,
                members,
                keep: None,
                last: None,
                left_at: None,
                is_closed: false,
                is_between: false,
                changes: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds a connection. Returns `false` if the session has ended meanwhile.
    pub(crate) fn join(&self, member: Arc<Member>, native: bool, keep: Option<Duration>) -> bool {
        let mut state = self.state();
        if state.is_closed {
            return false;
        }
        state.changes += 1;
        state.last = None;
        state.left_at = None;
        state.keep = state.keep.max(keep);
        if native {
            state.is_native = true;
            state.session.set_native();
        }
        lock(&state.members.0).members.push(member);
        true
    }

    /// Removes a connection. Its own hooks stay in the session, and its callbacks get no response. A session that
    /// ends by this accepts no connection from now on.
    pub(crate) fn leave(&self, member: &Arc<Member>, now: Timestamp) -> AfterLeave {
        let mut state = self.state();
        let is_empty = {
            let mut list = lock(&state.members.0);
            list.members.retain(|other| other.number != member.number);
            list.members.is_empty()
        };
        state.changes += 1;
        if state.is_closed || !is_empty {
            return AfterLeave::Nothing;
        }
        state.last = Some(member.clone());
        state.left_at = Some(now);
        match state.keep {
            Some(keep) if !keep.is_zero() && !state.is_between => AfterLeave::Keep(keep, state.changes),
            Some(_) | None => {
                state.is_closed = true;
                AfterLeave::End
            }
        }
    }

    /// Ends an idle session: it accepts no connection from now on. Returns `false` if somebody came or left since
    /// [`AfterLeave::Keep`] was given with this count.
    pub(crate) fn end_if_idle(&self, changes: u64) -> bool {
        let mut state = self.state();
        let is_idle = !state.is_closed && state.changes == changes;
        state.is_closed |= is_idle;
        is_idle
    }

    /// Counts the asynchronous hooks of an event, as long as the result lives.
    pub(crate) fn begin_detached(self: &Arc<Self>) -> DetachedLease {
        self.detached.send_modify(|count| *count += 1);
        DetachedLease(self.clone())
    }

    /// Waits until no asynchronous hook runs. Returns whether one did.
    pub(crate) async fn wait_detached(&self) -> bool {
        let did_wait = *self.detached.borrow() > 0;
        // The sender is `self`, so waiting cannot fail.
        drop(self.detached.subscribe().wait_for(|count| *count == 0).await);
        did_wait
    }

    /// The present conversation.
    ///
    /// # Errors
    /// The session was closed.
    pub(crate) fn conversation(&self) -> Result<Arc<Session>, SessionRefusal> {
        let state = self.state();
        if state.is_closed {
            return Err(SessionRefusal::Closed);
        }
        Ok(state.session.clone())
    }

    /// Begins an event in the present conversation, and counts it.
    ///
    /// # Errors
    /// The session was closed, or the conversation accepts no event.
    pub(crate) fn begin_event(&self, depth: u32) -> Result<SessionEvent, SessionRefusal> {
        let mut state = self.state();
        if state.is_closed {
            return Err(SessionRefusal::Closed);
        }
        let begun = state.session.begin_event(depth)?;
        state.is_between = false;
        self.count_event();
        Ok(begun)
    }

    /// Counts an event.
    pub(crate) fn count_event(&self) {
        self.events.fetch_add(1, Ordering::Relaxed);
        lock(&self.rate).add(Instant::now());
    }

    /// How many events its connections have fired in the last minute.
    pub(crate) fn events_last_minute(&self) -> u64 {
        lock(&self.rate).last_minute(Instant::now())
    }

    /// How many events its connections have fired.
    pub(crate) fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// Ends the conversation of `ended`, and begins an empty one. Events that were accepted since are finished. Does
    /// nothing if another event has done so already. Returns whether the session itself ends, since nobody is connected.
    pub(crate) fn begin_again(&self, ended: &Arc<Session>) -> bool {
        let mut state = self.state();
        if state.is_closed || !Arc::ptr_eq(&state.session, ended) {
            return false;
        }
        state.is_between = true;
        state.is_closed = state.last.is_some();
        let (native, members) = (state.is_native, state.members.clone());
        lock(&members.0).owners.clear();
        state.session = begin_conversation(&self.runner, self.dialect, &self.id, &self.project, native, &members);
        state.ending.retain(|session| session.strong_count() > 0);
        state.ending.push(Arc::downgrade(ended));
        let is_closed = state.is_closed;
        drop(state);
        ended.close_when_idle();
        is_closed
    }

    /// Ends the session.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let mut all: Vec<Arc<Session>> = state.ending.drain(..).filter_map(|session| session.upgrade()).collect();
        all.push(state.session.clone());
        drop(state);
        all.iter().for_each(|session| session.close());
    }

    /// Adds the hooks of a definition that a connection registered. `make` gets the hooks that the session has.
    ///
    /// # Errors
    /// `make` refuses the definition, or the session is closed.
    pub(crate) fn register<E: From<SessionRefusal>>(
        &self,
        member: &Member,
        make: impl FnOnce(&[Arc<Hook>]) -> Result<Vec<Hook>, E>,
    ) -> Result<Vec<Arc<Hook>>, E> {
        let mut state = self.state();
        if state.is_closed {
            return Err(SessionRefusal::Closed.into());
        }
        let hooks = make(&state.session.hooks())?;
        let hooks: Vec<Arc<Hook>> = hooks.into_iter().map(Arc::new).collect();
        for hook in &hooks {
            lock(&state.members.0).owners.insert(hook.id.clone(), member.number);
            state.session.add_hook(hook.clone())?;
        }
        state.is_between = false;
        Ok(hooks)
    }

    /// When the last connection left; `None` while one is connected.
    pub(crate) fn left_at(&self) -> Option<Timestamp> {
        self.state().left_at
    }

    /// The connections, and the newest one that left when there are none.
    pub(crate) fn connections(&self) -> (Vec<Arc<Member>>, Option<Arc<Member>>) {
        let state = self.state();
        (state.members.all(), state.last.clone())
    }

    /// The newest connection that offers this.
    pub(crate) fn newest(&self, offer: Offer) -> Option<Arc<Member>> {
        self.state().members.newest(offer)
    }

    /// Whether the agent runs the hooks of its files itself.
    pub(crate) fn is_native(&self) -> bool {
        self.state().is_native
    }
}

fn begin_conversation(
    runner: &Arc<dyn Runner>,
    dialect: &'static dyn Dialect,
    id: &str,
    project: &std::path::Path,
    native: bool,
    members: &Arc<Members>,
) -> Arc<Session> {
    let calls = Arc::new(MemberCalls(members.clone()));
    let options = SessionOptions {
        id: Some(id.to_owned()),
        key: ulid::Ulid::generate().to_string(),
        project: project.to_owned(),
        file_hooks: if native { FileHooks::Agent } else { FileHooks::Engine },
        runner: Arc::new(SessionRunner::new(runner.clone(), calls)),
    };
    Session::open(dialect, options)
}
