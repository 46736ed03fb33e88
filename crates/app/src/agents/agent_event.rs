//! One event of an agent, after it was accepted: its chain, its notices, and what happens after the reply.

use std::sync::Arc;

use hookwright_model::Trace;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::connection::{Joined, open_project};
use super::requests::fired;
use crate::agent_sessions::Member;
use crate::agent_sessions::engine_calls::notice;
use crate::app::App;
use crate::fire::{AcceptedEvent, finish_detached, fire_accepted};
use crate::pushes::Topic;

/// Runs the chain of an event and sends the agent its notices. Asynchronous hooks start when the reply is final.
pub(super) async fn fire(app: Arc<App>, joined: Joined, accepted: AcceptedEvent) -> Value {
    let Joined { session, member } = joined;
    let conversation = accepted.session().clone();
    let ends_session = session.dialect.card().last == Some(accepted.spec().name);
    let mut done = fire_accepted(&app, &open_project(&app, &session).snapshot(), accepted).await;
    notify_all(&member, done.raw()).await;
    let result = fired(done.raw());
    let lease = done.detached.is_some().then(|| session.begin_detached());
    let begin_again = move |app: &App| {
        if session.begin_again(&conversation) {
            app.agents.end(&session);
            app.push_stale(&[Topic::Agents, Topic::Trust]);
        }
    };
    match done.detached.take() {
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

/// Tells an agent the notices of its event (`engine.md` §4).
pub(super) async fn notify_all(member: &Member, trace: &Trace) {
    for message in &trace.notices {
        member.link.notify("session.notice", notice(message)).await;
    }
}
