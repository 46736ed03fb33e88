//! The dialect `skill`: texts of skills that are inserted into the message list and removed again (`skill.md`).
//!
//! What it deliberately does not do: it executes nothing. So there is no process, no deadline and no failure. No text
//! is a template.
//!
//! How it works: [`events`] are the five checkpoints. [`config`] and [`definition`] read `hooks.json` and its texts.
//! [`wire`] decides what is inserted. [`message_list`] is the list of one request, from which texts are removed again.
//! [`lint`] gives advice.

mod config;
mod definition;
mod edit;
pub mod events;
mod lifecycle_map;
pub mod lint;
pub mod message_list;
pub mod messages;
mod native;
mod schema;
mod simulate;
mod wire;

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Card, ConflictReport, Decoded, Dialect, DirProbe, EditContext, EditPlan, EditRequest, End, Files,
    Hook, HookCounts, InnerFolder, Life, LintContext, Locations, Message, MessageTemplate, Parsed, Placement, Problem,
    Reply, RequestBegin, RequestList, Resolution, Root, Run, Scenario, SimulationHost, SimulationResult, SourceTree,
    VerdictKind, Wire,
};
use serde_json::{Map, Value};

use crate::editing;

/// The dialect `skill`.
#[derive(Debug, Clone, Copy)]
pub struct Skill;

impl Dialect for Skill {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

impl Files for Skill {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        config::roots(places)
    }

    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        config::referenced_files(tree)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        config::parse(tree)
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], folders: &[InnerFolder]) -> ConflictReport {
        config::resolve_conflicts(hooks, folders)
    }

    fn definition_to_add(&self, tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
        edit::definition_to_add(tree, hook)
    }

    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        config::detect_root(path, places)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&edit::Skills, context, request))
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        Some(format!("skill:{}", hook.source.path.display()))
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        lint::lint(context)
    }
}

impl Wire for Skill {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, _facts: &EventDefaults) -> Result<(), Message> {
        wire::accept(event, payload)
    }

    fn encode(&self, hook: &Hook, _event: &EventSpec, _payload: &Payload, _project: &Path) -> Call {
        wire::encode(hook)
    }

    /// Nothing is executed, so there is no output to decode.
    fn decode(&self, _hook: &Hook, _event: &EventSpec, _payload: &Payload, _run: &Run) -> Decoded {
        Decoded::Nothing
    }

    fn apply_additions(&self, _event: &EventSpec, payload: &mut Payload, additions: &Additions) {
        wire::apply_additions(payload, additions);
    }

    /// Nothing can fail and no event can block, so the verdict is always `proceed`.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Proceed, failure.clone())
    }

    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        events::fixture(event)
    }

    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        native::hook_counters(counts)
    }
}

impl Life for Skill {
    fn placement(&self, hook: &Hook, payload: &Payload) -> Placement {
        wire::placement(hook, payload)
    }

    fn warnings_before(&self, _event: &EventSpec, payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
        wire::warnings_before(payload, hooks)
    }

    fn begin_request(&self, begin: RequestBegin) -> Option<Result<Box<dyn RequestList>, Message>> {
        let list = message_list::MessageList::begin(begin);
        Some(list.map(|list| Box::new(list) as Box<dyn RequestList>))
    }

    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        simulate::simulate(scenario, host, result)
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::events::ALL, lint::messages::ALL, edit::ALL].concat()
}
