//! One session of an agent, shared by its connections.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use hookwright_engine::{EventStart, Session, SessionEvent, SessionOptions, SessionRefusal, SessionRunner};
use hookwright_model::{Dialect, Hook, HookId, RunPlace, Runner};
use hookwright_workspace::lock::lock;
use jiff::Timestamp;
use tokio::sync::watch;

use super::budget::Kept;
use super::calls::MemberCalls;
use super::event_rate::EventRate;
use super::member::{Member, Members, Peer};
use super::protocol_log::ProtocolLog;

/// What a connection asks for when it opens a session.
pub(crate) struct Opening {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) id: Option<String>,
    pub(crate) project: PathBuf,
    pub(crate) keep: Option<Duration>,
}

/// How many hooks a connection may register (`CONTRACTS.md` §3, "Bounds").
pub(crate) const MAX_HOOKS: usize = 256;
/// How many bytes the definitions of these hooks may have.
pub(crate) const MAX_HOOK_TEXT_BYTES: usize = 1 << 20;

/// A session of an agent. It outlives its conversations: after the event that ends one, the next event begins another
/// one of the same id.
pub(crate) struct AgentSession {
    pub(crate) dialect: &'static dyn Dialect,
    /// The session id for payloads and traces.
    pub(crate) id: String,
    /// The project directory, absolute.
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
    members: Arc<Members>,
    /// The connection that began the session.
    opener: Peer,
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

/// What became of a connection that joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// The session has ended.
    Ended,
    /// It belongs to the session, with relatives or alone.
    Joined,
    /// It belongs to the session, together with a program that is no relative.
    JoinedStrangers,
}

/// What a session does after a connection has left.
pub(crate) enum AfterLeave {
    /// Others are still connected, or it was closed.
    Nothing,
    /// It ends now.
    End,
    /// It ends after this time, unless a connection joins it.
    Keep(Duration, u64),
}

/// The definition of hooks that a connection registers.
pub(crate) struct NewHooks {
    /// The length of the definition.
    pub(crate) text_bytes: usize,
    /// What it costs.
    pub(crate) kept: Kept,
}

/// Why a session takes no hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookRefusal {
    Session(SessionRefusal),
    /// [`MAX_HOOKS`] or [`MAX_HOOK_TEXT_BYTES`] of this connection.
    TooMany,
}

impl From<SessionRefusal> for HookRefusal {
    fn from(refusal: SessionRefusal) -> Self {
        Self::Session(refusal)
    }
}

impl AgentSession {
    /// A session without connections. `opener` is the first one.
    pub(crate) fn new(
        runner: Arc<dyn Runner>,
        log: Arc<ProtocolLog>,
        now: Timestamp,
        id: String,
        opening: &Opening,
        opener: &Member,
    ) -> Self {
        let members = Arc::new(Members::default());
        let session = begin_conversation(&runner, opening.dialect, &id, &opening.project, &members);
        Self {
            dialect: opening.dialect,
            id,
            project: opening.project.clone(),
            since: now,
            runner,
            events: AtomicU64::new(0),
            rate: Mutex::default(),
            log,
            detached: watch::Sender::new(0),
            state: Mutex::new(State {
                session,
                ending: Vec::new(),
                members,
                opener: opener.peer.clone(),
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

    /// Adds a connection.
    pub(crate) fn join(&self, member: Arc<Member>, keep: Option<Duration>) -> Join {
        let mut state = self.state();
        if state.is_closed {
            return Join::Ended;
        }
        state.changes += 1;
        let before = state.last.take();
        state.left_at = None;
        state.keep = state.keep.max(keep);
        state.members.with(|list| {
            let is_stranger = |other: &Arc<Member>| !other.peer.is_relative(&member.peer);
            let joined = if list.members.iter().chain(&before).any(is_stranger) {
                Join::JoinedStrangers
            } else {
                Join::Joined
            };
            list.members.push(member.clone());
            joined
        })
    }

    /// Whether a connection of an ancestor of this process is in the session.
    pub(crate) fn has_ancestor_of(&self, member: &Member) -> bool {
        let state = self.state();
        let is_ancestor = |other: &Arc<Member>| other.peer.serves(&member.peer);
        state.last.as_ref().is_some_and(is_ancestor) || state.members.all().iter().any(is_ancestor)
    }

    /// Whether a connection of the same agent is in the session, or has fired an event in it.
    pub(crate) fn has_relative_of(&self, member: &Member) -> bool {
        let state = self.state();
        let left = state
            .last
            .as_ref()
            .is_some_and(|last| last.peer.is_relative(&member.peer));
        left || state.members.with(|list| list.has_relative_of(&member.peer))
    }

    /// Removes a connection. Its own hooks stay in the session, and its callbacks get no response. A session that
    /// ends by this accepts no connection from now on.
    pub(crate) fn leave(&self, member: &Arc<Member>, now: Timestamp) -> AfterLeave {
        let mut state = self.state();
        let is_empty = state.members.with(|list| {
            list.members.retain(|other| other.peer.number != member.peer.number);
            list.members.is_empty()
        });
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

    /// Ends a session without a connection, and accepts none from now on. Returns `false` if it has a connection.
    pub(crate) fn end_if_kept(&self) -> bool {
        let mut state = self.state();
        let is_kept = !state.is_closed && state.left_at.is_some();
        state.is_closed |= is_kept;
        is_kept
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

    /// Begins an event of a connection in the present conversation, and counts it. `kept` is what its payload costs.
    ///
    /// # Errors
    /// The session was closed, too many events of the connection are running, or hooks are nested too deeply.
    pub(crate) fn begin_event(&self, member: &Member, kept: Kept) -> Result<SessionEvent, SessionRefusal> {
        let mut state = self.state();
        if state.is_closed {
            return Err(SessionRefusal::Closed);
        }
        let place = member.events.clone().try_acquire_owned();
        let place = place.map_err(|_| SessionRefusal::TooMany)?;
        let members = state.members.clone();
        let start = EventStart {
            depth: member.agent.depth,
            file_hooks: member.file_hooks,
            takes_part: &|hook| members.with(|list| list.serves(&hook.id, member)),
            place: RunPlace::held_by((place, kept)),
        };
        let begun = state.session.begin_event(start)?;
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

    /// Ends the conversation of `ended` after an event of this connection, and begins an empty one. Events that were
    /// accepted since are finished. Does nothing if another event has done so already. If others would lose hooks by it,
    /// only the connection's own are removed. Returns whether the session itself ends, since it has no connection.
    pub(crate) fn begin_again(&self, member: &Member, ended: &Arc<Session>) -> bool {
        let mut state = self.state();
        if state.is_closed || !Arc::ptr_eq(&state.session, ended) {
            return false;
        }
        let members = state.members.clone();
        if !members.with(|list| list.may_end_for_all(member)) {
            remove_hooks_of(&state, member);
            return false;
        }
        state.is_between = true;
        state.is_closed = state.last.is_some();
        members.with(|list| list.clear_owners());
        state.session = begin_conversation(&self.runner, self.dialect, &self.id, &self.project, &members);
        state.ending.retain(|session| session.strong_count() > 0);
        state.ending.push(Arc::downgrade(ended));
        let is_closed = state.is_closed;
        drop(state);
        ended.close_when_idle();
        is_closed
    }

    /// Whether `session.close` of this connection ends the session: it opened it, and no other connection would lose
    /// something. If not, the connection's own hooks are removed now.
    pub(crate) fn begin_close(&self, member: &Member) -> bool {
        let state = self.state();
        let opener = &state.opener;
        let is_gone = || {
            let mut members = state.members.all().into_iter();
            members.all(|it| it.peer.number != opener.number)
        };
        let process = opener.lineage.process();
        let is_same_process = || process.is_some() && process == member.peer.lineage.process();
        let is_opener = opener.number == member.peer.number || is_gone() && is_same_process();
        let ends = is_opener && state.members.with(|list| list.may_end_for_all(member));
        if !ends && !state.is_closed {
            remove_hooks_of(&state, member);
        }
        ends
    }

    /// Ends the session.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.members.with(|list| list.clear_owners());
        let mut all: Vec<Arc<Session>> = state.ending.drain(..).filter_map(|session| session.upgrade()).collect();
        all.push(state.session.clone());
        drop(state);
        all.iter().for_each(|session| session.close());
    }

    /// Adds the hooks of a definition that a connection registered, all of them or none. `make` gets the hooks that the
    /// session has.
    ///
    /// # Errors
    /// `make` refuses the definition, the process has too many hooks, or the session is closed.
    pub(crate) fn register<E: From<HookRefusal>>(
        &self,
        member: &Member,
        new: NewHooks,
        make: impl FnOnce(&[Arc<Hook>]) -> Result<Vec<Hook>, E>,
    ) -> Result<Vec<Arc<Hook>>, E> {
        let mut state = self.state();
        if state.is_closed {
            return Err(HookRefusal::Session(SessionRefusal::Closed).into());
        }
        let (count, bytes) = state.members.with(|list| list.registered_by(&member.peer));
        if bytes + new.text_bytes > MAX_HOOK_TEXT_BYTES || count >= MAX_HOOKS {
            return Err(HookRefusal::TooMany.into());
        }
        let hooks = make(&state.session.hooks())?;
        if count + hooks.len() > MAX_HOOKS {
            return Err(HookRefusal::TooMany.into());
        }
        let hooks: Vec<Arc<Hook>> = hooks.into_iter().map(Arc::new).collect();
        state.session.add_hooks(&hooks).map_err(HookRefusal::from)?;
        let members = state.members.clone();
        members.with(|list| list.add_owner(member, &hooks, new.text_bytes, new.kept));
        state.is_between = false;
        Ok(hooks)
    }

    /// The session's own hooks that serve the events of this connection, in the order of their registration.
    ///
    /// # Errors
    /// The session is closed.
    pub(crate) fn hooks_for(&self, member: &Member) -> Result<Vec<Arc<Hook>>, SessionRefusal> {
        let mut hooks = self.conversation()?.hooks();
        let members = self.state().members.clone();
        members.with(|list| hooks.retain(|hook| list.serves(&hook.id, member)));
        Ok(hooks)
    }

    /// Removes a hook that this connection registered. Returns `false` if it registered none of this id.
    ///
    /// # Errors
    /// The session is closed.
    pub(crate) fn remove_hook(&self, member: &Member, id: &HookId) -> Result<bool, SessionRefusal> {
        let state = self.state();
        if state.is_closed {
            return Err(SessionRefusal::Closed);
        }
        if !state.members.with(|list| list.is_owner(member, id)) {
            return Ok(false);
        }
        state.members.with(|list| list.remove_owner(id));
        Ok(state.session.remove_hook(id))
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

    /// The group of relatives in the session that a connection belongs to.
    pub(crate) fn group_of(&self, member: &Member) -> u64 {
        let members = self.state().members.clone();
        members.with(|list| list.group_of(&member.peer))
    }

    /// The connection that takes test events of the user; with a name, that of the agent of this name.
    pub(crate) fn for_test_events(&self, name: Option<&str>) -> Option<Arc<Member>> {
        self.state().members.for_test_events(name)
    }

    /// The connection whose agent is shown for the session: the one that takes test events, else the newest one, also one
    /// that left.
    pub(crate) fn main_connection(&self) -> Option<Arc<Member>> {
        let takes_events = self.for_test_events(None);
        takes_events.or_else(|| {
            let (connected, last) = self.connections();
            connected.last().cloned().or(last)
        })
    }
}

/// Removes the hooks that a connection registered.
fn remove_hooks_of(state: &State, member: &Member) {
    for hook in state.members.with(|list| list.hooks_of(member)) {
        state.members.with(|list| list.remove_owner(&hook));
        state.session.remove_hook(&hook);
    }
}

fn begin_conversation(
    runner: &Arc<dyn Runner>,
    dialect: &'static dyn Dialect,
    id: &str,
    project: &std::path::Path,
    members: &Arc<Members>,
) -> Arc<Session> {
    let calls = Arc::new(MemberCalls(members.clone()));
    let options = SessionOptions {
        id: Some(id.to_owned()),
        key: ulid::Ulid::generate().to_string(),
        project: project.to_owned(),
        runner: Arc::new(SessionRunner::new(runner.clone(), calls)),
    };
    Session::open(dialect, options)
}
