//! The fields of `config.json` that define hooks (`picoclaw.md` §1, §2).

use hookwright_model::definition::DefinitionError::{
    DuplicateKey, EmptyFile, Missing, TooLarge, UnknownKey, UnknownKeyNear, UnknownWord, WrongType,
};
use hookwright_model::definition::DefinitionKind::{
    AnyMap, ByName, Choice, Events, Flag, Hook, Mapping, Number, OpenMapping, Text, TextMap, Words,
};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, EventSet, KnownMistake, MistakenKeys, NumberSpec, TimeUnit, ValueType, rejects,
    says,
};
use hookwright_model::{FilterChoices, FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::messages;

/// The values of `observe` that mean every kind.
pub const EVERY_KIND: [&str; 3] = ["", "*", "all"];
/// Time limits of a file that does not set them, in milliseconds.
pub const OBSERVER_MS: i64 = 500;
pub const INTERCEPTOR_MS: i64 = 5_000;
pub const APPROVAL_MS: i64 = 60_000;
/// A longer timeout is reduced to this (`engine.md` §6).
pub const MAX_TIMEOUT_MS: i64 = 3_600_000;

/// The schema of `config.json`.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".picoclaw/config.json"],
    format: DefinitionFormat::Json,
    null_is_absent: true,
    note_prefixes: &["_"],
    root: OpenMapping(&[field!("hooks": HOOKS, "Hooks" "Hook", "The hooks of the agent." "该 Agent 的 Hook。")]),
    outside: &[field!("name": Text, "Name" "名称",
        "The name of the process, its key in the file." "进程的名称，即它在文件中的键。",
        required, role(DefinitionRole::Key))],
    messages: &[
        says(WrongType(ValueType::File), messages::FILE_TYPE),
        says(EmptyFile, messages::EMPTY_FILE),
        rejects(WrongType(ValueType::Mapping), messages::OBJECT_TYPE),
        rejects(WrongType(ValueType::Text), messages::STRING_TYPE),
        rejects(WrongType(ValueType::Flag), messages::FLAG_TYPE),
        rejects(WrongType(ValueType::Number), messages::INTEGER_TYPE),
        rejects(WrongType(ValueType::List), messages::LIST_TYPE),
        rejects(WrongType(ValueType::Item), messages::STRING_TYPE),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(TooLarge, messages::TOO_LONG),
    ],
    known_mistakes: &[KnownMistake {
        keys: MistakenKeys::Containing("timeout"),
        template: messages::UNKNOWN_FIELD_TIMEOUT,
    }],
    ..DefinitionSpec::EMPTY
};

/// The value of `hooks`.
#[rustfmt::skip]
pub const HOOKS: DefinitionKind = Mapping(&[
    field!("enabled": Flag, "On" "启用", "If this is false, no process of this file runs." "为 false 时，不执行此文件的任何进程。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Flag(true))])),
    field!("defaults": Mapping(&DEFAULTS_FIELDS), "Time limits" "时限",
        "Time limits of every process of this file." "此文件所有进程的时限。"),
    field!("processes": ByName(&PROCESS), "Processes" "进程", "The processes, by name." "按名称列出的进程。"),
    field!("builtins": ByName(&AnyMap), "Built-in hooks" "内置 Hook",
        "Settings of hooks that are compiled into the agent." "编译在 Agent 内部的 Hook 的配置。"),
]);

const LIMIT: DefinitionKind = Number(NumberSpec {
    unit: Some(TimeUnit::Milliseconds),
    least: None,
    most: Some(MAX_TIMEOUT_MS),
    fractions: false,
    clamps: false,
});

/// The keys of `hooks.defaults`, in the order of `ProcessLimits`.
#[rustfmt::skip]
pub const DEFAULTS_FIELDS: [DefinitionField; 3] = [
    field!("observer_timeout_ms": LIMIT, "Notification" "通知",
        "Time limit for writing a notification, in milliseconds." "写入一条通知的时限（毫秒）。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(OBSERVER_MS))])),
    field!("interceptor_timeout_ms": LIMIT, "Response" "响应",
        "Time limit for a response at the model and tool points, in milliseconds." "在模型与工具节点响应的时限（毫秒）。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(INTERCEPTOR_MS))])),
    field!("approval_timeout_ms": LIMIT, "Approval" "审批",
        "Time limit for an approval, in milliseconds." "审批的时限（毫秒）。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(APPROVAL_MS))])),
];

/// An entry.
#[rustfmt::skip]
pub const PROCESS: DefinitionKind = Hook(&[
    field!("enabled": Flag, "On" "启用", "Whether the agent starts the process." "Agent 是否启动此进程。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))]), role(DefinitionRole::Switch)),
    PRIORITY,
    field!("transport": Choice(&[
            DefinitionChoice { value: "stdio", label: text("stdio", "stdio") },
            DefinitionChoice { value: "", label: text("", "") },
        ]), "Transport" "传输方式", "How the agent talks to the process." "Agent 与进程通信的方式。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Text("stdio"))]),
        messages(&[says(UnknownWord, messages::TRANSPORT)])),
    field!("command": Words, "Command" "命令",
        "The program and its arguments. No shell is used." "程序及其参数，不经过 shell。", required, messages(&[
            rejects(WrongType(ValueType::List), messages::COMMAND_TYPE),
            says(Missing, messages::MISSING),
        ])),
    field!("dir": Text, "Directory" "目录",
        "The working directory. Without it the project is used." "工作目录；省略时使用项目目录。", passed),
    field!("env": TextMap, "Environment" "环境变量",
        "Variables that are added to the environment." "添加到环境中的变量。"),
    field!("observe": Events(EventSet { notify_only: true, also: &EVERY_KIND }), "Observes" "观察",
        "The kinds of events that the process receives." "进程接收的事件种类。",
        filter(listening(FilterChoices::NotifyOnly, text(
            "The process receives these events; `*` means all of them.",
            "进程会收到这些事件的通知；`*` 表示全部。",
        )))),
    INTERCEPT,
]);

/// A hook in the process of an agent, which the agent registers for its session.
#[rustfmt::skip]
pub const REGISTRATION: DefinitionKind = Hook(&[
    field!("callback": Text, "Callback" "回调", "The name of the function in the agent." "Agent 中函数的名字。"),
    field!("name": Text, "Name" "名称", "The name of the hook." "Hook 的名称。"),
    PRIORITY,
    INTERCEPT,
]);

#[rustfmt::skip]
const PRIORITY: DefinitionField = field!("priority": Number(NumberSpec {
        unit: None, least: None, most: None, fractions: false, clamps: false,
    }), "Priority" "优先级", "Processes with a lower number run earlier." "数值小的进程先执行。",
    defaults(&[DefinitionDefault::always(DefinitionValue::Number(0))]));

#[rustfmt::skip]
const INTERCEPT: DefinitionField = field!("intercept": Events(EventSet { notify_only: false, also: &[""] }),
"Intercepts" "介入", "The points at which the agent waits for a response of the process." "Agent 等待进程响应的节点。",
filter(listening(
    FilterChoices::Deciding,
    text("The process decides at these events.", "进程在这些事件上做决定。"),
)));

/// A list of events at which the process runs.
const fn listening(choices: FilterChoices, about: hookwright_model::Bilingual) -> FilterSpec {
    FilterSpec::new(FilterSubject::Event, FilterTest::List, about)
        .ignored_without_subject()
        .choices(choices)
}
