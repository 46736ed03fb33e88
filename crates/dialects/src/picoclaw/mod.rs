//! The dialect `picoclaw`: processes that live as long as the session and respond with JSON-RPC (`picoclaw.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it only translates.
//!
//! How it works: [`events`] are the tables. [`config`] and [`entry`] read files, [`registration`] what an agent
//! registers for its session. [`wire`], [`protocol`] and [`answer`]
//! translate between events and processes. [`lint`] gives advice, [`simulate`] runs a scenario. An entry becomes one
//! [`hookwright_model::Hook`] per event that it serves, and all these hooks have the same id.

mod answer;
mod config;
mod convert;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod guard;
mod lifecycle_map;
pub mod lint;
mod messages;
pub mod native;
mod parsed_entry;
pub mod protocol;
mod registration;
mod schema;
mod simulate;
mod wire;

pub(crate) use entry::with_its_pair;
use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect `picoclaw`.
#[derive(Debug, Clone, Copy)]
pub struct Picoclaw;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &Picoclaw,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for Picoclaw {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [messages::ALL, messages::answers::ALL, lint::messages::ALL, edit::ALL].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::Wire as _;
    use hookwright_model::problem::Code;

    #[test]
    fn messages_about_files_have_problem_codes() {
        for template in messages::ALL.iter().chain(lint::messages::ALL) {
            assert!(Code::from_name(template.code).is_some(), "{}", template.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = Picoclaw.fixture(event);
            for field in event.fields {
                let value = payload
                    .get(field.name)
                    .unwrap_or_else(|| panic!("{} lacks {}", event.name, field.name));
                assert_ne!(value, "", "{} {}", event.name, field.name);
            }
            assert_eq!(payload.len(), event.fields.len(), "{}", event.name);
        }
    }
}
