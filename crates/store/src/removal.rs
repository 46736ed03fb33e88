//! Removes traces with everything that belongs to them except metrics.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::{SqliteConnection, SqlitePool};

use crate::blocks::MAX_SEQ_SPAN;
use crate::dedup::hex;
use crate::insert::to_json;
use crate::projection::outcomes_from_letters;
use crate::retention::BATCH_ROWS;
use crate::transaction::Transaction;

/// The oldest traces before a time (`?1`), at most `?2` of them.
///
/// Only a wrong clock gives a time before 1970. Such a trace counts as old as the traces that were imported after it,
/// so it is removed after they are. To free space (`?1` is the maximum), it is removed first, by its time like any
/// other.
const OLDEST_SQL: &str = "t.at_ns < ?1 AND (t.at_ns >= 0 OR ?1 = 9223372036854775807 \
    OR (SELECT n.seq FROM traces n WHERE n.seq > t.seq AND n.at_ns >= ?1 ORDER BY n.seq LIMIT 1) > t.seq + 512) \
    ORDER BY t.at_ns, t.id LIMIT ?2";

/// Removes the oldest traces before a time, with everything that belongs to them except metrics.
pub(crate) async fn remove_traces(writer: &SqlitePool, before: i64) -> Result<u64, sqlx::Error> {
    let mut transaction = Transaction::begin_write(writer).await?;
    let result = delete_traces(&mut transaction, before).await;
    transaction.finish(result).await
}

/// A trace that is removed, with what its tags are made of.
#[derive(sqlx::FromRow)]
struct RemovedTrace {
    seq: i64,
    at_ns: i64,
    id: Vec<u8>,
    dialect: i64,
    event: i64,
    project: i64,
    verdict: String,
    outcomes: String,
    block: Option<i64>,
}

async fn delete_traces(connection: &mut SqliteConnection, before: i64) -> Result<u64, sqlx::Error> {
    let sql = format!(
        "SELECT seq, at_ns, id, dialect, event, project, coalesce(verdict ->> '$.kind', 'proceed') AS verdict, outcomes, block \
         FROM traces t WHERE {OLDEST_SQL}"
    );
    let rows: Vec<RemovedTrace> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(before)
        .bind(BATCH_ROWS)
        .fetch_all(&mut *connection)
        .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let seqs = to_json(&rows.iter().map(|row| row.seq).collect::<Vec<_>>());
    // The hooks of the steps are needed for the tags, so the tags go first.
    remove_tags(connection, &rows, &seqs).await?;
    for sql in [
        "DELETE FROM bodies WHERE seq IN (SELECT value FROM json_each(?))",
        "DELETE FROM steps WHERE seq IN (SELECT value FROM json_each(?))",
        "DELETE FROM search WHERE rowid IN (SELECT value FROM json_each(?))",
        "DELETE FROM traces WHERE seq IN (SELECT value FROM json_each(?))",
    ] {
        sqlx::query(sql).bind(&seqs).execute(&mut *connection).await?;
    }
    remove_empty_blocks(connection, &rows).await?;
    Ok(rows.len() as u64)
}

/// Removes the blocks of these traces that no trace refers to any more.
async fn remove_empty_blocks(connection: &mut SqliteConnection, rows: &[RemovedTrace]) -> Result<(), sqlx::Error> {
    let blocks: BTreeSet<i64> = rows.iter().filter_map(|row| row.block).collect();
    if blocks.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "DELETE FROM blocks WHERE id IN (SELECT value FROM json_each(?1)) AND NOT EXISTS \
         (SELECT 1 FROM traces t WHERE t.seq BETWEEN blocks.id AND blocks.id + ?2 AND t.block = blocks.id)",
    )
    .bind(to_json(&blocks))
    .bind(MAX_SEQ_SPAN)
    .execute(connection)
    .await
    .map(drop)
}

/// Removes the tags of these traces, and counts them less.
async fn remove_tags(connection: &mut SqliteConnection, rows: &[RemovedTrace], seqs: &str) -> Result<(), sqlx::Error> {
    let words: Vec<(i64, String, String)> =
        sqlx::query_as("SELECT id, kind, value FROM tag_values WHERE kind IN ('verdict', 'outcome')")
            .fetch_all(&mut *connection)
            .await?;
    let ids: HashMap<(&str, &str), i64> = words
        .iter()
        .map(|(id, kind, value)| ((&**kind, &**value), *id))
        .collect();
    let hooks: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT DISTINCT s.seq, n.id FROM steps s JOIN hooks h ON h.id = s.hook \
         JOIN tag_values n ON n.kind = 'hook' AND n.value = h.hook WHERE s.seq IN (SELECT value FROM json_each(?))",
    )
    .bind(seqs)
    .fetch_all(&mut *connection)
    .await?;
    let mut tags: BTreeSet<(i64, i64)> = hooks.into_iter().map(|(seq, tag)| (tag, seq)).collect();
    for row in rows {
        tags.extend([row.dialect, row.event, row.project].map(|tag| (tag, row.seq)));
        tags.extend(ids.get(&("verdict", &*row.verdict)).map(|tag| (*tag, row.seq)));
        let outcomes = outcomes_from_letters(&row.outcomes);
        let outcomes = outcomes
            .iter()
            .filter_map(|outcome| ids.get(&("outcome", outcome.as_str())));
        tags.extend(outcomes.map(|tag| (*tag, row.seq)));
    }
    let mut less: BTreeMap<i64, i64> = BTreeMap::new();
    for (tag, _) in &tags {
        *less.entry(*tag).or_default() += 1;
    }
    let keys: HashMap<i64, (i64, String)> = rows.iter().map(|row| (row.seq, (row.at_ns, hex(&row.id)))).collect();
    let keys: Vec<(i64, &(i64, String))> = tags
        .iter()
        .filter_map(|(tag, seq)| Some((*tag, keys.get(seq)?)))
        .collect();
    // Not every tag has rows; of schema 2, all have.
    sqlx::query(
        "DELETE FROM trace_tags WHERE (name, at_ns, id) IN \
         (SELECT value ->> 0, value ->> '$[1][0]', unhex(value ->> '$[1][1]') FROM json_each(?))",
    )
    .bind(to_json(&keys))
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "UPDATE tag_values SET traces = max(traces - (j.value ->> 1), 0) FROM json_each(?) j WHERE tag_values.id = j.value ->> 0",
    )
    .bind(to_json(&less.into_iter().collect::<Vec<_>>()))
    .execute(&mut *connection)
    .await?;
    // A project's row remains, because its activity rollups refer to it.
    sqlx::query("DELETE FROM tag_values WHERE traces <= 0 AND kind <> 'project'")
        .execute(connection)
        .await
        .map(drop)
}
