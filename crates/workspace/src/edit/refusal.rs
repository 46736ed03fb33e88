//! Whether an edit writes, and why it is refused.

use hookwright_model::{EditDoc, Message, Problem, render};

use super::messages::WOULD_BE_INVALID;

/// Whether an edit writes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The files are written.
    Now,
    /// The files stay unchanged. The answer contains what would change.
    DryRun,
}

/// Why an edit is refused. If the new definition would be an error, the refusal contains its Problems.
#[derive(Debug)]
pub enum EditRefusal {
    /// The new definition would be an error. The document contains the Problems.
    Problems(Box<EditDoc>, Message),
    /// Another reason.
    Other(Message),
}

impl<F: Into<Message>> From<F> for EditRefusal {
    fn from(reason: F) -> Self {
        Self::Other(reason.into())
    }
}

impl EditRefusal {
    /// The reason, without the document.
    #[must_use]
    pub fn message(self) -> Message {
        match self {
            Self::Problems(_, message) | Self::Other(message) => message,
        }
    }
}

/// The message that an edit would cause this error.
pub(super) fn new_error_message(problem: &Problem) -> Message {
    let hint = problem.hint.clone().unwrap_or_default();
    let message = render!(WOULD_BE_INVALID, "message" => problem.message, "hint" => hint);
    Message {
        hint: message.hint.clone().filter(|hint| !hint.is_empty()),
        ..message
    }
}
