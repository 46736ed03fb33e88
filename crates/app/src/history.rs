//! The history as the use cases see it: one write on the event path, everything else off it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Counts, Dialect, Hook, Trace, Words, args};
use hookwright_store::{
    Cursor, Filter, HookStats, Kept, Mode, Policy, Spool, Standing, Store, StoreError, ToolStats, Writer,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Number;
use tokio::sync::{Mutex, watch};

use crate::dto::{
    Bar, BarsDoc, BarsRequest, Empty, HistoryDoc, HistoryRequest, StatsDoc, StatsRequest, StatsRow, StoreInfo, ToolRow,
    TraceRequest,
};
use crate::fault::{AMBIGUOUS_TRACE, BAD_CURSOR, Fault, HISTORY_SET_ASIDE, NO_HISTORY, NOT_RECORDED, UNKNOWN_TRACE};
use crate::pushes::{Push, Topic};
use crate::settings::Settings;
use crate::{App, Clock, Hosting};

/// A history that was set aside is spoken of for so long.
const NEW: SignedDuration = SignedDuration::from_hours(24);

/// The spool, the database when it is open, and in an engine the writer between them.
#[derive(Debug)]
pub struct History {
    data_dir: PathBuf,
    hosting: Hosting,
    clock: Now,
    spool: OnceLock<Result<Arc<Spool>, String>>,
    store: Mutex<Option<(Mode, Arc<Store>)>>,
    writer: ArcSwapOption<Writer>,
    policy: watch::Sender<Policy>,
}

/// The clock, opaque to people.
#[derive(Clone)]
struct Now(Clock);

impl std::fmt::Debug for Now {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Now")
    }
}

/// A row of the history for this trace.
#[must_use]
pub fn row(trace: &Trace) -> TraceRow {
    hookwright_store::row(trace)
}

impl History {
    /// Opens nothing yet: the spool is made with the first trace, the database with the first question.
    #[must_use]
    pub fn new(data_dir: &Path, hosting: Hosting, settings: &Settings, clock: Clock) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            hosting,
            clock: Now(clock),
            spool: OnceLock::new(),
            store: Mutex::new(None),
            writer: ArcSwapOption::empty(),
            policy: watch::channel(policy(settings)).0,
        }
    }

    /// Takes changed limits into force.
    pub fn use_settings(&self, settings: &Settings) {
        self.policy.send_if_modified(|now| {
            let next = policy(settings);
            std::mem::replace(now, next) != next
        });
    }

    /// Writes a trace to the spool by one write, before its reply leaves. Never waits for the database.
    ///
    /// # Errors
    /// Why it is not kept, or kept without its body.
    pub fn append(&self, trace: &Trace) -> Result<(), String> {
        let kept = self
            .spool()?
            .append(trace)
            .map_err(|error| format!("{}: {error}", self.data_dir.join("spool").display()))?;
        if let Some(writer) = &*self.writer.load() {
            writer.news();
        }
        match kept {
            Kept::Whole => Ok(()),
            Kept::WithoutBody => Err("the disk is full: only the outcomes were kept".to_owned()),
        }
    }

    /// Imports what was spooled, this process's and others'.
    ///
    /// # Errors
    /// Why the database cannot be used; the spool keeps everything.
    pub async fn import(&self) -> Result<(), StoreError> {
        if let Some(writer) = &*self.writer.load() {
            return writer.flush().await.map(drop);
        }
        // Nobody writes to this process's file any more, so it can go once it is imported.
        if let Some(Ok(spool)) = self.spool.get() {
            spool.release();
        }
        let store = self.open(Mode::Write).await?;
        if let Standing::SpoolOnly { why } = store.standing().await {
            // It was waited for while opening; once is enough.
            return Err(StoreError::SpoolOnly {
                path: self.data_dir.join("history.db"),
                why,
            });
        }
        store.import().await?;
        // Without an engine nobody else ever would. A failure of that loses nothing, and the next command tries again.
        let policy = *self.policy.borrow();
        if let Err(error) = store.retain_daily(policy).await {
            tracing::warn!(%error, "old traces could not be removed");
        }
        Ok(())
    }

    /// That an earlier history was found damaged and set aside, for a day after that.
    #[must_use]
    pub fn set_aside(&self) -> Option<Words> {
        let (at, path) = hookwright_store::set_aside(&self.data_dir).pop()?;
        let new = (self.clock.0)().duration_since(at) < NEW;
        let args = args! { "path" => path.display().to_string(), "at" => at.to_string() };
        new.then(|| HISTORY_SET_ASIDE.say(args))
    }

    /// Why what was read came from the spool alone, although there is more.
    pub async fn spool_only(&self) -> Option<String> {
        let open = self.store.lock().await;
        let (_, store) = open.as_ref()?;
        match store.standing().await {
            Standing::SpoolOnly { why } => Some(why),
            Standing::Ready | Standing::Absent => None,
        }
    }

    /// Brings the spool into the database from now on. What is damaged was set aside and an empty one is begun.
    pub async fn start_writing(&self) {
        let opened = match self.open(Mode::Write).await {
            Err(error @ StoreError::Damaged { .. }) => {
                tracing::warn!("{error}");
                self.open(Mode::Write).await
            }
            other => other,
        };
        match (opened, self.spool()) {
            (Ok(store), Ok(spool)) => {
                self.writer
                    .store(Some(Arc::new(Writer::start(store, spool, self.policy.subscribe()))))
            }
            (Err(error), _) => tracing::warn!(%error, "the history is not written; what is fired is spooled"),
            (_, Err(why)) => tracing::warn!(%why, "nothing can be recorded"),
        }
    }

    /// Imports what is left and closes the database.
    pub async fn close(&self) {
        if let Some(writer) = self.writer.swap(None) {
            let closed = match Arc::try_unwrap(writer) {
                Ok(writer) => writer.close().await,
                // Somebody is importing right now: what stands in the spool is not lost.
                Err(writer) => writer.flush().await,
            };
            if let Err(error) = closed {
                tracing::warn!(%error, "the spool keeps what could not be imported");
            }
        }
        if let Some((_, store)) = self.store.lock().await.take() {
            store.close().await;
        }
    }

    /// How the history is doing.
    pub async fn info(&self) -> StoreInfo {
        let losses = self
            .spool
            .get()
            .and_then(|spool| spool.as_ref().ok())
            .map(|spool| spool.losses())
            .unwrap_or_default();
        let state = match self.reading().await {
            Ok(store) => store.state(losses).await,
            Err(error) => Err(error),
        };
        let words = match &state {
            Ok(state) => {
                let why = state.why.as_ref();
                why.map(|why| NOT_RECORDED.say(args! { "why" => why }))
                    .or_else(|| self.set_aside())
            }
            Err(error) => Some(NO_HISTORY.say(args! { "why" => error.to_string() })),
        };
        let (code, args) = words
            .as_ref()
            .map(|words| (words.code.to_owned(), words.args.clone()))
            .unzip();
        let (why, args) = (words.map(|words| words.text), args.unwrap_or_default());
        match state {
            Ok(state) => StoreInfo {
                traces: small(state.traces),
                bytes: state.bytes,
                ok: state.ok && losses.traces == 0,
                why,
                code,
                args,
                dropped_bodies: small(state.dropped_bodies),
            },
            Err(_) => StoreInfo {
                traces: 0,
                bytes: 0,
                ok: false,
                why,
                code,
                args,
                dropped_bodies: small(losses.bodies),
            },
        }
    }

    /// The database for reading, together with the spool.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn reading(&self) -> Result<Arc<Store>, StoreError> {
        let mode = match self.hosting {
            Hosting::OneShot => Mode::Read,
            Hosting::Engine => Mode::Write,
        };
        self.open(mode).await
    }

    async fn open(&self, mode: Mode) -> Result<Arc<Store>, StoreError> {
        let mut open = self.store.lock().await;
        if let Some((had, store)) = &*open
            && (*had == mode || *had == Mode::Write)
        {
            return Ok(store.clone());
        }
        if let Some((_, store)) = open.take() {
            store.close().await;
        }
        let store = Arc::new(Store::open(&self.data_dir, mode, self.clock.0.clone()).await?);
        *open = Some((mode, store.clone()));
        Ok(store)
    }

    fn spool(&self) -> Result<Arc<Spool>, String> {
        self.spool
            .get_or_init(|| {
                Spool::open(&self.data_dir)
                    .map(Arc::new)
                    .map_err(|error| format!("{}: {error}", self.data_dir.join("spool").display()))
            })
            .clone()
    }
}

fn policy(settings: &Settings) -> Policy {
    let history = &settings.history;
    Policy {
        max_days: history.max_days,
        bodies_days: history.bodies_days,
        max_mb: u64::from(history.max_mb),
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cursor(cursor) => BAD_CURSOR.say(args! { "cursor" => cursor }).into(),
            StoreError::Ambiguous { prefix, some } => AMBIGUOUS_TRACE
                .say(args! { "trace" => prefix, "some" => some.join(", ") })
                .into(),
            StoreError::Damaged { .. }
            | StoreError::DamagedInUse { .. }
            | StoreError::Newer { .. }
            | StoreError::NotWritable { .. }
            | StoreError::Full { .. }
            | StoreError::SpoolOnly { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. } => NO_HISTORY.say(args! { "why" => error.to_string() }).into(),
        }
    }
}

impl App {
    /// `history.page`
    ///
    /// # Errors
    /// The history cannot be read, or the cursor is of another one.
    pub async fn history_page(&self, request: HistoryRequest) -> Result<HistoryDoc, Fault> {
        let after = request.after.as_deref().map(str::parse::<Cursor>).transpose()?;
        let filter = Filter {
            project: request.project.map(|project| self.project_text(&project)),
            event: request.event,
            dialect: request.dialect,
            outcome: request.outcome,
            hook: request.hook,
            verdict: request.verdict,
            since: request.since,
            until: request.until,
        };
        let page = self
            .history
            .reading()
            .await?
            .page(&filter, after, request.limit.clamp(1, 10_000))
            .await?;
        Ok(HistoryDoc {
            traces: page.rows,
            next: page.next.map(|cursor| cursor.to_string()),
        })
    }

    /// `history.show`
    ///
    /// # Errors
    /// The history cannot be read, or there is no such trace.
    pub async fn history_show(&self, request: TraceRequest) -> Result<Trace, Fault> {
        let found = self.history.reading().await?.show(&request.trace).await?;
        found.ok_or_else(|| UNKNOWN_TRACE.say(args! { "trace" => request.trace }).into())
    }

    /// `history.bars`
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn history_bars(&self, request: BarsRequest) -> Result<BarsDoc, Fault> {
        let project = request.project.map(|project| self.project_text(&project));
        let since = self.ago(request.since_ms);
        let bars = self
            .history
            .reading()
            .await?
            .bars(project.as_deref(), since, request.buckets.clamp(1, 1000))
            .await?;
        Ok(BarsDoc {
            buckets: bars.into_iter().map(bar).collect(),
        })
    }

    /// `stats`
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn stats(&self, request: StatsRequest) -> Result<StatsDoc, Fault> {
        let project = request.project.map(|project| self.project_text(&project));
        let since = self.ago(request.since_ms);
        let reading = self.history.reading().await?;
        let hooks = reading.stats(since, project.as_deref()).await?;
        let mut tools = Vec::new();
        for dialect in hookwright_dialects::all() {
            let Some(calls) = dialect.tool_calls() else { continue };
            let stats = reading
                .tools(dialect.card().id, &calls, since, project.as_deref())
                .await?;
            tools.extend(stats.into_iter().map(|stats| tool_row(*dialect, stats)));
        }
        Ok(StatsDoc {
            since: since.to_string(),
            tools,
            hooks: hooks
                .into_iter()
                .map(|stats| {
                    let hook = self.hook_of(&stats);
                    stats_row(stats, hook.as_deref())
                })
                .collect(),
        })
    }

    /// `announce`: another process recorded a trace.
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn announce(&self, request: TraceRequest) -> Result<Empty, Fault> {
        let trace = self.history_show(request).await?;
        // It may have added its project to the list.
        let mut stale = self.own.look_again();
        stale.push(Topic::Projects);
        self.push(Push::Traces {
            rows: vec![row(&trace)],
        });
        self.push_stale(&stale);
        self.history.import().await?;
        Ok(Empty {})
    }

    /// The hook itself, while its definition is there.
    fn hook_of(&self, stats: &HookStats) -> Option<Arc<Hook>> {
        let project = stats.project.as_deref().map_or(&*self.around.cwd, Path::new);
        // A person's hook is read with any project, so one that is open will do.
        let open = self
            .desks()
            .into_iter()
            .find(|desk| stats.project.is_none() || desk.project == project);
        // An engine does not begin to watch projects because their numbers are asked for.
        let desk = match self.hosting {
            Hosting::OneShot => open.or_else(|| self.desk(project).ok())?,
            Hosting::Engine => open?,
        };
        desk.snapshot().hook(&stats.hook).cloned()
    }

    fn project_text(&self, project: &str) -> String {
        self.around.absolute(Path::new(project)).display().to_string()
    }

    pub(crate) fn ago(&self, ms: f64) -> Timestamp {
        let now = self.now();
        now.checked_sub(SignedDuration::from_millis(ms.max(0.0) as i64))
            .unwrap_or(Timestamp::MIN)
    }
}

fn stats_row(stats: HookStats, hook: Option<&Hook>) -> StatsRow {
    let counts = Counts {
        outcomes: stats.outcomes.clone(),
        runs: stats.runs,
        attempts: stats.attempts,
        successes: stats.successes,
        failures: stats.failures,
        total_ms: stats.total_ms,
        chars_added: stats.chars_added,
        counted: stats.counted.clone(),
        mode: hook.map(|hook| hook.mode),
        definition: hook.map(|hook| hook.definition.clone()),
    };
    let native = hookwright_dialects::find(&stats.dialect).map(|dialect| dialect.native(&counts));
    StatsRow {
        native: named(native.unwrap_or_default()),
        hook: stats.hook,
        project: stats.project,
        label: stats.label,
        version: stats.version,
        dialect: stats.dialect,
        event: stats.event,
        runs: small(stats.runs),
        outcomes: stats
            .outcomes
            .into_iter()
            .map(|(outcome, count)| (outcome, small(count)))
            .collect(),
        attempts: small(stats.attempts),
        total_ms: stats.total_ms,
        p50_ms: stats.p50_ms,
        p95_ms: stats.p95_ms,
        p99_ms: stats.p99_ms,
        max_ms: stats.max_ms,
        timeouts: small(stats.timeouts),
        chars_added: stats.chars_added,
        bars: stats.bars.into_iter().map(bar).collect(),
    }
}

fn tool_row(dialect: &dyn Dialect, stats: ToolStats) -> ToolRow {
    ToolRow {
        native: named(dialect.native_of_tool(&stats.counts)),
        tool: stats.tool,
        dialect: dialect.card().id.to_owned(),
        project: stats.project,
    }
}

/// Counters under their names.
fn named(counters: Vec<(&'static str, f64)>) -> BTreeMap<String, Number> {
    let named = counters.into_iter();
    named
        .filter_map(|(name, value)| Some((name.to_owned(), number(value)?)))
        .collect()
}

/// A count is written as a whole number; times keep their fraction.
fn number(value: f64) -> Option<Number> {
    let whole = value.fract() == 0.0 && (0.0..9e15).contains(&value);
    if whole {
        Some(Number::from(value as u64))
    } else {
        Number::from_f64(value)
    }
}

fn bar(bar: hookwright_store::Bar) -> Bar {
    Bar {
        at: bar.at.to_string(),
        outcomes: bar
            .outcomes
            .into_iter()
            .map(|(outcome, count)| (outcome, small(count)))
            .collect(),
    }
}

/// Counts that leave the program are 32-bit: JavaScript holds no larger whole numbers safely in every place.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
