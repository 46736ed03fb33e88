//! Connected agents: their sessions, what they ask for, and what they are asked (`CONTRACTS.md` §3).
//!
//! What it deliberately does not do: it knows no socket. The host gives each connection as an [`AgentLink`], and hands
//! every request to its [`AgentConnection`].
//!
//! How it works: [`AgentSessions`] has the sessions that live, by dialect and session id. An [`AgentSession`] has the
//! connections that share it, and an `engine::Session` that is replaced when the conversation ends. A connection that
//! leaves stops its events; the last one ends the session, unless it asked for the session to be kept.

mod calls;
mod connection;
mod listing;
mod requests;
mod session;
mod sessions;
mod skills;
pub(crate) mod test_fire;

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

pub use connection::{AgentConnection, Begun};
pub use listing::{AgentIdentity, AgentRow, AgentsDoc, agents_list};
pub use requests::{AgentInfo, METHODS};
pub use sessions::AgentSessions;
pub use test_fire::{AgentFireDoc, AgentFireRequest, agents_fire};

/// The version of the agent protocol.
pub const PROTOCOL: u32 = 1;
/// The longest time that a session is kept without a connection (`CONTRACTS.md` §3).
pub const MAX_KEEP: Duration = Duration::from_secs(3600);

hookwright_model::messages! {
    /// A method other than `session.open` came first.
    NO_SESSION = "no_session" { "{method} needs a session", "{method} 需要先打开会话" } hint { "call `session.open` first", "先调用 `session.open`" };
    /// A connection opened a second session.
    SESSION_OPEN_ALREADY = "session_open_already" { "this connection has opened session {session} already", "此连接已打开会话 {session}" } hint { "use one connection for each session", "每个会话使用一个连接" };
    /// The protocol version is not supported.
    UNKNOWN_PROTOCOL = "unknown_protocol" { "unknown protocol {protocol}", "未知的协议版本 {protocol}" } hint { "use protocol 1", "使用协议版本 1" };
    /// The working directory of an agent is relative.
    RELATIVE_CWD = "relative_cwd" { "`cwd` must be an absolute path, not {path}", "`cwd` 必须是绝对路径，不能是 {path}" };
    /// An agent asked for a command of the control socket.
    NOT_FOR_AGENTS = "not_for_agents" { "{method} is not allowed for an agent", "不允许智能体调用 {method}" } hint { "an agent can fire events and register hooks of its own session", "智能体可以触发事件，并为自己的会话注册 Hook" };
    /// A session hook is refused.
    HOOK_REFUSED = "hook_refused" { "the hook is not registered: {why}", "Hook 未注册：{why}" };
    /// The dialect has no message list.
    NO_MESSAGES = "no_message_list" { "{dialect} has no skill methods", "{dialect} 没有 skill 方法" };
    /// `skill.begin` has messages or skills of the wrong form.
    BAD_MESSAGES = "payload_refused" / "messages" { "{why}", "{why}" };
    /// Another skill method came before `skill.begin`.
    NO_REQUEST = "no_skill_request" { "{method} needs a request", "{method} 需要先开始请求" } hint { "call `skill.begin` first", "先调用 `skill.begin`" };
    /// An event without an answer could not be fired.
    NOTE_NOT_FIRED = "not_fired" / "note" { "{event} was not fired: {why}", "未触发 {event}：{why}" };
}

/// Why an agent gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkError {
    /// It did not answer in time.
    TimedOut,
    /// It has left.
    Gone,
    /// It answered with an error, whose message this is.
    Refused(String),
}

/// One connection to an agent.
pub trait AgentLink: Send + Sync {
    /// Calls a method of the agent, and waits for its result at most this long. Dropping the future gives the call up.
    fn call<'a>(
        &'a self,
        method: &'static str,
        params: Value,
        time_limit: Duration,
    ) -> BoxFuture<'a, Result<Value, LinkError>>;

    /// Sends a notification.
    fn notify<'a>(&'a self, method: &'static str, params: Value) -> BoxFuture<'a, ()>;
}
