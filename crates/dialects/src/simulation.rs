//! Parts that the simulations of all dialects share (`CONTRACTS.md` §2.4).
//!
//! They are the script of a turn, the list of messages with their origins, and tool calls and results as messages.

use hookwright_model::simulate::SCRIPT_ENDED;
use hookwright_model::{
    ChatMessage, LlmCall, MessageOrigin, Notice, SeenMessage, ToolCall, Trace, Turn, TurnStep, VerdictKind, render,
};
use serde_json::{Value, json};

/// Fields of a message that a model call contains in addition to role and content.
const TOOL_CALLS_KEY: &str = "tool_calls";
const TOOL_CALL_ID_KEY: &str = "tool_call_id";

/// A message of the conversation with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedMessage {
    /// The message, with all its fields in addition to role and content.
    pub message: ChatMessage,
    /// The user, the model, a tool, a hook, the system prompt or the history.
    pub origin: MessageOrigin,
    /// The id of the hook that wrote the message; `None` for other origins, or if the hook is not known.
    pub hook: Option<String>,
    /// The insertion that it comes from, as an index in the result's insertions; `None` if it comes from none.
    pub insertion: Option<u32>,
}

impl TrackedMessage {
    /// Creates a message of this origin without a hook.
    #[must_use]
    pub fn new(message: ChatMessage, origin: MessageOrigin) -> Self {
        Self {
            message,
            origin,
            hook: None,
            insertion: None,
        }
    }

    /// Creates a message that this hook wrote.
    #[must_use]
    pub fn from_hook(message: ChatMessage, hook: Option<String>) -> Self {
        Self {
            message,
            origin: MessageOrigin::Hook,
            hook,
            insertion: None,
        }
    }

    /// Converts the message to the form that a model call shows: role, content and the tool fields.
    #[must_use]
    pub fn to_seen(&self) -> SeenMessage {
        SeenMessage {
            role: self.message.role.clone(),
            content: self.message.content.clone(),
            origin: self.origin,
            hook: self.hook.clone(),
            // The host knows the hooks.
            label: None,
            lifetime: None,
            insertion: self.insertion,
            tool_calls: self.message.rest.get(TOOL_CALLS_KEY).cloned(),
            tool_call_id: self.message.rest.get(TOOL_CALL_ID_KEY).cloned(),
        }
    }
}

/// Converts the list to the form that model calls show.
#[must_use]
pub fn seen_messages(lines: &[TrackedMessage]) -> Vec<SeenMessage> {
    lines.iter().map(TrackedMessage::to_seen).collect()
}

/// Returns the conversation with the system prompt before it. An empty prompt adds no message.
#[must_use]
pub fn with_system_prompt(prompt: &str, lines: &[TrackedMessage]) -> Vec<TrackedMessage> {
    let system =
        (!prompt.is_empty()).then(|| TrackedMessage::new(ChatMessage::new("system", prompt), MessageOrigin::Prompt));
    system.into_iter().chain(lines.iter().cloned()).collect()
}

/// Creates the model call of a step of a turn. `turn` and `number` (the step) count from 1; `events` were fired before.
#[must_use]
pub fn llm_call(turn: u32, number: u32, events: u32, request: &[SeenMessage]) -> LlmCall {
    LlmCall {
        turn,
        label: format!("step {number}"),
        events,
        messages: request.to_vec(),
    }
}

/// Adds the model's response to the list of messages. Returns its tool calls with their ids.
///
/// A response without text and calls adds no message.
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

/// Converts the list to the JSON that payloads contain.
#[must_use]
pub fn to_payload(lines: &[TrackedMessage]) -> Value {
    lines.iter().map(|line| line.message.to_value()).collect()
}

/// Adds origins to the list of messages that hooks returned in place of another list.
///
/// A message that is in both lists, in the same order, keeps its origin. The others have the origin `Hook`.
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

/// Returns the hook whose output contains this message; the last one if there are several.
fn author_hook(trace: &Trace, item: &Value) -> Option<String> {
    let contains = |value: &Value| value == item || value.as_array().is_some_and(|list| list.contains(item));
    let wrote = |step: &&hookwright_model::Step| step.edits.iter().any(|edit| contains(&edit.after));
    trace.steps.iter().rev().find(wrote).map(|step| step.hook.clone())
}

/// Returns the hook that changed this payload field; the last one if there are several.
#[must_use]
pub fn changed_by(trace: &Trace, field: &str) -> Option<String> {
    let wrote = |step: &&hookwright_model::Step| step.edits.iter().any(|edit| edit.field == field);
    trace.steps.iter().rev().find(wrote).map(|step| step.hook.clone())
}

/// Returns the text of a payload field after the chain; empty if the field is missing or not a string.
#[must_use]
pub fn text_after(trace: &Trace, field: &str) -> String {
    trace
        .payload_after
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Returns the feedback of a retry as a user message of its hook; `None` for any other verdict.
#[must_use]
pub fn feedback_message(trace: &Trace) -> Option<TrackedMessage> {
    (trace.verdict.kind == VerdictKind::Retry).then(|| {
        let text = trace.verdict.feedback.clone().unwrap_or_default();
        TrackedMessage::from_hook(ChatMessage::new("user", text), trace.verdict.by.clone())
    })
}

/// Iterates over the steps of a turn's script. A turn without steps has one response without text.
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
    /// Starts the script of a turn. `number` is the number of the turn, from 1.
    #[must_use]
    pub fn new(turn: &'a Turn, number: u32) -> Self {
        Self {
            steps: turn.steps.iter(),
            needs_empty_step: turn.steps.is_empty(),
            turn: number,
            steps_done: 0,
        }
    }

    /// Returns the next step and its number in the turn, from 1.
    pub fn next_step(&mut self) -> Option<(u32, &'a TurnStep)> {
        let step = match self.steps.next() {
            Some(step) => step,
            None if std::mem::take(&mut self.needs_empty_step) => &EMPTY_STEP,
            None => return None,
        };
        self.steps_done += 1;
        Some((self.steps_done, step))
    }

    /// Creates the notice for a turn in which the model has to respond again, but the script has no step left.
    #[must_use]
    pub fn ended_notice(&self) -> Notice {
        Notice::warning(render!(SCRIPT_ENDED, "turn" => self.turn), None)
    }
}

/// Gives tool calls their ids, which are unique in one simulation.
#[derive(Debug, Default)]
pub struct CallIds {
    assigned: u32,
}

impl CallIds {
    /// Returns an id for each of these calls.
    pub fn assign(&mut self, calls: &[ToolCall]) -> Vec<String> {
        calls.iter().map(|_| self.next_id()).collect()
    }

    /// Returns the id of the next call: `call_1`, `call_2`, …
    pub fn next_id(&mut self) -> String {
        self.assigned += 1;
        format!("call_{}", self.assigned)
    }
}

/// Creates the message of a model response: its text, and the tool calls with their ids and arguments.
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

/// Creates the message with the result of a tool call; `id` is the id of the call.
#[must_use]
pub fn tool_result(id: &str, content: impl Into<Value>) -> TrackedMessage {
    let mut message = ChatMessage::new("tool", content);
    message.rest.insert(TOOL_CALL_ID_KEY.to_owned(), Value::from(id));
    TrackedMessage::new(message, MessageOrigin::Tool)
}

/// Replaces the arguments of a tool call in the conversation, so that it shows what was really called.
///
/// `answer` is the index of the model's message in `lines`, and `at` the index of the call in that message.
pub fn set_call_arguments(lines: &mut [TrackedMessage], (answer, at): (usize, usize), arguments: String) {
    let calls = lines
        .get_mut(answer)
        .and_then(|line| line.message.rest.get_mut(TOOL_CALLS_KEY));
    if let Some(call) = calls.and_then(|calls| calls.get_mut(at)) {
        call["arguments"] = Value::String(arguments);
    }
}

/// Returns what hooks wrote to this output field, each as a user message of its hook.
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

/// Converts the messages of the history, as the front end stores them, to messages with the origin `History`.
#[must_use]
pub fn history_messages(messages: &[ChatMessage]) -> Vec<TrackedMessage> {
    messages
        .iter()
        .map(|message| TrackedMessage::new(message.clone(), MessageOrigin::History))
        .collect()
}
