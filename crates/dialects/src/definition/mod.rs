//! Reads the definition of a hook, or any other mapping of a hook file, by the rows of its dialect
//! ([`hookwright_model::definition`]).
//!
//! What it deliberately does not do: it does not decide what a hook runs. The dialect does that from the [`Fields`], and
//! reports what no row can say.
//!
//! How it works: [`open`] returns the tree of a file. [`read`] goes once over the rows of one mapping. Each error gets
//! the message that the row, or else the schema, has for it, and makes the definition invalid unless the row says that
//! the hook runs anyway. [`Fields`] then returns each value as the agent would use it: within its limits, or the default
//! if it is absent or wrong. [`hook`] is a hook with everything that does not depend on the dialect.

mod fields;
mod file;
mod problems;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Card, DisabledReason, Handler, Hook, Message, MessageTemplate, PathStep, Root, Source, args};
use serde_json::{Map, Value};

pub use fields::{Fields, NAME_SIGNS, REGEX_NAME_SIGNS, names_of};
pub use file::{HookFile, open, parse_root, warning};
use problems::EVENT_WITH_MATCHER;
pub use problems::{ALL, Problems, further_count, further_problems};
pub use reader::read;

use crate::node::{Node, sort_keys};
use crate::relay::{self, WrappedCommand};
use crate::suggest::nearest_event;

/// The hook of a definition with these problems, before its dialect says what runs, and when: one that runs nothing. `at`
/// is the path to the definition in its file.
#[must_use]
pub fn hook(
    dialect: &'static str,
    root: &Root,
    problems: &Problems<'_>,
    event: &str,
    at: Vec<PathStep>,
    definition: Value,
) -> Hook {
    Hook {
        timeout: Duration::ZERO,
        source: Source {
            layer: root.layer,
            path: problems.path.to_owned(),
            line: problems.begin.line,
            column: problems.begin.column,
            project: root.project.clone(),
        },
        at,
        definition_text: sort_keys(&definition).to_string(),
        definition,
        invalid: problems.invalid.clone(),
        ..Hook::new(dialect, problems.hook.unwrap_or_default(), event, Handler::BUILTIN)
    }
}

/// The settings of a project's file that are about all hooks, in the form of a hook, so that they are reviewed like one.
/// `part` is the part of the id that names the file.
#[must_use]
pub fn settings_item(dialect: &'static str, root: &Root, part: &str, values: Map<String, Value>) -> Hook {
    let id = format!("{}settings:{part}", root.layer.id_prefix(dialect));
    let begin = TextPosition { line: 1, column: 1 };
    let problems = Problems::new(&root.path, Some(&id), begin);
    let name = root.path.file_name().unwrap_or_default().to_string_lossy();
    Hook {
        label: name.into_owned(),
        handler: Handler::SETTINGS,
        ..hook(dialect, root, &problems, "", Vec::new(), Value::Object(values))
    }
}

/// What a definition runs, and how the hook shows it.
#[derive(Debug)]
pub struct RunCommand {
    /// The command, without Hookwright's relay around it.
    pub text: String,
    /// The definition with that command.
    pub definition: Value,
    /// The relay that is around the command in the file.
    pub wrapped: Option<String>,
    /// Why the hook is off: its command is the relay itself.
    pub off: Option<DisabledReason>,
}

impl RunCommand {
    /// A text that no shell runs.
    #[must_use]
    pub fn unwrapped(text: &str, node: &Node) -> Self {
        Self {
            text: text.to_owned(),
            definition: node.to_value(),
            wrapped: None,
            off: None,
        }
    }

    /// The field `command`. If it is the relay itself, `is_relay` is reported.
    #[must_use]
    pub fn read(card: &Card, fields: &Fields<'_>, is_relay: &MessageTemplate, problems: &mut Problems<'_>) -> Self {
        let mut command = Self::unwrapped(fields.text("command").unwrap_or_default(), fields.node);
        if let Some(wrapped) = WrappedCommand::read(card, &command.text) {
            command.definition["command"] = wrapped.inner.as_str().into();
            command.text = wrapped.inner;
            command.wrapped = Some(wrapped.relay);
        }
        if relay::starts_relay(&command.text) {
            let message = is_relay.render_plain();
            problems.report(message.clone(), fields.position("command"));
            command.off = Some(DisabledReason::Relay(message));
        }
        command
    }
}

/// A key that is not taken, for the ids: this one, or else the first of `key.2`, `key.3` … It is taken then.
#[must_use]
pub fn free_key(key: &str, taken: &mut BTreeSet<String>) -> String {
    let mut keys = std::iter::once(key.to_owned()).chain((2_u64..).map(|nth| format!("{key}.{nth}")));
    keys.find(|key| taken.insert(key.clone())).unwrap_or_default()
}

/// The event and the matcher in a key that has both, as `PostToolUse:Edit` and `PreToolUse(Bash)`; `None` where a hook of
/// this agent has no field for it.
fn event_with_matcher<'k>(card: &Card, key: &'k str) -> Option<(&'static str, &'k str)> {
    card.definition
        .filters()
        .iter()
        .find(|filter| filter.key == "matcher")?;
    let (name, rest) = key.split_at(key.find([':', '(', '[', '.', '/'])?);
    let matcher = rest[1..].trim().trim_end_matches([')', ']']);
    let event = card.events.iter().find(|event| event.name == name.trim())?;
    (!matcher.is_empty()).then_some((event.name, matcher))
}

/// The message about an unknown event: the nearest one, or else all. The placeholders are `event`, and `nearest` or
/// `events`.
#[must_use]
pub fn unknown_event(card: &Card, event: &str, near: MessageTemplate, all: MessageTemplate) -> Message {
    let names = || card.events.iter().map(|event| event.name);
    if let Some((known, matcher)) = event_with_matcher(card, event) {
        return EVENT_WITH_MATCHER.render(args! { "event" => event, "known" => known, "matcher" => matcher });
    }
    match nearest_event(event, names()) {
        Some(nearest) => near.render(args! { "event" => event, "nearest" => nearest }),
        None => all.render(args! { "event" => event, "events" => names().collect::<Vec<_>>().join(", ") }),
    }
}
