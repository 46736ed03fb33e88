//! The fields that define hooks (`claude-code.md` §2). An error that costs more than its entry at some events is marked
//! as rejecting the file; [`super::settings`] takes that back at the other events.

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, Missing, MissingLevel, NoEffect, TooSmall, UnknownKey, UnknownKeyNear, UnknownWord, WrongType,
};
use hookwright_model::definition::DefinitionKind::{
    self, AnyMap, ByEvent, Choice, Command, Flag, Hook, List, Mapping, Number, OpenMapping, Pattern, Prompt, Text,
    TextMap, Words,
};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionRole, DefinitionSpec,
    DefinitionValue, NumberSpec, TimeUnit, ValueType, rejects, says, warns,
};
use hookwright_model::{Bilingual, FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::if_rule::OTHER_NAMES;
use super::messages;

/// Time limit of a `command`, `http` or `mcp_tool` entry that does not set one, in seconds.
pub const TIMEOUT_SECS: i64 = 600;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;
/// Time limit of a callback that does not set one, in seconds.
pub const CALLBACK_TIMEOUT_SECS: u64 = 60;

/// The schema of settings files.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".claude/settings.json", ".claude/settings.local.json"],
    format: DefinitionFormat::Json,
    null_is_absent: false,
    note_prefixes: &["_", "$", "//"],
    root: OpenMapping(&[field!("hooks": ByEvent(&List(&GROUP)), "Hooks" "Hook", "Hooks by event." "按事件列出的 Hook。")]),
    outside: &[MATCHER],
    messages: &[
        says(WrongType(ValueType::File), messages::FILE_TYPE),
        rejects(WrongType(ValueType::Mapping), messages::GROUP_TYPE),
        rejects(WrongType(ValueType::Hook), messages::ENTRY_TYPE),
        rejects(WrongType(ValueType::Text), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::Flag), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::Number), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::List), messages::FIELD_TYPE),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(Blank, messages::EMPTY),
        says(NoEffect, messages::OTHER_TYPE),
    ],
    foreign_keys: &[],
    known_mistakes: &[],
};

/// A group: a matcher, and the entries that share it.
#[rustfmt::skip]
pub static GROUP: DefinitionKind = Mapping(&[
    MATCHER,
    field!("hooks": List(&ENTRY), "Hooks" "Hook", "The hooks that share the matcher." "共用此匹配条件的 Hook。",
        required, messages(&[
            rejects(Missing, messages::MISSING_HOOKS),
            rejects(MissingLevel, messages::MISSING_GROUP),
        ])),
    LABELS[0], LABELS[1], LABELS[2],
]);

#[rustfmt::skip]
const MATCHER: DefinitionField = field!("matcher": Pattern, "Matcher" "匹配条件",
    "Names with `|` or `,` between them, or a regular expression. Without it, or with `*`, everything matches."
    "以 `|` 或 `,` 分隔的名称，或正则表达式；省略或写 `*` 时匹配全部。",
    filter(FilterSpec::new(FilterSubject::OfEvent, FilterTest::NamesOrSearch, text(
        "One of the names is equal to the value. With other characters than letters, digits, `_`, `-`, spaces, `,` and `|` it is a regular expression that matches anywhere.",
        "其中一个名称与值相等；含字母、数字、`_`、`-`、空格、`,`、`|` 以外的字符时为正则表达式，可匹配任意位置。",
    )).ignored_without_subject().other_names(OTHER_NAMES)));

const fn choice(value: &'static str, en: &'static str, zh: &'static str) -> DefinitionChoice {
    DefinitionChoice {
        value,
        label: text(en, zh),
    }
}

#[rustfmt::skip]
const TIMEOUT: DefinitionField = field!("timeout": Number(NumberSpec {
        unit: Some(TimeUnit::Seconds), least: Some(0), most: Some(MAX_TIMEOUT_SECS), fractions: true, clamps: false,
    }), "Time limit" "时限", "The hook is stopped after this many seconds." "超过此秒数后终止 Hook。",
    defaults(&[
        DefinitionDefault::with("type", "prompt", DefinitionValue::Number(30)),
        DefinitionDefault::with("type", "agent", DefinitionValue::Number(60)),
        DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_SECS)),
    ]), role(DefinitionRole::TimeLimit),
    messages(&[rejects(TooSmall, messages::TOO_SMALL)]));

/// An entry: a hook.
#[rustfmt::skip]
pub static ENTRY: DefinitionKind = Hook(&[
    field!("type": Choice(&[
            choice("command", "Command", "命令"), choice("http", "HTTP request", "HTTP 请求"),
            choice("prompt", "Prompt", "提示词"), choice("agent", "Agent", "Agent"),
            choice("mcp_tool", "Tool of an MCP server", "MCP 工具"),
        ]), "Runs" "执行方式", "The kind of hook." "Hook 的类型。",
        required, role(DefinitionRole::Handler), messages(&[
            rejects(Missing, messages::MISSING_TYPE),
            rejects(UnknownWord, messages::UNKNOWN_TYPE),
        ])),
    field!("command": Command, "Command" "命令",
        "The shell command. It gets the event as JSON on stdin. With `args` it is a program."
        "shell 命令，从 stdin 接收事件的 JSON；有 `args` 时为程序。",
        required, only("type", "command"), messages(&[
            rejects(Missing, messages::MISSING_COMMAND),
            warns(Blank, messages::EMPTY_COMMAND),
        ])),
    field!("url": Text, "URL" "网址", "Where the event is sent." "接收事件的网址。",
        required, only("type", "http"), messages(&[rejects(Missing, messages::MISSING_URL)])),
    field!("prompt": Prompt(&["ARGUMENTS"]), "Prompt" "提示词",
        "What a model is asked. `$ARGUMENTS` is the event as JSON." "向模型提出的问题；`$ARGUMENTS` 为事件的 JSON。",
        required, only("type", "prompt"), also_for(&["agent"]), messages(&[rejects(Missing, messages::MISSING_PROMPT)])),
    field!("model": Text, "Model" "模型", "The model that is asked." "所用的模型。",
        only("type", "prompt"), also_for(&["agent"])),
    field!("server": Text, "MCP server" "MCP 服务器", "The MCP server of the tool." "工具所属的 MCP 服务器。",
        required, only("type", "mcp_tool"), messages(&[rejects(Missing, messages::MISSING_SERVER), says(Blank, messages::EMPTY)])),
    field!("tool": Text, "Tool" "工具", "The tool that is called." "要调用的工具。",
        required, only("type", "mcp_tool"), messages(&[rejects(Missing, messages::MISSING_TOOL), says(Blank, messages::EMPTY)])),
    field!("if": Text, "Rule" "规则", "A permission rule for the tool, such as `Bash(git *)`." "针对工具的权限规则，如 `Bash(git *)`。"),
    TIMEOUT,
    field!("args": Words, "Arguments" "参数",
        "Arguments of the program. With them no shell is used." "程序的参数；有参数时不经过 shell。", only("type", "command")),
    field!("shell": Choice(&[choice("bash", "bash", "bash"), choice("powershell", "PowerShell", "PowerShell")]), "Shell" "shell",
        "`powershell` runs the command with PowerShell." "`powershell` 表示用 PowerShell 执行命令。",
        only("type", "command"), messages(&[rejects(UnknownWord, messages::UNKNOWN_SHELL)])),
    field!("onFailure": Choice(&[choice("continue", "The agent continues", "Agent 继续执行"), choice("block", "The agent is blocked", "拦截 Agent")]), "On failure" "失败时",
        "What happens if the hook fails." "Hook 失败时的处理。",
        only("type", "command"), also_for(&["http", "mcp_tool"]),
        defaults(&[DefinitionDefault::always(DefinitionValue::Text("continue"))]), role(DefinitionRole::Failure),
        messages(&[rejects(UnknownWord, messages::UNKNOWN_FAILURE)])),
    flag("async", text("In the background", "后台执行"), text("The agent does not wait for the hook, so the hook cannot block.", "Agent 不等待此 Hook，因此它无法拦截。")).only("type", "command"),
    flag("asyncRewake", text("In the background, may wake the agent", "后台执行，可唤醒 Agent"), text("Like `async`; exit code 2 wakes the agent.", "同 `async`；退出码 2 会唤醒 Agent。")).only("type", "command"),
    flag("once", text("Once", "仅一次"), text("Honoured in the front matter of a skill only.", "仅在 Skill 的 front matter 中有效。")),
    flag("continueOnBlock", text("Continue after a block", "拦截后继续"), text("A prompt that blocks does not end the turn.", "提示词拦截时不结束本轮。")).only("type", "prompt"),
    field!("headers": TextMap, "Headers" "请求头", "Headers of the request." "请求头。",
        only("type", "http"), messages(&[rejects(WrongType(ValueType::Mapping), messages::FIELD_TYPE)])),
    field!("allowedEnvVars": Words, "Variables" "变量", "Variables that headers may contain." "请求头中可使用的变量。", only("type", "http")),
    field!("input": AnyMap, "Input" "输入", "The input of the tool." "工具的输入。", only("type", "mcp_tool")),
    field!("statusMessage": Text, "Status message" "状态文字", "Shown while the hook runs." "Hook 执行时显示的文字。"),
    LABELS[0], LABELS[1], LABELS[2], LABELS[3], LABELS[4], LABELS[5], LABELS[6],
]);

/// What counts for a flag that is absent.
const OFF: &[DefinitionDefault] = &[DefinitionDefault::always(DefinitionValue::Flag(false))];

const fn flag(name: &'static str, label: Bilingual, about: Bilingual) -> DefinitionField {
    DefinitionField::new(name, Flag, label, about).defaults(OFF)
}

/// A callback that an agent registers for its session.
#[rustfmt::skip]
pub static REGISTRATION: DefinitionKind = Hook(&[
    field!("callback": Text, "Callback" "回调", "The name of the function in the agent." "Agent 中函数的名字。"),
    MATCHER, TIMEOUT, LABELS[0], LABELS[1], LABELS[2],
]);

const fn label(name: &'static str) -> DefinitionField {
    DefinitionField {
        is_note: true,
        ..DefinitionField::new(
            name,
            Text,
            text("Note", "备注"),
            text("A note for the reader, without effect.", "给读者的备注，没有作用。"),
        )
    }
}

/// Notes for the user, and what the agent keeps for itself.
const LABELS: [DefinitionField; 7] = [
    label("description"),
    label("name"),
    label("id"),
    label("rewakeMessage"),
    label("rewakeSummary"),
    label("cloud"),
    label("holdsTools"),
];
