//! The fields of a `hooks.yaml` (`jcli.md` §2).

use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, NumberSpec, TimeUnit,
};
use hookwright_model::event::Bilingual;

use super::prompt::PLACEHOLDERS;

/// Time limit of a command, in seconds.
pub const BASH_TIMEOUT_SECS: i64 = 10;
/// Time limit of a prompt, in seconds.
pub const LLM_TIMEOUT_SECS: i64 = 30;
/// How often a prompt is repeated after a failure.
pub const LLM_RETRIES: i64 = 1;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// The schema of `hooks.yaml`.
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".jcli/hooks.yaml", ".jdata/agent/hooks.yaml"],
    format: DefinitionFormat::Yaml,
    null_is_absent: true,
    note_prefixes: &[],
    root: DefinitionKind::ByEvent(&DefinitionKind::List(&DefinitionKind::Hook(&FIELDS))),
    outside: &[],
};

/// The fields of a definition.
pub const FIELDS: [DefinitionField; 8] = [
    DefinitionField::new(
        "type",
        DefinitionKind::Choice(&TYPES),
        text("Runs", "执行方式"),
        text(
            "What the hook runs: a shell command or a model prompt.",
            "Hook 执行的内容：shell 命令或模型提示词。",
        ),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Text("bash"))])
    .role(DefinitionRole::Handler),
    DefinitionField::new(
        "command",
        DefinitionKind::Command,
        text("Command", "命令"),
        text(
            "The shell command. It gets the event as JSON on stdin.",
            "shell 命令，从 stdin 接收事件的 JSON。",
        ),
    )
    .required()
    .only("type", "bash"),
    DefinitionField::new(
        "prompt",
        DefinitionKind::Prompt(&PLACEHOLDERS),
        text("Prompt", "提示词"),
        text(
            "The text that the model gets. Placeholders contain fields of the event.",
            "发送给模型的文本，占位符会替换为事件的字段。",
        ),
    )
    .required()
    .only("type", "llm"),
    DefinitionField::new(
        "model",
        DefinitionKind::Text,
        text("Model", "模型"),
        text(
            "The model for this prompt. Without it the model of the agent is used.",
            "此提示词使用的模型；省略时使用 Agent 的模型。",
        ),
    )
    .only("type", "llm"),
    DefinitionField::new(
        "timeout",
        DefinitionKind::Number(NumberSpec {
            unit: Some(TimeUnit::Seconds),
            least: Some(1),
            most: Some(MAX_TIMEOUT_SECS),
            fractions: false,
        }),
        text("Time limit", "时限"),
        text(
            "The hook is stopped after this many seconds.",
            "超过此秒数后终止 Hook。",
        ),
    )
    .defaults(&[
        DefinitionDefault::with("type", "llm", DefinitionValue::Number(LLM_TIMEOUT_SECS)),
        DefinitionDefault::always(DefinitionValue::Number(BASH_TIMEOUT_SECS)),
    ])
    .role(DefinitionRole::TimeLimit),
    DefinitionField::new(
        "retry",
        DefinitionKind::Number(NumberSpec {
            unit: None,
            least: Some(0),
            most: None,
            fractions: false,
        }),
        text("Retries", "重试次数"),
        text("How often a failed hook runs again.", "Hook 失败后重新执行的次数。"),
    )
    .defaults(&[
        DefinitionDefault::with("type", "llm", DefinitionValue::Number(LLM_RETRIES)),
        DefinitionDefault::always(DefinitionValue::Number(0)),
    ]),
    DefinitionField::new(
        "on_error",
        DefinitionKind::Choice(&ON_ERROR),
        text("If it fails", "失败时"),
        text(
            "What happens after the last failed attempt: the agent continues, or the chain is stopped.",
            "最后一次尝试失败后：Agent 继续执行，或终止整条链。",
        ),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Text("skip"))])
    .role(DefinitionRole::Failure),
    DefinitionField::new(
        "filter",
        DefinitionKind::Filter(&FILTER_FIELDS),
        text("Filter", "匹配条件"),
        text(
            "The hook runs only if every condition matches.",
            "所有条件都匹配时，才会执行此 Hook。",
        ),
    ),
];

/// The fields of `filter`.
pub const FILTER_FIELDS: [DefinitionField; 3] = [
    DefinitionField::new(
        "tool_name",
        DefinitionKind::Text,
        text("Tool", "工具"),
        text("The exact name of the tool.", "工具的完整名称。"),
    ),
    DefinitionField::new(
        "tool_matcher",
        DefinitionKind::Text,
        text("Tools", "多个工具"),
        text(
            "Exact names of tools, separated by `|`. It is ignored if `tool_name` is set.",
            "工具的完整名称，用 `|` 分隔；设置了 `tool_name` 时忽略。",
        ),
    ),
    DefinitionField::new(
        "model_prefix",
        DefinitionKind::Text,
        text("Model begins with", "模型名前缀"),
        text("How the name of the model begins.", "模型名称的开头。"),
    ),
];

const TYPES: [DefinitionChoice; 2] = [
    DefinitionChoice {
        value: "bash",
        label: text("Command", "命令"),
    },
    DefinitionChoice {
        value: "llm",
        label: text("Model prompt", "模型提示词"),
    },
];

const ON_ERROR: [DefinitionChoice; 3] = [
    DefinitionChoice {
        value: "skip",
        label: text("Continue", "继续执行"),
    },
    DefinitionChoice {
        value: "abort",
        label: text("Stop the chain", "终止链"),
    },
    DefinitionChoice {
        value: "stop",
        label: text("", ""),
    },
];
