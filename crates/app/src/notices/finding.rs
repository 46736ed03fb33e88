//! What a notification is about.

use hookwright_model::MessageTemplate;

use crate::pushes::NoticeReason;

/// One thing that the user may want to know. The texts are those of hooks: neither masked nor bounded yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    pub reason: NoticeReason,
    pub message: &'static MessageTemplate,
    /// Hook id.
    pub hook: String,
    /// What counts as the same hook: its id, for an approval together with its definition, since ids move.
    pub subject: String,
    pub label: String,
    pub event: String,
    pub project: Option<String>,
    /// The page that shows it.
    pub at: String,
}
