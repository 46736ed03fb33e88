//! Reads a callback that an agent registers for its session: `{"callback", "matcher"?, "timeout"?}`.

use std::time::Duration;

use hookwright_model::definition::DefinitionKind;
use hookwright_model::{Handler, Hook, Message, SessionRegistration};

use super::{Groups, matcher_as_shown};
use crate::definition::{self, Fields, Problems};
use crate::{session_hooks, shell};

/// What a dialect says about its callbacks.
#[derive(Debug)]
pub struct Callbacks {
    /// What it says about groups. A callback has a matcher like one.
    pub groups: &'static Groups,
    /// The fields of a registration.
    pub fields: &'static DefinitionKind,
    /// Checks what no row can say about the timeout.
    pub check_timeout: fn(event: &str, fields: &Fields<'_>, problems: &mut Problems<'_>),
    /// The time limit.
    pub time_limit: fn(event: &str, fields: &Fields<'_>) -> Duration,
    /// Its tier ([`Hook::tier`]).
    pub tier: u8,
}

/// Reads a registration into its hook.
///
/// # Errors
/// The event is unknown, or the definition is invalid.
pub fn read_callback(says: &Callbacks, registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let card = says.groups.card;
    let event = session_hooks::event(card, registration)?;
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let (id, at) = session_hooks::next_id(card, registration, event);
    let mut problems = Problems::new(&root.path, Some(&id), node.position);
    let fields = definition::read(card.definition, says.fields, "", &node, &mut problems);
    let callback = fields.text("callback").unwrap_or_default();
    if problems.invalid.is_none() && callback.trim().is_empty() {
        return Err(session_hooks::NO_CALLBACK.render_plain());
    }
    let when = fields.condition(card.event(event), &mut problems);
    (says.groups.check)(event, &fields, &mut problems);
    (says.check_timeout)(event, &fields, &mut problems);
    let hook = Hook {
        label: shell::shorten(callback),
        handler: Handler::Callback {
            callback: callback.to_owned(),
        },
        when,
        filter: matcher_as_shown(fields.given("matcher")),
        timeout: (says.time_limit)(event, &fields),
        tier: says.tier,
        ..definition::hook(card.id, &root, &problems, event, at, node.to_value())
    };
    session_hooks::finish(hook).map(|hook| vec![hook])
}
