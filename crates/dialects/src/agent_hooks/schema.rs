//! The fields of the front matter of a HOOK.md (`agent-hooks.md` §2).

use hookwright_model::definition::{
    DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole, DefinitionSpec,
    DefinitionValue, NumberSpec, TimeUnit,
};
use hookwright_model::event::Bilingual;

/// Timeout of a hook that does not set one, in milliseconds.
pub const TIMEOUT_MS: i64 = 30_000;
/// A longer timeout is reduced to this (`engine.md` §6).
pub const MAX_TIMEOUT_MS: i64 = 3_600_000;
/// Priority of a hook that does not set one.
pub const PRIORITY: i64 = 100;
/// The highest priority.
pub const MAX_PRIORITY: i64 = 1000;

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// The schema of the front matter.
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".agents/hooks/*/HOOK.md", ".config/agents/hooks/*/HOOK.md"],
    format: DefinitionFormat::FrontMatter,
    null_is_absent: true,
    note_prefixes: &[],
    root: DefinitionKind::Hook(&FIELDS),
    outside: &[DefinitionField::new(
        "script",
        DefinitionKind::Text,
        text("Script", "脚本"),
        text("The text of the script that runs.", "所执行脚本的文本。"),
    )
    .role(DefinitionRole::OtherFiles)],
};

/// The fields of the front matter.
pub const FIELDS: [DefinitionField; 9] = [
    DefinitionField::new(
        "name",
        DefinitionKind::Text,
        text("Name", "名称"),
        text(
            "The name of the hook, equal to the name of its folder.",
            "Hook 的名称，与其文件夹同名。",
        ),
    )
    .required()
    .role(DefinitionRole::OtherFiles),
    DefinitionField::new(
        "description",
        DefinitionKind::Text,
        text("Description", "说明"),
        text("What the hook does, in one sentence.", "用一句话说明 Hook 的作用。"),
    ),
    DefinitionField::new(
        "trigger",
        DefinitionKind::Event,
        text("Event", "事件"),
        text("The event that runs the hook.", "触发此 Hook 的事件。"),
    )
    .required(),
    DefinitionField::new(
        "matcher",
        DefinitionKind::Filter(&MATCHER_FIELDS),
        text("Matcher", "匹配条件"),
        text(
            "The hook runs only if every condition matches.",
            "所有条件都匹配时，才会执行此 Hook。",
        ),
    ),
    DefinitionField::new(
        "timeout",
        DefinitionKind::Number(NumberSpec {
            unit: Some(TimeUnit::Milliseconds),
            least: Some(1),
            most: Some(MAX_TIMEOUT_MS),
            fractions: false,
        }),
        text("Time limit", "时限"),
        text(
            "The hook is stopped after this many milliseconds.",
            "超过此毫秒数后终止 Hook。",
        ),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_MS))])
    .role(DefinitionRole::TimeLimit),
    DefinitionField::new(
        "async",
        DefinitionKind::Flag,
        text("In the background", "后台执行"),
        text(
            "The agent does not wait for the hook, so the hook cannot block.",
            "Agent 不等待此 Hook，因此它无法拦截。",
        ),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))]),
    DefinitionField::new(
        "async_",
        DefinitionKind::Flag,
        text("", ""),
        text("Another spelling of `async`.", "`async` 的另一种写法。"),
    ),
    DefinitionField::new(
        "priority",
        DefinitionKind::Number(NumberSpec {
            unit: None,
            least: Some(0),
            most: Some(MAX_PRIORITY),
            fractions: false,
        }),
        text("Priority", "优先级"),
        text("Hooks with a higher priority run earlier.", "优先级高的 Hook 先执行。"),
    )
    .defaults(&[DefinitionDefault::always(DefinitionValue::Number(PRIORITY))]),
    DefinitionField::new(
        "metadata",
        DefinitionKind::AnyMap,
        text("Metadata", "元数据"),
        text("Free data for other programs.", "供其他程序使用的自由数据。"),
    ),
];

/// The fields of `matcher`.
pub const MATCHER_FIELDS: [DefinitionField; 2] = [
    DefinitionField::new(
        "tool",
        DefinitionKind::Pattern,
        text("Tool", "工具"),
        text(
            "A regular expression that is searched in the name of the tool.",
            "在工具名中查找的正则表达式。",
        ),
    ),
    DefinitionField::new(
        "pattern",
        DefinitionKind::Pattern,
        text("Input", "输入"),
        text(
            "A regular expression that is searched in the texts of the tool input.",
            "在工具输入的文本中查找的正则表达式。",
        ),
    ),
];
