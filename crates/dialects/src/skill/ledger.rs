//! The message list of one request, and which of its messages were inserted, by whom and at which checkpoint
//! (`skill.md` §7). A message is known by its reference, never by its content.
//!
//! It is a state machine without I/O: the play of `simulate` moves it, and so does an agent over the socket
//! (`skill.begin`, `skill.inject`, `skill.remove`, `skill.inject_prompt`, `skill.remove_prompt`).

use hookwright_model::{ChatMessage, Hook, Message, MessageOrigin, Outcome, Persisted, Trace, args};
use serde_json::Value;

use super::messages::events as messages;
use super::wire::persistent;
use crate::play::Line;

/// A message list with what was inserted into it.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    entries: Vec<Entry>,
    prompts: u64,
}

/// A message of the list.
#[derive(Debug, Clone)]
struct Entry {
    line: Line,
    mark: Mark,
}

/// Whose a message is.
#[derive(Debug, Clone)]
enum Mark {
    /// The conversation's: nothing here takes it out.
    Given,
    /// A prompt of the system's own, under this reference.
    Prompt(String),
    /// A hook's text.
    Inserted(Inserted),
}

/// A text that a hook inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted {
    /// Its reference.
    pub reference: String,
    /// The checkpoint.
    pub timing: String,
    /// The hook.
    pub hook: String,
    /// The event at which it was inserted.
    pub trace: String,
    /// It stays in the list, and the front end keeps a copy.
    pub persistent: bool,
}

/// What an insertion came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Injected {
    /// The texts, in the order in which they stand at the end of the list.
    pub appended: Vec<Inserted>,
    /// What the front end keeps, in the order in which it was yielded.
    pub persist: Vec<Persisted>,
}

impl Ledger {
    /// A request's list as the front end sent it: nothing in it was inserted here.
    #[must_use]
    pub fn begin(lines: Vec<Line>) -> Self {
        let entry = |line| Entry {
            line,
            mark: Mark::Given,
        };
        Self {
            entries: lines.into_iter().map(entry).collect(),
            prompts: 0,
        }
    }

    /// The list as payloads carry it.
    #[must_use]
    pub fn messages(&self) -> Value {
        self.entries.iter().map(|entry| entry.line.message.to_value()).collect()
    }

    /// The list with where each message came from.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.entries.iter().map(|entry| entry.line.clone()).collect()
    }

    /// A message of the conversation: an answer, a tool's result.
    pub fn push(&mut self, line: Line) {
        self.entries.push(Entry {
            line,
            mark: Mark::Given,
        });
    }

    /// Takes in what the hooks of a checkpoint inserted. `hooks` are those of the dialect: they say what is persistent.
    pub fn inject(&mut self, trace: &Trace, hooks: &[&Hook]) -> Injected {
        let mut out = Injected::default();
        let appended = trace.reply.json["appended"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let inserting = trace.steps.iter().filter(|step| step.outcome == Outcome::Changed);
        for (step, message) in inserting.zip(appended) {
            let (Some(reference), Some(mut said)) = (message["ref"].as_str(), ChatMessage::from_value(message)) else {
                continue;
            };
            said.rest.shift_remove("ref");
            let hook = hooks.iter().find(|hook| hook.id == step.hook);
            let inserted = Inserted {
                reference: reference.to_owned(),
                timing: trace.event.clone(),
                hook: step.hook.clone(),
                trace: trace.trace.clone(),
                persistent: hook.is_some_and(|hook| persistent(hook)),
            };
            if inserted.persistent {
                out.persist.push(Persisted {
                    name: step.label.clone(),
                    role: said.role.clone(),
                    content: said.content.as_str().unwrap_or_default().to_owned(),
                });
            }
            out.appended.push(inserted.clone());
            self.entries.push(Entry {
                line: Line::of_hook(said, Some(step.hook.clone())),
                mark: Mark::Inserted(inserted),
            });
        }
        out
    }

    /// Takes out the texts of a checkpoint, persistent ones aside. Returns what was taken out.
    pub fn remove(&mut self, timing: &str) -> Vec<Inserted> {
        let mut out = Vec::new();
        self.entries.retain(|entry| match &entry.mark {
            Mark::Inserted(inserted) if inserted.timing == timing && !inserted.persistent => {
                out.push(inserted.clone());
                false
            }
            Mark::Inserted(_) | Mark::Prompt(_) | Mark::Given => true,
        });
        out
    }

    /// Puts a prompt of the system's own at the end. Returns its reference.
    pub fn inject_prompt(&mut self, content: &str, role: &str) -> String {
        self.prompts += 1;
        let reference = format!("prompt.{}", self.prompts);
        self.entries.push(Entry {
            line: Line::new(ChatMessage::new(role, content), MessageOrigin::Prompt),
            mark: Mark::Prompt(reference.clone()),
        });
        reference
    }

    /// Takes out exactly this prompt.
    ///
    /// # Errors
    /// There is no prompt of that reference, or it is gone already: nothing happens, and the words are a `warning` notice.
    pub fn remove_prompt(&mut self, reference: &str) -> Result<(), Message> {
        let is_it = |entry: &Entry| matches!(&entry.mark, Mark::Prompt(known) if known == reference);
        let Some(at) = self.entries.iter().position(is_it) else {
            return Err(messages::NO_SUCH_REF.render(args! { "ref" => reference }));
        };
        self.entries.remove(at);
        Ok(())
    }

    /// How many texts of a checkpoint are in the list now (`skill.md` §10).
    #[must_use]
    pub fn live(&self, timing: &str) -> usize {
        let mine = |entry: &&Entry| matches!(&entry.mark, Mark::Inserted(inserted) if inserted.timing == timing);
        self.entries.iter().filter(mine).count()
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
