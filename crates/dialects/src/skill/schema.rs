//! The fields of a skill's `hooks.json` (`skill.md` §2).

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, EmptyFile, Missing, UnknownKey, UnknownKeyNear, WrongType,
};
use hookwright_model::definition::DefinitionKind::{Choice, Event, File, Flag, Hook, List, Mapping, Text, Tools};
use hookwright_model::definition::{
    DefinitionChoice, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole, DefinitionSpec, ValueType,
    says,
};
use hookwright_model::{FilterSpec, FilterSubject, FilterTest, definition_field as field, text};

use super::messages;

/// The schema of `hooks.json`.
#[rustfmt::skip]
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &["skills/*/hooks/hooks.json"],
    format: DefinitionFormat::Json,
    root: Mapping(&[field!("hooks": List(&HOOK), "Hooks" "Hook", "The hooks of the skill." "该 Skill 的 Hook。", required)]),
    outside: &[
        field!("skill": Text, "Skill" "Skill", "The skill that the hook belongs to." "此 Hook 所属的 Skill。",
            role(DefinitionRole::OtherFiles)),
        field!("text": Text, "Text" "文本", "The text that is inserted." "插入的文本。", role(DefinitionRole::OtherFiles)),
    ],
    messages: &[
        says(WrongType(ValueType::File), messages::FILE_TYPE),
        says(EmptyFile, messages::EMPTY_FILE),
        says(WrongType(ValueType::Hook), messages::ENTRY_TYPE),
        says(WrongType(ValueType::Flag), messages::FLAG_TYPE),
        says(WrongType(ValueType::List), messages::FILTER_TYPE),
        says(WrongType(ValueType::Item), messages::FILTER_ITEM),
        says(DuplicateKey, messages::DUPLICATE_KEY),
        says(UnknownKey, messages::UNKNOWN_FIELD),
        says(UnknownKeyNear, messages::UNKNOWN_FIELD_NEAR),
        says(Missing, messages::MISSING),
    ],
    ..DefinitionSpec::EMPTY
};

/// An entry.
pub static HOOK: DefinitionKind = Hook(&FIELDS);

/// The fields of an entry.
#[rustfmt::skip]
pub const FIELDS: [DefinitionField; 6] = [
    field!("name": Text, "Name" "名称", "A name that is unique in the skill." "在该 Skill 中唯一的名称。",
        required, example("\"…\""),
        messages(&[says(WrongType(ValueType::Text), messages::STRING_TYPE), says(Blank, messages::BLANK_NAME)])),
    field!("file": File, "File" "文件",
        "The Markdown file with the text, inside the folder `hooks` of the skill."
        "包含文本的 Markdown 文件，位于该 Skill 的 `hooks` 文件夹内。",
        required, example("\"….md\""), messages(&[says(WrongType(ValueType::Text), messages::STRING_TYPE)])),
    field!("timing": Event, "Event" "事件", "When the text is inserted." "插入文本的时机。",
        required, example("\"after_user_input\"")),
    field!("role": Choice(&[
            DefinitionChoice { value: "system", label: text("System", "系统") },
            DefinitionChoice { value: "user", label: text("User", "用户") },
        ]), "Role" "角色", "The role of the inserted message." "所插入消息的角色。", required, example("\"system\"")),
    field!("persistent": Flag, "Stays" "保留",
        "Whether the message stays in the conversation instead of being removed after its call."
        "消息是否保留在对话中，而不是在调用后移除。", required, example("false")),
    field!("tool_filter": Tools, "Tools" "工具",
        "Exact names of tools. It has an effect only after a tool call." "工具的完整名称；仅在工具调用之后起作用。",
        filter(FilterSpec::new(FilterSubject::OfEvent, FilterTest::List,
            text("The tool has one of these names.", "工具名称是其中之一。")).ignored_without_subject())),
];
