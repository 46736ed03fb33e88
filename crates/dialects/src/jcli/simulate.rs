//! j-cli's lifecycle, played (`jcli.md` §3).
//!
//! What hooks make of `pre_llm_request` is for that request alone, as an agent applies it to the request that it is about
//! to send: the next one begins with the conversation again. Context that a hook adds at `stop` stays in the system
//! prompt until the turn ends.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Message, MessageOrigin, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace, Turn,
    TurnStep, VerdictKind,
};
use serde_json::{Value, json};

use crate::play::{self, CallIds, Line, Script};

/// What the failure of a call says that a hook had skipped.
const SKIPPED: &str = "the call was skipped by a hook";
/// What a tool's message says when the turn or the reply ended before its call.
const NOT_CALLED: &str = "not called: a hook stopped it";

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
}

/// How a turn goes on after an event.
enum Flow {
    /// As planned.
    On,
    /// The model answers once more; with the feedback of a hook, when one asked for it.
    Again(Option<Line>),
    /// The turn is over.
    Over,
}

/// What a verdict does to a turn.
fn flow(trace: &Trace) -> Flow {
    match play::feedback(trace) {
        Some(line) => Flow::Again(Some(line)),
        None if trace.verdict.kind.blocks() => Flow::Over,
        None => Flow::On,
    }
}

/// What holds while a turn lasts.
struct Now {
    number: u32,
    /// The user's words, as hooks left them.
    user: String,
    system: String,
}

impl Play<'_> {
    async fn run(mut self) -> Result<(), Message> {
        self.fire("session_start", self.with_messages(&[])).await?;
        self.played.final_messages = play::seen(&self.lines);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.turn(turn, number).await?;
            self.lines
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
        }
        self.fire("session_end", self.with_messages(&[])).await?;
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn, number: u32) -> Result<(), Message> {
        let mut now = Now {
            number,
            user: turn.user.clone(),
            system: self.scenario.system_prompt.clone(),
        };
        match self.send(&mut now).await? {
            Flow::Over => return Ok(()),
            Flow::Again(feedback) => self.lines.extend(feedback),
            Flow::On => {}
        }
        let mut script = Script::of(turn, number);
        while let Some((step_number, step)) = script.next_step() {
            match self.step(&mut now, step_number, step).await? {
                Flow::On | Flow::Over => return Ok(()),
                Flow::Again(feedback) => self.lines.extend(feedback),
            }
        }
        self.played.notices.push(script.ended());
        Ok(())
    }

    /// The user's message, on its way. One that is held is not in the conversation.
    async fn send(&mut self, now: &mut Now) -> Result<Flow, Message> {
        let input = self.with_messages(&[("user_input", json!(now.user))]);
        let sent = self.fire("pre_send_message", input).await?;
        let flow = flow(&sent);
        if let Flow::On = flow {
            now.user = play::text_after(&sent, "user_input");
            let line = Line::new(ChatMessage::new("user", now.user.as_str()), MessageOrigin::User);
            let hook = play::changed_by(&sent, "user_input");
            self.lines.push(Line { hook, ..line });
            let input = self.with_messages(&[("user_input", json!(now.user))]);
            self.fire("post_send_message", input).await?;
        }
        Ok(flow)
    }

    /// One request and all that its answer leads to; [`Flow::On`] ends the turn as planned.
    async fn step(&mut self, now: &mut Now, number: u32, step: &TurnStep) -> Result<Flow, Message> {
        let system = ("system_prompt", json!(now.system));
        let input = self.with_messages(&[system, self.model()]);
        let asked = self.fire("pre_llm_request", input).await?;
        match flow(&asked) {
            Flow::On => {}
            held @ (Flow::Again(_) | Flow::Over) => return Ok(held),
        }
        let request = play::seen(&self.request(&asked));
        self.played.llm_calls.push(play::asked(now.number, number, &request));
        let messages = asked.payload_after.get("messages").cloned().unwrap_or_default();
        let output = ("assistant_output", json!(step.reply.clone().unwrap_or_default()));
        let input = payload(&[("messages", messages), self.model(), output]);
        let answered = self.fire("post_llm_response", input).await?;
        let before = self.lines.len();
        let flow = match flow(&answered) {
            Flow::On => {
                let ids = self.ids.of(&step.calls);
                let calls: Vec<(String, &ToolCall)> = ids.into_iter().zip(&step.calls).collect();
                self.take(&answered, &calls);
                if calls.is_empty() {
                    self.stop(now).await?
                } else {
                    self.calls(before, &calls).await?
                }
            }
            // An answer that is held keeps its words and loses its calls.
            held @ (Flow::Again(_) | Flow::Over) => {
                self.take(&answered, &[]);
                held
            }
        };
        let added = self.lines.get(before..).unwrap_or_default();
        self.played.final_messages = [request, play::seen(added)].concat();
        Ok(flow)
    }

    /// The list of one request, as hooks left it, behind its system prompt.
    fn request(&self, asked: &Trace) -> Vec<Line> {
        let messages = asked.payload_after.get("messages").unwrap_or(&Value::Null);
        let mut request = play::rewritten(&self.lines, messages, asked);
        let system = play::text_after(asked, "system_prompt");
        if !system.is_empty() {
            let hook = play::changed_by(asked, "additional_context");
            let hook = hook.or_else(|| play::changed_by(asked, "system_prompt"));
            let line = Line::new(ChatMessage::new("system", system), MessageOrigin::Prompt);
            request.insert(0, Line { hook, ..line });
        }
        request
    }

    /// The model's answer, as hooks left it.
    fn take(&mut self, answered: &Trace, calls: &[(String, &ToolCall)]) {
        let words = play::text_after(answered, "assistant_output");
        if !calls.is_empty() || !words.is_empty() {
            let hook = play::changed_by(answered, "assistant_output");
            self.lines.push(Line {
                hook,
                ..play::answer(&words, calls)
            });
        }
    }

    /// The calls of the answer at that place, one after the other, until one ends the reply.
    async fn calls(&mut self, answer: usize, calls: &[(String, &ToolCall)]) -> Result<Flow, Message> {
        for (at, (id, call)) in calls.iter().enumerate() {
            match self.call(answer, at, id, call).await? {
                Flow::On => {}
                held @ (Flow::Again(_) | Flow::Over) => {
                    // An answer's calls all have a result, or no model would read the conversation.
                    let rest = calls.iter().skip(at + 1);
                    self.lines.extend(rest.map(|(id, _)| play::tool_result(id, NOT_CALLED)));
                    return Ok(held);
                }
            }
        }
        Ok(Flow::Again(None))
    }

    async fn call(&mut self, answer: usize, at: usize, id: &str, call: &ToolCall) -> Result<Flow, Message> {
        let name = ("tool_name", json!(call.tool));
        let arguments = ("tool_arguments", json!(call.arguments_text()));
        let before = self
            .fire("pre_tool_execution", payload(&[name.clone(), arguments]))
            .await?;
        let error = match flow(&before) {
            Flow::On => {
                play::note_arguments(
                    &mut self.lines,
                    (answer, at),
                    play::text_after(&before, "tool_arguments"),
                );
                call.error.clone()
            }
            Flow::Again(_) | Flow::Over if before.verdict.kind == VerdictKind::Skip => Some(SKIPPED.to_owned()),
            held @ (Flow::Again(_) | Flow::Over) => {
                self.lines.push(play::tool_result(id, NOT_CALLED));
                return Ok(held);
            }
        };
        let (event, field, told) = match error {
            None => ("post_tool_execution", "tool_result", call.result_text()),
            Some(error) => ("post_tool_execution_failure", "tool_error", error),
        };
        let after = self.fire(event, payload(&[name, (field, json!(told))])).await?;
        let mut told = play::text_after(&after, field);
        if let Some(context) = after.reply.json.get("additional_context").and_then(Value::as_str) {
            told = format!("{told}\n\n{context}");
        }
        let hook = play::changed_by(&after, "additional_context");
        let hook = hook.or_else(|| play::changed_by(&after, field));
        self.lines.push(Line {
            hook,
            ..play::tool_result(id, told)
        });
        Ok(flow(&after))
    }

    /// The model is about to end its answer.
    async fn stop(&mut self, now: &mut Now) -> Result<Flow, Message> {
        let system = ("system_prompt", json!(now.system));
        let input = self.with_messages(&[system, self.model(), ("user_input", json!(now.user))]);
        let stopped = self.fire("stop", input).await?;
        now.system = play::text_after(&stopped, "system_prompt");
        Ok(flow(&stopped))
    }

    fn model(&self) -> (&'static str, Value) {
        ("model", json!(self.scenario.model))
    }

    fn with_messages(&self, fields: &[(&str, Value)]) -> Payload {
        let messages = [("messages", play::messages(&self.lines))];
        payload(&[&messages, fields].concat())
    }

    async fn fire(&mut self, event: &'static str, payload: Payload) -> Result<Trace, Message> {
        self.stage.fire(event, payload).await
    }
}

fn payload(fields: &[(&str, Value)]) -> Payload {
    fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}
