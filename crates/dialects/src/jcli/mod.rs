//! j-cli: hooks that rewrite a conversation field by field (`jcli.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables, and [`schema`] the fields of a definition. [`config`] and [`definition`] read files, [`edit`] changes them.
//! [`wire`] and [`prompt`] build calls and replies, [`answer`] reads outputs. [`simulate`] runs scenarios and [`lint`]
//! checks hooks.

mod answer;
mod config;
mod definition;
mod edit;
pub mod events;
mod fixtures;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod prompt;
pub(crate) mod schema;
mod simulate;
mod wire;

use std::path::Path;

use futures::future::BoxFuture;
use hookwright_model::event::{EventDefaults, EventSpec, Payload};
use hookwright_model::{
    Additions, Call, Card, Decoded, Dialect, DirProbe, EditContext, EditPlan, EditRequest, End, Files, Hook,
    HookCounts, Layer, Life, LintContext, Locations, Message, MessageTemplate, Outcome, Parsed, PathStep, Problem,
    Reply, Resolution, Root, Run, Scenario, SessionRegistration, SimulationHost, SimulationResult, SourceTree,
    VerdictKind, Wire,
};
use serde_json::{Map, Value};

use crate::editing::{self, numbered_key};
use crate::relay;

pub use prompt::PLACEHOLDERS;

pub(crate) use crate::suggest::nearest;

/// The time limit of the relay's hooks, in seconds: above the 30 s that the engine has for a chain (`jcli.md` §8).
const RELAY_TIMEOUT_S: u32 = 35;

/// The dialect of j-cli.
#[derive(Debug, Clone, Copy)]
pub struct Jcli;

impl Dialect for Jcli {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

impl Files for Jcli {
    fn roots(&self, places: &Locations, dirs: &dyn DirProbe) -> Vec<Root> {
        config::roots(places, dirs)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        config::parse(tree)
    }

    fn definition_to_add(&self, tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
        edit::LISTS.definition_to_add(tree, hook)
    }

    fn edit(&self, context: &EditContext<'_>, request: &EditRequest) -> Option<Result<EditPlan, Message>> {
        Some(editing::edit(&edit::LISTS, context, request))
    }

    fn detect_root(&self, path: &Path, places: &Locations) -> Option<Root> {
        config::detect_root(path, places)
    }

    fn session_hooks(&self, registration: &SessionRegistration<'_>) -> Option<Result<Vec<Hook>, Message>> {
        Some(definition::read_registration(registration))
    }

    fn relay_hooks(&self, relay: &str) -> Vec<(&'static str, Map<String, Value>)> {
        let fields = [("timeout", Value::from(RELAY_TIMEOUT_S))];
        relay::command_hooks(&events::CARD, relay, &fields)
    }

    fn relay_notice(&self, places: &Locations, dirs: &dyn DirProbe) -> Option<Message> {
        config::hook_folder_notice(places, dirs)
    }

    fn order_list(&self, hook: &Hook) -> Option<String> {
        let [PathStep::Key(event, nth), PathStep::Item(_)] = hook.at.as_slice() else {
            return None;
        };
        let list = || format!("{}{}", hook.source.layer.id_prefix("jcli"), numbered_key(event, *nth));
        matches!(hook.source.layer, Layer::User | Layer::Project).then(list)
    }

    fn misplaced(&self, places: &Locations) -> Option<Message> {
        config::relative_data_path(places).map(|(message, _)| message)
    }

    fn lint(&self, context: &LintContext<'_>) -> Vec<Problem> {
        let place = config::relative_data_path(context.locations);
        let place = place.map(|(message, path)| Problem::new(message, &path, None));
        place.into_iter().chain(lint::lint(context)).collect()
    }
}

impl Wire for Jcli {
    fn accept(&self, event: &EventSpec, payload: &mut Payload, defaults: &EventDefaults) -> Result<(), Message> {
        wire::accept(event, payload, defaults)
    }

    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, event, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, run)
    }

    fn apply_additions(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions) {
        wire::apply_additions(event, payload, additions);
    }

    fn closed_verdict(&self, _hook: &Hook, failure: &Message, _end: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Stop, failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(event, resolution)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn native_hook_counters(&self, counts: &HookCounts) -> Vec<(&'static str, f64)> {
        vec![
            ("executions", counts.attempts as f64),
            ("successes", counts.successes as f64),
            ("failures", counts.failures as f64),
            ("skipped", counts.sum_of(&[Outcome::NotMatched]) as f64),
            ("total_duration_ms", counts.total_ms),
        ]
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }
}

impl Life for Jcli {
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
        for template in messages::ALL.iter().chain(lint::messages::ALL).chain(crate::yaml::ALL) {
            assert!(Code::from_name(template.code).is_some(), "{}", template.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = Jcli.fixture(event);
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
