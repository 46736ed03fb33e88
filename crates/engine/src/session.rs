//! One session: what a conversation with an agent keeps between its events (`CONTRACTS.md` §3).
//!
//! Every host opens a session, also for a single event. Many events of a session may run at the same time: its state is
//! locked only when a chain begins and when it ends, never during a run. The session ends when it is closed, or when
//! its last user lets go of it. With it end its hooks, its peers and its detached runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::channel::oneshot;
use hookwright_model::{
    Call, Cancelled, Conversation, ConversationRead, Dialect, EventSpec, Hook, HookId, Layer, Message, Payload,
    PlaceRequest, Run, RunContext, RunPlace, Runner, Trace, render,
};
use serde_json::Value;

use crate::directory::ReportedDirs;
use crate::driver::IsFirst;
use crate::{Candidate, messages};

/// The number of events of one connection that may run at the same time (`CONTRACTS.md` §3, "Bounds"). The host counts
/// them.
pub const MAX_EVENTS_AT_ONCE: usize = 64;
/// An event is refused if this many hooks or more enclose the agent that fires it (`engine.md` §2).
pub const MAX_HOOK_DEPTH: u32 = 4;

/// What a host knows about a session when it opens it.
#[derive(Clone)]
pub struct SessionOptions {
    /// The session id of the agent, for payloads and traces. `None` for an event without a session.
    pub id: Option<String>,
    /// Identifies the session inside this engine. Two open sessions never have the same key.
    pub key: String,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// Runs the calls, see [`crate::SessionRunner`].
    pub runner: Arc<dyn Runner>,
}

/// Who runs the hooks that the dialect's own files define.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileHooks {
    /// Hookwright's engine.
    Engine,
    /// The agent itself (`native`). The engine starts nothing of these files, so that no hook runs twice.
    Agent,
}

impl FileHooks {
    /// Marks the candidates that the agent runs itself.
    pub(crate) fn mark(self, candidates: &mut [Candidate]) {
        if self == Self::Agent {
            candidates
                .iter_mut()
                .filter(|candidate| candidate.hook.source.layer != Layer::Session)
                .for_each(|candidate| candidate.agent_runs_it = true);
        }
    }
}

/// Why a session does not accept an event or a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionRefusal {
    /// The session was closed (`-32001`).
    Closed,
    /// [`MAX_EVENTS_AT_ONCE`] events of this connection are still running (`-32004`).
    TooMany,
    /// Hooks that call agents that call hooks: most likely a loop (`-32004`).
    TooDeep {
        /// How many hooks enclose the agent.
        depth: u32,
    },
}

impl SessionRefusal {
    /// The message for the user.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::Closed => messages::SESSION_CLOSED.render_plain(),
            Self::TooMany => render!(messages::TOO_MANY_EVENTS, "limit" => MAX_EVENTS_AT_ONCE),
            Self::TooDeep { depth } => render!(messages::TOO_DEEP, "depth" => depth),
        }
    }
}

/// One conversation of an agent. See the module.
pub struct Session {
    dialect: &'static dyn Dialect,
    options: SessionOptions,
    state: Mutex<SessionState>,
    reported_dirs: ReportedDirs,
    /// Resolves when the session is closed.
    closed: Cancelled,
}

/// What changes while the session is open.
struct SessionState {
    /// By the group of the connection that fires an event ([`hookwright_model::EventConnection::group`]), 0 without one.
    conversations: BTreeMap<u64, Box<dyn Conversation>>,
    /// The session's own hooks, in the order of their registration.
    hooks: Vec<Arc<Hook>>,
    /// How many events are running.
    events: usize,
    /// Whether an event has begun.
    has_begun: bool,
    /// Whether the session is closed as soon as no event runs. It accepts nothing more.
    is_ending: bool,
    /// Dropped when the session is closed, which resolves [`Session::closed`].
    open: Option<oneshot::Sender<()>>,
}

/// What a host says about an event when its session accepts it.
pub struct EventStart<'a> {
    /// The number of hooks that enclose the agent; connections of one session may differ.
    pub depth: u32,
    /// Who runs the hooks of the dialect's own files at this event; connections of one session may differ.
    pub file_hooks: FileHooks,
    /// Which of the session's own hooks take part.
    pub takes_part: &'a dyn Fn(&Hook) -> bool,
    /// What the host counts for the event. It is dropped when the chain is over.
    pub place: RunPlace,
}

impl EventStart<'_> {
    /// An event of a session with a single user: every hook takes part, and the engine runs those of the files.
    #[must_use]
    pub fn at_depth(depth: u32) -> Self {
        Self {
            depth,
            file_hooks: FileHooks::Engine,
            takes_part: &|_| true,
            place: RunPlace::default(),
        }
    }
}

/// An event that a session has accepted. It counts as running until this is dropped.
pub struct SessionEvent {
    pub(crate) session: Arc<Session>,
    pub(crate) is_first: IsFirst,
    /// The session's own hooks that take part. Those that are added or removed later change nothing.
    pub(crate) hooks: Vec<Arc<Hook>>,
    pub(crate) file_hooks: FileHooks,
    _place: RunPlace,
}

impl Session {
    /// Opens a session. Nothing is started before its first event.
    #[must_use]
    pub fn open(dialect: &'static dyn Dialect, options: SessionOptions) -> Arc<Self> {
        let conversation = dialect.conversation(&|name| options.runner.variable(name));
        Self::resume(dialect, conversation, options)
    }

    /// Opens a session whose conversation has begun already.
    #[must_use]
    pub fn resume(
        dialect: &'static dyn Dialect,
        conversation: Box<dyn Conversation>,
        options: SessionOptions,
    ) -> Arc<Self> {
        let (open, closed) = oneshot::channel();
        Arc::new(Self {
            dialect,
            options,
            state: Mutex::new(SessionState {
                conversations: BTreeMap::from([(0, conversation)]),
                hooks: Vec::new(),
                events: 0,
                has_begun: false,
                is_ending: false,
                open: Some(open),
            }),
            reported_dirs: ReportedDirs::default(),
            closed: closed.map(drop).boxed().shared(),
        })
    }

    /// The dialect of the session.
    #[must_use]
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// The session id of the agent; `None` for an event without a session.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.options.id.as_deref()
    }

    /// Identifies the session inside this engine.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.options.key
    }

    /// The project directory, absolute.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.options.project
    }

    /// Accepts an event.
    ///
    /// # Errors
    /// The session is closed, or hooks are nested too deeply.
    pub fn begin_event(self: &Arc<Self>, start: EventStart<'_>) -> Result<SessionEvent, SessionRefusal> {
        let EventStart {
            depth,
            file_hooks,
            takes_part,
            place,
        } = start;
        if depth >= MAX_HOOK_DEPTH {
            return Err(SessionRefusal::TooDeep { depth });
        }
        let mut state = self.state();
        if !state.accepts() {
            return Err(SessionRefusal::Closed);
        }
        state.events += 1;
        let is_first = if std::mem::replace(&mut state.has_begun, true) {
            IsFirst::No
        } else {
            IsFirst::Yes
        };
        Ok(SessionEvent {
            session: self.clone(),
            is_first,
            hooks: state.hooks.iter().filter(|hook| takes_part(hook)).cloned().collect(),
            file_hooks,
            _place: place,
        })
    }

    /// The session's own hooks, in the order of their registration.
    #[must_use]
    pub fn hooks(&self) -> Vec<Arc<Hook>> {
        self.state().hooks.clone()
    }

    /// Adds hooks of this session, all of them or none. They take part in the events that are accepted from now on.
    ///
    /// # Errors
    /// The session is closed.
    pub fn add_hooks(&self, hooks: &[Arc<Hook>]) -> Result<(), SessionRefusal> {
        let mut state = self.state();
        if !state.accepts() {
            return Err(SessionRefusal::Closed);
        }
        state.hooks.extend_from_slice(hooks);
        Ok(())
    }

    /// Removes a hook of this session. Events that were accepted before still run it. Returns whether there was one with
    /// this id.
    pub fn remove_hook(&self, id: &HookId) -> bool {
        let mut state = self.state();
        let before = state.hooks.len();
        state.hooks.retain(|hook| hook.id != *id);
        state.hooks.len() < before
    }

    /// Ends the session: running hooks are stopped, its peers are closed, and its hooks and its state are gone. It
    /// accepts no further event. Does not wait.
    pub fn close(&self) {
        let mut state = self.state();
        if state.open.take().is_none() {
            return;
        }
        state.hooks.clear();
        state.conversations.clear();
        drop(state);
        self.options.runner.close_session(&self.options.key);
    }

    /// Closes the session once the events that it has accepted are over. It accepts nothing more. Does not wait.
    pub fn close_when_idle(&self) {
        let mut state = self.state();
        state.is_ending = true;
        let is_idle = state.events == 0;
        drop(state);
        if is_idle {
            self.close();
        }
    }

    /// The state of the conversation of a group ([`hookwright_model::EventConnection::group`]) as JSON, for tests and bug
    /// reports.
    #[must_use]
    pub fn conversation_json(&self, group: u64) -> Value {
        self.with_conversation(group, |conversation| conversation.to_json())
    }

    /// Runs a call of this session. If the session is closed meanwhile, a peer that the call started is closed too.
    pub async fn run(&self, call: Call, context: RunContext) -> Run {
        let run = self.options.runner.run(call, context).await;
        self.close_late_peers();
        run
    }

    /// Starts peers that calls of this session will need. Does not wait for them.
    pub(crate) fn prestart(&self, calls: Vec<(Call, RunContext)>) {
        self.options.runner.prestart(calls);
        self.close_late_peers();
    }

    /// Waits for a place for a call of this session; see [`Runner::reserve`].
    pub(crate) async fn reserve(
        &self,
        call: &Call,
        request: PlaceRequest<'_>,
        cancelled: Cancelled,
    ) -> Option<RunPlace> {
        self.options.runner.reserve(call, request, cancelled).await
    }

    /// Closes peers that were started while or after the session was closed.
    fn close_late_peers(&self) {
        if self.state().open.is_none() {
            self.options.runner.close_session(&self.options.key);
        }
    }

    /// A variable of the engine's environment.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.options.runner.variable(name)
    }

    pub(crate) fn reported_dirs(&self) -> &ReportedDirs {
        &self.reported_dirs
    }

    /// Resolves when `event` does, or when the session is closed.
    pub fn cancelled_with(&self, event: Cancelled) -> Cancelled {
        futures::future::select(event, self.closed.clone())
            .map(drop)
            .boxed()
            .shared()
    }

    pub(crate) fn read_state(&self, group: u64, event: &EventSpec, payload: &Payload) -> ConversationRead {
        self.with_conversation(group, |conversation| conversation.read(event, payload))
    }

    /// Updates the state after a chain has ended. The order of these calls is the order in which chains end.
    pub(crate) fn remember(&self, group: u64, event: &EventSpec, read: &ConversationRead, trace: &mut Trace) {
        self.with_conversation(group, |conversation| conversation.remember(event, read, trace));
    }

    fn with_conversation<T>(&self, group: u64, work: impl FnOnce(&mut dyn Conversation) -> T) -> T {
        let mut state = self.state();
        let conversation = state.conversations.entry(group);
        work(&mut **conversation.or_insert_with(|| self.dialect.conversation(&|name| self.variable(name))))
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // After a close, a run that was given up may have left a peer.
        self.close_late_peers();
        self.close();
    }
}

impl SessionState {
    /// Whether the session takes further events and hooks.
    fn accepts(&self) -> bool {
        self.open.is_some() && !self.is_ending
    }
}

impl Drop for SessionEvent {
    fn drop(&mut self) {
        let mut state = self.session.state();
        state.events -= 1;
        let was_last = state.is_ending && state.events == 0;
        drop(state);
        if was_last {
            self.session.close();
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("dialect", &self.dialect.card().id)
            .field("key", &self.options.key)
            .field("id", &self.options.id)
            .finish_non_exhaustive()
    }
}
