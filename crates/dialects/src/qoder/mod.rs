//! Qoder: hooks that all answer at once on the same input, the strictest of which wins (`qoder.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it translates. How it works: [`events`] are the
//! tables, [`settings`], [`group`] and [`entry`] read settings files, [`module`] what [`bridge`] told of a module;
//! [`wire`], [`answer`] and [`fields`] speak with hooks; [`simulate`] plays a session; [`lint`] gives advice.

mod answer;
mod bridge;
mod edit;
mod entry;
pub mod events;
mod fields;
mod fixtures;
mod group;
pub mod lint;
mod map;
mod module;
mod places;
pub mod sayings;
mod settings;
mod simulate;
mod wire;

use std::path::Path;

use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Facts, Payload};
use hookwright_model::{
    Additions, Call, Card, ChainPolicy, Decides, Decoded, Dialect, EditDesk, EditPlan, Editing, End, Flow, Ground,
    Handler, Hook, Intention, LifeMap, LintDesk, Order, Parsed, Places, Played, Problem, Reply, Resolution, Root, Run,
    Saying, Scenario, SessionState, Shelf, SourceTree, Stage, Trace, VerdictKind, Words,
};
use serde_json::Value;

/// Qoder.
#[derive(Debug, Clone, Copy)]
pub struct Qoder;

impl Dialect for Qoder {
    fn card(&self) -> &'static Card {
        &events::CARD
    }

    fn map(&self) -> &'static LifeMap {
        &map::MAP
    }

    fn chain(&self, _event: &EventSpec) -> ChainPolicy {
        ChainPolicy {
            order: Order::Loaded,
            flow: Flow::Fan,
            decides: Decides::StrictestJoined,
            budget: None,
        }
    }

    fn roots(&self, places: &Places, _ground: &dyn Ground) -> Vec<Root> {
        places::roots(places)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        settings::parse(tree)
    }

    fn edit(&self, desk: &EditDesk<'_>, intention: &Intention) -> Option<Result<EditPlan, Words>> {
        Some(edit::edit(desk, intention))
    }

    fn unfold(&self, module: &Hook, told: &Value) -> Parsed {
        module::unfold(module, told)
    }

    fn claims(&self, path: &Path, places: &Places) -> Option<Root> {
        places::claims(path, places)
    }

    fn editing(&self) -> Editing {
        Editing {
            switch: None,
            shelves: &[Shelf::User, Shelf::Project, Shelf::Local],
        }
    }

    fn list_of(&self, hook: &Hook) -> Option<String> {
        let (list, _) = hook.id.rsplit_once('.')?;
        matches!(hook.handler, Handler::Shell { .. }).then(|| list.to_owned())
    }

    fn met_on_walks(&self, path: &Path) -> bool {
        places::met_on_walks(path)
    }

    fn lint(&self, desk: &LintDesk<'_>) -> Vec<Problem> {
        lint::lint(desk)
    }

    fn accept(&self, event: &EventSpec, payload: &mut Payload, facts: &Facts) -> Result<(), Words> {
        wire::accept(event, payload, facts)
    }

    fn encode(&self, hook: &Hook, _event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, payload, run)
    }

    fn remarks(&self, _event: &EventSpec, _payload: &Payload, hooks: &[&Hook]) -> Vec<Words> {
        module::remarks(hooks)
    }

    /// Nothing stands beside the payload that belongs into it.
    fn fold(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    /// Failures are open, always; should one be asked for, the strictest that every event understands.
    fn closed(&self, _hook: &Hook, failure: &Words, _end: Option<End>) -> (VerdictKind, Words) {
        (VerdictKind::Deny, failure.clone())
    }

    fn remember(&self, _event: &EventSpec, trace: &mut Trace, state: &mut SessionState) {
        answer::say_once(trace, state);
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(event, resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }

    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        stage: &'a mut dyn Stage,
        played: &'a mut Played,
    ) -> BoxFuture<'a, Result<(), Words>> {
        simulate::simulate(scenario, stage, played)
    }
}

/// Every sentence of this dialect.
#[must_use]
pub fn sayings() -> Vec<&'static Saying> {
    [sayings::ALL, sayings::answers::ALL, lint::sayings::ALL, edit::ALL].concat()
}
