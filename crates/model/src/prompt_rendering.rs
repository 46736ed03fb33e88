//! A prompt template filled for one event, part by part, so that the window can show what comes from where.

use crate::event::{EventSpec, Payload};

/// A variable that templates can contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptVariable {
    /// Its name, without braces.
    pub name: &'static str,
    /// Whether the event can have a value for it.
    pub is_set: bool,
}

/// A filled template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRendering {
    /// The template in its order. The written texts together are the template.
    pub parts: Vec<PromptPart>,
    /// What follows the template in the message, as the dialect joins them.
    pub instructions: String,
    /// The system message.
    pub system: String,
}

/// One part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// The part as it is in the template.
    pub written: String,
    /// What it is.
    pub kind: PromptPartKind,
}

/// What a part of a template is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPartKind {
    /// Text.
    Text,
    /// A variable, and its value in this event.
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value; empty without one.
        value: String,
    },
    /// A text that looks like a variable and is none. The model reads it as it is written.
    Unknown {
        /// The name in it.
        name: String,
        /// The variable that was probably meant.
        nearest: Option<&'static str>,
    },
}

/// The prompt templates of a dialect.
#[derive(Debug, Clone, Copy)]
pub struct PromptSupport {
    /// The field of a definition that contains the template.
    pub field: &'static str,
    /// The variables at an event.
    pub variables: fn(&EventSpec) -> Vec<PromptVariable>,
    /// Fills a template in the same way as for a run.
    pub render: fn(&str, &EventSpec, &Payload) -> PromptRendering,
}
