//! Codex: all hooks run at once on the same input, and one wrong field fails a whole answer (`codex.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables. [`places`] lists the files. [`settings`] and [`entry`] read them, [`edit`]
//! changes them, [`plugins`] reads those of plugins, [`trust`] computes whether Codex itself starts a hook. [`wire`] builds calls and reads
//! outputs. [`simulate`] runs scenarios, and [`lint`] checks hooks.

mod convert;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod guard;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod places;
mod plugins;
mod schema;
mod settings;
mod simulate;
mod trust;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect of Codex.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &Codex,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for Codex {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
}
