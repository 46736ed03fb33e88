//! The dialect `agent-hooks`: each folder is a hook, a HOOK.md next to a script that decides by its exit code
//! (`agent-hooks.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it only translates.
//!
//! How it works: [`events`] are the tables. [`roots`] knows the folders of hooks and resolves repeated names.
//! [`definition`] and [`entry`] read a folder. [`wire`] translates to a script, [`answer`] reads its output.
//! [`session`] counts continuations, [`simulate`] runs a scenario, [`lint`] gives advice.

mod answer;
mod convert;
mod definition;
mod edit;
mod entry;
pub mod events;
mod fixtures;
mod guard;
mod lifecycle_map;
pub mod lint;
pub mod messages;
mod name;
mod native;
mod roots;
mod schema;
mod session;
mod simulate;
mod wire;

use hookwright_model::{Card, Dialect, MessageTemplate};

use crate::Registration;

/// The dialect `agent-hooks`, as in Kimi Code CLI.
#[derive(Debug, Clone, Copy)]
pub struct AgentHooks;

/// What `lib.rs` lists.
pub(crate) static REGISTRATION: Registration = Registration {
    dialect: &AgentHooks,
    messages,
    convert: &convert::CONVERT,
    guard: Some(&guard::GUARD),
};

impl Dialect for AgentHooks {
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
        for template in messages::ALL.iter().chain(lint::messages::ALL) {
            assert!(Code::from_name(template.code).is_some(), "{}", template.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = AgentHooks.fixture(event);
            assert_eq!(payload.len(), event.fields.len(), "{}", event.name);
            for field in event.fields.iter().filter(|field| field.name != "error") {
                assert!(!payload[field.name].is_null(), "{} lacks {}", event.name, field.name);
            }
        }
    }
}
