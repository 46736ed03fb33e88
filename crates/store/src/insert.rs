//! Rows into tables, many at a time: one awaited statement a row would be six times slower.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hookwright_model::trace::{Step, Trace};
use hookwright_model::{Layer, Verdict};
use serde::Serialize;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{Arguments, AssertSqlSafe};

use crate::about::{about, tool};
use crate::digest::{Mark, MarkKind, Rest, gate_count, letters, marks, row};
use crate::tally::{code, took_us};
use crate::unread::Key;

/// Statements are made for so many rows, so that the driver's cache of prepared ones stays small and warm.
const CHUNKS: [usize; 4] = [64, 16, 4, 1];

/// A row that can be bound.
pub(crate) trait Row {
    /// `INSERT INTO … VALUES`.
    const INTO: &'static str;
    /// Its columns.
    const COLUMNS: usize;

    /// Adds its values.
    fn bind(self, arguments: &mut SqliteArguments) -> Result<(), BoxDynError>;
}

/// Inserts rows.
pub(crate) async fn insert<R: Row>(connection: &mut SqliteConnection, mut rows: Vec<R>) -> Result<(), sqlx::Error> {
    let tuple = format!("({})", vec!["?"; R::COLUMNS].join(", "));
    for chunk in CHUNKS {
        while rows.len() >= chunk {
            let mut arguments = SqliteArguments::default();
            for row in rows.drain(..chunk) {
                row.bind(&mut arguments).map_err(sqlx::Error::Encode)?;
            }
            // Made of constants only.
            let sql = format!("{} {}", R::INTO, vec![tuple.as_str(); chunk].join(", "));
            sqlx::query_with(AssertSqlSafe(sql), arguments)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}

/// What names a hook's definition in its place: the columns of `hooks`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, sqlx::FromRow)]
pub(crate) struct HookKey {
    pub(crate) project: String,
    pub(crate) hook: String,
    pub(crate) definition: String,
    pub(crate) dialect: String,
    pub(crate) event: String,
    pub(crate) label: String,
    pub(crate) handler: String,
    pub(crate) layer: String,
    pub(crate) path: String,
    pub(crate) line: u32,
}

impl HookKey {
    /// Of a step in a trace. A person's own files belong to no project.
    pub(crate) fn of(trace: &Trace, step: &Step) -> Self {
        let project = match step.source.layer {
            Layer::Builtin | Layer::User => String::new(),
            Layer::Project | Layer::Session | Layer::Skill => trace.project.clone().unwrap_or_default(),
        };
        Self {
            project,
            hook: step.hook.clone(),
            definition: definition(step),
            dialect: trace.dialect.clone(),
            event: trace.event.clone(),
            label: step.label.clone(),
            handler: step.handler.clone(),
            layer: step.source.layer.word().to_owned(),
            path: step.source.path.clone(),
            line: step.source.line,
        }
    }
}

/// What tells one definition under an id from another, as far as a trace shows it: how it runs and what it runs.
fn definition(step: &Step) -> String {
    format!("{}:{}", step.handler, step.label)
}

/// A row of `hooks`.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct NumberedHook {
    pub(crate) id: i64,
    #[sqlx(flatten)]
    pub(crate) key: HookKey,
}

/// Numbers of the hooks, those that are new made.
pub(crate) async fn hook_ids(
    connection: &mut SqliteConnection,
    keys: BTreeSet<HookKey>,
) -> Result<HashMap<HookKey, i64>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<NumberedHook> = sqlx::query_as(
        "INSERT INTO hooks (project, hook, definition, dialect, event, label, handler, layer, path, line) \
         SELECT value ->> 'project', value ->> 'hook', value ->> 'definition', value ->> 'dialect', value ->> 'event', \
                value ->> 'label', value ->> 'handler', value ->> 'layer', value ->> 'path', value ->> 'line' \
         FROM json_each(?) WHERE true \
         ON CONFLICT DO UPDATE SET line = excluded.line \
         RETURNING id, project, hook, definition, dialect, event, label, handler, layer, path, line",
    )
    .bind(json(&keys))
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|NumberedHook { id, key }| (key, id)).collect())
}

/// Numbers of the marks, with so many more traces for each.
pub(crate) async fn name_ids(
    connection: &mut SqliteConnection,
    counts: &BTreeMap<Mark, i64>,
) -> Result<HashMap<Mark, i64>, sqlx::Error> {
    let rows: Vec<(&str, &str, i64)> = counts
        .iter()
        .map(|((kind, value), n)| (kind.word(), value.as_str(), *n))
        .collect();
    let ids: Vec<(i64, String, String)> = sqlx::query_as(
        "INSERT INTO names (kind, value, traces) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (kind, value) DO UPDATE SET traces = traces + excluded.traces RETURNING id, kind, value",
    )
    .bind(json(&rows))
    .fetch_all(connection)
    .await?;
    let by_word: HashMap<(&str, &str), &Mark> = counts
        .keys()
        .map(|mark| ((mark.0.word(), mark.1.as_str()), mark))
        .collect();
    let known = ids
        .iter()
        .filter_map(|(id, kind, value)| Some(((*by_word.get(&(kind.as_str(), value.as_str()))?).clone(), *id)));
    Ok(known.collect())
}

/// JSON of plain rows of strings and numbers, which cannot fail.
pub(crate) fn json<T: Serialize>(rows: &T) -> String {
    serde_json::to_string(rows).unwrap_or_else(|_| "[]".to_owned())
}

/// All rows of a batch of traces.
#[derive(Default)]
pub(crate) struct Rows {
    traces: Vec<TraceValues>,
    steps: Vec<StepValues>,
    marks: Vec<MarkValues>,
    bodies: Vec<BodyValues>,
}

impl Rows {
    /// Adds a trace. `json` is its body, when that is to be kept; `None` counts as removed at once.
    pub(crate) fn add(
        &mut self,
        seq: i64,
        key: Key,
        trace: &Trace,
        json: Option<String>,
        names: &HashMap<Mark, i64>,
        hooks: &HashMap<HookKey, i64>,
    ) {
        let name = |kind: MarkKind, value: &str| names.get(&(kind, value.to_owned())).copied().unwrap_or(0);
        self.traces
            .push(TraceValues::of(seq, key, trace, json.is_some(), &name));
        for mark in marks(trace) {
            self.marks.push(MarkValues {
                name: name(mark.0, &mark.1),
                key,
                seq,
            });
        }
        for (n, step) in trace.steps.iter().enumerate() {
            let hook = hooks.get(&HookKey::of(trace, step)).copied().unwrap_or(0);
            self.steps.push(StepValues::of(seq, n, hook, step));
        }
        self.bodies.extend(json.map(|json| BodyValues { seq, json }));
    }

    /// Writes them.
    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        insert(connection, self.traces).await?;
        insert(connection, self.steps).await?;
        insert(connection, self.marks).await?;
        insert(connection, self.bodies).await
    }
}

struct TraceValues {
    seq: i64,
    key: Key,
    took_ms: f64,
    dialect: i64,
    event: i64,
    project: i64,
    origin: &'static str,
    session: Option<String>,
    agent: Option<String>,
    tool: Option<String>,
    verdict: Option<String>,
    notices: Option<String>,
    about: String,
    outcomes: String,
    reasons: Option<String>,
    reply_code: i32,
    redacted: bool,
    bodies_removed_days: Option<u32>,
}

impl TraceValues {
    fn of(seq: i64, key: Key, trace: &Trace, has_body: bool, name: &impl Fn(MarkKind, &str) -> i64) -> Self {
        let reasons = row(trace).reasons;
        Self {
            seq,
            key,
            took_ms: trace.took_ms,
            dialect: name(MarkKind::Dialect, &trace.dialect),
            event: name(MarkKind::Event, &trace.event),
            project: name(MarkKind::Project, trace.project.as_deref().unwrap_or_default()),
            origin: trace.origin.word(),
            session: trace.session.clone(),
            agent: trace.agent.clone(),
            tool: tool(trace).map(str::to_owned),
            verdict: (trace.verdict != Verdict::proceed()).then(|| json(&trace.verdict)),
            notices: (!trace.notices.is_empty()).then(|| json(&trace.notices)),
            about: about(trace),
            outcomes: letters(&trace.steps),
            reasons: reasons.iter().any(Option::is_some).then(|| json(&reasons)),
            reply_code: trace.reply.exit_code,
            redacted: trace.redacted,
            bodies_removed_days: if has_body {
                None
            } else {
                Some(trace.bodies_removed_days.unwrap_or(0))
            },
        }
    }
}

impl Row for TraceValues {
    const INTO: &'static str = "INSERT INTO traces (seq, id, at_ns, took_ms, dialect, event, project, origin, session, agent, \
         tool, verdict, notices, about, outcomes, reasons, reply_code, redacted, bodies_removed_days) VALUES";
    const COLUMNS: usize = 19;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.seq)?;
        to.add(self.key.1.to_vec())?;
        to.add(self.key.0)?;
        to.add(self.took_ms)?;
        to.add(self.dialect)?;
        to.add(self.event)?;
        to.add(self.project)?;
        to.add(self.origin)?;
        to.add(self.session)?;
        to.add(self.agent)?;
        to.add(self.tool)?;
        to.add(self.verdict)?;
        to.add(self.notices)?;
        to.add(self.about)?;
        to.add(self.outcomes)?;
        to.add(self.reasons)?;
        to.add(self.reply_code)?;
        to.add(self.redacted)?;
        to.add(self.bodies_removed_days)
    }
}

struct StepValues {
    seq: i64,
    n: i64,
    hook: i64,
    position: Option<u32>,
    outcome: u8,
    reason: Option<String>,
    took_us: i64,
    gates: i64,
    rest: Option<String>,
}

impl StepValues {
    fn of(seq: i64, n: usize, hook: i64, step: &Step) -> Self {
        Self {
            seq,
            n: i64::try_from(n).unwrap_or(i64::MAX),
            hook,
            position: step.position,
            outcome: code(step.outcome),
            reason: step.reason.clone(),
            took_us: i64::try_from(took_us(step)).unwrap_or(i64::MAX),
            gates: gate_count(&step.gates),
            rest: Rest::of(step).json(),
        }
    }
}

impl Row for StepValues {
    const INTO: &'static str =
        "INSERT INTO steps (seq, n, hook, position, outcome, reason, took_us, gates, rest) VALUES";
    const COLUMNS: usize = 9;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.seq)?;
        to.add(self.n)?;
        to.add(self.hook)?;
        to.add(self.position)?;
        to.add(self.outcome)?;
        to.add(self.reason)?;
        to.add(self.took_us)?;
        to.add(self.gates)?;
        to.add(self.rest)
    }
}

struct MarkValues {
    name: i64,
    key: Key,
    seq: i64,
}

impl Row for MarkValues {
    const INTO: &'static str = "INSERT INTO marks (name, at_ns, id, seq) VALUES";
    const COLUMNS: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.name)?;
        to.add(self.key.0)?;
        to.add(self.key.1.to_vec())?;
        to.add(self.seq)
    }
}

struct BodyValues {
    seq: i64,
    json: String,
}

impl Row for BodyValues {
    const INTO: &'static str = "INSERT INTO bodies (seq, json) VALUES";
    const COLUMNS: usize = 2;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.seq)?;
        to.add(self.json)
    }
}
