//! The dialect `picoclaw`: processes that live as long as the session and respond with JSON-RPC (`picoclaw.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it only translates.
//!
//! How it works: [`events`] are the tables. [`config`] and [`entry`] read files, [`registration`] what an agent
//! registers for its session. [`wire`], [`protocol`] and [`answer`]
//! translate between events and processes. [`lint`] gives advice, [`simulate`] runs a scenario. An entry becomes one
//! [`Hook`] per event that it serves, and all these hooks have the same id.

mod answer;
mod config;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod lifecycle_map;
pub mod lint;
mod messages;
pub mod native;
mod parsed_entry;
pub mod protocol;
mod registration;
mod schema;
mod simulate;
mod wire;

use std::path::Path;

pub(crate) use entry::with_its_pair;
use futures::future::BoxFuture;
use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Card, ConflictReport, Decoded, Dialect, DialectSettings, DirProbe, EditContext, EditPlan,
    EditRequest, End, Files, Hook, HookCounts, InnerFolder, Life, LintContext, Locations, Message, MessageTemplate,
    Parsed, Problem, Reply, Resolution, Root, Run, Scenario, SessionRegistration, SimulationHost, SimulationResult,
    SourceTree, Verdict, VerdictKind, Wire, args,
};
use serde_json::{Map, Value};

use crate::editing;
use crate::relay;

/// The dialect `picoclaw`.
#[derive(Debug, Clone, Copy)]
pub struct Picoclaw;

impl Dialect for Picoclaw {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

impl Files for Picoclaw {
    fn roots(&self, places: &Locations, _dirs: &dyn DirProbe) -> Vec<Root> {
        config::roots(places)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        config::parse(tree)
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(registration::read(registration))
    }

    fn resolve_conflicts(&self, hooks: &[&Hook], _folders: &[InnerFolder]) -> ConflictReport {
        config::resolve_conflicts(hooks)
    }

    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        config::detect_root(path, places)
    }

    fn definition_to_add(&self, _tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
        edit::definition_to_add(hook)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&edit::Processes, context, request))
    }

    /// One entry that serves all events. Only `hooks.defaults` has timeouts, and they hold for all entries of the file,
    /// so they stay as they are.
    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let arguments = relay::hook_arguments(events::CARD.id);
        let command: Vec<&str> = std::iter::once(relay).chain(arguments).collect();
        let fields = relay::fields_of(&[
            ("name", Value::from(relay::RELAY_PROGRAM)),
            ("enabled", Value::from(true)),
            ("command", Value::from(command)),
            ("observe", Value::from(vec!["*"])),
            ("intercept", Value::from(entry::POINTS.to_vec())),
        ]);
        vec![(events::CARD.first, fields)]
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        lint::lint(context)
    }
}

impl Wire for Picoclaw {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        wire::accept(event, payload, defaults)
    }

    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, event, payload, project)
    }

    fn apply_settings(&self, call: Call, settings: &DialectSettings) -> Call {
        wire::apply_settings(call, settings)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, payload, run)
    }

    fn apply_additions(&self, _event: &EventSpec, _payload: &mut Payload, _additions: &Additions) {}

    fn closed_verdict(&self, hook: &Hook, _failure: &Message, end: Option<End>) -> (VerdictKind, Message) {
        let template = if end == Some(End::TimedOut) {
            messages::answers::APPROVER_TIMED_OUT
        } else {
            messages::answers::APPROVER_FAILED
        };
        (VerdictKind::Deny, template.render(args! { "name" => hook.label }))
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(event, resolution)
    }

    /// The counters that `picoclaw.md` §10 has in addition to the common ones. The handshake time is the mean of all
    /// answered handshakes.
    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        native::hook_counters(counts)
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }
}

impl Life for Picoclaw {
    fn warnings_after(&self, event: &EventSpec, payload: &Payload, verdict: &Verdict, hooks: &[&Hook]) -> Vec<Message> {
        let approvers = hooks.iter().filter(|hook| hook.event == "approve_tool").count();
        if event.name != "before_tool" || verdict.kind != VerdictKind::Respond || approvers == 0 {
            return Vec::new();
        }
        let tool = payload.get("tool").and_then(Value::as_str).unwrap_or_default();
        let args = args! { "by" => verdict.by, "tool" => tool, "count" => approvers };
        vec![messages::answers::APPROVERS_SKIPPED.render(args)]
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
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
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
            let payload = Picoclaw.fixture(event);
            for field in event.fields {
                let value = payload
                    .get(field.name)
                    .unwrap_or_else(|| panic!("{} lacks {}", event.name, field.name));
                assert_ne!(value, "", "{} {}", event.name, field.name);
            }
            assert_eq!(payload.len(), event.fields.len(), "{}", event.name);
        }
    }
}
