//! The fields of a skill's `hooks.json` (`skill.md` §2).

use hookwright_model::definition::{
    DefinitionChoice, DefinitionField, DefinitionFormat, DefinitionKind, DefinitionRole, DefinitionSpec,
};
use hookwright_model::event::Bilingual;

const fn text(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// The schema of `hooks.json`.
pub static DEFINITION: DefinitionSpec = DefinitionSpec {
    files: &["skills/*/hooks/hooks.json"],
    format: DefinitionFormat::Json,
    null_is_absent: false,
    note_prefixes: &[],
    root: DefinitionKind::Mapping(&[DefinitionField::new(
        "hooks",
        DefinitionKind::List(&DefinitionKind::Hook(&FIELDS)),
        text("Hooks", "Hook"),
        text("The hooks of the skill.", "该 Skill 的 Hook。"),
    )
    .required()]),
    outside: &[
        DefinitionField::new(
            "skill",
            DefinitionKind::Text,
            text("Skill", "Skill"),
            text("The skill that the hook belongs to.", "此 Hook 所属的 Skill。"),
        )
        .role(DefinitionRole::OtherFiles),
        DefinitionField::new(
            "text",
            DefinitionKind::Text,
            text("Text", "文本"),
            text("The text that is inserted.", "插入的文本。"),
        )
        .role(DefinitionRole::OtherFiles),
    ],
};

/// The fields of an entry.
pub const FIELDS: [DefinitionField; 6] = [
    DefinitionField::new(
        "name",
        DefinitionKind::Text,
        text("Name", "名称"),
        text("A name that is unique in the skill.", "在该 Skill 中唯一的名称。"),
    )
    .required(),
    DefinitionField::new(
        "file",
        DefinitionKind::File,
        text("File", "文件"),
        text(
            "The Markdown file with the text, inside the folder `hooks` of the skill.",
            "包含文本的 Markdown 文件，位于该 Skill 的 `hooks` 文件夹内。",
        ),
    )
    .required(),
    DefinitionField::new(
        "timing",
        DefinitionKind::Event,
        text("Event", "事件"),
        text("When the text is inserted.", "插入文本的时机。"),
    )
    .required(),
    DefinitionField::new(
        "role",
        DefinitionKind::Choice(&ROLES),
        text("Role", "角色"),
        text("The role of the inserted message.", "所插入消息的角色。"),
    )
    .required(),
    DefinitionField::new(
        "persistent",
        DefinitionKind::Flag,
        text("Stays", "保留"),
        text(
            "Whether the message stays in the conversation instead of being removed after its call.",
            "消息是否保留在对话中，而不是在调用后移除。",
        ),
    )
    .required(),
    DefinitionField::new(
        "tool_filter",
        DefinitionKind::Tools,
        text("Tools", "工具"),
        text(
            "Exact names of tools. It has an effect only after a tool call.",
            "工具的完整名称；仅在工具调用之后起作用。",
        ),
    ),
];

const ROLES: [DefinitionChoice; 2] = [
    DefinitionChoice {
        value: "system",
        label: text("System", "系统"),
    },
    DefinitionChoice {
        value: "user",
        label: text("User", "用户"),
    },
];
