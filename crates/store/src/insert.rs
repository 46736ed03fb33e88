//! Rows into tables, many at a time: one awaited statement a row would be six times slower.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use hookwright_model::trace::{Step, Trace};
use hookwright_model::{Layer, Verdict};
use serde::Serialize;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, FromRow, Row as _};

use crate::about::{about, tool};
use crate::digest::{Mark, MarkKind, Rest, gate_count, letters, skip_word};
use crate::tally::{code, took_us};
use crate::unread::Key;

/// A statement takes so many values at most.
const VALUES: usize = 1024;

/// A row that can be bound.
pub(crate) trait Row {
    /// `INSERT OR FAIL INTO …`: when one row fails the whole transaction is taken back, so that SQLite need not be ready
    /// to take back the statement alone.
    const INTO: &'static str;
    /// Its columns. The first one is never NULL.
    const COLUMNS: usize;

    /// Adds its values.
    fn bind(self, arguments: &mut SqliteArguments) -> Result<(), BoxDynError>;
}

/// Inserts rows.
///
/// Each statement costs a way to the connection's thread and back, so there are as few as can be; and statements are made
/// for powers of two, so that the driver's cache of prepared ones stays small and warm. Rows that are not there are
/// values that are not bound, which is NULL.
pub(crate) async fn insert<R: Row>(connection: &mut SqliteConnection, rows: Vec<R>) -> Result<(), sqlx::Error> {
    let tuple = format!("({})", vec!["?"; R::COLUMNS].join(", "));
    let most = 1 << (VALUES / R::COLUMNS).ilog2();
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let size = rows.len().next_power_of_two().min(most);
        let mut arguments = SqliteArguments::default();
        for row in rows.by_ref().take(size) {
            row.bind(&mut arguments).map_err(sqlx::Error::Encode)?;
        }
        // Made of constants only.
        let tuples = vec![tuple.as_str(); size].join(", ");
        let sql = format!("{} SELECT * FROM (VALUES {tuples}) WHERE column1 IS NOT NULL", R::INTO);
        sqlx::query_with(AssertSqlSafe(sql), arguments)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// What names a hook's definition in its place: the columns of `hooks`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub(crate) struct HookKey<'a> {
    pub(crate) project: Cow<'a, str>,
    pub(crate) hook: Cow<'a, str>,
    pub(crate) definition: Cow<'a, str>,
    pub(crate) dialect: Cow<'a, str>,
    pub(crate) event: Cow<'a, str>,
    pub(crate) label: Cow<'a, str>,
    pub(crate) handler: Cow<'a, str>,
    pub(crate) layer: Cow<'a, str>,
    pub(crate) path: Cow<'a, str>,
    pub(crate) line: u32,
}

impl<'a> HookKey<'a> {
    /// Of the steps of a trace, in order.
    pub(crate) fn all(trace: &'a Trace) -> impl Iterator<Item = Self> {
        trace.steps.iter().map(|step| Self::of(trace, step))
    }

    /// Of a step in a trace. A person's own files belong to no project.
    pub(crate) fn of(trace: &'a Trace, step: &'a Step) -> Self {
        let project = match step.source.layer {
            Layer::Builtin | Layer::User => "",
            Layer::Project | Layer::Session | Layer::Skill => trace.project.as_deref().unwrap_or_default(),
        };
        Self {
            project: project.into(),
            hook: step.hook.as_str().into(),
            definition: definition(step),
            dialect: trace.dialect.as_str().into(),
            event: trace.event.as_str().into(),
            label: step.label.as_str().into(),
            handler: step.handler.as_str().into(),
            layer: step.source.layer.as_str().into(),
            path: step.source.path.as_str().into(),
            line: step.source.line,
        }
    }
}

/// What tells one definition under an id from another. Traces of before there were versions show no more of it than how
/// and what it runs; a version never looks like that.
fn definition(step: &Step) -> Cow<'_, str> {
    if step.version.is_empty() {
        Cow::Owned(format!("{}:{}", step.handler, step.label))
    } else {
        Cow::Borrowed(&step.version)
    }
}

/// The version behind [`definition`]; empty when there was none.
pub(crate) fn version(definition: &str) -> &str {
    if definition.contains(':') { "" } else { definition }
}

/// A row of `hooks`.
pub(crate) struct NumberedHook {
    pub(crate) id: i64,
    pub(crate) key: HookKey<'static>,
}

impl FromRow<'_, SqliteRow> for NumberedHook {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let text = |column: &str| row.try_get::<String, _>(column).map(Cow::Owned);
        let key = HookKey {
            project: text("project")?,
            hook: text("hook")?,
            definition: text("definition")?,
            dialect: text("dialect")?,
            event: text("event")?,
            label: text("label")?,
            handler: text("handler")?,
            layer: text("layer")?,
            path: text("path")?,
            line: row.try_get("line")?,
        };
        Ok(Self {
            id: row.try_get("id")?,
            key,
        })
    }
}

/// Numbers of the hooks, those that are new made. Nothing is written where all are known, as nearly always.
pub(crate) async fn hook_ids(
    connection: &mut SqliteConnection,
    keys: &BTreeSet<HookKey<'_>>,
) -> Result<HashMap<HookKey<'static>, i64>, sqlx::Error> {
    let mut ids = numbered_hooks(connection, keys).await?;
    let new: Vec<&HookKey<'_>> = keys.iter().filter(|key| !ids.contains_key(*key)).collect();
    if new.is_empty() {
        return Ok(ids);
    }
    let rows: Vec<NumberedHook> = sqlx::query_as(
        "INSERT INTO hooks (project, hook, definition, dialect, event, label, handler, layer, path, line) \
         SELECT value ->> 'project', value ->> 'hook', value ->> 'definition', value ->> 'dialect', value ->> 'event', \
                value ->> 'label', value ->> 'handler', value ->> 'layer', value ->> 'path', value ->> 'line' \
         FROM json_each(?) WHERE true \
         RETURNING id, project, hook, definition, dialect, event, label, handler, layer, path, line",
    )
    .bind(json(&new))
    .fetch_all(connection)
    .await?;
    ids.extend(rows.into_iter().map(|NumberedHook { id, key }| (key, id)));
    Ok(ids)
}

async fn numbered_hooks(
    connection: &mut SqliteConnection,
    keys: &BTreeSet<HookKey<'_>>,
) -> Result<HashMap<HookKey<'static>, i64>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    // In the order of the index, which begins with hook and project.
    let rows: Vec<NumberedHook> = sqlx::query_as(
        "SELECT h.id, h.project, h.hook, h.definition, h.dialect, h.event, h.label, h.handler, h.layer, h.path, h.line \
         FROM json_each(?) j CROSS JOIN hooks h ON h.hook = j.value ->> 'hook' AND h.project = j.value ->> 'project' \
              AND h.definition = j.value ->> 'definition' AND h.event = j.value ->> 'event'",
    )
    .bind(json(keys))
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|NumberedHook { id, key }| (key, id)).collect())
}

/// Numbers of the marks, with so many more traces for each.
pub(crate) async fn name_ids<'a>(
    connection: &mut SqliteConnection,
    counts: &BTreeMap<Mark<'a>, i64>,
) -> Result<HashMap<Mark<'a>, i64>, sqlx::Error> {
    let rows: Vec<(&str, &str, i64)> = counts
        .iter()
        .map(|((kind, value), n)| (kind.word(), *value, *n))
        .collect();
    let ids: Vec<(i64, String, String)> = sqlx::query_as(
        "INSERT INTO names (kind, value, traces) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (kind, value) DO UPDATE SET traces = traces + excluded.traces RETURNING id, kind, value",
    )
    .bind(json(&rows))
    .fetch_all(connection)
    .await?;
    let by_word: HashMap<(&str, &str), i64> = ids
        .iter()
        .map(|(id, kind, value)| ((kind.as_str(), value.as_str()), *id))
        .collect();
    let id = |mark: &Mark<'a>| Some((*mark, *by_word.get(&(mark.0.word(), mark.1))?));
    Ok(counts.keys().filter_map(id).collect())
}

/// JSON of plain rows of strings and numbers, which cannot fail.
pub(crate) fn json<T: Serialize>(rows: &T) -> String {
    serde_json::to_string(rows).unwrap_or_else(|_| "[]".to_owned())
}

/// A trace about to be written.
pub(crate) struct Entry<'a> {
    pub(crate) seq: i64,
    pub(crate) key: Key,
    pub(crate) trace: &'a Trace,
    /// Its body, when that is to be kept; `None` counts as removed at once.
    pub(crate) json: Option<String>,
    /// What it can be found by.
    pub(crate) marks: &'a [Mark<'a>],
    /// The hooks of its steps, in order.
    pub(crate) owners: &'a [i64],
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
    /// Adds a trace.
    pub(crate) fn add(&mut self, entry: Entry<'_>, names: &HashMap<Mark<'_>, i64>) {
        let Entry { seq, key, .. } = entry;
        let name = |mark: &Mark<'_>| names.get(mark).copied().unwrap_or(0);
        let of = |kind: MarkKind| entry.marks.iter().find(|mark| mark.0 == kind).map_or(0, name);
        self.traces.push(TraceValues::of(&entry, &of));
        self.marks.extend(entry.marks.iter().map(|mark| MarkValues {
            name: name(mark),
            key,
            seq,
        }));
        let steps = entry.trace.steps.iter().zip(entry.owners).enumerate();
        self.steps
            .extend(steps.map(|(n, (step, hook))| StepValues::of(seq, n, *hook, step)));
        self.bodies.extend(entry.json.map(|json| BodyValues { seq, json }));
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
    fn of(entry: &Entry<'_>, name: &impl Fn(MarkKind) -> i64) -> Self {
        let trace = entry.trace;
        let reasons: Vec<Option<&str>> = trace.steps.iter().map(skip_word).collect();
        Self {
            seq: entry.seq,
            key: entry.key,
            took_ms: trace.took_ms,
            dialect: name(MarkKind::Dialect),
            event: name(MarkKind::Event),
            project: name(MarkKind::Project),
            origin: trace.origin.as_str(),
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
            bodies_removed_days: if entry.json.is_some() {
                None
            } else {
                Some(trace.bodies_removed_days.unwrap_or(0))
            },
        }
    }
}

impl Row for TraceValues {
    const INTO: &'static str = "INSERT OR FAIL INTO traces (seq, id, at_ns, took_ms, dialect, event, project, origin, session, agent, \
         tool, verdict, notices, about, outcomes, reasons, reply_code, redacted, bodies_removed_days)";
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
        let mut rest = Rest::of(step);
        rest.order = rest.order.filter(|order| usize::try_from(*order) != Ok(n + 1));
        Self {
            seq,
            n: i64::try_from(n).unwrap_or(i64::MAX),
            hook,
            position: step.position,
            outcome: code(step.outcome),
            reason: step.reason.clone(),
            took_us: i64::try_from(took_us(step)).unwrap_or(i64::MAX),
            gates: gate_count(&step.gates),
            rest: rest.json(),
        }
    }
}

impl Row for StepValues {
    const INTO: &'static str =
        "INSERT OR FAIL INTO steps (seq, n, hook, position, outcome, reason, took_us, gates, rest)";
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
    const INTO: &'static str = "INSERT OR FAIL INTO marks (name, at_ns, id, seq)";
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
    const INTO: &'static str = "INSERT OR FAIL INTO bodies (seq, json)";
    const COLUMNS: usize = 2;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.seq)?;
        to.add(self.json)
    }
}
