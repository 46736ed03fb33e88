//! Connected agents: their sessions, what they ask for, and what they are asked (`CONTRACTS.md` §3).
//!
//! What it deliberately does not do: it knows no socket. The host gives each connection as an
//! [`AgentLink`](crate::agent_sessions::AgentLink), and hands every request to its [`AgentConnection`]. The sessions
//! themselves are in [`crate::agent_sessions`].

mod agent_event;
mod connection;
mod joined;
mod methods;
mod opening;
mod requests;
mod session_hooks;
mod skills;

use std::time::Duration;

pub use connection::{AgentConnection, Begun, PeerProcess};
pub use methods::{AGENT_METHODS, AgentMethod, MethodCaller, schemas};

/// The version of the agent protocol.
pub const PROTOCOL: u32 = 1;
/// The longest time that a session is kept without a connection (`CONTRACTS.md` §3).
pub const MAX_KEEP: Duration = Duration::from_secs(3600);
/// How many bytes of answers may wait for an agent to read them. Until it has read some, it begins no further event.
pub const MAX_UNREAD_BYTES: usize = 16 << 20;
/// The longest session id, name and version of an agent, in bytes. Every trace and every list of agents has them.
pub const MAX_NAME_BYTES: usize = 1024;

hookwright_model::messages! {
    /// A method other than `session.open` came first.
    NO_SESSION = "no_session" { "{method} needs a session", "{method} 需要先打开会话" } hint { "open a session with `session.open` first", "先用 `session.open` 打开会话" };
    /// A connection opened a second session.
    SESSION_OPEN_ALREADY = "session_open_already" { "this connection has opened session {session} already", "此连接已打开会话 {session}" } hint { "use one connection for each session", "每个会话使用一个连接" };
    /// The protocol version is not supported.
    UNKNOWN_PROTOCOL = "unknown_protocol" { "unknown protocol {protocol}", "未知的协议版本 {protocol}" } hint { "use protocol 1", "使用协议版本 1" };
    /// The working directory of an agent is relative.
    RELATIVE_CWD = "relative_cwd" { "`cwd` must be an absolute path, not {path}", "`cwd` 必须是绝对路径，不能是 {path}" } hint { "give the full path of the project", "给出项目的完整路径" };
    /// A name of an agent, or a session id, is too long to be kept and shown.
    NAME_TOO_LONG = "name_too_long" { "`{field}` has {bytes} bytes; at most {limit} are allowed", "`{field}` 有 {bytes} 字节，最多允许 {limit} 字节" } hint { "use a shorter one", "改用较短的值" };
    /// An agent asked for a command of the control socket.
    NOT_FOR_AGENTS = "not_for_agents" { "{method} is not allowed for an agent", "不允许 Agent 调用 {method}" } hint { "use the control socket, or fire events and register session hooks", "使用控制套接字，或触发事件、注册会话 Hook" };
    /// The method of an agent does not exist.
    UNKNOWN_AGENT_METHOD = "unknown_method" / "agent" { "unknown method {method}", "未知方法 {method}" } hint { "see docs/agents.md for the list of methods", "查看 docs/agents.md 中的方法列表" };
    /// The parameters of an agent's method have the wrong form.
    BAD_AGENT_PARAMS = "bad_params" / "agent" { "invalid parameters of {method}: {why}", "{method} 的参数无效：{why}" } hint { "see docs/agents.md for the parameters", "参数见 docs/agents.md" };
    /// A session hook is refused.
    HOOK_REFUSED = "hook_refused" { "the hook is not registered: {why}", "Hook 未注册：{why}" };
    /// A connection has registered as many hooks as it may.
    TOO_MANY_HOOKS = "too_many_hooks" { "one connection can register at most {limit} hooks with {bytes} bytes of text", "一个连接最多可注册 {limit} 个 Hook，文本合计最多 {bytes} 字节" } hint { "remove some of them with `hook.remove` first", "先用 `hook.remove` 移除其中一些" };
    /// The agent does not read the answers to its events.
    TOO_MUCH_UNREAD = "too_much_unread" { "more than {limit} bytes of responses wait to be read", "超过 {limit} 字节的响应尚未被读取" } hint { "read the responses before sending further events", "先读取响应，再发送新的事件" };
    /// The dialect has no message list.
    NO_MESSAGES = "no_message_list" { "{dialect} has no skill methods", "{dialect} 没有 Skill 方法" } hint { "fire its events with `event.fire`", "用 `event.fire` 触发它的事件" };
    /// `skill.begin` has messages or skills of the wrong form.
    BAD_MESSAGES = "payload_refused" / "messages" { "{why}", "{why}" } hint { "see docs/agents.md for the parameters", "参数见 docs/agents.md" };
    /// A session id has no characters.
    EMPTY_SESSION_ID = "empty_session_id" { "`session_id` is empty", "`session_id` 为空" } hint { "leave it out to begin a session with a new id, or send the id of the conversation", "省略该字段会以新 id 开始会话；否则发送对话的 id" };
    /// Another skill method came before `skill.begin`.
    NO_REQUEST = "no_skill_request" { "{method} needs a request", "{method} 需要先开始请求" } hint { "begin a request with `skill.begin` first", "先用 `skill.begin` 开始请求" };
    /// A reported step names nothing.
    NAMELESS_STEP = "bad_params" / "nameless_step" { "invalid parameters of run.report: step {number} names no hook", "run.report 的参数无效：第 {number} 步未写明 Hook" } hint { "give each step its `hook`, or a `label`", "为每一步写上 `hook` 或 `label`" };
    /// The engine could not take an event of an agent.
    EVENT_REFUSED = "event_refused" { "the engine refused this event, so no hook ran: {why}", "引擎拒绝了此事件，因此没有执行任何 Hook：{why}" } hint { "let the relay run with `--fail-closed` if such an event must not pass", "如果不允许放行这类事件，请以 `--fail-closed` 运行中继" };
    /// An event without an answer could not be fired.
    NOTE_NOT_FIRED = "not_fired" / "note" { "{event} was not fired: {why}", "未触发 {event}：{why}" };
}
