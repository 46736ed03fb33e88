//! Failed handshakes of peers. A failure is stored until the peer completes a handshake, so that a list of hooks shows
//! it too (`engine.md` §12, `handshake_failed`).

use std::path::PathBuf;

use hookwright_engine::Candidate;
use hookwright_engine::chain::Greetings;
use hookwright_model::problem::TextPosition;
use hookwright_model::{EventSpec, Handler, Hook, Message, Problem};
use serde_json::{Value, json};

use crate::App;
use crate::host_env::HostEnv;
use crate::library::LoadedSource;
use crate::locked_file;

/// The code of the message. Only the arguments of the message are stored, `case` included, and it is rendered from
/// them.
const CODE: &str = "handshake_failed";
/// The file mode of the records.
const PRIVATE_FILE_MODE: u32 = 0o600;

/// The failed handshakes of a source's peers, as problems.
pub fn problems(env: &HostEnv, source: &LoadedSource) -> Vec<Problem> {
    let peers = source.hooks.iter().filter(|hook| is_peer(hook));
    let failed = peers.filter_map(|hook| {
        let message = HandshakeRecord::for_hook(env, hook).read()?;
        let position = TextPosition {
            line: hook.source.line,
            column: hook.source.column,
        };
        Some(Problem::new(message, &hook.source.path, Some(position)).for_hook(&hook.id))
    });
    let mut all: Vec<Problem> = failed.collect();
    // A peer that serves several events has failed only once.
    all.dedup();
    all
}

impl App {
    /// Stores which peers of an event failed their handshake. Removes the records of the peers that completed it.
    pub(crate) fn record_handshakes(&self, candidates: &[Candidate], spec: &EventSpec, handshakes: &Greetings) {
        let mut has_changed = false;
        for (hook, failure) in handshakes {
            let mine = |candidate: &&Candidate| is_peer(&candidate.hook) && candidate.hook.id_at(spec) == *hook;
            let Some(candidate) = candidates.iter().find(mine) else {
                continue;
            };
            let mut args = failure.as_ref().map(|why| Value::Object(why.args.clone()));
            if let Some(args) = &mut args {
                self.redactor().value(args);
            }
            has_changed |= HandshakeRecord::for_hook(&self.env, &candidate.hook).store(args.as_ref());
        }
        if has_changed {
            self.request_refresh();
        }
    }
}

fn is_peer(hook: &Hook) -> bool {
    matches!(hook.handler, Handler::Peer { .. })
}

/// A file that exists while the peer of a definition fails its handshake. It may be deleted at any time.
struct HandshakeRecord(PathBuf);

impl HandshakeRecord {
    fn for_hook(env: &HostEnv, hook: &Hook) -> Self {
        let path = hook.source.path.display().to_string();
        let identity = json!([hook.dialect, path, hook.id, hook.definition_text]).to_string();
        let hash = blake3::hash(identity.as_bytes()).to_hex();
        Self(env.data_dir.join("cache/greetings").join(format!("{hash}.json")))
    }

    fn read(&self) -> Option<Message> {
        let text = std::fs::read(&self.0).ok()?;
        let args: serde_json::Map<String, Value> = serde_json::from_slice(&text).ok()?;
        let case = args.get("case").and_then(Value::as_str).unwrap_or_default();
        let templates = hookwright_exec::messages();
        let template = templates
            .iter()
            .find(|template| template.code == CODE && template.case == case)?;
        Some(template.render(args.clone()))
    }

    /// Stores the arguments of the failure; `None` removes the record. Returns whether anything changed.
    fn store(&self, failed: Option<&Value>) -> bool {
        match failed {
            None => self.0.exists() && std::fs::remove_file(&self.0).is_ok(),
            Some(args) => {
                let text = args.to_string();
                let known = std::fs::read(&self.0).is_ok_and(|known| known == text.as_bytes());
                // If the record cannot be stored, the next event detects the failure again.
                !known && locked_file::atomic_write(&self.0, text.as_bytes(), PRIVATE_FILE_MODE).is_ok()
            }
        }
    }
}
