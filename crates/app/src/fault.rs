//! [`Fault`], the error of a use case that cannot do what was requested. `Result` begins below it, in `workspace`
//! (`ARCHITECTURE.md`).

use hookwright_model::{Args, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is wrong, why, and what to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Fault {
    /// The stable code that scripts and the window's texts rely on.
    pub code: String,
    /// The English message.
    pub message: String,
    /// The arguments of the message, for other languages.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
    /// The English hint what to do next; `null` if there is none.
    pub hint: Option<String>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl From<Message> for Fault {
    fn from(message: Message) -> Self {
        Self {
            code: message.code.to_owned(),
            message: message.text,
            args: message.args,
            hint: message.hint,
        }
    }
}

impl From<hookwright_workspace::data_files::locked_file::LockedFileError> for Fault {
    fn from(error: hookwright_workspace::data_files::locked_file::LockedFileError) -> Self {
        error.message().into()
    }
}

impl From<hookwright_workspace::settings::SettingsError> for Fault {
    fn from(error: hookwright_workspace::settings::SettingsError) -> Self {
        error.message().into()
    }
}

impl Fault {
    /// The JSON-RPC error number of this fault (`CONTRACTS.md` §3).
    #[must_use]
    pub fn rpc_code(&self) -> i32 {
        match self.code.as_str() {
            "unknown_method" => -32601,
            "bad_params" => -32602,
            "unknown_dialect" | "unknown_event_name" => -32002,
            "session_closed" => -32001,
            "payload_refused" | "payload_too_large" | "payload_too_deep" | "payload_not_object" | "too_many_events" => {
                -32004
            }
            "shutting_down" => -32005,
            _ => -32000,
        }
    }
}

hookwright_model::messages! {
    /// The command does not exist.
    UNKNOWN_METHOD = "unknown_method" { "there is no command {method}", "没有命令 {method}" } hint { "docs/control.md lists them", "docs/control.md 列出了全部命令" };
    /// The parameters of a command have the wrong form.
    BAD_PARAMS = "bad_params" { "the parameters of {method} do not fit: {why}", "{method} 的参数不合适：{why}" };
    /// The payload is not one JSON object (`engine.md` §1).
    PAYLOAD_NOT_OBJECT = "payload_not_object" { "the payload must be one JSON object: {why}", "载荷必须是一个 JSON 对象：{why}" } hint { "write it as {\"key\": value}", "请写成 {\"key\": value}" };
    /// The payload has more bytes than [`crate::payload::MAX_PAYLOAD_BYTES`] (`engine.md` §1).
    PAYLOAD_TOO_LARGE = "payload_too_large" { "the payload has {bytes} bytes, at most {limit} are taken", "载荷有 {bytes} 字节，最多接受 {limit}" };
    /// The payload is nested too deeply (`engine.md` §9).
    PAYLOAD_TOO_DEEP = "payload_too_deep" { "the payload is nested deeper than {limit}", "载荷嵌套超过 {limit} 层" };
    /// The payload contradicts the event.
    PAYLOAD_REFUSED = "payload_refused" { "{why}", "{why}" };
    /// The hook changed between the review and the approval.
    REVIEW_IS_OLD = "review_is_old" { "{hook} changed while it was reviewed", "审阅期间 {hook} 发生了变化" } hint { "review it again", "请重新审阅" };
    /// The history contains no trace with this id.
    UNKNOWN_TRACE = "unknown_trace" { "there is no trace {trace}", "没有记录 {trace}" } hint { "`hookwright history` lists what was recorded", "`hookwright history` 列出已记录的内容" };
    /// Several trace ids begin with the given text.
    AMBIGUOUS_TRACE = "ambiguous_trace" { "{trace} is the beginning of several traces: {some}, …", "{trace} 是多条记录的开头：{some}……" } hint { "give more of the id", "请给出更长的 id" };
    /// One of Hookwright's own files is broken.
    OWN_FILE = "own_file" { "{message}", "{message}" };
    /// Traces are written to the spool only, not to the database.
    NOT_RECORDED = "not_recorded" { "the history is not written now: {why}", "目前未写入历史：{why}" };
    /// The history cannot be read.
    NO_HISTORY = "no_history" { "the history cannot be read: {why}", "无法读取历史：{why}" };
    /// A damaged history was quarantined, and a new one was begun.
    HISTORY_QUARANTINED = "history_set_aside" { "the history was damaged and set aside at {at}; a new one was begun, and the old one is kept as {path}", "历史已损坏，并于 {at} 另存；现已开始新的历史，旧文件保留为 {path}" } hint { "`sqlite3 FILE .recover` may read what is left in it; delete the file when you do not need it", "`sqlite3 文件 .recover` 或许能读出其中剩余的内容；不需要时可删除该文件" };
    /// The engine is shutting down.
    SHUTTING_DOWN = "shutting_down" { "the engine is shutting down", "引擎正在关闭" };
    /// The engine ended, or never ran. The program that looked for it reports this.
    ENGINE_NOT_RUNNING = "engine_gone" { "the engine does not answer: {why}", "引擎没有应答：{why}" } hint { "start it again with `hookwright serve`, or from the window", "请用 `hookwright serve` 或在窗口中重新启动" };
    /// The reply is too long for one line of the control socket.
    REPLY_TOO_LONG = "reply_too_long" { "the answer has {bytes} bytes, at most {limit} go into a line", "应答有 {bytes} 字节，一行最多 {limit}" } hint { "ask for less at once", "请一次少取一些" };
    /// The desktop's list of programs that start at login cannot be read or written. The window's program reports this.
    LOGIN_FAILED = "login_failed" { "the list of programs that start at login cannot be used: {why}", "无法使用登录时启动的程序列表：{why}" } hint { "add Hookwright in the settings of your desktop instead", "请改在桌面环境的设置中添加 Hookwright" };
    /// The setting does not exist, or its value has the wrong type.
    BAD_SETTING = "bad_setting" { "{key} cannot be set: {why}", "无法设置 {key}：{why}" };
    /// The command works only in the desktop window.
    WINDOW_ONLY = "window_only" { "{method} works in the desktop window only", "{method} 只能在桌面窗口中使用" };
    /// The text is not a duration such as `30m`.
    BAD_DURATION = "bad_duration" { "{text} is no duration", "{text} 不是时长" } hint { "write 90s, 30m, 2h or 1d", "请写成 90s、30m、2h 或 1d" };
    /// The cursor belongs to another list.
    BAD_CURSOR = "bad_cursor" { "{cursor} is no cursor of this history", "{cursor} 不是这份历史的游标" } hint { "give the `next` of the page before", "请使用上一页的 `next`" };
}
