//! Which spooled traces are news to the database.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use sqlx::{Row as _, SqliteConnection};

use crate::digest::{letters, unfinished};
use crate::fetch;
use crate::insert::json;
use crate::unread::Incoming;

/// A trace that is new, and the row it replaces when a less complete account of it is there.
pub(crate) struct News<'a> {
    pub(crate) incoming: &'a Incoming,
    pub(crate) replaces: Option<i64>,
}

/// Drops what is in the database already; of several accounts of a trace the most complete one stays.
pub(crate) async fn weigh<'a>(
    connection: &mut SqliteConnection,
    incoming: Vec<&'a Incoming>,
) -> Result<Vec<News<'a>>, sqlx::Error> {
    if incoming.is_empty() {
        return Ok(Vec::new());
    }
    let known = Known::of(connection, &incoming).await?;
    Ok(known.news(incoming.into_iter()))
}

/// What the database knows before an import.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// How far each spool file has been imported, in bytes.
    pub(crate) imported: HashMap<String, u64>,
    /// The first free `traces.seq`.
    pub(crate) next: i64,
    /// Row and number of unended runs, of those traces that are there.
    traces: HashMap<[u8; 16], (i64, usize)>,
}

impl Known {
    /// Asks for all of it at once.
    pub(crate) async fn of(connection: &mut SqliteConnection, incoming: &[&Incoming]) -> Result<Self, sqlx::Error> {
        let ids: Vec<String> = incoming.iter().map(|it| hex(&it.id)).collect();
        let rows = sqlx::query(
            "SELECT 0 AS kind, name AS what, imported AS number, '' AS letters FROM spool_files \
             UNION ALL SELECT 1, id, seq, outcomes FROM traces WHERE id IN (SELECT unhex(value) FROM json_each(?)) \
             UNION ALL SELECT 2, '', coalesce(max(seq), 0) + 1, '' FROM traces",
        )
        .bind(json(&ids))
        .fetch_all(connection)
        .await?;
        let mut known = Self::default();
        for row in rows {
            // The name is text and the id is not: each row has a type of its own.
            let number: i64 = row.try_get_unchecked("number")?;
            match row.try_get_unchecked("kind")? {
                0_i64 => drop(
                    known
                        .imported
                        .insert(row.try_get_unchecked("what")?, number.unsigned_abs()),
                ),
                1 => {
                    let left = unfinished(row.try_get_unchecked("letters")?);
                    let id = fetch::id(row.try_get_unchecked("what")?)?;
                    known.traces.insert(id, (number, left));
                }
                _ => known.next = number,
            }
        }
        Ok(known)
    }

    /// What of these the database does not hold, or not so complete.
    pub(crate) fn news<'a>(&self, incoming: impl Iterator<Item = &'a Incoming>) -> Vec<News<'a>> {
        let news = most_complete(incoming).filter_map(|incoming| match self.traces.get(&incoming.id) {
            None => Some(News {
                incoming,
                replaces: None,
            }),
            // What was taken out is noted on a later account of the same event; the row does not say how much it knows of.
            Some((seq, left))
                if left_open(incoming) < *left || (left_open(incoming) == *left && taken_out(incoming) > 0) =>
            {
                Some(News {
                    incoming,
                    replaces: Some(*seq),
                })
            }
            Some(_) => None,
        });
        news.collect()
    }
}

/// One account of each trace: the one with the fewest unended runs, of such the one that knows of most messages taken
/// out again, the first of equal ones.
pub(crate) fn most_complete<'a>(incoming: impl Iterator<Item = &'a Incoming>) -> impl Iterator<Item = &'a Incoming> {
    let mut best: BTreeMap<[u8; 16], &Incoming> = BTreeMap::new();
    for it in incoming {
        match best.get(&it.id) {
            Some(known) if rank(it) >= rank(known) => {}
            Some(_) | None => drop(best.insert(it.id, it)),
        }
    }
    best.into_values()
}

/// The less, the more complete.
fn rank(incoming: &Incoming) -> (usize, Reverse<usize>) {
    (left_open(incoming), Reverse(taken_out(incoming)))
}

fn taken_out(incoming: &Incoming) -> usize {
    incoming.trace.steps.iter().map(|step| step.removed.len()).sum()
}

fn left_open(incoming: &Incoming) -> usize {
    unfinished(&letters(&incoming.trace.steps))
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
