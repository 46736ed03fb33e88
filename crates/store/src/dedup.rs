//! Which spooled traces are news to the database.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use sqlx::{Row as _, SqliteConnection};

use crate::fetch;
use crate::insert::to_json;
use crate::projection::{count_unfinished, outcome_letters};
use crate::spool_reader::SpooledTrace;

/// A trace that is new, and the row it replaces when a less complete account of it is there.
pub(crate) struct Upsert<'a> {
    pub(crate) incoming: &'a SpooledTrace,
    pub(crate) replaces: Option<i64>,
}

/// Drops what is in the database already; of several accounts of a trace the most complete one stays.
pub(crate) async fn dedup<'a>(
    connection: &mut SqliteConnection,
    incoming: Vec<&'a SpooledTrace>,
) -> Result<Vec<Upsert<'a>>, sqlx::Error> {
    if incoming.is_empty() {
        return Ok(Vec::new());
    }
    let state = ImportState::load(connection, &incoming).await?;
    Ok(state.upserts(incoming.into_iter()))
}

/// What the database knows before an import.
#[derive(Debug, Default)]
pub(crate) struct ImportState {
    /// How far each spool file has been imported, in bytes.
    pub(crate) imported: HashMap<String, u64>,
    /// The first free `traces.seq`.
    pub(crate) next_seq: i64,
    /// Row and number of unended runs, of those traces that are there.
    traces: HashMap<[u8; 16], (i64, usize)>,
}

impl ImportState {
    /// Asks for all of it at once.
    pub(crate) async fn load(
        connection: &mut SqliteConnection,
        incoming: &[&SpooledTrace],
    ) -> Result<Self, sqlx::Error> {
        let ids: Vec<String> = incoming.iter().map(|it| hex(&it.id)).collect();
        let rows = sqlx::query(
            "SELECT 0 AS kind, name AS what, imported AS number, '' AS letters FROM spool_files \
             UNION ALL SELECT 1, id, seq, outcomes FROM traces WHERE id IN (SELECT unhex(value) FROM json_each(?)) \
             UNION ALL SELECT 2, '', coalesce(max(seq), 0) + 1, '' FROM traces",
        )
        .bind(to_json(&ids))
        .fetch_all(connection)
        .await?;
        let mut state = Self::default();
        for row in rows {
            // The name is text and the id is not: each row has a type of its own.
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

    /// What of these the database does not hold, or not so complete.
    pub(crate) fn upserts<'a>(&self, incoming: impl Iterator<Item = &'a SpooledTrace>) -> Vec<Upsert<'a>> {
        let upserts = most_complete(incoming).filter_map(|incoming| match self.traces.get(&incoming.id) {
            None => Some(Upsert {
                incoming,
                replaces: None,
            }),
            // What was taken out is noted on a later account of the same event; the row does not say how much it knows of.
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

/// One account of each trace: the one with the fewest unended runs, of such the one that knows of most messages taken
/// out again, the first of equal ones.
pub(crate) fn most_complete<'a>(
    incoming: impl Iterator<Item = &'a SpooledTrace>,
) -> impl Iterator<Item = &'a SpooledTrace> {
    let mut best: BTreeMap<[u8; 16], &SpooledTrace> = BTreeMap::new();
    for it in incoming {
        match best.get(&it.id) {
            Some(known) if completeness(it) >= completeness(known) => {}
            Some(_) | None => drop(best.insert(it.id, it)),
        }
    }
    best.into_values()
}

/// The less, the more complete.
fn completeness(incoming: &SpooledTrace) -> (usize, Reverse<usize>) {
    (unfinished_runs(incoming), Reverse(removal_count(incoming)))
}

fn removal_count(incoming: &SpooledTrace) -> usize {
    incoming.trace.steps.iter().map(|step| step.removed.len()).sum()
}

fn unfinished_runs(incoming: &SpooledTrace) -> usize {
    count_unfinished(&outcome_letters(&incoming.trace.steps))
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
