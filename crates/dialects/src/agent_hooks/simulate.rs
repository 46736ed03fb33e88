//! The agent's lifecycle, played (`agent-hooks.md` §3).
//!
//! Context that hooks add is a message of its own; beside tool calls it stands behind their results, since an answer's
//! calls and results belong together. A block where "the agent decides" is noted, and the play goes on. Where a person
//! would be asked nobody is there, so the call is held.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    ChatMessage, Message, MessageOrigin, Notice, Payload, Scenario, SimulationHost, SimulationResult, ToolCall, Trace,
    Turn, TurnStep, VerdictKind, args,
};
use serde_json::{Value, json};

use super::events::{BEFORE_STOP, CONTEXT};
use super::messages::answers::{BLOCKED_STOP, BLOCKED_TOOL, WENT_ON};
use crate::play::{self, CallIds, Line, Script};

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
        steps: 0,
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
    /// Requests of the whole session.
    steps: u32,
}

/// How a turn goes on after an answer.
enum Flow {
    Again,
    Over,
}

impl Play<'_> {
    async fn run(mut self) -> Result<(), Message> {
        let start = [("model", json!(self.scenario.model)), ("args", json!({}))];
        self.moment("session_start", &start).await?;
        self.played.final_messages = play::seen(&self.lines);
        for (turn, number) in self.scenario.turns.iter().zip(1..) {
            self.turn(turn, number).await?;
            self.lines
                .iter_mut()
                .for_each(|line| line.origin = MessageOrigin::History);
        }
        let end = [
            ("duration_seconds", json!(0)),
            ("total_steps", json!(self.steps)),
            ("exit_reason", json!("")),
        ];
        self.moment("session_end", &end).await
    }

    /// An event at which a block is the agent's to weigh: the play goes on, and says so.
    async fn moment(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<(), Message> {
        let trace = self.fire(event, fields).await?;
        if trace.verdict.kind.blocks() {
            let args = args! { "event" => event, "verdict" => trace.verdict.kind.as_str() };
            let notice = Notice::warning(WENT_ON.render(args), trace.verdict.by.as_deref());
            self.played.notices.push(notice);
        }
        self.lines.extend(contexts(&trace));
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn, number: u32) -> Result<(), Message> {
        let said = ChatMessage::new("user", turn.user.as_str());
        self.lines.push(Line::new(said, MessageOrigin::User));
        self.moment("before_agent", &[]).await?;
        let mut script = Script::of(turn, number);
        let mut flow = Flow::Again;
        while let Flow::Again = flow {
            let Some((step_number, step)) = script.next_step() else {
                self.played.notices.push(script.ended());
                break;
            };
            flow = self.step(number, step_number, step).await?;
        }
        self.moment("after_agent", &[]).await
    }

    /// One request, and all that its answer leads to.
    async fn step(&mut self, turn: u32, number: u32, step: &TurnStep) -> Result<Flow, Message> {
        self.steps += 1;
        let request = play::seen(&play::with_system(&self.scenario.system_prompt, &self.lines));
        self.played.llm_calls.push(play::asked(turn, number, &request));
        let before = self.lines.len();
        let calls = play::answered(step, &mut self.ids, &mut self.lines);
        let flow = if calls.is_empty() {
            self.stop(number, step.reply.as_deref()).await?
        } else {
            let mut added = Vec::new();
            for (at, (id, call)) in calls.iter().enumerate() {
                self.call(before, at, id, call, &mut added).await?;
            }
            self.lines.append(&mut added);
            Flow::Again
        };
        let added = self.lines.get(before..).unwrap_or_default();
        self.played.final_messages = [request, play::seen(added)].concat();
        Ok(flow)
    }

    /// One call; what hooks have to say of it goes to `added`.
    async fn call(
        &mut self,
        answer: usize,
        at: usize,
        id: &str,
        call: &ToolCall,
        added: &mut Vec<Line>,
    ) -> Result<(), Message> {
        let mut fields = vec![
            ("tool_name", json!(call.tool)),
            ("tool_input", call.arguments.clone()),
            ("tool_use_id", json!(id)),
        ];
        let before = self.fire("before_tool", &fields).await?;
        if before.verdict.kind.blocks() {
            self.lines.push(blocked(&before, id));
            return Ok(());
        }
        added.extend(contexts(&before));
        if let Some(input) = before
            .payload_after
            .get("tool_input")
            .filter(|input| **input != call.arguments)
        {
            play::note_arguments(&mut self.lines, (answer, at), input.to_string());
            fields[1].1 = input.clone();
        }
        let (event, told) = match &call.error {
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
        self.lines.push(if after.verdict.kind.blocks() {
            blocked(&after, id)
        } else {
            play::tool_result(id, told)
        });
        added.extend(contexts(&after));
        Ok(())
    }

    /// The model called no tool, so the agent is about to stop.
    async fn stop(&mut self, number: u32, reply: Option<&str>) -> Result<Flow, Message> {
        let message = reply.map_or(Value::Null, |words| json!({"role": "assistant", "content": words}));
        let fields = [
            ("stop_reason", json!("no_tool_calls")),
            ("step_count", json!(number)),
            ("final_message", message),
        ];
        let stopped = self.fire(BEFORE_STOP, &fields).await?;
        if stopped.verdict.kind != VerdictKind::Retry {
            self.lines.extend(contexts(&stopped));
            return Ok(Flow::Over);
        }
        let reason = stopped.verdict.reason.as_deref().unwrap_or_default();
        let said = BLOCKED_STOP.render(args! { "reason" => reason }).text;
        let line = Line::of_hook(ChatMessage::new("user", said), stopped.verdict.by.clone());
        self.lines.push(line);
        Ok(Flow::Again)
    }

    async fn fire(&mut self, event: &'static str, fields: &[(&str, Value)]) -> Result<Trace, Message> {
        let payload: Payload = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        self.stage.fire(event, payload).await
    }
}

/// What the model gets of a call that was held, or whose result was.
fn blocked(trace: &Trace, id: &str) -> Line {
    let reason = trace.verdict.reason.as_deref().unwrap_or_default();
    let said = BLOCKED_TOOL.render(args! { "reason" => reason }).text;
    Line {
        hook: trace.verdict.by.clone(),
        ..play::tool_result(id, said)
    }
}

/// The contexts that reach the agent, each as a message of its hook.
fn contexts(trace: &Trace) -> Vec<Line> {
    if trace.reply.json.get(CONTEXT).is_none() {
        return Vec::new();
    }
    play::additions(trace, CONTEXT)
}
