//! Finds the session that a command is about.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::render;

use crate::agent_sessions::AgentSession;
use crate::app::App;
use crate::fault::Fault;

hookwright_model::messages! {
    /// No session has this id, and no agent this name.
    UNKNOWN_AGENT = "unknown_agent" { "no connected agent or session is called {agent}", "没有名为 {agent} 的已连接 Agent 或会话" } hint { "run `hookwright agents` to list them", "执行 `hookwright agents` 列出它们" };
    /// Several sessions have an agent of this name.
    AMBIGUOUS_AGENT = "ambiguous_agent" { "{count} sessions have an agent called {agent}", "有 {count} 个会话的 Agent 名为 {agent}" } hint { "use the id of the session", "使用会话的 id" };
    /// Several sessions have this id.
    AMBIGUOUS_SESSION = "ambiguous_session" { "{count} sessions have the id {session}", "有 {count} 个会话的 id 为 {session}" } hint { "run the command in the folder of the session", "在该会话所在的文件夹中执行命令" };
}

/// Which session a command means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedSession<'w> {
    /// A session id, or the agent's name when only one session has it.
    pub(crate) session: &'w str,
    /// The dialect, if it is known.
    pub(crate) dialect: Option<&'w str>,
    /// The project of the session, or a folder in it, if it is known.
    pub(crate) project: Option<&'w str>,
}

/// The session with this id, in this dialect and project if several have it; else the only one with an agent of this
/// name, or whose id is shown so because it looks like a secret.
///
/// # Errors
/// The name is unknown, or several sessions have it.
pub(crate) fn find_session(app: &App, wanted: WantedSession<'_>) -> Result<Arc<AgentSession>, Fault> {
    let WantedSession {
        session: wanted,
        dialect,
        project,
    } = wanted;
    let all = app.agents.all();
    let in_dialect = |session: &AgentSession| dialect.is_some_and(|id| session.dialect.card().id == id);
    // How near the project of the session is to the wanted one: the deeper the nearer, `None` if it is another one.
    let near = |session: &AgentSession| {
        let is_in = |project: &str| Path::new(project).starts_with(&session.project);
        let depth = || session.project.components().count();
        project.filter(|project| is_in(project)).map(|_| depth())
    };
    let of_id: Vec<_> = all.iter().filter(|session| session.id == wanted).collect();
    let rank = |session: &&&Arc<AgentSession>| (in_dialect(session), near(session));
    if let Some(best) = of_id.iter().max_by_key(rank) {
        // A test event must not reach another session than the one that is meant.
        let count = of_id.iter().filter(|session| rank(session) == rank(&best)).count();
        return match count {
            1 => Ok(Arc::clone(best)),
            _ => Err(render!(AMBIGUOUS_SESSION, "session" => wanted, "count" => count).into()),
        };
    }
    let named = |session: &&Arc<AgentSession>| {
        let (connected, last) = session.connections();
        connected.iter().chain(&last).any(|member| member.agent.name == wanted)
    };
    let redactor = app.workspace.redactor();
    let is_shown_so = |session: &&Arc<AgentSession>| redactor.text(&session.id).0 == wanted;
    let of_name: Vec<_> = all.iter().filter(|it| named(it) || is_shown_so(it)).collect();
    match of_name.as_slice() {
        [one] => Ok(Arc::clone(one)),
        [] => Err(render!(UNKNOWN_AGENT, "agent" => wanted).into()),
        several => Err(render!(AMBIGUOUS_AGENT, "agent" => wanted, "count" => several.len()).into()),
    }
}
