//! Reads a callback that an agent registers for its session (`codex.md` §1, row 6).

use std::time::Duration;

use hookwright_model::{Handler, Hook, Message, SessionRegistration};

use super::entry::{time_limit, warn_timeout};
use super::events::CARD;
use super::schema::{CALLBACK_TIMEOUT_SECS, DEFINITION, REGISTRATION};
use super::settings::idle_matcher_message;
use crate::definition::{self, Problems};
use crate::event_list::matcher_as_shown;
use crate::{session_hooks, shell};

/// Reads a registration into its hook.
///
/// # Errors
/// The event is unknown, or the definition is invalid.
pub fn read(registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let event = session_hooks::event(&CARD, registration)?;
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let (id, at) = session_hooks::next_id(&CARD, registration, event);
    let mut problems = Problems::new(&root.path, Some(&id), node.position);
    let fields = definition::read(&DEFINITION, &REGISTRATION, "", &node, &mut problems);
    let callback = fields.text("callback").unwrap_or_default();
    if problems.invalid.is_none() && callback.trim().is_empty() {
        return Err(session_hooks::NO_CALLBACK.render_plain());
    }
    let when = fields.condition(CARD.event(event), &mut problems);
    let idle = fields.text("matcher").and_then(|_| idle_matcher_message(event));
    if let Some(message) = idle {
        problems.report(message, fields.position("matcher"));
    }
    warn_timeout(event, &fields, &mut problems);
    let timeout = if fields.get("timeout").is_some() {
        time_limit(event, &fields)
    } else {
        Duration::from_secs(CALLBACK_TIMEOUT_SECS)
    };
    let hook = Hook {
        label: shell::shorten(callback),
        handler: Handler::Callback {
            callback: callback.to_owned(),
        },
        when,
        filter: matcher_as_shown(fields.given("matcher")),
        timeout,
        ..definition::hook(CARD.id, &root, &problems, event, at, node.to_value())
    };
    session_hooks::finish(hook).map(|hook| vec![hook])
}
