//! The parts of `matcher` (`agent-hooks.md` §4), for the filter builder.

use hookwright_model::event::Bilingual;
use hookwright_model::filter_key::{FilterChoices, FilterKey, FilterSubject, FilterTest, WithoutSubject};

/// The conditions of a definition.
pub static FILTERS: [FilterKey; 2] = [
    FilterKey {
        key: "tool",
        field: "matcher.tool",
        subject: FilterSubject::Field("tool_name"),
        test: FilterTest::Search,
        without_subject: WithoutSubject::NeverMatches,
        overruled_by: None,
        choices: FilterChoices::Any,
        about: Bilingual {
            en: "The regular expression matches a part of the name of the tool.",
            zh: "正则表达式匹配工具名称的一部分。",
        },
    },
    FilterKey {
        key: "pattern",
        field: "matcher.pattern",
        subject: FilterSubject::Field("tool_input"),
        test: FilterTest::Within,
        without_subject: WithoutSubject::NeverMatches,
        overruled_by: None,
        choices: FilterChoices::Any,
        about: Bilingual {
            en: "The regular expression matches a part of any text in the input of the tool, or of its JSON.",
            zh: "正则表达式匹配工具输入中任意文本或其 JSON 的一部分。",
        },
    },
];
