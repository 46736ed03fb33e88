//! Inserts many rows with one statement. One awaited statement per row would be six times slower.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use hookwright_model::trace::{Step, Trace};
use hookwright_model::{Layer, Verdict};
use serde::Serialize;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, FromRow, Row as _};

use crate::blocks::BlockPart;
use crate::projection::{StepExtras, Tag, TagKind, gate_count, is_walked, outcome_letters, skip_reason};
use crate::spool_reader::PageKey;
use crate::step_totals::{outcome_code, took_us};
use crate::summary::{summarize, tool_name};

/// At most this many values in one statement.
const MAX_VALUES: usize = 1024;

/// A row that can be bound to a statement.
pub(crate) trait BindRow {
    /// `INSERT OR FAIL INTO …`. If one row fails, the whole transaction is rolled back. So SQLite need not prepare to
    /// undo the statement alone.
    const INTO: &'static str;
    /// The number of columns. The first one is never NULL.
    const COLUMN_COUNT: usize;

    /// Adds the row's values.
    fn bind(self, arguments: &mut SqliteArguments) -> Result<(), BoxDynError>;
}

/// Inserts rows.
///
/// Each statement costs a round trip to the connection's thread, so there are as few as possible. Statements have a
/// power of two of rows, so that the driver's cache of prepared statements stays small. Missing rows have values that
/// are not bound; these are NULL.
pub(crate) async fn insert_rows<R: BindRow>(
    connection: &mut SqliteConnection,
    rows: Vec<R>,
) -> Result<(), sqlx::Error> {
    let tuple = format!("({})", vec!["?"; R::COLUMN_COUNT].join(", "));
    let max_rows = 1 << (MAX_VALUES / R::COLUMN_COUNT).ilog2();
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let size = rows.len().next_power_of_two().min(max_rows);
        let mut arguments = SqliteArguments::default();
        for row in rows.by_ref().take(size) {
            row.bind(&mut arguments).map_err(sqlx::Error::Encode)?;
        }
        // The statement is made of constants only.
        let tuples = vec![tuple.as_str(); size].join(", ");
        let sql = format!("{} SELECT * FROM (VALUES {tuples}) WHERE column1 IS NOT NULL", R::INTO);
        sqlx::query_with(AssertSqlSafe(sql), arguments)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// What identifies a hook's definition at its location: the columns of `hooks` without `id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub(crate) struct HookIdentity<'a> {
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

impl<'a> HookIdentity<'a> {
    /// The identities of the steps of a trace, in order.
    pub(crate) fn for_steps(trace: &'a Trace) -> impl Iterator<Item = Self> {
        trace.steps.iter().map(|step| Self::for_step(trace, step))
    }

    /// The identity of a step in a trace. Hooks in user files belong to no project.
    pub(crate) fn for_step(trace: &'a Trace, step: &'a Step) -> Self {
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

/// Distinguishes the definitions of one hook id. It is the step's version. Traces from before versions existed contain
/// only how and what a hook runs; a version never contains a `:`.
fn definition(step: &Step) -> Cow<'_, str> {
    if step.version.is_empty() {
        Cow::Owned(format!("{}:{}", step.handler, step.label))
    } else {
        Cow::Borrowed(&step.version)
    }
}

/// The version in a [`definition`]; empty if there was none.
pub(crate) fn version_of(definition: &str) -> &str {
    if definition.contains(':') { "" } else { definition }
}

/// A row of `hooks`.
pub(crate) struct StoredHook {
    pub(crate) id: i64,
    pub(crate) key: HookIdentity<'static>,
    /// The newest time of a trace with the hook, at most [`USED_PRECISION_NS`] too early.
    used_ns: i64,
}

/// How exact `hooks.used_ns` is, in nanoseconds. So it is rarely written.
pub(crate) const USED_PRECISION_NS: i64 = 3_600_000_000_000;

impl FromRow<'_, SqliteRow> for StoredHook {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let text = |column: &str| row.try_get::<String, _>(column).map(Cow::Owned);
        let key = HookIdentity {
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
            used_ns: row.try_get("used_ns")?,
        })
    }
}

/// The ids of these hooks, each given with the newest time of a trace with it. New hooks are inserted. Usually all are
/// known, and nothing is written.
pub(crate) async fn hook_ids<'a>(
    connection: &mut SqliteConnection,
    keys: &BTreeMap<HookIdentity<'a>, i64>,
) -> Result<HashMap<HookIdentity<'a>, i64>, sqlx::Error> {
    let mut found = find_hooks(connection, &keys.keys().collect::<Vec<_>>()).await?;
    let known: BTreeSet<&HookIdentity<'_>> = found.iter().map(|hook| &hook.key).collect();
    let new: Vec<&HookIdentity<'_>> = keys.keys().filter(|key| !known.contains(key)).collect();
    if !new.is_empty() {
        let rows: Vec<StoredHook> = sqlx::query_as(
            "INSERT INTO hooks (project, hook, definition, dialect, event, label, handler, layer, path, line) \
             SELECT value ->> 'project', value ->> 'hook', value ->> 'definition', value ->> 'dialect', value ->> 'event', \
                    value ->> 'label', value ->> 'handler', value ->> 'layer', value ->> 'path', value ->> 'line' \
             FROM json_each(?) WHERE true \
             RETURNING id, project, hook, definition, dialect, event, label, handler, layer, path, line, used_ns",
        )
        .bind(to_json(&new))
        .fetch_all(&mut *connection)
        .await?;
        found.extend(rows);
    }
    let (mut ids, mut used) = (HashMap::new(), Vec::new());
    for StoredHook { id, key, used_ns } in found {
        if let Some((key, newest)) = keys.get_key_value(&key) {
            ids.insert(key.clone(), id);
            if newest.saturating_sub(USED_PRECISION_NS) >= used_ns {
                used.push((id, newest));
            }
        }
    }
    if !used.is_empty() {
        sqlx::query("UPDATE hooks SET used_ns = j.value ->> 1 FROM json_each(?) j WHERE hooks.id = j.value ->> 0")
            .bind(to_json(&used))
            .execute(connection)
            .await?;
    }
    Ok(ids)
}

async fn find_hooks(
    connection: &mut SqliteConnection,
    keys: &[&HookIdentity<'_>],
) -> Result<Vec<StoredHook>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    // The conditions are in the order of the index, which begins with `hook` and `project`.
    sqlx::query_as(
        "SELECT h.id, h.project, h.hook, h.definition, h.dialect, h.event, h.label, h.handler, h.layer, h.path, h.line, h.used_ns \
         FROM json_each(?) j CROSS JOIN hooks h ON h.hook = j.value ->> 'hook' AND h.project = j.value ->> 'project' \
              AND h.definition = j.value ->> 'definition' AND h.event = j.value ->> 'event'",
    )
    .bind(to_json(&keys))
    .fetch_all(connection)
    .await
}

/// Adds to the number of traces of each tag, and returns the ids of the tags.
pub(crate) async fn add_tag_counts<'a>(
    connection: &mut SqliteConnection,
    counts: &BTreeMap<Tag<'a>, i64>,
) -> Result<HashMap<Tag<'a>, i64>, sqlx::Error> {
    let rows: Vec<(&str, &str, i64)> = counts
        .iter()
        .map(|((kind, value), n)| (kind.as_str(), *value, *n))
        .collect();
    let ids: Vec<(i64, String, String)> = sqlx::query_as(
        "INSERT INTO tag_values (kind, value, traces) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (kind, value) DO UPDATE SET traces = traces + excluded.traces RETURNING id, kind, value",
    )
    .bind(to_json(&rows))
    .fetch_all(connection)
    .await?;
    let ids_by_tag: HashMap<(&str, &str), i64> = ids
        .iter()
        .map(|(id, kind, value)| ((kind.as_str(), value.as_str()), *id))
        .collect();
    let id = |tag: &Tag<'a>| Some((*tag, *ids_by_tag.get(&(tag.0.as_str(), tag.1))?));
    Ok(counts.keys().filter_map(id).collect())
}

/// JSON of plain rows of strings and numbers, which cannot fail.
pub(crate) fn to_json<T: Serialize + ?Sized>(rows: &T) -> String {
    serde_json::to_string(rows).unwrap_or_else(|_| "[]".to_owned())
}

/// A trace that is about to be written.
pub(crate) struct NewTrace<'a> {
    pub(crate) seq: i64,
    pub(crate) key: PageKey,
    pub(crate) trace: &'a Trace,
    /// Where the body is. With `None`, the body counts as removed from the beginning.
    pub(crate) body: Option<BlockPart>,
    /// What the trace can be found by.
    pub(crate) tags: &'a [Tag<'a>],
    /// `hooks.id` of its steps, in order.
    pub(crate) step_hook_ids: &'a [i64],
}

/// All rows of a batch of traces.
#[derive(Default)]
pub(crate) struct BatchRows {
    traces: Vec<TraceValues>,
    steps: Vec<StepValues>,
    tags: Vec<TraceTagValues>,
}

impl BatchRows {
    pub(crate) fn add(&mut self, new_trace: NewTrace<'_>, tag_ids: &HashMap<Tag<'_>, i64>) {
        let NewTrace { seq, key, .. } = new_trace;
        let tag_id = |tag: &Tag<'_>| tag_ids.get(tag).copied().unwrap_or(0);
        let tag_id_of = |kind: TagKind| new_trace.tags.iter().find(|tag| tag.0 == kind).map_or(0, tag_id);
        self.traces.push(TraceValues::new(&new_trace, &tag_id_of));
        let rare = new_trace.tags.iter().filter(|tag| is_walked(tag));
        self.tags.extend(rare.map(|tag| TraceTagValues {
            tag_id: tag_id(tag),
            key,
            seq,
        }));
        let steps = new_trace.trace.steps.iter().zip(new_trace.step_hook_ids).enumerate();
        self.steps
            .extend(steps.map(|(n, (step, hook))| StepValues::new(seq, n, *hook, step)));
    }

    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        insert_rows(connection, self.traces).await?;
        insert_rows(connection, self.steps).await?;
        insert_rows(connection, self.tags).await
    }
}

struct TraceValues {
    seq: i64,
    key: PageKey,
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
    body: Option<BlockPart>,
}

impl TraceValues {
    fn new(new_trace: &NewTrace<'_>, tag_id: &impl Fn(TagKind) -> i64) -> Self {
        let trace = new_trace.trace;
        let reasons: Vec<Option<&str>> = trace.steps.iter().map(skip_reason).collect();
        Self {
            seq: new_trace.seq,
            key: new_trace.key,
            took_ms: trace.took_ms,
            dialect: tag_id(TagKind::Dialect),
            event: tag_id(TagKind::Event),
            project: tag_id(TagKind::Project),
            origin: trace.origin.as_str(),
            session: trace.session.clone(),
            agent: trace.agent.clone(),
            tool: tool_name(trace).map(str::to_owned),
            verdict: (trace.verdict != Verdict::proceed()).then(|| to_json(&trace.verdict)),
            notices: (!trace.notices.is_empty()).then(|| to_json(&trace.notices)),
            about: summarize(trace),
            outcomes: outcome_letters(&trace.steps),
            reasons: reasons.iter().any(Option::is_some).then(|| to_json(&reasons)),
            reply_code: trace.reply.exit_code,
            redacted: trace.redacted,
            bodies_removed_days: if new_trace.body.is_some() {
                None
            } else {
                Some(trace.bodies_removed_days.unwrap_or(0))
            },
            body: new_trace.body,
        }
    }
}

impl BindRow for TraceValues {
    const INTO: &'static str = "INSERT OR FAIL INTO traces (seq, id, at_ns, took_ms, dialect, event, project, origin, session, agent, \
         tool, verdict, notices, about, outcomes, reasons, reply_code, redacted, bodies_removed_days, block, \"offset\", length)";
    const COLUMN_COUNT: usize = 22;

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
        to.add(self.bodies_removed_days)?;
        to.add(self.body.map(|body| body.block))?;
        to.add(self.body.map(|body| body.offset))?;
        to.add(self.body.map(|body| body.length))
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
    fn new(seq: i64, n: usize, hook: i64, step: &Step) -> Self {
        let mut extras = StepExtras::from_step(step);
        extras.order = extras.order.filter(|order| usize::try_from(*order) != Ok(n + 1));
        Self {
            seq,
            n: i64::try_from(n).unwrap_or(i64::MAX),
            hook,
            position: step.position,
            outcome: outcome_code(step.outcome),
            reason: step.reason.clone(),
            took_us: i64::try_from(took_us(&step.attempts)).unwrap_or(i64::MAX),
            gates: gate_count(&step.gates),
            rest: extras.to_json(),
        }
    }
}

impl BindRow for StepValues {
    const INTO: &'static str =
        "INSERT OR FAIL INTO steps (seq, n, hook, position, outcome, reason, took_us, gates, rest)";
    const COLUMN_COUNT: usize = 9;

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

struct TraceTagValues {
    tag_id: i64,
    key: PageKey,
    seq: i64,
}

impl BindRow for TraceTagValues {
    const INTO: &'static str = "INSERT OR FAIL INTO trace_tags (name, at_ns, id, seq)";
    const COLUMN_COUNT: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.tag_id)?;
        to.add(self.key.0)?;
        to.add(self.key.1.to_vec())?;
        to.add(self.seq)
    }
}
