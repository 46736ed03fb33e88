//! One event of an agent, after it was accepted: its chain, its notices, and what happens after the reply.

use std::sync::Arc;

use hookwright_model::Notice;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::joined::{Joined, open_project};
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

/// Tells an agent the notices of its event (`engine.md` §4).
pub(super) async fn notify_all(member: &Member, notices: &[Notice]) {
    for message in notices {
        member.link.notify("session.notice", notice(message)).await;
    }
}
