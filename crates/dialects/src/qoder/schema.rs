//! The fields of `settings.json` that define hooks (`qoder.md` §2).

use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, NumberSpec, TimeUnit,
};
use hookwright_model::event::Bilingual;

/// Timeout of a hook that does not set one, in seconds.
pub const TIMEOUT_SECS: i64 = 60;
/// Limit for `timeout`, in seconds. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT_SECS: i64 = 3600;

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// The schema of `settings.json` and `settings.local.json`.
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".qoder/settings.json", ".qoder/settings.local.json"],
    format: DefinitionFormat::Json,
    null_is_absent: true,
    note_prefixes: &["_", "$", "//"],
    root: DefinitionKind::OpenMapping(&[DefinitionField::new(
        "hooks",
        DefinitionKind::ByEvent(&DefinitionKind::List(&DefinitionKind::Mapping(&GROUP_FIELDS))),
        text("Hooks", "Hook"),
        text("Hooks by event.", "按事件列出的 Hook。"),
    )]),
    outside: &[MATCHER],
};

/// The fields of a group, without its labels.
pub const GROUP: [DefinitionField; 3] = [
    MATCHER,
    DefinitionField::new(
        "hooks",
        DefinitionKind::List(&DefinitionKind::Hook(&ENTRY_FIELDS)),
        text("Hooks", "Hook"),
        text("The hooks that share the matcher.", "共用此匹配条件的 Hook。"),
    )
    .required(),
    ASYNC,
];

const GROUP_FIELDS: [DefinitionField; 6] = [GROUP[0], GROUP[1], GROUP[2], LABELS[0], LABELS[1], LABELS[2]];

const MATCHER: DefinitionField = DefinitionField::new(
    "matcher",
    DefinitionKind::Pattern,
    text("Matcher", "匹配条件"),
    text(
        "A regular expression for the whole name of the tool. Without it, or with `*`, everything matches.",
        "匹配完整工具名的正则表达式；省略或写 `*` 时匹配全部。",
    ),
);

const ASYNC: DefinitionField = DefinitionField::new(
    "async",
    DefinitionKind::Flag,
    text("In the background", "后台执行"),
    text(
        "The agent does not wait for the hook, so the hook cannot block.",
        "Agent 不等待此 Hook，因此它无法拦截。",
    ),
)
.defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))]);

/// The fields of an entry, without its labels.
pub const ENTRY: [DefinitionField; 8] = [
    DefinitionField::new(
        "type",
        DefinitionKind::Choice(&[DefinitionChoice {
            value: "command",
            label: text("Command", "命令"),
        }]),
        text("Runs", "执行方式"),
        text(
            "The kind of hook. Hookwright runs commands.",
            "Hook 的类型；Hookwright 执行命令。",
        ),
    )
    .required()
    .role(DefinitionRole::Handler),
    DefinitionField::new(
        "command",
        DefinitionKind::Command,
        text("Command", "命令"),
        text(
            "The shell command. It gets the event as JSON on stdin. With `args` it is a program.",
            "shell 命令，从 stdin 接收事件的 JSON；有 `args` 时为程序。",
        ),
    )
    .required(),
    DefinitionField::new(
        "timeout",
        DefinitionKind::Number(NumberSpec {
            unit: Some(TimeUnit::Seconds),
            least: Some(0),
            most: Some(MAX_TIMEOUT_SECS),
            fractions: true,
        }),
        text("Time limit", "时限"),
        text(
            "The hook is stopped after this many seconds.",
            "超过此秒数后终止 Hook。",
        ),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_SECS))])
    .role(DefinitionRole::TimeLimit),
    DefinitionField::new(
        "name",
        DefinitionKind::Text,
        text("Name", "名称"),
        text("A name for the list of hooks.", "在 Hook 列表中显示的名称。"),
    ),
    DefinitionField::new(
        "args",
        DefinitionKind::Words,
        text("Arguments", "参数"),
        text(
            "Arguments of the program. With them no shell is used.",
            "程序的参数；有参数时不经过 shell。",
        ),
    ),
    DefinitionField::new(
        "env",
        DefinitionKind::TextMap,
        text("Environment", "环境变量"),
        text("Variables that are added to the environment.", "添加到环境中的变量。"),
    ),
    DefinitionField::new(
        "shell",
        DefinitionKind::Choice(&[DefinitionChoice {
            value: "bash",
            label: text("bash", "bash"),
        }]),
        text("Shell", "shell"),
        text(
            "Runs the command with bash instead of sh.",
            "用 bash 代替 sh 执行命令。",
        ),
    ),
    ASYNC,
];

const ENTRY_FIELDS: [DefinitionField; 11] = [
    ENTRY[0], ENTRY[1], ENTRY[2], ENTRY[3], ENTRY[4], ENTRY[5], ENTRY[6], ENTRY[7], LABELS[0], LABELS[1], LABELS[2],
];

/// Fields with notes for the user, in groups and entries. They have no effect.
pub const LABELS: [DefinitionField; 3] = [
    label("statusMessage", text("Status message", "状态文字")),
    label("description", text("Description", "说明")),
    label("id", text("Id", "标识")),
];

const fn label(name: &'static str, label: Bilingual) -> DefinitionField {
    let about = text("A note for the reader, without effect.", "给读者的备注，没有作用。");
    DefinitionField::new(name, DefinitionKind::Text, label, about)
}
