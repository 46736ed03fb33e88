//! One transaction of an import: traces, their metrics, and how far the spool files are imported.

use std::collections::{BTreeMap, HashMap};

use sqlx::sqlite::SqliteConnection;

use crate::digest::{Mark, MarkKind, marks};
use crate::fetch::{self, Recorded};
use crate::insert::{Entry, HookKey, Rows, hook_ids, json, name_ids};
use crate::open::Db;
use crate::rollup::{Changes, Of};
use crate::tally::{Tally, chars_added};
use crate::transaction::Transaction;
use crate::unread::{Chunk, Incoming};
use crate::weigh::{Known, News};

/// Whether bodies go into the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    Keep,
    Drop,
}

/// One transaction: traces, metrics, and how far the files are imported. Gives traces and dropped bodies.
pub(crate) async fn commit(db: &Db, chunks: &[Chunk], bodies: Bodies) -> Result<(u64, u64), sqlx::Error> {
    let Some(writer) = &db.writer else {
        return Err(sqlx::Error::PoolClosed);
    };
    let mut transaction = Transaction::begin(writer).await?;
    let result = write(&mut transaction, chunks, bodies).await;
    transaction.finish(result).await
}

async fn write(connection: &mut SqliteConnection, chunks: &[Chunk], bodies: Bodies) -> Result<(u64, u64), sqlx::Error> {
    // Another process may have imported the same lines since they were read.
    let incoming: Vec<&Incoming> = chunks.iter().flat_map(|chunk| &chunk.traces).collect();
    let known = Known::of(connection, &incoming).await?;
    let done = |file: &str| known.imported.get(file).copied().unwrap_or(0);
    let news = known.news(incoming.into_iter().filter(|it| it.end > done(&it.file)));
    let dropped = record(connection, &news, known.next, bodies).await?;
    advance(connection, chunks, &known.imported).await?;
    Ok((news.len() as u64, dropped))
}

/// Writes traces, numbered from `first` on, and their metrics. Gives how many bodies were not written.
async fn record(
    connection: &mut SqliteConnection,
    news: &[News<'_>],
    first: i64,
    bodies: Bodies,
) -> Result<u64, sqlx::Error> {
    if news.is_empty() {
        return Ok(0);
    }
    let mut changes = Changes::default();
    for it in news {
        if let Some(seq) = it.replaces {
            forget(connection, seq, &mut changes).await?;
        }
    }
    let marks: Vec<Vec<Mark<'_>>> = news.iter().map(|it| marks(&it.incoming.trace)).collect();
    let names = name_ids(connection, &counted(&marks)).await?;
    let owners = owners(connection, news).await?;
    let mut rows = Rows::default();
    let mut dropped = 0;
    for (seq, ((it, marks), owners)) in (first..).zip(news.iter().zip(&marks).zip(&owners)) {
        let Incoming { trace, json, .. } = it.incoming;
        let key = it.incoming.key();
        let json = (bodies == Bodies::Keep && trace.bodies_removed_days.is_none()).then(|| json.clone());
        dropped += u64::from(json.is_none());
        let project = marks.iter().find(|mark| mark.0 == MarkKind::Project);
        let project = project.and_then(|mark| names.get(mark)).copied().unwrap_or(0);
        for (step, hook) in trace.steps.iter().zip(owners) {
            let tally = Tally::of(step, chars_added(&step.edits), step.removed.len() as u64);
            changes.add(Of::Hooks, *hook, key.0, &tally);
            changes.add(Of::Projects, project, key.0, &tally);
        }
        rows.add(
            Entry {
                seq,
                key,
                trace,
                json,
                marks,
                owners,
            },
            &names,
        );
    }
    rows.write(connection).await?;
    changes.write(connection).await?;
    if dropped > 0 {
        count(connection, "dropped_bodies", dropped).await?;
    }
    Ok(dropped)
}

/// How many traces carry each mark.
fn counted<'a>(marks: &[Vec<Mark<'a>>]) -> BTreeMap<Mark<'a>, i64> {
    let mut counts = BTreeMap::new();
    for mark in marks.iter().flatten() {
        *counts.entry(*mark).or_default() += 1;
    }
    counts
}

/// The numbers of the hooks of each trace's steps.
async fn owners(connection: &mut SqliteConnection, news: &[News<'_>]) -> Result<Vec<Vec<i64>>, sqlx::Error> {
    let traces = news.iter().map(|it| &it.incoming.trace);
    let keys: Vec<Vec<HookKey<'_>>> = traces.map(|trace| HookKey::all(trace).collect()).collect();
    let ids = hook_ids(connection, &keys.iter().flatten().cloned().collect()).await?;
    let id = |key: &HookKey<'_>| ids.get(key).copied().unwrap_or(0);
    Ok(keys.iter().map(|keys| keys.iter().map(id).collect()).collect())
}

/// Takes a trace out again, with what it added to the metrics.
async fn forget(connection: &mut SqliteConnection, seq: i64, changes: &mut Changes) -> Result<(), sqlx::Error> {
    let sql = format!("SELECT {} FROM traces t WHERE t.seq = ?", fetch::COLUMNS);
    let recorded: Recorded = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let project: i64 = sqlx::query_scalar("SELECT project FROM traces WHERE seq = ?")
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let key = recorded.key;
    let steps = fetch::steps(connection, seq).await?;
    for step in &steps {
        let tally = Tally::of(&step.step, step.chars, step.removals);
        changes.take_back(Of::Hooks, step.owner, key.0, &tally);
        changes.take_back(Of::Projects, project, key.0, &tally);
    }
    let old = recorded.bare(steps.into_iter().map(|step| step.step).collect());
    let less: BTreeMap<Mark<'_>, i64> = marks(&old).into_iter().map(|mark| (mark, -1)).collect();
    for (_, name) in name_ids(connection, &less).await? {
        let sql = "DELETE FROM marks WHERE name = ? AND at_ns = ? AND id = ?";
        sqlx::query(sql)
            .bind(name)
            .bind(key.0)
            .bind(key.1.to_vec())
            .execute(&mut *connection)
            .await?;
    }
    for sql in [
        "DELETE FROM steps WHERE seq = ?",
        "DELETE FROM bodies WHERE seq = ?",
        "DELETE FROM traces WHERE seq = ?",
    ] {
        sqlx::query(sql).bind(seq).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Notes how far files are imported; never back.
async fn advance(
    connection: &mut SqliteConnection,
    chunks: &[Chunk],
    done: &HashMap<String, u64>,
) -> Result<(), sqlx::Error> {
    let ahead = chunks
        .iter()
        .filter(|chunk| chunk.end > done.get(&chunk.file).copied().unwrap_or(0));
    let rows: Vec<(&str, u64, u64)> = ahead
        .map(|chunk| (chunk.file.as_str(), chunk.end, chunk.unread))
        .collect();
    sqlx::query(
        "INSERT INTO spool_files (name, imported, unread) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (name) DO UPDATE SET imported = max(imported, excluded.imported), unread = unread + excluded.unread",
    )
    .bind(json(&rows))
    .execute(connection)
    .await
    .map(drop)
}

/// Adds to a counter.
pub(crate) async fn count(connection: &mut SqliteConnection, name: &str, more: u64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value")
        .bind(name)
        .bind(i64::try_from(more).unwrap_or(i64::MAX))
        .execute(connection)
        .await
        .map(drop)
}
