//! Reads a hook in the agent's process that the agent registers for its session (`picoclaw.md` §1): `callback`, `name`,
//! `priority`, `intercept`.

use hookwright_model::{
    ApprovalScope, Condition, Handler, Hook, HookId, Layer, Message, PlacedBy, RunMode, SessionRegistration, Source,
};

use super::entry::{EntryReader, ProcessLimits};
use super::events::CARD;
use super::parsed_entry::ParsedEntry;
use crate::node::sort_keys;
use crate::session_hooks;
use crate::splice::key;

/// The fields of a registration.
const FIELDS: [&str; 4] = ["callback", "name", "priority", "intercept"];

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
    let mut reader = EntryReader::new("", node.position, &root.path);
    reader.report_unknown_fields(node.entries().unwrap_or_default(), &FIELDS);
    let get = |name: &str| node.get(name).filter(|node| !node.is_null());
    let callback = get("callback").and_then(|node| reader.text("callback", node));
    let name = get("name").and_then(|node| reader.text("name", node));
    let mut parsed = ParsedEntry {
        priority: get("priority").map_or(0, |node| reader.read_priority(node)),
        ..ParsedEntry::default()
    };
    reader.read_modes(&mut parsed, None, get("intercept"));
    if let Some(message) = reader.first_reason() {
        return Err(message);
    }
    let callback = callback
        .filter(|callback| !callback.trim().is_empty())
        .ok_or_else(|| session_hooks::NO_CALLBACK.render_plain())?;
    if let Some(message) = parsed.no_modes() {
        return Err(message);
    }
    let name = name
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| callback.clone());
    let (id, name_in_id) = free_id(registration, &name);
    let definition = node.to_value();
    let events = parsed.events(false);
    let hook = |event: &str| {
        let (timeout, on_failure) = ProcessLimits::default().for_event(event);
        Hook {
            id: id.clone(),
            dialect: CARD.id,
            event: event.to_owned(),
            label: name.clone(),
            handler: Handler::Callback {
                callback: callback.clone(),
            },
            when: Condition::default(),
            filter: None,
            timeout,
            attempts: 1,
            on_failure,
            mode: RunMode::Await,
            rank: Some(parsed.priority),
            source: Source {
                layer: root.layer,
                path: root.path.clone(),
                line: 0,
                column: 0,
                project: root.project.clone(),
            },
            at: vec![key(&name_in_id)],
            definition_text: sort_keys(&definition).to_string(),
            inherited_text: String::new(),
            definition: definition.clone(),
            field_positions: std::collections::BTreeMap::new(),
            invalid: None,
            blocks_when_invalid: None,
            placed_by: PlacedBy::of_definition(&name_in_id, &events),
            disabled_reason: None,
            wrapped: false,
            registered_by: None,
            approval_scope: ApprovalScope::Nothing,
        }
    };
    events.iter().map(|event| session_hooks::finish(hook(event))).collect()
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
