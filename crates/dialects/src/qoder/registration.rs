//! Reads a callback that an agent registers for its session (`qoder.md` §1, layer 6): `callback`, `matcher`, `timeout`.

use hookwright_model::{ApprovalScope, Handler, Hook, Message, OnFailure, PlacedBy, SessionRegistration, Source};

use super::entry::{self, DEFAULT_TIMEOUT};
use super::events::CARD;
use super::group::{self, EntryReader, GroupFields};
use crate::node::sort_keys;
use crate::{session_hooks, shell};

/// The fields of a registration.
const FIELDS: [&str; 3] = ["callback", "matcher", "timeout"];

/// Reads a registration into its hook.
///
/// # Errors
/// The event is unknown, or the definition is invalid.
pub fn read(registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let event = session_hooks::event(&CARD, registration)?;
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let (id, at) = session_hooks::next_id(&CARD, registration, event);
    let mut reader = EntryReader::new(&root, Some(&id));
    reader.report_unknown_fields(node.entries().unwrap_or_default(), &FIELDS);
    let callback = match entry::non_null_field(&node, "callback") {
        Some(value) => reader.read_text("callback", value).unwrap_or_default(),
        None => "",
    };
    if reader.invalid.is_none() && callback.trim().is_empty() {
        return Err(session_hooks::NO_CALLBACK.render_plain());
    }
    let mut shared = GroupFields::default();
    group::read_matcher(&mut reader, event, &node, &mut shared);
    let timeout = entry::non_null_field(&node, "timeout")
        .map_or(DEFAULT_TIMEOUT, |value| entry::read_timeout(&mut reader, value));
    let definition = node.to_value();
    let hook = Hook {
        dialect: CARD.id,
        event: event.to_owned(),
        label: shell::shorten(callback),
        handler: Handler::Callback {
            callback: callback.to_owned(),
        },
        when: shared.when.clone(),
        filter: shared.filter.clone(),
        timeout,
        attempts: 1,
        on_failure: OnFailure::Open,
        mode: shared.mode(),
        rank: None,
        source: Source {
            layer: root.layer,
            path: root.path.clone(),
            line: 0,
            column: 0,
            project: root.project.clone(),
        },
        at,
        definition_text: sort_keys(&definition).to_string(),
        inherited_text: String::new(),
        definition,
        field_positions: std::collections::BTreeMap::new(),
        invalid: reader.invalid.take(),
        blocks_when_invalid: None,
        placed_by: PlacedBy::Event,
        disabled_reason: None,
        wrapped: false,
        registered_by: None,
        approval_scope: ApprovalScope::Nothing,
        id: id.clone(),
    };
    session_hooks::finish(hook).map(|hook| vec![hook])
}
