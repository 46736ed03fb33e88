//! PicoClaw's lifecycle, played (`picoclaw.md` §3, "Lifecycle").
//!
//! What hooks make of a request is for that request alone: the next one begins with the conversation again. A result
//! that hooks leave behind stays in it.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Message, MessageOrigin, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace, Turn,
    TurnStep, VerdictKind,
};
use serde_json::{Map, Value, json};

use crate::play::{self, CallIds, Line, Script};

/// What a tool's message says when the turn ended before its call.
const NOT_CALLED: &str = "not called: a hook ended the turn";

/// Plays a scenario.
pub(super) fn simulate<'a>(
    scenario: &'a Scenario,
    stage: &'a mut dyn SimulationHost,
    played: &'a mut SimulationResult,
) -> BoxFuture<'a, Result<(), Message>> {
    let play = Play {
        scenario,
        stage,
        played,
        lines: play::history(&scenario.messages),
        ids: CallIds::default(),
        system: play::history(&system_prompt(scenario)),
    };
    play.run().boxed()
}

fn system_prompt(scenario: &Scenario) -> Vec<ChatMessage> {
    let prompt =
        (!scenario.system_prompt.is_empty()).then(|| ChatMessage::new("system", scenario.system_prompt.as_str()));
    prompt.into_iter().collect()
}

struct Play<'a> {
    scenario: &'a Scenario,
    stage: &'a mut dyn SimulationHost,
    played: &'a mut SimulationResult,
    /// The conversation.
    lines: Vec<Line>,
    ids: CallIds,
    /// What stands before the conversation in every request.
    system: Vec<Line>,
}

/// How a turn goes on after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// The model answers once more.
    Again,
    /// The answer had no calls.
    Done,
    /// A hook ended the turn.
    TurnOver,
    /// A hook ended the agent loop.
    LoopOver,
}

impl Flow {
    /// What a verdict at an interceptor ends, when it ends something.
    fn ended_by(trace: &Trace) -> Option<Self> {
        match trace.verdict.kind {
            VerdictKind::EndTurn => Some(Self::TurnOver),
            VerdictKind::EndSession => Some(Self::LoopOver),
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

    /// The word that `turn_end` has for it.
    fn status(self) -> &'static str {
        match self {
            Self::Again | Self::Done => "completed",
            Self::TurnOver => "error",
            Self::LoopOver => "aborted",
        }
    }
}

/// One call of the model's answer, as hooks left it.
struct Wanted {
    id: String,
    call: ToolCall,
}

impl Play<'_> {
    async fn run(mut self) -> Result<(), Message> {
        self.system
            .iter_mut()
            .for_each(|line| line.origin = MessageOrigin::Prompt);
        self.played.final_messages = play::seen(&self.lines);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            let flow = self.turn(turn, number).await?;
            self.lines
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
            if flow == Flow::LoopOver {
                break;
            }
        }
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn, number: u32) -> Result<Flow, Message> {
        self.tell("turn_start", json!({ "UserMessage": turn.user })).await?;
        let user = ChatMessage::new("user", turn.user.as_str());
        self.lines.push(Line::new(user, MessageOrigin::User));
        let mut script = Script::of(turn, number);
        let mut iterations = 0;
        let flow = loop {
            let Some((step_number, step)) = script.next_step() else {
                self.played.notices.push(script.ended());
                break Flow::Again;
            };
            iterations = step_number;
            match self.step(number, step_number, step).await? {
                Flow::Again => {}
                over @ (Flow::Done | Flow::TurnOver | Flow::LoopOver) => break over,
            }
        };
        self.tell("turn_end", json!({ "Status": flow.status(), "Iterations": iterations }))
            .await?;
        Ok(flow)
    }

    /// One request and all that its answer leads to.
    async fn step(&mut self, turn: u32, number: u32, step: &TurnStep) -> Result<Flow, Message> {
        let before = [self.system.as_slice(), self.lines.as_slice()].concat();
        let asked = fields(&[
            ("model", self.scenario.model.as_str().into()),
            ("messages", play::messages(&before)),
        ]);
        let asked = self.stage.fire("before_llm", asked).await?;
        if let Some(over) = Flow::ended_by(&asked) {
            return Ok(over);
        }
        let none = Value::Array(Vec::new());
        let messages = asked.payload_after.get("messages").unwrap_or(&none);
        let request = play::seen(&play::rewritten(&before, messages, &asked));
        let model = asked.payload_after.get("model").cloned().unwrap_or_default();
        let tools = asked.payload_after.get("tools").and_then(Value::as_array);
        let sent = json!({
            "Model": model, "MessagesCount": request.len(), "ToolsCount": tools.map_or(0, Vec::len)
        });
        self.tell("llm_request", sent).await?;
        self.played.llm_calls.push(play::asked(turn, number, &request));
        let place = self.lines.len();
        let flow = self.answer(step, model).await?;
        let added = self.lines.get(place..).unwrap_or_default();
        self.played.final_messages = [request, play::seen(added)].concat();
        Ok(flow)
    }

    /// The model's answer, as hooks leave it, and its calls.
    async fn answer(&mut self, step: &TurnStep, model: Value) -> Result<Flow, Message> {
        let words = step.reply.clone().unwrap_or_default();
        let ids = self.ids.of(&step.calls);
        let scripted: Vec<(String, &ToolCall)> = ids.into_iter().zip(&step.calls).collect();
        let told = json!({ "ContentLen": words.chars().count(), "ToolCalls": scripted.len() });
        self.tell("llm_response", told).await?;
        let answered = fields(&[("model", model), ("response", response(&words, &scripted))]);
        let answered = self.stage.fire("after_llm", answered).await?;
        if let Some(over) = Flow::ended_by(&answered) {
            return Ok(over);
        }
        let left = answered.payload_after.get("response").cloned().unwrap_or_default();
        let words = left.get("content").and_then(Value::as_str).unwrap_or_default();
        let wanted = self.wanted(&left, &scripted);
        let calls: Vec<(String, &ToolCall)> = wanted.iter().map(|it| (it.id.clone(), &it.call)).collect();
        if !calls.is_empty() || !words.is_empty() {
            self.lines.push(Line {
                hook: play::changed_by(&answered, "response"),
                ..play::answer(words, &calls)
            });
        }
        let mut flow = if wanted.is_empty() { Flow::Done } else { Flow::Again };
        for call in wanted {
            if flow == Flow::Again {
                flow = self.call(call).await?;
            } else {
                // An answer's calls all have a result, or no model would read the conversation.
                self.lines.push(play::tool_result(&call.id, NOT_CALLED));
            }
        }
        Ok(flow)
    }

    /// The calls that hooks left in the answer. One that the script does not know returns nothing.
    fn wanted(&mut self, response: &Value, scripted: &[(String, &ToolCall)]) -> Vec<Wanted> {
        let left = response.get("tool_calls").and_then(Value::as_array);
        let mut one = |left: &Value| {
            let id = left.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
            let script = scripted.iter().find(|(own, _)| Some(own.as_str()) == id);
            let mut call = script.map_or_else(unscripted, |(_, call)| (*call).clone());
            let word = |name: &str| left.pointer(name).and_then(Value::as_str);
            if let Some(name) = word("/function/name") {
                name.clone_into(&mut call.tool);
            }
            if let Some(arguments) = word("/function/arguments").and_then(|text| serde_json::from_str(text).ok()) {
                call.arguments = arguments;
            }
            Wanted {
                id: id.map_or_else(|| self.ids.next_id(), str::to_owned),
                call,
            }
        };
        left.into_iter().flatten().map(&mut one).collect()
    }

    async fn call(&mut self, mut call: Wanted) -> Result<Flow, Message> {
        let before = self.stage.fire("before_tool", call.payload()).await?;
        if let Some(over) = Flow::ended_by(&before) {
            self.lines.push(play::tool_result(&call.id, NOT_CALLED));
            return Ok(over);
        }
        if before.verdict.kind == VerdictKind::Respond {
            return self.respond(call, &before).await;
        }
        if before.verdict.kind.blocks() {
            return self.skip(call, &before, "Tool execution denied by hook").await;
        }
        call.take(&before);
        let approved = self.stage.fire("approve_tool", call.payload()).await?;
        if approved.verdict.kind.blocks() {
            return self
                .skip(call, &approved, "Tool execution denied by approval hook")
                .await;
        }
        self.execute(call).await
    }

    /// A hook answers in the tool's stead: nobody approves, and nobody looks at the result.
    async fn respond(&mut self, call: Wanted, before: &Trace) -> Result<Flow, Message> {
        let result = before.reply.json.get("result").cloned().unwrap_or_default();
        let is_error = result.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        self.tell(
            "tool_exec_start",
            json!({ "Tool": call.call.tool, "Arguments": call.call.arguments }),
        )
        .await?;
        self.tell(
            "tool_exec_end",
            json!({ "Tool": call.call.tool, "Duration": 0, "IsError": is_error }),
        )
        .await?;
        self.lines.push(Line {
            hook: before.verdict.by.clone(),
            origin: MessageOrigin::Hook,
            ..play::tool_result(&call.id, for_llm(&result))
        });
        Ok(Flow::Again)
    }

    /// The call is not run; the model is told so, and other calls go on.
    async fn skip(&mut self, call: Wanted, trace: &Trace, denied: &str) -> Result<Flow, Message> {
        let told = match &trace.verdict.reason {
            Some(reason) if !reason.is_empty() => format!("{denied}: {reason}"),
            Some(_) | None => denied.to_owned(),
        };
        self.tell("tool_exec_skipped", json!({ "Tool": call.call.tool, "Reason": told }))
            .await?;
        self.lines.push(Line {
            hook: trace.verdict.by.clone(),
            ..play::tool_result(&call.id, told)
        });
        Ok(Flow::Again)
    }

    async fn execute(&mut self, call: Wanted) -> Result<Flow, Message> {
        self.tell(
            "tool_exec_start",
            json!({ "Tool": call.call.tool, "Arguments": call.call.arguments }),
        )
        .await?;
        let result = result(&call.call);
        let ended = json!({ "Tool": call.call.tool, "Duration": 0, "IsError": call.call.error.is_some() });
        self.tell("tool_exec_end", ended).await?;
        let mut payload = call.payload();
        payload.insert("result".to_owned(), result);
        payload.insert("duration".to_owned(), 0.into());
        let after = self.stage.fire("after_tool", payload).await?;
        let left = after.payload_after.get("result").cloned().unwrap_or_default();
        self.lines.push(Line {
            hook: play::changed_by(&after, "result"),
            ..play::tool_result(&call.id, for_llm(&left))
        });
        Ok(Flow::ended_by(&after).unwrap_or(Flow::Again))
    }

    /// What only observers hear.
    async fn tell(&mut self, kind: &'static str, payload: Value) -> Result<(), Message> {
        self.stage.fire(kind, fields(&[("Payload", payload)])).await.map(drop)
    }
}

impl Wanted {
    fn payload(&self) -> Payload {
        fields(&[
            ("tool", self.call.tool.as_str().into()),
            ("arguments", self.call.arguments.clone()),
        ])
    }

    /// What hooks made of the call.
    fn take(&mut self, before: &Trace) {
        self.call.tool = play::text_after(before, "tool");
        self.call.arguments = before.payload_after.get("arguments").cloned().unwrap_or_default();
    }
}

/// The answer as PicoClaw's hooks see it.
fn response(words: &str, calls: &[(String, &ToolCall)]) -> Value {
    let mut response = json!({ "role": "assistant", "content": words });
    if !calls.is_empty() {
        let call = |(id, call): &(String, &ToolCall)| {
            let function = json!({ "name": call.tool, "arguments": call.arguments_text() });
            json!({ "id": id, "type": "function", "function": function })
        };
        response["tool_calls"] = calls.iter().map(call).collect();
    }
    response
}

/// What the tool returned, in PicoClaw's shape; a script may give that shape itself.
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

/// A call that a hook made up.
fn unscripted() -> ToolCall {
    ToolCall {
        tool: String::new(),
        arguments: Value::Object(Map::new()),
        result: None,
        error: None,
    }
}

fn for_llm(result: &Value) -> String {
    let told = result.get("for_llm").and_then(Value::as_str);
    told.unwrap_or_default().to_owned()
}

fn fields(fields: &[(&str, Value)]) -> Map<String, Value> {
    let pairs = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    pairs.collect()
}
