//! A scripted conversation, and what playing it through a dialect's lifecycle comes to (`CONTRACTS.md` §2.4).
//!
//! A dialect's play ([`crate::Dialect::simulate`]) reads a [`Scenario`], fires events on a [`SimulationHost`] and writes what the
//! model would have seen into a [`SimulationResult`]. It never asks a model: what one answers, and what tools return, is scripted.

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::event::Payload;
use crate::hook::Hook;
use crate::message::Message;
use crate::trace::{Notice, Trace};

/// A scripted conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Dialect id.
    pub dialect: String,
    /// The session id in the payloads; one is made when it is not given. Its state lives for this run.
    #[serde(default)]
    pub session: Option<String>,
    /// The model's name.
    #[serde(default)]
    pub model: String,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: String,
    /// skill: the enabled skills in their order; without it, all that are found.
    #[serde(default)]
    pub enabled_skills: Option<Vec<String>>,
    /// skill: the system's own prompts.
    #[serde(default)]
    pub prompts: Prompts,
    /// History that the front end brings back.
    #[serde(default)]
    pub messages: Vec<ChatMessage>,
    /// What the user says, turn by turn.
    pub turns: Vec<Turn>,
}

/// The system's own prompts of an agent with a planning call; placeholders where nothing is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Before the planning call.
    #[serde(default)]
    pub planning: Option<String>,
    /// Before the first step's call.
    #[serde(default)]
    pub first_step: Option<String>,
    /// Before every later step's call.
    #[serde(default)]
    pub agent_loop: Option<String>,
}

/// What the user says, and what the model and its tools answer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The user's words.
    pub user: String,
    /// skill: `false` means a direct reply, no planning.
    #[serde(default = "default_true")]
    pub enable_tools: bool,
    /// skill: what the planning call answered.
    #[serde(default = "default_true")]
    pub need_tool: bool,
    /// What the model answers, one request after the other.
    #[serde(default)]
    pub steps: Vec<TurnStep>,
}

fn default_true() -> bool {
    true
}

/// One answer of the model: tool calls, a reply, or both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(try_from = "WrittenStep")]
pub struct TurnStep {
    /// The tools it calls, in order.
    pub calls: Vec<ToolCall>,
    /// Its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// A step as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    /// The tools it calls, in order.
    #[serde(default)]
    calls: Vec<ToolCall>,
    /// Its words.
    #[serde(default)]
    reply: Option<String>,
}

impl TryFrom<WrittenStep> for TurnStep {
    type Error = &'static str;

    fn try_from(WrittenStep { calls, reply }: WrittenStep) -> Result<Self, Self::Error> {
        if calls.is_empty() && reply.is_none() {
            return Err("a step needs `calls` or `reply`");
        }
        Ok(Self { calls, reply })
    }
}

/// A call of a tool, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(try_from = "WrittenCall")]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments: an object, or a text as it stands.
    #[ts(type = "unknown")]
    pub arguments: Value,
    /// What it returns; nothing counts as an empty text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown")]
    pub result: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A call as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    /// The tool's name.
    tool: String,
    /// Its arguments: an object, or a text as it stands.
    #[serde(default = "empty_object")]
    arguments: Value,
    /// What it returns; nothing counts as an empty text.
    #[serde(default)]
    result: Option<Value>,
    /// Why it failed.
    #[serde(default)]
    error: Option<String>,
}

fn empty_object() -> Value {
    Value::Object(Map::new())
}

impl TryFrom<WrittenCall> for ToolCall {
    type Error = &'static str;

    fn try_from(written: WrittenCall) -> Result<Self, Self::Error> {
        if written.result.is_some() && written.error.is_some() {
            return Err("a call has `result` or `error`, not both");
        }
        Ok(Self {
            tool: written.tool,
            arguments: written.arguments,
            result: written.result,
            error: written.error,
        })
    }
}

impl ToolCall {
    /// The arguments as text: a text as it stands, anything else as JSON.
    #[must_use]
    pub fn arguments_text(&self) -> String {
        text_of(&self.arguments)
    }

    /// What it returned as text; empty when the script says nothing.
    #[must_use]
    pub fn result_text(&self) -> String {
        self.result.as_ref().map(text_of).unwrap_or_default()
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A message of a conversation, with whatever else the front end keeps beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: String,
    /// What is said.
    #[serde(default = "empty_text")]
    #[ts(type = "unknown")]
    pub content: Value,
    /// Other fields, kept as they are.
    #[serde(flatten)]
    #[ts(skip)]
    pub rest: Map<String, Value>,
}

fn empty_text() -> Value {
    Value::String(String::new())
}

impl ChatMessage {
    /// A message of these words.
    #[must_use]
    pub fn new(role: &str, content: impl Into<Value>) -> Self {
        Self {
            role: role.to_owned(),
            content: content.into(),
            rest: Map::new(),
        }
    }

    /// As it stands in a payload.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        out.insert("role".to_owned(), Value::from(self.role.as_str()));
        out.insert("content".to_owned(), self.content.clone());
        out.extend(self.rest.clone());
        Value::Object(out)
    }

    /// From a payload; `None` when it is no message.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        let role = rest.shift_remove("role")?.as_str()?.to_owned();
        let content = rest.shift_remove("content").unwrap_or_else(empty_text);
        Some(Self { role, content, rest })
    }
}

/// Where a message that the model sees comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MessageOrigin {
    /// It was there before.
    History,
    /// The user said it in this turn.
    User,
    /// The system's own prompt.
    Prompt,
    /// A hook put it there.
    Hook,
    /// A tool returned it.
    Tool,
    /// The model said it.
    Assistant,
}

/// A message as a model call sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SeenMessage {
    /// Who speaks.
    pub role: String,
    /// What is said.
    #[ts(type = "unknown")]
    pub content: Value,
    /// Where it comes from.
    pub origin: MessageOrigin,
    /// The hook that put it there, by id; by name where only that came back with the history.
    pub hook: Option<String>,
    /// The tools that an answer calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub tool_calls: Option<Value>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub tool_call_id: Option<Value>,
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct LlmCall {
    /// The turn, from 1.
    pub turn: u32,
    /// Which call of the turn: `direct`, `planning`, `step 1`, …
    pub label: String,
    /// All that the model sees.
    pub messages: Vec<SeenMessage>,
}

/// A text that the front end keeps beyond its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Persisted {
    /// The hook's name.
    pub name: String,
    /// Who speaks.
    pub role: String,
    /// The text.
    pub content: String,
}

/// What a play comes to. It is written as the play goes on, so that one that is stopped shows how far it came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulationResult {
    /// The requests, in order.
    pub llm_calls: Vec<LlmCall>,
    /// What the front end keeps, over all turns.
    pub persisted: Vec<Persisted>,
    /// The last request's list as it stands at its end.
    pub final_messages: Vec<SeenMessage>,
    /// What a person should know of the play itself.
    pub notices: Vec<Notice>,
}

/// `simulate --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SimulateDoc {
    /// The requests to the model, in order.
    pub llm_calls: Vec<LlmCall>,
    /// The fired events, in order.
    pub traces: Vec<Trace>,
    /// What the front end keeps, over all turns.
    pub persisted: Vec<Persisted>,
    /// The last request's list as it stands at its end.
    pub final_messages: Vec<SeenMessage>,
    /// What a person should know of the play itself; what belongs to an event stands in its trace.
    pub notices: Vec<Notice>,
}

/// Where a play takes place. It keeps the session between the events: state, long-lived processes, detached runs.
pub trait SimulationHost: Send {
    /// Fires an event; common fields are filled in. The trace is the original, not redacted.
    ///
    /// # Errors
    /// The play cannot go on: it was stopped, or the event could not be fired.
    fn fire<'a>(&'a mut self, event: &'a str, payload: Payload) -> BoxFuture<'a, Result<Trace, Message>>;

    /// The dialect's hooks, in load order.
    fn hooks(&self) -> Vec<&Hook>;

    /// Notes on the step that inserted it that a message was taken out: `by` says by which call.
    fn removed(&mut self, trace: &str, hook: &str, reference: &str, by: &str);
}

crate::messages! {
    /// The model is to answer once more, and the script has nothing left.
    SCRIPT_ENDED = "script_ended" { "turn {turn} ends here: the model would answer once more, and the script has no further step", "第 {turn} 轮到此结束：模型本应再次回答，但脚本没有后续步骤" } hint { "add a step to the turn", "为该轮添加一个步骤" };
    /// Parts of the script that a turn without tools never comes to.
    CALLS_UNPLAYED = "calls_unplayed" { "turn {turn} replies at once: the tool calls of its steps are not played", "第 {turn} 轮直接回复：其步骤中的工具调用未推演" };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_keeps_what_the_front_end_keeps_beside_it() {
        let value = json!({"role": "system", "content": "Be brief.", "_hook": "tone"});
        let message = ChatMessage::from_value(&value).unwrap();
        assert_eq!(
            (message.rest["_hook"].as_str(), message.to_value()),
            (Some("tone"), value)
        );
        assert_eq!(ChatMessage::from_value(&json!({"role": "user"})).unwrap().content, "");
        assert_eq!(ChatMessage::from_value(&json!({"content": "x"})), None);
    }

    #[test]
    fn arguments_and_results_are_texts_or_json() {
        let call: ToolCall =
            serde_json::from_value(json!({"tool": "t", "arguments": {"a": 1}, "result": "r"})).unwrap();
        assert_eq!(
            (call.arguments_text().as_str(), call.result_text().as_str()),
            (r#"{"a":1}"#, "r")
        );
        let call: ToolCall = serde_json::from_value(json!({"tool": "t", "arguments": "a=1", "result": [1]})).unwrap();
        assert_eq!(
            (call.arguments_text().as_str(), call.result_text().as_str()),
            ("a=1", "[1]")
        );
        let call: ToolCall = serde_json::from_value(json!({"tool": "t"})).unwrap();
        assert_eq!(
            (call.arguments_text().as_str(), call.result_text().as_str()),
            ("{}", "")
        );
    }

    #[test]
    fn a_step_says_something_and_a_call_ends_one_way() {
        let refused = |value: Value| serde_json::from_value::<TurnStep>(value).unwrap_err().to_string();
        assert_eq!(refused(json!({})), "a step needs `calls` or `reply`");
        let both = json!({"calls": [{"tool": "t", "result": "", "error": ""}]});
        assert_eq!(refused(both), "a call has `result` or `error`, not both");
        assert!(refused(json!({"replay": "x"})).starts_with("unknown field `replay`"));
    }
}
