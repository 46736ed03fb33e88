//! What was done about the calls of tools (`agent-hooks.md` §10), counted over the traces themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::{ToolCalls, ToolCounts, Trace};
use jiff::Timestamp;

use crate::about::tool;
use crate::error::StoreError;
use crate::insert::json;
use crate::open::Db;
use crate::overlay::Overlay;
use crate::rollup::cover;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::unread::Incoming;

/// Counts of one tool in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolStats {
    /// Its name, as the payloads have it.
    pub tool: String,
    /// `None` for calls outside of any project.
    pub project: Option<String>,
    /// What was counted.
    pub counts: ToolCounts,
}

/// Which traces are counted.
struct Wanted<'a> {
    dialect: &'a str,
    calls: &'a ToolCalls,
    project: Option<&'a str>,
    /// Nanoseconds since 1970.
    from: i64,
}

/// By project (empty for none) and tool.
type Sums = BTreeMap<(String, String), ToolCounts>;

impl Store {
    /// What a dialect's hooks did about the calls of each tool since then, rounded down as in [`Store::stats`]. `project`
    /// leaves only the calls of that project. A call counts when at least one hook ran for it.
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
        let ranges = cover(since.as_second(), (self.now)().as_second());
        let begin = ranges.first().map_or(i64::MIN, |range| range.from);
        let wanted = Wanted {
            dialect,
            calls,
            project,
            from: begin.saturating_mul(1_000_000_000),
        };
        let mut sums = Sums::new();
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        match &db {
            Some(db) => {
                let filled = fill(db, &unread, &wanted, &mut sums).await;
                self.checked(db, filled).await?;
            }
            None => add_spooled(&Overlay::alone(&unread), &wanted, &mut sums),
        }
        let stats = sums.into_iter().map(|((project, tool), counts)| ToolStats {
            tool,
            project: Some(project).filter(|path| !path.is_empty()),
            counts,
        });
        Ok(stats.collect())
    }
}

/// The attempts and the names of changed fields outlive a trace's body.
const SQL: &str = "\
    WITH asked AS ( \
        SELECT t.seq, t.tool, p.value AS project, t.took_ms, coalesce(t.verdict ->> '$.kind' = ?5, 0) AS blocked \
        FROM names n \
        JOIN marks m ON m.name = n.id AND m.at_ns >= ?4 \
        JOIN traces t ON t.seq = m.seq \
        JOIN names d ON d.id = t.dialect \
        JOIN names p ON p.id = t.project \
        WHERE n.kind = 'event' AND n.value = ?2 AND d.value = ?1 AND t.tool IS NOT NULL \
              AND (?3 IS NULL OR p.value = ?3) AND t.seq NOT IN (SELECT value FROM json_each(?7)) \
              AND EXISTS (SELECT 1 FROM steps s WHERE s.seq = t.seq AND json_array_length(s.rest, '$.attempts') > 0) \
    ) \
    SELECT project, tool, count(*), sum(blocked), \
           sum(NOT blocked AND EXISTS (SELECT 1 FROM steps s, json_each(s.rest, '$.edits') e \
                                       WHERE s.seq = asked.seq AND e.value = ?6)), \
           sum(took_ms) \
    FROM asked GROUP BY project, tool";

async fn fill(db: &Arc<Db>, unread: &[Incoming], wanted: &Wanted<'_>, sums: &mut Sums) -> Result<(), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let rows: Vec<(String, String, i64, i64, i64, f64)> = sqlx::query_as(SQL)
        .bind(wanted.dialect)
        .bind(wanted.calls.event)
        .bind(wanted.project)
        .bind(wanted.from)
        .bind(wanted.calls.blocks.as_str())
        .bind(wanted.calls.input)
        .bind(json(&spooled.replaced()))
        .fetch_all(&mut *snapshot)
        .await?;
    for (project, tool, calls, blocked, modified, total_ms) in rows {
        let more = ToolCounts {
            calls: calls.unsigned_abs(),
            blocked: blocked.unsigned_abs(),
            modified: modified.unsigned_abs(),
            total_ms,
        };
        add(sums.entry((project, tool)).or_default(), &more);
    }
    add_spooled(&spooled, wanted, sums);
    snapshot.finish(Ok(())).await
}

fn add_spooled(spooled: &Overlay<'_>, wanted: &Wanted<'_>, sums: &mut Sums) {
    for incoming in spooled.traces().filter(|it| it.key().0 >= wanted.from) {
        let trace = &incoming.trace;
        let project = trace.project.as_deref().unwrap_or_default();
        let within = trace.dialect == wanted.dialect
            && trace.event == wanted.calls.event
            && wanted.project.is_none_or(|wanted| wanted == project);
        if let Some(tool) = tool(trace).filter(|_| within && ran(trace)) {
            let sum = sums.entry((project.to_owned(), tool.to_owned())).or_default();
            add(sum, &of(trace, wanted.calls));
        }
    }
}

fn ran(trace: &Trace) -> bool {
    trace.steps.iter().any(|step| !step.attempts.is_empty())
}

fn of(trace: &Trace, calls: &ToolCalls) -> ToolCounts {
    let blocked = trace.verdict.kind == calls.blocks;
    let mut edits = trace.steps.iter().flat_map(|step| &step.edits);
    ToolCounts {
        calls: 1,
        blocked: u64::from(blocked),
        modified: u64::from(!blocked && edits.any(|edit| edit.field == calls.input)),
        total_ms: trace.took_ms,
    }
}

fn add(sum: &mut ToolCounts, more: &ToolCounts) {
    sum.calls += more.calls;
    sum.blocked += more.blocked;
    sum.modified += more.modified;
    sum.total_ms += more.total_ms;
}
