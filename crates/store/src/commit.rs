//! One transaction of an import: traces, their metrics, and how far the spool files are imported.

use std::collections::{BTreeMap, HashMap};

use sqlx::sqlite::SqliteConnection;

use crate::blocks::BlockBuilder;
use crate::dedup::{ImportState, Upsert};
use crate::event_counts::{EventCountChanges, EventKey};
use crate::fetch::{self, StoredTrace};
use crate::insert::{BatchRows, HookIdentity, NewTrace, add_tag_counts, hook_ids, to_json};
use crate::open::Db;
use crate::projection::{Tag, TagKind, tags_of};
use crate::rollup::{RollupChanges, RollupKind};
use crate::spool_reader::{Chunk, SpooledTrace};
use crate::step_totals::{StepTotals, chars_added};
use crate::transaction::Transaction;

/// Writes traces, metrics, and how far the files are imported in one transaction. Returns the number of written
/// traces.
pub(crate) async fn commit(db: &Db, chunks: &[Chunk]) -> Result<u64, sqlx::Error> {
    let Some(writer) = &db.writer else {
        return Err(sqlx::Error::PoolClosed);
    };
    let mut transaction = Transaction::begin_import(db, writer).await?;
    let result = write(&mut transaction, chunks).await;
    transaction.finish(result).await
}

async fn write(connection: &mut SqliteConnection, chunks: &[Chunk]) -> Result<u64, sqlx::Error> {
    // Another process may have imported the same lines since they were read.
    let incoming: Vec<&SpooledTrace> = chunks.iter().flat_map(|chunk| &chunk.traces).collect();
    let state = ImportState::load(connection, &incoming).await?;
    let done = |file: &str| state.imported.get(file).copied().unwrap_or(0);
    let mut upserts = state.upserts(incoming.into_iter().filter(|it| it.end > done(&it.file)));
    // Traces of the same time are in the same block.
    upserts.sort_by_key(|it| it.incoming.page_key());
    record(connection, &upserts, state.next_seq).await?;
    save_positions(connection, chunks, &state.imported).await?;
    Ok(upserts.len() as u64)
}

/// What a batch changes besides the traces themselves.
#[derive(Debug, Default)]
struct Changes {
    steps: RollupChanges,
    events: EventCountChanges,
}

fn event_key(tags: &[Tag<'_>], ids: &HashMap<Tag<'_>, i64>) -> EventKey {
    let id_of = |kind: TagKind| {
        let tag = tags.iter().find(|tag| tag.0 == kind);
        tag.and_then(|tag| ids.get(tag)).copied().unwrap_or(0)
    };
    EventKey {
        project: id_of(TagKind::Project),
        dialect: id_of(TagKind::Dialect),
        event: id_of(TagKind::Event),
    }
}

/// Writes traces, numbered from `first` on, and their metrics.
async fn record(connection: &mut SqliteConnection, upserts: &[Upsert<'_>], first: i64) -> Result<(), sqlx::Error> {
    if upserts.is_empty() {
        return Ok(());
    }
    let mut changes = Changes::default();
    for it in upserts {
        if let Some(seq) = it.replaces {
            delete_trace(connection, seq, &mut changes).await?;
        }
    }
    let tags: Vec<Vec<Tag<'_>>> = upserts.iter().map(|it| tags_of(&it.incoming.trace)).collect();
    let tag_ids = add_tag_counts(connection, &count_tags(&tags)).await?;
    let step_hook_ids = step_hook_ids(connection, upserts).await?;
    let (mut rows, mut blocks) = (BatchRows::default(), BlockBuilder::default());
    for (seq, ((it, tags), step_hook_ids)) in (first..).zip(upserts.iter().zip(&tags).zip(&step_hook_ids)) {
        let trace = &it.incoming.trace;
        let key = it.incoming.page_key();
        let has_body = trace.bodies_removed_days.is_none();
        let body = has_body.then(|| blocks.add(seq, it.incoming));
        let event = event_key(tags, &tag_ids);
        if trace.origin.counts() {
            changes.events.add(event, key.0, &trace.verdict);
        }
        let counted = trace.steps.iter().zip(step_hook_ids).filter(|_| trace.origin.counts());
        for (step, hook) in counted {
            let totals = StepTotals::from_step(step, chars_added(&step.edits), step.removed.len() as u64);
            changes.steps.add(RollupKind::Hooks, *hook, key.0, &totals);
            changes.steps.add(RollupKind::Projects, event.project, key.0, &totals);
        }
        rows.add(
            NewTrace {
                seq,
                key,
                trace,
                body,
                tags,
                step_hook_ids,
            },
            &tag_ids,
        );
    }
    blocks.write(connection).await?;
    rows.write(connection).await?;
    changes.steps.write(connection).await?;
    changes.events.write(connection).await
}

/// How many traces have each tag.
fn count_tags<'a>(tags: &[Vec<Tag<'a>>]) -> BTreeMap<Tag<'a>, i64> {
    let mut counts = BTreeMap::new();
    for tag in tags.iter().flatten() {
        *counts.entry(*tag).or_default() += 1;
    }
    counts
}

/// The ids of the hooks of each trace's steps.
async fn step_hook_ids(
    connection: &mut SqliteConnection,
    upserts: &[Upsert<'_>],
) -> Result<Vec<Vec<i64>>, sqlx::Error> {
    let traces = upserts.iter().map(|it| &it.incoming.trace);
    let keys: Vec<Vec<HookIdentity<'_>>> = traces.map(|trace| HookIdentity::for_steps(trace).collect()).collect();
    let mut newest: BTreeMap<HookIdentity<'_>, i64> = BTreeMap::new();
    for (it, keys) in upserts.iter().zip(&keys) {
        let at = it.incoming.page_key().0;
        for key in keys {
            match newest.get_mut(key) {
                Some(known) => *known = at.max(*known),
                None => drop(newest.insert(key.clone(), at)),
            }
        }
    }
    let ids = hook_ids(connection, &newest).await?;
    let id = |key: &HookIdentity<'_>| ids.get(key).copied().unwrap_or(0);
    Ok(keys.iter().map(|keys| keys.iter().map(id).collect()).collect())
}

/// Deletes a trace, and undoes what it added to the metrics.
async fn delete_trace(connection: &mut SqliteConnection, seq: i64, changes: &mut Changes) -> Result<(), sqlx::Error> {
    let sql = format!("SELECT {} FROM traces t WHERE t.seq = ?", fetch::TRACE_LINE);
    let recorded: StoredTrace = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let event: EventKey = sqlx::query_as("SELECT project, dialect, event FROM traces WHERE seq = ?")
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let key = recorded.key;
    let counts = recorded.row.origin.counts();
    if counts {
        changes.events.undo(event, key.0, &recorded.row.verdict);
    }
    let steps = fetch::read_steps(connection, seq).await?;
    for step in steps.iter().filter(|_| counts) {
        let totals = StepTotals::from_step(&step.step, step.chars, step.removals);
        changes.steps.undo(RollupKind::Hooks, step.hook_id, key.0, &totals);
        changes.steps.undo(RollupKind::Projects, event.project, key.0, &totals);
    }
    let old = recorded.bodyless_trace(steps.into_iter().map(|step| step.step).collect());
    let less: BTreeMap<Tag<'_>, i64> = tags_of(&old).into_iter().map(|tag| (tag, -1)).collect();
    for (_, tag_id) in add_tag_counts(connection, &less).await? {
        // Not every tag has rows.
        let sql = "DELETE FROM trace_tags WHERE name = ? AND at_ns = ? AND id = ?";
        sqlx::query(sql)
            .bind(tag_id)
            .bind(key.0)
            .bind(key.1.to_vec())
            .execute(&mut *connection)
            .await?;
    }
    for sql in [
        "DELETE FROM steps WHERE seq = ?",
        "DELETE FROM bodies WHERE seq = ?",
        "DELETE FROM search WHERE rowid = ?",
        "DELETE FROM traces WHERE seq = ?",
    ] {
        sqlx::query(sql).bind(seq).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Stores how far files are imported. The position never moves back.
async fn save_positions(
    connection: &mut SqliteConnection,
    chunks: &[Chunk],
    done: &HashMap<String, u64>,
) -> Result<(), sqlx::Error> {
    let ahead = chunks
        .iter()
        .filter(|chunk| chunk.end > done.get(&*chunk.file).copied().unwrap_or(0));
    let rows: Vec<(&str, u64, u64)> = ahead
        .map(|chunk| (&*chunk.file, chunk.end, chunk.unread_lines))
        .collect();
    sqlx::query(
        "INSERT INTO spool_files (name, imported, unread) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (name) DO UPDATE SET imported = max(imported, excluded.imported), unread = unread + excluded.unread",
    )
    .bind(to_json(&rows))
    .execute(connection)
    .await
    .map(drop)
}
