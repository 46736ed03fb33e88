//! Stores the failed handshakes of an event's peers.

use hookwright_engine::Candidate;
use hookwright_engine::chain::HandshakeResults;
use hookwright_model::EventSpec;
use hookwright_workspace::handshakes::{HandshakeRecord, is_peer};
use serde_json::Value;

use crate::app::App;

/// Stores which peers of an event failed their handshake. Removes the records of the peers that completed it.
pub(crate) fn record_handshakes(app: &App, candidates: &[Candidate], spec: &EventSpec, handshakes: &HandshakeResults) {
    let mut has_changed = false;
    for (hook, failure) in handshakes {
        let mine = |candidate: &&Candidate| is_peer(&candidate.hook) && candidate.hook.id_at(spec) == *hook;
        let Some(candidate) = candidates.iter().find(mine) else {
            continue;
        };
        let mut args = failure.as_ref().map(|why| Value::Object(why.args.clone()));
        if let Some(args) = &mut args {
            app.workspace.redactor().value(args);
        }
        has_changed |= HandshakeRecord::for_hook(&app.workspace.env, &candidate.hook).store(args.as_ref());
    }
    if has_changed {
        app.workspace.request_refresh();
    }
}
