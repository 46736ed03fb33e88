//! The fields of `config.json` that define hooks (`picoclaw.md` §1, §2).

use hookwright_model::definition::{
    DefinitionChoice, DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole,
    DefinitionSpec, DefinitionValue, EventSet, NumberSpec, TimeUnit,
};
use hookwright_model::event::Bilingual;

/// The values of `observe` that mean every kind.
pub const EVERY_KIND: [&str; 3] = ["", "*", "all"];
/// Time limits of a file that does not set them, in milliseconds.
pub const OBSERVER_MS: i64 = 500;
pub const INTERCEPTOR_MS: i64 = 5_000;
pub const APPROVAL_MS: i64 = 60_000;
/// A longer timeout is reduced to this (`engine.md` §6).
pub const MAX_TIMEOUT_MS: i64 = 3_600_000;

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// The schema of `config.json`.
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".picoclaw/config.json"],
    format: DefinitionFormat::Json,
    null_is_absent: true,
    note_prefixes: &["_"],
    root: DefinitionKind::OpenMapping(&[DefinitionField::new(
        "hooks",
        DefinitionKind::Mapping(&HOOKS_FIELDS),
        text("Hooks", "Hook"),
        text("The hooks of the agent.", "该 Agent 的 Hook。"),
    )]),
    outside: &[DefinitionField::new(
        "name",
        DefinitionKind::Text,
        text("Name", "名称"),
        text(
            "The name of the process, its key in the file.",
            "进程的名称，即它在文件中的键。",
        ),
    )
    .required()
    .role(DefinitionRole::Key)],
};

/// The keys of `hooks`.
pub const HOOKS_FIELDS: [DefinitionField; 4] = [
    DefinitionField::new(
        "enabled",
        DefinitionKind::Flag,
        text("On", "启用"),
        text("Switches every process of this file off.", "可关闭此文件的所有进程。"),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Flag(true))]),
    DefinitionField::new(
        "defaults",
        DefinitionKind::Mapping(&DEFAULTS_FIELDS),
        text("Time limits", "时限"),
        text("Time limits of every process of this file.", "此文件所有进程的时限。"),
    ),
    DefinitionField::new(
        "processes",
        DefinitionKind::ByName(&DefinitionKind::Hook(&FIELDS)),
        text("Processes", "进程"),
        text("The processes, by name.", "按名称列出的进程。"),
    ),
    DefinitionField::new(
        "builtins",
        DefinitionKind::ByName(&DefinitionKind::AnyMap),
        text("Built-in hooks", "内置 Hook"),
        text(
            "Settings of hooks that are compiled into the agent.",
            "编译在 Agent 内部的 Hook 的配置。",
        ),
    ),
];

/// The keys of `hooks.defaults`, in the order of `ProcessLimits`.
pub const DEFAULTS_FIELDS: [DefinitionField; 3] = [
    limit(
        "observer_timeout_ms",
        text("Notification", "通知"),
        text(
            "Time limit for writing a notification, in milliseconds.",
            "写入一条通知的时限（毫秒）。",
        ),
        &[DefinitionDefault::always(DefinitionValue::Number(OBSERVER_MS))],
    ),
    limit(
        "interceptor_timeout_ms",
        text("Response", "响应"),
        text(
            "Time limit for a response at the model and tool points, in milliseconds.",
            "在模型与工具节点响应的时限（毫秒）。",
        ),
        &[DefinitionDefault::always(DefinitionValue::Number(INTERCEPTOR_MS))],
    ),
    limit(
        "approval_timeout_ms",
        text("Approval", "审批"),
        text("Time limit for an approval, in milliseconds.", "审批的时限（毫秒）。"),
        &[DefinitionDefault::always(DefinitionValue::Number(APPROVAL_MS))],
    ),
];

const fn limit(
    name: &'static str,
    label: Bilingual,
    about: Bilingual,
    defaults: &'static [DefinitionDefault],
) -> DefinitionField {
    let kind = DefinitionKind::Number(NumberSpec {
        unit: Some(TimeUnit::Milliseconds),
        least: None,
        most: Some(MAX_TIMEOUT_MS),
        fractions: false,
    });
    DefinitionField::new(name, kind, label, about).defaults(defaults)
}

/// The fields of an entry.
pub const FIELDS: [DefinitionField; 8] = [
    DefinitionField::new(
        "enabled",
        DefinitionKind::Flag,
        text("On", "启用"),
        text("Whether the agent starts the process.", "Agent 是否启动此进程。"),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))])
    .role(DefinitionRole::Switch),
    DefinitionField::new(
        "priority",
        DefinitionKind::Number(NumberSpec {
            unit: None,
            least: None,
            most: None,
            fractions: false,
        }),
        text("Priority", "优先级"),
        text("Processes with a lower number run earlier.", "数值小的进程先执行。"),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Number(0))]),
    DefinitionField::new(
        "transport",
        DefinitionKind::Choice(&[
            DefinitionChoice {
                value: "stdio",
                label: text("stdio", "stdio"),
            },
            DefinitionChoice {
                value: "",
                label: text("", ""),
            },
        ]),
        text("Transport", "传输方式"),
        text("How the agent talks to the process.", "Agent 与进程通信的方式。"),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Text("stdio"))]),
    DefinitionField::new(
        "command",
        DefinitionKind::Words,
        text("Command", "命令"),
        text(
            "The program and its arguments. No shell is used.",
            "程序及其参数，不经过 shell。",
        ),
    )
    .required(),
    DefinitionField::new(
        "dir",
        DefinitionKind::Text,
        text("Directory", "目录"),
        text(
            "The working directory. Without it the project is used.",
            "工作目录；省略时使用项目目录。",
        ),
    ),
    DefinitionField::new(
        "env",
        DefinitionKind::TextMap,
        text("Environment", "环境变量"),
        text("Variables that are added to the environment.", "添加到环境中的变量。"),
    ),
    DefinitionField::new(
        "observe",
        DefinitionKind::Events(EventSet {
            notify_only: true,
            also: &EVERY_KIND,
        }),
        text("Observes", "观察"),
        text("The kinds of events that the process receives.", "进程接收的事件种类。"),
    ),
    DefinitionField::new(
        "intercept",
        DefinitionKind::Events(EventSet {
            notify_only: false,
            also: &[""],
        }),
        text("Intercepts", "介入"),
        text(
            "The points at which the agent waits for a response of the process.",
            "Agent 等待进程响应的节点。",
        ),
    ),
];
