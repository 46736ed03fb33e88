//! Simulates PicoClaw's lifecycle (`picoclaw.md` §3, "Lifecycle").
//!
//! A request that hooks change is changed for that request only: the next one begins with the conversation again. A
//! result that hooks change stays in the conversation.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::event::EventSpec;
use hookwright_model::{
    ChatMessage, Hook, Life, Message, MessageOrigin, Payload, Scenario, SimulationHost, SimulationResult, ToolCall,
    Trace, Turn, TurnStep, Verdict, VerdictKind, args,
};
use serde_json::{Map, Value, json};

use super::Picoclaw;
use crate::simulation::{self, CallIds, TrackedMessage, TurnScript};

/// The tool's message if the turn ended before its call.
const NOT_CALLED: &str = "not called: a hook ended the turn";

impl Life for Picoclaw {
    fn warnings_after(&self, event: &EventSpec, payload: &Payload, verdict: &Verdict, hooks: &[&Hook]) -> Vec<Message> {
        let approvers = hooks.iter().filter(|hook| hook.event == "approve_tool").count();
        if event.name != "before_tool" || verdict.kind != VerdictKind::Respond || approvers == 0 {
            return Vec::new();
        }
        let tool = payload.get("tool").and_then(Value::as_str).unwrap_or_default();
        let args = args! { "by" => verdict.by, "tool" => tool, "count" => approvers };
        vec![super::messages::answers::APPROVERS_SKIPPED.render(args)]
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
            system: simulation::history_messages(&system_prompt(scenario)),
        };
        simulation.run().boxed()
    }
}

fn system_prompt(scenario: &Scenario) -> Vec<ChatMessage> {
    let prompt =
        (!scenario.system_prompt.is_empty()).then(|| ChatMessage::new("system", scenario.system_prompt.as_str()));
    prompt.into_iter().collect()
}

struct Simulation<'a> {
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
    /// The messages of the conversation.
    messages: Vec<TrackedMessage>,
    ids: CallIds,
    /// The messages before the conversation in every request.
    system: Vec<TrackedMessage>,
}

/// Whether a turn continues after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnFlow {
    /// The model is called once more.
    Continue,
    /// The reply had no calls.
    Done,
    /// A hook ended the turn.
    TurnEnded,
    /// A hook ended the agent loop.
    LoopEnded,
}

impl TurnFlow {
    /// What the verdict of an interceptor ends, if it ends anything.
    fn ended_by(trace: &Trace) -> Option<Self> {
        match trace.verdict.kind {
            VerdictKind::EndTurn => Some(Self::TurnEnded),
            VerdictKind::EndSession => Some(Self::LoopEnded),
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

    /// The value of `Status` in `turn_end`.
    fn status(self) -> &'static str {
        match self {
            Self::Continue | Self::Done => "completed",
            Self::TurnEnded => "error",
            Self::LoopEnded => "aborted",
        }
    }
}

/// One call of the model's reply, as hooks changed it.
struct RequestedCall {
    id: String,
    call: ToolCall,
}

impl Simulation<'_> {
    async fn run(mut self) -> Result<(), Message> {
        self.system
            .iter_mut()
            .for_each(|line| line.origin = MessageOrigin::Prompt);
        self.result.final_messages = simulation::seen_messages(&self.messages);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.result.turns.push(self.host.fired_events());
            let flow = self.run_turn(turn, number).await?;
            self.messages
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
            if flow == TurnFlow::LoopEnded {
                break;
            }
        }
        Ok(())
    }

    async fn run_turn(&mut self, turn: &Turn, number: u32) -> Result<TurnFlow, Message> {
        self.notify("turn_start", json!({ "UserMessage": turn.user })).await?;
        let user = ChatMessage::new("user", turn.user.as_str());
        self.messages.push(TrackedMessage::new(user, MessageOrigin::User));
        let mut script = TurnScript::new(turn, number);
        let mut iterations = 0;
        let flow = loop {
            let Some((step_number, step)) = script.next_step() else {
                self.result.notices.push(script.ended_notice());
                break TurnFlow::Continue;
            };
            iterations = step_number;
            match self.run_step(number, step_number, step).await? {
                TurnFlow::Continue => {}
                over @ (TurnFlow::Done | TurnFlow::TurnEnded | TurnFlow::LoopEnded) => break over,
            }
        };
        self.notify("turn_end", json!({ "Status": flow.status(), "Iterations": iterations }))
            .await?;
        Ok(flow)
    }

    /// One model request, and everything that follows from its reply.
    async fn run_step(&mut self, turn: u32, number: u32, step: &TurnStep) -> Result<TurnFlow, Message> {
        let before = [self.system.as_slice(), self.messages.as_slice()].concat();
        let asked = fields(&[
            ("model", self.scenario.model.as_str().into()),
            ("messages", simulation::to_payload(&before)),
        ]);
        let asked = self.host.fire("before_llm", asked).await?;
        if let Some(over) = TurnFlow::ended_by(&asked) {
            return Ok(over);
        }
        let none = Value::Array(Vec::new());
        let messages = asked.payload_after.get("messages").unwrap_or(&none);
        let request = simulation::seen_messages(&simulation::with_origins(&before, messages, &asked));
        let model = asked.payload_after.get("model").cloned().unwrap_or_default();
        let tools = asked.payload_after.get("tools").and_then(Value::as_array);
        let sent = json!({
            "Model": model, "MessagesCount": request.len(), "ToolsCount": tools.map_or(0, Vec::len)
        });
        self.notify("llm_request", sent).await?;
        let events = self.host.fired_events();
        self.result
            .llm_calls
            .push(simulation::llm_call(turn, number, events, &request));
        let place = self.messages.len();
        let flow = self.answer(step, model).await?;
        let added = self.messages.get(place..).unwrap_or_default();
        self.result.final_messages = [request, simulation::seen_messages(added)].concat();
        Ok(flow)
    }

    /// The model's reply, as hooks change it, and its calls.
    async fn answer(&mut self, step: &TurnStep, model: Value) -> Result<TurnFlow, Message> {
        let text = step.reply.clone().unwrap_or_default();
        let ids = self.ids.assign(&step.calls);
        let scripted: Vec<(String, &ToolCall)> = ids.into_iter().zip(&step.calls).collect();
        let summary = json!({ "ContentLen": text.chars().count(), "ToolCalls": scripted.len() });
        self.notify("llm_response", summary).await?;
        let answered = fields(&[("model", model), ("response", response(&text, &scripted))]);
        let answered = self.host.fire("after_llm", answered).await?;
        if let Some(over) = TurnFlow::ended_by(&answered) {
            return Ok(over);
        }
        let left = answered.payload_after.get("response").cloned().unwrap_or_default();
        let text = left.get("content").and_then(Value::as_str).unwrap_or_default();
        let requested = self.requested_calls(&left, &scripted);
        let calls: Vec<(String, &ToolCall)> = requested.iter().map(|it| (it.id.clone(), &it.call)).collect();
        if !calls.is_empty() || !text.is_empty() {
            self.messages.push(TrackedMessage {
                hook: simulation::changed_by(&answered, "response"),
                ..simulation::assistant_message(text, &calls)
            });
        }
        let mut flow = if requested.is_empty() {
            TurnFlow::Done
        } else {
            TurnFlow::Continue
        };
        for call in requested {
            if flow == TurnFlow::Continue {
                flow = self.run_call(call).await?;
            } else {
                // Every call of a reply needs a result, otherwise no model accepts the conversation.
                self.messages.push(simulation::tool_result(&call.id, NOT_CALLED));
            }
        }
        Ok(flow)
    }

    /// The calls in the reply after hooks changed it. A call that is not in the scenario returns nothing.
    fn requested_calls(&mut self, response: &Value, scripted: &[(String, &ToolCall)]) -> Vec<RequestedCall> {
        let left = response.get("tool_calls").and_then(Value::as_array);
        let mut one = |left: &Value| {
            let id = left.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
            let script = scripted.iter().find(|(own, _)| Some(own.as_str()) == id);
            let mut call = script.map_or_else(unscripted_call, |(_, call)| (*call).clone());
            let word = |name: &str| left.pointer(name).and_then(Value::as_str);
            if let Some(name) = word("/function/name") {
                name.clone_into(&mut call.tool);
            }
            if let Some(arguments) = word("/function/arguments").and_then(|text| serde_json::from_str(text).ok()) {
                call.arguments = arguments;
            }
            RequestedCall {
                id: id.map_or_else(|| self.ids.next_id(), str::to_owned),
                call,
            }
        };
        left.into_iter().flatten().map(&mut one).collect()
    }

    async fn run_call(&mut self, mut call: RequestedCall) -> Result<TurnFlow, Message> {
        let before = self.host.fire("before_tool", call.payload()).await?;
        if let Some(over) = TurnFlow::ended_by(&before) {
            self.messages.push(simulation::tool_result(&call.id, NOT_CALLED));
            return Ok(over);
        }
        if before.verdict.kind == VerdictKind::Respond {
            return self.respond(call, &before).await;
        }
        if before.verdict.kind.blocks() {
            return self.skip(call, &before, "Tool execution denied by hook").await;
        }
        call.apply(&before);
        let approved = self.host.fire("approve_tool", call.payload()).await?;
        if approved.verdict.kind.blocks() {
            return self
                .skip(call, &approved, "Tool execution denied by approval hook")
                .await;
        }
        self.execute(call).await
    }

    /// A hook responds in place of the tool. Then no approver is asked, and no hook receives the result.
    async fn respond(&mut self, call: RequestedCall, before: &Trace) -> Result<TurnFlow, Message> {
        let result = before.reply.json.get("result").cloned().unwrap_or_default();
        let is_error = result.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        self.notify(
            "tool_exec_start",
            json!({ "Tool": call.call.tool, "Arguments": call.call.arguments }),
        )
        .await?;
        self.notify(
            "tool_exec_end",
            json!({ "Tool": call.call.tool, "Duration": 0, "IsError": is_error }),
        )
        .await?;
        self.messages.push(TrackedMessage {
            hook: before.verdict.by.clone(),
            origin: MessageOrigin::Hook,
            ..simulation::tool_result(&call.id, for_llm(&result))
        });
        Ok(TurnFlow::Continue)
    }

    /// Skips the call. The model receives the reason, and other calls continue.
    async fn skip(&mut self, call: RequestedCall, trace: &Trace, denied: &str) -> Result<TurnFlow, Message> {
        let reason = match &trace.verdict.reason {
            Some(reason) if !reason.is_empty() => format!("{denied}: {reason}"),
            Some(_) | None => denied.to_owned(),
        };
        self.notify("tool_exec_skipped", json!({ "Tool": call.call.tool, "Reason": reason }))
            .await?;
        self.messages.push(TrackedMessage {
            hook: trace.verdict.by.clone(),
            ..simulation::tool_result(&call.id, reason)
        });
        Ok(TurnFlow::Continue)
    }

    async fn execute(&mut self, call: RequestedCall) -> Result<TurnFlow, Message> {
        self.notify(
            "tool_exec_start",
            json!({ "Tool": call.call.tool, "Arguments": call.call.arguments }),
        )
        .await?;
        let result = result(&call.call);
        let ended = json!({ "Tool": call.call.tool, "Duration": 0, "IsError": call.call.error.is_some() });
        self.notify("tool_exec_end", ended).await?;
        let mut payload = call.payload();
        payload.insert("result".to_owned(), result);
        payload.insert("duration".to_owned(), 0.into());
        let after = self.host.fire("after_tool", payload).await?;
        let left = after.payload_after.get("result").cloned().unwrap_or_default();
        self.messages.push(TrackedMessage {
            hook: simulation::changed_by(&after, "result"),
            ..simulation::tool_result(&call.id, for_llm(&left))
        });
        Ok(TurnFlow::ended_by(&after).unwrap_or(TurnFlow::Continue))
    }

    /// Fires an event that only observers receive.
    async fn notify(&mut self, kind: &'static str, payload: Value) -> Result<(), Message> {
        self.host.fire(kind, fields(&[("Payload", payload)])).await.map(drop)
    }
}

impl RequestedCall {
    fn payload(&self) -> Payload {
        fields(&[
            ("tool", self.call.tool.as_str().into()),
            ("arguments", self.call.arguments.clone()),
        ])
    }

    /// Applies the changes that hooks made to the call.
    fn apply(&mut self, before: &Trace) {
        self.call.tool = simulation::text_after(before, "tool");
        self.call.arguments = before.payload_after.get("arguments").cloned().unwrap_or_default();
    }
}

/// The model's reply as PicoClaw's hooks receive it.
fn response(text: &str, calls: &[(String, &ToolCall)]) -> Value {
    let mut response = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        let call = |(id, call): &(String, &ToolCall)| {
            let function = json!({ "name": call.tool, "arguments": call.arguments_text() });
            json!({ "id": id, "type": "function", "function": function })
        };
        response["tool_calls"] = calls.iter().map(call).collect();
    }
    response
}

/// The tool's result in PicoClaw's form. A scenario may also contain that form itself.
fn result(call: &ToolCall) -> Value {
    let mut result = json!({
        "for_llm": "", "for_user": "", "silent": false, "is_error": false,
        "async": false, "media": [], "artifact_tags": [], "response_handled": false,
    });
    match (&call.error, &call.result) {
        (Some(error), _) => {
            result["for_llm"] = error.as_str().into();
            result["is_error"] = true.into();
        }
        (None, Some(Value::Object(own))) if own.contains_key("for_llm") => {
            if let Value::Object(result) = &mut result {
                result.extend(own.clone());
            }
        }
        (None, _) => result["for_llm"] = call.result_text().into(),
    }
    result
}

/// A call that a hook added.
fn unscripted_call() -> ToolCall {
    ToolCall {
        tool: String::new(),
        arguments: Value::Object(Map::new()),
        result: None,
        error: None,
    }
}

fn for_llm(result: &Value) -> String {
    let text = result.get("for_llm").and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn fields(fields: &[(&str, Value)]) -> Map<String, Value> {
    let pairs = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    pairs.collect()
}
