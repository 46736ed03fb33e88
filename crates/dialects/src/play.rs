//! What the plays of `simulate` share: a turn's script, the list of messages with where each came from, tool calls and
//! their results as messages (`CONTRACTS.md` §2.4).

use hookwright_model::simulate::SCRIPT_ENDED;
use hookwright_model::{
    ChatMessage, LlmCall, MessageOrigin, Notice, SeenMessage, ToolCall, Trace, Turn, TurnStep, VerdictKind, args,
};
use serde_json::{Value, json};

/// Fields of a message that a model call gets beside role and content.
const CALLS: &str = "tool_calls";
const CALL_ID: &str = "tool_call_id";

/// A message of the conversation, and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The message, with whatever stands beside role and content.
    pub message: ChatMessage,
    /// Where it came from.
    pub origin: MessageOrigin,
    /// The hook that put it there.
    pub hook: Option<String>,
}

impl Line {
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
    pub fn of_hook(message: ChatMessage, hook: Option<String>) -> Self {
        Self {
            message,
            origin: MessageOrigin::Hook,
            hook,
        }
    }

    /// As a model call sees it: role, content and the tool fields.
    #[must_use]
    pub fn seen(&self) -> SeenMessage {
        SeenMessage {
            role: self.message.role.clone(),
            content: self.message.content.clone(),
            origin: self.origin,
            hook: self.hook.clone(),
            tool_calls: self.message.rest.get(CALLS).cloned(),
            tool_call_id: self.message.rest.get(CALL_ID).cloned(),
        }
    }
}

/// The list as model calls see it.
#[must_use]
pub fn seen(lines: &[Line]) -> Vec<SeenMessage> {
    lines.iter().map(Line::seen).collect()
}

/// The conversation behind the system prompt, when there is one.
#[must_use]
pub fn with_system(prompt: &str, lines: &[Line]) -> Vec<Line> {
    let system = (!prompt.is_empty()).then(|| Line::new(ChatMessage::new("system", prompt), MessageOrigin::Prompt));
    system.into_iter().chain(lines.iter().cloned()).collect()
}

/// What the model was asked at a step of a turn, both counted from 1.
#[must_use]
pub fn asked(turn: u32, number: u32, request: &[SeenMessage]) -> LlmCall {
    LlmCall {
        turn,
        label: format!("step {number}"),
        messages: request.to_vec(),
    }
}

/// What the model answered: its message goes to the list, its calls come back with their ids.
pub fn answered<'s>(step: &'s TurnStep, ids: &mut CallIds, lines: &mut Vec<Line>) -> Vec<(String, &'s ToolCall)> {
    let calls: Vec<(String, &ToolCall)> = ids.of(&step.calls).into_iter().zip(&step.calls).collect();
    let words = step.reply.as_deref().unwrap_or_default();
    if !calls.is_empty() || !words.is_empty() {
        lines.push(answer(words, &calls));
    }
    calls
}

/// The list as payloads carry it.
#[must_use]
pub fn messages(lines: &[Line]) -> Value {
    lines.iter().map(|line| line.message.to_value()).collect()
}

/// The list that hooks made of another one: what stands in both keeps its origin, the rest is theirs.
#[must_use]
pub fn rewritten(before: &[Line], after: &Value, trace: &Trace) -> Vec<Line> {
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
            Some(Line::of_hook(ChatMessage::from_value(item)?, author(trace, item)))
        })
        .collect()
}

/// The hook whose answer holds this message; the last of several.
fn author(trace: &Trace, item: &Value) -> Option<String> {
    let holds = |value: &Value| value == item || value.as_array().is_some_and(|list| list.contains(item));
    let wrote = |step: &&hookwright_model::Step| step.edits.iter().any(|edit| holds(&edit.after));
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
pub fn feedback(trace: &Trace) -> Option<Line> {
    (trace.verdict.kind == VerdictKind::Retry).then(|| {
        let said = trace.verdict.feedback.clone().unwrap_or_default();
        Line::of_hook(ChatMessage::new("user", said), trace.verdict.by.clone())
    })
}

/// A turn's script, step after step. A turn without steps has one answer without words.
#[derive(Debug)]
pub struct Script<'a> {
    steps: std::slice::Iter<'a, TurnStep>,
    silent: bool,
    turn: u32,
    played: u32,
}

static SILENT: TurnStep = TurnStep {
    calls: Vec::new(),
    reply: None,
};

impl<'a> Script<'a> {
    /// The script of the turn of that number, from 1.
    #[must_use]
    pub fn of(turn: &'a Turn, number: u32) -> Self {
        Self {
            steps: turn.steps.iter(),
            silent: turn.steps.is_empty(),
            turn: number,
            played: 0,
        }
    }

    /// The next step and its number in the turn, from 1.
    pub fn next_step(&mut self) -> Option<(u32, &'a TurnStep)> {
        let step = match self.steps.next() {
            Some(step) => step,
            None if std::mem::take(&mut self.silent) => &SILENT,
            None => return None,
        };
        self.played += 1;
        Some((self.played, step))
    }

    /// What is said when the model would answer once more and nothing is left.
    #[must_use]
    pub fn ended(&self) -> Notice {
        Notice::warning(SCRIPT_ENDED.render(args! { "turn" => self.turn }), None)
    }
}

/// Gives tool calls their ids, unique in a play.
#[derive(Debug, Default)]
pub struct CallIds {
    given: u32,
}

impl CallIds {
    /// Ids for these calls.
    pub fn of(&mut self, calls: &[ToolCall]) -> Vec<String> {
        calls.iter().map(|_| self.next_id()).collect()
    }

    /// The id of one more call.
    pub fn next_id(&mut self) -> String {
        self.given += 1;
        format!("call_{}", self.given)
    }
}

/// The model's answer as a message: its words, and the calls with their ids and arguments.
#[must_use]
pub fn answer(words: &str, calls: &[(String, &ToolCall)]) -> Line {
    let mut message = ChatMessage::new("assistant", words);
    if !calls.is_empty() {
        let calls: Vec<Value> = calls
            .iter()
            .map(|(id, call)| json!({"id": id, "name": call.tool, "arguments": call.arguments_text()}))
            .collect();
        message.rest.insert(CALLS.to_owned(), Value::Array(calls));
    }
    Line::new(message, MessageOrigin::Assistant)
}

/// What a tool returned, as a message.
#[must_use]
pub fn tool_result(id: &str, content: impl Into<Value>) -> Line {
    let mut message = ChatMessage::new("tool", content);
    message.rest.insert(CALL_ID.to_owned(), Value::from(id));
    Line::new(message, MessageOrigin::Tool)
}

/// The conversation shows what was really called: `place` is where the answer stands in it, and the call in the answer.
pub fn note_arguments(lines: &mut [Line], (answer, at): (usize, usize), arguments: String) {
    let calls = lines.get_mut(answer).and_then(|line| line.message.rest.get_mut(CALLS));
    if let Some(call) = calls.and_then(|calls| calls.get_mut(at)) {
        call["arguments"] = Value::String(arguments);
    }
}

/// What hooks put into this output field, each as a message of its hook.
#[must_use]
pub fn additions(trace: &Trace, field: &str) -> Vec<Line> {
    let each = trace.steps.iter().flat_map(|step| {
        let texts = step.edits.iter().filter(|edit| edit.field == field);
        texts.map(|edit| Line::of_hook(ChatMessage::new("user", edit.after.clone()), Some(step.hook.clone())))
    });
    each.collect()
}

/// The history that the front end brings back.
#[must_use]
pub fn history(messages: &[ChatMessage]) -> Vec<Line> {
    messages
        .iter()
        .map(|message| Line::new(message.clone(), MessageOrigin::History))
        .collect()
}
