//! Rollups: tallies by minute, hour and day, changed in the transaction that changes the traces.

use std::collections::BTreeMap;

use sqlx::Arguments;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};

use crate::insert::{Row, insert, json};
use crate::tally::Tally;

/// Lengths of the buckets in seconds, finest first. Days are those of UTC.
pub(crate) const SPANS: [i64; 3] = [MINUTE, HOUR, DAY];
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 3600;
pub(crate) const DAY: i64 = 86_400;

/// How long minutes are kept, in seconds.
pub(crate) const MINUTES_KEPT: i64 = 2 * DAY;

/// The begin of the bucket that a time falls into, in seconds.
pub(crate) const fn floor(seconds: i64, span: i64) -> i64 {
    seconds.div_euclid(span) * span
}

/// Buckets of one length, from a begin to before an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) span: i64,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// The fewest buckets that cover everything since a time: minutes to the next hour, hours to the next day, then days.
/// Minutes are only there for two days; older beginnings are rounded down to the hour.
pub(crate) fn cover(since: i64, now: i64) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut from = if since < now - MINUTES_KEPT + HOUR {
        floor(since, HOUR)
    } else {
        floor(since, MINUTE)
    };
    for (span, next) in [(MINUTE, HOUR), (HOUR, DAY)] {
        let to = floor(from + next - 1, next);
        if from < to {
            ranges.push(Range { span, from, to });
            from = to;
        }
    }
    ranges.push(Range {
        span: DAY,
        from,
        to: i64::MAX,
    });
    ranges
}

/// Which rollup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// By `hooks.id`.
    Hooks,
    /// By `names.id` of a project.
    Projects,
}

/// What a batch changes, by minute and owner.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    minutes: BTreeMap<(Of, i64, i64), Change>,
}

#[derive(Debug, Default)]
struct Change {
    plus: Tally,
    minus: Tally,
}

/// Rollup, span, begin, owner.
type Key = (Of, i64, i64, i64);

impl Changes {
    /// Adds a tally at a time in nanoseconds.
    pub(crate) fn add(&mut self, of: Of, owner: i64, at_ns: i64, tally: &Tally) {
        self.at(of, owner, at_ns).plus.merge(tally);
    }

    /// Takes one back.
    pub(crate) fn take_back(&mut self, of: Of, owner: i64, at_ns: i64, tally: &Tally) {
        self.at(of, owner, at_ns).minus.merge(tally);
    }

    fn at(&mut self, of: Of, owner: i64, at_ns: i64) -> &mut Change {
        let minute = floor(at_ns.div_euclid(1_000_000_000), MINUTE);
        self.minutes.entry((of, minute, owner)).or_default()
    }

    fn buckets(&self) -> BTreeMap<Key, Change> {
        let mut buckets: BTreeMap<Key, Change> = BTreeMap::new();
        for ((of, minute, owner), change) in &self.minutes {
            for span in SPANS {
                let bucket = buckets.entry((*of, span, floor(*minute, span), *owner)).or_default();
                bucket.plus.merge(&change.plus);
                bucket.minus.merge(&change.minus);
            }
        }
        buckets
    }

    /// Writes them.
    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let buckets = self.buckets();
        let mut tallies = stored(connection, buckets.keys()).await?;
        for (key, change) in buckets {
            let tally = tallies.entry(key).or_default();
            tally.merge(&change.plus);
            tally.subtract(&change.minus);
        }
        let (mut hooks, mut projects) = (Vec::new(), Vec::new());
        for ((of, span, start, owner), tally) in tallies {
            let key = (span, start, owner);
            match of {
                Of::Hooks => hooks.push(HookBucket(Bucket { key, tally })),
                Of::Projects => projects.push(ProjectBucket(Bucket { key, tally })),
            }
        }
        insert(connection, hooks).await?;
        insert(connection, projects).await
    }
}

/// What these buckets hold, those that are there.
async fn stored(
    connection: &mut SqliteConnection,
    keys: impl Iterator<Item = &Key>,
) -> Result<BTreeMap<Key, Tally>, sqlx::Error> {
    let (hooks, projects): (Vec<&Key>, Vec<&Key>) = keys.partition(|key| key.0 == Of::Hooks);
    let bare = |keys: Vec<&Key>| json(&keys.iter().map(|key| (key.1, key.2, key.3)).collect::<Vec<_>>());
    let sql = "SELECT 0, m.span, m.start, m.owner, m.tally FROM json_each(?) j CROSS JOIN metrics m \
               ON m.span = j.value ->> 0 AND m.start = j.value ->> 1 AND m.owner = j.value ->> 2 \
               UNION ALL \
               SELECT 1, m.span, m.start, m.owner, m.tally FROM json_each(?) j CROSS JOIN activity m \
               ON m.span = j.value ->> 0 AND m.start = j.value ->> 1 AND m.owner = j.value ->> 2";
    let rows: Vec<(i64, i64, i64, i64, Vec<u8>)> = sqlx::query_as(sql)
        .bind(bare(hooks))
        .bind(bare(projects))
        .fetch_all(connection)
        .await?;
    let read = |(of, span, start, owner, bytes): (i64, i64, i64, i64, Vec<u8>)| {
        let of = if of == 0 { Of::Hooks } else { Of::Projects };
        Some(((of, span, start, owner), Tally::decode(&bytes)?))
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// The tallies of a range of buckets, with their begin and owner.
pub(crate) async fn read(
    connection: &mut SqliteConnection,
    of: Of,
    range: Range,
) -> Result<Vec<(i64, i64, Tally)>, sqlx::Error> {
    let sql = match of {
        Of::Hooks => "SELECT start, owner, tally FROM metrics WHERE span = ? AND start >= ? AND start < ?",
        Of::Projects => "SELECT start, owner, tally FROM activity WHERE span = ? AND start >= ? AND start < ?",
    };
    let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(sql)
        .bind(range.span)
        .bind(range.from)
        .bind(range.to)
        .fetch_all(connection)
        .await?;
    Ok(rows
        .into_iter()
        .filter_map(|(start, owner, bytes)| Some((start, owner, Tally::decode(&bytes)?)))
        .collect())
}

struct Bucket {
    key: (i64, i64, i64),
    tally: Tally,
}

impl Bucket {
    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.key.0)?;
        to.add(self.key.1)?;
        to.add(self.key.2)?;
        to.add(self.tally.encode())
    }
}

struct HookBucket(Bucket);

impl Row for HookBucket {
    const INTO: &'static str = "REPLACE INTO metrics (span, start, owner, tally)";
    const COLUMNS: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        self.0.bind(to)
    }
}

struct ProjectBucket(Bucket);

impl Row for ProjectBucket {
    const INTO: &'static str = "REPLACE INTO activity (span, start, owner, tally)";
    const COLUMNS: usize = 4;

    fn bind(self, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        self.0.bind(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cover_has_no_gap_and_begins_where_it_should(since in 0_i64..200_000_000, age in 0_i64..60 * DAY) {
            let now = since + age;
            let ranges = cover(since, now);
            let begin = ranges[0].from;
            prop_assert!(begin <= since && since - begin < HOUR);
            prop_assert!(age > MINUTES_KEPT - HOUR || since - begin < MINUTE);
            for pair in ranges.windows(2) {
                prop_assert_eq!(pair[0].to, pair[1].from);
            }
            for range in &ranges {
                prop_assert_eq!(range.from % range.span, 0);
            }
            prop_assert!(ranges.iter().all(|range| range.span == DAY || (range.to - range.from) / range.span < 60));
        }
    }
}
