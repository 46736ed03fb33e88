//! Simulates j-cli's lifecycle (`jcli.md` §3).
//!
//! What hooks change at `pre_llm_request` is for that request only, because an agent applies it to the request that it
//! is about to send. The next request begins with the conversation again. Context that a hook adds at `stop` stays in
//! the system prompt until the turn ends.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Life, Message, MessageOrigin, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace,
    Turn, TurnStep, VerdictKind,
};
use serde_json::{Value, json};

use super::Jcli;
use crate::simulation::{self, CallIds, TrackedMessage, TurnScript};

/// The error of a call that a hook skipped.
const SKIPPED: &str = "the call was skipped by a hook";
/// The tool message of a call that was not made because the turn or the reply ended first.
const NOT_CALLED: &str = "not called: a hook stopped it";

impl Life for Jcli {
    /// Simulates a scenario.
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
        };
        simulation.run().boxed()
    }
}

struct Simulation<'a> {
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
    /// The conversation so far.
    messages: Vec<TrackedMessage>,
    ids: CallIds,
}

/// How a turn continues after an event.
enum TurnFlow {
    /// The turn continues as planned.
    Continue,
    /// The model responds once more, with the feedback of a hook if there is one.
    AnswerAgain(Option<TrackedMessage>),
    TurnEnded,
}

/// The effect of an event's verdict on its turn.
fn turn_flow(trace: &Trace) -> TurnFlow {
    match simulation::feedback_message(trace) {
        Some(line) => TurnFlow::AnswerAgain(Some(line)),
        None if trace.verdict.kind.blocks() => TurnFlow::TurnEnded,
        None => TurnFlow::Continue,
    }
}

/// The values that last for one turn.
struct TurnState {
    number: u32,
    /// The user's message, as hooks changed it.
    user: String,
    system: String,
}

impl Simulation<'_> {
    async fn run(mut self) -> Result<(), Message> {
        self.fire("session_start", self.with_messages(&[])).await?;
        self.result.final_messages = simulation::seen_messages(&self.messages);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.result.turns.push(self.host.fired_events());
            self.run_turn(turn, number).await?;
            self.messages
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
        }
        self.fire("session_end", self.with_messages(&[])).await?;
        Ok(())
    }

    async fn run_turn(&mut self, turn: &Turn, number: u32) -> Result<(), Message> {
        let mut state = TurnState {
            number,
            user: turn.user.clone(),
            system: self.scenario.system_prompt.clone(),
        };
        match self.send_user_message(&mut state).await? {
            TurnFlow::TurnEnded => return Ok(()),
            TurnFlow::AnswerAgain(feedback) => self.messages.extend(feedback),
            TurnFlow::Continue => {}
        }
        let mut script = TurnScript::new(turn, number);
        while let Some((step_number, step)) = script.next_step() {
            match self.run_step(&mut state, step_number, step).await? {
                TurnFlow::Continue | TurnFlow::TurnEnded => return Ok(()),
                TurnFlow::AnswerAgain(feedback) => self.messages.extend(feedback),
            }
        }
        self.result.notices.push(script.ended_notice());
        Ok(())
    }

    /// Sends the user's message. A blocked message is not added to the conversation.
    async fn send_user_message(&mut self, state: &mut TurnState) -> Result<TurnFlow, Message> {
        let input = self.with_messages(&[("user_input", json!(state.user))]);
        let sent = self.fire("pre_send_message", input).await?;
        let flow = turn_flow(&sent);
        if let TurnFlow::Continue = flow {
            state.user = simulation::text_after(&sent, "user_input");
            let line = TrackedMessage::new(ChatMessage::new("user", state.user.as_str()), MessageOrigin::User);
            let hook = simulation::changed_by(&sent, "user_input");
            self.messages.push(TrackedMessage { hook, ..line });
            let input = self.with_messages(&[("user_input", json!(state.user))]);
            self.fire("post_send_message", input).await?;
        }
        Ok(flow)
    }

    /// Makes one request and handles the model's response. [`TurnFlow::Continue`] ends the turn as planned.
    async fn run_step(&mut self, state: &mut TurnState, number: u32, step: &TurnStep) -> Result<TurnFlow, Message> {
        let system = ("system_prompt", json!(state.system));
        let input = self.with_messages(&[system, self.model_field()]);
        let asked = self.fire("pre_llm_request", input).await?;
        match turn_flow(&asked) {
            TurnFlow::Continue => {}
            blocked @ (TurnFlow::AnswerAgain(_) | TurnFlow::TurnEnded) => return Ok(blocked),
        }
        let request = simulation::seen_messages(&self.request_messages(&asked));
        let events = self.host.fired_events();
        self.result
            .llm_calls
            .push(simulation::llm_call(state.number, number, events, &request));
        let messages = asked.payload_after.get("messages").cloned().unwrap_or_default();
        let output = ("assistant_output", json!(step.reply.clone().unwrap_or_default()));
        let input = payload(&[("messages", messages), self.model_field(), output]);
        let answered = self.fire("post_llm_response", input).await?;
        let before = self.messages.len();
        let flow = match turn_flow(&answered) {
            TurnFlow::Continue => {
                let ids = self.ids.assign(&step.calls);
                let calls: Vec<(String, &ToolCall)> = ids.into_iter().zip(&step.calls).collect();
                self.apply_answer(&answered, &calls);
                if calls.is_empty() {
                    self.fire_stop(state).await?
                } else {
                    self.run_calls(before, &calls).await?
                }
            }
            // A blocked response keeps its text and loses its calls.
            blocked @ (TurnFlow::AnswerAgain(_) | TurnFlow::TurnEnded) => {
                self.apply_answer(&answered, &[]);
                blocked
            }
        };
        let added = self.messages.get(before..).unwrap_or_default();
        self.result.final_messages = [request, simulation::seen_messages(added)].concat();
        Ok(flow)
    }

    /// The messages of one request as hooks changed them, after the system prompt.
    fn request_messages(&self, asked: &Trace) -> Vec<TrackedMessage> {
        let messages = asked.payload_after.get("messages").unwrap_or(&Value::Null);
        let mut request = simulation::with_origins(&self.messages, messages, asked);
        let system = simulation::text_after(asked, "system_prompt");
        if !system.is_empty() {
            let hook = simulation::changed_by(asked, "additional_context");
            let hook = hook.or_else(|| simulation::changed_by(asked, "system_prompt"));
            let line = TrackedMessage::new(ChatMessage::new("system", system), MessageOrigin::Prompt);
            request.insert(0, TrackedMessage { hook, ..line });
        }
        request
    }

    /// Adds the model's response to the conversation, as hooks changed it.
    fn apply_answer(&mut self, answered: &Trace, calls: &[(String, &ToolCall)]) {
        let text = simulation::text_after(answered, "assistant_output");
        if !calls.is_empty() || !text.is_empty() {
            let hook = simulation::changed_by(answered, "assistant_output");
            self.messages.push(TrackedMessage {
                hook,
                ..simulation::assistant_message(&text, calls)
            });
        }
    }

    /// Runs the calls of the message at index `answer`, in order, until one ends the reply.
    async fn run_calls(&mut self, answer: usize, calls: &[(String, &ToolCall)]) -> Result<TurnFlow, Message> {
        for (at, (id, call)) in calls.iter().enumerate() {
            match self.run_call(answer, at, id, call).await? {
                TurnFlow::Continue => {}
                blocked @ (TurnFlow::AnswerAgain(_) | TurnFlow::TurnEnded) => {
                    // Every call of a message needs a result. Otherwise no model would accept the conversation.
                    let rest = calls.iter().skip(at + 1);
                    self.messages
                        .extend(rest.map(|(id, _)| simulation::tool_result(id, NOT_CALLED)));
                    return Ok(blocked);
                }
            }
        }
        Ok(TurnFlow::AnswerAgain(None))
    }

    async fn run_call(&mut self, answer: usize, at: usize, id: &str, call: &ToolCall) -> Result<TurnFlow, Message> {
        let name = ("tool_name", json!(call.tool));
        let arguments = ("tool_arguments", json!(call.arguments_text()));
        let before = self
            .fire("pre_tool_execution", payload(&[name.clone(), arguments]))
            .await?;
        let error = match turn_flow(&before) {
            TurnFlow::Continue => {
                simulation::set_call_arguments(
                    &mut self.messages,
                    (answer, at),
                    simulation::text_after(&before, "tool_arguments"),
                );
                call.error.clone()
            }
            TurnFlow::AnswerAgain(_) | TurnFlow::TurnEnded if before.verdict.kind == VerdictKind::Skip => {
                Some(SKIPPED.to_owned())
            }
            blocked @ (TurnFlow::AnswerAgain(_) | TurnFlow::TurnEnded) => {
                self.messages.push(simulation::tool_result(id, NOT_CALLED));
                return Ok(blocked);
            }
        };
        let (event, field, content) = match error {
            None => ("post_tool_execution", "tool_result", call.result_text()),
            Some(error) => ("post_tool_execution_failure", "tool_error", error),
        };
        let after = self.fire(event, payload(&[name, (field, json!(content))])).await?;
        let mut content = simulation::text_after(&after, field);
        if let Some(context) = after.reply.json.get("additional_context").and_then(Value::as_str) {
            content = format!("{content}\n\n{context}");
        }
        let hook = simulation::changed_by(&after, "additional_context");
        let hook = hook.or_else(|| simulation::changed_by(&after, field));
        self.messages.push(TrackedMessage {
            hook,
            ..simulation::tool_result(id, content)
        });
        Ok(turn_flow(&after))
    }

    /// Fires `stop`: the model is about to end its reply.
    async fn fire_stop(&mut self, state: &mut TurnState) -> Result<TurnFlow, Message> {
        let system = ("system_prompt", json!(state.system));
        let input = self.with_messages(&[system, self.model_field(), ("user_input", json!(state.user))]);
        let stopped = self.fire("stop", input).await?;
        state.system = simulation::text_after(&stopped, "system_prompt");
        Ok(turn_flow(&stopped))
    }

    fn model_field(&self) -> (&'static str, Value) {
        ("model", json!(self.scenario.model))
    }

    fn with_messages(&self, fields: &[(&str, Value)]) -> Payload {
        let messages = [("messages", simulation::to_payload(&self.messages))];
        payload(&[&messages, fields].concat())
    }

    async fn fire(&mut self, event: &'static str, payload: Payload) -> Result<Trace, Message> {
        self.host.fire(event, payload).await
    }
}

fn payload(fields: &[(&str, Value)]) -> Payload {
    fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}
