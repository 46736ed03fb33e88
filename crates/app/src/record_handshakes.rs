//! Stores the failed handshakes of an event's peers.

use std::sync::Arc;

use hookwright_engine::Candidate;
use hookwright_engine::chain::HandshakeResults;
use hookwright_model::{EventSpec, Hook};
use hookwright_workspace::handshakes::{HandshakeRecord, is_peer};
use serde_json::Value;

use crate::app::App;

/// The hooks that are peers.
pub(crate) fn peer_hooks(candidates: &[Candidate]) -> Vec<Arc<Hook>> {
    let peers = candidates.iter().filter(|candidate| is_peer(&candidate.hook));
    peers.map(|candidate| candidate.hook.clone()).collect()
}

/// Stores which peers of an event failed their handshake. Removes the records of the peers that completed it.
pub(crate) fn record_handshakes(app: &App, peers: &[Arc<Hook>], spec: &EventSpec, handshakes: &HandshakeResults) {
    let mut has_changed = false;
    for (id, failure) in handshakes {
        let Some(hook) = peers.iter().find(|hook| hook.id_at(spec) == *id) else {
            continue;
        };
        let mut args = failure.as_ref().map(|why| Value::Object(why.args.clone()));
        if let Some(args) = &mut args {
            app.workspace.redactor().value(args);
        }
        has_changed |= HandshakeRecord::for_hook(&app.workspace.env, hook).store(args.as_ref());
    }
    if has_changed {
        app.workspace.request_refresh();
    }
}
