//! What happened over time, as a histogram.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::Outcome;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::open::Db;
use crate::overlay::Overlay;
use crate::rollup::{HOUR, MINUTE, MINUTES_KEPT, Of, Range, floor, read};
use crate::store::Store;
use crate::tally::outcome;
use crate::transaction::Transaction;
use crate::unread::Incoming;

/// What happened in one span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// Its begin.
    pub at: Timestamp,
    /// How often each outcome was seen; those never seen are absent.
    pub outcomes: BTreeMap<Outcome, u64>,
}

impl Store {
    /// How often each outcome was seen since then, in so many spans of equal length, oldest first.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn bars(&self, project: Option<&str>, since: Timestamp, buckets: u32) -> Result<Vec<Bar>, StoreError> {
        let grid = Grid::new(nanos_of(since), nanos_of((self.now)()), buckets);
        let mut counts = vec![BTreeMap::new(); grid.buckets];
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        match &db {
            Some(db) => {
                let drawn = draw(db, &unread, project, &grid, &mut counts).await;
                self.checked(db, drawn).await?;
            }
            None => draw_spooled(&Overlay::alone(&unread), project, &grid, &mut counts),
        }
        Ok(counts
            .into_iter()
            .enumerate()
            .map(|(index, outcomes)| Bar {
                at: grid.begin(index),
                outcomes,
            })
            .collect())
    }
}

fn nanos_of(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX)
}

/// Spans of equal length from one time to another, in nanoseconds.
struct Grid {
    from: i64,
    width: i64,
    buckets: usize,
}

impl Grid {
    fn new(from: i64, now: i64, buckets: u32) -> Self {
        let buckets = buckets.clamp(1, 1000);
        let width = (now.saturating_sub(from) / i64::from(buckets)).max(1);
        Self {
            from,
            width,
            buckets: buckets as usize,
        }
    }

    /// The span that a time falls into. A rollup that begins before the first span counts there.
    fn index(&self, at: i64) -> usize {
        let index = usize::try_from(at.saturating_sub(self.from) / self.width).unwrap_or(0);
        index.min(self.buckets - 1)
    }

    fn begin(&self, index: usize) -> Timestamp {
        let at = i128::from(self.from) + i128::from(self.width) * index as i128;
        Timestamp::from_nanosecond(at).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The finest rollup that is not finer than needed; `None` when traces themselves must be counted.
    fn span(&self) -> Option<i64> {
        let width = self.width / 1_000_000_000;
        let reach = width.saturating_mul(i64::try_from(self.buckets).unwrap_or(i64::MAX));
        match width {
            HOUR.. => Some(HOUR),
            MINUTE.. if reach < MINUTES_KEPT - HOUR => Some(MINUTE),
            MINUTE.. => Some(HOUR),
            _ => None,
        }
    }
}

type Counts = Vec<BTreeMap<Outcome, u64>>;

async fn draw(
    db: &Arc<Db>,
    unread: &[Incoming],
    project: Option<&str>,
    grid: &Grid,
    counts: &mut Counts,
) -> Result<(), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    draw_spooled(&spooled, project, grid, counts);
    let sql = "SELECT id FROM names WHERE kind = 'project' AND (?1 IS NULL OR value = ?1)";
    let owners: Vec<i64> = sqlx::query_scalar(sql).bind(project).fetch_all(&mut *snapshot).await?;
    match grid.span() {
        Some(span) => {
            let range = Range {
                span,
                from: floor(grid.from.div_euclid(1_000_000_000), span),
                to: i64::MAX,
            };
            for (start, owner, tally) in read(&mut snapshot, Of::Projects, range).await? {
                if owners.contains(&owner) {
                    let bar = &mut counts[grid.index(start.saturating_mul(1_000_000_000))];
                    tally
                        .outcomes()
                        .into_iter()
                        .for_each(|(outcome, count)| *bar.entry(outcome).or_default() += count);
                }
            }
        }
        None => {
            let sql = "SELECT at_ns, project, outcomes FROM traces WHERE at_ns >= ?";
            let rows: Vec<(i64, i64, String)> = sqlx::query_as(sql).bind(grid.from).fetch_all(&mut *snapshot).await?;
            for (at, _, letters) in rows.into_iter().filter(|(_, owner, _)| owners.contains(owner)) {
                let bar = &mut counts[grid.index(at)];
                let seen = letters.bytes().filter_map(|letter| outcome(letter.checked_sub(b'a')?));
                seen.for_each(|outcome| *bar.entry(outcome).or_default() += 1);
            }
        }
    }
    snapshot.finish(Ok(())).await
}

/// Of a trace that replaces another one, the outcomes of both are drawn until it is imported.
fn draw_spooled(spooled: &Overlay<'_>, project: Option<&str>, grid: &Grid, counts: &mut Counts) {
    let within = |it: &&Incoming| {
        it.key().0 >= grid.from && project.is_none_or(|project| it.trace.project.as_deref() == Some(project))
    };
    for incoming in spooled.traces().filter(within) {
        let bar = &mut counts[grid.index(incoming.key().0)];
        incoming
            .trace
            .steps
            .iter()
            .for_each(|step| *bar.entry(step.outcome).or_default() += 1);
    }
}
