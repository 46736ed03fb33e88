//! Reads a hook in the agent's process that the agent registers for its session (`picoclaw.md` §1): `callback`, `name`,
//! `priority`, `intercept`.

use hookwright_model::{Handler, Hook, HookId, Layer, Message, PlacedBy, SessionRegistration};

use super::entry::ProcessLimits;
use super::events::CARD;
use super::parsed_entry::ParsedEntry;
use super::schema::{DEFINITION, REGISTRATION};
use crate::definition::{self, Problems};
use crate::session_hooks;
use crate::splice::key;

/// Reads a registration into its hooks, one for each event that its points give. The points are as coarse as those of a
/// process. Without a name the hook has the name of its callback. A name that the session already has gets `.2` in the
/// id.
///
/// # Errors
/// The registration names an event, or the definition is invalid.
pub fn read(registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    if registration.event.is_some() {
        return Err(session_hooks::EXTRA_EVENT.render_plain());
    }
    let node = session_hooks::definition(registration)?;
    let root = session_hooks::root(registration);
    let mut problems = Problems::new(&root.path, None, node.position);
    let fields = definition::read(&DEFINITION, &REGISTRATION, "", &node, &mut problems);
    let parsed = ParsedEntry::read(&fields, &mut problems);
    if let Some(message) = problems.invalid {
        return Err(message);
    }
    let given = |name: &str| fields.text(name).filter(|text| !text.trim().is_empty());
    let callback = given("callback").ok_or_else(|| session_hooks::NO_CALLBACK.render_plain())?;
    if let Some(message) = parsed.no_modes() {
        return Err(message);
    }
    let name = given("name").unwrap_or(callback);
    let (id, name_in_id) = free_id(registration, name);
    let events = parsed.events(false);
    let own = Problems::new(&root.path, Some(&id), node.position);
    let hook = |event: &&str| {
        let (timeout, on_failure) = ProcessLimits::default().for_event(event);
        session_hooks::finish(Hook {
            label: name.to_owned(),
            handler: Handler::Callback {
                callback: callback.to_owned(),
            },
            timeout,
            on_failure,
            rank: Some(parsed.priority),
            placed_by: PlacedBy::of_definition(&name_in_id, &events),
            ..definition::hook(CARD.id, &root, &own, event, vec![key(&name_in_id)], node.to_value())
        })
    };
    events.iter().map(hook).collect()
}

/// The first id with this name that no hook of the session has, and its part after the layer.
fn free_id(registration: &SessionRegistration<'_>, name: &str) -> (HookId, String) {
    let prefix = Layer::Session.id_prefix(CARD.id);
    let is_taken = |id: &HookId| registration.hooks.iter().any(|hook| hook.id == *id);
    let others = (2_u64..).map(|nth| format!("{name}.{nth}"));
    let names = std::iter::once(name.to_owned()).chain(others);
    let mut ids = names.map(|name| (format!("{prefix}{name}"), name));
    ids.find(|(id, _)| !is_taken(id)).unwrap_or_default()
}
