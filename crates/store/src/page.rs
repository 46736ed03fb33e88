//! Reading traces: page by page, one by its id, and how many there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::{Trace, TraceRow};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use ulid::Ulid;

use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::fetch::{StoredTrace, TRACE_COLUMNS, full_trace};
use crate::filter::TraceFilter;
use crate::insert::to_json;
use crate::open::Db;
use crate::overlay::SpoolOverlay;
use crate::projection::{tags_of, trace_row};
use crate::spool_reader::{PageKey, SpooledTrace};
use crate::store::Store;
use crate::transaction::Transaction;

/// A page of the history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistoryPage {
    /// The traces, newest first.
    pub rows: Vec<TraceRow>,
    /// Where the next page begins; `None` on the last page.
    pub next: Option<Cursor>,
}

/// How many traces there are, in all and for each value of the filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceCounts {
    /// The number of all traces.
    pub traces: u64,
    /// The number of traces by kind (`dialect`, `event`, `project`, `verdict`, `hook`, `outcome`) and value. Traces
    /// without a project have the empty string as their project.
    pub by: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Store {
    /// A page of at most `limit` traces, newest first by time and id, from the database and the spool as one.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn page(
        &self,
        filter: &TraceFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<HistoryPage, StoreError> {
        let db = self.db().await;
        let unread = self.unread_traces(db.as_ref()).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        let found = match &db {
            Some(db) => {
                let found = read_page(db, &unread, filter, after, limit).await;
                self.check_result(db, found).await?
            }
            None => (SpoolOverlay::without_database(&unread), Vec::new()),
        };
        Ok(merge_page(&found.0, found.1, filter, after, limit))
    }

    /// The trace with this id, or with the only id that begins with `prefix`. If its body was removed,
    /// `bodies_removed_days` is set.
    ///
    /// # Errors
    /// More than one id begins with `prefix`, or the database or the spool cannot be read.
    pub async fn show(&self, prefix: &str) -> Result<Option<Trace>, StoreError> {
        let Some((low, high)) = id_range(prefix) else {
            return Ok(None);
        };
        let db = self.db().await;
        let unread = self.unread_traces(db.as_ref()).await?;
        let (spooled, found) = match &db {
            Some(db) => {
                let found = read_between(db, &unread, low, high).await;
                self.check_result(db, found).await?
            }
            None => (SpoolOverlay::without_database(&unread), Vec::new()),
        };
        let begins = prefix.to_ascii_uppercase();
        let within = spooled.traces().map(|it| it.trace.clone());
        let all = found
            .into_iter()
            .chain(within)
            .filter(|trace| trace.trace.starts_with(&begins));
        let matches: BTreeMap<String, Trace> = all.map(|trace| (trace.trace.clone(), trace)).collect();
        if matches.len() > 1 {
            return Err(StoreError::Ambiguous {
                prefix: prefix.to_owned(),
                some: matches.into_keys().take(2).collect(),
            });
        }
        Ok(matches.into_values().next())
    }

    /// How many traces there are. This is cheap at any size, because the database stores the counts.
    ///
    /// # Errors
    /// The database or the spool cannot be read.
    pub async fn counts(&self) -> Result<TraceCounts, StoreError> {
        let db = self.db().await;
        let unread = self.unread_traces(db.as_ref()).await?;
        let (spooled, rows) = match &db {
            Some(db) => {
                let counted = read_counts(db, &unread).await;
                self.check_result(db, counted).await?
            }
            None => (SpoolOverlay::without_database(&unread), Vec::new()),
        };
        let mut counts = TraceCounts::default();
        for (kind, value, traces) in rows {
            counts.by.entry(kind).or_default().insert(value, traces.unsigned_abs());
        }
        for it in spooled.upserts.iter().filter(|it| it.replaces.is_none()) {
            for (kind, value) in tags_of(&it.incoming.trace) {
                *counts
                    .by
                    .entry(kind.as_str().to_owned())
                    .or_default()
                    .entry(value.to_owned())
                    .or_default() += 1;
            }
        }
        counts.traces = counts.by.get("dialect").map_or(0, |by| by.values().sum());
        Ok(counts)
    }
}

/// Reads the database's part of a page in one snapshot. It has one row more than `limit` if there is one.
async fn read_page<'a>(
    db: &Arc<Db>,
    unread: &'a [SpooledTrace],
    filter: &TraceFilter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<(SpoolOverlay<'a>, Vec<StoredTrace>), sqlx::Error> {
    let mut transaction = Transaction::begin_read(&db.readers).await?;
    let spooled = SpoolOverlay::new(&mut transaction, unread).await?;
    let Some(tag_ids) = find_tag_ids(&mut transaction, filter).await? else {
        return transaction.finish(Ok((spooled, Vec::new()))).await;
    };
    let mut query = page_query(&tag_ids, filter, after, limit);
    let rows = query
        .build_query_as::<StoredTrace>()
        .fetch_all(&mut *transaction)
        .await?;
    transaction.finish(Ok((spooled, rows))).await
}

/// The ids of the filter's tags, the rarest first; `None` if one of the tags is on no trace.
async fn find_tag_ids(
    connection: &mut SqliteConnection,
    filter: &TraceFilter,
) -> Result<Option<Vec<i64>>, sqlx::Error> {
    let wanted = filter.required_tags();
    if wanted.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let rows: Vec<(&str, &str)> = wanted.iter().map(|(kind, value)| (kind.as_str(), *value)).collect();
    let ids: Vec<i64> = sqlx::query_scalar(
        "SELECT n.id FROM json_each(?) j CROSS JOIN tag_values n ON n.kind = j.value ->> 0 AND n.value = j.value ->> 1 \
         WHERE n.traces > 0 ORDER BY n.traces",
    )
    .bind(to_json(&rows))
    .fetch_all(connection)
    .await?;
    Ok((ids.len() == wanted.len()).then_some(ids))
}

/// Builds the query for a page. It reads the traces of the rarest tag, or all traces, from the cursor back in time. The
/// other tags are looked up for each trace.
fn page_query(tag_ids: &[i64], filter: &TraceFilter, after: Option<Cursor>, limit: usize) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(format!("SELECT {TRACE_COLUMNS} FROM "));
    let walked = match tag_ids.split_first() {
        Some((rarest, _)) => {
            query
                .push("trace_tags m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = ")
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
    for tag_id in tag_ids.iter().skip(1) {
        query
            .push(" AND EXISTS (SELECT 1 FROM trace_tags x WHERE x.name = ")
            .push_bind(*tag_id);
        query.push(" AND x.at_ns = m.at_ns AND x.id = m.id)");
    }
    query.push(format!(" ORDER BY {walked}.at_ns DESC, {walked}.id DESC LIMIT "));
    query.push_bind(i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX));
    query
}

/// Merges database and spool into one page. If the database has more than `limit` rows, traces older than its last row
/// belong to a later page.
fn merge_page(
    spooled: &SpoolOverlay<'_>,
    rows: Vec<StoredTrace>,
    filter: &TraceFilter,
    after: Option<Cursor>,
    limit: usize,
) -> HistoryPage {
    let replaced = spooled.replaced_rows();
    let last = rows.last().map(|row| row.key).filter(|_| rows.len() > limit);
    let in_reach = |key: PageKey| after.is_none_or(|Cursor(after)| key < after) && last.is_none_or(|last| key > last);
    let fresh = spooled
        .traces()
        .filter(|it| filter.matches(&it.trace) && in_reach(it.page_key()));
    let mut all: Vec<(PageKey, TraceRow)> = fresh.map(|it| (it.page_key(), trace_row(&it.trace))).collect();
    all.extend(
        rows.into_iter()
            .filter(|it| !replaced.contains(&it.seq))
            .map(|it| (it.key, it.row)),
    );
    all.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    let more = last.is_some() || all.len() > limit;
    all.truncate(limit);
    let next = all.last().map(|(key, _)| *key).or(last).filter(|_| more).map(Cursor);
    HistoryPage {
        rows: all.into_iter().map(|(_, row)| row).collect(),
        next,
    }
}

/// The first and the last id that begin with `prefix`; `None` if no id can.
fn id_range(prefix: &str) -> Option<([u8; 16], [u8; 16])> {
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

async fn read_between<'a>(
    db: &Arc<Db>,
    unread: &'a [SpooledTrace],
    low: [u8; 16],
    high: [u8; 16],
) -> Result<(SpoolOverlay<'a>, Vec<Trace>), sqlx::Error> {
    let mut transaction = Transaction::begin_read(&db.readers).await?;
    let spooled = SpoolOverlay::new(&mut transaction, unread).await?;
    let mut query = QueryBuilder::<Sqlite>::new(format!("SELECT {TRACE_COLUMNS} FROM traces t WHERE t.id BETWEEN "));
    query
        .push_bind(low.to_vec())
        .push(" AND ")
        .push_bind(high.to_vec())
        .push(" LIMIT 2");
    let rows = query
        .build_query_as::<StoredTrace>()
        .fetch_all(&mut *transaction)
        .await?;
    let mut traces = Vec::new();
    for stored in rows {
        traces.push(full_trace(&mut transaction, stored).await?);
    }
    transaction.finish(Ok((spooled, traces))).await
}

async fn read_counts<'a>(
    db: &Arc<Db>,
    unread: &'a [SpooledTrace],
) -> Result<(SpoolOverlay<'a>, Vec<(String, String, i64)>), sqlx::Error> {
    let mut transaction = Transaction::begin_read(&db.readers).await?;
    let spooled = SpoolOverlay::new(&mut transaction, unread).await?;
    let rows = sqlx::query_as("SELECT kind, value, traces FROM tag_values WHERE traces > 0")
        .fetch_all(&mut *transaction)
        .await?;
    transaction.finish(Ok((spooled, rows))).await
}
