//! Fires an event: accepts the payload, runs the chain, redacts and spools the trace, sends the push.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use hookwright_engine::{Candidate, ChainContext, ReportedDirs};
use hookwright_model::{
    Cancelled, Dialect, Event, EventSpec, Handler, Hook, Message, Notice, NoticeKind, Origin, Outcome, Payload,
    ProtocolOptions, SessionState, Step, Trace, args, json_depth, term,
};
use hookwright_store::without_body;
use tokio_util::sync::CancellationToken;

use crate::App;
use crate::blocking::blocking;
use crate::detached_hooks::{DetachedHooks, DetachedRun};
use crate::dto::{CommandLineRequest, FireRequest, RunRequest, Stopped, TextReply};
use crate::fault::{Fault, PAYLOAD_NOT_OBJECT, PAYLOAD_TOO_DEEP, PAYLOAD_TOO_LARGE, TOO_DEEP};
use crate::hooks::{Consent, find_event};
use crate::library::Snapshot;
use crate::modules::ImportContext;
use crate::trust::{ApprovalCheck, PassedContents};
use hookwright_redact::{RedactedTrace, is_large};

hookwright_model::messages! {
    /// Bodies are left out, because invalid settings do not show what must be masked.
    BODIES_NOT_RECORDED = "bodies_not_recorded" { "payloads, edits and streams are not recorded: `settings.toml` or its `[redaction]` is invalid", "未记录载荷、修改和输出流：`settings.toml` 或其中的 `[redaction]` 无效" } hint { "run `hookwright check` to see where, and correct it", "执行 `hookwright check` 查看位置并更正" };
    /// A hook file could not be read when the event fired.
    SOURCE_BROKEN = "source_broken" { "{path} cannot be read, so none of its hooks ran", "无法读取 {path}，因此其中的 hook 都没有运行" } hint { "`hookwright check` says where and why", "`hookwright check` 会说明位置和原因" };
}

/// Maximum size of a payload in bytes, as it is written in the request.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// Maximum nesting depth of a payload, with the payload itself as one level (`engine.md` §9).
const MAX_PAYLOAD_DEPTH: usize = 128;

/// An event is refused if this many hooks or more enclose the process (`engine.md` §2).
const MAX_HOOK_DEPTH: u32 = 4;

/// Whether the trace is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// The trace is spooled before the reply leaves, and imported later.
    On,
    /// Nothing is written. Only tests and benchmarks use it.
    Off,
}

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
    /// The hooks that start now because the reply is final; [`App::finish_detached`] runs them.
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

impl App {
    /// Ends a session and closes its peers.
    pub fn end_session(&self, session: Session) {
        if let Some(peers) = session.peers {
            self.app_files.exec.close_session(&peers);
        }
    }

    /// Fires a single event: runs its chain with the hooks of a snapshot, and records the trace.
    ///
    /// # Errors
    /// The event cannot be fired: a name is unknown, the payload contradicts the event, or the process runs too deep
    /// inside hooks.
    pub async fn fire_once(&self, snapshot: &Snapshot, job: FireJob) -> Result<FireResult, Fault> {
        self.fire_in_session(snapshot, job, &mut Session::default()).await
    }

    /// Fires an event of a session: runs its chain with the hooks of a snapshot, and records the trace.
    ///
    /// # Errors
    /// The event cannot be fired, for the same reasons as in [`App::fire_once`].
    pub async fn fire_in_session(
        &self,
        snapshot: &Snapshot,
        job: FireJob,
        session: &mut Session,
    ) -> Result<FireResult, Fault> {
        let (dialect, spec) = find_event(&job.dialect, &job.event)?;
        let depth = self.depth()?;
        let (payload, session_name, project) = (job.payload, job.session, job.project);
        let payload = self.accept(dialect, spec, payload, session_name.as_deref(), &project)?;
        let event = Event {
            session: session_name,
            project,
            payload,
            ..self.new_event(dialect, spec, job.origin)
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
        // The first event of a session may also start peers of other events. A hook that is approved for another event
        // may replace a hook of this event.
        let replacements = snapshot.replacements.get(dialect.card().id);
        let may_replace = |hook: &Hook| replacements.is_some_and(|rivalry| rivalry.has(&hook.id));
        let needs_trust =
            |hook: &Hook| hook.matches_event(spec) || matches!(hook.handler, Handler::Peer { .. }) || may_replace(hook);
        let (candidates, passed) = self.candidates_where(snapshot, dialect.card().id, job.consent, needs_trust);
        let candidates = self.with_modules(snapshot, &import_context, candidates).await;
        let pre_spawn_check = self.pre_spawn_check_for(job.consent, &event.project, &candidates, passed);
        let ended_mutes = self.remove_orphaned_mutes(snapshot, dialect.card().id, &candidates);
        let context = ChainContext {
            runner: &self.app_files.exec,
            clearance: &pre_spawn_check,
            cancelled: cancelled(&job.cancel),
            run_id: &|| self.run_id(),
            depth: depth + 1,
            session: &peers,
            session_begins: !std::mem::replace(&mut session.has_begun, true),
            bar: dialect.no_block_reason(spec, &session.state),
            manners: self.protocol_options(),
            told: &session.reported_dirs,
        };
        let fired = hookwright_engine::fire(dialect, spec, event.clone(), &candidates, &context).await;
        let mut trace = fired.trace;
        dialect.remember(spec, &mut trace, &mut session.state);
        let misplaced = dialect.misplaced(&self.env.locations(&event.project));
        let warnings = ended_mutes.into_iter().chain(misplaced);
        let warnings = warnings.chain(unreadable_sources(snapshot, dialect.card().id));
        trace
            .notices
            .extend(warnings.map(|message| Notice::warning(message, None)));
        self.record_handshakes(&candidates, spec, &fired.greetings);
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
            self.app_files.exec.close_session(&peers);
        }
        let fired = self.record(trace, job.recording);
        log_steps(dialect, &fired.recorded, |_| true);
        Ok(FireResult { detached, ..fired })
    }

    /// An event of the current time, without session, project and payload.
    fn new_event(&self, dialect: &dyn Dialect, spec: &EventSpec, origin: Origin) -> Event {
        Event {
            trace: ulid::Ulid::generate().to_string(),
            dialect: dialect.card().id,
            name: spec.name,
            origin,
            session: None,
            agent: None,
            project: PathBuf::new(),
            at: self.now(),
            payload: Payload::new(),
        }
    }

    pub(crate) fn pre_spawn_check_for<'l>(
        &'l self,
        consent: Consent,
        project: &'l Path,
        candidates: &[Candidate],
        passed: PassedContents,
    ) -> ApprovalCheck<'l> {
        let hooks = candidates.iter().map(|candidate| &*candidate.hook);
        self.pre_spawn_check(consent, project, hooks, passed)
    }

    /// The pre-spawn check of these hooks.
    pub(crate) fn pre_spawn_check<'l, 'h>(
        &'l self,
        consent: Consent,
        project: &'l Path,
        hooks: impl Iterator<Item = &'h Hook>,
        passed: PassedContents,
    ) -> ApprovalCheck<'l> {
        match consent {
            Consent::Approvals => ApprovalCheck::approved(&self.trust, project, passed),
            Consent::Granted => ApprovalCheck::granted(&self.trust, hooks),
        }
    }

    pub(crate) fn protocol_options(&self) -> ProtocolOptions {
        ProtocolOptions {
            event_method: self.settings().picoclaw.event_method,
        }
    }

    /// How many hooks enclose this process, according to `HOOKWRIGHT_DEPTH`.
    ///
    /// # Errors
    /// The process runs so deep inside hooks that it is most likely a loop (`engine.md` §2).
    pub(crate) fn depth(&self) -> Result<u32, Fault> {
        let named = self.env.var("HOOKWRIGHT_DEPTH");
        let depth = named.and_then(|depth| depth.parse().ok()).unwrap_or(0);
        if depth >= MAX_HOOK_DEPTH {
            return Err(TOO_DEEP.render(args! { "depth" => depth }).into());
        }
        Ok(depth)
    }

    /// Redacts a trace, spools it with one write, and sends the push. The reply never waits for the database. A notice
    /// in the trace reports what could not be recorded. While it is unknown what the settings want masked, no bodies
    /// are recorded. A large trace takes time, so other tasks of this thread move to another one.
    pub(crate) fn record(&self, trace: Trace, recording: Recording) -> FireResult {
        if is_large(&trace) {
            blocking(|| self.record_now(trace, recording))
        } else {
            self.record_now(trace, recording)
        }
    }

    fn record_now(&self, mut trace: Trace, recording: Recording) -> FireResult {
        let without_bodies = self.app_files.is_redaction_unknown();
        let is_bodies_notice = |notice: &Notice| notice.code.as_deref() == Some(BODIES_NOT_RECORDED.code);
        if without_bodies && recording == Recording::On && !trace.notices.iter().any(is_bodies_notice) {
            trace
                .notices
                .push(Notice::warning(BODIES_NOT_RECORDED.render_plain(), None));
        }
        let RedactedTrace {
            mut recorded,
            mut original,
        } = self.redactor().redact_trace(trace);
        if without_bodies {
            let outcomes_only = without_hook_texts(without_body(&recorded, 0));
            original = original.or(Some(std::mem::replace(&mut recorded, outcomes_only)));
        }
        let shortfall = match recording {
            Recording::On => self.history.append(&recorded),
            Recording::Off => None,
        };
        if let Some(shortfall) = &shortfall {
            for trace in std::iter::once(&mut recorded).chain(original.as_mut()) {
                trace.recorded = shortfall.recorded;
                trace.notices.push(Notice::warning(shortfall.message.clone(), None));
            }
        }
        self.push_trace(&recorded);
        FireResult {
            recorded,
            original,
            unrecorded: shortfall.map(|it| it.message),
            detached: None,
        }
    }

    /// `fire`: fires an event for the window. `fire.stop` with the name of the run stops it.
    ///
    /// # Errors
    /// The project is not a directory, a name is unknown, or the payload is too large or contradicts the event.
    pub async fn fire_window(&self, request: FireRequest) -> Result<Trace, Fault> {
        check_payload_limits(&request.payload)?;
        let open_project = self.open_project(Path::new(&request.project))?;
        let run = self.runs.begin(request.run);
        let job = FireJob {
            dialect: request.dialect,
            event: request.event,
            payload: request.payload,
            project: open_project.project.clone(),
            session: request.session,
            origin: Origin::Window,
            consent: Consent::Approvals,
            recording: Recording::On,
            cancel: run.cancel().clone(),
        };
        let mut fired = self.fire_once(&open_project.snapshot(), job).await;
        let detached = fired.as_mut().ok().and_then(|fired| fired.detached.take());
        if let Some(detached) = detached {
            // The run can be stopped by its name until the detached hooks have ended too.
            lock(&self.detached_runs).push(DetachedRun { detached, run });
        }
        Ok(fired?.recorded)
    }

    /// `fire.stop`: stops every run of this name, and returns whether there was one.
    ///
    /// # Errors
    /// Never.
    pub async fn fire_stop(&self, request: RunRequest) -> Result<Stopped, Fault> {
        let stopped = self.runs.stop(&request.run);
        Ok(Stopped { stopped })
    }

    /// `fire.command_line`: the command that fires the same event in a terminal, quoted for `sh`.
    ///
    /// # Errors
    /// The dialect or the event is unknown.
    pub async fn command_line(&self, request: CommandLineRequest) -> Result<TextReply, Fault> {
        let (dialect, spec) = find_event(&request.dialect, &request.event)?;
        let payload = serde_json::to_string(&request.payload).unwrap_or_default();
        // Quoting fails only for a NUL, because no command line can contain it. JSON writes a NUL escaped, so the
        // payload can be quoted.
        let quote = |text: &str| {
            shlex::try_quote(text)
                .map(std::borrow::Cow::into_owned)
                .unwrap_or_default()
        };
        let (project, payload) = (quote(&request.project), quote(&payload));
        // `=` joins the option and its value, because a session name may begin with a dash.
        let session = request.session.as_deref();
        let session = session.map_or_else(String::new, |name| format!(" {}", quote(&format!("--session={name}"))));
        let text = format!(
            "printf %s {payload} | hookwright fire --dialect {} --event {} --project {project}{session} --payload -",
            dialect.card().id,
            spec.name
        );
        Ok(TextReply { text })
    }
}

/// The trace without the reasons of hooks and their messages to the user. These texts repeat the streams.
fn without_hook_texts(mut trace: Trace) -> Trace {
    trace.verdict.reason = None;
    trace.verdict.feedback = None;
    trace.verdict.args.clear();
    trace.notices.retain(|notice| notice.kind == NoticeKind::Warning);
    for step in trace.steps.iter_mut().filter(|step| step.outcome != Outcome::Skipped) {
        step.reason = None;
        step.args.clear();
    }
    trace
}

/// Reads a payload from text: one JSON object of at most 16 MiB (`engine.md` §1).
///
/// # Errors
/// The text is too large, nested too deep, not JSON, or not an object.
pub fn parse_payload(text: &[u8]) -> Result<Payload, Fault> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(PAYLOAD_TOO_LARGE
            .render(args! { "bytes" => text.len(), "limit" => MAX_PAYLOAD_BYTES })
            .into());
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = std::str::from_utf8(text)
        .map_err(|error| Fault::from(PAYLOAD_NOT_OBJECT.render(args! { "why" => error.to_string() })))?;
    match json_depth::read(text) {
        Ok(serde_json::Value::Object(payload)) => check_payload_depth(&payload).map(|()| payload),
        // Too much nesting is reported first, whatever other errors the text has.
        Err(_) if json_depth::depth(text) > MAX_PAYLOAD_DEPTH => Err(too_deep()),
        Ok(other) => Err(PAYLOAD_NOT_OBJECT.render(args! { "why" => json_kind(&other) }).into()),
        Err(error) => Err(PAYLOAD_NOT_OBJECT.render(args! { "why" => error.to_string() }).into()),
    }
}

/// Checks the limits of [`parse_payload`] for a payload that is a part of a request.
///
/// # Errors
/// The payload is too large or nested too deep.
pub fn check_payload_limits(payload: &Payload) -> Result<(), Fault> {
    let mut bytes = ByteCounter(0);
    // The counter never fails, and every JSON map can be written.
    drop(serde_json::to_writer(&mut bytes, payload));
    check_payload_depth(payload)?;
    if bytes.0 > MAX_PAYLOAD_BYTES {
        let args = args! { "bytes" => bytes.0, "limit" => MAX_PAYLOAD_BYTES };
        return Err(PAYLOAD_TOO_LARGE.render(args).into());
    }
    Ok(())
}

fn check_payload_depth(payload: &Payload) -> Result<(), Fault> {
    if payload
        .values()
        .all(|value| is_nested_within(value, MAX_PAYLOAD_DEPTH - 1))
    {
        Ok(())
    } else {
        Err(too_deep())
    }
}

fn too_deep() -> Fault {
    PAYLOAD_TOO_DEEP.render(args! { "limit" => MAX_PAYLOAD_DEPTH }).into()
}

/// Whether a value has at most `depth` levels of nesting.
fn is_nested_within(value: &serde_json::Value, depth: usize) -> bool {
    match value {
        serde_json::Value::Array(items) => depth > 0 && items.iter().all(|item| is_nested_within(item, depth - 1)),
        serde_json::Value::Object(map) => depth > 0 && map.values().all(|item| is_nested_within(item, depth - 1)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => true,
    }
}

/// A writer that only counts the bytes.
struct ByteCounter(usize);

impl std::io::Write for ByteCounter {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        self.0 += part.len();
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn json_kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => term!("it is null"),
        serde_json::Value::Bool(_) => term!("it is a boolean"),
        serde_json::Value::Number(_) => term!("it is a number"),
        serde_json::Value::String(_) => term!("it is a string"),
        serde_json::Value::Array(_) => term!("it is an array"),
        serde_json::Value::Object(_) => term!("it is an object"),
    }
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

/// Locks a mutex, also after another thread panicked: a panic leaves no data half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn cancelled(token: &CancellationToken) -> Cancelled {
    token.clone().cancelled_owned().boxed().shared()
}
