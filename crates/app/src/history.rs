//! The commands that read the history: pages, single traces, histograms and metrics.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Dialect, Hook, HookCounts, Trace, args};
use hookwright_store::{Cursor, HookStats, StoreError, ToolStats, TraceFilter};
use hookwright_workspace::ProcessRole;
use jiff::{SignedDuration, Timestamp};
use serde_json::Number;

use crate::app::App;
use crate::dto::{
    Bar, BarsDoc, BarsRequest, Empty, EventActivityRow, HistoryDoc, HistoryRequest, MomentsDoc, MomentsRequest,
    StatsDoc, StatsRequest, StatsRow, ToolRow, TraceRequest,
};
use crate::fault::{AMBIGUOUS_TRACE, BAD_CURSOR, Fault, NO_HISTORY, UNKNOWN_TRACE};
use crate::history_store::{row, to_u32};
use crate::pushes::{Push, Topic};
use crate::query::Query;

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InvalidCursor(cursor) => BAD_CURSOR.render(args! { "cursor" => cursor }).into(),
            StoreError::Ambiguous { prefix, some } => AMBIGUOUS_TRACE
                .render(args! { "trace" => prefix, "some" => some.join(", ") })
                .into(),
            StoreError::Damaged { .. }
            | StoreError::DamagedInUse { .. }
            | StoreError::Newer { .. }
            | StoreError::NotWritable { .. }
            | StoreError::Full { .. }
            | StoreError::SpoolOnly { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. } => NO_HISTORY.render(args! { "why" => error.to_string() }).into(),
        }
    }
}

/// `history.page`: one page of the traces that match the filter, newest first.
///
/// # Errors
/// The history cannot be read, or the cursor is invalid.
pub async fn history_page(app: &App, request: HistoryRequest) -> Result<HistoryDoc, Fault> {
    let after = request.after.as_deref().map(str::parse::<Cursor>).transpose()?;
    let filter = TraceFilter {
        project: request.project.map(|project| project_text(app, &project)),
        event: request.event,
        dialect: request.dialect,
        outcome: request.outcome,
        hook: request.hook,
        verdict: request.verdict,
        since: request.since,
        until: request.until,
    };
    let store = app.history.open_for_reading().await?;
    let page = store.page(&filter, after, request.limit.clamp(1, 10_000)).await?;
    Ok(HistoryDoc {
        traces: page.rows,
        next: page.next.map(|cursor| cursor.to_string()),
        searchable_until: store.searchable_until().await?.map(|at| at.to_string()),
        waiting: to_u32(store.waiting().await?),
    })
}

/// How many rows are read at once for a query.
const QUERY_PAGE: u32 = 500;

/// One page of the traces of a query, newest first.
///
/// # Errors
/// The query cannot be read, the history cannot be read, or the cursor is invalid.
pub async fn history_query(app: &App, text: &str, after: Option<&str>, limit: u32) -> Result<HistoryDoc, Fault> {
    let query = Query::parse(text, app.workspace.now())?;
    let filter = query.filter();
    let page_size = if query.is_empty() { limit + 1 } else { QUERY_PAGE };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
    let mut after = after.map(str::parse::<Cursor>).transpose()?;
    let store = app.history.open_for_reading().await?;
    let mut traces: Vec<TraceRow> = Vec::new();
    let mut has_more = false;
    'pages: loop {
        let page = store.page(&filter, after, page_size).await?;
        for row in page.rows {
            if !query.matches_row(&row) {
                continue;
            }
            // Retention may have removed the trace since its row was read.
            if query.needs_trace()
                && !store
                    .show(&row.trace)
                    .await?
                    .is_some_and(|trace| query.matches_trace(&trace))
            {
                continue;
            }
            if traces.len() == limit {
                has_more = true;
                break 'pages;
            }
            traces.push(row);
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let next = traces.last().filter(|_| has_more).and_then(Cursor::after);
    Ok(HistoryDoc {
        traces,
        next: next.map(|cursor| cursor.to_string()),
        searchable_until: store.searchable_until().await?.map(|at| at.to_string()),
        waiting: to_u32(store.waiting().await?),
    })
}

/// `history.show`: one complete trace, by its id or the beginning of its id.
///
/// # Errors
/// The history cannot be read, there is no such trace, or several ids begin like this.
pub async fn history_show(app: &App, request: TraceRequest) -> Result<Trace, Fault> {
    let found = app.history.open_for_reading().await?.show(&request.trace).await?;
    found.ok_or_else(|| UNKNOWN_TRACE.render(args! { "trace" => request.trace }).into())
}

/// `history.bars`: how many hooks ended with each outcome, for equal parts of a period.
///
/// # Errors
/// The history cannot be read.
pub async fn history_bars(app: &App, request: BarsRequest) -> Result<BarsDoc, Fault> {
    let project = request.project.map(|project| project_text(app, &project));
    let since = time_before(app, request.since_ms);
    let store = app.history.open_for_reading().await?;
    let buckets = request.buckets.clamp(1, 1000);
    let bars = store.bars(project.as_deref(), since, buckets).await?;
    Ok(BarsDoc {
        buckets: bars.into_iter().map(bar).collect(),
        waiting: to_u32(store.waiting().await?),
    })
}

/// `stats`: the metrics of hooks and of tool calls in a period.
///
/// # Errors
/// The history cannot be read.
pub async fn stats(app: &App, request: StatsRequest) -> Result<StatsDoc, Fault> {
    let project = request.project.map(|project| project_text(app, &project));
    let since = time_before(app, request.since_ms);
    let store = app.history.open_for_reading().await?;
    let hooks = store.stats(since, project.as_deref()).await?;
    let mut tools = Vec::new();
    for dialect in hookwright_dialects::all() {
        let Some(calls) = dialect.card().tool_calls else {
            continue;
        };
        let stats = store
            .tools(dialect.card().id, &calls, since, project.as_deref())
            .await?;
        tools.extend(stats.into_iter().map(|stats| tool_row(*dialect, stats)));
    }
    Ok(StatsDoc {
        since: since.to_string(),
        waiting: to_u32(store.waiting().await?),
        tools,
        hooks: hooks
            .into_iter()
            .map(|stats| {
                let hook = hook_of(app, &stats);
                stats_row(stats, hook.as_deref())
            })
            .collect(),
    })
}

/// `announce`: another process recorded a trace.
///
/// # Errors
/// The history cannot be read.
pub async fn announce(app: &App, request: TraceRequest) -> Result<Empty, Fault> {
    // An older version of the trace may be in the database, from before its detached hooks ended.
    app.history.wait_for_import().await;
    let trace = history_show(app, request).await?;
    // The other process may have added its project to the list.
    let mut stale = Topic::stale_after(app.workspace.refresh_app_files());
    stale.insert(Topic::Projects);
    app.push(Push::Traces {
        rows: vec![row(&trace)],
    });
    app.push_stale(&stale.into_iter().collect::<Vec<_>>());
    Ok(Empty {})
}

/// The hook of these metrics, if its definition still exists.
fn hook_of(app: &App, stats: &HookStats) -> Option<Arc<Hook>> {
    let project = stats.project.as_deref().map_or(&*app.workspace.env.cwd, Path::new);
    // User hooks are loaded with every project, so any open project is sufficient.
    let open = app
        .workspace
        .open_projects()
        .into_iter()
        .find(|open_project| stats.project.is_none() || open_project.project == project);
    // An engine does not begin to watch a project only because its metrics are requested.
    let open_project = match app.workspace.role {
        ProcessRole::OneShot => open.or_else(|| app.workspace.open_project(project).ok())?,
        ProcessRole::Engine => open?,
    };
    open_project.snapshot().hook(&stats.hook).cloned()
}

fn project_text(app: &App, project: &str) -> String {
    app.workspace.env.absolute(Path::new(project)).display().to_string()
}

pub(crate) fn time_before(app: &App, ms: f64) -> Timestamp {
    let now = app.workspace.now();
    now.checked_sub(SignedDuration::from_millis(ms.max(0.0) as i64))
        .unwrap_or(Timestamp::MIN)
}

fn stats_row(stats: HookStats, hook: Option<&Hook>) -> StatsRow {
    let counts = HookCounts {
        outcomes: stats.outcomes.clone(),
        runs: stats.runs,
        attempts: stats.attempts,
        successes: stats.successes,
        failures: stats.failures,
        total_ms: stats.total_ms,
        chars_added: stats.chars_added,
        counted: stats.counted.clone(),
        mode: hook.map(|hook| hook.mode),
        definition: hook.map(|hook| hook.definition.clone()),
    };
    let native = hookwright_dialects::find(&stats.dialect).map(|dialect| dialect.native_hook_counters(&counts));
    StatsRow {
        native: by_name(native.unwrap_or_default()),
        hook: stats.hook,
        project: stats.project,
        label: stats.label,
        version: stats.version,
        dialect: stats.dialect,
        event: stats.event,
        runs: to_u32(stats.runs),
        outcomes: stats
            .outcomes
            .into_iter()
            .map(|(outcome, count)| (outcome, to_u32(count)))
            .collect(),
        attempts: to_u32(stats.attempts),
        total_ms: stats.total_ms,
        p50_ms: stats.p50_ms,
        p95_ms: stats.p95_ms,
        p99_ms: stats.p99_ms,
        max_ms: stats.max_ms,
        timeouts: to_u32(stats.timeouts),
        chars_added: stats.chars_added,
        bars: stats.bars.into_iter().map(bar).collect(),
    }
}

fn tool_row(dialect: &dyn Dialect, stats: ToolStats) -> ToolRow {
    ToolRow {
        native: by_name(dialect.native_tool_counters(&stats.counts)),
        tool: stats.tool,
        dialect: dialect.card().id.to_owned(),
        project: stats.project,
    }
}

/// Counters by name, without those that JSON cannot represent.
fn by_name(counters: Vec<(&'static str, f64)>) -> BTreeMap<String, Number> {
    let counters = counters.into_iter();
    counters
        .filter_map(|(name, value)| Some((name.to_owned(), to_json_number(value)?)))
        .collect()
}

/// A counter as a JSON number: a count is written as a whole number, a time keeps its fraction.
fn to_json_number(value: f64) -> Option<Number> {
    let whole = value.fract() == 0.0 && (0.0..9e15).contains(&value);
    if whole {
        Some(Number::from(value as u64))
    } else {
        Number::from_f64(value)
    }
}

fn bar(bar: hookwright_store::OutcomeBar) -> Bar {
    Bar {
        at: bar.at.to_string(),
        outcomes: bar
            .outcomes
            .into_iter()
            .map(|(outcome, count)| (outcome, to_u32(count)))
            .collect(),
    }
}

/// `history.moments`: the activity of every event of a dialect in a project.
///
/// # Errors
/// The dialect is unknown, or the history cannot be read.
pub async fn history_moments(app: &App, request: MomentsRequest) -> Result<MomentsDoc, Fault> {
    let card = find_dialect(&request.dialect)?.card();
    let events: Vec<&str> = card.events.iter().map(|event| event.name).collect();
    let project = app
        .workspace
        .env
        .absolute(Path::new(&request.project))
        .display()
        .to_string();
    let store = app.history.open_for_reading().await?;
    let mut found = store
        .event_activity(&project, card.id, &events, time_before(app, request.since_ms))
        .await?;
    let rows = events.iter().map(|event| {
        let activity = found.remove(*event).unwrap_or_default();
        EventActivityRow {
            event: (*event).to_owned(),
            traces: to_u32(activity.traces),
            blocked: to_u32(activity.blocked),
            last: activity.last,
        }
    });
    Ok(MomentsDoc {
        moments: rows.collect(),
        waiting: to_u32(store.waiting().await?),
    })
}
