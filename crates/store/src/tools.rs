//! What hooks did about the calls of tools (`agent-hooks.md` §10), counted over the traces themselves.

use std::sync::Arc;

use hookwright_model::{ToolCalls, ToolCounts};

use crate::error::StoreError;
use crate::metrics::MetricsFilter;
use crate::open::Db;
use crate::store::Store;

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
    asked: &'a MetricsFilter,
    /// The begin of the period, in nanoseconds since 1970.
    from: i64,
    /// The end of the period, in nanoseconds since 1970. It is not part of the period.
    to: i64,
}

/// A second in nanoseconds.
const NANOS: i64 = 1_000_000_000;

impl Store {
    /// What a dialect's hooks did about the calls of each tool in the filter's period, rounded as in
    /// [`Store::metrics`]. With a project, an agent or a session, only their calls are counted. A call counts if at least
    /// one hook ran for it.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn tools(
        &self,
        dialect: &str,
        calls: &ToolCalls,
        filter: &MetricsFilter,
    ) -> Result<Vec<ToolStats>, StoreError> {
        let period = filter.period(self.clock.now());
        let filter = ToolFilter {
            dialect,
            calls,
            asked: filter,
            from: period.from.saturating_mul(NANOS),
            to: period.to.unwrap_or(i64::MAX).saturating_mul(NANOS),
        };
        let db = self.reading_db().await?;
        let rows = read_tools(&db, &filter).await;
        let rows = self.check_result(&db, rows).await?;
        let stats = rows
            .into_iter()
            .map(|(project, tool, calls, blocked, modified, total_ms)| ToolStats {
                tool,
                project: Some(project).filter(|path| !path.is_empty()),
                counts: ToolCounts {
                    calls: calls.unsigned_abs(),
                    blocked: blocked.unsigned_abs(),
                    modified: modified.unsigned_abs(),
                    total_ms,
                },
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
        JOIN trace_tags m ON m.name = n.id AND m.at_ns >= ?4 AND m.at_ns < ?7 \
        JOIN traces t ON t.seq = m.seq \
        JOIN tag_values d ON d.id = t.dialect \
        JOIN tag_values p ON p.id = t.project \
        WHERE n.kind = 'event' AND n.value = ?2 AND d.value = ?1 AND t.tool IS NOT NULL \
              AND (?3 IS NULL OR p.value = ?3) \
              AND (?8 IS NULL OR t.agent = ?8) AND (?9 IS NULL OR t.session = ?9) \
              AND EXISTS (SELECT 1 FROM steps s WHERE s.seq = t.seq AND json_array_length(s.rest, '$.attempts') > 0) \
    ) \
    SELECT project, tool, count(*), sum(blocked), \
           sum(NOT blocked AND EXISTS (SELECT 1 FROM steps s, json_each(s.rest, '$.edits') e \
                                       WHERE s.seq = asked.seq AND e.value = ?6)), \
           sum(took_ms) \
    FROM asked GROUP BY project, tool ORDER BY project, tool";

/// Project, tool, calls, blocked calls, changed calls, milliseconds.
type ToolRow = (String, String, i64, i64, i64, f64);

async fn read_tools(db: &Arc<Db>, filter: &ToolFilter<'_>) -> Result<Vec<ToolRow>, sqlx::Error> {
    sqlx::query_as(TOOL_STATS_SQL)
        .bind(filter.dialect)
        .bind(filter.calls.event)
        .bind(filter.asked.project.as_deref())
        .bind(filter.from)
        .bind(filter.calls.blocks.as_str())
        .bind(filter.calls.input)
        .bind(filter.to)
        .bind(filter.asked.agent.as_deref())
        .bind(filter.asked.session.as_deref())
        .fetch_all(&db.readers)
        .await
}
