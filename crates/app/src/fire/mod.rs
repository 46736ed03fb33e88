//! Fires an event: accepts the payload, runs the chain, redacts and spools the trace, sends the push.

mod detached;
mod record;
mod window;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use hookwright_dialects::lookup::find_event;
use hookwright_engine::{
    Candidate, ChainContext, EventStart, FileHooks, Session, SessionEvent, SessionRefusal, SystemTimer,
};
use hookwright_model::{
    Cancelled, Dialect, Event, EventConnection, EventSpec, Handler, Hook, Message, Notice, Origin, Outcome, SkipReason,
    Step, Trace, Verdict, args, render,
};
use hookwright_workspace::Snapshot;
use hookwright_workspace::snapshot::LoadedSource;
use hookwright_workspace::trust::{PassedContents, Trust};
use tokio_util::sync::CancellationToken;

use crate::agent_sessions::{AgentSession, Member};
use crate::app::App;
use crate::candidates::{candidates_where, pre_spawn_check_for, session_candidates};
use crate::detached_hooks::DetachedHooks;
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::modules::ImportContext;
use crate::payload::{ParsedPayload, accept};
use crate::running_chains::FollowedChain;
use crate::sessions::{SessionRequest, enclosing_hooks, open_session};
use crate::{modules, mute_commands, record_handshakes};

pub use detached::{finish_detached, finish_detached_run};
pub(crate) use record::record;
pub use window::{command_line, fire_stop, fire_window};

hookwright_model::messages! {
    /// Bodies are left out, because invalid settings do not show what must be masked.
    BODIES_NOT_RECORDED = "bodies_not_recorded" { "payloads, edits and streams are not recorded: `settings.toml` or its `[redaction]` is invalid", "未记录载荷、修改和输出流：`settings.toml` 或其中的 `[redaction]` 无效" } hint { "run `hookwright check` to find the error, then correct it", "执行 `hookwright check` 查看错误位置，然后更正" };
    /// More hook files have errors than are named one by one.
    MORE_FILES = "more" / "broken_files" { "more hook files that have errors: {count}", "另有 {count} 个 Hook 文件有错误" } hint { "run `hookwright check` to see all of them", "执行 `hookwright check` 查看全部" };
    /// The project was open, and its folder was removed or moved.
    PROJECT_GONE = "project_gone" { "the project folder {project} no longer exists, so its hooks are missing", "项目文件夹 {project} 已不存在，因此其中的 Hook 缺失" } hint { "restore the folder, or remove the project from the list", "恢复该文件夹，或从列表中移除该项目" };
    /// The user stopped the chain.
    STOPPED_BY_USER = "stopped_by_user" { "you stopped {label} before it finished", "{label} 执行完成前被你停止" };
    /// The user stopped the chain of an agent's event, or the agent has left.
    STOPPED = "stopped_early" { "{label} was stopped before it finished", "{label} 执行完成前被停止" };
}

/// One event to fire in a session.
#[derive(Debug)]
pub struct FireJob {
    /// The event, as the dialect spells it.
    pub event: String,
    /// The payload as the caller gave it. Common fields are filled in later.
    pub payload: ParsedPayload,
    /// Where the event comes from.
    pub origin: Origin,
    /// Who fires it.
    pub caller: Caller,
    /// Whether approvals decide, or the user's `--trust` replaces them.
    pub consent: Consent,
    /// Whether the trace is recorded.
    pub recording: Recording,
    /// Cancels the chain.
    pub cancel: CancellationToken,
    /// The name of the run, if a client started it under a name.
    pub run: Option<String>,
}

/// Who fires an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// This process. Hooks that enclose it are counted by its `HOOKWRIGHT_DEPTH`.
    ThisProcess,
    /// A connected agent.
    Agent {
        /// The agent's name.
        name: String,
        /// Its connection.
        connection: EventConnection,
        /// How many hooks enclose it.
        depth: u32,
    },
}

impl Caller {
    /// The agent at the other end of a connection that belongs to the session.
    pub(crate) fn of(session: &AgentSession, member: &Member) -> Self {
        Self::Agent {
            name: member.agent.name.clone(),
            connection: EventConnection {
                number: member.peer.number,
                group: session.group_of(member),
                program: member.peer.program(),
            },
            depth: member.agent.depth,
        }
    }
}

/// The result of a fired event.
#[derive(Debug)]
pub struct FireResult {
    /// The trace as it was recorded: redacted, with streams cut to their limit.
    pub recorded: Trace,
    /// The trace before redaction, with streams cut. `None` if nothing was masked or left out.
    pub original: Option<Trace>,
    /// Why the trace could not be recorded, or not completely. A notice in the trace reports the same.
    pub unrecorded: Option<Message>,
    /// The hooks that start now because the reply is final; [`finish_detached`] runs them.
    pub detached: Option<DetachedHooks>,
}

impl FireResult {
    /// The trace as hooks and the agent saw it: not redacted, with streams cut.
    #[must_use]
    pub fn raw(&self) -> &Trace {
        self.original.as_ref().unwrap_or(&self.recorded)
    }
}

/// Fires a single event in a session of its own: runs its chain with the hooks of a snapshot, and records the trace.
///
/// # Errors
/// The event cannot be fired: a name is unknown, the payload contradicts the event, or the process runs too deep
/// inside hooks.
pub async fn fire_once(
    app: &App,
    snapshot: &Snapshot,
    request: SessionRequest,
    job: FireJob,
) -> Result<FireResult, Fault> {
    let session = open_session(app, request)?;
    fire_in_session(app, snapshot, &session, job).await
}

/// Fires an event of a session: runs its chain with the hooks of a snapshot and of the session, and records the trace.
///
/// # Errors
/// The event cannot be fired, for the same reasons as in [`fire_once`], or because the session accepts none.
pub async fn fire_in_session(
    app: &App,
    snapshot: &Snapshot,
    session: &Arc<Session>,
    job: FireJob,
) -> Result<FireResult, Fault> {
    let accepted = accept_event(app, session, job)?;
    Ok(fire_accepted(app, snapshot, accepted).await)
}

/// An event that its session has accepted.
pub(crate) struct AcceptedEvent {
    begun: SessionEvent,
    spec: &'static EventSpec,
    event: Event,
    /// In what the payload differs from its text.
    payload_notices: Vec<Message>,
    consent: Consent,
    recording: Recording,
    cancel: CancellationToken,
    run: Option<String>,
}

impl AcceptedEvent {
    /// The conversation of the event.
    pub(crate) fn session(&self) -> &Arc<Session> {
        self.begun.session()
    }

    /// The event's row.
    pub(crate) fn spec(&self) -> &'static EventSpec {
        self.spec
    }
}

/// Accepts an event of a session: completes its payload, and takes its place among the events that run.
///
/// # Errors
/// A name is unknown, the payload contradicts the event, or the session accepts no event.
pub(crate) fn accept_event(app: &App, session: &Arc<Session>, job: FireJob) -> Result<AcceptedEvent, Fault> {
    accept_event_in(app, session, job, |depth| {
        session.begin_event(EventStart::at_depth(depth))
    })
}

/// Like [`accept_event`], where `begin` says in which conversation of the session the event takes its place.
pub(crate) fn accept_event_in(
    app: &App,
    session: &Session,
    job: FireJob,
    begin: impl FnOnce(u32) -> Result<SessionEvent, SessionRefusal>,
) -> Result<AcceptedEvent, Fault> {
    let dialect = session.dialect();
    let spec = find_event(dialect.card().id, &job.event)?.1;
    let payload = accept(app, dialect, spec, job.payload.fields, session.id(), session.project())?;
    let (agent, connection, depth) = match job.caller {
        Caller::ThisProcess => (None, None, enclosing_hooks(app)),
        Caller::Agent {
            name,
            connection,
            depth,
        } => (Some(name), Some(connection), depth),
    };
    let begun = begin(depth).map_err(|refusal| Fault::from(refusal.message()))?;
    Ok(AcceptedEvent {
        begun,
        spec,
        event: Event {
            payload: Arc::new(payload),
            connection,
            ..new_event(app, session, spec, job.origin, agent, depth)
        },
        payload_notices: job.payload.notices,
        consent: job.consent,
        recording: job.recording,
        cancel: job.cancel,
        run: job.run,
    })
}

/// Runs the chain of an accepted event with the hooks of a snapshot and of the session, and records the trace.
pub(crate) async fn fire_accepted(app: &App, snapshot: &Snapshot, accepted: AcceptedEvent) -> FireResult {
    let AcceptedEvent {
        begun,
        spec,
        event,
        payload_notices,
        consent,
        recording,
        cancel,
        run,
    } = accepted;
    let session = begun.session().clone();
    let (session, dialect) = (&session, session.dialect());
    let dialect_id = dialect.card().id;
    let import_context = ImportContext {
        session,
        spec,
        trace: &event.trace,
        depth: event.depth,
        consent,
        cancelled: cancelled(&cancel),
    };
    let (candidates, passed) = event_candidates(
        app,
        snapshot,
        &import_context,
        begun.session_hooks(),
        begun.file_hooks(),
    )
    .await;
    let pre_spawn_check = pre_spawn_check_for(app, consent, &event.project, &candidates, passed);
    let agents_project = event.agent.is_some().then_some(&*event.project);
    let ended_mutes = mute_commands::remove_orphaned_mutes(app, snapshot, dialect_id, &candidates, agents_project);
    let settings = app.workspace.settings();
    let followed = FollowedChain {
        all: &app.chains,
        spec,
        event: &event,
        run,
        cancel: &cancel,
        lease: OnceLock::new(),
    };
    let context = ChainContext {
        pre_spawn_check: &pre_spawn_check,
        cancelled: cancelled(&cancel),
        run_id: &|| app.run_id(),
        dialect_settings: &settings.of_dialect(dialect_id),
        timer: &SystemTimer::start(),
        progress: Some(&followed),
    };
    let handshake_hooks = record_handshakes::peer_hooks(&candidates);
    let fired = begun.fire(spec, event.clone(), candidates, &context).await;
    // It shares the payload, which is masked without a copy only if nothing else has it.
    drop(followed);
    let mut trace = fired.trace;
    let missing_project = missing_project(&event.project);
    let warnings = ended_mutes
        .into_iter()
        .chain(missing_project)
        .chain(payload_notices)
        .chain(held_sources(snapshot, dialect_id));
    let warnings = warnings.map(|message| Notice::warning(message, None));
    let of_files = file_warnings(snapshot, dialect_id, spec, |hook| hook.matches_event(spec));
    trace.notices.extend(of_files.chain(warnings));
    tell_stopped(&mut trace);
    record_handshakes::record_handshakes(app, &handshake_hooks, spec, &fired.handshakes);
    let detached = if fired.detached.is_empty() {
        // The trace is now the only owner of the payload, so that masking does not copy it.
        drop(event);
        None
    } else {
        Some(DetachedHooks {
            session: session.clone(),
            spec,
            event,
            hooks: fired.detached,
            trace: trace.clone(),
            consent,
            recording,
        })
    };
    let fired = record(app, trace, recording);
    log_steps(dialect, &fired.recorded, |_| true);
    FireResult { detached, ..fired }
}

/// The message that the folder of a project no longer exists; `None` if it does.
pub(crate) fn missing_project(project: &Path) -> Option<Message> {
    (!project.is_dir()).then(|| render!(PROJECT_GONE, "project" => project.display().to_string()))
}

/// Says in the verdict of a stopped chain that it was stopped, and where. Otherwise it would read as if no hook had
/// been there. A verdict with other words stays.
fn tell_stopped(trace: &mut Trace) {
    let stopped = |step: &&Step| {
        step.outcome == Outcome::Skipped && step.reason.as_deref() == Some(SkipReason::Cancelled.as_str())
    };
    let mut all = trace.steps.iter().filter(stopped);
    let first = all
        .clone()
        .find(|step| !step.attempts.is_empty())
        .or_else(|| all.next());
    let Some(label) = first.map(|step| step.label.as_str()) else {
        return;
    };
    if trace.verdict != Verdict::proceed() {
        return;
    }
    let template = match trace.origin {
        // Only the user stops these: in the window, or by a signal.
        Origin::Cli | Origin::Window | Origin::Simulated | Origin::Replay | Origin::Test => STOPPED_BY_USER,
        // The user, or the agent that has left.
        Origin::Agent | Origin::Reported => STOPPED,
    };
    let message = template.render(args! { "label" => label });
    trace.verdict = Verdict {
        reason: Some(message.text),
        code: Some(message.code.to_owned()),
        args: message.args,
        ..Verdict::proceed()
    };
}

/// An event of the present time, with an empty payload.
pub(crate) fn new_event(
    app: &App,
    session: &Session,
    spec: &EventSpec,
    origin: Origin,
    agent: Option<String>,
    depth: u32,
) -> Event {
    Event {
        trace: ulid::Ulid::generate().to_string(),
        dialect: session.dialect().card().id,
        name: spec.name,
        origin,
        session: session.id().map(str::to_owned),
        agent,
        connection: None,
        depth,
        project: session.project().to_owned(),
        at: app.workspace.now(),
        payload: Arc::default(),
    }
}

/// Starts the peers and imports the modules of a session that has just been opened (`picoclaw.md` §5, `qoder.md` §9).
pub(crate) async fn start_peers(app: &App, snapshot: &Snapshot, session: &Arc<Session>, depth: u32) {
    let card = session.dialect().card();
    let Some(spec) = card.event(card.first) else {
        return;
    };
    let is_peer = |hook: &Arc<Hook>| matches!(hook.handler, Handler::Peer { .. } | Handler::Module { .. });
    if !snapshot.hooks(card.id).any(is_peer) {
        return;
    }
    let event = new_event(app, session, spec, Origin::Agent, None, depth);
    let import_context = ImportContext {
        session,
        spec,
        trace: &event.trace,
        depth,
        consent: Consent::Approvals,
        cancelled: cancelled(&CancellationToken::new()),
    };
    let (candidates, passed) =
        event_candidates(app, snapshot, &import_context, &session.hooks(), FileHooks::Engine).await;
    let pre_spawn_check = pre_spawn_check_for(app, Consent::Approvals, &event.project, &candidates, passed);
    let context = ChainContext {
        pre_spawn_check: &pre_spawn_check,
        cancelled: cancelled(&CancellationToken::new()),
        run_id: &|| app.run_id(),
        dialect_settings: &app.workspace.settings().of_dialect(card.id),
        timer: &SystemTimer::start(),
        progress: None,
    };
    session.start_peers(spec, &event, &candidates, &context);
}

/// The candidates of an event, modules imported and with these hooks of the session, and the contents that passed the
/// check of approvals.
async fn event_candidates(
    app: &App,
    snapshot: &Snapshot,
    context: &ImportContext<'_>,
    session_hooks: &[Arc<Hook>],
    file_hooks: FileHooks,
) -> (Vec<Candidate>, PassedContents) {
    let (dialect, spec) = (context.session.dialect().card().id, context.spec);
    // The first event of a session may also start peers of other events. A hook that is approved for another event
    // may replace a hook of this event.
    let replacements = snapshot.replacements.get(dialect);
    let may_replace = |hook: &Hook| replacements.is_some_and(|known| known.has(&hook.id));
    let is_native = file_hooks == FileHooks::Agent;
    let needs_trust = |hook: &Hook| {
        !is_native && (hook.matches_event(spec) || matches!(hook.handler, Handler::Peer { .. }) || may_replace(hook))
    };
    let (candidates, mut passed) = candidates_where(app, snapshot, dialect, context.consent, needs_trust);
    let mut candidates = match file_hooks {
        FileHooks::Engine => modules::with_modules(app, snapshot, context, candidates).await,
        // Nothing of the agent's own files is imported.
        FileHooks::Agent => candidates,
    };
    for candidate in session_candidates(app, session_hooks, context.consent) {
        // The settings can allow what no approval covers. It is then what was there when the chain began.
        if candidate.trusted.is_ok() && Trust::needs_approval(&candidate.hook) {
            let content = app.workspace.trust.content(&candidate.hook);
            passed.insert(candidate.hook.id.clone(), content);
        }
        candidates.push(candidate);
    }
    (candidates, passed)
}

/// What the user is told once about files of a dialect that are saved again and again.
fn held_sources(snapshot: &Snapshot, dialect: &str) -> impl Iterator<Item = Message> {
    let mine = snapshot.sources.iter().filter(move |source| source.dialect == dialect);
    mine.filter_map(LoadedSource::take_held_notice)
}

/// The warnings about the files of a dialect, which come first: which are not read because of their place, whose last
/// valid version is in force, and which hooks are lost that could be for this event. `is_in_answer` says of which hooks
/// the answer has a row.
pub(crate) fn file_warnings(
    snapshot: &Snapshot,
    dialect: &str,
    spec: &EventSpec,
    is_in_answer: impl Fn(&Hook) -> bool,
) -> impl Iterator<Item = Notice> {
    let lost = snapshot.lost_hooks(dialect, spec, is_in_answer);
    let lost = lost.into_iter().map(|lost| lost.message());
    let misplaced = snapshot.misplaced_messages(dialect);
    let all = misplaced.chain(snapshot.last_good_messages(Some(dialect))).chain(lost);
    limited(all.collect()).into_iter()
}

/// Notices of these messages: of very many the first, and how many more there are (`engine.md` §9).
fn limited(messages: Vec<Message>) -> Vec<Notice> {
    const MAX_FILE_WARNINGS: usize = 50;
    let more = messages.len().saturating_sub(MAX_FILE_WARNINGS);
    let mut notices: Vec<Notice> = messages
        .into_iter()
        .take(MAX_FILE_WARNINGS)
        .map(|message| Notice::warning(message, None))
        .collect();
    if more > 0 {
        notices.push(Notice::warning(render!(MORE_FILES, "count" => more), None));
    }
    notices
}

/// Writes the lines of the agent's own debug log to Hookwright's log (`HOOKWRIGHT_LOG=debug`). `trace` is the recorded
/// trace, so that secrets are masked here too.
pub(crate) fn log_steps(dialect: &dyn Dialect, trace: &Trace, which: impl Fn(&Step) -> bool) {
    if tracing::enabled!(target: RAW_LOG_TARGET, tracing::Level::DEBUG) {
        for line in trace
            .steps
            .iter()
            .filter(|step| which(step))
            .flat_map(|step| dialect.debug_lines(trace, step))
        {
            tracing::debug!(target: RAW_LOG_TARGET, "{line}");
        }
    }
}

/// The target of log lines in an agent's own format. Such a line is printed without a prefix.
pub const RAW_LOG_TARGET: &str = "hookwright::as_it_is";

pub(crate) fn cancelled(token: &CancellationToken) -> Cancelled {
    token.clone().cancelled_owned().boxed().shared()
}
