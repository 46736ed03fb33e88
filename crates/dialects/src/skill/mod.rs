//! Skill hooks: texts that are inserted into the message list and taken out again (`skill.md`).
//!
//! What it deliberately does not do: nothing runs. No process, no deadline, no failure; no text is a template. How it
//! works: [`events`] are the five checkpoints, [`config`] and [`definition`] read `hooks.json` and its texts, [`wire`] says
//! what is inserted, [`ledger`] keeps a request's list and takes out again, [`lint`] gives advice.

mod config;
mod definition;
mod edit;
pub mod events;
pub mod ledger;
pub mod lint;
mod map;
mod native;
pub mod sayings;
mod simulate;
mod wire;

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Facts, Payload};
use hookwright_model::{
    Additions, Call, Card, ChainPolicy, Counts, Decides, Decoded, Dialect, EditDesk, EditPlan, Editing, End, Flow,
    Ground, Hook, InnerFolder, Intention, LifeMap, LintDesk, Order, Parsed, Places, Played, Problem, Reply, Resolution,
    Root, Run, Saying, Scenario, Seat, Settled, Shelf, SourceTree, Stage, VerdictKind, Words,
};

/// Skill hooks.
#[derive(Debug, Clone, Copy)]
pub struct Skill;

impl Dialect for Skill {
    fn card(&self) -> &'static Card {
        &events::CARD
    }

    fn map(&self) -> &'static LifeMap {
        &map::MAP
    }

    fn chain(&self, _event: &EventSpec) -> ChainPolicy {
        ChainPolicy {
            order: Order::Seated,
            flow: Flow::Pipe,
            decides: Decides::Strictest,
            budget: None,
        }
    }

    fn roots(&self, places: &Places, _ground: &dyn Ground) -> Vec<Root> {
        config::roots(places)
    }

    fn further(&self, tree: &SourceTree) -> Vec<PathBuf> {
        config::further(tree)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        config::parse(tree)
    }

    fn settle(&self, hooks: &[&Hook], folders: &[InnerFolder]) -> Settled {
        config::settle(hooks, folders)
    }

    fn seat(&self, hook: &Hook, payload: &Payload) -> Seat {
        wire::seat(hook, payload)
    }

    fn remarks(&self, _event: &EventSpec, payload: &Payload, hooks: &[&Hook]) -> Vec<Words> {
        wire::remarks(payload, hooks)
    }

    fn claims(&self, path: &Path, places: &Places) -> Option<Root> {
        config::claims(path, places)
    }

    fn edit(&self, desk: &EditDesk<'_>, intention: &Intention) -> Option<Result<EditPlan, Words>> {
        Some(edit::edit(desk, intention))
    }

    fn editing(&self) -> Editing {
        Editing {
            switch: None,
            shelves: &[Shelf::Skill],
        }
    }

    fn list_of(&self, hook: &Hook) -> Option<String> {
        Some(format!("skill:{}", hook.source.path.display()))
    }

    fn lint(&self, desk: &LintDesk<'_>) -> Vec<Problem> {
        lint::lint(desk)
    }

    fn accept(&self, event: &EventSpec, payload: &mut Payload, _facts: &Facts) -> Result<(), Words> {
        wire::accept(event, payload)
    }

    fn encode(&self, hook: &Hook, _event: &EventSpec, _payload: &Payload, _project: &Path) -> Call {
        wire::encode(hook)
    }

    /// Nothing runs, so there is nothing to read.
    fn decode(&self, _hook: &Hook, _event: &EventSpec, _payload: &Payload, _run: &Run) -> Decoded {
        Decoded::Nothing
    }

    fn fold(&self, _event: &EventSpec, payload: &mut Payload, additions: &Additions) {
        wire::fold(payload, additions);
    }

    /// Nothing fails, and nobody is held.
    fn closed(&self, _hook: &Hook, failure: &Words, _end: Option<End>) -> (VerdictKind, Words) {
        (VerdictKind::Proceed, failure.clone())
    }

    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        events::fixture(event)
    }

    fn native(&self, counts: &Counts) -> Vec<(&'static str, f64)> {
        native::of_hook(counts)
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
    [sayings::ALL, sayings::events::ALL, lint::sayings::ALL, edit::ALL].concat()
}
