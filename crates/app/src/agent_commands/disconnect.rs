//! Disconnects an agent.

use schemars::JsonSchema;
use serde::Deserialize;
use ts_rs::TS;

use super::listing::{AgentsDoc, agents_list};
use super::{WantedSession, find_session};
use crate::app::App;
use crate::dto::Empty;
use crate::fault::Fault;

/// The parameters of `agents.disconnect`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema, TS)]
pub struct AgentDisconnectRequest {
    /// A session id, or the agent's name when only one session has it.
    pub session: String,
    /// The dialect of the session; absent if only one dialect has a session of this id.
    #[serde(default)]
    #[ts(optional)]
    pub dialect: Option<String>,
    /// The project of the session, absolute; absent if only one project has a session of this id.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
}

/// `agents.disconnect`: ends a session. Its hooks end with it, its events are stopped, and its connections are closed
/// after their last answers. The agent may connect again.
///
/// # Errors
/// The session is unknown.
pub async fn agents_disconnect(app: &App, request: AgentDisconnectRequest) -> Result<AgentsDoc, Fault> {
    let wanted = WantedSession {
        session: &request.session,
        dialect: request.dialect.as_deref(),
        project: request.project.as_deref(),
    };
    let session = find_session(app, wanted)?;
    let (connected, _) = session.connections();
    app.agents.end(&session);
    for member in connected {
        member.left.cancel();
        member.closed.cancel();
    }
    agents_list(app, Empty {}).await
}
