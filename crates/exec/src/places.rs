//! The places of hook processes that may run at the same time (`CONTRACTS.md` §3, "Bounds").
//!
//! Programs take turns, and the sessions of a program: a place that becomes free goes to the program that holds the
//! fewest, there to the session that holds the fewest, and among these to the one whose last turn is longest ago. Some
//! places are kept for hooks whose event can block, and who holds places already gets few of them: a guard finds a
//! place at once while other sessions are busy, and while another program is, however many sessions that one has.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use hookwright_model::{Cancelled, PlaceRequest, RunMode, RunPlace};

/// The number of hook processes of one engine that run at the same time. Peers are not counted: a session has one of
/// each kind, and they would hold their places until it ends.
const MAX_PROCESSES: usize = 128;
/// Of these, so many are kept for hooks whose event can block.
const KEPT: usize = 32;
/// Of these, detached hooks have at most so many: the event does not wait for them, so they must not delay a guard.
const MAX_DETACHED: usize = 64;
/// Of the places that are not kept, hooks that 0, 1 or 2 other hooks enclose have at most so many. A hook whose agent
/// fires events holds its place until they have ended, so the hooks of these events always find places that no outer
/// hook can take.
const MAX_BY_DEPTH: [usize; 4] = [SHARED - 16, SHARED - 8, SHARED - 4, SHARED];
const SHARED: usize = MAX_PROCESSES - KEPT;
/// An event can have several guards: so many places find a session while more than `KEPT_FOR_FIRST` of the kept ones
/// are free, and a program while more than `KEPT_FOR_PROGRAMS` are.
const AT_ONCE: usize = 4;
/// So many kept places are left for sessions that hold none.
const KEPT_FOR_FIRST: usize = 24;
/// So many kept places are left for programs that hold none.
const KEPT_FOR_PROGRAMS: usize = 8;

/// Gives places to hook processes.
#[derive(Debug, Default)]
pub(crate) struct Places(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Places in use that are not kept, by the depth of their hooks.
    shared: [usize; MAX_BY_DEPTH.len()],
    kept: usize,
    detached: usize,
    sessions: HashMap<Holder, SessionPlaces>,
    /// How many places programs hold; those that hold none are not here.
    programs: HashMap<String, usize>,
    /// Counts the turns.
    turns: u64,
}

/// A session of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Holder {
    program: String,
    session: String,
}

/// What one session holds and waits for. It is removed when both are nothing.
#[derive(Debug, Default)]
struct SessionPlaces {
    held: usize,
    /// Its last turn; before the first one, when it began to wait.
    last_turn: u64,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    kind: Kind,
    place: oneshot::Sender<Place>,
}

/// What decides which places a hook may take.
#[derive(Debug, Clone, Copy)]
struct Kind {
    mode: RunMode,
    /// 0 for a hook that no other hook encloses.
    outer: usize,
    can_block: bool,
}

/// Where a place was taken.
#[derive(Debug, Clone, Copy)]
enum Pool {
    Shared,
    Kept,
}

/// A place in use. It is given back when this is dropped.
#[derive(Debug)]
struct Place {
    places: Arc<Mutex<State>>,
    holder: Holder,
    kind: Kind,
    pool: Pool,
}

impl Places {
    /// Waits for a place. `None` if `cancelled` resolves first.
    pub(crate) fn reserve(
        &self,
        request: PlaceRequest<'_>,
        cancelled: Cancelled,
    ) -> BoxFuture<'static, Option<RunPlace>> {
        let outer = usize::try_from(request.depth.saturating_sub(1)).unwrap_or(usize::MAX);
        let kind = Kind {
            mode: request.mode,
            outer: outer.min(MAX_BY_DEPTH.len() - 1),
            can_block: request.can_block,
        };
        // What no agent fired has a session of its own, and is its own program.
        let program = if request.program.is_empty() {
            request.session
        } else {
            request.program
        };
        let holder = Holder {
            program: program.to_owned(),
            session: request.session.to_owned(),
        };
        let mut state = lock(&self.0);
        // The hooks that wait cannot take what is free now, so none is overtaken.
        if let Some(pool) = state.free_pool(kind, &holder) {
            let place = state.take(&self.0, holder, kind, pool);
            drop(state);
            return futures::future::ready(Some(RunPlace::held_by(place))).boxed();
        }
        let (sender, receiver) = oneshot::channel();
        state.turns += 1;
        let turn = state.turns;
        let session = state.sessions.entry(holder);
        let session = session.or_insert_with(|| SessionPlaces {
            last_turn: turn,
            ..SessionPlaces::default()
        });
        session.waiting.push_back(Waiting { kind, place: sender });
        drop(state);
        async move {
            tokio::select! {
                biased;
                () = cancelled => None,
                place = receiver => place.ok().map(RunPlace::held_by),
            }
        }
        .boxed()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // No code panics while it changes the state.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// How many places a program holds.
    fn held_by(&self, program: &str) -> usize {
        self.programs.get(program).copied().unwrap_or(0)
    }

    /// Where a hook of this session may take a place now.
    fn free_pool(&self, kind: Kind, holder: &Holder) -> Option<Pool> {
        if kind.mode == RunMode::Detach && self.detached >= MAX_DETACHED {
            return None;
        }
        let up_to = |depth: usize| self.shared[..=depth].iter().sum::<usize>();
        if (kind.outer..MAX_BY_DEPTH.len()).all(|depth| up_to(depth) < MAX_BY_DEPTH[depth]) {
            return Some(Pool::Shared);
        }
        let free = KEPT - self.kept;
        let by_program = self.held_by(&holder.program);
        let by_session = self.sessions.get(holder).map_or(0, |session| session.held);
        let may_take = if free > KEPT_FOR_FIRST {
            by_session < AT_ONCE
        } else if free > KEPT_FOR_PROGRAMS {
            by_program < AT_ONCE || by_session == 0
        } else {
            free > 0 && by_program == 0
        };
        (kind.can_block && may_take).then_some(Pool::Kept)
    }

    fn take(&mut self, places: &Arc<Mutex<Self>>, holder: Holder, kind: Kind, pool: Pool) -> Place {
        self.turns += 1;
        let turn = self.turns;
        *self.programs.entry(holder.program.clone()).or_default() += 1;
        let entry = self.sessions.entry(holder.clone()).or_default();
        entry.held += 1;
        entry.last_turn = turn;
        self.detached += usize::from(kind.mode == RunMode::Detach);
        match pool {
            Pool::Shared => self.shared[kind.outer] += 1,
            Pool::Kept => self.kept += 1,
        }
        Place {
            places: places.clone(),
            holder,
            kind,
            pool,
        }
    }

    fn give_back(&mut self, holder: &Holder, kind: Kind, pool: Pool) {
        self.detached -= usize::from(kind.mode == RunMode::Detach);
        match pool {
            Pool::Shared => self.shared[kind.outer] -= 1,
            Pool::Kept => self.kept -= 1,
        }
        if let Entry::Occupied(mut entry) = self.sessions.entry(holder.clone()) {
            entry.get_mut().held -= 1;
            if entry.get().held == 0 && entry.get().waiting.is_empty() {
                entry.remove();
            }
        }
        if let Entry::Occupied(mut entry) = self.programs.entry(holder.program.clone()) {
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
            }
        }
    }

    /// Takes the hook out that gets the next place, with its session; `None` if no waiting hook may take one.
    fn next(&mut self) -> Option<(Holder, Waiting, Pool)> {
        // A stopped hook no longer waits.
        self.sessions.retain(|_, session| {
            session.waiting.retain(|waiting| !waiting.place.is_canceled());
            session.held > 0 || !session.waiting.is_empty()
        });
        let first_of = |holder: &Holder, session: &SessionPlaces| {
            let mut waiting = session.waiting.iter().enumerate();
            waiting.find_map(|(index, waiting)| Some((index, self.free_pool(waiting.kind, holder)?)))
        };
        let (holder, (index, pool)) = self
            .sessions
            .iter()
            .filter_map(|(holder, session)| Some((holder, session, first_of(holder, session)?)))
            .min_by_key(|(holder, session, _)| (self.held_by(&holder.program), session.held, session.last_turn))
            .map(|(holder, _, first)| (holder.clone(), first))?;
        let waiting = self.sessions.get_mut(&holder)?.waiting.remove(index)?;
        Some((holder, waiting, pool))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = lock(&self.places);
        state.give_back(&self.holder, self.kind, self.pool);
        while let Some((holder, waiting, pool)) = state.next() {
            let place = state.take(&self.places, holder, waiting.kind, pool);
            if let Err(unwanted) = waiting.place.send(place) {
                // It was stopped just now. Its drop would wait for the lock that is held here.
                state.give_back(&unwanted.holder, unwanted.kind, unwanted.pool);
                std::mem::forget(unwanted);
            }
        }
    }
}
