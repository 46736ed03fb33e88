//! Failed handshakes of peers. A failure is stored until the peer completes a handshake, so that a list of hooks shows
//! it too (`engine.md` §12, `handshake_failed`).

use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Handler, Hook, Message, Problem, TextPosition};
use serde_json::{Value, json};

use crate::data_files::locked_file::{self, PRIVATE_FILE_MODE};
use crate::files::Opener;
use crate::host_env::HostEnv;

/// The code of the message. Only the arguments of the message are stored, `case` included, and it is rendered from
/// them.
const CODE: &str = "handshake_failed";
/// A larger record is not read: 1 MiB.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The failed handshakes of the peers among these hooks, as problems.
pub fn problems(env: &HostEnv, hooks: &[Arc<Hook>]) -> Vec<Problem> {
    let peers = hooks.iter().filter(|hook| is_peer(hook));
    let failed = peers.filter_map(|hook| {
        let message = HandshakeRecord::for_hook(env, hook).read()?;
        let position = TextPosition {
            line: hook.source.line,
            column: hook.source.column,
        };
        let problem = Problem::new(message, &hook.source.path, Some(position));
        Some(problem.for_hook(&hook.id).stopping_start())
    });
    let mut all: Vec<Problem> = failed.collect();
    // A peer that serves several events has failed only once.
    all.dedup();
    all
}

/// Whether a hook is answered by a peer.
#[must_use]
pub fn is_peer(hook: &Hook) -> bool {
    matches!(hook.handler, Handler::Peer { .. })
}

/// A file that exists while the peer of a definition fails its handshake. It may be deleted at any time.
pub struct HandshakeRecord(PathBuf);

impl HandshakeRecord {
    /// The record of the peer that this definition starts.
    #[must_use]
    pub fn for_hook(env: &HostEnv, hook: &Hook) -> Self {
        let path = hook.source.path.display().to_string();
        let identity = json!([hook.dialect, path, hook.id, hook.definition_text]).to_string();
        let hash = blake3::hash(identity.as_bytes()).to_hex();
        Self(env.data_dir.join("cache/greetings").join(format!("{hash}.json")))
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        Opener::user().read(&self.0, MAX_RECORD_BYTES).ok()
    }

    fn read(&self) -> Option<Message> {
        let text = self.bytes()?;
        let args: serde_json::Map<String, Value> = serde_json::from_slice(&text).ok()?;
        let case = args.get("case").and_then(Value::as_str).unwrap_or_default();
        let templates = hookwright_exec::messages();
        let template = templates
            .iter()
            .find(|template| template.code == CODE && template.case == case)?;
        Some(template.render(args.clone()))
    }

    /// Stores the arguments of the failure; `None` removes the record. Returns whether anything changed.
    pub fn store(&self, failed: Option<&Value>) -> bool {
        match failed {
            None => self.0.exists() && std::fs::remove_file(&self.0).is_ok(),
            Some(args) => {
                let text = args.to_string();
                let known = self.bytes().is_some_and(|known| known == text.as_bytes());
                // If the record cannot be stored, the next event detects the failure again.
                !known && locked_file::atomic_write(&self.0, text.as_bytes(), PRIVATE_FILE_MODE).is_ok()
            }
        }
    }
}
