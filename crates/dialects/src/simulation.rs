//! What the plays of `simulate` share: a turn's script, the list of messages with where each came from, tool calls and
//! their results as messages (`CONTRACTS.md` §2.4).

use hookwright_model::simulate::SCRIPT_ENDED;
use hookwright_model::{
    ChatMessage, LlmCall, MessageOrigin, Notice, SeenMessage, ToolCall, Trace, Turn, TurnStep, VerdictKind, args,
};
use serde_json::{Value, json};

/// Fields of a message that a model call gets beside role and content.
const TOOL_CALLS_KEY: &str = "tool_calls";
const TOOL_CALL_ID_KEY: &str = "tool_call_id";

/// A message of the conversation, and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedMessage {
    /// The message, with whatever stands beside role and content.
    pub message: ChatMessage,
    /// Where it came from.
    pub origin: MessageOrigin,
    /// The hook that put it there.
    pub hook: Option<String>,
}

impl TrackedMessage {
    /// A message of this origin.
    #[must_use]
    pub fn new(message: ChatMessage, origin: MessageOrigin) -> Self {
        Self {
            message,
            origin,
            hook: None,
        }
    }

    /// What a hook said.
    #[must_use]
    pub fn from_hook(message: ChatMessage, hook: Option<String>) -> Self {
        Self {
            message,
            origin: MessageOrigin::Hook,
            hook,
        }
    }

    /// As a model call sees it: role, content and the tool fields.
    #[must_use]
    pub fn to_seen(&self) -> SeenMessage {
        SeenMessage {
            role: self.message.role.clone(),
            content: self.message.content.clone(),
            origin: self.origin,
            hook: self.hook.clone(),
            tool_calls: self.message.rest.get(TOOL_CALLS_KEY).cloned(),
            tool_call_id: self.message.rest.get(TOOL_CALL_ID_KEY).cloned(),
        }
    }
}

/// The list as model calls see it.
#[must_use]
pub fn seen_messages(lines: &[TrackedMessage]) -> Vec<SeenMessage> {
    lines.iter().map(TrackedMessage::to_seen).collect()
}

/// The conversation behind the system prompt, when there is one.
#[must_use]
pub fn with_system_prompt(prompt: &str, lines: &[TrackedMessage]) -> Vec<TrackedMessage> {
    let system =
        (!prompt.is_empty()).then(|| TrackedMessage::new(ChatMessage::new("system", prompt), MessageOrigin::Prompt));
    system.into_iter().chain(lines.iter().cloned()).collect()
}

/// What the model was asked at a step of a turn, both counted from 1.
#[must_use]
pub fn llm_call(turn: u32, number: u32, request: &[SeenMessage]) -> LlmCall {
    LlmCall {
        turn,
        label: format!("step {number}"),
        messages: request.to_vec(),
    }
}

/// What the model answered: its message goes to the list, its calls come back with their ids.
pub fn record_reply<'s>(
    step: &'s TurnStep,
    ids: &mut CallIds,
    lines: &mut Vec<TrackedMessage>,
) -> Vec<(String, &'s ToolCall)> {
    let calls: Vec<(String, &ToolCall)> = ids.assign(&step.calls).into_iter().zip(&step.calls).collect();
    let text = step.reply.as_deref().unwrap_or_default();
    if !calls.is_empty() || !text.is_empty() {
        lines.push(assistant_message(text, &calls));
    }
    calls
}

/// The list as payloads carry it.
#[must_use]
pub fn to_payload(lines: &[TrackedMessage]) -> Value {
    lines.iter().map(|line| line.message.to_value()).collect()
}

/// The list that hooks made of another one: what stands in both keeps its origin, the rest is theirs.
#[must_use]
pub fn with_origins(before: &[TrackedMessage], after: &Value, trace: &Trace) -> Vec<TrackedMessage> {
    let mut left = before;
    let items = after.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            let found = left.iter().position(|line| line.message.to_value() == *item);
            if let Some((line, rest)) = found.and_then(|at| left.get(at..)?.split_first()) {
                left = rest;
                return Some(line.clone());
            }
            Some(TrackedMessage::from_hook(
                ChatMessage::from_value(item)?,
                author_hook(trace, item),
            ))
        })
        .collect()
}

/// The hook whose answer holds this message; the last of several.
fn author_hook(trace: &Trace, item: &Value) -> Option<String> {
    let contains = |value: &Value| value == item || value.as_array().is_some_and(|list| list.contains(item));
    let wrote = |step: &&hookwright_model::Step| step.edits.iter().any(|edit| contains(&edit.after));
    trace.steps.iter().rev().find(wrote).map(|step| step.hook.clone())
}

/// The hook that changed this payload field; the last of several.
#[must_use]
pub fn changed_by(trace: &Trace, field: &str) -> Option<String> {
    let wrote = |step: &&hookwright_model::Step| step.edits.iter().any(|edit| edit.field == field);
    trace.steps.iter().rev().find(wrote).map(|step| step.hook.clone())
}

/// What a payload field holds after the chain, as text.
#[must_use]
pub fn text_after(trace: &Trace, field: &str) -> String {
    trace
        .payload_after
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The feedback of a retry, as the message that it becomes.
#[must_use]
pub fn feedback_message(trace: &Trace) -> Option<TrackedMessage> {
    (trace.verdict.kind == VerdictKind::Retry).then(|| {
        let text = trace.verdict.feedback.clone().unwrap_or_default();
        TrackedMessage::from_hook(ChatMessage::new("user", text), trace.verdict.by.clone())
    })
}

/// A turn's script, step after step. A turn without steps has one answer without words.
#[derive(Debug)]
pub struct TurnScript<'a> {
    steps: std::slice::Iter<'a, TurnStep>,
    needs_empty_step: bool,
    turn: u32,
    steps_done: u32,
}

static EMPTY_STEP: TurnStep = TurnStep {
    calls: Vec::new(),
    reply: None,
};

impl<'a> TurnScript<'a> {
    /// The script of the turn of that number, from 1.
    #[must_use]
    pub fn new(turn: &'a Turn, number: u32) -> Self {
        Self {
            steps: turn.steps.iter(),
            needs_empty_step: turn.steps.is_empty(),
            turn: number,
            steps_done: 0,
        }
    }

    /// The next step and its number in the turn, from 1.
    pub fn next_step(&mut self) -> Option<(u32, &'a TurnStep)> {
        let step = match self.steps.next() {
            Some(step) => step,
            None if std::mem::take(&mut self.needs_empty_step) => &EMPTY_STEP,
            None => return None,
        };
        self.steps_done += 1;
        Some((self.steps_done, step))
    }

    /// What is said when the model would answer once more and nothing is left.
    #[must_use]
    pub fn ended_notice(&self) -> Notice {
        Notice::warning(SCRIPT_ENDED.render(args! { "turn" => self.turn }), None)
    }
}

/// Gives tool calls their ids, unique in a play.
#[derive(Debug, Default)]
pub struct CallIds {
    assigned: u32,
}

impl CallIds {
    /// Ids for these calls.
    pub fn assign(&mut self, calls: &[ToolCall]) -> Vec<String> {
        calls.iter().map(|_| self.next_id()).collect()
    }

    /// The id of one more call.
    pub fn next_id(&mut self) -> String {
        self.assigned += 1;
        format!("call_{}", self.assigned)
    }
}

/// The model's answer as a message: its words, and the calls with their ids and arguments.
#[must_use]
pub fn assistant_message(text: &str, calls: &[(String, &ToolCall)]) -> TrackedMessage {
    let mut message = ChatMessage::new("assistant", text);
    if !calls.is_empty() {
        let calls: Vec<Value> = calls
            .iter()
            .map(|(id, call)| json!({"id": id, "name": call.tool, "arguments": call.arguments_text()}))
            .collect();
        message.rest.insert(TOOL_CALLS_KEY.to_owned(), Value::Array(calls));
    }
    TrackedMessage::new(message, MessageOrigin::Assistant)
}

/// What a tool returned, as a message.
#[must_use]
pub fn tool_result(id: &str, content: impl Into<Value>) -> TrackedMessage {
    let mut message = ChatMessage::new("tool", content);
    message.rest.insert(TOOL_CALL_ID_KEY.to_owned(), Value::from(id));
    TrackedMessage::new(message, MessageOrigin::Tool)
}

/// The conversation shows what was really called: `place` is where the answer stands in it, and the call in the answer.
pub fn set_call_arguments(lines: &mut [TrackedMessage], (answer, at): (usize, usize), arguments: String) {
    let calls = lines
        .get_mut(answer)
        .and_then(|line| line.message.rest.get_mut(TOOL_CALLS_KEY));
    if let Some(call) = calls.and_then(|calls| calls.get_mut(at)) {
        call["arguments"] = Value::String(arguments);
    }
}

/// What hooks put into this output field, each as a message of its hook.
#[must_use]
pub fn added_messages(trace: &Trace, field: &str) -> Vec<TrackedMessage> {
    let each = trace.steps.iter().flat_map(|step| {
        let texts = step.edits.iter().filter(|edit| edit.field == field);
        texts.map(|edit| {
            TrackedMessage::from_hook(ChatMessage::new("user", edit.after.clone()), Some(step.hook.clone()))
        })
    });
    each.collect()
}

/// The history that the front end brings back.
#[must_use]
pub fn history_messages(messages: &[ChatMessage]) -> Vec<TrackedMessage> {
    messages
        .iter()
        .map(|message| TrackedMessage::new(message.clone(), MessageOrigin::History))
        .collect()
}
