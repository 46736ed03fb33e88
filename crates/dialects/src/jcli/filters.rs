//! The parts of `filter` (`jcli.md` §4), for the filter builder.

use hookwright_model::event::Bilingual;
use hookwright_model::filter_key::{FilterChoices, FilterKey, FilterSubject, FilterTest, WithoutSubject};

/// The conditions of a definition.
pub static FILTERS: [FilterKey; 3] = [
    FilterKey {
        key: "tool_name",
        field: "filter.tool_name",
        subject: FilterSubject::Field("tool_name"),
        test: FilterTest::Equals,
        without_subject: WithoutSubject::NeverMatches,
        overruled_by: None,
        choices: FilterChoices::Any,
        about: Bilingual {
            en: "The tool has exactly this name.",
            zh: "工具名称与此完全相同。",
        },
    },
    FilterKey {
        key: "tool_matcher",
        field: "filter.tool_matcher",
        subject: FilterSubject::Field("tool_name"),
        test: FilterTest::Names,
        without_subject: WithoutSubject::NeverMatches,
        overruled_by: Some("tool_name"),
        choices: FilterChoices::Any,
        about: Bilingual {
            en: "The tool has one of these names. It is not a regular expression.",
            zh: "工具名称是其中之一。不是正则表达式。",
        },
    },
    FilterKey {
        key: "model_prefix",
        field: "filter.model_prefix",
        subject: FilterSubject::Field("model"),
        test: FilterTest::Prefix,
        without_subject: WithoutSubject::NeverMatches,
        overruled_by: None,
        choices: FilterChoices::Any,
        about: Bilingual {
            en: "The name of the model begins with this text.",
            zh: "模型名称以此开头。",
        },
    },
];
