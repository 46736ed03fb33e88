//! The text that starts a hook, and the relay in it.

use hookwright_dialects::relay;
use hookwright_model::{Handler, Hook};

use crate::files::{MAX_SOURCE_BYTES, Opener};

/// What starts a hook, as a shell would read it; `None` if it starts no program.
pub(crate) fn start_text(hook: &Hook) -> Option<String> {
    match &hook.handler {
        Handler::Shell { command } => Some(command.clone()),
        Handler::Script { entry } => Opener::user().read_text(entry.as_ref()?, MAX_SOURCE_BYTES),
        Handler::Peer { argv } => shlex::try_join(argv.iter().map(String::as_str)).ok(),
        Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => None,
    }
}

/// The relay that a relay hook starts, as it is written there.
pub(crate) fn started_relay(hook: &Hook) -> Option<String> {
    relay::started_relay(&start_text(hook)?)
}
