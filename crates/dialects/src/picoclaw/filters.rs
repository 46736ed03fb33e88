//! What an entry of the configuration listens to (`picoclaw.md` §2), for the filter builder.

use hookwright_model::event::Bilingual;
use hookwright_model::filter_key::{FilterChoices, FilterKey, FilterSubject, FilterTest, WithoutSubject};

/// The conditions of a definition.
pub static FILTERS: [FilterKey; 2] = [
    FilterKey {
        key: "intercept",
        field: "intercept",
        subject: FilterSubject::Event,
        test: FilterTest::List,
        without_subject: WithoutSubject::Ignored,
        overruled_by: None,
        choices: FilterChoices::Deciding,
        about: Bilingual {
            en: "The process decides at these events.",
            zh: "进程在这些事件上做决定。",
        },
    },
    FilterKey {
        key: "observe",
        field: "observe",
        subject: FilterSubject::Event,
        test: FilterTest::List,
        without_subject: WithoutSubject::Ignored,
        overruled_by: None,
        choices: FilterChoices::NotifyOnly,
        about: Bilingual {
            en: "The process is told of these events; `*` means all of them.",
            zh: "进程会收到这些事件的通知；`*` 表示全部。",
        },
    },
];
