//! Which spooled traces are news to the database.

use std::collections::{BTreeMap, HashMap};

use sqlx::SqliteConnection;

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
    let best: Vec<&Incoming> = most_complete(incoming.into_iter()).collect();
    if best.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = best.iter().map(|it| hex(&it.id)).collect();
    let there: Vec<(Vec<u8>, i64, String)> =
        sqlx::query_as("SELECT id, seq, outcomes FROM traces WHERE id IN (SELECT unhex(value) FROM json_each(?))")
            .bind(json(&ids))
            .fetch_all(connection)
            .await?;
    let mut known = HashMap::new();
    for (id, seq, outcomes) in there {
        known.insert(fetch::id(id)?, (seq, unfinished(&outcomes)));
    }
    let news = best.into_iter().filter_map(|incoming| match known.get(&incoming.id) {
        None => Some(News {
            incoming,
            replaces: None,
        }),
        Some((seq, left)) if left_open(incoming) < *left => Some(News {
            incoming,
            replaces: Some(*seq),
        }),
        Some(_) => None,
    });
    Ok(news.collect())
}

/// One account of each trace: the one with the fewest unended runs, the first of equal ones.
pub(crate) fn most_complete<'a>(incoming: impl Iterator<Item = &'a Incoming>) -> impl Iterator<Item = &'a Incoming> {
    let mut best: BTreeMap<[u8; 16], &Incoming> = BTreeMap::new();
    for it in incoming {
        match best.get(&it.id) {
            Some(known) if left_open(it) >= left_open(known) => {}
            Some(_) | None => drop(best.insert(it.id, it)),
        }
    }
    best.into_values()
}

fn left_open(incoming: &Incoming) -> usize {
    unfinished(&letters(&incoming.trace.steps))
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
