//! The dialect `agent-hooks`: each folder is a hook, a HOOK.md next to a script that decides by its exit code
//! (`agent-hooks.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it only translates.
//!
//! How it works: [`events`] are the tables. [`roots`] knows the folders of hooks and resolves repeated names.
//! [`definition`] and [`entry`] read a folder. [`wire`] translates to a script, [`answer`] reads its output.
//! [`session`] counts continuations, [`simulate`] runs a scenario, [`lint`] gives advice.

mod answer;
mod definition;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod name;
mod native;
mod roots;
mod schema;
mod session;
mod simulate;
mod wire;

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Card, ConflictReport, Conversation, Decoded, Dialect, DirProbe, EditContext, EditPlan,
    EditRequest, End, Files, Hook, HookCounts, InnerFolder, Life, LintContext, Locations, Message, MessageTemplate,
    Parsed, Problem, Reply, Resolution, Root, Run, Scenario, SimulationHost, SimulationResult, SourceTree, Step,
    ToolCounts, Trace, VerdictKind, Wire,
};
use serde_json::{Map, Value};

use crate::editing;
use crate::relay;

/// The beginning of the names of the relay's hooks; the event follows (`CONTRACTS.md` §4).
const RELAY_NAME: &str = "hookwright-relay-";

/// The time limit of the relay's hooks, in milliseconds: the longest one that is not reported (`agent-hooks.md` §2). A
/// chain has no limit of its own.
const RELAY_TIMEOUT_MS: u32 = 600_000;

/// The dialect `agent-hooks`, as in Kimi Code CLI.
#[derive(Debug, Clone, Copy)]
pub struct AgentHooks;

impl Dialect for AgentHooks {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

impl Files for AgentHooks {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        roots::roots(places)
    }

    fn referenced_files(&self, tree: &SourceTree) -> Vec<PathBuf> {
        roots::referenced_files(tree)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        definition::parse(tree)
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _folders: &[InnerFolder]) -> ConflictReport {
        roots::resolve_conflicts(hooks)
    }

    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        roots::detect_root(path, places)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&edit::HookFolders, context, request))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let script = format!("#!/bin/sh\nexec {}\n", relay::hook_command(events::CARD.id, relay));
        let hook = |event: &EventSpec| {
            let fields = [
                ("name", Value::from(format!("{RELAY_NAME}{}", event.name))),
                (
                    "description",
                    Value::from(format!("Sends {} to Hookwright", event.name)),
                ),
                ("trigger", Value::from(event.name)),
                ("timeout", Value::from(RELAY_TIMEOUT_MS)),
                ("script", Value::from(script.as_str())),
            ];
            (event.name, relay::fields_of(&fields))
        };
        events::CARD.events.iter().map(hook).collect()
    }

    fn relay_notice(&self, places: &Locations, dirs: &dyn DirProbe) -> Option<Message> {
        roots::released_agent_notice(places, dirs)
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        lint::lint(context)
    }
}

impl Wire for AgentHooks {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        wire::accept(event, payload, defaults)
    }

    fn encode(&self, hook: &Hook, _event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, run)
    }

    /// Contexts are for the model and are not part of the payload.
    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    /// Hooks always fail open. If the engine asks anyway, the call is denied with the failure's message.
    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Deny, failure.clone())
    }

    fn user_messages(&self, _event: &EventSpec, resolution: &Resolution) -> Vec<Message> {
        wire::user_messages(resolution)
    }

    fn reply(&self, _event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(resolution)
    }

    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        native::hook_counters(counts)
    }

    fn native_tool_counters(&self, counts: &ToolCounts) -> Vec<(&'static str, f64)> {
        native::tool_counters(counts)
    }

    fn debug_lines(&self, trace: &Trace, step: &Step) -> Vec<String> {
        native::debug_lines(trace, step)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }
}

impl Life for AgentHooks {
    fn conversation(&self) -> Box<dyn Conversation> {
        Box::new(session::TurnState::default())
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
    [
        messages::ALL,
        messages::answers::ALL,
        messages::connecting::ALL,
        lint::messages::ALL,
        edit::ALL,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::problem::Code;

    #[test]
    fn messages_about_files_have_problem_codes() {
        for template in messages::ALL.iter().chain(lint::messages::ALL) {
            assert!(Code::from_name(template.code).is_some(), "{}", template.key());
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
