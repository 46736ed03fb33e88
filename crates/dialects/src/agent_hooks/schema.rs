//! The fields of the front matter of a HOOK.md (`agent-hooks.md` §2).

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, Missing, NoFrontMatter, OpenFrontMatter, TooLarge, TooSmall, UnknownKey, UnknownKeyNear,
    WrongType,
};
use hookwright_model::definition::DefinitionKind::{AnyMap, Event, Filter, Flag, Hook, Number, Pattern, Text};
use hookwright_model::definition::{
    DefinitionDefault, DefinitionField, DefinitionFormat, DefinitionRole, DefinitionSpec, DefinitionValue,
    KnownMistake, MistakenKeys, NumberSpec, TimeUnit, ValueType, says,
};
use hookwright_model::{FilterSpec, FilterSubject, FilterTest, definition_field as field, term, text};

use super::messages;

/// Timeout of a hook that does not set one, in milliseconds.
pub const TIMEOUT_MS: i64 = 30_000;
/// A longer timeout is reduced to this (`engine.md` §6).
pub const MAX_TIMEOUT_MS: i64 = 3_600_000;
/// Priority of a hook that does not set one.
pub const PRIORITY: i64 = 100;
/// The highest priority.
pub const MAX_PRIORITY: i64 = 1000;

/// The schema of the front matter.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &[".agents/hooks/*/HOOK.md", ".config/agents/hooks/*/HOOK.md"],
    format: DefinitionFormat::FrontMatter,
    null_is_absent: true,
    root: Hook(&FIELDS),
    outside: &[field!("script": Text, "Script" "脚本", "The text of the script that runs." "所执行脚本的文本。",
        role(DefinitionRole::OtherFiles))],
    messages: &[
        says(NoFrontMatter, messages::NO_FRONT),
        says(OpenFrontMatter, messages::OPEN_FRONT),
        says(WrongType(ValueType::File), messages::FRONT_TYPE),
        says(WrongType(ValueType::Mapping), messages::MAPPING_TYPE),
        says(WrongType(ValueType::Text), messages::STRING_TYPE),
        says(WrongType(ValueType::Number), messages::INTEGER_TYPE),
        says(WrongType(ValueType::Flag), messages::BOOLEAN_TYPE),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
    ],
    known_mistakes: &[KnownMistake {
        keys: MistakenKeys::These(&["enabled", "disabled", "enable", "disable"]),
        template: messages::UNKNOWN_FIELD_SWITCH,
    }],
    ..DefinitionSpec::EMPTY
};

/// The fields of the front matter.
#[rustfmt::skip]
pub const FIELDS: [DefinitionField; 9] = [
    field!("name": Text, "Name" "名称",
        "The name of the hook, equal to the name of its folder." "Hook 的名称，与其文件夹同名。",
        required, role(DefinitionRole::OtherFiles)),
    field!("description": Text, "Description" "说明", "What the hook does, in one sentence." "用一句话说明 Hook 的作用。",
        warns, example(term!("what it does, in one sentence")), messages(&[says(Blank, messages::EMPTY)])),
    field!("trigger": Event, "Event" "事件", "The event that runs the hook." "触发此 Hook 的事件。",
        required, example(super::events::CARD.first), messages(&[says(Missing, messages::MISSING)])),
    field!("matcher": Filter(&MATCHER_FIELDS), "Matcher" "匹配条件",
        "The hook runs only if every condition matches." "所有条件都匹配时，才会执行此 Hook。"),
    field!("timeout": Number(NumberSpec {
            unit: Some(TimeUnit::Milliseconds), least: Some(1), most: Some(MAX_TIMEOUT_MS), fractions: false, clamps: false,
        }), "Time limit" "时限", "The hook is stopped after this many milliseconds." "超过此毫秒数后终止 Hook。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(TIMEOUT_MS))]), role(DefinitionRole::TimeLimit),
        messages(&[says(TooSmall, messages::TOO_SHORT), says(TooLarge, messages::TIMEOUT_TOO_LONG)])),
    field!("async": Flag, "In the background" "后台执行",
        "The agent does not wait for the hook, so the hook cannot block." "Agent 不等待此 Hook，因此它无法拦截。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Flag(false))])),
    field!("async_": Flag, "" "", "Another spelling of `async`." "`async` 的另一种写法。"),
    field!("priority": Number(NumberSpec {
            unit: None, least: Some(0), most: Some(MAX_PRIORITY), fractions: false, clamps: true,
        }), "Priority" "优先级", "Hooks with a higher priority run earlier." "优先级高的 Hook 先执行。",
        defaults(&[DefinitionDefault::always(DefinitionValue::Number(PRIORITY))]),
        messages(&[says(TooSmall, messages::PRIORITY), says(TooLarge, messages::PRIORITY)])),
    field!("metadata": AnyMap, "Metadata" "元数据", "Free data for other programs." "供其他程序使用的自由数据。"),
];

/// The fields of `matcher`.
#[rustfmt::skip]
pub const MATCHER_FIELDS: [DefinitionField; 2] = [
    field!("tool": Pattern, "Tool" "工具",
        "A regular expression that is searched in the name of the tool." "在工具名中查找的正则表达式。",
        filter(FilterSpec::new(FilterSubject::Field("tool_name"), FilterTest::Search,
            text("The regular expression matches a part of the name of the tool.", "正则表达式匹配工具名称的一部分。")))),
    field!("pattern": Pattern, "Input" "输入",
        "A regular expression that is searched in the texts of the tool input." "在工具输入的文本中查找的正则表达式。",
        filter(FilterSpec::new(FilterSubject::Field("tool_input"), FilterTest::Within, text(
            "The regular expression matches a part of any text in the input of the tool, or of its JSON.",
            "正则表达式匹配工具输入中任意文本或其 JSON 的一部分。",
        )))),
];
