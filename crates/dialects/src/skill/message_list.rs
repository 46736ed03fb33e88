//! The message list of one request. It records which hook inserted which message, and at which checkpoint (`skill.md`
//! §7). A message is identified by its reference, never by its content.
//!
//! It is a state machine without I/O. The simulation uses it, and so does an agent over the socket (`skill.begin`,
//! `skill.inject`, `skill.remove`, `skill.inject_prompt`, `skill.remove_prompt`).

use hookwright_model::{ChatMessage, Hook, Message, MessageOrigin, Outcome, Persisted, Trace, args};
use serde_json::Value;

use super::messages::events as messages;
use super::wire::is_persistent;
use crate::simulation::TrackedMessage;

/// A message list that records what was inserted into it.
#[derive(Debug, Clone, Default)]
pub struct MessageList {
    entries: Vec<ListEntry>,
    prompt_count: u64,
}

/// A message of the list with its owner.
#[derive(Debug, Clone)]
struct ListEntry {
    tracked: TrackedMessage,
    owner: EntryOwner,
}

/// What a message belongs to.
#[derive(Debug, Clone)]
enum EntryOwner {
    /// The conversation. Such a message is never removed here.
    Conversation,
    /// A prompt of the agent itself, with its reference.
    Prompt(String),
    /// A hook's text.
    Inserted(InsertedText),
}

/// A text that a hook inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedText {
    /// The reference that the reply gave to its message.
    pub reference: String,
    /// The checkpoint at which it was inserted.
    pub timing: String,
    /// The id of the hook.
    pub hook: String,
    /// The id of the trace of the event at which it was inserted.
    pub trace: String,
    /// Whether it stays in the list and the front end stores a copy.
    pub persistent: bool,
}

/// The result of an insertion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InjectionResult {
    /// The inserted texts, in their order at the end of the list.
    pub appended: Vec<InsertedText>,
    /// The texts that the front end stores, in the order of their insertion.
    pub persist: Vec<Persisted>,
}

impl MessageList {
    /// A request's list as the front end sent it. All its messages belong to the conversation.
    #[must_use]
    pub fn new(lines: Vec<TrackedMessage>) -> Self {
        let entry = |line| ListEntry {
            tracked: line,
            owner: EntryOwner::Conversation,
        };
        Self {
            entries: lines.into_iter().map(entry).collect(),
            prompt_count: 0,
        }
    }

    /// The list as payloads contain it.
    #[must_use]
    pub fn messages(&self) -> Value {
        self.entries
            .iter()
            .map(|entry| entry.tracked.message.to_value())
            .collect()
    }

    /// The list with the origin of each message.
    #[must_use]
    pub fn tracked_messages(&self) -> Vec<TrackedMessage> {
        self.entries.iter().map(|entry| entry.tracked.clone()).collect()
    }

    /// Adds a message of the conversation, such as a model's reply or a tool's result.
    pub fn push(&mut self, line: TrackedMessage) {
        self.entries.push(ListEntry {
            tracked: line,
            owner: EntryOwner::Conversation,
        });
    }

    /// Records what the hooks of a checkpoint inserted. `hooks` are the dialect's hooks: they define which texts are
    /// persistent.
    pub fn inject(&mut self, trace: &Trace, hooks: &[&Hook]) -> InjectionResult {
        let mut out = InjectionResult::default();
        let appended = trace.reply.json["appended"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let inserting = trace.steps.iter().filter(|step| step.outcome == Outcome::Changed);
        for (step, message) in inserting.zip(appended) {
            let (Some(reference), Some(mut chat_message)) = (message["ref"].as_str(), ChatMessage::from_value(message))
            else {
                continue;
            };
            chat_message.rest.shift_remove("ref");
            let hook = hooks.iter().find(|hook| hook.id == step.hook);
            let inserted = InsertedText {
                reference: reference.to_owned(),
                timing: trace.event.clone(),
                hook: step.hook.clone(),
                trace: trace.trace.clone(),
                persistent: hook.is_some_and(|hook| is_persistent(hook)),
            };
            if inserted.persistent {
                out.persist.push(Persisted {
                    name: step.label.clone(),
                    role: chat_message.role.clone(),
                    content: chat_message.content.as_str().unwrap_or_default().to_owned(),
                });
            }
            out.appended.push(inserted.clone());
            self.entries.push(ListEntry {
                tracked: TrackedMessage::from_hook(chat_message, Some(step.hook.clone())),
                owner: EntryOwner::Inserted(inserted),
            });
        }
        out
    }

    /// Removes the texts of a checkpoint, except persistent ones. Returns the removed texts.
    pub fn remove(&mut self, timing: &str) -> Vec<InsertedText> {
        let mut out = Vec::new();
        self.entries.retain(|entry| match &entry.owner {
            EntryOwner::Inserted(inserted) if inserted.timing == timing && !inserted.persistent => {
                out.push(inserted.clone());
                false
            }
            EntryOwner::Inserted(_) | EntryOwner::Prompt(_) | EntryOwner::Conversation => true,
        });
        out
    }

    /// Adds a prompt of the agent itself at the end. Returns its reference.
    pub fn inject_prompt(&mut self, content: &str, role: &str) -> String {
        self.prompt_count += 1;
        let reference = format!("prompt.{}", self.prompt_count);
        self.entries.push(ListEntry {
            tracked: TrackedMessage::new(ChatMessage::new(role, content), MessageOrigin::Prompt),
            owner: EntryOwner::Prompt(reference.clone()),
        });
        reference
    }

    /// Removes exactly this prompt.
    ///
    /// # Errors
    /// No prompt has this reference, or the prompt was already removed. Then nothing changes, and the message becomes a
    /// `warning` notice.
    pub fn remove_prompt(&mut self, reference: &str) -> Result<(), Message> {
        let is_it = |entry: &ListEntry| matches!(&entry.owner, EntryOwner::Prompt(known) if known == reference);
        let Some(at) = self.entries.iter().position(is_it) else {
            return Err(messages::NO_SUCH_REF.render(args! { "ref" => reference }));
        };
        self.entries.remove(at);
        Ok(())
    }

    /// The number of texts of a checkpoint that are in the list now (`skill.md` §10).
    #[must_use]
    pub fn live_count(&self, timing: &str) -> usize {
        let mine =
            |entry: &&ListEntry| matches!(&entry.owner, EntryOwner::Inserted(inserted) if inserted.timing == timing);
        self.entries.iter().filter(mine).count()
    }
}

#[cfg(test)]
#[path = "message_list_tests.rs"]
mod tests;
