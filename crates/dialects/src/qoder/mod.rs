//! Qoder: all hooks run at once on the same input, and the strictest decision wins (`qoder.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables. [`roots`] lists the files. [`settings`] and [`entry`] read
//! settings files, and [`edit`] changes them. [`module`] reads what a module's [`bridge`] reported.
//! [`wire`] builds calls, and [`answer`] reads outputs as the tables of [`events`] say.
//! [`simulate`] runs scenarios, and [`lint`] checks hooks.

mod answer;
mod bridge;
mod convert;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod guard;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod module;
mod roots;
mod schema;
mod settings;
mod simulate;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect of Qoder.
#[derive(Debug, Clone, Copy)]
pub struct Qoder;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &Qoder,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for Qoder {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
}
