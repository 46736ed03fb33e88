//! What the history says of hooks now (`engine.md` §13): which ones fail, which ones blocked, and which events passed
//! although a hook failed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::{SignedDuration, Timestamp};
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::error::StoreError;
use crate::event_activity::blocks;
use crate::insert::{HookIdentity, to_json, version_of};
use crate::metrics::read_hook_identities;
use crate::open::Db;
use crate::projection::counted_origins;
use crate::rollup::{DAY, HOUR, Period, RollupKind, covering_ranges, read_totals};
use crate::spool_reader::nanos;
use crate::step_totals::outcome_code;
use crate::store::{Availability, Store};
use crate::transaction::Transaction;

/// So many last runs that all failed make a hook a failing one.
const LAST_RUNS: u64 = 3;
/// From so many runs on, a share of failed ones counts.
const MANY_RUNS: u64 = 10;

/// A definition of a hook, as steps recorded it. Its id moves with its place, so it is not part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedHook {
    /// The file with the definition.
    pub path: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// The version of its definition.
    pub version: String,
}

impl RecordedHook {
    fn of(hook: &HookIdentity<'_>) -> Self {
        Self {
            path: hook.path.to_string(),
            event: hook.event.to_string(),
            version: version_of(&hook.definition).to_owned(),
        }
    }
}

/// What the history says of hooks now.
#[derive(Debug, Default)]
pub struct RunFacts {
    /// The hooks whose last 3 runs failed, or at least half of 10 or more in the last 24 hours.
    pub failing: Vec<FailingHook>,
    /// The hooks that denied or asked, in the newest events of which one did.
    pub blockers: BTreeSet<RecordedHook>,
    /// The events of the last 24 hours in which a hook failed open and the agent continued, the newest first.
    pub passed: Vec<PassedEvent>,
}

/// A definition of a hook that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingHook {
    /// The definition.
    pub hook: RecordedHook,
    /// The runs that were counted.
    pub runs: u64,
    /// Those of them that failed or timed out.
    pub failed: u64,
}

/// An event that passed although a hook failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedEvent {
    /// When it was fired.
    pub at: Timestamp,
    /// The project; empty if there was none.
    pub project: String,
    /// The dialect's id.
    pub dialect: String,
    /// The hooks that failed, each with its id and its name for the user then.
    pub failed: Vec<(RecordedHook, String, String)>,
}

/// How many of the newest events are looked at for [`RunFacts::blockers`], and for [`RunFacts::passed`].
const MAX_EVENTS: u32 = 10_000;

impl Store {
    /// What the history says of hooks now. It counts only events that were not tried out.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn run_facts(&self) -> Result<RunFacts, StoreError> {
        // Nothing is imported for it, so without a database there is nothing to count.
        if self.availability().await == Availability::Absent {
            return Ok(RunFacts::default());
        }
        let now = self.clock.now();
        let db = self.reading_db().await?;
        let read = read_facts(&db, now).await;
        self.check_result(&db, read).await
    }

    /// The events since a time in which a hook failed open and the agent continued, the newest first. If `project` is
    /// given, only its events. There may be more if the list has [`MAX_EVENTS`] steps.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn passed_events(&self, project: Option<&str>, since: Timestamp) -> Result<Vec<PassedEvent>, StoreError> {
        let db = self.reading_db().await?;
        let read = async {
            let mut transaction = Transaction::begin_read(&db).await?;
            let passed = read_passed(&mut transaction, project, since).await;
            transaction.finish(passed).await
        };
        self.check_result(&db, read.await).await
    }
}

/// Runs and failed runs of one bucket.
type Count = (u64, u64);

async fn read_facts(db: &Arc<Db>, now: Timestamp) -> Result<RunFacts, sqlx::Error> {
    let day_ago = now
        .checked_sub(SignedDuration::from_hours(24))
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let mut transaction = Transaction::begin_read(db).await?;
    let facts = RunFacts {
        failing: read_failing(&mut transaction, now).await?,
        blockers: read_blockers(&mut transaction).await?,
        passed: read_passed(&mut transaction, None, day_ago).await?,
    };
    transaction.finish(Ok(facts)).await
}

async fn read_failing(connection: &mut SqliteConnection, now: Timestamp) -> Result<Vec<FailingHook>, sqlx::Error> {
    let now = now.as_second();
    let period = Period::rounded(now - DAY, Some(now), now);
    let mut by_id: HashMap<i64, BTreeMap<i64, Count>> = HashMap::new();
    for range in covering_ranges(period, HOUR) {
        for (start, hook_id, totals) in read_totals(connection, RollupKind::Hooks, range).await? {
            let (mut runs, mut failed) = (0, 0);
            for (outcome, count) in totals.outcomes() {
                runs += if outcome.ran() { count } else { 0 };
                failed += if outcome.failed() { count } else { 0 };
            }
            let bucket = by_id.entry(hook_id).or_default().entry(start).or_default();
            bucket.0 += runs;
            bucket.1 += failed;
        }
    }
    if by_id
        .values()
        .flat_map(BTreeMap::values)
        .all(|(_, failed)| *failed == 0)
    {
        return Ok(Vec::new());
    }
    let identities = read_hook_identities(connection).await?;
    // A hook has a row for each place and name that it had.
    let mut by_hook: BTreeMap<RecordedHook, BTreeMap<i64, Count>> = BTreeMap::new();
    for (id, buckets) in by_id {
        let Some(hook) = identities.get(&id) else { continue };
        let sums = by_hook.entry(RecordedHook::of(hook)).or_default();
        for (start, (runs, failed)) in buckets {
            let sum = sums.entry(start).or_default();
            *sum = (sum.0 + runs, sum.1 + failed);
        }
    }
    let failing = by_hook.into_iter().filter_map(|(hook, buckets)| {
        let (runs, failed) = is_failing(&buckets)?;
        Some(FailingHook { hook, runs, failed })
    });
    Ok(failing.collect())
}

/// The rows of these outcomes in the order of the index, the newest first, as the body of a query.
const NEWEST_OF_OUTCOMES: &str = "SELECT seq, at_ns FROM trace_tags WHERE name IN \
    (SELECT id FROM tag_values WHERE kind = 'outcome' AND value IN (SELECT value FROM json_each(?1))) AND at_ns >= ?2 \
    ORDER BY at_ns DESC LIMIT ?3";

fn names(outcomes: &[Outcome]) -> String {
    to_json(&outcomes.iter().map(|outcome| outcome.as_str()).collect::<Vec<_>>())
}

fn codes(outcomes: &[Outcome]) -> String {
    to_json(
        &outcomes
            .iter()
            .map(|outcome| outcome_code(*outcome))
            .collect::<Vec<_>>(),
    )
}

async fn read_blockers(connection: &mut SqliteConnection) -> Result<BTreeSet<RecordedHook>, sqlx::Error> {
    const BLOCKED: [Outcome; 2] = [Outcome::Denied, Outcome::Asked];
    let sql = format!(
        "WITH newest AS ({NEWEST_OF_OUTCOMES}) SELECT DISTINCT h.path, h.event, h.definition FROM newest n \
         CROSS JOIN steps s ON s.seq = n.seq JOIN hooks h ON h.id = s.hook \
         WHERE s.outcome IN (SELECT value FROM json_each(?4))"
    );
    let rows: Vec<(String, String, String)> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(names(&BLOCKED))
        .bind(i64::MIN)
        .bind(MAX_EVENTS)
        .bind(codes(&BLOCKED))
        .fetch_all(connection)
        .await?;
    let hook = |(path, event, definition): (String, String, String)| RecordedHook {
        path,
        event,
        version: version_of(&definition).to_owned(),
    };
    Ok(rows.into_iter().map(hook).collect())
}

/// A step that failed open, with its event.
#[derive(sqlx::FromRow)]
struct PassedStep {
    seq: i64,
    at_ns: i64,
    project: String,
    dialect: String,
    verdict: String,
    hook: String,
    label: String,
    path: String,
    event: String,
    definition: String,
}

async fn read_passed(
    connection: &mut SqliteConnection,
    project: Option<&str>,
    since: Timestamp,
) -> Result<Vec<PassedEvent>, sqlx::Error> {
    const OPEN: [Outcome; 2] = [Outcome::FailedOpen, Outcome::TimedOutOpen];
    let sql = format!(
        "WITH newest AS ({NEWEST_OF_OUTCOMES}) \
         SELECT DISTINCT t.seq, t.at_ns, h.dialect, coalesce(t.verdict ->> 'kind', 'proceed') AS verdict, s.n, \
                coalesce((SELECT value FROM tag_values WHERE id = t.project), '') AS project, \
                h.hook, h.label, h.path, h.event, h.definition \
         FROM newest n CROSS JOIN traces t ON t.seq = n.seq JOIN steps s ON s.seq = t.seq JOIN hooks h ON h.id = s.hook \
         WHERE s.outcome IN (SELECT value FROM json_each(?4)) AND t.origin IN (SELECT value FROM json_each(?5)) \
           AND (?6 IS NULL OR t.project = (SELECT id FROM tag_values WHERE kind = 'project' AND value = ?6)) \
         ORDER BY t.at_ns DESC, t.seq DESC, s.n"
    );
    let rows: Vec<PassedStep> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(names(&OPEN))
        .bind(nanos(since))
        .bind(MAX_EVENTS)
        .bind(codes(&OPEN))
        .bind(counted_origins())
        .bind(project)
        .fetch_all(connection)
        .await?;
    let mut events: Vec<(i64, PassedEvent)> = Vec::new();
    for row in rows.into_iter().filter(|row| !blocks(&row.verdict)) {
        let failed = RecordedHook {
            path: row.path,
            event: row.event,
            version: version_of(&row.definition).to_owned(),
        };
        let failed = (failed, row.hook, row.label);
        match events.last_mut() {
            Some((seq, event)) if *seq == row.seq => event.failed.push(failed),
            Some(_) | None => events.push((
                row.seq,
                PassedEvent {
                    at: Timestamp::from_nanosecond(i128::from(row.at_ns)).unwrap_or(Timestamp::UNIX_EPOCH),
                    project: row.project,
                    dialect: row.dialect,
                    failed: vec![failed],
                },
            )),
        }
    }
    Ok(events.into_iter().map(|(_, event)| event).collect())
}

/// The runs that show that a hook fails; `None` if they do not. Buckets are by their begin.
fn is_failing(buckets: &BTreeMap<i64, Count>) -> Option<Count> {
    let whole = buckets
        .values()
        .fold((0, 0), |sum, bucket| (sum.0 + bucket.0, sum.1 + bucket.1));
    if whole.0 >= MANY_RUNS && whole.1 * 2 >= whole.0 {
        return Some(whole);
    }
    // The order within a bucket is not known, so the buckets of the last runs must contain failures only.
    let mut last = (0, 0);
    for bucket in buckets.values().rev() {
        last = (last.0 + bucket.0, last.1 + bucket.1);
        if last.1 < last.0 {
            return None;
        }
        if last.0 >= LAST_RUNS {
            return Some(last);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_at_last_or_half_of_ten_make_a_failing_hook() {
        let judge = |buckets: &[Count]| is_failing(&(0..).zip(buckets.iter().copied()).collect());
        assert_eq!(judge(&[(5, 0), (2, 2), (1, 1)]), Some((3, 3)));
        assert_eq!(judge(&[(5, 0), (2, 2)]), None);
        assert_eq!(judge(&[(2, 2), (1, 0)]), None);
        assert_eq!(judge(&[(6, 3), (4, 2)]), Some((10, 5)));
        assert_eq!(judge(&[(6, 3), (4, 1)]), None);
        assert_eq!(
            judge(&[(3, 3), (0, 0)]),
            Some((3, 3)),
            "a step that did not run is no run"
        );
        assert_eq!(judge(&[]), None);
    }
}
