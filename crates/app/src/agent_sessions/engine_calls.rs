//! What the engine asks of an agent, and what the agent answers (`CONTRACTS.md` §3).

use hookwright_model::{Args, Message, Notice, NoticeKind, Payload, Reply, exact_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The parameters of `agent.fire`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TestEventParams<'c> {
    /// The event in the dialect's spelling.
    pub(crate) event: &'c str,
    /// The payload.
    pub(crate) payload: &'c Payload,
    /// The id of the engine's own trace of the event.
    pub(crate) trace: &'c str,
}

/// The result of `agent.fire`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(expecting = "an object with `reply`")]
pub(crate) struct TestEventResult {
    /// What the agent's own hooks reply.
    pub(crate) reply: Reply,
    /// The steps of its own hooks, in its own form.
    #[serde(default, deserialize_with = "exact_json::optional_value")]
    pub(crate) steps: Option<Value>,
}

/// The parameters of `callback.call`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallbackParams<'c> {
    /// The agent's name for the function.
    pub(crate) callback: &'c str,
    /// The event in the dialect's spelling.
    pub(crate) event: &'c str,
    /// What the function gets.
    pub(crate) input: &'c Value,
    /// The id of the tool call that the event is about; `null` if it is about none.
    pub(crate) tool_use_id: Option<&'c str>,
    /// The time limit, in milliseconds.
    pub(crate) timeout_ms: u64,
}

/// The result of `callback.call`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CallbackResult {
    /// The output of the hook, in the dialect's own form.
    #[serde(deserialize_with = "exact_json::value")]
    pub(crate) output: Value,
}

/// The parameters of `model.complete`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CompletionParams<'c> {
    /// The system message.
    pub(crate) system: &'c str,
    /// The user message.
    pub(crate) prompt: &'c str,
    /// A model name; `null` for the agent's present one.
    pub(crate) model: Option<&'c str>,
    /// The maximum number of tokens in the response.
    pub(crate) max_tokens: u32,
    /// The sampling temperature.
    pub(crate) temperature: f32,
    /// The time limit, in milliseconds.
    pub(crate) timeout_ms: u64,
}

/// The result of `model.complete`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CompletionResult {
    /// The response of the model.
    pub(crate) text: String,
    /// The tokens: `input_tokens` and `output_tokens`, or `prompt_tokens` and `completion_tokens`.
    #[serde(default)]
    pub(crate) usage: Value,
}

/// What kind of notice a session gets.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionNoticeKind {
    /// A text of a hook for the user.
    UserMessage,
    /// A warning of Hookwright.
    Warning,
    /// A program joined the session that neither started a program in it nor was started by one.
    Joined,
}

impl From<NoticeKind> for SessionNoticeKind {
    fn from(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::UserMessage => Self::UserMessage,
            NoticeKind::Warning => Self::Warning,
        }
    }
}

/// The parameters of `session.notice`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoticeParams<'n> {
    /// What kind of notice it is.
    kind: SessionNoticeKind,
    /// The English text.
    text: &'n str,
    /// The code of a message of Hookwright; `null` for a text of a hook.
    code: Option<&'n str>,
    /// The arguments of the message.
    args: &'n Args,
}

/// The parameters of `session.notice` for a notice of a trace.
pub(crate) fn notice(notice: &Notice) -> Value {
    json!(NoticeParams {
        kind: notice.kind.into(),
        text: &notice.text,
        code: notice.code.as_deref(),
        args: &notice.args,
    })
}

/// The parameters of `session.notice` for a message of the engine.
pub(crate) fn warning(message: &Message) -> Value {
    of_message(SessionNoticeKind::Warning, message)
}

/// The parameters of `session.notice` for a program that joined.
pub(crate) fn joined_notice(message: &Message) -> Value {
    of_message(SessionNoticeKind::Joined, message)
}

fn of_message(kind: SessionNoticeKind, message: &Message) -> Value {
    json!(NoticeParams {
        kind,
        text: &message.text,
        code: Some(message.code),
        args: &message.args,
    })
}
