//! Converts database rows back into traces.

use hookwright_model::trace::{Reply, SourceRef, Step, Trace, TraceRow};
use hookwright_model::{Args, Catalog, Layer, Outcome, RunMode, Verdict, json_depth};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{FromRow, Row as _};
use std::sync::Arc;
use ulid::Ulid;

use crate::blocks::{BlockPart, read_block, trace_at};
use crate::insert::version_of;
use crate::projection::{RestoreStep, StepExtras, gates_from_count, outcomes_from_letters, run_order};
use crate::spool_reader::PageKey;
use crate::step_totals::outcome_from_code;

/// A [`StoredTrace`] of a table `traces t`, as one JSON array in the column `line`. SQLite writes it faster than every
/// column of every row is handed over by itself. Only several steps can be listed in another order than they ran in, and
/// reading the steps of 100 traces takes about a third of the time of their page.
pub(crate) const TRACE_LINE: &str = "json_array(t.seq, hex(t.id), t.at_ns, format('%!.17g', t.took_ms), \
    (SELECT value FROM tag_values WHERE id = t.dialect), (SELECT value FROM tag_values WHERE id = t.event), \
    (SELECT value FROM tag_values WHERE id = t.project), t.origin, t.session, t.agent, t.verdict, t.notices, t.about, \
    t.outcomes, CASE WHEN length(t.outcomes) > 1 THEN \
    (SELECT json_group_array(coalesce(s.rest ->> 'order', s.n + 1) ORDER BY s.n) FROM steps s WHERE s.seq = t.seq) || '' END, \
    t.reasons, t.reply_code, t.redacted, t.bodies_removed_days, t.block, t.\"offset\", t.length) AS line";

/// The array of [`TRACE_LINE`].
#[derive(Deserialize)]
struct TraceColumns<'a> {
    seq: i64,
    /// In hexadecimal.
    id: &'a str,
    at_ns: i64,
    /// A JSON number of SQLite has 15 digits, which is not every bit.
    took_ms: &'a str,
    dialect: String,
    event: String,
    project: Option<String>,
    origin: String,
    session: Option<String>,
    agent: Option<String>,
    /// JSON, like `notices`, `step_order` and `reasons`.
    verdict: Option<String>,
    notices: Option<String>,
    about: String,
    outcomes: String,
    step_order: Option<String>,
    reasons: Option<String>,
    reply_code: i32,
    redacted: u8,
    bodies_removed_days: Option<u32>,
    block: Option<i64>,
    offset: Option<i64>,
    length: Option<i64>,
}

/// A row of `traces`.
#[derive(Debug, Clone)]
pub(crate) struct StoredTrace {
    pub(crate) seq: i64,
    pub(crate) key: PageKey,
    pub(crate) row: TraceRow,
    reply_code: i32,
    pub(crate) bodies_removed_days: Option<u32>,
    pub(crate) body: Option<BlockPart>,
}

impl FromRow<'_, SqliteRow> for StoredTrace {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Self::from_line(row.try_get("line")?)
    }
}

impl StoredTrace {
    /// Reads a [`TRACE_LINE`].
    pub(crate) fn from_line(line: &str) -> Result<Self, sqlx::Error> {
        let columns: TraceColumns<'_> = serde_json::from_str(line).map_err(decode_error)?;
        let id = u128::from_str_radix(columns.id, 16).map_err(decode_error)?;
        let outcomes = outcomes_from_letters(&columns.outcomes);
        let reasons = parse_json(columns.reasons)?.unwrap_or_else(|| vec![None; outcomes.len()]);
        let part = columns.block.zip(columns.offset).zip(columns.length);
        Ok(Self {
            seq: columns.seq,
            key: (columns.at_ns, id.to_be_bytes()),
            row: TraceRow {
                trace: Ulid(id).to_string(),
                dialect: columns.dialect,
                event: columns.event,
                origin: parse_word(columns.origin)?,
                session: columns.session,
                agent: columns.agent,
                project: columns.project.filter(|path| !path.is_empty()),
                at: Timestamp::from_nanosecond(i128::from(columns.at_ns)).map_err(decode_error)?,
                took_ms: columns.took_ms.parse().map_err(decode_error)?,
                verdict: parse_json(columns.verdict)?.unwrap_or_else(Verdict::proceed),
                notices: parse_json(columns.notices)?.unwrap_or_default(),
                about: columns.about,
                redacted: columns.redacted != 0,
                order: run_order(parse_json(columns.step_order)?.unwrap_or_default()),
                outcomes,
                reasons,
            },
            reply_code: columns.reply_code,
            bodies_removed_days: columns.bodies_removed_days,
            body: part.map(|((block, offset), length)| BlockPart { block, offset, length }),
        })
    }

    /// The trace without its body.
    pub(crate) fn bodyless_trace(self, steps: Vec<Step>) -> Trace {
        let row = self.row;
        Trace {
            trace: row.trace,
            dialect: row.dialect,
            event: row.event,
            origin: row.origin,
            session: row.session,
            agent: row.agent,
            project: row.project,
            at: row.at,
            took_ms: row.took_ms,
            verdict: row.verdict,
            payload_before: Arc::default(),
            payload_after: Arc::default(),
            reply: Reply {
                json: Value::Null,
                exit_code: self.reply_code,
                stderr: String::new(),
            },
            notices: row.notices,
            steps,
            redacted: row.redacted,
            recorded: true,
            bodies_removed_days: self.bodies_removed_days,
        }
    }
}

/// A row of `steps` with its hook.
#[derive(Debug, Clone)]
pub(crate) struct StoredStep {
    /// `hooks.id`.
    pub(crate) hook_id: i64,
    /// The step without its body.
    pub(crate) step: Step,
    /// How many characters its edits added.
    pub(crate) chars: u64,
    /// How often its inserted text was removed.
    pub(crate) removals: u64,
}

impl FromRow<'_, SqliteRow> for StoredStep {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let extras: StepExtras = parse_json(row.try_get("rest")?)?.unwrap_or_default();
        let (chars, removals) = (extras.chars, extras.removals);
        let known: Option<Outcome> = outcome_from_code(row.try_get("outcome")?);
        let step = Step {
            hook: row.try_get("hook")?,
            label: row.try_get("label")?,
            position: row.try_get("position")?,
            // The position in the list. The extras contain another one if it differs.
            order: row.try_get::<u32, _>("n")?.saturating_add(1),
            source: SourceRef {
                layer: parse_word::<Layer>(row.try_get("layer")?)?,
                path: row.try_get("path")?,
                line: row.try_get("line")?,
            },
            handler: row.try_get("handler")?,
            version: version_of(row.try_get::<&str, _>("definition")?).to_owned(),
            uid: String::new(),
            agent_trust: None,
            mode: RunMode::Await,
            outcome: known.ok_or_else(|| decode_error("an outcome of no known number"))?,
            reason: row.try_get("reason")?,
            code: None,
            args: Args::new(),
            gates: gates_from_count(row.try_get("gates")?),
            edits: Vec::new(),
            ignored: Vec::new(),
            attempts: Vec::new(),
            removed: Vec::new(),
        };
        Ok(Self {
            hook_id: row.try_get("hook_id")?,
            step: step.with_extras(extras),
            chars,
            removals,
        })
    }
}

/// The steps of a trace, in order, without their bodies.
pub(crate) async fn read_steps(connection: &mut SqliteConnection, seq: i64) -> Result<Vec<StoredStep>, sqlx::Error> {
    sqlx::query_as(
        "SELECT h.id AS hook_id, h.hook, h.label, h.layer, h.path, h.line, h.handler, h.definition, s.n, s.position, s.outcome, s.reason, s.gates, s.rest \
         FROM steps s JOIN hooks h ON h.id = s.hook WHERE s.seq = ? ORDER BY s.n",
    )
    .bind(seq)
    .fetch_all(connection)
    .await
}

/// A trace as it was recorded, or without its body if that was removed.
pub(crate) async fn full_trace(
    connection: &mut SqliteConnection,
    stored: StoredTrace,
    catalog: &Catalog,
) -> Result<Trace, sqlx::Error> {
    if let Some(part) = stored.body {
        let data = read_block(connection, part.block).await?;
        if let Some(trace) = data.and_then(|data| trace_at(&data, part, catalog)) {
            return Ok(trace);
        }
    } else if let Some(json) = read_old_body(connection, stored.seq).await? {
        return json_depth::read(&json).map_err(decode_error);
    }
    let steps = read_steps(connection, stored.seq).await?;
    let mut bare = stored.bodyless_trace(steps.into_iter().map(|stored| stored.step).collect());
    // Also where the body should exist and cannot be read: a reader must not take it for an empty one.
    bare.bodies_removed_days.get_or_insert(0);
    Ok(bare)
}

/// The body of a trace that was imported with schema 2: the whole document.
pub(crate) async fn read_old_body(connection: &mut SqliteConnection, seq: i64) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT json FROM bodies WHERE seq = ?")
        .bind(seq)
        .fetch_optional(connection)
        .await
}

/// The 16 bytes of an id.
pub(crate) fn id_from_bytes(bytes: Vec<u8>) -> Result<[u8; 16], sqlx::Error> {
    bytes
        .try_into()
        .map_err(|_| decode_error("an id that is not 16 bytes long"))
}

fn parse_json<T: DeserializeOwned>(json: Option<String>) -> Result<Option<T>, sqlx::Error> {
    json.map(|json| json_depth::read(&json))
        .transpose()
        .map_err(decode_error)
}

fn parse_word<T: DeserializeOwned>(word: String) -> Result<T, sqlx::Error> {
    serde_json::from_value(Value::String(word)).map_err(decode_error)
}

fn decode_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}
