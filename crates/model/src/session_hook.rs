//! Hooks that an agent registers for its session (`CONTRACTS.md` §3, `hook.register` and `hook.remove`).

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::hook::{Hook, HookId};

/// The definition of a hook that an agent registers for its session.
#[derive(Debug, Clone, Copy)]
pub struct SessionRegistration<'a> {
    /// The event, in the dialect's spelling; `None` if the definition itself names its events.
    pub event: Option<&'a str>,
    /// The definition in the dialect's own form.
    pub definition: &'a Value,
    /// The session's own hooks, in the order of their registration. The new hook gets an id that none of them has.
    pub hooks: &'a [Arc<Hook>],
    /// The session's project, absolute. An approval of the hook is for this project.
    pub project: &'a Path,
}

/// The id of the session hook that `hook.remove` means with an event and an index: the position, from 0, in the
/// session's present list of that event. `None` if the list is shorter.
///
/// A muted hook stays in the list, so it keeps its index (`jcli.md` §9). When a hook is removed, the hooks behind it move
/// up in the list, so their indexes become smaller. Their ids stay as they are: an agent may still use the id that
/// `hook.register` returned, and in a session with two connections it does not see what the other one removes. The number
/// in an id is therefore the index only until an earlier hook of the same event is removed.
#[must_use]
pub fn session_hook_at<'h>(hooks: &'h [Arc<Hook>], event: &str, index: usize) -> Option<&'h HookId> {
    let mut of_event = hooks.iter().filter(|hook| hook.event == event);
    of_event.nth(index).map(|hook| &hook.id)
}
