//! The message list of one request, into which hooks insert texts and from which their texts are removed again
//! (`CONTRACTS.md` §3, `skill.begin` and the methods that follow it).

use std::fmt::Debug;

use serde_json::{Value, json};

use crate::event::Payload;
use crate::hook::Hook;
use crate::message::Message;
use crate::simulate::Persisted;
use crate::trace::Trace;

/// What an agent sends when a request begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestBegin {
    /// The messages as the front end sent them. An absent or `null` value is an empty list.
    pub messages: Value,
    /// The names of the enabled skills in their order. An absent or `null` value names none: then all skills that are
    /// found are used.
    pub enabled_skills: Value,
}

/// A message list that records what was inserted into it, at which timing and by which hook. A message is identified by
/// its reference, never by its content.
pub trait RequestList: Send + Debug {
    /// The whole list. Messages of the front end are as it sent them, unknown keys included.
    fn messages(&self) -> Value;

    /// The payload of the event that inserts texts. `tool_name` is the tool whose call has ended, if the timing has
    /// one.
    fn payload(&self, tool_name: Option<&str>) -> Payload;

    /// Applies what the hooks of an event inserted. `trace` is the unmasked trace of the event, which was fired with
    /// [`RequestList::payload`]; its event is the timing. `hooks` are the dialect's hooks: they define which texts are
    /// persistent.
    fn insert(&mut self, trace: &Trace, hooks: &[&Hook]) -> Insertion;

    /// Removes the texts of a timing, except persistent ones. Returns the removed texts. If nothing was inserted,
    /// nothing happens.
    fn remove(&mut self, timing: &str) -> Vec<InsertedText>;

    /// Adds a prompt of the agent itself at the end. Without a role it has the role `system`. Returns its reference.
    fn insert_prompt(&mut self, content: &str, role: Option<&str>) -> String;

    /// Removes exactly this prompt.
    ///
    /// # Errors
    /// No prompt has this reference, or the prompt was already removed. Then nothing changes, and the message becomes a
    /// `warning` notice.
    fn remove_prompt(&mut self, reference: &str) -> Result<(), Message>;
}

/// A text that a hook inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedText {
    /// The reference that the reply gave to its message.
    pub reference: String,
    /// The role of its message.
    pub role: String,
    /// The text.
    pub content: String,
    /// The event at which it was inserted.
    pub timing: String,
    /// The id of the hook.
    pub hook: String,
    /// The id of the trace of the event at which it was inserted.
    pub trace: String,
    /// Whether it stays in the list and the front end stores a copy.
    pub persistent: bool,
}

impl InsertedText {
    /// The text as `skill.inject` answers it in `appended`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "ref": self.reference, "role": self.role, "content": self.content })
    }
}

/// The result of an insertion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Insertion {
    /// The inserted texts, in their order at the end of the list.
    pub appended: Vec<InsertedText>,
    /// The texts that the front end stores, in the order of their insertion.
    pub persist: Vec<Persisted>,
}
