//! The lifecycle of a session (`codex.md` §3, "Lifecycle").

use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{Conversation, Hook, Life, Message, Scenario, SimulationHost, SimulationResult, render};

use super::Codex;
use super::messages::answers;
use super::wire::Memory;
use crate::hook_output::{self, TurnRules};

static TURNS: TurnRules = TurnRules {
    expansion: None,
    batch: None,
    failure: None,
    requests: Some(("PreModelRequest", "PostModelRequest")),
    numbers_turns: true,
    end_reason: "other",
};

impl Life for Codex {
    /// Names the hooks of the event that Codex skips.
    fn warnings_before(&self, event: &EventSpec, _payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
        let runs = |hook: &&&Hook| hook.event == event.name && hook.invalid.is_none() && hook.disabled_reason.is_none();
        let skipped = hooks.iter().filter(runs).filter_map(|hook| {
            let state = hook.agent_trust.filter(|state| state.is_skipped())?;
            Some((hook.label.as_str(), state.as_str()))
        });
        let (labels, mut states): (Vec<&str>, Vec<&str>) = skipped.unzip();
        states.sort_unstable();
        states.dedup();
        if labels.is_empty() {
            return Vec::new();
        }
        let (labels, states) = (labels.join(", "), states.join(", "));
        vec![render!(answers::AGENT_SKIPS, "labels" => labels, "states" => states)]
    }

    fn conversation(&self, _vars: hookwright_model::EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(Memory::default())
    }

    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        hook_output::simulate(&TURNS, scenario, host, result)
    }
}
