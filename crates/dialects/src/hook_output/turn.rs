//! Simulates the lifecycle of an agent of this family: a session, its turns, and the loop of calls in a turn.
//!
//! Context that hooks add is a separate message. With tool calls it comes after their results, because the calls of a
//! message and their results belong together.
//!
//! There is no user to ask. A call that no hook decides about is made, because the script has a result for it. A notice
//! reports that.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Message, MessageOrigin, Notice, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace,
    Turn, TurnStep, VerdictKind, render,
};
use serde_json::{Value, json};

use super::NO_USER_TO_ASK;
use crate::simulation::{self, CallIds, TrackedMessage, TurnScript};

/// The tool message of a call that was denied without a reason.
const DENIED: &str = "the call was denied by a hook";
/// The tool message of a call that was not made because the session or the turn ended first.
const NOT_CALLED: &str = "not called: a hook ended it";

/// How the lifecycles of these agents differ.
#[derive(Debug)]
pub struct TurnRules {
    /// The event at which a prompt that begins with `/` becomes another one; `None` if there is none.
    pub expansion: Option<&'static str>,
    /// The event after all calls of a message; `None` if there is none.
    pub batch: Option<&'static str>,
    /// The event after a call that failed; `None` if there is none.
    pub failure: Option<&'static str>,
    /// The events before and after each request to the model; `None` if there are none.
    pub requests: Option<(&'static str, &'static str)>,
    /// Whether the events of a turn have its id.
    pub numbers_turns: bool,
    /// The reason with which a session ends.
    pub end_reason: &'static str,
}

/// Simulates a scenario.
pub fn simulate<'a>(
    rules: &'static TurnRules,
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
) -> BoxFuture<'a, Result<(), Message>> {
    let simulation = Simulation {
        rules,
        scenario,
        host,
        result,
        messages: simulation::history_messages(&scenario.messages),
        ids: CallIds::default(),
        turn_id: None,
        pending_messages: Vec::new(),
    };
    simulation.run().boxed()
}

struct Simulation<'a> {
    rules: &'static TurnRules,
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
    /// The conversation so far.
    messages: Vec<TrackedMessage>,
    ids: CallIds,
    /// The id of the present turn, if its events have one.
    turn_id: Option<String>,
    /// Messages of hooks about the current calls. They follow the results of these calls.
    pending_messages: Vec<TrackedMessage>,
}

/// How a turn continues after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnFlow {
    /// The model responds once more.
    AnswerAgain,
    TurnEnded,
    SessionEnded,
}

/// A call that the model requests.
struct RequestedCall<'a> {
    /// The index of its message in the conversation, and its index in that message.
    position: (usize, usize),
    id: &'a str,
    script: &'a ToolCall,
    input: Value,
}

impl Simulation<'_> {
    async fn run(mut self) -> Result<(), Message> {
        // A session that begins with a history is a resumed one.
        let source = if self.scenario.messages.is_empty() {
            "startup"
        } else {
            "resume"
        };
        let started = self.fire("SessionStart", &[("source", json!(source))]).await?;
        self.messages.extend(context_messages(&started));
        self.messages.extend(first_message(&started));
        self.result.final_messages = simulation::seen_messages(&self.messages);
        let is_first_ended = end_flow(&started) == Some(TurnFlow::TurnEnded);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.result.turns.push(self.host.fired_events());
            if number == 1 && is_first_ended {
                continue;
            }
            self.turn_id = self.rules.numbers_turns.then(|| format!("turn_{number}"));
            let flow = self.run_turn(turn, number).await?;
            self.turn_id = None;
            self.messages
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
            if flow == TurnFlow::SessionEnded {
                break;
            }
        }
        self.fire("SessionEnd", &[("reason", json!(self.rules.end_reason))])
            .await
            .map(drop)
    }

    async fn run_turn(&mut self, turn: &Turn, number: u32) -> Result<TurnFlow, Message> {
        let sent = self.fire("UserPromptSubmit", &[("prompt", json!(turn.user))]).await?;
        if sent.verdict.kind.blocks() {
            // A blocked prompt is not added to the conversation.
            return Ok(end_flow(&sent).unwrap_or(TurnFlow::TurnEnded));
        }
        let message = ChatMessage::new("user", turn.user.as_str());
        self.messages.push(TrackedMessage::new(message, MessageOrigin::User));
        self.messages.extend(context_messages(&sent));
        if let Some((event, command)) = self.rules.expansion.zip(turn.user.strip_prefix('/')) {
            let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
            let fields = [
                ("expansion_type", json!("slash_command")),
                ("command_name", json!(name)),
                ("command_args", json!(arguments)),
                ("prompt", json!(turn.user)),
            ];
            let expanded = self.fire(event, &fields).await?;
            if expanded.verdict.kind.blocks() {
                self.messages.pop();
                return Ok(end_flow(&expanded).unwrap_or(TurnFlow::TurnEnded));
            }
            self.messages.extend(context_messages(&expanded));
        }
        let mut script = TurnScript::new(turn, number);
        let mut retried = false;
        loop {
            let Some((step_number, step)) = script.next_step() else {
                self.result.notices.push(script.ended_notice());
                return Ok(TurnFlow::TurnEnded);
            };
            match self.run_step(number, step_number, step, &mut retried).await? {
                TurnFlow::AnswerAgain => {}
                over @ (TurnFlow::TurnEnded | TurnFlow::SessionEnded) => return Ok(over),
            }
        }
    }

    /// Makes one request and handles the model's response.
    async fn run_step(
        &mut self,
        turn: u32,
        number: u32,
        step: &TurnStep,
        retried: &mut bool,
    ) -> Result<TurnFlow, Message> {
        let request = simulation::seen_messages(&simulation::with_system_prompt(
            &self.scenario.system_prompt,
            &self.messages,
        ));
        let events = self.host.fired_events();
        self.result
            .llm_calls
            .push(simulation::llm_call(turn, number, events, &request));
        let asked = [
            ("kind", json!("sampling")),
            ("request_id", json!(format!("request_{turn}_{number}"))),
            ("attempt_number", json!(1)),
            ("thread_id", json!("")),
        ];
        if let Some((event, _)) = self.rules.requests {
            self.fire(event, &asked).await?;
        }
        let before = self.messages.len();
        let calls = simulation::record_reply(step, &mut self.ids, &mut self.messages);
        if let Some((_, event)) = self.rules.requests {
            let nothing = ["error", "token_usage", "response_id"].map(|name| (name, Value::Null));
            let answered = [("status", json!("completed"))].into_iter().chain(nothing);
            let fields: Vec<(&str, Value)> = asked.into_iter().chain(answered).collect();
            self.fire(event, &fields).await?;
        }
        let flow = if calls.is_empty() {
            self.fire_stop(step.reply.as_deref(), retried).await?
        } else {
            self.run_calls(before, &calls).await?
        };
        let added = self.messages.get(before..).unwrap_or_default();
        self.result.final_messages = [request, simulation::seen_messages(added)].concat();
        Ok(flow)
    }

    /// Runs the calls of a message in order.
    async fn run_calls(&mut self, answer: usize, calls: &[(String, &ToolCall)]) -> Result<TurnFlow, Message> {
        let mut flow = TurnFlow::AnswerAgain;
        let mut made_calls = Vec::new();
        for (at, (id, script)) in calls.iter().enumerate() {
            if flow == TurnFlow::AnswerAgain {
                let input = script.arguments.clone();
                let position = (answer, at);
                let (made, then) = self
                    .run_call(RequestedCall {
                        position,
                        id,
                        script,
                        input,
                    })
                    .await?;
                made_calls.push(made);
                flow = then;
            } else {
                // Every call of a message needs a result. Otherwise no model would accept the conversation.
                self.messages.push(simulation::tool_result(id, NOT_CALLED));
            }
        }
        self.messages.append(&mut self.pending_messages);
        if let Some(event) = self.rules.batch.filter(|_| flow == TurnFlow::AnswerAgain) {
            let batch = self.fire(event, &[("tool_calls", json!(made_calls))]).await?;
            self.messages.extend(context_messages(&batch));
            flow = end_flow(&batch).unwrap_or(flow);
        }
        Ok(flow)
    }

    /// Makes a call. Returns it with what the model was told, and how the turn continues.
    async fn run_call(&mut self, call: RequestedCall<'_>) -> Result<(Value, TurnFlow), Message> {
        let (id, tool) = (call.id, call.script.tool.as_str());
        let before = self.messages.len();
        let (input, flow) = self.decide_call(call).await?;
        let mut results = self.messages.get(before..).unwrap_or_default().iter();
        let result = results.find(|line| line.message.role == "tool");
        let response = result.map(|line| line.message.content.clone());
        let made = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response });
        Ok((made, flow))
    }

    async fn decide_call(&mut self, mut call: RequestedCall<'_>) -> Result<(Value, TurnFlow), Message> {
        let before = self.fire("PreToolUse", &call.payload_fields()).await?;
        self.pending_messages.extend(context_messages(&before));
        if matches!(before.verdict.kind, VerdictKind::Deny | VerdictKind::EndSession) || is_denied(&before) {
            let flow = self.block_call(&call, &before);
            return Ok((call.input, flow));
        }
        self.apply_input(&mut call, &before);
        if before.verdict.kind == VerdictKind::Ask {
            let asked = self.fire("PermissionRequest", &call.permission_fields()).await?;
            if asked.verdict.kind.blocks() {
                let flow = self.block_call(&call, &asked);
                return Ok((call.input, flow));
            }
            if asked.verdict.kind == VerdictKind::Proceed {
                let message = render!(NO_USER_TO_ASK, "tool" => call.script.tool);
                let notice = Notice::warning(message, before.verdict.by.as_deref());
                self.result.notices.push(notice);
            }
            self.apply_input(&mut call, &asked);
        }
        let flow = match &call.script.error {
            Some(error) => self.fail_call(&call, error).await?,
            None => self.finish_call(&call).await?,
        };
        // A hook that ends the turn before a call does not prevent the call.
        Ok((call.input, end_flow(&before).unwrap_or(flow)))
    }

    /// Handles a blocked call: the model receives the reason, and no further event is fired for the call.
    fn block_call(&mut self, call: &RequestedCall<'_>, trace: &Trace) -> TurnFlow {
        let reason = denial_reason(trace).or_else(|| trace.verdict.reason.clone());
        let reason_text = reason.filter(|reason| !reason.is_empty());
        let flow = end_flow(trace);
        let default_text = if flow.is_some() { NOT_CALLED } else { DENIED };
        self.messages.push(TrackedMessage {
            hook: trace.verdict.by.clone(),
            ..simulation::tool_result(call.id, reason_text.as_deref().unwrap_or(default_text))
        });
        let interrupted = trace.reply.json.pointer("/hookSpecificOutput/decision/interrupt") == Some(&json!(true));
        flow.unwrap_or(if interrupted {
            TurnFlow::TurnEnded
        } else {
            TurnFlow::AnswerAgain
        })
    }

    /// Applies the input as hooks changed it. The conversation shows the input that the tool really receives.
    fn apply_input(&mut self, call: &mut RequestedCall<'_>, trace: &Trace) {
        if let Some(input) = trace.payload_after.get("tool_input")
            && *input != call.input
        {
            call.input = input.clone();
            simulation::set_call_arguments(&mut self.messages, call.position, input.to_string());
        }
    }

    async fn fail_call(&mut self, call: &RequestedCall<'_>, error: &str) -> Result<TurnFlow, Message> {
        self.messages.push(simulation::tool_result(call.id, error));
        let Some(event) = self.rules.failure else {
            return Ok(TurnFlow::AnswerAgain);
        };
        let mut fields = call.payload_fields();
        fields.push(("error", json!(error)));
        let after = self.fire(event, &fields).await?;
        self.pending_messages.extend(context_messages(&after));
        Ok(end_flow(&after).unwrap_or(TurnFlow::AnswerAgain))
    }

    /// Handles a call that has run. A block can only give the model the reason.
    async fn finish_call(&mut self, call: &RequestedCall<'_>) -> Result<TurnFlow, Message> {
        let response = call.script.result.clone().unwrap_or_else(|| json!(""));
        let mut fields = call.payload_fields();
        fields.push(("tool_response", response));
        let after = self.fire("PostToolUse", &fields).await?;
        let left = after.payload_after.get("tool_response").cloned().unwrap_or_default();
        let content = left.as_str().map_or_else(|| left.to_string(), str::to_owned);
        // A reason that replaced the output is not said twice.
        let is_said = after.reply.json.get("reason").is_some_and(|reason| *reason == content);
        self.messages.push(TrackedMessage {
            hook: simulation::changed_by(&after, "tool_response"),
            ..simulation::tool_result(call.id, content)
        });
        if let Some(reason) = after.reply.json.get("reason").filter(|_| !is_said) {
            let message = ChatMessage::new("user", reason.clone());
            self.pending_messages
                .push(TrackedMessage::from_hook(message, after.verdict.by.clone()));
        }
        self.pending_messages.extend(context_messages(&after));
        Ok(end_flow(&after).unwrap_or(TurnFlow::AnswerAgain))
    }

    /// Fires `Stop`: the model called no tool, so it is about to stop.
    async fn fire_stop(&mut self, reply: Option<&str>, retried: &mut bool) -> Result<TurnFlow, Message> {
        let mut fields = vec![("stop_hook_active", json!(*retried))];
        fields.extend(reply.map(|text| ("last_assistant_message", json!(text))));
        let stopped = self.fire("Stop", &fields).await?;
        let Some(feedback) = simulation::feedback_message(&stopped) else {
            return Ok(end_flow(&stopped).unwrap_or(TurnFlow::TurnEnded));
        };
        *retried = true;
        self.messages.push(feedback);
        Ok(TurnFlow::AnswerAgain)
    }

    async fn fire(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<Trace, Message> {
        let model = Some(self.scenario.model.as_str()).filter(|model| !model.is_empty());
        let model = model.map(|model| ("model".to_owned(), json!(model)));
        let turn = self.turn_id.clone().map(|id| ("turn_id".to_owned(), json!(id)));
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let payload: Payload = model.into_iter().chain(turn).chain(fields).collect();
        self.host.fire(event, payload).await
    }
}

impl<'a> RequestedCall<'a> {
    /// The payload fields that all events of a call with an id have.
    fn payload_fields(&self) -> Vec<(&'a str, Value)> {
        let mut fields = self.permission_fields();
        fields.push(("tool_use_id", json!(self.id)));
        fields
    }

    fn permission_fields(&self) -> Vec<(&'a str, Value)> {
        vec![
            ("tool_name", json!(self.script.tool)),
            ("tool_input", self.input.clone()),
        ]
    }
}

/// How the turn continues if a hook ended it or the session.
fn end_flow(trace: &Trace) -> Option<TurnFlow> {
    match trace.verdict.kind {
        VerdictKind::EndSession => Some(TurnFlow::SessionEnded),
        VerdictKind::EndTurn => Some(TurnFlow::TurnEnded),
        VerdictKind::Proceed
        | VerdictKind::Approve
        | VerdictKind::Respond
        | VerdictKind::Ask
        | VerdictKind::Skip
        | VerdictKind::Deny
        | VerdictKind::Retry
        | VerdictKind::Stop => None,
    }
}

/// Whether a reply denies, whatever else it does.
fn is_denied(trace: &Trace) -> bool {
    let word = trace.reply.json.pointer("/hookSpecificOutput/permissionDecision");
    word.is_some_and(|word| word == "deny")
}

/// The reason of a denial in a reply that also ends the session or the turn.
fn denial_reason(trace: &Trace) -> Option<String> {
    let reason = trace
        .reply
        .json
        .pointer("/hookSpecificOutput/permissionDecisionReason")?;
    reason.as_str().filter(|_| is_denied(trace)).map(str::to_owned)
}

/// The context that hooks add, one message per hook.
fn context_messages(trace: &Trace) -> Vec<TrackedMessage> {
    simulation::added_messages(trace, "additionalContext")
}

/// The user message with which hooks begin the session. If there are several, the last one counts.
fn first_message(trace: &Trace) -> Option<TrackedMessage> {
    simulation::added_messages(trace, "initialUserMessage").pop()
}
