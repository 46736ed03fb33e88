//! [`Fault`], the error of a use case that cannot do what was requested. `Result` begins below it, in `workspace`
//! (`ARCHITECTURE.md`).

use hookwright_model::{Args, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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

/// The JSON-RPC error number of a request that is refused for what it is, or for what its connection uses already.
pub(crate) const REFUSED: i32 = -32004;

impl Fault {
    /// The second argument that is needed when its text is part of a message ([`Message::to_args`]).
    #[must_use]
    pub fn to_args(&self) -> Value {
        json!({ "code": self.code, "args": self.args })
    }

    /// The JSON-RPC error number of this fault (`CONTRACTS.md` §3).
    #[must_use]
    pub fn rpc_code(&self) -> i32 {
        match self.code.as_str() {
            "unknown_method" => -32601,
            "bad_params"
            | "unknown_protocol"
            | "relative_cwd"
            | "not_a_directory"
            | "name_too_long"
            | "empty_session_id"
            | "session_open_already" => -32602,
            "unknown_dialect" | "unknown_event_name" | "unfired_event" => -32002,
            "not_for_agents" => -32003,
            "no_session" | "session_closed" | "session_not_opened" | "no_skill_request" => -32001,
            "payload_refused"
            | "payload_too_large"
            | "payload_too_deep"
            | "payload_not_object"
            | "too_many_events"
            | "too_many_connections"
            | "hook_refused"
            | "too_many_hooks"
            | "too_much_kept"
            | "too_much_unread"
            | "no_message_list" => REFUSED,
            "shutting_down" => -32005,
            "internal_error" => -32603,
            _ => -32000,
        }
    }
}

hookwright_model::messages! {
    /// The command does not exist.
    UNKNOWN_METHOD = "unknown_method" { "unknown command {method}", "未知命令 {method}" } hint { "see docs/control.md for the list of commands", "查看 docs/control.md 中的命令列表" };
    /// The parameters of a command have the wrong form.
    BAD_PARAMS = "bad_params" { "invalid parameters of {method}: {why}", "{method} 的参数无效：{why}" };
    /// The payload is not one JSON object (`engine.md` §1).
    PAYLOAD_NOT_OBJECT = "payload_not_object" { "the payload must be one JSON object: {why}", "载荷必须是一个 JSON 对象：{why}" } hint { "write it as `{\"key\": value}`", "写成 `{\"key\": value}`" };
    /// The payload has more bytes than [`crate::payload::MAX_PAYLOAD_BYTES`] (`engine.md` §1).
    PAYLOAD_TOO_LARGE = "payload_too_large" { "the payload has {bytes} bytes; at most {limit} are allowed", "载荷有 {bytes} 字节，最多允许 {limit} 字节" } hint { "leave out what hooks do not need", "去掉 Hook 不需要的内容" };
    /// The payload is nested too deeply (`engine.md` §9).
    PAYLOAD_TOO_DEEP = "payload_too_deep" { "the payload has more than {limit} levels", "载荷嵌套超过 {limit} 层" } hint { "write the inner levels as text", "把内层写成文本" };
    /// The payload contradicts the event.
    PAYLOAD_REFUSED = "payload_refused" { "{why}", "{why}" } hint { "correct the field, or leave it out: Hookwright adds missing common fields", "更正该字段，或将其省略：Hookwright 会补全缺少的公共字段" };
    /// The hook changed between the review and the approval.
    REVIEW_IS_OLD = "review_is_old" { "{hook} changed during the review", "审阅期间 {hook} 发生了变化" } hint { "review it again", "重新审阅" };
    /// The history contains no trace with this id.
    UNKNOWN_TRACE = "unknown_trace" { "unknown trace {trace}", "未知的记录 {trace}" } hint { "run `hookwright history` to list the recorded events", "执行 `hookwright history` 列出已记录的事件" };
    /// Several trace ids begin with the given text.
    AMBIGUOUS_TRACE = "ambiguous_trace" { "several traces begin with {trace}: {some}, …", "有多条记录以 {trace} 开头：{some}……" } hint { "write more of the id", "写出更长的 id" };
    /// One of Hookwright's own files is broken.
    OWN_FILE = "own_file" { "{message}", "{message}" };
    /// Traces are written to the spool only, not to the database.
    NOT_RECORDED = "not_recorded" { "the history cannot be written at present: {why}", "目前无法写入历史记录：{why}" };
    /// The database of the history is being opened or migrated. Until then only new events are shown.
    HISTORY_OPENING = "history_opening" { "the history is being opened; until then only new events are shown", "正在打开历史记录，完成之前只显示新事件" };
    /// The history cannot be read.
    NO_HISTORY = "no_history" { "the history cannot be read: {why}", "无法读取历史记录：{why}" };
    /// A damaged history was quarantined, and a new one was begun.
    HISTORY_QUARANTINED = "history_set_aside" { "the history was damaged and moved to {path} at {at}; a new one was created", "历史记录已损坏，于 {at} 移至 {path}；已新建历史记录" } hint { "run `sqlite3 FILE .recover` to try to read what is left, or delete the file if you do not need it", "执行 `sqlite3 文件 .recover` 尝试读出剩余内容；不需要时可删除该文件" };
    /// The engine is shutting down.
    SHUTTING_DOWN = "shutting_down" { "the engine is shutting down", "引擎正在关闭" } hint { "start an engine, then connect again", "启动引擎后重新连接" };
    /// A command panicked. The engine logged why, which may contain what must not be shown.
    INTERNAL_ERROR = "internal_error" { "{method} ended early; this is a fault of Hookwright", "{method} 提前中止；这是 Hookwright 的内部错误" } hint { "run it again; if it fails again, report it with what the engine wrote to stderr", "重新执行；若再次失败，连同引擎写入 stderr 的内容一并报告" };
    /// The engine ended, or never ran. The program that looked for it reports this.
    ENGINE_NOT_RUNNING = "engine_gone" { "the engine does not respond: {why}", "引擎无响应：{why}" } hint { "start it again with `hookwright serve` or from the window", "用 `hookwright serve` 或在窗口中重新启动引擎" };
    /// The reply is too long for one line of the control socket.
    REPLY_TOO_LONG = "reply_too_long" { "the response has {bytes} bytes; one line can have at most {limit}", "响应有 {bytes} 字节，一行最多 {limit} 字节" } hint { "request less data at once", "减少一次请求的数据量" };
    /// The desktop's list of programs that start at login cannot be read or written. The window's program reports this.
    LOGIN_FAILED = "login_failed" { "the list of programs that start at login cannot be used: {why}", "无法使用登录时启动的程序列表：{why}" } hint { "add Hookwright in the settings of your desktop instead", "改在桌面环境的设置中添加 Hookwright" };
    /// The setting does not exist, or its value has the wrong type.
    BAD_SETTING = "bad_setting" { "{key} cannot be set: {why}", "无法设置 {key}：{why}" };
    /// The command works only in the desktop window.
    WINDOW_ONLY = "window_only" { "{method} works in the desktop window only", "{method} 只能在桌面窗口中使用" };
    /// The text is not a duration such as `30m`.
    BAD_DURATION = "bad_duration" { "invalid duration {text}", "无效的时长 {text}" } hint { "write for example `90s`, `30m`, `2h` or `1d`", "写成 `90s`、`30m`、`2h` 或 `1d` 的形式" };
    /// Metrics are counted by the minute.
    SHORT_PERIOD = "bad_duration" / "short" { "{text} is too short: metrics are counted by the minute", "{text} 太短：指标按分钟统计" } hint { "write `1m` or more; `hookwright history --query since:{text}` shows single events", "写 `1m` 或更长；`hookwright history --query since:{text}` 可显示单个事件" };
    /// The cursor belongs to another list.
    BAD_CURSOR = "bad_cursor" { "invalid cursor {cursor}", "无效的游标 {cursor}" } hint { "use the `next` of the previous page", "使用上一页的 `next`" };
}
