//! The commands that read the history: pages, single traces and histograms.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Outcome, Trace, render};
use hookwright_store::{Cursor, Store, StoreError, TraceFilter};
use jiff::Timestamp;

use crate::app::App;
use crate::dto::{
    Bar, BarsDoc, BarsRequest, Empty, EventActivityRow, EventBar, HistoryDoc, HistoryRequest, Millis, MomentsDoc,
    MomentsRequest, TraceRequest,
};
use crate::fault::{AMBIGUOUS_TRACE, BAD_CURSOR, Fault, NO_HISTORY, UNKNOWN_TRACE};
use crate::history_store::{row, to_u32};
use crate::known_hooks::wanted_hook;
use crate::output_doctor::with_output_problems;
use crate::pushes::{Push, Topic};
use crate::query::Query;

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InvalidCursor(cursor) => render!(BAD_CURSOR, "cursor" => cursor).into(),
            StoreError::Ambiguous { prefix, some } => {
                render!(AMBIGUOUS_TRACE, "trace" => prefix, "some" => some.join(", ")).into()
            }
            StoreError::Damaged { .. }
            | StoreError::DamagedInUse { .. }
            | StoreError::Newer { .. }
            | StoreError::NotWritable { .. }
            | StoreError::Full { .. }
            | StoreError::SpoolOnly { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. } => render!(NO_HISTORY, "why" => error.to_string()).into(),
        }
    }
}

/// `history.page`: one page of the traces that match the filter, newest first.
///
/// # Errors
/// The history cannot be read, the query cannot be read, or the cursor is invalid.
pub async fn history_page(app: &App, request: HistoryRequest) -> Result<HistoryDoc, Fault> {
    let query = Query::parse(request.query.as_deref().unwrap_or_default(), app.workspace.now())?;
    let identity = request.uid.map(|uid| wanted_hook(app, request.project.as_deref(), uid));
    let filter = TraceFilter {
        project: request.project.map(|project| project_text(app, &project)),
        event: request.event,
        dialect: request.dialect,
        outcome: request.outcome,
        hook: request.hook,
        identity,
        same_step: request.same_step.unwrap_or_default(),
        verdict: request.verdict,
        since: request.since,
        until: request.until,
    };
    let search = Search {
        filter: both_filters(filter, query.filter()),
        query,
        deadline: Some(Instant::now() + SEARCH_TIME),
    };
    search_page(app, &search, request.after.as_deref(), request.limit.clamp(1, 10_000)).await
}

/// One page of the traces of a query, newest first.
///
/// # Errors
/// The query cannot be read, the history cannot be read, or the cursor is invalid.
pub async fn history_query(app: &App, text: &str, after: Option<&str>, limit: u32) -> Result<HistoryDoc, Fault> {
    let query = Query::parse(text, app.workspace.now())?;
    let search = Search {
        filter: query.filter(),
        query,
        deadline: None,
    };
    search_page(app, &search, after, limit).await
}

/// How many rows are read at once for a query.
const QUERY_PAGE: u32 = 500;
/// After this time a page of a window has the rows that were found.
const SEARCH_TIME: Duration = Duration::from_millis(500);

/// A filter that the database answers, and a query that is looked up in what it answered.
struct Search {
    filter: TraceFilter,
    query: Query,
    /// When the search gives what it has; `None` for a search that goes on to the end.
    deadline: Option<Instant>,
}

/// Where a search is.
struct SearchPosition {
    /// The rows that were found.
    traces: Vec<TraceRow>,
    searched: u32,
    /// Where the next page begins.
    next: Option<Cursor>,
}

async fn search_page(app: &App, search: &Search, after: Option<&str>, limit: u32) -> Result<HistoryDoc, Fault> {
    let after = after.map(str::parse::<Cursor>).transpose()?;
    let store = app.history.open_for_reading().await?;
    let found = if search.query.is_empty() {
        let page = store.page(&search.filter, after, limit.max(1)).await?;
        SearchPosition {
            traces: page.rows,
            searched: 0,
            next: page.next,
        }
    } else {
        search.run(&store, after, limit).await?
    };
    Ok(HistoryDoc {
        traces: found.traces,
        next: found.next.map(|cursor| cursor.to_string()),
        searchable_until: store.searchable_until().await?.map(|at| at.to_string()),
        searched: found.searched,
        waiting: to_u32(store.waiting().await?),
    })
}

impl Search {
    /// Looks at one page of rows after the other until there are enough.
    async fn run(&self, store: &Store, mut after: Option<Cursor>, limit: u32) -> Result<SearchPosition, Fault> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        let mut at = SearchPosition {
            traces: Vec::new(),
            searched: 0,
            next: None,
        };
        loop {
            let page = store.page(&self.filter, after, QUERY_PAGE).await?;
            for row in page.rows {
                let behind = Cursor::after(&row);
                if self.matches(store, &row).await? {
                    if at.traces.len() == limit {
                        at.next = at.traces.last().and_then(Cursor::after);
                        return Ok(at);
                    }
                    at.traces.push(row);
                }
                at.searched += 1;
                if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    at.next = behind;
                    return Ok(at);
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(at);
            }
        }
    }

    async fn matches(&self, store: &Store, row: &TraceRow) -> Result<bool, Fault> {
        if !self.query.matches_row(row) {
            return Ok(false);
        }
        // Retention may have removed the trace since its row was read.
        Ok(!self.query.needs_trace()
            || store
                .show(&row.trace)
                .await?
                .is_some_and(|trace| self.query.matches_trace(&trace)))
    }
}

/// A filter that both of them imply. Where both name a value, the first one is taken: the query looks at its own again.
fn both_filters(first: TraceFilter, second: TraceFilter) -> TraceFilter {
    TraceFilter {
        project: first.project.or(second.project),
        event: first.event.or(second.event),
        dialect: first.dialect.or(second.dialect),
        outcome: first.outcome.or(second.outcome),
        hook: first.hook.or(second.hook),
        identity: first.identity.or(second.identity),
        same_step: first.same_step || second.same_step,
        verdict: first.verdict.or(second.verdict),
        since: first.since.max(second.since),
        until: match (first.until, second.until) {
            (Some(first), Some(second)) => Some(first.min(second)),
            (first, second) => first.or(second),
        },
    }
}

/// `history.show`: one complete trace, by its id or the beginning of its id.
///
/// # Errors
/// The history cannot be read, there is no such trace, or several ids begin like this.
pub async fn history_show(app: &App, request: TraceRequest) -> Result<Trace, Fault> {
    let found = app.history.open_for_reading().await?.show(&request.trace).await?;
    let found = found.map(with_output_problems);
    found.ok_or_else(|| render!(UNKNOWN_TRACE, "trace" => request.trace).into())
}

/// `history.bars`: how many events fired and how many hooks ended with each outcome, for equal parts of a period.
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
        buckets: bars.into_iter().map(event_bar).collect(),
        waiting: to_u32(store.waiting().await?),
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

pub(crate) fn project_text(app: &App, project: &str) -> String {
    app.workspace.env.absolute(Path::new(project)).display().to_string()
}

pub(crate) fn time_before(app: &App, duration: Millis) -> Timestamp {
    duration.before(app.workspace.now())
}

pub(crate) fn bar(bar: hookwright_store::OutcomeBar) -> Bar {
    Bar {
        at: bar.at.to_string(),
        outcomes: small_counts(bar.outcomes),
    }
}

fn event_bar(bar: hookwright_store::EventBar) -> EventBar {
    EventBar {
        at: bar.at.to_string(),
        events: to_u32(bar.events),
        blocked: to_u32(bar.blocked),
        outcomes: small_counts(bar.outcomes),
    }
}

fn small_counts(counts: BTreeMap<Outcome, u64>) -> BTreeMap<Outcome, u32> {
    counts
        .into_iter()
        .map(|(outcome, count)| (outcome, to_u32(count)))
        .collect()
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
