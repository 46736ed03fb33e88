//! The sessions of agents, for people and for `agents --json` (`CONTRACTS.md` §2.5).

use hookwright_engine::FileHooks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::missing_programs::{MissingProgram, missing_programs};
use crate::agent_programs;
use crate::agent_sessions::{AgentInfo, AgentSession, Offer};
use crate::app::App;
use crate::dto::{AgentProgramRow, Empty};
use crate::fault::Fault;

/// The sessions of connected agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentsDoc {
    /// One row for each session, oldest first.
    pub agents: Vec<AgentRow>,
    /// The path of the socket that agents connect to; `null` if this process does not listen.
    #[serde(default)]
    pub socket: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentRow {
    /// The session id.
    pub session: String,
    /// Dialect id.
    pub dialect: String,
    /// The agent of the connection that takes test events; of the newest one if none does.
    pub agent: AgentIdentity,
    /// What can be asked of this agent: `fire`, `model`, `callbacks`.
    pub offers: Vec<String>,
    /// The project directory, absolute.
    pub cwd: String,
    /// When the session began, RFC 3339.
    pub since: String,
    /// How many events its connections fired.
    #[ts(type = "number")]
    pub events: u64,
    /// How many of them came in the last minute.
    #[serde(default)]
    #[ts(type = "number")]
    pub events_last_minute: u64,
    /// How many hooks were registered for the session.
    pub hooks: usize,
    /// Programs of its hooks that Hookwright finds and the agent, by the `PATH` that it reported, does not.
    #[serde(default)]
    pub missing_programs: Vec<MissingProgram>,
    /// Whether an agent of the session runs the hooks of its files itself.
    pub native: bool,
    /// Whether an agent is connected. If not, the session is kept for a while.
    pub connected: bool,
    /// When the last connection left, RFC 3339; left out while an agent is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub left_at: Option<String>,
    /// Its connections, oldest first.
    #[serde(default)]
    pub connections: Vec<AgentConnectionRow>,
    /// The hooks that were registered for the session.
    #[serde(default)]
    pub session_hooks: Vec<SessionHookRow>,
}

/// One connection of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentConnectionRow {
    /// Which program it is.
    pub agent: AgentIdentity,
    /// What can be asked of it: `fire`, `model`, `callbacks`.
    pub offers: Vec<String>,
}

/// A hook that was registered for a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SessionHookRow {
    /// The id of the hook.
    pub hook: String,
    /// What it is called on the screen.
    pub label: String,
    /// The event.
    pub event: String,
    /// Whether it may run.
    pub trusted: bool,
    /// The program that registered it; `null` if it is not known.
    #[serde(default)]
    pub agent: Option<AgentProgramRow>,
}

/// Which program an agent is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct AgentIdentity {
    /// Its name.
    pub name: String,
    /// The version of its program; may be empty.
    pub version: String,
    /// Its process id; `null` if it did not say it.
    pub pid: Option<u32>,
}

impl From<&AgentInfo> for AgentIdentity {
    fn from(agent: &AgentInfo) -> Self {
        Self {
            name: agent.name.clone(),
            version: agent.version.clone(),
            pid: agent.pid,
        }
    }
}

/// `agents.list`: the sessions of connected agents, and those that are kept.
///
/// # Errors
/// Never.
pub async fn agents_list(app: &App, _: Empty) -> Result<AgentsDoc, Fault> {
    Ok(AgentsDoc {
        agents: app.agents.all().iter().map(|session| row(app, session)).collect(),
        socket: app.agents.socket().map(|path| path.display().to_string()),
    })
}

fn row(app: &App, session: &AgentSession) -> AgentRow {
    let (connected, last) = session.connections();
    let main = session.main_connection();
    let hooks = session.conversation().map(|it| it.hooks()).unwrap_or_default();
    // One that left offers nothing any more.
    let offers = main
        .as_ref()
        .filter(|_| !connected.is_empty())
        .map(|main| names(&main.offers));
    let redactor = app.workspace.redactor();
    AgentRow {
        session: redactor.text(&session.id).0,
        dialect: session.dialect.card().id.to_owned(),
        agent: main
            .as_ref()
            .map(|member| AgentIdentity::from(&member.agent))
            .unwrap_or_default(),
        offers: offers.unwrap_or_default(),
        cwd: session.project.display().to_string(),
        since: session.since.to_string(),
        events: session.events(),
        events_last_minute: session.events_last_minute(),
        hooks: hooks.len(),
        missing_programs: main
            .as_ref()
            .and_then(|member| member.agent.search_path())
            .map(|path| missing_programs(app, session, path))
            .unwrap_or_default(),
        native: connected
            .iter()
            .chain(&last)
            .any(|it| it.file_hooks == FileHooks::Agent),
        connected: !connected.is_empty(),
        left_at: session.left_at().map(|at| at.to_string()),
        connections: connected
            .iter()
            .map(|member| AgentConnectionRow {
                agent: AgentIdentity::from(&member.agent),
                offers: names(&member.offers),
            })
            .collect(),
        session_hooks: hooks
            .iter()
            .map(|hook| SessionHookRow {
                hook: hook.id.to_string(),
                label: redactor.text(&hook.label).0,
                event: hook.event.clone(),
                trusted: app.check_session_hook(hook).is_ok(),
                agent: agent_programs::row_of(hook),
            })
            .collect(),
    }
}

fn names(offers: &[Offer]) -> Vec<String> {
    offers
        .iter()
        .filter_map(|offer| offer.name())
        .map(str::to_owned)
        .collect()
}
