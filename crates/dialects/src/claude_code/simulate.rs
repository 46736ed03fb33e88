//! The lifecycle of a session (`claude-code.md` §3, "Lifecycle").

use futures::future::BoxFuture;
use hookwright_model::{Conversation, Life, Message, Scenario, SimulationHost, SimulationResult};

use super::ClaudeCode;
use super::answer::Memory;
use crate::hook_output::{self, TurnRules};

static TURNS: TurnRules = TurnRules {
    expansion: Some("UserPromptExpansion"),
    batch: Some("PostToolBatch"),
    failure: Some("PostToolUseFailure"),
    requests: None,
    numbers_turns: false,
    end_reason: "other",
};

impl Life for ClaudeCode {
    fn conversation(&self) -> Box<dyn Conversation> {
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
