//! The matcher of a group (`qoder.md` §4), for the filter builder.

use hookwright_model::event::Bilingual;
use hookwright_model::filter_key::{FilterChoices, FilterKey, FilterSubject, FilterTest, WithoutSubject};

/// The conditions of a definition.
pub static FILTERS: [FilterKey; 1] = [FilterKey {
    key: "matcher",
    field: "matcher",
    subject: FilterSubject::OfEvent,
    test: FilterTest::Whole,
    without_subject: WithoutSubject::Ignored,
    overruled_by: None,
    choices: FilterChoices::Any,
    about: Bilingual {
        en: "The regular expression matches the whole value, such as the name of the tool.",
        zh: "正则表达式匹配整个值，例如工具名称。",
    },
}];
