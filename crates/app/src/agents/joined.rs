//! The session that a connection has joined.

use std::sync::Arc;

use hookwright_dialects::lookup::find_agent_event;
use hookwright_model::EventSpec;
use hookwright_workspace::project::OpenProject;

use crate::agent_sessions::{AgentSession, Member};
use crate::app::App;
use crate::fault::Fault;

/// A session, and what belongs to one of its connections.
#[derive(Clone)]
pub(super) struct Joined {
    pub(super) session: Arc<AgentSession>,
    pub(super) member: Arc<Member>,
}

impl Joined {
    /// An event of the dialect, by a name that the agent uses.
    pub(super) fn find_event(&self, event: &str) -> Result<&'static EventSpec, Fault> {
        Ok(find_agent_event(self.session.dialect.card().id, event)?.1)
    }
}

/// The hooks of a session's files. If its folder no longer exists, only those of the user are left.
pub(super) fn open_project(app: &App, session: &AgentSession) -> Arc<OpenProject> {
    let open_project = app.workspace.open_project(&session.project);
    open_project.unwrap_or_else(|_| app.workspace.user_hooks())
}
