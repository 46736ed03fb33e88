//! The message list of one request. It records which hook inserted which message, and at which checkpoint (`skill.md`
//! §7). A message is identified by its reference, never by its content.
//!
//! It is a state machine without I/O. The simulation uses it, and so does an agent over the socket through [`RequestList`]
//! (`skill.begin`, `skill.inject`, `skill.remove`, `skill.inject_prompt`, `skill.remove_prompt`).

use hookwright_model::{
    ChatMessage, Hook, InsertedText, Insertion, Message, MessageOrigin, Outcome, Payload, Persisted, RequestBegin,
    RequestList, Trace, render,
};
use serde_json::Value;

use super::messages::events as messages;
use super::wire::{self, is_persistent};
use crate::simulation::TrackedMessage;

/// The role of the agent's own prompts.
const PROMPT_ROLE: &str = "system";

/// A message list that records what was inserted into it.
#[derive(Debug, Clone, Default)]
pub struct MessageList {
    entries: Vec<ListEntry>,
    enabled_skills: Option<Vec<String>>,
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
    /// The conversation, with the message as the front end sent it. Such a message is never removed here.
    Conversation(Value),
    /// A prompt of the agent itself, with its reference.
    Prompt(String),
    /// A hook's text.
    Inserted(InsertedText),
}

impl MessageList {
    /// A request's list as the front end sent it. All its messages belong to the conversation.
    #[must_use]
    pub fn new(lines: Vec<TrackedMessage>, enabled_skills: Option<Vec<String>>) -> Self {
        let mut list = Self {
            enabled_skills,
            ..Self::default()
        };
        lines.into_iter().for_each(|line| list.push(line));
        list
    }

    /// The list of a request that an agent begins.
    ///
    /// # Errors
    /// The messages or the enabled skills have the wrong type.
    pub fn begin(begin: RequestBegin) -> Result<Self, Message> {
        let mut payload = Payload::new();
        payload.insert("messages".to_owned(), begin.messages);
        payload.insert("enabled_skills".to_owned(), begin.enabled_skills);
        wire::check_lists(&mut payload)?;
        let mut list = Self {
            enabled_skills: wire::enabled_skills(&payload).map(|names| names.into_iter().map(str::to_owned).collect()),
            ..Self::default()
        };
        if let Some(Value::Array(messages)) = payload.remove("messages") {
            for sent in messages {
                let message = ChatMessage::from_value(&sent).ok_or_else(|| messages::BAD_MESSAGES.render_plain())?;
                list.entries.push(ListEntry {
                    tracked: TrackedMessage::new(message, MessageOrigin::History),
                    owner: EntryOwner::Conversation(sent),
                });
            }
        }
        Ok(list)
    }

    /// The list with the origin of each message.
    #[must_use]
    pub fn tracked_messages(&self) -> Vec<TrackedMessage> {
        self.entries.iter().map(|entry| entry.tracked.clone()).collect()
    }

    /// Gives the message of an inserted text the index of its insertion in the simulation.
    pub fn set_insertion(&mut self, text: &InsertedText, insertion: u32) {
        let is_it = |entry: &&mut ListEntry| match &entry.owner {
            EntryOwner::Inserted(inserted) => inserted.trace == text.trace && inserted.reference == text.reference,
            EntryOwner::Conversation(_) | EntryOwner::Prompt(_) => false,
        };
        if let Some(entry) = self.entries.iter_mut().find(is_it) {
            entry.tracked.insertion = Some(insertion);
        }
    }

    /// Adds a message of the conversation, such as a model's reply or a tool's result.
    pub fn push(&mut self, line: TrackedMessage) {
        self.entries.push(ListEntry {
            owner: EntryOwner::Conversation(line.message.to_value()),
            tracked: line,
        });
    }
}

impl RequestList for MessageList {
    fn messages(&self) -> Value {
        let message = |entry: &ListEntry| match &entry.owner {
            EntryOwner::Conversation(sent) => sent.clone(),
            EntryOwner::Prompt(_) | EntryOwner::Inserted(_) => entry.tracked.message.to_value(),
        };
        self.entries.iter().map(message).collect()
    }

    fn payload(&self, tool_name: Option<&str>) -> Payload {
        let mut payload = Payload::new();
        payload.insert("messages".to_owned(), self.messages());
        payload.extend(tool_name.map(|tool| ("tool_name".to_owned(), Value::from(tool))));
        let skills = self.enabled_skills.as_deref().map(Value::from);
        payload.extend(skills.map(|names| ("enabled_skills".to_owned(), names)));
        payload
    }

    fn insert(&mut self, trace: &Trace, hooks: &[&Hook]) -> Insertion {
        let mut out = Insertion::default();
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
                role: chat_message.role.clone(),
                content: chat_message.content.as_str().unwrap_or_default().to_owned(),
                timing: trace.event.clone(),
                hook: step.hook.clone(),
                trace: trace.trace.clone(),
                persistent: hook.is_some_and(|hook| is_persistent(hook)),
            };
            if inserted.persistent {
                out.persist.push(Persisted {
                    name: step.label.clone(),
                    role: inserted.role.clone(),
                    content: inserted.content.clone(),
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

    fn remove(&mut self, timing: &str) -> Vec<InsertedText> {
        let mut out = Vec::new();
        self.entries.retain(|entry| match &entry.owner {
            EntryOwner::Inserted(inserted) if inserted.timing == timing && !inserted.persistent => {
                out.push(inserted.clone());
                false
            }
            EntryOwner::Inserted(_) | EntryOwner::Prompt(_) | EntryOwner::Conversation(_) => true,
        });
        out
    }

    fn insert_prompt(&mut self, content: &str, role: Option<&str>) -> String {
        self.prompt_count += 1;
        let reference = format!("prompt.{}", self.prompt_count);
        self.entries.push(ListEntry {
            tracked: TrackedMessage::new(
                ChatMessage::new(role.unwrap_or(PROMPT_ROLE), content),
                MessageOrigin::Prompt,
            ),
            owner: EntryOwner::Prompt(reference.clone()),
        });
        reference
    }

    fn remove_prompt(&mut self, reference: &str) -> Result<(), Message> {
        let is_it = |entry: &ListEntry| matches!(&entry.owner, EntryOwner::Prompt(known) if known == reference);
        let Some(at) = self.entries.iter().position(is_it) else {
            return Err(render!(messages::NO_SUCH_REF, "ref" => reference));
        };
        self.entries.remove(at);
        Ok(())
    }
}

#[cfg(test)]
#[path = "message_list_tests.rs"]
mod tests;
