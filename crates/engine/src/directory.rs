//! The directory in which a hook starts: the one of its event, or another one that the pre-spawn check names
//! (`engine.md` §3, "Directory").

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookwright_model::{Call, Card, DirOf, HookId, PeerCall, ProcessCall};

/// The pairs of hook and directory for which this session has given a notice. Each pair is in it once.
#[derive(Debug, Default)]
pub struct ReportedDirs(Mutex<BTreeSet<(HookId, PathBuf)>>);

impl ReportedDirs {
    /// Whether this is the first notice about this hook and directory. The call records the pair.
    pub(crate) fn is_first(&self, hook: &str, cwd: &Path) -> bool {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reported.insert((hook.to_owned(), cwd.to_owned()))
    }
}

/// The directory from which the process would resolve relative names; `None` if the call starts no process.
pub(crate) fn spawn_dir(call: &Call) -> Option<PathBuf> {
    match call {
        Call::Process(ProcessCall { cwd, fallback_cwd, .. }) | Call::Peer(PeerCall { cwd, fallback_cwd, .. }) => {
            Some(if cwd.is_dir() {
                cwd.clone()
            } else {
                fallback_cwd.clone()
            })
        }
        Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_) => None,
    }
}

/// Changes the directory in which a call starts. Variables with the payload's directory change too, so that they do not
/// lead back to it.
pub(crate) fn start_in(call: &mut Call, card: &Card, dir: &Path) {
    let (cwd, env) = match call {
        Call::Process(ProcessCall { cwd, env, .. }) | Call::Peer(PeerCall { cwd, env, .. }) => (cwd, env),
        Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_) => return,
    };
    dir.clone_into(cwd);
    let of_payload = |name: &str| {
        card.dir_vars
            .iter()
            .any(|var| var.of == DirOf::Payload && var.name == name)
    };
    for (_, value) in env.iter_mut().filter(|(name, _)| of_payload(name)) {
        *value = dir.display().to_string();
    }
}
