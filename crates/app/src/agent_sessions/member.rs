//! One connection that belongs to a session, and what it means for the others.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hookwright_engine::{FileHooks, MAX_EVENTS_AT_ONCE};
use hookwright_model::{Hook, HookId};
use hookwright_workspace::lock::lock;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::agent_info::{AgentInfo, Offer};
use super::budget::Kept;
use super::{AgentLink, Lineage, ProcessId};

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peer {
    /// The number of the connection.
    pub(crate) number: u64,
    pub(crate) lineage: Lineage,
    /// The process of the agent, as the connection says.
    pub(crate) agent_pid: Option<u32>,
}

impl Peer {
    /// Whether what this connection registers and offers serves the events of the other one (`CONTRACTS.md` §3, "Joining
    /// only adds").
    pub(crate) fn serves(&self, other: &Self) -> bool {
        self.number == other.number || other.lineage.is_within(&self.lineage)
    }

    /// Whether the two may share a session without a notice: one process descends from the other one, or both were
    /// started by the agent that they name.
    pub(crate) fn is_relative(&self, other: &Self) -> bool {
        let same_agent = match (self.agent_process(), other.agent_process()) {
            (Some(one), Some(two)) => one == two,
            // A system that does not say who a process is has nothing to compare the agent's word with.
            _ if self.lineage.process().is_none() && other.lineage.process().is_none() => {
                self.agent_pid.is_some() && self.agent_pid == other.agent_pid
            }
            _ => false,
        };
        same_agent || self.serves(other) || other.serves(self)
    }

    /// The process that the connection says is its agent, if it is that process or descends from it.
    fn agent_process(&self) -> Option<ProcessId> {
        self.lineage.agent(self.agent_pid?)
    }

    /// The agent's process if it is known, else that of the connection, else the connection itself, as a text.
    pub(crate) fn program(&self) -> String {
        match self.agent_process().or_else(|| self.lineage.process()) {
            Some(ProcessId { pid, started }) => format!("{pid} {started}"),
            None => format!("connection {}", self.number),
        }
    }
}

/// A connection that belongs to a session.
pub(crate) struct Member {
    pub(crate) peer: Peer,
    pub(crate) agent: AgentInfo,
    /// The file that the other process runs, as the system says.
    pub(crate) program: Option<PathBuf>,
    pub(crate) offers: Vec<Offer>,
    /// Who runs the hooks of the dialect's own files at the events of this connection.
    pub(crate) file_hooks: FileHooks,
    pub(crate) link: Arc<dyn AgentLink>,
    /// The events that it may still begin.
    pub(crate) events: Arc<Semaphore>,
    /// Cancelled when the connection leaves: its events are stopped.
    pub(crate) left: CancellationToken,
    /// Cancelled to close the connection after its last answers.
    pub(crate) closed: CancellationToken,
}

impl Member {
    /// The places of a connection's events.
    pub(crate) fn event_places() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(MAX_EVENTS_AT_ONCE))
    }

    /// Whether the agent offers this.
    pub(crate) fn offers(&self, offer: Offer) -> bool {
        self.offers.contains(&offer)
    }
}

/// The connections of a session, shared with what calls them.
#[derive(Default)]
pub(super) struct Members(Mutex<MemberList>);

#[derive(Default)]
pub(super) struct MemberList {
    /// The newest is the last one.
    pub(super) members: Vec<Arc<Member>>,
    /// Who registered which hook.
    owners: HashMap<HookId, Owner>,
    /// One connection of each group of relatives that has fired an event, also after it has left: the topmost, or else
    /// the newest. A group is numbered by its place.
    groups: Vec<Peer>,
}

/// How many groups of relatives a session knows. All others share the last one.
const MAX_GROUPS: usize = 64;

/// The connection that registered a hook.
struct Owner {
    peer: Peer,
    text_bytes: usize,
    kept: Option<Kept>,
    /// Events that began before may still run the hook.
    is_removed: bool,
}

impl Owner {
    fn serves(&self, member: &Member) -> bool {
        !self.is_removed && self.peer.serves(&member.peer)
    }

    fn is_of(&self, number: u64) -> bool {
        self.peer.number == number && !self.is_removed
    }
}

impl Members {
    /// Changes or reads the list.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut MemberList) -> T) -> T {
        work(&mut lock(&self.0))
    }

    pub(super) fn all(&self) -> Vec<Arc<Member>> {
        lock(&self.0).members.clone()
    }

    /// The connection that registered this hook, while it is connected, for an event of a connection that it serves.
    pub(super) fn owner(&self, hook: &str, connection: Option<u64>) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        let owner = list.member(list.owners.get(hook)?.peer.number)?;
        let caller = list.member(connection?)?;
        owner.peer.serves(&caller.peer).then_some(owner)
    }

    /// The connection whose model completes the prompts of an event of this connection: its own, or else the newest that
    /// serves it.
    pub(super) fn model_for(&self, connection: Option<u64>) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        let caller = list.member(connection?)?;
        if caller.offers(Offer::Model) {
            return Some(caller);
        }
        let mut newest_first = list.members.iter().rev();
        newest_first
            .find(|member| member.offers(Offer::Model) && member.peer.serves(&caller.peer))
            .cloned()
    }

    /// The connection that takes test events of the user: the newest one of the program that offered it first, so that
    /// neither a program that only joined nor a command that the agent started gets them. If a name is given, only
    /// connections of agents of this name count.
    pub(super) fn for_test_events(&self, name: Option<&str>) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        let is_named = |member: &Member| name.is_none_or(|name| member.agent.name == name);
        let offering = || list.members.iter().filter(|it| it.offers(Offer::Fire) && is_named(it));
        // An agent that opens its own connection after that of a command comes before it.
        let mut topmost = offering().next()?;
        for member in offering() {
            if member.peer.serves(&topmost.peer) {
                topmost = member;
            }
        }
        Some(topmost.clone())
    }
}

impl MemberList {
    fn member(&self, number: u64) -> Option<Arc<Member>> {
        self.members.iter().find(|member| member.peer.number == number).cloned()
    }

    /// Whether a connection, or one that has fired an event and has left, is a relative of this one.
    pub(super) fn has_relative_of(&self, peer: &Peer) -> bool {
        let present = self.members.iter().map(|member| &member.peer);
        present.chain(&self.groups).any(|other| other.is_relative(peer))
    }

    /// The group of relatives that a connection belongs to. A new group begins with the first connection that is no
    /// relative of those before.
    pub(super) fn group_of(&mut self, peer: &Peer) -> u64 {
        let known = self.groups.iter().position(|of_group| of_group.is_relative(peer));
        let place = match known {
            Some(place) => place,
            None if self.groups.len() < MAX_GROUPS => {
                self.groups.push(peer.clone());
                self.groups.len() - 1
            }
            None => MAX_GROUPS - 1,
        };
        if known.is_some() && !self.groups[place].serves(peer) {
            self.groups[place] = peer.clone();
        }
        place as u64
    }

    /// How many hooks a process has registered, on connections that have left too, and the bytes of their definitions.
    pub(super) fn registered_by(&self, peer: &Peer) -> (usize, usize) {
        let is_same = |owner: &Peer| {
            owner.number == peer.number
                || owner.lineage.process().is_some() && owner.lineage.process() == peer.lineage.process()
        };
        let mine = self
            .owners
            .values()
            .filter(|owner| !owner.is_removed && is_same(&owner.peer));
        mine.fold((0, 0), |(count, bytes), owner| (count + 1, bytes + owner.text_bytes))
    }

    /// Whether this connection registered the hook.
    pub(super) fn is_owner(&self, member: &Member, hook: &HookId) -> bool {
        let owner = self.owners.get(hook);
        owner.is_some_and(|owner| owner.is_of(member.peer.number))
    }

    /// Whether a hook serves the events of this connection.
    pub(super) fn serves(&self, hook: &HookId, member: &Member) -> bool {
        self.owners.get(hook).is_some_and(|owner| owner.serves(member))
    }

    /// Records who registered hooks. `text_bytes` is the length of their definition, which is kept as long as the first.
    pub(super) fn add_owner(&mut self, member: &Member, hooks: &[Arc<Hook>], text_bytes: usize, kept: Kept) {
        let mut first = Some(kept);
        for hook in hooks {
            let owner = Owner {
                peer: member.peer.clone(),
                text_bytes: first.as_ref().map_or(0, |_| text_bytes),
                kept: first.take(),
                is_removed: false,
            };
            self.owners.insert(hook.id.clone(), owner);
        }
    }

    /// Whether this connection may end the conversation for all: every other one is of its process or descends from it, or
    /// is a relative that keeps nothing here, and every hook of one that has left was registered by such a process.
    pub(super) fn may_end_for_all(&self, member: &Member) -> bool {
        let may_end = |owner: &Owner| member.peer.serves(&owner.peer);
        let has_left = |owner: &&Owner| !owner.is_removed && self.member(owner.peer.number).is_none();
        self.owners.values().filter(has_left).all(may_end)
            && self.members.iter().all(|other| {
                let has_hooks = || self.owners.values().any(|owner| owner.is_of(other.peer.number));
                let keeps_nothing = || other.offers.is_empty() && !has_hooks();
                member.peer.serves(&other.peer) || (keeps_nothing() && other.peer.is_relative(&member.peer))
            })
    }

    /// The hooks that this connection registered.
    pub(super) fn hooks_of(&self, member: &Member) -> Vec<HookId> {
        let mine = self.owners.iter().filter(|(_, owner)| owner.is_of(member.peer.number));
        mine.map(|(hook, _)| hook.clone()).collect()
    }

    /// Forgets who registered which hook, because all hooks are gone.
    pub(super) fn clear_owners(&mut self) {
        self.owners.clear();
    }

    /// Records that a hook was removed.
    pub(super) fn remove_owner(&mut self, hook: &HookId) {
        if let Some(owner) = self.owners.get_mut(hook) {
            owner.is_removed = true;
            owner.text_bytes = 0;
            owner.kept = None;
        }
    }
}
