//! Simulates the agent's lifecycle (`agent-hooks.md` §3).
//!
//! Context that hooks add is a separate message. For tool calls it comes after all their results, because the calls and
//! results of one reply belong together. If an event is blocked at which the agent decides, a notice is added and the
//! simulation continues. A simulation has no user to ask, so `ask` blocks the call.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Conversation, Life, Message, MessageOrigin, Notice, Payload, Scenario, SimulationHost,
    SimulationResult, ToolCall, Trace, Turn, TurnStep, VerdictKind, args, render,
};
use serde_json::{Value, json};

use super::AgentHooks;
use super::events::{BEFORE_STOP, CONTEXT};
use super::messages::answers::{BLOCKED_STOP, BLOCKED_TOOL, SIMULATION_CONTINUES};
use crate::simulation::{self, CallIds, TrackedMessage, TurnScript};

impl Life for AgentHooks {
    fn conversation(&self, _vars: hookwright_model::EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(super::session::TurnState::default())
    }

    /// Simulates all turns of a scenario.
    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        let simulation = Simulation {
            scenario,
            host,
            result,
            messages: simulation::history_messages(&scenario.messages),
            ids: CallIds::default(),
            steps: 0,
        };
        simulation.run().boxed()
    }
}

struct Simulation<'a> {
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
    /// The messages of the conversation.
    messages: Vec<TrackedMessage>,
    ids: CallIds,
    /// The number of model requests in the whole session.
    steps: u32,
}

/// Whether a turn continues after a reply of the model.
enum TurnFlow {
    Continue,
    TurnEnded,
}

impl Simulation<'_> {
    async fn run(mut self) -> Result<(), Message> {
        let start = [("model", json!(self.scenario.model)), ("args", json!({}))];
        self.fire_advisory("session_start", &start).await?;
        self.result.final_messages = simulation::seen_messages(&self.messages);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.result.turns.push(self.host.fired_events());
            self.run_turn(turn, number).await?;
            self.messages
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
        }
        let end = [
            ("duration_seconds", json!(0)),
            ("total_steps", json!(self.steps)),
            ("exit_reason", json!("")),
        ];
        self.fire_advisory("session_end", &end).await
    }

    /// Fires an event at which the agent decides about a block. The simulation continues, with a notice.
    async fn fire_advisory(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<(), Message> {
        let trace = self.fire(event, fields).await?;
        if trace.verdict.kind.blocks() {
            let args = args! { "event" => event, "verdict" => trace.verdict.kind.as_str() };
            let notice = Notice::warning(SIMULATION_CONTINUES.render(args), trace.verdict.by.as_deref());
            self.result.notices.push(notice);
        }
        self.messages.extend(contexts(&trace));
        Ok(())
    }

    async fn run_turn(&mut self, turn: &Turn, number: u32) -> Result<(), Message> {
        let user_message = ChatMessage::new("user", turn.user.as_str());
        self.messages
            .push(TrackedMessage::new(user_message, MessageOrigin::User));
        self.fire_advisory("before_agent", &[]).await?;
        let mut script = TurnScript::new(turn, number);
        let mut flow = TurnFlow::Continue;
        while let TurnFlow::Continue = flow {
            let Some((step_number, step)) = script.next_step() else {
                self.result.notices.push(script.ended_notice());
                break;
            };
            flow = self.run_step(number, step_number, step).await?;
        }
        self.fire_advisory("after_agent", &[]).await
    }

    /// One model request, and everything that follows from its reply.
    async fn run_step(&mut self, turn: u32, number: u32, step: &TurnStep) -> Result<TurnFlow, Message> {
        self.steps += 1;
        let request = simulation::seen_messages(&simulation::with_system_prompt(
            &self.scenario.system_prompt,
            &self.messages,
        ));
        let events = self.host.fired_events();
        self.result
            .llm_calls
            .push(simulation::llm_call(turn, number, events, &request));
        let before = self.messages.len();
        let calls = simulation::record_reply(step, &mut self.ids, &mut self.messages);
        let flow = if calls.is_empty() {
            self.fire_stop(number, step.reply.as_deref()).await?
        } else {
            let mut added = Vec::new();
            for (at, (id, call)) in calls.iter().enumerate() {
                self.run_call(before, at, id, call, &mut added).await?;
            }
            self.messages.append(&mut added);
            TurnFlow::Continue
        };
        let added = self.messages.get(before..).unwrap_or_default();
        self.result.final_messages = [request, simulation::seen_messages(added)].concat();
        Ok(flow)
    }

    /// One tool call. Contexts that hooks add are collected in `added`.
    async fn run_call(
        &mut self,
        answer: usize,
        at: usize,
        id: &str,
        call: &ToolCall,
        added: &mut Vec<TrackedMessage>,
    ) -> Result<(), Message> {
        let mut fields = vec![
            ("tool_name", json!(call.tool)),
            ("tool_input", call.arguments.clone()),
            ("tool_use_id", json!(id)),
        ];
        let before = self.fire("before_tool", &fields).await?;
        if before.verdict.kind.blocks() {
            self.messages.push(blocked_result(&before, id));
            return Ok(());
        }
        added.extend(contexts(&before));
        if let Some(input) = before
            .payload_after
            .get("tool_input")
            .filter(|input| **input != call.arguments)
        {
            simulation::set_call_arguments(&mut self.messages, (answer, at), input.to_string());
            fields[1].1 = input.clone();
        }
        let (event, content) = match &call.error {
            None => {
                let output = call.result.clone().unwrap_or_else(|| json!(""));
                fields.extend([("tool_output", output), ("error", Value::Null)]);
                ("after_tool", call.result_text())
            }
            Some(error) => {
                fields.extend([("tool_output", Value::Null), ("error", json!(error))]);
                ("after_tool_failure", error.clone())
            }
        };
        fields.push(("duration_ms", json!(0)));
        let after = self.fire(event, &fields).await?;
        self.messages.push(if after.verdict.kind.blocks() {
            blocked_result(&after, id)
        } else {
            simulation::tool_result(id, content)
        });
        added.extend(contexts(&after));
        Ok(())
    }

    /// The model called no tool, so the agent is about to stop.
    async fn fire_stop(&mut self, number: u32, reply: Option<&str>) -> Result<TurnFlow, Message> {
        let message = reply.map_or(Value::Null, |text| json!({"role": "assistant", "content": text}));
        let fields = [
            ("stop_reason", json!("no_tool_calls")),
            ("step_count", json!(number)),
            ("final_message", message),
        ];
        let stopped = self.fire(BEFORE_STOP, &fields).await?;
        if stopped.verdict.kind != VerdictKind::Retry {
            self.messages.extend(contexts(&stopped));
            return Ok(TurnFlow::TurnEnded);
        }
        let reason = stopped.verdict.reason.as_deref().unwrap_or_default();
        let feedback = render!(BLOCKED_STOP, "reason" => reason).text;
        let line = TrackedMessage::from_hook(ChatMessage::new("user", feedback), stopped.verdict.by.clone());
        self.messages.push(line);
        Ok(TurnFlow::Continue)
    }

    async fn fire(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<Trace, Message> {
        let payload: Payload = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        self.host.fire(event, payload).await
    }
}

/// What the model receives for a call that was blocked, or whose result was blocked.
fn blocked_result(trace: &Trace, id: &str) -> TrackedMessage {
    let reason = trace.verdict.reason.as_deref().unwrap_or_default();
    let content = render!(BLOCKED_TOOL, "reason" => reason).text;
    TrackedMessage {
        hook: trace.verdict.by.clone(),
        ..simulation::tool_result(id, content)
    }
}

/// The contexts that reach the agent, each as a message of its hook.
fn contexts(trace: &Trace) -> Vec<TrackedMessage> {
    if trace.reply.json.get(CONTEXT).is_none() {
        return Vec::new();
    }
    simulation::added_messages(trace, CONTEXT)
}
