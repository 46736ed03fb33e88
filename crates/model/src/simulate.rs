//! A scripted conversation, and the result of its simulation through a dialect's lifecycle (`CONTRACTS.md` §2.4).
//!
//! A simulation ([`crate::Dialect::simulate`]) reads a [`Scenario`] and fires events on a [`SimulationHost`]. It writes
//! what the model would have received into a [`SimulationResult`]. It never calls a model: the responses of the model
//! and of the tools are scripted.

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::event::Payload;
use crate::exact_json;
use crate::hook::Hook;
use crate::message::Message;
use crate::trace::{Notice, Trace};

/// A scripted conversation for `simulate`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Dialect id.
    pub dialect: String,
    /// The session id in the payloads; without it, a new one is generated. The session's state lasts for this
    /// simulation.
    #[serde(default)]
    pub session: Option<String>,
    /// The model's name in the payloads.
    #[serde(default)]
    pub model: String,
    /// The system prompt.
    #[serde(default)]
    pub system_prompt: String,
    /// skill: the enabled skills in their order; without it, all skills that are found.
    #[serde(default)]
    pub enabled_skills: Option<Vec<String>>,
    /// skill: the system prompts.
    #[serde(default)]
    pub prompts: Prompts,
    /// The history that the front end supplies.
    #[serde(default)]
    pub messages: Vec<ChatMessage>,
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// The system prompts of an agent with a planning call. A prompt that is not given is a placeholder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// The prompt of the planning call.
    #[serde(default)]
    pub planning: Option<String>,
    /// The prompt of the first step's call.
    #[serde(default)]
    pub first_step: Option<String>,
    /// The prompt of every later step's call.
    #[serde(default)]
    pub agent_loop: Option<String>,
}

/// One user message, and the scripted responses of the model and its tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The text of the user's message.
    pub user: String,
    /// skill: `false` means a direct reply without planning.
    #[serde(default = "default_true")]
    pub enable_tools: bool,
    /// skill: the scripted result of the planning call.
    #[serde(default = "default_true")]
    pub need_tool: bool,
    /// The scripted responses of the model, one per request.
    #[serde(default)]
    pub steps: Vec<TurnStep>,
}

fn default_true() -> bool {
    true
}

/// What a recorded event tells of a conversation. Fields are those of its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldTurn {
    /// A turn begins with a message of the user.
    Begins(UserText),
    /// A tool call begins, with the input in [`crate::Card::call_input`].
    CallBegins,
    /// A tool call ended.
    CallEnds {
        /// The field with the result.
        result: &'static str,
    },
    /// A tool call failed.
    CallFails {
        /// The field with the error.
        error: &'static str,
    },
    /// A tool call ended whose arguments and result are messages of the payload.
    CallInMessages,
    /// The model replied.
    Replies {
        /// The field with the text, and the keys inside it.
        path: &'static [&'static str],
    },
}

/// Where the payload of an event has the user's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserText {
    /// Nowhere.
    Unknown,
    /// In a field, or at these keys inside it.
    At(&'static [&'static str]),
    /// It is the last message of the user in the message list.
    LastUserMessage,
}

/// One response of the model: tool calls, a reply, or both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(try_from = "WrittenStep")]
pub struct TurnStep {
    /// The tool calls, in order.
    pub calls: Vec<ToolCall>,
    /// The text of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// A step as it is written in a scenario file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    /// The tool calls, in order.
    #[serde(default)]
    calls: Vec<ToolCall>,
    /// The text of the reply.
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

/// A tool call with its scripted result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(try_from = "WrittenCall")]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// The call's arguments: an object, or a text that is used unchanged.
    #[ts(type = "unknown")]
    pub arguments: Value,
    /// What the tool returns; without it, an empty text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown")]
    pub result: Option<Value>,
    /// The error message, if the call fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A call as it is written in a scenario file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    /// The tool's name.
    tool: String,
    /// The call's arguments: an object, or a text that is used unchanged.
    #[serde(default = "empty_object", deserialize_with = "exact_json::value")]
    arguments: Value,
    /// What the tool returns; without it, an empty text.
    #[serde(default, deserialize_with = "exact_json::optional_value")]
    result: Option<Value>,
    /// The error message, if the call fails.
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
    /// The arguments as text: a text unchanged, anything else as JSON.
    #[must_use]
    pub fn arguments_text(&self) -> String {
        text_of(&self.arguments)
    }

    /// The result as text; empty if the script has none.
    #[must_use]
    pub fn result_text(&self) -> String {
        self.result.as_ref().map(text_of).unwrap_or_default()
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A message of a conversation, with all other fields that the front end stores in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ChatMessage {
    /// The role of the author, such as `user`.
    pub role: String,
    /// The content: a text or other JSON.
    #[serde(default = "empty_text", deserialize_with = "exact_json::value")]
    #[ts(type = "unknown")]
    pub content: Value,
    /// All other fields, unchanged.
    #[serde(flatten, deserialize_with = "exact_json::object")]
    #[ts(skip)]
    pub rest: Map<String, Value>,
}

fn empty_text() -> Value {
    Value::String(String::new())
}

impl ChatMessage {
    /// A message with this role and content, without other fields.
    #[must_use]
    pub fn new(role: &str, content: impl Into<Value>) -> Self {
        Self {
            role: role.to_owned(),
            content: content.into(),
            rest: Map::new(),
        }
    }

    /// The message as a payload contains it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        out.insert("role".to_owned(), Value::from(self.role.as_str()));
        out.insert("content".to_owned(), self.content.clone());
        out.extend(self.rest.clone());
        Value::Object(out)
    }

    /// Reads a message from a payload; `None` if the value is not a message.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        let role = rest.shift_remove("role")?.as_str()?.to_owned();
        let content = rest.shift_remove("content").unwrap_or_else(empty_text);
        Some(Self { role, content, rest })
    }
}

/// The origin of a message that the model receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MessageOrigin {
    /// It is from the history.
    History,
    /// The user wrote it in this turn.
    User,
    /// It is a system prompt.
    Prompt,
    /// A hook inserted it.
    Hook,
    /// A tool returned it.
    Tool,
    /// The model wrote it.
    Assistant,
}

/// How long a text stays in the message list after a hook inserted it at this event (`skill.md` §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// Until the request ends: it is never removed.
    Request,
    /// Until the planning call ended.
    PlanningCall,
    /// Until the next step of the loop.
    Step,
    /// Until the loop ended.
    Loop,
    /// Until the next tools ran.
    NextCall,
}

/// A text that a hook inserted into the message list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct TextInsertion {
    /// The hook, by id.
    pub hook: String,
    /// The hook's name for the user.
    pub label: String,
    /// The event at which it was inserted, as an index in `traces`.
    pub event: u32,
    /// The turn, from 1.
    pub turn: u32,
    /// How long it stays; `null` if the event has no rule for that.
    pub lifetime: Option<Lifetime>,
    /// Whether the front end stores it, so that it returns with the history. Such a text is never removed.
    pub persistent: bool,
    /// The call that removed it, such as `remove(before_planning)`; `null` if it was not removed.
    pub removed_by: Option<String>,
}

/// A message as a model call receives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SeenMessage {
    /// The role of the author, such as `user`.
    pub role: String,
    /// The content of the message.
    #[serde(deserialize_with = "exact_json::value")]
    #[ts(type = "unknown")]
    pub content: Value,
    /// The origin of the message.
    pub origin: MessageOrigin,
    /// The hook that inserted it, by id. It is the hook's name if the message came back with the history, which has
    /// only the name.
    pub hook: Option<String>,
    /// That hook's name for the user; left out if the message has no hook, or the hook is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// How long texts of that hook stay in the list; left out if the message has no hook, or its event has no rule for
    /// that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lifetime: Option<Lifetime>,
    /// The insertion that the message comes from, as an index in `insertions`, also if it returned with the history. Left
    /// out if it comes from none of this simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub insertion: Option<u32>,
    /// The tool calls that a response contains.
    #[serde(
        default,
        deserialize_with = "exact_json::optional_value",
        skip_serializing_if = "Option::is_none"
    )]
    #[ts(optional, type = "unknown")]
    pub tool_calls: Option<Value>,
    /// The id of the call to which a tool's message belongs.
    #[serde(
        default,
        deserialize_with = "exact_json::optional_value",
        skip_serializing_if = "Option::is_none"
    )]
    #[ts(optional, type = "unknown")]
    pub tool_call_id: Option<Value>,
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct LlmCall {
    /// The turn, from 1.
    pub turn: u32,
    /// Which call of the turn it is: `direct`, `planning`, `step 1`, …
    pub label: String,
    /// How many events were fired before this call. It is an index in `traces`.
    pub events: u32,
    /// All messages that the model receives.
    pub messages: Vec<SeenMessage>,
}

/// A text that the front end stores beyond its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Persisted {
    /// The hook's name.
    pub name: String,
    /// The role of the message.
    pub role: String,
    /// The text.
    pub content: String,
}

/// The result of a simulation. It is filled during the simulation, so a stopped one contains all results up to the
/// stop.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulationResult {
    /// For each turn that began, how many events were fired before it.
    pub turns: Vec<u32>,
    /// The requests to the model, in order.
    pub llm_calls: Vec<LlmCall>,
    /// The texts that the front end stores, over all turns.
    pub persisted: Vec<Persisted>,
    /// The messages of the last request, as they are at the end.
    pub final_messages: Vec<SeenMessage>,
    /// The texts that hooks inserted into the message list, in order.
    pub insertions: Vec<TextInsertion>,
    /// Messages for the user about the simulation itself.
    pub notices: Vec<Notice>,
}

/// The document of `simulate --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SimulateDoc {
    /// For each turn that began, how many events were fired before it. It is an index in `traces`.
    pub turns: Vec<u32>,
    /// The requests to the model, in order.
    pub llm_calls: Vec<LlmCall>,
    /// The fired events, in order.
    pub traces: Vec<Trace>,
    /// The texts that the front end stores, over all turns.
    pub persisted: Vec<Persisted>,
    /// The messages of the last request, as they are at the end.
    pub final_messages: Vec<SeenMessage>,
    /// The texts that hooks inserted into the message list, in order.
    #[serde(default)]
    pub insertions: Vec<TextInsertion>,
    /// Messages for the user about the simulation itself. Notices about an event are in its trace.
    pub notices: Vec<Notice>,
}

/// The host of a simulation. Between the events it stores the session: state, peers, detached runs.
pub trait SimulationHost: Send {
    /// Fires an event and returns its trace. Common fields of the payload are filled in. The trace is not redacted.
    ///
    /// # Errors
    /// The simulation cannot continue: it was stopped, or the event could not be fired.
    fn fire<'a>(&'a mut self, event: &'a str, payload: Payload) -> BoxFuture<'a, Result<Trace, Message>>;

    /// How many events were fired until now.
    fn fired_events(&self) -> u32;

    /// The dialect's hooks, in load order.
    fn hooks(&self) -> Vec<&Hook>;

    /// Records that an inserted message was removed, in the step that inserted it. `by` is the call that removed it.
    fn removed(&mut self, trace: &str, hook: &str, reference: &str, by: &str);
}

crate::messages! {
    /// The model would be called again, but the script has no further step.
    SCRIPT_ENDED = "script_ended" { "turn {turn} ends here: the model would respond again, but the scenario has no further step", "第 {turn} 轮到此结束：模型会再次回复，但场景没有后续步骤" } hint { "add a step to the turn", "为该轮添加一个步骤" };
    /// Tool calls in a turn that replies without tools.
    CALLS_UNPLAYED = "calls_unplayed" { "turn {turn} ends with one response: the tool calls of its steps are not simulated", "第 {turn} 轮直接回复：不模拟其步骤中的工具调用" };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_keeps_the_other_fields_of_the_front_end() {
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
    fn every_number_of_a_scenario_and_of_its_result_is_as_it_is_written() {
        fn again<T: serde::de::DeserializeOwned + Serialize>(text: &str) {
            let read: T = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            let value = exact_json::to_value(&read);
            assert_eq!(value.to_string(), text);
            let read: T = serde_json::from_value(value).unwrap();
            assert_eq!(exact_json::to_value(&read).to_string(), text);
        }
        again::<ToolCall>(r#"{"tool":"t","arguments":{"n":[-0,0,1e2]},"result":-0}"#);
        again::<ChatMessage>(r#"{"role":"user","content":[-0,{"n":-0.0}],"_at":-0,"_of":{"n":[0,-0]}}"#);
        again::<SeenMessage>(
            r#"{"role":"tool","content":[-0],"origin":"tool","hook":null,"tool_calls":[{"n":-0}],"tool_call_id":-0}"#,
        );
    }

    #[test]
    fn a_step_needs_a_reply_or_calls_and_a_call_ends_one_way() {
        let refused = |value: Value| serde_json::from_value::<TurnStep>(value).unwrap_err().to_string();
        assert_eq!(refused(json!({})), "a step needs `calls` or `reply`");
        let both = json!({"calls": [{"tool": "t", "result": "", "error": ""}]});
        assert_eq!(refused(both), "a call has `result` or `error`, not both");
        assert!(refused(json!({"replay": "x"})).starts_with("unknown field `replay`"));
    }
}
