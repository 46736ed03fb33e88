//! The rules of each dialect: tables, and pure translators between files, hooks and messages to hook processes.
//!
//! What it deliberately does not do: no I/O, no clock, no environment. Every function is total. An error in a file
//! becomes a `Problem`. An error in hook output becomes a failure of its hook. Only [`lookup`] returns an error, because
//! a user asked for a name.
//!
//! How it works: each dialect is a folder with a `Card` of tables and an implementation of [`Dialect`]. [`all`] lists
//! the dialects.
//!
//! - The dialects read with [`yaml`], [`toml`], [`jsonc`], [`json`], [`front_matter`], [`pattern`] and [`shell`].
//! - A configuration file becomes a tree of [`node`]s. [`definition`] reads the hooks in it by the tables of fields,
//!   [`event_list`] the lists that contain them.
//! - [`plugin_files`] reads what the manifests of plugins name.
//! - [`relay`] finds Hookwright's relay in a command.
//! - [`session_hooks`] reads what an agent registers for its session.
//! - [`lookup`] finds the dialect or the event that a user named.
//! - [`suggest`] finds the known name that is nearest to a misspelled one.
//! - [`exit_status`] describes how a command ended, [`hook_output`] reads what it answers.
//! - [`script_scan`] finds the output that a script seems to write.
//! - [`convert`] rewrites hooks in another dialect.
//! - [`hook_templates`] lists what a new hook can begin with.
//! - [`guard`] makes a hook that blocks a recorded event.
//! - [`recorded_turns`] makes a scripted conversation from recorded events.
//! - [`condition_fix`] offers a condition that matches, where one nearly did; [`definition_fix`] offers the remedy of a
//!   problem as a change of its definition.
//! - [`definition_schema`] makes the JSON Schema of hook files from the tables of fields.
//! - [`output_doctor`] finds what keeps an output from being read.
//! - [`overlaps`] finds hooks that can run for the same payload.
//! - [`chain_conflicts`] finds hooks that two files define.

pub mod agent_hooks;
pub mod blocking_texts;
pub mod chain_conflicts;
pub mod claude_code;
pub mod codex;
pub mod command_lint;
pub mod condition_fix;
pub mod convert;
pub mod crash_words;
pub mod definition;
pub mod definition_fix;
pub mod definition_schema;
pub mod editing;
pub mod event_list;
pub mod exit_status;
pub mod flat_answers;
pub mod front_matter;
pub mod guard;
pub mod hook_output;
pub mod hook_templates;
pub mod jcli;
pub mod json;
pub mod jsonc;
pub mod lookup;
pub mod misplaced;
pub mod name_reach;
pub mod node;
pub mod nul_checks;
pub mod odd_characters;
pub mod output_doctor;
pub mod overlaps;
pub mod pattern;
pub mod picoclaw;
pub mod plugin_files;
pub mod qoder;
pub mod recorded_turns;
pub mod relay;
pub mod script_scan;
pub mod session_hooks;
pub mod shell;
pub mod simulation;
pub mod skill;
pub mod splice;
pub mod suggest;
pub mod toml;
pub mod wrapper_fix;
pub mod yaml;

use std::sync::LazyLock;

use hookwright_model::{Dialect, MessageTemplate};

/// Every dialect. A new dialect needs a folder and an entry here.
static DIALECTS: [&Registration; 7] = [
    &jcli::REGISTRATION,
    &qoder::REGISTRATION,
    &claude_code::REGISTRATION,
    &codex::REGISTRATION,
    &skill::REGISTRATION,
    &agent_hooks::REGISTRATION,
    &picoclaw::REGISTRATION,
];

/// A dialect, and what this crate asks of it besides.
struct Registration {
    dialect: &'static dyn Dialect,
    /// The message templates that no other dialect uses.
    messages: fn() -> Vec<&'static MessageTemplate>,
    convert: &'static convert::form::ConvertForm,
    /// `None` if its hooks block nothing.
    guard: Option<&'static guard::GuardForm>,
}

/// Returns every dialect, in the order in which the user sees them.
#[must_use]
pub fn all() -> &'static [&'static dyn Dialect] {
    static ALL: LazyLock<Vec<&dyn Dialect>> =
        LazyLock::new(|| DIALECTS.iter().map(|registration| registration.dialect).collect());
    &ALL
}

fn convert_forms() -> impl Iterator<Item = &'static convert::form::ConvertForm> {
    DIALECTS.iter().map(|registration| registration.convert)
}

fn guard_forms() -> impl Iterator<Item = &'static guard::GuardForm> {
    DIALECTS.iter().filter_map(|registration| registration.guard)
}

/// Finds a dialect by its id, with exact letter case.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Dialect> {
    all().iter().copied().find(|dialect| dialect.card().id == id)
}

/// Returns the message templates of each dialect that no other dialect uses, by dialect id.
pub fn own_messages() -> impl Iterator<Item = (&'static str, Vec<&'static MessageTemplate>)> {
    let own = |registration: &&Registration| (registration.dialect.card().id, (registration.messages)());
    DIALECTS.iter().map(own)
}

/// Returns every message template of this crate, for the window's message tables.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    let shared = [
        chain_conflicts::ALL.to_vec(),
        command_lint::messages::ALL.to_vec(),
        name_reach::messages::ALL.to_vec(),
        convert::ALL.to_vec(),
        crash_words::ALL.to_vec(),
        definition::ALL.to_vec(),
        editing::ALL.to_vec(),
        event_list::ALL.to_vec(),
        exit_status::ALL.to_vec(),
        flat_answers::ALL.to_vec(),
        hook_output::ALL.to_vec(),
        hook_output::STRICT_MESSAGES.to_vec(),
        hook_output::lint::ALL.to_vec(),
        json::ALL.to_vec(),
        lookup::ALL.to_vec(),
        misplaced::ALL.to_vec(),
        session_hooks::ALL.to_vec(),
        nul_checks::ALL.to_vec(),
        odd_characters::ALL.to_vec(),
        output_doctor::ALL.to_vec(),
        yaml::ALL.to_vec(),
        yaml::CHANGED_VALUES.to_vec(),
        jsonc::ALL.to_vec(),
        pattern::ALL.to_vec(),
        splice::ALL.to_vec(),
        toml::ALL.to_vec(),
    ];
    let own = own_messages().flat_map(|(_, templates)| templates);
    shared.concat().into_iter().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use hookwright_model::FilterSubject;

    #[test]
    fn every_event_has_a_name_a_group_and_a_text_in_both_languages() {
        for event in all().iter().flat_map(|dialect| dialect.card().events) {
            let texts = [
                event.name,
                event.group.en,
                event.group.zh,
                event.about.en,
                event.about.zh,
            ];
            assert!(texts.iter().all(|text| !text.is_empty()), "{event:?}");
        }
    }

    #[test]
    fn a_dialect_is_found_by_its_id() {
        assert!(find("jcli").is_some() && find("JCLI").is_none());
    }

    #[test]
    fn every_sentence_has_a_key_of_its_own_and_the_same_placeholders_in_both_languages() {
        let placeholders = |text: &str| -> BTreeSet<String> {
            text.split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name.to_owned())
                .collect()
        };
        let mut keys = BTreeSet::new();
        for template in messages() {
            assert!(keys.insert(template.key()), "{} twice", template.key());
            assert_eq!(
                placeholders(template.en),
                placeholders(template.zh),
                "{}",
                template.key()
            );
            assert_eq!(
                template.hint_en.is_empty(),
                template.hint_zh.is_empty(),
                "{}",
                template.key()
            );
            assert_eq!(
                placeholders(template.hint_en),
                placeholders(template.hint_zh),
                "{}",
                template.key()
            );
        }
    }
    #[test]
    fn every_condition_is_named_once_and_can_be_compared_at_an_event() {
        for card in all().iter().map(|dialect| dialect.card()) {
            let filters = card.definition.filters();
            let keys: BTreeSet<&str> = filters.iter().map(|filter| filter.key).collect();
            assert_eq!(keys.len(), filters.len(), "{}", card.id);
            for filter in &filters {
                assert!(
                    filter.spec.overruled_by.is_none_or(|other| keys.contains(other)),
                    "{}",
                    filter.key
                );
                let compared = card.events.iter().any(|event| filter.spec.field_at(event).is_some());
                assert_eq!(compared, filter.spec.subject != FilterSubject::Event, "{}", filter.key);
            }
        }
    }
}
