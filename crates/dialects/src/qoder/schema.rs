//! The fields of `settings.json` that define hooks (`qoder.md` §2).

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, ForeignKey, ForeignWord, Missing, MissingLevel, TooSmall, UnknownKey, UnknownKeyNear,
    UnknownWord, WrongType,
};
use hookwright_model::definition::DefinitionKind::{
    ByEvent, Choice, Command, Flag, Hook, List, Mapping, Number, OpenMapping, Pattern, Text, TextMap, Words,
};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, KnownMistake, MistakenKeys, NumberSpec, TimeUnit, ValueType, says,
};
use hookwright_model::{FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::messages;

/// Timeout of a hook that does not set one, in seconds.
pub const TIMEOUT_SECS: i64 = 60;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;

/// The schema of `settings.json` and `settings.local.json`.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".qoder/settings.json", ".qoder/settings.local.json"],
    format: DefinitionFormat::Json,
    null_is_absent: true,
    note_prefixes: &["_", "$", "//"],
    root: OpenMapping(&[field!("hooks": ByEvent(&List(&GROUP)), "Hooks" "Hook", "Hooks by event." "按事件列出的 Hook。")]),
    outside: &[MATCHER],
    messages: &[
        says(WrongType(ValueType::File), messages::FILE_TYPE),
        says(WrongType(ValueType::Mapping), messages::GROUP_TYPE),
        says(WrongType(ValueType::Hook), messages::ENTRY_TYPE),
        says(WrongType(ValueType::Text), messages::FIELD_TYPE),
        says(WrongType(ValueType::Flag), messages::FIELD_TYPE),
        says(WrongType(ValueType::Number), messages::FIELD_TYPE),
        says(WrongType(ValueType::List), messages::FIELD_TYPE),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(ForeignKey, messages::UNSUPPORTED_FIELD),
        says(Blank, messages::EMPTY),
    ],
    foreign_keys: &["if", "once", "asyncRewake"],
    known_mistakes: &[KnownMistake { keys: MistakenKeys::These(&["sequential"]), template: messages::SEQUENTIAL }],
};

/// A group: a matcher, and the entries that share it.
#[rustfmt::skip]
pub static GROUP: DefinitionKind = Mapping(&[
    MATCHER,
    field!("hooks": List(&ENTRY), "Hooks" "Hook", "The hooks that share the matcher." "共用此匹配条件的 Hook。",
        required, messages(&[
            says(Missing, messages::MISSING_HOOKS),
            says(MissingLevel, messages::MISSING_GROUP),
        ])),
    ASYNC, LABELS[0], LABELS[1], LABELS[2],
]);

#[rustfmt::skip]
const MATCHER: DefinitionField = field!("matcher": Pattern, "Matcher" "匹配条件",
    "A regular expression for the whole name of the tool. Without it, or with `*`, everything matches."
    "匹配完整工具名的正则表达式；省略或写 `*` 时匹配全部。",
    filter(FilterSpec::new(FilterSubject::OfEvent, FilterTest::Whole, text(
        "The regular expression matches the whole value, such as the name of the tool.",
        "正则表达式匹配整个值，例如工具名称。",
    )).ignored_without_subject()));

#[rustfmt::skip]
const ASYNC: DefinitionField = field!("async": Flag, "In the background" "后台执行",
    "The agent does not wait for the hook, so the hook cannot block." "Agent 不等待此 Hook，因此它无法拦截。",
    defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))]));

#[rustfmt::skip]
const TIMEOUT: DefinitionField = field!("timeout": Number(NumberSpec {
        unit: Some(TimeUnit::Seconds), least: Some(0), most: Some(MAX_TIMEOUT_SECS), fractions: true, clamps: false,
    }), "Time limit" "时限", "The hook is stopped after this many seconds." "超过此秒数后终止 Hook。",
    defaults(&[DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_SECS))]), role(DefinitionRole::TimeLimit),
    messages(&[says(TooSmall, messages::TOO_SMALL)]));

/// An entry: a hook.
#[rustfmt::skip]
pub static ENTRY: DefinitionKind = Hook(&[
    field!("type": Choice(&[DefinitionChoice { value: "command", label: text("Command", "命令") }]), "Runs" "执行方式",
        "The kind of hook. Hookwright runs commands." "Hook 的类型；Hookwright 执行命令。",
        required, role(DefinitionRole::Handler), foreign_words(&["http", "prompt", "agent"]), messages(&[
            says(Missing, messages::MISSING_TYPE),
            says(UnknownWord, messages::UNKNOWN_TYPE),
            says(ForeignWord, messages::UNSUPPORTED_TYPE),
        ])),
    field!("command": Command, "Command" "命令",
        "The shell command. It gets the event as JSON on stdin. With `args` it is a program."
        "shell 命令，从 stdin 接收事件的 JSON；有 `args` 时为程序。",
        required, messages(&[says(Missing, messages::MISSING_COMMAND)])),
    TIMEOUT,
    field!("name": Text, "Name" "名称", "A name for the list of hooks." "在 Hook 列表中显示的名称。"),
    field!("args": Words, "Arguments" "参数",
        "Arguments of the program. With them no shell is used." "程序的参数；有参数时不经过 shell。"),
    field!("env": TextMap, "Environment" "环境变量",
        "Variables that are added to the environment." "添加到环境中的变量。",
        messages(&[says(WrongType(ValueType::Mapping), messages::FIELD_TYPE)])),
    field!("shell": Choice(&[DefinitionChoice { value: "bash", label: text("bash", "bash") }]), "Shell" "shell",
        "Runs the command with bash instead of sh." "用 bash 代替 sh 执行命令。",
        messages(&[says(UnknownWord, messages::UNKNOWN_SHELL)])),
    ASYNC, LABELS[0], LABELS[1], LABELS[2],
]);

/// A callback that an agent registers for its session.
#[rustfmt::skip]
pub static REGISTRATION: DefinitionKind = Hook(&[
    field!("callback": Text, "Callback" "回调", "The name of the function in the agent." "Agent 中函数的名字。"),
    MATCHER, TIMEOUT, LABELS[0], LABELS[1], LABELS[2],
]);

/// Notes for the user, in groups and entries.
#[rustfmt::skip]
const LABELS: [DefinitionField; 3] = [
    field!("statusMessage": Text, "Status message" "状态文字", "A note for the reader, without effect." "给读者的备注，没有作用。", note),
    field!("description": Text, "Description" "说明", "A note for the reader, without effect." "给读者的备注，没有作用。", note),
    field!("id": Text, "Id" "标识", "A note for the reader, without effect." "给读者的备注，没有作用。", note),
];
