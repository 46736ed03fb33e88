//! The fields that define hooks (`codex.md` §2). Most errors make the agent drop the whole file.

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, EmptyFile, ForeignWord, Missing, MissingLevel, NoEffect, TooSmall, UnknownKey, UnknownKeyNear,
    UnknownWord, WrongType,
};
use hookwright_model::definition::DefinitionKind::{
    self, AnyMap, ByEvent, Choice, Command, Flag, Hook, List, Mapping, Number, Pattern, Text,
};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionRole, DefinitionSpec,
    DefinitionValue, KnownMistake, MistakenKeys, NumberSpec, TimeUnit, ValueType, rejects, says,
};
use hookwright_model::{FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::entry::SKIPPED_TYPES;
use super::events::OTHER_NAMES;
use super::messages;

/// Time limit of an entry that does not set one, in seconds.
pub const TIMEOUT_SECS: i64 = 600;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;
/// Time limit of a callback that does not set one, in seconds.
pub const CALLBACK_TIMEOUT_SECS: u64 = 60;
/// How many tokens of context the agent keeps without `additionalContextLimit`.
pub const CONTEXT_TOKENS: i64 = 2500;

/// The schema of hook files.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".codex/hooks.json"],
    format: DefinitionFormat::Json,
    null_is_absent: false,
    note_prefixes: &["_", "$", "//"],
    root: Mapping(&[
        field!("hooks": ByEvent(&List(&GROUP)), "Hooks" "Hook", "Hooks by event." "按事件列出的 Hook。"),
        field!("description": Text, "Description" "说明", "A text for the reader." "给读者的文字。"),
    ]),
    outside: &[MATCHER],
    messages: &[
        rejects(WrongType(ValueType::File), messages::FILE_TYPE),
        rejects(WrongType(ValueType::Mapping), messages::GROUP_TYPE),
        rejects(WrongType(ValueType::Hook), messages::ENTRY_TYPE),
        rejects(WrongType(ValueType::Text), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::Flag), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::Number), messages::FIELD_TYPE),
        rejects(WrongType(ValueType::List), messages::FIELD_TYPE),
        rejects(EmptyFile, messages::EMPTY_FILE),
        rejects(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(Blank, messages::EMPTY),
        says(NoEffect, messages::OTHER_TYPE),
    ],
    foreign_keys: &[],
    known_mistakes: &[KnownMistake {
        keys: MistakenKeys::These(&["if"]),
        template: messages::IF_IGNORED,
    }],
};

/// A group: a matcher, and the entries that share it.
#[rustfmt::skip]
pub static GROUP: DefinitionKind = Mapping(&[
    MATCHER,
    field!("hooks": List(&ENTRY), "Hooks" "Hook", "The hooks that share the matcher." "共用此匹配条件的 Hook。",
        required, messages(&[says(Missing, messages::MISSING_HOOKS), says(MissingLevel, messages::MISSING_GROUP)])),
]);

#[rustfmt::skip]
const MATCHER: DefinitionField = field!("matcher": Pattern, "Matcher" "匹配条件",
    "Names with `|` between them, or a regular expression. Without it, or with `*`, everything matches."
    "以 `|` 分隔的名称，或正则表达式；省略或写 `*` 时匹配全部。", may_be_null,
    filter(FilterSpec::new(FilterSubject::OfEvent, FilterTest::NamesOrRegex, text(
        "One of the names is equal to the value. With other characters than letters, digits, `_` and `|` it is a regular expression that matches anywhere.",
        "其中一个名称与值相等；含字母、数字、`_`、`|` 以外的字符时为正则表达式，可匹配任意位置。",
    )).ignored_without_subject().other_names(OTHER_NAMES)));

#[rustfmt::skip]
const TIMEOUT: DefinitionField = field!("timeout": Number(NumberSpec {
        unit: Some(TimeUnit::Seconds), least: Some(0), most: Some(MAX_TIMEOUT_SECS), fractions: false, clamps: false,
    }), "Time limit" "时限", "The hook is stopped after this many seconds." "超过此秒数后终止 Hook。", may_be_null,
    defaults(&[DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_SECS))]), role(DefinitionRole::TimeLimit),
    messages(&[rejects(TooSmall, messages::NEGATIVE)]));

/// An entry: a hook.
#[rustfmt::skip]
pub static ENTRY: DefinitionKind = Hook(&[
    field!("type": Choice(&[
            DefinitionChoice { value: "command", label: text("Command", "命令") },
            DefinitionChoice { value: "mcp_tool", label: text("Tool of an MCP server", "MCP 工具") },
        ]), "Runs" "执行方式", "The kind of hook." "Hook 的类型。",
        required, role(DefinitionRole::Handler), foreign_words(SKIPPED_TYPES), messages(&[
            rejects(Missing, messages::MISSING_TYPE),
            rejects(UnknownWord, messages::UNKNOWN_TYPE),
            says(ForeignWord, messages::UNSUPPORTED_TYPE),
        ])),
    field!("command": Command, "Command" "命令",
        "The shell command. It gets the event as JSON on stdin." "shell 命令，从 stdin 接收事件的 JSON。",
        required, only("type", "command"), messages(&[rejects(Missing, messages::MISSING_COMMAND)])),
    field!("server": Text, "Server" "服务器", "The MCP server." "MCP 服务器。",
        required, only("type", "mcp_tool"), messages(&[rejects(Missing, messages::MISSING_SERVER)])),
    field!("tool": Text, "Tool" "工具", "The tool that is called." "要调用的工具。",
        required, only("type", "mcp_tool"), messages(&[rejects(Missing, messages::MISSING_TOOL)])),
    field!("input": AnyMap, "Input" "输入", "The input of the tool." "工具的输入。", only("type", "mcp_tool")),
    TIMEOUT,
    field!("async": Flag, "In the background" "后台执行",
        "The agent does not wait for the hook, so the hook cannot block." "Agent 不等待此 Hook，因此它无法拦截。",
        only("type", "command"), defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))])),
    field!("statusMessage": Text, "Status message" "状态文字", "Shown while the hook runs." "Hook 执行时显示的文字。", may_be_null),
    field!("additionalContextLimit": Number(NumberSpec { unit: None, least: Some(0), most: None, fractions: false, clamps: false }),
        "Context" "上下文上限", "How many tokens of context are kept; 0 keeps none." "保留的上下文 token 数，0 表示不保留。",
        may_be_null, only("type", "command"),
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(CONTEXT_TOKENS))]),
        messages(&[rejects(TooSmall, messages::NEGATIVE)])),
    field!("commandWindows": Text, "On Windows" "Windows 命令", "Used on Windows instead of `command`." "在 Windows 上代替 `command`。",
        may_be_null, only("type", "command")),
    field!("command_windows": Text, "On Windows" "Windows 命令", "The same, in another spelling." "同上，另一种写法。",
        may_be_null, only("type", "command")),
]);

/// A callback that an agent registers for its session.
#[rustfmt::skip]
pub static REGISTRATION: DefinitionKind = Hook(&[
    field!("callback": Text, "Callback" "回调", "The name of the function in the agent." "Agent 中函数的名字。"),
    MATCHER, TIMEOUT,
]);
