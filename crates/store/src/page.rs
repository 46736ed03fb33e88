//! Reading traces: page by page, one by its id, and how many there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::{Trace, TraceRow};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use ulid::Ulid;

use crate::cursor::Cursor;
use crate::digest::{marks, row};
use crate::error::StoreError;
use crate::fetch::{COLUMNS, Recorded, whole};
use crate::filter::Filter;
use crate::insert::json;
use crate::open::Db;
use crate::overlay::Overlay;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::unread::{Incoming, Key};

/// Rows, newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The rows.
    pub rows: Vec<TraceRow>,
    /// Where the next page goes on; `None` at the end.
    pub next: Option<Cursor>,
}

/// How many traces there are, by what they can be found by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// In all.
    pub traces: u64,
    /// By kind (`dialect`, `event`, `project`, `verdict`, `hook`, `outcome`) and value. Traces of no project count under ``.
    pub by: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Store {
    /// A page of traces, newest first by time and id, from the database and the spool as one.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn page(&self, filter: &Filter, after: Option<Cursor>, limit: u32) -> Result<Page, StoreError> {
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        let found = match &db {
            Some(db) => {
                let found = recorded(db, &unread, filter, after, limit).await;
                self.checked(db, found).await?
            }
            None => (Overlay::alone(&unread), Vec::new()),
        };
        Ok(merge(&found.0, found.1, filter, after, limit))
    }

    /// The trace of an id, or of the only id that begins so. Its body may be gone, and then the trace says so.
    ///
    /// # Errors
    /// More than one id begins so; the database or the spool cannot be read.
    pub async fn show(&self, prefix: &str) -> Result<Option<Trace>, StoreError> {
        let Some((low, high)) = bounds(prefix) else {
            return Ok(None);
        };
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        let (spooled, found) = match &db {
            Some(db) => {
                let found = between(db, &unread, low, high).await;
                self.checked(db, found).await?
            }
            None => (Overlay::alone(&unread), Vec::new()),
        };
        let begins = prefix.to_ascii_uppercase();
        let within = spooled.traces().map(|it| it.trace.clone());
        let all = found
            .into_iter()
            .chain(within)
            .filter(|trace| trace.trace.starts_with(&begins));
        let fits: BTreeMap<String, Trace> = all.map(|trace| (trace.trace.clone(), trace)).collect();
        if fits.len() > 1 {
            return Err(StoreError::Ambiguous {
                prefix: prefix.to_owned(),
                some: fits.into_keys().take(2).collect(),
            });
        }
        Ok(fits.into_values().next())
    }

    /// How many traces there are. Cheap at any size: the database keeps count.
    ///
    /// # Errors
    /// The database or the spool cannot be read.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        let (spooled, rows) = match &db {
            Some(db) => {
                let counted = counted(db, &unread).await;
                self.checked(db, counted).await?
            }
            None => (Overlay::alone(&unread), Vec::new()),
        };
        let mut counts = Counts::default();
        for (kind, value, traces) in rows {
            counts.by.entry(kind).or_default().insert(value, traces.unsigned_abs());
        }
        for it in spooled.news.iter().filter(|it| it.replaces.is_none()) {
            for (kind, value) in marks(&it.incoming.trace) {
                *counts
                    .by
                    .entry(kind.word().to_owned())
                    .or_default()
                    .entry(value.to_owned())
                    .or_default() += 1;
            }
        }
        counts.traces = counts.by.get("dialect").map_or(0, |by| by.values().sum());
        Ok(counts)
    }
}

/// A snapshot's part of a page, with one row more than asked for when there is one.
async fn recorded<'a>(
    db: &Arc<Db>,
    unread: &'a [Incoming],
    filter: &Filter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<(Overlay<'a>, Vec<Recorded>), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let Some(names) = names(&mut snapshot, filter).await? else {
        return snapshot.finish(Ok((spooled, Vec::new()))).await;
    };
    let mut query = select(&names, filter, after, limit);
    let rows = query.build_query_as::<Recorded>().fetch_all(&mut *snapshot).await?;
    snapshot.finish(Ok((spooled, rows))).await
}

/// The numbers of the filter's marks, rarest first; `None` when one of them is on no trace at all.
async fn names(connection: &mut SqliteConnection, filter: &Filter) -> Result<Option<Vec<i64>>, sqlx::Error> {
    let wanted = filter.marks();
    if wanted.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let rows: Vec<(&str, &str)> = wanted.iter().map(|(kind, value)| (kind.word(), *value)).collect();
    let ids: Vec<i64> = sqlx::query_scalar(
        "SELECT n.id FROM json_each(?) j CROSS JOIN names n ON n.kind = j.value ->> 0 AND n.value = j.value ->> 1 \
         WHERE n.traces > 0 ORDER BY n.traces",
    )
    .bind(json(&rows))
    .fetch_all(connection)
    .await?;
    Ok((ids.len() == wanted.len()).then_some(ids))
}

/// Walks the marks of the rarest name, or all traces, from the cursor back in time; the other names are looked up.
fn select(names: &[i64], filter: &Filter, after: Option<Cursor>, limit: usize) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(format!("SELECT {COLUMNS} FROM "));
    let walked = match names.split_first() {
        Some((rarest, _)) => {
            query
                .push("marks m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = ")
                .push_bind(*rarest);
            "m"
        }
        None => {
            query.push("traces t WHERE true");
            "t"
        }
    };
    if let Some(Cursor((at, id))) = after {
        query
            .push(format!(" AND ({walked}.at_ns, {walked}.id) < ("))
            .push_bind(at)
            .push(", ")
            .push_bind(id.to_vec())
            .push(")");
    }
    if filter.since.is_some() {
        query
            .push(format!(" AND {walked}.at_ns >= "))
            .push_bind(filter.since_ns());
    }
    if filter.until.is_some() {
        query
            .push(format!(" AND {walked}.at_ns < "))
            .push_bind(filter.until_ns());
    }
    for name in names.iter().skip(1) {
        query
            .push(" AND EXISTS (SELECT 1 FROM marks x WHERE x.name = ")
            .push_bind(*name);
        query.push(" AND x.at_ns = m.at_ns AND x.id = m.id)");
    }
    query.push(format!(" ORDER BY {walked}.at_ns DESC, {walked}.id DESC LIMIT "));
    query.push_bind(i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX));
    query
}

/// One page of both. When the database has more than was asked for, what is older than its last row belongs to a later page.
fn merge(spooled: &Overlay<'_>, rows: Vec<Recorded>, filter: &Filter, after: Option<Cursor>, limit: usize) -> Page {
    let replaced = spooled.replaced();
    let last = rows.last().map(|row| row.key).filter(|_| rows.len() > limit);
    let in_reach = |key: Key| after.is_none_or(|Cursor(after)| key < after) && last.is_none_or(|last| key > last);
    let fresh = spooled
        .traces()
        .filter(|it| filter.matches(&it.trace) && in_reach(it.key()));
    let mut all: Vec<(Key, TraceRow)> = fresh.map(|it| (it.key(), row(&it.trace))).collect();
    all.extend(
        rows.into_iter()
            .filter(|it| !replaced.contains(&it.seq))
            .map(|it| (it.key, it.row)),
    );
    all.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    let more = last.is_some() || all.len() > limit;
    all.truncate(limit);
    let next = all.last().map(|(key, _)| *key).or(last).filter(|_| more).map(Cursor);
    Page {
        rows: all.into_iter().map(|(_, row)| row).collect(),
        next,
    }
}

/// The first and the last id that begin so; `None` when no id does.
fn bounds(prefix: &str) -> Option<([u8; 16], [u8; 16])> {
    const LENGTH: usize = 26;
    if prefix.is_empty() || prefix.len() > LENGTH || !prefix.is_ascii() {
        return None;
    }
    let prefix = prefix.to_ascii_uppercase();
    let filled = |with: char| {
        prefix
            .chars()
            .chain(std::iter::repeat(with))
            .take(LENGTH)
            .collect::<String>()
    };
    let low = Ulid::from_string(&filled('0')).ok()?;
    let high = Ulid::from_string(&filled('Z')).ok()?;
    Some((low.to_bytes(), high.to_bytes()))
}

async fn between<'a>(
    db: &Arc<Db>,
    unread: &'a [Incoming],
    low: [u8; 16],
    high: [u8; 16],
) -> Result<(Overlay<'a>, Vec<Trace>), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let mut query = QueryBuilder::<Sqlite>::new(format!("SELECT {COLUMNS} FROM traces t WHERE t.id BETWEEN "));
    query
        .push_bind(low.to_vec())
        .push(" AND ")
        .push_bind(high.to_vec())
        .push(" LIMIT 2");
    let rows = query.build_query_as::<Recorded>().fetch_all(&mut *snapshot).await?;
    let mut traces = Vec::new();
    for recorded in rows {
        traces.push(whole(&mut snapshot, recorded).await?);
    }
    snapshot.finish(Ok((spooled, traces))).await
}

async fn counted<'a>(
    db: &Arc<Db>,
    unread: &'a [Incoming],
) -> Result<(Overlay<'a>, Vec<(String, String, i64)>), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let rows = sqlx::query_as("SELECT kind, value, traces FROM names WHERE traces > 0")
        .fetch_all(&mut *snapshot)
        .await?;
    snapshot.finish(Ok((spooled, rows))).await
}
