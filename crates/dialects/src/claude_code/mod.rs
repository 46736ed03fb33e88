//! Claude Code: all hooks run at once on the same input, and the strictest decision wins (`claude-code.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables. [`places`] lists the files. [`settings`], [`plugins`], [`mods`] and [`entry`] read
//! them, [`switches`] decides what their settings mean for all hooks, [`edit`] changes them. [`if_rule`] decides
//! the field `if`. [`wire`] builds calls, and [`answer`] and [`prompt`] read outputs. [`simulate`] runs scenarios, and
//! [`lint`] checks hooks.

mod answer;
mod convert;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod guard;
mod if_rule;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod mods;
mod places;
mod plugins;
mod prompt;
mod schema;
mod settings;
mod simulate;
mod switches;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect of Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &ClaudeCode,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for ClaudeCode {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
}
