//! What hooks did about the calls of tools (`agent-hooks.md` §10), counted over the traces themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::{ToolCalls, ToolCounts, Trace};
use jiff::Timestamp;

use crate::error::StoreError;
use crate::insert::to_json;
use crate::open::Db;
use crate::overlay::SpoolOverlay;
use crate::rollup::covering_ranges;
use crate::spool_reader::SpooledTrace;
use crate::store::Store;
use crate::summary::tool_name;
use crate::transaction::Transaction;

/// The counts of one tool in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolStats {
    /// The name of the tool, as in the payloads.
    pub tool: String,
    /// `None` for calls outside of any project.
    pub project: Option<String>,
    /// Calls, blocked calls, calls with changed input, and total time.
    pub counts: ToolCounts,
}

/// Which traces are counted.
struct ToolFilter<'a> {
    dialect: &'a str,
    calls: &'a ToolCalls,
    project: Option<&'a str>,
    /// The begin of the period, in nanoseconds since 1970.
    from: i64,
}

/// The counts by project (empty for none) and tool.
type Sums = BTreeMap<(String, String), ToolCounts>;

impl Store {
    /// What a dialect's hooks did about the calls of each tool since a time, which is rounded down as in
    /// [`Store::stats`]. With `project`, only the calls of that project are counted. A call counts if at least one hook
    /// ran for it.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn tools(
        &self,
        dialect: &str,
        calls: &ToolCalls,
        since: Timestamp,
        project: Option<&str>,
    ) -> Result<Vec<ToolStats>, StoreError> {
        let ranges = covering_ranges(since.as_second(), (self.clock)().as_second());
        let begin = ranges.first().map_or(i64::MIN, |range| range.from);
        let filter = ToolFilter {
            dialect,
            calls,
            project,
            from: begin.saturating_mul(1_000_000_000),
        };
        let mut sums = Sums::new();
        let db = self.db().await;
        let unread = self.unread_traces(db.as_ref()).await?;
        match &db {
            Some(db) => {
                let filled = fill(db, &unread, &filter, &mut sums).await;
                self.check_result(db, filled).await?;
            }
            None => add_spooled(&SpoolOverlay::without_database(&unread), &filter, &mut sums),
        }
        let stats = sums.into_iter().map(|((project, tool), counts)| ToolStats {
            tool,
            project: Some(project).filter(|path| !path.is_empty()),
            counts,
        });
        Ok(stats.collect())
    }
}

/// Counts the calls of tools in the database. It works without bodies, because the attempts and the names of changed
/// fields outlive them.
const TOOL_STATS_SQL: &str = "\
    WITH asked AS ( \
        SELECT t.seq, t.tool, p.value AS project, t.took_ms, coalesce(t.verdict ->> '$.kind' = ?5, 0) AS blocked \
        FROM tag_values n \
        JOIN trace_tags m ON m.name = n.id AND m.at_ns >= ?4 \
        JOIN traces t ON t.seq = m.seq \
        JOIN tag_values d ON d.id = t.dialect \
        JOIN tag_values p ON p.id = t.project \
        WHERE n.kind = 'event' AND n.value = ?2 AND d.value = ?1 AND t.tool IS NOT NULL \
              AND (?3 IS NULL OR p.value = ?3) AND t.seq NOT IN (SELECT value FROM json_each(?7)) \
              AND EXISTS (SELECT 1 FROM steps s WHERE s.seq = t.seq AND json_array_length(s.rest, '$.attempts') > 0) \
    ) \
    SELECT project, tool, count(*), sum(blocked), \
           sum(NOT blocked AND EXISTS (SELECT 1 FROM steps s, json_each(s.rest, '$.edits') e \
                                       WHERE s.seq = asked.seq AND e.value = ?6)), \
           sum(took_ms) \
    FROM asked GROUP BY project, tool";

async fn fill(
    db: &Arc<Db>,
    unread: &[SpooledTrace],
    filter: &ToolFilter<'_>,
    sums: &mut Sums,
) -> Result<(), sqlx::Error> {
    let mut transaction = Transaction::begin_read(&db.readers).await?;
    let spooled = SpoolOverlay::new(&mut transaction, unread).await?;
    let rows: Vec<(String, String, i64, i64, i64, f64)> = sqlx::query_as(TOOL_STATS_SQL)
        .bind(filter.dialect)
        .bind(filter.calls.event)
        .bind(filter.project)
        .bind(filter.from)
        .bind(filter.calls.blocks.as_str())
        .bind(filter.calls.input)
        .bind(to_json(&spooled.replaced_rows()))
        .fetch_all(&mut *transaction)
        .await?;
    for (project, tool, calls, blocked, modified, total_ms) in rows {
        let more = ToolCounts {
            calls: calls.unsigned_abs(),
            blocked: blocked.unsigned_abs(),
            modified: modified.unsigned_abs(),
            total_ms,
        };
        add_counts(sums.entry((project, tool)).or_default(), &more);
    }
    add_spooled(&spooled, filter, sums);
    transaction.finish(Ok(())).await
}

fn add_spooled(spooled: &SpoolOverlay<'_>, filter: &ToolFilter<'_>, sums: &mut Sums) {
    for incoming in spooled.traces().filter(|it| it.page_key().0 >= filter.from) {
        let trace = &incoming.trace;
        let project = trace.project.as_deref().unwrap_or_default();
        let within = trace.dialect == filter.dialect
            && trace.event == filter.calls.event
            && filter.project.is_none_or(|wanted| wanted == project);
        if let Some(tool) = tool_name(trace).filter(|_| within && has_attempts(trace)) {
            let sum = sums.entry((project.to_owned(), tool.to_owned())).or_default();
            add_counts(sum, &counts_of(trace, filter.calls));
        }
    }
}

fn has_attempts(trace: &Trace) -> bool {
    trace.steps.iter().any(|step| !step.attempts.is_empty())
}

fn counts_of(trace: &Trace, calls: &ToolCalls) -> ToolCounts {
    let blocked = trace.verdict.kind == calls.blocks;
    let mut edits = trace.steps.iter().flat_map(|step| &step.edits);
    ToolCounts {
        calls: 1,
        blocked: u64::from(blocked),
        modified: u64::from(!blocked && edits.any(|edit| edit.field == calls.input)),
        total_ms: trace.took_ms,
    }
}

fn add_counts(sum: &mut ToolCounts, more: &ToolCounts) {
    sum.calls += more.calls;
    sum.blocked += more.blocked;
    sum.modified += more.modified;
    sum.total_ms += more.total_ms;
}
