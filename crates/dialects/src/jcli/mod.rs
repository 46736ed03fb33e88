//! j-cli: hooks that rewrite a conversation field by field (`jcli.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file. It only translates.
//!
//! How it works: [`events`] contains the tables, and [`schema`] the fields of a definition. [`config`] and [`definition`] read files, [`edit`] changes them.
//! [`wire`] and [`prompt`] build calls and replies, [`answer`] reads outputs. [`simulate`] runs scenarios and [`lint`]
//! checks hooks.

mod answer;
mod config;
mod convert;
mod definition;
mod edit;
pub mod events;
mod fixtures;
mod guard;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod prompt;
pub(crate) mod schema;
mod simulate;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

pub use prompt::PLACEHOLDERS;

pub(crate) use crate::suggest::nearest;

/// The dialect of j-cli.
#[derive(Debug, Clone, Copy)]
pub struct Jcli;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &Jcli,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for Jcli {
    fn card(&self) -> &'static Card {
        &events::CARD
    }
}

/// Every message template of this dialect.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        messages::ALL,
        messages::answers::ALL,
        messages::connecting::ALL,
        lint::messages::ALL,
        edit::ALL,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::Wire as _;
    use hookwright_model::problem::Code;

    #[test]
    fn messages_about_files_have_problem_codes() {
        for template in messages::ALL.iter().chain(lint::messages::ALL).chain(crate::yaml::ALL) {
            assert!(Code::from_name(template.code).is_some(), "{}", template.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = Jcli.fixture(event);
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
