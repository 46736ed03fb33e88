//! What the history keeps, and how long: bodies are removed first, then traces, by age and by size (`CONTRACTS.md`
//! §2.6, `[history]`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_model::Ages;
use jiff::Timestamp;
use sqlx::{SqliteConnection, SqlitePool};

use crate::blocks::MAX_SEQ_SPAN;
use crate::error::StoreError;
use crate::insert::{USED_PRECISION_NS, to_json};
use crate::open::Db;
use crate::removal::remove_traces;
use crate::rollup::{DAY, HOUR, MINUTE_RETENTION, SPANS, floor};
use crate::spool_reader::list_files;
use crate::store::Store;
use crate::transaction::Transaction;

/// Traces per transaction. The number is limited so that imports do not wait long.
pub(crate) const BATCH_ROWS: i64 = 500;
/// Free pages that are returned to the file system at once.
const VACUUM_PAGES: i64 = 4096;
/// The counter that contains the time of the last retention, in seconds since 1970.
const RETAINED_AT: &str = "retained_at";

/// How much history is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Traces and metrics are kept for this many days.
    pub max_days: u32,
    /// Payloads and streams are kept for this many days.
    pub bodies_days: u32,
    /// The largest size of the database in MiB. Above it, the oldest bodies are removed first, then the oldest traces.
    pub max_mb: u64,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self {
            max_days: 30,
            bodies_days: 7,
            max_mb: 2048,
        }
    }
}

impl RetentionPolicy {
    /// Traces before this time are removed, in nanoseconds since 1970.
    fn traces_before(self, now: Timestamp) -> i64 {
        days_before(now, self.max_days)
    }

    /// Bodies before this time are removed, in nanoseconds since 1970.
    fn bodies_before(self, now: Timestamp) -> i64 {
        days_before(now, self.bodies_days)
    }

    fn max_bytes(self) -> u64 {
        self.max_mb.saturating_mul(1 << 20)
    }
}

fn days_before(now: Timestamp, days: u32) -> i64 {
    let at = now.as_nanosecond() - i128::from(days) * i128::from(DAY) * 1_000_000_000;
    i64::try_from(at).unwrap_or(i64::MIN)
}

/// The age of a trace in whole days; 0 for a time in the future.
fn age_days(now: Timestamp, at_ns: i64) -> i64 {
    let age = now.as_nanosecond() - i128::from(at_ns);
    i64::try_from(age / (i128::from(DAY) * 1_000_000_000))
        .unwrap_or(0)
        .max(0)
}

/// What retention removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionResult {
    /// The number of traces that were removed completely.
    pub traces: u64,
    /// The number of traces that remain without their payloads and streams.
    pub bodies: u64,
}

/// A retention that is under way. It is done in steps, so that imports and the end of the process never wait for more
/// than one of them.
#[derive(Debug)]
pub struct Retention {
    policy: RetentionPolicy,
    now: Timestamp,
    stage: Stage,
    /// What was removed until now.
    pub removed: RetentionResult,
}

/// What the next step of a retention does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    OldTraces,
    OldBodies,
    OldMetrics,
    Size,
    FreePages,
    Done,
}

impl Store {
    /// A retention that has done nothing yet.
    #[must_use]
    pub fn begin_retention(&self, policy: RetentionPolicy) -> Retention {
        let ages = self.clock.ages();
        if let Ages::Wait {
            until,
            jump: Some(jump),
        } = ages
        {
            let days = jump.as_hours() / 24;
            tracing::warn!(%until, days, "the clock jumped, so no history is removed because of its age");
        }
        Retention {
            policy,
            // The clock may have jumped since its time was believed, so it is not read again.
            now: match ages {
                Ages::Until(now) => now,
                Ages::Wait { .. } => self.clock.now(),
            },
            stage: match ages {
                Ages::Until(_) => Stage::OldTraces,
                Ages::Wait { .. } => Stage::Size,
            },
            removed: RetentionResult::default(),
        }
    }

    /// Does the next step of a retention, which is at most one short transaction. Returns whether there is more to do.
    ///
    /// # Errors
    /// The database cannot be used or written, or was found damaged.
    pub async fn continue_retention(&self, retention: &mut Retention) -> Result<bool, StoreError> {
        let db = self.open_for_writing().await?;
        let Some(writer) = &db.writer else {
            return Ok(false);
        };
        if retention.stage != Stage::Done {
            let step = retention.step(writer).await;
            self.check_result(&db, step).await?;
            return Ok(true);
        }
        self.delete_file_rows(&db, writer).await?;
        let sql =
            "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        let noted = sqlx::query(sql)
            .bind(RETAINED_AT)
            .bind(retention.now.as_second())
            .execute(writer)
            .await;
        self.check_result(&db, noted).await?;
        Ok(false)
    }

    /// Removes what is older or larger than the policy allows, the oldest first, and returns the space to the file
    /// system.
    ///
    /// # Errors
    /// The database cannot be used or written, or was found damaged.
    pub async fn retain(&self, policy: RetentionPolicy) -> Result<RetentionResult, StoreError> {
        let mut retention = self.begin_retention(policy);
        while self.continue_retention(&mut retention).await? {}
        Ok(retention.removed)
    }

    /// Runs [`Self::retain`] if no process has finished it for a day, else returns `None`. It is for processes that run
    /// only one command: after `time_limit` it stops, and the next command continues.
    ///
    /// # Errors
    /// The database cannot be used or written, or was found damaged.
    pub async fn retain_daily(
        &self,
        policy: RetentionPolicy,
        time_limit: Duration,
    ) -> Result<Option<RetentionResult>, StoreError> {
        let started = Instant::now();
        let db = self.open_for_writing().await?;
        let ran = sqlx::query_scalar("SELECT value FROM counters WHERE name = ?")
            .bind(RETAINED_AT)
            .fetch_optional(&db.readers)
            .await;
        let ran: Option<i64> = self.check_result(&db, ran).await?;
        let now = self.clock.now().as_second();
        // A time in the future was stored while the clock was wrong.
        if ran.is_some_and(|ran| (0..DAY).contains(&(now - ran))) {
            return Ok(None);
        }
        let mut retention = self.begin_retention(policy);
        while self.continue_retention(&mut retention).await? && started.elapsed() < time_limit {}
        Ok(Some(retention.removed))
    }

    /// Deletes the rows of spool files that no longer exist. Their names are never used again.
    async fn delete_file_rows(&self, db: &Arc<Db>, writer: &SqlitePool) -> Result<(), StoreError> {
        let known: Result<Vec<String>, _> = sqlx::query_scalar("SELECT name FROM spool_files")
            .fetch_all(&db.readers)
            .await;
        let known = self.check_result(db, known).await?;
        let Ok(there) = list_files(&self.folder.spool()) else {
            return Ok(());
        };
        let missing: Vec<String> = known.into_iter().filter(|name| !there.contains(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let sql = "DELETE FROM spool_files WHERE name IN (SELECT value FROM json_each(?))";
        let result = sqlx::query(sql).bind(to_json(&missing)).execute(writer).await;
        self.check_result(db, result).await.map(drop)
    }
}

impl Retention {
    /// Does one step, and decides what the next one does.
    async fn step(&mut self, writer: &SqlitePool) -> Result<(), sqlx::Error> {
        let stage = self.stage;
        self.stage = match stage {
            Stage::OldTraces if self.remove_traces(writer, self.policy.traces_before(self.now)).await? => {
                Stage::OldTraces
            }
            Stage::OldTraces => Stage::OldBodies,
            Stage::OldBodies if self.remove_bodies(writer, self.policy.bodies_before(self.now)).await? => {
                Stage::OldBodies
            }
            Stage::OldBodies => Stage::OldMetrics,
            Stage::OldMetrics => {
                remove_rollups(writer, self.policy, self.now).await?;
                Stage::Size
            }
            Stage::Size if used_bytes(writer).await? <= self.policy.max_bytes() => Stage::FreePages,
            Stage::Size if self.remove_bodies(writer, i64::MAX).await? => Stage::Size,
            Stage::Size if self.remove_traces(writer, i64::MAX).await? => Stage::Size,
            Stage::Size => Stage::FreePages,
            Stage::FreePages if free_pages(writer).await? => Stage::FreePages,
            Stage::FreePages | Stage::Done => Stage::Done,
        };
        Ok(())
    }

    /// Removes some of the oldest traces before a time. Returns whether there were any.
    async fn remove_traces(&mut self, writer: &SqlitePool, before: i64) -> Result<bool, sqlx::Error> {
        let removed = remove_traces(writer, before).await?;
        self.removed.traces += removed;
        Ok(removed > 0)
    }

    /// Removes some of the oldest bodies before a time. Returns whether there were any.
    async fn remove_bodies(&mut self, writer: &SqlitePool, before: i64) -> Result<bool, sqlx::Error> {
        let removed = remove_bodies(writer, before, self.now).await?;
        self.removed.bodies += removed;
        Ok(removed > 0)
    }
}

/// The bytes in use, without free pages.
async fn used_bytes(writer: &SqlitePool) -> Result<u64, sqlx::Error> {
    let number = |sql: &'static str| async move { sqlx::query_scalar::<_, i64>(sql).fetch_one(writer).await };
    let pages = number("PRAGMA page_count").await? - number("PRAGMA freelist_count").await?;
    Ok(pages.max(0).unsigned_abs() * number("PRAGMA page_size").await?.unsigned_abs())
}

/// Removes the payloads and streams of the oldest traces before a time, and stores how old the traces were. Those of
/// schema 2 are removed first.
async fn remove_bodies(writer: &SqlitePool, before: i64, now: Timestamp) -> Result<u64, sqlx::Error> {
    let mut transaction = Transaction::begin_write(writer).await?;
    let result = delete_bodies(&mut transaction, before, now).await;
    transaction.finish(result).await
}

async fn delete_bodies(connection: &mut SqliteConnection, before: i64, now: Timestamp) -> Result<u64, sqlx::Error> {
    let old = delete_old_bodies(connection, before, now).await?;
    if old > 0 {
        return Ok(old);
    }
    let mut removed = 0;
    while removed < BATCH_ROWS.unsigned_abs() {
        let oldest: Option<i64> = sqlx::query_scalar("SELECT id FROM blocks WHERE at_ns < ? ORDER BY at_ns LIMIT 1")
            .bind(before)
            .fetch_optional(&mut *connection)
            .await?;
        let Some(block) = oldest else { break };
        removed += delete_block(connection, block, now).await?;
    }
    Ok(removed)
}

/// Removes a block. Its traces follow each other from its id on, so they are found without an index.
async fn delete_block(connection: &mut SqliteConnection, block: i64, now: Timestamp) -> Result<u64, sqlx::Error> {
    let rows: Vec<(i64, i64)> =
        sqlx::query_as("SELECT seq, at_ns FROM traces WHERE seq BETWEEN ?1 AND ?1 + ?2 AND block = ?1")
            .bind(block)
            .bind(MAX_SEQ_SPAN)
            .fetch_all(&mut *connection)
            .await?;
    sqlx::query("DELETE FROM blocks WHERE id = ?")
        .bind(block)
        .execute(&mut *connection)
        .await?;
    mark_bodies_removed(connection, &rows, now).await?;
    Ok(rows.len() as u64)
}

/// Removes bodies of schema 2, in the order in which they were imported.
async fn delete_old_bodies(connection: &mut SqliteConnection, before: i64, now: Timestamp) -> Result<u64, sqlx::Error> {
    let rows: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT b.seq, t.at_ns FROM (SELECT seq FROM bodies ORDER BY seq LIMIT ?) b CROSS JOIN traces t ON t.seq = b.seq \
         WHERE t.at_ns < ?",
    )
    .bind(BATCH_ROWS)
    .bind(before)
    .fetch_all(&mut *connection)
    .await?;
    let seqs: Vec<i64> = rows.iter().map(|(seq, _)| *seq).collect();
    sqlx::query("DELETE FROM bodies WHERE seq IN (SELECT value FROM json_each(?))")
        .bind(to_json(&seqs))
        .execute(&mut *connection)
        .await?;
    mark_bodies_removed(connection, &rows, now).await?;
    Ok(rows.len() as u64)
}

/// Notes how old traces were when their bodies were removed. Their words go too: they are from the bodies.
async fn mark_bodies_removed(
    connection: &mut SqliteConnection,
    rows: &[(i64, i64)],
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    let ages: Vec<(i64, i64)> = rows.iter().map(|(seq, at)| (*seq, age_days(now, *at))).collect();
    sqlx::query(
        "UPDATE traces SET bodies_removed_days = j.value ->> 1, block = NULL, \"offset\" = NULL, length = NULL \
         FROM json_each(?) j WHERE traces.seq = j.value ->> 0",
    )
    .bind(to_json(&ages))
    .execute(&mut *connection)
    .await?;
    let seqs: Vec<i64> = rows.iter().map(|(seq, _)| *seq).collect();
    sqlx::query("DELETE FROM search WHERE rowid IN (SELECT value FROM json_each(?))")
        .bind(to_json(&seqs))
        .execute(connection)
        .await
        .map(drop)
}

/// Removes old metrics. They are kept as long as traces, but minutes only for two days.
async fn remove_rollups(writer: &SqlitePool, policy: RetentionPolicy, now: Timestamp) -> Result<(), sqlx::Error> {
    let mut transaction = Transaction::begin_write(writer).await?;
    let result = delete_rollups(&mut transaction, policy, now).await;
    transaction.finish(result).await
}

async fn delete_rollups(
    connection: &mut SqliteConnection,
    policy: RetentionPolicy,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    let cutoff = policy.traces_before(now).div_euclid(1_000_000_000);
    let minutes = floor(now.as_second() - MINUTE_RETENTION, HOUR);
    for span in SPANS {
        let before = if span < HOUR {
            minutes.max(floor(cutoff, span))
        } else {
            floor(cutoff, span)
        };
        for sql in [
            "DELETE FROM metrics WHERE span = ? AND start < ?",
            "DELETE FROM activity WHERE span = ? AND start < ?",
        ] {
            sqlx::query(sql)
                .bind(span)
                .bind(before)
                .execute(&mut *connection)
                .await?;
        }
    }
    sqlx::query("DELETE FROM event_counts WHERE hour < ?")
        .bind(cutoff.div_euclid(HOUR))
        .execute(&mut *connection)
        .await?;
    delete_unused_hooks(connection, policy.traces_before(now)).await
}

/// Deletes the hooks that nothing refers to any more: no day that is kept counts them, and no step of a trace that is
/// older than that and still exists.
async fn delete_unused_hooks(connection: &mut SqliteConnection, cutoff: i64) -> Result<(), sqlx::Error> {
    let kept_day = floor(cutoff.div_euclid(1_000_000_000), DAY).saturating_mul(1_000_000_000);
    sqlx::query(
        "DELETE FROM hooks WHERE used_ns < ?1 AND id NOT IN \
         (SELECT s.hook FROM traces t JOIN steps s ON s.seq = t.seq WHERE t.at_ns < ?2)",
    )
    .bind(kept_day.saturating_sub(USED_PRECISION_NS))
    .bind(cutoff)
    .execute(connection)
    .await
    .map(drop)
}

/// Returns a limited number of free pages to the file system. Returns whether more of them can be returned.
async fn free_pages(writer: &SqlitePool) -> Result<bool, sqlx::Error> {
    let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(writer).await?;
    // A few free pages will soon be used again.
    if free < VACUUM_PAGES / 16 {
        return Ok(false);
    }
    let sql = sqlx::AssertSqlSafe(format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"));
    sqlx::query(sql).fetch_all(writer).await?;
    let left: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(writer).await?;
    Ok(left < free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_counts_days_back_from_now() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let at = |text: &str| i64::try_from(text.parse::<Timestamp>().unwrap().as_nanosecond()).unwrap();
        let policy = RetentionPolicy::default();
        assert_eq!(policy.traces_before(now), at("2026-01-01T12:00:00Z"));
        assert_eq!(policy.bodies_before(now), at("2026-01-24T12:00:00Z"));
        assert_eq!(age_days(now, at("2026-01-24T11:59:59Z")), 7);
        assert_eq!(age_days(now, at("2027-01-01T00:00:00Z")), 0);
    }

    #[test]
    fn a_very_large_day_limit_removes_nothing() {
        let policy = RetentionPolicy {
            max_days: u32::MAX,
            ..RetentionPolicy::default()
        };
        assert_eq!(policy.traces_before(Timestamp::UNIX_EPOCH), i64::MIN);
    }
}
