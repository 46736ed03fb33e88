//! The condition of an entry (`skill.md` §4), for the filter builder.

use hookwright_model::event::Bilingual;
use hookwright_model::filter_key::{FilterChoices, FilterKey, FilterSubject, FilterTest, WithoutSubject};

/// The conditions of a definition.
pub static FILTERS: [FilterKey; 1] = [FilterKey {
    key: "tool_filter",
    field: "tool_filter",
    subject: FilterSubject::OfEvent,
    test: FilterTest::List,
    without_subject: WithoutSubject::Ignored,
    overruled_by: None,
    choices: FilterChoices::Any,
    about: Bilingual {
        en: "The tool has one of these names.",
        zh: "工具名称是其中之一。",
    },
}];
