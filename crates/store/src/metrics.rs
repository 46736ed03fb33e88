//! What every hook did (`engine.md` §11, `jcli.md` §10), read from rollups and from what is still in the spool.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::bars::Bar;
use crate::error::StoreError;
use crate::fetch::steps;
use crate::insert::{HookKey, NumberedHook, version};
use crate::open::Db;
use crate::overlay::Overlay;
use crate::rollup::{HOUR, Of, Range, cover, floor, read};
use crate::store::Store;
use crate::tally::{Tally, chars_added};
use crate::transaction::Transaction;
use crate::unread::{Incoming, nanos};

/// Bars of a hook: one an hour.
const BARS: i64 = 16;

/// Metrics of one definition of a hook, in one project or a person's own files. Times in milliseconds, to the microsecond.
#[derive(Debug, Clone, PartialEq)]
pub struct HookStats {
    /// Hook id.
    pub hook: String,
    /// `None` for the person's own files.
    pub project: Option<String>,
    /// What people call it.
    pub label: String,
    /// Which definition, as in a trace's step; empty for those of before there were versions.
    pub version: String,
    /// Dialect id.
    pub dialect: String,
    /// Event.
    pub event: String,
    /// Steps in which it ran.
    pub runs: u64,
    /// How often each outcome was seen; those never seen are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Attempts.
    pub attempts: u64,
    /// Attempts that succeeded: the last one of a step that did not fail.
    pub successes: u64,
    /// Attempts that did not, timeouts included.
    pub failures: u64,
    /// Attempts that were cut by their limit.
    pub timeouts: u64,
    /// Sum of all attempts.
    pub total_ms: f64,
    /// Half of the runs took no longer; at most 3.2 % too high.
    pub p50_ms: f64,
    /// 95 % of the runs took no longer; at most 3.2 % too high.
    pub p95_ms: f64,
    /// 99 % of the runs took no longer; at most 3.2 % too high.
    pub p99_ms: f64,
    /// The longest run.
    pub max_ms: f64,
    /// Characters that its edits and additions added.
    pub chars_added: u64,
    /// What was counted beside, by the word of the metrics; words never counted are absent.
    pub counted: BTreeMap<String, u64>,
    /// The last 16 hours, oldest first.
    pub bars: Vec<Bar>,
}

/// What makes a row of the metrics: project (empty for none), hook, definition, dialect, event.
type Identity = (String, String, String, String, String);

fn identity(key: &HookKey<'_>) -> Identity {
    let [project, hook, definition] = [&key.project, &key.hook, &key.definition].map(|text| text.to_string());
    (
        project,
        hook,
        definition,
        key.dialect.to_string(),
        key.event.to_string(),
    )
}

#[derive(Default)]
struct Sum {
    /// The label and the newest `hooks.id` it comes from.
    label: (i64, String),
    tally: Tally,
    seen: bool,
    bars: BTreeMap<i64, Tally>,
}

/// Sums by identity, within two windows of time.
struct Ledger {
    since: i64,
    bars_from: i64,
    sums: BTreeMap<Identity, Sum>,
}

impl Ledger {
    fn sum(&mut self, key: &HookKey<'_>, owner: i64) -> &mut Sum {
        let sum = self.sums.entry(identity(key)).or_default();
        if owner >= sum.label.0 {
            sum.label = (owner, key.label.to_string());
        }
        sum
    }

    /// One step at a time in nanoseconds, added or taken back.
    fn step(&mut self, key: &HookKey<'_>, at_ns: i64, change: impl Fn(&mut Tally)) {
        let seconds = at_ns.div_euclid(1_000_000_000);
        let (in_stats, in_bars) = (seconds >= self.since, seconds >= self.bars_from);
        let sum = self.sum(key, i64::MAX);
        if in_stats {
            sum.seen = true;
            change(&mut sum.tally);
        }
        if in_bars {
            change(sum.bars.entry(floor(seconds, HOUR)).or_default());
        }
    }
}

impl Store {
    /// Metrics of every hook that was part of a chain since then, by project, hook and definition. `project` leaves only
    /// that project's hooks and the person's own. Times are rounded down to the minute, those two days old to the hour.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn stats(&self, since: Timestamp, project: Option<&str>) -> Result<Vec<HookStats>, StoreError> {
        let now = (self.now)().as_second();
        let ranges = cover(since.as_second(), now);
        let bars_from = floor(now, HOUR) - (BARS - 1) * HOUR;
        let begin = ranges.first().map_or(i64::MIN, |range| range.from);
        let mut ledger = Ledger {
            since: begin,
            bars_from,
            sums: BTreeMap::new(),
        };
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        match &db {
            Some(db) => {
                let filled = fill(db, &unread, &ranges, &mut ledger).await;
                self.checked(db, filled).await?;
            }
            None => add_spooled(&Overlay::alone(&unread), &mut ledger),
        }
        let wanted = |owner: &str| owner.is_empty() || project.is_none_or(|project| owner == project);
        let sums = ledger.sums.into_iter().filter(|(key, sum)| sum.seen && wanted(&key.0));
        Ok(sums.map(|(key, sum)| stats_of(key, &sum, bars_from)).collect())
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of run time are far below 2^52")]
fn stats_of(key: Identity, sum: &Sum, bars_from: i64) -> HookStats {
    let tally = &sum.tally;
    let ms = |us: u64| us as f64 / 1000.0;
    let bar = |n: i64| {
        let start = bars_from + n * HOUR;
        let outcomes = sum.bars.get(&start).map(Tally::outcomes).unwrap_or_default();
        Bar {
            at: Timestamp::from_second(start).unwrap_or(Timestamp::UNIX_EPOCH),
            outcomes,
        }
    };
    HookStats {
        hook: key.1,
        project: Some(key.0).filter(|path| !path.is_empty()),
        label: sum.label.1.clone(),
        version: version(&key.2).to_owned(),
        dialect: key.3,
        event: key.4,
        runs: tally.runs(),
        outcomes: tally.outcomes(),
        attempts: tally.attempts,
        successes: tally.successes,
        failures: tally.attempts - tally.successes,
        timeouts: tally.timeouts,
        total_ms: ms(tally.total_us),
        p50_ms: ms(tally.percentile_us(0.5)),
        p95_ms: ms(tally.percentile_us(0.95)),
        p99_ms: ms(tally.percentile_us(0.99)),
        max_ms: ms(tally.max_us),
        chars_added: tally.chars_added,
        counted: tally.counted.clone(),
        bars: (0..BARS).map(bar).collect(),
    }
}

async fn fill(db: &Arc<Db>, unread: &[Incoming], ranges: &[Range], ledger: &mut Ledger) -> Result<(), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let keys = hook_keys(&mut snapshot).await?;
    for range in ranges {
        for (_, owner, tally) in read(&mut snapshot, Of::Hooks, *range).await? {
            if let Some(key) = keys.get(&owner) {
                let sum = ledger.sum(key, owner);
                sum.seen = true;
                sum.tally.merge(&tally);
            }
        }
    }
    let hours = Range {
        span: HOUR,
        from: ledger.bars_from,
        to: i64::MAX,
    };
    for (start, owner, tally) in read(&mut snapshot, Of::Hooks, hours).await? {
        if let Some(key) = keys.get(&owner) {
            ledger.sum(key, owner).bars.entry(start).or_default().merge(&tally);
        }
    }
    add_spooled(&spooled, ledger);
    for it in &spooled.news {
        let Some(seq) = it.replaces else { continue };
        for old in steps(&mut snapshot, seq).await? {
            let tally = Tally::of(&old.step, old.chars, old.removals);
            if let Some(key) = keys.get(&old.owner) {
                ledger.step(key, it.incoming.key().0, |sum| sum.subtract(&tally));
            }
        }
    }
    snapshot.finish(Ok(())).await
}

fn add_spooled(spooled: &Overlay<'_>, ledger: &mut Ledger) {
    for incoming in spooled.traces() {
        for step in &incoming.trace.steps {
            let tally = Tally::of(step, chars_added(&step.edits), step.removed.len() as u64);
            ledger.step(&HookKey::of(&incoming.trace, step), nanos(&incoming.trace), |sum| {
                sum.merge(&tally)
            });
        }
    }
}

async fn hook_keys(connection: &mut SqliteConnection) -> Result<HashMap<i64, HookKey<'static>>, sqlx::Error> {
    let sql = "SELECT id, project, hook, definition, dialect, event, label, handler, layer, path, line FROM hooks";
    let rows: Vec<NumberedHook> = sqlx::query_as(sql).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|NumberedHook { id, key }| (id, key)).collect())
}
