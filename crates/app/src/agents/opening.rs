//! `session.open`: which session a connection joins, and who is told of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use hookwright_dialects::lookup::find_dialect;
use hookwright_engine::FileHooks;
use hookwright_exec::nearest_directory;
use hookwright_model::{Layer, Message, args, render};
use hookwright_workspace::lock::lock;
use serde_json::{Value, json};

use super::connection::{AgentConnection, closed};
use super::joined::{Joined, open_project};
use super::requests::{OpenParams, Opened};
use super::{MAX_KEEP, PROTOCOL, RELATIVE_CWD, SESSION_OPEN_ALREADY, UNKNOWN_PROTOCOL};
use crate::agent_sessions::engine_calls::joined_notice;
use crate::agent_sessions::{AgentSession, Join, Member, Opening, Peer, ProjectOf};
use crate::app::App;
use crate::candidates::candidates;
use crate::event_options::Consent;
use crate::fault::Fault;
use crate::fire::start_peers;
use crate::notices::{self, program_joined};
use crate::pushes::{NoticeReason, Push, Topic};

impl AgentConnection {
    pub(super) fn open(&self, mut params: OpenParams) -> Result<Value, Fault> {
        self.check_no_session()?;
        if params.protocol != PROTOCOL {
            return Err(render!(UNKNOWN_PROTOCOL, "protocol" => params.protocol).into());
        }
        params.check_names()?;
        params.offers.sort_unstable();
        params.offers.dedup();
        let dialect = find_dialect(&params.dialect)?;
        if !params.cwd.is_absolute() {
            let path = params.cwd.display().to_string();
            return Err(render!(RELATIVE_CWD, "path" => path).into());
        }
        // A folder that the agent removed must not keep the user's hooks from running.
        let folder = nearest_directory(&params.cwd).unwrap_or(&params.cwd);
        let project = self.app.workspace.open_project(folder)?.project.clone();
        // The originals are used nowhere, and both are shown and stored in many places.
        let redactor = self.app.workspace.redactor();
        for text in [&mut params.agent.name, &mut params.agent.version] {
            *text = redactor.text(text).0;
        }
        let opening = Opening {
            dialect,
            id: params.session_id,
            project,
            keep: params.keep_ms.map(|keep| keep.duration().unsigned_abs().min(MAX_KEEP)),
        };
        let member = Arc::new(Member {
            peer: Peer {
                number: self.number,
                lineage: self.peer.lineage.clone(),
                agent_pid: params.agent.pid,
            },
            agent: params.agent,
            program: self.peer.program.clone(),
            offers: params.offers,
            file_hooks: match params.native {
                Some(true) => FileHooks::Agent,
                Some(false) | None => FileHooks::Engine,
            },
            events: Member::event_places(),
            link: self.link.clone(),
            left: self.left.clone(),
            closed: self.closed.clone(),
        });
        // The one before was closed by another connection.
        self.leave_session();
        let projects = OwnHooks {
            app: &self.app,
            dialect: dialect.card().id,
        };
        let now = self.app.workspace.now();
        let (session, joined) = self.app.agents.open(now, &opening, &member, &projects);
        *lock(&self.joined) = Some(Joined {
            session: session.clone(),
            member: member.clone(),
        });
        self.log.join(&session.log);
        self.opened.cancel();
        self.app.push_stale(&[Topic::Agents]);
        if joined == Join::JoinedStrangers {
            self.tell_of_join(&session, &member);
        }
        let open_project = open_project(&self.app, &session);
        let known = candidates(
            &self.app,
            &open_project.snapshot(),
            dialect.card().id,
            Consent::Approvals,
        );
        let opened = Opened {
            session: session.id.clone(),
            protocol: PROTOCOL,
            events: dialect.card().events.iter().map(|event| event.name).collect(),
            hooks: known.len(),
            untrusted: known.iter().filter(|candidate| candidate.trusted.is_err()).count(),
        };
        let conversation = session.conversation().map_err(closed)?;
        // Nothing of the agent's own files is started, and nothing at all for a connection that only reports.
        if member.file_hooks == FileHooks::Engine && params.reports_only != Some(true) {
            let (app, depth) = (self.app.clone(), member.agent.depth);
            tokio::spawn(async move { start_peers(&app, &open_project.snapshot(), &conversation, depth).await });
        }
        Ok(json!(opened))
    }

    /// Tells all connections of the session, and the user, that a program joined that is no relative of the others.
    fn tell_of_join(&self, session: &Arc<AgentSession>, member: &Member) {
        let redactor = self.app.workspace.redactor();
        let message = program_joined(session, member, &redactor);
        for other in session.connections().0 {
            other.link.try_notify("session.notice", joined_notice(&message));
        }
        if self.app.agents.is_news(session, member, Instant::now()) {
            let Message { code, text, args, .. } = message;
            let project = session.project.display().to_string();
            // The list of agents has the same words.
            let (id, _) = redactor.text(&session.id);
            let address = [
                ("session", &*id),
                ("dialect", session.dialect.card().id),
                ("project", &*project),
            ];
            self.app.push(Push::Notice {
                code: code.to_owned(),
                text,
                args,
                reason: Some(NoticeReason::SessionJoined),
                to: Some(notices::path("/agents", &address)),
                project: Some(project),
            });
        }
    }

    /// Refuses a second session, while the first one is open or this connection ends.
    fn check_no_session(&self) -> Result<(), Fault> {
        match &*lock(&self.joined) {
            Some(joined) if joined.session.conversation().is_ok() || self.closed.is_cancelled() => {
                let args = args! { "session" => joined.session.id.as_str() };
                Err(SESSION_OPEN_ALREADY.render(args).into())
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Looks at the approved hooks of folders.
struct OwnHooks<'a> {
    app: &'a App,
    dialect: &'static str,
}

impl ProjectOf for OwnHooks<'_> {
    fn has_own_hooks(&self, project: &Path) -> bool {
        let Ok(open_project) = self.app.workspace.open_project(project) else {
            return false;
        };
        let all = candidates(self.app, &open_project.snapshot(), self.dialect, Consent::Approvals);
        all.iter()
            .any(|known| known.hook.source.layer == Layer::Project && known.trusted.is_ok())
    }
}
