//! Reading traces: page by page, one by its id, and how many there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::Catalog;
use hookwright_model::trace::{Trace, TraceRow};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use ulid::Ulid;

use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::fetch::{StoredTrace, TRACE_LINE, full_trace};
use crate::filter::{TraceFilter, WantedHook};
use crate::insert::{HookIdentity, to_json};
use crate::metrics::{read_hook_identities, uids_of};
use crate::open::Db;
use crate::projection::{Tag, TagKind, is_walked, outcome_letter};
use crate::step_totals::outcome_code;
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
    /// A page of at most `limit` traces, newest first by time and id.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn page(
        &self,
        filter: &TraceFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<HistoryPage, StoreError> {
        let db = self.reading_db().await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        let found = read_page(&db, filter, after, limit).await;
        let mut rows = self.check_result(&db, found).await?;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().map(|row| Cursor(row.key)).filter(|_| has_more);
        Ok(HistoryPage {
            rows: rows.into_iter().map(|stored| stored.row).collect(),
            next,
        })
    }

    /// The trace with this id, or with the only id that begins with `prefix`. If its body was removed,
    /// `bodies_removed_days` is set. With a complete id, a trace that is not imported yet is read from the spool.
    ///
    /// # Errors
    /// More than one id begins with `prefix`, or the history cannot be read.
    pub async fn show(&self, prefix: &str) -> Result<Option<Trace>, StoreError> {
        let Some((low, high)) = id_range(prefix) else {
            return Ok(None);
        };
        if let Some(unread) = self.find_unread(prefix).await? {
            return Ok(Some(unread));
        }
        let db = self.reading_db().await?;
        let found = read_between(&db, low, high, &self.catalog).await;
        let mut found = self.check_result(&db, found).await?;
        // The first character of an id has fewer bits than the others, so the range may be too wide.
        let begins = prefix.to_ascii_uppercase();
        found.retain(|trace| trace.trace.starts_with(&begins));
        if found.len() > 1 {
            return Err(StoreError::Ambiguous {
                prefix: prefix.to_owned(),
                some: found.into_iter().map(|trace| trace.trace).collect(),
            });
        }
        Ok(found.pop())
    }

    /// How many traces there are. This is cheap at any size, because the database stores the counts.
    ///
    /// # Errors
    /// The history cannot be read.
    pub async fn counts(&self) -> Result<TraceCounts, StoreError> {
        let db = self.reading_db().await?;
        let sql = "SELECT kind, value, traces FROM tag_values WHERE traces > 0";
        let rows = sqlx::query_as(sql).fetch_all(&db.readers).await;
        let rows: Vec<(String, String, i64)> = self.check_result(&db, rows).await?;
        let mut counts = TraceCounts::default();
        for (kind, value, traces) in rows {
            counts.by.entry(kind).or_default().insert(value, traces.unsigned_abs());
        }
        counts.traces = counts.by.get("dialect").map_or(0, |by| by.values().sum());
        Ok(counts)
    }
}

/// Reads a page in one snapshot. It has one row more than `limit` if there is one.
pub(crate) async fn read_page(
    db: &Arc<Db>,
    filter: &TraceFilter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<StoredTrace>, sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let mine = match &filter.identity {
        Some(wanted) => Some(rows_of_hook(&mut transaction, wanted).await?),
        None => None,
    };
    let mut tags = filter.required_tags();
    // Pages are read by a tag that every trace of the hook has.
    let common = |kind, name: for<'r> fn(&'r HookIdentity<'static>) -> &'r str| {
        let mut names = mine.iter().flatten().map(|(_, row)| name(row));
        let first = names.next()?;
        names.all(|name| name == first).then_some((kind, first))
    };
    tags.extend(common(TagKind::Hook, |row| &row.hook));
    tags.extend(common(TagKind::Event, |row| &row.event));
    tags.extend(common(TagKind::Dialect, |row| &row.dialect));
    let is_unknown = mine.as_ref().is_some_and(Vec::is_empty);
    let found = find_tags(&mut transaction, &tags).await?;
    let Some(tags) = found.filter(|_| !is_unknown) else {
        return transaction.finish(Ok(Vec::new())).await;
    };
    let mut query = page_query(&tags, filter, mine.as_deref(), after, limit);
    let lines: Option<String> = query.build_query_scalar().fetch_one(&mut *transaction).await?;
    let lines = transaction.finish(Ok(lines)).await?.unwrap_or_default();
    let mut rows = lines
        .lines()
        .map(StoredTrace::from_line)
        .collect::<Result<Vec<_>, _>>()?;
    // An aggregate promises no order.
    rows.sort_by_key(|row| Reverse(row.key));
    Ok(rows)
}

/// The rows of `hooks` that are this hook, with their ids.
async fn rows_of_hook(
    connection: &mut SqliteConnection,
    wanted: &WantedHook,
) -> Result<Vec<(i64, HookIdentity<'static>)>, sqlx::Error> {
    let rows = read_hook_identities(connection).await?;
    let uids = uids_of(&wanted.known, &rows);
    let is_wanted = |id: &i64| uids.get(id) == Some(&&*wanted.uid);
    Ok(rows.into_iter().filter(|(id, _)| is_wanted(id)).collect())
}

/// A tag that a filter requires, and its `tag_values.id`.
struct RequiredTag<'a> {
    id: i64,
    tag: Tag<'a>,
}

/// These tags, the rarest first; `None` if one of the tags is on no trace.
async fn find_tags<'a>(
    connection: &mut SqliteConnection,
    wanted: &[Tag<'a>],
) -> Result<Option<Vec<RequiredTag<'a>>>, sqlx::Error> {
    if wanted.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let rows: Vec<(&str, &str)> = wanted.iter().map(|(kind, value)| (kind.as_str(), *value)).collect();
    let found: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT j.key, n.id FROM json_each(?) j CROSS JOIN tag_values n ON n.kind = j.value ->> 0 AND n.value = j.value ->> 1 \
         WHERE n.traces > 0 ORDER BY n.traces",
    )
    .bind(to_json(&rows))
    .fetch_all(connection)
    .await?;
    let tag = |(index, id): &(i64, i64)| {
        let tag = *wanted.get(usize::try_from(*index).ok()?)?;
        Some(RequiredTag { id: *id, tag })
    };
    let tags: Vec<_> = found.iter().filter_map(tag).collect();
    Ok((tags.len() == wanted.len()).then_some(tags))
}

/// The index and the column of traces by which pages with this tag are read, if there is one.
fn index_of(kind: TagKind) -> Option<(&'static str, &'static str)> {
    match kind {
        TagKind::Project => Some(("traces_by_project", "project")),
        TagKind::Dialect => Some(("traces_by_dialect", "dialect")),
        TagKind::Event | TagKind::Verdict | TagKind::Hook | TagKind::Outcome => None,
    }
}

/// Builds the query for a page: the lines of its traces as one text, `NULL` without a trace. It reads the traces of the rarest tag that can be read in order, or all traces, from
/// the cursor back in time. The other tags are conditions on each trace.
fn page_query(
    tags: &[RequiredTag<'_>],
    filter: &TraceFilter,
    hooks: Option<&[(i64, HookIdentity<'static>)]>,
    after: Option<Cursor>,
    limit: usize,
) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(format!(
        "SELECT group_concat(line, char(10)) FROM (SELECT {TRACE_LINE} FROM "
    ));
    let first = tags
        .iter()
        .position(|it| is_walked(&it.tag) || index_of(it.tag.0).is_some());
    let first_tag = first.and_then(|first| tags.get(first));
    let walked = match first_tag.map(|it| (it.id, index_of(it.tag.0))) {
        Some((id, Some((index, column)))) => {
            query
                .push(format!("traces t INDEXED BY {index} WHERE t.{column} = "))
                .push_bind(id);
            "t"
        }
        Some((id, None)) => {
            query
                .push("trace_tags m CROSS JOIN traces t ON t.seq = m.seq WHERE m.name = ")
                .push_bind(id);
            "m"
        }
        None => {
            query.push("traces t INDEXED BY traces_by_time WHERE true");
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
    for (index, required) in tags.iter().enumerate() {
        if Some(index) != first {
            push_condition(&mut query, required);
        }
    }
    if let Some(hooks) = hooks {
        let ids: Vec<i64> = hooks.iter().map(|(id, _)| *id).collect();
        query
            .push(" AND EXISTS (SELECT 1 FROM steps s WHERE s.seq = t.seq AND s.hook IN (SELECT value FROM json_each(")
            .push_bind(to_json(&ids))
            .push(")))");
    }
    push_same_step(&mut query, filter);
    query.push(format!(" ORDER BY {walked}.at_ns DESC, {walked}.id DESC LIMIT "));
    query.push_bind(i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX));
    query.push(")");
    query
}

/// The condition that a trace `t` has a tag.
fn push_condition(query: &mut QueryBuilder<Sqlite>, RequiredTag { id, tag }: &RequiredTag<'_>) {
    match tag {
        (TagKind::Dialect, _) => query.push(" AND t.dialect = ").push_bind(*id),
        (TagKind::Event, _) => query.push(" AND t.event = ").push_bind(*id),
        (TagKind::Project, _) => query.push(" AND t.project = ").push_bind(*id),
        (TagKind::Verdict, kind) => query
            .push(" AND coalesce(t.verdict ->> '$.kind', 'proceed') = ")
            .push_bind((*kind).to_owned()),
        (TagKind::Outcome, outcome) => query
            .push(" AND instr(t.outcomes, ")
            .push_bind(outcome_letter(outcome))
            .push(") > 0"),
        (TagKind::Hook, _) => query
            .push(" AND EXISTS (SELECT 1 FROM trace_tags x WHERE x.name = ")
            .push_bind(*id)
            .push(" AND x.at_ns = t.at_ns AND x.id = t.id)"),
    };
}

/// The condition that the filter's hook has the filter's outcome itself.
fn push_same_step(query: &mut QueryBuilder<Sqlite>, filter: &TraceFilter) {
    let (true, Some(hook), Some(outcome)) = (filter.same_step, &filter.hook, filter.outcome) else {
        return;
    };
    query
        .push(" AND EXISTS (SELECT 1 FROM steps s JOIN hooks h ON h.id = s.hook WHERE s.seq = t.seq AND s.outcome = ")
        .push_bind(outcome_code(outcome))
        .push(" AND h.hook = ")
        .push_bind(hook.clone())
        .push(")");
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

async fn read_between(
    db: &Arc<Db>,
    low: [u8; 16],
    high: [u8; 16],
    catalog: &Catalog,
) -> Result<Vec<Trace>, sqlx::Error> {
    let mut transaction = Transaction::begin_read(db).await?;
    let mut query = QueryBuilder::<Sqlite>::new(format!("SELECT {TRACE_LINE} FROM traces t WHERE t.id BETWEEN "));
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
        traces.push(full_trace(&mut transaction, stored, catalog).await?);
    }
    transaction.finish(Ok(traces)).await
}
