//! Fires an event: accepts the payload, runs the chain, redacts and spools the trace, sends the push.

mod detached;
mod record;
mod window;

use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;
use hookwright_dialects::lookup::find_event;
use hookwright_engine::{Candidate, ChainContext, ReportedDirs};
use hookwright_model::{
    Cancelled, Dialect, Event, EventSpec, Handler, Hook, Message, Notice, Origin, Payload, SessionState, Step, Trace,
    args,
};
use hookwright_workspace::Snapshot;
use hookwright_workspace::trust::PassedContents;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::candidates::{candidates_where, pre_spawn_check_for};
use crate::detached_hooks::DetachedHooks;
use crate::event_options::{Consent, Recording};
use crate::fault::{Fault, TOO_DEEP};
use crate::modules::ImportContext;
use crate::payload::accept;
use crate::{modules, mute_commands, record_handshakes};

pub use detached::{finish_detached, finish_detached_run};
pub(crate) use record::record;
pub use window::{command_line, fire_stop, fire_window};

hookwright_model::messages! {
    /// Bodies are left out, because invalid settings do not show what must be masked.
    BODIES_NOT_RECORDED = "bodies_not_recorded" { "payloads, edits and streams are not recorded: `settings.toml` or its `[redaction]` is invalid", "未记录载荷、修改和输出流：`settings.toml` 或其中的 `[redaction]` 无效" } hint { "run `hookwright check` to see where, and correct it", "执行 `hookwright check` 查看位置并更正" };
    /// A hook file could not be read when the event fired.
    SOURCE_BROKEN = "source_broken" { "{path} cannot be read, so none of its hooks ran", "无法读取 {path}，因此其中的 hook 都没有运行" } hint { "`hookwright check` says where and why", "`hookwright check` 会说明位置和原因" };
}

/// An event is refused if this many hooks or more enclose the process (`engine.md` §2).
const MAX_HOOK_DEPTH: u32 = 4;

/// One event to fire.
#[derive(Debug)]
pub struct FireJob {
    /// The id of the dialect, such as `jcli`.
    pub dialect: String,
    /// The event, as the dialect spells it.
    pub event: String,
    /// The payload as the caller gave it. Common fields are filled in later.
    pub payload: Payload,
    /// The project directory, absolute.
    pub project: PathBuf,
    /// The session id for the payload. The name alone shares no state; [`Session`] contains the state.
    pub session: Option<String>,
    /// Where the event comes from.
    pub origin: Origin,
    /// Whether approvals decide, or the user's `--trust` replaces them.
    pub consent: Consent,
    /// Whether the trace is recorded.
    pub recording: Recording,
    /// Cancels the chain.
    pub cancel: CancellationToken,
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

/// The state of a session between its events. An event without a session gets a `Session` of its own.
#[derive(Debug, Default)]
pub struct Session {
    /// The key of the session's peers. `None` for a single event, whose peers end with the event.
    peers: Option<String>,
    state: SessionState,
    /// Whether an event was already fired in this session.
    has_begun: bool,
    reported_dirs: Arc<ReportedDirs>,
}

impl Session {
    /// Begins a session that has no state yet.
    #[must_use]
    pub fn begin() -> Self {
        Self {
            peers: Some(ulid::Ulid::generate().to_string()),
            state: SessionState::new(),
            has_begun: false,
            reported_dirs: Arc::default(),
        }
    }
}

impl FireResult {
    /// The trace as hooks and the agent saw it: not redacted, with streams cut.
    #[must_use]
    pub fn raw(&self) -> &Trace {
        self.original.as_ref().unwrap_or(&self.recorded)
    }
}

/// Ends a session and closes its peers.
pub fn end_session(app: &App, session: Session) {
    if let Some(peers) = session.peers {
        app.exec.close_session(&peers);
    }
}

/// Fires a single event: runs its chain with the hooks of a snapshot, and records the trace.
///
/// # Errors
/// The event cannot be fired: a name is unknown, the payload contradicts the event, or the process runs too deep
/// inside hooks.
pub async fn fire_once(app: &App, snapshot: &Snapshot, job: FireJob) -> Result<FireResult, Fault> {
    fire_in_session(app, snapshot, job, &mut Session::default()).await
}

/// Fires an event of a session: runs its chain with the hooks of a snapshot, and records the trace.
///
/// # Errors
/// The event cannot be fired, for the same reasons as in [`fire_once`].
pub async fn fire_in_session(
    app: &App,
    snapshot: &Snapshot,
    job: FireJob,
    session: &mut Session,
) -> Result<FireResult, Fault> {
    let (dialect, spec) = find_event(&job.dialect, &job.event)?;
    let depth = depth(app)?;
    let (payload, session_name, project) = (job.payload, job.session, job.project);
    let payload = accept(app, dialect, spec, payload, session_name.as_deref(), &project)?;
    let event = Event {
        session: session_name,
        project,
        payload,
        ..new_event(app, dialect, spec, job.origin)
    };
    let peers = session.peers.clone().unwrap_or_else(|| event.trace.clone());
    let import_context = ImportContext {
        dialect,
        spec,
        project: &event.project,
        trace: &event.trace,
        consent: job.consent,
        peers: &peers,
        depth: depth + 1,
        cancelled: cancelled(&job.cancel),
    };
    let (candidates, passed) = event_candidates(app, snapshot, &import_context).await;
    let pre_spawn_check = pre_spawn_check_for(app, job.consent, &event.project, &candidates, passed);
    let ended_mutes = mute_commands::remove_orphaned_mutes(app, snapshot, dialect.card().id, &candidates);
    let settings = app.workspace.settings();
    let context = ChainContext {
        runner: &*app.exec,
        pre_spawn_check: &pre_spawn_check,
        cancelled: cancelled(&job.cancel),
        run_id: &|| app.run_id(),
        depth: depth + 1,
        session: &peers,
        session_begins: !std::mem::replace(&mut session.has_begun, true),
        no_block_reason: dialect.no_block_reason(spec, &session.state),
        dialect_settings: &settings.of_dialect(dialect.card().id),
        reported_dirs: &session.reported_dirs,
    };
    let fired = hookwright_engine::fire(dialect, spec, event.clone(), &candidates, &context).await;
    let mut trace = fired.trace;
    dialect.remember(spec, &mut trace, &mut session.state);
    let misplaced = dialect.misplaced(&app.workspace.env.locations(&event.project));
    let warnings = ended_mutes
        .into_iter()
        .chain(misplaced)
        .chain(unreadable_sources(snapshot, dialect.card().id));
    trace
        .notices
        .extend(warnings.map(|message| Notice::warning(message, None)));
    record_handshakes::record_handshakes(app, &candidates, spec, &fired.handshakes);
    let detached = (!fired.detached.is_empty()).then(|| DetachedHooks {
        dialect,
        spec,
        event,
        hooks: fired.detached,
        trace: trace.clone(),
        peers: session.peers.clone(),
        reported_dirs: session.reported_dirs.clone(),
        consent: job.consent,
        recording: job.recording,
    });
    if detached.is_none() && session.peers.is_none() {
        app.exec.close_session(&peers);
    }
    let fired = record(app, trace, job.recording);
    log_steps(dialect, &fired.recorded, |_| true);
    Ok(FireResult { detached, ..fired })
}

/// The candidates of an event, modules imported, and the contents that passed the check of approvals.
async fn event_candidates(
    app: &App,
    snapshot: &Snapshot,
    context: &ImportContext<'_>,
) -> (Vec<Candidate>, PassedContents) {
    let (dialect, spec) = (context.dialect.card().id, context.spec);
    // The first event of a session may also start peers of other events. A hook that is approved for another event
    // may replace a hook of this event.
    let replacements = snapshot.replacements.get(dialect);
    let may_replace = |hook: &Hook| replacements.is_some_and(|rivalry| rivalry.has(&hook.id));
    let needs_trust =
        |hook: &Hook| hook.matches_event(spec) || matches!(hook.handler, Handler::Peer { .. }) || may_replace(hook);
    let (candidates, passed) = candidates_where(app, snapshot, dialect, context.consent, needs_trust);
    let candidates = modules::with_modules(app, snapshot, context, candidates).await;
    (candidates, passed)
}

/// An event of the current time, without session, project and payload.
fn new_event(app: &App, dialect: &dyn Dialect, spec: &EventSpec, origin: Origin) -> Event {
    Event {
        trace: ulid::Ulid::generate().to_string(),
        dialect: dialect.card().id,
        name: spec.name,
        origin,
        session: None,
        agent: None,
        project: PathBuf::new(),
        at: app.workspace.now(),
        payload: Payload::new(),
    }
}

/// How many hooks enclose this process, according to `HOOKWRIGHT_DEPTH`.
///
/// # Errors
/// The process runs so deep inside hooks that it is most likely a loop (`engine.md` §2).
pub(crate) fn depth(app: &App) -> Result<u32, Fault> {
    let named = app.workspace.env.var("HOOKWRIGHT_DEPTH");
    let depth = named.and_then(|depth| depth.parse().ok()).unwrap_or(0);
    if depth >= MAX_HOOK_DEPTH {
        return Err(TOO_DEEP.render(args! { "depth" => depth }).into());
    }
    Ok(depth)
}

/// Messages about files of a dialect that cannot be read and have no older version in force. The user must learn that
/// the guards in such a file did not run.
fn unreadable_sources(snapshot: &Snapshot, dialect: &str) -> impl Iterator<Item = Message> {
    let mine = snapshot
        .sources
        .iter()
        .filter(move |source| source.dialect == dialect && !source.last_good);
    mine.flat_map(|source| &source.broken)
        .map(|path| SOURCE_BROKEN.render(args! { "path" => path.display().to_string() }))
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
