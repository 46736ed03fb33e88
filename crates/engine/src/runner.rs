//! The runner of a session with an agent: it decides where each call goes.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{AgentCalls, Call, Cancelled, PlaceRequest, Run, RunContext, RunPlace, Runner};

/// Sends callbacks and prompts to the agent that offers them, and everything else to the engine's own runner.
pub struct SessionRunner {
    own: Arc<dyn Runner>,
    agent: Arc<dyn AgentCalls>,
}

impl SessionRunner {
    /// A runner for a session of this agent.
    #[must_use]
    pub fn new(own: Arc<dyn Runner>, agent: Arc<dyn AgentCalls>) -> Self {
        Self { own, agent }
    }
}

impl Runner for SessionRunner {
    fn run<'a>(&'a self, call: Call, context: RunContext) -> BoxFuture<'a, Run> {
        match call {
            Call::Callback(call) => self.agent.call_back(call, context),
            Call::Prompt(call) if self.agent.offers_model(&context) => self.agent.complete(call, context),
            call @ (Call::Prompt(_) | Call::Http(_) | Call::Process(_) | Call::Peer(_) | Call::Immediate(_)) => {
                self.own.run(call, context).boxed()
            }
        }
    }

    fn reserve<'a>(
        &'a self,
        call: &Call,
        request: PlaceRequest<'_>,
        cancelled: Cancelled,
    ) -> BoxFuture<'a, Option<RunPlace>> {
        self.own.reserve(call, request, cancelled)
    }

    fn prestart(&self, calls: Vec<(Call, RunContext)>) {
        self.own.prestart(calls);
    }

    fn close_session(&self, key: &str) {
        self.own.close_session(key);
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.own.variable(name)
    }
}
