//! The names of the programs that a hook looks up on the `PATH`.

use std::borrow::Cow;

use hookwright_model::{Handler, Hook};

use super::{CodePiece, ScriptLanguage};
use crate::shell::ProgramSource;

/// Returns the programs that the definition of a hook starts by their names, each once.
#[must_use]
pub fn program_names(hook: &Hook) -> Vec<String> {
    let mut names: Vec<String> = match &hook.handler {
        Handler::Shell { command } => {
            let piece = CodePiece::new(ScriptLanguage::Sh, Cow::Borrowed(command.as_str()), None);
            piece.script.programs().map(|words| words[0].text.clone()).collect()
        }
        Handler::Peer { argv } => argv.first().cloned().into_iter().collect(),
        Handler::Script { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => Vec::new(),
    };
    names.retain(|name| ProgramSource::of(name) == ProgramSource::Name);
    names.sort();
    names.dedup();
    names
}
