//! Hooks that answer with `decision`, `continue` and `hookSpecificOutput`: how their output is read, and what the reply
//! is. Several agents have this form of output. What differs between them is data.
//!
//! What it deliberately does not do: it does not decide what an event accepts. Every field that was read is reported,
//! and the engine compares it with the event's table.
//!
//! How it works: a dialect has one [`HookOutputRules`]. [`decode`] reads a run by its rules about exit codes and text,
//! [`read_object`] the fields of an object by its [`OutputRow`]s, and [`reply`] writes the result of a chain in the same form.
//! An agent that fails a whole answer for one field has a table of [`StrictRules`] instead.
//! [`accept`] fills in the common fields of a payload, [`command_call`] starts commands, and [`simulate`] plays the loop of
//! a turn. [`convert`] has what their conversions share, and [`lint`] what is said of the objects that scripts print.

pub(crate) mod convert;
mod decode;
pub mod lint;
mod object;
mod reply;
mod strict;
mod turn;
mod wire;

use hookwright_model::event::{EventSpec, FieldKind};
use hookwright_model::{MessageTemplate, ToldTurn, UserText, VerdictKind};

pub use decode::{ReportedTexts, decode, decode_callback, decode_object};
pub use object::{OutputContext, read_object};
pub use reply::reply;
pub use strict::{ALL as STRICT_MESSAGES, AnswerPart, DENIED, StrictRules};
pub use turn::{TurnRules, simulate};
pub use wire::{accept, callback_call, command_call};

/// What recorded events of these agents tell of the conversation ([`hookwright_model::Card::told_turns`]).
pub const TOLD_TURNS: [(&str, ToldTurn); 5] = [
    ("UserPromptSubmit", ToldTurn::Begins(UserText::At(&["prompt"]))),
    ("PreToolUse", ToldTurn::CallBegins),
    (
        "PostToolUse",
        ToldTurn::CallEnds {
            result: "tool_response",
        },
    ),
    ("PostToolUseFailure", ToldTurn::CallFails { error: "error" }),
    (
        "Stop",
        ToldTurn::Replies {
            path: &["last_assistant_message"],
        },
    ),
];

/// The field that contains the event's own output fields.
pub const SPECIFIC_OUTPUT: &str = "hookSpecificOutput";

hookwright_model::messages! {
    /// stdout that looks like JSON and is not one object.
    UNREADABLE = "unreadable_answer" / "hook_output" { "stdout looks like hook output, but is not one JSON object", "stdout 像是返回结果，但不是一个 JSON 对象" };
    /// Text on stdout together with exit code 2.
    UNREAD_STDOUT = "unread_stdout" / "hook_output" { "stdout is ignored with exit code 2; the reason is read from stderr", "退出码为 2 时会忽略 stdout；原因取自 stderr" };
    /// Plain text at an event that ignores it.
    PLAIN_TEXT = "plain_text" / "hook_output" { "plain text on stdout has no effect at this event", "stdout 上的纯文本在此事件中不起作用" };
    /// A duplicate key in the output.
    KEY_TWICE = "key_twice" / "hook_output" { "duplicate key in the output; the last one is used", "返回结果中的键重复；以最后一个为准" };
    /// A field of the wrong type.
    FIELD_TYPE = "field_type" / "hook_output" { "`{field}` must be {wanted}", "`{field}` 的类型应为 {wanted}" };
    /// A field whose value is not one of the allowed ones.
    FIELD_VALUE = "field_value" / "hook_output" { "`{field}` is `{written}`; it can be {wanted}", "`{field}` 为 `{written}`；只能是 {wanted}" };
    /// `hookSpecificOutput` without `hookEventName`.
    NO_EVENT_NAME = "no_event_name" / "hook_output" { "`hookSpecificOutput` needs `hookEventName`: \"{event}\"", "`hookSpecificOutput` 缺少 `hookEventName`：\"{event}\"" };
    /// `hookSpecificOutput` with the name of another event.
    OTHER_EVENT_NAME = "other_event_name" / "hook_output" { "`hookEventName` is {found}, but {event} was fired", "`hookEventName` 是 {found}，但触发的是 {event}" };
    /// A field that no event has.
    UNKNOWN_KEY = "unknown_key" / "hook_output" { "{agent} has no such field", "{agent} 没有此字段" };
    /// A field that the agent reads without effect.
    UNUSED_KEY = "unused_key" / "hook_output" { "{agent} reads this field, and it changes nothing", "{agent} 会读取此字段，但它不起作用" };
    /// Python's spelling of a field in the output of a command.
    PYTHON_KEY = "unknown_key" / "python" { "only Python callbacks use this name; a command writes `continue`", "只有 Python 回调使用此名称；命令应写 `continue`" };
    /// An unknown `decision`.
    DECISION = "unknown_decision" / "hook_output" { "`decision` is `{written}`; only `block` has an effect", "`decision` 为 `{written}`；只有 `block` 有效" };
    /// `defer`, which is not a decision.
    DEFER = "no_decision" / "hook_output" { "defer leaves the decision to the others", "defer 会把决定留给其他 Hook" };
    /// A field beside `async: true`.
    ASYNC = "answered_async" / "hook_output" { "with `async: true`, the rest of the output has no effect", "有 `async: true` 时，返回结果的其他内容都不起作用" };
    /// A text without the decision that it belongs to.
    REASON_ALONE = "needs_decision" / "hook_output" { "it has an effect only with {decision}", "仅与 {decision} 同时使用时生效" };
    /// A field for the tools of MCP servers, with another tool.
    ONLY_MCP = "only_mcp" / "hook_output" { "only for tools named mcp__…", "仅用于名为 mcp__… 的工具" };
    /// The payload names another event than the one that was fired.
    OTHER_EVENT = "event_differs" / "hook_output" { "the payload's `hook_event_name` is {found}, but {event} was fired", "载荷中的 `hook_event_name` 是 {found}，但触发的是 {event}" };
    /// A simulated call about which the agent would ask the user.
    NO_USER_TO_ASK = "nobody_asked" / "hook_output" { "the user would be asked about {tool} here; the simulation continues as if they allowed it", "此处会询问用户是否允许 {tool}；模拟按已允许继续" } hint { "let a hook at PermissionRequest decide", "让 PermissionRequest 上的 Hook 作出决定" };
    /// A handler for which an agent must be connected.
    NO_AGENT = "no_agent" / "hook_output" { "no agent is connected that could run this callback", "没有已连接的 Agent 可以执行此回调" };
}

/// How the hooks of one agent answer.
#[derive(Debug)]
pub struct HookOutputRules {
    /// The agent's name for the user.
    pub agent: &'static str,
    /// How the end of a command and its stdout are read.
    pub commands: CommandRules,
    /// Whether a field with the value `null` counts as absent. Otherwise it has the wrong type.
    pub null_is_absent: bool,
    /// The verdict of `continue: false`.
    pub ends: VerdictKind,
    /// The words of `decision`.
    pub decisions: &'static [(&'static str, DecisionWord)],
    /// Whether the answer fails because of another word of `decision`. Otherwise the word is ignored.
    pub other_decisions_fail: bool,
    /// The words of `permissionDecision`, and the events that take only some of them.
    pub permissions: &'static [PermissionWords],
    /// Whether an answer that blocks keeps its block if its `hookSpecificOutput` is for another event.
    pub blocks_despite_other_event: bool,
    /// Events that also take the `hookSpecificOutput` of others: the event, and the names.
    pub other_names: &'static [(&'static str, &'static [&'static str])],
    /// Fields of `hookSpecificOutput` that decide by their word: event, field, and each word with its verdict.
    pub field_decisions: &'static [FieldDecision],
    /// The field that denies at events which accept it, and its word for a denial.
    pub denied_by: (&'static str, &'static str),
    /// Fields that are read and mean nothing, at every event, with what their values must be.
    pub unused: &'static [(&'static str, OutputType)],
    /// What an agent takes that fails a whole answer for one other field. Then only [`Self::ends`] and [`Self::rows`] of
    /// the others count, the rows for the reply.
    pub strict: Option<&'static StrictRules>,
    /// The fields that are no decision, in the order in which the agent's reference lists them.
    pub rows: &'static [OutputRow],
}

/// How the end of a command and its stdout are read.
#[derive(Debug)]
pub struct CommandRules {
    /// At which exit codes an object on stdout is read.
    pub objects: ObjectsCount,
    /// The events at which an object is read at exit code 0 only, whatever the others do.
    pub only_at_success: &'static [&'static str],
    /// The events at which exit code 2 leaves `hookSpecificOutput` unread.
    pub specific_unread_at_2: &'static [&'static str],
    /// What stdout must look like for an object that cannot be read to be a failure.
    pub looks_like: ObjectShape,
    /// The reason of exit code 2 with a blank stderr.
    pub blocked: MessageTemplate,
    /// The reason of an answer that blocks without a reason; `None` if it has none.
    pub blocked_by_answer: Option<MessageTemplate>,
}

/// At which exit codes an object on stdout is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectsCount {
    /// At 0 only. At 2, stderr is the reason of a block, and at any other code the hook has failed.
    AtSuccess,
    /// At every code, and after a signal. An object decides alone, but 2 blocks whatever it says.
    Always,
}

/// What text must look like to be meant as an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectShape {
    /// A line of it begins like an object, or the whole is another JSON value.
    Line,
    /// It begins with `{` and ends with `}`. Everything else is text.
    Braces,
}

/// What a word of `decision` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionWord {
    /// The event's block.
    Block,
    /// An approval at this event, and nothing at any other.
    ApproveAt(&'static str),
}

/// The words of `permissionDecision`.
#[derive(Debug, Clone, Copy)]
pub struct PermissionWords {
    /// The event that takes only these; `None` for all others.
    pub event: Option<&'static str>,
    /// Each word and its verdict. `None`: it leaves the decision to others.
    pub words: &'static [(&'static str, Option<VerdictKind>)],
    /// The words, for a message.
    pub wanted: &'static str,
    /// Fields that have no effect beside a word without a verdict.
    pub idle_beside: &'static [&'static str],
    /// Words that mean a denial there, whatever they say elsewhere, and with them `updatedInput`.
    pub denies: &'static [&'static str],
}

/// A field of `hookSpecificOutput` that decides by its word.
#[derive(Debug, Clone, Copy)]
pub struct FieldDecision {
    /// The event at which it decides.
    pub event: &'static str,
    /// The field.
    pub field: &'static str,
    /// Each word, and its verdict.
    pub words: &'static [(&'static str, VerdictKind)],
}

/// A field of an answer that is no decision.
#[derive(Debug, Clone, Copy)]
pub struct OutputRow {
    /// The field.
    pub name: &'static str,
    /// Where it is.
    pub level: OutputLevel,
    /// What its value must be. With another one the whole answer fails.
    pub kind: OutputType,
    /// The tools for which it has an effect, by the beginning of their names; empty for all.
    pub tools: &'static str,
}

/// Where a field of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLevel {
    /// In the answer itself.
    Top,
    /// In `hookSpecificOutput`.
    Specific,
}

/// What the value of an output must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputType {
    /// A string. An empty one counts as absent.
    Text,
    /// A boolean. `false` counts as absent.
    Flag,
    /// An object.
    Object,
    /// An array of strings.
    Texts,
    /// Any value.
    Any,
}

/// A row of the answer itself.
#[must_use]
pub const fn top(name: &'static str, kind: OutputType) -> OutputRow {
    OutputRow {
        name,
        level: OutputLevel::Top,
        kind,
        tools: "",
    }
}

/// A row of `hookSpecificOutput`.
#[must_use]
pub const fn specific(name: &'static str, kind: OutputType) -> OutputRow {
    OutputRow {
        name,
        level: OutputLevel::Specific,
        kind,
        tools: "",
    }
}

impl OutputRow {
    /// The field has an effect only for tools whose names begin with this.
    #[must_use]
    pub const fn only_for(self, tools: &'static str) -> Self {
        Self { tools, ..self }
    }
}

/// The verdict of a block at this event. If it cannot be blocked, the engine reports the decision.
#[must_use]
pub fn block_kind(event: &EventSpec) -> VerdictKind {
    event.exit_2.unwrap_or(VerdictKind::Deny)
}

/// Whether the event's decision is a `behavior` inside `hookSpecificOutput`.
#[must_use]
pub fn decides_by_behavior(event: &EventSpec) -> bool {
    event
        .output("decision")
        .is_some_and(|output| output.kind == FieldKind::Any)
}

/// Whether the event's decision is `permissionDecision` in `hookSpecificOutput`.
#[must_use]
pub fn decides_by_permission(event: &EventSpec) -> bool {
    event.output("permissionDecision").is_some()
}
