//! Where a hook starts: where its event says, or where the last look says instead (`engine.md` §3, "Directory").

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookwright_model::{Call, Card, DirOf, HookId, PeerCall, ProcessCall};

/// What was said in a session of hooks and directories, each once.
#[derive(Debug, Default)]
pub struct ReportedDirs(Mutex<BTreeSet<(HookId, PathBuf)>>);

impl ReportedDirs {
    /// Whether nothing was said yet of this hook in this directory. From now on something was.
    pub(crate) fn is_first(&self, hook: &str, cwd: &Path) -> bool {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reported.insert((hook.to_owned(), cwd.to_owned()))
    }
}

/// From where a spawn would read relative names; `None` where nothing is spawned.
pub(crate) fn spawn_dir(call: &Call) -> Option<PathBuf> {
    match call {
        Call::Process(ProcessCall { cwd, fallback_cwd, .. }) | Call::Peer(PeerCall { cwd, fallback_cwd, .. }) => {
            Some(if cwd.is_dir() {
                cwd.clone()
            } else {
                fallback_cwd.clone()
            })
        }
        Call::Prompt(_) | Call::Immediate(_) => None,
    }
}

/// Starts a call in another directory; a variable that tells the event's directory must not lead back to it.
pub(crate) fn start_in(call: &mut Call, card: &Card, dir: &Path) {
    let (cwd, env) = match call {
        Call::Process(ProcessCall { cwd, env, .. }) | Call::Peer(PeerCall { cwd, env, .. }) => (cwd, env),
        Call::Prompt(_) | Call::Immediate(_) => return,
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
