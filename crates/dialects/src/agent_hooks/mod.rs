//! Agent Hooks: a folder a hook, a HOOK.md beside a script that speaks by exit code (`agent-hooks.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it translates. How it works: [`events`] are the
//! tables, [`places`] knows where hooks live and whose name counts, [`definition`] and [`entry`] read a folder, [`wire`]
//! and [`answer`] speak with scripts, [`session`] counts continuations, [`simulate`] plays a session, [`lint`] gives
//! advice.

mod answer;
mod definition;
mod edit;
mod entry;
pub mod events;
mod fixtures;
pub mod lint;
mod map;
mod name;
mod native;
mod places;
pub mod sayings;
mod session;
mod simulate;
mod wire;

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Facts, Payload};
use hookwright_model::{
    Additions, Call, Card, ChainPolicy, Counts, Decides, Decoded, Dialect, EditDesk, EditPlan, Editing, End, Flow,
    Ground, Hook, InnerFolder, Intention, LifeMap, LintDesk, Order, Parsed, Places, Played, Problem, Reply, Resolution,
    Root, Run, Saying, Scenario, SessionState, Settled, Shelf, SourceTree, Stage, Step, ToolCalls, ToolCounts, Trace,
    VerdictKind, Words,
};

/// Agent Hooks, as in Kimi Code CLI.
#[derive(Debug, Clone, Copy)]
pub struct AgentHooks;

impl Dialect for AgentHooks {
    fn card(&self) -> &'static Card {
        &events::CARD
    }

    fn map(&self) -> &'static LifeMap {
        &map::MAP
    }

    fn chain(&self, _event: &EventSpec) -> ChainPolicy {
        ChainPolicy {
            order: Order::RankDown,
            flow: Flow::Sequence,
            decides: Decides::Strictest,
            budget: None,
        }
    }

    fn roots(&self, places: &Places, _ground: &dyn Ground) -> Vec<Root> {
        places::roots(places)
    }

    fn further(&self, tree: &SourceTree) -> Vec<PathBuf> {
        places::further(tree)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        definition::parse(tree)
    }

    fn settle(&self, hooks: &[&Hook], _folders: &[InnerFolder]) -> Settled {
        places::settle(hooks)
    }

    fn bar(&self, event: &EventSpec, state: &SessionState) -> Option<Words> {
        session::bar(event, state)
    }

    fn remember(&self, event: &EventSpec, trace: &mut Trace, state: &mut SessionState) {
        session::remember(event, trace.verdict.kind, state);
    }

    fn alias(&self, event: &str) -> Option<&'static str> {
        events::renamed(event)
    }

    fn claims(&self, path: &Path, places: &Places) -> Option<Root> {
        places::claims(path, places)
    }

    fn edit(&self, desk: &EditDesk<'_>, intention: &Intention) -> Option<Result<EditPlan, Words>> {
        Some(edit::edit(desk, intention))
    }

    fn editing(&self) -> Editing {
        Editing {
            switch: None,
            shelves: &[Shelf::User, Shelf::Project],
        }
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

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, run)
    }

    /// Contexts are for the model and no part of the payload.
    fn fold(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    /// Failures are always open; should the engine ask, the call is refused in the failure's words.
    fn closed(&self, _hook: &Hook, failure: &Words, _end: Option<End>) -> (VerdictKind, Words) {
        (VerdictKind::Deny, failure.clone())
    }

    fn tells(&self, _event: &EventSpec, resolution: &Resolution) -> Vec<Words> {
        wire::tells(resolution)
    }

    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(resolution)
    }

    fn native(&self, counts: &Counts) -> Vec<(&'static str, f64)> {
        native::of_hook(counts)
    }

    fn tool_calls(&self) -> Option<ToolCalls> {
        Some(native::TOOL_CALLS)
    }

    fn native_of_tool(&self, counts: &ToolCounts) -> Vec<(&'static str, f64)> {
        native::of_tool(counts)
    }

    fn debug_lines(&self, trace: &Trace, step: &Step) -> Vec<String> {
        native::debug_lines(trace, step)
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

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::problem::Code;

    #[test]
    fn sentences_about_files_have_codes_of_the_table() {
        for saying in sayings::ALL.iter().chain(lint::sayings::ALL) {
            assert!(Code::of(saying.code).is_some(), "{}", saying.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = AgentHooks.fixture(event);
            assert_eq!(payload.len(), event.fields.len(), "{}", event.name);
            for field in event.fields.iter().filter(|field| field.name != "error") {
                assert!(!payload[field.name].is_null(), "{} lacks {}", event.name, field.name);
            }
        }
    }
}
