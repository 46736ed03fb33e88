//! Converts database rows back into traces.

use hookwright_model::trace::{Reply, SourceRef, Step, Trace, TraceRow};
use hookwright_model::{Args, Catalog, Layer, Outcome, RunMode, Verdict, json_depth};
use jiff::Timestamp;
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

/// The columns of [`StoredTrace`], for a table `traces t`. Only several steps can be listed in another order than they
/// ran in, and reading the steps of 100 traces takes about a third of the time of their page.
pub(crate) const TRACE_COLUMNS: &str = "t.seq, t.id, t.at_ns, t.took_ms, \
    (SELECT value FROM tag_values WHERE id = t.dialect) AS dialect, (SELECT value FROM tag_values WHERE id = t.event) AS event, \
    (SELECT value FROM tag_values WHERE id = t.project) AS project, t.origin, t.session, t.agent, t.verdict, t.notices, t.about, \
    t.outcomes, CASE WHEN length(t.outcomes) > 1 THEN \
    (SELECT json_group_array(coalesce(s.rest ->> 'order', s.n + 1) ORDER BY s.n) FROM steps s WHERE s.seq = t.seq) END AS step_order, \
    t.reasons, t.reply_code, t.redacted, t.bodies_removed_days, t.block, t.\"offset\", t.length";

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
        let key = (row.try_get("at_ns")?, id_from_bytes(row.try_get("id")?)?);
        let letters: String = row.try_get("outcomes")?;
        let outcomes = outcomes_from_letters(&letters);
        let reasons = parse_json(row.try_get("reasons")?)?.unwrap_or_else(|| vec![None; outcomes.len()]);
        let project: Option<String> = row.try_get("project")?;
        Ok(Self {
            seq: row.try_get("seq")?,
            key,
            row: TraceRow {
                trace: Ulid::from_bytes(key.1).to_string(),
                dialect: row.try_get("dialect")?,
                event: row.try_get("event")?,
                origin: parse_word(row.try_get("origin")?)?,
                session: row.try_get("session")?,
                agent: row.try_get("agent")?,
                project: project.filter(|path| !path.is_empty()),
                at: Timestamp::from_nanosecond(i128::from(key.0)).map_err(decode_error)?,
                took_ms: row.try_get("took_ms")?,
                verdict: parse_json(row.try_get("verdict")?)?.unwrap_or_else(Verdict::proceed),
                notices: parse_json(row.try_get("notices")?)?.unwrap_or_default(),
                about: row.try_get("about")?,
                redacted: row.try_get("redacted")?,
                order: run_order(parse_json(row.try_get("step_order")?)?.unwrap_or_default()),
                outcomes,
                reasons,
            },
            reply_code: row.try_get("reply_code")?,
            bodies_removed_days: row.try_get("bodies_removed_days")?,
            body: body_from_row(row)?,
        })
    }
}

impl StoredTrace {
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

fn body_from_row(row: &SqliteRow) -> Result<Option<BlockPart>, sqlx::Error> {
    let block: Option<i64> = row.try_get("block")?;
    block
        .map(|block| {
            Ok(BlockPart {
                block,
                offset: row.try_get("offset")?,
                length: row.try_get("length")?,
            })
        })
        .transpose()
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
