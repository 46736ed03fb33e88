//! Which spooled traces are new to the database.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use sqlx::{Row as _, SqliteConnection};

use crate::fetch;
use crate::insert::to_json;
use crate::projection::{count_unfinished, outcome_letters};
use crate::spool_reader::SpooledTrace;

/// A trace to insert, and the row that it replaces if the database has a less complete record of the event.
pub(crate) struct Upsert<'a> {
    pub(crate) incoming: &'a SpooledTrace,
    pub(crate) replaces: Option<i64>,
}

/// What the database contains before an import.
#[derive(Debug, Default)]
pub(crate) struct ImportState {
    /// How far each spool file is imported, in bytes.
    pub(crate) imported: HashMap<String, u64>,
    /// The first free `traces.seq`. It never falls, although retention removes the highest ones: a block keeps the number
    /// of its first trace, and the words of all traces up to `searched` count as written.
    pub(crate) next_seq: i64,
    /// Row number and number of unfinished runs, for each spooled trace that the database already has.
    traces: HashMap<[u8; 16], (i64, usize)>,
}

impl ImportState {
    /// Reads all of it with one query.
    pub(crate) async fn load(
        connection: &mut SqliteConnection,
        incoming: &[&SpooledTrace],
    ) -> Result<Self, sqlx::Error> {
        let ids: Vec<String> = incoming.iter().map(|it| hex(&it.id)).collect();
        let rows = sqlx::query(
            "SELECT 0 AS kind, name AS what, imported AS number, '' AS letters FROM spool_files \
             UNION ALL SELECT 1, id, seq, outcomes FROM traces WHERE id IN (SELECT unhex(value) FROM json_each(?)) \
             UNION ALL SELECT 2, '', 1 + max((SELECT coalesce(max(seq), 0) FROM traces), (SELECT coalesce(max(id), 0) FROM blocks), \
                 coalesce((SELECT value FROM counters WHERE name = 'searched'), 0)), ''",
        )
        .bind(to_json(&ids))
        .fetch_all(connection)
        .await?;
        let mut state = Self::default();
        for row in rows {
            // The name is text and the id is a blob: the types differ from row to row, so they are not checked.
            let number: i64 = row.try_get_unchecked("number")?;
            match row.try_get_unchecked("kind")? {
                0_i64 => drop(
                    state
                        .imported
                        .insert(row.try_get_unchecked("what")?, number.unsigned_abs()),
                ),
                1 => {
                    let left = count_unfinished(row.try_get_unchecked("letters")?);
                    let id = fetch::id_from_bytes(row.try_get_unchecked("what")?)?;
                    state.traces.insert(id, (number, left));
                }
                _ => state.next_seq = number,
            }
        }
        Ok(state)
    }

    /// The traces that the database does not contain, or contains less completely.
    pub(crate) fn upserts<'a>(&self, incoming: impl Iterator<Item = &'a SpooledTrace>) -> Vec<Upsert<'a>> {
        let upserts = most_complete(incoming).filter_map(|incoming| match self.traces.get(&incoming.id) {
            None => Some(Upsert {
                incoming,
                replaces: None,
            }),
            // A removed text is noted in a later record of the same event. The row does not contain how many removals
            // it covers, so any record with removals replaces it.
            Some((seq, left))
                if unfinished_runs(incoming) < *left
                    || (unfinished_runs(incoming) == *left && removal_count(incoming) > 0) =>
            {
                Some(Upsert {
                    incoming,
                    replaces: Some(*seq),
                })
            }
            Some(_) => None,
        });
        upserts.collect()
    }
}

/// One record of each trace, the most complete one: with the fewest unfinished runs, then with the most removed
/// messages. Of equal records the first one remains.
fn most_complete<'a>(incoming: impl Iterator<Item = &'a SpooledTrace>) -> impl Iterator<Item = &'a SpooledTrace> {
    let mut best: BTreeMap<[u8; 16], &SpooledTrace> = BTreeMap::new();
    for it in incoming {
        match best.get(&it.id) {
            Some(known) if completeness(it) >= completeness(known) => {}
            Some(_) | None => drop(best.insert(it.id, it)),
        }
    }
    best.into_values()
}

/// A key to compare records: the smaller, the more complete.
fn completeness(incoming: &SpooledTrace) -> (usize, Reverse<usize>) {
    (unfinished_runs(incoming), Reverse(removal_count(incoming)))
}

fn removal_count(incoming: &SpooledTrace) -> usize {
    incoming.trace.steps.iter().map(|step| step.removed.len()).sum()
}

fn unfinished_runs(incoming: &SpooledTrace) -> usize {
    count_unfinished(&outcome_letters(&incoming.trace.steps))
}

pub(crate) fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
