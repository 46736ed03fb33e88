//! The lifecycle of a session (`claude-code.md` §3, "Lifecycle").

use std::time::Duration;

use futures::future::BoxFuture;
use hookwright_model::{
    Conversation, EngineVars, EventSpec, Hook, Life, Message, Scenario, SimulationHost, SimulationResult,
};

use super::answer::Memory;
use super::{ClaudeCode, plugins};
use crate::hook_output::{self, TurnRules};

static TURNS: TurnRules = TurnRules {
    expansion: Some("UserPromptExpansion"),
    batch: Some("PostToolBatch"),
    failure: Some("PostToolUseFailure"),
    requests: None,
    numbers_turns: false,
    end_reason: "other",
};

/// The event at the end of a session, and the variable that sets how many milliseconds its hooks have.
const LAST_EVENT: &str = "SessionEnd";
const LAST_EVENT_VAR: &str = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";
/// How long they have without it, and at most.
const LAST_BUDGET: Duration = Duration::from_millis(1500);
const MOST_LAST_BUDGET: Duration = Duration::from_secs(60);

/// How long the hooks at the end of a session have: the longest time limit of one in a settings file.
fn last_budget(hooks: &[&Hook]) -> Duration {
    let of_settings = hooks
        .iter()
        .filter(|hook| plugins::folder_of_hook(&hook.source.path).is_none());
    let longest = of_settings.filter_map(|hook| own_timeout(hook)).max();
    longest.unwrap_or_default().clamp(LAST_BUDGET, MOST_LAST_BUDGET)
}

/// The time limit that the definition of a hook sets.
fn own_timeout(hook: &Hook) -> Option<Duration> {
    hook.definition.get("timeout").map(|_| hook.timeout)
}

impl Life for ClaudeCode {
    fn conversation(&self, vars: EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(Memory::new(vars))
    }

    /// At the end of a session all hooks share one time limit.
    fn budget(&self, event: &EventSpec, hooks: &[&Hook], vars: EngineVars<'_>) -> Option<Duration> {
        if event.name == LAST_EVENT {
            let set = vars(LAST_EVENT_VAR).and_then(|text| text.trim().parse().ok());
            Some(set.map_or_else(|| last_budget(hooks), Duration::from_millis))
        } else {
            event.chain.budget
        }
    }

    fn time_limit(&self, hook: &Hook, left: Option<Duration>) -> Duration {
        match left {
            Some(left) if own_timeout(hook).is_none() => left,
            Some(left) => left.min(hook.timeout),
            None => hook.timeout,
        }
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
