//! The fields of a `hooks.yaml` (`jcli.md` §2).

use hookwright_model::definition::DefinitionError::{
    BareText, Blank, DuplicateKey, Missing, MissingBeside, NoEffect, Template, TooLarge, TooSmall, UnknownKey,
    UnknownKeyNear, UnknownWord, WrongType,
};
use hookwright_model::definition::DefinitionKind::{
    ByEvent, Choice, Command, Filter, Hook, List, Number, Prompt, Text,
};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, KnownMistake, MistakenKeys, NumberSpec, TimeUnit, ValueType, rejects, says,
};
use hookwright_model::{FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::messages;
use super::prompt::PLACEHOLDERS;

/// Time limit of a command, in seconds.
pub const BASH_TIMEOUT_SECS: i64 = 10;
/// Time limit of a prompt, in seconds.
pub const LLM_TIMEOUT_SECS: i64 = 30;
/// How often a prompt is repeated after a failure.
pub const LLM_RETRIES: i64 = 1;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;

/// The schema of `hooks.yaml`.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".jcli/hooks.yaml", ".jdata/agent/hooks.yaml"],
    format: DefinitionFormat::Yaml,
    null_is_absent: true,
    root: ByEvent(&List(&HOOK)),
    messages: &[
        says(WrongType(ValueType::File), messages::FILE_TYPE),
        rejects(WrongType(ValueType::Hook), messages::HOOK_TYPE),
        rejects(WrongType(ValueType::Mapping), messages::MAPPING_TYPE),
        rejects(WrongType(ValueType::Text), messages::STRING_TYPE),
        rejects(WrongType(ValueType::Number), messages::INTEGER_TYPE),
        rejects(Template, messages::TEMPLATE_TYPE),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(Missing, messages::MISSING),
        says(Blank, messages::EMPTY),
        says(TooSmall, messages::TOO_SMALL),
        says(NoEffect, messages::NO_EFFECT),
    ],
    known_mistakes: &[KnownMistake {
        keys: MistakenKeys::These(&["enabled", "disabled", "enable", "disable"]),
        template: messages::UNKNOWN_FIELD_SWITCH,
    }],
    ..DefinitionSpec::EMPTY
};

/// A definition.
pub static HOOK: DefinitionKind = Hook(&FIELDS);

/// The fields of a definition.
#[rustfmt::skip]
pub const FIELDS: [DefinitionField; 8] = [
    field!("type": Choice(&[
            DefinitionChoice { value: "bash", label: text("Command", "命令") },
            DefinitionChoice { value: "llm", label: text("Model prompt", "模型提示词") },
        ]), "Runs" "执行方式",
        "What the hook runs: a shell command or a model prompt." "Hook 执行的内容：shell 命令或模型提示词。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Text("bash"))]), role(DefinitionRole::Handler),
        messages(&[rejects(UnknownWord, messages::UNKNOWN_TYPE)])),
    field!("command": Command, "Command" "命令",
        "The shell command. It gets the event as JSON on stdin." "shell 命令，从 stdin 接收事件的 JSON。",
        required, only("type", "bash"),
        messages(&[says(MissingBeside, messages::MISSING_TYPE), says(BareText, messages::BARE_COMMAND)])),
    field!("prompt": Prompt(&PLACEHOLDERS), "Prompt" "提示词",
        "The text that the model gets. Placeholders contain fields of the event."
        "发送给模型的文本，占位符会替换为事件的字段。",
        required, only("type", "llm"), messages(&[says(MissingBeside, messages::MISSING_PROMPT)])),
    field!("model": Text, "Model" "模型",
        "The model for this prompt. Without it the model of the agent is used."
        "此提示词使用的模型；省略时使用 Agent 的模型。", only("type", "llm")),
    field!("timeout": Number(NumberSpec {
            unit: Some(TimeUnit::Seconds), least: Some(1), most: Some(MAX_TIMEOUT_SECS), fractions: false, clamps: false,
        }), "Time limit" "时限", "The hook is stopped after this many seconds." "超过此秒数后终止 Hook。",
        defaults(&[
            DefinitionDefault::with("type", "llm", DefinitionValue::Number(LLM_TIMEOUT_SECS)),
            DefinitionDefault::always(DefinitionValue::Number(BASH_TIMEOUT_SECS)),
        ]), role(DefinitionRole::TimeLimit), messages(&[says(TooLarge, messages::TOO_LONG)])),
    field!("retry": Number(NumberSpec { unit: None, least: Some(0), most: None, fractions: false, clamps: false }),
        "Retries" "重试次数", "How often a failed hook runs again." "Hook 失败后重新执行的次数。",
        defaults(&[
            DefinitionDefault::with("type", "llm", DefinitionValue::Number(LLM_RETRIES)),
            DefinitionDefault::always(DefinitionValue::Number(0)),
        ])),
    field!("on_error": Choice(&[
            DefinitionChoice { value: "skip", label: text("Continue", "继续执行") },
            DefinitionChoice { value: "abort", label: text("Stop the chain", "终止链") },
            DefinitionChoice { value: "stop", label: text("", "") },
        ]), "If it fails" "失败时",
        "What happens after the last failed attempt: the agent continues, or the chain is stopped."
        "最后一次尝试失败后：Agent 继续执行，或终止整条链。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Text("skip"))]), role(DefinitionRole::Failure),
        messages(&[rejects(UnknownWord, messages::UNKNOWN_ON_ERROR)])),
    field!("filter": Filter(&FILTER_FIELDS), "Filter" "匹配条件",
        "The hook runs only if every condition matches." "所有条件都匹配时，才会执行此 Hook。"),
];

/// The fields of `filter`.
#[rustfmt::skip]
pub const FILTER_FIELDS: [DefinitionField; 3] = [
    field!("tool_name": Text, "Tool" "工具", "The exact name of the tool." "工具的完整名称。",
        filter(FilterSpec::new(FilterSubject::Field("tool_name"), FilterTest::Equals,
            text("The tool has exactly this name.", "工具名称与此完全相同。")))),
    field!("tool_matcher": Text, "Tools" "多个工具",
        "Exact names of tools, separated by `|`. It is ignored if `tool_name` is set."
        "工具的完整名称，用 `|` 分隔；设置了 `tool_name` 时忽略。",
        filter(FilterSpec::new(FilterSubject::Field("tool_name"), FilterTest::Names,
            text("The tool has one of these names. It is not a regular expression.", "工具名称是其中之一。不是正则表达式。"))
            .overruled_by("tool_name"))),
    field!("model_prefix": Text, "Model begins with" "模型名前缀", "How the name of the model begins." "模型名称的开头。",
        filter(FilterSpec::new(FilterSubject::Field("model"), FilterTest::Prefix,
            text("The name of the model begins with this text.", "模型名称以此开头。")))),
];
