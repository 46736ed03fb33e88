//! Qoder's lifecycle, played (`qoder.md` §3, "Lifecycle").
//!
//! Context that hooks add is a message of its own; beside tool calls it stands behind their results, since an answer's
//! calls and results belong together. Nobody is there to be asked: a call about which no hook decides is made, since the
//! script has a result for it, and a notice says so.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Message, MessageOrigin, Notice, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace,
    Turn, TurnStep, VerdictKind, args,
};
use serde_json::{Value, json};

use super::messages::answers::NOBODY_ASKED;
use crate::play::{self, CallIds, Line, Script};

/// What the model reads of a call that was denied without a reason.
const DENIED: &str = "the call was denied by a hook";
/// What a tool's message says when the session or the turn ended before its call.
const NOT_CALLED: &str = "not called: a hook ended it";

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
        added: Vec::new(),
    };
    play.run().boxed()
}

struct Play<'a> {
    scenario: &'a Scenario,
    stage: &'a mut dyn SimulationHost,
    played: &'a mut SimulationResult,
    /// The conversation.
    lines: Vec<Line>,
    ids: CallIds,
    /// What hooks have to say of the calls of the answer in hand.
    added: Vec<Line>,
}

/// How a turn goes on after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// The model answers once more.
    Again,
    TurnOver,
    SessionOver,
}

/// A call that the model wants to make.
struct Wanted<'a> {
    /// Where its answer stands in the conversation, and where it stands in that answer.
    place: (usize, usize),
    id: &'a str,
    script: &'a ToolCall,
    input: Value,
}

impl Play<'_> {
    async fn run(mut self) -> Result<(), Message> {
        // A session that brings its history back is one that goes on.
        let source = if self.scenario.messages.is_empty() {
            "startup"
        } else {
            "resume"
        };
        let started = self.fire("SessionStart", &[("source", json!(source))]).await?;
        self.lines.extend(contexts(&started));
        self.lines.extend(first_message(&started));
        self.played.final_messages = play::seen(&self.lines);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            let flow = self.turn(turn, number).await?;
            self.lines
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
            if flow == Flow::SessionOver {
                break;
            }
        }
        self.fire("SessionEnd", &[("reason", json!(""))]).await.map(drop)
    }

    async fn turn(&mut self, turn: &Turn, number: u32) -> Result<Flow, Message> {
        let sent = self.fire("UserPromptSubmit", &[("prompt", json!(turn.user))]).await?;
        if sent.verdict.kind.blocks() {
            // A prompt that is held is not in the conversation.
            return Ok(ended(&sent).unwrap_or(Flow::TurnOver));
        }
        let said = ChatMessage::new("user", turn.user.as_str());
        self.lines.push(Line::new(said, MessageOrigin::User));
        self.lines.extend(contexts(&sent));
        let mut script = Script::of(turn, number);
        let mut retried = false;
        loop {
            let Some((step_number, step)) = script.next_step() else {
                self.played.notices.push(script.ended());
                return Ok(Flow::TurnOver);
            };
            match self.step(number, step_number, step, &mut retried).await? {
                Flow::Again => {}
                over @ (Flow::TurnOver | Flow::SessionOver) => return Ok(over),
            }
        }
    }

    /// One request, and all that its answer leads to.
    async fn step(&mut self, turn: u32, number: u32, step: &TurnStep, retried: &mut bool) -> Result<Flow, Message> {
        let request = play::seen(&play::with_system(&self.scenario.system_prompt, &self.lines));
        self.played.llm_calls.push(play::asked(turn, number, &request));
        let before = self.lines.len();
        let calls = play::answered(step, &mut self.ids, &mut self.lines);
        let flow = if calls.is_empty() {
            self.stop(step.reply.as_deref(), retried).await?
        } else {
            self.calls(before, &calls).await?
        };
        let added = self.lines.get(before..).unwrap_or_default();
        self.played.final_messages = [request, play::seen(added)].concat();
        Ok(flow)
    }

    /// The calls of an answer, one after the other.
    async fn calls(&mut self, answer: usize, calls: &[(String, &ToolCall)]) -> Result<Flow, Message> {
        let mut flow = Flow::Again;
        for (at, (id, script)) in calls.iter().enumerate() {
            if flow == Flow::Again {
                let input = script.arguments.clone();
                let place = (answer, at);
                flow = self
                    .call(Wanted {
                        place,
                        id,
                        script,
                        input,
                    })
                    .await?;
            } else {
                // An answer's calls all have a result, or no model would read the conversation.
                self.lines.push(play::tool_result(id, NOT_CALLED));
            }
        }
        self.lines.append(&mut self.added);
        Ok(flow)
    }

    async fn call(&mut self, mut call: Wanted<'_>) -> Result<Flow, Message> {
        let before = self.fire("PreToolUse", &call.fields()).await?;
        self.added.extend(contexts(&before));
        if matches!(before.verdict.kind, VerdictKind::Deny | VerdictKind::EndSession) {
            return Ok(self.held(&call, &before));
        }
        self.take_input(&mut call, &before);
        if before.verdict.kind == VerdictKind::Ask {
            let asked = self.fire("PermissionRequest", &call.asked()).await?;
            if asked.verdict.kind.blocks() {
                return Ok(self.held(&call, &asked));
            }
            if asked.verdict.kind == VerdictKind::Proceed {
                let words = NOBODY_ASKED.render(args! { "tool" => call.script.tool });
                let notice = Notice::warning(words, before.verdict.by.as_deref());
                self.played.notices.push(notice);
            }
            self.take_input(&mut call, &asked);
        }
        match &call.script.error {
            Some(error) => self.failed(&call, error).await,
            None => self.done(&call).await,
        }
    }

    /// The call is not made: the model gets the reason, and nothing further is fired for it.
    fn held(&mut self, call: &Wanted<'_>, trace: &Trace) -> Flow {
        let reason = denial(trace).or_else(|| trace.verdict.reason.clone());
        let told = reason.filter(|reason| !reason.is_empty());
        let flow = ended(trace);
        let silent = if flow.is_some() { NOT_CALLED } else { DENIED };
        self.lines.push(Line {
            hook: trace.verdict.by.clone(),
            ..play::tool_result(call.id, told.as_deref().unwrap_or(silent))
        });
        let interrupted = trace.reply.json.pointer("/hookSpecificOutput/decision/interrupt") == Some(&json!(true));
        flow.unwrap_or(if interrupted { Flow::TurnOver } else { Flow::Again })
    }

    /// What hooks made of the input; the conversation shows what was really called.
    fn take_input(&mut self, call: &mut Wanted<'_>, trace: &Trace) {
        if let Some(input) = trace.payload_after.get("tool_input")
            && *input != call.input
        {
            call.input = input.clone();
            play::note_arguments(&mut self.lines, call.place, input.to_string());
        }
    }

    async fn failed(&mut self, call: &Wanted<'_>, error: &str) -> Result<Flow, Message> {
        let mut fields = call.fields();
        fields.push(("error", json!(error)));
        let after = self.fire("PostToolUseFailure", &fields).await?;
        self.lines.push(play::tool_result(call.id, error));
        self.added.extend(contexts(&after));
        Ok(ended(&after).unwrap_or(Flow::Again))
    }

    /// The tool has run; a block can only tell the model why it should not have.
    async fn done(&mut self, call: &Wanted<'_>) -> Result<Flow, Message> {
        let response = call.script.result.clone().unwrap_or_else(|| json!(""));
        let mut fields = call.fields();
        fields.push(("tool_response", response));
        let after = self.fire("PostToolUse", &fields).await?;
        let left = after.payload_after.get("tool_response").cloned().unwrap_or_default();
        let told = left.as_str().map_or_else(|| left.to_string(), str::to_owned);
        self.lines.push(Line {
            hook: play::changed_by(&after, "tool_response"),
            ..play::tool_result(call.id, told)
        });
        if let Some(reason) = after.reply.json.get("reason") {
            let said = ChatMessage::new("user", reason.clone());
            self.added.push(Line::of_hook(said, after.verdict.by.clone()));
        }
        self.added.extend(contexts(&after));
        Ok(ended(&after).unwrap_or(Flow::Again))
    }

    /// The model called no tool, so it is about to stop.
    async fn stop(&mut self, reply: Option<&str>, retried: &mut bool) -> Result<Flow, Message> {
        let mut fields = vec![("stop_hook_active", json!(*retried))];
        fields.extend(reply.map(|words| ("last_assistant_message", json!(words))));
        let stopped = self.fire("Stop", &fields).await?;
        let Some(feedback) = play::feedback(&stopped) else {
            return Ok(ended(&stopped).unwrap_or(Flow::TurnOver));
        };
        *retried = true;
        self.lines.push(feedback);
        Ok(Flow::Again)
    }

    async fn fire(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<Trace, Message> {
        let model = Some(self.scenario.model.as_str()).filter(|model| !model.is_empty());
        let model = model.map(|model| ("model".to_owned(), json!(model)));
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let payload: Payload = model.into_iter().chain(fields).collect();
        self.stage.fire(event, payload).await
    }
}

impl<'a> Wanted<'a> {
    /// What every event of a call that has an id says of it.
    fn fields(&self) -> Vec<(&'a str, Value)> {
        let mut fields = self.asked();
        fields.push(("tool_use_id", json!(self.id)));
        fields
    }

    fn asked(&self) -> Vec<(&'a str, Value)> {
        vec![
            ("tool_name", json!(self.script.tool)),
            ("tool_input", self.input.clone()),
        ]
    }
}

/// Whether a hook ended the session.
fn ended(trace: &Trace) -> Option<Flow> {
    (trace.verdict.kind == VerdictKind::EndSession).then_some(Flow::SessionOver)
}

/// The reason of a denial that stands beside the end of the session.
fn denial(trace: &Trace) -> Option<String> {
    let specific = trace.reply.json.get("hookSpecificOutput")?;
    let denied = specific.get("permissionDecision")? == "deny";
    let reason = specific.get("permissionDecisionReason")?.as_str()?;
    denied.then(|| reason.to_owned())
}

/// What hooks tell the model, each as a message of its hook.
fn contexts(trace: &Trace) -> Vec<Line> {
    play::additions(trace, "additionalContext")
}

/// The user message with which hooks open the session; of several the last one.
fn first_message(trace: &Trace) -> Option<Line> {
    play::additions(trace, "initialUserMessage").pop()
}
