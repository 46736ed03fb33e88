//! How many traces each event has by hour, changed in the transaction that changes the traces.

use std::collections::BTreeMap;

use hookwright_model::Verdict;
use sqlx::SqliteConnection;

use crate::insert::to_json;
use crate::rollup::HOUR;

/// An hour in nanoseconds.
pub(crate) const HOUR_NS: i64 = HOUR * 1_000_000_000;

/// The project, dialect and event of a trace: ids in `tag_values`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, sqlx::FromRow)]
pub(crate) struct EventKey {
    pub(crate) project: i64,
    pub(crate) dialect: i64,
    pub(crate) event: i64,
}

/// What a batch changes, by event and hour: traces, and how many of them blocked the agent.
#[derive(Debug, Default)]
pub(crate) struct EventCountChanges(BTreeMap<(EventKey, i64), (i64, i64)>);

impl EventCountChanges {
    /// Counts a trace of a time in nanoseconds.
    pub(crate) fn add(&mut self, key: EventKey, at_ns: i64, verdict: &Verdict) {
        self.change(key, at_ns, verdict, 1);
    }

    /// Takes back what [`Self::add`] counted.
    pub(crate) fn undo(&mut self, key: EventKey, at_ns: i64, verdict: &Verdict) {
        self.change(key, at_ns, verdict, -1);
    }

    fn change(&mut self, key: EventKey, at_ns: i64, verdict: &Verdict, by: i64) {
        let (traces, blocked) = self.0.entry((key, at_ns.div_euclid(HOUR_NS))).or_default();
        *traces += by;
        *blocked += if verdict.kind.blocks() { by } else { 0 };
    }

    /// Writes the changes.
    pub(crate) async fn write(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let row = |((key, hour), (traces, blocked)): ((EventKey, i64), (i64, i64))| {
            (key.project, key.dialect, key.event, hour, traces, blocked)
        };
        let rows: Vec<(i64, i64, i64, i64, i64, i64)> = self.0.into_iter().map(row).collect();
        sqlx::query(
            "INSERT INTO event_counts (project, dialect, event, hour, traces, blocked) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true \
             ON CONFLICT (project, dialect, event, hour) \
             DO UPDATE SET traces = traces + excluded.traces, blocked = blocked + excluded.blocked",
        )
        .bind(to_json(&rows))
        .execute(connection)
        .await
        .map(drop)
    }
}
