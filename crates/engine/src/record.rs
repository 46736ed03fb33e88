//! The result of an event: warnings around the chain, the dialect's reply, and the trace.

use std::sync::Arc;

use hookwright_model::{
    ChainTimer, Dialect, Event, EventSpec, Hook, Notice, Payload, SkipReason, Step, Trace, Verdict, VerdictKind, args,
};

use crate::chain::{Finished, HandshakeResults, millis};
use crate::{Candidate, messages};

/// The result of an event whose reply is ready.
#[derive(Debug)]
pub struct ChainRecord {
    /// The trace. Detached hooks have the outcome `detached` in it.
    pub trace: Trace,
    /// The hooks to start now. The chain does not wait for them.
    pub detached: Vec<Arc<Hook>>,
    /// Whether the peers completed their handshakes, by hook. Only hooks with an attempt are included.
    pub handshakes: HandshakeResults,
}

/// Whether the hook is trusted, not muted and not off.
pub(crate) fn is_active(candidate: &Candidate) -> bool {
    !candidate.agent_runs_it
        && candidate.trusted.is_ok()
        && candidate.muted.is_none()
        && candidate.hook.disabled_reason.is_none()
}

pub(crate) fn warnings_after(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    payload: &Payload,
    verdict: &Verdict,
    candidates: &[Candidate],
) -> impl Iterator<Item = Notice> {
    let hooks: Vec<&Hook> = candidates
        .iter()
        .filter(|candidate| is_active(candidate))
        .map(|candidate| &*candidate.hook)
        .collect();
    let message = dialect.warnings_after(spec, payload, verdict, &hooks);
    let by = verdict.by.clone();
    message
        .into_iter()
        .map(move |message| Notice::warning(message, by.as_deref()))
}

pub(crate) fn warnings_before(
    dialect: &dyn Dialect,
    spec: &EventSpec,
    payload: &Payload,
    candidates: &[Candidate],
) -> impl Iterator<Item = Notice> {
    let hooks: Vec<&Hook> = candidates.iter().map(|candidate| &*candidate.hook).collect();
    let message = dialect.warnings_before(spec, payload, &hooks);
    message.into_iter().map(|message| Notice::warning(message, None))
}

/// Builds the reply and the trace.
pub(crate) fn build_record(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    finished: Finished,
    start: &dyn ChainTimer,
) -> ChainRecord {
    let mut resolution = finished.resolution;
    resolution.trace.clone_from(&event.trace);
    let reply = dialect.reply(spec, &resolution);
    let messages = dialect.user_messages(spec, &resolution).into_iter();
    let by = resolution.verdict.by.as_deref();
    let mut notices = finished.notices;
    notices.extend(messages.map(|message| Notice::user_message(message, by)));
    notices.extend(add_untrusted_notice(&finished.steps));
    let additions = std::mem::take(&mut resolution.additions);
    if !additions.is_empty() || resolution.verdict.kind != VerdictKind::Proceed {
        let payload = Arc::make_mut(&mut resolution.payload);
        dialect.apply_additions(spec, payload, &additions, &resolution.verdict);
    }
    let trace = Trace {
        trace: event.trace,
        dialect: event.dialect.to_owned(),
        event: event.name.to_owned(),
        origin: event.origin,
        session: event.session,
        agent: event.agent,
        project: Some(event.project.display().to_string()),
        at: event.at,
        took_ms: millis(start.elapsed()),
        verdict: resolution.verdict,
        payload_before: event.payload,
        payload_after: resolution.payload,
        reply,
        notices,
        steps: finished.steps,
        redacted: false,
        recorded: true,
        bodies_removed_days: None,
    };
    ChainRecord {
        trace,
        detached: finished.detached,
        handshakes: finished.handshakes,
    }
}

/// The one warning that counts and names the hooks that are not approved (`engine.md` §3).
pub(crate) fn add_untrusted_notice(steps: &[Step]) -> Option<Notice> {
    let names: Vec<&str> = steps
        .iter()
        .filter(|step| step.reason.as_deref() == Some(SkipReason::Untrusted.as_str()))
        .map(|step| step.hook.as_str())
        .collect();
    let args = || args! { "count" => names.len(), "names" => names.join(", ") };
    (!names.is_empty()).then(|| Notice::warning(messages::UNTRUSTED_SKIPPED.render(args()), None))
}
