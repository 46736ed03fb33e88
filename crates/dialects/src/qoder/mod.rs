//! Qoder: all hooks run at once on the same input, and the strictest decision wins (`qoder.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables. [`roots`] lists the files. [`settings`] and [`entry`] read
//! settings files, and [`edit`] changes them. [`module`] reads what a module's [`bridge`] reported, [`registration`] what
//! an agent registers for its session. [`wire`] builds
//! calls and replies, [`answer`] and [`fields`] read outputs. [`simulate`] runs scenarios and [`lint`] checks hooks.

mod answer;
mod bridge;
mod edit;
mod entry;
pub mod events;
mod fields;
mod fixtures;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod module;
mod registration;
mod roots;
mod schema;
mod settings;
mod simulate;
mod wire;

use std::path::Path;

use futures::future::BoxFuture;
use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Card, Conversation, Decoded, Dialect, DirProbe, EditContext, EditPlan, EditRequest, End, Files,
    Hook, Life, LintContext, Locations, Message, MessageTemplate, Parsed, PathStep, Problem, Reply, Resolution, Root,
    Run, Scenario, SessionRegistration, SimulationHost, SimulationResult, SourceTree, VerdictKind, Wire,
};
use serde_json::{Map, Value};

use crate::editing::{self, numbered_key};
use crate::relay;

/// The time limit of the relay's hooks, in seconds. A chain has no limit of its own, and this is far above the limit of
/// most hooks.
const RELAY_TIMEOUT_S: u32 = 600;

/// The dialect of Qoder.
#[derive(Debug, Clone, Copy)]
pub struct Qoder;

impl Dialect for Qoder {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

impl Files for Qoder {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        roots::roots(places)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        settings::parse(tree)
    }

    fn definition_to_add(&self, tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
        edit::LISTS.definition_to_add(tree, hook)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&edit::LISTS, context, request))
    }

    fn expand_module(&self, module: &Hook, reported: &Value) -> Parsed {
        module::expand_module(module, reported)
    }

    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        roots::detect_root(path, places)
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(registration::read(registration))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let fields = [
            ("type", Value::from("command")),
            ("timeout", Value::from(RELAY_TIMEOUT_S)),
        ];
        relay::command_hooks(&events::CARD, relay, &fields)
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let [
            _,
            PathStep::Key(event, nth),
            PathStep::Item(group),
            _,
            PathStep::Item(_),
        ] = hook.at.as_slice()
        else {
            return None;
        };
        let layer = hook.source.layer.id_prefix("qoder");
        let file = settings::id_part(&hook.source.path);
        Some(format!("{layer}{}:{file}.{group}", numbered_key(event, *nth)))
    }

    fn found_by_scan(&self, path: &Path) -> bool {
        roots::found_by_scan(path)
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        lint::lint(context)
    }
}

impl Wire for Qoder {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        wire::accept(event, payload, defaults)
    }

    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, event, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, payload, run)
    }

    /// Changes nothing: no addition belongs into the payload.
    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    /// Denies. Qoder's hooks always fail open, but if the engine asks, this is the strictest verdict that every event
    /// understands.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(event, resolution)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }
}

impl Life for Qoder {
    fn warnings_before(&self, _event: &EventSpec, _payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
        module::unloaded_module_warnings(hooks)
    }

    fn conversation(&self) -> Box<dyn Conversation> {
        Box::new(answer::ReportedTexts::default())
    }

    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        stage: &'a mut dyn SimulationHost,
        played: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        simulate::simulate(scenario, stage, played)
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
}
