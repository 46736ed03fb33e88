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

/// A connection that belongs to a session.
pub(crate) struct Member {
    pub(crate) number: u64,
    pub(crate) agent: AgentInfo,
    /// The file that the other process runs, as the system says.
    pub(crate) program: Option<PathBuf>,
    pub(crate) lineage: Lineage,
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
                self.agent.pid.is_some() && self.agent.pid == other.agent.pid
            }
            _ => false,
        };
        same_agent || self.serves(other) || other.serves(self)
    }

    /// The process that the connection says is its agent, if it is that process or descends from it.
    fn agent_process(&self) -> Option<ProcessId> {
        self.lineage.find(self.agent.pid?)
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
}

/// The connection that registered a hook.
struct Owner {
    number: u64,
    lineage: Lineage,
    text_bytes: usize,
    kept: Option<Kept>,
    /// Events that began before may still run the hook.
    is_removed: bool,
}

impl Owner {
    fn serves(&self, member: &Member) -> bool {
        !self.is_removed && (self.number == member.number || member.lineage.is_within(&self.lineage))
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
        let owner = list.member(list.owners.get(hook)?.number)?;
        let caller = list.member(connection?)?;
        owner.serves(&caller).then_some(owner)
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
            .find(|member| member.offers(Offer::Model) && member.serves(&caller))
            .cloned()
    }

    /// The connection that takes test events of the user: the newest one if all that offer it are relatives, else the
    /// oldest, so that a program that only joined gets none.
    pub(super) fn for_test_events(&self) -> Option<Arc<Member>> {
        let list = lock(&self.0);
        let offering: Vec<_> = list.members.iter().filter(|it| it.offers(Offer::Fire)).collect();
        let (oldest, newest) = (offering.first()?, offering.last()?);
        let one_of = if offering.iter().all(|member| oldest.is_relative(member)) {
            newest
        } else {
            oldest
        };
        Some(Arc::clone(one_of))
    }
}

impl MemberList {
    fn member(&self, number: u64) -> Option<Arc<Member>> {
        self.members.iter().find(|member| member.number == number).cloned()
    }

    /// How many hooks a connection has registered, and the bytes of their definitions.
    pub(super) fn registered_by(&self, number: u64) -> (usize, usize) {
        let mine = self
            .owners
            .values()
            .filter(|owner| owner.number == number && !owner.is_removed);
        mine.fold((0, 0), |(count, bytes), owner| (count + 1, bytes + owner.text_bytes))
    }

    /// Whether this connection registered the hook.
    pub(super) fn is_owner(&self, member: &Member, hook: &HookId) -> bool {
        let owner = self.owners.get(hook);
        owner.is_some_and(|owner| owner.number == member.number && !owner.is_removed)
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
                number: member.number,
                lineage: member.lineage.clone(),
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
        let may_end = |owner: &Owner| owner.number == member.number || owner.lineage.is_within(&member.lineage);
        let has_left = |owner: &&Owner| !owner.is_removed && self.member(owner.number).is_none();
        self.owners.values().filter(has_left).all(may_end)
            && self.members.iter().all(|other| {
                let keeps_nothing = || other.offers.is_empty() && self.registered_by(other.number).0 == 0;
                member.number == other.number
                    || other.lineage.is_within(&member.lineage)
                    || (keeps_nothing() && other.is_relative(member))
            })
    }

    /// The hooks that this connection registered.
    pub(super) fn hooks_of(&self, member: &Member) -> Vec<HookId> {
        let is_mine = |owner: &Owner| owner.number == member.number && !owner.is_removed;
        let mine = self.owners.iter().filter(|(_, owner)| is_mine(owner));
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
