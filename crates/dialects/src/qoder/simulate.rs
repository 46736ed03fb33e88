//! The lifecycle of a session (`qoder.md` §3, "Lifecycle").

use futures::future::BoxFuture;
use hookwright_model::event::EventSpec;
use hookwright_model::{Conversation, Hook, Life, Message, Payload, Scenario, SimulationHost, SimulationResult};

use super::Qoder;
use crate::hook_output::{self, ReportedTexts, TurnRules};

static TURNS: TurnRules = TurnRules {
    expansion: None,
    batch: None,
    failure: Some("PostToolUseFailure"),
    requests: None,
    numbers_turns: false,
    end_reason: "",
};

impl Life for Qoder {
    fn warnings_before(&self, _event: &EventSpec, _payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
        super::module::unloaded_module_warnings(hooks)
    }

    fn conversation(&self, _vars: hookwright_model::EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(ReportedTexts::default())
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
