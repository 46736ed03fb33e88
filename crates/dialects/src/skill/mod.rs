//! The dialect `skill`: texts of skills that are inserted into the message list and removed again (`skill.md`).
//!
//! What it deliberately does not do: it executes nothing. So there is no process, no deadline and no failure. No text
//! is a template.
//!
//! How it works: [`events`] are the five checkpoints. [`config`] and [`definition`] read `hooks.json` and its texts.
//! [`wire`] decides what is inserted. [`message_list`] is the list of one request, from which texts are removed again.
//! [`lint`] gives advice.

mod config;
mod convert;
mod definition;
mod edit;
pub mod events;
mod lifecycle_map;
pub mod lint;
pub mod message_list;
pub mod messages;
mod native;
mod schema;
mod simulate;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect `skill`.
#[derive(Debug, Clone, Copy)]
pub struct Skill;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &Skill,
    messages,
    convert: &convert::CONVERT,
    guard: None,
};

impl Dialect for Skill {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::events::ALL, lint::messages::ALL, edit::ALL].concat()
}
