//! One event of an agent, after it was accepted: its chain, its notices, and what happens after the reply.

use std::sync::Arc;

use hookwright_engine::{FileHooks, record_refused};
use hookwright_model::{EventSpec, Hook, Notice, Origin, render};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::EVENT_REFUSED;
use super::joined::{Joined, open_project};
use super::requests::fired;
use crate::agent_sessions::Member;
use crate::agent_sessions::engine_calls::notice;
use crate::app::App;
use crate::candidates::{candidates_where, session_candidates};
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::fire::{AcceptedEvent, file_warnings, finish_detached, fire_accepted, new_event, record};
use crate::pushes::Topic;

/// Runs the chain of an event and sends the agent its notices. Asynchronous hooks start when the reply is final.
pub(super) async fn fire(app: Arc<App>, joined: Joined, accepted: AcceptedEvent) -> Value {
    let Joined { session, member } = joined;
    let conversation = accepted.session().clone();
    let ends_session = session.dialect.card().last == Some(accepted.spec().name);
    let mut done = fire_accepted(&app, &open_project(&app, &session).snapshot(), accepted).await;
    let result = fired(done.raw());
    let notices = std::mem::take(&mut done.recorded.notices);
    let notices = done
        .original
        .as_mut()
        .map_or(notices, |original| std::mem::take(&mut original.notices));
    let detached = done.detached.take();
    // An agent that does not read its notices must not keep the whole trace in memory.
    drop(done);
    notify_all(&member, &notices).await;
    let lease = detached.is_some().then(|| session.begin_detached());
    let begin_again = move |app: &App| {
        if session.begin_again(&member, &conversation) {
            app.agents.end(&session);
            app.push_stale(&[Topic::Agents, Topic::Trust]);
        }
    };
    match detached {
        Some(detached) => {
            tokio::spawn(async move {
                let _lease = lease;
                if let Some(why) = finish_detached(&app, detached, &CancellationToken::new())
                    .await
                    .unrecorded
                {
                    tracing::warn!(%why, "how asynchronous hooks ended is not recorded");
                }
                if ends_session {
                    begin_again(&app);
                }
            });
        }
        None if ends_session => begin_again(&app),
        None => {}
    }
    result
}

/// Records an event that was refused. The agent usually continues without an answer, so its hooks have failed open.
pub(super) fn record_refusal(app: &App, joined: &Joined, spec: &'static EventSpec, fault: &Fault) {
    let Joined { session, member } = joined;
    let (Ok(conversation), Ok(own)) = (session.conversation(), session.hooks_for(member)) else {
        return;
    };
    let dialect = session.dialect;
    let snapshot = open_project(app, session).snapshot();
    let is_native = member.file_hooks == FileHooks::Agent;
    let is_asked = |hook: &Hook| !is_native && hook.matches_event(spec);
    let (mut candidates, _) = candidates_where(app, &snapshot, dialect.card().id, Consent::Approvals, is_asked);
    candidates.extend(session_candidates(app, &own, Consent::Approvals));
    let agent = Some(member.agent.name.clone());
    let event = new_event(app, &conversation, spec, Origin::Agent, agent, member.agent.depth);
    let why = render!(EVENT_REFUSED, "why" => fault.message.as_str(), "why_message" => fault.to_args());
    let mut trace = record_refused(dialect, spec, event, candidates, member.file_hooks, &why);
    let of_files = file_warnings(&snapshot, dialect.card().id, spec, |hook| hook.matches_event(spec));
    trace.notices.extend(of_files);
    session.count_event();
    record(app, trace, Recording::On);
}

/// Tells an agent the notices of its event (`engine.md` §4).
pub(super) async fn notify_all(member: &Member, notices: &[Notice]) {
    for message in notices {
        member.link.notify("session.notice", notice(message)).await;
    }
}
