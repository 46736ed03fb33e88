//! Long-lived processes that did not greet: kept until one of theirs does, so that a list of hooks says it, too
//! (`engine.md` §12, `handshake_failed`).

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

/// The sentence is kept as its arguments, `case` among them, and said again from them.
const CODE: &str = "handshake_failed";
/// The mode of what is kept.
const PRIVATE_FILE_MODE: u32 = 0o600;

/// What is known of the processes of a source.
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
    // A process that serves several events failed once.
    all.dedup();
    all
}

impl App {
    /// Keeps which processes of an event did not greet, and forgets it of those that did.
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

/// A file that is there while the process of a definition does not greet. It may be deleted at any time.
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

    /// Keeps what was said of the failure, `None` forgets it; returns whether that is news.
    fn store(&self, failed: Option<&Value>) -> bool {
        match failed {
            None => self.0.exists() && std::fs::remove_file(&self.0).is_ok(),
            Some(args) => {
                let text = args.to_string();
                let known = std::fs::read(&self.0).is_ok_and(|known| known == text.as_bytes());
                // What cannot be kept is found out by the next event again.
                !known && locked_file::atomic_write(&self.0, text.as_bytes(), PRIVATE_FILE_MODE).is_ok()
            }
        }
    }
}
